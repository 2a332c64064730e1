// The page as a whole: one state, the last good answers, and the way from a change to a picture.

import type { Failure, Lists, Open, PlanRef, Progress, Question, Report, Scenario } from "../contract";
import { Asker, type Ask, type WorkerLike } from "./asker";
import type { Answers, Context, Held } from "./context";
import { defaultsOf, isKitchen, kNoFacts, type Facts } from "./controls";
import { fill, h, type Child } from "./dom";
import { chartsAsPng } from "./draw/png";
import { fileName, json, onDrop, pickFile, save } from "./files";
import { Openings } from "./openings";
import { Learn } from "./learn/learn";
import { frontierMode } from "./modes/frontier";
import { ratioMode } from "./modes/ratio";
import { strategiesMode } from "./modes/strategies";
import { kKitchenUnits, kModelUnits, three } from "./numbers";
import { planPanel } from "./panel/plan";
import { chosenOf, limitsOf, planOf, questionsOf, subjectOf } from "./questions";
import { Rail } from "./rail";
import { Shell } from "./shell";
import { fromFragment, initial, kModes, languageOf, toFile, toFragment, type Setting, type State } from "./state";
import { Tip } from "./tip";
import { en, type Words } from "./words/en";
import { zh } from "./words/zh";

interface Trouble {
  title: string;
  lines: string[];
  question: string | null;
}

const kBusyAfterMs = 150;
const kWords: Record<State["language"], Words> = { en, zh };
const kNoAnswers: Answers = {
  ledger: null,
  frontier: null,
  plan: null,
  timeline: null,
  activations: null,
  ratio: null,
};

export class App {
  private state: State;
  private lists: Lists | null = null;
  private answers: Answers = { ...kNoAnswers };
  private asker: Asker;
  private openings: Openings;
  private shell: Shell;
  private rail = new Rail();
  private tip = new Tip();
  private learn: Learn;
  private trouble: Trouble | null = null;
  private held = false;
  private drawing = 0;
  private busyTimer = 0;
  private asked = new Map<string, number>();
  private downloads = new Map<string, (text: string) => void>();
  private dropped = h("div", { class: "drop hidden" });

  constructor(
    root: Element,
    start: () => WorkerLike,
    wasm: ArrayBuffer,
    private report: Report | null,
  ) {
    this.state = fromFragment(location.hash, initial(languageOf(navigator.languages)));
    this.learn = new Learn((patch) => this.change({ ...patch, set: patch.set ?? {} }));
    this.shell = new Shell(root, this.rail.root, {
      change: (patch) => this.change(patch),
      tour: () => this.learn.tour(this.words),
      quiz: () => this.learn.quiz(this.words),
      openFile: () => pickFile((file) => void this.openings.take([file])),
      saveState: () => this.save("state"),
      railToggled: () => this.draw(),
    });
    document.body.append(this.tip.root, this.learn.root, this.dropped);
    this.asker = new Asker(start, wasm, {
      answered: (slot, question, text) => this.answered(slot, question, text),
      progress: (_slot, _progress: Progress) => undefined,
      died: (slot, question, message) => this.died(slot, question, message),
      busy: (since) => this.busy(since),
    });
    this.openings = new Openings(this.asker, {
      lists: () => this.lists,
      state: () => this.state,
      words: () => this.words,
      to: (state) => this.to(state),
      again: () => {
        this.ask();
        this.draw();
      },
      fail: (title, lines) => this.fail(title, lines, null),
    });
    this.shell.update(this.state, this.words);
    this.listen();
    this.asker.want([{ slot: "lists", question: { ask: "lists" } }]);
  }

  private get words(): Words {
    return kWords[this.state.language];
  }

