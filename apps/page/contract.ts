// What the page asks the engine, and what it answers: one type for each question and each answer.
//
// A question is one JSON object, {"ask": ..., ...}; its answer is one JSON object too, or {"error": ...}. The same
// question has the same answer, byte for byte, in the page and natively, whatever was asked before; but for
// files, which are opened first (`open`) and are then known by their id until the engine is started anew.
//
// Units: *_bytes and *_ns are whole numbers (bytes, nanoseconds); *_gb is 10^9 bytes, *_s seconds; shares are 0 to
// 1; ratios have no unit. null: there is none. Every quantity that the page shows is a field of an answer.
// docs/schema/page.schema.json says the same of the answers; a test compares the two.

// ---------------------------------------------------------------------------------------------- what is asked about

/** L equal layers: the kitchen, and with 2 GB/s the narrow corridor. */
export interface Kitchen {
  kind: "kitchen";
  layers: number;                 // 1 to 1,000,000; beyond 512 nothing is simulated
  activation_gb?: number | null;  // a, of one layer; or by the next three
  elements?: number | null;       // output elements of one layer
  batch?: number | null;
  element_bytes?: number | null;  // of the precision: 4, 2, 1
  base_gb: number;
  forward_s: number;
  bandwidth_gb_per_s: number;
  host: boolean;                  // whether there is a host tier to offload to
  disk?: boolean;                 // and a disk behind the host, a tenth as fast
}

/** Named dishes of different size and effort. */
export interface MixedKitchen {
  kind: "mixed_kitchen";
  dishes?: number;                // the first so many (24)
  size?: number;                  // times each dish's bytes (1)
  effort?: number;                // times each dish's time (1)
  base_gb?: number;               // (12)
  bandwidth_gb_per_s?: number;    // (50)
  host?: boolean;                 // (false)
  disk?: boolean;
}

/** A model that is known by name, on a machine that is known by name. What is left out or null has its default. */
export interface Model {
  kind: "model";
  model: string;
  machine: string;
  settings?: Settings;
  tiers?: Tiers;
}
export interface Settings {
  layers?: number | null;         // instead of the model's own
  batch?: number | null;          // sequences in one micro-step (1)
  sequence?: number | null;       // tokens in one (2048)
  accumulation?: number | null;   // micro-steps in a step (1)
  precision?: Precision | null;   // ("bf16")
  optimizer?: Optimizer | null;   // ("adamw")
  attention?: "fused" | "materialised" | null;
  cross_entropy?: "whole" | "chunked" | null;
  lora_rank?: number | null;      // null: every parameter is trained
}
export type Precision = "fp32" | "bf16-mixed" | "fp16-mixed" | "bf16";
export type Optimizer = "none" | "sgd" | "momentum" | "adamw" | "adamw8bit" | "adafactor";
/** The lower tiers, and the link to the host. A tier without bytes is absent. */
export interface Tiers {
  host_bytes?: number | null;
  disk_bytes?: number | null;
  link_out_gb_per_s?: number | null;  // instead of the machine's own
  link_in_gb_per_s?: number | null;
}

/** What a file brought: see `open`. */
export interface Opened {
  kind: "file";
  file: string;                   // its id
  machine?: string | null;        // for a file that has none
  settings?: Settings;            // for a config.json
  tiers?: Tiers;                  // where left out: as in the file
}

export type Subject = Kitchen | MixedKitchen | Model | Opened;

export type Effort = "quick" | "normal" | "deep";
export type Fate = "keep" | "recompute" | "offload_host" | "offload_disk";
export type Resident = "weights" | "gradients" | "optimizer_states" | "activations" | "workspace" | "other";

/** What a memory weight of a GB, a second of recompute and a second of a busy link cost; each from 0. */
export interface Lambda { memory: number; compute: number; transfer: number }
/** null: no limit of one's own. Without a memory limit the machine's default budget holds. */
export interface Limits { memory_bytes: number | null; time_ns: number | null }

/** What the strategies of one's own are made of; null: as many segments as the square root of the layers. */
export interface Parameters { segments: number | null; beta: number; threshold: number }

/** Which plan. An answer that shows a plan says how to ask for it. */
export type PlanRef =
  | { kind: "best" }                                                 // within the limits
  | { kind: "strategy"; name: string }                               // "checkpoint(8)"
  | { kind: "point"; name: string; points: number; effort: Effort }  // of the frontier
  | { kind: "file" };                                                // that came with the file

// ------------------------------------------------------------------------------------------------------- questions

