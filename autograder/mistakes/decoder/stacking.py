"""The stack of decoder layers."""

from autograder.checks.decoder import decoder
from autograder.mistakes.decoder.places import (
    FINAL,
    LAYER_CALL,
    LOOP,
    NEW_LAYER,
    NEW_NORM,
    NEXT,
    NUMBERS,
    STACK_BEGIN,
    STACK_FORWARD,
    STACK_INIT,
    STACK_WEIGHTS,
    TO_CROSS,
    TO_SELF,
    WITH_WEIGHTS,
)
from autograder.probing.mistake import edit

decoder.mistake(
    "memory replaced by the layer's output",
    "After the first layer the memory is gone: the layer's output has taken its name. The later layers then read the target where they should read the source. `memory` is the same for all layers; only `x` goes from one to "
    "the next.",
    edit({NEXT: f"{NEXT}; memory = x"}, inside=STACK_FORWARD),
    edit({NEXT: f"{NEXT}; memory = x if layer is self.layers[0] else memory"}, inside=STACK_FORWARD),
    edit({NEXT: f"{NEXT}; memory = x; cross_mask = None"}, inside=STACK_FORWARD),
    edit({NEXT: f"{NEXT}; memory = x; cross_mask = self_mask"}, inside=STACK_FORWARD),
)

