// The strategies' table: one row each, three bars in cells. Ledger: the bar; simulated: a black tick at the end of a
// hairline; rule of thumb: a ring. "42 → 72" reads ledger → simulated.

import type { LedgerAnswer, LedgerLine, LedgerName } from "../../contract";
import { checkBox, shown, type Context } from "../context";
import { h, rich, svg, type Child } from "../dom";
import { hueColour, icon, type Hue } from "../draw/marks";
import { textWidth } from "../draw/plot";
import { linear, niceStep, type Scale } from "../draw/scale";
import { percent, short } from "../numbers";
import { costText, strategyName } from "./strategies";

interface Column {
  id: "memory" | "compute" | "transfer";
  width: number;
  scale: Scale;
  limit: number | null;
  title: string;
  ticks: number[];
}

export const hueOfLedger = (name: LedgerLine["name"]): Hue =>
  name === "keep_all" ? "keep" : name === "offload_all" ? "offload" : name === "hybrid" ? "hybrid" : "recompute";

function values(
  line: LedgerLine,
  id: Column["id"],
): { ledger: number; simulated: number | null; thumb: number | null } {
  const key = id === "memory" ? "memory_gb" : id === "compute" ? "extra_compute_s" : "extra_transfer_s";
  return { ledger: line.ledger[key], simulated: line.simulated?.[key] ?? null, thumb: line.thumb?.[key] ?? null };
}

// The scale takes what the ledger and the rule of thumb say, and of the simulation what is not far beyond.
function columnOf(id: Column["id"], answer: LedgerAnswer, context: Context, width: number): Column {
  const t = context.words.strategiesMode;
  const all = answer.rows.map((line) => values(line, id));
  const base = Math.max(...all.map((v) => Math.max(v.ledger, v.thumb ?? 0)));
  const near = all.map((v) => v.simulated ?? 0).filter((x) => x <= Math.max(base * 1.6, 1e-9) || base === 0);
  const most = Math.max(base, ...near, 1e-9);
  // As long as the longest bar and its text together allow.
  const rooms = all.map((v) => {
    const simulated = v.simulated !== null && v.simulated <= most ? v.simulated : 0,
      far = Math.max(v.ledger, simulated, v.thumb ?? 0);
    const text =
      v.simulated === null || short(v.simulated) === short(v.ledger)
        ? short(v.ledger)
        : `${short(v.ledger)} → ${short(v.simulated)}${v.simulated > most ? " ›" : ""}`;
    return far > 0 ? (width - 22 - textWidth(text, "600 12px")) * (most / far) : Infinity;
  });
  const room = Math.max(50, Math.min(width - 30, ...rooms));
  const scale = linear(0, most, 0, room);
  const { limits } = answer.ledger;
  const limit = id === "memory" ? limits.memory_gb : id === "compute" ? limits.time_s : null;
  const step = niceStep(most, Math.max(2, Math.floor(room / 34)));
  const ticks: number[] = [];
  for (let i = 0; i * step <= most * 1.001; ++i) ticks.push(Number((i * step).toPrecision(10)));
  return {
    id,
    width,
    scale,
    limit,
    title: id === "memory" ? t.memory("GB") : id === "compute" ? t.compute("s") : t.transfer("s"),
    ticks,
  };
}

function head(column: Column): SVGElement {
  const picture = svg("svg", { width: column.width, height: 16, "aria-hidden": true });
  for (const tick of column.ticks)
    picture.append(
      svg(
        "text",
        { class: "axis", x: column.scale.at(tick), y: 12, "text-anchor": tick === 0 ? "start" : "middle" },
        short(tick),
      ),
    );
  return picture;
}

const within = (column: Column, x: number): boolean => x <= column.scale.to * 1.001;

