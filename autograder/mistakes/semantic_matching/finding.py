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
    {BEST: "found.values[:, -k:], found.indices[:, -k:]"},
    edit(
        {SCORES: "-cosine_scores(queries, documents)"},
        says="You find the documents that are farthest: your scores have a minus in front, and the largest come first.",
    ),
)

search.mistake(
    "distances as scores",
    "Your scores are distances: small for what is near. Cosines are asked for, the largest first.",
    {SCORES: "torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1))"},
    {SCORES: "1 - cosine_scores(queries, documents)"},
    {SCORES: "torch.cdist(queries, documents)"},
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
    edit(
        {BEST: "found.values[:, :k], found.indices[:, :k].sort(dim=1).values"},
        says="Your indices stand in the order of the collection, and the scores beside them are those of the best first. Each score belongs to the document at its place.",
    ),
)

search.mistake(
    "the worst of them first",
    "You find the right documents, but the best stands last.",
    {BEST: "found.values[:, :k].flip(1), found.indices[:, :k].flip(1)"},
    edit(
        {SORTED: "scores.sort(dim=1, stable=True)", BEST: "found.values[:, -k:], found.indices[:, -k:]"},
        says="You sort from the smallest score up and take the last k: the best stands last, and of equal scores the larger index is preferred. Sort with `descending=True`, and take the first k.",
    ),
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
    "Documents that may not be found are found all the same, the query itself above all, with a score of 1. Give them a score of -inf *before* you sort, and keep what `masked_fill` returns.",
    {HIDDEN: "scores"},
    edit(
        {
            HIDDEN: "scores",
            SORTED: f"(scores if len(queries) != len(documents) else scores.masked_fill(torch.eye(len(scores)).bool(), -torch.inf)){SORTED[6:]}",
        },
        says="You hide the diagonal, and go by nothing that the mask says. Which documents a query may find stands in the mask alone: give what is False there a score of -inf.",
    ),
    edit(
        {
            HIDDEN: "scores",
            BEST: "(found.values[:, :k], found.indices[:, :k]) if mask is None else (found.values[:, 1 : k + 1], found.indices[:, 1 : k + 1])",
        },
        says="Where there is a mask, you throw the best document away, and go by nothing else that the mask says. What may not be found is not always the best. Give what the mask forbids a score of -inf.",
    ),
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
    edit(
        {HIDDEN: "scores.masked_fill(~mask, -1.0)"},
        says="What may not be found scores -1, and that is the cosine of what points the other way: such a document cannot be told from one that is forbidden. Give it -inf.",
    ),
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
    {SORTED: "scores.sort(dim=1, descending=True)"},
)

search.mistake(
    "rounded scores",
    "Your scores are rounded, so documents that are not equally near count as equal. Return them as they are.",
    {SCORES: "(cosine_scores(queries, documents) * 100).round() / 100"},
    edit(
        {BEST: "found.values[:, :k].round(decimals=2), found.indices[:, :k]"},
        says="You find by the scores as they are, and return them rounded. Return them as they are: who fuses or compares them needs all digits.",
    ),
)

search.mistake(
    "negative distances",
    "You find by distances with a minus, and return them. The cosines are asked for.",
    {SCORES: "-torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1))"},
    edit(
        {SCORES: "-torch.cdist(queries, documents)"},
        says="You find by the distances of the vectors as they are, with a minus. Their lengths are in them, and training went by cosines. The search has to go by cosines too.",
    ),
)

search.mistake(
    "inverse distances",
    "Your scores are 1 / (1 + distance). They fall with the distance, but not as the cosines do, and never below 0. The cosines are asked for.",
    {SCORES: "1 / (1 + torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1)))"},
    edit(
        {SCORES: "1 / (1 + torch.cdist(queries, documents))"},
        says="Your scores are 1 / (1 + distance), of the vectors as they are. Their lengths are in them, and training went by cosines. The search has to go by cosines too.",
    ),
)

search.mistake(
    "a softmax of the scores",
    "Your scores are shares of a softmax over the documents. The right documents are found, but a share says how a document compares with the others, not how near it is. Return the cosines.",
    {SORTED: "(scores := scores.softmax(dim=1)).sort(dim=1, descending=True, stable=True)"},
    {SCORES: "cosine_scores(queries, documents).softmax(dim=1)"},
)

search.mistake(
    "the scores of other documents",
    "Your indices are right, and the scores beside them are those of the first k documents of the collection. Take the scores at the indices: `gather`, or the `.values` of the same `sort`.",
    {BEST: "scores[:, :k], found.indices[:, :k]"},
)

