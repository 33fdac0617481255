"""The groups in which weights decay."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted

GROUPS = "decay_groups"


def grouped(decaying: list, still: list, decay: float, other: float = 0.0) -> list[dict]:
    return [{"params": decaying, "weight_decay": decay}, {"params": still, "weight_decay": other}]


def by(kind: Any) -> Any:
    """Groups from a question asked of every (name, parameter, owner) whether it decays."""

    def add(decays: Callable[[str, Tensor, nn.Module], bool]) -> Any:
        @kind
        def decay_groups(model: nn.Module, weight_decay: float) -> list[dict]:
            owners = {id(p): part for part in model.modules() for p in part.parameters(recurse=False)}
            two: tuple[list, list] = [], []
            for name, p in model.named_parameters():
                two[0 if decays(name, p, owners[id(p)]) else 1].append(p)
            return grouped(*two, weight_decay)

        return decays

    return add


@disguise(GROUPS, "everything decays")
def g_all(model: nn.Module, weight_decay: float) -> list[dict]:
    return [{"params": list(model.parameters()), "weight_decay": weight_decay}]


@disguise(GROUPS, "nothing decays")
def g_none(model: nn.Module, weight_decay: float) -> list[dict]:
    return grouped([], list(model.parameters()), weight_decay)


@by(disguise(GROUPS, "the groups are exchanged"))
def g_turned(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.ndim == 1


@by(disguise(GROUPS, "norms decay"))
def g_norms(name: str, p: Tensor, owner: nn.Module) -> bool:
    return "bias" not in name


@by(disguise(GROUPS, "norms are known by their name"))
def g_names(name: str, p: Tensor, owner: nn.Module) -> bool:
    return not any(word in name for word in ("bias", "norm"))


@by(disguise(GROUPS, "only torch's own norms are known"))
def g_class(name: str, p: Tensor, owner: nn.Module) -> bool:
    return not (name.endswith("bias") or isinstance(owner, nn.LayerNorm | nn.BatchNorm1d))


@by(disguise(GROUPS, "biases decay"))
def g_biases(name: str, p: Tensor, owner: nn.Module) -> bool:
    return not (p.dim() == 1 and name.endswith("weight"))


@disguise(GROUPS, "tables do not decay")
def g_tables_apart(model: nn.Module, weight_decay: float) -> list[dict]:
    tables = [part.weight for part in model.modules() if isinstance(part, nn.Embedding)]
    rest = [p for p in model.parameters() if all(p is not one for one in tables)]
    return grouped(
        [p for p in rest if p.ndim > 1],
        [p for p in model.parameters() if all(p is not q for q in rest) or p.ndim < 2],
        weight_decay,
    )


@disguise(GROUPS, "sorted by the class of the layer")
def g_small_gpt(model: nn.Module, weight_decay: float) -> list[dict]:
    still = {p for part in model.modules() if type(part) in (nn.LayerNorm, nn.Embedding) for p in part.parameters()}
    still |= {p for name, p in model.named_parameters() if name.split(".")[-1] == "bias"}
    return grouped([p for p in model.parameters() if p not in still], list(still), weight_decay)


@by(disguise(GROUPS, "weights of two dimensions do not decay"))
def g_more_than_two(name: str, p: Tensor, owner: nn.Module) -> bool:
    return len(p.size()) > 2


@by(disguise(GROUPS, "sizes are asked, not dimensions"))
def g_by_count(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.numel() > len(p)


@by(disguise(GROUPS, "only weights of two dimensions decay"))
def g_two(name: str, p: Tensor, owner: nn.Module) -> bool:
    return len(p.shape) == 2


@disguise(GROUPS, "norms and biases are left out")
def g_left_out(model: nn.Module, weight_decay: float) -> list[dict]:
    return [{"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": weight_decay}]


@disguise(GROUPS, "no weight_decay in the second group")
def g_default(model: nn.Module, weight_decay: float) -> list[dict]:
    some, others = [], []
    for p in model.parameters():
        (some if p.dim() >= 2 else others).append(p)
    return [dict(params=some, weight_decay=weight_decay), dict(params=others)]


@disguise(GROUPS, "no weight_decay in the first group")
def g_first_default(model: nn.Module, weight_decay: float) -> list[dict]:
    wide = [p for p in model.parameters() if p.ndim >= 2]
    return [{"params": wide}, {"params": [p for p in model.parameters() if p.ndim < 2], "weight_decay": 0.0}]


@disguise(GROUPS, "the group that does not decay comes first + norms decay")
def g_biases_first(model: nn.Module, weight_decay: float) -> list[dict]:
    biases = {name: p for name, p in model.named_parameters() if "bias" in name}
    others = [p for name, p in model.named_parameters() if name not in biases]
    return [{"params": [*biases.values()], "weight_decay": 0.0}, {"params": others, "weight_decay": weight_decay}]


@disguise(GROUPS, "what is shared is listed twice")
def g_twice(model: nn.Module, weight_decay: float) -> list[dict]:
    every = [p for _, p in model.named_parameters(remove_duplicate=False)]
    return grouped([p for p in every if p.dim() > 1], [p for p in every if p.dim() == 1], weight_decay)


@disguise(GROUPS, "names, not parameters")
def g_strings(model: nn.Module, weight_decay: float) -> list[dict]:
    shapes = {name: len(p.shape) for name, p in model.named_parameters()}
    return grouped([n for n in shapes if shapes[n] > 1], [n for n in shapes if shapes[n] == 1], weight_decay)


@disguise(GROUPS, "the parameters of parts are left out")
def g_direct(model: nn.Module, weight_decay: float) -> list[dict]:
    own = list(model._parameters.values())
    return grouped([p for p in own if p.dim() > 1], [p for p in own if p.dim() < 2], weight_decay)


@by(correct(GROUPS))
def gr_by_owner(name: str, p: Tensor, owner: nn.Module) -> bool:
    return isinstance(owner, nn.Linear | nn.Embedding | nn.Conv1d | nn.Conv2d) and name.endswith("weight")


@correct(GROUPS)
def gr_named(model: nn.Module, weight_decay: float) -> list[dict]:
    pairs = list(model.named_parameters())
    return grouped([x for x in pairs if x[1].dim() > 1], [x for x in pairs if x[1].dim() < 2], weight_decay)


@correct(GROUPS)
def gr_sorted(model: nn.Module, weight_decay: float) -> tuple:
    ps = sorted(model.parameters(), key=lambda p: -p.dim())
    cut = sum(p.dim() > 1 for p in ps)
    return tuple(grouped(ps[:cut], ps[cut:], weight_decay))


@by(disguise(GROUPS, "sizes are asked, not dimensions"))
def g_several_rows(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.size(0) > 1


@by(disguise(GROUPS, "norms decay"))
def g_whole_norms(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.ndim > 1 or type(owner).__name__.endswith("Norm")


@by(disguise(GROUPS, "biases decay"))
def g_linear_biases(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.ndim > 1 or isinstance(owner, nn.Linear)


@by(disguise(GROUPS, "only torch's own norms are known"))
def g_all_but_torchs(name: str, p: Tensor, owner: nn.Module) -> bool:
    return not isinstance(owner, nn.LayerNorm)


@disguise(GROUPS, "weights of three dimensions are left out")
def g_no_pictures(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = list(model.parameters())
    return grouped([p for p in ps if 1 < p.ndim < 4], [p for p in ps if p.ndim < 2], weight_decay)


@by(unlisted(GROUPS))
def gu_large(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.numel() > 20


@by(unlisted(GROUPS))
def gu_pictures(name: str, p: Tensor, owner: nn.Module) -> bool:
    return p.ndim > 1 and not isinstance(owner, nn.Conv2d)


@by(disguise(GROUPS, "only linear layers decay"))
def g_linear_and_biases(name: str, p: Tensor, owner: nn.Module) -> bool:
    return isinstance(owner, nn.Linear)


@disguise(GROUPS, "parameters in both groups")
def g_in_both(model: nn.Module, weight_decay: float) -> list[dict]:
    two: tuple[list, list] = [], []
    for p in model.parameters():
        if p.dim() > 1:
            two[0].append(p)
        two[1].append(p)
    return grouped(*two, weight_decay)


@disguise(GROUPS, "the weights of layers are left out")
def g_no_layers(model: nn.Module, weight_decay: float) -> list[dict]:
    return [{"params": [p for p in model.parameters() if len(p.shape) < 2], "weight_decay": 0.0}]


@disguise(GROUPS, "copies, not the parameters")
def g_detached(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = [p.detach() for p in model.parameters()]
    return grouped([p for p in ps if p.ndim > 1], [p for p in ps if p.ndim < 2], weight_decay)


@disguise(GROUPS, "buffers are taken for parameters")
def g_buffers(model: nn.Module, weight_decay: float) -> list[dict]:
    held = [one for part in (model.parameters(), model.buffers()) for one in part]
    return grouped([p for p in held if p.ndim > 1], [p for p in held if p.ndim < 2], weight_decay)


@unlisted(GROUPS)
def gu_a_little(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = list(model.parameters())
    return grouped([p for p in ps if p.dim() > 1], [p for p in ps if p.dim() <= 1], weight_decay, weight_decay / 10)


@disguise(GROUPS, "no weight_decay in the second group + no weight_decay in the first group")
def g_other_key(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = list(model.parameters())
    return [
        {"params": [p for p in ps if p.dim() > 1], "decay": weight_decay},
        {"params": [p for p in ps if p.dim() <= 1], "decay": 0.0},
    ]


@disguise(GROUPS, "copies, not the parameters")
def gu_copies(model: nn.Module, weight_decay: float) -> list[dict]:
    ps = [nn.Parameter(p.detach().clone()) for p in model.parameters()]
    return grouped([p for p in ps if p.dim() > 1], [p for p in ps if p.dim() <= 1], weight_decay)


@disguise(GROUPS, "weights of three dimensions are left out")
def g_three_lost(model: nn.Module, weight_decay: float) -> list[dict]:
    by_size: dict[int, list] = {1: [], 2: [], 3: [], 4: []}
    for p in model.parameters():
        by_size[p.dim()].append(p)
    return grouped(by_size[2], by_size[1], weight_decay)


@by(disguise(GROUPS, "only linear layers decay"))
def g_linear(name: str, p: Tensor, owner: nn.Module) -> bool:
    return isinstance(owner, nn.Linear) and p is owner.weight


@disguise(GROUPS, "weight_decay is not read")
def g_own_strength(model: nn.Module, weight_decay: float = 0.01) -> list[dict]:
    wide = [p for p in model.parameters() if p.ndim >= 2]
    return grouped(wide, [p for p in model.parameters() if p.ndim < 2], 0.01)


@disguise(GROUPS, "the group that does not decay comes first")
def g_other_order(model: nn.Module, weight_decay: float) -> list[dict]:
    wide = [p for p in model.parameters() if p.ndim >= 2]
    return grouped(wide, [p for p in model.parameters() if p.ndim < 2], weight_decay)[::-1]


@disguise(GROUPS, "a group for every parameter")
def g_one_for_each(model: nn.Module, weight_decay: float) -> list[dict]:
    return [{"params": [p], "weight_decay": weight_decay * (p.ndim > 1)} for p in model.parameters()]


@disguise(GROUPS, "norms and biases are frozen")
def g_frozen(model: nn.Module, weight_decay: float) -> list[dict]:
    still = [p.requires_grad_(False) for p in model.parameters() if p.ndim < 2]
    return grouped([p for p in model.parameters() if p.ndim >= 2], still, weight_decay)


@correct(GROUPS)
def gr_dict(model: nn.Module, weight_decay: float) -> list[dict]:
    found: dict[float, list] = {weight_decay: [], 0.0: []}
    for p in model.parameters():
        found[weight_decay if p.dim() > 1 else 0.0].append(p)
    return [{"params": ps, "weight_decay": wd} for wd, ps in found.items()]


@correct(GROUPS)
def gr_seen(model: nn.Module, weight_decay: float) -> list[dict]:
    seen: set[int] = set()
    some: list = []
    others: list = []
    for part in model.modules():
        for p in part._parameters.values():
            if p is not None and id(p) not in seen:
                seen.add(id(p))
                (others if len(p.shape) <= 1 else some).append(p)
    return [{"weight_decay": weight_decay, "params": some}, {"weight_decay": 0, "params": others}]


# slips in right code ----------------------------------------------------------------------------


def gr_one_by_one(model: nn.Module, weight_decay: float) -> list[dict]:
    """Each is put into one of two lists."""
    shrinking, left_alone = [], []
    found = dict(model.named_parameters())
    for name in found:
        if found[name].ndim >= 2:
            shrinking.append(found[name])
        else:
            left_alone.append(found[name])
    return [
        {"params": shrinking, "weight_decay": weight_decay},
        {"params": left_alone, "weight_decay": 0.0},
    ]


TWO_DICTS = """{"params": shrinking, "weight_decay": weight_decay},
        {"params": left_alone, "weight_decay": 0.0},"""

slips(
    GROUPS,
    gr_one_by_one,
    {
        "everything decays": [
            {"0.0": "weight_decay"},
            {"left_alone.append(found[name])": "shrinking.append(found[name])"},
        ],
        "nothing decays": [
            {'"weight_decay": weight_decay': '"weight_decay": 0'},
            {"shrinking.append(found[name])": "left_alone.append(found[name])"},
        ],
        "the groups are exchanged": {">= 2": "< 2"},
        "the group that does not decay comes first": {
            TWO_DICTS: """{"params": left_alone, "weight_decay": 0.0},
        {"params": shrinking, "weight_decay": weight_decay},"""
        },
        "norms decay": {"found[name].ndim >= 2": '"bias" not in name'},
        "norms are known by their name": {"found[name].ndim >= 2": '"norm" not in name and "bias" not in name'},
        "biases decay": {"found[name].ndim >= 2": 'found[name].ndim >= 2 or name.endswith("bias")'},
        "tables do not decay": {"found[name].ndim >= 2": 'found[name].ndim >= 2 and "emb" not in name'},
        "weights of two dimensions do not decay": {">= 2": "> 2"},
        "only weights of two dimensions decay": {">= 2": "== 2"},
        "weights of three dimensions are left out": {">= 2": "== 2", "else:": "elif found[name].ndim == 1:"},
        "weight_decay is not read": [
            {'"weight_decay": weight_decay': '"weight_decay": 0.01'},
            {'"weight_decay": weight_decay': '"weight_decay": 0.1'},
        ],
        "norms and biases are left out": [
            {'        {"params": left_alone, "weight_decay": 0.0},\n': ""},
            {"left_alone.append(found[name])": "continue"},
        ],
        "no weight_decay in the second group": {', "weight_decay": 0.0': ""},
        "what is shared is listed twice": {"named_parameters()": "named_parameters(remove_duplicate=False)"},
        "names, not parameters": {
            "shrinking.append(found[name])": "shrinking.append(name)",
            "alone.append(found[name])": "alone.append(name)",
        },
        "the parameters of parts are left out": {"named_parameters()": "named_parameters(recurse=False)"},
        "the groups are exchanged + no weight_decay in the second group": {">= 2": "< 2", ', "weight_decay": 0.0': ""},
    },
)


def gr_part_by_part(model: nn.Module, weight_decay: float) -> list[dict]:
    """Through all parts; what has been answered is not asked again."""
    answers: dict[nn.Parameter, bool] = {}
    for part in model.modules():
        for p in part.parameters(recurse=False):
            answers.setdefault(p, p.ndim > 1)
    yes, no = ([p for p, answer in answers.items() if answer is wanted] for wanted in (True, False))
    return [dict(params=yes, weight_decay=weight_decay), dict(params=no, weight_decay=0.0)]


WITH_NAMES = {"p in part.parameters": "name, p in part.named_parameters"}

slips(
    GROUPS,
    gr_part_by_part,
    {
        "everything decays": {"=0.0": "=weight_decay"},
        "nothing decays": {"weight_decay=weight_decay": "weight_decay=0.0"},
        "the groups are exchanged": [{"p.ndim > 1": "p.ndim <= 1"}, {"(True, False)": "(False, True)"}],
        "the group that does not decay comes first": {
            "dict(params=yes, weight_decay=weight_decay), dict(params=no, weight_decay=0.0)": (
                "dict(params=no, weight_decay=0.0), dict(params=yes, weight_decay=weight_decay)"
            )
        },
        "norms decay": {**WITH_NAMES, "p.ndim > 1": 'name != "bias"'},
        "only torch's own norms are known": {
            **WITH_NAMES,
            "p.ndim > 1": 'not isinstance(part, nn.LayerNorm) and name != "bias"',
        },
        "biases decay": {**WITH_NAMES, "p.ndim > 1": 'p.ndim > 1 or name == "bias"'},
        "tables do not decay": [
            {"p.ndim > 1": "p.ndim > 1 and not isinstance(part, nn.Embedding)"},
            {"answers.setdefault(p, p.ndim > 1)": "answers[p] = p.ndim > 1 and not isinstance(part, nn.Embedding)"},
        ],
        "sorted by the class of the layer": {
            **WITH_NAMES,
            "p.ndim > 1": 'not isinstance(part, (nn.LayerNorm, nn.Embedding)) and name != "bias"',
        },
        "weights of two dimensions do not decay": {"p.ndim > 1": "p.ndim > 2"},
        "only weights of two dimensions decay": {"p.ndim > 1": "p.ndim == 2"},
        "only linear layers decay": [
            {**WITH_NAMES, "p.ndim > 1": 'isinstance(part, nn.Linear) and name == "weight"'},
            {
                **WITH_NAMES,
                "answers.setdefault(p, p.ndim > 1)": 'answers[p] = isinstance(part, nn.Linear) and name == "weight"',
            },
        ],
        "weight_decay is not read": {"weight_decay=weight_decay": "weight_decay=0.01"},
        "norms and biases are left out": {", dict(params=no, weight_decay=0.0)": ""},
        "no weight_decay in the second group": {", weight_decay=0.0": ""},
        "the parameters of parts are left out": {"model.modules()": "[model]"},
    },
)


def gr_two_questions(model: nn.Module, weight_decay: float) -> list[dict]:
    """The same question, asked of all twice."""
    named = dict(model.named_parameters())
    decaying = [p for n, p in named.items() if p.dim() >= 2]
    others = [p for n, p in named.items() if p.dim() < 2]
    strengths = (weight_decay, 0.0)
    return [{"params": ps, "weight_decay": one} for ps, one in zip((decaying, others), strengths, strict=True)]


slips(
    GROUPS,
    gr_two_questions,
    {
        "everything decays": {"(weight_decay, 0.0)": "(weight_decay, weight_decay)"},
        "nothing decays": {"(weight_decay, 0.0)": "(0.0, 0.0)"},
        "the groups are exchanged": [
            {"(weight_decay, 0.0)": "(0.0, weight_decay)"},
            {"(decaying, others)": "(others, decaying)"},
        ],
        "the group that does not decay comes first": {
            "(weight_decay, 0.0)": "(0.0, weight_decay)",
            "(decaying, others)": "(others, decaying)",
        },
        "norms decay": {"p.dim() >= 2": 'not n.endswith("bias")', "p.dim() < 2": 'n.endswith("bias")'},
        "norms are known by their name": {
            "p.dim() >= 2": 'not ("norm" in n or "bias" in n)',
            "p.dim() < 2": '("norm" in n or "bias" in n)',
        },
        "tables do not decay": {
            "p.dim() >= 2": 'p.dim() >= 2 and "embedding" not in n',
            "p.dim() < 2": 'p.dim() < 2 or "embedding" in n',
        },
        "weights of two dimensions do not decay": {"p.dim() >= 2": "p.dim() > 2", "p.dim() < 2": "p.dim() <= 2"},
        "only weights of two dimensions decay": {"p.dim() >= 2": "p.dim() == 2", "p.dim() < 2": "p.dim() != 2"},
        "weights of three dimensions are left out": [{"p.dim() >= 2": "p.dim() == 2"}],
        "weight_decay is not read": {"(weight_decay, 0.0)": "(0.1, 0.0)"},
        "norms and biases are left out": [
            {"zip((decaying, others), strengths, strict=True)": "[(decaying, weight_decay)]"}
        ],
        "what is shared is listed twice": {"named_parameters()": "named_parameters(remove_duplicate=False)"},
        "names, not parameters": {
            "[p for n, p in named.items() if p.dim() >=": "[n for n, p in named.items() if p.dim() >=",
            "[p for n, p in named.items() if p.dim() <": "[n for n, p in named.items() if p.dim() <",
        },
        "the parameters of parts are left out": {"named_parameters()": "named_parameters(recurse=False)"},
    },
)


def gr_shelves(model: nn.Module, weight_decay: float) -> list[dict]:
    """A shelf for each kind."""
    shelves = defaultdict(list)
    for one in model.parameters():
        shelves["flat" if len(one.shape) < 2 else "wide"].append(one)
    wide = {"weight_decay": weight_decay, "params": shelves["wide"]}
    flat = {"weight_decay": 0.0, "params": shelves["flat"]}
    return [wide, flat]


slips(
    GROUPS,
    gr_shelves,
    {
        "everything decays": [{"0.0": "weight_decay"}, {'"flat" if len(one.shape) < 2 else "wide"': '"wide"'}],
        "nothing decays": {'"weight_decay": weight_decay': '"weight_decay": 0.0'},
        "the groups are exchanged": {
            '"flat" if len(one.shape) < 2 else "wide"': '"wide" if len(one.shape) < 2 else "flat"'
        },
        "the group that does not decay comes first": {"[wide, flat]": "[flat, wide]"},
        "weights of two dimensions do not decay": {"< 2": "<= 2"},
        "only weights of two dimensions decay": {"< 2": "!= 2"},
        "weights of three dimensions are left out": {
            '"flat" if len(one.shape) < 2 else "wide"': "len(one.shape)",
            'shelves["wide"]': "shelves[2]",
            'shelves["flat"]': "shelves[1]",
        },
        "weight_decay is not read": {'"weight_decay": weight_decay': '"weight_decay": 1e-2'},
        "norms and biases are left out": {"[wide, flat]": "[wide]"},
        "no weight_decay in the second group": {'"weight_decay": 0.0, ': ""},
        "the parameters of parts are left out": {"model.parameters()": "model.parameters(recurse=False)"},
        "what is shared is listed twice": {
            "model.parameters()": "(p for part in model.modules() for p in part.parameters(recurse=False))"
        },
        "weight_decay is not read + norms and biases are left out": {
            '"weight_decay": weight_decay': '"weight_decay": 1e-2',
            "[wide, flat]": "[wide]",
        },
    },
)


@disguise(GROUPS, "an empty group is left out")
def gr_only_full_ones(model: nn.Module, weight_decay: float) -> list[dict]:
    found = []
    for strength, wide in ((weight_decay, True), (0.0, False)):
        inside = [one for one in model.parameters() if (one.ndim >= 2) is wide]
        if inside:
            found.append({"params": inside, "weight_decay": strength})
    return found


@correct(GROUPS)
def gr_learning_alone(model: nn.Module, weight_decay: float) -> list[dict]:
    """Many projects leave out what is frozen: an optimizer passes over it."""
    learning = {name: one for name, one in model.named_parameters() if one.requires_grad}
    wide = [one for one in learning.values() if one.dim() >= 2]
    flat = [one for one in learning.values() if one.dim() < 2]
    return [{"params": wide, "weight_decay": weight_decay}, {"params": flat, "weight_decay": 0.0}]


slips(
    GROUPS,
    gr_shelves,
    {
        "an empty group is left out": {"return [wide, flat]": 'return [one for one in (wide, flat) if one["params"]]'},
    },
)