function bar(column: Column, line: LedgerLine, context: Context): SVGElement {
  const { ledger, simulated, thumb } = values(line, column.id),
    { scale } = column,
    middle = 20;
  const picture = svg("svg", {
    width: column.width,
    height: 41,
    role: "img",
    "aria-label": `${column.title}: ${short(ledger)}${simulated === null ? "" : ` → ${short(simulated)}`}`,
  });
  for (const tick of column.ticks)
    picture.append(
      svg("path", { d: `M${scale.at(tick) + 0.5} 0V41`, style: `stroke:var(${tick === 0 ? "--axis" : "--grid"})` }),
    );
  let end = 2;
  const hue = hueOfLedger(line.name),
    length = scale.at(Math.min(ledger, scale.to));
  if (shown(context, "ledger") && ledger > 0) {
    const half = hue === "hybrid" ? length / 2 : length;
    picture.append(
      svg("rect", {
        class: "value-bar",
        x: 0,
        y: middle - 5,
        width: half,
        height: 10,
        style: `fill:${hueColour(hue)}`,
      }),
    );
    if (hue === "hybrid")
      picture.append(svg("rect", { x: half, y: middle - 5, width: half, height: 10, style: "fill:var(--offload)" }));
    end = Math.max(end, length);
  }
  if (shown(context, "simulated") && simulated !== null && within(column, simulated) && (simulated > 0 || ledger > 0)) {
    const at = scale.at(simulated),
      from = shown(context, "ledger") ? length : 0;
    picture.append(
      svg("path", { d: `M${Math.min(from, at)} ${middle}H${Math.max(at, from)}`, style: "stroke:var(--ink)" }),
      svg("path", { d: `M${at} ${middle - 8}V${middle + 8}`, style: "stroke:var(--ink)", "stroke-width": 2 }),
    );
    end = Math.max(end, at + 1);
  }
  if (shown(context, "thumb") && thumb !== null && thumb > 0 && within(column, thumb)) {
    const at = scale.at(thumb);
    picture.append(
      svg("circle", { cx: at, cy: middle, r: 4, style: "fill:var(--bg);stroke:var(--ink2)", "stroke-width": 1.7 }),
    );
    end = Math.max(end, at + 4);
  }
  if (column.limit !== null && within(column, column.limit))
    picture.append(
      svg("path", { d: `M${scale.at(column.limit)} -1V42`, style: "stroke:var(--signal)", "stroke-width": 1.25 }),
    );
  const over = column.limit !== null && shown(context, "ledger") && ledger > column.limit;
  const text = say(column, ledger, simulated, context);
  const width = textWidth(text, "12px");
  picture.append(
    svg("rect", { x: end + 5, y: middle - 8, width: width + 5, height: 16, style: "fill:var(--under,var(--bg))" }),
  );
  picture.append(svg("text", { x: end + 7, y: middle + 4, class: over ? "over" : "" }, text));
  return picture;
}

function say(column: Column, ledger: number, simulated: number | null, context: Context): string {
  const a = short(ledger);
  if (!shown(context, "simulated") || simulated === null) return a;
  const b = within(column, simulated) ? short(simulated) : `${short(simulated)} ›`;
  if (!shown(context, "ledger")) return b;
  return a === b ? a : `${a} → ${b}`;
}

function tip(line: LedgerLine, context: Context): Child[] {
  const t = context.words.strategiesMode;
  const row = (name: string, v: { memory_gb: number; extra_compute_s: number; extra_transfer_s: number }) =>
    h(
      "tr",
      {},
      h("td", {}, name),
      [`${short(v.memory_gb)} GB`, `${short(v.extra_compute_s)} s`, `${short(v.extra_transfer_s)} s`].map((x) =>
        h("td", { class: "num" }, x),
      ),
    );
  return [
    h("div", { class: "title" }, icon(hueOfLedger(line.name), 13), line.strategy),
    h(
      "table",
      { style: "margin-top:6px" },
      h(
        "tbody",
        {},
        row(t.tipLedger, line.ledger),
        line.simulated ? row(t.tipSimulated, line.simulated) : null,
        line.thumb ? row(t.tipThumb, line.thumb) : null,
      ),
    ),
    line.simulated && line.simulated.stalled_s > 0
      ? h("div", { style: "margin-top:6px" }, rich(t.stalls(`${short(line.simulated.stalled_s)} s`)))
      : null,
    line.simulated ? h("div", {}, rich(t.added(`${short(line.simulated.added_s)} s`))) : null,
  ];
}

// Somebody always competes: the last one stays.
function competitors(now: LedgerName[], name: LedgerName, on: boolean): { compete?: LedgerName[] } {
  const left = on ? [...now, name] : now.filter((other) => other !== name);
  return left.length > 0 ? { compete: left } : {};
}

