"""Lesson 13: cutting a text, into pieces and at special tokens."""

import itertools
import re
from collections.abc import Callable
from typing import Any

from tests.variants import correct, disguise, slips, unlisted

# pretokenize, right ----------------------------------------------------------------------------


def kind_of(sign: str) -> int:
    return 0 if sign.isspace() else 1 if sign.isalnum() or sign == "_" else 2


def by_finditer(text: str) -> list[str]:
    pattern = re.compile(r"(?P<word>[ ]?\w+)|(?P<signs>[ ]?[^\w\s]+)|(?P<space>\s+)")
    return [match.group() for match in pattern.finditer(text)]


slips(
    "pretokenize",
    by_finditer,
    {
        "spaces apart": {"<word>[ ]?": "<word>", "<signs>[ ]?": "<signs>"},
        "whitespace lost": {r"|(?P<space>\s+)": ""},
        "the space before signs apart": {"<signs>[ ]?": "<signs>"},
        "the space before words apart": {"<word>[ ]?": "<word>"},
        "whitespace and signs together": {r"[^\w\s]+": r"\W+"},
        "signs glued to words": {r"\w+)|(?P<signs>[ ]?[^\w\s]+)": r"\S+)"},
        "every sign by itself": {r"[^\w\s]+": r"[^\w\s]"},
        "the space behind the word": {r"[ ]?\w+": r"\w+[ ]?", r"[ ]?[^\w\s]+": r"[^\w\s]+[ ]?"},
        "letters of ASCII only": [{r'\s+)")': r'\s+)", re.ASCII)'}, {r"?\w+": "?[A-Za-z0-9_]+"}],
        "any whitespace before a word": {"<word>[ ]?": r"<word>\s?", "<signs>[ ]?": r"<signs>\s?"},
        "all spaces before a word": {"<word>[ ]?": "<word>[ ]*", "<signs>[ ]?": "<signs>[ ]*"},
        "the last of several spaces given to the word": {r"<space>\s+": r"<space>\s+(?!\S)|\s+"},
        "every whitespace character by itself": {r"<space>\s+": r"<space>\s"},
        "digits apart from letters": {r"[ ]?\w+": r"[ ]?(?:\d+|[^\W\d]+)"},
        "contractions kept whole": {"<word>": "<word>'(?:s|t|re|ve|m|ll|d)|"},
        "spaces taken off the pieces": {"match.group()": "match.group().strip()"},
        "made lower case": {"(text)]": "(text.lower())]"},
    },
)


def by_groups(text: str) -> list[str]:
    """Runs of one kind; a run that is a single space is put before the next."""
    runs = ["".join(run) for _, run in itertools.groupby(text, kind_of)]
    pieces, waiting = [], ""
    for run in runs:
        if run == " ":
            waiting = run
        else:
            pieces.append(waiting + run)
            waiting = ""
    return [*pieces, waiting] if waiting else pieces


slips(
    "pretokenize",
    by_groups,
    {
        "spaces apart": {"waiting = run": "pieces.append(run)"},
        "whitespace lost": [
            {"waiting + run)": "waiting + run) if not run.isspace() else None"},
            {"in runs:": "in text.split():"},
        ],
        "all spaces before a word": {'run == " "': 'set(run) == {" "}'},
        "any whitespace before a word": {'run == " "': "len(run) == 1 and run.isspace()"},
        "the space behind the word": {"waiting = run": "pieces[-1:] = [pieces[-1] + run] if pieces else [run]"},
        "spaces taken off the pieces": {"pieces.append(waiting + run)": "pieces.append((waiting + run).strip())"},
        "made lower case": {"groupby(text,": "groupby(text.lower(),"},
    },
)
slips(
    "pretokenize",
    by_groups,
    {
        "signs glued to words": {'1 if sign.isalnum() or sign == "_" else 2': "1"},
        "letters of ASCII only": {"sign.isalnum()": "(sign.isascii() and sign.isalnum())"},
        "digits apart from letters": {" else 1 if": " else 3 if sign.isdigit() else 1 if"},
        "whitespace and signs together": {"0 if sign": "2 if sign"},
    },
    inside="kind_of",
)


