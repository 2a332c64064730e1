// What every part of the picture is given: the state, the words, the last good answers, and how to change the state.

import type {
  ActivationsAnswer,
  Effort,
  FrontierAnswer,
  LedgerAnswer,
  Lists,
  PlanAnswer,
  Question,
  RatioAnswer,
  Scenario,
  TimelineAnswer,
  PlanRef,
} from "../contract";
import type { Tip } from "./tip";
import type { Units } from "./numbers";
import type { State } from "./state";
import type { Words } from "./words/en";
import { h, type Attributes } from "./dom";

export interface Held<A> {
  answer: A;
  question: Question;
  effort: Effort;
  ms: number | null;
}
export interface Answers {
  ledger: Held<LedgerAnswer> | null;
  frontier: Held<FrontierAnswer> | null;
  plan: Held<PlanAnswer> | null;
  timeline: Held<TimelineAnswer> | null;
  activations: Held<ActivationsAnswer> | null;
  ratio: Held<RatioAnswer> | null;
}

export interface Context {
  state: State;
  words: Words;
  units: Units;
  kitchen: boolean;
  lists: Lists;
  scenario: Scenario;
  answers: Answers;
  tip: Tip;
  width: number;
  narrow: boolean;
  held: boolean;
  change(patch: Partial<State>): void;
  set(values: Record<string, State["set"][string] | undefined>, held?: boolean): void;
  choose(plan: PlanRef | null): void;
  save(what: "plan" | "trace" | "png" | "state"): void;
}

// Whether the plan that is shown, which may be older than the state, is the best one and not one that was chosen.
export function isBest(context: Context): boolean {
  const question = context.answers.plan?.question;
  return question?.ask === "plan" && question.plan.kind === "best";
}

// Names of kitchens are words of the language; all others are the program's own.
export const said = (name: string, context: Context): string => (context.kitchen ? context.words.nameOf(name) : name);

// Parts that several modes have.

export function segments<T extends string>(
  options: { value: T; text: string }[],
  value: T,
  label: string,
  choose: (value: T) => void,
): HTMLElement {
  return h(
    "div",
    { class: "segments", role: "group", "aria-label": label },
    options.map((option) =>
      h(
        "button",
        {
          type: "button",
          "aria-pressed": String(option.value === value),
          onclick: () => choose(option.value),
          "data-focus": `${label}/${option.value}`,
        },
        option.text,
      ),
    ),
  );
}

export function checkBox(
  text: string,
  checked: boolean,
  change: (checked: boolean) => void,
  more: Attributes = {},
  after?: Node,
): HTMLElement {
  const box = h("input", {
    type: "checkbox",
    class: "box",
    "data-focus": `check/${text}`,
    ...more,
  }) as HTMLInputElement;
  box.checked = checked;
  box.addEventListener("change", () => change(box.checked));
  return h("label", { class: "check" }, box, text, after);
}

export function shown(context: Context, what: string): boolean {
  return !context.state.hide.includes(what);
}

export function toggle(context: Context, what: string): (on: boolean) => void {
  return (on) =>
    context.change({ hide: on ? context.state.hide.filter((w) => w !== what) : [...context.state.hide, what] });
}

export function button(text: string, act: () => void, primary = false, more: Attributes = {}): HTMLButtonElement {
  return h(
    "button",
    {
      type: "button",
      class: primary ? "button primary" : "button",
      onclick: act,
      "data-focus": `button/${text}`,
      ...more,
    },
    text,
  );
}
