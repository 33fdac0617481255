"""A `Run` as plain data for the channel, and back; what comes back is held against its form."""

from __future__ import annotations

from typing import Any

from autograder.probing.codec import BadMessage
from autograder.probing.draws import Signature
from autograder.probing.run import Place, Run

MAX_NAMES = 2000
MAX_TEXT = 500


def plain(run: Run) -> dict[str, Any]:
    """A run as plain data."""
    place = run.place
    return {
        "returned": run.returned,
        "signatures": [
            {name: [kind, [int(size) for size in shape], owner] for name, (kind, shape, owner) in one.items()}
            for one in run.signatures
        ],
        "changed": list(run.changed),
        "forbidden": list(run.forbidden),
        "place": [place.file, place.number, place.text, place.inside, place.called_by] if place else None,
        "interrupted": run.interrupted,
    }


def run_of(given: Any) -> Run:
    """The run that plain data stands for.

    Raises:
        BadMessage: when it is none.
    """
    fields = {"returned", "signatures", "changed", "forbidden", "place", "interrupted"}
    if type(given) is not dict or given.keys() != fields:
        raise BadMessage("no record of a run")
    # A run is interrupted only where a person can press stop; in the sandbox nobody can.
    return Run(
        given["returned"],
        [_signature(one) for one in _list(given["signatures"])],
        names(given["changed"]),
        names(given["forbidden"]),
        _place(given["place"]),
    )


def names(given: Any) -> list[str]:
    """A list of short texts."""
    found = _list(given)
    if not all(type(one) is str for one in found):
        raise BadMessage("a name that is no text")
    return [one[:MAX_TEXT] for one in found]


def _list(given: Any) -> list[Any]:
    if type(given) is not list or len(given) > MAX_NAMES:
        raise BadMessage("no list, or too long a one")
    return given


def _signature(given: Any) -> Signature:
    if type(given) is not dict or len(given) > MAX_NAMES:
        raise BadMessage("no parameters, or too many")
    return {name[:MAX_TEXT]: _entry(entry) for name, entry in given.items()}


def _entry(given: Any) -> tuple[str, tuple[int, ...], str]:
    if type(given) is not list or len(given) != 3:
        raise BadMessage("no parameter")
    kind, shape, owner = given
    if type(kind) is not str or type(owner) is not str or not all(type(size) is int for size in _list(shape)):
        raise BadMessage("no parameter")
    return kind, tuple(shape), owner


def _place(given: Any) -> Place | None:
    if given is None:
        return None
    if type(given) is not list or [type(one) for one in given] != [str, int, str, str, str]:
        raise BadMessage("no place")
    file, number, *texts = given
    return Place(file[:MAX_TEXT], number, *(one[:MAX_TEXT] for one in texts))
