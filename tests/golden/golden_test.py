#!/usr/bin/env python3
"""Plans of four named models stay byte for byte what they were. A change that means to change them renews them:

    cmake --build build/dev --target worktop
    WORKTOP=build/dev/apps/cli/worktop tests/golden/golden_test.py --renew

Stored is the answer without the plan's long lists, and a hash of the whole answer.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
REQUESTS = {
    "gpt-2-124m": "gpt-2-124m --machine rtx-5060-ti --batch 8 --seq 1024 --precision bf16-mixed --budget 8GiB",
    "llama-3.2-1b": "llama-3.2-1b --machine l4-24gb --batch 4 --seq 2048 --optimizer adamw8bit --host 32GiB",
    "qwen3-0.6b": "qwen3-0.6b --machine rtx-3090 --batch 4 --seq 2048 --cross-entropy chunked --budget 9GiB",
    "llama-3-8b-lora": "llama-3-8b --machine rtx-4090 --batch 2 --seq 4096 --lora-rank 16 --cross-entropy chunked",
}


def answer_text(request):
    done = subprocess.run([os.environ["WORKTOP"], "plan", *request.split(), "--effort", "quick", "--json", "-q"],
                          capture_output=True, timeout=600, check=True)
    return done.stdout


def compact(text):
    answer = json.loads(text)
    plan = answer["plan"]
    answer["plan"] = {"made_by": plan["made_by"], "graph_hash": plan["graph_hash"],
                      "fates": {fate: len(names) for fate, names in plan["fates"].items()},
                      "boundaries_with_actions": len(plan["actions"])}
    answer["at_peak"]["groups"] = answer["at_peak"]["groups"][:5]
    answer["sha256"] = hashlib.sha256(text).hexdigest()
    return json.dumps(answer, indent=1) + "\n"


class Golden(unittest.TestCase):
    maxDiff = None

    def test_plans_are_what_they_were(self):
        for name, request in REQUESTS.items():
            with self.subTest(name=name):
                self.assertEqual(compact(answer_text(request)), (HERE / f"{name}.json").read_text(),
                                 "if this is meant, renew it: see the top of this file")


if __name__ == "__main__":
    if "--renew" in sys.argv:
        for model, asked in REQUESTS.items():
            (HERE / f"{model}.json").write_text(compact(answer_text(asked)))
            print("renewed", model)
    else:
        unittest.main()
