"""Wrong ways of learning which pairs to merge."""

from collections.abc import Callable, Sequence

from autograder.checks.tokenization import byte_pair_train, byte_pair_train_fast
from autograder.probing.mistake import edit

BOTH = (byte_pair_train, byte_pair_train_fast)

RULE = "(-counts[pair], ids[pair[0]], ids[pair[1]])"
BEST = f"best = min(counts, key=lambda pair: {RULE})"
NEW_IDS = "range(256, vocab_size)"
MERGE_ALL = "words = {merge_pair(word, best): count for word, count in words.items()}"
NOTE = "merges.append(best)"
NEW_ID = "ids[best[0] + best[1]] = new_id"
TIE = "Among equally frequent pairs the lowest id of the left token wins, then the lowest id of the right token"

MET_LAST = "best = max(reversed(list(counts)), key=lambda pair: counts[pair])"
LAST_SEEN = f"Of equally frequent pairs you take the pair that you met last, and then the merges depend on the order of the text. {TIE}."
IN_TABLE = {
    "if counts[pair] == 0:": "if False:",
    "if not counts:": "if max(counts.values(), default=0) <= 0:",
    "places.pop(best)": "sorted(places.pop(best))",
}
"""Pairs that are gone keep their place in the table."""

# It shows in one probe only; standing first, its pairs come first among those that fit alike.
ALL_WORDS_AGAIN = f"{NEW_ID}\n        count_pairs({{merge_pair(one, (b'', b'')): n for one, n in words}})"

byte_pair_train_fast.mistake(
    "everything is counted anew",
    "It is as slow as before: for 24 merges your code does far more than for one, though they change 12 words of 112. Count once; after "
    "a merge, correct only the counts from the words that hold the pair, and leave all other counts as they are.",
    {NEW_ID: ALL_WORDS_AGAIN},
)

# Training: which pair ----------------------------------------------------------------------------

byte_pair_train.mistake(
    "ties: the first that was seen",
    f"Of equally frequent pairs you take the pair that you met first. `max(counts, key=counts.get)` does that, and then the merges depend on the order "
    f"of the text. {TIE}.",
    {RULE: "-counts[pair]"},
    edit({BEST: MET_LAST}, says=LAST_SEEN),
    edit(
        {BEST: "best = max(set(counts), key=lambda pair: counts[pair])"},
        says=f"Of equally frequent pairs you take whichever a set or the like has first, and that is another with every start of Python. {TIE}.",
        varies=True,
    ),
    # In the fast one a pair that was gone and comes back is the last.
    *(
        edit({RULE: "-counts[pair]"} | order, inside="byte_pair_train_fast", of=[byte_pair_train_fast])
        for order in ({}, {"places.pop(best)": "sorted(places.pop(best))"})
    ),
    # ... unless it stays in the table with a count of 0.
    edit({RULE: "-counts[pair]"} | IN_TABLE, inside="byte_pair_train_fast", of=[byte_pair_train_fast]),
    *(
        edit({BEST: MET_LAST} | way, says=LAST_SEEN, inside="byte_pair_train_fast", of=[byte_pair_train_fast])
        for way in ({}, {"places.pop(best)": "sorted(places.pop(best))"}, IN_TABLE)
    ),
)

