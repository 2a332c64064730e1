// Keeps the engine busy with what the picture needs. The page says again and again what it wants, in order; answers
// that are known are given at once, the rest is asked one by one. What runs and is no longer wanted is ended with its
// worker, and so is what traps: a fresh worker is ready in milliseconds, gets the files again and goes on.

import type { FromWorker, Progress, Question, ToWorker } from "../contract";

export interface WorkerLike {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: { data: FromWorker }) => void) | null;
  onerror: ((event: { message?: string; preventDefault?: () => void }) => void) | null;
}
export interface Ask {
  slot: string;
  question: Question;
  urgent?: boolean;
}
export interface Listener {
  answered(slot: string, question: Question, text: string): void;
  progress(slot: string, progress: Progress): void;
  died(slot: string | null, question: Question | null, message: string): void;
  busy(since: number | null): void;
}

const kMostKept = 120; // answers
const kPatienceMs = 250; // a running question that nobody wants may take so long before it is ended

interface Running {
  id: number;
  key: string;
  slot: string;
  question: Question;
  since: number;
}

export class Asker {
  private worker: WorkerLike | null = null;
  private ready = false;
  private running: Running | null = null;
  private wanted: { key: string; ask: Ask }[] = [];
  private opening: Question[] = [];
  private files: Question[] = [];
  private known = new Map<string, string>();
  private bad = new Set<string>(); // trapped: not asked again
  private nextId = 1;
  private deaths = 0;

  constructor(
    private start: () => WorkerLike,
    private wasm: ArrayBuffer,
    private listener: Listener,
    private now: () => number = () => performance.now(),
  ) {}

  // From now on only these are wanted, most urgent first.
  want(asks: Ask[]): void {
    this.wanted = asks
      .map((ask) => ({ key: JSON.stringify(ask.question), ask }))
      .filter(({ key, ask }) => {
        if (this.bad.has(key)) return false;
        const text = this.known.get(key);
        if (text === undefined) return true;
        this.known.delete(key); // moves to the end: used last, dropped last
        this.known.set(key, text);
        this.listener.answered(ask.slot, ask.question, text);
        return false;
      });
    this.endWhatNobodyWants();
    this.pump();
  }

  // A file is opened in this worker and in each that comes after it.
  open(question: Question & { ask: "open" }): void {
    this.files = this.files.filter((file) => (file as { id?: string }).id !== question.id);
    this.files.push(question);
    this.opening.push(question);
    this.pump();
  }
  close(id: string): void {
    this.files = this.files.filter((file) => (file as { id?: string }).id !== id);
  }

  // One that waits for its turn, and is given up if it isn't wanted any more.
  private endWhatNobodyWants(): void {
    const running = this.running;
    if (!running || running.slot === "open" || this.wanted.some((w) => w.key === running.key)) return;
    if (this.wanted.length === 0) return;
    const late = this.now() - running.since;
    if (late >= kPatienceMs) this.restart();
    else
      setTimeout(
        () => {
          if (this.running === running) {
            this.endWhatNobodyWants();
            this.pump();
          }
        },
        kPatienceMs - late + 1,
      );
  }

  private restart(): void {
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
    this.running = null;
    this.opening = [...this.files];
  }

  private boot(): void {
    const worker = this.start();
    this.worker = worker;
    worker.onmessage = (event) => {
      if (this.worker === worker) this.heard(event.data);
    };
    worker.onerror = (event) => {
      event.preventDefault?.();
      if (this.worker === worker) this.died(event.message ?? "the worker ended");
    };
    worker.postMessage({ wasm: this.wasm });
  }

  private pump(): void {
    if (this.running || (this.wanted.length === 0 && this.opening.length === 0)) {
      this.listener.busy(this.running?.since ?? null);
      return;
    }
    if (!this.worker) this.boot();
    if (!this.ready) {
      this.listener.busy(this.now());
      return;
    }
    const file = this.opening.shift();
    const next = file ? { key: JSON.stringify(file), ask: { slot: "open", question: file } } : this.wanted.shift()!;
    this.running = {
      id: this.nextId++,
      key: next.key,
      slot: next.ask.slot,
      question: next.ask.question,
      since: this.now(),
    };
    this.worker!.postMessage({ id: this.running.id, question: next.ask.question });
    this.listener.busy(this.running.since);
  }

  private heard(message: FromWorker): void {
    if ("ready" in message) {
      this.ready = true;
      this.pump();
    } else if ("died" in message) {
      this.died(message.died);
    } else if ("progress" in message) {
      if (this.running?.id === message.id) this.listener.progress(this.running.slot, message.progress);
    } else if (this.running?.id === message.id) {
      const { key, slot, question } = this.running;
      this.running = null;
      this.deaths = 0;
      this.remember(key, message.answer);
      const others = this.wanted.filter((w) => w.key === key && w.ask.slot !== slot);
      this.wanted = this.wanted.filter((w) => w.key !== key); // wanted again while it ran
      this.listener.answered(slot, question, message.answer);
      for (const { ask } of others) this.listener.answered(ask.slot, question, message.answer);
      this.pump();
    }
  }

  private remember(key: string, text: string): void {
    this.known.set(key, text);
    while (this.known.size > kMostKept) this.known.delete(this.known.keys().next().value!);
  }

  private died(message: string): void {
    const running = this.running;
    if (running) this.bad.add(running.key);
    if (running?.slot === "open") this.close((running.question as { id: string }).id);
    this.restart();
    this.listener.died(running?.slot ?? null, running?.question ?? null, message);
    // A worker that dies before its first answer again and again is broken for good.
    if (++this.deaths >= 5) {
      this.wanted = [];
      this.opening = [];
    }
    this.pump();
  }
}
