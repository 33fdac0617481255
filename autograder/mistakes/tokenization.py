"""Wrong ways of lesson 12. Several edits may carry one name: the same mistake is written in several ways."""

from collections.abc import Collection

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


# Cutting ----------------------------------------------------------------------------

PATTERN = r'r" ?\w+| ?[^\w\s]+|\s+"'


def pattern(name: str, by: str, says: str) -> Mistake:
    """Another pattern."""
    return Mistake(name, of="pretokenize", swap=PATTERN, by=by, says=says)


BEFORE_WORD, BEFORE_SIGN = 'r" ?', "| ?"
WORD, SPACE = r"\w+", r'|\s+"'


def in_pattern(name: str, edits: dict[str, str], says: str) -> Mistake:
    """A part of the pattern otherwise: such can be told two at a time."""
    return Mistake(name, of="pretokenize", swaps=edits, says=says)


spaces_apart = in_pattern(
    "spaces apart",
    {BEFORE_WORD: 'r"', BEFORE_SIGN: "|"},
    "A single space is a piece of its own. It should go with the piece after it, so that ` the` can become one token; this way half of all tokens would be spaces. Put ` ?` in "
    "front of the first two patterns.",
)

LOST_SAYS = (
    "Whitespace is lost. Joined, your pieces no longer give the text, so nothing decoded could ever be what was encoded. A space belongs to the piece after it; other "
    "whitespace makes pieces of its own."
)
whitespace_lost = pattern("whitespace lost", r'r"\w+|[^\w\s]+"', LOST_SAYS)
runs_lost = in_pattern("whitespace lost", {SPACE: '"'}, LOST_SAYS)
lines_lost = in_pattern("whitespace lost", {SPACE: '| +"'}, LOST_SAYS)
whitespace_dropped = Mistake(
    "whitespace lost",
    of="pretokenize",
    swaps={"return re.": "return [piece for piece in re.", ", text)": ', text) if "".join(piece).strip()]'},
    says=LOST_SAYS,
)
split_at_single_spaces = Mistake(
    "whitespace lost",
    of="pretokenize",
    swap='re.findall(r" ?\\w+| ?[^\\w\\s]+|\\s+", text)',
    by='text.split(" ")',
    says=LOST_SAYS,
)
HALF_SAYS = "The space goes with {} only. A piece of either kind takes one space before it along, if there is one: ` ?` stands in front of both."
space_for_words = in_pattern("the space before signs apart", {BEFORE_SIGN: "|"}, HALF_SAYS.format("words"))
space_for_signs = in_pattern("the space before words apart", {BEFORE_WORD: 'r"'}, HALF_SAYS.format("signs"))
NOT_WORD_SAYS = "Whitespace and other signs make one piece together. `\\W` fits both: all that is no word character. They are two kinds of pieces, `[^\\w\\s]+` and `\\s+`."
not_word, not_word_apart, not_word_last = (
    pattern("whitespace and signs together", by, NOT_WORD_SAYS)
    for by in (r'r" ?\w+| ?\W+"', r'r"\w+|\W+"', r'r" ?\w+|\W+"')
)
by_split = Mistake(
    "whitespace lost",
    of="pretokenize",
    swap='re.findall(r" ?\\w+| ?[^\\w\\s]+|\\s+", text)',
    by="text.split()",
    says=LOST_SAYS,
)

glued = pattern(
    "signs glued to words",
    r'r" ?\S+|\s+"',
    "You cut at whitespace only, so `dog.` and `dog,` are pieces of their own. Each would need merges of its own, and the model would not know that both are a dog. Signs that are "
    "neither word characters nor whitespace make other pieces.",
)

each_sign = in_pattern(
    "every sign by itself",
    {r"\s]+": r"\s]"},
    "Every sign is a piece of its own. A run of signs, `...` or `--`, is one piece, so that it can become one token. There is a `+` missing.",
)

space_behind = pattern(
    "the space behind the word",
    r'r"\w+ ?|[^\w\s]+ ?|\s+"',
    "The space goes with the piece before it. It should go with the piece after it. Either would do, if everyone did the same; with this one your merges fit nobody else's.",
)

