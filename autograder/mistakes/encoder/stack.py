"""The stack of encoder layers."""

from autograder.checks.encoder import encoder
from autograder.mistakes.encoder.layer import (
    ALWAYS_RETURNED,
    AVERAGED,
    CAUSAL,
    CAUSAL_WITH_MASK,
    KEEPS,
    LEAK,
    NOT_RETURNED,
    PAST_HIDDEN,
    QUERIES,
    QUERIES_TOO,
    STRICT_TRIL,
    STRICTLY_CAUSAL,
    TRIL,
    TRIU,
    TURNED,
    UNASKED,
)
from autograder.probing.mistake import edit

MAKE = "EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)"
COUNT = "range(num_layers)"
FINAL = "LayerNorm(d_model) if norm_first else None"
START = "all_weights = []"
LOOP = "for layer in self.layers:"
CALL = "layer(x, mask, return_weights=True)"
COLLECT = "all_weights.append(weights)"
APPLY = "x = self.norm(x)"
RETURN = "(x, all_weights) if return_weights else x"
NORM_IF_ANY = "x = x if self.norm is None else self.norm(x)"

encoder.mistake(
    "one layer for all",
    "All layers are the same layer. `[layer] * n` holds one layer n times, so there is only one set of parameters for all depths. Each layer of the stack has parameters of its own: make a new `EncoderLayer` "
    "for each, and run each once.",
    {f"{MAKE} for _ in {COUNT}": f"[{MAKE}] * num_layers"},
    {LOOP: "for layer in [self.layers[0]] * len(self.layers):"},
    {
        f"{MAKE} for _ in {COUNT}": f"[{MAKE}]",
        f"self.norm = {FINAL}": f"self.norm = {FINAL}; self.times = num_layers",
        LOOP: "for layer in [self.layers[0]] * self.times:",
    },
)

encoder.mistake(
    "layers in a plain list",
    "The layers are in a plain list. torch does not look into lists: their parameters are missing from `parameters()`, no optimizer trains them, `eval()` does not reach them and saving forgets them. Use `nn.ModuleList`.",
    {"nn.ModuleList(": "list("},
)

encoder.mistake(
    "wrong number of layers",
    "The number of layers is not `num_layers`. Count what your constructor makes: a loop over `range(num_layers)` makes as many as were asked for.",
    *({COUNT: f"range({count})"} for count in ("1", "num_layers - 1", "num_layers + 1", "6")),
)

encoder.mistake(
    "final norm in post-norm",
    "There is a final norm in post-norm. There the last layer already ends with a norm, and the paper has no further norm. (nn.Transformer has one, so its weights do not fit the paper's model.) `self.norm` "
    "is None unless `norm_first`.",
    {FINAL: "LayerNorm(d_model)"},
    edit(
        {
            f"self.norm = {FINAL}": "self.norm = LayerNorm(d_model); self.last = norm_first",
            "if self.norm is not None": "if self.last",
        },
        says="A final norm is made in post-norm too, and never used there. Its numbers would be saved with the model, counted among the parameters and looked for when weights from elsewhere are loaded. `self.norm` is None unless `norm_first`.",
    ),
)

encoder.mistake(
    "no final norm in pre-norm",
    "In pre-norm there is no norm at the end. Each layer adds to the tokens, and nothing has normalized the sums, so the encoder's output grows with depth. `self.norm`, one LayerNorm, comes after the last "
    "layer.",
    {FINAL: "None"},
    {APPLY: "pass"},
    edit(
        {APPLY: "x = x if return_weights else self.norm(x)"},
        says="With `return_weights=True` there is no final norm. Asking for the weights must not change what is computed. In pre-norm `self.norm` comes after the last layer, in both branches.",
    ),
    edit(
        {APPLY: "x = self.norm(x) if return_weights else x"},
        says="Without `return_weights` there is no final norm. Asking for the weights must not change what is computed. In pre-norm `self.norm` comes after the last layer, in both branches.",
    ),
)

encoder.mistake(
    "final norm the wrong way round",
    "The final norm is there in post-norm and missing in pre-norm. Exchange the two: post-norm layers end with a norm, pre-norm layers do not, so the pre-norm stack needs a norm at its end.",
    {FINAL: "None if norm_first else LayerNorm(d_model)"},
)

