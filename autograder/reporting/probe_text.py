"""The code of a probe, for a reader who wants to know what a report's numbers come from."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap

from autograder.probing.exercise import Probe

FOR_AUTHORS = r" +# the blank stub must show as blank$"
"""Why a probe about a refusal first makes a call that fits; to a learner it would be a riddle."""


def probe_text(probe: Probe) -> tuple[str, str]:
    """What the learner's part is called in a probe, and what the probe does with it; "" where there is no source."""
    try:
        text = textwrap.dedent(inspect.getsource(probe.compute))
    except (OSError, TypeError):
        return "", ""
    definition = ast.parse(text).body[0]
    assert isinstance(definition, ast.FunctionDef)
    lines = text.splitlines()[definition.body[0].lineno - 1 : definition.end_lineno]
    return definition.args.args[0].arg, textwrap.dedent("\n".join(re.sub(FOR_AUTHORS, "", one) for one in lines))
