// A stand-in for the engine: plausible answers in the contract's shape, for tests of what draws and asks. Its numbers mean
// nothing. The page that is shipped never sees it.

import type {
  ActivationRow,
  ActivationsAnswer,
  At,
  Axis,
  Fate,
  FrontierAnswer,
  FrontierQuestion,
  Lambda,
  Lists,
  PlanAnswer,
  PlanPoint,
  PlanRef,
  Question,
  RatioAnswer,
  RatioQuestion,
  RatioRow,
  Scenario,
  Subject,
  TimelineAnswer,
} from "../contract";
import { ledger } from "./fake_ledger";

const kGiB = 2 ** 30;
export const kitchen = (bandwidth: number): Subject => ({
  kind: "kitchen",
  layers: 100,
  activation_gb: 3,
  base_gb: 12,
  forward_s: 120,
  bandwidth_gb_per_s: bandwidth,
  host: true,
});
const scenario = (id: string, title: string, subject: Subject, lambda: Lambda): Scenario => ({
  id,
  title,
  subject,
  limits: { memory_bytes: null, time_ns: null },
  lambda,
  parameters: { segments: subject.kind === "kitchen" ? 10 : null, beta: 0.5, threshold: 2 },
  minimize: "time",
});
export const third: Lambda = { memory: 0.3, compute: 0.7, transfer: 0.7 };

export function lists(): Lists {
  return {
    format: "worktop-page-lists",
    version: 1,
    scenarios: [
      scenario("kitchen", "Kitchen", kitchen(50), third),
      scenario("narrow", "Kitchen with a narrow corridor", kitchen(2), third),
      scenario("mixed", "Mixed kitchen", { kind: "mixed_kitchen" }, third),
      scenario(
        "gpt-2-large",
        "GPT-2 Large",
        {
          kind: "model",
          model: "gpt-2-774m-large",
          machine: "rtx-4090-24gb",
          settings: { batch: 12, sequence: 1024 },
          tiers: { host_bytes: 64 * kGiB },
        },
        { memory: 0.01, compute: 0.99, transfer: 0.99 },
      ),
    ],
    models: [
      { name: "gpt-2-774m-large", title: "GPT-2 Large", parameters: 774e6, layers: 36, hidden: 1280, positions: 1024 },
    ],
    machines: [
      {
        name: "rtx-4090-24gb",
        title: "NVIDIA RTX 4090, 24 GB",
        kind: "gpu",
        usable_bytes: 23.6 * kGiB,
        default_budget_bytes: 22 * kGiB,
        link_out_gb_per_s: 24.8,
        link_in_gb_per_s: 13,
      },
    ],
  };
}

// -------------------------------------------------------------------------------------------------------- points

const unit = (subject: Subject) =>
  subject.kind === "kitchen" || subject.kind === "mixed_kitchen"
    ? { bytes: 1e10, ns: 200e9 }
    : { bytes: kGiB, ns: 0.73e9 };

export function point(
  subject: Subject,
  name: string,
  plan: PlanRef,
  x: number,
  slower: number,
  fate: PlanPoint["main_fate"],
  limit: number,
): PlanPoint {
  const { bytes, ns } = unit(subject),
    peak = Math.round(x * bytes),
    step = Math.round(ns * (1 + slower));
  const part = (f: Fate, share: number, extra: number) => ({
    fate: f,
    count: Math.round(144 * share),
    bytes: Math.round(16.9 * bytes * share),
    share,
    ns: Math.round(extra),
  });
  const shares =
    fate === "keep"
      ? [part("keep", 1, 0)]
      : [part("keep", 0.36, 0), part("recompute", 0.34, step * 0.03), part("offload_host", 0.3, step * 0.005)];
  return {
    name,
    plan,
    family: name.split("(")[0]!,
    competes: true,
    main_fate: fate,
    peak_bytes: peak,
    step_ns: step,
    host_peak_bytes: 5 * bytes,
    disk_peak_bytes: 0,
    recompute_ns: Math.round(ns * slower * 0.8),
    link_busy_ns: Math.round(ns * 0.3),
    stalled_ns: Math.round(step * 0.005),
    tokens_per_s: 16000,
    cost: 0.9 + slower,
    over_keep_all: slower,
    over_keep_all_ns: ns * slower,
    gap: slower * 0.1,
    r_mem: 0.6,
    r_mem_total: 0.4,
    r_cost: slower * 3,
    fits: peak <= limit,
    over_bytes: Math.max(0, peak - limit),
    over_ns: 0,
    on_frontier: plan.kind === "point",
    price_ns_per_gib: Math.round(ns * 0.0044),
    fates: shares,
  };
}

