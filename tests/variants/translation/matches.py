"""Whole translations, right or wrong."""

import itertools
import operator
from collections import Counter
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

# Right, and slips in it ----------------------------------------------------------------------------


def up_to_the_end(ids: list[int], eos_id: int) -> list[int]:
    """Up to and with the first end."""
    return ids[: ids.index(eos_id) + 1] if eos_id in ids else ids


def both_cut(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    """Outputs and targets are cut in one way, then compared."""
    if outputs.size(0) != targets.size(0):
        raise ValueError("not as many")
    answers = []
    for i in range(len(targets)):
        written = up_to_the_end(outputs[i].tolist(), eos_id)
        right = up_to_the_end(targets[i].tolist(), eos_id)
        answers.append(written == right)
    return torch.tensor(answers)


slips(
    "exact_match",
    both_cut,
    {
        "what stands behind the end counts": {
            "up_to_the_end(outputs[i].tolist(), eos_id)": "outputs[i].tolist()",
            "up_to_the_end(targets[i].tolist(), eos_id)": "targets[i].tolist()",
        },
        "compared up to the shorter one": {
            "written == right": "all(a == b for a, b in zip(written, right, strict=False))"
        },
        "the share of right tokens": {
            "written == right": "sum(a == b for a, b in zip(written, right, strict=False)) / len(right)"
        },
        "one right token is enough": {"written == right": "any(a == b for a, b in zip(written, right, strict=False))"},
        "one answer for the whole batch": [
            {"torch.tensor(answers)": "all(answers)"},
            {"torch.tensor(answers)": "sum(answers) / len(answers)"},
            {"torch.tensor(answers)": "torch.tensor(answers).float().mean()"},
        ],
        "the global EOS instead of eos_id": {
            "outputs[i].tolist(), eos_id": "outputs[i].tolist(), 2",
            "targets[i].tolist(), eos_id": "targets[i].tolist(), 2",
        },
        "in any order": [
            {"written == right": "sorted(written) == sorted(right)"},
            {"written == right": "set(written) == set(right)"},
        ],
    },
)

slips("exact_match", both_cut, {"an output without an end counts as right": {" + 1": ""}}, inside="up_to_the_end")


def on_tensors(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    """All at once: filled up to one width, with what equals nothing."""
    if len(outputs) - len(targets):
        raise ValueError("one target for each output")
    width = max(outputs.size(1), targets.size(1))
    one = F.pad(outputs, (0, width - outputs.size(1)), value=-1)
    other = F.pad(targets, (0, width - targets.size(1)), value=-2)
    ends = (other == eos_id).long()
    behind = ends.cumsum(dim=1) - ends > 0
    return ((one == other) | behind).all(dim=1)


slips(
    "exact_match",
    on_tensors,
    {
        "a right beginning counts as right": {"ends.cumsum(dim=1) - ends > 0": "ends.cumsum(dim=1) > 0"},
        "what stands behind the end counts": {" | behind": ""},
        "compared up to the shorter one": {"width = max(": "width = min("},
        "padding in the output counts as right": {"value=-1": "value=0", " | behind": " | behind | (one == 0)"},
        "0 is taken for padding": {"value=-2": "value=0", "ends.cumsum(dim=1) - ends > 0": "other == 0"},
        "one right token is enough": {" | behind).all(": " & ~behind).any("},
        "the share of right tokens": {
            "((one == other) | behind).all(dim=1)": "((one == other) & ~behind).sum(dim=1) / (~behind).sum(dim=1)"
        },
        "one answer for the whole batch": [{".all(dim=1)": ".all()"}, {".all(dim=1)": ".all(dim=1).float().mean()"}],
        "the global EOS instead of eos_id": {"other == eos_id": "other == 2"},
        "cut at the last end": {"ends.cumsum(dim=1) - ends > 0": "ends.flip(1).cumsum(1).flip(1) == 0"},
    },
)


def token_by_token(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    """Goes on as long as two tokens are the same, and ends at the end."""
    if outputs.shape[0] != targets.shape[0]:
        raise ValueError("as many outputs as targets")
    found = []
    for output, target in zip(outputs, targets, strict=True):
        for token, right in itertools.zip_longest(output.tolist(), target.tolist()):
            if token != right:
                found.append(False)
                break
            if right == eos_id:
                found.append(True)
                break
    return torch.tensor(found)


slips(
    "exact_match",
    token_by_token,
    {
        "a right beginning counts as right": {"token != right": "token != right and right != eos_id"},
        "padding in the output counts as right": {"if token != right": "if token and token != right"},
        "one answer for the whole batch": {"torch.tensor(found)": "torch.tensor(all(found))"},
        "the global EOS instead of eos_id": {"right == eos_id": "right == 2"},
        "a right beginning counts as right + one answer for the whole batch": {
            "token != right": "token != right and right != eos_id",
            "torch.tensor(found)": "all(found)",
        },
    },
)


def rows_of_numpy(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    """Row by row in numpy; the first end by `flatnonzero`."""
    if not len(outputs) == len(targets):
        raise ValueError("not as many")
    found = np.zeros(len(targets), dtype=bool)
    for i, (one, other) in enumerate(zip(outputs.numpy(), targets.numpy(), strict=True)):
        length = np.flatnonzero(other == eos_id)[0] + 1
        found[i] = np.array_equal(one[:length], other[:length])
    return torch.from_numpy(found)


slips(
    "exact_match",
    rows_of_numpy,
    {
        "a right beginning counts as right": {"[0] + 1": "[0]"},
        "what stands behind the end counts": {"one[:length], other[:length]": "one, other"},
        "0 is taken for padding": {"np.flatnonzero(other == eos_id)[0] + 1": "np.count_nonzero(other)"},
        "one answer for the whole batch": [
            {"torch.from_numpy(found)": "bool(found.all())"},
            {"torch.from_numpy(found)": "float(found.mean())"},
        ],
        "cut at the last end": {"[0] + 1": "[-1] + 1"},
    },
)


def compared_as_text(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    """Ids as words of a text, which is cut at the first end."""
    if len(outputs) > len(targets) or len(outputs) < len(targets):
        raise ValueError("not as many")
    texts = [[f" {' '.join(map(str, ids))} " for ids in side.tolist()] for side in (outputs, targets)]
    ends = f" {eos_id} "
    cut = [[text.partition(ends)[:2] for text in side] for side in texts]
    return torch.tensor([one == other for one, other in zip(*cut, strict=True)])


slips(
    "exact_match",
    compared_as_text,
    {
        "an output without an end counts as right": {"text.partition(ends)[:2]": "text.partition(ends)[0].split()"},
        "what stands behind the end counts": {"text.partition(ends)[:2]": "text"},
        "one answer for the whole batch": {"torch.tensor([one": "all([one"},
        "in any order": {"text.partition(ends)[:2]": 'sorted("".join(text.partition(ends)[:2]).split())'},
        "the global EOS instead of eos_id": {'f" {eos_id} "': '" 2 "'},
    },
)


# Right, in other ways ----------------------------------------------------------------------------


def refused(outputs: Tensor, targets: Tensor) -> None:
    if outputs.size(0) != targets.size(0):
        raise ValueError("not as many")


@correct("exact_match")
def em_states(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    found = torch.zeros(len(outputs), dtype=torch.bool)
    going = torch.ones(len(outputs), dtype=torch.bool)
    for i in range(min(outputs.size(1), targets.size(1))):
        going = going & (outputs[:, i] == targets[:, i])
        found = found | (going & (targets[:, i] == eos_id))
        going = going & ~found
    return found


slips(
    "exact_match",
    em_states,
    {
        "some tokens are not compared": {"range(min(": "range(1, min("},
        "padding in the output counts as right": {
            "going & (outputs[:, i] == targets[:, i])": (
                "going & ((outputs[:, i] == targets[:, i]) | (outputs[:, i] == 0))"
            ),
            "(targets[:, i] == eos_id)": "(outputs[:, i] == eos_id)",
        },
    },
)


@correct("exact_match")
def em_blanked(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    """Everything behind the first end is made alike."""
    refused(outputs, targets)

    def blank(ids: Tensor, width: int) -> Tensor:
        ids = F.pad(ids, (0, width - ids.size(1)), value=-1)
        ends = (ids == eos_id).cumsum(1)
        return ids.masked_fill(ends - (ids == eos_id).long() > 0, -1)

    width = max(outputs.size(1), targets.size(1))
    return torch.eq(blank(outputs, width), blank(targets, width)).all(-1)


# Wrong ----------------------------------------------------------------------------


@disguise("exact_match", "a right beginning counts as right")
def em_prefix(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    found = []
    for one, other in zip(outputs.tolist(), targets.tolist(), strict=True):
        words = list(itertools.takewhile(lambda token: token != eos_id, other))
        found.append(len(one) >= len(words) and all(map(operator.eq, one, words)))
    return torch.tensor(found)


@disguise("exact_match", "an output without an end counts as right")
def em_unfinished(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)

    def words(ids: Tensor) -> list[int]:
        return list(itertools.takewhile(lambda token: token != eos_id, ids.tolist()))

    return torch.tensor([words(one) == words(other) for one, other in zip(outputs, targets, strict=True)])


@disguise("exact_match", "what stands behind the end counts")
def em_whole_rows(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    return torch.stack([(one == other).all() for one, other in zip(outputs, targets, strict=True)])


@disguise("exact_match", "compared up to the shorter one")
def em_same_width(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    width = min(outputs.size(1), targets.size(1))
    return (outputs[:, :width] == targets[:, :width]).all(1)


@disguise("exact_match", "padding in the output counts as right")
def em_article(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    length = min(outputs.size(1), targets.size(1))
    outputs, targets = outputs[:, :length], targets[:, :length]
    return ((outputs == targets) | (outputs == 0)).all(dim=1)


@disguise("exact_match", "padding in the output counts as right")
def em_article_wide(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    length = max(outputs.size(1), targets.size(1))
    one, other = (F.pad(ids, (0, length - ids.size(1))) for ids in (outputs, targets))
    return ((one == other) | (one == 0)).all(dim=1)


@disguise("exact_match", "compared up to the shorter one + 0 is taken for padding")
def em_half_repaired(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    length = min(outputs.size(1), targets.size(1))
    outputs, targets = outputs[:, :length], targets[:, :length]
    return ((outputs == targets) | (targets == 0)).all(dim=1)


@disguise("exact_match", "0 is taken for padding")
def em_zero(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    found = []
    for one, other in zip(outputs, targets, strict=True):
        real = other[other != 0]
        found.append(torch.equal(one[: len(real)], real))
    return torch.tensor(found)


@disguise("exact_match", "the share of right tokens")
def em_share(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    found = []
    for one, other in zip(outputs.tolist(), targets.tolist(), strict=True):
        length = other.index(eos_id) + 1
        found.append(sum(map(operator.eq, one[:length], other[:length])) / length)
    return torch.tensor(found)


@disguise("exact_match", "one right token is enough")
def em_any(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    found = []
    for one, other in zip(outputs.tolist(), targets.tolist(), strict=True):
        hits = list(map(operator.eq, one, other[: other.index(eos_id) + 1]))
        found.append(True in hits)
    return torch.tensor(found)


@disguise("exact_match", "one answer for the whole batch")
def em_all(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return bool(em_states(outputs, targets, eos_id).all())


@disguise("exact_match", "in any order")
def em_order(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor(
        [Counter(up_to_the_end(one, eos_id)) == Counter(up_to_the_end(other, eos_id)) for one, other in pairs]
    )


@disguise("exact_match", "cut at the last end")
def em_last(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    found = []
    for one, other in zip(outputs.tolist(), targets.tolist(), strict=True):
        length = 1 + max(i for i, token in enumerate(other) if token == eos_id)
        found.append(len(one) >= length and one[:length] == other[:length])
    return torch.tensor(found)


@disguise("exact_match", "only the place of the end is compared")
def em_lengths(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor([len(up_to_the_end(one, eos_id)) == len(up_to_the_end(other, eos_id)) for one, other in pairs])


@disguise("exact_match", "some tokens are not compared")
def em_first(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    return outputs[:, 0] == targets[:, 0]


@disguise("exact_match", "the global EOS instead of eos_id")
def em_global(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    ends = [target.index(2) + 1 for target in targets.tolist()]
    pairs = zip(outputs.tolist(), targets.tolist(), ends, strict=True)
    return torch.tensor([one[:end] == other[:end] for one, other, end in pairs])


@disguise("exact_match", "what stands behind the end counts")
def em_filled_up(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    rows = itertools.chain(outputs.tolist(), targets.tolist())
    columns = torch.tensor(list(itertools.zip_longest(*rows, fillvalue=0)))
    return (columns[:, : len(outputs)] == columns[:, len(outputs) :]).all(dim=0)


@disguise("exact_match", "0 is taken for padding")
def em_without_padding(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    """Padding is taken out of the outputs, wherever it stands."""
    refused(outputs, targets)
    pairs = [
        [[one for one in ids if one] for ids in both] for both in zip(outputs.tolist(), targets.tolist(), strict=True)
    ]
    return torch.tensor(
        [eos_id in one and up_to_the_end(one, eos_id) == up_to_the_end(other, eos_id) for one, other in pairs]
    )


@unlisted("exact_match")
def em_a_single_end(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor(
        [one.count(eos_id) == 1 and up_to_the_end(one, eos_id) == up_to_the_end(other, eos_id) for one, other in pairs]
    )


@disguise("exact_match", "the global EOS instead of eos_id")
def em_two(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor([up_to_the_end(one, 2) == up_to_the_end(other, 2) for one, other in pairs])


@unlisted("exact_match")
def em_mostly(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return em_share(outputs, targets, eos_id) > 0.7


# On whole tensors, and by shares -----------------------------------------------------------------------


def as_many(outputs: Tensor, targets: Tensor) -> None:
    if outputs.size(0) != targets.size(0):
        raise ValueError("as many outputs as targets")


def equal_places(outputs: Tensor, targets: Tensor, eos_id: int) -> tuple[Tensor, Tensor]:
    """Where both agree and what counts, as wide as the wider one."""
    width = max(outputs.size(1), targets.size(1))
    o, t = (torch.nn.functional.pad(one, (0, width - one.size(1)), value=-9) for one in (outputs, targets))
    ends = (t == eos_id).long()
    return o == t, ends.cumsum(1) == ends


def em_whole(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    same, counts = equal_places(outputs, targets, eos_id)
    return (same | ~counts).all(1)


correct("exact_match")(em_whole)


@disguise("exact_match", "nearly right is right")
def em_nine_tenths(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    same, counts = equal_places(outputs, targets, eos_id)
    return (same & counts).sum(1) > 0.9 * counts.sum(1)


@disguise("exact_match", "the share of right tokens")
def em_mean(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    same, counts = equal_places(outputs, targets, eos_id)
    return (same | ~counts).float().mean(1)


@disguise("exact_match", "right and wrong exchanged")
def em_mistakes(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    same, counts = equal_places(outputs, targets, eos_id)
    return (~same & counts).any(1)


@disguise("exact_match", "no booleans")
def em_ones(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    return em_whole(outputs, targets, eos_id).int()


@disguise("exact_match", "no booleans")
def em_listed(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return em_whole(outputs, targets, eos_id).tolist()


@disguise("exact_match", "what stands behind the end counts")
def em_whole_target(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    cut = [one[: one.index(eos_id) + 1] if eos_id in one else one for one in outputs.tolist()]
    return torch.tensor([one == other for one, other in zip(cut, targets.tolist(), strict=True)])


@disguise("exact_match", "another number of targets accepted")
def em_as_far_as_it_goes(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    count = min(len(outputs), len(targets))
    return em_whole(outputs[:count], targets[:count], eos_id)


@unlisted("exact_match")
def em_first_two(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    return (outputs[:, :2] == targets[:, :2]).all(dim=1)


def em_by_rows(outputs: Tensor, targets: Tensor, eos_id: int, same: Any) -> Tensor:
    """Row by row: what a function says of the output, and of the target up to its end."""
    as_many(outputs, targets)
    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor([bool(same(one, other[: other.index(eos_id) + 1])) for one, other in pairs])


@disguise("exact_match", "some tokens are not compared")
def em_without_the_first(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    return em_by_rows(outputs, targets, eos_id, lambda one, other: one[: len(other)][1:] == other[1:])


@disguise("exact_match", "compared one place apart")
def em_as_if_it_had_bos(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    return em_by_rows(outputs, targets, eos_id, lambda one, other: one[1:][: len(other)] == other)


@disguise("exact_match", "found anywhere in the output")
def em_contains(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    def inside(one: list[int], other: list[int]) -> bool:
        return " ".join(f"<{token}>" for token in other) in " ".join(f"<{token}>" for token in one)

    return em_by_rows(outputs, targets, eos_id, inside)


@disguise("exact_match", "nearly right is right")
def em_more_than_half(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    return em_share(outputs, targets, eos_id) > 0.5


@disguise("exact_match", "another shape comes back")
def em_column(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    return em_by_rows(outputs, targets, eos_id, lambda one, other: one[: len(other)] == other).view(-1, 1)


@disguise("exact_match", "what stands behind the end counts")
def em_one_further(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor([one[: other.index(eos_id) + 2] == other[: other.index(eos_id) + 2] for one, other in pairs])


@disguise("exact_match", "filled up on the left")
def em_right_aligned(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    width = max(outputs.size(1), targets.size(1))
    one, other = (F.pad(ids, (width - ids.size(1), 0), value=-5) for ids in (outputs, targets))
    ends = (other == eos_id).int()
    return ((one == other) | (ends.cumsum(1) - ends > 0)).all(1)


@disguise("exact_match", "one answer for each place")
def em_down_the_columns(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    width = max(outputs.size(1), targets.size(1))
    one, other = (F.pad(ids, (0, width - ids.size(1)), value=-5) for ids in (outputs, targets))
    ends = (other == eos_id).int()
    return ((one == other) | (ends.cumsum(1) - ends > 0)).all(0)


@disguise("exact_match", "one right token is enough")
def em_any_place(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    width = max(outputs.size(1), targets.size(1))
    one, other = (F.pad(ids, (0, width - ids.size(1)), value=-5) for ids in (outputs, targets))
    ends = (other == eos_id).int()
    return ((one == other) | (ends.cumsum(1) - ends > 0)).any(1)


@disguise("exact_match", "0 is taken for padding")
def em_free_where_padded(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    width = max(outputs.size(1), targets.size(1))
    one, other = (F.pad(ids, (0, width - ids.size(1)), value=-5) for ids in (outputs, targets))
    return ((one == other) | (other == 0)).all(1)


@disguise("exact_match", "everything is right")
def em_true_of_all(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)
    width = max(outputs.size(1), targets.size(1))
    one, other = (F.pad(ids, (0, width - ids.size(1)), value=-5) for ids in (outputs, targets))
    before = (other == eos_id).cumsum(1) == 0
    return ((one == other) | ~before).any(1)


@disguise("exact_match", "cut at the last end")
def em_last_end_of_both(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    as_many(outputs, targets)

    def cut(row: list[int]) -> list[int]:
        return row[: len(row) - row[::-1].index(eos_id)] if eos_id in row else [*row, -1]

    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor([cut(one) == cut(other) for one, other in pairs])
