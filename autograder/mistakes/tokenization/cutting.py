"""Wrong ways of cutting a text: into pieces, and at special tokens."""

import itertools
import re
from collections.abc import Collection, Sequence

from autograder.checks.tokenization import pretokenize, split_special
from autograder.probing.mistake import Way, edit

# Cutting ----------------------------------------------------------------------------

PATTERN = r'r" ?\w+| ?[^\w\s]+|\s+"'
FINDALL = f"re.findall({PATTERN}, text)"

# Its parts by themselves: edits of such can be told two at a time.
BEFORE_WORD, BEFORE_SIGN = 'r" ?', "| ?"
WORD, SPACE = r"\w+", r'|\s+"'

pretokenize.mistake(
    "spaces apart",
    "A single space is a piece of its own. It should go with the piece after it, so that ` the` can become one token; with your pieces half of all "
    "tokens would be spaces. Put ` ?` in "
    "front of the first two patterns.",
    {BEFORE_WORD: 'r"', BEFORE_SIGN: "|"},
)

pretokenize.mistake(
    "whitespace lost",
    "Whitespace is lost. Joined, your pieces no longer give the text, so decoding could never give back what was encoded. A space belongs to the piece "
    "after it; other "
    "whitespace makes pieces of its own.",
    {PATTERN: r'r"\w+|[^\w\s]+"'},
    {SPACE: '"'},
    {SPACE: '| +"'},
    {"return re.": "return [piece for piece in re.", ", text)": ', text) if "".join(piece).strip()]'},
    {FINDALL: 'text.split(" ")'},
    {FINDALL: "text.split()"},
)

pretokenize.mistake(
    "the space before signs apart",
    "The space goes with words only. A word and a run of other characters both take along one space before them, if there is one: put ` ?` in front of "
    "both patterns.",
    {BEFORE_SIGN: "|"},
)

pretokenize.mistake(
    "the space before words apart",
    "The space goes only with characters such as punctuation. A word and a run of other characters both take along one space before them, if there is "
    "one: put ` ?` in front of both patterns.",
    {BEFORE_WORD: 'r"'},
)

pretokenize.mistake(
    "whitespace and signs together",
    "Whitespace and other characters make one piece together. `\\W` fits both, as it fits everything that is not a word character. They are two kinds "
    "of pieces, `[^\\w\\s]+` and `\\s+`.",
    {PATTERN: r'r" ?\w+| ?\W+"'},
    {PATTERN: r'r"\w+|\W+"'},
    {PATTERN: r'r" ?\w+|\W+"'},
)

pretokenize.mistake(
    "signs glued to words",
    "You cut at whitespace only, so `dog.` and `dog,` are pieces of their own. Each would need merges of its own, and the model would not know that "
    "both are a dog. Characters that are neither word characters nor whitespace have to form pieces of their own.",
    {PATTERN: r'r" ?\S+|\s+"'},
    edit(
        {PATTERN: r'r"\S+|\s+"'},
        says="You cut at whitespace only, so `dog.` and `dog,` are pieces of their own, and so is every single space. Characters that are neither word "
        "characters nor whitespace have to form pieces of their own, and a single space goes with the piece after it.",
    ),
)

pretokenize.mistake(
    "the underscore a sign",
    "The underscore is not a word character in your pattern. `\\w` holds letters, digits and the underscore, so `utf8_2` is one piece.",
    {PATTERN: r'r" ?[^\W_]+| ?(?:[^\w\s]|_)+|\s+"'},
    {PATTERN: r'r" ?[^\W_]+| ?[^a-zA-Z0-9\s]+|\s+"'},
)

pretokenize.mistake(
    "line breaks taken for signs",
    "Tabs and line breaks are not treated as whitespace. `[^\\w ]` leaves out only the space; `\\s` is all whitespace, so the other characters are "
    "`[^\\w\\s]`.",
    {r"[^\w\s]": r"[^\w ]"},
)

pretokenize.mistake(
    "every sign by itself",
    "Every character such as `.` is a piece of its own. A run of such characters, `...` or `--`, is one piece, so that it can become one token. A `+` "
    "is missing.",
    {r"\s]+": r"\s]"},
)

pretokenize.mistake(
    "the space behind the word",
    "The space goes with the piece before it. It should go with the piece after it. Either rule would do if everyone had the same; with your rule the "
    "merges do not fit those of others.",
    {PATTERN: r'r"\w+ ?|[^\w\s]+ ?|\s+"'},
    {PATTERN: r'r"\w+(?: (?!\s))?|[^\w\s]+(?: (?!\s))?|\s+"'},
    edit(
        {BEFORE_WORD + WORD: r'r"\w+ ?'},
        says="The space behind a word goes with the word. It should go with the piece after it, whatever that is: ` ?` stands in front of `\\w+`, not behind it.",
    ),
)

pretokenize.mistake(
    "letters of ASCII only",
    "Only the letters of English count as word characters. `fünf` falls into three pieces, and no word of Greek or Chinese is taken for a word. `\\w` "
    "in a str pattern fits the letters of all scripts; leave out `re.ASCII`, and `[A-Za-z]`.",
    {", text)": ", text, re.ASCII)"},
    {WORD: "[a-zA-Z0-9_]+", r"[^\w": "[^a-zA-Z0-9_"},
    {WORD: "[a-zA-Z0-9_]+"},
)

