import assert from "node:assert/strict";
import { test } from "node:test";
import { boxAt, overlap, place, spread } from "./labels";
import { linear, logarithmic, niceStep } from "./scale";
import { besides } from "../tip";

test("scales go there and back", () => {
  const x = linear(10, 30, 0, 200),
    y = logarithmic(0.5, 100, 300, 0);
  assert.equal(x.at(20), 100);
  assert.equal(x.value(100), 20);
  assert.ok(Math.abs(y.value(y.at(7)) - 7) < 1e-9);
  assert.equal(y.at(0.5), 300);
});

test("ticks are 1, 2, 2.5 or 5 times a power of ten, and not too many", () => {
  assert.equal(niceStep(100, 5), 20);
  assert.equal(niceStep(100, 4), 25);
  assert.deepEqual(linear(0, 312, 0, 1).ticks(4), [0, 100, 200, 300]);
  assert.deepEqual(linear(0, 0.3, 0, 1).ticks(3), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(logarithmic(0.5, 100, 0, 1).ticks(9), [0.5, 1, 2, 5, 10, 20, 50, 100]);
  assert.deepEqual(logarithmic(0.001, 1000, 0, 1).ticks(8), [0.001, 0.01, 0.1, 1, 10, 100, 1000]);
  assert.ok(linear(5, 5, 0, 1).ticks(5).length <= 6);
});

const bounds = { x: 0, y: 0, w: 100, h: 100 };
test("a label goes right, else left, and never onto another", () => {
  const wish = { x: 50, y: 50, w: 20, h: 10, gap: 5 };
  const [first, second, third] = place([wish, wish, wish], [], bounds);
  assert.equal(first?.side, "right");
  assert.equal(second?.side, "left");
  assert.equal(third?.side, "above");
  assert.ok(!overlap(first!, second!));
});
test("a label that fits nowhere is left out, unless it must be there", () => {
  const wish = { x: 50, y: 50, w: 20, h: 10, gap: 5 };
  assert.deepEqual(place([wish], [bounds], bounds), [null]);
  assert.equal(place([{ ...wish, must: true }], [bounds], bounds)[0]?.side, "right");
  assert.deepEqual(place([{ ...wish, w: 200 }], [], bounds), [null]);
  assert.equal(boxAt(wish, "below").y, 55);
});

test("rows are spread without overlapping and stay within", () => {
  assert.deepEqual(spread([10, 12, 50], 10, 0, 100), [10, 20, 50]);
  assert.deepEqual(spread([95, 96, 97], 10, 0, 100), [70, 80, 90]);
  assert.deepEqual(spread([], 10, 0, 100), []);
});

test("the tooltip is beside its point, never over it, and inside the window", () => {
  const window = { w: 400, h: 800 };
  for (const spot of [
    { left: 0, top: 0, right: 10, bottom: 10 },
    { left: 390, top: 790, right: 400, bottom: 800 },
    { left: 195, top: 400, right: 205, bottom: 410 },
  ]) {
    const at = besides(spot, 300, 150, window);
    assert.ok(at.x >= 0 && at.x + 300 <= window.w && at.y >= 0 && at.y + 150 <= window.h, JSON.stringify(at));
    assert.ok(!overlap({ x: at.x, y: at.y, w: 300, h: 150 }, { x: spot.left, y: spot.top, w: 10, h: 10 }));
  }
});
