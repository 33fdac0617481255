"""Wrong ways of measuring a search."""

from autograder.checks.semantic_matching.measures import mean_reciprocal_rank, recall_at_k
from autograder.probing.mistake import edit

IN_A_TENSOR = "Your result is right, and it is a tensor. What is promised is a number of Python's, a float: `.item()` makes one of a tensor that holds one number."

# recall_at_k ----------------------------------------------------------------------------

BEGIN = "# BEGIN SOLUTION"
ORDER = "relevant.int().argsort(dim=1, stable=True)"
SORTED, FIRST = "scores.gather(1, order)", "[:, :k]"
BEST = f"{SORTED}.argsort(dim=1, descending=True, stable=True){FIRST}"
SHARES, OVER = "found / relevant.sum(dim=1)", ".mean().item()"
SHARE = f"({SHARES}){OVER}"
FOUND = "relevant.gather(1, order).gather(1, best).sum(dim=1)"

recall_at_k.mistake(
    "ties count for you",
    "Of documents with equal scores, yours has the relevant ones in front. A search that gives everything the same score would then be perfect. A tie counts against you.",
    {ORDER: "(~relevant).int().argsort(dim=1, stable=True)"},
)

recall_at_k.mistake(
    "ties by the order of the collection",
    "Of documents with equal scores, the one that stands first in the collection counts as better, or whichever the sorting puts there. The result then depends on how the collection is sorted. In a tie, those that are not relevant stand in front.",
    {ORDER: "torch.arange(scores.size(1)).expand_as(scores)"},
    edit(
        {"descending=True, stable=True": "descending=True"},
        says="Your sorting does not keep the order of equal scores, so that documents which tie stand anywhere. In a tie, those that are not relevant stand in front. `stable=True` keeps the order that you have made.",
        varies=True,
    ),
    {ORDER: "torch.arange(scores.size(1)).expand_as(scores)", BEST: "scores.topk(k, dim=1).indices"},
)

recall_at_k.mistake(
    "all that score as much as the last",
    "You count every document that scores as much as the last of the k best. With ties these are more than k, and the tie counts for you. Look at k documents; in a tie, those that are not relevant stand in front.",
    {
        SHARE: "(((scores >= scores.sort(dim=1, descending=True).values[:, k - 1 : k]) & relevant).sum(dim=1) / relevant.sum(dim=1)).mean().item()"
    },
)

recall_at_k.mistake(
    "divided by k",
    "You divide by k: that is precision, how much of what was found is relevant. Recall divides by how many relevant documents the query has.",
    {SHARES: "found / k"},
)

recall_at_k.mistake(
    "a single hit is enough",
    "A query counts in full as soon as one of its relevant documents is among the k best. (That is called success or hit rate, and is the same only where each query looks for one document.) Count how many are found, of how many that there are.",
    {SHARES: "(found > 0).double()"},
)

recall_at_k.mistake(
    "divided by what could be found",
    "You divide by the smaller one of k and the number of relevant documents. With that, looking at one document can give a recall of 1 for a query that looks for three. Divide by the number of relevant ones.",
    {SHARES: "found / relevant.sum(dim=1).clamp(max=k)"},
)

recall_at_k.mistake(
    "all queries in one sum",
    "You divide all that was found by all that is relevant: a query with many relevant documents counts more than one with few. The mean is over queries.",
    {f"({SHARES}).mean()": "(found.sum() / relevant.sum())"},
)

recall_at_k.mistake(
    "a sum over queries",
    "Your result is the sum over the queries, and goes beyond 1. The mean is asked for.",
    {OVER: ".sum().item()"},
)

recall_at_k.mistake(
    "the worst documents",
    "You look at the k documents with the *smallest* scores. Larger is better: `descending=True`.",
    {BEGIN: "scores = -scores"},
    {FIRST: "[:, -k:]"},
)

recall_at_k.mistake(
    "one document too few",
    "You look at k - 1 documents. A slice leaves out its end: `[:, :k]` has k.",
    {FIRST: "[:, : k - 1]"},
    {BEGIN: "k = k - 1"},
)

recall_at_k.mistake(
    "one document too many",
    "You look at k + 1 documents: those with at most k in front of them, where there have to be fewer than k.",
    {FIRST: "[:, : k + 1]"},
    {BEGIN: "k = k + 1"},
)

