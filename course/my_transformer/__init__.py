"""Your own library. It fills up with the parts of a Transformer as they pass their checks.

    from my_transformer import LayerNorm

gives your own LayerNorm once it has passed, and until then a stand-in, with a line that says so.
"""

from typing import Any

from autograder.learner.library import home as _home
from autograder.learner.library import serve as _serve

__path__ = [str(_home()), *__path__]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return _serve(name)
