// Mode 1: memory against step time. The answer, why it is so, the picture, the chosen plan by fate, and the tables that
// say all of it again.

import type { FrontierAnswer, PlanAnswer, PlanPoint } from "../../contract";
import { button, checkBox, isBest, said, segments, shown, toggle, type Context } from "../context";
import { h, rich, type Child, type Rich } from "../dom";
import { icon } from "../draw/marks";
import { count, difference, join, kNone, memory, memoryCell, percent, time, timeCell } from "../numbers";
import { kAxes } from "../state";
import { frontierChart } from "./frontier_chart";
import { fitWord, gapText, hue, nameOf } from "./points";

export function answerOf(plan: PlanAnswer, context: Context): string {
  const t = context.words.frontier,
    { units } = context,
    point = plan.plan;
  const name = isBest(context) ? null : nameOf(point, context);
  if (!plan.found && isBest(context))
    return t.infeasible(join(memory(plan.least_feasible_bytes, units)), join(memory(plan.least_possible_bytes, units)));
  if (point.over_bytes > 0)
    return t.overBudget(
      name ?? context.words.strategies["plan"]!,
      join(memory(point.peak_bytes, units)),
      join(memory(point.over_bytes, units)),
    );
  return t.answer(
    name,
    join(memory(point.peak_bytes, units)),
    join(time(point.step_ns, units)),
    difference(point.over_keep_all),
    gapText(point.gap),
  );
}

export function whyOf(plan: PlanAnswer, context: Context): Rich {
  const t = context.words.frontier,
    { units } = context;
  if (!plan.found && isBest(context)) {
    const change = plan.changes.find((c) => c.fits && c.step_ns !== null);
    return [
      ...t.peakAt(said(plan.peak_op, context)),
      ...(change ? t.change(change.name, change.how, join(time(change.step_ns, units))) : t.noChange()),
    ];
  }
  const keep = join(memory(plan.keep_all.peak_bytes, units));
  const parts: Rich = plan.keep_all.fits
    ? [...t.keepFits(keep)]
    : [...t.keepDoesNotFit(keep, join(memory(plan.budget.memory_bytes, units)))];
  const usual = plan.usual;
  if (usual && usual.name !== plan.plan.name) {
    if (!usual.fits) parts.push(...t.usualTooLarge(usual.name));
    else if (usual.slower_ns > 0) parts.push(...t.usual(usual.name, join(time(usual.slower_ns, units))));
  }
  const price = plan.plan.price_ns_per_gib;
  // What more memory would save is not asked of a chosen plan, nor at quick effort.
  if (price) parts.push(...t.price(join(time(price, units)), "GiB"));
  else if (isBest(context) && plan.effort !== "quick") parts.push(...t.noPrice());
  return parts;
}

export function head(answer: string, why: Rich, actions?: Child): HTMLElement {
  return h(
    "div",
    { class: "head" },
    h(
      "div",
      {},
      h("h1", { id: "answer", "aria-live": "polite" }, answer),
      h("p", { class: "why", id: "why" }, rich(why)),
    ),
    actions,
  );
}

export function fateBar(plan: PlanAnswer, context: Context): Child {
  const { words, units } = context,
    t = words.frontier;
  const shares = plan.plan.fates.filter((share) => share.bytes > 0);
  if (shares.length === 0) return h("p", { class: "quiet" }, t.noActivations);
  const css = (fate: string) => (fate.startsWith("offload") ? "offload" : fate);
  return [
    h(
      "div",
      { class: "fates", "aria-hidden": true },
      shares.map((share) => h("i", { style: `flex:${share.bytes} 1 0;background:var(--${css(share.fate)})` })),
    ),
    h(
      "div",
      { class: "fate-words" },
      shares.map((share) =>
        h(
          "div",
          { class: css(share.fate), style: `flex:${Math.max(0.22, share.share)} 1 0` },
          h("b", {}, `${words.fates[css(share.fate)]} ${join(memory(share.bytes, units))}`),
          h(
            "span",
            {},
            share.fate === "keep"
              ? t.keepSays(percent(share.share, 0))
              : share.fate === "recompute"
                ? t.recomputeSays(join(time(share.ns, units)))
                : share.ns === 0
                  ? t.offloadHides
                  : t.offloadSays(join(time(share.ns, units))),
          ),
        ),
      ),
    ),
  ];
}

function chosenPlan(plan: PlanAnswer, context: Context): Child {
  const { words, units } = context,
    t = words.frontier;
  const largest = plan.at_peak
    .slice(0, 3)
    .map((g) => `${said(g.label, context)}${g.count > 1 ? ` ×${g.count}` : ""} ${join(memory(g.bytes, units))}`)
    .join(words.enumeration);
  return h(
    "section",
    {},
    h(
      "div",
      { class: "table-head" },
      h("h2", { class: "section" }, t.chosenPlan, h("span", {}, t.byFate(join(memory(plan.activations.bytes, units))))),
      h("span", { class: "spring" }),
      h(
        "div",
        { class: "actions" },
        button(words.plan.timeline, () => context.change({ plan: true }), true),
        button(words.plan.savePlan, () => context.save("plan")),
        button(words.plan.trace, () => context.save("trace")),
        button(words.plan.png, () => context.save("png")),
      ),
    ),
    fateBar(plan, context),
    h(
      "p",
      { style: "margin-top:12px;font-size:12px;line-height:18px;overflow-wrap:anywhere" },
      rich(t.binds(said(plan.peak_op, context), largest)),
    ),
  );
}

interface Row {
  label: Child;
  point: PlanPoint;
  chosen: boolean;
  quiet?: boolean;
}

