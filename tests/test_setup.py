"""The set-up holds together: one set of pins, and the files that repeat or use them agree."""

import ast
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import tomllib
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder import install
from tests import lock

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUNTIME = PROJECT["dependencies"]
DEV = PROJECT["optional-dependencies"]["dev"]
CLUSTER = PROJECT["optional-dependencies"]["cluster"]
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
LOCKS = {extra: (ROOT / name).read_text(encoding="utf-8") for extra, name in install.LOCKS.items()}
ENTRIES = [entry for text in LOCKS.values() for entry in lock.entries(text).items()]
LOCKED = [Requirement(first) for first, _ in ENTRIES]
TARGETS = ("install", "lab", "quick", "test", "test-all", "bench", "notebooks", "book", "hub", "lock", "format", "lint")
BASH = shutil.which("bash")
MAKE = shutil.which("make")


def script(path, text):
    """Write an executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{BASH}\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def environment():
    return yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))


# --- the pins -------------------------------------------------------------------------------


@pytest.mark.parametrize("pin", RUNTIME + DEV)
def test_every_pin_is_exact_and_is_what_runs_here(pin):
    name, version = re.fullmatch(r"([\w-]+)==([\d.]+)", pin).groups()
    assert metadata.version(name).partition("+")[0] == version


def test_the_tests_run_on_the_cluster_that_an_instructor_gets():
    assert set(CLUSTER) <= set(DEV)


def test_conda_brings_python_and_pip_brings_the_pins(environment):
    *conda, last = environment["dependencies"]
    index, *pins = last["pip"]
    assert [name.partition("=")[0] for name in conda] == ["python", "pip"]
    assert index == f"--extra-index-url {install.CPU_INDEX}"
    assert sorted(pins) == sorted(RUNTIME)


def test_conda_brings_a_python_the_course_accepts(environment):
    chosen = environment["dependencies"][0].partition("=")[2]
    assert f">={chosen}" == PROJECT["requires-python"]


@pytest.mark.parametrize("name", ["Makefile", "binder/postBuild", ".ci/run", "autograder/install.py"])
def test_no_version_is_chosen_elsewhere(name):
    assert not re.search(r"==\d", (ROOT / name).read_text(encoding="utf-8"))


def imported_by(file):
    """The top-level names that a Python file imports, anywhere in it."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0}
    return {name.partition(".")[0] for name in plain | named}


MAKES_THE_BOOK = ROOT / "autograder/dev/book"


def test_what_the_course_imports_is_pinned():
    folders = ("autograder", "solutions", "course/widgets")
    files = {file for folder in folders for file in (ROOT / folder).rglob("*.py")}
    authors = set(MAKES_THE_BOOK.rglob("*.py"))
    assert not_pinned(files - authors, RUNTIME + CLUSTER) == set()
    assert not_pinned(authors, RUNTIME + DEV) == set()


def not_pinned(files, pins):
    """The names that files import and none of the pinned packages provides."""
    names = set().union(*map(imported_by, files)) - sys.stdlib_module_names
    providers = metadata.packages_distributions()
    pinned = {pin.partition("==")[0].lower() for pin in pins}
    return {
        name
        for name in names - {"autograder", "solutions", "course", "my_transformer"}
        if not pinned & {provider.lower() for provider in providers.get(name, [])}
    }


def test_the_packages_are_found_from_any_folder(tmp_path):
    code = "import autograder, course, my_transformer, solutions; print(my_transformer.__file__)"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout.strip() == str(ROOT / "course/my_transformer/__init__.py"), run.stderr


# --- the lock -------------------------------------------------------------------------------


def pin(requirement):
    """A requirement without its marker, the name in its one form."""
    return f"{canonicalize_name(requirement.name)}{requirement.specifier}"


def locked_here():
    """The version that the lock has for this system and this Python, by name."""
    here = [one for one in LOCKED if one.marker is None or one.marker.evaluate()]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in here}


def test_there_is_a_lock_for_every_extra():
    assert set(install.LOCKS) == {"", *PROJECT["optional-dependencies"]}


