"""gelu."""

import functools
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

GELU = "gelu"
ROOT2 = math.sqrt(2)
SLOPE = math.sqrt(2 / math.pi)


def must_be_known(form: str) -> None:
    """The given lines."""
    if form not in ("none", "tanh"):
        raise ValueError(f"approximate={form!r}")


def exact(x: Tensor) -> Tensor:
    """By the complement of erf."""
    return x * torch.erfc(-x * 0.5**0.5) / 2


def approximate(x: Tensor) -> Tensor:
    """½ (1 + tanh u) is sigmoid(2 u)."""
    return x * torch.sigmoid(2 * SLOPE * x * (1 + 0.044715 * x * x))


# Slips ----------------------------------------------------------------------------


def a_return_for_each_form(x: Tensor, approximate: str = "none") -> Tensor:
    """As articles have it: the distribution function, then x times that."""
    if approximate == "none":
        cdf = 0.5 * (1.0 + torch.erf(x / ROOT2))
        return x * cdf
    if approximate == "tanh":
        inner = SLOPE * (x + 0.044715 * torch.pow(x, 3))
        share = 0.5 * (1.0 + torch.tanh(inner))
        return x * share
    raise ValueError(f"{approximate!r} is neither none nor tanh")


slips(
    GELU,
    a_return_for_each_form,
    {
        "the two forms exchanged": {'== "none"': '== "tanh"', '== "tanh"': '== "none"'},
        "sigmoid instead of the normal distribution": [
            {"0.5 * (1.0 + torch.erf(x / ROOT2))": "torch.sigmoid(x)"},
            {"0.5 * (1.0 + torch.erf(x / ROOT2))": "x.sigmoid()", "0.5 * (1.0 + torch.tanh(inner))": "x.sigmoid()"},
        ],
        "x missing": [
            {"x * cdf": "cdf"},
            {"x * share": "share"},
            {"x * cdf": "cdf", "x * share": "share"},
        ],
        "half missing": [
            {"cdf = 0.5 * ": "cdf = "},
            {"share = 0.5 * ": "share = "},
            {"cdf = 0.5 * ": "cdf = ", "share = 0.5 * ": "share = "},
        ],
        "1 missing": [
            {"(1.0 + torch.erf(": "(torch.erf("},
            {"(1.0 + torch.tanh(": "(torch.tanh("},
            {"(1.0 + torch.erf(": "(torch.erf(", "(1.0 + torch.tanh(": "(torch.tanh("},
        ],
        "x times the bare curve": [
            {"0.5 * (1.0 + torch.erf(x / ROOT2))": "torch.erf(x / ROOT2)"},
            {"0.5 * (1.0 + torch.tanh(inner))": "torch.tanh(inner)"},
        ],
        "1 minus the curve": [
            {"(1.0 + torch.erf(": "(1.0 - torch.erf("},
            {"(1.0 + torch.tanh(": "(1.0 - torch.tanh("},
        ],
        "height of the bell instead of the area": {
            "0.5 * (1.0 + torch.erf(x / ROOT2))": "torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)"
        },
        "wrong argument of erf": [{"x / ROOT2": argument} for argument in ("x", "x / 2", "x * ROOT2", "SLOPE * x")],
        "wrong factor in the tanh": [
            {"SLOPE * (": f"{factor} * ("} for factor in ("(2 / math.pi)", "math.sqrt(2 * math.pi)", "math.sqrt(2)")
        ],
        "wrong number before x³": [{"0.044715": number} for number in ("0.44715", "0.04715", "0.0044715")],
        "square instead of cube": {"pow(x, 3)": "pow(x, 2)"},
        "x³ missing": {" + 0.044715 * torch.pow(x, 3)": ""},
        "x missing in the tanh": {"(x + 0.044715": "(0.044715"},
        "the factor reaches x only": {"(x + 0.044715 * torch.pow(x, 3))": "x + 0.044715 * torch.pow(x, 3)"},
        "the whole bracket cubed": {"(x + 0.044715 * torch.pow(x, 3))": "torch.pow(x + 0.044715 * x, 3)"},
        "the curve of the other form": [{"torch.erf(x": "torch.tanh(x"}, {"torch.tanh(inner)": "torch.erf(inner)"}],
        "any word is accepted": {'if approximate == "tanh":': "if True:"},
        "writes into its input": [{"x * cdf": "x.mul_(cdf)"}, {"x * share": "x.mul_(share)"}],
        "tanh that overflows": {
            "torch.tanh(inner)": "(torch.exp(2 * inner) - 1) / (torch.exp(2 * inner) + 1)",
        },
        "wrong argument of erf + wrong number before x³": {"x / ROOT2": "x", "0.044715": "0.44715"},
        "half missing + x³ missing": {
            "cdf = 0.5 * ": "cdf = ",
            "share = 0.5 * ": "share = ",
            " + 0.044715 * torch.pow(x, 3)": "",
        },
    },
)


