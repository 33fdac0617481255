"""`autograder dev new`: lays out the files of a lesson, or what an exercise needs in them."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from autograder import homes
from autograder.dev import forms
from autograder.dev.inserting import (
    Imports,
    appended,
    with_element,
    with_import,
    with_imports,
    with_section,
    with_set_up,
)
from autograder.notebooks import cell_names, lessons
from autograder.notebooks.problem import Problem

OWN_FROM = 50
"""The number of the first lesson in a folder of one's own: far behind those that the course may still get."""

LONGEST = 35
"""Characters of an exercise's name: it is a column of a gradebook."""


def lay_out(lesson: str, exercise: str = "", *, module: bool = False, root: Path | None = None) -> int:
    """Lay out a new lesson, or a new exercise of one that exists.

    Args:
        lesson: its name; `gpt` or `14_gpt` for a new one.
        exercise: the name of the function or class; "" for a new lesson.
        module: it is a class, an nn.Module.
        root: of the checkout, by default this one; or a folder for lessons of one's own, which may not exist yet.

    Raises:
        Problem: when something of that name is there already, or the name will not do.
    """
    root = root or homes.ROOT
    if not any((home / "tests" / "variants").is_dir() for home in (root, homes.ROOT)):
        raise Problem("Lessons are written in a checkout of the course; here is no folder tests/variants.")
    stem = _stem(root, lesson)
    if not stem and (ours := _of_the_course(root, lesson)):
        raise Problem(f"{ours} is a lesson of the course. Give yours another number and name; nothing was written.")
    if not exercise:
        return _new_lesson(root, lesson, stem)
    if not stem:
        raise Problem(f"There is no lesson {lesson!r} yet. To begin it: autograder dev new {lesson}")
    return _new_exercise(Newcomer(root, stem, exercise, module))


def _stem(root: Path, lesson: str) -> str:
    """The stem of the lesson that is meant, "" when it has no page."""
    wanted = Path(lesson).name.removesuffix(".ipynb").removesuffix(".md")
    for page in sorted((root / "course" / "lessons").glob("[0-9][0-9]_*.md")):
        number, name = page.stem.split("_", 1)
        if wanted in (page.stem, name) or (wanted.isdecimal() and int(wanted) == int(number)):
            return page.stem
    return ""


def _of_the_course(root: Path, lesson: str) -> str:
    """A lesson of the course of that number or name, where one is laid out in a folder of one's own; else ""."""
    if _is_checkout(root):
        return ""
    number, _, name = lesson.partition("_") if re.fullmatch(r"\d\d_\w+", lesson) else ("", "", lesson)
    return _stem(homes.ROOT, name) or (_stem(homes.ROOT, number) if number else "")


def _is_checkout(root: Path) -> bool:
    """Whether a root is one of the course, and not a folder for lessons of one's own."""
    return (root / "solutions" / "__init__.py").is_file()


@dataclass
class Sheets:
    """Texts of files as they will be; nothing is written before all of them are known."""

    root: Path
    texts: dict[str, str] = field(default_factory=dict)

    def read(self, path: str) -> str:
        """The text of a file as it will be."""
        return self.texts[path] if path in self.texts else (self.root / path).read_text(encoding="utf-8")

    def put(self, path: str, text: str) -> None:
        """Note the new text of a file.

        Raises:
            Problem: when it is no Python.
        """
        if path.endswith(".py"):
            try:
                ast.parse(text)
            except SyntaxError as error:
                raise Problem(f"{path} would not parse: {error}. Nothing was written.") from None
        self.texts[path] = text

    def write(self) -> None:
        """Write them all."""
        for path, text in self.texts.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8", newline="\n")


# A lesson ----------------------------------------------------------------------------


def _new_lesson(root: Path, lesson: str, stem: str) -> int:
    if stem:
        raise Problem(f"Lesson {stem} exists. To add an exercise to it: autograder dev new {lesson} NAME")
    number, name = _numbered(root, lesson)
    _refuse_a_bad_name(name)
    sheets, words = Sheets(root), {"lesson": name, "number": number}
    for form, text in forms.LESSON_FILES.items():
        path = Template(form).substitute(words)
        _refuse_what_is_there(root, path)
        sheets.put(path, Template(text).substitute(words))
    sheets.put(f"course/lessons/{number}_{name}.md", forms.PAGE.substitute(words))
    sheets.write()
    _say(sheets, f"autograder dev new {name} NAME   lays out its first exercise")
    return 0


def _numbered(root: Path, lesson: str) -> tuple[str, str]:
    """A lesson's number, given or the next that is free, and its name."""
    taken = {path.stem[:2]: path.stem for path in (root / "course" / "lessons").glob("[0-9][0-9]_*.md")}
    match = re.fullmatch(r"(\d\d)_(\w+)", lesson)
    if not match:
        first = 0 if _is_checkout(root) else OWN_FROM
        return f"{max(map(int, taken), default=first - 1) + 1:02d}", lesson
    if match[1] in taken:
        raise Problem(f"Lesson {match[1]} exists already: {taken[match[1]]}.")
    return match[1], match[2]


