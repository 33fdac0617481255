"""Wrong ways of putting a head on a model."""

from autograder.checks.fine_tuning.heads import sequence_classifier, token_classifier
from autograder.probing.mistake import edit

# SequenceClassifier ----------------------------------------------------------------------------

READ = "_, pooled = self.bert(ids, segment_ids, mask)  # (batch, d_model)"
CALL = "self.bert(ids, segment_ids, mask)"
OUT = "self.head(self.dropout(pooled))"

sequence_classifier.mistake(
    "the vector at [CLS] without the pooler",
    "You take the last layer's vector at [CLS]. What stands for the text is `pooled`, which the model makes of that vector by one more layer: this layer was pretrained for it, and here it is never used.",
    {READ: READ.replace("_, pooled", "hidden, _") + "\n        pooled = hidden[:, 0]"},
)

sequence_classifier.mistake(
    "the vector of the last place",
    "You take the vector of the last place. In a batch that is padding for every text but the longest. The model makes a vector for the whole text, `pooled`, from [CLS], which stands first.",
    {READ: READ.replace("_, pooled", "hidden, _") + "\n        pooled = hidden[:, -1]"},
    edit(
        {
            READ: READ.replace("_, pooled", "hidden, _")
            + "\n        last = (ids != self.bert.config.pad_id).sum(dim=1) - 1\n        pooled = hidden[torch.arange(len(ids)), last]"
        },
        says="You take the vector of each text's last token. That is what a decoder would do, which reads from left to right; here the model makes a vector for the whole text, `pooled`, from [CLS], which stands first.",
    ),
)

sequence_classifier.mistake(
    "the mean of all places",
    "You take the mean over all places, those of the padding included. A text then gets other scores beside a longer one. The model makes a vector for the whole text, `pooled`.",
    {READ: READ.replace("_, pooled", "hidden, _") + "\n        pooled = hidden.mean(dim=1)"},
    edit(
        {
            READ: READ.replace("_, pooled", "hidden, _")
            + "\n        real = (ids != self.bert.config.pad_id).unsqueeze(-1).to(hidden)\n        pooled = (hidden * real).sum(dim=1) / real.sum(dim=1)"
        },
        says="You take the mean of the tokens' vectors, without the padding. Others do that; this model makes a vector for the whole text itself, `pooled`, and was pretrained with it.",
    ),
    edit(
        {READ: READ.replace("_, pooled", "hidden, _") + "\n        pooled = hidden.sum(dim=1)"},
        says="You add up the vectors of all places, those of the padding included. A longer text then gets larger scores. The model makes a vector for the whole text, `pooled`.",
    ),
)

sequence_classifier.mistake(
    "the largest of all places",
    "Your vector is the largest number of each feature over all places, those of the padding included. The model makes a vector for the whole text, `pooled`.",
    {READ: READ.replace("_, pooled", "hidden, _") + "\n        pooled = hidden.amax(dim=1)"},
)

POOLED = {
    "hidden[:, -1]": "the vector of the last place goes through it. In a batch that is padding for every text but the longest",
    "hidden[:, 1]": "the vector of token 1 goes through it, and [CLS] is token 0",
    "hidden.mean(dim=1)": "the mean of all places goes through it, padding included",
    "hidden.amax(dim=1)": "the largest number of each feature goes through it, padding included",
}

sequence_classifier.mistake(
    "another vector through the pooler",
    "You call the model's pooler yourself, and one row of scores for each *token* of the first text comes out: `hidden[0]` is the first text. The model has done it already, with the vector at [CLS]: `pooled`.",
    {READ: READ.replace("_, pooled", "hidden, _") + "\n        pooled = torch.tanh(self.bert.pooler(hidden[0]))"},
    *(
        edit(
            {READ: READ.replace("_, pooled", "hidden, _") + f"\n        pooled = torch.tanh(self.bert.pooler({one}))"},
            says=f"You call the model's pooler yourself, and {what}. The model has done it already, with the vector at [CLS]: `pooled`.",
        )
        for one, what in POOLED.items()
    ),
    edit(
        {READ: READ.replace("_, pooled", "hidden, _") + "\n        pooled = self.bert.pooler(hidden[:, 0])"},
        says="You call the model's pooler yourself, and the tanh behind it is missing. The model has done both already: `pooled`.",
    ),
)

