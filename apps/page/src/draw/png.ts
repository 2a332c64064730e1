// A chart as a PNG: its canvas, and above it its SVG with the styles written into it, on the page's background.

import { colour } from "./plot";

const kCopied = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "font-size",
  "font-weight",
  "font-family",
  "paint-order",
  "stroke-linejoin",
  "visibility",
  "opacity",
  "text-anchor",
];

function styled(source: SVGSVGElement): SVGSVGElement {
  const copy = source.cloneNode(true) as SVGSVGElement;
  const from = source.querySelectorAll<SVGElement>("*");
  copy.querySelectorAll<SVGElement>("*").forEach((element, i) => {
    const original = from[i];
    if (!original) return;
    const computed = getComputedStyle(original);
    for (const name of kCopied) element.style.setProperty(name, computed.getPropertyValue(name));
  });
  return copy;
}

function picture(source: SVGSVGElement, width: number, height: number): Promise<HTMLImageElement> {
  const copy = styled(source);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const text = new XMLSerializer().serializeToString(copy);
  const image = new Image();
  return new Promise((resolve, reject) => {
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error("the chart cannot be drawn"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
}

// Of all charts within `root`, one below the other where they stand.
export async function chartsAsPng(root: Element, title: string): Promise<Blob> {
  const charts = [...root.querySelectorAll<HTMLElement>(".chart")];
  if (charts.length === 0) throw new Error("there is no chart to save");
  const boxes = charts.map((chart) => chart.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left)),
    top = Math.min(...boxes.map((box) => box.top));
  const right = Math.max(...boxes.map((box) => box.right)),
    bottom = Math.max(...boxes.map((box) => box.bottom));
  const margin = 24,
    head = 40;
  const canvas = document.createElement("canvas");
  canvas.width = 2 * (right - left + 2 * margin);
  canvas.height = 2 * (bottom - top + 2 * margin + head);
  const ink = canvas.getContext("2d")!;
  ink.scale(2, 2);
  ink.fillStyle = colour("bg");
  ink.fillRect(0, 0, canvas.width, canvas.height);
  ink.fillStyle = colour("ink");
  ink.font = `600 15px ${getComputedStyle(document.body).fontFamily}`;
  ink.fillText(title, margin, margin + 12, right - left);
  for (const [i, chart] of charts.entries()) {
    const box = boxes[i]!;
    const x = box.left - left + margin,
      y = box.top - top + margin + head;
    const sheet = chart.querySelector("canvas"),
      above = chart.querySelector("svg");
    if (sheet) ink.drawImage(sheet, x, y, box.width, box.height);
    if (above) ink.drawImage(await picture(above, box.width, box.height), x, y, box.width, box.height);
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))), "image/png"),
  );
}