@pytest.mark.parametrize(("extra", "pins"), [("", RUNTIME), ("cluster", CLUSTER), ("dev", DEV)])
def test_the_lock_has_every_pin_and_no_other_version_of_it(extra, pins):
    files = install.lock_arguments(extra)[3::2]
    locked = [Requirement(first) for name in files for first in lock.entries((ROOT / name).read_text())]
    pinned = {pin(Requirement(one)) for one in pins} - {install.pin_of("torch")}
    names = {one.partition("==")[0] for one in pinned}
    assert {pin(one) for one in locked if canonicalize_name(one.name) in names} == pinned


@pytest.mark.parametrize("need", lock.needs_of_torch() + BUILD)
def test_the_lock_has_what_torch_needs_and_what_builds_the_course(need):
    needed = Requirement(need)
    assert needed.specifier.contains(locked_here()[canonicalize_name(needed.name)])


def test_the_lock_has_all_that_its_packages_need():
    """It is installed without looking at their needs."""
    locked = locked_here()
    assert {need for name in locked for need in needs_here(name)} - set(locked) == {"rfc3987-syntax"}


@cache
def needs_of(package):
    """What an installed package says that it needs; nothing of one that is for other machines."""
    try:
        return [Requirement(one) for one in metadata.requires(package) or []]
    except metadata.PackageNotFoundError:
        return []


def needs_here(package):
    """What it needs on this machine, with the extras that others ask it for."""
    extras = [""]
    for one in (one for other in locked_here() for one in needs_of(other)):
        if canonicalize_name(one.name) == package and applies(one, [""]):
            extras += one.extras
    return {canonicalize_name(one.name) for one in needs_of(package) if applies(one, extras)}


def applies(need, extras):
    return need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in extras)


def test_the_lock_has_neither_torch_nor_cuda():
    assert [one.name for one in LOCKED if re.match("torch|triton|nvidia|cuda|pytorch", one.name)] == []


