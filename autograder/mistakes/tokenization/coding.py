"""Wrong ways of byte-pair encoding and back."""

from collections.abc import Sequence

from autograder.checks.tokenization import byte_pair_decode, byte_pair_encode
from autograder.mistakes.tokenization.learning import (
    ACROSS,
    CHARACTERS,
    CODE_POINTS,
    ENCODING,
    ENCODINGS,
    FROM_CHARACTERS,
    OTHER_CUTS,
    REMAINDER,
    REMAINDERS,
    SAME_IN_ENCODING,
    SPACES_APART,
    SPLIT,
    STRIPPED,
    other_cuts,
)
from autograder.probing.mistake import Way, edit

# Encoding ----------------------------------------------------------------------------

ROUND = """while known := [pair for pair in pairwise(tokens) if pair in ranks]:
            tokens = merge_pair(tokens, min(known, key=lambda pair: ranks[pair]))"""
CHOICE = "min(known, key=lambda pair: ranks[pair])"

byte_pair_encode.mistake(
    "the longest match",
    "You take the longest token that fits, from left to right. That is how WordPiece encodes. Byte-pair encoding makes the merges in the order in which "
    "they were learned, which often gives other tokens.",
    {
        ROUND: """raw, cut = b"".join(tokens), []
        while raw:
            end = next(end for end in range(len(raw), 0, -1) if raw[:end] in ids)
            cut.append(raw[:end])
            raw = raw[end:]
        tokens = tuple(cut)"""
    },
    *(
        edit(
            {
                ROUND: f"""parts = [(b"".join(tokens), False)]
        for token in {order}:
            for i in reversed([i for i, (part, done) in enumerate(parts) if not done and token in part]):
                rows = [[(between, False), (token, True)] for between in parts[i][0].split(token)]
                parts[i : i + 1] = [one for row in rows for one in row if one[0]][:-1]
        tokens = tuple(part for part, _ in parts)"""
            },
            says="You cut out the longest token first, wherever it stands, and then what is left beside it. Byte-pair encoding makes the merges in the order in which they were learned, which often gives other tokens.",
        )
        for order in ("sorted(ids, key=len, reverse=True)", "sorted(ids, key=len)[::-1]")
    ),
)

IN_ORDER = (
    {CHOICE: "known[0]"},
    {
        ROUND: """while spots := [i for i, pair in enumerate(pairwise(tokens)) if pair in ranks]:
            at = spots[0]
            tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])"""
    },
    {
        ROUND: """at = 0
        while at < len(tokens) - 1:
            if tokens[at : at + 2] in ranks:
                tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])
            else:
                at += 1"""
    },
    {
        ROUND: """at = 0
        while at < len(tokens) - 1:
            if tokens[at : at + 2] in ranks:
                tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])
            at += 1"""
    },
    # In rounds, and in each whatever is a merge, from left to right.
    {
        ROUND: """while any(pair in ranks for pair in pairwise(tokens)):
            at = 0
            while at < len(tokens) - 1:
                if tokens[at : at + 2] in ranks:
                    tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])
                at += 1"""
    },
)
"""Ways of making merges in the order of the text."""

byte_pair_encode.mistake(
    "in the order of the text",
    "Merges are made in the order of the text. The pair that you merge is not the pair of the lowest rank: a later pair with a lower rank would have "
    "been merged first when the merges were "
    "learned. Look at all neighbours of the piece, then merge those of the lowest rank.",
    *IN_ORDER,
    *(
        edit(
            change,
            says="Merges are made from the end of a piece. You merge the last pair that is a merge, whatever its rank. A pair before it with a lower rank would have been merged first when the merges were learned. Look at "
            "all neighbours of the piece, then merge those of the lowest rank.",
        )
        for change in (
            {CHOICE: "known[-1]"},
            {
                ROUND: """while spots := [i for i, pair in enumerate(pairwise(tokens)) if pair in ranks]:
            at = spots[-1]
            tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])"""
            },
            {
                ROUND: """for at in range(len(tokens) - 2, -1, -1):
            if tokens[at : at + 2] in ranks:
                tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])"""
            },
        )
    ),
)

# Two at once, but a repair begins with them: their name should not wait until pairs are tried.
byte_pair_encode.mistake(
    "as the article has it",
    "Words come from `split`, and merges are made in the order of the text. The first loses the spaces, which cannot come back when the ids are decoded: cut by `pretokenize(text)`. The second makes a "
    "merge before another of a lower rank, and gives other tokens than were learned: look at all neighbours of the piece, then merge those of the lowest rank.",
    *(way | {"pretokenize(text)": "text.split()"} for way in IN_ORDER),
    IN_ORDER[2] | {"pretokenize(text)": 'text.split(" ")'},
)

