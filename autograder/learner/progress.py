"""`progress`: the course map with what is done, what comes next, points, milestones, and ways through the course."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from autograder import registry
from autograder.learner import progress_file, progress_html, routes
from autograder.learner.choices import chosen, is_handed_out
from autograder.learner.milestones import Standing, Standings
from autograder.probing.exercise import Exercise


@dataclass(frozen=True)
class Row:
    """An exercise, its points, how many there are, and whether it passed."""

    exercise: Exercise
    points: float
    possible: float
    passed: bool

    @property
    def mark(self) -> str:
        """A sign for how far it is."""
        return "✓" if self.passed else "◐" if self.points else "·"


class CourseMap:
    """The course map; displays itself in a notebook and prints in a terminal."""

    def __init__(self) -> None:
        self.known = progress_file.read()
        self.choices = chosen()

    def rows(self) -> list[tuple[str, list[Row]]]:
        """Lessons with their exercises, points and whether each passed; in a class, those that are handed out."""
        parts = ((lesson, self._part(lesson)) for lesson in registry.lessons())
        return [(registry.notebook_stem(lesson), part) for lesson, part in parts if part]

    def _part(self, lesson: str) -> list[Row]:
        return [self._row(one) for one in registry.exercises(lesson) if is_handed_out(one, self.choices)]

    def _row(self, exercise: Exercise) -> Row:
        entry = self.known.get(exercise.name, {})
        possible = float(entry.get("of", exercise.points))
        return Row(exercise, float(entry.get("points", 0.0)), possible, bool(entry.get("passed")))

    @property
    def next(self) -> str:
        """The first exercise that has not passed and that nobody may skip."""
        rows = [row for _, part in self.rows() for row in part]
        return next((one.exercise.name for one in rows if not one.passed and not self.is_extra(one.exercise)), "")

    def is_extra(self, one: Exercise) -> bool:
        """Whether full points do without it: a stretch, unless the class counts it."""
        return one.stretch and not (self.choices and self.choices.stretches == "counted")

    def done(self) -> set[str]:
        """The lessons of which nothing is left that nobody may skip."""
        rows = ((part[0].exercise.lesson, part) for _, part in self.rows())
        return {lesson for lesson, part in rows if all(one.passed or self.is_extra(one.exercise) for one in part)}

    def total(self) -> str:
        """Earned of possible points; stretches apart, unless the class counts them."""
        rows = [row for _, part in self.rows() for row in part]
        text = points([one for one in rows if not self.is_extra(one.exercise)])
        extra = sum(one.points for one in rows if self.is_extra(one.exercise))
        return f"{text} points" + (f", and {extra:g} from stretches." if extra else ".")

    @cached_property
    def milestones(self) -> list[Standing]:
        """Where each milestone stands."""
        return Standings().all()

    def routes(self) -> list[str]:
        """The ways through the course in a line each."""
        done = self.done()
        return [_route(one, done) for one in routes.routes(self.choices)]

    def __repr__(self) -> str:
        lines = []
        for stem, part in self.rows():
            lines.append(stem)
            lines += [f"  {one.mark} {one.exercise.name:32s}{points([one])}" for one in part]
        following = f" Next: {self.next}." if self.next else ""
        lines += [self.total() + following, *_told(self.milestones)]
        ways = self.routes()
        return "\n".join([*lines, *(["Ways through the course:"] if ways else []), *(f"  {one}" for one in ways)])

    def _repr_html_(self) -> str:
        following = f" Next: <b>{progress_html.safe(self.next)}</b>." if self.next else " All done."
        shown = [(stem, [_shown(one) for one in part], points(part)) for stem, part in self.rows()]
        table = progress_html.table(shown)
        reached = progress_html.milestones(self.milestones, _told(self.milestones))
        return f"<p>{self.total()}{following}</p>{table}{reached}{progress_html.routes(self.routes())}"


def points(rows: list[Row]) -> str:
    """Earned of possible points."""
    return f"{sum(one.points for one in rows):g} of {sum(one.possible for one in rows):g}"


def _shown(one: Row) -> progress_html.ShownExercise:
    return progress_html.ShownExercise(one.mark, one.exercise.name, one.exercise.stretch)


def _told(standings: list[Standing]) -> list[str]:
    """The milestones in sentences."""
    reached = [f"{one.milestone.name}{_on(one.day)}" for one in standings if one.reached]
    waiting = [f"{one.milestone.name} ({_number(one)})" for one in standings if one.waits_for_its_run]
    coming = [f"{one.milestone.name} ({_number(one)})" for one in standings if not one.reached and one.missing]
    sentences = (
        ("Your own code {}.", reached),
        ("What these need has passed; run their lessons to where a model is trained: {}.", waiting),
        ("Still to come: {}.", coming),
    )
    return [says.format(", ".join(names)) for says, names in sentences if names]


def _number(one: Standing) -> str:
    return registry.notebook_stem(one.milestone.lesson)[:2]


def _on(day: str) -> str:
    return f" ({progress_file.in_words(day)})" if day else ""


def _route(route: routes.Route, done: set[str]) -> str:
    left, whole = route.minutes_left(done), route.minutes
    ahead = "" if left == whole else ", done" if not left else f", {routes.in_hours(left)} of them ahead"
    line = f"{route.name}: lessons {routes.numbers(route.lessons)}, {routes.in_hours(whole)}{ahead}."
    missed = "; ".join(f"without {routes.numbers([lesson])}, {says}" for lesson, says in route.missed.items())
    return f"{line} Leaves out {routes.numbers(route.left_out)}{f' ({missed})' if missed else ''}."


def progress() -> CourseMap:
    """The course map: done, next, points, milestones."""
    return CourseMap()
