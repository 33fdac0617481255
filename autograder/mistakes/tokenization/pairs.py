"""Wrong ways of counting and merging pairs."""

from autograder.checks.tokenization import (
    byte_pair_encode,
    byte_pair_train,
    byte_pair_train_fast,
    count_pairs,
    merge_pair,
)
from autograder.probing.mistake import edit

# Counting ----------------------------------------------------------------------------

UP = "counts[pair] = counts.get(pair, 0) + count"
LOOP = "for pair in pairwise(word):"
WORDS = "Counter(byte_tokens(piece) for piece in pretokenize(text))"

count_pairs.mistake(
    "words counted once",
    "Every word counts once, however often it occurs in the text. The pairs of `the` then weigh as little as those of a word that stands there a single time. Each word "
    "brings its count along: that is what its pairs are worth.",
    {UP: "counts[pair] = counts.get(pair, 0) + 1"},
    edit({WORDS: f"dict.fromkeys({WORDS}, 1)"}, inside="byte_pair_train", of=[byte_pair_train]),
    edit(
        {f"list({WORDS}.items())": f"[(word, 1) for word in {WORDS}]"},
        inside="byte_pair_train_fast",
        of=[byte_pair_train_fast],
    ),
    also=[byte_pair_train],
)

count_pairs.mistake(
    "a pair counted once in a word",
    "A pair that occurs twice in a word counts once. In `banana` the pair (a, n) stands twice. Every place counts: no set on the way.",
    {LOOP: "for pair in set(pairwise(word)):"},
    also=[byte_pair_train],
)

count_pairs.mistake(
    "runs counted without overlap",
    "In a run, you count only pairs that could be merged at once: one in a a a. That is a thought worth having, and no library does it: every place where two tokens meet counts, "
    "which makes two.",
    {
        LOOP: """before = None
        for pair in pairwise(word):
            before = None if pair == before else pair
            if before is None:
                continue"""
    },
    also=[byte_pair_train],
)

count_pairs.mistake(
    "the order of the pair ignored",
    "(a, b) and (b, a) are counted together. They are different pairs: one makes the token `ab`, the other `ba`. Keep left and right as they stand.",
    {UP: "pair = min(pair), max(pair)\n            " + UP},
    edit(
        {
            "counts = count_pairs(words)": """counts: dict[tuple[bytes, ...], int] = {}
        for pair, count in count_pairs(words).items():
            pair = tuple(sorted(pair, key=ids.__getitem__))
            counts[pair] = counts.get(pair, 0) + count"""
        },
        inside="byte_pair_train",
        of=[byte_pair_train],
    ),
    also=[byte_pair_train],
)

count_pairs.mistake(
    "joined tokens for keys",
    "Your keys are joined tokens, not pairs. `abc` may be a + bc or ab + c, and a merge has to know which. The key is the tuple (left, right).",
    {UP: "counts[pair[0] + pair[1]] = counts.get(pair[0] + pair[1], 0) + count"},
)

count_pairs.mistake(
    "every second pair",
    "You count the tokens two by two: first with second, third with fourth. The second and the third stand side by side as well. Every token but the last has a neighbour to its right.",
    {"pairwise(word)": "zip(word[::2], word[1::2])"},
    also=[byte_pair_train],
)

count_pairs.mistake(
    "tokens that do not stand side by side",
    "You count every two tokens of a word, side by side or not. Only neighbours can be merged, so only neighbours count.",
    {"pairwise(word)": "((one, other) for i, one in enumerate(word) for other in word[i + 1 :])"},
)

count_pairs.mistake(
    "tokens counted, not pairs",
    "You count tokens, not pairs of them. The question is which two neighbours meet most often: go through the word with each token and the one after it.",
    {"pairwise(word)": "word"},
)

count_pairs.mistake(
    "the last pair missing",
    "The last pair of every word is not counted. n tokens have n - 1 neighbourhoods; look at where your loop ends.",
    {"pairwise(word)": "pairwise(word[:-1])"},
    also=[byte_pair_train],
)

count_pairs.mistake(
    "counts overwritten",
    "A count is set where it should be added to. What earlier words gave a pair is lost with the next word that holds it.",
    {UP: "counts[pair] = count"},
    # What one word holds is added up first, and then replaces what other words gave.
    {UP: "counts[pair] = count * list(pairwise(word)).count(pair)"},
    also=[byte_pair_train],
)

