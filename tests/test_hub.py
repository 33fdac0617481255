"""`make hub` adds users to a machine, so it says no first. What it does is tried by running it."""

import os
from pathlib import Path

import pytest

from tests import hub


def test_it_refuses_where_nobody_said_that_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("HUB_MAY_ADD_USERS", raising=False)
    monkeypatch.setattr(hub.Path, "exists", lambda _: False)
    assert "HUB_MAY_ADD_USERS=1" in hub.why_not()


def test_it_refuses_who_is_not_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUB_MAY_ADD_USERS", "1")
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    assert "root" in hub.why_not()


def test_it_refuses_a_python_that_other_users_may_not_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HUB_MAY_ADD_USERS", "1")
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(hub.shutil, "which", lambda name: name)
    program = tmp_path / "mine" / "python"
    program.parent.mkdir(mode=0o700)
    program.touch()
    monkeypatch.setattr(hub.sys, "executable", str(program))
    assert "other users may not run" in hub.why_not()
