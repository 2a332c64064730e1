"""Every answer of the page's engine is valid by docs/schema/page.schema.json, which is what contract.ts says.

Arguments: the answers, one a line, as same_answers_test.mjs wrote them; the folder of schemas.
"""
import json
import pathlib
import sys

import jsonschema

FILES = ("worktop-plan",)  # answers that are files have readers and tests of their own


def schema_for(answer, defs):
    name = answer.get("format", "").removeprefix("worktop-page-")
    kind = "Failure" if "error" in answer else {"lists": "Lists", "open": "Open"}.get(name, f"{name.title()}Answer")
    return {"$ref": f"#/$defs/{kind}", "$defs": defs}


def main():
    answers, schemas = map(pathlib.Path, sys.argv[1:])
    defs = json.loads((schemas / "page.schema.json").read_text())["$defs"]
    validator = jsonschema.Draft202012Validator
    seen, wrong = set(), 0
    for number, line in enumerate(answers.read_text().splitlines(), 1):
        answer = json.loads(line)
        if answer.get("format") in FILES or "traceEvents" in answer:
            continue
        seen.add(answer.get("format", "error"))
        for error in validator(schema_for(answer, defs)).iter_errors(answer):
            wrong += 1
            print(f"answer {number} ({answer.get('format', 'error')}): {error.json_path}: {error.message[:200]}")
    assert len(seen) == 9, f"answers of every kind are needed, there are {sorted(seen)}"
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
