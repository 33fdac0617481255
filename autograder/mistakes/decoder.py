"""Wrong ways of lesson 07. Several edits may carry one name: the same mistake is written in several ways."""

from autograder.probing.mistake import Mistake

LAYER, STACK = "DecoderLayer", "Decoder"

SELF, CROSS = "self.self_attn(h, h, h", "self.cross_attn(h, memory, memory"
SELF_MASK, CROSS_MASK = ", self_mask)", ", cross_mask)"
FIRST, SECOND, THIRD = "add_norm(x, attend", "add_norm(x, read_source", "add_norm(x, self.feed_forward"
NORMS = ("self.norm1", "self.norm2", "self.norm3")
BEGIN = "kept: list[Tensor] = []"
RETURN = "(x, (kept[0], kept[1])) if return_weights else x"

LAYER_CALL = "layer(x, memory"
TO_SELF, TO_CROSS = ", self_mask,", " cross_mask, return_weights=True"
NEW_LAYERS = "DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)"
NEW_NORM = "LayerNorm(d_model) if norm_first else None"
FINAL = "if self.norm is not None:\n            x = self.norm(x)"
STACK_BEGIN = "all_self, all_cross = [], []"
STACK_RETURN = "(x, (all_self, all_cross)) if return_weights else x"


def layer(name: str, says: str, edits: dict[str, str], inside: str = "DecoderLayer.forward") -> Mistake:
    """A mistake in the layer."""
    return Mistake(name, of=LAYER, inside=inside, swaps=edits, says=says)


def stack(name: str, says: str, edits: dict[str, str], inside: str = "Decoder.forward") -> Mistake:
    """A mistake in the stack."""
    return Mistake(name, of=STACK, inside=inside, swaps=edits, says=says)


# The masks ----------------------------------------------------------------------------

NOT_CAUSAL = (
    "`self_mask` is not used, so every token sees those that come after it. In training the answer to a token is the token behind it: the model reads it, the loss falls to nothing, and when it has to "
    "write by itself there is nothing to read. Does the mask arrive as the fourth argument of `self.self_attn`?"
)
not_causal = layer("self_mask ignored", NOT_CAUSAL, {SELF_MASK: ")"})
stack_not_causal = stack("self_mask ignored", NOT_CAUSAL, {TO_SELF: ", None,"})

SEES_PADDING = (
    "`cross_mask` is not used, so the target reads the source's padding. What it finds there depends on how long the longest sentence of the batch happens to be. Does the mask arrive in the "
    "cross-attention?"
)
sees_padding = layer("cross_mask ignored", SEES_PADDING, {CROSS_MASK: ")"})
# Where the two forms are written apart, it is missing in one of them only.
IN_ONE_FORM = ("{} if self.norm_first else None", "None if self.norm_first else {}")
not_causal_post, not_causal_pre = (
    layer("self_mask ignored", NOT_CAUSAL, {SELF_MASK: f", {one.format('self_mask')})"}) for one in IN_ONE_FORM
)
sees_padding_post, sees_padding_pre = (
    layer("cross_mask ignored", SEES_PADDING, {CROSS_MASK: f", {one.format('cross_mask')})"}) for one in IN_ONE_FORM
)
stack_sees_padding = stack("cross_mask ignored", SEES_PADDING, {TO_CROSS: " None, return_weights=True"})

EXCHANGED = (
    "The two masks have changed places. `self_mask` says which of the target's tokens may be read, `cross_mask` which of the source's. Where source and target differ in length the shapes complain; where "
    "they do not, nothing does."
)
ONE_MASK = (
    "Both attentions get the same mask. They read different tokens and need two: `self_mask` hides the target's future, `cross_mask` the source's padding. Many articles pass one mask through the whole "
    "decoder; then either nothing is causal, or a target token may read the source only up to its own place."
)
TURNED_ROUND = (
    'A mask means the opposite here. In this course True says "may look"; as it stands, exactly what should be seen is hidden. torch\'s own decoder layer has it the other way round, so code written for it '
    "inverts its masks. Look for a `~`."
)


def masks(name: str, says: str, for_self: str, for_cross: str) -> tuple[Mistake, Mistake]:
    """Other masks for the two attentions, in the layer and in the stack."""
    in_layer = {SELF_MASK: f", {for_self})", CROSS_MASK: f", {for_cross})"}
    in_stack = {TO_SELF: f", {for_self},", TO_CROSS: f" {for_cross}, return_weights=True"}
    return layer(name, says, in_layer), stack(name, says, in_stack)


ONE = "one mask for both attentions"
CROSS_FIRST, SELF_FIRST = (
    "self_mask if cross_mask is None else cross_mask",
    "cross_mask if self_mask is None else self_mask",
)
exchanged, stack_exchanged = masks("masks exchanged", EXCHANGED, "cross_mask", "self_mask")
self_for_both, stack_self_for_both = masks(ONE, ONE_MASK, "self_mask", "self_mask")
cross_for_both, stack_cross_for_both = masks(ONE, ONE_MASK, "cross_mask", "cross_mask")
cross_if_there, stack_cross_if_there = masks(ONE, ONE_MASK, CROSS_FIRST, CROSS_FIRST)
self_if_there, stack_self_if_there = masks(ONE, ONE_MASK, SELF_FIRST, SELF_FIRST)

