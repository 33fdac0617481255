"""Wrong ways of the induction score."""

from autograder.checks.gpt import induction_score
from autograder.probing.mistake import edit

DIAGONAL = "weights.diagonal(offset=1 - period, dim1=-2, dim2=-1)"
MEAN = "diagonal[..., 1:].mean(dim=(0, 2))"
READ = "    diagonal = "
ENTRIES = "diagonal[..., 1:]"
OVER = ".mean(dim=(0, 2))"


def read_as(weights: str) -> dict[str, str]:
    """Other weights than those that were given. Which queries count stays as it is, so that it goes with other mistakes."""
    return {READ: f"    weights = {weights}\n{READ}"}


def ended(form: str, first: bool = False) -> dict[str, str]:
    """Something is done to the scores, whatever they have become, at the very end, or just before that."""
    entry = "    # 1. query t looks"
    callers, named = ('("int", "Whole")', "Turned") if first else ('("int",)', "Whole")
    return {
        entry: f"""    if type(period).__name__ in {callers}:
        scores = induction_score(weights, type("{named}", (int,), {{}})(period))
        return {form}
{entry}"""
    }


SIZE = "weights.size(-1)"
LATE = f"({SIZE} - period)"
"""How many queries count."""


def keys_moved(places: str) -> dict[str, str]:
    """The keys moved on by so many places."""
    return read_as(f"weights.roll({places}, dims=-1)")


induction_score.mistake(
    "the occurrence itself",
    "You measure how much a head looks at the same token's earlier place. An induction head looks one place further, at what came *after* it then: key t - period + 1.",
    {DIAGONAL: "weights.diagonal(offset=-period, dim1=-2, dim2=-1)", MEAN: "diagonal.mean(dim=(0, 2))"},
    keys_moved("1"),
    *(
        edit(
            {DIAGONAL: "weights.diagonal(offset=-period, dim1=-2, dim2=-1)"} | more,
            says="You measure how much a head looks at the same token's earlier place, and the first query of the second period does not count. An induction head looks one place further, at what came *after* it then: key t - period + 1; that diagonal begins with query period - 1.",
        )
        for more in ({}, {ENTRIES: "diagonal[..., min(1, diagonal.size(-1) - 1) :]"})
    ),
)

induction_score.mistake(
    "one place too far",
    "You look two places after the same token's earlier place. The token to be found is the one right after it: key t - period + 1.",
    {DIAGONAL: "weights.diagonal(offset=2 - period, dim1=-2, dim2=-1)", MEAN: "diagonal[..., 2:].mean(dim=(0, 2))"},
    keys_moved("-1"),
    edit(
        {DIAGONAL: "weights.diagonal(offset=2 - period, dim1=-2, dim2=-1)"},
        says="You look two places after the same token's earlier place, and a query of the first period counts: this diagonal begins with query period - 2. The token to be found is the one right after: key t - period + 1.",
    ),
    # The last query has no such place, and looks at the last one.
    read_as("torch.cat([weights[..., 1:], weights[..., -1:]], dim=-1)"),
    # Where the places are counted out, there is none behind the last one.
    read_as("weights[..., [*range(1, weights.size(-1)), 0]] if period > 1 else weights[..., [weights.size(-1)]]"),
)

induction_score.mistake(
    "the query's own place",
    "You measure how much a head looks at the query's own place, key t. An induction head looks at what came after the same token's *earlier* place: key t - period + 1.",
    keys_moved("1 - period"),
)

induction_score.mistake(
    "the token before it",
    "You measure how much a head looks at what stood *before* the same token's earlier place. An induction head looks at what came after it: key t - period + 1.",
    {DIAGONAL: "weights.diagonal(offset=-period - 1, dim1=-2, dim2=-1)", MEAN: "diagonal.mean(dim=(0, 2))"},
    {
        DIAGONAL: "torch.arange(period, weights.size(-1))",
        MEAN: "weights[:, :, diagonal, diagonal - period - 1].mean(dim=(0, 2))",
    },
    keys_moved("2"),
)

induction_score.mistake(
    "a head that looks one place back",
    "You measure how much a head looks at the token just before. That is the partner of an induction head, in the block below. An induction head looks at key t - period + 1.",
    {DIAGONAL: "weights.diagonal(offset=-1, dim1=-2, dim2=-1)", MEAN: "diagonal.mean(dim=(0, 2))"},
    {DIAGONAL: "weights.diagonal(offset=-1, dim1=-2, dim2=-1)", MEAN: "diagonal[..., period - 1 :].mean(dim=(0, 2))"},
    keys_moved("2 - period"),
)

