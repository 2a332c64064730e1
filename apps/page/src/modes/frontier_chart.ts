// The frontier's picture: plans no other beats as a line, strategies as marks, limits, bound and iso-cost lines. Every
// place in it is a field of the answer; here they only become pixels.

import type { At, Axis, FrontierAnswer, Measured, PlanPoint } from "../../contract";
import type { Context } from "../context";
import { shown } from "../context";
import { svg } from "../dom";
import { place, type Box, type Wish } from "../draw/labels";
import { hueColour, shape } from "../draw/marks";
import { colour, Plot, textWidth, type Point } from "../draw/plot";
import { linear, type Scale } from "../draw/scale";
import { join, memory, memoryUnit, short, three, time, timeUnit } from "../numbers";
import { chosenOf } from "../questions";
import { hue, measuredTip, nameOf, pointTip } from "./points";

interface Frame { plot: Plot; x: Scale; y: Scale; left: number; right: number; top: number; bottom: number; context: Context; axis: Axis; answer: FrontierAnswer }
interface Label { wish: Wish; text: string; second?: string; css: string; priority: number; leader?: boolean }
type Where = { x: number; y: number; off: "up" | "right" | "left" | "down" | null };

const nsOf = (point: PlanPoint, context: Context): number =>
  context.state.axis === "step_time" ? point.step_ns : context.state.axis === "extra_compute" ? point.recompute_ns : point.link_busy_ns;

// What lies beyond the view sits at its edge, with an arrow.
function where(frame: Frame, at: At): Where {
  const { x, y, left, right, top, bottom, context } = frame;
  const px = x.at(at.peak_bytes / memoryUnit(context.units)), py = y.at(at.ns / timeUnit(context.units));
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
  const sorted = [...times].sort((a, b) => a - b), high = sorted[Math.floor((sorted.length - 1) * 0.85)] ?? 0, low = sorted[0] ?? 0;
  const top = high + (high - low) * 0.15 + high * 0.02;
  const right = keepAllPeak > view.to.peak_bytes && keepAllPeak < Math.max(...peaks, 1) * 5 ? keepAllPeak + (keepAllPeak - view.from.peak_bytes) * 0.04 : view.to.peak_bytes;
  const far = top > 0 && view.to.ns > top * 2;
  const from = far && low > 0 && view.from.ns < low - (top - low) * 0.2 ? Math.max(0, Math.round(low - (top - low) * 0.12)) : view.from.ns;
  return { from: { peak_bytes: view.from.peak_bytes, ns: from }, to: { peak_bytes: right, ns: far ? Math.round(top) : view.to.ns } };
}

// While a slider is held the axes keep their range.
function viewOf(answer: FrontierAnswer, context: Context, axis: Axis): Axis["view"] {
  const key = `${context.scenario.id}/${context.state.axis}`;
  if (context.held && heldView?.key === key) return heldView.axis;
  const all = [...answer.points, ...answer.strategies];
  heldView = { key, axis: cropped(axis.view, all.map((p) => p.peak_bytes), all.map((p) => nsOf(p, context)), answer.keep_all.peak_bytes) };
  return heldView.axis;
}

// A straight line to where it leaves the picture.
function extended([x1, y1]: Point, [x2, y2]: Point): [Point, Point] {
  const dx = (x2 - x1) * 20, dy = (y2 - y1) * 20;
  return [[x1 - dx, y1 - dy], [x2 + dx, y2 + dy]];
}

