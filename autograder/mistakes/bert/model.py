"""Wrong ways of a model that reads both ways."""

from autograder.checks.bert import bert
from autograder.probing.mistake import edit

FORWARD = "BERT.forward"
WHOLE = "BERT"
MASK = "mask = padding_mask(ids, self.config.pad_id)"
ASK = f"if mask is None:\n            {MASK}"
START = "hidden = self.embedding(ids, segment_ids)"
LOOP = "for layer in self.layers:"
RUN = "hidden, weights = layer(hidden, mask, return_weights=True)"
KEEP = "all_weights.append(weights)"
POOLED = "pooled = torch.tanh(self.pooler(hidden[:, 0]))"
RESULT = "return (hidden, pooled, all_weights) if return_weights else (hidden, pooled)"
PAST = "torch.ones(ids.size(1), ids.size(1), dtype=torch.bool).tril()"
ITSELF = "torch.eye(ids.size(1), dtype=torch.bool)"
EMPTY = "all_weights = []"
LAYERS = "self.layers = nn.ModuleList(bert_layer(config) for _ in range(config.num_layers))"
BACKWARD = LAYERS.replace("self.layers", "self.backward_layers")
TWICE = "forwards = backwards = self.embedding(ids, segment_ids)"
MEAN_OF_WEIGHTS = "all_weights.append((before + behind) / 2)"
MEAN = "hidden = (forwards + backwards) / 2"


def another_list(first: str) -> str:
    """The list of layers under this name, and a second one."""
    return f"{LAYERS.replace('self.layers', f'self.{first}')}\n        {BACKWARD}"


def two_lists(onwards: str, back: str, first: str = "forward_layers") -> dict[str, str]:
    """Two encoders read with these masks, and the mean is taken."""
    return {
        LAYERS: another_list(first),
        START: TWICE,
        LOOP: f"for on, back in zip(self.{first}, self.backward_layers, strict=True):",
        RUN: f"forwards, before = on(forwards, {onwards}, return_weights=True)\n            backwards, behind = back(backwards, {back}, return_weights=True)",
        KEEP: MEAN_OF_WEIGHTS,
        POOLED: f"{MEAN}\n        {POOLED}",
    }


BEFORE, BEHIND = f"mask & {PAST}", f"mask & {PAST}.T"

bert.mistake(
    "causal",
    "Your tokens see only themselves and what stands before them. That is a GPT. A BERT reads both ways: what is asked for has been taken out of the text, so there is nothing to hide. Leave the causal mask away.",
    edit({MASK: f"mask = padding_mask(ids, self.config.pad_id) & {PAST}"}, inside=FORWARD),
    edit({ASK: f"mask = (padding_mask(ids, self.config.pad_id) if mask is None else mask) & {PAST}"}, inside=FORWARD),
    edit(
        {MASK: f"mask = padding_mask(ids, self.config.pad_id) & {PAST}.T"},
        inside=FORWARD,
        says="Your tokens see only themselves and what stands *behind* them: a GPT that reads backwards. A BERT reads both ways: what is asked for has been taken out of the text, so there is nothing to hide. Leave the causal mask away.",
    ),
    edit(
        {ASK: f"mask = (padding_mask(ids, self.config.pad_id) if mask is None else mask) & {PAST}.T"},
        inside=FORWARD,
        says="Your tokens see only themselves and what stands *behind* them, also where a mask is given: a GPT that reads backwards. A BERT reads both ways: what is asked for has been taken out of the text, so there is nothing to hide. Leave the causal mask away.",
    ),
    *(
        edit(
            alone,
            inside=FORWARD,
            says="Your tokens see only themselves, as if a mask that hides what is behind and one that hides what is in front held at once. A BERT reads both ways: all of its row but the padding.",
        )
        for alone in (
            {ASK: f"mask = (padding_mask(ids, self.config.pad_id) if mask is None else mask) & {ITSELF}"},
            {MASK: f"mask = padding_mask(ids, self.config.pad_id) & {ITSELF}"},
        )
    ),
    edit(
        {MASK: f"mask = {PAST}"},
        inside=FORWARD,
        says="Your tokens see only themselves and what stands before them, padding included. That is a GPT. A BERT reads both ways, and all but padding: `padding_mask(ids, self.config.pad_id)`.",
    ),
)

bert.mistake(
    "padding is read",
    "Your tokens read padding. A row's vectors then depend on how long the longest row of its batch is. Where no mask is given, make one of ids and pad_id: `padding_mask`.",
    edit({ASK: "pass"}, inside=FORWARD),
)