recall_at_k.mistake(
    "the places of another order",
    "The documents that you count are not those with the best scores: `relevant` is read in another order than the scores were sorted in. Whatever changes the order of the one has to change the other in the same way.",
    {"relevant.gather(1, order).gather(1, best)": "relevant.gather(1, best)"},
    {"relevant.gather(1, order).gather(1, best)": "relevant.gather(1, order)[:, :k]"},
    {"relevant.gather(1, order).gather(1, best)": "relevant[:, :k]"},
    {BEST: "scores.argsort(dim=1, descending=True, stable=True)[:, :k]"},
    edit(
        {BEST: "order[:, :k]", "relevant.gather(1, order).gather(1, best)": "relevant.gather(1, best)"},
        says="You look at the k documents that come first when they are ordered by `relevant` alone: the scores have no effect. Sort by score after that, without changing the order of equal ones.",
    ),
)

recall_at_k.mistake(
    "a count, not a share",
    "Your result is how many relevant documents are found, as a mean over the queries. A query that looks for four then counts four times as much as one that looks for one. Divide by how many each query looks for.",
    {SHARES: "found.double()"},
)

recall_at_k.mistake(
    "in percent",
    "Your result is a hundred times the share.",
    {SHARE: f"100 * {SHARE}"},
)

recall_at_k.mistake(
    "the k-th place alone",
    "You look at the k-th place alone. All places up to k count.",
    {FIRST: "[:, k - 1 : k]"},
)

recall_at_k.mistake(
    "the best one is left out",
    "You leave out the best document, and look at the k after it. That is for a search in which the query itself stands in the collection; here the best document counts like any other.",
    {FIRST: "[:, 1 : k + 1]"},
    edit(
        {FIRST: "[:, 1:k]"},
        says="You leave out the best document, and look at the k - 1 after it. Places are counted from 0 here: the k best are `[:, :k]`.",
    ),
)

recall_at_k.mistake(
    "what is not among the k best",
    "You count what is *not* found: the relevant documents behind the k best, or 1 less the share. The share that stands among the k best is asked for.",
    {FIRST: "[:, k:]"},
    {SHARE: f"1 - {SHARE}"},
)

recall_at_k.mistake(
    "all documents are looked at",
    "Your result is 1 whatever the scores are: k is not used, and among all documents every relevant one is found. Look at the k best: `[:, :k]`.",
    {FIRST: ""},
)

recall_at_k.mistake(
    "no mean of the queries",
    "Your result is the largest, the smallest or the middle one of the queries' shares. The mean is asked for.",
    *({OVER: f".{taken}().item()"} for taken in ("max", "min", "median")),
)

recall_at_k.mistake(
    "precision and recall in one",
    "You divide by a number that is made of k *and* of how many relevant documents there are. What stands among the k best is divided by how many the query looks for, and by nothing else.",
    edit(
        {SHARES: "2 * found / (k + relevant.sum(dim=1))"},
        says="Your result is F1, of precision and recall. Recall alone is asked for: how much is found of what the query looks for.",
    ),
    edit(
        {SHARES: "found / (k + relevant.sum(dim=1) - found)"},
        says="You divide by all that is found or relevant, which is the Jaccard index. Recall divides by how many documents the query looks for.",
    ),
    edit(
        {SHARES: "found / relevant.sum(dim=1).clamp(min=k)"},
        says="You divide by the *larger* one of k and the number of relevant documents. Recall divides by how many documents the query looks for.",
    ),
)

recall_at_k.mistake(
    "divided by another number",
    "You do not divide by how many documents the query looks for. Recall is found by relevant, query by query.",
    edit(
        {SHARES: "found / len(scores)"},
        says="You divide by the number of queries twice, or by it alone. What a query has found is divided by how many documents it looks for; the mean over queries comes after that.",
    ),
    edit(
        {SHARE: "(found.sum() / len(scores) ** 2).item()"},
        says="You divide by the number of queries twice, or by it alone. What a query has found is divided by how many documents it looks for; the mean over queries comes after that.",
    ),
    edit(
        {SHARES: "found / (relevant.sum(dim=1) + 1)"},
        says="You divide by one more than the number of relevant documents. Every query has one at least, so there is no dividing by 0.",
    ),
    edit(
        {SHARES: "found / (scores.size(1) - relevant.sum(dim=1)).clamp(min=1)"},
        says="You divide by the number of documents that are *not* relevant. Recall divides by how many the query looks for.",
    ),
    edit(
        {SHARES: "found / relevant.sum()"},
        says="You divide by the number of relevant documents of *all* queries. Each query is divided by how many it looks for.",
    ),
    edit(
        {OVER: ".sum().item() / scores.size(1)"},
        says="You divide the sum of the shares by the number of documents. The mean is over the queries.",
    ),
)

