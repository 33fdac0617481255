"""Wrong ways of pairing neighbours."""

from autograder.checks.bert import next_sentences
from autograder.probing.mistake import edit

OTHERS = "others = [*documents[:number], *documents[number + 1 :]]"
NEIGHBOURS = "pairwise(document)"
COIN = "is_next = next(draws) < 0.5"
CHANGE = "if not is_next:"
OTHER = "other = others[int(next(draws) * len(others))]"
SENTENCE = "second = other[int(next(draws) * len(other))]"
APPEND = "pairs.append((first, second, is_next))"
LOOP = f"for first, second in {NEIGHBOURS}:"
UP = "-int(-next(draws) * len({0}) // 1) - 1"

next_sentences.mistake(
    "labels exchanged",
    "Your labels are the wrong way round: True where the second was replaced. `is_next` says that the pair stands so in its document.",
    {APPEND: "pairs.append((first, second, not is_next))"},
)

next_sentences.mistake(
    "labels that are not True or False",
    "Your labels are numbers or words. `is_next` is True or False.",
    {APPEND: "pairs.append((first, second, int(is_next)))"},
    {APPEND: "pairs.append((first, second, 'IsNext' if is_next else 'NotNext'))"},
    {APPEND: "pairs.append((first, second, str(is_next)))"},
    edit(
        {APPEND: "pairs.append((first, second, int(not is_next)))"},
        says="Your labels are numbers, and 0 stands for a true neighbour, as in BERT's own code. Here `is_next` is True where the pair stands so in its document, and False otherwise.",
    ),
)

next_sentences.mistake(
    "not one tuple of three for each",
    "What you return has another form. Asked for is a list with one tuple for each pair: `(first, second, is_next)`.",
    edit(
        {APPEND: "pairs.append((first, second))"},
        says="Your pairs have no label. The third thing of each is `is_next`: True where the pair stands so in its document, False where the second was replaced.",
    ),
    edit(
        {APPEND: "pairs += [first, second, is_next]"},
        says="Sentences and labels stand one after another in a single list. `append` takes one tuple for each pair, `(first, second, is_next)`; `+=` and `extend` take its items apart.",
    ),
    edit(
        {APPEND: "pairs.append(((first, second), is_next))"},
        says="Your two sentences stand in a tuple of their own, beside the label. Asked for is one tuple of three: `(first, second, is_next)`.",
    ),
    edit(
        {"return pairs": "return tuple(list(one) for one in zip(*pairs)) or ([], [], [])"},
        says="You return three lists: first sentences, second ones, labels. Asked for is one list with a tuple for each pair: `(first, second, is_next)`.",
    ),
    edit(
        {"return pairs": "return [one[:2] for one in pairs], [one[2] for one in pairs]"},
        says="You return two lists: pairs of sentences, and labels. Asked for is one list with a tuple for each pair: `(first, second, is_next)`.",
    ),
    edit(
        {OTHERS: f"{OTHERS}\n        pairs.append([])", APPEND: "pairs[-1].append((first, second, is_next))"},
        says="Your pairs stand in a list of their own for each document. Asked for is one list for all of them: `extend` takes a list apart, `append` does not.",
    ),
)

next_sentences.mistake(
    "the coin the wrong way round",
    "A pair stays where its draw is 0.5 or more, and is replaced below. Half of them either way; but below 0.5 it stays, so that the same draws give the same pairs.",
    {COIN: "is_next = next(draws) >= 0.5"},
    {COIN: "is_next = next(draws) > 0.5"},
)

next_sentences.mistake(
    "another share is replaced",
    "Your coin has another border than 0.5, so that not half of the pairs are replaced. A pair stays where its draw is below 0.5.",
    *({COIN: f"is_next = next(draws) < {border}"} for border in (0.1, 0.15, 0.2, 0.25, 0.75, 0.8, 0.85, 0.9)),
)

