"""Wrong ways of WordPiece."""

from autograder.checks.tokenization import word_piece_encode
from autograder.probing.mistake import edit

MARK = 'mark = "##" if start > 0 else ""'
ENDS = "range(len(word), start, -1)"
UNKNOWN = 'return ["[UNK]"]'
LOOKED_UP = "if mark + word[start:end] in vocabulary"
EITHER = "if {mark + word[start:end], word[start:end]} & set(vocabulary)"
PUT = "tokens.append(mark + word[start:end])"
WORD = "tokens: list[str] = []"

word_piece_encode.mistake(
    "no ## at all",
    "You look for the rest of the word without ##. In the vocabulary, `able` begins a word and `##able` continues a word. They are different tokens, "
    "and most endings are there only with ##.",
    {MARK: 'mark = ""'},
)

word_piece_encode.mistake(
    "## at the beginning too",
    "The first token is looked for with ## too. That mark says “this continues a word”; the token that begins the word has no mark.",
    {MARK: 'mark = "##"'},
)

word_piece_encode.mistake(
    "## looked up and not written",
    "You look up tokens with ## and return them without. Your results are then not tokens of the vocabulary. Return what you found, including the mark.",
    {"tokens.append(mark + word[start:end])": "tokens.append(word[start:end])"},
    {PUT: 'tokens.append((mark + word[start:end]).lstrip("#"))'},
)

word_piece_encode.mistake(
    "## written and not looked up",
    "You put ## in front of tokens that you looked up without. `able` may be in the vocabulary while `##able` is not. Look up exactly what you return.",
    {"if mark + word[start:end] in vocabulary": "if word[start:end] in vocabulary"},
)

word_piece_encode.mistake(
    "with ## or without",
    "After the beginning of the word you also take tokens without ##. `able` begins a word, and `##able` continues a word: only `##able` fits there.",
    {"if mark + word[start:end] in vocabulary": "if {mark + word[start:end], word[start:end]} & set(vocabulary)"},
    {
        "if mark + word[start:end] in vocabulary": "if {mark + word[start:end], word[start:end]} & set(vocabulary)",
        "tokens.append(mark + word[start:end])": "tokens.append(mark * (mark + word[start:end] in vocabulary) + word[start:end])",
    },
    {
        LOOKED_UP: EITHER,
        PUT: "tokens.append(word[start:end] if word[start:end] in vocabulary else mark + word[start:end])",
    },
    # One of the two is asked for all lengths before the other, or the ## counts as two characters.
    *(
        {
            LOOKED_UP: EITHER,
            ENDS: f"sorted({ENDS}, key=lambda end: {key})",
            PUT: f"tokens.append({put})",
        }
        for key, put in (
            (
                "mark + word[start:end] not in vocabulary",
                "mark * (mark + word[start:end] in vocabulary) + word[start:end]",
            ),
            ("word[start:end] not in vocabulary", "mark * (word[start:end] not in vocabulary) + word[start:end]"),
            (
                "start - end - len(mark) * (mark + word[start:end] in vocabulary)",
                "mark * (mark + word[start:end] in vocabulary) + word[start:end]",
            ),
        )
    ),
    *(
        edit(
            {MARK: 'mark = "##"', LOOKED_UP: EITHER, PUT: f"tokens.append({put})"},
            says="You take tokens with ## and without, wherever they stand. `able` begins a word, and `##able` continues a word: at place 0 only the first fits, and later only the second.",
        )
        for put in (
            "word[start:end] if word[start:end] in vocabulary else mark + word[start:end]",
            "mark + word[start:end] if mark + word[start:end] in vocabulary else word[start:end]",
        )
    ),
)

word_piece_encode.mistake(
    "[UNK] written otherwise",
    "What you return for an unknown word is not `[UNK]`. It is a token of BERT's vocabulary, and it is there only under this name.",
    {UNKNOWN: 'return ["UNK"]'},
    {UNKNOWN: 'return ["<unk>"]'},
    {UNKNOWN: 'return ["<UNK>"]'},
    {UNKNOWN: 'return [mark + "[UNK]"]'},
    {UNKNOWN: 'return ["[unk]"]'},
    edit(
        {UNKNOWN: 'return "[UNK]"'},
        says="For an unknown word you return a text, and a list is promised. A loop over a text goes through its characters. Return a list with [UNK] alone.",
    ),
    edit(
        {UNKNOWN: "return None"},
        says="For an unknown word you return None, and a list is promised. What joins the tokens of all words stops there. Return a list with [UNK] alone.",
    ),
)