NOT_SELF, NOT_CROSS = (f"None if {one}_mask is None else ~{one}_mask" for one in ("self", "cross"))
both_inverted, stack_both_inverted = masks("mask inverted", TURNED_ROUND, NOT_SELF, NOT_CROSS)
self_inverted, stack_self_inverted = masks("mask inverted", TURNED_ROUND, NOT_SELF, "cross_mask")
cross_inverted, stack_cross_inverted = masks("mask inverted", TURNED_ROUND, "self_mask", NOT_CROSS)

raw_inverted, stack_raw_inverted = masks("mask inverted", TURNED_ROUND, "~self_mask", "~cross_mask")

ALWAYS_CAUSAL = (
    "The self-attention is causal whatever mask is given. `self_mask` says who may look at whom, and None hides nothing. Whoever calls the decoder makes the mask, because only the caller knows whether the "
    "tokens are written one by one, and where there is padding."
)
PAST, STACK_PAST = (f"{one}.new_ones({one}.size(1), {one}.size(1)).tril().bool()" for one in ("h", "x"))
causal_unless_given = layer(
    "always causal", ALWAYS_CAUSAL, {SELF_MASK: f", {PAST} if self_mask is None else self_mask)"}
)
causal_as_well = layer(
    "always causal", ALWAYS_CAUSAL, {SELF_MASK: f", {PAST} if self_mask is None else self_mask & {PAST})"}
)
causal_instead = layer("always causal", ALWAYS_CAUSAL, {SELF_MASK: f", {PAST})"})
stack_causal_unless_given = stack(
    "always causal", ALWAYS_CAUSAL, {TO_SELF: f", {STACK_PAST} if self_mask is None else self_mask,"}
)
stack_causal_as_well = stack(
    "always causal", ALWAYS_CAUSAL, {TO_SELF: f", {STACK_PAST} if self_mask is None else self_mask & {STACK_PAST},"}
)

# Who asks, and who is read ----------------------------------------------------------------------------

READS_MEMORY = (
    "The self-attention reads the memory. Then the target's tokens never see each other: the model cannot know what it has already written. In the first step query, key and value are all the target's; the "
    "memory comes in the second. Articles print decoders like this one; they run as long as source and target are equally long."
)
self_reads_memory = layer("self-attention reads memory", READS_MEMORY, {SELF: "self.self_attn(h, memory, memory"})
self_keys_memory = layer("self-attention reads memory", READS_MEMORY, {SELF: "self.self_attn(h, memory, h"})
self_values_memory = layer("self-attention reads memory", READS_MEMORY, {SELF: "self.self_attn(h, h, memory"})

SOURCE_ASKS = (
    "The memory asks in the cross-attention. Then one output comes out for every token of the source, where one for every token of the target is wanted. It is the target that asks, so the query is `h`; "
    "the memory is what is read, key and value."
)
source_asks = layer("query of the cross-attention from memory", SOURCE_ASKS, {CROSS: "self.cross_attn(memory, h, h"})
source_asks_itself = layer(
    "query of the cross-attention from memory", SOURCE_ASKS, {CROSS: "self.cross_attn(memory, memory, memory"}
)

source_asks_for_keys, source_asks_for_values = (
    layer("query of the cross-attention from memory", SOURCE_ASKS, {CROSS: f"self.cross_attn(memory, {read}"})
    for read in ("h, memory", "memory, h")
)

HALF_READ = (
    "Key and value of the cross-attention do not come from the same tokens. A key says what a token offers, its value is what is taken from that same token, so both are made from `memory`. With source and target "
    "of different length the two do not even fit."
)
key_from_x = layer("key or value of the cross-attention from x", HALF_READ, {CROSS: "self.cross_attn(h, h, memory"})
value_from_x = layer("key or value of the cross-attention from x", HALF_READ, {CROSS: "self.cross_attn(h, memory, h"})
key_from_raw_x, value_from_raw_x = (
    layer("key or value of the cross-attention from x", HALF_READ, {CROSS: f"self.cross_attn(h, {read}"})
    for read in ("x, memory", "memory, x")
)

NO_SOURCE = "The second attention reads the target again. So nothing of the source ever reaches the decoder, and it can only guess what such a text usually says. Key and value of the cross-attention are `memory`."
no_source = layer("cross-attention reads the target", NO_SOURCE, {CROSS: "self.cross_attn(h, h, h"})
no_source_raw = layer("cross-attention reads the target", NO_SOURCE, {CROSS: "self.cross_attn(h, x, x"})
no_source_self_mask = layer(
    "cross-attention reads the target", NO_SOURCE, {CROSS: "self.cross_attn(h, h, h", CROSS_MASK: SELF_MASK}
)

NORMED_MEMORY = (
    "The memory is normalized here. It arrives finished: in pre-norm the encoder's last norm has been at it, and the norms of this layer belong to the target's tokens. What a layer normalizes is what it adds to. "
    "Pass `memory` as it came in."
)
ALWAYS = "self.cross_attn(h, {0}(memory), {0}(memory)"
IF_PRE = "self.cross_attn(h, *(2 * [{}(memory) if self.norm_first else memory])"
memory_by_norm1, memory_by_norm2, memory_by_norm3 = (
    layer("memory normalized on the way", NORMED_MEMORY, {CROSS: IF_PRE.format(norm)}) for norm in NORMS
)
memory_by_norm1_always, memory_by_norm2_always, memory_by_norm3_always = (
    layer("memory normalized on the way", NORMED_MEMORY, {CROSS: ALWAYS.format(norm)}) for norm in NORMS
)
IF_PRE_2 = "self.norm2(memory) if self.norm_first else memory"
key_by_norm2, value_by_norm2 = (
    layer("memory normalized on the way", NORMED_MEMORY, {CROSS: f"self.cross_attn(h, {read}"})
    for read in (f"{IF_PRE_2}, memory", f"memory, {IF_PRE_2}")
)
stack_memory_normed = stack(
    "memory normalized on the way",
    NORMED_MEMORY,
    {STACK_BEGIN: f"{STACK_BEGIN}; memory = memory if self.norm is None else self.norm(memory)"},
)

