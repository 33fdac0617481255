"""Wrong ways of giving a GPT its first numbers."""

from autograder.checks.gpt import init_gpt_
from autograder.probing.mistake import edit

SMALLER = "smaller = 0.02 / math.sqrt(2 * model.config.num_layers)"
WRITES = 'elif name.endswith(("out_proj.weight", "linear2.weight")):'
REST = "nn.init.normal_(parameter, std=0.02)"
BIAS = 'if name.endswith("bias"):'
ZEROS = "nn.init.zeros_(parameter)"
NORM = 'elif "norm" in name:'

init_gpt_.mistake(
    "the residual matrices are not scaled",
    "No matrix gets the smaller spread. The two that write to the tokens are drawn like all others, so the sum grows with every block. In a much used library the GPT-2 class had this for years: it compared names with one that no parameter had. Print the names that your condition lets through.",
    {WRITES: 'elif name.endswith("c_proj.weight"):'},
    {SMALLER: "smaller = 0.02"},
)

SMALL = "nn.init.normal_(parameter, std=smaller)"

init_gpt_.mistake(
    "matrices are left as they were",
    "The matrices stay as they were. `parameter = ...` only gives the name to another tensor, and a result that is not kept changes nothing. What changes a parameter in place ends in `_`: `nn.init.normal_(parameter, std=0.02)`, `parameter.copy_(...)`.",
    {SMALL: "pass", REST: "pass"},
    {SMALL: "pass", REST: 'nn.init.normal_(parameter, std=0.02) if "embedding" in name else None'},
    {REST: "pass"},
    edit(
        {REST: 'nn.init.normal_(parameter, std=0.02) if "embedding" in name else None'},
        says="Of the matrices only the two are drawn that write to the tokens; the others stay as they were. Tables are drawn, and so are all matrices: `nn.init.normal_(parameter, std=0.02)`.",
    ),
    edit(
        {SMALL: "pass"},
        says="The two matrices that write to the tokens stay as they were. `parameter = ...` only gives the name to another tensor, and a result that is not kept changes nothing. What changes a parameter in place ends in `_`: `nn.init.normal_(parameter, std=smaller)`.",
    ),
)

init_gpt_.mistake(
    "a spread of 1",
    "Every matrix and table has a spread of 1. `nn.init.normal_(parameter, 0.02)` does that: its second argument is the mean, and the third the standard deviation. So does `randn` without a factor. Write `std=0.02`.",
    {REST: "nn.init.normal_(parameter, 0.02)", SMALL: "nn.init.normal_(parameter, smaller)"},
    {REST: "nn.init.normal_(parameter, 0.02)"},
    edit(
        {SMALL: "nn.init.normal_(parameter, smaller)"},
        says="The two matrices that write to the tokens have a spread of 1: the second argument of `nn.init.normal_` is the mean, and the third the standard deviation. Write `std=...`.",
    ),
)

init_gpt_.mistake(
    "only matrices are drawn",
    "Only the matrices and tables are drawn, all alike; biases and norms stay as they were, and nothing gets the smaller spread. Biases begin at 0, weights of norms at 1, and `out_proj` and `linear2` at the smaller spread.",
    {BIAS: "if parameter.dim() < 2:", ZEROS: "pass", SMALL: "nn.init.normal_(parameter, std=0.02)"},
    edit(
        {BIAS: "if parameter.dim() < 2:", ZEROS: "pass"},
        says="Only the matrices and tables are drawn; biases and norms stay as they were. Biases begin at 0, and weights of norms at 1.",
    ),
)

init_gpt_.mistake(
    "biases of the norms begin at 1",
    "The biases of the norms are 1. A norm's weight begins at 1, its bias at 0. `norm` stands in the names of both: ask for `bias` first.",
    {BIAS: 'if name.endswith("bias") and "norm" not in name:'},
)

init_gpt_.mistake(
    "biases begin at 1",
    "All biases are 1. They begin at 0; the *weights* of the norms are what begins at 1.",
    {ZEROS: "nn.init.ones_(parameter)"},
)

