"""Wrong ways of lesson 07."""

import itertools
from collections.abc import Mapping

from autograder.checks.decoder import decoder, decoder_layer
from autograder.probing.mistake import Way, edit

LAYER_INIT, LAYER_FORWARD = "DecoderLayer.__init__", "DecoderLayer.forward"
STACK_INIT, STACK_FORWARD = "Decoder.__init__", "Decoder.forward"

# The reference's own words, which the edits replace: in the layer, ...
SELF, CROSS = "self.self_attn(h, h, h", "self.cross_attn(h, memory, memory"
SELF_MASK, CROSS_MASK = ", self_mask)", ", cross_mask)"
FIRST, SECOND, THIRD = "add_norm(x, attend", "add_norm(x, read_source", "add_norm(x, self.feed_forward"
STEPS = (FIRST, SECOND, THIRD)
NORM1, NORM2, NORM3 = NORMS = ("self.norm1", "self.norm2", "self.norm3")
BEGIN = "kept: list[Tensor] = []"
RETURN = "(x, (kept[0], kept[1])) if return_weights else x"
# ... in `add_norm`, in pre-norm and in post-norm, ...
PRE_LINE, POST_LINE = "x + dropout(sublayer(norm(x)))", "norm(x + dropout(sublayer(x)))"
# ... and in the stack.
LAYER_CALL = "layer(x, memory"
TO_SELF, TO_CROSS = ", self_mask,", " cross_mask, return_weights=True"
NEW_LAYERS = "DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)"
NEW_NORM = "LayerNorm(d_model) if norm_first else None"
NEXT = "all_cross.append(weights[1])"
FINAL = "if self.norm is not None:\n            x = self.norm(x)"
STACK_BEGIN = "all_self, all_cross = [], []"
STACK_RETURN = "(x, (all_self, all_cross)) if return_weights else x"

# The masks ----------------------------------------------------------------------------

NOT_CAUSAL = (
    "`self_mask` is not used, so every token sees those that come after it. In training the answer to a token is the token behind it: the model reads it, the loss falls to nothing, and when it has to "
    "write by itself there is nothing to read. Does the mask arrive as the fourth argument of `self.self_attn`?"
)
decoder_layer.mistake(
    "self_mask ignored",
    NOT_CAUSAL,
    edit({SELF_MASK: ")"}, inside=LAYER_FORWARD),
    # Where the two forms are written apart, it is missing in one of them only.
    edit({SELF_MASK: ", self_mask if self.norm_first else None)"}, inside=LAYER_FORWARD),
    edit({SELF_MASK: ", None if self.norm_first else self_mask)"}, inside=LAYER_FORWARD),
)
decoder.mistake("self_mask ignored", NOT_CAUSAL, edit({TO_SELF: ", None,"}, inside=STACK_FORWARD))

