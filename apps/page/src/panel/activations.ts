// The activation table: name, size, lifetime, fate, what a recompute would take, and the reason. Sorts, filters.

import type { ActivationRow, ActivationsAnswer } from "../../contract";
import { button, said, segments, type Context } from "../context";
import { fill, h, svg, type Child } from "../dom";
import { hueColour, hueOf, icon } from "../draw/marks";
import { count, join, kMiB, kNone, memory, three, time, timeCell } from "../numbers";

type Key = "name" | "bytes" | "fate" | "recompute_ns";
export interface TableState {
  sort: Key;
  down: boolean;
  fate: "all" | "keep" | "recompute" | "offload";
  filter: string;
  most: number;
}
const state: TableState = { sort: "bytes", down: true, fate: "all", filter: "", most: 40 };

const fateOf = (row: ActivationRow): "keep" | "recompute" | "offload" =>
  row.fate === "keep" || row.fate === "recompute" ? row.fate : "offload";

export function reasonOf(row: ActivationRow, context: Context): string {
  const say = context.words.plan.because[row.because];
  const word = (ns: number | null) => (ns === null ? null : join(time(ns, context.units)));
  return say ? say(word(row.recompute_ns), word(row.reload_ns)) : row.reason;
}

export function listed(
  rows: ActivationRow[],
  table: TableState,
  reason: (row: ActivationRow) => string,
  name = (row: ActivationRow) => row.name,
): ActivationRow[] {
  const needle = table.filter.trim().toLowerCase();
  const kept = rows.filter(
    (row) =>
      (table.fate === "all" || fateOf(row) === table.fate) &&
      (needle === "" ||
        row.name.toLowerCase().includes(needle) ||
        name(row).toLowerCase().includes(needle) ||
        reason(row).toLowerCase().includes(needle)),
  );
  const sign = table.down ? -1 : 1;
  const value = (row: ActivationRow) => row[table.sort] ?? -1;
  return kept
    .map((row, i) => ({ row, i }))
    .sort((a, b) => {
      const x = value(a.row),
        y = value(b.row);
      const order =
        typeof x === "string" || typeof y === "string"
          ? String(x).localeCompare(String(y), "en", { numeric: true })
          : x - y;
      return sign * order || a.i - b.i;
    })
    .map(({ row }) => row);
}

function lifetime(row: ActivationRow, answer: ActivationsAnswer): Child {
  const at = (ns: number) => `${((ns / (answer.shown_ns || 1)) * 100).toFixed(3)}%`;
  const picture = svg("svg", { "aria-hidden": true });
  picture.append(svg("line", { x1: 0, x2: "100%", y1: 8.5, y2: 8.5, style: "stroke:var(--grid)" }));
  const hue = hueColour(hueOf(row.fate));
  for (const part of row.lifetime) {
    const wide = `${(Math.max(0.002, (part.to_ns - part.from_ns) / (answer.shown_ns || 1)) * 100).toFixed(3)}%`;
    if (part.where === "device")
      picture.append(
        svg("rect", { x: at(part.from_ns), y: 4.5, width: wide, height: 8, style: `fill:${hue};min-width:2px` }),
      );
    else
      picture.append(
        svg("line", {
          x1: at(part.from_ns),
          x2: at(part.to_ns),
          y1: 8.5,
          y2: 8.5,
          style: `stroke:${hue}`,
          "stroke-width": 1.5,
          "stroke-dasharray": "2 3",
        }),
      );
  }
  picture.append(
    svg("line", { x1: at(answer.peak_ns), x2: at(answer.peak_ns), y1: 2, y2: 15, style: "stroke:var(--ink3)" }),
  );
  return h("div", { class: "lifetime" }, picture);
}

