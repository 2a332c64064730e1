// Bars, step time and peak over one x axis, and one line to drag through all three.

import type { RatioAnswer } from "../../contract";
import { shown, type Context } from "../context";
import { h, svg } from "../dom";
import { hueOf, hueClass, shape } from "../draw/marks";
import { colour, Plot, textWidth, type Point } from "../draw/plot";
import { clamp, linear, logarithmic, type Scale } from "../draw/scale";
import { fixed, join, memory, memoryFine, memoryUnit, short, three, time, timeCell, timeUnit } from "../numbers";
import { ratioTip, rowName, type Shown } from "./ratio";

interface Frame { plot: Plot; x: Scale; left: number; right: number; context: Context; answer: RatioAnswer; threshold: number; narrow: boolean }

const kRow = 14.6, kTop = 26;

// Linear up to what most rows need; what is beyond sits at the edge with its value.
function xScale(rows: Shown[], threshold: number, log: boolean, left: number, right: number): Scale {
  const ratios = rows.map((s) => s.row.ratio).filter((r) => r > 0).sort((a, b) => a - b);
  const most = ratios[ratios.length - 1] ?? 2, least = ratios[0] ?? 0.1;
  if (log) return logarithmic(Math.max(1e-3, Math.min(least, threshold || 1, 1) * 0.7), Math.max(most, threshold, 2) * 1.4, left, right);
  const usual = ratios[Math.floor(ratios.length * 0.7)] ?? most;
  const to = most > 12 ? Math.max(6, Math.min(most, usual * 2), threshold * 1.2) : Math.max(most * (right - left < 200 ? 1.25 : 1.12), threshold * 1.1, 2.5);
  return linear(0, to, left, right);
}

const at = (x: Scale, value: number): number => clamp(x.at(Math.max(value, x.from || 0)), x.low, x.high);

function bars(frame: Frame, rows: Shown[]): void {
  const { plot, x, left, right, context, answer, narrow } = frame;
  const { units, words } = context, t = words.ratio;
  const wide = plot.width, end = kTop + rows.length * kRow;
  for (const tick of x.ticks(6)) plot.line([[x.at(tick) + 0.5, kTop], [x.at(tick) + 0.5, end]], { colour: colour("grid"), width: 1 });
  plot.line([[left + 0.5, kTop], [left + 0.5, end]], { colour: colour("axis"), width: 1 });
  plot.line([[at(x, 1), kTop], [at(x, 1), end]], { colour: colour("axis"), width: 1, dash: [3, 3] });
  rows.forEach((s, i) => {
    const { row, depth } = s, y = kTop + i * kRow, middle = y + kRow / 2;
    const differs = row.differs && shown(context, "solver");
    if (differs) plot.bar(0, y, wide, kRow, colour("grid"));
    const length = at(x, row.ratio), off = row.ratio > x.to;
    plot.bar(left, y + 2.6, Math.max(1, length - left), kRow - 5.2, colour(row.rule), depth > 0 ? 0.6 : 1);
    const name = rowName(s, context);
    plot.text(left - 8, middle + 4, clipped(name, left - 12 - depth * 8), { class: differs ? "bold" : "name", "text-anchor": "end", style: "font-size:12px" });
    const value = `${ratioText(row.ratio)}${off ? " →" : ""}`;
    plot.text(off ? right - 6 : length + 6, middle + 4, value, off ? { "text-anchor": "end", style: "fill:var(--bg);font-weight:600" } : { class: "halo" });
    if (!narrow) {
      plot.text(wide - 168, middle + 4, memoryFine(row.bytes, units), { "text-anchor": "end", style: "font-size:12px" });
      plot.text(wide - 102, middle + 4, timeCell(row.recompute_ns, units), { "text-anchor": "end", style: "font-size:12px" });
    }
    if (row.solver !== null && shown(context, "solver")) {
      const hue = hueOf(row.solver === "mixed" ? "hybrid" : row.solver);
      plot.add(shape(hue, wide - 76, middle, 3.2));
      if (differs) plot.text(wide - 62, middle + 4, row.solver === "mixed" ? t.share(String(row.solver_recomputes), String(row.count)) : words.fateWords[row.solver]!, { class: hueClass(hue), style: "font-size:11px" });
    }
    const hit = svg("g", { class: "mark", "data-focus": `ratio/${row.label}/${depth}/${row.block ?? ""}` }, svg("rect", { x: 0, y, width: wide, height: kRow, class: "hit" }),
      svg("rect", { x: 0.5, y: y + 0.5, width: wide - 1, height: kRow - 1, class: "ring", rx: 3, style: "stroke:var(--axis)" }));
    const act = row.count > 1 && depth === 0 ? () => context.change({ unfold: context.state.unfold.includes(row.label) ? context.state.unfold.filter((u) => u !== row.label) : [...context.state.unfold, row.label].slice(-8) }) : undefined;
    context.tip.attach(hit, `${name}: ${t.ratioWord(three(row.ratio))}, ${words.fateWords[row.rule]}`, () => ratioTip(s, answer, context), act);
    plot.add(hit);
  });
}

