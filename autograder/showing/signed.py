"""Points that an instructor has signed: what stands in the file, and whether a signature is good."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

from autograder.notebooks.problem import Problem, named_by_a_person

KIND = "transformer-course grades 1"
KEY = "certificate.key"
MAX_BYTES = 1_000_000


def sign(grades: dict[str, Any], key: bytes) -> dict[str, Any]:
    """Grades with a signature, and the name of the key."""
    return {"grades": grades, "signature": _signature(grades, key), "key": name_of(key)}


def is_good(signed: dict[str, Any], key: bytes) -> bool:
    """Whether a signature was made with this key, over just these grades."""
    given = signed.get("signature")
    return isinstance(given, str) and hmac.compare_digest(
        given.encode(), _signature(signed.get("grades"), key).encode()
    )


def _signature(grades: Any, key: bytes) -> str:
    text = json.dumps(grades, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def name_of(key: bytes) -> str:
    """By what a key is told from others, without giving it away."""
    return hashlib.sha256(b"name of " + key).hexdigest()[:8]


def read_signed(path: Path) -> dict[str, Any]:
    """The file that `autograder classroom sign` has made.

    Raises:
        Problem: when it is another kind of file.
    """
    if not path.is_file():
        raise Problem(f"There is no file {path}.")
    with named_by_a_person(path):
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else b""
    try:
        found = json.loads(raw)
        if found["grades"]["kind"] != KIND or not isinstance(found["signature"], str):
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise Problem(f"{path} is not what `autograder classroom sign` writes: ask your instructor for it.") from None
    return dict(found)


def key_in(folder: Path) -> bytes | None:
    """The class's key, in the folder of a course; None elsewhere."""
    path = folder / KEY
    with named_by_a_person(path):
        return path.read_bytes() if path.is_file() else None