ASCII_SAYS = (
    "Only the letters of English count as word characters. `fünf` falls into three pieces, and every word of Greek or Chinese is taken for signs. `\\w` in a str pattern knows the letters of "
    "all scripts; leave out `re.ASCII`, and `[A-Za-z]`."
)
ascii_flag = Mistake("letters of ASCII only", of="pretokenize", swap=", text)", by=", text, re.ASCII)", says=ASCII_SAYS)
ascii_class = in_pattern("letters of ASCII only", {WORD: "[a-zA-Z0-9_]+", r"[^\w": "[^a-zA-Z0-9_"}, ASCII_SAYS)
ascii_words = in_pattern("letters of ASCII only", {WORD: "[a-zA-Z0-9_]+"}, ASCII_SAYS)

any_space = in_pattern(
    "any whitespace before a word",
    {BEFORE_WORD: r'r"\s?', BEFORE_SIGN: r"|\s?"},
    "A line break or a tab in front of a word goes with it. Only the space does, so that a word is the same at the beginning of a line. Write a space, not `\\s`, before the `?`.",
)

all_spaces = in_pattern(
    "all spaces before a word",
    {BEFORE_WORD: 'r" *', BEFORE_SIGN: "| *"},
    "All spaces in front of a word go with it. Then a word is another token at every indentation. It is one space at most: ` ?`, not ` *`.",
)

last_space = in_pattern(
    "the last of several spaces given to the word",
    {SPACE: r'|\s+(?!\S)|\s+"'},
    "Of several spaces you give the last to the word behind them. GPT-2 does that, by one more pattern; here a run of whitespace longer than one space stays whole.",
)

each_space = in_pattern(
    "every whitespace character by itself",
    {SPACE: r'|\s"'},
    "Every whitespace character is a piece of its own. An indentation of eight spaces is one piece, so that it can become one token. There is a `+` missing.",
)

digits_apart = pattern(
    "digits apart from letters",
    r'r" ?\d+| ?[^\W\d]+| ?[^\w\s]+|\s+"',
    "Digits and letters make different pieces. GPT-2 has it so, and there are reasons for it; here they are all word characters, `\\w`, and `utf8` is one piece.",
)

contractions = pattern(
    "contractions kept whole",
    r'''r"'s|'t|'re|'ve|'m|'ll|'d| ?\w+| ?[^\w\s]+|\s+"''',
    "You keep `'s` and `'t` whole. GPT-2 does that for English; here the apostrophe is a sign like any other, and `s` a word character.",
)

BRACKETS = (
    "There are round brackets in your pattern. With them, `re.findall` gives what stands in each pair of brackets instead of the piece. Leave them out; where you need some to hold a pattern "
    "together, write `(?:...)`."
)
three_groups = pattern("round brackets in the pattern", r'r"( ?\w+)|( ?[^\w\s]+)|(\s+)"', BRACKETS)
space_groups = pattern("round brackets in the pattern", r'r"( ?)\w+|( ?)[^\w\s]+|\s+"', BRACKETS)
word_group = in_pattern("round brackets in the pattern", {WORD: r"(\w+)"}, BRACKETS)
inner_group = pattern(
    "spaces taken off the pieces",
    r'r" ?(\w+|[^\w\s]+)|\s+"',
    "Your pieces have lost their spaces, and pieces of whitespace are empty. `.strip()` does that, and so do round brackets in the pattern, with which `re.findall` gives only what "
    "stands in them. Joined, the pieces have to give the text.",
)

lower = Mistake(
    "made lower case",
    of="pretokenize",
    swap=", text)",
    by=", text.lower())",
    says="Everything comes out in lower case. Joined, the pieces have to give the text as it was; what is lost here, no decoder brings back.",
)

# Counting ----------------------------------------------------------------------------

UP = "counts[pair] = counts.get(pair, 0) + count"
LOOP = "for pair in pairwise(word):"

ONCE_SAYS = (
    "Every word counts once, however often it occurs in the text. The pairs of `the` then weigh as little as those of a word that stands there a single time. Each word "
    "brings its count along: that is what its pairs are worth."
)
words_once = Mistake(
    "words counted once",
    of=("count_pairs", TRAIN),
    swap=UP,
    by="counts[pair] = counts.get(pair, 0) + 1",
    says=ONCE_SAYS,
)
train_words_once = Mistake(
    "words counted once", of=TRAIN, swap=WORDS, by=f"dict.fromkeys({WORDS}, 1)", says=ONCE_SAYS
)  # fmt: skip
fast_words_once = Mistake(
    "words counted once",
    of=FAST,
    swap=f"list({WORDS}.items())",
    by=f"[(word, 1) for word in {WORDS}]",
    says=ONCE_SAYS,
)