recall_at_k.mistake(
    "a rounded number",
    "Your result is rounded. Round where a number is printed; a function that measures gives all that it has, so that two searches can be compared.",
    *({SHARE: f"round({SHARE}, {places})"} for places in (1, 2)),
)

recall_at_k.mistake(
    "a tensor for a number",
    IN_A_TENSOR,
    {OVER: ".mean()"},
)

recall_at_k.mistake(
    "ties at their mean rank",
    "Documents with equal scores share a rank, the mean of their places. Here a tie counts against you: those that are not relevant stand in front.",
    {
        FOUND: "((((scores[:, None] > scores[:, :, None]).sum(dim=2) + ((scores[:, None] == scores[:, :, None]).sum(dim=2) - 1) / 2) < k) & relevant).sum(dim=1)"
    },
)

recall_at_k.mistake(
    "a tie is shared out",
    "Where a tie crosses the k-th place, you count the share of it that would be found by chance. That is a mean over all orders; here a tie counts against you: those that are not relevant stand in front.",
    {
        SHARE: "(((relevant & (scores > (line := scores.sort(dim=1, descending=True).values[:, k - 1 : k]))).sum(dim=1) + (k - (scores > line).sum(dim=1)) * (relevant & (scores == line)).sum(dim=1) / (scores == line).sum(dim=1)) / relevant.sum(dim=1)).mean().item()"
    },
)

recall_at_k.mistake(
    "the scores' signs",
    "You go by the size of the scores without their sign, or count only what scores above 0. A score may be below 0, and still be among the best: larger is better, and nothing else is asked of it.",
    {BEGIN: "scores = scores.abs()"},
    {FOUND: "(relevant & (scores > 0)).gather(1, order).gather(1, best).sum(dim=1)"},
)

recall_at_k.mistake(
    "the first place alone",
    "You look at the first place, whatever k is.",
    {FIRST: "[:, :1]"},
    edit(
        {SHARE: "relevant.gather(1, scores.argmax(dim=1, keepdim=True)).double().mean().item()"},
        says="You ask of each query whether the best document is relevant, whatever k is and however many it looks for. The share of its relevant documents among the k best is asked for.",
    ),
)

recall_at_k.mistake(
    "all or nothing",
    "A query counts 1 if all of its relevant documents are found, and 0 otherwise. The share that is found is asked for.",
    {SHARES: "(found == relevant.sum(dim=1)).double()"},
)

recall_at_k.mistake(
    "divided by all documents",
    "You divide by the number of documents in the collection. Divide by how many the query looks for.",
    {SHARES: "found / relevant.size(1)"},
)

recall_at_k.mistake(
    "the first query alone",
    "Your result is that of the first query: is the `return` inside the loop? The mean over all queries is asked for.",
    {OVER: "[0].item()"},
    edit(
        {OVER: "[-1].item()"},
        says="Your result is that of the last query: what the others gave is written over. The mean over all queries is asked for.",
    ),
    edit(
        {OVER: "[0].item() / len(scores)"},
        says="You divide the first query's share by the number of queries, and return that: is the `return` inside the loop? The mean over all queries is asked for.",
    ),
)

recall_at_k.mistake(
    "only what scores more than the k-th",
    "You count relevant documents that score *more* than the k-th best score. The document at place k scores exactly that, and is never counted.",
    {FOUND: "((scores > scores.topk(k, dim=1).values[:, -1:]) & relevant).sum(dim=1)"},
)

recall_at_k.mistake(
    "relevant ones take no place",
    "You compare k with how many documents that are *not* relevant stand in front. The relevant ones in front take places as well.",
    {FOUND: "((((scores[:, None] >= scores[:, :, None]) & ~relevant[:, None]).sum(dim=2) < k) & relevant).sum(dim=1)"},
    edit(
        {
            FOUND: "(((((scores[:, None] >= scores[:, :, None]) & ~relevant[:, None]) | ((scores[:, None] > scores[:, :, None]) & relevant[:, None])).sum(dim=2) < k) & relevant).sum(dim=1)"
        },
        says="Of relevant documents with equal scores, none takes a place in front of another, so that all of them are found at one place. Someone of them stands in front.",
    ),
)

