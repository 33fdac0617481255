"""Wrong ways of lesson 11. Several edits may carry one name: the same mistake is written in several ways."""

from autograder.probing.mistake import Mistake

# Vocabulary ----------------------------------------------------------------------------

VOCABULARY = "build_vocabulary"
TOKENS = "{token for sentence in sentences for token in sentence}"
OTHERS = "sorted(tokens - set(specials))"
ORDERED = "[*specials, *sorted(tokens - set(specials))]"
NUMBERED = "{token: i for i, token in enumerate(ordered)}"

specials_behind = Mistake(
    "special tokens behind the others",
    of=VOCABULARY,
    swap=ORDERED,
    by="[*sorted(tokens - set(specials)), *specials]",
    says="The special tokens come last. Then their ids depend on the text, and padding, which everything else here takes for 0, is another number in every vocabulary. Put them "
    "in front.",
)

from_one = Mistake(
    "ids from 1",
    of=VOCABULARY,
    swap="enumerate(ordered)",
    by="enumerate(ordered, 1)",
    says="Your ids begin with 1. An id is a row of the embedding's table, and rows are counted from 0: the last token has none, and padding is no longer 0.",
)

APPEARANCE_SAYS = (
    "The tokens are numbered as they come. Then the ids depend on the order of the sentences: the same numbers, shuffled, give another vocabulary, and a model that was trained with the "
    "one reads nonsense with the other. Sort them."
)
appearance = Mistake(
    "in order of appearance",
    of=VOCABULARY,
    swaps={
        TOKENS: "dict.fromkeys(token for sentence in sentences for token in sentence)",
        OTHERS: "[token for token in tokens if token not in specials]",
    },
    says=APPEARANCE_SAYS,
)

FREQUENCY_SAYS = (
    "The most frequent token comes first. Many vocabularies are made like that, so that one can cut off the rare end; here it is the order of `sorted`, which does not change "
    "when the text does."
)
frequency = Mistake(
    "by frequency",
    of=VOCABULARY,
    swaps={
        TOKENS: "Counter(token for sentence in sentences for token in sentence)",
        OTHERS: "[token for token, _ in tokens.most_common() if token not in specials]",
    },
    says=FREQUENCY_SAYS,
)
frequency_then_name = Mistake(
    "by frequency",
    of=VOCABULARY,
    swaps={
        TOKENS: "Counter(token for sentence in sentences for token in sentence)",
        OTHERS: "[token for token in sorted(tokens, key=lambda one: (-tokens[one], one)) if token not in specials]",
    },
    says=FREQUENCY_SAYS,
)

SET_SAYS = (
    "You number the tokens as a set hands them out. A set of texts has no order to rely on: it is another one the next time Python starts, and a model that you saved yesterday would read "
    "nonsense today. Sort before you number."
)
as_the_set_has_it = Mistake(
    "in the order of a set",
    of=VOCABULARY,
    swap=OTHERS,
    by="(tokens - set(specials))",
    says=SET_SAYS,
)
through_the_set = Mistake(
    "in the order of a set",
    of=VOCABULARY,
    swap=OTHERS,
    by="(token for token in tokens if token not in specials)",
    says=SET_SAYS,
)

characters = Mistake(
    "characters instead of tokens",
    of=VOCABULARY,
    swap="for token in sentence}",
    by="for word in sentence for token in word}",
    says="Your vocabulary holds characters. The sentences are cut into tokens already, and each token gets an id as it is: one loop too many goes into its letters.",
)

sentences_whole = Mistake(
    "words joined",
    of=VOCABULARY,
    swap=TOKENS,
    by='{" ".join(sentence) for sentence in sentences}',
    says="Every sentence as a whole is one token. A sentence that was not among them could then never be read. Go one loop deeper, to the tokens.",
)

TWICE_SAYS = "A special token that also stands in a sentence is numbered twice, so it loses its id or a number is left out. Take the special tokens away from the others before you number."
twice = Mistake("a special token numbered twice", of=VOCABULARY, swap=OTHERS, by="sorted(tokens)", says=TWICE_SAYS)
with_gaps = Mistake(
    "a special token numbered twice",
    of=VOCABULARY,
    swaps={OTHERS: "sorted(tokens)", NUMBERED: "{token: i for i, token in reversed(list(enumerate(ordered)))}"},
    says=TWICE_SAYS,
)

