"""Wrong ways of sorting parameters for an optimizer."""

from autograder.checks.fine_tuning.groups import fine_tune_groups
from autograder.probing.mistake import edit

GROUPS = "decay_groups(model, weight_decay)"
INSIDE = 'inside = [one for one in group["params"] if id(one) in of_head]'
OUTSIDE = 'outside = [one for one in group["params"] if id(one) not in of_head]'
OF_HEAD = 'groups.append({"params": inside, "lr": head_rate, "weight_decay": group["weight_decay"]})'
OF_REST = 'groups.append({"params": outside, "lr": rate, "weight_decay": group["weight_decay"]})'
SORTED_BY_NAME = (
    '[{{"params": [one for name, one in model.named_parameters() if ({0}) is wide], '
    '"weight_decay": weight_decay if wide else 0.0}} for wide in (True, False)]'
)
OF_FIRST = f'any(one is other for other in {GROUPS}[0]["params"])'
BY_NAME = "names = {id(one): name for name, one in model.named_parameters()}\n    groups = []"

fine_tune_groups.mistake(
    "the head is in no group",
    "The head is in no group, so no optimizer ever changes it: it keeps its random numbers, and the loss still falls a little, as the rest adapts to them. A much used library for sentence vectors had this. Every parameter belongs to exactly one group.",
    {OF_HEAD: "pass"},
    {"return groups": "return groups[1::2]"},
)

fine_tune_groups.mistake(
    "the rest is in no group",
    "Only the head is in a group. Everything below it stays as it was pretrained: frozen by accident. Every parameter belongs to exactly one group.",
    {OF_REST: "pass"},
    {"return groups": "return groups[::2]"},
)

fine_tune_groups.mistake(
    "the head is in two groups",
    "The head's parameters are in two groups. torch's optimizers refuse that; in one that does not, they take two steps at a time. What is in the head has to be left out of the rest.",
    {OUTSIDE: 'outside = list(group["params"])'},
    edit(
        {
            "return groups": 'groups.append({"params": list(head.parameters()), "lr": head_rate, "weight_decay": weight_decay})\n    return groups'
        },
        says="The head's parameters are in two groups: once where `decay_groups` is cut, and once more as a group of their own. torch's optimizers refuse that. Each parameter stands in exactly one.",
    ),
    edit(
        {OF_HEAD: OF_HEAD.replace("inside", "inside + inside", 1)},
        says="The head's parameters stand twice in one group. torch's optimizers warn of that, or take two steps at a time. Each parameter stands in exactly one group, and once.",
    ),
    edit(
        {OF_HEAD: f"{OF_HEAD}\n        {OF_HEAD}"},
        says="The groups of the head stand in your list twice. torch's optimizers refuse that. Each parameter stands in exactly one group.",
    ),
    edit(
        {
            OUTSIDE: 'outside = list(group["params"])',
            'inside, "lr": head_rate, "weight_decay": group["weight_decay"]': 'inside, "lr": head_rate, "weight_decay": weight_decay',
        },
        says="The head's parameters are in two groups: once in a group of the head, in which norms and biases decay too, and once more among the rest. torch's optimizers refuse that. Each parameter stands in exactly one, and what decays is for `decay_groups` to say.",
    ),
    edit(
        {OUTSIDE: "outside = inside"},
        says="The head is in two groups, and the rest is in none: the question whether a parameter is in the head is answered alike for both. What is in the head has one group, what is not in it another.",
    ),
)

fine_tune_groups.mistake(
    "the rates are exchanged",
    "The rates are exchanged: the head has `rate`, the rest `head_rate`. The head is new and has a long way to go; a large rate in what was pretrained wipes out what it knows.",
    {'"lr": head_rate': '"lr": rate', '"lr": rate': '"lr": head_rate'},
    {"if id(one) in of_head]": "if id(one) not in of_head]", "if id(one) not in of_head]": "if id(one) in of_head]"},
)

fine_tune_groups.mistake(
    "one rate for everything",
    "Everything has the same rate. The head is new and wants the larger `head_rate`; what was pretrained wants `rate`.",
    {'"lr": head_rate': '"lr": rate'},
    {'"lr": rate': '"lr": head_rate'},
)

fine_tune_groups.mistake(
    "the rest has no rate of its own",
    'The groups of the rest say no "lr", so they get the optimizer\'s own. It should be `rate`, whoever makes the optimizer.',
    {'"lr": rate, ': ""},
    edit(
        {'"lr": rate': '"lr": None'},
        says='The groups of the rest have None for their "lr", which no optimizer can step with. It should be `rate`.',
    ),
)