recall_at_k.mistake(
    "relevant ones stand in each other's way",
    "Of relevant documents with equal scores, each counts as if it stood behind all the others. A tie counts against you where the others are not relevant; among relevant ones someone stands in front.",
    {FOUND: "(((scores[:, None] >= scores[:, :, None]).sum(dim=2) <= k) & relevant).sum(dim=1)"},
    edit(
        {
            FOUND: "(((scores[:, None] >= scores[:, :, None]).sum(dim=2) + (relevant[:, None] & ((scores[:, None] > scores[:, :, None]) | ((scores[:, None] == scores[:, :, None]) & torch.ones(scores.size(1), scores.size(1)).tril(-1).bool()))).sum(dim=2) < k) & relevant).sum(dim=1)"
        },
        says="Among what stands in front of a relevant document, you count the document itself, and other relevant ones twice. Where the relevant ones have places already, only what is not relevant is still to be counted.",
    ),
)

recall_at_k.mistake(
    "found by score",
    "You count which of the k best *scores* are scores of a relevant document. In a tie, one that is not relevant has the same score and counts as found; so the share may even exceed 1. Go by indices.",
    {
        FOUND: "(scores.topk(k, dim=1).values[:, :, None] == scores.masked_fill(~relevant, torch.nan)[:, None]).any(dim=2).sum(dim=1)"
    },
    edit(
        {
            FOUND: "(relevant * (scores[:, None] == scores[:, :, None]).sum(dim=2)).gather(1, order).gather(1, best).sum(dim=1)"
        },
        says="A relevant document that is found counts as often as its score occurs. With ties the share may then exceed 1. It counts once.",
    ),
    edit(
        {
            FOUND: "torch.tensor([best_scores[good].unique().numel() for best_scores, good in zip(scores.gather(1, order).gather(1, best), relevant.gather(1, order).gather(1, best))])"
        },
        says="You count the different scores of the relevant documents that are found. Two with one score are two documents.",
    ),
)

recall_at_k.mistake(
    "a tie is broken by a small number",
    "You take a small number off the scores of relevant documents, so that they lose a tie. Scores may be closer to each other than that, and then a relevant one that is better falls behind. Sort twice, or count: no number is small enough for all scores.",
    *(
        {
            ORDER: "torch.arange(scores.size(1)).expand_as(scores)",
            SORTED: f"(scores - {little} * relevant)",
        }
        for little in (1e-3, 1e-4, 1e-5, 1e-6)
    ),
)

recall_at_k.mistake(
    "one relevant document a query",
    "You take one document of each query for the only relevant one, the first that is marked. There may be several: all that are marked in `relevant` count.",
    {
        SHARE: "(((scores >= scores.gather(1, relevant.int().argmax(dim=1, keepdim=True))) & ~relevant).sum(dim=1) < k).double().mean().item()"
    },
    {
        SHARE: "((scores >= scores.gather(1, relevant.int().argmax(dim=1, keepdim=True))).sum(dim=1) <= k).double().mean().item()"
    },
    edit(
        {
            SHARE: "((scores > scores.gather(1, relevant.int().argmax(dim=1, keepdim=True))).sum(dim=1) < k).double().mean().item()"
        },
        says="You take one document of each query for the only relevant one, the first that is marked, and a tie with it counts for you. There may be several: all that are marked in `relevant` count.",
    ),
    edit(
        {SHARE: "((scores > scores.diagonal()[:, None]).sum(dim=1) < k).double().mean().item()"},
        says="You take document i for the only relevant one of query i, and a tie with it counts for you. `relevant` says which documents count, and there may be several.",
    ),
    edit(
        {SHARE: "((scores >= scores.diagonal()[:, None]).sum(dim=1) <= k).double().mean().item()"},
        says="You take document i for the only relevant one of query i. That holds for the pairs of a training batch; here `relevant` says which documents count, and there may be several.",
    ),
)

recall_at_k.mistake(
    "only relevant ones are ranked",
    "Documents that are not relevant take no place in front of a relevant one, whatever they score: your result is the best that any search could have. Only documents with equal scores are put in order by `relevant`; the score comes first.",
    {FOUND: "relevant.sum(dim=1).clamp(max=k)"},
)

recall_at_k.mistake(
    "what is not relevant is counted",
    "You count the documents among the k best that are *not* relevant. Those that the query looks for count.",
    {FOUND: "(~relevant).gather(1, order).gather(1, best).sum(dim=1)"},
)

recall_at_k.mistake(
    "a share for each query",
    "Your result has a number for each query. One number is asked for, their mean.",
    {OVER: ".tolist()"},
    {OVER: ""},
)

recall_at_k.mistake(
    "no more places than relevant ones",
    "Where k is larger than the number of relevant documents, you look at only as many places as there are relevant ones. (With k left out that is called R-precision.) All k places count.",
    {
        FOUND: "(relevant.gather(1, order).gather(1, best) & (torch.arange(k) < relevant.sum(dim=1)[:, None])).sum(dim=1)"
    },
)

