"""Lesson 13: byte-pair encoding and back."""

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable
from typing import Any

import torch

from tests.variants import correct, disguise, slips, unlisted
from tests.variants.tokenization.cutting import by_cuts, by_finditer, by_groups, by_match, by_position, by_split
from tests.variants.tokenization.learning import merged_ids
from tests.variants.tokenization.pairs import by_iterator, by_skipping, from_the_end, neighbours

# Encoding ----------------------------------------------------------------------------


def table(merges: Any, first: int = 256) -> dict[bytes, int]:
    return {bytes([one]): one for one in range(256)} | {
        left + right: first + i for i, (left, right) in enumerate(merges)
    }


def encoder(
    cut: Callable = by_groups,
    start: Callable = lambda piece: [bytes([one]) for one in piece.encode()],
    work: Callable | None = None,
    name: Callable = lambda merges: table(merges).__getitem__,
    nested: bool = False,
) -> Callable:
    """An encoder, every part of which can be another."""

    def encode(text: str, merges: Any) -> list:
        named = name(merges)
        rows = [[named(token) for token in (work or merge_by_merge)(start(piece), list(merges))] for piece in cut(text)]
        return rows if nested else list(itertools.chain.from_iterable(rows))

    return encode


def merge_by_merge(tokens: list[bytes], merges: list) -> Any:
    """All merges one after the other, as they were learned."""
    for pair in merges:
        tokens = by_iterator(tokens, tuple(pair))
    return tokens


correct("byte_pair_encode")(encoder())


def by_joined_ranks(text: str, merges: Any) -> list[int]:
    """Neighbours whose joined bytes are a token: merges from a training never make one token in two ways."""
    ids = table(merges)
    found: list[int] = []
    for piece in by_position(text):
        parts = [bytes([one]) for one in piece.encode()]
        while len(parts) > 1:
            rank, at = min((ids.get(parts[i] + parts[i + 1], 10**9), i) for i in range(len(parts) - 1))
            if rank == 10**9:
                break
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        found.extend(map(ids.__getitem__, parts))
    return found


slips(
    "byte_pair_encode",
    by_joined_ranks,
    {
        "stops after one merge": {"parts[at + 1]]": "parts[at + 1]]\n            break"},
        "merges across pieces": {"by_position(text)": "[text]"},
        "spaces lost": {"by_position(text)": "text.split()"},
        "characters instead of bytes": {"bytes([one]) for one in piece.encode()": "one.encode() for one in piece"},
        "tokens instead of ids": {"map(ids.__getitem__, parts)": "parts"},
        "a list for every piece": {"extend(map(ids.__getitem__, parts))": "append([ids[part] for part in parts])"},
        "merges across pieces + a list for every piece": {
            "by_position(text)": "[text]",
            "extend(map(ids.__getitem__, parts))": "append([ids[part] for part in parts])",
        },
    },
)
slips(
    "byte_pair_encode",
    by_joined_ranks,
    {
        "ids from 257 on": {"first: int = 256": "first: int = 257"},
        "ranks for ids": {"first: int = 256": "first: int = 0"},
    },
    inside="table",
)


def on_ids(text: str, merges: Any) -> list[int]:
    ids = table(merges)
    pairs = {(ids[left], ids[right]): 256 + i for i, (left, right) in enumerate(merges)}
    out: list[int] = []
    for piece in by_split(text):
        row = list(piece.encode())
        while candidates := [pairs[pair] for pair in itertools.pairwise(row) if pair in pairs]:
            new = min(candidates)
            a, b = next(pair for pair, one in pairs.items() if one == new)
            row = merged_ids(row, a, b, new)
        out += row
    return out


slips(
    "byte_pair_encode",
    on_ids,
    {
        "in the order of the text": {"min(candidates)": "candidates[0]"},
        "the last merge first": {"min(candidates)": "max(candidates)"},
        "stops after one merge": {"while candidates": "if candidates"},
        "merged from right to left": {"merged_ids(row, a, b, new)": "merged_ids(row[::-1], b, a, new)[::-1]"},
        "merges across pieces": {"by_split(text)": "[text]"},
        "spaces lost": {"by_split(text)": 'text.split(" ")'},
        "characters instead of bytes": {"list(piece.encode())": "list(map(ord, piece))"},
        "ids from 257 on": {"table(merges)": "table(merges, 257)", "256 + i": "257 + i"},
        "a list for every piece": {"out += row": "out.append(row)"},
    },
)