once_a_word = Mistake(
    "a pair counted once in a word",
    of=("count_pairs", TRAIN),
    inside="count_pairs",
    swap=LOOP,
    by="for pair in set(pairwise(word)):",
    says="A pair that occurs twice in a word counts once. In `banana` the pair (a, n) stands twice. Every place counts: no set on the way.",
)

no_overlap = Mistake(
    "runs counted without overlap",
    of=("count_pairs", TRAIN),
    inside="count_pairs",
    swap=LOOP,
    by="""before = None
        for pair in pairwise(word):
            before = None if pair == before else pair
            if before is None:
                continue""",
    says="In a run, you count only pairs that could be merged at once: one in a a a. That is a thought worth having, and no library does it: every place where two tokens meet counts, "
    "which makes two.",
)

sorted_pairs = Mistake(
    "the order of the pair ignored",
    of=("count_pairs", TRAIN),
    inside="count_pairs",
    swap=UP,
    by="pair = min(pair), max(pair)\n            " + UP,
    says="(a, b) and (b, a) are counted together. They are different pairs: one makes the token `ab`, the other `ba`. Keep left and right as they stand.",
)

joined_keys = Mistake(
    "joined tokens for keys",
    of="count_pairs",
    swap=UP,
    by="counts[pair[0] + pair[1]] = counts.get(pair[0] + pair[1], 0) + count",
    says="Your keys are joined tokens, not pairs. `abc` may be a + bc or ab + c, and a merge has to know which. The key is the tuple (left, right).",
)

every_second = Mistake(
    "every second pair",
    of=("count_pairs", TRAIN),
    inside="count_pairs",
    swap="pairwise(word)",
    by="zip(word[::2], word[1::2])",
    says="You count the tokens two by two: first with second, third with fourth. The second and the third stand side by side as well. Every token but the last has a neighbour to its right.",
)

at_any_distance = Mistake(
    "tokens that do not stand side by side",
    of="count_pairs",
    swap="pairwise(word)",
    by="((one, other) for i, one in enumerate(word) for other in word[i + 1 :])",
    says="You count every two tokens of a word, side by side or not. Only neighbours can be merged, so only neighbours count.",
)

tokens_counted = Mistake(
    "tokens counted, not pairs",
    of="count_pairs",
    swap="pairwise(word)",
    by="word",
    says="You count tokens, not pairs of them. The question is which two *neighbours* meet most often: go through the word with each token and the one after it.".replace(
        "*", ""
    ),
)

last_missing = Mistake(
    "the last pair missing",
    of=("count_pairs", TRAIN),
    inside="count_pairs",
    swap="pairwise(word)",
    by="pairwise(word[:-1])",
    says="The last pair of every word is not counted. n tokens have n - 1 neighbourhoods; look at where your loop ends.",
)

overwritten = Mistake(
    "counts overwritten",
    of=("count_pairs", TRAIN),
    inside="count_pairs",
    swap=UP,
    by="counts[pair] = count",
    says="A count is set where it should be added to. What earlier words gave a pair is lost with the next word that holds it.",
)

FIRST_TIME = (
    "The first time that a pair comes along is not counted as it should be. It is worth as much as any other time, the count of its word: begin with 0 and add, as "
    "`counts.get(pair, 0) + count` does."
)
first_time_0, first_time_1, begins_at_1 = (
    Mistake("the first time counted otherwise", of="count_pairs", swap=UP, by=by, says=FIRST_TIME)
    for by in (
        "counts[pair] = counts[pair] + count if pair in counts else 0",
        "counts[pair] = counts[pair] + count if pair in counts else 1",
        "counts[pair] = counts.get(pair, 1) + count",
    )
)

first_word = Mistake(
    "only the first word counted",
    of="count_pairs",
    swap="    return counts",
    by="        return counts",
    says="Only the pairs of the first word are counted. Your `return` stands inside the loop, which ends there. Put it behind the loop, one step further left.",
)

# Merging ----------------------------------------------------------------------------

RIGHT_TO_LEFT = {
    "at = 0": "at, tokens, pair = 0, tokens[::-1], pair[::-1]",
    "merged.append(pair[0] + pair[1])": "merged.append(pair[1] + pair[0])",
    "return tuple(merged)": "return tuple(merged[::-1])",
}
right_to_left = Mistake(
    "merged from right to left",
    of=("merge_pair", TRAIN, FAST, ENCODE),
    inside="merge_pair",
    swaps=RIGHT_TO_LEFT,
    says="Runs are merged from the right. Of a a a the last two become one token in your version, and the first two should. It matters nowhere else, but there it makes other tokens. "
    "Go from left to right.",
)

