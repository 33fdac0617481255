"""Wrong ways of scoring tokens, and of judging the guesses."""

from autograder.checks.bert import masked_head, masked_loss
from autograder.probing.mistake import edit

# MaskedLanguageHead ----------------------------------------------------------------------------

INIT = "MaskedLanguageHead.__init__"
FORWARD = "MaskedLanguageHead.forward"
WHOLE = "MaskedLanguageHead"
TRANSFORM = "self.transform = nn.Linear(config.d_model, config.d_model)"
NORM = "self.norm = LayerNorm(config.d_model)"
OUTPUT = "self.output = nn.Linear(config.d_model, config.vocab_size)"
TIED = "self.output.weight = embedding.weight"
SCORES = "return self.output(self.norm(gelu(self.transform(hidden))))"
OUT, NORMED, BENT, TURNED = "self.output(", "self.norm(", "gelu(", "self.transform(hidden)"


def by(what: str) -> str:
    """What stands in the place of a part, called with what the part was called with: so edits of other parts fit."""
    return f"(lambda h: {what})("


masked_head.mistake(
    "the matrix is not the table",
    "The head has a matrix of its own. It is meant to be the token table: what a token looks like when it is read, and when it is guessed, is one thing to learn. Assign the table's parameter to `self.output.weight`.",
    edit({TIED: "pass"}, inside=INIT),
    edit(
        {TIED: "self.output.weight = nn.Parameter(embedding.weight.data)"},
        inside=INIT,
        says="The head's parameter has the table's numbers, in the same memory, and is another parameter. Each gets a gradient of its own, and an optimizer moves the same numbers twice. Assign the table's own parameter: `self.output.weight = embedding.weight`.",
    ),
)

masked_head.mistake(
    "a copy of the table",
    "The head writes with a copy of the table, made when it was built, and not with the table itself. What the table learns later never reaches the copy. Assign the table's parameter to `self.output.weight`.",
    edit(
        {
            TIED: "self.table = embedding.weight.detach().clone()",
            OUT: by("h @ self.table.T + self.output.bias"),
        },
        inside=WHOLE,
    ),
)

masked_head.mistake(
    "the table is given away",
    "You give the table the head's matrix: `embedding.weight` is another parameter now, and the numbers that it had are gone. The model has learned them. Assign the other way round: `self.output.weight = embedding.weight`.",
    edit({TIED: "embedding.weight = self.output.weight"}, inside=INIT),
    edit(
        {TIED: "embedding.weight = nn.Parameter(self.output.weight.detach().clone())"},
        inside=INIT,
        says="You give the table a copy of the head's matrix: `embedding.weight` is another parameter now, the numbers that it had are gone, and the two are not tied. Assign the other way round: `self.output.weight = embedding.weight`.",
    ),
    edit(
        {TIED: f"{TIED}\n        nn.init.normal_(self.output.weight, std=0.02)"},
        inside=INIT,
        says="You draw the numbers of the table anew. The head's weight *is* the table, and the model has learned what stands in it. Draw before you tie the two, or not at all.",
    ),
)

masked_head.mistake(
    "the table learns nothing from the head",
    "No gradient goes from the head to the token table. `.detach()` and `.data` cut it off. In training the table learns from both its ends: what it reads, and what it is asked for.",
    edit({OUT: by("h @ self.output.weight.detach().T + self.output.bias")}, inside=FORWARD),
)

masked_head.mistake(
    "no bias",
    "The output has no bias. Some words are much more frequent than others, whatever stands around them; the bias of its own, one number for each token, is where that is kept.",
    edit({OUTPUT: "self.output = nn.Linear(config.d_model, config.vocab_size, bias=False)"}, inside=INIT),
    edit(
        {OUT: by("h @ self.output.weight.T")},
        inside=FORWARD,
        says="The bias of the output has no effect. Some words are much more frequent than others, whatever stands around them; `self.output(...)` adds it, the matrix alone does not.",
    ),
    edit(
        {TIED: f"{TIED}\n        self.output.bias.requires_grad_(False)"},
        inside=INIT,
        says="The bias of the output is frozen: `requires_grad` is False. Some words are much more frequent than others, whatever stands around them; the bias is where that is learned.",
    ),
)

masked_head.mistake(
    "the bias twice",
    "The output's bias is added twice. `self.output(...)` adds its own bias already.",
    edit({SCORES: f"{SCORES} + self.output.bias"}, inside=FORWARD),
    edit(
        {
            TIED: f"{TIED}\n        self.bias = nn.Parameter(torch.zeros(config.vocab_size))",
            SCORES: f"{SCORES} + self.bias",
        },
        inside=WHOLE,
        says="The head has a second bias, a parameter of its own. `self.output` has one already, and adds it.",
    ),
)

masked_head.mistake(
    "the transform has no bias",
    "The linear layer in front has no bias. Only the output's weight is shared; `nn.Linear(d_model, d_model)` has a bias unless it is told otherwise.",
    edit({TRANSFORM: "self.transform = nn.Linear(config.d_model, config.d_model, bias=False)"}, inside=INIT),
    edit(
        {TURNED: "hidden @ self.transform.weight.T"},
        inside=FORWARD,
        says="The bias of the linear layer in front has no effect. `self.transform(...)` adds it, the matrix alone does not.",
    ),
    edit(
        {TURNED: "hidden @ self.transform.weight + self.transform.bias"},
        inside=FORWARD,
        says="The matrix in front lies the wrong way round. A linear layer multiplies by its weight transposed: `self.transform(...)`.",
    ),
)

