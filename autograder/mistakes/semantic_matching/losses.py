"""Wrong ways of bringing pairs together."""

from autograder.checks.semantic_matching.losses import contrastive_loss
from autograder.probing.mistake import edit

SCORES = "cosine_scores(queries, documents) / temperature"
HIDDEN = "scores.masked_fill(same & ~own, -torch.inf)"
ONE, OTHER = "F.cross_entropy(scores, right)", "F.cross_entropy(scores.T, right)"
LOSS, HALF = f"({ONE} + {OTHER}) / 2", ") / 2"
ADDED = "scores + torch.zeros_like(scores).masked_fill({}, -torch.inf)"
"""The same scores, through which a gradient comes also where they are infinite."""

BY_SUMS = {
    ONE: "(scores.logsumexp(dim=1) - scores.diagonal()).mean()",
    OTHER: "(scores.logsumexp(dim=0) - scores.diagonal()).mean()",
}
"""The same loss, which differs where scores are infinite."""

contrastive_loss.mistake(
    "multiplied by the temperature",
    "You multiply by the temperature. A low one then makes all scores alike, where it should make the loss sharp. Divide by it. (Some write a *scale*, 1 / temperature, and multiply by that.)",
    {SCORES: "cosine_scores(queries, documents) * temperature"},
)

contrastive_loss.mistake(
    "no temperature",
    "The temperature changes nothing in your loss: it is not used, or what was divided is not kept, or a cosine or a softmax takes it out again. It divides the scores. Cosines lie between -1 and 1, and a softmax of such numbers is never sure: the loss cannot fall far.",
    {SCORES: "cosine_scores(queries, documents)"},
    *(
        edit(
            {SCORES: f"cosine_scores(queries, documents) / {number}"},
            says=f"The temperature that is given is not used: you divide by {number}, whatever it is. It is an argument, so that it can be tried and learned.",
        )
        for number in (0.01, 0.05, 0.07, 0.1, 0.5)
    ),
    edit(
        {SCORES: "cosine_scores(queries, documents) / queries.size(1) ** 0.5"},
        says="You divide by √d_model, as attention does, and the temperature is not used. Cosines lie between -1 and 1 for any d_model; what divides them is the temperature.",
    ),
)

contrastive_loss.mistake(
    "another power of the temperature",
    "What divides your scores is a power of the temperature, its root or its square, or the temperature together with √d_model. It divides the scores once, as it is.",
    {SCORES: "cosine_scores(queries, documents) / temperature**0.5"},
    edit(
        {SCORES: "cosine_scores(queries, documents) / temperature / temperature"},
        says="You divide by the temperature twice. Is it in the vectors, and in the scores as well? It divides the scores once.",
    ),
    edit(
        {SCORES: "cosine_scores(queries, documents) / (temperature * queries.size(1) ** 0.5)"},
        says="You divide by the temperature and by √d_model, too. The root is for the dot products of attention; cosines lie between -1 and 1 for any d_model.",
    ),
)

contrastive_loss.mistake(
    "the temperature in one direction",
    "Only the scores of the queries are divided by the temperature; the documents choose by cosines as they are. Both halves of the loss have to read the same scores, one of them turned over.",
    {OTHER: "F.cross_entropy(scores.T * temperature, right)"},
    edit(
        {ONE: "F.cross_entropy(scores * temperature, right)"},
        says="Only the scores of the documents are divided by the temperature; the queries choose by cosines as they are. Both halves of the loss have to read the same scores, one of them turned over.",
    ),
)

contrastive_loss.mistake(
    "one side with itself",
    "You compare one side with itself: queries with queries, or documents with documents. The right answer is then the vector itself, with a cosine of 1. Compare `queries` with `documents`.",
    {SCORES: "cosine_scores(queries, queries) / temperature"},
    {SCORES: "cosine_scores(documents, documents) / temperature"},
)

