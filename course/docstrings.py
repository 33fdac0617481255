"""English that is on your disk already: the prose of the docstrings of the packages that the course needs.

Files are read with `ast` and never imported. What a package gives is kept in the user's cache, so that only
the first time takes long. Nothing of it is part of the course: each installation reads its own.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import inspect
import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import platformdirs
from tqdm.auto import tqdm

PYTHON = "python"
"""The name that the standard library has among the packages."""

LICENCES = {
    "numpy": "BSD-3-Clause",
    "networkx": "BSD-3-Clause",
    "matplotlib": "PSF-based",
    PYTHON: "PSF",
    "torch": "BSD-3-Clause",
    "sympy": "BSD-3-Clause",
    "sqlalchemy": "MIT",
    "mpmath": "BSD-3-Clause",
    "alembic": "MIT",
    "pillow": "MIT-CMU",
    "fonttools": "MIT",
    "pytest": "MIT",
    "ipython": "BSD-3-Clause",
    "traitlets": "BSD-3-Clause",
    "ipywidgets": "BSD-3-Clause",
    "jupyter_core": "BSD-3-Clause",
    "jupyter_client": "BSD-3-Clause",
    "jupyter_server": "BSD-3-Clause",
    "jupyterlab": "BSD-3-Clause",
    "nbgrader": "BSD-3-Clause",
    "nbconvert": "BSD-3-Clause",
    "tornado": "Apache-2.0",
    "babel": "BSD-3-Clause",
    "pygments": "BSD-2-Clause",
    "jinja2": "BSD-3-Clause",
    "prompt_toolkit": "BSD-3-Clause",
    "fsspec": "BSD-3-Clause",
    "click": "BSD-3-Clause",
    "setuptools": "MIT",
    "beautifulsoup4": "MIT",
    "debugpy": "MIT",
    "urllib3": "MIT",
    "jedi": "MIT",
    "huggingface_hub": "Apache-2.0",
}
"""Every package that is read, and the licence of its own code; a test holds it to what the packages say of themselves.

All of these licences let a text be read, counted and learned from. No sentence is copied into the course.
"""

SLICE = ("networkx",)
"""What a notebook reads: one second instead of half a minute. torch needs it, so that it is always there."""

HELD_OUT = 16
"""One sentence in so many is held out."""

VERSION_OF_THE_RULES = 1
"""Raise it when other sentences come out: what is cached is then read again, and shipped weights say so."""

SKIPPED = {"tests", "test", "testing", "_vendor", "vendored", "idlelib", "lib2to3", "site-packages", "__pycache__"}


@dataclass(frozen=True)
class Prose:
    """Sentences in the order in which they stand in the packages, each once.

    Attributes:
        known: what models may learn from.
        held_out: what they are measured on.
        versions: package → version, of those that were found.
    """

    known: list[str]
    held_out: list[str]
    versions: dict[str, str]


def read_prose(packages: Sequence[str] = SLICE) -> Prose:
    """Read the docstrings of some packages, with a progress bar where they are read for the first time.

    Args:
        packages: names in LICENCES. What is not installed is left out.

    Raises:
        ValueError: if a package is none of LICENCES, or none of them is installed.
    """
    versions = installed(packages)
    sides: dict[bool, list[str]] = {False: [], True: []}
    for sentence, held_out in _each_once(versions):
        sides[held_out].append(sentence)
    return Prose(sides[False], sides[True], versions)


def read_in_order(packages: Sequence[str] = SLICE) -> list[tuple[str, bool]]:
    """The same sentences as one list, as they follow each other in the packages, and which are held out.

    Args:
        packages: names in LICENCES.

    Raises:
        ValueError: as `read_prose`.
    """
    return list(_each_once(installed(packages)))


def packages_in_order(packages: Sequence[str] = SLICE) -> list[str]:
    """Of which package each sentence of `read_in_order` is.

    Args:
        packages: names in LICENCES.

    Raises:
        ValueError: as `read_prose`.
    """
    return [name for name, _ in _each_at_home(installed(packages))]


def installed(packages: Sequence[str]) -> dict[str, str]:
    """Package → version, of those that can be read here.

    Args:
        packages: names in LICENCES.

    Raises:
        ValueError: as `read_prose`.
    """
    unknown = set(packages) - set(LICENCES)
    if unknown:
        raise ValueError(f"unknown packages {sorted(unknown)}; give some of {', '.join(LICENCES)}")
    versions = {name: found for name in packages if (found := version_of(name))}
    if not versions:
        raise ValueError(f"none of {', '.join(packages)} is installed")
    return versions


def _each_once(versions: dict[str, str]) -> Iterator[tuple[str, bool]]:
    return ((sentence, is_held_out(fingerprint(sentence))) for _, sentence in _each_at_home(versions))


def _each_at_home(versions: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The package that a sentence is met in first, and the sentence."""
    seen: set[bytes] = set()
    for name, version in versions.items():
        for sentence in _kept_sentences(name, version):
            key = fingerprint(sentence)
            if key not in seen:
                seen.add(key)
                yield name, sentence


def fingerprint(sentence: str) -> bytes:
    """The same 8 bytes for sentences that differ in nothing but capitals, numbers and signs."""
    letters = re.sub(r"[^a-z]+", " ", sentence.lower()).strip()
    return hashlib.blake2b(letters.encode(), digest_size=8).digest()


def is_held_out(key: bytes) -> bool:
    """Whether the sentence of this fingerprint is held out: it decides by itself, whatever else is installed."""
    return key[0] % HELD_OUT == 0