const limitOf = (subject: Subject, asked: number | null) => asked ?? (subject.kind === "model" ? 18.2 * kGiB : 250e9);

function axis(subject: Subject, points: PlanPoint[], ns: (p: PlanPoint) => number): Axis {
  const u = unit(subject),
    line: At[] = points.map((p) => ({ peak_bytes: p.peak_bytes, ns: ns(p) }));
  const tall = Math.max(...line.map((a) => a.ns)),
    low = Math.min(...line.map((a) => a.ns));
  const view = {
    from: { peak_bytes: 11 * u.bytes, ns: Math.round(low - (tall - low) * 0.15) },
    to: { peak_bytes: 30 * u.bytes, ns: Math.round(tall + (tall - low) * 0.8) },
  };
  const iso = (shift: number) => ({
    cost: 0.94 + shift,
    from: { peak_bytes: 11 * u.bytes, ns: tall * (1 + shift / 3) },
    to: { peak_bytes: 30 * u.bytes, ns: low * (0.9 + shift / 3) },
    through: null,
  });
  return {
    view,
    line: points.map((p) => p.name),
    line_at: line,
    dominated: [
      { peak_bytes: line[0]!.peak_bytes, ns: view.to.ns },
      ...line,
      { peak_bytes: view.to.peak_bytes, ns: line[line.length - 1]!.ns },
    ],
    bound: line.map((a) => ({ peak_bytes: a.peak_bytes, ns: a.ns - (tall - low) * 0.04 })),
    iso_cost: [iso(0), iso(0.3)],
    best: null,
  };
}

function strategies(subject: Subject, limit: number): PlanPoint[] {
  const s = (name: string, x: number, slower: number, fate: PlanPoint["main_fate"]) =>
    point(subject, name, { kind: "strategy", name }, x, slower, fate, limit);
  return [
    s("keep_all", 28.7, 0, "keep"),
    s("checkpoint(6)", 12.5, 0.25, "recompute"),
    s("checkpoint_every(1)", 13.1, 0.215, "recompute"),
    s("recompute_all", 10.1, 5.2, "recompute"),
    s("offload_all", 23.8, 1.94, "offload"),
    s("hybrid(0.5,6)", 16.1, 0.75, "hybrid"),
    s("ratio(2)", 22.5, 0.023, "recompute"),
    s("save_matmuls", 24.5, 0.088, "recompute"),
  ];
}

function frontier(q: FrontierQuestion): FrontierAnswer {
  const limit = limitOf(q.subject, q.limits.memory_bytes),
    n = q.points;
  const points = Array.from({ length: n }, (_, i) => {
    const x = 12.3 + (11.4 * i) / (n - 1),
      slower = 0.139 * ((n - 1 - i) / (n - 1)) ** 2;
    const name = `plan(${i + 1})`;
    return point(q.subject, name, { kind: "point", name, points: n, effort: q.effort }, x, slower, "hybrid", limit);
  });
  const chosen = [...points].reverse().find((p) => p.fits) ?? null;
  return {
    format: "worktop-page-frontier",
    version: 1,
    graph: "g",
    machine: "m",
    effort: q.effort,
    budget: { memory_bytes: limit, asked: true, usable_bytes: 23.6 * kGiB, time_ns: q.limits.time_ns },
    points,
    strategies: strategies(q.subject, limit),
    keep_all: strategies(q.subject, limit)[0]!,
    picks: { least_memory: "plan(1)", balanced: `plan(${Math.ceil(n / 2)})`, fastest: `plan(${n})` },
    chosen: chosen?.name ?? null,
    least_possible_bytes: 12 * unit(q.subject).bytes,
    bound_ns: unit(q.subject).ns,
    axes: {
      step_time: axis(q.subject, points, (p) => p.step_ns),
      extra_compute: axis(q.subject, points, (p) => p.recompute_ns),
      extra_transfer: axis(q.subject, points, (p) => p.link_busy_ns),
    },
    measured: [],
    stopped: false,
  };
}

