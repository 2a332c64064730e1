// The same question has the same answer, byte for byte, natively and in WebAssembly. Environment: ENGINE, the native
// engine; WASM, the module; ANSWERS, a file that gets the answers, one a line (schema_test.py reads it).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { questions } from "./questions.mjs";
import { startEngine } from "./wasm_engine.mjs";

const engine = await startEngine(readFileSync(process.env.WASM));
const lines = questions.map((question) => JSON.stringify(question));
const native = spawnSync(process.env.ENGINE, { input: lines.join("\n"), encoding: "utf8", maxBuffer: 2 ** 28 });
assert.equal(native.status, 0, native.stderr);
const answers = native.stdout.trimEnd().split("\n");
if (process.env.ANSWERS) writeFileSync(process.env.ANSWERS, native.stdout);

test("an answer to each question", () => assert.equal(answers.length, questions.length));
lines.forEach((line, i) =>
  test(line.slice(0, 120), () => {
    const answer = engine.ask(line).replaceAll("\n", " ").trimEnd();
    // A readable place before the whole texts are compared.
    let at = 0;
    while (at < answer.length && answer[at] === answers[i][at]) ++at;
    if (answer !== answers[i].trimEnd())
      assert.equal(answer.slice(Math.max(0, at - 60), at + 60), answers[i].slice(Math.max(0, at - 60), at + 60));
    JSON.parse(answer);
  }),
);
test("asked again, in another order, the answers are the same", () => {
  for (const i of [10, 7, 22, 16, 10]) assert.equal(engine.ask(lines[i]).replaceAll("\n", " ").trimEnd(), answers[i].trimEnd());
});
test("an open file outlives other questions, and a question that is no JSON is answered", () => {
  assert.match(engine.ask("{"), /"error"/);
  assert.match(engine.ask(""), /"error"/);
  assert.match(engine.ask('{"ask": "plan", "subject": []}'), /"error"/);
});
