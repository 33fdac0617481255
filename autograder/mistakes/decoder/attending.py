"""Who is read in lesson 07, by whom, and under which mask."""

from autograder.checks.decoder import decoder, decoder_layer
from autograder.mistakes.decoder.places import (
    BEGIN,
    CROSS,
    CROSS_MASK,
    LAYER_CALL,
    LAYER_FORWARD,
    LAYER_INIT,
    LOOP,
    NEXT,
    NORMS,
    SELF,
    SELF_MASK,
    STACK_BEGIN,
    STACK_FORWARD,
    TO_CROSS,
    TO_SELF,
)
from autograder.probing.mistake import Way, edit

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
    edit(
        {NEXT: f"{NEXT}; self_mask, cross_mask = cross_mask, self_mask"},
        inside=STACK_FORWARD,
        says="The two masks change places from layer to layer. Every layer gets both, in the same order: `layer(x, memory, self_mask, cross_mask, ...)`.",
    ),
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
    "self_mask & cross_mask",
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
    edit(
        {
            STACK_BEGIN: f"{STACK_BEGIN}; fit = self_mask is not None and cross_mask is not None and self_mask.size(-1) == cross_mask.size(-1); "
            "self_mask, cross_mask = (self_mask & cross_mask,) * 2 if fit else (self_mask, cross_mask)"
        },
        inside=STACK_FORWARD,
        says="Both attentions get one mask, in which the two are joined. They belong to different texts: where target and source are equally long nothing fails, and no target token reads a source token behind its own place. `self_mask` is for the target's attention, `cross_mask` for the source's.",
    ),
    *(
        edit(
            {NEXT: f"{NEXT}; {lost} = {kept}"},
            inside=STACK_FORWARD,
            says="After the first layer both attentions get the same mask. `self_mask` and `cross_mask` go to every layer as they came in; inside the loop neither gets another value.",
        )
        for lost, kept in (("self_mask", "cross_mask"), ("cross_mask", "self_mask"))
    ),
)

UPSIDE_DOWN = "None if self_mask is None else self_mask.transpose(-2, -1)"
TURNED_ROUND = (
    'A mask means the opposite here. In this course True says "may look"; as it stands, exactly what should be seen is hidden. torch\'s own decoder layer has it the other way round, so code written for it '
    "inverts its masks. Look for a `~`."
)
NOT_SELF, NOT_CROSS = "None if self_mask is None else ~self_mask", "None if cross_mask is None else ~cross_mask"
INVERTED = (
    *((NOT_SELF, NOT_CROSS), (NOT_SELF, "cross_mask"), ("self_mask", NOT_CROSS)),
    *(("~self_mask", "~cross_mask"), ("~self_mask", "cross_mask"), ("self_mask", "~cross_mask")),
)
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
    edit({TO_SELF: f", {STACK_PAST},"}, inside=STACK_FORWARD),
)

