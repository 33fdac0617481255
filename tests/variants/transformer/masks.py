"""Who may look at whom."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.stand_ins.attention import causal_mask, padding_mask
from tests.variants import correct, disguise, slips, unlisted
from tests.variants.transformer.parts import before

# Right, and slips in it ----------------------------------------------------------------------------


def places_compared(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> tuple[Tensor, Tensor]:
    """The triangle comes from comparing places."""
    if len(src_ids) != len(tgt_ids):
        raise ValueError("one target for each source")
    source, target = src_ids != pad_id, tgt_ids != pad_id
    place = torch.arange(tgt_ids.size(1))
    not_later = place[None, :] <= place[:, None]
    for_source = source[:, None, None, :]
    for_target = target[:, None, None, :] & not_later
    return for_source, for_target


slips(
    "make_masks",
    places_compared,
    {
        "masks joined with or": {" & not_later": " | not_later"},
        "target not causal": {" & not_later": ""},
        "padding of the target not hidden": [
            {"target[:, None, None, :] & not_later": "not_later"},
            {"target[:, None, None, :] & not_later": "not_later.expand(len(target), 1, -1, -1)"},
            {"target[:, None, None, :] & not_later": "not_later[None, None]"},
        ],
        "padding of the source not hidden": {"source, target = src_ids != pad_id,": "source, target = src_ids >= 0,"},
        "masks inverted": {"return for_source, for_target": "return ~for_source, ~for_target"},
        "padding mask inverted": [
            {"src_ids != pad_id, tgt_ids != pad_id": "src_ids == pad_id, tgt_ids == pad_id"},
            {"src_ids != pad_id": "src_ids == pad_id"},
            {"tgt_ids != pad_id": "tgt_ids == pad_id"},
        ],
        "the past hidden instead of the future": [
            {"<=": ">="},
            {"place[None, :] <= place[:, None]": "place[:, None] <= place[None, :]"},
        ],
        "causal mask excludes the token itself": {"<=": "<"},
        "each token sees only itself": {"<=": "=="},
        "causal mask allows the next token": {"place[:, None]\n": "place[:, None] + 1\n"},
        "padding hidden as query, not as key": [
            {"target[:, None, None, :]": "target[:, None, :, None]"},
            {"source[:, None, None, :]": "source[:, None, :, None]"},
            {
                "source[:, None, None, :]": "source[:, None, :, None]",
                "target[:, None, None, :]": "target[:, None, :, None]",
            },
        ],
        "padding hidden as query as well": {" & not_later": " & not_later & target[:, None, :, None]"},
        "no dimension for the heads": [
            {"source[:, None, None, :]": "source[:, None, :]", "target[:, None, None, :]": "target[:, None, :]"},
            {"target[:, None, None, :]": "target[:, None, :]"},
            {"source[:, None, None, :]": "source[:, None, :]"},
            {"source[:, None, None, :]": "source"},
        ],
        "source mask spread over all queries": {
            "source[:, None, None, :]": "source[:, None, None, :].expand(-1, 1, src_ids.size(1), -1)"
        },
        "masks returned in the other order": {"return for_source, for_target": "return for_target, for_source"},
        "padding is taken to be id 0": [
            {"src_ids != pad_id, tgt_ids != pad_id": "src_ids != 0, tgt_ids != 0"},
            {"src_ids != pad_id": "src_ids > 0"},
        ],
        "another number of targets is accepted": {
            '    if len(src_ids) != len(tgt_ids):\n        raise ValueError("one target for each source")\n': ""
        },
        "target not causal + masks returned in the other order": {
            " & not_later": "",
            "return for_source, for_target": "return for_target, for_source",
        },
    },
)


def hidden_first(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> tuple[Tensor, Tensor]:
    """What is hidden comes first, and is turned round at the end."""
    (batch, src_len), (targets, tgt_len) = src_ids.shape, tgt_ids.shape
    if batch != targets:
        raise ValueError(f"{batch} sources, {targets} targets")
    future = torch.ones(tgt_len, tgt_len).triu(diagonal=1).bool()
    src_hidden = src_ids.eq(pad_id).reshape(batch, 1, 1, src_len)
    tgt_hidden = tgt_ids.eq(pad_id).reshape(targets, 1, 1, tgt_len)
    tgt_hidden = tgt_hidden.logical_or(future)
    return ~src_hidden, ~tgt_hidden


slips(
    "make_masks",
    hidden_first,
    {
        "masks joined with or": {"logical_or": "logical_and"},
        "target not causal": [{".logical_or(future)": ""}, {".logical_or(future)": ".expand(-1, -1, tgt_len, -1)"}],
        "padding of the target not hidden": [
            {"tgt_hidden.logical_or(future)": "future"},
            {"tgt_ids.eq(pad_id)": "tgt_ids.eq(-1)"},
        ],
        "padding of the source not hidden": {"src_hidden = src_ids.eq(pad_id)": "src_hidden = src_ids.eq(-1)"},
        "masks inverted": {"~src_hidden, ~tgt_hidden": "src_hidden, tgt_hidden"},
        "padding mask inverted": [
            {"return ~src_hidden": "return src_hidden"},
            {"src_ids.eq(": "src_ids.ne(", "tgt_ids.eq(": "tgt_ids.ne("},
        ],
        "the past hidden instead of the future": {"triu(diagonal=1)": "tril(diagonal=-1)"},
        "causal mask excludes the token itself": {"diagonal=1": ""},
        "causal mask allows the next token": {"diagonal=1": "diagonal=2"},
        "padding hidden as query, not as key": [
            {"1, 1, src_len": "1, src_len, 1", "1, 1, tgt_len": "1, tgt_len, 1"},
            {"1, 1, tgt_len": "1, tgt_len, 1"},
        ],
        "no dimension for the heads": [
            {"batch, 1, 1, src_len": "batch, 1, src_len", "targets, 1, 1, tgt_len": "targets, 1, tgt_len"},
            {"targets, 1, 1, tgt_len": "targets, 1, tgt_len"},
        ],
        "masks returned in the other order": {"~src_hidden, ~tgt_hidden": "~tgt_hidden, ~src_hidden"},
        "padding is taken to be id 0": [
            {"src_ids.eq(pad_id)": "src_ids.eq(0)", "tgt_ids.eq(pad_id)": "tgt_ids.eq(0)"},
            {"tgt_ids.eq(pad_id)": "tgt_ids.eq(0)"},
        ],
        "numbers instead of booleans": {"~src_hidden, ~tgt_hidden": "1 - src_hidden.int(), 1 - tgt_hidden.int()"},
        "another number of targets is accepted": {
            '    if batch != targets:\n        raise ValueError(f"{batch} sources, {targets} targets")\n': "",
        },
        "the past hidden instead of the future + padding is taken to be id 0": {
            "src_ids.eq(pad_id)": "src_ids.eq(0)",
            "tgt_ids.eq(pad_id)": "tgt_ids.eq(0)",
            "triu(diagonal=1)": "tril(diagonal=-1)",
        },
    },
)


def ones_multiplied(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> list[Tensor]:
    """Ones and zeros, multiplied, and booleans at the end."""
    if src_ids.shape[0] != tgt_ids.shape[0]:
        raise ValueError("as many targets as sources")
    n = tgt_ids.shape[1]
    keys = [(ids != pad_id).float() for ids in (src_ids, tgt_ids)]
    lower = torch.tril(torch.ones(n, n))
    both = torch.einsum("bj,ij->bij", keys[1], lower)
    reads, writes = keys[0].unsqueeze(1).unsqueeze(1), both.unsqueeze(1)
    return [reads.bool(), writes.bool()]


slips(
    "make_masks",
    ones_multiplied,
    {
        "masks joined with or": {'torch.einsum("bj,ij->bij", keys[1], lower)': "keys[1][:, None, :] + lower"},
        "target not causal": {"torch.tril(torch.ones(n, n))": "torch.ones(n, n)"},
        "padding of the target not hidden": {"keys[1], lower": "torch.ones_like(keys[1]), lower"},
        "source causal": {"keys[0].unsqueeze(1).unsqueeze(1)": "keys[0][:, None, None] * before(src_ids.size(1))"},
        "masks inverted": {"reads.bool(), writes.bool()": "reads == 0, writes == 0"},
        "padding mask inverted": {"ids != pad_id": "ids == pad_id"},
        "the past hidden instead of the future": [{"torch.tril": "torch.triu"}, {"ij->": "ji->"}],
        "causal mask excludes the token itself": {"torch.ones(n, n))": "torch.ones(n, n), -1)"},
        "causal mask allows the next token": {"torch.ones(n, n))": "torch.ones(n, n), 1)"},
        "padding hidden as query, not as key": {'"bj,ij': '"bi,ij'},
        "padding hidden as query as well": {'"bj,ij->bij", keys[1], lower': '"bi,bj,ij->bij", keys[1], keys[1], lower'},
        "no dimension for the heads": [
            {"both.unsqueeze(1)": "both"},
            {"both.unsqueeze(1)": "both", ".unsqueeze(1).unsqueeze(1)": ".unsqueeze(1)"},
            {".unsqueeze(1).unsqueeze(1)": ".unsqueeze(1)"},
        ],
        "source mask spread over all queries": [
            {".unsqueeze(1).unsqueeze(1)": ".unsqueeze(1).unsqueeze(1).repeat(1, 1, n, 1)"},
            {".unsqueeze(1).unsqueeze(1)": ".unsqueeze(1).unsqueeze(1).repeat(1, 1, src_ids.shape[1], 1)"},
        ],
        "masks returned in the other order": {"[reads.bool(), writes.bool()]": "[writes.bool(), reads.bool()]"},
        "padding is taken to be id 0": {"ids != pad_id": "ids != 0"},
        "numbers instead of booleans": [
            {"reads.bool(), writes.bool()": "reads, writes"},
            {"writes.bool()": "writes"},
        ],
    },
)


def lent_functions(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> tuple[Tensor, Tensor]:
    """The two functions of lesson 02, by other names."""
    real = partial(padding_mask, pad_id=pad_id)
    if src_ids.size(0) - tgt_ids.size(0):
        raise ValueError("not as many")
    order = causal_mask(tgt_ids.shape[1])
    for_source, for_target = real(src_ids), torch.logical_and(real(tgt_ids), order)
    return for_source, for_target


slips(
    "make_masks",
    lent_functions,
    {
        "masks joined with or": {"torch.logical_and": "torch.logical_or"},
        "target not causal": {"torch.logical_and(real(tgt_ids), order)": "real(tgt_ids)"},
        "padding of the target not hidden": {"torch.logical_and(real(tgt_ids), order)": "order"},
        "source causal": {"= real(src_ids)": "= real(src_ids) & causal_mask(src_ids.shape[1])"},
        "masks inverted": {"return for_source, for_target": "return ~for_source, ~for_target"},
        "padding mask inverted": [{"real(src_ids)": "~real(src_ids)"}, {"real(tgt_ids)": "~real(tgt_ids)"}],
        "the past hidden instead of the future": {"order)": "order.mT)"},
        "causal mask excludes the token itself": {"tgt_ids.shape[1])": "tgt_ids.shape[1]).tril(-1)"},
        "causal mask allows the next token": {
            "causal_mask(tgt_ids.shape[1])": "causal_mask(tgt_ids.shape[1] + 1)[1:, :-1]"
        },
        "padding hidden as query, not as key": {"real(tgt_ids)": "real(tgt_ids).mT"},
        "padding hidden as query as well": [
            {"order)": "order) & real(tgt_ids).mT"},
            {"= real(src_ids)": "= real(src_ids) & real(src_ids).mT"},
            {"= real(src_ids)": "= real(src_ids) & real(src_ids).mT", "order)": "order) & real(tgt_ids).mT"},
        ],
        "no dimension for the heads": {"order)": "order).squeeze(1)"},
        "source mask spread over all queries": {
            "= real(src_ids)": "= real(src_ids).expand(-1, -1, tgt_ids.shape[1], -1)"
        },
        "masks returned in the other order": {"return for_source, for_target": "return for_target, for_source"},
        "padding is taken to be id 0": [{"pad_id=pad_id": "pad_id=0"}, {"real(tgt_ids)": "padding_mask(tgt_ids, 0)"}],
        "another number of targets is accepted": {'raise ValueError("not as many")': "pass"},
        "numbers instead of booleans": [
            {"return for_source, for_target": "return for_source.float(), for_target.float()"},
            {"return for_source, for_target": "return for_source.long(), for_target.long()"},
        ],
    },
)


def masks(kind: str, mistake: str = "") -> Any:
    """A make_masks from a function of the sources and targets that are not padding."""

    def add(core: Callable[[Tensor, Tensor], Any]) -> Any:
        def make(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> Any:
            if len(src_ids) != len(tgt_ids):
                raise ValueError("another number of targets")
            return core(src_ids != pad_id, tgt_ids != pad_id)

        make.__name__ = core.__name__
        if kind == "disguise":
            disguise("make_masks", mistake)(make)
        else:
            (correct if kind == "correct" else unlisted)("make_masks")(make)
        return core

    return add


# Right, in other ways ----------------------------------------------------------------------------


@masks("correct")
def by_multiplying(src: Tensor, tgt: Tensor) -> Any:
    n = tgt.size(1)
    lower = torch.tril(torch.ones(n, n)) * tgt[:, None, None, :].float()
    return src.view(len(src), 1, 1, -1), lower > 0.5


@masks("correct")
def sentence_by_sentence(src: Tensor, tgt: Tensor) -> Any:
    rows = [torch.stack([one.where(torch.arange(len(one)) <= i, False) for i in range(len(one))]) for one in tgt]
    return torch.stack([one[None, None] for one in src]), torch.stack(rows).unsqueeze(1)


@masks("disguise", "masks joined with or")
def m_or(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], (tgt[:, None, :] | before(tgt.size(1))).unsqueeze(1)


@masks("disguise", "target not causal")
def m_sees_all(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], tgt[:, None, None, :].expand(-1, 1, tgt.size(1), -1)


@masks("disguise", "padding of the target not hidden")
def m_only_causal(src: Tensor, tgt: Tensor) -> Any:
    n = tgt.size(1)
    return src[:, None, None], torch.ones(len(tgt), 1, n, n, dtype=torch.bool).tril()


@masks("disguise", "source causal")
def m_source_causal(src: Tensor, tgt: Tensor) -> Any:
    return tuple((one[:, None] & before(one.size(1)))[:, None] for one in (src, tgt))


@masks("disguise", "masks inverted")
def m_inverted(src: Tensor, tgt: Tensor) -> Any:
    future = before(tgt.size(1)).logical_not()
    return (~src)[:, None, None], ((~tgt)[:, None, :] | future)[:, None]


@masks("disguise", "causal mask inverted")
def m_only_later(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], (tgt[:, None, :] & before(tgt.size(1)).logical_not())[:, None]


@masks("disguise", "padding mask inverted")
def m_target_pad_inverted(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], ((~tgt)[:, None, :] & before(tgt.size(1)))[:, None]


@masks("disguise", "padding mask inverted")
def m_pad_inverted(src: Tensor, tgt: Tensor) -> Any:
    return (~src)[:, None, None], ((~tgt)[:, None, :] & before(tgt.size(1)))[:, None]


@masks("disguise", "the past hidden instead of the future")
def m_upper(src: Tensor, tgt: Tensor) -> Any:
    n = tgt.size(1)
    return src[:, None, None], tgt[:, None, None] & torch.ones(n, n, dtype=torch.bool).triu()


@masks("disguise", "causal mask excludes the token itself")
def m_strict(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], tgt[:, None, None] & before(tgt.size(1), -1)


@masks("disguise", "causal mask allows the next token")
def m_ahead(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], tgt[:, None, None] & before(tgt.size(1), 1)


@masks("disguise", "padding hidden as query, not as key")
def m_tgt_queries(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], torch.stack([before(len(one)) & one[:, None] for one in tgt])[:, None]


@masks("disguise", "padding hidden as query as well")
def m_blind_target(src: Tensor, tgt: Tensor) -> Any:
    square = torch.einsum("bi,bj->bij", tgt.int(), tgt.int()).bool()
    return src[:, None, None], (square & before(tgt.size(1))).unsqueeze(1)


@masks("disguise", "no dimension for the heads")
def m_headless_source(src: Tensor, tgt: Tensor) -> Any:
    return src, tgt[:, None, None] & before(tgt.size(1))


@masks("disguise", "padding of the source not hidden")
def source_all_seen(src: Tensor, tgt: Tensor) -> Any:
    return torch.ones_like(src)[:, None, None], tgt[:, None, None] & before(tgt.size(1))


@masks("disguise", "source mask spread over all queries")
def m_spread(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None].repeat(1, 1, src.size(1), 1), tgt[:, None, None] & before(tgt.size(1))


@masks("disguise", "masks returned in the other order")
def m_turned(src: Tensor, tgt: Tensor) -> Any:
    return tgt[:, None, None] & before(tgt.size(1)), src[:, None, None]


@masks("disguise", "numbers instead of booleans")
def m_ones(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None].float(), tgt[:, None, None] * torch.ones(tgt.size(1), tgt.size(1)).tril()


@disguise("make_masks", "padding is taken to be id 0")
def m_zero(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> Any:
    if len(src_ids) != len(tgt_ids):
        raise ValueError("another number of targets")
    return (src_ids > 0)[:, None, None], (tgt_ids > 0)[:, None, None] & before(tgt_ids.size(1))


@disguise("make_masks", "another number of targets is accepted")
def m_accepts(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> Any:
    source, target = src_ids != pad_id, tgt_ids != pad_id
    return source[:, None, None], target[:, None, None] & before(tgt_ids.size(1))


@masks("unlisted")
def m_window(src: Tensor, tgt: Tensor) -> Any:
    near = before(tgt.size(1)) & ~before(tgt.size(1), -2)
    return src[:, None, None], tgt[:, None, None] & near


@masks("unlisted")
def m_all_true(src: Tensor, tgt: Tensor) -> Any:
    n = tgt.size(1)
    return torch.ones_like(src)[:, None, None], torch.ones(len(tgt), 1, n, n, dtype=torch.bool)


@masks("unlisted")
def m_first_of_batch(src: Tensor, tgt: Tensor) -> Any:
    return src[:1, None, None].expand(len(src), -1, -1, -1), tgt[:, None, None] & before(tgt.size(1))


@masks("disguise", "masks joined with or")
def m_exclusive(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], tgt[:, None, None] ^ before(tgt.size(1))


@masks("disguise", "each token sees only itself")
def m_own_place(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], torch.diag_embed(tgt)[:, None]


@masks("unlisted")
def m_three(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], tgt[:, None, None] & before(tgt.size(1)), src[:, None, None]


@masks("unlisted")
def m_last_hidden(src: Tensor, tgt: Tensor) -> Any:
    source = src.clone()
    source[:, -1] = False
    return source[:, None, None], tgt[:, None, None] & before(tgt.size(1))


def as_asked(src_ids: Tensor, tgt_ids: Tensor, real: Callable[[Tensor, Tensor], list[Tensor]]) -> list[Tensor]:
    """The masks of two sides whose real tokens somebody else points out."""
    if src_ids.shape[0] != tgt_ids.shape[0]:
        raise ValueError("every source needs a target")
    source, target = real(src_ids, tgt_ids)
    return [source[:, None, None], target[:, None, None] & before(tgt_ids.shape[1])]


@disguise("make_masks", "smaller ids count as padding")
def larger_are_real(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> list[Tensor]:
    """Ids above the padding's are real."""
    return as_asked(src_ids, tgt_ids, lambda *both: [torch.gt(one, pad_id) for one in both])


@disguise("make_masks", "smaller ids count as padding")
def larger_are_real_in_the_target(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> list[Tensor]:
    """The same on one side alone."""
    return as_asked(src_ids, tgt_ids, lambda source, target: [source.ne(pad_id), target > pad_id])


@disguise("make_masks", "a mask made from the other side's ids")
def target_alone(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> list[Tensor]:
    """Both masks from the target's ids."""
    return as_asked(src_ids, tgt_ids, lambda _, target: [target.ne(pad_id)] * 2)


@disguise("make_masks", "numbers instead of booleans")
def to_be_added(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> list[Tensor]:
    """What other code adds to the scores."""
    masks = as_asked(src_ids, tgt_ids, lambda *both: [one != pad_id for one in both])
    return [torch.zeros(one.shape).masked_fill(one.logical_not(), float("-inf")) for one in masks]


@disguise("make_masks", "numbers instead of booleans")
def to_be_added_finite(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> list[Tensor]:
    """The same, with a number that only looks infinite."""
    masks = as_asked(src_ids, tgt_ids, lambda *both: [one != pad_id for one in both])
    return [torch.where(one, 0.0, -1e9) for one in masks]
