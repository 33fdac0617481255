"""Wrong ways of lesson 08."""

from autograder.checks.transformer import make_masks, parameter_count, token_embedding, transformer
from autograder.probing.mistake import edit

INIT, ENCODE, DECODE, FORWARD = (f"Transformer.{method}" for method in ("__init__", "encode", "decode", "forward"))

# The reference's own words, which the edits replace: in the embedding, ...
LOOK_UP = "self.embedding(token_ids) * math.sqrt(d_model)"
HIDE = "vectors.masked_fill(is_pad, 0.0)"
OUT_OF_RANGE = "not 0 <= lowest <= highest < vocab_size"
# ... in `make_masks`, ...
MASK_SRC, MASK_TGT = "padding_mask(src_ids, pad_id)", "padding_mask(tgt_ids, pad_id)"
CAUSAL = "causal_mask(tgt_ids.size(1))"
MASKS = "return src_mask, tgt_mask"
# ... in the model, ...
SRC_EMBEDDED, TGT_EMBEDDED = "self.src_embedding(src_ids)", "self.tgt_embedding(tgt_ids)"
READ, WRITE = f"self.positions({SRC_EMBEDDED})", f"self.positions({TGT_EMBEDDED})"
SRC_PAD, TGT_PAD = "padding_mask(src_ids, self.config.pad_id)", "padding_mask(tgt_ids, self.config.pad_id)"
TO_DECODER = "memory, tgt_mask, src_mask)"
MEMORY = "self.encode(src_ids)"
SCORES = f"return self.output(self.decode(tgt_ids, {MEMORY}, src_mask))"
LINEAR = "nn.Linear(config.d_model, config.tgt_vocab_size, bias=False)"
IF_SHARED, IF_TIED = "if config.share_embeddings:\n", "if config.tie_output:\n"
SHARE, TIE = (
    "self.tgt_embedding = self.src_embedding",
    "self.output.weight = self.tgt_embedding.embedding.weight",
)
ROOT = "self.config.d_model**0.5"
# ... and in `parameter_count`.
ATTENTION, FEED_FORWARD = "4 * (d * d + d)", "(d * d_ff + d_ff) + (d_ff * d + d)"
FINAL = "2 * norm if config.norm_first else 0"
UNLESS_SHARED, UNLESS_TIED = "if not config.share_embeddings:", "if not config.tie_output:"
LAYERS = "config.num_layers * (encoder_layer + decoder_layer)"
THE_REST = "+ final_norms + tables"

# TokenEmbedding ----------------------------------------------------------------------------

token_embedding.mistake(
    "no √d_model",
    "The vectors are not multiplied by √d_model. The table starts with a spread of 1/√d_model, so they come out small: sines and cosines of size 1, added next, drown them at first. "
    "The factor stands in section 3.4 of the paper, in one sentence that is easily missed.",
    {LOOK_UP: "self.embedding(token_ids)"},
    also=[transformer],
)
# Looking up in the table directly leaves out all that TokenEmbedding does.
SRC_BYPASSED = {SRC_EMBEDDED: "self.src_embedding.embedding(src_ids)"}
TGT_BYPASSED = {TGT_EMBEDDED: "self.tgt_embedding.embedding(tgt_ids)"}
transformer.mistake(
    "TokenEmbedding passed by",
    "Your model looks up in the table and passes TokenEmbedding by. So neither the factor √d_model nor the zeros for padding are there. Call `self.src_embedding(...)`, not "
    "`self.src_embedding.embedding(...)`.",
    SRC_BYPASSED | TGT_BYPASSED,
    edit(SRC_BYPASSED, inside=ENCODE),
    edit(TGT_BYPASSED, inside=DECODE),
)
token_embedding.mistake(
    "multiplied by d_model, not its root",
    "The vectors are multiplied by d_model. It is the root of it: the table's numbers have a spread of 1/√d_model, and √d_model brings them to 1.",
    {"math.sqrt(d_model)": "d_model"},
)
token_embedding.mistake(
    "the table starts too large",
    "Your table starts with numbers that are too large. Multiplied by √d_model its features should begin with a variance of about 1, so the table itself begins with a spread of 1/√d_model, as the given line has it; "
    "`nn.Embedding` alone begins with 1.",
    {"std=d_model**-0.5": "std=1.0"},
    {"nn.init.normal_(self.embedding.weight, std=d_model**-0.5)": "pass"},
)
token_embedding.mistake(
    "divided by √d_model",
    "The vectors are divided by √d_model. Scores of attention are divided by a root, so that they stay small; the vectors of the table are multiplied by one, so that they are not.",
    {" * math.sqrt(d_model)": " / math.sqrt(d_model)"},
)
token_embedding.mistake(
    "√vocab_size instead of √d_model",
    "The factor is the root of the vocabulary's size. The table has the shape (vocab_size, d_model); the root is taken of its second size, the number of features.",
    {"math.sqrt(d_model)": "math.sqrt(vocab_size)"},
)
token_embedding.mistake(
    "padding is not zero",
    "Padding has a vector like any other token. Where the id is `pad_id`, the result has to be zero, whatever stands in that row of the table: set it to zero after the look-up, with `masked_fill`. ",
    {HIDE: "vectors"},
)
token_embedding.mistake(
    "padding filled with minus infinity",
    "Padding is filled with a very negative number. That is what attention does to *scores*, because a softmax makes 0 of it; here nothing follows that would. The vector itself has to be zero.",
    {HIDE: 'vectors.masked_fill(is_pad, float("-inf"))'},
    {HIDE: "vectors.masked_fill(is_pad, -1e9)"},
)
token_embedding.mistake(
    "padding_idx instead of zeros",
    "You rely on `padding_idx`. It starts that row at zero and keeps the look-up's gradient from it, nothing more: initialising the table anew, or tying it to the output layer, which trains every row, "
    "fills the row with numbers. Set the vectors to zero after the look-up.",
    {
        "nn.Embedding(vocab_size, d_model)": "nn.Embedding(vocab_size, d_model, padding_idx=pad_id)",
        HIDE: "vectors",
    },
)
token_embedding.mistake(
    "padding is taken to be id 0",
    "You take id 0 for padding. It often is, but the constructor says which id it is: compare with `self.pad_id`.",
    {"token_ids == self.pad_id": "token_ids == 0"},
)
token_embedding.mistake(
    "padding is kept and the tokens are zero",
    "The zeros are in the wrong places. Your tokens are zero and padding has a vector: the condition is turned round. `masked_fill` writes where its mask is True.",
    {"token_ids == self.pad_id": "token_ids != self.pad_id"},
)

token_embedding.mistake(
    "smaller ids count as padding",
    "Every id up to `pad_id` counts as padding. Padding is one id, `pad_id`; those below it are tokens like any other. Compare with `==`.",
    {"token_ids == self.pad_id": "token_ids <= self.pad_id"},
)