def version_of(package: str) -> str | None:
    """The version that is installed here, or None."""
    if package == PYTHON:
        return ".".join(map(str, sys.version_info[:3]))
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _kept_sentences(package: str, version: str) -> list[str]:
    """A package's sentences, from the cache or read anew."""
    place = _cache_folder() / f"{package}-{version}-{VERSION_OF_THE_RULES}.txt"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return place.read_text(encoding="utf-8").splitlines()
    sentences = list(package_sentences(package))
    with contextlib.suppress(OSError):  # a disk that is full or may not be written on: read again next time
        place.parent.mkdir(parents=True, exist_ok=True)
        half = place.with_suffix(f".{os.getpid()}")
        half.write_text("\n".join(sentences), encoding="utf-8")
        half.replace(place)
    return sentences


def _cache_folder() -> Path:
    told = os.environ.get("COURSE_CACHE")
    return Path(told or platformdirs.user_cache_dir("transformer-course")) / "docstrings"


def package_sentences(package: str) -> Iterator[str]:
    """The prose sentences of one package, file by file."""
    files = list(python_files(package))
    for path in tqdm(files, desc=f"reading {package}", unit="file", leave=False, delay=2):
        for docstring in docstrings(path):
            yield from sentences_of(docstring)


def python_files(package: str) -> Iterator[Path]:
    """The files of an installed package, in order, without its tests and what it brings of others."""
    if package == PYTHON:
        root = Path(sysconfig.get_paths()["stdlib"])
        found: Iterable[Path] = root.rglob("*.py")
    else:
        root = Path(str(metadata.distribution(package).locate_file("")))
        listed = metadata.files(package) or []
        found = (root / one for one in listed if one.suffix == ".py")
    for path in sorted(found):
        if not SKIPPED & set(path.relative_to(root).parts) and path.is_file():
            yield path


def docstrings(path: Path) -> Iterator[str]:
    """The docstrings of a file: its own, its classes' and its functions'."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in _definitions(tree):
        docstring = ast.get_docstring(node, clean=False)
        if docstring and docstring.isascii():
            yield inspect.cleandoc(docstring)


def _definitions(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """A module, and what is defined in it and in its classes. Functions within functions have hardly any docstrings."""
    yield node
    if isinstance(node, ast.Module | ast.ClassDef):
        for inner in node.body:
            if isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _definitions(inner)


FIELD = re.compile(r"(?:[-*] |:?(?:param|arg|raises|keyword)[^:]*: |:returns?: |\*{0,2}\w+(?: \([^)]*\))?: )\s*")
"""How a line begins that describes an argument, or an item of a list."""

MARKUP = (
    (re.compile(r":[\w:.]+:`(?:[^`<]*<)?[~!.]?([^`>]*)>?`"), r"\1"),  # :class:`~a.b` and :ref:`text <target>`
    (re.compile(r"``([^`]*)``|`([^`<]*?)(?: ?<[^`]*>)?`_{0,2}"), r"\1\2"),  # ``x``, `x`, `text <address>`_
    (re.compile(r"\*\*([^*]+)\*\*|(?<!\w)\*([^*\s][^*]*)\*(?!\w)"), r"\1\2"),  # **x** and *x*
    (re.compile(r"\s+"), " "),
)
END = re.compile(r"(?<=[.!?:]) (?=[A-Z(\"'])")
ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|cf|etc|vs|al|Fig|Eq|Ref|No)|\b[A-Z])\.$")
FEWEST_WORDS, MOST_CHARACTERS, FEWEST_LETTERS = 4, 400, 0.75


def sentences_of(docstring: str) -> Iterator[str]:
    """The prose sentences of a docstring without their markup; not its code, tables, formulas and headings."""
    for block in blocks(docstring):
        text = block
        for pattern, kept in MARKUP:
            text = pattern.sub(kept, text)
        yield from filter(is_prose, cut(text))


def blocks(docstring: str) -> Iterator[str]:
    """Runs of lines that belong together: equally indented, or an argument and the lines of its description."""
    block: list[str] = []
    indent, of_field, code = 0, False, None
    for line in [*docstring.splitlines(), ""]:
        text = line.strip()
        depth = len(line) - len(line.lstrip())
        if code is not None and text and depth <= code:
            code = None
        field = FIELD.match(text)
        continues = block and text and not field and (depth == indent or (of_field and depth > indent))
        if not continues and block:
            whole = " ".join(block)
            block = []
            if not whole.startswith((">>>", "..", "|", "+", "=")):
                yield whole
            if whole.endswith("::"):
                code = indent
        if not text or code is not None:
            continue
        if not block:
            indent, of_field = depth, bool(field)
            text = text[field.end() :] if field else text
        block.append(text)


def cut(text: str) -> Iterator[str]:
    """A paragraph, sentence by sentence."""
    kept = ""
    for part in END.split(text.strip()):
        kept = f"{kept} {part}" if kept else part
        if not ABBREVIATED.search(kept):
            yield kept
            kept = ""
    if kept:
        yield kept


def is_prose(sentence: str) -> bool:
    if not sentence.endswith((".", "!", "?", ":")) or len(sentence) > MOST_CHARACTERS:
        return False
    if sentence.count(" ") + 1 < FEWEST_WORDS or any(sign in sentence for sign in ("\\", "`", ">>>", "__", "::", "|")):
        return False
    letters = sum(one.isalpha() or one == " " for one in sentence)
    return letters >= FEWEST_LETTERS * len(sentence) and sentence[0].isalnum()
