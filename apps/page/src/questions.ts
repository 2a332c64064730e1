// From the state to the questions that the picture needs, first things first. Pure: the same state asks the same.

import type {
  Effort,
  Kitchen,
  LedgerName,
  Limits,
  Lists,
  MixedKitchen,
  PlanRef,
  Precision,
  Optimizer,
  Question,
  Scenario,
  Settings,
  Subject,
} from "../contract";
import { bounded, isKitchen, kDefaultDiskBytes, kDefaultHostBytes } from "./controls";
import { kGB, kGiB } from "./numbers";
import type { Setting, State } from "./state";

export type Slot = "ledger" | "frontier" | "plan" | "timeline" | "activations" | "ratio";
export interface Wanted {
  slot: Slot;
  question: Question;
  effort: Effort;
}

type Get = (key: string) => Setting;
const number = (value: Setting): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
const whole = (value: Setting): number | null => (number(value) === null ? null : Math.round(number(value)!));

function kitchenOf(get: Get): Kitchen {
  const elements = get("by") === "elements";
  return {
    kind: "kitchen",
    layers: whole(get("layers")) ?? 100,
    activation_gb: elements ? null : (number(get("a")) ?? 3),
    elements: elements ? Math.round((number(get("elements")) ?? 12.5) * 1e6) : null,
    batch: elements ? (whole(get("batch")) ?? 1) : null,
    element_bytes: elements ? Number(get("precision")) || 4 : null,
    base_gb: number(get("base")) ?? 0,
    forward_s: number(get("forward")) ?? 120,
    bandwidth_gb_per_s: number(get("bandwidth")) ?? 50,
    host: get("host") === true,
    disk: get("disk") === true,
  };
}

function mixedOf(get: Get): MixedKitchen {
  return {
    kind: "mixed_kitchen",
    dishes: whole(get("dishes")) ?? 24,
    size: number(get("size")) ?? 1,
    effort: number(get("effort")) ?? 1,
    base_gb: number(get("base")) ?? 12,
    bandwidth_gb_per_s: number(get("bandwidth")) ?? 50,
    host: get("host") === true,
    disk: get("disk") === true,
  };
}

function settingsOf(get: Get): Settings {
  return {
    layers: whole(get("layers")),
    batch: whole(get("batch")),
    sequence: whole(get("sequence")),
    accumulation: whole(get("accumulation")),
    precision: get("precision") as Precision,
    optimizer: get("optimizer") as Optimizer,
    attention: get("attention") as "fused",
    cross_entropy: get("loss") as "whole",
    lora_rank: whole(get("lora")),
  };
}

export function subjectOf(state: State, scenario: Scenario, lists: Lists): Subject {
  const get = bounded(state, scenario, lists);
  const subject = scenario.subject;
  if (subject.kind === "kitchen") return kitchenOf(get);
  if (subject.kind === "mixed_kitchen") return mixedOf(get);
  const own = subject.tiers ?? {};
  const tiers = {
    host_bytes: get("host") === true ? own.host_bytes || kDefaultHostBytes : null,
    disk_bytes: get("disk") === true ? own.disk_bytes || kDefaultDiskBytes : null,
    link_out_gb_per_s: "out" in state.set ? number(get("out")) : (own.link_out_gb_per_s ?? null),
    link_in_gb_per_s: "in" in state.set ? number(get("in")) : (own.link_in_gb_per_s ?? null),
  };
  const machine = String(get("machine") ?? "");
  if (subject.kind === "model")
    return { ...subject, machine: machine || subject.machine, settings: settingsOf(get), tiers };
  const asked: Subject = { kind: "file", file: subject.file, machine: machine || null };
  if (subject.settings) asked.settings = settingsOf(get);
  if (["host", "disk", "out", "in"].some((key) => key in state.set)) asked.tiers = tiers;
  return asked;
}

export function limitsOf(state: State, scenario: Scenario, lists: Lists, ofLedger = false): Limits {
  const get = bounded(state, scenario, lists);
  const kitchen = isKitchen(scenario.subject);
  const memory = number(get("memory")),
    time = number(get(ofLedger ? "extra" : "time"));
  return {
    memory_bytes: memory === null ? null : Math.round(memory * (kitchen ? kGB : kGiB)),
    time_ns: time === null ? null : Math.round(time * (kitchen ? 1e9 : 1e6)),
  };
}

