// The engine's worker: it holds the WebAssembly module and answers one question after the other. A trap is reported, and
// the page then ends this worker.

import type { FromWorker, Progress, ToWorker } from "../contract";

declare const self: { onmessage: ((event: { data: ToWorker }) => void) | null; postMessage(message: FromWorker): void };

interface Engine {
  memory: WebAssembly.Memory;
  _initialize?: () => void;
  question(bytes: number): number; // where the question goes
  answer(): number; // the answer's length
  answer_at(): number; // where it is, until the next call
}

let engine: Engine | null = null;
let current = 0; // the question in hand
let said = ""; // what the engine wrote before it died
const decoder = new TextDecoder(),
  encoder = new TextEncoder();

// What the engine writes: progress, a line of JSON each, or its last words.
function heard(text: string): void {
  for (const line of text.split("\n")) {
    if (line.startsWith('{"doing"')) {
      try {
        self.postMessage({ id: current, progress: JSON.parse(line) as Progress });
      } catch {
        continue; // half a line: progress is no promise
      }
    } else if (line !== "") {
      said = `${said}\n${line}`.trim().slice(-2000);
    }
  }
}

// The few functions of WASI that a module without files needs.
function imports(): WebAssembly.ModuleImports {
  const view = () => new DataView(engine!.memory.buffer);
  return {
    fd_write(_file: number, vectors: number, count: number, written: number): number {
      let total = 0;
      for (let i = 0; i < count; ++i) {
        const at = view().getUint32(vectors + 8 * i, true),
          size = view().getUint32(vectors + 8 * i + 4, true);
        heard(decoder.decode(new Uint8Array(engine!.memory.buffer, at, size)));
        total += size;
      }
      view().setUint32(written, total, true);
      return 0;
    },
    proc_exit(code: number): never {
      throw new Error(`the engine ended with ${code}`);
    },
    fd_close: () => 8,
    fd_seek: () => 8,
    fd_fdstat_get: () => 8,
    fd_read: () => 8,
    fd_prestat_get: () => 8,
    fd_prestat_dir_name: () => 8,
  };
}

async function load(wasm: ArrayBuffer): Promise<void> {
  const module = await WebAssembly.compile(wasm);
  const known = imports(),
    needed: Record<string, WebAssembly.ModuleImports> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind !== "function") continue;
    const missing = () => {
      throw new Error(`the engine called ${name}, which a page has not`);
    };
    (needed[from] ??= {})[name] = known[name] ?? missing;
  }
  const instance = await WebAssembly.instantiate(module, needed);
  engine = instance.exports as unknown as Engine;
  engine._initialize?.();
}

function ask(question: string): string {
  const bytes = encoder.encode(question),
    { memory } = engine!;
  const at = engine!.question(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const size = engine!.answer();
  return decoder.decode(new Uint8Array(memory.buffer, engine!.answer_at(), size));
}

function died(error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  self.postMessage({ died: said === "" ? why : `${said} (${why})` });
}

self.onmessage = ({ data }) => {
  if ("wasm" in data) {
    load(data.wasm).then(() => self.postMessage({ ready: true }), died);
    return;
  }
  current = data.id;
  said = "";
  try {
    const answer = ask(JSON.stringify(data.question));
    self.postMessage({ id: data.id, answer });
  } catch (error) {
    died(error);
  }
};
