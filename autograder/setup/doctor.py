"""`autograder doctor`: what this machine has for the course, and what to do about what it lacks.

Only the standard library is imported at the top, so that a machine that lacks the rest is told so.
"""

import contextlib
import importlib.util
import io
import json
import os
import platform
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from autograder.setup.free_memory import free_memory
from autograder.setup.ranges import COLAB, IN_COLAB

MEMORY_OF_A_LESSON = 2**30
SERVER_EXTENSIONS = tuple(
    f"nbgrader.server_extensions.{name}" for name in ("formgrader", "validate_assignment", "assignment_list")
)
IS_PACKAGE = (Path(__file__).resolve().parent.parent / "choices.toml").is_file()
"""Whether this is what the students of a class install: it asks for ranges of versions, and nothing of the server."""

IS_GUEST = IS_PACKAGE or bool(os.environ.get(IN_COLAB))
"""Whether Python and JupyterLab are somebody else's, in versions of theirs."""


def _again() -> str:
    if IS_PACKAGE:
        return "install your class's package again, as its README.md says"
    if IS_GUEST:
        return "run the cell that fetched the course again"
    return f'in the course\'s folder, run: "{sys.executable}" -I autograder/install.py'


INSTALL = _again()


@dataclass(frozen=True)
class Diagnosis:
    """One line of the doctor's report.

    Args:
        ok: whether the course works with it.
        says: what was found.
        remedy: what to do, when it is not ok.
    """

    ok: bool
    says: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"[ok] {self.says}" if self.ok else f"[!!] {self.says} → {self.remedy}"


def python_version() -> Diagnosis:
    """Python 3.11 or newer."""
    says = f"Python {platform.python_version()}"
    remedy = "the course needs 3.11 or newer: install it, delete the folder .venv, install again"
    return Diagnosis(sys.version_info >= (3, 11), says, remedy)


def operating_system() -> Diagnosis:
    """A 64-bit system; there is no torch for others."""
    says = f"{platform.system()} {platform.release()} on {platform.machine()}"
    if sys.maxsize > 2**32:
        return Diagnosis(True, says)
    return Diagnosis(False, f"{says}, 32-bit Python", "install the 64-bit Python: torch needs it")


def course() -> Diagnosis:
    """The course's own packages can be imported from any folder."""
    names = ("autograder", "course", "my_transformer")
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    problems = [f"{name} cannot be imported" for name in missing]
    return _judged("the course", problems or version_problems("transformer-course"))


def torch_works() -> Diagnosis:
    """torch is there and multiplies."""
    problems = version_problems("torch")
    if problems:
        return _judged("torch", problems)
    import torch

    product = torch.ones(8, 8) @ torch.ones(8, 8)
    if product.sum().item() != 8**3:
        return _judged("torch", ["a product of two 8 × 8 matrices comes out wrong"])
    threads = torch.get_num_threads()
    return Diagnosis(True, f"torch {torch.__version__}, {threads} CPU thread{'s' * (threads != 1)}")


def jupyterlab() -> Diagnosis:
    """JupyterLab and the kernel it starts. On a hub, JupyterLab may be in a Python that is not ours to see."""
    if IS_GUEST and is_absent("jupyterlab"):
        found = _packages("ipykernel")
        return Diagnosis(True, f"{found.says}; JupyterLab is your server's own") if found.ok else found
    return _packages("jupyterlab", "ipykernel")


def versions() -> Diagnosis:
    """Everything that a class's package asks for is there, in a version that it was tried with."""
    names = list(_wanted())
    problems = [problem for name in names for problem in version_problems(name)]
    if problems:
        return Diagnosis(False, ", ".join(problems), INSTALL)
    return Diagnosis(True, ", ".join(f"{name} {metadata.version(name)}" for name in names))


def nbgrader() -> Diagnosis:
    """nbgrader, and its extensions of JupyterLab and of the server."""
    problems = version_problems("nbgrader")
    if problems:
        return _judged("nbgrader", problems)
    off = [name for name in SERVER_EXTENSIONS if not _server_extensions().get(name)]
    if off:
        command = f'"{sys.executable}" -m jupyter server extension enable {" ".join(off)}'
        return Diagnosis(False, f"nbgrader: {', '.join(off)} not enabled", f"run: {command}")
    enabled = f"nbgrader {metadata.version('nbgrader')}, its extensions are enabled"
    return _lab_extensions("@jupyter/nbgrader") or Diagnosis(True, enabled)


def widgets() -> Diagnosis:
    """The widgets' Python side and their side in JupyterLab."""
    names = ("@jupyter-widgets/jupyterlab-manager", "anywidget")
    found = _packages("ipywidgets", "anywidget")
    if found.ok and IS_GUEST and is_absent("jupyterlab"):
        return Diagnosis(True, f"{found.says}; where no widget shows, your server's JupyterLab lacks anywidget")
    return (_lab_extensions(*names) if found.ok else None) or found


def library() -> Diagnosis:
    """The folder that keeps the code that passed can be written to."""
    from autograder.learner.library import home

    try:
        folder = home()
        with tempfile.TemporaryFile(dir=folder):
            return Diagnosis(True, f"your code is kept in {folder}")
    except OSError as error:
        remedy = "allow writing there, or set MY_TRANSFORMER_HOME to a folder of yours"
        return Diagnosis(False, f"your code cannot be saved: {error}", remedy)