bert.mistake(
    "padding is read from the second layer on",
    "Only the first layer hides the padding; the others read it. Every layer attends anew, and each needs the mask.",
    edit({LOOP: f"first = mask\n        {LOOP}", RUN: f"{RUN}\n            mask = None"}, inside=FORWARD),
    edit(
        {
            ASK: "given = mask\n        mask = padding_mask(ids, self.config.pad_id) if mask is None else mask",
            RUN: f"{RUN}\n            mask = given",
        },
        inside=FORWARD,
    ),
)

bert.mistake(
    "no mask reaches the layers",
    "No mask has an effect, neither that of the padding nor a given one. Each layer needs it, beside the tokens: `layer(hidden, mask, return_weights=True)`.",
    edit({RUN: "hidden, weights = layer(hidden, return_weights=True)"}, inside=FORWARD),
)

bert.mistake(
    "only padding is read",
    'Your mask is the wrong way round: tokens read nothing but padding. Here True means "may look", as everywhere in this course; some libraries mean the opposite.',
    edit({MASK: "mask = ~padding_mask(ids, self.config.pad_id)"}, inside=FORWARD),
)

bert.mistake(
    "padding may not ask",
    "Your mask hides the padding's *queries*, and its keys are still read. What padding finds out nobody reads; what is read from padding spoils the others. The mask belongs to the last dimension, the keys.",
    edit({MASK: "mask = padding_mask(ids, self.config.pad_id).transpose(-1, -2)"}, inside=FORWARD),
)

bert.mistake(
    "padding neither asks nor is read",
    "Your mask hides the padding's queries too. It is enough that nobody reads padding; a row of the weights that is all zero is one more thing that has to be explained. Leave the queries alone.",
    edit(
        {MASK: "mask = padding_mask(ids, self.config.pad_id)\n            mask = mask & mask.transpose(-1, -2)"},
        inside=FORWARD,
    ),
)

bert.mistake(
    "the given mask is ignored",
    "The mask that is given has no effect. Whoever gives one wants to say who may look at whom; only where it is None is one made.",
    edit({ASK: MASK}, inside=FORWARD),
)

bert.mistake(
    "padding is hidden from the given mask as well",
    "Where a mask is given, you hide the padding on top of it. A given mask says all there is to say; only where it is None is one made of the padding.",
    edit(
        {ASK: "seen = padding_mask(ids, self.config.pad_id)\n        mask = seen if mask is None else mask & seen"},
        inside=FORWARD,
    ),
)

bert.mistake(
    "the given mask the wrong way round",
    'You turn a given mask round: what it allows is hidden, and what it hides is read. True means "may look" in this course, in a given mask too.',
    edit(
        {ASK: "mask = padding_mask(ids, self.config.pad_id) if mask is None else ~mask"},
        inside=FORWARD,
    ),
)

bert.mistake(
    "a text reads itself alone",
    "Your mask lets no token read the other text. Two texts stand in one row so that each can read the other; the segments tell them apart, and the mask hides padding alone.",
    edit(
        {
            MASK: f"{MASK}\n            if segment_ids is not None:\n                mask = mask & (segment_ids[:, None, :, None] == segment_ids[:, None, None, :])"
        },
        inside=FORWARD,
    ),
    edit(
        {
            START: f"{START}\n        if segment_ids is not None:\n            mask = mask & (segment_ids[:, None, :, None] == segment_ids[:, None, None, :])"
        },
        inside=FORWARD,
        says="No token reads the other text, whatever mask is given. Two texts stand in one row so that each can read the other; the segments tell them apart, and the mask hides padding alone.",
    ),
)

bert.mistake(
    "no token reads itself",
    "Your mask hides every token from itself. The answer is taken out of the *text*, before the model reads it, so nothing has to be hidden here: a token may read all of its row but the padding, itself included.",
    edit(
        {MASK: f"{MASK}\n            mask = mask & ~torch.eye(ids.size(1), dtype=torch.bool)"},
        inside=FORWARD,
    ),
)

bert.mistake(
    "[CLS] is hidden",
    "Your mask hides the first place too. [CLS] is read like any other token; the mask hides padding alone.",
    edit(
        {MASK: f"{MASK} & (torch.arange(ids.size(1)) > 0)"},
        inside=FORWARD,
    ),
)

bert.mistake(
    "0 is taken for the padding",
    "You take id 0 for the padding. In your lessons it often is; here the config says: `self.config.pad_id`.",
    edit({MASK: "mask = padding_mask(ids, 0)"}, inside=FORWARD),
    edit(
        {MASK: "mask = (ids > self.config.pad_id)[:, None, None]"},
        inside=FORWARD,
        says="You hide every id up to that of the padding, as if it were 0. The config says which it is, and only that is hidden: `ids != self.config.pad_id`.",
    ),
)

bert.mistake(
    "segments are not handed on",
    "`segment_ids` has no effect: all tokens are of segment 0. Give them to the embedding, beside the ids.",
    edit({START: "hidden = self.embedding(ids)"}, inside=FORWARD),
    edit(
        {START: "hidden = self.embedding(ids, None if segment_ids is None else torch.zeros_like(segment_ids))"},
        inside=FORWARD,
    ),
)

