"""Lesson 19: ctc_greedy and ctc_loss."""

import itertools
import math
from typing import Any

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

GREEDY, LOSS = "ctc_greedy", "ctc_loss"

# ctc_greedy ----------------------------------------------------------------------------


def with_a_memory(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    found = []
    for scores, real in zip(log_probs, mask, strict=True):
        text: list[int] = []
        before = None
        for score, heard in zip(scores, real, strict=True):
            if not heard:
                continue
            token = int(score.argmax())
            if token != before and token != blank:
                text.append(token)
            before = token
        found.append(text)
    return found


slips(
    GREEDY,
    with_a_memory,
    {
        "blanks dropped before repeats are merged": {
            "            before = token\n": "            before = before if token == blank else token\n"
        },
        "the padding is read": {"if not heard:": "if False:"},
        "repeats are not merged": {"token != before and ": ""},
        "blanks are kept": {" and token != blank": ""},
        "a token only once": {"token != before and": "token not in text and"},
        "the blank is taken to be 0": {"token != blank:": "token != 0:"},
        "the least likely": {"score.argmax()": "score.argmin()"},
        "the padding is read + blanks are kept": {"if not heard:": "if False:", " and token != blank": ""},
    },
)


def by_shifting(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    best = log_probs.topk(1, dim=-1).indices.squeeze(-1)
    earlier = torch.nn.functional.pad(best, (1, 0), value=-1)[:, :-1]
    kept = (best != earlier) & (best != blank) & mask
    return [row[keep].tolist() for row, keep in zip(best, kept, strict=True)]


slips(
    GREEDY,
    by_shifting,
    {
        "the padding is read": {" & mask": ""},
        "repeats are not merged": {"(best != earlier) & ": ""},
        "blanks are kept": {" & (best != blank)": ""},
        "the blank is taken to be 0": {"best != blank": "best != 0"},
        "the least likely": {"topk(1, dim=-1)": "topk(1, dim=-1, largest=False)"},
    },
)


def with_groups(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    texts = []
    for row, length in zip(log_probs.max(-1)[1].tolist(), mask.sum(1).tolist(), strict=True):
        tokens = row[:length]
        merged = [key for key, _ in itertools.groupby(tokens)]
        texts.append(list(filter(lambda one: one != blank, merged)))
    return texts


slips(
    GREEDY,
    with_groups,
    {
        "blanks dropped before repeats are merged": {
            "itertools.groupby(tokens)": "itertools.groupby([one for one in tokens if one != blank])"
        },
        "the last vector is lost": {"row[:length]": "row[: max(0, length - 1)]"},
        "the padding is read": {"row[:length]": "row"},
        "a token only once": [
            {"[key for key, _ in itertools.groupby(tokens)]": "sorted(set(tokens))"},
            {"[key for key, _ in itertools.groupby(tokens)]": "list(dict.fromkeys(tokens))"},
        ],
        "blanks are kept": {"list(filter(lambda one: one != blank, merged))": "merged"},
    },
)


def read(merge: Any = None, drop: Any = None, choose: Any = None, real: Any = None) -> Any:
    """A reading with some of its steps written otherwise."""

    def ctc_greedy(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
        found = []
        for number in range(len(log_probs)):
            best = (choose or (lambda x: x.argmax(1)))(log_probs[number]).tolist()
            length = int(mask[number].sum())
            best = (real or (lambda row, n: row[:n]))(best, length)
            merged = (merge or runs)(best, blank)
            found.append((drop or (lambda row, b: [one for one in row if one != b]))(merged, blank))
        return found

    return ctc_greedy


def runs(row: list[int], blank: int) -> list[int]:
    return [one for place, one in enumerate(row) if place == 0 or row[place - 1] != one]


correct(GREEDY)(read())
disguise(GREEDY, "blanks dropped before repeats are merged")(
    read(merge=lambda row, blank: runs([one for one in row if one != blank], blank))
)
disguise(GREEDY, "the padding is read")(read(real=lambda row, n: row))
disguise(GREEDY, "repeats are not merged")(read(merge=lambda row, blank: row))
disguise(GREEDY, "blanks are kept")(read(drop=lambda row, blank: row))
disguise(GREEDY, "a token only once")(
    read(merge=lambda row, blank: [one for place, one in enumerate(row) if one not in row[:place]])
)
disguise(GREEDY, "the blank is taken to be 0")(read(drop=lambda row, blank: [one for one in row if one]))
disguise(GREEDY, "the last vector is lost")(read(real=lambda row, n: row[:n][:-1]))
disguise(GREEDY, "the least likely")(read(choose=lambda x: (-x).argmax(1)))
disguise(GREEDY, "what is said first is lost")(
    read(merge=lambda row, blank: [one for before, one in itertools.pairwise(row) if one != before])
)
disguise(GREEDY, "what is said last is lost")(
    read(merge=lambda row, blank: [one for one, after in itertools.pairwise(row) if one != after])
)
disguise(GREEDY, "a 0 at the front is lost")(
    read(merge=lambda row, blank: [one for before, one in itertools.pairwise([0, *row]) if one != before])
)


@disguise(GREEDY, "merged across sounds")
def g_one_memory(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in mask]
    said = -1
    for number, place in mask.nonzero().tolist():
        now = int(log_probs[number, place].argmax())
        if now != blank and now != said:
            found[number].append(now)
        said = now
    return found


@disguise(GREEDY, "merged across sounds")
def g_rolled(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    said = log_probs.argmax(2)
    line = said.reshape(-1).tolist()
    found: list[list[int]] = [[] for _ in said]
    for at, token in enumerate(line):
        row, place = divmod(at, said.size(1))
        if mask[row, place] and token != blank and (at == 0 or line[at - 1] != token):
            found[row].append(token)
    return found


disguise(GREEDY, "the same number is taken for another")(
    read(drop=lambda row, blank: list(itertools.filterfalse(lambda one: one is blank, row)))
)


def changed(after: Any) -> Any:
    """The right texts, and what is then made of them."""
    return lambda log_probs, mask, blank: after(read()(log_probs, mask, blank), blank)


disguise(GREEDY, "a sound without a text is left out")(changed(lambda texts, blank: list(filter(None, texts))))
disguise(GREEDY, "one list for all sounds")(changed(lambda texts, blank: [list(itertools.chain(*texts))] * len(texts)))
disguise(GREEDY, "filled up to one length")(
    changed(
        lambda texts, blank: [list(row) for row in zip(*itertools.zip_longest(*texts, fillvalue=blank), strict=True)]
    )
)

disguise(GREEDY, "the text backwards")(read(merge=lambda row, blank: runs(row, blank)[::-1]))
unlisted(GREEDY)(read(merge=lambda row, blank: sorted(runs(row, blank))))
unlisted(GREEDY)(read(choose=lambda x: x.topk(2, dim=1).indices[:, 1]))
unlisted(GREEDY)(read(merge=lambda row, blank: runs(row[::2], blank)))


@disguise(GREEDY, "only what is likely enough")
def g_certain(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    best = log_probs.max(dim=-1)
    said = torch.where(best.values > math.log(0.5), best.indices, torch.full_like(best.indices, blank))
    return by_shifting(torch.nn.functional.one_hot(said, log_probs.size(-1)).float(), mask, blank)


@disguise(GREEDY, "the blank cannot win")
def g_never_blank(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    scores = log_probs.clone()
    scores[..., blank] = -math.inf
    return with_a_memory(scores, mask, blank)


@disguise(GREEDY, "merged with another neighbour")
def g_column_by_column(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in mask]
    for place in range(mask.size(1)):
        said = None
        for number, text in enumerate(found):
            now = int(log_probs[number, place].argmax())
            if now not in (said, blank) and mask[number, place]:
                text.append(now)
            said = now
    return found


disguise(GREEDY, "merged with another neighbour")(
    lambda log_probs, mask, blank: [
        [
            one
            for one, after, heard in zip(row, [*row[1:], None], real, strict=True)
            if heard and one not in (after, blank)
        ]
        for row, real in zip(log_probs.argmax(-1).tolist(), mask.tolist(), strict=True)
    ]
)


@disguise(GREEDY, "a sound without a text is left out")
def g_nothing_heard(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    heard = mask.any(dim=1)
    return with_groups(log_probs[heard], mask[heard], blank)


# ctc_loss ----------------------------------------------------------------------------

LOW = -1e30


def state_by_state(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    tokens = target.tolist()
    labels = [blank]
    for one in tokens:
        labels += [one, blank]
    low = log_probs.new_tensor(LOW)
    alpha = [log_probs[0, one] if place < 2 else low for place, one in enumerate(labels)]
    for frame in log_probs[1:]:
        new = []
        for place, one in enumerate(labels):
            ways = [alpha[place]]
            if place > 0:
                ways.append(alpha[place - 1])
            if place > 1 and one != blank and one != labels[place - 2]:
                ways.append(alpha[place - 2])
            new.append(torch.logsumexp(torch.stack(ways), 0) + frame[one])
        alpha = new
    total = torch.logsumexp(torch.stack(alpha[-2:]), 0)
    return -total if total > LOW / 2 else torch.full_like(total, math.inf)


slips(
    LOSS,
    state_by_state,
    {
        "skipping from a token to the same": {" and one != labels[place - 2]": ""},
        "skipping over tokens": {"one != blank and one != labels[place - 2]": "True"},
        "no path without a blank": {"place > 1 and one": "False and one"},
        "the last two states are not added up": [
            {"torch.logsumexp(torch.stack(alpha[-2:]), 0)": "alpha[-1]"},
            {"torch.logsumexp(torch.stack(alpha[-2:]), 0)": "alpha[-2:][0]"},
        ],
        "paths begin on a blank only": {"if place < 2": "if place < 1"},
        "the best path alone": {
            "torch.logsumexp(torch.stack(ways), 0)": "torch.stack(ways).max()",
            "torch.logsumexp(torch.stack(alpha[-2:]), 0)": "torch.stack(alpha[-2:]).max()",
        },
        "the sign": {"return -total if": "return total if"},
        "for each token": {"return -total if": "return -total / max(1, len(tokens)) if"},
        "the blank is taken to be 0": {
            "labels = [blank]": "blank = 0\n    labels = [blank]",
        },
    },
)


def from_the_end(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    """Backwards in time."""
    row = torch.stack([torch.full_like(target, blank), target], dim=1).flatten()
    row = torch.cat([row, torch.tensor([blank])])
    jump = torch.tensor(
        [place + 2 < len(row) and row[place] != blank and row[place] != row[place + 2] for place in range(len(row))]
    )
    low = torch.full((len(row) + 2,), LOW, dtype=log_probs.dtype)
    beta = log_probs[-1][row] + torch.where(torch.arange(len(row)) >= len(row) - 2, 0.0, LOW)
    for frame in log_probs[:-1].flip(0):
        long = torch.cat([beta, low])
        two = torch.where(jump, long[2 : len(row) + 2], low[: len(row)])
        beta = torch.stack([beta, long[1 : len(row) + 1], two], dim=1).logsumexp(1) + frame[row]
    loss = -beta[:2].logsumexp(0)
    return loss if loss < -LOW / 2 else loss * math.inf


slips(
    LOSS,
    from_the_end,
    {
        "skipping from a token to the same": {" and row[place] != row[place + 2]": ""},
        "no path without a blank": {"place + 2 < len(row) and row": "False and row"},
        "paths begin on a blank only": {"beta[:2].logsumexp(0)": "beta[0]"},
        "the sign": {"return loss if": "return -loss if"},
        "the sign + a large number for infinity": {"loss = -beta": "loss = beta"},
        "the last two states are not added up": {">= len(row) - 2,": ">= len(row) - 1,"},
        "skipping over tokens": {"row[place] != blank and row[place] != row[place + 2]": "True"},
    },
)


def with_a_matrix(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    """Which state leads to which, as a table of logarithms."""
    count = 2 * len(target) + 1
    names = [blank if place % 2 == 0 else int(target[place // 2]) for place in range(count)]
    leads = torch.full((count, count), LOW, dtype=log_probs.dtype)
    for at, name in enumerate(names):
        leads[at, max(0, at - 1) : at + 1] = 0.0
        if at >= 2 and name != blank and name != names[at - 2]:
            leads[at, at - 2] = 0.0
    alive = torch.full((count,), LOW, dtype=log_probs.dtype)
    alive[:2] = 0.0
    alive = alive + log_probs[0, names]
    for place in range(1, len(log_probs)):
        alive = (leads + alive).logsumexp(dim=1) + log_probs[place, names]
    found = torch.logsumexp(alive[max(0, count - 2) :], dim=0)
    return torch.where(found < LOW / 2, torch.tensor(math.inf, dtype=found.dtype), -found)


slips(
    LOSS,
    with_a_matrix,
    {
        "skipping from a token to the same": {" and name != names[at - 2]": ""},
        "no path without a blank": {"at >= 2 and name": "at < 0 and name"},
        "skipping over tokens": {"at >= 2 and name != blank and name != names[at - 2]": "at >= 2"},
        "paths begin on a blank only": {"alive[:2] = 0.0": "alive[:1] = 0.0"},
        "for each token": [
            {"-found)": "-found / max(1, len(target)))"},
            {"-found)": "-found / len(log_probs))"},
        ],
        "the best path alone": {
            ".logsumexp(dim=1)": ".amax(dim=1)",
            "torch.logsumexp(alive[max(0, count - 2) :], dim=0)": "alive[max(0, count - 2) :].max()",
        },
    },
)


def forward(
    states: Any = None, skip: Any = None, start: int = 2, last: Any = None, add: Any = None, end: Any = None
) -> Any:
    """The forward algorithm with some of its steps written otherwise."""
    add = add or (lambda ways: torch.stack(ways).logsumexp(0))

    def ctc_loss(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
        names = (states or (lambda text, b: [b, *[one for token in text for one in (token, b)]]))(
            target.tolist(), blank
        )
        may = skip or (lambda now, before, b: now not in (b, before))
        low = log_probs.new_tensor(LOW)
        row = {place: log_probs[0, name] if place < start else low for place, name in enumerate(names)}
        for frame in log_probs[1:]:
            old = row
            row = {}
            for place, name in enumerate(names):
                ways = [old[place], old.get(place - 1, low)]
                if place >= 2 and may(name, names[place - 2], blank):
                    ways.append(old[place - 2])
                row[place] = add(ways) + frame[name]
        ends = (last or (lambda row: row[-2:]))(list(row.values()))
        total = add(ends)
        loss = -total if total > LOW / 2 else log_probs.new_tensor(math.inf)
        return (end or (lambda loss, text, frames: loss))(loss, target, log_probs)

    return ctc_loss


correct(LOSS)(forward())
disguise(LOSS, "skipping from a token to the same")(forward(skip=lambda now, before, b: now != b))
disguise(LOSS, "skipping over tokens")(forward(skip=lambda now, before, b: True))
disguise(LOSS, "skipping over tokens")(forward(skip=lambda now, before, b: now == b or now != before))
disguise(LOSS, "no path without a blank")(forward(skip=lambda now, before, b: False))
disguise(LOSS, "the last two states are not added up")(forward(last=lambda row: row[-1:]))
disguise(LOSS, "paths begin on a blank only")(forward(start=1))
disguise(LOSS, "the best path alone")(forward(add=lambda ways: torch.stack(ways).max()))
disguise(LOSS, "the sign")(forward(end=lambda loss, text, frames: loss * -1))
disguise(LOSS, "for each token")(forward(end=lambda loss, text, frames: loss / max(1, len(text))))
disguise(LOSS, "the blank is taken to be 0")(
    forward(
        states=lambda text, b: [0, *[one for token in text for one in (token, 0)]],
        skip=lambda now, before, b: now not in (0, before),
    )
)
disguise(LOSS, "no blanks between the tokens")(
    forward(states=lambda text, b: text or [b], skip=lambda now, before, b: False, start=1, last=lambda row: row[-1:])
)


disguise(LOSS, "paths may begin anywhere")(forward(start=99))
disguise(LOSS, "paths may end anywhere")(forward(last=lambda row: row))
disguise(LOSS, "no blank at one end")(
    forward(states=lambda text, b: [one for token in text for one in (b, token)] or [b])
)
disguise(LOSS, "no blank at one end")(
    forward(states=lambda text, b: [one for token in text for one in (token, b)] or [b])
)
disguise(LOSS, "a large number for infinity")(forward(end=lambda loss, text, frames: loss.clamp(max=-LOW)))
disguise(LOSS, "a large number for infinity")(forward(end=lambda loss, text, frames: loss.nan_to_num(posinf=0.0)))


@disguise(LOSS, "probabilities that become 0")
def l_products(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    names = [blank, *[one for token in target.tolist() for one in (token, blank)]]
    probs = log_probs.exp()
    row = [probs[0, name] if place < 2 else probs.new_tensor(0.0) for place, name in enumerate(names)]
    for frame in probs[1:]:
        new = []
        for place, name in enumerate(names):
            mass = row[place] + (row[place - 1] if place else 0)
            if place > 1 and name != blank and name != names[place - 2]:
                mass = mass + row[place - 2]
            new.append(mass * frame[name])
        row = new
    return -torch.log(sum(row[-2:], probs.new_tensor(0.0)))


disguise(LOSS, "paths may begin anywhere")(forward(start=3))
disguise(LOSS, "paths may end anywhere")(forward(last=lambda row: row[-3:]))
disguise(LOSS, "the probability itself")(forward(end=lambda loss, text, frames: 1 / loss.exp()))


@disguise(LOSS, "a path never stays")
def l_only_on(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    text = [blank, *itertools.chain.from_iterable((int(token), blank) for token in target)]
    alive = {place: log_probs[0, text[place]] for place in range(min(2, len(text)))}
    for row in log_probs[1:]:
        found: dict[int, list[Tensor]] = {}
        for place, score in alive.items():
            for there in (place + 1, place + 2):
                if there >= len(text) or (there == place + 2 and text[there] in (blank, text[place])):
                    continue
                found.setdefault(there, []).append(score + row[text[there]])
        alive = {place: torch.stack(scores).logsumexp(0) for place, scores in found.items()}
    ends = [alive[place] for place in (len(text) - 2, len(text) - 1) if place in alive]
    return -torch.stack(ends).logsumexp(0) if ends else log_probs.new_tensor(math.inf)


@disguise(LOSS, "a path never stays")
def l_tokens_once(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    """Every token said is a token of the text: repeats are not one."""
    count = len(target)
    alive = [log_probs.new_tensor(0.0), *[log_probs.new_tensor(LOW)] * count]
    for row in log_probs:
        on = [alive[place - 1] + row[target[place - 1]] for place in range(1, count + 1)]
        rest = [score + row[blank] for score in alive]
        alive = [rest[0], *[torch.logaddexp(one, other) for one, other in zip(on, rest[1:], strict=True)]]
    return -alive[-1] if alive[-1] > LOW / 2 else log_probs.new_tensor(math.inf)


@disguise(LOSS, "a path never goes on by one")
def l_stays_or_skips(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    """Blanks to the end, or tokens from the first vector to the last."""
    blanks = log_probs[:, blank].sum()
    if not len(target):
        return -blanks
    low = log_probs.new_tensor(LOW)
    alive = [log_probs[0, target[0]], *[low] * (len(target) - 1)]
    for row in log_probs[1:]:
        before = alive
        alive = []
        for place, token in enumerate(target):
            stay = before[place]
            if place and token != target[place - 1]:
                stay = torch.logaddexp(stay, before[place - 1])
            alive.append(stay + row[token])
    return -alive[-1] if alive[-1] > LOW / 2 else log_probs.new_tensor(math.inf)


@disguise(LOSS, "logarithms are added up")
def l_product(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    text = [blank, *itertools.chain.from_iterable((int(token), blank) for token in target)]
    alive = {place: log_probs[0, text[place]] for place in range(min(2, len(text)))}
    for row in log_probs[1:]:
        found: dict[int, Tensor] = {}
        for place, score in alive.items():
            for there in (place, place + 1, place + 2):
                if there >= len(text) or (there == place + 2 and text[there] in (blank, text[place])):
                    continue
                found[there] = found[there] + score if there in found else score
        alive = {place: score + row[text[place]] for place, score in found.items()}
    ends = [alive[place] for place in (len(text) - 2, len(text) - 1) if place in alive]
    return -torch.stack(ends).logsumexp(0) if ends else log_probs.new_tensor(math.inf)


def with_logits(change: Any) -> Any:
    """The right loss, of scores that are no log-probabilities of these vectors."""
    return lambda log_probs, target, blank: forward()(change(log_probs), target, blank)


disguise(LOSS, "probabilities in place of logarithms")(with_logits(torch.exp))
disguise(LOSS, "the vectors behind the first are not scored")(
    with_logits(lambda x: torch.cat([x[:1], torch.zeros_like(x[1:])]))
)


@disguise(LOSS, "what is impossible is not small enough")
def l_hundred(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    text = [blank, *itertools.chain.from_iterable((int(token), blank) for token in target)]
    no = log_probs.new_full((1,), -100.0)
    place = torch.arange(len(text))
    row = torch.where(place < 2, log_probs[0, text], no)
    jumps = torch.tensor([at > 1 and text[at] != blank and text[at] != text[at - 2] for at in place.tolist()])
    for now in log_probs[1:]:
        far = torch.where(jumps, torch.cat([no, no, row])[: len(text)], no)
        row = now[text] + torch.stack([far, torch.cat([no, row])[: len(text)], row], dim=1).logsumexp(dim=1)
    return -row[-2:].logsumexp(dim=0)


unlisted(LOSS)(forward(end=lambda loss, text, frames: loss.exp()))
unlisted(LOSS)(forward(start=4))
unlisted(LOSS)(forward(last=lambda row: row[-4:]))


@disguise(LOSS, "another text")
def l_merged_text(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    text = [token for token, _ in itertools.groupby(target.tolist())]
    return state_by_state(log_probs, torch.tensor(text, dtype=torch.long), blank)


@disguise(LOSS, "an empty text is certain")
def l_nothing_said(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    return state_by_state(log_probs, target, blank) if target.numel() else log_probs.sum() * 0


disguise(LOSS, "a loss in another form")(forward(end=lambda loss, text, frames: float(loss)))
disguise(LOSS, "a loss in another form")(forward(end=lambda loss, text, frames: loss.reshape(1)))
disguise(LOSS, "no blanks between the tokens")(forward(states=lambda text, b: [b, *text, b]))
disguise(LOSS, "probabilities in place of logarithms")(with_logits(lambda x: x.log_softmax(0)))

slips(
    LOSS,
    state_by_state,
    {
        "paths begin on a blank only": {"if place < 2": "if place == 1"},
        "what is impossible is not small enough": [
            {"new_tensor(LOW)": f"new_tensor({low})", " if total > LOW / 2 else torch.full_like(total, math.inf)": ""}
            for low in (-100.0, -1000.0, -10000.0)
        ]
        + [{"new_tensor(LOW)": f"new_tensor({low})", "LOW / 2": str(low / 2)} for low in (-10000.0,)],
        "paths may begin anywhere + a path never goes on by one": {
            "if place < 2 else low": "",
            "if place > 0:": "if False:",
        },
    },
)

slips(
    LOSS,
    with_a_matrix,
    {
        "minus infinity on the way": {
            "(count, count), LOW": "(count, count), -math.inf",
            "torch.full((count,), LOW": "torch.full((count,), -math.inf",
        },
        "paths may begin anywhere": {"alive[:2] = 0.0": "alive[:] = 0.0"},
        "paths may begin anywhere + a path never goes on by one": {
            "alive[:2] = 0.0": "alive[:] = 0.0",
            "leads[at, max(0, at - 1) : at + 1] = 0.0": "leads[at, at] = 0.0",
        },
    },
)


@disguise(LOSS, "from the last state to the first")
def l_around(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    names = torch.tensor([blank, *itertools.chain.from_iterable((token, blank) for token in target.tolist())])
    jumps = (names != blank) & (names != names.roll(2))
    row = torch.where(torch.arange(len(names)) < 2, log_probs[0, names], LOW)
    for now in log_probs[1:]:
        steps = [row, torch.cat([row.new_tensor([LOW]), row[:-1]]), torch.where(jumps, row.roll(2), LOW)]
        row = torch.stack(steps).logsumexp(dim=0) + now[names]
    loss = -row[-2:].logsumexp(dim=0)
    return loss if loss < -LOW / 2 else loss * math.inf
