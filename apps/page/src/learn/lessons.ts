// What can be learnt here: the tour's stops, the misconceptions and the quiz. Each is linked to a state of the page that
// shows it. The words are in words/; the states are here, once for all languages.

import type { State } from "../state";

export type Patch = Partial<
  Pick<State, "mode" | "scenario" | "set" | "axis" | "chosen" | "plan" | "order" | "log" | "compete">
>;

const fresh: Patch = {
  set: {},
  axis: "step_time",
  chosen: null,
  plan: false,
  order: "ratio",
  log: false,
  compete: null,
};

export const kTour: Patch[] = [
  { ...fresh, mode: "strategies", scenario: "kitchen" },
  { ...fresh, mode: "strategies", scenario: "narrow", set: { lm: 0.3 } },
  { ...fresh, mode: "frontier", scenario: "narrow", set: { memory: 60 } },
  { ...fresh, mode: "frontier", scenario: "narrow", set: { memory: 60 }, plan: true },
  { ...fresh, mode: "ratio", scenario: "mixed" },
];

export interface Lesson {
  show: Patch;
}
export const kMyths: Patch[] = [
  { ...fresh, mode: "strategies", scenario: "kitchen", set: { segments: 40 } }, // larger K
  { ...fresh, mode: "strategies", scenario: "narrow", set: { lm: 0.5 } }, // offloading is always fastest
  { ...fresh, mode: "frontier", scenario: "gpt-2-large", chosen: "strategy:checkpoint_every(1)", plan: true }, // full recompute is free of memory
  { ...fresh, mode: "strategies", scenario: "narrow", set: { lm: 0.2 } }, // one best strategy
  { ...fresh, mode: "ratio", scenario: "kitchen" }, // a threshold finds the best plan
];

// The right answer of each question, by its place in the words.
export const kQuiz: { show: Patch; right: number }[] = [
  { show: { ...fresh, mode: "strategies", scenario: "kitchen", set: { segments: 40 } }, right: 1 },
  { show: { ...fresh, mode: "strategies", scenario: "narrow", set: { lm: 0.2 } }, right: 0 },
  { show: { ...fresh, mode: "strategies", scenario: "kitchen" }, right: 2 },
  { show: { ...fresh, mode: "ratio", scenario: "kitchen" }, right: 1 },
  {
    show: { ...fresh, mode: "frontier", scenario: "gpt-2-large", chosen: "strategy:checkpoint_every(1)", plan: true },
    right: 2,
  },
];