bert.mistake(
    "pooled by the mean",
    "The row's vector is made of the mean of all tokens, padding among them. BERT takes the vector at [CLS], the first place, which can learn what to gather.",
    edit({POOLED: "pooled = torch.tanh(self.pooler(hidden.mean(dim=1)))"}, inside=FORWARD),
    edit(
        {
            POOLED: "real = (ids != self.config.pad_id).unsqueeze(-1)\n        pooled = torch.tanh(self.pooler((hidden * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)))"
        },
        inside=FORWARD,
        says="The row's vector is made of the mean of its tokens. Sentence vectors of later models are made so; BERT takes the vector at [CLS], the first place, which can learn what to gather.",
    ),
    edit(
        {POOLED: "pooled = torch.tanh(self.pooler(hidden)).mean(dim=1)"},
        inside=FORWARD,
        says="Every token goes through pooler and tanh, and the row's vector is their mean. BERT takes the vector at [CLS], the first place, which can learn what to gather: `hidden[:, 0]`.",
    ),
)

bert.mistake(
    "pooled by the largest",
    "The row's vector is made of the largest number of each feature. BERT takes the vector at [CLS], the first place.",
    edit({POOLED: "pooled = torch.tanh(self.pooler(hidden.amax(dim=1)))"}, inside=FORWARD),
    edit(
        {
            POOLED: "padding = (ids == self.config.pad_id).unsqueeze(-1)\n        pooled = torch.tanh(self.pooler(hidden.masked_fill(padding, -1e9).amax(dim=1)))"
        },
        inside=FORWARD,
    ),
)

bert.mistake(
    "pooled by the sum",
    "The row's vector is made of the sum of all tokens. It grows with the length of the row. BERT takes the vector at [CLS], the first place.",
    edit({POOLED: "pooled = torch.tanh(self.pooler(hidden.sum(dim=1)))"}, inside=FORWARD),
)

bert.mistake(
    "pooled by the last token",
    "The row's vector is made of the last place, which is often padding. A GPT is read there; in a BERT [CLS] stands first: `hidden[:, 0]`.",
    edit({POOLED: "pooled = torch.tanh(self.pooler(hidden[:, -1]))"}, inside=FORWARD),
    edit(
        {
            POOLED: "last = (ids != self.config.pad_id).sum(dim=1).clamp(min=1) - 1\n        pooled = torch.tanh(self.pooler(hidden[torch.arange(len(ids)), last]))"
        },
        inside=FORWARD,
        says="The row's vector is made of the last token that is no padding. A GPT is read there; in a BERT [CLS] stands first: `hidden[:, 0]`.",
    ),
)

bert.mistake(
    "pooled by the second token",
    "The row's vector is made of the second token. Places are counted from 0, and [CLS] stands first: `hidden[:, 0]`.",
    edit({POOLED: "pooled = torch.tanh(self.pooler(hidden[:, 1]))"}, inside=FORWARD),
    edit({POOLED: "pooled = torch.tanh(self.pooler(hidden[:, min(1, ids.size(1) - 1)]))"}, inside=FORWARD),
)

bert.mistake(
    "pooled from the first row",
    "You take the first *row* of the batch and not the first token of each row. `hidden[0]` is (seq_len, d_model); [CLS] of all rows is `hidden[:, 0]`.",
    edit({POOLED: "pooled = torch.tanh(self.pooler(hidden[0]))"}, inside=FORWARD),
)

bert.mistake(
    "every token is pooled",
    "Every token goes through the pooler. The row has one vector, (batch, d_model), made of the one at [CLS]: `hidden[:, 0]`.",
    edit({POOLED: "pooled = torch.tanh(self.pooler(hidden))"}, inside=FORWARD),
    edit(
        {POOLED: "pooled = torch.tanh(self.pooler(hidden[:, :1]))"},
        inside=FORWARD,
        says="The row's vector has a dimension too many, (batch, 1, d_model). A slice keeps the dimension, a number takes it away: `hidden[:, 0]`.",
    ),
)

bert.mistake(
    "every token flattened",
    "Your pooler reads all tokens of a row side by side. It then fits one length only, and has max_len times as many numbers. It reads the vector at [CLS] alone.",
    edit(
        {
            "self.pooler = nn.Linear(config.d_model, config.d_model)": "self.pooler = nn.Linear(config.max_len * config.d_model, config.d_model)",
            POOLED: "pooled = torch.tanh(self.pooler(hidden.flatten(1)))",
        },
        inside=WHOLE,
    ),
    edit(
        {
            "self.pooler = nn.Linear(config.d_model, config.d_model)": "self.pooler = nn.Linear(config.max_len * config.d_model, config.d_model)",
            POOLED: "full = torch.zeros(len(ids), self.config.max_len, self.config.d_model)\n        full[:, : ids.size(1)] = hidden\n        pooled = torch.tanh(self.pooler(full.flatten(1)))",
        },
        inside=WHOLE,
    ),
)