contrastive_loss.mistake(
    "other right answers",
    "The right answer of row i is not column i in your loss. Document i belongs to query i: the right columns are 0, 1, 2, and so on.",
    {"torch.arange(len(scores), device=scores.device)": "torch.arange(len(scores)).flip(0)"},
    {"torch.arange(len(scores), device=scores.device)": "torch.arange(len(scores)).roll(-1)"},
    {"torch.arange(len(scores), device=scores.device)": "torch.arange(len(scores)).roll(1)"},
    {"torch.arange(len(scores), device=scores.device)": "(torch.arange(len(scores)) + 1).clamp(max=len(scores) - 1)"},
    edit(
        {"torch.arange(len(scores), device=scores.device)": "scores.argmax(dim=1)"},
        says="You take for the right answer what scores best. So the loss tells the model that it is right, whatever it says. Document i belongs to query i: the right columns are 0, 1, 2, and so on.",
    ),
    edit(
        {
            "torch.arange(len(scores), device=scores.device)": "scores.argmax(dim=1)",
            OTHER: "F.cross_entropy(scores.T, scores.T.argmax(dim=1))",
        },
        says="You take for the right answer what scores best. So the loss tells the model that it is right, whatever it says. Document i belongs to query i: the right columns are 0, 1, 2, and so on.",
    ),
)

contrastive_loss.mistake(
    "no mean of the two directions",
    "You have the losses of both directions, and what you make of them is not their mean. Add them up, then divide all of it by 2.",
    edit(
        {LOSS: f"{ONE} + {OTHER} / 2"},
        says="You divide one of the two losses by 2 and add the other as it is: `a + b / 2` is not `(a + b) / 2`. Put brackets around the sum.",
    ),
    edit(
        {LOSS: f"{ONE} / 2 + {OTHER}"},
        says="You divide one of the two losses by 2 and add the other as it is: `a / 2 + b` is not `(a + b) / 2`. Put brackets around the sum.",
    ),
    {LOSS: f"torch.maximum({ONE}, {OTHER})"},
    {LOSS: f"torch.minimum({ONE}, {OTHER})"},
    {LOSS: f"{ONE} * {OTHER}"},
    {LOSS: f"({ONE} * {OTHER}).sqrt()"},
    {LOSS: f"({ONE} - {OTHER}) / 2"},
    {LOSS: f"{ONE} - {OTHER}"},
    {LOSS: f"({ONE} + {OTHER}) / 4"},
)

contrastive_loss.mistake(
    "smoothed labels",
    "You smooth the labels: a part of each right answer is shared out among all. No such part is asked for, and what `same` leaves out makes the loss infinite. Hand over the labels alone.",
    *(
        {
            ONE: f"F.cross_entropy(scores, right, label_smoothing={part})",
            OTHER: f"F.cross_entropy(scores.T, right, label_smoothing={part})",
        }
        for part in (0.1, 0.05)
    ),
)

contrastive_loss.mistake(
    "another loss than a cross-entropy",
    "Your loss compares scores with a margin or with 0 and 1, and is no cross-entropy. Here the documents of a batch are the answers to one question: a softmax over the row, and the mean of -ln p of the right answer.",
    {LOSS: "F.mse_loss(scores, torch.eye(len(scores), dtype=scores.dtype))"},
    {LOSS: "(F.multi_margin_loss(scores, right) + F.multi_margin_loss(scores.T, right)) / 2"},
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
    edit(
        {
            ONE: "(scores.logsumexp(dim=1) - cosine_scores(queries, documents).diagonal()).mean()",
            OTHER: "(scores.logsumexp(dim=0) - cosine_scores(queries, documents).diagonal()).mean()",
        },
        says="What is divided by the temperature is the sum below the fraction line; the right score above it is a cosine as it is. The same number has to stand in both places. Much used code has shipped this.",
    ),
    *(
        edit(
            {LOSS: f"(scores.logsumexp(dim={dim}) - cosine_scores(queries, documents).diagonal()).mean()"},
            says=f"What is divided by the temperature is the sum below the fraction line; the right score above it is a cosine as it is. And your loss asks in one direction only: every {asked}. The mean of both directions counts.",
        )
        for dim, asked in ((1, "query for its document"), (0, "document for its query"))
    ),
    edit(
        {
            SCORES: "cosine_scores(queries, documents)",
            ONE: "(scores.logsumexp(dim=1) - scores.diagonal() / temperature).mean()",
            OTHER: "(scores.logsumexp(dim=0) - scores.diagonal() / temperature).mean()",
        },
        says="Only the right score above the fraction line is divided by the temperature; below it all are cosines as they are. The same numbers have to stand in both places.",
    ),
)