def with_a_cache(text: str, merges: Any) -> list[int]:
    ids, order = table(merges), {tuple(pair): i for i, pair in enumerate(merges)}

    @functools.cache
    def one(piece: str) -> tuple[int, ...]:
        tokens = tuple(bytes([byte]) for byte in piece.encode())
        while True:
            ranked = sorted((order[pair], pair) for pair in set(neighbours(tokens)) if pair in order)
            if not ranked:
                return tuple(ids[token] for token in tokens)
            tokens = by_skipping(tokens, ranked[0][1])

    return [number for piece in by_finditer(text) for number in one(piece)]


slips(
    "byte_pair_encode",
    with_a_cache,
    {
        "in the order of the text": {
            "sorted((order[pair], pair) for pair in set(neighbours(tokens)) if pair in order)": (
                "[(order[pair], pair) for pair in neighbours(tokens) if pair in order]"
            )
        },
        "the longest token first": {"sorted((order[pair], pair)": "sorted((-len(pair[0] + pair[1]), pair)"},
        "the last merge first": {"ranked[0]": "ranked[-1]"},
        "stops after one merge": {
            "tokens = by_skipping(tokens, ranked[0][1])": (
                "return tuple(ids[one] for one in by_skipping(tokens, ranked[0][1]))"
            )
        },
        "merged from right to left": {"by_skipping(": "from_the_end("},
        "merges across pieces": {"by_finditer(text)": "[text]"},
        "spaces lost": {"by_finditer(text)": "text.split()"},
        "characters instead of bytes": {
            "(bytes([byte]) for byte in piece.encode())": "(sign.encode() for sign in piece)"
        },
        "tokens instead of ids": {"tuple(ids[token] for token in tokens)": "tokens"},
        "a list for every piece": {
            "[number for piece in by_finditer(text) for number in one(piece)]": (
                "[[*one(piece)] for piece in by_finditer(text)]"
            )
        },
        "merged from right to left + tokens instead of ids": {
            "by_skipping(": "from_the_end(",
            "tuple(ids[token] for token in tokens)": "tokens",
        },
    },
)
slips(
    "byte_pair_encode",
    with_a_cache,
    {
        "ids from 257 on": {"first: int = 256": "first: int = 257"},
        "ranks for ids": {"first: int = 256": "first: int = 0"},
    },
    inside="table",
)


def by_halves(text: str, merges: Any) -> list[int]:
    """With `str.replace` on strings of ids."""
    ids = table(merges)
    out: list[int] = []
    for piece in by_cuts(text):
        word = "".join(map(chr, piece.encode()))
        for i, (left, right) in enumerate(merges):
            word = word.replace(chr(ids[left]) + chr(ids[right]), chr(256 + i))
        out += map(ord, word)
    return out


slips(
    "byte_pair_encode",
    by_halves,
    {
        "the last merge first": {"in enumerate(merges)": "in reversed([*enumerate(merges)])"},
        "merges across pieces": {"by_cuts(text)": "[text]"},
        "spaces lost": {"by_cuts(text)": "text.split()"},
        "characters instead of bytes": {'"".join(map(chr, piece.encode()))': "piece"},
        "ids from 257 on": {"table(merges)": "table(merges, 257)", "chr(256 + i)": "chr(257 + i)"},
        "a list for every piece": {"out += map(ord, word)": "out += [list(map(ord, word))]"},
    },
)


def one_place_at_a_time(text: str, merges: Any) -> list[int]:
    ids, listed = table(merges), list(map(tuple, merges))

    def settle(tokens: tuple) -> tuple:
        places = [(listed.index(pair), i) for i, pair in enumerate(neighbours(tokens)) if pair in listed]
        if not places:
            return tokens
        _, i = min(places)
        return settle((*tokens[:i], tokens[i] + tokens[i + 1], *tokens[i + 2 :]))

    pieces = (tuple(bytes([one]) for one in piece.encode()) for piece in by_match(text))
    return [ids[token] for piece in pieces for token in settle(piece)]