SIZES = "vocab_size, d_model = self.embedding.weight.shape"
token_embedding.mistake(
    "the table's row is overwritten",
    "You write zeros into the table. When the table is tied to the output layer, that also sets the score of the padding id to zero, at every call, against what training has found. Leave the table alone, and set the "
    "vectors to zero.",
    {LOOK_UP: f"{LOOK_UP}; self.embedding.weight.data[self.pad_id] = 0.0"},
    {SIZES: f"{SIZES}; self.embedding.weight.data[self.pad_id] = 0.0", HIDE: "vectors"},
    {
        LOOK_UP: f"self.embedding.weight.data.index_fill_(0, token_ids.new_tensor([self.pad_id]), 0.0)[token_ids]; vectors = {LOOK_UP}",
        HIDE: "vectors",
    },
)
token_embedding.mistake(
    "no gradient reaches the table",
    "No gradient reaches the table. `.data`, `detach()` and `no_grad` cut the vectors off from the numbers they came from, and the embedding would keep its random start for ever. Index the weight itself, or call `self.embedding`.",
    {LOOK_UP: "self.embedding.weight.data[token_ids] * math.sqrt(d_model)"},
)
token_embedding.mistake(
    "ids that do not exist are not refused",
    "An id outside the vocabulary is not refused. Whoever hands in id 5 for a vocabulary of 5 should read that the ids go up to 4, in a ValueError, as the given lines had it.",
    {OUT_OF_RANGE: "False"},
    {OUT_OF_RANGE: "False", "self.embedding(token_ids)": "self.embedding.weight[token_ids]"},
)
token_embedding.mistake(
    "negative ids count from the end",
    "A negative id takes a row from the end of the table. Indexing with [-1] does that, silently. The given lines refuse ids below 0: leave them in.",
    {OUT_OF_RANGE: "highest >= vocab_size", "self.embedding(token_ids)": "self.embedding.weight[token_ids]"},
)

# make_masks ----------------------------------------------------------------------------

ORED = "The two masks are joined with or. A token then may look wherever one of them allows it: at every real token of the future, and at padding before it. It has to pass both: `&`."
# The whole line: joined with or, a mask that hides nothing gives what both together give when they are missing.
make_masks.mistake("masks joined with or", ORED, {f"{MASK_TGT} & {CAUSAL}": f"{MASK_TGT} | {CAUSAL}"})

READS_AHEAD = (
    "The target's mask is not causal. In training the decoder is given the whole target at once; without the causal mask each place simply reads the token it has to name, the loss falls beautifully, and the model can write "
    "nothing. Join `padding_mask` with `causal_mask`."
)
make_masks.mistake("target not causal", READS_AHEAD, {CAUSAL: "True"}, {CAUSAL: f"({CAUSAL} | True)"})

TARGET_PADDING = (
    "The target's padding is not hidden. At the end of a row the causal mask hides it from the real tokens anyway, so you may never notice; where padding comes first, as when texts are continued, "
    "every token reads it. Join `causal_mask` with the `padding_mask` of the target."
)
make_masks.mistake(
    "padding of the target not hidden",
    TARGET_PADDING,
    {MASK_TGT: "tgt_ids.eq(tgt_ids)[:, None, None]"},
    {MASK_TGT: "True", MASKS: "return src_mask, tgt_mask[None, None]"},
    {MASK_TGT: "True"},
)
make_masks.mistake(
    "padding of the source not hidden",
    "The source's padding is not hidden. Encoder and cross-attention would read what stands behind a short sentence, and the same sentence would come out differently in a longer batch. Its mask is the `padding_mask` of `src_ids`.",
    {MASK_SRC: "src_ids.eq(src_ids)[:, None, None]"},
)

SOURCE_CAUSAL = "The source's mask is causal. The encoder may read both ways: nothing in the source is to be guessed, and the first word often depends on the last. Only the target is written token by token."
make_masks.mistake("source causal", SOURCE_CAUSAL, {MASK_SRC: f"{MASK_SRC} & causal_mask(src_ids.size(1))"})

INVERTED = 'True means hidden in your masks. In this course True means "may look", as in `F.scaled_dot_product_attention`; `nn.Transformer` has it the other way round. Compare with `!=`, and keep the lower triangle.'
make_masks.mistake("masks inverted", INVERTED, {MASKS: "return ~src_mask, ~tgt_mask"})
make_masks.mistake(
    "padding mask inverted",
    'A padding mask of yours is True at the padding. In this course True means "may look", so it is True at the real tokens, as `padding_mask` gives it; `nn.Transformer` has it the other way round. Look for a `~`.',
    {MASK_SRC: f"~{MASK_SRC}", MASK_TGT: f"~{MASK_TGT}"},
    {MASK_SRC: f"~{MASK_SRC}"},
    {MASK_TGT: f"~{MASK_TGT}"},
)

PAST_HIDDEN = "The causal mask is the upper triangle. Row i says whom token i may look at, and that is itself and what came before: j <= i, the lower triangle, `tril`."
make_masks.mistake("the past hidden instead of the future", PAST_HIDDEN, {CAUSAL: f"{CAUSAL}.T"})
make_masks.mistake(
    "causal mask inverted",
    'Your causal mask is True where a token may not look. True means "may look" here, and `causal_mask` gives it so: with a `~` before it each token sees only those after it, and not itself.',
    {CAUSAL: f"~{CAUSAL}"},
)

EXCLUDES_ITSELF = "No token may look at itself. Your triangle begins below the diagonal, so that the first token can look at nothing at all. The decoder's input is shifted already: what stands at place i is known when the token after it is asked for."
make_masks.mistake("causal mask excludes the token itself", EXCLUDES_ITSELF, {CAUSAL: f"({CAUSAL}.T & ~{CAUSAL}).T"})

ONE_AHEAD = "Every token may look at the one after it. Your triangle reaches one beyond the diagonal, and the next token is exactly what place i has to name: the model reads its answer."
NEXT_ALLOWED = {CAUSAL: f"nn.functional.pad({CAUSAL}[1:], (0, 0, 0, 1), value=True)"}
make_masks.mistake("causal mask allows the next token", ONE_AHEAD, NEXT_ALLOWED)

QUERIES = "The padding mask lies along the queries. It blinds padding, which nobody needs, and lets every token *read* padding. Keys are the last dimension: (batch, 1, 1, length), not (batch, 1, length, 1)."
make_masks.mistake(
    "padding hidden as query, not as key",
    QUERIES,
    {MASK_SRC: f"{MASK_SRC}.transpose(2, 3)", MASK_TGT: f"{MASK_TGT}.transpose(2, 3)"},
    {MASK_TGT: f"{MASK_TGT}.transpose(2, 3)"},
    {MASK_SRC: f"{MASK_SRC}.transpose(2, 3)"},
)

