"""What walks through the book sees a link that leads nowhere."""

from pathlib import Path

from tests.book.walk import dead_links


def test_files_and_places_that_are_not_there(tmp_path: Path) -> None:
    text = '<a href="b.html">1</a><a href="b.html#here">2</a><a href="#own">3</a><a href="https://x.org/y">4</a>'
    (tmp_path / "a.html").write_text(f'<p id="own">{text}<a href="c.html">5</a><a href="b.html#gone">6</a>')
    (tmp_path / "b.html").write_text('<p id="here">')
    assert list(dead_links(tmp_path)) == ["a.html: b.html#gone has no such place", "a.html: c.html is not there"]
