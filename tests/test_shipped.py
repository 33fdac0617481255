"""The weights in course/data: small enough, whole, and good in the reference and in the stand-in alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from autograder.stand_ins import bert as stand_in_bert
from autograder.stand_ins import gpt as stand_in
from course import weights_table
from course.bert_pieces import BertPieces
from course.docstrings import LICENCES, read_prose
from course.kneser_ney import KneserNey
from course.pieces import library_tokenizer, to_ids
from course.pretrain_bert import NOBODY, one_blank_each, scores_of
from course.run_files import FILE_LIMIT
from course.shipped import DATA, Shipped, read_shipped
from course.token_losses import token_losses
from solutions import bert as reference_bert
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


@pytest.fixture(scope="module")
def shipped_bert() -> Shipped:
    return read_shipped(DATA / "bert.safetensors")


def filled(shipped: Shipped, part: Any) -> nn.ModuleDict:
    """BERT and its two heads with the shipped weights, from the reference or from the stand-ins."""
    config = part.BertConfig(**shipped.config)
    bert = part.BERT(config)
    head = part.MaskedLanguageHead(config, bert.embedding.token_embedding)
    model = nn.ModuleDict({"bert": bert, "head": head, "follows": nn.Linear(config.d_model, 2)})
    shipped.fill_(model)
    return model.eval()


def test_bert_says_the_same_in_reference_and_stand_in(shipped_bert: Shipped) -> None:
    pieces = BertPieces(shipped_bert.merges)
    ids = torch.tensor([[pieces.cls_id, *range(300, 330), pieces.mask_id, pieces.sep_id, *[pieces.pad_id] * 3]])
    found = []
    for part in (reference_bert, stand_in_bert):
        model = filled(shipped_bert, part)
        with torch.no_grad():
            hidden, pooled = model["bert"](ids)
            found.append((model["head"](hidden[:, :-3]), model["follows"](pooled)))
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-4)


def test_bert_fills_blanks_far_better_than_a_unigram(
    shipped_bert: Shipped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))
    pieces = BertPieces(shipped_bert.merges)
    assert (pieces.vocab_size, pieces.pad_id) == (shipped_bert.config["vocab_size"], shipped_bert.config["pad_id"])
    blanks = one_blank_each(pieces.encode_all(read_prose().held_out), pieces)
    answers = blanks.labels[blanks.labels != NOBODY]
    scores = scores_of(filled(shipped_bert, stand_in_bert), blanks)
    assert (scores.argmax(-1) == answers).double().mean() > 0.25
    assert shipped_bert.figures["one_blank"] < shipped_bert.figures["unigram"] - 1.5


def test_bert_reads_the_tokens_of_gpt(shipped: Shipped, shipped_bert: Shipped) -> None:
    """So that a page can ask both for the same blanks."""
    assert shipped.merges == shipped_bert.merges and shipped.versions == shipped_bert.versions
