"""Wrong ways of taking over a GPT-2."""

from autograder.checks.gpt import load_gpt2
from autograder.probing.mistake import edit

TURNED = 'turned = value.T if ".c_" in name and name.endswith("weight") else value'
PARTS = 'zip(("q_proj", "k_proj", "v_proj"), turned.chunk(3), strict=True)'
LEFT_OUT = 'if name.endswith((".attn.bias", ".attn.masked_bias", "lm_head.weight")):'
LOAD = "model.load_state_dict(ours)"
OURS = "ours[mine] = turned"
EMPTY = "ours: dict[str, Tensor] = {}"
REFUSE = 'if config.positions != "learned" or config.activation != "gelu_tanh":'

load_gpt2.mistake(
    "square matrices are not transposed",
    "You transpose a matrix only where its shape does not fit. A square one fits both ways round: attention's `c_proj` is (features in, features out) like all others. Transpose every matrix of `c_attn`, `c_proj` and `c_fc`.",
    {TURNED: 'turned = value.T if ".c_" in name and value.dim() == 2 and value.size(0) != value.size(1) else value'},
)

KEY = 'ours[mine.replace("c_attn", part)] = third'
HEAD = 'ours["head.weight"] = turned'

load_gpt2.mistake(
    "a matrix is not transposed",
    "No matrix is transposed. Theirs are (features in, features out), and nn.Linear's are (out, in): turn those of `c_attn`, `c_proj` and `c_fc`.",
    {TURNED: "turned = value"},
    *(
        edit(
            {TURNED: TURNED.replace("and name", f"and {but} and name")},
            says=f"Not every matrix is transposed: {which}. Theirs are (features in, features out), and nn.Linear's are (out, in).",
        )
        for but, which in (
            ('"c_attn" not in name', "that of `c_attn` stands as theirs does"),
            ('"c_fc" not in name', "that of `c_fc` stands as theirs does"),
            ('"mlp.c_proj" not in name', "the feed-forward network's `c_proj` stands as theirs does"),
            ('"mlp" not in name', "those of the feed-forward network stand as theirs do"),
            ('"c_proj" not in name', "both that are called `c_proj` stand as theirs do"),
            ('"c_attn" in name', "only that of `c_attn` is turned"),
        )
    ),
    *(
        edit(
            {
                KEY: f'ours[mine.replace("c_attn", part)] = third.T if part == "{part}_proj" and third.dim() == 2 else third'
            },
            says=f"The matrix of the {what} is not transposed, or once too often. Theirs are (features in, features out), and nn.Linear's are (out, in).",
        )
        for part, what in (("q", "queries"), ("k", "keys"), ("v", "values"))
    ),
)

load_gpt2.mistake(
    "tables are transposed too",
    "The tables of tokens and positions are transposed. They are no matrices of a layer, and stand as ours do: (how many, features).",
    {TURNED: "turned = value.T if value.dim() == 2 else value"},
    *(
        edit(
            {TURNED: f'turned = value.T if ".c_" in name and name.endswith("weight") or "{table}" in name else value'},
            says=f"The table of {what} is transposed. It is no matrix of a layer, and stands as ours does: (how many, features).",
        )
        for table, what in (("wte", "tokens"), ("wpe", "positions"))
    ),
    edit(
        {TURNED: "turned = value.T if value.dim() == 2 else value", HEAD: 'ours["head.weight"] = value'},
    ),
    edit(
        {HEAD: f"{HEAD}.T"},
        says="Under `head.weight` stands the token table turned round. nn.Linear has its matrix as (features out, features in), which is how the table stands already.",
    ),
)

load_gpt2.mistake(
    "head.weight is left out",
    "`head.weight` is missing. It is an entry of ours too, though no parameter of its own: give it the token table.",
    {HEAD: "pass"},
)

load_gpt2.mistake(
    "other numbers under head.weight",
    "Under `head.weight` you load other numbers than the token table's. Head and table are one parameter, so the table has them now, too, and what GPT-2 knows of tokens is lost. Load `wte.weight` under both names.",
    *(
        {HEAD: f'ours["head.weight"] = {other}'}
        for other in (
            "torch.randn_like(turned)",
            "torch.randn_like(turned) * 0.02",
            "torch.zeros_like(turned)",
            "turned * turned.size(1) ** -0.5",
            "turned * turned.size(1) ** 0.5",
        )
    ),
)