masked_head.mistake(
    "no transform",
    "The linear layer in front has no effect. BERT's vectors serve many purposes; `self.transform` turns them towards this one before they are compared with the table.",
    edit({TURNED: "hidden"}, inside=FORWARD),
    edit(
        {f"{BENT}{TURNED}": "(hidden"},
        inside=FORWARD,
        says="The linear layer in front and GELU have no effect. BERT's vectors serve many purposes; `self.transform` turns them towards this one before they are compared with the table.",
    ),
    edit(
        {SCORES: "return self.output(hidden)"},
        inside=FORWARD,
        says="What is read goes into the output as it is. In front of it stand a linear layer, GELU and a norm.",
    ),
    edit(
        {TRANSFORM: "pass", NORM: "pass", SCORES: "return self.output(hidden)"},
        inside=WHOLE,
        says="The head is the table alone. In front of it stand a linear layer, GELU and a norm.",
    ),
    edit(
        {TRANSFORM: "pass", TURNED: "hidden"},
        inside=WHOLE,
        says="There is no linear layer in front. BERT's vectors serve many purposes; `self.transform` turns them towards this one before they are compared with the table.",
    ),
    edit(
        {TRANSFORM: "pass", f"{BENT}{TURNED}": "(hidden"},
        inside=WHOLE,
        says="There is neither a linear layer in front nor GELU. BERT's vectors serve many purposes; `self.transform` turns them towards this one before they are compared with the table.",
    ),
)

masked_head.mistake(
    "no GELU",
    "Nothing bends between the linear layer and the norm. Without it the layer could be drawn into the last one of the model. GELU stands between the two.",
    edit({"gelu(": "("}, inside=FORWARD),
    edit(
        {SCORES: "return self.output(self.transform(hidden))"},
        inside=FORWARD,
        says="Neither GELU nor the norm has an effect. Two linear layers behind each other are one: the order is transform, GELU, norm, output.",
    ),
)

masked_head.mistake(
    "another activation",
    "The head bends with another function than GELU.",
    edit(
        {BENT: "torch.relu("},
        inside=FORWARD,
        says="The head bends with ReLU. BERT has GELU, in its layers and here.",
    ),
    edit(
        {BENT: "torch.tanh("},
        inside=FORWARD,
        says="The head bends with tanh. That is the pooler's; the head has GELU.",
    ),
    edit(
        {BENT: by("gelu(h, 'tanh')")},
        inside=FORWARD,
        says="The head bends with the tanh form of GELU. They differ by a thousandth at most; weights trained with the one and run with the other are off all the same. BERT has the exact one.",
    ),
    edit(
        {BENT: "nn.functional.silu("},
        inside=FORWARD,
        says="The head bends with SiLU, x times its sigmoid. BERT has GELU, in its layers and here.",
    ),
    edit(
        {BENT: by("h * torch.sigmoid(1.702 * h)")},
        inside=FORWARD,
        says="The head bends with x · sigmoid(1.702 x), which is near GELU and not GELU. Weights trained with the one and run with the other are off. BERT has the exact one.",
    ),
    edit(
        {BENT: by("2 * gelu(h)")},
        inside=FORWARD,
        says="Your GELU is twice as large as it should be. The norm takes almost all of that back, but for its eps. GELU is x/2 · (1 + erf(x/√2)): is the half missing?",
    ),
)

masked_head.mistake(
    "no norm",
    "The norm has no effect. Before the output the vectors are normalized, so that the scores depend on where they point and not on how long they are.",
    edit({NORMED: "("}, inside=FORWARD),
    edit(
        {NORMED: by("nn.functional.normalize(h, dim=-1)")},
        inside=FORWARD,
        says="You divide each vector by its length, in the place of the norm. `self.norm` takes the mean away too, and has a scale and a shift that are learned.",
    ),
    edit(
        {NORMED: by("nn.functional.layer_norm(h, h.shape[-1:])")},
        inside=FORWARD,
        says="Your norm has no scale and no shift. `self.norm` has both, and they are learned.",
    ),
    edit(
        {NORM: "self.norm = nn.LayerNorm(config.d_model, elementwise_affine=False)"},
        inside=INIT,
        says="Your norm has no scale and no shift. A `LayerNorm` has both, and they are learned.",
    ),
)

masked_head.mistake(
    "the norm twice",
    "The vectors go through the norm twice. Once is enough: what has been normalized, scaled and shifted is compared with the table.",
    edit({NORMED: by("self.norm(self.norm(h))")}, inside=FORWARD),
    edit(
        {TURNED: "self.transform(self.norm(hidden))"},
        inside=FORWARD,
        says="What is read goes through the norm first, and what the head made of it goes through it once more. Once is enough: after GELU, before the output.",
    ),
    edit(
        {BENT: by("gelu(self.norm(h))")},
        inside=FORWARD,
        says="The norm stands before GELU and behind it. Once is enough: after GELU, before the output.",
    ),
)

masked_head.mistake(
    "the norm over more than the features",
    "Your norm takes mean and variance over all places of a row, or over the rows of the batch. What a token's scores are then depends on the other tokens. Each vector is normalized by itself, over its own features.",
    edit({NORMED: by("nn.functional.layer_norm(h, h.shape[-2:])")}, inside=FORWARD),
    edit({NORMED: by("nn.functional.layer_norm(h, h.shape[-2:]) * self.norm.weight + self.norm.bias")}, inside=FORWARD),
    edit({NORMED: by("(h - h.mean()) / (h.var(correction=0) + 1e-5).sqrt()")}, inside=FORWARD),
)

