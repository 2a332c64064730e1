// Stacked strategies, the parts' product beside what stacking gives, and the range of β that is possible.

import type { LedgerAnswer, Share, Stack } from "../../contract";
import type { Context } from "../context";
import { h, svg, type Child } from "../dom";
import { linear } from "../draw/scale";
import { difference, percent, short } from "../numbers";
import { strategyName } from "./strategies";

function stackRow(
  label: string,
  share: number,
  most: number,
  text: string,
  kind: "product" | "split" | { compute: number; transfer: number },
  room: number,
): HTMLElement {
  const width = (value: number) => `width:${((Math.max(0, value) / (most || 1)) * room).toFixed(1)}px`;
  const bar =
    kind === "product"
      ? h("i", { class: "product", style: width(share) })
      : kind === "split"
        ? [
            h("i", { style: `${width(share / 2)};background:var(--recompute)` }),
            h("i", { style: `${width(share / 2)};background:var(--offload);margin-left:-5px` }),
          ]
        : [
            h("i", { style: `${width(kind.compute)};background:var(--recompute)` }),
            h("i", { style: `${width(kind.transfer)};background:var(--offload);margin-left:-5px` }),
          ];
  return h("div", { class: "r" }, h("span", {}, label), h("span", { class: "b" }, bar, h("b", {}, text)));
}

function stackOf(stack: Stack, context: Context, width: number): Child {
  const t = context.words.strategiesMode,
    room = Math.max(80, width - 84 - 8 - 62);
  const both = (share: Share | null) => (share === null ? null : share);
  const memoryMost = Math.max(
    stack.thumb.memory_share,
    stack.ledger.memory_share,
    stack.simulated?.memory_share ?? 0,
    stack.ledger_parts.memory_share,
  );
  const extraMost = Math.max(
    stack.thumb.extra_share,
    stack.ledger.extra_share,
    stack.simulated?.extra_share ?? 0,
    stack.ledger_parts.extra_share,
  );
  const parts = (share: Share) => ({ compute: share.compute_share, transfer: share.transfer_share });
  const simulated = both(stack.simulated);
  return [
    h("p", { class: "axis-title", style: "padding-left:92px;margin-top:6px" }, t.stackMemory),
    h(
      "div",
      { class: "stack-rows" },
      stackRow(t.product, stack.thumb.memory_share, memoryMost, percent(stack.thumb.memory_share, 0), "product", room),
      stackRow(
        t.ledgerParts,
        stack.ledger_parts.memory_share,
        memoryMost,
        percent(stack.ledger_parts.memory_share, 0),
        "product",
        room,
      ),
      stackRow(
        t.ledgerWord,
        stack.ledger.memory_share,
        memoryMost,
        percent(stack.ledger.memory_share, 0),
        "split",
        room,
      ),
      simulated
        ? stackRow(
            t.simulatedWord,
            simulated.memory_share,
            memoryMost,
            percent(simulated.memory_share, 0),
            "split",
            room,
          )
        : null,
    ),
    h("p", { class: "axis-title", style: "padding-left:92px;margin-top:6px" }, t.stackExtra),
    h(
      "div",
      { class: "stack-rows" },
      stackRow(t.sum, stack.thumb.extra_share, extraMost, difference(stack.thumb.extra_share, 0), "product", room),
      stackRow(
        t.ledgerParts,
        stack.ledger_parts.extra_share,
        extraMost,
        difference(stack.ledger_parts.extra_share, 0),
        "product",
        room,
      ),
      stackRow(
        t.ledgerWord,
        stack.ledger.extra_share,
        extraMost,
        difference(stack.ledger.extra_share, 0),
        parts(stack.ledger),
        room,
      ),
      simulated
        ? stackRow(
            t.simulatedWord,
            simulated.extra_share,
            extraMost,
            difference(simulated.extra_share, 0),
            parts(simulated),
            room,
          )
        : null,
      stack.overlapped_share === null
        ? null
        : stackRow(
            t.overlapped,
            stack.overlapped_share,
            extraMost,
            difference(stack.overlapped_share, 0),
            "product",
            room,
          ),
    ),
  ];
}

