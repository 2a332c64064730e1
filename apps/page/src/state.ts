// The one state of the page: what is asked, and what is looked at. It is kept whole in the URL's fragment and in a
// saved file, so that a class sees the same picture. Whatever is read is checked; what makes no sense is left out.

export type Mode = "frontier" | "strategies" | "ratio";
export const kModes: Mode[] = ["frontier", "strategies", "ratio"];
export type Language = "en" | "zh";
export type AxisName = "step_time" | "extra_compute" | "extra_transfer";
export const kAxes: AxisName[] = ["step_time", "extra_compute", "extra_transfer"];
export type Setting = number | string | boolean | null;

export interface State {
  mode: Mode;
  language: Language;
  scenario: string; // an id of the engine's list, or "file"
  set: Record<string, Setting>; // controls that differ from the scenario's own; in the units that are shown
  axis: AxisName;
  hide: string[]; // of kHideable
  compete: string[] | null; // strategies that compete; null: the scenario's own
  chosen: string | null; // a plan: "strategy:keep_all", "point:plan(3)"; null: the best
  plan: boolean; // the plan panel is open
  order: "ratio" | "program";
  log: boolean; // the ratio's axis
  unfold: string[]; // groups of the ratio
  file: { name: string; text: string } | null; // only in saved files: too long for a URL
}

export const kHideable = ["iso", "bound", "measured", "ledger", "simulated", "thumb", "solver", "curves"];
const kMostText = 200;

export function initial(language: Language): State {
  return {
    mode: "strategies",
    language,
    scenario: "",
    set: {},
    axis: "step_time",
    hide: [],
    compete: null,
    chosen: null,
    plan: false,
    order: "ratio",
    log: false,
    unfold: [],
    file: null,
  };
}

// The browser's first language decides, once.
export function languageOf(languages: readonly string[]): Language {
  return languages[0]?.toLowerCase().startsWith("zh") ? "zh" : "en";
}

// ------------------------------------------------------------------------------------------------- URL fragment

const kReserved = new Set([
  "mode",
  "lang",
  "scenario",
  "axis",
  "hide",
  "compete",
  "chosen",
  "plan",
  "order",
  "log",
  "unfold",
]);

function write(value: Setting): string {
  if (value === null) return "none";
  if (value === true) return "on";
  if (value === false) return "off";
  return String(value);
}

function read(text: string): Setting {
  if (text === "none") return null;
  if (text === "on") return true;
  if (text === "off") return false;
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : text.slice(0, kMostText);
}

export function toFragment(state: State): string {
  const parameters = new URLSearchParams();
  parameters.set("mode", state.mode);
  parameters.set("lang", state.language);
  if (state.scenario) parameters.set("scenario", state.scenario);
  if (state.axis !== "step_time") parameters.set("axis", state.axis);
  if (state.hide.length > 0) parameters.set("hide", state.hide.join(" "));
  if (state.compete) parameters.set("compete", state.compete.join(" "));
  if (state.chosen) parameters.set("chosen", state.chosen);
  if (state.plan) parameters.set("plan", "open");
  if (state.order !== "ratio") parameters.set("order", state.order);
  if (state.log) parameters.set("log", "on");
  if (state.unfold.length > 0) parameters.set("unfold", state.unfold.join("|"));
  for (const key of Object.keys(state.set).sort()) parameters.set(key, write(state.set[key]!));
  return `#${parameters.toString()}`;
}

const oneOf = <T extends string>(text: string | null, known: readonly T[], otherwise: T): T =>
  known.includes(text as T) ? (text as T) : otherwise;

export function fromFragment(fragment: string, otherwise: State): State {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  const words = (key: string, by: string) =>
    (parameters.get(key) ?? "")
      .split(by)
      .filter((word) => word !== "")
      .slice(0, 64)
      .map((w) => w.slice(0, kMostText));
  const set: Record<string, Setting> = {};
  for (const [key, text] of parameters) {
    if (!kReserved.has(key) && /^[a-z_]{1,24}$/.test(key)) set[key] = read(text);
  }
  return {
    ...otherwise,
    mode: oneOf(parameters.get("mode"), kModes, otherwise.mode),
    language: oneOf(parameters.get("lang"), ["en", "zh"], otherwise.language),
    scenario: parameters.get("scenario")?.slice(0, kMostText) ?? otherwise.scenario,
    axis: oneOf(parameters.get("axis"), kAxes, "step_time"),
    hide: words("hide", " ").filter((word) => kHideable.includes(word)),
    compete: parameters.has("compete") ? words("compete", " ") : null,
    chosen: parameters.get("chosen")?.slice(0, kMostText) ?? null,
    plan: parameters.get("plan") === "open",
    order: oneOf(parameters.get("order"), ["ratio", "program"], "ratio"),
    log: parameters.get("log") === "on",
    unfold: words("unfold", "|"),
    set,
  };
}

// ------------------------------------------------------------------------------------------------------- a file

export const kStateFormat = "worktop-page-state";

export function toFile(state: State): string {
  return `${JSON.stringify({ format: kStateFormat, version: 1, state: toFragment(state), file: state.file }, null, 2)}\n`;
}

// Null: this is no state file. What is wrong within one counts as left out.
export function fromFile(text: string, otherwise: State): State | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const saved = value as { format?: unknown; state?: unknown; file?: { name?: unknown; text?: unknown } | null } | null;
  if (typeof saved !== "object" || saved?.format !== kStateFormat || typeof saved.state !== "string") return null;
  const state = fromFragment(saved.state, otherwise);
  const file = saved.file;
  const good = file && typeof file.name === "string" && typeof file.text === "string";
  return { ...state, file: good ? { name: file.name as string, text: file.text as string } : null };
}
