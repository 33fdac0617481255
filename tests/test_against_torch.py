"""Ours is torch's: with torch.nn's own weights, the layers and stacks of lessons 06 to 08 give torch.nn's own numbers.

Another pair is another line in `PAIRS`.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from course.from_torch import load_from_torch, renamed

D_MODEL, NUM_HEADS, D_FF = 128, 8, 512
TOLERANCE = 1e-5
Sizes = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """One of our parts and torch's, built alike and called alike.

    Attributes:
        lesson: the lesson that defines ours.
        name: what ours is called.
        make_theirs: torch's, from (layer options, norm_first).
        arguments: what ours takes before d_model; the number of layers, for a stack.
        takes_memory: whether it reads a memory besides its own tokens.
    """

    lesson: str
    name: str
    make_theirs: Callable[[Sizes, bool], nn.Module]
    arguments: tuple[int, ...] = ()
    takes_memory: bool = False

    def __str__(self) -> str:
        return self.name

    def ours(self, package: str, d_model: int, num_heads: int, d_ff: int, norm_first: bool) -> Any:
        """Ours, of `solutions` or of the stand-ins."""
        part = getattr(importlib.import_module(f"{package}.{self.lesson}"), self.name)
        return part(*self.arguments, d_model, num_heads, d_ff, 0.0, norm_first)


def encoder_layer(sizes: Sizes, norm_first: bool) -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(**sizes, norm_first=norm_first)


def encoder(sizes: Sizes, norm_first: bool) -> nn.Module:
    norm = nn.LayerNorm(sizes["d_model"]) if norm_first else None
    # The nested tensors of post-norm are torch's fast path: it zeroes padded positions.
    return nn.TransformerEncoder(encoder_layer(sizes, norm_first), 2, norm, enable_nested_tensor=not norm_first)


def decoder_layer(sizes: Sizes, norm_first: bool) -> nn.TransformerDecoderLayer:
    return nn.TransformerDecoderLayer(**sizes, norm_first=norm_first)


def decoder(sizes: Sizes, norm_first: bool) -> nn.Module:
    norm = nn.LayerNorm(sizes["d_model"]) if norm_first else None
    return nn.TransformerDecoder(decoder_layer(sizes, norm_first), 2, norm)


PAIRS = (
    Pair("encoder", "EncoderLayer", encoder_layer),
    Pair("encoder", "Encoder", encoder, (2,)),
    Pair("decoder", "DecoderLayer", decoder_layer, takes_memory=True),
    Pair("decoder", "Decoder", decoder, (2,), takes_memory=True),
)
PACKAGES = ("solutions", "autograder.stand_ins")
FORMS = pytest.mark.parametrize("norm_first", (False, True), ids=("post-norm", "pre-norm"))
EVERY = pytest.mark.parametrize(("pair", "package"), list(itertools.product(PAIRS, PACKAGES)), ids=str)


def randomised(module: nn.Module) -> nn.Module:
    """Biases of 0, scales of 1 and layers that are copies of each other would hide what is mixed up."""
    for name, parameter in module.named_parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5)
        elif "norm" in name and name.endswith("weight"):
            nn.init.uniform_(parameter, 0.5, 1.5)
        else:
            nn.init.normal_(parameter, std=0.5)
    return module


@dataclass
class Both:
    """Ours and theirs with the same numbers in them, and what both are given."""

    pair: Pair
    ours: Any
    theirs: Any
    tokens: Tensor
    memory: Tensor
    lengths: Tensor | None
    memory_lengths: Tensor | None

    def our_output(self) -> Tensor:
        """With masks in which True means "may look"."""
        mask, memory_mask = (None if one is None else one[:, None, None] for one in self._real())
        causal = torch.ones(self.tokens.size(1), self.tokens.size(1), dtype=torch.bool).tril()
        if not self.pair.takes_memory:
            return self.ours(self.tokens, mask)
        return self.ours(self.tokens, self.memory, causal if mask is None else mask & causal, memory_mask)

    def their_output(self) -> Tensor:
        """With masks in which True means "may not look"."""
        hidden, memory_hidden = (None if one is None else ~one for one in self._real())
        causal = torch.ones(self.tokens.size(1), self.tokens.size(1), dtype=torch.bool).triu(1)
        if not self.pair.takes_memory:
            return self.theirs(self.tokens, src_key_padding_mask=hidden)
        return self.theirs(
            self.tokens,
            self.memory,
            tgt_mask=causal,
            tgt_key_padding_mask=hidden,
            memory_key_padding_mask=memory_hidden,
        )

    def real(self, output: Tensor) -> Tensor:
        """The output of the real tokens: what stands at padding is nobody's business (torch's fast path zeroes it)."""
        mask, _ = self._real()
        return output if mask is None else output[mask]

    def _real(self) -> Iterator[Tensor | None]:
        for x, lengths in ((self.tokens, self.lengths), (self.memory, self.memory_lengths)):
            yield None if lengths is None else torch.arange(x.size(1)) < lengths[:, None]


def both(pair: Pair, package: str, norm_first: bool, padded: bool, shape: tuple[int, int, int], d_ff: int) -> Both:
    """Two modules with the same weights, and a batch for them."""
    torch.manual_seed(0)
    batch, seq_len, d_model = shape
    sizes = {"d_model": d_model, "nhead": NUM_HEADS, "dim_feedforward": d_ff, "dropout": 0.0, "batch_first": True}
    theirs = randomised(pair.make_theirs(sizes, norm_first))
    ours = pair.ours(package, d_model, NUM_HEADS, d_ff, norm_first)
    load_from_torch(ours, theirs)
    memory_len = seq_len + 3
    lengths = torch.randint(1, seq_len + 1, (batch,)) if padded else None
    memory_lengths = torch.randint(1, memory_len + 1, (batch,)) if padded else None
    tokens = torch.randn(shape, requires_grad=True)
    memory = torch.randn(batch, memory_len, d_model, requires_grad=True)
    return Both(pair, ours, theirs, tokens, memory, lengths, memory_lengths)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("training", (True, False), ids=("train", "eval"))
@pytest.mark.parametrize("padded", (True, False), ids=("padded", "whole"))
@FORMS
@EVERY
def test_outputs_are_torchs(pair: Pair, package: str, norm_first: bool, padded: bool, training: bool) -> None:
    two = both(pair, package, norm_first, padded, (10, 32, D_MODEL), D_FF)
    for module in (two.ours, two.theirs):
        module.train(training)
    with torch.no_grad():
        mine, theirs = two.real(two.our_output()), two.real(two.their_output())
    assert (mine - theirs).abs().max() < TOLERANCE


@FORMS
@EVERY
def test_gradients_are_torchs(pair: Pair, package: str, norm_first: bool) -> None:
    torch.set_default_dtype(torch.float64)
    try:
        two = both(pair, package, norm_first, True, (3, 7, 32), 48)
        mine, theirs = (gradients(two, side) for side in ("our", "their"))
    finally:
        torch.set_default_dtype(torch.float32)
    assert mine.keys() == theirs.keys()
    for name, one in mine.items():
        assert torch.allclose(one, theirs[name], rtol=1e-9, atol=1e-9), name


def gradients(two: Both, side: str) -> dict[str, Tensor]:
    """The gradients of tokens, memory and parameters, under our names, of a loss that weighs every output."""
    module = two.ours if side == "our" else two.theirs
    inputs = {"tokens": two.tokens, **({"memory": two.memory} if two.pair.takes_memory else {})}
    output = two.real(two.our_output() if side == "our" else two.their_output())
    cotangent = torch.randn(output.shape, generator=torch.Generator().manual_seed(1))
    parameters = dict(module.named_parameters())
    found = torch.autograd.grad(output, [*inputs.values(), *parameters.values()], cotangent)
    named = dict(zip([*inputs, *parameters], found, strict=True))
    return named if side == "our" else renamed(named)


# nn.Transformer -------------------------------------------------------------------------------


def torchs_transformer(d_model: int, d_ff: int, norm_first: bool) -> nn.Transformer:
    """nn.Transformer with stacks that end as the paper's do: with a norm only when pre-norm."""
    sizes = {"d_model": d_model, "nhead": NUM_HEADS, "dim_feedforward": d_ff, "dropout": 0.0, "batch_first": True}
    norms = [nn.LayerNorm(d_model) if norm_first else None for _ in range(2)]
    writer = nn.TransformerDecoderLayer(**sizes, norm_first=norm_first)
    reader = encoder_layer(sizes, norm_first)
    stacks = {
        "custom_encoder": nn.TransformerEncoder(reader, 2, norms[0], enable_nested_tensor=False),
        "custom_decoder": nn.TransformerDecoder(writer, 2, norms[1]),
    }
    return randomised(nn.Transformer(d_model, NUM_HEADS, batch_first=True, **stacks))


