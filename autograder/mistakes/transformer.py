"""Wrong ways of lesson 08. Several edits may carry one name: the same slip is made in several places."""

from autograder.probing.mistake import Mistake

EMBED, MASKS, MODEL, COUNT = "TokenEmbedding", "make_masks", "Transformer", "parameter_count"
INIT, ENCODE, DECODE, FORWARD = (f"{MODEL}.{method}" for method in ("__init__", "encode", "decode", "forward"))

# The reference's own words, which the edits replace.
LOOK_UP = "self.embedding(token_ids) * math.sqrt(d_model)"
HIDE = "vectors.masked_fill(is_pad, 0.0)"
READ, WRITE = "self.src_embedding(src_ids)", "self.tgt_embedding(tgt_ids)"
READ_AT, WRITE_AT = f"self.positions({READ})", f"self.positions({WRITE})"
SRC_PAD = "padding_mask(src_ids, self.config.pad_id)"
TGT_PAD, CAUSAL = "padding_mask(tgt_ids, self.config.pad_id)", "causal_mask(tgt_ids.size(1))"
TO_DECODER = "memory, tgt_mask, src_mask)"
MEMORY = "self.encode(src_ids)"
SCORES = f"self.output(self.decode(tgt_ids, {MEMORY}, src_mask))"
LINEAR = "nn.Linear(config.d_model, config.tgt_vocab_size, bias=False)"
SHARE, TIE = (
    "self.tgt_embedding = self.src_embedding",
    "self.output.weight = self.tgt_embedding.embedding.weight",
)
ROOT = "self.config.d_model**0.5"


def in_one(name: str, inside: str, swap: str, by: str, says: str) -> Mistake:
    """A mistake made in one method of the Transformer."""
    return Mistake(name, of=MODEL, inside=inside, swap=swap, by=by, says=says)


def either_side(name: str, by: str, says: str) -> tuple[Mistake, Mistake, Mistake]:
    """A mistake made with what comes out of the embedding, {x}: of both sides, the source's, the target's."""
    source, target = {READ_AT: by.format(x=READ)}, {WRITE_AT: by.format(x=WRITE)}
    both, first, second = (
        Mistake(name, of=MODEL, swaps=swaps, says=says) for swaps in (source | target, source, target)
    )
    return both, first, second


# TokenEmbedding ----------------------------------------------------------------------------

NO_ROOT = (
    "The vectors are not multiplied by √d_model. The table starts with a spread of 1/√d_model, so they come out small: sines and cosines of size 1, added next, drown them at first. "
    "The factor stands in section 3.4 of the paper, in one sentence that is easily missed."
)
no_root = Mistake("no √d_model", of=(EMBED, MODEL), swap=LOOK_UP, by="self.embedding(token_ids)", says=NO_ROOT)
# Looking up in the table directly leaves out all that TokenEmbedding does.
BYPASSED = (
    "Your model looks up in the table and passes TokenEmbedding by. So neither the factor √d_model nor the zeros for padding are there. Call `self.src_embedding(...)`, not "
    "`self.src_embedding.embedding(...)`."
)
bypassed_both = Mistake(
    "TokenEmbedding passed by",
    of=MODEL,
    swaps={READ: READ.replace("(", ".embedding("), WRITE: WRITE.replace("(", ".embedding(")},
    says=BYPASSED,
)
bypassed_source = in_one("TokenEmbedding passed by", ENCODE, READ, READ.replace("(", ".embedding("), BYPASSED)
bypassed_target = in_one("TokenEmbedding passed by", DECODE, WRITE, WRITE.replace("(", ".embedding("), BYPASSED)

by_d = Mistake(
    "multiplied by d_model, not its root",
    of=EMBED,
    swap="math.sqrt(d_model)",
    by="d_model",
    says="The vectors are multiplied by d_model. It is the root of it: the table's numbers have a spread of 1/√d_model, and √d_model brings them to 1.",
)
divided = Mistake(
    "divided by √d_model",
    of=EMBED,
    swap=" * math.sqrt(d_model)",
    by=" / math.sqrt(d_model)",
    says="The vectors are divided by √d_model. Scores of attention are divided by a root, so that they stay small; the vectors of the table are multiplied by one, so that they are not.",
)
root_of_vocabulary = Mistake(
    "√vocab_size instead of √d_model",
    of=EMBED,
    swap="math.sqrt(d_model)",
    by="math.sqrt(vocab_size)",
    says="The factor is the root of the vocabulary's size. The table has the shape (vocab_size, d_model); the root is taken of its second size, the number of features.",
)

NOT_ZERO = "Padding has a vector like any other token. Where the id is `pad_id`, the result has to be zero, whatever stands in that row of the table: set it to zero after the look-up, with `masked_fill`. "
not_zero = Mistake("padding is not zero", of=EMBED, swap=HIDE, by="vectors", says=NOT_ZERO)
FILLED = "Padding is filled with a very negative number. That is what attention does to *scores*, because a softmax makes 0 of it; here nothing follows that would. The vector itself has to be zero."
filled_infinite, filled_large = (
    Mistake(
        "padding filled with minus infinity", of=EMBED, swap=HIDE, by=f"vectors.masked_fill(is_pad, {one})", says=FILLED
    )
    for one in ('float("-inf")', "-1e9")
)
PADDING_IDX = "nn.Embedding(vocab_size, d_model, padding_idx=pad_id)"
padding_idx_only = Mistake(
    "padding_idx instead of zeros",
    of=EMBED,
    swaps={
        "nn.Embedding(vocab_size, d_model)": PADDING_IDX,
        HIDE: "vectors",
    },
    says="You rely on `padding_idx`. It starts that row at zero and keeps the look-up's gradient from it, nothing more: initialising the table anew, or tying it to the output layer, which trains every row, "
    "fills the row with numbers. Set the vectors to zero after the look-up.",
)
zero_id = Mistake(
    "padding is taken to be id 0",
    of=EMBED,
    swap="token_ids == self.pad_id",
    by="token_ids == 0",
    says="You take id 0 for padding. It often is, but the constructor says which id it is: compare with `self.pad_id`.",
)
only_padding = Mistake(
    "padding is kept and the tokens are zero",
    of=EMBED,
    swap="token_ids == self.pad_id",
    by="token_ids != self.pad_id",
    says="The zeros are in the wrong places. Your tokens are zero and padding has a vector: the condition is turned round. `masked_fill` writes where its mask is True.",
)
row_written = Mistake(
    "the table's row is overwritten",
    of=EMBED,
    swaps={
        LOOK_UP: f"{LOOK_UP}; self.embedding.weight.data[self.pad_id] = 0.0",
    },
    says="You write zeros into the table. When the table is tied to the output layer, that also sets the score of the padding id to zero, at every call, against what training has found. Leave the table alone, and set the "
    "vectors to zero.",
)
row_written_before = Mistake(
    "the table's row is overwritten",
    of=EMBED,
    swaps={
        "vocab_size, d_model = self.embedding.weight.shape": "vocab_size, d_model = self.embedding.weight.shape; self.embedding.weight.data[self.pad_id] = 0.0",
        HIDE: "vectors",
    },
    says=row_written.says,
)
row_written_first = Mistake(
    "the table's row is overwritten",
    of=EMBED,
    swaps={
        LOOK_UP: f"self.embedding.weight.data.index_fill_(0, token_ids.new_tensor([self.pad_id]), 0.0)[token_ids]; vectors = {LOOK_UP}",
        HIDE: "vectors",
    },
    says=row_written.says,
)
table_detached = Mistake(
    "no gradient reaches the table",
    of=EMBED,
    swap=LOOK_UP,
    by="self.embedding.weight.data[token_ids] * math.sqrt(d_model)",
    says="No gradient reaches the table. `.data` and `detach()` cut the vectors off from the numbers they came from, and the embedding would keep its random start for ever. Index the weight itself, or call `self.embedding`.",
)
ids_accepted = Mistake(
    "ids that do not exist are not refused",
    of=EMBED,
    swap="not 0 <= lowest <= highest < vocab_size",
    by="False",
    says="An id outside the vocabulary is not refused. Whoever hands in id 5 for a vocabulary of 5 should read that the ids go up to 4, in a ValueError, as the given lines had it.",
)
ids_wrap = Mistake(
    "negative ids count from the end",
    of=EMBED,
    swaps={
        "not 0 <= lowest <= highest < vocab_size": "highest >= vocab_size",
        "self.embedding(token_ids)": "self.embedding.weight[token_ids]",
    },
    says="A negative id takes a row from the end of the table. Indexing with [-1] does that, silently. The given lines refuse ids below 0: leave them in.",
)

