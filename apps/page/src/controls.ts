// Which controls a scenario has: their groups, ranges and units, and what stands in them. Values are in the units
// that are shown; `questions.ts` makes the question of them.

import type { Lists, Scenario, Subject } from "../contract";
import type { Mode, Setting, State } from "./state";
import { kGB, kGiB } from "./numbers";
import { clamp } from "./draw/scale";

export interface Slider {
  kind: "slider";
  key: string;
  unit: string;
  min: number;
  max: number;
  step: number;
  log?: boolean;
  decimals?: number;
  none?: "none" | "auto" | "default" | "without"; // what no value means; the slider's end is its place
  noneValue?: number | null; // what the engine takes then, in the unit
  noneAt?: "top" | "bottom";
}
export interface Choice {
  kind: "choice" | "select";
  key: string;
  options: (string | [string, string])[];
}
export interface Switch {
  kind: "switch";
  key: string;
  note: "unlimited" | "size";
  bytes?: number;
}
export type Control = Slider | Choice | Switch;
export interface Group {
  id: "limits" | "kitchen" | "dishes" | "model" | "rule" | "corridor" | "machine" | "strategies" | "weights";
  controls: Control[];
}

// What answers say about the subject, for the range of the limits.
export interface Facts {
  usable_bytes: number | null;
  budget_bytes: number | null;
  keep_peak_bytes: number | null;
  keep_step_ns: number | null;
  least_bytes: number | null;
  slowest_ns: number | null;
}
export const kNoFacts: Facts = {
  usable_bytes: null,
  budget_bytes: null,
  keep_peak_bytes: null,
  keep_step_ns: null,
  least_bytes: null,
  slowest_ns: null,
};

export const isKitchen = (subject: Subject): boolean => subject.kind === "kitchen" || subject.kind === "mixed_kitchen";
export const kDefaultHostBytes = 64 * kGiB;
export const kDefaultDiskBytes = 512 * kGiB;

// ------------------------------------------------------------------------------------------------------ defaults

type Settings = Record<string, Setting>;

function common(scenario: Scenario): Settings {
  const kitchen = isKitchen(scenario.subject);
  const { limits, lambda, parameters } = scenario;
  return {
    memory: limits.memory_bytes === null ? null : limits.memory_bytes / (kitchen ? kGB : kGiB),
    time: limits.time_ns === null ? null : limits.time_ns / (kitchen ? 1e9 : 1e6),
    extra: null,
    segments: parameters.segments,
    beta: parameters.beta,
    threshold: parameters.threshold,
    lm: lambda.memory,
    lc: lambda.compute,
    lt: lambda.transfer,
  };
}

function ofSubject(subject: Subject, lists: Lists): Settings {
  switch (subject.kind) {
    case "kitchen":
      return {
        layers: subject.layers,
        by: subject.activation_gb ? "gb" : "elements",
        a: subject.activation_gb ?? 3,
        elements: (subject.elements ?? 12.5e6) / 1e6,
        batch: subject.batch ?? 60,
        precision: String(subject.element_bytes ?? 4),
        base: subject.base_gb,
        forward: subject.forward_s,
        bandwidth: subject.bandwidth_gb_per_s,
        host: subject.host,
        disk: subject.disk ?? false,
      };
    case "mixed_kitchen":
      return {
        dishes: subject.dishes ?? 24,
        size: subject.size ?? 1,
        effort: subject.effort ?? 1,
        base: subject.base_gb ?? 12,
        bandwidth: subject.bandwidth_gb_per_s ?? 50,
        host: subject.host ?? false,
        disk: subject.disk ?? false,
      };
    case "model":
    case "file": {
      const s = subject.settings ?? {},
        tiers = subject.tiers ?? {};
      const model = subject.kind === "model" ? lists.models.find((m) => m.name === subject.model) : undefined;
      const machine = lists.machines.find((m) => m.name === subject.machine);
      return {
        layers: s.layers ?? model?.layers ?? null,
        batch: s.batch ?? 1,
        sequence: s.sequence ?? 2048,
        accumulation: s.accumulation ?? 1,
        precision: s.precision ?? "bf16",
        optimizer: s.optimizer ?? "adamw",
        attention: s.attention ?? "fused",
        loss: s.cross_entropy ?? "whole",
        lora: s.lora_rank ?? null,
        machine: subject.machine ?? "",
        out: tiers.link_out_gb_per_s ?? machine?.link_out_gb_per_s ?? null,
        in: tiers.link_in_gb_per_s ?? machine?.link_in_gb_per_s ?? null,
        host: (tiers.host_bytes ?? 0) > 0,
        disk: (tiers.disk_bytes ?? 0) > 0,
      };
    }
  }
}

