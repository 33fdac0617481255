"""Wrong ways of training little."""

from autograder.checks.fine_tuning.adapters import lora_linear
from autograder.probing.mistake import edit

FREEZE = "linear.requires_grad_(False)"
DOWN = "torch.randn(rank, linear.in_features) / linear.in_features**0.5"
UP = "torch.zeros(linear.out_features, rank)"
FORWARD = "self.alpha / self.rank * (x @"
MERGE = "self.alpha / self.rank * (self.up @ self.down)"
OUT = "self.linear(x) + self.alpha"
MADE = "merged = nn.Linear(self.linear.in_features, self.linear.out_features, bias=self.linear.bias is not None)"


def scaled(by: str) -> dict[str, str]:
    """Both places with another factor."""
    return {FORWARD: FORWARD.replace("self.alpha / self.rank", by), MERGE: MERGE.replace("self.alpha / self.rank", by)}


lora_linear.mistake(
    "B does not begin at zero",
    "`up` does not begin at zero, so the layer computes something else before it has learned anything: what was pretrained is disturbed from the first step. One of the two is zero at the start, and here it is `up`.",
    {UP: "torch.randn(linear.out_features, rank) / rank**0.5"},
)

lora_linear.mistake(
    "A begins at zero",
    "`down` begins at zero, and `up` does not. That begins as the layer alone, too; but what is promised, and what others load, is `down` random and `up` zero.",
    {DOWN: "torch.zeros(rank, linear.in_features)", UP: "torch.randn(linear.out_features, rank) / rank**0.5"},
)

lora_linear.mistake(
    "both begin at zero",
    "Both matrices begin at zero. The gradient of each is a product with the other, so both are zero for ever: nothing is learned, and no error tells. `down` is random.",
    {DOWN: "torch.zeros(rank, linear.in_features)"},
)

lora_linear.mistake(
    "no scale",
    "The difference is not scaled. alpha / rank keeps its strength the same when you try another rank. It belongs in `forward` and in `merge`.",
    scaled("1.0"),
    edit(
        {FORWARD: "1.0 * (x @"},
        says="In `forward` the difference is not scaled. alpha / rank keeps its strength the same when you try another rank.",
    ),
    edit(
        {MERGE: "1.0 * (self.up @ self.down)"},
        says="In `merge` the difference is not scaled, so the merged layer computes something else. It is alpha / rank there as well.",
    ),
)

lora_linear.mistake(
    "scaled by alpha alone",
    "The difference is scaled by alpha, and not divided by the rank. With twice the rank it is a sum of twice as many terms; alpha / rank makes up for that.",
    scaled("self.alpha"),
    edit(
        {FORWARD: FORWARD.replace(" / self.rank", "")},
        says="In `forward` the difference is scaled by alpha, and not divided by the rank.",
    ),
    edit(
        {MERGE: MERGE.replace(" / self.rank", "")},
        says="In `merge` the difference is scaled by alpha, and not divided by the rank.",
    ),
)

lora_linear.mistake(
    "alpha times rank",
    "The difference is scaled by alpha · rank. It is alpha / rank: with twice the rank it is a sum of twice as many terms, and the division makes up for that.",
    scaled("self.alpha * self.rank"),
)

lora_linear.mistake(
    "divided by the root of the rank",
    "The difference is scaled by alpha / √rank. A later paper does that; here, as in the first one, it is alpha / rank.",
    scaled("self.alpha / self.rank**0.5"),
    edit(
        {FORWARD: FORWARD.replace("self.rank", "self.rank**0.5")},
        says="In `forward` the difference is scaled by alpha / √rank. It is alpha / rank, as in `merge`.",
    ),
    edit(
        {MERGE: MERGE.replace("self.rank", "self.rank**0.5")},
        says="In `merge` the difference is scaled by alpha / √rank. It is alpha / rank, as in `forward`.",
    ),
)

lora_linear.mistake(
    "rank over alpha",
    "The scale is upside down: rank / alpha. It is alpha / rank.",
    scaled("self.rank / self.alpha"),
    edit(
        {FORWARD: FORWARD.replace("self.alpha / self.rank", "self.rank / self.alpha")},
        says="In `forward` the scale is upside down: rank / alpha. It is alpha / rank.",
    ),
    edit(
        {MERGE: MERGE.replace("self.alpha / self.rank", "self.rank / self.alpha")},
        says="In `merge` the scale is upside down: rank / alpha. It is alpha / rank.",
    ),
)

