"""What holds for all tests."""

import os
import sys

# Before torch is imported, here and in the kernels that tests start: processes on two cores want a thread each.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from typing import Any

import pytest

from tests import tiers
from tests.groups import Groups


def pytest_addoption(parser: pytest.Parser) -> None:
    tiers.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    tiers.configure(config)
    # Some environments say that no bytecode is to be kept; then each of the many processes compiles our files anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tiers.select(config, items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Groups | None:
    return Groups(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    failed = [one.nodeid for kind in ("failed", "error") for one in terminalreporter.stats.get(kind, [])]
    if failed:
        terminalreporter.section("to repeat a failure")
        for line in tiers.how_to_repeat(failed)[:20]:
            terminalreporter.write_line(line)
