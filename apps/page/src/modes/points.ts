// One plan or strategy as it is said: its hue, its tooltip, whether it fits. Shared by the modes.

import type { FateShare, Measured, PlanPoint } from "../../contract";
import type { Context } from "../context";
import { h, rich, type Child } from "../dom";
import { hueOf, icon, type Hue } from "../draw/marks";
import { difference, join, memory, percent, three, time } from "../numbers";

export const hue = (point: PlanPoint): Hue => hueOf(point.main_fate);

export function fitWord(point: PlanPoint, context: Context): string {
  const { fits } = context.words.frontier;
  if (point.over_bytes > 0 && point.over_ns > 0) return fits.both;
  if (point.over_bytes > 0) return fits.memory;
  return point.over_ns > 0 ? fits.time : point.fits ? fits.yes : fits.memory;
}

// "Save matmuls" in Chinese with its id below; the id alone where there is no room.
export function nameOf(point: { name: string; family: string }, context: Context): string {
  return point.family === "plan" || point.family === "leanest" ? context.words.strategies["plan"]! : point.name;
}

export function fateNs(share: FateShare, context: Context): string {
  if (share.fate === "keep") return "";
  if (share.ns === 0) return share.fate === "recompute" ? "" : context.words.frontier.offloadHides;
  return `+${join(time(share.ns, context.units))}`;
}

export function gapText(gap: number | null): string | null {
  if (gap === null) return null;
  return gap <= 0 ? "optimal" : percent(gap, gap < 0.0005 ? 2 : 1);
}

export function pointTip(point: PlanPoint, context: Context, chosen: boolean): Child[] {
  const { words, units } = context,
    t = words.frontier;
  const over = [
    point.over_bytes > 0 ? t.doesNotFit(join(memory(point.over_bytes, units))) : null,
    point.over_ns > 0 ? t.tooSlow(join(time(point.over_ns, units))) : null,
  ].filter((line) => line !== null);
  const reason = point.on_frontier
    ? point.gap === null
      ? [t.onFrontier]
      : t.pointReason(
          percent(point.gap),
          point.price_ns_per_gib === null ? null : join(time(point.price_ns_per_gib, units)),
        )
    : t.strategyReason(percent(point.r_mem_total, 0), percent(point.r_cost, 0));
  return [
    h("div", { class: "title" }, icon(hue(point), 13), nameOf(point, context)),
    h(
      "div",
      {},
      h("b", {}, `${join(memory(point.peak_bytes, units))}, ${join(time(point.step_ns, units))}`),
      `, ${t.overKeep(difference(point.over_keep_all))}`,
    ),
    over.map((line) => h("div", { class: "over" }, line)),
    h("hr"),
    h(
      "div",
      { class: "pairs" },
      point.fates.map((share) => [
        h(
          "span",
          { class: share.fate.startsWith("offload") ? "offload" : share.fate },
          words.fates[share.fate.startsWith("offload") ? "offload" : share.fate]!,
        ),
        h("span", {}, join(memory(share.bytes, units))),
        h("span", {}, fateNs(share, context)),
      ]),
    ),
    point.fates.length > 0 ? h("hr") : null,
    h("div", {}, rich(reason)),
    h("div", {}, rich(t.weightedCost(three(point.cost)))),
    h("div", { class: "do" }, chosen ? t.isChosen : t.click),
  ];
}

export function measuredTip(run: Measured, context: Context): Child[] {
  const { words, units } = context,
    t = words.frontier;
  const row = (label: string, bytes: number | null, ns: number | null) => [
    h("span", {}, label),
    h("span", {}, join(memory(bytes, units))),
    h("span", {}, join(time(ns, units))),
  ];
  return [
    h("div", { class: "title" }, t.measuredTip(run.name)),
    h(
      "div",
      { class: "pairs" },
      row(t.measuredWord, run.peak_bytes, run.step_ns),
      row(t.promised, run.promised_peak_bytes, run.promised_step_ns),
    ),
    run.same_gradients || run.remark ? h("hr") : null,
    run.same_gradients ? h("div", {}, t.sameGradients) : null,
    run.remark ? h("div", {}, run.remark) : null,
  ];
}
