"""Wrong ways of vocabularies and batches."""

from autograder.checks.translation import build_vocabulary, pad_batch
from autograder.probing.mistake import edit

# Vocabulary ----------------------------------------------------------------------------

TOKENS = "{token for sentence in sentences for token in sentence}"
OTHERS = "sorted(tokens - set(specials))"
ORDERED = "[*specials, *sorted(tokens - set(specials))]"
NUMBERED = "{token: i for i, token in enumerate(ordered)}"
ONE_BY_ONE = "ids = {}\n    for token in ordered:\n        ids[token] = len(ids)\n    return ids"

build_vocabulary.mistake(
    "special tokens behind the others",
    "The special tokens come last. Then their ids depend on the text. Everything else here takes 0 for padding, but in your vocabularies padding has "
    "another id each time. Put the special tokens first.",
    {ORDERED: "[*sorted(tokens - set(specials)), *specials]"},
    {ORDERED: "[*sorted(tokens), *[token for token in specials if token not in tokens]]"},
    {"enumerate(ordered)": "enumerate([*ordered[len(specials) :], *ordered[: len(specials)]])"},
)
build_vocabulary.mistake(
    "ids from 1",
    "Your ids begin with 1. An id is a row of the embedding's table, and rows are counted from 0: the last token has no row, and padding is no longer 0.",
    {"enumerate(ordered)": "enumerate(ordered, 1)"},
)
build_vocabulary.mistake(
    "in order of appearance",
    "The tokens are numbered as they come. Then the ids depend on the order of the sentences: the same sentences, shuffled, give another vocabulary, "
    "and a model that was trained with one vocabulary reads nonsense with the other. Sort the tokens.",
    {
        TOKENS: "dict.fromkeys(token for sentence in sentences for token in sentence)",
        OTHERS: "[token for token in tokens if token not in specials]",
    },
)
build_vocabulary.mistake(
    "by frequency",
    "The most frequent token comes first. Many vocabularies are made in this way, so that rare tokens can be cut off at the end. Here the order is that "
    "of `sorted`, which does not depend on counts.",
    *(
        {TOKENS: "Counter(token for sentence in sentences for token in sentence)", OTHERS: others}
        for others in (
            "[token for token, _ in tokens.most_common() if token not in specials]",
            "[token for token in sorted(tokens, key=lambda one: (-tokens[one], one)) if token not in specials]",
        )
    ),
)
build_vocabulary.mistake(
    "in the order of a set",
    "You number the tokens in the order of a set. A set of strings has no fixed order: it may be another order the next time Python starts, and a model "
    "that you saved yesterday would read nonsense today. Sort before you number.",
    edit({OTHERS: "(tokens - set(specials))"}, varies=True),
    edit({OTHERS: "(token for token in tokens if token not in specials)"}, varies=True),
    edit({OTHERS: "tokens.difference(specials)"}, varies=True),
    *(
        edit(
            {ORDERED: f"list({joined})"},
            varies=True,
            says="You number all tokens in the order of a set, the special ones among them. A set of strings has no fixed order: it may be another order the next time Python starts. "
            "The special tokens come first, in the order in which they are given, and the others behind them, sorted.",
        )
        for joined in (
            "tokens | set(specials)",
            "set(specials) | tokens",
            "tokens.union(specials)",
            "set(specials).union(tokens)",
        )
    ),
    edit(
        {"[*specials, *": "[*set(specials), *"},
        varies=True,
        says="You number the special tokens in the order of a set. A set of strings has no fixed order: padding may be 0 today and 2 tomorrow. Take `specials` in the order in which they are given.",
    ),
)
build_vocabulary.mistake(
    "characters instead of tokens",
    "Your vocabulary holds characters. The sentences are cut into tokens already, and each token gets an id as it is: one loop too many goes into its letters.",
    {"for token in sentence}": "for word in sentence for token in word}"},
)
build_vocabulary.mistake(
    "words joined",
    "Every sentence as a whole is one token. A new sentence could then never be read. Go one loop deeper, to the tokens.",
    {TOKENS: '{" ".join(sentence) for sentence in sentences}'},
    {TOKENS: "{tuple(sentence) for sentence in sentences}"},
)
build_vocabulary.mistake(
    "by length",
    "The shortest token comes first. Here it is the order of `sorted` as it is, by characters; `key=len` gives other ids, and leaves tokens of one length in whatever order they come.",
    {OTHERS: "sorted(tokens - set(specials), key=lambda token: (len(token), token))"},
    *(
        edit({OTHERS: f"sorted({others}, key=len)"}, varies=True)
        for others in (
            "tokens - set(specials)",
            "tokens.difference(specials)",
            "(token for token in tokens if token not in specials)",
        )
    ),
)
build_vocabulary.mistake(
    "the other ids from 0 again",
    "The other tokens begin with id 0 again. So the first of them share their ids with the special tokens, and nobody can tell `<pad>` from a word. Go on behind the last special token.",
    {
        NUMBERED: "{token: i for i, token in enumerate(specials)} | "
        "{token: i for i, token in enumerate(ordered[len(specials) :])}"
    },
)
build_vocabulary.mistake(
    "a gap behind the special tokens",
    "An id is left out between the special tokens and the others. Ids are rows of the embedding's table: one row would belong to nobody, and the last token would have none. The first of the others has the id `len(specials)`.",
    {
        NUMBERED: "{token: i for i, token in enumerate(specials)} | "
        "{token: i + len(specials) + 1 for i, token in enumerate(ordered[len(specials) :])}"
    },
)
build_vocabulary.mistake(
    "ids that are no whole numbers",
    "Your ids are floats. An id is the number of a row, and an embedding refuses floats. `enumerate` and `len` count in whole numbers.",
    {"{token: i for": "{token: float(i) for"},
)
build_vocabulary.mistake(
    "a special token numbered twice",
    "A special token that also stands in a sentence is numbered twice, so it loses its id or a number is left out. Take the special tokens out of the "
    "other tokens before you number.",
    {OTHERS: "sorted(tokens)"},
    {OTHERS: "sorted(tokens)", NUMBERED: "{token: i for i, token in reversed(list(enumerate(ordered)))}"},
    {OTHERS: "sorted(tokens)", f"return {NUMBERED}": ONE_BY_ONE},
)
build_vocabulary.mistake(
    "special tokens sorted in with the others",
    "The special tokens are sorted in among the others. They come first, in the order in which they are given, so that padding is 0 whatever the text holds. Sort the others "
    "only.",
    {ORDERED: "sorted(tokens | set(specials))"},
    edit(
        {ORDERED: "[*[token for token in specials if token not in tokens], *sorted(tokens)]"},
        says="A special token that also stands in a sentence is sorted in among the others. It keeps its place among the special tokens, so that padding is 0 whatever the text holds.",
    ),
)
build_vocabulary.mistake(
    "special tokens left out",
    "The special tokens have no ids. The model needs them: to fill up, to begin, to stop. They come first, in the order in which they are given.",
    {ORDERED: "sorted(tokens - set(specials))"},
    edit(
        {ORDERED: "sorted(tokens)"},
        says="A special token has an id only if it stands in a sentence. The model needs them always: to fill up, to begin, to stop. They come first, in the order in which they are given.",
    ),
)
build_vocabulary.mistake(
    "ids to tokens",
    "Your dict goes from ids to tokens. Here the token has to be the key and its id the value. (A dict for reading the model's answers can be made from "
    "this one.)",
    {NUMBERED: "dict(enumerate(ordered))"},
)
build_vocabulary.mistake(
    "three special tokens taken for granted",
    "The other tokens begin with id 3, however many special tokens there are. With four special tokens two tokens share an id; with none the first ids "
    "are missing. Begin after the last special token.",
    {
        NUMBERED: "{token: i for i, token in enumerate(specials)} | "
        "{token: i + 3 for i, token in enumerate(ordered[len(specials) :])}"
    },
    edit(
        {
            NUMBERED: "{token: i for i, token in enumerate(specials) if i < 3} | "
            "{token: i + 3 for i, token in enumerate(ordered[len(specials) :])}"
        },
        says="The other tokens begin with id 3, however many special tokens there are, and a fourth special token has no id at all. Begin after the last special token: `len(specials)`.",
    ),
)
build_vocabulary.mistake(
    "special tokens sorted",
    "The special tokens are sorted among themselves. They keep the order in which they are given: padding is given first so that its id is 0.",
    {"[*specials, *": "[*sorted(specials), *"},
)
build_vocabulary.mistake(
    "always the same special tokens",
    "Whatever special tokens are given, yours are always the same three. These three are only the default of `specials`; use the argument.",
    {TOKENS: f'{TOKENS}\n    specials = ("<pad>", "<bos>", "<eos>")'},
)
build_vocabulary.mistake(
    "every occurrence numbered",
    "Every occurrence of a token takes a number, so a token that occurs twice leaves a gap in the ids, or gets its last place. Remove repetitions "
    "first: a set holds each token once.",
    {
        TOKENS: "[token for sentence in sentences for token in sentence]",
        OTHERS: "sorted(token for token in tokens if token not in specials)",
    },
    {
        TOKENS: "[token for sentence in sentences for token in sentence]",
        OTHERS: "sorted(tokens)",
        NUMBERED: "{token: i for i, token in reversed(list(enumerate(ordered)))}",
    },
    edit(
        {
            TOKENS: "[token for sentence in sentences for token in sentence]",
            OTHERS: "sorted(token for token in tokens if token not in specials)",
            f"return {NUMBERED}": ONE_BY_ONE,
        },
        says="A token that occurs twice is numbered twice. The second time the dict has it already and does not grow, so the next token gets the same "
        "id. Remove repetitions first: a set holds each token once.",
    ),
)
build_vocabulary.mistake(
    "made lower case",
    "The tokens come out in lower case. A token with a capital is then not found. Take each token as it is; whether capitals matter is decided when "
    "text is cut.",
    {"{token for sentence": "{token.lower() for sentence"},
    {OTHERS: "(token.lower() for token in sorted(tokens - set(specials)))"},
)
build_vocabulary.mistake(
    "sorted backwards",
    "The tokens are sorted from z to a. Any order would do if everyone had the same order; here it is the order of `sorted`.",
    {OTHERS: "sorted(tokens - set(specials), reverse=True)"},
)
build_vocabulary.mistake(
    "capitals in with the small letters",
    "The tokens are sorted as if they had no capitals. `sorted` by itself puts `Twenty` before `and`, so your ids differ from that order.",
    {OTHERS: "sorted(sorted(tokens - set(specials)), key=str.lower)"},
)
build_vocabulary.mistake(
    "rare tokens left out",
    "Tokens that occur once have no id. Large vocabularies leave such tokens out and have a token for the unknown. This vocabulary has no such token, "
    "so the look-up would fail.",
    {
        TOKENS: "Counter(token for sentence in sentences for token in sentence)",
        OTHERS: "sorted(token for token, count in tokens.items() if count > 1 and token not in specials)",
    },
    {
        TOKENS: "{token for token, count in Counter(token for sentence in sentences for token in sentence).items() if count > 1}"
    },
)
ORDERED_LINE = f"ordered = {ORDERED}"
build_vocabulary.mistake(
    "tokens left out",
    "Some tokens have no id. Every token of every sentence needs one, or the look-up fails.",
    *(
        edit(
            {"for sentence in sentences ": f"for sentence in sentences{which} "},
            says=f"Only the tokens of the {name} sentence have ids. Take those of all sentences: what is found in one must be added to what was found before.",
        )
        for which, name in (("[:1]", "first"), ("[-1:]", "last"))
    ),
    edit(
        {TOKENS: "set(sentences[0])"},
        says="Only the tokens of the first sentence have ids, and where there is no sentence, there is an error. Take those of all sentences.",
    ),
    *(
        edit(
            {"for token in sentence}": f"for token in sentence{part}}}"},
            says=f"The {name} token of every sentence is left out. Every token needs an id, or the look-up fails.",
        )
        for part, name in (("[:-1]", "last"), ("[1:]", "first"))
    ),
    edit(
        {ORDERED_LINE: f"{ORDERED_LINE}[: max(len(specials), len(tokens | set(specials)) - 1)]"},
        says="The last token has no id. `range` ends before its end: the ids go from 0 to one less than there are tokens.",
    ),
    edit(
        {ORDERED_LINE: f"{ORDERED_LINE}[:-1]"},
        says="The last token has no id. `range` ends before its end: the ids go from 0 to one less than there are tokens.",
    ),
    edit(
        {ORDERED_LINE: f"{ORDERED_LINE}\n    del ordered[len(specials) : len(specials) + 1]"},
        says="The first of the other tokens has no id. Every token needs one, or the look-up fails.",
    ),
    edit(
        {ORDERED_LINE: f"{ORDERED_LINE}\n    ordered = ordered[: max(len(specials), len(ordered) - len(specials))]"},
        says="The last tokens have no ids: as many as there are special tokens. The ids of the others begin at `len(specials)`, so they end that much further on, too.",
    ),
    *(
        edit(
            {ORDERED_LINE: f"{ORDERED_LINE}{cut}"},
            says="Only the first of the other tokens has an id. A `return` that stands inside the loop ends it in its first round; move it out, to the loop's own column.",
        )
        for cut in ("[: len(specials) + 1]",)
    ),
)
build_vocabulary.mistake(
    "special tokens turned round",
    "The special tokens are numbered from the last to the first. They keep the order in which they are given: padding is given first so that its id is 0.",
    {"[*specials, *": "[*reversed(specials), *"},
)
build_vocabulary.mistake(
    "one id for all special tokens",
    "All special tokens have the same id. Then nobody can tell padding from the end of a sentence. Each needs an id of its own: the first 0, the next 1.",
    {NUMBERED: "{token: 0 if token in specials else i for i, token in enumerate(ordered)}"},
    {NUMBERED: "{token: 0 if token in specials else i - len(specials) + 1 for i, token in enumerate(ordered)}"},
)
build_vocabulary.mistake(
    "a list of tokens",
    "The tokens come back as a list. In a list one has to search for a token's id; a dict from token to id gives the id at once.",
    {f"return {NUMBERED}": "return ordered"},
    *(
        edit(
            {f"return {NUMBERED}": f"return {pairs}"},
            says="A list of pairs comes back. In a list one has to search for a token's id; a dict gives the id at once: `dict(...)` makes one of the pairs.",
        )
        for pairs in (
            f"list({NUMBERED}.items())",
            f"sorted({NUMBERED}.items())",
            "list(enumerate(ordered))",
            f"sorted({NUMBERED}.items(), key=lambda one: one[1])",
        )
    ),
)

