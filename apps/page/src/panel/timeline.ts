// Device memory over a step, stacked by who is there; the column at its right is the peak, on the same scale. Below it
// host and disk, and lanes for compute, copies and stalls.

import type { Lane, Span, StackLayer, TimelineAnswer } from "../../contract";
import { said, type Context } from "../context";
import { h, svg, type Child } from "../dom";
import { spread } from "../draw/labels";
import { colour, Plot, textWidth, type Point } from "../draw/plot";
import { linear, type Scale } from "../draw/scale";
import { count, fixed, gigabytesPerSecond, join, memory, memoryUnit, percent, short, time, timeUnit } from "../numbers";

interface Frame { plot: Plot; answer: TimelineAnswer; context: Context; x: Scale; y: Scale; left: number; right: number; top: number; bottom: number; side: number | null }

const kFill: Record<StackLayer, { colour: string; alpha: number; css: string }> = {
  optimizer_states: { colour: "static1", alpha: 1, css: "" }, gradients: { colour: "static2", alpha: 1, css: "" }, weights: { colour: "static3", alpha: 1, css: "" },
  workspace_and_other: { colour: "static4", alpha: 1, css: "" }, kept: { colour: "keep", alpha: 1, css: "keep" }, passing: { colour: "keep", alpha: 0.55, css: "keep" },
  copies: { colour: "offload", alpha: 1, css: "offload" }, recomputed: { colour: "recompute", alpha: 1, css: "recompute" },
};

function stack(frame: Frame): void {
  const { plot, answer, x, y, context } = frame, m = memoryUnit(context.units), unit = timeUnit(context.units);
  const n = answer.at_ns.length;
  const edge = (i: number) => x.at((i < n ? answer.at_ns[i]! : answer.shown_ns) / unit);
  let below = new Array<number>(n).fill(0);
  answer.layers.forEach((layer, l) => {
    const row = answer.bytes[l]!, above = below.map((b, i) => b + row[i]!);
    const outline: Point[] = [];
    for (let i = 0; i < n; ++i) outline.push([edge(i), y.at(above[i]! / m)], [edge(i + 1), y.at(above[i]! / m)]);
    for (let i = n - 1; i >= 0; --i) outline.push([edge(i + 1), y.at(below[i]! / m)], [edge(i), y.at(below[i]! / m)]);
    plot.area(outline, colour(kFill[layer].colour), kFill[layer].alpha);
    below = above;
  });
}

function phases(frame: Frame): void {
  const { plot, answer, x, context, top, bottom } = frame, unit = timeUnit(context.units);
  for (const phase of answer.phases) {
    const from = x.at(phase.from_ns / unit), to = x.at(phase.to_ns / unit), word = context.words.plan.phases[phase.phase] ?? phase.phase;
    if (phase.from_ns > 0) plot.line([[from, top - 18], [from, bottom]], { colour: colour("axis"), width: 1, dash: [2, 3] });
    const wide = textWidth(word);
    if (to - from > wide + 8) plot.text((from + to) / 2, top - 8, word, { "text-anchor": "middle" });
    else if (phase.phase === "optimizer") plot.text(to, top - 8, word, { "text-anchor": "end" });
  }
}

function peakColumn(frame: Frame): void {
  const { plot, answer, y, context, side } = frame, { words, units } = context, m = memoryUnit(units);
  if (side === null) return;
  const wide = plot.width, t = words.plan;
  plot.text(side, 12, t.who(join(time(answer.peak.at_ns, units))), { class: "bold", style: "font-size:12px" });
  plot.text(wide, 12, `${fixed(answer.peak.bytes / m, 2)} ${units.memory}`, { class: "bold", "text-anchor": "end", style: "font-size:12px" });
  plot.line([[side, 19.5], [wide, 19.5]], { colour: colour("line"), width: 1 });
  let sum = 0;
  const parts = answer.layers.map((layer, l) => {
    const bytes = answer.peak.layers[l] ?? 0, from = sum;
    sum += bytes;
    return { layer, bytes, from, to: sum };
  }).filter((part) => part.bytes > 0);
  for (const part of parts) plot.bar(side, y.at(part.to / m), 13, y.at(part.from / m) - y.at(part.to / m), colour(kFill[part.layer].colour), kFill[part.layer].alpha);
  const downwards = [...parts].reverse();
  const heights = spread(downwards.map((part) => y.at((part.from + part.to) / 2 / m) - 8), 17, 24, frame.bottom + 4);
  downwards.forEach((part, i) => {
    const at = heights[i]! + 12, css = kFill[part.layer].css, why = t.layerWhy[part.layer];
    plot.text(side + 24, at, t.layers[part.layer]!, { class: css || "name", style: "font-size:12px" });
    const used = textWidth(t.layers[part.layer]!, `${css ? "600 " : ""}12px`);
    if (why && wide - side - 24 - used > textWidth(why) + 60) plot.text(side + 30 + used, at, why, {});
    plot.text(wide, at, part.bytes / m < 0.05 ? join(memory(part.bytes, units)) : fixed(part.bytes / m, 2), { class: "name", "text-anchor": "end", style: "fill:var(--ink)" });
  });
  plot.line([[frame.right, y.at(answer.peak.bytes / m)], [side + 13, y.at(answer.peak.bytes / m)]], { colour: colour("ink2"), width: 1, dash: [1, 3] });
}

