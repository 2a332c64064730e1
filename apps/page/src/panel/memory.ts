// Device memory in the timeline: the stack, its phases, what a pointer reads off it, and the column that is the peak.

import { h, svg } from "../dom";
import { spread } from "../draw/labels";
import { colour, textWidth, type Point } from "../draw/plot";
import { fixed, join, memory, memoryUnit, time, timeUnit } from "../numbers";
import { type Frame, kFill } from "./timeline_frame";

export function stack(frame: Frame): void {
  const { plot, answer, x, y, context } = frame,
    m = memoryUnit(context.units),
    unit = timeUnit(context.units);
  const n = answer.at_ns.length;
  const edge = (i: number) => x.at((i < n ? answer.at_ns[i]! : answer.shown_ns) / unit);
  let below = new Array<number>(n).fill(0);
  answer.layers.forEach((layer, l) => {
    const row = answer.bytes[l]!,
      above = below.map((b, i) => b + row[i]!);
    const outline: Point[] = [];
    for (let i = 0; i < n; ++i) outline.push([edge(i), y.at(above[i]! / m)], [edge(i + 1), y.at(above[i]! / m)]);
    for (let i = n - 1; i >= 0; --i) outline.push([edge(i + 1), y.at(below[i]! / m)], [edge(i), y.at(below[i]! / m)]);
    plot.area(outline, colour(kFill[layer].colour), kFill[layer].alpha);
    below = above;
  });
}

export function phases(frame: Frame): void {
  const { plot, answer, x, context, top, bottom } = frame,
    unit = timeUnit(context.units);
  for (const phase of answer.phases) {
    const from = x.at(phase.from_ns / unit),
      to = x.at(phase.to_ns / unit),
      word = context.words.plan.phases[phase.phase] ?? phase.phase;
    if (phase.from_ns > 0)
      plot.line(
        [
          [from, top - 18],
          [from, bottom],
        ],
        { colour: colour("axis"), width: 1, dash: [2, 3] },
      );
    const wide = textWidth(word);
    if (to - from > wide + 8) plot.text((from + to) / 2, top - 8, word, { "text-anchor": "middle" });
    else if (phase.phase === "optimizer") plot.text(to, top - 8, word, { "text-anchor": "end" });
  }
}

export function peakColumn(frame: Frame): void {
  const { plot, answer, y, context, side } = frame,
    { words, units } = context,
    m = memoryUnit(units);
  if (side === null) return;
  const wide = plot.width,
    t = words.plan;
  plot.text(side, 12, t.who(join(time(answer.peak.at_ns, units))), { class: "bold", style: "font-size:12px" });
  plot.text(wide, 12, `${fixed(answer.peak.bytes / m, 2)} ${units.memory}`, {
    class: "bold",
    "text-anchor": "end",
    style: "font-size:12px",
  });
  plot.line(
    [
      [side, 19.5],
      [wide, 19.5],
    ],
    { colour: colour("line"), width: 1 },
  );
  let sum = 0;
  const parts = answer.layers
    .map((layer, l) => {
      const bytes = answer.peak.layers[l] ?? 0,
        from = sum;
      sum += bytes;
      return { layer, bytes, from, to: sum };
    })
    .filter((part) => part.bytes > 0);
  for (const part of parts)
    plot.bar(
      side,
      y.at(part.to / m),
      13,
      y.at(part.from / m) - y.at(part.to / m),
      colour(kFill[part.layer].colour),
      kFill[part.layer].alpha,
    );
  const downwards = [...parts].reverse();
  const heights = spread(
    downwards.map((part) => y.at((part.from + part.to) / 2 / m) - 8),
    17,
    24,
    frame.bottom + 4,
  );
  downwards.forEach((part, i) => {
    const at = heights[i]! + 12,
      css = kFill[part.layer].css,
      why = t.layerWhy[part.layer];
    plot.text(side + 24, at, t.layers[part.layer]!, { class: css || "name", style: "font-size:12px" });
    const used = textWidth(t.layers[part.layer]!, `${css ? "600 " : ""}12px`);
    if (why && wide - side - 24 - used > textWidth(why) + 60) plot.text(side + 30 + used, at, why, {});
    plot.text(wide, at, part.bytes / m < 0.05 ? join(memory(part.bytes, units)) : fixed(part.bytes / m, 2), {
      class: "name",
      "text-anchor": "end",
      style: "fill:var(--ink)",
    });
  });
  plot.line(
    [
      [frame.right, y.at(answer.peak.bytes / m)],
      [side + 13, y.at(answer.peak.bytes / m)],
    ],
    { colour: colour("ink2"), width: 1, dash: [1, 3] },
  );
}

