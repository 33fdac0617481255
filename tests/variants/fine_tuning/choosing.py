"""Lesson 16: the answer that two rows of scores speak for."""

import itertools
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

SPAN = "best_span"


def enough(allowed: Tensor, max_len: int) -> None:
    """The given ValueError."""
    if max_len <= 0 or not torch.any(allowed):
        raise ValueError("nothing to choose from")


def keeps_the_best(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    best, answer = float("-inf"), (0, 0)
    for i in range(len(start)):
        for j in range(i, len(end)):
            if j - i + 1 > max_len or not allowed[i : j + 1].all():
                continue
            total = float(start[i]) + float(end[j])
            if total > best:
                best, answer = total, (i, j + 1)
    return answer


slips(
    SPAN,
    keeps_the_best,
    {
        "the end may stand before the start": {"range(i, len(end))": "range(len(end))"},
        "the end is the last token itself": {"(i, j + 1)\n    return": "(i, j)\n    return"},
        "the length instead of the stop": {"(i, j + 1)\n    return": "(i, j - i + 1)\n    return"},
        "one token too long": {"j - i + 1 >": "j - i >"},
        "one token too short": {"j - i + 1 >": "j - i + 1 >="},
        "no limit to the length": {"j - i + 1 > max_len or ": ""},
        "a single token is no answer": {"range(i, len(end))": "range(i + 1, len(end))"},
        "what is not allowed is passed over": {" or not allowed[i : j + 1].all()": ""},
        "only the two ends are asked": {"not allowed[i : j + 1].all()": "not (allowed[i] and allowed[j])"},
        "only the first token is asked": {"not allowed[i : j + 1].all()": "not allowed[i]"},
        "only the last token is asked": {"not allowed[i : j + 1].all()": "not allowed[j]"},
        "allowed the wrong way round": {"not allowed[i : j + 1].all()": "allowed[i : j + 1].any()"},
        "the product of the scores": {"float(start[i]) + float(end[j])": "float(start[i]) * float(end[j])"},
        "probabilities are added": {
            "float(start[i]) + float(end[j])": "float(start.softmax(-1)[i]) + float(end.softmax(-1)[j])"
        },
        "the mean of all scores in the span": [
            {"float(start[i]) + float(end[j])": "float(start[i : j + 1].sum()) + float(end[i : j + 1].sum())"},
            {"float(start[i]) + float(end[j])": "float(start[i : j + 1].mean()) + float(end[i : j + 1].mean())"},
        ],
        "start and end exchanged": {"float(start[i]) + float(end[j])": "float(end[i]) + float(start[j])"},
        "the end is the last token itself + one token too long": {
            "(i, j + 1)\n    return": "(i, j)\n    return",
            "j - i + 1 >": "j - i >",
        },
        "the end is the last token itself + no limit to the length": {
            "(i, j + 1)\n    return": "(i, j)\n    return",
            "j - i + 1 > max_len or ": "",
        },
    },
)


def by_a_table(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    """All pairs at once."""
    enough(allowed, max_len)
    size = start.numel()
    scores = start.detach()[:, None] + end.detach()[None, :]
    band = torch.ones(size, size, dtype=torch.bool).triu().tril(max_len - 1)
    forbidden = torch.cat([torch.zeros(1, dtype=torch.long), (~allowed).long().cumsum(0)])
    free = forbidden[None, 1:] - forbidden[:-1, None] == 0
    scores = scores.masked_fill(~(band & free), float("-inf"))
    place = int(scores.argmax())
    return place // size, place % size + 1


slips(
    SPAN,
    by_a_table,
    {
        "the end may stand before the start": {".triu()": ""},
        "the end is the last token itself": {"place % size + 1": "place % size"},
        "one token too long": {"tril(max_len - 1)": "tril(max_len)"},
        "no limit to the length": {".tril(max_len - 1)": ""},
        "a single token is no answer": {"triu()": "triu(1)"},
        "what is not allowed is passed over": {"(band & free)": "band"},
        "only the two ends are asked": {"(band & free)": "(band & allowed & allowed[:, None])"},
        "only the first token is asked": {"(band & free)": "(band & allowed[:, None])"},
        "only the last token is asked": {"(band & free)": "(band & allowed)"},
        "what is not allowed counts as 0": {
            'scores.masked_fill(~(band & free), float("-inf"))': (
                'scores.masked_fill(~free, 0).masked_fill(~band, float("-inf"))'
            )
        },
        "the product of the scores": {"[:, None] + end": "[:, None] * end"},
        "start and end exchanged": {
            "start.detach()[:, None] + end.detach()[None, :]": "end.detach()[:, None] + start.detach()[None, :]"
        },
        "the worst span": [
            {'float("-inf")': 'float("inf")', "scores.argmax()": "scores.argmin()"},
            {"scores.argmax()": "scores.argmin()"},
        ],
        "the difference of the scores": {"[:, None] + end": "[:, None] - end"},
    },
)


def by_stretches(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    """Stretch after stretch of what is allowed, and length after length."""
    enough(allowed, max_len)
    begins, ends = start.tolist(), end.tolist()
    found: dict[tuple[int, int], float] = {}
    for free, run in itertools.groupby(range(len(begins)), key=lambda place: bool(allowed[place])):
        places = list(run)
        if free:
            for length in range(1, min(max_len, len(places)) + 1):
                for a, z in zip(places, places[length - 1 :], strict=False):
                    found[a, z + 1] = begins[a] + ends[z]
    return max(found, key=lambda span: found[span])


slips(
    SPAN,
    by_stretches,
    {
        "the end is the last token itself": {"found[a, z + 1]": "found[a, z]"},
        "the length instead of the stop": {"found[a, z + 1]": "found[a, length]"},
        "one token too long": {"min(max_len, len(places)) + 1": "min(max_len + 1, len(places)) + 1"},
        "no limit to the length": {"min(max_len, len(places)) + 1": "len(places) + 1"},
        "the product of the scores": {"begins[a] + ends[z]": "begins[a] * ends[z]"},
        "start and end exchanged": {"begins[a] + ends[z]": "ends[a] + begins[z]"},
        "the worst span": {"return max(": "return min("},
        "what is not allowed is passed over": {"bool(allowed[place])": "bool(place >= 0)"},
        "the end is the last token itself + start and end exchanged": {
            "found[a, z + 1]": "found[a, z]",
            "begins[a] + ends[z]": "ends[a] + begins[z]",
        },
    },
)


@correct(SPAN)
def by_the_end(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    """For each last token the best first token so far, by log-probabilities."""
    enough(allowed, max_len)
    chances = start.double().log_softmax(0), end.double().log_softmax(0)
    best: Any = None
    for last in range(len(start)):
        first = last
        while first >= 0 and last - first < max_len and allowed[first]:
            score = chances[0][first] + chances[1][last]
            if best is None or score > best[0]:
                best = (score, first, last + 1)
            first -= 1
    return best[1:]


@correct(SPAN)
def by_many_ends(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    """All candidates from the best score down."""
    enough(allowed, max_len)
    pairs = itertools.product(range(len(start)), repeat=2)
    for i, j in sorted(pairs, key=lambda pair: -(start[pair[0]] + end[pair[1]]).item()):
        if i <= j < i + max_len and bool(allowed[i : j + 1].all()):
            return i, j + 1
    raise AssertionError


def seen(scores: Tensor, allowed: Tensor) -> Tensor:
    return torch.where(allowed, scores, torch.tensor(-torch.inf).to(scores))


@disguise(SPAN, "start and end each by itself")
def q_by_itself(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    first, last = (max(range(len(start)), key=seen(one, allowed).tolist().__getitem__) for one in (start, end))
    return first, last + 1


@disguise(SPAN, "start and end each by itself")
def q_by_itself_anywhere(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    return torch.max(start, 0).indices.item(), torch.max(end, 0).indices.item() + 1


@disguise(SPAN, "the best start first")
def q_start_first(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    first = int(seen(start, allowed).argmax())
    stop = first + 1
    while stop < len(start) and allowed[stop] and stop - first < max_len:
        stop += 1
    return first, first + int(end[first:stop].argmax()) + 1


@disguise(SPAN, "the best end first")
def q_end_first(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    last = int(seen(end, allowed).argmax())
    low = last
    while low > 0 and allowed[low - 1] and last - low + 1 < max_len:
        low -= 1
    return low + int(start[low : last + 1].argmax()), last + 1


@disguise(SPAN, "places among the allowed tokens")
def q_filtered(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    first, stop = by_a_table(start, end, allowed, max_len)
    left = [place for place in range(len(start)) if allowed[place]]
    return left.index(first), left.index(stop - 1) + 1


def of_table(change: Any) -> Any:
    """A table of all spans that may be, changed, and its largest number."""

    def choose(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
        enough(allowed, max_len)
        size = len(start)
        table = torch.full((size, size), -torch.inf, dtype=start.dtype)
        for first in range(size):
            for last in range(size):
                score = change(start.detach(), end.detach(), first, last, allowed, max_len)
                if score is not None:
                    table[first, last] = score
        first, last = divmod(int(table.argmax()), size)
        return first, last + 1

    return choose


def fits(first: int, last: int, allowed: Tensor, max_len: int) -> bool:
    return 0 <= last - first < max_len and bool(allowed[first : last + 1].all())


def either(condition: Any, score: Any) -> Any:
    """A score where a condition holds, and no span elsewhere."""

    def change(start: Tensor, end: Tensor, first: int, last: int, allowed: Tensor, max_len: int) -> Any:
        return score(start, end, first, last) if condition(first, last, allowed, max_len) else None

    return of_table(change)


def total(start: Tensor, end: Tensor, first: int, last: int) -> Any:
    return start[first] + end[last]


WHERE: dict[str, Any] = {
    "the end may stand before the start": (
        lambda first, last, allowed, max_len: abs(last - first) < max_len and allowed[first] and allowed[last]
    ),
    "one token too long": lambda first, last, allowed, max_len: fits(first, last, allowed, max_len + 1),
    "one token too short": lambda first, last, allowed, max_len: fits(first, last, allowed, max(1, max_len - 1)),
    "no limit to the length": lambda first, last, allowed, max_len: fits(first, last, allowed, len(allowed)),
    "a single token is no answer": (
        lambda first, last, allowed, max_len: first < last and fits(first, last, allowed, max_len)
    ),
    "one allowed token is enough": (
        lambda first, last, allowed, max_len: 0 <= last - first < max_len and allowed[first : last + 1].any()
    ),
    "what is not allowed is passed over": lambda first, last, allowed, max_len: 0 <= last - first < max_len,
    "only the two ends are asked": (
        lambda first, last, allowed, max_len: 0 <= last - first < max_len and allowed[first] and allowed[last]
    ),
    "only the first token is asked": lambda first, last, allowed, max_len: (
        0 <= last - first < max_len and allowed[first]
    ),
    "only the last token is asked": lambda first, last, allowed, max_len: 0 <= last - first < max_len and allowed[last],
    "allowed the wrong way round": lambda first, last, allowed, max_len: fits(first, last, ~allowed, max_len),
}

for mistake, where in WHERE.items():
    disguise(SPAN, mistake)(either(where, total))


SCORES: dict[str, Any] = {
    "the product of the scores": lambda start, end, first, last: start[first] * end[last],
    "the difference of the scores": lambda start, end, first, last: start[first] - end[last],
    "the longest span": lambda start, end, first, last: torch.tensor(float(last - first)),
    "probabilities are added": lambda start, end, first, last: F.softmax(start, 0)[first] + F.softmax(end, 0)[last],
    "the mean of all scores in the span": lambda start, end, first, last: (start + end)[first : last + 1].mean(),
    "start and end exchanged": lambda start, end, first, last: end[first] + start[last],
    "the worst span": lambda start, end, first, last: -start[first] - end[last],
}

for mistake, score in SCORES.items():
    disguise(SPAN, mistake)(either(fits, score))


@disguise(SPAN, "what is not allowed counts as 0")
def q_zeros(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    every = torch.ones_like(allowed)
    return by_a_table(start.where(allowed, 0), end.where(allowed, 0), every, max_len)


@disguise(SPAN, "the end is the last token itself")
def q_inclusive(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    first, stop = by_stretches(start, end, allowed, max_len)
    return first, stop - 1


@disguise(SPAN, "the length instead of the stop")
def q_length(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    first, stop = by_stretches(start, end, allowed, max_len)
    return first, len(start[first:stop])


@unlisted(SPAN)
def q_greedy(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    """The best single token, made longer while that helps."""
    enough(allowed, max_len)
    first = last = int(seen(start + end, allowed).argmax())
    while last + 1 < len(start) and allowed[last + 1] and end[last + 1] > end[last] and last + 1 - first < max_len:
        last += 1
    return first, last + 1


@unlisted(SPAN)
def q_short_ones(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    """Long answers cost."""
    return either(fits, lambda start, end, first, last: total(start, end, first, last) - (last - first))(
        start, end, allowed, max_len
    )


@disguise(SPAN, "a place is one off")
def q_one_late(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    first, stop = by_a_table(start, end, allowed, max_len)
    return first + 1, stop + 1


@disguise(SPAN, "no sum below 0 is good enough")
def q_begins_at_zero(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    """Nothing below 0 is ever better."""
    enough(allowed, max_len)
    best = 0.0
    for i, j in itertools.combinations_with_replacement(range(len(start)), 2):
        if fits(i, j, allowed, max_len) and float(start[i] + end[j]) > best:
            best, answer = float(start[i] + end[j]), (i, j + 1)
    return answer


@unlisted(SPAN)
def q_beyond_the_text(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    pairs = [(i, j) for i in range(len(start)) for j in range(i, i + max_len)]
    i, j = max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])
    return i, j + 1


@disguise(SPAN, "allowed the wrong way round")
def q_none_left(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    pairs = itertools.combinations_with_replacement(range(len(start)), 2)
    spans = [(start[i] + end[j], i, j + 1) for i, j in pairs if j < i + max_len and not allowed[i : j + 1].any()]
    return max(spans)[1:]


def ends_by_themselves(start: Tensor, end: Tensor, allowed: Tensor) -> list[int]:
    return [int(seen(one, allowed).argmax()) for one in (start, end)]


@disguise(SPAN, "put into order afterwards")
def q_sorted(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    one, other = ends_by_themselves(start, end, allowed)
    if other < one:
        one, other = other, one
    return one, other + 1


@disguise(SPAN, "what is no span counts as 0")
def q_triangle_of_zeros(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    hidden = [one.detach().masked_fill(~allowed, -1e9) for one in (start, end)]
    table = torch.triu(hidden[0][:, None] + hidden[1][None]).tril(max_len - 1)
    place = table.flatten().argmax().item()
    return place // len(start), place % len(start) + 1


@disguise(SPAN, "only spans that are read backwards")
def q_lower(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    return either(lambda first, last, may, most: last <= first < last + most and may[first] and may[last], total)(
        start, end, allowed, max_len
    )


@disguise(SPAN, "the two places exchanged")
def q_turned(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    first, stop = by_a_table(start, end, allowed, max_len)
    return stop - 1, first + 1


@disguise(SPAN, "one of the two scores alone")
def q_starts_alone(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    return either(fits, lambda start, end, first, last: start[first])(start, end, allowed, max_len)


@disguise(SPAN, "one of the two scores alone")
def q_ends_alone(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    return either(fits, lambda start, end, first, last: end[last])(start, end, allowed, max_len)


@disguise(SPAN, "chosen among the allowed tokens alone")
def q_taken_out(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    return by_a_table(start[allowed], end[allowed], torch.ones(int(allowed.sum()), dtype=torch.bool), max_len)


@disguise(SPAN, "chosen among the allowed tokens alone")
def q_put_back(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    first, stop = q_taken_out(start, end, allowed, max_len)
    places = [place for place, may in enumerate(allowed.tolist()) if may]
    return places[first], places[stop - 1] + 1


@disguise(SPAN, "no sum below 0 is good enough")
def q_from_zero(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    best, answer = 0.0, (0, 0)
    for i, j in itertools.combinations_with_replacement(range(len(start)), 2):
        if fits(i, j, allowed, max_len) and float(start[i] + end[j]) > best:
            best, answer = float(start[i] + end[j]), (i, j + 1)
    return answer


@disguise(SPAN, "the end score of the token behind")
def q_behind(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    best, answer = -torch.inf, (0, 1)
    for i in range(len(start)):
        for stop in range(i + 1, len(start)):
            if fits(i, stop - 1, allowed, max_len) and float(start[i] + end[stop]) > best:
                best, answer = float(start[i] + end[stop]), (i, stop)
    return answer


@disguise(SPAN, "an end of the row is never reached")
def q_all_but_one(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    last = len(start) - 1
    return either(lambda i, j, may, most: j < last and fits(i, j, may, most), total)(start, end, allowed, max_len)


@disguise(SPAN, "an end of the row is never reached")
def q_behind_the_first(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    return either(lambda i, j, may, most: i > 0 and fits(i, j, may, most), total)(start, end, allowed, max_len)


def of_best(change: Any) -> Any:
    """The right answer, and what becomes of it."""

    def choose(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
        first, stop = by_stretches(start, end, allowed, max_len)
        return change(start.detach(), end.detach(), allowed, first, stop)

    return choose


def from_the_lead(start: Tensor, end: Tensor, allowed: Tensor, first: int, stop: int) -> Any:
    lead = int(allowed.nonzero()[0])
    return first - lead, stop - lead


BESIDE: list[tuple[str, Any]] = [
    ("tensors for numbers", lambda start, end, allowed, first, stop: tuple(torch.tensor([first, stop]))),
    ("tensors for numbers", lambda start, end, allowed, first, stop: torch.tensor([first, stop])),
    ("a list for the two places", lambda start, end, allowed, *both: list(both)),
    (
        "the score comes back too",
        lambda start, end, allowed, *both: ((start[both[0]] + end[both[1] - 1]).item(), *both),
    ),
    ("the score comes back too", lambda start, end, allowed, *both: (*both, float(start[both[0]] + end[both[1] - 1]))),
    ("places among the allowed tokens", from_the_lead),
    ("the length instead of the stop", lambda start, end, allowed, first, stop: (first, stop - first - 1)),
]

for mistake, change in BESIDE:
    disguise(SPAN, mistake)(of_best(change))


@disguise(SPAN, "a cell of the table is read wrongly")
def q_cell(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    first, stop = by_a_table(start, end, allowed, max_len)
    row, column = divmod(first * start.numel() + stop - 1, max_len)
    return row, column + 1


for bent in (
    lambda start, end, first, last: (start[first] + end[last]).abs(),
    lambda start, end, first, last: start.abs()[first] + end.abs()[last],
):
    disguise(SPAN, "the sign of the scores is lost")(either(fits, bent))


disguise(SPAN, "only answers of max_len tokens")(
    either(lambda first, last, may, most: last - first + 1 == most and fits(first, last, may, most), total)
)


disguise(SPAN, "allowed from the first to the last")(
    either(
        lambda first, last, may, most: may[: first + 1].any() and may[last:].any() and 0 <= last - first < most, total
    )
)


disguise(SPAN, "only the first stretch that is allowed")(
    either(
        lambda first, last, may, most: (
            fits(first, last, may, most) and not (~may[int(may.nonzero()[0]) : last + 1]).any()
        ),
        total,
    )
)


@disguise(SPAN, "the end is moved to the start")
def q_moved(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    one, other = ends_by_themselves(start, end, allowed)
    return one, 1 + min(one + max_len - 1, other if other > one else one)


@disguise(SPAN, "put into order afterwards")
def q_sorted_and_cut(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    first, stop = q_sorted(start, end, allowed, max_len)
    return first, first + max_len if stop - first > max_len else stop


def keeps_a_record(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    """The best so far, and where it was."""
    enough(allowed, max_len)
    record, begun, done = -float("inf"), -1, -1
    for first, of_start in enumerate(start.tolist()):
        last = first
        while last < len(end) and last < first + max_len and allowed[last]:
            of_both = of_start + end[last].item()
            if of_both > record:
                record = of_both
                begun, done = first, last + 1
            last += 1
    return begun, done


slips(
    SPAN,
    keeps_a_record,
    {
        "the best so far is not kept": [
            {"        last = first\n": '        last, record = first, -float("inf")\n'},
            {"                record = of_both\n": ""},
        ],
        "the loops end too soon": [
            {"            last += 1\n": "            last += 1\n        if done > 0:\n            break\n"},
            {"begun, done = first, last + 1": "return first, last + 1"},
        ],
        "the sign of the scores is lost": {"of_start + end[last].item()": "abs(of_start + end[last].item())"},
        "no sum below 0 is good enough": {'record, begun, done = -float("inf")': "record, begun, done = 0.0"},
        "tensors for numbers": {"return begun, done": "return torch.tensor(begun), torch.tensor(done)"},
        "a list for the two places": {"return begun, done": "return [begun, done]"},
        "the score comes back too": {"return begun, done": "return record, begun, done"},
        "the end is the last token itself": {"first, last + 1\n": "first, last\n"},
        "one token too long": {"last < first + max_len": "last <= first + max_len"},
        "the end is the last token itself + the sign of the scores is lost": {
            "first, last + 1\n": "first, last\n",
            "of_start + end[last].item()": "abs(of_start + end[last].item())",
        },
    },
)


@disguise(SPAN, "the best so far is not kept")
def q_longest_last(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    for long in range(1, max_len + 1):
        for first in range(len(start) - long + 1):
            if allowed[first : first + long].all():
                answer = first, first + long
    return answer


@disguise(SPAN, "the loops end too soon")
def q_returns_at_once(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    for first in range(len(start)):
        lasts = [last for last in range(first, len(end)) if fits(first, last, allowed, max_len)]
        if lasts:
            return first, 1 + max(lasts, key=lambda last: end[last].item())
    raise AssertionError


def of_the_best_few(few: int, among_allowed: bool) -> Any:
    """As programs for long texts do."""

    def choose(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
        enough(allowed, max_len)
        rows = [seen(one, allowed) if among_allowed else one for one in (start, end)]
        firsts, lasts = (row.sort(descending=True).indices[:few].tolist() for row in rows)
        best: Any = (-torch.inf, 0, 1)
        for first, last in itertools.product(firsts, lasts):
            if fits(first, last, allowed, max_len):
                best = max(best, (float(start[first] + end[last]), first, last + 1))
        return best[1:]

    return choose


for few, among_allowed in ((5, True), (10, False), (20, False), (20, True)):
    disguise(SPAN, "only the best few starts and ends")(of_the_best_few(few, among_allowed))


for mistake, change in (
    ("fractions for the two places", lambda start, end, allowed, *both: (both[0] / 1, both[1] / 1)),
    ("a place is one off", lambda start, end, allowed, first, stop: (first, stop + 1)),
    ("a place is one off", lambda start, end, allowed, first, stop: (first - 1, stop)),
    ("a place is one off", lambda start, end, allowed, first, stop: (first + 1, stop)),
):
    disguise(SPAN, mistake)(of_best(change))


for smaller in (min, max):
    disguise(SPAN, "the larger or the smaller of the two scores")(
        either(fits, lambda start, end, first, last, choose=smaller: choose(start[first], end[last]))
    )


@disguise(SPAN, "logarithms beside zeros")
def q_log_chances(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> Any:
    enough(allowed, max_len)
    rows = [seen(one.detach(), allowed).log_softmax(0) for one in (start, end)]
    at = int((rows[0][:, None] + rows[1]).triu().tril(max_len - 1).argmax())
    return at // len(start), at % len(start) + 1