search.mistake(
    "places instead of documents",
    "Your second result says at which place each document of the collection came, not which documents are found. One `argsort` gives the documents; an `argsort` of that gives places.",
    {BEST: "found.values[:, :k], found.indices.argsort(dim=1)[:, :k]"},
    edit(
        {BEST: "found.values[:, :k], found.indices[:, :k].argsort(dim=1)"},
        says="Your second result is an order of the documents that were found, from 0 to k - 1, and not which documents they are. The first `argsort` gives the documents; take no other of it.",
    ),
)

search.mistake(
    "document i is never found for query i",
    "Query i never finds document i, though nothing forbids it. Queries and documents are two collections; where a query must not find itself, the mask says so.",
    {
        SCORES: "cosine_scores(queries, documents).masked_fill(torch.eye(len(queries), len(documents), dtype=torch.bool), -torch.inf)"
    },
)

search.mistake(
    "k is not used",
    "You return all documents, whatever k is. The k best are asked for.",
    {BEST: "found.values, found.indices"},
)

search.mistake(
    "sorted over the queries",
    "You sort over dimension 0: each document then has its queries in an order. A row belongs to a query, and it is the row that is sorted: `dim=1`.",
    {SORTED: "scores.sort(dim=0, descending=True, stable=True)"},
    {
        SORTED: "scores.sort(dim=0, descending=True, stable=True)",
        BEST: "scores.gather(1, found.indices[:, :k]), found.indices[:, :k]",
    },
)

search.mistake(
    "only one of the two comes back",
    "You return the indices alone. Two tensors are promised: `(scores, indices)`.",
    {BEST: "found.indices[:, :k]"},
    edit(
        {BEST: "found.values[:, :k]"},
        says="You return the scores alone. Two tensors are promised: `(scores, indices)`.",
    ),
)

search.mistake(
    "the first k queries",
    "You cut after k *rows*: what comes back is all documents for the first k queries. Each query has its k best: cut the columns, `[:, :k]`.",
    {BEST: "found.values[:k], found.indices[:k]"},
)

search.mistake(
    "queries and documents exchanged",
    "Your rows are documents, and what they find are queries. `cosine_scores(queries, documents)` has a row for each query.",
    {SCORES: "cosine_scores(documents, queries)"},
)

search.mistake(
    "lists instead of tensors",
    "Your results are lists. What is promised are tensors, (queries, k) each.",
    {BEST: "found.values[:, :k].tolist(), found.indices[:, :k].tolist()"},
)

search.mistake(
    "floats for indices",
    "Your indices are floats. An index is a whole number: nothing can be looked up by a float.",
    {BEST: "found.values[:, :k], found.indices[:, :k].float()"},
)

search.mistake(
    "documents are numbered from 1",
    "Your indices are one too large. Documents are numbered from 0: `documents[index]` is what was found.",
    {BEST: "found.values[:, :k], found.indices[:, :k] + 1"},
)

search.mistake(
    "another number than k",
    "You return k - 1 documents. A slice ends in front of its end: `[:, :k]` has k of them.",
    {BEST: "found.values[:, : k - 1], found.indices[:, : k - 1]"},
    edit(
        {BEST: "found.values[:, : k + 1], found.indices[:, : k + 1]"},
        says="You return k + 1 documents, one too many: if it was to make up for the query itself, the mask does that. `[:, :k]` has k of them.",
    ),
    edit(
        {BEST: "found.values[:, :1], found.indices[:, :1]"},
        says="You return one document for each query, whatever k is. `[:, :k]` has k of them.",
    ),
)

search.mistake(
    "negative cosines are lost",
    "What points away from a query is found as if it were near: your scores have lost their sign. Cosines go from -1 to 1.",
    {SCORES: "cosine_scores(queries, documents).abs()"},
    {SCORES: "cosine_scores(queries, documents).square()"},
    edit(
        {
            SORTED: "scores.abs().masked_fill(scores.isneginf(), -torch.inf).sort(dim=1, descending=True, stable=True)",
            BEST: "scores.gather(1, found.indices[:, :k]), found.indices[:, :k]",
        },
        says="You sort by the size of the cosines, without their sign: what points away from a query is found as if it were near. Cosines go from -1 to 1.",
    ),
    edit(
        {SCORES: "cosine_scores(queries, documents).clamp(min=0)"},
        says="Your scores are never below 0, so all documents that point away from a query are equally good. Cosines go from -1 to 1.",
    ),
)