byte_pair_encode.mistake(
    "the longest token first",
    "Of the pairs that are merges you take the pair that makes the longest token. The rank decides: the merge that was learned first comes first. A "
    "long token may need a pair that an earlier merge takes apart.",
    {CHOICE: "max(known, key=lambda pair: len(pair[0] + pair[1]))"},
    {CHOICE: "min(known, key=lambda pair: (-len(pair[0] + pair[1]), ranks[pair]))"},
    {CHOICE: "min(known, key=lambda pair: (-len(pair[0] + pair[1]), pair))"},
    {CHOICE: "max(reversed(known), key=lambda pair: len(pair[0] + pair[1]))"},
    {CHOICE: "max(known, key=lambda pair: (len(pair[0] + pair[1]), pair))"},
    # One place at a time, and of equally long ones the leftmost: that is the order of the text again.
    {
        ROUND: """while spots := [i for i, pair in enumerate(pairwise(tokens)) if pair in ranks]:
            at = min(spots, key=lambda i: (-len(tokens[i] + tokens[i + 1]), ranks[tokens[i : i + 2]]))
            tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])"""
    },
)

byte_pair_encode.mistake(
    "the last merge first",
    "Of several merges you make the merge that was learned last. It was learned on text in which the earlier merges had been made; make them in the "
    "same order, lowest rank first.",
    {CHOICE: "max(known, key=lambda pair: ranks[pair])"},
    {
        ROUND: """while spots := [i for i, pair in enumerate(pairwise(tokens)) if pair in ranks]:
            at = max(spots, key=lambda i: (ranks[tokens[i : i + 2]], i))
            tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])"""
    },
    {
        ROUND: """while spots := [i for i, pair in enumerate(pairwise(tokens)) if pair in ranks]:
            at = max(spots, key=lambda i: ranks[tokens[i : i + 2]])
            tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])"""
    },
    edit(
        {
            ROUND: """for pair in reversed(merges):
            tokens = merge_pair(tokens, pair)"""
        },
        says="You go through the merges from the last to the first. A merge may need the token of an earlier one; make them in the order in which they were learned, lowest rank first.",
    ),
)

byte_pair_encode.mistake(
    "stops after one merge",
    "You make one merge in a piece and stop. A merge makes new neighbours, which may be a merge too: go on until no two neighbours are a merge.",
    {"while known :=": "if known :="},
    # At one place only, too; whatever is chosen.
    {
        "while known :=": "if known :=",
        "merge_pair(tokens, ": "(lambda all, pair: (*all[: (at := [*pairwise(all)].index(pair))], pair[0] + pair[1], *all[at + 2 :]))(tokens, ",
    },
    {
        ROUND: """if spots := [i for i, pair in enumerate(pairwise(tokens)) if pair in ranks]:
            at = min(spots, key=lambda i: ranks[tokens[i : i + 2]])
            tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])"""
    },
)

byte_pair_encode.mistake(
    "the shortest token first",
    "Of the pairs that are merges you take the pair that makes the shortest token. The rank decides: the merge that was learned first comes first, however long its token is.",
    {CHOICE: "min(known, key=lambda pair: len(pair[0] + pair[1]))"},
    {CHOICE: "min(known, key=lambda pair: (len(pair[0] + pair[1]), ranks[pair]))"},
    {CHOICE: "min(known, key=lambda pair: (len(pair[0] + pair[1]), pair))"},
)

byte_pair_encode.mistake(
    "in the order of the alphabet",
    "Merges are made in the order of their bytes, as in an alphabet. The rank decides: the merge that was learned first comes first. Where a minimum is taken over pairs, it needs a key: their ranks.",
    {CHOICE: "min(known)"},
    {CHOICE: "min(known, key=lambda pair: pair[0])"},
    {CHOICE: "min(known, key=lambda pair: pair[1])"},
    {CHOICE: "min(known, key=lambda pair: pair[0] + pair[1])"},
    {CHOICE: "max(known)"},
    edit(
        {
            ROUND: """for pair in sorted(ranks):
            tokens = merge_pair(tokens, pair)"""
        },
        says="You sort the merges and make them in the order of their bytes, as in an alphabet. They stand in the list in the order in which they were learned, and in this order they are made.",
    ),
)

byte_pair_encode.mistake(
    "the ids of the tokens decide",
    "You compare the ids of the two tokens. That is how training decides between equally frequent pairs. Here the rank decides: the place of the pair in `merges`.",
    *(
        {CHOICE: f"min(known, key=lambda pair: {key})"}
        for key in (
            "ids[pair[0]]",
            "ids[pair[1]]",
            "(ids[pair[0]], ids[pair[1]])",
            "(ids[pair[1]], ids[pair[0]])",
            "ids[pair[0]] + ids[pair[1]]",
        )
    ),
)

byte_pair_encode.mistake(
    "the most frequent pair first",
    "You merge the pair that stands most often in the piece. Counting belongs to training. When a text is encoded, the rank decides: the merge that was learned first comes first.",
    {CHOICE: "max(known, key=known.count)"},
    {CHOICE: "min(known, key=lambda pair: (-known.count(pair), ranks[pair]))"},
)

byte_pair_encode.mistake(
    "only single bytes merged",
    "Only single bytes are merged, and no token is longer than two bytes. That happens where merges are looked for once, before anything is merged; or where the merges that make long tokens come first, "
    "before the tokens that they need. Every merge makes new neighbours, which may be a merge too.",
    {
        ROUND: """known = {pair for pair in pairwise(tokens) if pair in ranks}
        for pair in sorted(known, key=lambda pair: ranks[pair]):
            tokens = merge_pair(tokens, pair)"""
    },
    {
        ROUND: """for pair in [pair for pair in pairwise(tokens) if pair in ranks]:
            tokens = merge_pair(tokens, pair)"""
    },
)

