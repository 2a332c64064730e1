// The controls. They are built once for a scenario and then only updated, so that a slider can be held while the picture
// changes under it.

import type { Lists, Scenario } from "../contract";
import {
  defaultsOf,
  groupsOf,
  isKitchen,
  positionOf,
  typed,
  valueAt,
  valueOf,
  type Control,
  type Facts,
  type Group,
  type Slider,
} from "./controls";
import { fill, h, svg } from "./dom";
import {
  fixed,
  gigabytesPerSecond,
  join,
  kKitchenUnits,
  kModelUnits,
  memory,
  parse,
  settled,
  short,
  count,
} from "./numbers";
import type { Setting, State } from "./state";
import type { Words } from "./words/en";

export interface RailContext {
  state: State;
  words: Words;
  lists: Lists;
  scenario: Scenario;
  facts: Facts;
  effective: Record<string, number | null>; // what the engine takes where nothing is set: K
  footer: string;
  fileTitle: string | null;
  fileMachine: string;
  set(values: Record<string, Setting | undefined>, held?: boolean): void;
  change(patch: Partial<State>): void;
  openScenario(id: string): void;
  reset(): void;
}
type Updater = (context: RailContext) => void;

const chevron = () =>
  svg(
    "svg",
    { width: 9, height: 9, viewBox: "0 0 9 9", "aria-hidden": true },
    svg("path", { d: "M1.5 3L4.5 6L7.5 3", fill: "none", stroke: "var(--ink2)", "stroke-width": 1.3 }),
  );

export function written(s: Slider, value: number | null, words: Words): string {
  if (value === null)
    return s.none === "auto"
      ? words.auto
      : s.none === "default"
        ? words.byDefault
        : s.none === "without"
          ? words.without
          : words.none;
  if (s.decimals !== undefined) return s.decimals === 0 ? count(Math.round(value)) : fixed(value, s.decimals);
  return short(value);
}

export class Rail {
  readonly root = h("aside", { class: "rail", id: "rail" });
  private shape = "";
  private updaters: Updater[] = [];
  private latest: RailContext | null = null;

  update(context: RailContext): void {
    this.latest = context;
    const groups = groupsOf(context.state, context.scenario, context.lists, context.facts);
    const shape = JSON.stringify([
      context.scenario.id,
      context.state.language,
      context.fileTitle,
      groups.map((g) => [
        g.id,
        g.controls.map((c) => [c.key, c.kind === "slider" ? c.unit : c.kind === "switch" ? c.note : c.options]),
      ]),
    ]);
    if (shape !== this.shape) this.build(context, groups);
    this.shape = shape;
    for (const update of this.updaters) update(context);
  }

  private build(context: RailContext, groups: Group[]): void {
    this.updaters = [];
    const { words } = context;
    const parts: Node[] = [this.scenarioGroup(context)];
    for (const group of groups) {
      parts.push(
        h(
          "section",
          { class: "group" },
          h("h2", {}, words.groups[group.id] ?? group.id),
          group.controls.map((control) => this.row(control, group, words)),
        ),
      );
    }
    if (isKitchen(context.scenario.subject)) parts.push(this.glossary(words));
    const reset = h(
      "button",
      {
        type: "button",
        class: "link",
        style: "padding:0;text-decoration:underline;text-underline-offset:3px",
        onclick: () => this.latest?.reset(),
      },
      words.reset,
    );
    const foot = h("p", { class: "caption" });
    this.updaters.push((c) => {
      foot.textContent = c.footer;
      reset.classList.toggle("hidden", Object.keys(c.state.set).length === 0);
    });
    parts.push(h("hr"), foot, h("p", { class: "caption" }, reset));
    fill(this.root, [...this.root.querySelectorAll(":scope > [data-shell]")], parts);
  }

  private scenarioGroup(context: RailContext): Node {
    const { words, lists } = context;
    const select = h(
      "select",
      { id: "scenario", onchange: () => this.latest?.openScenario(select.value) },
      lists.scenarios.map((s) => h("option", { value: s.id }, words.scenarios[s.id] ?? words.scenarioTitle(s.title))),
      context.fileTitle === null ? null : h("option", { value: "file" }, `${words.file}: ${context.fileTitle}`),
    ) as HTMLSelectElement;
    const caption = h("p", { class: "caption" });
    this.updaters.push((c) => {
      select.value = c.scenario.id;
      caption.textContent = captionOf(c);
    });
    return h(
      "section",
      { class: "group" },
      h("h2", {}, h("label", { for: "scenario" }, words.scenario)),
      h("div", { class: "select" }, select, chevron()),
      caption,
    );
  }

