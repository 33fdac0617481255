"""Takes an instructor's own lessons into a new course: folders with the paths of this repository become one.

They are copied, so that a course goes on when the folder is moved, and a class keeps its checks for a term.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from autograder import homes, registry
from autograder.classroom.course.ready import refuse_unready
from autograder.notebooks import lessons
from autograder.notebooks.problem import Problem, named_by_a_person

PARTS = (
    "course",
    "solutions",
    *(f"autograder/{one}" for one in ("checks", "lineups", "mistakes", "stand_ins", "answers")),
    "tests/variants",
)
"""What is taken of a folder. What else lies in it is its author's business."""

NEEDED = ("solutions", "autograder/checks")
SKIPPED = {"__pycache__", ".ipynb_checkpoints", "my_transformer", "backups"}
NOTHING = "Nothing was made."

Listing = dict[str, Path]
"""Path within a home → where the file is now."""


@contextmanager
def taken_in(folders: Sequence[str]) -> Iterator[Path | None]:
    """While this is active, the lessons of these folders are part of the course, and of no other folder.

    Args:
        folders: as a person named them; none means the course as it is.

    Yields:
        A folder with all that is taken of them; None for no folder.

    Raises:
        Problem: when one holds no lesson, or something that another or the course has already.
    """
    before = homes.own()
    homes.use(None)
    try:
        with tempfile.TemporaryDirectory(prefix="own-lessons-") as name:
            yield _joined([Path(one) for one in folders], Path(name)) if folders else None
    finally:
        homes.use(before)


def _joined(folders: Sequence[Path], place: Path) -> Path:
    """All that is taken of these folders, in one that is in use from now on."""
    listings = {folder: _listing(folder) for folder in dict.fromkeys(folders)}
    _refuse_two_of_a_name(listings)
    for folder, listing in listings.items():
        with named_by_a_person(folder):
            for path, file in listing.items():
                (place / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, place / path)
    homes.use(place)
    _refuse_bad_checks(listings)
    return place


def _listing(folder: Path) -> Listing:
    if not folder.is_dir():
        raise Problem(f"There is no folder {folder}. {NOTHING}")
    with named_by_a_person(folder):
        files = (file for part in PARTS for file in sorted((folder / part).rglob("*")) if file.is_file())
        listing = {file.relative_to(folder).as_posix(): file for file in files}
    listing = {path: file for path, file in listing.items() if _is_wanted(path)}
    stems = _stems(listing)
    if not stems:
        raise Problem(
            f"{folder} has no lesson: there is no course/lessons/50_name.md in it. To begin one: "
            f"autograder dev new NAME --in {folder}. {NOTHING}"
        )
    for stem in stems:
        lesson = lessons.lesson_of(stem)
        lacking = [part for part in NEEDED if not registry.files_in(folder / part, lesson)]
        if lacking:
            listed = " and no ".join(f"{part}/{lesson}.py" for part in lacking)
            raise Problem(f"{folder}: {stem} has no {listed}. {NOTHING}")
    return listing


def _is_wanted(path: str) -> bool:
    *above, name = path.split("/")
    of_a_package = name == "__init__.py" and "/".join(above) in PARTS
    return not (SKIPPED & {*above, name} or name.endswith((".ipynb", ".pyc")) or of_a_package)


def _stems(listing: Listing) -> list[str]:
    pages = (re.fullmatch(r"course/lessons/(\d\d_\w+)\.md", path) for path in listing)
    return [page[1] for page in pages if page]


# What there may be only once ------------------------------------------------------------------


def _refuse_two_of_a_name(listings: dict[Path, Listing]) -> None:
    """Lessons, their numbers, and files of any kind."""
    has: dict[str, str] = {}
    for stem in lessons.notebook_stems():
        has |= dict.fromkeys(_names(stem), f"the course has {stem}")
    for folder, listing in listings.items():
        for stem in _stems(listing):
            for name in _names(stem):
                if name in has:
                    raise Problem(f"{folder} has {stem}, and {has[name]}: give it another number and name. {NOTHING}")
            has |= dict.fromkeys(_names(stem), f"{folder} has {stem}")
    owner: dict[str, Path] = {}
    for folder, listing in listings.items():
        for path in listing:
            if path in owner:
                raise Problem(f"{owner[path]} and {folder} both have {path}: it needs another name. {NOTHING}")
            if (homes.ROOT / path).exists():
                raise Problem(f"{folder} has {path}, as the course does: it needs another name. {NOTHING}")
            owner[path] = folder


def _names(stem: str) -> tuple[str, str]:
    """A lesson's number, and its name."""
    number, _, lesson = stem.partition("_")
    return number, lesson


def _refuse_bad_checks(listings: dict[Path, Listing]) -> None:
    """Checks that cannot be imported, and exercises with a name that another has."""
    known: defaultdict[str, list[str]] = defaultdict(list)
    own = {lessons.lesson_of(stem): (folder, stem) for folder, listing in listings.items() for stem in _stems(listing)}
    for lesson in registry.lessons():
        folder, stem = own.get(lesson, (None, registry.notebook_stem(lesson)))
        for name in _exercises(lesson, folder):
            known[name].append(f"{folder} ({stem})" if folder else f"the course ({stem})")
    for name, places in known.items():
        if len(places) > 1:
            raise Problem(f"The exercise {name} is in {' and in '.join(places)}: it needs another name. {NOTHING}")
    for lesson, (folder, _) in own.items():
        for name in _exercises(lesson, folder):
            if registry.given_part(name) is not None:
                raise Problem(f"{folder}: the course gives a part called {name}: yours needs another name. {NOTHING}")
        refuse_unready(lesson, folder, NOTHING)


def _exercises(lesson: str, folder: Path | None) -> list[str]:
    try:
        found = [one.name for one in registry.exercises(lesson)]
    except Exception as error:  # an author's slip, of any kind
        if folder is None:
            raise
        raise Problem(
            f"{folder}: the checks of {lesson} cannot be imported ({type(error).__name__}: {error}). "
            f"`autograder dev check --in {folder}` says more. {NOTHING}"
        ) from None
    if folder is not None and not found:
        raise Problem(f"{folder}: the checks of {lesson} have no exercise. {NOTHING}")
    return found