sorted_in = Mistake(
    "special tokens sorted in with the others",
    of=VOCABULARY,
    swap=ORDERED,
    by="sorted(tokens | set(specials))",
    says="The special tokens are sorted in among the others. They come first, in the order in which they are given, so that padding is 0 whatever the text holds. Sort the others "
    "only.",
)

LEFT_OUT_SAYS = "The special tokens have no ids. The model needs them: to fill up, to begin, to stop. They come first, in the order in which they are given."
left_out = Mistake(
    "special tokens left out", of=VOCABULARY, swap=ORDERED, by="sorted(tokens - set(specials))", says=LEFT_OUT_SAYS
)

wrong_way = Mistake(
    "ids to tokens",
    of=VOCABULARY,
    swap=NUMBERED,
    by="dict(enumerate(ordered))",
    says="Your dict goes from ids to tokens. Asked for here is the other way: the token is the key, its id the value. The one for reading the model's answers can be made of it.",
)

three_specials = Mistake(
    "three special tokens taken for granted",
    of=VOCABULARY,
    swap=NUMBERED,
    by="{token: i for i, token in enumerate(specials)} | {token: i + 3 for i, token in enumerate(ordered[len(specials) :])}",
    says="The other tokens begin with id 3, however many special tokens there are. With four of them two tokens share an id, with none the first ids are missing. Begin behind the last special token.",
)

left_to_sentences = Mistake(
    "special tokens left out", of=VOCABULARY, swap=ORDERED, by="sorted(tokens)", says=LEFT_OUT_SAYS
)

SPECIALS_SORTED_SAYS = "The special tokens are sorted among themselves. They keep the order in which they are given: whoever puts padding first wants it to be 0."
specials_sorted = Mistake(
    "special tokens sorted", of=VOCABULARY, swap="[*specials, *", by="[*sorted(specials), *", says=SPECIALS_SORTED_SAYS
)

ALWAYS_THREE_SAYS = "Whatever special tokens are given, yours are always the same three. Those are only what `specials` is by default; use the argument."
always_three = Mistake(
    "always the same special tokens",
    of=VOCABULARY,
    swap=TOKENS,
    by=TOKENS + '\n    specials = ("<pad>", "<bos>", "<eos>")',
    says=ALWAYS_THREE_SAYS,
)

REPEATED_SAYS = "Every occurrence of a token takes a number, so a token that stands there twice leaves a gap in the ids, or gets its last place. Make the tokens different first: a set holds each of them once."
repeated = Mistake(
    "every occurrence numbered",
    of=VOCABULARY,
    swaps={
        TOKENS: "[token for sentence in sentences for token in sentence]",
        OTHERS: "sorted(token for token in tokens if token not in specials)",
    },
    says=REPEATED_SAYS,
)
repeated_first_kept = Mistake(
    "every occurrence numbered",
    of=VOCABULARY,
    swaps={
        TOKENS: "[token for sentence in sentences for token in sentence]",
        OTHERS: "sorted(tokens)",
        NUMBERED: "{token: i for i, token in reversed(list(enumerate(ordered)))}",
    },
    says=REPEATED_SAYS,
)

lower = Mistake(
    "made lower case",
    of=VOCABULARY,
    swap="{token for sentence",
    by="{token.lower() for sentence",
    says="The tokens come out in lower case. Whoever looks up one with a capital finds nothing. A token is taken as it is; whether capitals matter is decided when text is cut.",
)

# Batches ----------------------------------------------------------------------------

BATCH = "pad_batch"
LONGEST = "max(len(ids) for ids in sequences)"
ROW = "[*ids, *[pad_id] * (longest - len(ids))]"

on_the_left = Mistake(
    "padding in front",
    of=BATCH,
    swaps={"[*ids, *": "[*", "(longest - len(ids))]": "(longest - len(ids)), *ids]"},
    says="The padding stands in front of the ids. Then a sequence begins at another position in every batch, and the model learns positions. Fill up behind the last id.",
)

with_zero = Mistake(
    "filled up with 0",
    of=BATCH,
    swap="[pad_id]",
    by="[0]",
    says="You fill up with 0, whatever pad_id is. 0 is what it is by default, so it works until somebody's padding has another id. Use the argument.",
)

