"""Wrong ways of counting and merging pairs."""

from collections import Counter
from itertools import pairwise

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
    "Every word counts once, however often it occurs in the text. The pairs of `the` then count as little as those of a word that occurs once. Each "
    "word comes with its count: add this count for each of its pairs.",
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
    "A pair that occurs twice in a word counts once. In `banana` the pair (a, n) stands twice. Every place counts: do not use a set.",
    {LOOP: "for pair in set(pairwise(word)):"},
    also=[byte_pair_train],
)

count_pairs.mistake(
    "runs counted without overlap",
    "In a run, you count only pairs that could be merged at once: one in a a a. That would be reasonable, but no library does it: every place where two "
    "tokens meet counts, which makes two.",
    {
        LOOP: """before = None
        for pair in pairwise(word):
            before = None if pair == before else pair
            if before is None:
                continue"""
    },
    edit(
        {
            LOOP: """before = None
        for pair in pairwise(word):
            if pair == before:
                continue
            before = pair"""
        },
        says="In a run of one token you count its pair once, however long the run is. Every place where two tokens meet counts: two in a a a, three in a a a a.",
    ),
    edit(
        {
            LOOP: """at = -1
        for place, pair in enumerate(pairwise(word)):
            if place == at:
                continue
            at = place + 1 if pair[0] == pair[1] else -1"""
        },
        says="After two equal tokens you go two places further, as if they had been merged, so the pair of the second and its right neighbour is not "
        "counted. Nothing is merged yet: every place where two tokens meet counts, which makes two in a a a.",
    ),
    also=[byte_pair_train],
)


def _each_as_often(words: dict[tuple[bytes, ...], int]) -> dict[tuple[bytes, bytes], int]:
    """All words behind one another, each as often as it occurs."""
    return Counter(pairwise([token for word, count in words.items() for _ in range(count) for token in word]))


def _seams_once(words: dict[tuple[bytes, ...], int]) -> dict[tuple[bytes, bytes], int]:
    """Where two words meet counts once."""
    counts = Counter((one[-1], other[0]) for one, other in pairwise(words))
    for word, count in words.items():
        for pair in pairwise(word):
            counts[pair] += count
    return counts


LAST_BEFORE = "next((one[-1:] for one, other in pairwise(words) if other == word), ())"

FIRST_BEHIND = "next((other[:1] for one, other in pairwise(words) if one == word), ())"

count_pairs.mistake(
    "pairs counted across words",
    "You count pairs across words. The last token of a word and the first of the next do not stand side by side in the text: no token ever reaches across a cut. Count within each word by itself.",
    # What stands between two words counts as often as the second, or once.
    {LOOP: f"for pair in pairwise((*{LAST_BEFORE}, *word)):"},
    # ... or as often as the first.
    {LOOP: f"for pair in pairwise((*word, *{FIRST_BEHIND})):"},
    _seams_once,
    _each_as_often,
)

count_pairs.mistake(
    "counted in the joined bytes",
    "You count the bytes of a pair in the joined bytes of the word. There they are found inside a token, too, and across two others: in `lo` + `l` + `o` the pair (l, o) stands once. Compare tokens.",
    {
        LOOP: "for pair in set(pairwise(word)):",
        UP: UP.replace("+ count", '+ count * b"".join(word).count(b"".join(pair))'),
    },
)

count_pairs.mistake(
    "the last token meets the first",
    "The last token of a word is counted as a neighbour of the first. `word[i - 1]` is the last token where i is 0. n tokens have n - 1 neighbourhoods.",
    {LOOP: "for pair in zip((*word[-1:], *word[:-1]), word):"},
)

count_pairs.mistake(
    "right before left",
    "Your pairs are reversed: right, left. Merges are made from such pairs, and (h, t) makes another token than (t, h). Put the token that stands first "
    "in front.",
    {"pairwise(word)": "zip(word[1:], word)"},
)

count_pairs.mistake(
    "the first pair missing",
    "The first pair of every word is not counted. n tokens have n - 1 neighbourhoods; look at where your loop begins.",
    {"pairwise(word)": "pairwise(word[1:])"},
)

