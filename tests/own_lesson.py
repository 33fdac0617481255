"""A small lesson of an instructor's own, in a folder of theirs: two exercises, a mistake each, a module, a file.

The second exercise is built on the first, and on lesson 00.
"""

from __future__ import annotations

from pathlib import Path
from string import Template

STEM, LESSON = "50_doubling", "doubling"

FILES = {
    "course/lessons/$stem.md": '''\
---
kernelspec:
  display_name: Python 3 (ipykernel)
  language: python
  name: python3
---

# 50 · Doubling

Everything becomes twice as large. In lesson 00 you have built `softmax`.

```{code-cell} ipython3
import torch
from jaxtyping import Float
from torch import Tensor

from autograder import check
from course.${lesson}_tools import START
from my_transformer import softmax
```

```{code-cell} ipython3
:tags: [exercise]

from solutions.$lesson import $name
```

```{code-cell} ipython3
:tags: [check]

check($name)
```

```{code-cell} ipython3
:tags: [exercise]

from solutions.$lesson import soft_$name
```

```{code-cell} ipython3
:tags: [check]

check(soft_$name)
```

## Questions

+++ {"tags": ["question"], "slug": "why"}

Why twice?

+++ {"tags": ["answer"]}

Because.

+++

That is all.
''',
    "course/${lesson}_tools.py": '''\
"""Brings a file of the lesson's."""

from pathlib import Path

START = float((Path(__file__).parent / "data" / "$lesson.txt").read_text(encoding="utf-8"))
''',
    "course/data/$lesson.txt": "1.5\n",
    "solutions/$lesson.py": '''\
"""What lesson 50 builds."""

from jaxtyping import Float
from torch import Tensor

from solutions.start_here import softmax


def $name(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Every number twice as large; shape as given."""
    # BEGIN SOLUTION
    return 2 * x
    # END SOLUTION


def soft_$name(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Twice the softmax over the last dimension; shape as given."""
    # BEGIN SOLUTION
    return $name(softmax(x))
    # END SOLUTION
''',
    "autograder/checks/$lesson.py": '''\
"""Checks of lesson 50."""

from collections.abc import Callable
from typing import Any

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

$name = Exercise("$name", points=2, hints=("Which number times x?", "    return ... * x", "    return 2 * x"))


@$name.probe("doubles every number")
def small(twice: Callable, draw: Draw) -> Any:
    return twice(draw.tensor("x", 2, 3))


soft_$name = Exercise("soft_$name", points=2, hints=("Of what?", "    return ...", "    return $name(softmax(x))"))


@soft_$name.probe("doubles a softmax")
def soft_small(soft_twice: Callable, draw: Draw) -> Any:
    return soft_twice(draw.tensor("x", 2, 3))


@soft_$name.probe("has the gradient of it", rung="gradients")
def soft_gradient(soft_twice: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, requires_grad=True)
    return draw.gradients(soft_twice(x), x=x)
''',
    "autograder/mistakes/$lesson.py": '''\
"""Wrong ways of lesson 50."""

from autograder.checks.$lesson import soft_$name, $name

$name.mistake("squared", "You take the square. It is two times the number. Look at the sign.", {"2 * x": "x * x"})
soft_$name.mistake("softmax of twice", "You double first. The softmax comes first. Look at the order.",
                   {"$name(softmax(x))": "softmax($name(x))"})
''',
    "autograder/stand_ins/$lesson.py": '''\
"""Lesson 50 by torch's own means."""

import torch
from torch import Tensor

from autograder.probing.watch import outside_the_watch


@outside_the_watch
def $name(x: Tensor) -> Tensor:
    """Twice the number."""
    return torch.add(x, x)


@outside_the_watch
def soft_$name(x: Tensor) -> Tensor:
    """Twice the softmax."""
    return torch.add(x.softmax(-1), x.softmax(-1))
''',
    "tests/variants/$lesson.py": '''\
"""Lesson 50."""

from torch import Tensor

from tests.variants import correct, disguise, unlisted


@correct("$name")
def ${name}_right(x: Tensor) -> Tensor:
    return x + x


@unlisted("$name")
def ${name}_unlisted(x: Tensor) -> Tensor:
    return x + 2


@disguise("$name", "squared")
def ${name}_disguise(x: Tensor) -> Tensor:
    return x.pow(2)
''',
}  # fmt: skip


def write(folder: Path, *, stem: str = STEM, name: str = "twice", without: str = "") -> Path:
    """Write the lesson into a folder, and give the folder.

    Args:
        folder: where to.
        stem: of the lesson's page.
        name: of its first exercise.
        without: beginning of the paths that are left out.
    """
    words = {"stem": stem, "lesson": stem.partition("_")[2], "name": name}
    for form, text in FILES.items():
        path = Template(form).substitute(words)
        if not without or not path.startswith(without):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(Template(text).substitute(words), encoding="utf-8")
    return folder
