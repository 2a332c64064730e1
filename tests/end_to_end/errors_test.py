"""What a user mistypes, and files that are broken or hostile: an error that says what, where and what to do."""
import json
import os
import unittest

from program import TINY, Case


class Usage(Case):
    def test_the_nearest_is_offered(self):
        self.assertIn("'plan'", self.refusal("plna")["hint"])
        self.assertIn("--budget", self.refusal("plan", *self.request, "--bugdet", "1GiB")["hint"])
        self.assertIn("llama-3-8b", self.refusal("plan", "lama-3-8b", "--machine", "l4-24gb")["hint"])
        self.assertIn("rtx-4090-24gb", self.refusal("plan", "tiny", "--machine", "rtx-4O90-24gb")["hint"])
        self.assertIn("bf16-mixed", self.refusal("plan", *self.request, "--precision", "bf16-mixd")["hint"])
        self.assertIn("adamw8bit", self.refusal("plan", *self.request, "--optimizer", "adam8bit")["hint"])
        self.assertIn("checkpoint", self.refusal("ledger", "--layers", "1", "--activation", "1GB", "--forward", "1s",
                                                 "--bandwidth", "1GB/s", "--compete", "chekpoint")["hint"])

    def test_what_is_ambiguous_is_not_guessed(self):
        self.assertIn("rtx-4090", self.refusal("plan", "tiny", "--machine", "rtx")["hint"])
        self.assertIn("llama", self.refusal("plan", "llama", "--machine", "l4-24gb")["hint"])

    def test_values_that_make_no_sense(self):
        for option, value in [("--budget", "-1GiB"), ("--budget", "20G"), ("--budget", "20"), ("--budget", "101%"),
                              ("--budget", "nan"), ("--budget", "1e300GiB"), ("--time-limit", "5"),
                              ("--batch", "0"), ("--batch", "-3"), ("--batch", "1.5"), ("--batch", "99999999999999"),
                              ("--seq", "many"), ("--lambda", "2"), ("--lambda", "0.5"), ("--minimize", "money"),
                              ("--effort", "enormous"), ("--seed", "-1"), ("--threads", "0"), ("--dropout", "nan"),
                              ("--tied", "perhaps"), ("--lora-rank", "0"), ("--lora-modules", "nothing"),
                              ("--max", "layers"), ("--as", "nonsense"), ("--host", "10%"),
                              ("--machine", "no-such-machine"), ("--budget", "1PiB")]:
            arguments = [a for a in self.request]
            if option in arguments:
                arguments[arguments.index(option) + 1] = value
            else:
                arguments += [option, value]
            with self.subTest(option=option, value=value):
                self.refusal("plan", *arguments)

    def test_missing_arguments(self):
        self.refusal()
        self.refusal("plan")
        self.refusal("plan", "tiny")
        self.refusal("plan", *self.request, "--budget")
        self.refusal("plan", *self.request, "another")
        self.refusal("ledger", "--layers", "3")

    def test_a_model_known_by_figures_only(self):
        self.assertIn("figures", self.refusal("plan", "mixtral-8x7b", "--machine", "l4-24gb")["what"])


