"""Wrong ways of SpanReader."""

from autograder.checks.fine_tuning.questions import span_reader
from autograder.probing.mistake import edit

READ = "hidden, _ = self.bert(ids, segment_ids, mask)  # (batch, seq_len, d_model)"
CALL = "self.bert(ids, segment_ids, mask)"
SPLIT = "start, end = self.head(hidden).unbind(dim=-1)"
RETURN = "return start, end"
KEPT = "self.bert = bert\n"

span_reader.mistake(
    "start and end exchanged",
    "Start and end are exchanged: the first thing you return is the head's second number. A head that was trained by one order reads nonsense by the other. The head's first number is the start.",
    {RETURN: "return end, start"},
)

span_reader.mistake(
    "start and end in one tensor",
    "Start and end come back as one tensor, whose last dimension holds both. What is promised are two tensors, (batch, seq_len) each: take the last dimension apart.",
    {RETURN: "return torch.stack([start, end], dim=-1)"},
    edit(
        {RETURN: "return torch.stack([start, end], dim=1)"},
        says="Start and end come back as one tensor, with both side by side in dimension 1. What is promised are two tensors, (batch, seq_len) each.",
    ),
    edit(
        {RETURN: "return torch.stack([start, end])"},
        says="Start and end come back as one tensor, one behind the other. What is promised are two tensors, (batch, seq_len) each.",
    ),
)

span_reader.mistake(
    "the last dimension is kept",
    "Your start and end are (batch, seq_len, 1): a dimension of size 1 is left. What is promised is (batch, seq_len). `unbind(dim=-1)` drops it, and so does an index; `split` and `chunk` keep it.",
    {SPLIT: "start, end = self.head(hidden).split(1, dim=-1)"},
)

span_reader.mistake(
    "numbers of other tokens",
    "The numbers of one token have become those of others: a `reshape` or `view` cut the list of numbers where it happened to fit. The two numbers of a token stand side by side in the last dimension. Take that dimension apart.",
    {SPLIT: "start, end = self.head(hidden).reshape(2, *ids.shape)"},
    {SPLIT: "start, end = self.head(hidden).reshape(len(ids), 2, -1).unbind(dim=1)"},
    edit(
        {SPLIT: "start, end = self.head(hidden)[:, :2].unbind(dim=1)"},
        says="What you return are both numbers of the first token and both numbers of the second. The two numbers of a token stand in the last dimension: `[..., 0]` and `[..., 1]`, with all tokens in front.",
    ),
    edit(
        {SPLIT: "start, end = self.head(hidden).chunk(2, dim=1)"},
        says="The row of tokens is cut into two halves, and the first is taken for the start. The two numbers of a token stand in the last dimension. Take that dimension apart.",
    ),
    edit(
        {SPLIT: "scores = self.head(hidden)\n        start, end = scores[0], scores[1]"},
        says="What you return is all that the first text has, and all that the second has. The two numbers of a token stand in the last dimension: `[..., 0]` and `[..., 1]`, with all texts and tokens in front.",
    ),
)

span_reader.mistake(
    "one number for both",
    "Start and end are the same numbers. A token that may well be the first of an answer need not be the last of it: the head makes two numbers of a token's vector, one for each.",
    {RETURN: "return start, start"},
    edit(
        {RETURN: "return end, end"},
        says="Start and end are the same numbers, the head's second one. The head makes two numbers of a token's vector: the first is the start, the second the end.",
    ),
    edit(
        {
            "nn.Linear(bert.config.d_model, 2)": "nn.Linear(bert.config.d_model, 1)",
            SPLIT: "start = end = self.head(hidden).squeeze(-1)",
        },
        says="The head makes one number of a token's vector, and it serves as start and as end. A token that may well be the first of an answer need not be the last of it: the head makes two.",
    ),
)

span_reader.mistake(
    "the text's vector for every token",
    "The head reads `pooled`, the vector of the whole pair. All tokens then have the same scores, and none stands out. Tokens have vectors of their own, `hidden`.",
    edit(
        {SPLIT: "start, end = self.head(_).unsqueeze(1).expand(-1, ids.size(1), -1).unbind(dim=-1)"},
        says="All tokens of a pair have the same scores: the head reads `pooled`, the vector of the whole pair. Tokens have vectors of their own, `hidden`.",
    ),
    edit(
        {SPLIT: "start, end = self.head(_).unbind(dim=-1)"},
        says="Two numbers come back for each pair, not for each token: the head reads `pooled`. Tokens have vectors of their own, `hidden`.",
    ),
    *(
        edit(
            {SPLIT: f"start, end = self.head(hidden[:, {place}]).expand(-1, ids.size(1), -1).unbind(dim=-1)"},
            says=f"All tokens of a pair have the scores of {which}. Tokens have vectors of their own: give the head all of `hidden`.",
        )
        for place, which in ((":1", "the first one, [CLS]"), ("-1:", "the last one"))
    ),
)