sequence_classifier.mistake(
    "every token is scored",
    "Every token gets scores, (batch, seq_len, num_classes). A text has one label: score the vector that the model makes for the whole text, `pooled`.",
    {READ: READ.replace("_, pooled", "pooled, _")},
)

sequence_classifier.mistake(
    "probabilities instead of logits",
    "Your scores have been through a softmax. The cross-entropy takes one itself, and of numbers between 0 and 1 a second softmax makes almost equal ones: the loss cannot fall far. Return the logits.",
    {OUT: f"{OUT}.softmax(dim=-1)"},
    edit(
        {OUT: f"{OUT}.softmax(dim=0)"},
        says="Your scores have been through a softmax over the *batch*, so that texts compete with one another. Return the logits; the cross-entropy takes a softmax itself, over the labels.",
    ),
    edit(
        {OUT: f"{OUT}.sigmoid()"},
        says="Your scores have been through a sigmoid. The cross-entropy takes a softmax itself, and of numbers between 0 and 1 it makes almost equal ones: the loss cannot fall far. Return the logits.",
    ),
)

sequence_classifier.mistake(
    "log-probabilities instead of logits",
    "Your scores are log-probabilities: a log_softmax has been taken. For `F.cross_entropy`, which takes another, that changes nothing. But what is promised are logits, and what adds scores up or holds them against a threshold reads something else. Return them as the head gives them.",
    {OUT: f"{OUT}.log_softmax(dim=-1)"},
)

sequence_classifier.mistake(
    "no dropout",
    "Nothing is dropped out between the model and the head, or what dropout returned is not used. Few labels are learned by heart quickly; dropout in front of the head works against that.",
    {OUT: "self.head(pooled)"},
)

sequence_classifier.mistake(
    "dropout on the logits",
    "Your dropout works on the logits. A label whose score is dropped counts as 0, and the loss punishes the model for it. It belongs in front of the head.",
    {OUT: "self.dropout(self.head(pooled))"},
)

sequence_classifier.mistake(
    "the model gets no gradient",
    "No gradient reaches the model below the head: only the head learns. That is a choice that one can make, with an optimizer that has only the head; in `forward` it is final. Is something detached, or under `no_grad`?",
    {OUT: "self.head(self.dropout(pooled.detach()))"},
    {READ: "with torch.no_grad():\n            _, pooled = self.bert(ids, segment_ids, mask)"},
)

sequence_classifier.mistake(
    "the segments are not handed on",
    "The segments do not arrive at the model, so it takes both texts of a pair for one. Hand `segment_ids` on.",
    {CALL: "self.bert(ids, mask=mask)"},
)

sequence_classifier.mistake(
    "the mask is not handed on",
    "The mask does not arrive at the model. Without one it hides the padding alone; what the caller hides is read. Hand `mask` on.",
    {CALL: "self.bert(ids, segment_ids)"},
)

sequence_classifier.mistake(
    "neither segments nor mask are handed on",
    "Neither segments nor mask arrive at the model. It takes both texts of a pair for one, and reads what the caller hides. Hand both on.",
    {CALL: "self.bert(ids)"},
)

sequence_classifier.mistake(
    "the head has no bias",
    "The head has no bias. Labels are not equally frequent, and a bias is where that is learned first. `nn.Linear` has one unless you say otherwise.",
    {"num_classes)\n        # END": "num_classes, bias=False)\n        # END"},
)

sequence_classifier.mistake(
    "the vector at [CLS] is added",
    "The last layer's vector at [CLS] is added to `pooled`. `pooled` is made of that vector already, and the head reads it alone.",
    {READ: READ.replace("_, pooled", "hidden, pooled"), OUT: "self.head(self.dropout(pooled + hidden[:, 0]))"},
)

sequence_classifier.mistake(
    "labels and texts exchanged",
    "Your result is (num_classes, batch): texts and labels are in each other's place. A row holds the scores of one text.",
    {OUT: f"{OUT}.T"},
)

