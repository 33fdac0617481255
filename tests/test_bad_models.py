"""Bad input to the parts of lessons 04 to 08: a ValueError that says what was given and what would do.

Tried on the reference and on the stand-ins: a learner may have either under his hands.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

PACKAGES = ("solutions", "autograder.stand_ins")


@dataclass(frozen=True)
class Parts:
    """The parts of one package, by name."""

    package: str

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(f"{self.package}.{HOMES[name]}"), name)

    def __str__(self) -> str:
        return self.package

    def model(self, **other: Any) -> Any:
        """A tiny Transformer."""
        sizes = {"d_model": 8, "num_heads": 2, "num_layers": 2, "d_ff": 12, "dropout": 0.0, "max_len": 6}
        return self.Transformer(self.TransformerConfig(9, 7, **sizes | other))


HOMES = {
    "scaled_dot_product_attention": "attention",
    "MultiHeadAttention": "multi_head_attention",
    "sinusoidal_encoding": "positional_encoding",
    "PositionalEncoding": "positional_encoding",
    "LearnedPositionalEncoding": "positional_encoding",
    "apply_rotary": "positional_encoding",
    "RotaryAttention": "positional_encoding",
    "EncoderLayer": "encoder",
    "Encoder": "encoder",
    "DecoderLayer": "decoder",
    "Decoder": "decoder",
    "TokenEmbedding": "transformer",
    "make_masks": "transformer",
    "TransformerConfig": "transformer",
    "Transformer": "transformer",
}

every_package = pytest.mark.parametrize("parts", [Parts(one) for one in PACKAGES], ids=str)


def refused(call: Callable[[], Any], *words: str) -> None:
    """Refused with a ValueError whose message holds all the words."""
    with pytest.raises(ValueError) as caught:
        call()
    for one in words:
        assert one in str(caught.value), str(caught.value)


def ids(*shape: int, high: int = 7) -> Tensor:
    return torch.randint(1, high, shape)


# Sizes ----------------------------------------------------------------------------------------


@every_package
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("MultiHeadAttention", (10, 3)),
        ("RotaryAttention", (10, 3)),
        ("EncoderLayer", (10, 3, 16)),
        ("Encoder", (2, 10, 3, 16)),
        ("DecoderLayer", (10, 3, 16)),
        ("Decoder", (2, 10, 3, 16)),
    ],
)
def test_a_width_that_cannot_be_divided_among_the_heads(parts: Parts, name: str, arguments: tuple[int, ...]) -> None:
    refused(lambda: getattr(parts, name)(*arguments), "d_model=10 is not divisible by num_heads=3")


@every_package
def test_a_transformer_whose_width_cannot_be_divided(parts: Parts) -> None:
    refused(lambda: parts.model(d_model=10, num_heads=3), "d_model=10 is not divisible by num_heads=3")


@every_package
def test_an_odd_width_has_no_sinusoids(parts: Parts) -> None:
    words = "d_model=9 is odd", "even"
    refused(lambda: parts.sinusoidal_encoding(4, 9), *words)
    refused(lambda: parts.PositionalEncoding(9), *words)
    refused(lambda: parts.model(d_model=9, num_heads=3), *words)


@every_package
def test_an_odd_head_cannot_be_turned(parts: Parts) -> None:
    refused(lambda: parts.apply_rotary(torch.randn(2, 4, 3), torch.arange(4)), "3 is odd", "even")
    refused(lambda: parts.RotaryAttention(6, 2), "3", "even")


@every_package
def test_one_table_for_two_vocabularies(parts: Parts) -> None:
    words = "share_embeddings needs one vocabulary", "src_vocab_size=9", "tgt_vocab_size=7"
    refused(lambda: parts.model(share_embeddings=True), *words)


# Lengths --------------------------------------------------------------------------------------


@every_package
@pytest.mark.parametrize("start", [0, 3])
def test_more_tokens_than_positions(parts: Parts, start: int) -> None:
    layer = parts.PositionalEncoding(8, max_len=6)
    refused(lambda: layer(torch.randn(2, 7 - start, 8), start=start), f"{7 - start} tokens", "max_len=6 positions")


@every_package
def test_more_tokens_than_learned_positions(parts: Parts) -> None:
    refused(lambda: parts.LearnedPositionalEncoding(6, 8)(torch.randn(2, 7, 8)), "7 tokens", "max_len=6 positions")


@every_package
def test_sentences_longer_than_the_transformer_has_positions(parts: Parts) -> None:
    model = parts.model()
    words = "7 tokens", "max_len=6 positions"
    refused(lambda: model(ids(2, 7), ids(2, 4)), *words)
    refused(lambda: model(ids(2, 4), ids(2, 7)), *words)
    refused(lambda: model.encode(ids(2, 7)), *words)
    refused(lambda: model.decode(ids(2, 7), torch.randn(2, 4, 8), torch.ones(2, 1, 1, 4) > 0), *words)


# Masks ----------------------------------------------------------------------------------------


def readers(parts: Parts) -> dict[str, Callable[[Tensor], Any]]:
    """Everything that takes a mask, as a function of the mask: 5 keys, and 4 or 5 queries, of 3 sentences."""
    x, memory = torch.randn(3, 5, 8), torch.randn(3, 5, 8)
    four = torch.randn(3, 4, 8)
    attention, layer, stack = parts.MultiHeadAttention(8, 2), parts.EncoderLayer(8, 2, 12), parts.Encoder(2, 8, 2, 12)
    writer, writers, model = parts.DecoderLayer(8, 2, 12), parts.Decoder(2, 8, 2, 12), parts.model()
    return {
        "MultiHeadAttention": lambda mask: attention(four, memory, memory, mask),
        "EncoderLayer": lambda mask: layer(x, mask),
        "Encoder": lambda mask: stack(x, mask),
        "DecoderLayer, self": lambda mask: writer(x, memory, mask, None),
        "DecoderLayer, cross": lambda mask: writer(four, memory, None, mask),
        "Decoder, self": lambda mask: writers(x, memory, mask, None),
        "Decoder, cross": lambda mask: writers(four, memory, None, mask),
        "Transformer.decode": lambda mask: model.decode(ids(3, 4), memory, mask),
    }


@every_package
@pytest.mark.parametrize("name", list(readers(Parts("solutions"))))
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_a_mask_of_numbers(parts: Parts, name: str, dtype: torch.dtype) -> None:
    mask = torch.ones(3, 1, 1, 5, dtype=dtype)
    refused(lambda: readers(parts)[name](mask), f"mask has dtype {dtype}", "give booleans, True where a query may look")


@every_package
@pytest.mark.parametrize("name", list(readers(Parts("solutions"))))
@pytest.mark.parametrize("shape", [(3, 1, 1, 6), (2, 1, 1, 5), (3, 5), (3, 1, 5, 1, 5)])
def test_a_mask_of_another_shape(parts: Parts, name: str, shape: tuple[int, ...]) -> None:
    mask = torch.ones(shape, dtype=torch.bool)
    refused(lambda: readers(parts)[name](mask), f"mask has shape {shape}", "(batch, num_heads, query_len, key_len)")


@every_package
def test_masks_that_fit_are_taken(parts: Parts) -> None:
    for name, read in readers(parts).items():
        for shape in ((3, 1, 1, 5), (1, 1, 1, 5), (1, 5), (3, 2, 1, 5)):
            assert read(torch.ones(shape, dtype=torch.bool)) is not None, name


# Ids ------------------------------------------------------------------------------------------


@every_package
def test_ids_beyond_the_vocabulary(parts: Parts) -> None:
    layer = parts.TokenEmbedding(7, 8, pad_id=0)
    refused(lambda: layer(torch.tensor([[1, 7]])), "1 to 7", "0 to 6")
    refused(lambda: layer(torch.tensor([[-1, 6]])), "-1 to 6", "0 to 6")
    assert layer(torch.tensor([[0, 6]])).shape == (1, 2, 8)


@every_package
def test_ids_of_the_other_vocabulary(parts: Parts) -> None:
    model = parts.model()  # 9 source tokens, 7 target tokens
    refused(lambda: model(torch.tensor([[1, 9]]), ids(1, 3)), "1 to 9", "0 to 8")
    refused(lambda: model(ids(1, 3), torch.tensor([[1, 8]])), "1 to 8", "0 to 6")


@every_package
@pytest.mark.parametrize(("sources", "targets"), [(2, 3), (1, 3), (3, 1)])
def test_another_number_of_targets_than_sources(parts: Parts, sources: int, targets: int) -> None:
    words = f"{sources} sources and {targets} targets", "every source needs one target"
    refused(lambda: parts.make_masks(ids(sources, 4), ids(targets, 5), 0), *words)
    refused(lambda: parts.model()(ids(sources, 4), ids(targets, 5)), *words)


@every_package
def test_a_sentence_without_tokens_is_no_bad_input(parts: Parts) -> None:
    model = parts.model()
    assert model(ids(2, 4), ids(2, 0)).shape == (2, 0, 7)