USED_TWICE = "A token is used twice. In a a a the second a ends one pair and begins another; you merge both. After a merge go on two places further, which a while loop with a position of its own can do."
used_twice = Mistake(
    "a token used twice",
    of="merge_pair",
    swaps={
        "at += 2": "at += 1",
        "merged.append(tokens[at])": "merged += () if at and tokens[at - 1 : at + 1] == pair else (tokens[at],)",
    },
    says=USED_TWICE,
)

only_first = Mistake(
    "only the first occurrence merged",
    of="merge_pair",
    swap="at += 2",
    by="return (*merged, *tokens[at + 2 :])",
    says="Only the first occurrence of the pair is merged. In `banana`, (a, n) stands twice, and both become one token. Go on to the end of the word.",
)

stays_behind = Mistake(
    "the right token stays behind",
    of="merge_pair",
    swap="at += 2",
    by="at += 1",
    says="After a merge you go one token ahead, so its right half is looked at again. The tokens then hold more bytes than the word. A merged pair is two tokens wide: go two ahead.",
)

turned = Mistake(
    "joined the wrong way round",
    of="merge_pair",
    swap="pair[0] + pair[1]",
    by="pair[1] + pair[0]",
    says="The halves are joined the wrong way round. (t, h) makes `th`, not `ht`: left, then right.",
)

either_order = Mistake(
    "a turned pair merged too",
    of="merge_pair",
    swaps={
        "tokens[at : at + 2] == pair": "tokens[at : at + 2] in (pair, pair[::-1])",
        "merged.append(pair[0] + pair[1])": 'merged.append(b"".join(tokens[at : at + 2]))',
    },
    says="You merge the pair in either order. (a, b) is a then b; where b stands before a, it is another pair, and perhaps another merge.",
)

last_lost = Mistake(
    "the last token lost",
    of="merge_pair",
    swap="while at < len(tokens):",
    by="while at < len(tokens) - 1:",
    says="The last token is lost, unless it was merged. A loop that stops before the end has to put down what is left. Joined, the tokens must give the same bytes before and after.",
)

same_bytes = Mistake(
    "joined bytes compared",
    of="merge_pair",
    swap="tokens[at : at + 2] == pair",
    by='b"".join(tokens[at : at + 2]) == pair[0] + pair[1]',
    says="You compare the bytes of two tokens together, not the tokens. a + bc and ab + c are the same three bytes and two different pairs; only one of them is to be merged.",
)

INSIDE = (
    "You join the tokens with a sign between them and look for the pair in that text. It is found inside other tokens too: `b c` stands in `ab c`, where the token is `ab`. Compare whole "
    "tokens, one place after the other."
)
WALK = """while at < len(tokens):
        if tokens[at : at + 2] == pair:
            merged.append(pair[0] + pair[1])
            at += 2
        else:
            merged.append(tokens[at])
            at += 1
    return tuple(merged)"""
inside_tokens, inside_tokens_split = (
    Mistake(
        "the pair found inside tokens",
        of="merge_pair",
        swap=WALK,
        by=f'return tuple(b" ".join(tokens).replace(b" ".join(pair), b"".join(pair)).split({cut}))',
        says=INSIDE,
    )
    for cut in ('b" "', "")
)

pair_kept = Mistake(
    "the pair itself put down",
    of="merge_pair",
    swap="merged.append(pair[0] + pair[1])",
    by="merged.append(pair)",
    says="You put down the pair where its token should stand. The token is the bytes of both, joined: `pair[0] + pair[1]`.",
)

a_list = Mistake(
    "a list comes back",
    of="merge_pair",
    swap="return tuple(merged)",
    by="return merged",
    says="A list comes back. Words are keys of a dict, and only what cannot change can be a key: return a tuple.",
)

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

# Special tokens ----------------------------------------------------------------------------

SPECIAL = "split_special"