bert.mistake(
    "the pooler without tanh",
    "The row's vector does not go through tanh. The pooler is a linear layer *and* tanh, which keeps its numbers between -1 and 1.",
    edit({POOLED: "pooled = self.pooler(hidden[:, 0])"}, inside=FORWARD),
)

bert.mistake(
    "another function for tanh",
    "The row's vector goes through another function than tanh.",
    edit(
        {POOLED: "pooled = torch.relu(self.pooler(hidden[:, 0]))"},
        inside=FORWARD,
        says="The row's vector goes through ReLU: half of its numbers are 0. BERT's pooler ends in tanh.",
    ),
    edit(
        {POOLED: "pooled = torch.sigmoid(self.pooler(hidden[:, 0]))"},
        inside=FORWARD,
        says="The row's vector goes through the sigmoid, which gives numbers between 0 and 1. BERT's pooler ends in tanh.",
    ),
    edit(
        {POOLED: "pooled = gelu(self.pooler(hidden[:, 0]))"},
        inside=FORWARD,
        says="The row's vector goes through GELU. The layers bend with it; BERT's pooler ends in tanh.",
    ),
    edit(
        {POOLED: "pooled = torch.softmax(self.pooler(hidden[:, 0]), dim=-1)"},
        inside=FORWARD,
        says="The row's vector goes through a softmax. It is no distribution; BERT's pooler ends in tanh.",
    ),
)

bert.mistake(
    "no pooler",
    "The linear layer of the pooler has no effect: the row's vector is what stands at [CLS], or its tanh. Between the two stands `self.pooler`.",
    edit({POOLED: "pooled = torch.tanh(hidden[:, 0])"}, inside=FORWARD),
    edit({POOLED: "pooled = hidden[:, 0]"}, inside=FORWARD),
    edit(
        {POOLED: "pooled = self.pooler(torch.tanh(hidden[:, 0]))"},
        inside=FORWARD,
        says="You take tanh before the linear layer. It comes after it: `torch.tanh(self.pooler(...))`.",
    ),
    edit(
        {"self.pooler(hidden[:, 0])": "hidden[:, 0] @ self.pooler.weight.T"},
        inside=FORWARD,
        says="The bias of the pooler has no effect. `self.pooler(...)` adds it, the matrix alone does not.",
    ),
    edit(
        {"self.pooler(hidden[:, 0])": "hidden[:, 0] @ self.pooler.weight + self.pooler.bias"},
        inside=FORWARD,
        says="The matrix of the pooler lies the wrong way round. A linear layer multiplies by its weight transposed: `self.pooler(...)`.",
    ),
)

bert.mistake(
    "the row's vector drops out",
    "Numbers of the row's vector are dropped out, or of what it is made of. The embedding and the layers have dropout; the pooler has none.",
    edit(
        {POOLED: f"{POOLED}\n        pooled = nn.functional.dropout(pooled, self.config.dropout, self.training)"},
        inside=FORWARD,
    ),
    edit(
        {
            POOLED: "first = nn.functional.dropout(hidden[:, 0], self.config.dropout, self.training)\n        pooled = torch.tanh(self.pooler(first))"
        },
        inside=FORWARD,
    ),
)

bert.mistake(
    "pooled from an earlier stage",
    "The row's vector is not made of the last layer's.",
    edit(
        {RUN: f"earlier = hidden\n            {RUN}", "hidden[:, 0]": "earlier[:, 0]"},
        inside=FORWARD,
        says="The row's vector is made of what the layer *before the last* gave. Take it after the loop, from what the last one returns.",
    ),
    edit(
        {
            LOOP: f"stages = []\n        {LOOP}",
            KEEP: f"{KEEP}\n            stages.append(hidden)",
            POOLED: "pooled = torch.tanh(self.pooler(stages[-2][:, 0]))",
        },
        inside=FORWARD,
        says="The row's vector is made of what the layer *before the last* gave; with one layer there is none, and your list of what the layers gave is too short. Take the last one's result.",
    ),
    edit(
        {LOOP: f"start = hidden\n        {LOOP}", "hidden[:, 0]": "start[:, 0]"},
        inside=FORWARD,
        says="The row's vector is made of the embedding of [CLS], which knows nothing of the row. Take it after the loop.",
    ),
    edit(
        {
            LOOP: f"stages = []\n        {LOOP}",
            KEEP: f"{KEEP}\n            stages.append(hidden)",
            POOLED: "pooled = torch.tanh(self.pooler(stages[0][:, 0]))",
        },
        inside=FORWARD,
        says="The row's vector is made of what the *first* layer gave. Take it after the loop, from what the last one returns.",
    ),
)

