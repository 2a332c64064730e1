// Bars, step time and peak over one x axis, and one line to drag through all three.

import type { RatioAnswer } from "../../contract";
import { shown, type Context } from "../context";
import { h, svg } from "../dom";
import { hueOf, hueClass, shape } from "../draw/marks";
import { colour, Plot, textWidth } from "../draw/plot";
import { fixed, memoryFine, three, timeCell } from "../numbers";
import { ratioTip, rowName, type Shown } from "./ratio";
import { type Frame, kRow, xScale, at, kTop } from "./ratio_frame";
import { curves } from "./ratio_curves";
import { thresholdLine } from "./ratio_threshold";

function bars(frame: Frame, rows: Shown[]): void {
  const { plot, x, left, right, context, answer, narrow } = frame;
  const { units, words } = context,
    t = words.ratio;
  const wide = plot.width,
    end = kTop + rows.length * kRow;
  for (const tick of x.ticks(6))
    plot.line(
      [
        [x.at(tick) + 0.5, kTop],
        [x.at(tick) + 0.5, end],
      ],
      { colour: colour("grid"), width: 1 },
    );
  plot.line(
    [
      [left + 0.5, kTop],
      [left + 0.5, end],
    ],
    { colour: colour("axis"), width: 1 },
  );
  plot.line(
    [
      [at(x, 1), kTop],
      [at(x, 1), end],
    ],
    { colour: colour("axis"), width: 1, dash: [3, 3] },
  );
  rows.forEach((s, i) => {
    const { row, depth } = s,
      y = kTop + i * kRow,
      middle = y + kRow / 2;
    const differs = row.differs && shown(context, "solver");
    if (differs) plot.bar(0, y, wide, kRow, colour("grid"));
    const length = at(x, row.ratio),
      off = row.ratio > x.to;
    plot.bar(left, y + 2.6, Math.max(1, length - left), kRow - 5.2, colour(row.rule), depth > 0 ? 0.6 : 1);
    const name = rowName(s, context);
    plot.text(left - 8, middle + 4, clipped(name, left - 12 - depth * 8), {
      class: differs ? "bold" : "name",
      "text-anchor": "end",
      style: "font-size:12px",
    });
    const value = `${ratioText(row.ratio)}${off ? " →" : ""}`;
    plot.text(
      off ? right - 6 : length + 6,
      middle + 4,
      value,
      off ? { "text-anchor": "end", style: "fill:var(--bg);font-weight:600" } : { class: "halo" },
    );
    if (!narrow) {
      plot.text(wide - 168, middle + 4, memoryFine(row.bytes, units), {
        "text-anchor": "end",
        style: "font-size:12px",
      });
      plot.text(wide - 102, middle + 4, timeCell(row.recompute_ns, units), {
        "text-anchor": "end",
        style: "font-size:12px",
      });
    }
    if (row.solver !== null && shown(context, "solver")) {
      const hue = hueOf(row.solver === "mixed" ? "hybrid" : row.solver);
      plot.add(shape(hue, wide - 76, middle, 3.2));
      if (differs)
        plot.text(
          wide - 62,
          middle + 4,
          row.solver === "mixed"
            ? t.share(String(row.solver_recomputes), String(row.count))
            : words.fateWords[row.solver]!,
          { class: hueClass(hue), style: "font-size:11px" },
        );
    }
    const hit = svg(
      "g",
      { class: "mark", "data-focus": `ratio/${row.label}/${depth}/${row.block ?? ""}` },
      svg("rect", { x: 0, y, width: wide, height: kRow, class: "hit" }),
      svg("rect", {
        x: 0.5,
        y: y + 0.5,
        width: wide - 1,
        height: kRow - 1,
        class: "ring",
        rx: 3,
        style: "stroke:var(--axis)",
      }),
    );
    const act =
      row.count > 1 && depth === 0
        ? () =>
            context.change({
              unfold: context.state.unfold.includes(row.label)
                ? context.state.unfold.filter((u) => u !== row.label)
                : [...context.state.unfold, row.label].slice(-8),
            })
        : undefined;
    context.tip.attach(
      hit,
      `${name}: ${t.ratioWord(three(row.ratio))}, ${words.fateWords[row.rule]}`,
      () => ratioTip(s, answer, context),
      act,
    );
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

export function ratioChart(answer: RatioAnswer, rows: Shown[], context: Context): HTMLElement {
  const { words, units, narrow, width } = context,
    t = words.ratio;
  const dishes = context.scenario.subject.kind === "mixed_kitchen";
  const left = narrow ? 112 : 150,
    right = width - (narrow ? 92 : 250);
  const threshold =
    typeof context.state.set["threshold"] === "number" ? context.state.set["threshold"] : answer.threshold;
  const x = xScale(rows, threshold, context.state.log, left, right);
  const end = kTop + rows.length * kRow,
    pill = end + 5,
    curvesTop = pill + 36,
    showCurves = shown(context, "curves") && answer.curve.length > 0;
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
  const { plot, x, right, context, threshold } = frame,
    t = context.words.ratio;
  const px = at(x, threshold) + 12,
    need = Math.max(textWidth(t.right, "600 11px"), textWidth(t.left, "600 11px")) + 16;
  const free = rows.findIndex(
    (_, i) => rows.slice(i, i + 3).length === 3 && rows.slice(i, i + 3).every((s) => at(x, s.row.ratio) + 44 < px),
  );
  if (free < 0 || px + need > right || kTop + (free + 2) * kRow > end) return;
  const y = kTop + free * kRow + 14;
  plot.add(shape("recompute", px + 4, y, 4), shape("keep", px + 4, y + 17, 3.6));
  plot.text(px + 14, y + 4, t.right, { class: "recompute halo" });
  plot.text(px + 14, y + 21, t.left, { class: "keep halo" });
}