export function defaultsOf(scenario: Scenario, lists: Lists): Settings {
  return { ...common(scenario), ...ofSubject(scenario.subject, lists) };
}

// What stands in a control. λc and λt follow λm until they are set by themselves.
export function valueOf(state: State, defaults: Settings, key: string): Setting {
  if (key in state.set) return state.set[key]!;
  if ((key === "lc" || key === "lt") && typeof state.set["lm"] === "number") {
    return Number((1 - state.set["lm"]).toPrecision(12));
  }
  return defaults[key] ?? null;
}

// ------------------------------------------------------------------------------------------------------- groups

const slider = (
  key: string,
  unit: string,
  min: number,
  max: number,
  step: number,
  more: Partial<Slider> = {},
): Slider => ({ kind: "slider", key, unit, min, max, step, ...more });

function roundUp(x: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(x, 1e-9)) - 1);
  return Math.ceil(x / power) * power;
}

// The ledger's time limit bounds what a strategy adds to the forward, everybody else's the whole step: two controls.
function limits(subject: Subject, facts: Facts, mode: Mode): Group {
  const kitchen = isKitchen(subject);
  const unit = kitchen ? kGB : kGiB;
  const most = Math.min(
    facts.usable_bytes ?? Infinity,
    (facts.keep_peak_bytes ?? (kitchen ? 320 * kGB : 80 * kGiB)) * 1.1,
  );
  const top = Number((kitchen ? roundUp(most / unit) : Math.floor((most / unit) * 10) / 10).toFixed(1));
  const least = Math.max(0, Math.floor(((facts.least_bytes ?? 0) / unit) * 0.9));
  const slow = facts.slowest_ns ?? (facts.keep_step_ns ?? (kitchen ? 360e9 : 2e9)) * 1.6;
  const memory = slider("memory", kitchen ? "GB" : "GiB", Math.min(least, top - 1), top, kitchen ? 1 : 0.1, {
    none: kitchen ? "none" : "default",
    noneAt: "top",
    ...(kitchen ? {} : { decimals: 1 }),
    noneValue: facts.budget_bytes !== null && !kitchen ? facts.budget_bytes / unit : null,
  });
  if (mode === "strategies") {
    const extra = kitchen
      ? slider("extra", "s", 0, 300, 1, { none: "none", noneAt: "top", decimals: 0 })
      : slider("extra", "ms", 0, roundUp(slow / 1e6), 1, { none: "none", noneAt: "top", decimals: 0 });
    return { id: "limits", controls: [memory, extra] };
  }
  const time = kitchen
    ? slider("time", "s", 0, roundUp(Math.max(slow / 1e9, 10)), 1, { none: "none", noneAt: "top", decimals: 0 })
    : slider("time", "ms", Math.floor(((facts.keep_step_ns ?? 0) / 1e6) * 0.9), roundUp(slow / 1e6), 1, {
        none: "none",
        noneAt: "top",
        decimals: 0,
      });
  return { id: "limits", controls: [memory, time] };
}

function weights(subject: Subject): Group {
  // On a model a GB weighs about as much as a hundredth of a second: only a logarithmic slider reaches it.
  const memory = isKitchen(subject)
    ? slider("lm", "", 0, 1, 0.01, { decimals: 2 })
    : slider("lm", "", 0.0001, 1, 0.0001, { log: true });
  return {
    id: "weights",
    controls: [
      memory,
      ...["lc", "lt"].map((key) => slider(key, "", 0, 1, 0.01, isKitchen(subject) ? { decimals: 2 } : {})),
    ],
  };
}

