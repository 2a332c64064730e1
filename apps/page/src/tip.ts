// The one tooltip: beside its point, never over it, inside the window. Opens at once on hover or focus, Esc closes it,
// a touch pins it. It is also the description that a screen reader hears.

import { fill, type Child } from "./dom";
import { h } from "./dom";

export interface Spot {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

// Where a box of w × h goes beside `spot` in a window: right, left, below, above; the first that fits.
export function besides(
  spot: Spot,
  w: number,
  height: number,
  window: { w: number; h: number },
  gap = 12,
): { x: number; y: number } {
  const edge = 8;
  const middle = Math.min(
    Math.max((spot.top + spot.bottom) / 2 - height / 2, edge),
    Math.max(edge, window.h - height - edge),
  );
  const centre = Math.min(Math.max((spot.left + spot.right) / 2 - w / 2, edge), Math.max(edge, window.w - w - edge));
  if (spot.right + gap + w <= window.w - edge) return { x: spot.right + gap, y: middle };
  if (spot.left - gap - w >= edge) return { x: spot.left - gap - w, y: middle };
  if (spot.bottom + gap + height <= window.h - edge) return { x: centre, y: spot.bottom + gap };
  return { x: centre, y: Math.max(edge, spot.top - gap - height) };
}

export class Tip {
  readonly root = h("div", { class: "tip hidden", role: "tooltip", id: "tip" });
  private owner: Element | null = null;
  private pinned = false;

  constructor() {
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.hide();
    });
    document.addEventListener("pointerdown", (event) => {
      if (this.pinned && !this.owner?.contains(event.target as Node)) this.hide();
    });
    window.addEventListener("scroll", () => this.hide(), { passive: true });
  }

  get open(): boolean {
    return this.owner !== null;
  }

  show(owner: Element, content: Child[], pin = false): void {
    fill(this.root, content);
    this.root.classList.remove("hidden");
    this.owner?.removeAttribute("aria-describedby");
    this.owner = owner;
    this.pinned = pin;
    owner.setAttribute("aria-describedby", "tip");
    const spot = owner.getBoundingClientRect();
    const at = besides(spot, this.root.offsetWidth, this.root.offsetHeight, {
      w: window.innerWidth,
      h: window.innerHeight,
    });
    this.root.style.left = `${at.x}px`;
    this.root.style.top = `${at.y}px`;
  }

  hide(): void {
    this.owner?.removeAttribute("aria-describedby");
    this.owner = null;
    this.pinned = false;
    this.root.classList.add("hidden");
  }

  // `element` shows `content` when it is hovered, focused or touched; a click or Enter does `act`.
  attach(element: Element, label: string, content: () => Child[], act?: () => void): void {
    element.setAttribute("tabindex", "0");
    element.setAttribute("role", act ? "button" : "img");
    element.setAttribute("aria-label", label);
    let touched = false;
    element.addEventListener("pointerenter", (event) => {
      if ((event as PointerEvent).pointerType !== "touch") this.show(element, content());
    });
    element.addEventListener("pointerleave", () => {
      if (!this.pinned) this.hide();
    });
    element.addEventListener("focus", () => {
      if (element.matches(":focus-visible")) this.show(element, content());
    });
    element.addEventListener("blur", () => {
      if (!this.pinned) this.hide();
    });
    element.addEventListener("pointerdown", (event) => {
      touched = (event as PointerEvent).pointerType === "touch";
    });
    element.addEventListener("click", () => {
      if (touched && this.owner !== element) {
        this.show(element, content(), true);
        return;
      }
      if (act) {
        this.hide();
        act();
      }
    });
    element.addEventListener("keydown", (event) => {
      const key = (event as KeyboardEvent).key;
      if (act && (key === "Enter" || key === " ")) {
        event.preventDefault();
        this.hide();
        act();
      }
    });
  }
}