encoder.mistake(
    "final norm after every layer",
    "The final norm acts after every layer. In pre-norm the tokens pass from layer to layer as plain sums, and are normalized once, when all layers are through. Move the norm out of the loop.",
    {COLLECT: f"{COLLECT}; {NORM_IF_ANY}", APPLY: "pass"},
    {COLLECT: f"{COLLECT}; {NORM_IF_ANY}"},
)

encoder.mistake(
    "final norm before the layers",
    "The final norm acts before the first layer. Each pre-norm layer normalizes what it reads; but nothing normalizes the output of the last layer. Move the norm after the loop.",
    {START: f"{START}; {NORM_IF_ANY}", APPLY: "pass"},
    edit(
        {START: f"{START}; {NORM_IF_ANY}"},
        says="The final norm acts before the first layer too. Each pre-norm layer normalizes what it reads, and the sums start from the tokens as they are. The norm has one place, after the loop.",
    ),
)

encoder.mistake(
    "final norm shared with a layer",
    "The final norm is a norm of one of the layers. It normalizes other numbers than that layer does, and needs a scale and a shift of its own: make a new `LayerNorm(d_model)`.",
    {FINAL: "self.layers[-1].norm2 if norm_first else None"},
)

encoder.mistake(
    "layers in reverse",
    "The layers run in reverse. `self.layers[0]` has to read the tokens first. Before training nobody would notice, but trained weights are then used in the wrong places.",
    {LOOP: "for layer in reversed(self.layers):"},
)

encoder.mistake(
    "every layer reads the input",
    "Every layer reads the input. Each layer has to read what the layer before it returned; in your code all but the last compute for nothing. The loop must write into the variable that it reads.",
    {START: f"{START}; given = x", CALL: "layer(given, mask, return_weights=True)"},
)

encoder.mistake(
    "result of a layer not kept",
    "What a layer returns is not kept. A layer changes nothing by itself: it returns new tokens, and they are lost unless they get a name. Write `x, weights = layer(x, ...)`, so that the next layer reads them.",
    {f"x, weights = {CALL}": f"_, weights = {CALL}"},
    edit(
        {f"x, weights = {CALL}": f"y, weights = {CALL}; x = y if return_weights else x"},
        says="Without `return_weights`, what a layer returns is not kept. A layer changes nothing by itself: it returns new tokens, and they are lost unless they get a name. Write `x = layer(x, mask)`, so that the next layer reads them.",
    ),
)

encoder.mistake(
    "only the first layer runs",
    "Only the first layer runs. Something ends the loop after one round, most often a `return` that is indented one step too far. All layers run, then the result is returned.",
    {COLLECT: f"{COLLECT}; break"},
    {COLLECT: f"{COLLECT}; break", APPLY: "pass"},
    edit(
        {
            LOOP: "for layer in (self.layers if return_weights else self.layers[:1]):",
            APPLY: "x = self.norm(x) if return_weights else x",
        },
        says="Without `return_weights` only the first layer runs. A `return` ends the loop after one round: it is indented one step too far. All layers run, then the result is returned.",
    ),
)

encoder.mistake(
    "residual around whole layers",
    "You add again around each layer. Every layer contains its two additions already; another `x +` doubles the tokens. Take what a layer returns as it is.",
    {f"x, weights = {CALL}": f"added, weights = {CALL}; x = x + added"},
)

AROUND_ALL = "You add the input again, around the whole stack. Each layer contains its two additions already, and the tokens are in what the last layer returns. Take it as it is."
encoder.mistake(
    "residual around the whole stack",
    AROUND_ALL,
    {START: f"{START}; given = x", "if self.norm is not None:": "x = x + given\n        if self.norm is not None:"},
    {START: f"{START}; given = x", RETURN: "(given + x, all_weights) if return_weights else given + x"},
)

encoder.mistake(
    "a layer does not run",
    "One layer is made and never runs. Whatever it learns is not used, and the stack is one layer flatter than was asked for. The loop goes over all of `self.layers`: look where it begins and ends.",
    {LOOP: "for layer in self.layers[1:]:"},
    {LOOP: "for layer in self.layers[:-1]:"},
    {LOOP: "for layer in self.layers[: max(1, len(self.layers) - 1)]:"},
)

