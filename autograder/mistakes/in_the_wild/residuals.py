"""Wrong ways of room 1."""

from collections.abc import Callable

import torch

from autograder.checks.in_the_wild.residuals import init_residuals_, shows_unscaled_residuals
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import edit
from solutions import in_the_wild as solutions
from solutions.gpt import GPT, GPTConfig

ENDS = 'name.endswith(("out_proj.weight", "linear2.weight"))'
DRAWN = "nn.init.normal_(parameter, std=smaller)"
SPREAD = "0.02 / math.sqrt(2 * len(model.layers))"

init_residuals_.mistake(
    "nothing is drawn anew",
    "No parameter is another than before. Either no name is equal to those that you compare with, or what you fill is a copy. `model.named_parameters()` gives whole paths, such as `layers.0.self_attn.out_proj.weight`. Print them beside the names that you look for.",
    {ENDS: 'name in ("out_proj.weight", "linear2.weight")'},
    {"nn.init.normal_(parameter,": "nn.init.normal_(parameter.clone(),"},
)
init_residuals_.mistake(
    "the full spread",
    "These matrices are drawn with 0.02, as all others are. A block adds to the tokens twice, and with every block their spread grows: divide by √(2 · num_layers).",
    {SPREAD: "0.02"},
)
init_residuals_.mistake(
    "the root of the number of blocks",
    "You divide by √num_layers. Every block adds twice, once behind its attention and once behind its feed-forward network, so there are 2 · num_layers sums.",
    {SPREAD: "0.02 / math.sqrt(len(model.layers))"},
)
init_residuals_.mistake(
    "no root",
    "You divide by 2 · num_layers. What adds up are variances: a sum of n numbers has √n times the spread of one, so it is the root that you divide by.",
    {SPREAD: "0.02 / (2 * len(model.layers))"},
)
init_residuals_.mistake(
    "one of the two matrices alone",
    "Of every block only one matrix is drawn anew. Two write to the tokens: the attention's `out_proj` and the feed-forward network's `linear2`.",
    {ENDS: 'name.endswith("out_proj.weight")'},
    {ENDS: 'name.endswith("linear2.weight")'},
)
init_residuals_.mistake(
    "linear1 instead of linear2",
    "You draw `linear1` anew. It reads the tokens; the matrix whose result is added to them is `linear2`.",
    {ENDS: 'name.endswith(("out_proj.weight", "linear1.weight"))'},
)
init_residuals_.mistake(
    "other parameters as well",
    "You draw more than the two matrices of each block. All other parameters stay as they are: the biases, and the matrices that do not write to the tokens.",
    {ENDS: 'name.endswith(("proj.weight", "linear2.weight"))'},
    {ENDS: 'name.endswith(("proj.weight", "linear1.weight", "linear2.weight"))'},
    {ENDS: '"out_proj" in name or "linear2" in name'},
    {ENDS: 'name.endswith("weight")'},
    {ENDS: 'name.endswith(("out_proj.weight", "linear1.weight", "linear2.weight"))'},
    {ENDS: "parameter.dim() > 1"},
    edit(
        {
            DRAWN: f"{DRAWN}\n        elif name.endswith(('out_proj.bias', 'linear2.bias')):\n            nn.init.zeros_(parameter)"
        },
        says="You set the biases of the two matrices to 0. They stay as they are, as all other parameters do.",
    ),
    edit(
        {DRAWN: f"{DRAWN}\n        elif parameter.dim() > 1:\n            nn.init.normal_(parameter, std=0.02)"},
        says="You draw all other matrices anew as well, with 0.02. They stay as they are.",
    ),
)
init_residuals_.mistake(
    "made smaller, not drawn anew",
    "You multiply the numbers that are there. What comes out depends on how they were drawn before; promised is a spread of 0.02 / √(2 · num_layers), whatever was there. Draw them: `nn.init.normal_`.",
    {DRAWN: "parameter.data.mul_(1 / math.sqrt(2 * len(model.layers)))"},
    {DRAWN: "parameter.data.mul_(smaller)"},
    edit(
        {DRAWN: "parameter.data.mul_(smaller / parameter.data.std())"},
        says="You multiply the numbers that are there, so that they have the right spread. Promised is that they are drawn anew, normal around 0: `nn.init.normal_`.",
    ),
)
init_residuals_.mistake(
    "off centre",
    "These matrices are drawn around another number than 0.",
    {DRAWN: "nn.init.normal_(parameter, mean=0.02, std=smaller)"},
)
init_residuals_.mistake(
    "drawn evenly",
    "These matrices are drawn evenly between two bounds. Promised is a normal distribution, with numbers beyond two spreads: `nn.init.normal_`.",
    {DRAWN: "nn.init.uniform_(parameter, -smaller * math.sqrt(3), smaller * math.sqrt(3))"},
    edit(
        {DRAWN: "nn.init.uniform_(parameter, -smaller, smaller)"},
        says="These matrices are drawn evenly, between minus and plus the spread. Evenly drawn numbers have 0.58 of that bound as their spread, and promised is a normal distribution: `nn.init.normal_`.",
    ),
)
init_residuals_.mistake(
    "another spread",
    "These matrices have another spread than 0.02 / √(2 · num_layers).",
    edit({DRAWN: "nn.init.zeros_(parameter)"}, says="These matrices are all zeros. They are drawn, with a spread of 0.02 / √(2 · num_layers)."),
    edit({DRAWN: "nn.init.normal_(parameter, std=smaller**2)"}, says="You give the variance where the standard deviation is asked for: these matrices are far too small."),
    edit({SPREAD: "0.02 / math.sqrt(2 * model.config.num_heads)"}, says="Your spread is half of 0.02, however many blocks there are. (So it is where one divides by √(2 · num_heads), as the models here have two heads.) It is the number of blocks that counts: each adds to the tokens twice."),
    edit({DRAWN: "nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * (int(name.split('.')[1]) + 1)))"}, says="Every block has a spread by its own number. Promised is one spread for all, by how many blocks there are."),
)  # fmt: skip
init_residuals_.mistake(
    "some of the blocks alone",
    "Not every block has its matrices drawn anew. Go through all of them.",
    {ENDS: f'"layers.0." in name and {ENDS}'},
    {ENDS: f'f"layers.{{len(model.layers) - 1}}." in name and {ENDS}'},
    {ENDS: f'"layers.0." not in name and {ENDS}'},
    {ENDS: f'f"layers.{{len(model.layers) - 1}}." not in name and {ENDS}'},
)