def memory() -> Diagnosis:
    """Enough free memory for a lesson."""
    free = free_memory()
    if free is None:
        return Diagnosis(True, "free memory unknown on this system; a lesson takes up to 1 GB")
    says = f"{free / 2**30:.1f} GB of memory free"
    remedy = "a lesson takes up to 1 GB: close programs, or shut down kernels you no longer need"
    return Diagnosis(free >= MEMORY_OF_A_LESSON, says, remedy)


CHECKS: tuple[Callable[[], Diagnosis], ...] = (
    python_version,
    operating_system,
    course,
    torch_works,
    jupyterlab,
    versions if IS_GUEST else nbgrader,
    widgets,
    library,
    memory,
)


def diagnoses() -> list[Diagnosis]:
    """All that the doctor looks at, in the order it is shown. Never raises, prints nothing."""
    with _silence():
        return [_never_raises(check) for check in CHECKS]


def main() -> int:
    """Print one line for each finding.

    Returns:
        0 when all is well, otherwise 1.
    """
    found = diagnoses()
    for finding in found:
        print(_printable(str(finding)))
    return 0 if all(finding.ok for finding in found) else 1


def _never_raises(check: Callable[[], Diagnosis]) -> Diagnosis:
    try:
        return check()
    except Exception as error:
        name = check.__name__.replace("_", " ")
        return Diagnosis(False, f"{name}: {type(error).__name__}: {error}", INSTALL)


def _judged(what: str, problems: list[str]) -> Diagnosis:
    if problems:
        return Diagnosis(False, f"{what}: {', '.join(problems)}", INSTALL)
    return Diagnosis(True, f"{what} is installed")


def _packages(*names: str) -> Diagnosis:
    problems = [problem for name in names for problem in version_problems(name)]
    if problems:
        return Diagnosis(False, ", ".join(problems), INSTALL)
    return Diagnosis(True, ", ".join(f"{name} {metadata.version(name)}" for name in names))


def version_problems(package: str) -> list[str]:
    """That a package is missing, or in a version that the course was not tested with; empty when neither is so."""
    try:
        version = metadata.version(package).partition("+")[0]
    except metadata.PackageNotFoundError:
        return [f"{package} is not installed"]
    wanted = _wanted().get(package, "")
    if not wanted or _is_in(version, wanted):
        return []
    return [f"{package} is {version}, the course was tested with {wanted.removeprefix('==')}"]


def _is_in(version: str, wanted: str) -> bool:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(wanted).contains(version, prereleases=True)


def _wanted() -> dict[str, str]:
    """The versions the course was tested with, as its own installation says it: `==2.4.6`, or a range."""
    if IS_GUEST and not IS_PACKAGE:
        return COLAB
    try:
        requirements = metadata.requires("transformer-course") or []
    except metadata.PackageNotFoundError:
        return {}
    named = (re.match(r"([\w.-]+)(.*)", one) for one in requirements if ";" not in one)
    return {found[1]: found[2] for found in named if found}


def is_absent(package: str) -> bool:
    """Whether no version of a package is installed."""
    try:
        return not metadata.version(package)
    except metadata.PackageNotFoundError:
        return True


def _server_extensions() -> dict[str, bool]:
    from jupyter_core.paths import jupyter_config_path
    from jupyter_server.extension.config import ExtensionConfigManager

    manager = ExtensionConfigManager(read_config_path=jupyter_config_path())
    return manager.get_jpserver_extensions()


def _lab_extensions(*names: str) -> Diagnosis | None:
    """What is wrong with these extensions of JupyterLab; None when nothing is."""
    from jupyter_core.paths import jupyter_config_path, jupyter_path

    folders = [Path(path) for path in jupyter_path("labextensions")]
    for name in names:
        if not any((folder / name / "package.json").exists() for folder in folders):
            return Diagnosis(False, f"JupyterLab lacks the extension {name}", INSTALL)
        if name in _switched_off(jupyter_config_path()):
            command = f'"{sys.executable}" -m jupyter labextension enable {name}'
            return Diagnosis(False, f"JupyterLab's {name} is switched off", f"run: {command}")
    return None


def _switched_off(config_folders: list[str]) -> set[str]:
    """Extensions that a page_config.json disables; the first file to name one decides."""
    decided: dict[str, bool] = {}
    for folder in config_folders:
        file = Path(folder) / "labconfig" / "page_config.json"
        if file.exists():
            disabled = json.loads(file.read_text(encoding="utf-8")).get("disabledExtensions", {})
            named = disabled if isinstance(disabled, dict) else dict.fromkeys(disabled, True)
            decided = {**named, **decided}
    return {name for name, off in decided.items() if off}


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    # In a graded notebook a single warning on stderr would cost the cell its points.
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def _printable(line: str) -> str:
    # A Windows console may know neither → nor ×.
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    plain = line.replace("→", "->").replace("×", "x")
    try:
        line.encode(encoding)
    except UnicodeEncodeError:
        return plain.encode(encoding, "replace").decode(encoding)
    return line
