"""A class on a JupyterHub, from the package to the feedback: `make hub`, or `python -m tests.hub`.

It starts a hub on this machine with three system users of its own, an instructor and two students, and goes once
through a week: the lesson is released, fetched, checked, handed in through the exchange, collected, graded in the
sandbox, and its feedback fetched; the formgrader is opened in Chromium. What it made is removed at the end.

It needs root and adds users, so it refuses outside a container or CI unless HUB_MAY_ADD_USERS=1 is set. It needs npm
besides, for the hub's proxy, and a Python for which this course was installed and that other users may run.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from autograder.classroom.course.demo import CLASS, STEM, write_hand_in
from tests import jupyterlab

INSTRUCTOR, STUDENTS = "hub-instructor", ("hub-student-1", "hub-student-2")
USERS = (INSTRUCTOR, *STUDENTS)
COURSE = "course"
HUB, PROXY, NBGRADER = "jupyterhub==6.1.1", "configurable-http-proxy@5.3.0", "nbgrader==0.9.6"

CONFIG = Path(__file__).resolve().parent.parent / "docs" / "jupyterhub_config.py"
OWN = """
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = {password!r}
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api_port}"
"""
NBGRADER_CONFIG = 'c = get_config()\nc.CourseDirectory.course_id = "{course}"\nc.Exchange.root = "{exchange}"\n'
ASK = """async ([path, data]) => {
    const token = document.cookie.split('; ').find((one) => one.startsWith('_xsrf='))?.slice(6) ?? '';
    const asked = data === null ? {} : { method: 'POST', body: new URLSearchParams(data) };
    const answer = await fetch(path, { ...asked, headers: { 'X-XSRFToken': token } });
    return [answer.status, await answer.text()];
}"""


@dataclass(frozen=True)
class Place:
    """Where everything of the trial lies.

    Attributes:
        folder: readable for all users.
        port: of the hub.
        python: the students' virtual environment, which has no answers in it.
        proxy: where npm has installed the hub's proxy.
    """

    folder: Path
    port: int
    python: Path
    proxy: Path

    @property
    def course(self) -> Path:
        """The instructor's course."""
        return self.folder / "homes" / INSTRUCTOR / COURSE

    @property
    def exchange(self) -> Path:
        """Where nbgrader hands notebooks over."""
        return self.folder / "exchange"

    @property
    def students(self) -> Path:
        """The programs of the students' Python."""
        return self.python / "bin"

    @property
    def url(self) -> str:
        """The hub's address."""
        return f"http://127.0.0.1:{self.port}"


def why_not() -> str:
    """Why the trial cannot be made here; empty if it can."""
    contained = Path("/.dockerenv").exists() or Path("/run/.containerenv").exists() or bool(os.environ.get("CI"))
    if not contained and os.environ.get("HUB_MAY_ADD_USERS") != "1":
        return "it adds users to this machine; set HUB_MAY_ADD_USERS=1 if it may"
    if os.geteuid() != 0:
        return "it adds users to this machine, and only root can"
    missing = [name for name in ("npm", "node", "useradd", "runuser", "bwrap") if not shutil.which(name)]
    if missing:
        return f"{', '.join(missing)} not found"
    if not others_may_run(Path(sys.executable)):
        python = Path(sys.executable).resolve()
        return f"other users may not run {python}; in a fresh clone, name one that they may: PYTHON=/usr/bin/python3"
    return jupyterlab.missing()


def others_may_run(program: Path) -> bool:
    """Whether all folders above a program, followed to where it lies, let any user through."""
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in program.resolve().parents)