CUT_SHORT_SAYS = "All sequences are cut to the length of the shortest. The rest of the longer ones is lost. Fill the shorter ones up."
cut_short = Mistake(
    "cut to the shortest",
    of=BATCH,
    swaps={"max(": "min(", "*ids, *[pad_id]": "*ids[:longest], *[pad_id]"},
    says=CUT_SHORT_SAYS,
)
cut_short_ids = Mistake(
    "cut to the shortest",
    of=BATCH,
    swaps={
        "max(": "min(",
        "*ids, *[pad_id]": "*ids[:longest], *[pad_id]",
        "for ids in sequences])": "for ids in sequences], dtype=torch.long)",
    },
    says=CUT_SHORT_SAYS,
)
cut_by_zip = Mistake(
    "cut to the shortest",
    of=BATCH,
    swap="torch.tensor([[*ids, *[pad_id] * (longest - len(ids))] for ids in sequences])",
    by="torch.tensor(list(zip(*zip(*sequences, strict=False), strict=False)))",
    says=CUT_SHORT_SAYS,
)

one_more = Mistake(
    "a column too many",
    of=BATCH,
    swap=LONGEST,
    by=LONGEST + " + 1",
    says="There is one column more than the longest sequence needs: padding for everyone. It costs time at every step and says nothing.",
)

turned = Mistake(
    "sequences as columns",
    of=BATCH,
    swap="for ids in sequences])",
    by="for ids in sequences]).T",
    says="Your sequences are the columns. `pad_sequence` of torch does that unless told otherwise, from a time when recurrent networks wanted it; in this course the batch comes first: `batch_first=True`.",
)

as_floats = Mistake(
    "ids as floats",
    of=BATCH,
    swap="for ids in sequences])",
    by="for ids in sequences], dtype=torch.float32)",
    says="The ids come out as floats. An id is a name and not an amount, and an embedding refuses floats. `torch.zeros`, `torch.full` and `torch.Tensor` make floats unless told otherwise; give "
    "`dtype=torch.long`.",
)

as_lists = Mistake(
    "no tensor",
    of=BATCH,
    swaps={"torch.tensor([": "([", "for ids in sequences])": "for ids in sequences])"},
    says="Lists come back. They have one length now, and `torch.tensor` makes one tensor of them.",
)

separate_rows = Mistake(
    "no tensor",
    of=BATCH,
    swap="torch.tensor([[*ids, *[pad_id] * (longest - len(ids))] for ids in sequences])",
    by="[torch.tensor([*ids, *[pad_id] * (longest - len(ids))]) for ids in sequences]",
    says="A list of tensors comes back, one for each row. They have one length now, and `torch.stack` or one `torch.tensor` around all rows makes a single tensor of them.",
)

CHANGED_SAYS = (
    "Your function changes the lists it was given: after it, they hold padding. The next batch with the same sentences would be filled up further, and the number of real tokens is lost. Make new lists; `+=`, `append` and `extend` "
    "change the old ones."
)
extended = Mistake(
    "the given lists filled up",
    of=BATCH,
    swaps={"[[*ids, *": "[ids.extend(", "(longest - len(ids))]": "(longest - len(ids))) or ids"},
    says=CHANGED_SAYS,
)

by_length = Mistake(
    "sorted by length",
    of=BATCH,
    swap=ROW + " for ids in sequences",
    by=ROW + " for ids in sorted(sequences, key=len, reverse=True)",
    says="The rows are sorted by length. Then row 3 of the sources is no longer the sentence of row 3 of the targets. Keep the order.",
)

# Whole translations ----------------------------------------------------------------------------

MATCH = "exact_match"
RIGHT = "right = target[: target.index(eos_id) + 1]"
SAME = "output[: len(right)] == right"
ANSWER = "torch.tensor(found, dtype=torch.bool)"

BEGINNING_SAYS = (
    "An output that goes on where the target ends counts as right. You compare up to the end and leave the end itself out, so `zwei und vierzig tausend` passes for `zwei und vierzig`. eos_id is a part of what "
    "has to be right."
)
beginning = Mistake(
    "a right beginning counts as right",
    of=MATCH,
    swap=RIGHT,
    by="right = target[: target.index(eos_id)]",
    says=BEGINNING_SAYS,
)

unfinished = Mistake(
    "an output without an end counts as right",
    of=MATCH,
    swaps={
        RIGHT: "right = target[: target.index(eos_id)]",
        SAME: "output[: output.index(eos_id) if eos_id in output else len(output)] == right",
    },
    says="An output that never came to an end counts as right if its tokens happen to be used up. You cut eos_id off on both sides before you compare. Keep it: to stop is a part of the translation.",
)