TWICE = "One layer runs twice. Its parameters serve two depths, and the stack is one layer deeper than was asked for. Each layer of `self.layers` runs once; look for a call that was left over, before the loop or after it."
encoder.mistake(
    "a layer runs twice",
    TWICE,
    {"if self.norm is not None:": "x = layer(x, mask)\n        if self.norm is not None:"},
    {LOOP: "for layer in [*self.layers, self.layers[-1]]:"},
    {START: f"{START}; x = self.layers[0](x, mask)"},
    {LOOP: "for layer in [self.layers[0], *self.layers]:"},
)

encoder.mistake(
    "all layers run twice",
    "All layers run twice, one round after the other. What comes out is that of a stack twice as deep with shared parameters. Who asks for the weights must not run the layers a second time: "
    "`layer(x, mask, return_weights=True)` gives both.",
    {START: f"{START}\n        for layer in self.layers:\n            x = layer(x, mask)"},
    {LOOP: "for layer in [*self.layers, *self.layers]:"},
)

encoder.mistake(
    "mask in the first layer only",
    "Only the first layer gets the mask. From the second on, all tokens read the padding, and it leaks into every sentence. Pass the mask to each layer.",
    {CALL: "layer(x, None if all_weights else mask, return_weights=True)"},
)

SOME_MASKED = "Not every layer gets the mask. In a layer without it all tokens read the padding, and it leaks into every sentence. Pass the mask to each layer, the first one and the last one too."
LAST_OF_ALL = "len(all_weights) == len(self.layers) - 1"
encoder.mistake(
    "mask not in every layer",
    SOME_MASKED,
    {CALL: f"layer(x, mask if {LAST_OF_ALL} else None, return_weights=True)"},
    {CALL: "layer(x, mask if all_weights else None, return_weights=True)"},
    {CALL: f"layer(x, None if {LAST_OF_ALL} else mask, return_weights=True)"},
)

encoder.mistake(
    "mask inverted in every second layer",
    "The mask is inverted from layer to layer: every second one gets the opposite. Something in the loop writes `mask = ~mask`. All layers get the mask as it came in.",
    {COLLECT: f"{COLLECT}; mask = None if mask is None else ~mask"},
)

encoder.mistake(
    "mask not passed on",
    "The mask does not reach the layers. Every token looks at every other, padding included. No error comes, but padding becomes part of every token. Pass `mask` on to each layer.",
    {CALL: "layer(x, return_weights=True)"},
    edit(
        {CALL: "layer(x, mask if return_weights else None, return_weights=True)"},
        says="Without `return_weights` the mask does not reach the layers. The weights are right when asked for, and the tokens read padding when they are not. Pass `mask` on to each layer, in both branches.",
    ),
    edit(
        {CALL: "layer(x, None if return_weights else mask, return_weights=True)"},
        says="With `return_weights=True` the mask does not reach the layers. Asking for the weights must not change what is computed. Pass `mask` on to each layer, in both branches.",
    ),
)

encoder.mistake(
    "mask inverted",
    'The mask is inverted on its way. In this course True means "may look", for the stack and for its layers alike; only torch\'s modules mean the opposite. Pass the mask on as it is.',
    {CALL: "layer(x, None if mask is None else ~mask, return_weights=True)"},
)

encoder.mistake(
    "mask on the queries",
    QUERIES,
    {CALL: "layer(x, None if mask is None else mask.mT, return_weights=True)"},
)

encoder.mistake(
    "mask on the queries as well",
    QUERIES_TOO,
    {CALL: "layer(x, None if mask is None else mask & mask.mT, return_weights=True)"},
)