byte_pair_encode.mistake(
    "stops at a merge that a piece lacks",
    "You stop at the first merge whose pair the piece does not have. Later merges may stand in it all the same: go on to the next merge, `continue` instead of `break`.",
    {
        ROUND: """for pair in merges:
            if pair not in pairwise(tokens):
                break
            tokens = merge_pair(tokens, pair)"""
    },
    {
        ROUND: """for pair in merges:
            if pair[0] + pair[1] not in b"".join(tokens):
                break
            tokens = merge_pair(tokens, pair)"""
    },
)

byte_pair_encode.mistake(
    "one end of a piece not looked at",
    "One end of a piece is not looked at.",
    *(
        edit(
            change,
            says="The last two tokens of a piece are not looked at when you look for merges, unless it has no others. A row of n tokens has n - 1 pairs, the first at 0 and the last at n - 2: look at where your loop ends.",
        )
        for change in (
            {"for pair in pairwise(tokens)": "for pair in pairwise(tokens[:-1] if len(tokens) > 2 else tokens)"},
            {
                ROUND: """while spots := [i for i in range(max(len(tokens) - 2, 1)) if tokens[i : i + 2] in ranks]:
            at = min(spots, key=lambda i: ranks[tokens[i : i + 2]])
            tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])"""
            },
        )
    ),
    *(
        edit(
            change,
            says=f"The {which} two tokens of a piece are not looked at when you look for merges. A row of n tokens has n - 1 pairs, the first at 0 and the last at n - 2: look at where your loop {ends}.",
        )
        for which, ends, inner, range_ in (
            ("last", "ends", "[:-1]", "len(tokens) - 2"),
            ("first", "begins", "[1:]", "1, len(tokens) - 1"),
        )
        for change in (
            {"for pair in pairwise(tokens)": f"for pair in pairwise(tokens{inner})"},
            {
                ROUND: f"""while spots := [i for i in range({range_}) if tokens[i : i + 2] in ranks]:
            at = min(spots, key=lambda i: ranks[tokens[i : i + 2]])
            tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])"""
            },
        )
    ),
)

byte_pair_encode.mistake(
    "nothing is merged",
    "Nothing is merged in the ids that come back: they are those of the single bytes. Where a merge is made, the tokens have to become the merged ones, `tokens = merge_pair(tokens, pair)`.",
    {ROUND: "pass"},
)

byte_pair_encode.mistake(
    "the last merge never made",
    "The last merge of the list is never made. Look at where your loop over the merges ends.",
    {"enumerate(merges)}": "enumerate(merges[:-1])}"},
)

RANKED = "{pair: rank for rank, pair in enumerate(merges)}"

byte_pair_encode.mistake(
    "only some of the merges",
    "Only some of the merges that you are given are ever made. All of them count, down to the last of the list.",
    *(
        {"enumerate(merges)}": f"enumerate(merges[{some}])}}"}
        for some in (": max(1, len(merges) // 2)", ": len(merges) // 2", "len(merges) // 2 :", "::2", "1::2")
    ),
    *(
        {RANKED: f"{{pair: rank for rank, pair in enumerate(merges) if {which}}}"}
        for which in ("rank % 2 == 0", "rank % 2", "rank >= len(merges) // 2")
    ),
)

byte_pair_encode.mistake(
    "merges from a set",
    "You go through the merges in the order of a set, which is none: it is another with every start of Python. They stand in the list in the order in which they were learned, and in this order they are made.",
    edit(
        {
            ROUND: """for pair in set(merges):
            tokens = merge_pair(tokens, pair)"""
        },
        varies=True,
    ),
)

ONE_BY_ONE = """while spots := [i for i, pair in enumerate(pairwise(tokens)) if pair in ranks]:
            at = min(spots, key=lambda i: ranks[tokens[i : i + 2]])
            tokens = (*tokens[:at], {joined}, *tokens[at + 2 :])"""

byte_pair_encode.mistake(
    "a turned pair merged too",
    "You merge a pair in either order. (a, b) is a then b; where b stands before a, it is another pair, and perhaps another merge.",
    *(
        {RANKED: "{turned: rank for rank, pair in enumerate(merges) for turned in (pair, pair[::-1])}"} | way
        for way in ({}, {ROUND: ONE_BY_ONE.format(joined="tokens[at] + tokens[at + 1]")})
    ),
)

byte_pair_encode.mistake(
    "joined the wrong way round",
    "The two tokens are joined the wrong way round: right, then left. What comes of it is no token that was learned. Of (t, h) comes `th`: left, then right.",
    *(
        {
            ROUND: ONE_BY_ONE.format(joined="tokens[at + 1] + tokens[at]"),
            "ids[token] for token": f"{looked_up} for token",
        }
        for looked_up in ("ids.get(token, 0)", "ids.get(token)", "ids.get(token, -1)")
    ),
)

byte_pair_encode.mistake(
    "the first merge never made",
    "The first merge, of rank 0, is never made. Lists begin at 0, so a loop over all merges does too; and 0 counts as False, so `if ranks.get(pair)` ignores this merge: ask `pair in ranks`, or `is not None`.",
    {"if pair in ranks": "if ranks.get(pair)"},
)

