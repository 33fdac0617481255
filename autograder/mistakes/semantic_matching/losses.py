"""Wrong ways of bringing pairs together."""

from autograder.checks.semantic_matching.losses import contrastive_loss
from autograder.probing.mistake import edit

SCORES = "cosine_scores(queries, documents) / temperature"
HIDDEN = "scores.masked_fill(same & ~own, -torch.inf)"
ONE, OTHER = "F.cross_entropy(scores, right)", "F.cross_entropy(scores.T, right)"
LOSS = f"({ONE} + {OTHER}) / 2"

contrastive_loss.mistake(
    "multiplied by the temperature",
    "You multiply by the temperature. A low one then makes all scores alike, where it should make the loss sharp. Divide by it. (Some write a *scale*, 1 / temperature, and multiply by that.)",
    {SCORES: "cosine_scores(queries, documents) * temperature"},
)

contrastive_loss.mistake(
    "no temperature",
    "The temperature is not used, or what was divided is not kept. Cosines lie between -1 and 1, and a softmax of such numbers is never sure: the loss cannot fall far.",
    {SCORES: "cosine_scores(queries, documents)"},
)

contrastive_loss.mistake(
    "temperature for the wrong ones alone",
    "Only the wrong pairs are divided by the temperature; the right ones are cosines as they are. All scores of a row go into one softmax, so all need the same scale. Much used code has shipped this.",
    {
        SCORES: "torch.where(torch.eye(len(queries)).bool(), cosine_scores(queries, documents), cosine_scores(queries, documents) / temperature)"
    },
    edit(
        {
            SCORES: "torch.where(torch.eye(len(queries)).bool(), cosine_scores(queries, documents) / temperature, cosine_scores(queries, documents))"
        },
        says="Only the right pairs are divided by the temperature; the wrong ones are cosines as they are. All scores of a row go into one softmax, so all need the same scale.",
    ),
)

contrastive_loss.mistake(
    "distances as scores",
    "Your scores grow with the distance. A softmax wants large numbers for what is near: this loss pushes the right pair apart, and it falls all the same.",
    {SCORES: "torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1)) / temperature"},
    {SCORES: "torch.cdist(queries, documents) / temperature"},
    {SCORES: "(1 - cosine_scores(queries, documents)) / temperature"},
    {SCORES: "-cosine_scores(queries, documents) / temperature"},
)

contrastive_loss.mistake(
    "dot products, not cosines",
    "Your scores are dot products: the lengths of the vectors are in them. The loss can then fall by making vectors longer, and a search by cosines goes by something else than what was trained.",
    {SCORES: "queries @ documents.T / temperature"},
)

contrastive_loss.mistake(
    "normalized over dimension 0",
    "You normalize over dimension 0, so each feature gets length 1 over the batch. A text's score then depends on which others stand in the batch. A row is a vector: `dim=-1`.",
    {SCORES: "F.normalize(queries, dim=0) @ F.normalize(documents, dim=0).T / temperature"},
)

contrastive_loss.mistake(
    "one direction",
    "Your loss asks in one direction only: every query for its document. Every document has to be asked for its query as well, and what counts is the mean of the two.",
    {LOSS: ONE},
    edit(
        {LOSS: OTHER},
        says="Your loss asks in one direction only: every document for its query. Every query has to be asked for its document as well, and what counts is the mean of the two.",
    ),
    edit(
        {LOSS: f"({ONE} + {ONE}) / 2"},
        says="Both halves of your loss ask the same: every query for its document. The other half asks every document for its query; turn the scores over.",
    ),
)

contrastive_loss.mistake(
    "two losses added up",
    "You add the two directions up. The mean of both is asked for, so divide by 2.",
    {LOSS: f"{ONE} + {OTHER}"},
)

contrastive_loss.mistake(
    "a sum over the batch",
    "Your loss is a sum over the batch, not a mean. It then grows with the batch, and so does every step of training.",
    {LOSS: "(F.cross_entropy(scores, right, reduction='sum') + F.cross_entropy(scores.T, right, reduction='sum')) / 2"},
    {LOSS: "F.cross_entropy(scores, right, reduction='sum') + F.cross_entropy(scores.T, right, reduction='sum')"},
)

contrastive_loss.mistake(
    "a softmax too many",
    "You make probabilities of the scores before the cross-entropy, which makes a softmax of its own. Probabilities lie between 0 and 1, so the second softmax is never sure, and the loss cannot fall far. Hand over the scores.",
    {LOSS: "(F.cross_entropy(scores.softmax(dim=1), right) + F.cross_entropy(scores.T.softmax(dim=1), right)) / 2"},
    {LOSS: "(F.cross_entropy(scores.softmax(dim=1), right) + F.cross_entropy(scores.softmax(dim=1).T, right)) / 2"},
)

