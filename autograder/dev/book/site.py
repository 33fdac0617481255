"""Puts the book together: pages, course map, and Sphinx, which makes a site of them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat

from autograder.dev.book.live import Widgets
from autograder.dev.book.pages import page
from autograder.dev.book.runs import run_of
from autograder.notebooks import files, lessons
from autograder.notebooks.problem import Problem

STATIC = Path(__file__).parent / "static"
TITLE = "Build a Transformer with your own hands"

NOTEBOOK = re.compile(r'href="(\d\d_\w+)\.ipynb"')

INDEX = """# {title}

You write every part of a Transformer in PyTorch yourself. A check tells you at every step whether it is right and,
when it is not, which mistake you made. These pages show all lessons with what a run gave. The exercises are blank here:
you do them in JupyterLab.

![A check that names the mistake](pictures/report.png)

## Open it

You need Python 3.11 to 3.14, about 2 GB of disk, and no GPU. In a copy of the repository, type `make lab`. The README
has the commands for Windows and conda.

{in_colab}## Course map

| | lesson | minutes |
| --- | --- | --- |
{rows}

```{{toctree}}
:hidden:
:caption: Lessons

{stems}
```

```{{toctree}}
:hidden:
:caption: About

widgets
```
"""

IN_COLAB = """### In Colab

Each page has a link that opens its lesson there. Put a new cell in front of all others and run it:

```
!git clone -q --depth 1 https://github.com/{repository} transformer-course
%run transformer-course/autograder/setup/colab.py
```

It adds some ten small packages, and replaces neither torch nor anything else of Colab's. All lessons were run
with Colab's kernel (ipykernel 6.17, IPython 7.34), their trainings cut short, and not in Colab itself.

"""

WIDGETS = """# The widgets of these pages

A widget is drawn in your browser, from numbers that a run has kept. Some ask Python whenever a control is moved. Of
those, a page keeps the answers to some settings, and shows the nearest. Where only Python can answer, a line below the
widget says so.

| page | widget | without Python |
| --- | --- | --- |
{rows}
"""


@dataclass(frozen=True)
class WebBook:
    """What is built, and where.

    Attributes:
        stems: the lessons, in order.
        folder: gets `runs`, `source` and `site`.
        repository: OWNER/NAME on GitHub, for links to Binder and Colab; empty where it has no address yet.
        quick: three steps of each training.
    """

    stems: Sequence[str]
    folder: Path
    repository: str = ""
    quick: bool = False

    @property
    def site(self) -> Path:
        """Where the finished pages are."""
        return self.folder / "site"


def make(book: WebBook) -> list[str]:
    """Build the book.

    Returns:
        What Sphinx complained of.

    Raises:
        Problem: if a notebook fails, or Sphinx is not installed.
    """
    source = book.folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(STATIC, source / "_static")
    course = files.ROOT / "course"
    shutil.copy(course / "widgets" / "widgets.css", source / "_static")
    shutil.copytree(course / "pictures", source / "pictures")
    widgets = Widgets(source / "_static")
    for number, stem in enumerate(book.stems):
        print(f"{stem} ...", flush=True)
        kept = run_of(stem, book.folder / "runs", quick=book.quick)
        made = page(stem, kept, widgets, _bar(book, number), book.stems)
        nbformat.write(made, source / f"{stem}.ipynb")
    (source / "index.md").write_text(_index(book), encoding="utf-8")
    (source / "widgets.md").write_text(_widgets(widgets), encoding="utf-8")
    return _sphinx(book, source)


def _bar(book: WebBook, number: int) -> str:
    """How to open a lesson, and what comes next."""
    stem = book.stems[number]
    where = f"course/{stem}.ipynb"
    ways = [f"Write it yourself: open `{where}` in JupyterLab ([how](index.md#open-it))"]
    if book.repository:
        binder = f"https://mybinder.org/v2/gh/{book.repository}/HEAD?urlpath=lab/tree/{where}"
        colab = f"https://colab.research.google.com/github/{book.repository}/blob/HEAD/{where}"
        ways += [f"[Binder]({binder})", f"[Colab]({colab}) ([first cell](index.md#in-colab))"]
    if number + 1 < len(book.stems):
        ways.append(f"[next lesson]({book.stems[number + 1]}.ipynb)")
    note = "Outputs are those of a run in which every exercise was done."
    return f"{' · '.join(ways)}. {note}"


def _index(book: WebBook) -> str:
    rows = "\n".join(f"| {stem[:2]} | [{_title(stem)}]({stem}.ipynb) | {_minutes(stem)} |" for stem in book.stems)
    in_colab = IN_COLAB.format(repository=book.repository) if book.repository else ""
    return INDEX.format(title=TITLE, in_colab=in_colab, rows=rows, stems="\n".join(book.stems))


def _title(stem: str) -> str:
    first = next(line for line in lessons.source_text(stem).splitlines() if line.startswith("# "))
    return first.removeprefix("# ").partition(" · ")[2] or first.removeprefix("# ")


def _minutes(stem: str) -> str:
    found = re.search(r"(\d+) minutes", lessons.source_text(stem))
    return found[1] if found else ""


def _widgets(widgets: Widgets) -> str:
    rows = [
        f"| [{stem}]({stem}.ipynb) | {name} | {f'partly: {_named(needs)}' if needs else 'live'} |"
        for stem, name, needs in widgets.table
    ]
    return WIDGETS.format(rows="\n".join(rows))


def _named(controls: Sequence[str]) -> str:
    return f"{', '.join(f'`{one}`' for one in controls)} {'needs' if len(controls) == 1 else 'need'} Python"


def _lead_to_pages(book: WebBook) -> None:
    """Let links in what a run gave, such as the course map, lead to pages of the book, or nowhere."""
    for path in book.site.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        new = NOTEBOOK.sub(lambda link: f'href="{link[1]}.html"' if link[1] in book.stems else "", text)
        if new != text:
            path.write_text(new, encoding="utf-8")


def _sphinx(book: WebBook, source: Path) -> list[str]:
    try:
        from sphinx.application import Sphinx
    except ImportError:
        raise Problem("the book needs Sphinx: `make book` installs it") from None
    complaints = book.folder / "complaints.txt"
    settings = {
        "project": TITLE,
        "author": "the course's authors",
        "html_title": "Transformer course",
        "extensions": ["myst_nb", "autograder.dev.book.extension"],
        "html_theme": "sphinx_book_theme",
        "html_theme_options": {
            "use_download_button": False,
            "use_fullscreen_button": False,
            "show_toc_level": 2,
            "navbar_persistent": [],
        },
        "html_context": {"default_mode": "auto"},
        "html_static_path": ["_static"],
        "html_math_renderer": "mathml",
        "nb_execution_mode": "off",
        "nb_merge_streams": True,
        "nb_render_markdown_format": "myst",  # the default knows no tables
        "myst_enable_extensions": ["dollarmath", "amsmath"],
        "myst_heading_anchors": 3,
        "suppress_warnings": ["mystnb.unknown_mime_type"],
        "html_show_copyright": False,
        "html_copy_source": False,
        "html_show_sourcelink": False,
    }
    shutil.rmtree(book.site, ignore_errors=True)
    with complaints.open("w", encoding="utf-8") as file:
        app = Sphinx(str(source), None, str(book.site), str(book.folder / "doctrees"), "html",
                     confoverrides=settings, status=None, warning=file, freshenv=True)  # fmt: skip
        app.build()
    _lead_to_pages(book)
    return [line for line in complaints.read_text(encoding="utf-8").splitlines() if line.strip()]
