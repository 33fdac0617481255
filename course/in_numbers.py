"""What a learner has built, in numbers: counted in their own library and in what their checks left."""

from __future__ import annotations

from dataclasses import dataclass

from autograder import registry
from autograder.learner import library, progress_file


@dataclass(frozen=True)
class InNumbers:
    """Counts, none of them typed.

    Attributes:
        exercises: passed, and how many there are.
        lines: lines of code in the library, without blank ones and comments.
        files: in how many files these lines stand.
        checks: how many checks it took until each had passed, all together.
        mistakes: how many different mistakes were named on the way.
    """

    exercises: tuple[int, int]
    lines: int
    files: int
    checks: int
    mistakes: int

    def __str__(self) -> str:
        passed, all_of_them = self.exercises
        rows = {
            "exercises passed": f"{passed} of {all_of_them}",
            "lines in my_transformer": f"{self.lines:,} in {self.files} files",
            "checks until they passed": f"{self.checks:,}",
            "mistakes met by name": f"{self.mistakes:,}",
        }
        return "\n".join(f"{name:26}{count}" for name, count in rows.items())


def in_numbers() -> InNumbers:
    """Count what there is."""
    known = progress_file.read()
    exercises = registry.all_exercises()
    entries = [known[one.name] for one in exercises if one.name in known]
    files = [path for path in sorted(library.home().glob("*.py")) if path.stem in registry.lessons()]
    met = {name for entry in entries for names in progress_file.met(entry) for name in names.split(" + ")}
    return InNumbers(
        (sum(bool(entry.get("passed")) for entry in entries), len(exercises)),
        sum(_lines(path.read_text(encoding="utf-8")) for path in files),
        len(files),
        sum(progress_file.tries(entry) for entry in entries),
        len(met),
    )


def _lines(text: str) -> int:
    lines = (line.strip() for line in text.splitlines())
    return sum(bool(line) and not line.startswith("#") for line in lines)
