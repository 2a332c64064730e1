import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActivationRow, RatioAnswer, RatioRow } from "../../contract";
import { listed, type TableState } from "../panel/activations";
import { en } from "../words/en";
import { rowName, shownRows } from "./ratio";

const row = (name: string, bytes: number, fate: ActivationRow["fate"], redo: number | null): ActivationRow => ({
  name,
  label: name,
  block: null,
  op_kind: "",
  bytes,
  fate,
  because: "hides",
  reason: "",
  recompute_ns: redo,
  reload_ns: null,
  lifetime: [],
  at_peak: true,
});
const rows = [
  row("block.2/a", 3, "keep", 5),
  row("block.10/a", 3, "offload_host", null),
  row("block.1/b", 9, "recompute", 2),
];
const table: TableState = { sort: "bytes", down: true, fate: "all", filter: "", most: 40 };
const names = (more: Partial<TableState>) =>
  listed(rows, { ...table, ...more }, (r) => `because ${r.name}`).map((r) => r.name);

test("activations sort by size, equals as they came; names by their numbers", () => {
  assert.deepEqual(names({}), ["block.1/b", "block.2/a", "block.10/a"]);
  assert.deepEqual(names({ sort: "name", down: false }), ["block.1/b", "block.2/a", "block.10/a"]);
  assert.deepEqual(names({ sort: "recompute_ns" }), ["block.2/a", "block.1/b", "block.10/a"]);
});
test("activations filter by fate, name and reason", () => {
  assert.deepEqual(names({ fate: "offload" }), ["block.10/a"]);
  assert.deepEqual(names({ filter: "/A" }), ["block.2/a", "block.10/a"]);
  assert.deepEqual(names({ filter: "because block.1/" }), ["block.1/b"]);
  assert.deepEqual(names({ filter: "(.*" }), []);
});

const ratioRow = (
  label: string,
  ratio: number,
  count = 1,
  members: RatioRow[] = [],
  block: string | null = null,
): RatioRow => ({
  label,
  op_kind: "",
  block,
  count,
  bytes: 1,
  recompute_ns: 1,
  ratio,
  rule: "keep",
  solver: null,
  solver_recomputes: 0,
  differs: false,
  members,
});
test("ratio rows are sorted or in program order, and unfold below themselves", () => {
  const answer = {
    rows: [
      ratioRow("a", 1),
      ratioRow("b", 3, 2, [ratioRow("b", 3, 1, [], "block.0"), ratioRow("b", 3, 1, [], "block.1")]),
    ],
  } as unknown as RatioAnswer;
  assert.deepEqual(
    shownRows(answer, "ratio", []).map((s) => rowName(s, { kitchen: false, words: en })),
    ["b ×2", "a"],
  );
  assert.deepEqual(
    shownRows(answer, "program", ["b"]).map((s) => rowName(s, { kitchen: false, words: en })),
    ["a", "b ×2", "block.0", "block.1"],
  );
});