pretokenize.mistake(
    "any whitespace before a word",
    "A line break or a tab in front of a word goes with it. Only a space should, so that a word is the same at the beginning of a line. Write a space, "
    "not `\\s`, before the `?`.",
    {BEFORE_WORD: r'r"\s?', BEFORE_SIGN: r"|\s?"},
    {BEFORE_WORD: r'r"\s?'},
)

pretokenize.mistake(
    "all spaces before a word",
    "All spaces in front of a word go with it. Then a word is another token at every indentation. Take one space at most: ` ?`, not ` *`.",
    {BEFORE_WORD: 'r" *', BEFORE_SIGN: "| *"},
)

pretokenize.mistake(
    "the last of several spaces given to the word",
    "You give the last of several spaces to the word after them. GPT-2 does that, by one more pattern; here a run of whitespace longer than one space "
    "stays whole.",
    {SPACE: r'|\s+(?!\S)|\s+"'},
)

pretokenize.mistake(
    "every whitespace character by itself",
    "Every whitespace character is a piece of its own. An indentation of eight spaces is one piece, so that it can become one token. There is a `+` missing.",
    {SPACE: r'|\s"'},
)

pretokenize.mistake(
    "digits apart from letters",
    "Digits and letters make different pieces. GPT-2 does that, and there are reasons for it; here both are word characters, `\\w`, and `utf8` is one piece.",
    {PATTERN: r'r" ?\d+| ?[^\W\d]+| ?[^\w\s]+|\s+"'},
)

pretokenize.mistake(
    "contractions kept whole",
    "You keep `'s` and `'t` whole. GPT-2 does that for English; here the apostrophe is treated like other punctuation, and `s` is a word character.",
    {PATTERN: r'''r"'s|'t|'re|'ve|'m|'ll|'d| ?\w+| ?[^\w\s]+|\s+"'''},
    edit(
        {WORD: r"\w+(?:'\w+)?"},
        says="You keep `It's` whole. Here the apostrophe is treated like other punctuation, so there are three pieces: `It`, `'` and `s`.",
    ),
    edit(
        {WORD: r"[\w']+"},
        says="You count the apostrophe among the word characters, so `It's` stays whole. Here it is treated like other punctuation, and there are three pieces: `It`, `'` and `s`.",
    ),
)

pretokenize.mistake(
    "words with hyphens kept whole",
    "You keep `well-known` whole. The hyphen is treated like other punctuation, so there are three pieces: `well`, `-` and `known`.",
    {WORD: r"\w+(?:-\w+)*"},
    {WORD: r"\w+(?:-\w+)?"},
    edit(
        {WORD: r"[\w-]+"},
        says="You count the hyphen among the word characters, so `well-known` stays whole, and `--` goes with a word. The hyphen is treated like other punctuation.",
    ),
    edit(
        {WORD: r"\w+(?:['-]\w+)*"},
        says="You keep `well-known` and `It's` whole. Hyphen and apostrophe are treated like other punctuation, so there are three pieces: `well`, `-` and `known`.",
    ),
)

pretokenize.mistake(
    "cut at capitals",
    "You cut words at their capitals. A run of word characters is one piece, however it is written: `camelCase` stays whole.",
    *(
        {FINDALL: f"[part for piece in {FINDALL} for part in re.split({place}, piece)]"}
        for place in ('r"(?<=[a-z])(?=[A-Z])"', 'r"(?<=\\w)(?=[A-Z])"')
    ),
)

pretokenize.mistake(
    "signs lost",
    "Characters that are neither word characters nor whitespace are lost, such as punctuation. Joined, the pieces have to give the text: a run of them is a piece, too, `[^\\w\\s]+`.",
    {PATTERN: r'r" ?\w+|\s+"'},
    {PATTERN: r'r"\w+|\s+"'},
    {FINDALL: f"[piece for piece in {FINDALL} if re.match(r'\\w|\\s', piece[-1])]"},
    {PATTERN: r'r" ?\w+"'},
)

pretokenize.mistake(
    "nothing without a space before it",
    "What has no space before it is lost. The space is taken along *if* there is one: `?` behind it.",
    {PATTERN: r'r" \w+| [^\w\s]+|\s+"'},
    {PATTERN: r'r" \w+| ?[^\w\s]+|\s+"'},
    {PATTERN: r'r" ?\w+| [^\w\s]+|\s+"'},
)

pretokenize.mistake(
    "digits taken for signs",
    "Digits count as punctuation for you. They are word characters, as `\\w` has it, and `utf8` is one piece: `isalnum`, not `isalpha`.",
    {PATTERN: r'r" ?[^\W\d]+| ?(?:[^\w\s]|\d)+|\s+"'},
)

pretokenize.mistake(
    "only some whitespace",
    "Some whitespace counts as punctuation for you. `\\s` and `isspace` know all of it: spaces, tabs, line breaks of every kind, and those of other scripts.",
    *({PATTERN: f'r" ?\\w+| ?[^\\w{some}]+|[{some}]+"'} for some in (r" \n\t", r" \n", r" \t\n\r", " ")),
)