masked_head.mistake(
    "GELU once more",
    "GELU stands at a second place too. It bends what the linear layer made, once; what the norm has made, and the scores, stay as they are.",
    edit({OUT: by("self.output(gelu(h))")}, inside=FORWARD),
    edit({OUT: by("gelu(self.output(h))")}, inside=FORWARD),
    edit({BENT: by("gelu(gelu(h))")}, inside=FORWARD),
)

masked_head.mistake(
    "the transform twice",
    "What is read goes through the linear layer twice. Once is enough; then come GELU and the norm.",
    edit({TURNED: "self.transform(self.transform(hidden))"}, inside=FORWARD),
    edit({TURNED: "self.transform(gelu(self.transform(hidden)))"}, inside=FORWARD),
)

masked_head.mistake(
    "cosines with the table",
    "Your vectors, or those of the table, are divided by their lengths before they are multiplied with each other. The head multiplies with the table as it is: `self.output(...)`.",
    *(
        edit({OUT: by(f"{one} @ {table}.T{bias}")}, inside=FORWARD)
        for one, table in (
            ("h", "nn.functional.normalize(self.output.weight, dim=-1)"),
            ("nn.functional.normalize(h, dim=-1)", "nn.functional.normalize(self.output.weight, dim=-1)"),
            ("nn.functional.normalize(h, dim=-1)", "self.output.weight"),
        )
        for bias in (" + self.output.bias", "")
    ),
)

masked_head.mistake(
    "the scores are normalized",
    "Your scores are brought to mean 0 and variance 1, over the vocabulary. The norm stands in front of the output; the loss takes the scores as they are.",
    edit(
        {
            SCORES: SCORES.replace("return ", "scores = ")
            + "\n        return nn.functional.layer_norm(scores, scores.shape[-1:])"
        },
        inside=FORWARD,
    ),
    edit({OUT: by("nn.functional.layer_norm(self.output(h), self.output.bias.shape)"), NORMED: "("}, inside=FORWARD),
)

masked_head.mistake(
    "the norm before GELU",
    "You normalize first and bend afterwards. The order is transform, GELU, norm.",
    edit({NORMED: "gelu(", BENT: "self.norm("}, inside=FORWARD),
)

masked_head.mistake(
    "the norm before the transform",
    "You normalize what is read, and not what goes into the output. The order is transform, GELU, norm.",
    edit({NORMED: "(", TURNED: "self.transform(self.norm(hidden))"}, inside=FORWARD),
)

masked_head.mistake(
    "GELU before the transform",
    "GELU comes before the linear layer. The order is transform, GELU, norm.",
    edit({BENT: "(", TURNED: "self.transform(gelu(hidden))"}, inside=FORWARD),
)

masked_head.mistake(
    "what is read is added",
    "You add what was read to what the head made of it. A layer of the model does so; the head has no residual.",
    edit({BENT: "hidden + gelu("}, inside=FORWARD),
    edit({NORMED: "hidden + self.norm("}, inside=FORWARD),
    edit(
        {TURNED: "hidden + self.transform(hidden)"},
        inside=FORWARD,
        says="You add what was read to what the linear layer made of it. A layer of the model does so; the head has no residual.",
    ),
)

masked_head.mistake(
    "dropout in the head",
    "Something is dropped out in the head. BERT's embedding and its layers have dropout; the head has none.",
    edit(
        {
            NORM: f"{NORM}\n        self.dropout = nn.Dropout(config.dropout)",
            NORMED: by("self.dropout(self.norm(h))"),
        },
        inside=WHOLE,
    ),
    edit(
        {
            NORM: f"{NORM}\n        self.dropout = nn.Dropout(config.dropout)",
            BENT: by("self.dropout(gelu(h))"),
        },
        inside=WHOLE,
    ),
    edit(
        {
            NORM: f"{NORM}\n        self.dropout = nn.Dropout(config.dropout)",
            TURNED: "self.transform(self.dropout(hidden))",
        },
        inside=WHOLE,
    ),
)

masked_head.mistake(
    "a token is left out",
    "One token has no score. [MASK] and padding are never asked for, and still have their places: with a row less, every id behind it would stand for another token. Score all of the vocabulary.",
    edit({SCORES: f"{SCORES}[..., :-1]"}, inside=FORWARD),
    edit({SCORES: f"{SCORES}[..., 1:]"}, inside=FORWARD),
    edit(
        {
            OUTPUT: "self.output = nn.Linear(config.d_model, config.vocab_size - 1)",
            TIED: "self.output.weight = nn.Parameter(embedding.weight.detach()[:-1].clone())",
        },
        inside=INIT,
    ),
    edit(
        {
            OUTPUT: "self.output = nn.Linear(config.d_model, config.vocab_size - 1)",
            TIED: "self.output.weight = nn.Parameter(embedding.weight.detach()[:-1])",
        },
        inside=INIT,
    ),
    *(
        edit(
            {
                SCORES: f"scores = self.output(self.norm(gelu(self.transform(hidden)))).clone()\n        scores[..., {token}] = {never}\n        return scores"
            },
            inside=FORWARD,
            says=f"The {which} token can never be guessed: its score is always as low as can be. [MASK] and padding are never asked for, and still each has a score like any other. Score all of the vocabulary.",
        )
        for which, token in (("last", -1), ("first", 0))
        for never in ("float('-inf')", "-1e9")
    ),
)