byte_pair_encode.mistake(
    "stops at two tokens",
    "You stop merging when a piece has two tokens left. These two may be a merge as well: go on until no two neighbours are a merge.",
    {"while known :=": "while len(tokens) > 2 and (known :=", "if pair in ranks]:": "if pair in ranks]):"},
)

byte_pair_encode.mistake(
    "only one piece comes back",
    "Only the last piece comes back. The list is made anew for every piece: extend it, `found += [...]`.",
    {"found += [": "found = ["},
    *(
        edit(
            {"    return found": first},
            says="Only the first piece comes back. Your `return` stands inside the loop, which ends there. Put it after the loop, one step further left.",
        )
        for first in ("        return found\n    return found", "        return found")
    ),
)

byte_pair_encode.mistake(
    "each merge made once in a piece",
    "A merge is made at one place of a piece and nowhere else. In `banana` the pair (a, n) stands twice, and both are merged, as they were in training. Make a merge wherever its pair stands.",
    {
        ROUND: """for pair in merges:
            at = next((i for i, one in enumerate(pairwise(tokens)) if one == pair), len(tokens))
            tokens = (*tokens[:at], *([pair[0] + pair[1]] if at < len(tokens) else ()), *tokens[at + 2 :])"""
    },
)

byte_pair_encode.mistake(
    "each piece encoded once",
    "A piece that occurs again is left out. A dict or a set holds each piece once. That is right in training, but here the text has to come back as it was.",
    {"pretokenize(text)": "dict.fromkeys(pretokenize(text))"},
    {"pretokenize(text)": "sorted(set(pretokenize(text)))"},
)

byte_pair_encode.mistake(
    "each id once",
    "An id that occurs again is left out. A dict or a set holds each id once, but the text has its tokens as often as they stand in it.",
    {"return found": "return list(dict.fromkeys(found))"},
    {"return found": "return sorted(set(found))"},
    {"return found": "return list(set(found))"},
)

byte_pair_encode.mistake(
    "the ids in another order",
    "The ids are not in the order of the text. Decoded, they would give another text: add the ids of each piece at the end, in the order of its tokens.",
    {"return found": "return sorted(found)"},
    {"return found": "return found[::-1]"},
    {"for token in tokens]": "for token in tokens[::-1]]"},
    {"pretokenize(text)": "pretokenize(text)[::-1]"},
)

byte_pair_encode.mistake(
    "pieces left out",
    "Pieces of whitespace are left out. They are text too, and what has no ids cannot come back when the ids are decoded. Encode all pieces of `pretokenize(text)`.",
    {"in pretokenize(text)": "in filter(str.strip, pretokenize(text))"},
    edit(
        {"in pretokenize(text)": "in (one for one in pretokenize(text) if one[-1].isalnum() or one[-1] == '_')"},
        says="Only words are encoded. Other characters and runs of whitespace are text too, and what has no ids cannot come back when the ids are decoded. Encode all pieces of `pretokenize(text)`.",
    ),
    edit(
        {"pretokenize(text)": 're.findall(r" ?\\w+", text)'},
        says="Only words are encoded. Other characters and runs of whitespace are text too, and what has no ids cannot come back when the ids are decoded. Encode all pieces of `pretokenize(text)`.",
    ),
    edit(
        {"pretokenize(text)": 're.findall(r"\\w+", text)'},
        says="Only words are encoded, without their spaces. Everything else is text too, and what has no ids cannot come back when the ids are decoded. Encode all pieces of `pretokenize(text)`.",
    ),
)

byte_pair_encode.mistake(
    "tokens left out",
    "Some tokens have no id in your list. Joined, the tokens are the bytes of the text: every token that is left has an id, single bytes as well as merges.",
    *(
        edit(
            {"for token in tokens]": f"for token in tokens if {which}]"},
            says=f"{what} have no id in your list. Joined, the tokens are the bytes of the text, so each of them has one.",
        )
        for which, what in (
            ("token.isascii()", "Tokens with bytes from 128 on"),
            ("max(token) < 128", "Tokens with bytes from 128 on"),
            ("len(token) > 1 or token.isascii()", "Single bytes from 128 on"),
            ("len(token) > 1", "Single bytes"),
            ("len(token) == 1", "The tokens of merges"),
            ("token.strip()", "Spaces that stand alone"),
        )
    ),
    *(
        edit(
            {"for token in tokens]": f"for token in tokens{kept}]"},
            says=f"The {which} token of every piece has no id in your list. Joined, the tokens are the bytes of the text, so each of them has one. Look at where your loop {ends}.",
        )
        for kept, which, ends in (("[:-1]", "last", "ends"), ("[1:]", "first", "begins"))
    ),
)

byte_pair_encode.mistake(
    "bytes numbered by the text",
    "Single bytes have the ids in which they come in the text, or in the alphabet of the text. The id of a byte is its value, 0 to 255, whatever the text is: else two texts have other ids for one letter.",
    *(
        {"{bytes([byte]): byte for byte in range(256)}": f"{{bytes([byte]): i for i, byte in enumerate({order})}}"}
        | merged
        for order in ("sorted(set(text.encode()))", "dict.fromkeys(text.encode())")
        for merged in ({}, {"ids |= {left + right: 256 + rank": "ids |= {left + right: len(ids) + rank"})
    ),
)

