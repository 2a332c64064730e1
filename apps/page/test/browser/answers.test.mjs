// What the page says: every mode of every scenario, and the values of native answers.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { answer, opened, quiet, scenarios, sideways, text } from "./page.mjs";

test(
  "every mode of every scenario, in both languages, without a word on the console",
  { timeout: 900_000 },
  async () => {
    const all = await scenarios();
    assert.ok(all.length >= 3, String(all));
    for (const scenario of all) {
      await opened({ hash: `#mode=strategies&scenario=${scenario}` }, async (page) => {
        for (const [key, mode] of [
          ["2", "strategies"],
          ["1", "frontier"],
          ["3", "ratio"],
        ]) {
          await page.keyboard.press(key);
          await page.waitForSelector(`body[data-ready=${mode}]`, { timeout: 90_000 });
          await page.waitForSelector("#answer");
          assert.notEqual(await answer(page), "", `${scenario} ${mode}`);
          assert.equal(
            await page.$(".trouble"),
            null,
            `${scenario} ${mode}: ${await page.$eval("#trouble", (e) => e.textContent)}`,
          );
          await page.click("[data-language=zh]");
          await page.waitForFunction(
            () =>
              document.documentElement.lang.startsWith("zh") &&
              /[\u4e00-\u9fff]/.test(document.querySelector("#answer")?.textContent ?? ""),
          );
          assert.doesNotMatch(await answer(page), /undefined|NaN|\[object/, `${scenario} ${mode}`);
          await page.click("[data-language=en]");
          await page.waitForFunction(
            () => !/[\u4e00-\u9fff]/.test(document.querySelector("#answer")?.textContent ?? ""),
          );
          const words = await text(page, "#content");
          assert.doesNotMatch(words, /undefined|NaN|\[object|[\u4e00-\u9fff]/, `${scenario} ${mode}`);
          assert.ok((await sideways(page)) <= 0, `${scenario} ${mode} scrolls sideways`);
        }
      });
    }
  },
);

test("the kitchen's ledger says what the design says", async () => {
  await opened({ hash: "#mode=strategies&scenario=kitchen" }, async (page) => {
    assert.match(await answer(page), /^Offload all wins: cost 7\.8/);
    const costs = await page.$$eval("#ledger tr[data-strategy]", (rows) =>
      Object.fromEntries(
        rows.map((row) => [row.dataset.strategy, row.querySelector("td.cost").textContent.replace(" wins", "")]),
      ),
    );
    assert.deepEqual(
      [costs.keep_all, costs.checkpoint, costs.offload_all, costs.recompute_all],
      ["93.6", "88.2", "7.8", "87.6"],
    );
  });
  for (const [lambda, winner] of [
    [0.2, "Keep all wins: cost 62.4"],
    [0.3, "Checkpoint wins: cost 88.2"],
    [0.5, "Checkpoint wins: cost 75.0"],
    [0.8, "Offload all wins: cost 39.6"],
  ]) {
    await opened({ hash: `#mode=strategies&scenario=narrow&lm=${lambda}` }, async (page) =>
      assert.ok((await answer(page)).startsWith(winner), `${lambda}: ${await answer(page)}`),
    );
  }
});

test("values on the page are those of the program's own answer", { skip: !process.env.WORKTOP }, async () => {
  const native = JSON.parse(
    execFileSync(
      process.env.WORKTOP,
      [
        "ledger",
        "--layers",
        "80",
        "--activation",
        "2GB",
        "--base",
        "12GB",
        "--forward",
        "120s",
        "--bandwidth",
        "5GB/s",
        "--segments",
        "8",
        "--lambda",
        "0.4",
        "--json",
      ],
      { encoding: "utf8" },
    ),
  );
  await opened(
    { hash: "#mode=strategies&scenario=kitchen&layers=80&a=2&bandwidth=5&segments=8&lm=0.4" },
    async (page) => {
      for (const row of native.rows) {
        if (row.name === "hybrid") continue;
        const cell = await text(page, `tr[data-strategy=${row.name}] td.cost`);
        assert.ok(cell.startsWith(row.cost.toFixed(1)), `${row.name}: ${cell}, natively ${row.cost}`);
      }
    },
  );
});

test("a plan on the page is the engine's own, natively", { skip: !process.env.ENGINE, timeout: 120_000 }, async () => {
  const ask = (question) => {
    const said = execFileSync(process.env.ENGINE, {
      input: `${JSON.stringify(question)}\n`,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    return JSON.parse(said.split("\n")[0]);
  };
  const { subject, limits, lambda, minimize } = ask({ ask: "lists" }).scenarios.find(
    (scenario) => scenario.id === "mixed",
  );
  const asked = { subject, limits, lambda, minimize, effort: "normal" };
  const plan = ask({ ask: "plan", ...asked, plan: { kind: "best" } });
  const ratio = ask({ ask: "ratio", subject, limits, lambda, effort: "normal", threshold: 2 });
  await opened({ hash: "#mode=frontier&scenario=mixed" }, async (page) => {
    await page.waitForFunction(() => /normal effort/.test(document.querySelector("#rail")?.textContent ?? ""));
    await quiet(page);
    const chosen = await page.$$eval("#picks tr.chosen td", (cells) => cells.map((cell) => cell.textContent));
    assert.deepEqual(chosen.slice(1, 3), [
      (plan.plan.peak_bytes / 1e9).toFixed(1),
      (plan.plan.step_ns / 1e9).toFixed(1),
    ]);
    await page.keyboard.press("3");
    await page.waitForSelector("body[data-ready=ratio]");
    await page.waitForFunction((n) => document.querySelectorAll("#ratios tbody tr").length === n, ratio.rows.length);
    const shown = await page.$$eval("#ratios tbody tr", (rows) => rows.map((row) => Number(row.cells[1].textContent)));
    const native = ratio.rows.map((row) => row.ratio).sort((a, b) => b - a);
    shown.forEach((value, i) => assert.ok(Math.abs(value - native[i]) <= 0.006, `${value}, natively ${native[i]}`));
  });
});