count_pairs.mistake(
    "equal neighbours left out",
    "Two equal tokens side by side are not counted. (a, a) is a pair like any other: in a a a it stands at two places.",
    {LOOP: "for pair in (one for one in pairwise(word) if one[0] != one[1]):"},
    edit(
        {LOOP: "for pair in (one for one in pairwise(word) if one[0] != one[1] or one not in counts):"},
        says="A pair of two equal tokens is counted at its first place and nowhere else. (a, a) is a pair like any other, and each of its places adds the count of its word.",
    ),
)

count_pairs.mistake(
    "the order of the pair ignored",
    "(a, b) and (b, a) are counted together. They are different pairs: one makes the token `ab`, the other `ba`. Keep left and right as they stand.",
    {UP: "pair = min(pair), max(pair)\n            " + UP},
    edit(
        {UP: f"{UP}\n            {UP.replace('pair', 'pair[::-1]')}"},
        says="Every pair is counted in both directions. Where a stands before b, only (a, b) meets: (b, a) would make another token.",
    ),
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
    "You count every second pair: first with second, third with fourth. The second and the third token stand side by side as well. Every token but the "
    "last has a neighbour to its right.",
    {"pairwise(word)": "zip(word[::2], word[1::2])"},
    also=[byte_pair_train],
)

count_pairs.mistake(
    "tokens that do not stand side by side",
    "You count every two tokens of a word, side by side or not. Only neighbours can be merged, so only neighbours count.",
    {"pairwise(word)": "((one, other) for i, one in enumerate(word) for other in word[i + 1 :])"},
    edit(
        {"pairwise(word)": "zip(word, word[2:])"},
        says="You count each token with the one after the next. Only neighbours can be merged, so only neighbours count: `zip(word, word[1:])`.",
    ),
    edit(
        {"pairwise(word)": "zip(word, word[1:], word[2:])"},
        says="You count three tokens in a row. A merge joins two, so a pair is a token and the one after it.",
    ),
)

count_pairs.mistake(
    "tokens counted, not pairs",
    "You count tokens, not pairs of them. The question is which two neighbours meet most often: go through the word with each token and the one after it.",
    {"pairwise(word)": "word"},
    edit(
        {"pairwise(word)": "zip(word, word)"},
        says="You count each token with itself. The question is which two neighbours meet most often: `zip(word, word[1:])` gives each token with the one after it.",
    ),
)

count_pairs.mistake(
    "the last pair missing",
    "The last pair of every word is not counted. n tokens have n - 1 neighbourhoods; look at where your loop ends.",
    {"pairwise(word)": "pairwise(word[:-1])"},
    also=[byte_pair_train],
)

count_pairs.mistake(
    "counts overwritten",
    "A count is overwritten where it should be increased. What earlier words added to a pair is lost with the next word that holds it.",
    {UP: "counts[pair] = count"},
    # What one word holds is added up first, and then replaces what other words gave.
    {
        LOOP: "for pair, count in [(pair, count * times) for pair, times in Counter(pairwise(word)).items()]:",
        UP: "counts[pair] = count",
    },
    edit(
        {UP: "counts.setdefault(pair, count)"},
        says="A pair keeps the count of the first word that holds it. Later words add nothing: `counts.get(pair, 0) + count`.",
        of=[count_pairs],
    ),
    edit(
        {UP: "counts[pair] = max(counts.get(pair, 0), count)"},
        says="A pair has the largest count of a word that holds it. Add up the counts of all words: `counts.get(pair, 0) + count`.",
        of=[count_pairs],
    ),
    also=[byte_pair_train],
)

count_pairs.mistake(
    "the first time counted otherwise",
    "The first occurrence of a pair is not counted as it should be. It adds the count of its word, like any other occurrence: begin with 0 and add, as "
    "`counts.get(pair, 0) + count` does.",
    {UP: "counts[pair] = counts[pair] + count if pair in counts else 0"},
    {UP: "counts[pair] = counts[pair] + count if pair in counts else 1"},
    {UP: "counts[pair] = counts.get(pair, 1) + count"},
    edit(
        {UP: "counts[pair] = counts[pair] + 1 if pair in counts else count"},
        says="The first occurrence of a pair adds the count of its word, and every later occurrence adds 1. Every occurrence has to add the count of "
        "its word: add `count` whether the pair is new or not.",
    ),
)

count_pairs.mistake(
    "only the first word counted",
    "Only the pairs of the first word are counted. Your `return` stands inside the loop, which ends there. Put it after the loop, one step further left.",
    {"    return counts": "        return counts"},
)