unescaped = Mistake(
    "signs of the pattern not escaped",
    of=SPECIAL,
    swap="re.escape(special) for",
    by="special for",
    says="The signs of a special token are read as a pattern. In `<|end|>` the bar means “or”, so `<`, `end` and `>` are cut out one by one. `re.escape(special)` makes all of them plain signs.",
)
LENGTH = (
    "The longest special token does not come first. Of patterns with `|` between them, the first that fits is taken: `<|end|>` before `<|end|>!` leaves the `!` over. Sort them by length, "
    "the longest first."
)
as_given = Mistake(
    "not the longest first",
    of=SPECIAL,
    swap="sorted(specials, key=len, reverse=True)",
    by="list(specials)",
    says=LENGTH,
)
shortest = Mistake("not the longest first", of=SPECIAL, swap=", reverse=True", by="", says=LENGTH)
alphabetical = Mistake("not the longest first", of=SPECIAL, swap=", key=len, reverse=True", by="", says=LENGTH)
thrown_away = Mistake(
    "special tokens thrown away",
    of=SPECIAL,
    swap='f"({any_special})"',
    by="any_special",
    says="The special tokens themselves are gone. `re.split` throws away what it cuts at, unless the pattern stands in round brackets.",
)
EMPTY = (
    "There are empty parts among yours. They come where two special tokens stand side by side, or one at the end, and where there is no text. Nothing would break, but a part is either a special "
    "token or some text: leave the empty ones out."
)
empty_parts = Mistake("empty parts", of=SPECIAL, swap=" if part]", by="]", says=EMPTY)
empty_text = Mistake("empty parts", of=SPECIAL, swap="[text] if text else []", by="[text]", says=EMPTY)
no_specials = Mistake(
    "no special tokens not thought of",
    of=SPECIAL,
    swap="if not specials:",
    by="if False:",
    says="Without special tokens your text falls apart. A pattern made of none is empty, and an empty pattern fits between any two characters. Return the text as it is.",
)
first_only = Mistake(
    "only the first special token",
    of=SPECIAL,
    swap=", text) if part",
    by=", text, maxsplit=1) if part",
    says="Only the first special token is cut out. The others stay in the text, and would be split into bytes. Go on through the whole text.",
)
stripped = Mistake(
    "spaces around lost",
    of=SPECIAL,
    swap="[part for part in",
    by="[part.strip() for part in",
    says="Spaces next to special tokens are lost. Joined, the parts have to give the text as it was; do not strip them.",
)
blank_dropped = Mistake(
    "parts of whitespace lost",
    of=SPECIAL,
    swap=" if part]",
    by=" if part.strip()]",
    says="Parts that are nothing but whitespace are dropped. A space between two special tokens is text, too; leave out only what is empty.",
)
text_lost = Mistake(
    "without special tokens the text lost",
    of=SPECIAL,
    swap="[text] if text else []",
    by="[]",
    says="Without special tokens nothing comes back. The whole text is one part then, if there is any.",
)


def _one_after_the_other(text: str, specials: Collection[str]) -> list[str]:
    if "" in specials:
        raise ValueError("a special token is empty")
    parts = [text]
    for special in specials:
        cut = []
        for part in parts:
            for i, between in enumerate(part.split(special)):
                cut += [special, between] if i else [between]
        parts = cut
    return [part for part in parts if part]


def _marked(text: str, specials: Collection[str]) -> list[str]:
    if "" in specials:
        raise ValueError("a special token is empty")
    for special in specials:
        text = text.replace(special, f"\0{special}\0")
    return [part for part in text.split("\0") if part]


one_after_the_other, marked = (
    Mistake(
        "one special token after the other",
        of=SPECIAL,
        instead=cut,
        says="You cut at one special token after the other, through the whole text each time. Then a later one is found inside an earlier one, which is never to be split. Look for all of "
        "them at once: one pattern with `|` between them, the longest first.",
    )
    for cut in (_one_after_the_other, _marked)
)

sorted_in_place = Mistake(
    "the list of special tokens changed",
    of=SPECIAL,
    swap="longest_first = sorted(specials, key=len, reverse=True)",
    by="longest_first = specials\n    longest_first.sort(key=len, reverse=True)",
    says="You sort the caller's own list. Whoever gave ids to special tokens by their place in it has other ids now. `sorted(...)` makes a new list.",
)
empty_accepted = Mistake(
    "an empty special token accepted",
    of=SPECIAL,
    swap='if "" in specials:',
    by="if False:",
    says="An empty special token is not refused. It would be found between any two characters: raise a ValueError, as the given lines did.",
)

# WordPiece ----------------------------------------------------------------------------

PIECE = "word_piece_encode"