function background(frame: Frame): void {
  const { plot, x, y, left, right, top, bottom, context, axis, answer } = frame;
  const m = memoryUnit(context.units), t = timeUnit(context.units);
  const at = (p: At): Point => [x.at(p.peak_bytes / m), y.at(p.ns / t)];
  plot.clip(left, top, right - left, bottom - top, () => {
    const outline = axis.dominated.map(at), first = outline[0], last = outline[outline.length - 1];
    if (first && last) plot.area([[first[0], top - 1], ...outline, [right + 1, last[1]], [right + 1, top - 1]], colour("dominated"));
    const limit = x.at(answer.budget.memory_bytes / m);
    if (limit < right) plot.hatch(Math.max(limit, left), top, right - Math.max(limit, left), bottom - top, { colour: colour("signal"), width: 0.7, alpha: 0.11 });
  });
  plot.yAxis(y, left, right, (tick) => short(tick), context.narrow ? 6 : 8);
  plot.xAxis(x, bottom, short, context.narrow ? 5 : 10);
  plot.clip(left, top, right - left, bottom - top, () => {
    if (shown(context, "iso")) for (const line of axis.iso_cost) plot.line(extended(at(line.from), at(line.to)), { colour: colour("neutral"), width: 1.1, dash: [1, 4] });
    if (shown(context, "bound")) plot.line([...axis.bound.map(at), ...axis.bound.slice(-1).map((p): Point => [right + 1, at(p)[1]])], { colour: colour("neutral"), width: 1.25, dash: [3, 3] });
    const ink = colour("ink");
    const line = axis.line_at.map(at);
    plot.line(line, { colour: ink, width: 2.25 });
    for (const [px, py] of line) plot.dot(px, py, 1.9, ink);
  });
}

function limitLines(frame: Frame, labels: Label[], taken: Box[]): void {
  const { plot, x, y, left, right, top, bottom, context, answer } = frame;
  const { words, units, narrow } = context, t = words.frontier;
  const px = x.at(answer.budget.memory_bytes / memoryUnit(units));
  if (px >= left && px <= right) {
    plot.line([[px, top - 6], [px, bottom]], { colour: colour("signal"), width: 1.25 });
    const text = narrow ? t.limitShort(join(memory(answer.budget.memory_bytes, units))) : t.memoryLimit(join(memory(answer.budget.memory_bytes, units)));
    const roomRight = right - px > textWidth(text, "600 11px") + 8;
    labels.push({ wish: { x: px, y: top + (narrow ? 1 : 4), w: textWidth(text, "600 11px"), h: 13, gap: 6, sides: roomRight ? ["right"] : ["left"], must: true }, text, css: "limit halo", priority: 1 });
    if (!narrow && roomRight && right - px > 150) {
      labels.push({ wish: { x: px, y: top + 20, w: textWidth(t.beyond), h: 13, gap: 6, sides: ["right"] }, text: t.beyond, css: "halo", priority: 8 });
    }
  }
  if (answer.budget.time_ns !== null && context.state.axis === "step_time") {
    const py = y.at(answer.budget.time_ns / timeUnit(units));
    if (py >= top && py <= bottom) {
      plot.line([[left, py], [right, py]], { colour: colour("ink"), width: 1.25, dash: [5, 4] });
      taken.push({ x: left, y: py - 1.5, w: right - left, h: 3 });
      const text = t.timeLimit(join(time(answer.budget.time_ns, units)));
      labels.push({ wish: { x: right - 4, y: py - 9, w: textWidth(text, "12px"), h: 14, gap: 0, sides: ["left"], must: true }, text, css: "name halo", priority: 1 });
    }
  }
}

function arrow(frame: Frame, at: Where): void {
  const { x, y } = at;
  const d = at.off === "up" ? `M${x} ${y - 9}v-9m-3 3l3-3l3 3` : at.off === "right" ? `M${x + 9} ${y}h8m-3-3l3 3l-3 3`
    : at.off === "left" ? `M${x - 9} ${y}h-8m3-3l-3 3l3 3` : `M${x} ${y + 9}v8m-3-3l3 3l3-3`;
  frame.plot.add(svg("path", { d, fill: "none", style: "stroke:var(--ink2)", "stroke-width": 1.2 }));
}