class Files(Case):
    def test_missing_folders_and_garbage(self):
        self.refusal("plan", "missing.json", "--machine", "l4-24gb", code=5)
        self.refusal("plan", "./missing/config.json", "--machine", "l4-24gb", code=5)
        os.mkdir(self.folder / "empty")
        self.refusal("plan", "./empty", "--machine", "l4-24gb")
        self.refusal("plan", "tiny", "--machine", "./empty")
        for name, text in {
            "nothing.json": "", "space.json": " \n", "cut.json": json.dumps(TINY)[:-30], "binary.json": bytes(range(256)) * 64,
            "zeros.json": b"\0" * 4096, "utf16.json": json.dumps(TINY).encode("utf-16"), "list.json": "[1, 2]",
            "number.json": "12", "deep.json": "[" * 100_000, "deep_object.json": '{"a":' * 50_000,
            "twice.json": '{"format": "worktop-graph", "format": "worktop-graph"}', "nan.json": '{"hidden_size": NaN}',
            "infinite.json": '{"hidden_size": 1e999}', "trailing.json": json.dumps(TINY) + "}",
            "long_name.json": '{"architectures": ["' + "x" * 1_000_000 + '"]}',
        }.items():
            with self.subTest(name=name):
                self.write(name, text)
                for command in ("plan", "explain", "simulate"):
                    error = self.refusal(command, name, "--machine", "l4-24gb")
                    self.assertEqual(error["code"], "input", error)
                    self.assertTrue(error["where"].startswith(name), error)
                self.refusal("machines", name)

    def test_configurations_out_of_range(self):
        for key, value in [("hidden_size", 0), ("hidden_size", -128), ("hidden_size", 2**62), ("hidden_size", "128"),
                           ("num_hidden_layers", 10**9), ("num_hidden_layers", 10**30), ("num_hidden_layers", 2.5),
                           ("num_attention_heads", 3), ("num_key_value_heads", 3), ("vocab_size", 2**40),
                           ("vocab_size", None), ("intermediate_size", 2**53), ("hidden_act", "softsign"),
                           ("architectures", ["ResNetForImageClassification"]), ("architectures", "Llama"),
                           ("max_position_embeddings", -1)]:
            with self.subTest(key=key, value=value):
                self.write("config.json", json.dumps({**TINY, key: value}))
                self.refusal("plan", "config.json", "--machine", "l4-24gb")

    def test_unknown_architectures_are_named(self):
        self.write("config.json", json.dumps({**TINY, "architectures": ["LamaForCausalLM"], "model_type": "lama"}))
        error = self.refusal("plan", "config.json", "--machine", "l4-24gb")
        self.assertIn("LamaForCausalLM", error["what"])
        self.assertIn("LlamaForCausalLM", error["what"] + error["hint"])

    def test_machines_out_of_range(self):
        machine = self.answer("machines", "l4-24gb")
        for key, value in [("usable_bytes", 0), ("usable_bytes", -1), ("usable_bytes", 2**63), ("margin", 1.0),
                           ("margin", -0.5), ("name", "Not A Slug"), ("memory_efficiency", 2),
                           ("context_bytes", 2**50), ("vector_flops_per_s", 0), ("format", "worktop-mashine"),
                           ("version", 99), ("surprise", 1), ("links", [{"from": "device", "to": "moon"}])]:
            with self.subTest(key=key, value=value):
                self.write("machine.json", json.dumps({**machine, key: value}))
                error = self.refusal("plan", "tiny", "--machine", "machine.json")
                self.assertTrue(error["where"].startswith("machine.json"), error)

    def test_hostile_graphs(self):
        def graph(values, ops):
            return {"format": "worktop-graph", "version": 1,
                    "graph": {"name": "toy", "origin": "trace", "micro_steps": 1, "tokens_per_step": 0,
                              "triggers": "every", "storages": len(values), "blocks": [], "values": values, "ops": ops},
                    "durations_ns": [1] * len(ops)}
        value = {"name": "x", "kind": "activation", "bytes": 8, "storage": 0, "holdable": True}
        op = {"name": "f", "kind": "f", "phase": "forward", "engine": "vector", "dtype": "fp32", "reads": [], "writes": [0]}
        for name, file in {
            "reads before it is written": graph([value], [{**op, "reads": [0]}]),
            "no such value": graph([value], [{**op, "writes": [7]}]),
            "negative value": graph([value], [{**op, "writes": [-1]}]),
            "two of one name": graph([value, value], [op]),
            "negative bytes": graph([{**value, "bytes": -8}], [op]),
            "too many bytes": graph([{**value, "bytes": 2**60}], [op]),
            "written twice": graph([value], [op, {**op, "name": "g"}]),
            "storages": {**graph([value], [op]), "graph": {**graph([value], [op])["graph"], "storages": 2**31}},
            "unknown format": {"format": "worktop-grpah"},
            "future": {**graph([value], [op]), "version": 2},
        }.items():
            with self.subTest(name=name):
                self.write("graph.json", json.dumps(file))
                self.assertTrue(self.refusal("plan", "graph.json", "--machine", "l4-24gb")["where"].startswith("graph.json"))

    def test_names_cannot_command_the_terminal(self):
        self.write("evil.json", json.dumps({**TINY, "architectures": ["\x1b[2Jboo"], "model_type": "\x1b[31m"}))
        done = self.run_program("plan", "evil.json", "--machine", "l4-24gb", code=2)
        self.assertNotIn(b"\x1b", done.stderr)

    def test_memory_stays_within_a_few_times_the_file(self):
        import resource
        self.write("wide.json", '{"format": "worktop-graph", "version": 1, "x": [' + "0," * 4_000_000 + "0]}")  # 8 MB
        limit = 512 << 20
        done = self.run_program("plan", "wide.json", "--machine", "l4-24gb", code=2,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertIn(b"error: ", done.stderr)

    def test_a_full_stdout_is_noticed(self):
        if os.path.exists("/dev/full"):
            import subprocess
            from program import PROGRAM
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, "machines"], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 5)


if __name__ == "__main__":
    unittest.main()