next_sentences.mistake(
    "a draw of 0.5 keeps the pair",
    "A draw of exactly 0.5 keeps the pair. Only those *below* 0.5 do, so that both halves are equally wide.",
    {COIN: "is_next = next(draws) <= 0.5"},
)

next_sentences.mistake(
    "false neighbours from the same document",
    "What replaces the second may come from the same document. Such a sentence speaks of the same things, and may even be the true neighbour, with the label False. Choose among the *other* documents.",
    {OTHERS: "others = list(documents)"},
    edit(
        {OTHERS: "others = [document]"},
        says="What replaces the second always comes from the same document. Such a sentence speaks of the same things, and may even be the true neighbour, with the label False. Choose among the *other* documents.",
    ),
    edit(
        {OTHER: "other = document"},
        says="What replaces the second always comes from the same document. Such a sentence speaks of the same things, and may even be the true neighbour, with the label False. Choose among the *other* documents, with a draw of its own.",
    ),
    edit(
        {OTHERS: "others = documents[:-1]"},
        says="The last document is never chosen, and the document itself may be. The others are all but the one in which the pair stands.",
    ),
    edit(
        {
            OTHERS: "others = [*documents[: number + 1], *documents[number + 2 :]]\n        if number + 1 == len(documents):\n            others = others[:-1]"
        },
        says="The document itself may be chosen, and the one behind it never is. The others are all but the one in which the pair stands: is the step over it taken too late, at `>` instead of `>=`?",
    ),
    edit(
        {OTHERS: "others = [*documents[: number + 1], *documents[number + 2 :]]"},
        says="You leave out the document behind the one in which the pair stands, and not that one itself. The two slices are one place too far: `documents[:number]` ends in front of it, `documents[number + 1 :]` begins behind it.",
    ),
    edit(
        {OTHERS: "others = documents[1:]"},
        says="The first document is never chosen, and the document itself may be. The others are all but the one in which the pair stands.",
    ),
)

next_sentences.mistake(
    "only later documents, or only earlier ones",
    "What replaces the second comes from only one side: from documents that stand behind, or in front. The others are all but the document itself.",
    edit(
        {OTHERS: "others = list(documents[number + 1 :]) or list(documents[:number])"},
        says="What replaces the second comes only from documents that stand behind, as long as there are any. The others are all but the document itself, those in front included.",
    ),
    edit(
        {OTHERS: "others = documents[number + 1 :] or documents[:1]"},
        says="What replaces the second comes only from documents that stand behind, and where there are none from the first one. The others are all but the document itself, those in front included.",
    ),
    edit(
        {OTHERS: "others = list(documents[:number]) or list(documents[number + 1 :])"},
        says="What replaces the second comes only from documents that stand in front, as long as there are any. The others are all but the document itself, those behind included.",
    ),
    *(
        edit(
            {OTHER: f"{taken}other = documents[(number + 1) % len(documents)]"},
            says="What replaces the second always comes from the next document, whatever is drawn. The others are all but the document itself, and a draw chooses among them.",
        )
        for taken in ("", "next(draws)\n                ")
    ),
    *(
        edit(
            {OTHER: f"{taken}other = others[0]"},
            says="What replaces the second always comes from the first of the other documents, whatever is drawn. A draw chooses among all of them.",
        )
        for taken in ("", "next(draws)\n                ")
    ),
)

next_sentences.mistake(
    "the others in another order",
    "The other documents stand in another order: yours go on behind the document and come round to the start. The first of them is the first of all that is not the document itself.",
    {OTHERS: "others = [*documents[number + 1 :], *documents[:number]]"},
    {OTHERS: "others = [*documents[:number], *documents[number + 1 :]][::-1]"},
    edit(
        {SENTENCE: "second = other[::-1][int(next(draws) * len(other))]"},
        says="Sentence ⌊u · n⌋ is counted from the end of the other document. Its first has the number 0.",
    ),
    edit(
        {OTHERS: "others = list(documents)\n        others[number] = others[-1]\n        others.pop()"},
        says="The last document stands in the place of the document itself. The others keep their order, with one left out.",
    ),
)