init_gpt_.mistake(
    "a norm is missed",
    "Not every norm begins at 1. There are two in each block, `norm1` and `norm2`, and the model has one of its own after the last block, `norm`. Print the names that your condition lets through.",
    {NORM: 'elif "layers" in name and "norm" in name:'},
    {NORM: 'elif "norm1" in name or name.startswith("norm"):'},
    {NORM: 'elif "norm2" in name or name.startswith("norm"):'},
    {NORM: 'elif "norm1" in name or "norm2" in name:'},
    {NORM: 'elif name.startswith("norm"):'},
    *(
        edit(
            {
                "for name, parameter in model.named_parameters():": f"for name, parameter in model.named_parameters():\n        if {which}:\n            continue"
            },
            says=f"{says} Print the names that your condition lets through.",
        )
        for which, says in (
            (
                'name.startswith("norm.")',
                "The norm after the last block stays as it was. Weights of norms begin at 1, their biases at 0.",
            ),
            (
                'name.endswith(("norm1.bias", "norm2.bias", "norm.bias"))',
                "The biases of the norms stay as they were. They begin at 0.",
            ),
            (
                'name.endswith(("norm1.bias", "norm2.bias"))',
                "The biases of the blocks' norms stay as they were. They begin at 0.",
            ),
            (
                '"norm1." in name or "norm2." in name',
                "The norms of the blocks stay as they were. Weights of norms begin at 1, their biases at 0.",
            ),
            *(
                (
                    f'"{norm}." in name',
                    f"`{norm}` of each block stays as it was. Weights of norms begin at 1, their biases at 0.",
                )
                for norm in ("norm1", "norm2")
            ),
        )
    ),
    {NORM: 'elif "norm1" in name:'},
    {NORM: 'elif "norm2" in name:'},
)

init_gpt_.mistake(
    "a standard deviation of 0.02²",
    "Your numbers spread 0.02², fifty times too little. `normal_` takes the standard deviation, not the variance: `std=0.02`.",
    {
        REST: "nn.init.normal_(parameter, std=0.02**2)",
        SMALLER: "smaller = 0.02**2 / math.sqrt(2 * model.config.num_layers)",
    },
    {REST: "nn.init.normal_(parameter, std=0.02**2)", SMALL: "nn.init.normal_(parameter, std=smaller**2)"},
    {REST: "nn.init.normal_(parameter, std=0.02**2)"},
)

init_gpt_.mistake(
    "multiplied by the root",
    "The two matrices that write to the tokens get a *larger* spread: you multiply by √(2 · num_layers). The sum spreads that much more than one of its parts, so each part begins smaller: divide.",
    {SMALLER: "smaller = 0.02 * math.sqrt(2 * model.config.num_layers)"},
)

init_gpt_.mistake(
    "both matrices of the feed-forward network are scaled",
    "The first matrix of the feed-forward network gets the smaller spread too. What it makes stays inside the network; `linear2` makes what is added to the tokens.",
    {WRITES: 'elif name.endswith("out_proj.weight") or "linear" in name:'},
)

init_gpt_.mistake(
    "the head gets a parameter of its own",
    "The head is no longer the token table. It was given a new parameter, and from now on the model learns two tables. Draw the table in place; the head has its numbers then.",
    {SMALLER: f"{SMALLER}\n    model.head.weight = nn.Parameter(torch.randn_like(model.head.weight) * 0.02)"},
)