pretokenize.mistake(
    "the last piece lost",
    "The last piece is lost. Joined, the pieces have to give the text: note what is left when a loop ends.",
    {FINDALL: f"{FINDALL}[:-1]"},
    edit(
        {FINDALL: f"(lambda pieces: pieces[:-1] if len(pieces[-1:]) and len(pieces[-1]) == 1 else pieces)({FINDALL})"},
        says="A last piece of one character is lost. Go to `len(text)`: the last place is `len(text) - 1`.",
    ),
    edit(
        {FINDALL: f"(lambda pieces: pieces[:-1] if pieces[-1:] == [' '] else pieces)({FINDALL})"},
        says="A single space at the end of the text is lost. There is no piece behind it to take it along, so it is a piece by itself.",
    ),
)

pretokenize.mistake(
    "pieces in another order",
    "The pieces are not in the order of the text. Joined, they have to give it.",
    {FINDALL: f"sorted({FINDALL})"},
    {FINDALL: f"{FINDALL}[::-1]"},
    {FINDALL: f"sorted(set({FINDALL}))"},
)

pretokenize.mistake(
    "no list comes back",
    "No list comes back. A list of pieces is promised.",
    *(
        edit({FINDALL: instead}, says=f"{what} comes back, and a list of pieces is promised.")
        for instead, what in (
            (f'" ".join({FINDALL})', "One text"),
            (f'"".join({FINDALL})', "One text"),
            (f'"|".join({FINDALL})', "One text"),
            (f"iter({FINDALL})", "An iterator"),
            (f"(piece for piece in {FINDALL})", "A generator"),
        )
    ),
    edit(
        {FINDALL: f"Counter({FINDALL})"},
        says="A Counter comes back, and a list of pieces is promised. Counting comes later.",
    ),
)

pretokenize.mistake(
    "spaces written otherwise",
    "You write another character for the space. Joined, the pieces have to give the text. Published vocabularies show a space like that, as bytes are hard to print; the pieces themselves keep theirs.",
    *(
        {FINDALL: f"[piece.replace(' ', '{mark}') for piece in {FINDALL}]"}
        for mark in ("\u0120", "\u2581", "_", "\u2423")
    ),
    *({", text)": f", text.replace(' ', '{mark}'))"} for mark in ("\u0120", "\u2581", "_")),
)

pretokenize.mistake(
    "numbers kept whole",
    "You keep `3.14` whole. The full stop is treated like other punctuation, even between digits, so there are three pieces: `3`, `.` and `14`.",
    {BEFORE_WORD + WORD: r'r" ?\d+(?:\.\d+)?| ?\w+'},
)

pretokenize.mistake(
    "every character a piece",
    "Every character is a piece of its own. Nothing can be merged then, as no token reaches across a cut. A piece is as long as it can be: `\\w+`, not `\\w`.",
    {FINDALL: "list(text)"},
)

pretokenize.mistake(
    "each piece once",
    "A piece that occurs again is left out. A set or a dict holds each piece once; joined, the pieces have to give the text.",
    {FINDALL: f"list(dict.fromkeys({FINDALL}))"},
)

pretokenize.mistake(
    "the text stripped",
    "Whitespace at the beginning or the end of the text is lost. Joined, the pieces have to give the text as it was: do not strip it.",
    {", text)": ", text.strip())"},
)

pretokenize.mistake(
    "cut into lines first",
    "You cut the text into lines first, so whitespace that goes on after a line break falls apart. A run of whitespace is one piece, line breaks "
    "included: do not cut the text first.",
    {FINDALL: f"[piece for line in text.splitlines(keepends=True) for piece in {FINDALL.replace('text', 'line')}]"},
    edit(
        {FINDALL: f"[piece for line in text.splitlines() for piece in {FINDALL.replace('text', 'line')}]"},
        says="Line breaks are lost. You cut the text into lines first, and `splitlines()` throws them away. Joined, the pieces have to give the text.",
    ),
)

pretokenize.mistake(
    "round brackets in the pattern",
    "There are round brackets in your pattern. With them, `re.findall` gives what stands in each pair of brackets instead of the piece. Leave them out; "
    "where you need brackets to hold a pattern together, write `(?:...)`.",
    {PATTERN: r'r"( ?\w+)|( ?[^\w\s]+)|(\s+)"'},
    {PATTERN: r'r"( ?)\w+|( ?)[^\w\s]+|\s+"'},
    {WORD: r"(\w+)"},
)

pretokenize.mistake(
    "spaces taken off the pieces",
    "Your pieces have lost their spaces, and pieces of whitespace are empty. `.strip()` does that, and so do round brackets in the pattern, with which `re.findall` gives only what "
    "stands in them. Joined, the pieces have to give the text.",
    {PATTERN: r'r" ?(\w+|[^\w\s]+)|\s+"'},
    {FINDALL: f"[piece.strip() for piece in {FINDALL}]"},
    edit(
        {FINDALL: f"[piece.strip() or piece for piece in {FINDALL}]"},
        says="Words and punctuation have lost the space before them. It belongs to the piece; joined, the pieces have to give the text.",
    ),
    edit(
        {FINDALL: f"[piece if piece.isspace() or piece[0] != ' ' else piece[1:] + ' ' for piece in {FINDALL}]"},
        says="The space comes behind its piece, not before it. Joined, the pieces have to give the text: the space first, then what stands behind it.",
    ),
)