STACK_TRIL, STACK_STRICT, STACK_TRIU = (mask.replace("h.", "x.") for mask in (TRIL, STRICT_TRIL, TRIU))
CAUSAL_SOMEWHERE = "no token sees those after it: there this encoder is causal. An encoder reads a finished sentence, and every token may look both ways, in every layer and whatever is asked for. Pass the mask on as it is."
encoder.mistake(
    "causal",
    CAUSAL,
    {CALL: f"layer(x, {STACK_TRIL} if mask is None else mask & {STACK_TRIL}, return_weights=True)"},
    {CALL: f"layer(x, {STACK_TRIL}, return_weights=True)"},
    {CALL: f"layer(x, {STACK_TRIL} if mask is None else mask, return_weights=True)"},
    edit(
        {CALL: f"layer(x, None if mask is None else mask & {STACK_TRIL}, return_weights=True)"},
        says=CAUSAL_WITH_MASK,
    ),
    edit(
        {CALL: f"layer(x, {STACK_STRICT} if mask is None else mask & {STACK_STRICT}, return_weights=True)"},
        says=STRICTLY_CAUSAL,
    ),
    *(
        edit(
            {
                CALL: f"layer(x, mask if {right} else ({STACK_TRIL} if mask is None else mask & {STACK_TRIL}), return_weights=True)"
            },
            says=f"{where} {CAUSAL_SOMEWHERE}",
        )
        for right, where in (
            ("all_weights", "In the first layer"),
            ("not all_weights", "In all layers but the first"),
            (f"not {LAST_OF_ALL}", "In the last layer"),
            ("return_weights", "Without `return_weights`"),
            ("not return_weights", "With `return_weights=True`"),
        )
    ),
)

encoder.mistake(
    "past hidden",
    PAST_HIDDEN,
    {CALL: f"layer(x, {STACK_TRIU} if mask is None else mask & {STACK_TRIU}, return_weights=True)"},
)

encoder.mistake(
    "weights of one layer only",
    "Only one layer's weights come back. With `return_weights=True` the stack returns a list with the weights of every layer, first layer first, because each layer looks elsewhere. Append to a list inside "
    "the loop.",
    {RETURN: "(x, weights) if return_weights else x"},
    {RETURN: "(x, all_weights[-1:]) if return_weights else x"},
    {RETURN: "(x, all_weights[0]) if return_weights else x"},
    {RETURN: "(x, all_weights[:1]) if return_weights else x"},
)

encoder.mistake(
    "weights of a layer missing",
    "The weights of one layer are missing from the list. All layers run, and the list holds one tensor for each, first layer first. Look where the list is made and where it is cut.",
    {RETURN: "(x, all_weights[:-1]) if return_weights else x"},
    {RETURN: "(x, all_weights[1:]) if return_weights else x"},
)

encoder.mistake(
    "weights of a layer twice in the list",
    "The weights of one layer stand in the list twice. It holds one tensor for each layer, so append once for each, inside the loop.",
    {RETURN: "(x, [*all_weights, weights]) if return_weights else x"},
    {RETURN: "(x, [all_weights[0], *all_weights]) if return_weights else x"},
)

encoder.mistake(
    "weights joined into one tensor",
    "The weights of the layers are joined into one tensor. A list is expected, one tensor of (batch, num_heads, seq_len, seq_len) for each layer; return the list as it is.",
    *(
        {RETURN: f'(x, __import__("torch").{joined}) if return_weights else x'}
        for joined in ("stack(all_weights)", "cat(all_weights)", "stack(all_weights, 1)", "cat(all_weights, 1)")
    ),
)

encoder.mistake(
    "weights taken apart",
    "The weights of every sentence come back by themselves. `extend` and `+=` take a tensor apart and put its slices into the list, one for each sentence. A layer's weights stay one tensor: `all_weights.append(weights)`.",
    {COLLECT: "all_weights.extend(weights)"},
    *(
        edit(
            {COLLECT: f"all_weights.extend(weights.unbind({dim}))"},
            says="The weights come back in slices. A layer's weights stay one tensor of (batch, num_heads, seq_len, seq_len), with all heads in it: `all_weights.append(weights)`.",
        )
        for dim in (1, 2)
    ),
)

encoder.mistake(
    "weights in reverse order",
    "The weights come back in reverse, those of the last layer first. The list follows `self.layers`: number 0 belongs to the layer that reads the tokens first. `append` puts each layer's weights at the end.",
    {COLLECT: "all_weights.insert(0, weights)"},
)

encoder.mistake(
    "tokens in place of the weights",
    "The list holds what the layers made of the tokens, where their attention weights should be. A layer returns `(output, weights)`: the output goes on to the next layer, the weights into the list.",
    {COLLECT: "all_weights.append(x)"},
)

encoder.mistake(
    "tokens beside the weights in the list",
    "The list holds pairs: what the layers made of the tokens, and their weights. A layer returns `(output, weights)`: take the two apart, and put the weights alone into the list.",
    {COLLECT: "all_weights.append((x, weights))"},
)

