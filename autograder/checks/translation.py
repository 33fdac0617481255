"""Checks of lesson 12: a vocabulary, a padded batch, whole translations, alignment, BLEU, and a repair."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise


def in_drawn_order(draw: Draw, name: str, things: Sequence[Any]) -> list[Any]:
    """All of them, shuffled."""
    keys = draw.integers(name, len(things), high=2**40).tolist()
    return [thing for _, thing in sorted(zip(keys, things, strict=True), key=lambda pair: pair[0])]


# build_vocabulary ----------------------------------------------------------------------------

build_vocabulary = Exercise(
    "build_vocabulary",
    points=1,
    hints=(
        "There are three steps: find the different tokens, put them in order, and number them. A set, `sorted` and `enumerate` do one step each.",
        "```python\n"
        "tokens = ...   # a set: every token of every sentence, once\n"
        "ordered = ...  # the special ones, then the others, sorted\n"
        "return {...}   # token: place\n"
        "```",
        "Two loops make the set: `{token for sentence in sentences for token in sentence}`. `tokens - set(specials)` are the others, and `enumerate(ordered)` "
        "gives pairs of place and token.",
    ),
    traps={
        "TypeError: unhashable type: 'list'": "a sentence is a list, and lists cannot be in a set or be keys. Go one loop deeper, to its tokens.",
        "TypeError: can only concatenate list (not ...": "`[...] + other` needs a list on both sides, and `specials` may be a tuple. `[*specials, "
        "*others]` takes both.",
        "TypeError: can only concatenate tuple (not ...": "`specials` is a tuple, and `+` needs a tuple on both sides. `[*specials, *others]` takes any kind.",
        "TypeError: unsupported operand type(s) for -: 'set' and 'tuple'": "sets are subtracted from sets: `tokens - set(specials)`.",
        "TypeError: Value after * must be an iterable, not NoneType": "something is None: `.sort()` puts a list in order where it stands and gives nothing back. `sorted` gives a new list.",
        "AttributeError: 'list' object has no attribute 'split'": "the sentences are cut into tokens already.",
    },
)

WORDS = [
    "one",
    "two",
    "ten",
    "and",
    "forty",
    "seven",
    "thousand",
    "hundred",
    "nine",
    "zero",
    "six",
    "Twenty",
    "elf",
    "zwölf",
]


def drawn_sentences(draw: Draw, name: str, count: int, pool: Sequence[str]) -> list[list[str]]:
    """Sentences of two to six drawn tokens."""
    lengths = draw.integers(f"{name} lengths", count, low=2, high=7).tolist()
    drawn = [draw.integers(f"{name} {i}", length, high=len(pool)).tolist() for i, length in enumerate(lengths)]
    return [[pool[i] for i in sentence] for sentence in drawn]


@build_vocabulary.probe("numbers the special tokens first and all others in sorted order")
def drawn_vocabulary(build_vocabulary: Callable, draw: Draw) -> Any:
    some = [["two", "hundred", "and", "forty", "two"], ["seven"], ["zero"], ["<unk>", "fünf", "funk"]]
    return build_vocabulary(some + drawn_sentences(draw, "sentences", 6, WORDS))


@build_vocabulary.probe("takes whatever special tokens it is given")
def other_specials(build_vocabulary: Callable, draw: Draw) -> Any:
    specials = in_drawn_order(draw, "specials", ["[start]", "[end]", "[mask]", "zzz"])
    return build_vocabulary(drawn_sentences(draw, "sentences", 7, WORDS), specials)


@build_vocabulary.probe("gives a special token that stands in a sentence one id, its own")
def special_in_sentence(build_vocabulary: Callable, draw: Draw) -> Any:
    sentences = [["<bos>", *one, "<eos>"] for one in drawn_sentences(draw, "sentences", 6, WORDS)]
    return [build_vocabulary(sentences), build_vocabulary(sentences, ["<eos>", "<pad>", "zzz", "<bos>"])]


@build_vocabulary.probe("makes no difference between sentences in one order and in another", rung="invariants")
def sentences_in_any_order(build_vocabulary: Callable, draw: Draw) -> Any:
    sentences = drawn_sentences(draw, "sentences", 7, WORDS)
    return [build_vocabulary(sentences), build_vocabulary(in_drawn_order(draw, "order", sentences)), sentences]


@build_vocabulary.probe("gives ids of which torch makes token ids", rung="edges")
def ids_in_a_tensor(build_vocabulary: Callable, draw: Draw) -> Any:
    return torch.tensor(sorted(build_vocabulary(drawn_sentences(draw, "sentences", 3, WORDS)).values()))


@build_vocabulary.probe("works for no sentence, for an empty one, and without special tokens", rung="edges")
def little_to_number(build_vocabulary: Callable, draw: Draw) -> Any:
    return {
        "no sentence": build_vocabulary([]),
        "an empty sentence": build_vocabulary([[], ["b", "a "], []]),
        "no special tokens": build_vocabulary(drawn_sentences(draw, "sentences", 2, WORDS), []),
    }


# pad_batch ----------------------------------------------------------------------------

pad_batch = Exercise(
    "pad_batch",
    points=1,
    hints=(
        "`torch.tensor` makes a tensor of a list of lists, if all of them have one length. So give them one.",
        "```python\n"
        "longest = ...\n"
        "rows = ...  # for each sequence a new list: its ids, then as many pad_id as are missing\n"
        "return torch.tensor(rows)\n"
        "```",
        "`[pad_id] * 3` is a list of three. `[*ids, *[pad_id] * (longest - len(ids))]` is a new list and leaves `ids` alone.",
    ),
    traps={
        "ValueError: expected sequence of length 5 at dim 1 (got 3)": "the rows have different lengths. Is the number of missing ids the longest length minus the row's own?",
        "TypeError: can only concatenate list (not ...": "`ids + ...` needs a list on both sides: `[pad_id] * missing` is one, `pad_id * missing` is a number.",
        "TypeError: 'int' object is not iterable": "`*` in front of a number: `[pad_id] * missing` is the list that can be unpacked.",
        "AttributeError: 'list' object has no attribute 'size'": "the sequences are lists, and `len` counts them.",
    },
)


def drawn_ids(draw: Draw, name: str, *lengths: int) -> list[list[int]]:
    """One list of ids for each length; none is 0."""
    return [draw.integers(f"{name} {i}", length, low=4, high=40).tolist() for i, length in enumerate(lengths)]


@pad_batch.probe("fills shorter sequences up at their ends")
def drawn_batch(pad_batch: Callable, draw: Draw) -> Any:
    return pad_batch(drawn_ids(draw, "ids", 3, 5, 1, 4))


@pad_batch.probe("fills up with pad_id")
def another_pad_id(pad_batch: Callable, draw: Draw) -> Any:
    return pad_batch(drawn_ids(draw, "ids", 6, 2, 4), pad_id=int(draw.integers("pad", 1, low=50, high=60)))


@pad_batch.probe("takes all ids as they are, 0 and pad_id among them")
def any_ids(pad_batch: Callable, draw: Draw) -> Any:
    places = [[1, -1, 0], [0], [0, *draw.integers("large", 4, low=300, high=40_000).tolist(), 50_256, -1]]
    return pad_batch(in_drawn_order(draw, "rows", places), pad_id=-1)


@pad_batch.probe("leaves the lists that it was given as they were", rung="invariants")
def lists_stay(pad_batch: Callable, draw: Draw) -> Any:
    sequences = drawn_ids(draw, "ids", 2, 4, 3)
    return [pad_batch(sequences), sequences]


@pad_batch.probe("works for one sequence, for equal lengths, and with an empty sequence", rung="edges")
def small_batches(pad_batch: Callable, draw: Draw) -> Any:
    return {
        "one sequence": pad_batch(drawn_ids(draw, "one", 4), 9),
        "equal lengths": pad_batch(drawn_ids(draw, "equal", 3, 3)),
        "one id each": pad_batch(drawn_ids(draw, "single", 1, 1, 1)),
        "an empty sequence": pad_batch([*drawn_ids(draw, "filled", 2, 3), []], 7),
    }


@pad_batch.probe("refuses a batch of nothing", rung="invariants")
def no_sequence(pad_batch: Callable, draw: Draw) -> Any:
    pad_batch([[1], [2]])  # the blank stub must show as blank
    return pad_batch([])


# exact_match ----------------------------------------------------------------------------

exact_match = Exercise(
    "exact_match",
    points=2,
    hints=(
        "Of each target only the part up to the first eos_id counts, and that id is a part of it. The output has to begin with exactly that part. Since "
        "eos_id belongs to it, an output that stops early or goes on does not begin with it.",
        "```python\n"
        "found = []\n"
        "for output, target in zip(outputs.tolist(), targets.tolist()):\n"
        "    right = ...        # the target up to and with its first eos_id\n"
        "    found.append(...)  # does the output begin like that?\n"
        "return torch.tensor(found, dtype=torch.bool)\n"
        "```",
        "`target.index(eos_id)` is the place of the first one, and `target[: place + 1]` goes up to and with it. Two lists are equal, `==`, only if they are as long as each "
        "other; a slice of a list that is too short is shorter.",
    ),
    traps={
        "ValueError: 2 is not in list": "`index` found no eos_id. Every target has an eos_id; an output need not have one.",
        "RuntimeError: The size of tensor a (6) must match the size of tensor b (5) at non-singleton dimension 1": "outputs and targets may have different widths. Compare row by "
        "row, as lists, or cut and fill up first, with something that equals no id.",
        "ValueError: only one element tensors can be converted to Python scalars": "`.item()` takes one number. The result is a tensor with one answer for each translation.",
        "TypeError: 'bool' object is not iterable": "Python's `all(...)` needs several answers, and got a single one: comparing two lists already gives "
        "one answer.",
        "AttributeError: 'bool' object has no attribute ...": "lists compared with `==` give one bool, not one for each item. You need exactly this bool.",
        "AttributeError: 'Tensor' object has no attribute 'index'": "`index` is a method of lists: go through `targets.tolist()`.",
    },
)

EOS = 2


def rows_of(pairs: Sequence[tuple[list[int], list[int]]], out_len: int, tgt_len: int) -> tuple[Tensor, Tensor]:
    """Outputs and targets, cut or filled up with 0 to a width each."""
    outputs = [[*output, *[0] * out_len][:out_len] for output, _ in pairs]
    targets = [[*target, *[0] * tgt_len][:tgt_len] for _, target in pairs]
    return torch.tensor(outputs), torch.tensor(targets)


def attempts(a: int, b: int, c: int, d: int) -> list[tuple[list[int], list[int]]]:
    """Outputs and targets of four different tokens, in all relations that matter."""
    return [
        ([a, b, c, EOS], [a, b, c, EOS]),
        ([b, EOS], [b, EOS]),
        ([a, b, d, EOS], [a, b, c, EOS]),  # the last token
        ([d, b, c, EOS], [a, b, c, EOS]),  # the first
        ([a, d, c, EOS], [a, b, c, EOS]),
        ([c, b, a, EOS], [a, b, c, EOS]),  # another order
        ([a, b, EOS], [a, b, c, EOS]),  # stops early
        ([a, b, c, EOS], [a, b, EOS]),  # goes on
        ([a, b, c, d], [a, b, c, EOS]),  # does not stop
        ([d, d, d, EOS], [a, b, c, EOS]),
        ([a, 0, c, EOS], [a, b, c, EOS]),  # holds padding
        ([a, 0, b, EOS], [a, b, EOS]),  # and would be right without it
        ([EOS], [c, EOS]),
        ([a, a, b, EOS], [a, b, b, EOS]),
        ([11, 1, EOS], [1, 11, EOS]),  # the same digits
        ([a, EOS, b], [a, b, EOS]),  # the same tokens, and ends too early
    ]


def drawn_attempts(draw: Draw) -> list[tuple[list[int], list[int]]]:
    """All of these, of drawn tokens, and one right pair more; the first three are right."""
    a, b, c, d, e = in_drawn_order(draw, "tokens", list(range(5, 30)))[:5]
    return [([e, e, EOS], [e, e, EOS]), *attempts(a, b, c, d)]


@exact_match.probe("finds those that are right from the first token to the end")
def drawn_outputs(exact_match: Callable, draw: Draw) -> Any:
    outputs, targets = rows_of(in_drawn_order(draw, "rows", drawn_attempts(draw)), 5, 5)
    return exact_match(draw.keep("outputs", outputs), draw.keep("targets", targets), EOS)


@exact_match.probe("looks at nothing behind the first eos_id")
def behind_the_end(exact_match: Callable, draw: Draw) -> Any:
    filled = []
    for i, (output, target) in enumerate(drawn_attempts(draw)):
        written, behind = draw.integers(f"behind {i}", 2, 4, low=3, high=9).tolist()
        behind = (behind, [EOS, *behind], [])[i % 3]
        written = [EOS, *written] if i % 3 == 2 else written
        filled.append(([*output, *written] if EOS in output else output, [*target, *behind]))
    outputs, targets = rows_of(in_drawn_order(draw, "rows", filled), 7, 7)
    return exact_match(outputs, targets, EOS)


@exact_match.probe("compares outputs and targets of different widths")
def other_widths(exact_match: Callable, draw: Draw) -> Any:
    pairs = in_drawn_order(draw, "rows", drawn_attempts(draw))
    widths = {"wider": (8, 4), "narrower": (3, 6), "much narrower": (2, 5)}
    return {name: exact_match(*rows_of(pairs, *both), EOS) for name, both in widths.items()}


@exact_match.probe("sees a single wrong token in a long translation")
def one_wrong_token(exact_match: Callable, draw: Draw) -> Any:
    right = draw.integers("right", 5, 60, low=3, high=30)
    written = right.clone()
    row, place = torch.arange(4), draw.integers("places", 4, high=60)
    written[row, place] = 30 + row
    ends = torch.full((5, 1), EOS)
    both = (torch.cat([one, ends], dim=1) for one in (written, right))
    return exact_match(*(draw.keep(name, one) for name, one in zip(("written", "wanted"), both, strict=True)), EOS)


@exact_match.probe("takes any eos_id")
def another_end(exact_match: Callable, draw: Draw) -> Any:
    outputs, targets = rows_of(in_drawn_order(draw, "rows", drawn_attempts(draw)), 5, 6)
    return exact_match(outputs.where(outputs != EOS, 41), targets.where(targets != EOS, 41), 41)


@exact_match.probe("takes an eos_id of 0", rung="edges")
def an_end_of_0(exact_match: Callable, draw: Draw) -> Any:
    a, b, c, d = in_drawn_order(draw, "tokens", list(range(5, 30)))[:4]
    targets = torch.tensor([[a, b, 0, 0], [c, d, 0, 0]])
    return {
        "finished": exact_match(torch.tensor([[a, b, 0], [c, a, 0]]), targets, 0),
        "not finished": exact_match(torch.tensor([[a, b], [c, d]]), targets, 0),
    }


@exact_match.probe("works for one translation, and for one of no tokens but the end", rung="edges")
def few_translations(exact_match: Callable, draw: Draw) -> Any:
    token = int(draw.integers("token", 1, low=5, high=30))
    return {
        "one right": exact_match(torch.tensor([[token, EOS]]), torch.tensor([[token, EOS, 0]]), EOS),
        "one wrong": exact_match(torch.tensor([[token, token]]), torch.tensor([[token, EOS]]), EOS),
        "nothing to say": exact_match(torch.tensor([[EOS, 0], [token, EOS]]), torch.tensor([[EOS, 0], [EOS, 0]]), EOS),
    }


@exact_match.probe("says of every translation the same when it stands alone", rung="edges")
def one_at_a_time(exact_match: Callable, draw: Draw) -> Any:
    a, b, c, d = in_drawn_order(draw, "tokens", list(range(5, 30)))[:4]
    pairs = [
        *attempts(a, b, c, d),
        ([a, b], [a, b, c, EOS]),  # too narrow
        ([a, b], [a, b, EOS]),  # for the end alone
        ([a, b, EOS, d], [a, b, EOS, c]),
        ([a, b, EOS, c, EOS], [a, b, EOS, d, EOS]),
        ([0, 0, 0], [a, b, EOS]),
        ([a, b, EOS, c], [a, b, EOS]),
        ([a, b, EOS], [a, b, EOS, c]),
        ([a, b, EOS, c], [a, b, EOS, 0]),
    ]
    return [exact_match(torch.tensor([output]), torch.tensor([target]), EOS) for output, target in pairs]


@exact_match.probe("refuses another number of targets than of outputs", rung="invariants")
def targets_missing(exact_match: Callable, draw: Draw) -> Any:
    outputs, targets = rows_of(drawn_attempts(draw), 5, 5)
    exact_match(outputs, targets, EOS)  # the blank stub must show as blank
    exact_match(outputs, targets[1:], EOS)
    return "no error"  # whatever else is wrong with the answers


# alignment_share ----------------------------------------------------------------------------

alignment_share = Exercise(
    "alignment_share",
    points=2,
    hints=(
        "Two steps lead from the weights to places: the mean over the heads, and for every target token the place of the largest. Then compare with `wanted`, and "
        "of all answers take those that count.",
        "```python\n"
        "counts = ...   # (batch, tgt_len): which target tokens count\n"
        "largest = ...  # (batch, tgt_len): where the mean over the heads is largest\n"
        "hits = ...     # (batch, tgt_len): is that the wanted place?\n"
        "return ...     # the share of hits among those that count\n"
        "```",
        "`weights.mean(dim=1)` has the shape (batch, tgt_len, src_len), and `argmax(dim=-1)` goes through the source. `hits[counts]` picks out what counts, as one row; `.float().mean().item()` is "
        "its share.",
    ),
    traps={
        "RuntimeError: The size of tensor a (7) must match the size of tensor b (5) at non-singleton dimension 1": "places and `wanted` do not line up. Is the argmax over the source, the "
        "last dimension, and is the dimension of the heads gone?",
        "RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Bool": "True and False have no mean: `.float()` first.",
        "IndexError: The shape of the mask [3, 5] at index 1 does not match the shape of the indexed tensor [3, 2, 5, 7] at index 1": "the mask has the shape (batch, tgt_len), so it picks from a tensor that begins with these two: "
        "average over the heads first.",
        "ValueError: only one element tensors can be converted to Python scalars": "`.item()` takes one number: take the mean first.",
    },
)


def drawn_weights(draw: Draw, name: str, *shape: int) -> Tensor:
    """Rows that sum to one; the heads differ in how sure they are."""
    scores = draw.tensor(name, *shape, scale=2.0)
    sure = 1.0 + 2.0 * torch.arange(shape[1]).view(1, -1, 1, 1)
    return draw.keep(f"{name}, softmax", (scores * sure).softmax(dim=-1))


def drawn_places(draw: Draw, weights: Tensor, name: str = "places", missing: float = 0.3, right: float = 0.5) -> Tensor:
    """Places that are the largest ones about half of the time, some at 0 and some that do not count."""
    batch, _, tgt_len, src_len = weights.shape
    drawn = draw.integers(name, batch, tgt_len, high=src_len)
    hit = draw.booleans(f"{name}, hits", batch, tgt_len, chance=right)
    wanted = torch.where(hit, weights.mean(1).argmax(-1), drawn)
    nowhere = draw.booleans(f"{name}, nowhere", batch, tgt_len, chance=missing)
    nowhere[0] = torch.arange(tgt_len) > 1  # the first sentence has two that count
    nowhere[1] = False
    return draw.keep(f"{name}, wanted", wanted.masked_fill(nowhere, -1))


@alignment_share.probe("is the share of target tokens whose largest mean weight lies on the wanted place")
def drawn_alignment(alignment_share: Callable, draw: Draw) -> Any:
    weights = drawn_weights(draw, "weights", 5, 3, 7, 6)
    return alignment_share(weights, drawn_places(draw, weights))


@alignment_share.probe("works for as many source as target tokens")
def square_alignment(alignment_share: Callable, draw: Draw) -> Any:
    found = []
    for i in range(6):
        weights = drawn_weights(draw, f"weights {i}", 4, 2, 6, 6)
        found.append(alignment_share(weights, drawn_places(draw, weights, f"places {i}", missing=0.5, right=0.7)))
    return found


@alignment_share.probe("gives all digits, of a small share too")
def few_hits(alignment_share: Callable, draw: Draw) -> Any:
    weights = drawn_weights(draw, "weights", 30, 2, 31, 6)
    best = weights.mean(1).argmax(-1)
    hit = torch.arange(30 * 31).view(30, 31) < 3
    return alignment_share(weights, draw.keep("places", torch.where(hit, best, (best + 1) % 6)))


@alignment_share.probe("counts place 0 like any other")
def the_first_place(alignment_share: Callable, draw: Draw) -> Any:
    weights = drawn_weights(draw, "weights", 4, 3, 8, 3)
    wanted = drawn_places(draw, weights, missing=0.2)
    return alignment_share(weights, wanted.masked_fill(wanted == 1, 0))


@alignment_share.probe("takes the mean of the heads, whatever most of them, the surest or one alone would say")
def heads_apart(alignment_share: Callable, draw: Draw) -> Any:
    sure, unsure, least = [0.0, 1.0, 0.0], [0.4, 0.3, 0.3], [0.6, 0.1, 0.3]
    cases = {
        "most are unsure": [sure, unsure, unsure, unsure, sure],
        "the first is unsure": [unsure, sure, sure],
        "the last is unsure": [sure, sure, unsure],
        "the first is sure": [sure, unsure, unsure],
        "the last is sure": [unsure, unsure, sure],
        "the surest is alone": [[0.1, 0.55, 0.35], [0.6, 0.2, 0.2], [0.1, 0.55, 0.35]],
        "most, by a little": [[0.4, 0.35, 0.25], [0.5, 0.45, 0.05], sure],
        "where they look least": [least, least],
    }
    shift = int(draw.integers("shift", 1, high=3))  # to another source token
    wanted = torch.tensor([[(1 + shift) % 3] * 2])
    return {
        name: alignment_share(torch.tensor(heads).roll(shift, dims=-1).view(1, -1, 1, 3).repeat(1, 1, 2, 1), wanted)
        for name, heads in cases.items()
    }


@alignment_share.probe("is 1 where every wanted place is the largest", rung="invariants")
def all_on_it(alignment_share: Callable, draw: Draw) -> Any:
    weights = drawn_weights(draw, "weights", 3, 2, 5, 4)
    wanted = weights.mean(1).argmax(-1)
    sure = torch.eye(4)[wanted].unsqueeze(1)  # all of the weight on one place
    one = torch.ones(1, 5, dtype=torch.long)
    return [
        alignment_share(weights, wanted),
        alignment_share(weights, (wanted + 1) % 4),
        alignment_share(torch.cat([sure, torch.eye(4)[one].unsqueeze(1)]), torch.cat([wanted, one])),
    ]


@alignment_share.probe("works for one sentence, one head, one token, and weights in any memory", rung="edges")
def small_alignments(alignment_share: Callable, draw: Draw) -> Any:
    one = drawn_weights(draw, "one", 1, 1, 4, 5)
    turned = drawn_weights(draw, "turned", 3, 2, 5, 4).transpose(-1, -2)
    place = one.mean(1).argmax(-1)
    best = turned.mean(1).argmax(-1)
    places = draw.integers("places", 3, 4, high=5)
    places[0, 1:] = -1  # in the first sentence one counts, and is right; all count in the others, and not all are right
    places[:, 3] = torch.where(places[:, 3] < 0, -1, (best[:, 3] + 1) % 5)
    return {
        "one sentence": alignment_share(one, torch.where(torch.arange(4) < 2, place, (place + 2) % 5)),
        "one token": alignment_share(one[:, :, :1], place[:, :1]),
        "not contiguous": alignment_share(turned, torch.where(torch.arange(4) < 1, best, places)),
    }


@alignment_share.probe("refuses where nothing counts", rung="invariants")
def nothing_counts(alignment_share: Callable, draw: Draw) -> Any:
    weights = drawn_weights(draw, "weights", 2, 3, 4, 5)
    alignment_share(weights, torch.zeros(2, 4, dtype=torch.long))  # the blank stub must show as blank
    return alignment_share(weights, torch.full((2, 4), -1))


# corpus_bleu ----------------------------------------------------------------------------

corpus_bleu = Exercise(
    "corpus_bleu",
    points=3,
    forbidden=("sacrebleu", "nltk", "torchmetrics"),
    stretch=True,
    hints=(
        "`ngrams(tokens, n)` counts the n-grams of one sentence. `one & other` of two Counters keeps what is in both, each as often as in the Counter "
        "that has fewer: that is the rule for n-grams that are written too often.",
        "```python\n"
        "logs = []\n"
        "for n in range(1, max_n + 1):\n"
        "    matches, total = ...  # sums over all sentences\n"
        "    ...                   # no match: 0.0\n"
        "    logs.append(...)      # the logarithm of the precision\n"
        "brevity = ...             # from the tokens of all outputs and of all references\n"
        "return ...\n"
        "```",
        "For one sentence: `(ngrams(output, n) & ngrams(reference, n)).total()` matches among `ngrams(output, n).total()`. The geometric mean is "
        "`math.exp(sum(logs) / max_n)`, and brevity `min(1.0, math.exp(1 - right / written))`.",
    ),
    traps={
        "ValueError: math domain error": "the logarithm of 0. Where no n-gram of some length matches, the result is 0: return it before taking the logarithm.",
        "ValueError: expected a positive input...": "the logarithm of 0. Where no n-gram of some length matches, the result is 0: return it before taking the logarithm.",
        "ZeroDivisionError: division by zero": "all outputs may be shorter than n, and have no n-gram. Then nothing matches, and the result is 0.",
        "ZeroDivisionError: float division by zero": "all outputs may be shorter than n, and have no n-gram. Then nothing matches, and the result is 0.",
        "TypeError: unsupported operand type(s) for &: 'list' and 'list'": "`&` joins Counters. `ngrams` makes a Counter from a sentence.",
        "TypeError: unhashable type: 'list'": "`ngrams` takes one sentence, a list of tokens, and not the list of all sentences.",
        "OverflowError: math range error": "o and r in brevity are exchanged, or it is taken to be larger than 1.",
    },
)

PARTS = ["ein", "zwei", "drei", "und", "zwanzig", "hundert", "tausend"]


def drawn_translations(
    draw: Draw, count: int, low: int = 6, high: int = 12, changes: int = 2
) -> tuple[list[list[str]], list[list[str]]]:
    """References of drawn tokens, and outputs of the same length in which some tokens are others."""
    lengths = draw.integers("lengths", count, low=low, high=high).tolist()
    outputs, references = [], []
    for i, length in enumerate(lengths):
        reference = [PARTS[one] for one in draw.integers(f"reference {i}", length, high=len(PARTS)).tolist()]
        output = list(reference)
        for place, other in zip(
            draw.integers(f"places {i}", changes, high=length).tolist(),
            draw.integers(f"others {i}", changes, high=len(PARTS)).tolist(),
            strict=True,
        ):
            output[place] = PARTS[other]
        outputs.append(output)
        references.append(reference)
    return outputs, references


@corpus_bleu.probe("is the geometric mean of the precisions, over all sentences together")
def drawn_corpus(corpus_bleu: Callable, draw: Draw) -> Any:
    outputs, references = drawn_translations(draw, 6)
    return corpus_bleu([*outputs, ["Zwei", "und", "zwanzig"]], [*references, ["zwei", "und", "zwanzig"]])


@corpus_bleu.probe("counts an n-gram only as often as the reference has it")
def repeated_tokens(corpus_bleu: Callable, draw: Draw) -> Any:
    outputs, references = drawn_translations(draw, 4)
    return corpus_bleu([[*one, *one[:5], *one[:4]] for one in outputs], references)


@corpus_bleu.probe("asks for brevity where the outputs are too short, and only there")
def other_lengths(corpus_bleu: Callable, draw: Draw) -> Any:
    outputs, references = drawn_translations(draw, 5, low=8)
    longer = [[*one, *PARTS[:2]] for one in outputs]
    return {
        "shorter": corpus_bleu([one[:-2] for one in outputs], references),
        "longer": corpus_bleu(longer, references),
        "some of both": corpus_bleu([*longer[:2], *(one[:-3] for one in outputs[2:])], references),
        "one of them empty": corpus_bleu([*outputs[:-1], []], references),
    }


@corpus_bleu.probe("takes n-grams up to max_n")
def other_orders(corpus_bleu: Callable, draw: Draw) -> Any:
    outputs, references = drawn_translations(draw, 5, changes=3)
    return {f"max_n={n}": corpus_bleu(outputs, references, max_n=n) for n in (1, 2, 3)}


@corpus_bleu.probe("takes sentences that have no n-gram of some length along")
def short_sentences(corpus_bleu: Callable, draw: Draw) -> Any:
    outputs, references = drawn_translations(draw, 3)
    more = [
        (["zwei"], ["zwei"]),
        (["drei", "hundert"], ["drei", "hundert"]),
        (["ein"], ["zwei", "tausend"]),
        ([], ["ein"]),
        (["zwei", "und", "drei", "hundert", "ein"], ["zwei", "und"]),
    ]
    return corpus_bleu([*outputs, *(one for one, _ in more)], [*references, *(other for _, other in more)])


@corpus_bleu.probe("gives all digits, of a small number too")
def hardly_any_match(corpus_bleu: Callable, draw: Draw) -> Any:
    outputs, references = drawn_translations(draw, 2)
    more = [f"w{one}" for one in draw.integers("others", 700, high=10**6).tolist()]
    return corpus_bleu([*outputs, more], [*references, ["x"] * 690])


@corpus_bleu.probe("is 100 for what is right, and leaves its arguments alone", rung="invariants")
def a_right_corpus(corpus_bleu: Callable, draw: Draw) -> Any:
    outputs, references = drawn_translations(draw, 3)
    return [corpus_bleu(references, references), corpus_bleu(outputs, references), outputs, references]


@corpus_bleu.probe("is 0 where nothing of some length matches", rung="edges")
def nothing_matches(corpus_bleu: Callable, draw: Draw) -> Any:
    outputs, references = drawn_translations(draw, 2)
    return {
        "no token": corpus_bleu([["acht"] * 5], references[:1]),
        "too short for 4": corpus_bleu([["zwei", "und", "zwanzig"]], [["zwei", "und", "zwanzig"]]),
        "one sentence": corpus_bleu(outputs[:1], references[:1], max_n=1),
        "three in a row, and not four": corpus_bleu([[*"abcde"]], [[*"abced"]]),
    }


@corpus_bleu.probe("is 0 where nothing is written", rung="edges")
def nothing_written(corpus_bleu: Callable, draw: Draw) -> Any:
    return corpus_bleu([[], []], drawn_translations(draw, 2)[1])


@corpus_bleu.probe("refuses no outputs, and another number of references", rung="invariants")
def references_missing(corpus_bleu: Callable, draw: Draw) -> Any:
    outputs, references = drawn_translations(draw, 2)
    corpus_bleu(outputs, references)  # the blank stub must show as blank
    return corpus_bleu(outputs, references[:1])


@corpus_bleu.probe("refuses a corpus of nothing", rung="invariants")
def no_outputs(corpus_bleu: Callable, draw: Draw) -> Any:
    corpus_bleu([["a"] * 4], [["a"] * 4])  # the blank stub must show as blank
    return corpus_bleu([], [])


# In the wild ----------------------------------------------------------------------------

article_accuracy = Exercise(
    "article_accuracy",
    points=2,
    repairs=exact_match,
    hints=(
        "What does it say of a model that writes nothing at all? And of a model that stops after the first token?",
        "```python\n"
        "# which places are left out of the comparison, and whose padding decides?\n"
        "# which places are cut off before anything is compared?\n"
        "```",
        "The target alone decides what is compared: everything up to and with its first eos_id. An output that is shorter is wrong. Your `exact_match` "
        "does both.",
    ),
)
