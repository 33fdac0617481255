"""What a report says, to a learner, to a terminal and to nbgrader."""

from __future__ import annotations

import html
import re
import textwrap
from dataclasses import replace
from typing import Any

import pytest
import torch
from IPython.core.formatters import DisplayFormatter
from torch import Tensor, nn

from autograder import registry
from autograder.learner.check import check
from autograder.learner.examine import examine
from autograder.probing.exercise import Exercise
from autograder.probing.run import Place
from autograder.probing.source import show_lines
from autograder.registry import UnknownExercise, exercise
from autograder.reporting.leads import counts
from autograder.reporting.probe_text import probe_text
from autograder.reporting.report import FOR_PAGES, Report
from autograder.reporting.words import apart
from autograder.stand_ins import layer_norm as stand_in
from autograder.stand_ins.encoder import EncoderLayer
from autograder.stand_ins.transformer import Transformer, TransformerConfig


def layer(forward: Any) -> type:
    class LayerNorm(nn.Module):
        def __init__(self, d_model: int, eps: float = 1e-5) -> None:
            super().__init__()
            self.eps = eps
            self.weight = nn.Parameter(torch.ones(d_model))
            self.bias = nn.Parameter(torch.zeros(d_model))

    LayerNorm.forward = forward
    return LayerNorm


def annotated(self: Any, x: Tensor) -> Tensor:
    return self.weight * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) + self.bias


def mimes(report: Report) -> dict[str, str]:
    data, _ = DisplayFormatter().format(report)
    return data


def test_a_report_says_in_a_line_what_it_says_first() -> None:
    wrong = check(layer(annotated))
    assert wrong.says == wrong.paragraphs[0].title and wrong.says in str(wrong)
    assert mimes(wrong)[FOR_PAGES] == {"status": "wrong", "says": wrong.says}
    right = check(stand_in.LayerNorm)
    assert right.says.startswith("All ") and right.says.endswith("sets of random numbers.")


def test_the_count_says_which_checks_carry_points() -> None:
    report = check(layer(annotated))
    held = [one.credit for one in report.verdict.findings if one.passed]
    credit = sum(one.credit for one in report.verdict.findings)
    assert f"{len(held)} of {len(report.verdict.findings)} checks pass" in report.counts
    assert f"of the {credit} that carry points (values, gradients, edge cases), {sum(held)} do" in report.counts
    assert report.counts in str(report) and report.counts in report.html


def test_the_count_of_a_repair_says_that_all_must_pass() -> None:
    report = check(layer(annotated), exercise="LayerNormalization")
    assert "a repair has its points when all of them do" in report.counts


@pytest.mark.parametrize(
    ("points", "held", "said"),
    [(2.0, 3, "3 do."), (1.5, 3, "3 do, rounded down."), (3.5, 6, "6 do, and the last of the points needs the others")],
)
def test_the_count_says_why_points_are_not_that_share(points: float, held: int, said: str) -> None:
    verdict = check(layer(annotated)).verdict
    assert verdict is not None
    finding = replace(verdict.findings[0], credit=True, passed=False)
    findings = [replace(finding, passed=at < held) for at in range(6)] + [replace(finding, credit=False)]
    assert said in counts(replace(verdict, points=points, findings=findings))


def test_a_named_mistake_is_told_everywhere() -> None:
    report = check(layer(annotated))
    assert report.mistake == "std + eps"
    assert not report.passed
    sentence = "You divide by"
    assert sentence in str(report)
    assert sentence in mimes(report)["text/html"]
    assert "ag-grid" in mimes(report)["text/html"]


def test_the_code_that_computed_the_numbers_can_be_unfolded() -> None:
    report = check(layer(annotated))
    unfolded = html.unescape(mimes(report)["text/html"].partition("<details")[2])
    assert "<code>LayerNorm</code> is yours" in unfolded
    assert "draw.module(LayerNorm, " in unfolded
    assert "<details" not in mimes(check(stand_in.LayerNorm))["text/html"]


