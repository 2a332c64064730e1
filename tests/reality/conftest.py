"""One thread: sums in another order are other bits, and other tests run beside these."""
import pytest
import torch

import worktop


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: a combination that `make test` leaves out and `make test-all` runs")
    torch.set_num_threads(1)


@pytest.fixture
def disk(tmp_path):
    return f"{tmp_path}:2GiB"


@pytest.fixture(autouse=True)
def nothing_stays_attached():
    """A test that fails must not spoil the next one."""
    yield
    from worktop import _torch
    while _torch.meter_installed():
        _torch.uninstall_meter()