byte_pair_encode.mistake(
    "the text is changed first",
    "The text is changed before it is encoded. What comes back when the ids are decoded is then another text. Encode it as it is, without `lower`, `strip` and the like.",
    *(
        {"pretokenize(text)": f"pretokenize({change})"}
        for change in (
            "text.lower()",
            "text.upper()",
            "text.casefold()",
            "text.strip()",
            'text.encode("ascii", "ignore").decode()',
            'text.encode("ascii", "replace").decode()',
            '" ".join(text.split())',
        )
    ),
    *(
        edit(
            {"pretokenize(text)": f'pretokenize(__import__("unicodedata").normalize("{form}", text))'},
            says=f"The text is changed before it is encoded. You write its characters in the form {form} of Unicode, in which some are others than before, and they cannot come back. Encode the text as it is.",
        )
        for form in ("NFC", "NFD", "NFKC", "NFKD")
    ),
    edit(
        {"pretokenize(text)": 'pretokenize(" " + text)'},
        says="The text is changed before it is encoded. You put a space in front of it, as some tokenizers do, and the space comes back when the ids are decoded. Encode the text as it is.",
    ),
)

byte_pair_encode.mistake(
    "another encoding than UTF-8",
    ENCODING,
    *ENCODINGS,
)

# In these three nothing that was learned reaches across, or the text comes to the same as one that is changed first.
other_cuts(
    byte_pair_encode.mistake,
    [(cut, what) for cut, what in OTHER_CUTS + SPACES_APART if cut not in SAME_IN_ENCODING],
)

byte_pair_encode.mistake(
    "merges across pieces",
    ACROSS,
    {"pretokenize(text)": "[text]"},
)

byte_pair_encode.mistake(
    "spaces lost",
    SPLIT,
    {"pretokenize(text)": "text.split()"},
    {"pretokenize(text)": 'text.split(" ")'},
    edit(
        {"byte_tokens(piece)": "byte_tokens(piece.strip())"},
        says=STRIPPED,
    ),
    edit({"byte_tokens(piece)": "byte_tokens(piece.strip() or piece)"}, says=STRIPPED),
)

byte_pair_encode.mistake(
    "characters instead of bytes",
    CHARACTERS,
    FROM_CHARACTERS,
    FROM_CHARACTERS | {"[ids[token] for token in tokens]": "[ids[token] for token in tokens if token in ids]"},
    FROM_CHARACTERS
    | {
        "[ids[token] for token in tokens]": "[i for token in tokens for i in ([ids[token]] if token in ids else token)]"
    },
    FROM_CHARACTERS | {"ids[token] for token": "ids.get(token, 0) for token"},
    FROM_CHARACTERS | {"ids[token] for token": "ids.get(token) or ord(token.decode()) for token"},
    # From code points: one below 256 passes for a byte.
    edit(REMAINDERS, says=REMAINDER),
    CODE_POINTS | {"ids[token] for token": 'ids[token] if token in ids else ord(token.decode("utf-32")) for token'},
)

ENCODED_257 = "The ids of merges are one too high. Bytes have the ids 0 to 255: that is 256 of them, and the first merge has the id 256, not 257."

byte_pair_encode.mistake(
    "ids from 257 on",
    ENCODED_257,
    {"256 + rank": "257 + rank"},
)

byte_pair_encode.mistake(
    "ranks for ids",
    "The id of a merge's token is not its rank. Ids 0 to 255 belong to the bytes; the token of merge i has the id 256 + i.",
    {"256 + rank": "rank"},
)

BYTES_LAST = "The merges have the first ids, and the bytes have the ids after them. Here the bytes come first: a byte's id is its value, 0 to 255, whatever was learned, and the token of merge i has the id 256 + i."

byte_pair_encode.mistake(
    "merges before the bytes",
    BYTES_LAST,
    {"bytes([byte]): byte for": "bytes([byte]): len(merges) + byte for", "256 + rank": "rank"},
)

byte_pair_encode.mistake(
    "ids in another order than the merges",
    "The ids are not in the order of the merges. Bytes have the ids 0 to 255, their values, and the token of merge i has the id 256 + i: nothing is sorted.",
    *(
        {"found = []": f"{numbered}\n    found = []"}
        for numbered in (
            "ids = {token: i for i, token in enumerate(sorted(ids))}",
            "ids = {token: i for i, token in enumerate(sorted(ids, key=lambda token: (len(token), token)))}",
            "ids = {token: i for i, token in enumerate(sorted(ids, key=len))}",
            "ids |= {token: 256 + i for i, token in enumerate(sorted(left + right for left, right in merges))}",
            "ids |= {left + right: 255 + len(merges) - i for i, (left, right) in enumerate(merges)}",
        )
    ),
)

byte_pair_encode.mistake(
    "an id for the beginning or the end",
    "There is one more id than the text has tokens. A text is encoded as it is; special tokens are put beside it by whoever needs them.",
    edit(
        {"return found": "return [*found, 256 + len(merges)]"},
        says="After the last token there is one more id, that of an end. A text is encoded as it is; special tokens are put behind it by whoever needs them.",
    ),
    edit(
        {"return found": "return [256 + len(merges), *found]"},
        says="Before the first token there is one more id, that of a beginning. A text is encoded as it is; special tokens are put before it by whoever needs them.",
    ),
)