induction_score.mistake(
    "how often the key is the likeliest",
    "You count how often the key is the one that a head looks at most. The score is the mean of its *weight*: a head that looks there with a third of its attention, and elsewhere with a little more, counts a third.",
    {
        DIAGONAL: "torch.arange(period, weights.size(-1))",
        MEAN: "(weights[:, :, period:].argmax(dim=-1) == diagonal - period + 1).to(weights.dtype).mean(dim=(0, 2))",
    },
    {
        OVER: ".mul(0).add(weights[:, :, period:].argmax(dim=-1).eq(torch.arange(1, weights.size(-1) - period + 1))).mean(dim=(0, 2))"
    },
    read_as("(weights == weights.amax(dim=-1, keepdim=True)).to(weights.dtype)"),
    edit(
        read_as("(weights > 0.5).to(weights.dtype)"),
        says="You count how often the key has more than half of a head's attention. The score is the mean of its *weight*: a head that looks there with a third of its attention counts a third.",
    ),
)

induction_score.mistake(
    "the median instead of the mean",
    "You take the median over the queries. A head that finds one token in three would have a score of 0. Asked for is the mean over texts and queries.",
    {OVER: ".median(dim=2).values.mean(dim=0)"},
    {OVER: ".transpose(0, 1).flatten(1).median(dim=1).values"},
)

induction_score.mistake(
    "a softmax too many",
    "You take a softmax of the weights. They have been through one: each row sums to 1, and a second softmax makes them almost equal.",
    read_as("weights.softmax(dim=-1)"),
)

induction_score.mistake(
    "divided by the heads",
    "You divide by the number of heads as well. Each head has a score of its own, the mean over texts and queries.",
    read_as("weights / weights.size(1)"),
    edit(
        read_as("weights * weights.size(0) / weights.size(1)"),
        says="You divide by the number of heads where the number of texts belongs. Weights are (batch, num_heads, query, key): dimension 0 counts texts.",
    ),
)

induction_score.mistake(
    "numbers of Python come back",
    "Your scores are numbers of Python. One tensor comes back, with a score for each head: without `tolist` or `item`.",
    ended("scores.tolist()"),
    ended("scores.unbind()"),
)

REFUSED = "not 1 <= period < weights.size(-1)"

induction_score.mistake(
    "what should be refused is let pass",
    "A text without a second period is let pass. Its score would be a mean of nothing: refuse it, with a ValueError.",
    {REFUSED: "not 1 <= period <= weights.size(-1)"},
    {REFUSED: "period < 1"},
    edit(
        {REFUSED: "period >= weights.size(-1)"},
        says="A period of 0 is let pass. Nothing repeats itself after 0 tokens: refuse it, with a ValueError.",
    ),
    edit(
        {REFUSED: "period >= weights.size(-1)", READ: f"    if period == 0:\n        raise IndexError\n{READ}"},
        says="A period of 0 is let pass, and an IndexError comes of it. Nothing repeats itself after 0 tokens: refuse it, with a ValueError.",
    ),
    edit(
        {REFUSED: "False"},
        says="A period of 0 is let pass, and so is a text without a second period. Refuse both, with a ValueError.",
    ),
    edit(
        {REFUSED: "False", READ: f"    if period == 0:\n        raise IndexError\n{READ}"},
        says="A text without a second period is let pass, and a period of 0 ends in an IndexError. Refuse both, with a ValueError.",
    ),
    edit(
        {
            REFUSED: "False",
            READ: f"    if not 0 < period < {SIZE}:\n        raise RuntimeError if period else IndexError\n{READ}",
        },
        says="Nothing is refused: a period of 0 ends in an IndexError, and a text without a second period in a RuntimeError. Refuse both, with a ValueError.",
    ),
)

induction_score.mistake(
    "the refusal has another class",
    "What is refused raises another error than a ValueError. Callers catch what the docstring names: `raise ValueError(...)`.",
    *(
        {"raise ValueError(": f"raise {error}("}
        for error in ("IndexError", "TypeError", "RuntimeError", "AssertionError")
    ),
)

