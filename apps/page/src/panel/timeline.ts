// Device memory over a step, stacked by who is there; the column at its right is the peak, on the same scale. Below it
// host and disk, and lanes for compute, copies and stalls.

import type { TimelineAnswer } from "../../contract";
import { type Context } from "../context";
import { h, type Child } from "../dom";
import { Plot } from "../draw/plot";
import { linear } from "../draw/scale";
import { count, memoryUnit, short, timeUnit } from "../numbers";
import { type Frame } from "./timeline_frame";
import { stack, phases, peakColumn, annotations, hoverMemory } from "./memory";
import { tierArea, drawLane } from "./lanes";

export function timelineChart(answer: TimelineAnswer, context: Context): Child {
  const { units, words, narrow } = context,
    width = context.width,
    m = memoryUnit(units),
    unit = timeUnit(units);
  const side = width >= 860 ? width - 272 : null;
  const left = narrow ? 58 : 64,
    right = side === null ? width - 4 : side - 24,
    top = 42,
    bottom = top + (narrow ? 230 : 300);
  const disk = answer.disk_peak_bytes > 0,
    host = answer.host_peak_bytes > 0;
  const hostY = bottom + 18,
    diskY = hostY + (host ? 52 : 0),
    lanesY = diskY + (disk ? 52 : 0) + 6,
    lanesBottom = lanesY + answer.lanes.length * 20;
  const height = lanesBottom + 26;
  const plot = new Plot(width, height, words.plan.timeline);
  const most = Math.max(answer.peak.bytes, answer.limit_bytes < answer.peak.bytes * 1.5 ? answer.limit_bytes : 0);
  const x = linear(0, answer.shown_ns / unit, left, right),
    y = linear(0, (most / m) * 1.04, bottom, top);
  const frame: Frame = { plot, answer, context, x, y, left, right, top, bottom, side };
  plot.text(0, 12, words.plan.device(units.memory), { class: "name", style: "font-weight:600;font-size:11px" });
  plot.yAxis(y, left, right, (tick) => short(tick), 6);
  stack(frame);
  phases(frame);
  peakColumn(frame);
  hoverMemory(frame);
  annotations(frame, lanesBottom);
  if (host) tierArea(frame, hostY, 36, answer.host_bytes, answer.host_peak_bytes, words.plan.host, words.plan.hostMost);
  if (disk) tierArea(frame, diskY, 36, answer.disk_bytes, answer.disk_peak_bytes, words.plan.disk, words.plan.diskMost);
  answer.lanes.forEach((lane, i) => drawLane(frame, lane, lanesY + i * 20));
  plot.xAxis(x, lanesBottom + 2, short, narrow ? 4 : 8);
  plot.text(0, lanesBottom + 19, words.plan.timeAxis(units.time), { class: "name", style: "font-size:11px" });
  const notes = [
    answer.micro_steps > 1 ? words.plan.microSteps(count(answer.micro_steps)) : null,
    answer.lanes.some((lane) => lane.spans.some((span) => span.count > 1))
      ? words.plan.joined(count(answer.events))
      : null,
  ].filter((note) => note !== null);
  return h(
    "div",
    { style: "margin-top:14px", id: "timeline" },
    plot.root,
    notes.length > 0 ? h("p", { class: "caption" }, notes.join(" · ")) : null,
  );
}
