"""What was promised, what was measured, and why: the text of `Attached.report()`, at 80 columns."""
from __future__ import annotations

from collections import defaultdict

from . import _advice

FATES = {"keep": "kept", "recompute": "recomputed", "offload_host": "offloaded to the host",
         "offload_disk": "offloaded to the disk"}


def size(count: float | None) -> str:
    """Bytes as people read them; None as a dash."""
    if count is None:
        return "-"
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if abs(count) >= scale:
            return f"{count / scale:.3g} {unit}" if abs(count) < 1000 * scale else f"{count / scale:.0f} {unit}"
    return f"{count:.0f} B"


def time(ns: float | None) -> str:
    if ns is None:
        return "-"
    return f"{ns / 1e9:.2f} s" if ns >= 1e10 else f"{ns / 1e6:.1f} ms"


def percent(of: float | None, base: float | None) -> str:
    return "-" if of is None or not base else f"{(of - base) / base * 100:+.1f} %"


def bytes_by_fate(course) -> dict[str, int]:
    """Of the activations whose fate the plan decides."""
    graph = course.subject.graph
    totals: dict[str, int] = defaultdict(int)
    for value, fate in enumerate(course.plan.fates):
        if graph.decidable(value):
            totals[fate] += graph.value_bytes(value)
    return dict(totals)


def headline(course) -> str:
    """One line when the promise is made."""
    fates = ", ".join(f"{FATES[fate]} {size(count)}" for fate, count in bytes_by_fate(course).items())
    answer, simulated = course.answer, course.simulated
    gap = percent(simulated.step_ns, answer.bound_ns)
    return (f"{fates or 'nothing to decide'}; promised peak {size(simulated.peak_bytes)}, "
            f"step {time(simulated.step_ns)} ({gap} over the bound)")


def report(attached) -> str:
    course = attached._binding_course()
    if course is None or course.simulated is None:
        return "worktop: no step has been captured yet: run a training step (forward and backward)."
    return "\n".join([*_promise(attached, course), *_fates(attached, course), *_moment(course)])


def _promise(attached, course) -> list[str]:
    answer = course.answer
    stage = "" if course.stage == "promised" else "  (not promised yet: still measuring)"
    budget = size(attached._wish.budget_bytes) if attached._wish.budget_bytes else "none: as fast as fits"
    peak, step = attached.measured_peak_bytes, attached.measured_step_ns
    promised_peak, promised_step = attached.promised_peak_bytes, attached.promised_step_ns
    off = "" if None in (peak, promised_peak) else "exact" if peak == promised_peak else f"{peak - promised_peak:+d} B"
    return [
        f"{course.subject.graph.name}: budget {budget}{stage}",
        f"{'':12}{'promised':>14}{'measured':>14}{'keep all':>14}",
        f"{'peak':12}{size(promised_peak):>14}{size(peak):>14}{size(answer.keep_all_peak_bytes):>14}  {off}",
        f"{'step':12}{time(promised_step):>14}{time(step):>14}{time(answer.keep_all_step_ns):>14}  "
        f"{'' if promised_step is None else percent(step, promised_step)}",
        f"The least peak found is {size(answer.least_feasible_bytes)}; no plan needs less than "
        f"{size(answer.least_possible_bytes)}.",
        f"No plan is faster than {time(answer.bound_ns)}; this one is {percent(course.simulated.step_ns, answer.bound_ns)}"
        " above that.",
    ]


def _fates(attached, course) -> list[str]:
    lines = ["", "Activations"]
    simulated = course.simulated
    extra = {"recompute": f"  {time(simulated.recompute_ns)} a step" if simulated.recompute_ns else "",
             "offload_disk": f"  {time(simulated.stalled_ns)} waited for a step" if simulated.link_busy_ns else ""}
    for fate, count in sorted(bytes_by_fate(course).items(), key=lambda item: -item[1]):
        lines.append(f"  {FATES[fate]:24}{size(count):>12}{extra.get(fate, '')}")
    if course.unseen_bytes:
        lines.append(f"  {'kept, producer unseen':24}{size(course.unseen_bytes):>12}  can't be replayed")
    if attached.unplanned:
        lines.append(f"  {attached.unplanned} values were brought back beside the plan since attach")
    for reason in course.subject.explain(course.plan).reasons[:6]:
        lines.append(f"  {size(reason.bytes):>10}  {reason.label[:34]:34}  {reason.text}"[:100])
    return lines


def _moment(course) -> list[str]:
    answer = course.subject.explain(course.plan)
    residents = ", ".join(f"{name} {size(count)}" for name, count in
                          sorted(answer.residents.items(), key=lambda item: -item[1]) if count)
    lines = ["", f"The peak is at {answer.peak_op}:", f"  {residents}"]
    for group in answer.at_peak[:5]:
        lines.append(f"  {size(group.bytes):>10}  {group.count:>4} x {group.label}"[:80])
    for advice in _advice.advice(course):
        lines.append("  " + advice)
    return lines