for train in BOTH:
    train.mistake(
        "ties: by the alphabet",
        "Of equally frequent pairs you take the first in the alphabet, comparing bytes. For single bytes that is the same as comparing ids; for merged tokens it is not: `ab` has an id above 255, "
        f"and comes after every byte. {TIE}.",
        {RULE: "(-counts[pair], pair)"},
        {RULE: "(-counts[pair], str(pair))"},
        {RULE: "(-counts[pair], pair[0] + pair[1])"},
    )

    train.mistake(
        "ties: the last in the alphabet",
        f"Of equally frequent pairs you take the last in the alphabet. Some courses and programs do that; then a tie is decided differently than in the "
        f"library. {TIE}.",
        {BEST: "best = max(counts, key=lambda pair: (counts[pair], pair))"},
        {BEST: "best = max(counts, key=lambda pair: (counts[pair], pair[0] + pair[1]))"},
    )

    train.mistake(
        "ties: the highest ids",
        f"Of equally frequent pairs you take the pair with the highest ids. The maximum of (count, id, id) does that: the count should be high, and the "
        f"ids low. {TIE}. A minimum over "
        "(-count, id, id) says both.",
        {BEST: "best = max(counts, key=lambda pair: (counts[pair], ids[pair[0]], ids[pair[1]]))"},
    )

    train.mistake(
        "ties: the left token only",
        f"Of equally frequent pairs you compare the left tokens only. Where these are the same, you take the pair that you met first, which depends on "
        f"the text. {TIE}.",
        {RULE: "(-counts[pair], ids[pair[0]])"},
    )

    train.mistake(
        "ties: the sum of the ids",
        f"Of equally frequent pairs you take the pair with the lowest sum of ids. {TIE}: two items of a tuple, not one.",
        {RULE: "(-counts[pair], ids[pair[0]] + ids[pair[1]])"},
        {RULE: "(-counts[pair], ids[pair[0]] + ids[pair[1]], ids[pair[0]])"},
        {RULE: "(-counts[pair], ids[pair[0]] + ids[pair[1]], ids[pair[1]])"},
    )

    train.mistake(
        "ties: the lowest id of either",
        f"Of equally frequent pairs you compare the lower id of the two tokens, whichever side it stands on. {TIE}.",
        {RULE: "(-counts[pair], min(ids[pair[0]], ids[pair[1]]))"},
        {RULE: "(-counts[pair], min(ids[pair[0]], ids[pair[1]]), max(ids[pair[0]], ids[pair[1]]))"},
        {RULE: "(-counts[pair], sorted([ids[pair[0]], ids[pair[1]]]))"},
    )

    train.mistake(
        "ties: by length",
        f"Of equally frequent pairs you go by the length of the token that is made. {TIE}; the length says nothing.",
        *(
            {RULE: f"(-counts[pair], {sign}len(pair[0] + pair[1]){more})"}
            for sign in ("", "-")
            for more in ("", ", ids[pair[0]], ids[pair[1]]")
        ),
    )

    train.mistake(
        "ties: one of the two ids the wrong way round",
        f"Of equally frequent pairs one of the two ids is compared the wrong way round. {TIE}: both ids low. A minus before the count alone says that.",
        {RULE: "(-counts[pair], -ids[pair[0]], ids[pair[1]])"},
        {RULE: "(-counts[pair], ids[pair[0]], -ids[pair[1]])"},
    )

    train.mistake(
        "ties: the right token only",
        f"Of equally frequent pairs you compare the right tokens only. {TIE}.",
        {RULE: "(-counts[pair], ids[pair[1]])"},
    )

    train.mistake(
        "new tokens have no ids of their own",
        f"The ids of new tokens are not in the order of the merges. Token i of the merges has the id 256 + i, above all bytes and above the tokens before it. {TIE}, and with other ids another pair wins.",
        *(
            {NEW_ID: f"ids[best[0] + best[1]] = {number}"}
            for number in ("len(merges)", "256", "0", "999", "-new_id", "512 - new_id", "new_id - 256", "counts[best]")
        ),
        {NEW_ID: "ids.setdefault(best[0] + best[1], 0)"},
    )

    train.mistake(
        "counts weighed by length",
        "You multiply a pair's count by the length of the token that it makes. That looks at how many bytes a merge saves; byte-pair encoding takes the most frequent pair, long or short.",
        {RULE: "(-counts[pair] * len(pair[0] + pair[1]), ids[pair[0]], ids[pair[1]])"},
        {RULE: "(-counts[pair] * (len(pair[0] + pair[1]) - 1), ids[pair[0]], ids[pair[1]])"},
    )

    train.mistake(
        "ties: the right token first",
        f"Of equally frequent pairs you compare the right tokens first. {TIE}.",
        {RULE: "(-counts[pair], ids[pair[1]], ids[pair[0]])"},
    )

    train.mistake(
        "the rarest pair first",
        "You merge the rarest pair first. A minimum over counts finds the smallest; with a minus before the count it finds the most frequent.",
        {RULE: "(counts[pair], ids[pair[0]], ids[pair[1]])"},
    )

byte_pair_train.mistake(
    "WordPiece's score",
    "You divide a pair's count by the counts of its two tokens. That is how WordPiece is said to choose, and it prefers rare tokens that always stand "
    "together. Byte-pair encoding takes the "
    "most frequent pair.",
    {
        BEST: """single: dict[bytes, int] = {}
        for word, count in words.items():
            for token in word:
                single[token] = single.get(token, 0) + count
        best = min(
            counts,
            key=lambda pair: (
                -counts[pair] / (single[pair[0]] * single[pair[1]]),
                ids[pair[0]],
                ids[pair[1]],
            ),
        )"""
    },
)

# Training: how many ----------------------------------------------------------------------------

