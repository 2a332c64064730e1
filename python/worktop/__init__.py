"""Worktop plans what a training step keeps, recomputes and offloads, and runs the plan in PyTorch.

Planning needs nothing but this package:

    graph, durations = worktop.read_graph(open("graph.json").read())
    subject = worktop.Subject(graph, durations, worktop.machine("rtx-4090"))
    print(subject.plan(budget_bytes=20 * 2**30).text())

The executor is loaded when it is first asked for.
"""
import importlib
import sys
import types
import warnings

from . import _executor
from ._built import VERSION as __version__
from ._core import (
    FrontierAnswer, Graph, Ledger, Machine, Plan, PlanAnswer, Subject, cpu_machine, ledger, machine, machine_json,
    read_graph, read_machine, read_plan, write_graph, write_plan)
from ._errors import Error, InputError

# What needs PyTorch, and the module that has it.
_LAZY = {"attach": ".attach", "Attached": ".attach", "BudgetError": ".attach"}

__all__ = [
    "Error", "FrontierAnswer", "Graph", "InputError", "Ledger", "Machine", "Plan", "PlanAnswer", "Subject",
    "cpu_machine", "ledger", "machine", "machine_json", "read_graph", "read_machine", "read_plan", "write_graph",
    "write_plan", *_LAZY]

if (_why := _executor.why_not()) and _executor.installed_torch():
    warnings.warn(_why, RuntimeWarning, stacklevel=2)


def __getattr__(name: str):
    if name not in _LAZY:
        raise AttributeError(f"module 'worktop' has no attribute '{name}'")
    _executor.load()
    globals()[name] = getattr(importlib.import_module(_LAZY[name], __name__), name)
    return globals()[name]


class _Package(types.ModuleType):
    """Keeps the import of a module such as worktop.attach from hiding the function of that name."""

    def __setattr__(self, name, value):
        if name not in _LAZY or not isinstance(value, types.ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