sequence_classifier.mistake(
    "a dimension too many",
    "Your result has a dimension of size one too many. What is promised is (batch, num_classes): a text has one vector, `pooled`, and one row of scores.",
    *({OUT: f"{OUT}.unsqueeze({dim})"} for dim in (0, 1, 2)),
)

# TokenClassifier ----------------------------------------------------------------------------

READ = "hidden, _ = self.bert(ids, segment_ids, mask)  # (batch, seq_len, d_model)"
OUT = "self.head(self.dropout(hidden))"
# One vector stands for all tokens before something of it is dropped, or after.
FOR_ALL = ("self.head(self.dropout({}.expand_as(hidden)))", "self.head(self.dropout({})).expand(-1, ids.size(1), -1)")

token_classifier.mistake(
    "the text's vector for every token",
    "Every token gets the scores of the whole text: you give the head `pooled`. Tokens have vectors of their own, `hidden`.",
    *({OUT: made.format("_.unsqueeze(1)")} for made in FOR_ALL),
    edit(
        {OUT: "self.head(self.dropout(_))"},
        says="One row of scores comes back for each text: you give the head `pooled`. Tokens have vectors of their own, `hidden`.",
    ),
    *(
        edit(
            {OUT: made.format(one)},
            says=f"Every token gets the scores of {what}. Tokens have vectors of their own: give the head all of `hidden`.",
        )
        for one, what in (
            ("hidden[:, :1]", "the first one, [CLS]"),
            ("hidden[:, -1:]", "the last one"),
            ("hidden.mean(dim=1, keepdim=True)", "the mean over all places"),
        )
        for made in FOR_ALL
    ),
)

token_classifier.mistake(
    "probabilities instead of logits",
    "Your scores have been through a softmax. The cross-entropy takes one itself, and of numbers between 0 and 1 a second softmax makes almost equal ones: the loss cannot fall far. Return the logits.",
    {OUT: f"{OUT}.softmax(dim=-1)"},
    edit(
        {OUT: f"{OUT}.softmax(dim=0)"},
        says="Your scores have been through a softmax over the *batch*, so that texts compete with one another. Return the logits; the cross-entropy takes a softmax itself, over the labels.",
    ),
    edit(
        {OUT: f"{OUT}.softmax(dim=1)"},
        says="Your scores have been through a softmax over the *tokens*, so that tokens compete with one another. Return the logits; the cross-entropy takes a softmax itself, over the labels.",
    ),
    edit(
        {OUT: f"{OUT}.sigmoid()"},
        says="Your scores have been through a sigmoid. The cross-entropy takes a softmax itself, and of numbers between 0 and 1 it makes almost equal ones: the loss cannot fall far. Return the logits.",
    ),
)

token_classifier.mistake(
    "log-probabilities instead of logits",
    "Your scores are log-probabilities: a log_softmax has been taken. For `F.cross_entropy`, which takes another, that changes nothing. But what is promised are logits, and what adds scores up or holds them against a threshold reads something else. Return them as the head gives them.",
    {OUT: f"{OUT}.log_softmax(dim=-1)"},
)

token_classifier.mistake(
    "one vector for all tokens of a text",
    "One row of scores comes back for each text, (batch, num_tags): only the vector at [CLS] goes into the head. Every token has a label, so every token is scored: give the head all of `hidden`.",
    {OUT: "self.head(self.dropout(hidden[:, 0]))"},
    edit(
        {OUT: "self.head(self.dropout(hidden[:, -1]))"},
        says="One row of scores comes back for each text, (batch, num_tags): only the vector of the last place goes into the head. Every token has a label, so every token is scored: give the head all of `hidden`.",
    ),
    *(
        edit(
            {OUT: f"self.head(self.dropout({one}))"},
            says=f"One row of scores comes back for each text, (batch, num_tags): {what} goes into the head. Every token has a label, so every token is scored: give the head all of `hidden`.",
        )
        for one, what in (
            ("hidden.mean(dim=1)", "the mean over all places"),
            ("hidden.amax(dim=1)", "the largest number of each feature"),
            (
                "(hidden * (ids != self.bert.config.pad_id).unsqueeze(-1)).sum(dim=1) / (ids != self.bert.config.pad_id).sum(dim=1, keepdim=True)",
                "the mean over its tokens",
            ),
        )
    ),
)