# make_masks ----------------------------------------------------------------------------

MASK_PADDING = "padding_mask(src_ids, pad_id)"
MASK_BOTH = "padding_mask(tgt_ids, pad_id) & causal_mask(tgt_ids.size(1))"
MASK_TGT = "padding_mask(tgt_ids, pad_id)"
RESULT = "return src_mask, tgt_mask"


def mask(name: str, says: str, **edits: str) -> Mistake:
    """A mistake in make_masks; what is edited is called by a short name."""
    places = {"source": MASK_PADDING, "target": MASK_TGT, "causal": CAUSAL, "result": RESULT}
    return Mistake(name, of=MASKS, swaps={places[place]: new for place, new in edits.items()}, says=says)


ORED = "The two masks are joined with or. A token then may look wherever one of them allows it: at every real token of the future, and at padding before it. It has to pass both: `&`."
# The whole line: joined with or, a mask that hides nothing gives what both together give when they are missing.
ored = Mistake("masks joined with or", of=MASKS, swap=MASK_BOTH, by=MASK_BOTH.replace("&", "|"), says=ORED)

READS_AHEAD = (
    "The target's mask is not causal. In training the decoder is given the whole target at once; without the causal mask each place simply reads the token it has to name, the loss falls beautifully, and the model can write "
    "nothing. Join `padding_mask` with `causal_mask`."
)
not_causal = mask("target not causal", READS_AHEAD, causal="True")
not_causal_full = mask("target not causal", READS_AHEAD, causal="(causal_mask(tgt_ids.size(1)) | True)")

TARGET_PADDING = (
    "The target's padding is not hidden. At the end of a row the causal mask hides it from the real tokens anyway, so you may never notice; where padding comes first, as when texts are continued, "
    "every token reads it. Join `causal_mask` with the `padding_mask` of the target."
)
target_padding = mask("padding of the target not hidden", TARGET_PADDING, target="tgt_ids.eq(tgt_ids)[:, None, None]")
target_padding_flat = mask(
    "padding of the target not hidden", TARGET_PADDING, target="True", result="return src_mask, tgt_mask[None, None]"
)
target_padding_bare = mask("padding of the target not hidden", TARGET_PADDING, target="True")

source_padding = mask(
    "padding of the source not hidden",
    "The source's padding is not hidden. Encoder and cross-attention would read what stands behind a short sentence, and the same sentence would come out differently in a longer batch. Its mask is the `padding_mask` of `src_ids`.",
    source="src_ids.eq(src_ids)[:, None, None]",
)

SOURCE_CAUSAL = "The source's mask is causal. The encoder may read both ways: nothing in the source is to be guessed, and the first word often depends on the last. Only the target is written token by token."
source_causal = mask("source causal", SOURCE_CAUSAL, source=f"{MASK_PADDING} & causal_mask(src_ids.size(1))")

INVERTED = 'True means hidden in your masks. In this course True means "may look", as in `F.scaled_dot_product_attention`; `nn.Transformer` has it the other way round. Compare with `!=`, and keep the lower triangle.'
inverted = mask("masks inverted", INVERTED, result="return ~src_mask, ~tgt_mask")
inverted_padding = mask("padding mask inverted", INVERTED, source=f"~{MASK_PADDING}", target=f"~{MASK_TGT}")
inverted_source = mask("padding mask inverted", INVERTED, source=f"~{MASK_PADDING}")
inverted_target = mask("padding mask inverted", INVERTED, target=f"~{MASK_TGT}")

past_hidden = mask(
    "the past hidden instead of the future",
    "The causal mask is the upper triangle. Row i says whom token i may look at, and that is itself and what came before: j <= i, the lower triangle, `tril`.",
    causal="causal_mask(tgt_ids.size(1)).T",
)
excludes_itself = mask(
    "causal mask excludes the token itself",
    "No token may look at itself. Your triangle begins below the diagonal, so that the first token can look at nothing at all. The decoder's input is shifted already: what stands at place i is known when the token after it is asked for.",
    causal="(causal_mask(tgt_ids.size(1)).T & ~causal_mask(tgt_ids.size(1))).T",
)
one_ahead = mask(
    "causal mask allows the next token",
    "Every token may look at the one after it. Your triangle reaches one beyond the diagonal, and the next token is exactly what place i has to name: the model reads its answer.",
    causal="nn.functional.pad(causal_mask(tgt_ids.size(1))[1:], (0, 0, 0, 1), value=True)",
)

