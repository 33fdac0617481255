"""Wrong ways of scoring queries against keys."""

from autograder.checks.attention import attention_scores, scaled_dot_product_attention
from autograder.probing.mistake import edit

PRODUCT = "q @ k.transpose(-2, -1)"
SCALE = "scores / math.sqrt(d_head)"

attention_scores.mistake(
    "no scale",
    "Your scores are not divided by √d_head. A dot product of d_head features has a variance of about d_head, so the wider a "
    "head, the harder its softmax settles on a single key. Divide by the root of d_head.",
    {SCALE: "scores"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "scale by d",
    "Your scores are divided by d_head, not by its root. The variance of a dot product grows as d_head, and its spread as √d_head: the spread has to be "
    "divided out. Is the root missing, or is the scale applied twice, in `attention_scores` and again outside?",
    {"math.sqrt(d_head)": "d_head"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "d ** 1 / 2 is no root",
    "Your scale is no root. Was it written `d_head ** 1 / 2`? A power is taken before a division, so that is (d_head ** 1) / 2. Write `d_head ** 0.5` or "
    "`math.sqrt(d_head)`.",
    {"math.sqrt(d_head)": "(d_head / 2)"},
    {SCALE: "scores / d_head / 2"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "multiplied by √d",
    "Your scores are multiplied by √d_head instead of divided. Wide heads give large dot products; the scale has to shrink them. "
    "(d_head ** -0.5 is a factor, d_head ** 0.5 a divisor.)",
    {SCALE: "scores * math.sqrt(d_head)"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "scale by √key_len",
    "Your scores are divided by the root of the number of keys. A dot product grows with the number of features, however many keys there are. d_head is "
    "the last dimension, `q.size(-1)`.",
    {SCALE: "scores / math.sqrt(k.size(-2))"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "scale by √query_len",
    "Your scores are divided by the root of the number of queries. A dot product grows with the number of features. d_head is the last dimension, "
    "`q.size(-1)`; an index such as `size(1)` counts from the front.",
    {SCALE: "scores / math.sqrt(q.size(-2))"},
    {SCALE: "scores / math.sqrt(q.size(1))"},
    {SCALE: "scores / math.sqrt(q.size(0))"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "qᵀk instead of qkᵀ",
    "You compute qᵀk where qkᵀ is meant. With tokens in rows that compares features with features, not tokens with tokens; it goes "
    "unnoticed only while there are as many tokens as features. Articles print softmax(QᵀK/√d): there the tokens stand in columns. "
    "Here the keys are transposed: `q @ k.transpose(-2, -1)`.",
    {PRODUCT: "q.transpose(-2, -1) @ k"},
    edit(
        {
            "attention_scores(q, k)": "q.transpose(-2, -1) @ k / math.sqrt(q.size(-1))",
            "output = weights @ v": "output = v @ weights",
        },
        inside="scaled_dot_product_attention",
        of=[scaled_dot_product_attention],
    ),
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "scores transposed",
    "Your scores have keys in rows and queries in columns. Row i should hold the scores of query i, one for each key. So q stands first: q @ kᵀ.",
    {PRODUCT: "k @ q.transpose(-2, -1)"},
    edit(
        {SCALE: f"({SCALE}).movedim(-1, 0)"},
        says="Your keys stand in the first dimension. `torch.stack` makes a new dimension in front unless told otherwise. Row i should hold the scores of query i, one for each key: stack along `dim=-1`.",
        of=[attention_scores],
    ),
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "reshape instead of transpose",
    "Your keys are given another shape instead of being transposed. `reshape` and `view` keep the numbers in the order in which they lie in memory and "
    "only cut them into other rows, so a column holds pieces of several keys. No error shows it. `k.transpose(-2, -1)` exchanges the two dimensions.",
    {PRODUCT: "q @ k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))"},
    {PRODUCT: "q @ k.view(*k.shape[:-2], k.size(-1), k.size(-2))"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "fits one number of dimensions",
    "Your code works for only one number of dimensions. Somewhere a dimension is counted from the front (`transpose(1, 2)`, `dim=3`) or "
    "spelled out (`b, h, n, d = q.shape`, an einsum without dots). Count from the end, `transpose(-2, -1)` and `dim=-1`: then any dimensions may stand "
    "in front, and lesson 03 puts heads there.",
    {PRODUCT: "q @ k.transpose(1, 2)"},
    {PRODUCT: "q @ k.transpose(0, 1)"},
    {PRODUCT: "q @ k.transpose(2, 3)"},
    {PRODUCT: "q @ k.T"},
    {PRODUCT: 'torch.einsum("qd,kd->qk", q, k)'},
    {PRODUCT: 'torch.einsum("bqd,bkd->bqk", q, k)'},
    {PRODUCT: 'torch.einsum("bhqd,bhkd->bhqk", q, k)'},
    {PRODUCT: "(q.unsqueeze(2) * k.unsqueeze(1)).sum(-1)"},
    {PRODUCT: "(q.unsqueeze(3) * k.unsqueeze(2)).sum(-1)"},
    {PRODUCT: f"[{PRODUCT} for n, d in [q.shape]][0]"},
    {PRODUCT: f"[{PRODUCT} for b, n, d in [q.shape]][0]"},
    {PRODUCT: f"[{PRODUCT} for b, h, n, d in [q.shape]][0]"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "writes into its input",
    "Your code writes into the tensor it was given. The caller still needs that tensor: the same queries are often used again. "
    "`q /= root` and `q.div_(root)` do this; `q = q / root` does not.",
    {PRODUCT: "q.div_(math.sqrt(d_head)) @ k.transpose(-2, -1)", SCALE: "scores"},
    {PRODUCT: "q @ k.div_(math.sqrt(d_head)).transpose(-2, -1)", SCALE: "scores"},
    also=[scaled_dot_product_attention],
)

SOFTMAXED = (
    "Your scores have gone through a softmax already. The mask has to act between scores and softmax, so return the scores themselves, which may be any "
    "real numbers."
)
attention_scores.mistake(
    "softmax already",
    SOFTMAXED,
    {SCALE: "torch.softmax(scores / math.sqrt(d_head), dim=-1)"},
    edit({SCALE: "torch.softmax(scores, dim=-1)"}, says=f"{SOFTMAXED} And they are not divided by √d_head."),
    edit(
        {SCALE: f"(lambda s: s - s.amax(dim=-1, keepdim=True))({SCALE})"},
        says="Your scores lack the largest of their row. That is the first step of a stable softmax, which comes after the mask. Return the scores themselves.",
    ),
)

COSINES = "torch.nn.functional.normalize(q, dim=-1) @ torch.nn.functional.normalize(k, dim=-1).transpose(-2, -1)"
attention_scores.mistake(
    "cosine instead of dot product",
    "You compare directions only: queries and keys are brought to length 1 first. A dot product also depends on their lengths: the longer a query, the "
    "more its weights go to the best keys.",
    {PRODUCT: COSINES},
    edit(
        {PRODUCT: COSINES, SCALE: "scores"},
        says="Your scores are cosines: they compare directions only. A dot product also depends on the lengths of queries and keys, and is divided by √d_head.",
    ),
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "scores detached",
    "Your scores are cut off from the graph. The values are right, but queries and keys would never learn anything. Look for `detach`, "
    "`.data`, `.item()`, `no_grad` or a tensor made anew.",
    {SCALE: f"({SCALE}).detach()"},
    {PRODUCT: f"({PRODUCT}).detach()"},
    *(
        edit(
            {PRODUCT: product},
            says=f"Your {name} are cut off from the graph. The values are right, but the {name} would never learn anything. Look for `detach`, `.data`, `.item()`, `no_grad` or a tensor made anew.",
        )
        for name, product in (
            ("keys", "q @ k.detach().transpose(-2, -1)"),
            ("queries", "q.detach() @ k.transpose(-2, -1)"),
        )
    ),
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "the scale is not √d_head",
    "Your scores are divided by something else than √d_head. Divide by the root of the number of features, once.",
    *(
        edit({SCALE: scale}, says=f"{says} The spread of a dot product grows as √d_head: divide by the root, once.")
        for scale, says in (
            (
                "scores / d_head**0.25",
                "Your scores are divided by the fourth root of d_head. Where queries and keys are scaled one by one, each is divided by it; one of the two was left out.",
            ),
            (
                "scores / d_head**1.5",
                "Your scores are divided by d_head and by its root. Is a mean taken where the products of the features are to be added up?",
            ),
            ("scores / d_head**2", "Your scores are divided by the square of d_head."),
            ("scores / d_head ** (1 / 3)", "Your scores are divided by the third root of d_head."),
            ("scores / math.log(d_head)", "Your scores are divided by the logarithm of d_head."),
            (
                "scores / math.sqrt(k.numel())",
                "Your scores are divided by the root of how many numbers there are in all keys. d_head is the size of the last dimension alone, `q.size(-1)`.",
            ),
            (
                "scores / math.sqrt(q.numel())",
                "Your scores are divided by the root of how many numbers there are in all queries. d_head is the size of the last dimension alone, `q.size(-1)`.",
            ),
        )
    ),
    # At the product, so that it goes together with another scale.
    edit(
        {PRODUCT: f"{PRODUCT} / d_head"},
        says="Your scores are divided by d_head and by its root. Is a mean taken where the products of the features are to be added up? The spread of a dot product grows as √d_head: divide by the root, once.",
    ),
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "the scale is a fixed number",
    "Your scores are divided by a fixed number. 8 is the root of 64, the width of a head in the paper; here a head may have any width. Take the root of `q.size(-1)`.",
    *({SCALE: f"scores / {fixed}"} for fixed in (4, 8, 16, 32)),
    {SCALE: "scores / math.sqrt(512)"},
    {SCALE: "scores / 64"},
)

attention_scores.mistake(
    "rounded to a whole number",
    "Your root is cut to a whole number. √3 is 1.73, not 1. Leave out `int` and `isqrt`.",
    {"math.sqrt(d_head)": "math.isqrt(d_head)"},
    edit(
        {"math.sqrt(d_head)": "round(math.sqrt(d_head))"},
        says="Your root is rounded to a whole number. √3 is 1.73, not 2. Leave out `round`.",
    ),
    *(
        edit(
            {SCALE: whole},
            says="Your scores are whole numbers. `//` divides and rounds down; `/` divides. No score is to be rounded.",
        )
        for whole in ("scores // math.sqrt(d_head)", f"({SCALE}).floor()", f"({SCALE}).round()")
    ),
)

attention_scores.mistake(
    "the sign is turned",
    "Your scores have the wrong sign. The better a key fits, the larger its dot product, and the softmax gives most to the largest score. Leave out the minus.",
    {SCALE: "-scores / math.sqrt(d_head)"},
    also=[scaled_dot_product_attention],
)

NEVER_NEGATIVE = "A score may be any real number: a negative dot product says that a key fits worse than one that has nothing in common with the query, and the softmax makes it positive. Return the scores as they are."
attention_scores.mistake(
    "no score is negative",
    f"Your scores have lost their sign. {NEVER_NEGATIVE}",
    {SCALE: f"({SCALE}).abs()"},
    edit({SCALE: f"({SCALE}).relu()"}, says=f"Your negative scores have become 0. {NEVER_NEGATIVE}"),
    edit(
        {SCALE: f"({SCALE}).exp()"},
        says=f"Your scores are exponentials. That is the first step of the softmax, which comes later. {NEVER_NEGATIVE}",
    ),
    *(
        edit(
            {SCALE: scale},
            says=f"You take the root of the scores as well. Only d_head is under the root: qkᵀ / √d_head. {NEVER_NEGATIVE}",
        )
        for scale in ("torch.sqrt(scores / d_head)", "torch.sqrt(scores.abs() / d_head)")
    ),
)

attention_scores.mistake(
    "distances instead of dot products",
    "Your scores come from the distances between queries and keys. A distance asks how far apart two vectors are, whatever their direction; a score is their dot product. One matrix product gives all: `q @ k.transpose(-2, -1)`.",
    *(
        {PRODUCT: f"{sign}{distance}"} | more
        for sign in ("", "-")
        for distance in ("torch.cdist(q, k)", "(q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(-1)")
        for more in ({}, {SCALE: "scores"})
    ),
)

attention_scores.mistake(
    "number by number instead of a product",
    "You multiply queries and keys number by number. That pairs query i with key i alone, and no features are added up. Every query has to meet every key: `@` is the matrix product.",
    {PRODUCT: "q * k"},
    {PRODUCT: "(q * k).sum(-1)"},
    {PRODUCT: "(q * k).sum(-1, keepdim=True)"},
)

attention_scores.mistake(
    "one of the two with itself",
    "Your queries are scored against the queries; the keys have no part in it. A query asks and a key is read: `q @ k.transpose(-2, -1)`. In self-attention too, lesson 03 makes both of the same tokens by different weights.",
    {PRODUCT: "q @ q.transpose(-2, -1)"},
    edit(
        {PRODUCT: "k @ k.transpose(-2, -1)"},
        says="Your keys are scored against the keys; the queries have no part in it. A query asks and a key is read: `q @ k.transpose(-2, -1)`.",
    ),
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "a key is left out",
    "A key has no scores, the first or the last. Every query meets every key. If you go through the keys in a loop, look at where it begins and ends.",
    {PRODUCT: "q @ k[..., :-1, :].transpose(-2, -1)"},
    {PRODUCT: "q @ k[..., 1:, :].transpose(-2, -1)"},
    *(
        edit(
            {PRODUCT: f"q @ k[..., {one}, :].transpose(-2, -1)"},
            says=f"The {which} key alone has scores. Every query meets every key: in a loop keep the scores of all, and `return` after it.",
        )
        for one, which in ((":1", "first"), ("-1:", "last"))
    ),
)

attention_scores.mistake(
    "a list instead of a tensor",
    "A list of tensors comes back. One tensor is promised, with a row for each query and a column for each key. `torch.stack(..., dim=-1)` makes one of the scores of single keys, `dim=-2` of single queries.",
    {SCALE: f"list(({SCALE}).unbind(-1))"},
    {SCALE: f"list(({SCALE}).unbind(-2))"},
    {SCALE: f"({SCALE}).tolist()"},
)

attention_scores.mistake(
    "a feature is left out",
    "One feature has no part in your scores, the first or the last. A dot product adds up the products of all features. If you go through them in a loop, look at where it begins and ends.",
    {PRODUCT: "q[..., :-1] @ k[..., :-1].transpose(-2, -1)"},
    {PRODUCT: "q[..., 1:] @ k[..., 1:].transpose(-2, -1)"},
    *(
        edit(
            {PRODUCT: f"q[..., {one}] @ k[..., {one}].transpose(-2, -1)"},
            says=f"Your scores hold the product of the {which} feature alone. A dot product adds up the products of all features. In a loop, add to what is there: `+=`, and `return` after it.",
        )
        for one, which in (("-1:", "last"), (":1", "first"))
    ),
)

attention_scores.mistake(
    "other widths are not refused",
    "Keys of another width than the queries are not refused. They have no dot product. Without the check another error comes later and says less, or some features are left out in silence. Raise a ValueError, as the given lines did.",
    {"if k.size(-1) != d_head:": "if False:"},
    {"if k.size(-1) != d_head:": "if k.size(-1) > d_head:"},
    {"if k.size(-1) != d_head:": "if k.size(-1) < d_head:"},
)