recall_at_k.mistake(
    "average precision",
    "Your result is an average precision: at each relevant document among the k best the share of relevant ones so far. Here only how many of them are found counts, and not at which place.",
    {
        FOUND: "((hits := relevant.gather(1, order).gather(1, best)).cumsum(dim=1) / torch.arange(1, k + 1) * hits).sum(dim=1)"
    },
)

recall_at_k.mistake(
    "squares or roots of the shares",
    "The share of each query goes through a square or a root before the mean is taken. The mean is of the shares as they are.",
    {SHARES: f"({SHARES}) ** 2"},
    {SHARES: f"({SHARES}) ** 0.5"},
)

# mean_reciprocal_rank ----------------------------------------------------------------------------

TOP = "scores.masked_fill(~relevant, -torch.inf).amax(dim=1, keepdim=True)"
FRONT = "((scores >= best) & ~relevant).sum(dim=1)"
RANK = "(1 + in_front)"
WORTH = f"1 / {RANK}"
MEAN = f"({WORTH}){OVER}"

IN_ORDER = "(lambda by_rank, places: {})(relevant.gather(1, (upset := relevant.int().argsort(dim=1, stable=True)).gather(1, scores.gather(1, upset).argsort(dim=1, descending=True, stable=True))), torch.arange(1, scores.size(1) + 1))"
"""Edits that need the relevant documents by rank, in the worst order of ties."""

BY_SCORE = "(lambda by_rank, places: {})(relevant.gather(1, scores.argsort(dim=1, descending=True, stable=True)), torch.arange(1, scores.size(1) + 1))"
"""The same with ties in the order of the collection."""

mean_reciprocal_rank.mistake(
    "ties count for you",
    "A document with the same score does not stand in front in your count. A search that gives everything the same score would then be perfect. A tie counts against you: as much *or more*.",
    {FRONT: "((scores > best) & ~relevant).sum(dim=1)"},
)

mean_reciprocal_rank.mistake(
    "ties by the order of the collection",
    "Of documents with equal scores, the one that stands first in the collection counts as better. The result then depends on how the collection is sorted. In a tie, those that are not relevant stand in front.",
    {FRONT: "relevant.gather(1, scores.argsort(dim=1, descending=True, stable=True)).int().argmax(dim=1)"},
    {
        FRONT: "(((scores > best) | ((scores == best) & (torch.arange(scores.size(1)) < ((scores == best) & relevant).int().argmax(dim=1, keepdim=True)))) & ~relevant).sum(dim=1)"
    },
)

mean_reciprocal_rank.mistake(
    "other relevant ones stand in front",
    "Relevant documents with the same score are counted as being in front of one another. The first relevant document has only what is not relevant in front of it.",
    {FRONT: "(scores >= best).sum(dim=1) - 1"},
    edit(
        {FRONT: "(scores >= best).sum(dim=1)"},
        says="Relevant documents with the same score are counted as being in front, the first one itself among them. It has only what is not relevant in front of it: `& ~relevant`.",
    ),
)

mean_reciprocal_rank.mistake(
    "ranks from 0",
    "Your ranks begin at 0. The best document has rank 1, so what stands in front of the first relevant one counts, plus 1.",
    {RANK: "in_front"},
    edit(
        {RANK: "in_front.clamp(min=1)"},
        says="A document with one in front of it counts as if it were the first. Its rank is 2: what stands in front, plus 1.",
    ),
)

mean_reciprocal_rank.mistake(
    "ranks from 2",
    "All your ranks are one too large: the first document has rank 2. If the relevant document counts itself among those that score as much, add nothing more.",
    {RANK: "(2 + in_front)"},
)

mean_reciprocal_rank.mistake(
    "1 / the mean rank",
    "You take the mean of the ranks first, and 1 / mean afterwards. One query that fails badly then decides everything. Take 1 / rank of each query, and the mean of these.",
    {MEAN: "(1 / (1 + in_front).double().mean()).item()"},
    {OVER: ".double().reciprocal().mean().reciprocal().item()"},
)

mean_reciprocal_rank.mistake(
    "the mean rank",
    "Your result is the mean rank. Take 1 / rank of each query, and the mean of these; `1 / 1 + x` divides before it adds, and wants brackets.",
    {WORTH: f"{RANK}.double()"},
    edit(
        {OVER: ".mean().reciprocal().item()"},
        says="Your result is 1 / the mean of 1 / rank, so it is a kind of mean rank, and smaller is better. The mean of 1 / rank itself is asked for.",
    ),
)

