"""The weights that the course ships: how they are made, stopped and taken up, written, read, and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from autograder.stand_ins.gpt import GPT, GPTConfig
from course import pretrain
from course.docstrings import Prose
from course.from_tokenizers import library_tokenizer
from course.long_run import LongRun
from course.pieces import learn_pieces, merges_as_ids, merges_from_ids, to_ids
from course.pretrain import batch_of, corpus_of, held_out_loss
from course.shipped import load_shipped, read_shipped, save_shipped

KNOWN = [f"The {one} of a matrix is {two} of its rows." for one in ("sum", "mean", "rank") for two in ("that", "none")]
SIZES: dict[str, Any] = {"vocab_size": 270, "d_model": 8, "num_heads": 2, "num_layers": 1, "d_ff": 8}
SIZES |= {"max_len": 8, "dropout": 0.0}


def small_gpt(seed: int = 0, **sizes: Any) -> GPT:
    torch.manual_seed(seed)
    return GPT(GPTConfig(**{**SIZES, **sizes}))


@pytest.fixture
def shipped_file(tmp_path: Path) -> Path:
    place = tmp_path / "gpt.safetensors"
    merges = learn_pieces(KNOWN, 270)
    versions, figures = {"numpy": "2.4.6"}, {"held_out": 3.25}
    save_shipped(place, small_gpt(), config=SIZES, merges=merges, versions=versions, figures=figures)
    return place


def test_ids_are_those_of_the_sentences_in_lower_case() -> None:
    tokenizer = library_tokenizer(learn_pieces(KNOWN, 270))
    assert tokenizer.decode(to_ids(KNOWN, tokenizer).tolist()) == "".join(f"{one.lower()}\n" for one in KNOWN)
    assert to_ids([], tokenizer).tolist() == []


def test_merges_survive_as_ids() -> None:
    merges = learn_pieces(KNOWN, 300)
    assert merges_from_ids(merges_as_ids(merges)) == merges


def test_weights_come_back_as_they_were_but_for_float16(shipped_file: Path) -> None:
    shipped, model = read_shipped(shipped_file), small_gpt(seed=1)
    assert (shipped.config, shipped.figures) == (SIZES, {"held_out": 3.25})
    assert shipped.merges == learn_pieces(KNOWN, 270)
    shipped.fill_(model)
    for found, expected in zip(model.parameters(), small_gpt().parameters(), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4)
    assert model.head.weight is model.token_embedding.weight


def test_other_versions_are_found(shipped_file: Path) -> None:
    shipped = read_shipped(shipped_file)
    assert shipped.other_versions({"numpy": "2.4.6"}) == {}
    assert shipped.other_versions({"numpy": "2.5", "torch": "3"}) == {"numpy": ("2.4.6", "2.5"), "torch": ("none", "3")}
    assert "the same versions" in shipped.note({"numpy": "2.4.6"})
    assert "numpy 2.5 (they read 2.4.6)" in shipped.note({"numpy": "2.5"})


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({"num_layers": 2}, r"layers\.1\.\S+ is missing"),
        ({"num_layers": 0}, r"layers\.0\.\S+ is not the model's"),
        ({"d_ff": 4}, r"linear1\.weight is \(8, 8\) and the model's \(4, 8\)"),
    ],
)
def test_a_model_of_other_sizes_is_refused(shipped_file: Path, sizes: dict[str, Any], said: str) -> None:
    model = small_gpt(**sizes)
    before = [one.clone() for one in model.parameters()]
    with pytest.raises(ValueError, match=said):
        read_shipped(shipped_file).fill_(model)
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), before, strict=True))


def test_missing_weights_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert load_shipped("gpt", tmp_path) is None
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "python -m course.pretrain gpt" in said


@pytest.mark.parametrize("harm", ["cut", "other text", "no metadata", "empty"])
def test_damaged_weights_are_one_line(shipped_file: Path, harm: str, capsys: pytest.CaptureFixture[str]) -> None:
    content = shipped_file.read_bytes()
    if harm == "no metadata":
        save_file({"x": torch.zeros(2)}, shipped_file)
    else:
        shipped_file.write_bytes(
            {"cut": content[: len(content) // 2], "other text": b"<html>" * 99, "empty": b""}[harm]
        )
    assert load_shipped("gpt", shipped_file.parent) is None
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "damaged" in said and "python -m course.pretrain gpt" in said


def test_every_pass_reads_every_window_once_and_cuts_elsewhere() -> None:
    ids = torch.arange(1000)
    rows = torch.cat([batch_of(ids, step, batch=4, seq_len=10) for step in range(24)])
    assert rows.shape == (96, 11) and len(rows[:, 0].unique()) == 96
    assert set((rows[:, 0] % 10).tolist()) == {int(rows[0, 0]) % 10}
    firsts = {int(batch_of(ids, 24 * turn, batch=4, seq_len=10)[0, 0]) % 10 for turn in range(8)}
    assert len(firsts) > 2
    with pytest.raises(ValueError, match="20 tokens are too few"):
        batch_of(ids[:20], 0, seq_len=10)


def run_of(place: Path, text: str = "a", minutes: float = 1e6) -> LongRun:
    ids = torch.arange(300) % 7
    model = small_gpt()
    return LongRun(
        model=model,
        rows_of=lambda step: batch_of(ids, step, batch=4, seq_len=8),
        loss_of=lambda rows: pretrain.next_loss(model, rows),
        measure=lambda: held_out_loss(model, ids, seq_len=8),
        minutes=minutes,
        rate=1e-2,
        checkpoint=place / "gpt.checkpoint",
        text=text,
    )


def until(run: LongRun, last: int) -> LongRun:
    """Run, and press the stop button at a step."""
    rows_of = run.rows_of

    def interrupted(step: int) -> Tensor:
        if step == last:
            raise KeyboardInterrupt
        return rows_of(step)

    run.rows_of = interrupted
    assert not run.run()
    return run


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COURSE_QUICK", raising=False)
    (tmp_path / "whole").mkdir()
    whole = until(run_of(tmp_path / "whole"), 60)
    first = until(run_of(tmp_path), 25)
    second = run_of(tmp_path)
    assert (second.step, second.seconds) == (25, first.seconds)
    until(second, 60)
    for found, expected in zip(second.model.parameters(), whole.model.parameters(), strict=True):
        torch.testing.assert_close(found, expected)
    assert [row["step"] for row in second.rows] == [50]
    assert second.rows[0]["loss"] == pytest.approx(whole.rows[0]["loss"], abs=1e-3)


def test_a_run_of_another_text_is_not_taken_up(tmp_path: Path) -> None:
    until(run_of(tmp_path), 2)
    with pytest.raises(ValueError, match="has read another text"):
        run_of(tmp_path, text="b")


def test_the_rate_rises_and_falls_with_the_time(tmp_path: Path) -> None:
    run = run_of(tmp_path, minutes=1.0)
    found = []
    for run.step, run.seconds in ((0, 0.0), (599, 0.0), (900, 30.0), (2000, 60.0), (2001, 99.0)):
        found.append(run.rate_now())
    assert found == pytest.approx([1e-2 / 600, 1e-2, 1e-2 * 0.525, 5e-4, 5e-4])


def test_the_command_writes_weights_log_and_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prose = Prose(KNOWN * 40, KNOWN * 20, {"numpy": "2.4.6"})
    monkeypatch.setenv("COURSE_QUICK", "1")
    monkeypatch.setattr(pretrain, "read_prose", lambda packages: prose)
    assert pretrain.main(["gpt", "--to", str(tmp_path), "--minutes", "1"]) == 0
    assert "steps 3" in capsys.readouterr().out
    shipped = read_shipped(tmp_path / "gpt.safetensors")
    assert shipped.versions == {"numpy": "2.4.6"} and shipped.config["vocab_size"] == 256 + len(shipped.merges)
    header, *rows = (tmp_path / "gpt.csv").read_text().splitlines()
    assert header == "step,minutes,rate,loss,held_out"
    step, *_, loss, held_out = rows[-1].split(",")
    assert (len(rows), step) == (1, "3") and 4 < float(loss) < 8 and 4 < float(held_out) < 8
    assert (tmp_path / "gpt.png").stat().st_size > 1000
    with pytest.raises(SystemExit):
        pretrain.main(["gpt", "--minutes", "0"])


def test_a_text_that_is_too_short_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pretrain, "read_prose", lambda packages: Prose(KNOWN[:1], KNOWN[:1], {}))
    assert pretrain.main(["gpt", "--to", str(tmp_path)]) == 2
    assert "too few" in capsys.readouterr().err


def test_held_out_loss_is_the_mean_over_all_windows() -> None:
    class Even(nn.Module):
        def forward(self, ids: Tensor) -> Tensor:
            return torch.zeros(*ids.shape, 32)

    ids = torch.arange(64) % 32
    assert held_out_loss(Even(), ids, seq_len=5) == pytest.approx(torch.tensor(32.0).log().item())
    assert corpus_of(Prose(KNOWN, KNOWN, {}), 260).held_bytes == sum(len(one) + 1 for one in KNOWN)