decoder_layer.mistake(
    "mask transposed",
    "A mask is transposed. Its rows stand for the tokens that ask and its columns for those that are read; turned over, a causal mask shows a token its future and hides its past. Take the masks as they come.",
    edit({SELF_MASK: f", {UPSIDE_DOWN})"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "mask transposed",
    "A mask is transposed. Its rows stand for the tokens that ask and its columns for those that are read; turned over, a causal mask shows a token its future and hides its past. Hand the masks on as they come.",
    edit({TO_SELF: f", {UPSIDE_DOWN},"}, inside=STACK_FORWARD),
)

# Who asks, and who is read ----------------------------------------------------------------------------

MASKS = ("cross_mask", "self_mask")
WHOLE_SELF, WHOLE_CROSS = f"{SELF}{SELF_MASK}", f"{CROSS}{CROSS_MASK}"


def in_each_form(attention: str, read: str) -> list[Way]:
    """Something else that an attention is called with: in both forms of the layer, and in one of them alone.

    Args:
        attention: the whole call as it should be.
        read: what stands in its brackets instead.
    """
    name, right = attention.removesuffix(")").split("(")
    return [
        edit({attention: made}, inside=LAYER_FORWARD)
        for made in (
            f"{name}({read})",
            f"{name}(*(({read}) if self.norm_first else ({right})))",
            f"{name}(*(({right}) if self.norm_first else ({read})))",
        )
    ]


decoder_layer.mistake(
    "self-attention reads memory",
    "The self-attention reads the memory. Then the target's tokens never see each other: the model cannot know what it has already written. In the first step query, key and value are all the target's; the "
    "memory comes in the second. Articles print decoders like this one. Without a self-mask they run at any lengths, and with one as long as source and target are equally long.",
    *in_each_form(WHOLE_SELF, "h, memory, memory, self_mask"),
    *in_each_form(WHOLE_SELF, "h, memory, memory, cross_mask"),
    edit({SELF: "self.self_attn(h, memory, h"}, inside=LAYER_FORWARD),
    edit({SELF: "self.self_attn(h, h, memory"}, inside=LAYER_FORWARD),
    edit(
        {SELF: "self.self_attn(memory, memory, memory"},
        inside=LAYER_FORWARD,
        says="In the self-attention the memory reads itself. The encoder has done that; here it is the target's tokens that read each other, to know what has been written. In the first step query, key and value are all the target's.",
    ),
    edit(
        {SELF: "self.self_attn(memory, h, h"},
        inside=LAYER_FORWARD,
        says="In the self-attention the memory asks. Then one output comes out for every token of the source, where one for every token of the target is wanted. In the first step query, key and value are all the target's.",
    ),
)
decoder_layer.mistake(
    "query of the cross-attention from memory",
    "The memory asks in the cross-attention. Then one output comes out for every token of the source, where one for every token of the target is wanted. It is the target that asks, so the query is `h`; "
    "the memory is what is read, key and value.",
    *(way for mask in (*MASKS, "None") for way in in_each_form(WHOLE_CROSS, f"memory, h, h, {mask}")),
    *in_each_form(WHOLE_CROSS, "memory, memory, memory, cross_mask"),
    edit({CROSS: "self.cross_attn(memory, h, memory"}, inside=LAYER_FORWARD),
    edit({CROSS: "self.cross_attn(memory, memory, h"}, inside=LAYER_FORWARD),
)
decoder_layer.mistake(
    "key or value of the cross-attention from x",
    "Key and value of the cross-attention do not come from the same tokens. A key says what a token offers, its value is what is taken from that same token, so both are made from `memory`. With source and target "
    "of different length the two do not even fit.",
    *in_each_form(WHOLE_CROSS, "h, h, memory, cross_mask"),
    *in_each_form(WHOLE_CROSS, "h, memory, h, cross_mask"),
    edit({CROSS: "self.cross_attn(h, x, memory"}, inside=LAYER_FORWARD),
    edit({CROSS: "self.cross_attn(h, memory, x"}, inside=LAYER_FORWARD),
)
decoder_layer.mistake(
    "cross-attention reads the target",
    "The second attention reads the target again. So nothing of the source ever reaches the decoder, and it can only guess what such a text usually says. Key and value of the cross-attention are `memory`.",
    *(way for mask in (*MASKS, "None") for way in in_each_form(WHOLE_CROSS, f"h, h, h, {mask}")),
    *(edit({WHOLE_CROSS: f"self.cross_attn(h, x, x, {mask})"}, inside=LAYER_FORWARD) for mask in (*MASKS, "None")),
    # The target as it came into the layer, or as the first step reads it.
    *(
        edit(
            {BEGIN: f"{BEGIN}; read = {older}", WHOLE_CROSS: f"self.cross_attn({query}, read, read, {mask})"},
            inside=LAYER_FORWARD,
        )
        for mask in MASKS
        for older in ("x", "self.norm1(x) if self.norm_first else x")
        for query in ("h", "read")
    ),
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
        edit({BEGIN: f"{BEGIN}; memory = {normed}"}, inside=LAYER_FORWARD)
        for norm in NORMS
        for normed in (f"{norm}(memory)", f"{norm}(memory) if self.norm_first else memory")
    ),
    *(
        edit({CROSS: f"self.cross_attn(h, {read}"}, inside=LAYER_FORWARD)
        for normed in (IF_PRE, "self.norm2(memory)")
        for read in (f"{normed}, memory", f"memory, {normed}")
    ),
)
decoder.mistake(
    "memory normalized on the way",
    NORMED_MEMORY,
    edit(
        {STACK_BEGIN: f"{STACK_BEGIN}; memory = memory if self.norm is None else self.norm(memory)"},
        inside=STACK_FORWARD,
    ),
    *(
        edit({LAYER_CALL: f"layer(x, {normed}"}, inside=STACK_FORWARD)
        for norm in ("layer.norm1", "layer.norm2", "layer.norm3")
        for normed in (f"{norm}(memory)", f"{norm}(memory) if layer.norm_first else memory")
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
    # A step of it alone.
    *(
        edit({BEGIN: f"{BEGIN}; memory = {once_more}"}, inside=LAYER_FORWARD)
        for made in (
            "self.self_attn(memory, memory, memory, cross_mask)[0]",
            "self.self_attn(memory, memory, memory)[0]",
            "self.feed_forward(memory)",
        )
        for once_more in (made, f"memory + {made}")
    ),
    edit({BEGIN: f"{BEGIN}; memory = {READ_AGAIN}"}, inside=LAYER_FORWARD),
    edit({BEGIN: f"{BEGIN}; memory = {THINK_AGAIN}"}, inside=LAYER_FORWARD),
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
    # By the decoder's own layers, before a layer reads it or after.
    *(
        edit({line: f"{line}{end} memory = {again}"}, inside=STACK_FORWARD)
        for line, end in ((LOOP, "\n           "), (NEXT, ";"))
        for again in (
            "layer(memory, memory, cross_mask, cross_mask)",
            "layer(memory, memory)",
            "layer.feed_forward(memory)",
            "memory + layer.feed_forward(memory)",
            "add_norm(memory, layer.feed_forward, layer.norm3, layer.dropout, layer.norm_first)",
            "layer.self_attn(memory, memory, memory, cross_mask)[0]",
            "memory + layer.self_attn(memory, memory, memory, cross_mask)[0]",
        )
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
