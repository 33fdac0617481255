"""Wrong ways of counting terms, and of making one ranking of several."""

from autograder.checks.semantic_matching.counting import fuse, tf_idf
from autograder.probing.mistake import edit

# tf_idf ----------------------------------------------------------------------------

COUNT = "counts[row, column[term]] = count"
WITH = "(counts > 0).sum(dim=0)"
FRACTION = "(1 + len(texts)) / (1 + texts_with)"
WEIGHTS = f"1 + torch.log({FRACTION})"
WEIGHED = "counts * weights"
ROWS = f"F.normalize({WEIGHED}, dim=1)"
WITH_UNKNOWN = f"F.normalize(torch.cat(({WEIGHED}, (other := torch.tensor([[float(sum(one not in column for one in text))] for text in texts])) * (1 + torch.log((1 + len(texts)) / (1 + (other > 0).sum())))), dim=1), dim=1)"

tf_idf.mistake(
    "no weights",
    "All terms weigh the same in your rows: they are the counts, or the counts times one number. A term that stands in every text then weighs as much as a rare one, which says more. Each term has a weight of its own.",
    {WEIGHED: "counts"},
)

tf_idf.mistake(
    "rows of any length",
    "Your rows do not have length 1: long texts have long rows. Divide each by its length, and keep what `F.normalize` returns.",
    {ROWS: f"({WEIGHED})"},
)

tf_idf.mistake(
    "rows that add up to 1",
    "Your rows add up to 1, but do not have length 1. The length is the root of the sum of squares; a product of two rows is then a cosine.",
    {"dim=1)": "p=1, dim=1)"},
)

tf_idf.mistake(
    "columns of length 1",
    "Your columns have length 1, not your rows. A row is a text: `dim=1`.",
    {"dim=1)": "dim=0)"},
    edit(
        {ROWS: f"(lambda rows: rows / rows.norm(dim=0, keepdim=True))({WEIGHED})"},
        says="Your columns have length 1, not your rows, and a term that no text has becomes a column of NaN. A row is a text: `dim=1`.",
    ),
)

tf_idf.mistake(
    "without the 1 in front",
    "The 1 in front of the logarithm is missing, so a term that stands in every text weighs nothing at all. Here it counts, if little.",
    {"1 + torch.log(": "torch.log("},
)

tf_idf.mistake(
    "the ones are missing from the fraction",
    "Your weights are 1 + ln(n / d). The formula has (1 + n) / (1 + d), as if there were one text more with every term: then no term divides by 0.",
    {FRACTION: "len(texts) / texts_with.clamp(min=1)"},
    {FRACTION: "len(texts) / (1 + texts_with)"},
    {FRACTION: "len(texts) / texts_with"},
    edit(
        {FRACTION: "(1 + len(texts)) / texts_with.clamp(min=1)"},
        says="Your weights are 1 + ln((1 + n) / d). The formula has 1 + d as well: then no term divides by 0.",
    ),
    edit(
        {FRACTION: "(1 + len(texts)) / texts_with"},
        says="Your weights are 1 + ln((1 + n) / d). The formula has 1 + d as well: then a term that no text has does not divide by 0.",
    ),
)

tf_idf.mistake(
    "the fraction upside down",
    "Your fraction is upside down: frequent terms weigh more than rare ones.",
    {"torch.log(": "-torch.log("},
)

tf_idf.mistake(
    "a logarithm of another base",
    "Your logarithm has the base 10 or 2. With the 1 in front of it the base does matter: take the natural one, `torch.log`.",
    {"torch.log(": "torch.log10("},
    {"torch.log(": "torch.log2("},
)

tf_idf.mistake(
    "no logarithm",
    "The logarithm is missing. A term of one text in a thousand would weigh a thousand times as much as one of all texts.",
    {"torch.log(": "("},
    {"1 + torch.log(": "("},
)

tf_idf.mistake(
    "how often, not in how many texts",
    "Your d is how often a term occurs at all. It is the number of *texts* that have it: a term that stands five times in one text is still rare.",
    {WITH: "counts.sum(dim=0)"},
)

tf_idf.mistake(
    "there or not there",
    "A term counts 1 however often the text has it. Count how often.",
    {COUNT: "counts[row, column[term]] = 1"},
    {WEIGHED: "counts.clamp(max=1) * weights"},
)

