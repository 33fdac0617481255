"""Checks of cutting a text: into pieces, and at special tokens."""

from collections.abc import Callable
from typing import Any

from autograder.checks.tokenization.shared import LIBRARIES, drawn_text, in_drawn_order, kind_of
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# pretokenize ----------------------------------------------------------------------------

pretokenize = Exercise(
    "pretokenize",
    points=1,
    forbidden=LIBRARIES,
    hints=(
        "`re.findall` gives all places where a pattern fits, in order. Three kinds of pieces are three patterns with `|` between them; where several fit, the "
        "first is taken.",
        "```python\n"
        "# word characters:   \\w+\n"
        "# whitespace:        \\s+\n"
        "# neither:           [^\\w\\s]+\n"
        '# a space, perhaps:  " ?" in front\n'
        "return re.findall(..., text)\n"
        "```",
        '`re.findall(r" ?\\w+| ?...|\\s+", text)`. Write the pattern without brackets of the kind `( )`: with them `findall` gives what is inside them, and not the piece.',
    ),
    traps={
        "AttributeError: 're.Match' object has no attribute ...": "`re.finditer` gives matches; `match[0]` is the text of one. `re.findall` gives the texts at once.",
        "error: ...": "the pattern is no regular expression. Look for a bracket that is not closed.",
    },
)

SIGNS = [
    "word",
    " word",
    "word_2",
    " 3",
    ".",
    "14",
    ",",
    " (",
    ")",
    "...",
    "!?",
    " --",
    "'s",
    "x",
    " Y",
]


@pretokenize.probe("cuts words, numbers and other signs apart, with the space before them")
def words_and_signs(pretokenize: Callable, draw: Draw) -> Any:
    text = "It's 3.14 in utf8_2, (isn't it)?! camelCase HTTPServer, well-known " + drawn_text(draw, "text", 12, SIGNS)
    return pretokenize(text)


@pretokenize.probe("leaves whitespace of more than one space to itself")
def whitespace(pretokenize: Callable, draw: Draw) -> Any:
    pool = ["if", "x", " x", "  x", "    y", "\n", "\tx", "\n\n"]  # no signs: their pieces have a probe of their own
    return pretokenize("if x  \n    y  z\tz\r\n" + drawn_text(draw, "text", 14, pool) + "a")


@pretokenize.probe("takes the letters of every script for word characters")
def scripts(pretokenize: Callable, draw: Draw) -> Any:
    pool = [" über", "naïve", " 日本", "語", "。a", " Ελλάδα", " Привет", "!я", "🙂é", "éa", "ß1"]
    return pretokenize("Größe 東京:ß\u3000" + drawn_text(draw, "text", 10, pool))


@pretokenize.probe("loses nothing", rung="invariants")
def nothing_lost(pretokenize: Callable, draw: Draw) -> Any:
    text = drawn_text(draw, "text", 20, [*SIGNS, "日本", "\t\n", "\n", "  "])
    return ["".join(pretokenize(text)), text]


@pretokenize.probe("works for an empty text, a single character, and spaces at both ends", rung="edges")
def short_texts(pretokenize: Callable, draw: Draw) -> Any:
    return {
        "empty": pretokenize(""),
        "a letter": pretokenize(drawn_text(draw, "letter", 1, "abc")),
        "a space": pretokenize(" "),
        "spaces at both ends": pretokenize(" both "),
        "a sign at the end": pretokenize(drawn_text(draw, "end", 2, ["a", "b"]) + " ."),
    }


@pretokenize.probe("returns a list", rung="invariants")
def pieces_in_a_list(pretokenize: Callable, draw: Draw) -> Any:
    return kind_of(pretokenize(drawn_text(draw, "text", 6, SIGNS)))


# split_special ----------------------------------------------------------------------------

split_special = Exercise(
    "split_special",
    points=2,
    forbidden=LIBRARIES,
    hints=(
        "`re.split` cuts a text at a pattern, and with the pattern in round brackets it keeps what it cut at. The pattern is all special tokens with `|` between them.",
        "```python\n"
        "...          # no special tokens: the whole text, if there is any\n"
        "ordered = ...  # the longest first: of several that fit, a pattern takes the first\n"
        "pattern = ...  # each through re.escape, joined by |\n"
        "parts = ...    # re.split with the pattern in ( )\n"
        "return ...     # without the empty ones\n"
        "```",
        '`"|".join(re.escape(special) for special in sorted(specials, key=len, reverse=True))`, then `re.split(f"({pattern})", text)`. `re.escape` makes `|` and `.` mean themselves.',
    ),
    traps={
        "TypeError: unhashable type: 'list'": "`re.split` takes one pattern, not a list: join the special tokens by `|`.",
        "TypeError: must be str or None, not list": "`text.split` cuts at one string. `re.split` takes a pattern, which may stand for several.",
        "TypeError: bad operand type for unary -: ...": "`key=-len` negates a function. The longest first is `key=len, reverse=True`.",
        "error: ...": "characters of a special token were read as a pattern. `re.escape(special)` makes them plain.",
    },
)

