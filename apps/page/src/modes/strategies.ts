// Mode 2: the strategies side by side in three layers (ledger, simulated, rule of thumb), who wins and where that
// changes, the curve over K, and what stacking really gives.

import type { LedgerAnswer, LedgerName, WinnerInterval } from "../../contract";
import { checkBox, shown, toggle, type Context } from "../context";
import { h, svg, type Child, type Rich } from "../dom";
import { fixed, grouped, short } from "../numbers";
import { head } from "./frontier";
import { kCurveNote, segmentCurve } from "./segment_curve";
import { stackBars } from "./stack";
import { winnerMap } from "./winner_map";
import { strategyTable } from "./strategy_table";

export const costText = (cost: number): string => (cost >= 0.995 ? fixed(cost, 1) : short(cost));

// English ids are words of the code; in a sentence strategies have their names.
export function strategyName(name: LedgerName | null, context: Context, inside: boolean): string {
  const word = name === null ? context.words.none : (context.words.strategies[name] ?? name);
  return inside && context.state.language === "en" ? word.charAt(0).toLowerCase() + word.slice(1) : word;
}

export function answerOfLedger(answer: LedgerAnswer, context: Context): string {
  const t = context.words.strategiesMode,
    { ledger } = answer;
  const best = ledger.rows.find((row) => row.name === ledger.best);
  return best ? t.wins(strategyName(best.name, context, false), costText(best.cost)) : t.nobody;
}

// The neighbour of the interval that we are in, below first.
function neighbour(
  intervals: WinnerInterval[],
  now: number,
): { at: number; winner: LedgerName; below: boolean } | null {
  const i = intervals.findIndex((interval) => now >= interval.from && (interval.to === null || now <= interval.to));
  const below = intervals[i - 1],
    above = intervals[i + 1];
  if (i < 0) return null;
  if (below?.winner) return { at: intervals[i]!.from, winner: below.winner, below: true };
  return above?.winner ? { at: above.from, winner: above.winner, below: false } : null;
}

export function whyOfLedger(answer: LedgerAnswer, context: Context): Rich {
  const t = context.words.strategiesMode,
    { ledger } = answer;
  const parts: Rich = [];
  const others = ledger.rows.filter((row) => row.competes && row.name !== ledger.best).sort((a, b) => a.cost - b.cost);
  if (others.length > 0) {
    const list = others
      .map((row, i) => `${strategyName(row.name, context, i > 0)} ${costText(row.cost)}`)
      .join(context.words.listSeparator);
    parts.push(...t.others(list));
  }
  if (ledger.binding.length > 0) {
    parts.push(
      ...t.binding(
        ledger.binding.map((limit) => t.limitNames[limit]!).join(t.and),
        strategyName(ledger.best_without_limits, context, true),
      ),
    );
  } else {
    const bandwidth = neighbour(ledger.changes.bandwidth_gb_per_s, ledger.kitchen.bandwidth_gb_per_s);
    const lambda = neighbour(ledger.changes.lambda, ledger.lambda.memory);
    if (bandwidth) {
      parts.push(
        ...(bandwidth.below ? t.changesBelow : t.changesAbove)(
          `${short(bandwidth.at)} GB/s`,
          strategyName(bandwidth.winner, context, true),
        ),
      );
    } else if (lambda) {
      parts.push(...t.changesLambda(short(lambda.at), strategyName(lambda.winner, context, true), lambda.below));
    }
  }
  const row = ledger.rows.find((r) => r.name === "checkpoint");
  if (answer.derived)
    parts.push(...t.derived(grouped(String(ledger.kitchen.layers)), `${short(ledger.kitchen.activation_gb)} GB`));
  else if (row && ledger.segments > 1)
    parts.push(...t.teaching(`${short(ledger.checkpoint_true.memory_gb)} GB`, `${short(row.memory_gb)} GB`));
  return parts;
}

