import assert from "node:assert/strict";
import { test } from "node:test";
import { fromFile, fromFragment, initial, languageOf, toFile, toFragment, type State } from "./state";

const start = initial("en");
const full: State = {
  ...start,
  mode: "ratio",
  language: "zh",
  scenario: "narrow",
  set: { memory: 18.2, host: false, extra: null, precision: "bf16-mixed" },
  axis: "extra_compute",
  hide: ["bound"],
  compete: ["keep_all", "hybrid"],
  chosen: "point:quick plan(3)",
  plan: true,
  order: "program",
  log: true,
  unfold: ["mlp/act", "a b"],
};

test("the fragment holds the whole state", () => {
  assert.deepEqual(fromFragment(toFragment(full), start), full);
  assert.deepEqual(fromFragment(toFragment(start), start), start);
});

test("a fragment of nonsense is the beginning", () => {
  for (const text of ["", "#", "#mode=oven&lang=tlh&axis=9", "#%E0%A4%A", "#mode", "#=&=&="])
    assert.deepEqual(fromFragment(text, start), start, text);
});

test("hostile fragments are data", () => {
  const state = fromFragment(
    `#scenario=${encodeURIComponent("<img src=x onerror=alert(1)>")}&__proto__=1&constructor=2&hide=bound evil&memory=Infinity&X=1`,
    start,
  );
  assert.equal(state.scenario, "<img src=x onerror=alert(1)>");
  assert.equal(Object.getPrototypeOf(state.set), Object.prototype);
  assert.deepEqual(state.hide, ["bound"]);
  assert.equal(state.set["memory"], "Infinity"); // no number: the question takes the default
  assert.equal("X" in state.set, false);
  assert.ok(fromFragment(`#chosen=${"x".repeat(1e5)}`, start).chosen!.length <= 200);
});

test("a saved file is the state again, with the file that it is about", () => {
  const state = { ...full, file: { name: "plan.json", text: '{"a": "</script>"}' } };
  assert.deepEqual(fromFile(toFile(state), start), state);
});

test("what is no state file is none", () => {
  for (const text of [
    "",
    "{",
    "null",
    "[]",
    "7",
    '{"format":"worktop-plan"}',
    '{"format":"worktop-page-state"}',
    '{"format":"worktop-page-state","state":7}',
  ])
    assert.equal(fromFile(text, start), null, text);
  assert.equal(fromFile('{"format":"worktop-page-state","state":"#mode=ratio","file":{"name":1}}', start)?.file, null);
});

test("the browser's first language decides", () => {
  assert.equal(languageOf(["zh-CN", "en"]), "zh");
  assert.equal(languageOf(["de", "zh"]), "en");
  assert.equal(languageOf([]), "en");
});