function tableOf(answer: ActivationsAnswer, rows: ActivationRow[], context: Context, redraw: () => void): Child {
  const { words, units, narrow } = context,
    t = words.plan;
  const inMiB = units.memory === "GiB";
  const header = (key: Key, text: string, css = "") =>
    h(
      "th",
      { class: css, "aria-sort": state.sort === key ? (state.down ? "descending" : "ascending") : null },
      h(
        "button",
        {
          type: "button",
          "data-focus": `sort/${key}`,
          onclick: () => {
            state.down = state.sort === key ? !state.down : key !== "name";
            state.sort = key;
            redraw();
          },
        },
        text,
        state.sort === key ? (state.down ? " ↓" : " ↑") : "",
      ),
    );
  const row = (r: ActivationRow) =>
    h(
      "tr",
      {},
      h("td", { class: "mono" }, said(r.name, context)),
      h("td", { class: "num" }, inMiB ? three(r.bytes / kMiB) : three(r.bytes / 1e9)),
      narrow ? null : h("td", { style: "width:28%" }, lifetime(r, answer)),
      h(
        "td",
        { class: fateOf(r) },
        h(
          "span",
          { style: "display:inline-flex;gap:7px;align-items:center" },
          icon(hueOf(r.fate), 12),
          words.fateWords[r.fate] ?? r.fate,
        ),
      ),
      h("td", { class: "num" }, r.recompute_ns === null ? kNone : timeCell(r.recompute_ns, units)),
      h("td", { title: r.reason }, reasonOf(r, context)),
    );
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { id: "activations" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          header("name", t.columns.name),
          header("bytes", words.withUnit(t.columns.size, inMiB ? "MiB" : "GB"), "num"),
          narrow ? null : h("th", {}, t.columns.lifetime(join(time(answer.shown_ns, units)))),
          header("fate", t.columns.fate),
          header("recompute_ns", t.columns.redo(units.time), "num"),
          h("th", {}, t.columns.reason),
        ),
      ),
      h(
        "tbody",
        {},
        rows.slice(0, state.most).map(row),
        rows.length === 0 ? h("tr", {}, h("td", { colspan: 6, class: "quiet" }, t.noRows)) : null,
      ),
    ),
  );
}

export function activationTable(answer: ActivationsAnswer, context: Context): Child {
  const { words, units } = context,
    t = words.plan;
  const counts = (fate: string) =>
    answer.fates.filter((f) => f.fate.startsWith(fate)).reduce((most, f) => most + f.count, 0);
  const body = h("div");
  const top = h("span");
  const redraw = () => {
    const rows = listed(
      answer.rows,
      state,
      (row) => reasonOf(row, context),
      (row) => said(row.name, context),
    );
    fill(
      top,
      segments(
        [
          { value: "all", text: t.all(count(answer.count)) },
          ...(["keep", "recompute", "offload"] as const).map((fate) => ({
            value: fate,
            text: `${words.fates[fate]} ${count(counts(fate))}`,
          })),
        ],
        state.fate,
        t.activations,
        (fate) => {
          state.fate = fate as TableState["fate"];
          redraw();
        },
      ),
    );
    fill(
      body,
      tableOf(answer, rows, context, redraw),
      rows.length > state.most
        ? h(
            "p",
            { class: "more" },
            button(t.moreRows(count(rows.length - state.most)), () => {
              state.most += 200;
              redraw();
            }),
          )
        : null,
      answer.rows.length < answer.count
        ? h("p", { class: "caption" }, t.largestOnly(count(answer.rows.length), count(answer.count)))
        : null,
    );
  };
  const field = h("input", {
    class: "filter",
    type: "search",
    placeholder: t.filter,
    "aria-label": t.filter,
    "data-focus": "filter",
    oninput: () => {
      state.filter = field.value;
      redraw();
    },
  }) as HTMLInputElement;
  field.value = state.filter;
  redraw();
  return h(
    "section",
    {},
    h(
      "div",
      { class: "table-head" },
      h(
        "h2",
        { class: "section" },
        t.activations,
        h("span", {}, t.values(count(answer.count), join(memory(answer.bytes, units)))),
      ),
      top,
      h("span", { class: "spring" }),
      field,
    ),
    body,
  );
}