QUERIES = "The padding mask lies along the queries. It blinds padding, which nobody needs, and lets every token *read* padding. Keys are the last dimension: (batch, 1, 1, length), not (batch, 1, length, 1)."
queries = mask(
    "padding hidden as query, not as key",
    QUERIES,
    source=f"{MASK_PADDING}.transpose(2, 3)",
    target=f"{MASK_TGT}.transpose(2, 3)",
)
queries_target = mask("padding hidden as query, not as key", QUERIES, target=f"{MASK_TGT}.transpose(2, 3)")
queries_source = mask("padding hidden as query, not as key", QUERIES, source=f"{MASK_PADDING}.transpose(2, 3)")

BLIND = "Padding is hidden as key and as query. The first half is needed; the second makes masks of another shape, whose rows of False look at nothing. What padded places compute is thrown away anyway: hide keys only."
blind = mask(
    "padding hidden as query as well",
    BLIND,
    source=f"{MASK_PADDING} & {MASK_PADDING}.transpose(2, 3)",
    target=f"{MASK_TGT}.transpose(2, 3) & {MASK_TGT}",
)
blind_target = mask("padding hidden as query as well", BLIND, target=f"{MASK_TGT}.transpose(2, 3) & {MASK_TGT}")
blind_source = mask("padding hidden as query as well", BLIND, source=f"{MASK_PADDING} & {MASK_PADDING}.transpose(2, 3)")

NO_HEADS = "A mask lacks the dimension of the heads. Weights have the shape (batch, num_heads, query_len, key_len), and a mask is matched with them from the right: without a 1 in second place, your batch would be taken for the heads."
no_heads = mask("no dimension for the heads", NO_HEADS, result="return src_mask.squeeze(1), tgt_mask.squeeze(1)")
no_heads_target = mask("no dimension for the heads", NO_HEADS, result="return src_mask, tgt_mask.squeeze(1)")
no_heads_source = mask("no dimension for the heads", NO_HEADS, result="return src_mask.squeeze(1), tgt_mask")
flat_source = mask("no dimension for the heads", NO_HEADS, result="return src_mask[:, 0, 0], tgt_mask")
flat = mask("no dimension for the heads", NO_HEADS, result="return src_mask[:, 0, 0], tgt_mask[:, 0]")

SPREAD = "The source's mask has a row for every query. It serves two attentions, and in the encoder the source asks, in the cross-attention the target, not equally many: leave a 1 there, (batch, 1, 1, src_len), and it broadcasts to both."
expanded = mask(
    "source mask spread over all queries",
    SPREAD,
    source=f"{MASK_PADDING}.expand(-1, -1, src_ids.size(1), -1)",
)
expanded_to_target = mask(
    "source mask spread over all queries", SPREAD, source=f"{MASK_PADDING}.expand(-1, -1, tgt_ids.size(1), -1)"
)
turned = mask(
    "masks returned in the other order",
    "The two masks have changed places. First the one for everything that reads the source, then the one of the target.",
    result="return tgt_mask, src_mask",
)
FIXED_ZERO = "Padding is taken to be id 0. It often is, and here `pad_id` says which id it is."
fixed_zero = mask(
    "padding is taken to be id 0", FIXED_ZERO, source="padding_mask(src_ids, 0)", target="padding_mask(tgt_ids, 0)"
)
zero_source = mask("padding is taken to be id 0", FIXED_ZERO, source="padding_mask(src_ids, 0)")
zero_target = mask("padding is taken to be id 0", FIXED_ZERO, target="padding_mask(tgt_ids, 0)")
NUMBERS = "The masks are numbers, not booleans. A mask of ones and zeros looks right when printed, and `~` and `masked_fill` do other things with it; attention refuses it. Compare, or call `.bool()`."
numbers = mask("numbers instead of booleans", NUMBERS, result="return src_mask.float(), tgt_mask.float()")
whole_numbers = mask("numbers instead of booleans", NUMBERS, result="return src_mask.int(), tgt_mask.int()")
long_numbers = mask("numbers instead of booleans", NUMBERS, result="return src_mask.long(), tgt_mask.long()")
one_of_numbers, one_of_whole = (
    mask("numbers instead of booleans", NUMBERS, result=f"return src_mask, tgt_mask.{kind}()")
    for kind in ("float", "int")
)
accepted = Mistake(
    "another number of targets is accepted",
    of=MASKS,
    swap="src_ids.size(0) != tgt_ids.size(0)",
    by="False",
    says="One source and two targets are not refused. A batch of 1 broadcasts against everything, so attention would not complain either, and both targets would be read beside the same source. The given lines raise a ValueError: leave them in.",
)

# Transformer: embeddings and positions ----------------------------------------------------------------------------

TWICE = "The vectors are multiplied by √d_model twice. TokenEmbedding has done it already, and now the positions are drowned. In code where a bare `nn.Embedding` is used the factor stands in the model; here it does not."
twice_both, twice_source, twice_target = either_side(
    "multiplied by √d_model twice", f"self.positions({{x}} * {ROOT})", TWICE
)
AFTER = "The positions are multiplied by √d_model as well. The factor is part of TokenEmbedding and comes before the positions are added: it is there to make the two alike in size."
after_both, after_source, after_target = either_side(
    "positions multiplied by √d_model too", f"self.positions({{x}}) * {ROOT}", AFTER
)

POSITIONS_TWICE = "The positions are added twice. `self.positions` adds them, and one call is enough: figure 1 of the paper has one sign for positions on each side."
positions_twice, source_positions_twice, target_positions_twice = either_side(
    "positions added twice", "self.positions(self.positions({x}))", POSITIONS_TWICE
)

no_source_positions = in_one(
    "no positions in the source",
    ENCODE,
    READ_AT,
    READ,
    "The source has no positions. To the encoder it is then a bag of tokens: any order gives the same vectors. Send what the embedding gives through `self.positions`, on both sides.",
)
no_target_positions = in_one(
    "no positions in the target",
    DECODE,
    WRITE_AT,
    WRITE,
    "The target has no positions. The causal mask lets a decoder guess a little of the order, but it is not told: send what the embedding gives through `self.positions`, on both sides.",
)

UNDROPPED = "There is no dropout after the positions. `self.positions` adds them and drops; adding its table by hand leaves the dropout out. Call the module."
undropped_both, undropped_source, undropped_target = either_side(
    "no dropout after the positions", "{x}.add(self.positions.table[: {x}.size(1)])", UNDROPPED
)

AGAIN = (
    "The positions are added to the memory a second time. The memory carries them already, from below the encoder; figure 1 of the paper has one sign for positions on each side, under the stacks. "
    "Published code does this, too."
)
AGAIN_NAME = "positions added to the memory again"
again_in_decode = in_one(AGAIN_NAME, DECODE, TO_DECODER, "self.positions(memory), tgt_mask, src_mask)", AGAIN)
again_in_forward = in_one(AGAIN_NAME, FORWARD, MEMORY, f"self.positions({MEMORY})", AGAIN)
again_in_encode = Mistake(
    AGAIN_NAME,
    of=MODEL,
    inside=ENCODE,
    swaps={"return self.encoder(": "return self.positions(self.encoder(", f"{READ_AT}, src_mask)": f"{READ_AT}, src_mask))"},
    says=AGAIN,
)  # fmt: skip