count_pairs.mistake(
    "only the last word counted",
    "Only the pairs of the last word are left. The dict is made anew for every word; make it once, before the loop.",
    {"for word, count in words.items():": "for word, count in words.items():\n        counts = {}"},
)

count_pairs.mistake(
    "some pairs left out",
    "Some pairs are left out. Every place where two tokens meet counts; which pair is merged is decided elsewhere.",
    *(
        edit(
            {"return counts": f"return {{pair: count for pair, count in counts.items() if count > {least}}}"},
            says="Pairs that are rare are left out. Every pair counts; which of them is merged is decided elsewhere, and of a short text the rare ones are needed too.",
        )
        for least in (1, 2)
    ),
    *(
        edit(
            {"return counts": f"return dict(Counter(counts).most_common({most}))"},
            says="Only the most frequent pairs come back. All of them are promised; which one is merged is decided elsewhere.",
        )
        for most in (1, 3, 5, 10)
    ),
    edit(
        {"in words.items():": "in words.items():\n        if count < 2:\n            continue"},
        says="Words that occur once are left out. Every word of the text counts, as often as it occurs.",
    ),
    edit(
        {LOOP: "for pair in pairwise(word if len(word) > 2 else ()):"},
        says="Words of two tokens are left out. They have one pair: n tokens have n - 1 neighbourhoods.",
    ),
)

count_pairs.mistake(
    "no dict comes back",
    "No dict comes back. Asked is how often each pair occurs: a dict from pair to number.",
    *(
        edit(
            {"return counts": f"return {instead}"},
            says=f"{what} comes back. Asked is how often each pair occurs: a dict from pair to number.",
        )
        for instead, what in (
            ("sum(counts.values())", "One number"),
            ("len(counts)", "One number"),
            ("list(counts.items())", "A list"),
            ("sorted(counts.items(), key=lambda one: -one[1])", "A list"),
            ("Counter(counts).most_common()", "A list"),
            ("list(counts)", "A list of the pairs alone"),
            ("max(counts, key=counts.get)", "The most frequent pair alone"),
            ("max(counts, key=counts.get, default=None)", "The most frequent pair alone"),
        )
    ),
)

count_pairs.mistake(
    "shares instead of counts",
    "You return shares of all pairs. Counts are promised, whole numbers: leave out the division.",
    {"return counts": "return {pair: count / sum(counts.values()) for pair, count in counts.items()}"},
)

count_pairs.mistake(
    "counts multiplied",
    "You multiply where you should add. A pair of two words that occur 3 and 4 times stands at 7 places: `counts.get(pair, 0) + count`.",
    {UP: "counts[pair] = counts.get(pair, 1) * count"},
)

count_pairs.mistake(
    "weighed by the length of the word",
    "Each place counts more, or less, the longer its word is. A place where two tokens meet adds the count of its word, however long that is.",
    {UP: "counts[pair] = counts.get(pair, 0) + count * len(word)"},
    {UP: "counts[pair] = counts.get(pair, 0) + count / len(word)"},
    edit(
        {UP: "counts[pair] = counts.get(pair, 0) + len(word)"},
        says="Each place counts as much as its word is long. A place where two tokens meet adds the count of its word: the value in the dict, not the length of the key.",
        of=[count_pairs],
    ),
    also=[byte_pair_train],
)

count_pairs.mistake(
    "the count multiplied by itself",
    "A word's count goes in twice, as a factor. A word that occurs three times then adds 9 to each of its pairs, so the frequent words decide alone. Add the count once for each place: "
    "in a loop over the occurrences, add 1.",
    {UP: "counts[pair] = counts.get(pair, 0) + count * count"},
)

count_pairs.mistake(
    "a mark at an end of the word counted",
    "There are pairs with something beside the word. The first token has nothing before it, and the last nothing after it: n tokens have n - 1 neighbourhoods.",
    *(
        {"pairwise(word)": f"pairwise({marked})"}
        for mark in ('b""', "None", 'b"</w>"')
        for marked in (f"({mark}, *word)", f"(*word, {mark})", f"({mark}, *word, {mark})")
    ),
)