tf_idf.mistake(
    "the logarithm of the counts",
    "You take 1 + ln of the counts. That is a variant, called sublinear; here the counts are taken as they are.",
    {COUNT: "counts[row, column[term]] = 1 + torch.log(torch.tensor(float(count)))"},
    {WEIGHED: "torch.where(counts > 0, 1 + counts.clamp(min=1).log(), 0.0) * weights"},
    edit(
        {WEIGHED: "counts.log1p() * weights"},
        says="You take ln(1 + count). Here the counts are taken as they are.",
    ),
    edit(
        {COUNT: "counts[row, column[term]] = torch.log(torch.tensor(1.0 + count))"},
        says="You take ln(1 + count). Here the counts are taken as they are.",
    ),
)

tf_idf.mistake(
    "an empty row becomes NaN",
    "A text without a known term becomes a row of NaN: 0 / 0. By the docstring it is a row of zeros. `F.normalize` leaves such a row as it is.",
    {ROWS: f"(lambda rows: rows.masked_fill(~rows.any(dim=1, keepdim=True), torch.nan))({ROWS})"},
)

tf_idf.mistake(
    "weighed twice",
    "Your weights are squared, as if a product of two rows had weighed once. Multiply the counts by the weights once.",
    {WEIGHED: "counts * weights * weights"},
)

tf_idf.mistake(
    "one length for all rows",
    "You divide all rows by one number, the length of the whole table. Each row has a length of its own: `dim=1`.",
    {ROWS: f"(lambda rows: rows / rows.norm().clamp(min=1e-12))({WEIGHED})"},
)

tf_idf.mistake(
    "the 1 inside the logarithm",
    "Your 1 stands inside the logarithm: ln(1 + the fraction). In the formula it is added to the logarithm.",
    {WEIGHTS: f"torch.log(1 + {FRACTION})"},
)

tf_idf.mistake(
    "the weights of BM25",
    "Your weights are those of BM25, ln(1 + (n - d + 0.5) / (d + 0.5)). Here they are 1 + ln((1 + n) / (1 + d)).",
    {WEIGHTS: "torch.log(1 + (len(texts) - texts_with + 0.5) / (texts_with + 0.5))"},
)

tf_idf.mistake(
    "n is the number of terms",
    "Your n is the number of terms. It is the number of texts: what is counted in d are texts.",
    {"len(texts)) /": "len(column)) /"},
)

tf_idf.mistake(
    "normalized before it is weighed",
    "Your counts have length 1 first, and are weighed afterwards. So the rows that you return do not have length 1. Weigh, then normalize.",
    {ROWS: "F.normalize(counts, dim=1) * weights"},
)

tf_idf.mistake(
    "shares of the text",
    "You divide the counts by the number of terms of the text, and the rows do not have length 1. Divide each weighed row by its length instead; then the number of terms cancels.",
    {ROWS: "counts / torch.tensor([max(len(one), 1) for one in texts])[:, None] * weights"},
    {ROWS: "counts / counts.sum(dim=1, keepdim=True).clamp(min=1) * weights"},
    edit(
        {ROWS: f"{WEIGHED} / torch.tensor([max(len(one), 1) ** 0.5 for one in texts])[:, None]"},
        says="You divide each row by the root of the number of terms of its text. Divide it by its length, the root of the sum of its squares.",
    ),
)

tf_idf.mistake(
    "columns in another order",
    "Your columns are sorted. They come in the order of `vocabulary`.",
    {ROWS: f"({ROWS})[:, sorted(range(len(column)), key=list(column).__getitem__)]"},
)

tf_idf.mistake(
    "divided by squares",
    "You divide each row by the sum of its squares. The length is the root of that.",
    {ROWS: f"(lambda rows: rows / rows.square().sum(dim=1, keepdim=True).clamp(min=1e-12))({WEIGHED})"},
    edit(
        {ROWS: f"(lambda rows: rows / rows.square().mean(dim=1, keepdim=True).sqrt().clamp(min=1e-12))({WEIGHED})"},
        says="You divide each row by the root of the *mean* of its squares. The length is the root of their sum.",
    ),
)

# fuse ----------------------------------------------------------------------------