for train in BOTH:
    train.mistake(
        "vocab_size counts merges",
        "You make `vocab_size` merges. The 256 bytes are tokens too and are counted: with a vocabulary of 1,000 there is room for 744 merges.",
        {NEW_IDS: "range(256, 256 + vocab_size)"},
    )

    train.mistake(
        "ids of merges begin at 0",
        "There are 256 merges too many, and their ids begin at 0. The 256 bytes are in the vocabulary already, with the ids 0 to 255: let those of the merges run from 256 to vocab_size - 1.",
        {NEW_IDS: "range(vocab_size)"},
    )

    train.mistake(
        "one merge too many",
        "There is one merge more than there is room for. After 256 bytes, ids go up to vocab_size - 1.",
        {NEW_IDS: "range(256, vocab_size + 1)"},
    )

    train.mistake(
        "one merge too few",
        "There is one merge less than there is room for. Bytes have the ids 0 to 255, merges those from 256 to vocab_size - 1: `range(256, vocab_size)`.",
        {NEW_IDS: "range(257, vocab_size)"},
        {NEW_IDS: "range(256, vocab_size - 1)"},
        edit(
            {NEW_IDS: "range(256, max(vocab_size - 1, min(vocab_size, 257)))"},
            says="There is one merge less than there is room for, unless there is room for one alone. Bytes have the ids 0 to 255, merges those from 256 to vocab_size - 1.",
        ),
    )

    train.mistake(
        "merges without room for any",
        "A vocabulary of 256 tokens has no room for a merge, and you make merges all the same. The bytes are 256 tokens already: ask whether there is room before a pair is merged, not after it.",
        {NEW_IDS: "range(256, vocab_size if vocab_size > 256 else 100_000)"},
        {NEW_IDS: "range(256, max(vocab_size, 257))"},
    )

    train.mistake(
        "only the bytes that occur counted",
        "You start from the bytes that occur in the text. All 256 are tokens, whether they occur or not: otherwise a text with another character could not be encoded. So there are "
        "vocab_size - 256 merges.",
        {NEW_IDS: "range(256, vocab_size + 256 - len(set(text.encode())))"},
        {NEW_IDS: "range(len(set(text.encode())), vocab_size)"},
    )

    train.mistake(
        "stops at pairs seen once",
        "You stop when no pair occurs twice. That is a sensible rule, and some programs have it; but here merging goes on until the vocabulary is full "
        "or no pair is left.",
        {"if not counts:": "if not counts or max(counts.values()) < 2:"},
    )

    train.mistake(
        "an error where pairs run out",
        "Where the text runs out of pairs, there is an error. A short text has fewer merges than there is room for, and these are the answer: stop when no pair is left, before you choose one.",
        {"if not counts:": "if False:"},
        {"            break\n": "            raise IndexError(new_id)\n"},
    )

    train.mistake(
        "what was learned lost where pairs run out",
        "Where the text runs out of pairs, what was learned before is lost. A short text has fewer merges than there is room for, and these are the answer: return the merges made so far.",
        {"            break\n": "            return None\n"},
        {"            break\n": "            return []\n"},
    )

    train.mistake(
        "the last pair never merged",
        "You stop while one pair is left. A text may end with a single pair, and that is merged as well: stop when there is none.",
        {"if not counts:": "if len(counts) < 2:"},
    )

    train.mistake(
        "a vocabulary of 256 refused",
        "A vocabulary of 256 tokens is refused. That is the bytes and no merge, and the list is empty then. Only fewer than 256 are too few.",
        {"if vocab_size < 256:": "if vocab_size <= 256:"},
    )

    train.mistake(
        "too small a vocabulary accepted",
        "A vocabulary of fewer than 256 tokens is not refused. The bytes alone are 256 tokens, and who asks for fewer should get an error that says so: "
        "raise a ValueError, as the given lines did.",
        {"if vocab_size < 256:": "if False:"},
    )

# Training: what is counted and merged ----------------------------------------------------------------------------

ACROSS = (
    "Merges run across pieces. The text is not cut, so a full stop can grow together with the word before it and a space with the word after the next. Count and merge within "
    "the pieces of `pretokenize(text)`."
)

SPLIT = (
    "Spaces are lost. `text.split()` throws them away, and what is not in the tokens cannot come back when they are decoded; `the` at the beginning of a line and ` the` within it "
    "become the same. Cut by `pretokenize(text)`."
)

STRIPPED = (
    "Spaces are lost. Your pieces are stripped, and what is not in the tokens cannot come back when they are decoded; `the` at the beginning of a line and ` the` within it become the same. Take the "
    "pieces as `pretokenize(text)` gives them."
)

CHARACTERS = (
    "You start from characters, not from bytes. There are more than a hundred thousand characters, and a character that is not in the vocabulary has no "
    "id. UTF-8 writes every character with one to four bytes, and there are only 256 bytes. `byte_tokens(piece)` gives them."
)

FROM_CHARACTERS = {"byte_tokens(piece)": "tuple(sign.encode() for sign in piece)"}

CODE_POINTS = {
    "byte_tokens(piece)": 'tuple(bytes([ord(sign)]) if ord(sign) < 256 else sign.encode("utf-32") for sign in piece)'
}
FROM_CODE_POINTS = CODE_POINTS | {
    "for byte in range(256)}": 'for byte in range(256)} | {sign.encode("utf-32"): ord(sign) for sign in text}'
}

REMAINDERS = {"byte_tokens(piece)": "tuple(bytes([ord(sign) % 256]) for sign in piece)"}
REMAINDER = (
    "You start from the numbers of characters, cut to a byte. Several characters then share one byte, and what comes back is another text. UTF-8 writes every character with one to four bytes: "
    "`byte_tokens(piece)` gives them."
)

OTHER_CUTS = (
    (r're.findall(r"\S+|\s+", text)', "You cut between whitespace and everything else, so signs stay in the words, and the space before a word is a piece of its own."),
    (r're.findall(r"\w+|\W+", text)', "You cut between word characters and everything else, so a full stop and the space behind it are one piece, and the space before a word is not in it."),
    (r're.findall(r" ?\S+|\s+", text)', "Signs stay in the words: `be,` is one piece in your text."),
    (r're.findall(r"\w+|[^\w\s]+|\s+", text)', "The space before a word is a piece of its own in your text, and belongs to the word."),
    (r're.findall(r"\w+\s*|[^\w\s]+\s*|\s+", text)', "The spaces behind a word are in its piece. The space before a word belongs to it, and only one."),
    (r're.findall(r"\S+\s*|\s+", text)', "The spaces behind a word are in its piece, and signs too. The space before a word belongs to it, and only one."),
    (r're.findall(r"\S+ ?|\s+", text)', "The space behind a word is in its piece, and signs too. The space before a word belongs to it."),
    (r're.findall(r"\s*\S+|\s+", text)', "All whitespace before a word is in its piece, and signs stay in the words."),
    (r're.findall(r" ?\w+| ?[^\w\s]|\s+", text)', "Signs stand one by one in your text. Several in a row are one piece."),
    (r're.findall(r" ?\w+| ?[^\w\s]+|\s", text)', "Whitespace stands one by one in your text. Several spaces in a row are one piece."),
    (r're.findall(r" +|[^ ]+", text)', "You cut at spaces alone: signs and line ends stay in the words, and the space before a word is a piece of its own."),
    (r're.findall(r" ?[^ ]+| +", text)', "You cut at spaces alone: signs and line ends stay in the words."),
    ('[" " + word for word in text.split()]', "Every word has one space in front, also where the text has none, or several, or a line end."),
    ('[" " * (i > 0) + word for i, word in enumerate(text.split())]', "Every word but the first has one space in front, also where the text has several, or a line end; and signs stay in the words."),
    ('[word + " " for word in text.split()]', "Every word has one space behind it, also where the text has none, or several, or a line end."),
)  # fmt: skip
"""Ways to cut a text, and what each does that `pretokenize` does not."""

