"""Room 6: ways of choosing tokens and of hiding them."""

import random

import numpy as np
import torch
from torch import Tensor

from autograder.probing.lineup import right, wrong

Pair = tuple[Tensor, Tensor]


def fates(ids: Tensor, chosen: float = 0.15, hidden: float = 0.8, other: float = 0.1) -> tuple[Tensor, Tensor, Tensor]:
    picked = torch.rand(ids.shape) < chosen
    second = torch.rand(ids.shape)
    return picked, picked & (second < hidden), picked & (second >= hidden) & (second < hidden + other)


def made(ids: Tensor, which: tuple[Tensor, Tensor, Tensor], mask_id: int, vocab_size: int) -> Pair:
    picked, hidden, other = which
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[other] = torch.randint(vocab_size, (int(other.sum()),))
    return inputs, torch.where(picked, ids, -100)


@right("draws once for the choice and once for what becomes of it")
def two_draws(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    return made(ids, fates(ids), mask_id, vocab_size)


@right("goes token by token, with Python's own chance")
def in_loops(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    inputs, labels = ids.tolist(), [[-100] * ids.size(1) for _ in ids]
    for row, tokens in enumerate(ids.tolist()):
        for place, token in enumerate(tokens):
            number = random.random() / 0.15
            if number < 1:
                labels[row][place] = token
                if number < 0.8:
                    inputs[row][place] = mask_id
                elif number < 0.9:
                    inputs[row][place] = random.randrange(vocab_size)
    return torch.tensor(inputs), torch.tensor(labels)


@right("chooses exactly 15 % of the batch, and divides these exactly")
def exact_shares(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    order = torch.randperm(ids.numel())
    count = round(0.15 * ids.numel())
    hidden, other = round(0.8 * count), round(0.9 * count)
    inputs, labels = ids.flatten().clone(), torch.full((ids.numel(),), -100)
    labels[order[:count]] = inputs[order[:count]]
    inputs[order[:hidden]] = mask_id
    drawn = torch.randint(vocab_size, (other - hidden,))
    inputs[order[hidden:other]] = torch.where(drawn == mask_id, inputs[order[hidden:other]], drawn)
    return inputs.view_as(ids), labels.view_as(ids)


@right("draws with `bernoulli`, first 0.8, then half of the rest")
def by_bernoulli(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    picked = torch.bernoulli(torch.full(ids.shape, 0.15)).bool()
    hidden = picked & torch.bernoulli(torch.full(ids.shape, 0.8)).bool()
    other = picked & ~hidden & torch.bernoulli(torch.full(ids.shape, 0.5)).bool()
    return made(ids, (picked, hidden, other), mask_id, vocab_size)


@right("draws a category for every token with numpy")
def by_numpy(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    kinds = torch.from_numpy(np.random.choice(4, size=tuple(ids.shape), p=[0.85, 0.12, 0.015, 0.015]))
    return made(ids, (kinds > 0, kinds == 1, kinds == 2), mask_id, vocab_size)


@right("keeps the tokens first, then exchanges, then hides")
def kept_first(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    number = torch.rand(ids.shape)
    picked, kept = number > 0.85, number > 0.985
    other = picked & ~kept & (number > 0.97)
    inputs = torch.where(other, torch.randint_like(ids, vocab_size), ids)
    return inputs.masked_fill(picked & ~kept & ~other, mask_id), ids.masked_fill(~picked, -100)


@right("draws a token that is neither the old one nor the one that hides")
def really_another(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    picked, hidden, other = fates(ids)
    inputs = ids.masked_fill(hidden, mask_id)
    places = other.nonzero()
    for row, place in places.tolist():
        token = int(ids[row, place])
        while token in (int(ids[row, place]), mask_id) and vocab_size > 2:
            token = random.randrange(vocab_size)
        inputs[row, place] = token
    return inputs, ids.where(picked, torch.tensor(-100))


@right("has a generator of its own, and chooses 15 % in every row")
def row_by_row(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    generator = torch.Generator().manual_seed(int(torch.randint(2**31, ())))
    picked = torch.zeros_like(ids, dtype=torch.bool)
    for row in range(len(ids)):
        number = torch.rand(ids.size(1), generator=generator)
        picked[row] = number.argsort().argsort() < 0.15 * ids.size(1)
    second = torch.rand(ids.shape, generator=generator)
    return made(ids, (picked, picked & (second < 0.8), picked & (second > 0.9)), mask_id, vocab_size)


# Wrong ----------------------------------------------------------------------------


@wrong("asks whether a number is below 0.8 of itself, token by token", mistake="nothing is hidden")
def part_of_itself(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    inputs, labels = ids.tolist(), [[-100] * ids.size(1) for _ in ids]
    for row, tokens in enumerate(ids.tolist()):
        for place, token in enumerate(tokens):
            number = random.random()
            if number < 0.15:
                labels[row][place] = token
                if number < number * 0.8:
                    inputs[row][place] = mask_id
                elif number < number * 0.9:
                    inputs[row][place] = random.randrange(vocab_size)
    return torch.tensor(inputs), torch.tensor(labels)


@wrong("hides in a copy that it does not return", mistake="nothing is hidden", kin=True)
def in_a_copy(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    picked, hidden, _ = fates(ids)
    ids[hidden].fill_(mask_id)
    return ids.clone(), torch.where(picked, ids, -100)


@wrong("hides 10 % of what is chosen, and exchanges 80 %", mistake="hidden and exchanged trade places", kin=True)
def exchanged(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    return made(ids, fates(ids, hidden=0.1, other=0.8), mask_id, vocab_size)


@wrong("hides everything that it chooses", mistake="everything chosen is hidden")
def everything(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    return made(ids, fates(ids, hidden=1.0, other=0.0), mask_id, vocab_size)


@wrong("keeps none of those that are chosen", mistake="nothing chosen stays", kin=True)
def none_kept(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    return made(ids, fates(ids, hidden=0.8, other=0.2), mask_id, vocab_size)


@wrong("hides half of those that are chosen")
def half(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    return made(ids, fates(ids, hidden=0.5, other=0.25), mask_id, vocab_size)


@wrong("takes 80 % for a share of all tokens")
def of_all(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    number = torch.rand(ids.shape)
    picked, hidden = number < 0.15, torch.rand(ids.shape) < 0.8
    return made(ids, (picked, hidden, picked & ~hidden & (number < 0.075)), mask_id, vocab_size)


@wrong("chooses 80 % where it should choose 15 %")
def too_many(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    return made(ids, fates(ids, chosen=0.8), mask_id, vocab_size)


@wrong("asks for every token", mistake="labels everywhere")
def every_label(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    return made(ids, fates(ids), mask_id, vocab_size)[0], ids.clone()


@wrong("asks for what is read, not for what was there", mistake="labels after hiding")
def late_labels(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    which = fates(ids)
    inputs, _ = made(ids, which, mask_id, vocab_size)
    return inputs, torch.where(which[0], inputs, -100)


@wrong(
    "asks for those alone that became another token or were hidden, and for none that stayed",
    mistake="chosen ones without a label",
)
def no_label_for_the_kept(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    _, hidden, other = which = fates(ids)
    inputs, _ = made(ids, which, mask_id, vocab_size)
    return inputs, torch.where(hidden | other, ids, -100)


@wrong("draws one token for all places that are exchanged", mistake="one token drawn for all", kin=True)
def single_draw(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    picked, hidden, other = fates(ids)
    inputs = ids.masked_fill(hidden, mask_id)
    return inputs.masked_fill(other, random.randrange(vocab_size)), torch.where(picked, ids, -100)


@wrong("draws from the first tenth of the vocabulary")
def first_tenth(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    return made(ids, fates(ids), mask_id, max(vocab_size // 10, 1))


@wrong("exchanges tokens that are not chosen")
def exchanges_others(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    picked, hidden, _ = fates(ids)
    other = ~picked & (torch.rand(ids.shape) < 0.015)
    return made(ids, (picked, hidden, other), mask_id, vocab_size)


@wrong("writes into the ids that it is given", mistake="its input is changed")
def in_place(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    which = fates(ids)
    inputs, labels = made(ids, which, mask_id, vocab_size)
    ids.copy_(inputs)
    return ids, labels


@wrong("keeps as many as it should, hides 70 % and exchanges 20 %", kin=True)
def more_exchanged(ids: Tensor, mask_id: int, vocab_size: int) -> Pair:
    return made(ids, fates(ids, hidden=0.7, other=0.2), mask_id, vocab_size)
