"""Lesson 16: what an optimizer gets."""

from itertools import product
from typing import Any

from torch import nn

from autograder.stand_ins.optimization import decay_groups
from tests.variants import correct, disguise, slips, unlisted

GROUPS = "fine_tune_groups"


def part_of(model: nn.Module, head: nn.Module) -> None:
    """The given ValueError."""
    known = {id(one) for one in model.parameters()}
    if any(id(one) not in known for one in head.parameters()):
        raise ValueError("no part of the model")


def four_lists(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    """Sorted one by one."""
    part_of(model, head)
    new = [id(p) for p in head.parameters()]
    lists: dict[str, list[Any]] = {"new": [], "new bare": [], "old": [], "old bare": []}
    for p in model.parameters():
        mine = "new" if id(p) in new else "old"
        bare = "" if p.ndim > 1 else " bare"
        lists[mine + bare].append(p)
    return [
        {"params": lists["new"], "lr": head_rate, "weight_decay": weight_decay},
        {"params": lists["new bare"], "lr": head_rate, "weight_decay": 0.0},
        {"params": lists["old"], "lr": rate, "weight_decay": weight_decay},
        {"params": lists["old bare"], "lr": rate, "weight_decay": 0.0},
    ]


slips(
    GROUPS,
    four_lists,
    {
        "the head is in no group": {
            '        {"params": lists["new"], "lr": head_rate, "weight_decay": weight_decay},\n': "",
            '        {"params": lists["new bare"], "lr": head_rate, "weight_decay": 0.0},\n': "",
        },
        "the rest is in no group": {
            '        {"params": lists["old"], "lr": rate, "weight_decay": weight_decay},\n': "",
            '        {"params": lists["old bare"], "lr": rate, "weight_decay": 0.0},\n': "",
        },
        "the head is in two groups": {
            "lists[mine + bare].append(p)": "for one in {mine, 'old'}:\n            lists[one + bare].append(p)"
        },
        "the rates are exchanged": {'"new" if id(p) in new else "old"': '"old" if id(p) in new else "new"'},
        "one rate for everything": [
            {'"new" if id(p) in new else "old"': '"old"'},
            {'"new" if id(p) in new else "old"': '"new"'},
        ],
        "norms and biases decay": {'"" if p.ndim > 1 else " bare"': '""'},
        "norms and biases of the head decay": {
            'if p.ndim > 1 else " bare"': 'if p.ndim > 1 or mine == "new" else " bare"'
        },
        "norms and biases of the rest decay": {
            'if p.ndim > 1 else " bare"': 'if p.ndim > 1 or mine == "old" else " bare"'
        },
        "the head does not decay": {
            '{"params": lists["new"], "lr": head_rate, "weight_decay": weight_decay}': (
                '{"params": lists["new"], "lr": head_rate, "weight_decay": 0.0}'
            )
        },
        "the rest is frozen": {
            "lists[mine + bare].append(p)": (
                'p.requires_grad_(p.requires_grad and mine == "new")\n        lists[mine + bare].append(p)'
            )
        },
        "the rates are exchanged + norms and biases decay": {
            '"" if p.ndim > 1 else " bare"': '""',
            '"new" if id(p) in new else "old"': '"old" if id(p) in new else "new"',
        },
        "everything is in two groups": {
            "lists[mine + bare].append(p)": "for one in ('new', 'old'):\n            lists[one + bare].append(p)"
        },
        "the rest does not decay": {
            '{"params": lists["old"], "lr": rate, "weight_decay": weight_decay}': (
                '{"params": lists["old"], "lr": rate, "weight_decay": 0.0}'
            )
        },
        "half of the groups have no decay of their own": [
            {
                f'"params": lists["{which}"], "lr": {rate}, "weight_decay": weight_decay': (
                    f'"params": lists["{which}"], "lr": {rate}'
                ),
                f'"params": lists["{which} bare"], "lr": {rate}, "weight_decay": 0.0': (
                    f'"params": lists["{which} bare"], "lr": {rate}'
                ),
            }
            for which, rate in (("new", "head_rate"), ("old", "rate"))
        ],
        "norms and biases are in no group": {
            '        {"params": lists["old bare"], "lr": rate, "weight_decay": 0.0},\n': ""
        },
    },
)


def twice_sorted(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    """The head by itself, then what is left of the model."""
    part_of(model, head)
    first = decay_groups(head, weight_decay)
    taken = {id(one) for group in first for one in group["params"]}
    second = decay_groups(model, weight_decay)
    for group in second:
        group["params"] = [one for one in group["params"] if id(one) not in taken]
    return [dict(group, lr=head_rate) for group in first] + [dict(group, lr=rate) for group in second]


slips(
    GROUPS,
    twice_sorted,
    {
        "the head is in no group": {"[dict(group, lr=head_rate) for group in first] + ": ""},
        "the rest is in no group": {" + [dict(group, lr=rate) for group in second]": ""},
        "the head is in two groups": {"if id(one) not in taken]": "]"},
        "the rates are exchanged": {"lr=head_rate": "lr=rate", "lr=rate)": "lr=head_rate)"},
        "one rate for everything": [{"lr=head_rate": "lr=rate"}, {"lr=rate)": "lr=head_rate)"}],
        "the rest has no rate of its own": {"dict(group, lr=rate)": "dict(group)"},
        "the head has no rate of its own": {"dict(group, lr=head_rate)": "dict(group)"},
        "no group has a rate": {"dict(group, lr=rate)": "dict(group)", "dict(group, lr=head_rate)": "dict(group)"},
        "the head does not decay": {"decay_groups(head, weight_decay)": "decay_groups(head, 0.0)"},
        "nothing decays": {
            "decay_groups(head, weight_decay)": "decay_groups(head, 0.0)",
            "decay_groups(model, weight_decay)": "decay_groups(model, 0.0)",
        },
        "norms and biases of the head decay": {
            "decay_groups(head, weight_decay)": '[{"params": list(head.parameters()), "weight_decay": weight_decay}]'
        },
        "norms and biases of the rest decay": {
            "decay_groups(model, weight_decay)": '[{"params": list(model.parameters()), "weight_decay": weight_decay}]'
        },
    },
)


def one_group_each(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    """As many groups as parameters."""
    part_of(model, head)
    own = set(map(id, head.parameters()))
    strength = {
        id(one): group["weight_decay"] for group in decay_groups(model, weight_decay) for one in group["params"]
    }
    return [
        {"params": [one], "lr": head_rate if id(one) in own else rate, "weight_decay": strength[id(one)]}
        for one in model.parameters()
    ]


slips(
    GROUPS,
    one_group_each,
    {
        "the head is in no group": {
            "for one in model.parameters()\n": "for one in model.parameters() if id(one) not in own\n"
        },
        "the rest is in no group": {
            "for one in model.parameters()\n": "for one in model.parameters() if id(one) in own\n"
        },
        "the rates are exchanged": {"if id(one) in own else": "if id(one) not in own else"},
        "one rate for everything": [{"head_rate if id(one) in own else rate": "rate"}],
        "no group has a rate": {'"lr": head_rate if id(one) in own else rate, ': ""},
        "no group has a decay": {', "weight_decay": strength[id(one)]': ""},
        "norms and biases decay": {"strength[id(one)]": "weight_decay"},
        "nothing decays": {"strength[id(one)]": "0.0"},
        "the head does not decay": {"strength[id(one)]": "0.0 if id(one) in own else strength[id(one)]"},
        "the head is known by its name": {
            "own = set(map(id, head.parameters()))": (
                "own = {id(one) for name, one in model.named_parameters() if 'head' in name}"
            )
        },
        "what is shared belongs to the rest": {
            "own = set(map(id, head.parameters()))": (
                "names = [name for name, one in model.named_modules() if one is head]\n"
                "    own = {id(p) for n, p in model.named_parameters() if n.startswith(names[0])}"
            )
        },
    },
)


def made(
    inside: Any = None, rates: Any = None, decays: Any = None, keys: Any = ("lr", "weight_decay"), more: Any = None
) -> Any:
    """Another answer to one of the questions."""

    def groups(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
        part_of(model, head)
        own = {id(one) for one in head.parameters()}
        named = list(model.named_parameters())
        found = []
        for new, wide in product((True, False), (True, False)):
            params = [
                p for name, p in named if (inside(name, p) if inside else id(p) in own) == new and (p.dim() > 1) == wide
            ]
            lr = (rates or (lambda new, a, b: b if new else a))(new, rate, head_rate)
            strength = (decays or (lambda new, wide, d: d if wide else 0.0))(new, wide, weight_decay)
            group = {"params": params, "lr": lr, "weight_decay": strength}
            found.append({key: value for key, value in group.items() if key in ("params", *keys)})
        return more(found) if more else found

    return groups


disguise(GROUPS, "the head is in no group")(made(more=lambda found: found[2:]))
disguise(GROUPS, "the rest is in no group")(made(more=lambda found: found[:2]))
disguise(GROUPS, "the rates are exchanged")(made(rates=lambda new, a, b: a if new else b))
disguise(GROUPS, "one rate for everything")(made(rates=lambda new, a, b: a))
disguise(GROUPS, "one rate for everything")(made(rates=lambda new, a, b: b))
disguise(GROUPS, "no group has a rate")(made(keys=("weight_decay",)))
disguise(GROUPS, "no group has a decay")(made(keys=("lr",)))
disguise(GROUPS, "norms and biases decay")(made(decays=lambda new, wide, d: d))
disguise(GROUPS, "norms and biases of the head decay")(made(decays=lambda new, wide, d: d if wide or new else 0.0))
disguise(GROUPS, "norms and biases of the rest decay")(made(decays=lambda new, wide, d: 0.0 if new and not wide else d))
disguise(GROUPS, "the head does not decay")(made(decays=lambda new, wide, d: d if wide and not new else 0.0))
disguise(GROUPS, "nothing decays")(made(decays=lambda new, wide, d: 0.0))
disguise(GROUPS, "the head is known by its name")(made(inside=lambda name, p: "head" in name))
disguise(GROUPS, "the head is known by its name")(made(inside=lambda name, p: name[:4] == "head"))


def without_rate(which: slice) -> Any:
    def drop(found: Any) -> Any:
        for group in found[which]:
            del group["lr"]
        return found

    return drop


disguise(GROUPS, "the rest has no rate of its own")(made(more=without_rate(slice(2, 4))))
disguise(GROUPS, "the head has no rate of its own")(made(more=without_rate(slice(0, 2))))


@disguise(GROUPS, "the head is in two groups")
def g_two(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    both = [*decay_groups(model, weight_decay), *decay_groups(head, weight_decay)]
    for group, lr in zip(both, (rate, rate, head_rate, head_rate), strict=True):
        group["lr"] = lr
    return both


@disguise(GROUPS, "what is shared is in two groups")
def g_side_by_side(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    found = [group | {"lr": head_rate} for group in decay_groups(head, weight_decay)]
    inside = list(head.modules())
    for part in model.modules():
        if not any(part is one for one in inside):
            mine = list(part.parameters(recurse=False))
            wide, narrow = [p for p in mine if p.dim() > 1], [p for p in mine if p.dim() < 2]
            found.append({"params": wide, "lr": rate, "weight_decay": weight_decay})
            found.append({"params": narrow, "lr": rate, "weight_decay": 0.0})
    return found


@disguise(GROUPS, "two groups are one dict")
def g_one_dict(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    own, found = {id(one) for one in head.parameters()}, []
    for group in decay_groups(model, weight_decay):
        every = group["params"]
        for new, lr in ((True, head_rate), (False, rate)):
            group["params"] = [one for one in every if (id(one) in own) is new]
            group["lr"] = lr
            found.append(group)
    return found


@disguise(GROUPS, "the rest is frozen")
def g_frozen(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    right = four_lists(model, head, rate, head_rate, weight_decay)
    for group in right[2:]:
        for one in group["params"]:
            one.requires_grad = False
    return right


@disguise(GROUPS, "the rest is frozen")
def g_only_the_head(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    return g_frozen(model, head, rate, head_rate, weight_decay)[:2]


@disguise(GROUPS, "what is shared belongs to the rest")
def g_shared(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    inside = {part for part in head.modules()}
    others = [part for part in model.modules() if part not in inside]
    old = {id(one) for part in others for one in part.parameters(recurse=False)}
    found = []
    for group in decay_groups(model, weight_decay):
        for is_old, lr in ((True, rate), (False, head_rate)):
            params = [one for one in group["params"] if (id(one) in old) is is_old]
            found.append({**group, "params": params, "lr": lr})
    return found


@correct(GROUPS)
def g_with_names(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    """Pairs of a name and a parameter, which torch takes too."""
    part_of(model, head)
    own = {id(one) for one in head.parameters()}
    sorted_ = {}
    for name, one in model.named_parameters():
        key = (head_rate if id(one) in own else rate, weight_decay * (one.dim() >= 2))
        sorted_.setdefault(key, []).append((name, one))
    return [{"params": params, "lr": key[0], "weight_decay": key[1]} for key, params in sorted_.items()]


@correct(GROUPS)
def g_by_identity(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    found = []
    for group in decay_groups(model, weight_decay):
        new = [one for one in group["params"] if any(one is other for other in head.parameters())]
        old = [one for one in group["params"] if not any(one is other for other in new)]
        found += [group | {"params": new, "lr": head_rate}, group | {"params": old, "lr": rate}]
    return [group for group in found if group["params"]]


disguise(GROUPS, "the head's rate is a multiple")(made(rates=lambda new, a, b: a + b if new else a))
unlisted(GROUPS)(made(rates=lambda new, a, b: b / 2 if new else a))
unlisted(GROUPS)(made(decays=lambda new, wide, d: d / 2 if wide else 0.0))


@unlisted(GROUPS)
def g_last_part(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    """Only the last layer of a head is new."""
    part_of(model, head)
    last = [part for part in head.modules() if isinstance(part, nn.Linear)][-1]
    return four_lists(model, last, rate, head_rate, weight_decay)


@disguise(GROUPS, "norms decay")
def g_norm_names(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    """Biases decay not, the scales of norms do."""
    right = four_lists(model, head, rate, head_rate, weight_decay)
    names = {id(one): name for name, one in model.named_parameters()}
    for at in (0, 2):
        scales = [one for one in right[at + 1]["params"] if names[id(one)].endswith("weight")]
        right[at]["params"] += scales
        right[at + 1]["params"] = [one for one in right[at + 1]["params"] if names[id(one)].endswith("bias")]
    return right


@disguise(GROUPS, "norms decay")
def g_as_scripts_do(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    """By the list of names that many scripts have."""
    part_of(model, head)
    own = {id(one) for one in head.parameters()}
    calm = ("bias", "LayerNorm.weight", "norm.weight")
    found = []
    for name, one in model.named_parameters():
        decay = 0.0 if any(word in name for word in calm) else weight_decay
        found.append({"params": [one], "lr": head_rate if id(one) in own else rate, "weight_decay": decay})
    return found


@disguise(GROUPS, "what decays is exchanged")
def g_taken_in_turn(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    right = four_lists(model, head, rate, head_rate, weight_decay)
    for one, other in (right[:2], right[2:]):
        one["params"], other["params"] = other["params"], one["params"]
    return right


@disguise(GROUPS, "the second group is not cut")
def g_first_cut(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    own = {id(one) for one in head.parameters()}
    wide, narrow = decay_groups(model, weight_decay)
    new = [one for one in wide["params"] if id(one) in own]
    old = [one for one in wide["params"] if id(one) not in own]
    return [{**wide, "params": new, "lr": head_rate}, {**wide, "params": old, "lr": rate}, {**narrow, "lr": rate}]


@disguise(GROUPS, "norms and biases are in no group")
def g_first_alone(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    return four_lists(model, head, rate, head_rate, weight_decay)[::2]


def cut_in_two(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    new, old = [], []
    for each in decay_groups(model, weight_decay):
        own = {id(p) for p in head.parameters()}
        new.append([p for p in each["params"] if id(p) in own])
        old.append([p for p in each["params"] if id(p) not in own])
    decays = (weight_decay, 0.0)
    found = [{"params": ps, "lr": head_rate, "weight_decay": wd} for ps, wd in zip(new, decays, strict=True)]
    found += [{"params": ps, "lr": rate, "weight_decay": wd} for ps, wd in zip(old, decays, strict=True)]
    return found


slips(
    GROUPS,
    cut_in_two,
    {
        "a weight decay of its own": {"decays = (weight_decay, 0.0)": "decays = (0.01, 0.0)"},
        "the head is known by its numbers": {
            "own = {id(p) for p in head.parameters()}": "own = [p.shape for p in head.parameters()]",
            "if id(p) in own": "if p.shape in own",
            "if id(p) not in own": "if p.shape not in own",
        },
        "the decay is scaled by a rate": {"decays = (weight_decay, 0.0)": "decays = (rate * weight_decay, 0.0)"},
        "ids for parameters": {"new.append([p for": "new.append([id(p) for"},
        "copies of the parameters": {"new.append([p for": "new.append([p.clone() for"},
        "the head is in two groups": {
            "    return found": (
                '    return [*found, {"params": head.parameters(), "lr": head_rate, "weight_decay": weight_decay}]'
            )
        },
    },
)


@disguise(GROUPS, "weights are in no group")
def only_small_ones(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    return [one for one in four_lists(model, head, rate, head_rate, weight_decay) if one["weight_decay"] == 0.0]


@disguise(GROUPS, "a weight decay of its own")
def its_own_decay(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    return four_lists(model, head, rate, head_rate, 0.1)


@disguise(GROUPS, "the decay is scaled by a rate")
def times_the_rate(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    found = four_lists(model, head, rate, head_rate, weight_decay)
    return [{**one, "weight_decay": one["lr"] * one["weight_decay"]} for one in found]


@disguise(GROUPS, "the head is known by its numbers")
def equal_numbers(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    def equal(one: Any) -> bool:
        return any(one.tolist() == other.tolist() for other in head.parameters())

    part_of(model, head)
    groups = []
    for each in decay_groups(model, weight_decay):
        for wanted, lr in ((True, head_rate), (False, rate)):
            groups.append({**each, "params": [p for p in each["params"] if equal(p) is wanted], "lr": lr})
    return groups


@disguise(GROUPS, "the rates go by what decays")
def by_decay(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    wide, narrow = decay_groups(model, weight_decay)
    return [{**wide, "lr": head_rate}, {**narrow, "lr": rate}]


@disguise(GROUPS, "copies of the parameters")
def copied(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    found = four_lists(model, head, rate, head_rate, weight_decay)
    return [{**one, "params": [p.detach() for p in one["params"]]} for one in found]


@disguise(GROUPS, "ids for parameters")
def numbers_of_parameters(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    found = four_lists(model, head, rate, head_rate, weight_decay)
    return [{**one, "params": list(map(id, one["params"]))} for one in found]


@disguise(GROUPS, "the larger rate for the head")
def quicker_head(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    slow, quick = sorted((rate, head_rate))
    return four_lists(model, head, slow, quick, weight_decay)


@disguise(GROUPS, "everything is in two groups")
def in_both(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    return [{**group, "lr": lr} for group, lr in product(decay_groups(model, weight_decay), (rate, head_rate))]


def changed(rest: Any, new: Any) -> Any:
    """Groups of one parameter each, and what becomes of one of the rest or of the head."""

    def sort(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
        part_of(model, head)
        mine = set(head.parameters())
        found = []
        for group in decay_groups(model, weight_decay):
            for one in group["params"]:
                made = {
                    "params": [one],
                    "lr": head_rate if one in mine else rate,
                    "weight_decay": group["weight_decay"],
                }
                found.append((new if one in mine else rest)(made))
        return found

    return sort


disguise(GROUPS, "the rest does not decay")(changed(lambda one: one | {"weight_decay": 0.0}, dict))
for one_of_both in (
    changed(lambda one: {"params": one["params"], "lr": one["lr"]}, dict),
    changed(dict, lambda one: {"params": one["params"], "lr": one["lr"]}),
):
    disguise(GROUPS, "half of the groups have no decay of their own")(one_of_both)


disguise(GROUPS, "rate and decay are exchanged")(
    changed(*[lambda one: {"params": one["params"], "lr": one["weight_decay"], "weight_decay": one["lr"]}] * 2)
)


@disguise(GROUPS, "tables do not decay")
def tables_apart(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    tables = {id(part.weight) for part in model.modules() if isinstance(part, nn.Embedding)}
    found = []
    for group in one_group_each(model, head, rate, head_rate, weight_decay):
        [one] = group["params"]
        found.append({**group, "weight_decay": 0.0 if id(one) in tables else group["weight_decay"]})
    return found


@disguise(GROUPS, "another model's head is taken")
def any_head(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    mine = set(head.parameters())
    return [
        {"params": [one for one in group["params"] if (one in mine) == new], "lr": lr, "weight_decay": decay}
        for group, decay in zip(decay_groups(model, weight_decay), (weight_decay, 0.0), strict=True)
        for new, lr in ((True, head_rate), (False, rate))
    ]


@disguise(GROUPS, "two groups are one dict")
def cut_while_it_is_read(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    mine, found = set(head.parameters()), []
    for group in decay_groups(model, weight_decay):
        for new, lr in ((True, head_rate), (False, rate)):
            group["params"] = [one for one in group["params"] if (one in mine) == new]
            group["lr"] = lr
            found.append(group)
    return found


@disguise(GROUPS, "small groups are left out")
def full_groups(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    return [one for one in four_lists(model, head, rate, head_rate, weight_decay) if one["params"][1:]]


@disguise(GROUPS, "the head is known by its place")
def last_two(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    *_, weight, bias = model.parameters()
    return four_lists(model, nn.ParameterList([weight, bias]), rate, head_rate, weight_decay)