token_classifier.mistake(
    "the text's vector is added",
    "The vector of the whole text is added to that of each token. Tokens have vectors of their own, and need no other: each has read its whole text already.",
    {OUT: "self.head(self.dropout(hidden + _.unsqueeze(1)))"},
)

token_classifier.mistake(
    "padding is set to 0",
    "The vectors of padding are set to 0. Nothing is asked there, so it changes no loss; but what is promised are the scores of every place, and who hands in another mask or id gets zeros where a token stands.",
    {OUT: "self.head(self.dropout(hidden * (ids != self.bert.config.pad_id).unsqueeze(-1)))"},
    edit(
        {OUT: f"{OUT} * (ids != self.bert.config.pad_id).unsqueeze(-1)"},
        says="The scores of padding are set to 0. Nothing is asked there, so it changes no loss; but what is promised are the scores of every place, and who hands in another mask or id gets zeros where a token stands.",
    ),
    edit(
        {OUT: f"{OUT}.masked_fill((ids == self.bert.config.pad_id).unsqueeze(-1), float('-inf'))"},
        says="The scores of padding are set to -inf. Nothing is asked there, and of a row of -inf a softmax makes NaN. What is promised are the scores of every place, as the head gives them.",
    ),
    edit(
        {OUT: f"{OUT} * (1 if mask is None else mask[:, 0, 0, :, None])"},
        says="The scores of what the mask hides are set to 0. A mask says who may read whom, and not which places are scored: what is promised are the scores of every place.",
    ),
)

token_classifier.mistake(
    "labels and tokens exchanged",
    "Your result is (batch, num_tags, seq_len). `F.cross_entropy` likes that form, but what is promised is (batch, seq_len, num_tags): whoever takes the likeliest label of the last dimension gets a token.",
    {OUT: f"{OUT}.transpose(1, 2)"},
)

token_classifier.mistake(
    "texts and tokens exchanged",
    "Your result is (seq_len, batch, num_tags): texts and tokens are in each other's place. Where scores are stacked token by token, the new dimension is dimension 1.",
    {OUT: f"{OUT}.transpose(0, 1)"},
)

token_classifier.mistake(
    "the first token is cut off",
    "The first token has no scores: [CLS] is cut off. Scores, ids and labels then no longer stand side by side. [CLS] keeps its place; its label is -100.",
    {OUT: "self.head(self.dropout(hidden[:, 1:]))"},
    edit(
        {OUT: "self.head(self.dropout(hidden[:, 1:-1]))"},
        says="The first token and the last have no scores. Scores, ids and labels then no longer stand side by side. [CLS] keeps its place, and so does what stands last; the label there is -100.",
    ),
    edit(
        {OUT: "self.head(self.dropout(hidden[:, :-1]))"},
        says="The last token has no scores. Scores, ids and labels then no longer stand side by side: every place keeps its own.",
    ),
)

token_classifier.mistake(
    "all tokens in one list",
    "The tokens of all texts stand in one list, (batch · seq_len, num_tags). Flatten for the loss, where it is taken; what is promised is (batch, seq_len, num_tags).",
    {OUT: f"{OUT}.flatten(0, 1)"},
    edit(
        {OUT: f"{OUT}.flatten(1)"},
        says="The scores of all tokens of a text stand in one row, (batch, seq_len · num_tags). What is promised is (batch, seq_len, num_tags): `torch.stack` makes a new dimension, and `torch.cat` does not.",
    ),
    edit(
        {OUT: f"{OUT}[ids != self.bert.config.pad_id]"},
        says="The tokens of all texts stand in one list, and those of the padding are not in it. Leave out places where the loss is taken; what is promised is (batch, seq_len, num_tags).",
    ),
)

token_classifier.mistake(
    "no dropout",
    "Nothing is dropped out between the model and the head, or what dropout returned is not used. Few labels are learned by heart quickly; dropout in front of the head works against that.",
    {OUT: "self.head(hidden)"},
)

token_classifier.mistake(
    "dropout on the logits",
    "Your dropout works on the logits. A label whose score is dropped counts as 0, and the loss punishes the model for it. It belongs in front of the head.",
    {OUT: "self.dropout(self.head(hidden))"},
)