pretokenize.mistake(
    "made lower case",
    "Everything comes out in lower case. Joined, the pieces have to give the text as it was; no decoder can bring back what is lost here.",
    {", text)": ", text.lower())"},
)

pretokenize.mistake(
    "a tuple comes back",
    "A tuple comes back, and a list is promised. Code that joins two texts, `pieces + more`, fails far from here.",
    {FINDALL: f"tuple({FINDALL})"},
)

# Special tokens ----------------------------------------------------------------------------

PARTS = 're.split(f"({any_special})", text)'
REST = f"return [part for part in {PARTS} if part]"

# Two ways can be told at once where each leaves standing what the other changes. So the cut is wrapped, not replaced,
# statements stand before the `return`, and the case without special tokens is changed by its text.
EACH, KEPT_IF, RETURN = "part for part in", " if part]", "\n    return ["
NONE_GIVEN, WHOLE = "if not specials:", "[text] if text else []"
CUT_AT = ", text)"


def around(before: str, behind: str, whole: str = "") -> dict[str, str]:
    """What comes back, with something around it; without special tokens, too, where it says what."""
    found = {RETURN: f"\n    return {before}[", KEPT_IF: f"{KEPT_IF}{behind}"}
    return found | ({f"return {WHOLE}": f"return {whole}"} if whole else {})


def none_given(text: str) -> dict[str, str]:
    """Without special tokens another text comes back."""
    return {NONE_GIVEN: f"{NONE_GIVEN}\n        text = {text}"}


split_special.mistake(
    "signs of the pattern not escaped",
    "The characters of a special token are read as a pattern. In `<|end|>` the bar means “or”, so `<`, `end` and `>` are cut out one by one. "
    "`re.escape(special)` makes all of them plain characters.",
    {"re.escape(special) for": "special for"},
    *(
        edit(
            {"re.escape(special) for": f"{escaped} for"},
            says="Some characters of the special tokens are read as a pattern, as you escape others alone: a dot fits any character, and square brackets fit one of what they hold. `re.escape(special)` makes all of them plain.",
        )
        for escaped in (
            r'special.replace("|", r"\|")',
            r'special.replace("|", r"\|").replace("[", r"\[").replace("]", r"\]")',
            r'special.replace("|", r"\|").replace(".", r"\.")',
        )
    ),
)

split_special.mistake(
    "escaped twice",
    "The special tokens are escaped twice. Then the pattern looks for the backslashes that the first time has put before their signs, and the text has none.",
    {"re.escape(special) for": "re.escape(re.escape(special)) for"},
)

split_special.mistake(
    "several special tokens taken for one",
    "Several special tokens become one long text that you look for, and none of them is found. The bars between them mean “or” and must not be escaped: `re.escape` goes round each special token by itself, then `|` between them.",
    {'"|".join(re.escape(special) for special in longest_first)': 're.escape("|".join(longest_first))'},
    {'"|".join(re': '"".join(re'},
    {'"|".join(re': '" ".join(re'},
)

split_special.mistake(
    "cut at single characters",
    "You cut at the single characters of the special tokens. In a pattern `[...]` stands for one character of those in it. Whole tokens go into round brackets, with `|` between them.",
    *({'f"({any_special})"': f'"([" + re.escape("".join(longest_first)) + "]{more})"'} for more in ("+", "")),
)

split_special.mistake(
    "a pattern of its own",
    "You cut at whatever has the form of a special token. Only the given special tokens are special: text in such brackets that is none of them stays text, and others look different.",
    *(
        {'f"({any_special})"': form}
        for form in (
            r'r"(<\|.*?\|>)"',
            r'r"(<\|.*\|>)"',
            r'r"(<\|\w+\|>)"',
            r'r"(<[^>]*>)"',
            r'r"(<.*?>)"',
            r'r"(<[^>]*>|\[[^\]]*\])"',
            r'r"(<.*?>|\[.*?\])"',
        )
    ),
)

split_special.mistake(
    "not inside of words",
    "A special token is found only where it does not touch a word. It is cut out wherever it stands, `end[MASK]of` has one too: leave the condition out.",
    {'f"({any_special})"': r'rf"\b({any_special})\b"'},
    {'f"({any_special})"': r'rf"(?<!\w)({any_special})(?!\w)"'},
    {'f"({any_special})"': r'rf"(?<!\S)({any_special})(?!\S)"'},
)

split_special.mistake(
    "no special token cut out",
    "No special token is cut out: the text comes back in one part. Special tokens would be split into bytes like any text.",
    {PARTS: "[text]"},
)