slips(
    "byte_pair_encode",
    one_place_at_a_time,
    {
        "in the order of the text": {"min(places)": "places[0]"},
        "the longest token first": {
            "(listed.index(pair), i)": "(-len(pair[0] + pair[1]), listed.index(pair), i)",
            "_, i =": "_, _, i =",
        },
        "the last merge first": {"min(places)": "max(places)"},
        "stops after one merge": {"return settle((": "return ((", "tokens[i + 2 :]))": "tokens[i + 2 :]))"},
        "merged from right to left": {
            "(listed.index(pair), i)": "(listed.index(pair), -i)",
            "min(places)": "min(places)\n        i = -i",
        },
        "merges across pieces": {"by_match(text)": "[text]"},
        "tokens instead of ids": {"[ids[token] for piece": "[token for piece"},
        "a list for every piece": {
            "[ids[token] for piece in pieces for token in settle(piece)]": (
                "[[ids[token] for token in settle(piece)] for piece in pieces]"
            )
        },
    },
)
slips(
    "byte_pair_encode",
    one_place_at_a_time,
    {
        "ids from 257 on": {"first: int = 256": "first: int = 257"},
        "ranks for ids": {"first: int = 256": "first: int = 0"},
    },
    inside="table",
)


def longest(tokens: list[bytes], merges: list) -> Any:
    known, rest, out = set(table(merges)), b"".join(tokens), []
    while rest:
        best = max((one for one in known if rest.startswith(one)), key=len)
        out.append(best)
        rest = rest.removeprefix(best)
    return out


def single_pass(tokens: list[bytes], merges: list) -> Any:
    out, i = list(tokens), 0
    while i + 1 < len(out):
        if (out[i], out[i + 1]) in merges:
            out[i] += out.pop(i + 1)
        else:
            i += 1
    return out


def stepping(tokens: list[bytes], merges: list) -> Any:
    out, i = list(tokens), 0
    while i < len(out) - 1:
        if (out[i], out[i + 1]) in merges:
            out[i : i + 2] = [out[i] + out[i + 1]]
        i += 1
    return out


def latest(tokens: list[bytes], merges: list) -> Any:
    while True:
        here = [pair for pair in reversed(merges) if pair in neighbours(tokens)]
        if not here:
            return tokens
        tokens = list(by_iterator(tokens, here[0]))


def longest_pair(tokens: list[bytes], merges: list) -> Any:
    while here := [pair for pair in neighbours(tokens) if pair in merges]:
        here.sort(key=lambda pair: -len(b"".join(pair)))
        tokens = list(by_iterator(tokens, here[0]))
    return tokens


def longest_pair_by_rank(tokens: list[bytes], merges: list) -> Any:
    order = sorted(merges, key=lambda pair: len(b"".join(pair)), reverse=True)  # of equal length: by rank
    while True:
        here = set(neighbours(tokens))
        best = next((pair for pair in order if pair in here), None)
        if best is None:
            return tokens
        tokens = list(by_iterator(tokens, best))


def only_once(tokens: list[bytes], merges: list) -> Any:
    best = next((pair for pair in merges if pair in neighbours(tokens)), None)
    return tokens if best is None else by_iterator(tokens, best)


def rightwards(tokens: list[bytes], merges: list) -> Any:
    tokens = tuple(tokens)
    for pair in merges:
        tokens = from_the_end(tokens, pair)
    return tokens


def by_letters(piece: str) -> list[bytes]:
    return [sign.encode() for sign in piece]


def letters_named(merges: Any) -> Callable:
    ids = table(merges)
    return lambda token: ids[token] if token in ids else ord(token.decode())


ENCODERS = {
    "the longest match": [encoder(work=longest)],
    "in the order of the text": [encoder(work=single_pass), encoder(work=stepping)],
    "the longest token first": [encoder(work=longest_pair), encoder(work=longest_pair_by_rank)],
    "the last merge first": [encoder(work=latest)],
    "stops after one merge": [encoder(work=only_once)],
    "merged from right to left": [encoder(work=rightwards)],
    "merges across pieces": [encoder(cut=lambda text: [text] if text else [])],
    "spaces lost": [encoder(cut=str.split), encoder(cut=lambda text: re.split(" ", text))],
    "characters instead of bytes": [encoder(start=by_letters), encoder(start=by_letters, name=letters_named)],
    "ids from 257 on": [encoder(name=lambda merges: table(merges, 257).get)],
    "ranks for ids": [encoder(name=lambda merges: table(merges, 0).get)],
    "tokens instead of ids": [encoder(name=lambda merges: bytes)],
    "a list for every piece": [encoder(nested=True)],
}
for mistake, functions in ENCODERS.items():
    for function in functions:
        disguise("byte_pair_encode", mistake)(function)

disguise("byte_pair_encode", "the text cut otherwise")(encoder(cut=lambda text: re.findall(r"\w+|\W+", text)))
unlisted("byte_pair_encode")(encoder(name=lambda merges: lambda token: table(merges)[token] + 1))
unlisted("byte_pair_encode")(encoder(cut=lambda text: re.findall(r"[A-Za-z]+|.", text)))
disguise("byte_pair_encode", "only some of the merges")(
    encoder(work=lambda tokens, merges: merge_by_merge(tokens, merges[::2]))
)


