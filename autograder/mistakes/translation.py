"""Wrong ways of lesson 12."""

from autograder.checks.translation import alignment_share, build_vocabulary, corpus_bleu, exact_match, pad_batch
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
    edit({OTHERS: "sorted(tokens - set(specials), key=len)"}, varies=True),
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
)
build_vocabulary.mistake(
    "a list of tokens",
    "The tokens come back as a list. In a list one has to search for a token's id; a dict from token to id gives the id at once.",
    {f"return {NUMBERED}": "return ordered"},
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

# Whole translations ----------------------------------------------------------------------------

RIGHT = "right = target[: target.index(eos_id) + 1]"
SAME = "output[: len(right)] == right"
ALIGNED = "zip(output + [-7] * len(target), target, strict=False)"  # as wide as the target; -7 equals nothing
ANSWER = "torch.tensor(found, dtype=torch.bool)"

exact_match.mistake(
    "a right beginning counts as right",
    "An output that goes on where the target ends counts as right. You compare up to the end but not the end itself, so `zwei und vierzig tausend` "
    "passes for `zwei und vierzig`. eos_id has to be right too.",
    {RIGHT: "right = target[: target.index(eos_id)]"},
)
exact_match.mistake(
    "an output without an end counts as right",
    "An output that never came to an end counts as right if all its tokens are right. That happens where eos_id is cut off on both sides before they "
    "are compared, or where a short output is filled up with eos_id. Keep eos_id as the output has it: stopping is a part of the translation.",
    {
        RIGHT: "right = target[: target.index(eos_id)]",
        SAME: "output[: output.index(eos_id) if eos_id in output else len(output)] == right",
    },
)
exact_match.mistake(
    "what stands behind the end counts",
    "You compare what stands after the end, too. That is padding, or whatever a decoder wrote after the end; none of it belongs to the translation. "
    "Only the part up to and with the target's first "
    "eos_id counts.",
    {SAME: "output == target"},
    {SAME: "output[: len(target)] == target"},
    {ANSWER: "(outputs == targets).all(dim=1)"},
    {SAME: "(output[: output.index(eos_id) + 1] if eos_id in output else output) == target"},
    {SAME: "all(a == b for a, b in zip(output + [0] * len(target), target + [0] * len(output), strict=False))"},
)
exact_match.mistake(
    "compared up to the shorter one",
    "An output that is too short counts as right. `zip` stops where the shorter of two lists ends, and so does a comparison after both are cut to one "
    "width; missing tokens are then never noticed. Compare the lengths as "
    "well, or whole lists with `==`.",
    {SAME: "all(a == b for a, b in zip(output, right, strict=False))"},
    {SAME: "all(a == b for a, b in zip(output, target, strict=False))"},
)
exact_match.mistake(
    "padding in the output counts as right",
    "Where the output has padding, anything counts as right. A model that writes nothing at all would be right every time. The target decides what is "
    "compared: everything up to its first eos_id.",
    {SAME: "all(a in (b, 0) for a, b in zip(output + [0] * len(right), right, strict=False))"},
    {SAME: "all(a in (b, 0) for a, b in zip(output, target, strict=False))"},
    {SAME: "all(a in (b, 0) for a, b in zip(output, target + [0] * len(output), strict=False))"},
    {SAME: f"all(a in (b, 0) for a, b in {ALIGNED})"},
)
exact_match.mistake(
    "padding on either side counts as right",
    "Where one of the two has padding, anything counts as right. An output may then go on behind the target's end, or leave out whatever it likes. What counts is decided by the target: everything up to its first eos_id.",
    {SAME: f"all(a in (b, 0) or b == 0 for a, b in {ALIGNED})"},
    {SAME: "all(a in (b, 0) or b == 0 for a, b in zip(output, target, strict=False))"},
)
exact_match.mistake(
    "only what stands behind the end is compared",
    "You compare what stands *behind* the end, and leave out the translation itself. The mask is the wrong way round: what counts goes up to and with the target's first eos_id.",
    {SAME: f"all(a == b for a, b in list({ALIGNED})[len(right) :])"},
)
exact_match.mistake(
    "all tokens have to differ",
    "True is said of outputs in which *every* token is wrong. `!=` gives True where two tokens differ; asked is where they are equal, for all of them.",
    {SAME: "all(a != b for a, b in zip(output, right, strict=False))"},
)
exact_match.mistake(
    "0 is taken for padding",
    "You compare the part of the target that is not 0. The part to compare ends with the first eos_id, and after it anything may stand: this function "
    "does not know which id is padding.",
    {RIGHT: "right = [token for token in target if token != 0]"},
    edit(
        {
            RIGHT: "right = [token for token in target if token != 0]",
            SAME: "[token for token in output if token != 0] == right",
        },
        says="Every 0 is taken out of both before they are compared. So a 0 inside an output is overlooked, and what stands behind the end counts if it is no 0. This function is never told which id is padding: what counts goes up to the first eos_id.",
    ),
    edit(
        {
            RIGHT: "target, output = ([token for token in side if token != 0] for side in (target, output))\n"
            "        right = target[: target.index(eos_id) + 1] if eos_id in target else target",
            SAME: "eos_id in output and output[: len(right)] == right",
        },
        says="Every 0 is taken out of both before they are compared. An output with padding in its midst, which is wrong, counts as right. This function is never told which id is padding: compare place by place.",
    ),
)
exact_match.mistake(
    "the share of right tokens",
    "You measure the share of tokens that are right. A number with one wrong digit is another number: nine right tokens of ten do not make nine tenths "
    "of a translation. The answer for each translation is yes or no: are all of its tokens right?",
    {
        SAME: "sum(a == b for a, b in zip(output, right, strict=False)) / len(right)",
        ANSWER: "torch.tensor(found)",
    },
    # On whole tensors, where what stands behind the end counts as right.
    *(
        {
            SAME: f"(sum(a == b for a, b in zip(output, right, strict=False)) + {width} - len(right)) / {width}",
            ANSWER: "torch.tensor(found)",
        }
        for width in ("len(target)", "max(len(output), len(target))")
    ),
)
exact_match.mistake(
    "one right token is enough",
    "A single right token makes a translation right. `any` asks whether at least one token is right; here all tokens have to be right.",
    {SAME: "any(a == b for a, b in zip(output, right, strict=False))"},
)
exact_match.mistake(
    "one answer for the whole batch",
    "One answer comes back for the whole batch. Return one answer for each translation, in a tensor: its mean is the share, and it can pick out the "
    "wrong translations.",
    {ANSWER: "all(found)"},
    {ANSWER: "sum(found)"},
    {ANSWER: "sum(found) / len(found)"},
    {ANSWER: "torch.tensor(found, dtype=torch.float32).mean()"},
    {ANSWER: "torch.tensor(all(found))"},
)
exact_match.mistake(
    "the global EOS instead of eos_id",
    "You look for the id 2, whatever eos_id is. 2 is the value of EOS in this notebook, so here it works; but another vocabulary ends with another id. "
    "Use the argument.",
    {"target.index(eos_id)": "target.index(2)"},
    {RIGHT: "right = target[: target.index(2) + 1] if 2 in target else target"},
)

ENDED = "output[: output.index(eos_id) + 1] if eos_id in output else output"
exact_match.mistake(
    "in any order",
    "You do not compare the order of the tokens. `vier und zwanzig` and `zwanzig und vier` hold the same tokens, and only one of them is right. Compare "
    "place by place.",
    {SAME: f"sorted({ENDED}) == sorted(right)"},
    {SAME: f"set({ENDED}) == set(right)"},
)
exact_match.mistake(
    "cut at the last end",
    "You cut at the last eos_id. The translation ends with the first eos_id; more may stand after it. `list.index` finds the first.",
    {"target.index(eos_id) + 1": "len(target) - target[::-1].index(eos_id)"},
)
exact_match.mistake(
    "nearly right is right",
    "An output with a single wrong token counts as right if it is long enough. You ask only for a share of the tokens, which 39 of 40 exceeds. A "
    "translation is right if all of its tokens are.",
    *(
        {SAME: f"sum(a == b for a, b in zip(output, right, strict=False)) {over} * len(right)"}
        for over in ("> 0.9", ">= 0.95", "> 0.95")
    ),
)
exact_match.mistake(
    "an end of 0 is taken for padding",
    "Where the end has the id 0, an output that never ended counts as right. Filling short outputs up with 0 does that, and so does taking a 0 of the target for padding: it is an id like any other. Fill up with what equals none, such as -1, or compare whole lists.",
    {SAME: "[*output, *[0] * len(right)][: len(right)] == right"},
)
exact_match.mistake(
    "right and wrong exchanged",
    "You say True where the translation is wrong, and False where it is right. Every answer is the other way round.",
    {ANSWER: f"~{ANSWER}"},
)
exact_match.mistake(
    "no booleans",
    "The answers are right, but they are not a tensor of booleans. `~right`, or picking rows by it, then gives something else. Give `dtype=torch.bool`.",
    {ANSWER: "torch.tensor(found, dtype=torch.long)"},
    {ANSWER: "torch.tensor(found, dtype=torch.float32)"},
    edit(
        {ANSWER: "found"},
        says="A list comes back. `torch.tensor(found)` makes the tensor of booleans that was promised.",
    ),
)
exact_match.mistake(
    "another number of targets accepted",
    "A number of targets that differs from the number of outputs is not refused. Then some outputs are compared with nothing, or with targets of other "
    "sentences, and no error says so. Raise a ValueError, as the given lines did.",
    {"if len(outputs) != len(targets):": "if False:", "strict=True": "strict=False"},
    edit(
        {
            "if len(outputs) != len(targets):": "if False:",
            "strict=True": "strict=False",
            ANSWER: f"{ANSWER} & (outputs[:, 0] == outputs[:, 0]) & (targets[:, 0] == targets[:, 0])",
        },
        says="Another number of targets than of outputs is not refused. torch complains, of sizes that do not match, and not always: one target goes with any number of outputs. Raise a ValueError, as the given lines did.",
    ),
)

# Alignment ----------------------------------------------------------------------------

COUNTS = "wanted >= 0  # (batch, tgt_len)"
LARGEST = "weights.mean(dim=1).argmax(dim=-1)"
HITS = "(largest == wanted)[counts]"
SHARE = "(largest == wanted)[counts].float().mean().item()"
NEXT, BEFORE = "(largest[:, 1:] == wanted[:, :-1])[counts[:, :-1]]", "(largest[:, :-1] == wanted[:, 1:])[counts[:, 1:]]"
# Where nothing counts, a mean is no number, and a division of counts raises an error.
DIVIDED = "{}.sum().item() / {}.sum().item()"
ON_PLACE = "weights.mean(dim=1).gather(-1, wanted.clamp(min=0).unsqueeze(-1)).squeeze(-1)[counts].mean().item()"

alignment_share.mistake(
    "every head by itself",
    "Every head is asked by itself, and the answers are averaged. Heads have different jobs, and a head that looks elsewhere is no mistake. This "
    "function asks where the heads look together: first take the mean over the heads, then the largest weight.",
    {
        LARGEST: "weights.argmax(dim=-1)",
        HITS: "(largest == wanted.unsqueeze(1))[counts.unsqueeze(1).expand_as(largest)]",
    },
)
alignment_share.mistake(
    "one head is enough",
    "A target token counts if any head looks at the right place. With enough heads one of them nearly always does, by chance. This function asks where "
    "the heads look together: take the mean over the heads.",
    {LARGEST: "weights.argmax(dim=-1)", HITS: "(largest == wanted.unsqueeze(1)).any(dim=1)[counts]"},
)
alignment_share.mistake(
    "the surest head decides",
    "You take the largest weight of any head. Then the head with the largest weight decides for all. Take the mean over the heads.",
    {"weights.mean(dim=1)": "weights.amax(dim=1)"},
)
alignment_share.mistake(
    "the first head only",
    "Only the first head is looked at. Heads have different jobs, and it is chance which head has which job. Take the mean over all of them.",
    {"weights.mean(dim=1)": "weights[:, 0]"},
    edit(
        {"weights.mean(dim=1)": "weights[:, -1]"},
        says="Only the last head is looked at. Heads have different jobs, and it is chance which head has which job. Take the mean over all of them.",
    ),
)
alignment_share.mistake(
    "the largest over the target",
    "You look for the largest weight along the target. That tells for each source token which target token looks at it most. This function asks for "
    "each target token where it looks: along the source, the last dimension.",
    {"argmax(dim=-1)": "argmax(dim=-2)"},
)
alignment_share.mistake(
    "tokens without a source count",
    "Target tokens that translate nothing, those with -1, are counted as misses. `und` has no source, nor has padding, so no weight could be right "
    "there. Leave such tokens out of the division as well.",
    {HITS: "(largest == wanted)"},
    edit(
        {HITS: "((largest == wanted) | ~counts)"},
        says="Target tokens that translate nothing, those with -1, are counted as hits. `und` has no source, nor has padding, so no weight could be right there. Leave them out, above and below the line.",
    ),
)
alignment_share.mistake(
    "-1 is taken for a place",
    "-1 is taken for place 0. Target tokens that translate nothing count then, as hits if they look at the first source token. Leave them out.",
    {HITS: "(largest == wanted.clamp(min=0))"},
    edit(
        {HITS: "(largest == wanted % weights.size(-1))"},
        says="-1 is taken for the last place, as in an index. Target tokens that translate nothing count then, as hits if they look at the last source token. Leave them out.",
    ),
)
alignment_share.mistake(
    "more than half of the weight",
    "You ask whether more than half of the weight lies on the wanted place. The largest weight may be less than half: of 0.4, 0.3 and 0.3 it is the first. Ask where the largest is.",
    *({SHARE: ON_PLACE.replace(".mean().item()", f".{over}(0.5).float().mean().item()")} for over in ("gt", "ge")),
)
alignment_share.mistake(
    "the rest after a -1 is left out",
    "In each sentence you stop at the first -1. There may be more behind it: `und` translates nothing, and the ten comes after it. Leave out single tokens: `continue`, not `break`.",
    {COUNTS: "(wanted >= 0).long().cumprod(dim=1).bool()"},
    {COUNTS: "(wanted >= 0).long().cumprod(dim=1).bool()", SHARE: DIVIDED.format(HITS, "counts")},
)
alignment_share.mistake(
    "the mean of sentences",
    "You take the share of each sentence, and the mean of these. A token of a short sentence weighs more then than one of a long sentence, and a "
    "sentence without any token that counts gives a division by zero. All target tokens should weigh the same.",
    {SHARE: "((largest == wanted) & counts).sum(dim=1).div(counts.sum(dim=1)).mean().item()"},
)
alignment_share.mistake(
    "place 0 does not count",
    "Place 0 is left out. It is the first source token, as good as any; only -1 means that there is none. The comparison is `>= 0`.",
    {COUNTS: "wanted != 0  # (batch, tgt_len)"},
    {COUNTS: "wanted > 0  # (batch, tgt_len)"},
    {COUNTS: "wanted > 0  # (batch, tgt_len)", SHARE: DIVIDED.format(HITS, "counts")},
)
alignment_share.mistake(
    "the weight and not the share",
    "You measure how large the weight on the right place is. This function asks how often it is the largest: yes or no for each target token, then the share.",
    {SHARE: ON_PLACE},
)
alignment_share.mistake(
    "the row of the next token",
    "You compare each token with the row after its own. Row i belongs to token i: there the decoder has read what stands before token i and is about to "
    "write it. `weights` and `wanted` line up as they are.",
    {HITS: NEXT},
    {SHARE: DIVIDED.format(NEXT, "counts[:, :-1]")},
)
alignment_share.mistake(
    "the row of the token before",
    "You compare each token with the row before its own. `wanted` has nothing for a start token, so `weights` and `wanted` line up as they are.",
    {HITS: BEFORE},
    {SHARE: DIVIDED.format(BEFORE, "counts[:, 1:]")},
)
alignment_share.mistake(
    "in per cent",
    "The share comes out in per cent. It should go from 0 to 1; the caller decides how to print it.",
    {"    return ": "    return 100 * "},
)
alignment_share.mistake(
    "the heads vote",
    "Every head names a place, and the place that most of them name wins. An unsure head then has the same vote as a sure one. Take the mean of the "
    "weights over the heads, and its largest weight.",
    {LARGEST: "weights.argmax(dim=-1).mode(dim=1).values"},
)
alignment_share.mistake(
    "a number of hits",
    "You return how many target tokens look at the right place. Return their share of all tokens that count: divide.",
    {SHARE: "float((largest == wanted)[counts].sum())"},
)
alignment_share.mistake(
    "the share of misses",
    "You measure how often the largest weight does *not* lie on the wanted place. Return 1 minus that.",
    {"(largest == wanted)": "(largest != wanted)"},
)
alignment_share.mistake(
    "a tensor of one number",
    "A tensor of one number comes back, and a float is promised. `.item()` takes the number out.",
    {".item()": ""},
)
alignment_share.mistake(
    "rounded",
    "Your share is rounded. The caller decides how many digits to print; to compare two shares all digits are needed.",
    *({SHARE: f"round({SHARE}, {digits})"} for digits in (1, 2, 3)),
)
alignment_share.mistake(
    "nothing to count accepted",
    "Where no target token counts, something comes back. No token, no share: a 0 would look like a model that is always wrong. Raise a ValueError, as "
    "the given lines did.",
    {'raise ValueError("no target token counts: wanted is below 0 everywhere")': "return 0.0"},
    {"if not (wanted >= 0).any():": "if False:"},
)

# BLEU ----------------------------------------------------------------------------

PAIRS = "[(ngrams(one, n), ngrams(other, n)) for one, other in both]"
MATCHES = "(one & other).total()"
TOTAL = "one.total() for one, _ in pairs"
PRECISION = "matches / sum(one.total() for one, _ in pairs)"
ORDERS = "range(1, max_n + 1)"
BREVITY = "min(1.0, math.exp(1 - right / written))"
MEAN = "math.exp(sum(logs) / max_n)"
NOTHING = "if matches == 0:"

corpus_bleu.mistake(
    "every occurrence counts",
    "An n-gram counts as often as it is written. By its single tokens `zwei zwei zwei zwei` would be perfect wherever the reference has a `zwei`. An "
    "n-gram counts at most as often as it stands in the reference: `&` of two Counters.",
    {MATCHES: "sum(count for gram, count in one.items() if gram in other)"},
)
corpus_bleu.mistake(
    "counted as often as the reference has it",
    "An n-gram that is written counts as often as it stands in the *reference*. Written once and standing there twice, it counts twice, and a precision can exceed 1. It counts as often as it is written, and at most as often as it stands there: `&` of two Counters.",
    {MATCHES: "sum(count for gram, count in other.items() if gram in one)"},
)
corpus_bleu.mistake(
    "every n-gram counts once",
    "Every different n-gram counts once. An n-gram that stands twice in the output and twice in the reference has to count twice: use `.total()` of the "
    "Counter, not `len`.",
    {MATCHES: "len(one & other)", TOTAL: "len(one) for one, _ in pairs"},
    {TOTAL: "len(one) for one, _ in pairs"},
    {MATCHES: "len(one & other)"},
)
corpus_bleu.mistake(
    "no brevity",
    "Outputs that are too short cost nothing. Precision asks whether what was written is right; a model that writes only what it is sure of would win. "
    "Brevity prevents that.",
    {"brevity * ": ""},
)
corpus_bleu.mistake(
    "brevity the wrong way round",
    "Brevity is the wrong way round: yours is below 1 where the outputs are longer than the references. An output that is too long has a lower "
    "precision already; an output that is too short has not.",
    {"right / written": "written / right"},
    {"1 - right / written": "right / written - 1"},
    *(
        edit(
            {BREVITY: f"1.0 if written >= right else math.exp({power})"},
            says="Brevity is the wrong way round: yours is above 1 where the outputs are too short, and so they gain. It is exp(1 - r / o) there, which is below 1.",
        )
        for power in ("1 - written / right", "right / written - 1")
    ),
    edit(
        {BREVITY: "1.0 if written <= right else math.exp(1 - right / written)"},
        says="Brevity is the wrong way round: outputs that are too short cost nothing, and those that are too long gain. It is 1 for o ≥ r, and exp(1 - r / o) below.",
    ),
)
corpus_bleu.mistake(
    "brevity above 1",
    "Your brevity rises above 1 for outputs that are longer than the references. Length earns nothing: brevity is 1 for them.",
    {BREVITY: "math.exp(1 - right / written)"},
)
corpus_bleu.mistake(
    "another exponent in brevity",
    "The 1 is missing in the exponent of brevity. It is exp(1 - r / o), which is 1 where the outputs are as long as the references; without the 1 it is about 0.37 there.",
    {BREVITY: "(1.0 if written >= right else math.exp(-right / written))"},
    edit(
        {BREVITY: "math.exp(-right / written)"},
        says="The 1 is missing in the exponent of brevity. It is exp(1 - r / o), which is 1 where the outputs are as long as the references; without the 1 it is about 0.37 there, and below 1 for longer ones too.",
    ),
    edit(
        {"1 - right / written": "(1 - right) / written"},
        says="The exponent of brevity is (1 - r) / o. Division comes before subtraction: 1 - r / o, so that it is 0 where the outputs are as long as the references.",
    ),
    edit(
        {BREVITY: "(1.0 if written >= right else math.exp((1 - right) / written))"},
        says="The exponent of brevity is (1 - r) / o. Division comes before subtraction: 1 - r / o, so that it is 0 where the outputs are as long as the references.",
    ),
)
corpus_bleu.mistake(
    "brevity as a ratio",
    "Your brevity is the ratio of the lengths. It is exp(1 - r / o), which falls faster.",
    {BREVITY: "min(1.0, written / right)"},
)
corpus_bleu.mistake(
    "brevity sentence by sentence",
    "Brevity is taken sentence by sentence. It should compare the tokens of all outputs with the tokens of all references, so that a longer sentence "
    "can make up for a short one.",
    {
        BREVITY: "sum(min(1.0, math.exp(1 - len(b) / max(len(a), 1e-2))) "
        "for a, b in zip(outputs, references, strict=True)) / len(outputs)"
    },
)
corpus_bleu.mistake(
    "the arithmetic mean",
    "You take the arithmetic mean of the precisions. BLEU takes the geometric mean: precisions shrink fast with n, and in a sum the precision of single "
    "tokens would outweigh the others.",
    {MEAN: "(sum(math.exp(one) for one in logs) / max_n)"},
    {
        NOTHING: "if False:",
        f"math.log({PRECISION})": "matches / max(sum(one.total() for one, _ in pairs), 1)",
        "1 - right / written": "1 - right / max(written, 1)",
        MEAN: "(sum(logs) / max_n)",
    },
)
corpus_bleu.mistake(
    "the product of the precisions",
    "The precisions are multiplied, and no root is taken. The geometric mean of four numbers is the fourth root of their product: divide the sum of the logarithms by max_n.",
    {MEAN: "math.exp(sum(logs))"},
)
corpus_bleu.mistake(
    "always divided by 4",
    "The sum of the logarithms is divided by 4, whatever max_n is. 4 is only the default, so it works until somebody asks for pairs only. There are "
    "max_n precisions.",
    {"sum(logs) / max_n": "sum(logs) / 4"},
)
corpus_bleu.mistake(
    "from 0 to 1",
    "Your result goes from 0 to 1. BLEU is reported from 0 to 100, by sacrebleu and in papers.",
    {"100 * ": ""},
)
corpus_bleu.mistake(
    "recall instead of precision",
    "You divide by the n-grams of the references. That is recall: how much of the reference was found. Precision divides by the n-grams of the outputs, "
    "and brevity takes the place of recall.",
    {TOTAL: "other.total() for _, other in pairs"},
)
corpus_bleu.mistake(
    "the mean of sentences",
    "You take BLEU of each sentence, and the mean of these. A sentence without a single match of four tokens is then 0, however good. First add up "
    "matches and totals over the whole corpus, then divide.",
    {
        "logs = []": "if len(outputs) > 1:\n"
        "        alone = [corpus_bleu([one], [other], max_n) for one, other in zip(outputs, references, strict=True)]\n"
        "        return sum(alone) / len(alone)\n"
        "    logs = []"
    },
)
corpus_bleu.mistake(
    "the mean of the sentences' precisions",
    "You take the precision of each sentence, and the mean of these. Then a short sentence weighs as much as a long one. First add up matches and "
    "totals over the whole corpus, then divide.",
    {PRECISION: "sum((one & other).total() / max(one.total(), 1) for one, other in pairs) / len(pairs)"},
    {
        PRECISION: "sum((one & other).total() / one.total() for one, other in pairs if one) / "
        "sum(1 for one, _ in pairs if one)"
    },
)
corpus_bleu.mistake(
    "n-grams across sentences",
    "All sentences are put into one before n-grams are taken. Then there are n-grams that begin in one sentence and end in the next, and a token may "
    "match in another sentence than its own. Go sentence by sentence.",
    {PAIRS: "[(ngrams(sum(map(list, outputs), []), n), ngrams(sum(map(list, references), []), n))]"},
)
corpus_bleu.mistake(
    "looked for in all references",
    "The n-grams of all outputs are looked for in all references together. An n-gram counts only if it stands in the reference of its own sentence. Take matches sentence by sentence, then add them up.",
    {
        PAIRS: "[(sum((ngrams(one, n) for one in outputs), Counter()), "
        "sum((ngrams(one, n) for one in references), Counter()))]"
    },
    {PAIRS: "[(ngrams(one, n), sum((ngrams(other, n) for other in references), Counter())) for one in outputs]"},
)
corpus_bleu.mistake(
    "the longest n-grams only",
    "Only n-grams of length max_n are counted. All lengths from 1 on are asked for, and the mean of their precisions.",
    {ORDERS: "range(max_n, max_n + 1)", MEAN: "math.exp(sum(logs))"},
    edit(
        {"logs.append(": "logs[:] = (", "pairs)))": "pairs)),)"},
        says="Only n-grams of length max_n are in the mean, divided by max_n all the same. The logarithm of each length has to be added to those of the lengths before it, as with `+=` or `append`.",
    ),
)
corpus_bleu.mistake(
    "lengths from 0",
    "Your lengths begin with 0. Of an n-gram of no tokens every sentence has some, and all of them match; the longest are missing in turn. `range(1, max_n + 1)`.",
    {ORDERS: "range(max_n)"},
    {ORDERS: "range(max_n + 1)"},
)
corpus_bleu.mistake(
    "empty outputs left out",
    "Outputs that are empty are left out, with their references. They have no n-gram, but brevity is for them: what should have been written and was not counts in r.",
    {
        "right = sum(map(len, outputs)), sum(map(len, references))": "right = sum(map(len, outputs)), sum(len(other) for one, other in zip(outputs, references, strict=True) if one)"
    },
)
corpus_bleu.mistake(
    "a corpus of nothing accepted",
    "No outputs at all are not refused. There is no BLEU of nothing: a 0 would look like a translator that is always wrong. Raise a ValueError, as the given lines did.",
    {" or len(outputs) == 0": ""},
    {" or len(outputs) == 0": "", NOTHING: "if outputs and matches == 0:"},
)
corpus_bleu.mistake(
    "one length too few",
    "The longest n-grams are missing: `range(1, max_n)` ends one before max_n. BLEU goes up to n-grams of four tokens.",
    {ORDERS: "range(1, max_n)"},
    {ORDERS: "range(1, max_n)", MEAN: "math.exp(sum(logs) / max(len(logs), 1))"},
    {ORDERS: "range(1, max_n)", MEAN: "math.exp(sum(logs) / len(logs))"},
)
corpus_bleu.mistake(
    "max_n not used",
    "You count n-grams of up to four tokens, whatever max_n is. 4 is only the default, so it works until somebody asks for pairs only. Use the argument.",
    {ORDERS: "range(1, 5)", "sum(logs) / max_n": "sum(logs) / 4"},
    {ORDERS: "range(1, 5)"},
)
corpus_bleu.mistake(
    "lengths without a match left out",
    "A length of which no n-gram matches is left out of the mean. So an output without a single right pair is judged only by its single tokens. The "
    "geometric mean of anything and 0 is 0: return it at once.",
    {"return 0.0": "continue"},
    {
        "return 0.0": "continue",
        "sum(logs) / max_n": "sum(logs) / max(len(logs), 1)",
        "1 - right / written": "1 - right / max(written, 1e-9)",
    },
    {
        "return 0.0": "continue",
        "sum(logs) / max_n": "(sum(logs) / len(logs) if logs else math.nan)",
        "1 - right / written": "1 - right / max(written, 1e-9)",
    },
)

ADD_ONE = {PRECISION: "(matches + 1) / (sum(one.total() for one, _ in pairs) + 1)"}
corpus_bleu.mistake(
    "smoothed",
    "You add one to the counts. That is a smoothing for single sentences. Over a corpus no smoothing is needed, and with it your numbers cannot be "
    "compared with those of others.",
    {NOTHING: "if False:"} | ADD_ONE,
    {PRECISION: "(matches + (n > 1)) / (sum(one.total() for one, _ in pairs) + (n > 1))"},
    ADD_ONE,
)
corpus_bleu.mistake(
    "a logarithm of another base",
    "Your logarithm has another base than your exponential. `math.exp` undoes `math.log`, the natural one.",
    {"math.log(matches": "math.log10(matches"},
    {"math.log(matches": "math.log2(matches"},
)
corpus_bleu.mistake(
    "outputs and references exchanged",
    "Outputs and references are exchanged: you ask how much of the references stands in the outputs, and whether the references are too short. Precision is about what was written.",
    {
        PAIRS: "[(ngrams(other, n), ngrams(one, n)) for one, other in both]",
        "written, right = sum(map(len, outputs)), sum(map(len, references))": "right, written = sum(map(len, outputs)), sum(map(len, references))",
    },
)
corpus_bleu.mistake(
    "single tokens left out",
    "The precision of single tokens is missing: your lengths begin with 2. n goes from 1 to max_n.",
    {ORDERS: "range(2, max_n + 1)"},
    {ORDERS: "range(2, max_n + 1)", MEAN: "math.exp(sum(logs) / max(len(logs), 1))"},
)
corpus_bleu.mistake(
    "rounded",
    "Your BLEU is rounded. Papers print one or two digits. The function should return the number as it is; the caller rounds it.",
    *(
        {f"return 100 * brevity * {MEAN}": f"return {rounded}"}
        for rounded in (
            *(f"round(100 * brevity * {MEAN}, {digits})" for digits in (0, 1, 2)),
            f"int(100 * brevity * {MEAN})",
            f"100 * round(brevity * {MEAN}, 2)",
            f"100 * round(brevity * {MEAN}, 4)",
        )
    ),
)
corpus_bleu.mistake(
    "made lower case",
    "`Zwei` matches `zwei` for you. Compare tokens as they are; whether capitals matter is decided when the text is cut.",
    {
        PAIRS: "[([Counter(tuple(map(str.lower, gram)) for gram in ngrams(side, n).elements()) for side in both_sides]) for both_sides in both]"
    },
)
corpus_bleu.mistake(
    "short sentences left out",
    "Sentences that are shorter than n-grams are long are left out with all that is in them. An output that is too short for n-grams of some length "
    "adds nothing anyway; but when the *reference* is short, the output's n-grams do not match, and they count.",
    {"for one, other in both]": "for one, other in both if len(one) >= n and len(other) >= n]"},
    {"for one, other in both]": "for one, other in both if len(one) >= max_n]"},
    {"for one, other in both]": "for one, other in both if len(one) >= max_n and len(other) >= max_n]"},
)
corpus_bleu.mistake(
    "divided by the number of tokens",
    "You divide by the number of tokens, for every n. A sentence of 8 tokens has 7 pairs and 5 n-grams of four: divide by the number of all n-grams of "
    "that length.",
    {PRECISION: "matches / sum(map(len, outputs))"},
)
corpus_bleu.mistake(
    "another number of references accepted",
    "A number of references that differs from the number of outputs is not refused. Then some sentences are left out, and no error says so. Raise a "
    "ValueError, as the given lines did.",
    {
        "len(outputs) != len(references) or ": "",
        "zip(outputs, references, strict=True)": "zip(outputs, references, strict=False)",
    },
    edit(
        {
            "if len(outputs) != len(references) or len(outputs) == 0:": "if False:",
            "zip(outputs, references, strict=True)": "zip(outputs, references, strict=False)",
        },
        says="Neither another number of references than of outputs is refused, nor a corpus of nothing. Then some sentences are left out, and nobody hears of it. Raise a ValueError, as the given lines did.",
    ),
)
