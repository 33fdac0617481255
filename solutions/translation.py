"""Translation (Vaswani et al. 2017, section 6.1): words to ids, and how good a translation is."""

import math
from collections import Counter
from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def build_vocabulary(
    sentences: Sequence[Sequence[str]], specials: Sequence[str] = ("<pad>", "<bos>", "<eos>")
) -> dict[str, int]:
    """Give every token an id.

    Args:
        sentences: lists of tokens.
        specials: the first ids are theirs, in this order. One that stands in a sentence, too,
            keeps this id.

    Returns:
        Token → id: from 0 on, without gaps; after the special ones all others, ordered as `sorted`
        does it, so that the same tokens get the same ids whenever they are met.
    """
    # BEGIN SOLUTION
    tokens = {token for sentence in sentences for token in sentence}
    ordered = [*specials, *sorted(tokens - set(specials))]
    return {token: i for i, token in enumerate(ordered)}
    # END SOLUTION


def pad_batch(sequences: Sequence[Sequence[int]], pad_id: int = 0) -> Int[Tensor, "batch longest"]:
    """Put sequences of different lengths into one tensor.

    Args:
        sequences: lists of ids; they stay as they are.
        pad_id: fills up the shorter ones, behind their last id.

    Returns:
        One row for each sequence, as long as the longest of them.

    Raises:
        ValueError: if there is no sequence.
    """
    if len(sequences) == 0:
        raise ValueError("there is no sequence to put into a batch; give at least one")
    # BEGIN SOLUTION
    longest = max(len(ids) for ids in sequences)
    return torch.tensor([[*ids, *[pad_id] * (longest - len(ids))] for ids in sequences])
    # END SOLUTION


def exact_match(
    outputs: Int[Tensor, "batch out_len"], targets: Int[Tensor, "batch tgt_len"], eos_id: int
) -> Bool[Tensor, " batch"]:
    """Say of every translation whether it is right as a whole, from the first token to the end.

    Args:
        outputs: what was written. One that does not hold eos_id was never finished.
        targets: what is right; each holds eos_id.
        eos_id: ends a sequence. What stands behind the first one does not count, whatever it is.

    Returns:
        True where an output equals its target up to its first eos_id, which has to be there too.

    Raises:
        ValueError: if there are not as many outputs as targets.
    """
    if len(outputs) != len(targets):
        counts = f"{len(outputs)} outputs and {len(targets)} targets"
        raise ValueError(f"{counts}; every output needs one target")
    # BEGIN SOLUTION
    found = []
    for output, target in zip(outputs.tolist(), targets.tolist(), strict=True):
        right = target[: target.index(eos_id) + 1]
        found.append(output[: len(right)] == right)
    return torch.tensor(found, dtype=torch.bool)  # (batch,)
    # END SOLUTION


def alignment_share(
    weights: Float[Tensor, "batch num_heads tgt_len src_len"], wanted: Int[Tensor, "batch tgt_len"]
) -> float:
    """Measure how often the cross-attention looks at the right source token.

    Args:
        weights: of one layer.
        wanted: the place in the source of the token that each target token translates; -1 where
            there is none, which does not count.

    Returns:
        The share, from 0 to 1, of the target tokens whose largest weight lies on the wanted place. The
        weights are first averaged over the heads. All tokens that count are counted alike, over all
        sentences together.

    Raises:
        ValueError: if no target token counts.
    """
    if not (wanted >= 0).any():
        raise ValueError("no target token counts: wanted is below 0 everywhere")
    # BEGIN SOLUTION
    counts = wanted >= 0  # (batch, tgt_len)
    largest = weights.mean(dim=1).argmax(dim=-1)  # (batch, tgt_len)
    return (largest == wanted)[counts].float().mean().item()
    # END SOLUTION


def corpus_bleu(
    outputs: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    max_n: int = 4,
) -> float:
    """Measure how many pieces of the translations stand in the references, too.

    An n-gram is n tokens in a row. The precision of n is the share of all n-grams of the outputs that
    stand in the reference of their own sentence as well; none of them counts more often than it stands
    in that reference. Shares are taken over all sentences together.

    Args:
        outputs: translations, as tokens.
        references: what is right, one for each output.
        max_n: n goes from 1 to here.

    Returns:
        100 · brevity · the geometric mean of the precisions; 0 if one of these is 0. With o tokens in
        all outputs and r in all references, brevity is 1 for o ≥ r and exp(1 - r / o) below.

    Raises:
        ValueError: if there are not as many outputs as references, or none.

    Source: Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation" (2002),
    section 2.3; equals sacrebleu's corpus_bleu with tokenize="none" and smooth_method="none".
    """
    if len(outputs) != len(references) or len(outputs) == 0:
        counts = f"{len(outputs)} outputs and {len(references)} references"
        raise ValueError(f"{counts}; give at least one, and as many of both")
    # 1. for every n: how many n-grams the outputs have, and how many of these stand in the references
    # 2. 0 if for some n none does
    # 3. the mean of the logarithms of the precisions
    # 4. brevity
    # BEGIN SOLUTION
    logs = []
    for n in range(1, max_n + 1):
        both = zip(outputs, references, strict=True)
        pairs = [(ngrams(one, n), ngrams(other, n)) for one, other in both]
        matches = sum((one & other).total() for one, other in pairs)
        if matches == 0:
            return 0.0
        logs.append(math.log(matches / sum(one.total() for one, _ in pairs)))
    written, right = sum(map(len, outputs)), sum(map(len, references))
    brevity = min(1.0, math.exp(1 - right / written))
    return 100 * brevity * math.exp(sum(logs) / max_n)
    # END SOLUTION


def ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """All n tokens in a row, and how often each stands there."""
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