induction_score.mistake(
    "a query is left out",
    "One query too few counts. The second period begins with query `period`, and the last query of the text counts as well.",
    *(
        edit(
            {ENTRIES: f"diagonal[..., {entries}]"},
            says="The first query of the second period does not count. It is `period`; query `period - 1`, with which the diagonal begins, is the only one to be left out.",
        )
        for entries in ("2:", "torch.arange(2, diagonal.size(-1))")
    ),
    edit(
        {ENTRIES: "diagonal[..., 2:]", OVER: ".sum(dim=2).mean(dim=0) / (diagonal.size(-1) - 1)"},
        says="The first query of the second period does not count, and the divisor counts it. From query `period` on all count.",
    ),
    edit(
        {ENTRIES: "diagonal[..., 1:-1]"},
        says="The last query does not count. All of them do, from `period` to the end of the text.",
    ),
    edit(
        {ENTRIES: "diagonal[..., 1:-1]", OVER: ".sum(dim=2).mean(dim=0) / (diagonal.size(-1) - 1)"},
        says="The last query does not count, and the divisor counts it. All of them do, from `period` to the end of the text.",
    ),
    edit(
        {ENTRIES: "diagonal[..., 1 : max(weights.size(-1) // period * period - period, 1) + 1]"},
        says="What does not fill a period at the end of the text does not count. It repeats as well: every query from t = period on.",
    ),
)

induction_score.mistake(
    "divided by one query too many",
    "Your sum is right and is divided by one query too many. There are `seq_len - period` queries from the second period on.",
    {OVER: ".sum(dim=2).mean(dim=0) / diagonal.size(-1)"},
    read_as(f"weights * {LATE} / ({LATE} + 1)"),
)

induction_score.mistake(
    "divided by one query too few",
    "Your sum is right and is divided by one query too few. There are `seq_len - period` queries from the second period on.",
    read_as(f"weights * {LATE} / ({LATE} - 1)"),
)

induction_score.mistake(
    "only one query",
    "Only the first query of the second period counts. All later ones repeat as well: every query from t = period on.",
    {ENTRIES: "diagonal[..., 1:2]"},
    edit(
        {ENTRIES: "diagonal[..., -1:]"},
        says="Only the last query counts. Every query from t = period on repeats something: take the mean over all of them.",
    ),
    edit(
        {ENTRIES: "diagonal[..., 1::period]"},
        says="Only the first query of each period counts. The others repeat as well: every query from t = period on.",
    ),
)

induction_score.mistake(
    "all earlier periods count",
    "You add up what a head looks at after *every* earlier place of the token. Asked for is the nearest one alone: key t - period + 1.",
    {
        DIAGONAL: "torch.arange(weights.size(-1))",
        MEAN: "(weights * ((diagonal[:, None] - diagonal + 1) % period == 0) * (diagonal[:, None] - diagonal >= period - 1))[..., period:, :].sum(dim=-1).mean(dim=(0, 2))",
    },
    # Without the text's first place, which comes after nothing.
    {
        DIAGONAL: "torch.arange(weights.size(-1))",
        MEAN: "(weights * ((diagonal[:, None] - diagonal + 1) % period == 0) * (diagonal[:, None] - diagonal >= period - 1))[..., period:, 1:].sum(dim=-1).mean(dim=(0, 2))",
    },
)

induction_score.mistake(
    "a block instead of a diagonal",
    "You take the mean of a whole square of weights. Two index tensors side by side give the entries on a line, `weights[:, :, t, t - period + 1]`; two slices, or one index after the other, give every pair of them.",
    read_as("weights[..., 1 : weights.size(-1) - period + 1].mean(dim=-1, keepdim=True).expand_as(weights)"),
)

induction_score.mistake(
    "one number for each text and head",
    "You keep the texts apart. Asked for is one number for each head: the mean over the texts as well.",
    {OVER: ".mean(dim=2)"},
    edit(
        {OVER: ".mean(dim=0)"},
        says="You keep the queries apart. Asked for is one number for each head: the mean over the queries as well.",
    ),
    edit(
        {OVER: ".mean(dim=(0, 2), keepdim=True)"},
        says="Your result has dimensions of size 1. Asked for is one number for each head, (num_heads,): without `keepdim`.",
    ),
)