next_sentences.mistake(
    "pairs across documents",
    "You pair the last sentence of a document with the first of the next one. They are no neighbours, and have the label True. A document's last sentence has nobody behind it.",
    {
        "pairs = []": "pairs = []\n    in_order = [one for document in documents for one in document]\n    at = 0",
        LOOP: "for _ in document:\n            at += 1\n            if at == len(in_order):\n                break\n            first, second = in_order[at - 1], in_order[at]",
    },
    {NEIGHBOURS: "pairwise([*(documents[number - 1][-1:] if number else ()), *document])"},
)

next_sentences.mistake(
    "a document is left out",
    "The sentences of one document begin no pair: your loop over the documents passes over it. Every sentence that has one behind it begins a pair.",
    edit(
        {"in enumerate(documents)": "in enumerate(documents[:-1])"},
        says="The sentences of the last document begin no pair: your loop over the documents ends one early. Every sentence that has one behind it begins a pair.",
    ),
    edit(
        {"in enumerate(documents)": "in list(enumerate(documents))[1:]"},
        says="The sentences of the first document begin no pair: your loop over the documents begins one late. Every sentence that has one behind it begins a pair.",
    ),
)

next_sentences.mistake(
    "the first sentence of all pairs",
    "The first sentence of a document stands in front of every other one. After each pair the next sentence moves up: first comes a sentence, then the one right behind it.",
    {NEIGHBOURS: "((document[0], one) for one in document[1:])"},
)

next_sentences.mistake(
    "what was put there begins the next pair",
    "A sentence that was put in from another document begins the next pair. It replaces the second of its own pair alone: the next one begins with what stands in the document.",
    {LOOP: "second = document[0]\n        for this in document[1:]:\n            first, second = second, this"},
)

next_sentences.mistake(
    "every second pair",
    "You pair the sentences two by two: the third with the fourth, but never the second with the third. Every sentence that has one behind it begins a pair.",
    {NEIGHBOURS: "zip(document[::2], document[1::2], strict=False)"},
    edit(
        {NEIGHBOURS: "zip(document, document[2:], strict=False)"},
        says="You pair a sentence with the one after the next. The second is the one right behind the first.",
    ),
)

next_sentences.mistake(
    "the first of the pair is replaced",
    "The first sentence is replaced, and the second stays. The question is what may follow the first one: that stays, and the second changes.",
    {SENTENCE: "first = other[int(next(draws) * len(other))]"},
)

next_sentences.mistake(
    "one draw for document and sentence",
    "One draw chooses both the document and the sentence of it. Then each document has only a few sentences that can come. Take a second number for the sentence.",
    {
        OTHER: "u = next(draws)\n                other = others[int(u * len(others))]",
        SENTENCE: "second = other[int(u * len(other))]",
    },
    edit(
        {
            COIN: "u = next(draws)\n            is_next = u < 0.5",
            OTHER: "other = others[int(u * len(others))]",
            SENTENCE: "second = other[int(u * len(other))]",
        },
        says="One draw decides everything. Where it replaces the second it is 0.5 or more, so that only the last half of the documents can be chosen. Take two more numbers.",
    ),
    edit(
        {COIN: "u = next(draws)\n            is_next = u < 0.5", OTHER: "other = others[int(u * len(others))]"},
        says="The draw that replaces the second chooses the document too. It is 0.5 or more there, so that only the last half of the documents can be chosen. Take two more numbers.",
    ),
    edit(
        {COIN: "u = next(draws)\n            is_next = u < 0.5", SENTENCE: "second = other[int(u * len(other))]"},
        says="The draw that replaces the second chooses the sentence too. It is 0.5 or more there, so that only the last half of a document can be chosen. Take two more numbers.",
    ),
    edit(
        {
            COIN: "u = next(draws)\n            is_next = u < 0.5",
            OTHER: "other = others[int((u - 0.5) * 2 * len(others))]",
        },
        says="The draw that replaces the second chooses the document too, stretched from its half to the whole. That is a draw as good as any; here the document has one of its own, so that the same draws give the same pairs.",
    ),
)