init_gpt_.mistake(
    "the wrong matrix is scaled",
    "The smaller spread goes to the first matrix of the feed-forward network. What that one makes stays inside the network; `linear2` makes what is added to the tokens.",
    {WRITES: 'elif name.endswith(("out_proj.weight", "linear1.weight")):'},
    {WRITES: 'elif name.endswith("linear1.weight"):'},
    *(
        edit(
            {WRITES: f'elif name.endswith(("{one}_proj.weight", "linear1.weight")):'},
            says=f"The smaller spread goes to `{one}_proj` and to the first matrix of the feed-forward network. What they make stays inside; `out_proj` and `linear2` make what is added to the tokens.",
        )
        for one in "vqk"
    ),
    *(
        edit(
            {WRITES: f'elif name.endswith(("{one}_proj.weight", "linear2.weight")):'},
            says=f"The smaller spread goes to `{one}_proj` instead of `out_proj`. What `{one}_proj` makes stays inside the attention; `out_proj` makes what is added to the tokens.",
        )
        for one in "vqk"
    ),
)

init_gpt_.mistake(
    "only attention's matrix is scaled",
    "Only attention's `out_proj` gets the smaller spread. The feed-forward network writes to the tokens too, with `linear2`.",
    {WRITES: 'elif name.endswith("out_proj.weight"):'},
)

init_gpt_.mistake(
    "only the feed-forward network's matrix is scaled",
    "Only the feed-forward network's `linear2` gets the smaller spread. Attention writes to the tokens too, with `out_proj`.",
    {WRITES: 'elif name.endswith("linear2.weight"):'},
)

init_gpt_.mistake(
    "√num_layers",
    "You divide by √num_layers. Each block adds twice, once what attention found and once what the feed-forward network made, so there are 2 · num_layers sums.",
    {SMALLER: "smaller = 0.02 / math.sqrt(model.config.num_layers)"},
)

init_gpt_.mistake(
    "divided without the root",
    "You divide by the number of sums, not by its root. Independent numbers add up by their *variances*, so n of them spread √n times as much as one.",
    {SMALLER: "smaller = 0.02 / (2 * model.config.num_layers)"},
    *(
        edit(
            {
                SMALL: f'nn.init.normal_(parameter, std=smaller if "{other}" in name else 0.02 / (2 * model.config.num_layers))'
            },
            says=f"Of the two matrices that write to the tokens, `{one}` is divided by the number of sums, not by its root. Independent numbers add up by their *variances*, so n of them spread √n times as much as one.",
        )
        for one, other in (("out_proj", "linear2"), ("linear2", "out_proj"))
    ),
)

init_gpt_.mistake(
    "not in every block",
    "Only some blocks get the smaller spread. Each of them adds to the tokens twice: `out_proj` and `linear2` of every block.",
    {WRITES: f'{WRITES[:-1]} and name.startswith("layers.0."):'},
    {WRITES: f'{WRITES[:-1]} and name.startswith(f"layers.{{model.config.num_layers - 1}}."):'},
)

init_gpt_.mistake(
    "norms begin at another number",
    "The weights of the norms are neither 0 nor 1, but one number between. They begin at 1: a norm begins as if it did nothing.",
    *({"nn.init.ones_(parameter)": f"nn.init.constant_(parameter, {one})"} for one in (0.02, 0.1, 0.5)),
)

init_gpt_.mistake(
    "biases begin at another number",
    "The biases are one small number. They begin at 0.",
    *({ZEROS: f"nn.init.constant_(parameter, {one})"} for one in (0.01, 0.02, 0.1)),
)

init_gpt_.mistake(
    "all matrices are scaled",
    "Every matrix gets the smaller spread, also those that write nothing to the tokens. Queries and keys then begin almost at 0. Only `out_proj` and `linear2` are meant.",
    {REST: 'nn.init.normal_(parameter, std=smaller if "embedding" not in name else 0.02)'},
    {REST: "nn.init.normal_(parameter, std=smaller)"},
)

init_gpt_.mistake(
    "all projections of attention are scaled",
    "The projections of queries, keys and values get the smaller spread too. They write nothing to the tokens; their condition is met because their names also end in `_proj.weight`. `out_proj.weight` is meant.",
    {WRITES: 'elif name.endswith(("_proj.weight", "linear2.weight")):'},
)

