"""worktop profile: a file that plans as the process would; a machine file that other commands read."""
import json
import os
import subprocess
import sys

import pytest
import worktop
from test_run import TRAIN, python
from worktop import _built

pytestmark = pytest.mark.skipif(_built.TORCH is None, reason="this build has no executor")


def program(folder, *arguments):
    done = subprocess.run([os.environ["WORKTOP"], *arguments, "--json"], cwd=folder, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_profile_plans_as_the_process_does(tmp_path):
    """The promise of the process, and the answer of the program to the same question."""
    (tmp_path / "script.py").write_text(TRAIN.replace("optimizer =", """\
import worktop
wt = worktop.attach(net, "9MiB", effort="quick")
optimizer =""") + """\
wt.save_profile("saved.json")
open("machine.json", "w").write(worktop.machine_json(wt.profile.machine))
print(wt.promised_peak_bytes, wt.measured_peak_bytes, wt.promised_step_ns)
""")
    out = python(tmp_path, "script.py", "6").stdout
    promised_peak, measured_peak, promised_step = map(int, out.splitlines()[-1].split())
    answer = program(tmp_path, "plan", "saved.json", "--machine", "machine.json", "--budget", "9MiB", "--effort", "quick")
    assert answer["peak_bytes"] == promised_peak == measured_peak
    assert answer["step_ns"] == promised_step
    assert program(tmp_path, "frontier", "saved.json", "--machine", "machine.json", "--effort", "quick", "--points", "3")
    assert program(tmp_path, "explain", "saved.json", "--machine", "machine.json", "--budget", "9MiB", "--effort", "quick")


def test_profile_stops_the_script_when_it_has_seen_enough(tmp_path):
    (tmp_path / "script.py").write_text(TRAIN)
    done = python(tmp_path, "-m", "worktop", "profile", "--budget", "9MiB", "--out", "p.json", "script.py", "1000")
    assert 3 <= len(done.stdout.splitlines()) < 15
    graph, durations = worktop.read_graph((tmp_path / "p.json").read_text())
    assert graph.name == "Net" and sum(durations) > 0
    done = python(tmp_path, "-m", "worktop", "profile", "--go-on", "--out", "q.json", "script.py", "9")
    assert len(done.stdout.splitlines()) == 9
    # The graph is the same under another plan.
    assert worktop.read_graph((tmp_path / "q.json").read_text())[0].hash == graph.hash


def test_a_script_that_ends_early_is_profiled_all_the_same(tmp_path):
    (tmp_path / "script.py").write_text(TRAIN)
    done = python(tmp_path, "-m", "worktop", "profile", "script.py", "2")
    assert "first estimates" in done.stderr and (tmp_path / "profile.json").exists()
    done = python(tmp_path, "-m", "worktop", "profile", "--out", "none.json", "script.py", "0", code=2)
    assert "nothing to write" in done.stderr and not (tmp_path / "none.json").exists()
    done = python(tmp_path, "-m", "worktop", "profile", "--out", "nowhere/p.json", "script.py", "9", code=5)
    assert "nowhere/p.json" in done.stderr and done.stdout == ""


def test_a_measured_machine_is_read_by_the_program_and_by_attach(tmp_path, monkeypatch):
    from worktop import _executor, _machine, _measure
    _executor.load()
    monkeypatch.setattr(_measure, "_SECONDS", 0.02)
    monkeypatch.setattr(_measure, "_LINK_SECONDS", 0.1)
    monkeypatch.setattr(_measure, "_LINK_BYTES", 16 << 20)
    monkeypatch.setattr(_measure, "_LINK_VALUE", 1 << 20)
    monkeypatch.setattr(_measure, "_BESIDE_SECONDS", 0.02)
    monkeypatch.setattr(_measure, "_LARGEST_SIDE", 256)
    from worktop import profile
    out = tmp_path / "machine.json"
    assert profile.main(["machine", "--out", str(out), "--disk", f"{tmp_path}:1GiB"]) == 0
    about = json.loads(out.read_text())
    assert {rate["dtype"] for rate in about["matmul"]} >= {"fp32"} and about["launch_ns"] > 0
    assert [(link["from"], link["to"]) for link in about["links"]] == [("device", "disk"), ("disk", "device")]
    assert about["disk_bytes"] == 2**30 and 0 <= about["compute_slowdown"] < 1
    assert program(tmp_path, "machines", "machine.json")["name"] == about["name"]
    # attach takes its links from there, and the disk's budget from its own argument.
    monkeypatch.setenv("WORKTOP_MACHINE", str(out))
    machine, lower = _machine.this_machine(str(tmp_path), 5 << 20)
    assert (machine.disk_bytes, lower, machine.name) == (5 << 20, [2, 2], about["name"])
    assert json.loads(worktop.machine_json(machine))["links"] == about["links"]
    assert _machine.this_machine(None, None)[0].disk_bytes is None


def test_without_a_file_the_disk_is_measured_once(tmp_path, monkeypatch):
    from worktop import _executor, _machine
    torch_module = _executor.load()
    monkeypatch.delenv("WORKTOP_MACHINE", raising=False)
    calls = []
    real = torch_module.measure_disk
    monkeypatch.setattr(torch_module, "measure_disk", lambda *a, **k: calls.append(a) or real(*a, **k))
    machine, _ = _machine.this_machine(str(tmp_path), 64 << 20)
    count = len(calls)
    links = json.loads(worktop.machine_json(machine))["links"]
    assert count in (1, 2) and all(link["bandwidth_bytes_per_s"] > 1e6 for link in links)
    assert json.loads(worktop.machine_json(_machine.this_machine(str(tmp_path), None)[0]))["links"] == links
    assert len(calls) == count


def test_the_commands_explain_themselves_in_80_columns(tmp_path):
    for arguments in (["--help"], ["run", "--help"], ["profile", "--help"], ["profile", "machine", "--help"]):
        done = python(tmp_path, "-m", "worktop", *arguments)
        assert max(map(len, done.stdout.splitlines())) <= 80 and done.stdout.startswith("usage: ")


def test_the_program_hands_over_and_exit_codes_come_through(tmp_path):
    (tmp_path / "seven.py").write_text("import sys\nprint(sys.argv)\nsys.exit(7)\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([os.environ["WORKTOP"], "run", "seven.py", "--json"], cwd=tmp_path, env=environment,
                          capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (7, "['seven.py', '--json']\n"), done.stderr