split_special.mistake(
    "only one of the special tokens",
    "Only one of the special tokens is cut out, wherever it stands. All of them are looked for: put `|` between them, or ask for each at every place.",
    *(
        {"for special in longest_first": f"for special in {one}"}
        for one in ("longest_first[:1]", "longest_first[-1:]", "list(specials)[:1]", "list(specials)[-1:]")
    ),
)

split_special.mistake(
    "not the longest first",
    "The longest special token does not come first. Of patterns with `|` between them, the first that fits is taken: `<|end|>` before `<|end|>!` leaves the `!` over. Sort them by length, "
    "the longest first.",
    {"sorted(specials, key=len, reverse=True)": "list(specials)"},
    {", reverse=True": ""},
    {", key=len, reverse=True": ""},
    {"sorted(specials, key=len, reverse=True)": "list(specials)[::-1]"},
)

split_special.mistake(
    "special tokens thrown away",
    "The special tokens themselves are gone. `re.split` throws away what it cuts at, unless the pattern stands in round brackets.",
    {'f"({any_special})"': "any_special"},
    {PARTS: f"{PARTS}[::2]"},
    # One after the other, by `str.split`.
    *(
        {
            REST: f"""parts = [text]
    for special in {order}:
        parts = [one for part in parts for one in part.split(special)]
    return [part for part in parts if part]"""
        }
        for order in ("longest_first", "specials")
    ),
)

split_special.mistake(
    "only the special tokens come back",
    "Only the special tokens come back. What stands between them is text, and it has to be encoded as well: `re.findall` gives what fits a pattern, `re.split` what stands between, too.",
    {PARTS: "re.findall(any_special, text)"},
    {PARTS: "re.findall(any_special, text)"} | none_given('""'),
    *({PARTS: f'[one if i % 2 else "" for i, one in enumerate({PARTS})]'} | guard for guard in ({}, none_given('""'))),
)

split_special.mistake(
    "the text between is cut up",
    "The text between special tokens is cut up. It stays whole here; `byte_pair_encode` cuts it into pieces afterwards.",
    *(
        {PARTS: f"[one for part in {PARTS} for one in ([part] if part in specials else {cut})]"} | guard
        for cut, rest in (
            ("pretokenize(part)", "pretokenize(text)"),
            ("part.split()", "text.split()"),
            ("list(part)", "list(text)"),
        )
        for guard in ({}, {WHOLE: rest})
    ),
    edit(
        {
            REST: """for special in longest_first:
        text = text.replace(special, f" {special} ")
    return [part for part in text.split() if part]"""
        },
        says="The text between special tokens is cut at its spaces, and they are lost. You put spaces round the special tokens and split at spaces, those of the text among them. Cut at the special tokens alone.",
    ),
    edit(
        {
            REST: """for special in longest_first:
        text = text.replace(special, f" {special} ")
    return [part for part in text.split(" ") if part]"""
        },
        says="The text between special tokens is cut at its spaces, and they are lost. You put spaces round the special tokens and split at spaces, those of the text among them. Cut at the special tokens alone.",
    ),
)

split_special.mistake(
    "cut into lines first",
    "The text is cut into lines first. Lines have nothing to do with special tokens, and joined, the parts have to give the text.",
    edit(
        {PARTS: f"[part for line in text.splitlines() for part in {PARTS.replace('text', 'line')}]"},
        says="Line breaks are lost. You cut the text into lines first, and `splitlines()` throws them away. Joined, the parts have to give the text.",
    ),
    edit(
        {PARTS: f"[part for line in text.splitlines(keepends=True) for part in {PARTS.replace('text', 'line')}]"},
        says="Text with a line break in it falls apart. You cut the text into lines first. Cut at the special tokens alone.",
    ),
)

split_special.mistake(
    "made lower case",
    "The text comes out in lower case. Special tokens in capitals are no longer found, and joined, the parts have to give the text as it was.",
    {CUT_AT: ", text.lower())"},
    {NONE_GIVEN: f"text = text.lower()\n    {NONE_GIVEN}"},
)

split_special.mistake(
    "each part once",
    "A part that occurs again is left out. A dict or a set holds each part once, but a special token may stand in a text many times.",
    around("list(dict.fromkeys(", "))"),
)

split_special.mistake(
    "empty parts",
    "There are empty parts among yours. They come from places where two special tokens stand side by side or a special token stands at an end of the "
    "text, and from an empty text. They would do no harm, but a part is either a special token or some text: leave empty parts out.",
    {KEPT_IF: "]"},
    {KEPT_IF: "]", WHOLE: "[text]"},
    {WHOLE: "[text]"},
    {NONE_GIVEN: "if not (specials and text):", WHOLE: "[text]"},
    # Whoever cuts and goes on with the rest may have them before special tokens only, or at the end only.
    {PARTS: f"(lambda cut: cut if cut[-1] else cut[:-1])({PARTS})", KEPT_IF: "]"},
    {
        PARTS: f"(lambda cut: [one for one in cut[:-1] if one] + cut[-1:])({PARTS})",
        KEPT_IF: "]",
        WHOLE: "[text]",
    },
)

split_special.mistake(
    "None among the parts",
    "Among your parts there is None. Where each special token stands in round brackets of its own, `re.split` gives None for those that do not fit: one pair of brackets round all of them.",
    *(
        {
            REST: f"""return [part for part in re.split("|".join(f"({{re.escape(one)}})" for one in longest_first), text){kept}]"""
        }
        for kept in ("", ' if part != ""')
    ),
)

