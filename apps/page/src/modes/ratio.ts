// Mode 3: bytes saved per nanosecond of recompute, row by row, with a threshold to drag, and below it on the same axis
// what each threshold gives. The solver's plan, which needs none, beside it.

import type { RatioAnswer, RatioRow } from "../../contract";
import { checkBox, segments, shown, toggle, button, type Context } from "../context";
import { h, rich, type Child, type Rich } from "../dom";
import { hueOf, icon } from "../draw/marks";
import { count, difference, fixed, join, memory, memoryFine, short, three, time, timeCell } from "../numbers";
import { head } from "./frontier";
import { gapText } from "./points";
import { ratioChart } from "./ratio_chart";

const kFirst = 36;
let showAll = false;

function answerOfRatio(answer: RatioAnswer, threshold: number, context: Context): string {
  const t = context.words.ratio,
    { units } = context,
    rule = answer.rule;
  const peak = join(memory(rule.peak_bytes, units)),
    step = join(time(rule.step_ns, units));
  if (rule.over_bytes > 0)
    return t.noFit(
      short(threshold),
      peak,
      join(memory(rule.over_bytes, units)),
      answer.best === null ? null : fixed(answer.best.threshold, 2),
    );
  if (answer.is_best) return t.best(short(threshold), peak, step, difference(rule.over_keep_all));
  return t.at(
    short(threshold),
    peak,
    step,
    answer.best === null ? null : `${fixed(answer.best.threshold, 2)}, ${join(time(answer.best.step_ns, units))}`,
  );
}

function whyOfRatio(answer: RatioAnswer, context: Context): Rich {
  const t = context.words.ratio,
    { units } = context;
  const dishes = context.scenario.subject.kind === "mixed_kitchen";
  const parts: Rich = [];
  const first = answer.rows[0]?.ratio;
  if (answer.rows.length > 1 && first !== undefined && answer.rows.every((row) => Math.abs(row.ratio - first) < 1e-9))
    parts.push(...t.equal());
  else parts.push(...t.recomputes(count(answer.recomputed.rows), count(answer.rows.length), dishes));
  if (answer.solver) {
    parts.push(
      ...t.solver(
        join(memory(answer.solver.peak_bytes, units)),
        join(time(answer.solver.step_ns, units)),
        gapText(answer.solver.gap),
      ),
      ...t.differ(answer.differs.length),
    );
  }
  return parts;
}

// Rows as they are shown: sorted or in program order, with the members of what is unfolded below it.
export interface Shown {
  row: RatioRow;
  depth: number;
}
export function shownRows(answer: RatioAnswer, order: "ratio" | "program", unfold: string[]): Shown[] {
  const rows = [...answer.rows];
  if (order === "ratio") rows.sort((a, b) => b.ratio - a.ratio);
  return rows.flatMap((row) => [
    { row, depth: 0 },
    ...(unfold.includes(row.label) ? row.members.map((member) => ({ row: member, depth: 1 })) : []),
  ]);
}

export function rowName({ row, depth }: Shown, context: Pick<Context, "kitchen" | "words">): string {
  const name = context.kitchen ? context.words.nameOf(row.label) : row.label;
  return depth > 0 ? (row.block ?? name) : row.count > 1 ? `${name} ×${row.count}` : name;
}

export function ratioTip(shownRow: Shown, answer: RatioAnswer, context: Context): Child[] {
  const { row } = shownRow,
    { words, units } = context,
    t = words.ratio;
  const css = (fate: string) => (fate.startsWith("offload") ? "offload" : fate === "mixed" ? "" : fate);
  const solver =
    row.solver === null
      ? null
      : row.solver === "mixed"
        ? t.ofCount(count(row.solver_recomputes), count(row.count))
        : words.fateWords[row.solver]!;
  return [
    h(
      "div",
      { class: "title" },
      icon(hueOf(row.rule), 13),
      rowName(shownRow, context),
      h("span", { class: "quiet", style: "font-weight:400" }, t.ratioWord(three(row.ratio))),
    ),
    h(
      "div",
      { style: "display:grid;grid-template-columns:1fr auto;margin-top:4px" },
      h("span", {}, t.ruleAt(fixed(answer.threshold, 2))),
      h("span", { class: css(row.rule) }, words.fateWords[row.rule]!),
      solver === null ? null : [h("span", {}, t.solverPlan), h("span", { class: css(row.solver!) }, solver)],
    ),
    h("hr"),
    h("div", {}, rich(t.reason(join(memory(row.bytes, units)), join(time(row.recompute_ns, units))))),
    row.differs ? h("div", {}, rich(t.differsWhy())) : null,
    row.count > 1 && shownRow.depth === 0
      ? h("div", { class: "do" }, context.state.unfold.includes(row.label) ? t.fold : t.unfold)
      : null,
  ];
}

function twin(rows: Shown[], context: Context): Child {
  const { words, units } = context,
    t = words.ratio;
  const cells = (s: Shown) => [
    h("td", {}, rowName(s, context)),
    h("td", { class: "num" }, three(s.row.ratio)),
    h("td", { class: "num" }, memoryFine(s.row.bytes, units)),
    h("td", { class: "num" }, timeCell(s.row.recompute_ns, units)),
    h("td", {}, words.fateWords[s.row.rule]!),
    h("td", {}, s.row.solver === null ? "–" : words.fateWords[s.row.solver]!),
  ];
  const label = context.scenario.subject.kind === "mixed_kitchen" ? t.dish : t.activation;
  return h(
    "details",
    { style: "margin-top:16px" },
    h("summary", { class: "quiet", style: "cursor:pointer;font-size:12px" }, words.frontier.tableTwin),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { id: "ratios" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", {}, label),
            h("th", { class: "num" }, words.modes.ratio),
            h("th", { class: "num" }, t.size(units.memory)),
            h("th", { class: "num" }, t.redo(units.time)),
            h("th", {}, t.ruleAt(short(Number(context.answers.ratio?.answer.threshold)))),
            h("th", {}, t.solverColumn),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map((s) => h("tr", {}, cells(s))),
        ),
      ),
    ),
  );
}

export function ratioMode(context: Context): Child {
  const answer = context.answers.ratio?.answer;
  if (!answer) return null;
  const { words, state } = context,
    t = words.ratio;
  const all = shownRows(answer, state.order, state.unfold);
  const rows = showAll ? all : all.slice(0, kFirst);
  return [
    head(answerOfRatio(answer, answer.threshold, context), whyOfRatio(answer, context)),
    h(
      "div",
      { class: "switches" },
      segments(
        [
          { value: "linear", text: t.linear },
          { value: "log", text: t.log },
        ],
        state.log ? "log" : "linear",
        t.linear,
        (value) => context.change({ log: value === "log" }),
      ),
      segments(
        [
          { value: "ratio", text: words.options["ratio"]! },
          { value: "program", text: words.options["program"]! },
        ],
        state.order,
        words.controls["order"]!,
        (order) => context.change({ order: order as "ratio" | "program" }),
      ),
      h("span", { class: "spring" }),
      ["solver", "curves"].map((what) => checkBox(words.shows[what]!, shown(context, what), toggle(context, what))),
    ),
    ratioChart(answer, rows, context),
    rows.length < all.length
      ? h(
          "p",
          { class: "more" },
          button(t.more(count(all.length - rows.length)), () => {
            showAll = true;
            context.change({});
          }),
        )
      : null,
    twin(all, context),
  ];
}