export function annotations(frame: Frame, lanesBottom: number): void {
  const { plot, answer, x, y, context, left, right } = frame,
    { words, units } = context,
    m = memoryUnit(units),
    unit = timeUnit(units);
  const limit = y.at(answer.limit_bytes / m);
  if (limit >= frame.top - 4) {
    plot.line(
      [
        [left, limit],
        [right, limit],
      ],
      { colour: colour("signal"), width: 1.25 },
    );
    const text = words.plan.limit(join(memory(answer.limit_bytes, units)));
    plot.text(right - 4, limit - 5, text, { class: "limit halo", "text-anchor": "end" });
  }
  const px = x.at(answer.peak.at_ns / unit),
    py = y.at(answer.peak.bytes / m);
  plot.line(
    [
      [px, py],
      [px, lanesBottom],
    ],
    { colour: colour("ink"), width: 1 },
  );
  plot.add(svg("circle", { cx: px, cy: py, r: 4.5, style: "fill:var(--bg);stroke:var(--ink)", "stroke-width": 2 }));
  inside(frame);
}

// A layer's name inside it, in the widest place, if it is high enough.
function inside(frame: Frame): void {
  const { plot, answer, x, y, context } = frame,
    m = memoryUnit(context.units),
    unit = timeUnit(context.units);
  const n = answer.at_ns.length;
  let below = new Array<number>(n).fill(0);
  answer.layers.forEach((layer, l) => {
    const row = answer.bytes[l]!,
      word = context.words.plan.inside[layer];
    const base = below;
    below = below.map((b, i) => b + row[i]!);
    if (!word) return;
    if (layer !== "kept" || context.narrow) return;
    // The place where a line of text as wide as the word has most room above and below it.
    const half = ((textWidth(word, "600 11px") / 2 + 6) / (frame.right - frame.left)) * answer.shown_ns;
    let best = { room: 0, at: 0, y: 0 };
    for (let i = 0, from = 0, to = 0; i < n; ++i) {
      const at = answer.at_ns[i]!;
      if (at - half < 0 || at + half > answer.shown_ns || Math.abs(at - answer.peak.at_ns) < half * 1.3) continue;
      while (answer.at_ns[from + 1]! <= at - half) ++from;
      while (to + 1 < n && answer.at_ns[to + 1]! <= at + half) ++to;
      let low = 0,
        high = Infinity;
      for (let k = from; k <= to; ++k) {
        low = Math.max(low, base[k]!);
        high = Math.min(high, base[k]! + row[k]!);
      }
      const room = y.at(low / m) - y.at(high / m);
      if (room > best.room) best = { room, at, y: (y.at(low / m) + y.at(high / m)) / 2 };
    }
    if (best.room >= 18)
      plot.text(x.at(best.at / unit), best.y + 4, word, {
        "text-anchor": "middle",
        style: "fill:var(--bg);font-weight:600",
        "pointer-events": "none",
      });
  });
}

export function hoverMemory(frame: Frame): void {
  const { plot, answer, x, context, left, right, top, bottom } = frame,
    { words, units } = context,
    unit = timeUnit(units);
  const cross = svg("path", { d: "", style: "stroke:var(--ink3)", "stroke-width": 1, "pointer-events": "none" });
  const dot = svg("rect", {
    x: 0,
    y: top,
    width: 1,
    height: bottom - top,
    style: "fill:none",
    "pointer-events": "none",
  });
  const area = svg("rect", { x: left, y: top, width: right - left, height: bottom - top, style: "fill:transparent" });
  area.addEventListener("pointermove", (event) => {
    const box = plot.root.getBoundingClientRect();
    const ns = x.value(event.clientX - box.left) * unit;
    let i = 0;
    for (let low = 0, high = answer.at_ns.length - 1; low <= high;) {
      const mid = (low + high) >> 1;
      if (answer.at_ns[mid]! <= ns) {
        i = mid;
        low = mid + 1;
      } else high = mid - 1;
    }
    const px = x.at(answer.at_ns[i]! / unit);
    cross.setAttribute("d", `M${px} ${top}V${bottom}`);
    dot.setAttribute("x", String(px));
    const rows = [...answer.layers]
      .map((layer, l) => ({ layer, bytes: answer.bytes[l]![i]! }))
      .filter((row) => row.bytes > 0)
      .reverse();
    context.tip.show(dot, [
      h(
        "div",
        { class: "title" },
        `${join(memory(answer.device_bytes[i]!, units))} · ${join(time(answer.at_ns[i]!, units))}`,
      ),
      h("hr"),
      h(
        "div",
        { style: "display:grid;grid-template-columns:1fr auto;gap:0 14px" },
        rows.map((row) => [
          h("span", { class: kFill[row.layer].css }, words.plan.layers[row.layer]!),
          h("span", { style: "color:var(--ink)" }, join(memory(row.bytes, units))),
        ]),
      ),
    ]);
  });
  area.addEventListener("pointerleave", () => {
    cross.setAttribute("d", "");
    context.tip.hide();
  });
  plot.add(dot, cross, area);
}