BEHIND_SAYS = (
    "You compare behind the end, too. What stands there is padding, as much as the batch happened to need, or whatever a decoder wrote on; none of it is the translation. Only the part up to and with the target's first "
    "eos_id counts."
)
behind = Mistake(
    "what stands behind the end counts",
    of=MATCH,
    swap=SAME,
    by="output == target",
    says=BEHIND_SAYS,
)
behind_as_tensors = Mistake(
    "what stands behind the end counts",
    of=MATCH,
    swap=ANSWER,
    by="(outputs == targets).all(dim=1)",
    says=BEHIND_SAYS,
)
behind_filled_up = Mistake(
    "what stands behind the end counts",
    of=MATCH,
    swap=SAME,
    by="all(a == b for a, b in zip(output + [0] * len(target), target + [0] * len(output), strict=False))",
    says=BEHIND_SAYS,
)
SHORTER_SAYS = (
    "An output that is too short counts as right. `zip` stops where the shorter of two lists ends, and so does a comparison after both are cut to one width; what is missing is never looked at. Compare the lengths as "
    "well, or whole lists with `==`."
)
shorter_one = Mistake(
    "compared up to the shorter one",
    of=MATCH,
    swap=SAME,
    by="all(a == b for a, b in zip(output, right, strict=False))",
    says=SHORTER_SAYS,
)
cut_to_one_width = Mistake(
    "compared up to the shorter one",
    of=MATCH,
    swap=SAME,
    by="all(a == b for a, b in zip(output, target, strict=False))",
    says=SHORTER_SAYS,
)

PADDING_SAYS = "Where the output has padding, anything counts as right. A model that writes nothing at all would be right every time. What counts is decided by the target: everything up to its first eos_id."
padding_passes = Mistake(
    "padding in the output counts as right",
    of=MATCH,
    swap=SAME,
    by="all(a in (b, 0) for a, b in zip(output + [0] * len(right), right, strict=False))",
    says=PADDING_SAYS,
)
padding_passes_in_rows = Mistake(
    "padding in the output counts as right",
    of=MATCH,
    swap=SAME,
    by="all(a in (b, 0) for a, b in zip(output, target, strict=False))",
    says=PADDING_SAYS,
)
padding_passes_in_wide_rows = Mistake(
    "padding in the output counts as right",
    of=MATCH,
    swap=SAME,
    by="all(a in (b, 0) for a, b in zip(output, target + [0] * len(output), strict=False))",
    says=PADDING_SAYS,
)

zero_is_padding = Mistake(
    "0 is taken for padding",
    of=MATCH,
    swap=RIGHT,
    by="right = [token for token in target if token != 0]",
    says="You take the target's part that is not 0 for what counts. It goes up to the first eos_id, and what stands behind that may be anything: this function is never told which id is padding.",
)

SHARE_SAYS = "You measure the share of tokens that are right. A number with one wrong digit is another number: of ten tokens nine right is no translation at nine tenths. The answer for each is yes or no: all of its tokens, or not."
share = Mistake(
    "the share of right tokens",
    of=MATCH,
    swaps={
        SAME: "sum(a == b for a, b in zip(output, right, strict=False)) / len(right)",
        ANSWER: "torch.tensor(found)",
    },
    says=SHARE_SAYS,
)

any_token = Mistake(
    "one right token is enough",
    of=MATCH,
    swap=SAME,
    by="any(a == b for a, b in zip(output, right, strict=False))",
    says="A single right token makes a translation right. `any` asks whether one of them holds; asked is whether all do.",
)

ONE_SAYS = "One answer comes back for the whole batch. Asked is one for each translation, in a tensor: the share is its mean, and the wrong ones can be picked out and looked at."
all_of_them = Mistake("one answer for the whole batch", of=MATCH, swap=ANSWER, by="all(found)", says=ONE_SAYS)
mean_of_them = Mistake(
    "one answer for the whole batch", of=MATCH, swap=ANSWER, by="sum(found) / len(found)", says=ONE_SAYS
)
mean_as_tensor = Mistake(
    "one answer for the whole batch",
    of=MATCH,
    swap=ANSWER,
    by="torch.tensor(found, dtype=torch.float32).mean()",
    says=ONE_SAYS,
)