TURNED = (
    "The target and the memory have changed places in the call of a layer. It takes the tokens of the target first and the memory second, `layer(x, memory, ...)`; the other way round the source asks, and the target is read. "
    "Where the two differ in length, the masks do not fit and an error says so."
)
decoder.mistake(
    "x and memory exchanged",
    TURNED,
    edit({LAYER_CALL: "layer(memory, x"}, inside=STACK_FORWARD),
    # Each mask goes with its tokens.
    edit(
        {LAYER_CALL: "layer(memory, x", TO_SELF: ", cross_mask,", TO_CROSS: " self_mask, return_weights=True"},
        inside=STACK_FORWARD,
    ),
    edit(
        {
            f"x, weights = {LAYER_CALL}": "memory, weights = layer(memory, x",
            WITH_WEIGHTS: "(memory, (",
        },
        inside=STACK_FORWARD,
    ),
)
decoder.mistake(
    "the memory is not handed on",
    "The layers read the target in the place of the memory. So nothing of the source reaches the decoder. A layer takes two texts, `layer(x, memory, ...)`: the tokens of the target, and what the encoder made of the source.",
    edit({LAYER_CALL: "layer(x, x"}, inside=STACK_FORWARD),
    *(
        edit({STACK_BEGIN: f"{STACK_BEGIN}; memory = x{mask}"}, inside=STACK_FORWARD)
        for mask in ("", "; cross_mask = None", "; cross_mask = self_mask")
    ),
    edit({LAYER_CALL: "layer(x, x", TO_CROSS: " self_mask, return_weights=True"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "layers in reverse",
    "The layers run in reverse. `self.layers[0]` is the first to read the tokens; untrained nobody would notice, but trained weights sit in the wrong places.",
    edit({LOOP: "for layer in reversed(self.layers):"}, inside=STACK_FORWARD),
    edit(
        {
            LOOP: "for layer in reversed(self.layers):",
            STACK_WEIGHTS: "(all_self[::-1], all_cross[::-1])",
        },
        inside=STACK_FORWARD,
    ),
)
decoder.mistake(
    "a layer is left out",
    "One of the layers never runs. A loop over `self.layers` runs all of them; a slice of it does not.",
    *(edit({LOOP: f"for layer in {some}:"}, inside=STACK_FORWARD) for some in ("self.layers[1:]", "self.layers[:-1]")),
)
decoder.mistake(
    "residual around whole layers",
    "The tokens are added once more around each layer. The additions are inside, three in every layer; another `x +` doubles the tokens. Take what a layer returns as it is.",
    edit(
        {f"x, weights = {LAYER_CALL}": f"given = x; x, weights = {LAYER_CALL}", NEXT: f"{NEXT}; x = given + x"},
        inside=STACK_FORWARD,
    ),
    edit(
        {STACK_BEGIN: f"{STACK_BEGIN}; first = x", NEXT: f"{NEXT}; x = x + first"},
        inside=STACK_FORWARD,
        says="The decoder's input is added after each layer. The additions are inside, three in every layer. Take what a layer returns as it is.",
    ),
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
    edit({f"{NEW_LAYER} for _": f"one for one in [{NEW_LAYER}] for _"}, inside=STACK_INIT),
    *(edit({LAYER_CALL: f"self.layers[{number}](x, memory"}, inside=STACK_FORWARD) for number in (0, -1)),
)
decoder.mistake(
    "another number of layers",
    "The stack has another number of layers than `num_layers`. Weights of a stack of that size do not fit into it. Make one layer for each number in `range(num_layers)`.",
    *(
        edit({NUMBERS: f"range({count})"}, inside=STACK_INIT)
        for count in ("num_layers - 1", "num_layers + 1", "1", "2", "6")
    ),
)
decoder.mistake(
    "another width in the feed-forward networks",
    "`d_ff` does not reach the layers. Their feed-forward networks are as wide as the paper's, four times d_model, whatever was asked for. Hand it on: `DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    edit({NEW_LAYER: NEW_LAYER.replace("d_ff", "4 * d_model")}, inside=STACK_INIT),
)
decoder.mistake(
    "what the layers make is thrown away",
    "What the layers make is thrown away. Each runs, and the tokens that came in come out. Keep what a layer returns: `x, weights = layer(x, ...)`.",
    edit({f"x, weights = {LAYER_CALL}": f"_, weights = {LAYER_CALL}"}, inside=STACK_FORWARD),
    edit({f"x, weights = {LAYER_CALL}": f"_, weights = {LAYER_CALL}", FINAL: "pass"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "the tokens are cut off from the graph",
    "The tokens are cut off from the graph between layers. The numbers are right, and no gradient gets through to the earlier layers: they never learn. Pass `x` on as it is, without `detach` or `no_grad`.",
    edit({LAYER_CALL: "layer(x.detach(), memory"}, inside=STACK_FORWARD),
    edit({NEXT: f"{NEXT}; x = x.detach()"}, inside=STACK_FORWARD),
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
    edit(
        {FINAL: "x = x if return_weights or self.norm is None else self.norm(x)"},
        inside=STACK_FORWARD,
        says="With `return_weights=True` there is no final norm. Asking for the weights must not change what is computed. In pre-norm `self.norm` comes after the last layer, in both branches.",
    ),
    edit(
        {FINAL: "x = self.norm(x) if return_weights and self.norm is not None else x"},
        inside=STACK_FORWARD,
        says="Without `return_weights` there is no final norm. Asking for the weights must not change what is computed. In pre-norm `self.norm` comes after the last layer, in both branches.",
    ),
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
    "final norm twice",
    "The last norm acts twice. It stands once, after the last layer: a second time its weight and bias are applied to what it has normalized already.",
    edit({FINAL: f"{FINAL}\n            x = self.norm(x)"}, inside=STACK_FORWARD),
    edit(
        {STACK_BEGIN: f"{STACK_BEGIN}; x = x if self.norm is None else self.norm(x)"},
        inside=STACK_FORWARD,
        says="The last norm acts before the layers as well as after them. Each layer of a pre-norm stack normalizes what it reads by itself; the one norm of the stack stands at its end.",
    ),
)
OTHER_FORM = (
    "The layers have another form than was asked for. With `norm_first=True` all of them are pre-norm, with False all are post-norm. Hand it on as it is: "
    "`DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`."
)
decoder.mistake(
    "norm_first not handed to the layers",
    "`norm_first` does not reach the layers. The stack may end with a norm and its layers are still post-norm. Hand it on: `DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    edit({NEW_LAYER: NEW_LAYER.replace("norm_first", "False")}, inside=STACK_INIT),
    *(
        edit(
            {NEW_LAYER: NEW_LAYER.replace("norm_first", form)} | norm,
            inside=STACK_INIT,
            says=OTHER_FORM,
        )
        for form in ("True", "not norm_first")
        for norm in ({}, {NEW_NORM: "LayerNorm(d_model)"})
    ),
)
decoder.mistake(
    "dropout not handed to the layers",
    "`dropout` does not reach the layers. They are made with the default, 0, and nothing is ever dropped. Hand it on: `DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    edit(
        {NEW_LAYER: NEW_LAYER.replace("dropout", "0.0")},
        inside=STACK_INIT,
    ),
    *(
        edit(
            {NEW_LAYER: NEW_LAYER.replace("dropout", share)},
            inside=STACK_INIT,
            says="`dropout` does not reach the layers. They are made with a share of their own, whatever was asked for. Hand it on: `DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
        )
        for share in ("0.1", "0.5")
    ),
)
decoder.mistake(
    "only the sizes handed to the layers",
    "Neither `dropout` nor `norm_first` reaches the layers. They are made with the defaults: nothing is ever dropped, and all are post-norm. Hand both on: "
    "`DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    edit({NEW_LAYER: NEW_LAYER.replace("dropout, norm_first", "0.0, False")}, inside=STACK_INIT),
)
decoder.mistake(
    "dropout and norm_first exchanged",
    "The layers get `dropout` and `norm_first` in the other's place. A share of True drops everything in training, and any share but 0 makes them pre-norm. The order is "
    "`DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`, or name both.",
    edit(
        {NEW_LAYER: NEW_LAYER.replace("dropout, norm_first", "norm_first, dropout")},
        inside=STACK_INIT,
    ),
)
decoder.mistake(
    "only the first layer runs",
    "Only one layer runs. The loop ends after its first round, or there is none; the others are made and never asked. Look at what stands inside the loop, and at how far it is indented.",
    edit({NEXT: f"{NEXT}; break"}, inside=STACK_FORWARD),
    edit({NEXT: f"{NEXT}; break", FINAL: "pass"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "weights of the last layer first",
    "The lists of weights begin with the last layer. A layer's weights stand at its number: `append` puts the newest at the end, `insert(0, ...)` in front.",
    edit(
        {
            "all_self.append(weights[0])": "all_self.insert(0, weights[0])",
            "all_cross.append(weights[1])": "all_cross.insert(0, weights[1])",
        },
        inside=STACK_FORWARD,
    ),
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
    edit({STACK_WEIGHTS: "weights"}, inside=STACK_FORWARD),
    edit({STACK_WEIGHTS: "(all_self[-1:], all_cross[-1:])"}, inside=STACK_FORWARD),
)
decoder.mistake(
    "a list of pairs instead of two lists",
    "The weights come as one list of pairs, a pair for each layer. Wanted are two lists, `(all_self, all_cross)`, so that one can look at all cross-attentions at once.",
    edit({STACK_WEIGHTS: "list(zip(all_self, all_cross))"}, inside=STACK_FORWARD),
    *(
        edit(
            swaps,
            inside=STACK_FORWARD,
            says="All weights come in one list. Wanted are two lists, `(all_self, all_cross)`, so that one can look at all cross-attentions at once.",
        )
        for swaps in (
            {STACK_WEIGHTS: "all_self + all_cross"},
            {STACK_WEIGHTS: "[one for both in zip(all_self, all_cross) for one in both]"},
        )
    ),
    edit(
        {STACK_BEGIN: "all_self = all_cross = []"},
        inside=STACK_FORWARD,
        says="Both names stand for one list. `all_self = all_cross = []` makes one list with two names, and the weights of both attentions end up in it. Make two: `all_self, all_cross = [], []`.",
    ),
)
decoder.mistake(
    "weights stacked into a tensor",
    "The weights come as one tensor. Wanted is a list with one tensor for each layer: two lists, `(all_self, all_cross)`.",
    *(
        edit(
            {STACK_WEIGHTS: f"(__import__('torch').{joined}(all_self), __import__('torch').{joined}(all_cross))"},
            inside=STACK_FORWARD,
        )
        for joined in ("stack", "cat")
    ),
    edit(
        {"all_self.append(weights[0])": "all_self.extend(weights[0])", NEXT: NEXT.replace("append", "extend")},
        inside=STACK_FORWARD,
        says="The weights of a layer are taken apart. `extend` puts each sentence's weights into the list by itself. Wanted is one tensor for each layer: `append`.",
    ),
)