contrastive_loss.mistake(
    "distances as scores",
    "Your scores grow with the distance. A softmax wants large numbers for what is near: this loss pushes the right pair apart, and it falls all the same.",
    {SCORES: "torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1)) / temperature"},
    {SCORES: "torch.cdist(queries, documents) / temperature"},
    {SCORES: "(1 - cosine_scores(queries, documents)) / temperature"},
    {SCORES: "-cosine_scores(queries, documents) / temperature"},
    {SCORES: "torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1)).square() / temperature"},
    {SCORES: "torch.cdist(queries, documents).square() / temperature"},
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
    {"scores.T": "scores"},
    {ONE: OTHER},
    edit(
        {LOSS: f"({ONE} + {ONE}) / 2"},
        says="Both halves of your loss ask the same: every query for its document. The other half asks every document for its query; turn the scores over.",
    ),
)

contrastive_loss.mistake(
    "two losses added up",
    "You add the two directions up. The mean of both is asked for, so divide by 2.",
    {HALF: ")"},
)

contrastive_loss.mistake(
    "a sum over the batch",
    "Your loss is a sum over the batch, not a mean. It then grows with the batch, and so does every step of training.",
    {HALF: ") / 2 * len(scores)"},
    {LOSS: "(F.cross_entropy(scores, right, reduction='sum') + F.cross_entropy(scores.T, right, reduction='sum')) / 2"},
    {LOSS: "F.cross_entropy(scores, right, reduction='sum') + F.cross_entropy(scores.T, right, reduction='sum')"},
)

contrastive_loss.mistake(
    "a softmax too many",
    "You make probabilities of the scores before the cross-entropy, which makes a softmax of its own. Probabilities lie between 0 and 1, so the second softmax is never sure, and the loss cannot fall far. Hand over the scores.",
    {LOSS: "(F.cross_entropy(scores.softmax(dim=1), right) + F.cross_entropy(scores.T.softmax(dim=1), right)) / 2"},
    {LOSS: "(F.cross_entropy(scores.softmax(dim=1), right) + F.cross_entropy(scores.softmax(dim=1).T, right)) / 2"},
    {ONE: "F.cross_entropy(scores.softmax(dim=1), right)"},
    {OTHER: "F.cross_entropy(scores.T.softmax(dim=1), right)"},
    {OTHER: "F.cross_entropy(scores.softmax(dim=1).T, right)"},
    edit(
        {LOSS: "(F.cross_entropy(scores.exp(), right) + F.cross_entropy(scores.T.exp(), right)) / 2"},
        says="You take powers of e of the scores before the cross-entropy, which takes them itself. So e stands twice above each other, and the loss is NaN at a low temperature. Hand over the scores.",
    ),
)