load_gpt2.mistake(
    "masks are loaded",
    "The masks of the checkpoint are loaded, and our model has no place for them. `attn.bias` and `attn.masked_bias` are no weights: leave them out.",
    {LEFT_OUT: 'if name.endswith("lm_head.weight"):'},
    {LEFT_OUT: LEFT_OUT.replace(', ".attn.masked_bias"', "")},
    {LEFT_OUT: LEFT_OUT.replace('".attn.bias", ', "")},
)

load_gpt2.mistake(
    "lm_head.weight is loaded",
    "`lm_head.weight` is loaded under that name, and our model has no such entry. It is the token table once more: leave it out.",
    {LEFT_OUT: LEFT_OUT.replace(', "lm_head.weight"', "")},
)

load_gpt2.mistake(
    "c_attn.bias taken for a mask",
    "The biases of queries, keys and values are missing. `c_attn.bias` ends in `attn.bias` too, and was left out as a mask: `.attn.bias`, with the dot, is what masks are called.",
    {LEFT_OUT: LEFT_OUT.replace('".attn.bias", ".attn', '"attn.bias", "attn')},
)

load_gpt2.mistake(
    "c_attn is not cut",
    "`c_attn` is loaded under that name. Ours has no such entry: its matrix and its bias are cut in three each, for `q_proj`, `k_proj` and `v_proj`.",
    {'if "c_attn" in name:': "if False:"},
    edit(
        {'if "c_attn" in name:': 'if "c_attn.weight" in name:'},
        says="The bias of `c_attn` is loaded under that name. Ours has no such entry: it is cut in three like the matrix, for `q_proj`, `k_proj` and `v_proj`.",
    ),
)

load_gpt2.mistake(
    "one third for all",
    "Queries, keys and values get the same third of `c_attn`. The first third is the queries', the second the keys', the last the values'.",
    *({PARTS: PARTS.replace("turned.chunk(3)", f"3 * turned.chunk(3)[{one}:][:1]")} for one in range(3)),
)

load_gpt2.mistake(
    "names with a prefix are passed over",
    'Entries whose names begin with "transformer." are passed over. Checkpoints have this in front, or not; `our_name` takes it away.',
    {
        EMPTY: f"{EMPTY}\n    state_dict = {{name: one for name, one in state_dict.items() if name[:12] != 'transformer.'}}"
    },
)

load_gpt2.mistake(
    "reshaped instead of transposed",
    "Your matrices have the right shape, and their numbers at other places. `reshape` reads a matrix row by row and cuts the row anew; rows become columns by `.T`.",
    {TURNED: 'turned = value.reshape(value.shape[::-1]) if ".c_" in name and name.endswith("weight") else value'},
    edit(
        {
            "value.T if": 'value.reshape(value.shape[::-1]) if ".c_" in name and "c_attn" not in name and name.endswith("weight") else value.T if'
        },
        says="The matrices of `c_proj` and `c_fc` have the right shape, and their numbers at other places. `reshape` reads a matrix row by row and cuts the row anew; rows become columns by `.T`.",
    ),
)

load_gpt2.mistake(
    "the head is a copy",
    "The head has a matrix of its own. It has the right numbers, and from the first step of training on they part from the token table's. Leave it tied: `load_state_dict` writes into the parameter that both share.",
    {LOAD: f"{LOAD}\n    model.head.weight = torch.nn.Parameter(model.token_embedding.weight.detach().clone())"},
)

load_gpt2.mistake(
    "the head's numbers in the token table",
    "Under `head.weight` you load the numbers that the head had. Head and token table are one parameter, so the table has them now, too, and what GPT-2 knows of tokens is lost. Load `wte.weight` under both names.",
    {'ours["head.weight"] = turned': 'ours["head.weight"] = model.head.weight.detach().clone()'},
)

ORDERS = ("kqv", "qvk", "kvq", "vkq", "vqk")


def taken_for(order: str, where: str) -> dict[str, str]:
    """The thirds go to queries, keys and values in another order, wherever something is true of them."""
    return {'"c_attn", part': f'"c_attn", dict(zip("qkv", "{order}"))[part[0]] + "_proj" if {where} else part'}