function annotations(frame: Frame, lanesBottom: number): void {
  const { plot, answer, x, y, context, left, right } = frame, { words, units } = context, m = memoryUnit(units), unit = timeUnit(units);
  const limit = y.at(answer.limit_bytes / m);
  if (limit >= frame.top - 4) {
    plot.line([[left, limit], [right, limit]], { colour: colour("signal"), width: 1.25 });
    const text = words.plan.limit(join(memory(answer.limit_bytes, units)));
    plot.text(right - 4, limit - 5, text, { class: "limit halo", "text-anchor": "end" });
  }
  const px = x.at(answer.peak.at_ns / unit), py = y.at(answer.peak.bytes / m);
  plot.line([[px, py], [px, lanesBottom]], { colour: colour("ink"), width: 1 });
  plot.add(svg("circle", { cx: px, cy: py, r: 4.5, style: "fill:var(--bg);stroke:var(--ink)", "stroke-width": 2 }));
  inside(frame);
}

// A layer's name inside it, in the widest place, if it is high enough.
function inside(frame: Frame): void {
  const { plot, answer, x, y, context } = frame, m = memoryUnit(context.units), unit = timeUnit(context.units);
  const n = answer.at_ns.length;
  let below = new Array<number>(n).fill(0);
  answer.layers.forEach((layer, l) => {
    const row = answer.bytes[l]!, word = context.words.plan.inside[layer];
    const base = below;
    below = below.map((b, i) => b + row[i]!);
    if (!word) return;
    if (layer !== "kept" || context.narrow) return;
    // The place where a line of text as wide as the word has most room above and below it.
    const half = (textWidth(word, "600 11px") / 2 + 6) / (frame.right - frame.left) * answer.shown_ns;
    let best = { room: 0, at: 0, y: 0 };
    for (let i = 0, from = 0, to = 0; i < n; ++i) {
      const at = answer.at_ns[i]!;
      if (at - half < 0 || at + half > answer.shown_ns || Math.abs(at - answer.peak.at_ns) < half * 1.3) continue;
      while (answer.at_ns[from + 1]! <= at - half) ++from;
      while (to + 1 < n && answer.at_ns[to + 1]! <= at + half) ++to;
      let low = 0, high = Infinity;
      for (let k = from; k <= to; ++k) { low = Math.max(low, base[k]!); high = Math.min(high, base[k]! + row[k]!); }
      const room = y.at(low / m) - y.at(high / m);
      if (room > best.room) best = { room, at, y: (y.at(low / m) + y.at(high / m)) / 2 };
    }
    if (best.room >= 18) plot.text(x.at(best.at / unit), best.y + 4, word, { "text-anchor": "middle", style: "fill:var(--bg);font-weight:600", "pointer-events": "none" });
  });
}

function hoverMemory(frame: Frame): void {
  const { plot, answer, x, context, left, right, top, bottom } = frame, { words, units } = context, unit = timeUnit(units);
  const cross = svg("path", { d: "", style: "stroke:var(--ink3)", "stroke-width": 1, "pointer-events": "none" });
  const dot = svg("rect", { x: 0, y: top, width: 1, height: bottom - top, style: "fill:none", "pointer-events": "none" });
  const area = svg("rect", { x: left, y: top, width: right - left, height: bottom - top, style: "fill:transparent" });
  area.addEventListener("pointermove", (event) => {
    const box = plot.root.getBoundingClientRect();
    const ns = x.value(event.clientX - box.left) * unit;
    let i = 0;
    for (let low = 0, high = answer.at_ns.length - 1; low <= high;) { const mid = (low + high) >> 1; if (answer.at_ns[mid]! <= ns) { i = mid; low = mid + 1; } else high = mid - 1; }
    const px = x.at(answer.at_ns[i]! / unit);
    cross.setAttribute("d", `M${px} ${top}V${bottom}`);
    dot.setAttribute("x", String(px));
    const rows = [...answer.layers].map((layer, l) => ({ layer, bytes: answer.bytes[l]![i]! })).filter((row) => row.bytes > 0).reverse();
    context.tip.show(dot, [h("div", { class: "title" }, `${join(memory(answer.device_bytes[i]!, units))} · ${join(time(answer.at_ns[i]!, units))}`), h("hr"),
      h("div", { style: "display:grid;grid-template-columns:1fr auto;gap:0 14px" }, rows.map((row) => [h("span", { class: kFill[row.layer].css }, words.plan.layers[row.layer]!), h("span", { style: "color:var(--ink)" }, join(memory(row.bytes, units)))]))]);
  });
  area.addEventListener("pointerleave", () => { cross.setAttribute("d", ""); context.tip.hide(); });
  plot.add(dot, cross, area);
}