contrastive_loss.mistake(
    "every label is 0",
    "Everybody is asked for number 0 of the batch. Document i belongs to query i: the right answers are 0, 1, 2, ...",
    {"torch.arange(len(scores), device=scores.device)": "torch.zeros(len(scores), dtype=torch.long)"},
    {
        "torch.arange(len(scores), device=scores.device)": "torch.zeros(len(scores), dtype=torch.long)",
        HIDDEN: ADDED.format("same & ~own"),
    },
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
    *(
        edit(
            {HIDDEN: "scores.masked_fill(same & own, -torch.inf)"} | more,
            says="What is left out stands on the diagonal, and nothing else: the right answers themselves. The loss is infinite, and what occurs twice is punished as before. Leave out what is the same *and not* on the diagonal.",
        )
        for more in ({}, BY_SUMS)
    ),
    *(
        edit(
            {HIDDEN: "scores.masked_fill(same ^ own, -torch.inf)"} | more,
            says="Where `same` is False on the diagonal, the right answer itself scores -inf, and the loss is infinite. (`same ^ own` does that, for one.) The diagonal is never asked for; leave out what is the same *and not* on it.",
        )
        for more in ({}, BY_SUMS)
    ),
    {HIDDEN: ADDED.format("same")},
    edit(
        {HIDDEN: "scores.masked_fill(same, -1e9)"},
        says="Where `same` is True on the diagonal, the right answer itself scores -1e9, and the loss is about a billion. A text means the same as itself: leave out what is the same *and not* on the diagonal.",
    ),
)

contrastive_loss.mistake(
    "same upside down",
    "You leave out the pairs that do *not* mean the same: only the doubles are left as wrong answers. `masked_fill` fills where its mask is True.",
    {HIDDEN: "scores.masked_fill(~same & ~own, -torch.inf)"},
    *(
        edit(
            {HIDDEN: "scores.masked_fill(~(same & ~own), -torch.inf)"} | more,
            says="All pairs score -inf but the doubles, the right answers too. `masked_fill` fills where its mask is True, and `torch.where(mask, a, b)` keeps `a` there: what is to be left out has to get the -inf, and nothing else.",
        )
        for more in ({}, BY_SUMS)
    ),
)

contrastive_loss.mistake(
    "or where it should be and",
    "Everything scores -inf but what is on the diagonal and not marked: what is left out is the same *or* not on the diagonal. Where a text is marked as the same as itself, its row has nothing left, and the loss is NaN. Leave out what is the same *and* not on the diagonal, `same & ~own`.",
    {HIDDEN: "scores.masked_fill(same | ~own, -torch.inf)"},
    {HIDDEN: "scores.masked_fill(same | ~own, -torch.inf)"} | BY_SUMS,
)

contrastive_loss.mistake(
    "a score of 0 for what is left out",
    "What is to be left out scores 0, and so still counts as a wrong answer: e⁰ = 1. A softmax leaves out what scores -inf.",
    {HIDDEN: "scores.masked_fill(same & ~own, 0.0)"},
    {HIDDEN: "scores * ~(same & ~own)"},
    edit(
        {HIDDEN: "scores.masked_fill(same & ~own, -10.0)"},
        says="What is to be left out scores -10, and so still counts as a wrong answer, as scores of that size occur at a low temperature. A softmax leaves out what scores -inf.",
    ),
    *(
        edit(
            {HIDDEN: "scores.masked_fill(same & ~own, torch.inf)"} | more,
            says="What is to be left out scores +inf: it wins every softmax, and the loss is infinite or NaN. A softmax leaves out what scores *minus* infinity.",
        )
        for more in ({}, BY_SUMS)
    ),
    edit(
        {HIDDEN: "scores.masked_fill(same & ~own, -1.0)"},
        says="What is to be left out scores -1, and so still counts as a wrong answer. A softmax leaves out what scores -inf.",
    ),
    edit(
        {HIDDEN: "scores - 1.0 * (same & ~own)"},
        says="What is to be left out scores 1 less than it did, and so still counts as a wrong answer. A softmax leaves out what scores -inf.",
    ),
    *(
        edit(
            {HIDDEN: f"scores.masked_fill(same & ~own, -{size})"},
            says=f"What is to be left out scores -{size}, and so still counts as a wrong answer, as scores of that size occur at a low temperature. A softmax leaves out what scores -inf.",
        )
        for size in (100, 1000)
    ),
)