word_piece_encode.mistake(
    "[UNK] more than once",
    "An unknown word becomes [UNK] several times. It is one token for the whole word, however long that is: return a list with [UNK] alone.",
    *(
        {UNKNOWN: f'return ["[UNK]"] * {times}'}
        for times in ("len(word)", "(len(tokens) + 1)", "(len(word) - start)", "max(len(tokens), 1)")
    ),
)

word_piece_encode.mistake(
    "unknown words raise",
    "An unknown word raises an exception. Every text has words that a vocabulary lacks, and [UNK] is there for them: return a list with [UNK] alone.",
    *({UNKNOWN: f"raise {error}(word)"} for error in ("KeyError", "ValueError", "IndexError", "StopIteration")),
)

word_piece_encode.mistake(
    "the empty word taken for an unknown one",
    "For the word without characters more than an empty list comes back. It has no place where nothing fits, so it is not unknown: no characters, no tokens. `not tokens` is True for an empty list, too.",
    {"return tokens": 'return tokens or ["[UNK]"]'},
    {"return tokens": "return tokens or [word]"},
    {"return tokens": "return tokens or None"},
    {"return tokens": 'return tokens or "[UNK]"'},
)

word_piece_encode.mistake(
    "no list comes back",
    "No list comes back. A list of tokens is promised, to which those of the next word can be added.",
    *(
        edit(
            {"return tokens": f'return "{sign}".join(tokens)'} | unknown,
            says="A text comes back, and a list of tokens is promised. Whoever looks up the ids of its items meets single characters: leave out `join`.",
        )
        for sign in ("", " ")
        for unknown in ({}, {UNKNOWN: 'return "[UNK]"'})
    ),
    *(
        edit(
            {"return tokens": "return iter(tokens)"} | unknown,
            says="An iterator comes back, and a list is promised. It can be gone through once and has no length: put `list` round it.",
        )
        for unknown in ({}, {UNKNOWN: 'return iter(["[UNK]"])'})
    ),
)

word_piece_encode.mistake(
    "any token that fits",
    "You take the first token of the vocabulary that fits, in whatever order the vocabulary has them. A set has none that one could count on. Take the longest that fits.",
    edit(
        {f"for end in ends {LOOKED_UP}": "for token in vocabulary for end in ends if token == mark + word[start:end]"},
        varies=True,
    ),
)

word_piece_encode.mistake(
    "long tokens never tried",
    "Tokens of more than a few characters are never tried. A token may be as long as the word: begin with the whole rest of it.",
    *({ENDS: f"range(min(len(word), start + {most}), start, -1)"} for most in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)),
    *({LOOKED_UP: f"{LOOKED_UP} and len(mark + word[start:end]) <= {most}"} for most in (3, 4, 5, 6, 8, 10, 16, 20)),
)

word_piece_encode.mistake(
    "tokens left out",
    "Some tokens of a word do not come back. Joined, and without ##, the tokens are the word: return all of them.",
    *(
        edit(
            {"return tokens": f"return tokens[:{most}]"},
            says=f"Of the tokens of a word no more than {most} come back. Return all of them, as many as there are.",
        )
        for most in (2, 3, 4, 5)
    ),
    *(
        edit(
            {"while start < len(word):": f"while start < len(word) and len(tokens) < {most}:"},
            says=f"You stop after {most} tokens. Go on until nothing is left of the word.",
        )
        for most in (2, 3, 4, 5)
    ),
    {"return tokens": "return tokens[:1]"},
    edit(
        {"return tokens": "return tokens[1:]"}, says="The first token of a word does not come back. Return all of them."
    ),
    edit(
        {"return tokens": "return tokens[:-1]"}, says="The last token of a word does not come back. Return all of them."
    ),
    edit(
        {"return tokens": "return list(dict.fromkeys(tokens))"},
        says="A token that stands twice in a word comes back once. Joined, and without ##, the tokens are the word: no set and no dict of them.",
    ),
)

word_piece_encode.mistake(
    "the signs # taken off the word",
    "Signs # are taken off. They may be part of a word: only the ## in front of a token that goes on says something else. Leave the word as it is.",
    *(
        {WORD: f"{WORD}\n    word = word.{off}"}
        for off in ('lstrip("#")', 'rstrip("#")', 'strip("#")', 'replace("#", "")')
    ),
)