load_gpt2.mistake(
    "queries, keys and values in another order",
    "The thirds of `c_attn` go to the wrong places. Their order is queries, keys, values.",
    *(taken_for(order, "True") for order in ORDERS),
    *(
        edit(
            taken_for(order, f"third.dim() == {dims}"),
            says=f"The thirds of {one} go to the wrong places, those of {other} to the right ones. The order is the same in both: queries, keys, values.",
        )
        for dims, one, other in ((1, "the bias of `c_attn`", "its matrix"), (2, "the matrix of `c_attn`", "its bias"))
        for order in ORDERS
    ),
)

load_gpt2.mistake(
    "cut head by head",
    "You cut `c_attn` head by head: queries, keys and values of the first head, then of the second. Other models store them so. In GPT-2 all queries come first, then all keys, then all values.",
    {
        PARTS: 'zip(("q_proj", "k_proj", "v_proj"), turned.unflatten(0, (config.num_heads, 3, -1)).transpose(0, 1).flatten(1, 2), strict=True)'
    },
)

load_gpt2.mistake(
    "every third row",
    "You take every third row of `c_attn` for the queries. They lie side by side as three blocks: the first third, the second, the last. `chunk(3)` cuts so.",
    {PARTS: 'zip(("q_proj", "k_proj", "v_proj"), (turned[0::3], turned[1::3], turned[2::3]), strict=True)'},
)

load_gpt2.mistake(
    "cut before transposing, and not turned",
    "Each third of `c_attn` is not transposed. Cut or transpose first, as you like, but do both: `nn.Linear` wants (features out, features in).",
    {
        PARTS: 'zip(("q_proj", "k_proj", "v_proj"), (value if value.dim() == 1 else value.T).chunk(3) if value.dim() == 1 else value.chunk(3, dim=1), strict=True)'
    },
)

load_gpt2.mistake(
    "biases of attention are left as they were",
    "The biases of queries, keys and values stay as they were. `attn.c_attn.bias` is cut in three like the matrix. It is easily taken for the mask: its name, too, ends in `attn.bias`, but not in `.attn.bias`.",
    {
        LEFT_OUT: 'if name.endswith((".attn.bias", ".attn.masked_bias", "lm_head.weight", "c_attn.bias")):',
        LOAD: "model.load_state_dict(ours, strict=False)",
    },
)

load_gpt2.mistake(
    "the last norm is forgotten",
    "The norm after the last block stays as it was. Theirs is `ln_f`; ours `norm`.",
    {
        LEFT_OUT: 'if "ln_f" in name or name.endswith((".attn.bias", ".attn.masked_bias", "lm_head.weight")):',
        LOAD: "model.load_state_dict(ours, strict=False)",
    },
    {
        LOAD: 'model.load_state_dict(ours | {name: one for name, one in model.state_dict().items() if name.startswith("norm.")})'
    },
    edit(
        {
            LOAD: 'model.load_state_dict(ours | {"norm.weight": torch.ones_like(ours["norm.weight"]), "norm.bias": torch.zeros_like(ours["norm.bias"])})'
        },
        says="The norm after the last block begins anew, at ones and zeros. Theirs is `ln_f`; ours `norm`.",
    ),
)

load_gpt2.mistake(
    "norms exchanged",
    "The two norms of each block have changed places. `ln_1` stands before attention, `norm1`; `ln_2` before the feed-forward network, `norm2`.",
    {OURS: 'ours[mine.replace("norm1", "norm0").replace("norm2", "norm1").replace("norm0", "norm2")] = turned'},
)

load_gpt2.mistake(
    "only the first block",
    "Only the first block is loaded. The others stay as they were, at random.",
    {
        LEFT_OUT: 'if (".h." in f".{name}" and ".h.0." not in f".{name}") or name.endswith((".attn.bias", ".attn.masked_bias", "lm_head.weight")):',
        LOAD: "model.load_state_dict(ours, strict=False)",
    },
)

