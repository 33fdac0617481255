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
)

lora_linear.mistake(
    "rank over alpha",
    "The scale is upside down: rank / alpha. It is alpha / rank.",
    scaled("self.rank / self.alpha"),
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
    "the layer's bias is left out",
    "The layer's bias is missing in `forward`. Its output is x W^T + b; call the layer, and it adds the bias, if there is one.",
    {OUT: OUT.replace("self.linear(x)", "x @ self.linear.weight.T")},
)

lora_linear.mistake(
    "the layer is not frozen",
    "The layer itself is trained as well. Then nothing is saved: it has all its gradients, and an optimizer keeps two numbers for each of its weights. Freeze it: `requires_grad_(False)`.",
    {FREEZE: "pass"},
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
)