OFF = "abs(parameter.std() / wanted - 1) > 0.1"
STAYED = "elif not torch.equal(parameter, before[name]):"


@torch.no_grad()
def changes_nothing(implementation: Callable[[GPT], None]) -> bool:
    """Whether a GPT is as it was, in all its parameters."""
    model = GPT(GPTConfig(7, d_model=16, num_heads=2, num_layers=3, d_ff=16, max_len=4))
    before = [parameter.clone() for parameter in model.parameters()]
    implementation(model)
    return all(map(torch.equal, before, model.parameters()))


everywhere(
    shows_unscaled_residuals,
    solutions.shows_unscaled_residuals,
    shown_alone=[changes_nothing],
)
shows_unscaled_residuals.mistake(
    "that it is drawn anew is enough",
    "Your probe asks whether each of the matrices was drawn anew, and not with which spread. Compare the spread after the call with 0.02 / √(2 · num_layers).",
    {OFF: "torch.equal(parameter, before[name])"},
)
shows_unscaled_residuals.mistake(
    "one of the two matrices is not looked at",
    "Your probe looks at one of the two matrices that write to the tokens, so code that leaves out the other passes. They are the attention's `out_proj` and the feed-forward network's `linear2`.",
    {
        '("out_proj.weight", "linear2.weight")': '"out_proj.weight"',
        STAYED: 'elif "linear2" not in name and not torch.equal(parameter, before[name]):',
    },
    {
        '("out_proj.weight", "linear2.weight")': '"linear2.weight"',
        STAYED: 'elif "out_proj" not in name and not torch.equal(parameter, before[name]):',
    },
)
shows_unscaled_residuals.mistake(
    "what should stay is not looked at",
    "Your probe looks at the two matrices of each block, and lets pass what changes others as well. The promise has two halves: these get a spread, and all others stay. Keep a clone of every parameter before the call.",
    {STAYED: "elif False:"},
)
shows_unscaled_residuals.mistake(
    "one depth alone",
    "Your probe tries one depth. Code that halves the spread whatever the depth is right for two blocks and wrong for all others. Try two depths.",
    {"for num_layers in (2, 5):": "for num_layers in (2,):"},
    edit(
        {"for num_layers in (2, 5):": "for num_layers in (3,):"},
        says="Your probe tries one depth. Code that gives every model the spread of the first one is right for one model and wrong for the next. Try two depths.",
    ),
    edit(
        {"for num_layers in (2, 5):": "for num_layers in (1,):"},
        says="Your probe tries one block alone. Code that counts blocks wrongly can be right for one. Try two depths.",
    ),
)
shows_unscaled_residuals.mistake(
    "any smaller spread will do",
    "Your probe asks whether the spread is below 0.02, and any smaller spread passes: without the root, or with half the number of sums. It is 0.02 / √(2 · num_layers), and with 2,000 numbers chance moves that by 2 %.",
    {OFF: "parameter.std() > 0.019"},
    edit(
        {OFF: "parameter.std() > wanted * 1.1"},
        says="Your probe asks whether the spread is too large, and lets pass what is too small. Ask for both sides: `abs(spread / wanted - 1) > 0.1`.",
    ),
)
shows_unscaled_residuals.mistake(
    "narrower than chance",
    "Your probe accuses right code whose spread differs from 0.02 / √(2 · num_layers) by chance. A spread of n drawn numbers is off by about 1 / √(2n) of itself. Allow a tenth, and take matrices of 1,000 numbers or more.",
    {OFF: "abs(parameter.std() / wanted - 1) > 0.0005"},
)
shows_unscaled_residuals.mistake(
    "the parameters from before the call",
    "Your probe keeps the parameters themselves and looks at these after the call. Right code may put a new parameter in the place of an old one, and then you look at what the model no longer has. Ask the model anew: `model.named_parameters()` after the call.",
    {
        "        implementation(model)\n": "        kept = list(model.named_parameters())\n        implementation(model)\n",
        "for name, parameter in model.named_parameters():\n            if": "for name, parameter in kept:\n            if",
    },
)
shows_unscaled_residuals.mistake(
    "compares with another number than is promised",
    "Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. A block adds to its tokens twice: the spread is 0.02 / √(2 · num_layers), and yours lacks the 2.",
    {"wanted = 0.02 / math.sqrt(2 * num_layers)": "wanted = 0.02 / math.sqrt(num_layers)"},
    edit(
        {"wanted = 0.02 / math.sqrt(2 * num_layers)": "wanted = 0.02 / (2 * num_layers)"},
        says="Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. The spread is 0.02 / √(2 · num_layers), and yours lacks the root.",
    ),
)