function picksTable(answer: FrontierAnswer, plan: PlanAnswer | null, context: Context): Child {
  const { words, units } = context,
    t = words.frontier;
  const all = new Map([...answer.strategies, ...answer.points].map((p) => [p.name, p]));
  const rows: Row[] = (["least_memory", "balanced", "fastest"] as const).flatMap((pick) => {
    const point = all.get(answer.picks[pick] ?? "");
    return point ? [{ label: t.pickCells[pick]!, point, chosen: false }] : [];
  });
  if (plan?.found) rows.push({ label: t.chosen, point: plan.plan, chosen: true });
  rows.sort((a, b) => a.point.peak_bytes - b.point.peak_bytes);
  rows.push({ label: t.forScale("keep_all"), point: answer.keep_all, chosen: false, quiet: true });
  const cells = (row: Row) => [
    h(
      "td",
      { class: row.quiet ? "quiet" : "" },
      row.chosen
        ? row.label
        : h("button", { type: "button", onclick: () => context.choose(row.point.plan) }, row.label),
    ),
    h("td", { class: "num" }, memoryCell(row.point.peak_bytes, units)),
    h("td", { class: "num" }, timeCell(row.point.step_ns, units)),
    h("td", { class: "num" }, difference(row.point.over_keep_all)),
    h("td", { class: "num" }, row.quiet ? kNone : percent(row.point.gap)),
  ];
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { id: "picks" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", {}, t.columns.pick),
          h("th", { class: "num" }, t.peakColumn(units.memory)),
          h("th", { class: "num" }, t.stepColumn(units.time)),
          h("th", { class: "num" }, t.columns.over),
          h("th", { class: "num" }, t.columns.gap),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) => h("tr", { class: row.chosen ? "chosen" : "" }, cells(row))),
      ),
    ),
  );
}

function pointsTable(title: string, note: string, points: PlanPoint[], context: Context, id: string): Child {
  const { words, units, narrow } = context,
    t = words.frontier;
  const column = (text: string) => h("th", { class: "num" }, text);
  const chosen = context.answers.plan?.answer.plan.name;
  const row = (p: PlanPoint) =>
    h(
      "tr",
      { class: p.name === chosen ? "chosen" : "" },
      h(
        "td",
        {},
        h(
          "button",
          {
            type: "button",
            onclick: () => context.choose(p.plan),
            style: "display:inline-flex;gap:7px;align-items:center",
          },
          icon(hue(p), 13),
          h("span", { class: narrow ? "" : "mono" }, p.name),
        ),
      ),
      h("td", { class: "num" }, memoryCell(p.peak_bytes, units)),
      h("td", { class: "num" }, timeCell(p.step_ns, units)),
      narrow
        ? null
        : [
            h("td", { class: "num" }, difference(p.over_keep_all)),
            h("td", { class: "num" }, timeCell(p.recompute_ns, units)),
            h("td", { class: "num" }, timeCell(p.link_busy_ns, units)),
          ],
      h("td", { class: "num", style: p.fits ? "" : "color:var(--ink2)" }, fitWord(p, context)),
    );
  const folded = id === "points";
  const heading = h("h2", { class: "section", style: folded ? "display:inline-flex" : "" }, title, h("span", {}, note));
  return h(
    folded ? "details" : "section",
    { style: "margin-top:22px" },
    folded ? h("summary", { style: "cursor:pointer" }, heading) : heading,
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { id },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", {}, t.columns.strategy),
            column(t.peakColumn(units.memory)),
            column(t.stepColumn(units.time)),
            narrow
              ? null
              : [
                  column(t.columns.over),
                  column(words.withUnit(words.axes["extra_compute"]!, units.time)),
                  column(words.withUnit(words.axes["extra_transfer"]!, units.time)),
                ],
            column(t.columns.fits),
          ),
        ),
        h("tbody", {}, points.map(row)),
      ),
    ),
  );
}

export function frontierMode(context: Context): Child {
  const { words, state, narrow } = context;
  const answer = context.answers.frontier?.answer ?? null,
    plan = context.answers.plan?.answer ?? null;
  if (!answer) return plan ? head(answerOf(plan, context), whyOf(plan, context)) : null;
  const measured = answer.measured.length > 0;
  const height = narrow ? 372 : Math.round(Math.min(540, Math.max(424, window.innerHeight * 0.52)));
  return [
    plan ? head(answerOf(plan, context), whyOf(plan, context)) : null,
    h(
      "div",
      { class: "switches" },
      segments(
        kAxes.map((axis) => ({ value: axis, text: (narrow ? words.axesShort : words.axes)[axis]! })),
        state.axis,
        words.axes["step_time"]!,
        (axis) => context.change({ axis }),
      ),
      h("span", { class: "spring" }),
      ["iso", "bound", ...(measured ? ["measured"] : [])].map((what) =>
        checkBox(words.shows[what]!, shown(context, what), toggle(context, what)),
      ),
    ),
    h(
      "p",
      { class: "axis-title", style: "margin:10px 0 2px" },
      words.withUnit(words.axes[state.axis]!, context.units.time),
    ),
    frontierChart(answer, context, context.width, height),
    h("hr", { class: "rule" }),
    h("div", { class: "below" }, plan ? chosenPlan(plan, context) : h("section"), picksTable(answer, plan, context)),
    pointsTable(words.frontier.strategiesTitle, words.frontier.predicted, answer.strategies, context, "strategies"),
    pointsTable(words.frontier.plansTitle, count(answer.points.length), answer.points, context, "points"),
  ];
}