ENCODED_255 = "The ids of merges are one too low. 255 is the last byte; the first merge has the id 256."

byte_pair_encode.mistake(
    "ids from 255 on",
    ENCODED_255,
    {"256 + rank": "255 + rank"},
)

byte_pair_encode.mistake(
    "a tuple comes back",
    "A tuple comes back, and a list is promised. Code that joins two texts, `ids + [end]`, fails far from here.",
    {"return found": "return tuple(found)"},
)

byte_pair_encode.mistake(
    "tokens instead of ids",
    "Your list holds tokens. A model works with numbers: look up the id of each.",
    {"ids[token] for token in tokens": "token for token in tokens"},
    *(
        edit(
            {"ids[token] for token in tokens": f"token.decode({how}) for token in tokens"},
            says="Your list holds texts. A model works with numbers: look up the id of each token.",
        )
        for how in ('"latin-1"', '"utf-8", "replace"', '"utf-8", "ignore"')
    ),
    edit(
        {"ids[token] for token in tokens": "str(ids[token]) for token in tokens"},
        says="Your ids are texts, such as '97'. A model works with numbers: leave out `str`.",
    ),
)

byte_pair_encode.mistake(
    "no list comes back",
    "No list comes back. A list of ids is promised, which can be gone through again and joined to others.",
    edit(
        {"return found": "return iter(found)"},
        says="An iterator comes back, and a list is promised. An iterator can be gone through once and has no length: put a list round it.",
    ),
    edit(
        {"return found": "return (one for one in found)"},
        says="A generator comes back, and a list is promised. A generator can be gone through once and has no length: put a list round it.",
    ),
    edit(
        {"return found": 'return __import__("torch").tensor(found)'},
        says="A tensor comes back, and a list is promised. Joining two texts with `+` would add their ids. Make a tensor where a model needs one.",
    ),
    edit(
        {"return found": "return set(found)"},
        says="A set comes back, and a list is promised. A set holds each id once, in no order: the text cannot be read from it.",
    ),
    edit(
        {"return found": "return len(found)"},
        says="A number comes back: how many tokens there are. A list of their ids is promised.",
    ),
    edit(
        {"return found": 'return "".join(map(chr, found))'},
        says="A text comes back, and a list of ids is promised.",
    ),
)

byte_pair_encode.mistake(
    "a list for every piece",
    "You return a list of lists, one for each piece. A text is one row of ids: extend the list instead of appending to it.",
    {"found += [ids[token] for token in tokens]": "found.append([ids[token] for token in tokens])"},
    edit(
        {"return found": "return [found]"},
        says="You return a list with a list in it. A text is one row of ids: return the row itself.",
    ),
)

# Decoding ----------------------------------------------------------------------------

JOIN = 'b"".join(tokens[one] for one in ids).decode("utf-8", errors="replace")'


def _each_by_itself(end: str, errors: str = "") -> Way:
    says = f"Every token is decoded by itself. A character of several bytes may be spread over two tokens, and then neither half is valid: {end} Join the bytes of all tokens first, then decode once."
    return edit({JOIN: f'"".join(tokens[one].decode("utf-8"{errors}) for one in ids)'}, says=says)


byte_pair_decode.mistake(
    "every token decoded by itself",
    "Every token is decoded by itself. Join the bytes of all tokens first, then decode once.",
    _each_by_itself("é comes out as two �.", ', errors="replace"'),
    _each_by_itself("é vanishes.", ', errors="ignore"'),
    _each_by_itself("é raises a UnicodeDecodeError."),
    _each_by_itself(r"é comes out as \\xc3\\xa9.", ', errors="backslashreplace"'),
)

byte_pair_decode.mistake(
    "invalid bytes raise",
    "Bytes that are not valid UTF-8 raise an exception. A model may write any ids in any order, even half a character, and that should not stop a program. "
    '`errors="replace"` puts � in their place.',
    {', errors="replace"': ""},
)

byte_pair_decode.mistake(
    "invalid bytes vanish",
    'Bytes that are not valid UTF-8 vanish. Nobody would see that something was wrong. `errors="replace"` puts � in their place.',
    {'.decode("utf-8", errors="replace")': '.decode("utf-8", errors="ignore")'},
    edit(
        {'errors="replace")': 'errors="replace").rstrip("\ufffd")'},
        says="Bytes that are not valid UTF-8 vanish at the end of the text. A half character there is what a model wrote; nobody would see that something was wrong. Leave � in its place.",
    ),
)


def _marked(errors: str, end: str) -> Way:
    says = f'Bytes that are not valid UTF-8 do not become �. {end} `errors="replace"` puts � in their place.'
    # A half character is not stored as it is, so it is always run.
    return edit({', errors="replace"': f', errors="{errors}"'}, says=says, varies=errors == "surrogateescape")


def _latin_instead(ids: Sequence[int], merges: Sequence[tuple[bytes, bytes]]) -> str:
    from solutions.tokenization import byte_pair_decode as right

    right(ids, merges)
    tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
    joined = b"".join(tokens[one] for one in ids)
    try:
        return joined.decode("utf-8")
    except UnicodeDecodeError:
        return joined.decode("latin-1")