masked_head.mistake(
    "probabilities",
    "Your head returns probabilities. The loss takes a softmax itself, and a second one makes all of them almost equal. Return the scores.",
    edit({SCORES: f"{SCORES}.softmax(dim=-1)"}, inside=FORWARD),
    edit(
        {SCORES: f"{SCORES}.softmax(dim=-2)"},
        inside=FORWARD,
        says="Your head returns probabilities, and they go over the places instead of the tokens. The loss takes a softmax itself, over the vocabulary. Return the scores.",
    ),
    edit(
        {SCORES: f"{SCORES}.log_softmax(dim=-1)"},
        inside=FORWARD,
        says="Your head returns logarithms of probabilities. Their loss is the same; but the course's functions expect scores. Return them as they are.",
    ),
    edit(
        {SCORES: f"{SCORES}.sigmoid()"},
        inside=FORWARD,
        says="Your head returns numbers between 0 and 1, from a sigmoid. One of many tokens is asked for: return the scores, the loss takes a softmax.",
    ),
)

masked_head.mistake(
    "scores divided by √d_model",
    "You divide the scores by √d_model, or multiply by it. Attention's scores are divided so; these are not.",
    edit(
        {SCORES: f"{SCORES} / hidden.size(-1) ** 0.5"},
        inside=FORWARD,
        says="You divide the scores by √d_model, the bias included. Attention's scores are divided so; these are not.",
    ),
    edit(
        {OUT: by("h @ self.output.weight.T / hidden.size(-1) ** 0.5 + self.output.bias")},
        inside=FORWARD,
        says="You divide the products with the table by √d_model. Attention's scores are divided so; these are not.",
    ),
)

masked_head.mistake(
    "ids instead of scores",
    "Your head returns the likeliest ids. A loss needs a score for every token, and a gradient: return the logits.",
    edit({SCORES: f"{SCORES}.argmax(dim=-1)"}, inside=FORWARD),
)

masked_head.mistake(
    "only [CLS] is scored",
    "Only the first place is scored. Tokens are taken out anywhere in a row: score every place that comes in.",
    edit({SCORES: SCORES.replace("hidden", "hidden[:, 0]")}, inside=FORWARD),
    edit({SCORES: SCORES.replace("hidden", "hidden[..., :1, :]")}, inside=FORWARD),
    edit(
        {TURNED: "self.transform(hidden[..., :1, :].expand_as(hidden))"},
        inside=FORWARD,
        says="Every place has the scores of the first one. Tokens are taken out anywhere in a row: score every place that comes in, from its own vector.",
    ),
)

masked_head.mistake(
    "multiplied by √d_model in the head",
    "The scores are multiplied by √d_model. The head's matrix is the table as it is, and nothing is scaled.",
    edit({SCORES: f"{SCORES} * hidden.size(-1) ** 0.5"}, inside=FORWARD),
)

masked_head.mistake(
    "the table is frozen",
    "The table is frozen: `requires_grad` is False, for the model that reads with it as well. In training it learns from both its ends.",
    edit({TIED: f"{TIED}\n        embedding.weight.requires_grad_(False)"}, inside=INIT),
)

masked_head.mistake(
    "an eps of its own",
    "Your norm has an eps of its own. BERT's code has 1e-12; in this course a norm has the one that `LayerNorm(d_model)` brings, 1e-5. With another, a vector whose numbers are all nearly alike comes out larger or smaller. Leave `eps` out.",
    *(edit({NORM: f"self.norm = LayerNorm(config.d_model, eps={eps})"}, inside=INIT) for eps in (1e-12, 1e-6, 1e-3)),
)

# masked_loss ----------------------------------------------------------------------------

ASKED = "asked = labels != -100"
NOTHING = "if not asked.any():"
ZERO = "return logits[asked].sum()"
ALWAYS = {NOTHING: "if False:"}
LOSS = "return F.cross_entropy(logits[asked], labels[asked])"
SUM = "F.cross_entropy(logits.flatten(0, 1), labels.flatten()"
CROSS_ENTROPY = "F.cross_entropy"
EACH = f"each = {SUM}, reduction='none').view_as(labels)"


def loss(what: str) -> dict[str, str]:
    """Another loss in the place of the cross-entropy, called as that is called: so edits of what is summed up fit."""
    return {CROSS_ENTROPY: f"(lambda s, t, **more: {what})"}


masked_loss.mistake(
    "all places in the divisor",
    "You divide by the number of all places. About one in seven is asked, so your loss is about a seventh of what it should be, and changes with the share that is asked. Divide by the number of those that are asked.",
    {LOSS: "return (F.cross_entropy(logits[asked], labels[asked], reduction='sum') / labels.numel())"},
)

ALL = f"{SUM}.clamp(min=0))"

masked_loss.mistake(
    "all places are asked",
    'All places count, those at which nothing is asked as if token 0 were the answer. Most places are such, so the model learns to write token 0. A mask that comes after the mean changes nothing (a well known textbook has that): `F.cross_entropy` returns one number, of all places, unless it is told `reduction="none"`. Leave these places out before the mean is taken.',
    {NOTHING: "if False:", LOSS: f"return {ALL}"},
    {LOSS: f"return {ALL}"},
    *(
        edit(
            {**more, LOSS: f"return ({SUM}.clamp(min=0), reduction='sum') / {count})"},
            says="All places are in the sum, those at which nothing is asked as if token 0 were the answer, though you divide by the number of places that are asked. The model learns to write token 0. Leave these places out.",
        )
        for more, count in (({}, "asked.sum()"), (ALWAYS, "asked.sum().clamp(min=1)"))
    ),
    edit(
        {LOSS: "return F.cross_entropy((logits * asked[..., None]).flatten(0, 1), labels.flatten().clamp(min=0))"},
        says="Where nothing is asked you set the logits to 0, and these places still count: all tokens are then equally likely there, and the loss is ln of their number. Leave these places out before the mean is taken.",
    ),
)

