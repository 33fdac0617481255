"""Parts that an implementation knows as its own: `isinstance` finds them."""

import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from torch import nn

Model = TypeVar("Model", bound=nn.Module)


def known_to(implementation: Callable, model: Model) -> Model:
    """A model whose parts are, besides what they are, of the classes that the implementation has under their names.

    Who goes through a model's modules asks `isinstance(part, LayerNorm)`, and means the class that stands in the
    notebook: the learner's own. What a probe builds is made of stand-ins, which would be strangers there.

    Args:
        implementation: what is under test.
        model: what it gets; its parts are changed.
    """
    names = getattr(inspect.unwrap(implementation), "__globals__", {})
    for part in model.modules():
        kind = type(part)
        theirs = names.get(kind.__name__)
        if inspect.isclass(theirs) and issubclass(theirs, nn.Module) and not issubclass(kind, theirs):
            with suppress(TypeError):  # no class can be both, as where theirs is built on this very one
                part.__class__ = type(kind.__name__, (kind, theirs), {})
    return model
