"""The code of a probe, for a reader who wants to know what a report's numbers come from."""

from __future__ import annotations

import ast
import inspect
import textwrap

from autograder.probing.exercise import Probe


def probe_text(probe: Probe) -> tuple[str, str]:
    """What the learner's part is called in a probe, and what the probe does with it; "" where there is no source."""
    try:
        text = textwrap.dedent(inspect.getsource(probe.compute))
    except (OSError, TypeError):
        return "", ""
    definition = ast.parse(text).body[0]
    assert isinstance(definition, ast.FunctionDef)
    lines = text.splitlines()[definition.body[0].lineno - 1 : definition.end_lineno]
    return definition.args.args[0].arg, textwrap.dedent("\n".join(lines))
