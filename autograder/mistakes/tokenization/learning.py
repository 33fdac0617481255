"""Wrong ways of learning which pairs to merge."""

from autograder.probing.mistake import Mistake

TRAIN, FAST = "byte_pair_train", "byte_pair_train_fast"
ENCODE, DECODE = "byte_pair_encode", "byte_pair_decode"

CUT = "pretokenize(text)"
BYTES = "byte_tokens(piece)"
WORDS = "Counter(byte_tokens(piece) for piece in pretokenize(text))"
IDS = "ids = {bytes([byte]): byte for byte in range(256)}"
RULE = "(-counts[pair], ids[pair[0]], ids[pair[1]])"
BEST = f"best = min(counts, key=lambda pair: {RULE})"
NEW_IDS = "range(256, vocab_size)"
MERGE_ALL = "words = {merge_pair(word, best): count for word, count in words.items()}"
NOTE = "merges.append(best)"


def in_both(name: str, edits: dict[str, str], says: str) -> tuple[Mistake, Mistake]:
    """One mistake that can be made in either of the two trainers."""
    first, second = (Mistake(name, of=trainer, swaps=edits, says=says) for trainer in (TRAIN, FAST))
    return first, second


# Training: which pair ----------------------------------------------------------------------------

TIE = "Between pairs that are equally frequent the lowest id on the left decides, then the lowest on the right"

first_seen = Mistake(
    "ties: the first that was seen",
    of=TRAIN,
    swap=RULE,
    by="-counts[pair]",
    says=f"Of equally frequent pairs you take the one that you met first. `max(counts, key=counts.get)` does that, and then the merges depend on the order of the text. {TIE}.",
)
BY_ALPHABET = (
    "Of equally frequent pairs you take the first in the alphabet, comparing bytes. For single bytes that is the same as comparing ids; for merged tokens it is not: `ab` has an id above 255, "
    f"and comes after every byte. {TIE}."
)
by_alphabet, fast_by_alphabet = in_both("ties: by the alphabet", {RULE: "(-counts[pair], pair)"}, BY_ALPHABET)
by_joined, fast_by_joined = in_both("ties: by the alphabet", {RULE: "(-counts[pair], pair[0] + pair[1])"}, BY_ALPHABET)
last_in_alphabet, fast_last_in_alphabet = in_both(
    "ties: the last in the alphabet",
    {BEST: "best = max(counts, key=lambda pair: (counts[pair], pair))"},
    f"Of equally frequent pairs you take the last in the alphabet. Some courses and programs do; then a tie is decided otherwise than in the library. {TIE}.",
)
highest_ids, fast_highest_ids = in_both(
    "ties: the highest ids",
    {BEST: "best = max(counts, key=lambda pair: (counts[pair], ids[pair[0]], ids[pair[1]]))"},
    f"Of equally frequent pairs you take the one of the highest ids. The maximum of (count, id, id) does that: the count should be high, and the ids low. {TIE}. A minimum over "
    "(-count, id, id) says both.",
)
left_only, fast_left_only = in_both(
    "ties: the left token only",
    {RULE: "(-counts[pair], ids[pair[0]])"},
    f"Of equally frequent pairs you compare the left tokens only. Where these are the same, the one that you met first is taken, and that depends on the text. {TIE}.",
)
sum_of_ids, fast_sum_of_ids = in_both(
    "ties: the sum of the ids",
    {RULE: "(-counts[pair], ids[pair[0]] + ids[pair[1]])"},
    f"Of equally frequent pairs you take the one with the lowest sum of ids. {TIE}: two items of a tuple, not one.",
)
right_first, fast_right_first = in_both(
    "ties: the right token first",
    {RULE: "(-counts[pair], ids[pair[1]], ids[pair[0]])"},
    f"Of equally frequent pairs you compare the right tokens first. {TIE}.",
)
rarest, fast_rarest = in_both(
    "the rarest pair first",
    {RULE: "(counts[pair], ids[pair[0]], ids[pair[1]])"},
    "You merge the rarest pair first. A minimum over counts finds the smallest; with a minus before the count it finds the most frequent.",
)
word_pieces_score = Mistake(
    "WordPiece's score",
    of=TRAIN,
    swap=BEST,
    by="""single: dict[bytes, int] = {}
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
        )""",
    says="You divide a pair's count by those of its two tokens. That is how WordPiece is said to choose, and it prefers rare tokens that always stand together. Byte-pair encoding takes the "
    "most frequent pair.",
)