fine_tune_groups.mistake(
    "the head has no rate of its own",
    'The groups of the head say no "lr", so they get the optimizer\'s own. It should be `head_rate`, whoever makes the optimizer.',
    {'"lr": head_rate, ': ""},
    edit(
        {'"lr": head_rate': '"lr": None'},
        says='The groups of the head have None for their "lr", which no optimizer can step with. It should be `head_rate`.',
    ),
)

fine_tune_groups.mistake(
    "no group has a rate",
    'No group says an "lr", so all get the optimizer\'s own, and head and rest the same. Each group has its own: `head_rate` or `rate`.',
    {'"lr": rate, ': "", '"lr": head_rate, ': ""},
)

fine_tune_groups.mistake(
    "norms and biases decay",
    "Norms and biases decay too. A norm's scale is drawn towards 0, where it silences the feature, and a bias has nothing to gain from being small. `decay_groups` sorts them.",
    {GROUPS: '[{"params": list(model.parameters()), "weight_decay": weight_decay}]'},
    {
        'inside, "lr": head_rate, "weight_decay": group["weight_decay"]': 'inside, "lr": head_rate, "weight_decay": weight_decay',
        'outside, "lr": rate, "weight_decay": group["weight_decay"]': 'outside, "lr": rate, "weight_decay": weight_decay',
    },
)

fine_tune_groups.mistake(
    "norms decay",
    "Biases do not decay, and the scales of norms do, or of some. A scale that is drawn towards 0 silences its feature. Not every norm has `norm` in its name: `decay_groups` asks what a part is, and not what it is called.",
    {GROUPS: SORTED_BY_NAME.format('not name.endswith("bias")')},
    {GROUPS: SORTED_BY_NAME.format('not (name.endswith("bias") or "norm" in name.lower())')},
)

fine_tune_groups.mistake(
    "what decays is exchanged",
    "Norms and biases decay, and the weights of layers and tables do not. It is the other way round: the first group of `decay_groups` decays, the second has 0.0.",
    {GROUPS: f'[{{**one, "weight_decay": weight_decay - one["weight_decay"]}} for one in {GROUPS}]'},
)

fine_tune_groups.mistake(
    "the second group is not cut",
    "Norms and biases all have the rate of the rest, those of the head as well. Both groups of `decay_groups` are to be cut in two: the head has its rate for its biases too.",
    {
        "if id(one) in of_head]": f"if id(one) in of_head and {OF_FIRST}]",
        "if id(one) not in of_head]": f"if id(one) not in of_head or not {OF_FIRST}]",
    },
    {'"lr": head_rate': '"lr": head_rate if group["weight_decay"] else rate'},
)

fine_tune_groups.mistake(
    "the larger rate for the head",
    "The head has the larger of the two rates, whichever that is. Mostly it is `head_rate`; who freezes a head, or goes on with a trained one, gives it the smaller. The head has `head_rate`, the rest `rate`.",
    {'"lr": head_rate': '"lr": max(rate, head_rate)', '"lr": rate': '"lr": min(rate, head_rate)'},
    {'"lr": head_rate': '"lr": max(rate, head_rate)'},
    {'"lr": rate': '"lr": min(rate, head_rate)'},
)

fine_tune_groups.mistake(
    "norms and biases are in no group",
    "Norms and biases are in no group, so no optimizer ever changes them. `decay_groups` gives two groups, and both are needed: the second says that what is in it does not decay.",
    {GROUPS: f"{GROUPS}[:1]"},
    *(
        edit(
            {line: f"{line[:-1]} and {OF_FIRST}]"},
            says=f"Norms and biases {where} are in no group, so no optimizer ever changes them. Both groups of `decay_groups` are to be cut, and both halves of each are needed.",
        )
        for line, where in ((INSIDE, "of the head"), (OUTSIDE, "below the head"))
    ),
    edit(
        {GROUPS: f'[{{**one, "params": {GROUPS}[0]["params"]}} for one in {GROUPS}]'},
        says="Norms and biases are in no group, and the weights are in two: once with a decay, and once without. `decay_groups` gives two groups, and you take the parameters of the first both times.",
    ),
)

fine_tune_groups.mistake(
    "small groups are left out",
    "A group of a single parameter, or of two, is left out: its parameters stand in no group, and no optimizer ever changes them. Only a group that is empty may be left out.",
    *({"return groups": f'return [one for one in groups if len(one["params"]) > {few}]'} for few in (1, 2)),
)

