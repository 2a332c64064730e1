// Trouble, learning, narrow windows, contrast, names for screen readers, screenshots.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, answerChanges, opened, quiet, scenarios, shot, shots, sideways, standIn, text } from "./page.mjs";

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
    for (const [mode, scenario] of [
      ["strategies", "kitchen"],
      ["strategies", "narrow"],
      ["frontier", "narrow"],
      ["frontier", "narrow"],
      ["ratio", "mixed"],
    ]) {
      await page.waitForFunction(
        ([m, s]) => location.hash.includes(`mode=${m}`) && location.hash.includes(`scenario=${s}`),
        [mode, scenario],
      );
      const next = page.locator(".tour button:text-is('Next')");
      if ((await next.count()) > 0) await next.click();
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
    for (const width of [400, 340])
      await opened({ hash: `#mode=${mode}&scenario=${scenario}`, width, height: 800 }, async (page) => {
        await quiet(page);
        assert.ok((await sideways(page)) <= 0, `${mode} ${width}`);
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
    assert.ok((await sideways(page)) <= 0, "plan");
    await shot(page, "narrow-plan", true);
  });
});

// Contrast as WCAG counts it, of each piece of text on what is behind it.
test("text has a contrast of 4.5, light and dark", { timeout: 300_000 }, async () => {
  for (const dark of [false, true])
    for (const hash of [
      "#mode=strategies&scenario=kitchen&memory=100",
      "#mode=ratio&scenario=mixed",
      "#mode=frontier&scenario=kitchen&plan=open",
    ]) {
      await opened({ hash, dark }, async (page) => {
        await quiet(page);
        const poor = await page.evaluate(() => {
          const channels = (c) => {
            const m = /rgba?\(([^)]+)\)/.exec(c);
            const p = m ? m[1].split(/[ ,/]+/).map(Number) : [0, 0, 0, 0];
            return p.length < 4 ? [...p, 1] : p;
          };
          const srgb = (c) => {
            const m = /color\(srgb ([^)]+)\)/.exec(c);
            if (!m) return channels(c);
            const p = m[1].split(/[ /]+/).map(Number);
            return [p[0] * 255, p[1] * 255, p[2] * 255, p[3] ?? 1];
          };
          const light = ([r, g, b]) =>
            [r, g, b]
              .map((v) => v / 255)
              .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
              .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
          const behind = (e) => {
            for (let n = e; n; n = n.parentElement) {
              const c = srgb(getComputedStyle(n).backgroundColor);
              if (c[3] > 0.99) return c;
            }
            return [255, 255, 255, 1];
          };
          const bad = [];
          for (const e of document.querySelectorAll("main *, header *, #rail *")) {
            const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "");
            const box = e.getBoundingClientRect(),
              style = getComputedStyle(e);
            if (!own || box.width === 0 || style.visibility === "hidden" || e.closest("option")) continue;
            const inSvg = e instanceof SVGElement;
            if (inSvg && (e.closest(".handle") || /--bg/.test(e.getAttribute("style") ?? ""))) continue; // on a mark of its own
            const a = light(srgb(inSvg ? style.fill : style.color)),
              b = light(behind(inSvg ? e.ownerSVGElement.parentElement : e));
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (ratio < 4.5)
              bad.push(
                `${ratio.toFixed(2)} ${e.tagName}.${e.getAttribute("class") ?? ""} ${e.textContent.slice(0, 30)}`,
              );
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
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, select, [role=button], [role=slider], [tabindex='0']")]
        .filter((e) => {
          if (e.getBoundingClientRect().width === 0) return false;
          const label =
            e.getAttribute("aria-label") ??
            (e.labels?.length ? [...e.labels].map((l) => l.textContent).join(" ") : "") ??
            "";
          return (label + (e.textContent ?? "")).trim() === "";
        })
        .map((e) => e.outerHTML.slice(0, 120)),
    );
    assert.deepEqual(nameless, []);
  });
});

test(
  "the first picture comes within 0.7 s, and a slider of the ledger answers within 100 ms",
  { timeout: 60_000, skip: !process.env.TIMED },
  async () => {
    await opened({ hash: "#mode=strategies&scenario=kitchen" }, async (page) => {
      const first = await page.evaluate(() => performance.now());
      assert.ok(first < 700, `${first} ms`);
    });
  },
);

test("screenshots of each mode, in both languages and both lights", { skip: !shots, timeout: 600_000 }, async () => {
  const all = await scenarios();
  const model = all.find((s) => /gpt/i.test(s)) ?? all[all.length - 1];
  const looks = [
    ["frontier", `mode=frontier&scenario=${model}`],
    ["strategies", "mode=strategies&scenario=kitchen&memory=100&extra=60"],
    ["ratio", "mode=ratio&scenario=mixed"],
    ["plan", `mode=frontier&scenario=${model}&plan=open`],
    ["frontier-kitchen", "mode=frontier&scenario=kitchen"],
    ["ratio-model", `mode=ratio&scenario=${model}`],
    ["strategies-model", `mode=strategies&scenario=${model}`],
    ["strategies-narrow", "mode=strategies&scenario=narrow"],
    ["plan-kitchen", "mode=frontier&scenario=kitchen&plan=open"],
    ["plan-mixed", "mode=frontier&scenario=mixed&plan=open"],
  ];
  for (const [name, hash] of looks)
    for (const language of ["en", "zh"])
      for (const dark of [false, true]) {
        if (dark && language === "zh") continue;
        await opened(
          { hash: `#${hash}&lang=${language}`, dark, height: name.startsWith("plan") ? 1020 : 860 },
          async (page) => {
            await quiet(page);
            if (name.startsWith("plan")) await page.waitForSelector("#timeline");
            await page.waitForTimeout(300);
            await shot(page, `${name}-${language}${dark ? "-dark" : ""}`);
          },
        );
      }
});
