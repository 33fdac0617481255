"""TeX formulas as MathML, which browsers show by themselves: MathJax would come from a server in the network.

It knows what the lessons write and what an answer is likely to. What it does not know is shown as it was typed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from autograder.classroom.feedback.symbols import (
    ACCENT,
    ALPHABETS,
    BIG_OPERATOR,
    FUNCTION,
    LETTER,
    LIMITED,
    OPERATOR,
    SIZES,
    SPACES,
    in_alphabet,
)

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[0-9]+(?:[.,][0-9]+)*|\S|\s+", re.DOTALL)
LONGEST = 4000
"""Characters of a formula."""

UPRIGHT = ("mathrm", "text", "textrm", "textnormal", "mbox", "operatorname", "mathsf", "mathtt", "texttt", "textbf",
           "textit", "mathit", "mathnormal", "emph")  # fmt: skip
TEXTS = {"text", "textrm", "textnormal", "mbox", "texttt", "textbf", "textit", "emph"}
"""Commands in whose argument spaces count."""

FRACTIONS = {"frac": "", "dfrac": "true", "tfrac": "false", "cfrac": "true"}
STACKS = {"underset": "munder", "overset": "mover", "stackrel": "mover"}
BRACES = {"underbrace": ("munder", "⏟"), "overbrace": ("mover", "⏞"), "underline": ("munder", "_")}
TABLES = {
    "matrix": "", "pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖", "cases": "{ ",
    "aligned": "", "align": "", "align*": "", "split": "", "gathered": "", "gather": "", "gather*": "", "array": "",
    "equation": "", "equation*": "",
}  # fmt: skip
"""Environment → what stands around it."""

ALIGNED = {"aligned", "align", "align*", "split"}
LEFT = {"cases"}
SPELLED = {"argmax": "arg max", "argmin": "arg min", "limsup": "lim sup", "liminf": "lim inf"}
THIN = SPACES[","]
IGNORED = {"displaystyle", "textstyle", "limits", "nolimits", "notag", "nonumber"}


class _Unknown(Exception):
    """Something that is not known here."""


def mathml(tex: str, *, display: bool = False) -> str:
    """A formula as MathML, or as the text that it is.

    Args:
        tex: what stands between the dollars.
        display: it stands in a line of its own.
    """
    try:
        body = _Formula(tex).all()
    except (_Unknown, RecursionError):
        shown = html.escape(f"$${tex}$$" if display else f"${tex}$")
        return f"<code class='tex'>{shown}</code>"
    block = " display='block'" if display else ""
    return f"<math{block} alttext='{html.escape(' '.join(tex.split()))}'>{body}</math>"


class _Formula:
    """A formula that is read from left to right."""

    def __init__(self, tex: str) -> None:
        if len(tex) > LONGEST:
            raise _Unknown
        self._tokens: list[str] = TOKEN.findall(tex)
        self._at = 0

    def all(self) -> str:
        """The whole formula."""
        body = self._row(until=())
        if self._at < len(self._tokens):
            raise _Unknown
        return body

    # Tokens ----------------------------------------------------------------------------

    def _peek(self) -> str:
        """The next token that is no space; "" at the end."""
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        if not token:
            raise _Unknown
        self._at += 1
        return token

    def _expect(self, wanted: str) -> None:
        if self._next() != wanted:
            raise _Unknown

    def _raw(self, opening: str = "{", closing: str = "}") -> str:
        """The text of a group without commands, spaces and all."""
        self._expect(opening)
        start = self._at
        while self._at < len(self._tokens) and self._tokens[self._at] != closing:
            self._at += 1
        found = "".join(self._tokens[start : self._at])
        self._expect(closing)
        if "{" in found:
            raise _Unknown
        return found

    # Rows and scripts --------------------------------------------------------------------

    def _row(self, until: tuple[str, ...]) -> str:
        """All up to one of these tokens, which is left, or to the end."""
        return f"<mrow>{''.join(self._pieces(until))}</mrow>"

    def _pieces(self, until: tuple[str, ...]) -> Iterator[str]:
        while (token := self._peek()) and token not in until:
            if token in ("}", "&", r"\\", r"\end", r"\right"):
                raise _Unknown
            yield self._scripted()

    def _scripted(self) -> str:
        """A piece with what is set above and below it."""
        token = self._peek()
        base = "<mrow></mrow>" if token in ("^", "_") else self._piece()
        limits = token.removeprefix("\\") in (*BIG_OPERATOR, *LIMITED, *STACKS, "underbrace", "overbrace")
        primes, below, above = "", "", ""
        while (mark := self._peek()) in ("^", "_", "'"):
            self._next()
            if mark == "'":
                primes += "′"
            elif mark == "_" and not below:
                below = self._argument()
            elif mark == "^" and not above:
                above = self._argument()
            else:
                raise _Unknown
        if primes:
            above = f"<mrow><mo>{primes}</mo>{above}</mrow>"
        return _with_scripts(base, below, above, limits and "int" not in token)

    def _argument(self) -> str:
        """What a command takes: a group, or the next piece."""
        if self._peek().isdigit():  # of \frac12, one digit each
            token = self._next()
            if len(token) > 1:
                self._at -= 1
                self._tokens[self._at : self._at + 1] = list(token)
                self._at += 1
            return f"<mn>{token[0]}</mn>"
        return self._piece()

    def _group(self) -> str:
        self._expect("{")
        body = self._row(until=("}",))
        self._expect("}")
        return body

    # Pieces ------------------------------------------------------------------------------

    def _piece(self) -> str:
        token = self._peek()
        if token == "{":
            return self._group()
        self._next()
        if token.startswith("\\"):
            return self._command(token[1:])
        if token == "~":
            return _space(SPACES["~"])
        if token in "^_#$%":
            raise _Unknown
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{html.escape(token)}</mi>"
        return _operator(token.replace("-", "−").replace("*", "∗"))

    def _command(self, name: str) -> str:
        if name in SPACES:
            return _space(SPACES[name])
        if name in LETTER:
            upright = " mathvariant='normal'" if LETTER[name].isupper() or not LETTER[name].isalpha() else ""
            return f"<mi{upright}>{LETTER[name]}</mi>"
        if name in OPERATOR:
            return _operator(OPERATOR[name])
        if name in BIG_OPERATOR:
            return f"<mo>{BIG_OPERATOR[name]}</mo>"
        if name in (*FUNCTION, *LIMITED):
            return self._function(name)
        if name in "{}#$%&_|" and len(name) == 1:
            return _operator("‖" if name == "|" else name)
        if name in IGNORED:
            return ""
        return self._construction(name)

    def _function(self, name: str) -> str:
        """A function's name, set off from what stands beside it, but not from a bracket or a script."""
        before = "".join(self._tokens[: self._at - 1]).rstrip()[-1:]
        left = THIN if before.isalnum() or before in ("}", ")", "]") else 0
        right = 0 if self._peek() in ("", "^", "_", "(", "[", "}", ")", r"\left", r"\big", r"\Big") else THIN
        moving = " movablelimits='true'" if name in LIMITED else ""
        spelled = SPELLED.get(name, name)
        return f"<mo form='prefix' stretchy='false' lspace='{left}em' rspace='{right}em'{moving}>{spelled}</mo>"

    def _construction(self, name: str) -> str:
        """A command that takes something."""
        if name in FRACTIONS:
            style = f" displaystyle='{FRACTIONS[name]}'" if FRACTIONS[name] else ""
            return f"<mstyle{style}><mfrac>{self._argument()}{self._argument()}</mfrac></mstyle>"
        if name in ("binom", "dbinom", "tbinom"):
            inner = f"<mfrac linethickness='0'>{self._argument()}{self._argument()}</mfrac>"
            return f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"
        if name == "sqrt":
            return self._root()
        if name in ACCENT:
            return f"<mover accent='true'>{self._argument()}<mo stretchy='false'>{ACCENT[name]}</mo></mover>"
        if name in STACKS:
            other, base = self._argument(), self._argument()
            return f"<{STACKS[name]}>{base}{other}</{STACKS[name]}>"
        if name in BRACES:
            kind, brace = BRACES[name]
            return f"<{kind}>{self._argument()}<mo stretchy='true'>{brace}</mo></{kind}>"
        if name in UPRIGHT:
            return self._upright(name)
        if name in ALPHABETS:
            return self._in_alphabet(name)
        if name.rstrip("lrm") in SIZES:
            return _sized(self._delimiter(), SIZES[name.rstrip("lrm")])
        if name == "left":
            return self._fenced()
        if name == "begin":
            return self._table()
        raise _Unknown

    def _root(self) -> str:
        if self._peek() != "[":
            return f"<msqrt>{self._argument()}</msqrt>"
        degree = _Formula(self._raw("[", "]")).all()
        return f"<mroot>{self._argument()}{degree}</mroot>"

    def _upright(self, name: str) -> str:
        if self._peek() == "{" and "\\" not in (found := self._lookahead()):
            self._raw()
            if name in TEXTS:
                return f"<mtext>{html.escape(found).replace(' ', '&#160;')}</mtext>"
            return f"<mi mathvariant='normal'>{html.escape(''.join(found.split()))}</mi>"
        return self._argument()

    def _lookahead(self) -> str:
        at = self._at
        try:
            return self._raw()
        except _Unknown:
            return "\\"
        finally:
            self._at = at

    def _in_alphabet(self, name: str) -> str:
        if self._peek() != "{":
            return f"<mi>{''.join(in_alphabet(name, one) for one in html.escape(self._next()))}</mi>"
        if "\\" in self._lookahead():
            return self._group()
        return f"<mi>{''.join(html.escape(in_alphabet(name, one)) for one in self._raw().strip())}</mi>"

    # Delimiters and tables ---------------------------------------------------------------

    def _delimiter(self) -> str:
        token = self._next()
        if token == ".":
            return ""
        if token.startswith("\\"):
            name = token[1:]
            found = name if name in "{}" else "‖" if name == "|" else OPERATOR.get(name, "")
        else:
            found = token
        if len(found) != 1 or found.isalnum():
            raise _Unknown
        return found

    def _fenced(self) -> str:
        opening = self._delimiter()
        body = self._row(until=(r"\right",))
        self._expect(r"\right")
        return _around(opening, body, self._delimiter())

    def _table(self) -> str:
        name = self._raw()
        if name not in TABLES:
            raise _Unknown
        if name == "array":
            self._raw()  # the columns
        rows = [[self._cell()]]
        while (token := self._next()) != r"\end":
            if token == "&":
                rows[-1].append(self._cell())
            else:  # a new row, perhaps with a distance
                if self._peek() == "[":
                    self._raw("[", "]")
                rows.append([self._cell()])
        if self._raw() != name:
            raise _Unknown
        if rows[-1] == [EMPTY]:
            rows.pop()
        opening, closing = tuple(TABLES[name] or "  ")
        return _around(opening.strip(), _table(name, rows), closing.strip())

    def _cell(self) -> str:
        return self._row(until=("&", r"\\", r"\end"))