split_special.mistake(
    "no special tokens not thought of",
    "Without special tokens your text falls apart. Without them the pattern is empty, and an empty pattern fits between any two characters. Return the "
    "text as it is.",
    {NONE_GIVEN: "if False:"},
    {WHOLE: 're.split("()", text)[1:-1]'},  # with the empty ones that `finditer` finds
)

split_special.mistake(
    "only the first special token",
    "Only the first special token is cut out. The others stay in the text, and would be split into bytes. Go on through the whole text.",
    {CUT_AT: ", text, maxsplit=1)"},
)

split_special.mistake(
    "neighbours joined",
    "Special tokens that stand side by side come out as one part. Each has an id of its own, and their text together has none. Leave the `+` out.",
    {'f"({any_special})"': 'f"((?:{any_special})+)"'},
    edit(
        {'f"({any_special})"': 'f"({any_special})+"'},
        says="Of special tokens that stand side by side only the last comes out. With `+` behind the brackets the pattern takes all of them, and a group keeps the last that it has met. Leave the `+` out.",
    ),
)

split_special.mistake(
    "capitals do not count",
    "Special tokens are found without regard to capitals. `[mask]` is text, and only `[MASK]` is the special token: what a user writes must not become one "
    "by accident.",
    {CUT_AT: ", text, flags=re.IGNORECASE)"},
)

split_special.mistake(
    "what follows the last special token lost",
    "The text after the last special token is lost. Joined, the parts have to give the text: append the rest when no special token is left.",
    {PARTS: f"{PARTS}[:-1]"},
    {PARTS: f"{PARTS}[:-1]"} | none_given('""'),
)

split_special.mistake(
    "what precedes the first special token lost",
    "The text before the first special token is lost. Joined, the parts have to give the text.",
    {PARTS: f"{PARTS}[1:]"},
)

split_special.mistake(
    "text comes twice",
    "Text that stands before a special token comes once more with the next. Where you have added the text so far, begin anew after the special token.",
    *(
        {
            RETURN: f"""

    def again(cut):
        parts, so_far = [], ""
        for i, one in enumerate(cut):
            parts += [so_far, one] if i % 2 else []
            so_far += {added}
        return [*parts, so_far]
{RETURN}""",
            PARTS: f"again({PARTS})",
        }
        for added in ('"" if i % 2 else one', "one")
    ),
)

split_special.mistake(
    "spaces around lost",
    "Spaces next to special tokens are lost. Joined, the parts have to give the text as it was; do not strip them.",
    *(
        {EACH: f"part.strip() {EACH.removeprefix('part ')}"} | kept | guard
        for kept in ({}, {KEPT_IF: " if part.strip()]"})
        for guard in ({}, none_given("text.strip()"))
    ),
    {'f"({any_special})"': r'rf"\s*({any_special})\s*"'},
    {'f"({any_special})"': 'f" ?({any_special}) ?"'},
)

split_special.mistake(
    "spaces taken along",
    "The space beside a special token comes out with it. Then the part is no special token, and has no id of its own: leave the space out of the round brackets.",
    *(
        {'f"({any_special})"': f'rf"({before}(?:{{any_special}}){behind})"'}
        for before, behind in ((" ?", ""), ("", " ?"), (" ?", " ?"), (r"\s*", ""), ("", r"\s*"), (r"\s*", r"\s*"))
    ),
)

split_special.mistake(
    "parts of whitespace lost",
    "Parts that are nothing but whitespace are dropped. A space between two special tokens is text, too; leave out only what is empty.",
    {KEPT_IF: " if part.strip()]"},
)

split_special.mistake(
    "without special tokens the text lost",
    "Without special tokens nothing comes back. The whole text is one part then, if there is any.",
    {WHOLE: "[]"},
    *(
        edit(
            {WHOLE: rest},
            says=f"Without special tokens {what} comes back. The whole text is one part then, if there is any: a list that holds it.",
        )
        for rest, what in (
            ("text", "the text itself"),
            ("None", "None"),
            ("pretokenize(text)", "a list of pieces"),
            ("text.split()", "a list of words"),
        )
    ),
)


def _in_turn(order: str, pieces: str) -> dict[str, str]:
    return {
        REST: f"""parts = [text]
    for special in {order}:
        cut = []
        for part in parts:
            pieces = {pieces}
            for i, between in enumerate(pieces):
                cut += [special, between] if i else [between]
        parts = cut
    return [part for part in parts if part]"""
    }


KEPT_WHOLE = "[part] if part in specials else part.split(special)"

