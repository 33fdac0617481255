"""Copies what a lesson's sandbox may see of the course's software into a folder of its own. Runs outside.

Nothing is there that is not copied: no reference, no mistakes, no lesson text with its model answers, and of this
lesson's stand-ins only what is given to everybody anyway.
"""

from __future__ import annotations

import compileall
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from autograder import homes, registry
from autograder.sandbox.excerpt import excerpt, given
from autograder.sandbox.own_folder import own_folder

PACKAGE = Path(__file__).resolve().parent.parent
COURSE = registry.COURSE

FILES = ("__init__.py", "homes.py", "registry.py")
FOLDERS = ("probing", "judging", "reporting", "learner", "setup")
KINDS = (".py", ".js", ".css", ".json")


@contextmanager
def staged(lesson: str, also: Sequence[str] = ()) -> Iterator[Path]:
    """The folder for a lesson's sandbox, for as long as it is needed."""
    with own_folder("stage") as folder:
        folder.chmod(0o755)  # inside, it is read by another user
        fill(folder, lesson, also=also)
        _copy([PACKAGE / "sandbox" / "__init__.py"], folder / "autograder" / "sandbox")
        _copy(_modules_in("sandbox/inside"), folder / "autograder" / "sandbox" / "inside")
        compileall.compile_dir(folder, quiet=2, stripdir=str(folder))
        yield folder


def fill(folder: Path, lesson: str, lent: Collection[str] = (), *, also: Sequence[str] = ()) -> None:
    """Copy the course's software as far as a lesson needs it.

    Args:
        folder: where to.
        lesson: the lesson; earlier ones are there as well.
        lent: names of its own stand-ins that are there, besides what is given to everybody.
        also: later lessons whose exercises are checked with its own; their stand-ins are answers, too.
    """
    known = registry.lessons()
    before, checked = known[: known.index(lesson)], (lesson, *also)
    own = folder / "autograder"
    _copy([PACKAGE / name for name in FILES], own)
    _copy_part("checks", (*before, *checked), own)
    _copy_part("stand_ins", before, own)
    for one in checked:
        if registry.files("stand_ins", one):
            (own / "stand_ins" / f"{one}.py").write_text(excerpt(one, given(one) | set(lent)), encoding="utf-8")
    for name in FOLDERS:
        _copy(_modules_in(name), own / name)
    for course in (COURSE, *(own / "course" for own in [homes.own()] if own)):
        _copy(sorted(course.glob("*.py")), folder / "course")
        _copy(sorted(one for one in course.glob("widgets/*") if one.suffix in KINDS), folder / "course" / "widgets")
        data = (one for one in course.glob("data/*") if one.is_file() and one.suffix != ".md")
        _copy(sorted(data), folder / "course" / "data")
    beside = [place / "my_transformer" / "__init__.py" for place in (COURSE, COURSE.parent)]  # in a wheel, the second
    _copy([one for one in beside if one.is_file()][:1], folder / "my_transformer")
    for stem in map(registry.notebook_stem, (*before, *checked)):
        (folder / "course" / f"{stem}.ipynb").touch()  # by its name a lesson is known to exist


def _copy_part(part: str, lessons: Sequence[str], own: Path) -> None:
    """What `checks` or `stand_ins` hold for these lessons, a module or a folder each."""
    _copy([PACKAGE / part / "__init__.py"], own / part)
    for file in (file for lesson in lessons for file in registry.files(part, lesson)):
        _copy([file], own.parent / homes.inside(file).parent)


def _modules_in(name: str) -> list[Path]:
    return sorted((PACKAGE / name).glob("*.py"))


def _copy(files: list[Path], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copyfile(file, folder / file.name)
