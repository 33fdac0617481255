"""Adds to the text of a file, so that it stays in the form that ruff gives it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence

WIDTH = 120
OURS = ("autograder", "course", "my_transformer", "solutions", "tests")
SECTIONS = ("__future__", "standard", "third", "ours")

Import = ast.Import | ast.ImportFrom

Imports = Sequence[tuple[str, Sequence[str]]]
"""Modules, and what is imported from each; nothing: the module itself."""


def with_imports(text: str, imports: Imports) -> str:
    """The text of a module that also has these imports, each in its place."""
    for module, names in imports:
        text = with_import(text, module, names)
    return text


def with_import(text: str, module: str, names: Sequence[str]) -> str:
    """The text of a module that also has `from module import names`, or `import module` when there are none."""
    imports = [node for node in ast.parse(text).body if isinstance(node, Import)]
    if not names:
        known = {alias.name for one in imports if isinstance(one, ast.Import) for alias in one.names}
        return text if module in known else _inserted(text, imports, module, names)
    same = next((one for one in imports if isinstance(one, ast.ImportFrom) and one.module == module), None)
    if same is None:
        return _inserted(text, imports, module, names)
    listed = [alias.name if alias.asname is None else f"{alias.name} as {alias.asname}" for alias in same.names]
    if set(names) <= set(listed):
        return text
    lines = text.splitlines(keepends=True)
    open_form = same.lineno != same.end_lineno
    comment = re.search(r"  # .*$", lines[same.lineno - 1].rstrip("\n"))
    listed += [name for name in names if name not in listed]
    lines[same.lineno - 1 : same.end_lineno] = [_from(module, listed, open_form, comment[0] if comment else "")]
    return "".join(lines)


def _from(module: str, names: Sequence[str], open_form: bool = False, comment: str = "") -> str:
    """The import in ruff's form; where a comment stands on its line, in the order in which the names are given."""
    ordered = list(names) if comment else sorted(names, key=_rank)
    line = f"from {module} import {', '.join(ordered)}{comment}\n"
    if len(line) <= WIDTH + 1 and not open_form:
        return line
    return f"from {module} import ({comment}\n" + "".join(f"    {name},\n" for name in ordered) + ")\n"


def _rank(name: str) -> tuple[int, str]:
    """Constants, then classes, then what is written small."""
    if name.isupper() and len(name) > 1:
        return 0, name
    return (1 if name[0].isupper() else 2), name


def _inserted(text: str, imports: Sequence[Import], module: str, names: Sequence[str]) -> str:
    """With an import of a module from which nothing was imported before."""
    key = _key(module, is_from=bool(names))
    new = _from(module, names) if names else f"import {module}\n"
    before = [one for one in imports if _key_of(one) < key]
    after = [one for one in imports if _key_of(one) > key]
    lines = text.splitlines(keepends=True)
    if before and _section_of(before[-1]) == key[0]:
        at = _end(before[-1])
    elif after and _section_of(after[0]) == key[0]:
        at = after[0].lineno - 1
    elif before:  # a section of its own, below another
        at, new = _end(before[-1]), f"\n{new}"
    elif after:  # and above one
        at, new = after[0].lineno - 1, f"{new}\n"
    else:
        at = _end_of_docstring(text)
        new = f"\n{new}" if at else new
    return "".join([*lines[:at], new, *lines[at:]])


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _key_of(node: Import) -> tuple[int, bool, str]:
    if isinstance(node, ast.ImportFrom):
        return _key(node.module or "", is_from=True)
    return _key(node.names[0].name, is_from=False)


def _key(module: str, *, is_from: bool) -> tuple[int, bool, str]:
    """The order of imports: by section, whole modules first, then by name."""
    root = module.split(".")[0]
    section = "standard" if root in sys.stdlib_module_names else "ours" if root in OURS else "third"
    return SECTIONS.index("__future__" if root == "__future__" else section), is_from, module


def _section_of(node: Import) -> int:
    return _key_of(node)[0]


def _end_of_docstring(text: str) -> int:
    body = ast.parse(text).body
    first = body[0] if body else None
    return _end(first) if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else 0


def appended(text: str, block: str, blank_lines: int = 2) -> str:
    """The text with a block at its end."""
    body, block = ast.parse(text).body, block.strip("\n")
    only_imports = all(isinstance(node, Import) for node in body[1:] if body)
    if only_imports and not block.startswith(("def ", "class ", "@")):
        blank_lines = 1
    return text.rstrip("\n") + "\n" * (blank_lines + 1) + block + "\n"


def with_element(text: str, variable: str, element: str, *, ordered: bool = False) -> str:
    """The text of a module with one element more in the tuple or list that a variable holds.

    Args:
        text: of the module.
        variable: as `EXERCISES`.
        element: as it is written there.
        ordered: keep the elements in alphabetical order.
    """
    node = next(one for one in ast.parse(text).body if isinstance(one, ast.Assign) and _target(one) == variable)
    assert isinstance(node.value, ast.Tuple | ast.List)
    elements = [ast.get_source_segment(text, one) or "" for one in node.value.elts] + [element]
    elements = sorted(elements) if ordered else elements
    opening, closing = "()" if isinstance(node.value, ast.Tuple) else "[]"
    line = f"{variable} = {opening}{', '.join(elements)}{closing}\n"
    if len(line) > WIDTH + 1 or node.lineno != node.end_lineno or len(elements) == 1:
        line = f"{variable} = {opening}\n" + "".join(f"    {one},\n" for one in elements) + f"{closing}\n"
    lines = text.splitlines(keepends=True)
    lines[node.lineno - 1 : node.end_lineno] = [line]
    return "".join(lines)


def _target(node: ast.Assign) -> str:
    return node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""


# Pages ----------------------------------------------------------------------------

CODE_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ENDS = (r"^## Questions\b", r"^## Where you are\b")
"""Before which of a lesson's sections an exercise goes; the first that is there."""


def with_section(page: str, section: str) -> str:
    """A lesson's page with a section more, before its questions or at its end."""
    found = (re.search(end, page, re.MULTILINE) for end in ENDS)
    at = next((match.start() for match in found if match), None)
    if at is None:
        return page.rstrip("\n") + "\n\n" + section.strip("\n") + "\n"
    return page[:at] + section.strip("\n") + "\n\n" + page[at:]


def with_set_up(page: str, imports: Imports) -> str:
    """A lesson's page whose set-up cell, which imports `check`, has these imports, too."""
    cell = next((one for one in CODE_CELL.finditer(page) if "import check" in one[1]), None)
    if cell is None:
        return page
    return page[: cell.start(1)] + with_imports(cell[1], imports) + page[cell.end(1) :]