SRC_BLIND = {MASK_SRC: f"{MASK_SRC} & {MASK_SRC}.transpose(2, 3)"}
TGT_BLIND = {MASK_TGT: f"{MASK_TGT}.transpose(2, 3) & {MASK_TGT}"}
make_masks.mistake(
    "padding hidden as query as well",
    "Padding is hidden as key and as query. The first half is needed; the second makes masks of another shape, whose rows of False look at nothing. What padded places compute is thrown away anyway: hide keys only.",
    SRC_BLIND | TGT_BLIND,
    TGT_BLIND,
    SRC_BLIND,
)
make_masks.mistake(
    "no dimension for the heads",
    "A mask lacks the dimension of the heads. Weights have the shape (batch, num_heads, query_len, key_len), and a mask is matched with them from the right: without a 1 in second place, your batch would be taken for the heads.",
    {MASKS: "return src_mask.squeeze(1), tgt_mask.squeeze(1)"},
    {MASKS: "return src_mask, tgt_mask.squeeze(1)"},
    {MASKS: "return src_mask.squeeze(1), tgt_mask"},
    {MASKS: "return src_mask[:, 0, 0], tgt_mask"},
    {MASKS: "return src_mask[:, 0, 0], tgt_mask[:, 0]"},
)
make_masks.mistake(
    "source mask spread over all queries",
    "The source's mask has a row for every query. It serves two attentions, and in the encoder the source asks, in the cross-attention the target, not equally many: leave a 1 there, (batch, 1, 1, src_len), and it broadcasts to both.",
    {MASK_SRC: f"{MASK_SRC}.expand(-1, -1, src_ids.size(1), -1)"},
    {MASK_SRC: f"{MASK_SRC}.expand(-1, -1, tgt_ids.size(1), -1)"},
)
make_masks.mistake(
    "masks returned in the other order",
    "The two masks have changed places. First the one for everything that reads the source, then the one of the target.",
    {MASKS: "return tgt_mask, src_mask"},
)
make_masks.mistake(
    "padding is taken to be id 0",
    "Padding is taken to be id 0. It often is, and here `pad_id` says which id it is.",
    {MASK_SRC: "padding_mask(src_ids, 0)", MASK_TGT: "padding_mask(tgt_ids, 0)"},
    {MASK_SRC: "padding_mask(src_ids, 0)"},
    {MASK_TGT: "padding_mask(tgt_ids, 0)"},
)
UP_TO_SRC, UP_TO_TGT = {MASK_SRC: "(src_ids > pad_id)[:, None, None]"}, {MASK_TGT: "(tgt_ids > pad_id)[:, None, None]"}
ADDED = ("{0}.float().log()", "(~{0}).float() * -1e9")
TO_BE_ADDED = "The masks are numbers to be added to the scores, 0 and something very negative. Other code hides that way; here a mask is True where a query may look, and attention refuses any other."
make_masks.mistake(
    "smaller ids count as padding",
    "Every id up to `pad_id` counts as padding. Padding is one id, `pad_id`; those below it are tokens like any other. Compare with `!=`, as `padding_mask` does.",
    UP_TO_SRC | UP_TO_TGT,
    UP_TO_SRC,
    UP_TO_TGT,
)
make_masks.mistake(
    "a mask made from the other side's ids",
    "A mask is made from the ids of the other side. The source's mask says where `src_ids` is padding, the target's where `tgt_ids` is; the two need not even be of one length.",
    {MASK_SRC: "padding_mask(tgt_ids, pad_id)"},
    {MASK_TGT: "padding_mask(src_ids, pad_id)"},
    {MASK_SRC: "padding_mask(tgt_ids, pad_id)", MASK_TGT: "padding_mask(src_ids, pad_id)"},
)
make_masks.mistake(
    "numbers instead of booleans",
    "The masks are numbers, not booleans. A mask of ones and zeros looks right when printed, and `~` and `masked_fill` do other things with it; attention refuses it. Compare, or call `.bool()`.",
    *({MASKS: f"return src_mask.{kind}(), tgt_mask.{kind}()"} for kind in ("float", "int", "long")),
    *({MASKS: f"return src_mask, tgt_mask.{kind}()"} for kind in ("float", "int")),
    *(edit({MASKS: f"return {one.format('src_mask')}, {one.format('tgt_mask')}"}, says=TO_BE_ADDED) for one in ADDED),
)
make_masks.mistake(
    "another number of targets is accepted",
    "One source and two targets are not refused. A batch of 1 broadcasts against everything, so attention would not complain either, and both targets would be read beside the same source. The given lines raise a ValueError: leave them in.",
    {"src_ids.size(0) != tgt_ids.size(0)": "False"},
)

# Transformer: embeddings and positions ----------------------------------------------------------------------------

transformer.mistake(
    "multiplied by √d_model twice",
    "The vectors are multiplied by √d_model twice. TokenEmbedding has done it already, and now the positions are drowned. In code where a bare `nn.Embedding` is used the factor stands in the model; here it does not.",
    {READ: f"self.positions({SRC_EMBEDDED} * {ROOT})", WRITE: f"self.positions({TGT_EMBEDDED} * {ROOT})"},
    {READ: f"self.positions({SRC_EMBEDDED} * {ROOT})"},
    {WRITE: f"self.positions({TGT_EMBEDDED} * {ROOT})"},
)
transformer.mistake(
    "positions multiplied by √d_model too",
    "The positions are multiplied by √d_model as well. The factor is part of TokenEmbedding and comes before the positions are added: it is there to make the two alike in size.",
    {READ: f"{READ} * {ROOT}", WRITE: f"{WRITE} * {ROOT}"},
    {READ: f"{READ} * {ROOT}"},
    {WRITE: f"{WRITE} * {ROOT}"},
)
transformer.mistake(
    "positions added twice",
    "The positions are added twice. `self.positions` adds them, and one call is enough: figure 1 of the paper has one sign for positions on each side.",
    {READ: f"self.positions({READ})", WRITE: f"self.positions({WRITE})"},
    {READ: f"self.positions({READ})"},
    {WRITE: f"self.positions({WRITE})"},
)
DOUBLED = "The tokens' vectors are added twice. `self.positions(x)` returns x with the positions added, not the positions alone: `x + self.positions(x)` is 2x with positions. Take what it returns as it is."
SRC_DOUBLED, TGT_DOUBLED = {READ: f"{SRC_EMBEDDED} + {READ}"}, {WRITE: f"{TGT_EMBEDDED} + {WRITE}"}
transformer.mistake("vectors added to themselves", DOUBLED, {**SRC_DOUBLED, **TGT_DOUBLED}, SRC_DOUBLED, TGT_DOUBLED)
transformer.mistake(
    "no positions in the source",
    "The source has no positions. To the encoder it is then a bag of tokens: any order gives the same vectors. Send what the embedding gives through `self.positions`, on both sides.",
    edit({READ: SRC_EMBEDDED}, inside=ENCODE),
)
transformer.mistake(
    "no positions in the target",
    "The target has no positions. The causal mask lets a decoder guess a little of the order, but it is not told: send what the embedding gives through `self.positions`, on both sides.",
    edit({WRITE: TGT_EMBEDDED}, inside=DECODE),
)

SRC_UNDROPPED, TGT_UNDROPPED = (
    {f"self.positions({x})": f"{x}.add(self.positions.table[: {x}.size(1)])"} for x in (SRC_EMBEDDED, TGT_EMBEDDED)
)
transformer.mistake(
    "no dropout after the positions",
    "There is no dropout after the positions. `self.positions` adds them and drops; adding its table by hand leaves the dropout out. Call the module.",
    SRC_UNDROPPED | TGT_UNDROPPED,
    SRC_UNDROPPED,
    TGT_UNDROPPED,
)
transformer.mistake(
    "positions added to the memory again",
    "The positions are added to the memory a second time. The memory carries them already, from below the encoder; figure 1 of the paper has one sign for positions on each side, under the stacks. "
    "Published code does this, too.",
    edit({TO_DECODER: "self.positions(memory), tgt_mask, src_mask)"}, inside=DECODE),
    edit({MEMORY: f"self.positions({MEMORY})"}, inside=FORWARD),
    edit(
        {
            "return self.encoder(": "return self.positions(self.encoder(",
            f"{READ}, src_mask)": f"{READ}, src_mask))",
        },
        inside=ENCODE,
    ),
)
transformer.mistake(
    "target looked up in the source's table",
    "The target is looked up in the source's table. Unless the two languages share one vocabulary, id 5 is one word here and another there: `decode` uses `self.tgt_embedding`.",
    edit({"self.tgt_embedding(": "self.src_embedding("}, inside=DECODE),
)
transformer.mistake(
    "source looked up in the target's table",
    "The source is looked up in the target's table. Unless the two languages share one vocabulary, id 5 is one word here and another there: `encode` uses `self.src_embedding`.",
    edit({"self.src_embedding(": "self.tgt_embedding("}, inside=ENCODE),
)