  private listen(): void {
    window.addEventListener("hashchange", () => {
      if (location.hash !== toFragment(this.state))
        this.to(fromFragment(location.hash, { ...initial(this.state.language), file: this.state.file }));
    });
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth !== width) {
        width = window.innerWidth;
        this.draw();
      }
    });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    window.addEventListener("keydown", (event) => {
      const target = event.target as HTMLElement | null;
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        target?.closest("input[type=text], input[type=search], select, textarea")
      )
        return;
      const mode = kModes[Number(event.key) - 1];
      if (mode) this.change({ mode, plan: false, chosen: null });
      if (event.key === "Escape" && this.state.plan && !this.tip.open) this.change({ plan: false });
    });
    onDrop(
      (files) => void this.openings.take(files),
      (on) => {
        fill(this.dropped, h("div", {}, this.words.drop));
        this.dropped.classList.toggle("hidden", !on);
      },
    );
  }

  // ------------------------------------------------------------------------------------------------------ state

  private scenario(): Scenario | null {
    if (!this.lists) return null;
    if (this.state.scenario === "file" && this.openings.scenario) return this.openings.scenario;
    return this.lists.scenarios.find((s) => s.id === this.state.scenario) ?? this.lists.scenarios[0] ?? null;
  }

  change(patch: Partial<State>, held = false): void {
    this.to({ ...this.state, ...patch }, held);
  }

  private to(next: State, held = false): void {
    if (next.scenario !== this.state.scenario) {
      if (next.scenario !== "file" && next.set === this.state.set)
        next = { ...next, set: {}, chosen: null, compete: null, unfold: [] };
      this.trouble = null;
    }
    this.state = next;
    this.held = held;
    const fragment = toFragment(next);
    if (!held && location.hash !== fragment) history.replaceState(null, "", fragment);
    this.ask();
    this.draw();
  }

  private set(values: Record<string, Setting | undefined>, held = false): void {
    const set = { ...this.state.set };
    const scenario = this.scenario();
    const defaults = scenario && this.lists ? defaultsOf(scenario, this.lists) : {};
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined || (key in defaults && defaults[key] === value && key !== "lc" && key !== "lt"))
        delete set[key];
      else set[key] = value;
    }
    this.change({ set }, held);
  }

  // ------------------------------------------------------------------------------------------ questions and answers

  private ask(): void {
    const scenario = this.scenario();
    if (!scenario || !this.lists) return;
    const wanted = questionsOf(this.state, scenario, this.lists, {
      measured: this.openings.measured,
      huge: this.state.scenario === "file" && this.openings.huge,
    }).filter((w) => !this.held || w.effort === "quick");
    const asks: Ask[] = wanted.map((w) => ({ slot: w.slot, question: w.question }));
    for (const [slot] of this.downloads) {
      const question = this.downloadQuestion(slot, scenario);
      if (question) asks.push({ slot, question });
    }
    const now = performance.now();
    for (const { question } of asks) {
      const key = JSON.stringify(question);
      if (!this.asked.has(key)) this.asked.set(key, now);
    }
    this.asker.want(asks);
  }

  private answered(slot: string, question: Question, text: string): void {
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      this.fail(this.words.trouble.title, [this.words.trouble.died("an answer that is no JSON")], slot);
      return;
    }
    const failure = (answer as Partial<Failure>).error;
    if (question.ask === "open") {
      this.openings.answered(question.id, failure ? null : (answer as Open), failure);
      return;
    }
    if (this.downloads.has(slot)) {
      this.download(slot, text, failure);
      return;
    }
    if (failure) {
      this.failed(slot, question, failure);
      return;
    }
    if (question.ask === "lists") {
      this.begin(answer as Lists);
      return;
    }
    if (this.trouble?.question === slot) this.trouble = null;
    const effort = "effort" in question ? question.effort : "quick";
    const key = JSON.stringify(question),
      since = this.asked.get(key);
    const ms = since === undefined ? null : performance.now() - since;
    if (this.asked.size > 400) this.asked.clear();
    const held: Held<unknown> = { answer, question, effort, ms };
    this.answers = { ...this.answers, [slot]: held };
    this.draw();
  }

  private failed(slot: string, question: Question, failure: Failure["error"]): void {
    // A plan of another question may not be there any more: the best one is shown instead.
    if ("plan" in question && question.plan.kind !== "best") {
      this.change({ chosen: null });
      return;
    }
    this.fail(
      this.words.trouble.error,
      [failure.what, failure.hint].filter((line) => line !== ""),
      slot,
    );
  }

  private fail(title: string, lines: string[], slot: string | null): void {
    this.trouble = { title, lines, question: slot };
    this.draw();
  }

  private died(slot: string | null, question: Question | null, message: string): void {
    const { trouble } = this.words;
    if (question?.ask === "open") {
      this.openings.died(question.id);
      this.fail(trouble.badFile(question.name), [trouble.died(message), trouble.restarted], null);
    } else {
      this.fail(trouble.title, [trouble.died(message), trouble.restarted], slot);
    }
  }

  private busy(since: number | null): void {
    clearTimeout(this.busyTimer);
    if (since === null) this.shell.busy(false, this.words);
    else
      this.busyTimer = window.setTimeout(
        () => this.shell.busy(true, this.words),
        Math.max(0, kBusyAfterMs - (performance.now() - since)),
      );
  }

  private begin(lists: Lists): void {
    this.lists = lists;
    if (this.report) this.openings.begin(this.report);
    if (this.state.file) this.openings.open(this.state.file, null);
    this.ask();
    this.draw();
  }

  // ----------------------------------------------------------------------------------------------------- downloads

  private save(what: "plan" | "trace" | "png" | "state"): void {
    const name = [this.state.scenario || "worktop", what];
    if (what === "state") {
      save(fileName([this.state.scenario || "worktop", this.state.mode], "worktop.json"), json(toFile(this.state)));
      return;
    }
    if (what === "png") {
      const title = this.shell.content.querySelector("#answer")?.textContent ?? "Worktop";
      chartsAsPng(this.shell.content.querySelector("#timeline") ?? this.shell.content, title).then(
        (blob) => save(fileName([...name.slice(0, 1), this.state.plan ? "plan" : this.state.mode], "png"), blob),
        (error: unknown) => this.fail(this.words.trouble.error, [String(error)], null),
      );
      return;
    }
    const slot = what === "plan" ? "plan_file" : "trace";
    this.downloads.set(slot, (text) => save(fileName(name, "json"), json(text)));
    this.ask();
  }

  private downloadQuestion(slot: string, scenario: Scenario): Question | null {
    const plan = this.answers.plan;
    if (!this.lists) return null;
    if (plan?.question.ask === "plan") return { ...plan.question, ask: slot as "plan_file" };
    return {
      ask: slot as "plan_file",
      subject: subjectOf(this.state, scenario, this.lists),
      limits: limitsOf(this.state, scenario, this.lists),
      lambda: scenario.lambda,
      effort: "quick",
      plan: planOf(this.state, "quick"),
      minimize: scenario.minimize,
    };
  }

  private download(slot: string, text: string, failure: Failure["error"] | undefined): void {
    const take = this.downloads.get(slot);
    this.downloads.delete(slot);
    if (failure) this.fail(this.words.trouble.error, [failure.what, failure.hint], null);
    else take?.(text);
  }

  // ------------------------------------------------------------------------------------------------------ drawing

  private draw(): void {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.drawNow();
    });
  }

  private facts(): Facts {
    const { frontier, plan, ratio } = this.answers;
    const machine = this.lists?.machines.find(
      (m) =>
        m.name ===
        (this.scenario() && this.lists
          ? (subjectOf(this.state, this.scenario()!, this.lists) as { machine?: string }).machine
          : ""),
    );
    const slow = frontier?.answer.points[0]?.step_ns ?? null;
    return {
      ...kNoFacts,
      usable_bytes: plan?.answer.budget.usable_bytes ?? machine?.usable_bytes ?? null,
      budget_bytes:
        plan?.answer.budget.memory_bytes ?? ratio?.answer.limit_bytes ?? machine?.default_budget_bytes ?? null,
      keep_peak_bytes: plan?.answer.keep_all.peak_bytes ?? ratio?.answer.keep_all.peak_bytes ?? null,
      keep_step_ns: plan?.answer.keep_all.step_ns ?? null,
      least_bytes: plan?.answer.least_possible_bytes ?? null,
      slowest_ns: slow === null ? null : slow * 1.25,
    };
  }

  // A file whose steps take many seconds is read in seconds.
  private slow(): boolean {
    const { plan, ratio, frontier } = this.answers;
    const step =
      plan?.answer.keep_all.step_ns ?? frontier?.answer.keep_all.step_ns ?? ratio?.answer.keep_all.step_ns ?? 0;
    return this.state.scenario === "file" && step > 20e9;
  }

  private context(scenario: Scenario, lists: Lists): Context {
    const kitchen = isKitchen(scenario.subject);
    const style = getComputedStyle(this.shell.main);
    const width = Math.floor(
      this.shell.main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
    );
    return {
      state: this.state,
      words: this.words,
      units: kitchen ? kKitchenUnits : this.slow() ? { ...kModelUnits, time: "s" } : kModelUnits,
      kitchen,
      lists,
      scenario,
      answers: this.answers,
      tip: this.tip,
      width,
      narrow: window.innerWidth < 720,
      held: this.held,
      change: (patch) => this.change(patch),
      set: (values, held) => this.set(values, held),
      choose: (plan: PlanRef | null) => this.change({ chosen: plan === null ? null : chosenOf(plan) }),
      save: (what) => this.save(what),
    };
  }

  private footer(): string {
    const slot = this.state.plan
      ? this.answers.plan
      : this.state.mode === "strategies"
        ? this.answers.ledger
        : this.state.mode === "ratio"
          ? this.answers.ratio
          : this.answers.plan;
    if (!slot) return this.words.footer(null, false, null);
    const ms =
      slot.ms === null
        ? null
        : slot.ms >= 995
          ? `${three(slot.ms / 1000)} s`
          : `${Math.max(1, Math.round(slot.ms))} ms`;
    const gap = slot === this.answers.plan ? (this.answers.plan?.answer.plan.gap ?? null) : null;
    const ledger = (slot.answer as { format?: string }).format === "worktop-page-ledger";
    return this.words.footer(
      ledger ? null : (this.words.efforts[slot.effort] ?? slot.effort),
      gap !== null && gap < 0.01,
      ms,
    );
  }

  private drawNow(): void {
    const { lists } = this,
      scenario = this.scenario();
    this.shell.update(this.state, this.words);
    this.learn.update(this.words);
    this.drawTrouble();
    if (!lists || !scenario) return;
    this.rail.update({
      state: this.state,
      words: this.words,
      lists,
      scenario,
      facts: this.facts(),
      footer: this.footer(),
      fileTitle: this.openings.scenario?.title ?? null,
      fileMachine: this.openings.machine,
      effective: { segments: this.answers.ledger?.answer.ledger.segments ?? null },
      set: (values, held) => this.set(values, held),
      change: (patch) => this.change(patch),
      openScenario: (id) => this.change({ scenario: id, set: {}, chosen: null, compete: null, unfold: [] }),
      reset: () => this.change({ set: {} }),
    });
    this.shell.layout(this.state, this.words);
    const context = this.context(scenario, lists);
    const picture = this.picture(context);
    if (picture === null) {
      if (this.trouble) document.body.dataset["ready"] ??= "trouble";
      return; // the last good picture stays
    }
    const focused = document.activeElement?.getAttribute("data-focus");
    const selection = (document.activeElement as HTMLInputElement | null)?.selectionStart ?? null;
    this.tip.hide();
    fill(this.shell.content, picture);
    if (focused) {
      const again = [...this.shell.content.querySelectorAll<HTMLElement>("[data-focus]")].find(
        (element) => element.getAttribute("data-focus") === focused,
      );
      again?.focus({ preventScroll: true });
      if (again instanceof HTMLInputElement && again.type === "search" && selection !== null)
        again.setSelectionRange(selection, selection);
    }
    document.body.dataset["ready"] = this.state.plan ? "plan" : this.state.mode;
  }

  private picture(context: Context): Child {
    if (this.state.plan) return planPanel(context);
    switch (this.state.mode) {
      case "frontier":
        return frontierMode(context);
      case "strategies":
        return strategiesMode(context);
      case "ratio":
        return ratioMode(context);
    }
  }

  private drawTrouble(): void {
    const { trouble } = this;
    fill(
      this.shell.trouble,
      trouble === null
        ? null
        : h(
            "div",
            { class: "trouble", role: "alert" },
            h(
              "div",
              {},
              h("b", {}, trouble.title),
              trouble.lines.map((line) => h("p", {}, line)),
            ),
            h(
              "button",
              {
                type: "button",
                class: "button",
                onclick: () => {
                  this.trouble = null;
                  this.draw();
                },
              },
              this.words.trouble.dismiss,
            ),
          ),
    );
  }
}