next_sentences.mistake(
    "the draws exchanged",
    "The sentence's draw comes before the document's. First the document is chosen, then one of its sentences.",
    {
        OTHER: "place, chosen = next(draws), next(draws)\n                other = others[int(chosen * len(others))]",
        SENTENCE: "second = other[int(place * len(other))]",
    },
    edit(
        {
            "pairs = []": "pairs = []\n    coins = iter([next(draws) for document in documents for _ in document[1:]])",
            COIN: "is_next = next(coins) < 0.5",
        },
        says="You first decide of all pairs whether they stay, and choose documents and sentences afterwards. Every pair takes its one number, or its three, before the next pair begins.",
    ),
)

next_sentences.mistake(
    "three draws for every pair",
    "You take three draws for every pair, also where it stays. Then the next pair begins with another number. Two more are taken only where the pair does not stay.",
    {
        COIN: "u, one, two = next(draws), next(draws), next(draws)\n            is_next = u < 0.5",
        OTHER: "other = others[int(one * len(others))]",
        SENTENCE: "second = other[int(two * len(other))]",
    },
)

next_sentences.mistake(
    "all draws are taken",
    "You take all numbers of `draws`, more than you need. What comes after you has none left. `next(draws)` takes one.",
    {"pairs = []": "pairs = []\n    draws = iter(list(draws))"},
)

next_sentences.mistake(
    "always the first sentence",
    "What replaces the second is always the first sentence of a document. Beginnings are easy to recognise. Choose the sentence by a draw.",
    {SENTENCE: "second = other[0]"},
    {SENTENCE: "next(draws)\n                second = other[0]"},
)

next_sentences.mistake(
    "the last one is never chosen",
    "The last of those to choose from never comes. ⌊u · n⌋ goes from 0 to n - 1 already, as u is below 1: multiply by n, and not by n - 1.",
    {
        OTHER: "other = others[int(next(draws) * (len(others) - 1))]",
        SENTENCE: "second = other[int(next(draws) * (len(other) - 1))]",
    },
    {OTHER: "other = others[int(next(draws) * (len(others) - 1))]"},
    {SENTENCE: "second = other[int(next(draws) * (len(other) - 1))]"},
)

next_sentences.mistake(
    "rounded to the nearest",
    "You round to the nearest number, where ⌊u · n⌋ rounds down. The first then comes half as often as it should, and the last number is one too many. `int(...)` rounds down.",
    {
        OTHER: "other = others[round(next(draws) * (len(others) - 1))]",
        SENTENCE: "second = other[round(next(draws) * (len(other) - 1))]",
    },
    {
        OTHER: "other = others[min(round(next(draws) * len(others)), len(others) - 1)]",
        SENTENCE: "second = other[min(round(next(draws) * len(other)), len(other) - 1)]",
    },
    {OTHER: "other = others[min(round(next(draws) * len(others)), len(others) - 1)]"},
    {SENTENCE: "second = other[min(round(next(draws) * len(other)), len(other) - 1)]"},
    *(
        edit(
            rounded,
            says="You round up and take 1 away. For a draw of exactly 0 that is -1, the last of the list and not the first. `int(...)` rounds down.",
        )
        for rounded in (
            {OTHER: f"other = others[{UP.format('others')}]"},
            {SENTENCE: f"second = other[{UP.format('other')}]"},
            {OTHER: f"other = others[{UP.format('others')}]", SENTENCE: f"second = other[{UP.format('other')}]"},
        )
    ),
)

next_sentences.mistake(
    "always True",
    "The label is always True, also where the second was replaced. `is_next` says whether the pair stands so in its document.",
    {APPEND: "pairs.append((first, second, True))"},
)

