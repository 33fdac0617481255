"""What a decoder layer and a decoder return."""

from autograder.checks.decoder import decoder, decoder_layer
from autograder.mistakes.decoder.places import (
    BEGIN,
    LAYER_FORWARD,
    RETURN,
    STACK_BEGIN,
    STACK_FORWARD,
    STACK_RETURN,
    TURNED_WEIGHTS,
)
from autograder.probing.mistake import edit

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