ENCODED_AGAIN = (
    "The source is encoded again in here. The encoder has run once, before the decoder, and `memory` is what it made; every layer reads that, as it is. Run again in each layer it costs what the encoder cost, "
    "layer by layer, and reads something that no longer belongs to the encoder."
)
AGAIN = "add_norm(memory, lambda h: self.self_attn(h, h, h{})[0], self.norm1, self.dropout, self.norm_first)"
THINK = "add_norm(memory, self.feed_forward, self.norm3, self.dropout, self.norm_first)"
encoded_by_own_parts = layer(
    "source encoded again",
    ENCODED_AGAIN,
    {BEGIN: f"{BEGIN}; memory = {AGAIN.format(', cross_mask')}; memory = {THINK}"},
)


def own_encoder(of: str, made: str, arguments: str) -> Mistake:
    """An encoder inside, with parameters of its own."""
    last, begin = ("self.norm_first =", BEGIN) if of == LAYER else ("self.norm =", STACK_BEGIN)
    edits = {
        last: f"from solutions.encoder import {made}; self.encoder = {made}({SIZES[of]}); {last}",
        begin: f"{begin}; memory = self.encoder(memory{arguments})",
    }
    return Mistake("source encoded again", of=of, swaps=edits, says=ENCODED_AGAIN)


SIZES = {LAYER: "d_model, num_heads, d_ff, dropout, norm_first"}
SIZES[STACK] = f"num_layers, {SIZES[LAYER]}"
encoder_inside, encoder_inside_unmasked = (own_encoder(LAYER, "EncoderLayer", one) for one in (", cross_mask", ""))
stack_encoder_inside, stack_encoder_inside_unmasked = (
    own_encoder(STACK, "Encoder", one) for one in (", cross_mask", "")
)

CUT_OFF = (
    "The memory is cut off from the graph. The numbers are right, and no gradient gets back to the encoder: it would never learn what the decoder needs. Pass `memory` as it came in, without `detach` or "
    "`no_grad`."
)
cut_off = layer("memory cut off from the graph", CUT_OFF, {BEGIN: f"{BEGIN}; memory = memory.detach()"})
stack_cut_off = stack(
    "memory cut off from the graph", CUT_OFF, {STACK_BEGIN: f"{STACK_BEGIN}; memory = memory.detach()"}
)

SHARED_ATTENTION = (
    "One attention does the work of both. Reading one's own text and reading the source are two tasks, each with projections of its own: `self.self_attn` in the first step, `self.cross_attn` in the second. As "
    "it stands one of them never learns."
)
self_for_cross = layer("one attention for both", SHARED_ATTENTION, {CROSS: "self.self_attn(h, memory, memory"})
cross_for_self = layer("one attention for both", SHARED_ATTENTION, {SELF: "self.cross_attn(h, h, h"})
really_one = layer(
    "one attention for both",
    SHARED_ATTENTION,
    {"self.cross_attn = MultiHeadAttention(d_model, num_heads, dropout)": "self.cross_attn = self.self_attn"},
    inside="DecoderLayer.__init__",
)
attentions_exchanged = layer(
    "attentions exchanged",
    "The two attentions have changed places. The target reads itself through `cross_attn` and the source through `self_attn`. Untrained nobody would notice, but weights from torch do not fit: each "
    "belongs to its step.",
    {SELF: "self.cross_attn(h, h, h", CROSS: "self.self_attn(h, memory, memory"},
)

# The order of the steps ----------------------------------------------------------------------------

CROSS_FIRST_SAYS = (
    "The source is read before the target has read itself. A token should first know what has been written, so that it can ask the source for what comes next. Self-attention is the first step, cross-attention the "
    "second."
)
AND_WEIGHTS = {RETURN: "(x, (kept[1], kept[0])) if return_weights else x"}
cross_first = layer(
    "cross-attention before self-attention",
    CROSS_FIRST_SAYS,
    {
        f"{FIRST}, self.norm1": "add_norm(x, read_source, self.norm2",
        f"{SECOND}, self.norm2": "add_norm(x, attend, self.norm1",
    }
    | AND_WEIGHTS,
)
cross_first_norms_stay = layer(
    "cross-attention before self-attention",
    CROSS_FIRST_SAYS,
    {FIRST: "add_norm(x, read_source", SECOND: "add_norm(x, attend"} | AND_WEIGHTS,
)

FEED_FORWARD_EARLY = (
    "The feed-forward network runs before the source has been read. What the cross-attention brings is then passed on as it is. The network is the last of the three steps, when a token has heard all it is going to "
    "hear."
)
feed_forward_early = layer(
    "feed-forward network before cross-attention",
    FEED_FORWARD_EARLY,
    {
        f"{SECOND}, self.norm2": "add_norm(x, self.feed_forward, self.norm3",
        f"{THIRD}, self.norm3": "add_norm(x, read_source, self.norm2",
    },
)
feed_forward_early_norms_stay = layer(
    "feed-forward network before cross-attention",
    FEED_FORWARD_EARLY,
    {SECOND: "add_norm(x, self.feed_forward", THIRD: "add_norm(x, read_source"},
)