bert.mistake(
    "every layer reads the embedding",
    "Every layer reads the embedded tokens, not what the layer before it made. Only the last one counts then. What a layer returns is what the next one reads.",
    edit(
        {START: f"{START}\n        start = hidden", RUN: "hidden, weights = layer(start, mask, return_weights=True)"},
        inside=FORWARD,
    ),
)

bert.mistake(
    "only one layer runs",
    "Only one layer runs. The others are there, and nothing goes through them: is the `return`, or what follows the loop, inside it?",
    edit({LOOP: "for layer in self.layers[:1]:"}, inside=FORWARD),
    edit({LOOP: "for layer in self.layers[-1:]:"}, inside=FORWARD),
)

bert.mistake(
    "one layer runs again and again",
    "Your loop goes round as often as there are layers, and runs the same one each time. The others have no effect. Use the loop's own variable.",
    edit({RUN: "hidden, weights = self.layers[0](hidden, mask, return_weights=True)"}, inside=FORWARD),
    edit({RUN: "hidden, weights = self.layers[-1](hidden, mask, return_weights=True)"}, inside=FORWARD),
)

bert.mistake(
    "what a layer reads is added again",
    "You add what a layer has read to what it gives. The residuals are in the layer already: what it returns is what the next one reads.",
    edit(
        {RUN: "made, weights = layer(hidden, mask, return_weights=True)\n            hidden = hidden + made"},
        inside=FORWARD,
    ),
    edit(
        {
            START: f"start = {START}",
            RUN: "hidden, weights = layer(hidden + start, mask, return_weights=True)",
        },
        inside=FORWARD,
        says="You add the embedding to what each layer reads. It goes into the first layer alone; what a layer returns is what the next one reads.",
    ),
)

bert.mistake(
    "padding is set to 0",
    "You set the vectors of padding to 0. That changes what comes back; as nobody reads padding, the mask is enough, and its vectors stay as the layers made them.",
    edit({KEEP: f"{KEEP}\n            hidden = hidden * (ids != self.config.pad_id)[..., None]"}, inside=FORWARD),
    edit({POOLED: f"{POOLED}\n        hidden = hidden * (ids != self.config.pad_id)[..., None]"}, inside=FORWARD),
    edit({START: f"{START} * (ids != self.config.pad_id)[..., None]"}, inside=FORWARD),
)

bert.mistake(
    "multiplied by √d_model",
    "You multiply the embedding by √d_model. The Transformer of 2017 does; BERT's embedding ends in a norm, and the layers read it as it is.",
    edit({START: f"{START} * self.config.d_model**0.5"}, inside=FORWARD),
)

bert.mistake(
    "no layer runs",
    "What comes back is the embedding: no layer has an effect on it. Is what a layer returns kept, and does the next one read it?",
    edit({LOOP: "for layer in self.layers[:0]:"}, inside=FORWARD),
    edit({RUN: "_, weights = layer(hidden, mask, return_weights=True)"}, inside=FORWARD),
    edit({LOOP: f"start = hidden\n        {LOOP}", POOLED: f"hidden = start\n        {POOLED}"}, inside=FORWARD),
)

bert.mistake(
    "the last layer does not run",
    "One layer does not run. Go through all of `self.layers`.",
    edit(
        {LOOP: "for layer in self.layers[:-1]:"},
        inside=FORWARD,
        says="The last layer does not run. Go through all of `self.layers`.",
    ),
    edit(
        {LOOP: "for layer in self.layers[1:]:"},
        inside=FORWARD,
        says="The first layer does not run. Go through all of `self.layers`.",
    ),
    edit(
        {LOOP: "for layer in self.layers[::2]:"},
        inside=FORWARD,
        says="Every second layer does not run. Go through all of `self.layers`.",
    ),
)

bert.mistake(
    "the layers in reverse order",
    "Your layers run from the last to the first. Trained so, a model learns all the same; with weights from elsewhere it says nothing that makes sense.",
    edit({LOOP: "for layer in reversed(self.layers):"}, inside=FORWARD),
)

bert.mistake(
    "one layer used over and over",
    "All your layers are one: the same object, listed several times, with one set of parameters. `[layer] * n` repeats a reference. Make a new layer each time, in a comprehension.",
    edit(
        {
            "nn.ModuleList(bert_layer(config) for _ in range(config.num_layers))": "nn.ModuleList([bert_layer(config)] * config.num_layers)"
        },
        inside=WHOLE,
    ),
)

