// The page in a real Chromium, opened from disk with the network off. Environment: PAGE, the page; CHROMIUM, the browser;
// WORKTOP, the program, for native answers (optional); SHOTS, a folder for screenshots (optional). No console message and no
// request is allowed in any test.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const page_ = resolve(process.env.PAGE ?? "");
const shots = process.env.SHOTS;
const scratch = mkdtempSync(join(tmpdir(), "worktop-page-"));
let browser;

before(async () => {
  assert.ok(process.env.PAGE && existsSync(page_), "PAGE names no page");
  if (shots) mkdirSync(shots, { recursive: true });
  // A reaped or absent GPU and a missing sandbox are the test machine's affair, not the page's.
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
});
after(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

// Opens the page, lets `use` work with it, and then asks whether anything was said or fetched.
async function opened({ hash = "", file = page_, width = 1280, height = 860, dark = false, language = "en-US" }, use) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", locale: language, offline: true, acceptDownloads: true });
  const page = await context.newPage(), noise = [];
  page.on("console", (message) => noise.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
  page.on("request", (request) => { if (!/^(file:|blob:|data:)/.test(request.url())) noise.push(`request: ${request.url()}`); });
  try {
    await page.goto(pathToFileURL(file).href + hash);
    await page.waitForSelector("body[data-ready]", { timeout: 60_000 });
    await use(page);
    assert.deepEqual(noise, []);
  } finally {
    await context.close();
  }
}
const quiet = (page) => page.waitForFunction(() => document.querySelector("main")?.getAttribute("aria-busy") !== "true", null, { timeout: 90_000 });
const text = async (page, selector) => (await page.textContent(selector))?.replace(/[\u00a0\u2009]/g, " ") ?? "";
const answer = (page) => text(page, "#answer");
const shot = async (page, name, fullPage = false) => { if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage }); };
const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
async function answerChanges(page, before_) {
  await page.waitForFunction((was) => (document.querySelector("#answer")?.textContent ?? was) !== was, before_, { timeout: 60_000 });
}

async function drop(page, name, content) {
  const data = await page.evaluateHandle(([n, c]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([c], n, { type: "application/json" }));
    return transfer;
  }, [name, content]);
  await page.dispatchEvent("body", "dragenter", { dataTransfer: data });
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

// The page with a stand-in for the engine, which can be made to trap.
async function standIn() {
  const bundle = async (entry) => (await build({ entryPoints: [join(here, "..", entry)], bundle: true, write: false, format: "iife", target: "es2022" })).outputFiles[0].text.replaceAll("</script", "<\\/script");
  const parts = { "/*{style}*/": readFileSync(join(here, "../style.css"), "utf8"), "{engine}": "H4sIAAAAAAAAAwMAAAAAAAAAAAA=", "{worker}": await bundle("test/fake_worker.ts"), "{report}": "null", "/*{script}*/": await bundle("src/main.ts") };
  let html = readFileSync(join(here, "../index.html"), "utf8");
  for (const [mark, part] of Object.entries(parts)) html = html.replace(mark, () => part);
  const file = join(scratch, "stand-in.html");
  writeFileSync(file, html);
  return file;
}

// ------------------------------------------------------------------------------------------------------ scenarios

async function scenarios() {
  let found = [];
  await opened({ hash: "#mode=strategies" }, async (page) => { found = await page.$$eval("#scenario option", (options) => options.map((o) => o.value)); });
  return found;
}