# Transformer: masks ----------------------------------------------------------------------------

transformer.mistake(
    "encoder reads padding",
    "The encoder has no mask. The tokens of a short sentence then read the padding behind them, and the same sentence comes out differently in a longer batch. Make the mask from `src_ids` and hand it to `self.encoder`.",
    edit({SRC_PAD: "None"}, inside=ENCODE),
)
transformer.mistake(
    "cross-attention reads padding",
    "The cross-attention reads padding. Target tokens look at places of the memory where no source token stands: the source's mask does not reach the decoder. It is the last argument, "
    "`self.decoder(x, memory, tgt_mask, src_mask)`.",
    edit({TO_DECODER: "memory, tgt_mask)"}, inside=DECODE),
    edit({f"{MEMORY}, src_mask)": f"{MEMORY}, src_mask | True)"}, inside=FORWARD),
)
transformer.mistake("target not causal", READS_AHEAD, edit({CAUSAL: f"({CAUSAL} | True)"}, inside=DECODE))
transformer.mistake(
    "padding of the target not hidden",
    TARGET_PADDING,
    edit({TGT_PAD: "tgt_ids.eq(tgt_ids)[:, None, None]"}, inside=DECODE),
)
transformer.mistake(
    "source causal",
    SOURCE_CAUSAL,
    edit({SRC_PAD: f"{SRC_PAD} & causal_mask(src_ids.size(1))"}, inside=ENCODE),
    edit({SRC_PAD: "causal_mask(src_ids.size(1))"}, inside=ENCODE),
)
transformer.mistake(
    "masks joined with or",
    ORED,
    edit({f"{TGT_PAD} & {CAUSAL}": f"{TGT_PAD} | {CAUSAL}"}, inside=DECODE),
)
transformer.mistake(
    "the past hidden instead of the future",
    PAST_HIDDEN,
    edit({CAUSAL: f"{CAUSAL}.T"}, inside=DECODE),
)
transformer.mistake(
    "causal mask excludes the token itself",
    EXCLUDES_ITSELF,
    edit({CAUSAL: f"({CAUSAL}.T & ~{CAUSAL}).T"}, inside=DECODE),
)
transformer.mistake("causal mask allows the next token", ONE_AHEAD, edit(NEXT_ALLOWED, inside=DECODE))

BAND = "(src_mask.new_ones(tgt_ids.size(1), memory.size(1)) > 0).tril()"
transformer.mistake(
    "cross-attention causal",
    "The cross-attention is causal. Token i of the target may then read no source token after place i, although the whole source is there before a word is written. Only the target's self-attention is causal.",
    edit({TO_DECODER: f"memory, tgt_mask, src_mask & {BAND})"}, inside=DECODE),
)
transformer.mistake(
    "masks of the decoder exchanged",
    "The decoder's two masks have changed places. Its self-attention gets the source's, the cross-attention the target's: where the two are of one length this runs, and each reads what it must not. "
    "The order is `self.decoder(x, memory, tgt_mask, src_mask)`.",
    edit({TO_DECODER: "memory, src_mask, tgt_mask)"}, inside=DECODE),
)
transformer.mistake(
    "one mask for both attentions",
    "Both attentions of the decoder get the same mask. They are two: the target's hides padding and the future of the target, the source's only padding of the source. Where both are of one length nothing fails, and it is wrong all the same.",
    edit({TO_DECODER: "memory, src_mask, src_mask)"}, inside=DECODE),
    edit({TO_DECODER: "memory, tgt_mask, tgt_mask)"}, inside=DECODE),
)
transformer.mistake(
    "decode is given the target's mask",
    "`forward` hands the target's mask to `decode`. It makes that one itself, from `tgt_ids`; what it cannot make is the source's, as it never sees `src_ids`. `make_masks` returns the source's mask first.",
    edit({"src_mask, _ =": "_, src_mask ="}, inside=FORWARD),
)

SRC_INVERTED, CROSS_INVERTED = {SRC_PAD: f"~{SRC_PAD}"}, {f"{MEMORY}, src_mask)": f"{MEMORY}, ~src_mask)"}
TGT_INVERTED = {TGT_PAD: f"~({TGT_PAD}", CAUSAL: f"{CAUSAL})"}
transformer.mistake(
    "masks inverted",
    'True means hidden in a mask of yours. In this course True means "may look". Your model reads padding only, or the future only, and training makes the best of it: a falling loss proves nothing here. Take the `~` out, or compare with `!=`.',
    SRC_INVERTED | TGT_INVERTED | CROSS_INVERTED,
    SRC_INVERTED | {TGT_PAD: f"~{TGT_PAD}"} | CROSS_INVERTED,
    edit(SRC_INVERTED, inside=ENCODE),
    edit(TGT_INVERTED, inside=DECODE),
    edit(CROSS_INVERTED, inside=FORWARD),
    edit({TGT_PAD: f"~{TGT_PAD}"}, inside=DECODE),
    edit({CAUSAL: f"~{CAUSAL}"}, inside=DECODE),
)
transformer.mistake(
    "padding hidden as query, not as key",
    QUERIES,
    {SRC_PAD: f"{SRC_PAD}.transpose(2, 3)", TGT_PAD: f"{TGT_PAD}.transpose(2, 3)"},
    {
        SRC_PAD: f"{SRC_PAD}.transpose(2, 3)",
        TGT_PAD: f"{TGT_PAD}.transpose(2, 3)",
        f"{MEMORY}, src_mask)": f"{MEMORY}, src_mask.transpose(2, 3))",
    },
    edit({SRC_PAD: f"{SRC_PAD}.transpose(2, 3)"}, inside=ENCODE),
)
transformer.mistake(
    "no masks at all",
    "No attention has a mask. The encoder reads padding, the decoder reads padding and, worse, the future of the target: the very tokens it is to name. `encode` needs the source's mask, `decode` both.",
    {SRC_PAD: "None", TO_DECODER: "memory)"},
)
transformer.mistake(
    "no masks in the decoder",
    "The decoder has no mask. Its self-attention reads the future of the target, the very tokens that it is to name, and both of its attentions read padding. `self.decoder(x, memory, tgt_mask, src_mask)` takes two.",
    edit({TO_DECODER: "memory)"}, inside=DECODE),
)
transformer.mistake(
    "no mask for the target",
    "The decoder's self-attention has no mask. It reads the padding of the target and, worse, its future: the very tokens that it is to name. Its mask is `padding_mask` & `causal_mask` of the target, the third argument of `self.decoder(x, memory, tgt_mask, src_mask)`.",
    edit({TO_DECODER: "memory, None, src_mask)"}, inside=DECODE),
)
transformer.mistake(
    "another number of targets is accepted",
    "One source and three targets are not refused. A batch of 1 broadcasts against everything, so attention does not complain, and all targets are read beside the same source. `make_masks` raises the ValueError: call it in `forward`.",
    edit({"src_mask, _ = make_masks(src_ids, tgt_ids, self.config.pad_id)": f"src_mask = {SRC_PAD}"}, inside=FORWARD),
)
transformer.mistake(
    "padding hidden from nobody",
    "Nobody is kept from reading padding. The causal mask is there, and the `padding_mask` of source and target is not: the same sentence then comes out differently in a longer batch. The source's belongs to the encoder and to the "
    "cross-attention, the target's is joined with the causal one.",
    {SRC_PAD: "None", TGT_PAD: "tgt_ids.eq(tgt_ids)[:, None, None]", TO_DECODER: "memory, tgt_mask)"},
)
transformer.mistake(
    "padding is taken to be id 0",
    "Padding is taken to be id 0. The configuration says which id it is: `self.config.pad_id`, in `encode`, in `decode` and in `forward`.",
    {
        SRC_PAD: "padding_mask(src_ids, 0)",
        TGT_PAD: "padding_mask(tgt_ids, 0)",
        "make_masks(src_ids, tgt_ids, self.config.pad_id)": "make_masks(src_ids, tgt_ids, 0)",
    },
    edit({SRC_PAD: "padding_mask(src_ids, 0)"}, inside=ENCODE),
    edit({TGT_PAD: "padding_mask(tgt_ids, 0)"}, inside=DECODE),
    edit({"make_masks(src_ids, tgt_ids, self.config.pad_id)": "make_masks(src_ids, tgt_ids, 0)"}, inside=FORWARD),
)

