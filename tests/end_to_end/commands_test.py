"""Every command, its exit codes, and what its answers promise."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

from program import PROGRAM, Case


class Plan(Case):
    def test_fits_and_its_numbers_agree(self):
        answer = self.answer("plan", *self.request)
        self.assertEqual(sum(answer["residents"].values()), answer["peak_bytes"])
        self.assertLessEqual(answer["peak_bytes"], answer["budget"]["budget_bytes"])
        self.assertGreaterEqual(answer["step_ns"], answer["bound_ns"])
        self.assertLessEqual(answer["least_possible_bytes"], answer["least_feasible_bytes"])
        self.assertIn("keep_all", [s["name"] for s in answer["strategies"]])
        # On a card of 22 GiB everything stays, and nothing is faster than that.
        self.assertEqual(answer["step_ns"], answer["keep_all_step_ns"])
        self.assertEqual(answer["gap"], 0)

    def test_a_budget_is_kept(self):
        everything = self.answer("plan", *self.request)
        between = (everything["keep_all_peak_bytes"] + everything["least_feasible_bytes"]) // 2
        answer = self.answer("plan", *self.request, "--budget", f"{between}B")
        self.assertEqual(answer["budget"]["budget_bytes"], between)
        self.assertTrue(answer["budget"]["asked"])
        self.assertLessEqual(answer["peak_bytes"], between)
        fitting = [s["step_ns"] for s in answer["strategies"] if s["fits"]]
        self.assertLessEqual(answer["step_ns"], min(fitting, default=answer["step_ns"]))

    def test_sizes_in_every_spelling(self):
        usable = self.answer("plan", *self.request)["budget"]["usable_bytes"]
        for text, size in {"1GiB": 2**30, "1GB": 10**9, "1073741824B": 2**30, "50%": usable // 2}.items():
            budget = self.answer("plan", *self.request, "--budget", text)["budget"]["budget_bytes"]
            self.assertEqual(budget, size, text)

    def test_infeasible_is_an_answer(self):
        answer = self.answer("plan", *self.request, "--budget", "1MiB", code=3)
        for key in ("peak_bytes", "step_ns", "tokens_per_s", "gap", "price_ns_per_gib", "residents", "plan", "best"):
            self.assertIsNone(answer[key], key)
        self.assertGreater(answer["least_feasible_bytes"], 2**20)
        self.assertTrue(answer["changes"])
        text = self.text("plan", *self.request, "--budget", "1MiB", code=3)
        self.assertTrue(text.startswith("Does not fit: "), text)

    def test_goals_and_limits(self):
        fastest = self.answer("plan", *self.request)
        leanest = self.answer("plan", *self.request, "--minimize", "peak")
        self.assertLess(leanest["peak_bytes"], fastest["peak_bytes"])
        limit = (fastest["step_ns"] + leanest["step_ns"]) // 2
        between = self.answer("plan", *self.request, "--minimize", "peak", "--time-limit", f"{limit}ns")
        self.assertLessEqual(between["step_ns"], limit)
        cheapest = self.answer("plan", *self.request, "--minimize", "cost", "--lambda", "0.9,0.1,0.1")
        self.assertLessEqual(cheapest["best"]["cost"], min(s["cost"] for s in cheapest["strategies"] if s["fits"]))
        self.answer("plan", *self.request, "--time-limit", "1ns", code=3)

    def test_a_host_tier_is_used_only_when_given(self):
        self.assertEqual(self.answer("plan", *self.request)["budget"]["host_bytes"], None)
        with_host = self.answer("plan", *self.request, "--host", "1GiB", "--disk", "1GiB")
        self.assertEqual(with_host["budget"]["host_bytes"], 2**30)
        self.assertIn("offload_all", [s["name"] for s in with_host["strategies"]])

    def test_largest_batch_and_sequence(self):
        request = ["tiny/config.json", "--machine", "l4-24gb", "--seq", "256", "--effort", "quick", "--budget", "64MiB"]
        found = self.answer("plan", *request, "--max", "batch")
        self.assertEqual(found["largest"]["of"], "batch")
        self.assertGreater(found["largest"]["value"], 1)
        self.assertLessEqual(found["peak_bytes"], 64 * 2**20)
        self.answer("plan", *request, "--batch", found["largest"]["value"])
        self.assertEqual(self.answer("plan", *request, "--max", "seq")["largest"]["of"], "seq")
        nothing = self.answer("plan", *request[:-1], "1MiB", "--max", "batch", code=3)
        self.assertEqual(nothing["largest"]["value"], 0)

    def test_a_strategy_by_name(self):
        answer = self.answer("plan", *self.request, "--as", "checkpoint_every(1)")
        listed = next(s for s in answer["strategies"] if s["name"] == "checkpoint_every(1)")
        self.assertEqual(answer["peak_bytes"], listed["peak_bytes"])
        self.assertEqual(answer["step_ns"], listed["step_ns"])
        self.assertEqual(answer["plan"]["made_by"], "checkpoint_every(1)")
        self.assertIn("checkpoint", self.refusal("plan", *self.request, "--as", "chekpoint")["hint"])
        too_large = self.answer("plan", *self.request, "--as", "keep_all", "--budget", "1MiB", code=3)
        self.assertFalse(too_large["best"]["fits"])

    def test_models_by_name_and_folder(self):
        by_name = self.answer("plan", "gpt-2-124m", "--machine", "l4-24gb", "--effort", "quick")
        self.assertEqual(by_name["graph"], "gpt-2-124m")
        by_folder = self.answer("plan", "tiny", *self.request[1:])
        self.assertEqual(by_folder, self.answer("plan", *self.request))


class PlanFiles(Case):
    def test_out_explain_simulate_trace(self):
        answer = self.answer("plan", *self.request, "--minimize", "peak", "--out", "plan.json")
        self.assertEqual(json.loads((self.folder / "plan.json").read_text()), answer["plan"])
        self.assertEqual([p.name for p in self.folder.glob("plan.json*")], ["plan.json"])
        simulated = self.answer("simulate", "plan.json", "--trace", "trace.json")
        self.assertEqual(simulated["peak_bytes"], answer["peak_bytes"])
        self.assertEqual(simulated["step_ns"], answer["step_ns"])
        trace = json.loads((self.folder / "trace.json").read_text())
        self.assertTrue(trace["traceEvents"])
        explained = self.answer("explain", "plan.json")
        self.assertEqual(explained["peak_bytes"], answer["peak_bytes"])
        self.assertEqual(explained["residents"], answer["residents"])
        self.assertEqual(sum(g["bytes"] for g in explained["at_peak"]), answer["peak_bytes"])
        self.assertTrue(explained["reasons"])
        self.assertNotIn("because", self.text("explain", "plan.json", "--at", "peak"))

    def test_explain_and_simulate_a_model(self):
        self.assertEqual(self.answer("simulate", *self.request, "--as", "keep_all")["recomputes"], 0)
        self.assertGreater(self.answer("simulate", *self.request, "--as", "recompute_all")["recomputes"], 0)
        self.assertEqual(self.answer("explain", *self.request)["peak_bytes"],
                         self.answer("plan", *self.request)["peak_bytes"])
        self.assertEqual(self.refusal("explain", *self.request, "--budget", "1MiB", code=3)["code"], "infeasible")

    def test_a_graph_file_is_planned(self):
        self.run_program("plan", *self.request, "--out", "plan.json")
        plan = json.loads((self.folder / "plan.json").read_text())
        graph = {"format": "worktop-graph", "version": 1, "graph": plan["graph"], "durations_ns": plan["durations_ns"]}
        self.write("graph.json", json.dumps(graph))
        answer = self.answer("plan", "graph.json", "--machine", "l4-24gb", "--effort", "quick")
        self.assertEqual(answer["plan"]["graph_hash"], plan["graph_hash"])
        self.assertIn("--batch", self.refusal("plan", "graph.json", "--machine", "l4-24gb", "--batch", "2")["where"])
        # A plan without its luggage needs it from elsewhere.
        for key in ("graph", "machine", "durations_ns"):
            del plan[key]
        self.write("bare.json", json.dumps(plan))
        self.refusal("simulate", "bare.json")
        self.answer("simulate", "bare.json", "--graph", "graph.json", "--machine", "l4-24gb")

    def test_a_plan_is_certified_or_the_build_cannot(self):
        request = [*self.request, "--budget", "9MiB"]
        self.assertNotIn("certificate", self.answer("plan", *request))
        for more in (["--as", "keep_all"], ["--max", "batch"], ["--minimize", "peak"], ["--host", "1GiB"]):
            self.assertIn("--certify", self.refusal("plan", *request, "--certify", "3", *more)["where"])
        self.refusal("plan", *request, "--certify", "never")
        done = subprocess.run([PROGRAM, "plan", *request, "--certify", "3", "--json"], cwd=self.folder,
                              capture_output=True, timeout=300)
        if done.returncode == 5:
            self.skipTest("this build has no HiGHS")
        # Three seconds may be too few for a proof, never for a bound.
        answer = json.loads(done.stdout)
        certificate = answer["certificate"]
        self.assertGreaterEqual(certificate["bound_ns"], answer["bound_ns"])
        self.assertLessEqual(certificate["bound_ns"], answer["step_ns"])
        self.assertEqual(certificate["optimal"], certificate["bound_ns"] == answer["step_ns"])
        self.assertIn("nothing to certify", self.text("plan", *self.request, "--certify", "3"))

    def test_an_illegal_plan_is_refused(self):
        self.run_program("plan", *self.request, "--as", "checkpoint_every(1)", "--out", "plan.json")
        plan = json.loads((self.folder / "plan.json").read_text())
        del plan["actions"][-1]["do"][0]
        plan["actions"] = plan["actions"][:2]
        self.write("broken.json", json.dumps(plan))
        self.assertEqual(self.refusal("simulate", "broken.json", code=4)["code"], "illegal")

    def test_nothing_is_left_behind(self):
        self.assertEqual(self.refusal("plan", *self.request, "--out", "no/such/folder/plan.json", code=5)["code"],
                         "environment")
        self.refusal("plan", *self.request, "--out", ".", code=5)
        if pathlib.Path("/dev/full").exists():
            self.refusal("plan", *self.request, "--out", "/dev/full", code=5)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["tiny"])

    def test_what_was_there_stays_when_nothing_fits(self):
        self.write("plan.json", "mine")
        self.run_program("plan", *self.request, "--budget", "1MiB", "--out", "plan.json", code=3)
        self.assertEqual((self.folder / "plan.json").read_text(), "mine")


class Others(Case):
    def test_frontier_falls(self):
        answer = self.answer("frontier", *self.request, "--points", "6")
        points = answer["points"]
        for lean, fast in zip(points, points[1:]):
            self.assertLess(lean["peak_bytes"], fast["peak_bytes"])
            self.assertGreater(lean["step_ns"], fast["step_ns"])
        self.assertIsNone(points[-1]["price_ns_per_gib"])
        names = [p["name"] for p in points]
        for pick in answer["picks"].values():
            self.assertIn(pick, names)

    def test_compare_lists_every_strategy(self):
        planned = self.answer("plan", *self.request)
        compared = self.answer("compare", *self.request)
        self.assertEqual(compared["strategies"], planned["strategies"])

    def test_ledger_of_the_kitchen(self):
        kitchen = ["ledger", "--layers", "100", "--activation", "3GB", "--base", "12GB", "--forward", "120s",
                   "--bandwidth", "50GB/s", "--segments", "10"]
        answer = self.answer(*kitchen, "--lambda", "0.3")
        self.assertEqual({r["name"]: r["cost"] for r in answer["rows"]},
                         {"keep_all": 93.6, "checkpoint": 88.2, "recompute_all": 87.6, "offload_all": 7.8})
        self.assertEqual(answer["best"], "offload_all")
        # 108 s of checkpoint are more than 100; 6 s of offload are not.
        limited = self.answer(*kitchen, "--lambda", "0.3", "--time-limit", "100s")
        self.assertEqual([r["name"] for r in limited["rows"] if r["fits"]], ["keep_all", "offload_all"])
        hybrid = self.answer(*kitchen, "--lambda", "0.3", "--beta", "0.5", "--compete", "all")
        self.assertEqual(len(hybrid["rows"]), 5)
        self.assertEqual(self.answer(*kitchen, "--memory-limit", "5GB", code=3)["best"], None)
        best = [o if o != "10" else "best" for o in kitchen]
        self.assertEqual(self.answer(*best, "--lambda", "0.5")["segments"], 100)

    def test_machines_and_models(self):
        machines = self.answer("machines")["machines"]
        self.assertEqual(len(machines), 36)
        one = self.answer("machines", "rtx-4090")
        self.assertEqual(one["name"], "rtx-4090-24gb")
        self.assertIn(one, machines)
        # What it prints is a machine file.
        self.write("mine.json", json.dumps(one))
        self.assertEqual(self.answer("machines", "mine.json"), one)
        models = self.answer("models")["models"]
        self.assertEqual(len(models), 79)
        self.assertEqual(self.answer("models", "llama-3-8b")["models"][0]["parameters"], 8030261248)
        for model in models:
            if model["can_be_planned"]:
                self.assertEqual(model["architecture"], "decoder")

    def test_help_is_narrow_and_names_every_command(self):
        for command in ("plan", "frontier", "compare", "explain", "ledger", "simulate", "machines", "models"):
            self.assertIn(f"\n  {command} ", self.text("--help"))
            for line in self.text(command, "--help").splitlines():
                self.assertLessEqual(len(line), 80, f"{command}: {line}")

    def test_text_is_narrow_and_plain(self):
        for arguments in (["plan", *self.request, "--host", "1GiB"], ["plan", *self.request, "--budget", "1MiB"],
                          ["compare", *self.request, "--host", "1GiB"], ["frontier", *self.request, "--points", "5"],
                          ["explain", *self.request], ["simulate", *self.request], ["machines"], ["models"],
                          ["machines", "b200"]):
            text = self.text(*arguments, code=3 if "1MiB" in arguments else 0)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, f"{arguments[0]}: {line}")
            self.assertTrue(text.isascii(), arguments)
            self.assertNotIn("\x1b", text)

    def test_handed_over_commands_say_what_is_missing(self):
        alone = self.folder / "alone"  # away from the package of its build
        shutil.copy(PROGRAM, alone)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run([alone, "run", "train.py", "--json"], cwd=self.folder, env=environment,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 5)
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "environment")


class Interrupts(Case):
    def test_end_the_search_with_the_best_so_far(self):
        arguments = ["plan", "llama-3-8b", "--lora-rank", "16", "--cross-entropy", "chunked", "--machine", "rtx-4090",
                     "--batch", "2", "--seq", "4096", "--effort", "deep", "--json"]
        with subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            self.assertIn(b" of ", program.stderr.readline())  # progress: the search is under way
            program.send_signal(signal.SIGINT)
            out, _ = program.communicate(timeout=300)
        self.assertEqual(program.returncode, 0)
        answer = json.loads(out)
        self.assertTrue(answer["stopped"])
        self.assertLessEqual(answer["peak_bytes"], answer["budget"]["budget_bytes"])


class SameBytes(Case):
    def test_whatever_the_threads(self):
        for command in (["plan"], ["frontier", "--points", "5"], ["compare"]):
            once = self.text(*command, *self.request, "--host", "1GiB", "--threads", "1", "--json")
            for threads in ("1", "2", "5"):
                again = self.text(*command, *self.request, "--host", "1GiB", "--threads", threads, "--json")
                self.assertEqual(once, again, command)


if __name__ == "__main__":
    unittest.main()
