// The x axis that bars, step time, peak and threshold share.

import type { RatioAnswer } from "../../contract";
import { type Context } from "../context";
import { Plot } from "../draw/plot";
import { clamp, linear, logarithmic, type Scale } from "../draw/scale";
import { type Shown } from "./ratio";

export interface Frame {
  plot: Plot;
  x: Scale;
  left: number;
  right: number;
  context: Context;
  answer: RatioAnswer;
  threshold: number;
  narrow: boolean;
}

export const kRow = 14.6;
export const kTop = 26;

// Linear up to what most rows need; what is beyond sits at the edge with its value.
export function xScale(rows: Shown[], threshold: number, log: boolean, left: number, right: number): Scale {
  const ratios = rows
    .map((s) => s.row.ratio)
    .filter((r) => r > 0)
    .sort((a, b) => a - b);
  const most = ratios[ratios.length - 1] ?? 2,
    least = ratios[0] ?? 0.1;
  if (log)
    return logarithmic(
      Math.max(1e-3, Math.min(least, threshold || 1, 1) * 0.7),
      Math.max(most, threshold, 2) * 1.4,
      left,
      right,
    );
  const usual = ratios[Math.floor(ratios.length * 0.7)] ?? most;
  const to =
    most > 12
      ? Math.max(6, Math.min(most, usual * 2), threshold * 1.2)
      : Math.max(most * (right - left < 200 ? 1.25 : 1.12), threshold * 1.1, 2.5);
  return linear(0, to, left, right);
}

export const at = (x: Scale, value: number): number => clamp(x.at(Math.max(value, x.from || 0)), x.low, x.high);
