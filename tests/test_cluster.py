"""`--scheduler`: the same grades from a Dask cluster, whose scheduler and workers are processes of their own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from distributed import Client

from autograder.classroom.grading import cluster
from autograder.classroom.grading.cache import software
from autograder.classroom.grading.worker import Task
from autograder.cli import main
from autograder.notebooks import files
from autograder.notebooks.build import build
from tests.sandbox.broken import KINDS
from tests.sandbox.rooms import needs_walls

STEM = "00_start_here"
SLEEPS = "import time\ntime.sleep(6)\n"

pytestmark = [
    needs_walls,
    pytest.mark.slow,
    pytest.mark.turns(4, "autograder/classroom/grading", "autograder/sandbox", at=2),
]


class Cluster:
    """A scheduler, and workers that can be added and killed."""

    def __init__(self, folder: Path, failures: int = 3) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(files.ROOT),
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(failures),
        }
        self.processes: list[subprocess.Popen[bytes]] = []
        self.contact = folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        until(self.contact.exists)
        self.address = json.loads(self.contact.read_text())["address"]

    def worker(self) -> subprocess.Popen[bytes]:
        """Add a worker; without the process that would start it again when it dies."""
        one = ("--no-nanny", "--no-dashboard", "--nthreads", "2", "--local-directory", str(self.folder))
        return self._start("worker", "--host", "127.0.0.1", *one)

    def _start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(self.contact), *arguments]
        log = (self.folder / f"{kind}.log").open("ab")
        self.processes.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log))
        return self.processes[-1]

    def end(self) -> None:
        for one in self.processes:
            with contextlib.suppress(OSError):
                one.kill()
            one.wait()


def until(holds: Callable[[], Any], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Cluster]]:
    made: list[Cluster] = []
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(files.ROOT))

    def start(**options: Any) -> Cluster:
        made.append(Cluster(tmp_path, **options))
        return made[-1]

    yield start
    for one in made:
        one.end()


def hand_in(folder: Path, name: str, *first: str) -> str:
    """A solved notebook, with cells of the student's own at the beginning."""
    notebook = build(STEM, "solved")
    for code in first:
        notebook.cells.insert(1, nbformat.v4.new_code_cell(code))
    path = folder / name / f"{STEM}.ipynb"
    path.parent.mkdir()
    path.write_text(nbformat.writes(notebook))
    return str(path)


def graded(folder: Path, given: list[str], *options: str) -> tuple[int, list[dict[str, Any]]]:
    out = folder / "grades.json"
    code = main(["grade", *given, "--fresh", "--json", str(out), *options])
    return code, json.loads(out.read_text())["grades"]


def test_the_cluster_gives_the_grades_of_this_machine(tmp_path: Path, started: Callable[..., Cluster]) -> None:
    blank = tmp_path / "blank" / f"{STEM}.ipynb"
    files.write(blank, build(STEM, "student"))
    broken = [tmp_path / "broken" / kind / f"{STEM}.ipynb" for kind in KINDS if kind != "many values"]  # 12 MB
    for path in broken:
        path.parent.mkdir(parents=True)
        KINDS[path.parent.name](path)
    given = [hand_in(tmp_path, "right"), *map(str, (blank, *broken))]
    one = started()
    one.worker()
    code, far = graded(tmp_path, given, "--scheduler", one.address)
    assert [grade["file"] for grade in far] == given
    assert far[0]["points"] == far[0]["max_points"] > far[1]["points"] == 0
    assert {(grade["status"], grade["points"]) for grade in far[2:]} == {("malformed", 0.0)}
    some = [given.index(path) for path in given if Path(path).parent.name in ("right", "blank", *SOME_KINDS)]
    near_code, near = graded(tmp_path, [given[at] for at in some], "--jobs", "1")
    assert (code, [told(far[at]) for at in some]) == (near_code, [told(grade) for grade in near])
    assert len(some) == 2 + len(SOME_KINDS)


SOME_KINDS = ("text", "a folder", "a pipe", "a link to elsewhere")
"""Those that are graded here as well: each kind has its own way of being no notebook."""


def told(grade: dict[str, Any]) -> Any:
    results = [(one["exercise"], one["points"], one["status"], one["mistake"]) for one in grade["results"]]
    return grade["status"], grade["words"], grade["isolation"], results


def test_when_a_worker_dies_another_grades(tmp_path: Path, started: Callable[..., Cluster]) -> None:
    code, grades = _graded_while_a_worker_dies(tmp_path, started())
    assert code == 0
    assert grades[0]["points"] == grades[0]["max_points"]


def test_when_too_many_die_it_is_tried_once_more_as_an_empty_one_is_graded(
    tmp_path: Path, started: Callable[..., Cluster]
) -> None:
    code, grades = _graded_while_a_worker_dies(tmp_path, started(failures=0))
    assert code == 0
    assert grades[0]["points"] == grades[0]["max_points"]


def _graded_while_a_worker_dies(folder: Path, one: Cluster) -> tuple[int, list[dict[str, Any]]]:
    """Kill the worker that grades, once another is there."""
    doomed = one.worker()
    out = folder / "grades.json"
    command = [sys.executable, "-m", "autograder", "grade", hand_in(folder, "slow", SLEEPS), "--json", str(out)]
    grading = subprocess.Popen([*command, "--scheduler", one.address], env=one.environment)
    with Client(one.address, set_as_default=False) as client:
        until(lambda: any(client.processing().values()))
        one.worker()
        client.wait_for_workers(2, timeout=60)
    doomed.kill()
    code = grading.wait(120)
    return code, json.loads(out.read_text())["grades"]


def test_when_there_is_no_worker_left_it_ends(
    tmp_path: Path, started: Callable[..., Cluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "LOOK", 0.2)
    monkeypatch.setattr(cluster, "ALONE", 1.0)
    one, grades = started(), []
    only = one.worker()
    task = Task(hand_in(tmp_path, "slow", SLEEPS), STEM, "00" * 32)
    grading = threading.Thread(target=lambda: grades.extend(cluster.run([task], one.address)))
    grading.start()
    with Client(one.address, set_as_default=False) as client:
        until(lambda: any(client.processing().values()))
    only.kill()
    grading.join(60)
    assert [grade.complete for grade in grades] == [False]
    assert [grade.status for grade in grades] == ["infrastructure"]
    assert "no worker" in grades[0].words


def test_no_scheduler_is_said_in_plain_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster, "CONNECT", 0.5)
    assert main(["grade", hand_in(tmp_path, "right"), "--fresh", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "No Dask scheduler with workers answers at tcp://127.0.0.1:9" in capsys.readouterr().err


def test_a_worker_with_another_version_of_the_course_decides_nothing(tmp_path: Path) -> None:
    task = Task(hand_in(tmp_path, "right"), STEM, "00" * 32)
    parcel = cluster.Parcel(task, Path(task.file).read_bytes(), b"", software(STEM))
    assert cluster._unfit(parcel) == ""
    refused = cluster.grade(replace(parcel, software="older"))
    assert refused["status"] == "infrastructure"
    assert "another version" in refused["words"]