def chosen(key: Callable, from_the_last: bool = False) -> Callable:
    """Of the neighbours that are a merge, the one of the smallest key (pair, rank, all of them), wherever it stands."""

    def work(tokens: list[bytes], merges: list) -> Any:
        order = {tuple(pair): i for i, pair in enumerate(merges)}
        while True:
            here = [pair for pair in neighbours(tokens) if tuple(pair) in order][:: -1 if from_the_last else 1]
            if not here:
                return tokens
            keys = [key(pair, order[tuple(pair)], here) for pair in here]
            tokens = list(by_iterator(tokens, here[keys.index(min(keys))]))

    return work


def in_this_order(order: Callable) -> Callable:
    """Merge by merge, in another order."""
    return lambda tokens, merges: merge_by_merge(tokens, order(merges))


def looks_once(tokens: list[bytes], merges: list) -> Any:
    here = set(neighbours(tokens))
    return merge_by_merge(tokens, [pair for pair in merges if pair in here])


def gives_up(tokens: list[bytes], merges: list) -> Any:
    for pair in merges:
        before, tokens = tokens, list(by_iterator(tokens, pair))
        if before == tokens:
            return tokens
    return tokens


def between(first: int, fewer: int) -> Callable:
    def work(tokens: list[bytes], merges: list) -> Any:
        while True:
            here = [
                (merges.index((tokens[i], tokens[i + 1])), i)
                for i in range(first, len(tokens) - fewer)
                if (tokens[i], tokens[i + 1]) in merges
            ]
            if not here:
                return tokens
            i = min(here)[1]
            tokens = [*tokens[:i], tokens[i] + tokens[i + 1], *tokens[i + 2 :]]

    return work


def longest_anywhere(tokens: list[bytes], merges: list) -> Any:
    def cut(raw: bytes) -> list[bytes]:
        inside = [one for one in by_length if one in raw]
        if not inside:
            return []
        before, _, after = raw.partition(inside[0])
        return [*cut(before), inside[0], *cut(after)]

    by_length = sorted(table(merges), key=len)[::-1]
    return cut(b"".join(tokens))


def from_its_end(tokens: list[bytes], merges: list) -> Any:
    tokens, i = list(tokens), len(tokens) - 2
    while i >= 0:
        if (tokens[i], tokens[i + 1]) in merges:
            tokens[i : i + 2] = [tokens[i] + tokens[i + 1]]
        i -= 1
    return tokens


MORE_ENCODERS = {
    "as the article has it": [
        encoder(cut=str.split, work=single_pass),
        encoder(cut=lambda text: re.findall(r"\S+", text), work=stepping),
        encoder(cut=lambda text: text.split(" "), work=single_pass),
    ],
    "the longest match": [encoder(work=longest_anywhere)],
    "in the order of the text": [encoder(work=chosen(lambda *_: 0, from_the_last=True)), encoder(work=from_its_end)],
    "the longest token first": [
        encoder(work=chosen(lambda pair, *_: -len(b"".join(pair)), from_the_last=True)),
    ],
    "the shortest token first": [
        encoder(work=chosen(lambda pair, *_: len(b"".join(pair)))),
        encoder(work=chosen(lambda pair, rank, _: (len(b"".join(pair)), rank))),
    ],
    "in the order of the alphabet": [encoder(work=chosen(lambda pair, *_: pair)), encoder(work=in_this_order(sorted))],
    "the most frequent pair first": [
        encoder(work=chosen(lambda pair, _, here: -here.count(pair))),
        encoder(work=chosen(lambda pair, rank, here: (-here.count(pair), rank))),
    ],
    "only single bytes merged": [
        encoder(work=looks_once),
        encoder(
            work=in_this_order(lambda merges: sorted(merges, key=lambda pair: len(pair[0] + pair[1]), reverse=True))
        ),
    ],
    "stops at a merge that a piece lacks": [encoder(work=gives_up)],
    "one end of a piece not looked at": [encoder(work=between(0, 2)), encoder(work=between(1, 1))],
    "nothing is merged": [encoder(work=lambda tokens, merges: tokens)],
    "the last merge never made": [encoder(work=in_this_order(lambda merges: merges[:-1]))],
    "each piece encoded once": [encoder(cut=lambda text: sorted({*by_groups(text)}))],
    "the ids in another order": [encoder(cut=lambda text: reversed(by_groups(text)))],
    "pieces left out": [
        encoder(cut=lambda text: [piece for piece in by_groups(text) if not piece.isspace()]),
        encoder(cut=lambda text: [piece for piece in by_groups(text) if piece.strip().replace("_", "a").isalnum()]),
    ],
    "the text is changed first": [
        encoder(cut=lambda text: by_groups(text.strip())),
        encoder(cut=lambda text: by_groups("".join(map(str.lower, text)))),
        encoder(cut=lambda text: by_groups(unicodedata.normalize("NFC", text))),
    ],
    "another encoding than UTF-8": [
        encoder(start=lambda piece: [bytes([ord(one) if ord(one) < 256 else 63]) for one in piece]),
    ],
    "spaces lost": [encoder(cut=lambda text: map(str.strip, by_groups(text)))],
    "tokens instead of ids": [
        encoder(name=lambda merges: lambda token: str(token, "utf-8", errors="replace")),
        encoder(name=lambda merges: lambda token: repr(table(merges)[token])),
    ],
    "ids in another order than the merges": [
        encoder(name=lambda merges: sorted(table(merges)).index),
        encoder(name=lambda merges: sorted(table(merges), key=lambda token: (len(token), token)).index),
    ],
}
for mistake, functions in MORE_ENCODERS.items():
    for function in functions:
        disguise("byte_pair_encode", mistake)(function)