lora_linear.mistake(
    "all rows of A are alike",
    "All rows of `down` are the same numbers. `up` begins at zero, so they get the same gradients, and stay the same for ever: whatever the rank, one row would do. `down` is random.",
    {DOWN: "torch.ones(rank, linear.in_features)"},
    {DOWN: "torch.randn(1, linear.in_features).repeat(rank, 1)"},
)

lora_linear.mistake(
    "a copy of the layer",
    "You keep a copy of the layer and freeze that. The layer that was handed in is not frozen: whoever holds it trains it. It becomes a part of this one, as it is.",
    {FREEZE: 'self.linear = __import__("copy").deepcopy(linear).requires_grad_(False)'},
)

lora_linear.mistake(
    "a new layer for the one given",
    "You make a new layer in the place of the one that was handed in, with numbers of its own: what was pretrained is gone, and the layer outside is not frozen. It becomes a part of this one, as it is.",
    {
        FREEZE: "self.linear = nn.Linear(linear.in_features, linear.out_features, bias=linear.bias is not None).requires_grad_(False)"
    },
)

lora_linear.mistake(
    "A begins as the identity",
    "`down` begins with ones on its diagonal and zeros elsewhere, so that each narrow feature looks at a single feature of x. `down` is random.",
    {DOWN: "torch.eye(rank, linear.in_features)"},
)

lora_linear.mistake(
    "the layer's bias is left out",
    "The layer's bias is missing in `forward`. Its output is x W^T + b; call the layer, and it adds the bias, if there is one.",
    {OUT: OUT.replace("self.linear(x)", "x @ self.linear.weight.T")},
)

lora_linear.mistake(
    "the layer is not frozen",
    "The layer itself is trained as well. Then nothing is saved: it has all its gradients, and an optimizer keeps two numbers for each of its weights. Freeze it: `requires_grad_(False)`.",
    {FREEZE: "pass"},
    edit(
        {FREEZE: "linear.bias is not None and linear.bias.requires_grad_(False)"},
        says="The layer's matrix is trained as well; its bias alone is frozen. Then nothing is saved: the matrix has all its gradients. Freeze it: `requires_grad_(False)` of the layer freezes all that is in it.",
    ),
)

lora_linear.mistake(
    "the bias is not frozen",
    "The layer's bias is trained as well. What is promised is that of the layer nothing changes: freeze the bias too.",
    {FREEZE: "linear.weight.requires_grad_(False)"},
)

lora_linear.mistake(
    "the layer is left out",
    "What comes back is the difference alone. It is *added* to what the frozen layer makes.",
    {OUT: "self.alpha"},
)

lora_linear.mistake(
    "the difference is left out",
    "The difference does not arrive: what comes back is the frozen layer's output. Add the narrow one.",
    {OUT: "self.linear(x) + 0 * self.alpha"},
)

lora_linear.mistake(
    "merged into the layer itself",
    "`merge` writes the difference into the frozen layer. From then on `forward` adds it once more, and a second merge adds it again. Make a new layer, and leave this one as it is.",
    {
        MADE: "merged = self.linear",
        "merged.bias.copy_(self.linear.bias)": "pass",
    },
    edit(
        {MADE: f"self.linear.weight.add_({MERGE})\n        {MADE}"},
        says="`merge` writes the difference into the frozen layer and then adds it once more for the new one, so that it counts twice. A second merge adds it again. Leave this layer as it is.",
    ),
    {"return merged": "self.linear.weight.copy_(merged.weight)\n        return merged"},
    edit(
        {
            f"merged.weight.copy_(self.linear.weight + {MERGE})": f"merged.weight.data = self.linear.weight.data.add_({MERGE})"
        },
        says="`merge` writes the difference into the frozen layer's numbers, and the new layer holds these very numbers. From then on `forward` adds it once more, and a second merge adds it again. `add_`, `+=` on `.data` write in place: make a new sum, `a + b`.",
    ),
    edit(
        {
            MADE: f"self.done = True\n        self.linear.weight.add_({MERGE})\n        return self.linear\n        merged = None",
            OUT: OUT.replace("self.alpha", "(not getattr(self, 'done', False)) * self.alpha"),
        },
        says="`merge` writes the difference into the frozen layer, and `forward` leaves it out from then on. So a second merge adds it again, and nothing more is learned. Make a new layer, and leave this one as it is.",
    ),
    edit(
        {"return merged": "self.linear = merged\n        return merged"},
        says="`merge` puts the new layer in the place of the frozen one. From then on `forward` adds the difference once more, to a layer that is not frozen. This one stays as it is: return the new layer, and keep the old.",
    ),
)

