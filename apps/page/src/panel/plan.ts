// The chosen plan: the timeline, who is alive at the peak and why, what each activation's fate is, and what memory is
// worth.

import type { FrontierAnswer, PlanAnswer, TimelineAnswer } from "../../contract";
import { button, isBest, said, type Context } from "../context";
import { h, type Child, type Rich } from "../dom";
import { colour, Plot, type Point } from "../draw/plot";
import { linear } from "../draw/scale";
import { count, join, memory, memoryFine, memoryUnit, short, time, timeUnit } from "../numbers";
import { head } from "../modes/frontier";
import { nameOf } from "../modes/points";
import { activationTable } from "./activations";
import { timelineChart } from "./timeline";

function answerOfPlan(plan: PlanAnswer, timeline: TimelineAnswer | null, context: Context): string {
  const { units } = context,
    point = plan.plan,
    t = context.words;
  if (!plan.found && isBest(context))
    return t.frontier.infeasible(
      join(memory(plan.least_feasible_bytes, units)),
      join(memory(plan.least_possible_bytes, units)),
    );
  const name = isBest(context) ? null : nameOf(point, context);
  return t.plan.answer(
    name,
    join(memory(point.peak_bytes, units)),
    join(time(point.step_ns, units)),
    point.stalled_ns > 0 ? join(time(point.stalled_ns, units)) : null,
    said(timeline?.peak.op ?? plan.peak_op, context),
  );
}

function whyOfPlan(plan: PlanAnswer, context: Context): Rich {
  const t = context.words.plan,
    { units } = context,
    parts: Rich = [];
  const share = (fate: string) => plan.plan.fates.filter((f) => f.fate.startsWith(fate) && f.bytes > 0);
  const keep = share("keep")[0],
    recompute = share("recompute")[0];
  parts.push(...t.keeps(join(memory(keep?.bytes ?? 0, units))));
  if (recompute) parts.push(...t.recomputes(join(memory(recompute.bytes, units)), join(time(recompute.ns, units))));
  for (const offload of share("offload"))
    parts.push(
      ...t.offloads(join(memory(offload.bytes, units)), offload.ns === 0 ? null : join(time(offload.ns, units))),
    );
  const price = plan.plan.price_ns_per_gib;
  parts.push(...(price === null || price === 0 ? t.stop() : t.price(join(time(price, units)))));
  return parts;
}

function peakTable(timeline: TimelineAnswer, context: Context): Child {
  const { words, units } = context;
  return h(
    "section",
    {},
    h(
      "h2",
      { class: "section" },
      words.plan.who(join(time(timeline.peak.at_ns, units))),
      h("span", {}, join(memory(timeline.peak.bytes, units))),
    ),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { id: "at-peak" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", {}, words.plan.columns.name),
            h("th", { class: "num" }, "×"),
            h("th", { class: "num" }, words.withUnit(words.plan.columns.size, units.memory)),
            h("th", {}, words.residentColumn),
            h("th", {}, words.plan.columns.reason),
          ),
        ),
        h(
          "tbody",
          {},
          timeline.peak.groups
            .slice(0, 14)
            .map((g) =>
              h(
                "tr",
                {},
                h("td", { class: "mono" }, said(g.label, context)),
                h("td", { class: "num" }, count(g.count)),
                h("td", { class: "num" }, memoryFine(g.bytes, units)),
                h("td", {}, words.residents[g.kind]!),
                h("td", {}, words.whyAlive(g.why)),
              ),
            ),
        ),
      ),
      timeline.peak.groups.length > 14
        ? h("p", { class: "caption" }, words.andMore(count(timeline.peak.groups.length - 14)))
        : null,
    ),
  );
}

// What one more GiB saves, from each plan of the frontier to the next.
function priceChart(answer: FrontierAnswer, plan: PlanAnswer, context: Context): Child {
  const { words, units } = context,
    t = words.plan,
    m = memoryUnit(units),
    unit = timeUnit(units);
  const points = answer.points.filter((p) => p.price_ns_per_gib !== null);
  if (points.length < 2) return null;
  const width = context.narrow ? context.width : Math.min(460, Math.floor(context.width * 0.36)),
    height = 210,
    left = 44,
    right = width - 10,
    top = 10,
    bottom = height - 36;
  const plot = new Plot(width, height, t.priceTitle);
  const prices = points.map((p) => p.price_ns_per_gib! / unit).sort((a, b) => a - b);
  const usual = prices[Math.floor(prices.length * 0.75)]!,
    most = prices[prices.length - 1]!;
  const x = linear(points[0]!.peak_bytes / m, answer.points[answer.points.length - 1]!.peak_bytes / m, left, right);
  const y = linear(0, (most > usual * 4 ? usual * 2 : most) * 1.1, bottom, top);
  plot.yAxis(y, left, right, (tick) => short(tick), 4);
  plot.xAxis(x, bottom, (tick) => short(tick), 6);
  const line: Point[] = [];
  answer.points.forEach((p, i) => {
    const next = answer.points[i + 1];
    if (p.price_ns_per_gib === null || !next) return;
    line.push(
      [x.at(p.peak_bytes / m), y.at(p.price_ns_per_gib / unit)],
      [x.at(next.peak_bytes / m), y.at(p.price_ns_per_gib / unit)],
    );
  });
  plot.clip(left, top - 2, right - left + 2, bottom - top + 4, () =>
    plot.line(line, { colour: colour("ink"), width: 2 }),
  );
  const px = x.at(plan.plan.peak_bytes / m);
  if (px >= left && px <= right) {
    plot.line(
      [
        [px, top],
        [px, bottom],
      ],
      { colour: colour("ink"), width: 1, dash: [3, 3] },
    );
    plot.text(px > (left + right) / 2 ? px - 5 : px + 5, top + 10, words.frontier.chosen, {
      class: "bold halo",
      "text-anchor": px > (left + right) / 2 ? "end" : "start",
    });
  }
  plot.text(right, height - 4, words.withUnit(t.pricePeak, units.memory), { "text-anchor": "end" });
  return h(
    "section",
    {},
    h("h2", { class: "section" }, t.priceTitle, h("span", {}, t.priceNote(units.time))),
    plot.root,
  );
}

export function planPanel(context: Context): Child {
  const plan = context.answers.plan?.answer ?? null,
    timeline = context.answers.timeline?.answer ?? null,
    activations = context.answers.activations?.answer ?? null;
  const { words } = context,
    t = words.plan;
  const actions = h(
    "div",
    { class: "actions" },
    button(t.back(words.modes[context.state.mode]), () => context.change({ plan: false })),
    button(t.savePlan, () => context.save("plan"), true),
    button(t.trace, () => context.save("trace")),
    button(t.png, () => context.save("png")),
  );
  if (!plan) return [actions, h("p", { class: "quiet", style: "margin-top:20px" }, t.loading)];
  const frontier = context.answers.frontier?.answer;
  const price = frontier ? priceChart(frontier, plan, context) : null;
  return [
    head(answerOfPlan(plan, timeline, context), whyOfPlan(plan, context), actions),
    timeline ? timelineChart(timeline, context) : h("p", { class: "quiet", style: "margin-top:20px" }, t.loading),
    activations ? [h("hr", { class: "rule" }), activationTable(activations, context)] : null,
    timeline
      ? [h("hr", { class: "rule" }), h("div", { class: price ? "below" : "" }, peakTable(timeline, context), price)]
      : null,
  ];
}
