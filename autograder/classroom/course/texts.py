"""The files of a new course, as templates: `$name` is filled in."""

# ruff: noqa: E501

CONFIG = '''\
"""nbgrader's configuration. nbgrader runs this file many times, so it only sets values."""

from importlib.util import find_spec
from pathlib import Path

c = get_config()  # nbgrader puts it here

# The course is where this file is, from whichever folder nbgrader is started.
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.CourseDirectory.course_id = "$course_id"

# Seconds that a cell may take. The first imports torch; training is cut short when graded.
c.Execute.timeout = 120
c.Execute.iopub_timeout = 30

# With saved widget state, feedback would load widgets from the network and show nothing without it.
c.Execute.store_widget_state = False

# nbgrader's own steps, and that of saving points knows besides what a bonus is and a question that need only be answered.
c.Autograde.autograde_preprocessors = [
    "nbgrader.preprocessors.Execute",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "autograder.classroom.scores.SaveScores",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# What cannot be graded is said in one message, before it is released.
c.GenerateAssignment.preprocessors.prepend(["autograder.classroom.releasing.LookFirst"])

# Feedback opens with a table of what was graded, and needs no network. Without this line it is nbgrader's own page.
c.GenerateFeedback.exporter_class = "autograder.classroom.feedback.feedback_page.FeedbackPage"

# In the formgrader, our answer and three samples stand below each answer to a question. Students never get them.
if find_spec("autograder"):
    c.HTMLExporter.preprocessors = ["autograder.classroom.samples.in_formgrader.BelowAnswers"]

# `nbgrader zip_collect` reads of a file's name whose it is: as Canvas has it, by a number, and as Moodle has it, by the
# student's full name, which is looked up in the gradebook.
c.ZipCollectApp.collector_plugin = "autograder.classroom.collecting.Downloads"
c.FileNameCollectorPlugin.named_regexp = (
    r"$pattern"
)
c.FileNameCollectorPlugin.valid_ext = [".ipynb", ".json"]  # JSON is what `autograder dispute` writes

# `nbgrader release_assignment` and `collect` need a folder that the whole class can write to.
# c.Exchange.root = "/usr/local/share/nbgrader/exchange"
'''

README = """\
# $course_id

An ordinary nbgrader course. Run all commands in this folder. `$lesson` stands for any of the folders in `source/`.

| to | run |
| --- | --- |
| make the students' version, in `release/` | `nbgrader generate_assignment $lesson` |
| hand it out through the exchange | `nbgrader release_assignment $lesson` |
| take what was handed in through the exchange | `nbgrader collect $lesson` |
| ... or what Canvas or Moodle gave to download, put into `downloaded/$lesson/archive/` | `nbgrader zip_collect $lesson` |
| run the checks in a sandbox, record the points, write `reports/$lesson.html` | `autograder grade $lesson` |
| ... or as nbgrader does it, with nothing between its kernel and your files | `nbgrader autograde $lesson` |
| grade by hand | `jupyter lab`, started in this folder, then *Nbgrader → Formgrader* |
| write feedback, in `feedback/` | `nbgrader generate_feedback $lesson --force` |
| hand feedback back through the exchange | `nbgrader release_feedback $lesson` |
| write all points into `grades.csv` | `nbgrader export` |
| ... for Moodle or Canvas, a column for every lesson | `nbgrader export --exporter=autograder.classroom.export.Exercises --Exercises.columns=lessons` |

Without an exchange: give the students `release/$lesson/$lesson.ipynb`, and put what they hand in at `submitted/STUDENT/$lesson/$lesson.ipynb`.
With one: set `c.Exchange.root` in `nbgrader_config.py` to a folder that the whole class can write to.

The checks of `$lesson` carry $points points. $stretches $questions A check gives part of its points when part of it holds, and says in the
feedback what went wrong. Whoever checks or grades needs this course's software installed.

`source/` holds the solutions and model answers. Keep it to yourself. The guide for a term is `autograder/classroom/README.md` in the course's repository.
"""

PACKAGE = """\
# The course, for students

This package has what checks compare with for: $lessons. For other lessons it has nothing to compare with.

## The first time, on your own computer

You need Python 3.11 or newer. Make a folder for the course and put these files into it. In a terminal, in that folder:

    python3 -m venv .venv
    .venv/bin/python -m pip install --extra-index-url $index "$wheel[lab]"
    .venv/bin/jupyter lab $newest.ipynb

On Windows: `py -m venv .venv`, and `.venv\\Scripts\\` for `.venv/bin/`. The address is that of PyTorch without CUDA: on Linux, pip would otherwise fetch gigabytes for graphics cards.

## Every other time

Put `$wheel` and `$newest.ipynb` into the same folder. End JupyterLab. Then, in a terminal, in that folder:

    .venv/bin/python -m pip install --extra-index-url $index "$wheel[lab]"
    .venv/bin/jupyter lab $newest.ipynb

That replaces the package that you had. The notebooks of earlier lessons in here are blank: copy one only if you do not have it, or your work in it is gone.

## On a hub

Whoever runs it installs the package once, for the kernels' Python: `python -m pip install --extra-index-url $index $wheel`. It asks for ranges of versions, and not for JupyterLab or nbgrader: what fits stays as it is.
Where JupyterLab runs in another Python, widgets need `anywidget` and `ipywidgets` there, and nothing else does. `autograder doctor` says what it found.

## Good to know

`check(...)` in the notebooks says what is right, and names most mistakes. What passes is kept as your own library `my_transformer`; later lessons use it, and a new package leaves it as it is.
Points are given where the course is graded, on other random numbers. `%run -m autograder reset LESSON EXERCISE` in a cell brings a blank back; what you had is kept in the folder `backups`.

A check is wrong? In a terminal, in that folder: `.venv/bin/autograder dispute LayerNorm`, with the name of the exercise. It asks what is wrong, and writes a file to hand in beside the notebook.
"""