all_as_tensor = Mistake(
    "one answer for the whole batch", of=MATCH, swap=ANSWER, by="torch.tensor(all(found))", says=ONE_SAYS
)

two_ends = Mistake(
    "the global EOS instead of eos_id",
    of=MATCH,
    swap="target.index(eos_id)",
    by="target.index(2)",
    says="You look for the id 2, whatever eos_id is. It is the value of EOS in this notebook, so here it works; another vocabulary ends with another id. Use the argument.",
)

ORDER_SAYS = "The order of the tokens does not matter to you. `vier und zwanzig` and `zwanzig und vier` hold the same tokens; translation is what puts them in order. Compare place by place."
any_order = Mistake(
    "in any order",
    of=MATCH,
    swap=SAME,
    by="sorted(output[: output.index(eos_id) + 1] if eos_id in output else output) == sorted(right)",
    says=ORDER_SAYS,
)
as_sets = Mistake(
    "in any order",
    of=MATCH,
    swap=SAME,
    by="set(output[: output.index(eos_id) + 1] if eos_id in output else output) == set(right)",
    says=ORDER_SAYS,
)

last_end = Mistake(
    "cut at the last end",
    of=MATCH,
    swap="target.index(eos_id) + 1",
    by="len(target) - target[::-1].index(eos_id)",
    says="You cut at the last eos_id. The translation is over at the first; there may be more behind it. `list.index` finds the first.",
)

# Alignment ----------------------------------------------------------------------------

ALIGNMENT = "alignment_share"
COUNTS = "wanted >= 0  # (batch, tgt_len)"
LARGEST = "weights.mean(dim=1).argmax(dim=-1)"
HITS = "(largest == wanted)[counts]"
SHARE = "(largest == wanted)[counts].float().mean().item()"

HEADS_SAYS = (
    "Every head is asked by itself, and the answers are averaged. Heads have different jobs, and one that looks elsewhere is no mistake. Asked is where they look together: the mean over the heads first, the largest "
    "weight then."
)
each_head = Mistake(
    "every head by itself",
    of=ALIGNMENT,
    swaps={
        LARGEST: "weights.argmax(dim=-1)",
        HITS: "(largest == wanted.unsqueeze(1))[counts.unsqueeze(1).expand_as(largest)]",
    },
    says=HEADS_SAYS,
)

any_head = Mistake(
    "one head is enough",
    of=ALIGNMENT,
    swaps={LARGEST: "weights.argmax(dim=-1)", HITS: "(largest == wanted.unsqueeze(1)).any(dim=1)[counts]"},
    says="A target token counts if any head looks at the right place. With enough heads one of them nearly always does, by chance. Asked is where they look together: the mean over the heads.",
)

loudest_head = Mistake(
    "the surest head decides",
    of=ALIGNMENT,
    swap="weights.mean(dim=1)",
    by="weights.amax(dim=1)",
    says="You take the largest weight of any head. Then the surest head speaks for all. Asked is the mean over the heads.",
)

first_head = Mistake(
    "the first head only",
    of=ALIGNMENT,
    swap="weights.mean(dim=1)",
    by="weights[:, 0]",
    says="Only the first head is looked at. Heads have different jobs, and which of them has which is chance. Take the mean over all of them.",
)

over_target = Mistake(
    "the largest over the target",
    of=ALIGNMENT,
    swap="argmax(dim=-1)",
    by="argmax(dim=-2)",
    says="You look for the largest weight along the target. That says for each source token who looks at it most. Asked is for each target token where it looks: along the source, the last dimension.",
)

all_count = Mistake(
    "tokens without a source count",
    of=ALIGNMENT,
    swap="(largest == wanted)[counts]",
    by="(largest == wanted)",
    says="Target tokens that translate nothing, those with -1, are counted as misses. `und` has no source, nor has padding, so no weight could be right there. Leave them out of the division as well.",
)

sentence_by_sentence = Mistake(
    "the mean of sentences",
    of=ALIGNMENT,
    swap=SHARE,
    by="((largest == wanted) & counts).sum(dim=1).div(counts.sum(dim=1)).mean().item()",
    says="You take the share of each sentence, and the mean of these. A token of a short sentence weighs more then than one of a long sentence, and a sentence where nothing counts divides by zero. All target tokens weigh the "
    "same.",
)

