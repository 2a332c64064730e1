// The three small pictures of mode 2: the map of winners, the curve over K, and stacked strategies.

import type { LedgerAnswer, LedgerName, SegmentCurve, Share, Stack, WinnerMap } from "../../contract";
import type { Context } from "../context";
import { h, svg, type Child } from "../dom";
import { place, type Wish } from "../draw/labels";
import { hueClass } from "../draw/marks";
import { colour, Plot, textWidth, type Point } from "../draw/plot";
import { linear, logarithmic } from "../draw/scale";
import { difference, percent, short } from "../numbers";
import { strategyName } from "./strategies";
import { hueOfLedger } from "./strategy_table";

const hueName = (winner: LedgerName | null): string => (winner === null ? "neutral" : hueClass(hueOfLedger(winner)));

export function winnerMap(map: WinnerMap, context: Context, width: number): HTMLElement {
  const t = context.words.strategiesMode;
  const height = 290, left = 40, right = width - 6, top = 8, bottom = height - 36;
  const plot = new Plot(width, height, t.mapTitle);
  const rows = map.bandwidth_gb_per_s;
  const x = linear(0, 1, left, right), y = logarithmic(rows[0] ?? 0.5, rows[rows.length - 1] ?? 100, bottom, top);
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
  plot.line([[left + 0.5, top], [left + 0.5, bottom]], { colour: colour("axis"), width: 1 });
  mapLabels(plot, map, context, x.at, y.at, { left, right, top, bottom });
  plot.text(right, height - 4, t.mapX, { "text-anchor": "end" });
  return plot.root;
}

function mapLabels(plot: Plot, map: WinnerMap, context: Context, x: (v: number) => number, y: (v: number) => number,
                   box: { left: number; right: number; top: number; bottom: number }): void {
  const t = context.words.strategiesMode;
  const wishes: (Wish & { text: string; css: string })[] = [];
  const now = { x: x(map.now.lambda), y: Math.min(box.bottom - 6, Math.max(box.top + 6, y(map.now.bandwidth_gb_per_s))) };
  const text = t.now(short(map.now.lambda), `${short(map.now.bandwidth_gb_per_s)} GB/s`);
  wishes.push({ x: now.x, y: now.y, w: textWidth(text, "600 11px"), h: 14, gap: 10, sides: ["right", "left", "below", "above"], must: true, text, css: "bold halo" });
  for (const region of map.regions) {
    const word = strategyName(region.winner, context, false);
    const at = { x: x(region.label.lambda), y: y(region.label.bandwidth_gb_per_s) };
    wishes.push({ ...at, w: textWidth(word, "600 12px"), h: 14, gap: -7, sides: ["below", "above", "right", "left"], text: word, css: region.winner === null ? "name" : hueName(region.winner) });
  }
  const narrow = context.lists.scenarios.find((s) => s.id === "narrow")?.subject;
  const line = narrow?.kind === "kitchen" ? narrow.bandwidth_gb_per_s : null;
  if (line !== null && Math.abs(line - map.now.bandwidth_gb_per_s) > 0.01) {
    plot.line([[box.left, y(line)], [box.right, y(line)]], { colour: colour("ink2"), width: 1, dash: [4, 3] });
    const word = t.narrow(`${short(line)} GB/s`);
    wishes.push({ x: box.right - 2, y: y(line) - 8, w: textWidth(word), h: 13, gap: 0, sides: ["left"], text: word, css: "" });
  }
  const places = place(wishes, [{ x: now.x - 6, y: now.y - 6, w: 12, h: 12 }], { x: box.left, y: box.top, w: box.right - box.left, h: box.bottom - box.top });
  wishes.forEach((wish, i) => {
    const at = places[i];
    if (at) plot.text(at.x + at.w / 2, at.y + at.h / 2 + 4, wish.text, { class: wish.css, "text-anchor": "middle", style: i === 0 || wish.css === "" ? "" : "font-size:12px" });
  });
  plot.add(svg("circle", { cx: now.x, cy: now.y, r: 5, style: "fill:var(--ink);stroke:var(--bg)", "stroke-width": 1.5 }));
}

export function kCurveNote(curve: SegmentCurve, context: Context): string {
  const least = curve.least_simulated ?? curve.least_held;
  const last = curve.points[curve.points.length - 1];
  return last && least.segments < last.segments ? context.words.strategiesMode.curveTitle : context.words.strategiesMode.curveX;
}