function chosenPoint(subject: Subject, ref: PlanRef, limit: number): PlanPoint {
  if (ref.kind === "strategy")
    return strategies(subject, limit).find((s) => s.name === ref.name) ?? strategies(subject, limit)[0]!;
  return point(subject, "plan", ref, Math.min(23, limit / unit(subject).bytes - 0.05), 0.032, "hybrid", limit);
}

function plan(q: Question & { ask: "plan" }): PlanAnswer {
  const u = unit(q.subject),
    limit = limitOf(q.subject, q.limits.memory_bytes),
    best = chosenPoint(q.subject, q.plan, limit),
    found = limit > 12 * u.bytes;
  return {
    format: "worktop-page-plan",
    version: 1,
    graph: "g",
    machine: "m",
    effort: q.effort,
    budget: {
      memory_bytes: limit,
      asked: true,
      usable_bytes: 23.6 * kGiB,
      context_bytes: 0,
      margin_bytes: 0,
      host_bytes: 64 * kGiB,
      disk_bytes: null,
      time_ns: q.limits.time_ns,
    },
    found,
    plan: best,
    bound_ns: u.ns,
    least_possible_bytes: 12.1 * u.bytes,
    least_feasible_bytes: 12.3 * u.bytes,
    keep_all: { peak_bytes: 28.7 * u.bytes, step_ns: u.ns, fits: false },
    activations: { count: 288, bytes: 16.9 * u.bytes },
    usual: { name: "checkpoint_every(1)", step_ns: u.ns * 1.2, slower_ns: u.ns * 0.18, fits: true },
    residents: { weights: 1, gradients: 1, optimizer_states: 1, activations: 1, workspace: 1, other: 1 },
    peak_op: "loss/log_softmax",
    at_peak: [
      { label: "mlp/fc_1", kind: "activations", count: 36, bytes: 3 * u.bytes, why: "kept for a later op" },
      { label: "loss", kind: "other", count: 1, bytes: 2.3 * u.bytes, why: "held by the program" },
    ],
    attack: [],
    reasons: [],
    changes: [
      { name: "batch 6", how: "--batch 6", fits: true, step_ns: u.ns / 2, tokens_per_s: 1, least_feasible_bytes: 1 },
    ],
    stopped: false,
  };
}