def _refuse_what_is_there(root: Path, path: str) -> None:
    if (root / path).exists() or (root / path).with_suffix("").is_dir():
        raise Problem(f"{path} exists already. Nothing was written.")


def _refuse_a_bad_name(name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise Problem(f"{name!r} is no name for a lesson; such a name looks like layer_norm.")


# An exercise ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Newcomer:
    """An exercise that is to be laid out.

    Attributes:
        root: of the checkout.
        stem: of the lesson's page.
        name: what a learner will write.
        module: it is a class.
    """

    root: Path
    stem: str
    name: str
    module: bool

    @property
    def lesson(self) -> str:
        """The lesson's name."""
        return lessons.lesson_of(self.stem)

    @property
    def variable(self) -> str:
        """What the checks call the exercise: `LayerNorm` → `layer_norm`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", self.name).lower().rstrip("_")

    @property
    def words(self) -> dict[str, str]:
        """What stands in the forms."""
        computed = forms.COMPUTED_BY_MODULE if self.module else forms.COMPUTED
        points = "3" if self.module else "2"
        known = {"name": self.name, "variable": self.variable, "lesson": self.lesson, "points": points}
        return {**known, "computed": computed.substitute(known)}

    @property
    def torch_imports(self) -> list[tuple[str, Sequence[str]]]:
        """What its forms need of torch."""
        return [("torch", ()), ("torch", ("Tensor", "nn"))] if self.module else [("torch", ("Tensor",))]


def _new_exercise(one: Newcomer) -> int:
    _refuse_a_bad_exercise(one)
    taken = next(_taken(one), "")
    if taken:
        raise Problem(f"{taken} Choose another name; nothing was written.")
    sheets = Sheets(one.root)
    _add_reference(sheets, one)
    _add_check(sheets, one)
    _add_mistake(sheets, one)
    _add_stand_in(sheets, one)
    _add_variants(sheets, one)
    _add_cells(sheets, one)
    sheets.write()
    _say(sheets, f"autograder dev check {one.name}   says what is still to be written")
    return 0


def _say(sheets: Sheets, then: str) -> None:
    print("Laid out; what is to be written says TODO:")
    print("".join(f"  {path}\n" for path in sheets.texts) + then.replace("   ", _where(sheets.root) + "   "))


def _where(root: Path) -> str:
    return "" if _is_checkout(root) else f" --in {root}"


def _refuse_a_bad_exercise(one: Newcomer) -> None:
    if not one.name.isidentifier() or keyword.iskeyword(one.name) or one.name.startswith("_"):
        raise Problem(f"{one.name!r} is no name of a function or class.")
    if len(one.name) > LONGEST:
        raise Problem(f"{one.name} has {len(one.name)} characters; {LONGEST} are the most a gradebook shows.")
    if one.module and not one.name[0].isupper():
        raise Problem(f"{one.name} is to be a class, whose name begins with a capital letter.")
    if not one.module and one.name != one.name.lower():
        raise Problem(f"{one.name} has a capital letter, as classes have. For a class: --module")


def _taken(one: Newcomer) -> Iterator[str]:
    """Where the name, or one that the forms need, is in use already."""
    for home in dict.fromkeys((one.root, homes.ROOT)):
        for path in sorted((home / "solutions").glob("*.py")):
            if one.name in cell_names.bound(path.read_text(encoding="utf-8")):
                yield f"{one.name} is there already, in solutions/{path.name}."
        for path in sorted((home / "autograder" / "checks").rglob("*.py")):
            if re.search(rf'Exercise\(\s*"{one.name}"', path.read_text(encoding="utf-8")):
                yield f"{one.name} is an exercise already, in {path.relative_to(home).as_posix()}."
    own = {"autograder/checks": one.variable, "autograder/mistakes": one.variable, "autograder/stand_ins": one.name}
    for part, needed in {**own, "tests/variants": one.name}.items():
        for path in _part(one, part):
            if needed in cell_names.bound(path.read_text(encoding="utf-8")):
                yield f"{needed} is defined already, in {path.relative_to(one.root).as_posix()}."
    page = (one.root / "course" / "lessons" / f"{one.stem}.md").read_text(encoding="utf-8")
    if re.search(rf"check\({one.name}\)|^(def|class) {one.name}\b", page, re.MULTILINE):
        yield f"{one.name} stands already in course/lessons/{one.stem}.md."


def _part(one: Newcomer, part: str) -> list[Path]:
    """The files that a part of the house has for the lesson."""
    module = one.root / part / f"{one.lesson}.py"
    return [module] if module.is_file() else sorted((one.root / part / one.lesson).glob("*.py"))


def _own_file(sheets: Sheets, one: Newcomer, part: str, docstring: str) -> str:
    """The file of a part that takes what is new: the lesson's module, or a new one in its folder."""
    if (one.root / part / f"{one.lesson}.py").is_file():
        return f"{part}/{one.lesson}.py"
    if not (one.root / part / one.lesson / "__init__.py").is_file():
        raise Problem(f"{part} has neither {one.lesson}.py nor a folder {one.lesson}. Nothing was written.")
    path = f"{part}/{one.lesson}/{one.variable}.py"
    _refuse_what_is_there(one.root, path)
    sheets.put(path, f'"""{docstring}"""\n')
    return path


def _add(sheets: Sheets, path: str, block: str, imports: Imports, blank_lines: int = 2) -> None:
    sheets.put(path, appended(with_imports(sheets.read(path), imports), block, blank_lines))


def _in_folder(path: str, one: Newcomer) -> bool:
    return path.endswith(f"/{one.lesson}/{one.variable}.py")


def _add_reference(sheets: Sheets, one: Newcomer) -> None:
    path = f"solutions/{one.lesson}.py"
    form = forms.MODULE if one.module else forms.FUNCTION
    _add(sheets, path, form.substitute(one.words), [("jaxtyping", ["Float"]), *one.torch_imports])


def _add_check(sheets: Sheets, one: Newcomer) -> None:
    path = _own_file(sheets, one, "autograder/checks", f"Checks of {one.name}.")
    ours = [("autograder.probing.draws", ["Draw"]), ("autograder.probing.exercise", ["Exercise"])]
    imports = [("collections.abc", ["Callable"]), ("typing", ["Any"]), *ours]
    _add(sheets, path, forms.EXERCISE.substitute(one.words), imports)
    if _in_folder(path, one):
        home = f"autograder/checks/{one.lesson}/__init__.py"
        text = with_import(sheets.read(home), f"autograder.checks.{one.lesson}.{one.variable}", [one.variable])
        sheets.put(home, with_element(text, "EXERCISES", one.variable))


def _add_mistake(sheets: Sheets, one: Newcomer) -> None:
    path = _own_file(sheets, one, "autograder/mistakes", f"Wrong ways of {one.name}.")
    checks = f"autograder.checks.{one.lesson}"
    if f"autograder/checks/{one.lesson}/{one.variable}.py" in sheets.texts:
        checks += f".{one.variable}"
    _add(sheets, path, forms.MISTAKE.substitute(one.words), [(checks, [one.variable])], blank_lines=1)
    _list_module(sheets, path, one)


def _list_module(sheets: Sheets, path: str, one: Newcomer) -> None:
    """In a lesson's folder, have its `__init__` import the new file."""
    if not _in_folder(path, one):
        return
    home = Path(path).with_name("__init__.py").as_posix()
    package = Path(path).parent.as_posix().replace("/", ".")
    text = with_import(sheets.read(home), package, [one.variable])
    sheets.put(home, with_element(text, "__all__", f'"{one.variable}"', ordered=True))


def _add_stand_in(sheets: Sheets, one: Newcomer) -> None:
    path = f"autograder/stand_ins/{one.lesson}.py"
    if not (one.root / path).is_file():
        raise Problem(f"There is no {path}. Nothing was written.")
    form = forms.STAND_IN_MODULE if one.module else forms.STAND_IN
    imports = [*one.torch_imports, ("autograder.probing.watch", ["outside_the_watch"])]
    _add(sheets, path, form.substitute(one.words), imports)


def _add_variants(sheets: Sheets, one: Newcomer) -> None:
    path = _own_file(sheets, one, "tests/variants", f"{one.name}, right and wrong.")
    form = forms.VARIANT_MODULE if one.module else forms.VARIANT
    blocks = []
    for kind, label, todo in forms.VARIANTS:
        called = label.title().replace("_", "") if one.module else label
        more = ', "TODO: the name of the mistake"' if kind == "disguise" else ""
        words = {**one.words, "decorator": f'{kind}("{one.name}"{more})', "label": called, "todo": todo}
        blocks.append(form.substitute(words).strip("\n"))
    imports = [*one.torch_imports, ("tests.variants", ["correct", "disguise", "unlisted"])]
    _add(sheets, path, "\n\n\n".join(blocks), imports)
    _list_module(sheets, path, one)


def _add_cells(sheets: Sheets, one: Newcomer) -> None:
    path = f"course/lessons/{one.stem}.md"
    page = with_section(sheets.read(path), forms.CELLS.substitute(one.words))
    sheets.put(path, with_set_up(page, [("jaxtyping", ["Float"]), *one.torch_imports]))