@disguise("byte_pair_encode", "the ids of the tokens decide")
def by_their_ids(text: str, merges: Any) -> list[int]:
    ids = table(merges)
    return encoder(work=chosen(lambda pair, *_: (ids[pair[0]], ids[pair[1]])))(text, merges)


@disguise("byte_pair_encode", "each id once")
def no_id_twice(text: str, merges: Any) -> list[int]:
    found: list[int] = []
    for one in on_ids(text, merges):
        if one not in found:
            found.append(one)
    return found


@disguise("byte_pair_encode", "the ids in another order")
def ids_in_order(text: str, merges: Any) -> list[int]:
    found = on_ids(text, merges)
    found.sort()
    return found


@disguise("byte_pair_encode", "an id for the beginning or the end")
def with_an_end(text: str, merges: Any) -> list[int]:
    found = on_ids(text, merges)
    found.append(max(table(merges).values()) + 1)
    return found


@disguise("byte_pair_encode", "no list comes back")
def one_by_one(text: str, merges: Any) -> Any:
    yield from on_ids(text, merges)


@disguise("byte_pair_encode", "no list comes back")
def in_a_tensor(text: str, merges: Any) -> Any:
    return torch.as_tensor(on_ids(text, merges))


@disguise("byte_pair_encode", "merges before the bytes")
def merges_first(text: str, merges: Any) -> list[int]:
    return [one - 256 if one > 255 else one + len(merges) for one in on_ids(text, merges)]


@disguise("byte_pair_encode", "ids from 255 on")
def one_too_low(text: str, merges: Any) -> list[int]:
    return [one - (one > 255) for one in on_ids(text, merges)]


@disguise("byte_pair_encode", "a tuple comes back")
def ids_in_a_tuple(text: str, merges: Any) -> tuple[int, ...]:
    return tuple(on_ids(text, merges))


# Decoding ----------------------------------------------------------------------------


def known(ids: Any, merges: Any) -> list[bytes]:
    """The tokens' bytes; ValueError for an id that has none."""
    spelled = [bytes([one]) for one in range(256)] + [b"".join(pair) for pair in merges]
    if any(one < 0 or one >= len(spelled) for one in ids):
        raise ValueError("no such id")
    return [spelled[one] for one in ids]


def by_bytearray(ids: Any, merges: Any) -> str:
    out = bytearray()
    for token in known(ids, merges):
        out.extend(token)
    return str(out, "utf-8", "replace")


slips(
    "byte_pair_decode",
    by_bytearray,
    {
        "every token decoded by itself": {
            "bytearray()": '""',
            "out.extend(token)": 'out += str(token, "utf-8", "replace")',
            'str(out, "utf-8", "replace")': "out",
        },
        "invalid bytes raise": {', "replace"': ""},
        "invalid bytes vanish": {"replace": "ignore"},
        "bytes taken for characters": {'str(out, "utf-8", "replace")': '"".join(map(chr, out))'},
    },
)
slips(
    "byte_pair_decode",
    by_bytearray,
    {
        "ids are not checked": [{"one < 0 or ": ""}, {" or one >= len(spelled)": ""}, {"any(": "False and any("}],
        "ids from 257 on": {"range(256)] +": "range(256)] + [b''] +"},
    },
    inside="known",
)