function betaRange(answer: LedgerAnswer, context: Context, width: number): Child {
  const t = context.words.strategiesMode,
    { least, greatest } = answer.ledger.beta_range,
    beta = answer.ledger.beta;
  const scale = linear(0, 1, 6, width - 8);
  const picture = svg("svg", {
    width,
    height: 34,
    role: "img",
    "aria-label":
      least <= greatest ? t.betaRange(short(least), short(greatest)) : t.betaNone(short(least), short(greatest)),
  });
  picture.append(svg("path", { d: `M${scale.low} 10H${scale.high}`, style: "stroke:var(--line)", "stroke-width": 3 }));
  if (least <= greatest)
    picture.append(
      svg("path", {
        d: `M${scale.at(least)} 10H${scale.at(greatest)}`,
        style: "stroke:var(--ink2)",
        "stroke-width": 3,
      }),
    );
  for (const end of [least, greatest])
    if (end > 0 && end < 1)
      picture.append(svg("path", { d: `M${scale.at(end)} 3V17`, style: "stroke:var(--signal)", "stroke-width": 1.5 }));
  if (beta !== null)
    picture.append(
      svg("circle", { cx: scale.at(beta), cy: 10, r: 6, style: "fill:var(--bg);stroke:var(--ink)", "stroke-width": 2 }),
    );
  for (const tick of [0, 0.25, 0.5, 0.75, 1])
    picture.append(
      svg(
        "text",
        {
          x: scale.at(tick),
          y: 31,
          "text-anchor": tick === 0 ? "start" : tick === 1 ? "end" : "middle",
          style: "font-size:11px;fill:var(--ink3)",
        },
        short(tick),
      ),
    );
  return h(
    "div",
    { style: "margin-top:14px" },
    h(
      "h2",
      { class: "section" },
      t.betaTitle,
      h(
        "span",
        {},
        least <= greatest ? t.betaRange(short(least), short(greatest)) : t.betaNone(short(least), short(greatest)),
      ),
    ),
    h("div", { style: "margin-top:6px" }, picture),
  );
}

function choice(names: string[], at: number, label: string, choose: (i: number) => void): HTMLElement {
  const select = h(
    "select",
    {
      "aria-label": label,
      "data-focus": "stack",
      style: "height:26px;font-size:12px",
      onchange: () => choose(select.selectedIndex),
    },
    names.map((name) => h("option", {}, name)),
  ) as HTMLSelectElement;
  select.selectedIndex = at;
  const mark = svg(
    "svg",
    { width: 9, height: 9, viewBox: "0 0 9 9", "aria-hidden": true, style: "top:9px" },
    svg("path", { d: "M1.5 3L4.5 6L7.5 3", fill: "none", style: "stroke:var(--ink2)", "stroke-width": 1.3 }),
  );
  return h("div", { class: "select", style: "margin-top:4px;max-width:300px" }, select, mark);
}

export function stackBars(answer: LedgerAnswer, context: Context, width: number): Child {
  const t = context.words.strategiesMode;
  const at = Math.min(answer.stacks.length - 1, Math.max(0, Number(context.state.set["stack"] ?? 0)));
  const stack = answer.stacks[at];
  const name = (s: Stack) => s.parts.map((part, i) => strategyName(part, context, i > 0)).join(t.plus);
  return h(
    "section",
    {},
    h("h2", { class: "section" }, t.stackTitle, h("span", {}, stack ? stack.strategy : "")),
    answer.stacks.length > 1
      ? choice(answer.stacks.map(name), at, t.stackTitle, (i) => context.set({ stack: i || undefined }))
      : null,
    stack ? stackOf(stack, context, width) : null,
    betaRange(answer, context, width),
    stack
      ? h(
          "p",
          { class: "caption" },
          t.stackNote(percent(stack.thumb.memory_share, 0), difference(stack.thumb.extra_share, 0)),
        )
      : null,
  );
}