function strategyMarks(frame: Frame, labels: Label[], taken: Box[]): void {
  const { context, answer, plot } = frame;
  const chosen = context.answers.plan?.answer.plan.name;
  const byX: Where[] = [];
  for (const point of answer.strategies) {
    const at = where(frame, { peak_bytes: point.peak_bytes, ns: nsOf(point, context) });
    if (at.off === "up") for (const other of byX) if (other.off === "up" && Math.abs(other.x - at.x) < 14) at.x = other.x + 15;
    if (at.off) { byX.push(at); arrow(frame, at); }
    const group = svg("g", { class: "mark", "data-focus": `mark/${point.name}` },
      svg("circle", { class: "ring", cx: at.x, cy: at.y, r: 10, style: `stroke:${hueColour(hue(point))}` }),
      shape(hue(point), at.x, at.y, 4.4), svg("circle", { class: "hit", cx: at.x, cy: at.y, r: 13 }));
    const tip = () => pointTip(point, context, point.name === chosen);
    const { units } = context;
    context.tip.attach(group, `${point.name}: ${join(memory(point.peak_bytes, units))}, ${join(time(point.step_ns, units))}`, tip, () => context.choose(point.plan));
    plot.add(group);
    taken.push({ x: at.x - 6, y: at.y - 6, w: 12, h: 12 });
    if (point.name === chosen) continue;
    const off = at.off ? join(time(nsOf(point, context), units)) : undefined;
    const text = context.narrow && off ? off : point.name;
    const label: Label = { wish: { x: at.x, y: at.off === "up" && !context.narrow ? at.y - 8 : at.y, w: Math.max(textWidth(text, "12px"), off ? textWidth(off) : 0), h: off && !context.narrow ? 27 : 15, gap: 10,
      sides: ["right", "left", "above", "below", "above-right", "below-right", "above-left"] }, text, css: "name halo", priority: at.off ? 6 : 5 };
    if (off && !context.narrow) label.second = at.off === "right" || at.off === "left" ? join(memory(point.peak_bytes, units)) : off;
    labels.push(label);
  }
}

function planMarks(frame: Frame, labels: Label[], taken: Box[]): void {
  const { context, answer, axis, plot } = frame;
  const { words } = context, t = words.frontier;
  const all = new Map([...answer.strategies, ...answer.points].map((p) => [p.name, p]));
  const chosenName = context.answers.plan?.answer.plan.name;
  axis.line.forEach((name, i) => {
    const point = all.get(name), spot = axis.line_at[i];
    if (!point || !spot || answer.strategies.some((s) => s.name === name)) return;
    const at = where(frame, spot);
    if (at.off) return;
    const group = svg("g", { class: "mark", "data-focus": `mark/${name}` }, svg("circle", { class: "ring", cx: at.x, cy: at.y, r: 8, style: "stroke:var(--ink)" }),
      svg("circle", { class: "hit", cx: at.x, cy: at.y, r: 9 }));
    context.tip.attach(group, `${name}: ${join(memory(point.peak_bytes, context.units))}, ${join(time(point.step_ns, context.units))}`,
      () => pointTip(point, context, point.name === chosenName), () => context.choose(point.plan));
    plot.add(group);
    taken.push({ x: at.x - 4, y: at.y - 4, w: 8, h: 8 });
  });
  if (context.state.axis !== "step_time") return;
  for (const pick of ["least_memory", "balanced", "fastest"] as const) {
    const point = all.get(answer.picks[pick] ?? "");
    if (!point) continue;
    const at = where(frame, { peak_bytes: point.peak_bytes, ns: nsOf(point, context) });
    if (at.off) continue;
    plot.add(svg("circle", { cx: at.x, cy: at.y, r: 5.2, style: "fill:none;stroke:var(--ink);pointer-events:none", "stroke-width": 2 }));
    if (!answer.strategies.some((s) => s.name === point.name)) plot.add(svg("circle", { cx: at.x, cy: at.y, r: 4.2, style: "fill:var(--bg);pointer-events:none" }));
    const text = t.picks[pick]!;
    labels.push({ wish: { x: at.x, y: at.y, w: textWidth(text, "12px"), h: 15, gap: 11,
      sides: pick === "fastest" ? ["right", "above", "below", "left"] : pick === "balanced" ? ["below-left", "left", "below", "above-right", "right"] : ["above", "above-left", "left", "above-right", "right"] }, text, css: "name halo", priority: 4 });
  }
}