source_table = in_one(
    "target looked up in the source's table",
    DECODE,
    "self.tgt_embedding(",
    "self.src_embedding(",
    "The target is looked up in the source's table. Unless the two languages share one vocabulary, id 5 is one word here and another there: `decode` uses `self.tgt_embedding`.",
)
target_table = in_one(
    "source looked up in the target's table",
    ENCODE,
    "self.src_embedding(",
    "self.tgt_embedding(",
    "The source is looked up in the target's table. Unless the two languages share one vocabulary, id 5 is one word here and another there: `encode` uses `self.src_embedding`.",
)

# Transformer: masks ----------------------------------------------------------------------------

encoder_reads_padding = in_one(
    "encoder reads padding",
    ENCODE,
    SRC_PAD,
    "None",
    "The encoder has no mask. The tokens of a short sentence then read the padding behind them, and the same sentence comes out differently in a longer batch. Make the mask from `src_ids` and hand it to `self.encoder`.",
)
CROSS_READS = (
    "The cross-attention reads padding. Target tokens look at places of the memory where no source token stands: the source's mask does not reach the decoder. It is the last argument, "
    "`self.decoder(x, memory, tgt_mask, src_mask)`."
)
cross_ignored = in_one("cross-attention reads padding", DECODE, TO_DECODER, "memory, tgt_mask)", CROSS_READS)
cross_none = in_one(
    "cross-attention reads padding", FORWARD, f"{MEMORY}, src_mask)", f"{MEMORY}, src_mask | True)", CROSS_READS
)

model_not_causal = in_one("target not causal", DECODE, CAUSAL, f"({CAUSAL} | True)", READS_AHEAD)
model_target_padding = in_one(
    "padding of the target not hidden", DECODE, TGT_PAD, "tgt_ids.eq(tgt_ids)[:, None, None]", TARGET_PADDING
)
model_source_causal = in_one(
    "source causal", ENCODE, SRC_PAD, f"{SRC_PAD} & causal_mask(src_ids.size(1))", SOURCE_CAUSAL
)
model_source_causal_only = in_one("source causal", ENCODE, SRC_PAD, "causal_mask(src_ids.size(1))", SOURCE_CAUSAL)
model_ored = in_one("masks joined with or", DECODE, f"{TGT_PAD} & {CAUSAL}", f"{TGT_PAD} | {CAUSAL}", ORED)
model_past = in_one("the past hidden instead of the future", DECODE, CAUSAL, f"{CAUSAL}.T", past_hidden.says)
model_itself = in_one(
    "causal mask excludes the token itself", DECODE, CAUSAL, f"({CAUSAL}.T & ~{CAUSAL}).T", excludes_itself.says
)
model_ahead = in_one(
    "causal mask allows the next token",
    DECODE,
    CAUSAL,
    f"nn.functional.pad({CAUSAL}[1:], (0, 0, 0, 1), value=True)",
    one_ahead.says,
)

CROSS_CAUSAL = "The cross-attention is causal. Token i of the target may then read no source token after place i, although the whole source is there before a word is written. Only the target's self-attention is causal."
BAND = "(src_mask.new_ones(tgt_ids.size(1), memory.size(1)) > 0).tril()"
cross_causal = in_one(
    "cross-attention causal", DECODE, TO_DECODER, f"memory, tgt_mask, src_mask & {BAND})", CROSS_CAUSAL
)

EXCHANGED = (
    "The decoder's two masks have changed places. Its self-attention gets the source's, the cross-attention the target's: where the two are of one length this runs, and each reads what it must not. "
    "The order is `self.decoder(x, memory, tgt_mask, src_mask)`."
)
exchanged = in_one("masks of the decoder exchanged", DECODE, TO_DECODER, "memory, src_mask, tgt_mask)", EXCHANGED)
ONE_MASK = "Both attentions of the decoder get the same mask. They are two: the target's hides padding and the future of the target, the source's only padding of the source. Where both are of one length nothing fails, and it is wrong all the same."
one_mask_source = in_one("one mask for both attentions", DECODE, TO_DECODER, "memory, src_mask, src_mask)", ONE_MASK)
one_mask_target = in_one("one mask for both attentions", DECODE, TO_DECODER, "memory, tgt_mask, tgt_mask)", ONE_MASK)

wrong_mask = in_one(
    "decode is given the target's mask",
    FORWARD,
    "src_mask, _ =",
    "_, src_mask =",
    "`forward` hands the target's mask to `decode`. It makes that one itself, from `tgt_ids`; what it cannot make is the source's, as it never sees `src_ids`. `make_masks` returns the source's mask first.",
)

MODEL_INVERTED = 'True means hidden in a mask of yours. In this course True means "may look". Your model reads padding only, or the future only, and training makes the best of it: a falling loss proves nothing here. Take the `~` out, or compare with `!=`.'
model_inverted = Mistake(
    "masks inverted",
    of=MODEL,
    swaps={SRC_PAD: f"~{SRC_PAD}", TGT_PAD: f"~({TGT_PAD}", CAUSAL: f"{CAUSAL})", f"{MEMORY}, src_mask)": f"{MEMORY}, ~src_mask)"},
    says=MODEL_INVERTED,
)  # fmt: skip
model_inverted_padding = Mistake(
    "masks inverted",
    of=MODEL,
    swaps={SRC_PAD: f"~{SRC_PAD}", TGT_PAD: f"~{TGT_PAD}", f"{MEMORY}, src_mask)": f"{MEMORY}, ~src_mask)"},
    says=MODEL_INVERTED,
)
model_inverted_source = in_one("masks inverted", ENCODE, SRC_PAD, f"~{SRC_PAD}", MODEL_INVERTED)
model_inverted_target = Mistake(
    "masks inverted",
    of=MODEL,
    inside=DECODE,
    swaps={TGT_PAD: f"~({TGT_PAD}", CAUSAL: f"{CAUSAL})"},
    says=MODEL_INVERTED,
)
model_inverted_cross = in_one(
    "masks inverted", FORWARD, f"{MEMORY}, src_mask)", f"{MEMORY}, ~src_mask)", MODEL_INVERTED
)

