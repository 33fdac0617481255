"""The versions of other packages that the course was tried with, where it may not replace any.

That is a hub on which a class's package is installed, and a notebook in Colab. Both ends of each range were tried, as
far as the package index had them, but for scikit-learn's: CONTRIBUTING.md says how. Only the standard library is
imported here, as it is read where nothing is installed.
"""

NEEDED = {
    "torch": ">=2.4,<3",
    "numpy": ">=1.26,<3",
    "ipykernel": ">=6.29,<8",
    "ipython": ">=8.20,<10",
    "ipywidgets": ">=8.1,<9",
    "anywidget": ">=0.9,<1",
    "matplotlib": ">=3.8,<4",
    "jaxtyping": ">=0.2.25,<1",
    "nbformat": ">=5.9,<6",
    "packaging": ">=23.2",
    "platformdirs": ">=4,<5",
    "safetensors": ">=0.4.2,<1",
    "tqdm": ">=4.66,<5",
    "tokenizers": ">=0.19.1,<1",
    "sacrebleu": ">=2.4,<3",
    "num2words": ">=0.5.13,<0.6",
    "Babel": ">=2.14,<3",
    "traitlets": ">=5.14,<6",
    "scikit-learn": ">=1.5,<2",
}

IN_COLAB = "COURSE_IN_COLAB"
"""Set by the cell that brings the course into a notebook of Colab (`colab.py`)."""

COLAB = {
    **NEEDED,
    "ipykernel": ">=6.17.1,<8",
    "ipython": ">=7.34,<10",
    "ipywidgets": ">=7.7.1,<9",
    "traitlets": ">=5.7.1,<6",
}
"""In Colab: its kernel is older, and was tried by `python -m tests.colab`."""
