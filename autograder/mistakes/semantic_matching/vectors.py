"""Wrong ways of making vectors of texts, and of comparing them."""

from autograder.checks.semantic_matching.vectors import cosine_scores, mean_pool
from autograder.probing.mistake import edit

# mean_pool ----------------------------------------------------------------------------

BEGIN = "# BEGIN SOLUTION"
KEPT = "hidden.masked_fill(~mask.unsqueeze(-1), 0.0)"
COUNTS = "mask.sum(dim=1, keepdim=True)"
SUM, LOW = "kept.sum(dim=1)", "counts.clamp(min=1)"
MEAN = f"{SUM} / {LOW}"
PLACES = f"{COUNTS}.fill_(mask.size(1))"

mean_pool.mistake(
    "mean over the padding",
    "Your vector is the mean over all places, those of the padding too. A text then has another vector beside a longer one than alone. Leave the padding out of the sum, and out of the number that it is divided by. Much used libraries have shipped this.",
    {KEPT: "hidden", COUNTS: PLACES},
)

mean_pool.mistake(
    "divided by the padded length",
    "The sum is over the tokens alone, but it is divided by the number of all places. So a short text gets a shorter vector beside a long one. Divide by how many tokens the row has.",
    {COUNTS: PLACES},
    edit(
        {LOW: "hidden.size(2)"},
        says="You divide by the number of features. Divide by how many tokens the row has.",
    ),
)

mean_pool.mistake(
    "the padding counts in the sum",
    "You divide by the number of tokens, but what stands on the padding is in the sum. Those vectors are not zeros: the model makes something of padding, too. Set them to zeros before you add up, and keep what that returns.",
    {KEPT: "hidden"},
)

mean_pool.mistake(
    "an empty row divides by zero",
    "A row without a token becomes NaN: 0 / 0. One such row in a batch spreads into the loss, and from there into every weight. Divide by 1 where there is nothing to count.",
    {LOW: "counts"},
    {KEPT: "hidden * mask.unsqueeze(-1)", LOW: "counts"},
)

mean_pool.mistake(
    "the first place",
    "You take the vector at place 0. With padding in front that is padding, and a mean is over all tokens of a row. (The vector at [CLS] is another way of making one vector; it, too, has to be looked for where [CLS] stands.)",
    {MEAN: "hidden[:, 0]"},
    edit(
        {MEAN: "hidden[torch.arange(len(hidden)), mask.int().argmax(dim=1)]"},
        says="You take the vector of the first token of each row. A mean is over all of its tokens.",
    ),
)

mean_pool.mistake(
    "the last place",
    "You take the vector at the last place. In most rows that is padding; and a mean is over all tokens.",
    {MEAN: "hidden[:, -1]"},
    edit(
        {MEAN: "hidden[torch.arange(len(hidden)), counts[:, 0] - 1]"},
        says="You take one vector of each row, the one at the place that the number of its tokens says. A mean is over all of them.",
    ),
)

mean_pool.mistake(
    "so many places from the front",
    "You take as many places from the front as the row has tokens. That is right only where all padding stands at the end. Go by the mask itself, and not by how often it is True.",
    {BEGIN: "mask = torch.arange(hidden.size(1)) < mask.sum(dim=1, keepdim=True)"},
)

mean_pool.mistake(
    "a sum, not a mean",
    "Your vectors are sums: a text of ten tokens gets one ten times as long as a text of one. Divide by the number of tokens of each row.",
    {MEAN: SUM},
)

mean_pool.mistake(
    "the largest of each feature",
    "Your vector holds the largest number of each feature, not the mean. (That is max pooling, which exists too.)",
    {MEAN: "kept.amax(dim=1)"},
    {MEAN: "hidden.amax(dim=1)"},
    edit(
        {KEPT: "hidden.masked_fill(~mask.unsqueeze(-1), -torch.inf)", MEAN: "kept.amax(dim=1)"},
        says="Your vector holds the largest number of each feature, not the mean; and where a row has no token, that is -inf. (It is max pooling, which exists too.)",
    ),
    edit(
        {SUM: "kept.amax(dim=1)"},
        says="You take the largest number of each feature, and divide it by the number of tokens. A mean is a sum divided by it.",
    ),
    {
        KEPT: "hidden.masked_fill(~mask.unsqueeze(-1), -torch.inf)",
        MEAN: "kept.amax(dim=1).masked_fill(counts == 0, 0.0)",
    },
)