count_pairs.mistake(
    "the first time counted otherwise",
    "The first time that a pair comes along is not counted as it should be. It is worth as much as any other time, the count of its word: begin with 0 and add, as "
    "`counts.get(pair, 0) + count` does.",
    {UP: "counts[pair] = counts[pair] + count if pair in counts else 0"},
    {UP: "counts[pair] = counts[pair] + count if pair in counts else 1"},
    {UP: "counts[pair] = counts.get(pair, 1) + count"},
)

count_pairs.mistake(
    "only the first word counted",
    "Only the pairs of the first word are counted. Your `return` stands inside the loop, which ends there. Put it behind the loop, one step further left.",
    {"    return counts": "        return counts"},
)

# Merging ----------------------------------------------------------------------------

JOINED = "merged.append(pair[0] + pair[1])"

merge_pair.mistake(
    "merged from right to left",
    "Runs are merged from the right. Of a a a the last two become one token in your version, and the first two should. It matters nowhere else, but there it makes other tokens. "
    "Go from left to right.",
    {
        "at = 0": "at, tokens, pair = 0, tokens[::-1], pair[::-1]",
        JOINED: "merged.append(pair[1] + pair[0])",
        "return tuple(merged)": "return tuple(merged[::-1])",
    },
    also=[byte_pair_train, byte_pair_train_fast, byte_pair_encode],
)

merge_pair.mistake(
    "a token used twice",
    "A token is used twice. In a a a the second a ends one pair and begins another; you merge both. After a merge go on two places further, which a while loop with a position of its own can do.",
    {
        "at += 2": "at += 1",
        "merged.append(tokens[at])": "merged += () if at and tokens[at - 1 : at + 1] == pair else (tokens[at],)",
    },
)

merge_pair.mistake(
    "only the first occurrence merged",
    "Only the first occurrence of the pair is merged. In `banana`, (a, n) stands twice, and both become one token. Go on to the end of the word.",
    {"at += 2": "return (*merged, *tokens[at + 2 :])"},
)

merge_pair.mistake(
    "the right token stays behind",
    "After a merge you go one token ahead, so its right half is looked at again. The tokens then hold more bytes than the word. A merged pair is two tokens wide: go two ahead.",
    {"at += 2": "at += 1"},
)

merge_pair.mistake(
    "joined the wrong way round",
    "The halves are joined the wrong way round. (t, h) makes `th`, not `ht`: left, then right.",
    {"pair[0] + pair[1]": "pair[1] + pair[0]"},
)

merge_pair.mistake(
    "a turned pair merged too",
    "You merge the pair in either order. (a, b) is a then b; where b stands before a, it is another pair, and perhaps another merge.",
    {
        "tokens[at : at + 2] == pair": "tokens[at : at + 2] in (pair, pair[::-1])",
        JOINED: 'merged.append(b"".join(tokens[at : at + 2]))',
    },
    {"tokens[at : at + 2] == pair": "tokens[at : at + 2] in (pair, pair[::-1])"},
)

merge_pair.mistake(
    "the last token lost",
    "The last token is lost, unless it was merged. A loop that stops before the end has to put down what is left. Joined, the tokens must give the same bytes before and after.",
    {"while at < len(tokens):": "while at < len(tokens) - 1:"},
)

merge_pair.mistake(
    "joined bytes compared",
    "You compare the bytes of two tokens together, not the tokens. a + bc and ab + c are the same three bytes and two different pairs; only one of them is to be merged.",
    {"tokens[at : at + 2] == pair": 'b"".join(tokens[at : at + 2]) == pair[0] + pair[1]'},
)

WALK = """while at < len(tokens):
        if tokens[at : at + 2] == pair:
            merged.append(pair[0] + pair[1])
            at += 2
        else:
            merged.append(tokens[at])
            at += 1
    return tuple(merged)"""

merge_pair.mistake(
    "the pair found inside tokens",
    "You join the tokens with a sign between them and look for the pair in that text. It is found inside other tokens too: `b c` stands in `ab c`, where the token is `ab`. Compare whole "
    "tokens, one place after the other.",
    *(
        {WALK: f'return tuple(b" ".join(tokens).replace(b" ".join(pair), b"".join(pair)).split({cut}))'}
        for cut in ('b" "', "")
    ),
)

merge_pair.mistake(
    "the pair itself put down",
    "You put down the pair where its token should stand. The token is the bytes of both, joined: `pair[0] + pair[1]`.",
    {JOINED: "merged.append(pair)"},
)

merge_pair.mistake(
    "a list comes back",
    "A list comes back. Words are keys of a dict, and only what cannot change can be a key: return a tuple.",
    {"return tuple(merged)": "return merged"},
)