def by_position(text: str) -> list[str]:
    pieces, at = [], 0
    while at < len(text):
        start = at
        if text[at] == " " and at + 1 < len(text) and kind_of(text[at + 1]) != 0:
            at += 1
        kind = kind_of(text[at])
        while at < len(text) and kind_of(text[at]) == kind:
            at += 1
        pieces.append(text[start:at])
    return pieces


slips(
    "pretokenize",
    by_position,
    {
        "spaces apart": {'text[at] == " " and': 'text[at] == "" and'},
        "whitespace lost": {"pieces.append(text[start:at])": "pieces += [text[start:at]] if kind else []"},
        "the space before signs apart": {"!= 0": "== 1"},
        "the space before words apart": {"!= 0": "== 2"},
        "every sign by itself": {"        while at": "        at += 1\n        while kind != 2 and at"},
        "every whitespace character by itself": {"        while at": "        at += 1\n        while kind != 0 and at"},
        "any whitespace before a word": {'text[at] == " " and': "text[at].isspace() and"},
        "spaces taken off the pieces": {"text[start:at]": "text[start:at].strip()"},
        "made lower case": {"text[start:at]": "text[start:at].lower()"},
        "the space before signs apart + every sign by itself": {
            "        while at": "        at += 1\n        while kind != 2 and at",
            "!= 0": "== 1",
        },
    },
)
slips(
    "pretokenize",
    by_position,
    {
        "signs glued to words": {'1 if sign.isalnum() or sign == "_" else 2': "1"},
        "letters of ASCII only": {"sign.isalnum()": "sign.isascii() and sign.isalnum()"},
        "digits apart from letters": {" else 1 if": " else 3 if sign.isdigit() else 1 if"},
        "whitespace and signs together": {"0 if sign": "2 if sign"},
    },
    inside="kind_of",
)


def by_match(text: str) -> list[str]:
    if not text:
        return []
    first = re.match(r" ?(?:\w+|[^\w\s]+)|\s+", text)[0]
    return [first, *by_match(text[len(first) :])]


slips(
    "pretokenize",
    by_match,
    {
        "spaces apart": {'r" ?': 'r"'},
        "every sign by itself": {r"\s]+": r"\s]"},
        "any whitespace before a word": {'r" ?': r'r"\s?'},
        "all spaces before a word": {'r" ?': 'r" *'},
        "the last of several spaces given to the word": {r"|\s+": r"|\s+(?!\S)|\s+"},
        "every whitespace character by itself": {r"|\s+": r"|\s"},
        "signs glued to words": {r"(?:\w+|[^\w\s]+)": r"\S+"},
        "whitespace and signs together": {r"[^\w\s]+": r"\W+"},
        "letters of ASCII only": {", text)[0]": ", text, re.ASCII)[0]"},
        "spaces taken off the pieces": {"[first, *": "[first.strip(), *"},
        "whitespace lost": {"[first, *": "[*([first] if first.strip() else []), *"},
        "contractions kept whole": {'r" ?': """r"'(?:s|t|re|ve|m|ll|d)| ?"""},
        "all spaces before a word + every whitespace character by itself": {r"|\s+": r"|\s", 'r" ?': 'r" *'},
    },
)


@correct("pretokenize")
def by_split(text: str) -> list[str]:
    return [piece for piece in re.split(r"( ?\w+| ?[^\w\s]+|\s+)", text) if piece]


@correct("pretokenize")
def by_cuts(text: str) -> list[str]:
    """Marks where pieces begin, and cuts there."""
    kinds = [kind_of(sign) for sign in text]
    begins = [i for i in range(len(text)) if i == 0 or kinds[i] != kinds[i - 1]]
    alone = {i for i, after in itertools.pairwise(begins) if text[i:after] == " "}
    begins = [i for i in begins if i - 1 not in alone]
    return [text[a:b] for a, b in itertools.pairwise([*begins, len(text)])] if text else []


# pretokenize, wrong ----------------------------------------------------------------------------