START, SO_FAR, TERM = "enumerate(ranking, start=1)", "fused.get(document, 0.0) + ", "0.0) + 1 / (k + rank)"
ADDED = "fused[document] = fused.get(document, 0.0) + 1 / (k + rank)"

fuse.mistake(
    "ranks from 0",
    "Your ranks begin at 0: the best document adds 1 / k. It has rank 1; `enumerate(ranking, start=1)`.",
    {START: "enumerate(ranking)"},
    edit(
        {
            START: "enumerate(ranking)",
            TERM: "0.0) + (1 / (k + rank) if k + rank else float('inf'))",
        },
        says="Your ranks begin at 0: the best document adds 1 / k, and for k = 0 that is infinite. It has rank 1; `enumerate(ranking, start=1)`.",
    ),
)

fuse.mistake(
    "ranks from 2",
    "Your ranks begin at 2: is 1 added twice? The best document has rank 1.",
    {START: "enumerate(ranking, start=2)"},
)

fuse.mistake(
    "1 / k + rank",
    "You add 1 / k + rank: without brackets the division comes first. So the worst document gets the most. Write 1 / (k + rank).",
    {TERM: "0.0) + ((1 / k if k else 0.0) + rank)"},
    {TERM: "0.0) + (1 / k + rank)"},
)

fuse.mistake(
    "k is not used",
    "Your numbers are 1 / rank. With k = 60 the first place is worth hardly more than the second, and agreement of several rankings decides.",
    {TERM: "0.0) + 1 / rank"},
)

fuse.mistake(
    "60 whatever k is",
    "You take 60 whatever `k` says.",
    {TERM: "0.0) + 1 / (60 + rank)"},
)

fuse.mistake(
    "the last ranking decides",
    "What the last ranking says of a document replaces what the others have said. Add up.",
    {ADDED: "fused[document] = 1 / (k + rank)"},
    edit(
        {ADDED: "fused.setdefault(document, 1 / (k + rank))"},
        says="What the first ranking says of a document stays, and the others add nothing. Add up.",
    ),
)

fuse.mistake(
    "the best ranking alone",
    "You keep the largest number of each document. Add up: a document that two rankings know is worth more than one that a single ranking knows.",
    {ADDED: "fused[document] = max(fused.get(document, 0.0), 1 / (k + rank))"},
)

fuse.mistake(
    "a mean over the rankings",
    "Your numbers are divided by the number of rankings. The sum is asked for.",
    {"return fused": "return {one: value / len(rankings) for one, value in fused.items()}"},
    edit(
        {
            "return fused": "return {one: value / sum(one in ranking for ranking in rankings) for one, value in fused.items()}"
        },
        says="Your numbers are means over the rankings that have the document. So a document that a single ranking knows loses nothing by that. The sum is asked for.",
    ),
)

fuse.mistake(
    "missing documents stand last",
    "A document that a ranking does not have gets something for it all the same, as if it stood behind the last. It adds nothing.",
    {
        "for ranking in rankings:": "for ranking in rankings:\n        for one in dict.fromkeys(one for other in rankings for one in other if one not in ranking):\n            fused[one] = fused.get(one, 0.0) + 1 / (k + len(ranking) + 1)"
    },
)

fuse.mistake(
    "the worst first",
    "You count the ranks from the end: the last document has rank 1. Each ranking begins with the best.",
    {START: "enumerate(reversed(ranking), start=1)"},
)

fuse.mistake(
    "the ranks are added up",
    "You add up k + rank, without a fraction. So the worst document gets the most, and one that several rankings know is punished for it. Add 1 / (k + rank).",
    {TERM: "0.0) + (k + rank)"},
    edit(
        {TERM: "0.0) + rank"},
        says="You add up the ranks themselves. So the worst document gets the most. Add 1 / (k + rank).",
    ),
)

fuse.mistake(
    "one fraction of all ranks",
    "You add up the ranks of a document, and take one fraction of the sum. A document that more rankings know then gets less. Take a fraction of each rank, and add these up.",
    {
        TERM: "0.0) + (k + rank)",
        "return fused": "return {one: 1 / value for one, value in fused.items()}",
    },
    {
        TERM: "0.0) + rank",
        "return fused": "return {one: 1 / (k + value) for one, value in fused.items()}",
    },
)