function strategies(layers: number): Group {
  return {
    id: "strategies",
    controls: [
      slider("segments", "", 1, clamp(layers, 2, 200), 1, { none: "auto", noneAt: "bottom", decimals: 0 }),
      slider("beta", "", 0, 1, 0.05, { decimals: 2 }),
      slider("threshold", "", 0, 6, 0.05, { decimals: 2 }),
    ],
  };
}

const corridor = (): Group => ({
  id: "corridor",
  controls: [
    slider("bandwidth", "GB/s", 0.5, 100, 0.01, { log: true }),
    { kind: "switch", key: "host", note: "unlimited" },
    { kind: "switch", key: "disk", note: "unlimited" },
  ],
});

function machine(subject: Subject, lists: Lists): Group {
  const tiers = subject.kind === "model" || subject.kind === "file" ? (subject.tiers ?? {}) : {};
  const controls: Control[] = [
    { kind: "select", key: "machine", options: lists.machines.map((m) => [m.name, m.title]) },
  ];
  controls.push(
    slider("out", "GB/s", 1, 1000, 0.1, { log: true }),
    slider("in", "GB/s", 1, 1000, 0.1, { log: true }),
    { kind: "switch", key: "host", note: "size", bytes: tiers.host_bytes || kDefaultHostBytes },
    { kind: "switch", key: "disk", note: "size", bytes: tiers.disk_bytes || kDefaultDiskBytes },
  );
  return { id: "machine", controls };
}

function training(own: number): Group {
  return {
    id: "model",
    controls: [
      slider("layers", "", 1, Math.max(own, 2), 1, { decimals: 0 }),
      slider("batch", "", 1, 64, 1, { log: true, decimals: 0 }),
      slider("sequence", "", 128, 16384, 128, { log: true, decimals: 0 }),
      { kind: "select", key: "precision", options: ["bf16", "bf16-mixed", "fp16-mixed", "fp32"] },
      { kind: "select", key: "optimizer", options: ["adamw", "adamw8bit", "adafactor", "momentum", "sgd", "none"] },
      { kind: "choice", key: "attention", options: ["fused", "materialised"] },
      { kind: "choice", key: "loss", options: ["whole", "chunked"] },
      slider("lora", "", 4, 256, 4, { log: true, decimals: 0, none: "without", noneAt: "bottom" }),
    ],
  };
}

function kitchen(byElements: boolean): Group {
  const size: Control[] = byElements
    ? [
        slider("elements", "M", 0.1, 1000, 0.1, { log: true }),
        slider("batch", "", 1, 1024, 1, { log: true, decimals: 0 }),
        {
          kind: "choice",
          key: "precision",
          options: [
            ["4", "fp32"],
            ["2", "bf16"],
            ["1", "fp8"],
          ],
        },
      ]
    : [slider("a", "GB", 0.1, 20, 0.1, { log: true })];
  return {
    id: "kitchen",
    controls: [
      slider("layers", "", 2, 512, 1, { log: true, decimals: 0 }),
      { kind: "choice", key: "by", options: ["gb", "elements"] },
      ...size,
      slider("base", "GB", 0, 100, 1, { decimals: 0 }),
      slider("forward", "s", 1, 600, 1, { log: true, decimals: 0 }),
    ],
  };
}