contrastive_loss.mistake(
    "every label is 0",
    "Everybody is asked for number 0 of the batch. Document i belongs to query i: the right answers are 0, 1, 2, ...",
    {"torch.arange(len(scores), device=scores.device)": "torch.zeros(len(scores), dtype=torch.long)"},
)

contrastive_loss.mistake(
    "the same meaning as a negative",
    "`same` changes nothing. Where something occurs twice in a batch, its double is punished as if it were wrong, and is pushed away from where it belongs. Leave these pairs out, and keep what `masked_fill` returns.",
    {HIDDEN: "scores"},
)

contrastive_loss.mistake(
    "the right pair is left out, too",
    "Where `same` is True on the diagonal, the right answer itself scores -inf, and the loss is infinite. A text means the same as itself: leave out what is the same *and not* on the diagonal.",
    {HIDDEN: "scores.masked_fill(same, -torch.inf)"},
    edit(
        {HIDDEN: "scores.masked_fill(same, -1e9)"},
        says="Where `same` is True on the diagonal, the right answer itself scores -1e9, and the loss is about a billion. A text means the same as itself: leave out what is the same *and not* on the diagonal.",
    ),
)

contrastive_loss.mistake(
    "same upside down",
    "You leave out the pairs that do *not* mean the same: only the doubles are left as wrong answers. `masked_fill` fills where its mask is True.",
    {HIDDEN: "scores.masked_fill(~same & ~own, -torch.inf)"},
)

contrastive_loss.mistake(
    "a score of 0 for what is left out",
    "What is to be left out scores 0, and so still counts as a wrong answer: e⁰ = 1. A softmax leaves out what scores -inf.",
    {HIDDEN: "scores.masked_fill(same & ~own, 0.0)"},
    {HIDDEN: "scores * ~(same & ~own)"},
)

contrastive_loss.mistake(
    "left out in one direction",
    "Pairs that mean the same are left out for the queries, and punished for the documents. Both halves of the loss have to read the same scores.",
    {
        HIDDEN: "scores",
        LOSS: "(F.cross_entropy(scores if same is None else scores.masked_fill(same & ~own, -torch.inf), right) + F.cross_entropy(scores.T, right)) / 2",
    },
    edit(
        {
            HIDDEN: "scores",
            LOSS: "(F.cross_entropy(scores, right) + F.cross_entropy(scores.T if same is None else scores.T.masked_fill(same.T & ~own, -torch.inf), right)) / 2",
        },
        says="Pairs that mean the same are left out for the documents, and punished for the queries. Both halves of the loss have to read the same scores.",
    ),
)

contrastive_loss.mistake(
    "same is not turned over",
    "For the documents you turn the scores over, but not `same`. Entry (i, j) of the turned scores is document i with query j.",
    {
        HIDDEN: "scores",
        LOSS: "(F.cross_entropy(scores if same is None else scores.masked_fill(same & ~own, -torch.inf), right) + F.cross_entropy(scores.T if same is None else scores.T.masked_fill(same & ~own, -torch.inf), right)) / 2",
    },
)

contrastive_loss.mistake(
    "-inf before the division",
    "The gradient of the temperature is NaN: you fill with -inf first and divide by the temperature afterwards, and the slope of -inf / t is infinite, times a weight of 0. The loss itself looks right. Divide first.",
    {
        SCORES: "cosine_scores(queries, documents)",
        "right = torch.arange": "scores = scores / temperature\n    right = torch.arange",
    },
)

contrastive_loss.mistake(
    "the right pair is not among the answers",
    "The right pair is missing below the fraction line: you divide by the wrong ones alone. The loss can then fall below 0 without end. A softmax has all answers in its sum, the right one too.",
    {
        LOSS: "sum((one.masked_fill(torch.eye(len(one)).bool(), -torch.inf).logsumexp(dim=1) - one.diagonal()).mean() for one in (scores, scores.T)) / 2"
    },
    {
        ONE: "(scores.masked_fill(torch.eye(len(scores)).bool(), -torch.inf).logsumexp(dim=1) - scores.diagonal()).mean()",
        OTHER: "F.cross_entropy(scores.T, right)",
    },
)

contrastive_loss.mistake(
    "the documents get no gradient",
    "No gradient reaches the documents: they are taken as fixed, and only the queries move. Is something detached, or under `no_grad`?",
    {SCORES: "cosine_scores(queries, documents.detach()) / temperature"},
    edit(
        {SCORES: "cosine_scores(queries.detach(), documents) / temperature"},
        says="No gradient reaches the queries: they are taken as fixed, and only the documents move. Is something detached, or under `no_grad`?",
    ),
)

contrastive_loss.mistake(
    "the temperature gets no gradient",
    "No gradient reaches the temperature, so it stays where it began. `float(...)`, `.item()` and `.detach()` make a fixed number of it.",
    {SCORES: "cosine_scores(queries, documents) / float(temperature)"},
)
