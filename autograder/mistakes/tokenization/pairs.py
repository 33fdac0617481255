"""Wrong ways of counting and merging pairs."""

from autograder.mistakes.tokenization.learning import ENCODE, FAST, TRAIN, WORDS
from autograder.probing.mistake import Mistake

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