// The plan that is looked at.
export const kQuickPoints = 10;
export const kPoints = 20;
export function planOf(state: State, effort: Effort): PlanRef {
  const [kind, ...rest] = (state.chosen ?? "").split(":");
  const name = rest.join(":");
  if (kind === "strategy" && name) return { kind: "strategy", name };
  if (kind === "point" && name) {
    const quick = /^quick (.*)$/.exec(name);
    return {
      kind: "point",
      name: quick?.[1] ?? name,
      points: quick ? kQuickPoints : kPoints,
      effort: quick ? "quick" : "normal",
    };
  }
  if (kind === "file") return { kind: "file" };
  void effort;
  return { kind: "best" };
}

// The name under which a frontier's point can be asked for again, whatever its effort.
export function chosenOf(plan: PlanRef): string | null {
  switch (plan.kind) {
    case "strategy":
      return `strategy:${plan.name}`;
    case "point":
      return `point:${plan.effort === "quick" ? "quick " : ""}${plan.name}`;
    case "file":
      return "file";
    case "best":
      return null;
  }
}

const kCompetitors: LedgerName[] = ["keep_all", "checkpoint", "recompute_all", "offload_all", "hybrid"];
function competing(state: State): LedgerName[] | null {
  const known = kCompetitors.filter((name) => state.compete?.includes(name));
  return known.length > 0 ? known : null;
}

export function questionsOf(
  state: State,
  scenario: Scenario,
  lists: Lists,
  extra: { measured: string[]; huge: boolean } = { measured: [], huge: false },
): Wanted[] {
  const { measured, huge } = extra;
  const get = bounded(state, scenario, lists);
  const subject = subjectOf(state, scenario, lists);
  const limits = limitsOf(state, scenario, lists);
  const lambda = {
    memory: number(get("lm")) ?? 0.5,
    compute: number(get("lc")) ?? 0.5,
    transfer: number(get("lt")) ?? 0.5,
  };
  const parameters = {
    segments: whole(get("segments")),
    beta: number(get("beta")) ?? 0.5,
    threshold: number(get("threshold")) ?? 2,
  };
  const minimize = scenario.minimize;
  const efforts: Effort[] = huge ? ["quick"] : ["quick", "normal"];
  const wanted: Wanted[] = [];
  const add = (slot: Slot, effort: Effort, question: Question) => wanted.push({ slot, question, effort });

  if (state.mode === "strategies" && !state.plan) {
    add("ledger", "quick", {
      ask: "ledger",
      subject,
      lambda,
      limits: limitsOf(state, scenario, lists, true),
      parameters,
      compete: competing(state),
    });
    return wanted;
  }
  for (const effort of efforts) {
    const asked = { subject, limits, lambda, effort };
    const plan = planOf(state, effort);
    if (state.mode === "ratio" && !state.plan) {
      add("ratio", effort, { ask: "ratio", ...asked, threshold: parameters.threshold, unfold: state.unfold });
      continue;
    }
    if (!state.plan) {
      add("frontier", effort, {
        ask: "frontier",
        ...asked,
        points: effort === "quick" ? kQuickPoints : kPoints,
        parameters,
        compete: competing(state),
        ...(measured.length > 0 ? { measured } : {}),
      });
    }
    add("plan", effort, { ask: "plan", ...asked, plan, minimize });
    if (state.plan) {
      add("timeline", effort, { ask: "timeline", ...asked, plan, minimize, columns: 1000 });
      add("activations", effort, { ask: "activations", ...asked, plan, minimize, most: 1000 });
      if (huge) continue;
      // Its prices of memory; known already where one came from the frontier.
      add("frontier", effort, {
        ask: "frontier",
        ...asked,
        points: effort === "quick" ? kQuickPoints : kPoints,
        parameters,
        compete: competing(state),
        ...(measured.length > 0 ? { measured } : {}),
      });
    }
  }
  return wanted;
}
