"""worktop._core: every number here is derived by hand (tiny.py, the kitchen) or comes from the command line."""
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
import tiny
import worktop


def command_line(folder, *arguments):
    """What the program prints for the same graph and machine."""
    (folder / "graph.json").write_text(tiny.GRAPH)
    (folder / "machine.json").write_text(worktop.machine_json(tiny.machine()))
    done = subprocess.run(
        [os.environ["WORKTOP"], arguments[0], "graph.json", "--machine", "machine.json", *arguments[1:]],
        cwd=folder, capture_output=True, timeout=60, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---------------------------------------------------------------- graphs

def test_a_graph_is_read_and_written():
    graph, durations = worktop.read_graph(tiny.GRAPH)
    assert (graph.name, graph.op_count, graph.value_count, durations) == ("toy", 5, 5, [4, 2, 6, 3, 5])
    assert [graph.op_name(i) for i in range(5)] == ["f", "g", "h", "h.grad", "g.grad"]
    assert [graph.value_bytes(i) for i in range(5)] == [8, 8, 2, 1, 1]
    # Backward reads a, b and c; a is made of nothing, b of a, c of b.
    assert [graph.decidable(i) for i in range(5)] == [True, True, True, False, False]
    assert [graph.recomputable(i) for i in range(3)] == [True, True, True]
    assert [graph.producer(i) for i in range(5)] == [0, 1, 2, 3, 4]
    again, same = worktop.read_graph(worktop.write_graph(graph, durations))
    assert (again.hash, same) == (graph.hash, durations)
    assert worktop.read_graph(worktop.write_graph(graph))[1] is None
    with pytest.raises(IndexError):
        graph.op_name(5)
    with pytest.raises(IndexError):
        graph.value_name(-1)


def test_graphs_and_plans_travel_in_capsules():
    subject = tiny.subject()
    graph = worktop.Graph.from_capsule(subject.graph.capsule())
    plan = worktop.Plan.from_capsule(subject.lower("keep_all").capsule())
    del subject  # the capsules own what they carry
    assert graph.op_name(4) == "g.grad" and plan.made_by == "keep_all" and plan.graph_hash == graph.hash
    with pytest.raises(worktop.InputError, match="worktop.graph, not worktop.plan"):
        worktop.Plan.from_capsule(graph.capsule())


# ---------------------------------------------------------------- machines

def test_machines_by_name_and_from_files():
    card = worktop.machine("rtx-4090", host_bytes=64 * 2**30)
    assert card.name == "rtx-4090-24gb" and card.host_bytes == 64 * 2**30 and card.disk_bytes is None
    assert worktop.machine_json(worktop.read_machine(worktop.machine_json(card))) == worktop.machine_json(card)
    assert card.with_tiers(disk_bytes=5).host_bytes is None
    with pytest.raises(ValueError, match="is not known"):
        worktop.machine("abacus")


def test_a_cpu_has_a_disk_and_no_host():
    here = tiny.machine()
    assert (here.kind, here.usable_bytes, here.disk_bytes, here.host_bytes) == ("cpu", 100, 100, None)
    assert tiny.machine(None).disk_bytes is None
    with pytest.raises(worktop.InputError):
        worktop.cpu_machine(
            "Not A Slug", usable_bytes=0, disk_bytes=None, out_bytes_per_s=-1, in_bytes_per_s=1,
            both_out_bytes_per_s=1, both_in_bytes_per_s=1, latency_ns=0, compute_slowdown=0, matmul_flops_per_s=1,
            vector_flops_per_s=1, memory_bandwidth_bytes_per_s=1)


# ---------------------------------------------------------------- simulating

def test_keep_all_is_simulated():
    subject = tiny.subject()
    plan = subject.lower("keep_all")
    played = subject.simulate(plan)
    assert plan.fates == ["keep"] * 5
    assert played.runs == [(0, False, 0, 4, 8), (1, False, 4, 6, 16), (2, False, 6, 12, 18), (3, False, 12, 15, 19),
                           (4, False, 15, 20, 10)]
    assert (played.peak_bytes, played.peak_op, played.step_ns) == (19, "h.grad", 20)
    assert (played.recompute_ns, played.stalled_ns, played.link_busy_ns) == (0, 0, 0)
    names = [event.get("name") for event in json.loads(played.trace_json())["traceEvents"]]
    assert "h.grad" in names


def test_a_policy_makes_a_again():
    subject = tiny.subject()
    policy = {"format": "worktop-policy", "version": 1, "name": "a again",
              "rules": [{"value": "a", "fate": "recompute"}]}
    plan = subject.lower(json.dumps(policy))
    played = subject.simulate(plan)
    assert plan.made_by == "a again" and plan.fates[0] == "recompute"
    # a goes with g; f again at 15 beside gb: 9 B, then g.grad as ever.
    assert played.runs[2:] == [(2, False, 6, 12, 10), (3, False, 12, 15, 11), (0, True, 15, 19, 9),
                               (4, False, 19, 24, 10)]
    assert (played.peak_bytes, played.peak_op, played.step_ns, played.recompute_ns) == (16, "g", 24, 4)
    # As a policy it means the same on the graph again.
    assert subject.lower(subject.policy_json(plan)).fates == plan.fates


# a leaves while h runs and is wanted back at once: compute waits 2 ns for the way out and 8 for the way back.
#
#   time     0    4  6      12 14     17        25    30
#   compute  f----g--h------~~-h.grad-~~~~~~~~~-g.grad|
#   out      .........xxxxxxxxx.......................
#   in       .........................xxxxxxxxx.......
#   device   8    16 18        11                10
def test_a_plan_file_sends_a_to_the_disk():
    subject = tiny.subject()
    text = json.dumps({
        "format": "worktop-plan", "version": 1, "made_by": "hand", "graph_hash": subject.graph.hash,
        "fates": {"offload_disk": ["a"]},
        "actions": [
            {"before": "h", "do": [["copy_out", "a", "device", "disk"]]},
            {"before": "h.grad", "do": [["release", "a", "device"], ["drop", "b", "device"], ["drop", "c", "device"]]},
            {"before": "g.grad", "do": [["copy_in", "a", "disk", "device"]]}]})
    file = worktop.read_plan(text, graph=subject.graph, machine=subject.machine)
    played = subject.simulate(file.plan)
    assert file.durations_ns is None and file.plan.fates[0] == "offload_disk"
    assert played.runs == [(0, False, 0, 4, 8), (1, False, 4, 6, 16), (2, False, 6, 12, 18), (3, False, 14, 17, 11),
                           (4, False, 25, 30, 10)]
    assert played.copies == [(0, "device", "disk", 6, 6, 14), (0, "disk", "device", 17, 17, 25)]
    assert (played.peak_bytes, played.host_peak_bytes, played.disk_peak_bytes, played.step_ns) == (18, 0, 8, 30)
    assert (played.stalled_ns, played.link_busy_ns) == (10, 16)
    whole = worktop.read_plan(worktop.write_plan(file.plan, subject.graph, subject.machine, subject.durations_ns))
    assert whole.plan == file.plan and whole.durations_ns == [4, 2, 6, 3, 5] and whole.machine.name == "toy"
    assert "waits" not in subject.explain(file.plan).made_by
    assert [reason.fate for reason in subject.explain(file.plan).reasons if reason.label == "f"] == ["offload_disk"]


def test_an_illegal_plan_never_gets_in():
    subject = tiny.subject()
    text = json.dumps({
        "format": "worktop-plan", "version": 1, "made_by": "hand", "graph_hash": subject.graph.hash, "fates": {},
        "actions": [{"before": "h", "do": [["drop", "a", "device"]]}]})  # and g.grad finds no a
    with pytest.raises(worktop.Error) as raised:
        worktop.read_plan(text, graph=subject.graph, machine=subject.machine)
    assert raised.value.code == "illegal" and not isinstance(raised.value, ValueError)
    other, _ = worktop.read_graph(tiny.GRAPH.replace('"toy", "origin"', '"other", "origin"').replace('"ga"', '"gx"'))
    plan = worktop.Subject(other, None, tiny.machine()).lower("keep_all")
    for use in (subject.simulate, subject.explain, subject.policy_json):
        with pytest.raises(worktop.Error, match="graph"):
            use(plan)
    with pytest.raises(worktop.InputError, match="another graph"):
        worktop.write_plan(plan, subject.graph, subject.machine)


# ---------------------------------------------------------------- planning

def test_the_best_plan_of_the_tiny_step():
    subject = tiny.subject()
    answer = subject.plan(16)
    assert (answer.peak_bytes, answer.step_ns, answer.bound_ns, answer.gap) == (16, 24, 20, 0.2)
    assert (answer.keep_all_peak_bytes, answer.keep_all_step_ns) == (19, 20)
    assert (answer.least_possible_bytes, answer.least_feasible_bytes) == (16, 16)
    assert answer.budget_asked and answer.budget_bytes == 16 and answer.disk_bytes == 100 and answer.host_bytes is None
    # At g: a and b.
    assert answer.peak_op == "g" and answer.residents["activations"] == 16 and sum(answer.residents.values()) == 16
    assert sum(group.bytes for group in answer.at_peak) == 16
    assert subject.simulate(answer.plan).step_ns == 24 and answer.plan.fates[0] == "recompute"
    # 4 ns for 3 bytes.
    assert answer.price_per_gib_ns == round(4 * 2**30 / 3)
    keep_all = next(choice for choice in answer.strategies if choice.name == "keep_all")
    assert (keep_all.peak_bytes, keep_all.step_ns, keep_all.fits) == (19, 20, False)
    assert subject.simulate(keep_all.plan).peak_bytes == 19
    assert "offload_all(disk)" in [choice.name for choice in answer.strategies]
    assert subject.plan(16, seed=0).plan == answer.plan


def test_infeasible_is_an_answer():
    answer = tiny.subject(None).plan(15)
    assert answer.best is None and answer.plan is None and answer.peak_bytes is None and answer.gap is None
    assert answer.least_feasible_bytes == answer.leanest.peak_bytes == 16 and answer.leanest_plan.fates[0] == "recompute"
    assert [change.how for change in answer.changes] == ["--disk 500GiB"] and not answer.changes[0].fits


def test_the_whole_frontier():
    answer = tiny.subject().frontier(8)
    assert [(point.peak_bytes, point.step_ns) for point in answer.points] == [(16, 24), (19, 20)]
    assert answer.points[0].price_per_gib_ns == round(4 * 2**30 / 3) and answer.points[1].price_per_gib_ns is None
    assert answer.picks.fastest == "keep_all" and answer.least_possible_bytes == 16


def test_what_is_asked_wrongly_is_refused():
    subject = tiny.subject()
    with pytest.raises(worktop.InputError) as raised:
        subject.plan(effort="heroic")
    assert (raised.value.code, raised.value.where) == ("usage", "effort")
    assert raised.value.hint == "write one of: quick, normal, deep" and raised.value.what in str(raised.value)
    with pytest.raises(ValueError):
        subject.plan(-1)
    with pytest.raises(ValueError, match="did you mean 'checkpoint'"):
        subject.lower("chekpoint(2)")
    with pytest.raises(ValueError, match="4 durations for 5 ops"):
        worktop.Subject(subject.graph, [1, 2, 3, 4], subject.machine)
    with pytest.raises(ValueError, match="-1 ns"):
        worktop.Subject(subject.graph, [1, 2, 3, 4, -1], subject.machine)


@pytest.mark.parametrize("arguments, answer", [
    (("plan", "--budget", "16B"), lambda subject: subject.plan(16)),
    (("plan", "--minimize", "peak", "--effort", "quick"), lambda s: s.plan(minimize="peak", effort="quick")),
    (("plan", "--minimize", "cost", "--lambda", "0.2,0.3,0.4"),
     lambda subject: subject.plan(minimize="cost", lambda_=(0.2, 0.3, 0.4))),
    (("frontier", "--points", "8"), lambda subject: subject.frontier(8)),
    (("explain", "--as", "recompute_all"), lambda subject: subject.explain(subject.lower("recompute_all"))),
    (("simulate", "--as", "offload_all"), lambda subject: subject.simulate(subject.lower("offload_all")))])
def test_the_command_line_gives_the_same_answers(tmp_path, arguments, answer):
    answered = answer(tiny.subject())
    assert command_line(tmp_path, *arguments, "--json") == answered.json()
    assert command_line(tmp_path, *arguments) == answered.text()


def chain(layers):
    """A step of so many equal layers: something to search in for a while."""
    values = [tiny.value(f"x{i}", 10 + i % 7) for i in range(layers)] + [
        {"name": f"g{i}", "kind": "temporary", "bytes": 1} for i in range(layers)]
    ops = [tiny.op(f"f{i}", [i - 1] if i else [], [i]) for i in range(layers)]
    ops += [tiny.op(f"b{i}", [i] + ([layers + i + 1] if i + 1 < layers else []), [layers + i], "backward")
            for i in reversed(range(layers))]
    graph, _ = worktop.read_graph(json.dumps({
        "format": "worktop-graph", "version": 1,
        "graph": {"name": "chain", "triggers": "every", "values": values, "ops": ops}}))
    return worktop.Subject(graph, [5 + i % 3 for i in range(2 * layers)], tiny.machine(None, 10**6))


def test_other_threads_go_on_while_a_plan_is_made():
    subject = chain(100)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        planned = pool.submit(subject.plan, 600)
        turns = 0
        while not planned.done():
            time.sleep(0.001)
            turns += 1
    assert planned.result().peak_bytes <= 600 and turns > 1


def test_an_interrupt_ends_the_search():
    subject = chain(300)
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            subject.plan(1500, effort="deep")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def test_the_page_of_the_documentation_runs(tmp_path, monkeypatch, capsys):
    page = (pathlib.Path(__file__).parents[2] / "docs/python.md").read_text()
    monkeypatch.chdir(tmp_path)
    pathlib.Path("graph.json").write_text(tiny.GRAPH)
    exec(re.search(r"```python\n(.*?)```", page, re.S)[1], {})
    assert capsys.readouterr().out.startswith("Plan: 19 B, 20 ns, as fast as keep-all")
    assert worktop.read_plan(pathlib.Path("plan.json").read_text()).machine.name == "rtx-4090-24gb"
