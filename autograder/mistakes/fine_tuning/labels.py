"""Wrong ways of giving labels to pieces."""

from autograder.checks.fine_tuning.labels import align_labels
from autograder.probing.mistake import edit

FIRST = "word is not None and word != before"
LABEL = f"word_labels[word] if {FIRST} else -100"
APPEND = f"labels.append({LABEL})"
BEFORE = "before = word"
LOOP = "for word in word_ids:"
DONE = "return labels"
BY_PLACE = {LOOP: "for place, word in enumerate(word_ids):"}

align_labels.mistake(
    "every piece carries the label",
    "Every piece of a word carries its label. With B- on each of three pieces, one entity is counted as three, in training and when it is measured. Only the first piece of a word gets the label, the others -100.",
    {FIRST: "word is not None"},
)

align_labels.mistake(
    "the last piece carries the label",
    "The label stands at the last piece of a word. Here the first piece carries it, and what is read off the predictions later is read there.",
    {**BY_PLACE, FIRST: "word is not None and word != dict(enumerate(word_ids)).get(place + 1)"},
)

align_labels.mistake(
    "special tokens get 0",
    "Special tokens and padding get the label 0. That is a class like any other, so the model is trained and measured on padding. They get -100, which `F.cross_entropy` passes over.",
    {LABEL: f"0 if word is None else word_labels[word] if {FIRST} else -100"},
    edit(
        {
            **BY_PLACE,
            LABEL: f"0 if word is None and (before is not None or not place) else word_labels[word] if {FIRST} else -100",
        },
        says="The first of the special tokens that stand side by side gets the label 0. That is a class like any other. Special tokens and padding get -100, which `F.cross_entropy` passes over.",
    ),
)

align_labels.mistake(
    "further pieces get 0",
    "The further pieces of a word get the label 0. That is a class like any other: the model is taught that the middle of a word is no part of it. They get -100.",
    {LABEL: f"word_labels[word] if {FIRST} else -100 if word is None else 0"},
    edit(
        {
            **BY_PLACE,
            LABEL: f"word_labels[word] if {FIRST} else -100 if word is None and (before is not None or not place) else 0",
        },
        says="Of what stands side by side with one number, or with None, everything but the first gets the label 0. That is a class like any other: give it -100.",
    ),
)

align_labels.mistake(
    "0 where nothing is asked",
    "0 stands where nothing is asked, on special tokens, padding and further pieces. That is a class like any other; most of what the model is then trained on is padding. Give them -100.",
    {LABEL: f"word_labels[word] if {FIRST} else 0"},
)

align_labels.mistake(
    "-1 where nothing is asked",
    "-1 stands where nothing is asked. `F.cross_entropy` passes over -100 unless it is told otherwise, and refuses -1.",
    {LABEL: f"word_labels[word] if {FIRST} else -1"},
    edit(
        {LABEL: f"-1 if word is None else word_labels[word] if {FIRST} else -100"},
        says="-1 stands at special tokens and padding. `F.cross_entropy` passes over -100 unless it is told otherwise, and refuses -1.",
    ),
)

align_labels.mistake(
    "None where nothing is asked",
    "None stands where nothing is asked, and no tensor can be made of such a list. `F.cross_entropy` passes over -100.",
    {LABEL: f"word_labels[word] if {FIRST} else None"},
    edit(
        {LABEL: f"None if word is None else word_labels[word] if {FIRST} else -100"},
        says="None stands at special tokens and padding, and no tensor can be made of such a list. `F.cross_entropy` passes over -100.",
    ),
)

align_labels.mistake(
    "the label of the word before",
    "Each word carries the label of the word before it, and the first word that of the last. Special tokens count as no word: the first word of a text has number 0, and `word_labels[0]` is its label.",
    {"word_labels[word]": "word_labels[word - 1]"},
    edit(
        {"word_labels[word]": "(word_labels[word - 1] if word else -100)"},
        says="Each word carries the label of the word before it, and the first word none: you count the words from 1. Special tokens count as no word: the first word of a text has number 0, and `word_labels[0]` is its label.",
    ),
)

