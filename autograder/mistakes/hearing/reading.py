"""Wrong ways of reading a text off the CTC head."""

import torch
from torch import Tensor

from autograder.checks.hearing.reading import ctc_greedy
from autograder.probing.mistake import Way, edit

MERGED = "merged = torch.unique_consecutive(best[real]).tolist()"
KEPT = "texts.append([token for token in merged if token != blank])"

ctc_greedy.mistake(
    "blanks dropped before repeats are merged",
    "You drop the blanks first, and merge what then stands side by side. So `a _ a` becomes one a, and no text can have a key twice in a row. Merge first: the blank is there to keep equal tokens apart.",
    {"best[real]": "(read := best[real])[read != blank]"},
)

ctc_greedy.mistake(
    "the padding is read",
    "You read the vectors of the padding too, so a short sound gets tokens from behind its end. Only real vectors: `best[real]`.",
    {", mask, strict": ", torch.ones_like(mask), strict"},
    edit(
        {"best[real]": "best[: int(real.sum()) + 1]"},
        says="You read the first vector behind the end of a sound too. `row[:n]` has n vectors, those from 0 to n - 1.",
    ),
    edit(
        {MERGED: "merged = torch.unique_consecutive(best).tolist()[: int(real.sum())]"},
        says="You merge first, the padding with the rest, and then keep as many tokens as there are real vectors. When repeats are one, tokens and vectors no longer count alike. First take the real vectors, `best[real]`.",
    ),
    edit(
        {
            KEPT: "merged = torch.unique_consecutive(best).tolist()\n        texts.append([token for token in merged if token != blank][: int(real.sum())])"
        },
        says="You merge and drop the blanks first, those of the padding with the rest, and then keep as many tokens as there are real vectors. By then tokens and vectors no longer count alike. First take the real vectors, `best[real]`.",
    ),
)

ctc_greedy.mistake(
    "the mask is turned round",
    "You read the padding, and leave the sound out. True means real: `best[real]`.",
    {"best[real]": "best[~real]"},
)

ctc_greedy.mistake(
    "the padding becomes token 0",
    "Vectors of the padding count as token 0 with you, which is not the blank. Leave them out, `best[real]`, or take them for blanks.",
    {"best[real]": "best * real"},
    edit(
        {"best[real]": "best.masked_fill(~real, -1)"},
        says="Vectors of the padding count as a token -1 with you, and it stands in your text. Leave them out, `best[real]`, or take them for blanks.",
    ),
)

ctc_greedy.mistake(
    "the first blank ends the text",
    "Your text ends at the first blank. A blank says that nothing new is there; the text goes on behind it. Skip the blank and read on.",
    {KEPT: "texts.append(merged[: merged.index(blank)] if blank in merged else merged)"},
    {
        KEPT: "merged = merged[merged[:1] == [blank] :]\n        texts.append(merged[: merged.index(blank)] if blank in merged else merged)"
    },
)

ctc_greedy.mistake(
    "repeats are not merged",
    "Tokens that repeat stand in your text as often as there are vectors. A key lasts for several vectors: of those that repeat without a break, one stays.",
    {"torch.unique_consecutive(best[real])": "best[real]"},
)

ctc_greedy.mistake(
    "blanks are kept",
    "The blanks stand in your text. A blank is no token of it: drop it, when repeats are merged.",
    {"[token for token in merged if token != blank]": "merged"},
    edit(
        {KEPT: KEPT.replace("!= blank", "== blank")},
        says="You keep the blanks, and drop all else. It is the other way round: `token != blank`.",
    ),
)

ctc_greedy.mistake(
    "a token only once",
    "Each token comes only once in a text of yours. Only repeats *without a break* are one: `torch.unique_consecutive`, not `unique` or a set.",
    {
        "torch.unique_consecutive": "(lambda row: torch.tensor(list(dict.fromkeys(row.tolist())), dtype=row.dtype))",
    },
    {"torch.unique_consecutive": "torch.unique"},
)

ctc_greedy.mistake(
    "the blank is taken to be 0",
    "You take token 0 for the blank, whatever `blank` says.",
    {KEPT: KEPT.replace("!= blank", "!= 0")},
)

ctc_greedy.mistake(
    "the last token is taken for the blank",
    "You take the last token of the vocabulary for the blank, whatever `blank` says.",
    {KEPT: KEPT.replace("!= blank", "!= log_probs.size(-1) - 1")},
)

ctc_greedy.mistake(
    "the last vector is lost",
    "The last real vector is not read. It may hold the last key.",
    {"best[real]": "best[real][:-1]"},
    {"best[real]": "best[: int(real.sum()) - 1]"},
    edit(
        {"best[real]": "best[:-1][real[:-1]]"},
        says="The last vector of the batch is not read, so the longest sound lacks it. It may hold the last key.",
    ),
    edit(
        {"best[real]": "best[real][1:]"},
        says="The first vector is not read. It may hold the first key.",
    ),
)


