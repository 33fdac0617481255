"""The command `autograder`."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import autograder
from autograder import homes
from autograder.learner.choices import QUESTIONS, STRETCHES
from autograder.notebooks.problem import Problem
from autograder.setup.quick_start import leave_out_the_grammar_of_addresses

# Every command imports what it needs when it runs: `doctor` must work where torch is missing.


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: what stands behind `autograder`; by default the process's own.

    Returns:
        The exit code: 0 when all is well, 1 when the command's answer is no, 2 for a mistake in how
        it was called.
    """
    leave_out_the_grammar_of_addresses()
    options = parser().parse_args(arguments)
    homes.use(homes.here())
    try:
        return int(options.run(options))
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    except Problem as error:  # anything else is a fault of ours, and has its trace
        print(f"autograder: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        if not _is_gone(sys.stdout):
            raise
        return 1


def begin(arguments: Sequence[str] | None = None) -> int:
    """The command `transformer-course`: a learner's own folder, and JupyterLab on it.

    Args:
        arguments: what stands behind it; by default the process's own.

    Returns:
        The exit code, as of `main`.
    """
    top = argparse.ArgumentParser(prog="transformer-course", description="Build a Transformer with your own hands.")
    top.add_argument("folder", nargs="?", type=Path, default=Path("transformer-course"), help="%(default)s, by default")
    top.add_argument("--no-lab", action="store_true", help="make the folder, and open nothing")
    options = top.parse_args(arguments)
    from autograder.notebooks import begin as beginning

    try:
        return beginning.begin(options.folder.resolve(), lab=not options.no_lab)
    except Problem as error:
        print(f"transformer-course: {error}", file=sys.stderr)
        return 2


def _is_gone(out: TextIO) -> bool:
    """Whether nobody reads any more what is printed, as behind `| head`; then it goes nowhere."""
    try:
        os.write(out.fileno(), b"\n")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        return True
    return False


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser(prog="autograder", description=__doc__)
    top.add_argument("--version", action="version", version=f"autograder {autograder.__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _add_learners(commands)
    _add_authors(commands)
    if importlib.util.find_spec("autograder.classroom"):  # students have it not
        _add_classroom(commands)
    if importlib.util.find_spec("autograder.dev") and importlib.util.find_spec("solutions"):
        _add_dev(commands)
    return top


Commands = argparse._SubParsersAction  # argparse has no public name for it

LESSON = "1, 01, layer_norm, 01_layer_norm or a path"


def _add_learners(commands: Commands) -> None:
    one = commands.add_parser("doctor", help="look whether everything is installed")
    one.set_defaults(run=_doctor)

    one = commands.add_parser("check", help="check a notebook or .py file and print the reports")
    one.add_argument("files", nargs="+", metavar="FILE")
    one.add_argument("--json", action="store_true", help="print what the checks know, for a program to read")
    one.set_defaults(run=_check)

    one = commands.add_parser("dispute", help="write down that a check is wrong, to hand in or to report")
    one.add_argument("exercise", nargs="?", default="", metavar="EXERCISE", help="its name, such as LayerNorm")
    one.add_argument("notebook", nargs="?", default="", metavar="NOTEBOOK", help="by default the lesson's own, here")
    one.add_argument("--says", default="", metavar="TEXT", help="what is wrong with the check")
    if importlib.util.find_spec("autograder.classroom"):
        one.add_argument(
            "--replay", default="", metavar="FILE", help="run what somebody disputes again, in the sandbox"
        )
        one.add_argument("--trust", action="store_true", help="... or without, with your own rights")
    one.set_defaults(run=_dispute, replay="", trust=False)

    one = commands.add_parser("certificate", help="write a page of what you have built, or say what of one holds")
    one.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="with --verify: the holder's notebooks")
    one.add_argument("--name", default="", metavar="NAME", help="whose it is")
    one.add_argument("--out", default="certificate.html", metavar="FILE", help="the page to write (%(default)s)")
    one.add_argument("--graded", default="", metavar="FILE", help="your points, as your instructor has signed them")
    one.add_argument("--no-pdf", action="store_true", help="only the page")
    one.add_argument(
        "--verify", default="", metavar="FILE", help="run the checks again, and say line by line what holds"
    )
    one.add_argument("--trust", action="store_true", help="... without a sandbox, with your own rights")
    one.set_defaults(run=_certificate)

    one = commands.add_parser("export", help="make your library a small package of its own, with tests and pictures")
    one.add_argument("folder", metavar="DIR", help="the folder to make")
    one.add_argument("--name", default="", metavar="NAME", help="who wrote it")
    one.set_defaults(run=_export)

    one = commands.add_parser("review", help="get three exercises blank again, in a notebook of their own")
    one.set_defaults(run=_review)

    one = commands.add_parser("reset", help="bring the blank of an exercise or a lesson back")
    one.add_argument("lesson", metavar="LESSON", help=LESSON)
    one.add_argument("exercise", nargs="?", metavar="EXERCISE", help="only this one")
    one.set_defaults(run=_reset)

    one = commands.add_parser("update", help="take a new version of the course, keep your answers")
    one.add_argument("--no-pull", action="store_true", help="do not ask git for a new version")
    one.set_defaults(run=_update)


def _add_authors(commands: Commands) -> None:
    one = commands.add_parser("build", help="build the notebooks from their lessons")
    one.add_argument("lessons", nargs="*", metavar="LESSON", help=f"{LESSON}; none means all")
    one.add_argument("--check", action="store_true", help="write nothing, only say what differs")
    one.add_argument("--force", action="store_true", help="replace touched ones, after a backup")
    one.set_defaults(run=_build)


def _add_classroom(commands: Commands) -> None:
    one = commands.add_parser("grade", help="grade notebooks in a sandbox")
    one.add_argument("files", nargs="+", metavar="FILE")
    one.add_argument("--lesson", default="", metavar="LESSON", help=f"of all files; {LESSON}")
    one.add_argument(
        "--jobs", type=int, default=0, metavar="N", help="notebooks at a time; by default one per processor"
    )
    one.add_argument("--json", default="", metavar="OUT", help="write the grades as JSON; - for stdout")
    one.add_argument("--junit", default="", metavar="OUT", help="write the grades as JUnit XML; - for stdout")
    one.add_argument("--gradescope", default="", metavar="OUT", help="write one grade as Gradescope's results.json")
    one.add_argument("--fresh", action="store_true", help="grade again what was graded before")
    one.add_argument(
        "--scheduler", default="", metavar="ADDRESS", help="grade on a Dask cluster, such as tcp://host:8786"
    )
    one.add_argument("--no-sandbox", action="store_true", help="run the notebooks' code without isolation")
    one.set_defaults(run=_grade)

    room = commands.add_parser("classroom", help="make an nbgrader course")
    actions = room.add_subparsers(required=True, metavar="ACTION")
    one = actions.add_parser("init", help="make the course's folder")
    one.add_argument("folder", metavar="DIR")
    one.add_argument("lessons", nargs="*", metavar="LESSON", help=f"{LESSON}; none means all")
    one.add_argument("--stretches", default="", choices=STRETCHES, help="as other exercises, on top, or not handed out")
    one.add_argument("--questions", default="", choices=QUESTIONS, help="graded by you, a point for answering, or none")
    one.add_argument("--choices", default="", metavar="FILE", help="what another course has in its choices.toml")
    one.add_argument("--with", action="append", default=[], dest="own", metavar="FOLDER", help="lessons of your own")
    one.add_argument("--demo", action="store_true", help="a class to look at: five made-up hand-ins, graded")
    one.set_defaults(run=_classroom_init)
    one = actions.add_parser("update", help="take cells that came or went in source/ into a gradebook with points")
    one.add_argument("lesson", metavar="LESSON", help=LESSON)
    one.set_defaults(run=_classroom_update)
    one = actions.add_parser("students", help="take a list of students into the gradebook, or say what is wrong in it")
    one.add_argument("listing", metavar="CSV")
    one.set_defaults(run=_classroom_students)
    one = actions.add_parser("package", help="make what students install: checks without the reference")
    one.add_argument("lessons", nargs="+", metavar="LESSON", help=LESSON)
    one.add_argument("--out", default="student_package", metavar="DIR", help="the folder to make (%(default)s)")
    one.set_defaults(run=_classroom_package)
    one = actions.add_parser("solutions", help="release a lesson's solutions and model answers, after its deadline")
    one.add_argument("lessons", nargs="+", metavar="LESSON", help=LESSON)
    one.add_argument("--early", action="store_true", help="before its deadline, too")
    one.set_defaults(run=_classroom_solutions)
    one = actions.add_parser("sign", help="write each student's points, signed, for their certificate")
    one.add_argument("students", nargs="*", metavar="STUDENT", help="by default all who have points")
    one.set_defaults(run=_classroom_sign)
    one = actions.add_parser("alike", help="list pairs of hand-ins to look at side by side")
    one.add_argument("lesson", metavar="LESSON", help=LESSON)
    one.set_defaults(run=_classroom_alike)


def _add_dev(commands: Commands) -> None:
    dev = commands.add_parser("dev", help="write lessons: try their checks, lay out new ones")
    actions = dev.add_subparsers(required=True, metavar="ACTION")
    jobs = {"type": int, "default": 2, "metavar": "N", "help": "processes (%(default)s)"}
    own = {"dest": "folder", "default": "", "metavar": "FOLDER", "help": "a folder with lessons of your own"}

    one = actions.add_parser("check", help="try every check on all that it has to tell apart")
    one.add_argument("lessons", nargs="*", metavar="LESSON", help=f"{LESSON}, or an exercise; none means all")
    one.add_argument("--jobs", **jobs)
    one.add_argument("--in", **own)
    one.set_defaults(run=_dev_check)

    one = actions.add_parser("answers", help="make the stored answers of lessons that have changed")
    one.add_argument("lessons", nargs="*", metavar="LESSON", help=f"{LESSON}; none means all")
    one.add_argument("--jobs", **jobs)
    one.add_argument("--force", action="store_true", help="make those that are fresh, too")
    one.add_argument("--in", **own)
    one.set_defaults(run=_dev_answers)

    one = actions.add_parser("new", help="lay out a new exercise, or a new lesson")
    one.add_argument("lesson", metavar="LESSON", help=f"{LESSON}; a new one as gpt or 14_gpt")
    one.add_argument("exercise", nargs="?", default="", metavar="EXERCISE", help="its name, as a learner will write it")
    one.add_argument("--module", action="store_true", help="the exercise is a class, an nn.Module")
    one.add_argument("--in", **own)
    one.set_defaults(run=_dev_new)

    one = actions.add_parser("book", help="make a web site of the lessons, with what a run of each gives")
    one.add_argument("lessons", nargs="*", metavar="LESSON", help=f"{LESSON}; none means all")
    one.add_argument("--to", type=Path, default=Path(".book"), metavar="DIR", help="%(default)s")
    one.add_argument("--repository", default="", metavar="OWNER/NAME", help="on GitHub: links to Binder and Colab")
    one.add_argument("--quick", action="store_true", help="three steps of each training")
    one.set_defaults(run=_dev_book)


def _doctor(_: argparse.Namespace) -> int:
    from importlib.util import find_spec

    from autograder.setup import doctor

    code = doctor.main()
    if code == 0 and find_spec("autograder.sandbox") is not None:  # what students install holds none
        from autograder.sandbox import walls

        print("\n".join(walls.told()))
    return code


def _check(options: argparse.Namespace) -> int:
    from autograder.notebooks.check_files import check_files

    return check_files(options.files, as_json=options.json)


def _dispute(options: argparse.Namespace) -> int:
    if options.replay:
        from autograder.classroom.grading.replay import replay

        return replay(options.replay, trust=options.trust)
    from autograder.notebooks.dispute import dispute

    if not options.exercise:
        raise Problem("Say whose check is wrong, as in: autograder dispute LayerNorm")
    return dispute(options.exercise, options.notebook, options.says)


def _certificate(options: argparse.Namespace) -> int:
    if options.verify:
        return _verify(options)
    from autograder.showing.making import make

    if options.notebooks:
        raise Problem("Notebooks are for --verify FILE: a certificate is made of what has passed its checks.")
    return make(options.out, options.name, options.graded, pdf=not options.no_pdf)


def _verify(options: argparse.Namespace) -> int:
    from autograder.showing.verifying import run_trusting, verify

    if options.trust:
        return verify(options.verify, options.notebooks, run_trusting)
    if not importlib.util.find_spec("autograder.classroom"):
        raise Problem("These notebooks' code would run with your own rights. If you trust it, add --trust.")
    from autograder.classroom.grading.again import refuse_without_sandbox, run_in_sandbox

    refuse_without_sandbox()
    return verify(options.verify, options.notebooks, run_in_sandbox)


def _export(options: argparse.Namespace) -> int:
    from autograder.showing.exporting import export

    return export(options.folder, options.name)


def _review(_: argparse.Namespace) -> int:
    from autograder.showing.reviewing import review

    return review()


def _reset(options: argparse.Namespace) -> int:
    from autograder.notebooks.reset import reset

    return reset(options.lesson, options.exercise)


def _update(options: argparse.Namespace) -> int:
    from autograder.notebooks.update import update

    return update(pull=not options.no_pull)


def _build(options: argparse.Namespace) -> int:
    from autograder.notebooks import publish

    if options.check:
        return publish.report_drift(options.lessons)
    return publish.publish(options.lessons, force=options.force)


def _grade(options: argparse.Namespace) -> int:
    from autograder.classroom.grade import grade_files
    from autograder.classroom.grading.batch import Options

    how = Options(
        lesson=options.lesson,
        jobs=options.jobs,
        sandbox=not options.no_sandbox,
        scheduler=options.scheduler,
        fresh=options.fresh,
        json=options.json,
        junit=options.junit,
        gradescope=options.gradescope,
    )
    return grade_files(options.files, how)


def _classroom_init(options: argparse.Namespace) -> int:
    from autograder.classroom.course.choosing import choose
    from autograder.classroom.course.init import init
    from autograder.classroom.course.taken_in import taken_in
    from autograder.notebooks import files

    files.refuse_if_taken(Path(options.folder))  # before anything is asked
    if options.demo:
        from autograder.classroom.course.demo import demo

        return demo(options.folder)
    said = {"file": options.choices, "stretches": options.stretches, "questions": options.questions}
    with taken_in(options.own) as own:
        return init(options.folder, chosen=choose(options.lessons, **said), own=own)


def _classroom_update(options: argparse.Namespace) -> int:
    from autograder.classroom.course.take_over import take_over

    return take_over(options.lesson)


def _classroom_students(options: argparse.Namespace) -> int:
    from autograder.classroom.course.roll import enroll

    return enroll(options.listing)


def _classroom_package(options: argparse.Namespace) -> int:
    from autograder.classroom.edition.package import package

    return package(options.lessons, options.out)


def _classroom_solutions(options: argparse.Namespace) -> int:
    from autograder.classroom.edition.solutions import release

    return release(Path(), options.lessons, early=options.early)


def _classroom_sign(options: argparse.Namespace) -> int:
    from autograder.classroom.course.signing import sign_grades

    return sign_grades(Path(), options.students)


def _classroom_alike(options: argparse.Namespace) -> int:
    from autograder.classroom.course.alike import tell_alike

    return tell_alike(Path(), options.lesson)


def _dev_check(options: argparse.Namespace) -> int:
    from autograder.dev.verify import verify

    _use(options.folder)
    return verify(options.lessons, options.jobs)


def _dev_answers(options: argparse.Namespace) -> int:
    from autograder.dev.renew import renew

    _use(options.folder)
    return renew(options.lessons, options.jobs, force=options.force)


def _dev_book(options: argparse.Namespace) -> int:
    from autograder.dev.book.site import WebBook, make
    from autograder.notebooks import lessons

    stems = [lessons.stem_of(one) for one in options.lessons] or lessons.source_stems()
    book = WebBook(stems, options.to.resolve(), options.repository, options.quick)
    complaints = make(book)
    print(*complaints, f"The book is in {book.site}: open index.html over http, such as with", sep="\n")
    print(f"  {sys.executable} -m http.server --directory {book.site}")
    return 1 if complaints else 0


def _dev_new(options: argparse.Namespace) -> int:
    from autograder.dev.lay_out import lay_out

    root = Path(options.folder) if options.folder else None
    return lay_out(options.lesson, options.exercise, module=options.module, root=root)


def _use(folder: str) -> None:
    """Let the lessons of a folder be part of the course, where one is named."""
    if folder and not Path(folder).is_dir():
        raise Problem(f"There is no folder {folder}.")
    homes.use(Path(folder) if folder else homes.here())