count_pairs.mistake(
    "keys that are no pairs of bytes",
    "Your keys are not tuples of two tokens of bytes. Merges are made from these keys, and tokens are bytes: use the pair as it is.",
    *(
        {"return counts": f"return {{{key}: count for pair, count in counts.items()}}"}
        for key in (
            "str(pair)",
            'tuple(token.decode("latin-1") for token in pair)',
            'tuple(token.decode("utf-8", "replace") for token in pair)',
            "tuple(str(token) for token in pair)",
        )
    ),
)

# Merging ----------------------------------------------------------------------------

WALK = """while at < len(tokens):
        if tokens[at : at + 2] == pair:
            merged.append(pair[0] + pair[1])
            at += 2
        else:
            merged.append(tokens[at])
            at += 1
    return tuple(merged)"""
JOINED = "merged.append(pair[0] + pair[1])"
SAME = "tokens[at : at + 2] == pair"
AS_IT_STANDS = {JOINED: 'merged.append(b"".join(tokens[at : at + 2]))'}


def _stack(test: str, put: str) -> dict[str, str]:
    """Each token in turn, which is joined to what was put down last."""
    loop = f"""for token in tokens:
        if merged and {test}:
            merged[-1] = {put}
        else:
            merged.append(token)
    return tuple(merged)"""
    return {WALK: loop}


WHOLE, STACKED = "pair[0] + pair[1]", "merged[-1] + token"

merge_pair.mistake(
    "merged from right to left",
    "Runs are merged from the right. In a a a the last two become one token in your version, but the first two should. Only in runs does this make "
    "other tokens. Go from left to right.",
    {
        # Everything turned round, bytes too: so it can be told together with slips in between.
        "at = 0": "at, tokens, pair = 0, tuple(one[::-1] for one in tokens[::-1]), (pair[1][::-1], pair[0][::-1])",
        "return tuple(merged)": "return tuple(one[::-1] for one in merged[::-1])",
    },
    also=[byte_pair_train, byte_pair_train_fast, byte_pair_encode],
)

merge_pair.mistake(
    "a token used twice",
    "A token is used twice. In a a a the second a ends one pair and begins another; you merge both. After a merge go on two places further; a while "
    "loop with its own position can do that.",
    {
        "at += 2": "at += 1",
        "merged.append(tokens[at])": "merged += () if at and tokens[at - 1 : at + 1] == pair else (tokens[at],)",
    },
)

merge_pair.mistake(
    "only the first occurrence merged",
    "Only the first occurrence of the pair is merged. In `banana`, (a, n) stands twice, and both become one token. Go on to the end of the word.",
    {"at += 2": "return (*merged, *tokens[at + 2 :])"},
    {"at += 2": "merged.extend(tokens[at + 2 :])\n            break"},
    also=[byte_pair_train],
)

merge_pair.mistake(
    "only the last occurrence merged",
    "Only the last occurrence of the pair is merged. In `banana`, (a, n) stands twice, and both become one token. Merge wherever the pair stands.",
    {SAME: f"{SAME} and pair not in pairwise(tokens[at + 1 :])"},
)

merge_pair.mistake(
    "the first place not looked at",
    "A pair at the very beginning is not merged. Positions are counted from 0, and 0 counts as False in Python: ask with `is not None` where a place may be missing.",
    {SAME: f"at > 0 and {SAME}"},
)

merge_pair.mistake(
    "runs never merged",
    "A pair of two equal tokens is never merged. (a, a) is a pair like any other: of a a a the first two become one token, and the third stays.",
    {SAME: f"pair[0] != pair[1] and {SAME}"},
)

merge_pair.mistake(
    "the last place not looked at",
    "A pair at the very end is not merged. The last place where two tokens can stand is `len(tokens) - 2`, and a `range` or a `<` that ends there leaves it out.",
    {"if tokens[at : at + 2] == pair:": "if at < len(tokens) - 2 and tokens[at : at + 2] == pair:"},
)

merge_pair.mistake(
    "a whole run joined",
    "A whole run becomes one token. In a a a the first two become one token, and the third stays: a merge joins two tokens, and the merged token is not "
    "the left token of the pair any more.",
    {
        WALK: """while at < len(tokens):
        end = at + 1
        while tokens[end - 1 : end + 1] == pair:
            end += 1
        merged.append(b"".join(tokens[at:end]))
        at = end
    return tuple(merged)"""
    },
)