# Batches ----------------------------------------------------------------------------

ROW = "[*ids, *[pad_id] * (longest - len(ids))]"
BATCH = f"torch.tensor([{ROW} for ids in sequences])"

pad_batch.mistake(
    "padding in front",
    "The padding stands in front of the ids. Then the same sequence begins at another position in every batch, but a model learns by positions. Fill up "
    "after the last id.",
    {"[*ids, *": "[*", "(longest - len(ids))]": "(longest - len(ids)), *ids]"},
)
pad_batch.mistake(
    "filled up with 0",
    "You fill up with 0, whatever pad_id is. 0 is only the default, so your function works until padding has another id. Use the argument.",
    {"[pad_id]": "[0]"},
)
pad_batch.mistake(
    "cut to the shortest",
    "All sequences are cut to the length of the shortest. The rest of the longer sequences is lost. Fill up the shorter sequences.",
    {"max(": "min(", "*ids, *[pad_id]": "*ids[:longest], *[pad_id]"},
    {
        "max(": "min(",
        "*ids, *[pad_id]": "*ids[:longest], *[pad_id]",
        "for ids in sequences])": "for ids in sequences], dtype=torch.long)",
    },
    {BATCH: "torch.tensor(list(zip(*zip(*sequences, strict=False), strict=False)))"},
)
pad_batch.mistake(
    "as wide as the first sequence",
    "All sequences are cut or filled up to the length of the *first*. What a longer one has beyond that is lost. As wide as the longest of them: `max` over all lengths.",
    {"max(len(ids) for ids in sequences)": "len(sequences[0])", "*ids, *[pad_id]": "*ids[:longest], *[pad_id]"},
    *(
        edit(
            {
                "max(len(ids) for ids in sequences)": "len(sequences[-1])",
                "*ids, *[pad_id]": "*ids[:longest], *[pad_id]",
                "for ids in sequences])": f"for ids in sequences]{dtype})",
            },
            says="All sequences are cut or filled up to the length of the *last*. What a longer one has beyond that is lost. As wide as the longest of them: `max` over all lengths.",
        )
        for dtype in ("", ", dtype=torch.long")  # of no ids torch makes floats
    ),
)
pad_batch.mistake(
    "a column too many",
    "There is one column more than the longest sequence needs: padding for everyone. It costs time at every step and says nothing.",
    {"max(len(ids) for ids in sequences)": "max(len(ids) for ids in sequences) + 1"},
    edit(
        {"[[*ids, *": "[[pad_id, *ids, *"},
        says="There is a column of padding before the first id, for everyone. The ids begin at place 0, and only the shorter rows are filled up, behind their last id.",
    ),
)
pad_batch.mistake(
    "sequences as columns",
    "Your sequences are the columns. That is the default of torch's `pad_sequence`, which was made for recurrent networks; in this course the batch "
    "comes first: `batch_first=True`.",
    {"for ids in sequences])": "for ids in sequences]).T"},
)
pad_batch.mistake(
    "ids as floats",
    "The ids come out as floats. An id is a name and not an amount, and an embedding refuses floats. `torch.zeros`, `torch.full` and `torch.Tensor` make floats unless told otherwise; give "
    "`dtype=torch.long`.",
    {"for ids in sequences])": "for ids in sequences], dtype=torch.float32)"},
)
pad_batch.mistake(
    "no tensor",
    "Lists come back. The lists have one length now, so `torch.tensor` can make one tensor of them.",
    {"torch.tensor([": "([", "for ids in sequences])": "for ids in sequences])"},
    edit(
        {BATCH: f"[torch.tensor({ROW}) for ids in sequences]"},
        says="A list of tensors comes back, one for each row. They have one length now, and `torch.stack` or one `torch.tensor` around all rows makes a single tensor of them.",
    ),
    edit(
        {BATCH: "[torch.tensor(list(ids), dtype=torch.long) for ids in sequences]"},
        says="A list of tensors comes back, one for each row, and nothing is filled up. A tensor has no ragged edge: give all rows the length of the longest, then make one tensor of them.",
    ),
)
pad_batch.mistake(
    "the given lists filled up",
    "Your function changes the lists it was given: after it, they hold padding. The next batch with the same sentences would be filled up further, and the number of real tokens is lost. Make new lists; `+=`, `append` and `extend` "
    "change the old ones.",
    {"[[*ids, *": "[ids.extend(", "(longest - len(ids))]": "(longest - len(ids))) or ids"},
    # What is written into the lists is what comes back, so that another slip in the rows goes with it.
    {
        BATCH: f"(lambda made: [ids.__setitem__(slice(None), row) for ids, row in zip(sequences, made.tolist(), strict=True)] and made)({BATCH})"
    },
)
pad_batch.mistake(
    "sorted by length",
    "The rows are sorted by length. Then row 3 of the sources is no longer the sentence of row 3 of the targets. Keep the order.",
    {f"{ROW} for ids in sequences": f"{ROW} for ids in sorted(sequences, key=len, reverse=True)"},
    {f"{ROW} for ids in sequences": f"{ROW} for ids in sorted(sequences, key=len)"},
)
pad_batch.mistake(
    "an id of 0 taken for padding",
    "Ids that are 0 become pad_id. In a tensor of zeros, filled places cannot be told from an id that is 0. Begin with a tensor full of pad_id, and "
    "write the ids into it.",
    {BATCH: f"(lambda made: made.masked_fill(made == 0, pad_id))({BATCH.replace('[pad_id]', '[0]')})"},
)
pad_batch.mistake(
    "no sequence accepted",
    "An empty batch is not refused. The result has no row, and causes an error far from here. Raise a ValueError, as the given lines did.",
    {
        'raise ValueError("there is no sequence to put into a batch; give at least one")': "return torch.zeros(0, 0, dtype=torch.long)"
    },
    {'raise ValueError("there is no sequence to put into a batch; give at least one")': "return torch.tensor([])"},
)
pad_batch.mistake(
    "more than the batch comes back",
    "More comes back than the batch. Return one tensor; the caller can make lengths or a mask from it.",
    {BATCH: f"({BATCH}, [len(ids) for ids in sequences])"},
    {BATCH: f"({BATCH}, torch.tensor([len(ids) for ids in sequences]))"},
)
FILLED = "[pad_id]"
pad_batch.mistake(
    "filled up with something else",
    "What you fill up with is not pad_id. A mask is made by comparing with pad_id, and these places would be taken for tokens. Use the argument as it is.",
    *(
        edit(
            {FILLED: f"[{number}]"},
            says=f"You fill up with {number}, whatever pad_id is. A mask is made by comparing with pad_id, and these places would be taken for tokens. Use the argument.",
        )
        for number in (1, -1)
    ),
    {FILLED: "[pad_id + 1]"},
    {FILLED: "[-pad_id]"},
    *(
        edit(
            {ROW: row},
            says="You fill up with the last id of each sequence, again and again. A mask is made by comparing with pad_id, so these places would be taken for tokens.",
        )
        for row in (
            "[*ids, *([ids[-1] if len(ids) else pad_id] * (longest - len(ids)))]",
            "[*ids, *([ids[-1]] * (longest - len(ids)))]",
        )
    ),
)
pad_batch.mistake(
    "a type too small",
    "Your type is too small for ids. A vocabulary has tens of thousands of tokens: an int8 ends at 127, an int16 at 32,767, and larger ids raise an error or come out as others. Give `dtype=torch.long`.",
    *(
        {"for ids in sequences])": f"for ids in sequences], dtype=torch.{small})"}
        for small in ("int8", "int16", "uint8")
    ),
    *({"for ids in sequences])": f"for ids in sequences]).to(torch.{small})"} for small in ("int8", "int16", "uint8")),
    edit(
        {"for ids in sequences])": "for ids in sequences], dtype=torch.bool)"},
        says="The ids come out as True and False. Only whether an id is 0 is left of it. Give `dtype=torch.long`.",
    ),
)
pad_batch.mistake(
    "padding on both sides",
    "The padding stands on both sides of the ids. Then the same sequence begins at another position in every batch, but a model learns by positions. Fill up after the last id alone.",
    *(
        {
            ROW: f"[*[pad_id] * ({half}), *ids, *[pad_id] * (longest - len(ids) - ({half}))]",
        }
        for half in ("(longest - len(ids)) // 2", "(longest - len(ids) + 1) // 2")
    ),
)
pad_batch.mistake(
    "padding before the last id",
    "The padding stands before the last id, not behind it. `insert(-1, ...)` puts something *before* the last item; `append` puts it behind.",
    {ROW: "[*ids[:-1], *[pad_id] * (longest - len(ids)), *ids[-1:]]"},
)
pad_batch.mistake(
    "ids turned round",
    "The ids of each row stand in reverse. A sentence read backwards is another sentence: keep the order.",
    {"[[*ids, *": "[[*ids[::-1], *"},
    edit(
        {"for ids in sequences])": "for ids in sequences]).flip(1)"},
        says="Each row stands in reverse, padding first and the first id last. Keep the order, and fill up behind the last id.",
    ),
    edit(
        {"for ids in sequences])": "for ids in sequences]).flip(0)"},
        says="The rows stand in reverse, the last sequence first. Then row 0 of the sources is no longer the sentence of row 0 of the targets. Keep the order.",
    ),
)
pad_batch.mistake(
    "ids sorted, or once each",
    "The ids of a row are not as they were given. A sentence is its tokens in their order, each as often as it stands there.",
    edit(
        {"[[*ids, *": "[[*sorted(ids), *"},
        says="The ids of each row are sorted. A sentence is its tokens in their order: take them as they are.",
    ),
    *(
        edit(
            {ROW: f"[*{once}, *[pad_id] * (longest - len({once}))]"},
            says="An id that occurs twice in a sequence stands there once. A sentence is its tokens, each as often as it stands there.",
        )
        for once in ("dict.fromkeys(ids)",)
    ),
)
pad_batch.mistake(
    "ids lost",
    "Some ids are lost. Every id of a sequence stands in its row, and what the row is longer is filled up.",
    edit(
        {ROW: "[*ids[:-1], *[pad_id] * longest][:longest]"},
        says="The last id of each sequence is lost. A slice ends before its end: all of `len(ids)` places are needed.",
    ),
    edit(
        {ROW: "[*ids[1:], *[pad_id] * longest][:longest]"},
        says="The first id of each sequence is lost. Take all of them, from place 0.",
    ),
    edit(
        {ROW: "[*ids[: longest - 1], *[pad_id] * longest][:longest]"},
        says="The last id of the longest sequences is lost, as if a row had to end with padding. The longest sequence needs none.",
    ),
    *(
        edit(
            {
                ROW: "[*ids, *[pad_id] * longest][: longest - 1]",
                "for ids in sequences])": f"for ids in sequences]{dtype})",
            },
            says="The last column is lost, and with it the last id of the longest sequence. The batch is as wide as the longest of them.",
        )
        for dtype in ("", ", dtype=torch.long")  # of no ids torch makes floats
    ),
    *(
        edit(
            {ROW: "[*ids, *[pad_id] * longest][1:longest]", "for ids in sequences])": f"for ids in sequences]{dtype})"},
            says="The first column is lost, and with it the first id of every sequence. Take all of them, from place 0.",
        )
        for dtype in ("", ", dtype=torch.long")
    ),
)
pad_batch.mistake(
    "sequences left out",
    "Some sequences have no row. Each needs one, in the order given, or the rows of sources and targets no longer belong together.",
    *(
        edit(
            {f"{ROW} for ids in sequences": f"{ROW} for ids in {some}"},
            says=f"{which} Each sequence needs a row, or the rows of sources and targets no longer belong together.",
        )
        for some, which in (
            ("sequences[:1]", "Only the first sequence has a row."),
            ("sequences[-1:]", "Only the last sequence has a row: what was made before is written over."),
            ("sequences[1:]", "The first sequence has no row."),
            ("sequences[:-1]", "The last sequence has no row."),
        )
    ),
    edit(
        {f"{ROW} for ids in sequences": f"{ROW} for ids in sequences if len(ids)"},
        says="A sequence without ids has no row. It needs one, of padding alone, or the rows of sources and targets no longer belong together.",
    ),
    *(
        edit(
            {
                f"{ROW} for ids in sequences": f"{ROW.replace('ids', 'kept')} for ids, kept in ((ids, {kept}) for i, ids in enumerate(sequences))"
            },
            says=f"{which} Its row holds padding alone. Every sequence has to be written into its own row.",
        )
        for kept, which in (
            (
                "ids if i == 0 else ()",
                "Only the first sequence is written into the batch; a `return` inside the loop ends it there.",
            ),
            ("ids if i == len(sequences) - 1 else ()", "Only the last sequence is written into the batch."),
        )
    ),
)
pad_batch.mistake(
    "reshaped instead of transposed",
    "The columns are laid out one after the other and read as rows. `view` and `reshape` keep the numbers in their order, so the ids of different sequences get mixed; `.t()` exchanges rows and columns.",
    {"for ids in sequences])": "for ids in sequences]).t().reshape(len(sequences), -1)"},
)
pad_batch.mistake(
    "the largest sequence instead of the longest",
    "`max` of sequences does not find the longest but the one with the largest first id: lists compare item by item. Take `max(len(ids) for ids in sequences)`, or `key=len`.",
    {"max(len(ids) for ids in sequences)": "len(max(sequences))"},
)