def pattern(mistake: str, text: str) -> None:
    """A disguise by another pattern, compiled and searched through."""
    compiled = re.compile(text)
    disguise("pretokenize", mistake)(lambda given: [one[0] for one in compiled.finditer(given)])


pattern("spaces apart", r"\s+|[^\W]+|[^\w\s]+")
pattern("whitespace lost", r"\w+|[^\w\s]+")
pattern("whitespace lost", r"\S+")
pattern("whitespace lost", r" ?(?:\w+|[^\w\s]+)|[ ]+")
pattern("every sign by itself + letters of ASCII only", r" ?[_0-9A-Za-z]+| ?[^_0-9A-Za-z\s]|\s+")
pattern("the space before signs apart", r"[ ]?\w+|[^\w\s]+|\s+")
pattern("the space before words apart", r"\w+|[ ]?[^\w\s]+|\s+")
pattern("whitespace and signs together", r" ?\w+|(?: |)\W+")
pattern("whitespace and signs together", r"\w+|[^\w]+")
pattern("every sign by itself + every whitespace character by itself", r" ?(?:\w+|[^\w\s])|\s")
pattern("signs glued to words", r" ?[^\s]+|\s+")
pattern("every sign by itself", r" ?(?:\w+|[^\w\s])|\s+")
pattern("the space behind the word", r"(?:\w+|[^\w\s]+) ?|\s+")
pattern("letters of ASCII only", r" ?[_0-9A-Za-z]+| ?[^_0-9A-Za-z\s]+|\s+")
pattern("any whitespace before a word", r"\s?(?:\w+|[^\w\s]+)|\s+")
pattern("all spaces before a word", r" *(?:\w+|[^\w\s]+)|\s+")
pattern("the last of several spaces given to the word", r" ?(?:\w+|[^\w\s]+)|\s+(?!\S)|\s+")
pattern("every whitespace character by itself", r" ?(?:\w+|[^\w\s]+)|\s")
pattern("digits apart from letters", r" ?(?:\d+|[^\W\d]+|[^\w\s]+)|\s+")
pattern("contractions kept whole", r"'(?:s|t|re|ve|m|ll|d)| ?\w+| ?[^\w\s]+|\s+")


def groups(text: str) -> None:
    compiled = re.compile(text)
    disguise("pretokenize", "round brackets in the pattern")(lambda given: compiled.findall(given))


groups(r"([ ]?\w+)|([ ]?[^\w\s]+)|(\s+)")
groups(r"([ ]?)\w+|([ ]?)[^\w\s]+|\s+")
groups(r"[ ]?(\w+)|[ ]?[^\w\s]+|\s+")
disguise("pretokenize", "spaces taken off the pieces")(re.compile(r"[ ]?(\w+|[^\w\s]+)|\s+").findall)


@disguise("pretokenize", "made lower case")
def small_letters(text: str) -> list[str]:
    return [piece.lower() for piece in by_position(text)]


@disguise("pretokenize", "whitespace lost")
def split_at_spaces(text: str) -> list[str]:
    return [word for line in text.splitlines() for word in line.split()]


@disguise("pretokenize", "every character a piece")
def characters(text: str) -> list[str]:
    return [*text]


@disguise("pretokenize", "the space behind the word")
def trailing_space(text: str) -> list[str]:
    return [match.group() for match in re.finditer(r"[^\W]+(?: |)|(?: |)(?:(?!\w)\S)+|\s+", text)]


@disguise("pretokenize", "any whitespace before a word")
def line_breaks_too(text: str) -> list[str]:
    return [match.group() for match in re.finditer(r"(?:\s|)[^\W]+|(?: |)(?:(?!\w)\S)+|\s+", text)]


@unlisted("pretokenize")
def groups_come_back(text: str) -> list[Any]:
    return re.findall(r"( ?)(\w+)|( ?)([^\w\s]+)|(\s+)", text)


@unlisted("pretokenize")
def matches(text: str) -> list[Any]:
    return list(re.finditer(r" ?\w+| ?[^\w\s]+|\s+", text))


