// The start: the engine is unpacked from the page itself, its worker is made of the page's own text, and the app begins.

import { App } from "./app";
import { reportOf } from "./openings";
import type { WorkerLike } from "./asker";
import { h } from "./dom";
import { languageOf } from "./state";
import { en } from "./words/en";
import { unpacked } from "./unpack";
import { zh } from "./words/zh";

const text = (id: string): string => document.getElementById(id)?.textContent?.trim() ?? "";

function start(): void {
  const root = document.getElementById("app")!;
  const words = languageOf(navigator.languages) === "zh" ? zh : en;
  if (typeof WebAssembly === "undefined") {
    root.append(h("p", { style: "padding:28px" }, words.trouble.oldBrowser));
    return;
  }
  const wasm = unpacked("engine").slice().buffer;
  const source = URL.createObjectURL(new Blob([text("worker")], { type: "text/javascript" }));
  new App(root, () => new Worker(source) as unknown as WorkerLike, wasm, reportOf(text("report")));
}

start();
