import assert from "node:assert/strict";
import { test } from "node:test";
import { plain, type Rich } from "../dom";
import { kMyths, kQuiz, kTour } from "../learn/lessons";
import { en } from "./en";
import { zh } from "./zh";

// Every sentence of a language, templates filled with a mark.
function sentences(value: unknown, path: string, out: [string, string][]): void {
  if (typeof value === "string") out.push([path, value]);
  else if (typeof value === "function") {
    const said = (value as (...a: unknown[]) => unknown)(...Array.from({ length: value.length }, () => "7"));
    out.push([path, Array.isArray(said) ? plain(said as Rich) : String(said)]);
  } else if (Array.isArray(value)) value.forEach((v, i) => sentences(v, `${path}.${i}`, out));
  else if (typeof value === "object" && value !== null)
    for (const [key, v] of Object.entries(value)) sentences(v, `${path}.${key}`, out);
}
const all = (words: unknown) => {
  const out: [string, string][] = [];
  sentences(words, "", out);
  return out;
};

test("both languages say the same things", () => {
  assert.deepEqual(
    all(zh).map(([path]) => path),
    all(en).map(([path]) => path),
  );
  for (const [path, text] of [...all(en), ...all(zh)])
    assert.ok(text.trim() !== "" || /footer$|layerWhy\.passing$/.test(path), path);
});

test("Chinese has full-width punctuation, and a space between a number and a Latin unit", () => {
  for (const [path, text] of all(zh)) {
    assert.doesNotMatch(text, /[\u4e00-\u9fff][,;:!?]/, `${path}: ${text}`);
    assert.doesNotMatch(text, /[\u4e00-\u9fff]\.($|\s)/, `${path}: ${text}`);
    assert.doesNotMatch(text, /\d(GiB|GB|ms|s\b)/, `${path}: ${text}`);
    assert.doesNotMatch(text, /您/, path);
  }
});

test("English shouts at nobody", () => {
  for (const [path, text] of all(en)) {
    assert.doesNotMatch(text, /!/, path);
    assert.doesNotMatch(text, /\bsimply\b/i, path);
  }
});

test("every lesson has its state and its words", () => {
  for (const words of [en, zh]) {
    assert.equal(words.lessons.tour.length, kTour.length);
    assert.equal(words.lessons.myths.length, kMyths.length);
    assert.equal(words.lessons.quiz.length, kQuiz.length);
    words.lessons.quiz.forEach((question, i) => assert.ok(kQuiz[i]!.right < question.answers.length));
  }
});