LOST = (
    "What one of the three steps made is lost. `add_norm` returns the new tokens and leaves `x` as it was, so each call has to be kept: `x = add_norm(x, ...)`. Count the steps whose result the next one "
    "really starts from."
)
lost_self = layer("a step is lost", LOST, {f"x = {FIRST}": FIRST})
lost_cross = layer("a step is lost", LOST, {f"x = {SECOND}": SECOND})
lost_feed_forward = layer("a step is lost", LOST, {f"x = {THIRD}": THIRD})

OLD_QUERY = (
    "The cross-attention asks with what came into the layer, not with what the self-attention made of it. The question to the source should be put by a token that has read what is written so far. Its query is "
    "the output of the first step."
)
INPUT = f"{BEGIN}; given = x"
old_query = layer(
    "cross-attention asks with the layer's input",
    OLD_QUERY,
    {BEGIN: INPUT, CROSS: "self.cross_attn(self.norm2(given) if self.norm_first else given, memory, memory"},
)

old_query_pre, old_query_post = (
    layer(
        "cross-attention asks with the layer's input",
        OLD_QUERY,
        {BEGIN: INPUT, CROSS: f"self.cross_attn({asks}, memory, memory"},
    )
    for asks in ("self.norm2(given) if self.norm_first else h", "h if self.norm_first else given")
)

# Add and norm ----------------------------------------------------------------------------

STEP = "(lambda x, f, norm, dropout, pre: {})"
USUAL = "add_norm(x, f, norm, dropout, pre)"
NO_RESIDUAL_PRE, NO_RESIDUAL_POST = "dropout(f(norm(x)))", "norm(dropout(f(x)))"


def in_step(place: str, pre: str = USUAL, post: str = USUAL) -> dict[str, str]:
    """A step done by hand instead of by `add_norm`, in pre-norm and in post-norm."""
    return {place: place.replace("add_norm", STEP.format(f"{pre} if pre else {post}"))}


def no_residual(which: str, place: str, says: str) -> tuple[Mistake, Mistake, Mistake]:
    """A missing residual connection: in both forms, or in one of the two that were written apart."""
    forms = ({"pre": NO_RESIDUAL_PRE, "post": NO_RESIDUAL_POST}, {"post": NO_RESIDUAL_POST}, {"pre": NO_RESIDUAL_PRE})
    both, post, pre = (layer(f"{which} residual missing", says, in_step(place, **form)) for form in forms)
    return both, post, pre


LOSES = "What went in has to come out again, with something added: `x + dropout(...)`. `add_norm` does it."
NO_THIRD = (
    "The feed-forward network's output is not added to anything. Two residual connections are there and the third is easily forgotten: then all that the attentions brought has to pass through the network or is "
    f"lost. {LOSES}"
)
NO_FIRST = (
    f"The self-attention's output is not added to anything. A token forgets itself and keeps only what it read. {LOSES}"
)
NO_SECOND = (
    "The cross-attention's output is not added to anything. Each token of the target is replaced by a mixture of the source, and what was written so far is gone. "
    f"{LOSES}"
)
no_first, no_first_post, no_first_pre = no_residual("first", FIRST, NO_FIRST)
no_second, no_second_post, no_second_pre = no_residual("second", SECOND, NO_SECOND)
no_third, no_third_post, no_third_pre = no_residual("third", THIRD, NO_THIRD)

NO_RESIDUALS = "There are no residual connections. Each of the three steps replaces the tokens instead of adding to them; a deep stack of such layers hardly learns. `x + dropout(...)`, three times; `add_norm` does it."
PRE_LINE, POST_LINE = "x + dropout(sublayer(norm(x)))", "norm(x + dropout(sublayer(x)))"


def everywhere(name: str, says: str, edits: dict[str, str]) -> Mistake:
    """The same in all three steps."""
    return layer(name, says, edits, inside="add_norm")


no_residuals = everywhere(
    "no residuals", NO_RESIDUALS, {PRE_LINE: "dropout(sublayer(norm(x)))", POST_LINE: "norm(dropout(sublayer(x)))"}
)

OLDER = "The feed-forward network reads older tokens than it should: those from before the cross-attention. What the source had to say then never reaches it. Each step reads what the one before has left."


def older(given_at: dict[str, str]) -> Mistake:
    """The network reads what is called `given`, and adds to the newest tokens."""
    reads = in_step(THIRD, pre="x + dropout(f(norm(given)))", post="norm(x + dropout(f(given)))")
    return layer("feed-forward network reads older tokens", OLDER, given_at | reads)


AFTER_FIRST = {f"x = {SECOND}": f"given = x; x = {SECOND}"}
thinks_of_input, thinks_of_own_text = older({BEGIN: INPUT}), older(AFTER_FIRST)

NORMED_ADDED = (
    "In pre-norm the normalized tokens are added, not the tokens. What a step reads is normalized; what it adds to stays as it is, from the bottom of the stack to the top. Keep `x`, and give the norm's result another "
    "name."
)
normed_added = everywhere(
    "the normalized tokens are added to", NORMED_ADDED, {PRE_LINE: "(lambda h: h + dropout(sublayer(h)))(norm(x))"}
)
normed_added_1, normed_added_2, normed_added_3 = (
    layer(
        "the normalized tokens are added to", NORMED_ADDED, in_step(place, pre="(lambda h: h + dropout(f(h)))(norm(x))")
    )
    for place in (FIRST, SECOND, THIRD)
)