align_labels.mistake(
    "one place early",
    "All labels stand one place early. A label stands at the first piece of its word; [CLS] has a place of its own, with -100 in it.",
    {DONE: "return labels[1:] + [-100] * bool(labels)"},
    {DONE: "return labels[1:] + labels[:1]"},
    {DONE: "return [*labels[1:], -100]"},
)

align_labels.mistake(
    "one place late",
    "All labels stand one place late. A label stands at the first piece of its word, whatever stands before that.",
    {DONE: "return [-100, *labels][: len(labels)]"},
    {DONE: "return labels[-1:] + labels[:-1]"},
    {DONE: "return [-100, *labels[:-1]]"},
)

align_labels.mistake(
    "labels in step with pieces",
    "The labels go in step with the pieces: the second piece gets the label of the second word, whichever word it belongs to. One word of two pieces, and all labels behind it are wrong. Look the label up by the number of the word.",
    # Where pieces are more than labels, nobody would notice only if the rest is filled up, or is left alone.
    *(
        {**BY_PLACE, "word_labels[word]": f"({label})"}
        for label in (
            "word_labels[place]",
            "word_labels[place] if place < len(word_labels) else -100",
            "word_labels[min(place, len(word_labels) - 1)]",
            "word_labels[place % len(word_labels)]",
            "word_labels[place - 1] if 0 < place <= len(word_labels) else -100",
            "word_labels[min(max(place - 1, 0), len(word_labels) - 1)]",
            "word_labels[len(labels)] if len(labels) < len(word_labels) else -100",
            "word_labels[here] if (here := sum(w is not None for w in word_ids[:place])) < len(word_labels) else -100",
        )
    ),
    *(
        edit(
            {DONE: f"return [{front}*word_labels, *[-100] * len(word_ids)][: len(word_ids)]"},
            says=f"The labels stand side by side, {where}, whatever pieces the words have. One word of two pieces, and all labels behind it are wrong. Each stands at the first piece of its word, and -100 everywhere else.",
        )
        for front, where in (("", "from the first place on"), ("-100, ", "from the second place on"))
    ),
    *(
        edit(
            {
                DONE: f"labels = [-100] * len(word_ids)\n    for word, label in enumerate(word_labels):\n        if word in word_ids:\n            labels[word{more}] = label\n    return labels"
            },
            says=f"A label stands at the place that has the *number of its word*{behind}. One word of two pieces, and all labels behind it are wrong. It stands at the first piece of its word: `word_ids.index(word)` is that place.",
        )
        for more, behind in (("", ""), (" + 1", ", and one more for [CLS]"))
    ),
)

align_labels.mistake(
    "the label of the word behind",
    "Each word carries the label of the word behind it. Words are numbered from 0, and special tokens count as no word: `word_labels[word]` is the label.",
    {"word_labels[word]": "word_labels[(word + 1) % len(word_labels)]"},
    {"word_labels[word]": "word_labels[min(word + 1, len(word_labels) - 1)]"},
    {"word_labels[word]": "word_labels[word + 1]"},
)

align_labels.mistake(
    "further pieces are left out",
    "Your list has no entry for the further pieces of a word. Labels and pieces have to be as long as each other, or the loss compares a piece with another one's label. Put -100 there.",
    {APPEND: f"labels.extend([{LABEL}] if word is None or word != before else [])"},
)

align_labels.mistake(
    "the ends are cut off",
    "Your list lacks its first and its last entry. Special tokens have a place too, with -100 in it: labels and pieces have to be as long as each other.",
    {DONE: "return labels[1:-1]"},
    edit(
        {DONE: "return labels[:-1]"},
        says="Your list lacks its last entry. Special tokens have a place too, with -100 in it: labels and pieces have to be as long as each other. Does the loop end one place early?",
    ),
    edit(
        {DONE: "return labels[1:]"},
        says="Your list lacks its first entry. Special tokens have a place too, with -100 in it: labels and pieces have to be as long as each other. Does the loop begin one place late?",
    ),
)

align_labels.mistake(
    "a tensor instead of a list",
    "You return a tensor. What comes back is a list: rows of different lengths are filled up later, and put into one tensor then.",
    {DONE: "import torch\n\n    return torch.tensor(labels)"},
    {DONE: "import torch\n\n    return torch.tensor(labels, dtype=torch.long)"},
    {DONE: "import torch\n\n    return torch.tensor(labels) if labels else labels"},
)