function chosenMark(frame: Frame, labels: Label[], taken: Box[]): void {
  const { context, plot } = frame;
  const plan = context.answers.plan?.answer;
  if (!plan || !plan.found) return;
  const point = plan.plan, { units } = context;
  const at = where(frame, { peak_bytes: point.peak_bytes, ns: nsOf(point, context) });
  const strategy = frame.answer.strategies.some((s) => s.name === point.name) && context.state.chosen !== null;
  const group = svg("g", { class: "mark", "data-focus": "mark/chosen" },
    svg("circle", { cx: at.x, cy: at.y, r: 11, style: "fill:none;stroke:var(--ink)", "stroke-width": 1.4 }),
    strategy ? shape(hue(point), at.x, at.y, 4.4) : svg("circle", { cx: at.x, cy: at.y, r: 5.6, style: "fill:var(--ink)" }),
    svg("circle", { class: "hit", cx: at.x, cy: at.y, r: 12 }));
  const name = nameOf(point, context);
  const text = context.narrow ? name : `${name} ${join(memory(point.peak_bytes, units))} · ${join(time(nsOf(point, context), units))}`;
  context.tip.attach(group, text, () => pointTip(point, context, true), () => context.change({ plan: true }));
  plot.add(group);
  if (at.off) arrow(frame, at);
  taken.push({ x: at.x - 12, y: at.y - 12, w: 24, h: 24 });
  labels.push({ wish: { x: at.x, y: at.y, w: textWidth(text, "600 13px") + 4, h: 17, gap: 18, sides: ["below-left", "above-right", "below-right", "left", "right", "above-left", "below", "above"], must: true }, text, css: "bold halo", priority: 0, leader: true });
}

function measuredMarks(frame: Frame, labels: Label[], taken: Box[]): void {
  const { context, answer, plot, y } = frame;
  if (!shown(context, "measured") || context.state.axis !== "step_time") return;
  const runs: Measured[] = answer.measured.filter((run) => run.step_ns !== null);
  runs.forEach((run, i) => {
    const at = where(frame, { peak_bytes: run.peak_bytes, ns: run.step_ns! });
    if (at.off) return;
    const unit = timeUnit(context.units);
    const high = y.at((run.step_high_ns ?? run.step_ns!) / unit), low = y.at((run.step_low_ns ?? run.step_ns!) / unit);
    const group = svg("g", { class: "mark", "data-focus": `measured/${i}` },
      svg("path", { d: `M${at.x} ${high}V${low}M${at.x - 4} ${high}h8M${at.x - 4} ${low}h8`, style: "stroke:var(--ink)", "stroke-width": 1.2, fill: "none" }),
      svg("circle", { cx: at.x, cy: at.y, r: 2.6, style: "fill:var(--bg);stroke:var(--ink)", "stroke-width": 1.2 }), svg("circle", { class: "hit", cx: at.x, cy: at.y, r: 10 }));
    context.tip.attach(group, context.words.frontier.measuredTip(run.name), () => measuredTip(run, context));
    plot.add(group);
    taken.push({ x: at.x - 5, y: high, w: 10, h: low - high });
    if (i === 0) labels.push({ wish: { x: at.x, y: at.y, w: textWidth(context.words.frontier.measured), h: 13, gap: 9, sides: ["above-right", "right", "above"] }, text: context.words.frontier.measured, css: "halo", priority: 7 });
  });
}

function notes(frame: Frame, labels: Label[]): void {
  const { context, axis, left, right, top, bottom, x, y } = frame;
  const t = context.words.frontier, m = memoryUnit(context.units), unit = timeUnit(context.units);
  const note = (px: number, py: number, text: string, sides: Wish["sides"], priority: number) => {
    labels.push({ wish: { x: px, y: py, w: textWidth(text), h: 13, gap: 6, sides: sides ?? ["right"] }, text, css: "halo", priority });
  };
  if (context.narrow) return;
  note(right - 2, top + (bottom - top) * 0.3, t.dominated, ["left"], 9);
  if (shown(context, "bound") && axis.bound.length > 1) {
    const inside = axis.bound.map((p) => [x.at(p.peak_bytes / m), y.at(p.ns / unit)] as Point).filter(([px, py]) => px > left && px < right && py > top && py < bottom);
    const at = inside[Math.floor(inside.length / 3)];
    if (at) note(at[0], at[1], t.bound, ["below-right", "below", "below-left", "right"], 8);
  }
  if (!shown(context, "iso")) return;
  const best = [...frame.answer.strategies, ...frame.answer.points].find((p) => p.name === axis.best?.name);
  if (axis.best && best) {
    const at = where(frame, { peak_bytes: best.peak_bytes, ns: nsOf(best, context) });
    if (!at.off) note(at.x, at.y, t.leastCost(three(axis.best.cost)), ["below-left", "below", "below-right", "above-right", "left"], 6);
  }
  axis.iso_cost.forEach((line, i) => {
    if (i === 0 && best) return;
    const from: Point = [x.at(line.from.peak_bytes / m), y.at(line.from.ns / unit)], to: Point = [x.at(line.to.peak_bytes / m), y.at(line.to.ns / unit)];
    if (i > 1) return;
    const text = i === 0 ? t.leastCost(three(line.cost)) : t.equalCost(three(line.cost));
    for (const share of [0.82, 0.6, 0.4, 0.25]) {
      const px = from[0] + share * (to[0] - from[0]), py = from[1] + share * (to[1] - from[1]);
      if (px > left + 10 && px < right - 90 && py > top + 20 && py < bottom - 14) { note(px, py, text, ["above-right", "below-left", "right"], 9); break; }
    }
  });
}

