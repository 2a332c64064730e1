// Host and disk below the timeline, and its lanes: compute, copies, stalls.

import type { Lane, Span } from "../../contract";
import { said, type Context } from "../context";
import { h, svg } from "../dom";
import { colour, textWidth, type Point } from "../draw/plot";
import { linear } from "../draw/scale";
import { count, gigabytesPerSecond, join, memory, percent, time, timeUnit } from "../numbers";
import { type Frame } from "./timeline_frame";

export function tierArea(
  frame: Frame,
  y: number,
  height: number,
  series: number[],
  most: number,
  label: string,
  note: string,
): void {
  const { plot, answer, x, context, left, side } = frame,
    unit = timeUnit(context.units),
    n = answer.at_ns.length;
  const scale = linear(0, Math.max(1, most), y + height, y);
  const outline: Point[] = [];
  for (let i = 0; i < n; ++i) {
    const to = i + 1 < n ? answer.at_ns[i + 1]! : answer.shown_ns;
    outline.push([x.at(answer.at_ns[i]! / unit), scale.at(series[i]!)], [x.at(to / unit), scale.at(series[i]!)]);
  }
  plot.area([[left, y + height], ...outline, [frame.right, y + height]], colour("offload"), 0.28);
  plot.line(
    [
      [left, y + height + 0.5],
      [frame.right, y + height + 0.5],
    ],
    { colour: colour("axis"), width: 1 },
  );
  plot.text(0, y + 14, label, { class: "name" });
  plot.text(0, y + 28, context.units.memory, {});
  if (side !== null) {
    plot.text(side, y + height - 8, note, { class: "name" });
    plot.text(plot.width, y + height - 8, join(memory(most, context.units)), {
      class: "name",
      "text-anchor": "end",
      style: "fill:var(--ink)",
    });
  } else plot.text(frame.right, y + 10, join(memory(most, context.units)), { class: "halo", "text-anchor": "end" });
}

const kSpan: Record<Span["kind"], string> = {
  forward: "forward",
  backward: "backward",
  optimizer: "static1",
  recompute: "recompute",
  copy_out: "offload",
  copy_in: "offload",
  stall: "signal",
};

function laneName(lane: Lane, context: Context): string {
  const t = context.words.plan;
  if (lane.lane !== "copy") return t.lanes[lane.lane] ?? lane.name;
  const kind = lane.spans[0]?.kind ?? (lane.link?.from === "device" ? "copy_out" : "copy_in");
  const hostAndDevice = lane.link?.from === "device" || lane.link?.to === "device";
  return hostAndDevice
    ? kind === "copy_out"
      ? t.copyOut
      : t.copyIn
    : t.copyTo(lane.link?.from ?? "", lane.link?.to ?? "");
}

function laneNote(lane: Lane, context: Context): [string, string, string] {
  const t = context.words.plan,
    { units } = context;
  if (lane.lane === "compute")
    return [
      t.ofItRecompute,
      lane.recompute_ns > 0 ? join(time(lane.recompute_ns, units)) : context.words.none,
      lane.recompute_ns > 0 ? "recompute" : "name",
    ];
  if (lane.lane === "stall")
    return [
      t.waiting,
      lane.busy_ns > 0 ? join(time(lane.busy_ns, units)) : t.noStalls,
      lane.busy_ns > 0 ? "limit" : "name",
    ];
  return [
    lane.link ? t.busy(`${gigabytesPerSecond(lane.link.gb_per_s * 1e9)} GB/s`) : "",
    percent(lane.busy_share, 0),
    "name",
  ];
}

export function drawLane(frame: Frame, lane: Lane, y: number): void {
  const { plot, x, context, left, right, side } = frame,
    unit = timeUnit(context.units);
  plot.text(0, y + 12, laneName(lane, context), { class: "name" });
  plot.bar(left, y, right - left, 16, colour("rail"));
  for (const span of lane.spans) {
    const from = x.at(span.from_ns / unit),
      wide = x.at(span.to_ns / unit) - from;
    if (lane.lane === "stall")
      plot.hatch(from, y, Math.max(1.5, wide), 16, { colour: colour("signal"), width: 1.6 }, 4);
    else plot.bar(from, y, Math.max(0.6, wide - (wide > 3 ? 0.6 : 0)), 16, colour(kSpan[span.kind]));
  }
  if (lane.lane === "stall") cause(frame, lane, y);
  if (side !== null) {
    const [label, value, css] = laneNote(lane, context);
    plot.text(side, y + 12, label, { class: "name" });
    plot.text(plot.width, y + 12, value, {
      class: css,
      "text-anchor": "end",
      style: css === "name" ? "fill:var(--ink)" : "font-size:12px",
    });
  }
  hoverLane(frame, lane, y);
}

// What the longest stall waits for, beside it: to the right, or to the left of what is close to it.
function cause(frame: Frame, lane: Lane, y: number): void {
  const { plot, x, context, left, right } = frame,
    unit = timeUnit(context.units);
  const [longest] = [...lane.spans].sort((a, b) => b.to_ns - b.from_ns - (a.to_ns - a.from_ns));
  if (!longest) return;
  const text = context.words.plan.late(said(longest.label, context), longest.why || context.words.plan.span["stall"]!);
  const wide = textWidth(text) + 8;
  let from = x.at(longest.from_ns / unit),
    to = x.at(longest.to_ns / unit);
  for (const span of lane.spans) if (x.at(span.from_ns / unit) < to + wide) to = Math.max(to, x.at(span.to_ns / unit));
  for (const span of [...lane.spans].reverse()) {
    if (x.at(span.to_ns / unit) > from - wide) from = Math.min(from, x.at(span.from_ns / unit));
  }
  const style = { class: "halo", style: "fill:var(--signal)", "pointer-events": "none" };
  if (to + wide < right) plot.text(to + 6, y + 12, text, style);
  else if (from - wide > left) plot.text(from - 6, y + 12, text, { ...style, "text-anchor": "end" });
}

function hoverLane(frame: Frame, lane: Lane, y: number): void {
  const { plot, x, context, left, right } = frame,
    { words, units } = context,
    unit = timeUnit(units);
  const anchor = svg("rect", { x: 0, y, width: 1, height: 16, style: "fill:none", "pointer-events": "none" });
  const area = svg("rect", { x: left, y, width: right - left, height: 16, style: "fill:transparent" });
  area.addEventListener("pointermove", (event) => {
    const px = event.clientX - plot.root.getBoundingClientRect().left,
      ns = x.value(px) * unit,
      slack = 2 * (x.value(1) - x.value(0)) * unit;
    const span = lane.spans.find((s) => ns >= s.from_ns - slack && ns <= s.to_ns + slack);
    if (!span) {
      context.tip.hide();
      return;
    }
    anchor.setAttribute("x", String(px));
    context.tip.show(anchor, [
      h("div", { class: "title" }, said(span.label, context)),
      h(
        "div",
        {},
        `${words.plan.span[span.kind]}${span.count > 1 ? ` ×${count(span.count)}` : ""}, ${join(time(span.to_ns - span.from_ns, units))}`,
      ),
      span.why ? h("div", {}, span.why) : null,
      h("div", { class: "do" }, `${join(time(span.from_ns, units))} – ${join(time(span.to_ns, units))}`),
    ]);
  });
  area.addEventListener("pointerleave", () => context.tip.hide());
  plot.add(anchor, area);
}
