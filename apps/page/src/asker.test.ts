import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromWorker, Question, ToWorker } from "../contract";
import { Asker, type WorkerLike } from "./asker";

class Puppet implements WorkerLike {
  static all: Puppet[] = [];
  onmessage: ((event: { data: FromWorker }) => void) | null = null;
  onerror: ((event: { message?: string }) => void) | null = null;
  got: { id: number; question: Question }[] = [];
  ended = false;
  constructor() {
    Puppet.all.push(this);
  }
  postMessage(message: ToWorker): void {
    if (!("wasm" in message)) this.got.push(message);
  }
  terminate(): void {
    this.ended = true;
  }
  say(message: FromWorker): void {
    this.onmessage?.({ data: message });
  }
  answer(text = "{}"): void {
    this.say({ id: this.got[this.got.length - 1]!.id, answer: text });
  }
  get last(): string {
    return (
      (this.got[this.got.length - 1]?.question as { id?: string } | undefined)?.id ??
      this.got[this.got.length - 1]?.question.ask ??
      ""
    );
  }
}

const open = (id: string): Question & { ask: "open" } => ({ ask: "open", id, name: id, text: "" });
const q = (id: string): Question => open(id); // any question will do

function stage() {
  Puppet.all = [];
  const heard: string[] = [];
  let now = 0;
  const asker = new Asker(
    () => new Puppet(),
    new ArrayBuffer(0),
    {
      answered: (slot) => heard.push(`answered ${slot}`),
      progress: (slot) => heard.push(`progress ${slot}`),
      died: (slot, _q, message) => heard.push(`died ${slot} ${message}`),
      busy: () => undefined,
    },
    () => now,
  );
  return {
    asker,
    heard,
    pass: (ms: number) => {
      now += ms;
    },
    worker: () => Puppet.all[Puppet.all.length - 1]!,
  };
}

test("one question at a time, in order; a known answer is given at once", () => {
  const { asker, heard, worker } = stage();
  asker.want([
    { slot: "a", question: q("1") },
    { slot: "b", question: q("2") },
  ]);
  worker().say({ ready: true });
  assert.equal(worker().got.length, 1);
  worker().answer();
  assert.equal(worker().last, "2");
  worker().answer();
  assert.deepEqual(heard, ["answered a", "answered b"]);
  asker.want([{ slot: "c", question: q("1") }]);
  assert.deepEqual(heard.slice(2), ["answered c"]);
  assert.equal(worker().got.length, 2);
});

test("what waits and is no longer wanted is not asked", () => {
  const { asker, worker } = stage();
  asker.want([
    { slot: "a", question: q("1") },
    { slot: "b", question: q("2") },
  ]);
  worker().say({ ready: true });
  asker.want([
    { slot: "a", question: q("1") },
    { slot: "b", question: q("3") },
  ]);
  worker().answer();
  assert.equal(worker().last, "3");
});

test("what runs long and nobody wants is ended with its worker", () => {
  const { asker, pass, worker } = stage();
  asker.want([{ slot: "a", question: q("long") }]);
  worker().say({ ready: true });
  const first = worker();
  pass(1000);
  asker.want([{ slot: "a", question: q("other") }]);
  assert.ok(first.ended);
  assert.notEqual(worker(), first);
  worker().say({ ready: true });
  assert.equal(worker().last, "other");
});

test("after a trap a fresh worker gets the files again and goes on; what trapped is not asked again", () => {
  const { asker, heard, worker } = stage();
  asker.open(open("file"));
  asker.want([
    { slot: "a", question: q("trap") },
    { slot: "b", question: q("good") },
  ]);
  worker().say({ ready: true });
  worker().answer();
  const first = worker();
  first.say({ died: "unreachable" });
  assert.ok(first.ended);
  worker().say({ ready: true });
  assert.equal(worker().last, "file");
  worker().answer();
  assert.equal(worker().last, "good");
  worker().answer();
  assert.deepEqual(heard, ["answered open", "died a unreachable", "answered open", "answered b"]);
  asker.want([{ slot: "a", question: q("trap") }]);
  assert.equal(worker().last, "good");
});

test("a file that traps is not opened again", () => {
  const { asker, worker } = stage();
  asker.open(open("bad"));
  worker().say({ ready: true });
  worker().say({ died: "unreachable" });
  asker.want([{ slot: "a", question: q("good") }]);
  worker().say({ ready: true });
  assert.equal(worker().last, "good");
});

test("a worker that never starts is given up after five", () => {
  const { asker, worker } = stage();
  asker.want([{ slot: "a", question: q("1") }]);
  for (let i = 0; i < 10; ++i) if (!worker().ended) worker().say({ died: "no engine" });
  assert.equal(Puppet.all.length, 5);
});

test("an answer that comes late, from an ended worker, is nobody's", () => {
  const { asker, heard, pass, worker } = stage();
  asker.want([{ slot: "a", question: q("1") }]);
  worker().say({ ready: true });
  const first = worker();
  pass(1000);
  asker.want([{ slot: "a", question: q("2") }]);
  first.answer();
  assert.deepEqual(heard, []);
});
