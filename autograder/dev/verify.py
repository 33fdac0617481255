"""`autograder dev check`: whether the checks of a lesson are what they should be, in words."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from autograder import homes, registry
from autograder.dev import trying
from autograder.dev.dossier import (
    Dossier,
    conclude,
    does_not_import,
    dossier,
    has_reference,
    is_own,
    said_of,
    shown,
)
from autograder.dev.parallel import spread
from autograder.dev.renew import all_stems, is_fresh
from autograder.judging import answers
from autograder.notebooks import files, lessons
from autograder.notebooks.build import build
from autograder.notebooks.problem import Problem

CHUNK = 25
"""How many tries another process is given at a time: enough to keep what they share, few enough to see them pass."""


def verify(given: Sequence[str], jobs: int) -> int:
    """Look at every exercise of these lessons, try it, and say what is missing.

    Args:
        given: names of lessons, or of single exercises; none means all.
        jobs: processes.

    Returns:
        0 when all is as it should be, otherwise 1.

    Raises:
        Problem: when there is nothing of such a name.
    """
    if trying.variants_package() is None:
        print("There is no folder tests/ beside this package, so neither disguises nor variants are tried.")
    broken = [said for lesson in registry.lessons() if (said := does_not_import(f"autograder.checks.{lesson}"))]
    if broken:  # a check finds its exercise among those of all lessons
        print(f"Nothing can be tried before this is mended:{said_of(broken)}")
        return 1
    chosen = _chosen(given)
    known = {stem: _known(stem, names) for stem, names in chosen.items()}
    wrong, waiting = False, list(known)
    for _ in _try_all([one for _, dossiers in known.values() for one in dossiers], jobs):
        while waiting and all(one.is_tried for one in known[waiting[0]][1]):
            wrong |= _tell(waiting[0], *known[waiting.pop(0)])
    return 1 if wrong else 0


def _chosen(given: Sequence[str]) -> dict[str, list[str]]:
    """The stems of the lessons that are meant, and which of their exercises; none means all."""
    chosen: dict[str, list[str]] = {} if given else {stem: [] for stem in all_stems()}
    for one in given:
        try:
            chosen[lessons.stem_of(one)] = []
        except Problem as problem:
            stem = _home_of(one)
            if not stem:
                raise Problem(f"{problem} Nor is it the name of an exercise.") from None
            if chosen.get(stem, [one]):  # not all of them already
                chosen[stem] = [*chosen.get(stem, []), one]
    return chosen


def _home_of(exercise: str) -> str:
    """The lesson whose checks speak of an exercise, found without importing them; "" when there is none."""
    for stem in lessons.source_stems():
        texts = (file.read_text(encoding="utf-8") for file in registry.files("checks", lessons.lesson_of(stem)))
        if any(re.search(rf'Exercise\(\s*"{re.escape(exercise)}"', text) for text in texts):
            return stem
    return ""


def _where() -> str:
    """What a command needs besides, for the lessons of a folder of one's own."""
    own = homes.own()
    return f" --in {shown(own)}" if own else ""


def _known(stem: str, names: Sequence[str]) -> tuple[list[str], list[Dossier]]:
    """What is missing in a lesson as a whole, and what is known of these of its exercises."""
    lesson = lessons.lesson_of(stem)
    broken = list(_broken(lesson))
    if broken:
        return broken, []
    found = registry.exercises(lesson)
    missing = [
        f"solutions/{lesson}.py does not define {one.reference}." for one in found if not has_reference(one)
    ]  # everything else needs it
    if not found:
        missing.append(f"It has no exercise yet. To begin one: autograder dev new {lesson} NAME{_where()}")
    wanted = [one for one in found if has_reference(one) and (one.name in names or not names)]
    return missing, [dossier(one) for one in wanted]


def _broken(lesson: str) -> Iterator[str]:
    """What of a lesson cannot be imported."""
    modules = [f"solutions.{lesson}", *(f"autograder.{part}.{lesson}" for part in ("checks", "mistakes", "stand_ins"))]
    if trying.has_variants(lesson) or (trying.variants_package() is not None and not is_own(lesson)):
        modules.append(f"tests.variants.{lesson}")
    yield from (said for module in modules if (said := does_not_import(module)))


def _try_all(dossiers: Sequence[Dossier], jobs: int) -> Iterator[None]:
    """Try everything there is to try; pauses at the start and after every part, so that what is done can be told."""
    chunks = [known.tries[at : at + CHUNK] for known in dossiers for at in range(0, len(known.tries), CHUNK)]
    of = {known.exercise.name: known for known in dossiers}
    total = sum(map(len, chunks))
    with tqdm(total=total, unit="try", disable=None, file=sys.stderr, leave=False) as bar:
        yield
        for number, came in spread(trying.attempt_all, chunks, jobs):
            for one, what in zip(chunks[number], came, strict=True):
                of[one.exercise].came[one] = what
            bar.update(len(came))
            with tqdm.external_write_mode(file=sys.stdout):
                yield


# In words ----------------------------------------------------------------------------


def _tell(stem: str, missing: Sequence[str], dossiers: Sequence[Dossier]) -> bool:
    """Print what the tries have shown and what else is to be said of a lesson; whether anything is missing."""
    for known in dossiers:
        conclude(known)
    whole = [*missing, *_of_the_lesson(stem, [one.exercise.name for one in dossiers])]
    wrong = [one for one in dossiers if one.missing]
    print(f"{stem}: {_summary(len(dossiers), len(wrong), len(whole))}{said_of(whole)}")
    for known in dossiers:
        told = f"to do:{said_of(known.missing)}" if known.missing else known.line
        remarks = said_of([f"Remark: {one}" for one in known.remarks])
        print(f"{known.exercise.name}: {told}{remarks}", flush=True)
    of_each = [f"{known.exercise.name}: {one}" for known in dossiers for one in known.can_wait]
    if waiting := [*_can_wait(stem), *of_each]:
        print(f"What can wait; a class can be given the lesson without it:{said_of(waiting)}", flush=True)
    return bool(wrong or whole)


