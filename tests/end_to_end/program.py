"""Runs the program as a user would. WORKTOP names it."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["WORKTOP"]

# Two layers, so that everything is quick.
TINY = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 128, "intermediate_size": 256,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 512,
    "max_position_embeddings": 512, "tie_word_embeddings": False, "hidden_act": "silu",
}


class Case(unittest.TestCase):
    """A folder of its own, with tiny/config.json in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tiny").mkdir()
        self.write("tiny/config.json", json.dumps(TINY))
        self.request = ["tiny/config.json", "--machine", "l4-24gb", "--batch", "2", "--seq", "256", "--effort", "quick"]

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def run_program(self, *arguments, code=0, **more):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, timeout=300,
                              **more)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout.decode()}\n{done.stderr.decode()}")
        return done

    def text(self, *arguments, code=0):
        return self.run_program(*arguments, code=code).stdout.decode()

    def answer(self, *arguments, code=0):
        """The one JSON object on stdout."""
        return json.loads(self.text(*arguments, "--json", code=code))

    def refusal(self, *arguments, code=2):
        """The error, which must say what, where and what to do, as text and as JSON."""
        plain = self.run_program(*arguments, code=code)
        self.assertEqual(plain.stdout, b"")
        self.assertIn(b"error: ", plain.stderr)
        error = self.answer(*arguments, code=code)["error"]
        for key in ("what", "where", "hint"):
            self.assertTrue(error[key], error)
        return error
