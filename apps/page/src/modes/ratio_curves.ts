// Step time and peak over the threshold, below the bars and on their axis; what does not fit is hatched.

import { shown } from "../context";
import { svg } from "../dom";
import { colour, textWidth, type Point } from "../draw/plot";
import { clamp, linear, type Scale } from "../draw/scale";
import { join, memory, memoryUnit, short, time, timeUnit } from "../numbers";
import { type Frame, at } from "./ratio_frame";

// A curve is a staircase: each place holds to the next.
function staircase(frame: Frame, y: Scale, value: (i: number) => number): Point[] {
  const { answer, x } = frame;
  const points: Point[] = [];
  answer.curve.forEach((place, i) => {
    const px = at(x, place.threshold),
      next = answer.curve[i + 1];
    points.push([px, y.at(value(i))], [next ? at(x, next.threshold) : x.high, y.at(value(i))]);
  });
  return points;
}

function hatchUnfit(frame: Frame, top: number, height: number): boolean {
  const { plot, answer, x } = frame;
  let any = false;
  answer.curve.forEach((place, i) => {
    if (place.fits) return;
    const from = at(x, place.threshold),
      next = answer.curve[i + 1],
      to = next ? at(x, next.threshold) : x.high;
    any ||= to - from > 2;
    plot.hatch(from, top, to - from, height, { colour: colour("signal"), width: 0.8, alpha: 0.3 });
  });
  return any;
}

function range(values: number[], more: (number | null | undefined)[], zero: boolean): [number, number] {
  const all = [...values, ...more.filter((v): v is number => typeof v === "number")];
  const low = Math.min(...all),
    high = Math.max(...all),
    pad = (high - low || high * 0.1 || 1) * 0.1;
  return zero ? [0, high + pad] : [low - pad, high + pad];
}

export function curves(frame: Frame, top: number): void {
  const { plot, x, left, right, context, answer } = frame;
  const { units, words } = context,
    t = words.ratio,
    m = memoryUnit(units),
    unit = timeUnit(units);
  const tall = 86,
    second = top + tall + 24,
    note = frame.narrow ? left + 4 : right + 8;
  // The fast end is what matters: a staircase that climbs far beyond is cut at the view's top.
  const steps = answer.curve.map((c) => c.step_ns / unit);
  const sorted = [...steps].sort((a, b) => a - b),
    usual = sorted[Math.floor(sorted.length * 0.8)] ?? 1;
  const base = answer.keep_all.step_ns / unit;
  const most = Math.max(...steps) > base + (usual - base) * 3 ? usual : Math.max(...steps);
  const y1 = linear(
    ...range(
      steps.filter((s) => s <= most),
      [answer.solver ? answer.solver.step_ns / unit : null],
      false,
    ),
    top + tall,
    top,
  );
  const y2 = linear(
    ...range(
      answer.curve.map((c) => c.peak_bytes / m),
      [Math.min(answer.limit_bytes, answer.keep_all.peak_bytes * 1.3) / m],
      true,
    ),
    second + tall,
    second,
  );
  plot.text(0, top + 12, t.step(units.time), { style: "fill:var(--ink2)" });
  plot.text(0, second + 12, t.peak(units.memory), { style: "fill:var(--ink2)" });
  const unfit = hatchUnfit(frame, top, tall);
  hatchUnfit(frame, second, tall);
  plot.yAxis(y1, left, right, (tick) => short(tick), 4);
  plot.yAxis(y2, left, right, (tick) => short(tick), 3);
  const ink = { colour: colour("ink"), width: 2 };
  plot.clip(left, top - 2, right - left, tall + 4, () =>
    plot.line(
      staircase(frame, y1, (i) => answer.curve[i]!.step_ns / unit),
      ink,
    ),
  );
  plot.line(
    staircase(frame, y2, (i) => answer.curve[i]!.peak_bytes / m),
    ink,
  );
  if (answer.solver && shown(context, "solver")) {
    const y = y1.at(answer.solver.step_ns / unit);
    plot.line(
      [
        [left, y],
        [right, y],
      ],
      { colour: colour("ink2"), width: 1.2, dash: [5, 4] },
    );
    const ny = clamp(y, top + 6, top + tall - 18);
    if (!frame.narrow) {
      plot.text(note, ny + 2, t.solverLine(join(time(answer.solver.step_ns, units))), { class: "bold" });
      plot.text(note, ny + 16, t.solverNote(join(memory(answer.solver.peak_bytes, units))), {});
    }
  }
  const limit = y2.at(answer.limit_bytes / m);
  if (limit > second - 4) {
    plot.line(
      [
        [left, limit],
        [right, limit],
      ],
      { colour: colour("signal"), width: 1.25 },
    );
    plot.text(note, frame.narrow ? limit - 5 : limit + 4, t.limit(join(memory(answer.limit_bytes, units))), {
      class: "limit halo",
    });
  }
  if (unfit && !frame.narrow) plot.text(right - 6, top + 12, t.doesNotFit, { "text-anchor": "end", class: "halo" });
  const axisY = second + tall;
  plot.xAxis(x, axisY, (tick) => short(tick), frame.narrow ? 4 : 8);
  plot.text(right, axisY + 33, t.xAxis, { "text-anchor": "end" });
  const px = at(x, frame.threshold),
    rule = answer.rule;
  for (const [y, text, above] of [
    [
      y1.at(rule.step_ns / unit),
      answer.is_best && answer.best ? t.bestFits(join(time(rule.step_ns, units))) : join(time(rule.step_ns, units)),
      false,
    ],
    [y2.at(rule.peak_bytes / m), join(memory(rule.peak_bytes, units)), false],
  ] as const) {
    if (y < top - 2) continue;
    plot.add(
      svg("circle", {
        cx: px,
        cy: y,
        r: 5.5,
        style: "fill:var(--bg);stroke:var(--ink)",
        "stroke-width": 2,
        "pointer-events": "none",
      }),
    );
    const leftSide = px - left > textWidth(text, "600 11px") + 20;
    plot.text(px + (leftSide ? -12 : 12), y + (above ? -8 : 18), text, {
      class: "bold halo",
      "text-anchor": leftSide ? "end" : "start",
      "pointer-events": "none",
    });
  }
}
