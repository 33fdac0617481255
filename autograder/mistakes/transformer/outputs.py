"""The output of the model, and what is shared or tied."""

from autograder.checks.transformer import transformer
from autograder.mistakes.transformer.model import (
    DECODE,
    FORWARD,
    IF_SHARED,
    IF_TIED,
    INIT,
    LINEAR,
    MEMORY,
    ROOT,
    SCORES,
    SHARE,
    TGT_PAD,
    TIE,
)
from autograder.probing.mistake import edit

# The output ----------------------------------------------------------------------------

transformer.mistake(
    "the output layer has a bias",
    "The output layer has a bias. The paper shares one matrix between embedding and output, and mentions no bias; the constructor as it was given says `bias=False`.",
    edit({"bias=False": "bias=True"}, inside=INIT),
)

WITH_BIAS = LINEAR.replace(", bias=False", "")
LAST_TIED = {TIE: "self.output[-1].weight = self.tgt_embedding.embedding.weight"}
transformer.mistake(
    "a layer that nothing uses",
    "The constructor makes a layer that nothing uses. Its numbers are saved, counted and never trained. Take it out.",
    *(
        edit({f"self.output = {LINEAR}": f"self.output = {LINEAR}\n        self.{name} = {layer}"}, inside=INIT)
        for name, layer in (("hidden", "nn.Linear(config.d_model, config.d_model)"), ("final", LINEAR))
    ),
)

