// The marks of the frontier's picture: strategies, plans and picks, the chosen plan, measured runs. Each shows what it is
// made of, and can be chosen.

import type { Measured } from "../../contract";
import { isBest, shown } from "../context";
import { svg } from "../dom";
import { type Box } from "../draw/labels";
import { hueColour, shape } from "../draw/marks";
import { textWidth } from "../draw/plot";
import { join, memory, time, timeUnit } from "../numbers";
import { hue, measuredTip, nameOf, pointTip } from "./points";
import { type Frame, type Label, type Where, nsOf, where, arrow } from "./frontier_frame";

export function strategyMarks(frame: Frame, labels: Label[], taken: Box[]): void {
  const { context, answer, plot } = frame;
  const chosen = context.answers.plan?.answer.plan.name;
  const byX: Where[] = [];
  for (const point of answer.strategies) {
    const at = where(frame, { peak_bytes: point.peak_bytes, ns: nsOf(point, context) });
    if (at.off === "up")
      for (const other of byX) if (other.off === "up" && Math.abs(other.x - at.x) < 14) at.x = other.x + 15;
    if (at.off) {
      byX.push(at);
      arrow(frame, at);
    }
    const group = svg(
      "g",
      { class: "mark", "data-focus": `mark/${point.name}` },
      svg("circle", { class: "ring", cx: at.x, cy: at.y, r: 10, style: `stroke:${hueColour(hue(point))}` }),
      shape(hue(point), at.x, at.y, 4.4),
      svg("circle", { class: "hit", cx: at.x, cy: at.y, r: 13 }),
    );
    const tip = () => pointTip(point, context, point.name === chosen);
    const { units } = context;
    context.tip.attach(
      group,
      `${point.name}: ${join(memory(point.peak_bytes, units))}, ${join(time(point.step_ns, units))}`,
      tip,
      () => context.choose(point.plan),
    );
    plot.add(group);
    taken.push({ x: at.x - 6, y: at.y - 6, w: 12, h: 12 });
    if (point.name === chosen) continue;
    const off = at.off ? join(time(nsOf(point, context), units)) : undefined;
    const text = context.narrow && off ? off : point.name;
    const label: Label = {
      wish: {
        x: at.x,
        y: at.off === "up" && !context.narrow ? at.y - 8 : at.y,
        w: Math.max(textWidth(text, "12px"), off ? textWidth(off) : 0),
        h: off && !context.narrow ? 27 : 15,
        gap: 10,
        sides: ["right", "left", "above", "below", "above-right", "below-right", "above-left"],
      },
      text,
      css: "name halo",
      priority: at.off ? 6 : 5,
    };
    if (off && !context.narrow)
      label.second = at.off === "right" || at.off === "left" ? join(memory(point.peak_bytes, units)) : off;
    labels.push(label);
  }
}

export function planMarks(frame: Frame, labels: Label[], taken: Box[]): void {
  const { context, answer, axis, plot } = frame;
  const { words } = context,
    t = words.frontier;
  const all = new Map([...answer.strategies, ...answer.points].map((p) => [p.name, p]));
  const chosenName = context.answers.plan?.answer.plan.name;
  axis.line.forEach((name, i) => {
    const point = all.get(name),
      spot = axis.line_at[i];
    if (!point || !spot || answer.strategies.some((s) => s.name === name)) return;
    const at = where(frame, spot);
    if (at.off) return;
    const group = svg(
      "g",
      { class: "mark", "data-focus": `mark/${name}` },
      svg("circle", { class: "ring", cx: at.x, cy: at.y, r: 8, style: "stroke:var(--ink)" }),
      svg("circle", { class: "hit", cx: at.x, cy: at.y, r: 9 }),
    );
    context.tip.attach(
      group,
      `${name}: ${join(memory(point.peak_bytes, context.units))}, ${join(time(point.step_ns, context.units))}`,
      () => pointTip(point, context, point.name === chosenName),
      () => context.choose(point.plan),
    );
    plot.add(group);
    taken.push({ x: at.x - 4, y: at.y - 4, w: 8, h: 8 });
  });
  if (context.state.axis !== "step_time") return;
  for (const pick of ["least_memory", "balanced", "fastest"] as const) {
    const point = all.get(answer.picks[pick] ?? "");
    if (!point) continue;
    const at = where(frame, { peak_bytes: point.peak_bytes, ns: nsOf(point, context) });
    if (at.off) continue;
    plot.add(
      svg("circle", {
        cx: at.x,
        cy: at.y,
        r: 5.2,
        style: "fill:none;stroke:var(--ink);pointer-events:none",
        "stroke-width": 2,
      }),
    );
    if (!answer.strategies.some((s) => s.name === point.name))
      plot.add(svg("circle", { cx: at.x, cy: at.y, r: 4.2, style: "fill:var(--bg);pointer-events:none" }));
    const text = t.picks[pick]!;
    labels.push({
      wish: {
        x: at.x,
        y: at.y,
        w: textWidth(text, "12px"),
        h: 15,
        gap: 11,
        sides:
          pick === "fastest"
            ? ["right", "above", "below", "left"]
            : pick === "balanced"
              ? ["below-left", "left", "below", "above-right", "right"]
              : ["above", "above-left", "left", "above-right", "right"],
      },
      text,
      css: "name halo",
      priority: 4,
    });
  }
}