export type Question =
  | ListsQuestion | OpenQuestion | LedgerQuestion | FrontierQuestion | PlanQuestion | TimelineQuestion
  | ActivationsQuestion | RatioQuestion | PlanFileQuestion | TraceQuestion;

export interface ListsQuestion { ask: "lists" }
export interface OpenQuestion { ask: "open"; id: string; name: string; text: string }
export interface LedgerQuestion {
  ask: "ledger";
  subject: Subject;               // of a model the kitchen is derived, and stands in the answer
  lambda: Lambda;                 // each from 0 to 1
  limits: Limits;                 // the time limit bounds what is added to the forward
  parameters: Parameters;         // segments null: the best K
  compete: LedgerName[] | null;   // null: keep_all, checkpoint, offload_all
  map?: boolean;                  // whether the map of winners is wanted (true)
  curve?: boolean;                // whether the curve over K is wanted (true)
}
interface Asked { subject: Subject; limits: Limits; lambda: Lambda; effort: Effort }
export interface FrontierQuestion extends Asked {
  ask: "frontier";
  points: number;                 // budgets that are planned, 2 to 100
  parameters: Parameters;
  compete: string[] | null;       // families of strategies that may be the best of an iso-cost line; null: all
  measured?: string[];            // ids of opened measurements to be shown beside it
}
export interface PlanQuestion extends Asked { ask: "plan"; plan: PlanRef; minimize: "time" | "peak" | "cost" }
export interface TimelineQuestion extends Asked {
  ask: "timeline"; plan: PlanRef; minimize: "time" | "peak" | "cost";
  columns?: number;               // at most so many columns of memory and spans in a lane, 16 to 4,000 (1,000)
}
export interface ActivationsQuestion extends Asked {
  ask: "activations"; plan: PlanRef; minimize: "time" | "peak" | "cost";
  most?: number;                  // rows, largest first (1,000)
}
export interface RatioQuestion extends Asked {
  ask: "ratio";
  threshold: number;
  unfold?: string[];              // labels of groups whose members are wanted
}
/** The answer is the file: a plan.json; a trace for Perfetto. */
export interface PlanFileQuestion extends Asked { ask: "plan_file"; plan: PlanRef; minimize: "time" | "peak" | "cost" }
export interface TraceQuestion extends Asked { ask: "trace"; plan: PlanRef; minimize: "time" | "peak" | "cost" }

// --------------------------------------------------------------------------------------------------------- answers

export interface Failure { error: { code: string; what: string; where: string; hint: string } }

/** What there is to choose from. */
export interface Lists {
  format: "worktop-page-lists"; version: 1;
  scenarios: Scenario[];
  models: { name: string; title: string; parameters: number; layers: number; hidden: number; positions: number }[];
  machines: {
    name: string; title: string; kind: string;
    usable_bytes: number; default_budget_bytes: number;
    link_out_gb_per_s: number | null; link_in_gb_per_s: number | null;
  }[];
}
export interface Scenario {
  id: string;                     // "kitchen", "narrow", "mixed", "gpt-2-large", ...
  title: string;                  // in English: a name, not a sentence
  subject: Subject;
  limits: Limits;
  lambda: Lambda;
  parameters: Parameters;
  minimize: "time" | "peak" | "cost";
}

/** What a dropped file is. */
export interface Open {
  format: "worktop-page-open"; version: 1;
  id: string; name: string;
  kind: "plan" | "graph" | "config" | "machine" | "report" | "state" | "measurements";
  title: string;                  // of the graph, the model or the machine
  needs_machine: boolean;         // a graph or a config without one
  has_plan: boolean;
  ops: number | null; values: number | null; layers: number | null;
  subject: Subject | null;        // to ask about it
  machine: string | null;         // what its machine is called
  measured: Measured[];           // of measurements
  state: string | null;           // of a state file and of a report: its JSON text, as it was written
  files: { name: string; text: string }[];  // of a report: to be opened in turn
}
/** A run that was measured (worktop check). The error bar runs from low to high: the 5th to the 95th of a hundred. */
export interface Measured {
  name: string;
  peak_bytes: number;
  step_ns: number | null;
  step_low_ns: number | null; step_high_ns: number | null;
  promised_peak_bytes: number | null; promised_step_ns: number | null;
  moved_bytes: number | null;
  same_gradients: boolean | null;  // bit for bit, as the plain step; null: not compared
  remark: string;
}

// ---- the ledger

export type LedgerName = "keep_all" | "checkpoint" | "recompute_all" | "offload_all" | "hybrid";

