// How numbers are written: three significant digits, sizes with one decimal, a thin space in thousands, a true
// minus, "+" on every difference. Nothing is computed here but the change of unit that a label names.

export const kSpace = "\u00a0"; // between a number and its unit, which stay on one line
const kThin = "\u2009";
const kMinus = "\u2212";
export const kNone = "–"; // what does not exist

export function grouped(digits: string): string {
  const [whole = "", fraction] = digits.split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, kThin);
  return fraction === undefined ? spaced : `${spaced}.${fraction}`;
}

export function fixed(x: number, decimals: number): string {
  if (!Number.isFinite(x)) return kNone;
  const text = grouped(Math.abs(x).toFixed(decimals));
  return x < 0 && /[1-9]/.test(text) ? kMinus + text : text;
}

// Three significant digits; what stands before the point is never rounded away.
export function three(x: number): string {
  if (!Number.isFinite(x)) return kNone;
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 99.95) return fixed(x, 0);
  if (size >= 9.995) return fixed(x, 1);
  if (size >= 0.9995) return fixed(x, 2);
  const decimals = Math.min(12, 2 - Math.floor(Math.log10(size)));
  return fixed(x, decimals);
}

// Without the zeros that say nothing: for limits, settings and ticks.
export function short(x: number): string {
  const text = three(x);
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

export function percent(share: number | null, decimals = 1): string {
  return share === null || !Number.isFinite(share)
    ? kNone
    : `${fixed(share * 100, Math.abs(share) >= 9.995 ? 0 : decimals)}${kSpace}%`;
}

export function signed(text: string): string {
  return text.startsWith(kMinus) || text === kNone ? text : `+${text}`;
}

export function difference(share: number | null, decimals = 1): string {
  if (share === null) return kNone;
  const text = percent(share, decimals);
  return /[1-9]/.test(text) ? signed(text) : text;
}

export interface Quantity {
  number: string;
  unit: string;
}
export const join = (q: Quantity): string => (q.unit === "" ? q.number : `${q.number}${kSpace}${q.unit}`);

// "64 GiB" rather than "64.0 GiB": of what was set, not found.
export const settled = (q: Quantity): Quantity => ({ ...q, number: q.number.replace(/\.0+$/, "") });

// A scenario's units: kitchens think in GB and seconds, models in GiB and milliseconds.
export interface Units {
  memory: "GB" | "GiB";
  time: "s" | "ms";
}
export const kKitchenUnits: Units = { memory: "GB", time: "s" };
export const kModelUnits: Units = { memory: "GiB", time: "ms" };

export const kGB = 1e9;
export const kGiB = 2 ** 30;
export const kMiB = 2 ** 20;
export const memoryUnit = (units: Units): number => (units.memory === "GB" ? kGB : kGiB);
export const timeUnit = (units: Units): number => (units.time === "s" ? 1e9 : 1e6);

// "18.1 GiB"; what is less than a hundredth of the unit is said in MiB or MB.
export function memory(bytes: number | null, units: Units): Quantity {
  if (bytes === null) return { number: kNone, unit: "" };
  const x = bytes / memoryUnit(units);
  if (bytes !== 0 && Math.abs(x) < 0.095) {
    return units.memory === "GB"
      ? { number: three(bytes / 1e6), unit: "MB" }
      : { number: three(bytes / kMiB), unit: "MiB" };
  }
  return { number: fixed(x, 1), unit: units.memory };
}

// "753 ms", "4.56 s"; kitchens "253.9 s".
export function time(ns: number | null, units: Units): Quantity {
  if (ns === null) return { number: kNone, unit: "" };
  if (units.time === "s") {
    const s = ns / 1e9;
    if (ns !== 0 && Math.abs(s) < 0.0995) return { number: three(ns / 1e6), unit: "ms" };
    return Math.abs(s) >= 99.95 ? { number: fixed(s, 1), unit: "s" } : { number: three(s), unit: "s" };
  }
  const ms = ns / 1e6;
  if (Math.abs(ms) >= 999.5) return { number: three(ns / 1e9), unit: "s" };
  if (ns !== 0 && Math.abs(ms) < 0.1) return { number: three(ns / 1e3), unit: "µs" };
  return { number: three(ms), unit: "ms" };
}

// In a column whose head names the unit.
export function memoryCell(bytes: number | null, units: Units): string {
  return bytes === null ? kNone : fixed(bytes / memoryUnit(units), 1);
}
// What would be 0.0 in the column's unit brings its own.
export function memoryFine(bytes: number, units: Units): string {
  return bytes !== 0 && Math.abs(bytes / memoryUnit(units)) < 0.05
    ? join(memory(bytes, units))
    : memoryCell(bytes, units);
}
export function timeCell(ns: number | null, units: Units): string {
  if (ns === null) return kNone;
  const x = ns / timeUnit(units);
  return units.time === "s" && Math.abs(x) >= 99.95 ? fixed(x, 1) : three(x);
}

export function gigabytesPerSecond(bytesPerSecond: number): string {
  return short(bytesPerSecond / 1e9);
}

export function count(n: number): string {
  return grouped(String(n));
}

// What a person types: "1 280", "1,280.5", "1e3", "18.2 GiB". Null if it is no number.
export function parse(text: string): number | null {
  const match = /^([-+−]?[\d\s\u2009\u00a0,_]*\.?\d*(?:e[-+]?\d+)?)/i.exec(text.trim());
  const cleaned = (match?.[1] ?? "").replace(/[\s\u2009\u00a0,_]/g, "").replace("−", "-");
  if (cleaned === "" || cleaned === "-" || cleaned === "+" || cleaned === ".") return null;
  const x = Number(cleaned);
  return Number.isFinite(x) ? x : null;
}
