"""A step of five ops on a toy machine of one byte a nanosecond, whose plans are worked out by hand.

    op      ns  reads  writes   held by keep-all while it runs
    f        4         a 8 B     8
    g        2  a      b 8 B    16
    h        6  b      c 2 B    18   a is kept for g.grad
    h.grad   3  b c    gb 1 B   19   the peak
    g.grad   5  a gb   ga 1 B   10

While g runs a and b are there, so that no plan needs less than 16 B. That is reached by letting a go after g and
making it again before g.grad: 4 ns more than the 20 of all ops. Nothing between the two gains anything: a plan below
19 B has to give up a.
"""
import json

import worktop


def value(name, size, kind="activation"):
    return {"name": name, "kind": kind, "bytes": size, "held": "to_last_forward_reader", "holdable": True}


def op(name, reads, writes, phase="forward"):
    return {"name": name, "kind": "toy", "phase": phase, "reads": reads, "writes": writes}


GRAPH = json.dumps({
    "format": "worktop-graph", "version": 1,
    "graph": {
        "name": "toy", "origin": "profile", "triggers": "every",
        "values": [value("a", 8), value("b", 8), value("c", 2), {"name": "gb", "kind": "temporary", "bytes": 1},
                   {"name": "ga", "kind": "temporary", "bytes": 1}],
        "ops": [op("f", [], [0]), op("g", [0], [1]), op("h", [1], [2]), op("h.grad", [1, 2], [3], "backward"),
                op("g.grad", [0, 3], [4], "backward")]},
    "durations_ns": [4, 2, 6, 3, 5]})


def machine(disk_bytes=100, usable_bytes=100):
    return worktop.cpu_machine(
        "toy", usable_bytes=usable_bytes, disk_bytes=disk_bytes, out_bytes_per_s=1e9, in_bytes_per_s=1e9,
        both_out_bytes_per_s=1e9, both_in_bytes_per_s=1e9, latency_ns=0, compute_slowdown=0.0, matmul_flops_per_s=1e9,
        vector_flops_per_s=1e9, memory_bandwidth_bytes_per_s=1e9, smallest_bytes=0)


def subject(disk_bytes=100):
    graph, durations = worktop.read_graph(GRAPH)
    return worktop.Subject(graph, durations, machine(disk_bytes))
