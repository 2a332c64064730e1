// Bundles the unit tests (src/**/*.test.ts) into the folder that is named and runs them with node's own runner.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const page = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const out = resolve(process.argv[2] ?? join(page, "node_modules/.tests"));
const tests = readdirSync(join(page, "src"), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".test.ts"));
// Names in files are data: nothing in the page may make HTML of text.
const kMakesHtml =
  /\b(innerHTML|outerHTML|insertAdjacentHTML|DOMParser|createContextualFragment|document\.write|eval)\b/;
const sources = readdirSync(join(page, "src"), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".ts"));
const guilty = sources.filter((name) => kMakesHtml.test(readFileSync(join(page, "src", name), "utf8")));
if (guilty.length > 0) {
  console.error(`these make HTML of text: ${guilty.join(", ")}`);
  process.exit(1);
}
mkdirSync(out, { recursive: true });
await build({
  entryPoints: tests.map((name) => join(page, "src", name)),
  outdir: out,
  outbase: join(page, "src"),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: "inline",
  logLevel: "warning",
});
const files = tests.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], { stdio: "inherit" });
if (run.status !== 0) console.error(`unit tests of the page failed: ${files.map((f) => relative(out, f)).join(", ")}`);
process.exit(run.status ?? 1);