def our_transformer(package: str, d_model: int, d_ff: int, norm_first: bool) -> Any:
    module = importlib.import_module(f"{package}.transformer")
    return module.Transformer(
        module.TransformerConfig(9, 7, d_model, NUM_HEADS, 2, d_ff, dropout=0.0, norm_first=norm_first)
    )


def both_transformers(ours: Any, theirs: nn.Transformer, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """What both make of the vectors of padded sources and targets, at real target tokens."""
    real_x = torch.arange(x.size(1)) < torch.randint(1, x.size(1) + 1, (len(x),))[:, None]
    real_y = torch.arange(y.size(1)) < torch.randint(1, y.size(1) + 1, (len(y),))[:, None]
    causal = torch.ones(y.size(1), y.size(1), dtype=torch.bool).tril()
    src_mask = real_x[:, None, None]
    mine = ours.decoder(y, ours.encoder(x, src_mask), real_y[:, None, None] & causal, src_mask)
    hidden = {"src_key_padding_mask": ~real_x, "memory_key_padding_mask": ~real_x}
    their = theirs(x, y, tgt_mask=~causal, tgt_key_padding_mask=~real_y, **hidden)
    return mine[real_y], their[real_y]


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("training", (True, False), ids=("train", "eval"))
@FORMS
def test_a_transformers_stacks_are_torchs(package: str, norm_first: bool, training: bool) -> None:
    torch.manual_seed(0)
    theirs, ours = torchs_transformer(128, 256, norm_first), our_transformer(package, 128, 256, norm_first)
    load_from_torch(ours, theirs)
    for module in (ours, theirs):
        module.train(training)
    with torch.no_grad():
        mine, their = both_transformers(ours, theirs, torch.randn(6, 20, 128), torch.randn(6, 17, 128))
    assert (mine - their).abs().max() < TOLERANCE


@pytest.mark.parametrize("package", PACKAGES)
@FORMS
def test_a_transformers_gradients_are_torchs(package: str, norm_first: bool) -> None:
    torch.set_default_dtype(torch.float64)
    try:
        torch.manual_seed(0)
        theirs, ours = torchs_transformer(32, 48, norm_first), our_transformer(package, 32, 48, norm_first)
        load_from_torch(ours, theirs)
        mine, their = both_transformers(ours, theirs, torch.randn(3, 7, 32), torch.randn(3, 6, 32))
        cotangent = torch.randn_like(mine)
        mine.backward(cotangent)
        their.backward(cotangent)
    finally:
        torch.set_default_dtype(torch.float32)
    expected = renamed({name: one.grad for name, one in theirs.named_parameters() if one.grad is not None})
    found = {name: one.grad for name, one in ours.named_parameters() if one.grad is not None}
    assert found.keys() == expected.keys()
    for name, one in found.items():
        assert torch.allclose(one, expected[name], rtol=1e-9, atol=1e-9), name


@pytest.mark.parametrize("package", PACKAGES)
def test_nn_transformers_own_stacks_end_with_norms_that_the_papers_do_not_have(package: str) -> None:
    theirs = nn.Transformer(32, NUM_HEADS, 2, 2, 48, batch_first=True)
    with pytest.raises(ValueError, match="one stack ends with a norm and the other does not"):
        load_from_torch(our_transformer(package, 32, 48, False), theirs)


@pytest.mark.parametrize("package", PACKAGES)
def test_parameters_by_formula_are_those_of_a_model(package: str) -> None:
    module = importlib.import_module(f"{package}.transformer")
    flags = itertools.product((False, True), repeat=3)
    for norm_first, share_embeddings, tie_output in flags:
        vocabulary = (11, 11) if share_embeddings else (11, 5)
        choices = {"norm_first": norm_first, "share_embeddings": share_embeddings, "tie_output": tie_output}
        config = module.TransformerConfig(*vocabulary, 6, 3, 2, 9, max_len=4, **choices)
        built = sum(one.numel() for one in module.Transformer(config).parameters())
        assert module.parameter_count(config) == built, choices
    base = module.TransformerConfig(37_000, 37_000, share_embeddings=True, tie_output=True)
    assert module.parameter_count(base) == 63_082_496