mean_pool.mistake(
    "divided by the tokens of the whole batch",
    "Each sum is divided by the number of tokens of the whole batch. So the vector of a text depends on which others stand beside it. Count the tokens row by row: `dim=1`.",
    {COUNTS: "mask.sum()"},
)

mean_pool.mistake(
    "the mask upside down",
    "Your vectors are made of the padding: the mask is read the wrong way round. True stands for a token.",
    {BEGIN: "mask = ~mask"},
    edit(
        {BEGIN: "mask = ~mask", LOW: "counts"},
        says="Your vectors are made of the padding: the mask is read the wrong way round. A row without padding then becomes NaN. True stands for a token; and a row without one divides by 1, not by 0.",
    ),
    edit(
        {KEPT: "hidden.masked_fill(mask.unsqueeze(-1), 0.0)"},
        says="What you add up is the padding, not the tokens: the mask is read the wrong way round there. `masked_fill` fills where its mask is True.",
    ),
    edit(
        {COUNTS: "(~mask).sum(dim=1, keepdim=True)"},
        says="You divide by how many places are padding, not by how many are tokens. True stands for a token.",
    ),
)

mean_pool.mistake(
    "vectors of length 1",
    "Your vectors have length 1. The mean is asked for as it is; the comparison makes the lengths equal, later.",
    {MEAN: f"F.normalize({MEAN}, dim=1)"},
)

mean_pool.mistake(
    "the root of the number of tokens",
    "The sums are divided by the root of the number of tokens. Divide by the number itself.",
    {LOW: f"{LOW}.sqrt()"},
)

mean_pool.mistake(
    "one token too many",
    "You divide by one more than the number of tokens. If that was to save a row without a token: make 1 of a count of 0, and leave the others as they are.",
    {LOW: "(counts + 1)"},
    {LOW: f"({LOW} + 1)"},
)

mean_pool.mistake(
    "padding becomes -inf",
    "Your padding becomes -inf, as scores do in front of a softmax, and a sum with -inf in it is -inf. What adds nothing to a sum is 0.",
    {KEPT: "hidden.masked_fill(~mask.unsqueeze(-1), -torch.inf)"},
    edit(
        {KEPT: "hidden.masked_fill(~mask.unsqueeze(-1), -1e9)"},
        says="Your padding becomes -1e9, as scores do in front of a softmax, and here that is added up. What adds nothing to a sum is 0.",
    ),
    edit(
        {KEPT: "hidden.masked_fill(~mask.unsqueeze(-1), 1.0)"},
        says="Your padding becomes 1, and that is added up. What adds nothing to a sum is 0.",
    ),
)

mean_pool.mistake(
    "divided twice",
    "You take the mean over all places, and divide that by the number of tokens once more. Add up (`sum`), and divide once.",
    {SUM: "kept.mean(dim=1)"},
    edit(
        {LOW: f"{LOW}.square()"},
        says="You divide by the square of the number of tokens. Divide once.",
    ),
)

mean_pool.mistake(
    "divided by the longest text",
    "Each sum is divided by the number of tokens of the longest text in the batch. So a short text gets a shorter vector beside a long one. Each row has a count of its own.",
    {LOW: "counts.max().clamp(min=1)"},
    edit(
        {LOW: "counts.clamp(min=1).double().mean()"},
        says="Each sum is divided by the mean number of tokens of the batch. Each row has a count of its own.",
    ),
)

mean_pool.mistake(
    "one token too few",
    "You divide by one less than the number of tokens, as an estimate of a variance does. A mean divides by the number itself.",
    {LOW: "(counts - 1).clamp(min=1)"},
    {LOW: f"({LOW} - 1)"},
)

mean_pool.mistake(
    "one token counts as two",
    "A row of one token is divided by 2: the number that you divide by is never below 2. What keeps a row without a token from 0 / 0 is a 1.",
    {LOW: "counts.clamp(min=2)"},
)