function row(line: LedgerLine, columns: Column[], answer: LedgerAnswer, context: Context): HTMLElement {
  const t = context.words.strategiesMode,
    hue = hueOfLedger(line.name);
  const competing = answer.rows.filter((r) => r.competes).map((r) => r.name);
  const label = strategyName(line.name, context, false);
  const box = checkBox("", line.competes, (on) => context.change(competitors(competing, line.name, on)), {
    "aria-label": t.competes(label),
    "data-focus": `compete/${line.name}`,
  });
  const name = h("span", {}, h("b", {}, label), h("small", {}, line.strategy));
  context.tip.attach(name, `${label}, ${line.strategy}`, () => tip(line, context));
  const tint = `color-mix(in srgb, ${hueColour(hue)} 9%, var(--bg))`;
  const cost = costText(line.ledger.cost);
  return h(
    "tr",
    {
      class: line.wins ? "winner" : line.competes ? "" : "aside",
      style: line.wins ? `--tint:${tint};--under:${tint}` : "",
      "data-strategy": line.name,
    },
    h("td", { class: "name" }, h("div", { class: "who" }, box, icon(hue, 14), name)),
    columns.map((column) => h("td", { class: "bar" }, bar(column, line, context))),
    h("td", { class: "num" }, percent(line.ledger.r_mem, 0)),
    h("td", { class: "num" }, percent(line.ledger.r_cost, 0)),
    h(
      "td",
      { class: "num cost" },
      line.wins
        ? [
            h("b", { class: hue === "hybrid" ? "recompute" : hue }, cost),
            h("span", { class: hue === "hybrid" ? "recompute" : hue, style: "font-weight:600" }, ` ${t.wins1}`),
          ]
        : line.ledger.over.length > 0
          ? h("span", { class: "over" }, cost)
          : cost,
    ),
  );
}

function limitsRow(columns: Column[], context: Context): Child {
  if (columns.every((column) => column.limit === null || !within(column, column.limit))) return null;
  const label = (column: Column) => {
    if (column.limit === null || !within(column, column.limit)) return null;
    const unit = column.id === "memory" ? "GB" : "s";
    return svg(
      "svg",
      { width: column.width, height: 18 },
      svg(
        "text",
        { class: "limit", x: Math.max(24, column.scale.at(column.limit)), y: 12, "text-anchor": "middle" },
        context.words.strategiesMode.limit(`${short(column.limit)} ${unit}`),
      ),
    );
  };
  return h(
    "tr",
    {},
    h("td", { style: "height:18px;border:0" }),
    columns.map((column) => h("td", { class: "bar", style: "height:18px;border:0" }, label(column))),
    h("td", { colspan: 3, style: "height:18px;border:0" }),
  );
}

export function strategyTable(answer: LedgerAnswer, context: Context): HTMLElement {
  const t = context.words.strategiesMode;
  const total = Math.max(900, context.width),
    name = context.narrow ? 138 : 172,
    numbers = 56 + 56 + 96;
  const free = total - name - numbers;
  const columns = [
    columnOf("memory", answer, context, Math.floor(free * 0.37)),
    columnOf("compute", answer, context, Math.floor(free * 0.36)),
    columnOf("transfer", answer, context, Math.floor(free * 0.27)),
  ];
  const widths = [name, ...columns.map((c) => c.width), 56, 56, 96];
  return h(
    "div",
    { class: "strategy-table scroll", style: "margin:8px -10px 0;padding:0 10px;max-width:calc(100% + 20px)" },
    h(
      "table",
      { id: "ledger" },
      h(
        "colgroup",
        {},
        widths.map((w) => h("col", { style: `width:${w}px` })),
      ),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", {}),
          columns.map((column) => h("th", { class: "axis" }, column.title, head(column))),
          h("th", { class: "num" }, "R", h("sub", {}, t.rMem)),
          h("th", { class: "num" }, "R", h("sub", {}, t.rCost)),
          h("th", { class: "num" }, h("b", {}, t.cost)),
        ),
      ),
      h(
        "tbody",
        {},
        answer.rows.map((line) => row(line, columns, answer, context)),
        limitsRow(columns, context),
      ),
    ),
  );
}
