// The questions that are asked natively and in WebAssembly: every kind, every subject, good and bad. One a line, as JSON.
const kitchen = { kind: "kitchen", layers: 100, activation_gb: 3, base_gb: 12, forward_s: 120, bandwidth_gb_per_s: 50, host: true };
const narrow = { ...kitchen, bandwidth_gb_per_s: 2 };
const sliced = { kind: "kitchen", layers: 12, elements: 1e6, batch: 3.5, element_bytes: 2, base_gb: 0.1, forward_s: 0.37, bandwidth_gb_per_s: 13.7, host: true, disk: true };
const mixed = { kind: "mixed_kitchen" };
const gpt = { kind: "model", model: "gpt-2-124m", machine: "rtx-3090-24gb", settings: { layers: 4, batch: 8, sequence: 512 }, tiers: { host_bytes: 2 ** 34 } };
const llama = { kind: "model", model: "tinyllama-1.1b", machine: "a10g-24gb", settings: { layers: 3, batch: 2, sequence: 1024, precision: "bf16-mixed", lora_rank: 8, accumulation: 2 }, tiers: { host_bytes: 2 ** 33, disk_bytes: 2 ** 36, link_in_gb_per_s: 3.3 } };
const file = { kind: "file", file: "toy", machine: "rtx-4090-24gb" };

const lambda = { memory: 0.3, compute: 0.7, transfer: 0.7 };
const free = { memory_bytes: null, time_ns: null };
const parameters = { segments: 10, beta: 0.5, threshold: 2 };
const asked = { limits: free, lambda, effort: "quick" };
const ledger = (subject, more = {}) => ({ ask: "ledger", subject, lambda, limits: free, parameters, compete: null, ...more });
const plan = (subject, more = {}) => ({ ask: "plan", subject, ...asked, plan: { kind: "best" }, minimize: "time", ...more });

const toy = JSON.stringify({
  format: "worktop-graph", version: 1,
  graph: { name: "toy <b>\u4e2d\u6587</b>", origin: "trace", triggers: "every",
    values: [{ name: "x", kind: "input", bytes: 4000000 }, { name: "y", bytes: 8000000, held: "producer_only", holdable: true }, { name: "z", bytes: 6000000, held: "producer_only", holdable: true }],
    ops: [{ name: "f", phase: "forward", reads: [0], writes: [1] }, { name: "g", phase: "forward", reads: [1], writes: [2] },
      { name: "g.grad", phase: "backward", reads: [1, 2], writes: [] }, { name: "f.grad", phase: "backward", reads: [0, 1], writes: [] }] },
  durations_ns: [1000, 2000, 3000, 4000],
});
const measured = JSON.stringify({ ok: true, model: "m", budget_bytes: 5, pairs: 3, threads: 1, trouble: [], rows: [
  { name: "plain", peak_bytes: 9, step_ns: 100, extra_ns: 0, differs: [], remark: "" },
  { name: "promised", peak_bytes: 5, step_ns: 130, extra_ns: 30 },
  { name: "planned", peak_bytes: 5, step_ns: 131, extra_ns: 31, extra_low_ns: 20, extra_high_ns: 44, moved_bytes: 2, differs: [], remark: "" }] });

export const questions = [
  { ask: "lists" },
  ledger(kitchen),
  ledger(narrow, { limits: { memory_bytes: 100e9, time_ns: 60e9 } }),
  ledger(sliced, { parameters: { segments: null, beta: 0.25, threshold: 2 }, compete: ["keep_all", "recompute_all", "hybrid"] }),
  ledger({ ...kitchen, layers: 5000 }, { map: false }),
  ledger(gpt),
  ledger({ ...kitchen, layers: 0 }),
  { ask: "frontier", subject: kitchen, ...asked, parameters, compete: null, points: 6 },
  { ask: "frontier", subject: gpt, ...asked, limits: { memory_bytes: 6e9, time_ns: 2e8 }, parameters, compete: ["keep_all", "checkpoint"], points: 4, measured: ["check"] },
  { ask: "frontier", subject: llama, ...asked, parameters: { segments: null, beta: 0.125, threshold: 1.5 }, compete: null, points: 3 },
  plan(kitchen, { limits: { memory_bytes: 100e9, time_ns: null } }),
  plan(mixed, { limits: { memory_bytes: 90500000000, time_ns: null } }),
  plan(mixed, { limits: { memory_bytes: 15e9, time_ns: null } }),
  plan(gpt, { minimize: "peak", limits: { memory_bytes: null, time_ns: 1e9 } }),
  plan(llama, { minimize: "cost" }),
  plan(gpt, { plan: { kind: "strategy", name: "hybrid(0.5,2)" } }),
  plan(gpt, { plan: { kind: "point", name: "plan(1)", points: 4, effort: "quick" } }),
  plan(gpt, { plan: { kind: "strategy", name: "<script>alert(1)</script>" } }),
  { ask: "timeline", subject: kitchen, ...asked, plan: { kind: "strategy", name: "offload_all" }, minimize: "time", columns: 64 },
  { ask: "timeline", subject: llama, ...asked, plan: { kind: "best" }, minimize: "time", columns: 100 },
  { ask: "activations", subject: kitchen, ...asked, plan: { kind: "strategy", name: "checkpoint(10)" }, minimize: "time", most: 20 },
  { ask: "activations", subject: llama, ...asked, plan: { kind: "best" }, minimize: "time", most: 50 },
  { ask: "ratio", subject: mixed, ...asked, limits: { memory_bytes: 90500000000, time_ns: null }, threshold: 2 },
  { ask: "ratio", subject: gpt, ...asked, threshold: 0.7, unfold: ["mlp/c_fc"] },
  { ask: "plan_file", subject: mixed, ...asked, limits: { memory_bytes: 90500000000, time_ns: null }, plan: { kind: "best" }, minimize: "time" },
  { ask: "trace", subject: sliced, ...asked, plan: { kind: "strategy", name: "offload_all" }, minimize: "time" },
  { ask: "open", id: "check", name: "check.json", text: measured },
  { ask: "open", id: "toy", name: "toy.json", text: toy },
  plan(file, { limits: { memory_bytes: 13000000, time_ns: null } }),
  { ask: "timeline", subject: file, ...asked, plan: { kind: "strategy", name: "recompute_all" }, minimize: "time" },
  { ask: "plan", subject: file },
  { ask: "open", id: "bad", name: "bad.json", text: '{"format": "worktop-plan", "version": 1,' },
  { ask: "activations", subject: { kind: "file", file: "nowhere" }, ...asked, plan: { kind: "file" }, minimize: "time" },
  { ask: "dance" },
];
