"""The embedding, the masks and the model."""

from autograder.checks.transformer import make_masks, token_embedding, transformer
from autograder.probing.mistake import Way, edit

INIT, ENCODE, DECODE, FORWARD = (f"Transformer.{method}" for method in ("__init__", "encode", "decode", "forward"))

# The reference's own words, which the edits replace: in the embedding, ...
LOOK_UP = "self.embedding(token_ids) * math.sqrt(d_model)"
HIDE = "vectors.masked_fill(is_pad, 0.0)"
OUT_OF_RANGE = "not 0 <= lowest <= highest < vocab_size"
SIZES = "vocab_size, d_model = self.embedding.weight.shape"
IS_PAD = "(token_ids == self.pad_id).unsqueeze(-1)"
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
# A `forward` that runs both stacks itself passes encode and decode by, and hides what is wrong there: to make that visible
# to the judge, the edit claims their text, so that it is not tried together with mistakes made in it.
CLAIMED = {text: text for text in (SRC_PAD, TGT_PAD, CAUSAL, READ, WRITE, TO_DECODER)}
TO_READER, TO_WRITER = "one(x, src_mask)", "one(y, x, tgt_mask, src_mask)"
READERS, WRITERS = "in self.encoder.layers:", "in self.decoder.layers:"
READ_NORM = "x = x if self.encoder.norm is None else self.encoder.norm(x)"
WRITE_NORM = "y = y if self.decoder.norm is None else self.decoder.norm(y)"
BY_LAYERS = f"""x, y = {READ}, {WRITE}
        _, tgt_mask = make_masks(src_ids, tgt_ids, self.config.pad_id)
        for one {READERS}
            x = {TO_READER}
        {READ_NORM}
        for one {WRITERS}
            y = {TO_WRITER}
        {WRITE_NORM}
        return self.output(y)"""


def by_layers(swaps: dict[str, str], says: str = "") -> Way:
    """A slip in a `forward` that runs the layers of both stacks itself."""
    whole = BY_LAYERS
    for old, new in swaps.items():
        whole = whole.replace(old, new)
    return edit({SCORES: whole, **CLAIMED}, says=says)


def reading(memory: str, says: str = "") -> Way:
    """A `forward` that reads the source itself and calls `decode`."""
    return edit({MEMORY: memory, SRC_PAD: SRC_PAD, READ: READ}, says=says)


def writing(vectors: str, says: str = "") -> Way:
    """A `forward` that calls `encode` and writes the target itself, from `memory`."""
    claimed = {text: text for text in (TGT_PAD, CAUSAL, WRITE, TO_DECODER)}
    return edit({"self.decode(tgt_ids, ": f"(lambda memory, src_mask: {vectors})(", **claimed}, says=says)


BOTH_MASKS = "make_masks(src_ids, tgt_ids, pad_id=self.config.pad_id)[1]"