contrastive_loss.mistake(
    "infinity times zero",
    "Where `same` leaves a pair out, your loss is NaN. Infinity times 0 is NaN, and so is infinity less infinity: multiply neither a mask by `torch.inf` nor scores of -inf by a 0 of the right answer. `masked_fill` puts -inf where it belongs and touches nothing else; and `F.cross_entropy` takes the right columns by their numbers.",
    {HIDDEN: "scores - torch.inf * (same & ~own)"},
    {
        ONE: "F.cross_entropy(scores, torch.eye(len(scores), dtype=scores.dtype))",
        OTHER: "F.cross_entropy(scores.T, torch.eye(len(scores), dtype=scores.dtype))",
    },
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
    edit(
        {HIDDEN: "scores.masked_fill(same.T & ~own, -torch.inf)"},
        says="Of `same` and your scores one is turned over, and the other is not. In `same`, entry (i, j) is query i with document j; the scores have to lie alike where they are filled.",
    ),
    edit(
        {HIDDEN: "scores.masked_fill((same | same.T) & ~own, -torch.inf)"},
        says="A pair is left out also where `same` is True at (j, i) alone. That entry says something of query j and document i, and nothing of query i and document j.",
    ),
    edit(
        {HIDDEN: "scores.masked_fill((same & same.T) & ~own, -torch.inf)"},
        says="A pair is left out only where `same` is True at (j, i) as well. Entry (i, j) alone says that query i and document j mean the same.",
    ),
    edit(
        {HIDDEN: "scores.masked_fill(same.triu(1), -torch.inf)"},
        says="You read `same` above the diagonal alone. Below it stand other pairs, query i and an earlier document j: these are left out, too, where it is True.",
    ),
    edit(
        {HIDDEN: "scores.masked_fill(same.tril(-1), -torch.inf)"},
        says="You read `same` below the diagonal alone. Above it stand other pairs, query i and a later document j: these are left out, too, where it is True.",
    ),
)

contrastive_loss.mistake(
    "bits instead of nats",
    "Your loss is in bits, by a logarithm of base 2. What is promised are nats, by the natural logarithm, `torch.log`.",
    {LOSS: f"({LOSS}) / math.log(2)"},
)