function timeline(q: Question & { ask: "timeline" }): TimelineAnswer {
  const u = unit(q.subject),
    shown = u.ns,
    n = 200,
    at = Array.from({ length: n }, (_, i) => Math.round((shown * i) / n));
  const ramp = (i: number) => (i < 60 ? i / 60 : Math.max(0, 1 - (i - 60) / 130)),
    b = (x: number) => Math.round(x * u.bytes);
  const layers: TimelineAnswer["layers"] = [
    "optimizer_states",
    "gradients",
    "weights",
    "workspace_and_other",
    "kept",
    "passing",
    "copies",
    "recomputed",
  ];
  const bytes = [
    at.map(() => b(5.76)),
    at.map(() => b(1.44)),
    at.map(() => b(1.44)),
    at.map(() => b(0.87)),
    at.map((_, i) => b(6.09 * ramp(i))),
    at.map((_, i) => b(i >= 60 && i < 75 ? 2.3 : 0)),
    at.map((_, i) => b(i % 4 ? 0.12 : 0.05)),
    at.map((_, i) => b(i > 80 && i % 5 === 0 ? 0.3 : 0)),
  ];
  const device = at.map((_, i) => bytes.reduce((sum, row) => sum + row[i]!, 0)),
    column = device.indexOf(Math.max(...device)),
    host = at.map((_, i) => b(5 * ramp(i)));
  const spans = (kind: "copy_out" | "copy_in", from: number, to: number) =>
    Array.from({ length: 30 }, (_, i) => ({
      from_ns: shown * (from + (i / 30) * (to - from)),
      to_ns: shown * (from + ((i + 0.7) / 30) * (to - from)),
      kind,
      label: `block.${i}/mlp/fc_1`,
      count: 1,
      why: "",
    }));
  return {
    format: "worktop-page-timeline",
    version: 1,
    name: "plan",
    step_ns: shown,
    micro_steps: 1,
    shown_ns: shown,
    phases: [
      { phase: "forward", from_ns: 0, to_ns: shown * 0.32 },
      { phase: "backward", from_ns: shown * 0.32, to_ns: shown * 0.97 },
      { phase: "optimizer", from_ns: shown * 0.97, to_ns: shown },
    ],
    layers,
    at_ns: at,
    bytes,
    device_bytes: device,
    host_bytes: host,
    disk_bytes: at.map(() => 0),
    host_peak_bytes: b(5),
    disk_peak_bytes: 0,
    limit_bytes: limitOf(q.subject, q.limits.memory_bytes),
    peak: {
      at_ns: at[column]!,
      bytes: device[column]!,
      op: "loss/log_softmax",
      column,
      layers: bytes.map((row) => row[column]!),
      groups: [{ label: "mlp/fc_1", kind: "activations", count: 36, bytes: b(3), why: "kept for a later op" }],
    },
    lanes: [
      {
        lane: "compute",
        name: "compute",
        link: null,
        busy_ns: shown,
        busy_share: 0.98,
        recompute_ns: shown * 0.026,
        spans: [
          { from_ns: 0, to_ns: shown * 0.32, kind: "forward", label: "block.3", count: 80, why: "" },
          { from_ns: shown * 0.32, to_ns: shown * 0.9, kind: "backward", label: "block.3", count: 80, why: "" },
          { from_ns: shown * 0.5, to_ns: shown * 0.51, kind: "recompute", label: "gelu", count: 1, why: "" },
        ],
      },
      {
        lane: "copy",
        name: "device to host",
        link: { from: "device", to: "host", gb_per_s: 24.8 },
        busy_ns: 1,
        busy_share: 0.29,
        recompute_ns: 0,
        spans: spans("copy_out", 0, 0.3),
      },
      {
        lane: "copy",
        name: "host to device",
        link: { from: "host", to: "device", gb_per_s: 13 },
        busy_ns: 1,
        busy_share: 0.55,
        recompute_ns: 0,
        spans: spans("copy_in", 0.38, 0.98),
      },
      {
        lane: "stall",
        name: "stalls",
        link: null,
        busy_ns: shown * 0.005,
        busy_share: 0.005,
        recompute_ns: 0,
        spans: [
          {
            from_ns: shown * 0.37,
            to_ns: shown * 0.376,
            kind: "stall",
            label: "block.35/mlp/fc_1",
            count: 1,
            why: "comes back late",
          },
        ],
      },
    ],
    events: 900,
  };
}

function activations(q: Question & { ask: "activations" }): ActivationsAnswer {
  const u = unit(q.subject),
    names = ["mlp/fc_1", "mlp/gelu", "attn/qkv", "add_2", "ln_1"],
    fates: Fate[] = ["offload_host", "recompute", "keep", "keep", "recompute"];
  const rows: ActivationRow[] = Array.from({ length: 180 }, (_, i) => {
    const k = Math.floor(i / 36),
      block = i % 36,
      from = u.ns * 0.32 * (block / 36),
      to = u.ns * (0.97 - 0.6 * (block / 36)),
      fate = fates[k]!;
    return {
      name: `block.${block}/${names[k]}`,
      label: names[k]!,
      block: `block.${block}`,
      op_kind: "gemm",
      bytes: Math.round((120 - k * 20) * 2 ** 20),
      fate,
      because: fate === "keep" ? "poor_exchange" : fate === "recompute" ? "cheaper_recompute" : "hides",
      reason: "r",
      recompute_ns: k === 3 ? null : 1.5e6 / (k + 1),
      reload_ns: 9e6,
      lifetime:
        fate === "keep"
          ? [{ from_ns: from, to_ns: to, where: "device" }]
          : [
              { from_ns: from, to_ns: from + u.ns * 0.01, where: "device" },
              { from_ns: from + u.ns * 0.01, to_ns: to, where: fate === "recompute" ? "gone" : "away" },
              { from_ns: to, to_ns: to + u.ns * 0.01, where: "device" },
            ],
      at_peak: true,
    };
  });
  return {
    format: "worktop-page-activations",
    version: 1,
    name: "plan",
    step_ns: u.ns,
    shown_ns: u.ns,
    peak_ns: u.ns * 0.3,
    count: 288,
    bytes: 16.9 * u.bytes,
    fates: chosenPoint(q.subject, q.plan, 20 * u.bytes).fates,
    rows,
  };
}