ZERO_SAYS = "Place 0 is left out. It is the first source token, as good as any; only -1 means that there is none. The comparison is `>= 0`."
true_places = Mistake(
    "place 0 does not count", of=ALIGNMENT, swap=COUNTS, by="wanted != 0  # (batch, tgt_len)", says=ZERO_SAYS
)
not_at_zero = Mistake(
    "place 0 does not count",
    of=ALIGNMENT,
    swap=COUNTS,
    by="wanted > 0  # (batch, tgt_len)",
    says=ZERO_SAYS,
)

soft = Mistake(
    "the weight and not the share",
    of=ALIGNMENT,
    swap=SHARE,
    by="weights.mean(dim=1).gather(-1, wanted.clamp(min=0).unsqueeze(-1)).squeeze(-1)[counts].mean().item()",
    says="You measure how large the weight on the right place is. Asked is how often it is the largest: yes or no for each target token, then the share.",
)

next_row = Mistake(
    "the row of the next token",
    of=ALIGNMENT,
    swap=HITS,
    by="(largest[:, 1:] == wanted[:, :-1])[counts[:, :-1]]",
    says="You compare each token with the row after its own. In row i the decoder has read what stands before token i and is about to write it; that is the row that counts. `weights` and `wanted` line up as they are.",
)

row_before = Mistake(
    "the row of the token before",
    of=ALIGNMENT,
    swap=HITS,
    by="(largest[:, :-1] == wanted[:, 1:])[counts[:, 1:]]",
    says="You compare each token with the row before its own. `wanted` has nothing for a start token, so `weights` and `wanted` line up as they are.",
)

percent = Mistake(
    "in per cent",
    of=ALIGNMENT,
    swap="    return ",
    by="    return 100 * ",
    says="The share comes out in per cent. It goes from 0 to 1; how it is printed is for the one who prints it.",
)

# BLEU ----------------------------------------------------------------------------

BLEU = "corpus_bleu"
PAIRS = "[(ngrams(one, n), ngrams(other, n)) for one, other in both]"
MATCHES = "(one & other).total()"
TOTAL = "one.total() for one, _ in pairs"
PRECISION = "matches / sum(one.total() for one, _ in pairs)"
ORDERS = "range(1, max_n + 1)"
BREVITY = "min(1.0, math.exp(1 - right / written))"
MEAN = "math.exp(sum(logs) / max_n)"
NOTHING = "if matches == 0:"

unclipped = Mistake(
    "every occurrence counts",
    of=BLEU,
    swap=MATCHES,
    by="sum(count for gram, count in one.items() if gram in other)",
    says="An n-gram counts as often as it is written. `zwei zwei zwei zwei` would be perfect by its single tokens wherever the reference has a `zwei`. It counts at most as often as it stands in the reference: `&` of two Counters.",
)

SETS_SAYS = "Every different n-gram counts once. One that stands twice in the output, and twice in the reference, counts twice: use `.total()` of the Counter, not `len`."
sets = Mistake(
    "every n-gram counts once",
    of=BLEU,
    swaps={MATCHES: "len(one & other)", TOTAL: "len(one) for one, _ in pairs"},
    says=SETS_SAYS,
)

sets_below = Mistake(
    "every n-gram counts once",
    of=BLEU,
    swap=TOTAL,
    by="len(one) for one, _ in pairs",
    says=SETS_SAYS,
)
sets_above = Mistake("every n-gram counts once", of=BLEU, swap=MATCHES, by="len(one & other)", says=SETS_SAYS)

no_brevity = Mistake(
    "no brevity",
    of=BLEU,
    swap="brevity * ",
    by="",
    says="Outputs that are too short cost nothing. Precision asks whether what was written is right; a model that writes only what it is sure of would win. That is what brevity is for.",
)

TURNED_SAYS = "Brevity is the wrong way round: yours is below 1 where the outputs are longer than the references. Too long an output has its precision lowered already; too short a one has not."
turned_brevity = Mistake(
    "brevity the wrong way round", of=BLEU, swap="right / written", by="written / right", says=TURNED_SAYS
)
turned_sign = Mistake(
    "brevity the wrong way round", of=BLEU, swap="1 - right / written", by="right / written - 1", says=TURNED_SAYS
)

uncapped = Mistake(
    "brevity above 1",
    of=BLEU,
    swap=BREVITY,
    by="math.exp(1 - right / written)",
    says="Your brevity rises above 1 for outputs that are longer than the references. There is no prize for length: it is 1 from there on.",
)