# Transformer: the stacks ----------------------------------------------------------------------------

transformer.mistake(
    "the encoder is not used",
    "The encoder has no part in the result. The decoder reads the embedded source, and does what it can with that. The memory is what `self.encoder` gives.",
    edit({"self.encoder(": "(lambda x, mask: x)("}, inside=ENCODE),
    edit({MEMORY: READ}, inside=FORWARD),
)

TURNS = (
    f"x, y = {READ}, {WRITE}\n        _, tgt_mask = make_masks(src_ids, tgt_ids, self.config.pad_id)\n"
    "        for reader, writer in zip(self.encoder.layers, self.decoder.layers):\n"
    "            x = reader(x, src_mask)\n            y = writer(y, x, tgt_mask, src_mask)\n        return self.output({})"
)
# Such a `forward` passes encode and decode by, and hides what is wrong there: to make that visible to the judge, the
# edit claims their text, so that it is not tried together with mistakes made in it.
CLAIMED = {text: text for text in (SRC_PAD, TGT_PAD, CAUSAL, READ, WRITE, TO_DECODER)}
transformer.mistake(
    "encoder and decoder layers in turn",
    "Encoder and decoder layers take turns. So the first decoder layer reads a source that only one encoder layer has worked on, and only the last layer reads the finished memory. They are two stacks: the encoder runs to its end, "
    "then every decoder layer reads what came out. An article runs both in one loop, with `i % 2`.",
    {SCORES: TURNS.format("y"), **CLAIMED},
    {SCORES: TURNS.format("y if self.decoder.norm is None else self.decoder.norm(y)"), **CLAIMED},
)

READS_IN_LOOP = {
    "return self.encoder(": "run = lambda x, *masks: [x := one(x, *masks) for one in self.encoder.layers][-1]; return run("
}
WRITES_IN_LOOP = {
    "return self.decoder(": "run = lambda x, *rest: [x := one(x, *rest) for one in self.decoder.layers][-1]; return run("
}
transformer.mistake(
    "last norm of a stack passed by",
    "The layers are run one by one, and the last norm of the stack is passed by. With pre-norm each stack ends with a norm, and a loop over `layers` does not come to it. Call the stack itself: "
    "`self.encoder(x, src_mask)`.",
    READS_IN_LOOP | WRITES_IN_LOOP,
    READS_IN_LOOP,
    WRITES_IN_LOOP,
)
transformer.mistake(
    "memory and target exchanged",
    "The decoder's first two arguments have changed places. It now writes on the source and reads the target: the target's tokens come first, then the memory.",
    edit({f"{WRITE}, {TO_DECODER}": f"memory, {WRITE}, tgt_mask, src_mask)"}, inside=DECODE),
)
transformer.mistake(
    "no gradient reaches the encoder",
    "No gradient reaches the encoder. The memory is cut off from what made it (`detach`, `.data`, `no_grad`), so the encoder would keep its random start while the decoder trains. Encode once, but as part of the computation.",
    edit({MEMORY: f"{MEMORY}.detach()"}, inside=FORWARD),
)

# Transformer: the output ----------------------------------------------------------------------------

transformer.mistake(
    "the output layer has a bias",
    "The output layer has a bias. The paper shares one matrix between embedding and output, and mentions no bias; the constructor as it was given says `bias=False`.",
    edit({"bias=False": "bias=True"}, inside=INIT),
)

