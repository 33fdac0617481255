"""The text that lessons 14 to 16 read: sentences of docstrings, cleaned, split by themselves, kept in a cache."""

from __future__ import annotations

import re
import time
from importlib import metadata
from pathlib import Path

import pytest

from course import docstrings
from course.docstrings import LICENCES, PYTHON, fingerprint, is_held_out, read_prose, sentences_of


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))
    return tmp_path


NUMPY_STYLE = """Return the mean of the rows.

The mean is taken over the ``last`` axis, see `numpy.mean`. It is never
:class:`~numpy.nan`, e.g. for a row of zeros.

Parameters
----------
x : array_like
    The rows that are read. They may be
    of any length.

>>> mean([[1, 2]])
This line is what the example printed.
"""


def test_prose_is_kept_and_markup_is_not() -> None:
    assert list(sentences_of(NUMPY_STYLE)) == [
        "Return the mean of the rows.",
        "The mean is taken over the last axis, see numpy.mean.",
        "It is never numpy.nan, e.g. for a row of zeros.",
        "The rows that are read.",
        "They may be of any length.",
    ]


def test_a_description_of_an_argument_goes_on_in_the_next_line() -> None:
    lines = (
        "    eps (float): what is added to the variance",
        "        before the root.",
        "    x: the tokens that come in.",
    )
    assert list(sentences_of("\n".join(["Args:", *lines]))) == [
        "what is added to the variance before the root.",
        "the tokens that come in.",
    ]


@pytest.mark.parametrize(
    "docstring",
    [
        "An example of it::\n\n    This is code and no prose.\n    So is this second line.",
        "====== ======\nThis is a table.\n====== ======",
        r"It equals \frac{1}{2} of the whole sum.",
        "a short one.",
        "A heading without an end to it",
        "3 + 4 * 5 - 2 / 7 = x[1:3] ** 4.",
    ],
)
def test_what_is_no_prose_is_left_out(docstring: str) -> None:
    assert [one for one in sentences_of(docstring) if not one.startswith("An example")] == []


def test_capitals_numbers_and_signs_do_not_decide_the_side() -> None:
    assert fingerprint("Returns 3 rows, at most.") == fingerprint("returns 17 rows at most")
    assert fingerprint("Returns rows.") != fingerprint("Returns columns.")


def test_no_sentence_stands_on_both_sides_and_none_twice() -> None:
    prose = read_prose(["networkx"])
    known, held_out = (list(map(fingerprint, one)) for one in (prose.known, prose.held_out))
    assert len(known) > 3000 and not set(known) & set(held_out)
    assert len(set(known)) == len(known) and len(set(held_out)) == len(held_out)
    assert 0.04 < len(held_out) / len(known) < 0.1
    assert all(map(is_held_out, held_out)) and not any(map(is_held_out, known))


def test_the_second_time_reads_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_prose(["traitlets"])
    monkeypatch.setattr(docstrings, "package_sentences", lambda package: pytest.fail(f"{package} was read again"))
    began = time.process_time()
    assert read_prose(["traitlets"]) == first
    assert time.process_time() - began < 1
    assert first.versions == {"traitlets": metadata.version("traitlets")}


def test_a_cache_that_cannot_be_written_is_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "file"))
    assert read_prose(["traitlets"]).known


def test_what_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    real = docstrings.version_of
    monkeypatch.setattr(docstrings, "version_of", lambda name: None if name == "networkx" else real(name))
    assert list(read_prose(["networkx", "traitlets"]).versions) == ["traitlets"]
    with pytest.raises(ValueError, match="none of networkx is installed"):
        read_prose(["networkx"])
    with pytest.raises(ValueError, match=r"unknown packages \['scipy'\]"):
        read_prose(["scipy"])


@pytest.mark.parametrize("package", sorted(set(LICENCES) - {PYTHON}))
def test_the_licences_are_what_the_packages_say(package: str) -> None:
    found = metadata.metadata(package)
    classifiers = [one for one in found.get_all("Classifier", []) if one.startswith("License")]
    said = " ".join([found.get("License-Expression") or "", found.get("License") or "", *classifiers])
    family = re.split(r"[- ]", LICENCES[package])[0]
    assert {"PSF": "Python Software Foundation"}.get(family, family) in said