fuse.mistake(
    "only what all rankings have",
    "You keep only the documents that every ranking has. One that a single search has found is worth something, too.",
    {
        "return fused": "return {one: value for one, value in fused.items() if all(one in ranking for ranking in rankings)}"
    },
)

fuse.mistake(
    "the first ranking alone",
    "You read the first ranking, and none of the others. Add up over all of them: is the `return` inside the loop?",
    {"for ranking in rankings:": "for ranking in rankings[:1]:"},
)

fuse.mistake(
    "the worst ranking alone",
    "You keep the smallest number of each document. Add up.",
    {ADDED: "fused[document] = min(fused.get(document, float('inf')), 1 / (k + rank))"},
)

fuse.mistake(
    "ranks go on over the rankings",
    "Your ranks go on where the ranking before has ended. Each ranking begins at 1.",
    {
        START: "enumerate(ranking, start=1 + sum(len(one) for one in rankings[: next(at for at, one in enumerate(rankings) if one is ranking)]))"
    },
)

fuse.mistake(
    "a document's number taken for its rank",
    "You take the number of the document for its rank. The rank is the place at which it stands in the ranking.",
    {TERM: "0.0) + 1 / (k + document)"},
)

fuse.mistake(
    "points by the length of the ranking",
    "You give points from the length of the ranking down. So a long ranking says more than a short one. The rank decides alone: 1 / (k + rank).",
    {TERM: "0.0) + (len(ranking) - rank + 1)"},
    {TERM: "0.0) + (len(ranking) - rank)"},
)

fuse.mistake(
    "scaled",
    "Your numbers are divided by the largest of them. The sums are asked for as they are.",
    {"return fused": "return {one: value / max(fused.values()) for one, value in fused.items()}"},
    edit(
        {"return fused": "return {one: value / sum(fused.values()) for one, value in fused.items()}"},
        says="Your numbers are divided by the sum of all of them. The sums over the rankings are asked for as they are.",
    ),
)

fuse.mistake(
    "a list, not a dict",
    "You return the documents in a list, the best first. Their numbers are asked for: a dict, document → sum.",
    {"return fused": "return sorted(fused, key=lambda one: -fused[one])"},
    edit(
        {"return fused": "return list(fused)"},
        says="You return the documents in a list. Their numbers are asked for: a dict, document → sum.",
    ),
    edit(
        {"return fused": "return list(fused.items())"},
        says="You return a list of pairs. A dict is asked for, document → sum: return it as it is.",
    ),
    edit(
        {"return fused": "return sorted(fused.items(), key=lambda pair: -pair[1])"},
        says="You return a list of pairs. A dict is asked for, document → sum; `dict(...)` makes one of the pairs.",
    ),
    edit(
        {"return fused": "return list(fused.values())"},
        says="You return the sums in a list, and whose they are is lost. A dict is asked for, document → sum.",
    ),
)

fuse.mistake(
    "the last ranking is lost",
    "The last ranking is left out. All of them count.",
    {"for ranking in rankings:": "for ranking in rankings[:-1]:"},
    edit(
        {"for ranking in rankings:": "for ranking in rankings[1:]:"},
        says="The first ranking is left out. All of them count.",
    ),
)

fuse.mistake(
    "the worth falls in another way",
    "A rank is worth 1 / (k + rank), and with you its worth falls in another way: by a square, a root, a logarithm, a power of e, or by what place in its ranking it has. Take the formula as it stands.",
    {TERM: "0.0) + 1 / (k + rank) ** 2"},
    {TERM: "0.0) + 1 / (k + rank) ** 0.5"},
    {TERM: "0.0) + 1 / __import__('math').log(k + rank + 1)"},
    {TERM: "0.0) + __import__('math').exp(-rank / max(k, 1))"},
    {TERM: "0.0) + __import__('math').exp(-rank / (k + 1))"},
    {TERM: "0.0) + 1 / __import__('math').log(k + rank + 2)"},
    {TERM: "0.0) + 1 / __import__('math').log2(k + rank + 1)"},
    {TERM: "0.0) + 1 / (k + rank / len(ranking))"},
)

fuse.mistake(
    "times k",
    "Your numbers are k / (k + rank), or 1 / (k · rank). It is 1 / (k + rank): k is added to the rank, and stands nowhere else.",
    {TERM: "0.0) + k / (k + rank)"},
    {TERM: "0.0) + 1 / (k * rank)"},
)

