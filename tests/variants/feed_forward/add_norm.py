"""add_norm."""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted

ADD_NORM = "add_norm"

# Slips ----------------------------------------------------------------------------


def a_residual_kept_aside(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    """One name for the tokens on their way, as articles have it."""
    residual = x
    if norm_first:
        x = norm(x)
    x = sublayer(x)
    x = dropout(x)
    x = residual + x
    if not norm_first:
        x = norm(x)
    return x


slips(
    ADD_NORM,
    a_residual_kept_aside,
    {
        "no add": {"x = residual + x\n": "pass\n"},
        "norm_first ignored: always post-norm": {"if norm_first:": "if False:", "if not norm_first:": "if True:"},
        "norm_first ignored: always pre-norm": {"if norm_first:": "if True:", "if not norm_first:": "if False:"},
        "pre-norm and post-norm exchanged": {
            "if norm_first:": "if not norm_first:",
            "if not norm_first:": "if norm_first:",
        },
        "the stream itself is normalized": [
            {"        x = norm(x)\n    x = sublayer(x)": "        residual = x = norm(x)\n    x = sublayer(x)"},
        ],
        "x is normalized, not the sum": {
            "residual + x": "(residual if norm_first else norm(residual)) + x",
            "if not norm_first:\n        x = norm(x)": "",
        },
        "added after the norm": {
            "    x = residual + x\n    if not norm_first:\n        x = norm(x)\n    return x": (
                "    if not norm_first:\n        x = norm(x)\n    return residual + x"
            ),
        },
        "what the sublayer made is normalized too": [
            {"x = dropout(x)": "x = norm(dropout(x))"},
            {"x = dropout(x)": "x = dropout(norm(x))"},
        ],
        "the sum normalized in pre-norm too": {"if not norm_first:": "if True:"},
        "the sublayer reads norm(x) in post-norm too": {"if norm_first:": "if True:"},
        "no norm": [
            {
                "if norm_first:\n        x = norm(x)": "if norm_first:\n        pass",
                "if not norm_first:\n        x = norm(x)": "",
            },
            {"if not norm_first:\n        x = norm(x)": ""},
        ],
        "no dropout": {"x = dropout(x)": ""},
        "dropout on the sum": {"x = dropout(x)": "", "x = residual + x": "x = dropout(residual + x)"},
        "dropout on the skip path": [
            {"x = dropout(x)": "", "residual + x": "dropout(residual) + x"},
            {"residual + x": "dropout(residual) + x"},
        ],
        "dropout on what the sublayer reads": {"x = sublayer(x)\n    x = dropout(x)": "x = sublayer(dropout(x))"},
        "dropout after the norm": {"x = dropout(x)": "", "return x": "return dropout(x)"},
        "dropout twice": {"x = sublayer(x)": "x = dropout(sublayer(x))"},
        "x added twice": [
            {"residual + x": "residual + residual + x"},
            {"x = sublayer(x)": "x = x + sublayer(x)"},
        ],
        "the sublayer is left out": {"x = sublayer(x)": ""},
        "sublayer called twice": {"residual = x\n": "residual = x\n    sublayer(norm(x) if norm_first else x)\n"},
        "in-place add": [
            {"x = residual + x": "x = residual.add_(x)"},
            {"x = residual + x": "residual += x\n    x = residual"},
        ],
        "adds into what the sublayer gave": {"x = residual + x": "x += residual"},
        "no add + no dropout": {"x = residual + x\n": "pass\n", "x = dropout(x)\n": "pass\n"},
        "the sum normalized in pre-norm too + no dropout": {"if not norm_first:": "if True:", "x = dropout(x)\n": "\n"},
    },
)


def two_branches(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    """A name for each step of each form."""
    if not norm_first:
        found = sublayer(x)
        left = dropout(found)
        total = left + x
        return norm(total)
    read = norm(x)
    made = sublayer(read)
    return torch.add(x, dropout(made))


slips(
    ADD_NORM,
    two_branches,
    {
        "no add": [
            {"left + x": "left", "torch.add(x, dropout(made))": "dropout(made)"},
            {"left + x": "left"},
            {"torch.add(x, dropout(made))": "dropout(made)"},
        ],
        "norm_first ignored: always post-norm": {"if not norm_first:": "if True:"},
        "norm_first ignored: always pre-norm": {"if not norm_first:": "if False:"},
        "pre-norm and post-norm exchanged": {"if not norm_first:": "if norm_first:"},
        "the stream itself is normalized": [
            {"torch.add(x,": "torch.add(read,"},
            {"read = norm(x)": "read = x = norm(x)"},
            {"read = norm(x)": "x = norm(x)", "sublayer(read)": "sublayer(x)"},
        ],
        "the norm on the wrong branch": [
            {"sublayer(read)": "sublayer(x)", "torch.add(x,": "torch.add(read,"},
        ],
        "x is normalized, not the sum": {"left + x": "left + norm(x)", "return norm(total)": "return total"},
        "added after the norm": [
            {"left + x": "left", "return norm(total)": "return x + norm(total)"},
            {"left + x": "norm(left) + x", "return norm(total)": "return total"},
            {"read = norm(x)": "read = x", "dropout(made)": "norm(dropout(made))"},
            {"read = norm(x)": "read = x", "dropout(made)": "dropout(norm(made))"},
        ],
        "what the sublayer made is normalized too": [
            {"left + x": "norm(left) + x"},
            {"dropout(found)": "dropout(norm(found))"},
            {"dropout(made)": "norm(dropout(made))"},
            {"dropout(made)": "dropout(norm(made))"},
        ],
        "the sum normalized in pre-norm too": {"return torch.add(x, dropout(made))": "return norm(x + dropout(made))"},
        "the sublayer reads norm(x) in post-norm too": {"found = sublayer(x)": "found = sublayer(norm(x))"},
        "no norm": [
            {"return norm(total)": "return total", "read = norm(x)": "read = x"},
            {"return norm(total)": "return total"},
            {"read = norm(x)": "read = x"},
        ],
        "no dropout": [
            {"dropout(found)": "found", "dropout(made)": "made"},
            {"dropout(found)": "found"},
            {"dropout(made)": "made"},
        ],
        "dropout on the sum": [
            {"left = dropout(found)": "left = found", "norm(total)": "norm(dropout(total))"},
            {"torch.add(x, dropout(made))": "dropout(torch.add(x, made))"},
        ],
        "dropout on the skip path": [
            {"left = dropout(found)": "left = found", "left + x": "left + dropout(x)"},
            {"torch.add(x, dropout(made))": "torch.add(dropout(x), made)"},
        ],
        "dropout on what the sublayer reads": [
            {"sublayer(x)": "sublayer(dropout(x))", "dropout(found)": "found"},
            {"read = norm(x)": "read = dropout(norm(x))", "dropout(made)": "made"},
        ],
        "dropout after the norm": {"dropout(found)": "found", "return norm(total)": "return dropout(norm(total))"},
        "dropout twice": [
            {"left + x": "dropout(left) + x"},
            {"made = sublayer(read)": "made = dropout(sublayer(read))"},
        ],
        "x added twice": [
            {"left + x": "left + x + x"},
            {"found = sublayer(x)": "found = x + sublayer(x)"},
            {"dropout(made)": "dropout(made) + x"},
            {"made = sublayer(read)": "made = read + sublayer(read)"},
        ],
        "the sublayer is left out": [{"found = sublayer(x)": "found = x"}, {"sublayer(read)": "read"}],
        "sublayer applied to x and to norm(x)": [
            {"made = sublayer(read)": "made = sublayer(read) + sublayer(x)"},
            {"torch.add(x, dropout(made))": "torch.add(sublayer(x), dropout(made))"},
            {"found = sublayer(x)": "found = sublayer(x) + sublayer(norm(x))"},
        ],
        "sublayer called twice": [
            {"found = sublayer(x)": "assert sublayer(x).shape == x.shape\n        found = sublayer(x)"},
            {"made = sublayer(read)": "made = sublayer(read)\n    assert sublayer(read).shape == x.shape"},
        ],
        "in-place add": [{"left + x": "x.add_(left)"}, {"torch.add(x, dropout(made))": "x.add_(dropout(made))"}],
        "adds into what the sublayer gave": [
            {"left + x": "left.add_(x)"},
            {"torch.add(x, dropout(made))": "dropout(made).add_(x)"},
        ],
        "norm_first ignored: always post-norm + no dropout": {
            "if not norm_first:": "if True:",
            "dropout(found)": "found",
        },
        "no dropout + x added twice": {
            "dropout(found)": "found",
            "dropout(made)": "made",
            "left + x": "left + 2 * x",
            "torch.add(x,": "torch.add(2 * x,",
        },
    },
)


def chosen_before_the_call(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    """A norm in front, a norm behind, and one of them does nothing."""

    def same(tokens: Tensor) -> Tensor:
        return tokens

    before, after = (norm, same) if norm_first else (same, norm)
    return after(torch.stack([x, dropout(sublayer(before(x)))]).sum(0))


slips(
    ADD_NORM,
    chosen_before_the_call,
    {
        "no add": {"torch.stack([x, dropout(sublayer(before(x)))]).sum(0)": "dropout(sublayer(before(x)))"},
        "norm_first ignored: always post-norm": {"(norm, same) if norm_first else (same, norm)": "(same, norm)"},
        "norm_first ignored: always pre-norm": {"(norm, same) if norm_first else (same, norm)": "(norm, same)"},
        "pre-norm and post-norm exchanged": [
            {"(norm, same)": "(same, norm)", "(same, norm)": "(norm, same)"},
            {"if norm_first else": "if not norm_first else"},
        ],
        "the stream itself is normalized": [{"[x, dropout": "[before(x), dropout"}],
        "the norm on the wrong branch": {"[x, dropout": "[before(x), dropout", "sublayer(before(x))": "sublayer(x)"},
        "what the sublayer made is normalized too": {
            "dropout(sublayer(before(x)))": "norm(dropout(sublayer(before(x))))"
        },
        "the sum normalized in pre-norm too": {"(norm, same)": "(norm, norm)"},
        "the sublayer reads norm(x) in post-norm too": {"(same, norm)": "(norm, norm)"},
        "no norm": [
            {"(norm, same)": "(same, same)"},
            {"(same, norm)": "(same, same)"},
            {"(norm, same) if norm_first else (same, norm)": "(same, same)"},
        ],
        "no dropout": {"dropout(sublayer(before(x)))": "sublayer(before(x))"},
        "dropout on the sum": {
            "after(torch.stack([x, dropout(sublayer(before(x)))]).sum(0))": (
                "after(dropout(torch.stack([x, sublayer(before(x))]).sum(0)))"
            )
        },
        "dropout on the skip path": {"[x, dropout(sublayer(before(x)))]": "[dropout(x), sublayer(before(x))]"},
        "dropout on what the sublayer reads": {"dropout(sublayer(before(x)))": "sublayer(dropout(before(x)))"},
        "dropout after the norm": {
            "after(torch.stack([x, dropout(sublayer(before(x)))]).sum(0))": (
                "dropout(after(torch.stack([x, sublayer(before(x))]).sum(0)))"
            )
        },
        "dropout twice": {"dropout(sublayer(before(x)))": "dropout(dropout(sublayer(before(x))))"},
        "x added twice": {"[x, dropout": "[x, x, dropout"},
        "the sublayer is left out": {"sublayer(before(x))": "before(x)"},
        "sublayer applied to x and to norm(x)": [
            {"sublayer(before(x))": "(sublayer(x) + sublayer(norm(x)))"},
            {"dropout(sublayer(before(x)))": "dropout(sublayer(x)), dropout(sublayer(norm(x)))"},
        ],
        "no add + no norm": {
            "torch.stack([x, dropout(sublayer(before(x)))]).sum(0)": "dropout(sublayer(before(x)))",
            "(norm, same) if norm_first else (same, norm)": "(same, same)",
        },
    },
)


# Written in full ----------------------------------------------------------------------------


def step(kind: str, mistake: str = "") -> Any:
    """An add_norm from a function of (x, s, n, d) for pre-norm and one for post-norm."""

    def add(pre: Callable, post: Callable) -> None:
        def add_norm(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
            return (pre if norm_first else post)(x, sublayer, norm, dropout)

        if kind == "disguise":
            disguise(ADD_NORM, mistake)(add_norm)
        else:
            (correct if kind == "correct" else unlisted)(ADD_NORM)(add_norm)

    return add


def right_pre(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    made = d(s(n(x)))
    return torch.add(made, x)


def right_post(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    made = d(s(x))
    return n(made + x)


def wrong(mistake: str, pre: Callable = right_pre, post: Callable = right_post) -> None:
    """A disguise."""
    step("disguise", mistake)(pre, post)


wrong("no add", lambda x, s, n, d: d(s(n(x))), lambda x, s, n, d: n(d(s(x))))
wrong("norm_first ignored: always post-norm", pre=right_post)
wrong("norm_first ignored: always pre-norm", post=right_pre)
wrong("pre-norm and post-norm exchanged", right_post, right_pre)


def carried_on(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    h = n(x)
    h = h + d(s(h))
    return h


def overwritten(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    x = n(x)
    return d(s(n(x))) + x


wrong("the stream itself is normalized", pre=carried_on)
wrong("the stream itself is normalized", pre=overwritten)
wrong(
    "the stream itself is normalized + dropout on the sum",
    lambda x, s, n, d: d(s(n(x)) + n(x)),
    lambda x, s, n, d: n(d(s(x) + x)),
)
wrong(
    "the stream itself is normalized + dropout on the skip path",
    lambda x, s, n, d: s(n(x)) + d(n(x)),
    lambda x, s, n, d: n(s(x) + d(x)),
)
wrong("no norm + dropout on the skip path", lambda x, s, n, d: s(x) + d(x), lambda x, s, n, d: n(s(x) + d(x)))
wrong("the norm on the wrong branch", pre=lambda x, s, n, d: d(s(x)).add(n(x)))
wrong("x is normalized, not the sum", post=lambda x, s, n, d: d(s(x)).add(n(x)))
wrong("added after the norm", lambda x, s, n, d: n(d(s(x))) + x, lambda x, s, n, d: n(d(s(x))) + x)
wrong("added after the norm", lambda x, s, n, d: d(n(s(x))) + x, lambda x, s, n, d: d(n(s(x))) + x)
wrong(
    "what the sublayer made is normalized too",
    lambda x, s, n, d: n(d(s(n(x)))) + x,
    lambda x, s, n, d: n(n(d(s(x))) + x),
)
wrong(
    "what the sublayer made is normalized too",
    lambda x, s, n, d: d(n(s(n(x)))) + x,
    lambda x, s, n, d: n(d(n(s(x))) + x),
)
wrong("the sum normalized in pre-norm too", pre=lambda x, s, n, d: n(d(s(n(x))) + x))
wrong("the sublayer reads norm(x) in post-norm too", post=lambda x, s, n, d: n(d(s(n(x))) + x))
wrong("no norm", lambda x, s, n, d: d(s(x)) + x, lambda x, s, n, d: d(s(x)) + x)
wrong("no dropout", lambda x, s, n, d: s(n(x)) + x, lambda x, s, n, d: n(s(x) + x))
wrong("dropout on the sum", lambda x, s, n, d: d(s(n(x)) + x), lambda x, s, n, d: n(d(s(x) + x)))
wrong("dropout on the sum", lambda x, s, n, d: d(d(s(n(x))) + x), lambda x, s, n, d: n(d(d(s(x)) + x)))
wrong("dropout on the skip path", lambda x, s, n, d: s(n(x)) + d(x), lambda x, s, n, d: n(s(x) + d(x)))
wrong("dropout on the skip path", lambda x, s, n, d: d(s(n(x))) + d(x), lambda x, s, n, d: n(d(s(x)) + d(x)))
wrong("dropout on what the sublayer reads", lambda x, s, n, d: s(d(n(x))) + x, lambda x, s, n, d: n(s(d(x)) + x))
wrong("dropout after the norm", post=lambda x, s, n, d: d(n(s(x) + x)))
wrong("dropout after the norm", lambda x, s, n, d: d(s(n(x)) + x), lambda x, s, n, d: d(n(s(x) + x)))
wrong("dropout twice", lambda x, s, n, d: d(d(s(n(x)))) + x, lambda x, s, n, d: n(d(d(s(x))) + x))
wrong("x added twice", lambda x, s, n, d: d(s(n(x))) + 2 * x, lambda x, s, n, d: n(d(s(x)) + 2 * x))
wrong("x added twice", lambda x, s, n, d: d(s(n(x)) + x) + x, lambda x, s, n, d: n(d(s(x) + x) + x))
wrong("x added twice", lambda x, s, n, d: d(s(n(x)) + n(x)) + x, lambda x, s, n, d: n(d(s(x) + x) + x))
wrong("the sublayer is left out", lambda x, s, n, d: d(n(x)) + x, lambda x, s, n, d: n(d(x) + x))
wrong(
    "sublayer applied to x and to norm(x)",
    lambda x, s, n, d: x + d(sum(map(s, (x, n(x))))),
    lambda x, s, n, d: n(x + d(sum(map(s, (x, n(x)))))),
)
wrong("sublayer applied to x and to norm(x)", pre=lambda x, s, n, d: x + d(s(x)) + d(s(n(x))))


def asked_before(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    assert s(x).shape == x.shape
    return n(x + d(s(x)))


def asked_before_too(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    assert s(n(x)).shape == x.shape
    return x + d(s(n(x)))


wrong("sublayer called twice", asked_before_too, asked_before)


def into_x(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    x += d(s(x))
    return n(x)


def into_x_pre(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    x += d(s(n(x)))
    return x


def into_made(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    made = d(s(x))
    made += x
    return n(made)


def into_made_pre(x: Tensor, s: Callable, n: Callable, d: Callable) -> Tensor:
    made = d(s(n(x)))
    made += x
    return made


wrong("in-place add", into_x_pre, into_x)
wrong("adds into what the sublayer gave", into_made_pre, into_made)


class Layer(nn.Module):
    """A function as a layer."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


@disguise(ADD_NORM, "no add")
def sequence_of_layers(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    """As an article has it."""
    layers = [Layer(sublayer), Layer(dropout), nn.Identity()]
    layers.insert(0 if norm_first else len(layers), Layer(norm))
    return nn.Sequential(*layers)(x)


# Right ----------------------------------------------------------------------------


@correct(ADD_NORM)
def copied(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    total = x.clone()
    total += dropout(sublayer(norm(x) if norm_first else x))
    return total if norm_first else norm(total)


@correct(ADD_NORM)
def composed(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    chain = [norm, sublayer, dropout] if norm_first else [sublayer, dropout]
    made = functools.reduce(lambda t, part: part(t), chain, x)
    return (x + made) if norm_first else norm(x + made)


@correct(ADD_NORM)
def normed_anyway(x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
    read = {True: norm(x), False: x}[norm_first]
    added = torch.add(x, dropout(sublayer(read)))
    return [norm, lambda t: t][int(norm_first)](added)


@correct(ADD_NORM)
class AsAClass:
    """Not a function, and called like one."""

    def __new__(cls, x: Any, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Any:
        made = dropout(sublayer(norm(x))) if norm_first else dropout(sublayer(x))
        return made - (-x) if norm_first else norm(made - (-x))


# Wrong in other ways ----------------------------------------------------------------------------

step("disguise", "subtracted, not added")(
    lambda x, s, n, d: torch.sub(x, d(s(n(x)))), lambda x, s, n, d: n(x.sub(d(s(x))))
)
step("disguise", "multiplied, not added")(
    lambda x, s, n, d: torch.mul(d(s(n(x))), x), lambda x, s, n, d: n(x.mul(d(s(x))))
)
step("disguise", "x added to what the sublayer reads")(
    lambda x, s, n, d: torch.add(x, d(s(x + n(x)))), lambda x, s, n, d: n(x + d(s(2 * x)))
)
step("disguise", "what the sublayer made is added to itself")(
    lambda x, s, n, d: 2 * d(s(n(x))), lambda x, s, n, d: n(d(s(x)).mul(2))
)
step("disguise", "what the sublayer made is lost")(
    lambda x, s, n, d: (x, d(s(n(x))))[0], lambda x, s, n, d: n((x, d(s(x)))[0])
)
step("unlisted")(lambda x, s, n, d: (x + d(s(n(x)))) / 2**0.5, right_post)
step("unlisted")(lambda x, s, n, d: x.detach() + d(s(n(x))), lambda x, s, n, d: n(x.detach() + d(s(x))))
step("unlisted")(lambda x, s, n, d: torch.cat([x, d(s(n(x)))], -1), lambda x, s, n, d: n(x + d(s(x))))
step("unlisted")(right_pre, lambda x, s, n, d: n(n(x + d(s(x)))))
step("unlisted")(lambda x, s, n, d: x.clamp(-3, 3) + d(s(n(x))), right_post)
step("unlisted")(lambda x, s, n, d: x + d(s(s(n(x)))), lambda x, s, n, d: n(x + d(s(s(x)))))
step("unlisted")(lambda x, s, n, d: x + d(s(n(x))).detach(), lambda x, s, n, d: n(x + d(s(x)).detach()))
step("unlisted")(lambda x, s, n, d: x + 0.5 * d(s(n(x))), lambda x, s, n, d: n(x + 0.5 * d(s(x))))