token_classifier.mistake(
    "the model gets no gradient",
    "No gradient reaches the model below the head: only the head learns. That is a choice that one can make, with an optimizer that has only the head; in `forward` it is final. Is something detached, or under `no_grad`?",
    {OUT: "self.head(self.dropout(hidden.detach()))"},
    {READ: "with torch.no_grad():\n            hidden, _ = self.bert(ids, segment_ids, mask)"},
)

token_classifier.mistake(
    "the segments are not handed on",
    "The segments do not arrive at the model, so it takes both texts of a pair for one. Hand `segment_ids` on.",
    {CALL: "self.bert(ids, mask=mask)"},
)

token_classifier.mistake(
    "the mask is not handed on",
    "The mask does not arrive at the model. Without one it hides the padding alone; what the caller hides is read. Hand `mask` on.",
    {CALL: "self.bert(ids, segment_ids)"},
)

token_classifier.mistake(
    "neither segments nor mask are handed on",
    "Neither segments nor mask arrive at the model. It takes both texts of a pair for one, and reads what the caller hides. Hand both on.",
    {CALL: "self.bert(ids)"},
)

token_classifier.mistake(
    "the head has no bias",
    "The head has no bias. Labels are not equally frequent (most tokens are O), and a bias is where that is learned first. `nn.Linear` has one unless you say otherwise.",
    {"num_tags)\n        # END": "num_tags, bias=False)\n        # END"},
)

# both ----------------------------------------------------------------------------

KEPT = "self.bert = bert\n"
RATE = "nn.Dropout(bert.config.dropout)"