@disguise("pretokenize", "spaces taken off the pieces")
def stripped_to_nothing(text: str) -> list[str]:
    return [piece.strip() for piece in by_groups(text)]


@disguise("pretokenize", "spaces taken off the pieces")
def stripped_pieces(text: str) -> list[str]:
    return [piece.strip() or piece for piece in by_position(text)]


@disguise("pretokenize", "whitespace lost")
def split_at_single_spaces(text: str) -> list[str]:
    return re.split(" ", text)


@unlisted("pretokenize")
def unix_lines(text: str) -> list[str]:
    return by_finditer(text.replace("\r\n", "\n"))


@unlisted("pretokenize")
def spaces_first(text: str) -> list[str]:
    return re.findall(r"  +| ?\w+| ?[^\w\s]+|\s+", text)


@unlisted("pretokenize")
def whitespace_of_ascii(text: str) -> list[str]:
    return re.findall(r" ?\w+| ?[^\w\s]+|[ \t\n\r\f\v]+", text)


@disguise("pretokenize", "each piece once")
def once_each(text: str) -> list[str]:
    return list(dict.fromkeys(by_position(text)))


@unlisted("pretokenize")
def as_bytes(text: str) -> list[bytes]:
    return [piece.encode() for piece in by_position(text)]


@unlisted("pretokenize")
def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


@unlisted("pretokenize")
def signs_first(text: str) -> list[str]:
    return re.findall(r" ?[^\w\s]\w*| ?\w+|\s+", text)


@disguise("pretokenize", "signs glued to words")
def at_whitespace(text: str) -> list[str]:
    return [piece for piece in re.split(r"(\s+)", text) if piece]


@disguise("pretokenize", "the underscore a sign")
def no_underscore(text: str) -> list[str]:
    return re.findall(r" ?[^\W_]+| ?(?:_|[^\w\s])+|\s+", text)


@disguise("pretokenize", "line breaks taken for signs")
def signs_but_spaces(text: str) -> list[str]:
    return [match[0] for match in re.finditer(r" ?(?:\w+|[^ \w]+)|\s+", text)]


@disguise("pretokenize", "contractions kept whole")
def with_its_apostrophe(text: str) -> list[str]:
    return re.findall(r"[ ]?\w+(?:['’]\w+)?|[ ]?[^\w\s]+|\s+", text)


@disguise("pretokenize", "numbers kept whole")
def decimals(text: str) -> list[str]:
    return re.findall(r" ?\d+[.]\d+| ?\w+| ?[^\w\s]+|\s+", text)


@disguise("pretokenize", "the text stripped")
def begins_with_a_word(text: str) -> list[str]:
    return by_position(text.strip())


@disguise("pretokenize", "cut into lines first")
def line_by_line(text: str) -> list[str]:
    return [piece for line in text.splitlines(True) for piece in by_position(line)]


@disguise("pretokenize", "cut into lines first")
def lines_without_ends(text: str) -> list[str]:
    return list(itertools.chain.from_iterable(map(by_groups, text.splitlines())))


# Special tokens ----------------------------------------------------------------------------


def not_empty(specials: Any) -> None:
    if any(not special for special in specials):
        raise ValueError("an empty special token")


def scan(text: str, specials: Any, ranked: Callable) -> list[str]:
    """From left to right, asking at every place for special tokens in some order."""
    parts, plain, at = [], "", 0
    order = ranked(specials)
    while at < len(text):
        here = next((special for special in order if text.startswith(special, at)), None)
        if here is None:
            plain += text[at]
            at += 1
        else:
            parts += [plain, here]
            plain, at = "", at + len(here)
    return [*parts, plain]


def by_length(specials: Any) -> list[str]:
    return sorted(specials, key=lambda special: -len(special))


def scanning(text: str, specials: Any) -> list[str]:
    """A place at a time."""
    not_empty(specials)
    order = list(specials)
    order.sort(key=len, reverse=True)
    parts, at = [""], 0
    while at < len(text):
        for special in order:
            if text[at:].startswith(special):
                parts += [special, ""]
                at += len(special)
                break
        else:
            parts[-1] += text[at]
            at += 1
    return [part for part in parts if len(part)]