ratio = Mistake(
    "brevity as a ratio",
    of=BLEU,
    swap=BREVITY,
    by="min(1.0, written / right)",
    says="Your brevity is the ratio of the lengths. It is exp(1 - r / o), which falls faster.",
)

SENTENCE_BREVITY_SAYS = "Brevity is taken sentence by sentence. It compares all tokens of the outputs with all of the references, so that one short sentence can be made up for by another."
brevity_by_sentence = Mistake(
    "brevity sentence by sentence",
    of=BLEU,
    swap=BREVITY,
    by="sum(min(1.0, math.exp(1 - len(b) / max(len(a), 1e-2))) for a, b in zip(outputs, references, strict=True)) / len(outputs)",
    says=SENTENCE_BREVITY_SAYS,
)

ARITHMETIC_SAYS = "You take the arithmetic mean of the precisions. The geometric one is asked for: precisions shrink fast with n, and in a sum the single tokens would drown the rest."
arithmetic = Mistake(
    "the arithmetic mean",
    of=BLEU,
    swap=MEAN,
    by="(sum(math.exp(one) for one in logs) / max_n)",
    says=ARITHMETIC_SAYS,
)

arithmetic_with_zeros = Mistake(
    "the arithmetic mean",
    of=BLEU,
    swaps={
        NOTHING: "if False:",
        "math.log(matches / sum(one.total() for one, _ in pairs))": "matches / max(sum(one.total() for one, _ in pairs), 1)",
        "1 - right / written": "1 - right / max(written, 1)",
        MEAN: "(sum(logs) / max_n)",
    },
    says=ARITHMETIC_SAYS,
)

product = Mistake(
    "the product of the precisions",
    of=BLEU,
    swap=MEAN,
    by="math.exp(sum(logs))",
    says="The precisions are multiplied, and no root is taken. The geometric mean of four numbers is the fourth root of their product: divide the sum of the logarithms by max_n.",
)

by_four = Mistake(
    "always divided by 4",
    of=BLEU,
    swap="sum(logs) / max_n",
    by="sum(logs) / 4",
    says="The sum of the logarithms is divided by 4, whatever max_n is. It is 4 by default, so it works until somebody asks for pairs only. There are max_n precisions.",
)

to_one = Mistake(
    "from 0 to 1",
    of=BLEU,
    swap="100 * ",
    by="",
    says="Your result goes from 0 to 1. BLEU is reported from 0 to 100, by sacrebleu and in papers.",
)

recall = Mistake(
    "recall instead of precision",
    of=BLEU,
    swap=TOTAL,
    by="other.total() for _, other in pairs",
    says="You divide by the n-grams of the references. That is recall: how much of the reference was found. Precision divides by those of the outputs, and brevity takes the place of recall.",
)

sentence_mean = Mistake(
    "the mean of sentences",
    of=BLEU,
    swap="logs = []",
    by="if len(outputs) > 1:\n"
    "        alone = [corpus_bleu([one], [other], max_n) for one, other in zip(outputs, references, strict=True)]\n"
    "        return sum(alone) / len(alone)\n"
    "    logs = []",
    says="You take BLEU of each sentence, and the mean of these. A sentence without a single match of four tokens is then 0, however good. Matches and totals are added up over the whole corpus first; the division comes then.",
)

PRECISIONS_SAYS = "You take the precision of each sentence, and the mean of these. Then a short sentence weighs as much as a long one. Matches and totals are added up over the whole corpus first; the division comes then."
mean_of_precisions = Mistake(
    "the mean of the sentences' precisions",
    of=BLEU,
    swap=PRECISION,
    by="sum((one & other).total() / max(one.total(), 1) for one, other in pairs) / len(pairs)",
    says=PRECISIONS_SAYS,
)
mean_where_there_are_some = Mistake(
    "the mean of the sentences' precisions",
    of=BLEU,
    swap=PRECISION,
    by="sum((one & other).total() / one.total() for one, other in pairs if one) / sum(1 for one, _ in pairs if one)",
    says=PRECISIONS_SAYS,
)

joined = Mistake(
    "n-grams across sentences",
    of=BLEU,
    swap=PAIRS,
    by="[(ngrams(sum(map(list, outputs), []), n), ngrams(sum(map(list, references), []), n))]",
    says="All sentences are put into one before n-grams are taken. Then there are n-grams that begin in one sentence and end in the next, and a token may match in a sentence where it was not wanted. Go sentence by sentence.",
)

