"""What would move the moment that binds, priced by planning it: for now, the loss in chunks."""
from __future__ import annotations

import json

from . import _core

CHUNKS = 8
_LOSS_FORWARD = ("_log_softmax", "nll_loss_forward", "nll_loss2d_forward", "cross_entropy_loss")
_LOSS_BACKWARD = ("LogSoftmaxBackward", "NllLossBackward", "NllLoss2DBackward", "CrossEntropyLossBackward")


def advice(course) -> list[str]:
    chunked = _with_chunked_loss(course)
    if chunked is None:
        return []
    answer, plan = course.answer, course.simulated
    budget = answer.budget_bytes
    subject = _core.Subject(chunked, course.subject.durations_ns, course.subject.machine)
    better = subject.plan(min(budget, answer.keep_all_peak_bytes) if budget else None, effort="quick")
    floor = answer.least_feasible_bytes - better.least_feasible_bytes
    if better.step_ns is None or (floor <= 0 and better.step_ns >= plan.step_ns):
        return []
    saved = max(0, plan.step_ns - better.step_ns) / 1e6
    return [f"The loss holds logits several times over: in {CHUNKS} chunks the least peak would be "
            f"{floor / 1e6:.0f} MB less and this plan {saved:.0f} ms faster."]


def _with_chunked_loss(course):
    """The graph, if the loss's values were an eighth of their size; None where there is no such loss."""
    file = json.loads(_core.write_graph(course.subject.graph, course.subject.durations_ns))
    graph = file["graph"]
    ops = graph["ops"]
    mine = [i for i, op in enumerate(ops)
            if op.get("kind") in _LOSS_FORWARD or any(op.get("kind", "").startswith(name) for name in _LOSS_BACKWARD)]
    written = {w[0] if isinstance(w, list) else w for i in mine for w in ops[i].get("writes", [])}
    large = max((graph["values"][v]["bytes"] for v in written), default=0)
    if large == 0:
        return None
    for v in written:
        if graph["values"][v]["bytes"] >= large // 2:
            graph["values"][v]["bytes"] //= CHUNKS
    for i in mine:
        if ops[i].get("workspace_bytes", 0) >= large // 2:
            ops[i]["workspace_bytes"] //= CHUNKS
    return _core.read_graph(json.dumps(file))[0]
