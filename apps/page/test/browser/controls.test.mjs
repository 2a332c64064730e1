// What can be pressed, dragged and typed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { answer, answerChanges, opened, quiet, scratch, text } from "./page.mjs";

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
    await opened(
      { hash: `#mode=${scenario === "mixed" ? "ratio" : "strategies"}&scenario=${scenario}` },
      async (page) => {
        const keys = await page.$$eval("#rail input[type=range]", (inputs) => inputs.map((i) => i.id));
        for (const id of keys) {
          const before_ = await page.inputValue(`#${id}`);
          for (const at of [0, 1000, Number(before_)]) {
            await page.$eval(
              `#${id}`,
              (input, value) => {
                input.value = String(value);
                input.dispatchEvent(new Event("input"));
                input.dispatchEvent(new Event("change"));
              },
              at,
            );
            await quiet(page);
          }
          assert.equal(await page.$(".trouble"), null, `${scenario} ${id}: ${await text(page, "#trouble")}`);
        }
      },
    );
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
    for (const [button, extension] of [
      ["Save plan", "json"],
      ["Trace", "json"],
      ["PNG", "png"],
    ]) {
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
