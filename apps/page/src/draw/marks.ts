// A fate is colour and shape and word: a circle keeps, a triangle recomputes, a square offloads, a diamond, half
// amber and half teal, does both.

import { svg } from "../dom";

export type Hue = "keep" | "recompute" | "offload" | "hybrid";

export function hueOf(fate: string): Hue {
  if (fate === "keep" || fate === "recompute" || fate === "hybrid") return fate;
  return fate.startsWith("offload") ? "offload" : "hybrid";
}
export const hueColour = (hue: Hue): string => `var(--${hue === "hybrid" ? "recompute" : hue})`;
export const hueClass = (hue: Hue): string => (hue === "hybrid" ? "recompute" : hue);

// Centred on (x, y), about as tall as 2 r.
export function shape(hue: Hue, x: number, y: number, r: number): SVGGElement {
  const halo = { stroke: "var(--bg)", "stroke-width": 1.5, "paint-order": "stroke" };
  switch (hue) {
    case "keep":
      return svg("g", {}, svg("circle", { cx: x, cy: y, r, style: "fill:var(--keep)", ...halo }));
    case "recompute": {
      const d = `M${x} ${y - r * 1.08}L${x + r * 1.12} ${y + r * 0.86}H${x - r * 1.12}Z`;
      return svg("g", {}, svg("path", { d, style: "fill:var(--recompute)", ...halo }));
    }
    case "offload":
      return svg(
        "g",
        {},
        svg("rect", {
          x: x - r * 0.9,
          y: y - r * 0.9,
          width: r * 1.8,
          height: r * 1.8,
          style: "fill:var(--offload)",
          ...halo,
        }),
      );
    case "hybrid": {
      const k = r * 1.25;
      return svg(
        "g",
        {},
        svg("path", {
          d: `M${x} ${y - k}L${x + k} ${y}L${x} ${y + k}L${x - k} ${y}Z`,
          style: "fill:var(--bg)",
          ...halo,
        }),
        svg("path", { d: `M${x} ${y - k}L${x - k} ${y}L${x} ${y + k}Z`, style: "fill:var(--recompute)" }),
        svg("path", { d: `M${x} ${y - k}L${x + k} ${y}L${x} ${y + k}Z`, style: "fill:var(--offload)" }),
      );
    }
  }
}

// The same as a small picture in a line of text.
export function icon(hue: Hue, size = 12): SVGSVGElement {
  return svg(
    "svg",
    { width: size, height: size, viewBox: `0 0 ${size} ${size}`, "aria-hidden": true },
    shape(hue, size / 2, size / 2, size * 0.34),
  );
}
