// What the parts of the timeline share: its frame and the colours of the layers.

import type { StackLayer, TimelineAnswer } from "../../contract";
import { type Context } from "../context";
import { Plot } from "../draw/plot";
import { type Scale } from "../draw/scale";

export interface Frame {
  plot: Plot;
  answer: TimelineAnswer;
  context: Context;
  x: Scale;
  y: Scale;
  left: number;
  right: number;
  top: number;
  bottom: number;
  side: number | null;
}

export const kFill: Record<StackLayer, { colour: string; alpha: number; css: string }> = {
  optimizer_states: { colour: "static1", alpha: 1, css: "" },
  gradients: { colour: "static2", alpha: 1, css: "" },
  weights: { colour: "static3", alpha: 1, css: "" },
  workspace_and_other: { colour: "static4", alpha: 1, css: "" },
  kept: { colour: "keep", alpha: 1, css: "keep" },
  passing: { colour: "keep", alpha: 0.55, css: "keep" },
  copies: { colour: "offload", alpha: 1, css: "offload" },
  recomputed: { colour: "recompute", alpha: 1, css: "recompute" },
};
