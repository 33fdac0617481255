"""Room 6."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks.in_the_wild.nothing_hidden import hide_tokens, shows_nothing_hidden
from autograder.stand_ins import in_the_wild as stand_ins
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_nothing_hidden.name
HIDE = hide_tokens.name
Hide = Callable[[Tensor, int, int], tuple[Tensor, Tensor]]

of_the_line_up(hide_tokens, "nothing_hidden")
of_all_probes(shows_nothing_hidden, stand_ins.shows_nothing_hidden)

VOCABULARY = 400


@disguise(HIDE, "nothing is exchanged")
def second_line_forgotten(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    picked = torch.rand(ids.shape) < 0.15
    read = ids.clone()
    read[picked & (torch.rand(ids.shape) < 0.8)] = mask_id
    return read, torch.where(picked, ids, -100)


class Counted:
    """What became of many tokens."""

    def __init__(self, implementation: Hide, rows: int = 120) -> None:
        self.before = torch.randint(VOCABULARY, (rows, 200))
        self.given = self.before.clone()
        inputs, labels = implementation(self.given, VOCABULARY, VOCABULARY)
        self.chosen = labels >= 0
        old, new = self.before[self.chosen], inputs[self.chosen]
        self.share = self.chosen.double().mean().item()
        count = max(len(old), 1)
        self.hidden = int((new == VOCABULARY).sum()) / count
        self.same = int((new == old).sum()) / count
        self.drawn = new[(new != VOCABULARY) & (new != old)]
        self.labels_right = torch.equal(labels[self.chosen], old)
        self.rest_kept = torch.equal(inputs[~self.chosen], self.before[~self.chosen])
        self.given_kept = torch.equal(self.given, self.before)

    @property
    def shares_right(self) -> bool:
        """All three."""
        other = 1 - self.hidden - self.same
        return abs(self.hidden - 0.8) < 0.05 and abs(self.same - 0.1) < 0.04 and abs(other - 0.1) < 0.04

    @property
    def wide(self) -> bool:
        """Whether tokens are drawn from everywhere."""
        parts = torch.histc(self.drawn.float(), bins=8, min=0, max=VOCABULARY)
        return bool((parts > len(self.drawn) / 40).all()) and len(set(self.drawn.tolist())) > 100


def is_right(seen: Counted) -> bool:
    """Everything."""
    return all(
        (
            abs(seen.share - 0.15) < 0.02,
            seen.shares_right,
            seen.labels_right,
            seen.rest_kept,
            seen.given_kept,
            seen.wide,
        )
    )


@correct(SHOWS)
def everything_counted(implementation: Hide) -> bool:
    """All of it."""
    return not is_right(Counted(implementation))


@correct(SHOWS)
def twice(implementation: Hide) -> bool:
    """Accuses only what is off twice."""
    return not is_right(Counted(implementation, 150)) and not is_right(Counted(implementation, 150))


@correct(SHOWS)
def by_standard_deviations(implementation: Hide) -> bool:
    """Six of them are never chance."""
    seen = Counted(implementation, 200)
    total, count = seen.before.numel(), max(int(seen.chosen.sum()), 1)

    def far(share: float, wanted: float, of: int) -> bool:
        return abs(share - wanted) > 6 * (wanted * (1 - wanted) / of) ** 0.5 + 0.004

    shares = ((seen.share, 0.15, total), (seen.hidden, 0.8, count), (seen.same, 0.1, count))
    kept = seen.labels_right and seen.rest_kept and seen.given_kept
    return any(far(*one) for one in shares) or not kept or not seen.wide


@disguise(SHOWS, "the shown fault alone")
def is_anything_hidden(implementation: Hide) -> bool:
    """Whether the id occurs."""
    return Counted(implementation).hidden < 0.01


@disguise(SHOWS, "which tokens are drawn is not looked at")
def how_many_alone(implementation: Hide) -> bool:
    """Not which."""
    seen = Counted(implementation)
    kept = seen.labels_right and seen.rest_kept and seen.given_kept
    return not (abs(seen.share - 0.15) < 0.02 and seen.shares_right and kept)


@disguise(SHOWS, "labels and the rest are not looked at")
def inputs_alone(implementation: Hide) -> bool:
    """Only shares and draws."""
    seen = Counted(implementation)
    return not (abs(seen.share - 0.15) < 0.02 and seen.shares_right and seen.given_kept and seen.wide)


@disguise(SHOWS, "the ids are not looked at afterwards")
def what_came_back(implementation: Hide) -> bool:
    """Not what was given."""
    seen = Counted(implementation)
    seen.given_kept = True
    return not is_right(seen)


@disguise(SHOWS, "the hidden ones alone are counted")
def eighty_percent(implementation: Hide) -> bool:
    """And the others as they come."""
    seen = Counted(implementation)
    honest = seen.labels_right and seen.rest_kept and seen.given_kept
    wide = len(seen.drawn) == 0 or seen.wide
    return not (abs(seen.share - 0.15) < 0.02 and abs(seen.hidden - 0.8) < 0.05 and honest and wide)


@disguise(SHOWS, "how many are chosen is not looked at")
def among_the_chosen(implementation: Hide) -> bool:
    """However many they are."""
    seen = Counted(implementation)
    seen.share = 0.15
    return not is_right(seen)


@disguise(SHOWS, "narrower than chance")
def exactly_eighty(implementation: Hide) -> bool:
    """To the fourth digit."""
    seen = Counted(implementation)
    return abs(seen.hidden - 0.8) > 2e-4 or not is_right(seen)


@unlisted(SHOWS)
def hidden_and_labels(implementation: Hide) -> bool:
    """Half of the promise."""
    seen = Counted(implementation)
    return not (seen.hidden > 0.5 and seen.labels_right)


@unlisted(SHOWS)
def the_share_alone(implementation: Hide) -> bool:
    """How many are chosen."""
    return abs(Counted(implementation).share - 0.15) > 0.02


@unlisted(SHOWS)
def the_rest_alone(implementation: Hide) -> bool:
    """What is not chosen."""
    return not Counted(implementation).rest_kept


@unlisted(SHOWS)
def ids_alone(implementation: Callable[..., tuple[Tensor, Tensor]]) -> bool:
    """Forgets two arguments."""
    return bool((implementation(torch.ones(2, 3, dtype=torch.long))[0] == 0).all())


@unlisted(SHOWS)
def divides_by_what_there_is(implementation: Hide) -> bool:
    """Of three tokens."""
    _, labels = implementation(torch.tensor([[1, 2, 3]]), 0, 5)
    return 1 / int((labels != -100).sum() - (labels != -100).sum()) > 2


@unlisted(HIDE)
def too_few_drawn(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    """As many as there are rows."""
    chosen = torch.rand(ids.shape) < 0.15
    inputs = ids.clone()
    inputs[chosen] = torch.randint(vocab_size, (len(ids) + 1,))
    return inputs, ids.masked_fill(~chosen, -100)


def three_draws(ids: Tensor, mask_id: int, vocab_size: int, first: int = 0) -> tuple[Tensor, Tensor]:
    """One draw for who is chosen, one for what becomes of it."""
    chosen, kind = torch.rand(ids.shape) < 0.15, torch.rand(ids.shape)
    inputs = torch.where(chosen & (kind < 0.8), mask_id, ids)
    other = torch.randint_like(ids, first, vocab_size)
    return torch.where(chosen & (kind > 0.9), other, inputs), torch.where(chosen, ids, -100)


@disguise(HIDE, "a part of the vocabulary")
def zero_is_special(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    return three_draws(ids, mask_id, vocab_size, first=1)


@disguise(HIDE, "labels of the others")
def the_wrong_ones_asked(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    inputs, labels = three_draws(ids, mask_id, vocab_size)
    return inputs, torch.where(labels == -100, ids, -100)


@disguise(HIDE, "another number for no label")
def zero_for_nothing(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    inputs, labels = three_draws(ids, mask_id, vocab_size)
    return inputs, labels.masked_fill(labels < 0, 0)


@disguise(HIDE, "the same each time")
def without_chance(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    torch.manual_seed(0)
    return three_draws(ids, mask_id, vocab_size)


@disguise(HIDE, "results exchanged")
def labels_first(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    return three_draws(ids, mask_id, vocab_size)[::-1]


@disguise(HIDE, "a neighbour instead of a drawn one")
def the_one_after(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    chosen, kind = torch.rand(ids.shape) < 0.15, torch.rand(ids.shape)
    inputs = torch.where(chosen & (kind < 0.8), mask_id, ids)
    after = torch.where(ids + 1 < vocab_size, ids + 1, 0)
    return torch.where(chosen & (kind > 0.9), after, inputs), torch.where(chosen, ids, -100)