export interface LedgerAnswer {
  format: "worktop-page-ledger"; version: 1;
  derived: boolean;               // the kitchen was read off a step graph
  ledger: Ledger;                 // the same JSON as `worktop ledger --json`
  simulated_why_not: string | null;  // why `simulated` is null everywhere
  rows: LedgerLine[];             // in the order of the table
  stacks: Stack[];
  map: WinnerMap | null;
  curve: SegmentCurve | null;
}
/** docs/schema/ledger.schema.json */
export interface Ledger {
  format: "worktop-ledger"; version: number;
  kitchen: { layers: number; activation_gb: number; base_gb: number; forward_s: number; bandwidth_gb_per_s: number };
  lambda: Lambda;
  limits: { memory_gb: number | null; time_s: number | null };
  segments: number; beta: number | null;
  rows: {
    name: LedgerName; memory_gb: number; extra_compute_s: number; extra_transfer_s: number; cost: number;
    r_mem: number; r_mem_total: number; r_cost: number; competes: boolean; fits: boolean; over: ("memory" | "time")[];
  }[];
  best: LedgerName | null; best_without_limits: LedgerName; binding: ("memory" | "time")[];
  best_segments: { without_limits: number; within_limits: number | null };
  beta_range: { least: number; greatest: number };
  changes: { lambda: WinnerInterval[]; bandwidth_gb_per_s: WinnerInterval[] };
  rule_of_thumb: { name: string; memory_share: number; extra_share: number }[];
  checkpoint_true: { memory_gb: number; least_memory_gb: number; least_at_segments: number };
}
export interface WinnerInterval { from: number; to: number | null; winner: LedgerName | null }
export interface Layer {
  memory_gb: number; extra_compute_s: number; extra_transfer_s: number; cost: number;
  r_mem: number; r_mem_total: number; r_cost: number;
  memory_share: number;           // of the activations of keep-all
  over: ("memory" | "time")[];
}
export interface LedgerLine {
  name: LedgerName;
  strategy: string;               // with its numbers: "checkpoint(10)"
  competes: boolean;
  wins: boolean;                  // the ledger's winner
  ledger: Layer;
  /** Played on queues and tiers: overlap, both directions, whole segments. added_s: to the step of keep-all. */
  simulated: (Layer & { added_s: number; stalled_s: number }) | null;
  wins_simulated: boolean;        // least simulated cost of those that compete and fit
  thumb: { memory_share: number; extra_share: number; memory_gb: number; extra_compute_s: number;
           extra_transfer_s: number } | null;
}
/** Two strategies at once: the parts multiplied (memory) and added (extras), beside what that really gives. */
export interface Stack {
  name: string;                   // "checkpoint+offload", "checkpoint+recompute", ...
  strategy: string;               // that plays it: "hybrid(0.5,10)"
  parts: LedgerName[];
  thumb: Share; ledger_parts: Share; simulated_parts: Share | null;  // products of the parts
  ledger: Share; simulated: Share | null;                            // what stacking gives
  overlapped_share: number | null;  // simulated: what the step really gets longer, as a share of the forward
}
export interface Share { memory_share: number; extra_share: number; compute_share: number; transfer_share: number }
/** Over λ (m, 1-m, 1-m) and the bandwidth (logarithmic). */
export interface WinnerMap {
  lambda: number[];               // columns of the grid
  bandwidth_gb_per_s: number[];   // rows, ascending
  winners: (LedgerName | null)[][];  // [row][column]
  rows: { bandwidth_gb_per_s: number; intervals: WinnerInterval[] }[];  // exact in λ, many rows
  regions: {                      // closed outlines made of the rows; label: a place well inside
    winner: LedgerName | null;
    outline: { lambda: number; bandwidth_gb_per_s: number }[];
    label: { lambda: number; bandwidth_gb_per_s: number };
  }[];
  now: { lambda: number; bandwidth_gb_per_s: number; winner: LedgerName | null };
}
export interface SegmentCurve {
  points: { segments: number; ledger_gb: number; held_gb: number;  // held: inputs and one whole segment, closed form
            simulated_gb: number | null; ledger_extra_s: number; simulated_extra_s: number | null }[];
  least_ledger: { segments: number; memory_gb: number };
  least_held: { segments: number; memory_gb: number };
  least_simulated: { segments: number; memory_gb: number } | null;
  root: number;                   // the square root of L, two decimals
}

// ---- the frontier

