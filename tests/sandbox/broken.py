"""Broken hand-ins: what can lie where a notebook should, and how each is made."""

from __future__ import annotations

import json
import os
import socket
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Make = Callable[[Path], object]


def _contents() -> dict[str, bytes]:
    """Files that are no notebook."""
    code: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "pass"}
    nested: Any = []
    for _ in range(900):
        nested = [nested]
    return {
        "empty": b"",
        "blanks": b" \n\t \n",
        "a mark of its encoding alone": b"\xef\xbb\xbf",
        "zeros": bytes(5000),
        "noise": bytes(range(256)) * 20,
        "half of a character": b'{"cells": ["\xc3',
        "text": b"my notebook is attached",
        "Python": b"def layer_norm(x):\n    return x\n",
        "a page": b"<!doctype html><title>Sign in</title>",
        "a PDF": b"%PDF-1.7\n",
        "a picture": b"\x89PNG\r\n\x1a\n" + bytes(100),
        "compressed": b"\x1f\x8b\x08\0\0\0\0\0",
        "cut off": json.dumps({"cells": [code], "nbformat": 4}).encode()[:-20],
        "two at once": json.dumps({"cells": [code]}).encode() * 2,
        "left by a merge": b"<<<<<<< HEAD\n" + json.dumps({"cells": [code]}).encode() + b"\n=======\n",
        "a number": b"3",
        "no number": b"NaN",
        "a number without end": b"9" * 5000,
        "a word": b'"notebook"',
        "a list": b"[]",
        "nothing": b"null",
        "no cells": b"{}",
        "cells that are none": b'{"cells": {"0": 1}}',
        "an empty list of cells": b'{"cells": [], "nbformat": 4}',
        "sheets that are none": b'{"worksheets": 7, "nbformat": 3}',
        "a format of the future": b'{"nbformat": 99, "cells": null}',
        "a format of the past": b'{"nbformat": 1, "worksheets": [{"cells": []}]}',
        "deep": b'{"cells": ' + b"[" * 100_000,
        "deep and closed": b'{"cells": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        "deep objects": b'{"cells": ' * 50_000,
        "deep where nobody looks": json.dumps({"metadata": nested, "cells": []}).encode(),
        "many cells": json.dumps({"cells": [code] * 2500}).encode(),
        "a cell without end": json.dumps({"cells": [{**code, "source": "x" * 300_000}]}).encode(),
        "many values": b'{"cells": [' + b"{}," * 4_000_000 + b"{}]}",
        "another encoding": json.dumps({"cells": []}).encode("utf-16")[:-1],
    }


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "notebook.ipynb").write_text("{}")


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # an address has room for a hundred characters
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(here)


def _device(path: Path) -> None:
    """A device where the system lets us make one, else a link to it."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    except PermissionError:
        path.symlink_to("/dev/zero")


def _large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


def _closed(path: Path) -> None:
    path.write_text("no notebook, whoever reads it")
    path.chmod(0)


def _archive(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notebook.ipynb", "{}")


def _written(content: bytes) -> Make:
    return lambda path: path.write_bytes(content)


KINDS: dict[str, Make] = {
    **{name: _written(content) for name, content in _contents().items()},
    "a folder": _folder,
    "a pipe": lambda path: os.mkfifo(path),
    "a socket": _socket,
    "a device": _device,
    "a large file": _large,
    "not to be read": _closed,
    "an archive": _archive,
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to elsewhere": lambda path: path.symlink_to("/etc/hostname"),
    "a link to a folder": lambda path: path.symlink_to("/"),
    "a link to what cannot be read": lambda path: path.symlink_to("/proc/self/mem"),
}
"""What it is → puts it at a path."""

GONE = "gone between listing and reading"
NOT_UNICODE = os.fsdecode(b"M\xfcller")
"""A name as Windows writes it."""