init_gpt_.mistake(
    "norms are drawn too",
    "The weights of the norms are drawn around 0. A norm then multiplies its token by almost nothing. They begin at 1.",
    {NORM: 'elif "layernorm" in name:'},
    edit(
        {"nn.init.ones_(parameter)": "nn.init.normal_(parameter, mean=1.0, std=0.02)"},
        says="The weights of the norms are drawn around 1. They begin at 1 exactly: a norm begins as if it did nothing.",
    ),
)

init_gpt_.mistake(
    "norms begin at 0",
    "The weights of the norms are 0, so every block reads zeros, and the head too. They begin at 1; their biases are what begins at 0.",
    {"nn.init.ones_(parameter)": "nn.init.zeros_(parameter)"},
)

init_gpt_.mistake(
    "norms are left out",
    "The weights of the norms stay as they were. In a fresh model they are 1 already, but a function that begins a model anew has to see to it.",
    {"nn.init.ones_(parameter)": "pass"},
    edit(
        {BIAS: 'if name.endswith("bias") and "norm" not in name:', "nn.init.ones_(parameter)": "pass"},
        says="The norms stay as they were, weights and biases. In a fresh model they are 1 and 0 already, but a function that begins a model anew has to see to it. Who asks for a class: the norms here are of your own `LayerNorm`, and not of torch's.",
    ),
)

init_gpt_.mistake(
    "biases are drawn",
    "The biases of the linear layers are drawn. They begin at 0.",
    {BIAS: 'if name.endswith("bias") and "norm" in name:'},
    edit(
        {ZEROS: "nn.init.normal_(parameter, std=0.02)"},
        says="All biases are drawn, also those of the norms. They begin at 0.",
    ),
    *(
        edit(
            {BIAS: f'if name.endswith("bias") and not ({which}):'},
            says="The biases of the layers that write to the tokens are drawn. Their names hold `out_proj` and `linear2` too: ask for `bias` first, or for `.weight`.",
        )
        for which in (
            '"out_proj" in name or "linear2" in name',
            '"linear2" in name',
            '"out_proj" in name',
        )
    ),
)

init_gpt_.mistake(
    "the residual matrices begin at 0",
    "The two matrices that write to the tokens are 0, so no block adds anything at first. Some models begin so; a GPT draws them, with a standard deviation of 0.02 / √(2 · num_layers).",
    {SMALL: "nn.init.zeros_(parameter)"},
)

init_gpt_.mistake(
    "not drawn around 0",
    "Matrices are drawn around another number than 0. `nn.init.normal_(parameter, mean, std)`: the mean stays 0, and 0.02 is the `std`.",
    {REST: "nn.init.normal_(parameter, 0.02, 0.02)", SMALL: "nn.init.normal_(parameter, 0.02, smaller)"},
    {REST: "nn.init.normal_(parameter, 0.02, 0.02)"},
    {SMALL: "nn.init.normal_(parameter, 0.02, smaller)"},
    *(
        edit(
            {REST: f"{REST}.abs_()"} | more,
            says="Your numbers are drawn, and then made positive: all of them push the same way. They are normal, around 0: `nn.init.normal_(parameter, std=0.02)`.",
        )
        for more in ({}, {SMALL: f"{SMALL}.abs_()"})
    ),
    edit(
        {REST: "nn.init.uniform_(parameter, 0, 0.02)", SMALL: "nn.init.uniform_(parameter, 0, smaller)"},
        says="Your numbers are drawn uniformly, from 0 up, so all of them push the same way. `rand` does this; they are normal, around 0: `nn.init.normal_(parameter, std=0.02)`, or `randn`.",
    ),
)

init_gpt_.mistake(
    "another spread",
    "Your matrices and tables spread another number than 0.02. It is small, and it is the same for every width: `std=0.02`.",
    *(
        {
            REST: f"nn.init.normal_(parameter, std={one})",
            SMALLER: f"smaller = {one} / math.sqrt(2 * model.config.num_layers)",
        }
        for one in (0.2, 0.1, 0.05, 0.01, 0.002)
    ),
    *({REST: f"nn.init.normal_(parameter, std={one})"} for one in (0.2, 0.002)),
)

