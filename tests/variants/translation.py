"""Lesson 11. Nothing here is built on the reference's functions."""

import functools
import itertools
import math
import operator
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from tests.variants import correct, disguise, unlisted

SPECIALS = ("<pad>", "<bos>", "<eos>")

# build_vocabulary, right ----------------------------------------------------------------------------


@correct("build_vocabulary")
def bv_loop(sentences: Any, specials: Any = SPECIALS) -> Any:
    found: list[str] = []
    for sentence in sentences:
        for token in sentence:
            if token not in found and token not in specials:
                found.append(token)
    found.sort()
    return dict(zip([*specials, *found], itertools.count(), strict=False))


@correct("build_vocabulary")
def bv_chain(sentences: Any, specials: Any = SPECIALS) -> Any:
    others = set(itertools.chain(*sentences)).difference(specials)
    ids = defaultdict(itertools.count().__next__)
    for token in list(specials) + sorted(others):
        ids[token]
    return ids


@correct("build_vocabulary")
def bv_counter(sentences: Any, specials: Any = SPECIALS) -> Any:
    counts = functools.reduce(operator.add, map(Counter, sentences), Counter())
    for token in specials:
        del counts[token]
    first = {token: i for i, token in enumerate(specials)}
    return first | {token: i + len(specials) for i, token in enumerate(sorted(counts))}


@correct("build_vocabulary")
def bv_rank(sentences: Any, specials: Any = SPECIALS) -> Any:
    """The id of a token is how many tokens stand before it."""
    tokens = frozenset().union(*sentences) - frozenset(specials)
    ids = {token: list(specials).index(token) for token in specials}
    ids.update({token: len(specials) + sum(other < token for other in tokens) for token in tokens})
    return ids


@correct("build_vocabulary")
def bv_two_keys(sentences: Any, specials: Any = SPECIALS) -> Any:
    place = {token: i for i, token in enumerate(specials)}
    every = {*specials, *(token for sentence in sentences for token in sentence)}
    ordered = sorted(every, key=lambda token: (place.get(token, len(place)), token))
    return {ordered[i]: i for i in range(len(ordered))}


