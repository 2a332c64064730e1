import assert from "node:assert/strict";
import { test } from "node:test";
import {
  difference,
  fixed,
  kGiB,
  kKitchenUnits,
  kModelUnits,
  memory,
  memoryCell,
  parse,
  percent,
  short,
  signed,
  three,
  time,
  timeCell,
} from "./numbers";

const said = (q: { number: string; unit: string }) => `${q.number}${q.unit ? ` ${q.unit}` : ""}`;

test("three significant digits, and what stands before the point stays", () => {
  assert.equal(three(753.4), "753");
  assert.equal(three(18.14), "18.1");
  assert.equal(three(3.2), "3.20");
  assert.equal(three(0.0104), "0.0104");
  assert.equal(three(9.999), "10.0");
  assert.equal(three(99.96), "100");
  assert.equal(three(5940), "5\u2009940");
  assert.equal(three(1234567), "1\u2009234\u2009567");
  assert.equal(three(0), "0");
  assert.equal(three(NaN), "–");
  assert.equal(three(Infinity), "–");
});

test("without zeros that say nothing", () => {
  assert.equal(short(50), "50");
  assert.equal(short(0.5), "0.5");
  assert.equal(short(2.4823), "2.48");
  assert.equal(short(100), "100");
  assert.equal(short(1000), "1\u2009000");
});

test("a true minus, and a plus on every difference but nothing", () => {
  assert.equal(fixed(-3.14, 1), "\u22123.1");
  assert.equal(fixed(-0.01, 1), "0.0");
  assert.equal(signed("3.2"), "+3.2");
  assert.equal(difference(0.032), "+3.2\u00a0%");
  assert.equal(difference(-0.032), "\u22123.2\u00a0%");
  assert.equal(difference(0), "0.0\u00a0%");
  assert.equal(percent(null), "–");
});

test("sizes have one decimal, and small ones their own unit", () => {
  assert.equal(said(memory(18.14 * kGiB, kModelUnits)), "18.1 GiB");
  assert.equal(said(memory(312e9, kKitchenUnits)), "312.0 GB");
  assert.equal(said(memory(30 * 2 ** 20, kModelUnits)), "30.0 MiB");
  assert.equal(said(memory(5e6, kKitchenUnits)), "5.00 MB");
  assert.equal(said(memory(0, kModelUnits)), "0.0 GiB");
  assert.equal(said(memory(null, kModelUnits)), "–");
  assert.equal(memoryCell(1.5e9, kKitchenUnits), "1.5");
});

test("GiB is 2^30, GB is 10^9", () => {
  assert.equal(said(memory(24e9, kModelUnits)), "22.4 GiB");
  assert.equal(said(memory(24e9, kKitchenUnits)), "24.0 GB");
});

test("times in the unit that reads best", () => {
  assert.equal(said(time(753e6, kModelUnits)), "753 ms");
  assert.equal(said(time(1.283e9, kModelUnits)), "1.28 s");
  assert.equal(said(time(80e3, kModelUnits)), "80.0 µs");
  assert.equal(said(time(253.94e9, kKitchenUnits)), "253.9 s");
  assert.equal(said(time(6e9, kKitchenUnits)), "6.00 s");
  assert.equal(timeCell(1.283e9, kModelUnits), "1\u2009283");
});

test("what a person types", () => {
  assert.equal(parse("1 280"), 1280);
  assert.equal(parse("1\u2009280.5"), 1280.5);
  assert.equal(parse("18.2 GiB"), 18.2);
  assert.equal(parse("1e3"), 1000);
  assert.equal(parse("−5"), -5);
  assert.equal(parse(""), null);
  assert.equal(parse("abc"), null);
  assert.equal(parse("-"), null);
});