fuse.mistake(
    "upside down",
    "Your numbers have a minus in front: the best document has the smallest. The larger, the better.",
    {SO_FAR: "fused.get(document, 0.0) - "},
)

fuse.mistake(
    "a product instead of a sum",
    "You multiply what the rankings give. A document that many of them have then falls behind one that a single ranking has. Add up.",
    {SO_FAR: "fused.get(document, 1.0) * "},
)

fuse.mistake(
    "rounded",
    "Your numbers are rounded. They lie close together, so that rounding makes ties: return them as they are.",
    *(
        {"return fused": f"return {{one: round(value, {places}) for one, value in fused.items()}}"}
        for places in (2, 3, 4)
    ),
)

fuse.mistake(
    "ranks for documents",
    "Your keys are ranks. What is promised is document → number: the sum stands under the number of the document.",
    {ADDED: "fused[rank] = fused.get(rank, 0.0) + 1 / (k + rank)"},
    edit(
        {ADDED: "fused[rank] = fused.get(rank, 0.0) + 1 / (k + document)"},
        says="Rank and document are exchanged: your keys are ranks, and the number of the document is what you add to k. `enumerate` gives the rank first, then the document.",
    ),
)

fuse.mistake(
    "texts for documents",
    "Your keys are texts, and the documents are whole numbers. Keep them as they came.",
    {ADDED: "fused[str(document)] = fused.get(str(document), 0.0) + 1 / (k + rank)"},
)

fuse.mistake(
    "begun anew with each ranking",
    "Only what the last ranking holds comes back: the dict is made anew for each ranking. Make it once, before the loop.",
    {"for ranking in rankings:": "for ranking in rankings:\n        fused = {}"},
)

fuse.mistake(
    "divided without a rest",
    "Your numbers are 0, or 1: `//` divides without a rest. Divide by `/`.",
    {TERM: "0.0) + 1 // (k + rank)"},
)

fuse.mistake(
    "another k where none is given",
    "Where nobody says a `k`, you take another number than 60.",
    *({"k: int = 60": f"k: int = {other}"} for other in (0, 1, 10, 50, 100)),
)

tf_idf.mistake(
    "the root of the counts",
    "You weigh the root of how often a term occurs. The count itself is asked for.",
    {COUNT: "counts[row, column[term]] = count**0.5"},
    {WEIGHED: "counts.sqrt() * weights"},
    edit(
        {WEIGHED: "(counts * weights).sqrt()"},
        says="You take the root of each count times its weight. The products are asked for as they are.",
    ),
)

tf_idf.mistake(
    "the weights are added",
    "You add the weights to the counts. Then every text has every term. Count times weight.",
    {WEIGHED: "counts + weights"},
)

tf_idf.mistake(
    "divided by the weights",
    "You divide by the weights, so that what stands in every text counts most. Count times weight.",
    {WEIGHED: "counts / weights"},
)

tf_idf.mistake(
    "a text is lost",
    "The last text has a row of zeros: the loop ends one text early.",
    {COUNT: "counts[row, column[term]] = count * (row + 1 < len(texts))"},
)

tf_idf.mistake(
    "another number in the fraction",
    "In the fraction another number than 1 is added above and below the line. It is (1 + n) / (1 + d).",
    {FRACTION: "(2 + len(texts)) / (2 + texts_with)"},
    {FRACTION: "(0.5 + len(texts)) / (0.5 + texts_with)"},
    edit(
        {FRACTION: f"{FRACTION} + 1"},
        says="Inside the logarithm 1 is added to the fraction. It is 1 + ln((1 + n) / (1 + d)): the 1 stands in front alone.",
    ),
)

tf_idf.mistake(
    "n is the number of all terms",
    "Your n counts all terms of all texts. It is the number of *texts*, as d is the number of texts that have the term.",
    {"len(texts)) /": "sum(map(len, texts))) /"},
    {"len(texts)) /": "counts.sum()) /"},
)

tf_idf.mistake(
    "shares of a softmax",
    "Your rows are shares of a softmax. Then every text has every term. Divide a row by its length.",
    {ROWS: f"({WEIGHED}).softmax(dim=1)"},
)