test("every mode of every scenario, in both languages, without a word on the console", { timeout: 900_000 }, async () => {
  const all = await scenarios();
  assert.ok(all.length >= 3, String(all));
  for (const scenario of all) {
    await opened({ hash: `#mode=strategies&scenario=${scenario}` }, async (page) => {
      for (const [key, mode] of [["2", "strategies"], ["1", "frontier"], ["3", "ratio"]]) {
        await page.keyboard.press(key);
        await page.waitForSelector(`body[data-ready=${mode}]`, { timeout: 90_000 });
        await page.waitForSelector("#answer");
        assert.notEqual(await answer(page), "", `${scenario} ${mode}`);
        assert.equal(await page.$(".trouble"), null, `${scenario} ${mode}: ${await page.$eval("#trouble", (e) => e.textContent)}`);
        await page.click("[data-language=zh]");
        await page.waitForFunction(() => document.documentElement.lang.startsWith("zh") && /[\u4e00-\u9fff]/.test(document.querySelector("#answer")?.textContent ?? ""));
        assert.doesNotMatch(await answer(page), /undefined|NaN|\[object/, `${scenario} ${mode}`);
        await page.click("[data-language=en]");
        await page.waitForFunction(() => !/[\u4e00-\u9fff]/.test(document.querySelector("#answer")?.textContent ?? ""));
        const words = await text(page, "#content");
        assert.doesNotMatch(words, /undefined|NaN|\[object|[\u4e00-\u9fff]/, `${scenario} ${mode}`);
        assert.ok(await sideways(page) <= 0, `${scenario} ${mode} scrolls sideways`);
      }
    });
  }
});

test("the kitchen's ledger says what the design says", async () => {
  await opened({ hash: "#mode=strategies&scenario=kitchen" }, async (page) => {
    assert.match(await answer(page), /^Offload all wins: cost 7\.8/);
    const costs = await page.$$eval("#ledger tr[data-strategy]", (rows) => Object.fromEntries(rows.map((row) => [row.dataset.strategy, row.querySelector("td.cost").textContent.replace(" wins", "")])));
    assert.deepEqual([costs.keep_all, costs.checkpoint, costs.offload_all, costs.recompute_all], ["93.6", "88.2", "7.8", "87.6"]);
  });
  for (const [lambda, winner] of [[0.2, "Keep all wins: cost 62.4"], [0.3, "Checkpoint wins: cost 88.2"], [0.5, "Checkpoint wins: cost 75.0"], [0.8, "Offload all wins: cost 39.6"]]) {
    await opened({ hash: `#mode=strategies&scenario=narrow&lm=${lambda}` }, async (page) => assert.ok((await answer(page)).startsWith(winner), `${lambda}: ${await answer(page)}`));
  }
});

test("values on the page are those of the program's own answer", { skip: !process.env.WORKTOP }, async () => {
  const native = JSON.parse(execFileSync(process.env.WORKTOP, ["ledger", "--layers", "80", "--activation", "2GB", "--base", "12GB", "--forward", "120s", "--bandwidth", "5GB/s", "--segments", "8", "--lambda", "0.4", "--json"], { encoding: "utf8" }));
  await opened({ hash: "#mode=strategies&scenario=kitchen&layers=80&a=2&bandwidth=5&segments=8&lm=0.4" }, async (page) => {
    for (const row of native.rows) {
      if (row.name === "hybrid") continue;
      const cell = await text(page, `tr[data-strategy=${row.name}] td.cost`);
      assert.ok(cell.startsWith(row.cost.toFixed(1)), `${row.name}: ${cell}, natively ${row.cost}`);
    }
  });
});

// -------------------------------------------------------------------------------------------------------- controls

test("a slider changes the answer, and the field beside it too", async () => {
  await opened({ hash: "#mode=strategies&scenario=narrow&lm=0.3" }, async (page) => {
    const was = await page.textContent("#answer");
    await page.focus("input[data-key=lm]");
    for (let i = 0; i < 40; ++i) await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Home");
    await answerChanges(page, was);
    const second = await page.textContent("#answer");
    await page.fill("input[data-field=lm]", "0.8");
    await page.keyboard.press("Enter");
    await answerChanges(page, second);
    assert.match(await answer(page), /^Offload all wins: cost 39\.6/);
    assert.match(page.url(), /lm=0\.8/);
    await page.fill("input[data-field=lm]", "much");
    await page.keyboard.press("Enter");
    assert.equal(await page.getAttribute("input[data-field=lm]", "aria-invalid"), "true");
    assert.match(await answer(page), /^Offload all wins/);
  });
});

test("every control of every scenario takes its ends without trouble", { timeout: 900_000 }, async () => {
  for (const scenario of ["kitchen", "mixed"]) {
    await opened({ hash: `#mode=${scenario === "mixed" ? "ratio" : "strategies"}&scenario=${scenario}` }, async (page) => {
      const keys = await page.$$eval("#rail input[type=range]", (inputs) => inputs.map((i) => i.id));
      for (const id of keys) {
        const before_ = await page.inputValue(`#${id}`);
        for (const at of [0, 1000, Number(before_)]) {
          await page.$eval(`#${id}`, (input, value) => { input.value = String(value); input.dispatchEvent(new Event("input")); input.dispatchEvent(new Event("change")); }, at);
          await quiet(page);
        }
        assert.equal(await page.$(".trouble"), null, `${scenario} ${id}: ${await text(page, "#trouble")}`);
      }
    });
  }
});

test("check boxes say who competes", async () => {
  await opened({ hash: "#mode=strategies&scenario=narrow&lm=0.3" }, async (page) => {
    const was = await page.textContent("#answer");
    await page.check("[data-focus='compete/recompute_all']");
    await answerChanges(page, was);
    assert.match(await answer(page), /^Recompute all wins: cost 87\.6/);
  });
});

test("keys 1, 2, 3 choose the mode, but not while one types", async () => {
  await opened({ hash: "#mode=strategies&scenario=kitchen" }, async (page) => {
    await page.keyboard.press("3");
    await page.waitForSelector("body[data-ready=ratio]");
    await page.focus("input[data-field=threshold]");
    await page.keyboard.press("1");
    await page.waitForTimeout(100);
    assert.match(page.url(), /mode=ratio/);
  });
});

test("the threshold's handle is dragged and moved by keys", { timeout: 120_000 }, async () => {
  await opened({ hash: "#mode=ratio&scenario=mixed" }, async (page) => {
    assert.match(await answer(page), /^Threshold 2 is the best rule here/);
    const box = await page.locator("[role=slider].handle").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 70, box.y + 8, { steps: 6 });
    await page.mouse.up();
    await page.waitForFunction(() => /threshold=/.test(location.hash));
    await quiet(page);
    const dragged = Number(/threshold=([\d.]+)/.exec(page.url())[1]);
    assert.ok(dragged > 2, page.url());
    await page.focus("[role=slider].handle");
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction((was) => !location.hash.includes(`threshold=${was}`), dragged);
  });
});

test("hover and focus explain a strategy, click chooses it, Escape closes", { timeout: 120_000 }, async () => {
  await opened({ hash: "#mode=frontier&scenario=kitchen" }, async (page) => {
    await quiet(page);
    const mark = page.locator("g.mark[data-focus^='mark/checkpoint']").first();
    await mark.hover({ force: true });
    await page.waitForSelector(".tip:not(.hidden)");
    const tip = await page.locator(".tip").boundingBox();
    assert.ok(tip.x >= 0 && tip.y >= 0 && tip.x + tip.width <= 1280 && tip.y + tip.height <= 860, JSON.stringify(tip));
    await page.keyboard.press("Escape");
    assert.ok(await page.$(".tip.hidden"));
    const was = await page.textContent("#answer");
    await mark.click({ force: true });
    await answerChanges(page, was);
    assert.match(page.url(), /chosen=strategy/);
    assert.match(await answer(page), /^checkpoint/);
  });
});

test("the plan panel shows timeline, activations and the peak; Escape leaves it", { timeout: 120_000 }, async () => {
  await opened({ hash: "#mode=frontier&scenario=kitchen&plan=open" }, async (page) => {
    await page.waitForSelector("#timeline");
    await page.waitForSelector("#activations");
    const rows = await page.$$eval("#activations tbody tr", (r) => r.length);
    assert.ok(rows > 0);
    await page.fill(".filter", "no such activation");
    await page.waitForFunction(() => document.querySelectorAll("#activations tbody tr").length === 1);
    await page.fill(".filter", "");
    await page.click("[data-focus='sort/name']");
    await page.waitForSelector("th[aria-sort] >> text=Name");
    await page.locator(".filter").blur();
    await page.keyboard.press("Escape");
    await page.waitForSelector("body[data-ready=frontier]");
  });
});

test("plan, trace and picture are saved", { timeout: 180_000 }, async () => {
  await opened({ hash: "#mode=frontier&scenario=kitchen&plan=open" }, async (page) => {
    await page.waitForSelector("#timeline");
    await quiet(page);
    for (const [button, extension] of [["Save plan", "json"], ["Trace", "json"], ["PNG", "png"]]) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.click(`button:text-is("${button}")`)]);
      const file = join(scratch, download.suggestedFilename());
      await download.saveAs(file);
      assert.ok(file.endsWith(extension), file);
      const bytes = readFileSync(file);
      assert.ok(bytes.length > 100);
      if (extension === "json") JSON.parse(bytes.toString("utf8"));
      else assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    }
  });
});