slips(
    "split_special",
    scanning,
    {
        "not the longest first": [{"    order.sort(key=len, reverse=True)\n": ""}, {", reverse=True": ""}],
        "special tokens thrown away": {'[special, ""]': '[""]'},
        "empty parts": {" if len(part)": ""},
        "spaces around lost": {"[part for": "[part.strip() for"},
        "parts of whitespace lost": {"if len(part)": "if len(part.strip())"},
        "the list of special tokens changed": {"list(specials)": "specials"},
        "without special tokens the text lost": {
            "    parts, at": "    if not order:\n        return []\n    parts, at"
        },
        "only the first special token": {
            "                break": (
                "                parts += [text[at:]]\n                return [*filter(None, parts)]"
            )
        },
        "not the longest first + special tokens thrown away": {", reverse=True": "", '[special, ""]': '[""]'},
    },
)


def matching(text: str, specials: Any) -> list[str]:
    """By all matches of one pattern."""
    not_empty(specials)
    if len(specials) == 0:
        return list(filter(None, [text]))
    end, parts = 0, []
    for match in re.finditer("|".join(map(re.escape, by_length(specials))), text):
        parts += [text[end : match.start()], match.group()]
        end = match.end()
    return list(filter(len, [*parts, text[end:]]))


slips(
    "split_special",
    matching,
    {
        "signs of the pattern not escaped": {"map(re.escape, by_length(specials))": "by_length(specials)"},
        "not the longest first": [{"by_length(specials)": "specials"}, {"by_length(specials)": "sorted(specials)"}],
        "special tokens thrown away": {", match.group()]": "]"},
        "empty parts": [
            {"list(filter(len, [*parts, text[end:]]))": "[*parts, text[end:]]"},
            {"list(filter(None, [text]))": "[text]"},
        ],
        "no special tokens not thought of": {"len(specials) == 0": "specials is None"},
        "only the first special token": {"end = match.end()": "end = match.end()\n        break"},
        "parts of whitespace lost": {"filter(len, [*": "filter(str.strip, [*"},
        "without special tokens the text lost": {"list(filter(None, [text]))": "[]"},
        "an empty special token accepted": {"    not_empty(specials)\n": ""},
        "signs of the pattern not escaped + no special tokens not thought of": {
            "len(specials) == 0": "specials is None",
            "map(re.escape, by_length(specials))": "by_length(specials)",
        },
    },
)


def by_partition(text: str, specials: Any) -> list[str]:
    """The first special token of the text, then the rest."""
    not_empty(specials)
    if not text:
        return []
    spots = [(text.find(special), -len(special), special) for special in specials if special in text]
    if not spots:
        return [text]
    at, _, special = min(spots)
    return [*([text[:at]] if at else []), special, *by_partition(text[at + len(special) :], specials)]


slips(
    "split_special",
    by_partition,
    {
        "not the longest first": [{"-len(special)": "len(special)"}, {"-len(special)": "0"}],
        "special tokens thrown away": {"else []), special,": "else []),"},
        "empty parts": [{"[*([text[:at]] if at else []),": "[text[:at],"}, {"return []": "return [text]"}],
        "only the first special token": {
            "*by_partition(text[at + len(special) :], specials)": "text[at + len(special) :]"
        },
        "spaces around lost": {"[text[:at]] if": "[text[:at].strip()] if", "return [text]": "return [text.strip()]"},
        "parts of whitespace lost": {"if at else": "if text[:at].strip() else", "if not text:": "if not text.strip():"},
    },
)


@correct("split_special")
def with_lookup(text: str, specials: Any) -> list[str]:
    not_empty(specials)
    escaped = [
        "".join(f"\\{sign}" if not sign.isalnum() and sign < "\x80" else sign for sign in one)
        for one in by_length(specials)
    ]
    pattern = re.compile("(?P<special>" + "|".join(escaped) + ")" if escaped else "(?!)")
    return [part for part in pattern.split(text) if part not in ("", None)]