encoder.mistake(
    "weights beside the output, one by one",
    "The weights of the layers stand beside the output, one by one. Two things come back, the output and a list: `return x, all_weights`, without a star.",
    {RETURN: "(x, *all_weights) if return_weights else x"},
)

encoder.mistake(
    "weights averaged over the layers",
    "The weights are averaged over the layers. Each layer reads what the layer before has made, so their weights cannot be compared, and their mean says nothing. Return a list, one tensor for each layer.",
    {RETURN: "(x, sum(all_weights) / len(all_weights)) if return_weights else x"},
)

encoder.mistake(
    "weights summed over the layers",
    "The weights of the layers are summed. Each layer reads what the layer before has made, so their weights cannot be compared, and their sum says nothing. Return a list, one tensor for each layer.",
    {RETURN: "(x, sum(all_weights)) if return_weights else x"},
)

encoder.mistake(
    "weights averaged over the heads",
    AVERAGED,
    {COLLECT: "all_weights.append(weights.mean(1))"},
)

encoder.mistake(
    "weights not returned",
    NOT_RETURNED,
    {RETURN: "x"},
)

encoder.mistake(
    "weights always returned",
    ALWAYS_RETURNED,
    {RETURN: "(x, all_weights)"},
    {RETURN: "(x, all_weights if return_weights else None)"},
)

encoder.mistake(
    "return_weights the wrong way round",
    UNASKED,
    {RETURN: "x if return_weights else (x, all_weights)"},
)

encoder.mistake(
    "weights and output swapped",
    TURNED,
    {RETURN: "(all_weights, x) if return_weights else x"},
)

encoder.mistake(
    "norm_first not handed to the layers",
    "`norm_first` does not reach the layers. They are all post-norm, whatever was asked for, and only the final norm follows it. It is the last argument of `EncoderLayer`.",
    {MAKE: "EncoderLayer(d_model, num_heads, d_ff, dropout)"},
)

encoder.mistake(
    "dropout not handed to the layers",
    "`dropout` does not reach the layers. In training nothing is ever dropped. It is the fourth argument of `EncoderLayer`.",
    {MAKE: "EncoderLayer(d_model, num_heads, d_ff, 0.0, norm_first)"},
)

encoder.mistake(
    "neither dropout nor norm_first handed to the layers",
    "Neither `dropout` nor `norm_first` reaches the layers. They are post-norm and drop nothing, whatever was asked for. Both are arguments of `EncoderLayer`.",
    {MAKE: "EncoderLayer(d_model, num_heads, d_ff)"},
)

encoder.mistake(
    "norm_first handed over as dropout",
    "`norm_first` is passed in the place of `dropout`. Python takes True for 1, so in pre-norm everything is dropped in training, and the layers stay post-norm. The order is `EncoderLayer(d_model, "
    "num_heads, d_ff, dropout, norm_first)`.",
    {MAKE: "EncoderLayer(d_model, num_heads, d_ff, norm_first)"},
)

encoder.mistake(
    "dropout and norm_first exchanged",
    "`dropout` and `norm_first` have changed places. Python takes True for 1 and 0.0 for False, so no error comes. The order is `EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    {MAKE: "EncoderLayer(d_model, num_heads, d_ff, norm_first, dropout)"},
)

encoder.mistake(
    "one vector for the whole sentence",
    "One vector comes back for the whole sentence. An encoder gives a vector for every token: same shape in, same shape out, and the decoder later reads all of them. Many articles say that a sentence is "
    "pressed into one vector; translation models did so before attention.",
    *(
        {RETURN: f"({pooled}, all_weights) if return_weights else {pooled}"}
        for pooled in ("x.mean(1)", "x[:, 0]", "x[:, -1]")
    ),
    {"if self.norm is not None:": "x = x.mean(1)\n        if self.norm is not None:"},
)

encoder.mistake(
    "weights of an earlier call",
    KEEPS,
    edit({"all_weights = []": "all_weights = self.__dict__.setdefault('kept', [])"}, inside="Encoder.forward"),
    edit({"all_weights = []": "all_weights = []" + LEAK}, inside="Encoder.forward"),
)

encoder.mistake(
    "weights in a tuple",
    "The weights come back in a tuple. They should come in a list, one tensor for each layer: `[...]` and `append`, or `list(...)` at the end.",
    {"(x, all_weights)": "(x, tuple(all_weights))"},
)
