"""`make lock`: writes the lock files, in which every package below the pins has a version and the hashes of its files.

python -m tests.lock [--upgrade]
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from importlib import metadata
from pathlib import Path

from autograder.install import LOCKS, ROOT

HEADER = """\
# {what} Written by `make lock`; autograder/install.py installs from it.
# For Linux, macOS and Windows and from Python {python} on, with the hashes of all files that the package index has
# of a version. torch is not in here: it is installed first, on Linux without CUDA, from an index of its own.

"""
WHAT = {
    "": "What everyone needs.",
    "cluster": "What grading on a Dask cluster needs besides requirements.lock.",
    "dev": "What working on the course needs besides the other two.",
}

PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
CONFIGURED = tomllib.loads(PYPROJECT)
PYTHON = CONFIGURED["project"]["requires-python"].removeprefix(">=")

LEFT_OUT = {
    "torch": "is installed first",
    "rfc3987-syntax": "parses the grammar of all web addresses, for 0.8 s, wherever a notebook is read; without it "
    "jsonschema takes any text for an address",
    "lark": "serves rfc3987-syntax alone",
}
"""What packages ask for and the lock does not have, and why."""

# uv resolves a copy of pyproject.toml that says so. In the real one, CUDA's torch would lose CUDA when uv installs it.
WITHOUT = f"\n[tool.uv]\nexclude-dependencies = {sorted(LEFT_OUT)}\n"


def needs_of_torch() -> list[str]:
    """What the installed torch needs, less CUDA (which says that it is for Linux) and less the extras."""
    needs = metadata.requires("torch") or []
    return [need for need in needs if not re.search(r"extra ==|platform_system", need)]


def entries(lock: str) -> dict[str, str]:
    """The entries of a lock file, each under its first line: the requirement with its marker."""
    texts = re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)[1:]
    return {text.partition(" \\\n")[0]: text for text in texts}


def resolve(extra: str, known: str, options: list[str]) -> str:
    """The lock of the project with one of its extras.

    Args:
        extra: as in pyproject.toml, or empty.
        known: a lock file's text; its versions are kept where they fit.
        options: more of them for uv.

    Raises:
        SystemExit: with uv's exit code, when nothing fits the pins or the package index cannot be reached.
    """
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--python-version", PYTHON]
    command += ["--generate-hashes", "--no-header", *(["--extra", extra] if extra else []), *options]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pyproject.toml").write_text(PYPROJECT + WITHOUT, encoding="utf-8")
        (folder / "torch").write_text("\n".join(needs_of_torch()))
        (folder / "build").write_text("\n".join(CONFIGURED["build-system"]["requires"]))
        (folder / "lock").write_text(known, encoding="utf-8")
        # Names without a folder: uv writes into the lock where it has a requirement from.
        run = subprocess.run([*command, "pyproject.toml", "torch", "build", "--output-file", "lock"], cwd=folder)
        if run.returncode:
            sys.exit(run.returncode)
        return (folder / "lock").read_text(encoding="utf-8")


def main() -> None:
    """Resolve with all extras, so that one version of a package serves them all, and divide that into files."""
    earlier = [ROOT / name for name in LOCKS.values()]
    known = "".join(file.read_text(encoding="utf-8") for file in earlier if file.exists())
    everything = resolve("dev", known, sys.argv[1:])
    written: set[str] = set()
    for extra, name in LOCKS.items():
        wanted = entries(everything if extra == "dev" else resolve(extra, everything, []))
        text = "".join(text for first, text in wanted.items() if first not in written)
        header = HEADER.format(what=WHAT[extra], python=PYTHON)
        (ROOT / name).write_text(header + text, encoding="utf-8", newline="\n")
        written |= set(wanted)


if __name__ == "__main__":
    main()
