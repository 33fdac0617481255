"""What a decoder layer and a decoder return."""

from autograder.checks.decoder import decoder, decoder_layer
from autograder.mistakes.decoder.places import (
    BEGIN,
    IF_ASKED,
    LAYER_FORWARD,
    STACK_BEGIN,
    STACK_FORWARD,
    STACK_WEIGHTS,
    STEPS,
    TURNED_WEIGHTS,
    WEIGHTS,
    WITH_WEIGHTS,
)
from autograder.probing.mistake import edit

# Tokens of before the third step, the second, the first.
OLDER = tuple(({step: step.replace("(x", "((earlier := x)")}, "earlier") for step in STEPS)
ORDER = "The two kinds of weights have changed places. Self-attention comes first, in the layer and in what it returns: `(x, (self_weights, cross_weights))`."
decoder_layer.mistake("weights in the wrong order", ORDER, edit({WEIGHTS: TURNED_WEIGHTS}, inside=LAYER_FORWARD))
decoder.mistake(
    "weights in the wrong order",
    ORDER,
    edit({STACK_WEIGHTS: "(all_cross, all_self)"}, inside=STACK_FORWARD),
)

FLAT = "Three things come back where two are wanted. The weights of both attentions belong together: `(x, (self_weights, cross_weights))`, a pair in a pair."
decoder_layer.mistake(
    "weights not in a pair",
    FLAT,
    edit({WEIGHTS: f"*{WEIGHTS}"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "weights not in a pair",
    FLAT,
    edit({STACK_WEIGHTS: f"*{STACK_WEIGHTS}"}, inside=STACK_FORWARD),
)

HALF = "The weights of one attention are missing. There are two attentions in every layer, and whoever asks for the weights gets both: `(x, (self_weights, cross_weights))`."
decoder_layer.mistake(
    "weights of one attention only",
    HALF,
    edit({WEIGHTS: "kept[1]"}, inside=LAYER_FORWARD),
    edit({WEIGHTS: "kept[0]"}, inside=LAYER_FORWARD),
    edit({WEIGHTS: "(kept[0], kept[0])"}, inside=LAYER_FORWARD),
    edit({WEIGHTS: "(kept[1], kept[1])"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "weights of one attention only",
    HALF,
    edit({STACK_WEIGHTS: "all_cross"}, inside=STACK_FORWARD),
    edit({STACK_WEIGHTS: "all_self"}, inside=STACK_FORWARD),
    edit({STACK_WEIGHTS: "(all_self, all_self)"}, inside=STACK_FORWARD),
    edit({STACK_WEIGHTS: "(all_cross, all_cross)"}, inside=STACK_FORWARD),
)

UNASKED = "The weights come back although nobody asked. Without `return_weights=True` the tokens alone are returned, so that what comes next can go on with them."
decoder_layer.mistake(
    "weights returned unasked",
    UNASKED,
    edit({IF_ASKED: "if True else x"}, inside=LAYER_FORWARD),
    edit({IF_ASKED: "if return_weights else (x, None)"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "weights returned unasked",
    UNASKED,
    edit({IF_ASKED: "if True else x"}, inside=STACK_FORWARD),
    edit({IF_ASKED: "if return_weights else (x, None)"}, inside=STACK_FORWARD),
)
decoder_layer.mistake(
    "None for the weights",
    "None comes back where the weights should be. A name that is set inside an inner function ends with that function: the one outside is another and stays as it was. Make an empty list outside and append "
    "the weights to it.",
    edit({WEIGHTS: "(None, None)"}, inside=LAYER_FORWARD),
)

decoder_layer.mistake(
    "tokens from before the last step",
    "The tokens that come back are not those of the last step. The attention's weights are given beside the layer's output, `(x, (self_weights, cross_weights))`, and the tokens are the same with them and without them: look at both `return`s.",
    *(edit(older | {WITH_WEIGHTS: f"({given}, ("}, inside=LAYER_FORWARD) for older, given in OLDER),
    *(edit(older | {IF_ASKED: f"if return_weights else {given}"}, inside=LAYER_FORWARD) for older, given in OLDER),
)

ONE_TABLE = "The weights are not those of each head. Every head looks elsewhere, and a mean or a single one hides that: return them as the attention gives them, `(batch, num_heads, tgt_len, ...)`."
ONE_HEAD = ("mean(1)", "mean(1, keepdim=True)", "sum(1)", "select(1, 0)", "flatten(0, 1)")
decoder_layer.mistake(
    "heads lost in the weights",
    ONE_TABLE,
    *(edit({WEIGHTS: f"(kept[0].{way}, kept[1].{way})"}, inside=LAYER_FORWARD) for way in ONE_HEAD),
)
decoder.mistake(
    "heads lost in the weights",
    ONE_TABLE,
    *(
        edit(
            {STACK_WEIGHTS: f"([one.{way} for one in all_self], [one.{way} for one in all_cross])"},
            inside=STACK_FORWARD,
        )
        for way in ONE_HEAD
    ),
)

TURNED_TABLES = "The weights are transposed. A row belongs to a token that asks and a column to a token that is read, so rows sum to 1: return them as the attention gives them."
decoder_layer.mistake(
    "weights transposed",
    TURNED_TABLES,
    edit({WEIGHTS: "(kept[0].mT, kept[1].mT)"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "weights transposed",
    TURNED_TABLES,
    edit(
        {STACK_WEIGHTS: "([one.mT for one in all_self], [one.mT for one in all_cross])"},
        inside=STACK_FORWARD,
    ),
)

BEFORE = "The weights come before the tokens. The output stands first, and what was asked for besides behind it: `(x, (self_weights, cross_weights))`."
decoder_layer.mistake(
    "weights before the tokens",
    BEFORE,
    edit({IF_ASKED: f"[::-1] {IF_ASKED}"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "weights before the tokens",
    BEFORE,
    edit({IF_ASKED: f"[::-1] {IF_ASKED}"}, inside=STACK_FORWARD),
)

THE_OTHER_WAY = "`return_weights` means the opposite here. With True the tokens come back alone, and with False the weights come too."
decoder_layer.mistake(
    "return_weights inverted",
    THE_OTHER_WAY,
    edit({IF_ASKED: "if not return_weights else x"}, inside=LAYER_FORWARD),
)
decoder.mistake(
    "return_weights inverted",
    THE_OTHER_WAY,
    edit({IF_ASKED: "if not return_weights else x"}, inside=STACK_FORWARD),
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
decoder_layer.mistake("weights not returned", NEVER, edit({IF_ASKED: "if False else x"}, inside=LAYER_FORWARD))
decoder.mistake("weights not returned", NEVER, edit({IF_ASKED: "if False else x"}, inside=STACK_FORWARD))
