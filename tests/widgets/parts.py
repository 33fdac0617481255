"""What the tests of the widgets share: a toy problem, right and wrong attentions, a way to run node."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

WIDGETS = Path(__file__).resolve().parents[2] / "course" / "widgets"
TOKENS = ["the", "cat", "sat"]
X = torch.tensor([[2.0, 0, 1, 5], [0, 1, 0, 1], [4, 1, 3, 2]])
CAUSAL = torch.ones(3, 3, dtype=torch.bool).tril()


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def attention(q, k, v, mask=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    return weights @ v, weights


def unscaled(q, k):
    return q @ k.transpose(-2, -1)


def unmasked(q, k, v, mask=None):
    return attention(q, k, v)


def zeroed_after(q, k, v, mask=None):
    weights = attention(q, k, v)[1]
    weights = weights if mask is None else weights * mask
    return weights @ v, weights


def run_node(*arguments: object) -> str:
    """Run node, skipping the test where it is missing, and return what it wrote."""
    program = shutil.which("node")
    if program is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("node is missing: the JavaScript is not tested")
    command = [program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def node(script: str, *, uses: list[str], given: object = None) -> object:
    """Run a script on the widgets' modules and return what it leaves in `result`."""
    imports = [f'import * as {name} from "{(WIDGETS / name).as_uri()}.js";' for name in uses]
    lines = [*imports, f"const given = {json.dumps(given)};", "let result;", script]
    text = "\n".join([*lines, "console.log(JSON.stringify(result));"])
    return json.loads(run_node("--input-type=module", "-e", text))