model_queries = Mistake(
    "padding hidden as query, not as key",
    of=MODEL,
    swaps={SRC_PAD: f"{SRC_PAD}.transpose(2, 3)", TGT_PAD: f"{TGT_PAD}.transpose(2, 3)"},
    says=QUERIES,
)
model_queries_source = in_one(
    "padding hidden as query, not as key", ENCODE, SRC_PAD, f"{SRC_PAD}.transpose(2, 3)", QUERIES
)

no_masks = Mistake(
    "no masks at all",
    of=MODEL,
    swaps={SRC_PAD: "None", TO_DECODER: "memory)"},
    says="No attention has a mask. The encoder reads padding, the decoder reads padding and, worse, the future of the target: the very tokens it is to name. `encode` needs the source's mask, `decode` both.",
)
no_padding_hidden = Mistake(
    "padding hidden from nobody",
    of=MODEL,
    swaps={
        SRC_PAD: "None",
        TGT_PAD: "tgt_ids.eq(tgt_ids)[:, None, None]",
        TO_DECODER: "memory, tgt_mask)",
    },
    says="Nobody is kept from reading padding. The causal mask is there, and the `padding_mask` of source and target is not: the same sentence then comes out differently in a longer batch. The source's belongs to the encoder and to the "
    "cross-attention, the target's is joined with the causal one.",
)

MODEL_ZERO = "Padding is taken to be id 0. The configuration says which id it is: `self.config.pad_id`, in `encode`, in `decode` and in `forward`."
model_zero = Mistake(
    "padding is taken to be id 0",
    of=MODEL,
    swaps={
        SRC_PAD: "padding_mask(src_ids, 0)",
        TGT_PAD: "padding_mask(tgt_ids, 0)",
        "make_masks(src_ids, tgt_ids, self.config.pad_id)": "make_masks(src_ids, tgt_ids, 0)",
    },
    says=MODEL_ZERO,
)
# Transformer: the stacks ----------------------------------------------------------------------------

skipped = in_one(
    "the encoder is not used",
    ENCODE,
    "self.encoder(",
    "(lambda x, mask: x)(",
    "The encoder is never run. Your memory is the embedded source, and the decoder does what it can with that. `encode` sends it through `self.encoder`.",
)
skipped_by_forward = in_one("the encoder is not used", FORWARD, MEMORY, READ_AT, skipped.says)
IN_TURN = (
    "Encoder and decoder layers take turns. So the first decoder layer reads a source that only one encoder layer has worked on, and only the last layer reads the finished memory. They are two stacks: the encoder runs to its end, "
    "then every decoder layer reads what came out. An article runs both in one loop, with `i % 2`."
)
TURNS = (
    "x, y = {}, {}\n        _, tgt_mask = make_masks(src_ids, tgt_ids, self.config.pad_id)\n"
    "        for reader, writer in zip(self.encoder.layers, self.decoder.layers):\n"
    "            x = reader(x, src_mask)\n            y = writer(y, x, tgt_mask, src_mask)\n        return self.output({})"
).format(READ_AT, WRITE_AT, "{}")
RETURN_SCORES = f"return {SCORES}"
# Such a `forward` passes encode and decode by, and hides what is wrong there: to make that visible to the judge, the
# edit claims their text, so that it is not tried together with mistakes made in it.
CLAIMED = {text: text for text in (SRC_PAD, TGT_PAD, CAUSAL, READ_AT, WRITE_AT, TO_DECODER)}
in_turn, in_turn_normed = (
    Mistake(
        "encoder and decoder layers in turn",
        of=MODEL,
        swaps={RETURN_SCORES: TURNS.format(last), **CLAIMED},
        says=IN_TURN,
    )
    for last in ("y", "y if self.decoder.norm is None else self.decoder.norm(y)")
)
NORM_PASSED_BY = (
    "The layers are run one by one, and the last norm of the stack is passed by. With pre-norm each stack ends with a norm, and a loop over `layers` does not come to it. Call the stack itself: "
    "`self.encoder(x, src_mask)`."
)
ENCODER_RUNS, DECODER_RUNS = "return self.encoder(", "return self.decoder("
READS_IN_LOOP = {
    ENCODER_RUNS: "run = lambda x, *masks: [x := one(x, *masks) for one in self.encoder.layers][-1]; return run("
}
WRITES_IN_LOOP = {
    DECODER_RUNS: "run = lambda x, *rest: [x := one(x, *rest) for one in self.decoder.layers][-1]; return run("
}
norms_passed_by, norm_of_encoder, norm_of_decoder = (
    Mistake("last norm of a stack passed by", of=MODEL, swaps=swaps, says=NORM_PASSED_BY)
    for swaps in (READS_IN_LOOP | WRITES_IN_LOOP, READS_IN_LOOP, WRITES_IN_LOOP)
)
roles = in_one(
    "memory and target exchanged",
    DECODE,
    f"{WRITE_AT}, {TO_DECODER}",
    f"memory, {WRITE_AT}, tgt_mask, src_mask)",
    "The decoder's first two arguments have changed places. It now writes on the source and reads the target: the target's tokens come first, then the memory.",
)
detached = in_one(
    "no gradient reaches the encoder",
    FORWARD,
    MEMORY,
    f"{MEMORY}.detach()",
    "No gradient reaches the encoder. The memory is cut off from what made it (`detach`, `.data`, `no_grad`), so the encoder would keep its random start while the decoder trains. Encode once, but as part of the computation.",
)

# Transformer: the output ----------------------------------------------------------------------------

