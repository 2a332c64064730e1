import assert from "node:assert/strict";
import { test } from "node:test";
import { cropped } from "./frontier_frame";

const at = (peak_bytes: number, ns: number) => ({ peak_bytes, ns });

test("a view without outliers stays as it is", () => {
  const view = { from: at(10, 600), to: at(45, 820) };
  assert.deepEqual(cropped(view, [12, 20, 43], [650, 700, 720, 800], 43), view);
});

test("one plan far above does not set the scale, and keep-all comes in", () => {
  const view = { from: at(13, 4), to: at(97, 6656) };
  const seen = cropped(view, [18, 33, 81, 312], [6300, 605, 478, 388, 360, 360, 468], 312);
  assert.ok(seen.to.ns > 605 && seen.to.ns < 1000, String(seen.to.ns));
  assert.ok(seen.from.ns > 250 && seen.from.ns < 360, String(seen.from.ns));
  assert.ok(seen.to.peak_bytes > 312 && seen.to.peak_bytes < 340);
});

test("where nothing takes time the view stays", () => {
  const view = { from: at(0, 0), to: at(10, 5) };
  assert.deepEqual(cropped(view, [1, 9], [0, 0], 9), view);
});
