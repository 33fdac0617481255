"""What a residual and a norm do to a deep stack: the spread of the stream and the gradient, block by block."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import traitlets
from torch import Tensor, nn

from course.widgets.base import CourseWidget, Settings
from course.widgets.calls import Answer, ask, name_of, tensor_of
from course.widgets.compare import same
from course.widgets.figures import Picture, panels
from course.widgets.numbers import number
from course.widgets.stand_ins import FeedForward, add_norm
from course.widgets.tensors import packed

KINDS = ("no residual", "residual only", "post-norm", "pre-norm")
FORMULAS = {
    "no residual": "ff(x)",
    "residual only": "x + ff(x)",
    "post-norm": "norm(x + ff(x))",
    "pre-norm": "x + ff(norm(x))",
}
INITS = {
    "torch": "nn.Linear's own start",
    "small": "N(0, 0.02²)",
    "he": "He (fan-in)",
}
DEEPEST = 48
TOKENS = 16
WIDEST = 64
# The end of the axis: beyond it a curve would press all others flat.
FLOOR, CEILING = 1e-16, 1e16

Block = Callable[[Tensor], Tensor]


@dataclass
class Curves:
    """What one arrangement does over the depth.

    Args:
        spread: (depth + 1,) standard deviation of the stream: of the input, then after each block.
        gradient: (depth,) norm of the gradient that arrives at the input of each block; NaN where none does.
    """

    spread: np.ndarray
    gradient: np.ndarray


class ResidualExplorer(CourseWidget):
    """A stack of feed-forward blocks in four arrangements, run forward and backward through your functions.

    The input (16 tokens) and the gradient given at the output are drawn from N(0, 1), the same for all arrangements,
    as are the weights. Nothing is trained. A pre-norm stack has no final norm here.

    Args:
        add_norm: your add_norm(x, sublayer, norm, dropout, norm_first); the stand-in if not given.
        norm: your LayerNorm class, called with d_model; torch's if not given.
        feed_forward: your FeedForward class, called with (d_model, 4 · d_model); the stand-in if not given.
        depth: number of blocks to begin with, 1 to 48.
        d_model: number of features, 4 to 64.
        init: "torch" (nn.Linear's own start), "small" (N(0, 0.02²)) or "he" to begin with.
    Raises:
        ValueError: sizes out of range, or something that is no function.
    """

    entry = "residuals.js"
    depth = traitlets.Int(24, min=1, max=DEEPEST).tag(sync=True)
    init = traitlets.Enum(tuple(INITS), "torch").tag(sync=True)
    seed = traitlets.Int(0, min=0).tag(sync=True)
    shown = traitlets.List(traitlets.Unicode(), list(KINDS)).tag(sync=True)

    def __init__(
        self,
        add_norm: Callable[..., Any] | None = None,
        norm: Callable[..., Any] | None = None,
        feed_forward: Callable[..., Any] | None = None,
        *,
        depth: int = 24,
        d_model: int = 32,
        init: str = "torch",
    ) -> None:
        self.given = {"add_norm": add_norm, "norm": norm, "feed_forward": feed_forward}
        for name, part in self.given.items():
            if part is not None and not callable(part):
                raise ValueError(f"{name} is {part!r}; give your function or class")
        _whole(depth, "depth", 1, DEEPEST)
        self.d_model = _whole(d_model, "d_model", 4, WIDEST)
        if init not in INITS:
            raise ValueError(f"init={init!r} is not one of {', '.join(INITS)}")
        super().__init__(depth=depth, init=init)
        self._refresh()
        self.observe(self._refresh, ["depth", "init", "seed"])

    # ---- the parts: the learner's where they work ----

    @property
    def recorded(self) -> Settings:
        """See `CourseWidget`."""
        return {"depth": (1, 2, 4, 8, 16, 24, 36, DEEPEST), "init": tuple(INITS), "seed": (0, 1)}

    def _refresh(self, _: Any = None) -> None:
        self.troubles: list[str] = []
        with _one_thread():
            self._draw()
            self.blocks = self._blocks()
            self.norm = self._norm()
            self.add_norm, self.yours = self._add_norm()
            self.curves = {kind: self._run(kind) for kind in KINDS}
            data = self._data()
        self.data = data

    def _draw(self) -> None:
        source = torch.Generator().manual_seed(self.seed)
        self.x = torch.randn(TOKENS, self.d_model, generator=source)
        self.pull = torch.randn(TOKENS, self.d_model, generator=source)

    def _blocks(self) -> list[Block]:
        given = self.given["feed_forward"]
        if given is None:
            return self._stack(FeedForward)
        answer = ask(self._stack, given, name=name_of(given, "feed_forward"))
        tried = answer if answer.trouble else self._tried(answer.value[0], name_of(given, "feed_forward"))
        return self._stack(FeedForward) if self._noted(tried) else answer.value

    def _stack(self, feed_forward: Callable[..., Any]) -> list[Block]:
        """As many blocks as there can be, so that a deeper stack begins with the blocks of a flatter one."""
        # The learner's own class draws from the global generator: lend it one that is put back.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(1000 + self.seed)
            return [_initialised(feed_forward(self.d_model, 4 * self.d_model), self.init) for _ in range(self.depth)]

    def _norm(self) -> Block:
        given = self.given["norm"]
        stand_in = nn.LayerNorm(self.d_model)
        if given is None:
            return stand_in
        name = name_of(given, "norm")
        answer = ask(given, self.d_model, name=name) if isinstance(given, type) else Answer(given)
        tried = answer if answer.trouble else self._tried(answer.value, name)
        return stand_in if self._noted(tried) else answer.value

    def _tried(self, part: Any, name: str) -> Answer:
        """Call a part on the input: what it returns, or what is wrong with it."""
        if not callable(part):
            return Answer(trouble=f"`{name}` made a {type(part).__name__}, which cannot be called.")
        answer = ask(part, self.x, name=name)
        return answer if answer.trouble else tensor_of(answer.value, tuple(self.x.shape), f"`{name}` returned")

    def _noted(self, answer: Answer) -> bool:
        if answer.trouble:
            self.troubles.append(f"{answer.trouble} The stand-in is used instead.")
        return bool(answer.trouble)

    def _add_norm(self) -> tuple[Callable[..., Any], bool]:
        given = self.given["add_norm"]
        if given is None:
            return add_norm, False
        troubles = [t for kind in KINDS[1:] if (t := self._wrong(given, kind))]
        if troubles:
            self.troubles.append(f"{troubles[0]} The stand-in is used instead.")
        return (add_norm, False) if troubles else (given, True)

    def _wrong(self, given: Callable[..., Any], kind: str) -> str:
        """Why one block cannot be run with the learner's add_norm, "" when it can."""
        name = name_of(given, "add_norm")
        answer = ask(self._once, given, kind, name=name)
        if answer.trouble:
            return answer.trouble
        made, changed = answer.value
        if changed:
            return f"`{name}` changes the tensor it is given (an operation in place, such as `+=`)."
        return tensor_of(made, tuple(self.x.shape), f"`{name}` returned").trouble

    def _once(self, function: Callable[..., Any], kind: str) -> tuple[Any, bool]:
        x = self.x.clone()
        before = x._version
        return function(x, self.blocks[0], *self._arguments(kind)), x._version > before

    def _arguments(self, kind: str) -> tuple[Block, Block, bool]:
        return (nn.Identity() if kind == "residual only" else self.norm), nn.Identity(), kind == "pre-norm"

    # ---- forward and backward ----

    def _run(self, kind: str) -> Curves:
        answer = ask(self._measured, kind, self.add_norm, name=name_of(self.add_norm, "add_norm"))
        if answer.trouble:
            self.troubles.append(f"{kind}: {answer.trouble} The stand-in is used instead.")
            answer = ask(self._measured, kind, add_norm)
        if answer.trouble:
            nothing = np.full(self.depth + 1, np.nan, np.float32)
            return Curves(nothing, nothing[1:])
        return answer.value

    def _measured(self, kind: str, function: Callable[..., Any]) -> Curves:
        with torch.enable_grad():
            stream = [self.x.clone().requires_grad_()]
            for block in self.blocks[: self.depth]:
                stream.append(self._step(stream[-1], block, kind, function))
            grads = self._gradients(stream)
        spread = [float(h.detach().std(correction=0)) for h in stream]
        return Curves(np.array(spread, np.float32), np.array(grads, np.float32))

    def _step(self, x: Tensor, block: Block, kind: str, function: Callable[..., Any]) -> Tensor:
        return block(x) if kind == "no residual" else function(x, block, *self._arguments(kind))

    def _gradients(self, stream: list[Tensor]) -> list[float]:
        if not stream[-1].requires_grad:
            return [math.nan] * self.depth
        grads = torch.autograd.grad(stream[-1], stream[:-1], self.pull, allow_unused=True)
        return [math.nan if g is None else float(g.norm()) for g in grads]

    # ---- words ----

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong, in sentences."""
        return [*self.troubles, *self._differences(), *self._cut()]

    def _differences(self) -> list[str]:
        if not self.yours:
            return []
        said = []
        for kind in KINDS[1:]:
            mine, theirs = (ask(self._once, f, kind).value[0] for f in (self.given["add_norm"], add_norm))
            mine, theirs = mine.detach().numpy(), theirs.detach().numpy()
            if not same(mine, theirs):
                gap = number(float(np.abs(mine - theirs).max()))
                said.append(f"{kind}: after one block yours differs from the stand-in by up to {gap}.")
        return said

    def _cut(self) -> list[str]:
        cut = [kind for kind in KINDS if np.isnan(self.curves[kind].gradient).any()]
        finite = [kind for kind in cut if np.isfinite(self.curves[kind].spread).all()]
        return [f"No gradient reaches the input in: {', '.join(finite)}."] if finite else []

    @property
    def caption(self) -> str:
        """What was run."""
        return (
            f"{TOKENS} tokens of {self.d_model} features, {INITS[self.init]}; the gradient given at the output has "
            f"norm {number(float(self.pull.norm()))}."
        )

    def _data(self) -> dict[str, Any]:
        return {
            "depth": self.depth,
            "kinds": list(KINDS),
            "formulas": FORMULAS,
            "inits": INITS,
            "deepest": DEEPEST,
            "spread": packed(np.stack([self.curves[kind].spread for kind in KINDS])),
            "gradient": packed(np.stack([self.curves[kind].gradient for kind in KINDS])),
            "yours": self.yours,
            "caption": self.caption,
            "problems": self.problems,
        }

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        lines = [self._said(kind) for kind in KINDS if kind in self.shown]
        return (
            f"Spread of the stream and norm of the gradient in stacks of {self.depth} blocks: {self.caption} "
            f"{' '.join(lines)} {' '.join(self.problems) or 'No problems.'}"
        )

    def _said(self, kind: str) -> str:
        curves = self.curves[kind]
        first, last, arrives = (number(float(n)) for n in (curves.spread[0], curves.spread[-1], curves.gradient[0]))
        return f"{kind}: spread {first} at the input, {last} after block {self.depth}, gradient {arrives} at block 1."

    def plot(self) -> Picture:
        """The curves of the chosen arrangements as a static figure."""
        picture, axes = panels(1, 2, size=(9.5, 3.6), alt=self.alt)
        for kind, style, colour in zip(KINDS, (":", "--", "-", "-."), COLOURS, strict=True):
            if kind in self.shown:
                look: dict[str, Any] = {"linestyle": style, "color": colour, "label": kind}
                axes[0, 0].plot(range(self.depth + 1), _positive(self.curves[kind].spread), **look)
                axes[0, 1].plot(range(1, self.depth + 1), _positive(self.curves[kind].gradient), **look)
        _named(axes[0, 0], "spread of the stream", "after block", "standard deviation")
        _named(axes[0, 1], "norm of the gradient", "at the input of block", "norm")
        if self.shown:
            axes[0, 0].legend(fontsize=8)
        return picture


COLOURS = ("#c2561a", "#8a4fa3", "#2b66ad", "#2f8f83")


@contextmanager
def _one_thread() -> Iterator[None]:
    """Run torch on one core: for matrices as small as these, threads that wait for each other cost the most."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _initialised(block: Any, init: str) -> Any:
    """The block with weights drawn anew, unless they are to stay as they are."""
    if not isinstance(block, nn.Module):
        return block
    if init != "torch":
        with torch.no_grad():
            for parameter in block.parameters():
                _draw_anew(parameter, init)
    return block.eval()


def _draw_anew(parameter: Tensor, init: str) -> None:
    if parameter.dim() < 2:
        parameter.zero_()
    else:
        parameter.normal_(std=0.02 if init == "small" else math.sqrt(2 / parameter.shape[1]))


def _positive(values: np.ndarray) -> np.ndarray:
    """What a logarithmic axis can show; the rest is left out."""
    return np.where((values >= FLOOR) & (values <= CEILING), values, np.nan)


def _named(ax: Any, title: str, x: str, y: str) -> None:
    ax.set_yscale("log")
    ax.set(title=title, xlabel=x, ylabel=y)


def _whole(size: Any, name: str, least: int, most: int) -> int:
    if not isinstance(size, int) or isinstance(size, bool) or not least <= size <= most:
        raise ValueError(f"{name}={size!r}; give a whole number from {least} to {most}")
    return size