word_piece_encode.mistake(
    "the word is changed first",
    "The word is changed before it is cut. Joined, and without ##, the tokens are the word: take it as it is.",
    *(
        edit(
            {WORD: f"{WORD}\n    word = __import__('unicodedata').normalize('{form}', word)"},
            says=f"You write the word in the form {form} of Unicode, in which some characters are others than before. Take the word as it is.",
        )
        for form in ("NFD", "NFKD")
    ),
    *(
        edit(
            {WORD: f"{WORD}\n    word = {plain}"},
            says="Accents, or all characters outside of ASCII, are taken off before the word is cut. Some vocabularies of BERT have none; this function takes a word as it is.",
        )
        for plain in (
            "''.join(sign for sign in __import__('unicodedata').normalize('NFD', word) if not __import__('unicodedata').combining(sign))",
            "word.encode('ascii', 'ignore').decode()",
            "word.encode('ascii', 'replace').decode()",
            "__import__('unicodedata').normalize('NFKD', word).encode('ascii', 'ignore').decode()",
        )
    ),
    {WORD: f"{WORD}\n    word = word.upper()"},
    {WORD: f"{WORD}\n    word = word.capitalize()"},
)

word_piece_encode.mistake(
    "the shortest match",
    "You take the shortest token that fits. Begin with the whole rest of the word and shorten it from its end.",
    {ENDS: "range(start + 1, len(word) + 1)"},
)

word_piece_encode.mistake(
    "part of the word unknown",
    "Only part of a word becomes [UNK]. In WordPiece one place where nothing fits makes the whole word unknown, including the tokens that were found "
    "before: return a list with [UNK] alone.",
    {UNKNOWN: 'return [*tokens, "[UNK]"]'},
    {UNKNOWN: 'tokens.append("[UNK]")\n            start += 1\n            continue'},
)

word_piece_encode.mistake(
    "unknown words vanish",
    "A word that does not fit vanishes. The model should know that something stood there: [UNK] says so.",
    {UNKNOWN: "return []"},
)

word_piece_encode.mistake(
    "stops where nothing fits",
    "Where nothing fits you stop, and the rest of the word is lost. A word that cannot be cut into tokens to its end is [UNK] as a whole.",
    {UNKNOWN: "return tokens"},
    {UNKNOWN: 'return tokens or ["[UNK]"]'},
    edit(
        {UNKNOWN: "start += 1\n            continue"},
        says="What does not fit is skipped, and the word goes on after it. A word that cannot be cut into tokens from its beginning to its end is [UNK] "
        "as a whole.",
    ),
)

word_piece_encode.mistake(
    "the whole rest never tried",
    "The whole rest of the word is never tried. A slice ends before its end index, so only `word[start:len(word)]` reaches the last character. Begin with it.",
    {ENDS: "range(len(word) - 1, start, -1)"},
    edit(
        {ENDS: "range(max(len(word) - 1, start + 1), start, -1)"},
        says="The whole rest of the word is never tried, unless it is a single character. A slice ends before its end index, so only `word[start:len(word)]` reaches the last character. Begin with it.",
    ),
)

word_piece_encode.mistake(
    "a single character never tried",
    "A single character is never tried. `range` stops before its end, so `range(len(word), start + 1, -1)` leaves out `start + 1`, where the slice has one character; a word with such a token "
    "becomes [UNK]. Count down to `start`.",
    {ENDS: "range(len(word), start + 1, -1)"},
)