mean_pool.mistake(
    "numbers that are zero are not counted",
    "You count numbers that are not zero, and not tokens. A token may well have a feature that is exactly 0. Count by the mask.",
    {COUNTS: "(kept != 0).sum(dim=1)"},
    edit(
        {COUNTS: "(kept != 0).any(dim=-1).sum(dim=1, keepdim=True)"},
        says="You count the vectors that are not zeros, and not tokens. The vector of a token may well be zeros. Count by the mask.",
    ),
)

mean_pool.mistake(
    "the first token is left out",
    "The first token of each row is missing in your mean. Nothing says that it is a [CLS]; every token that the mask marks counts.",
    {BEGIN: "mask = mask & (mask.cumsum(dim=1) > 1)"},
    {BEGIN: "mask = mask & (torch.arange(mask.size(1)) > 0)"},
    {
        KEPT: "hidden.masked_fill(~(mask & (torch.arange(mask.size(1)) > 0)).unsqueeze(-1), 0.0)",
        COUNTS: "(mask.sum(dim=1, keepdim=True) - 1)",
    },
    edit(
        {SUM: "kept[:, 1:].sum(dim=1)"},
        says="What stands at place 0 is missing in your sum, and counts in what it is divided by. Every token that the mask marks belongs to both.",
    ),
    edit(
        {KEPT: "hidden.masked_fill(~(mask & (mask.cumsum(dim=1) > 1)).unsqueeze(-1), 0.0)"},
        says="The first token of each row is missing in your sum, and counts in what it is divided by. Every token that the mask marks belongs to both.",
    ),
)

mean_pool.mistake(
    "the last token is left out",
    "The last token of each row is missing in your mean. Every token that the mask marks counts.",
    {BEGIN: "mask = mask & (mask.flip(1).cumsum(dim=1).flip(1) > 1)"},
    edit(
        {SUM: "kept[:, :-1].sum(dim=1)"},
        says="What stands at the last place is missing in your sum, and counts in what it is divided by. Every token that the mask marks belongs to both.",
    ),
    edit(
        {BEGIN: "mask = mask & (torch.arange(mask.size(1)) < mask.size(1) - 1)"},
        says="What stands at the last place is missing in your mean. Every token that the mask marks counts; a range ends in front of its end.",
    ),
)

mean_pool.mistake(
    "an empty row is not zeros",
    "A row without a token gets the mean of its padding. By the docstring it gets zeros.",
    {MEAN: f"torch.where(counts > 0, {MEAN}, hidden.mean(dim=1))"},
    edit(
        {MEAN: f"torch.where(counts > 0, {MEAN}, hidden[:, 0])"},
        says="A row without a token gets the vector at its first place, which is padding. By the docstring it gets zeros.",
    ),
    edit(
        {MEAN: f"({MEAN}).masked_fill(counts == 0, 1.0)"},
        says="A row without a token gets ones. By the docstring it gets zeros.",
    ),
)

mean_pool.mistake(
    "a dimension of size 1 is left",
    "Your vectors are (batch, 1, d_model): the dimension that was added up is kept. What is promised is (batch, d_model); `keepdim=True` belongs to the counts alone.",
    {MEAN: f"({MEAN}).unsqueeze(1)"},
)

mean_pool.mistake(
    "over the texts instead of the tokens",
    "You add up over the *texts* of the batch, so that each place gets a vector. A text is a row: add up over its places, `dim=1`.",
    {MEAN: "kept.sum(dim=0) / mask.sum(dim=0).clamp(min=1).unsqueeze(-1)"},
    {MEAN: "kept.sum(dim=0) / counts.clamp(min=1)"},
)

mean_pool.mistake(
    "over the features instead of the tokens",
    "You add up the *features* of each token, so that a number comes out for each place. Add up over the places, `dim=1`.",
    {SUM: "kept.sum(dim=-1)"},
)

mean_pool.mistake(
    "cut off from the gradient",
    "No gradient goes through your mean, so nothing below it learns: something cuts it off, such as `detach`, `.data` or numpy.",
    {MEAN: f"({MEAN}).detach()"},
)

mean_pool.mistake(
    "divided without a rest",
    "Your means are whole numbers: `//` divides without a rest. Divide by `/`.",
    {MEAN: "kept.sum(dim=1) // counts.clamp(min=1)"},
    edit(
        {MEAN: f"({MEAN}).floor()"},
        says="Your means are rounded to whole numbers, and no gradient comes through that. Return them as they are.",
    ),
    edit(
        {MEAN: f"({MEAN}).round()"},
        says="Your means are rounded to whole numbers, and no gradient comes through that. Return them as they are.",
    ),
)