function legend(context: Context): Child {
  const t = context.words;
  const bar = h("i", { class: "swatch", style: "width:22px;height:10px;background:var(--neutral)" });
  const tick = svg(
    "svg",
    { class: "swatch", width: 12, height: 14, viewBox: "0 0 12 14" },
    svg("path", { d: "M0 7H10", style: "stroke:var(--ink)", "stroke-width": 1 }),
    svg("path", { d: "M9 0V14", style: "stroke:var(--ink)", "stroke-width": 2 }),
  );
  const ring = svg(
    "svg",
    { class: "swatch", width: 12, height: 12, viewBox: "0 0 12 12" },
    svg("circle", { cx: 6, cy: 6, r: 4, fill: "none", style: "stroke:var(--ink2)", "stroke-width": 1.7 }),
  );
  return [
    ["ledger", bar],
    ["simulated", tick],
    ["thumb", ring],
  ].map(([what, mark]) =>
    checkBox(
      t.shows[what as string]!,
      shown(context, what as string),
      toggle(context, what as string),
      {},
      mark as Node,
    ),
  );
}

// The pictures' tables: where the winner changes, and memory over K.
function twins(answer: LedgerAnswer, context: Context): Child {
  const t = context.words.strategiesMode,
    { changes } = answer.ledger;
  const interval = (i: WinnerInterval) =>
    h(
      "tr",
      {},
      h("td", { class: "num" }, short(i.from)),
      h("td", { class: "num" }, i.to === null ? "∞" : short(i.to)),
      h("td", {}, strategyName(i.winner, context, false)),
    );
  const intervals = (title: string, list: WinnerInterval[]) =>
    h(
      "table",
      { style: "width:auto" },
      h("thead", {}, h("tr", {}, h("th", { colspan: 2 }, title), h("th", {}, t.wins1))),
      h("tbody", {}, list.map(interval)),
    );
  const cell = (x: number | null) => h("td", { class: "num" }, x === null ? "–" : short(x));
  const curve =
    answer.curve === null
      ? null
      : h(
          "table",
          { style: "width:auto" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              [
                t.curveX,
                `${context.words.shows["ledger"]}, GB`,
                `${t.heldWord}, GB`,
                `${context.words.shows["simulated"]}, GB`,
              ].map((head) => h("th", { class: "num" }, head)),
            ),
          ),
          h(
            "tbody",
            {},
            answer.curve.points
              .slice(0, 60)
              .map((p) => h("tr", {}, cell(p.segments), cell(p.ledger_gb), cell(p.held_gb), cell(p.simulated_gb))),
          ),
        );
  return h(
    "details",
    { style: "margin-top:16px" },
    h("summary", { class: "quiet", style: "cursor:pointer;font-size:12px" }, context.words.frontier.tableTwin),
    h(
      "div",
      { class: "scroll", style: "display:flex;gap:42px;align-items:flex-start;margin-top:8px" },
      intervals(t.mapX, changes.lambda),
      intervals(t.mapY, changes.bandwidth_gb_per_s),
      curve,
    ),
  );
}

export function strategiesMode(context: Context): Child {
  const answer = context.answers.ledger?.answer;
  if (!answer) return null;
  const t = context.words.strategiesMode;
  const columns = context.narrow ? 1 : context.width < 900 ? 2 : 3;
  const third = Math.floor((context.width - (columns - 1) * (columns === 3 ? 42 : 28)) / columns);
  const figure = (title: string, axis: string | null, note: string | null, chart: Child) =>
    h(
      "section",
      {},
      h("h2", { class: "section" }, title, note === null ? null : h("span", {}, note)),
      axis === null ? null : h("p", { class: "axis-title" }, axis),
      chart,
    );
  return [
    head(answerOfLedger(answer, context), whyOfLedger(answer, context)),
    h(
      "div",
      { class: "switches" },
      h("span", { class: "quiet", style: "font-size:12px" }, t.layersLabel),
      legend(context),
      h("span", { class: "spring" }),
      h("span", { class: "quiet", style: "font-size:12px" }, t.note),
    ),
    answer.simulated_why_not === null ? null : h("p", { class: "caption" }, t.notSimulated(answer.simulated_why_not)),
    strategyTable(answer, context),
    h("hr", { class: "rule" }),
    h(
      "div",
      {
        class: "three",
        style: `grid-template-columns:repeat(${columns},minmax(0,1fr));gap:${columns === 3 ? 42 : 28}px`,
      },
      answer.map ? figure(t.mapTitle, t.mapY, null, winnerMap(answer.map, context, third)) : null,
      answer.curve
        ? figure(kCurveNote(answer.curve, context), t.curveY, null, segmentCurve(answer.curve, answer, context, third))
        : null,
      stackBars(answer, context, third),
    ),
    twins(answer, context),
  ];
}
