// The JSON Schema of the answers, from the types of contract.ts: the one says what the other says.
//
//   node schema.mjs            prints it
//   node schema.mjs FILE       fails if FILE says anything else; docs/schema/page.schema.json is that file
//
// Of TypeScript only what the contract uses is understood: interfaces that may extend one other, aliases, unions,
// intersections of objects, literals, arrays, objects, Record of a union of names. Numbers whose name ends in _bytes
// or _ns are whole.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const answers = [
  "Failure",
  "Lists",
  "Open",
  "LedgerAnswer",
  "FrontierAnswer",
  "PlanAnswer",
  "TimelineAnswer",
  "ActivationsAnswer",
  "RatioAnswer",
];

const source = readFileSync(join(here, "../contract.ts"), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
const tokens = source.match(/"[^"]*"|[A-Za-z_]\w*|\d+|[{}()[\]<>|&:;,=?]/g);
let at = 0;
const peek = () => tokens[at];
const next = () => tokens[at++];
function expect(token) {
  const found = next();
  if (found !== token)
    throw new Error(
      `contract.ts: '${token}' expected, found '${found}' after '${tokens.slice(at - 8, at - 1).join(" ")}'`,
    );
}
function accept(token) {
  if (peek() !== token) return false;
  at += 1;
  return true;
}

// {kind: "object", members}, {kind: "union", of}, {kind: "all", of}, {kind: "array", of}, {kind: "name", name}, {kind: "literal", value}
function type() {
  accept("|");
  const of = [intersection()];
  while (accept("|")) of.push(intersection());
  return of.length === 1 ? of[0] : { kind: "union", of };
}
function intersection() {
  const of = [postfix()];
  while (accept("&")) of.push(postfix());
  return of.length === 1 ? of[0] : { kind: "all", of };
}
function postfix() {
  let inner = primary();
  while (accept("[")) {
    expect("]");
    inner = { kind: "array", of: inner };
  }
  return inner;
}
function primary() {
  const token = next();
  if (token === "(") {
    const inner = type();
    expect(")");
    return inner;
  }
  if (token === "{") return { kind: "object", members: members() };
  if (token.startsWith('"')) return { kind: "literal", value: token.slice(1, -1) };
  if (/^\d+$/.test(token)) return { kind: "literal", value: Number(token) };
  if (token === "true" || token === "false") return { kind: "literal", value: token === "true" };
  if (accept("<")) {
    const of = [type()];
    while (accept(",")) of.push(type());
    expect(">");
    return { kind: "generic", name: token, of };
  }
  return { kind: "name", name: token };
}
function members() {
  const list = [];
  while (!accept("}")) {
    const name = next().replaceAll('"', "");
    const optional = accept("?");
    expect(":");
    list.push({ name, optional, type: type() });
    if (!accept(";")) accept(",");
  }
  return list;
}

const types = new Map();
while (at < tokens.length) {
  accept("export");
  const word = next(),
    name = next();
  if (word === "interface") {
    const base = accept("extends") ? next() : null;
    expect("{");
    types.set(name, { kind: "object", base, members: members() });
  } else if (word === "type") {
    expect("=");
    types.set(name, type());
    accept(";");
  } else {
    throw new Error(`contract.ts: neither an interface nor a type: ${word}`);
  }
}

function resolved(node) {
  return node.kind === "name" && types.has(node.name) ? resolved(types.get(node.name)) : node;
}
function allMembers(node) {
  const here_ = resolved(node);
  if (here_.kind === "all") return here_.of.flatMap(allMembers);
  return [...(here_.base ? allMembers({ kind: "name", name: here_.base }) : []), ...here_.members];
}

const needed = new Map();
function refer(name) {
  if (!needed.has(name)) {
    needed.set(name, null);
    needed.set(name, schema(types.get(name), name));
  }
  return { $ref: `#/$defs/${name}` };
}
function objectSchema(list) {
  const properties = {};
  for (const member of list) properties[member.name] = schema(member.type, member.name);
  const required = list.filter((member) => !member.optional).map((member) => member.name);
  return { type: "object", additionalProperties: false, required, properties };
}
function unionSchema(of, name) {
  const literals = of.filter((part) => part.kind === "literal").map((part) => part.value);
  const rest = of.filter((part) => part.kind !== "literal").map((part) => schema(part, name));
  const parts =
    literals.length > 1 ? [{ enum: literals }, ...rest] : [...literals.map((value) => ({ const: value })), ...rest];
  return parts.length === 1 ? parts[0] : { anyOf: parts };
}
function schema(node, name) {
  switch (node.kind) {
    case "object":
    case "all":
      return objectSchema(allMembers(node));
    case "union":
      return unionSchema(node.of, name);
    case "array":
      return { type: "array", items: schema(node.of, name) };
    case "literal":
      return { const: node.value };
    case "generic":
      return objectSchema(
        resolved(node.of[0]).of.map((key) => ({ name: key.value, optional: false, type: node.of[1] })),
      );
    default:
      break;
  }
  if (types.has(node.name)) return refer(node.name);
  if (node.name === "number") return { type: /^(?!.*_per_).*_(bytes|ns)$/.test(name ?? "") ? "integer" : "number" };
  return { type: node.name };
}

const anyOf = answers.map(refer);
const text = `${JSON.stringify(
  {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "page.schema.json",
    title: "The answers of the page's engine: written from apps/page/contract.ts by apps/page/test/schema.mjs",
    anyOf,
    $defs: Object.fromEntries([...needed].sort(([a], [b]) => (a < b ? -1 : 1))),
  },
  null,
  1,
)}\n`;

const file = process.argv[2];
if (!file) {
  process.stdout.write(text);
} else if (readFileSync(file, "utf8") !== text) {
  console.error(
    `${file} does not say what contract.ts says: node apps/page/test/schema.mjs > docs/schema/page.schema.json`,
  );
  process.exit(1);
}
