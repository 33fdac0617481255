"""Builds a notebook from a lesson's text and the reference. Trusted side only."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from autograder import registry
from autograder.learner.as_given import digest
from autograder.notebooks import cell_names, cells, lessons, reference
from autograder.notebooks.files import stamped
from autograder.notebooks.problem import Problem
from autograder.probing.exercise import Exercise
from autograder.probing.source import needed

EDITIONS = ("source", "student", "solved")
ROLES = ("exercise", "check", "wild", "demo", "play", "question", "answer", "given")
OTHER_TAGS = ("raises-exception", "hide-input", "hide-output", "remove-input")

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}


def build(lesson: str, edition: str = "student") -> NotebookNode:
    """The notebook of a lesson.

    Args:
        lesson: `1`, `01`, `layer_norm`, `01_layer_norm` or a path.
        edition: "source" holds the solutions and model answers, for nbgrader's instructor;
            "student" the blanks, and the model answers behind folds; "solved" is the student's with
            every exercise done.

    Raises:
        Problem: when the lesson's text breaks a rule; course/lessons/README.md has the rules.
    """
    stem = lessons.stem_of(lesson)
    text = lessons.source_text(stem)
    try:
        return build_text(text, lessons.lesson_of(stem), edition)
    except Problem as problem:
        raise Problem(f"{lessons.source_path(stem).name}: {problem}") from None


def build_text(text: str, lesson: str, edition: str = "student") -> NotebookNode:
    """The same for a lesson's text that is at hand.

    Args:
        text: a MyST Markdown notebook.
        lesson: the lesson whose exercises and reference it uses, such as `"layer_norm"`.
        edition: one of `EDITIONS`.
    """
    if edition not in EDITIONS:
        raise ValueError(f"edition={edition!r} is none of {', '.join(EDITIONS)}")
    writer = Writer(lesson, {one.name: one for one in registry.exercises(lesson)})
    notebook = writer.notebook(lessons.parse(text))
    if edition == "source":
        return notebook
    notebook = _without_solutions(notebook)
    _fold_in(notebook, writer.model_answers)
    if edition == "student":
        return stamped(notebook)
    return _solved(notebook, writer.solutions)


def _without_solutions(notebook: NotebookNode) -> NotebookNode:
    """What `nbgrader generate_assignment` makes of it, without its course folder and gradebook."""
    from nbgrader.preprocessors import (
        CheckCellMetadata,
        ClearHiddenTests,
        ClearMarkScheme,
        ClearOutput,
        ClearSolutions,
        ComputeChecksums,
        LockCells,
    )

    steps = [LockCells, ClearSolutions, ClearOutput, CheckCellMetadata, ComputeChecksums]
    steps += [ClearHiddenTests, ClearMarkScheme, ComputeChecksums, CheckCellMetadata]
    notebook = copy.deepcopy(notebook)
    for step in steps:
        notebook, _ = step().preprocess(notebook, {})
    return notebook


def _fold_in(notebook: NotebookNode, answers: dict[str, str]) -> None:
    for slug, answer in answers.items():
        at = next(i for i, cell in enumerate(notebook.cells) if cell.id == f"question-{slug}")
        notebook.cells.insert(at + 1, cells.model_answer_cell(answer))
    cells.give_ids(notebook.cells)


def _solved(notebook: NotebookNode, solutions: dict[str, str]) -> NotebookNode:
    for cell in notebook.cells:
        cell.source = solutions.get(cell.id, cell.source)
    return notebook


@dataclass
class Writer:
    """Turns the author's cells into the notebook's, one role at a time.

    Attributes:
        lesson: whose exercises these are.
        exercises: by name.
        solutions: cell id → what a learner who has done it would have there.
        model_answers: question → model answer.
        known: the names that the cells so far define.
    """

    lesson: str
    exercises: dict[str, Exercise]
    solutions: dict[str, str] = field(default_factory=dict)
    model_answers: dict[str, str] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    checked: set[str] = field(default_factory=set)
    asked: str = ""

    def notebook(self, lesson: NotebookNode) -> NotebookNode:
        """The source edition."""
        made = [new for cell in lesson.cells for new in self.convert(cell)]
        self._complete()
        cells.give_ids(made)
        metadata = {
            "course": {"lesson": self.lesson},
            "kernelspec": dict(KERNEL),
            "language_info": copy.deepcopy(LANGUAGE),
        }
        return new_notebook(cells=made, metadata=metadata, nbformat_minor=5)

    def convert(self, cell: NotebookNode) -> list[NotebookNode]:
        """The cells that one of the author's becomes."""
        role = _role(cell)
        if self.asked and role != "answer":
            raise Problem(f"The question {self.asked!r} is not followed by its answer.")
        writers: dict[str, Callable[[NotebookNode], Iterator[NotebookNode]]] = {
            "exercise": self._exercise,
            "check": self._check,
            "wild": self._wild,
            "given": self._given,
            "question": self._question,
            "answer": self._answer,
        }
        return list(writers.get(role, self._plain)(cell))

    def _plain(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        make = cells.code if cell.cell_type == "code" else cells.markdown
        # Grading skips what only shows something, so nothing may be built on it.
        if cell.cell_type == "code" and _role(cell) not in ("demo", "play"):
            self.known |= cell_names.bound(cell.source)
        yield make(cell.source, **copy.deepcopy(dict(cell.metadata)))

    def _given(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        """A definition of the reference that the learner reads and does not write."""
        for name in self._imported(cell, "given"):
            source = reference.definition(self.lesson, name)
            if reference.has_solution_marks(source):
                raise Problem(f"{name} in solutions/{self.lesson}.py has a solution, so it cannot be given.")
            self._has_what_it_needs(name, source)
            yield cells.code(source, name, ["given"])

    def _exercise(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        for name in self._imported(cell, "exercise"):
            if name not in self.exercises or self.exercises[name].starts_wrong:
                raise Problem(f"{name} is no exercise to write among the checks of {self.lesson}.")
            self._first_time(name)
            source = reference.definition(self.lesson, name)
            if not reference.has_solution_marks(source):
                raise Problem(f"{name} in solutions/{self.lesson}.py has no # BEGIN SOLUTION.")
            begins, ends = (source.count(f"# {mark} SOLUTION") for mark in ("BEGIN", "END"))
            if begins != ends:
                raise Problem(
                    f"{name} in solutions/{self.lesson}.py has {begins} # BEGIN SOLUTION, {ends} # END SOLUTION."
                )
            self._has_what_it_needs(name, source)
            self.solutions[name] = reference.without_marks(source)
            yield cells.exercise_cell(name, source)

    def _imported(self, cell: NotebookNode, role: str) -> list[str]:
        line = f"from solutions.{self.lesson} import ..."
        try:
            pairs = cell_names.imported_from(cell.source, "solutions")
        except (ValueError, SyntaxError) as error:
            raise Problem(f"A cell tagged {role} holds only `{line}`, not `{error}`.") from None
        for module, _ in pairs:
            if module != self.lesson:
                raise Problem(f"A cell tagged {role} of this lesson holds `{line}`, not solutions.{module}.")
        return [name for _, name in pairs]

    def _wild(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        found = re.findall(r"^(?:class|def)\s+(\w+)", cell.source, flags=re.MULTILINE)
        name = next((one for one in found if self._is_repair(one)), None)
        if name is None:
            raise Problem(
                f"The wild cell defines {', '.join(found) or 'nothing'}; none of it is an exercise "
                f"with repairs= or wild=True among the checks of {self.lesson}."
            )
        self._first_time(name)
        right = self.exercises[name].reference
        source = reference.without_marks(reference.repaired(self.exercises[name]))
        self._has_what_it_needs(name, source)
        self.solutions[name] = reference.renamed(source, right, name)
        yield cells.code(cell.source, name, ["wild"], course={"blank": digest(cell.source), "name": name})

    def _is_repair(self, name: str) -> bool:
        return name in self.exercises and self.exercises[name].starts_wrong

    def _first_time(self, name: str) -> None:
        if name in self.solutions:
            raise Problem(f"{name} has two cells.")

    def _has_what_it_needs(self, name: str, source: str) -> None:
        missing = sorted(needed(source) - self.known - {name})
        if missing:
            raise Problem(f"{name} uses {', '.join(missing)}, which no earlier cell imports or defines.")
        self.known.add(name)

    def _check(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        call = re.fullmatch(r"check\((\w+)\)", cell.source.strip())
        name = call[1] if call else ""
        if name not in self.exercises:
            raise Problem(
                f"A check cell holds only check(...) of an exercise of this lesson, not {cell.source.strip()!r}."
            )
        if name not in self.solutions or name in self.checked:
            why = "twice" if name in self.checked else "before its cell"
            raise Problem(f"{name} is checked {why}.")
        if "check" not in self.known:
            raise Problem("No earlier cell has `from autograder import check`.")
        self.checked.add(name)
        yield cells.check_cell(self.exercises[name])
        folded = cells.help_cell(self.exercises[name])
        if folded is not None:
            yield folded

    def _question(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        slug = str(cell.metadata.get("slug") or cells.slug_of(cell.source))
        if slug in self.model_answers:
            raise Problem(f'Two questions are called {slug!r}; give one a "slug" of its own.')
        self.asked = slug
        yield cells.question_cell(slug, cell.source)

    def _answer(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        if not self.asked:
            raise Problem(f"An answer stands without its question: {cell.source[:60]!r}.")
        slug, self.asked = self.asked, ""
        self.model_answers[slug] = cell.source
        yield cells.answer_cell(slug, cell.source)

    def _complete(self) -> None:
        """Every exercise of the lesson has its cell and its check."""
        if self.asked:
            raise Problem(f"The question {self.asked!r} is not followed by its answer.")
        for name in self.exercises:
            if name not in self.solutions:
                raise Problem(f"The exercise {name} has no cell.")
            if name not in self.checked:
                raise Problem(f"The exercise {name} has no check cell.")


def _role(cell: NotebookNode) -> str:
    tags: Sequence[str] = cell.metadata.get("tags", [])
    unknown = [tag for tag in tags if tag not in (*ROLES, *OTHER_TAGS)]
    if unknown:
        raise Problem(f"The tag {unknown[0]!r} is none of {', '.join((*ROLES, *OTHER_TAGS))}.")
    roles = [tag for tag in tags if tag in ROLES]
    if len(roles) > 1:
        raise Problem(f"A cell has one role, not {' and '.join(roles)}.")
    role = roles[0] if roles else ""
    kind = "markdown" if role in ("question", "answer") else "code"
    if role and cell.cell_type != kind:
        raise Problem(f"A cell tagged {role} is a {kind} cell: {cell.source[:60]!r}.")
    return role