function ratio(q: RatioQuestion): RatioAnswer {
  const u = unit(q.subject),
    names = [
      "bean sprouts",
      "spring onion",
      "chopped greens",
      "dumpling skins",
      "tofu cubes",
      "sliced ginger",
      "mushrooms",
      "dough",
      "minced garlic",
      "filling",
      "marinade",
      "noodles",
      "soup",
      "rice",
      "egg drop",
      "pancakes",
      "sesame paste",
      "stock",
      "steamed fish",
      "congee",
      "fried eggplant",
      "chilli oil",
      "braised pork",
      "roast duck",
    ];
  const rows: RatioRow[] = names.map((label, i) => {
    const r = 4.88 * 0.9 ** i,
      rule = r > q.threshold ? "recompute" : "keep",
      solver: Fate = i < 9 || i === 10 ? "recompute" : "keep";
    return {
      label,
      op_kind: "dish",
      block: label,
      count: 1,
      bytes: Math.round((1 + (i % 5)) * 0.1 * u.bytes),
      recompute_ns: Math.round(u.ns * 0.004 * (i + 1)),
      ratio: r,
      rule,
      solver,
      solver_recomputes: solver === "recompute" ? 1 : 0,
      differs: solver !== rule,
      members: [],
    };
  });
  const curve = Array.from({ length: 20 }, (_, i) => ({
    threshold: i * 0.27,
    step_ns: u.ns * (1.3 - 0.27 * Math.min(1, i / 9)),
    peak_bytes: (2 + Math.min(10, i) * 0.9) * u.bytes,
    fits: i < 8,
    recompute_ns: 0,
  }));
  const rule = point(
    q.subject,
    `ratio(${q.threshold})`,
    { kind: "strategy", name: `ratio(${q.threshold})` },
    8.66,
    0.042,
    "recompute",
    9.1 * u.bytes,
  );
  return {
    format: "worktop-page-ratio",
    version: 1,
    graph: "g",
    machine: "m",
    effort: q.effort,
    average_bytes_per_ns: 1,
    threshold: q.threshold,
    rows,
    recomputed: { rows: rows.filter((r) => r.rule === "recompute").length, values: 10, bytes: 1 },
    rule,
    curve,
    best: { threshold: 2, from: 1.9, to: 2.1, step_ns: rule.step_ns, peak_bytes: rule.peak_bytes },
    is_best: q.threshold === 2,
    solver: point(q.subject, "plan", { kind: "best" }, 9.08, 0.036, "recompute", 9.1 * u.bytes),
    differs: ["filling", "marinade"],
    keep_all: { peak_bytes: 14 * u.bytes, step_ns: u.ns },
    limit_bytes: 9.1 * u.bytes,
  };
}

export function answer(q: Question): unknown {
  switch (q.ask) {
    case "lists":
      return lists();
    case "ledger":
      return ledger(q);
    case "frontier":
      return frontier(q);
    case "plan":
      return plan(q);
    case "timeline":
      return timeline(q);
    case "activations":
      return activations(q);
    case "ratio":
      return ratio(q);
    default:
      return { error: { code: "input", what: `${q.ask} has no answer here`, where: "", hint: "" } };
  }
}