def with_a_match(x: Tensor, approximate: str = "none") -> Tensor:
    """All numbers multiplied out."""
    match approximate:
        case "none":
            share = 0.5 + 0.5 * torch.erf(x * 0.7071067811865476)
        case "tanh":
            share = 0.5 + 0.5 * torch.tanh(0.7978845608028654 * x + 0.035677408136300125 * x * x * x)
        case _:
            raise ValueError(approximate)
    return torch.mul(share, x)


slips(
    GELU,
    with_a_match,
    {
        "always the exact form": {
            "torch.tanh(0.7978845608028654 * x + 0.035677408136300125 * x * x * x)": "torch.erf(x / ROOT2)"
        },
        "the two forms exchanged": {'"none":': '"tanh":', '"tanh":': '"none":'},
        "QuickGELU": {"torch.mul(share, x)": "torch.sigmoid(1.702 * x) * x"},
        "sigmoid instead of the normal distribution": {"torch.mul(share, x)": "torch.mul(torch.sigmoid(x), x)"},
        "x missing": {"torch.mul(share, x)": "share"},
        "brackets missing": {"torch.mul(share, x)": "x / 2 + (share - 0.5)"},
        "half missing": [{"torch.mul(share, x)": "torch.mul(share, 2 * x)"}],
        "1 missing": [
            {"0.5 + 0.5 * torch.erf(": "0.5 * torch.erf("},
            {"0.5 + 0.5 * torch.tanh(": "0.5 * torch.tanh("},
        ],
        "1 minus the curve": [
            {"0.5 + 0.5 * torch.erf(": "0.5 - 0.5 * torch.erf("},
            {"torch.mul(share, x)": "torch.mul(1 - share, x)"},
        ],
        "wrong argument of erf": [
            {"x * 0.7071067811865476": "x * 1.4142135623730951"},
            {"x * 0.7071067811865476": "0.5 * x"},
            {"x * 0.7071067811865476": "2 * x"},
        ],
        "x³ missing": {" + 0.035677408136300125 * x * x * x": ""},
        "the factor reaches x only": {"0.035677408136300125": "0.044715"},
        "square instead of cube": {"* x * x * x": "* x * x"},
        "x missing in the tanh": {"0.7978845608028654 * x + ": ""},
        "any word is accepted": {
            "raise ValueError(approximate)": "share = 0.5 + 0.5 * torch.erf(x / ROOT2)",
        },
        "writes into its input": {"torch.mul(share, x)": "torch.mul(share, x, out=x)"},
        "1 minus the curve + square instead of cube": {
            "torch.mul(share, x)": "torch.mul(1 - share, x)",
            "* x * x * x": "* x * x",
        },
    },
)


def method_after_method(x: Tensor, approximate: str = "none") -> Tensor:
    """The curve in steps, then one chain for both forms."""
    if approximate not in {"none", "tanh"}:
        raise ValueError("none or tanh, not " + approximate)
    smooth = approximate == "tanh"
    if not smooth:
        curve = x.div(2**0.5).erf()
    else:
        cube = x * x * x
        bent = cube.mul(0.044715).add(x)
        curve = bent.mul((2 / math.pi) ** 0.5).tanh()
    return curve.add(1).mul(x).div(2)