export function chosenMark(frame: Frame, labels: Label[], taken: Box[]): void {
  const { context, plot } = frame;
  const plan = context.answers.plan?.answer;
  if (!plan || !plan.found) return;
  const point = plan.plan,
    { units } = context;
  const at = where(frame, { peak_bytes: point.peak_bytes, ns: nsOf(point, context) });
  const strategy = frame.answer.strategies.some((s) => s.name === point.name) && !isBest(context);
  const group = svg(
    "g",
    { class: "mark", "data-focus": "mark/chosen" },
    svg("circle", { cx: at.x, cy: at.y, r: 11, style: "fill:none;stroke:var(--ink)", "stroke-width": 1.4 }),
    strategy
      ? shape(hue(point), at.x, at.y, 4.4)
      : svg("circle", { cx: at.x, cy: at.y, r: 5.6, style: "fill:var(--ink)" }),
    svg("circle", { class: "hit", cx: at.x, cy: at.y, r: 12 }),
  );
  const name = nameOf(point, context);
  const text = context.narrow
    ? name
    : `${name} ${join(memory(point.peak_bytes, units))} · ${join(time(nsOf(point, context), units))}`;
  context.tip.attach(
    group,
    text,
    () => pointTip(point, context, true),
    () => context.change({ plan: true }),
  );
  plot.add(group);
  if (at.off) arrow(frame, at);
  taken.push({ x: at.x - 12, y: at.y - 12, w: 24, h: 24 });
  labels.push({
    wish: {
      x: at.x,
      y: at.y,
      w: textWidth(text, "600 13px") + 4,
      h: 17,
      gap: 18,
      sides: ["below-left", "above-right", "below-right", "left", "right", "above-left", "below", "above"],
      must: true,
    },
    text,
    css: "bold halo",
    priority: 0,
    leader: true,
  });
}

export function measuredMarks(frame: Frame, labels: Label[], taken: Box[]): void {
  const { context, answer, plot, y } = frame;
  if (!shown(context, "measured") || context.state.axis !== "step_time") return;
  const runs: Measured[] = answer.measured.filter((run) => run.step_ns !== null);
  runs.forEach((run, i) => {
    const at = where(frame, { peak_bytes: run.peak_bytes, ns: run.step_ns! });
    if (at.off) return;
    const unit = timeUnit(context.units);
    const high = y.at((run.step_high_ns ?? run.step_ns!) / unit),
      low = y.at((run.step_low_ns ?? run.step_ns!) / unit);
    const group = svg(
      "g",
      { class: "mark", "data-focus": `measured/${i}` },
      svg("path", {
        d: `M${at.x} ${high}V${low}M${at.x - 4} ${high}h8M${at.x - 4} ${low}h8`,
        style: "stroke:var(--ink)",
        "stroke-width": 1.2,
        fill: "none",
      }),
      svg("circle", { cx: at.x, cy: at.y, r: 2.6, style: "fill:var(--bg);stroke:var(--ink)", "stroke-width": 1.2 }),
      svg("circle", { class: "hit", cx: at.x, cy: at.y, r: 10 }),
    );
    context.tip.attach(group, context.words.frontier.measuredTip(run.name), () => measuredTip(run, context));
    plot.add(group);
    taken.push({ x: at.x - 5, y: high, w: 10, h: low - high });
    if (i === 0)
      labels.push({
        wish: {
          x: at.x,
          y: at.y,
          w: textWidth(context.words.frontier.measured),
          h: 13,
          gap: 9,
          sides: ["above-right", "right", "above"],
        },
        text: context.words.frontier.measured,
        css: "halo",
        priority: 7,
      });
  });
}