def _summary(exercises: int, wrong: int, whole: int) -> str:
    count = f"{exercises} exercise{'' if exercises == 1 else 's'}"
    if not wrong and not whole:
        return count
    return f"{count}, {wrong} of them with something to do" if wrong else f"{count}, and something to do for the lesson"


def _of_the_lesson(stem: str, names: Sequence[str]) -> Iterator[str]:
    """What is missing that concerns the lesson as a whole: places marked TODO, the page, the stored answers."""
    lesson = lessons.lesson_of(stem)
    yield from (said for file, said in todos(lesson) if not _may_stay(file, lesson))
    yield from _of_nothing(lesson)
    cells = list(_cells(stem, names))
    yield from cells
    if not cells and not does_not_import(f"solutions.{lesson}"):
        yield from _page(stem)
    if names and not is_own(lesson) and not is_fresh(lesson):
        changed = "Its stored answers are older than its checks, its mistakes or the reference"
        yield f"{changed}. When all else is well, run: autograder dev answers"


def _can_wait(stem: str) -> Iterator[str]:
    """What an instructor's own lesson lacks, and does not need for a class."""
    lesson = lessons.lesson_of(stem)
    if not is_own(lesson) or does_not_import(f"autograder.checks.{lesson}"):
        return
    for file, count in Counter(file for file, _ in todos(lesson) if _may_stay(file, lesson)).items():
        yield f"{shown(file)} has {count} place{'' if count == 1 else 's'} that say TODO."
    if registry.exercises(lesson) and not is_fresh(lesson):
        older = "Its stored answers are older than its checks, its mistakes or the reference"
        none_yet = "It has no stored answers yet; they make first checks faster"
        yield f"{older if answers.place(lesson).is_file() else none_yet}. Run: autograder dev answers{_where()}"


def _may_stay(file: Path, lesson: str) -> bool:
    """Whether a file of an instructor's own lesson only tries its checks."""
    return is_own(lesson) and file.is_relative_to(registry.home(lesson) / "tests")


def _of_nothing(lesson: str) -> Iterator[str]:
    """Variants for an exercise that does not exist, or no longer does."""
    package = trying.variants_package() if trying.has_variants(lesson) else None
    if package is None or does_not_import(f"tests.variants.{lesson}"):
        return
    for name, number in Counter(one.exercise for one in package.of_nothing(lesson)).items():
        variants = f"{number} variant{'' if number == 1 else 's'}"
        yield f"The lesson's files in tests/variants have {variants} of {name!r}, which is no exercise."


def files_of(lesson: str) -> list[Path]:
    """All files that are written by hand for a lesson."""
    root = registry.home(lesson)
    own = [file for part in ("checks", "lineups", "mistakes", "stand_ins") for file in registry.files(part, lesson)]
    variants = root / "tests" / "variants"
    page = root / "course" / "lessons" / f"{registry.notebook_stem(lesson)}.md"
    module, folder = variants / f"{lesson}.py", sorted((variants / lesson).glob("*.py"))
    found = [root / "solutions" / f"{lesson}.py", *own, module, *folder, page]
    return [file for file in found if file.is_file()]


def todos(lesson: str) -> Iterator[tuple[Path, str]]:
    """The places of a lesson's files that say TODO: the file, and a line that tells where and what stands there."""
    for file in files_of(lesson):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if found := re.search(r"\bTODO\b[^\"]*", line):
                yield file, f"{shown(file)}:{number}  {found[0].strip(' *')}"


def _cells(stem: str, names: Sequence[str]) -> Iterator[str]:
    """Exercises that the lesson's page lacks a cell for."""
    try:
        page = lessons.parse(lessons.source_text(stem))
    except Problem as problem:
        yield str(problem)
        return
    page_of = shown(lessons.source_path(stem))
    of_tag = {tag: _sources(page.cells, tag) for tag in ("exercise", "wild", "check")}
    for name in names:
        written = rf"\b(class|def) {name}\b" if registry.exercise(name).starts_wrong else rf"\b{name}\b"
        tag = "wild" if registry.exercise(name).starts_wrong else "exercise"
        if not re.search(written, of_tag[tag]):
            yield f"{page_of} has no cell tagged {tag} for {name}."
        if f"check({name})" not in of_tag["check"]:
            yield f"{page_of} has no cell tagged check with check({name})."


def _sources(cells: Sequence[dict], tag: str) -> str:
    return "\n".join(cell["source"] for cell in cells if tag in cell["metadata"].get("tags", []))


def _page(stem: str) -> Iterator[str]:
    """Whether the page builds, and to the notebook that is there or that git holds."""
    try:
        text = files.text_of(build(stem))
    except Problem as problem:
        yield f"The lesson does not build. {problem}"
        return
    if registry.home(lessons.lesson_of(stem)) != homes.ROOT:
        return  # it is built when a course takes it in
    path = lessons.notebook_path(stem)
    here = path.read_text(encoding="utf-8") if path.is_file() else ""
    if text not in (here, files.committed(path)):
        yield f"Its notebook is not what the lesson builds to. Run: autograder build {stem}"
