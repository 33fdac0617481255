"""The weights in course/data: small enough, whole, and good in the reference and in the stand-in alike."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from autograder.stand_ins import gpt as stand_in
from course import weights_table
from course.docstrings import LICENCES, read_prose
from course.kneser_ney import KneserNey
from course.pieces import library_tokenizer, to_ids
from course.pretrain import FILE_LIMIT
from course.shipped import DATA, Shipped, read_shipped
from course.token_losses import token_losses
from solutions import gpt as reference


@pytest.fixture(scope="module")
def shipped() -> Shipped:
    return read_shipped(DATA / "gpt.safetensors")


@pytest.mark.parametrize("path", sorted(DATA.glob("*.safetensors")), ids=lambda path: path.name)
def test_weights_are_small(path: Path) -> None:
    assert path.stat().st_size <= FILE_LIMIT
    assert {f"{path.stem}.csv", f"{path.stem}.png"} <= {one.name for one in DATA.iterdir()}


def test_reference_and_stand_in_say_the_same_with_them(shipped: Shipped) -> None:
    config, ids = shipped.config, torch.arange(2 * 40).reshape(2, 40) * 31
    found = []
    for part in (reference, stand_in):
        model = part.GPT(part.GPTConfig(**config)).eval()
        shipped.fill_(model)
        with torch.no_grad():
            found.append(model(ids))
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-4)


def test_they_know_held_out_text_far_better_than_a_unigram(
    shipped: Shipped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))
    prose, tokenizer = read_prose(), library_tokenizer(shipped.merges)
    ids = to_ids(prose.held_out[:100], tokenizer)
    model = stand_in.GPT(stand_in.GPTConfig(**shipped.config))
    shipped.fill_(model)
    unigram = -KneserNey(to_ids(prose.known, tokenizer), shipped.config["vocab_size"], 1).log_probs(ids)[1:]
    assert token_losses(model, ids, shipped.config["max_len"]).mean() < unigram.mean() - 1.5


def test_the_page_beside_them_says_what_they_are(shipped: Shipped) -> None:
    assert (DATA / "README.md").read_text(encoding="utf-8") == weights_table.page()
    assert set(shipped.versions) <= set(LICENCES)