masked_loss.mistake(
    "a mask times a mean",
    'You take the mean first, and multiply it by the mask afterwards. The mask then only scales it, by the share of places that are asked. Take the losses of single places (`reduction="none"`), leave out what is not asked, and then take the mean.',
    {LOSS: f"return ({ALL} * asked).mean()"},
    edit(
        {LOSS: f"return ({ALL} * asked).sum()"},
        says='You take the mean over all places first, multiply it by the mask, and add up. The mask then only counts how many places are asked. Take the losses of single places (`reduction="none"`), leave out what is not asked, and then take the mean.',
    ),
)

masked_loss.mistake(
    "token 0 is never learned",
    "Places that ask for token 0 do not count. It is a token like any other, and the model never learns to write it. Nothing is asked where the label is -100, and only there; `ignore_index=0` and `labels > 0` leave out more. A much used BERT had this slip.",
    {ASKED: "asked = labels > 0"},
    {LOSS: "return F.cross_entropy(logits.flatten(0, 1), labels.flatten().clamp(min=0), ignore_index=0)"},
    edit(
        {LOSS: f"return ({SUM}.clamp(min=0), reduction='sum', ignore_index=0) / asked.sum())"},
        says="Places that ask for token 0 count in the divisor, and their losses are not in the sum. It is a token like any other, and the model never learns to write it. Nothing is asked where the label is -100, and only there: `ignore_index=0` leaves out more.",
    ),
    *(
        edit(
            {LOSS: f"return ({SUM}, reduction='sum') / {count})"},
            says="Places that ask for token 0 are in the sum of the losses, and do not count in the divisor. It is a token like any other. Nothing is asked where the label is -100, and only there: `labels > 0` leaves out more.",
        )
        for count in ("(labels > 0).sum()", "(labels > 0).sum().clamp(min=1)")
    ),
)

masked_loss.mistake(
    "mean of the rows' means",
    "You take the mean of the rows' means. A token in a row with few questions then counts more than one in a row with many. All that is asked in the batch has the same weight: one sum, one divisor.",
    {
        LOSS: "return torch.stack([F.cross_entropy(s[a], t[a]) for s, t, a in zip(logits, labels, asked, strict=True) if a.any()]).mean()"
    },
    {
        LOSS: "each = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction='none').view_as(labels)\n    return (each.sum(1) / asked.sum(1).clamp(min=1)).mean()"
    },
    {LOSS: "return torch.stack([F.cross_entropy(s, t) for s, t in zip(logits, labels, strict=True)]).mean()"},
    edit(
        {LOSS: f"{EACH}\n    return (each.sum(1) / asked.sum(1).clamp(min=1)).sum()"},
        says="You add the rows' means up. The loss then grows with the batch, and a token in a row with few questions counts more than one in a row with many. All that is asked in the batch has the same weight: one sum, one divisor.",
    ),
)

masked_loss.mistake(
    "sum instead of mean",
    "You return the sum over all that is asked. It grows with batch and length, and the learning rate would have to shrink with them. Divide by the number of places that are asked.",
    {LOSS: "return F.cross_entropy(logits[asked], labels[asked], reduction='sum')"},
)

masked_loss.mistake(
    "divided by the rows",
    "You divide by the number of rows, or of places in a row. The loss then grows with how much is asked in each. Divide by the number of places that are asked in the whole batch.",
    edit(
        {LOSS: "return (F.cross_entropy(logits[asked], labels[asked], reduction='sum') / len(labels))"},
        says="You divide by the number of rows. The loss then grows with how much is asked in each. Divide by the number of places that are asked in the whole batch.",
    ),
    edit(
        {LOSS: "return (F.cross_entropy(logits[asked], labels[asked], reduction='sum') / labels.size(1))"},
        says="You divide by the length of a row. The loss then grows with the batch and with the share that is asked. Divide by the number of places that are asked in the whole batch.",
    ),
    edit(
        {LOSS: f"return ({SUM}, reduction='sum') / logits.size(-1))"},
        says="You divide by the size of the vocabulary. The loss then grows with the batch and with the share that is asked. Divide by the number of places that are asked in the whole batch.",
    ),
    edit(
        {LOSS: f"return ({SUM}, reduction='sum') / len(logits.flatten()))"},
        says="You divide by how many logits there are. Divide by the number of places that are asked in the whole batch.",
    ),
    *(
        edit(
            {**more, LOSS: f"{LOSS} / asked.sum()"},
            says="You take the mean, and divide it by the number of places that are asked once more. A mean has been divided already.",
        )
        for more in ({}, {NOTHING: "if False:"})
    ),
    edit(
        {LOSS: f"{LOSS} / logits.size(-1)"},
        says="Your loss is divided by the size of the vocabulary too. A mean over all numbers of a one-hot product does so. Take the sum over the vocabulary, and the mean over the places that are asked.",
    ),
    edit(
        {LOSS: f"{LOSS} / len(labels)"},
        says="You take the mean, and divide it by the number of rows as well. A mean has been divided already.",
    ),
)

masked_loss.mistake(
    "NaN where nothing is asked",
    "Where nothing is asked, your loss is NaN: a mean of no numbers. One such batch makes every parameter NaN. Return 0 there, with a gradient: the sum of the empty selection is both.",
    {NOTHING: "if False:"},
    {ZERO: "return logits[asked].mean()"},
    {ZERO: "return logits.sum() * float('nan')"},
)