byte_pair_decode.mistake(
    "invalid bytes become something else",
    "Bytes that are not valid UTF-8 do not become �.",
    _marked("backslashreplace", r"You write their numbers, `\\x97`, which look like text that the model meant."),
    _marked("surrogateescape", "They become half characters that no file or page can hold."),
    edit(
        {', errors="replace")': ', errors="replace").replace("\\ufffd", "?")'},
        says='Bytes that are not valid UTF-8 become a question mark. Nobody can tell it from a question mark that the model wrote; `errors="replace"` '
        "puts � in their place.",
    ),
    edit(
        {JOIN: f're.sub("\ufffd+", "\ufffd", {JOIN})'},
        says="Several � in a row become a single one. Python writes one for each place that is not valid; leave the text as `decode` gives it.",
    ),
    Way(
        instead=_latin_instead,
        says="A text with bytes that are not valid UTF-8 is read as Latin-1 from beginning to end. Then each of its characters of several bytes comes "
        "out as several wrong characters. "
        '`errors="replace"` puts � where the invalid bytes are, and leaves the rest alone.',
    ),
)

byte_pair_decode.mistake(
    "merges before the bytes",
    BYTES_LAST,
    {
        "[bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]": "[left + right for left, right in merges] + [bytes([byte]) for byte in range(256)]"
    },
)

byte_pair_decode.mistake(
    "ids from 255 on",
    ENCODED_255,
    {"for byte in range(256)]": "for byte in range(255)]"},
    {"tokens[one] for one in ids": "(tokens[one] if one < 256 else tokens[(one + 1) % vocab_size]) for one in ids"},
)

byte_pair_decode.mistake(
    "bytes taken for characters",
    "Every byte becomes a character of its own: é comes out as Ã©. The bytes are UTF-8, which writes a character with one to four bytes.",
    {'.decode("utf-8", errors="replace")': '.decode("latin-1")'},
    edit(
        {JOIN: '"".join(chr(one) if one < 256 else tokens[one].decode("utf-8", "replace") for one in ids)'},
        says="Every id below 256 becomes a character of its own: é comes out as Ã©. Such an id is a byte, and a character may be spread over several. Join the bytes of all tokens first, then decode once.",
    ),
)

byte_pair_decode.mistake(
    "joined the wrong way round",
    "The halves of a merge are joined the wrong way round. (t, h) makes `th`, not `ht`: left, then right.",
    {"[left + right for": "[right + left for"},
)

byte_pair_decode.mistake(
    "spaces at the ends lost",
    "Spaces at the beginning or the end of the text are lost. They are in the tokens, and ` the` is another token than `the`: do not strip what you decode.",
    {'errors="replace")': 'errors="replace").strip()'},
)

byte_pair_decode.mistake(
    "spaces between tokens",
    "There are spaces between your tokens. The spaces of the text are inside the tokens; join the tokens without anything between them.",
    {'b"".join': 'b" ".join'},
)

byte_pair_decode.mistake(
    "ids from 257 on",
    ENCODED_257,
    {"for byte in range(256)]": 'for byte in range(256)] + [b""]'},
    # `merges[one - 257]` takes the last merge for 256; a dict of the ids refuses it.
    {"for byte in range(256)]": "for byte in range(256)] + [left + right for left, right in merges[-1:]]"},
    {
        "vocab_size = 256": "vocab_size = 257",
        "if not 0 <= one < vocab_size": "if not 0 <= one < vocab_size or one == 256",
        "for byte in range(256)]": 'for byte in range(256)] + [b""]',
    },
    # The guard is shifted, too, so that the last merge has an id.
    *(
        {"vocab_size = 256": "vocab_size = 257", "for byte in range(256)]": f"for byte in range(256)] + {between}"}
        for between in ('[b""]', "[left + right for left, right in merges[-1:]]")
    ),
)

TABLE = "tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]"

byte_pair_decode.mistake(
    "ids are not checked",
    "An id that belongs to no token is not refused. In Python a negative index counts from the end and gives some other token without an error. Raise a "
    "ValueError for ids below 0 or beyond the last merge, as the given lines did.",
    {"if unknown:": "if False:"},
    {"if unknown:": "if False:", TABLE: TABLE.replace("tokens = ", "tokens = dict(enumerate(") + "))"},
    {"if unknown:": "if False:", "tokens[one] for one in ids": "tokens[one] for one in ids if 0 <= one < vocab_size"},
    {"0 <= one < vocab_size": "one < vocab_size"},
    {"0 <= one < vocab_size": "0 <= one"},
)
byte_pair_decode.mistake(
    "ids are not checked at the limits",
    "The first id beyond the last merge is not refused. Ids go from 0 to vocab_size - 1, so vocab_size is none: `one < vocab_size`. Raise a ValueError for it, as the given lines did.",
    *(
        {"0 <= one < vocab_size": f"{limits} <= vocab_size"} | table
        for limits in ("0 <= one", "one")
        for table in ({}, {TABLE: TABLE.replace("tokens = ", "tokens = dict(enumerate(") + "))"})
    ),
)