bert.mistake(
    "two directions, averaged",
    "You read every row twice, from left to right and from right to left, and take the mean. In none of the two does a token see both sides of it, and a mean afterwards cannot make up for that. BERT is one encoder, without a causal mask; articles say otherwise.",
    *(edit(two_lists(BEFORE, BEHIND, first), inside=WHOLE) for first in ("forward_layers", "layers")),
    *(
        edit(
            two_lists(*masks),
            inside=WHOLE,
            says="You have two encoders, of which one reads in one direction alone, and take the mean of what they make. A BERT has one, `self.layers`, and each of its layers reads both ways: no second list, no causal mask, no mean.",
        )
        for masks in (("mask", BEHIND), (BEFORE, "mask"))
    ),
    edit(
        {
            START: f"past = {PAST}\n        forwards = backwards = self.embedding(ids, segment_ids)",
            RUN: "forwards, before = layer(forwards, mask & past, return_weights=True)\n            backwards, behind = layer(backwards, mask & past.T, return_weights=True)",
            KEEP: "all_weights.append((before + behind) / 2)",
            POOLED: "hidden = (forwards + backwards) / 2\n        pooled = torch.tanh(self.pooler(hidden[:, 0]))",
        },
        inside=FORWARD,
    ),
    edit(
        {
            START: f"past = {PAST}\n        {START}",
            RUN: "forwards, before = layer(hidden, mask & past, return_weights=True)\n            backwards, behind = layer(hidden, mask & past.T, return_weights=True)\n            hidden = (forwards + backwards) / 2",
            KEEP: "all_weights.append((before + behind) / 2)",
        },
        inside=FORWARD,
        says="In every layer you read from left to right and from right to left, and take the mean. One layer without a causal mask reads both at once, and weighs them against each other. BERT is one encoder; articles say otherwise.",
    ),
    edit(
        {
            RUN: f"towards = {PAST} if len(all_weights) % 2 == 0 else {PAST}.T\n            hidden, weights = layer(hidden, mask & towards, return_weights=True)"
        },
        inside=FORWARD,
        says="Your layers read by turns: one sees what stands before a token, the next what stands behind. Each layer of a BERT reads both ways at once. Leave the causal masks away.",
    ),
    edit(
        {
            START: f"past = {PAST}\n        forwards = backwards = self.embedding(ids, segment_ids)",
            RUN: "forwards, before = layer(forwards, mask & past, return_weights=True)\n            backwards, behind = layer(backwards, mask & past.T, return_weights=True)",
            KEEP: "all_weights.append((before + behind) / 2)",
            POOLED: "hidden = forwards + backwards\n        pooled = torch.tanh(self.pooler(hidden[:, 0]))",
        },
        inside=FORWARD,
        says="You read every row twice, from left to right and from right to left, and add the two. In none of the two does a token see both sides of it, and a sum afterwards cannot make up for that. BERT is one encoder, without a causal mask.",
    ),
)

bert.mistake(
    "hidden and pooled exchanged",
    "You return the row's vector first. The tokens' vectors come first, then the row's.",
    edit(
        {RESULT: "return (pooled, hidden, all_weights) if return_weights else (pooled, hidden)"},
        inside=FORWARD,
    ),
    edit(
        {RESULT: "return (hidden, pooled, all_weights) if return_weights else (pooled, hidden)"},
        inside=FORWARD,
        says="Where no weights are asked for you return the row's vector first. The tokens' vectors come first, then the row's.",
    ),
)

bert.mistake(
    "weights of the last layer only",
    "You return the weights of one layer. Asked for is a list with those of every layer, in order.",
    edit({RESULT: "return (hidden, pooled, weights) if return_weights else (hidden, pooled)"}, inside=FORWARD),
    edit({KEEP: "all_weights = [weights]"}, inside=FORWARD),
)

FIRST_HEAD = "You return the weights of the first head alone. Each head looks elsewhere, and whoever asks for weights wants to see which: (batch, num_heads, seq_len, seq_len)."

bert.mistake(
    "the mean of the heads' weights",
    "You return the mean of the heads' weights. Each head looks elsewhere, and whoever asks for weights wants to see which: (batch, num_heads, seq_len, seq_len).",
    edit(
        {KEEP: "all_weights.append(weights.mean(dim=1))"},
        inside=FORWARD,
    ),
    edit(
        {KEEP: "all_weights.append(weights[:, 0])"},
        inside=FORWARD,
        says=FIRST_HEAD,
    ),
    edit({KEEP: "all_weights.append(weights[:, :1])"}, inside=FORWARD, says=FIRST_HEAD),
)