no_mark = Mistake(
    "no ## at all",
    of=PIECE,
    swap='mark = "##" if start > 0 else ""',
    by='mark = ""',
    says="You look for the rest of the word without ##. In the vocabulary, `able` begins a word and `##able` goes on with one; they are different tokens, and most endings are there with ## "
    "only.",
)
always_mark = Mistake(
    "## at the beginning too",
    of=PIECE,
    swap='mark = "##" if start > 0 else ""',
    by='mark = "##"',
    says="The first token is looked for with ## too. That mark says “this goes on with a word”; the token that begins the word has none.",
)
mark_not_written = Mistake(
    "## looked up and not written",
    of=PIECE,
    swap="tokens.append(mark + word[start:end])",
    by="tokens.append(word[start:end])",
    says="You look up tokens with ## and put them down without. What comes out then are no tokens of the vocabulary. Put down what you found, mark and all.",
)
mark_not_looked_up = Mistake(
    "## written and not looked up",
    of=PIECE,
    swap="if mark + word[start:end] in vocabulary",
    by="if word[start:end] in vocabulary",
    says="You put ## in front of tokens that you looked up without. Whether `##able` is in the vocabulary is another question than whether `able` is. Look up what you put down.",
)
shortest_piece = Mistake(
    "the shortest match",
    of=PIECE,
    swap="range(len(word), start, -1)",
    by="range(start + 1, len(word) + 1)",
    says="You take the shortest token that fits. Begin with the whole rest of the word and shorten it from its end.",
)
REST = "Only part of a word becomes [UNK]. In WordPiece one place where nothing fits makes the whole word unknown, also the tokens that were found before: return a list of [UNK] alone."
unknown_rest = Mistake(
    "part of the word unknown", of=PIECE, swap='return ["[UNK]"]', by='return [*tokens, "[UNK]"]', says=REST
)
unknown_character = Mistake(
    "part of the word unknown",
    of=PIECE,
    swap='return ["[UNK]"]',
    by='tokens.append("[UNK]")\n            start += 1\n            continue',
    says=REST,
)
vanished = Mistake(
    "unknown words vanish",
    of=PIECE,
    swap='return ["[UNK]"]',
    by="return []",
    says="A word that does not fit vanishes. The model should know that something stood there: [UNK] says so.",
)
part_kept = Mistake(
    "stops where nothing fits",
    of=PIECE,
    swap='return ["[UNK]"]',
    by="return tokens",
    says="Where nothing fits you stop, and the rest of the word is lost. A word that cannot be cut into tokens to its end is [UNK] as a whole.",
)
end_missing = Mistake(
    "the whole rest never tried",
    of=PIECE,
    swap="range(len(word), start, -1)",
    by="range(len(word) - 1, start, -1)",
    says="The whole rest of the word is never tried. A slice ends before its end, so `word[start:len(word)]` is the one that reaches the last character. Begin there.",
)
single_missing = Mistake(
    "a single character never tried",
    of=PIECE,
    swap="range(len(word), start, -1)",
    by="range(len(word), start + 1, -1)",
    says="A single character is never tried. `range` stops before its end, so `range(len(word), start + 1, -1)` leaves out `start + 1`, where the slice has one character; a word with such a token "
    "becomes [UNK]. Count down to `start`.",
)


small_letters = Mistake(
    "made lower case",
    of=PIECE,
    swap="tokens: list[str] = []",
    by="tokens: list[str] = []\n    word = word.lower()",
    says="The word is made lower case before it is cut. One of BERT's two vocabularies has no capitals, and whoever uses that one makes the whole text lower case first; this function takes a "
    "word as it is.",
)


def _from_the_right(word: str, vocabulary: set[str]) -> list[str]:
    tokens: list[str] = []
    end = len(word)
    while end > 0:
        starts = (at for at in range(end) if ("##" if at else "") + word[at:end] in vocabulary)
        start = next(starts, None)
        if start is None:
            return ["[UNK]"]
        tokens.insert(0, ("##" if start else "") + word[start:end])
        end = start
    return tokens


from_the_right = Mistake(
    "from right to left",
    of=PIECE,
    instead=_from_the_right,
    says="You cut from the right end of the word. WordPiece goes from left to right: the first token is the longest that begins the word.",
)


def _trying_again(word: str, vocabulary: set[str]) -> list[str]:
    def rest(start: int) -> list[str] | None:
        if start == len(word):
            return []
        for end in range(len(word), start, -1):
            token = ("##" if start else "") + word[start:end]
            behind = rest(end) if token in vocabulary else None
            if behind is not None:
                return [token, *behind]
        return None

    found = rest(0)
    return ["[UNK]"] if found is None else found


trying_again = Mistake(
    "shorter tokens tried again",
    of=PIECE,
    instead=_trying_again,
    says="Where nothing fits you go back and try a shorter token before. That finds more words, and it is not WordPiece: there the longest token that fits is taken for good, and one place where nothing fits makes "
    "the word [UNK].",
)
