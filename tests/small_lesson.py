"""A lesson for tests: short, with a cell of every role, on the exercises of lesson 01."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from nbformat import NotebookNode

from autograder.notebooks import files, lessons
from autograder.notebooks.build import build_text
from autograder.notebooks.files import stamped

STEM, LESSON = "01_layer_norm", "layer_norm"

TEXT = '''\
---
kernelspec:
  display_name: Python 3 (ipykernel)
  language: python
  name: python3
---

# Layer normalization

Tokens come in every size.

```{code-cell} ipython3
import torch
from jaxtyping import Float
from torch import Tensor, nn

from autograder import check
```

```{code-cell} ipython3
:tags: [demo]

print("a figure")
```

Write it.

```{code-cell} ipython3
:tags: [exercise]

from solutions.layer_norm import normalize
```

```{code-cell} ipython3
:tags: [check]

check(normalize)
```

```{code-cell} ipython3
:tags: [exercise]

from solutions.layer_norm import LayerNorm, RMSNorm
```

```{code-cell} ipython3
:tags: [check]

check(LayerNorm)
```

```{code-cell} ipython3
:tags: [check]

check(RMSNorm)
```

```{code-cell} ipython3
:tags: [wild]

class LayerNormalization(nn.Module):
    """As an article has it."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        return self.weight * (x - mean) / (x.std(-1, keepdim=True) + self.eps) + self.bias
```

```{code-cell} ipython3
:tags: [check]

check(LayerNormalization)
```

```{code-cell} ipython3
:tags: [play]

raise RuntimeError("grading does not come here")
```

+++ {"tags": ["question"], "slug": "eps"}

Why does `eps` stand inside the root?

+++ {"tags": ["answer"]}

So that its gradient stays finite at a variance of zero.

+++

That is all.
'''

STD_PLUS_EPS = """\
        mean = x.mean(-1, keepdim=True)
        return self.weight * (x - mean) / (x.std(-1, keepdim=True) + self.eps) + self.bias"""
"""The body of the most copied wrong LayerNorm."""

NO_GRADIENT = ("normalize(x, self.eps)", "normalize(x, self.eps).detach()")
"""What makes a right LayerNorm one whose numbers are right and whose gradients are not: a part of its points."""


def notebook(edition: str = "student", text: str = TEXT) -> NotebookNode:
    """The lesson's notebook."""
    return build_text(text, LESSON, edition)


def cell(given: NotebookNode, name: str) -> NotebookNode:
    """The cell with that id."""
    return next(one for one in given.cells if one.id == name)


def solved(given: NotebookNode, *names: str) -> NotebookNode:
    """A copy of a notebook in which these exercises are done."""
    done, own = notebook("solved"), copy.deepcopy(given)
    for name in names:
        cell(own, name).source = cell(done, name).source
    return own


def without(given: NotebookNode, *names: str) -> NotebookNode:
    """A later version of a notebook that lacks these cells."""
    later = copy.deepcopy(given)
    later.cells = [one for one in later.cells if one.id not in names]
    return stamped(later)


def live_in(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the builder work on a course in `root` with this lesson only; gives its `course/`."""
    course = root / "course"
    (course / "lessons").mkdir(parents=True, exist_ok=True)
    (course / "lessons" / f"{STEM}.md").write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr(lessons, "COURSE", course)
    monkeypatch.setattr(lessons, "SOURCES", course / "lessons")
    monkeypatch.setattr(files, "ROOT", root)
    return course