bert.mistake(
    "the weights in one tensor",
    "The weights of all layers come stacked in one tensor. Asked for is a list with one tensor for each layer, (batch, num_heads, seq_len, seq_len).",
    edit(
        {RESULT: "return (hidden, pooled, torch.stack(all_weights)) if return_weights else (hidden, pooled)"},
        inside=FORWARD,
    ),
    edit(
        {RESULT: "return (hidden, pooled, dict(enumerate(all_weights))) if return_weights else (hidden, pooled)"},
        inside=FORWARD,
        says="The weights come in a dictionary. Asked for is a list with one tensor for each layer, (batch, num_heads, seq_len, seq_len).",
    ),
    edit(
        {RESULT: "return (hidden, pooled, *all_weights) if return_weights else (hidden, pooled)"},
        inside=FORWARD,
        says="The weights come one layer after the other, each as a result of its own. Asked for is one list behind `hidden, pooled`, with one tensor for each layer.",
    ),
    edit(
        {RESULT: "return (hidden, pooled, sum(all_weights)) if return_weights else (hidden, pooled)"},
        inside=FORWARD,
        says="The weights of all layers are added up. Asked for is a list with one tensor for each layer, (batch, num_heads, seq_len, seq_len).",
    ),
    edit(
        {RESULT: "return (hidden, pooled, all_weights[::-1]) if return_weights else (hidden, pooled)"},
        inside=FORWARD,
        says="The weights come in reverse order, those of the last layer first. Asked for is a list in the order of the layers.",
    ),
)

bert.mistake(
    "the weights come whatever is asked",
    "Three things come back, also where no weights are asked for. Without `return_weights` there are two: `hidden, pooled = bert(ids)` is how everybody calls it.",
    edit({RESULT: "return hidden, pooled, all_weights"}, inside=FORWARD),
    edit(
        {RESULT: "return (hidden, pooled) if return_weights else (hidden, pooled, all_weights)"},
        inside=FORWARD,
        says="The weights come where nobody asks for them, and stay away where `return_weights` is True. It is the wrong way round.",
    ),
)

bert.mistake(
    "the weights never come",
    "With `return_weights=True` no weights come back. A list follows then, with one tensor for each layer.",
    edit({RESULT: "return hidden, pooled"}, inside=FORWARD),
)

bert.mistake(
    "weights in front of the row's vector",
    "With `return_weights=True` the weights stand second, and the row's vector last. The first two things are always `hidden, pooled`; the list follows.",
    edit({RESULT: "return (hidden, all_weights, pooled) if return_weights else (hidden, pooled)"}, inside=FORWARD),
    edit(
        {RESULT: "return (all_weights, hidden, pooled) if return_weights else (hidden, pooled)"},
        inside=FORWARD,
        says="With `return_weights=True` the weights stand first. The first two things are always `hidden, pooled`; the list follows.",
    ),
)

bert.mistake(
    "the tokens' vectors from the layer before",
    "The tokens' vectors are those that the last layer *read*, not those that it made. The row's vector comes from its result.",
    edit(
        {
            RUN: "read = hidden\n            hidden, weights = layer(hidden, mask, return_weights=True)",
            RESULT: "return (read, pooled, all_weights) if return_weights else (read, pooled)",
        },
        inside=FORWARD,
    ),
)

bert.mistake(
    "the layers put together",
    "The tokens' vectors are the mean of all layers. Asked for are those that the last layer made.",
    edit(
        {
            KEEP: f"{KEEP}\n            stages.append(hidden)",
            EMPTY: f"{EMPTY}\n        stages = []",
            POOLED: f"hidden = torch.stack(stages).mean(dim=0)\n        {POOLED}",
        },
        inside=FORWARD,
    ),
    edit(
        {
            KEEP: f"{KEEP}\n            stages.append(hidden)",
            EMPTY: f"{EMPTY}\n        stages = [hidden]",
            POOLED: f"hidden = torch.stack(stages).sum(dim=0)\n        {POOLED}",
        },
        inside=FORWARD,
        says="The tokens' vectors are the sum of the embedding and of what every layer made. Asked for are those that the last layer made; its residuals carry what came before.",
    ),
)

bert.mistake(
    "not all comes back",
    "Without `return_weights` the tokens' vectors come back alone. Two things are asked for, `hidden, pooled`; with `return_weights=True` the list of weights follows.",
    edit({RESULT: "return (hidden, pooled, all_weights) if return_weights else hidden"}, inside=FORWARD),
    edit(
        {RESULT: "return (hidden, all_weights) if return_weights else (hidden, pooled)"},
        inside=FORWARD,
        says="With `return_weights=True` the row's vector does not come back. The first two things are always `hidden, pooled`; the list of weights follows.",
    ),
    edit(
        {RESULT: "return (hidden[:, 1:], pooled, all_weights) if return_weights else (hidden[:, 1:], pooled)"},
        inside=FORWARD,
        says="The vector at [CLS] is missing among those of the tokens. Every place of the row has one, the first too.",
    ),
)