span_reader.mistake(
    "the text's vector is added",
    "The vector of the whole pair is added to that of each token. Tokens have vectors of their own, and need no other: each has read the whole pair already.",
    {SPLIT: "start, end = self.head(hidden + _.unsqueeze(1)).unbind(dim=-1)"},
    edit(
        {SPLIT: "start, end = self.head(hidden + hidden[:, :1]).unbind(dim=-1)"},
        says="The vector of [CLS] is added to that of each token. Tokens have vectors of their own, and need no other: each has read the whole pair already.",
    ),
)

span_reader.mistake(
    "tokens are cut off",
    "The first token has no scores: [CLS] is cut off. Scores and ids then no longer stand side by side, and `best_span` counts places from another one. Every token is scored.",
    {RETURN: "return start[:, 1:], end[:, 1:]"},
    edit(
        {RETURN: "return start[:, :-1], end[:, :-1]"},
        says="The last token has no scores. Scores and ids then no longer stand side by side: every token is scored.",
    ),
    edit(
        {RETURN: "return start[:, 1:-1], end[:, 1:-1]"},
        says="The first token and the last have no scores. Scores and ids then no longer stand side by side: every token is scored.",
    ),
)

span_reader.mistake(
    "probabilities instead of logits",
    "Your scores have been through a softmax. The cross-entropy takes one itself, and of numbers between 0 and 1 a second softmax makes almost equal ones: the loss cannot fall far. Return the logits.",
    {RETURN: "return start.softmax(dim=-1), end.softmax(dim=-1)"},
    edit(
        {RETURN: "return torch.stack([start, end], -1).softmax(dim=-1).unbind(dim=-1)"},
        says="Your scores have been through a softmax over the *two numbers* of a token, so that start and end compete with each other. Return the logits: the cross-entropy takes a softmax itself, over the tokens.",
    ),
    edit(
        {RETURN: "return start.sigmoid(), end.sigmoid()"},
        says="Your scores have been through a sigmoid. The cross-entropy takes a softmax itself, and of numbers between 0 and 1 it makes almost equal ones: the loss cannot fall far. Return the logits.",
    ),
    edit(
        {RETURN: "return start.softmax(dim=0), end.softmax(dim=0)"},
        says="Your scores have been through a softmax over the *batch*, so that pairs compete with one another. Return the logits; the cross-entropy takes a softmax itself, over the tokens.",
    ),
)

span_reader.mistake(
    "log-probabilities instead of logits",
    "Your scores are log-probabilities: a log_softmax over the tokens has been taken. For `F.cross_entropy`, which takes another, that changes nothing. But what is promised are logits. Return them as the head gives them.",
    {RETURN: "return start.log_softmax(dim=-1), end.log_softmax(dim=-1)"},
)

span_reader.mistake(
    "the model gets no gradient",
    "No gradient reaches the model below the head: only the head learns. In `forward` that is final. Is something detached, or under `no_grad`?",
    {SPLIT: "start, end = self.head(hidden.detach()).unbind(dim=-1)"},
    {READ: "with torch.no_grad():\n            hidden, _ = self.bert(ids, segment_ids, mask)"},
)

span_reader.mistake(
    "the segments are not handed on",
    "The segments do not arrive at the model, so it cannot tell the question from the text. Hand `segment_ids` on.",
    {CALL: "self.bert(ids, mask=mask)"},
)

span_reader.mistake(
    "the mask is not handed on",
    "The mask does not arrive at the model. Without one it hides the padding alone; what the caller hides is read. Hand `mask` on.",
    {CALL: "self.bert(ids, segment_ids)"},
)

span_reader.mistake(
    "neither segments nor mask are handed on",
    "Neither segments nor mask arrive at the model. It cannot tell the question from the text, and reads what the caller hides. Hand both on.",
    {CALL: "self.bert(ids)"},
)

span_reader.mistake(
    "the head has no bias",
    "The head has no bias. `nn.Linear` has one unless you say otherwise.",
    {"d_model, 2)": "d_model, 2, bias=False)"},
)

span_reader.mistake(
    "a copy of the model",
    "You keep a copy of the model. What is trained is then the copy, and whoever handed the model in still holds the untrained one. Keep `bert` itself.",
    {KEPT: 'self.bert = __import__("copy").deepcopy(bert)\n'},
)

