"""Installs the course into the Python that runs this file.

It runs before anything else is installed, so it uses the standard library only:
`python -I autograder/install.py`, with `--dev` for working on the course, with `--cluster` for grading on one.
"""

import argparse
import http.client
import platform
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import urllib.request
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
NEWS_POP_UP = "@jupyterlab/apputils-extension:announcements"

LOCKS = {"": "requirements.lock", "cluster": "requirements-cluster.lock", "dev": "requirements-dev.lock"}
"""For each extra of pyproject.toml a file of exact versions; it adds to the ones before it. `make lock` writes them."""

SYSTEMS = ("linux-x86_64", "linux-aarch64", "mac-arm64", "win-amd64")
NEWEST_PYTHON = (3, 14)
"""What there is a wheel of torch for, besides the oldest Python: look again when its pin changes."""


def pin_of(package: str) -> str:
    """The requirement of `package` in pyproject.toml, as `name==version`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return next(pin for pin in project["dependencies"] if pin.startswith(f"{package}=="))


def cpu_index_has(pin: str, timeout: float = 3.0) -> bool:
    """Whether PyTorch's CPU index answers and lists the version.

    Args:
        pin: a requirement, as `name==version`.
        timeout: seconds to wait for an answer. pip itself would retry for over a minute.

    Returns:
        False also when the index cannot be reached.
    """
    name = pin.partition("==")[0]
    try:
        with urllib.request.urlopen(f"{CPU_INDEX}/{name}/", timeout=timeout) as answer:
            return pin.replace("==", "-") in answer.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return False


def torch_arguments(system: str = sys.platform) -> list[str]:
    """What to give to `pip install` for the CPU build of torch.

    Args:
        system: as in `sys.platform`. Only on Linux is the default build one for CUDA (gigabytes).

    Returns:
        Without the packages that torch needs, as the lock has them; but it does not have those for CUDA.
    """
    pin = pin_of("torch")
    if not system.startswith("linux"):
        return [pin, "--no-deps"]
    if cpu_index_has(pin):
        return [pin, "--no-deps", "--index-url", CPU_INDEX]
    return [pin]


def this_system() -> str:
    """The system and the processor that this Python is for, as in `SYSTEMS`."""
    if sys.platform == "darwin":  # where one Python may be for both processors, and runs on one
        return f"mac-{platform.machine()}"
    return sysconfig.get_platform()


def why_no_torch(system: str, python: tuple[int, int]) -> str:
    """Why there is no wheel of torch for this Python, and what to do instead.

    Args:
        system: as in `SYSTEMS`.
        python: its version.

    Returns:
        One line; empty where there is a wheel.
    """
    torch = pin_of("torch").replace("==", " ")
    if python > NEWEST_PYTHON:
        newest, found = (".".join(map(str, version)) for version in (NEWEST_PYTHON, python))
        return (
            f"There is no {torch} for Python {found} yet. Install Python {newest}, delete the folder .venv, and then: "
            f"make install PYTHON=python{newest} (Windows: py -{newest} -m venv .venv, and this again)."
        )
    if system in SYSTEMS:
        return ""
    if system.startswith("win"):
        return (
            f"There is no {torch} for this Python ({system}). Install the one for 64-bit Intel and AMD processors, "
            "which runs on ARM as well, delete the folder .venv, and begin again."
        )
    return (
        f"There is no {torch} for {system.replace('mac-x86_64', 'a Mac with an Intel processor')}. Work in the "
        "browser, on Binder or in a Codespace; or `conda create -n course -c conda-forge python=3.13 pip pytorch` and, "
        "after `conda activate course`, run this file again with `python`: it keeps a torch that is there already."
    )


def has_torch() -> bool:
    """Whether a torch, of any version, is installed."""
    try:
        return bool(metadata.version("torch"))
    except metadata.PackageNotFoundError:
        return False


def installer() -> list[str]:
    """The command that installs into this Python: uv, which is faster, where it is on the path and runs; else pip."""
    uv = shutil.which("uv")
    if uv and subprocess.run([uv, "--version"], capture_output=True).returncode == 0:
        # Compiled now: the sandbox cannot write into this folder, and would compile every time.
        return [uv, "pip", "install", "--python", sys.executable, "--compile-bytecode"]
    return [sys.executable, "-m", "pip", "install", "--no-compile"]


def install(*arguments: str) -> None:
    """Install with uv or pip, from the course's folder.

    Raises:
        SystemExit: with its exit code, when it fails.
    """
    code = subprocess.call([*installer(), *arguments], cwd=ROOT)
    if code:
        sys.exit(code)


def lock_arguments(extra: str) -> list[str]:
    """What to give to `pip install` for all packages but torch, in the versions and files of the lock.

    Args:
        extra: a key of `LOCKS`.
    """
    names = list(LOCKS.values())
    chosen = names[: list(LOCKS).index(extra) + 1]
    # Without what packages ask for besides: the lock is complete, and leaves out what only costs time (tests/lock.py).
    return ["--no-deps", "--require-hashes", *(part for name in chosen for part in ("-r", name))]


def compile_packages() -> None:
    """Compile what pip has installed, but for tests: on all cores, where pip would do it on one."""
    packages = sysconfig.get_path("purelib")
    command = [sys.executable, "-m", "compileall", "-qq", "-j", "0", "-x", r"[/\\]tests[/\\]", packages]
    subprocess.run(command, cwd=ROOT)  # some packages bring files that do not compile, and are not meant to


def quieten_jupyterlab() -> None:
    """Switch off JupyterLab's question about news, which covers the first lesson."""
    command = [sys.executable, "-m", "jupyter", "labextension", "disable", NEWS_POP_UP]
    subprocess.run(command, cwd=ROOT, capture_output=True)


def wanted(arguments: Sequence[str] | None) -> str:
    """The extra that the command line asks for, a key of `LOCKS`."""
    parser = argparse.ArgumentParser(description="Install the course into the Python that runs this.")
    parser.add_argument("--cluster", dest="extra", action="store_const", const="cluster", default="")
    parser.add_argument("--dev", dest="extra", action="store_const", const="dev")
    return str(parser.parse_args(arguments).extra)


def main(arguments: Sequence[str] | None = None) -> None:
    """Install torch, then the rest; several minutes and 1.5 GB the first time.

    Args:
        arguments: of the command line; None for those of this process.

    Raises:
        SystemExit: when there is no torch for this machine, or something cannot be installed.
    """
    extra = wanted(arguments)
    problem = why_no_torch(this_system(), sys.version_info[:2])
    if not problem:
        install(*torch_arguments())
    elif not has_torch():
        sys.exit(problem)
    install(*lock_arguments(extra))
    install("--no-deps", "--no-build-isolation", "-e", ".")  # built with the setuptools of the lock
    if extra != "dev":  # nothing of it enters the sandbox
        compile_packages()
    quieten_jupyterlab()


if __name__ == "__main__":
    main()