# Training: how many ----------------------------------------------------------------------------

counts_merges, fast_counts_merges = in_both(
    "vocab_size counts merges",
    {NEW_IDS: "range(256, 256 + vocab_size)"},
    "You make `vocab_size` merges. The 256 bytes are tokens too and are counted: with a vocabulary of 1,000 there is room for 744 merges.",
)
ids_from_zero, fast_ids_from_zero = in_both(
    "ids of merges begin at 0",
    {NEW_IDS: "range(vocab_size)"},
    "There are 256 merges too many, and their ids begin at 0. The 256 bytes are in the vocabulary already, with the ids 0 to 255: let those of the merges run from 256 to vocab_size - 1.",
)
one_more, fast_one_more = in_both(
    "one merge too many",
    {NEW_IDS: "range(256, vocab_size + 1)"},
    "There is one merge more than there is room for. After 256 bytes, ids go up to vocab_size - 1.",
)
one_less, fast_one_less = in_both(
    "one merge too few",
    {NEW_IDS: "range(257, vocab_size)"},
    "There is one merge less than there is room for. Bytes have the ids 0 to 255, so the first merge gets 256, not 257.",
)
bytes_seen, fast_bytes_seen = in_both(
    "only the bytes that occur counted",
    {NEW_IDS: "range(256, vocab_size + 256 - len(set(text.encode())))"},
    "You start from the bytes that occur in the text. All 256 are tokens, whether they occur or not: otherwise a text with another character could not be encoded. So there are "
    "vocab_size - 256 merges.",
)
never_once, fast_never_once = in_both(
    "stops at pairs seen once",
    {"if not counts:": "if not counts or max(counts.values()) < 2:"},
    "You stop when no pair occurs twice. It is a sensible rule, and some programs have it; here merging goes on until the vocabulary is full or no pair is left.",
)
small_accepted, fast_small_accepted = in_both(
    "too small a vocabulary accepted",
    {"if vocab_size < 256:": "if False:"},
    "A vocabulary of fewer than 256 tokens is not refused. The bytes alone are 256, and whoever asks for less should read so at once: raise a ValueError, as the given lines did.",
)

# Training: what is counted and merged ----------------------------------------------------------------------------

ACROSS = (
    "Merges run across pieces. The text is not cut, so a full stop can grow together with the word before it and a space with the word after the next. Count and merge within "
    "the pieces of `pretokenize(text)`."
)
across, fast_across = in_both("merges across pieces", {CUT: "[text]"}, ACROSS)
SPLIT = (
    "Spaces are lost. `text.split()` throws them away, and what is not in the tokens cannot come back when they are decoded; `the` at the beginning of a line and ` the` within it "
    "become the same. Cut by `pretokenize(text)`."
)
split_words, fast_split_words = in_both("spaces lost", {CUT: "text.split()"}, SPLIT)
split_spaces, fast_split_spaces = in_both("spaces lost", {CUT: 'text.split(" ")'}, SPLIT)

CHARACTERS = (
    "You start from characters, not from bytes. Of those there are more than a hundred thousand, and one that is not in the vocabulary has no id. UTF-8 makes every character of one to four "
    "bytes, and of bytes there are 256. `byte_tokens(piece)` gives them."
)
SIGNS = "tuple(sign.encode() for sign in piece)"
characters, fast_characters = in_both("characters instead of bytes", {BYTES: SIGNS}, CHARACTERS)
characters_with_ids, fast_characters_with_ids = in_both(
    "characters instead of bytes",
    {BYTES: SIGNS, IDS: "ids = {sign.encode(): ord(sign) for sign in text}"},
    CHARACTERS,
)