SIZED = "nn.init.{how}_(parameter)"

init_gpt_.mistake(
    "a spread by the matrix's size",
    "The spread of your matrices depends on their sizes: Xavier's and Kaiming's rules do that, and so does 1/√d_model. A GPT's are all drawn alike: `nn.init.normal_(parameter, std=0.02)`.",
    *(
        {REST: f'{SIZED.format(how=how)} if "{kept}" not in name else {REST}'}
        for how in ("xavier_normal", "xavier_uniform", "kaiming_normal", "kaiming_uniform")
        for kept in ("embedding", "position")
    ),
    *({REST: SIZED.format(how=how)} for how in ("xavier_normal", "xavier_uniform", "kaiming_uniform")),
    *(
        {REST: SIZED.format(how=how), SMALL: SIZED.format(how=how)}
        for how in ("xavier_normal", "xavier_uniform", "kaiming_normal", "kaiming_uniform")
    ),
)

init_gpt_.mistake(
    "divided by something else",
    "The two matrices that write to the tokens have a spread of their own, and it is not 0.02 / √(2 · num_layers). The number of sums counts: two for each block.",
    {SMALLER: "smaller = 0.02 / model.config.num_layers"},
    {SMALLER: "smaller = 0.02 / (math.sqrt(2) * model.config.num_layers)"},
    {SMALLER: "smaller = 0.02 / math.sqrt(2 * model.config.d_model)"},
    {SMALLER: "smaller = 0.02 / math.sqrt(model.config.d_model)"},
    {SMALLER: "smaller = 0.02 / math.sqrt(4 * model.config.num_layers)"},
    {SMALLER: "smaller = 0.04 / math.sqrt(model.config.num_layers)"},
    {SMALLER: "smaller = 0.02 / math.sqrt(2 * model.config.num_heads)"},
    {SMALLER: "smaller = 0.02 / math.sqrt(2) * model.config.num_layers"},
    edit(
        {SMALLER: "smaller = 0.02 / 2 * model.config.num_layers**0.5"},
        says="The two matrices that write to the tokens are multiplied by √num_layers: `a / b * c` is `(a / b) * c`. What is divided by stands in brackets, `0.02 / (2 * num_layers) ** 0.5`.",
    ),
    edit(
        {SMALLER: "smaller = 0.02 / math.sqrt(24)"},
        says="The two matrices that write to the tokens are divided by √24, whatever the model's depth. The smallest GPT-2 has twelve blocks, this model has `model.config.num_layers`.",
    ),
)

init_gpt_.mistake(
    "the same numbers again",
    "The same numbers come again. A seed that is set inside the function starts the random numbers over each time, so that every model begins alike, and two matrices may. Leave the seed to the caller.",
    {SMALLER: f"torch.manual_seed(0)\n    {SMALLER}"},
    {REST: "torch.manual_seed(0)\n            nn.init.normal_(parameter, std=0.02)"},
    {REST: "nn.init.normal_(parameter, std=0.02, generator=torch.Generator().manual_seed(0))"},
)

init_gpt_.mistake(
    "biases are left as they were",
    "The biases stay as they were. nn.Linear draws them; here they begin at 0.",
    {ZEROS: "pass"},
    edit(
        {ZEROS: 'nn.init.zeros_(parameter) if "norm" in name else None'},
        says="The biases of the linear layers stay as they were. nn.Linear draws them; here they begin at 0.",
    ),
)

init_gpt_.mistake(
    "the tables are left as they were",
    "The tables of tokens and positions stay as nn.Embedding has drawn them, with a spread of 1: fifty times too much. As the token table is the head too, the first loss is then far above that of guessing.",
    {REST: 'nn.init.normal_(parameter, std=0.02) if "embedding" not in name else None'},
    edit(
        {REST: 'nn.init.normal_(parameter, std=0.02 if name != "token_embedding.weight" else 1.0)'},
        says="The token table has a spread of 1, as nn.Embedding draws it: fifty times too much. As it is the head too, the first loss is then far above that of guessing.",
    ),
)