// ------------------------------------------------------------------------------------------------- links and files

test("a deep link opens the same picture, and a saved state too", { timeout: 120_000 }, async () => {
  const hash = "#mode=strategies&lang=zh&scenario=narrow&lm=0.5&memory=100";
  let file = "", said = "";
  await opened({ hash }, async (page) => {
    said = await answer(page);
    assert.match(said, /检查点胜出/);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
    file = join(scratch, "state.worktop.json");
    await download.saveAs(file);
  });
  await opened({}, async (page) => {
    await drop(page, "state.worktop.json", readFileSync(file, "utf8"));
    await page.waitForFunction(() => location.hash.includes("scenario=narrow"));
    await page.waitForSelector("body[data-ready=strategies]");
    await page.waitForFunction((s) => document.querySelector("#answer")?.textContent?.replace(/[\u00a0\u2009]/g, " ") === s, said);
    assert.match(page.url(), /lm=0\.5/);
  });
});

test("the browser's language is taken at first", async () => {
  await opened({ language: "zh-CN", hash: "" }, async (page) => assert.match(await page.getAttribute("html", "lang"), /^zh/));
  await opened({ language: "zh-CN", hash: "#lang=en" }, async (page) => assert.equal(await page.getAttribute("html", "lang"), "en"));
});