def flattened(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    """Each vector beside the one before it in the whole batch."""
    best = log_probs.argmax(dim=-1)
    before = torch.cat([best.new_tensor([-1]), best.flatten()[:-1]]).view_as(best)
    return [row[keep].tolist() for row, keep in zip(best, (best != before) & (best != blank) & mask, strict=True)]


ctc_greedy.mistake(
    "merged across sounds",
    "A sound that begins with what the one before it ended with loses its first token: you merge across the border. Each sound is read for itself, and begins with nothing before it.",
    {
        "texts = []": "texts, before = [], []",
        KEPT: f"ends, merged = merged[-1:], merged[merged[:1] == before :]\n        before = ends or before\n        {KEPT}",
    },
    flattened,
)

ctc_greedy.mistake(
    "a 0 at the front is lost",
    "A text that begins with token 0 lacks it, though 0 is not the blank. Does your comparison begin as if a 0 stood before the first vector? Nothing stands there: None, or the blank.",
    {MERGED: MERGED + "\n        merged = merged[merged[:1] == [0] :]"},
)

ctc_greedy.mistake(
    "what is said first is lost",
    "What a sound says first is lost, up to the first change. The first vector has none before it to differ from, and counts nevertheless.",
    {MERGED: MERGED + "\n        merged = merged[1:]"},
    {"best[real]": "(read := best[real])[(read != read[:1]).cumsum(dim=0) > 0]"},
    edit(
        {
            MERGED: MERGED
            + "\n        merged = merged[1:] if len(best[real]) and best[real][0] == best[real][-1] else merged"
        },
        says="You compare the first vector with the last one: place -1 is the end of a row. A text that ends as it begins then lacks what is said first. Before the first vector there is none.",
    ),
    edit(
        {MERGED: MERGED + "\n        merged = merged[1:] if real.all() and best[0] == best[-1] else merged"},
        says="You compare the first vector with the last one of its row: `roll` brings round what falls out at the end. A text that ends as it begins then lacks what is said first. Before the first vector there is none.",
    ),
)


def beside_the_sound_before(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    """Each vector beside the same vector of the sound before it."""
    best = log_probs.argmax(dim=-1)
    before = torch.cat([torch.full_like(best[:1], -1), best[:-1]])
    return [row[keep].tolist() for row, keep in zip(best, (best != before) & (best != blank) & mask, strict=True)]


def beside_the_padding(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    """Of tokens that repeat the last one, which may repeat in the padding."""
    best = log_probs.argmax(dim=-1)
    after = torch.cat([best[:, 1:], torch.full_like(best[:, :1], -1)], dim=1)
    return [row[keep].tolist() for row, keep in zip(best, (best != after) & (best != blank) & mask, strict=True)]


ctc_greedy.mistake(
    "merged with another neighbour",
    "You compare each vector with the same vector of the sound before it: the batch is dimension 0. Repeats are merged along the vectors, dimension 1.",
    beside_the_sound_before,
    Way(
        instead=beside_the_padding,
        says="You compare each vector with the next one, and the last real one with the padding. Where the padding says the same, the last token is lost. Compare with the vector before.",
    ),
)

ctc_greedy.mistake(
    "what is said last is lost",
    "What a sound says last is lost, from the last change on. No other token comes after it to end it, and it counts nevertheless.",
    {MERGED: MERGED + "\n        merged = merged[:-1]"},
)

ctc_greedy.mistake(
    "the text backwards",
    "Your text runs from the last token to the first. The first vector comes first: `append`, and not `insert(0, ...)`.",
    {KEPT: KEPT.replace("])", "][::-1])")},
)

ctc_greedy.mistake(
    "the last token is taken off",
    "The last token of each text is taken off. There is no end token here: CTC ends where the sound ends.",
    {KEPT: KEPT.replace("])", "][:-1])")},
    edit(
        {KEPT: KEPT.replace("])", "][1:])")},
        says="The first token of each text is taken off. There is no start token here: CTC begins where the sound begins.",
    ),
)

ctc_greedy.mistake(
    "tensors instead of numbers",
    "Your tokens are tensors. A list of whole numbers is promised for each sound: `.tolist()`, or `.item()` of each.",
    {KEPT: "texts.append([torch.tensor(token) for token in merged if token != blank])"},
    edit(
        {KEPT: "texts.append(torch.tensor([token for token in merged if token != blank], dtype=torch.long))"},
        says="Your texts are tensors. A list of whole numbers is promised for each sound: `.tolist()`.",
    ),
    edit(
        {KEPT: "texts.append(torch.tensor([token for token in merged if token != blank]))"},
        says="Your texts are tensors. A list of whole numbers is promised for each sound: `.tolist()`.",
    ),
)

BEST = "log_probs.argmax(dim=-1)"

ctc_greedy.mistake(
    "the likeliest vector of each token",
    "You take the largest score along the vectors, so that each token says which vector has most of it. Along the tokens is asked for, `dim=-1`: which token is likeliest at each vector?",
    *({BEST: "log_probs.argmax(dim=1)", "best[real]": read} for read in ("best[: int(real.sum())]", "best")),
)

ctc_greedy.mistake(
    "only what is likely enough",
    "Where no token has a probability of one half you say blank. The likeliest token is asked for, however likely it is: its score alone says nothing, as any scores may be given.",
    {BEST: f"{BEST}.masked_fill(log_probs.exp().amax(dim=-1) < 0.5, blank)"},
)

ctc_greedy.mistake(
    "the blank cannot win",
    "You take the likeliest of the tokens without the blank, so that every vector says something. Where the blank is likeliest nothing new is there: take the likeliest of all, then merge, then drop the blanks.",
    {BEST: "log_probs.index_fill(-1, torch.tensor([blank]), -1e30).argmax(dim=-1)"},
)

ctc_greedy.mistake(
    "all texts in one list",
    "Your tokens stand in one list, and nobody can tell where a text ends. A list for each sound: `append`, and not `extend`.",
    {KEPT: KEPT.replace("append", "extend")},
)


def is_another(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    """Tokens are compared with the one before by `is`."""
    texts = []
    for best, real in zip(log_probs.argmax(dim=-1), mask, strict=True):
        heard = best[real].tolist()
        before = [None, *heard]
        texts.append([one for last, one in zip(before, heard, strict=False) if one is not last and one != blank])
    return texts


ctc_greedy.mistake(
    "one list for all sounds",
    "All sounds share one list, and each of your texts holds what all of them said: the list is made once, before the loop, or `[[]] * n` repeats one and the same. Make a new list for each sound.",
    {
        KEPT: "kept = [token for token in merged if token != blank]\n        texts = [[*(texts[0] if texts else []), *kept] for _ in range(len(texts) + 1)]"
    },
)

ctc_greedy.mistake(
    "a sound without a text is left out",
    "A sound of which nothing is read has no list with you, so the texts behind it belong to other sounds. Its text is empty: append it nevertheless.",
    {KEPT: "texts += [kept] if (kept := [token for token in merged if token != blank]) else []"},
    edit(
        {MERGED: f"if not real.any():\n            continue\n        {MERGED}"},
        says="A sound of padding alone has no list with you, so the texts behind it belong to other sounds. Its text is empty: append it nevertheless.",
    ),
    edit(
        {KEPT: "texts.append([token for token in merged if token != blank] or [blank])"},
        says="A sound of which nothing is read gets a blank for its text. Its text is empty.",
    ),
    edit(
        {KEPT: "texts.append([token for token in merged if token != blank] or None)"},
        says="A sound of which nothing is read gets None for its text. Its text is an empty list.",
    ),
)

ctc_greedy.mistake(
    "filled up to one length",
    "Your texts are filled up with blanks to one length. Each ends where it ends, and blanks are no tokens of it.",
    {
        "return texts": "longest = max((len(text) for text in texts), default=0)\n    return [text + [blank] * (longest - len(text)) for text in texts]"
    },
    edit(
        {
            "return texts": "return [text + [blank] * (int(real.sum()) - len(text)) for text, real in zip(texts, mask, strict=True)]"
        },
        says="Your texts are filled up with blanks, to as many tokens as there are real vectors. Each ends where it ends, and blanks are no tokens of it.",
    ),
)

ctc_greedy.mistake(
    "the same number is taken for another",
    "You compare with `is`, which asks for the same object and not for the same number. Up to 256 Python keeps one object for each number; above that your blanks are not found. Compare with `!=`.",
    {KEPT: KEPT.replace("!=", "is not")},
    is_another,
)

ctc_greedy.mistake(
    "one text alone",
    "You return when the first sound is read. Does `return` stand within the loop? All sounds are to be read.",
    {KEPT: f"{KEPT}\n        return texts"},
    {KEPT: f"{KEPT}\n        return texts", "\n    return texts\n": "\n    return None\n"},
    edit(
        {"return texts": "return texts[0]"},
        says="You return the text of one sound, as a list of tokens. All sounds are asked for: a list of lists.",
    ),
    *(
        edit(
            {"return texts": f"return texts[0] if texts else {otherwise}"},
            says="You return the text of one sound, as a list of tokens. All sounds are asked for: a list of lists.",
        )
        for otherwise in ("texts", "None")
    ),
)

ctc_greedy.mistake(
    "the least likely",
    "You take the least likely token at each vector. Of logarithms, too, the largest is the likeliest: `argmax`.",
    {"log_probs.argmax(dim=-1)": "log_probs.argmin(dim=-1)"},
    {"log_probs.argmax(dim=-1)": "log_probs.abs().argmax(dim=-1)"},
)
