// The threshold as a line to drag, through bars and curves.

import { svg } from "../dom";
import { colour, textWidth } from "../draw/plot";
import { clamp } from "../draw/scale";
import { fixed } from "../numbers";
import { type Frame, at, kTop } from "./ratio_frame";

// The handle stays in the hand though the picture is drawn anew under it.
export function thresholdLine(frame: Frame, bottom: number, pillY: number): void {
  const { plot, x, context, threshold } = frame;
  const px = at(x, threshold),
    text = context.words.ratio.threshold(fixed(threshold, 2)),
    width = textWidth(text, "600 11px") + 26;
  plot.line(
    [
      [px, kTop - 4],
      [px, bottom],
    ],
    { colour: colour("ink"), width: 2 },
  );
  const move = (clientX: number, held: boolean) => {
    const box = document.querySelector("#ratio-chart")?.getBoundingClientRect();
    if (!box) return;
    const value = clamp(x.value(clientX - box.left), 0, x.to);
    context.set({ threshold: Number(value.toFixed(2)) }, held);
  };
  const start = (event: PointerEvent) => {
    event.preventDefault();
    const onMove = (e: PointerEvent) => move(e.clientX, true);
    const onUp = (e: PointerEvent) => {
      window.removeEventListener("pointermove", onMove);
      window.removeEventListener("pointerup", onUp);
      move(e.clientX, false);
    };
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onUp);
  };
  const keys = (event: KeyboardEvent) => {
    const step =
      event.key === "ArrowRight" || event.key === "ArrowUp"
        ? 0.05
        : event.key === "ArrowLeft" || event.key === "ArrowDown"
          ? -0.05
          : 0;
    if (step === 0) return;
    event.preventDefault();
    context.set({ threshold: Number(clamp(threshold + step, 0, 100).toFixed(2)) });
  };
  const left = clamp(px - width / 2, 0, plot.width - width);
  plot.add(
    svg("rect", {
      x: px - 6,
      y: kTop - 4,
      width: 12,
      height: bottom - kTop,
      class: "handle",
      style: "fill:transparent",
      onpointerdown: start,
    }),
    svg(
      "g",
      {
        class: "handle",
        tabindex: 0,
        role: "slider",
        "aria-label": context.words.ratio.thresholdName,
        "aria-valuemin": 0,
        "aria-valuemax": fixed(x.to, 2),
        "aria-valuenow": threshold,
        "data-focus": "threshold",
        onpointerdown: start,
        onkeydown: keys,
      },
      svg("rect", { x: left, y: pillY, width, height: 20, rx: 10, style: "fill:var(--ink)" }),
      svg(
        "text",
        { x: left + width / 2, y: pillY + 14, "text-anchor": "middle", style: "fill:var(--bg);font-weight:600" },
        text,
      ),
    ),
  );
}