transformer.mistake(
    "two output layers in a row",
    "There are two output layers in a row. With nothing between them two linear layers compute what one can compute, and the parameters of the first are there for nothing. One layer leads from the features to the vocabulary.",
    *(
        edit({LINEAR: f"nn.Sequential({first}, {last})"} | LAST_TIED, inside=INIT)
        for first, last in (
            ("nn.Linear(config.d_model, config.d_model, bias=False)", LINEAR),
            ("nn.Linear(config.d_model, config.d_model)", LINEAR),
            ("nn.Linear(config.d_model, config.d_model)", WITH_BIAS),
        )
    ),
    *(
        edit(
            {LINEAR: f"nn.Sequential(nn.Linear(config.d_model, config.d_model), nn.{bend}(), {LINEAR})"} | LAST_TIED,
            inside=INIT,
            says="There is a network of two layers at the output. One linear layer leads from the features to the vocabulary; what bends stands in the feed-forward networks of the stacks.",
        )
        for bend in ("ReLU", "GELU", "Tanh")
    ),
)
transformer.mistake(
    "logits of size d_model",
    "The result has d_model numbers for a token, not one for every word. That is what comes out of the decoder; a score for each of the tgt_vocab_size words is what `self.output` makes of it.",
    edit({SCORES: SCORES.replace("self.output", "")}, inside=FORWARD),
    edit({LINEAR: "nn.Linear(config.d_model, config.d_model, bias=False)"}, inside=INIT),
    edit({LINEAR: "nn.Linear(config.d_model, config.d_model, bias=False)", TIE: "pass"}, inside=INIT),
)
transformer.mistake(
    "decode already returns scores",
    "`decode` returns scores. It should return one vector for every token of the target, d_model numbers; the output layer belongs into `forward`. When texts are written token by token, only the last vector needs scores.",
    {
        "return self.decoder(": "return self.output(self.decoder(",
        "tgt_mask, src_mask)": "tgt_mask, src_mask))",
        "self.output(self.decode(": "(self.decode(",
    },
)
transformer.mistake(
    "√d_model on the output too",
    "The scores are multiplied by √d_model. The factor belongs to the embedding; where the output layer shares its table, the table is used as it is. Multiplied, the softmax starts out far too sure of itself.",
    edit({SCORES: f"{SCORES} * {ROOT}"}, inside=FORWARD),
    edit({SCORES: f"{SCORES} * ({ROOT} if self.config.tie_output else 1.0)"}, inside=FORWARD),
)
transformer.mistake(
    "scores divided by √d_model",
    "The scores are divided by √d_model. T5 does that where output and table are tied; the paper of this lesson does not. The output layer's result is returned as it is.",
    edit({SCORES: f"{SCORES} / {ROOT}"}, inside=FORWARD),
    edit({SCORES: f"{SCORES} / ({ROOT} if self.config.tie_output else 1.0)"}, inside=FORWARD),
)
transformer.mistake(
    "softmax already applied",
    "The softmax has been applied already. The model returns scores (logits), any real numbers: `F.cross_entropy` takes the softmax itself, and a second one on top flattens all probabilities until hardly anything is learned.",
    edit({SCORES: f"{SCORES}.softmax(-1)"}, inside=FORWARD),
    edit(
        {SCORES: f"{SCORES}.log_softmax(-1)"},
        inside=FORWARD,
        says="The logarithm of the softmax has been taken already. The model returns scores (logits), any real numbers, and the loss makes probabilities of them. `F.cross_entropy` would not mind, as a second "
        "`log_softmax` changes nothing; but whoever asks the model for scores gets other numbers.",
    ),
    edit({SCORES: f"{SCORES}.softmax(1)"}, inside=FORWARD),
)
transformer.mistake(
    "only the last place is scored",
    "Only the last place is scored. That is enough to write the next token; in training every place of the target is a task of its own, all at once. Return the scores of all places.",
    edit({SCORES: f"{SCORES}[:, -1]"}, inside=FORWARD),
    edit({SCORES: f"{SCORES}[:, -1:]"}, inside=FORWARD),
)
transformer.mistake(
    "target shortened inside the model",
    "Your model drops the last token of the target. Whoever calls it has done so already: `forward` is given the decoder's input, begins to end, and returns scores for every place of it.",
    edit({"self.decode(tgt_ids,": "self.decode(tgt_ids[:, :-1],"}, inside=FORWARD),
    edit(
        {"self.decode(tgt_ids,": "self.decode(tgt_ids[:, 1:],"},
        inside=FORWARD,
        says="Your model drops the first token of the target, the start. That makes the *answer* of what was given; `forward` is given the decoder's input, and returns scores for every place of it.",
    ),
)
TO_THE_LEFT = "Your model shifts the target to the left. `forward` is given the decoder's input, which begins with the start token. Shifted, each place reads the very token that it is to name, and the start is gone."
TWICE_THE_FIRST = "tgt_ids[:, [0, *range(tgt_ids.size(1) - 1)]]"
transformer.mistake(
    "target shifted inside the model",
    "Your model shifts the target to the right. Whoever calls it has done so already: `forward` is given the decoder's input, which begins with the start token. Shifted once more, each place lacks the very word before the one it is to name.",
    *(
        edit({"self.decode(tgt_ids,": f"self.decode({given},"}, inside=FORWARD)
        for given in (
            "nn.functional.pad(tgt_ids[:, :-1], (1, 0), value=1)",
            "nn.functional.pad(tgt_ids[:, :-1], (1, 0), value=self.config.pad_id)",
            "tgt_ids.roll(1, 1)",
            TWICE_THE_FIRST,
        )
    ),
    *(
        edit({TGT_PAD: TGT_PAD.replace("tgt_ids", f"(tgt_ids := {given})")}, inside=DECODE)
        for given in ("nn.functional.pad(tgt_ids[:, :-1], (1, 0), value=1)", "tgt_ids.roll(1, 1)", TWICE_THE_FIRST)
    ),
    *(
        edit({"self.decode(tgt_ids,": f"self.decode({given},"}, inside=FORWARD, says=TO_THE_LEFT)
        for given in (
            "nn.functional.pad(tgt_ids[:, 1:], (0, 1), value=self.config.pad_id)",
            "tgt_ids.roll(-1, 1)",
            "tgt_ids[:, [*range(1, tgt_ids.size(1)), -1]]",
        )
    ),
)
transformer.mistake(
    "vocabulary in the middle",
    "The vocabulary stands in the middle. `F.cross_entropy` likes its classes there, but the model returns (batch, tgt_len, tgt_vocab): turn it round where the loss is computed.",
    edit({SCORES: f"{SCORES}.transpose(1, 2)"}, inside=FORWARD),
)
transformer.mistake(
    "the best token instead of scores",
    "The model returns tokens, not scores. An argmax has no gradient, so nothing could be trained; choosing a token is the business of whoever decodes (lesson 11).",
    edit({SCORES: f"{SCORES}.argmax(-1)"}, inside=FORWARD),
)

# Sharing and tying ----------------------------------------------------------------------------

transformer.mistake(
    "tie_output ignored",
    "`tie_output` does nothing. The output layer keeps numbers of its own: assign the target table's weight to `self.output.weight`.",
    edit({TIE: "pass"}, inside=INIT),
)
transformer.mistake(
    "tied weights copied instead of shared",
    "The weights are copied, not shared. They are equal at the start and go their own ways from the first step of training on. One Parameter has to serve in both places: assign the Parameter itself, without `clone`, `copy_` or "
    "`deepcopy`.",
    edit({TIE: "self.output.weight.data.copy_(self.tgt_embedding.embedding.weight.data)"}, inside=INIT),
)