bias = in_one(
    "the output layer has a bias",
    INIT,
    "bias=False",
    "bias=True",
    "The output layer has a bias. The paper shares one matrix between embedding and output, and such a matrix has no bias; the constructor as it was given says `bias=False`.",
)
TWO_LINEAR = "There are two output layers in a row. With nothing between them, two matrices multiply to one matrix, and d_model · d_model parameters are there for nothing. One layer leads from the features to the vocabulary."
TIED_LAST = "self.output[-1].weight = self.tgt_embedding.embedding.weight"
two_layers, two_with_bias, two_all_biases = (
    Mistake(
        "two output layers in a row",
        of=MODEL,
        inside=INIT,
        swaps={
            LINEAR: f"nn.Sequential(nn.Linear(config.d_model, config.d_model{first}), {last})",
            TIE: TIED_LAST,
        },
        says=TWO_LINEAR,
    )
    for first, last in (
        (", bias=False", LINEAR),
        ("", LINEAR),
        ("", LINEAR.replace(", bias=False", "")),
    )
)
NO_OUTPUT = "The result has d_model numbers for a token, not one for every word. That is what comes out of the decoder; a score for each of the tgt_vocab_size words is what `self.output` makes of it."
no_output = in_one("logits of size d_model", FORWARD, f"return {SCORES}", f"return {SCORES.removeprefix('self.output')}", NO_OUTPUT)  # fmt: skip
narrow_output = in_one(
    "logits of size d_model",
    INIT,
    LINEAR,
    "nn.Linear(config.d_model, config.d_model, bias=False)",
    NO_OUTPUT,
)
decode_scores = Mistake(
    "decode already returns scores",
    of=MODEL,
    swaps={
        "return self.decoder(": "return self.output(self.decoder(",
        "tgt_mask, src_mask)": "tgt_mask, src_mask))",
        "self.output(self.decode(": "(self.decode(",
    },
    says="`decode` returns scores. It should return one vector for every token of the target, d_model numbers; the output layer belongs into `forward`. When texts are written token by token, only the last vector needs scores.",
)
SCALED = "The scores are multiplied by √d_model. The factor belongs to the embedding; where the output layer shares its table, the table is used as it is. Multiplied, the softmax starts out far too sure of itself."
scaled_output = in_one("√d_model on the output too", FORWARD, RETURN_SCORES, f"{RETURN_SCORES} * {ROOT}", SCALED)
scaled_if_tied = in_one(
    "√d_model on the output too",
    FORWARD,
    RETURN_SCORES,
    f"{RETURN_SCORES} * ({ROOT} if self.config.tie_output else 1.0)",
    SCALED,
)
DIVIDED = "The scores are divided by √d_model. T5 does that where output and table are tied; the paper of this lesson does not. The output layer's result is returned as it is."
divided_output = in_one("scores divided by √d_model", FORWARD, RETURN_SCORES, f"{RETURN_SCORES} / {ROOT}", DIVIDED)
divided_if_tied = in_one(
    "scores divided by √d_model",
    FORWARD,
    RETURN_SCORES,
    f"{RETURN_SCORES} / ({ROOT} if self.config.tie_output else 1.0)",
    DIVIDED,
)
SOFTMAX = "The softmax has been applied already. The model returns scores (logits), any real numbers: `F.cross_entropy` takes the softmax itself, and a second one on top flattens all probabilities until hardly anything is learned."
softmaxed = in_one("softmax already applied", FORWARD, RETURN_SCORES, f"{RETURN_SCORES}.softmax(-1)", SOFTMAX)
log_softmaxed = in_one("softmax already applied", FORWARD, RETURN_SCORES, f"{RETURN_SCORES}.log_softmax(-1)", SOFTMAX)
softmaxed_over_places = in_one(
    "softmax already applied", FORWARD, RETURN_SCORES, f"{RETURN_SCORES}.softmax(1)", SOFTMAX
)
last_only_says = "Only the last place is scored. That is enough to write the next token; in training every place of the target is a task of its own, all at once. Return the scores of all places."
last_only = in_one("only the last place is scored", FORWARD, RETURN_SCORES, f"{RETURN_SCORES}[:, -1]", last_only_says)
last_kept = in_one("only the last place is scored", FORWARD, RETURN_SCORES, f"{RETURN_SCORES}[:, -1:]", last_only_says)
shortened = in_one(
    "target shortened inside the model",
    FORWARD,
    "self.decode(tgt_ids,",
    "self.decode(tgt_ids[:, :-1],",
    "Your model drops the last token of the target. Whoever calls it has done so already: `forward` is given the decoder's input, begins to end, and returns scores for every place of it.",
)
SHIFTED = "Your model shifts the target to the right. Whoever calls it has done so already: `forward` is given the decoder's input, which begins with the start token. Shifted once more, each place lacks the very word before the one it is to name."
shifted_from_one, shifted_from_padding, shifted_round = (
    in_one("target shifted inside the model", FORWARD, "self.decode(tgt_ids,", f"self.decode({given},", SHIFTED)
    for given in (
        "nn.functional.pad(tgt_ids[:, :-1], (1, 0), value=1)",
        "nn.functional.pad(tgt_ids[:, :-1], (1, 0), value=self.config.pad_id)",
        "tgt_ids.roll(1, 1)",
    )
)
middle = in_one(
    "vocabulary in the middle",
    FORWARD,
    RETURN_SCORES,
    f"{RETURN_SCORES}.transpose(1, 2)",
    "The vocabulary stands in the middle. `F.cross_entropy` likes its classes there, but the model returns (batch, tgt_len, tgt_vocab): turn it round where the loss is computed.",
)
best = in_one(
    "the best token instead of scores",
    FORWARD,
    RETURN_SCORES,
    f"{RETURN_SCORES}.argmax(-1)",
    "The model returns tokens, not scores. An argmax has no gradient, so nothing could be trained; choosing a token is the business of whoever decodes (lesson 10).",
)

# Transformer: sharing and tying ----------------------------------------------------------------------------