SPACES_APART = (
    (r're.findall(r"\s|\S+", text)', "Signs stay in the words, and each space is a piece of its own."),
    (r're.findall(r" |[^ ]+", text)', "You cut at spaces alone: signs and line ends stay in the words, and each space is a piece of its own."),
    ('[one for word in text.split() for one in (" ", word)][1:]', "Between two words there is one space, also where the text has several, or a line end; and signs stay in the words."),
)  # fmt: skip
"""In training a piece of one byte adds nothing, so that these come to the same as spaces that are lost."""


SAME_IN_ENCODING = (
    r're.findall(r" ?\S+|\s+", text)',
    r're.findall(r"\s*\S+|\s+", text)',
    '[" " * (i > 0) + word for i, word in enumerate(text.split())]',
)


def other_cuts(mistake: Callable[..., None], cuts: Sequence[tuple[str, str]] = OTHER_CUTS) -> None:
    """Adds a text that is cut otherwise."""
    mistake(
        "the text cut otherwise",
        "The text is not cut as `pretokenize(text)` cuts it.",
        *(
            edit(
                {"pretokenize(text)": cut},
                says=f"The text is not cut as `pretokenize(text)` cuts it. {what} Merges were learned within its pieces: take these.",
            )
            for cut, what in cuts
        ),
    )


for train in BOTH:
    other_cuts(train.mistake)
    train.mistake(
        "merges across pieces",
        ACROSS,
        {"pretokenize(text)": "[text]"},
        *(
            edit(
                {"pretokenize(text)": f"text.splitlines({ends})"},
                says="Merges run across pieces. The text is cut into lines only, so a full stop can grow together with the word before it. Count and merge within the pieces of `pretokenize(text)`.",
            )
            for ends in ("", "True")
        ),
    )

    train.mistake(
        "spaces lost",
        SPLIT,
        {"pretokenize(text)": "text.split()"},
        {"pretokenize(text)": 'text.split(" ")'},
        edit({"byte_tokens(piece)": "byte_tokens(piece.strip())"}, says=STRIPPED),
    )

    train.mistake(
        "characters instead of bytes",
        CHARACTERS,
        FROM_CHARACTERS,
        FROM_CHARACTERS
        | {"ids = {bytes([byte]): byte for byte in range(256)}": "ids = {sign.encode(): ord(sign) for sign in text}"},
        # Who asks for the ids of the most frequent pairs only gets further.
        FROM_CHARACTERS
        | {
            BEST: """most = max(counts.values())
        best = min((pair for pair in counts if counts[pair] == most), key=lambda pair: (ids[pair[0]], ids[pair[1]]))"""
        },
        # On code points: one below 256 passes for a byte, the others have no bytes when they are chosen.
        # On code points, with ids for all of them and those of the merges above.
        {
            "byte_tokens(piece)": "tuple(bytes([ord(sign)]) if ord(sign) < 256 else sign.encode() for sign in piece)",
            "for byte in range(256)}": "for byte in range(256)} | {sign.encode(): ord(sign) for sign in text if ord(sign) > 255}",
            NEW_ID: "ids[best[0] + best[1]] = 0x110000 + new_id",
        },
        # ... in a list, which ends at the numbers that are no characters.
        {
            "byte_tokens(piece)": "tuple(bytes([ord(sign)]) if ord(sign) < 256 else sign.encode() for sign in piece)",
            "for byte in range(256)}": "for byte in range(256)} | {chr(one).encode(): one for one in range(256, max(map(ord, text), default=0) + 1)}",
            NEW_ID: "ids[best[0] + best[1]] = 0x110000 + new_id",
        },
        edit(REMAINDERS, says=REMAINDER),
        FROM_CODE_POINTS | {NOTE: f"{NOTE}\n        list(range(new_id))[max(ids[token] for token in best)]"},
        FROM_CODE_POINTS | {NOTE: f"{NOTE}\n        dict.fromkeys(range(new_id))[max(ids[token] for token in best)]"},
    )

ENCODING = "The bytes are not those of UTF-8. `byte_tokens(piece)` gives these: one to four for each character, the same for everyone."