function write(frame: Frame, labels: Label[], taken: Box[]): void {
  const { plot, left, right, bottom } = frame;
  labels.sort((a, b) => a.priority - b.priority);
  const places = place(labels.map((label) => label.wish), taken, { x: left - 4, y: 0, w: right - left + 12, h: bottom });
  labels.forEach((label, i) => {
    const at = places[i];
    if (!at) return;
    if (label.leader) {
      const cx = at.x + (at.x + at.w / 2 < label.wish.x ? at.w : at.x > label.wish.x ? 0 : at.w / 2), cy = at.y < label.wish.y ? at.y + at.h : at.y;
      const dx = cx - label.wish.x, dy = cy - label.wish.y, d = Math.hypot(dx, dy) || 1;
      if (d > 14) plot.add(svg("line", { x1: label.wish.x + (dx / d) * 11.5, y1: label.wish.y + (dy / d) * 11.5, x2: cx, y2: cy, style: "stroke:var(--ink)", "stroke-width": 1 }));
    }
    const anchor = at.side.includes("left") ? "end" : at.side === "above" || at.side === "below" ? "middle" : "start";
    const px = anchor === "end" ? at.x + at.w : anchor === "middle" ? at.x + at.w / 2 : at.x;
    const size = label.priority === 0 ? { style: "font-size:13px" } : {};
    plot.text(px, at.y + (label.second ? 12 : at.h / 2 + 4), label.text, { class: label.css, "text-anchor": anchor, "pointer-events": "none", ...size });
    if (label.second) plot.text(px, at.y + 25, label.second, { class: "halo", "text-anchor": anchor, "pointer-events": "none" });
  });
}

export function frontierChart(answer: FrontierAnswer, context: Context, width: number, height: number): HTMLElement {
  const axis = answer.axes[context.state.axis], view = viewOf(answer, context, axis);
  const { units, narrow, words } = context, m = memoryUnit(units), unit = timeUnit(units);
  const left = narrow ? 40 : 52, right = width - (narrow ? 4 : 18), top = 40, bottom = height - 44;
  const plot = new Plot(width, height, `${words.axes[context.state.axis]} / ${words.peakAxis}`);
  const x = linear(view.from.peak_bytes / m, view.to.peak_bytes / m, left, right), y = linear(view.from.ns / unit, view.to.ns / unit, bottom, top);
  const frame: Frame = { plot, x, y, left, right, top, bottom, context, axis, answer };
  const labels: Label[] = [], taken: Box[] = [];
  background(frame);
  limitLines(frame, labels, taken);
  planMarks(frame, labels, taken);
  strategyMarks(frame, labels, taken);
  measuredMarks(frame, labels, taken);
  chosenMark(frame, labels, taken);
  for (let i = 1; i < axis.line_at.length; ++i) { // the line itself is no place for a label
    const a = axis.line_at[i - 1]!, b = axis.line_at[i]!;
    for (let s = 0; s < 1; s += 0.2) {
      const px = x.at((a.peak_bytes + s * (b.peak_bytes - a.peak_bytes)) / m), py = y.at((a.ns + s * (b.ns - a.ns)) / unit);
      taken.push({ x: px - 3, y: py - 3, w: 6, h: 6 });
    }
  }
  notes(frame, labels);
  write(frame, labels, taken);
  plot.text(left, height - 6, `↙ ${words.frontier.better}`, { class: "bold" });
  plot.text(right, height - 6, words.withUnit(words.peakAxis, units.memory), { "text-anchor": "end" });
  return plot.root;
}

export const chosenKey = (point: PlanPoint): string | null => chosenOf(point.plan);