fine_tune_groups.mistake(
    "the head is known by its place",
    "You take the last parameters of the model for the head. A head may have more of them or fewer, and other parts may stand behind it. It is given: its parameters are `head.parameters()`, and `of_head` holds their ids.",
    *(
        {"groups = []": f"of_head = {{id(one) for one in list(model.parameters())[-{last}:]}}\n    groups = []"}
        for last in (1, 2)
    ),
)

fine_tune_groups.mistake(
    "norms and biases of the head decay",
    "In the head everything decays, norms and biases too. What `decay_groups` says holds for the head as for the rest.",
    {
        'inside, "lr": head_rate, "weight_decay": group["weight_decay"]': 'inside, "lr": head_rate, "weight_decay": weight_decay'
    },
)

fine_tune_groups.mistake(
    "norms and biases of the rest decay",
    "Below the head everything decays, norms and biases too. What `decay_groups` says holds for the rest as for the head.",
    {'outside, "lr": rate, "weight_decay": group["weight_decay"]': 'outside, "lr": rate, "weight_decay": weight_decay'},
)

fine_tune_groups.mistake(
    "the head does not decay",
    "Nothing of the head decays. Its weights decay as those of any other layer: by `weight_decay`.",
    {'inside, "lr": head_rate, "weight_decay": group["weight_decay"]': 'inside, "lr": head_rate, "weight_decay": 0.0'},
)

fine_tune_groups.mistake(
    "nothing decays",
    "Nothing decays. `decay_groups(model, weight_decay)` wants the strength that was given, and its first group has it.",
    {GROUPS: "decay_groups(model, 0.0)"},
)

fine_tune_groups.mistake(
    "no group has a decay",
    'No group says a "weight_decay", so all get the optimizer\'s own: in AdamW that is 0.01, for norms and biases as well. Each group has its own.',
    {
        'inside, "lr": head_rate, "weight_decay": group["weight_decay"]': 'inside, "lr": head_rate',
        'outside, "lr": rate, "weight_decay": group["weight_decay"]': 'outside, "lr": rate',
    },
)

fine_tune_groups.mistake(
    "the rest is frozen",
    "What is below the head is frozen: `requires_grad` is False there. That is another way of using a pretrained model. Here all of it is trained, and the rest has its own rate.",
    {OF_REST: f"[one.requires_grad_(False) for one in outside]\n        {OF_REST}"},
    {OF_REST: "[one.requires_grad_(False) for one in outside]"},
    {"groups = []": "groups = []\n    for one in model.parameters():\n        one.requires_grad_(id(one) in of_head)"},
    edit(
        {'"lr": rate': '"lr": 0.0'},
        says="The rest has the rate 0, so it stays as it was pretrained: frozen by accident. It has a rate of its own, `rate`.",
    ),
)

fine_tune_groups.mistake(
    "the head is known by its name",
    'You look for "head" in the names. A head that is called otherwise is then trained as the rest, and a part called `heads` as a head. It is given: its parameters are `head.parameters()`.',
    {
        "groups = []": BY_NAME,
        "if id(one) in of_head]": 'if "head" in names[id(one)]]',
        "if id(one) not in of_head]": 'if "head" not in names[id(one)]]',
    },
    {
        "groups = []": BY_NAME,
        "if id(one) in of_head]": 'if names[id(one)].startswith("head")]',
        "if id(one) not in of_head]": 'if not names[id(one)].startswith("head")]',
    },
)

fine_tune_groups.mistake(
    "what is shared is in two groups",
    "What the head shares with the rest is in two groups. It is one parameter: torch's optimizers refuse to take it twice. Here it belongs to the head alone.",
    {
        "groups = []": """own = set(head.modules())
    below = {id(one) for part in model.modules() if part not in own for one in part.parameters(recurse=False)}
    groups = []""",
        "if id(one) not in of_head]": "if id(one) not in of_head or id(one) in below]",
    },
    edit(
        {
            "groups = []": """groups = []
    for part in model.children():
        if part is not head:
            groups += [{**one, "lr": rate} for one in decay_groups(part, weight_decay)]""",
            GROUPS: "decay_groups(head, weight_decay)",
            OF_REST: "pass",
        },
        says="What the head shares with the rest is in two groups: you sort the head and the other parts each by itself. It is one parameter: torch's optimizers refuse to take it twice. Here it belongs to the head alone. Where the whole model is the head, everything is in two groups.",
    ),
    edit(
        {
            GROUPS: SORTED_BY_NAME.format("one.dim() > 1").replace(
                "named_parameters()", "named_parameters(remove_duplicate=False)"
            )
        },
        says="What the head shares with the rest stands twice in its group: `remove_duplicate=False` lists a parameter once for each of its names. It is one parameter, and stands in one group, once.",
    ),
)

