// The card at the lower right: a guided tour, common misconceptions, a quiz. Each shows its state of the page.

import { button } from "../context";
import { fill, h, type Child } from "../dom";
import type { Words } from "../words/en";
import { kMyths, kQuiz, kTour, type Patch } from "./lessons";

type Card = { kind: "tour"; at: number } | { kind: "myths" } | { kind: "quiz"; at: number; tried: number[] };

export class Learn {
  readonly root = h("div", { class: "tour hidden", role: "dialog", "aria-modal": "false" });
  private card: Card | null = null;
  private firstTry = 0;
  private words: Words | null = null;

  constructor(private go: (patch: Patch) => void) {
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.card) this.close();
    });
  }

  tour(words: Words): void {
    this.words = words;
    this.open({ kind: "tour", at: 0 });
    this.go(kTour[0]!);
  }
  quiz(words: Words): void {
    this.words = words;
    this.firstTry = 0;
    this.open({ kind: "quiz", at: 0, tried: [] });
  }
  update(words: Words): void {
    if (this.words !== words) {
      this.words = words;
      this.draw();
    }
  }

  close(): void {
    this.card = null;
    this.root.classList.add("hidden");
  }

  private open(card: Card): void {
    this.card = card;
    this.draw();
    this.root.querySelector<HTMLElement>("h2")?.focus();
  }

  private draw(): void {
    if (!this.card || !this.words) return;
    this.root.classList.remove("hidden");
    const { card, words } = this;
    const close = h(
      "button",
      { type: "button", class: "close", "aria-label": words.close, onclick: () => this.close() },
      "×",
    );
    const content =
      card.kind === "tour"
        ? this.stop(card, words)
        : card.kind === "myths"
          ? this.myths(words)
          : this.question(card, words);
    fill(this.root, close, content);
    this.root.setAttribute("aria-label", this.root.querySelector("h2")?.textContent ?? words.tour);
  }

  private stop(card: Card & { kind: "tour" }, words: Words): Child {
    const t = words.learn,
      stop = words.lessons.tour[card.at]!;
    const move = (at: number) => {
      this.open({ kind: "tour", at });
      this.go(kTour[at]!);
    };
    const last = card.at === kTour.length - 1;
    return [
      h("p", { class: "step" }, t.step(card.at + 1, kTour.length)),
      h("h2", { tabindex: -1 }, stop.title),
      h("p", {}, stop.text),
      h(
        "div",
        { class: "foot" },
        card.at > 0 ? button(t.back, () => move(card.at - 1)) : null,
        h("span", { class: "spring" }),
        last
          ? [button(t.toMyths, () => this.open({ kind: "myths" })), button(t.toQuiz, () => this.quiz(words), true)]
          : button(t.next, () => move(card.at + 1), true),
      ),
    ];
  }

  private myths(words: Words): Child {
    const t = words.learn;
    return [
      h("h2", { tabindex: -1 }, t.misconceptions),
      h(
        "ul",
        { class: "list" },
        words.lessons.myths.map((myth, i) =>
          h(
            "li",
            { style: "margin-bottom:8px" },
            h("button", { type: "button", onclick: () => this.go(kMyths[i]!) }, myth.title),
            h("p", {}, myth.text),
          ),
        ),
      ),
      h(
        "div",
        { class: "foot" },
        h("span", { class: "spring" }),
        button(t.toQuiz, () => this.quiz(words), true),
      ),
    ];
  }

  private question(card: Card & { kind: "quiz" }, words: Words): Child {
    const t = words.learn,
      question = words.lessons.quiz[card.at]!,
      { right, show } = kQuiz[card.at]!;
    const solved = card.tried.includes(right),
      last = card.tried[card.tried.length - 1];
    const answer = (i: number) => {
      if (solved) return;
      if (i === right) {
        if (card.tried.length === 0) ++this.firstTry;
        this.go(show);
      }
      this.open({ ...card, tried: [...card.tried, i] });
    };
    const verdict = last === undefined ? null : solved ? t.right + question.because : t.wrong + question.hint;
    const end = card.at === kQuiz.length - 1;
    return [
      h("p", { class: "step" }, t.step(card.at + 1, kQuiz.length)),
      h("h2", { tabindex: -1 }, question.ask),
      h(
        "div",
        { class: "answers" },
        question.answers.map((text, i) =>
          h(
            "button",
            {
              type: "button",
              class: card.tried.includes(i) ? (i === right ? "right" : "wrong") : "",
              onclick: () => answer(i),
            },
            text,
          ),
        ),
      ),
      verdict === null ? null : h("p", { class: "verdict", role: "status" }, verdict),
      solved && end ? h("p", { class: "verdict" }, h("b", {}, t.score(this.firstTry, kQuiz.length))) : null,
      h(
        "div",
        { class: "foot" },
        solved ? null : button(t.show, () => this.go(show)),
        h("span", { class: "spring" }),
        solved
          ? end
            ? [button(t.toMyths, () => this.open({ kind: "myths" })), button(t.done, () => this.close(), true)]
            : button(t.again, () => this.open({ kind: "quiz", at: card.at + 1, tried: [] }), true)
          : null,
      ),
    ];
  }
}
