"""Wrong ways of WordPiece."""

from autograder.probing.mistake import Mistake

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
