// The start: the engine is unpacked from the page itself, its worker is made of the page's own text, and the app begins.

import { App } from "./app";
import { reportOf } from "./openings";
import type { WorkerLike } from "./asker";
import { h } from "./dom";
import { languageOf } from "./state";
import { en } from "./words/en";
import { zh } from "./words/zh";

const text = (id: string): string => document.getElementById(id)?.textContent?.trim() ?? "";

async function unpacked(base64: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start(): Promise<void> {
  const root = document.getElementById("app")!;
  const words = languageOf(navigator.languages) === "zh" ? zh : en;
  if (typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined") {
    root.append(h("p", { style: "padding:28px" }, words.trouble.oldBrowser));
    return;
  }
  const wasm = await unpacked(text("engine"));
  const source = URL.createObjectURL(new Blob([text("worker")], { type: "text/javascript" }));
  new App(root, () => new Worker(source) as unknown as WorkerLike, wasm, reportOf(text("report")));
}

void start();