  private glossary(words: Words): Node {
    return h(
      "section",
      { class: "group" },
      h("h2", {}, words.kitchenWords),
      h(
        "p",
        { class: "caption", style: "margin:0" },
        words.kitchenGlossary.map(([word, means], i) => [i ? " · " : "", `${word} = ${means}`]),
      ),
    );
  }

  private row(control: Control, group: Group, words: Words): Node {
    const label = words.controls[control.key] ?? control.key;
    const id = `c-${group.id}-${control.key}`;
    if (control.kind === "slider") return this.slider(control, id, label, words, group.id);
    if (control.kind === "switch") return this.switch(control, id, label, words);
    return this.choice(control, id, label, words);
  }

  private slider(first: Slider, id: string, label: string, words: Words, groupId: string): Node {
    let s = first; // ranges follow the answers
    const range = h("input", { type: "range", min: 0, max: 1000, id, "data-key": s.key }) as HTMLInputElement;
    const field = h("input", {
      type: "text",
      inputmode: "decimal",
      "aria-label": words.withUnit(label, s.unit),
      "data-field": s.key,
      spellcheck: "false",
      autocomplete: "off",
    }) as HTMLInputElement;
    const unit = h("span", { class: "unit" }, s.unit);
    const send = (value: number | null, held: boolean) => {
      const patch: Record<string, Setting | undefined> = { [s.key]: value };
      if (s.key === "lm") patch["lc"] = patch["lt"] = undefined;
      this.latest?.set(patch, held);
    };
    range.addEventListener("input", () => send(valueAt(s, Number(range.value)), true));
    range.addEventListener("change", () => send(valueAt(s, Number(range.value)), false));
    const commit = () => {
      const text = field.value.trim();
      const none = text === "" || [words.none, words.auto, words.byDefault, words.without].includes(text);
      const value = none ? null : parse(text);
      const wrong = !none && value === null;
      field.setAttribute("aria-invalid", String(wrong));
      field.title = wrong ? words.notANumber : "";
      if (!wrong && field.value !== field.dataset["shown"]) send(typed(s, value), false);
    };
    field.addEventListener("change", commit);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") commit();
      if (event.key === "Escape") {
        field.value = field.dataset["shown"] ?? "";
        field.blur();
      }
    });
    this.updaters.push((c) => {
      const group = groupsOf(c.state, c.scenario, c.lists, c.facts).find((g) => g.id === groupId);
      s = (group?.controls.find((control) => control.key === s.key) as Slider | undefined) ?? s;
      const set = valueOf(c.state, defaultsOf(c.scenario, c.lists), s.key);
      const value = typeof set === "number" ? set : null;
      const meant =
        value ??
        (s.none === "default" ? (s.noneValue ?? null) : s.none === "auto" ? (c.effective[s.key] ?? null) : null);
      const at = positionOf(s, value);
      if (document.activeElement !== range || Number(range.value) !== at) range.value = String(at);
      range.style.setProperty("--at", `${(Number(range.value) / 10).toFixed(1)}%`);
      const text = value === null && meant !== null ? written(s, meant, words) : written(s, value, words);
      range.setAttribute("aria-valuetext", value === null ? `${written(s, null, words)}` : `${text} ${s.unit}`);
      field.dataset["shown"] = text;
      if (document.activeElement !== field) {
        field.value = text;
        field.setAttribute("aria-invalid", "false");
      }
      field.style.color = value === null && s.none ? "var(--ink3)" : "";
      unit.textContent = value === null && meant === null ? "" : s.unit;
      unit.classList.toggle("hidden", unit.textContent === "");
    });
    return h(
      "div",
      { class: "row" },
      h("label", { for: id, title: label }, label),
      range,
      h("span", { class: "value" }, field, unit),
    );
  }

  private switch(control: Control & { kind: "switch" }, id: string, label: string, words: Words): Node {
    const box = h("input", {
      type: "checkbox",
      class: "switch",
      role: "switch",
      id,
      "data-key": control.key,
    }) as HTMLInputElement;
    const note = h("span", { class: "note" });
    box.addEventListener("change", () => this.latest?.set({ [control.key]: box.checked }));
    this.updaters.push((c) => {
      box.checked = valueOf(c.state, defaultsOf(c.scenario, c.lists), control.key) === true;
      const size = join(settled(memory(control.bytes ?? 0, kModelUnits)));
      note.textContent = !box.checked ? words.off : control.note === "size" ? size : words.unlimited;
    });
    return h("div", { class: "row" }, h("label", { for: id }, label), note, box);
  }

  private choice(control: Control & { kind: "choice" | "select" }, id: string, label: string, words: Words): Node {
    const options = control.options.map((o) => (typeof o === "string" ? ([o, words.options[o] ?? o] as const) : o));
    const pick = (value: string) => {
      if (control.key === "order") this.latest?.change({ order: value as State["order"] });
      else if (control.key === "machine")
        this.latest?.set({ machine: value, out: undefined, in: undefined, memory: undefined });
      else this.latest?.set({ [control.key]: value });
    };
    const current = (c: RailContext) =>
      control.key === "order"
        ? c.state.order
        : String(valueOf(c.state, defaultsOf(c.scenario, c.lists), control.key) ?? "");
    if (control.kind === "select") {
      const select = h(
        "select",
        { id, onchange: () => pick(select.value), "data-key": control.key },
        options.map(([value, text]) => h("option", { value }, text)),
      ) as HTMLSelectElement;
      this.updaters.push((c) => {
        const value = current(c);
        if (value !== "" && ![...select.options].some((option) => option.value === value))
          select.append(h("option", { value }, value));
        select.value = value;
      });
      select.style.height = "24px";
      select.style.fontSize = "12px";
      const box = h("div", { class: "select", style: "flex:1;min-width:0" }, select, chevron());
      (box.lastChild as SVGElement).style.top = "9px";
      return h("div", { class: "row" }, h("label", { for: id }, label), box);
    }
    const buttons = options.map(([value, text]) =>
      h("button", { type: "button", onclick: () => pick(value), "data-key": `${control.key}/${value}` }, text),
    );
    this.updaters.push((c) =>
      buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(options[i]![0] === current(c)))),
    );
    const box = h("div", { class: "segments", role: "group", "aria-label": label, style: "margin-left:auto" }, buttons);
    for (const b of buttons) {
      b.style.padding = "1px 8px";
      b.style.fontSize = "12px";
    }
    return h("div", { class: "row" }, h("span", { class: "label" }, label), box);
  }
}

