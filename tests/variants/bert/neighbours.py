"""Lesson 15: sentences that follow each other, and some that do not."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.variants import correct, disguise, slips, unlisted

NEXT = "next_sentences"
Documents = Sequence[Sequence[str]]


def refuse(documents: Documents) -> None:
    """The given ValueError."""
    if len(documents) < 2 or any(len(one) == 0 for one in documents):
        raise ValueError("too few")


# Trunks ----------------------------------------------------------------------------


def by_index(documents: Documents, draws: Iterator[float]) -> Any:
    """As BERT's own code goes through a document: by numbers."""
    refuse(documents)
    found = []
    for d in range(len(documents)):
        text = documents[d]
        for i in range(len(text) - 1):
            a, b = text[i], text[i + 1]
            keep = next(draws) < 0.5
            if keep is False:
                j = math.floor(next(draws) * (len(documents) - 1))
                if j >= d:
                    j += 1
                k = math.floor(next(draws) * len(documents[j]))
                b = documents[j][k]
            found.append((a, b, keep))
    return found


slips(
    NEXT,
    by_index,
    {
        "labels exchanged": {"(a, b, keep)": "(a, b, not keep)"},
        "the coin the wrong way round": {"next(draws) < 0.5": "next(draws) >= 0.5"},
        "a draw of 0.5 keeps the pair": {"next(draws) < 0.5": "next(draws) <= 0.5"},
        "false neighbours from the same document": [
            {
                "(len(documents) - 1))\n": "len(documents))\n",
                "                if j >= d:\n                    j += 1\n": "",
            },
            {"                if j >= d:\n                    j += 1\n": ""},
        ],
        "the first of the pair is replaced": {"b = documents[j][k]": "a = documents[j][k]"},
        "one draw for document and sentence": {
            "j = math.floor(next(draws) * (len(documents) - 1))": (
                "u = next(draws)\n                j = math.floor(u * (len(documents) - 1))"
            ),
            "math.floor(next(draws) * len(documents[j]))": "math.floor(u * len(documents[j]))",
        },
        "always the first sentence": [
            {"math.floor(next(draws) * len(documents[j]))": "0"},
            {"k = math.floor(next(draws) * len(documents[j]))": "next(draws)", "documents[j][k]": "documents[j][0]"},
        ],
        "the last one is never chosen": {"* len(documents[j]))": "* (len(documents[j]) - 1))"},
        "always True": {"(a, b, keep)": "(a, b, True)"},
        "replaced sentences are left out": [
            {"            found.append": "            if keep:\n                found.append"},
            {
                ("                j = math.floor(next(draws) * (len(documents) - 1))\n"): (
                    "                continue\n                j = math.floor(next(draws) * (len(documents) - 1))\n"
                )
            },
        ],
        "nothing is replaced": [{"b = documents[j][k]": "pass"}, {"if keep is False": "if keep is None"}],
        "every second pair": {"range(len(text) - 1)": "range(0, len(text) - 1, 2)"},
    },
)


def with_generator(documents: Documents, draws: Iterator[float]) -> Any:
    """A generator of pairs, and a helper that chooses."""
    refuse(documents)

    def pick(things: Any) -> Any:
        return things[int(next(draws) * len(things))]

    def pairs() -> Any:
        for at, document in enumerate(documents):
            rest = [other for number, other in enumerate(documents) if number != at]
            for before, after in itertools.pairwise(document):
                u = next(draws)
                if u < 0.5:
                    yield before, after, True
                else:
                    yield before, pick(pick(rest)), False

    return list(pairs())


slips(
    NEXT,
    with_generator,
    {
        "labels exchanged": {
            "before, after, True": "before, after, False",
            "pick(pick(rest)), False": "pick(pick(rest)), True",
        },
        "the coin the wrong way round": [{"u < 0.5": "u > 0.5"}, {"u < 0.5": "u >= 0.5"}],
        "a draw of 0.5 keeps the pair": {"u < 0.5": "u <= 0.5"},
        "false neighbours from the same document": [
            {" if number != at": ""},
            {"pick(pick(rest))": "(next(draws), pick(document))[1]"},
        ],
        "only later documents, or only earlier ones": [
            {" if number != at]": " if number > at] or list(documents[:at])"},
            {" if number != at]": " if number < at] or list(documents[at + 1 :])"},
        ],
        "the others in another order": {
            "enumerate(documents) if number != at]": "reversed(list(enumerate(documents))) if number != at]"
        },
        "the first of the pair is replaced": {"yield before, pick(pick(rest))": "yield pick(pick(rest)), after"},
        "the last one is never chosen": {"* len(things)": "* (len(things) - 1)"},
        "rounded to the nearest": {"int(next(draws) * len(things))": "round(next(draws) * (len(things) - 1))"},
        "always True": {"pick(pick(rest)), False": "pick(pick(rest)), True"},
        "documents alike are taken for one": {"if number != at": "if other != document"},
        "all draws are taken": {"    return list(pairs())": "    draws = iter(list(draws))\n    return list(pairs())"},
        "every second pair": {"itertools.pairwise(document)": "zip(document[::2], document[1::2])"},
        "nothing is replaced": {"pick(pick(rest)), False": "after, pick(pick(rest)) == ''"},
        "three draws for every pair": {
            "yield before, after, True": (
                "next(draws)\n                    next(draws)\n                    yield before, after, True"
            )
        },
        "replaced sentences are left out": {"yield before, pick(pick(rest)), False": "pick(pick(rest))"},
    },
)