byte_pair_decode.mistake(
    "another encoding than UTF-8",
    "You decode with another encoding than UTF-8. The bytes came from `encode`, which writes UTF-8; read in another encoding they are other characters.",
    *(
        edit(
            {'"utf-8", errors="replace"': f'"{encoding}", errors="replace"'},
            says=f"You decode {encoding}. {what} The bytes came from `encode`, which writes UTF-8.",
        )
        for encoding, what in (
            ("ascii", "It knows 128 characters, and every byte of any other becomes �."),
            ("cp1252", "It makes a character of each byte: é comes out as Ã©."),
            ("utf-16-le", "It makes a character of every two bytes."),
            ("utf-16", "It makes a character of every two bytes."),
        )
    ),
)

byte_pair_decode.mistake(
    "characters changed or lost",
    "The text is changed after it was decoded. What was encoded has to come back as it was, without `strip`, `replace` and the like.",
    edit(
        {'"utf-8", errors="replace"': '"utf-8-sig", errors="replace"'},
        says="The character U+FEFF is lost at the beginning of a text: `utf-8-sig` takes it for the mark of a file. What was encoded has to come back as it was: `utf-8`.",
    ),
    edit(
        {'.decode("utf-8", errors="replace")': '.replace(b"\\0", b"").decode("utf-8", errors="replace")'},
        says="The character U+0000 is lost. It has the id 0, and 0 counts as False in Python; what was encoded has to come back as it was.",
    ),
    edit(
        {'errors="replace")': 'errors="replace").replace("\\r\\n", "\\n")'},
        says="Line ends are changed. What was encoded has to come back as it was, without `replace` and `splitlines`.",
    ),
    *(
        edit(
            {JOIN: f'__import__("unicodedata").normalize("{form}", {JOIN})'},
            says=f"You write the characters in the form {form} of Unicode, in which some are others than before. What was encoded has to come back as it was.",
        )
        for form in ("NFC", "NFD", "NFKC", "NFKD")
    ),
    *({'errors="replace")': f'errors="replace").{change}()'} for change in ("lower", "lstrip", "rstrip")),
)

byte_pair_decode.mistake(
    "no text comes back",
    "No text comes back.",
    edit(
        {'.decode("utf-8", errors="replace")': ""},
        says="Bytes come back, and a text is promised: decode them once they are joined.",
    ),
    edit(
        {JOIN: 'str(b"".join(tokens[one] for one in ids))'},
        says="You write the bytes as Python shows them, with b and quotation marks. `str` does not decode: `.decode(...)` does.",
    ),
    *(
        edit(
            {JOIN: f'[tokens[one].decode("utf-8"{errors}) for one in ids]'},
            says="A list of texts comes back, one for each token. Join the bytes of all tokens first, then decode once.",
        )
        for errors in (', errors="replace"', ', errors="ignore"', "")
    ),
    edit(
        {JOIN: "[tokens[one] for one in ids]"},
        says="A list of tokens comes back. Join them, then decode once.",
    ),
)

byte_pair_decode.mistake(
    "one half of a merge",
    "Of a merge you take one half. The token of merge i is both halves joined, `left + right`.",
    *({"[left + right for left": f"[{half} for left"} for half in ("left", "right", "left + left", "right + right")),
)

byte_pair_decode.mistake(
    "tokens in reverse",
    "The tokens are joined from the last to the first. Where they are added one by one, the new one stands behind: `joined + token`.",
    {"tokens[one] for one in ids)": "tokens[one] for one in reversed(ids))"},
)

byte_pair_decode.mistake(
    "ids left out",
    "Some ids are left out. Every id stands for some bytes of the text.",
    *(
        edit(
            {"tokens[one] for one in ids)": f"tokens[one] for one in {some})"},
            says=f"{which} Every id stands for some bytes of the text, and all of them are needed.",
        )
        for some, which in (
            ("ids[:-1]", "The last id is left out."),
            ("ids[1:]", "The first id is left out."),
            ("ids[:1]", "Only the first id is decoded: a `return` inside the loop ends it there."),
            ("ids[-1:]", "Only the last id is decoded: what was joined before is written over."),
            ("dict.fromkeys(ids)", "An id that stands there twice is decoded once."),
            ("[one for one in ids if one < 128 or one > 255]", "Single bytes from 128 on are left out."),
            ("[one for one in ids if one < 128]", "All ids from 128 on are left out."),
            ("[one for one in ids if one < 256]", "The ids of merges are left out."),
            ("[one for one in ids if one > 255]", "The ids of single bytes are left out."),
        )
    ),
)

byte_pair_decode.mistake(
    "merges in another order",
    "An id gives another merge than its own. The token of merge i has the id 256 + i: `merges[one - 256]`, in the order in which they were learned.",
    {"for left, right in merges]": "for left, right in sorted(merges)]"},
    {"for left, right in merges]": "for left, right in reversed(merges)]"},
    {"tokens[one] for one in ids": "(tokens[one] if one < 256 else tokens[256 + one % len(merges)]) for one in ids"},
)

byte_pair_decode.mistake(
    "merges in the place of bytes",
    "The merges stand where the first bytes belong. Ids 0 to 255 are single bytes, and the token of merge i has the id 256 + i: begin to number the merges at 256.",
    {TABLE: f"{TABLE}\n    tokens[: len(merges)] = tokens[256:]"},
)