slips(
    GELU,
    method_after_method,
    {
        "always the exact form": [{"if not smooth": "if True"}, {'approximate == "tanh"': "False"}],
        "always the form with tanh": [{"if not smooth": "if False"}, {'approximate == "tanh"': "bool(approximate)"}],
        "the two forms exchanged": [{"if not smooth": "if smooth"}, {'== "tanh"': '!= "tanh"'}],
        "relu instead of gelu": {"return curve.add(1).mul(x).div(2)": "return x.clamp(min=0)"},
        "x missing": [{".add(1).mul(x).div(2)": ".add(1).div(2)"}],
        "brackets missing": [
            {"curve.add(1).mul(x).div(2)": "curve.add(x).div(2)"},
            {"curve.add(1).mul(x).div(2)": "curve.add(x.div(2))"},
        ],
        "half missing": [{".mul(x).div(2)": ".mul(x)"}],
        "1 missing": {".add(1)": ""},
        "x times the bare curve": {".add(1).mul(x).div(2)": ".mul(x)"},
        "1 minus the curve": [{"curve.add(1)": "curve.neg().add(1)"}, {"curve.add(1)": "(1 - curve)"}],
        "wrong argument of erf": [
            {"x.div(2**0.5).erf()": "x.erf()"},
            {"x.div(2**0.5).erf()": "x.div(2).erf()"},
            {"x.div(2**0.5).erf()": "x.erf().div(2**0.5)"},
            {"x.div(2**0.5).erf()": "x.mul(2**0.5).erf()"},
        ],
        "wrong factor in the tanh": [
            {"(2 / math.pi) ** 0.5": "2 / math.pi"},
            {"(2 / math.pi) ** 0.5": "2**0.5 / math.pi"},
            {"(2 / math.pi) ** 0.5": "2 / math.pi ** 0.5"},
            {".mul((2 / math.pi) ** 0.5)": ""},
            {"(2 / math.pi)": "(math.pi / 2)"},
        ],
        "wrong number before x³": [{"0.044715": number} for number in ("0.4715", "0.0044715", "0.045715")],
        "square instead of cube": {"x * x * x": "x * x"},
        "x³ missing": {"bent.mul(": "x.mul("},
        "x missing in the tanh": {".mul(0.044715).add(x)": ".mul(0.044715)"},
        "the factor reaches x only": {
            "add(x)": "add(x * (2 / math.pi) ** 0.5)",
            "bent.mul((2 / math.pi) ** 0.5).tanh()": "bent.tanh()",
        },
        "any word is accepted": {"if approximate not in": "if False and approximate not in"},
        "writes into its input": [
            {"curve.add(1).mul(x).div(2)": "x.mul_(curve.add(1).div(2))"},
        ],
        "the two forms exchanged + half missing": {"if not smooth": "if smooth", ".mul(x).div(2)": ".mul(x)"},
        "1 missing + wrong argument of erf": {".add(1)": "", "x.div(2**0.5).erf()": "x.erf()"},
    },
)


def a_table_of_shares(x: Tensor, approximate: str = "none") -> Tensor:
    """The normal distribution itself, and the sigmoid that comes near it."""
    shares = {
        "none": lambda z: torch.distributions.Normal(0.0, 1.0).cdf(z),
        "tanh": lambda z: torch.sigmoid(2 * SLOPE * (z + 0.044715 * z**3)),
    }
    if approximate not in shares:
        raise ValueError(f"one of {list(shares)}")
    return x * shares[approximate](x)


slips(
    GELU,
    a_table_of_shares,
    {
        "always the exact form": {"shares[approximate]": 'shares["none"]'},
        "always the form with tanh": {"shares[approximate]": 'shares["tanh"]'},
        "the two forms exchanged": {'"none": lambda': '"tanh": lambda', '"tanh": lambda': '"none": lambda'},
        "sigmoid instead of the normal distribution": {"2 * SLOPE * (z + 0.044715 * z**3)": "z"},
        "QuickGELU": [
            {"2 * SLOPE * (z + 0.044715 * z**3)": "1.702 * z"},
            {"torch.distributions.Normal(0.0, 1.0).cdf(z)": "torch.sigmoid(z * 1.702)"},
            {"x * shares[approximate](x)": "x * torch.sigmoid(1.702 * x)"},
        ],
        "x missing": {"x * shares": "shares"},
        "height of the bell instead of the area": {".cdf(z)": ".log_prob(z).exp()"},
        "half missing": {"return x *": "return 2 * x *"},
        "1 minus the curve": {"x * shares[approximate](x)": "x * shares[approximate](-x)"},
        "wrong argument of erf": {"Normal(0.0, 1.0)": "Normal(0.0, 0.5**0.5)"},
        "wrong factor in the tanh": [
            {"2 * SLOPE * (": f"{factor} * ("} for factor in ("2", "4 / math.pi", "2 * ROOT2")
        ],
        "wrong number before x³": [{"0.044715": "0.44715"}, {"0.044715": "0.044175"}],
        "square instead of cube": {"z**3": "z**2"},
        "x³ missing": {" + 0.044715 * z**3": ""},
        "x missing in the tanh": {"(z + 0.044715 * z**3)": "(0.044715 * z**3)"},
        "the factor reaches x only": {"2 * SLOPE * (z + 0.044715 * z**3)": "2 * (SLOPE * z + 0.044715 * z**3)"},
        "the whole bracket cubed": {"(z + 0.044715 * z**3)": "(z + 0.044715 * z) ** 3"},
        "any word is accepted": {
            "if approximate not in shares:": "if not shares:",
            "shares[approximate]": 'shares.get(approximate, shares["none"])',
        },
        "writes into its input": {"return x * shares[approximate](x)": "x *= shares[approximate](x)\n    return x"},
    },
)

