"""Wrong ways of cutting a text: into pieces, and at special tokens."""

from collections.abc import Collection

from autograder.probing.mistake import Mistake

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