@pytest.mark.parametrize("one", [one for one in registry.all_exercises() if not one.shows], ids=lambda one: one.name)
def test_every_probe_can_be_shown(one: Exercise) -> None:
    for probe in one.probes:
        yours, code = probe_text(probe)
        assert re.search(rf"\b{yours}\b", code), code
        compile(f"def f({yours}, draw):\n{textwrap.indent(code, '    ')}", probe.name, "exec")


def test_nbgrader_reads_a_number_and_nothing_else() -> None:
    for implementation in (layer(annotated), layer(lambda self, x: x)):
        report = check(implementation)
        plain = mimes(report)["text/plain"]
        assert float(plain) == report.points
        assert 0 <= report.points < report.max_points


def test_two_mistakes_are_both_told() -> None:
    report = check(layer(lambda self, x: annotated(self, x) - 2 * self.bias + self.bias))
    both = examine(
        exercise("LayerNorm"),
        layer(
            lambda self, x: (
                self.bias * (x - x.mean(-1, True)) / (x.var(-1, keepdim=True) + self.eps).sqrt() + self.weight
            )
        ),
    )
    assert report.mistake == "std + eps + bias missing"
    assert both.mistake == "variance over n - 1 + weight and bias swapped"
    assert "Weight and bias have changed places." in str(both)
    assert "Your variance is divided by n - 1, not by n." in str(both)


def test_what_the_learner_wrote_is_escaped() -> None:
    evil = "<script>alert(1)</script>"

    def forward(self: Any, x: Tensor) -> Tensor:
        print(evil)
        raise ValueError(evil)

    page = mimes(check(layer(forward)))["text/html"]
    assert evil not in page
    assert html.escape(evil) in page


def test_an_exception_is_told_with_the_learners_line_and_without_our_frames() -> None:
    def forward(self: Any, x: Tensor) -> Tensor:
        return x - x.mean(-1)

    text = str(check(layer(forward)))
    assert "return x - x.mean(-1)" in text
    assert "keepdim=True" in text
    assert "Traceback" not in text
    assert "autograder/" not in text


def test_writing_into_the_input_is_said_before_what_comes_of_it() -> None:
    def forward(self: Any, x: Tensor) -> Tensor:
        x -= x.mean(-1, keepdim=True)
        x /= (x.square().mean(-1, keepdim=True) + self.eps).sqrt()
        return x * self.weight + self.bias

    report = check(layer(forward))
    assert report.mistake is None or report.mistake == "writes into its input"
    assert "Your code writes into" in str(report).splitlines()[1]


def test_a_shortcut_is_named_and_earns_nothing() -> None:
    report = check(layer(lambda self, x: nn.functional.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.eps)))
    assert report.status == "shortcut"
    assert report.points == 0
    assert "`layer_norm`" in str(report)


def test_missing_parameters_lead_the_report() -> None:
    class LayerNorm(nn.Module):
        def __init__(self, d_model: int, eps: float = 1e-5) -> None:
            super().__init__()
            self.gamma = nn.Parameter(torch.ones(d_model))

        def forward(self, x: Tensor) -> Tensor:
            return x

    text = str(check(LayerNorm))
    assert "Missing: `weight` (4,), `bias` (4,)." in text
    assert "Not expected: `gamma` (4,)." in text


@pytest.mark.parametrize("thing", [3, None, "LayerNorm()"])
def test_what_is_nothing_to_check_is_said(thing: Any) -> None:
    if isinstance(thing, str):
        thing = layer(annotated)(4)
        assert "check(LayerNorm)" in str(check(thing))
    else:
        assert "should be a function or a class" in str(check(thing, exercise="LayerNorm"))


def test_an_unknown_exercise_lists_the_nearest() -> None:
    with pytest.raises(UnknownExercise, match="Did you mean LayerNorm"):
        check(layer(annotated), exercise="layernorm")


def test_a_passing_report_is_short() -> None:
    report = examine(exercise("normalize"), lambda x, eps=1e-5: _right(x, eps))
    assert report.passed
    assert len(str(report).splitlines()) == 2