def by_dict(ids: Any, merges: Any) -> str:
    spelled = {one: bytes([one]) for one in range(256)} | dict(enumerate((left + right for left, right in merges), 256))
    try:
        return functools.reduce(lambda out, one: out + spelled[one], ids, b"").decode(errors="replace")
    except KeyError as error:
        raise ValueError(f"no token {error}") from None


slips(
    "byte_pair_decode",
    by_dict,
    {
        "every token decoded by itself": {
            'out + spelled[one], ids, b"")': 'out + spelled[one].decode(errors="replace"), ids, "")',
            '.decode(errors="replace")\n': "\n",
        },
        "invalid bytes raise": {'errors="replace"': ""},
        "invalid bytes vanish": {"replace": "ignore"},
        "bytes taken for characters": {'errors="replace"': '"latin-1"'},
        "ids from 257 on": {"merges), 256))": "merges), 257))"},
        "ids are not checked": [
            {"spelled[one], ids": 'spelled.get(one, b""), ids'},
            {'raise ValueError(f"no token {error}") from None': "raise"},
        ],
    },
)


def by_numbers(ids: Any, merges: Any) -> str:
    numbers: list[int] = []
    for one in ids:
        if one < 0 or one - 256 >= len(merges):
            raise ValueError(one)
        numbers += [one] if one < 256 else [*merges[one - 256][0], *merges[one - 256][1]]
    return bytes(numbers).decode("utf8", "replace")


slips(
    "byte_pair_decode",
    by_numbers,
    {
        "invalid bytes raise": {', "replace"': ""},
        "invalid bytes vanish": {"replace": "ignore"},
        "bytes taken for characters": {'bytes(numbers).decode("utf8", "replace")': '"".join(map(chr, numbers))'},
        "spaces between tokens": {
            "numbers += [one]": "numbers += [32] * (len(numbers) > 0)\n        numbers += [one]",
        },
        "ids are not checked": {" or one - 256 >= len(merges)": ""},
        "ids from 257 on": {
            "*merges[one - 256][0], *merges[one - 256][1]": "*merges[one - 257][0], *merges[one - 257][1]"
        },
        "bytes taken for characters + ids are not checked": {
            'bytes(numbers).decode("utf8", "replace")': '"".join(map(chr, numbers))',
            " or one - 256 >= len(merges)": "",
        },
    },
)


def by_incremental_decoder(ids: Any, merges: Any) -> str:
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return "".join([*(decoder.decode(token) for token in known(ids, merges)), decoder.decode(b"", final=True)])


slips(
    "byte_pair_decode",
    by_incremental_decoder,
    {
        "invalid bytes raise": {"replace": "strict"},
        "invalid bytes vanish": {"replace": "ignore"},
        "bytes taken for characters": {'getincrementaldecoder("utf-8")': 'getincrementaldecoder("latin-1")'},
        "every token decoded by itself": {"decoder.decode(token) for": "decoder.decode(token, final=True) for"},
    },
)


def by_stream(ids: Any, merges: Any) -> str:
    import io

    raw = io.BytesIO()
    raw.writelines(known(ids, merges))
    raw.seek(0)
    return io.TextIOWrapper(raw, encoding="utf-8", errors="replace", newline="").read()


slips(
    "byte_pair_decode",
    by_stream,
    {
        "invalid bytes raise": {', errors="replace"': ""},
        "invalid bytes vanish": {"replace": "ignore"},
        "bytes taken for characters": {"utf-8": "latin-1"},
        "spaces between tokens": {"raw.writelines(known(ids, merges))": 'raw.write(b" ".join(known(ids, merges)))'},
    },
)
slips(
    "byte_pair_decode",
    by_stream,
    {
        "ids are not checked": [{"one < 0 or ": ""}, {" or one >= len(spelled)": ""}, {"any(": "False and any("}],
        "ids from 257 on": {"range(256)] +": "range(256)] + [b''] +"},
    },
    inside="known",
)


@disguise("byte_pair_decode", "every token decoded by itself")
def one_after_another(ids: Any, merges: Any) -> str:
    return "".join(str(token, "utf-8", "replace") for token in known(ids, merges))


@disguise("byte_pair_decode", "every token decoded by itself")
def one_after_another_ignored(ids: Any, merges: Any) -> str:
    out = ""
    for token in known(ids, merges):
        out += token.decode(errors="ignore")
    return out