def with_a_stack(documents: Documents, draws: Iterator[float]) -> Any:
    """Every document is taken out while its own pairs are made."""
    refuse(documents)
    result: list[Any] = []
    for position, sentences in enumerate(documents):
        remaining = list(documents)
        del remaining[position]
        previous = sentences[0]
        for sentence in sentences[1:]:
            coin = next(draws)
            is_next = coin < 0.5
            candidate = sentence
            if not is_next:
                number = next(draws)
                chosen = remaining[int(number * len(remaining))]
                place = next(draws)
                candidate = chosen[int(place * len(chosen))]
            result += [(previous, candidate, is_next)]
            previous = sentence
    return result


slips(
    NEXT,
    with_a_stack,
    {
        "labels exchanged": {"is_next)]": "not is_next)]"},
        "the coin the wrong way round": {"coin < 0.5": "coin >= 0.5"},
        "false neighbours from the same document": [
            {"        del remaining[position]\n": ""},
            {"del remaining[position]": "remaining = [sentences]"},
        ],
        "documents alike are taken for one": {"del remaining[position]": "remaining.remove(sentences)"},
        "one draw for document and sentence": [
            {"place = next(draws)": "place = number"},
            {"number = next(draws)": "number = coin", "place = next(draws)": "place = coin"},
        ],
        "the draws exchanged": {
            "number = next(draws)": "place = next(draws)\n                number = next(draws)",
            "                place = next(draws)\n                candidate": "                candidate",
        },
        "three draws for every pair": {
            "coin = next(draws)": "coin, number, place = next(draws), next(draws), next(draws)",
            "                number = next(draws)\n": "",
            "                place = next(draws)\n": "",
        },
        "always the first sentence": {"chosen[int(place * len(chosen))]": "chosen[0]"},
        "the last one is never chosen": [
            {
                "number * len(remaining)": "number * (len(remaining) - 1)",
                "place * len(chosen)": "place * (len(chosen) - 1)",
            },
            {"number * len(remaining)": "number * (len(remaining) - 1)"},
        ],
        "rounded to the nearest": {
            "int(number * len(remaining))": "round(number * (len(remaining) - 1))",
            "int(place * len(chosen))": "round(place * (len(chosen) - 1))",
        },
        "always True": {"is_next)]": "True)]"},
        "the label by comparing sentences": {"is_next)]": "candidate == sentence)]"},
        "nothing is replaced": {"candidate, is_next)]": "sentence, is_next)]"},
        "labels exchanged + the last one is never chosen": {
            "place * len(chosen)": "place * (len(chosen) - 1)",
            "is_next)]": "not is_next)]",
        },
    },
)


# In full ----------------------------------------------------------------------------

Choose = Callable[[Documents, int, Iterator[float]], str]


def of(things: Sequence[Any], u: float) -> Any:
    """Number ⌊u · n⌋."""
    return things[math.floor(u * len(things))]


def rest(documents: Documents, number: int) -> list[Sequence[str]]:
    """All but one."""
    return [*itertools.islice(documents, number), *itertools.islice(documents, number + 1, None)]


def strange(documents: Documents, number: int, draws: Iterator[float]) -> str:
    """A sentence of another document."""
    return of(of(rest(documents, number), next(draws)), next(draws))


def places(documents: Documents) -> list[tuple[int, int]]:
    """Where the pairs begin."""
    return [(number, place) for number, one in enumerate(documents) for place in range(len(one) - 1)]