export interface FateShare {
  fate: Fate; count: number; bytes: number;
  share: number;                  // of the bytes of all activations
  ns: number;                     // keep: what a recompute of them would take; recompute: takes; offload: waits
}
export interface PlanPoint {
  name: string;
  plan: PlanRef;
  family: string;                 // "checkpoint" of "checkpoint(8)"; "plan" of what search found
  competes: boolean;
  main_fate: "keep" | "recompute" | "offload" | "hybrid";
  peak_bytes: number; step_ns: number; host_peak_bytes: number; disk_peak_bytes: number;
  recompute_ns: number; link_busy_ns: number; stalled_ns: number;
  tokens_per_s: number | null;
  cost: number;                   // λm·GB + λc·s of recompute + λt·s of links busy
  over_keep_all: number;          // share of keep-all's step
  over_keep_all_ns: number;
  gap: number | null;             // over the bound
  r_mem: number; r_mem_total: number; r_cost: number;
  fits: boolean;
  over_bytes: number; over_ns: number;  // beyond the limits; 0: within
  on_frontier: boolean;
  price_ns_per_gib: number | null;
  fates: FateShare[];             // those of more than no values
}
export interface Picks { least_memory: string | null; balanced: string | null; fastest: string | null }
export interface FrontierAnswer {
  format: "worktop-page-frontier"; version: 1;
  graph: string; machine: string; effort: Effort;
  budget: { memory_bytes: number; asked: boolean; usable_bytes: number; time_ns: number | null };
  points: PlanPoint[];            // ascending in peak, strictly falling in time
  strategies: PlanPoint[];        // all of them, dominated or not
  keep_all: PlanPoint;
  picks: Picks;
  chosen: string | null;          // fastest of all within the limits; null: nothing fits
  least_possible_bytes: number; bound_ns: number;
  axes: { step_time: Axis; extra_compute: Axis; extra_transfer: Axis };
  measured: Measured[];           // of the files asked for
  stopped: boolean;
}
export interface At { peak_bytes: number; ns: number }
/** Everything in the (peak, ns) plane of one axis; ns is step_ns, recompute_ns or link_busy_ns. */
export interface Axis {
  view: { from: At; to: At };     // what to show; what lies beyond sits at the edge
  line: string[];                 // names of the points that no other beats on this axis, ascending in peak
  line_at: At[];                  // where they are
  dominated: At[];                // outline of what they dominate within the view, from upper left to lower right:
                                  // close it by the view's upper right corner
  bound: At[];                    // no legal plan lies below or left of it
  iso_cost: IsoCost[];            // the least first
  best: { name: string; cost: number } | null;  // on this axis, of those that compete and fit
}
export interface IsoCost { cost: number; from: At; to: At; through: string | null }

// ---- one plan

export interface Group { label: string; kind: Resident; count: number; bytes: number; why: string }
export type Because =
  | "must_keep" | "cannot_recompute" | "gone_at_the_peak" | "not_needed" | "poor_exchange" | "cheaper_recompute"
  | "no_lower_tier" | "busy_link" | "hides" | "waits";
export interface Reason {
  label: string; fate: Fate; because: Because; count: number; bytes: number;
  recompute_ns: number | null; reload_ns: number | null;  // of one of them
  text: string;
}
/** At quick effort without the price of memory, which takes another search. */
export interface PlanAnswer {
  format: "worktop-page-plan"; version: 1;
  graph: string; machine: string; effort: Effort;
  budget: { memory_bytes: number; asked: boolean; usable_bytes: number; context_bytes: number; margin_bytes: number;
            host_bytes: number | null; disk_bytes: number | null; time_ns: number | null };
  found: boolean;                 // false: nothing fits; `plan` is then the leanest there is
  plan: PlanPoint;
  bound_ns: number; least_possible_bytes: number; least_feasible_bytes: number;
  keep_all: { peak_bytes: number; step_ns: number; fits: boolean };
  activations: { count: number; bytes: number };
  /** The usual answer, checkpoint_every(1), and how much longer it takes than the plan; null where it is missing. */
  usual: { name: string; step_ns: number; slower_ns: number; fits: boolean } | null;
  residents: Record<Resident, number>;
  peak_op: string;
  at_peak: Group[];               // largest first; they sum to the peak
  attack: { resident: Resident; bytes: number; share: number; advice: string }[];
  reasons: Reason[];              // largest first
  changes: { name: string; how: string; fits: boolean; step_ns: number | null; tokens_per_s: number | null;
             least_feasible_bytes: number }[];  // what would make it fit
  stopped: boolean;
}