export function segmentCurve(curve: SegmentCurve, answer: LedgerAnswer, context: Context, width: number): HTMLElement {
  const t = context.words.strategiesMode;
  const height = 290, left = 44, right = width - 8, top = 8, bottom = height - 36;
  const plot = new Plot(width, height, t.curveTitle);
  const points = curve.points.slice(0, Math.max(8, Math.min(curve.points.length, Math.round(curve.root * 4))));
  const simulated = points.every((p) => p.simulated_gb !== null);
  const real = (p: (typeof points)[number]) => (simulated ? p.simulated_gb! : p.held_gb);
  const most = Math.max(...points.map((p) => Math.max(p.ledger_gb, real(p))));
  const last = points[points.length - 1]!;
  const x = linear(1, last.segments, left, right), y = linear(0, most * 1.03, bottom, top);
  plot.yAxis(y, left, right, (tick) => short(tick), 5);
  plot.xAxis(x, bottom, (tick) => short(Math.max(1, tick)), 6);
  const amber = colour("recompute");
  plot.line(points.map((p) => [x.at(p.segments), y.at(p.ledger_gb)] as Point), { colour: amber, width: 1.5, dash: [5, 3] });
  plot.line(points.map((p) => [x.at(p.segments), y.at(real(p))] as Point), { colour: amber, width: 2.25 });
  const limit = answer.ledger.limits.memory_gb;
  const wishes: (Wish & { text: string; css: string })[] = [];
  const add = (px: number, py: number, text: string, css: string, sides: NonNullable<Wish["sides"]>, gap: number) =>
    wishes.push({ x: px, y: py, w: textWidth(text, "600 11px"), h: 14, gap, sides, text, css, must: true });
  const found = (simulated ? curve.least_simulated : curve.least_held) ?? curve.least_held;
  const lx = x.at(found.segments), ly = y.at(found.memory_gb);
  if (limit !== null && limit <= most) {
    plot.line([[left, y.at(limit)], [right, y.at(limit)]], { colour: colour("signal"), width: 1.25 });
    add(right, y.at(limit), t.memoryLimit, "limit halo", ["above-left", "below-left"], 3);
  }
  // Above the end of the curve, whose label it must not meet.
  const endY = y.at(real(last)), lift = Math.abs(ly - 66 - (endY - 14)) < 24 ? 40 : 0, noteY = Math.max(top + 20, ly - 66 - lift);
  if (found.segments <= last.segments) {
    plot.line([[lx, ly - 5], [lx, noteY + 4]], { colour: colour("axis"), width: 1 });
    plot.text(lx + 2, noteY - 14, t.least(`${short(found.memory_gb)} GB`), { class: "bold halo", style: "font-size:12px" });
    plot.text(lx + 2, noteY, t.root(short(found.segments), short(curve.root)), { class: "halo" });
  }
  const word = simulated ? t.curveSimulated : t.curveHeld;
  add(right, y.at(real(last)), word(`${short(real(last))} GB`), "recompute halo", ["above-left", "below-left", "above"], 8);
  add(right, y.at(last.ledger_gb), t.curveLedger(`${short(last.ledger_gb)} GB`), "halo", ["above-left", "below-left"], 6);
  const taken = found.segments <= last.segments ? [{ x: lx, y: noteY - 26, w: Math.max(textWidth(t.least(`${short(found.memory_gb)} GB`), "600 12px"), textWidth(t.root(short(found.segments), short(curve.root)))) + 8, h: 32 }] : [];
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

function stackRow(label: string, share: number, most: number, text: string, kind: "product" | "split" | { compute: number; transfer: number }, room: number): HTMLElement {
  const width = (value: number) => `width:${((Math.max(0, value) / (most || 1)) * room).toFixed(1)}px`;
  const bar = kind === "product" ? h("i", { class: "product", style: width(share) })
    : kind === "split" ? [h("i", { style: `${width(share / 2)};background:var(--recompute)` }), h("i", { style: `${width(share / 2)};background:var(--offload);margin-left:-5px` })]
      : [h("i", { style: `${width(kind.compute)};background:var(--recompute)` }), h("i", { style: `${width(kind.transfer)};background:var(--offload);margin-left:-5px` })];
  return h("div", { class: "r" }, h("span", {}, label), h("span", { class: "b" }, bar, h("b", {}, text)));
}

function stackOf(stack: Stack, context: Context, width: number): Child {
  const t = context.words.strategiesMode, room = Math.max(80, width - 84 - 8 - 62);
  const both = (share: Share | null) => (share === null ? null : share);
  const memoryMost = Math.max(stack.thumb.memory_share, stack.ledger.memory_share, stack.simulated?.memory_share ?? 0, stack.ledger_parts.memory_share);
  const extraMost = Math.max(stack.thumb.extra_share, stack.ledger.extra_share, stack.simulated?.extra_share ?? 0, stack.ledger_parts.extra_share);
  const parts = (share: Share) => ({ compute: share.compute_share, transfer: share.transfer_share });
  const simulated = both(stack.simulated);
  return [
    h("p", { class: "axis-title", style: "padding-left:92px;margin-top:6px" }, t.stackMemory),
    h("div", { class: "stack-rows" },
      stackRow(t.product, stack.thumb.memory_share, memoryMost, percent(stack.thumb.memory_share, 0), "product", room),
      stackRow(t.ledgerParts, stack.ledger_parts.memory_share, memoryMost, percent(stack.ledger_parts.memory_share, 0), "product", room),
      stackRow(t.ledgerWord, stack.ledger.memory_share, memoryMost, percent(stack.ledger.memory_share, 0), "split", room),
      simulated ? stackRow(t.simulatedWord, simulated.memory_share, memoryMost, percent(simulated.memory_share, 0), "split", room) : null),
    h("p", { class: "axis-title", style: "padding-left:92px;margin-top:6px" }, t.stackExtra),
    h("div", { class: "stack-rows" },
      stackRow(t.sum, stack.thumb.extra_share, extraMost, difference(stack.thumb.extra_share, 0), "product", room),
      stackRow(t.ledgerParts, stack.ledger_parts.extra_share, extraMost, difference(stack.ledger_parts.extra_share, 0), "product", room),
      stackRow(t.ledgerWord, stack.ledger.extra_share, extraMost, difference(stack.ledger.extra_share, 0), parts(stack.ledger), room),
      simulated ? stackRow(t.simulatedWord, simulated.extra_share, extraMost, difference(simulated.extra_share, 0), parts(simulated), room) : null,
      stack.overlapped_share === null ? null : stackRow(t.overlapped, stack.overlapped_share, extraMost, difference(stack.overlapped_share, 0), "product", room)),
  ];
}

function betaRange(answer: LedgerAnswer, context: Context, width: number): Child {
  const t = context.words.strategiesMode, { least, greatest } = answer.ledger.beta_range, beta = answer.ledger.beta;
  const scale = linear(0, 1, 6, width - 8);
  const picture = svg("svg", { width, height: 34, role: "img", "aria-label": least <= greatest ? t.betaRange(short(least), short(greatest)) : t.betaNone(short(least), short(greatest)) });
  picture.append(svg("path", { d: `M${scale.low} 10H${scale.high}`, style: "stroke:var(--line)", "stroke-width": 3 }));
  if (least <= greatest) picture.append(svg("path", { d: `M${scale.at(least)} 10H${scale.at(greatest)}`, style: "stroke:var(--ink2)", "stroke-width": 3 }));
  for (const end of [least, greatest]) if (end > 0 && end < 1) picture.append(svg("path", { d: `M${scale.at(end)} 3V17`, style: "stroke:var(--signal)", "stroke-width": 1.5 }));
  if (beta !== null) picture.append(svg("circle", { cx: scale.at(beta), cy: 10, r: 6, style: "fill:var(--bg);stroke:var(--ink)", "stroke-width": 2 }));
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) picture.append(svg("text", { x: scale.at(tick), y: 31, "text-anchor": tick === 0 ? "start" : tick === 1 ? "end" : "middle", style: "font-size:11px;fill:var(--ink3)" }, short(tick)));
  return h("div", { style: "margin-top:14px" }, h("h2", { class: "section" }, t.betaTitle,
    h("span", {}, least <= greatest ? t.betaRange(short(least), short(greatest)) : t.betaNone(short(least), short(greatest)))), h("div", { style: "margin-top:6px" }, picture));
}