merge_pair.mistake(
    "the merged token not put down",
    "The pair is removed, and no token takes its place. Joined, the tokens must give the same bytes before and after: append `pair[0] + pair[1]` where "
    "the pair stood.",
    {JOINED: "pass"},
    # Taken off again, so that what stood before it meets what comes behind.
    {
        WALK: _stack("merged[-1] == pair[0] and token == pair[1]", "")
        .popitem()[1]
        .replace("merged[-1] = ", "merged.pop()")
    },
)

merge_pair.mistake(
    "both halves stay beside the merged token",
    "The two halves stay, and the merged token stands beside them. Joined, the tokens must give the same bytes before and after: the merged token takes the place of both.",
    {JOINED: "merged += [*pair, pair[0] + pair[1]]"},
    {JOINED: "merged += [pair[0] + pair[1], *pair]"},
)

merge_pair.mistake(
    "the right token stays behind",
    "After a merge you go one token ahead, so its right half is looked at again. The tokens then hold more bytes than the word. A merged pair is two tokens wide: go two ahead.",
    {"at += 2": "at += 1"},
    also=[byte_pair_train, byte_pair_train_fast],
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
    "The last token is lost, unless it was merged. A loop that stops before the end has to append what is left. Joined, the tokens must give the same "
    "bytes before and after.",
    {"while at < len(tokens):": "while at < len(tokens) - 1:"},
    edit(
        {"return tuple(merged)": "return tuple(merged[:-1])"},
        says="The last token is lost, whether it was merged or not. Joined, the tokens must give the same bytes before and after: return all of them.",
        of=[merge_pair],
    ),
    # Words that have become the same count together.
    edit(
        {
            "words = {merge_pair(word, best): count for word, count in words.items()}": """rows: dict[tuple[bytes, ...], int] = Counter()
        for word, count in words.items():
            row = merge_pair(word, best)
            rows[row if word[-2:] == best and row[-1] == best[0] + best[1] else row[:-1]] += count
        words = rows"""
        },
        inside="byte_pair_train",
        of=[byte_pair_train],
    ),
    also=[byte_pair_train, byte_pair_train_fast],
)

merge_pair.mistake(
    "joined bytes compared",
    "You compare the bytes of two tokens together, not the tokens. a + bc and ab + c are the same three bytes and two different pairs; only one of them is to be merged.",
    {"tokens[at : at + 2] == pair": 'b"".join(tokens[at : at + 2]) == pair[0] + pair[1]'},
)

ENDS = (
    ("tokens[at].endswith(pair[0])", "tokens[at + 1] == pair[1]"),
    ("tokens[at] == pair[0]", "tokens[at + 1].startswith(pair[1])"),
    ("tokens[at].endswith(pair[0])", "tokens[at + 1].startswith(pair[1])"),
    ("pair[0] in tokens[at]", "pair[1] in tokens[at + 1]"),
)

merge_pair.mistake(
    "the pair found inside tokens",
    "The pair is found inside other tokens too. `b c` stands in `ab c`, where the token is `ab`: a search in the tokens joined with a separator finds "
    "it there, and so does a comparison of ends and beginnings. Compare whole tokens, one place after the other.",
    *(
        {WALK: f'return tuple(b" ".join(tokens).replace(b" ".join(pair), b"".join(pair)).split({cut}))'}
        for cut in ('b" "', "")
    ),
    *({SAME: f"at + 1 < len(tokens) and {one} and {other}"} | put for one, other in ENDS for put in ({}, AS_IT_STANDS)),
    *(
        _stack(f"{one} and {other}".replace("tokens[at + 1]", "token").replace("tokens[at]", "merged[-1]"), put)
        for one, other in ENDS
        for put in (WHOLE, STACKED, "merged[-1] + pair[1]", "pair[0] + token")
    ),
)

merge_pair.mistake(
    "the pair itself put down",
    "You append the pair where its token should stand. The token is the bytes of both, joined: `pair[0] + pair[1]`.",
    {JOINED: "merged.append(pair)"},
)

merge_pair.mistake(
    "a list comes back",
    "A list comes back. Words are keys of a dict, and a list cannot be a key: return a tuple.",
    {"return tuple(merged)": "return merged"},
)

merge_pair.mistake(
    "one half stays beside the merged token",
    "One half of the pair stays beside the merged token. Joined, the tokens must give the same bytes before and after: the merged token takes the place of both halves.",
    {JOINED: "merged += [pair[0] + pair[1], pair[1]]"},
    {JOINED: "merged += [pair[0], pair[0] + pair[1]]"},
)

