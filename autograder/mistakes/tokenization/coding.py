"""Wrong ways of byte-pair encoding and back."""

from autograder.mistakes.tokenization.learning import ACROSS, BYTES, CHARACTERS, CUT, DECODE, ENCODE, SIGNS, SPLIT
from autograder.probing.mistake import Mistake

# Encoding ----------------------------------------------------------------------------

ROUND = """while known := [pair for pair in pairwise(tokens) if pair in ranks]:
            tokens = merge_pair(tokens, min(known, key=lambda pair: ranks[pair]))"""
CHOICE = "min(known, key=lambda pair: ranks[pair])"

longest = Mistake(
    "the longest match",
    of=ENCODE,
    swap=ROUND,
    by="""raw, cut = b"".join(tokens), []
        while raw:
            end = next(end for end in range(len(raw), 0, -1) if raw[:end] in ids)
            cut.append(raw[:end])
            raw = raw[end:]
        tokens = tuple(cut)""",
    says="You take the longest token that fits, from left to right. That is how WordPiece encodes. Byte-pair encoding makes the merges in the order in which they were learned, and that often "
    "cuts elsewhere.",
)

TEXT_ORDER = (
    "Merges are made in the order of the text. The pair that you merge is not the one of the lowest rank: a later pair with a lower rank would have been merged first when the merges were "
    "learned. Look at all neighbours of the piece, then merge those of the lowest rank."
)
first_known = Mistake("in the order of the text", of=ENCODE, swap=CHOICE, by="known[0]", says=TEXT_ORDER)
again_from_the_left = Mistake(
    "in the order of the text",
    of=ENCODE,
    swap=ROUND,
    by="""while spots := [i for i, pair in enumerate(pairwise(tokens)) if pair in ranks]:
            at = spots[0]
            tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])""",
    says=TEXT_ORDER,
)
one_pass = Mistake(
    "in the order of the text",
    of=ENCODE,
    swap=ROUND,
    by="""at = 0
        while at < len(tokens) - 1:
            if tokens[at : at + 2] in ranks:
                tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])
            else:
                at += 1""",
    says=TEXT_ORDER,
)
one_step_pass = Mistake(
    "in the order of the text",
    of=ENCODE,
    swap=ROUND,
    by="""at = 0
        while at < len(tokens) - 1:
            if tokens[at : at + 2] in ranks:
                tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])
            at += 1""",
    says=TEXT_ORDER,
)

LONGEST_FIRST = (
    "Of the pairs that are merges you take the one that makes the longest token. What counts is the rank: the merge that was learned first. A long token may need a pair that another merge, "
    "learned earlier, takes apart."
)
longest_first, longest_of_lowest_rank = (
    Mistake("the longest token first", of=ENCODE, swap=CHOICE, by=choice, says=LONGEST_FIRST)
    for choice in (
        "max(known, key=lambda pair: len(pair[0] + pair[1]))",
        "min(known, key=lambda pair: (-len(pair[0] + pair[1]), ranks[pair]))",
    )
)
# One place at a time, and of equally long ones the leftmost: that is the order of the text again.
longest_one_place = Mistake(
    "the longest token first",
    of=ENCODE,
    swap=ROUND,
    by="""while spots := [i for i, pair in enumerate(pairwise(tokens)) if pair in ranks]:
            at = min(spots, key=lambda i: (-len(tokens[i] + tokens[i + 1]), ranks[tokens[i : i + 2]]))
            tokens = (*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :])""",
    says=LONGEST_FIRST,
)

last_learned = Mistake(
    "the last merge first",
    of=ENCODE,
    swap=CHOICE,
    by="max(known, key=lambda pair: ranks[pair])",
    says="Of several merges you make the one that was learned last. It was learned on text in which the earlier ones had been made; make them in the same order, lowest rank first.",
)

backwards = Mistake(
    "the last merge first",
    of=ENCODE,
    swap=ROUND,
    by="""for pair in reversed(merges):
            tokens = merge_pair(tokens, pair)""",
    says="You go through the merges from the last to the first. A merge may need the token of an earlier one; make them in the order in which they were learned, lowest rank first.",
)

one_merge = Mistake(
    "stops after one merge",
    of=ENCODE,
    swap="while known :=",
    by="if known :=",
    says="You make one merge in a piece and stop. A merge makes new neighbours, which may be the next merge: go on until no two neighbours are one.",
)

