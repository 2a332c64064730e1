// Links, saved states and files: good, malformed, hostile and huge.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { answer, drop, here, opened, quiet, scratch, shot, sideways, text } from "./page.mjs";

test("a deep link opens the same picture, and a saved state too", { timeout: 120_000 }, async () => {
  const hash = "#mode=strategies&lang=zh&scenario=narrow&lm=0.5&memory=100";
  let file = "",
    said = "";
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
    await page.waitForFunction(
      (s) => document.querySelector("#answer")?.textContent?.replace(/[\u00a0\u2009]/g, " ") === s,
      said,
    );
    assert.match(page.url(), /lm=0\.5/);
  });
});

test("the browser's language is taken at first", async () => {
  await opened({ language: "zh-CN", hash: "" }, async (page) =>
    assert.match(await page.getAttribute("html", "lang"), /^zh/),
  );
  await opened({ language: "zh-CN", hash: "#lang=en" }, async (page) =>
    assert.equal(await page.getAttribute("html", "lang"), "en"),
  );
});

test("nonsense in the link is left out", { timeout: 120_000 }, async () => {
  for (const hash of [
    "#mode=oven&scenario=nowhere&memory=-5e99&layers=NaN",
    "#mode=strategies&scenario=kitchen&layers=1e300&K=<script>&segments=-4&bandwidth=0",
    "#%E0%A4%A",
    "#mode=strategies&scenario=kitchen&compete=nobody",
  ]) {
    await opened({ hash }, async (page) => {
      await quiet(page);
      assert.ok((await text(page, "#content")).length > 100 || (await page.$(".trouble")), hash);
    });
  }
});

test("malformed files say what is wrong, and the picture stays", { timeout: 120_000 }, async () => {
  await opened({ hash: "#mode=strategies&scenario=kitchen" }, async (page) => {
    const was = await answer(page);
    for (const [name, content] of [
      ["empty.json", ""],
      ["half.json", '{"format": "worktop-plan", '],
      ["other.json", '{"a": 1}'],
      ["text.txt", "hello"],
      ["deep.json", "[".repeat(100_000)],
      ["<img src=x onerror=alert(1)>.json", "{}"],
      ["graph.json", '{"format": "worktop-graph", "version": 1, "graph": {"values": 7}}'],
    ]) {
      await drop(page, name, content);
      await page.waitForFunction((n) => document.querySelector(".trouble b")?.textContent?.includes(n), name, {
        timeout: 20_000,
      });
      assert.equal(await answer(page), was, name);
      assert.equal(await page.$("img"), null);
    }
    await page.click(".trouble button");
    await page.waitForFunction(() => !document.querySelector(".trouble"));
  });
});

// Names as hostile as names can be.
const kHostile = [
  "<img src=x onerror=alert(1)>",
  "</script><script>alert(1)</script>",
  "\u202eevil",
  "a".repeat(300),
  "**bold**",
  "'\"`${1}",
];

test(
  "hostile names are text",
  { timeout: 180_000, skip: !existsSync(join(here, "../../../data/scenarios/mixed-kitchen.json")) },
  async () => {
    let graph = readFileSync(join(here, "../../../data/scenarios/mixed-kitchen.json"), "utf8");
    const dishes = ["dough", "filling", "dumpling skins", "stock", "soup", "rice"];
    dishes.forEach((dish, i) => {
      for (const verb of ["", "cook ", "taste "]) {
        graph = graph.replaceAll(`"${verb}${dish}"`, JSON.stringify(`${verb}${kHostile[i]}${i}`));
      }
    });
    await opened({ hash: "#mode=ratio&scenario=mixed" }, async (page) => {
      await drop(page, "hostile.json", graph);
      await page.waitForFunction(
        () => location.hash.includes("scenario=file") || document.querySelector(".trouble"),
        null,
        { timeout: 60_000 },
      );
      assert.equal(await page.$(".trouble"), null, await text(page, "#trouble"));
      await quiet(page);
      await page.keyboard.press("3");
      await page.waitForFunction(
        () => document.querySelector("#content")?.textContent?.includes("onerror=alert(1)"),
        null,
        { timeout: 60_000 },
      );
      assert.equal(await page.$("#content img, #content script"), null);
      assert.ok((await sideways(page)) <= 0);
    });
  },
);