tie_ignored = in_one(
    "tie_output ignored",
    INIT,
    TIE,
    "pass",
    "`tie_output` does nothing. The output layer keeps numbers of its own: assign the target table's weight to `self.output.weight`.",
)
COPIED = (
    "The weights are copied, not shared. They are equal at the start and go their own ways from the first step of training on. One Parameter has to serve in both places: assign the Parameter itself, without `clone`, `copy_` or "
    "`deepcopy`."
)
tie_copied = in_one(
    "tied weights copied instead of shared",
    INIT,
    TIE,
    "self.output.weight.data.copy_(self.tgt_embedding.embedding.weight.data)",
    COPIED,
)
DATA = (
    "The two share their memory, but not the Parameter. `.data`, or a new `nn.Parameter` around the old numbers, points both at the same numbers, and each is a Parameter with a gradient of its own: an optimizer would move the "
    "numbers twice in every step. Assign the Parameter itself, {}, with nothing around or behind it."
)
tie_data = in_one(
    "tied through .data",
    INIT,
    TIE,
    "self.output.weight.data = self.tgt_embedding.embedding.weight.data",
    DATA.format("`self.tgt_embedding.embedding.weight`"),
)
tie_source = in_one(
    "tied to the source's table",
    INIT,
    TIE,
    "self.output.weight = self.src_embedding.embedding.weight",
    "The output is tied to the source's table. It scores words of the *target*, so it shares the target's: with two vocabularies, even the number of scores comes out wrong.",
)
always_tied = in_one(
    "tied though not asked for",
    INIT,
    "if config.tie_output:\n",
    "if True:\n",
    "The output layer is always tied. It should be only if `config.tie_output` says so.",
)
tied_when_shared = in_one(
    "tied only where the embeddings are shared",
    INIT,
    "if config.tie_output:\n",
    "if config.tie_output and config.share_embeddings:\n",
    "The output layer is tied only where the embeddings are shared. The two choices are independent: an output can share the target's table while the source has another one.",
)
share_ignored = in_one(
    "share_embeddings ignored",
    INIT,
    SHARE,
    "pass",
    "`share_embeddings` does nothing. Source and target keep a table each: assign one embedding to both names.",
)
share_copied = in_one(
    "shared embedding copied",
    INIT,
    SHARE,
    "self.tgt_embedding.load_state_dict(self.src_embedding.state_dict())",
    "The shared embedding is copied, not shared. The two tables are equal at the start and go their own ways from the first step of training on. Assign the same module to both names.",
)
share_data = in_one(
    "shared through .data",
    INIT,
    SHARE,
    "self.tgt_embedding.embedding.weight.data = self.src_embedding.embedding.weight.data",
    DATA.format("or the whole module: `self.tgt_embedding = self.src_embedding`"),
)
choices_exchanged = Mistake(
    "share_embeddings and tie_output exchanged",
    of=MODEL,
    inside=INIT,
    swaps={
        "if config.share_embeddings:\n": "if config.tie_output:\n",
        "if config.tie_output:\n": "if config.share_embeddings:\n",
    },
    says="The two choices have changed places. `share_embeddings` is about the two tables at the input, `tie_output` about the output layer and the target's table.",
)
shared_before_tied = Mistake(
    "not tied where the embeddings are shared",
    of=MODEL,
    inside=INIT,
    swaps={
        "if config.share_embeddings:\n": "if config.tie_output:\n",
        SHARE: TIE,
        "if config.tie_output:\n": "if config.share_embeddings:\n",
        TIE: SHARE,
    },
    says="With both choices on, the output is not tied. Either you tie first and share afterwards, which puts another embedding in the target's place, and the output keeps one that is thrown away; or an `elif` lets only one of the two happen. They are independent, and the order counts: share first, then tie.",
)
ALWAYS_SHARED = "if config.share_embeddings or config.src_vocab_size == config.tgt_vocab_size:\n"
always_shared = in_one(
    "shared though not asked for",
    INIT,
    "if config.share_embeddings:\n",
    ALWAYS_SHARED,
    "The embeddings are shared although nobody asked. Two vocabularies of the same size are still two: share only if `config.share_embeddings` says so.",
)
always_shared_plainly = in_one(
    "shared though not asked for", INIT, "if config.share_embeddings:\n", "if True:\n", always_shared.says
)

# parameter_count ----------------------------------------------------------------------------


def count(name: str, swap: str, by: str, says: str) -> Mistake:
    """A mistake in parameter_count."""
    return Mistake(name, of=COUNT, swap=swap, by=by, says=says)


ATTENTION, FEED_FORWARD = "4 * (d * d + d)", "(d * d_ff + d_ff) + (d_ff * d + d)"
FINAL = "2 * norm if config.norm_first else 0"
TOTAL = "config.num_layers * (encoder_layer + decoder_layer)"