INPUT_ADDED = "A later step adds to older tokens: to what came into the layer, or into the step before. What has been added since is thrown away again. Each step adds to the result of the one before."
ADDED_PRE, ADDED_POST = "given + dropout(f(norm(x)))", "norm(given + dropout(f(x)))"


def older_added(place: str, given_at: dict[str, str]) -> tuple[Mistake, Mistake, Mistake]:
    """A step adds to what is called `given`: in both forms, or in one of the two that were written apart."""
    forms = ({"pre": ADDED_PRE, "post": ADDED_POST}, {"post": ADDED_POST}, {"pre": ADDED_PRE})
    both, post, pre = (
        layer("a later step adds to older tokens", INPUT_ADDED, given_at | in_step(place, **form)) for form in forms
    )
    return both, post, pre


input_added_2, input_added_2_post, input_added_2_pre = older_added(SECOND, {BEGIN: INPUT})
input_added_3, input_added_3_post, input_added_3_pre = older_added(THIRD, {BEGIN: INPUT})
own_text_added_3, *_ = older_added(THIRD, AFTER_FIRST)
input_added_throughout = layer(  # one `residual = x` at the top, for all three
    "a later step adds to older tokens",
    INPUT_ADDED,
    {BEGIN: INPUT, **in_step(SECOND, ADDED_PRE, ADDED_POST), **in_step(THIRD, ADDED_PRE, ADDED_POST)},
)

NORM_TOO_EARLY = "In post-norm the norm acts on what a step made, before it is added. It belongs on the sum: `norm(x + dropout(...))`. As it stands the sums grow from layer to layer and nothing brings them back."
norm_too_early = everywhere("norm before the addition", NORM_TOO_EARLY, {POST_LINE: "x + norm(dropout(sublayer(x)))"})
norm_and_dropout_too_early = everywhere(
    "norm before the addition", NORM_TOO_EARLY, {POST_LINE: "x + dropout(norm(sublayer(x)))"}
)

early_1, early_2, early_3 = (
    layer("norm before the addition", NORM_TOO_EARLY, in_step(place, post="x + norm(dropout(f(x)))"))
    for place in (FIRST, SECOND, THIRD)
)

WRITTEN_OVER = "The input is written over. `x += ...` changes the tensor that the caller still holds, and the gradient needs it as it was. Write `x = x + ...`, which makes a new one."
written_over_pre = everywhere(
    "the input is written over", WRITTEN_OVER, {PRE_LINE: "x.add_(dropout(sublayer(norm(x))))"}
)
written_over = everywhere(
    "the input is written over",
    WRITTEN_OVER,
    {PRE_LINE: "x.add_(dropout(sublayer(norm(x))))", POST_LINE: "norm(x.add_(dropout(sublayer(x))))"},
)

RAW = (
    "In pre-norm a step reads tokens that are not normalized. The function given to `add_norm` has to use its own argument, which is normalized by then, and not the `x` outside it. In post-norm the two are the same, so "
    "nothing shows there."
)
raw_self = layer("a step reads x, not what it is given", RAW, {SELF: "self.self_attn(x, x, x"})
raw_cross = layer("a step reads x, not what it is given", RAW, {CROSS: "self.cross_attn(x, memory, memory"})
raw_both = layer(
    "a step reads x, not what it is given",
    RAW,
    {SELF: "self.self_attn(x, x, x", CROSS: "self.cross_attn(x, memory, memory"},
)

raw_keys = layer("a step reads x, not what it is given", RAW, {SELF: "self.self_attn(h, x, x"})
raw_network = layer("a step reads x, not what it is given", RAW, in_step(THIRD, pre="x + dropout(f(x))"))

ONE_FORM = "`norm_first` does not reach every step. The layer has two forms, post-norm and pre-norm, and all three steps have the same one. `add_norm` takes `norm_first` as its last argument, and without it does post-norm."
SET = "self.norm_first = norm_first"
post_only, pre_only = (
    layer("norm_first ignored", ONE_FORM, {SET: f"self.norm_first = {one}"}, inside="DecoderLayer.__init__")
    for one in (False, True)
)
post_1, post_2, post_3 = (
    layer("norm_first ignored", ONE_FORM, {f"{norm}, self.dropout, self.norm_first": f"{norm}, self.dropout"})
    for norm in NORMS
)
pre_1, pre_2, pre_3 = (
    layer(
        "norm_first ignored",
        ONE_FORM,
        {f"{norm}, self.dropout, self.norm_first": f"{norm}, self.dropout" for norm in NORMS if norm != kept},
    )
    for kept in NORMS
)
form_inverted = layer(
    "norm_first inverted",
    "Post-norm and pre-norm have changed places. With `norm_first=True` a step reads `norm(x)` and the sum stays as it is; with False the sum is normalized.",
    {SET: "self.norm_first = not norm_first"},
    inside="DecoderLayer.__init__",
)

arguments_exchanged = layer(
    "norm and dropout exchanged",
    "Norm and dropout have changed places in the calls of `add_norm`. It takes the tokens, the sublayer, the norm and the dropout, in that order; the other way round, dropout acts on the sum and the norm on "
    "what is added.",
    {f"{norm}, self.dropout": f"self.dropout, {norm}" for norm in NORMS},
)

