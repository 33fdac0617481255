"""Where lessons lie: in this repository, and in a folder of an instructor's own that a course has taken in.

Such a folder has the paths of this repository (`solutions/mine.py`, `autograder/checks/mine.py`, ...). Its modules join
our packages, so that nothing else has to know where a lesson comes from.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FOLDER = "own_lessons"
"""What the folder is called in a course that has taken it in; the course is known by its file of choices."""

CHOICES = "choices.toml"

VARIABLE = "COURSE_OWN_LESSONS"
"""Tells it to the processes that this one starts, wherever they run."""

DESK = ".transformer-course"
"""A file in the folder of a learner who has the course without a clone of it: notebooks and library lie beside it."""

PACKAGES = (
    "autograder.checks",
    "autograder.lineups",
    "autograder.mistakes",
    "autograder.stand_ins",
    "solutions",
    "course",
)

_told = os.environ.get(VARIABLE, "")
_own: Path | None = None


def own() -> Path | None:
    """The folder whose lessons are part of the course in this process, if there is one."""
    return _own


def known() -> tuple[Path, ...]:
    """This repository, and such a folder."""
    return (ROOT, _own) if _own else (ROOT,)


def below(*parts: str) -> tuple[str, ...]:
    """These folders of all homes, as texts with which paths of files begin."""
    return tuple(str(home / part) for home in known() for part in parts)


def inside(file: Path) -> Path:
    """A file's path within its home."""
    home = next(one for one in reversed(known()) if file.is_relative_to(one))
    return file.relative_to(home)


def here() -> Path | None:
    """The folder that the course has taken in to which this process belongs: by where it was started, or as told."""
    if (ROOT / "autograder" / CHOICES).is_file():
        return None  # what students install has such lessons among its own
    place = Path.cwd()
    # The outermost: what students hand in lies in the course, and may look like another.
    found = [one for one in (place, *place.parents) if (one / CHOICES).is_file() and (one / FOLDER).is_dir()]
    if found and not _is_ours(found[-1]):
        print(f"{found[-1] / FOLDER} belongs to somebody else: its lessons are left out.", file=sys.stderr)
        return None
    told = Path(_told) if _told else None
    return found[-1] / FOLDER if found else told if told and told.is_dir() else None


def desk() -> Path | None:
    """The folder in which a learner has the notebooks, where that is not the course's own: found from where this
    process was started."""
    place = Path.cwd()
    return next((one for one in (place, *place.parents) if (one / DESK).is_file()), None)


def of_course(course: Path) -> Path | None:
    """The folder that a course has taken in, if it has one."""
    return course / FOLDER if (course / FOLDER).is_dir() else None


def _is_ours(folder: Path) -> bool:
    """Whether whoever runs this owns a folder: its modules run with their rights."""
    return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()


def use(folder: Path | None) -> None:
    """From now on, let the lessons of this folder be part of the course, and those of no other."""
    global _own
    folder = folder.resolve() if folder else None
    if folder == _own:
        return
    if _own is not None:
        _leave(_own)
    _own = folder
    if folder is None:
        os.environ.pop(VARIABLE, None)
    else:
        os.environ[VARIABLE] = str(folder)
        for package in PACKAGES:
            join(package)
    importlib.invalidate_caches()
    _forget()


def join(package: str) -> None:
    """Let a package have the modules of the own folder, too; one that this edition lacks stays away."""
    try:
        paths = importlib.import_module(package).__path__
    except ModuleNotFoundError:
        return
    more = str(_own.joinpath(*package.split("."))) if _own else ""
    if more and more not in paths:
        paths.append(more)


def _leave(folder: Path) -> None:
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(f"{folder}{os.sep}"):
            del sys.modules[name]
        paths = getattr(module, "__path__", None)
        if isinstance(paths, list):
            paths[:] = [one for one in paths if not str(one).startswith(f"{folder}{os.sep}")]


def _forget() -> None:
    """Have everything looked up anew that our modules remember of lessons."""
    for name, module in list(sys.modules.items()):
        if name.startswith("autograder."):
            for value in list(vars(module).values()):
                if clear := getattr(value, "cache_clear", None):
                    clear()


if str(ROOT) not in sys.path:
    # An editable install is asked when no folder has answered, and a folder `solutions` in a course, or `course` in
    # somebody's home, answers. A package on the path goes before such folders, wherever it stands there.
    sys.path.append(str(ROOT))

use(here())