fine_tune_groups.mistake(
    "two groups are one dict",
    "The rest is in your list twice, and the head is not in it. Where one dict is changed and put in again, the list holds the same dict two times, and what was written last stands in both. Make a new dict for each group.",
    {
        OF_HEAD: "group.update(params=inside, lr=head_rate)\n        groups.append(group)",
        OF_REST: "group.update(params=outside, lr=rate)\n        groups.append(group)",
    },
    edit(
        {
            OF_HEAD: "groups.append(group)",
            OF_REST: "group.update(params=inside, lr=head_rate)\n        groups.append(group)",
        },
        says="The head is in your list twice, and the rest is not in it. Where one dict is changed and put in again, the list holds the same dict two times, and what was written last stands in both. Make a new dict for each group.",
    ),
    edit(
        {
            INSIDE: "pass",
            OUTSIDE: "group['params'] = []",
            OF_HEAD: "groups.append(group)",
            OF_REST: "groups.append(group)",
        },
        says="No parameter is in any group. The dict of `decay_groups` is changed while it is still to be cut: once it holds the head alone, there is no rest in it, and the other way round. Make a new dict for each group.",
    ),
)

fine_tune_groups.mistake(
    "what is shared belongs to the rest",
    "What the head shares with the rest has the rest's rate. It is one parameter and can have one rate only; here it is the head's.",
    {
        "groups = []": """own = set(head.modules())
    below = {id(one) for part in model.modules() if part not in own for one in part.parameters(recurse=False)}
    groups = []""",
        "if id(one) in of_head]": "if id(one) in of_head - below]",
        "if id(one) not in of_head]": "if id(one) not in of_head - below]",
    },
    {
        "groups = []": "below = {id(one) for part in model.children() if part is not head for one in part.parameters()}\n    groups = []",
        "if id(one) in of_head]": "if id(one) in of_head - below]",
        "if id(one) not in of_head]": "if id(one) not in of_head - below]",
    },
)

fine_tune_groups.mistake(
    "the groups are not cut",
    "The groups of `decay_groups` are not cut: where a part of the head is among them, the whole group has its rate. Cut each in two, what is in the head and what is not.",
    {OF_HEAD: 'groups.append({**group, "lr": head_rate if inside else rate})', OF_REST: "pass"},
    {OF_HEAD: 'groups.append({**group, "lr": rate if outside else head_rate})', OF_REST: "pass"},
    edit(
        {
            OF_HEAD: 'groups.append({**group, "lr": head_rate if id(group["params"][0]) in of_head else rate})',
            OF_REST: "pass",
        },
        says="The groups of `decay_groups` are not cut: the first parameter of a group decides on the rate of all. Cut each in two, what is in the head and what is not.",
    ),
)

fine_tune_groups.mistake(
    "what is frozen is in no group",
    "Frozen parameters are in no group. Every parameter of the model has one, also a parameter that is frozen now: whoever thaws it later finds it in the optimizer.",
    {
        INSIDE: f"{INSIDE[:-1]} and one.requires_grad]",
        OUTSIDE: f"{OUTSIDE[:-1]} and one.requires_grad]",
    },
)

fine_tune_groups.mistake(
    "the head's rate is a multiple",
    "The head has `rate` times `head_rate`, or the sum of the two. `head_rate` is the learning rate itself, not a factor.",
    {'"lr": head_rate': '"lr": rate * head_rate'},
    {'"lr": head_rate': '"lr": rate + head_rate'},
    edit(
        {'"lr": head_rate': '"lr": 10 * rate'},
        says="The head has ten times `rate`, whatever was asked for. `head_rate` is the learning rate of the head.",
    ),
)

fine_tune_groups.mistake(
    "weights are in no group",
    "The weights of layers and tables are in no group, so no optimizer ever changes them. `decay_groups` gives two groups, and both are needed: the first holds what decays.",
    {GROUPS: f"{GROUPS}[1:]"},
    *(
        edit(
            {line: f"{line[:-1]} and not {OF_FIRST}]"},
            says=f"The weights {where} are in no group, so no optimizer ever changes them. Both groups of `decay_groups` are to be cut, and both halves of each are needed.",
        )
        for line, where in ((INSIDE, "of the head"), (OUTSIDE, "of the layers and tables below the head"))
    ),
)

