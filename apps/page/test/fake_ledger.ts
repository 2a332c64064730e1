// The stand-in's ledger: the closed form for true, the rest plausible.

import type { LedgerAnswer, LedgerLine, LedgerName, LedgerQuestion, Subject } from "../contract";
import { kitchen } from "./fake_engine";

export function ledger(q: LedgerQuestion): LedgerAnswer {
  const s = q.subject.kind === "kitchen" ? q.subject : (kitchen(50) as Subject & { kind: "kitchen" });
  const a = s.activation_gb ?? 3,
    total = s.layers * a,
    base = s.base_gb,
    forward = s.forward_s,
    bw = s.bandwidth_gb_per_s,
    k = q.parameters.segments ?? 10,
    beta = q.parameters.beta,
    l = q.lambda;
  const compete = q.compete ?? ["keep_all", "checkpoint", "offload_all"];
  const make = (name: LedgerName, memory: number, compute: number, transfer: number) => {
    const over: ("memory" | "time")[] =
      q.limits.memory_bytes !== null && memory > q.limits.memory_bytes / 1e9 ? ["memory"] : [];
    return {
      name,
      memory_gb: memory,
      extra_compute_s: compute,
      extra_transfer_s: transfer,
      cost: l.memory * memory + l.compute * compute + l.transfer * transfer,
      r_mem: 1 - (memory - base) / total,
      r_mem_total: 1 - memory / (base + total),
      r_cost: (compute + transfer) / forward,
      competes: compete.includes(name),
      fits: over.length === 0,
      over,
    };
  };
  const share = (k - 1) / k;
  const rows = [
    make("keep_all", base + total, 0, 0),
    make("checkpoint", base + total / k, forward * share, 0),
    make("recompute_all", base, forward, 0),
    make("offload_all", base, 0, total / bw),
    make("hybrid", base + (beta * total) / k, beta * forward * share, ((1 - beta) * total) / bw),
  ];
  const best = rows.filter((r) => r.competes && r.fits).sort((x, y) => x.cost - y.cost)[0] ?? null;
  const lines = rows.map((row): LedgerLine => ({
    name: row.name,
    strategy:
      row.name === "checkpoint" ? `checkpoint(${k})` : row.name === "hybrid" ? `hybrid(${beta},${k})` : row.name,
    competes: row.competes,
    wins: row === best,
    ledger: { ...row, memory_share: (row.memory_gb - base) / total },
    simulated: {
      ...row,
      memory_gb: row.memory_gb + (row.name === "keep_all" ? 0 : 30),
      extra_transfer_s: row.extra_transfer_s * 2,
      extra_compute_s: row.name === "recompute_all" ? 5940 : row.extra_compute_s,
      memory_share: 0.3,
      added_s: 1,
      stalled_s: 0.5,
    },
    wins_simulated: false,
    thumb:
      row.name === "checkpoint"
        ? {
            memory_share: 0.5,
            extra_share: 0.33,
            memory_gb: base + total / 2,
            extra_compute_s: forward * 0.33,
            extra_transfer_s: 0,
          }
        : row.name === "offload_all"
          ? {
              memory_share: 0.4,
              extra_share: 0.1,
              memory_gb: base + total * 0.4,
              extra_compute_s: 0,
              extra_transfer_s: forward * 0.1,
            }
          : null,
  }));
  const points = Array.from({ length: Math.min(100, s.layers) }, (_, i) => ({
    segments: i + 1,
    ledger_gb: base + total / (i + 1),
    held_gb: base + (i + 1) * a + Math.ceil(s.layers / (i + 1)) * a,
    simulated_gb: base + (i + 1) * a + Math.ceil(s.layers / (i + 1)) * a,
    ledger_extra_s: 1,
    simulated_extra_s: 1,
  }));
  const share4 = (memory: number, compute: number, transfer: number) => ({
    memory_share: memory,
    extra_share: compute + transfer,
    compute_share: compute,
    transfer_share: transfer,
  });
  const outline = (points: [number, number][]) =>
    points.map(([lambda, bandwidth]) => ({ lambda, bandwidth_gb_per_s: bandwidth }));
  return {
    format: "worktop-page-ledger",
    version: 1,
    derived: false,
    simulated_why_not: null,
    rows: lines,
    ledger: {
      format: "worktop-ledger",
      version: 1,
      kitchen: { layers: s.layers, activation_gb: a, base_gb: base, forward_s: forward, bandwidth_gb_per_s: bw },
      lambda: l,
      limits: {
        memory_gb: q.limits.memory_bytes === null ? null : q.limits.memory_bytes / 1e9,
        time_s: q.limits.time_ns === null ? null : q.limits.time_ns / 1e9,
      },
      segments: k,
      beta,
      rows,
      best: best?.name ?? null,
      best_without_limits: "offload_all",
      binding: [],
      best_segments: { without_limits: 100, within_limits: 100 },
      beta_range: { least: 0, greatest: 0.56 },
      changes: {
        lambda: [
          { from: 0, to: 0.02, winner: "keep_all" },
          { from: 0.02, to: 1, winner: "offload_all" },
        ],
        bandwidth_gb_per_s: [
          { from: 0, to: 2.48, winner: "checkpoint" },
          { from: 2.48, to: null, winner: "offload_all" },
        ],
      },
      rule_of_thumb: [],
      checkpoint_true: { memory_gb: 72, least_memory_gb: 72, least_at_segments: 10 },
    },
    stacks: [
      {
        name: "checkpoint+offload",
        strategy: `hybrid(${beta},${k})`,
        parts: ["checkpoint", "offload_all"],
        thumb: share4(0.2, 0.33, 0.1),
        ledger_parts: share4(0, 0.9, 0.05),
        simulated_parts: null,
        ledger: share4(0.05, 0.45, 0.03),
        simulated: share4(0.17, 0.45, 0.05),
        overlapped_share: 0.46,
      },
    ],
    map: {
      lambda: [0, 1],
      bandwidth_gb_per_s: [0.5, 1, 10, 100],
      winners: [],
      rows: [],
      now: { lambda: l.memory, bandwidth_gb_per_s: bw, winner: best?.name ?? null },
      regions: [
        {
          winner: "offload_all",
          outline: outline([
            [0.01, 100],
            [0.06, 10],
            [0.28, 2.5],
            [0.6, 2],
            [0.9, 0.8],
            [0.94, 0.5],
            [1, 0.5],
            [1, 100],
          ]),
          label: { lambda: 0.6, bandwidth_gb_per_s: 20 },
        },
        {
          winner: "keep_all",
          outline: outline([
            [0, 100],
            [0.01, 100],
            [0.06, 10],
            [0.28, 2.5],
            [0.28, 0.5],
            [0, 0.5],
          ]),
          label: { lambda: 0.13, bandwidth_gb_per_s: 1.4 },
        },
        {
          winner: "checkpoint",
          outline: outline([
            [0.28, 2.5],
            [0.6, 2],
            [0.9, 0.8],
            [0.94, 0.5],
            [0.28, 0.5],
          ]),
          label: { lambda: 0.5, bandwidth_gb_per_s: 0.9 },
        },
      ],
    },
    curve: {
      points,
      least_ledger: { segments: 100, memory_gb: 15 },
      least_held: { segments: 10, memory_gb: 72 },
      least_simulated: { segments: 10, memory_gb: 72 },
      root: 10,
    },
  };
}