def _right(x: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt()


@pytest.mark.parametrize(
    ("expected", "got", "words"),
    [
        (2.7012, 2.7013, ("2.7012", "2.7013")),
        (1.0, 2.0, ("1", "2")),
        (0.0, 1e-9, ("0", "1e-09")),
        (1.0, 1.0, ("1", "1")),
    ],
)
def test_numbers_are_told_with_the_digits_in_which_they_differ(expected: float, got: float, words: object) -> None:
    assert apart(expected, got) == words


def test_parameters_that_are_shared_are_counted_and_not_all_listed() -> None:
    class Encoder(nn.Module):
        def __init__(self, num_layers: int, d_model: int, num_heads: int, d_ff: int, **_: Any) -> None:
            super().__init__()
            self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff)] * num_layers)

    told = str(examine(exercise("Encoder"), Encoder))
    assert "`layers.1.self_attn.q_proj.weight` shares its storage" in told
    assert "And 14 more like these." in told


def test_what_should_be_shared_and_is_shared_with_another_is_not_told_to_be_alone() -> None:
    class TiedFirst(Transformer):
        def __init__(self, config: TransformerConfig) -> None:
            super().__init__(replace(config, share_embeddings=False))
            self.config = config
            if config.share_embeddings:
                self.tgt_embedding = self.src_embedding

    told = str(examine(exercise("Transformer"), TiedFirst))
    assert "and should not" not in told
    assert "`tgt_embedding.embedding.weight` should share its storage with `output.weight`" in told


@pytest.mark.parametrize(
    ("file", "spot"),
    [
        ("/tmp/ipykernel_12/345.py", "line 7"),
        ("<ipython-input-1-abc>", "line 7"),
        ("/home/me/.my_transformer/encoder.py", "line 7 of `encoder.py`"),
    ],
)
def test_a_line_is_told_with_its_file_where_that_has_a_name(file: str, spot: str) -> None:
    assert Place(file, 7, "x = y").spot == spot


def test_the_line_that_led_into_another_cell_is_told() -> None:
    other: dict[str, Any] = {}
    text, name = "def halved(x):\n    return x.view(-1, 10_007)\n", "<ipython-input-7>"
    show_lines(name, text)
    exec(compile(text, name, "exec"), other)
    told = str(check(layer(lambda self, x: other["halved"](x))))
    assert "line 2, in `halved`" in told and "That was called by your `told = str(check(layer(lambda" in told


def test_what_is_so_on_one_draw_alone_is_no_pattern() -> None:
    """A gain that is drawn anew: on each draw all numbers are some multiple of the expected ones, and of another."""

    def forward(self: Any, x: Tensor) -> Tensor:
        right = nn.functional.layer_norm(x.clone(), x.shape[-1:], self.weight, self.bias, self.eps)
        return right * (2 + x.flatten()[0].sin())

    factor = "times the expected ones"
    assert factor not in str(check(layer(forward)))
    assert factor in str(check(layer(lambda self, x: 3.2 * stand_in_of(self)(x))))


def stand_in_of(module: Any) -> nn.Module:
    right = stand_in.LayerNorm(len(module.weight), module.eps)
    right.weight, right.bias = module.weight, module.bias
    return right


def test_whole_numbers_and_truth_values_are_written_as_such() -> None:
    def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
        return (ids == pad_id)[:, None, None, :]

    page = mimes(check(padding_mask))["text/html"]
    strip = page.partition('<div class="ag-strip">')[2]
    assert ">True<" in strip and "1.00" not in strip and "yours - expected" not in strip


def test_a_repair_is_called_by_its_own_name() -> None:
    article = next(one for one in registry.all_exercises() if one.repairs)
    page = mimes(examine(article, lambda *_, **__: None))["text/html"]
    assert f"is your <code>{article.name}</code>" in html.unescape(page.partition("<details")[2])


def test_no_pair_of_mistakes_is_named_for_exceptions_alone() -> None:
    def made_of_two(self: Any, x: Tensor) -> Tensor:
        if x.dim() == 1 or not x.is_contiguous():
            raise ValueError("x has another form than I thought")
        return stand_in_of(self)(x)

    report = check(layer(made_of_two))
    assert report.status == "wrong" and report.mistake is None
