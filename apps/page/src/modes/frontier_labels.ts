// The words in the frontier's picture: notes beside lines, and the placing of all labels by their priority.

import { shown } from "../context";
import { svg } from "../dom";
import { place, type Box, type Wish } from "../draw/labels";
import { textWidth, type Point } from "../draw/plot";
import { memoryUnit, three, timeUnit } from "../numbers";
import { type Frame, type Label, nsOf, where } from "./frontier_frame";

export function notes(frame: Frame, labels: Label[]): void {
  const { context, axis, left, right, top, bottom, x, y } = frame;
  const t = context.words.frontier,
    m = memoryUnit(context.units),
    unit = timeUnit(context.units);
  const note = (px: number, py: number, text: string, sides: Wish["sides"], priority: number) => {
    labels.push({
      wish: { x: px, y: py, w: textWidth(text), h: 13, gap: 6, sides: sides ?? ["right"] },
      text,
      css: "halo",
      priority,
    });
  };
  if (context.narrow) return;
  note(right - 2, top + (bottom - top) * 0.3, t.dominated, ["left"], 9);
  if (shown(context, "bound") && axis.bound.length > 1) {
    const inside = axis.bound
      .map((p) => [x.at(p.peak_bytes / m), y.at(p.ns / unit)] as Point)
      .filter(([px, py]) => px > left && px < right && py > top && py < bottom);
    const at = inside[Math.floor(inside.length / 3)];
    if (at) note(at[0], at[1], t.bound, ["below-right", "below", "below-left", "right"], 8);
  }
  if (!shown(context, "iso")) return;
  const best = [...frame.answer.strategies, ...frame.answer.points].find((p) => p.name === axis.best?.name);
  if (axis.best && best) {
    const at = where(frame, { peak_bytes: best.peak_bytes, ns: nsOf(best, context) });
    if (!at.off)
      note(
        at.x,
        at.y,
        t.leastCost(three(axis.best.cost)),
        ["below-left", "below", "below-right", "above-right", "left"],
        6,
      );
  }
  axis.iso_cost.forEach((line, i) => {
    if (i === 0 && best) return;
    const from: Point = [x.at(line.from.peak_bytes / m), y.at(line.from.ns / unit)],
      to: Point = [x.at(line.to.peak_bytes / m), y.at(line.to.ns / unit)];
    if (i > 1) return;
    const text = i === 0 ? t.leastCost(three(line.cost)) : t.equalCost(three(line.cost));
    for (const share of [0.82, 0.6, 0.4, 0.25]) {
      const px = from[0] + share * (to[0] - from[0]),
        py = from[1] + share * (to[1] - from[1]);
      if (px > left + 10 && px < right - 90 && py > top + 20 && py < bottom - 14) {
        note(px, py, text, ["above-right", "below-left", "right"], 9);
        break;
      }
    }
  });
}

export function write(frame: Frame, labels: Label[], taken: Box[]): void {
  const { plot, left, right, bottom } = frame;
  labels.sort((a, b) => a.priority - b.priority);
  const places = place(
    labels.map((label) => label.wish),
    taken,
    { x: left - 4, y: 0, w: right - left + 12, h: bottom },
  );
  labels.forEach((label, i) => {
    const at = places[i];
    if (!at) return;
    if (label.leader) {
      const cx = at.x + (at.x + at.w / 2 < label.wish.x ? at.w : at.x > label.wish.x ? 0 : at.w / 2),
        cy = at.y < label.wish.y ? at.y + at.h : at.y;
      const dx = cx - label.wish.x,
        dy = cy - label.wish.y,
        d = Math.hypot(dx, dy) || 1;
      if (d > 14)
        plot.add(
          svg("line", {
            x1: label.wish.x + (dx / d) * 11.5,
            y1: label.wish.y + (dy / d) * 11.5,
            x2: cx,
            y2: cy,
            style: "stroke:var(--ink)",
            "stroke-width": 1,
          }),
        );
    }
    const anchor = at.side.includes("left") ? "end" : at.side === "above" || at.side === "below" ? "middle" : "start";
    const px = anchor === "end" ? at.x + at.w : anchor === "middle" ? at.x + at.w / 2 : at.x;
    const size = label.priority === 0 ? { style: "font-size:13px" } : {};
    plot.text(px, at.y + (label.second ? 12 : at.h / 2 + 4), label.text, {
      class: label.css,
      "text-anchor": anchor,
      "pointer-events": "none",
      ...size,
    });
    if (label.second)
      plot.text(px, at.y + 25, label.second, { class: "halo", "text-anchor": anchor, "pointer-events": "none" });
  });
}