next_sentences.mistake(
    "the label by comparing sentences",
    "The label is True where the sentence happens to be the same as the true one. A replaced pair has the label False, whatever it says: the coin decides it.",
    {
        LOOP: f"for first, true in {NEIGHBOURS}:\n            second = true",
        APPEND: "pairs.append((first, second, second == true))",
    },
)

next_sentences.mistake(
    "documents alike are taken for one",
    "Of two documents with the same sentences both count as the document itself. Leave one out by its number, and not by what it says.",
    {OTHERS: "others = [one for one in documents if one != document]"},
    {OTHERS: "at = list(documents).index(document)\n        others = [*documents[:at], *documents[at + 1 :]]"},
    edit(
        {OTHERS: "others = [one for one in documents if one is not document]"},
        says="A document that stands twice in the list is left out twice: `is not` compares objects. Leave one out by its number.",
    ),
)

next_sentences.mistake(
    "replaced sentences are left out",
    "Pairs that do not stay are missing. Half of what the model sees should be no neighbours: choose another second for these, with the label False.",
    {APPEND: "if is_next:\n                pairs.append((first, second, is_next))"},
    {CHANGE: "if not is_next:\n                continue\n            if not is_next:"},
    edit(
        {APPEND: "if not is_next:\n                pairs.append((first, second, is_next))"},
        says="Pairs that stay are missing. Half of what the model sees should be neighbours, with the label True: is `append` inside the `if`?",
    ),
)

next_sentences.mistake(
    "nothing is replaced",
    "Every pair stays as it is. Half of them should get a second sentence from another document, or else the answer is always True.",
    {SENTENCE: "next(draws)"},
    {CHANGE: "if False:"},
    {CHANGE: "if False:", COIN: "next(draws)\n            is_next = True"},
)

next_sentences.mistake(
    "one draw among all other sentences",
    "What replaces the second is chosen among all sentences of the other documents at once, by one draw. Long documents then come more often than short ones. First a document is chosen, then a sentence of it, each by a draw.",
    {
        OTHER: "whole = [one for other in others for one in other]",
        SENTENCE: "second = whole[int(next(draws) * len(whole))]",
    },
    edit(
        {
            OTHER: "next(draws)\n                whole = [one for other in others for one in other]",
            SENTENCE: "second = whole[int(next(draws) * len(whole))]",
        },
        says="What replaces the second is chosen among all sentences of the other documents at once; the draw before it has no effect. Long documents then come more often than short ones. The first draw chooses a document, the second a sentence of it.",
    ),
)

next_sentences.mistake(
    "the last sentence goes with the first",
    "The last sentence of a document is paired with its first. Nobody stands behind the last one, so it begins no pair.",
    {LOOP: "for first, second in zip(document, [*document[1:], document[0]], strict=True):"},
    edit(
        {LOOP: "for first, second in zip(document, [*document[1:], document[-1]], strict=True):"},
        says="The last sentence of a document is paired with itself. Nobody stands behind the last one, so it begins no pair.",
    ),
    *(
        edit(
            {
                LOOP: "for first, second in zip(document, [*document[1:], None], strict=True):",
                COIN: f"is_next = {coin}",
            },
            says="The last sentence of a document is paired too, with a sentence of another one. Nobody stands behind the last one, so it begins no pair.",
        )
        for coin in ("second is not None and next(draws) < 0.5", "next(draws) < 0.5 and second is not None")
    ),
)

next_sentences.mistake(
    "the pairs turned round",
    "Your pairs are turned round: the sentence that comes later in the document stands first. First comes a sentence, then the one behind it.",
    {LOOP: "for second, first in pairwise(document):"},
    edit(
        {APPEND: "pairs.append((second, first, is_next))"},
        says="Your pairs are turned round: the second stands first. First comes a sentence of the document, then the one behind it, or what replaces that.",
    ),
    edit(
        {APPEND: "pairs.append((is_next, first, second))"},
        says="The label stands in front. First come the two sentences, then `is_next`.",
    ),
    edit(
        {APPEND: "pairs.append((second, first, is_next) if is_next else (first, second, is_next))"},
        says="In pairs that stay, the second sentence stands first. First comes a sentence of the document, then the one behind it.",
    ),
)