def made(
    choose: Choose = strange,
    keeps: Callable[[float], bool] = lambda u: u < 0.5,
    label: Callable[[bool], bool] = bool,
    where: Callable[[Documents], list[tuple[int, int]]] = places,
) -> Callable[..., Any]:
    """An implementation in which these parts are replaced."""

    def pairs(documents: Documents, draws: Iterator[float]) -> Any:
        refuse(documents)
        found = []
        for number, place in where(documents):
            first, second = documents[number][place : place + 2]
            stays = keeps(next(draws))
            found.append((first, second if stays else choose(documents, number, draws), label(stays)))
        return found

    return pairs


correct(NEXT)(made())
disguise(NEXT, "labels exchanged")(made(label=lambda stays: not stays))
disguise(NEXT, "the coin the wrong way round")(made(keeps=lambda u: not u < 0.5))
disguise(NEXT, "a draw of 0.5 keeps the pair")(made(keeps=lambda u: not u > 0.5))
disguise(NEXT, "another share is replaced")(made(keeps=lambda u: u < 0.85))
disguise(NEXT, "always True")(made(label=lambda stays: True))
disguise(NEXT, "every second pair")(made(where=lambda d: [one for one in places(d) if one[1] % 2 == 0]))
disguise(NEXT, "false neighbours from the same document")(made(lambda d, n, u: of(of(d, next(u)), next(u))))
disguise(NEXT, "false neighbours from the same document")(made(lambda d, n, u: of(d[n], next(u))))
disguise(NEXT, "only later documents, or only earlier ones")(
    made(lambda d, n, u: of(of(d[n + 1 :] or d[:n], next(u)), next(u)))
)
disguise(NEXT, "the others in another order")(made(lambda d, n, u: of(of((*d[n + 1 :], *d[:n]), next(u)), next(u))))
disguise(NEXT, "always the first sentence")(made(lambda d, n, u: of(rest(d, n), next(u))[0]))
disguise(NEXT, "nothing is replaced")(made(keeps=lambda u: True))


@disguise(NEXT, "one draw for document and sentence")
def n_one(documents: Documents, draws: Iterator[float]) -> Any:
    def choose(all_of: Documents, number: int, numbers: Iterator[float]) -> str:
        u = next(numbers)
        return of(of(rest(all_of, number), u), u)

    return made(choose)(documents, draws)


@disguise(NEXT, "the draws exchanged")
def n_exchanged(documents: Documents, draws: Iterator[float]) -> Any:
    def choose(all_of: Documents, number: int, numbers: Iterator[float]) -> str:
        u, v = next(numbers), next(numbers)
        return of(of(rest(all_of, number), v), u)

    return made(choose)(documents, draws)


@disguise(NEXT, "the last one is never chosen")
def n_last(documents: Documents, draws: Iterator[float]) -> Any:
    def choose(all_of: Documents, number: int, numbers: Iterator[float]) -> str:
        others = rest(all_of, number)
        other = others[int((len(others) - 1) * next(numbers))]
        return other[int((len(other) - 1) * next(numbers))]

    return made(choose)(documents, draws)


@disguise(NEXT, "rounded to the nearest")
def n_rounded(documents: Documents, draws: Iterator[float]) -> Any:
    def choose(all_of: Documents, number: int, numbers: Iterator[float]) -> str:
        others = rest(all_of, number)
        other = others[min(len(others) - 1, int(0.5 + len(others) * next(numbers)))]
        return other[min(len(other) - 1, int(0.5 + len(other) * next(numbers)))]

    return made(choose)(documents, draws)


@disguise(NEXT, "the first of the pair is replaced")
def n_first(documents: Documents, draws: Iterator[float]) -> Any:
    found = made()(documents, draws)
    true = [documents[number][place + 1] for number, place in places(documents)]
    return [(a if stays else b, then, stays) for (a, b, stays), then in zip(found, true, strict=True)]