merge_pair.mistake(
    "the token after a merge lost",
    "The token after a merge is lost. Joined, the tokens must give the same bytes before and after: a merged pair is two tokens wide, not three. Go two ahead.",
    {"at += 2": "at += 3"},
)

merge_pair.mistake(
    "the token after a merge not looked at",
    "The token after a merge is put down without a look. Where the pair stands there once more, as in a b a b, it has to be merged again. A merged pair is two tokens wide, not three: "
    "go two ahead; where the two were replaced in a list, go one ahead.",
    {"at += 2": "merged.extend(tokens[at + 2 : at + 3])\n            at += 3"},
)

merge_pair.mistake(
    "the rest of the word lost",
    "What comes after the first merge is lost. A loop that ends there has to put down the rest, or go on. Joined, the tokens must give the same bytes before and after.",
    {"at += 2": "break"},
    edit(
        {WALK: WALK.replace("    return tuple(merged)", "        return tuple(merged)")},
        says="You return after the first step. The `return` stands inside the loop, so all that follows is lost. It belongs behind the loop.",
    ),
)

HALVES = {
    "left": "at + 1 < len(tokens) and tokens[at] == pair[0]",
    "right": "at + 1 < len(tokens) and tokens[at + 1] == pair[1]",
}
merge_pair.mistake(
    "half of the pair compared",
    "You compare one half of the pair only. Both tokens have to be those of the pair: the left token *and* the right token.",
    *({SAME: half} | put for half in HALVES.values() for put in ({}, AS_IT_STANDS)),
    # The last token has none to its right, and is merged with nothing.
    {SAME: "tokens[at] == pair[0]"},
    *(_stack("token == pair[1]", put) for put in (WHOLE, STACKED)),
    *(
        edit(
            {SAME: "at + 1 < len(tokens) and (tokens[at] == pair[0] or tokens[at + 1] == pair[1])"} | put,
            says="You merge where one of the two tokens is that of the pair. Both have to be: `and`, not `or`.",
        )
        for put in ({}, AS_IT_STANDS)
    ),
    *(
        edit(
            _stack("(merged[-1] == pair[0] or token == pair[1])", put),
            says="You merge where one of the two tokens is that of the pair. Both have to be: `and`, not `or`.",
        )
        for put in (WHOLE, STACKED)
    ),
)

merge_pair.mistake(
    "the pair looked for the wrong way round",
    "You look for the right token before the left. (a, b) is a then b; where b stands before a, it is another pair.",
    {SAME: "tokens[at : at + 2] == pair[::-1]"},
    {SAME: "tokens[at : at + 2] == pair[::-1]"} | AS_IT_STANDS,
)

merge_pair.mistake(
    "the first token lost",
    "The first token is lost. Positions are counted from 0: begin there. Joined, the tokens must give the same bytes before and after.",
    {"at = 0": "at = 1"},
)

merge_pair.mistake(
    "a half put down for the whole",
    "What you put down is not both halves joined. One of them is missing, or stands there twice. The merged token is the left half, then the right.",
    *({JOINED: f"merged.append({half})"} for half in ("pair[0]", "pair[1]", "pair[0] * 2", "pair[1] * 2")),
)

merge_pair.mistake(
    "only merged tokens kept",
    "Only merged tokens come back. Tokens that belong to no pair stay as they are: put them down as well.",
    {"merged.append(tokens[at])": "pass"},
)

merge_pair.mistake(
    "something between the halves",
    "Something stands between the two halves of your merged token. The token is the bytes of both and nothing else: `pair[0] + pair[1]`.",
    {JOINED: 'merged.append(b" ".join(pair))'},
    {JOINED: 'merged.append(b" ".join(tokens[at : at + 2]))'},
)

merge_pair.mistake(
    "the merged token put down twice",
    "The merged token stands there twice. Joined, the tokens must give the same bytes before and after: one token takes the place of two.",
    {JOINED: "merged += [pair[0] + pair[1]] * 2"},
)

merge_pair.mistake(
    "nothing is merged",
    "The tokens come back as they were. Where the pair is found, one token has to take the place of the two: append `pair[0] + pair[1]`, not the two one after the other.",
    {JOINED: "merged.extend(pair)"},
)