@correct("build_vocabulary")
def bv_groupby(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {}
    for token in specials:
        ids[token] = len(ids)
    for token, _ in itertools.groupby(sorted(token for sentence in sentences for token in sentence)):
        if token not in ids:
            ids[token] = len(ids)
    return ids


# build_vocabulary, wrong ----------------------------------------------------------------------------


def others_of(sentences: Any, specials: Any) -> list[str]:
    return sorted({token for token in itertools.chain.from_iterable(sentences) if token not in specials})


@disguise("build_vocabulary", "special tokens behind the others")
def bv_behind(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = dict(map(reversed, enumerate(others_of(sentences, specials))))
    for token in specials:
        ids[token] = len(ids)
    return ids


@disguise("build_vocabulary", "ids from 1")
def bv_from_one(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids: dict[str, int] = {}
    for token in itertools.chain(specials, others_of(sentences, specials)):
        ids[token] = len(ids) + 1
    return ids


@disguise("build_vocabulary", "in order of appearance")
def bv_appearance(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {token: i for i, token in enumerate(specials)}
    for sentence in sentences:
        for token in sentence:
            if token not in ids:
                ids[token] = len(ids)
    return ids


@disguise("build_vocabulary", "in order of appearance")
def bv_setdefault(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids: dict[str, int] = {}
    for token in [*specials, *itertools.chain(*sentences)]:
        ids.setdefault(token, len(ids))
    return ids


@disguise("build_vocabulary", "by frequency")
def bv_frequency(sentences: Any, specials: Any = SPECIALS) -> Any:
    counts: Counter = Counter()
    for sentence in sentences:
        counts.update(token for token in sentence if token not in specials)
    return {token: i for i, token in enumerate(list(specials) + [one for one, _ in counts.most_common()])}


@disguise("build_vocabulary", "by frequency")
def bv_frequency_sorted(sentences: Any, specials: Any = SPECIALS) -> Any:
    counts = Counter(itertools.chain(*sentences))
    names = sorted(set(counts) - set(specials))
    names.sort(key=lambda token: counts[token], reverse=True)
    return {token: i for i, token in enumerate([*specials, *names])}


@disguise("build_vocabulary", "in the order of a set")
def bv_set_loop(sentences: Any, specials: Any = SPECIALS) -> Any:
    seen = set()
    for sentence in sentences:
        for token in sentence:
            seen.add(token)
    ids = {token: i for i, token in enumerate(specials)}
    for token in seen:
        if token not in ids:
            ids[token] = len(ids)
    return ids


@disguise("build_vocabulary", "in the order of a set")
def bv_list_of_set(sentences: Any, specials: Any = SPECIALS) -> Any:
    everything = list(specials) + list({token for one in sentences for token in one} - set(specials))
    return {token: i for i, token in enumerate(everything)}


@disguise("build_vocabulary", "characters instead of tokens")
def bv_characters(sentences: Any, specials: Any = SPECIALS) -> Any:
    signs = set("".join("".join(sentence) for sentence in sentences)) - set(specials)
    return {token: i for i, token in enumerate(list(specials) + sorted(signs))}


@disguise("build_vocabulary", "words joined")
def bv_whole(sentences: Any, specials: Any = SPECIALS) -> Any:
    texts = {" ".join(sentence) for sentence in sentences}
    return {token: i for i, token in enumerate(list(specials) + sorted(texts))}


@disguise("build_vocabulary", "a special token numbered twice")
def bv_twice(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {}
    for i, token in enumerate(list(specials) + sorted(set(itertools.chain(*sentences)))):
        ids[token] = i
    return ids


@disguise("build_vocabulary", "a special token numbered twice")
def bv_gaps(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {token: i for i, token in enumerate(specials)}
    for i, token in enumerate(sorted(set(itertools.chain(*sentences)))):
        if token not in ids:
            ids[token] = i + len(specials)
    return ids


@disguise("build_vocabulary", "special tokens sorted in with the others")
def bv_sorted_in(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate(sorted({*specials, *itertools.chain(*sentences)}))}


@disguise("build_vocabulary", "special tokens left out")
def bv_left_out(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate(others_of(sentences, specials))}


@disguise("build_vocabulary", "ids to tokens")
def bv_wrong_way(sentences: Any, specials: Any = SPECIALS) -> Any:
    ordered = [*specials, *others_of(sentences, specials)]
    return {i: ordered[i] for i in range(len(ordered))}


@disguise("build_vocabulary", "three special tokens taken for granted")
def bv_three(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {}
    for i in range(len(specials)):
        ids[specials[i]] = i
    for i, token in enumerate(others_of(sentences, specials), start=3):
        ids[token] = i
    return ids


@disguise("build_vocabulary", "made lower case")
def bv_lower(sentences: Any, specials: Any = SPECIALS) -> Any:
    low = [[token.lower() for token in sentence] for sentence in sentences]
    return {token: i for i, token in enumerate([*specials, *others_of(low, specials)])}


@unlisted("build_vocabulary")
def bv_list(sentences: Any, specials: Any = SPECIALS) -> Any:
    return [*specials, *others_of(sentences, specials)]


@unlisted("build_vocabulary")
def bv_backwards(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate([*specials, *reversed(others_of(sentences, specials))])}


@unlisted("build_vocabulary")
def bv_by_length(sentences: Any, specials: Any = SPECIALS) -> Any:
    ordered = sorted(others_of(sentences, specials), key=lambda token: (len(token), token))
    return {token: i for i, token in enumerate([*specials, *ordered])}


@unlisted("build_vocabulary")
def bv_unknown(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate([*specials, "<unk>", *others_of(sentences, specials)])}


@disguise("build_vocabulary", "special tokens sorted")
def bv_sorted_specials(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate(sorted(specials) + others_of(sentences, specials))}


@disguise("build_vocabulary", "every occurrence numbered")
def bv_repeated(sentences: Any, specials: Any = SPECIALS) -> Any:
    every = [token for token in itertools.chain.from_iterable(sentences) if token not in specials]
    return dict(zip([*specials, *sorted(every)], itertools.count(), strict=False))


@disguise("build_vocabulary", "every occurrence numbered")
def bv_repeated_first(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {special: i for i, special in enumerate(specials)}
    for i, token in enumerate(sorted(itertools.chain(*sentences)), len(ids)):
        if token not in ids:
            ids[token] = i
    return ids


@disguise("build_vocabulary", "special tokens left out")
def bv_tokens_only(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate(sorted(set(itertools.chain(*sentences))))}


@correct("build_vocabulary")
def bv_default_factory(sentences: Any, specials: Any = SPECIALS) -> Any:
    """A dict that grows by being asked."""
    ids: defaultdict = defaultdict()
    ids.default_factory = ids.__len__
    for token in [*specials, *sorted(itertools.chain(*sentences))]:
        ids[token]
    return ids


@unlisted("build_vocabulary")
def bv_without_umlauts(sentences: Any, specials: Any = SPECIALS) -> Any:
    """Sorted as in a telephone directory."""
    plain = str.maketrans("äöü", "aou")
    ordered = sorted(others_of(sentences, specials), key=lambda token: (token.translate(plain), token))
    return {token: i for i, token in enumerate([*specials, *ordered])}


@disguise("build_vocabulary", "always the same special tokens")
def bv_fixed_specials(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate([*SPECIALS, *others_of(sentences, SPECIALS)])}


@unlisted("build_vocabulary")
def bv_counts(sentences: Any, specials: Any = SPECIALS) -> Any:
    return Counter(itertools.chain(specials, *sentences))


@unlisted("build_vocabulary")
def bv_first_sentence(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate([*specials, *others_of(sentences[:1], specials)])}


# pad_batch, right ----------------------------------------------------------------------------


@correct("pad_batch")
def pb_full(sequences: Any, pad_id: int = 0) -> Any:
    if not sequences:
        raise ValueError("nothing")
    batch = torch.full((len(sequences), max(map(len, sequences))), pad_id)
    for row, ids in zip(batch, sequences, strict=True):
        row[: len(ids)] = torch.tensor(ids, dtype=torch.long)
    return batch


@correct("pad_batch")
def pb_longest(sequences: Any, pad_id: int = 0) -> Any:
    if len(sequences) < 1:
        raise ValueError("nothing")
    columns = itertools.zip_longest(*sequences, fillvalue=pad_id)
    return torch.tensor(list(zip(*columns, strict=True)))


@correct("pad_batch")
def pb_library(sequences: Any, pad_id: int = 0) -> Any:
    if not len(sequences):
        raise ValueError("nothing")
    return pad_sequence([torch.LongTensor(ids) for ids in sequences], batch_first=True, padding_value=pad_id)


@correct("pad_batch")
def pb_functional(sequences: Any, pad_id: int = 0) -> Any:
    lengths = [len(ids) for ids in sequences]
    if not lengths:
        raise ValueError("nothing")
    rows = [
        F.pad(torch.tensor(ids, dtype=torch.int64), (0, max(lengths) - len(ids)), value=pad_id) for ids in sequences
    ]
    return torch.stack(rows)


@correct("pad_batch")
def pb_copies(sequences: Any, pad_id: int = 0) -> Any:
    rows = [list(ids) for ids in sequences]
    if not rows:
        raise ValueError("nothing")
    while min(map(len, rows)) < max(map(len, rows)):
        min(rows, key=len).append(pad_id)
    return torch.tensor(rows)


@correct("pad_batch")
def pb_numpy(sequences: Any, pad_id: int = 0) -> Any:
    if not sequences:
        raise ValueError("nothing")
    longest = max(len(ids) for ids in sequences)
    flat = np.concatenate(
        [np.r_[np.array(ids, np.int64), np.full(longest - len(ids), pad_id, np.int64)] for ids in sequences]
    )
    return torch.from_numpy(flat.reshape(len(sequences), longest))


@correct("pad_batch")
def pb_scatter(sequences: Any, pad_id: int = 0) -> Any:
    """A mask of real places, filled in one go."""
    if not sequences:
        raise ValueError("nothing")
    lengths = torch.tensor([len(ids) for ids in sequences])
    real = torch.arange(int(lengths.max())) < lengths[:, None]
    batch = torch.full(real.shape, pad_id)
    batch[real] = torch.tensor([one for ids in sequences for one in ids])
    return batch


# pad_batch, wrong ----------------------------------------------------------------------------


def checked(sequences: Any) -> Any:
    if not len(sequences):
        raise ValueError("nothing")
    return sequences


@disguise("pad_batch", "padding in front")
def pb_front(sequences: Any, pad_id: int = 0) -> Any:
    turned = [torch.tensor(list(reversed(ids)), dtype=torch.long) for ids in checked(sequences)]
    return pad_sequence(turned, batch_first=True, padding_value=pad_id).flip(1)


@disguise("pad_batch", "padding in front")
def pb_front_full(sequences: Any, pad_id: int = 0) -> Any:
    longest = max(map(len, checked(sequences)))
    batch = torch.full((len(sequences), longest), pad_id)
    for i, ids in enumerate(sequences):
        batch[i, longest - len(ids) :] = torch.tensor(ids, dtype=torch.long)
    return batch


@disguise("pad_batch", "filled up with 0")
def pb_zero(sequences: Any, pad_id: int = 0) -> Any:
    batch = torch.zeros(len(checked(sequences)), max(map(len, sequences)), dtype=torch.long)
    for i, ids in enumerate(sequences):
        batch[i, : len(ids)] = torch.tensor(ids, dtype=torch.long)
    return batch


@disguise("pad_batch", "filled up with 0")
def pb_library_zero(sequences: Any, pad_id: int = 0) -> Any:
    return pad_sequence([torch.tensor(ids, dtype=torch.long) for ids in checked(sequences)], batch_first=True)


@disguise("pad_batch", "cut to the shortest")
def pb_short(sequences: Any, pad_id: int = 0) -> Any:
    return torch.tensor(list(zip(*zip(*checked(sequences)), strict=True)) or [[] for _ in sequences])  # noqa: B905


@disguise("pad_batch", "a column too many")
def pb_wide(sequences: Any, pad_id: int = 0) -> Any:
    return F.pad(pb_longest(checked(sequences), pad_id), (0, 1), value=pad_id)


@disguise("pad_batch", "sequences as columns")
def pb_columns(sequences: Any, pad_id: int = 0) -> Any:
    return pad_sequence([torch.tensor(ids, dtype=torch.long) for ids in checked(sequences)], padding_value=pad_id)


@disguise("pad_batch", "ids as floats")
def pb_float(sequences: Any, pad_id: int = 0) -> Any:
    batch = torch.ones(len(checked(sequences)), max(map(len, sequences))) * pad_id
    for i, ids in enumerate(sequences):
        batch[i, : len(ids)] = torch.tensor(ids)
    return batch


@disguise("pad_batch", "no tensor")
def pb_lists(sequences: Any, pad_id: int = 0) -> Any:
    longest = max(map(len, checked(sequences)))
    return [list(ids) + [pad_id] * (longest - len(ids)) for ids in sequences]


@disguise("pad_batch", "the given lists filled up")
def pb_in_place(sequences: Any, pad_id: int = 0) -> Any:
    longest = max(map(len, checked(sequences)))
    for ids in sequences:
        while len(ids) < longest:
            ids.append(pad_id)
    return torch.LongTensor(sequences)


@disguise("pad_batch", "the given lists filled up")
def pb_plus_equals(sequences: Any, pad_id: int = 0) -> Any:
    longest, rows = max(map(len, checked(sequences))), []
    for ids in sequences:
        ids += (longest - len(ids)) * [pad_id]
        rows.append(torch.tensor(ids, dtype=torch.long))
    return torch.stack(rows)


@disguise("pad_batch", "filled up with 0 + ids as floats")
def pb_zeros(sequences: Any, pad_id: int = 0) -> Any:
    batch = torch.zeros(len(checked(sequences)), max(map(len, sequences)))
    for i, ids in enumerate(sequences):
        batch[i, : len(ids)] = torch.tensor(ids)
    return batch


@disguise("pad_batch", "sorted by length")
def pb_sorted(sequences: Any, pad_id: int = 0) -> Any:
    return pb_longest(sorted(checked(sequences), key=lambda ids: -len(ids)), pad_id)


@disguise("pad_batch", "cut to the shortest")
def pb_zipped(sequences: Any, pad_id: int = 0) -> Any:
    return torch.tensor([list(row) for row in zip(*zip(*checked(sequences), strict=False), strict=False)])


@disguise("pad_batch", "no tensor")
def pb_rows_apart(sequences: Any, pad_id: int = 0) -> Any:
    width = max(map(len, checked(sequences)))
    return [torch.tensor(list(ids) + [pad_id] * (width - len(ids))) for ids in sequences]


@disguise("pad_batch", "padding in front + filled up with 0")
def pb_zeros_in_front(sequences: Any, pad_id: int = 0) -> Any:
    width = max(map(len, checked(sequences)))
    return torch.tensor([[0] * (width - len(ids)) + list(ids) for ids in sequences])


@unlisted("pad_batch")
def pb_zeros_replaced(sequences: Any, pad_id: int = 0) -> Any:
    """An id of 0 is taken for padding."""
    width = max(map(len, checked(sequences)))
    batch = torch.tensor([list(ids) + [0] * (width - len(ids)) for ids in sequences])
    return batch.masked_fill(batch == 0, pad_id)


@unlisted("pad_batch")
def pb_padding_taken_out(sequences: Any, pad_id: int = 0) -> Any:
    kept = [[one for one in ids if one != pad_id] for ids in checked(sequences)]
    width = max(map(len, kept))
    return torch.tensor([ids + [pad_id] * (width - len(ids)) for ids in kept])


@unlisted("pad_batch")
def pb_small_ids(sequences: Any, pad_id: int = 0) -> Any:
    width = max(map(len, checked(sequences)))
    return torch.tensor([list(ids) + [pad_id] * (width - len(ids)) for ids in sequences]).to(torch.int8)


@unlisted("pad_batch")
def pb_squeezed(sequences: Any, pad_id: int = 0) -> Any:
    width = max(map(len, checked(sequences)))
    return torch.tensor([list(ids) + [pad_id] * (width - len(ids)) for ids in sequences]).squeeze(-1)


@unlisted("pad_batch")
def pb_ragged(sequences: Any, pad_id: int = 0) -> Any:
    return torch.tensor(checked(sequences))


@unlisted("pad_batch")
def pb_twenty(sequences: Any, pad_id: int = 0) -> Any:
    return F.pad(pb_longest(checked(sequences), pad_id), (0, 20), value=pad_id)[:, :20]


@unlisted("pad_batch")
def pb_repeats(sequences: Any, pad_id: int = 0) -> Any:
    longest = max(map(len, checked(sequences)))
    return torch.tensor([[*ids, *[ids[-1] if ids else pad_id] * (longest - len(ids))] for ids in sequences])


@unlisted("pad_batch")
def pb_first(sequences: Any, pad_id: int = 0) -> Any:
    longest = len(checked(sequences)[0])
    return torch.tensor([[*ids, *[pad_id] * (longest - len(ids))] for ids in sequences])


@unlisted("pad_batch")
def pb_flat(sequences: Any, pad_id: int = 0) -> Any:
    return torch.tensor([one for ids in checked(sequences) for one in [*ids, pad_id]])


@unlisted("pad_batch")
def pb_pair(sequences: Any, pad_id: int = 0) -> Any:
    batch = pb_longest(checked(sequences), pad_id)
    return batch, batch != pad_id


@unlisted("pad_batch")
def pb_mask(sequences: Any, pad_id: int = 0) -> Any:
    return pb_longest(checked(sequences), pad_id) != pad_id


# exact_match, right ----------------------------------------------------------------------------


def refused(outputs: Tensor, targets: Tensor) -> None:
    if outputs.size(0) != targets.size(0):
        raise ValueError("not as many")


def upto(ids: list[int], eos_id: int) -> list[int]:
    """Up to and with the first end."""
    return [*itertools.takewhile(lambda one: one != eos_id, ids), *[eos_id] * (eos_id in ids)]


@correct("exact_match")
def em_both_cut(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor([upto(one, eos_id) == upto(other, eos_id) for one, other in pairs])


@correct("exact_match")
def em_vectors(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    width = max(outputs.size(1), targets.size(1))
    one = F.pad(outputs, (0, width - outputs.size(1)), value=-1)
    other = F.pad(targets, (0, width - targets.size(1)), value=-2)
    end = (other == eos_id).int().argmax(1, keepdim=True)  # the first
    return ((one == other) | (torch.arange(width) > end)).all(1)


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


@correct("exact_match")
def em_texts(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)

    def text(ids: Tensor) -> str:
        before, end, _ = f" {' '.join(map(str, ids.tolist()))} ".partition(f" {eos_id} ")
        return before + end

    return torch.tensor([text(one) == text(other) for one, other in zip(outputs, targets, strict=True)])


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


@correct("exact_match")
def em_numpy(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    found = np.zeros(len(targets), dtype=bool)
    for i, (one, other) in enumerate(zip(outputs.numpy(), targets.numpy(), strict=True)):
        length = int(np.flatnonzero(other == eos_id)[0]) + 1
        found[i] = np.array_equal(one[:length], other[:length])
    return torch.from_numpy(found)


# exact_match, wrong ----------------------------------------------------------------------------


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


@disguise("exact_match", "what stands behind the end counts")
def em_lists(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    return torch.tensor(list(map(operator.eq, outputs.tolist(), targets.tolist())))


@disguise("exact_match", "compared up to the shorter one")
def em_shorter(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    width = min(outputs.size(1), targets.size(1))
    one, other = outputs[:, :width], targets[:, :width]
    ended = (other == eos_id).cumsum(1) - (other == eos_id).long()
    return ((one == other) | (ended > 0)).all(1)


@disguise("exact_match", "compared up to the shorter one")
def em_same_width(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    width = min(outputs.size(1), targets.size(1))
    return (outputs[:, :width] == targets[:, :width]).all(1)


@disguise("exact_match", "padding in the output counts as right")
def em_padding(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    found = []
    for one, other in zip(outputs.tolist(), targets.tolist(), strict=True):
        other = other[: other.index(eos_id) + 1]
        one = (one + [0] * len(other))[: len(other)]
        found.append(not any(a and a != b for a, b in zip(one, other, strict=True)))
    return torch.tensor(found)


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


@disguise("exact_match", "one answer for the whole batch")
def em_mean(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return em_states(outputs, targets, eos_id).float().mean().item()


@disguise("exact_match", "one answer for the whole batch")
def em_mean_tensor(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return em_states(outputs, targets, eos_id).float().mean()


@disguise("exact_match", "in any order")
def em_order(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor([Counter(upto(one, eos_id)) == Counter(upto(other, eos_id)) for one, other in pairs])


@disguise("exact_match", "cut at the last end")
def em_last(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    found = []
    for one, other in zip(outputs.tolist(), targets.tolist(), strict=True):
        length = 1 + max(i for i, token in enumerate(other) if token == eos_id)
        found.append(len(one) >= length and one[:length] == other[:length])
    return torch.tensor(found)


@unlisted("exact_match")
def em_lengths(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor([len(upto(one, eos_id)) == len(upto(other, eos_id)) for one, other in pairs])


@unlisted("exact_match")
def em_first(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    return outputs[:, 0] == targets[:, 0]


@unlisted("exact_match")
def em_list_back(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return em_states(outputs, targets, eos_id).tolist()


@unlisted("exact_match")
def em_numbers(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return em_states(outputs, targets, eos_id).float()


@unlisted("exact_match")
def em_wrong_ones(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return ~em_states(outputs, targets, eos_id)


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


@unlisted("exact_match")
def em_without_padding(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    """Padding is taken out of the outputs, wherever it stands."""
    refused(outputs, targets)
    pairs = [
        [[one for one in ids if one] for ids in both] for both in zip(outputs.tolist(), targets.tolist(), strict=True)
    ]
    return torch.tensor([eos_id in one and upto(one, eos_id) == upto(other, eos_id) for one, other in pairs])


@unlisted("exact_match")
def em_a_single_end(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor([one.count(eos_id) == 1 and upto(one, eos_id) == upto(other, eos_id) for one, other in pairs])


@unlisted("exact_match")
def em_two(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    refused(outputs, targets)
    pairs = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor([upto(one, 2) == upto(other, 2) for one, other in pairs])


@unlisted("exact_match")
def em_no_refusal(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    pairs = zip(outputs.tolist(), targets.tolist(), strict=False)
    return torch.tensor([upto(one, eos_id) == upto(other, eos_id) for one, other in pairs])


@unlisted("exact_match")
def em_mostly(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return em_share(outputs, targets, eos_id) > 0.7


# alignment_share, right ----------------------------------------------------------------------------


def needed(wanted: Tensor) -> None:
    if not bool((wanted > -1).any()):
        raise ValueError("nothing")


@correct("alignment_share")
def as_loop(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    hits = total = 0
    for matrix, places in zip(weights.sum(1).tolist(), wanted.tolist(), strict=True):
        for row, place in zip(matrix, places, strict=True):
            if place >= 0:
                total += 1
                hits += row.index(max(row)) == place
    return hits / total


@correct("alignment_share")
def as_einsum(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    together = torch.einsum("bhts->bts", weights)
    real = wanted != -1
    return (torch.topk(together, 1).indices.squeeze(-1).eq(wanted) & real).sum().item() / real.sum().item()


@correct("alignment_share")
def as_one_hot(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    mean = sum(weights.unbind(1)) / weights.size(1)
    on_it = F.one_hot(mean.argmax(-1), mean.size(-1)).gather(-1, wanted.clamp(min=0)[..., None])[..., 0]
    return float(on_it[wanted >= 0].double().mean())


@correct("alignment_share")
def as_largest_value(weights: Tensor, wanted: Tensor) -> Any:
    """The weight at the wanted place is the largest of its row."""
    needed(wanted)
    mean = weights.mean(1)
    there = mean.gather(-1, wanted.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    hit = there >= mean.amax(-1)
    return (hit & (wanted >= 0)).sum().div((wanted >= 0).sum()).item()


@correct("alignment_share")
def as_nan(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    hits = (weights.permute(0, 2, 3, 1).mean(-1).max(-1)[1] == wanted).double()
    return torch.nanmean(hits.masked_fill(wanted < 0, float("nan"))).item()


@correct("alignment_share")
def as_numpy(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    places, real = weights.numpy().mean(1).argmax(-1), wanted.numpy() >= 0
    return float(np.mean(places[real] == wanted.numpy()[real]))


# alignment_share, wrong ----------------------------------------------------------------------------


def hits_of(largest: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    real = wanted >= 0
    return ((largest == wanted) & real).sum().item() / real.sum().item()


@disguise("alignment_share", "every head by itself")
def as_heads(weights: Tensor, wanted: Tensor) -> Any:
    shares = [hits_of(head.argmax(-1), wanted) for head in weights.unbind(1)]
    return sum(shares) / len(shares)


@disguise("alignment_share", "one head is enough")
def as_any(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    hit = functools.reduce(operator.or_, (head.argmax(-1) == wanted for head in weights.unbind(1)))
    return hit[wanted >= 0].double().mean().item()


@disguise("alignment_share", "the surest head decides")
def as_sure(weights: Tensor, wanted: Tensor) -> Any:
    return hits_of(weights.max(dim=1).values.max(dim=-1).indices, wanted)


@disguise("alignment_share", "the first head only")
def as_first(weights: Tensor, wanted: Tensor) -> Any:
    return hits_of(weights.select(1, 0).topk(1).indices[..., 0], wanted)


@disguise("alignment_share", "the largest over the target")
def as_target(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    largest = weights.mean(1).transpose(1, 2).argmax(-1)
    return largest.eq(wanted)[wanted >= 0].double().mean().item()


@disguise("alignment_share", "tokens without a source count")
def as_all(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    hits = weights.mean(1).argmax(-1) == wanted
    return hits.sum().item() / hits.numel()


@disguise("alignment_share", "the mean of sentences")
def as_sentences(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    largest = weights.mean(1).argmax(-1)
    shares = [(a[b >= 0] == b[b >= 0]).float().mean() for a, b in zip(largest, wanted, strict=True)]
    return torch.stack(shares).mean().item()


@disguise("alignment_share", "place 0 does not count")
def as_not_zero(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    real = wanted.clamp(min=0).bool()
    return (weights.sum(1).argmax(-1)[real] == wanted[real]).double().mean().item()


@disguise("alignment_share", "the weight and not the share")
def as_soft(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    mean, real = weights.mean(1), wanted >= 0
    one_hot = F.one_hot(wanted.clamp(min=0), mean.size(-1))
    return ((mean * one_hot).sum(-1) * real).sum().item() / real.sum().item()


@disguise("alignment_share", "the row of the next token")
def as_next(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    largest = weights.mean(1).argmax(-1)
    pairs = [(a, b) for row, places in zip(largest, wanted, strict=True) for a, b in zip(row[1:], places, strict=False)]
    kept = [(a == b).item() for a, b in pairs if b >= 0]
    return sum(kept) / len(kept) if kept else math.nan


@disguise("alignment_share", "the row of the token before")
def as_before(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    largest = weights.mean(1).argmax(-1)
    pairs = [(a, b) for row, places in zip(largest, wanted, strict=True) for a, b in zip(row, places[1:], strict=False)]
    kept = [(a == b).item() for a, b in pairs if b >= 0]
    return sum(kept) / len(kept) if kept else math.nan


@disguise("alignment_share", "in per cent")
def as_percent(weights: Tensor, wanted: Tensor) -> Any:
    return 100 * hits_of(weights.sum(1).argmax(-1), wanted)


@unlisted("alignment_share")
def as_tensor(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    return (weights.mean(1).argmax(-1) == wanted)[wanted >= 0]


@unlisted("alignment_share")
def as_count(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    return (weights.mean(1).argmax(-1) == wanted).sum().item()


@unlisted("alignment_share")
def as_smallest(weights: Tensor, wanted: Tensor) -> Any:
    return hits_of(weights.mean(1).argmin(-1), wanted)


@unlisted("alignment_share")
def as_misses(weights: Tensor, wanted: Tensor) -> Any:
    return 1 - hits_of(weights.mean(1).argmax(-1), wanted)


@unlisted("alignment_share")
def as_near(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    off = (weights.mean(1).argmax(-1) - wanted).abs()[wanted >= 0]
    return (off <= 1).double().mean().item()


@unlisted("alignment_share")
def as_last_head(weights: Tensor, wanted: Tensor) -> Any:
    return hits_of(weights[:, -1].argmax(-1), wanted)


@unlisted("alignment_share")
def as_half(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    there = weights.mean(1).gather(-1, wanted.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return (there > 0.5)[wanted >= 0].double().mean().item()


# corpus_bleu, right ----------------------------------------------------------------------------


def grams(tokens: Any, n: int) -> Counter:
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def fits(outputs: Any, references: Any) -> None:
    if not outputs or len(outputs) != len(references):
        raise ValueError("not as many")


@correct("corpus_bleu")
def cb_product(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    value = 1.0
    for n in range(1, max_n + 1):
        hit = total = 0
        for one, other in zip(outputs, references, strict=True):
            mine, theirs = grams(one, n), grams(other, n)
            hit += sum(min(count, theirs[gram]) for gram, count in mine.items())
            total += max(0, len(one) - n + 1)
        value *= hit / total if total else 0.0
    written, right = sum(len(one) for one in outputs), sum(len(one) for one in references)
    if not written:
        return 0.0
    shortness = 1.0 if written >= right else math.e ** (1 - right / written)
    return shortness * value ** (1 / max_n) * 100


@correct("corpus_bleu")
def cb_arrays(outputs: Any, references: Any, max_n: int = 4) -> Any:
    """Matches and totals of all lengths at once."""
    fits(outputs, references)
    table = np.zeros((2, max_n))
    for one, other in zip(outputs, references, strict=True):
        for n in range(max_n):
            left = list(grams(other, n + 1).elements())
            for gram in grams(one, n + 1).elements():
                table[1, n] += 1
                if gram in left:
                    left.remove(gram)
                    table[0, n] += 1
    if (table[0] == 0).any():
        return 0.0
    lengths = sum(map(len, outputs)), sum(map(len, references))
    shortness = math.exp(min(0.0, 1 - lengths[1] / lengths[0]))
    return float(100 * shortness * np.exp(np.log(table[0] / table[1]).mean()))


@correct("corpus_bleu")
def cb_library(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize="none", smooth_method="none", max_ngram_order=max_n, force=True)
    return metric.corpus_score([" ".join(one) for one in outputs], [[" ".join(one) for one in references]]).score


@correct("corpus_bleu")
def cb_tagged(outputs: Any, references: Any, max_n: int = 4) -> Any:
    """N-grams carry the number of their sentence, so that one Counter holds the whole corpus."""
    fits(outputs, references)

    def every(side: Any, n: int) -> Counter:
        return Counter(
            (i, *sentence[j : j + n]) for i, sentence in enumerate(side) for j in range(len(sentence) - n + 1)
        )

    precisions = []
    for n in range(1, max_n + 1):
        mine, theirs = every(outputs, n), every(references, n)
        precisions.append(sum((mine & theirs).values()) / max(1, sum(mine.values())))
    if not all(precisions):
        return 0.0
    ratio = sum(map(len, references)) / sum(map(len, outputs))
    return 100 * math.prod(precisions) ** (1 / max_n) * (math.exp(1 - ratio) if ratio > 1 else 1)


@correct("corpus_bleu")
def cb_torch(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    hits, totals = torch.zeros(max_n), torch.zeros(max_n)
    for one, other in zip(outputs, references, strict=True):
        for n in range(1, max_n + 1):
            mine = grams(one, n)
            hits[n - 1] += sum((mine & grams(other, n)).values())
            totals[n - 1] += sum(mine.values())
    if bool((hits == 0).any()):
        return 0.0
    written, right = sum(map(len, outputs)), sum(map(len, references))
    return (100 * min(1, math.exp(1 - right / written)) * (hits / totals).log().mean().exp()).item()


# corpus_bleu, wrong ----------------------------------------------------------------------------


def bleu(outputs: Any, references: Any, max_n: int = 4, **other: Any) -> Any:
    """BLEU with parts that can be exchanged."""
    fits(outputs, references)
    count = other.get("count", lambda one, ref: (sum((one & ref).values()), sum(one.values())))
    precisions = []
    for n in other.get("orders", lambda most: range(1, most + 1))(max_n):
        both = [count(grams(one, n), grams(ref, n)) for one, ref in zip(outputs, references, strict=True)]
        hits, total = sum(a for a, _ in both), sum(b for _, b in both)
        precisions.append(hits / total if total else 0.0)
    if 0 in precisions:
        return 0.0
    written, right = sum(map(len, outputs)), sum(map(len, references))
    brief = other.get("brief", lambda o, r: 1.0 if o >= r else math.exp(1 - r / o))(written, right)
    mean = other.get("mean", lambda shares: math.prod(shares) ** (1 / len(shares)))(precisions)
    return other.get("scale", 100) * brief * mean


@disguise("corpus_bleu", "every occurrence counts")
def cb_unclipped(outputs: Any, references: Any, max_n: int = 4) -> Any:
    def count(one: Counter, ref: Counter) -> Any:
        written = list(one.elements())
        return len([gram for gram in written if ref[gram]]), len(written)

    return bleu(outputs, references, max_n, count=count)


@disguise("corpus_bleu", "every n-gram counts once")
def cb_sets(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, count=lambda one, ref: (len(set(one) & set(ref)), len(set(one))))


@disguise("corpus_bleu", "every n-gram counts once")
def cb_set_total(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, count=lambda one, ref: (sum((one & ref).values()), len(one.keys())))


@disguise("corpus_bleu", "always divided by 4")
def cb_fourth_root(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: math.prod(shares) ** 0.25)


@disguise("corpus_bleu", "max_n not used")
def cb_up_to_four(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, orders=lambda most: (1, 2, 3, 4))


@disguise("corpus_bleu", "a logarithm of another base")
def cb_log10(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: math.e ** (math.log10(math.prod(shares)) / max_n))


@disguise("corpus_bleu", "a logarithm of another base")
def cb_log2(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: math.e ** (math.log2(math.prod(shares)) / max_n))


def shares_of(outputs: Any, references: Any, max_n: int) -> list[float]:
    """The precisions, 0 where there is nothing to divide by."""
    fits(outputs, references)
    shares = []
    for n in range(1, max_n + 1):
        both = [(grams(one, n), grams(ref, n)) for one, ref in zip(outputs, references, strict=True)]
        total = sum(sum(one.values()) for one, _ in both)
        shares.append(sum(sum((one & ref).values()) for one, ref in both) / (total or 1))
    return shares


def brief_of(outputs: Any, references: Any) -> float:
    written, right = len([*itertools.chain(*outputs)]), len([*itertools.chain(*references)])
    return 1.0 if written >= right else math.exp(1 - right / written) if written else 0.0


@disguise("corpus_bleu", "lengths without a match left out")
def cb_skips(outputs: Any, references: Any, max_n: int = 4) -> Any:
    shares = [one for one in shares_of(outputs, references, max_n) if one]
    return 100 * brief_of(outputs, references) * math.prod(shares) ** (1 / max(1, len(shares)))


@disguise("corpus_bleu", "the arithmetic mean")
def cb_arithmetic_zeros(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return 100 * brief_of(outputs, references) * sum(shares_of(outputs, references, max_n)) / max_n


@disguise("corpus_bleu", "brevity the wrong way round")
def cb_sign(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, brief=lambda o, r: min(1.0, math.exp(r / o - 1)))


@disguise("corpus_bleu", "no brevity + from 0 to 1")
def cb_bare(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, brief=lambda o, r: 1, scale=1)


@unlisted("corpus_bleu")
def cb_any_case(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(*([[one.lower() for one in tokens] for tokens in side] for side in (outputs, references)), max_n)


@disguise("corpus_bleu", "no brevity")
def cb_no_brevity(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, brief=lambda o, r: 1)


@disguise("corpus_bleu", "brevity the wrong way round")
def cb_turned(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, brief=lambda o, r: 1 if r > o else math.exp(1 - o / r))


@disguise("corpus_bleu", "brevity above 1")
def cb_uncapped(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, brief=lambda o, r: math.exp((o - r) / o))


@disguise("corpus_bleu", "brevity as a ratio")
def cb_ratio(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, brief=lambda o, r: o / r if o < r else 1.0)


@disguise("corpus_bleu", "the arithmetic mean")
def cb_arithmetic(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: sum(shares) / len(shares))


@disguise("corpus_bleu", "the product of the precisions")
def cb_no_root(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=math.prod)


@disguise("corpus_bleu", "from 0 to 1")
def cb_to_one(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, scale=1)


@disguise("corpus_bleu", "recall instead of precision")
def cb_recall(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, count=lambda one, ref: (sum((one & ref).values()), sum(ref.values())))


@disguise("corpus_bleu", "the mean of sentences")
def cb_sentences(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    return float(np.mean([bleu([one], [ref], max_n) for one, ref in zip(outputs, references, strict=True)]))


@disguise("corpus_bleu", "the mean of the sentences' precisions")
def cb_precisions(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    means = []
    for n in range(1, max_n + 1):
        shares = []
        for one, ref in zip(outputs, references, strict=True):
            mine = grams(one, n)
            shares.append(sum((mine & grams(ref, n)).values()) / sum(mine.values()) if mine else 0.0)
        means.append(sum(shares) / len(shares))
    if not all(means):
        return 0.0
    written, right = sum(map(len, outputs)), sum(map(len, references))
    return 100 * min(1.0, math.exp(1 - right / written)) * math.prod(means) ** (1 / max_n)


@disguise("corpus_bleu", "n-grams across sentences")
def cb_joined(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    return bleu([[*itertools.chain(*outputs)]], [[*itertools.chain(*references)]], max_n)


@disguise("corpus_bleu", "looked for in all references")
def cb_pooled(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    value = 0.0
    for n in range(1, max_n + 1):
        mine, theirs = Counter(), Counter()
        for one, ref in zip(outputs, references, strict=True):
            mine.update(grams(one, n))
            theirs.update(grams(ref, n))
        hits = sum(min(count, theirs[gram]) for gram, count in mine.items())
        if not hits:
            return 0.0
        value += math.log(hits / sum(mine.values())) / max_n
    written, right = sum(map(len, outputs)), sum(map(len, references))
    return 100 * math.exp(value + min(0, 1 - right / written))


@disguise("corpus_bleu", "the longest n-grams only")
def cb_longest(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, orders=lambda most: [most])


@disguise("corpus_bleu", "one length too few")
def cb_one_short(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    return bleu(
        outputs, references, max_n, orders=lambda most: range(1, most), mean=lambda s: math.prod(s) ** (1 / max_n)
    )


@disguise("corpus_bleu", "one length too few")
def cb_one_short_mean(outputs: Any, references: Any, max_n: int = 4) -> Any:
    def mean(shares: Any) -> float:
        return math.prod(shares) ** (1 / len(shares)) if shares else 1.0

    return bleu(outputs, references, max_n, orders=lambda most: range(1, most), mean=mean)


@disguise("corpus_bleu", "smoothed")
def cb_smoothed(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    value = 1.0
    for n in range(1, max_n + 1):
        both = [(grams(one, n), grams(ref, n)) for one, ref in zip(outputs, references, strict=True)]
        hits, total = sum(sum((a & b).values()) for a, b in both), sum(sum(a.values()) for a, _ in both)
        if not hits:
            return 0.0
        value *= hits / total if n == 1 else (hits + 1) / (total + 1)
    written, right = sum(map(len, outputs)), sum(map(len, references))
    return 100 * min(1.0, math.exp(1 - right / written)) * value ** (1 / max_n)


@disguise("corpus_bleu", "outputs and references exchanged")
def cb_exchanged(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(references, outputs, max_n)


@disguise("corpus_bleu", "brevity sentence by sentence")
def cb_brevity_each(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    each = []
    for one, ref in zip(outputs, references, strict=True):
        each.append(1.0 if len(one) >= len(ref) else math.exp(1 - len(ref) / len(one)) if one else 0.0)
    return bleu(outputs, references, max_n, brief=lambda o, r: sum(each) / len(each))


@unlisted("corpus_bleu")
def cb_one_gram(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, 1)


@unlisted("corpus_bleu")
def cb_exact(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    return 100 * sum(map(operator.eq, map(list, outputs), map(list, references))) / len(outputs)


@unlisted("corpus_bleu")
def cb_characters(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    return bleu([" ".join(one) for one in outputs], [" ".join(one) for one in references], max_n)


@unlisted("corpus_bleu")
def cb_harmonic(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: len(shares) / sum(1 / one for one in shares))


@unlisted("corpus_bleu")
def cb_brevity_only(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: 1.0)


@unlisted("corpus_bleu")
def cb_weighted(outputs: Any, references: Any, max_n: int = 4) -> Any:
    def mean(shares: Any) -> float:
        total = sum(range(1, len(shares) + 1))
        return math.exp(sum(n / total * math.log(one) for n, one in enumerate(shares, 1)))

    return bleu(outputs, references, max_n, mean=mean)


@unlisted("corpus_bleu")
def cb_text(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return f"{bleu(outputs, references, max_n):.1f}"