@pytest.mark.parametrize(("first", "text"), ENTRIES, ids=[first.partition(" ;")[0] for first, _ in ENTRIES])
def test_every_entry_of_the_lock_is_exact_and_has_hashes(first, text):
    assert re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; [\w.<>=!'() ]+)?", first)
    hashes, _, reasons = text.partition("    # via")
    assert re.fullmatch(r"( \\\n    --hash=sha256:[0-9a-f]{64})+\n", hashes.removeprefix(first))
    assert re.fullmatch(r"[\w .()#\n-]+", reasons)


@pytest.mark.parametrize("text", LOCKS.values(), ids=install.LOCKS.values())
def test_the_lock_names_no_index_and_no_folder(text):
    head = text[: text.index(next(iter(lock.entries(text))))]
    assert all(line.startswith("#") for line in head.splitlines() if line)
    assert not re.search(r"://|www\.|\\\w|[^\w]/|\bindex-url|find-links|@", text)


def test_what_is_installed_here_is_what_the_lock_has():
    other = {}
    for name, version in locked_here().items():
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        if found != version:
            other[name] = (found, version)
    assert other == {}, "`make .venv/.dev` installs what the lock has"


def test_cuda_and_extras_are_not_among_the_needs_of_torch(monkeypatch):
    needs = [
        "filelock",
        'setuptools; python_version >= "3.12"',
        'triton==3.7.1; platform_system == "Linux"',
        'optree>=0.13.0; extra == "optree"',
    ]
    monkeypatch.setattr(metadata, "requires", lambda name: needs)
    assert lock.needs_of_torch() == needs[:2]


def test_a_lock_leaves_out_what_the_ones_before_it_have(monkeypatch, tmp_path):
    on_linux = "one==1 ; sys_platform == 'linux' \\\n    --hash=sha256:1\n"
    one, two = "one==1 \\\n    --hash=sha256:1\n", "two==2 \\\n    --hash=sha256:2\n    # via one\n"
    resolved = {"": on_linux, "cluster": one, "dev": one + two}
    monkeypatch.setattr(lock, "resolve", lambda extra, known, options: resolved[extra])
    monkeypatch.setattr(lock, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["lock"])
    lock.main()
    written = [(tmp_path / name).read_text().partition("\n\n")[2] for name in install.LOCKS.values()]
    assert written == [on_linux, one, two]


# --- torch's CPU build ----------------------------------------------------------------------


@pytest.fixture
def cpu_index(monkeypatch):
    """A stand-in for PyTorch's index on this machine that lists one version."""

    class Index(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/torch/" else 404)
            self.end_headers()
            self.wfile.write(b'<a href="torch-9.9.9%2Bcpu-cp311-cp311-linux_x86_64.whl">torch</a>')

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(install, "CPU_INDEX", f"http://127.0.0.1:{server.server_port}")
    yield
    server.shutdown()
    server.server_close()


def test_linux_takes_the_cpu_index_when_it_has_the_version(cpu_index, monkeypatch):
    monkeypatch.setattr(install, "pin_of", lambda package: "torch==9.9.9")
    assert install.torch_arguments("linux") == ["torch==9.9.9", "--no-deps", "--index-url", install.CPU_INDEX]


def test_linux_takes_the_default_index_when_the_cpu_index_lacks_the_version(cpu_index):
    assert install.torch_arguments("linux") == [install.pin_of("torch")]


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_systems_do_not_ask(platform, monkeypatch):
    monkeypatch.setattr(install, "cpu_index_has", lambda pin: pytest.fail("asked"))
    assert install.torch_arguments(platform) == [install.pin_of("torch"), "--no-deps"]


@pytest.mark.parametrize("answers", [b"", b"not HTTP at all\r\n\r\n"])
def test_an_index_that_is_silent_or_strange_counts_as_absent(answers, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            connection.sendall(answers)
            answered.wait(10)
            connection.close()

        answered = threading.Event()
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setattr(install, "CPU_INDEX", f"http://127.0.0.1:{server.getsockname()[1]}")
        assert not install.cpu_index_has("torch==9.9.9", timeout=0.2)
        answered.set()
        thread.join(10)


def test_an_index_that_refuses_counts_as_absent(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(install, "CPU_INDEX", f"http://127.0.0.1:{port}")
    assert not install.cpu_index_has("torch==9.9.9")


def test_the_pin_of_torch_comes_from_the_project():
    assert install.pin_of("torch") in RUNTIME


def test_the_installer_needs_nothing_installed():
    assert imported_by(ROOT / "autograder/install.py") <= sys.stdlib_module_names


# --- the installer's commands ---------------------------------------------------------------

PIP = [sys.executable, "-m", "pip", "install", "--no-compile"]
COURSE = ["--no-deps", "--no-build-isolation", "-e", "."]


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """The commands that the installer would run, with no uv on the path."""
    ran = []
    monkeypatch.setattr(subprocess, "call", lambda command, cwd: ran.append(command))
    monkeypatch.setattr(install, "quieten_jupyterlab", lambda: None)
    monkeypatch.setattr(install, "compile_packages", lambda: None)
    monkeypatch.setattr(install, "torch_arguments", lambda: ["torch"])
    monkeypatch.setenv("PATH", str(tmp_path))
    return ran


@pytest.mark.parametrize(
    ("asked", "locks"),
    [
        ([], ["-r", "requirements.lock"]),
        (["--cluster"], ["-r", "requirements.lock", "-r", "requirements-cluster.lock"]),
        (["--dev"], ["-r", "requirements.lock", "-r", "requirements-cluster.lock", "-r", "requirements-dev.lock"]),
    ],
)
def test_torch_comes_first_then_the_lock_then_the_course(asked, locks, commands):
    install.main(asked)
    assert commands == [[*PIP, "torch"], [*PIP, "--no-deps", "--require-hashes", *locks], [*PIP, *COURSE]]


@pytest.mark.parametrize(("asked", "compiled"), [([], True), (["--cluster"], True), (["--dev"], False)])
def test_what_enters_the_sandbox_is_compiled(asked, compiled, commands, monkeypatch):
    monkeypatch.setattr(install, "compile_packages", lambda: commands.append("compiled"))
    install.main(asked)
    assert (commands[-1] == "compiled") == compiled


def test_uv_installs_when_it_is_on_the_path(commands, tmp_path):
    script(tmp_path / "uv", "exit 0")
    install.main([])
    uv = [str(tmp_path / "uv"), "pip", "install", "--python", sys.executable, "--compile-bytecode"]
    lock_alone = ["--no-deps", "--require-hashes", "-r", "requirements.lock"]
    assert commands == [[*uv, "torch"], [*uv, *lock_alone], [*uv, *COURSE]]


def test_a_uv_that_does_not_run_is_left_alone(commands, tmp_path):
    script(tmp_path / "uv", "exit 127")
    install.main([])
    assert commands[0] == [*PIP, "torch"]


def test_the_installer_stops_at_the_first_failure(commands, monkeypatch):
    monkeypatch.setattr(subprocess, "call", lambda command, cwd: commands.append(command) or 3)
    with pytest.raises(SystemExit, match="3"):
        install.main([])
    assert len(commands) == 1


def test_packages_are_compiled_but_for_their_tests_and_what_does_not_compile(monkeypatch, tmp_path):
    for name in ("one/code.py", "one/tests/test_code.py", "two/code.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    (tmp_path / "one" / "template.py").write_text("{{ name }} = ")
    monkeypatch.setattr(install.sysconfig, "get_path", lambda name: str(tmp_path))
    install.compile_packages()
    assert sorted(one.parts[-3] + "/" + one.name.partition(".")[0] for one in tmp_path.rglob("*.pyc")) == [
        "one/code",
        "two/code",
    ]


@pytest.mark.parametrize("system", install.SYSTEMS)
@pytest.mark.parametrize("python", [(3, 11), install.NEWEST_PYTHON])
def test_most_machines_have_a_torch(system, python):
    assert install.why_no_torch(system, python) == ""


@pytest.mark.parametrize(
    ("system", "python", "words"),
    [
        ("mac-x86_64", (3, 11), ("a Mac with an Intel processor", "Binder", "conda-forge")),
        ("win-arm64", (3, 11), ("win-arm64", "64-bit Intel and AMD")),
        ("linux-riscv64", (3, 11), ("linux-riscv64", "Binder", "conda-forge")),
        ("linux-x86_64", (3, 99), ("Python 3.99", "Install Python 3.14", "make install PYTHON=python3.14")),
    ],
)
def test_without_a_torch_one_line_says_what_to_do_and_nothing_is_installed(
    system, python, words, commands, monkeypatch
):
    line = install.why_no_torch(system, python)
    monkeypatch.setattr(install, "why_no_torch", lambda system, python: line)
    monkeypatch.setattr(install, "has_torch", lambda: False)
    with pytest.raises(SystemExit) as stop:
        install.main([])
    assert commands == []
    assert stop.value.code == line and "\n" not in line
    assert all(word in line for word in words)


def test_the_tests_run_on_a_system_that_has_a_torch():
    assert install.this_system() in install.SYSTEMS


@pytest.mark.parametrize("processor", ["arm64", "x86_64"])
def test_a_mac_is_told_by_its_processor(processor, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(install.platform, "machine", lambda: processor)
    assert install.this_system() == f"mac-{processor}"


def test_a_torch_that_is_there_already_is_kept_where_there_is_none_to_install(commands, monkeypatch):
    monkeypatch.setattr(install, "why_no_torch", lambda system, python: "There is no torch.")
    assert install.has_torch()
    install.main([])
    assert commands == [[*PIP, "--no-deps", "--require-hashes", "-r", "requirements.lock"], [*PIP, *COURSE]]


def test_no_torch_is_seen(monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    assert not install.has_torch()


def test_make_looks_for_no_python_that_is_too_new():
    named = re.findall(r"python3\.(\d+)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert max(map(int, named)) == install.NEWEST_PYTHON[1]


# --- make -----------------------------------------------------------------------------------


def make(*arguments, cwd=ROOT, **environment):
    command = [MAKE, "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True)


@pytest.fixture
def empty_course(tmp_path):
    """The Makefile, the pins and the lock alone, and a folder of commands that hides all others."""
    for name in ("Makefile", "pyproject.toml", *install.LOCKS.values()):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "commands").mkdir()
    return tmp_path


def test_plain_make_lists_the_targets():
    listed = re.findall(r"^  make ([\w-]+)\s+\w", make().stdout, re.MULTILINE)
    assert set(listed) == {"help", *TARGETS}


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_can_be_made_from_nothing(target, empty_course):
    plan = make("--dry-run", target, cwd=empty_course)
    assert plan.returncode == 0, plan.stderr
    assert "-m venv .venv" in plan.stdout
    assert "autograder/install.py" in plan.stdout


def test_lab_opens_the_first_notebook_and_passes_arguments_on(empty_course):
    plan = make("--dry-run", "lab", "LAB_ARGS=--no-browser", cwd=empty_course).stdout
    command = " ".join(plan.replace("\\\n", " ").split())
    assert command.endswith("--ServerApp.root_dir=. course/00_start_here.ipynb --no-browser")
    assert "--dev" not in plan


def test_make_takes_the_first_python_that_is_new_enough(empty_course):
    commands = empty_course / "commands"
    script(commands / "python3", "exit 1")
    script(commands / "python3.12", "exit 0")
    plan = make("--dry-run", "install", cwd=empty_course, PATH=str(commands))
    assert "|| python3.12 -m venv .venv" in plan.stdout


def test_make_says_that_python_is_too_old(empty_course):
    commands = empty_course / "commands"
    script(commands / "python3", "exit 1")
    run = make("install", cwd=empty_course, PATH=str(commands))
    assert run.returncode != 0
    assert "No Python 3.11 or newer was found" in run.stderr
    assert not (empty_course / ".venv").exists()


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements.lock"])
def test_install_runs_again_only_when_the_pins_change(name, empty_course):
    stamp = empty_course / ".venv/.installed"
    script(empty_course / ".venv/bin/python", "exit 0")
    first = make("install", cwd=empty_course)
    again = make("install", cwd=empty_course)
    os.utime(empty_course / name, (stamp.stat().st_mtime + 5,) * 2)
    changed = make("install", cwd=empty_course)
    ran = ["install.py" in run.stdout for run in (first, again, changed)]
    assert ran == [True, False, True]


def test_missing_node_is_said_and_is_an_error_in_ci(empty_course):
    (empty_course / "tests").mkdir()
    (empty_course / "tests/heatmap.test.mjs").write_text("")
    alone = make("js", cwd=empty_course, PATH=str(empty_course / "commands"), CI="")
    in_ci = make("js", cwd=empty_course, PATH=str(empty_course / "commands"), CI="1")
    assert "node is missing" in alone.stdout
    assert (alone.returncode == 0, in_ci.returncode == 0) == (True, False)


# --- Binder and CI --------------------------------------------------------------------------


def test_binder_uses_the_same_environment():
    assert (ROOT / "binder/environment.yml").resolve() == ROOT / "environment.yml"


def test_repo2docker_reads_binder():
    command = [
        str(Path(sys.executable).parent / "jupyter-repo2docker"),
        "--no-build",
        "--debug",
        ".",
    ]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    dockerfile = run.stdout + run.stderr
    assert run.returncode == 0, dockerfile
    assert "Building conda environment for python=3.11" in dockerfile
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "binder/environment.yml"' in dockerfile
    assert "RUN ./binder/postBuild" in dockerfile


@pytest.mark.parametrize("name", ["binder/postBuild", ".ci/run"])
def test_scripts_can_be_run(name):
    assert os.access(ROOT / name, os.X_OK)
    assert subprocess.run([BASH, "-n", ROOT / name], capture_output=True).stderr == b""


def test_post_build_installs_the_course_and_stops_at_the_first_failure(tmp_path):
    script(tmp_path / "python", 'echo "python $*"; exit 3')
    script(tmp_path / "jupyter", 'echo "jupyter $*"')
    run = subprocess.run(
        [BASH, ROOT / "binder/postBuild"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 3
    assert run.stdout.splitlines() == ["python -m pip install --no-deps --no-cache-dir -e ."]


def run_ci(tmp_path, *present):
    """Run a copy of .ci/run where only the named commands exist; return what it called."""
    commands = tmp_path / "commands"
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", tmp_path / ".ci/run")
    for name in present:
        script(commands / name, "exit 0")
    script(commands / "apt-get", 'echo "apt-get $*"')
    script(commands / "make", 'echo "make $*, CI=$CI"; exit 7')
    script(commands / "id", "echo 0")
    for name in ("dirname", "env"):
        (commands / name).symlink_to(shutil.which(name))
    command = [BASH, tmp_path / ".ci/run"]
    return subprocess.run(command, env={"PATH": str(commands)}, capture_output=True, text=True)


def test_ci_installs_what_is_missing_then_tests(tmp_path):
    run = run_ci(tmp_path, "node")
    update, packages, tests = run.stdout.splitlines()
    assert update == "apt-get update"
    assert packages.endswith(" chromium bubblewrap util-linux python3 python3-venv")
    assert tests == "make test, CI=1"
    assert run.returncode == 7


def test_ci_installs_nothing_when_all_is_there(tmp_path):
    run = run_ci(tmp_path, "node", "chromium", "bwrap", "setpriv", "python3")
    assert run.stdout.splitlines() == ["make test, CI=1"]
