"""Tokens as one can see them: strips of coloured pieces, and an explorer that makes one merge after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from ipywidgets import HTML, IntSlider, Layout, Textarea, VBox

from course.widgets.base import CourseWidget, graded

Token = bytes | str
Pair = tuple[bytes, bytes]

TINTS = ("rgba(66,133,200,.34)", "rgba(217,119,60,.34)", "rgba(47,143,131,.34)", "rgba(138,79,163,.34)")
"""Half transparent, so that the page's own colour shows through in both themes."""

STYLE = """<style>
.course-strips{font:13px/2 var(--jp-code-font-family,monospace);color:var(--jp-content-font-color1,#1c2430)}
.course-strips div{display:flex;gap:12px;margin:0}
.course-strips b{flex:0 0 auto;font:12px/2.17 var(--jp-content-font-family,sans-serif);text-align:right;
 white-space:nowrap;
 color:var(--jp-content-font-color2,#5b6675)}
.course-strips p{margin:0;overflow-wrap:anywhere}
.course-strips span{padding:2px 1px;margin:0 1px;border-radius:3px;white-space:pre-wrap}
.course-strips span.new{outline:2px solid currentColor}
.course-strips i{font-style:normal;opacity:.55}
</style>"""


def readable(token: Token) -> str:
    r"""A token as text: spaces and line breaks as signs, and \xe6 for a byte that is no character by itself."""
    text = token if isinstance(token, str) else token.decode("utf-8", errors="backslashreplace")
    return text.replace(" ", "␣").replace("\n", "⏎").replace("\t", "⇥")


class Strips:
    """Rows of tokens; displays itself."""

    def __init__(self, rows: Mapping[str, Sequence[Token]], new: Token | None = None) -> None:
        self.rows = dict(rows)
        self.new = new

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {'|'.join(map(readable, row))}" for name, row in self.rows.items())

    def _repr_html_(self) -> str:
        width = max((len(name) for name in self.rows), default=0) * 0.6
        chips = {name: "".join(self._chip(i, token) for i, token in enumerate(row)) for name, row in self.rows.items()}
        head = f'<b style="width:{width:.1f}em">'
        rows = (f"<div>{f'{head}{escape(name)}</b>' if name else ''}<p>{row}</p></div>" for name, row in chips.items())
        return f'{STYLE}<div class="course-strips">{"".join(rows)}</div>'

    def _chip(self, i: int, token: Token) -> str:
        text = "".join(f"<i>{sign}</i>" if sign in "␣⏎⇥" else escape(sign) for sign in readable(token))
        mark = ' class="new"' if token == self.new else ""
        return f'<span{mark} style="background:{TINTS[i % len(TINTS)]}">{text}</span><wbr>'


def show_tokens(rows: Mapping[str, Sequence[Token]] | Sequence[Token]) -> Strips:
    """Show tokens side by side, each on a colour of its own.

    Args:
        rows: tokens, or several rows of them by name. Bytes that are no text are shown as \\xe6.
    """
    if isinstance(rows, Mapping):
        return Strips(rows)
    return Strips({f"{len(rows)} tokens": rows})


def token_bytes(ids: Sequence[int], merges: Sequence[Pair]) -> list[bytes]:
    """What each id stands for, without joining anything: bytes below 256, then the tokens of the merges."""
    table = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
    return [table[one] for one in ids]


class Names(CourseWidget):
    """Nothing to be seen: gives the fields of its box the names that screen readers say; `data` is selector → name."""

    entry = "names.js"

    @property
    def alt(self) -> str:
        """Nothing."""
        return ""


class TokenExplorer(VBox):
    """A text, a slider for the number of merges, and the tokens they make of it, by the learner's own function.

    Args:
        encode: `encode(text, merges)` gives ids.
        merges: the merges in the order in which they were learned.
        text: what to begin with.
    """

    def __init__(self, encode: Callable[[str, Sequence[Pair]], list[int]], merges: Sequence[Pair], text: str) -> None:
        self.encode, self.merges = encode, list(merges)
        wide = Layout(width="100%", max_width="760px")
        self.text = Textarea(text, rows=2, layout=wide)
        self.slider = IntSlider(0, 0, len(self.merges), description="merges", layout=wide)
        self.strip, self.words = HTML(), HTML()
        self.text.observe(self._draw, "value")
        self.slider.observe(self._draw, "value")
        names = Names(data={"[role=slider]": "number of merges", "textarea": "text"}, layout=Layout(display="none"))
        super().__init__([self.text, self.slider, self.words, self.strip, names])
        self._draw()

    def open(self) -> None:
        """Connect to the browser, except in a graded run, where nothing would answer."""
        if not graded():
            super().open()

    def tokens(self) -> list[bytes]:
        """The tokens of the text, with as many merges as the slider says."""
        merges = self.merges[: self.slider.value]
        return token_bytes(self.encode(self.text.value, merges), merges)

    def _draw(self, _: Any = None) -> None:
        last = self.merges[self.slider.value - 1] if self.slider.value else None
        try:
            tokens = self.tokens()
        except Exception as error:  # whatever the learner's function raises is said, and the notebook goes on
            self.words.value = f"<p>Your function raised {escape(type(error).__name__)}: {escape(str(error))}</p>"
            self.strip.value = ""
            return
        text = self.text.value
        found = f"{len(text)} characters, {len(text.encode())} bytes, <b>{len(tokens)} tokens</b>"
        if last:
            left, right, whole = (escape(readable(one)) for one in (*last, last[0] + last[1]))
            found += f". The last merge: <code>{left}</code> + <code>{right}</code> → <code>{whole}</code>"
        self.words.value = f"<p>{found}</p>"
        self.strip.value = Strips({"": tokens}, new=last and last[0] + last[1])._repr_html_()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        static = {
            "text/html": self.words.value + self.strip.value,
            "text/plain": self.strip.value and repr(self.tokens()),
        }
        return static if graded() else {**static, **(super()._repr_mimebundle_(**kwargs) or {})}