@disguise(NEXT, "three draws for every pair")
def n_three(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number, place in places(documents):
        coin, u, v = itertools.islice(draws, 3)
        true = documents[number][place + 1]
        second = true if coin < 0.5 else of(of(rest(documents, number), u), v)
        found.append((documents[number][place], second, coin < 0.5))
    return found


@disguise(NEXT, "all draws are taken")
def n_greedy(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    kept = list(draws)[::-1]
    return made()(documents, iter(kept.pop, None))


@disguise(NEXT, "the label by comparing sentences")
def n_compared(documents: Documents, draws: Iterator[float]) -> Any:
    found = made()(documents, draws)
    true = [documents[number][place + 1] for number, place in places(documents)]
    return [(a, b, b == then) for (a, b, _), then in zip(found, true, strict=True)]


@disguise(NEXT, "documents alike are taken for one")
def n_alike(documents: Documents, draws: Iterator[float]) -> Any:
    def choose(all_of: Documents, number: int, numbers: Iterator[float]) -> str:
        others = [one for one in all_of if list(one) != list(all_of[number])]
        return of(of(others, next(numbers)), next(numbers))

    return made(choose)(documents, draws)


@disguise(NEXT, "replaced sentences are left out")
def n_left_out(documents: Documents, draws: Iterator[float]) -> Any:
    return [pair for pair in made()(documents, draws) if pair[2]]


@disguise(NEXT, "pairs across documents")
def n_across(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    line = [(number, one) for number, document in enumerate(documents) for one in document]
    found = []
    for (number, first), (_, second) in itertools.pairwise(line):
        stays = next(draws) < 0.5
        found.append((first, second if stays else strange(documents, number, draws), stays))
    return found


@correct(NEXT)
def n_lists(documents: Documents, draws: Iterator[float]) -> Any:
    """Lists instead of tuples, from a while loop."""
    refuse(documents)
    todo, found = places(documents), []
    while todo:
        number, place = todo.pop(0)
        stays = next(draws) < 0.5
        second = documents[number][place + 1] if stays else strange(documents, number, draws)
        found.append([documents[number][place], second, stays])
    return found


@disguise(NEXT, "documents alike are taken for one")
def n_by_object(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for text in documents:
        for a, b in itertools.pairwise(text):
            if keep := next(draws) < 0.5:
                pass
            else:
                far = [one for one in documents if id(one) != id(text)]
                other = far[int(len(far) * next(draws))]
                b = other[int(len(other) * next(draws))]
            found.append((a, b, keep))
    return found


@disguise(NEXT, "both kinds for every sentence")
def n_true_as_well(documents: Documents, draws: Iterator[float]) -> Any:
    taken = by_index(documents, draws)
    true = [pair for text in documents for pair in itertools.pairwise(text)]
    found = []
    for one, (a, b) in zip(taken, true, strict=True):
        found += [one] if one[2] else [(a, b, True), one]
    return found


unlisted(NEXT)(made(where=lambda d: places(d)[::-1]))
unlisted(NEXT)(made(lambda d, n, u: of(of(rest(d, n), next(u)), next(u)).upper()))
unlisted(NEXT)(made(lambda d, n, u: of(of(rest(d, n), next(u)), next(u) ** 2)))
unlisted(NEXT)(made(keeps=lambda u: u < 0.4))
disguise(NEXT, "the others in another order")(made(lambda d, n, u: of(of(rest(d, n), next(u)), 1 - next(u) - 1e-9)))


@disguise(NEXT, "one draw among all other sentences")
def n_flat(documents: Documents, draws: Iterator[float]) -> Any:
    return made(lambda d, n, u: of(list(itertools.chain(*rest(d, n))), next(u)))(documents, draws)


@disguise(NEXT, "the last sentence goes with the first")
def n_round(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number, one in enumerate(documents):
        for place in range(len(one)):
            stays = next(draws) < 0.5
            second = one[(place + 1) % len(one)] if stays else strange(documents, number, draws)
            found.append((one[place], second, stays))
    return found


@disguise(NEXT, "the pairs turned round")
def n_turned(documents: Documents, draws: Iterator[float]) -> Any:
    return [(b, a, stays) for a, b, stays in made()(documents, draws)]


@disguise(NEXT, "both kinds for every sentence")
def n_both(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number, place in places(documents):
        first, second = documents[number][place : place + 2]
        found += [(first, second, True), (first, strange(documents, number, draws), False)]
    return found


@disguise(NEXT, "drawn again until it is another")
def n_again(documents: Documents, draws: Iterator[float]) -> Any:
    def choose(all_of: Documents, number: int, numbers: Iterator[float]) -> str:
        while True:
            at = math.floor(len(all_of) * next(numbers))
            if at != number:
                return of(all_of[at], next(numbers))

    return made(choose)(documents, draws)


@disguise(NEXT, "one draw for a whole document")
def n_per_document(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number, one in enumerate(documents):
        stays = next(draws) < 0.5
        for first, second in itertools.pairwise(one):
            found.append((first, second if stays else strange(documents, number, draws), stays))
    return found


@disguise(NEXT, "a pair of each document is lost")
def without_the_last(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for d, text in enumerate(documents):
        others = [one for e, one in enumerate(documents) if e != d]
        for i in range(len(text) - 2):
            if next(draws) < 0.5:
                found.append((text[i], text[i + 1], True))
            else:
                other = others[int(next(draws) * len(others))]
                found.append((text[i], other[int(next(draws) * len(other))], False))
    return found


@disguise(NEXT, "the pairs in another order")
def in_alphabetical_order(documents: Documents, draws: Iterator[float]) -> Any:
    return sorted(by_index(documents, draws))