pooled = Mistake(
    "looked for in all references",
    of=BLEU,
    swap=PAIRS,
    by="[(sum((ngrams(one, n) for one in outputs), Counter()), sum((ngrams(one, n) for one in references), Counter()))]",
    says="The n-grams of all outputs are looked for in all references together. An n-gram counts only if it stands in the reference of its own sentence. Take matches sentence by sentence, then add them up.",
)

longest_only = Mistake(
    "the longest n-grams only",
    of=BLEU,
    swaps={ORDERS: "range(max_n, max_n + 1)", MEAN: "math.exp(sum(logs))"},
    says="Only n-grams of length max_n are counted. All lengths from 1 on are asked for, and the mean of their precisions.",
)

ONE_SHORT_SAYS = (
    "The longest n-grams are missing: `range(1, max_n)` ends one before max_n. BLEU goes up to n-grams of four tokens."
)
one_short = Mistake("one length too few", of=BLEU, swap=ORDERS, by="range(1, max_n)", says=ONE_SHORT_SAYS)
one_short_mean = Mistake(
    "one length too few",
    of=BLEU,
    swaps={ORDERS: "range(1, max_n)", MEAN: "math.exp(sum(logs) / max(len(logs), 1))"},
    says=ONE_SHORT_SAYS,
)

one_short_divided = Mistake(
    "one length too few",
    of=BLEU,
    swaps={ORDERS: "range(1, max_n)", MEAN: "math.exp(sum(logs) / len(logs))"},
    says=ONE_SHORT_SAYS,
)

up_to_four = Mistake(
    "max_n not used",
    of=BLEU,
    swaps={ORDERS: "range(1, 5)", "sum(logs) / max_n": "sum(logs) / 4"},
    says="You count n-grams of up to four tokens, whatever max_n is. It is 4 by default, so it works until somebody asks for pairs only. Use the argument.",
)

SKIPPED_SAYS = "A length of which no n-gram matches is left out of the mean. So an output without a single right pair is judged by its tokens alone. The geometric mean of anything and 0 is 0: return it at once."
skipped = Mistake("lengths without a match left out", of=BLEU, swap="return 0.0", by="continue", says=SKIPPED_SAYS)
skipped_mean = Mistake(
    "lengths without a match left out",
    of=BLEU,
    swaps={
        "return 0.0": "continue",
        "sum(logs) / max_n": "sum(logs) / max(len(logs), 1)",
        "1 - right / written": "1 - right / max(written, 1e-9)",
    },
    says=SKIPPED_SAYS,
)

smoothed_without_zero = Mistake(
    "smoothed",
    of=BLEU,
    swaps={NOTHING: "if False:", PRECISION: "(matches + 1) / (sum(one.total() for one, _ in pairs) + 1)"},
    says="You add one to the counts. That is a smoothing made for single sentences; over a corpus none is needed, and the numbers would not be those of others.",
)

BASE_SAYS = "Your logarithm has another base than your exponential. `math.exp` undoes `math.log`, the natural one."
base_10, base_2 = (
    Mistake("a logarithm of another base", of=BLEU, swap="math.log(matches", by=f"math.{log}(matches", says=BASE_SAYS)
    for log in ("log10", "log2")
)

smoothed = Mistake(
    "smoothed",
    of=BLEU,
    swap=PRECISION,
    by="(matches + (n > 1)) / (sum(one.total() for one, _ in pairs) + (n > 1))",
    says="You add one to the counts. That is a smoothing made for single sentences; over a corpus none is needed, and the numbers would not be those of others.",
)
smoothed_all = Mistake(
    "smoothed",
    of=BLEU,
    swap=PRECISION,
    by="(matches + 1) / (sum(one.total() for one, _ in pairs) + 1)",
    says="You add one to the counts. That is a smoothing made for single sentences; over a corpus none is needed, and the numbers would not be those of others.",
)

exchanged = Mistake(
    "outputs and references exchanged",
    of=BLEU,
    swaps={
        PAIRS: "[(ngrams(other, n), ngrams(one, n)) for one, other in both]",
        "written, right = sum(map(len, outputs)), sum(map(len, references))": "right, written = sum(map(len, outputs)), sum(map(len, references))",
    },
    says="Outputs and references are exchanged: you ask how much of the references stands in the outputs, and whether the references are too short. Precision is about what was written.",
)