word_piece_encode.mistake(
    "made lower case",
    "The word is made lower case before it is cut. One of BERT's two vocabularies has no capitals; for this vocabulary the whole text is made lower "
    "case first. This function takes a word as it is.",
    {WORD: f"{WORD}\n    word = word.lower()"},
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


word_piece_encode.mistake(
    "from right to left",
    "You cut from the right end of the word. WordPiece goes from left to right: the first token is the longest that begins the word.",
    _from_the_right,
)


word_piece_encode.mistake(
    "shorter tokens tried again",
    "Where nothing fits you go back and try a shorter token before. That finds more words, but it is not WordPiece: in WordPiece the longest token that "
    "fits is final, and one place where nothing fits makes "
    "the word [UNK].",
    {
        "start = 0\n    while start < len(word):": "start = 0\n    open_ways = [(start, tokens)]\n    while open_ways:\n        start, tokens = open_ways.pop()\n        if start == len(word):\n            break",
        f"""end = next(fitting, None)
        if end is None:
            {UNKNOWN}
        {PUT}
        start = end
""": f"""open_ways += [(end, [*tokens, mark + word[start:end]]) for end in reversed(list(fitting))]
    else:
        {UNKNOWN}
""",
    },
)

word_piece_encode.mistake(
    "long words given up",
    "A long word becomes [UNK], or ends early, although all of it fits. Some programs stop at a hundred characters, to save time; here a word may have any length, and so may a token.",
    {"tokens: list[str] = []": 'tokens: list[str] = []\n    if len(word) > 100:\n        return ["[UNK]"]'},
    {"tokens: list[str] = []": 'tokens: list[str] = []\n    if len(word) > 200:\n        return ["[UNK]"]'},
)

word_piece_encode.mistake(
    "a tuple comes back",
    "A tuple comes back, and a list is promised. Code that joins words, `tokens + more`, fails far from here.",
    {"return tokens": "return tuple(tokens)", UNKNOWN: 'return ("[UNK]",)'},
    {"return tokens": "return tuple(tokens)"},
)

word_piece_encode.mistake(
    "tokens that go on are never found",
    "No token that goes on is ever found. What comes out is the word itself, where it is a token as a whole, or [UNK]. The vocabulary holds the tokens that go on as `##able`: two number signs in front of the characters, and nothing else. Look the rest of the word up like that, and shorten it from its end.",
    {MARK: 'mark = "#" if start > 0 else ""'},
)

word_piece_encode.mistake(
    "## at the wrong places",
    "The mark stands where it should not. The token that begins the word, at place 0, has none; every other token has ##.",
    {MARK: 'mark = "##" if start == 0 else ""'},
    edit(
        {MARK: 'mark = "##" if start > 1 else ""'},
        says="A token at place 1 goes on as well. You begin to write ## at place 2; only the token at place 0 begins the word.",
    ),
    edit(
        {MARK: 'mark = "##" * len(tokens)'},
        says="Every further token has two signs # more than the one before. A token that goes on has ##, whether it is the second or the tenth.",
    ),
)

word_piece_encode.mistake(
    "unknown words kept as they are",
    "Where nothing fits, the characters come back as they stand. They are no token of the vocabulary, so they have no id. A word that cannot be cut into tokens to its end is [UNK] as a whole.",
    {UNKNOWN: "return [word]"},
    {UNKNOWN: "return [*tokens, word[start:]]"},
    {UNKNOWN: "return [*tokens, mark + word[start:]]"},
    {UNKNOWN: "return [*tokens, mark + word[start]]"},
    {UNKNOWN: "return list(word)"},
    {UNKNOWN: "return [*tokens, *word[start:]]"},
    {UNKNOWN: 'return [word[0], *("##" + sign for sign in word[1:])]'},
)

word_piece_encode.mistake(
    "goes on at the wrong place",
    "After a token you go on at the wrong place. The next token begins where this one ended in the word: `start = end`.",
    edit(
        {"start = end": "start += 1"},
        says="After a token you go one character ahead, whatever its length. The next token begins where this one ended: `start = end`.",
    ),
    edit(
        {"start = end": "start = end + 1"},
        says="After a token you leave out a character. A slice ends before its end index, so the next token begins at `end`.",
    ),
    edit(
        {"start = end": "start += len(mark + word[start:end])"},
        says="You count the ## as characters of the word. The mark is in the token and not in the word: go on by the length without it.",
    ),
    edit(
        {
            MARK: 'mark = "##" if tokens else ""',
            "start = end": "start = end if mark else max(end - 2, 0) if end > 1 else len(word) - 1",
        },
        says="After the first token you go on two characters before its end, as if there were a ## to take off. It has none: only later tokens are two characters longer than what they stand for.",
    ),
)

word_piece_encode.mistake(
    "only the first token",
    "Only the first token comes back. The rest of the word has to be cut as well, until nothing is left of it. A `break` or a `return` inside the loop ends it too early.",
    {"start = end": "break"},
)

word_piece_encode.mistake(
    "the tokens in reverse order",
    "The tokens stand in reverse order. The token that begins the word comes first: append each behind those before.",
    {"tokens.append(": "tokens.insert(0, "},
)