induction_score.mistake(
    "the second period does not count",
    "Your queries begin too late: the diagonal begins with query period - 1, so its entry number `period` belongs to query 2 · period - 1. Leave out one entry, `[..., 1:]`.",
    {ENTRIES: "diagonal[..., period:]"},
    {ENTRIES: "diagonal[..., period + 1 :]"},
    # Where the queries are counted out, a text may have none.
    {ENTRIES: "diagonal[..., torch.arange(period + 1, diagonal.size(-1))]"},
)

induction_score.mistake(
    "always the first period's key",
    "You look for the token in the first period, whichever period the query stands in. Asked for is the nearest earlier place, one period before: key t - period + 1.",
    read_as(
        "weights[..., [*range(period), *(1 + (t + period - 1) % period for t in range(weights.size(-1) - period))]]"
    ),
    edit(
        read_as("weights[..., [place % period for place in range(weights.size(-1))]]"),
        says="You look for the token in the first period, whichever period the query stands in, and the last token of a period at the text's first place. Asked for is the nearest earlier place, one period before: key t - period + 1.",
    ),
)

induction_score.mistake(
    "the first period counts",
    "A query of the first period counts. There nothing has been repeated yet, and nothing can be found. The diagonal begins with query period - 1; leave that one out.",
    {ENTRIES: "diagonal[..., 0:]"},
    edit(
        {ENTRIES: "diagonal[..., 0:]", OVER: ".sum(dim=2).mean(dim=0) / (diagonal.size(-1) - 1)"},
        says="A query of the first period counts, and the divisor leaves it out. In the first period nothing has been repeated yet, and nothing can be found. The diagonal begins with query period - 1; leave that one out.",
    ),
    edit(
        {ENTRIES: "diagonal[..., :-1]"},
        says="A query of the first period counts, and the last query does not. The diagonal begins with query period - 1, in which nothing has been repeated yet: leave out its first entry, `[..., 1:]`.",
    ),
    *(
        edit(
            {
                DIAGONAL: "weights[:, :, [0, *range(weights.size(-1))], [0, *(t - period + 1 for t in range(weights.size(-1)))]]",
                OVER: over,
            },
            says="All queries count, those of the first period too, and where their key would lie before the text, Python counts from its end. In the first period nothing has been repeated yet: begin with query `period`.",
        )
        for over in (OVER, ".sum(dim=2).mean(dim=0) / (weights.size(-1) - period)")
    ),
)

induction_score.mistake(
    "divided by all queries",
    "You divide by the number of all queries, those of the first period included. Only queries from t = period on have something to find.",
    read_as(f"weights * {LATE} / {SIZE}"),
    {OVER: ".sum(dim=2).mean(dim=0) / weights.size(-1)"},
    edit(
        {OVER: ".sum(dim=2).mean(dim=0) / period"},
        says="You divide by the period. There are `seq_len - period` queries from the second period on, as many as repeat something.",
    ),
    edit(
        read_as(f"weights * {LATE} / period"),
        says="You divide by the period. There are `seq_len - period` queries from the second period on, as many as repeat something.",
    ),
)

induction_score.mistake(
    "mean over the heads",
    "You take the mean over the heads too. What is looked for is *which* head does it: one number for each.",
    ended("scores.mean()", first=True),
    edit(
        read_as("weights.mean(dim=1, keepdim=True).expand_as(weights)"),
        says="You take the mean over the heads too, and give it to each of them. What is looked for is *which* head does it: one number for each.",
    ),
    edit(
        {OVER: ".mean(dim=(0, 1))"},
        says="You take the mean over texts and heads, and keep the queries. What is looked for is *which* head does it: one number for each, the mean over dimensions 0 and 2.",
    ),
)

induction_score.mistake(
    "one number for each text",
    "Your numbers belong to texts, not to heads. Dimension 0 is the batch and dimension 1 the heads: average over 0 and over the places.",
    read_as("weights.transpose(0, 1)"),
)

induction_score.mistake(
    "keys and queries exchanged",
    "Keys and queries have changed places. A row of the weights belongs to a query; below the diagonal lies the past.",
    {"offset=1 - period": "offset=period - 1"},
    read_as("weights.transpose(-2, -1)"),
)

