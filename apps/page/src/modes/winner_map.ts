// Who wins where: the map over the weight of memory and the bandwidth.

import type { LedgerName, WinnerMap } from "../../contract";
import type { Context } from "../context";
import { svg } from "../dom";
import { place, type Wish } from "../draw/labels";
import { hueClass } from "../draw/marks";
import { colour, Plot, textWidth, type Point } from "../draw/plot";
import { linear, logarithmic } from "../draw/scale";
import { short } from "../numbers";
import { strategyName } from "./strategies";
import { hueOfLedger } from "./strategy_table";

const hueName = (winner: LedgerName | null): string => (winner === null ? "neutral" : hueClass(hueOfLedger(winner)));

export function winnerMap(map: WinnerMap, context: Context, width: number): HTMLElement {
  const t = context.words.strategiesMode;
  const height = 290,
    left = 40,
    right = width - 6,
    top = 8,
    bottom = height - 36;
  const plot = new Plot(width, height, t.mapTitle);
  const rows = map.bandwidth_gb_per_s;
  const x = linear(0, 1, left, right),
    y = logarithmic(rows[0] ?? 0.5, rows[rows.length - 1] ?? 100, bottom, top);
  plot.clip(left, top, right - left, bottom - top, () => {
    for (const region of map.regions) {
      const outline = region.outline.map((p) => [x.at(p.lambda), y.at(p.bandwidth_gb_per_s)] as Point);
      plot.area(outline, colour(hueName(region.winner)), region.winner === null ? 0.08 : 0.2);
    }
    for (const region of map.regions) {
      const outline = region.outline.map((p) => [x.at(p.lambda), y.at(p.bandwidth_gb_per_s)] as Point);
      plot.line([...outline, outline[0]!].filter(Boolean), { colour: colour(hueName(region.winner)), width: 1.5 });
    }
  });
  for (const tick of y.ticks(9)) plot.text(left - 8, y.at(tick) + 3.5, short(tick), { "text-anchor": "end" });
  plot.xAxis(x, bottom, (tick) => short(tick), 5);
  plot.line(
    [
      [left + 0.5, top],
      [left + 0.5, bottom],
    ],
    { colour: colour("axis"), width: 1 },
  );
  mapLabels(plot, map, context, x.at, y.at, { left, right, top, bottom });
  plot.text(right, height - 4, t.mapX, { "text-anchor": "end" });
  return plot.root;
}

function mapLabels(
  plot: Plot,
  map: WinnerMap,
  context: Context,
  x: (v: number) => number,
  y: (v: number) => number,
  box: { left: number; right: number; top: number; bottom: number },
): void {
  const t = context.words.strategiesMode;
  const wishes: (Wish & { text: string; css: string })[] = [];
  const now = {
    x: x(map.now.lambda),
    y: Math.min(box.bottom - 6, Math.max(box.top + 6, y(map.now.bandwidth_gb_per_s))),
  };
  const text = t.now(short(map.now.lambda), `${short(map.now.bandwidth_gb_per_s)} GB/s`);
  wishes.push({
    x: now.x,
    y: now.y,
    w: textWidth(text, "600 11px"),
    h: 14,
    gap: 10,
    sides: ["right", "left", "below", "above"],
    must: true,
    text,
    css: "bold halo",
  });
  for (const region of map.regions) {
    const word = strategyName(region.winner, context, false);
    const at = { x: x(region.label.lambda), y: y(region.label.bandwidth_gb_per_s) };
    wishes.push({
      ...at,
      w: textWidth(word, "600 12px"),
      h: 14,
      gap: -7,
      sides: ["below", "above", "right", "left"],
      text: word,
      css: region.winner === null ? "name" : hueName(region.winner),
    });
  }
  const narrow = context.lists.scenarios.find((s) => s.id === "narrow")?.subject;
  const line = narrow?.kind === "kitchen" ? narrow.bandwidth_gb_per_s : null;
  if (line !== null && Math.abs(line - map.now.bandwidth_gb_per_s) > 0.01) {
    plot.line(
      [
        [box.left, y(line)],
        [box.right, y(line)],
      ],
      { colour: colour("ink2"), width: 1, dash: [4, 3] },
    );
    const word = t.narrow(`${short(line)} GB/s`);
    wishes.push({
      x: box.right - 2,
      y: y(line) - 8,
      w: textWidth(word),
      h: 13,
      gap: 0,
      sides: ["left"],
      text: word,
      css: "",
    });
  }
  const places = place(wishes, [{ x: now.x - 6, y: now.y - 6, w: 12, h: 12 }], {
    x: box.left,
    y: box.top,
    w: box.right - box.left,
    h: box.bottom - box.top,
  });
  wishes.forEach((wish, i) => {
    const at = places[i];
    if (at)
      plot.text(at.x + at.w / 2, at.y + at.h / 2 + 4, wish.text, {
        class: wish.css,
        "text-anchor": "middle",
        style: i === 0 || wish.css === "" ? "" : "font-size:12px",
      });
  });
  plot.add(
    svg("circle", { cx: now.x, cy: now.y, r: 5, style: "fill:var(--ink);stroke:var(--bg)", "stroke-width": 1.5 }),
  );
}
