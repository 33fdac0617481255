"""How BERT's weights are made: its vocabulary, its rows, its blanks, and what counting does with them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
import torch

from course import pretrain, pretrain_bert
from course.bert_pieces import BertPieces
from course.fill_in import both_sides, from_left
from course.kneser_ney import KneserNey
from course.pieces import learn_pieces
from course.pretrain_bert import NOBODY, Rows, blanks_of, build_bert, one_blank_each, scores_of, two_losses
from course.shipped import read_shipped

WORDS = ("sum", "mean", "rank", "norm", "size", "trace")
KNOWN = [f"The {one} of a matrix is the {two} of its rows." for one in WORDS for two in WORDS]
PIECES = BertPieces(learn_pieces(KNOWN, 290))


def joined(ids: list[int]) -> str:
    return "".join(PIECES.text(one) for one in ids)


def test_a_word_has_one_id_at_the_start_and_within() -> None:
    ids = PIECES.encode("The sum of the rows.")
    assert joined(ids) == " the sum of the rows."
    assert PIECES.encode_all(["The sum of the rows."]) == [ids]
    assert max(ids) < PIECES.number == PIECES.pad_id


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The [MASK] of a matrix.", " the[MASK] of a matrix."),
        ("[MASK] of [MASK].", "[MASK] of[MASK]."),
        ("[MASK]", "[MASK]"),
        ("", ""),
    ],
)
def test_a_blank_stands_for_a_token_and_the_space_before_it(text: str, expected: str) -> None:
    assert joined(PIECES.encode(text)) == expected


def test_special_tokens_lie_behind_all_others() -> None:
    ids = [PIECES.pad_id, PIECES.cls_id, PIECES.sep_id, PIECES.mask_id]
    assert ids == list(range(PIECES.number, PIECES.vocab_size))
    assert joined(ids) == "[PAD][CLS][SEP][MASK]"
    assert PIECES.padded([[1, 2], [3]]).tolist() == [[1, 2], [3, PIECES.pad_id]]


def rows_of(count: int = 400) -> Rows:
    sentences = PIECES.encode_all([KNOWN[i % len(KNOWN)] for i in range(count)])
    return Rows(sentences, PIECES, seq_len=48, batch=16)


def test_every_pass_reads_every_sentence_once_and_cuts_elsewhere() -> None:
    rows = rows_of()
    passes = [rows._runs(turn) for turn in range(4)]
    for runs in passes:
        assert sorted(number for first, end in runs for number in range(first, end)) == list(range(400))
        assert all(sum(map(len, rows.sentences[first:end])) <= rows.room or end - first == 1 for first, end in runs)
    assert len({tuple(sorted(runs)) for runs in passes}) > 1
    assert passes[0] != sorted(passes[0])


def test_rows_are_pairs_of_which_half_belong_together() -> None:
    rows = rows_of()
    found: Counter[int] = Counter()
    for step in range(60):
        ids, labels, segments, follows = rows(step).unbind(1)
        assert ids.shape == (16, 48) and (ids[:, 0] == PIECES.cls_id).all()
        text = torch.where(labels == NOBODY, ids, labels)
        second = segments.any(1)
        assert torch.equal((text == PIECES.sep_id).sum(1), 1 + second.long())
        assert torch.equal(second, follows[:, 0] != NOBODY)
        assert not (labels >= PIECES.number).any() and (labels[ids == PIECES.pad_id] == NOBODY).all()
        found.update(follows[:, 0].tolist())
    assert set(found) == {0, 1, NOBODY}
    assert 0.4 < found[1] / (found[0] + found[1]) < 0.6 and 0.5 < found[NOBODY] / sum(found.values()) < 0.8


def test_lengths_do_not_tell_which_texts_belong_together() -> None:
    chance = random.Random(0)
    sentences = [[number % PIECES.number] * chance.randint(3, 25) for number in range(2000)]
    rows = Rows(sentences, PIECES, seq_len=48, batch=64)
    sizes: tuple[list[int], list[int]] = ([], [])
    for step in range(150):
        ids, _, segments, follows = rows(step).unbind(1)
        for side in (0, 1):
            asked = follows[:, 0] == side
            sizes[side].extend(segments[asked].sum(1).tolist())
            assert (ids[asked] == PIECES.pad_id).logical_and(segments[asked] == 1).sum() == 0
    assert min(map(len, sizes)) > 1000
    for size in range(48):
        below = [sum(one <= size for one in found) / len(found) for found in sizes]
        assert abs(below[0] - below[1]) < 0.06


def test_a_text_that_is_put_in_anothers_place_is_whole_and_as_long() -> None:
    sentences = [[number] * size for number, size in enumerate([3, 4, 5, 6] * 12)]
    rows = Rows(sentences, PIECES, seq_len=24, batch=4)
    whole = [rows._joined(first, end) for first in range(48) for end in range(first + 1, 49)]
    found: Counter[int] = Counter()
    for seed in range(300):
        first = seed % 44
        own = rows._joined(first, first + 3)
        (ids, segments), follows = rows._row(first, first + 3, random.Random(seed))
        before, behind = ([one for one, text in zip(ids, segments, strict=True) if text == side] for side in (0, 1))
        before, behind = before[1:-1], behind[:-1]
        assert before == rows._joined(first, first + 4)[: len(before)] and (behind in whole or follows == NOBODY)
        assert len(before + behind) == len(own) or follows == NOBODY
        assert follows == NOBODY or (before + behind == own) == bool(follows)
        found[follows] += 1
    assert min(found[0], found[1]) > 30


def test_a_step_reads_the_same_whatever_was_done_before() -> None:
    one, other = rows_of(), rows_of()
    one(0), one(90)
    assert torch.equal(one(40), other(40)) and not torch.equal(one(40), one(41))
    assert one.fingerprint() == other.fingerprint() != rows_of(399).fingerprint()


def test_a_text_without_a_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="1 sentences are too few"):
        Rows([[1, 2]], PIECES)


def test_blanks_are_the_same_every_time_and_where_a_token_is() -> None:
    sentences = PIECES.encode_all(KNOWN)
    many, single = blanks_of(sentences, PIECES), one_blank_each(sentences, PIECES)
    assert torch.equal(many.inputs, blanks_of(sentences, PIECES).inputs)
    share = (many.labels != NOBODY).sum() / sum(map(len, sentences))
    assert 0.1 < share < 0.2
    asked = single.labels != NOBODY
    assert (asked.sum(1) == 1).all() and (single.inputs[asked] == PIECES.mask_id).all()
    assert (single.labels < PIECES.number).all() and len(asked.nonzero()[:, 1].unique()) > 5


def test_the_losses_are_those_of_what_is_asked() -> None:
    model, _ = build_bert(PIECES.vocab_size, PIECES.pad_id)
    rows = rows_of()(0)
    words, follows = two_losses(model, rows)
    assert words.item() == pytest.approx(torch.tensor(float(PIECES.vocab_size)).log().item(), rel=0.1)
    assert follows.item() == pytest.approx(0.69, abs=0.1)
    nothing = rows.clone()
    nothing[:, 1] = NOBODY
    assert two_losses(model, nothing)[0].item() == 0
    assert model["head"].output.weight is model["bert"].embedding.token_embedding.weight


def test_scores_are_log_probabilities_of_every_blank() -> None:
    model, _ = build_bert(PIECES.vocab_size, PIECES.pad_id)
    blanks = blanks_of(PIECES.encode_all(KNOWN), PIECES)
    scores = scores_of(model, blanks)
    assert scores.shape == ((blanks.labels != NOBODY).sum(), PIECES.vocab_size)
    torch.testing.assert_close(scores.exp().sum(1), torch.ones(len(scores)))
    assert model.training


def test_counting_weighs_a_token_by_the_whole_text() -> None:
    text = torch.tensor([4, 0, 1, 4, 0, 1, 4, 2, 3, 4, 0, 1, 4, 2, 3, 4, 0, 3, 4] * 3)
    counted = KneserNey(text, 5, 3)
    row = [0, 1]
    joint = []
    for token in range(5):
        whole = torch.tensor([4, 4, token, 1, 4])
        joint.append(counted.log_probs(whole)[2:].sum())
    expected = torch.stack(joint).log_softmax(0)
    torch.testing.assert_close(both_sides(counted, row, 0, edge=4), expected)
    left = from_left(counted, row, 0, edge=4)
    torch.testing.assert_close(left.exp().sum(), torch.tensor(1.0))
    assert left.argmax() == 0 and both_sides(counted, [0, 3], 0, edge=4)[2] > left[2]


def test_the_command_writes_weights_log_and_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known, held_out = KNOWN * 4, KNOWN[:12]
    monkeypatch.setenv("COURSE_QUICK", "1")
    monkeypatch.setattr(pretrain_bert, "installed", lambda packages: {"numpy": "2.4.6"})
    in_order = [*((one, False) for one in known), *((one, True) for one in held_out)]
    monkeypatch.setattr(pretrain_bert, "read_in_order", lambda packages: in_order)
    monkeypatch.setattr(pretrain_bert, "VOCAB_SIZE", 290)
    assert pretrain.main(["bert", "--to", str(tmp_path), "--minutes", "1"]) == 0
    assert "steps 3" in capsys.readouterr().out
    shipped = read_shipped(tmp_path / "bert.safetensors")
    model, config = build_bert(shipped.config["vocab_size"], shipped.config["pad_id"])
    shipped.fill_(model)
    assert shipped.config == config and shipped.config["vocab_size"] == 256 + len(shipped.merges) + 4
    expected = {"held_out", "held_out_right", "one_blank", "unigram", "five_gram_both", "follows_right"}
    assert expected <= set(shipped.figures)
    assert (tmp_path / "bert.csv").read_text().startswith("step,minutes,rate,loss,held_out")
    assert (tmp_path / "bert.png").stat().st_size > 1000