for exercise, vector in ((sequence_classifier, "pooled"), (token_classifier, "hidden")):
    exercise.mistake(
        "a dropout rate of its own",
        "Your dropout has a rate of its own. The model says which it was made with, `bert.config.dropout`: where that is 0, nothing is to be dropped. `nn.Dropout()` without a number drops one half.",
        {RATE: "nn.Dropout(0.1)"},
        {RATE: "nn.Dropout()"},
        {RATE: "nn.Dropout(bert.config.dropout / 2)"},
        edit(
            {RATE: "nn.Dropout(1 - bert.config.dropout)"},
            says="Your dropout keeps the share that should be dropped, and drops the rest. `nn.Dropout` is told how much is dropped: `bert.config.dropout`.",
        ),
    )
    exercise.mistake(
        "dropout in evaluation too",
        "Your dropout also works in evaluation, so the same text has other scores each time. `F.dropout` drops unless it is told `training=self.training`; `self.dropout(...)` knows by itself.",
        {f"self.dropout({vector})": f"nn.functional.dropout({vector}, self.dropout.p)"},
        edit(
            {f"self.dropout({vector})": f"nn.functional.dropout({vector}, self.dropout.p, not self.training)"},
            says="Your dropout works in evaluation, and in training it does not: it is turned round. `F.dropout` is told `training=self.training`; `self.dropout(...)` knows by itself.",
        ),
    )
    exercise.mistake(
        "a copy of the model",
        "You keep a copy of the model. What is trained is then the copy, and whoever handed the model in still holds the untrained one. Keep `bert` itself.",
        {KEPT: 'self.bert = __import__("copy").deepcopy(bert)\n'},
    )
    exercise.mistake(
        "the model begins anew",
        "The model's own parameters are given new numbers. What it has learned from reading is gone. Only the head is new: leave everything in `bert` as it came.",
        {KEPT: f"{KEPT}        for one in bert.parameters():\n            nn.init.normal_(one, std=0.02)\n"},
    )
    exercise.mistake(
        "the model is frozen",
        "The model below the head is frozen: `requires_grad` is False there. That is another way of using a pretrained model. Here it is trained along with the head.",
        {KEPT: f"{KEPT}        bert.requires_grad_(False)\n"},
    )
    exercise.mistake(
        "the model is always in evaluation mode",
        "The model below the head is put into evaluation mode, in training too. Its own dropout then never works. `classifier.train()` and `classifier.eval()` reach `self.bert` by themselves.",
        {"self.bert(ids, segment_ids, mask)  #": "self.bert.eval()(ids, segment_ids, mask)  #"},
        edit(
            {KEPT: f"{KEPT}        bert.eval()\n"},
            says="Your constructor puts the model into evaluation mode. A module is in training mode when it is made, and so is all that is in it: whoever trains at once trains without the model's own dropout. Leave its mode as it is.",
        ),
    )
    exercise.mistake(
        "dropout twice",
        "Dropout works twice on the same vector. More is dropped than the rate says, and what is left is scaled up twice. Once in front of the head is enough.",
        {f"self.dropout({vector})": f"self.dropout(self.dropout({vector}))"},
    )
    read, made = f"self.dropout({vector})", f"self.head(self.dropout({vector}))"
    exercise.mistake(
        "bent in front of the head",
        "What the model made goes through one more function in front of the head. The head is a linear layer, and reads the vector as the model gives it, after dropout.",
        {read: f"{read}.relu()"},
        {read: f"nn.functional.normalize({read}, dim=-1)"},
        {read: f"self.dropout(nn.functional.normalize({vector}, dim=-1))"},
        {read: f"{read}.tanh()"},
        {read: f"nn.functional.gelu({read})"},
        {read: f"nn.functional.layer_norm({read}, ({vector}.size(-1),))"},
        {read: f"self.dropout({vector}.tanh())"},
        {read: f"self.dropout({vector}.relu())"},
        {read: f"self.dropout(nn.functional.gelu({vector}))"},
        {read: f"self.dropout(nn.functional.layer_norm({vector}, ({vector}.size(-1),)))"},
    )
    exercise.mistake(
        "labels instead of logits",
        "Your result is the likeliest label, a whole number. Nothing can be learned from it: it has no gradient, and the cross-entropy wants a score for each label. Return the logits.",
        {made: f"{made}.argmax(dim=-1)"},
        {made: f"{made}.argmax(dim=-1, keepdim=True)"},
        edit(
            {made: f"{made}.softmax(dim=-1).max(dim=-1).values"},
            says="Your result is how likely the likeliest label is, and not which one it is; the other labels are lost. The cross-entropy wants a score for each label. Return the logits.",
        ),
        edit(
            {made: f"{made}.amax(dim=-1)"},
            says="Your result is the largest score, and not which label has it; the other labels are lost. The cross-entropy wants a score for each label. Return the logits.",
        ),
    )
    exercise.mistake(
        "a label too many",
        "Your head has a score more than there are labels. Labels are numbered from 0, and each has one.",
        {
            "num_classes)\n        # END"
            if vector == "pooled"
            else "num_tags)\n        # END": "num_classes + 1)\n        # END"
            if vector == "pooled"
            else "num_tags + 1)\n        # END"
        },
    )
    exercise.mistake(
        "bent behind the head",
        "The scores go through one more function behind the head. Logits are what the linear layer gives, of any sign and size; the softmax of the loss does the rest.",
        *({made: bent.format(made)} for bent in ("{}.relu()", "{}.tanh()", "nn.functional.gelu({})")),
        edit(
            {made: f"{made} / {vector}.size(-1) ** 0.5"},
            says="Your scores are divided by the root of the number of features. Attention does that with its scores. Logits are what the linear layer gives.",
        ),
        edit(
            {made: f"{made}.sub({made}.amax(dim=-1, keepdim=True))"},
            says="The largest score is taken off all of them. A softmax does that by itself, and it changes no probability; but what is promised are logits, as the linear layer gives them.",
        ),
    )
    exercise.mistake(
        "a dimension of size one is lost",
        "Where there is one text, or one label, a dimension is missing: `squeeze` takes away every dimension of size one. A batch of one text is still a batch, and one label still stands in a dimension of its own.",
        {made: f"{made}.squeeze()"},
        edit(
            {made: f"{made}.squeeze(-1)"},
            says="Where there is one label, its dimension is missing: `squeeze` takes it away. One label still stands in a dimension of its own; who wants it away takes it away.",
        ),
        edit(
            {made: f"{made}.squeeze(0)"},
            says="Where there is one text, its dimension is missing: `squeeze` takes it away. A batch of one text is still a batch.",
        ),
    )
    count = "num_classes" if vector == "pooled" else "num_tags"
    exercise.mistake(
        "a fixed number of labels",
        f"Your head has the same number of labels whatever `{count}` says. Tasks differ in how many there are: the constructor is told.",
        *({f"{count})\n        # END": f"{number})\n        # END"} for number in (1, 2, 3, 10)),
        edit(
            {f"{count})\n        # END": "bert.config.vocab_size)\n        # END"},
            says=f"Your head has a score for each token that there is. That is the head of pretraining; here it has one for each label, `{count}`.",
        ),
    )
    exercise.mistake(
        "a label too few",
        "Your head has a score less than there are labels. Labels are numbered from 0, and each has a score of its own.",
        {f"{count})\n        # END": f"{count} - 1)\n        # END"},
    )
    given = "self.bert(ids, segment_ids, mask)"
    real = "(ids != self.bert.config.pad_id)[:, None, None]"
    earlier = "torch.ones(1, 1, ids.size(1), ids.size(1), dtype=torch.bool).tril()"
    exercise.mistake(
        "segments and mask exchanged",
        "Segments and mask are in each other's place when you call the model. Its order is ids, segment_ids, mask.",
        {given: "self.bert(ids, mask, segment_ids)"},
    )
    exercise.mistake(
        "the mask is turned round",
        "You turn the mask round on the way to the model. True means here and there that a place may be read: hand `mask` on as it is.",
        {given: "self.bert(ids, segment_ids, None if mask is None else ~mask)"},
    )
    exercise.mistake(
        "segment 1 where none is given",
        "Where no segments are given you make some, of 1 everywhere. A text alone is the first one of a pair, segment 0; the model knows that itself when it is given None.",
        {given: "self.bert(ids, torch.ones_like(ids) if segment_ids is None else segment_ids, mask)"},
    )
    exercise.mistake(
        "a seed of its own",
        "Your constructor sets a seed. Then every head that is made begins with the same numbers, and the caller's own seed is gone: three runs with three seeds are one run. Set seeds where a run begins.",
        {KEPT: f"{KEPT}        torch.manual_seed(0)\n"},
        edit(
            {given: "(torch.manual_seed(0), self.bert(ids, segment_ids, mask))[1]"},
            says="`forward` sets a seed. Then dropout drops the same numbers in every step, and the caller's own seed is gone. Set seeds where a run begins.",
        ),
    )
    exercise.mistake(
        "the head's bias does not count once",
        "The head's bias is a parameter, and does not arrive in the scores: only the matrix is used. Call the head, or add its bias.",
        {made: f"{made} - self.head.bias"},
        edit(
            {made: f"{made} + self.head.bias"},
            says="The head's bias is added twice. Calling the head adds it already.",
        ),
        edit(
            {made: f"{made} - 2 * self.head.bias"},
            says="The head's bias is taken off. A linear layer adds it.",
        ),
    )
    exercise.mistake(
        "more than the logits",
        "Two things come back: the logits, and what the model made below the head. One thing is promised, the logits: whoever calls this hands what comes back to the loss.",
        *(
            {f"return {made}": f"return {pair.format(made)}"}
            for pair in (f"{{}}, {vector}", f"{vector}, {{}}", "{}, _", "_, {}")
        ),
    )
    exercise.mistake(
        "from the last token to the first",
        "The model reads your texts backwards: the ids are turned round on the way to it. Then [CLS] stands last, or behind the padding, and the positions are others than those it was pretrained with.",
        *(
            {given: f"self.bert(ids.flip(1), {segments}, mask)"}
            for segments in ("segment_ids", "None if segment_ids is None else segment_ids.flip(1)")
        ),
        *(
            edit(
                {given: f"self.bert(ids.roll({by}, 1), segment_ids, mask)"},
                says="The ids are shifted by one place on the way to the model, and what falls out at one end comes in at the other. So [CLS] no longer stands first.",
            )
            for by in (1, -1)
            if exercise is sequence_classifier  # in the other each token has the scores of another
        ),
    )
    exercise.mistake(
        "padding is read",
        "Where no mask is given you make one that hides nothing, so padding is read: a text has other scores beside a longer one. Hand `mask` on as it is; given None, the model hides the padding itself.",
        {given: "self.bert(ids, segment_ids, torch.ones_like(ids[:, None, None]).bool() if mask is None else mask)"},
        edit(
            {given: "self.bert(ids, segment_ids, ids[:, None, None] != 0 if mask is None else mask)"},
            says="Where no mask is given you make one that takes id 0 for padding. Which id it is says the model, `bert.config.pad_id`. Hand `mask` on as it is; given None, the model hides the padding itself.",
        ),
        edit(
            {
                given: "self.bert(ids, segment_ids, (ids != self.bert.config.pad_id)[:, None, :, None] if mask is None else mask)"
            },
            says="Where no mask is given you make one that hides what padding reads, and not the padding itself. Hand `mask` on as it is; given None, the model hides the padding itself.",
        ),
    )
    exercise.mistake(
        "what comes later is hidden",
        "Where no mask is given you make one that hides what comes later, as a decoder does. This model reads in both directions, and was pretrained so. Hand `mask` on as it is; given None, the model hides the padding itself.",
        {given: f"self.bert(ids, segment_ids, {earlier} & {real} if mask is None else mask)"},
        {given: f"self.bert(ids, segment_ids, {earlier}.expand(len(ids), 1, -1, -1) if mask is None else mask)"},
    )
    exercise.mistake(
        "through the pooler again",
        "What goes into the head went through the model's pooler before, once more than the model has it. The pooler is a part of the model, and works on the vector at [CLS] alone.",
        {f"self.dropout({vector})": f"self.dropout(torch.tanh(self.bert.pooler({vector})))"},
        {f"self.dropout({vector})": f"self.dropout(self.bert.pooler({vector}))"},
    )
    exercise.mistake(
        "whole vectors are dropped",
        "Your dropout drops a vector as a whole, or none of it. `nn.Dropout` decides for each number by itself; `nn.Dropout1d` and a mask of one number for each vector do not.",
        {f"self.dropout({vector})": f"({vector} * self.dropout(torch.ones_like({vector}[..., :1])))"},
        {RATE: "nn.Dropout1d(bert.config.dropout)"},
    )
    exercise.mistake(
        "dropout on the head's own numbers",
        "Your dropout works on the head's matrix. What it drops is then dropped for all texts of the batch at once. It works on the vector in front of the head, where each text loses other features.",
        {
            made: f"nn.functional.linear({vector}, self.dropout(self.head.weight), self.head.bias)",
        },
    )