function tierArea(frame: Frame, y: number, height: number, series: number[], most: number, label: string, note: string): void {
  const { plot, answer, x, context, left, side } = frame, unit = timeUnit(context.units), n = answer.at_ns.length;
  const scale = linear(0, Math.max(1, most), y + height, y);
  const outline: Point[] = [];
  for (let i = 0; i < n; ++i) {
    const to = i + 1 < n ? answer.at_ns[i + 1]! : answer.shown_ns;
    outline.push([x.at(answer.at_ns[i]! / unit), scale.at(series[i]!)], [x.at(to / unit), scale.at(series[i]!)]);
  }
  plot.area([[left, y + height], ...outline, [frame.right, y + height]], colour("offload"), 0.28);
  plot.line([[left, y + height + 0.5], [frame.right, y + height + 0.5]], { colour: colour("axis"), width: 1 });
  plot.text(0, y + 14, label, { class: "name" });
  plot.text(0, y + 28, context.units.memory, {});
  if (side !== null) {
    plot.text(side, y + height - 8, note, { class: "name" });
    plot.text(plot.width, y + height - 8, join(memory(most, context.units)), { class: "name", "text-anchor": "end", style: "fill:var(--ink)" });
  } else plot.text(frame.right, y + 10, join(memory(most, context.units)), { class: "halo", "text-anchor": "end" });
}

const kSpan: Record<Span["kind"], string> = { forward: "forward", backward: "backward", optimizer: "static1", recompute: "recompute", copy_out: "offload", copy_in: "offload", stall: "signal" };

function laneName(lane: Lane, context: Context): string {
  const t = context.words.plan;
  if (lane.lane !== "copy") return t.lanes[lane.lane] ?? lane.name;
  const kind = lane.spans[0]?.kind ?? (lane.link?.from === "device" ? "copy_out" : "copy_in");
  const hostAndDevice = lane.link?.from === "device" || lane.link?.to === "device";
  return hostAndDevice ? (kind === "copy_out" ? t.copyOut : t.copyIn) : t.copyTo(lane.link?.from ?? "", lane.link?.to ?? "");
}

function laneNote(lane: Lane, context: Context): [string, string, string] {
  const t = context.words.plan, { units } = context;
  if (lane.lane === "compute") return [t.ofItRecompute, lane.recompute_ns > 0 ? join(time(lane.recompute_ns, units)) : context.words.none, lane.recompute_ns > 0 ? "recompute" : "name"];
  if (lane.lane === "stall") return [t.waiting, lane.busy_ns > 0 ? join(time(lane.busy_ns, units)) : t.noStalls, lane.busy_ns > 0 ? "limit" : "name"];
  return [lane.link ? t.busy(`${gigabytesPerSecond(lane.link.gb_per_s * 1e9)} GB/s`) : "", percent(lane.busy_share, 0), "name"];
}

function drawLane(frame: Frame, lane: Lane, y: number): void {
  const { plot, x, context, left, right, side } = frame, unit = timeUnit(context.units);
  plot.text(0, y + 12, laneName(lane, context), { class: "name" });
  plot.bar(left, y, right - left, 16, colour("rail"));
  for (const span of lane.spans) {
    const from = x.at(span.from_ns / unit), wide = x.at(span.to_ns / unit) - from;
    if (lane.lane === "stall") plot.hatch(from, y, Math.max(1.5, wide), 16, { colour: colour("signal"), width: 1.6 }, 4);
    else plot.bar(from, y, Math.max(0.6, wide - (wide > 3 ? 0.6 : 0)), 16, colour(kSpan[span.kind]));
  }
  const longest = lane.lane === "stall" ? [...lane.spans].sort((a, b) => (b.to_ns - b.from_ns) - (a.to_ns - a.from_ns))[0] : undefined;
  if (longest) {
    const from = x.at(longest.from_ns / unit), to = x.at(longest.to_ns / unit), text = context.words.plan.late(said(longest.label, context), longest.why || context.words.plan.span["stall"]!);
    const wide = textWidth(text);
    if (to + wide + 8 < right) plot.text(to + 6, y + 12, text, { class: "halo", style: "fill:var(--signal)", "pointer-events": "none" });
    else if (from - wide - 8 > left) plot.text(from - 6, y + 12, text, { class: "halo", "text-anchor": "end", style: "fill:var(--signal)", "pointer-events": "none" });
  }
  if (side !== null) {
    const [label, value, css] = laneNote(lane, context);
    plot.text(side, y + 12, label, { class: "name" });
    plot.text(plot.width, y + 12, value, { class: css, "text-anchor": "end", style: css === "name" ? "fill:var(--ink)" : "font-size:12px" });
  }
  hoverLane(frame, lane, y);
}