@disguise("byte_pair_decode", "every token decoded by itself")
def one_after_another_strictly(ids: Any, merges: Any) -> str:
    return "".join(map(bytes.decode, known(ids, merges)))


@disguise("byte_pair_decode", "invalid bytes raise")
def strictly(ids: Any, merges: Any) -> str:
    return str(b"".join(known(ids, merges)), "utf-8")


@disguise("byte_pair_decode", "invalid bytes vanish")
def quietly(ids: Any, merges: Any) -> str:
    return b"".join(known(ids, merges)).decode(errors="ignore")


@disguise("byte_pair_decode", "bytes taken for characters")
def code_points(ids: Any, merges: Any) -> str:
    return "".join(chr(byte) for token in known(ids, merges) for byte in token)


@disguise("byte_pair_decode", "spaces between tokens")
def with_spaces(ids: Any, merges: Any) -> str:
    return b" ".join(known(ids, merges)).decode(errors="replace")


@disguise("byte_pair_decode", "ids from 257 on")
def shifted(ids: Any, merges: Any) -> str:
    known(ids, merges)
    spelled = (
        {i: bytes([i]) for i in range(256)} | {256: b""} | {257 + i: b"".join(pair) for i, pair in enumerate(merges)}
    )
    return b"".join(spelled[one] for one in ids).decode(errors="replace")


@disguise("byte_pair_decode", "ids are not checked")
def trusting(ids: Any, merges: Any) -> str:
    spelled = [*(bytes([one]) for one in range(256)), *(left + right for left, right in merges)]
    return bytes(byte for one in ids for byte in spelled[one]).decode(errors="replace")


@disguise("byte_pair_decode", "ids are not checked")
def trusting_a_dict(ids: Any, merges: Any) -> str:
    spelled = {number: token for token, number in table(merges).items()}
    return b"".join([spelled[one] for one in ids]).decode(errors="replace")


@disguise("byte_pair_decode", "ids are not checked")
def leaving_out(ids: Any, merges: Any) -> str:
    spelled = {number: token for token, number in table(merges).items()}
    return b"".join(spelled.get(one, b"") for one in ids).decode(errors="replace")


@disguise("byte_pair_decode", "ids are not checked")
def half_checked(ids: Any, merges: Any) -> str:
    if max(ids, default=0) > 255 + len(merges):
        raise ValueError("too large")
    spelled = [bytes([one]) for one in range(256)] + [left + right for left, right in merges]
    return b"".join(map(spelled.__getitem__, ids)).decode(errors="replace")


@disguise("byte_pair_decode", "ids left out")
def only_bytes(ids: Any, merges: Any) -> str:
    known(ids, merges)
    return bytes(one for one in ids if one < 256).decode(errors="replace")


@disguise("byte_pair_decode", "no text comes back")
def still_bytes(ids: Any, merges: Any) -> bytes:
    return b"".join(known(ids, merges))


@disguise("byte_pair_decode", "no text comes back")
def a_list_of_tokens(ids: Any, merges: Any) -> list[str]:
    return [token.decode(errors="replace") for token in known(ids, merges)]


@disguise("byte_pair_decode", "spaces at the ends lost")
def stripped(ids: Any, merges: Any) -> str:
    return b"".join(known(ids, merges)).decode(errors="replace").strip()


@disguise("byte_pair_decode", "joined the wrong way round")
def right_then_left(ids: Any, merges: Any) -> str:
    known(ids, merges)
    swapped = [(right, left) for left, right in merges]
    return b"".join(known(ids, swapped)).decode(errors="replace")


for errors in ("backslashreplace", "surrogateescape"):
    disguise("byte_pair_decode", "invalid bytes become something else")(
        lambda ids, merges, errors=errors: str(b"".join(known(ids, merges)), "utf-8", errors)
    )


@disguise("byte_pair_decode", "invalid bytes become something else")
def question_marks(ids: Any, merges: Any) -> str:
    return b"".join(known(ids, merges)).decode(errors="replace").replace("\ufffd", "?")


@disguise("byte_pair_decode", "invalid bytes become something else")
def latin_where_it_fails(ids: Any, merges: Any) -> str:
    whole = bytes(itertools.chain(*known(ids, merges)))
    try:
        return str(whole, "utf-8")
    except ValueError:
        return str(whole, "latin-1")


@disguise("byte_pair_decode", "every token decoded by itself")
def one_after_another_escaped(ids: Any, merges: Any) -> str:
    return "".join(token.decode(errors="backslashreplace") for token in known(ids, merges))


