// The frontier's picture: plans no other beats as a line, strategies as marks, limits, bound and iso-cost lines. Every
// place in it is a field of the answer; here they only become pixels.

import type { At, FrontierAnswer } from "../../contract";
import type { Context } from "../context";
import { shown } from "../context";
import { type Box } from "../draw/labels";
import { colour, Plot, textWidth, type Point } from "../draw/plot";
import { linear } from "../draw/scale";
import { join, memory, memoryUnit, short, time, timeUnit } from "../numbers";
import { type Frame, type Label, viewOf } from "./frontier_frame";
import { strategyMarks, planMarks, chosenMark, measuredMarks } from "./frontier_marks";
import { notes, write } from "./frontier_labels";

// A straight line to where it leaves the picture.
function extended([x1, y1]: Point, [x2, y2]: Point): [Point, Point] {
  const dx = (x2 - x1) * 20,
    dy = (y2 - y1) * 20;
  return [
    [x1 - dx, y1 - dy],
    [x2 + dx, y2 + dy],
  ];
}

function background(frame: Frame): void {
  const { plot, x, y, left, right, top, bottom, context, axis, answer } = frame;
  const m = memoryUnit(context.units),
    t = timeUnit(context.units);
  const at = (p: At): Point => [x.at(p.peak_bytes / m), y.at(p.ns / t)];
  plot.clip(left, top, right - left, bottom - top, () => {
    const outline = axis.dominated.map(at),
      first = outline[0],
      last = outline[outline.length - 1];
    if (first && last)
      plot.area([[first[0], top - 1], ...outline, [right + 1, last[1]], [right + 1, top - 1]], colour("dominated"));
    const limit = x.at(answer.budget.memory_bytes / m);
    if (limit < right)
      plot.hatch(Math.max(limit, left), top, right - Math.max(limit, left), bottom - top, {
        colour: colour("signal"),
        width: 0.7,
        alpha: 0.11,
      });
  });
  plot.yAxis(y, left, right, (tick) => short(tick), context.narrow ? 6 : 8);
  plot.xAxis(x, bottom, short, context.narrow ? 5 : 10);
  plot.clip(left, top, right - left, bottom - top, () => {
    if (shown(context, "iso"))
      for (const line of axis.iso_cost)
        plot.line(extended(at(line.from), at(line.to)), { colour: colour("neutral"), width: 1.1, dash: [1, 4] });
    if (shown(context, "bound"))
      plot.line([...axis.bound.map(at), ...axis.bound.slice(-1).map((p): Point => [right + 1, at(p)[1]])], {
        colour: colour("neutral"),
        width: 1.25,
        dash: [3, 3],
      });
    const ink = colour("ink");
    const line = axis.line_at.map(at);
    plot.line(line, { colour: ink, width: 2.25 });
    for (const [px, py] of line) plot.dot(px, py, 1.9, ink);
  });
}

function limitLines(frame: Frame, labels: Label[], taken: Box[]): void {
  const { plot, x, y, left, right, top, bottom, context, answer } = frame;
  const { words, units, narrow } = context,
    t = words.frontier;
  const px = x.at(answer.budget.memory_bytes / memoryUnit(units));
  if (px >= left && px <= right) {
    plot.line(
      [
        [px, top - 6],
        [px, bottom],
      ],
      { colour: colour("signal"), width: 1.25 },
    );
    const text = narrow
      ? t.limitShort(join(memory(answer.budget.memory_bytes, units)))
      : t.memoryLimit(join(memory(answer.budget.memory_bytes, units)));
    const roomRight = right - px > textWidth(text, "600 11px") + 8;
    labels.push({
      wish: {
        x: px,
        y: top + (narrow ? 1 : 4),
        w: textWidth(text, "600 11px"),
        h: 13,
        gap: 6,
        sides: roomRight ? ["right"] : ["left"],
        must: true,
      },
      text,
      css: "limit halo",
      priority: 1,
    });
    if (!narrow && roomRight && right - px > 150) {
      labels.push({
        wish: { x: px, y: top + 20, w: textWidth(t.beyond), h: 13, gap: 6, sides: ["right"] },
        text: t.beyond,
        css: "halo",
        priority: 8,
      });
    }
  }
  if (answer.budget.time_ns !== null && context.state.axis === "step_time") {
    const py = y.at(answer.budget.time_ns / timeUnit(units));
    if (py >= top && py <= bottom) {
      plot.line(
        [
          [left, py],
          [right, py],
        ],
        { colour: colour("ink"), width: 1.25, dash: [5, 4] },
      );
      taken.push({ x: left, y: py - 1.5, w: right - left, h: 3 });
      const text = t.timeLimit(join(time(answer.budget.time_ns, units)));
      labels.push({
        wish: { x: right - 4, y: py - 9, w: textWidth(text, "12px"), h: 14, gap: 0, sides: ["left"], must: true },
        text,
        css: "name halo",
        priority: 1,
      });
    }
  }
}

export function frontierChart(answer: FrontierAnswer, context: Context, width: number, height: number): HTMLElement {
  const axis = answer.axes[context.state.axis],
    view = viewOf(answer, context, axis);
  const { units, narrow, words } = context,
    m = memoryUnit(units),
    unit = timeUnit(units);
  const left = narrow ? 40 : 52,
    right = width - (narrow ? 4 : 18),
    top = 40,
    bottom = height - 44;
  const plot = new Plot(width, height, `${words.axes[context.state.axis]} / ${words.peakAxis}`);
  const x = linear(view.from.peak_bytes / m, view.to.peak_bytes / m, left, right),
    y = linear(view.from.ns / unit, view.to.ns / unit, bottom, top);
  const frame: Frame = { plot, x, y, left, right, top, bottom, context, axis, answer };
  const labels: Label[] = [],
    taken: Box[] = [];
  background(frame);
  limitLines(frame, labels, taken);
  planMarks(frame, labels, taken);
  strategyMarks(frame, labels, taken);
  chosenMark(frame, labels, taken);
  measuredMarks(frame, labels, taken);
  for (let i = 1; i < axis.line_at.length; ++i) {
    // the line itself is no place for a label
    const a = axis.line_at[i - 1]!,
      b = axis.line_at[i]!;
    for (let s = 0; s < 1; s += 0.2) {
      const px = x.at((a.peak_bytes + s * (b.peak_bytes - a.peak_bytes)) / m),
        py = y.at((a.ns + s * (b.ns - a.ns)) / unit);
      taken.push({ x: px - 3, y: py - 3, w: 6, h: 6 });
    }
  }
  notes(frame, labels);
  write(frame, labels, taken);
  plot.text(left, height - 6, `↙ ${words.frontier.better}`, { class: "bold" });
  plot.text(right, height - 6, words.withUnit(words.peakAxis, units.memory), { "text-anchor": "end" });
  return plot.root;
}
