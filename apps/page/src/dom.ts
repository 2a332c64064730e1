// Making elements. The only way in which text reaches the page is a text node: nothing here parses HTML, so a name
// from a file can say what it likes.

export type Child = Node | string | number | null | undefined | false | Child[];
type Listener = (event: never) => void;
export type Attributes = Record<string, string | number | boolean | null | undefined | Listener>;

const kSvg = "http://www.w3.org/2000/svg";

// Functions are listeners ("onclick"); true is an attribute without a value; false, null and undefined are none.
function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as unknown as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(parent: Node, child: Child): void {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) for (const each of child) append(parent, each);
  else parent.appendChild(typeof child === "object" ? child : document.createTextNode(String(child)));
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  append(element, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(kSvg, tag) as SVGElementTagNameMap[K];
  set(element, attributes);
  append(element, children);
  return element;
}

export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

// A sentence with some of it in bold or in the tone of a fate.
export interface Piece {
  text: string;
  tone: "bold" | "keep" | "recompute" | "offload" | "over";
}
export type Rich = (string | Piece)[];

export const bold = (text: string): Piece => ({ text, tone: "bold" });
export const tone = (name: Piece["tone"], text: string): Piece => ({ text, tone: name });

export function rich(parts: Rich): Child[] {
  return parts.map((part) =>
    typeof part === "string" ? part : h("b", part.tone === "bold" ? {} : { class: part.tone }, part.text),
  );
}

export function plain(parts: Rich): string {
  return parts.map((part) => (typeof part === "string" ? part : part.text)).join("");
}
