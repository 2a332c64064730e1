// What the browser tests share. The page runs in a real Chromium, opened from disk with the network off; no console message
// and no request is allowed in any test. Environment: PAGE, the page; CHROMIUM, the browser; WORKTOP, the program, for native
// answers (optional); SHOTS, a folder for screenshots (optional).
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { pack } from "../../pack.mjs";

export const here = dirname(dirname(fileURLToPath(import.meta.url)));
const page_ = resolve(process.env.PAGE ?? "");
export const shots = process.env.SHOTS;
export const scratch = mkdtempSync(join(tmpdir(), "worktop-page-"));
let browser;

before(async () => {
  assert.ok(process.env.PAGE && existsSync(page_), "PAGE names no page");
  if (shots) mkdirSync(shots, { recursive: true });
  // A reaped or absent GPU and a missing sandbox are the test machine's affair, not the page's.
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
});
after(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

// Opens the page, lets `use` work with it, and then asks whether anything was said or fetched.
export async function opened(
  { hash = "", file = page_, width = 1280, height = 860, dark = false, language = "en-US" },
  use,
) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    locale: language,
    offline: true,
    acceptDownloads: true,
  });
  const page = await context.newPage(),
    noise = [];
  page.on("console", (message) => noise.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file:|blob:|data:)/.test(request.url())) noise.push(`request: ${request.url()}`);
  });
  try {
    await page.goto(pathToFileURL(file).href + hash);
    await page.waitForSelector("body[data-ready]", { timeout: 60_000 });
    await use(page);
    assert.deepEqual(noise, []);
  } finally {
    await context.close();
  }
}
export const quiet = (page) =>
  page.waitForFunction(() => document.querySelector("main")?.getAttribute("aria-busy") !== "true", null, {
    timeout: 90_000,
  });
export const text = async (page, selector) => (await page.textContent(selector))?.replace(/[\u00a0\u2009]/g, " ") ?? "";
export const answer = (page) => text(page, "#answer");
export const shot = async (page, name, fullPage = false) => {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage });
};
export const sideways = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
export async function answerChanges(page, before_) {
  await page.waitForFunction((was) => (document.querySelector("#answer")?.textContent ?? was) !== was, before_, {
    timeout: 60_000,
  });
}

export async function drop(page, name, content) {
  const data = await page.evaluateHandle(
    ([n, c]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([c], n, { type: "application/json" }));
      return transfer;
    },
    [name, content],
  );
  await page.dispatchEvent("body", "dragenter", { dataTransfer: data });
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

// The page with a stand-in for the engine, which can be made to trap.
export async function standIn() {
  const bundle = async (entry) =>
    (
      await build({
        entryPoints: [join(here, "..", entry)],
        bundle: true,
        write: false,
        format: "iife",
        target: "es2022",
      })
    ).outputFiles[0].text.replaceAll("</script", "<\\/script");
  const parts = {
    "/*{style}*/": readFileSync(join(here, "../style.css"), "utf8"),
    "{engine}": pack(Buffer.from("no engine")),
    "{worker}": await bundle("test/fake_worker.ts"),
    "{report}": "null",
    "/*{script}*/": await bundle("src/main.ts"),
  };
  let html = readFileSync(join(here, "../index.html"), "utf8");
  for (const [mark, part] of Object.entries(parts)) html = html.replace(mark, () => part);
  const file = join(scratch, "stand-in.html");
  writeFileSync(file, html);
  return file;
}

export async function scenarios() {
  let found = [];
  await opened({ hash: "#mode=strategies" }, async (page) => {
    found = await page.$$eval("#scenario option", (options) => options.map((o) => o.value));
  });
  return found;
}