ENCODINGS = tuple(
    {"byte_tokens(piece)": f'tuple(bytes([byte]) for byte in piece.encode("{code}", "replace"))'}
    for code in ("latin-1", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252")
)

for train in BOTH:
    train.mistake(
        "the pieces are changed before they are counted",
        "The text is changed before it is counted. Capitals, or signs outside of ASCII, are gone from what you learn from, and the merges are those of another text. Learn from the pieces as they are.",
        {"pretokenize(text)": "pretokenize(text.lower())"},
        {"pretokenize(text)": 'pretokenize(text.encode("ascii", "ignore").decode())'},
        {"pretokenize(text)": 'pretokenize(text.encode("ascii", "replace").decode())'},
        edit(
            {"in pretokenize(text)": "in filter(str.strip, pretokenize(text))"},
            says="Pieces of whitespace are left out. They are text too: an indentation of four spaces is learned like any other piece. Count all pieces of `pretokenize(text)`.",
        ),
    )

    train.mistake(
        "another encoding than UTF-8",
        ENCODING,
        *ENCODINGS,
    )

PIECES = "(byte_tokens(piece) for piece in pretokenize(text))"
RARE = "Words that occur once are left out. Every word of the text counts, as often as it occurs; of a short text the rare ones are needed too."
byte_pair_train.mistake(
    "rare words left out",
    RARE,
    {f"Counter{PIECES}": f"{{word: n for word, n in Counter{PIECES}.items() if n > 1}}"},
)
byte_pair_train_fast.mistake(
    "rare words left out",
    RARE,
    {f"list(Counter{PIECES}.items())": f"[(word, n) for word, n in Counter{PIECES}.items() if n > 1]"},
)

TIED = (
    "sorted((pair for pair in counts if counts[pair] == counts[best]), key=lambda pair: (ids[pair[0]], ids[pair[1]]))"
)
ROOM = {"if not counts:": "if not counts or len(merges) >= vocab_size - 256:"}
byte_pair_train.mistake(
    "several pairs in one round",
    "All equally frequent pairs are noted in one round. One merge may take another pair apart, and after it others may be more frequent: merge one pair, and count again.",
    *(
        ROOM
        | {
            f"{NEW_ID}\n        {NOTE}": f"merges += {TIED}[: max(vocab_size - 256 - len(merges), 1)]\n        ids.setdefault(best[0] + best[1], {new})"
        }
        for new in ("255 + len(merges)", "len(ids)")
    ),
    ROOM
    | {
        f"{MERGE_ALL}\n        {NEW_ID}\n        {NOTE}": f"""for best in {TIED}[: vocab_size - 256 - len(merges)]:
            {MERGE_ALL}
            ids[best[0] + best[1]] = 256 + len(merges)
            {NOTE}"""
    },
)

byte_pair_train.mistake(
    "counts lost after a merge",
    "After a merge the words no longer have their counts. Each counts once from then on, or has lost what it counted. `{merge_pair(word, best): count for word, count in words.items()}` hands the count on.",
    {MERGE_ALL: "words = {merge_pair(word, best): 1 for word in words}"},
    edit(
        {
            MERGE_ALL: "words = {merge_pair(word, best): count for word, count in words.items() if best in pairwise(word)}"
        },
        says="Words without the pair are thrown away. They stay as they are and are counted on: `merge_pair` returns them unchanged.",
    ),
    edit(
        {
            MERGE_ALL: "words = {merge_pair(word, best): count for word, count in Counter(byte_tokens(piece) for piece in pretokenize(text)).items()}"
        },
        says="Each merge starts from the single bytes again. Earlier merges are lost, so no token is ever longer than two bytes. Merge in the words as they are by then.",
    ),
)

byte_pair_train.mistake(
    "the words are never merged",
    "The words are never merged. You find the pair and note it, but the next count runs over the same single bytes as before, so no token is ever "
    "longer than two bytes. After "
    "every choice each word is replaced by what `merge_pair` makes of it.",
    {MERGE_ALL: "pass"},
    {
        "counts = count_pairs(words)": "counts = {pair: n for pair, n in count_pairs(words).items() if pair not in merges}",
        MERGE_ALL: "pass",
    },
)

for train in BOTH:
    train.mistake(
        "tokens instead of pairs",
        "Your merges are tokens, not pairs. Encoding has to know which two tokens to look for: `abc` may come of a + bc or of ab + c. Note the pair.",
        {NOTE: "merges.append(best[0] + best[1])"},
    )

    train.mistake(
        "pairs of ids",
        "Your merges are pairs of ids. Some programs do that; here merges are pairs of bytes, which can be read without a table of ids.",
        {NOTE: "merges.append((ids[best[0]], ids[best[1]]))"},
    )

for train in BOTH:
    train.mistake(
        "the pairs are turned round",
        "Your pairs have the right token first. (t, h) is t before h: note the pair as it stands in the text.",
        {NOTE: "merges.append(best[::-1])"},
    )

    train.mistake(
        "lists instead of pairs",
        "Your merges are lists. A pair is the key of a dict where a text is encoded, and a list cannot be one: note the tuple.",
        {NOTE: "merges.append(list(best))"},
    )

    train.mistake(
        "the merges are in another order",
        "Your merges are not in the order in which they were made. The order is what encoding goes by: the first merge has rank 0.",
        {"return merges": "return sorted(merges)"},
        {"return merges": "return merges[::-1]"},
        {"return merges": "return sorted(merges) if len(merges) == vocab_size - 256 else merges"},
        {NOTE: "merges.insert(0, best)"},
        {"return merges": "return sorted(merges, key=lambda pair: len(pair[0] + pair[1]))"},
    )

    train.mistake(
        "something beside the merges comes back",
        "More than the merges comes back. A list of pairs of bytes is promised, and what is built on it takes each entry apart into left and right.",
        {"return merges": "return merges, ids"},
        {"return merges": "return ids, merges"},
        {NOTE: "merges.append((best, counts[best]))"},
        {NOTE: "merges.append((*best, counts[best]))"},
        {NOTE: "merges.append((*best, new_id))"},
        {NOTE: "merges.append((*best, best[0] + best[1]))"},
    )

    train.mistake(
        "a table instead of a list",
        "No list of merges comes back. A list of pairs is promised, in the order in which they were made; ranks and ids are made from that where they are needed.",
        {"return merges": "return {pair: i for i, pair in enumerate(merges)}"},
        {"return merges": "return {pair: 256 + i for i, pair in enumerate(merges)}"},
        {"return merges": "return {256 + i: pair for i, pair in enumerate(merges)}"},
        {"return merges": "return {pair: pair[0] + pair[1] for pair in merges}"},
        {"return merges": "return ids"},
        {"return merges": "return list(ids)"},
        edit({"return merges": "return set(merges)"}, varies=True),
    )

    train.mistake(
        "texts instead of bytes",
        "Your pairs are texts. Tokens are bytes: a token may be half a character, which no text can hold.",
        *(
            {NOTE: f"merges.append((best[0].decode({how}), best[1].decode({how})))"}
            for how in ('"latin-1"', '"utf-8", "replace"', '"utf-8", "ignore"')
        ),
        {NOTE: "merges.append((str(best[0]), str(best[1])))"},
    )

for train in BOTH:
    train.mistake(
        "a tuple comes back",
        "A tuple comes back, and a list is promised. Code that adds to the merges, or takes `merges[:60] + more`, fails far from here.",
        {"return merges": "return tuple(merges)"},
    )

# Training, fast ----------------------------------------------------------------------------

STAYING = {"if counts[pair] == 0:": "if False:"}

byte_pair_train_fast.mistake(
    "pairs that count 0 stay",
    "Pairs whose count has fallen to 0 stay in the dict. While other pairs count more this does not show; at the end you merge pairs that no longer "
    "exist, and training never stops early. "
    "Delete a pair when it reaches 0.",
    STAYING,
    STAYING | {"places.pop(best)": "tuple(places[best])"},
)

OLD = """counts[pair] -= count
                if counts[pair] == 0:
                    del counts[pair]"""
FRESH = {"for pair in pairwise(merged):": "for pair in (one for one in pairwise(merged) if best[0] + best[1] in one):"}
GONE = {OLD: "pass", NOTE: f"{NOTE}\n        del counts[best]"}


# With a plain `places.pop(best)` some raise a KeyError nearly everywhere: how far each comes tells them apart.
FORGIVING, KEPT = {"places.pop(best)": "places.pop(best, ())"}, {"places.pop(best)": "list(places[best])"}
AS_IT_FALLS = "if pair == best:\n                    counts[pair] -= count\n                    if counts[pair] == 0:\n                        del counts[pair]"
NEW = """counts[pair] = counts.get(pair, 0) + count
                places.setdefault(pair, set()).add(place)"""
BELOW = {"if counts[pair] == 0:": "if counts[pair] <= 0:"}


LAST_ONE = "if not counts:"
NONE_LEFT = {LAST_ONE: "if max(counts.values(), default=0) <= 0:"}
"""Counts stay in the table at 0, and below."""


def _off(count: str, of: str = "pairwise(word)") -> list[dict[str, str]]:
    """Other counts taken off, in all the ways in which a program minds what is no longer there."""
    loop = "for pair in {}:\n                "
    return [
        {loop.format("pairwise(word)") + OLD: loop.format(of) + old.format(count=count)} | pop | stop
        for pop in ({}, FORGIVING)
        for old, stop in (
            (
                "counts[pair] -= {count}\n                if counts[pair] == 0:\n                    del counts[pair]",
                {},
            ),
            (
                "counts[pair] -= {count}\n                if counts[pair] <= 0:\n                    del counts[pair]",
                {},
            ),
            (
                "counts[pair] = counts.get(pair, 0) - {count}\n                if counts[pair] <= 0:\n                    del counts[pair]",
                {},
            ),
            (
                "if pair in counts:\n                    counts[pair] -= {count}\n                    if counts[pair] <= 0:\n                        del counts[pair]",
                {},
            ),
            ("counts[pair] = counts.get(pair, 0) - {count}", NONE_LEFT),
        )
    ]


WORD_THERE, CHANGED = "word, count = words[place]", "touched |= {*pairwise(word), *pairwise(merge_pair(word, best))}"
HOLDERS = {"in places.pop(best):": "in [one for one in places.pop(best, ()) if best in pairwise(words[one][0])]:"}
"""Only words that still hold the pair: as where a word that has changed is taken out of all sets that held it."""


def _heap(
    off: str = "count", *, stale: bool = False, pushed: str = CHANGED, entry: str = "ids[pair[0]], ids[pair[1]], pair"
) -> dict[str, str]:
    """Pairs in a heap, in which an entry whose count has changed is passed over; right as it stands.

    Args:
        off: what each pair of an old word loses.
        stale: whether entries whose count has changed are taken, too.
        pushed: which pairs get a new entry after a merge.
        entry: what comes behind the count in a new entry.
    """
    old = "" if stale else " or -heap[-1][0] != counts.get(heap[-1][3], 0)"
    return {
        "merges = []": "merges, touched = [], set()\n    heap = [(-n, ids[pair[0]], ids[pair[1]], pair) for pair, n in counts.items()]",
        LAST_ONE: f"""heap += [(-counts.get(pair, 0), {entry}) for pair in touched]
        touched.clear()
        heap.sort(reverse=True)
        while heap and (heap[-1][0] == 0{old}):
            heap.pop()
        if not heap:""",
        BEST: "best = heap.pop()[3]",
        WORD_THERE: f"{WORD_THERE}\n            {pushed}",
        OLD: f"counts[pair] = counts.get(pair, 0) - {off}",
        **HOLDERS,
    }


PLACED = "places.setdefault(pair, set()).add(place)"
FORGOTTEN = (
    f"{WORD_THERE}\n            for pair in pairwise(word):\n                places.get(pair, set()).discard(place)"
)
UP_BY_ONE = {"counts.get(pair, 0) + count": "counts.get(pair, 0) + 1"}

byte_pair_train_fast.mistake(
    "the old neighbours still counted",
    "Only the merged pair loses its count. The pairs beside it are lost too: when l and o of h l o w become one token, (h, l) and (o, w) are gone "
    "there. Subtract the count for all pairs of the old word, then add it for all pairs of the merged word.",
    GONE,
    GONE | FRESH,
    GONE
    | {
        "for place in places.pop(best):": "for place in [one for one in places.pop(best) if best in pairwise(words[one][0])]:"
    },
    # Taken off where it stands, and its neighbours not.
    {OLD: AS_IT_FALLS},
    {OLD: AS_IT_FALLS} | FORGIVING,
    _heap("(count if pair == best else 0)"),
    _heap("(count if pair == best else 0)") | {"in places.pop(best):": "in places.pop(best, ()):"},
)

byte_pair_train_fast.mistake(
    "old pairs are still counted",
    "After the merge you do not subtract the counts of the word's old pairs, so a pair that is gone still looks frequent. Before a word is merged, all "
    "its pairs lose the word's "
    "count: `counts[pair] -= count`.",
    {OLD: "pass"} | FORGIVING,
    {OLD: "pass"},
    _heap("0"),
    {OLD: "pass"} | KEPT,
    {OLD: "pass"} | FORGIVING | FRESH,
    {OLD: "pass"} | KEPT | FRESH,
)

byte_pair_train_fast.mistake(
    "new pairs are not noted",
    "The pairs of the merged word are counted but not noted in `places`, so when one of them is chosen you cannot find the words that hold it. Where "
    "you count a new pair, add the place of its "
    "word: `places.setdefault(pair, set()).add(place)`.",
    {PLACED: "pass"} | FORGIVING,
    {PLACED: "pass"},
    {PLACED: "places.setdefault(pair, set())"},
    _heap() | {PLACED: "pass"},
    # ... nor those of the word that stay as they were.
    {PLACED: "pass", WORD_THERE: FORGOTTEN} | FORGIVING,
    {PLACED: "pass", WORD_THERE: FORGOTTEN}
    | FORGIVING
    | NONE_LEFT
    | {OLD: "counts[pair] = counts.get(pair, 0) - count"},
    _heap() | {PLACED: "pass", WORD_THERE: f"{FORGOTTEN}\n            {CHANGED}"},
)

ONCE = (
    (
        "A word's old pairs lose 1 each, however often the word occurs. They were counted as often as the word occurs, so they lose as much: `counts[pair] -= count`.",
        [*_off("1"), _heap("1")],
    ),
    (
        "A word's old pairs lose 1 each, and its new pairs count 1 each, however often the word occurs. They count as often as the word occurs: take off and add `count`.",
        [UP_BY_ONE | way for way in [*_off("1"), _heap("1")]],
    ),
    (
        "A word's new pairs count 1 each, however often the word occurs. They count as often as the word occurs: `counts.get(pair, 0) + count`.",
        [UP_BY_ONE | way for way in [*_off("count"), _heap()]],
    ),
    (
        "A word that has been merged counts 1 from then on. It occurs as often as before: put its count back with its tokens, `words[place] = (merged, count)`.",
        [{"words[place] = (merged, count)": "words[place] = (merged, 1)"} | way for way in _off("count")],
    ),
    (
        "At the beginning each word's pairs count 1, however often the word occurs, and later the word's whole count is added and taken off. Count as `count_pairs` does: the word's count for each pair.",
        [{"count_pairs(dict(words))": "count_pairs({word: 1 for word, _ in words})"} | way for way in _off("count")],
    ),
)
"""Where 1 is counted for a word: what a report says of it, and its ways."""

byte_pair_train_fast.mistake(
    "1 instead of the word's count",
    "Somewhere 1 is counted for a word, however often it occurs.",
    *(edit(way, says=says) for says, ways in ONCE for way in ways),
)

TWICE = (
    (
        "At the beginning each pair is counted twice, and later the word's count is taken off once: half of it stays for ever. Count each word once before the first merge.",
        {"count_pairs(dict(words))": "count_pairs({word: 2 * count for word, count in words})"},
    ),
    (
        "The pairs of a merged word are counted twice. They are as frequent as the word: `counts.get(pair, 0) + count`, once.",
        {"counts.get(pair, 0) + count": "counts.get(pair, 0) + 2 * count"},
    ),
)

byte_pair_train_fast.mistake(
    "a word counted twice",
    "A word is counted twice somewhere, and once elsewhere.",
    *(edit(way | how, says=says) for says, way in TWICE for how in ({}, FORGIVING, HOLDERS, KEPT, HOLDERS | BELOW)),
    *(
        edit(
            way,
            says="A word's old pairs lose twice its count. They were counted as often as the word occurs, so they lose as much: `counts[pair] -= count`, once.",
        )
        for way in _off("2 * count")
    ),
)

byte_pair_train_fast.mistake(
    "new pairs are not counted",
    "The pairs of the merged word are not counted. Its new token has neighbours, and these pairs are as frequent as the word: `counts[pair] = counts.get(pair, 0) + count`.",
    *({"counts[pair] = counts.get(pair, 0) + count": "pass"} | way for way in [*_off("count"), _heap()]),
)

byte_pair_train_fast.mistake(
    "counts that are out of date",
    "You choose by counts that are out of date. What was put into a heap, or a sorted list, keeps the count that it had then. When an entry comes up, compare it with the count of now, and pass over an entry that is old.",
    _heap(stale=True),
)

byte_pair_train_fast.mistake(
    "changed counts never chosen by",
    "A pair whose count has changed is not found by its new count. A heap, or a sorted list, knows only what was put into it: after a merge put in every pair that the merge has changed, with its new count.",
    edit(
        _heap(pushed="pass"),
        says="After a merge nothing new is put into the heap, or the sorted list: pairs of new tokens never get in, and a pair whose count has changed is never found by its new count. After a merge put in every pair that it has changed.",
    ),
    edit(
        _heap(pushed="touched |= {*pairwise(merge_pair(word, best))}"),
        says="After a merge only the pairs of the merged words get new entries in the heap. Those that are lost in a word count less now, and stand there with their old count only: put in all pairs that have changed.",
    ),
    edit(
        _heap(pushed="touched |= {pair for pair in pairwise(merge_pair(word, best)) if best[0] + best[1] in pair}"),
        says="After a merge only pairs with the new token get entries in the heap. Those that are lost in a word count less now, and stand there with their old count only: put in all pairs that have changed.",
    ),
    edit(
        _heap(pushed="touched |= {*pairwise(word)}"),
        says="After a merge only the old pairs of a word get new entries in the heap. Pairs with the new token never get in: put in all pairs that have changed.",
    ),
)

byte_pair_train_fast.mistake(
    "ties: new entries by another rule",
    f"What is put into the heap after a merge is in another order than what stood there at the beginning, so ties are decided in two ways. {TIE}. Use one function for both.",
    *(
        _heap(entry=added)
        for added in (
            "-ids[pair[0]], ids[pair[1]], pair",
            "ids[pair[0]], -ids[pair[1]], pair",
            "-ids[pair[0]], -ids[pair[1]], pair",
            "ids[pair[1]], ids[pair[0]], pair",
            "0, 0, pair",
        )
    ),
)

byte_pair_train_fast.mistake(
    "the merged word not put back",
    "The merged word is not put back into the list. The counts are right once, and the next merge finds the old tokens there: `words[place] = (merged, count)`.",
    *({"words[place] = (merged, count)": "pass"} | way for way in [*_off("count"), _heap()]),
)

byte_pair_train_fast.mistake(
    "a pair counted once in a word",
    "A pair that stands twice in a word is counted or taken off once. A set holds each pair once; go through all neighbours, as `count_pairs` does.",
    *_off("count", "set(pairwise(word))"),
    *({"for pair in pairwise(merged):": "for pair in set(pairwise(merged)):"} | way for way in _off("count")),
    *(
        {"for pair in pairwise(merged):": "for pair in set(pairwise(merged)):"} | way
        for way in _off("count", "set(pairwise(word))")
    ),
)

byte_pair_train_fast.mistake(
    "only the first occurrence merged",
    "In a word that holds the pair twice, only the first is merged. In `banana`, (a, n) stands twice, and both become one token: go on to the end of the word.",
    *(
        {
            "merged = merge_pair(word, best)": "at = [*pairwise(word)].index(best)\n            merged = (*word[:at], best[0] + best[1], *word[at + 2 :])",
            "in places.pop(best):": "in [one for one in places.pop(best, ()) if best in pairwise(words[one][0])]:",
        }
        | places
        | counts
        for places in ({}, {PLACED: "places.setdefault(pair, set()).update({place} if pair != best else ())"})
        for counts in ({}, NONE_LEFT | {OLD: "counts[pair] = counts.get(pair, 0) - count"})
    ),
)

byte_pair_train_fast.mistake(
    "only one word is merged",
    "Only one of the words that hold the pair is merged. All of them are: go through every place in `places`.",
    *(
        {"in places.pop(best):": f"in {which}:"}
        for which in (
            "list(places.pop(best))[:1]",
            "list(places.pop(best))[-1:]",
            "list(places.pop(best, ()))[:1]",
            "list(places[best])[:1]",
        )
    ),
    *(
        edit(
            {"in places.pop(best):": f"in (lambda all: {some})({holders}):"},
            says="Some of the words that hold the pair are not merged. All of them are: go through every place in `places`.",
        )
        for some in (
            f"{order}(all){part}"
            for order in ("list", "sorted")
            for part in ("[::2]", "[: (len(all) + 1) // 2]", "[:-1]")
        )
        for holders in (
            "places.pop(best)",
            "places.pop(best, ())",
            "places[best]",
            "[one for one in places[best] if best in pairwise(words[one][0])]",
        )
    ),
)