mean_reciprocal_rank.mistake(
    "the last relevant document",
    "You go by the *worst* score of a relevant document, so by the last of them. The first counts.",
    {TOP: "scores.masked_fill(~relevant, torch.inf).amin(dim=1, keepdim=True)"},
    {
        TOP: "scores.masked_fill(~relevant, torch.inf).amin(dim=1, keepdim=True)",
        FRONT: "((scores >= best) & ~relevant).sum(dim=1) + relevant.sum(dim=1) - 1",
    },
)

mean_reciprocal_rank.mistake(
    "the first in the collection",
    "You go by the relevant document that stands first in the collection. What counts is the one with the best score.",
    {TOP: "scores.gather(1, relevant.int().argmax(dim=1, keepdim=True))"},
)

mean_reciprocal_rank.mistake(
    "all relevant documents",
    "You take 1 / rank of every relevant document, and the mean of all of them. Of each query only the first counts.",
    {
        MEAN: "(1 / (1 + ((scores[:, None] >= scores[:, :, None]) & ~relevant[:, None]).sum(dim=2)))[relevant].mean().item()"
    },
    edit(
        {
            MEAN: "((relevant / (1 + ((scores[:, None] >= scores[:, :, None]) & ~relevant[:, None]).sum(dim=2))).sum(dim=1) / relevant.sum(dim=1)).mean().item()"
        },
        says="You take the mean of 1 / rank over all relevant documents of a query. Only the first of them counts.",
    ),
    edit(
        {
            MEAN: "(relevant / (1 + ((scores[:, None] >= scores[:, :, None]) & ~relevant[:, None]).sum(dim=2))).sum(dim=1).mean().item()"
        },
        says="You add up 1 / rank of all relevant documents of a query. Only the first of them counts.",
    ),
    edit(
        {MEAN: IN_ORDER.format("(by_rank / places).sum(dim=1).mean().item()")},
        says="You add up 1 / rank of all relevant documents of a query: does the loop go on behind the first? Only the first of them counts.",
    ),
    edit(
        {MEAN: IN_ORDER.format("((by_rank / places).sum(dim=1) / relevant.sum(dim=1)).mean().item()")},
        says="You take the mean of 1 / rank over all relevant documents of a query. Only the first of them counts.",
    ),
    edit(
        {MEAN: IN_ORDER.format("((by_rank / places).sum() / relevant.sum()).item()")},
        says="You take the mean of 1 / rank over all relevant documents of all queries. Of each query only the first of them counts.",
    ),
    edit(
        {MEAN: BY_SCORE.format("(by_rank / places).sum(dim=1).mean().item()")},
        says="You add up 1 / rank of all relevant documents of a query; only the first of them counts. And equal scores go by the order of the collection; those that are not relevant should stand in front.",
    ),
    edit(
        {MEAN: BY_SCORE.format("((by_rank / places).sum(dim=1) / relevant.sum(dim=1)).mean().item()")},
        says="You take the mean of 1 / rank over all relevant documents of a query; only the first of them counts. And equal scores go by the order of the collection; those that are not relevant should stand in front.",
    ),
)

mean_reciprocal_rank.mistake(
    "the smallest score first",
    "You rank the documents the wrong way round: the smallest score first. Larger is better.",
    {BEGIN: "scores = -scores"},
)

mean_reciprocal_rank.mistake(
    "a sum over queries",
    "Your result is the sum over the queries. The mean is asked for.",
    {OVER: ".sum().item()"},
)

mean_reciprocal_rank.mistake(
    "what is not relevant scores 0",
    "Documents that are not relevant are set to 0 on the way to the best relevant score. Where all relevant scores are below 0, that 0 is the largest. Fill with -inf.",
    {TOP: "(scores * relevant).amax(dim=1, keepdim=True)"},
    {
        TOP: "(scores * relevant).amax(dim=1, keepdim=True)",
        FRONT: "(scores.masked_fill(relevant, 0.0) >= best).sum(dim=1)",
    },
    *(
        edit(
            {TOP: f"scores.masked_fill(~relevant, -{size}).amax(dim=1, keepdim=True)"},
            says=f"Documents that are not relevant are set to -{size} on the way to the best relevant score. Scores may be smaller than that, and then it is the largest. Fill with -inf.",
        )
        for size in ("1e4", "1e9")
    ),
)

mean_reciprocal_rank.mistake(
    "average precision",
    "Your result is the mean average precision: at each relevant document the share of relevant ones so far. Here only the rank of the first counts.",
    {
        MEAN: IN_ORDER.format(
            "((by_rank.cumsum(dim=1) / places * by_rank).sum(dim=1) / relevant.sum(dim=1)).mean().item()"
        )
    },
)