function choice(names: string[], at: number, label: string, choose: (i: number) => void): HTMLElement {
  const select = h("select", { "aria-label": label, "data-focus": "stack", style: "height:26px;font-size:12px", onchange: () => choose(select.selectedIndex) }, names.map((name) => h("option", {}, name))) as HTMLSelectElement;
  select.selectedIndex = at;
  const mark = svg("svg", { width: 9, height: 9, viewBox: "0 0 9 9", "aria-hidden": true, style: "top:9px" }, svg("path", { d: "M1.5 3L4.5 6L7.5 3", fill: "none", style: "stroke:var(--ink2)", "stroke-width": 1.3 }));
  return h("div", { class: "select", style: "margin-top:4px;max-width:300px" }, select, mark);
}

export function stackBars(answer: LedgerAnswer, context: Context, width: number): Child {
  const t = context.words.strategiesMode;
  const at = Math.min(answer.stacks.length - 1, Math.max(0, Number(context.state.set["stack"] ?? 0)));
  const stack = answer.stacks[at];
  const name = (s: Stack) => s.parts.map((part, i) => strategyName(part, context, i > 0)).join(t.plus);
  return h("section", {},
    h("h2", { class: "section" }, t.stackTitle, h("span", {}, stack ? stack.strategy : "")),
    answer.stacks.length > 1 ? choice(answer.stacks.map(name), at, t.stackTitle, (i) => context.set({ stack: i || undefined })) : null,
    stack ? stackOf(stack, context, width) : null,
    betaRange(answer, context, width),
    stack ? h("p", { class: "caption" }, t.stackNote(percent(stack.thumb.memory_share, 0), difference(stack.thumb.extra_share, 0))) : null);
}