masked_loss.mistake(
    "no gradient where nothing is asked",
    "Where nothing is asked you return a 0 that was not made of the logits. `backward()` then stops the training with an error. `logits[asked].sum()` is 0 and has a gradient, of zeros.",
    {ZERO: "return torch.zeros(())"},
    *(
        edit(
            {ZERO: f"return {none}"},
            says="Where nothing is asked no tensor comes back: a number of Python's, or None, has no `backward()`, and the training stops with an error. `logits[asked].sum()` is 0 and has a gradient, of zeros.",
        )
        for none in ("0.0", "None")
    ),
    edit(
        {ZERO: "raise ValueError(labels)"},
        says="Where nothing is asked your code raises an error of its own, and the training stops. A batch may have no question; its loss is 0. `logits[asked].sum()` is 0 and has a gradient, of zeros.",
    ),
)

masked_loss.mistake(
    "a loss where nothing is asked",
    "Where nothing is asked your loss is not 0, or its gradient is not. Nothing is asked, so nothing should be learned. `logits[asked].sum()` is 0, and has a gradient of zeros.",
    {ZERO: "return logits.sum()"},
    {ZERO: "return logits.mean()"},
    {ZERO: f"{ZERO} + 1"},
    {ZERO: "return F.cross_entropy(logits.flatten(0, 1), labels.flatten().clamp(min=0))"},
)

masked_loss.mistake(
    "softmax first",
    "You take a softmax before the cross-entropy, which takes one itself. Probabilities lie between 0 and 1, so the second softmax makes them almost equal: the loss cannot fall much below that of guessing. Give it the logits.",
    loss("F.cross_entropy(s.softmax(dim=-1), t, **more)"),
)

masked_loss.mistake(
    "probabilities instead of their logarithms",
    "Your loss is made of probabilities, without the logarithm. `F.nll_loss` takes the logarithms of probabilities: `log_softmax`, or `F.cross_entropy` of the logits.",
    loss("F.nll_loss(s.softmax(dim=-1), t, **more)"),
    edit(
        {CROSS_ENTROPY: "F.nll_loss"},
        says="Your loss is made of the scores themselves: there is neither a softmax nor a logarithm. `F.nll_loss` takes the logarithms of probabilities; `F.cross_entropy` takes the scores and makes them.",
    ),
)

masked_loss.mistake(
    "bits instead of nats",
    "Your loss is in bits: you divide by ln 2. Here and in `F.cross_entropy` it is in nats, by the natural logarithm.",
    {LOSS: f"{LOSS} / 0.6931471805599453"},
    edit(
        {LOSS: f"{LOSS} / 2.302585092994046"},
        says="Your loss has the logarithm to base 10: you divide by ln 10. Here and in `F.cross_entropy` it is in nats, by the natural logarithm.",
    ),
)

masked_loss.mistake(
    "one place further",
    "Each place is asked for the label of the next one. That is a GPT's question; here a label stands at the very place at which the token was taken out. Shift nothing.",
    {
        ASKED: "logits, labels = logits[:, :-1], labels[:, 1:]\n    asked = labels != -100",
    },
    {ASKED: f"labels = labels.roll(-1, 1)\n    {ASKED}"},
    {LOSS: f"logits, labels, asked = logits[:, :-1], labels[:, 1:], asked[:, 1:]\n    {LOSS}"},
    *(
        edit(
            {ASKED: f"{shifted}\n    {ASKED}"},
            says="Each place is asked for the label of the one before it. A label stands at the very place at which the token was taken out. Shift nothing.",
        )
        for shifted in ("labels = labels.roll(1, 1)", "logits, labels = logits[:, 1:], labels[:, :-1]")
    ),
)

masked_loss.mistake(
    "a place or a row is left out",
    "One place of each row is never asked. What `labels` says is all there is to know: what is special has the label -100 already.",
    edit(
        {ASKED: f"logits, labels = logits[:, :-1], labels[:, :-1]\n    {ASKED}"},
        says="The last place of each row is never asked. A GPT knows no answer there; here each label stands at the place of its token, and what is special has the label -100 already.",
    ),
    edit(
        {ASKED: f"logits, labels = logits[:, 1:], labels[:, 1:]\n    {ASKED}"},
        says="The first place of each row is never asked. Where [CLS] stands the label is -100 already: what `labels` says is all there is to know.",
    ),
    *(
        edit(
            {ASKED: f"logits, labels = logits[{kept}], labels[{kept}]\n    {ASKED}"},
            says=f"The {which} row of the batch is never asked. Every row counts: all that is asked in the batch has the same weight.",
        )
        for which, kept in (("last", ":-1"), ("first", "1:"))
    ),
)

masked_loss.mistake(
    "exp of it",
    "You return an exponential. `exp` of a mean loss is the perplexity, among how many tokens the model hesitates. The loss is the mean itself.",
    {LOSS: f"{LOSS}.exp()"},
)

masked_loss.mistake(
    "the softmax and its logarithm apart",
    "Large logits give infinity, or no number. You take the exponential and the logarithm in two steps: an exponential becomes 0 or infinite, and the logarithm cannot undo that. `F.cross_entropy` and `log_softmax` take both in one.",
    loss("F.nll_loss(s.softmax(dim=-1).log(), t, **more)"),
    loss("F.nll_loss((s.exp() / s.exp().sum(dim=-1, keepdim=True)).log(), t, **more)"),
    *(
        edit(
            loss(f"F.nll_loss((s.softmax(dim=-1) + {least}).log(), t, **more)"),
            says="You add a small number before the logarithm. Where a guess is quite wrong, the loss is then too small, and the gradient vanishes. `F.cross_entropy` and `log_softmax` take softmax and logarithm in one, and need no such number.",
        )
        for least in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12)
    ),
)