init_gpt_.mistake(
    "the position table is left as it was",
    "The table of positions stays as nn.Embedding has drawn it, with a spread of 1: the positions drown the tokens. It is drawn from N(0, 0.02), like every table.",
    {REST: 'nn.init.normal_(parameter, std=0.02) if "position" not in name else None'},
)

init_gpt_.mistake(
    "positions with a spread of their own",
    "The table of positions has a spread of 0.01. The first GPT's published code drew it so; here every table is drawn alike, with 0.02.",
    {REST: 'nn.init.normal_(parameter, std=0.01 if "position" in name else 0.02)'},
    edit(
        {REST: 'nn.init.normal_(parameter, std=0.0 if "position" in name else 0.02)'},
        says="The table of positions is 0. It is drawn like every table, with a standard deviation of 0.02.",
    ),
)

init_gpt_.mistake(
    "0.02 taken for the variance",
    "0.02 is your variance, not your standard deviation: your numbers spread √0.02 = 0.14. `nn.init.normal_(parameter, std=0.02)`; N(0, 0.02) in the paper names the standard deviation.",
    {
        REST: "nn.init.normal_(parameter, std=0.02**0.5)",
        SMALLER: "smaller = 0.02**0.5 / math.sqrt(2 * model.config.num_layers)",
    },
    {REST: "nn.init.normal_(parameter, std=0.02**0.5)"},
)

init_gpt_.mistake(
    "not drawn at all",
    "Matrices and tables are filled with one number. Then all features of a layer compute the same, get the same gradient, and stay alike for ever. They are drawn: `nn.init.normal_(parameter, std=0.02)`.",
    {REST: "nn.init.constant_(parameter, 0.02)"},
    {REST: "nn.init.constant_(parameter, 0.02)", SMALL: "nn.init.constant_(parameter, smaller)"},
    *(
        {REST: f'nn.init.constant_(parameter, 0.02) if "{kept}" not in name else {REST}'} | more
        for kept in ("embedding", "position")
        for more in ({}, {SMALL: "nn.init.constant_(parameter, smaller)"})
    ),
    {REST: "nn.init.zeros_(parameter)"},
    {REST: "nn.init.zeros_(parameter)", SMALL: "nn.init.zeros_(parameter)"},
)

init_gpt_.mistake(
    "uniform, not normal",
    "Your numbers are drawn uniformly. The paper's are normal: `nn.init.normal_(parameter, std=0.02)`.",
    {
        REST: "nn.init.uniform_(parameter, -0.02, 0.02)",
        "nn.init.normal_(parameter, std=smaller)": "nn.init.uniform_(parameter, -smaller, smaller)",
    },
    {
        REST: "nn.init.uniform_(parameter, -0.02 * 3**0.5, 0.02 * 3**0.5)",
        "nn.init.normal_(parameter, std=smaller)": "nn.init.uniform_(parameter, -smaller * 3**0.5, smaller * 3**0.5)",
    },
    *({REST: f"nn.init.uniform_(parameter, -{one}, {one})"} for one in ("0.02", "0.02 * 3**0.5")),
)

init_gpt_.mistake(
    "the head is drawn with another spread",
    "The token table has the spread of something else. The head is the same parameter: whatever is drawn for the one replaces what was drawn for the other. Draw it once, from N(0, 0.02).",
    {REST: 'nn.init.normal_(parameter, std=smaller if name == "token_embedding.weight" else 0.02)'},
    *(
        {REST: f'nn.init.normal_(parameter, std={one} if name == "token_embedding.weight" else 0.02)'}
        for one in (0.3, "model.config.d_model**-0.5", "(3 * model.config.d_model) ** -0.5", 0.01, 0.002)
    ),
)
