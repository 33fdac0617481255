"""Results that nothing keeps: a call that stands by itself, of something that changes nothing and gives a new value.

`scores.masked_fill(mask, -torch.inf)` as a line of its own does nothing. Its numbers are those of code without the
line, so only the text of the code tells the two apart.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import nn

from autograder.reporting.leads import Paragraph

ALSO_OF_OTHERS = {"add", "sort", "subtract"}
"""Methods of tensors that sets, lists and counters have too, and there they do change something."""

ACTS = {
    "backward",
    "retain_grad",
    "register_hook",
    "register_post_accumulate_grad_hook",
    "record_stream",
    "unsafe_set_",
}

METHODS = {name for name in dir(torch.Tensor) if callable(getattr(torch.Tensor, name))}
GIVES_NEW = {name for name in METHODS if name[0].islower() and name[-1] != "_"} - ALSO_OF_OTHERS - ACTS


IN_PLACE_IN_MODULES = {name for name in GIVES_NEW if hasattr(nn.Module, name)}
"""`to`, `half` and their like: of a tensor they give a new one, a module they change."""

OF_MODULES = {name for name in dir(nn.Module) if name[0].islower()} - METHODS
"""`train`, `state_dict` and their like: who has these is a module."""

LONGEST = 20_000
"""Characters of code that are looked at: what is handed in may be anything."""


def thrown_away(text: str) -> Paragraph | None:
    """What to say of the first result in a definition that nothing keeps; None where there is none.

    Args:
        text: the source of a function or class, or the cell that holds it.
    """
    try:
        call = next(_unkept(ast.parse(text[:LONGEST])), None)
        return None if call is None else _told(call)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # no Python, or made to be hard to read
        return None


def _told(call: ast.Call) -> Paragraph:
    line, what = ast.unparse(call), ast.unparse(call.func)
    name = what.rpartition(".")[2]
    subject = _subject(call)
    keep = f": `{subject} = {line}`" if subject and len(line) <= 60 else ""
    shown = line if len(line) <= 80 else f"{what}(...)"
    return Paragraph(
        "A result is thrown away.",
        f"`{shown}` stands by itself in your code. `{name}` gives back something new and changes nothing, so give "
        f"its result a name{keep}.",
    )


def _unkept(tree: ast.AST) -> Iterator[ast.Call]:
    made = set(_methods(tree))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            parameters = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg) and not _acts(one)}
            called, modules = (parameters - {"self"}) | set(_layers(function)), set(_modules(function))
            for one in ast.walk(function):
                call = one.value if isinstance(one, ast.Expr) else None
                if not isinstance(call, ast.Call) or _writes(call) or _changes_a_module(call.func, modules):
                    continue
                if _gives_new(call, made, called):
                    yield call


def _acts(parameter: ast.arg) -> bool:
    """Whether it is said to be a function that gives nothing back: `Callable[[GPT], None]`."""
    said = ast.unparse(parameter.annotation) if parameter.annotation else ""
    return "Callable" in said and said.endswith(", None]")


def _changes_a_module(function: ast.expr, modules: set[str]) -> bool:
    """Whether this is `model.to(...)` or the like."""
    return (
        isinstance(function, ast.Attribute)
        and function.attr in IN_PLACE_IN_MODULES
        and ast.unparse(function.value) in modules
    )


def _modules(function: ast.FunctionDef) -> Iterator[str]:
    """What is called like a layer, has what only modules have, or is said to be one: `model`, `self.layer`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            yield ast.unparse(node.func)
        if isinstance(node, ast.Attribute) and node.attr in OF_MODULES:
            yield ast.unparse(node.value)
        if isinstance(node, ast.arg) and node.annotation and "Module" in ast.unparse(node.annotation):
            yield node.arg


def _gives_new(call: ast.Call, methods: set[str], callables: set[str]) -> bool:
    """Whether this call can do nothing but compute.

    Args:
        call: the call.
        methods: the class's own, which may do anything.
        callables: arguments and loop variables, such as a layer.
    """
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in callables and bool(call.args or call.keywords)  # of nothing, nothing is computed
    if not isinstance(function, ast.Attribute):
        return False
    name = function.attr
    if isinstance(function.value, ast.Name) and function.value.id == "self":
        return name not in methods and not hasattr(nn.Module, name)
    if isinstance(function.value, ast.Name) and function.value.id == "F":
        return hasattr(F, name) and not name.endswith("_")
    return name in GIVES_NEW


def _writes(call: ast.Call) -> bool:
    return any(one.arg in ("inplace", "out") for one in call.keywords)


def _layers(function: ast.FunctionDef) -> Iterator[str]:
    """Variables of loops over layers: `for layer in self.layers`."""
    for node in ast.walk(function):
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and "self." in ast.unparse(node.iter):
            yield node.target.id


def _methods(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def _subject(call: ast.Call) -> str:
    """The variable whose new value is meant, where that can be told."""
    function = call.func
    owner = function.value if isinstance(function, ast.Attribute) else None
    if isinstance(owner, ast.Name) and owner.id not in ("self", "torch", "F"):
        return owner.id
    first = call.args[0] if call.args else None
    return first.id if isinstance(first, ast.Name) else ""