def through(stack: str, layers: str = "self.{}.layers", norm: str = "self.{}.norm", each: str = "{}") -> str:
    """The vectors of one side, layer by layer; `norm` is the last one."""
    start, given = (READ, "src_mask") if stack == "encoder" else (WRITE, f"memory, {BOTH_MASKS}, src_mask")
    run = f"[x := {start}, *[x := {each.format(f'one(x, {given})')} for one in {layers.format(stack)}]][-1]"
    return f"({norm.format(stack)} or nn.Identity())({run})" if norm else run


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
    "another power of d_model",
    "Your factor is not √d_model. Another power, a logarithm, or another number under the root brings the features to another size than 1. The table's spread is 1/√d_model: multiply by `math.sqrt(d_model)`.",
    *(
        {"math.sqrt(d_model)": factor}
        for factor in (
            "d_model ** (1 / 3)",
            "d_model**0.25",
            "d_model**1.5",
            "math.log(d_model)",
            "math.sqrt(d_model / 2)",
            "math.sqrt(d_model // 2)",
            "math.sqrt(2 * d_model)",
        )
    ),
)
token_embedding.mistake(
    "√d_model is added",
    "√d_model is added, not multiplied. Every feature of every token is moved by the same number. It is a factor: `*`.",
    {" * math.sqrt(d_model)": " + math.sqrt(d_model)"},
)
token_embedding.mistake(
    "every vector gets one length",
    "The vectors are brought to one length. In the table a word may be longer than another, and training decides how long. Look the row up and multiply it by √d_model, nothing more.",
    {"self.embedding(token_ids)": "nn.functional.normalize(self.embedding(token_ids), dim=-1)"},
    {LOOK_UP: "nn.functional.normalize(self.embedding(token_ids), dim=-1)"},
)
token_embedding.mistake(
    "the table is multiplied",
    "You multiply the table itself, at every call. After ten calls its numbers have been multiplied by √d_model ten times. Look up first, and multiply what came out.",
    {LOOK_UP: "self.embedding.weight.data.mul_(math.sqrt(d_model))[token_ids]"},
    {SIZES: f"{SIZES}; self.embedding.weight.data.mul_(math.sqrt(d_model))", " * math.sqrt(d_model)": ""},
)
KEPT = 'self.__dict__.setdefault("scaled", self.embedding.weight{} * math.sqrt(d_model))[token_ids]'
token_embedding.mistake(
    "the multiplied table is kept",
    "The table is multiplied once and kept. Every step of training changes the table, and your copy stays what it was in the first call: the model would never see what it learns. Look up in `self.embedding` in every call.",
    {LOOK_UP: KEPT.format("")},
    {LOOK_UP: KEPT.format(".detach()")},
    {LOOK_UP: f"{LOOK_UP}; vectors = self.__dict__.setdefault(repr(token_ids.tolist()), vectors)"},
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
    "√seq_len instead of √d_model",
    "The factor is the root of the sentence's length. The same word would be longer in a longer sentence. The root is taken of d_model, the number of features.",
    {"math.sqrt(d_model)": "math.sqrt(token_ids.size(1))"},
)
token_embedding.mistake(
    "the root is cut to a whole number",
    "The root of d_model is cut to a whole number. √6 is 2.45, and `int(...)`, `//` and `math.isqrt` make 2 of it. Multiply by `math.sqrt(d_model)` as it is.",
    {"math.sqrt(d_model)": "math.isqrt(d_model)"},
)
token_embedding.mistake(
    "padding is looked up as id 0",
    "Padding gets the vector of id 0. The ids are changed before the look-up, and row 0 of the table is the row of a token. Leave the ids as they are, and set the vectors to zero after the look-up.",
    {"self.embedding(token_ids)": "self.embedding(token_ids * (token_ids != self.pad_id))", HIDE: "vectors"},
)
token_embedding.mistake(
    "padding is not zero",
    "Padding has a vector like any other token. Where the id is `pad_id`, the result has to be zero, whatever stands in that row of the table: set it to zero after the look-up, with `masked_fill`. ",
    {HIDE: "vectors"},
    {HIDE: "vectors.where(~is_pad, self.embedding(token_ids))"},
)
token_embedding.mistake(
    "not all padding is zero",
    "Some padding is not zero. Every place is asked by itself: where its id is `pad_id`, its vector is zero, wherever in the sentence and in whichever sentence it stands.",
    edit(
        {IS_PAD: "(token_ids[:1] == self.pad_id).unsqueeze(-1)"},
        says="The padding of the first sentence is taken for that of all. Each sentence has its own: compare all of `token_ids` with `self.pad_id`.",
    ),
    edit(
        {IS_PAD: "(token_ids == self.pad_id).flip(1).cumprod(1).flip(1).bool().unsqueeze(-1)"},
        says="Only padding at the end of a sentence is zero. It can stand in front or in between as well: where the id is `pad_id`, the vector is zero.",
    ),
)
token_embedding.mistake(
    "whole sentences are zero",
    "A sentence with padding in it is zero as a whole. Every place is asked by itself: `(token_ids == self.pad_id).unsqueeze(-1)` has one answer for each token.",
    {IS_PAD: "(token_ids == self.pad_id).any(1)[:, None, None]"},
)
token_embedding.mistake(
    "padding filled with another number",
    "Padding is filled with another number than 0. What is added to the vectors next, and sums over all places, should not hear of padding: fill with 0.0.",
    {HIDE: "vectors.masked_fill(is_pad, 1.0)"},
    {HIDE: "vectors.masked_fill(is_pad, float(self.pad_id))"},
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

token_embedding.mistake(
    "the table's row is overwritten",
    "You write zeros into the table. When the table is tied to the output layer, that also sets the score of the padding id to zero, at every call, against what training has found. Leave the table alone, and set the "
    "vectors to zero.",
    {LOOK_UP: f"{LOOK_UP}; self.embedding.weight.data[self.pad_id] = 0.0"},
    {SIZES: f"{SIZES}; self.embedding.weight.data[self.pad_id] = 0.0", HIDE: "vectors"},
    {SIZES: f"{SIZES}; self.embedding.weight.data[self.pad_id] = 0.0"},
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
CLAMPED = "An id outside the vocabulary becomes another id. Id 5 of a vocabulary of 5 is taken for id 4, and nobody learns that the ids do not fit the vocabulary. The given lines raise a ValueError: leave them in."
token_embedding.mistake(
    "ids that do not exist are not refused",
    "An id outside the vocabulary is not refused. Whoever hands in id 5 for a vocabulary of 5 should read that the ids go up to 4, in a ValueError, as the given lines had it.",
    {OUT_OF_RANGE: "False"},
    {OUT_OF_RANGE: "False", "self.embedding(token_ids)": "self.embedding.weight[token_ids]"},
    *(
        edit({OUT_OF_RANGE: "False", **clamped}, says=CLAMPED)
        for clamped in (
            {"self.embedding(token_ids)": "self.embedding(token_ids.clamp(0, vocab_size - 1))"},
            {SIZES: f"{SIZES}; token_ids = token_ids.clamp(0, vocab_size - 1)"},
        )
    ),
    edit(
        {OUT_OF_RANGE: "not 0 <= lowest <= highest <= vocab_size"},
        says="The first id above the vocabulary is not refused. A vocabulary of 5 has the ids 0 to 4, so id 5 should raise the ValueError: the given lines compare with `<`.",
    ),
)
token_embedding.mistake(
    "negative ids count from the end",
    "A negative id takes a row from the end of the table. Indexing with [-1] does that, silently. The given lines refuse ids below 0: leave them in.",
    {OUT_OF_RANGE: "highest >= vocab_size", "self.embedding(token_ids)": "self.embedding.weight[token_ids]"},
)

# make_masks ----------------------------------------------------------------------------

ORED = "The two masks are joined with or. A token then may look wherever one of them allows it: at every real token of the future, and at padding before it. It has to pass both: `&`."
# The whole line: joined with or, a mask that hides nothing gives what both together give when they are missing.
make_masks.mistake(
    "masks joined with or",
    ORED,
    {f"{MASK_TGT} & {CAUSAL}": f"{MASK_TGT} | {CAUSAL}"},
    edit(
        {f"{MASK_TGT} & {CAUSAL}": f"{MASK_TGT} ^ {CAUSAL}"},
        says="The two masks are joined with exclusive or, `^`. A token then may look just where one of them allows it and the other does not: at the real tokens of the future. It has to pass both: `&`.",
    ),
)

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

INVERTED = 'True means hidden in a mask of yours. In this course True means "may look", as in `F.scaled_dot_product_attention`; `nn.Transformer` has it the other way round. Compare with `!=`, and keep the lower triangle.'
make_masks.mistake(
    "masks inverted",
    INVERTED,
    {MASKS: "return ~src_mask, ~tgt_mask"},
    {MASKS: "return src_mask, ~tgt_mask"},
)
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
make_masks.mistake(
    "each token sees only itself",
    "Each target token may look at itself and at nothing else. Row i says whom token i may look at, and that is all up to its own place: j <= i, not j == i.",
    {CAUSAL: f"({CAUSAL} & {CAUSAL}.T)"},
)

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
    edit(
        {"src_ids.size(0) != tgt_ids.size(0)": "src_ids.size(0) < tgt_ids.size(0)"},
        says="Two sources and one target are not refused. A batch of 1 broadcasts against everything, so attention would not complain either, and the target would be read beside both sources. The given lines raise a ValueError: leave them as they were, with `!=`.",
    ),
    edit({"src_ids.size(0) != tgt_ids.size(0)": "src_ids.size(0) > tgt_ids.size(0)"}),
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
    reading(f"self.encoder({SRC_EMBEDDED}, src_mask)"),
)
transformer.mistake(
    "no positions in the target",
    "The target has no positions. The causal mask lets a decoder guess a little of the order, but it is not told: send what the embedding gives through `self.positions`, on both sides.",
    edit({WRITE: TGT_EMBEDDED}, inside=DECODE),
    writing(f"self.decoder({TGT_EMBEDDED}, memory, {BOTH_MASKS}, src_mask)"),
)

transformer.mistake(
    "no positions at all",
    "Neither source nor target has positions. To the encoder its input is then a bag of tokens: any order gives the same vectors, and the decoder is not told an order either. Send what the embedding gives through `self.positions`, on both sides.",
    {READ: SRC_EMBEDDED, WRITE: TGT_EMBEDDED},
)

SRC_DROPPED, TGT_DROPPED = (
    {whole: f"nn.functional.dropout({whole}, self.config.dropout, self.training)"} for whole in (READ, WRITE)
)
transformer.mistake(
    "dropout once more after the positions",
    "There is a second dropout after the positions. `self.positions` adds and drops already. With a dropout of 0.1 a second one drops 19 % of the numbers. Take what it returns as it is.",
    SRC_DROPPED | TGT_DROPPED,
    SRC_DROPPED,
    TGT_DROPPED,
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
    writing(f"self.decoder(self.positions(self.src_embedding(tgt_ids)), memory, {BOTH_MASKS}, src_mask)"),
)
transformer.mistake(
    "source looked up in the target's table",
    "The source is looked up in the target's table. Unless the two languages share one vocabulary, id 5 is one word here and another there: `encode` uses `self.src_embedding`.",
    edit({"self.src_embedding(": "self.tgt_embedding("}, inside=ENCODE),
    reading("self.encoder(self.positions(self.tgt_embedding(src_ids)), src_mask)"),
)

# Transformer: masks ----------------------------------------------------------------------------

transformer.mistake(
    "encoder reads padding",
    "The encoder has no mask. The tokens of a short sentence then read the padding behind them, and the same sentence comes out differently in a longer batch. Make the mask from `src_ids` and hand it to `self.encoder`.",
    edit({SRC_PAD: "None"}, inside=ENCODE),
    reading(f"self.encoder({READ})"),
)
transformer.mistake(
    "cross-attention reads padding",
    "The cross-attention reads padding. Target tokens look at places of the memory where no source token stands: the source's mask does not reach the decoder. It is the last argument, "
    "`self.decoder(x, memory, tgt_mask, src_mask)`.",
    edit({TO_DECODER: "memory, tgt_mask)"}, inside=DECODE),
    edit({f"{MEMORY}, src_mask)": f"{MEMORY}, src_mask | True)"}, inside=FORWARD),
)
transformer.mistake(
    "target not causal",
    READS_AHEAD,
    edit({CAUSAL: f"({CAUSAL} | True)"}, inside=DECODE),
    writing(f"self.decoder({WRITE}, memory, {TGT_PAD}, src_mask)"),
)
transformer.mistake(
    "padding of the target not hidden",
    TARGET_PADDING,
    edit({TGT_PAD: "tgt_ids.eq(tgt_ids)[:, None, None]"}, inside=DECODE),
    writing(f"self.decoder({WRITE}, memory, {CAUSAL}, src_mask)"),
)
transformer.mistake(
    "source causal",
    SOURCE_CAUSAL,
    edit({SRC_PAD: f"{SRC_PAD} & causal_mask(src_ids.size(1))"}, inside=ENCODE),
    edit({SRC_PAD: "causal_mask(src_ids.size(1))"}, inside=ENCODE),
    reading(f"self.encoder({READ}, src_mask & causal_mask(src_ids.size(1)))"),
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
    writing(f"self.decoder({WRITE}, memory, src_mask, {BOTH_MASKS})"),
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
    writing(f"self.decoder({WRITE}, memory, None, src_mask)"),
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
    {SRC_PAD: "padding_mask(src_ids, 0)", TGT_PAD: "padding_mask(tgt_ids, 0)"},
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
transformer.mistake(
    "encoder and decoder layers in turn",
    "Encoder and decoder layers take turns. So the first decoder layer reads a source that only one encoder layer has worked on, and only the last layer reads the finished memory. They are two stacks: the encoder runs to its end, "
    "then every decoder layer reads what came out. An article runs both in one loop, with `i % 2`.",
    {SCORES: TURNS.format("y"), **CLAIMED},
    {SCORES: TURNS.format("y if self.decoder.norm is None else self.decoder.norm(y)"), **CLAIMED},
)

READS_IN_LOOP = {
    "return self.encoder(": "run = lambda x, *masks: [x, *[x := one(x, *masks) for one in self.encoder.layers]][-1]; return run("
}
WRITES_IN_LOOP = {
    "return self.decoder(": "run = lambda x, *rest: [x, *[x := one(x, *rest) for one in self.decoder.layers]][-1]; return run("
}
transformer.mistake(
    "last norm of a stack passed by",
    "The layers are run one by one, and the last norm of the stack is passed by. With pre-norm each stack ends with a norm, and a loop over `layers` does not come to it. Call the stack itself: "
    "`self.encoder(x, src_mask)`.",
    READS_IN_LOOP | WRITES_IN_LOOP,
    READS_IN_LOOP,
    WRITES_IN_LOOP,
    reading(through("encoder", norm="")),
    writing(through("decoder", norm="")),
)
transformer.mistake(
    "the norm of a stack after every layer",
    "The last norm of a stack acts after every layer. In pre-norm the sums go through a stack untouched, and one norm stands at its end, after the loop. Call the stack itself, which does that: `self.encoder(x, src_mask)`.",
    *(
        of(through(stack, norm=last, each=f"(self.{stack}.norm or nn.Identity())({{}})"))
        for stack, of in (("encoder", reading), ("decoder", writing))
        for last in ("self.{}.norm", "")
    ),
    by_layers({f"\n        {name}": f"\n            {name}" for name in (READ_NORM, WRITE_NORM)}),
    by_layers(
        {
            f"\n        {READ_NORM}": "",
            f"y = {TO_WRITER}": f"{READ_NORM}\n            y = {TO_WRITER}",
        },
        says="The encoder's norm acts again in every layer of the decoder. In pre-norm it stands once at the end of the encoder, between the two loops. Call the stack itself, which does that: `self.encoder(x, src_mask)`.",
    ),
)
transformer.mistake(
    "the norm of the other stack",
    "A stack ends with the other's norm. Each has one of its own in pre-norm, `self.encoder.norm` and `self.decoder.norm`, and they learn different scales. Call the stack itself, which knows its norm.",
    reading(through("encoder", norm="self.decoder.norm")),
    writing(through("decoder", norm="self.encoder.norm")),
)
transformer.mistake(
    "a layer of a stack is left out",
    "A layer of a stack never runs. The encoder has `num_layers` layers, and the decoder as many, and each has to run once. Call the stack itself, or go through all of its `layers`.",
    *(
        of(through(stack, layers=f"self.{{}}.layers[{part}]", norm=last))
        for stack, of in (("encoder", reading), ("decoder", writing))
        for part in (":-1", "1:", ":1")
        for last in ("self.{}.norm", "")[: 2 if part == ":-1" else 1]
    ),
    by_layers({READERS: "in self.encoder.layers[:-1]:", WRITERS: "in [self.decoder.layers[0], *self.decoder.layers]:"}),
)
transformer.mistake(
    "one layer of a stack runs again and again",
    "One layer of a stack runs again and again, and the others never. The number of the round chooses the layer: `layers[i]`. Call the stack itself, or go through all of its `layers`.",
    *(
        of(through(stack, layers=f"[self.{{}}.layers[{number}]] * self.config.num_layers"))
        for stack, of in (("encoder", reading), ("decoder", writing))
        for number in (0, -1)
    ),
)

transformer.mistake(
    "a stack runs twice",
    "A stack runs twice. What has been through all of its layers goes through them once more. Each layer has one turn: call the stack once.",
    *(reading(f"self.encoder({once}, src_mask)") for once in (MEMORY,)),
    edit(
        {
            "self.decode(tgt_ids, ": f"(lambda memory, mask: self.decoder(self.decode(tgt_ids, memory, mask), memory, {BOTH_MASKS}, mask))("
        },
        inside=FORWARD,
    ),
    edit(
        {
            "return self.encoder(": "return self.encoder(self.encoder(",
            f"{READ}, src_mask)": f"{READ}, src_mask), src_mask)",
        },
        inside=ENCODE,
    ),
    edit(
        {f"self.decoder({WRITE}, {TO_DECODER}": f"self.decoder(self.decoder({WRITE}, {TO_DECODER}, {TO_DECODER}"},
        inside=DECODE,
    ),
)

transformer.mistake(
    "the embedded target is added to the result",
    "The embedded target is added to what the decoder gives. Every layer has its own sums with what goes in; round a whole stack there is none. What the decoder gives goes to `self.output` as it is.",
    writing(f"{WRITE} + self.decoder({WRITE}, memory, {BOTH_MASKS}, src_mask)"),
    edit({"return self.decoder(": f"return {WRITE} + self.decoder("}, inside=DECODE),
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