test("nonsense in the link is left out", { timeout: 120_000 }, async () => {
  for (const hash of ["#mode=oven&scenario=nowhere&memory=-5e99&layers=NaN", "#mode=strategies&scenario=kitchen&layers=1e300&K=<script>&segments=-4&bandwidth=0", "#%E0%A4%A", "#mode=strategies&scenario=kitchen&compete=nobody"]) {
    await opened({ hash }, async (page) => { await quiet(page); assert.ok((await text(page, "#content")).length > 100 || await page.$(".trouble"), hash); });
  }
});

test("malformed files say what is wrong, and the picture stays", { timeout: 120_000 }, async () => {
  await opened({ hash: "#mode=strategies&scenario=kitchen" }, async (page) => {
    const was = await answer(page);
    for (const [name, content] of [["empty.json", ""], ["half.json", "{\"format\": \"worktop-plan\", "], ["other.json", "{\"a\": 1}"], ["text.txt", "hello"], ["deep.json", "[".repeat(100_000)], ["<img src=x onerror=alert(1)>.json", "{}"], ["graph.json", "{\"format\": \"worktop-graph\", \"version\": 1, \"graph\": {\"values\": 7}}"]]) {
      await drop(page, name, content);
      await page.waitForFunction((n) => document.querySelector(".trouble b")?.textContent?.includes(n), name, { timeout: 20_000 });
      assert.equal(await answer(page), was, name);
      assert.equal(await page.$("img"), null);
    }
    await page.click(".trouble button");
    await page.waitForFunction(() => !document.querySelector(".trouble"));
  });
});

// Names as hostile as names can be.
const kHostile = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "\u202eevil", "a".repeat(300), "**bold**", "'\"`${1}"];

test("hostile names are text", { timeout: 180_000, skip: !existsSync(join(here, "../../../data/scenarios/mixed-kitchen.json")) }, async () => {
  let graph = readFileSync(join(here, "../../../data/scenarios/mixed-kitchen.json"), "utf8");
  const dishes = ["dough", "filling", "dumpling skins", "stock", "soup", "rice"];
  dishes.forEach((dish, i) => { graph = graph.replaceAll(`"${dish}"`, JSON.stringify(kHostile[i] + i)); });
  await opened({ hash: "#mode=ratio&scenario=mixed" }, async (page) => {
    await drop(page, "hostile.json", graph);
    await page.waitForFunction(() => location.hash.includes("scenario=file") || document.querySelector(".trouble"), null, { timeout: 60_000 });
    assert.equal(await page.$(".trouble"), null, await text(page, "#trouble"));
    await quiet(page);
    await page.keyboard.press("3");
    await page.waitForFunction(() => document.querySelector("#content")?.textContent?.includes("onerror=alert(1)"), null, { timeout: 60_000 });
    assert.equal(await page.$("#content img, #content script"), null);
    assert.ok(await sideways(page) <= 0);
  });
});

// A hundred thousand ops, each an event of the timeline.
function huge(dishes) {
  const range = Array.from({ length: dishes }, (_, i) => i);
  const values = [{ name: "base", kind: "weight", bytes: 1e9 }, ...range.map((i) => ({ name: `dish ${i}`, kind: "activation", bytes: 1e6, held: "producer_only", holdable: true }))];
  const cook = range.map((i) => ({ name: `cook ${i}`, kind: "cook", phase: "forward", block: Math.floor(i / 100), reads: [0], writes: [i + 1] }));
  const taste = range.map((i) => ({ name: `taste ${i}`, kind: "taste", phase: "backward", block: Math.floor(i / 100), reads: [0, i + 1], writes: [] })).reverse();
  return JSON.stringify({ format: "worktop-graph", version: 1, graph: { name: "huge", origin: "trace", triggers: "every", blocks: range.filter((i) => i % 100 === 0).map((i) => [`b${i}`, "dish"]), values, ops: [...cook, ...taste] }, durations_ns: Array(2 * dishes).fill(1e6) });
}