export function groupsOf(state: State, scenario: Scenario, lists: Lists, facts: Facts): Group[] {
  const subject = scenario.subject;
  const defaults = defaultsOf(scenario, lists);
  const get = (key: string) => valueOf(state, defaults, key);
  switch (subject.kind) {
    case "kitchen":
      return [
        limits(subject, facts, state.mode),
        weights(subject),
        kitchen(get("by") === "elements"),
        corridor(),
        strategies(Number(get("layers"))),
      ];
    case "mixed_kitchen":
      return [
        limits(subject, facts, state.mode),
        {
          id: "rule",
          controls: [
            slider("threshold", "", 0, 6, 0.05, { decimals: 2 }),
            { kind: "choice", key: "order", options: ["ratio", "program"] },
          ],
        },
        {
          id: "dishes",
          controls: [
            slider("dishes", "", 2, 24, 1, { decimals: 0 }),
            slider("size", "×", 0.25, 4, 0.05, { log: true }),
            slider("effort", "×", 0.25, 4, 0.05, { log: true }),
            slider("base", "GB", 0, 100, 1, { decimals: 0 }),
          ],
        },
        corridor(),
        { ...strategies(24), controls: strategies(24).controls.slice(0, 2) },
        weights(subject),
      ];
    case "model": {
      const own = lists.models.find((m) => m.name === subject.model)?.layers ?? 100;
      return [
        limits(subject, facts, state.mode),
        training(own),
        machine(subject, lists),
        strategies(Number(get("layers"))),
        weights(subject),
      ];
    }
    case "file": {
      // A file that brought its machine keeps it.
      const groups = [
        limits(subject, facts, state.mode),
        ...(subject.machine ? [machine(subject, lists)] : []),
        strategies(200),
        weights(subject),
      ];
      if (subject.settings) groups.splice(1, 0, training(Number(get("layers")) || 200));
      return groups;
    }
  }
}

// What is asked: what stands in a control, within what it can take. Links and files may say anything.
export function bounded(state: State, scenario: Scenario, lists: Lists): (key: string) => Setting {
  const defaults = defaultsOf(scenario, lists);
  const sliders = new Map<string, Slider>();
  for (const group of groupsOf({ ...state, set: {} }, scenario, lists, kNoFacts)) {
    for (const control of group.controls) if (control.kind === "slider") sliders.set(control.key, control);
  }
  return (key) => {
    const value = valueOf(state, defaults, key);
    if (typeof value !== "number") return value;
    if (key === "memory" || key === "time" || key === "extra") return clamp(value, 0, 1e6);
    const slider = sliders.get(key);
    return slider ? typed(slider, value) : value;
  };
}

// ------------------------------------------------------------------------------------------- slider and its value

const kTicks = 1000;

// Where a value stands on a slider of 0 to 1000. `null` stands at the end that means none.
export function positionOf(s: Slider, value: number | null): number {
  if (value === null) return s.none && s.noneAt === "bottom" ? 0 : kTicks;
  const x = clamp(value, s.min, s.max);
  const share = s.log ? Math.log(x / s.min) / Math.log(s.max / s.min) : (x - s.min) / (s.max - s.min || 1);
  const [low, high] = s.none ? (s.noneAt === "bottom" ? [20, kTicks] : [0, kTicks - 20]) : [0, kTicks];
  return Math.round(low + share * (high - low));
}

export function valueAt(s: Slider, position: number): number | null {
  const [low, high] = s.none ? (s.noneAt === "bottom" ? [20, kTicks] : [0, kTicks - 20]) : [0, kTicks];
  if (s.none && (s.noneAt === "bottom" ? position < low : position > high)) return null;
  const share = clamp((position - low) / (high - low), 0, 1);
  if (!s.log) return snapped(s.min + share * (s.max - s.min), s.step);
  const x = s.min * Math.exp(share * Math.log(s.max / s.min));
  const grain = 10 ** (Math.floor(Math.log10(x)) - 1); // two digits are enough for a slider
  return clamp(snapped(x, Math.max(s.step, grain)), s.min, s.max);
}

function snapped(x: number, step: number): number {
  return Number((Math.round(x / step) * step).toPrecision(10));
}

// A typed value: within what the engine takes, which may be more than the slider reaches.
export function typed(s: Slider, value: number | null): number | null {
  if (value === null) return s.none ? null : s.min;
  const low =
    s.key === "threshold" || s.key === "memory" || s.key === "time" || s.key === "extra" || s.key === "base"
      ? 0
      : s.min;
  const most = ["layers", "segments", "beta", "lm", "lc", "lt", "dishes", "memory"].includes(s.key)
    ? s.max
    : s.max * 1000;
  const bounded = clamp(value, low, most);
  return s.decimals === 0 ? Math.round(bounded) : bounded;
}