test("measurements stand beside the frontier, with their spread", { timeout: 120_000 }, async () => {
  const rows = [
    { name: "plain", peak_bytes: 129e9, step_ns: 256e9, differs: [], remark: "" },
    { name: "promised", peak_bytes: 90e9, step_ns: 265e9 },
    {
      name: "planned",
      peak_bytes: 90e9,
      step_ns: 268e9,
      extra_ns: 12e9,
      extra_low_ns: 8e9,
      extra_high_ns: 16e9,
      differs: [],
      remark: "<b>steady</b>",
    },
  ];
  await opened({ hash: "#mode=frontier&scenario=mixed" }, async (page) => {
    await quiet(page);
    assert.equal(await page.$("[data-focus='measured/0']"), null);
    await drop(page, "check.json", JSON.stringify({ ok: true, model: "mixed", pairs: 3, trouble: [], rows }));
    await page.waitForSelector("[data-focus='measured/0']", { state: "attached", timeout: 60_000 });
    assert.equal(await page.$(".trouble"), null);
    await page.locator("g.mark[data-focus^='measured/']").last().hover({ force: true });
    await page.waitForSelector(".tip:not(.hidden)");
    assert.match(await text(page, ".tip"), /measured/i);
    await shot(page, "measured");
    await page.uncheck("[data-focus='check/Measured']");
    await page.waitForFunction(() => !document.querySelector("[data-focus='measured/0']"));
  });
});

// A hundred thousand ops, each an event of the timeline.
function huge(dishes) {
  const range = Array.from({ length: dishes }, (_, i) => i);
  const values = [
    { name: "base", kind: "weight", bytes: 1e9 },
    ...range.map((i) => ({ name: `dish ${i}`, kind: "activation", bytes: 1e6, held: "producer_only", holdable: true })),
  ];
  const cook = range.map((i) => ({
    name: `cook ${i}`,
    kind: "cook",
    phase: "forward",
    block: Math.floor(i / 100),
    reads: [0],
    writes: [i + 1],
  }));
  const taste = range
    .map((i) => ({
      name: `taste ${i}`,
      kind: "taste",
      phase: "backward",
      block: Math.floor(i / 100),
      reads: [0, i + 1],
      writes: [],
    }))
    .reverse();
  return JSON.stringify({
    format: "worktop-graph",
    version: 1,
    graph: {
      name: "huge",
      origin: "trace",
      triggers: "every",
      blocks: range.filter((i) => i % 100 === 0).map((i) => [`b${i}`, "dish"]),
      values,
      ops: [...cook, ...taste],
    },
    durations_ns: Array(2 * dishes).fill(1e6),
  });
}

test("a timeline of 100,000 events is drawn", { timeout: 300_000 }, async () => {
  await opened({ hash: "#mode=frontier&scenario=mixed" }, async (page) => {
    await drop(page, "huge.json", huge(50_000));
    await page.waitForFunction(
      () => location.hash.includes("scenario=file") || document.querySelector(".trouble"),
      null,
      { timeout: 120_000 },
    );
    assert.equal(await page.$(".trouble"), null, await text(page, "#trouble"));
    await page.waitForFunction(() => /100\s?000/.test(document.querySelector("#timeline")?.textContent ?? ""), null, {
      timeout: 120_000,
    });
    await page.waitForFunction(
      () => /50\s?000/.test(document.querySelector("#content .table-head")?.textContent ?? ""),
      null,
      { timeout: 120_000 },
    );
    await shot(page, "huge");
  });
});