test("a timeline of 100,000 events is drawn", { timeout: 300_000 }, async () => {
  await opened({ hash: "#mode=frontier&scenario=mixed" }, async (page) => {
    await drop(page, "huge.json", huge(50_000));
    await page.waitForFunction(() => location.hash.includes("scenario=file") || document.querySelector(".trouble"), null, { timeout: 120_000 });
    assert.equal(await page.$(".trouble"), null, await text(page, "#trouble"));
    await page.waitForFunction(() => /100\s?000/.test(document.querySelector("#timeline")?.textContent ?? ""), null, { timeout: 120_000 });
    await page.waitForFunction(() => /50\s?000/.test(document.querySelector("#content .table-head")?.textContent ?? ""), null, { timeout: 120_000 });
    await shot(page, "huge");
  });
});

// ------------------------------------------------------------------------------------------- trouble, looks, learning

test("a trap is said, the last picture stays, and the next question is answered", async () => {
  const file = await standIn();
  await opened({ file, hash: "#mode=strategies&scenario=kitchen" }, async (page) => {
    const was = await answer(page);
    await page.fill("input[data-field=layers]", "13");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".trouble");
    assert.match(await text(page, ".trouble"), /unreachable executed/);
    assert.equal(await answer(page), was);
    await page.fill("input[data-field=lm]", "0.01");
    await page.fill("input[data-field=layers]", "14");
    await page.keyboard.press("Enter");
    await answerChanges(page, was);
    assert.equal(await page.$(".trouble"), null);
  });
});

test("the tour and the quiz lead through states of the page", { timeout: 120_000 }, async () => {
  await opened({ hash: "#mode=frontier&scenario=kitchen" }, async (page) => {
    await page.click("#tour");
    for (const [mode, scenario] of [["strategies", "kitchen"], ["strategies", "narrow"], ["frontier", "narrow"], ["frontier", "narrow"], ["ratio", "mixed"]]) {
      await page.waitForFunction(([m, s]) => location.hash.includes(`mode=${m}`) && location.hash.includes(`scenario=${s}`), [mode, scenario]);
      const next = page.locator(".tour button:text-is('Next')");
      if (await next.count() > 0) await next.click();
    }
    await page.click(".tour button:text-is('To the quiz')");
    const rights = [1, 0, 2, 1, 2];
    for (const [i, right] of rights.entries()) {
      await page.click(`.tour .answers button >> nth=${right}`);
      await page.waitForSelector(".tour .answers .right");
      if (i + 1 < rights.length) await page.click(".tour button:text-is('Next question')");
    }
    assert.match(await text(page, ".tour"), /5 of 5/);
    await page.click(".tour button:text-is('Done')");
    assert.ok(await page.$(".tour.hidden"));
  });
});

test("400 px wide: nothing scrolls sideways, the drawer opens and closes", { timeout: 300_000 }, async () => {
  for (const mode of ["strategies", "frontier", "ratio"]) {
    const scenario = mode === "ratio" ? "mixed" : "kitchen";
    for (const width of [400, 340]) await opened({ hash: `#mode=${mode}&scenario=${scenario}`, width, height: 800 }, async (page) => {
      await quiet(page);
      assert.ok(await sideways(page) <= 0, `${mode} ${width}`);
      await page.click(".menu-button");
      await page.waitForFunction(() => document.querySelector("#rail").getBoundingClientRect().left >= 0);
      await page.waitForTimeout(200);
      if (width === 400) await shot(page, `narrow-drawer-${mode}`);
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector("#rail").getBoundingClientRect().right <= 0);
      await page.waitForTimeout(200);
      if (width === 400) await shot(page, `narrow-${mode}`, true);
    });
  }
  await opened({ hash: "#mode=frontier&scenario=kitchen&plan=open", width: 400, height: 800 }, async (page) => {
    await page.waitForSelector("#timeline");
    assert.ok(await sideways(page) <= 0, "plan");
    await shot(page, "narrow-plan", true);
  });
});

