// Files that are dropped, opened or carried by a report: what each is, and what it does to the state. The engine reads
// them; only states of the page are read here.

import type { Failure, Lists, Open, Report, Scenario, Subject } from "../contract";
import type { Asker } from "./asker";
import { kMostBytes } from "./files";
import { three } from "./numbers";
import { fromFile, initial, type State } from "./state";
import type { Words } from "./words/en";

export interface Offer {
  name: string;
  text: string;
}
export interface Host {
  lists(): Lists | null;
  state(): State;
  words(): Words;
  to(state: State): void;
  again(): void; // ask and draw
  fail(title: string, lines: string[]): void;
}

export const kHugeOps = 20_000; // beyond it a search takes minutes: keep-all is shown first
const kMostSaved = 8e6; // characters of a file that a saved state carries

// Null: this is no report.
export function reportOf(text: string): Report | null {
  if (text === "" || text === "null") return null;
  try {
    const report = JSON.parse(text) as Partial<Report> | null;
    return report?.format === "worktop-report" && Array.isArray(report.files) ? (report as Report) : null;
  } catch {
    return null;
  }
}

export function scenarioOf(title: string, subject: Subject, report: Report | null): Scenario {
  return {
    id: "file",
    title,
    subject,
    limits: report?.limits ?? { memory_bytes: null, time_ns: null },
    lambda: { memory: 0.01, compute: 0.99, transfer: 0.99 },
    parameters: { segments: null, beta: 0.5, threshold: 2 },
    minimize: report?.minimize ?? "time",
  };
}

export class Openings {
  scenario: Scenario | null = null; // what the last file with a subject asks
  machine = ""; // what its machine is called
  measured: string[] = []; // ids of measurements
  private ops = 0;
  private next = 1;
  private waiting = new Map<string, Offer & { report: Report | null }>();

  constructor(
    private asker: Asker,
    private host: Host,
  ) {}

  get huge(): boolean {
    return this.ops > kHugeOps;
  }

  async take(files: File[]): Promise<void> {
    const { trouble } = this.host.words();
    for (const file of files) {
      if (file.size > kMostBytes) {
        this.host.fail(trouble.badFile(file.name), [trouble.tooLarge(`${three(file.size / 1e6)} MB`)]);
      } else {
        this.open({ name: file.name, text: await file.text() }, null);
      }
    }
  }

  open(offer: Offer, report: Report | null): void {
    const state = fromFile(offer.text, initial(this.host.state().language));
    if (state) {
      if (state.file) this.open(state.file, null);
      this.host.to(state);
      return;
    }
    const id = `file-${this.next++}`;
    this.waiting.set(id, { ...offer, report });
    this.asker.open({ ask: "open", id, name: offer.name, text: offer.text });
  }

  // The report that the page carries itself.
  begin(report: Report): void {
    report.files.forEach((file, i) => this.open(file, i === 0 ? report : null));
    const { scenario } = this.host.state();
    if (scenario === "" || scenario === "file") this.use(report);
  }

  died(id: string): void {
    this.waiting.delete(id);
  }

  answered(id: string, open: Open | null, failure: Failure["error"] | undefined): void {
    const offer = this.waiting.get(id);
    if (!offer) return; // opened again in a fresh worker
    this.waiting.delete(id);
    if (!open) {
      this.asker.close(id);
      const lines = failure ? [failure.what, failure.hint].filter((line) => line !== "") : [];
      this.host.fail(this.host.words().trouble.badFile(offer.name), lines);
      return;
    }
    if (open.measured.length > 0) this.measured = [...this.measured, id];
    if (open.kind === "report") this.report(open);
    else if (open.subject) this.subject(open, open.subject, offer);
    else if (open.kind === "machine") this.host.fail(open.title, [this.host.words().onlyMachine]);
    else this.host.again();
  }

  private report(open: Open): void {
    const report = open.state === null ? null : reportOf(open.state);
    open.files.forEach((file, i) => this.open(file, i === 0 ? report : null));
    if (report) this.use(report);
  }

  private use(report: Report): void {
    if (!report.subject) return;
    this.scenario = scenarioOf(report.title, report.subject, report);
    const state = this.host.state();
    this.host.to({ ...state, scenario: "file", mode: state.scenario === "file" ? state.mode : "frontier" });
  }

  private subject(open: Open, found: Subject, offer: Offer & { report: Report | null }): void {
    const machines = this.host.lists()?.machines ?? [];
    const machine = open.needs_machine ? (machines.find((m) => m.name.includes("4090")) ?? machines[0]) : undefined;
    const settings = { layers: open.layers, batch: 1, sequence: 1024 };
    const subject: Subject =
      found.kind !== "file"
        ? found
        : {
            ...found,
            ...(machine ? { machine: machine.name } : {}),
            ...(open.kind === "config" ? { settings: { ...settings, ...found.settings } } : {}),
          };
    this.machine = machine?.title ?? open.machine ?? "";
    this.ops = open.ops ?? 0;
    this.scenario = scenarioOf(open.title || offer.name, subject, offer.report);
    const state = this.host.state();
    const restored = state.scenario === "file" && Object.keys(state.set).length > 0;
    const own = open.has_plan && !state.chosen && (offer.report !== null || !restored);
    const chosen = own ? "file" : (state.chosen ?? (this.huge ? "strategy:keep_all" : null));
    const file = offer.text.length < kMostSaved ? { name: offer.name, text: offer.text } : null;
    const mode = state.scenario === "file" ? state.mode : "frontier"; // a new file is seen as a whole first
    this.host.to({ ...state, scenario: "file", mode, chosen, plan: state.plan || this.huge, file });
  }
}