split_special.mistake(
    "one special token after the other",
    "You cut at one special token after the other, through the whole text each time. Then a later special token is found inside an earlier one, which "
    "must never be split. Look for all of them at once: one pattern with `|` between them, the longest first.",
    _in_turn("specials", "part.split(special)"),
    _in_turn("longest_first", "part.split(special)"),
    {
        REST: """for special in specials:
        text = text.replace(special, f"\\0{special}\\0")
    return [part for part in text.split("\\0") if part]"""
    },
    edit(
        _in_turn("longest_first", KEPT_WHOLE),
        says="You cut at one special token after the other, through the whole text each time. Where two overlap, you cut out the special token that you "
        "look for first, and not the one that begins further left. Look for all of them at once: one pattern with `|` between them, the longest first.",
    ),
    edit(
        _in_turn("specials", KEPT_WHOLE),
        says="You cut at one special token after the other, in the order in which they are given. Then a short special token is taken where a longer one stands, and where two overlap, it is not the one further left. Look for "
        "all of them at once: one pattern with `|` between them, the longest first.",
    ),
)

# The bare call, before anybody has thought of anything ------------------------------------------------------------

ESCAPE = "the signs of a special token are read as a pattern (`re.escape`)"
ORDER = "the longest does not come first (`sorted`)"
KEPT = "the special tokens themselves are gone (round brackets keep them)"
EMPTY = "there are empty parts"
NONE = "without special tokens every character is cut off by itself"
SLIPS = (ESCAPE, ORDER, KEPT, EMPTY, NONE)


def _bare(minded: Sequence[str]) -> Way:
    """`re.split` with the special tokens as they come, but for what is minded: what it leaves out, all at once."""

    def split(text: str, specials: Collection[str]) -> list[str]:
        if "" in specials:
            raise ValueError("a special token is empty")
        if NONE in minded and not specials:
            return [text] if text else []
        ordered = sorted(specials, key=len, reverse=True) if ORDER in minded else specials
        pattern = "|".join(map(re.escape, ordered) if ESCAPE in minded else ordered)
        parts = re.split(pattern if KEPT not in minded else f"({pattern})", text)
        return [part for part in parts if part] if EMPTY in minded else parts

    *most, last = [slip for slip in SLIPS if slip not in minded]
    return Way(
        instead=split,
        says=f"Your parts are those of `re.split` at the bare special tokens. So {', '.join(most)}, and {last}.",
    )


split_special.mistake(
    "re.split and nothing else",
    "Your parts are those of `re.split` at the bare special tokens.",
    # Who minds three of the five makes two slips, and these are told by their own names.
    *(_bare(minded) for count in range(3) for minded in itertools.combinations(SLIPS, count)),
)

split_special.mistake(
    "a tuple comes back",
    "A tuple comes back, and a list is promised. Code that joins two texts, `parts + more`, fails far from here.",
    around("tuple(", ")", f"tuple({WHOLE})"),
    around("tuple(", ")"),
)

split_special.mistake(
    "no list comes back",
    "No list comes back. A list of parts is promised, which can be gone through again and joined to others.",
    *(
        edit(
            around(before, ")", whole),
            says=f"{what} comes back, and a list is promised. {what} can be gone through once and has no length: {mend}.",
        )
        for before, what, mend in (
            ("filter(None, ", "A filter", "put `list(...)` round it"),
            ("(part for part in ", "A generator", "write square brackets, or put `list(...)` round it"),
            ("iter(", "An iterator", "leave `iter` out"),
        )
        for whole in ("", f"{before}({WHOLE}))")
    ),
)

split_special.mistake(
    "the list of special tokens changed",
    "You sort the caller's own list. Ids that were given to special tokens by their place in it are then wrong. `sorted(...)` makes a new list.",
    {
        "longest_first = sorted(specials, key=len, reverse=True)": "longest_first = specials\n    longest_first.sort(key=len, reverse=True)"
    },
    # What is no list stays as it is; or only a list is sorted where it stands.
    {
        "longest_first = sorted(specials, key=len, reverse=True)": "longest_first = sorted(specials, key=len, reverse=True)\n    if isinstance(specials, list):\n        specials.sort(key=len, reverse=True)"
    },
    *(
        {'if "" in specials:': f'if isinstance(specials, list):\n        specials.sort({key})\n    if "" in specials:'}
        for key in ("", "key=len", "key=len, reverse=True")
    ),
)

split_special.mistake(
    "an empty special token accepted",
    "An empty special token is not refused. It would be found between any two characters: raise a ValueError, as the given lines did.",
    {'if "" in specials:': "if False:"},
)


def _nearest(found: str, order: str = "longest_first", choice: str = "min(found)") -> dict[str, str]:
    """Cut at one special token, then go on behind it."""
    return {
        REST: f"""parts = []
    while found := [{found} for one in {order} if one in text]:
        special = {choice}[-1]
        place = text.{"rindex" if "rfind" in found else "index"}(special)
        parts += [text[:place], special]
        text = text[place + len(special) :]
    return [part for part in [*parts, text] if part]"""
    }