SPECIALS = ["<|end|>", "[MASK]", "<s>", "<|end|>!", "a+b", "..."]


@split_special.probe("cuts out special tokens, whatever signs they hold")
def drawn_specials(split_special: Callable, draw: Draw) -> Any:
    pool = [*SPECIALS, "end", " M ", "|", "aab", "ab", "<", ">", ".", "S", "日", "[mask]"]
    return split_special(
        "M <|end|> end [MASK]a+b aab[mask]" + drawn_text(draw, "text", 12, pool),
        ["<|end|>", "[MASK]", "<s>", "a+b", "..."],
    )


@split_special.probe("takes the longest where several begin at one place")
def longest_special(split_special: Callable, draw: Draw) -> Any:
    specials = in_drawn_order(draw, "order", ["<|end|>", "<|end|>!", "<|end|>!!", "<e>", "<e><e>"])
    pool = ["<|end|>", "<|end|>!", "<|end|>!!", "!", "x", "<e>", "<e><e>"]
    text = "a<|end|>!<|end|>!!b <e><e><e>" + drawn_text(draw, "text", 8, pool)
    upwards = sorted(specials, key=len)
    return [split_special(text, one) for one in (upwards, upwards[::-1], specials)]


@split_special.probe("takes the first from the left where two overlap")
def overlapping_specials(split_special: Callable, draw: Draw) -> Any:
    specials = in_drawn_order(draw, "order", ["<a>", "a><b>c", "##x", "[#", "end", "nd of"])
    pool = ["<a>", "<b>c", "a><b>c", "[#", "#", "##x", "x", "e", "end", " of", "nd of"]
    return split_special("<a><b>c a><b>c [##x end of x" + drawn_text(draw, "text", 10, pool), specials)


@split_special.probe("takes special tokens of one character, and any others, wherever they stand", rung="edges")
def any_length(split_special: Callable, draw: Draw) -> Any:
    specials = in_drawn_order(draw, "order", ["#", "<s>", "a b", "$$"])
    pool = ["#", "<s>", "a b", "$$", "$", "x", " ", "yy", "a", "\n z"]
    texts = [
        f"{one}{drawn_text(draw, one, 6, pool)}{other}"
        for one, other in zip(specials, specials[1:] + specials[:1], strict=True)
    ]
    return [split_special(text, specials) for text in ["x # a b yy<s>z $$ #", *texts]]


@split_special.probe("leaves no empty parts, and loses nothing", rung="edges")
def special_edges(split_special: Callable, draw: Draw) -> Any:
    some = SPECIALS[draw.integers("which", 1, high=len(SPECIALS)).tolist()[0]]
    return {
        "empty": split_special("", ["<s>"]),
        "no special tokens": split_special(" a b", []),
        "neither": split_special("", []),
        "one alone": split_special(some, [some]),
        "two side by side": split_special(some + some + " ", [some]),
        "at both ends": split_special(f"{some} a\n{some}", [some]),
        "none in the text": split_special(" <x>\n y ", [some]),
    }


@split_special.probe("returns a list, and takes special tokens in whatever holds them", rung="invariants")
def parts_in_a_list(split_special: Callable, draw: Draw) -> Any:
    text = drawn_text(draw, "text", 4, [" a", "b", "<s>"]) + "<s>"
    holders = {
        "a list": ["<s>", "<e>"],
        "a tuple": ("<s>", "<e>"),
        "a dict": {"<s>": 256, "<e>": 257},
        "a set": {"<s>"},
    }
    found = {name: split_special(text, specials) for name, specials in holders.items()}
    return found | {"of none": kind_of(split_special(text, [])), "of some": kind_of(found["a list"])}


@split_special.probe("leaves the list of special tokens as it was", rung="invariants")
def specials_stay(split_special: Callable, draw: Draw) -> Any:
    specials = ["<s>", "<|end|>", "[MASK]", "</s>"]
    return [split_special(drawn_text(draw, "text", 6, [*specials, "a"]), specials), specials]


@split_special.probe("raises a ValueError for an empty special token", rung="invariants")
def specials_refused(split_special: Callable, draw: Draw) -> Any:
    split_special("a<s>", ["<s>"])  # the blank stub must show as blank
    split_special("a<s>", ["<s>", ""])
    return "no error"  # whatever else is wrong with the parts
