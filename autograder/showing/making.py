"""`autograder certificate`: writes the page, and says what it holds."""

from __future__ import annotations

from pathlib import Path

from autograder.notebooks import files
from autograder.notebooks.problem import Problem
from autograder.showing.certificate import gather
from autograder.showing.certificate_page import page, print_pdf, total
from autograder.showing.signed import read_signed

SUFFIX = ".html"


def make(out: str, holder: str = "", graded: str = "", *, pdf: bool = True) -> int:
    """Write a certificate of what the learner's library and record say.

    Args:
        out: the file to write.
        holder: a name.
        graded: a file that an instructor has signed; "" for none.
        pdf: print it, too, where that can be done.

    Raises:
        Problem: when nothing has passed yet, or a file cannot be read or written.
    """
    target = Path(out)
    if target.suffix.lower() != SUFFIX:
        raise Problem(f"{out} is no name for a page: give one that ends in {SUFFIX}.")
    certificate = gather(holder, read_signed(Path(graded)) if graded else None)
    files.write_text(target, page(certificate))
    points, of = total(certificate.earned)
    print(f"{target}: {points:g} of {of:g} points, {len(certificate.milestones)} milestones. Code {certificate.code}.")
    print(f"Anybody who has your notebooks can check it: autograder certificate --verify {target} *.ipynb")
    if pdf:
        printed = target.with_suffix(".pdf")
        why = print_pdf(target, printed)
        print(why or f"{printed}: the same, printed.")
    return 0
