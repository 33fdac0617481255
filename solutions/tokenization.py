"""Tokenization: byte-pair encoding (Sennrich et al. 2016) on bytes (Radford et al. 2019), and WordPiece."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise


def pretokenize(text: str) -> list[str]:
    """Cut a text into the pieces that no token will ever reach across.

    From left to right, a piece is the first of these that fits, as long as it can be:

    1. word characters (letters, digits and underscores of any script), with one space before them if
       there is one;
    2. other signs that are not whitespace, with one space before them if there is one;
    3. whitespace.

    Args:
        text: any text.

    Returns:
        The pieces in order; "".join(pieces) is the text. "two  spaces, and 3.14" has the pieces
        "two", "  ", "spaces", ",", " and", " 3", ".", "14".

    Source: the rule of GPT-2 (Radford et al., 2019, section 2.2), made simpler.
    """
    # BEGIN SOLUTION
    return re.findall(r" ?\w+| ?[^\w\s]+|\s+", text)
    # END SOLUTION


def byte_tokens(piece: str) -> tuple[bytes, ...]:
    """A piece of text as its UTF-8 bytes, each a token of its own: what all merging starts from."""
    return tuple(bytes([byte]) for byte in piece.encode("utf-8"))


def count_pairs(words: dict[tuple[bytes, ...], int]) -> dict[tuple[bytes, bytes], int]:
    """Count how often each two tokens stand side by side.

    Args:
        words: every different piece of a text as its tokens, and how often it occurs in the text.

    Returns:
        (left, right) → its number in the whole text. Every place where two tokens meet counts: in
        a a a the pair (a, a) occurs twice. Tokens of different words never meet.

    Source: Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units" (2016),
    algorithm 1.
    """
    # BEGIN SOLUTION
    counts: dict[tuple[bytes, bytes], int] = {}
    for word, count in words.items():
        for pair in pairwise(word):
            counts[pair] = counts.get(pair, 0) + count
    return counts
    # END SOLUTION


def merge_pair(tokens: tuple[bytes, ...], pair: tuple[bytes, bytes]) -> tuple[bytes, ...]:
    """Join the two tokens of a pair wherever they stand side by side.

    Args:
        tokens: the tokens of one piece.
        pair: the left and the right token.

    Returns:
        The tokens with every occurrence of the pair made one token, from left to right: of a a a the
        first two become aa, and the third stays.

    Source: Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units" (2016),
    algorithm 1.
    """
    # BEGIN SOLUTION
    merged: list[bytes] = []
    at = 0
    while at < len(tokens):
        if tokens[at : at + 2] == pair:
            merged.append(pair[0] + pair[1])
            at += 2
        else:
            merged.append(tokens[at])
            at += 1
    return tuple(merged)
    # END SOLUTION


def byte_pair_train(text: str, vocab_size: int) -> list[tuple[bytes, bytes]]:
    """Learn which pairs of tokens to merge, and in which order.

    The vocabulary starts as the 256 bytes, with their values for ids. Every merge adds one token: that
    of merge i has the id 256 + i. Each time the pair is merged that is most frequent in the text as it
    is cut by then. Of pairs that are equally frequent it is the one whose left token has the lowest id,
    and of these the one whose right token has.

    Args:
        text: what to learn from.
        vocab_size: number of tokens at the end, the 256 bytes among them.

    Returns:
        The merged pairs in order; fewer than vocab_size - 256 if the text runs out of pairs.

    Raises:
        ValueError: if vocab_size is below 256.

    Source: Sennrich et al. (2016), algorithm 1; on bytes: Radford et al., "Language Models are
    Unsupervised Multitask Learners" (2019), section 2.2. Equals BpeTrainer of the library `tokenizers`,
    when its alphabet is in the order of the bytes.
    """
    if vocab_size < 256:
        raise ValueError(f"vocab_size={vocab_size}; there are 256 bytes already, so give 256 or more")
    # 1. the words: every different piece of the text as `byte_tokens`, and how often it occurs
    # 2. the ids of the 256 single bytes; they decide between equally frequent pairs
    # 3. for every new id: count the pairs, choose one, merge it in all words, note its token's id
    # 4. stop early when no pair is left
    # BEGIN SOLUTION
    words: dict[tuple[bytes, ...], int] = Counter(byte_tokens(piece) for piece in pretokenize(text))
    ids = {bytes([byte]): byte for byte in range(256)}
    merges = []
    for new_id in range(256, vocab_size):
        counts = count_pairs(words)
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]))
        words = {merge_pair(word, best): count for word, count in words.items()}
        ids[best[0] + best[1]] = new_id
        merges.append(best)
    return merges
    # END SOLUTION


def byte_pair_encode(text: str, merges: Sequence[tuple[bytes, bytes]]) -> list[int]:
    """Turn a text into ids: make the merges that were learned, in the order in which they were.

    Args:
        text: any text.
        merges: what `byte_pair_train` returned.

    Returns:
        The ids of the tokens: 0 to 255 are single bytes, 256 + i is the token of merge i.

    Source: Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units" (2016),
    section 3.2.
    """
    # 1. the rank of every merge, which is its place in the list, and the id of every token
    # 2. for every piece of the text: start from its bytes
    # 3. of all pairs in it that are merges, merge the one of the lowest rank; until there is none
    # 4. the ids of the tokens that are left
    # BEGIN SOLUTION
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    ids = {bytes([byte]): byte for byte in range(256)}
    ids |= {left + right: 256 + rank for (left, right), rank in ranks.items()}
    found = []
    for piece in pretokenize(text):
        tokens = byte_tokens(piece)
        while known := [pair for pair in pairwise(tokens) if pair in ranks]:
            tokens = merge_pair(tokens, min(known, key=lambda pair: ranks[pair]))
        found += [ids[token] for token in tokens]
    return found
    # END SOLUTION


def byte_pair_decode(ids: Sequence[int], merges: Sequence[tuple[bytes, bytes]]) -> str:
    """Turn ids back into a text.

    Args:
        ids: 0 to 255 are single bytes, 256 + i is the token of merge i.
        merges: what `byte_pair_train` returned.

    Returns:
        The text. Bytes that are no valid UTF-8, as a model may well write them, become "�" (U+FFFD).

    Raises:
        ValueError: if an id belongs to no token.
    """
    vocab_size = 256 + len(merges)
    unknown = [one for one in ids if not 0 <= one < vocab_size]
    if unknown:
        raise ValueError(f"{unknown[0]} is the id of no token; ids go from 0 to {vocab_size - 1} here")
    # 1. the bytes of every id
    # 2. join them, then decode them with errors="replace"
    # BEGIN SOLUTION
    tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
    return b"".join(tokens[one] for one in ids).decode("utf-8", errors="replace")
    # END SOLUTION


def split_special(text: str, specials: Collection[str]) -> list[str]:
    """Cut a text at its special tokens, which are never split.

    Args:
        text: any text.
        specials: special tokens, such as "<|end|>"; they may hold any signs.

    Returns:
        The special tokens and what stands between them, from left to right, without empty parts;
        "".join(parts) is the text. Where several special tokens begin at one place, it is the longest;
        where two overlap, it is the one further to the left. Without special tokens the text is
        one part.

    Raises:
        ValueError: if a special token is empty.
    """
    if "" in specials:
        raise ValueError("a special token is empty; it would be found between any two characters")
    # BEGIN SOLUTION
    if not specials:
        return [text] if text else []
    longest_first = sorted(specials, key=len, reverse=True)
    any_special = "|".join(re.escape(special) for special in longest_first)
    return [part for part in re.split(f"({any_special})", text) if part]
    # END SOLUTION


class BytePairTokenizer:
    """Text to ids and back, special tokens included.

    Args:
        merges: what `byte_pair_train` returned; their tokens have the ids from 256 on.
        specials: special tokens; theirs are the ids after the merges', in the order given.
    """

    def __init__(self, merges: Sequence[tuple[bytes, bytes]], specials: Sequence[str] = ()) -> None:
        self.merges = list(merges)
        self.special_ids = {special: 256 + len(merges) + i for i, special in enumerate(specials)}

    @property
    def vocab_size(self) -> int:
        """Number of ids: bytes, merges and special tokens."""
        return 256 + len(self.merges) + len(self.special_ids)

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        ids: list[int] = []
        for part in split_special(text, self.special_ids):
            special = self.special_ids.get(part)
            ids += byte_pair_encode(part, self.merges) if special is None else [special]
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids; raises ValueError for an id that belongs to no token."""
        names = {one: special for special, one in self.special_ids.items()}
        text = ""
        between: list[int] = []
        for one in ids:
            if one in names:
                text += byte_pair_decode(between, self.merges) + names[one]
                between = []
            else:
                between.append(one)
        return text + byte_pair_decode(between, self.merges)