split_special.mistake(
    "not the nearest special token",
    "You do not cut at the special token that comes next in the text. What stands before the place of your cut is not looked at again, so special tokens stay hidden in it. Of all places where one begins take the first.",
    edit(
        _nearest("(one,)", "specials", "found[0]"),
        says="You cut at the special token that is given first, wherever it stands. What stands before it is not looked at again, so other special tokens stay hidden in it. Of all places where one begins take the first.",
    ),
    edit(
        _nearest("(one,)", "longest_first", "found[0]"),
        says="You cut at the longest special token of all, wherever it stands. What stands before it is not looked at again, so shorter ones stay hidden in it. Length decides only between those that begin at one place.",
    ),
    edit(
        _nearest("(-len(one), text.find(one), one)"),
        says="You cut at the longest special token of all, wherever it stands. What stands before it is not looked at again, so shorter ones stay hidden in it. Length decides only between those that begin at one place.",
    ),
    _nearest("(text.find(one), -len(one), one)", choice="max(found)"),
    _nearest("(text.find(one), len(one), one)", choice="max(found)"),
    edit(
        _nearest("(text.rfind(one), -len(one), one)"),
        says="You cut at the last place of a special token. What stands before it is not looked at again, so its other places stay hidden in the text. `find` gives the first place, `rfind` the last.",
    ),
    edit(
        _nearest("(-text.rfind(one), -len(one), one)"),
        says="You cut at the last place of a special token. What stands before it is not looked at again, so its other places stay hidden in the text. `find` gives the first place, `rfind` the last.",
    ),
)


def _of_the_parts(parts: str) -> dict[str, str]:
    """Something done with the parts, of which every second is a special token."""
    return {PARTS: f"(lambda parts: {parts})({PARTS})"}


split_special.mistake(
    "a special token joined to the text beside it",
    "A special token and the text beside it come out as one part. It needs a part of its own, or it has no id: `parts += [between, special]`.",
    _of_the_parts("[*map(''.join, zip(parts[::2], parts[1::2], strict=False)), parts[-1]]"),
    _of_the_parts("[parts[0], *map(''.join, zip(parts[1::2], parts[2::2], strict=False))]"),
)

split_special.mistake(
    "text beside a special token lost",
    "Text beside a special token is lost. Joined, the parts have to give the whole text.",
    edit(
        _of_the_parts("[*parts[1::2], parts[-1]]"),
        says="The text before every special token is lost. Before you note the special token, note what stands between it and the one before.",
    ),
    edit(
        _of_the_parts("[part for i, part in enumerate(parts) if i % 2 or i == len(parts) - 1 or len(part) != 1]"),
        says="A single character before a special token is lost. A part is empty where it begins and ends at one place: `start < at`.",
    ),
    edit(
        _of_the_parts("[part for i, part in enumerate(parts) if i < len(parts) - 1 or len(part) != 1]"),
        says="A single character behind the last special token is lost. A part is empty where it begins and ends at one place: `start < len(text)`.",
    ),
    edit(
        _of_the_parts("[part for i, part in enumerate(parts) if i % 2 or len(part) != 1]"),
        says="A part of a single character is lost. Leave out only what is empty.",
    ),
    edit(
        _of_the_parts("[part.strip() if i % 2 == 0 and i < len(parts) - 1 else part for i, part in enumerate(parts)]"),
        says="The text before a special token has lost its spaces. Joined, the parts have to give the whole text: leave out `strip`.",
    ),
    edit(
        _of_the_parts("[part.lstrip() if i % 2 == 0 and i else part for i, part in enumerate(parts)]"),
        says="The text behind a special token has lost its spaces. Joined, the parts have to give the whole text: leave out `lstrip`.",
    ),
    edit(
        _of_the_parts("[part.rstrip() if i % 2 == 0 and i < len(parts) - 1 else part for i, part in enumerate(parts)]"),
        says="The text before a special token has lost the spaces at its end. Joined, the parts have to give the whole text: leave out `rstrip`.",
    ),
    edit(
        {'f"({any_special})"': r'rf"({any_special})[\s\S]?"'},
        says="The character behind every special token is lost. Joined, the parts have to give the whole text: go on where the special token ends, not one character further.",
    ),
)

split_special.mistake(
    "the end of a special token comes once more",
    "The end of every special token comes once more, as text behind it. You go on one character behind its beginning, and the rest of it is read again. Go on behind all of it: its beginning and its length.",
    {'f"({any_special})"': r'rf"(?=({any_special}))[\s\S]"'},
)

split_special.mistake(
    "not at the beginning of the text",
    "A special token at the very beginning of the text is not cut out. Place 0 is a place like any other, and 0 counts as False: compare with `>= 0`, or with None.",
    {'f"({any_special})"': r'rf"((?!\A)(?:{any_special}))"'},
)

split_special.mistake(
    "special tokens of one character",
    "Special tokens of a single character are not cut out, or not at the end of the text. They may be of any length.",
    {"for special in longest_first": "for special in longest_first if len(special) > 1"},
    edit(
        {'f"({any_special})"': r'rf"((?!.\Z)(?:{any_special}))"'},
        says="The last character of the text is not looked at, so a special token of one character stays in the text there. Go to `len(text)`: the last place is `len(text) - 1`.",
    ),
)

split_special.mistake(
    "parts in another order",
    "The parts are not in the order of the text. Joined, they have to give it: put each part behind the one before.",
    *(around(before, behind) for before, behind in (("", "[::-1]"), ("sorted(", ")"))),
    edit(
        around("set(", ")"), says="A set comes back. It holds each part once, in no order; a list of parts is promised."
    ),
)
