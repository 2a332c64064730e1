"""Real answers keep to the JSON Schemas of docs/schema."""
import json
import unittest

import jsonschema
import referencing

from program import REPOSITORY, Case

SCHEMAS = {p.name: json.loads(p.read_text()) for p in (REPOSITORY / "docs/schema").glob("*.schema.json")}
REGISTRY = referencing.Registry().with_resources(
    (name, referencing.Resource.from_contents(schema)) for name, schema in SCHEMAS.items())


class Answers(Case):
    def keeps_to(self, name, answer):
        schema = SCHEMAS[f"{name}.schema.json"]
        jsonschema.Draft202012Validator(schema, registry=REGISTRY).validate(answer)

    def breaks(self, name, answer):
        with self.assertRaises(jsonschema.ValidationError):
            self.keeps_to(name, answer)

    def test_schemas_are_schemas(self):
        for schema in SCHEMAS.values():
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_plan(self):
        answer = self.answer("plan", *self.request, "--host", "1GiB")
        self.keeps_to("plan", answer)
        self.keeps_to("plan", self.answer("plan", *self.request, "--budget", "1MiB", code=3))
        self.keeps_to("plan", self.answer("plan", *self.request, "--max", "batch", "--budget", "64MiB"))
        self.keeps_to("plan", self.answer("plan", *self.request, "--as", "checkpoint(2)"))
        self.breaks("plan", {**answer, "peak_bytes": -1})  # and the schema bites
        self.breaks("plan", {k: v for k, v in answer.items() if k != "gap"})
        self.breaks("plan", {**answer, "surprise": 1})

    def test_the_others(self):
        self.keeps_to("compare", self.answer("compare", *self.request))
        self.keeps_to("compare", self.answer("compare", *self.request, "--budget", "1MiB", code=3))
        self.keeps_to("frontier", self.answer("frontier", *self.request, "--points", "4", "--host", "1GiB"))
        self.keeps_to("explain", self.answer("explain", *self.request, "--as", "checkpoint(2)"))
        self.keeps_to("explain", self.answer("explain", *self.request, "--as", "offload_all", "--host", "1GiB"))
        self.keeps_to("simulate", self.answer("simulate", *self.request, "--as", "offload_all", "--host", "1GiB"))
        self.keeps_to("models", self.answer("models"))
        self.keeps_to("machines", self.answer("machines"))
        self.keeps_to("machine", self.answer("machines", "h100-sxm-80gb"))
        kitchen = ["--layers", "100", "--activation", "3GB", "--forward", "120s", "--bandwidth", "2GB/s"]
        self.keeps_to("ledger", self.answer("ledger", *kitchen))
        self.keeps_to("ledger", self.answer("ledger", *kitchen, "--beta", "0.5", "--compete", "all"))

    def test_errors(self):
        for arguments, code in [(["plna"], 2), (["plan", "missing.json", "--machine", "l4-24gb"], 5),
                                (["explain", *self.request, "--budget", "1MiB"], 3)]:
            self.keeps_to("error", self.answer(*arguments, code=code))

    def test_files_of_the_repository(self):
        for path in (REPOSITORY / "data/machines").glob("*.json"):
            self.keeps_to("machine", json.loads(path.read_text()))


if __name__ == "__main__":
    unittest.main()