mean_pool.mistake(
    "nothing is added up",
    "Every vector is divided by the number of tokens of its text, and they are not added up: (batch, seq_len, d_model) comes back. Add up over the places, `dim=1`.",
    {MEAN: "kept / counts.clamp(min=1).unsqueeze(-1)"},
)

mean_pool.mistake(
    "a small number below the line",
    "A small number is added to each count, so that nothing is divided by 0. That makes every mean a little too small. Make 1 of a count of 0, and leave the others as they are.",
    *({LOW: f"(counts + {small})"} for small in ("1e-3", "1e-2")),
)

mean_pool.mistake(
    "nothing but zeros",
    "Your vectors are zeros, whatever comes in: the tokens are set to 0 and so is the padding. `masked_fill` fills where its mask is True, a product keeps what is multiplied by True; is one of two masks the wrong way round?",
    {KEPT: "hidden.masked_fill(mask.unsqueeze(-1), 0.0).masked_fill(~mask.unsqueeze(-1), 0.0)"},
    {MEAN: "hidden.new_zeros(len(hidden), hidden.size(2))"},
)

mean_pool.mistake(
    "the middle one of each feature",
    "Your vector holds the middle number of each feature, the median, not the mean.",
    {MEAN: "hidden.masked_fill(~mask.unsqueeze(-1), torch.nan).nanmedian(dim=1).values.nan_to_num()"},
    {MEAN: "hidden.median(dim=1).values"},
)

mean_pool.mistake(
    "each token's vector is normalized",
    "The vectors of the tokens get length 1 before the mean is taken. The mean is of what the model makes, as it is; the comparison makes the length of the mean equal, later.",
    {BEGIN: "hidden = F.normalize(hidden, dim=-1)"},
)

mean_pool.mistake(
    "added up over the texts, too",
    "One vector comes back for the whole batch: a mean has been taken over the texts as well. Each row is a text, and has a vector of its own.",
    {MEAN: f"({MEAN}).mean(dim=0)"},
    {MEAN: f"({MEAN}).sum(dim=0)"},
    {MEAN: "kept.sum(dim=(0, 1)) / counts.sum().clamp(min=1)"},
)

mean_pool.mistake(
    "a list instead of a tensor",
    "Your vectors come back in a list. What is promised is one tensor, (batch, d_model): `torch.stack` makes one of them.",
    {MEAN: f"list({MEAN})"},
    {MEAN: f"({MEAN}).tolist()"},
)

mean_pool.mistake(
    "changed on the way",
    "The mean goes through one more function, or the vectors do before it. What is promised is the mean of the tokens' vectors, as they are.",
    *({MEAN: f"({MEAN}).{bent}()"} for bent in ("tanh", "relu")),
    *({BEGIN: f"hidden = hidden.{bent}()"} for bent in ("tanh", "relu")),
)

mean_pool.mistake(
    "written over, not added up",
    "Your sum holds one place alone: each new vector takes the place of the sum so far, where it is to be added to it. Look at the loop: `+=`, or `total = total + ...`.",
    {SUM: "kept[:, -1]"},
    {
        SUM: "hidden[torch.arange(len(hidden)), (mask * torch.arange(1, mask.size(1) + 1)).argmax(dim=1)] * mask.any(dim=1, keepdim=True)"
    },
)

# cosine_scores ----------------------------------------------------------------------------

QUERIES, DOCUMENTS = "F.normalize(queries, dim=-1)", "F.normalize(documents, dim=-1)"
SCORES = f"{QUERIES} @ {DOCUMENTS}.T"
GIVEN = "if queries.size(-1) != documents.size(-1):"
REFUSED = 'documents {documents.size(-1)}; give as many")'
LONG, WIDE = "queries.norm(dim=-1)[:, None]", "documents.norm(dim=-1)"
SIDES = (("queries", QUERIES), ("documents", DOCUMENTS))

cosine_scores.mistake(
    "a dot product",
    "Your scores are dot products of the vectors as they are: a long document gets larger scores from everybody. Make rows of length 1 first, on both sides, and keep what `F.normalize` returns.",
    {SCORES: "queries @ documents.T"},
)

