// Bundles the unit tests (src/**/*.test.ts) into the folder that is named and runs them with node's own runner.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const page = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const out = resolve(process.argv[2] ?? join(page, "node_modules/.tests"));
const tests = readdirSync(join(page, "src"), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".test.ts"));
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
