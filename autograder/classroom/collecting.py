"""Finds whose each notebook is in what Canvas or Moodle gives to download: for `nbgrader zip_collect`.

In `nbgrader_config.py`, beside the pattern itself:

    c.ZipCollectApp.collector_plugin = "autograder.classroom.collecting.Downloads"
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.plugins import FileNameCollectorPlugin
from traitlets import Dict

PATTERN = (
    r".*/(?:\w+?_(?=\d+_\d+_))?"  # Canvas: lovelaceada_1234_56789_NAME, lovelaceada_LATE_1234_56789_NAME
    r"(?P<student_id>\d+(?=_\d+_)|[^/_]+(?=_\d+_assignsubmission_file))_\d+_"
    r"(?:assignsubmission_file(?:_?/|_))?(?P<file_id>[^/]+)$"  # Moodle: Ada Lovelace_1234_assignsubmission_file/NAME
)
"""Both ways of naming. Canvas' first number is a student's everywhere; Moodle's is another one in every assignment."""

NUMBER = re.compile(r"_(\d+)_assignsubmission_file")


class Downloads(FileNameCollectorPlugin):
    """Takes the students of Canvas by their number, and those of Moodle by their name as the gradebook has it."""

    _numbers: Any = Dict(help="Moodle's names that the gradebook lacks, and the first number of each")

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        """What a file's name tells: `student_id` and `file_id`; None for what is not to be collected."""
        found = super().collect(submitted_file.replace("\\", "/"))
        if found is None:
            return None
        number = NUMBER.search(submitted_file)
        if number:
            found["student_id"] = self._known(found["student_id"], number[1])
        return dict(found)

    def _known(self, name: str, number: str) -> str:
        """The id of the one student of that name. With none, or two, it is the name, told apart by Moodle's number."""
        known = self._students.get(_folded(name), [])
        if len(known) == 1:
            return known[0]
        alone = not known and self._numbers.setdefault(name, number) == number
        student = name if alone else f"{name} {number}"
        self.log.warning("The gradebook has %d students called %s; collected as %r", len(known), name, student)
        return student

    @cached_property
    def _students(self) -> dict[str, list[str]]:
        """Full name → the ids of those who are called so."""
        found: dict[str, list[str]] = {}
        with Gradebook(self.parent.coursedir.db_url) as book:
            for one in book.students:
                found.setdefault(_folded(f"{one.first_name or ''} {one.last_name or ''}"), []).append(one.id)
        return found


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
