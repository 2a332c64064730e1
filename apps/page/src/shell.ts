// The frame around the picture: header, modes, language, the rail's drawer, the line that runs while the engine works.

import { fill, h, svg, type Child } from "./dom";
import { kModes, type Language, type Mode, type State } from "./state";
import type { Words } from "./words/en";

export interface ShellActions {
  change(patch: Partial<State>): void;
  tour(): void;
  quiz(): void;
  openFile(): void;
  saveState(): void;
  railToggled(): void;
}

// A worktop with a kept, a recomputed and an offloaded thing on it.
function logo(): SVGSVGElement {
  return svg(
    "svg",
    { width: 20, height: 18, viewBox: "0 0 20 18", "aria-hidden": true },
    svg("rect", { x: 3, y: 3, width: 4, height: 6, style: "fill:var(--keep)" }),
    svg("path", { d: "M10.4 3.4L13 9H7.8Z", style: "fill:var(--recompute)" }),
    svg("rect", { x: 13.6, y: 5, width: 4, height: 4, style: "fill:var(--offload)" }),
    svg("rect", { x: 0.5, y: 9.6, width: 19, height: 2.4, style: "fill:var(--ink)" }),
    svg("path", { d: "M3.2 12v4.4M16.8 12v4.4", style: "stroke:var(--ink)", "stroke-width": 2 }),
  );
}
const stroked = (d: string, size = 16): SVGSVGElement =>
  svg(
    "svg",
    { width: size, height: size, viewBox: "0 0 16 16", "aria-hidden": true },
    svg("path", { d, fill: "none", style: "stroke:currentColor", "stroke-width": 1.8, "stroke-linecap": "round" }),
  );

export class Shell {
  readonly main = h("main", { class: "main", id: "main" });
  readonly trouble = h("div", { id: "trouble", "aria-live": "assertive" });
  readonly content = h("div", { id: "content" });
  private header = h("header", { class: "top" });
  private working = h("div", { class: "working", role: "progressbar" });
  private narrowModes = h("div", { class: "segments narrow-modes" });
  private body = h("div", { class: "body" });
  private built = "";
  private railOpen = true; // as far as the width lets it choose
  private chosenByHand = false;

  constructor(
    root: Element,
    private rail: HTMLElement,
    private actions: ShellActions,
  ) {
    this.main.append(this.narrowModes, this.trouble, this.content);
    this.body.append(rail, h("div", { class: "veil", onclick: () => this.drawer(false) }), this.main);
    fill(root, this.header, this.working, this.body);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.drawer(false);
    });
  }

  busy(on: boolean, words: Words): void {
    this.working.classList.toggle("on", on);
    this.working.setAttribute("aria-label", on ? words.working : "");
    this.main.setAttribute("aria-busy", String(on));
  }

  drawer(open: boolean): void {
    const was = document.body.classList.contains("drawer");
    document.body.classList.toggle("drawer", open);
    if (open) this.rail.querySelector<HTMLElement>(".rail-head button")?.focus();
    else if (was) this.header.querySelector<HTMLElement>(".menu-button")?.focus();
  }

  update(state: State, words: Words): void {
    const key = `${state.language}`;
    if (this.built !== key) this.build(state, words);
    this.built = key;
    document.documentElement.lang = words.htmlLang;
    document.title = `Worktop: ${words.tagline}`;
    for (const button of document.querySelectorAll<HTMLElement>("[data-mode]"))
      button.setAttribute("aria-pressed", String(button.dataset["mode"] === state.mode));
    for (const button of document.querySelectorAll<HTMLElement>("[data-language]"))
      button.setAttribute("aria-pressed", String(button.dataset["language"] === state.language));
    this.layout(state, words);
  }

  // Open from 1200 px on, but for the plan panel; a hand may say otherwise until the panel opens or closes.
  private panel: boolean | null = null;
  layout(state: State, words: Words): void {
    if (this.panel !== state.plan) this.chosenByHand = false;
    this.panel = state.plan;
    if (!this.chosenByHand) this.railOpen = window.innerWidth >= 1200 && !state.plan;
    document.body.classList.toggle("rail-closed", !this.railOpen);
    document.body.classList.toggle("rail-open", this.railOpen);
    const toggle = this.rail.querySelector<HTMLElement>(".rail-button");
    if (toggle) {
      toggle.setAttribute("aria-label", this.railOpen ? words.closeRail : words.openRail);
      toggle.setAttribute("aria-expanded", String(this.railOpen));
    }
  }

  private modes(words: Words, keys: boolean): HTMLElement[] {
    return kModes.map((mode: Mode, i) =>
      h(
        "button",
        { type: "button", "data-mode": mode, onclick: () => this.actions.change({ mode, plan: false, chosen: null }) },
        words.modes[mode],
        keys ? h("kbd", { "aria-hidden": true }, String(i + 1)) : null,
      ),
    );
  }

  private languages(words: Words): Child {
    const button = (language: Language, text: string, lang: string) =>
      h(
        "button",
        { type: "button", lang, "data-language": language, onclick: () => this.actions.change({ language }) },
        text,
      );
    return h(
      "div",
      { class: "segments languages", role: "group", "aria-label": words.languageName },
      button("en", "EN", "en"),
      button("zh", "中文", "zh"),
    );
  }

  private links(words: Words): HTMLElement[] {
    const { actions } = this;
    const link = (text: string, act: () => void, id: string) =>
      h(
        "button",
        {
          type: "button",
          class: "link",
          id,
          onclick: () => {
            this.drawer(false);
            act();
          },
        },
        text,
      );
    return [
      link(words.tour, () => actions.tour(), "tour"),
      link(words.quiz, () => actions.quiz(), "quiz"),
      link(words.open, () => actions.openFile(), "open"),
      link(words.save, () => actions.saveState(), "save"),
    ];
  }

  private build(_state: State, words: Words): void {
    fill(
      this.header,
      h(
        "button",
        {
          type: "button",
          class: "menu-button",
          "aria-label": words.menu,
          "aria-controls": "rail",
          onclick: () => this.drawer(true),
        },
        stroked("M2.5 4h11M2.5 8h11M2.5 12h11"),
      ),
      h("div", { class: "brand" }, logo(), h("b", {}, "Worktop"), h("span", {}, words.tagline)),
      h("div", { class: "segments modes", role: "group" }, this.modes(words, true)),
      h("span", { class: "spring" }),
      h("nav", { class: "links" }, this.links(words)),
      this.languages(words),
    );
    fill(this.narrowModes, this.modes(words, false));
    this.rail.querySelectorAll("[data-shell]").forEach((element) => element.remove());
    const links = this.links(words);
    for (const link of links) {
      link.removeAttribute("id");
      link.className = "button";
    }
    this.rail.prepend(
      h(
        "button",
        {
          type: "button",
          class: "rail-button",
          "data-shell": true,
          onclick: () => {
            this.railOpen = !this.railOpen;
            this.chosenByHand = true;
            this.actions.railToggled();
          },
        },
        stroked("M6 3.5L10.5 8L6 12.5"),
      ),
      h(
        "div",
        { class: "rail-head", "data-shell": true },
        h("b", {}, words.menu),
        h(
          "button",
          { type: "button", class: "menu-button", "aria-label": words.close, onclick: () => this.drawer(false) },
          stroked("M4 4l8 8M12 4l-8 8"),
        ),
      ),
      h("div", { class: "rail-links", "data-shell": true, style: "margin:0 0 12px" }, links),
    );
  }
}