WITH_BIAS = LINEAR.replace(", bias=False", "")
LAST_TIED = {TIE: "self.output[-1].weight = self.tgt_embedding.embedding.weight"}
transformer.mistake(
    "two output layers in a row",
    "There are two output layers in a row. With nothing between them two linear layers compute what one can compute, and the parameters of the first are there for nothing. One layer leads from the features to the vocabulary.",
    *(
        edit({LINEAR: f"nn.Sequential({first}, {last})"} | LAST_TIED, inside=INIT)
        for first, last in (
            ("nn.Linear(config.d_model, config.d_model, bias=False)", LINEAR),
            ("nn.Linear(config.d_model, config.d_model)", LINEAR),
            ("nn.Linear(config.d_model, config.d_model)", WITH_BIAS),
        )
    ),
)
transformer.mistake(
    "logits of size d_model",
    "The result has d_model numbers for a token, not one for every word. That is what comes out of the decoder; a score for each of the tgt_vocab_size words is what `self.output` makes of it.",
    edit({SCORES: SCORES.replace("self.output", "")}, inside=FORWARD),
    edit({LINEAR: "nn.Linear(config.d_model, config.d_model, bias=False)"}, inside=INIT),
)
transformer.mistake(
    "decode already returns scores",
    "`decode` returns scores. It should return one vector for every token of the target, d_model numbers; the output layer belongs into `forward`. When texts are written token by token, only the last vector needs scores.",
    {
        "return self.decoder(": "return self.output(self.decoder(",
        "tgt_mask, src_mask)": "tgt_mask, src_mask))",
        "self.output(self.decode(": "(self.decode(",
    },
)
transformer.mistake(
    "√d_model on the output too",
    "The scores are multiplied by √d_model. The factor belongs to the embedding; where the output layer shares its table, the table is used as it is. Multiplied, the softmax starts out far too sure of itself.",
    edit({SCORES: f"{SCORES} * {ROOT}"}, inside=FORWARD),
    edit({SCORES: f"{SCORES} * ({ROOT} if self.config.tie_output else 1.0)"}, inside=FORWARD),
)
transformer.mistake(
    "scores divided by √d_model",
    "The scores are divided by √d_model. T5 does that where output and table are tied; the paper of this lesson does not. The output layer's result is returned as it is.",
    edit({SCORES: f"{SCORES} / {ROOT}"}, inside=FORWARD),
    edit({SCORES: f"{SCORES} / ({ROOT} if self.config.tie_output else 1.0)"}, inside=FORWARD),
)
transformer.mistake(
    "softmax already applied",
    "The softmax has been applied already. The model returns scores (logits), any real numbers: `F.cross_entropy` takes the softmax itself, and a second one on top flattens all probabilities until hardly anything is learned.",
    edit({SCORES: f"{SCORES}.softmax(-1)"}, inside=FORWARD),
    edit(
        {SCORES: f"{SCORES}.log_softmax(-1)"},
        inside=FORWARD,
        says="The logarithm of the softmax has been taken already. The model returns scores (logits), any real numbers, and the loss makes probabilities of them. `F.cross_entropy` would not mind, as a second "
        "`log_softmax` changes nothing; but whoever asks the model for scores gets other numbers.",
    ),
    edit({SCORES: f"{SCORES}.softmax(1)"}, inside=FORWARD),
)
transformer.mistake(
    "only the last place is scored",
    "Only the last place is scored. That is enough to write the next token; in training every place of the target is a task of its own, all at once. Return the scores of all places.",
    edit({SCORES: f"{SCORES}[:, -1]"}, inside=FORWARD),
    edit({SCORES: f"{SCORES}[:, -1:]"}, inside=FORWARD),
)
transformer.mistake(
    "target shortened inside the model",
    "Your model drops the last token of the target. Whoever calls it has done so already: `forward` is given the decoder's input, begins to end, and returns scores for every place of it.",
    edit({"self.decode(tgt_ids,": "self.decode(tgt_ids[:, :-1],"}, inside=FORWARD),
    edit(
        {"self.decode(tgt_ids,": "self.decode(tgt_ids[:, 1:],"},
        inside=FORWARD,
        says="Your model drops the first token of the target, the start. That makes the *answer* of what was given; `forward` is given the decoder's input, and returns scores for every place of it.",
    ),
)
transformer.mistake(
    "target shifted inside the model",
    "Your model shifts the target to the right. Whoever calls it has done so already: `forward` is given the decoder's input, which begins with the start token. Shifted once more, each place lacks the very word before the one it is to name.",
    *(
        edit({"self.decode(tgt_ids,": f"self.decode({given},"}, inside=FORWARD)
        for given in (
            "nn.functional.pad(tgt_ids[:, :-1], (1, 0), value=1)",
            "nn.functional.pad(tgt_ids[:, :-1], (1, 0), value=self.config.pad_id)",
            "tgt_ids.roll(1, 1)",
        )
    ),
)
transformer.mistake(
    "vocabulary in the middle",
    "The vocabulary stands in the middle. `F.cross_entropy` likes its classes there, but the model returns (batch, tgt_len, tgt_vocab): turn it round where the loss is computed.",
    edit({SCORES: f"{SCORES}.transpose(1, 2)"}, inside=FORWARD),
)
transformer.mistake(
    "the best token instead of scores",
    "The model returns tokens, not scores. An argmax has no gradient, so nothing could be trained; choosing a token is the business of whoever decodes (lesson 11).",
    edit({SCORES: f"{SCORES}.argmax(-1)"}, inside=FORWARD),
)

# Transformer: sharing and tying ----------------------------------------------------------------------------

transformer.mistake(
    "tie_output ignored",
    "`tie_output` does nothing. The output layer keeps numbers of its own: assign the target table's weight to `self.output.weight`.",
    edit({TIE: "pass"}, inside=INIT),
)
transformer.mistake(
    "tied weights copied instead of shared",
    "The weights are copied, not shared. They are equal at the start and go their own ways from the first step of training on. One Parameter has to serve in both places: assign the Parameter itself, without `clone`, `copy_` or "
    "`deepcopy`.",
    edit({TIE: "self.output.weight.data.copy_(self.tgt_embedding.embedding.weight.data)"}, inside=INIT),
)

DATA = (
    "The two share their memory, but not the Parameter. `.data`, or a new `nn.Parameter` around the old numbers, points both at the same numbers, and each is a Parameter with a gradient of its own: an optimizer would move the "
    "numbers twice in every step. Assign the Parameter itself, {}, with nothing around or behind it."
)
transformer.mistake(
    "tied through .data",
    DATA.format("`self.tgt_embedding.embedding.weight`"),
    edit({TIE: "self.output.weight.data = self.tgt_embedding.embedding.weight.data"}, inside=INIT),
)
transformer.mistake(
    "tied to the source's table",
    "The output is tied to the source's table. It scores words of the *target*, so it shares the target's: with two vocabularies, even the number of scores comes out wrong.",
    edit({TIE: "self.output.weight = self.src_embedding.embedding.weight"}, inside=INIT),
)
transformer.mistake(
    "the output is the embedding",
    "The output layer is replaced by the embedding. An embedding looks up ids, and what comes here is vectors. `self.output` stays a linear layer; only its *weight* is the table: `self.output.weight = self.tgt_embedding.embedding.weight`.",
    edit({TIE: "self.output = self.tgt_embedding"}, inside=INIT),
    edit({TIE: "self.output = self.tgt_embedding.embedding"}, inside=INIT),
)
transformer.mistake(
    "tied though not asked for",
    "The output layer is always tied. It should be only if `config.tie_output` says so.",
    edit({IF_TIED: "if True:\n"}, inside=INIT),
    edit(
        {SCORES: f"return self.decode(tgt_ids, {MEMORY}, src_mask) @ self.tgt_embedding.embedding.weight.T"},
        inside=FORWARD,
        says="The scores are always those of the target's table. It should serve as the output only if `config.tie_output` says so, and then as the weight of `self.output`: call that.",
    ),
)
transformer.mistake(
    "tied only where the embeddings are shared",
    "The output layer is tied only where the embeddings are shared. The two choices are independent: an output can share the target's table while the source has another one.",
    edit({IF_TIED: "if config.tie_output and config.share_embeddings:\n"}, inside=INIT),
)
transformer.mistake(
    "share_embeddings ignored",
    "`share_embeddings` does nothing. Source and target keep a table each: assign one embedding to both names.",
    edit({SHARE: "pass"}, inside=INIT),
)
transformer.mistake(
    "shared embedding copied",
    "The shared embedding is copied, not shared. The two tables are equal at the start and go their own ways from the first step of training on. Assign the same module to both names.",
    edit({SHARE: "self.tgt_embedding.load_state_dict(self.src_embedding.state_dict())"}, inside=INIT),
)
transformer.mistake(
    "shared through .data",
    DATA.format("or the whole module: `self.tgt_embedding = self.src_embedding`"),
    edit(
        {SHARE: "self.tgt_embedding.embedding.weight.data = self.src_embedding.embedding.weight.data"},
        inside=INIT,
    ),
)
transformer.mistake(
    "share_embeddings and tie_output exchanged",
    "The two choices have changed places. `share_embeddings` is about the two tables at the input, `tie_output` about the output layer and the target's table.",
    edit({IF_SHARED: IF_TIED, IF_TIED: IF_SHARED}, inside=INIT),
    edit({IF_SHARED: IF_TIED, SHARE: "self.src_embedding = self.tgt_embedding", IF_TIED: IF_SHARED}, inside=INIT),
)
transformer.mistake(
    "not tied where the embeddings are shared",
    "With both choices on, the output is not tied. Either you tie first and share afterwards, which puts another embedding in the target's place, and the output keeps one that is thrown away; or an `elif` lets only one of the two happen. They are independent, and the order counts: share first, then tie.",
    edit({IF_SHARED: IF_TIED, SHARE: TIE, IF_TIED: IF_SHARED, TIE: SHARE}, inside=INIT),
)
transformer.mistake(
    "shared though not asked for",
    "The embeddings are shared although nobody asked. Two vocabularies of the same size are still two: share only if `config.share_embeddings` says so.",
    edit(
        {IF_SHARED: "if config.share_embeddings or config.src_vocab_size == config.tgt_vocab_size:\n"},
        inside=INIT,
    ),
    edit({IF_SHARED: "if True:\n"}, inside=INIT),
)

