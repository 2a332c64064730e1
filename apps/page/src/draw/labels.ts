// Where labels go: right of the mark, left, above or below it, the first place that hits nothing; else nowhere, and
// the table beside the chart says it. Earlier labels win, so the order is the priority.

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}
export interface Wish {
  x: number;
  y: number; // the mark's centre
  w: number;
  h: number; // the text's size
  gap: number; // between mark and text
  sides?: Side[]; // to be tried, in order
  must?: boolean; // takes the first place inside the bounds if all are taken
}
export type Side = "right" | "left" | "above" | "below" | "above-right" | "above-left" | "below-right" | "below-left";
export interface Placed extends Box {
  side: Side;
}

const kSides: Side[] = ["right", "left", "above", "below"];

export function boxAt(wish: Wish, side: Side): Box {
  const { x, y, w, h, gap } = wish;
  switch (side) {
    case "right":
      return { x: x + gap, y: y - h / 2, w, h };
    case "left":
      return { x: x - gap - w, y: y - h / 2, w, h };
    case "above":
      return { x: x - w / 2, y: y - gap - h, w, h };
    case "below":
      return { x: x - w / 2, y: y + gap, w, h };
    case "above-right":
      return { x: x + gap / 2, y: y - gap - h, w, h };
    case "above-left":
      return { x: x - gap / 2 - w, y: y - gap - h, w, h };
    case "below-right":
      return { x: x + gap / 2, y: y + gap, w, h };
    case "below-left":
      return { x: x - gap / 2 - w, y: y + gap, w, h };
  }
}

export function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

function inside(box: Box, bounds: Box): boolean {
  return (
    box.x >= bounds.x &&
    box.y >= bounds.y &&
    box.x + box.w <= bounds.x + bounds.w &&
    box.y + box.h <= bounds.y + bounds.h
  );
}

// One place for each wish, or null. `taken` is what must stay free besides: marks, lines of text.
export function place(wishes: Wish[], taken: Box[], bounds: Box): (Placed | null)[] {
  const occupied = [...taken];
  return wishes.map((wish) => {
    const sides = wish.sides ?? kSides;
    const legal = sides.map((side) => ({ ...boxAt(wish, side), side })).filter((box) => inside(box, bounds));
    const found =
      legal.find((box) => !occupied.some((other) => overlap(box, other))) ?? (wish.must ? legal[0] : undefined) ?? null;
    if (found) occupied.push(found);
    return found;
  });
}

// Heights so that rows of the same height, in order, don't overlap and stay within; as near to `wanted` as it goes.
export function spread(wanted: number[], height: number, low: number, high: number): number[] {
  const placed: number[] = [];
  let floor = low;
  for (const y of wanted) {
    const at = Math.max(y, floor);
    placed.push(at);
    floor = at + height;
  }
  let ceiling = high;
  for (let i = placed.length - 1; i >= 0; --i) {
    placed[i] = Math.min(placed[i]!, ceiling - height);
    ceiling = placed[i]!;
  }
  return placed;
}