SWAPPED_NORMS = (
    "The norms have changed places. `norm1` belongs to the self-attention, `norm2` to the cross-attention, `norm3` to the feed-forward network. Untrained they are all alike and nobody would notice; trained weights, "
    "torch's for instance, do not fit."
)


def norms_swapped(one: int, other: int) -> Mistake:
    """Two norms in each other's place."""
    return layer(
        "norms swapped", SWAPPED_NORMS, {f"self.norm{one}": f"self.norm{other}", f"self.norm{other}": f"self.norm{one}"}
    )


norms_12, norms_23, norms_13 = norms_swapped(1, 2), norms_swapped(2, 3), norms_swapped(1, 3)

SHARED_NORM = "Several steps share one norm. Each of the three has its own, with a weight and a bias that are learned for that place; the ones that are not used never learn."


def one_norm(*numbers: int) -> Mistake:
    """For each step the number of the norm that it uses."""
    edits = {old: f"self.norm{new}" for old, new in zip(NORMS, numbers, strict=True) if old != f"self.norm{new}"}
    return layer("one norm for several steps", SHARED_NORM, edits)


norms_111, norms_113, norms_122, norms_112 = one_norm(1, 1, 1), one_norm(1, 1, 3), one_norm(1, 2, 2), one_norm(1, 1, 2)
norms_121 = one_norm(1, 2, 1)
really_one_norm = layer(
    "one norm for several steps",
    SHARED_NORM,
    {
        "self.norm2 = LayerNorm(d_model)": "self.norm2 = self.norm1",
        "self.norm3 = LayerNorm(d_model)": "self.norm3 = self.norm1",
    },
    inside="DecoderLayer.__init__",
)

norm_3_is_2, norm_2_is_1 = (
    layer(
        "one norm for several steps",
        SHARED_NORM,
        {f"self.norm{new} = LayerNorm(d_model)": f"self.norm{new} = self.norm{old}"},
        inside="DecoderLayer.__init__",
    )
    for new, old in ((3, 2), (2, 1))
)

NO_NORM = "A norm is left out. Each of the three steps has one: in post-norm it normalizes the sum, in pre-norm what the step reads. The layer holds its parameters, and they never learn."
no_norm_1, no_norm_2, no_norm_3 = (layer("a norm left out", NO_NORM, {norm: "(lambda h: h)"}) for norm in NORMS)
no_norms = layer("a norm left out", NO_NORM, dict.fromkeys(NORMS, "(lambda h: h)"))
no_post_norm_1, no_post_norm_2, no_post_norm_3 = (
    layer("a norm left out", NO_NORM, in_step(place, post="x + dropout(f(x))")) for place in (FIRST, SECOND, THIRD)
)

# Dropout ----------------------------------------------------------------------------

UNDROPPED = "What a step made is added without dropout. In training `self.dropout` acts three times in a layer: on the output of each step, just before it is added to `x`."
undropped = layer(
    "no dropout before an addition",
    UNDROPPED,
    {"nn.Dropout(dropout)": "nn.Dropout(0.0)"},
    inside="DecoderLayer.__init__",
)
undropped_1, undropped_2, undropped_3 = (
    layer("no dropout before an addition", UNDROPPED, {f"{norm}, self.dropout": f"{norm}, lambda h: h"})
    for norm in NORMS
)

NOT_HANDED = "Dropout does not reach all parts of the layer. It acts on the weights of both attentions and inside the feed-forward network as well: hand `dropout` to each of them when they are made."
NEW_SELF = "self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)"
NEW_CROSS = "self.cross_attn = MultiHeadAttention(d_model, num_heads, dropout)"
NEW_FEED_FORWARD = "FeedForward(d_model, d_ff, dropout)"


def not_handed(*parts: str) -> Mistake:
    """Parts made without dropout."""
    edits = {part: part.replace(", dropout)", ")") for part in parts}
    return layer("dropout not handed to the parts", NOT_HANDED, edits, inside="DecoderLayer.__init__")


none_handed, no_attention_handed = not_handed(NEW_SELF, NEW_CROSS, NEW_FEED_FORWARD), not_handed(NEW_SELF, NEW_CROSS)
feed_forward_not_handed = not_handed(NEW_FEED_FORWARD)

after_norm = everywhere(
    "dropout after the norm",
    "Dropout acts after the norm, on the sum. It then blots out features of the token itself, not only of what was added. It acts on what the step made: `norm(x + dropout(...))`.",
    {POST_LINE: "dropout(norm(x + sublayer(x)))"},
)
on_sum = everywhere(
    "dropout on the sum",
    "Dropout acts on the sum, x included. The residual connection is there so that `x` always gets through whole. It acts on what the step made, before the addition: `x + dropout(...)`.",
    {POST_LINE: "norm(dropout(x + sublayer(x)))", PRE_LINE: "dropout(x + sublayer(norm(x)))"},
)
after_norm_1, after_norm_2, after_norm_3 = (
    layer("dropout after the norm", after_norm.says, in_step(place, post="dropout(norm(x + f(x)))"))
    for place in (FIRST, SECOND, THIRD)
)
on_sum_1, on_sum_2, on_sum_3 = (
    layer(
        "dropout on the sum",
        on_sum.says,
        in_step(place, pre="dropout(x + f(norm(x)))", post="norm(dropout(x + f(x)))"),
    )
    for place in (FIRST, SECOND, THIRD)
)
in_evaluation = layer(
    "dropout in evaluation",
    "Dropout acts in evaluation as well. `F.dropout(x, p)` drops unless told `training=False`. Use the `nn.Dropout` of the constructor, which follows `eval()`.",
    {"self.dropout = nn.Dropout(dropout)": "self.dropout = lambda h: nn.functional.dropout(h, dropout)"},
    inside="DecoderLayer.__init__",
)