const ratioText = (ratio: number): string => (ratio >= 0.01 && ratio < 9.995 ? fixed(ratio, 2) : three(ratio));

function clipped(text: string, room: number): string {
  if (textWidth(text, "12px") <= room) return text;
  let n = text.length;
  while (n > 3 && textWidth(`…${text.slice(text.length - n)}`, "12px") > room) --n;
  return `…${text.slice(text.length - n)}`;
}

// A curve is a staircase: each place holds to the next.
function staircase(frame: Frame, y: Scale, value: (i: number) => number): Point[] {
  const { answer, x } = frame;
  const points: Point[] = [];
  answer.curve.forEach((place, i) => {
    const px = at(x, place.threshold), next = answer.curve[i + 1];
    points.push([px, y.at(value(i))], [next ? at(x, next.threshold) : x.high, y.at(value(i))]);
  });
  return points;
}

function hatchUnfit(frame: Frame, top: number, height: number): boolean {
  const { plot, answer, x } = frame;
  let any = false;
  answer.curve.forEach((place, i) => {
    if (place.fits) return;
    const from = at(x, place.threshold), next = answer.curve[i + 1], to = next ? at(x, next.threshold) : x.high;
    any ||= to - from > 2;
    plot.hatch(from, top, to - from, height, { colour: colour("signal"), width: 0.8, alpha: 0.3 });
  });
  return any;
}

function range(values: number[], more: (number | null | undefined)[], zero: boolean): [number, number] {
  const all = [...values, ...more.filter((v): v is number => typeof v === "number")];
  const low = Math.min(...all), high = Math.max(...all), pad = (high - low || high * 0.1 || 1) * 0.1;
  return zero ? [0, high + pad] : [low - pad, high + pad];
}

