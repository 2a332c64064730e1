"""worktop run: the script is none the wiser, and inside its budget."""
import re
import signal
import subprocess
import sys

import pytest
from worktop import _built, _watch

pytestmark = pytest.mark.skipif(_built.TORCH is None, reason="this build has no executor")

# Its argument is how many steps it trains; almost all bytes are activations.
TRAIN = """\
import sys
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(32, 128), nn.GELU(), nn.Dropout(0.1), nn.Linear(128, 32))
                                    for _ in range(6))

    def forward(self, x, y=None):
        for layer in self.layers:
            x = x + layer(x)
        return nn.functional.mse_loss(x, y)

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(int(sys.argv[1])):
    x = torch.randn(1024, 32)
    loss = net(x, y=torch.randn(1024, 32))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.item().hex())
"""


@pytest.fixture
def script(tmp_path):
    def write(text, name="script.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        return name
    return write


def python(tmp_path, *arguments, code=0):
    done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done


def run(tmp_path, *arguments, code=0):
    return python(tmp_path, "-m", "worktop", "run", *arguments, code=code)


def test_a_script_trains_inside_its_budget_and_prints_what_it_prints_anyway(tmp_path, script):
    name = script(TRAIN)
    plain = python(tmp_path, name, "6")
    planned = run(tmp_path, "--budget", "9MiB", "--effort", "quick", "--report", "report.txt", name, "6")
    assert planned.stdout == plain.stdout
    line = TRAIN.splitlines().index("    loss = net(x, y=torch.randn(1024, 32))") + 1
    # 6 x (32 x 128 + 128 + 128 x 32 + 32) = 50,112
    assert f"attached to Net (0.0501 M parameters), called at script.py:{line}" in planned.stderr
    report = (tmp_path / "report.txt").read_text()
    assert report in planned.stderr + "\n"
    peak = re.search(r"^peak +([0-9.]+) MiB +([0-9.]+) MiB +([0-9.]+) MiB +exact$", report, re.MULTILINE)
    assert peak and peak[1] == peak[2] and float(peak[2]) <= 9 < float(peak[3])
    assert "leaked" not in planned.stderr


def test_a_budget_that_nothing_fits_is_an_answer(tmp_path, script):
    done = run(tmp_path, "--budget", "1MiB", "--effort", "quick", script(TRAIN), "6", code=3)
    assert "no plan fits" in done.stderr and "Traceback" not in done.stderr


SEEN = "import sys; print(sys.argv, __name__, __file__, __package__, sys.path[0], __spec__ and __spec__.name)\n"


def test_a_script_finds_what_python_gives_it(tmp_path, script):
    script(SEEN, "folder/shown.py")
    script(SEEN, "package/__main__.py")
    script("", "package/__init__.py")
    for arguments in (["folder/shown.py", "a", "--budget", "-m"], ["-m", "package", "--help"], ["-m", "package.__main__"]):
        plain = python(tmp_path, *arguments)
        done = run(tmp_path, "--budget", "1GiB", *arguments)
        assert done.stdout == plain.stdout
        assert "did not import torch" in done.stderr


@pytest.mark.parametrize("text, code", [
    ("def f():\n    raise KeyError('x')\ntry:\n    f()\nexcept KeyError as e:\n    raise ValueError(1) from e\n", 1),
    ("def (:\n", 1), ("import sys\nsys.exit(7)\n", 7), ("raise SystemExit('words')\n", 1),
    ("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n", -signal.SIGINT)])
def test_endings_are_those_of_python(tmp_path, script, text, code):
    name = script(text)
    plain = python(tmp_path, name, code=code)
    done = run(tmp_path, name, code=code)
    assert done.stderr.startswith(plain.stderr)
    assert re.fullmatch("(worktop: the script did not import torch.*\n)?", done.stderr[len(plain.stderr):])


def test_what_cannot_be_run_is_said_before_it_runs(tmp_path, script):
    name = script("print('ran')")
    for arguments, code, told in [
            (["--budget", "6XB", name], 2, "unknown unit"), (["--bugdet", "6GiB", name], 2, "--bugdet"), ([], 2, "no script"),
            (["--disk", "nowhere:1GiB", name], 5, "nowhere"), (["missing.py"], 5, "missing.py"),
            (["-m", "missing"], 5, "missing"), (["--machine", "missing.json", name], 5, "missing.json")]:
        done = run(tmp_path, *arguments, code=code)
        assert told in done.stderr and "error: " in done.stderr and done.stdout == ""


def test_a_script_that_never_trains_is_told(tmp_path, script):
    done = run(tmp_path, script("import torch\nwith torch.no_grad(): torch.nn.Linear(2, 2)(torch.ones(2))\n"))
    assert "no module was trained: forwards ran in evaluation mode" in done.stderr


def test_a_model_that_is_not_for_this_executor_is_named(tmp_path, script):
    done = run(tmp_path, script("import torch\nm = torch.nn.Linear(2, 2, device='meta')\nm(torch.ones(2, device='meta'))\n"),
               code=2)
    assert "error: Linear, which the script trains, can't be attached: parameter weight lies on meta" in done.stderr


# --- which module

def watched(work):
    """What is attached and given back while `work` runs, by name."""
    events = []

    class Attached:
        def __init__(self, module):
            self.module = module
            events.append("+" + type(module).__name__)

        def detach(self):
            events.append("-" + type(self.module).__name__)
    watch = _watch.Watch(Attached, lambda _: None)
    import torch
    before = torch.nn.Module.__call__
    watch.start()
    try:
        work()
    finally:
        watch.stop()
    assert torch.nn.Module.__call__ is before
    return events


def modules():
    from torch import nn

    class Generator(nn.Linear):
        pass

    class Judge(nn.Linear):
        pass

    class Both(nn.Module):
        def __init__(self, *parts):
            super().__init__()
            self.parts = nn.ModuleList(parts)

        def forward(self, x):
            for part in self.parts:
                x = part(x)
            return x
    return Generator(4, 4), Judge(4, 4), Both


def train(model, x):
    import torch
    optimizer = torch.optim.SGD(model.parameters())
    model(x).sum().backward()
    optimizer.step()


def test_of_two_models_the_one_that_is_stepped_first_is_attached():
    import torch
    generator, judge, _ = modules()

    def work():
        fake = generator(torch.ones(2, 4)).detach()
        for _ in range(2):
            train(judge, fake)
            train(generator, fake)
    assert watched(work) == ["+Generator", "-Generator", "+Judge"]


def test_the_outermost_module_is_attached_before_its_forward():
    import torch
    generator, judge, Both = modules()
    whole = Both(generator, judge)

    def work():
        generator(torch.ones(2, 4))
        train(whole, torch.ones(2, 4))
    assert watched(work) == ["+Generator", "-Generator", "+Both"]


def test_what_does_not_train_is_not_attached():
    import torch
    generator, judge, Both = modules()
    frozen = Both(judge).requires_grad_(False)

    def work():
        frozen(torch.ones(2, 4))
        generator.eval()(torch.ones(2, 4))
        generator.train()
        with torch.no_grad():
            generator(torch.ones(2, 4))
        train(Both(generator), torch.ones(2, 4))
    assert watched(work) == ["+Both"]


def test_imports_are_followed(monkeypatch, tmp_path):
    (tmp_path / "fresh_module.py").write_text("number = 5\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    seen = []
    _watch.when_imported("fresh_module", lambda: seen.append(sys.modules["fresh_module"].number))
    finders = list(sys.meta_path)
    import fresh_module
    assert seen == [5] and len(sys.meta_path) == len(finders) - 1
    assert "exec_module" not in vars(fresh_module.__spec__.loader)
    _watch.when_imported("fresh_module", lambda: seen.append("at once"))
    assert seen == [5, "at once"]