# What is returned ----------------------------------------------------------------------------

ORDER = "The two kinds of weights have changed places. Self-attention comes first, in the layer and in what it returns: `(x, (self_weights, cross_weights))`."
turned = layer("weights in the wrong order", ORDER, {RETURN: "(x, (kept[1], kept[0])) if return_weights else x"})
stack_turned = stack(
    "weights in the wrong order", ORDER, {STACK_RETURN: "(x, (all_cross, all_self)) if return_weights else x"}
)

FLAT = "Three things come back where two are wanted. The weights of both attentions belong together: `(x, (self_weights, cross_weights))`, a pair in a pair."
flat = layer("weights not in a pair", FLAT, {RETURN: "(x, kept[0], kept[1]) if return_weights else x"})
stack_flat = stack("weights not in a pair", FLAT, {STACK_RETURN: "(x, all_self, all_cross) if return_weights else x"})

HALF = "The weights of one attention are missing. There are two attentions in every layer, and whoever asks for the weights gets both: `(x, (self_weights, cross_weights))`."
only_cross = layer("weights of one attention only", HALF, {RETURN: "(x, kept[1]) if return_weights else x"})
only_self = layer("weights of one attention only", HALF, {RETURN: "(x, kept[0]) if return_weights else x"})
self_twice, cross_twice = (
    layer("weights of one attention only", HALF, {RETURN: f"(x, (kept[{one}], kept[{one}])) if return_weights else x"})
    for one in (0, 1)
)
stack_only_cross = stack(
    "weights of one attention only", HALF, {STACK_RETURN: "(x, all_cross) if return_weights else x"}
)
stack_only_self = stack("weights of one attention only", HALF, {STACK_RETURN: "(x, all_self) if return_weights else x"})

UNASKED = "The weights come back although nobody asked. Without `return_weights=True` the tokens alone are returned, so that what comes next can go on with them."
unasked = layer("weights returned unasked", UNASKED, {RETURN: "(x, (kept[0], kept[1]))"})
stack_unasked = stack("weights returned unasked", UNASKED, {STACK_RETURN: "(x, (all_self, all_cross))"})

PAIR_UNASKED = {
    RETURN: "(x, (kept[0], kept[1]) if return_weights else None)",
    STACK_RETURN: "(x, (all_self, all_cross) if return_weights else None)",
}
unasked_none = layer("weights returned unasked", UNASKED, {RETURN: PAIR_UNASKED[RETURN]})
stack_unasked_none = stack("weights returned unasked", UNASKED, {STACK_RETURN: PAIR_UNASKED[STACK_RETURN]})
nothing_kept = layer(
    "None for the weights",
    "None comes back where the weights should be. A name that is set inside an inner function ends with that function: the one outside is another and stays as it was. Make an empty list outside and append "
    "the weights to it.",
    {RETURN: "(x, (None, None)) if return_weights else x"},
)

FIRST_CALL = "The weights are those of an earlier call. A list that belongs to the object grows with every call, and its first entries stay those of the first: make the list anew in `forward`."
of_first_call = layer(
    "weights of an earlier call",
    FIRST_CALL,
    {BEGIN: "kept = self.__dict__.setdefault('kept', [])"},
)
stack_of_first_call = stack(
    "weights of an earlier call",
    FIRST_CALL,
    {STACK_BEGIN: "all_self, all_cross = self.__dict__.setdefault('kept', ([], []))"},
)

NEVER = "`return_weights=True` changes nothing: the tokens come back alone. Asked for them, return `(x, (self_weights, cross_weights))`."
never = layer("weights not returned", NEVER, {RETURN: "x"})
stack_never = stack("weights not returned", NEVER, {STACK_RETURN: "x"})

# The stack ----------------------------------------------------------------------------

REPLACED = (
    "After the first layer the memory is gone: the layer's output has taken its name. The later layers then read the target where they should read the source. `memory` is the same for all layers; only `x` goes from one to "
    "the next."
)
NEXT = "all_cross.append(weights[1])"
memory_replaced = stack("memory replaced by the layer's output", REPLACED, {NEXT: f"{NEXT}; memory = x"})
memory_replaced_masks = stack(
    "memory replaced by the layer's output", REPLACED, {NEXT: f"{NEXT}; memory = x; cross_mask = None"}
)
memory_replaced_self_mask = stack(
    "memory replaced by the layer's output", REPLACED, {NEXT: f"{NEXT}; memory = x; cross_mask = self_mask"}
)

LAST_ONLY = (
    "Only the last layer reads the memory. All layers do, the first as well: a token may ask the source for one thing early and, knowing more, for another thing later. Hand `memory` and `cross_mask` to every "
    "layer."
)
IS_LAST = "if layer is self.layers[-1] else"
last_only = stack("only the last layer sees the memory", LAST_ONLY, {LAYER_CALL: f"layer(x, memory {IS_LAST} x"})
last_only_unmasked, last_only_self_mask = (
    stack(
        "only the last layer sees the memory",
        LAST_ONLY,
        {LAYER_CALL: f"layer(x, memory {IS_LAST} x", TO_CROSS: f" cross_mask {IS_LAST} {mask}, return_weights=True"},
    )
    for mask in ("None", "self_mask")
)