masked_loss.mistake(
    "the loss has no gradient",
    "No gradient goes back from your loss. `.detach()`, `.data` or `torch.no_grad()` cuts it off, and nothing is learned. Make the loss of the logits themselves.",
    loss("F.cross_entropy(s.detach(), t, **more)"),
    edit(
        {LOSS: f"{LOSS}.item()"},
        says="Your loss is a number of Python's, which has no gradient and no `backward()`. Leave `.item()` away, or `float(...)`: a tensor comes back.",
    ),
    edit(
        {ZERO: f"{ZERO}.item()", LOSS: f"{LOSS}.item()"},
        says="Your loss is a number of Python's, where something is asked and where nothing is. It has no gradient and no `backward()`. Leave `.item()` away, or `float(...)`: a tensor comes back.",
    ),
    {ZERO: f"{ZERO}.detach()", LOSS: f"{LOSS}.detach()"},
)

masked_loss.mistake(
    "a loss for each place",
    "A loss for each place comes back. Asked for is one number, their mean.",
    {LOSS: "return F.cross_entropy(logits[asked], labels[asked], reduction='none')"},
    {LOSS: f"{EACH}\n    return each"},
    *(
        {NOTHING: "if False:", LOSS: f"return {SUM}, reduction='none'){count}"}
        for count in ("", " / asked.sum().clamp(min=1)")
    ),
    *(
        {**more, LOSS: f"{EACH}\n    return each / {count}"}
        for more, count in (({}, "asked.sum()"), (ALWAYS, "asked.sum().clamp(min=1)"), (ALWAYS, "1"))
    ),
    *(
        edit(
            {**more, LOSS: f"{EACH}\n    return each.sum(1) / {count}"},
            says="A loss for each row comes back. Asked for is one number, the mean of all that is asked in the batch.",
        )
        for more, count in (
            ({}, "asked.sum()"),
            ({}, "asked.sum(1)"),
            ({}, "asked.sum(1).clamp(min=1)"),
            (ALWAYS, "asked.sum().clamp(min=1)"),
            (ALWAYS, "asked.sum(1).clamp(min=1)"),
        )
    ),
)

masked_loss.mistake(
    "one too many in the divisor",
    "You divide by one more than is asked. That saves a batch in which nothing is asked, and makes the loss of every other too small. `clamp(min=1)` changes nothing where something is asked.",
    {LOSS: "return (F.cross_entropy(logits[asked], labels[asked], reduction='sum') / (asked.sum() + 1))"},
    {
        NOTHING: "if False:",
        LOSS: "return (F.cross_entropy(logits[asked], labels[asked], reduction='sum') / (asked.sum() + 1))",
    },
)

masked_loss.mistake(
    "0 as soon as a row has no label",
    "Your loss is 0 as soon as nothing is asked of one row. The other rows have labels, and count. The loss is 0 only where nothing is asked of any row.",
    {NOTHING: "if not asked.any(dim=1).all():", ZERO: "return 0 * logits.sum()"},
    edit(
        {NOTHING: "if not asked.any(dim=1).all():"},
        says="As soon as nothing is asked of one row, a sum of scores comes back instead of the loss. The other rows have labels, and count. That sum is 0 only where nothing is asked of any row.",
    ),
    edit(
        {NOTHING: "if not asked[0].any():", ZERO: "return 0 * logits.sum()"},
        says="Your loss is 0 where nothing is asked of the first row. The other rows have labels, and count. The loss is 0 only where nothing is asked of any row.",
    ),
    edit(
        {NOTHING: "if not asked.all():", ZERO: "return 0 * logits.sum()"},
        says="Your loss is 0 as soon as nothing is asked at one place. At the others something is, and they count. The loss is 0 only where nothing is asked at any place.",
    ),
    edit(
        {NOTHING: "if not asked.all():"},
        says="As soon as nothing is asked at one place, a sum of scores comes back instead of the loss. At the other places something is asked, and they count. Ask for `any()`: that sum is 0 only where nothing is asked at any place.",
    ),
)

masked_loss.mistake(
    "the softmax over another dimension",
    "Your softmax does not go over the vocabulary. At each place the probabilities of all tokens sum to 1: that is the last dimension.",
    {ASKED: f"logits = logits.log_softmax(dim=1)\n    {ASKED}", CROSS_ENTROPY: "F.nll_loss"},
    {ASKED: f"logits = logits.log_softmax(dim=0)\n    {ASKED}", CROSS_ENTROPY: "F.nll_loss"},
    loss("F.nll_loss(s.log_softmax(dim=0), t, **more)"),
)

masked_loss.mistake(
    "labels in another order",
    "Logits and labels are laid flat in different orders, so that guesses are held against the labels of other places. `flatten` goes through the rows one after another: do not transpose either before it.",
    {ASKED: f"labels = labels.T.reshape(labels.shape)\n    {ASKED}"},
    {ASKED: f"logits = logits.transpose(0, 1).reshape(logits.shape)\n    {ASKED}"},
)

masked_loss.mistake(
    "without the minus",
    "Your loss has the wrong sign. The logarithm of a probability is negative, and the loss is *minus* its mean. To lower yours, a model would make the right tokens less likely.",
    loss("-F.cross_entropy(s, t, **more)"),
)

masked_loss.mistake(
    "a reshape in the place of a transpose",
    "The scores of one place have become those of others: `F.cross_entropy` wants the vocabulary in dimension 1, and a `reshape` or `view` into that form cuts the list of numbers where it happens to fit. Exchange two dimensions by `transpose(1, 2)`; or lay the places flat.",
    {ASKED: f"logits = logits.reshape(len(labels), logits.size(-1), -1).transpose(1, 2)\n    {ASKED}"},
    {ASKED: f"logits = logits.reshape(logits.size(-1), -1).T.reshape(logits.shape)\n    {ASKED}"},
)