function captionOf(c: RailContext): string {
  const { words, scenario, lists, state } = c;
  const get = (key: string) => valueOf(state, defaultsOf(scenario, lists), key);
  const gb = (x: Setting) => join(settled(memory(Number(x ?? 0) * 1e9, kKitchenUnits)));
  switch (scenario.subject.kind) {
    case "kitchen":
      return words.captions.kitchen(
        gb(get("base")),
        count(Number(get("layers"))),
        gb(get("a")),
        `${short(Number(get("forward")))} s`,
        `${gigabytesPerSecond(Number(get("bandwidth")) * 1e9)} GB/s`,
      );
    case "mixed_kitchen":
      return words.captions.mixed(count(Number(get("dishes"))), gb(get("base")));
    case "model": {
      const subject = scenario.subject;
      const model = lists.models.find((m) => m.name === subject.model);
      const machine = lists.machines.find((m) => m.name === get("machine"));
      const parameters = model
        ? `${short(model.parameters >= 1e9 ? model.parameters / 1e9 : model.parameters / 1e6)} ${model.parameters >= 1e9 ? "B" : "M"}`
        : "";
      return words.captions.model(machine?.title ?? String(get("machine")), String(get("optimizer")), parameters);
    }
    case "file":
      return words.captions.file(
        c.fileTitle ?? "",
        c.lists.machines.find((m) => m.name === get("machine"))?.title ?? c.fileMachine,
      );
  }
}