token_classifier.mistake(
    "scores of other tokens",
    "The scores are those of other tokens: they stand in the opposite order, or are shifted. Scores, ids and labels stand side by side, each at its own place.",
    {OUT: f"{OUT}.flip(1)"},
    {OUT: f"{OUT}.roll(1, 1)"},
    {OUT: f"{OUT}.roll(-1, 1)"},
    {OUT: "self.head(self.dropout(torch.cat([hidden[:, 1:], hidden[:, -1:]], dim=1)))"},
    {OUT: "self.head(self.dropout(torch.cat([hidden[:, :1], hidden[:, :-1]], dim=1)))"},
    *(
        edit(
            {CALL: f"self.bert(ids.roll({by}, 1), segment_ids, mask)"},
            says="The ids are shifted by one place on the way to the model: each place has the scores of the token beside it. Scores, ids and labels stand side by side, each at its own place.",
        )
        for by in (1, -1)
    ),
    edit(
        {OUT: f"{OUT}.flatten(0, 1).view(ids.size(1), len(ids), -1).transpose(0, 1)"},
        says="The scores of all tokens were put into one list, and what is made of the list again has them at other places: it is folded as if it went token by token, and it goes text by text.",
    ),
)

token_classifier.mistake(
    "the same is dropped of every token",
    "Your dropout drops the same features of all tokens of a text. `nn.Dropout` decides for each number by itself: hand it `hidden` as it is.",
    {OUT: "self.head(hidden * self.dropout(torch.ones_like(hidden[:, :1])))"},
    {OUT: "self.head(hidden * self.dropout(torch.ones_like(hidden[:1, :])))"},
)