mean_reciprocal_rank.mistake(
    "a tie counts half",
    "Of documents with the same score you let half stand in front. A tie counts against you: those that are not relevant all do.",
    {FRONT: "(((scores > best) & ~relevant).sum(dim=1) + ((scores == best) & ~relevant).sum(dim=1) / 2)"},
)

mean_reciprocal_rank.mistake(
    "the first place alone",
    "A query counts 1 if the first place is relevant, and 0 otherwise. (In whole numbers, `1 // rank` does that too.) A second place is worth 1/2.",
    {WORTH: "(in_front == 0).double()"},
)

mean_reciprocal_rank.mistake(
    "divided by the number of documents",
    "You divide by the number of documents. The mean is over the queries.",
    {OVER: ".sum().item() / scores.size(1)"},
    edit(
        {OVER: ".sum().item() / int(relevant.sum())"},
        says="You divide by the number of relevant documents. The mean is over the queries.",
    ),
)

mean_reciprocal_rank.mistake(
    "what stands behind is counted",
    "You count the documents that score as much or *less* than the best relevant one. Those in front of it score as much or more.",
    {FRONT: "((scores <= best) & ~relevant).sum(dim=1)"},
)

mean_reciprocal_rank.mistake(
    "the first query alone",
    "Your result is that of the first query: is the `return` inside the loop? The mean over all queries is asked for.",
    {OVER: "[0].item()"},
    edit(
        {OVER: "[0].item() / len(scores)"},
        says="You divide the first query's number by the number of queries, and return that: is the `return` inside the loop? The mean over all queries is asked for.",
    ),
)

mean_reciprocal_rank.mistake(
    "the places of another order",
    "You have put the documents of each query into another order before you sorted them, and look the sorted places up in the old one.",
    {
        FRONT: "relevant.gather(1, scores.gather(1, relevant.int().argsort(dim=1, stable=True)).argsort(dim=1, descending=True, stable=True)).int().argmax(dim=1)"
    },
)

mean_reciprocal_rank.mistake(
    "another worth than 1 / rank",
    "You discount by a logarithm of the rank, as another measure does (DCG). Here the first relevant document of a query is worth 1 / rank.",
    {RANK: f"torch.log2(1.0 + {RANK})"},
    edit(
        {RANK: f"{RANK} ** 0.5"},
        says="You discount by the root of the rank. Here the first relevant document of a query is worth 1 / rank.",
    ),
    edit(
        {RANK: f"{RANK} ** 2"},
        says="You discount by the square of the rank. Here the first relevant document of a query is worth 1 / rank.",
    ),
    edit(
        {WORTH: "0.5**in_front"},
        says="You halve the worth with each place. Here the first relevant document of a query is worth 1 / rank: 1, 1/2, 1/3, and so on.",
    ),
    edit(
        {WORTH: "1 - in_front / scores.size(1)"},
        says="Your worth falls by the same amount with each place, from 1 to 0. Here the first relevant document of a query is worth 1 / rank: 1, 1/2, 1/3, and so on.",
    ),
)

mean_reciprocal_rank.mistake(
    "the median over queries",
    "Your result is the median over the queries. The mean is asked for.",
    {OVER: ".median().item()"},
    {OVER: ".sort().values[len(scores) // 2].item()"},
    {OVER: ".quantile(0.5).item()"},
)

mean_reciprocal_rank.mistake(
    "a number for each query",
    "Your result has a number for each query. One number is asked for, their mean.",
    {OVER: ".tolist()"},
    {OVER: ""},
)

mean_reciprocal_rank.mistake(
    "over the queries of each document",
    "You go down the columns, over the queries of each document. A row belongs to a query: its documents are ranked, `dim=1`.",
    {
        TOP: "scores.masked_fill(~relevant, -torch.inf).amax(dim=0, keepdim=True)",
        FRONT: FRONT.replace("dim=1", "dim=0"),
    },
    edit(
        {TOP: "scores.masked_fill(~relevant, -torch.inf).amax(dim=0, keepdim=True)"},
        says="The best relevant score is looked for down the columns, over the queries of each document. A row belongs to a query: `amax(dim=1, keepdim=True)`.",
    ),
)

mean_reciprocal_rank.mistake(
    "the place in the collection for the rank",
    "Your rank is the place of the first relevant document in the *collection*, whatever it scores. The rank is its place when the documents are sorted by score.",
    {RANK: "(1 + relevant.int().argmax(dim=1))"},
)