cosine_scores.mistake(
    "one side as it is",
    "Only one side has vectors of length 1; the lengths of the other are still in the scores. Both sides need it.",
    {QUERIES: "queries"},
    {DOCUMENTS: "documents"},
)

cosine_scores.mistake(
    "normalized over dimension 0",
    "You normalize over dimension 0, so each *feature* gets length 1 over the whole batch, and a score depends on which other texts are there. A row is a vector: `dim=-1`.",
    {SCORES: "F.normalize(queries, dim=0) @ F.normalize(documents, dim=0).T"},
    edit(
        {QUERIES: "F.normalize(queries, dim=0)"},
        says="You normalize one side over dimension 0, so each *feature* gets length 1 over the batch, and a score depends on which other vectors are there. A row is a vector: `dim=-1`.",
    ),
    edit(
        {DOCUMENTS: "F.normalize(documents, dim=0)"},
        says="You normalize one side over dimension 0, so each *feature* gets length 1 over the batch, and a score depends on which other vectors are there. A row is a vector: `dim=-1`.",
    ),
)

cosine_scores.mistake(
    "distances instead of scores",
    "Your numbers are distances: small for what is near. Whoever looks for the largest finds what is farthest. Return cosines.",
    {SCORES: "torch.cdist(queries, documents)"},
    {SCORES: f"torch.cdist({QUERIES}, {DOCUMENTS})"},
    {SCORES: f"torch.cdist({QUERIES}, {DOCUMENTS}).square()"},
    {SCORES: f"2 - 2 * ({SCORES})"},
    edit(
        {SCORES: f"1 - {SCORES}"},
        says="Your numbers are 1 less the cosine, a distance: small for what is near. Whoever looks for the largest finds what is farthest. Return the cosines.",
    ),
)

cosine_scores.mistake(
    "upside down",
    "Every score has the wrong sign: what is near scores -1.",
    {SCORES: f"-({SCORES})"},
)

cosine_scores.mistake(
    "queries and documents exchanged",
    "Your result is (documents, queries). Rows are queries: the documents are what has to be turned over in the product.",
    {GIVEN: f"queries, documents = documents, queries\n    {GIVEN}"},
)

cosine_scores.mistake(
    "from 0 to 1",
    "Your scores go from 0 to 1, (1 + cosine) / 2. The cosine itself is asked for, from -1 to 1.",
    {SCORES: f"(1 + {SCORES}) / 2"},
)

cosine_scores.mistake(
    "divided by the root of the width",
    "Your scores are divided by the root of the number of features, as attention does with its dot products. A cosine has no need of it: the vectors have length 1.",
    {SCORES: f"{SCORES} / queries.size(-1) ** 0.5"},
    edit(
        {SCORES: "queries @ documents.T / queries.size(-1) ** 0.5"},
        says="Your scores are those of attention: dot products by the root of the number of features. The lengths of the vectors are still in them. Make rows of length 1 instead.",
    ),
    edit(
        {SCORES: f"{SCORES} / queries.size(-1)"},
        says="Your scores are divided by the number of features: is there a `mean` where a sum belongs? A cosine is the sum of the products, of vectors of length 1.",
    ),
)

cosine_scores.mistake(
    "divided by squares",
    "You divide by the squared length, the sum of squares, on both sides. The length is its root.",
    {
        QUERIES: "queries / queries.square().sum(dim=-1, keepdim=True).clamp(min=1e-12)",
        DOCUMENTS: "(documents / documents.square().sum(dim=-1, keepdim=True).clamp(min=1e-12))",
    },
    *(
        edit(
            {old: f"({side} / {side}.square().sum(dim=-1, keepdim=True).clamp(min=1e-12))"},
            says="You divide the vectors of one side by the squared length, the sum of squares. The length is its root.",
        )
        for side, old in SIDES
    ),
)

