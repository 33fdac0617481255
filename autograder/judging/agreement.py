"""When two runs agree: in what came back, in the parameters that were made, in the inputs that were changed."""

from __future__ import annotations

from autograder.probing.draws import Signature
from autograder.probing.outcome import same
from autograder.probing.run import Run


def agree(expected: Run, got: Run) -> bool:
    """Whether two runs agree in everything that is looked at."""
    return same(expected.returned, got.returned) and same_inputs(expected, got) and same_parameters(expected, got)


def same_inputs(right: Run, got: Run) -> bool:
    """Whether the same inputs were written over."""
    return right.changed == got.changed


def leaves_inputs(right: Run, got: Run) -> bool:
    """Whether nothing was written over but what is so on the reference too: a probe may do that, or an optimizer."""
    return set(got.changed) <= set(right.changed)


def same_parameters(right: Run, got: Run) -> bool:
    """Whether the modules that were made have the same parameters."""
    pairs = zip(right.signatures, got.signatures, strict=False)
    return all(a is b or a == b or _compatible(a, b) for a, b in pairs)


def _compatible(right: Signature, got: Signature) -> bool:
    """Parameters must be the same. What is kept in buffers, saved or not, and in which shape, is one's own affair."""
    wanted = {name: entry for name, entry in right.items() if entry[0] == "parameter"}
    needed = {name: entry for name, entry in got.items() if entry[0] == "parameter" or name in wanted}
    return needed == wanted