function curves(frame: Frame, top: number): void {
  const { plot, x, left, right, context, answer } = frame;
  const { units, words } = context, t = words.ratio, m = memoryUnit(units), unit = timeUnit(units);
  const tall = 86, second = top + tall + 24, note = frame.narrow ? left + 4 : right + 8;
  // The fast end is what matters: a staircase that climbs far beyond is cut at the view's top.
  const steps = answer.curve.map((c) => c.step_ns / unit);
  const sorted = [...steps].sort((a, b) => a - b), usual = sorted[Math.floor(sorted.length * 0.8)] ?? 1;
  const base = answer.keep_all.step_ns / unit;
  const most = Math.max(...steps) > base + (usual - base) * 3 ? usual : Math.max(...steps);
  const y1 = linear(...range(steps.filter((s) => s <= most), [answer.solver ? answer.solver.step_ns / unit : null], false), top + tall, top);
  const y2 = linear(...range(answer.curve.map((c) => c.peak_bytes / m), [Math.min(answer.limit_bytes, answer.keep_all.peak_bytes * 1.3) / m], true), second + tall, second);
  plot.text(0, top + 12, t.step(units.time), { style: "fill:var(--ink2)" });
  plot.text(0, second + 12, t.peak(units.memory), { style: "fill:var(--ink2)" });
  const unfit = hatchUnfit(frame, top, tall);
  hatchUnfit(frame, second, tall);
  plot.yAxis(y1, left, right, (tick) => short(tick), 4);
  plot.yAxis(y2, left, right, (tick) => short(tick), 3);
  const ink = { colour: colour("ink"), width: 2 };
  plot.clip(left, top - 2, right - left, tall + 4, () => plot.line(staircase(frame, y1, (i) => answer.curve[i]!.step_ns / unit), ink));
  plot.line(staircase(frame, y2, (i) => answer.curve[i]!.peak_bytes / m), ink);
  if (answer.solver && shown(context, "solver")) {
    const y = y1.at(answer.solver.step_ns / unit);
    plot.line([[left, y], [right, y]], { colour: colour("ink2"), width: 1.2, dash: [5, 4] });
    const ny = clamp(y, top + 6, top + tall - 18);
    if (!frame.narrow) {
      plot.text(note, ny + 2, t.solverLine(join(time(answer.solver.step_ns, units))), { class: "bold" });
      plot.text(note, ny + 16, t.solverNote(join(memory(answer.solver.peak_bytes, units))), {});
    }
  }
  const limit = y2.at(answer.limit_bytes / m);
  if (limit > second - 4) {
    plot.line([[left, limit], [right, limit]], { colour: colour("signal"), width: 1.25 });
    plot.text(note, frame.narrow ? limit - 5 : limit + 4, t.limit(join(memory(answer.limit_bytes, units))), { class: "limit halo" });
  }
  if (unfit && !frame.narrow) plot.text(right - 6, top + 12, t.doesNotFit, { "text-anchor": "end", class: "halo" });
  const axisY = second + tall;
  plot.xAxis(x, axisY, (tick) => short(tick), frame.narrow ? 4 : 8);
  plot.text(right, axisY + 33, t.xAxis, { "text-anchor": "end" });
  const px = at(x, frame.threshold), rule = answer.rule;
  for (const [y, text, above] of [[y1.at(rule.step_ns / unit), answer.is_best && answer.best ? t.bestFits(join(time(rule.step_ns, units))) : join(time(rule.step_ns, units)), false], [y2.at(rule.peak_bytes / m), join(memory(rule.peak_bytes, units)), false]] as const) {
    if (y < top - 2) continue;
    plot.add(svg("circle", { cx: px, cy: y, r: 5.5, style: "fill:var(--bg);stroke:var(--ink)", "stroke-width": 2, "pointer-events": "none" }));
    const leftSide = px - left > textWidth(text, "600 11px") + 20;
    plot.text(px + (leftSide ? -12 : 12), y + (above ? -8 : 18), text, { class: "bold halo", "text-anchor": leftSide ? "end" : "start", "pointer-events": "none" });
  }
}

