"""What the checks of lesson 11 share: a model that writes something, the exception that came, the work that was done."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from autograder.probing.draws import Draw
from autograder.stand_ins.transformer import Transformer, TransformerConfig

# A model that writes something ----------------------------------------------------------------------------

VOCAB, BOS, EOS, PAD = 9, 1, 2, 3
"""A small vocabulary, with ids for the special tokens that nobody takes for granted."""

NEVER = -30.0
"""What a token is given that is never to be written."""

GROUPS = 16
"""How many batches of sources are tried with one model; to decode them together takes as long as to decode one."""

Tells = Callable[[Transformer, Tensor], Iterable[Any]]
"""Says for each of several batches of sources, (groups, batch, src_len), whether a slip would show on it."""


class _Found(NamedTuple):
    """What was found: which model, which of its batches, both of them, and what stood in the model's parameters."""

    settled: tuple[int, int]
    model: Transformer
    source: Tensor
    parameters: list[Tensor]


_found: dict[tuple[int, str], _Found] = {}
"""By seed and probe."""


def small(**other: Any) -> TransformerConfig:
    """Sizes of a tiny model. Its dropout shows only where somebody turns it on: `writer` gives it in evaluation."""
    sizes: dict[str, Any] = dict(d_model=8, num_heads=2, num_layers=1, d_ff=10, dropout=0.3, max_len=14, pad_id=PAD)
    return TransformerConfig(VOCAB, VOCAB, **sizes | other)


def writer(draw: Draw, number: int, ending: float = 1.0, encoder: bool = False) -> Transformer:
    """A model that writes other tokens at other places and for other sources, and never padding or BOS.

    Weights at random as they come write one token over and over. Here positions and both attentions weigh more, and the
    first feature is always 1 at the output, so that its column there serves as a bias.

    Args:
        draw: where the weights come from.
        number: another one is another model.
        ending: how readily it writes EOS.
        encoder: whether the encoder has a layer; without one, what it makes is the source with its positions.
    """
    model: Any = Transformer(small())
    if not encoder:
        model.encoder.layers = nn.ModuleList()
    with torch.no_grad():
        for name, parameter in sorted(model.named_parameters()):
            if parameter.dim() > 1:
                drawn = draw.tensor(f"{number} {name}", *parameter.shape)
                wide = 3 if "attn.out_proj" in name else 2 if "attn.q_proj" in name else 1
                parameter.copy_(wide * drawn / parameter.size(-1) ** 0.5)
            else:
                parameter.fill_(float("norm" in name and name.endswith("weight")))
        model.positions.table.copy_(draw.tensor(f"{number} table", *model.positions.table.shape, scale=2))
        last = model.decoder.layers[-1].norm3
        last.weight[0], last.bias[0] = 0.0, 1.0
        model.output.weight.mul_(2.5)[:, 0] = 0.0
        model.output.weight[[PAD, BOS], 0] = NEVER
        model.output.weight[EOS, 0] = ending
    return model.eval()


def sources(draw: Draw, number: int, lengths: Sequence[int]) -> Tensor:
    """Ids of real tokens, as many in a row as `lengths` says, padded to one length: (batch, src_len)."""
    return pool(draw, number, lengths)[0]


def pool(draw: Draw, number: int, lengths: Sequence[int]) -> Tensor:
    """Several such batches: (groups, batch, src_len)."""
    drawn = draw.integers(f"{number} source", GROUPS, len(lengths), max(lengths), high=VOCAB - 1)
    real = drawn + (drawn >= PAD)
    past_the_end = torch.arange(max(lengths)) >= torch.tensor(list(lengths))[:, None]
    return real.masked_fill(past_the_end, PAD)


def telling(
    draw: Draw, lengths: Sequence[int], tells: Tells, ending: float = 1.0, encoder: bool = False
) -> tuple[Transformer, Tensor]:
    """The first model and sources on which slips would show. To look for them takes longer than the probe."""
    key = (draw.seed, draw.probe)
    if key not in _found:
        some = Draw(draw.seed, draw.probe)
        number, group = draw.settled or _look_for(some, lengths, tells, ending, encoder)
        model = writer(some, number, ending, encoder)
        parameters = [one.detach().clone() for one in model.parameters()]
        _found[key] = _Found((number, group), model, pool(some, number, lengths)[group], parameters)
    draw.settled, model, source, kept = _found[key]
    with torch.no_grad():  # as it was, whatever the last implementation has done to it
        for parameter, value in zip(model.parameters(), kept, strict=True):
            parameter.copy_(value)
    return model.eval(), draw.keep("source", source.clone())


def _look_for(draw: Draw, lengths: Sequence[int], tells: Tells, ending: float, encoder: bool) -> tuple[int, int]:
    for number in range(100):
        told = tells(writer(draw, number, ending, encoder), pool(draw, number, lengths))
        group = next((place for place, good in enumerate(told) if good), None)
        if group is not None:
            return number, group
    return 0, 0


def raised(run: Callable[[], Any]) -> str:
    """Which exception came, if one did."""
    try:
        run()
    except ValueError:
        return "ValueError"
    except Exception as error:
        return type(error).__name__
    return "no exception"


class _Work(TorchDispatchMode):
    """Counts the multiplications of matrix products, whoever makes them."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # True, the default, imports torch's compiler at the first call

    def __init__(self) -> None:
        super().__init__()
        self.done = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        out = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if name in ("mm", "bmm", "addmm", "baddbmm", "mv", "addmv"):
            self.done += out.numel() * args[name in ("addmm", "baddbmm", "addmv")].size(-1)
        return out


@contextmanager
def work() -> Iterator[_Work]:
    """Counts while it is active."""
    counter = _Work()
    with counter:
        yield counter


def against(more: int, less: int, times: int = 2) -> str:
    """Two amounts of work, compared coarsely: ways to write the same thing differ by a little."""
    return f"{'no ' if more <= times * less else ''}more than {times} times as much"