encode_across = Mistake("merges across pieces", of=ENCODE, swap=CUT, by="[text]", says=ACROSS)
encode_split = Mistake("spaces lost", of=ENCODE, swap=CUT, by="text.split()", says=SPLIT)
encode_split_spaces = Mistake("spaces lost", of=ENCODE, swap=CUT, by='text.split(" ")', says=SPLIT)
encode_characters = Mistake("characters instead of bytes", of=ENCODE, swap=BYTES, by=SIGNS, says=CHARACTERS)
encode_code_points = Mistake(
    "characters instead of bytes",
    of=ENCODE,
    swaps={BYTES: SIGNS, "ids[token] for token": "ids.get(token) or ord(token.decode()) for token"},
    says=CHARACTERS,
)
ENCODED_257 = "The ids of merges are one too high. Bytes have the ids 0 to 255: that is 256 of them, and the first merge has the id 256, not 257."
encode_257 = Mistake("ids from 257 on", of=ENCODE, swap="256 + rank", by="257 + rank", says=ENCODED_257)
rank_for_id = Mistake(
    "ranks for ids",
    of=ENCODE,
    swap="256 + rank",
    by="rank",
    says="The id of a merge's token is not its rank. Ids 0 to 255 belong to the bytes; the token of merge i has the id 256 + i.",
)
tokens_for_ids = Mistake(
    "tokens instead of ids",
    of=ENCODE,
    swap="ids[token] for token in tokens",
    by="token for token in tokens",
    says="Your list holds tokens. A model works with numbers: look up the id of each.",
)
nested = Mistake(
    "a list for every piece",
    of=ENCODE,
    swap="found += [ids[token] for token in tokens]",
    by="found.append([ids[token] for token in tokens])",
    says="You return a list of lists, one for each piece. A text is one row of ids: extend the list instead of appending to it.",
)

# Decoding ----------------------------------------------------------------------------

JOIN = 'b"".join(tokens[one] for one in ids).decode("utf-8", errors="replace")'
ITSELF = (
    "Every token is decoded by itself. A character of several bytes may be spread over two tokens, and then neither half is valid: é comes out as two �. Join the bytes of all tokens "
    "first, then decode once."
)
by_itself, by_itself_ignored, by_itself_strict = (
    Mistake(
        "every token decoded by itself",
        of=DECODE,
        swap=JOIN,
        by=f'"".join(tokens[one].decode("utf-8"{more}) for one in ids)',
        says=ITSELF,
    )
    for more in (', errors="replace"', ', errors="ignore"', "")
)
strict = Mistake(
    "invalid bytes raise",
    of=DECODE,
    swap=', errors="replace"',
    by="",
    says="Bytes that are no valid UTF-8 raise an exception. A model may write any ids in any order, half a character among them, and a program should not fall over that. "
    '`errors="replace"` puts � in their place.',
)
ignored = Mistake(
    "invalid bytes vanish",
    of=DECODE,
    swap='.decode("utf-8", errors="replace")',
    by='.decode("utf-8", errors="ignore")',
    says='Bytes that are no valid UTF-8 vanish without a trace. Nobody would see that something was wrong. `errors="replace"` puts � in their place.',
)
latin = Mistake(
    "bytes taken for characters",
    of=DECODE,
    swap='.decode("utf-8", errors="replace")',
    by='.decode("latin-1")',
    says="Every byte becomes a character of its own: é comes out as Ã©. Bytes are UTF-8, where one character has one to four of them.",
)
spaced = Mistake(
    "spaces between tokens",
    of=DECODE,
    swap='b"".join',
    by='b" ".join',
    says="There are spaces between your tokens. The spaces of the text are inside the tokens; join them by nothing.",
)
decode_257 = Mistake(
    "ids from 257 on",
    of=DECODE,
    swap="for byte in range(256)]",
    by='for byte in range(256)] + [b""]',
    says=ENCODED_257,
)
UNCHECKED = (
    "An id that belongs to no token is not refused. In Python a negative index counts from the end and gives some other token without a word. Raise a ValueError for what lies below 0 or beyond the "
    "last merge, as the given lines did."
)
unchecked = Mistake("ids are not checked", of=DECODE, swap="if unknown:", by="if False:", says=UNCHECKED)
TABLE = "tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]"
unchecked_dict = Mistake(
    "ids are not checked",
    of=DECODE,
    swaps={"if unknown:": "if False:", TABLE: TABLE.replace("tokens = ", "tokens = dict(enumerate(") + "))"},
    says=UNCHECKED,
)
skipped = Mistake(
    "ids are not checked",
    of=DECODE,
    swaps={
        "if unknown:": "if False:",
        "tokens[one] for one in ids": "tokens[one] for one in ids if 0 <= one < vocab_size",
    },
    says=UNCHECKED,
)
negative = Mistake(
    "ids are not checked", of=DECODE, swap="0 <= one < vocab_size", by="one < vocab_size", says=UNCHECKED
)