def special_disguise(mistake: str) -> Callable:
    def add(function: Callable) -> Callable:
        def split(text: str, specials: Any) -> Any:
            not_empty(specials)
            return function(text, specials)

        disguise("split_special", mistake)(split)
        return function

    return add


@special_disguise("signs of the pattern not escaped")
def raw_pattern(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    found = re.compile("(" + "|".join(by_length(specials)) + ")").split(text)
    return [part for part in found if part]


@special_disguise("not the longest first")
def in_given_order(text: str, specials: Any) -> Any:
    return [part for part in scan(text, specials, list) if part]


@special_disguise("special tokens thrown away")
def without_them(text: str, specials: Any) -> Any:
    parts = scan(text, specials, by_length)
    return [part for part in parts[::2] if part]


@special_disguise("empty parts")
def with_empties(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    return scan(text, specials, by_length)


@special_disguise("empty parts")
def empty_for_empty(text: str, specials: Any) -> Any:
    return [part for part in scan(text, specials, by_length) if part] or ([text] if not specials else [])


@special_disguise("no special tokens not thought of")
def empty_pattern(text: str, specials: Any) -> Any:
    pattern = "|".join(re.escape(special) for special in by_length(specials))
    return [part for part in re.split("(" + pattern + ")", text) if len(part) > 0]


@special_disguise("only the first special token")
def first_and_rest(text: str, specials: Any) -> Any:
    parts = scan(text, specials, by_length)
    return [part for part in [*parts[:2], "".join(parts[2:])] if part]


@special_disguise("spaces around lost")
def tidy(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    return [part.strip() for part in scan(text, specials, by_length) if part]


@special_disguise("the list of special tokens changed")
def sorting_the_given(text: str, specials: Any) -> Any:
    if isinstance(specials, list):
        specials.sort(key=len, reverse=True)
    return [part for part in scan(text, specials, list) if part]


@disguise("split_special", "an empty special token accepted")
def accepting(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    ordered = [re.escape(one) for one in by_length(specials)]
    return list(filter(None, re.compile(f"({'|'.join(ordered)})").split(text)))


@special_disguise("parts of whitespace lost")
def without_blanks(text: str, specials: Any) -> Any:
    return [part for part in scanning(text, specials) if not part.isspace()]


@special_disguise("without special tokens the text lost")
def nothing_to_cut(text: str, specials: Any) -> Any:
    return scanning(text, specials) if specials else []


@special_disguise("one special token after the other")
def by_turns(text: str, specials: Any) -> Any:
    parts = [text]
    for special in specials:
        parts = [one for part in parts for one in re.split(f"({re.escape(special)})", part)]
    return [part for part in parts if part]


@special_disguise("one special token after the other")
def by_markers(text: str, specials: Any) -> Any:
    for special in specials:
        text = f"\1{special}\1".join(text.split(special))
    return list(filter(None, text.split("\1")))


def between(text: str, specials: Any) -> list[str]:
    return [part for part in scan(text, specials, by_length) if part]


@special_disguise("several special tokens taken for one")
def all_in_one(text: str, specials: Any) -> Any:
    return scanning(text, ["|".join(by_length(specials))]) if specials else between(text, specials)


@special_disguise("escaped twice")
def with_backslashes(text: str, specials: Any) -> Any:
    return between(text, [re.escape(special) for special in specials])


@special_disguise("cut at single characters")
def characters_of_specials(text: str, specials: Any) -> Any:
    signs = {sign for special in specials for sign in special}
    return ["".join(group) for _, group in itertools.groupby(text, key=lambda sign: sign in signs)]


@special_disguise("a pattern of its own")
def in_angle_brackets(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    return scanning(text, re.findall("<[^>]*>", text))


@special_disguise("not inside of words")
def free_standing(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    pattern = "|".join(rf"(?<!\w){re.escape(special)}(?!\w)" for special in by_length(specials))
    return [part for part in re.split(f"({pattern})", text) if part]


@special_disguise("only one of the special tokens")
def longest_alone(text: str, specials: Any) -> Any:
    return between(text, by_length(specials)[:1])


@special_disguise("only the special tokens come back")
def specials_alone(text: str, specials: Any) -> Any:
    return [part for part in between(text, specials) if part in specials]


@special_disguise("the text between is cut up")
def sign_by_sign(text: str, specials: Any) -> Any:
    return [one for part in between(text, specials) for one in ([part] if part in specials else part)]


@special_disguise("cut into lines first")
def in_lines(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    return [part for line in text.split("\n") for part in between(line, specials)]


@special_disguise("made lower case")
def lowered(text: str, specials: Any) -> Any:
    return between("".join(map(str.lower, text)), specials)


@special_disguise("each part once")
def no_part_twice(text: str, specials: Any) -> Any:
    parts: list[str] = []
    for part in between(text, specials):
        if part not in parts:
            parts.append(part)
    return parts


@special_disguise("None among the parts")
def groups_of_their_own(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    return list(re.split("|".join("(" + re.escape(special) + ")" for special in by_length(specials)), text))


@special_disguise("what follows the last special token lost")
def rest_forgotten(text: str, specials: Any) -> Any:
    return [part for part in scan(text, specials, by_length)[:-1] if part]


@special_disguise("what precedes the first special token lost")
def beginning_forgotten(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    return [part for part in scan(text, specials, by_length)[1:] if part]


@special_disguise("text comes twice")
def never_emptied(text: str, specials: Any) -> Any:
    found, plain = [], ""
    for part in between(text, specials):
        if part in specials:
            found.extend(one for one in (plain, part) if one)
        else:
            plain = plain + part
    return found + ([plain] if plain else [])


@special_disguise("spaces taken along")
def with_the_space_before(text: str, specials: Any) -> Any:
    return between(text, [*specials, *(" " + special for special in specials)])


@special_disguise("without special tokens the text lost")
def words_then(text: str, specials: Any) -> Any:
    return between(text, specials) if specials else text.split()


@special_disguise("no list comes back")
def one_after_another(text: str, specials: Any) -> Any:
    return (part for part in between(text, specials))


@special_disguise("special tokens thrown away")
def split_by_each(text: str, specials: Any) -> Any:
    parts = [text]
    for special in specials:
        parts = list(itertools.chain.from_iterable(part.split(special) for part in parts))
    return list(filter(None, parts))


@special_disguise("one special token after the other")
def in_their_order(text: str, specials: Any) -> Any:
    parts = [text]
    for special in specials:
        pieces = [[part] if part in specials else re.split(f"({re.escape(special)})", part) for part in parts]
        parts = list(itertools.chain.from_iterable(pieces))
    return [part for part in parts if part]


def special_unlisted(function: Callable) -> Callable:
    @unlisted("split_special")
    def split(text: str, specials: Any) -> Any:
        not_empty(specials)
        return function(text, specials)

    return function


@special_disguise("no special token cut out")
def never_split(text: str, specials: Any) -> Any:
    return [text] if text else []


@special_disguise("no special token cut out + the text between is cut up")
def by_whitespace(text: str, specials: Any) -> Any:
    return text.split()


@special_disguise("capitals do not count")
def any_case(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    pattern = "|".join(map(re.escape, by_length(specials)))
    return [part for part in re.split(f"({pattern})", text, flags=re.IGNORECASE) if part]


@special_disguise("neighbours joined")
def in_one_go(text: str, specials: Any) -> Any:
    out: list[str] = []
    before = False
    for part in scanning(text, specials):
        if before and part in specials:
            out[-1] += part
        else:
            out.append(part)
        before = part in specials
    return out


@special_disguise("neighbours joined")
def the_last_of_several(text: str, specials: Any) -> Any:
    parts = scanning(text, specials)
    after = [*parts[1:], ""]
    return [one for one, other in zip(parts, after, strict=True) if one not in specials or other not in specials]


@special_disguise("what follows the last special token lost")
def until_the_last(text: str, specials: Any) -> Any:
    parts = scanning(text, specials)
    return parts[:-1] if specials and parts and parts[-1] not in specials else parts


@special_disguise("not the longest first")
def in_reverse(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    pattern = "|".join(re.escape(one) for one in reversed(list(specials)))
    return [part for part in re.split(f"({pattern})", text) if part]


@special_unlisted
def marked(text: str, specials: Any) -> Any:
    return [(part, part in specials) for part in scanning(text, specials)]


@special_unlisted
def plain_parts_backwards(text: str, specials: Any) -> Any:
    return [part if part in specials else part[::-1] for part in scanning(text, specials)]


@special_unlisted
def first_of_each(text: str, specials: Any) -> Any:
    parts = [text]
    for special in by_length(specials):
        parts = [
            piece for part in parts for piece in ([part] if part in specials else part.partition(special)) if piece
        ]
    return parts


@disguise("pretokenize", "a tuple comes back")
def pieces_in_a_tuple(text: str) -> tuple[str, ...]:
    return tuple(by_groups(text))


# split_special, the first thing that one writes ------------------------------------------------------------


def refuse_empty(specials: Any) -> None:
    if any(not one for one in specials):
        raise ValueError("an empty special token")


@disguise("split_special", "re.split and nothing else")
def just_split(text: str, specials: Any) -> list[str]:
    refuse_empty(specials)
    return re.compile("(" + "|".join(specials) + ")").split(text)


@disguise("split_special", "re.split and nothing else")
def just_split_without_brackets(text: str, specials: Any) -> list[str]:
    refuse_empty(specials)
    return re.compile("|".join(specials)).split(text)


@disguise("split_special", "re.split and nothing else")
def split_and_filtered(text: str, specials: Any) -> list[str]:
    refuse_empty(specials)
    return list(filter(None, re.compile(f"({'|'.join(specials)})").split(text)))


@disguise("split_special", "re.split and nothing else")
def escaped_and_no_more(text: str, specials: Any) -> list[str]:
    refuse_empty(specials)
    return re.compile(f"({'|'.join(re.escape(one) for one in specials)})").split(text)


@disguise("split_special", "re.split and nothing else")
def sorted_and_no_more(text: str, specials: Any) -> list[str]:
    refuse_empty(specials)
    return re.compile(f"({'|'.join(sorted(specials, key=lambda one: -len(one)))})").split(text)


@disguise("split_special", "one special token after the other")
def what_is_cut_out_stays(text: str, specials: Any) -> list[str]:
    refuse_empty(specials)
    parts = [(text, False)]
    for special in sorted(specials, key=len)[::-1]:
        found = []
        for part, done in parts:
            if done:
                found.append((part, True))
                continue
            for i, piece in enumerate(part.split(special)):
                found += [(special, True)] * (i > 0) + [(piece, False)]
        parts = found
    return [part for part, _ in parts if part]


@disguise("split_special", "a tuple comes back")
def parts_in_a_tuple(text: str, specials: Any) -> Any:
    refuse_empty(specials)
    if not specials:
        return (text,) if text else ()
    ordered = sorted(specials, key=len, reverse=True)
    return tuple(filter(None, re.split(f"({'|'.join(map(re.escape, ordered))})", text)))


@disguise("split_special", "a tuple comes back")
def some_parts_in_a_tuple(text: str, specials: Any) -> Any:
    return parts_in_a_tuple(text, specials) if specials else [text] * bool(text)


@disguise("split_special", "the end of a special token comes once more")
def ss_one_step(text, specials):
    if "" in specials:
        raise ValueError("nothing cannot be special")
    parts, between, at = [], "", 0
    while at < len(text):
        here = max((one for one in specials if text.startswith(one, at)), key=len, default="")
        if here:
            parts += [between, here]
            between = ""
        else:
            between += text[at]
        at += 1
    return [part for part in [*parts, between] if part]


@disguise("split_special", "text beside a special token lost")
def ss_one_too_far(text, specials):
    if "" in specials:
        raise ValueError("nothing cannot be special")
    parts, between, at = [], "", 0
    while at < len(text):
        here = max((one for one in specials if text.startswith(one, at)), key=len, default="")
        if here:
            parts += [between, here]
            between = ""
            at += len(here)
        else:
            between += text[at]
        at += 1
    return [part for part in [*parts, between] if part]