// The handle stays in the hand though the picture is drawn anew under it.
function thresholdLine(frame: Frame, bottom: number, pillY: number): void {
  const { plot, x, context, threshold } = frame;
  const px = at(x, threshold), text = context.words.ratio.threshold(fixed(threshold, 2)), width = textWidth(text, "600 11px") + 26;
  plot.line([[px, kTop - 4], [px, bottom]], { colour: colour("ink"), width: 2 });
  const move = (clientX: number, held: boolean) => {
    const box = document.querySelector("#ratio-chart")?.getBoundingClientRect();
    if (!box) return;
    const value = clamp(x.value(clientX - box.left), 0, x.to);
    context.set({ threshold: Number(value.toFixed(2)) }, held);
  };
  const start = (event: PointerEvent) => {
    event.preventDefault();
    const onMove = (e: PointerEvent) => move(e.clientX, true);
    const onUp = (e: PointerEvent) => { window.removeEventListener("pointermove", onMove); window.removeEventListener("pointerup", onUp); move(e.clientX, false); };
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onUp);
  };
  const keys = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" || event.key === "ArrowUp" ? 0.05 : event.key === "ArrowLeft" || event.key === "ArrowDown" ? -0.05 : 0;
    if (step === 0) return;
    event.preventDefault();
    context.set({ threshold: Number(clamp(threshold + step, 0, 100).toFixed(2)) });
  };
  const left = clamp(px - width / 2, 0, plot.width - width);
  plot.add(svg("rect", { x: px - 6, y: kTop - 4, width: 12, height: bottom - kTop, class: "handle", style: "fill:transparent", onpointerdown: start }),
    svg("g", { class: "handle", tabindex: 0, role: "slider", "aria-label": context.words.ratio.thresholdName, "aria-valuemin": 0, "aria-valuemax": fixed(x.to, 2), "aria-valuenow": threshold, "data-focus": "threshold", onpointerdown: start, onkeydown: keys },
      svg("rect", { x: left, y: pillY, width, height: 20, rx: 10, style: "fill:var(--ink)" }),
      svg("text", { x: left + width / 2, y: pillY + 14, "text-anchor": "middle", style: "fill:var(--bg);font-weight:600" }, text)));
}

export function ratioChart(answer: RatioAnswer, rows: Shown[], context: Context): HTMLElement {
  const { words, units, narrow, width } = context, t = words.ratio;
  const dishes = context.scenario.subject.kind === "mixed_kitchen";
  const left = narrow ? 112 : 150, right = width - (narrow ? 92 : 250);
  const threshold = typeof context.state.set["threshold"] === "number" ? context.state.set["threshold"] : answer.threshold;
  const x = xScale(rows, threshold, context.state.log, left, right);
  const end = kTop + rows.length * kRow, pill = end + 5, curvesTop = pill + 36, showCurves = shown(context, "curves") && answer.curve.length > 0;
  const height = showCurves ? curvesTop + 86 * 2 + 24 + 44 : pill + 28;
  const plot = new Plot(width, Math.ceil(height), words.modes.ratio);
  const frame: Frame = { plot, x, left, right, context, answer, threshold, narrow };
  plot.text(0, 12, dishes ? t.dish : t.activation, { style: "fill:var(--ink2)" });
  plot.text(left, 12, narrow ? t.axisShort : t.axis(units.memory, units.time), { style: "fill:var(--ink2)" });
  if (!narrow) {
    plot.text(width - 168, 12, t.size(units.memory), { "text-anchor": "end", style: "fill:var(--ink2)" });
    plot.text(width - 102, 12, t.redo(units.time), { "text-anchor": "end", style: "fill:var(--ink2)" });
  }
  if (shown(context, "solver")) plot.text(width - 82, 12, t.solverColumn, { style: "fill:var(--ink2)" });
  bars(frame, rows);
  sideNotes(frame, rows, end);
  if (showCurves) curves(frame, curvesTop);
  thresholdLine(frame, showCurves ? curvesTop + 86 * 2 + 24 : end + 4, pill);
  return h("div", { id: "ratio-chart", style: "margin-top:10px" }, plot.root);
}

// Which side means what, where the bars leave room for it.
function sideNotes(frame: Frame, rows: Shown[], end: number): void {
  const { plot, x, right, context, threshold } = frame, t = context.words.ratio;
  const px = at(x, threshold) + 12, need = Math.max(textWidth(t.right, "600 11px"), textWidth(t.left, "600 11px")) + 16;
  const free = rows.findIndex((_, i) => rows.slice(i, i + 3).length === 3 && rows.slice(i, i + 3).every((s) => at(x, s.row.ratio) + 44 < px));
  if (free < 0 || px + need > right || kTop + (free + 2) * kRow > end) return;
  const y = kTop + free * kRow + 14;
  plot.add(shape("recompute", px + 4, y, 4), shape("keep", px + 4, y + 17, 3.6));
  plot.text(px + 14, y + 4, t.right, { class: "recompute halo" });
  plot.text(px + 14, y + 21, t.left, { class: "keep halo" });
}
