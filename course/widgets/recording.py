"""What Python answers to a widget's controls, kept for a page on which there is no Python (the web book)."""

from __future__ import annotations

import base64
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ipywidgets

from course.widgets.base import CourseWidget

MOST_ANSWERS = 3000
"""Of one widget: a page has to be loaded before it can be read."""


def recorded(widget: CourseWidget) -> dict[str, Any]:
    """A widget as a page can keep it: its state, and its answers to the settings that it names.

    Args:
        widget: `widget.recorded` says which values of which controls are tried.

    Returns:
        {"module": the file of its code, "alt": ..., "state": {trait: value}, "settings": {trait: values},
        "answers": [what differs from the state's data, in the order of `itertools.product` of the values]}. Numbers
        packed for the browser are {"shape": [...], "base64": "..."}.

    Raises:
        ValueError: if there are more than MOST_ANSWERS answers.
    """
    settings = {name: _with(values, getattr(widget, name)) for name, values in widget.recorded.items()}
    count = math.prod(map(len, settings.values()))
    if count > MOST_ANSWERS:
        raise ValueError(f"{type(widget).__name__} would keep {count:,} answers; name fewer settings")
    state, alt = _state(widget), widget.alt
    answers = _answers(widget, settings) if count > 1 else []
    return _plain(
        {"module": widget.entry, "alt": alt, "state": state, "settings": settings, "answers": answers},
    )


def record_all(path: Path | str) -> None:
    """Write down every widget of this process: its model's id → what is kept of it."""
    kept = {one.model_id: recorded(one) for one in _alive() if isinstance(one, CourseWidget)}
    Path(path).write_text(json.dumps(kept), encoding="utf-8")


def _alive() -> list[ipywidgets.Widget]:
    return list(ipywidgets.widgets.widget._instances.values())  # its public name for them is gone


def _with(values: Sequence[Any], now: Any) -> list[Any]:
    """The values, and what is set now; numbers in order."""
    found = list(values) if now in values else [*values, now]
    return sorted(found) if all(isinstance(one, int | float) for one in found) else found


def _state(widget: CourseWidget) -> dict[str, Any]:
    own = [name for name in widget.class_trait_names(sync=True) if not name.startswith("_")]
    return {name: getattr(widget, name) for name in own if name not in ipywidgets.DOMWidget.class_trait_names()}


def _answers(widget: CourseWidget, settings: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    before, base = {name: getattr(widget, name) for name in settings}, dict(widget.data)
    answers = []
    with widget.hold_sync():  # nobody listens, and thousands of messages would wait
        for values in itertools.product(*settings.values()):
            _set(widget, dict(zip(settings, values, strict=True)))
            answers.append({name: value for name, value in widget.data.items() if value != base.get(name)})
        _set(widget, before)
    return answers


def _set(widget: CourseWidget, values: Mapping[str, Any]) -> None:
    with widget.hold_trait_notifications():  # one answer for all of them
        for name, value in values.items():
            setattr(widget, name, value)


def _plain(value: Any) -> Any:
    """The same as JSON can hold it."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        packed = set(value) == {"shape", "data"} and isinstance(value["data"], bytes)
        if packed:
            return {"shape": list(value["shape"]), "base64": _plain(value["data"])}
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