fine_tune_groups.mistake(
    "a weight decay of its own",
    "Your weight decay is a number of its own, whatever was asked for. Hand `weight_decay` on to `decay_groups`.",
    {GROUPS: "decay_groups(model, 0.01)"},
    {GROUPS: "decay_groups(model, 0.1)"},
    *(
        edit(
            {GROUPS: f"decay_groups(model, {given})"},
            says=f"Your weight decay is `{given}`, whatever was asked for. Hand `weight_decay` on to `decay_groups`.",
        )
        for given in ("rate", "head_rate")
    ),
    edit(
        {GROUPS: "decay_groups(model, 2 * weight_decay)"},
        says="Your weight decay is twice what was asked for. Hand `weight_decay` on to `decay_groups` as it is.",
    ),
)

fine_tune_groups.mistake(
    "the decay is scaled by a rate",
    "Your weight decay is multiplied by a learning rate. AdamW does that itself, in every step; a group says the decay as it was given.",
    *(
        {GROUPS: f'[{{**one, "weight_decay": one["weight_decay"] * {by}}} for one in {GROUPS}]'}
        for by in ("rate", "head_rate")
    ),
    {
        'head_rate, "weight_decay": group["weight_decay"]': 'head_rate, "weight_decay": head_rate * group["weight_decay"]',
        '"lr": rate, "weight_decay": group["weight_decay"]': '"lr": rate, "weight_decay": rate * group["weight_decay"]',
    },
)

fine_tune_groups.mistake(
    "the head is known by its numbers",
    "You compare numbers with numbers. Two biases of zeros are equal, and yet two parameters: one of the rest is then taken for one of the head. Ask which parameter it *is*: `id(one) in of_head`.",
    {
        f"if id(one) {word} of_head]": f"if {no}any(one.shape == other.shape and torch.equal(one, other) for other in head.parameters())]"
        for word, no in (("in", ""), ("not in", "not "))
    },
    edit(
        {
            f"if id(one) {word} of_head]": f"if one.shape {word} [other.shape for other in head.parameters()]]"
            for word in ("in", "not in")
        },
        says="You compare shapes. A parameter of the rest may have the shape of one of the head, and is then taken for it. Ask which parameter it *is*: `id(one) in of_head`.",
    ),
)

fine_tune_groups.mistake(
    "the rates go by what decays",
    "What decays has `head_rate`, and norms and biases have `rate`, wherever they are. The rate goes by the head: cut each of the two groups in two.",
    {OF_HEAD: 'groups.append({**group, "lr": head_rate if group["weight_decay"] else rate})', OF_REST: "pass"},
    edit(
        {OF_HEAD: 'groups.append({**group, "lr": rate if group["weight_decay"] else head_rate})', OF_REST: "pass"},
        says="What decays has `rate`, and norms and biases have `head_rate`, wherever they are. The rate goes by the head: cut each of the two groups in two.",
    ),
    edit(
        {'"lr": rate': '"lr": rate if group["weight_decay"] else head_rate'},
        says="Norms and biases below the head have `head_rate`, as the head has. The rate goes by the head alone: everything else has `rate`, whether it decays or not.",
    ),
)

fine_tune_groups.mistake(
    "copies of the parameters",
    "Your groups hold copies of parameters. An optimizer changes what it is given, so the copies are trained and the model stays as it is. Put the parameters themselves in.",
    *(
        {
            INSIDE: INSIDE.replace("[one for", f"[one.{copy}() for"),
            OUTSIDE: OUTSIDE.replace("[one for", f"[one.{copy}() for"),
        }
        for copy in ("clone", "detach")
    ),
    {
        INSIDE: INSIDE.replace("[one for", "[nn.Parameter(one.clone()) for"),
        OUTSIDE: OUTSIDE.replace("[one for", "[nn.Parameter(one.clone()) for"),
    },
    edit(
        {INSIDE: INSIDE.replace("[one for", "[one.clone() for")},
        says="The groups of the head hold copies of parameters. An optimizer changes what it is given, so the copies are trained and the head stays as it is. Put the parameters themselves in.",
    ),
)

