"""Wrong ways of WordPiece."""

from autograder.checks.tokenization import word_piece_encode
from autograder.probing.mistake import edit

MARK = 'mark = "##" if start > 0 else ""'
ENDS = "range(len(word), start, -1)"
UNKNOWN = 'return ["[UNK]"]'

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
    {"tokens: list[str] = []": "tokens: list[str] = []\n    word = word.lower()"},
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


word_piece_encode.mistake(
    "shorter tokens tried again",
    "Where nothing fits you go back and try a shorter token before. That finds more words, but it is not WordPiece: in WordPiece the longest token that "
    "fits is final, and one place where nothing fits makes "
    "the word [UNK].",
    _trying_again,
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
)

word_piece_encode.mistake(
    "unknown words kept as they are",
    "Where nothing fits, the characters come back as they stand. They are no token of the vocabulary, so they have no id. A word that cannot be cut into tokens to its end is [UNK] as a whole.",
    {UNKNOWN: "return [word]"},
    {UNKNOWN: "return [*tokens, word[start:]]"},
    {UNKNOWN: "return [*tokens, mark + word[start:]]"},
    {UNKNOWN: "return [*tokens, mark + word[start]]"},
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
