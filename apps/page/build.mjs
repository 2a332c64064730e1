// Makes the page: one HTML file with style, script, worker and engine inside.
//
//   node build.mjs ENGINE.WASM OUT.HTML [DEPFILE]
//
// The engine lies in it packed (pack.mjs), and so do style, worker and script. The report is empty: `worktop report` writes
// one into its place. DEPFILE gets the files that were read, for the build.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { pack } from "./pack.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, out, depfile] = process.argv.slice(2);
if (!wasm || !out) {
  console.error("usage: node build.mjs ENGINE.WASM OUT.HTML [DEPFILE]");
  process.exit(2);
}

const read = new Set([join(here, "index.html"), join(here, "pack.mjs"), resolve(wasm)]);
async function bundle(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  for (const input of Object.keys(result.metafile.inputs)) read.add(join(here, input));
  return result.outputFiles[0].text.trim();
}
// Within a script element nothing may look like its end or like a comment's beginning.
const inScript = (text) => text.replace(/<(?=\/script|script|!--)/gi, "\\x3c");

const [start, script, worker, style] = await Promise.all([
  bundle("src/start.ts"),
  bundle("src/main.ts"),
  bundle("src/worker.ts"),
  bundle("style.css"),
]);
const parts = {
  "{engine}": pack(readFileSync(wasm)),
  "{worker}": "",
  "{report}": "",
  "/*{style}*/": "",
  "/*{script}*/": inScript(start),
};
const template = readFileSync(join(here, "index.html"), "utf8").replace(
  /<script>\s*\/\*\{script\}\*\//,
  (opening) =>
    `<script type="text/plain" id="program">\n${pack(Buffer.from(`${style}\0${worker}\0${script}`))}\n</script>\n${opening}`,
);
let page = "";
let rest = template;
for (;;) {
  const next = Object.keys(parts)
    .map((name) => [rest.indexOf(name), name])
    .filter(([at]) => at >= 0)
    .sort((a, b) => a[0] - b[0])[0];
  if (!next) break;
  page += rest.slice(0, next[0]) + parts[next[1]];
  rest = rest.slice(next[0] + next[1].length);
}
writeFileSync(out, page + rest);
if (depfile) {
  const name = (path) => path.replace(/[ #$]/g, "\\$&");
  writeFileSync(depfile, `${name(out)}: ${[...read].sort().map(name).join(" ")}\n`);
}