def byte_pair_train_fast(text: str, vocab_size: int) -> list[tuple[bytes, bytes]]:
    """Learn the same merges as `byte_pair_train`, without counting everything anew after each.

    Args:
        text: what to learn from.
        vocab_size: number of tokens at the end, the 256 bytes among them.

    Returns:
        The merged pairs in order, the same as those of `byte_pair_train`.

    Raises:
        ValueError: if vocab_size is below 256.
    """
    if vocab_size < 256:
        raise ValueError(f"vocab_size={vocab_size}; there are 256 bytes already, so give 256 or more")
    # 1. the words in a list; count the pairs once, and note for every pair which words hold it
    # 2. choose a pair as before; then, only for the words that hold it:
    #    take what their pairs counted off, merge, count their new pairs and note them
    # 3. a pair that counts 0 is gone
    # BEGIN SOLUTION
    words = list(Counter(byte_tokens(piece) for piece in pretokenize(text)).items())
    ids = {bytes([byte]): byte for byte in range(256)}
    counts = count_pairs(dict(words))
    places: dict[tuple[bytes, bytes], set[int]] = {pair: set() for pair in counts}
    for place, (word, _) in enumerate(words):
        for pair in pairwise(word):
            places[pair].add(place)
    merges = []
    for new_id in range(256, vocab_size):
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]))
        ids[best[0] + best[1]] = new_id
        merges.append(best)
        for place in places.pop(best):
            word, count = words[place]
            merged = merge_pair(word, best)
            for pair in pairwise(word):
                counts[pair] -= count
                if counts[pair] == 0:
                    del counts[pair]
            for pair in pairwise(merged):
                counts[pair] = counts.get(pair, 0) + count
                places.setdefault(pair, set()).add(place)
            words[place] = (merged, count)
    return merges
    # END SOLUTION


def word_piece_encode(word: str, vocabulary: Collection[str]) -> list[str]:
    """Cut a word into the longest tokens that a vocabulary holds, from left to right.

    Args:
        word: one word, without spaces.
        vocabulary: tokens; those that do not begin a word start with "##".

    Returns:
        The tokens, each the longest of the vocabulary that fits there; ["[UNK]"], and nothing else, if
        there comes a place where none fits.

    Source: Devlin et al., "BERT" (2019), section 3, whose text is cut so; "[UNK]" is BERT's as well.
    """
    # BEGIN SOLUTION
    tokens: list[str] = []
    start = 0
    while start < len(word):
        mark = "##" if start > 0 else ""
        ends = range(len(word), start, -1)
        fitting = (end for end in ends if mark + word[start:end] in vocabulary)
        end = next(fitting, None)
        if end is None:
            return ["[UNK]"]
        tokens.append(mark + word[start:end])
        start = end
    return tokens
    # END SOLUTION