next_sentences.mistake(
    "both kinds for every sentence",
    "Every sentence gives two pairs, one that stays and one that is replaced. One draw decides which of the two it is.",
    {
        COIN: "pairs.append((first, second, True))\n            is_next = False",
    },
    {
        COIN: "next(draws)\n            pairs.append((first, second, True))\n            is_next = False",
    },
    edit(
        {CHANGE: "if not is_next:\n                pairs.append((first, second, True))"},
        says="Where the second is replaced, the true pair is there as well. One draw decides which of the two a sentence gives.",
    ),
    edit(
        {CHANGE: "pairs.append((first, second, True))\n            if not is_next:"},
        says="Every pair stands there as it is, and once more after its draw. One draw decides which of the two a sentence gives.",
    ),
)

next_sentences.mistake(
    "a neighbour for the document itself",
    "You choose among all documents, and where it is the document itself you take the one beside it. That one then comes twice as often. Choose among the others: number ⌊u · n⌋ of those, with n one less than there are documents.",
    *(
        {
            OTHER: f"chosen = int(next(draws) * len(documents))\n                other = documents[(chosen {step} 1) % len(documents) if chosen == number else chosen]"
        }
        for step in "+-"
    ),
    edit(
        {
            OTHER: "chosen = int(next(draws) * len(others))\n                other = documents[chosen + (chosen == number)]"
        },
        says="You step over the document itself only where its very number was drawn. The one behind it then comes twice as often, and the last one never. From its number on all move up by one: `>=`, and not `==`.",
    ),
)

next_sentences.mistake(
    "drawn again until it is another",
    "You draw among all documents, and draw again where it is the document itself. That takes more numbers than are needed, and other ones. Choose among the others at once: number ⌊u · n⌋ of those.",
    {
        OTHER: "tried = (int(u * len(documents)) for u in draws)\n                other = documents[next(at for at in tried if at != number)]"
    },
)

next_sentences.mistake(
    "one draw for a whole document",
    "One draw decides for all pairs of a document. Every pair has a draw of its own.",
    {OTHERS: f"{OTHERS}\n        coin = next(draws)", COIN: "is_next = coin < 0.5"},
    {OTHERS: f"{OTHERS}\n        coin = next(draws) if len(document) > 1 else 0.0", COIN: "is_next = coin < 0.5"},
)

next_sentences.mistake(
    "a pair of each document is lost",
    "The last pair of each document is missing: the loop ends one sentence early. Of n sentences, n - 1 have one behind them.",
    {NEIGHBOURS: "pairwise(document[:-1])"},
    edit(
        {NEIGHBOURS: "pairwise(document[1:])"},
        says="The first pair of each document is missing. Of n sentences, n - 1 have one behind them, the first among them.",
    ),
    edit(
        {APPEND: f"{APPEND}\n            break"},
        says="Each document gives one pair at most, that of its first two sentences. Of n sentences, n - 1 have one behind them.",
    ),
)

next_sentences.mistake(
    "the pairs in another order",
    "Your pairs are sorted. They stand in the order of the documents and of the sentences in them, so that the draws can be followed.",
    {"return pairs": "return sorted(pairs)"},
    {"return pairs": "return pairs[::-1]"},
    edit(
        {NEIGHBOURS: "reversed(list(pairwise(document)))"},
        says="You go through each document from its last pair to its first. Pairs stand in the order of the sentences, so that the draws can be followed.",
    ),
    edit(
        {"in enumerate(documents)": "in reversed(list(enumerate(documents)))"},
        says="You go through the documents from the last to the first. Pairs stand in the order of the documents, so that the draws can be followed.",
    ),
    edit(
        {"return pairs": "return sorted(pairs, key=lambda pair: not pair[2])"},
        says="Your true pairs stand in front, and the false ones behind. All stand in the order of the documents and of the sentences in them, so that the draws can be followed.",
    ),
    edit(
        {"return pairs": "return sorted(pairs, key=lambda pair: pair[2])"},
        says="Your false pairs stand in front, and the true ones behind. All stand in the order of the documents and of the sentences in them, so that the draws can be followed.",
    ),
)