def run(*command: str | Path, cwd: Path | None = None, user: str = "") -> str:
    """Run a command, as a user if one is named; what it wrote."""
    print(f"{user or 'root'}$ {' '.join(map(str, command))}", flush=True)
    own = [str(Path(sys.executable).parent) if user in ("", INSTRUCTOR) else "", "/usr/bin:/bin:/usr/sbin"]
    paths = ":".join(filter(None, own))
    whole = ["runuser", "-u", user, "--", "env", f"PATH={paths}", *command] if user else command
    done = subprocess.run([str(one) for one in whole], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"ended with {done.returncode}:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout + done.stderr


@contextmanager
def users(place: Place) -> Iterator[None]:
    """Three system users with homes of their own, until the block ends."""
    made = []
    try:
        for name in USERS:
            run("useradd", "--create-home", "--base-dir", place.folder / "homes", "--shell", "/bin/bash", name)
            made.append(name)
            (place.folder / "homes" / name).chmod(0o700)
        yield
    finally:
        for name in made:
            subprocess.run(["userdel", "--remove", name], capture_output=True, check=False)


def prepare_course(place: Place) -> None:
    """What the instructor does before the week."""
    place.exchange.mkdir()
    place.exchange.chmod(0o777)
    home = place.course.parent
    run("autograder", "classroom", "init", "--questions", "answered", "--stretches", "counted", COURSE, "01",
        cwd=home, user=INSTRUCTOR)  # fmt: skip
    with (place.course / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write(f'\nc.Exchange.root = "{place.exchange}"\n')
    run("mkdir", "-p", home / ".jupyter", user=INSTRUCTOR)
    run("ln", "-s", place.course / "nbgrader_config.py", home / ".jupyter", user=INSTRUCTOR)  # for the formgrader
    run("autograder", "classroom", "package", "01", "--out", home / "package", cwd=place.course, user=INSTRUCTOR)
    run("nbgrader", "generate_assignment", STEM, cwd=place.course, user=INSTRUCTOR)
    run("nbgrader", "release_assignment", STEM, cwd=place.course, user=INSTRUCTOR)


def install(place: Place) -> None:
    """The hub beside the course, and a Python for students with the package in it; what is there stays."""
    run(sys.executable, "-m", "pip", "install", "-q", HUB)
    if not place.proxy.exists():
        run("npm", "install", "--silent", "--prefix", place.proxy, PROXY)
    if not place.python.exists():
        run(getattr(sys, "_base_executable", sys.executable), "-m", "venv", place.python)
    wheel = next((place.course.parent / "package").glob("*.whl"))
    run(place.students / "python", "-m", "pip", "install", "-q", f"torch=={_torch()}", HUB, NBGRADER, f"{wheel}[lab]")
    config = place.python / "etc" / "jupyter" / "nbgrader_config.py"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(NBGRADER_CONFIG.format(course=COURSE, exchange=place.exchange), encoding="utf-8")


def _torch() -> str:
    import torch

    return str(torch.__version__)


def free_ports(count: int) -> list[int]:
    """Ports on which nothing listens."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    found = [int(one.getsockname()[1]) for one in held]
    for one in held:
        one.close()
    return found


def configuration(place: Place) -> str:
    """The guide's configuration of a hub, with the names and folders of this trial."""
    text = CONFIG.read_text(encoding="utf-8")
    own = {
        "INSTRUCTOR": INSTRUCTOR,
        "STUDENTS": set(STUDENTS),
        "INSTRUCTORS_PROGRAMS": str(Path(sys.executable).parent),
        "STUDENTS_PROGRAMS": str(place.students),
        "CLASS": str(place.course),
        "PROXY": str(place.proxy / "node_modules/.bin/configurable-http-proxy"),
    }
    for name, value in own.items():
        first, found, rest = text.partition(f"\n{name} = ")
        assert found, f"{CONFIG} has no {name}"
        text = f"{first}{found}{value!r}\n{rest.partition(chr(10))[2]}"
    return text


@contextmanager
def hub(place: Place, password: str) -> Iterator[None]:
    """The hub, until the block ends."""
    own = place.folder / "hub"
    own.mkdir(mode=0o700)
    hub_port, api_port = free_ports(2)
    text = configuration(place) + OWN.format(password=password, port=place.port, hub_port=hub_port, api_port=api_port)
    (own / "jupyterhub_config.py").write_text(text, encoding="utf-8")
    with (own / "log").open("w") as log:
        process = subprocess.Popen([sys.executable, "-m", "jupyterhub"], cwd=own, stdout=log, stderr=log)
        try:
            _wait_for(place, process, own / "log")
            yield
        except BaseException:
            print((own / "log").read_text(encoding="utf-8")[-5000:])
            raise
        finally:
            process.terminate()
            process.wait(60)


def _wait_for(place: Place, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(240):
        if process.poll() is not None:
            sys.exit(f"the hub ended:\n{log.read_text(encoding='utf-8')[-3000:]}")
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", place.port)) == 0:
                time.sleep(2)
                return
        time.sleep(0.5)
    sys.exit("the hub does not answer")


def log_in(page: Page, place: Place, name: str, password: str) -> None:
    """Log in at the hub, and wait for the user's own server."""
    page.goto(f"{place.url}/hub/login?next=/hub/spawn")
    page.get_by_label("Username:").fill(name)
    page.get_by_label("Password:").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**/user/{name}/**", timeout=180_000)
    page.wait_for_load_state("load")


def ask(page: Page, name: str, path: str, data: dict[str, str] | None = None) -> str:
    """What the user's server answers, as nbgrader's page of assignments would ask it."""
    status, text = page.evaluate(ASK, [f"/user/{name}/{path}", data])
    if status != 200 or '"success": false' in text:
        sys.exit(f"{name}, {path}: {status} {text[-2000:]}")
    print(f"{name}: {path} {status}", flush=True)
    return str(text)


def hand_in(page: Page, place: Place, name: str, like: str) -> None:
    """Fetch the lesson, do it, check it and hand it in."""
    ask(page, name, "assignments/fetch", {"course_id": COURSE, "assignment_id": STEM})
    notebook = place.folder / "homes" / name / STEM / f"{STEM}.ipynb"
    write_hand_in(notebook, CLASS[like])
    shutil.chown(notebook, name, name)
    checked = subprocess.run(
        ["runuser", "-u", name, "--", place.students / "autograder", "check", notebook],
        cwd=notebook.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    print(f"{name}: check ended with {checked.returncode}\n{checked.stdout[-600:]}{checked.stderr[-600:]}", flush=True)
    ask(page, name, "assignments/submit", {"course_id": COURSE, "assignment_id": STEM})


def week(place: Place, password: str) -> None:
    """Both students hand in, the instructor grades, the students fetch what came of it."""
    for name, like in zip(STUDENTS, ("student-1", "student-2"), strict=True):
        with jupyterlab.browser(jupyterlab.Server(place.url, place.folder)) as tab:
            log_in(tab.page, place, name, password)
            hand_in(tab.page, place, name, like)
    grade(place)
    for name in STUDENTS:
        with jupyterlab.browser(jupyterlab.Server(place.url, place.folder)) as tab:
            log_in(tab.page, place, name, password)
            ask(tab.page, name, "assignments/fetch_feedback", {"course_id": COURSE, "assignment_id": STEM})
        pages = list((place.folder / "homes" / name).glob(f"{STEM}/feedback/*/{STEM}.html"))
        if len(pages) != 1:
            sys.exit(f"{name} has {len(pages)} pages of feedback")
        print(f"{name}: has feedback, {pages[0].stat().st_size:,} bytes", flush=True)
    look_into_the_formgrader(place, password)


def look_into_the_formgrader(place: Place, password: str) -> None:
    """Open the list of what was handed in, as the instructor; HUB_SCREENSHOT names a PNG to keep of it."""
    with jupyterlab.browser(jupyterlab.Server(place.url, place.folder)) as tab:
        log_in(tab.page, place, INSTRUCTOR, password)
        tab.page.goto(f"{place.url}/user/{INSTRUCTOR}/formgrader/manage_submissions/{STEM}")
        try:
            tab.page.locator("tbody tr", has_text=STUDENTS[1]).wait_for(timeout=60_000)
        except jupyterlab.PlaywrightTimeout:
            sys.exit(f"the formgrader shows:\n{tab.page.locator('body').inner_text()}\n{tab.complaints} {tab.blocked}")
        finally:
            if kept := os.environ.get("HUB_SCREENSHOT"):
                tab.page.screenshot(path=kept)
    print("formgrader: shows what was handed in", flush=True)


def grade(place: Place) -> None:
    """What the instructor does after the deadline."""
    commands: Sequence[tuple[str, ...]] = (
        ("nbgrader", "collect", STEM), ("autograder", "grade", "01"),
        ("nbgrader", "generate_feedback", STEM, "--force"), ("nbgrader", "release_feedback", STEM),
        ("nbgrader", "export"),
    )  # fmt: skip
    for command in commands:
        run(*command, cwd=place.course, user=INSTRUCTOR)
    print((place.course / "grades.csv").read_text(encoding="utf-8"), flush=True)


def main() -> int:
    """Go through the week, and say how long it took."""
    if reason := why_not():
        sys.exit(f"make hub: {reason}")
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--keep", type=Path, help="a folder for the students' Python and the proxy, for a next time")
    told = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hub-") as name:
        kept = told.keep or Path(name)
        place = Place(Path(name), free_ports(1)[0], kept / "students", kept / "proxy")
        place.folder.chmod(0o755)
        (place.folder / "homes").mkdir()
        with users(place):
            prepare_course(place)
            install(place)
            password = secrets.token_hex(8)
            with hub(place, password):
                week(place, password)
    print(f"A week on a JupyterHub: {time.monotonic() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