EMPTY = "<mrow></mrow>"


def _with_scripts(base: str, below: str, above: str, limits: bool) -> str:
    under, over, both = ("munder", "mover", "munderover") if limits else ("msub", "msup", "msubsup")
    if below and above:
        return f"<{both}>{base}{below}{above}</{both}>"
    if below:
        return f"<{under}>{base}{below}</{under}>"
    return f"<{over}>{base}{above}</{over}>" if above else base


def _space(width: float) -> str:
    return f"<mspace width='{width:g}em'></mspace>"


def _operator(sign: str) -> str:
    """A sign; brackets grow only where `\\left` says so."""
    fixed = " stretchy='false'" if sign in "()[]{}|‖⟨⟩⌊⌋⌈⌉/∖" else ""
    return f"<mo{fixed}>{html.escape(sign)}</mo>"


def _sized(sign: str, size: float) -> str:
    return f"<mo stretchy='true' minsize='{size}em' maxsize='{size}em'>{html.escape(sign)}</mo>" if sign else ""


def _around(opening: str, body: str, closing: str) -> str:
    before, after = (
        f"<mo form='{form}' stretchy='true'>{html.escape(sign)}</mo>" if sign else ""
        for form, sign in (("prefix", opening), ("postfix", closing))
    )
    return f"<mrow>{before}{body}{after}</mrow>"


def _table(name: str, rows: list[list[str]]) -> str:
    """Cells in rows."""
    lines = ("".join(_cell(name, at, cell) for at, cell in enumerate(row)) for row in rows)
    style = " displaystyle='true'" if name in ALIGNED else ""
    return f"<mtable{style}>{''.join(f'<mtr>{line}</mtr>' for line in lines)}</mtable>"


def _cell(name: str, at: int, cell: str) -> str:
    side = ("right" if at % 2 == 0 else "left") if name in ALIGNED else "left" if name in LEFT else "center"
    between = ";padding-left:0" if name in ALIGNED and at % 2 else ";padding-right:0" if name in ALIGNED else ""
    return f"<mtd style='text-align:{side};text-align:-webkit-{side}{between}'>{cell}</mtd>"  # Chromium wants its own
