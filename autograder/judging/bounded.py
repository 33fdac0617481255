"""Loops that come to an end. Two edits together may make a `while` that never would, and a learner's check with it."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from types import CodeType

LONGEST = 1.0
"""Seconds of processor time that one `while` may take."""

SHORT = (None,) * 8
"""Turns before the time is asked for."""

TURNS, TURN = "__turns_of_a_loop__", "__turn_of_a_loop__"


def compiled(text: str, name: str) -> CodeType:
    """The code of a module whose `while` loops raise TimeoutError after a second; it finds `turns` under TURNS."""
    if "while" not in text:  # most pairs: half the time goes into the tree
        return compile(text, name, "exec")
    tree = _Bounding().visit(ast.parse(text, name))
    return compile(ast.fix_missing_locations(tree), name, "exec")


def turns() -> Iterator[None]:
    """As many turns as fit into the time of a loop.

    Raises:
        TimeoutError: when the time is over.
    """
    yield from SHORT  # most loops are over by then, and asking for the time takes as long as a turn
    end = time.process_time() + LONGEST
    while time.process_time() < end:
        yield
    raise TimeoutError(f"a loop went on for {LONGEST:g} s")


class _Bounding(ast.NodeTransformer):
    """`while condition: body` becomes `for turn in turns(): if not condition: break; body`."""

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        if node.orelse:
            return node
        stop = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
        call = ast.Call(ast.Name(TURNS, ast.Load()), [], [])
        loop = ast.For(ast.Name(TURN, ast.Store()), call, [stop, *node.body], [])
        return ast.copy_location(loop, node)