cosine_scores.mistake(
    "one length for all rows",
    "You divide all rows of a side by one number, the length of all of them together: `x.norm()` without a dimension. Each row has a length of its own: `dim=-1, keepdim=True`, or `F.normalize`.",
    {SCORES: "queries / queries.norm().clamp(min=1e-12) @ (documents / documents.norm().clamp(min=1e-12)).T"},
    edit(
        {QUERIES: "(queries / queries.norm().clamp(min=1e-12))"},
        says="You divide all rows of one side by one number, the length of all of them together: a norm without a dimension. Each row has a length of its own: `dim=-1, keepdim=True`, or `F.normalize`.",
    ),
    edit(
        {DOCUMENTS: "(documents / documents.norm().clamp(min=1e-12))"},
        says="You divide all rows of one side by one number, the length of all of them together: a norm without a dimension. Each row has a length of its own: `dim=-1, keepdim=True`, or `F.normalize`.",
    ),
)

cosine_scores.mistake(
    "the sum instead of the length",
    "Your rows add up to 1, in numbers or in absolute numbers; they do not have length 1. The length is the root of the sum of squares.",
    {QUERIES: "F.normalize(queries, p=1, dim=-1)", DOCUMENTS: "F.normalize(documents, p=1, dim=-1)"},
    *(
        edit(
            {old: f"F.normalize({side}, p=1, dim=-1)"},
            says="On one side your rows add up to 1 in absolute numbers; they do not have length 1. The length is the root of the sum of squares.",
        )
        for side, old in SIDES
    ),
    {SCORES: "queries.softmax(dim=-1) @ documents.softmax(dim=-1).T"},
    edit(
        {
            QUERIES: "F.normalize(queries, p=torch.inf, dim=-1)",
            DOCUMENTS: "F.normalize(documents, p=torch.inf, dim=-1)",
        },
        says="You divide each row by its largest number. The length is the root of the sum of squares.",
    ),
    edit(
        {
            QUERIES: "(queries / queries.square().mean(dim=-1, keepdim=True).sqrt().clamp(min=1e-12))",
            DOCUMENTS: "(documents / documents.square().mean(dim=-1, keepdim=True).sqrt().clamp(min=1e-12))",
        },
        says="You divide each row by the root of the *mean* of its squares, as RMSNorm does. The length is the root of their sum.",
    ),
)

cosine_scores.mistake(
    "a vector of zeros becomes NaN",
    "A vector of zeros scores NaN: 0 / 0. By the docstring it scores 0. `F.normalize` leaves a row of zeros as it is.",
    {SCORES: "queries / queries.norm(dim=-1, keepdim=True) @ (documents / documents.norm(dim=-1, keepdim=True)).T"},
    {
        SCORES: f"({SCORES}).masked_fill(~queries.any(dim=-1)[:, None] | ~documents.any(dim=-1), torch.nan)",
    },
    *(
        edit(
            {old: f"({side} / {side}.norm(dim=-1, keepdim=True))"},
            says="On one side a vector of zeros scores NaN: 0 / 0. By the docstring it scores 0, whichever side it is on. `F.normalize` leaves a row of zeros as it is.",
        )
        for side, old in SIDES
    ),
)

cosine_scores.mistake(
    "negative distances",
    "Your numbers are distances with a minus. Their order is that of the cosines if the vectors have length 1, but they go from -2 to 0, or have no lower end. Return the cosines.",
    {SCORES: f"-torch.cdist({QUERIES}, {DOCUMENTS})"},
    {SCORES: "-torch.cdist(queries, documents)"},
    {SCORES: f"-torch.cdist({QUERIES}, {DOCUMENTS}).square()"},
    *(
        edit(
            {SCORES: f"1 / (1 + torch.cdist({sides}))"},
            says="Your numbers are 1 / (1 + distance). They fall with the distance, but not as the cosines do, and never below 0. Return the cosines.",
        )
        for sides in ("queries, documents", f"{QUERIES}, {DOCUMENTS}")
    ),
)

cosine_scores.mistake(
    "negative cosines are lost",
    "Your scores are never below 0: where the cosine is negative, yours is its size without the sign. What points away from a query then counts as near it. Cosines go from -1 to 1.",
    {SCORES: f"({SCORES}).abs()"},
    edit(
        {SCORES: f"({SCORES}).clamp(min=0)"},
        says="Your scores are never below 0: where the cosine is negative, yours is 0. What points away from a query can then not be told from what stands at right angles to it. Cosines go from -1 to 1.",
    ),
    edit(
        {SCORES: f"({SCORES}).square()"},
        says="Your scores are squares of the cosines. So what points away from a query counts as near it. Cosines go from -1 to 1.",
    ),
)