search.mistake(
    "infinity with the wrong sign",
    "What may not be found scores +inf, more than everything else: it is found first. Give it -inf.",
    {HIDDEN: "scores.masked_fill(~mask, torch.inf)"},
)

search.mistake(
    "divided by a temperature",
    "Your scores are divided by a temperature, as those of the loss are. The right documents are found; what is promised beside them are the cosines.",
    *({SCORES: f"cosine_scores(queries, documents) / {number}"} for number in (0.1, 0.05, 0.07)),
)

search.mistake(
    "a vector of zeros becomes NaN",
    "A vector of zeros scores NaN, 0 / 0, and NaN counts as the largest in a sort: such a document is found first by everybody. A vector of zeros scores 0, as in `cosine_scores`.",
    {SCORES: "queries / queries.norm(dim=-1, keepdim=True) @ (documents / documents.norm(dim=-1, keepdim=True)).T"},
    {SCORES: "F.normalize(queries, dim=-1) @ (documents / documents.norm(dim=-1, keepdim=True)).T"},
)

search.mistake(
    "the scores have the wrong sign",
    "You find the right documents, and the scores beside them have a minus in front. Where it served for the sorting, take it off again.",
    {BEST: "-found.values[:, :k], found.indices[:, :k]"},
)

search.mistake(
    "one mask for all queries",
    "All queries go by one row of the mask. Each query has a row of its own: a query must not find itself, and may find the others.",
    {HIDDEN: "scores.masked_fill(~mask[:1], -torch.inf)"},
    edit(
        {HIDDEN: "scores.masked_fill(~mask.any(dim=0), -torch.inf)"},
        says="Only what no query may find is left out. Each query has a row of its own in the mask: it may not find what is False there, whatever the others may.",
    ),
    edit(
        {HIDDEN: "scores.masked_fill(~mask.all(dim=0), -torch.inf)"},
        says="What one query may not find is left out for all. Each query has a row of its own in the mask.",
    ),
)

search.mistake(
    "numbered among what may be found",
    "Your indices count only the documents that a query may find. What comes back says where a document stands in `documents`: `documents[index]` is what was found.",
    {
        BEST: "found.values[:, :k], found.indices[:, :k] if mask is None else (mask.cumsum(dim=1) - 1).gather(1, found.indices[:, :k])"
    },
)

search.mistake(
    "a dimension of size 1 is lost",
    "Where there is one query or k is 1, your results have a dimension too few. Two tensors of (queries, k) are promised, whatever the two numbers are; leave `squeeze` out.",
    {BEST: "found.values[:, :k].squeeze(), found.indices[:, :k].squeeze()"},
    {BEST: "found.values[:, :k].squeeze(1), found.indices[:, :k].squeeze(1)"},
    {BEST: "found.values[:, :k].squeeze(0), found.indices[:, :k].squeeze(0)"},
)

search.mistake(
    "both in one tensor",
    "Scores and indices come back in one tensor. Two are promised, `(scores, indices)`: in one of them the indices become floats.",
    {BEST: "torch.stack((found.values[:, :k], found.indices[:, :k].to(scores.dtype)))"},
    {BEST: "torch.stack((found.values[:, :k], found.indices[:, :k].to(scores.dtype)), dim=-1)"},
)

search.mistake(
    "the scores are changed once more",
    "You find the right documents, and the scores beside them are no cosines any more: they were turned into percent, shares or numbers from 0 to 1 on the way out. Return the numbers that the sorting used.",
    {BEST: "100 * found.values[:, :k], found.indices[:, :k]"},
    {BEST: "(1 + found.values[:, :k]) / 2, found.indices[:, :k]"},
    {BEST: "found.values[:, :k].softmax(dim=1), found.indices[:, :k]"},
)

search.mistake(
    "documents for their numbers",
    "Your second result holds the vectors of the documents. What is promised are their numbers, (queries, k): who looks them up has both.",
    {BEST: "found.values[:, :k], documents[found.indices[:, :k]]"},
)

search.mistake(
    "the first of the collection",
    "You return the first k documents that a query may find, in the order of the collection: nothing is sorted by score, or what was sorted is not kept. The k best are asked for, the best first.",
    {
        SORTED: "torch.return_types.sort((scores.gather(1, places := scores.isneginf().int().argsort(dim=1, stable=True)), places))"
    },
)