load_gpt2.mistake(
    "the table of positions is left as it was",
    "The table of positions stays as it was. Theirs is `wpe.weight`.",
    {
        LEFT_OUT: 'if "wpe" in name or name.endswith((".attn.bias", ".attn.masked_bias", "lm_head.weight")):',
        LOAD: "model.load_state_dict(ours, strict=False)",
    },
)

load_gpt2.mistake(
    "biases are zero",
    "All biases of the layers are zero. GPT-2 has a bias in each of its layers: `c_attn`, `c_proj` and `c_fc` have one beside their matrix, which is taken over as it stands.",
    {TURNED: f"{TURNED}\n        turned = 0 * turned if '.c_' in name and name.endswith('bias') else turned"},
    edit(
        {TURNED: f"{TURNED}\n        turned = 0 * turned if 'c_attn.bias' in name else turned"},
        says="The biases of queries, keys and values are zero. `attn.c_attn.bias` is cut in three like the matrix.",
    ),
    edit(
        {TURNED: f"{TURNED}\n        turned = 0 * turned if name.endswith('bias') else turned"},
        says="All biases are zero, of the layers and of the norms. GPT-2 has a bias in each, which is taken over as it stands.",
    ),
)

load_gpt2.mistake(
    "biases are left as they were",
    "The biases of the layers stay as they were. GPT-2 has a bias in each of its layers: `c_attn`, `c_proj` and `c_fc` have one beside their matrix, which is taken over as it stands.",
    *(
        {LEFT_OUT: f"if {which} or {LEFT_OUT[3:]}", LOAD: load}
        for which in ("('.c_' in name and name.endswith('bias'))", "name.endswith('bias')")
        for load in ("model.load_state_dict(ours, strict=False)", "model.load_state_dict(model.state_dict() | ours)")
    ),
)

load_gpt2.mistake(
    "the biases of the queries for all three",
    "Queries, keys and values have the same bias, that of the queries. `attn.c_attn.bias` is three times as long as the model is wide, and cut in three like the matrix.",
    {
        PARTS: 'zip(("q_proj", "k_proj", "v_proj"), turned.chunk(3) if turned.dim() == 2 else [turned[: len(turned) // 3]] * 3, strict=True)'
    },
)

load_gpt2.mistake(
    "another exception refuses the model",
    "A model that does not fit is refused, and not by a ValueError. Whoever calls waits for that one; `assert`, besides, is left out where Python runs with `-O`.",
    *(
        {'raise ValueError(f"{given}; GPT-2': f'raise {error}(f"{{given}}; GPT-2'}
        for error in ("AssertionError", "TypeError", "RuntimeError", "Exception")
    ),
    *(
        edit(
            {REFUSE: f'if config.{field} != "{wanted}":\n        raise {error}\n    {REFUSE}'},
            says=f"A model of {what} ends in a {error}, and not in the ValueError that says what to give. Ask for it first, and raise that.",
        )
        for error in ("AssertionError", "RuntimeError", "TypeError")
        for field, wanted, what in (
            ("positions", "learned", "other positions"),
            ("activation", "gelu_tanh", "another activation"),
        )
    ),
    edit(
        {
            REFUSE: "if False:",
            LOAD: f"{LOAD}\n    {REFUSE}\n        raise ValueError",
        },
        says="A model that does not fit is refused when it has been loaded. It has other numbers by then, and where the entries do not fit, the RuntimeError of `load_state_dict` comes before your ValueError. Ask first.",
    ),
)

load_gpt2.mistake(
    "the checkpoint's matrices are turned",
    "The matrices of the checkpoint itself are transposed. `t_()`, with its stroke at the end, writes over what it is given: whoever loads the checkpoint again turns them back. Use `.T`, which leaves it as it is.",
    {TURNED: TURNED.replace("value.T", "value.t_()")},
)

load_gpt2.mistake(
    "names without a prefix are not known",
    'Only names that begin with "transformer." are read as they should be. Both forms are in circulation; take the prefix off where it is there.',
    {
        EMPTY: f"{EMPTY}\n    state_dict = {{name[12:]: value for name, value in state_dict.items() if name != 'lm_head.weight'}}"
    },
)

load_gpt2.mistake(
    "the activation is not looked at",
    "A model with the exact GELU is not refused. GPT-2 was trained with the approximation by tanh; with the other one every number is a little off, and no shape tells.",
    {REFUSE: 'if config.positions != "learned":'},
)

