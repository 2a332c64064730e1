// Memory over the number of segments: the ledger beside what is really held.

import type { LedgerAnswer, SegmentCurve } from "../../contract";
import type { Context } from "../context";
import { svg } from "../dom";
import { place, type Wish } from "../draw/labels";
import { colour, Plot, textWidth, type Point } from "../draw/plot";
import { linear } from "../draw/scale";
import { short } from "../numbers";

// "Larger K is not always better" only where the picture shows it.
function grows(curve: SegmentCurve): boolean {
  const least = curve.least_simulated ?? curve.least_held;
  const last = curve.points[curve.points.length - 1];
  const end = last && (curve.least_simulated ? (last.simulated_gb ?? 0) : last.held_gb);
  return end !== undefined && end > least.memory_gb * 1.005;
}

export function kCurveNote(curve: SegmentCurve, context: Context): string {
  return grows(curve) ? context.words.strategiesMode.curveTitle : context.words.strategiesMode.curveX;
}

export function segmentCurve(curve: SegmentCurve, answer: LedgerAnswer, context: Context, width: number): HTMLElement {
  const t = context.words.strategiesMode;
  const height = 290,
    left = 44,
    right = width - 8,
    top = 8,
    bottom = height - 36;
  const plot = new Plot(width, height, t.curveTitle);
  const points = curve.points.slice(0, Math.max(8, Math.min(curve.points.length, Math.round(curve.root * 4))));
  const simulated = points.every((p) => p.simulated_gb !== null);
  const real = (p: (typeof points)[number]) => (simulated ? p.simulated_gb! : p.held_gb);
  const most = Math.max(...points.map((p) => Math.max(p.ledger_gb, real(p))));
  const last = points[points.length - 1]!;
  const x = linear(1, last.segments, left, right),
    y = linear(0, most * 1.03, bottom, top);
  plot.yAxis(y, left, right, (tick) => short(tick), 5);
  plot.xAxis(x, bottom, (tick) => short(Math.max(1, tick)), 6);
  const amber = colour("recompute");
  plot.line(
    points.map((p) => [x.at(p.segments), y.at(p.ledger_gb)] as Point),
    { colour: amber, width: 1.5, dash: [5, 3] },
  );
  plot.line(
    points.map((p) => [x.at(p.segments), y.at(real(p))] as Point),
    { colour: amber, width: 2.25 },
  );
  const limit = answer.ledger.limits.memory_gb;
  const wishes: (Wish & { text: string; css: string })[] = [];
  const add = (px: number, py: number, text: string, css: string, sides: NonNullable<Wish["sides"]>, gap: number) =>
    wishes.push({ x: px, y: py, w: textWidth(text, "600 11px"), h: 14, gap, sides, text, css, must: true });
  const found = (simulated ? curve.least_simulated : curve.least_held) ?? curve.least_held;
  const noted = grows(curve) && found.segments <= last.segments;
  const lx = x.at(found.segments),
    ly = y.at(found.memory_gb);
  if (limit !== null && limit <= most) {
    plot.line(
      [
        [left, y.at(limit)],
        [right, y.at(limit)],
      ],
      { colour: colour("signal"), width: 1.25 },
    );
    add(right, y.at(limit), t.memoryLimit, "limit halo", ["above-left", "below-left"], 3);
  }
  // Above the end of the curve, whose label it must not meet.
  const endY = y.at(real(last)),
    lift = Math.abs(ly - 66 - (endY - 14)) < 24 ? 40 : 0,
    noteY = Math.max(top + 20, ly - 66 - lift);
  if (noted) {
    plot.line(
      [
        [lx, ly - 5],
        [lx, noteY + 4],
      ],
      { colour: colour("axis"), width: 1 },
    );
    plot.text(lx + 2, noteY - 14, t.least(`${short(found.memory_gb)} GB`), {
      class: "bold halo",
      style: "font-size:12px",
    });
    plot.text(lx + 2, noteY, t.root(short(found.segments), short(curve.root)), { class: "halo" });
  }
  const word = simulated ? t.curveSimulated : t.curveHeld;
  add(
    right,
    y.at(real(last)),
    word(`${short(real(last))} GB`),
    "recompute halo",
    ["above-left", "below-left", "above"],
    8,
  );
  add(
    right,
    y.at(last.ledger_gb),
    t.curveLedger(`${short(last.ledger_gb)} GB`),
    "halo",
    ["above-left", "below-left"],
    6,
  );
  const taken = noted
    ? [
        {
          x: lx,
          y: noteY - 26,
          w:
            Math.max(
              textWidth(t.least(`${short(found.memory_gb)} GB`), "600 12px"),
              textWidth(t.root(short(found.segments), short(curve.root))),
            ) + 8,
          h: 32,
        },
      ]
    : [];
  const places = place(wishes, taken, { x: left, y: top, w: right - left + 2, h: bottom - top });
  wishes.forEach((wish, i) => {
    const at = places[i];
    if (at) plot.text(at.x + at.w, at.y + 11, wish.text, { class: wish.css, "text-anchor": "end" });
  });
  plot.add(svg("circle", { cx: lx, cy: ly, r: 5, style: "fill:var(--bg);stroke:var(--recompute)", "stroke-width": 2 }));
  plot.text(right, height - 4, t.curveX, { "text-anchor": "end" });
  return plot.root;
}

// ---------------------------------------------------------------------------------------------------------- stacks