function hoverLane(frame: Frame, lane: Lane, y: number): void {
  const { plot, x, context, left, right } = frame, { words, units } = context, unit = timeUnit(units);
  const anchor = svg("rect", { x: 0, y, width: 1, height: 16, style: "fill:none", "pointer-events": "none" });
  const area = svg("rect", { x: left, y, width: right - left, height: 16, style: "fill:transparent" });
  area.addEventListener("pointermove", (event) => {
    const px = event.clientX - plot.root.getBoundingClientRect().left, ns = x.value(px) * unit, slack = 2 * (x.value(1) - x.value(0)) * unit;
    const span = lane.spans.find((s) => ns >= s.from_ns - slack && ns <= s.to_ns + slack);
    if (!span) { context.tip.hide(); return; }
    anchor.setAttribute("x", String(px));
    context.tip.show(anchor, [h("div", { class: "title" }, said(span.label, context)), h("div", {}, `${words.plan.span[span.kind]}${span.count > 1 ? ` ×${count(span.count)}` : ""}, ${join(time(span.to_ns - span.from_ns, units))}`),
      span.why ? h("div", {}, span.why) : null, h("div", { class: "do" }, `${join(time(span.from_ns, units))} – ${join(time(span.to_ns, units))}`)]);
  });
  area.addEventListener("pointerleave", () => context.tip.hide());
  plot.add(anchor, area);
}

export function timelineChart(answer: TimelineAnswer, context: Context): Child {
  const { units, words, narrow } = context, width = context.width, m = memoryUnit(units), unit = timeUnit(units);
  const side = width >= 860 ? width - 272 : null;
  const left = narrow ? 58 : 64, right = side === null ? width - 4 : side - 24, top = 42, bottom = top + (narrow ? 230 : 300);
  const disk = answer.disk_peak_bytes > 0, host = answer.host_peak_bytes > 0;
  const hostY = bottom + 18, diskY = hostY + (host ? 52 : 0), lanesY = diskY + (disk ? 52 : 0) + 6, lanesBottom = lanesY + answer.lanes.length * 20;
  const height = lanesBottom + 26;
  const plot = new Plot(width, height, words.plan.timeline);
  const most = Math.max(answer.peak.bytes, answer.limit_bytes < answer.peak.bytes * 1.5 ? answer.limit_bytes : 0);
  const x = linear(0, answer.shown_ns / unit, left, right), y = linear(0, (most / m) * 1.04, bottom, top);
  const frame: Frame = { plot, answer, context, x, y, left, right, top, bottom, side };
  plot.text(0, 12, words.plan.device(units.memory), { class: "name", style: "font-weight:600;font-size:11px" });
  plot.yAxis(y, left, right, (tick) => short(tick), 6);
  stack(frame);
  phases(frame);
  peakColumn(frame);
  hoverMemory(frame);
  annotations(frame, lanesBottom);
  if (host) tierArea(frame, hostY, 36, answer.host_bytes, answer.host_peak_bytes, words.plan.host, words.plan.hostMost);
  if (disk) tierArea(frame, diskY, 36, answer.disk_bytes, answer.disk_peak_bytes, words.plan.disk, words.plan.diskMost);
  answer.lanes.forEach((lane, i) => drawLane(frame, lane, lanesY + i * 20));
  plot.xAxis(x, lanesBottom + 2, short, narrow ? 4 : 8);
  plot.text(0, lanesBottom + 19, words.plan.timeAxis(units.time), { class: "name", style: "font-size:11px" });
  const notes = [answer.micro_steps > 1 ? words.plan.microSteps(count(answer.micro_steps)) : null, answer.lanes.some((lane) => lane.spans.some((span) => span.count > 1)) ? words.plan.joined(count(answer.events)) : null].filter((note) => note !== null);
  return h("div", { style: "margin-top:14px", id: "timeline" }, plot.root, notes.length > 0 ? h("p", { class: "caption" }, notes.join(" · ")) : null);
}