no_attention_biases = count(
    "biases of attention not counted",
    "d * d + d)",
    "d * d)",
    "The biases of the attentions are missing. Each of the four linear layers has d_model of them, beside its d_model · d_model weights.",
)
NO_BIASES = "A bias of the feed-forward network is missing. `linear1` has d_ff of them, one for each number that it makes, and `linear2` has d_model."
no_feed_forward_biases = count(
    "biases of the feed-forward network not counted", FEED_FORWARD, "2 * d * d_ff", NO_BIASES
)
no_first_bias = count("biases of the feed-forward network not counted", "+ d_ff)", ")", NO_BIASES)
no_biases = Mistake(
    "no biases counted",
    of=COUNT,
    swaps={ATTENTION: "4 * d * d", FEED_FORWARD: "2 * d * d_ff"},
    says="The biases of the linear layers are missing. All of them have one, those of attention and those of the feed-forward network: as many numbers as they make. Only the output layer has none.",
)
BIAS_SIZE = "A bias of the feed-forward network has the wrong size. A layer has one bias for each number that it *makes*: d_ff in `linear1`, d_model in `linear2`."
wrong_bias = count("bias of the wrong size", "(d_ff * d + d)", "(d_ff * d + d_ff)", BIAS_SIZE)
wrong_first_bias = count("bias of the wrong size", "(d * d_ff + d_ff)", "(d * d_ff + d)", BIAS_SIZE)
one_linear = Mistake(
    "one linear layer in the feed-forward network",
    of=COUNT,
    swap="(d * d_ff + d_ff) + (d_ff * d + d)",
    by="(d * d_ff + d_ff)",
    says="The feed-forward network has two linear layers, and you count one. `linear1` leads from d_model to d_ff, `linear2` back.",
)
four_times = count(
    "4 · d_model instead of d_ff",
    "d, d_ff = config.d_model, config.d_ff",
    "d, d_ff = config.d_model, 4 * config.d_model",
    "The feed-forward network is counted as 4 · d_model wide. That is so in the paper's models; the configuration says how wide it is: `config.d_ff`.",
)
THREE = "An attention has four linear layers, and you count three. Query, key and value, and `out_proj`, which mixes what the heads found."
three_projections = count("output projection of attention not counted", "4 * (", "3 * (", THREE)
PER_HEAD = "Attention is counted once for every head. The heads divide d_model among them: at a fixed width, any number of heads has the same parameters (lesson 03)."
per_head = count("attention counted for every head", "4 * (", "4 * config.num_heads * (", PER_HEAD)
inputs_per_head = count("attention counted for every head", "4 * (", "(3 * config.num_heads + 1) * (", PER_HEAD)
NORM_SAYS = "A norm has 2 · d_model parameters. A weight and a bias for every feature; you count one of the two."
half_norm = count("norms counted with one parameter per feature", "norm = 2 * d", "norm = d", NORM_SAYS)
no_norms = count(
    "norms not counted",
    "norm = 2 * d",
    "norm = 0",
    "The norms are not counted. Each has a weight and a bias for every feature: two in an encoder layer, three in a decoder layer.",
)
# Whichever of the two is forgotten, the number is the same.
two_norms = count(
    "a norm, or the bias of linear2, not counted",
    "3 * norm",
    "2 * norm",
    "You miss 2 · d_model numbers for each of the num_layers. Three slips make just that: an encoder layer with one norm (it has two), a decoder layer with two (it has three, one for each sublayer), or `linear2` without its "
    "bias in both stacks (d_model numbers, beside the d_ff of `linear1`).",
)
one_norm = Mistake(
    "one norm for a layer",
    of=COUNT,
    swaps={"+ 2 * norm": "+ norm", "3 * norm": "norm"},
    says="You count one norm for a layer. There is one for each sublayer: two in an encoder layer, three in a decoder layer.",
)
one_attention = count(
    "one attention in a decoder layer",
    "2 * attention",
    "attention",
    "A decoder layer has two attentions, and you count one. It reads the target and it reads the memory, each with projections of its own.",
)
always_final = count(
    "final norms counted without pre-norm",
    FINAL,
    "2 * norm",
    "The final norms are always counted. They end the stacks only with pre-norm (`norm_first=True`); in the paper's post-norm the last thing a layer does is to normalize. `nn.Transformer` has them in both cases.",
)
final_turned = count(
    "final norms counted only without pre-norm",
    FINAL,
    "0 if config.norm_first else 2 * norm",
    "The final norms are counted just where there are none. They end the stacks with pre-norm (`norm_first=True`); in post-norm the last thing a layer does is to normalize.",
)
no_final = count(
    "final norms of pre-norm not counted",
    FINAL,
    "0",
    "The final norms are missing. With pre-norm each stack ends with one more norm, 2 · d_model parameters each.",
)
one_final = count(
    "one final norm instead of two",
    FINAL,
    "norm if config.norm_first else 0",
    "There is a final norm for each stack, and you count one. With pre-norm both the encoder and the decoder end with a norm.",
)
final_each_layer = count(
    "final norms counted for every layer",
    FINAL,
    "2 * config.num_layers * norm if config.norm_first else 0",
    "The final norm is counted in every layer. It stands once at the end of each stack, outside of its layers: do not multiply it by num_layers.",
)
tied_counted = count(
    "tied output counted",
    "if not config.tie_output:",
    "if True:",
    "The tied output is counted as well. With `tie_output` the output layer has no numbers of its own: they are the target table's, and were counted there.",
)
no_output_counted = count(
    "output layer not counted",
    "if not config.tie_output:",
    "if False:",
    "The output layer is missing. Unless it is tied, it has a weight of its own: tgt_vocab_size · d_model.",
)
tie_turned = count(
    "output counted only if tied",
    "if not config.tie_output:",
    "if config.tie_output:\n",
    "The output is counted just where it should not be. With `tie_output` it has no numbers of its own; the `not` is missing.",
)
shared_counted = count(
    "shared table counted twice",
    "if not config.share_embeddings:",
    "if True:",
    "The shared table is counted twice. With `share_embeddings` source and target have one table.",
)
share_turned = count(
    "target's table counted only if shared",
    "if not config.share_embeddings:",
    "if config.share_embeddings:",
    "The target's table is counted just where it should not be. With `share_embeddings` it is the source's; the `not` is missing.",
)
no_target_table = count(
    "target's table not counted",
    "if not config.share_embeddings:",
    "if False:",
    "The target's table is missing. Unless it is shared, there are two: src_vocab_size and tgt_vocab_size rows of d_model numbers.",
)
source_for_output = count(
    "output counted with the source's vocabulary",
    "if not config.tie_output:\n        tables += config.tgt_vocab_size * d",
    "if not config.tie_output:\n        tables += config.src_vocab_size * d",
    "The output layer is counted with the source's vocabulary. It scores words of the target: tgt_vocab_size · d_model.",
)
SOURCE_FOR_TARGET = "The target's table is counted with the source's vocabulary. It has tgt_vocab_size rows, and so has the output layer."
source_for_target = count(
    "target counted with the source's vocabulary",
    "if not config.share_embeddings:\n        tables += config.tgt_vocab_size * d",
    "if not config.share_embeddings:\n        tables += config.src_vocab_size * d",
    SOURCE_FOR_TARGET,
)
source_for_both = Mistake(
    "target counted with the source's vocabulary",
    of=COUNT,
    swaps={
        f"if not config.{choice}:\n        tables += config.tgt_vocab_size * d": f"if not config.{choice}:\n        tables += config.src_vocab_size * d"
        for choice in ("share_embeddings", "tie_output")
    },
    says=SOURCE_FOR_TARGET,
)
target_for_source = count(
    "source's table counted with the target's vocabulary",
    "tables = config.src_vocab_size * d",
    "tables = config.tgt_vocab_size * d",
    "The source's table is counted with the target's vocabulary. It has src_vocab_size rows.",
)
OUTPUT_BIAS = "A bias of the output layer is counted. It has none: `bias=False` stands in the constructor."
output_bias = count("output bias counted", "+ final_norms + tables", "+ final_norms + tables + config.tgt_vocab_size", OUTPUT_BIAS)  # fmt: skip
output_bias_untied = count(
    "output bias counted",
    "if not config.tie_output:",
    "tables += 0 if config.tie_output else config.tgt_vocab_size\n    if not config.tie_output:",
    OUTPUT_BIAS,
)
table_counted = count(
    "positions counted",
    "+ final_norms + tables",
    "+ config.max_len * d + final_norms + tables",
    "The table of positions is counted. It is a buffer: sines and cosines that nobody trains, no parameters. `PositionalEncoding` registers it with `register_buffer`.",
)
tables_counted_twice = count(
    "positions counted",
    "+ final_norms + tables",
    "+ 2 * config.max_len * d + final_norms + tables",
    table_counted.says,
)
one_layer = count(
    "one layer of each stack",
    "config.num_layers * (",
    "(",
    "You count one layer of each stack. There are `num_layers` in the encoder, and as many in the decoder.",
)
half_multiplied = count(
    "only one stack multiplied by num_layers",
    TOTAL,
    "config.num_layers * encoder_layer + decoder_layer",
    "Only one stack is multiplied by num_layers. Both have as many layers: brackets around the sum are missing.",
)
layers_divided = count(
    "num_layers divided between the stacks",
    TOTAL,
    "config.num_layers * (encoder_layer + decoder_layer) // 2",
    "num_layers is taken for both stacks together. The encoder has num_layers layers, and the decoder as many again.",
)
no_decoder = count(
    "decoder not counted",
    "(encoder_layer + decoder_layer)",
    "encoder_layer",
    "The decoder is missing. Beside the encoder's layers there are as many decoder layers, each with one attention and one norm more.",
)
same_layers = count(
    "decoder counted like the encoder",
    "decoder_layer = 2 * attention + feed_forward + 3 * norm",
    "decoder_layer = encoder_layer",
    "The decoder's layers are counted like the encoder's. A decoder layer has one attention more, for reading the memory, and one norm more.",
)
state_dict_counted = Mistake(
    "entries of the state_dict counted",
    of=COUNT,
    swaps={
        "if not config.share_embeddings:": "if True:",
        "if not config.tie_output:": "if True:",
        "+ final_norms + tables": "+ config.max_len * d + final_norms + tables",
    },
    says="You count the entries of the state_dict. It holds the table of positions, which nobody trains, and names what is shared once for each place. `parameters()` gives every parameter once, and nothing else.",
)