fine_tune_groups.mistake(
    "ids for parameters",
    "Your groups hold ids, whole numbers. An id tells whether a parameter is in the head; an optimizer wants the parameter.",
    {INSIDE: INSIDE.replace("[one for", "[id(one) for"), OUTSIDE: OUTSIDE.replace("[one for", "[id(one) for")},
    edit(
        {INSIDE: INSIDE.replace("[one for", "[id(one) for")},
        says="The groups of the head hold ids, whole numbers. An id tells whether a parameter is in the head; an optimizer wants the parameter.",
    ),
    *(
        edit(
            {
                "groups = []": BY_NAME,
                INSIDE: INSIDE.replace("[one for", "[names[id(one)] for"),
            }
            | more,
            says=f"{which} hold names, texts. An optimizer wants the parameters themselves.",
        )
        for more, which in (
            ({OUTSIDE: OUTSIDE.replace("[one for", "[names[id(one)] for")}, "Your groups"),
            ({}, "The groups of the head"),
        )
    ),
)

fine_tune_groups.mistake(
    "everything is in two groups",
    "Every parameter is in two groups, one with `rate` and one with `head_rate`: the groups of `decay_groups` are put in whole, twice. Each parameter stands in exactly one. Cut each group, what is in the head and what is not.",
    {INSIDE: 'inside = list(group["params"])', OUTSIDE: 'outside = list(group["params"])'},
    edit(
        {"return groups": "return groups + groups"},
        says="Every group stands in your list twice. torch's optimizers refuse that: each parameter stands in exactly one group. Is something appended twice?",
    ),
)

fine_tune_groups.mistake(
    "the rest does not decay",
    "Nothing below the head decays. Weights of layers and tables decay by `weight_decay`, in the head and below it.",
    {'outside, "lr": rate, "weight_decay": group["weight_decay"]': 'outside, "lr": rate, "weight_decay": 0.0'},
)

fine_tune_groups.mistake(
    "half of the groups have no decay of their own",
    'The groups of the rest say no "weight_decay", so they get the optimizer\'s own: in AdamW that is 0.01, for norms and biases as well. Each group has its own.',
    {'outside, "lr": rate, "weight_decay": group["weight_decay"]': 'outside, "lr": rate'},
    edit(
        {'inside, "lr": head_rate, "weight_decay": group["weight_decay"]': 'inside, "lr": head_rate'},
        says='The groups of the head say no "weight_decay", so they get the optimizer\'s own: in AdamW that is 0.01, for norms and biases as well. Each group has its own.',
    ),
)

fine_tune_groups.mistake(
    "tables do not decay",
    "Embedding tables do not decay. Some leave them out, and here they decay as the weights of layers do: `decay_groups` knows what decays.",
    {GROUPS: SORTED_BY_NAME.format('one.dim() > 1 and "embedding" not in name')},
)

fine_tune_groups.mistake(
    "rate and decay are exchanged",
    'What stands under "lr" is the weight decay, and what stands under "weight_decay" is the learning rate. Look at the order in which you put them in.',
    {
        "return groups": 'return [{**one, "lr": one["weight_decay"], "weight_decay": one["lr"]} for one in groups]',
    },
    edit(
        {'"lr": rate, "weight_decay": group["weight_decay"]': '"lr": group["weight_decay"], "weight_decay": rate'},
        says='Below the head, what stands under "lr" is the weight decay, and what stands under "weight_decay" is the learning rate. Look at the order in which you put them in.',
    ),
    edit(
        {
            '"lr": head_rate, "weight_decay": group["weight_decay"]': '"lr": group["weight_decay"], "weight_decay": head_rate'
        },
        says='In the head, what stands under "lr" is the weight decay, and what stands under "weight_decay" is the learning rate. Look at the order in which you put them in.',
    ),
)

fine_tune_groups.mistake(
    "another model's head is taken",
    "A head that is no part of the model is taken without a word. Nothing of what is trained then has the head's rate. The given line that raises a ValueError is missing, or asks something else.",
    {"if not of_head <= {id(one) for one in model.parameters()}:": "if False:"},
    edit(
        {"if not of_head <= {": "if not of_head & {"},
        says="A head that shares a parameter with the model is taken, also where the rest of it is no part of the model: these parameters stand in no group, and nothing says so. The given line asks whether *all* of the head is in the model.",
    ),
    edit(
        {"raise ValueError(": "raise KeyError("},
        says="For a head that is no part of the model you raise an exception, and it is no ValueError. Whoever calls this looks for the one that is promised.",
    ),
)
