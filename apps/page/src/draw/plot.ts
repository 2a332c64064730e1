// A chart's two sheets: a canvas for lines, areas, bars and hatching, and an SVG above it for text, marks and
// handles, so that these are sharp, selectable and readable by a screen reader.

import { h, svg } from "../dom";
import type { Scale } from "./scale";

export type Point = [number, number];

export interface Stroke {
  colour: string;
  width: number;
  dash?: number[];
  alpha?: number;
}

// A colour of style.css as the canvas needs it. Read anew for every drawing: the system may turn dark.
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || "#888";
}

let measure: CanvasRenderingContext2D | null = null;
export function textWidth(text: string, font = "11px"): number {
  measure ??= document.createElement("canvas").getContext("2d");
  if (!measure) return text.length * 6;
  measure.font = `${font} ${getComputedStyle(document.documentElement).getPropertyValue("--sans")}`;
  return measure.measureText(text).width;
}

export class Plot {
  readonly root: HTMLDivElement;
  readonly canvas: HTMLCanvasElement;
  readonly top: SVGSVGElement;
  readonly ink: CanvasRenderingContext2D;

  constructor(
    readonly width: number,
    readonly height: number,
    label: string,
  ) {
    this.canvas = h("canvas", { "aria-hidden": true });
    this.top = svg("svg", { role: "group", "aria-label": label, viewBox: `0 0 ${width} ${height}` });
    this.root = h("div", { class: "chart", style: `height:${height}px;width:${width}px` }, this.canvas, this.top);
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.ink = this.canvas.getContext("2d")!;
    this.ink.scale(ratio, ratio);
  }

  private stroke(style: Stroke): void {
    this.ink.strokeStyle = style.colour;
    this.ink.lineWidth = style.width;
    this.ink.setLineDash(style.dash ?? []);
    this.ink.globalAlpha = style.alpha ?? 1;
    this.ink.stroke();
    this.ink.globalAlpha = 1;
    this.ink.setLineDash([]);
  }

  private trace(points: Point[]): void {
    this.ink.beginPath();
    points.forEach(([x, y], i) => (i === 0 ? this.ink.moveTo(x, y) : this.ink.lineTo(x, y)));
  }

  line(points: Point[], style: Stroke): void {
    if (points.length < 2) return;
    this.trace(points);
    this.ink.lineJoin = "round";
    this.stroke(style);
  }

  area(points: Point[], fill: string, alpha = 1): void {
    if (points.length < 3) return;
    this.trace(points);
    this.ink.closePath();
    this.ink.globalAlpha = alpha;
    this.ink.fillStyle = fill;
    this.ink.fill();
    this.ink.globalAlpha = 1;
  }

  bar(x: number, y: number, w: number, height: number, fill: string, alpha = 1): void {
    this.ink.globalAlpha = alpha;
    this.ink.fillStyle = fill;
    this.ink.fillRect(x, y, w, height);
    this.ink.globalAlpha = 1;
  }

  dot(x: number, y: number, r: number, fill: string): void {
    this.ink.beginPath();
    this.ink.arc(x, y, r, 0, 2 * Math.PI);
    this.ink.fillStyle = fill;
    this.ink.fill();
  }

  // Slanted lines, 6 px apart, within a rectangle.
  hatch(x: number, y: number, w: number, height: number, style: Stroke, gap = 7): void {
    if (w <= 0 || height <= 0) return;
    this.ink.save();
    this.ink.beginPath();
    this.ink.rect(x, y, w, height);
    this.ink.clip();
    this.ink.beginPath();
    const first = Math.floor((x - height) / gap) * gap;
    for (let at = first; at < x + w; at += gap) {
      this.ink.moveTo(at, y + height);
      this.ink.lineTo(at + height, y);
    }
    this.stroke(style);
    this.ink.restore();
  }

  clip(x: number, y: number, w: number, height: number, draw: () => void): void {
    this.ink.save();
    this.ink.beginPath();
    this.ink.rect(x, y, w, height);
    this.ink.clip();
    draw();
    this.ink.restore();
  }

  text(x: number, y: number, text: string, attributes: Record<string, string | number> = {}): SVGTextElement {
    const element = svg("text", { x, y, ...attributes }, text);
    this.top.appendChild(element);
    return element;
  }

  add(...nodes: Node[]): void {
    this.top.append(...nodes);
  }

  // Horizontal grid and its numbers. The chart has no frame.
  yAxis(scale: Scale, left: number, right: number, write: (tick: number) => string, most = 8): void {
    const grid = colour("grid");
    for (const tick of scale.ticks(most)) {
      const y = Math.round(scale.at(tick)) + 0.5;
      this.line(
        [
          [left, y],
          [right, y],
        ],
        { colour: grid, width: 1 },
      );
      this.text(left - 8, y + 3.5, write(tick), { "text-anchor": "end" });
    }
  }

  xAxis(scale: Scale, y: number, write: (tick: number) => string, most = 9): void {
    const axis = colour("axis");
    this.line(
      [
        [scale.low, y + 0.5],
        [scale.high, y + 0.5],
      ],
      { colour: axis, width: 1 },
    );
    for (const tick of scale.ticks(most)) {
      const x = Math.round(scale.at(tick)) + 0.5;
      this.line(
        [
          [x, y],
          [x, y + 4],
        ],
        { colour: axis, width: 1 },
      );
      this.text(x, y + 17, write(tick), { "text-anchor": "middle" });
    }
  }
}