// Contrast as WCAG counts it, of each piece of text on what is behind it.
test("text has a contrast of 4.5, light and dark", { timeout: 300_000 }, async () => {
  for (const dark of [false, true]) for (const hash of ["#mode=strategies&scenario=kitchen&memory=100", "#mode=ratio&scenario=mixed", "#mode=frontier&scenario=kitchen&plan=open"]) {
    await opened({ hash, dark }, async (page) => {
      await quiet(page);
      const poor = await page.evaluate(() => {
        const channels = (c) => { const m = /rgba?\(([^)]+)\)/.exec(c); const p = m ? m[1].split(/[ ,/]+/).map(Number) : [0, 0, 0, 0]; return p.length < 4 ? [...p, 1] : p; };
        const srgb = (c) => { const m = /color\(srgb ([^)]+)\)/.exec(c); if (!m) return channels(c); const p = m[1].split(/[ /]+/).map(Number); return [p[0] * 255, p[1] * 255, p[2] * 255, p[3] ?? 1]; };
        const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
        const behind = (e) => { for (let n = e; n; n = n.parentElement) { const c = srgb(getComputedStyle(n).backgroundColor); if (c[3] > 0.99) return c; } return [255, 255, 255, 1]; };
        const bad = [];
        for (const e of document.querySelectorAll("main *, header *, #rail *")) {
          const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "");
          const box = e.getBoundingClientRect(), style = getComputedStyle(e);
          if (!own || box.width === 0 || style.visibility === "hidden" || e.closest("option")) continue;
          const inSvg = e instanceof SVGElement;
          if (inSvg && (e.closest(".handle") || /--bg/.test(e.getAttribute("style") ?? ""))) continue; // on a mark of its own
          const a = light(srgb(inSvg ? style.fill : style.color)), b = light(behind(inSvg ? e.ownerSVGElement.parentElement : e));
          const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          if (ratio < 4.5) bad.push(`${ratio.toFixed(2)} ${e.tagName}.${e.getAttribute("class") ?? ""} ${e.textContent.slice(0, 30)}`);
        }
        return bad.slice(0, 8);
      });
      assert.deepEqual(poor, [], `${hash} ${dark ? "dark" : "light"}`);
    });
  }
});

test("everything that can be pressed has a name", async () => {
  await opened({ hash: "#mode=frontier&scenario=kitchen" }, async (page) => {
    await quiet(page);
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, [role=button], [role=slider], [tabindex='0']")].filter((e) => {
      if (e.getBoundingClientRect().width === 0) return false;
      const label = e.getAttribute("aria-label") ?? (e.labels?.length ? [...e.labels].map((l) => l.textContent).join(" ") : "") ?? "";
      return (label + (e.textContent ?? "")).trim() === "";
    }).map((e) => e.outerHTML.slice(0, 120)));
    assert.deepEqual(nameless, []);
  });
});

test("the first picture comes within 0.7 s, and a slider of the ledger answers within 100 ms", { timeout: 60_000, skip: !process.env.TIMED }, async () => {
  await opened({ hash: "#mode=strategies&scenario=kitchen" }, async (page) => {
    const first = await page.evaluate(() => performance.now());
    assert.ok(first < 700, `${first} ms`);
  });
});

test("screenshots of each mode, in both languages and both lights", { skip: !shots, timeout: 600_000 }, async () => {
  const all = await scenarios();
  const model = all.find((s) => /gpt/i.test(s)) ?? all[all.length - 1];
  const looks = [["frontier", `mode=frontier&scenario=${model}`], ["strategies", "mode=strategies&scenario=kitchen&memory=100&extra=60"], ["ratio", "mode=ratio&scenario=mixed"], ["plan", `mode=frontier&scenario=${model}&plan=open`], ["frontier-kitchen", "mode=frontier&scenario=kitchen"], ["ratio-model", `mode=ratio&scenario=${model}`], ["strategies-model", `mode=strategies&scenario=${model}`], ["strategies-narrow", "mode=strategies&scenario=narrow"], ["plan-kitchen", "mode=frontier&scenario=kitchen&plan=open"], ["plan-mixed", "mode=frontier&scenario=mixed&plan=open"]];
  for (const [name, hash] of looks) for (const language of ["en", "zh"]) for (const dark of [false, true]) {
    if (dark && language === "zh") continue;
    await opened({ hash: `#${hash}&lang=${language}`, dark, height: name.startsWith("plan") ? 1020 : 860 }, async (page) => {
      await quiet(page);
      if (name.startsWith("plan")) await page.waitForSelector("#timeline");
      await page.waitForTimeout(300);
      await shot(page, `${name}-${language}${dark ? "-dark" : ""}`);
    });
  }
});