mean_reciprocal_rank.mistake(
    "in percent",
    "Your number is a hundred times as large. It is a mean of 1 / rank, at most 1.",
    {MEAN: f"100 * {MEAN}"},
)

mean_reciprocal_rank.mistake(
    "rounded",
    "Your number is rounded. Round where you print: what is rounded cannot be compared any more.",
    {MEAN: f"round({MEAN}, 3)"},
    {MEAN: f"round({MEAN}, 2)"},
)

mean_reciprocal_rank.mistake(
    "a rank in a tensor",
    IN_A_TENSOR,
    {OVER: ".mean()"},
)

mean_reciprocal_rank.mistake(
    "the best of what is not relevant",
    "The score that you compare with is that of the best document that is *not* relevant. `masked_fill` fills where its mask is True: `~relevant` is what has to become -inf.",
    {TOP: "scores.masked_fill(relevant, -torch.inf).amax(dim=1, keepdim=True)"},
)

mean_reciprocal_rank.mistake(
    "the best of all documents",
    "The score that you compare with is the best of all documents, relevant or not. So next to nothing ever stands in front. Look for the best score of a *relevant* one.",
    {TOP: "scores.amax(dim=1, keepdim=True)"},
    edit(
        {TOP: "scores.masked_fill(~relevant, -torch.inf).amax()"},
        says="All queries are compared with one score, the best relevant one of all queries. Each query has a best relevant score of its own: `amax(dim=1, keepdim=True)`.",
    ),
)

mean_reciprocal_rank.mistake(
    "relevant ones are counted in front",
    "You count *relevant* documents that score as much or more. What stands in front of the first relevant one is not relevant: `& ~relevant`.",
    {FRONT: "((scores >= best) & relevant).sum(dim=1)"},
)

mean_reciprocal_rank.mistake(
    "queries count by what they look for",
    "A query counts as often as it has relevant documents. The mean is over queries: each counts alike.",
    {MEAN: "((1 / (1 + in_front)) * relevant.sum(dim=1)).sum().item() / int(relevant.sum())"},
)

mean_reciprocal_rank.mistake(
    "documents taken for places",
    "You take the first `argsort` for ranks. It says which document stands at each place, not at which place each document stands. Sort `relevant` by it, or take the `argsort` of it.",
    {
        MEAN: "(1 / (scores.argsort(dim=1, descending=True, stable=True) + 1).masked_fill(~relevant, scores.size(1) + 1).amin(dim=1)).mean().item()"
    },
    edit(
        {
            MEAN: "(1 / (scores.argsort(dim=1, stable=True) + 1).masked_fill(~relevant, scores.size(1) + 1).amin(dim=1)).mean().item()"
        },
        says="You take the first `argsort` for ranks, and it goes from the smallest score up. It says which document stands at each place, not at which place each document stands; and larger is better.",
    ),
)

mean_reciprocal_rank.mistake(
    "equal scores share a place",
    "Documents in front with the same score take one place together in your count. Each of them has to be read: count documents, and not different scores.",
    {
        FRONT: "torch.tensor([one[(one >= top) & ~right].unique().numel() for one, top, right in zip(scores, best, relevant)])"
    },
)

mean_reciprocal_rank.mistake(
    "what is not relevant stands in front",
    "Every document that is not relevant stands in front in your count, whatever it scores. Only documents with equal scores are put in order by `relevant`; the score comes first.",
    {FRONT: "(~relevant).sum(dim=1)"},
    edit(
        {FRONT: "(~relevant).sum(dim=1) * 0"},
        says="Your result is always 1: every relevant document stands in front of all others, whatever they score. Only documents with equal scores are put in order by `relevant`, and then those that are not relevant come first.",
    ),
)

mean_reciprocal_rank.mistake(
    "the mean rank of the relevant ones",
    "You take the mean of the ranks of all relevant documents of a query, and 1 / mean. Only the first of them counts.",
    {MEAN: IN_ORDER.format("(relevant.sum(dim=1) / (by_rank * places).sum(dim=1)).mean().item()")},
)

mean_reciprocal_rank.mistake(
    "no mean of the queries",
    "Your result is the largest or the smallest number of the queries. The mean is asked for.",
    {OVER: ".max().item()"},
    {OVER: ".min().item()"},
)

mean_reciprocal_rank.mistake(
    "a rank behind the first few counts nothing",
    "A query whose first relevant document stands behind the first few places adds 0. (That is a measure of its own, such as MRR@10.) Here the list is read to its end: rank 20 is worth 1 / 20.",
    *({WORTH: f"{WORTH} * (in_front < {places})"} for places in (2, 3, 5)),
)