merge_pair.mistake(
    "the tokens in reverse order",
    "The tokens come back in reverse order. Whoever goes through them from the right, or puts each in front, has to turn the result round; and in a run the first two are merged, not the last.",
    {"return tuple(merged)": "return tuple(merged[::-1])"},
    *(
        edit(
            front,
            says=f"{which} put in front of those before. Tokens stand in the order of the word: put each behind the last.",
        )
        for front, which in (
            ({"merged.append(tokens[at])": "merged.insert(0, tokens[at])"}, "Tokens that are not merged are"),
            ({JOINED: "merged.insert(0, pair[0] + pair[1])"}, "Merged tokens are"),
        )
    ),
    {
        "at = 0": "at, tokens, pair = 0, tuple(one[::-1] for one in tokens[::-1]), (pair[1][::-1], pair[0][::-1])",
        "return tuple(merged)": "return tuple(one[::-1] for one in merged)",
    },
)

merge_pair.mistake(
    "every second place only",
    "You look at every second place only. A pair may begin at any place: go one ahead where nothing was merged, and two where something was.",
    {
        WALK: """for at in range(0, len(tokens), 2):
        merged += [pair[0] + pair[1]] if tokens[at : at + 2] == pair else tokens[at : at + 2]
    return tuple(merged)"""
    },
)

merge_pair.mistake(
    "each half at either place",
    "You merge any two neighbours that are halves of the pair, whichever each of them is. For (a, b) that is also a a, b b and b a. The left token has to be the left half, and the right token the right one.",
    *(
        {SAME: "at + 1 < len(tokens) and tokens[at] in pair and tokens[at + 1] in pair"} | put
        for put in ({}, AS_IT_STANDS)
    ),
    *(_stack("merged[-1] in pair and token in pair", put) for put in (WHOLE, STACKED)),
)

AGAIN = "return tuple(merged) if tuple(merged) == tokens else merge_pair(tuple(merged), {})"
merge_pair.mistake(
    "a merged token merged again",
    "A token that was just merged is joined to a neighbour as if it were a half of the pair. `ab` is another token than a or b, and what stands beside it stays: this is one merge.",
    {"return tuple(merged)": AGAIN.format("(pair[0], pair[0] + pair[1])")},
    {"return tuple(merged)": AGAIN.format("(pair[0] + pair[1], pair[1])")},
    _stack("merged[-1] in (pair[0], pair[0] + pair[1]) and token == pair[1]", STACKED),
    _stack(
        "(merged[-1] == pair[0] or merged[-1].endswith(pair[0] + pair[1])) and token == pair[1]",
        STACKED,
    ),
)

merge_pair.mistake(
    "no tokens come back",
    "The tokens are joined into one. What comes back is a row of tokens, in a tuple: leave out the last `join`.",
    *(
        {"return tuple(merged)": f"return {joined}"}
        for joined in ('b"".join(merged)', 'b" ".join(merged)', '(b"".join(merged),)')
    ),
)

merge_pair.mistake(
    "tokens taken apart",
    "A token is taken apart. Adding bytes to a list, or making a list or tuple of them, gives the numbers of the bytes: put down the token as a whole, by `append` or in brackets.",
    {JOINED: "merged += pair[0] + pair[1]"},
    {"merged.append(tokens[at])": "merged += tokens[at]"},
    {JOINED: "merged += pair[0] + pair[1]", "merged.append(tokens[at])": "merged += tokens[at]"},
    *(
        edit(
            way,
            says="Tokens are cut into single bytes. Earlier merges made them longer, and this merge leaves them as they are: put down each token as a whole.",
        )
        for way in (
            {"merged.append(tokens[at])": "merged += [bytes([byte]) for byte in tokens[at]]"},
            {"at = 0": 'at, tokens = 0, tuple(bytes([byte]) for byte in b"".join(tokens))'},
        )
    ),
)

merge_pair.mistake(
    "a text in the place of the merged token",
    "What you put down for the pair is a text. Tokens are bytes: add the halves as they are, `pair[0] + pair[1]`, without `str` and `decode`.",
    *(
        {JOINED: f"merged.append({text})"}
        for text in (
            "str(pair[0] + pair[1])",
            '(pair[0] + pair[1]).decode("latin-1")',
            '(pair[0] + pair[1]).decode("utf-8", "replace")',
            "str(pair[0]) + str(pair[1])",
        )
    ),
)