/** What a plan does over time. Columns of memory are in order; each holds from its time to the next one's. */
export interface TimelineAnswer {
  format: "worktop-page-timeline"; version: 1;
  name: string;
  step_ns: number; micro_steps: number;
  shown_ns: number;               // one micro-step and the optimizer: what the columns and lanes span
  phases: { phase: "forward" | "backward" | "optimizer"; from_ns: number; to_ns: number }[];
  layers: StackLayer[];           // from the bottom
  at_ns: number[];
  bytes: number[][];              // [layer][column]; of a column that stands for several moments: the highest of them
  device_bytes: number[];         // the sum of the layers, per column
  host_bytes: number[]; disk_bytes: number[];
  host_peak_bytes: number; disk_peak_bytes: number;
  limit_bytes: number;
  peak: { at_ns: number; bytes: number; op: string; column: number; layers: number[]; groups: Group[] };
  lanes: Lane[];                  // compute; one for each link; stalls
  events: number;                 // runs, copies and stalls before they were joined
}
export type StackLayer =
  | "optimizer_states" | "gradients" | "weights" | "workspace_and_other"  // statics and what is about
  | "kept" | "recomputed" | "copies" | "passing";  // activations by fate; copies: offloaded ones that are here;
                                                   // passing: activations without a fate (needed at once)
export interface Lane {
  lane: "compute" | "copy" | "stall";
  name: string;                   // "compute", "device to host", "stalls"
  link: { from: string; to: string; gb_per_s: number } | null;
  busy_ns: number; busy_share: number;
  recompute_ns: number;           // of compute
  spans: Span[];                  // neighbours are joined where there are too many
}
export interface Span {
  from_ns: number; to_ns: number;
  kind: "forward" | "backward" | "optimizer" | "recompute" | "copy_out" | "copy_in" | "stall";
  label: string;                  // of the longest, where several are joined
  count: number;
  why: string;                    // of a stall: what it waits for; else empty
}

export interface ActivationsAnswer {
  format: "worktop-page-activations"; version: 1;
  name: string; step_ns: number; shown_ns: number;
  peak_ns: number;                // where the thin mark goes
  count: number; bytes: number;   // of all, also of those beyond `most`
  fates: FateShare[];
  rows: ActivationRow[];          // largest first
}
export interface ActivationRow {
  name: string; label: string; block: string | null; op_kind: string;
  bytes: number; fate: Fate;
  because: Because; reason: string;
  recompute_ns: number | null; reload_ns: number | null;
  lifetime: { from_ns: number; to_ns: number; where: "device" | "away" | "gone" }[];
  at_peak: boolean;
}

// ---- benefit ratio

export interface RatioAnswer {
  format: "worktop-page-ratio"; version: 1;
  graph: string; machine: string; effort: Effort;
  average_bytes_per_ns: number;   // ratio 1
  threshold: number;
  rows: RatioRow[];               // in program order
  recomputed: { rows: number; values: number; bytes: number };  // by the rule at the threshold
  rule: PlanPoint;                // ratio(threshold)
  curve: { threshold: number; step_ns: number; peak_bytes: number; fits: boolean; recompute_ns: number }[];
  /** Fastest that fits; of equals the one nearest 2; null: none fits. As good from `from` to below `to`. */
  best: { threshold: number; from: number; to: number | null; step_ns: number; peak_bytes: number } | null;
  is_best: boolean;               // the rule at `threshold` is as good as the best
  solver: PlanPoint | null;       // needs no threshold; null: nothing fits
  differs: string[];              // labels of rows where the solver and the rule at the threshold disagree
  keep_all: { peak_bytes: number; step_ns: number };
  limit_bytes: number;
}
export interface RatioRow {
  label: string; op_kind: string; block: string | null;
  count: number;                  // alike ones, one in each of so many blocks
  bytes: number;                  // of all of them
  recompute_ns: number;           // of all of them
  ratio: number;
  rule: "keep" | "recompute";
  solver: Fate | "mixed" | null;  // mixed: not the same in all blocks
  solver_recomputes: number;      // so many of `count`
  differs: boolean;
  members: RatioRow[];            // of an unfolded one
}

// ------------------------------------------------------------------------------------------------- worker and report

/** To the worker, first: {wasm}. Then any number of questions; one answer each, in order. */
export type ToWorker = { wasm: ArrayBuffer } | { id: number; question: Question };
/** A trap ends the worker after {died}: start a new one, open the files again, ask again or say what happened. */
export type FromWorker =
  | { ready: true }
  | { id: number; answer: string }  // JSON text
  | { id: number; progress: Progress }
  | { died: string };
export interface Progress { doing: string; units_done: number; units_total: number; best_step_ns: number | null }

/** <script type="application/json" id="report"> of a report; in a page without one it is empty. */
export interface Report {
  format: "worktop-report"; version: 1;
  title: string;
  subject: Subject | null;        // null: the first file's
  limits: Limits;
  minimize: "time" | "peak" | "cost";
  files: { name: string; text: string }[];  // opened in order: plan.json, measurements
}
