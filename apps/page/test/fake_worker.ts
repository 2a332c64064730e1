// A worker with the stand-in instead of the engine. Layers of 13 make it trap.

import type { FromWorker, ToWorker } from "../contract";
import { answer } from "./fake_engine";

const scope = globalThis as unknown as {
  onmessage: (event: { data: ToWorker }) => void;
  postMessage(message: FromWorker): void;
};

scope.onmessage = ({ data }) => {
  if ("wasm" in data) {
    scope.postMessage({ ready: true });
    return;
  }
  if (JSON.stringify(data.question).includes('"layers":13,')) {
    scope.postMessage({ died: "unreachable executed" });
    return;
  }
  scope.postMessage({ id: data.id, answer: JSON.stringify(answer(data.question)) });
};