DATA = (
    "The two share their memory, but not the Parameter. `.data`, or a new `nn.Parameter` around the old numbers, points both at the same numbers, and each is a Parameter with a gradient of its own: an optimizer would move the "
    "numbers twice in every step. Assign the Parameter itself, {}, with nothing around or behind it."
)
transformer.mistake(
    "tied through .data",
    DATA.format("`self.tgt_embedding.embedding.weight`"),
    edit({TIE: "self.output.weight.data = self.tgt_embedding.embedding.weight.data"}, inside=INIT),
)
transformer.mistake(
    "tied to the source's table",
    "The output is tied to the source's table. It scores words of the *target*, so it shares the target's: with two vocabularies, even the number of scores comes out wrong.",
    edit({TIE: "self.output.weight = self.src_embedding.embedding.weight"}, inside=INIT),
)
transformer.mistake(
    "the output is the embedding",
    "The output layer is replaced by the embedding. An embedding looks up ids, and what comes here is vectors. `self.output` stays a linear layer; only its *weight* is the table: `self.output.weight = self.tgt_embedding.embedding.weight`.",
    edit({TIE: "self.output = self.tgt_embedding"}, inside=INIT),
    edit({TIE: "self.output = self.tgt_embedding.embedding"}, inside=INIT),
)
transformer.mistake(
    "tied though not asked for",
    "The output layer is always tied. It should be only if `config.tie_output` says so.",
    edit({IF_TIED: "if True:\n"}, inside=INIT),
    edit(
        {IF_TIED: "if config.tie_output or config.share_embeddings:\n"},
        inside=INIT,
        says="The output layer is tied where the embeddings are shared. The two choices are independent: it is tied only if `config.tie_output` says so.",
    ),
    edit(
        {SCORES: f"return self.decode(tgt_ids, {MEMORY}, src_mask) @ self.tgt_embedding.embedding.weight.T"},
        inside=FORWARD,
        says="The scores are always those of the target's table. It should serve as the output only if `config.tie_output` says so, and then as the weight of `self.output`: call that.",
    ),
)
transformer.mistake(
    "tied only where the embeddings are shared",
    "The output layer is tied only where the embeddings are shared. The two choices are independent: an output can share the target's table while the source has another one.",
    edit({IF_TIED: "if config.tie_output and config.share_embeddings:\n"}, inside=INIT),
)
transformer.mistake(
    "share_embeddings ignored",
    "`share_embeddings` does nothing. Source and target keep a table each: assign one embedding to both names.",
    edit({SHARE: "pass"}, inside=INIT),
)
transformer.mistake(
    "shared embedding copied",
    "The shared embedding is copied, not shared. The two tables are equal at the start and go their own ways from the first step of training on. Assign the same module to both names.",
    edit({SHARE: "self.tgt_embedding.load_state_dict(self.src_embedding.state_dict())"}, inside=INIT),
)
transformer.mistake(
    "shared through .data",
    DATA.format("or the whole module: `self.tgt_embedding = self.src_embedding`"),
    edit(
        {SHARE: "self.tgt_embedding.embedding.weight.data = self.src_embedding.embedding.weight.data"},
        inside=INIT,
    ),
)
transformer.mistake(
    "share_embeddings and tie_output exchanged",
    "The two choices have changed places. `share_embeddings` is about the two tables at the input, `tie_output` about the output layer and the target's table.",
    edit({IF_SHARED: IF_TIED, IF_TIED: IF_SHARED}, inside=INIT),
    edit({IF_SHARED: IF_TIED, SHARE: "self.src_embedding = self.tgt_embedding", IF_TIED: IF_SHARED}, inside=INIT),
)
transformer.mistake(
    "not tied where the embeddings are shared",
    "With both choices on, the output is not tied. Either you tie first and share afterwards, which puts another embedding in the target's place, and the output keeps one that is thrown away; or an `elif` lets only one of the two happen. They are independent, and the order counts: share first, then tie.",
    edit({IF_SHARED: IF_TIED, SHARE: TIE, IF_TIED: IF_SHARED, TIE: SHARE}, inside=INIT),
)
transformer.mistake(
    "shared though not asked for",
    "The embeddings are shared although nobody asked. Two vocabularies of the same size are still two: share only if `config.share_embeddings` says so.",
    edit(
        {IF_SHARED: "if config.share_embeddings or config.src_vocab_size == config.tgt_vocab_size:\n"},
        inside=INIT,
    ),
    edit({IF_SHARED: "if True:\n"}, inside=INIT),
)