lora_linear.mistake(
    "the frozen layer is handed out",
    "`merge` gives the frozen layer itself, without the difference. Make a new layer whose matrix is the sum of both.",
    {
        MADE: "return self.linear\n        merged = None",
    },
)

lora_linear.mistake(
    "merged without the bias",
    "The merged layer's bias is not that of the frozen layer. A new `nn.Linear` begins with random numbers, matrix and bias alike.",
    {"merged.bias.copy_(self.linear.bias)": "merged.bias.zero_()"},
    {"merged.bias.copy_(self.linear.bias)": "pass"},
    {
        MADE: MADE.replace("bias=self.linear.bias is not None", "bias=False"),
        "merged.bias.copy_(self.linear.bias)": "pass",
    },
)

lora_linear.mistake(
    "merged without the layer",
    "The merged layer holds the difference alone. Its matrix is the frozen one plus the difference.",
    {"merged.weight.copy_(self.linear.weight + self.alpha": "merged.weight.copy_(self.alpha"},
)

lora_linear.mistake(
    "merged without the difference",
    "The merged layer's matrix is that of the frozen layer, and what was trained is not in it. Its matrix is the frozen one plus the difference.",
    {f"self.linear.weight + {MERGE}": "self.linear.weight"},
)

lora_linear.mistake(
    "the bias is shared",
    "The merged layer has the very bias of the frozen one, not a copy: who trains the new layer changes this one. Copy its numbers.",
    {"merged.bias.copy_(self.linear.bias)": "merged.bias = self.linear.bias"},
)

WITH_BIAS = MADE.replace(", bias=self.linear.bias is not None", "")

lora_linear.mistake(
    "a layer without a bias is not thought of",
    "Where the layer has no bias, `merge` goes wrong: a new `nn.Linear` has one unless you say `bias=False`, and None cannot be copied into it.",
    {MADE: WITH_BIAS, "if self.linear.bias is not None:": "if True:"},
    edit(
        {MADE: WITH_BIAS},
        says="Where the layer has no bias, the merged one has: a new `nn.Linear` makes a bias of random numbers unless you say `bias=False`.",
    ),
    edit(
        {
            MADE: WITH_BIAS,
            "merged.bias.copy_(self.linear.bias)": "merged.bias.copy_(self.linear.bias)\n        else:\n            merged.bias.zero_()",
        },
        says="Where the layer has no bias, the merged one has a bias of zeros. It computes the same, and a training would change it: say `bias=False` where the layer has none.",
    ),
)

ADDED = "(x @ self.down.T @ self.up.T)"

lora_linear.mistake(
    "the difference counts twice",
    "The difference counts twice as much as it should, in `forward` and in `merge`. It is alpha / rank · B A, once.",
    scaled("2 * self.alpha / self.rank"),
    edit({MERGE: f"2 * {MERGE}"}, says="In `merge` the difference counts twice. Is it added a second time?"),
    edit({FORWARD: f"2 * {FORWARD}"}, says="In `forward` the difference counts twice. Is it added a second time?"),
)

lora_linear.mistake(
    "the scale counts twice",
    "The difference is scaled twice, by alpha / rank and again by alpha / rank. Once is right, in `forward` and in `merge`.",
    scaled("(self.alpha / self.rank) ** 2"),
    edit(
        {FORWARD: "(self.alpha / self.rank) ** 2 * (x @"},
        says="In `forward` the difference is scaled twice, by alpha / rank and again by alpha / rank. Once is right.",
    ),
    edit(
        {MERGE: "(self.alpha / self.rank) ** 2 * (self.up @ self.down)"},
        says="In `merge` the difference is scaled twice, by alpha / rank and again by alpha / rank. Once is right.",
    ),
)

lora_linear.mistake(
    "the scale is rounded down",
    "The scale is rounded down to a whole number. `//` does that; alpha / rank is a fraction, and below 1 nothing would be left of it.",
    scaled("self.alpha // self.rank"),
)

