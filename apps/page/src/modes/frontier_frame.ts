// Where things are in the frontier's picture: its frame, its view, and what lies beyond it.

import type { At, Axis, FrontierAnswer, PlanPoint } from "../../contract";
import type { Context } from "../context";
import { svg } from "../dom";
import { type Wish } from "../draw/labels";
import { Plot } from "../draw/plot";
import { type Scale } from "../draw/scale";
import { memoryUnit, timeUnit } from "../numbers";

export interface Frame {
  plot: Plot;
  x: Scale;
  y: Scale;
  left: number;
  right: number;
  top: number;
  bottom: number;
  context: Context;
  axis: Axis;
  answer: FrontierAnswer;
}

export interface Label {
  wish: Wish;
  text: string;
  second?: string;
  css: string;
  priority: number;
  leader?: boolean;
}

export type Where = { x: number; y: number; off: "up" | "right" | "left" | "down" | null };

export const nsOf = (point: PlanPoint, context: Context): number =>
  context.state.axis === "step_time"
    ? point.step_ns
    : context.state.axis === "extra_compute"
      ? point.recompute_ns
      : point.link_busy_ns;

// What lies beyond the view sits at its edge, with an arrow.
export function where(frame: Frame, at: At): Where {
  const { x, y, left, right, top, bottom, context } = frame;
  const px = x.at(at.peak_bytes / memoryUnit(context.units)),
    py = y.at(at.ns / timeUnit(context.units));
  if (py < top - 1) return { x: Math.min(Math.max(px, left + 8), right - 8), y: top - 14, off: "up" };
  if (px > right + 1) return { x: right - 18, y: py, off: "right" };
  if (px < left - 1) return { x: left + 18, y: py, off: "left" };
  if (py > bottom + 1) return { x: px, y: bottom - 18, off: "down" };
  return { x: px, y: py, off: null };
}

let heldView: { key: string; axis: Axis["view"] } | null = null;

// One plan far above all others is no reason to squeeze them: the view then ends a little above the higher ones, and
// keep-all, which everything is compared with, is always in it.
export function cropped(view: Axis["view"], peaks: number[], times: number[], keepAllPeak: number): Axis["view"] {
  const sorted = [...times].sort((a, b) => a - b),
    high = sorted[Math.floor((sorted.length - 1) * 0.85)] ?? 0,
    low = sorted[0] ?? 0;
  const top = high + (high - low) * 0.15 + high * 0.02;
  const right =
    keepAllPeak > view.to.peak_bytes && keepAllPeak < Math.max(...peaks, 1) * 5
      ? keepAllPeak + (keepAllPeak - view.from.peak_bytes) * 0.04
      : view.to.peak_bytes;
  const far = top > 0 && view.to.ns > top * 2;
  const from =
    far && low > 0 && view.from.ns < low - (top - low) * 0.2
      ? Math.max(0, Math.round(low - (top - low) * 0.12))
      : view.from.ns;
  return {
    from: { peak_bytes: view.from.peak_bytes, ns: from },
    to: { peak_bytes: right, ns: far ? Math.round(top) : view.to.ns },
  };
}

// While a slider is held the axes keep their range.
export function viewOf(answer: FrontierAnswer, context: Context, axis: Axis): Axis["view"] {
  const key = `${context.scenario.id}/${context.state.axis}`;
  if (context.held && heldView?.key === key) return heldView.axis;
  const all = [...answer.points, ...answer.strategies];
  heldView = {
    key,
    axis: cropped(
      axis.view,
      all.map((p) => p.peak_bytes),
      all.map((p) => nsOf(p, context)),
      answer.keep_all.peak_bytes,
    ),
  };
  return heldView.axis;
}

export function arrow(frame: Frame, at: Where): void {
  const { x, y } = at;
  const d =
    at.off === "up"
      ? `M${x} ${y - 9}v-9m-3 3l3-3l3 3`
      : at.off === "right"
        ? `M${x + 9} ${y}h8m-3-3l3 3l-3 3`
        : at.off === "left"
          ? `M${x - 9} ${y}h-8m3-3l-3 3l3 3`
          : `M${x} ${y + 9}v8m-3-3l3 3l3-3`;
  frame.plot.add(svg("path", { d, fill: "none", style: "stroke:var(--ink2)", "stroke-width": 1.2 }));
}