SEES_PADDING = (
    "`cross_mask` is not used, so the target reads the source's padding. What it finds there depends on how long the longest sentence of the batch happens to be. Does the mask arrive in the "
    "cross-attention?"
)
decoder_layer.mistake(
    "cross_mask ignored",
    SEES_PADDING,
    edit({CROSS_MASK: ")"}, inside=LAYER_FORWARD),
    edit({CROSS_MASK: ", cross_mask if self.norm_first else None)"}, inside=LAYER_FORWARD),
    edit({CROSS_MASK: ", None if self.norm_first else cross_mask)"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "cross_mask ignored", SEES_PADDING, edit({TO_CROSS: " None, return_weights=True"}, inside=STACK_FORWARD)
)

EXCHANGED = (
    "The two masks have changed places. `self_mask` says which of the target's tokens may be read, `cross_mask` which of the source's. Where source and target differ in length the shapes complain; where "
    "they do not, nothing does."
)
decoder_layer.mistake(
    "masks exchanged",
    EXCHANGED,
    edit({SELF_MASK: CROSS_MASK, CROSS_MASK: SELF_MASK}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "masks exchanged",
    EXCHANGED,
    edit({TO_SELF: ", cross_mask,", TO_CROSS: " self_mask, return_weights=True"}, inside=STACK_FORWARD),
)

ONE_MASK = (
    "Both attentions get the same mask. They read different tokens and need two: `self_mask` hides the target's future, `cross_mask` the source's padding. Many articles pass one mask through the whole "
    "decoder; then either nothing is causal, or a target token may read the source only up to its own place."
)
THE_ONE = (
    "self_mask",
    "cross_mask",
    "self_mask if cross_mask is None else cross_mask",
    "cross_mask if self_mask is None else self_mask",
)
decoder_layer.mistake(
    "one mask for both attentions",
    ONE_MASK,
    *(edit({SELF_MASK: f", {one})", CROSS_MASK: f", {one})"}, inside=LAYER_FORWARD) for one in THE_ONE),
)
decoder.mistake(
    "one mask for both attentions",
    ONE_MASK,
    *(edit({TO_SELF: f", {one},", TO_CROSS: f" {one}, return_weights=True"}, inside=STACK_FORWARD) for one in THE_ONE),
)

TURNED_ROUND = (
    'A mask means the opposite here. In this course True says "may look"; as it stands, exactly what should be seen is hidden. torch\'s own decoder layer has it the other way round, so code written for it '
    "inverts its masks. Look for a `~`."
)
NOT_SELF, NOT_CROSS = "None if self_mask is None else ~self_mask", "None if cross_mask is None else ~cross_mask"
INVERTED = ((NOT_SELF, NOT_CROSS), (NOT_SELF, "cross_mask"), ("self_mask", NOT_CROSS), ("~self_mask", "~cross_mask"))
decoder_layer.mistake(
    "mask inverted",
    TURNED_ROUND,
    *(
        edit({SELF_MASK: f", {for_self})", CROSS_MASK: f", {for_cross})"}, inside=LAYER_FORWARD)
        for for_self, for_cross in INVERTED
    ),
)
decoder.mistake(
    "mask inverted",
    TURNED_ROUND,
    *(
        edit({TO_SELF: f", {for_self},", TO_CROSS: f" {for_cross}, return_weights=True"}, inside=STACK_FORWARD)
        for for_self, for_cross in INVERTED
    ),
)

ALWAYS_CAUSAL = (
    "The self-attention is causal whatever mask is given. `self_mask` says who may look at whom, and None hides nothing. Whoever calls the decoder makes the mask, because only the caller knows whether the "
    "tokens are written one by one, and where there is padding."
)
PAST, STACK_PAST = (f"{one}.new_ones({one}.size(1), {one}.size(1)).tril().bool()" for one in ("h", "x"))
decoder_layer.mistake(
    "always causal",
    ALWAYS_CAUSAL,
    edit({SELF_MASK: f", {PAST} if self_mask is None else self_mask)"}, inside=LAYER_FORWARD),
    edit({SELF_MASK: f", {PAST} if self_mask is None else self_mask & {PAST})"}, inside=LAYER_FORWARD),
    edit({SELF_MASK: f", {PAST})"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "always causal",
    ALWAYS_CAUSAL,
    edit({TO_SELF: f", {STACK_PAST} if self_mask is None else self_mask,"}, inside=STACK_FORWARD),
    edit({TO_SELF: f", {STACK_PAST} if self_mask is None else self_mask & {STACK_PAST},"}, inside=STACK_FORWARD),
)

# Who asks, and who is read ----------------------------------------------------------------------------

decoder_layer.mistake(
    "self-attention reads memory",
    "The self-attention reads the memory. Then the target's tokens never see each other: the model cannot know what it has already written. In the first step query, key and value are all the target's; the "
    "memory comes in the second. Articles print decoders like this one; they run as long as source and target are equally long.",
    edit({SELF: "self.self_attn(h, memory, memory"}, inside=LAYER_FORWARD),
    edit({SELF: "self.self_attn(h, memory, h"}, inside=LAYER_FORWARD),
    edit({SELF: "self.self_attn(h, h, memory"}, inside=LAYER_FORWARD),
)
decoder_layer.mistake(
    "query of the cross-attention from memory",
    "The memory asks in the cross-attention. Then one output comes out for every token of the source, where one for every token of the target is wanted. It is the target that asks, so the query is `h`; "
    "the memory is what is read, key and value.",
    edit({CROSS: "self.cross_attn(memory, h, h"}, inside=LAYER_FORWARD),
    edit({CROSS: "self.cross_attn(memory, memory, memory"}, inside=LAYER_FORWARD),
    edit({CROSS: "self.cross_attn(memory, h, memory"}, inside=LAYER_FORWARD),
    edit({CROSS: "self.cross_attn(memory, memory, h"}, inside=LAYER_FORWARD),
)
decoder_layer.mistake(
    "key or value of the cross-attention from x",
    "Key and value of the cross-attention do not come from the same tokens. A key says what a token offers, its value is what is taken from that same token, so both are made from `memory`. With source and target "
    "of different length the two do not even fit.",
    edit({CROSS: "self.cross_attn(h, h, memory"}, inside=LAYER_FORWARD),
    edit({CROSS: "self.cross_attn(h, memory, h"}, inside=LAYER_FORWARD),
    edit({CROSS: "self.cross_attn(h, x, memory"}, inside=LAYER_FORWARD),
    edit({CROSS: "self.cross_attn(h, memory, x"}, inside=LAYER_FORWARD),
)
decoder_layer.mistake(
    "cross-attention reads the target",
    "The second attention reads the target again. So nothing of the source ever reaches the decoder, and it can only guess what such a text usually says. Key and value of the cross-attention are `memory`.",
    edit({CROSS: "self.cross_attn(h, h, h"}, inside=LAYER_FORWARD),
    edit({CROSS: "self.cross_attn(h, x, x"}, inside=LAYER_FORWARD),
    edit({CROSS: "self.cross_attn(h, h, h", CROSS_MASK: SELF_MASK}, inside=LAYER_FORWARD),
)

NORMED_MEMORY = (
    "The memory is normalized here. It arrives finished: in pre-norm the encoder's last norm has been at it, and the norms of this layer belong to the target's tokens. What a layer normalizes is what it adds to. "
    "Pass `memory` as it came in."
)
IF_PRE = "self.norm2(memory) if self.norm_first else memory"
decoder_layer.mistake(
    "memory normalized on the way",
    NORMED_MEMORY,
    *(
        edit(
            {CROSS: f"self.cross_attn(h, *(2 * [{norm}(memory) if self.norm_first else memory])"}, inside=LAYER_FORWARD
        )
        for norm in NORMS
    ),
    *(edit({CROSS: f"self.cross_attn(h, {norm}(memory), {norm}(memory)"}, inside=LAYER_FORWARD) for norm in NORMS),
    edit({CROSS: f"self.cross_attn(h, {IF_PRE}, memory"}, inside=LAYER_FORWARD),
    edit({CROSS: f"self.cross_attn(h, memory, {IF_PRE}"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "memory normalized on the way",
    NORMED_MEMORY,
    edit(
        {STACK_BEGIN: f"{STACK_BEGIN}; memory = memory if self.norm is None else self.norm(memory)"},
        inside=STACK_FORWARD,
    ),
)

ENCODED_AGAIN = (
    "The source is encoded again in here. The encoder has run once, before the decoder, and `memory` is what it made; every layer reads that, as it is. Run again in each layer it costs what the encoder cost, "
    "layer by layer, and reads something that no longer belongs to the encoder."
)
SIZES = "d_model, num_heads, d_ff, dropout, norm_first"
READ_AGAIN = (
    "add_norm(memory, lambda h: self.self_attn(h, h, h, cross_mask)[0], self.norm1, self.dropout, self.norm_first)"
)
THINK_AGAIN = "add_norm(memory, self.feed_forward, self.norm3, self.dropout, self.norm_first)"
decoder_layer.mistake(
    "source encoded again",
    ENCODED_AGAIN,
    edit({BEGIN: f"{BEGIN}; memory = {READ_AGAIN}; memory = {THINK_AGAIN}"}, inside=LAYER_FORWARD),
    *(
        {
            "self.norm_first =": "from solutions.encoder import EncoderLayer; "
            f"self.encoder = EncoderLayer({SIZES}); self.norm_first =",
            BEGIN: f"{BEGIN}; memory = self.encoder({given})",
        }
        for given in ("memory, cross_mask", "memory")
    ),
)
decoder.mistake(
    "source encoded again",
    ENCODED_AGAIN,
    *(
        {
            "self.norm =": f"from solutions.encoder import Encoder; self.encoder = Encoder(num_layers, {SIZES}); self.norm =",
            STACK_BEGIN: f"{STACK_BEGIN}; memory = self.encoder({given})",
        }
        for given in ("memory, cross_mask", "memory")
    ),
)

CUT_OFF = (
    "The memory is cut off from the graph. The numbers are right, and no gradient gets back to the encoder: it would never learn what the decoder needs. Pass `memory` as it came in, without `detach` or "
    "`no_grad`."
)
decoder_layer.mistake(
    "memory cut off from the graph",
    CUT_OFF,
    edit({BEGIN: f"{BEGIN}; memory = memory.detach()"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "memory cut off from the graph",
    CUT_OFF,
    edit({STACK_BEGIN: f"{STACK_BEGIN}; memory = memory.detach()"}, inside=STACK_FORWARD),
)

decoder_layer.mistake(
    "one attention for both",
    "One attention does the work of both. Reading one's own text and reading the source are two tasks, each with projections of its own: `self.self_attn` in the first step, `self.cross_attn` in the second. As "
    "it stands one of them never learns.",
    edit({CROSS: "self.self_attn(h, memory, memory"}, inside=LAYER_FORWARD),
    edit({SELF: "self.cross_attn(h, h, h"}, inside=LAYER_FORWARD),
    edit(
        {"self.cross_attn = MultiHeadAttention(d_model, num_heads, dropout)": "self.cross_attn = self.self_attn"},
        inside=LAYER_INIT,
    ),
)
decoder_layer.mistake(
    "attentions exchanged",
    "The two attentions have changed places. The target reads itself through `cross_attn` and the source through `self_attn`. Untrained nobody would notice, but weights from torch do not fit: each "
    "belongs to its step.",
    edit({SELF: "self.cross_attn(h, h, h", CROSS: "self.self_attn(h, memory, memory"}, inside=LAYER_FORWARD),
)

# The order of the steps ----------------------------------------------------------------------------

TURNED_WEIGHTS = "(x, (kept[1], kept[0])) if return_weights else x"
decoder_layer.mistake(
    "cross-attention before self-attention",
    "The source is read before the target has read itself. A token should first know what has been written, so that it can ask the source for what comes next. Self-attention is the first step, cross-attention the "
    "second.",
    edit(
        {
            f"{FIRST}, {NORM1}": f"{SECOND}, {NORM2}",
            f"{SECOND}, {NORM2}": f"{FIRST}, {NORM1}",
            RETURN: TURNED_WEIGHTS,
        },
        inside=LAYER_FORWARD,
    ),
    # The norms stay where they were.
    edit({FIRST: SECOND, SECOND: FIRST, RETURN: TURNED_WEIGHTS}, inside=LAYER_FORWARD),
)
decoder_layer.mistake(
    "feed-forward network before cross-attention",
    "The feed-forward network runs before the source has been read. What the cross-attention brings is then passed on as it is. The network is the last of the three steps, when a token has heard all it is going to "
    "hear.",
    edit(
        {f"{SECOND}, {NORM2}": f"{THIRD}, {NORM3}", f"{THIRD}, {NORM3}": f"{SECOND}, {NORM2}"},
        inside=LAYER_FORWARD,
    ),
    # The norms stay where they were.
    edit({SECOND: THIRD, THIRD: SECOND}, inside=LAYER_FORWARD),
)
decoder_layer.mistake(
    "a step is lost",
    "What one of the three steps made is lost. `add_norm` returns the new tokens and leaves `x` as it was, so each call has to be kept: `x = add_norm(x, ...)`. Count the steps whose result the next one "
    "really starts from.",
    *(edit({f"x = {step}": step}, inside=LAYER_FORWARD) for step in STEPS),
    *(
        edit({f"x = {one}": one, f"x = {other}": other}, inside=LAYER_FORWARD)
        for one, other in itertools.combinations(STEPS, 2)
    ),
)

decoder_layer.mistake(
    "the memory is added to",
    "The second step adds to the memory. What the cross-attention found is added to the tokens that asked, those of the target, and there are as many of them as before: `add_norm(x, read_source, ...)`. "
    "As it stands what was written so far is gone.",
    edit({SECOND: "add_norm(memory, read_source"}, inside=LAYER_FORWARD),
)

INSIDE_ADD_NORM = (
    "A step normalizes what it reads, though `add_norm` does that. The function that you hand to it takes its argument as it is; in pre-norm what it reads is normalized already, in post-norm it is not to be. "
    "Leave the norms to `add_norm`."
)
IF_FIRST, ALWAYS = "({norm}(h) if self.norm_first else h)", "{norm}(h)"
decoder_layer.mistake(
    "normalized inside a step",
    INSIDE_ADD_NORM,
    *(
        edit(swaps, inside=LAYER_FORWARD)
        for given in (IF_FIRST, ALWAYS)
        for swaps in (
            {SELF: f"self.self_attn(*[{given.format(norm=NORM1)}] * 3"},
            {CROSS: f"self.cross_attn({given.format(norm=NORM2)}, memory, memory"},
            {THIRD: f"add_norm(x, lambda h: self.feed_forward({given.format(norm=NORM3)})"},
            {
                SELF: f"self.self_attn(*[{given.format(norm=NORM1)}] * 3",
                CROSS: f"self.cross_attn({given.format(norm=NORM2)}, memory, memory",
                THIRD: f"add_norm(x, lambda h: self.feed_forward({given.format(norm=NORM3)})",
            },
        )
    ),
)

# Older tokens get a name before something is made of them.
KEEP_INPUT = {BEGIN: f"{BEGIN}; given = x"}
KEEP_AFTER_FIRST = {f"x = {SECOND}": f"given = x; x = {SECOND}"}
decoder_layer.mistake(
    "cross-attention asks with the layer's input",
    "The cross-attention asks with what came into the layer, not with what the self-attention made of it. The question to the source should be put by a token that has read what is written so far. Its query is "
    "the output of the first step.",
    *(
        edit(KEEP_INPUT | {CROSS: f"self.cross_attn({query}, memory, memory"}, inside=LAYER_FORWARD)
        for query in (
            "given",
            "self.norm2(given) if self.norm_first else given",
            "self.norm2(given) if self.norm_first else h",
            "h if self.norm_first else given",
        )
    ),
)

# Add and norm ----------------------------------------------------------------------------

NOTHING: Mapping[str, str] = {}
STEP = "(lambda x, f, norm, dropout, pre: {})"
USUAL = "add_norm(x, f, norm, dropout, pre)"


def in_step(step: str, pre: str = USUAL, post: str = USUAL) -> dict[str, str]:
    """The edit of a step that is done by hand instead of by `add_norm`, in pre-norm and in post-norm."""
    return {step: step.replace("add_norm", STEP.format(f"{pre} if pre else {post}"))}


def in_forms(step: str, *, pre: str, post: str, given: Mapping[str, str] = NOTHING) -> list[Way]:
    """The same slip in a step of both forms of the layer, and of one alone: who writes the two apart can slip in one.

    Args:
        step: the call of `add_norm` that is done by hand.
        pre, post: what the two forms compute there.
        given: what else is edited.
    """
    forms: tuple[dict[str, str], ...] = ({"pre": pre, "post": post}, {"post": post}, {"pre": pre})
    return [edit({**given, **in_step(step, **one)}, inside=LAYER_FORWARD) for one in forms]


LOSES = "What went in has to come out again, with something added: `x + dropout(...)`. `add_norm` does it."
LOST_PRE, LOST_POST = "dropout(f(norm(x)))", "norm(dropout(f(x)))"
decoder_layer.mistake(
    "first residual missing",
    f"The self-attention's output is not added to anything. A token forgets itself and keeps only what it read. {LOSES}",
    *in_forms(FIRST, pre=LOST_PRE, post=LOST_POST),
)
decoder_layer.mistake(
    "second residual missing",
    "The cross-attention's output is not added to anything. Each token of the target is replaced by a mixture of the source, and what was written so far is gone. "
    f"{LOSES}",
    *in_forms(SECOND, pre=LOST_PRE, post=LOST_POST),
)
decoder_layer.mistake(
    "third residual missing",
    "The feed-forward network's output is not added to anything. Two residual connections are there and the third is easily forgotten: then all that the attentions brought has to pass through the network or is "
    f"lost. {LOSES}",
    *in_forms(THIRD, pre=LOST_PRE, post=LOST_POST),
)
decoder_layer.mistake(
    "no residuals",
    "There are no residual connections. Each of the three steps replaces the tokens instead of adding to them; a deep stack of such layers hardly learns. `x + dropout(...)`, three times; `add_norm` does it.",
    edit({PRE_LINE: "dropout(sublayer(norm(x)))", POST_LINE: "norm(dropout(sublayer(x)))"}, inside="add_norm"),
)

OLDER_PRE, OLDER_POST = "x + dropout(f(norm(given)))", "norm(x + dropout(f(given)))"
decoder_layer.mistake(
    "feed-forward network reads older tokens",
    "The feed-forward network reads older tokens than it should: those from before the cross-attention. What the source had to say then never reaches it. Each step reads what the one before has left.",
    edit(KEEP_INPUT | in_step(THIRD, pre=OLDER_PRE, post=OLDER_POST), inside=LAYER_FORWARD),
    *in_forms(THIRD, pre=OLDER_PRE, post=OLDER_POST, given=KEEP_AFTER_FIRST),
)
decoder_layer.mistake(
    "the normalized tokens are added to",
    "In pre-norm the normalized tokens are added, not the tokens. What a step reads is normalized; what it adds to stays as it is, from the bottom of the stack to the top. Keep `x`, and give the norm's result another "
    "name.",
    edit({PRE_LINE: "(lambda h: h + dropout(sublayer(h)))(norm(x))"}, inside="add_norm"),
    *(edit(in_step(step, pre="(lambda h: h + dropout(f(h)))(norm(x))"), inside=LAYER_FORWARD) for step in STEPS),
)

OLD_PRE, OLD_POST = "given + dropout(f(norm(x)))", "norm(given + dropout(f(x)))"
decoder_layer.mistake(
    "a later step adds to older tokens",
    "A later step adds to older tokens: to what came into the layer, or into the step before. What has been added since is thrown away again. Each step adds to the result of the one before.",
    *in_forms(SECOND, pre=OLD_PRE, post=OLD_POST, given=KEEP_INPUT),
    *in_forms(THIRD, pre=OLD_PRE, post=OLD_POST, given=KEEP_INPUT),
    *in_forms(THIRD, pre=OLD_PRE, post=OLD_POST, given=KEEP_AFTER_FIRST),
    # One `residual = x` at the top, for all three.
    edit(
        KEEP_INPUT | in_step(SECOND, pre=OLD_PRE, post=OLD_POST) | in_step(THIRD, pre=OLD_PRE, post=OLD_POST),
        inside=LAYER_FORWARD,
    ),
)
decoder_layer.mistake(
    "norm before the addition",
    "In post-norm the norm acts on what a step made, before it is added. It belongs on the sum: `norm(x + dropout(...))`. As it stands the sums grow from layer to layer and nothing brings them back.",
    edit({POST_LINE: "x + norm(dropout(sublayer(x)))"}, inside="add_norm"),
    edit({POST_LINE: "x + dropout(norm(sublayer(x)))"}, inside="add_norm"),
    *(edit(in_step(step, post="x + norm(dropout(f(x)))"), inside=LAYER_FORWARD) for step in STEPS),
)

WRITES_PRE = {PRE_LINE: "x.add_(dropout(sublayer(norm(x))))"}
decoder_layer.mistake(
    "the input is written over",
    "The input is written over. `x += ...` changes the tensor that the caller still holds, and the gradient needs it as it was. Write `x = x + ...`, which makes a new one.",
    edit(WRITES_PRE, inside="add_norm"),
    edit(WRITES_PRE | {POST_LINE: "norm(x.add_(dropout(sublayer(x))))"}, inside="add_norm"),
    # In the first step alone, whose x is the caller's.
    edit(in_step(FIRST, pre="x.add_(dropout(f(norm(x))))"), inside=LAYER_FORWARD),
    edit(in_step(FIRST, pre="x.add_(dropout(f(norm(x))))", post="norm(x.add_(dropout(f(x))))"), inside=LAYER_FORWARD),
)
decoder_layer.mistake(
    "a step reads x, not what it is given",
    "In pre-norm a step reads tokens that are not normalized. The function given to `add_norm` has to use its own argument, which is normalized by then, and not the `x` outside it. In post-norm the two are the same, so "
    "nothing shows there.",
    edit({SELF: "self.self_attn(x, x, x"}, inside=LAYER_FORWARD),
    edit({CROSS: "self.cross_attn(x, memory, memory"}, inside=LAYER_FORWARD),
    edit({SELF: "self.self_attn(x, x, x", CROSS: "self.cross_attn(x, memory, memory"}, inside=LAYER_FORWARD),
    edit({SELF: "self.self_attn(h, x, x"}, inside=LAYER_FORWARD),
    edit(in_step(THIRD, pre="x + dropout(f(x))"), inside=LAYER_FORWARD),
)

SET = "self.norm_first = norm_first"
decoder_layer.mistake(
    "norm_first ignored",
    "`norm_first` does not reach every step. The layer has two forms, post-norm and pre-norm, and all three steps have the same one. `add_norm` takes `norm_first` as its last argument, and without it does post-norm.",
    edit({SET: "self.norm_first = False"}, inside=LAYER_INIT),
    edit({SET: "self.norm_first = True"}, inside=LAYER_INIT),
    *(
        edit({f"{norm}, self.dropout, self.norm_first": f"{norm}, self.dropout"}, inside=LAYER_FORWARD)
        for norm in NORMS
    ),
    # Only one step follows it.
    *(
        edit(
            {f"{norm}, self.dropout, self.norm_first": f"{norm}, self.dropout" for norm in NORMS if norm != kept},
            inside=LAYER_FORWARD,
        )
        for kept in NORMS
    ),
)
decoder_layer.mistake(
    "norm_first inverted",
    "Post-norm and pre-norm have changed places. With `norm_first=True` a step reads `norm(x)` and the sum stays as it is; with False the sum is normalized.",
    edit({SET: "self.norm_first = not norm_first"}, inside=LAYER_INIT),
)
decoder_layer.mistake(
    "norm and dropout exchanged",
    "Norm and dropout have changed places in the calls of `add_norm`. It takes the tokens, the sublayer, the norm and the dropout, in that order; the other way round, dropout acts on the sum and the norm on "
    "what is added.",
    edit({f"{norm}, self.dropout": f"self.dropout, {norm}" for norm in NORMS}, inside=LAYER_FORWARD),
)
decoder_layer.mistake(
    "norms swapped",
    "The norms have changed places. `norm1` belongs to the self-attention, `norm2` to the cross-attention, `norm3` to the feed-forward network. Untrained they are all alike and nobody would notice; trained weights, "
    "torch's for instance, do not fit.",
    edit({NORM1: NORM2, NORM2: NORM1}, inside=LAYER_FORWARD),
    edit({NORM2: NORM3, NORM3: NORM2}, inside=LAYER_FORWARD),
    edit({NORM1: NORM3, NORM3: NORM1}, inside=LAYER_FORWARD),
)

NEW_NORM2, NEW_NORM3 = "self.norm2 = LayerNorm(d_model)", "self.norm3 = LayerNorm(d_model)"
decoder_layer.mistake(
    "one norm for several steps",
    "Several steps share one norm. Each of the three has its own, with a weight and a bias that are learned for that place; the ones that are not used never learn.",
    edit({NORM2: NORM1, NORM3: NORM1}, inside=LAYER_FORWARD),
    edit({NORM2: NORM1}, inside=LAYER_FORWARD),
    edit({NORM3: NORM2}, inside=LAYER_FORWARD),
    edit({NORM2: NORM1, NORM3: NORM2}, inside=LAYER_FORWARD),
    edit({NORM3: NORM1}, inside=LAYER_FORWARD),
    edit({NEW_NORM2: "self.norm2 = self.norm1", NEW_NORM3: "self.norm3 = self.norm1"}, inside=LAYER_INIT),
    edit({NEW_NORM3: "self.norm3 = self.norm2"}, inside=LAYER_INIT),
    edit({NEW_NORM2: "self.norm2 = self.norm1"}, inside=LAYER_INIT),
)
decoder_layer.mistake(
    "a norm left out",
    "A norm is left out. Each of the three steps has one: in post-norm it normalizes the sum, in pre-norm what the step reads. The layer holds its parameters, and they never learn.",
    *(edit({norm: "(lambda h: h)"}, inside=LAYER_FORWARD) for norm in NORMS),
    edit(dict.fromkeys(NORMS, "(lambda h: h)"), inside=LAYER_FORWARD),
    *(edit(in_step(step, post="x + dropout(f(x))"), inside=LAYER_FORWARD) for step in STEPS),
)

# Dropout ----------------------------------------------------------------------------

decoder_layer.mistake(
    "no dropout before an addition",
    "What a step made is added without dropout. In training `self.dropout` acts three times in a layer: on the output of each step, just before it is added to `x`.",
    edit({"nn.Dropout(dropout)": "nn.Dropout(0.0)"}, inside=LAYER_INIT),
    *(edit({f"{norm}, self.dropout": f"{norm}, lambda h: h"}, inside=LAYER_FORWARD) for norm in NORMS),
)

NO_DROPOUT_IN_SELF = {
    "self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)": "self.self_attn = MultiHeadAttention(d_model, num_heads)"
}
NO_DROPOUT_IN_CROSS = {
    "self.cross_attn = MultiHeadAttention(d_model, num_heads, dropout)": "self.cross_attn = MultiHeadAttention(d_model, num_heads)"
}
NO_DROPOUT_IN_FEED_FORWARD = {"FeedForward(d_model, d_ff, dropout)": "FeedForward(d_model, d_ff)"}
decoder_layer.mistake(
    "dropout not handed to the parts",
    "Dropout does not reach all parts of the layer. It acts on the weights of both attentions and inside the feed-forward network as well: hand `dropout` to each of them when they are made.",
    edit(NO_DROPOUT_IN_SELF | NO_DROPOUT_IN_CROSS | NO_DROPOUT_IN_FEED_FORWARD, inside=LAYER_INIT),
    edit(NO_DROPOUT_IN_SELF | NO_DROPOUT_IN_CROSS, inside=LAYER_INIT),
    edit(NO_DROPOUT_IN_SELF, inside=LAYER_INIT),
    edit(NO_DROPOUT_IN_CROSS, inside=LAYER_INIT),
    edit(NO_DROPOUT_IN_FEED_FORWARD, inside=LAYER_INIT),
)
decoder_layer.mistake(
    "dropout after the norm",
    "Dropout acts after the norm, on the sum. It then blots out features of the token itself, not only of what was added. It acts on what the step made: `norm(x + dropout(...))`.",
    edit({POST_LINE: "dropout(norm(x + sublayer(x)))"}, inside="add_norm"),
    *(edit(in_step(step, post="dropout(norm(x + f(x)))"), inside=LAYER_FORWARD) for step in STEPS),
)
decoder_layer.mistake(
    "dropout on the sum",
    "Dropout acts on the sum, x included. The residual connection is there so that `x` always gets through whole. It acts on what the step made, before the addition: `x + dropout(...)`.",
    edit({POST_LINE: "norm(dropout(x + sublayer(x)))", PRE_LINE: "dropout(x + sublayer(norm(x)))"}, inside="add_norm"),
    *(
        edit(in_step(step, pre="dropout(x + f(norm(x)))", post="norm(dropout(x + f(x)))"), inside=LAYER_FORWARD)
        for step in STEPS
    ),
)
DROPPED_STEP = "add_norm(x, lambda h, made={}: self.dropout(made(h))"
DROPS = [{step: DROPPED_STEP.format(step.removeprefix("add_norm(x, "))} for step in STEPS]
decoder_layer.mistake(
    "dropout twice",
    "What a step made is dropped twice. `add_norm` applies the dropout that it is given; with another one in the function that you hand to it, more is lost than was asked for. Return what the step made as it is.",
    *(edit(one, inside=LAYER_FORWARD) for one in DROPS),
    edit(DROPS[0] | DROPS[1], inside=LAYER_FORWARD),
    edit(DROPS[0] | DROPS[1] | DROPS[2], inside=LAYER_FORWARD),
)

decoder_layer.mistake(
    "dropout in evaluation",
    "Dropout acts in evaluation as well. `F.dropout(x, p)` drops unless told `training=False`. Use the `nn.Dropout` of the constructor, which follows `eval()`.",
    edit(
        {"self.dropout = nn.Dropout(dropout)": "self.dropout = lambda h: nn.functional.dropout(h, dropout)"},
        inside=LAYER_INIT,
    ),
)

# What is returned ----------------------------------------------------------------------------

ORDER = "The two kinds of weights have changed places. Self-attention comes first, in the layer and in what it returns: `(x, (self_weights, cross_weights))`."
decoder_layer.mistake("weights in the wrong order", ORDER, edit({RETURN: TURNED_WEIGHTS}, inside=LAYER_FORWARD))
decoder.mistake(
    "weights in the wrong order",
    ORDER,
    edit({STACK_RETURN: "(x, (all_cross, all_self)) if return_weights else x"}, inside=STACK_FORWARD),
)

FLAT = "Three things come back where two are wanted. The weights of both attentions belong together: `(x, (self_weights, cross_weights))`, a pair in a pair."
decoder_layer.mistake(
    "weights not in a pair",
    FLAT,
    edit({RETURN: "(x, kept[0], kept[1]) if return_weights else x"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "weights not in a pair",
    FLAT,
    edit({STACK_RETURN: "(x, all_self, all_cross) if return_weights else x"}, inside=STACK_FORWARD),
)

HALF = "The weights of one attention are missing. There are two attentions in every layer, and whoever asks for the weights gets both: `(x, (self_weights, cross_weights))`."
decoder_layer.mistake(
    "weights of one attention only",
    HALF,
    edit({RETURN: "(x, kept[1]) if return_weights else x"}, inside=LAYER_FORWARD),
    edit({RETURN: "(x, kept[0]) if return_weights else x"}, inside=LAYER_FORWARD),
    edit({RETURN: "(x, (kept[0], kept[0])) if return_weights else x"}, inside=LAYER_FORWARD),
    edit({RETURN: "(x, (kept[1], kept[1])) if return_weights else x"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "weights of one attention only",
    HALF,
    edit({STACK_RETURN: "(x, all_cross) if return_weights else x"}, inside=STACK_FORWARD),
    edit({STACK_RETURN: "(x, all_self) if return_weights else x"}, inside=STACK_FORWARD),
)

UNASKED = "The weights come back although nobody asked. Without `return_weights=True` the tokens alone are returned, so that what comes next can go on with them."
decoder_layer.mistake(
    "weights returned unasked",
    UNASKED,
    edit({RETURN: "(x, (kept[0], kept[1]))"}, inside=LAYER_FORWARD),
    edit({RETURN: "(x, (kept[0], kept[1]) if return_weights else None)"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "weights returned unasked",
    UNASKED,
    edit({STACK_RETURN: "(x, (all_self, all_cross))"}, inside=STACK_FORWARD),
    edit({STACK_RETURN: "(x, (all_self, all_cross) if return_weights else None)"}, inside=STACK_FORWARD),
)
decoder_layer.mistake(
    "None for the weights",
    "None comes back where the weights should be. A name that is set inside an inner function ends with that function: the one outside is another and stays as it was. Make an empty list outside and append "
    "the weights to it.",
    edit({RETURN: "(x, (None, None)) if return_weights else x"}, inside=LAYER_FORWARD),
)

FIRST_CALL = "Something is kept from call to call. A list that belongs to the object grows with every call: what stands first in it is of the first call, and the memory fills. Make the list anew in `forward`."
LEAK = "; self.__dict__.setdefault('seen', []).append(x)"
decoder_layer.mistake(
    "weights of an earlier call",
    FIRST_CALL,
    edit({BEGIN: "kept = self.__dict__.setdefault('kept', [])"}, inside=LAYER_FORWARD),
    edit({BEGIN: BEGIN + LEAK}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "weights of an earlier call",
    FIRST_CALL,
    edit(
        {STACK_BEGIN: "all_self, all_cross = self.__dict__.setdefault('kept', ([], []))"},
        inside=STACK_FORWARD,
    ),
    edit({STACK_BEGIN: STACK_BEGIN + LEAK}, inside=STACK_FORWARD),
)

NEVER = "`return_weights=True` changes nothing: the tokens come back alone. Asked for them, return `(x, (self_weights, cross_weights))`."
decoder_layer.mistake("weights not returned", NEVER, edit({RETURN: "x"}, inside=LAYER_FORWARD))
decoder.mistake("weights not returned", NEVER, edit({STACK_RETURN: "x"}, inside=STACK_FORWARD))

# The stack ----------------------------------------------------------------------------

decoder.mistake(
    "memory replaced by the layer's output",
    "After the first layer the memory is gone: the layer's output has taken its name. The later layers then read the target where they should read the source. `memory` is the same for all layers; only `x` goes from one to "
    "the next.",
    edit({NEXT: f"{NEXT}; memory = x"}, inside=STACK_FORWARD),
    edit({NEXT: f"{NEXT}; memory = x; cross_mask = None"}, inside=STACK_FORWARD),
    edit({NEXT: f"{NEXT}; memory = x; cross_mask = self_mask"}, inside=STACK_FORWARD),
)

IS_LAST = "if layer is self.layers[-1] else"
TO_LAST = {LAYER_CALL: f"layer(x, memory {IS_LAST} x"}
decoder.mistake(
    "only the last layer sees the memory",
    "Only the last layer reads the memory. All layers do, the first as well: a token may ask the source for one thing early and, knowing more, for another thing later. Hand `memory` and `cross_mask` to every "
    "layer.",
    edit(TO_LAST, inside=STACK_FORWARD),
    edit({LAYER_CALL: f"layer(x, memory {IS_LAST} 0 * memory"}, inside=STACK_FORWARD),
    *(
        edit(TO_LAST | {TO_CROSS: f" cross_mask {IS_LAST} {mask}, return_weights=True"}, inside=STACK_FORWARD)
        for mask in ("None", "self_mask")
    ),
)
decoder.mistake(
    "one layer repeated",
    "All layers are one layer. A list that holds the same module several times, `[layer] * num_layers`, has the parameters of one; each layer needs its own. Make a new one every time round.",
    edit({NEW_LAYERS: "[DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)] * num_layers"}, inside=STACK_INIT),
    edit({LAYER_CALL: "self.layers[0](x, memory"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "layers in a plain list",
    "The layers stand in a plain list, where torch does not find them. Their parameters are neither trained nor saved nor loaded. An `nn.ModuleList` holds layers so that they belong to the module.",
    edit({"nn.ModuleList(": "list("}, inside=STACK_INIT),
)
decoder.mistake(
    "every layer starts from the input",
    "The layers do not build on each other. Each gets the decoder's input, and only what the last one makes of it comes out. What a layer returns is what the next one gets: keep it in `x`.",
    edit({STACK_BEGIN: f"{STACK_BEGIN}; given = x", LAYER_CALL: "layer(given, memory"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "final norm missing",
    "In pre-norm the last norm is missing. No layer normalizes its own sum there, so what leaves the stack has grown with every step. One `LayerNorm` after all layers, `self.norm`, brings it back; "
    "the constructor makes it when `norm_first` is True, and `forward` has to use it.",
    edit({NEW_NORM: "None"}, inside=STACK_INIT),
    edit({FINAL: "pass"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "final norm in post-norm",
    "In post-norm there is a norm after the stack. There every layer ends with a norm already, and the paper has none after the last. (torch's `nn.Transformer` adds one all the same.) `self.norm` is None unless "
    "`norm_first` is True.",
    edit({NEW_NORM: "LayerNorm(d_model)"}, inside=STACK_INIT),
    edit({NEW_NORM: "None if norm_first else LayerNorm(d_model)"}, inside=STACK_INIT),
)

NORM_EACH = {NEXT: f"{NEXT}; x = x if self.norm is None else self.norm(x)"}
decoder.mistake(
    "final norm after every layer",
    "The last norm acts after every layer. In pre-norm the sums go through the stack untouched, and one norm stands at its end, after the loop.",
    edit(NORM_EACH | {FINAL: "pass"}, inside=STACK_FORWARD),
    edit(NORM_EACH, inside=STACK_FORWARD),
)
decoder.mistake(
    "final norm before the layers",
    "The last norm acts before the layers. Each layer of a pre-norm stack normalizes what it reads by itself; what nobody has normalized is the sum that comes out at the end.",
    edit(
        {STACK_BEGIN: f"{STACK_BEGIN}; x = x if self.norm is None else self.norm(x)", FINAL: "pass"},
        inside=STACK_FORWARD,
    ),
)
decoder.mistake(
    "norm_first not handed to the layers",
    "`norm_first` does not reach the layers. The stack may end with a norm and its layers are still post-norm. Hand it on: `DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    edit({NEW_LAYERS: "DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)"}, inside=STACK_INIT),
)
decoder.mistake(
    "dropout not handed to the layers",
    "`dropout` does not reach the layers. They are made with the default, 0, and nothing is ever dropped. Hand it on: `DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    edit(
        {NEW_LAYERS: "DecoderLayer(d_model, num_heads, d_ff, norm_first=norm_first) for _ in range(num_layers)"},
        inside=STACK_INIT,
    ),
)
decoder.mistake(
    "only the sizes handed to the layers",
    "Neither `dropout` nor `norm_first` reaches the layers. They are made with the defaults: nothing is ever dropped, and all are post-norm. Hand both on: "
    "`DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    edit({NEW_LAYERS: "DecoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers)"}, inside=STACK_INIT),
)
decoder.mistake(
    "dropout and norm_first exchanged",
    "The layers get `dropout` and `norm_first` in the other's place. A share of True drops everything in training, and any share but 0 makes them pre-norm. The order is "
    "`DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`, or name both.",
    edit(
        {NEW_LAYERS: "DecoderLayer(d_model, num_heads, d_ff, norm_first, dropout) for _ in range(num_layers)"},
        inside=STACK_INIT,
    ),
    edit(
        {
            NEW_LAYERS: "DecoderLayer(d_model, num_heads, d_ff, float(norm_first), dropout > 0) for _ in range(num_layers)"
        },
        inside=STACK_INIT,
    ),
)
decoder.mistake(
    "only the first layer runs",
    "Only one layer runs. The loop ends after its first round, or there is none; the others are made and never asked. Look at what stands inside the loop, and at how far it is indented.",
    edit({NEXT: f"{NEXT}; break"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "weights of the last layer first",
    "The lists of weights begin with the last layer. A layer's weights stand at its number: `append` puts the newest at the end, `insert(0, ...)` in front.",
    edit({STACK_RETURN: "(x, (all_self[::-1], all_cross[::-1])) if return_weights else x"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "masks in the first layer only",
    "Only the first layer gets both masks. One layer that looks ahead is enough to give the answer away, and one that reads padding to be misled. Both masks go to every layer.",
    edit({NEXT: f"{NEXT}; self_mask = cross_mask = None"}, inside=STACK_FORWARD),
    edit({TO_CROSS: " cross_mask if layer is self.layers[0] else None, return_weights=True"}, inside=STACK_FORWARD),
    edit({NEXT: f"{NEXT}; self_mask = None"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "weights of the last layer only",
    "The weights of the last layer come back alone. Every layer looks elsewhere; keep the weights of all: two lists with one tensor for each layer.",
    edit({STACK_RETURN: "(x, weights) if return_weights else x"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "a list of pairs instead of two lists",
    "The weights come as one list of pairs, a pair for each layer. Wanted are two lists, `(all_self, all_cross)`, so that one can look at all cross-attentions at once.",
    edit({STACK_RETURN: "(x, list(zip(all_self, all_cross))) if return_weights else x"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "weights stacked into a tensor",
    "The weights come as one tensor. Wanted is a list with one tensor for each layer: two lists, `(all_self, all_cross)`.",
    edit(
        {
            STACK_RETURN: "(x, (all_self[0].new_tensor([one.tolist() for one in all_self]), "
            "all_cross[0].new_tensor([one.tolist() for one in all_cross]))) if return_weights else x"
        },
        inside=STACK_FORWARD,
    ),
)