load_gpt2.mistake(
    "the positions are not looked at",
    "A model with rotary positions is not refused. GPT-2 learned a table of positions, and its queries and keys have never been turned.",
    {
        REFUSE: 'if config.activation != "gelu_tanh":',
        LOAD: 'model.load_state_dict(ours, strict=config.positions == "learned")',
    },
    {REFUSE: 'if config.activation != "gelu_tanh":'},
)

load_gpt2.mistake(
    "the model is not looked at",
    "Models with rotary positions or the exact GELU are not refused. The weights fit into them and compute something else than GPT-2.",
    {REFUSE: "if False:", LOAD: 'model.load_state_dict(ours, strict=config.positions == "learned")'},
    edit(
        {REFUSE: "if False:"},
        says="A model with rotary positions, or with the exact GELU, is not refused. Where no table of positions gets in the way, the weights fit into it all the same, and it computes something else than GPT-2. Either of the two is enough to refuse.",
    ),
)

load_gpt2.mistake(
    "the checkpoint loses entries",
    "Entries are taken out of the checkpoint itself. `pop` and `del` change the dictionary of the caller, who may want to load it once more. Leave out what you do not need while you gather your own.",
    {EMPTY: f"{EMPTY}\n    state_dict.pop('lm_head.weight', None)"},
    {
        EMPTY: f"{EMPTY}\n    for name in [one for one in state_dict if one.endswith(('.attn.bias', '.attn.masked_bias'))]:\n        state_dict.pop(name)"
    },
    {
        EMPTY: f"{EMPTY}\n    for name in [one for one in state_dict if one.endswith(('.attn.bias', '.attn.masked_bias', 'lm_head.weight'))]:\n        state_dict.pop(name)"
    },
    {LOAD: f"{LOAD}\n    state_dict.clear()"},
)

load_gpt2.mistake(
    "the entries are not loaded",
    "The model that was handed in stays as it was. Either nobody has loaded what was gathered, or another model has got it, a copy or a new one: `model.load_state_dict(ours)` at the end, of `model` itself.",
    {LOAD: "pass"},
)

load_gpt2.mistake(
    "the model takes the checkpoint's tensors",
    "The model uses the checkpoint's own tensors, and its head is tied no longer. `load_state_dict(..., assign=True)` does that, and so does an `nn.Parameter(value)` in the place of each parameter. Without `assign` the numbers are copied into the parameters that are there, which stay tied.",
    {LOAD: "model.load_state_dict(ours, assign=True)"},
)

load_gpt2.mistake(
    "missing and unknown entries pass",
    "What is missing, unknown or of another shape passes without a word. `strict=False` does that, and a loop that copies what it finds. The model then runs with weights of which a part is random. Load strictly.",
    {LOAD: "model.load_state_dict(ours, strict=False)"},
    edit(
        {LOAD: "model.load_state_dict({name: value for name, value in ours.items() if name in model.state_dict()})"},
        says="Entries that the model has no place for pass without a word. They may be what a misspelt name should have filled, or a block too many. Hand `load_state_dict` all that you gathered: it says what is unknown.",
    ),
    edit(
        {LOAD: "model.load_state_dict(model.state_dict() | ours)"},
        says="What is missing passes without a word, and stays as it was, at random. Hand `load_state_dict` what you gathered and nothing of the model's own: it says what is missing.",
    ),
    edit(
        {
            LOAD: """own = model.state_dict()
    model.load_state_dict({name: value[tuple(map(slice, own[name].shape))] if name in own else value for name, value in ours.items()})"""
        },
        says="An entry that is too large is cut down without a word. It belongs to another model, and of its numbers a part is lost. Hand `load_state_dict` every entry as it is: it says what does not fit.",
    ),
    {
        LOAD: """own = model.state_dict()
    model.load_state_dict(own | {name: value for name, value in ours.items() if name in own and own[name].shape == value.shape})"""
    },
)

load_gpt2.mistake(
    "the model is frozen",
    "The model is frozen afterwards: `requires_grad` is False. It takes weights over and nothing else; whether it is trained on decides whoever has it.",
    {LOAD: f"{LOAD}\n    model.requires_grad_(False)"},
)
