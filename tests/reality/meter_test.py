"""Does the meter count what there is? By hand, and against torch's own profiler, which counts the blocks of the stock
allocator."""
import gc

import pytest
import torch

from worktop import _torch

from models import KINDS
from training import Loop, Run

MIB = 2**20


@pytest.fixture
def metered():
    gc.collect()
    _torch.install_meter()
    yield _torch
    _torch.uninstall_meter()


def test_bytes_by_hand(metered):
    start = metered.live_bytes()
    a = torch.empty(1000, dtype=torch.float32)  # 4000
    b = torch.empty(3, dtype=torch.int64)  # 24
    assert metered.live_bytes() - start == 4024
    view = a[10:20]
    del a
    assert metered.live_bytes() - start == 4024, "a view keeps the storage"
    del view
    assert metered.live_bytes() - start == 24
    metered.reset_peak()
    c = torch.zeros(MIB, dtype=torch.uint8)
    d = torch.zeros(MIB + 1, dtype=torch.uint8)
    assert c.data_ptr() % 4096 == d.data_ptr() % 4096 == 0
    del c
    e = torch.zeros(10, dtype=torch.uint8)
    assert metered.live_bytes() - start == 24 + MIB + 1 + 10
    assert metered.peak_bytes() - start == 24 + 2 * MIB + 1
    del b, d, e
    assert metered.live_bytes() == start


def test_blocks_outlive_the_meter(metered):
    start = metered.live_bytes()
    ours = torch.full((MIB,), 7, dtype=torch.uint8)
    before = torch.zeros(1)
    metered.uninstall_meter()
    stock = torch.full((MIB,), 8, dtype=torch.uint8)
    assert not metered.is_metered(stock) and metered.is_metered(ours)
    metered.install_meter()
    assert metered.live_bytes() - start == MIB + 4, "of the stock allocator nothing is counted"
    assert int(ours[5]) == 7 and int(stock[5]) == 8
    del ours, stock, before
    assert metered.live_bytes() == start


def test_pages_kept_for_re_use_never_add_to_the_most_that_was_live(metered):
    gc.collect()
    for size in (3 * MIB, 5 * MIB, 2 * MIB, 7 * MIB, 3 * MIB):
        block = torch.empty(size, dtype=torch.uint8)
        del block
    metered.reset_peak()
    assert metered.cached_bytes() <= 7 * MIB + metered.live_bytes() + 4096 * 4


def peak_by_profiler(kind: str, step: int) -> int:
    """Most bytes above those at the step's start, from torch's profiler (stock allocator)."""
    assert not _torch.meter_installed()
    run, batches = Run(KINDS[kind].model(), Loop()), KINDS[kind].batches(step + 1)
    for batch in batches[:-1]:
        run.step([batch])
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profiler:
        run.step([batches[-1]])
    total = most = 0
    for event in profiler.profiler.kineto_results.events():
        if event.name() == "[memory]":
            total += event.nbytes()
            most = max(most, total)
    return most


def peak_by_meter(kind: str, step: int) -> int:
    run, batches = Run(KINDS[kind].model(), Loop()), KINDS[kind].batches(step + 1)
    for batch in batches[:-1]:
        run.step([batch])
    start = _torch.live_bytes()
    _torch.reset_peak()
    run.step([batches[-1]])
    return _torch.peak_bytes() - start


@pytest.mark.parametrize("kind", KINDS)
def test_peak_of_a_plain_step_is_what_the_profiler_of_torch_says(kind):
    by_profiler = peak_by_profiler(kind, 2)
    gc.collect()
    _torch.install_meter()
    try:
        by_meter = peak_by_meter(kind, 2)
    finally:
        _torch.uninstall_meter()
    assert by_meter == by_profiler