next_sentences.mistake(
    "a draw is thrown away",
    "You take a number from `draws` that decides nothing. All that come later then decide something else. One number is taken for each pair, and two more where it does not stay.",
    edit(
        {"pairs = []": "next(draws)\n    pairs = []"},
        says="You throw the first number of `draws` away. All that come later then decide something else. The first one decides whether the first pair stays.",
    ),
    {COIN: f"next(draws)\n            {COIN}"},
    {APPEND: f"{APPEND}\n            next(draws, None)"},
)

next_sentences.mistake(
    "returned from within the loop",
    "Your `return` stands within a loop. What comes after the first document, or the first pair, is missing. It belongs behind both loops.",
    {APPEND: f"{APPEND}\n        return pairs"},
    {APPEND: f"{APPEND}\n            return pairs"},
    {APPEND: f"{APPEND}\n            return pairs", "\n    return pairs": ""},
)

next_sentences.mistake(
    "the documents are changed",
    "Your function takes sentences out of the documents. Later pairs then find them shorter, and so does what calls you. `pop` takes out; `document[place]` only reads.",
    {LOOP: "while len(document) > 1:\n            first = document.pop(0)\n            second = document[0]"},
    {SENTENCE: "second = other.pop(int(next(draws) * len(other)))"},
    edit(
        {OTHER: f"others = documents\n                others.pop(number)\n                {OTHER}"},
        says="Your function takes a document out of the list that it is given: `others = documents` is another name of the same list, and no copy. Your loop then passes over documents, and what calls you has lost them.",
    ),
)

next_sentences.mistake(
    "a generator instead of a list",
    "What comes back is no list: it makes its pairs only when somebody asks for them, and takes its draws only then. Put them into a list: `list(...)`, or `append` in the place of `yield`.",
    {
        "pairs = []": 'if documents:\n        return (one for _ in pairwise("12") for one in next_sentences(documents, draws))\n    pairs = []'
    },
    {APPEND: "yield first, second, is_next", "return pairs": "pass"},
)

next_sentences.mistake(
    "chosen by the length of another list",
    "u is multiplied by another number than there are things to choose from. What is drawn then lies beyond the end, or some never come. To choose among n, take ⌊u · n⌋, with n the length of that very list.",
    {
        OTHER: "other = others[int(next(draws) * len(documents))]"
    },  # or `len(document)`, in the next line: an error as well
    *(
        edit(
            {OTHER: f"other = others[{at}]"},
            says="You choose among the *other* documents, but multiply u by the number of *all* of them. What is drawn can lie beyond the end, or one of them comes twice as often. n is the number of the others, one less.",
        )
        for at in (
            "int(next(draws) * len(documents)) % len(others)",
            "min(int(next(draws) * len(documents)), len(others) - 1)",
        )
    ),
    *(
        edit(
            {SENTENCE: f"second = other[{at}]"},
            says="You choose among the sentences of the other document, but multiply u by the number of sentences of the document in which the pair stands. What is drawn can lie beyond the end, or some sentences never come. n is the length of the other document.",
        )
        for at in (
            "int(next(draws) * len(document)) % len(other)",
            "min(int(next(draws) * len(document)), len(other) - 1)",
        )
    ),
    edit(
        {SENTENCE: "second = other[int(next(draws) * len(others))]"},
        says="You choose among the sentences of the other document, but multiply by the number of the other *documents*. What is drawn can lie beyond the end, or some sentences never come. n is the length of the other document.",
    ),
)