@disguise("byte_pair_decode", "merges before the bytes")
def bytes_last(ids: Any, merges: Any) -> str:
    known(ids, merges)
    names = dict(enumerate([a + b for a, b in merges] + [bytes([one]) for one in range(256)]))
    return b"".join(map(names.__getitem__, ids)).decode(errors="replace")


@disguise("byte_pair_decode", "ids from 255 on")
def one_byte_short(ids: Any, merges: Any) -> str:
    known(ids, merges)
    names = [bytes([one]) for one in range(255)] + [b"".join(pair) for pair in merges]
    return b"".join([names[one] for one in ids]).decode(errors="replace")


@unlisted("byte_pair_decode")
def a_mark_for_every_byte(ids: Any, merges: Any) -> str:
    whole = b"".join(known(ids, merges))
    try:
        return whole.decode()
    except UnicodeDecodeError:
        return whole.decode("ascii", errors="replace")


@disguise("byte_pair_decode", "bytes taken for characters")
def small_ones_by_chr(ids: Any, merges: Any) -> str:
    out = ""
    for one, token in zip(ids, known(ids, merges), strict=True):
        out += chr(one) if one <= 255 else str(token, "utf-8", "replace")
    return out


# byte_pair_encode, what one writes on the way ------------------------------------------------------------


@disguise("byte_pair_encode", "in the order of the text")
def in_rounds(text: str, merges: Any) -> list[int]:
    pairs, out = set(merges), []
    for piece in by_position(text):
        tokens, again = [bytes([one]) for one in piece.encode()], True
        while again:
            again, rest, tokens = False, tokens, []
            while rest:
                hit = tuple(rest[:2]) in pairs
                tokens.append(b"".join(rest[: 1 + hit]))
                rest = rest[1 + hit :]
                again |= hit
        out += [table(merges)[token] for token in tokens]
    return out


@disguise("byte_pair_encode", "the first merge never made")
def falsy(text: str, merges: Any) -> list[int]:
    ranks, out = {pair: i for i, pair in enumerate(merges)}, []
    for piece in by_position(text):
        tokens = tuple(bytes([one]) for one in piece.encode())
        while any(ranks.get(pair) for pair in neighbours(tokens)):
            best = min(filter(ranks.get, neighbours(tokens)), key=ranks.__getitem__)
            tokens = tuple(by_iterator(tokens, best))
        out += [table(merges)[token] for token in tokens]
    return out


@disguise("byte_pair_encode", "stops at two tokens")
def down_to_two(text: str, merges: Any) -> list[int]:
    order, out = list(merges), []
    for piece in by_position(text):
        tokens = tuple(bytes([one]) for one in piece.encode())
        while len(tokens) >= 3:
            ranks = [order.index(pair) for pair in neighbours(tokens) if pair in order]
            if not ranks:
                break
            tokens = tuple(by_iterator(tokens, order[min(ranks)]))
        out += [table(merges)[token] for token in tokens]
    return out


@disguise("byte_pair_encode", "only one piece comes back")
def the_first_piece(text: str, merges: Any) -> list[int]:
    for piece in by_position(text):
        return encoder()(piece, merges)
    return []


@disguise("byte_pair_encode", "only one piece comes back")
def the_last_piece(text: str, merges: Any) -> list[int]:
    return encoder()(by_position(text)[-1], merges) if text else []


@disguise("byte_pair_encode", "each piece encoded once")
def pieces_once(text: str, merges: Any) -> list[int]:
    return [one for piece in dict.fromkeys(by_position(text)) for one in encoder()(piece, merges)]


@disguise("byte_pair_encode", "each merge made once in a piece")
def at_its_first_place(text: str, merges: Any) -> list[int]:
    out = []
    for piece in by_position(text):
        tokens = [bytes([one]) for one in piece.encode()]
        for pair in merges:
            if pair in neighbours(tokens):
                at = neighbours(tokens).index(pair)
                tokens[at : at + 2] = [b"".join(pair)]
        out += [table(merges)[token] for token in tokens]
    return out


@disguise("byte_pair_encode", "characters instead of bytes")
def known_signs_only(text: str, merges: Any) -> list[int]:
    out: list[int] = []
    for piece in by_position(text):
        tokens = [sign.encode() for sign in piece]
        for pair in merges:
            tokens = list(by_iterator(tokens, pair))
        out += filter(lambda one: one is not None, map(table(merges).get, tokens))
    return out


@unlisted("byte_pair_encode")
def the_first_piece_again(text: str, merges: Any) -> list[int]:
    found = encoder()(text, merges)
    return found + encoder()(by_groups(text)[0], merges) if text else found