tf_idf.mistake(
    "the largest number is 1",
    "Each of your rows is divided by its largest number. Divide it by its length, so that a product of two rows is a cosine.",
    {ROWS: f"(lambda rows: rows / rows.amax(dim=1, keepdim=True).clamp(min=1e-12))({WEIGHED})"},
)

tf_idf.mistake(
    "rows and columns exchanged",
    "Your result is (terms, texts). A row belongs to a text: (texts, terms).",
    {ROWS: f"({ROWS}).T"},
)

tf_idf.mistake(
    "rounded",
    "Your numbers are rounded, so rows do not have length 1 any more. Round where you print.",
    *({ROWS: f"({ROWS}).round(decimals={places})"} for places in (2, 3)),
)

tf_idf.mistake(
    "lists instead of a tensor",
    "Your result is a list of lists. What is promised is a tensor, (texts, terms).",
    {ROWS: f"({ROWS}).tolist()"},
)

KNOWN = "if term in column:"

tf_idf.mistake(
    "unknown terms are counted",
    "Terms that the vocabulary does not have are counted in the last column: -1 is the end of a row, and no error. Pass over them: `if term in column`.",
    {KNOWN: "if True:", COUNT: "counts[row, column.get(term, -1)] += count"},
    edit(
        {KNOWN: "if True:", COUNT: "counts[row, column.get(term, 0)] += count"},
        says="Terms that the vocabulary does not have are counted in the first column. Pass over them: `if term in column`.",
    ),
    edit(
        {KNOWN: "if True:"},
        says="A term that the vocabulary does not have raises an error. Pass over it: `if term in column`.",
    ),
)

tf_idf.mistake(
    "the first term is taken for none",
    "The first term of the vocabulary is never counted: its column is 0, which counts as False where a condition asks `if column.get(term)`. Ask `if term in column`.",
    {KNOWN: "if column.get(term):"},
)

tf_idf.mistake(
    "the brackets of the fraction are lost",
    "In your fraction the brackets are lost: a division comes before a sum. It is (1 + n) / (1 + d), each sum in brackets of its own.",
    {WEIGHTS: "1 + torch.log(1 + len(texts) / (1 + texts_with))"},
    {WEIGHTS: "1 + torch.log((1 + len(texts)) / 1 + texts_with)"},
    {WEIGHTS: "1 + torch.log(1 + len(texts) / 1 + texts_with)"},
)

tf_idf.mistake(
    "unknown terms count in the length",
    "Terms that the vocabulary does not have are gone from your rows, and still count in their lengths: they were in a column of their own while the rows were normalized. Pass over them from the start: `if term in column`.",
    {ROWS: f"{WITH_UNKNOWN}[:, :-1]"},
    edit(
        {ROWS: WITH_UNKNOWN},
        says="Your rows have a column too many, for all terms that the vocabulary does not have. Pass over these: `if term in column`.",
    ),
)

tf_idf.mistake(
    "terms inside other terms are counted",
    "You look for a term in the letters of a text, so that `a` is also found inside of `ab`. A text is a list of terms: count those that are equal, `text.count(term)` of the list.",
    *(
        {
            "texts_with = ": f"counts = torch.tensor([[float({found}) for term in vocabulary] for text in texts]).view(len(texts), -1)\n    texts_with = "
        }
        for found in ("sum(term in one for one in text)", "' '.join(text).count(term)", "''.join(text).count(term)")
    ),
    *(
        {
            WEIGHED: f"torch.tensor([[float({found}) for term in vocabulary] for text in texts]).view(len(texts), -1) * weights"
        }
        for found in ("sum(term in one for one in text)", "' '.join(text).count(term)")
    ),
)

tf_idf.mistake(
    "texts without a known term are not in n",
    "Your n leaves out texts that have no known term. It is the number of all texts that were handed over.",
    {"len(texts)) /": "(counts.sum(dim=1) > 0).sum()) /"},
    {"len(texts)) /": "len([one for one in texts if one])) /"},
)

tf_idf.mistake(
    "what all texts have weighs nothing",
    "A term that stands in every text weighs 0 in your rows. By the formula it weighs 1, as 1 + ln 1: it counts, if little.",
    {WEIGHTS: f"({WEIGHTS}) * (texts_with < len(texts))"},
)