contrastive_loss.mistake(
    "-inf before the division",
    "The gradient of the temperature is NaN: you fill with -inf first and divide by the temperature afterwards, and the slope of -inf / t is infinite, times a weight of 0. The loss itself may be right all the same. Divide first.",
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

contrastive_loss.mistake(
    "negative distances as scores",
    "Your scores are distances with a minus. They have the order of the cosines, but not their size, so the temperature means something else. The course compares by cosines, in training and in the search.",
    {SCORES: "-torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1)) / temperature"},
    *(
        edit(
            {SCORES: f"-{distance} / temperature"},
            says="Your scores are distances with a minus, and the vectors have any length. So a long vector is far from everybody, whatever its direction. The course compares by cosines, in training and in the search.",
        )
        for distance in ("torch.cdist(queries, documents)", "torch.cdist(queries, documents).square()")
    ),
    *(
        edit(
            {SCORES: f"(1 / (1 + torch.cdist({sides}))) / temperature"},
            says="Your scores are 1 / (1 + distance). They fall with the distance, but not as the cosines do, and never below 0. The course compares by cosines, in training and in the search.",
        )
        for sides in ("queries, documents", "F.normalize(queries, dim=-1), F.normalize(documents, dim=-1)")
    ),
    edit(
        {SCORES: "-torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1)).square() / temperature"},
        says="Your scores are twice the cosines, as squared distances with a minus are, but for a number that a softmax does not see. So your temperature is half of what is asked for. Take the cosines.",
    ),
)

contrastive_loss.mistake(
    "one side as it is",
    "Only one side has vectors of length 1; the lengths of the other are still in the scores. Both sides need it, or `cosine_scores`.",
    {SCORES: "F.normalize(queries, dim=-1) @ documents.T / temperature"},
    {SCORES: "queries @ F.normalize(documents, dim=-1).T / temperature"},
)

contrastive_loss.mistake(
    "e to the temperature",
    "Your scores are divided by e to the temperature. What arrives is the temperature itself, no logarithm of it. (A learned one is stored as a logarithm, and it is for the model to undo that.)",
    {SCORES: "cosine_scores(queries, documents) / torch.as_tensor(temperature).exp()"},
    edit(
        {SCORES: "cosine_scores(queries, documents) * torch.as_tensor(temperature).exp()"},
        says="Your scores are multiplied by e to the temperature, as CLIP does with its learned scale. What arrives here is the temperature itself, to divide by.",
    ),
    edit(
        {SCORES: "cosine_scores(queries, documents) / math.exp(temperature)"},
        says="Your scores are divided by e to the temperature. What arrives is the temperature itself, no logarithm of it. And `math.exp` makes a fixed number of a tensor, so that no gradient reaches it.",
    ),
    edit(
        {SCORES: "cosine_scores(queries, documents) * math.exp(temperature)"},
        says="Your scores are multiplied by e to the temperature, as CLIP does with its learned scale. What arrives here is the temperature itself, to divide by. And `math.exp` makes a fixed number of a tensor, so that no gradient reaches it.",
    ),
)

contrastive_loss.mistake(
    "the loss has the wrong sign",
    "Your loss is the right one with a minus in front, or without the one that it needs. Training would make it smaller, and so drive the right pairs apart.",
    {HALF: ") / -2"},
)

contrastive_loss.mistake(
    "probabilities without a logarithm",
    "Your loss is made of the probabilities of the right answers, not of their logarithms. It hardly asks more of a pair at 0.001 than of one at 0.1. A cross-entropy is the mean of -ln p.",
    {ONE: "-scores.softmax(dim=1).diagonal().mean()", OTHER: "-scores.softmax(dim=0).diagonal().mean()"},
    edit(
        {LOSS: "1 - (scores.softmax(dim=1).diagonal().mean() + scores.softmax(dim=0).diagonal().mean()) / 2"},
        says="Your loss is 1 less the mean probability of the right answers. A cross-entropy is the mean of -ln p, which asks far more of a pair at 0.001 than of one at 0.1.",
    ),
)

contrastive_loss.mistake(
    "the logarithm of a mean",
    "You take the mean of the probabilities first, and the logarithm of that. Each pair has a loss of its own, -ln p; the mean is taken of these.",
    {ONE: "-scores.softmax(dim=1).diagonal().mean().log()", OTHER: "-scores.softmax(dim=0).diagonal().mean().log()"},
)

contrastive_loss.mistake(
    "divided by all pairs",
    "Your loss is divided by the size of the batch once too often. Only the right pairs have a loss, one for each query, and `F.cross_entropy` is their mean already.",
    {HALF: ") / 2 / len(scores)"},
)

contrastive_loss.mistake(
    "the same meaning as a right answer",
    "Pairs that are marked as the same count as right answers too, and share the target. Here they are no answers at all: neither right nor wrong. They score -inf.",
    {
        HIDDEN: "scores",
        LOSS: "sum(F.cross_entropy(one, (wanted := (torch.eye(len(one)).bool() if also is None else torch.eye(len(one)).bool() | also).to(one.dtype)) / wanted.sum(dim=1, keepdim=True)) for one, also in ((scores, same), (scores.T, None if same is None else same.T))) / 2",
    },
    edit(
        {
            HIDDEN: "scores",
            LOSS: "sum(F.cross_entropy(one, (wanted := (torch.eye(len(one)).bool() if same is None else torch.eye(len(one)).bool() | same).to(one.dtype)) / wanted.sum(dim=1, keepdim=True)) for one in (scores, scores.T)) / 2",
        },
        says="Pairs that are marked as the same count as right answers too, and share the target; and for the documents it is not turned over. Here they are no answers at all: neither right nor wrong. They score -inf.",
    ),
    edit(
        {
            HIDDEN: "scores",
            LOSS: "sum((one.logsumexp(dim=1) - one.masked_fill(~(torch.eye(len(one)).bool() if also is None else torch.eye(len(one)).bool() | also), -torch.inf).logsumexp(dim=1)).mean() for one, also in ((scores, same), (scores.T, None if same is None else same.T))) / 2",
        },
        says="Pairs that are marked as the same count as right answers too: the probabilities of all right ones are added up. Here they are no answers at all: neither right nor wrong. They score -inf.",
    ),
)

contrastive_loss.mistake(
    "a yes or no for each pair",
    "You ask of every pair by itself whether it belongs together. Here the documents of a batch are answers to one question: a softmax over the row, and the right answer is one of them.",
    {LOSS: "F.binary_cross_entropy_with_logits(scores, torch.eye(len(scores), dtype=scores.dtype))"},
    {
        HIDDEN: "scores",
        LOSS: "F.binary_cross_entropy_with_logits(scores, torch.eye(len(scores), dtype=scores.dtype))",
    },
)

contrastive_loss.mistake(
    "everything in one softmax",
    "Queries stand among the wrong answers of a query, and documents among those of a document, as in SimCLR. Here a query chooses among the documents alone, and a document among the queries.",
    {
        LOSS: "sum((torch.cat([one, (cosine_scores(side, side) / temperature).masked_fill(torch.eye(len(one)).bool(), -torch.inf)], dim=1).logsumexp(dim=1) - one.diagonal()).mean() for one, side in ((scores, queries), (scores.T, documents))) / 2"
    },
    edit(
        {LOSS: "scores.logsumexp(dim=(0, 1)) - scores.diagonal().mean()"},
        says="Your softmax is over all pairs of the batch at once: every right pair is one answer among all of them. Each query is a question of its own, with a softmax over its row, and each document one with a softmax over its column.",
    ),
    edit(
        {LOSS: "(torch.cat([scores, scores.T], dim=1).logsumexp(dim=1) - scores.diagonal()).mean()"},
        says="Your softmax is over both directions at once: the right pair is asked for among all scores of its row and of its column. They are two questions, each with a softmax of its own, and the mean of their losses.",
    ),
)

contrastive_loss.mistake(
    "probabilities that underflow",
    "At a low temperature the probability of a right answer becomes 0 in floating point, and its logarithm infinite. `F.cross_entropy` and `log_softmax` subtract the largest score first, and never leave the logarithm.",
    {ONE: "-scores.softmax(dim=1).diagonal().log().mean()", OTHER: "-scores.softmax(dim=0).diagonal().log().mean()"},
    edit(
        {
            LOSS: "-((scores.exp() / scores.exp().sum(dim=1, keepdim=True)).diagonal().log().mean() + (scores.exp() / scores.exp().sum(dim=0)).diagonal().log().mean()) / 2"
        },
        says="At a low temperature e to the score is infinite in floating point, and the loss is NaN. `F.cross_entropy` and `logsumexp` subtract the largest score first.",
    ),
    *(
        edit(
            {
                LOSS: f"-((away := (scores - {largest}.max()).exp()).diagonal() / away.sum(dim=1)).log().add((away.diagonal() / away.sum(dim=0)).log()).mean() / 2"
            },
            says="You subtract the largest score of the whole batch before you take powers of e. At a low temperature all of another row can still become 0, and its loss infinite or NaN. `F.cross_entropy` and `logsumexp` subtract the largest score of each row.",
        )
        for largest in ("scores", f"({SCORES})")
    ),
)

contrastive_loss.mistake(
    "multiplied by the temperature at the end",
    "Your loss is multiplied by the temperature. (Distillation does so with its square, to keep gradients of one size.) Here the temperature divides the scores, and does nothing else.",
    {HALF: ") / 2 * temperature"},
    {HALF: ") / 2 * temperature**2"},
)

contrastive_loss.mistake(
    "no single tensor",
    "What comes back is not one number in a tensor. Training calls `backward()` on the loss, which needs just that: the mean over the batch and over both directions.",
    edit(
        {LOSS: f"({LOSS}).item()"},
        says="Your loss is a number of Python's: `.item()` or `float` cuts it off from everything that made it, and nothing can be learned from it. Return the tensor.",
    ),
    edit(
        {LOSS: f"{ONE}, {OTHER}"},
        says="You return the losses of both directions, each by itself. One number is asked for: their mean.",
    ),
    edit(
        {
            LOSS: "(F.cross_entropy(scores, right, reduction='none') + F.cross_entropy(scores.T, right, reduction='none')) / 2"
        },
        says="You return a loss for each pair. One number is asked for: their mean.",
    ),
    edit(
        {LOSS: "F.cross_entropy(scores, right, reduction='none') + F.cross_entropy(scores.T, right, reduction='none')"},
        says="You return a loss for each pair, the sum of both directions. One number is asked for, the mean over pairs and directions.",
    ),
)

contrastive_loss.mistake(
    "the right pairs alone",
    "Your loss is made of the cosines of the right pairs alone. It is smallest if all vectors are the same, and then a search finds nothing: what pushes apart is a softmax, in which the wrong ones stand too.",
    {LOSS: "(1 - scores.diagonal()).mean()"},
    {LOSS: "(1 - cosine_scores(queries, documents).diagonal()).mean()"},
    {LOSS: "(1 - cosine_scores(queries, documents).diagonal()).mean() / temperature"},
    {LOSS: "-scores.diagonal().mean()"},
)

ASKED = "F.cross_entropy({}, right if same is None else right.masked_fill((same & ~own).any(dim={}), -100))"

contrastive_loss.mistake(
    "whole rows are left out",
    "A query that has a double in the batch is not asked at all, and neither is its document. Only the pair with the double is left out: query and document keep their right answer and all other wrong ones.",
    {ONE: ASKED.format("scores", 1)},
    *(
        {HIDDEN: kept, ONE: ASKED.format("scores", 1), OTHER: ASKED.format("scores.T", 0)}
        for kept in ("scores", HIDDEN)
    ),
    *(
        {HIDDEN: kept, ONE: ASKED.format("scores", 1), OTHER: ASKED.format("scores.T", 1)}
        for kept in ("scores", HIDDEN)
    ),
)

contrastive_loss.mistake(
    "all other pairs are left out",
    "With `same`, every pair but the right one is left out, or a whole row or column of them: a softmax over one answer is sure, and its loss 0. Only entry (i, j) of `same` itself says whether pair (i, j) is left out.",
    {HIDDEN: "scores.masked_fill(~own, -torch.inf)"},
    {HIDDEN: "scores.masked_fill(same.any(dim=0) & ~own, -torch.inf)"},
    {HIDDEN: "scores.masked_fill(same.any(dim=1, keepdim=True) & ~own, -torch.inf)"},
    {HIDDEN: "scores.masked_fill((same & ~own).any(dim=0) & ~own, -torch.inf)"},
    {HIDDEN: "scores.masked_fill((same & ~own).any(dim=1, keepdim=True) & ~own, -torch.inf)"},
)

contrastive_loss.mistake(
    "wrong pairs are asked for, too",
    "Your loss is the mean of -ln p over all pairs. So the wrong answers are asked for as the right ones are. Only the diagonal is: take it out before the mean.",
    {ONE: "-scores.log_softmax(dim=1).mean()", OTHER: "-scores.log_softmax(dim=0).mean()"},
)

contrastive_loss.mistake(
    "negative cosines are lost",
    "Your scores have lost their sign: a document that points away from a query counts as near it. Cosines go from -1 to 1.",
    {SCORES: "cosine_scores(queries, documents).abs() / temperature"},
    edit(
        {SCORES: "cosine_scores(queries, documents).clamp(min=0) / temperature"},
        says="Your scores are never below 0, so that a document that points away from a query is as near as one at right angles, and no gradient comes from it. Cosines go from -1 to 1.",
    ),
)