cosine_scores.mistake(
    "angles instead of cosines",
    "Your numbers are angles: small for what is near. The cosine of the angle is asked for.",
    {SCORES: f"({SCORES}).clamp(-1, 1).acos()"},
)

cosine_scores.mistake(
    "a softmax of the scores",
    "Your scores are shares: each row sums to 1. Whether a query has any near document can then no longer be seen. Return the cosines; the loss makes a softmax of them itself.",
    {SCORES: f"({SCORES}).softmax(dim=-1)"},
    edit(
        {SCORES: f"({SCORES}).softmax(dim=0)"},
        says="Your scores are shares: each column sums to 1. A score then depends on which other queries are there. Return the cosines; the loss makes a softmax of them itself.",
    ),
)

cosine_scores.mistake(
    "the mean is taken off",
    "You take the mean off each vector first: that is a correlation. The cosine compares the vectors as they are.",
    {
        REFUSED: f"{REFUSED}\n    queries, documents = (one - one.mean(dim=-1, keepdim=True) for one in (queries, documents))"
    },
    edit(
        {
            QUERIES: "F.layer_norm(queries, queries.shape[-1:])",
            DOCUMENTS: "F.layer_norm(documents, documents.shape[-1:])",
        },
        says="You normalize as a layer does: the mean is taken off each vector, and its spread is 1. The cosine compares the vectors as they are, each divided by its length.",
    ),
    *(
        edit(
            {REFUSED: f"{REFUSED}\n    {side} = {side} - {side}.mean(dim=-1, keepdim=True)"},
            says="You take the mean off each vector of one side first. The cosine compares the vectors as they are.",
        )
        for side, _ in SIDES
    ),
    edit(
        {
            REFUSED: f"{REFUSED}\n    queries, documents = (one - one.mean(dim=0, keepdim=True) for one in (queries, documents))"
        },
        says="You take the mean of all vectors of a side off each of them first. So a score depends on which others are there. The cosine compares the vectors as they are.",
    ),
)

cosine_scores.mistake(
    "the scores are normalized, not the vectors",
    "Your *scores* have length 1, row by row. It is the vectors that are divided by their lengths, before the product.",
    {SCORES: "F.normalize(queries @ documents.T, dim=-1)"},
)

cosine_scores.mistake(
    "one side with itself",
    "The queries are compared with themselves. The documents are never used.",
    {REFUSED: f"{REFUSED}\n    documents = queries"},
    edit(
        {REFUSED: f"{REFUSED}\n    queries = documents"},
        says="The documents are compared with themselves. The queries are never used.",
    ),
)

cosine_scores.mistake(
    "a small number is added to the length",
    "A small number is added to each length, so that nothing is divided by 0. That makes every cosine a little too small, of short vectors most. `F.normalize` asks for the 0 itself.",
    *(
        {
            QUERIES: f"(queries / (queries.norm(dim=-1, keepdim=True) + {small}))",
            DOCUMENTS: f"(documents / (documents.norm(dim=-1, keepdim=True) + {small}))",
        }
        for small in ("1e-3", "1e-2")
    ),
    *(
        edit(
            {SCORES: f"queries @ documents.T / ({LONG} * {WIDE} + {small})"},
            says="A small number is added to the product of the lengths, so that nothing is divided by 0. That makes every cosine a little too small, of short vectors most. `F.normalize` asks for the 0 itself.",
        )
        for small in ("1e-3", "1e-2")
    ),
)

cosine_scores.mistake(
    "short vectors stay as they are",
    "Vectors shorter than 1 are left as they are: the length that you divide by is never below 1. What keeps a vector of zeros from NaN is a number next to 0, not 1.",
    {
        QUERIES: "(queries / queries.norm(dim=-1, keepdim=True).clamp(min=1))",
        DOCUMENTS: "(documents / documents.norm(dim=-1, keepdim=True).clamp(min=1))",
    },
    edit(
        {SCORES: f"queries @ documents.T / ({LONG} * {WIDE}).clamp(min=1)"},
        says="The product of the lengths that you divide by is never below 1, so that short vectors score too little. What keeps a vector of zeros from NaN is a number next to 0, not 1.",
    ),
)

