"""The forms that `autograder dev new` lays out; whatever says TODO is still to be written, and `dev check` finds it."""

from __future__ import annotations

from string import Template

FUNCTION = Template('''
def $name(x: Float[Tensor, "batch seq_len"]) -> Float[Tensor, "batch seq_len"]:
    """TODO: what it does, in one line.

    Args:
        x: TODO: what it is; correct its shape above.

    Returns:
        TODO: what comes back; correct its shape above.

    Source: TODO: paper, section.
    """
    # TODO: the steps, a comment each, which the learner keeps
    # BEGIN SOLUTION
    raise NotImplementedError("TODO: the solution")
    # END SOLUTION
''')

MODULE = Template('''
class $name(nn.Module):
    """TODO: what it does, in one line.

    Args:
        d_model: number of features of a token.

    Shapes: TODO: what goes in, and what comes out.

    Source: TODO: paper, section.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))  # TODO: its parameters, given to the learner

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        # BEGIN SOLUTION
        raise NotImplementedError("TODO: the solution")
        # END SOLUTION
''')

EXERCISE = Template("""
$variable = Exercise(
    "$name",
    points=$points,
    hints=(
        "TODO: a nudge: which question leads there?",
        "TODO: a skeleton in comments, as a block of Python.",
        "TODO: nearly the answer.",
    ),
)


@$variable.probe("TODO: what a right one does, as a sentence without a subject")
def ${variable}_small_input($name: Callable, draw: Draw) -> Any:
    $computed
""")

COMPUTED = Template('return $name(draw.tensor("x", 2, 3))')
COMPUTED_BY_MODULE = Template("""layer = draw.module($name, 4)
    return layer(draw.tensor("x", 2, 3, 4))""")

MISTAKE = Template("""
# TODO: five names at least, each of a slip that people really make; several ways of one slip stand under one name.
$variable.mistake(
    "TODO: a few words",
    "TODO: what happened. Why it matters. Where to look.",
    {"TODO: text that stands once in the reference": "TODO: what the slip writes instead"},
)
""")

STAND_IN = Template('''
@outside_the_watch
def $name(x: Tensor) -> Tensor:
    """TODO: the same by torch's own means, or another way than the reference's."""
    raise NotImplementedError("TODO: the stand-in")
''')

STAND_IN_MODULE = Template('''
@outside_the_watch
class $name(nn.Module):
    """TODO: torch's own with this course's signature, or another way; the parameters have the reference's names."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """TODO: what it does."""
        raise NotImplementedError("TODO: the stand-in")
''')

VARIANT = Template("""
@$decorator
def ${variable}_$label(x: Tensor) -> Tensor:
    raise NotImplementedError("TODO: $todo")
""")

VARIANT_MODULE = Template("""
@$decorator
class $name$label(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("TODO: $todo")
""")

VARIANTS = (
    ("correct", "right_1", "right, written in an unusual way"),
    ("correct", "right_2", "right, written in another way"),
    ("correct", "right_3", "right, written in a third way"),
    ("unlisted", "unlisted_1", "wrong in a way that is not among the mistakes"),
    ("unlisted", "unlisted_2", "wrong in another such way"),
    ("unlisted", "unlisted_3", "wrong in a third such way"),
    ("disguise", "disguise_1", "a mistake written in full; each name needs one"),
)
"""Kind, label, and what is to be written."""

CELLS = Template("""
## Exercise: `$name`

TODO: why it is needed, and how many lines it takes.

```{code-cell} ipython3
:tags: [exercise]

from solutions.$lesson import $name
```

```{code-cell} ipython3
:tags: [check]

check($name)
```
""")

PAGE = Template("""---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3 (ipykernel)
  language: python
  name: python3
---

# $number · TODO: its title

TODO: what you will build and what it is for, in one sentence.

*About TODO minutes · TODO: easy, medium or hard · needs lesson TODO · you will have built TODO*

```{code-cell} ipython3
import torch
from jaxtyping import Float
from torch import Tensor, nn

from autograder import check, hint, progress, reveal
```

## Why

TODO: a cell that shows what goes wrong without it. Run before you claim.

## By hand

TODO: numbers small enough to check in one's head, and a question before the answer.

## The formula

TODO: the formula, and a table of its symbols and shapes.

## Questions

+++ {"tags": ["question"], "slug": "todo"}

**1.** TODO: a question that one sentence answers.

+++ {"tags": ["answer"]}

TODO: the answer.

+++

## Where you are

```{code-cell} ipython3
progress()
```

TODO: what you have now, what is still missing, the paper to read, the next lesson.
""")

LESSON_FILES = {
    "solutions/$lesson.py": '"""TODO: what lesson $number builds, with the paper and its year."""\n',
    "autograder/checks/$lesson.py": '"""Checks of lesson $number."""\n',
    "autograder/mistakes/$lesson.py": '"""Wrong ways of lesson $number."""\n',
    "autograder/stand_ins/$lesson.py": '"""Lesson $number by torch\'s own means."""\n',
    "tests/variants/$lesson.py": '"""Lesson $number."""\n',
}
"""Files of a new lesson beside its page, and how they begin."""