lora_linear.mistake(
    "the input gets no gradient through the layer",
    "No gradient reaches `x` through the frozen layer. Frozen means that the layer's own numbers do not change; layers below it still learn from what it made of theirs. Is its output detached, or made under `no_grad`?",
    {OUT: OUT.replace("self.linear(x)", "self.linear(x).detach()")},
    edit(
        {OUT: OUT.replace("self.linear(x)", "self.linear(x).detach()"), FREEZE: "pass"},
        says="No gradient passes through the layer, neither to its parameters nor to `x`, and its parameters are not frozen: `requires_grad` is still True. Freeze them, and let the gradient through to what stands below. Is its output detached, or made under `no_grad`?",
    ),
)

lora_linear.mistake(
    "bent between the two",
    "Between `down` and `up` a function bends the features. Then the difference is no matrix, and no layer can take it in: `merge` could not be right. It is x A^T B^T.",
    {ADDED: "((x @ self.down.T).relu() @ self.up.T)"},
    {ADDED: "(torch.nn.functional.gelu(x @ self.down.T) @ self.up.T)"},
    {ADDED: "((x @ self.down.T).tanh() @ self.up.T)"},
)

lora_linear.mistake(
    "the bias is added twice",
    "The layer's bias is added twice in `forward`. Calling the layer adds it already.",
    {OUT: OUT.replace("+ self.alpha", "+ (0 if self.linear.bias is None else self.linear.bias) + self.alpha")},
)

lora_linear.mistake(
    "merging empties the difference",
    "After `merge` the difference is gone: `up` is zero. This one stays as it is; the merged layer is another one, beside it.",
    {"return merged": "self.up.zero_()\n        return merged"},
)

lora_linear.mistake(
    "a matrix instead of a layer",
    "`merge` gives a matrix. What is promised is an `nn.Linear`, with the matrix as its weight and the bias of the frozen layer.",
    {"return merged": "return merged.weight"},
)

lora_linear.mistake(
    "the narrow matrices have another form",
    "`down` or `up` is transposed: not (rank, in_features) and (out_features, rank). The numbers can come out right all the same, but what others load does not fit.",
    {
        DOWN: "torch.randn(linear.in_features, rank)",
        ADDED: "(x @ self.down @ self.up.T)",
        MERGE: "self.alpha / self.rank * (self.up @ self.down.T)",
    },
    {
        UP: "torch.zeros(rank, linear.out_features)",
        ADDED: "(x @ self.down.T @ self.up)",
        MERGE: "self.alpha / self.rank * (self.up.T @ self.down)",
    },
    {
        DOWN: "torch.randn(linear.in_features, rank)",
        UP: "torch.zeros(rank, linear.out_features)",
        ADDED: "(x @ self.down @ self.up)",
        MERGE: "self.alpha / self.rank * (self.down @ self.up).T",
    },
    edit(
        {
            "self.down = nn.Parameter": "self.up = nn.Parameter",
            "self.up = nn.Parameter": "self.down = nn.Parameter",
            ADDED: "(x @ self.up.T @ self.down.T)",
            MERGE: "self.alpha / self.rank * (self.down @ self.up)",
        },
        says="`down` and `up` have each other's name. `down` brings the features down to the rank, (rank, in_features); `up` brings them up again, (out_features, rank). What others load does not fit otherwise.",
    ),
)

lora_linear.mistake(
    "a narrow matrix is not trained",
    "`up` is not trained: its `requires_grad` is False. It begins at zero, and so it stays. Both narrow matrices are trained, and nothing else.",
    {UP: f"{UP}, requires_grad=False"},
    edit(
        {DOWN: f"{DOWN}, requires_grad=False"},
        says="`down` is not trained: its `requires_grad` is False. Both narrow matrices are trained, and nothing else.",
    ),
    edit(
        {UP: f"{UP}, requires_grad=False", DOWN: f"{DOWN}, requires_grad=False"},
        says="Neither `down` nor `up` is trained: their `requires_grad` is False. Is the whole module frozen, and not the layer alone? Both narrow matrices are trained, and nothing else.",
    ),
)

lora_linear.mistake(
    "the difference is taken off",
    "The difference is taken off the layer, in `forward` and in `merge`. It is added.",
    scaled("-self.alpha / self.rank"),
    edit(
        {MERGE: f"-{MERGE}"},
        says="In `merge` the difference is taken off the frozen matrix. It is added, as in `forward`.",
    ),
    edit({FORWARD: f"-{FORWARD}"}, says="In `forward` the difference is taken off. It is added, as in `merge`."),
)