# Written in full ----------------------------------------------------------------------------


def two_forms(one: Callable[[Tensor], Tensor], other: Callable[[Tensor], Tensor]) -> Any:
    """A gelu of a function for "none" and one for "tanh"."""

    def gelu(x: Tensor, approximate: str = "none") -> Tensor:
        must_be_known(approximate)
        return {"none": one, "tanh": other}[approximate](x)

    return gelu


def wrong(mistake: str, none: Callable = exact, tanh: Callable = approximate) -> None:
    """A disguise."""
    disguise(GELU, mistake)(two_forms(none, tanh))


def everywhere(mistake: str, of: Callable[[Tensor], Tensor]) -> None:
    """The same slip in both forms, in the first, and in the second."""
    wrong(mistake, of, of)
    wrong(mistake, none=of)
    wrong(mistake, tanh=of)


def bent(inner: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """½ x (1 + tanh(inner))."""
    return lambda x: x.mul(torch.tanh(inner(x)).add(1)).div(2)


wrong("always the exact form", exact, exact)
wrong("always the form with tanh", approximate, approximate)
wrong("the two forms exchanged", approximate, exact)
everywhere("sigmoid instead of the normal distribution", F.silu)
wrong("QuickGELU", *[lambda x: torch.sigmoid(x * 1.702).mul(x)] * 2)
everywhere("relu instead of gelu", lambda x: x.clamp_min(0))
wrong("x missing", lambda x: torch.special.ndtr(x), lambda x: torch.sigmoid(2 * SLOPE * (x + 0.044715 * x.pow(3))))
everywhere(
    "height of the bell instead of the area", lambda x: x * torch.distributions.Normal(0.0, 1.0).log_prob(x).exp()
)
wrong("brackets missing", none=lambda x: x / 2 + torch.erf(x / ROOT2))
wrong("brackets missing", tanh=lambda x: x / 2 + torch.tanh(SLOPE * (x + 0.044715 * x**3)))
wrong("half missing", lambda x: 2 * exact(x), lambda x: x + x * torch.tanh(SLOPE * (x + 0.044715 * x**3)))
wrong("1 missing", lambda x: exact(x) - x / 2, lambda x: approximate(x) - 0.5 * x)
wrong("x times the bare curve", none=lambda x: x * torch.erf(x / ROOT2))
wrong("1 minus the curve", lambda x: x - exact(x), lambda x: x - approximate(x))
wrong("wrong argument of erf", none=lambda x: x * torch.erfc(-x) / 2)
wrong("wrong argument of erf", none=lambda x: x * torch.special.ndtr(2 * x))
wrong("wrong factor in the tanh", tanh=bent(lambda x: x + 0.044715 * x**3))
wrong("wrong number before x³", tanh=bent(lambda x: SLOPE * x * (1 + 0.0044715 * x**2)))
wrong("wrong number before x³", tanh=bent(lambda x: SLOPE * (x + (0.044715 * x) ** 3)))
wrong("wrong number before x³", tanh=bent(lambda x: SLOPE * (x + 0.04475 * x**3)))
wrong("square instead of cube", tanh=bent(lambda x: SLOPE * (x + 0.044715 * x.square())))
wrong("x³ missing", tanh=bent(lambda x: SLOPE * x))
wrong("x missing in the tanh", tanh=bent(lambda x: SLOPE * 0.044715 * x.pow(3)))
wrong("the factor reaches x only", tanh=bent(lambda x: x * SLOPE + 0.044715 * x * x * x))
wrong("the whole bracket cubed", tanh=bent(lambda x: SLOPE * (x * 1.044715).pow(3)))
wrong("the curve of the other form", none=bent(lambda x: x * 0.5**0.5))
wrong("the curve of the other form", tanh=lambda x: x * torch.erfc(-SLOPE * x * (1 + 0.044715 * x * x)) / 2)
wrong("the two forms exchanged + half missing", lambda x: 2 * approximate(x), lambda x: 2 * exact(x))


def by_exponentials(x: Tensor) -> Tensor:
    """½ x (1 + tanh), the tanh written out."""
    u = SLOPE * (x + 0.044715 * x**3)
    up, down = torch.exp(u), torch.exp(-u)
    return 0.5 * x * (1 + (up - down) / (up + down))


wrong("tanh that overflows", tanh=by_exponentials)
wrong(
    "brackets missing",
    none=lambda x: x / 2 + torch.erf(x * 2**-0.5) / 2,
    tanh=lambda x: (x + torch.tanh(SLOPE * (x + 0.044715 * x**3))) / 2,
)


@disguise(GELU, "erfc instead of erf")
def by_the_complement(x: Tensor, approximate: str = "none") -> Tensor:
    """erf(-z) in erfc's place would do."""
    must_be_known(approximate)
    if approximate == "tanh":
        return bent(lambda z: SLOPE * (z + 0.044715 * z**3))(x)
    return x / 2 + x * torch.special.erfc(x / ROOT2) / 2


@disguise(GELU, "any word is accepted")
def takes_anything(x: Tensor, approximate: str = "none") -> Tensor:
    """Whatever is not "tanh" is "none"."""
    if approximate == "tanh":
        return bent(lambda z: SLOPE * (z + 0.044715 * z**3))(x)
    return x * torch.special.ndtr(x)


@disguise(GELU, "writes into its input")
def spoils(x: Tensor, approximate: str = "none") -> Tensor:
    """x *= ..."""
    must_be_known(approximate)
    share = (1 + (torch.erf(x / ROOT2) if approximate == "none" else torch.tanh(SLOPE * (x + 0.044715 * x**3)))) / 2
    x *= share
    return x


# Right ----------------------------------------------------------------------------


@correct(GELU)
def by_the_normal_distribution(x: Tensor, approximate: str = "none") -> Tensor:
    """1 - share is the share of -x."""
    must_be_known(approximate)
    if approximate == "none":
        return torch.distributions.Normal(0.0, 1.0).cdf(x) * x
    inner = SLOPE * (x + 0.044715 * torch.pow(x, 3))
    return x - x * torch.sigmoid(-2 * inner)


correct(GELU)(two_forms(lambda x: x * torch.special.ndtr(x), approximate))
correct(GELU)(two_forms(exact, bent(lambda x: (2 / torch.pi) ** 0.5 * x * (1 + x * x * 0.044715))))
correct(GELU)(two_forms(lambda x: torch.where(x > 0, x + exact(-x), exact(x)), approximate))


@correct(GELU)
def a_table_of_curves(x: Tensor, approximate: str = "none") -> Tensor:
    """Both curves of x / √2."""
    curves = {
        "none": functools.partial(torch.special.erf),
        "tanh": lambda z: torch.tanh(math.sqrt(2 / torch.pi) * (z * ROOT2 + 0.044715 * (z * ROOT2) ** 3)),
    }
    if approximate not in curves:
        raise ValueError("one of " + ", ".join(curves))
    return x / 2 + x / 2 * curves[approximate](x / ROOT2)


# Wrong in other ways ----------------------------------------------------------------------------

unlisted(GELU)(two_forms(F.elu, F.elu))
unlisted(GELU)(two_forms(lambda x: x * torch.tanh(F.softplus(x)), approximate))
unlisted(GELU)(two_forms(exact, lambda x: x * torch.tanh(torch.exp(x))))
unlisted(GELU)(two_forms(lambda x: exact(x).detach(), lambda x: approximate(x).detach()))
unlisted(GELU)(two_forms(lambda x: torch.tensor([exact(one).item() for one in x.flatten()]).view(x.shape), exact))
unlisted(GELU)(two_forms(lambda x: x * x.softmax(-1), approximate))
unlisted(GELU)(two_forms(lambda x: exact(x.clamp(-10, 10)), approximate))
unlisted(GELU)(two_forms(exact, lambda x: x * F.hardsigmoid(2 * SLOPE * (x + 0.044715 * x**3))))
unlisted(GELU)(two_forms(lambda x: exact(x) + 0.01, lambda x: approximate(x) + 0.01))
