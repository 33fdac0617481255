"""Runs pieces of code that change a process for good: one process imports what all need, a copy of it runs each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

IN_COPIES = """\
import json, os, sys, tempfile
import torch
torch.set_num_threads(1)
given = json.load(sys.stdin)
shared = {"__name__": "__main__", "torch": torch}
exec(given["first"], shared)
told = {}
for name, code in given["codes"].items():
    with tempfile.TemporaryFile("w+") as file:
        child = os.fork()
        if child == 0:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            ended = 1
            try:
                exec(code, dict(shared))
                ended = 0
            except BaseException:
                import traceback
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(ended)
        os.waitpid(child, 0)
        file.seek(0)
        told[name] = file.read()
json.dump(told, sys.stdout)
"""


def said(codes: Mapping[str, str], first: str = "", environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """What each piece of code prints, with what it raises at last.

    Args:
        codes: name → code; each is run as if it were alone.
        first: what is imported before, once.
        environment: variables on top of this process's own.
    """
    command: Sequence[str] = [sys.executable, "-c", IN_COPIES]
    done = subprocess.run(
        command,
        input=json.dumps({"codes": dict(codes), "first": first}),
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, str] = json.loads(done.stdout)
    return told