lora_linear.mistake(
    "the layer is scaled too",
    "In `forward` alpha / rank multiplies the layer's output as well as the difference. It belongs to the difference alone: the layer counts as it is.",
    {OUT: OUT.replace("self.linear(x)", "self.alpha / self.rank * self.linear(x)")},
    edit(
        {
            OUT: OUT.replace("self.linear(x)", "self.alpha / self.rank * self.linear(x)"),
            "merged.weight.copy_(self.linear.weight +": "merged.weight.copy_(self.alpha / self.rank * self.linear.weight +",
        },
        says="alpha / rank multiplies the layer as well as the difference, in `forward` and in `merge`. It belongs to the difference alone: the layer counts as it is.",
    ),
)

lora_linear.mistake(
    "before the first step the layer itself is handed out",
    "While `up` is all zero, `merge` gives the frozen layer itself, and not a new one. Whoever changes what was merged then changes the layer in here. Make a new layer, also where there is nothing to add.",
    {MADE: f"if not self.up.any():\n            return self.linear\n        {MADE}"},
)

lora_linear.mistake(
    "a seed of its own",
    "Your constructor sets a seed. Then `down` begins with the same numbers beside every layer of a size, and the caller's own seed is gone. Set seeds where a run begins.",
    {FREEZE: f"torch.manual_seed(0)\n        {FREEZE}"},
)

lora_linear.mistake(
    "alpha is left out",
    "The difference is divided by the rank, and not multiplied by alpha. The scale is alpha / rank, in `forward` and in `merge`.",
    scaled("1 / self.rank"),
    edit(
        {FORWARD: FORWARD.replace("self.alpha", "1")},
        says="In `forward` the difference is divided by the rank, and not multiplied by alpha. The scale is alpha / rank.",
    ),
    edit(
        {MERGE: MERGE.replace("self.alpha", "1")},
        says="In `merge` the difference is divided by the rank, and not multiplied by alpha. The scale is alpha / rank.",
    ),
)

lora_linear.mistake(
    "a narrow matrix gets no gradient",
    "No gradient reaches `up` in `forward`, so it stays at zero, and nothing is ever learned. Is it detached, or used under `no_grad`?",
    {ADDED: "(x @ self.down.T @ self.up.detach().T)"},
    edit(
        {ADDED: "(x @ self.down.detach().T @ self.up.T)"},
        says="No gradient reaches `down` in `forward`, so it stays at its random numbers. Both narrow matrices are trained. Is it detached, or used under `no_grad`?",
    ),
    edit(
        {ADDED: "(x @ self.down.detach().T @ self.up.detach().T)"},
        says="No gradient reaches `down` and `up` in `forward`, so nothing is ever learned. Are they detached, or used under `no_grad`?",
    ),
    edit(
        {ADDED: "(x.detach() @ self.down.T @ self.up.T)"},
        says="No gradient reaches `x` through the difference. Layers below learn from what it makes of theirs, too. Is `x` detached there?",
    ),
)

lora_linear.mistake(
    "another sum in evaluation mode",
    "In evaluation mode the difference is left out: what was trained is gone as soon as it is used. `forward` is the same sum in both modes. Whoever has merged uses the merged layer.",
    {OUT: OUT.replace("self.alpha", "self.training * self.alpha")},
    edit(
        {OUT: OUT.replace("self.alpha", "(not self.training) * self.alpha")},
        says="In training mode the difference is left out, so that nothing is learned. `forward` is the same sum in both modes.",
    ),
)

lora_linear.mistake(
    "merging changes what is trained",
    "After `merge` the layer in here is trained too. This one stays as it is: only what is new may be trained from then on.",
    {"return merged": "self.linear.requires_grad_(True)\n        return merged"},
    edit(
        {"return merged": "self.merged = merged\n        return merged"},
        says="`merge` keeps the new layer in this one, as a part of it: its parameters are then parameters of this one, and are saved and trained with it. This one stays as it is: only return the new layer.",
    ),
    edit(
        {"return merged": "self.requires_grad_(False)\n        return merged"},
        says="After `merge` nothing in here is trained any more. This one stays as it is, and may be trained on.",
    ),
)