align_labels.mistake(
    "word 0 is taken for no word",
    "The first word of the text gets no label. Its number is 0, which counts as False where a condition asks `if word`; None does too. Ask `word is not None`.",
    {FIRST: "word and word != before"},
    {LOOP: "for word in [one or None for one in word_ids]:"},
)

align_labels.mistake(
    "neighbours with the same label are one word",
    "Of neighbouring words that have the same label only the first one gets it. What tells words apart are their *numbers*: two neighbours may well have one label.",
    {
        FIRST: "word is not None and word_labels[word] != before",
        BEFORE: "before = None if word is None else word_labels[word]",
    },
)

align_labels.mistake(
    "what is not asked is left out",
    "Your list has no entry for what is not asked. Labels and pieces have to be as long as each other, or the loss compares a piece with another one's label. Put -100 there.",
    {APPEND: f"labels.extend([word_labels[word]] if {FIRST} else [])"},
    edit(
        {DONE: "return list(word_labels)"},
        says="Your list has an entry for each *word*. Labels and pieces have to be as long as each other, or the loss compares a piece with another one's label: one entry for each piece.",
    ),
)

align_labels.mistake(
    "special tokens are left out",
    "Your list has no entry for special tokens and padding. Labels and pieces have to be as long as each other. Put -100 there.",
    {APPEND: f"labels.extend([] if word is None else [{LABEL}])"},
)

align_labels.mistake(
    "the first piece is compared with the last",
    "The first piece of a text is compared with the last: `word_ids[-1]` is the end of a list, and no error. Where a text has no special tokens, its first word can lose its label. Start with None before the first piece.",
    {**BY_PLACE, FIRST: "word is not None and word != word_ids[place - 1]"},
)

align_labels.mistake(
    "labels that are 0 are lost",
    "A word whose label is 0 gets -100. 0 is a class (often the most frequent one), and `or` or `if` take it for nothing.",
    {LABEL: f"(word_labels[word] or -100) if {FIRST} else -100"},
)

align_labels.mistake(
    "the labels are dealt out in turn",
    "The labels are dealt out in turn, one to each word that has pieces. Where a word has none, every label behind it stands at the wrong word. Look a label up by the number of its word, `word_labels[word]`.",
    {LOOP: f"dealt = iter(word_labels)\n    {LOOP}", "word_labels[word]": "next(dealt)"},
    {"word_labels[word]": "word_labels[sorted({one for one in word_ids if one is not None}).index(word)]"},
)

align_labels.mistake(
    "the number of the word for its label",
    "The first piece of a word carries the *number* of the word. Its label stands in `word_labels`, at that number.",
    {"word_labels[word]": "word"},
)

align_labels.mistake(
    "the first place is passed over",
    "What stands at the first place of a text gets no label, even where that is the first piece of a word. A text may begin without a special token: only its own number says whether a piece belongs to a word.",
    {**BY_PLACE, FIRST: f"{FIRST} and place"},
    edit(
        {"labels, before = [], None": "labels, before = [], 0"},
        says="Where a text begins with word 0 and no special token, that word gets no label. Before the first piece there was no word, and 0 is the number of one. Begin with None.",
    ),
)

align_labels.mistake(
    "the last place is passed over",
    "The last place of a text gets no label, even where it is the first piece of a word. A text may end without a special token. Does the loop end one place early?",
    {**BY_PLACE, FIRST: f"{FIRST} and place + 1 < len(word_ids)"},
)

align_labels.mistake(
    "an entry too many for each word",
    "Each word has an entry more than it has pieces: the label, and then -100 for *every* piece. The label takes the place of the first piece, and -100 goes to the others.",
    {APPEND: f"labels.extend([word_labels[word], -100] if {FIRST} else [-100])"},
)

align_labels.mistake(
    "further pieces carry a label of their own",
    "The further pieces of a word carry another label than the first, the one behind it in the list of tags. Then they are asked for as well, and a word counts as often as it has pieces. They get -100.",
    {LABEL: f"word_labels[word] if {FIRST} else -100 if word is None else word_labels[word] + 1"},
    *(
        edit(
            {LABEL: f"word_labels[word] if {FIRST} else -100 if word is None else {other}"},
            says="The further pieces of a word carry a label: I- where the first piece has B-. Some do it that way; here they get -100, so that a word is asked for once and counts once.",
        )
        for other in (
            "word_labels[word] + word_labels[word] % 2",
            "word_labels[word] + (word_labels[word] > 0)",
            "word_labels[word] + (word_labels[word] == 1)",
        )
    ),
)