span_reader.mistake(
    "the model is frozen",
    "The model below the head is frozen: `requires_grad` is False there. That is another way of using a pretrained model. Here it is trained along with the head.",
    {KEPT: f"{KEPT}        bert.requires_grad_(False)\n"},
)

span_reader.mistake(
    "bent in front of the head",
    "What the model made goes through one more function in front of the head. The head is a linear layer, and reads the vector as the model gives it.",
    *(
        {SPLIT: SPLIT.replace("(hidden)", f"({bent})")}
        for bent in ("hidden.tanh()", "hidden.relu()", "nn.functional.gelu(hidden)")
    ),
    *(
        {SPLIT: SPLIT.replace("(hidden)", f"({bent})")}
        for bent in (
            "nn.functional.layer_norm(hidden, (hidden.size(-1),))",
            "nn.functional.normalize(hidden, dim=-1)",
        )
    ),
)


def hidden_by(places: str) -> dict[str, str]:
    """Minus infinity in some places of both."""
    return {RETURN: f"return tuple(one.masked_fill({places}, float('-inf')) for one in (start, end))"}


PADDING = "(ids == self.bert.config.pad_id)"
QUESTION = "((ids * 0 if segment_ids is None else segment_ids + 1) == 1)"

span_reader.mistake(
    "some tokens score minus infinity",
    "The tokens of the question score minus infinity. The head scores every token as it finds it; where an answer may lie is said to `best_span`, by `allowed`.",
    hidden_by(QUESTION),
    edit(
        hidden_by(PADDING),
        says="Padding scores minus infinity. The head scores every token as it finds it; where an answer may lie is said to `best_span`, by `allowed`.",
    ),
    edit(
        hidden_by(f"{PADDING} | {QUESTION}"),
        says="Padding and the tokens of the question score minus infinity. The head scores every token as it finds it; where an answer may lie is said to `best_span`, by `allowed`.",
    ),
)

span_reader.mistake(
    "places instead of scores",
    "Your result is a place for each pair, that of its best start and of its best end. Nothing can be learned from it: it has no gradient, and the cross-entropy wants a score for each token. Return the logits; `best_span` chooses.",
    *({RETURN: f"return start.argmax({more}), end.argmax({more})"} for more in ("-1", "-1, keepdim=True")),
    edit(
        {RETURN: "return torch.stack([start, end], -1).argmax(-1)"},
        says="Your result says of each token which of its two numbers is the larger. They do not compete: a token may be the first of an answer and the last. Return both.",
    ),
)

span_reader.mistake(
    "from the last token to the first",
    "The scores are those of other tokens: what the model reads, or what comes out, is turned round or shifted. Scores and ids stand side by side, each at its own place.",
    {SPLIT: SPLIT.replace("(hidden)", "(hidden.flip(1))")},
    {CALL: "self.bert(ids.flip(1), segment_ids, mask)"},
    {CALL: "self.bert(ids.flip(1), None if segment_ids is None else segment_ids.flip(1), mask)"},
    *(
        edit(
            {RETURN: f"return start, end.{moved}"},
            says="The end scores are those of other tokens: they are turned round or shifted. The head's second number of a token says how much speaks for *it* as the last of the answer.",
        )
        for moved in ("flip(1)", "roll(1, 1)", "roll(-1, 1)")
    ),
)

span_reader.mistake(
    "the head's bias does not count once",
    "The head's bias is a parameter, and does not arrive in the scores: only the matrix is used. Call the head, or add its bias.",
    {SPLIT: SPLIT.replace(".unbind", ".sub(self.head.bias).unbind")},
    edit(
        {SPLIT: SPLIT.replace(".unbind", ".add(self.head.bias).unbind")},
        says="The head's bias is added twice. Calling the head adds it already.",
    ),
    edit(
        {SPLIT: SPLIT.replace(".unbind", ".sub(self.head.bias).add(self.head.bias.flip(0)).unbind")},
        says="Each of the two numbers has the bias of the other. The head's first bias belongs to the start, its second to the end.",
    ),
    *(
        edit(
            {SPLIT: SPLIT.replace(".unbind", f".sub(self.head.bias).add(self.head.bias[{which}]).unbind")},
            says="Start and end have the same bias. Each of the two numbers has one of its own, the first for the start and the second for the end.",
        )
        for which in (0, 1)
    ),
)

span_reader.mistake(
    "bent behind the head",
    "The scores go through one more function behind the head. Logits are what the linear layer gives, of any sign and size; the softmax of the loss does the rest.",
    *(
        {RETURN: f"return {bent.format('start')}, {bent.format('end')}"}
        for bent in ("{}.relu()", "{}.tanh()", "nn.functional.gelu({})", "{} / hidden.size(-1) ** 0.5")
    ),
    edit(
        {SPLIT: SPLIT.replace("(hidden)", "(hidden / hidden.size(-1) ** 0.5)")},
        says="The vectors are divided by the root of the number of features in front of the head. Attention does that with its scores. The head reads the vectors as the model gives them.",
    ),
)