fuse.mistake(
    "the last of each ranking is lost",
    "The last document of each ranking is left out. A range ends in front of its end: all places count.",
    {START: "enumerate(ranking[:-1], start=1)"},
    edit(
        {START: "enumerate(ranking[1:], start=1)"},
        says="The first document of each ranking is left out, and the second has rank 1. The best document is the one at place 0 of the list, and has rank 1.",
    ),
    edit(
        {START: "enumerate(ranking[1:], start=2)"},
        says="The first document of each ranking is left out. The best document is the one at place 0 of the list, and has rank 1.",
    ),
)

fuse.mistake(
    "k documents of each ranking",
    "You read the first k documents of each ranking. Here k is no number of documents: it is added to each rank, and the larger it is, the less a first place is worth. All documents count.",
    {START: "enumerate(ranking[:k], start=1)"},
    {START: "enumerate(ranking[:k], start=1)", TERM: "0.0) + 1 / (60 + rank)"},
)

fuse.mistake(
    "cut to the shortest ranking",
    "You read each ranking only as far as the shortest of them goes: `zip` stops there. What stands behind counts too.",
    {START: "enumerate(ranking[: min(map(len, rankings))], start=1)"},
)

fuse.mistake(
    "documents that no ranking has",
    "Your result also has documents that stand in no ranking, with 0. Only those that some ranking has belong in it.",
    {"return fused": "return {one: fused.get(one, 0.0) for one in range(max(fused, default=-1) + 1)}"},
    {
        "return fused": "return {one: fused.get(one, 0.0) for one in range(min(fused, default=0), max(fused, default=-1) + 1)}"
    },
)

fuse.mistake(
    "tensors for numbers",
    "The sums of your dict are tensors. What is promised are numbers of Python's: document → float.",
    {"return fused": "return {one: __import__('torch').tensor(value) for one, value in fused.items()}"},
)

fuse.mistake(
    "changed on the way out",
    "The sums are right, and what you return is made of them: their places, their inverses, percent, or the sums times k. The sums are asked for as they are.",
    {"return fused": "return {one: 100 * value for one, value in fused.items()}"},
    {"return fused": "return {one: 1 / value for one, value in fused.items()}"},
    {"return fused": "return {one: (k + 1) * value for one, value in fused.items()}"},
    {
        "return fused": "return {one: place for place, one in enumerate(sorted(fused, key=lambda one: -fused[one]), start=1)}"
    },
)

fuse.mistake(
    "rankings count by their number",
    "You multiply what a ranking gives by its number among the rankings. All rankings count alike.",
    {TERM: "0.0) + (1 + next(at for at, one in enumerate(rankings) if one is ranking)) / (k + rank)"},
    {TERM: "0.0) + 1 / (1 + next(at for at, one in enumerate(rankings) if one is ranking)) / (k + rank)"},
)

fuse.mistake(
    "ranks do not go up by 1",
    "All documents of a ranking have rank 1 in your numbers: is the rank never raised? The best has rank 1, the next 2, and so on.",
    {START: "((1, document) for document in ranking)"},
    edit(
        {START: "((2 * place + 1, document) for place, document in enumerate(ranking))"},
        says="Your ranks go up by 2: 1, 3, 5. Is the rank raised in two places? The best document has rank 1, the next 2.",
    ),
    edit(
        {
            START: "((sum(one not in fused for one in ranking[:place]) + 1, document) for place, document in enumerate(ranking))"
        },
        says="Your ranks go up only behind documents that no ranking had before: is the raise inside of an `else`? Each document of a ranking has a rank of its own, 1, 2, 3, and so on.",
    ),
)

fuse.mistake(
    "the first time, a document gets nothing",
    "The first ranking that has a document adds nothing for it: it begins with 0 there, and only later rankings are added. Begin with 1 / (k + rank).",
    {ADDED: "fused[document] = fused[document] + 1 / (k + rank) if document in fused else 0.0"},
    edit(
        {ADDED: "fused[document] = fused[document] + 1 / (k + rank) if document in fused else 1.0"},
        says="The first ranking that has a document gives it a 1, whatever its rank. Begin with 1 / (k + rank).",
    ),
    edit(
        {ADDED: "fused[document] = fused[document] + 1 / (k + rank) if document in fused else 1.0 + 1 / (k + rank)"},
        says="Every sum is 1 too large: the first time, a document begins with 1. It begins with 0.",
    ),
)