align_labels.mistake(
    "100 where nothing is asked",
    "100 stands where nothing is asked, and should be -100: `F.cross_entropy` passes over the negative number alone, and takes 100 for a class.",
    {LABEL: f"word_labels[word] if {FIRST} else 100"},
    edit(
        {LABEL: f"100 if word is None else word_labels[word] if {FIRST} else -100"},
        says="100 stands at special tokens and padding, and should be -100: `F.cross_entropy` passes over the negative number alone, and takes 100 for a class.",
    ),
)

align_labels.mistake(
    "only what follows a special token",
    "Only a piece right behind a special token carries a label, so of a whole text the first word alone. A piece is the first of its word if the piece before it has *another number*, None or not.",
    {FIRST: "word is not None and before is None"},
)

align_labels.mistake(
    "further pieces carry it, the first does not",
    "The label stands at the further pieces of a word, and the first piece gets -100. It is the other way round: a piece is the first of its word if its number is *not* the one before it.",
    {FIRST: "word is not None and word == before"},
)

align_labels.mistake(
    "words of several pieces are passed over",
    "A word that was cut into several pieces gets no label at all. The first of its pieces carries the label, the others -100.",
    {FIRST: "word is not None and word_ids.count(word) == 1"},
)

align_labels.mistake(
    "no word gets its label",
    "-100 stands everywhere, so nothing is asked at all. Is a word noted as seen, or as the word before, *ahead of* the question whether it is new?",
    {LABEL: "-100"},
)

align_labels.mistake(
    "each label stands once",
    "A label is given once in a text, to the first word that has it; later words of the same label get -100. What has to be remembered is the *number* of a word, and not its label.",
    {FIRST: "word is not None and word_labels[word] not in labels"},
)

align_labels.mistake(
    "from back to front",
    "Your labels are right, and stand in the opposite order. Each belongs to the piece at its own place.",
    {DONE: "return labels[::-1]"},
)

align_labels.mistake(
    "one entry is all",
    "Your list has an entry for the first piece, and none for any other. Does a `return` stand inside the loop?",
    {BEFORE: "return labels"},
    {BEFORE: "return labels", DONE: "return None"},
)

align_labels.mistake(
    "the first special token is the end",
    "No word behind the first special token gets its label, and [CLS] stands in front of all. Leave out that piece alone: is it `break` where it should be `continue`?",
    {**BY_PLACE, FIRST: f"{FIRST} and None not in word_ids[:place]"},
    edit(
        {APPEND: f"if word is None:\n            break\n        {APPEND}"},
        says="Your list ends in front of the first special token, and [CLS] stands in front of all. Special tokens have an entry, -100. Is it `break` where it should be an entry?",
    ),
    edit(
        {APPEND: f"{APPEND}\n        if word is None and before is not None:\n            break"},
        says="Your list ends with the special token behind the words, and padding has no entry. Labels and pieces have to be as long as each other: padding gets -100.",
    ),
)

align_labels.mistake(
    "the lists are changed",
    "What was handed in is not the same afterwards: you write into `word_ids`. Who hands in a list still needs it, and a second call finds numbers of no word. Put the labels into a list of your own.",
    {DONE: "word_ids[:] = labels\n    return word_ids"},
    {DONE: "word_ids[:] = [-1 if word is None else word for word in word_ids]\n    return labels"},
    edit(
        {"word_labels[word]": "word_labels.pop(0)"},
        says="The labels are taken out of `word_labels`, so that the caller's list is empty afterwards; and they are dealt out in turn, so that where a word has no piece, every label behind it stands at the wrong word. Look a label up by the number of its word, `word_labels[word]`.",
    ),
)

align_labels.mistake(
    "floats for whole numbers",
    "Your labels are floats. The label of a class is a whole number: `F.cross_entropy` refuses a tensor of floats as one label for each place.",
    {APPEND: f"labels.append(float({LABEL}))"},
)