span_reader.mistake(
    "the two numbers of a token are mixed",
    "You add the two numbers of a token, or take one off the other. They answer two questions: the first is the start, the second the end, each by itself.",
    *({RETURN: f"return {both}"} for both in ("start, start + end", "start + end, end", "start - end, end - start")),
    edit(
        {RETURN: "return start - (start + end) / 2, end - (start + end) / 2"},
        says="You take the mean of a token's two numbers off both. They answer two questions: the first is the start, the second the end, each by itself.",
    ),
)

HEAD = "nn.Linear(bert.config.d_model, 2)"

span_reader.mistake(
    "two layers for the head",
    "You make two layers of one number each. They compute the same, but what is promised is one layer, `self.head`, that makes two numbers: whoever trains this head, or loads it, asks for it by that name.",
    {
        f"self.head = {HEAD}": "self.head = nn.ModuleList(nn.Linear(bert.config.d_model, 1) for _ in range(2))",
        SPLIT: "start, end = (one(hidden).squeeze(-1) for one in self.head)",
    },
    *(
        {
            f"self.head = {HEAD}": f"self.{one}, self.{other} = (nn.Linear(bert.config.d_model, 1) for _ in range(2))",
            SPLIT: f"start, end = self.{one}(hidden).squeeze(-1), self.{other}(hidden).squeeze(-1)",
        }
        for one, other in (
            ("start", "end"),
            ("start_head", "end_head"),
            ("head_start", "head_end"),
            ("start_linear", "end_linear"),
        )
    ),
)

span_reader.mistake(
    "more than one layer in the head",
    "Your head has several layers. What is promised is a single linear layer: the model below has layers enough, and is trained with it.",
    *(
        {HEAD: f"nn.Sequential(nn.Linear(bert.config.d_model, bert.config.d_model), nn.{bent}(), {HEAD})"}
        for bent in ("Tanh", "ReLU", "GELU")
    ),
)

span_reader.mistake(
    "segments are made up",
    "Where no segments are given, you give the model some: all ones. Without segments it takes everything for the first one. Hand on what came, None too.",
    {CALL: "self.bert(ids, torch.ones_like(ids) if segment_ids is None else segment_ids, mask)"},
)

span_reader.mistake(
    "dropout in front of the head",
    "Something is dropped out in training, between the model and the head. The other two heads do that; this one reads the vectors as the model gives them, and has a single linear layer.",
    *(
        {
            KEPT: f"{KEPT}        self.dropout = nn.Dropout({rate})\n",
            SPLIT: SPLIT.replace("hidden", "self.dropout(hidden)"),
        }
        for rate in ("bert.config.dropout", "0.1")
    ),
)

span_reader.mistake(
    "a seed of its own",
    "Your constructor sets a seed. Then every head that is made begins with the same numbers, and the caller's own seed is gone: three runs with three seeds are one run. Set seeds where a run begins.",
    {KEPT: f"{KEPT}        torch.manual_seed(0)\n"},
)

span_reader.mistake(
    "segments and mask exchanged",
    "Segments and mask are in each other's place when you call the model. Its order is ids, segment_ids, mask.",
    {CALL: "self.bert(ids, mask, segment_ids)"},
)

span_reader.mistake(
    "the mask is turned round",
    "You turn the mask round on the way to the model. True means here and there that a place may be read: hand `mask` on as it is.",
    {CALL: "self.bert(ids, segment_ids, None if mask is None else ~mask)"},
)

span_reader.mistake(
    "a dimension of size one is lost",
    "Where there is one pair, or one token, a dimension is missing: `squeeze` takes away every dimension of size one. A batch of one pair is still a batch. Take the last dimension alone apart.",
    {RETURN: "return start.squeeze(), end.squeeze()"},
    {RETURN: "return start.squeeze(-1), end.squeeze(-1)"},
)

span_reader.mistake(
    "the model is always in evaluation mode",
    "The model below the head is put into evaluation mode, in training too. Its own dropout then never works. `reader.train()` and `reader.eval()` reach `self.bert` by themselves.",
    {CALL: "self.bert.eval()(ids, segment_ids, mask)"},
    edit(
        {KEPT: f"{KEPT}        bert.eval()\n"},
        says="Your constructor puts the model into evaluation mode. A module is in training mode when it is made, and so is all that is in it: whoever trains at once trains without the model's own dropout. Leave its mode as it is.",
    ),
)
