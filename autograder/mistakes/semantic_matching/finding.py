"""Wrong ways of searching."""

from autograder.checks.semantic_matching.finding import search
from autograder.probing.mistake import edit

SCORES = "cosine_scores(queries, documents)"
HIDDEN = "scores.masked_fill(~mask, -torch.inf)"
SORTED = "scores.sort(dim=1, descending=True, stable=True)"
BEST = "found.values[:, :k], found.indices[:, :k]"

search.mistake(
    "a dot product",
    "You search by dot products of the vectors as they are: long documents are found by everybody. Training went by cosines, so the search has to do so too.",
    {SCORES: "queries @ documents.T"},
)

search.mistake(
    "one side as it is",
    "Only one side of your comparison has vectors of length 1. The lengths of the other are still in the scores: of the documents, they change what is found; of the queries, they change the scores alone.",
    {SCORES: "F.normalize(queries, dim=-1) @ documents.T"},
    {SCORES: "queries @ F.normalize(documents, dim=-1).T"},
)

search.mistake(
    "normalized over dimension 0",
    "You normalize over dimension 0, so each *feature* gets length 1 over the collection. What is found then depends on what else is there. A row is a vector: `dim=-1`.",
    {SCORES: "F.normalize(queries, dim=0) @ F.normalize(documents, dim=0).T"},
)

search.mistake(
    "the farthest documents",
    "You find the documents with the smallest scores. `sort` begins with the smallest unless you say `descending=True`.",
    {SORTED: "scores.sort(dim=1, stable=True)", "-torch.inf": "torch.inf"},
    {SORTED: "scores.sort(dim=1, stable=True)"},
)

search.mistake(
    "distances as scores",
    "Your scores are distances: small for what is near. Cosines are asked for, the largest first.",
    {SCORES: "torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1))"},
    {SCORES: "1 - cosine_scores(queries, documents)"},
    edit(
        {
            SCORES: "1 - cosine_scores(queries, documents)",
            "-torch.inf": "torch.inf",
            SORTED: "scores.sort(dim=1, stable=True)",
        },
        says="You find the right documents, but what you return are distances, 1 less the cosine. The cosines are asked for.",
    ),
)

search.mistake(
    "indices and scores exchanged",
    "Your two results are exchanged. The scores come first, then the indices.",
    {BEST: "found.indices[:, :k], found.values[:, :k]"},
)

search.mistake(
    "in the order of the collection",
    "You find the right documents, but not the best first: they stand in the order of the collection.",
    {BEST: "scores.gather(1, found.indices[:, :k].sort(dim=1).values), found.indices[:, :k].sort(dim=1).values"},
)

search.mistake(
    "the worst of them first",
    "You find the right documents, but the best stands last.",
    {BEST: "found.values[:, :k].flip(1), found.indices[:, :k].flip(1)"},
)

search.mistake(
    "the best is thrown away",
    "The best document of each query is missing: you begin at the second. That helps only where the query itself is in the collection; the mask says so where it is.",
    {
        SORTED: "scores.sort(dim=1, descending=True, stable=True)",
        BEST: "found.values[:, 1 : k + 1], found.indices[:, 1 : k + 1]",
    },
)

search.mistake(
    "the mask is not used",
    "The mask changes nothing: a query finds what it may not find, itself above all, with a score of 1. Give those documents a score of -inf, and keep what `masked_fill` returns.",
    {HIDDEN: "scores"},
)

search.mistake(
    "the mask upside down",
    "Your queries find what they may not find, and nothing else. True stands for what may be found; `masked_fill` fills where its mask is True.",
    {HIDDEN: "scores.masked_fill(mask, -torch.inf)"},
)

search.mistake(
    "a score of 0 for what may not be found",
    "What may not be found scores 0, and 0 is more than the cosine of what points away. Give it -inf.",
    {HIDDEN: "scores.masked_fill(~mask, 0.0)"},
    {HIDDEN: "scores * mask"},
)

search.mistake(
    "ties the other way round",
    "Of documents with equal scores you put the one with the *larger* index first, as it comes out when an ascending order is turned over. The smaller index goes first.",
    {
        SORTED: "scores.flip(1).sort(dim=1, descending=True, stable=True)",
        BEST: "found.values[:, :k], scores.size(1) - 1 - found.indices[:, :k]",
    },
)

search.mistake(
    "ties in any order",
    "Of documents with equal scores, yours come in an order that nobody has promised: `topk`, and `sort` without `stable=True`, leave it open, and on another machine it may be another one. The smaller index goes first.",
    {BEST: "scores.topk(k, dim=1).values, scores.topk(k, dim=1).indices"},
)

search.mistake(
    "rounded scores",
    "Your scores are rounded, so documents that are not equally near count as equal. Return them as they are.",
    {SCORES: "(cosine_scores(queries, documents) * 100).round() / 100"},
)