ONE_LAYER = "All layers are one layer. A list that holds the same module several times, `[layer] * num_layers`, has the parameters of one; each layer needs its own. Make a new one every time round."
one_layer = stack(
    "one layer repeated",
    ONE_LAYER,
    {NEW_LAYERS: "[DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)] * num_layers"},
    inside="Decoder.__init__",
)
one_layer_run = stack("one layer repeated", ONE_LAYER, {LAYER_CALL: "self.layers[0](x, memory"})

plain_list = stack(
    "layers in a plain list",
    "The layers stand in a plain list, where torch does not find them. Their parameters are neither trained nor saved nor loaded. An `nn.ModuleList` holds layers so that they belong to the module.",
    {"nn.ModuleList(": "list("},
    inside="Decoder.__init__",
)

APART = "The layers do not build on each other. Each gets the decoder's input, and only what the last one makes of it comes out. What a layer returns is what the next one gets: keep it in `x`."
apart = stack(
    "every layer starts from the input",
    APART,
    {STACK_BEGIN: f"{STACK_BEGIN}; given = x", LAYER_CALL: "layer(given, memory"},
)

NO_FINAL = (
    "In pre-norm the last norm is missing. No layer normalizes its own sum there, so what leaves the stack has grown with every step. One `LayerNorm` after all layers, `self.norm`, brings it back; "
    "the constructor makes it when `norm_first` is True, and `forward` has to use it."
)
no_final = stack("final norm missing", NO_FINAL, {NEW_NORM: "None"}, inside="Decoder.__init__")
final_unused = stack("final norm missing", NO_FINAL, {FINAL: "pass"})

FINAL_POST = (
    "In post-norm there is a norm after the stack. There every layer ends with a norm already, and the paper has none after the last. (torch's `nn.Transformer` adds one all the same.) `self.norm` is None unless "
    "`norm_first` is True."
)
final_always = stack("final norm in post-norm", FINAL_POST, {NEW_NORM: "LayerNorm(d_model)"}, inside="Decoder.__init__")
final_turned = stack(
    "final norm in post-norm",
    FINAL_POST,
    {NEW_NORM: "None if norm_first else LayerNorm(d_model)"},
    inside="Decoder.__init__",
)

EACH = "The last norm acts after every layer. In pre-norm the sums go through the stack untouched, and one norm stands at its end, after the loop."
norm_each = stack(
    "final norm after every layer",
    EACH,
    {NEXT: f"{NEXT}; x = x if self.norm is None else self.norm(x)", FINAL: "pass"},
)
norm_each_and_last = stack(
    "final norm after every layer", EACH, {NEXT: f"{NEXT}; x = x if self.norm is None else self.norm(x)"}
)
norm_before = stack(
    "final norm before the layers",
    "The last norm acts before the layers. Each layer of a pre-norm stack normalizes what it reads by itself; what nobody has normalized is the sum that comes out at the end.",
    {STACK_BEGIN: f"{STACK_BEGIN}; x = x if self.norm is None else self.norm(x)", FINAL: "pass"},
)

FORM_LOST = "`norm_first` does not reach the layers. The stack may end with a norm and its layers are still post-norm. Hand it on: `DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`."
form_lost = stack(
    "norm_first not handed to the layers",
    FORM_LOST,
    {NEW_LAYERS: "DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)"},
    inside="Decoder.__init__",
)
DROPOUT_LOST = "`dropout` does not reach the layers. They are made with the default, 0, and nothing is ever dropped. Hand it on: `DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`."
dropout_lost = stack(
    "dropout not handed to the layers",
    DROPOUT_LOST,
    {NEW_LAYERS: "DecoderLayer(d_model, num_heads, d_ff, norm_first=norm_first) for _ in range(num_layers)"},
    inside="Decoder.__init__",
)

MASKS_ONCE = "Only the first layer gets both masks. One layer that looks ahead is enough to give the answer away, and one that reads padding to be misled. Both masks go to every layer."
masks_once = stack("masks in the first layer only", MASKS_ONCE, {NEXT: f"{NEXT}; self_mask = cross_mask = None"})
cross_mask_once = stack(
    "masks in the first layer only",
    MASKS_ONCE,
    {TO_CROSS: " cross_mask if layer is self.layers[0] else None, return_weights=True"},
)
self_mask_once = stack("masks in the first layer only", MASKS_ONCE, {NEXT: f"{NEXT}; self_mask = None"})

LAST_WEIGHTS = "The weights of the last layer come back alone. Every layer looks elsewhere; keep the weights of all: two lists with one tensor for each layer."
last_weights = stack(
    "weights of the last layer only",
    LAST_WEIGHTS,
    {STACK_RETURN: "(x, weights) if return_weights else x"},
)
pairs = stack(
    "a list of pairs instead of two lists",
    "The weights come as one list of pairs, a pair for each layer. Wanted are two lists, `(all_self, all_cross)`, so that one can look at all cross-attentions at once.",
    {STACK_RETURN: "(x, list(zip(all_self, all_cross))) if return_weights else x"},
)
STACKED = "The weights come as one tensor. Wanted is a list with one tensor for each layer: two lists, `(all_self, all_cross)`."
stacked = stack(
    "weights stacked into a tensor",
    STACKED,
    {
        STACK_RETURN: "(x, (all_self[0].new_tensor([one.tolist() for one in all_self]), "
        "all_cross[0].new_tensor([one.tolist() for one in all_cross]))) if return_weights else x"
    },
)