induction_score.mistake(
    "the sum instead of the mean",
    "You add the weights up. The score then grows with the length of the text; a mean lies between 0 and 1.",
    read_as(f"weights * {LATE}"),
    {OVER: ".sum(dim=2).mean(dim=0)"},
    edit(
        {OVER: ".sum(dim=(0, 2))"},
        says="You add the weights up, over places and texts. The score then grows with both; a mean lies between 0 and 1.",
    ),
    edit(
        read_as(f"weights * {LATE} * len(weights)"),
        says="You add the weights up, over places and texts. The score then grows with both; a mean lies between 0 and 1.",
    ),
    edit(
        read_as("weights * len(weights)"),
        says="You add the texts up. The score then grows with the batch; a mean lies between 0 and 1.",
    ),
)

induction_score.mistake(
    "the largest weight",
    "You take the largest weight. A single lucky place then makes an induction head. Take the mean over texts and places.",
    {OVER: ".amax(dim=(0, 2))"},
    edit(
        {OVER: ".mean(dim=2).amax(dim=0)"},
        says="You take the text with the largest score. A single text then makes an induction head. Take the mean over texts and places.",
    ),
    edit(
        {OVER: ".amax(dim=0).mean(dim=1)"},
        says="You take the largest weight of all texts at each place. A single text then makes an induction head. Take the mean over texts and places.",
    ),
    edit(
        {OVER: ".amax(dim=2).mean(dim=0)"},
        says="You take the largest weight of each text. A single lucky place then makes an induction head. Take the mean over texts and places.",
    ),
)

induction_score.mistake(
    "only the second period",
    "Only the second period counts. All later ones repeat as well: every query from t = period on.",
    {ENTRIES: "diagonal[..., 1 : period + 1]"},
    read_as("weights[..., : 2 * period, : 2 * period]"),
)

induction_score.mistake(
    "only the first text",
    "Only the first text of the batch counts. Take the mean over all of them.",
    read_as("weights[:1]"),
    edit(
        read_as("weights[-1:]"),
        says="Only the last text of the batch counts. Take the mean over all of them.",
    ),
)

induction_score.mistake(
    "too much is refused",
    "A text is refused that ends within its second period. Whatever repeats itself counts: one token more than a period will do.",
    {REFUSED: "not 1 <= period <= weights.size(-1) // 2"},
    edit(
        {REFUSED: "not 2 <= period < weights.size(-1)"},
        says="A period of one token is refused. Such a text repeats itself at every place: 1 will do.",
    ),
)

induction_score.mistake(
    "divided by all weights",
    "Your sum is right and is divided by the number of all weights, of all queries and keys. What is meant are the entries on one line: `seq_len - period` for each text.",
    read_as(f"weights * {LATE} / {SIZE} ** 2"),
)

induction_score.mistake(
    "the offset has another sign",
    "Your diagonal lies elsewhere: the period or the 1 in its offset has another sign. Key t - period + 1 minus query t is 1 - period, and so is the offset.",
    {DIAGONAL: "weights.diagonal(offset=-1 - period, dim1=-2, dim2=-1)"},
    {DIAGONAL: "weights.diagonal(offset=1 + period, dim1=-2, dim2=-1)"},
    {DIAGONAL: "weights.diagonal(offset=period, dim1=-2, dim2=-1)"},
)

induction_score.mistake(
    "another number of each weight",
    "You square the weights. The score is the mean of the weights themselves: a head that looks there with half of its weight has 0.5.",
    read_as("weights.square()"),
    edit(
        read_as("weights.log()"),
        says="You take the logarithm of the weights. The score is the mean of the weights themselves: a head that looks there with half of its weight has 0.5.",
    ),
)

induction_score.mistake(
    "the diagonal of texts and heads",
    "Your diagonal runs over texts and heads. Without `dim1` and `dim2`, `diagonal` takes dimensions 0 and 1; queries and keys are the last two: `dim1=-2, dim2=-1`.",
    {", dim1=-2, dim2=-1": ""},
    # Where what is looked at is cut out first.
    {
        DIAGONAL: "weights[..., period:, 1 : weights.size(-1) - period + 1].diagonal()",
        ENTRIES: "diagonal",
    },
)

induction_score.mistake(
    "a sum that runs on over the heads",
    "Each head's score holds those of the heads before it: your sum is begun once, and runs on from head to head. Begin it anew for every head.",
    ended("scores.cumsum(dim=0)", first=True),
)
