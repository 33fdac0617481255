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

from course.tones import HOP, SIZE

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


def angles(max_len, d_model, base=10_000.0):
    return torch.arange(max_len)[:, None] / base ** (torch.arange(0, d_model, 2) / d_model)


def sinusoids(max_len, d_model, base=10_000.0):
    turned = angles(max_len, d_model, base)
    return torch.stack([turned.sin(), turned.cos()], -1).flatten(1)


def growing(max_len, d_model):
    """Right angles, but later positions have longer vectors."""
    return sinusoids(max_len, d_model) * torch.linspace(0.5, 1, max_len)[:, None]


def add_norm(x, sublayer, norm, dropout, norm_first=False):
    if norm_first:
        return x + dropout(sublayer(norm(x)))
    return norm(x + dropout(sublayer(x)))


def never_adds(x, sublayer, norm, dropout, norm_first=False):
    return norm(sublayer(x))


def alignment(heads=2, target=4, source=3):
    """Weights of two layers; head 0 of layer 0 is made of round numbers."""
    source_of = torch.Generator().manual_seed(5)
    layers = [torch.softmax(torch.randn(1, heads, target, source, generator=source_of), -1) for _ in range(2)]
    layers[0][0, 0] = torch.tensor([[0.75, 0.25, 0], [0, 0.875, 0.125], [0.0625, 0.9375, 0], [0, 0, 1]])[:target]
    return layers


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


def training(steps=60):
    """A made-up log and its checkpoints: the loss halves every 20 steps, the attention sharpens."""
    log = {"loss": [3.2 * 0.5 ** (step / 20) for step in range(steps)]}
    log |= {"learning rate": [min(1, (step + 1) / 10) * 0.003 for step in range(steps)]}
    log |= {"gradient norm": [2.0 - step / steps for step in range(steps)]}
    target = ["a", " ", "b", "<eos>"]
    looks = {}
    for made in (1, 20, 40, steps):
        sure = made / steps
        weights = torch.softmax(5 * sure * torch.eye(4, 3), -1).expand(2, 4, 3).clone()
        right = round(4 * sure)
        predicted = [name if i < right else "e" for i, name in enumerate(target)]
        looks[made] = {"predicted": predicted, "probability": [sure] * 4, "weights": [weights, weights / 1]}
    return {"log": log, "checkpoints": looks, "source": ["x", "y", "z"], "target": target}


def reader(size=12, layers=2):
    """A small language model with random numbers, two heads a block."""
    from autograder.stand_ins.gpt import GPT, GPTConfig

    torch.manual_seed(0)
    return GPT(GPTConfig(size, 8, 2, layers, 8, dropout=0.5, max_len=64, positions="rotary"))


CLS, SEP, MASK = 13, 14, 15


def fills(number=12, layers=2):
    """A small BERT with random numbers and its head, two heads a layer; 12 tokens, and four special ones."""
    from autograder.stand_ins.bert import BERT, BertConfig, MaskedLanguageHead

    torch.manual_seed(0)
    config = BertConfig(number + 4, 8, 2, layers, 8, max_len=64, pad_id=number, positions="rotary")
    bert = BERT(config)
    return bert, MaskedLanguageHead(config, bert.embedding.token_embedding)


def sees(side=4, width=6, patch=2):
    """A small Vision Transformer with random numbers, two heads a layer, and five pictures."""
    from autograder.stand_ins.vision import VisionConfig, VisionTransformer

    torch.manual_seed(0)
    config = VisionConfig(side, width, 1, patch, num_classes=4, d_model=8, num_heads=2, num_layers=2, d_ff=8)
    return VisionTransformer(config), torch.rand(5, 1, side, width)


def look(sound):
    """Writes what was dialled, and looks at the middle of each key."""
    vectors = ((len(sound.signal) - SIZE) // HOP + 2) // 2
    weights = torch.zeros(len(sound.keys), vectors)
    for row, (start, stop) in enumerate(sound.spans):
        weights[row, min(vectors - 1, (start + stop) // 2 // (2 * HOP))] = 1.0
    return weights, list(sound.keys)


def letters(texts):
    """How often each of 26 letters stands in a text."""
    found = torch.zeros(len(texts), 26)
    for row, text in enumerate(texts):
        for one in text:
            if "a" <= one <= "z":
                found[row, ord(one) - ord("a")] += 1
    return found