bert.mistake(
    "a norm too many",
    "What the last layer made is normalized once more. Post-norm layers end in a norm each, so nothing is left to do; a stack of pre-norm layers needs one at its end.",
    edit({POOLED: f"hidden = nn.functional.layer_norm(hidden, hidden.shape[-1:])\n        {POOLED}"}, inside=FORWARD),
)

bert.mistake(
    "the row's vector teaches the layers nothing",
    "No gradient goes from the row's vector into the layers. What is asked of a whole row, whether the second sentence follows, teaches them too. `.detach()` and `no_grad` cut it off.",
    edit({POOLED: "pooled = torch.tanh(self.pooler(hidden[:, 0].detach()))"}, inside=FORWARD),
    edit(
        {RESULT: "return (hidden.detach(), pooled, all_weights) if return_weights else (hidden.detach(), pooled)"},
        inside=FORWARD,
        says="No gradient goes from the tokens' vectors into the layers. What is asked of single tokens is what teaches them most. `.detach()` and `no_grad` cut it off.",
    ),
)

bert.mistake(
    "two encoders",
    "You have two encoders that both read everything, and take the mean of what they make. A BERT has one, `self.layers`: it needs no second, as its one already reads both ways.",
    *(edit(two_lists("mask", "mask", first), inside=WHOLE) for first in ("forward_layers", "layers")),
    *(
        edit(
            {LAYERS: another_list(first), LOOP: f"for layer in self.{first}:"},
            inside=WHOLE,
            says="There is a second list of layers, through which nothing goes. A BERT has one, `self.layers`: what has parameters and no use is saved and loaded with all others.",
        )
        for first in ("layers", "forward_layers")
    ),
)

HALF_OF_IT = {POOLED: f"hidden = hidden / 2\n        {POOLED}"}
HALF_OF_THE_WEIGHTS = {KEEP: "all_weights.append(weights / 2)"}

bert.mistake(
    "half of it comes back",
    "Your tokens' vectors are half of what the last layer made. A mean of two is divided by 2; here there is one encoder, so return what its last layer made as it is.",
    edit(HALF_OF_IT, inside=FORWARD),
    edit(
        HALF_OF_THE_WEIGHTS,
        inside=FORWARD,
        says="Your attention weights are half of what the layers gave: a row of them sums to 1/2. A mean of two is divided by 2; here there is one encoder, so keep its weights as they are.",
    ),
    edit(
        HALF_OF_IT | HALF_OF_THE_WEIGHTS,
        inside=FORWARD,
        says="Your tokens' vectors and attention weights are half of what the layers gave. A mean of two is divided by 2; here there is one encoder, so take both as they are.",
    ),
)

bert.mistake(
    "the layers have another name",
    "All numbers are right, and the list of layers has another name than `self.layers`. Parameters are saved and loaded by name: what a BERT of this lesson has learned does not fit into yours.",
    edit(
        {LAYERS: LAYERS.replace("self.layers", "self.forward_layers"), LOOP: "for layer in self.forward_layers:"},
        inside=WHOLE,
    ),
    *(
        edit({LAYERS: LAYERS.replace("self.layers", f"self.{one}"), LOOP: f"for layer in self.{one}:"}, inside=WHOLE)
        for one in ("encoder", "blocks")
    ),
    edit(
        {LAYERS: "self.layers = [bert_layer(config) for _ in range(config.num_layers)]"},
        inside=WHOLE,
        says="The layers stand in a list of Python's, in which the module does not see them: their parameters are neither trained nor saved. `nn.ModuleList` is a list that it sees.",
    ),
)

bert.mistake(
    "another number of layers",
    "You have another number of layers than `config.num_layers` says.",
    *(
        edit({LAYERS: LAYERS.replace("config.num_layers", number)}, inside=WHOLE, says=says)
        for number, says in (
            ("2 * config.num_layers", "You have twice as many layers as `config.num_layers` says."),
            ("config.num_layers - 1", "You have a layer less than `config.num_layers` says."),
            ("config.num_layers + 1", "You have a layer more than `config.num_layers` says."),
            ("1", "You have one layer, whatever `config.num_layers` says."),
        )
    ),
)

bert.mistake(
    "what an earlier call made is kept",
    "What an earlier call made is kept, and comes back with what this one makes.",
    edit(
        {EMPTY: "all_weights = self.__dict__.setdefault('all_weights', [])"},
        inside=FORWARD,
        says="The weights of earlier calls are still in your list, and it grows with each call. Begin every call with a new list: a name of `forward`, and not of `self`.",
    ),
    edit(
        {MASK: "mask = self.__dict__.setdefault(str(ids.shape), padding_mask(ids, self.config.pad_id))"},
        inside=FORWARD,
        says="The mask of the first rows is kept, and holds for later ones of the same shape. Their padding stands elsewhere. Make a mask of the ids at every call.",
    ),
)