# parameter_count ----------------------------------------------------------------------------

parameter_count.mistake(
    "biases of attention not counted",
    "The biases of the attentions are missing. Each of the four linear layers has d_model of them, beside its d_model · d_model weights.",
    {"d * d + d)": "d * d)"},
)
parameter_count.mistake(
    "biases of the feed-forward network not counted",
    "A bias of the feed-forward network is missing. `linear1` has d_ff of them, one for each number that it makes, and `linear2` has d_model.",
    {FEED_FORWARD: "2 * d * d_ff"},
    {"+ d_ff)": ")"},
)
parameter_count.mistake(
    "one bias for four layers",
    "The four linear layers of an attention have a bias each, and you count one. `4 * d * d + d` multiplies the weights alone: the four stands before the bracket, 4 · (d · d + d).",
    {ATTENTION: "4 * d * d + d"},
)
parameter_count.mistake(
    "tables not counted",
    "No table is counted. The source's and the target's embeddings have a row of d_model numbers for each word, and the output layer has as many; what is shared or tied counts once.",
    {"+ final_norms + tables": "+ final_norms"},
)
parameter_count.mistake(
    "the model is built",
    "The model is built to be counted. That takes as much memory as the model, and one too large for this machine cannot be counted at all. Count from the sizes: a formula needs none of it.",
    {
        "d, d_ff = config.d_model, config.d_ff": "return sum(one.numel() for one in Transformer(config).parameters())\n    d, d_ff = config.d_model, config.d_ff"
    },
)
parameter_count.mistake(
    "no biases counted",
    "The biases of the linear layers are missing. All of them have one, those of attention and those of the feed-forward network: as many numbers as they make. Only the output layer has none.",
    {ATTENTION: "4 * d * d", FEED_FORWARD: "2 * d * d_ff"},
)
parameter_count.mistake(
    "bias of the wrong size",
    "A bias of the feed-forward network has the wrong size. A layer has one bias for each number that it *makes*: d_ff in `linear1`, d_model in `linear2`.",
    {"(d_ff * d + d)": "(d_ff * d + d_ff)"},
    {"(d * d_ff + d_ff)": "(d * d_ff + d)"},
)
parameter_count.mistake(
    "one linear layer in the feed-forward network",
    "The feed-forward network has two linear layers, and you count one. `linear1` leads from d_model to d_ff, `linear2` back.",
    {FEED_FORWARD: "(d * d_ff + d_ff)"},
)
parameter_count.mistake(
    "4 · d_model instead of d_ff",
    "The feed-forward network is counted as 4 · d_model wide. That is so in the paper's models; the configuration says how wide it is: `config.d_ff`.",
    {"d, d_ff = config.d_model, config.d_ff": "d, d_ff = config.d_model, 4 * config.d_model"},
)
parameter_count.mistake(
    "output projection of attention not counted",
    "An attention has four linear layers, and you count three. Query, key and value, and `out_proj`, which mixes what the heads found.",
    {"4 * (": "3 * ("},
)
parameter_count.mistake(
    "attention counted for every head",
    "Attention is counted once for every head. The heads divide d_model among them: at a fixed width, any number of heads has the same parameters (lesson 03).",
    {"4 * (": "4 * config.num_heads * ("},
    {"4 * (": "(3 * config.num_heads + 1) * ("},
)
parameter_count.mistake(
    "norms counted with one parameter per feature",
    "A norm has 2 · d_model parameters. A weight and a bias for every feature; you count one of the two.",
    {"norm = 2 * d": "norm = d"},
)
parameter_count.mistake(
    "norms not counted",
    "The norms are not counted. Each has a weight and a bias for every feature: two in an encoder layer, three in a decoder layer.",
    {"norm = 2 * d": "norm = 0"},
)
# Whichever of the two is forgotten, the number is the same.
parameter_count.mistake(
    "a norm, or the bias of linear2, not counted",
    "You miss 2 · d_model numbers for each of the num_layers. Three slips make just that: an encoder layer with one norm (it has two), a decoder layer with two (it has three, one for each sublayer), or `linear2` without its "
    "bias in both stacks (d_model numbers, beside the d_ff of `linear1`).",
    {"3 * norm": "2 * norm"},
)
parameter_count.mistake(
    "one norm for a layer",
    "You count one norm for a layer. There is one for each sublayer: two in an encoder layer, three in a decoder layer.",
    {"+ 2 * norm": "+ norm", "3 * norm": "norm"},
)
parameter_count.mistake(
    "one attention in a decoder layer",
    "A decoder layer has two attentions, and you count one. It reads the target and it reads the memory, each with projections of its own.",
    {"2 * attention": "attention"},
)
parameter_count.mistake(
    "final norms counted without pre-norm",
    "The final norms are always counted. They end the stacks only with pre-norm (`norm_first=True`); in the paper's post-norm the last thing a layer does is to normalize. `nn.Transformer` has them in both cases.",
    {FINAL: "2 * norm"},
)
parameter_count.mistake(
    "final norms counted only without pre-norm",
    "The final norms are counted just where there are none. They end the stacks with pre-norm (`norm_first=True`); in post-norm the last thing a layer does is to normalize.",
    {FINAL: "0 if config.norm_first else 2 * norm"},
)
parameter_count.mistake(
    "final norms of pre-norm not counted",
    "The final norms are missing. With pre-norm each stack ends with one more norm, 2 · d_model parameters each.",
    {FINAL: "0"},
)
parameter_count.mistake(
    "one final norm instead of two",
    "There is a final norm for each stack, and you count one. With pre-norm both the encoder and the decoder end with a norm.",
    {FINAL: "norm if config.norm_first else 0"},
)
parameter_count.mistake(
    "final norms counted for every layer",
    "The final norm is counted in every layer. It stands once at the end of each stack, outside of its layers: do not multiply it by num_layers.",
    {FINAL: "2 * config.num_layers * norm if config.norm_first else 0"},
)
parameter_count.mistake(
    "tied output counted",
    "The tied output is counted as well. With `tie_output` the output layer has no numbers of its own: they are the target table's, and were counted there.",
    {UNLESS_TIED: "if True:"},
)
parameter_count.mistake(
    "output layer not counted",
    "The output layer is missing. Unless it is tied, it has a weight of its own: tgt_vocab_size · d_model.",
    {UNLESS_TIED: "if False:"},
)
parameter_count.mistake(
    "output counted only if tied",
    "The output is counted just where it should not be. With `tie_output` it has no numbers of its own; the `not` is missing.",
    {UNLESS_TIED: "if config.tie_output:\n"},
)
parameter_count.mistake(
    "shared table counted twice",
    "The shared table is counted twice. With `share_embeddings` source and target have one table.",
    {UNLESS_SHARED: "if True:"},
)
parameter_count.mistake(
    "target's table counted only if shared",
    "The target's table is counted just where it should not be. With `share_embeddings` it is the source's; the `not` is missing.",
    {UNLESS_SHARED: "if config.share_embeddings:"},
)
parameter_count.mistake(
    "target's table not counted",
    "The target's table is missing. Unless it is shared, there are two: src_vocab_size and tgt_vocab_size rows of d_model numbers.",
    {UNLESS_SHARED: "if False:"},
)