masked_loss.mistake(
    "smoothed labels",
    "Your labels are smoothed: a part of the probability is asked for at all other tokens. The loss of a perfect guess is then not 0. What is asked for here is the token that was there, and no other.",
    *(loss(f"F.cross_entropy(s, t, label_smoothing={share}, **more)") for share in (0.1, 0.05, 0.2, 0.01)),
)

masked_loss.mistake(
    "asked where nothing is asked",
    "You keep the places with -100, and leave out the others: the condition is the wrong way round. Where -100 stands, nothing is asked.",
    {ASKED: "asked = labels == -100"},
    {ASKED: "asked = labels == -100", LOSS: "return F.cross_entropy(logits[asked], labels[asked].clamp(min=0))"},
    {NOTHING: "if asked.any():"},
)

TRUE = "F.one_hot(t, s.size(-1)).to(s.dtype)"

masked_loss.mistake(
    "another loss than the cross-entropy",
    "Your loss is no cross-entropy.",
    *(
        edit(
            loss(f"F.mse_loss({guess}, {TRUE}, **more)"),
            says="Your loss is a mean squared error. Asked for is the cross-entropy: minus the logarithm of the probability of the token that was there.",
        )
        for guess in ("s.softmax(dim=-1)", "s")
    ),
    edit(
        loss(f"F.mse_loss(s.softmax(dim=-1), {TRUE}, **more) * s.size(-1)"),
        says="Your loss is a sum of squared errors. Asked for is the cross-entropy: minus the logarithm of the probability of the token that was there.",
    ),
    edit(
        loss(f"F.binary_cross_entropy_with_logits(s, {TRUE}, **more)"),
        says="Your loss asks of each token by itself whether it was the one, with a sigmoid. One of all tokens stood there: the cross-entropy has a softmax over the vocabulary.",
    ),
    edit(
        loss("(s.argmax(dim=-1) != t).float().mean()"),
        says="You return the share of wrong guesses. It has no gradient, so nothing could be learned from it. Asked for is the cross-entropy: minus the logarithm of the probability of the token that was there.",
    ),
    edit(
        loss("(s.argmax(dim=-1) == t).float().mean()"),
        says="You return the share of right guesses. It has no gradient, and a loss is what training makes smaller. Asked for is the cross-entropy: minus the logarithm of the probability of the token that was there.",
    ),
)

masked_loss.mistake(
    "only one row counts",
    "Only one row of the batch counts. Is the `return` inside your loop over the rows, or is each row's loss written over the last one's? All that is asked in the batch has the same weight.",
    {LOSS: "return F.cross_entropy(logits[0], labels[0])"},
    {
        LOSS: "row = int(asked.any(1).int().argmax())\n    return F.cross_entropy(logits[row], labels[row])",
    },
    {LOSS: "return F.cross_entropy(logits[-1], labels[-1])"},
    {ASKED: f"logits, labels = logits[:1], labels[:1]\n    {ASKED}"},
    {ASKED: f"logits, labels = logits[-1:], labels[-1:]\n    {ASKED}"},
)

masked_loss.mistake(
    "only one place counts",
    "Only the last place that is asked counts. Is each place's loss written over the one before, or taken by `losses[-1]`? All that is asked in the batch has the same weight.",
    {ASKED: f"{ASKED}\n    asked = asked & (asked.flatten().cumsum(0).view_as(asked) == asked.sum())"},
    edit(
        {ASKED: f"{ASKED}\n    asked = asked & (asked.flatten().cumsum(0).view_as(asked) == 1)"},
        says="Only the first place that is asked counts. Is the `return` inside your loop over the places? All that is asked in the batch has the same weight.",
    ),
    edit(
        {LOSS: "return F.cross_entropy(logits[asked], labels[asked], reduction='none').max()"},
        says="Only the place with the largest loss counts. All that is asked in the batch has the same weight: take the mean.",
    ),
)

masked_loss.mistake(
    "a list of one number",
    "Your loss has a dimension: it is a vector with one number in it. Asked for is the number alone, a tensor of shape ().",
    {ZERO: f"{ZERO}[None]", LOSS: f"{LOSS}[None]"},
    {LOSS: f"{LOSS}[None]"},
    edit(
        {ZERO: f"{ZERO}[None]"},
        says="Where nothing is asked your loss has a dimension: it is a vector with one number in it. Asked for is the number alone, a tensor of shape (), there as everywhere.",
    ),
)

masked_loss.mistake(
    "more than the loss comes back",
    "You return the loss and something beside it. Asked for is the loss alone: what calls you takes its gradient.",
    {LOSS: f"{LOSS}, asked.sum()"},
    {ZERO: f"{ZERO}, asked.sum()", LOSS: f"{LOSS}, asked.sum()"},
    {LOSS: f"{LOSS}, int(asked.sum())"},
    {ZERO: f"{ZERO}, 0", LOSS: f"{LOSS}, int(asked.sum())"},
)

masked_loss.mistake(
    "the given labels are changed",
    "`labels` is changed: where nothing was asked no -100 stands any more. Whoever takes the loss of this batch once more is asked for token 0 there. What ends in `_`, as `clamp_` and `masked_fill_`, writes into its tensor; `clamp` and `masked_fill` make a new one.",
    {ASKED: f"{ASKED}\n    labels.clamp_(min=0)"},
    {LOSS: f"labels.clamp_(min=0)\n    {LOSS}"},
)