NEVER = (
    "The words are never merged. You find the pair and note it, and the next count runs over the same single bytes as before; so no token is ever longer than two. After "
    "every choice each word is replaced by what `merge_pair` makes of it."
)
never_merged = Mistake("the words are never merged", of=TRAIN, swap=MERGE_ALL, by="pass", says=NEVER)
counted_once = Mistake(
    "the words are never merged",
    of=TRAIN,
    swaps={
        "counts = count_pairs(words)": "counts = {pair: n for pair, n in count_pairs(words).items() if pair not in merges}",
        MERGE_ALL: "pass",
    },
    says=NEVER,
)

joined, fast_joined = in_both(
    "tokens instead of pairs",
    {NOTE: "merges.append(best[0] + best[1])"},
    "Your merges are tokens, not pairs. Whoever encodes has to know which two tokens to look for: `abc` may come of a + bc or of ab + c. Note the pair.",
)
of_ids, fast_of_ids = in_both(
    "pairs of ids",
    {NOTE: "merges.append((ids[best[0]], ids[best[1]]))"},
    "Your merges are pairs of ids. Some programs keep them so; here they are pairs of bytes, which say by themselves what they are.",
)

# Training, fast ----------------------------------------------------------------------------

ZEROS = (
    "Pairs whose count has fallen to 0 stay in the dict. As long as others count more it does not show; at the end pairs are merged that no longer exist, and it never stops early. "
    "Delete a pair when it reaches 0."
)
STAYING = {"if counts[pair] == 0:": "if False:"}
zeros_stay = Mistake("pairs that count 0 stay", of=FAST, swaps=STAYING, says=ZEROS)
zeros_merged_again = Mistake(
    "pairs that count 0 stay", of=FAST, swaps=STAYING | {"places.pop(best)": "tuple(places[best])"}, says=ZEROS
)
OLD = """counts[pair] -= count
                if counts[pair] == 0:
                    del counts[pair]"""
NEIGHBOURS = (
    "Only the merged pair loses its count. Its neighbours lose theirs too: when l and o of h l o w become one token, (h, l) and (o, w) are gone there. Take off all pairs of the old word, then put "
    "in all pairs of the merged one."
)
FRESH = {"for pair in pairwise(merged):": "for pair in (one for one in pairwise(merged) if best[0] + best[1] in one):"}
GONE = {OLD: "pass", NOTE: f"{NOTE}\n        del counts[best]"}
neighbours_stay = Mistake("the old neighbours still counted", of=FAST, swaps=GONE, says=NEIGHBOURS)
new_neighbours_only = Mistake(
    "the old neighbours still counted",
    of=FAST,
    swaps=GONE | FRESH,
    says=NEIGHBOURS,
)

# With a plain `places.pop(best)` the next two raise the same KeyError everywhere, which says nothing: see the trap.
FORGIVING, KEPT = {"places.pop(best)": "places.pop(best, ())"}, {"places.pop(best)": "list(places[best])"}
still_counted, still_counted_kept, still_counted_fresh, still_counted_fresh_kept = (
    Mistake(
        "old pairs are still counted",
        of=FAST,
        swaps={OLD: "pass"} | more,
        says="After the merge you do not take off what the old pairs of the word counted, so a pair that is gone still looks frequent. Before a word is merged, all its pairs lose the word's "
        "count: `counts[pair] -= count`.",
    )
    for more in (FORGIVING, KEPT, FORGIVING | FRESH, KEPT | FRESH)
)
not_noted = Mistake(
    "new pairs are not noted",
    of=FAST,
    swaps={"places.setdefault(pair, set()).add(place)": "pass"} | FORGIVING,
    says="The pairs of the merged word are counted but not noted in `places`, so when one of them is chosen nobody knows which words hold it. Where you count a new pair, add the place of its "
    "word: `places.setdefault(pair, set()).add(place)`.",
)
