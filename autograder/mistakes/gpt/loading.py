"""Wrong ways of taking over a GPT-2."""

from autograder.checks.gpt import load_gpt2
from autograder.probing.mistake import edit

TURNED = 'turned = value.T if ".c_" in name and name.endswith("weight") else value'
PARTS = 'zip(("q_proj", "k_proj", "v_proj"), turned.chunk(3), strict=True)'
LEFT_OUT = 'if name.endswith((".attn.bias", ".attn.masked_bias", "lm_head.weight")):'
LOAD = "model.load_state_dict(ours)"
OURS = "ours[mine] = turned"
REFUSE = 'if config.positions != "learned" or config.activation != "gelu_tanh":'

load_gpt2.mistake(
    "square matrices are not transposed",
    "You transpose a matrix only where its shape does not fit. A square one fits both ways round: attention's `c_proj` is (features in, features out) like all others. Transpose every matrix of `c_attn`, `c_proj` and `c_fc`.",
    {TURNED: 'turned = value.T if ".c_" in name and value.dim() == 2 and value.size(0) != value.size(1) else value'},
)

load_gpt2.mistake(
    "reshaped instead of transposed",
    "Your matrices have the right shape, and their numbers at other places. `reshape` reads a matrix row by row and cuts the row anew; rows become columns by `.T`.",
    {TURNED: 'turned = value.reshape(value.shape[::-1]) if ".c_" in name and name.endswith("weight") else value'},
)

load_gpt2.mistake(
    "the head is a copy",
    "The head has a matrix of its own. It has the right numbers, and from the first step of training on they part from the token table's. Leave it tied: `load_state_dict` writes into the parameter that both share.",
    {LOAD: f"{LOAD}\n    model.head.weight = torch.nn.Parameter(model.token_embedding.weight.detach().clone())"},
)

load_gpt2.mistake(
    "queries, keys and values in another order",
    "The thirds of `c_attn` go to the wrong places. Their order is queries, keys, values.",
    {PARTS: 'zip(("k_proj", "q_proj", "v_proj"), turned.chunk(3), strict=True)'},
    {PARTS: 'zip(("q_proj", "v_proj", "k_proj"), turned.chunk(3), strict=True)'},
    {PARTS: 'zip(("k_proj", "v_proj", "q_proj"), turned.chunk(3), strict=True)'},
    {PARTS: 'zip(("v_proj", "k_proj", "q_proj"), turned.chunk(3), strict=True)'},
    {PARTS: 'zip(("v_proj", "q_proj", "k_proj"), turned.chunk(3), strict=True)'},
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

EMPTY = "ours: dict[str, Tensor] = {}"

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
    {EMPTY: f"{EMPTY}\n    state_dict, given = dict(state_dict), state_dict\n    given.clear()"},
)

load_gpt2.mistake(
    "the entries are not loaded",
    "The model stays as it was. The entries have been gathered, and nobody has loaded them: `model.load_state_dict(ours)` at the end.",
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
    {
        LOAD: """own = model.state_dict()
    model.load_state_dict(own | {name: value for name, value in ours.items() if name in own and own[name].shape == value.shape})"""
    },
)
