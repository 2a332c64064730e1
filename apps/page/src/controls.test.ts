import assert from "node:assert/strict";
import { test } from "node:test";
import { lists } from "../test/fake_engine";
import { defaultsOf, groupsOf, kNoFacts, positionOf, typed, valueAt, valueOf, type Slider } from "./controls";
import { chosenOf, limitsOf, planOf, questionsOf, subjectOf } from "./questions";
import { initial, type State } from "./state";

const known = lists();
const scenario = (id: string) => known.scenarios.find((s) => s.id === id)!;
const state = (set: State["set"], more: Partial<State> = {}): State => ({ ...initial("en"), set, ...more });

test("a slider's ends and middle are values, and come back", () => {
  const linear: Slider = { kind: "slider", key: "k", unit: "", min: 0, max: 10, step: 1 };
  assert.equal(valueAt(linear, 0), 0);
  assert.equal(valueAt(linear, 500), 5);
  assert.equal(valueAt(linear, 1000), 10);
  const log: Slider = { ...linear, min: 1, max: 100, log: true, step: 0.1 };
  assert.equal(valueAt(log, 500), 10);
  for (const s of [linear, log]) for (const x of [1, 2, 5, 10]) assert.equal(valueAt(s, positionOf(s, x)), x);
});

test("no value has a place of its own at the slider's end", () => {
  const top: Slider = {
    kind: "slider",
    key: "memory",
    unit: "GB",
    min: 0,
    max: 100,
    step: 1,
    none: "none",
    noneAt: "top",
  };
  assert.equal(valueAt(top, 1000), null);
  assert.equal(valueAt(top, 980), 100);
  assert.equal(positionOf(top, null), 1000);
  const bottom: Slider = { ...top, noneAt: "bottom" };
  assert.equal(valueAt(bottom, 0), null);
  assert.equal(positionOf(bottom, null), 0);
  assert.equal(typed(bottom, null), null);
  assert.equal(typed({ ...bottom, decimals: 0 }, 4.6), 5);
});

test("λc and λt follow λm until they are set by themselves", () => {
  const defaults = defaultsOf(scenario("kitchen"), known);
  assert.equal(valueOf(state({}), defaults, "lc"), 0.7);
  assert.equal(valueOf(state({ lm: 0.2 }), defaults, "lc"), 0.8);
  assert.equal(valueOf(state({ lm: 0.2, lt: 0.5 }), defaults, "lt"), 0.5);
});

test("every scenario has its controls, and every control a default or none", () => {
  for (const s of known.scenarios) {
    const defaults = defaultsOf(s, known);
    const groups = groupsOf(state({}), s, known, kNoFacts);
    assert.ok(groups.length >= 5, s.id);
    for (const group of groups)
      for (const control of group.controls) {
        if (control.kind !== "slider") continue;
        assert.ok(control.min < control.max, `${s.id} ${control.key}`);
        const value = valueOf(state({}), defaults, control.key);
        assert.ok(control.none || typeof value === "number", `${s.id} ${control.key}`);
      }
  }
});

test("a kitchen is asked in GB and seconds, a model in GiB and milliseconds", () => {
  assert.deepEqual(limitsOf(state({ memory: 100, time: 60 }), scenario("kitchen"), known), {
    memory_bytes: 100e9,
    time_ns: 60e9,
  });
  assert.deepEqual(limitsOf(state({ time: 400, extra: 60 }), scenario("kitchen"), known, true), {
    memory_bytes: null,
    time_ns: 60e9,
  });
  assert.deepEqual(limitsOf(state({ memory: 18, time: 900 }), scenario("gpt-2-large"), known), {
    memory_bytes: 18 * 2 ** 30,
    time_ns: 900e6,
  });
});

test("a layer's size by elements, batch and precision", () => {
  const subject = subjectOf(
    state({ by: "elements", elements: 25, batch: 60, precision: "2" }),
    scenario("kitchen"),
    known,
  );
  assert.ok(subject.kind === "kitchen");
  assert.deepEqual(
    [subject.activation_gb, subject.elements, subject.batch, subject.element_bytes],
    [null, 25e6, 60, 2],
  );
});

test("tiers are there only when they are on", () => {
  const off = subjectOf(state({ host: false }), scenario("gpt-2-large"), known);
  assert.ok(off.kind === "model");
  assert.equal(off.tiers?.host_bytes, null);
  const on = subjectOf(state({ disk: true, out: 5 }), scenario("gpt-2-large"), known);
  assert.ok(on.kind === "model");
  assert.equal(on.tiers?.host_bytes, 64 * 2 ** 30);
  assert.ok((on.tiers?.disk_bytes ?? 0) > 0);
  assert.equal(on.tiers?.link_out_gb_per_s, 5);
  assert.equal(on.tiers?.link_in_gb_per_s, null);
});

test("what each mode asks: quick first, then normal", () => {
  const asks = (mode: State["mode"], plan = false) =>
    questionsOf(state({}, { mode, plan }), scenario("gpt-2-large"), known).map((w) => `${w.slot} ${w.effort}`);
  assert.deepEqual(asks("strategies"), ["ledger quick"]);
  assert.deepEqual(asks("ratio"), ["ratio quick", "ratio normal"]);
  assert.deepEqual(asks("frontier").slice(0, 2).sort(), ["frontier quick", "plan quick"]);
  assert.ok(asks("frontier", true).includes("timeline normal"));
});

test("settings of nonsense become defaults, not questions", () => {
  const subject = subjectOf(state({ layers: "many", bandwidth: null }), scenario("kitchen"), known);
  assert.ok(subject.kind === "kitchen");
  assert.equal(subject.layers, 100);
  assert.equal(subject.bandwidth_gb_per_s, 50);
});

test("numbers of nonsense are brought within what a control takes", () => {
  const subject = subjectOf(state({ layers: 1e300, bandwidth: 0, forward: -3 }), scenario("kitchen"), known);
  assert.ok(subject.kind === "kitchen");
  assert.deepEqual([subject.layers, subject.bandwidth_gb_per_s, subject.forward_s], [512, 0.5, 1]);
  assert.equal(limitsOf(state({ memory: -5e99 }), scenario("kitchen"), known).memory_bytes, 0);
});

test("a chosen plan can be asked for again", () => {
  for (const plan of [
    { kind: "strategy", name: "hybrid(0.5,6)" },
    { kind: "point", name: "plan(3)", points: 20, effort: "normal" },
    { kind: "point", name: "plan(3)", points: 10, effort: "quick" },
    { kind: "best" },
    { kind: "file" },
  ] as const) {
    assert.deepEqual(planOf(state({}, { chosen: chosenOf(plan) }), "quick"), plan);
  }
});