cosine_scores.mistake(
    "a vector of zeros scores 1",
    "A vector of zeros scores 1 with everything. It has no direction, and by the docstring it scores 0.",
    {
        SCORES: "torch.where(queries.norm(dim=-1)[:, None] * documents.norm(dim=-1) > 0, F.normalize(queries, dim=-1) @ F.normalize(documents, dim=-1).T, 1.0)"
    },
)

cosine_scores.mistake(
    "each query with one document",
    "Your scores are those of query i with document i. Every query is compared with every document: (queries, documents).",
    {SCORES: f"({SCORES}).diagonal()"},
)

cosine_scores.mistake(
    "all scores in one row",
    "Your scores are right, and all in one row. What is promised is a matrix with a row for each query, (queries, documents).",
    {SCORES: f"({SCORES}).flatten()"},
)

cosine_scores.mistake(
    "cut off from the gradient",
    "No gradient goes through your scores, so nothing below them learns: something cuts it off, such as `detach`, `.data` or numpy.",
    {REFUSED: f"{REFUSED}\n    queries, documents = queries.detach(), documents.detach()"},
    *(
        edit(
            {REFUSED: f"{REFUSED}\n    {side} = {side}.detach()"},
            says=f"No gradient reaches the {side}: something cuts them off, such as `detach`, `.data` or numpy. Both sides are made by the model, and both are trained.",
        )
        for side in ("queries", "documents")
    ),
)

cosine_scores.mistake(
    "the lengths are no factors",
    "You divide by the lengths in another way than by their product. The cosine is the dot product divided by both lengths: each vector gets length 1.",
    *(
        {SCORES: f"queries @ documents.T / {below}.clamp(min=1e-12)"}
        for below in (
            f"({LONG} + {WIDE})",
            f"({LONG} ** 2 + {WIDE} ** 2).sqrt()",
            f"({LONG} * {WIDE}).sqrt()",
            f"torch.maximum({LONG}, {WIDE})",
        )
    ),
    edit(
        {SCORES: f"queries @ documents.T / ({LONG} / {WIDE}.clamp(min=1e-12)).clamp(min=1e-12)"},
        says="You divide by one length and multiply by the other: `a / b * c` goes from left to right, and `a / (b / c)` turns c over. The cosine is the dot product divided by both lengths.",
    ),
)

cosine_scores.mistake(
    "the lengths get no gradient",
    "Your scores are right, and the gradient is not that of a cosine: the lengths are cut off from it, by `detach` or `no_grad`. A step then also makes vectors longer, which changes no cosine. Leave the lengths in.",
    {
        QUERIES: "(queries / queries.detach().norm(dim=-1, keepdim=True).clamp(min=1e-12))",
        DOCUMENTS: "(documents / documents.detach().norm(dim=-1, keepdim=True).clamp(min=1e-12))",
    },
)

cosine_scores.mistake(
    "rounded",
    "Your scores are rounded. That also stops the gradient: a step has none. Round where you print.",
    {SCORES: f"({SCORES}).round(decimals=2)"},
    {SCORES: f"({SCORES}).round(decimals=3)"},
)

cosine_scores.mistake(
    "the scores are changed once more",
    "Your scores are cosines that something was done to: they are in percent, or divided by a temperature, or bent. Return the cosines; what a loss or a reader needs is made of them later.",
    {SCORES: f"100 * ({SCORES})"},
    {SCORES: f"({SCORES}).tanh()"},
    {SCORES: f"1 + {SCORES}"},
    *({SCORES: f"({SCORES}) / {temperature}"} for temperature in (0.1, 0.07, 0.05)),
)

cosine_scores.mistake(
    "query i without document i",
    "Query i has no score with document i: the diagonal is empty. Queries and documents are two collections, and every pair has a cosine; where a query must not find itself, the search has a mask.",
    {SCORES: f"({SCORES}).fill_diagonal_(0)"},
    {SCORES: f"({SCORES}).masked_fill(torch.eye(len(queries), len(documents)).bool(), -torch.inf)"},
)

cosine_scores.mistake(
    "a vector of zeros scores -1",
    "A vector of zeros scores -1 with everything, as if it pointed away. It has no direction, and by the docstring it scores 0.",
    {SCORES: f"torch.where(({LONG} * {WIDE}) > 0, {SCORES}, -1.0)"},
)
