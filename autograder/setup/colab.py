"""The course in a notebook that was opened in Colab: what is missing is added, and what is there stays as it is.

The first cell of such a notebook fetches the course and runs this file:

    !git clone -q --depth 1 https://github.com/OWNER/NAME transformer-course
    %run transformer-course/autograder/setup/colab.py

Only the standard library is imported at the top: it runs before anything of the course is there.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LOCK = ROOT / "requirements.lock"
DRIVE = Path("/content/drive/MyDrive")

ADDED = (
    *("anywidget", "psygnal"),
    *("jaxtyping", "wadler-lindig"),
    *("sacrebleu", "portalocker", "tabulate", "colorama", "regex", "lxml"),
    *("num2words", "docopt"),
    *("Babel", "platformdirs", "safetensors", "tokenizers", "tqdm", "nbformat"),
)
"""What a notebook of the course may lack in Colab, each with what it needs itself.

It is installed without what packages ask for, so that pip replaces nothing of the kernel that runs.
"""


NEVER_TOUCHED = ("torch", "numpy", "ipykernel", "ipython", "ipywidgets", "matplotlib", "traitlets", "scikit-learn")


def main() -> None:
    """Add what is missing, let the notebook find the course, wake the widgets, and say what was done.

    Raises:
        SystemExit: where Python is too old, torch is not there, or pip fails.
    """
    find_the_course()
    from autograder.setup import doctor

    python = doctor.python_version()
    if not python.ok:
        sys.exit(f"This is {python.says}; the course needs 3.11 or newer.")
    if doctor.is_absent("torch"):
        sys.exit("There is no torch here. In Colab there is one; elsewhere, the course's README says how to install.")
    added = [name for name in ADDED if doctor.is_absent(name)]
    if added:
        add(added)
    untried = [problem for name in NEVER_TOUCHED for problem in doctor.version_problems(name)]
    print(f"Added: {', '.join(added)}." if added else "Nothing had to be added.")
    print(*(f"{problem}." for problem in untried), *where_code_is_kept(), sep="\n")
    if not wake_widgets():
        print("This is not Colab: whether widgets live is up to your notebook's own front end.")


def add(names: Sequence[str]) -> None:
    """Install these in the versions and files of the lock, and nothing else.

    Raises:
        SystemExit: with what pip said, when it fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "added.txt"
        wanted.write_text("".join(map(_locked, names)), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
        done = subprocess.run([*command, "-r", str(wanted)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"These could not be installed: {', '.join(names)}. pip said:\n{done.stderr.strip()}")
    importlib.invalidate_caches()


def _locked(name: str) -> str:
    """What the lock says of a package: a line with its version, and one for each hash."""
    entry = re.compile(rf"^{re.escape(name)}==.*\n(?:    --hash=.*\n)+", re.MULTILINE | re.IGNORECASE)
    found = entry.search(LOCK.read_text(encoding="utf-8"))
    if not found:
        raise LookupError(f"{LOCK.name} has no entry for {name}")
    return found[0]


def find_the_course() -> None:
    """Let this process, and those that it starts, import the course, and `my_transformer` by its own name."""
    places = [str(ROOT), str(ROOT / "course")]
    sys.path[:0] = [place for place in places if place not in sys.path]
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([*places, *filter(None, known)]))
    from autograder.setup.ranges import IN_COLAB

    os.environ[IN_COLAB] = "1"
    if DRIVE.is_dir():
        os.environ.setdefault("MY_TRANSFORMER_HOME", str(DRIVE / "my_transformer"))


def where_code_is_kept() -> list[str]:
    """Where code that passed is kept, and that it goes with the machine where no drive is there."""
    from autograder.learner.library import home

    if home().is_relative_to(DRIVE):
        return [f"Your code that passes is kept in {home()}."]
    return [
        f"Your code that passes is kept in {home()}, and is gone with this machine. To keep it, mount your drive",
        "(from google.colab import drive; drive.mount('/content/drive')) before this cell runs.",
    ]


def wake_widgets() -> bool:
    """Allow widgets of others in Colab, which shows none unless asked to; False where this is not Colab."""
    try:
        output = importlib.import_module("google.colab.output")
    except ImportError:
        return False
    output.enable_custom_widget_manager()
    return True


if __name__ == "__main__":
    main()