# Each stands under the choice that it belongs to: the line alone occurs twice.
TGT_ROWS, SRC_ROWS = "\n        tables += config.tgt_vocab_size * d", "\n        tables += config.src_vocab_size * d"
parameter_count.mistake(
    "output counted with the source's vocabulary",
    "The output layer is counted with the source's vocabulary. It scores words of the target: tgt_vocab_size · d_model.",
    {f"{UNLESS_TIED}{TGT_ROWS}": f"{UNLESS_TIED}{SRC_ROWS}"},
)
parameter_count.mistake(
    "target counted with the source's vocabulary",
    "The target's table is counted with the source's vocabulary. It has tgt_vocab_size rows, and so has the output layer.",
    {f"{UNLESS_SHARED}{TGT_ROWS}": f"{UNLESS_SHARED}{SRC_ROWS}"},
    {
        f"{UNLESS_SHARED}{TGT_ROWS}": f"{UNLESS_SHARED}{SRC_ROWS}",
        f"{UNLESS_TIED}{TGT_ROWS}": f"{UNLESS_TIED}{SRC_ROWS}",
    },
)
parameter_count.mistake(
    "source's table counted with the target's vocabulary",
    "The source's table is counted with the target's vocabulary. It has src_vocab_size rows.",
    {"tables = config.src_vocab_size * d": "tables = config.tgt_vocab_size * d"},
)
parameter_count.mistake(
    "output bias counted",
    "A bias of the output layer is counted. It has none: `bias=False` stands in the constructor.",
    {THE_REST: f"{THE_REST} + config.tgt_vocab_size"},
    {UNLESS_TIED: f"tables += 0 if config.tie_output else config.tgt_vocab_size\n    {UNLESS_TIED}"},
)
parameter_count.mistake(
    "positions counted",
    "The table of positions is counted. It is a buffer: sines and cosines that nobody trains, no parameters. `PositionalEncoding` registers it with `register_buffer`.",
    {THE_REST: f"+ config.max_len * d {THE_REST}"},
    {THE_REST: f"+ 2 * config.max_len * d {THE_REST}"},
)
parameter_count.mistake(
    "one layer of each stack",
    "You count one layer of each stack. There are `num_layers` in the encoder, and as many in the decoder.",
    {"config.num_layers * (": "("},
)
parameter_count.mistake(
    "only one stack multiplied by num_layers",
    "Only one stack is multiplied by num_layers. Both have as many layers: brackets around the sum are missing.",
    {LAYERS: "config.num_layers * encoder_layer + decoder_layer"},
    {LAYERS: "encoder_layer + config.num_layers * decoder_layer"},
)
parameter_count.mistake(
    "num_layers divided between the stacks",
    "num_layers is taken for both stacks together. The encoder has num_layers layers, and the decoder as many again.",
    {LAYERS: f"{LAYERS} // 2"},
    {LAYERS: "config.num_layers // 2 * (encoder_layer + decoder_layer)"},
)
parameter_count.mistake(
    "decoder not counted",
    "The decoder is missing. Beside the encoder's layers there are as many decoder layers, each with one attention and one norm more.",
    {"(encoder_layer + decoder_layer)": "encoder_layer"},
)
parameter_count.mistake(
    "decoder counted like the encoder",
    "The decoder's layers are counted like the encoder's. A decoder layer has one attention more, for reading the memory, and one norm more.",
    {"decoder_layer = 2 * attention + feed_forward + 3 * norm": "decoder_layer = encoder_layer"},
)
parameter_count.mistake(
    "entries of the state_dict counted",
    "You count the entries of the state_dict. It holds the table of positions, which nobody trains, and names what is shared once for each place. `parameters()` gives every parameter once, and nothing else.",
    {UNLESS_SHARED: "if True:", UNLESS_TIED: "if True:", THE_REST: f"+ config.max_len * d {THE_REST}"},
)

# How the two choices are taken together, in all the ways in which the one hides behind the other.
CHOICES = f"{UNLESS_SHARED}{TGT_ROWS}\n    {UNLESS_TIED}{TGT_ROWS}"
TWO = TGT_ROWS.replace("+= ", "+= 2 * ")
parameter_count.mistake(
    "sharing and tying mixed up",
    "Sharing and tying are not counted independently of each other. Each of them takes away one table of tgt_vocab_size · d_model, whatever the other says: two questions side by side, none in the `else` or in the branch of the other.",
    {CHOICES: CHOICES.replace(f"    {UNLESS_TIED}", f"    el{UNLESS_TIED}")},
    {CHOICES: f"{UNLESS_SHARED}{TGT_ROWS}\n        {UNLESS_TIED}    {TGT_ROWS.replace('        ', '            ')}"},
    {CHOICES: f"if not (config.share_embeddings or config.tie_output):{TWO}"},
    {CHOICES: f"if not (config.share_embeddings and config.tie_output):{TWO}"},
    {
        CHOICES: f"if not (config.share_embeddings and config.tie_output):{TGT_ROWS}\n    if not (config.share_embeddings or config.tie_output):{TGT_ROWS}\n    elif config.share_embeddings and config.tie_output:{TGT_ROWS}"
    },
)
parameter_count.mistake(
    "source's table not counted",
    "The source's table is missing. It has src_vocab_size rows of d_model numbers, whatever is shared or tied.",
    {"tables = config.src_vocab_size * d": "tables = 0"},
)
parameter_count.mistake(
    "tables counted for every layer",
    "The tables are multiplied by num_layers. They stand once, in front of the stacks and behind them: only what is in a layer is there num_layers times.",
    {THE_REST: "+ final_norms + config.num_layers * tables"},
    {THE_REST: "+ config.num_layers * (final_norms + tables)"},
)
parameter_count.mistake(
    "encoder counted like the decoder",
    "The encoder's layers are counted like the decoder's. An encoder layer has one attention and two norms: it reads no memory.",
    {"encoder_layer = attention + feed_forward + 2 * norm": "encoder_layer = 2 * attention + feed_forward + 3 * norm"},
)
parameter_count.mistake(
    "a norm too many",
    "You count 2 · d_model numbers too many for each of the num_layers: one norm. An encoder layer has two and a decoder layer has three, one for each sublayer.",
    {"feed_forward + 2 * norm": "feed_forward + 3 * norm"},
)
parameter_count.mistake(
    "attention counted for one head",
    "Query, key and value are counted for one head. Each head has d_model // num_heads of their features, and there are num_heads of them: together d_model again, so each of the three is d_model · d_model weights and d_model biases.",
    {ATTENTION: "3 * (d * (d // config.num_heads) + d // config.num_heads) + d * d + d"},
)
parameter_count.mistake(
    "the count is a float",
    "The count is a float. Parameters are counted in whole numbers, and a float is exact only so far; `/` and `** 0.5` make one, `//` does not.",
    {"return config.num_layers *": "return 1.0 * config.num_layers *"},
)
