"""Wrong ways of answering questions."""

from autograder.checks.fine_tuning.questions import best_span, span_reader
from autograder.probing.mistake import edit

# SpanReader ----------------------------------------------------------------------------

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

# best_span ----------------------------------------------------------------------------

FIRSTS = "range(len(start))"
LASTS = "range(first, min(first + max_len, len(start)))"
FORBIDDEN = "if not allowed[last]:\n                break  # nor may a longer one from here"
SCORE = "(start[first] + end[last]).item()"
BEST = "_, first, stop = max(found)"
OR_NONE = f"if not found:\n        return None\n    {BEST}"
DONE = "return first, stop"
APPEND = "found.append(((start[first] + end[last]).item(), first, last + 1))"

SEEN = "start.masked_fill(~allowed, float('-inf'))"
SEEN_END = "end.masked_fill(~allowed, float('-inf'))"

best_span.mistake(
    "start and end each by itself",
    "You take the best start and the best end, each by itself. Together they may be no span: the end may stand before the start, or too far behind it, or across what is not allowed. Compare whole spans, by the sum of their two scores.",
    {DONE: f"return int({SEEN}.argmax()), int({SEEN_END}.argmax()) + 1"},
    edit(
        {DONE: "return int(start.argmax()), int(end.argmax()) + 1"},
        says="You take the best start and the best end, each by itself and wherever they stand, also where no answer may lie. Compare whole spans that may be answers, by the sum of their two scores.",
    ),
    {BEST: f"first, stop = int({SEEN}.argmax()), int({SEEN_END}.argmax()) + 1"},
)

best_span.mistake(
    "the best start first",
    "You take the best start and then the best end that fits it. A start that is nearly as good may have a much better end. Compare whole spans, by the sum of their two scores.",
    {BEST: f"best = int({SEEN}.argmax())\n    _, first, stop = max(one for one in found if one[1] == best)"},
    edit(
        {
            BEST: "best = max(found, key=lambda one: start[one[1]])[1]\n    _, first, stop = max(one for one in found if one[1] == best)"
        },
        says="You take the best start and then the best end that fits it. A start that is nearly as good may have a much better end. Compare whole spans, by the sum of their two scores.",
    ),
    {FIRSTS: f"[int({SEEN}.argmax())]"},
)

best_span.mistake(
    "the best end first",
    "You take the best end and then the best start that fits it. An end that is nearly as good may have a much better start. Compare whole spans, by the sum of their two scores.",
    {BEST: f"best = int({SEEN_END}.argmax()) + 1\n    _, first, stop = max(one for one in found if one[2] == best)"},
    {APPEND: f"if last == int({SEEN_END}.argmax()):\n                {APPEND}"},
)

WITHIN = "range(max(0, first - max_len + 1), min(first + max_len, len(start)))"
BEFORE = "range(min(first + max_len, len(start)))"

best_span.mistake(
    "the end may stand before the start",
    "Spans that end before they start are compared too, and one of them won. An answer is read forwards: its last token does not stand before its first.",
    *(
        {LASTS: lasts, FORBIDDEN: f"if not {free}:\n                continue"}
        for lasts in (BEFORE, WITHIN, "range(len(start))")
        for free in (  # of the whole row and both ends, each would be chosen by itself
            "(allowed[first : last + 1].all() and allowed[last + 1 : first + 1].all())",
            "(allowed[first] and allowed[last])",
            "allowed[first : last + 1].all()",
            "allowed[min(first, last) : max(first, last) + 1].all()",
            "(allowed[first : last + 1].all() and allowed[last + 1 : first].all())",
            "allowed[last]",
        )
        if lasts != "range(len(start))" or free != "(allowed[first] and allowed[last])"
    ),
)

best_span.mistake(
    "the end is the last token itself",
    "The second number that you return is the place of the answer's last token. `ids[first:stop]` then lacks that token: the stop is the place behind it.",
    {DONE: "return first, stop - 1"},
)

best_span.mistake(
    "the length instead of the stop",
    "The second number that you return is how many tokens the answer has. What is promised is the place behind its last token.",
    {DONE: "return first, stop - first"},
    edit(
        {DONE: "return first, stop - 1 - first"},
        says="The second number that you return is how far the answer's last token is from its first. What is promised is the place behind the last token, counted from the start of the row.",
    ),
)

best_span.mistake(
    "one token too long",
    "Your spans have one token more than max_len allows. A span from `first` to `last` has last - first + 1 tokens.",
    {LASTS: "range(first, min(first + max_len + 1, len(start)))"},
)

best_span.mistake(
    "one token too short",
    "Your spans have one token less than max_len allows. A span from `first` to `last` has last - first + 1 tokens, and that may be max_len.",
    {LASTS: "range(first, max(first + 1, min(first + max_len - 1, len(start))))"},
    edit(
        {
            LASTS: "range(first, min(first + max_len - 1, len(start)))",
            BEST: "_, first, stop = max(found, default=(0, 0, 0))",
        },
        says="Your spans have one token less than max_len allows, and where it allows one token there is none. A span from `first` to `last` has last - first + 1 tokens, and that may be max_len.",
    ),
)

best_span.mistake(
    "no limit to the length",
    "Your spans may be of any length: max_len is passed over. A start in one sentence and an end in another then make a long answer that nobody would give.",
    {LASTS: "range(first, len(start))"},
)

best_span.mistake(
    "a single token is no answer",
    "Your spans have two tokens at least: the end may not be the start itself. Many answers are a single token, which is both the first and the last.",
    {APPEND: f"if last > first:\n                {APPEND}"},
    *(
        {APPEND: f"if {which}:\n                {APPEND}", BEST: OR_NONE}
        for which in ("last > first", "last > first or max_len == 1")
    ),
    {APPEND: f"if last > first or max_len == 1:\n                {APPEND}"},
    {LASTS: "range(first + 1, min(first + max_len, len(start)))"},
)

best_span.mistake(
    "what is not allowed is passed over",
    "Your answer lies where none may lie: `allowed` is passed over. The question, [CLS], [SEP] and the padding have scores like all tokens.",
    {FORBIDDEN: "pass"},
)

best_span.mistake(
    "only the two ends are asked",
    "Your answer begins and ends where it may, and between these runs over a token that is not allowed. All tokens of the answer are to be allowed.",
    {"break  #": "continue  #", "if not allowed[last]": "if not (allowed[first] and allowed[last])"},
)

best_span.mistake(
    "one allowed token is enough",
    "A span counts as soon as one of its tokens is allowed. All tokens of the answer are such: `all()`, not `any()`.",
    {FORBIDDEN: "if not allowed[first : last + 1].any():\n                continue"},
)

best_span.mistake(
    "only the first token is asked",
    "Only the answer's first token is asked whether it is allowed. The answer may then end in what is no text, such as the padding.",
    {"if not allowed[last]": "if not allowed[first]"},
)

best_span.mistake(
    "only the last token is asked",
    "Only the answer's last token is asked whether it is allowed. The answer may then begin in the question.",
    {"break  #": "continue  #"},
)

best_span.mistake(
    "allowed the wrong way round",
    "Your answer lies where none may lie: `allowed` is read the wrong way round. True means that an answer may lie there.",
    {"if not allowed[last]": "if allowed[last]"},
    *(
        {"if not allowed[last]": "if allowed[last]", BEST: f"_, first, stop = max(found, default=(0, 0, {stop}))"}
        for stop in (0, 1)
    ),
)

OF_EQUALS_THE_FIRST = {BEST: "_, first, stop = max(found, key=lambda one: one[0])"}
EACH_AS_0 = {FORBIDDEN: "pass", SCORE: "((start * allowed)[first] + (end * allowed)[last]).item()"}
WHOLE_AS_0 = {FORBIDDEN: "pass", SCORE: "((start[first] + end[last]) * allowed[first : last + 1].all()).item()"}
ENDS_AS_0 = {FORBIDDEN: "pass", SCORE: "((start[first] + end[last]) * allowed[first] * allowed[last]).item()"}

best_span.mistake(
    "what is not allowed counts as 0",
    "What is not allowed has the score 0 in your code. Where all other scores are below 0, that is the best. Leave it out, or give it minus infinity.",
    *(way | more for way in (EACH_AS_0, WHOLE_AS_0, ENDS_AS_0) for more in ({}, OF_EQUALS_THE_FIRST)),
)

best_span.mistake(
    "places among the allowed tokens",
    "The places that you return are counted among the allowed tokens alone. In the whole text they stand elsewhere: what is in front of them, such as the question, counts too.",
    {DONE: "before = (~allowed).cumsum(0).tolist()\n    return first - before[first], stop - before[stop - 1]"},
    edit(
        {DONE: "lead = allowed.tolist().index(True)\n    return first - lead, stop - lead"},
        says="The places that you return are counted from the first allowed token. In the whole text they stand further on: what is in front of it, such as the question, counts too.",
    ),
)

best_span.mistake(
    "the product of the scores",
    "You multiply the two scores. Of two scores below 0 that makes a large number, and the worst span may win. Logits are added. (Probabilities may be multiplied; their logarithms are added.)",
    {SCORE: "(start[first] * end[last]).item()"},
)

best_span.mistake(
    "the difference of the scores",
    "You take the end score off the start score, so that a bad end is a good one. Logits are added.",
    {SCORE: "(start[first] - end[last]).item()"},
    edit(
        {SCORE: "(end[last] - start[first]).item()"},
        says="You take the start score off the end score, so that a bad start is a good one. Logits are added.",
    ),
)

best_span.mistake(
    "the longest span",
    "You take the longest span that may be an answer, whatever its scores. The span with the largest sum of two scores is wanted.",
    {BEST: "_, first, stop = max(found, key=lambda one: one[2] - one[1])"},
    {BEST: "_, first, stop = max(found, key=lambda one: (one[2] - one[1], one[0]))"},
)

best_span.mistake(
    "probabilities are added",
    "You add probabilities. A start that is nearly certain then wins with any end. Multiply probabilities, or add the logits, which comes to the same.",
    {SCORE: "(start.softmax(0)[first] + end.softmax(0)[last]).item()"},
    edit(
        {SCORE: "(start.sigmoid()[first] + end.sigmoid()[last]).item()"},
        says="You add sigmoids of the scores. A start that is nearly certain then wins with any end. Add the logits themselves.",
    ),
)

best_span.mistake(
    "the mean of all scores in the span",
    "You add up the scores of all tokens of the span. Only two count: the start of its first token and the end of its last.",
    {SCORE: "(start[first : last + 1] + end[first : last + 1]).sum().item()"},
    edit(
        {SCORE: "(start[first : last + 1] + end[first : last + 1]).mean().item()"},
        says="You take the mean of the scores of all tokens of the span. Only two scores count: the start of its first token and the end of its last.",
    ),
    *(
        edit(
            {SCORE: "((start[first] + end[last]) / (last - first + 1)).item()"} | more,
            says="You divide the sum of the two scores by the number of tokens, so that a short span beats a long one. The sum itself is what counts.",
        )
        for more in ({}, OF_EQUALS_THE_FIRST)
    ),
)

best_span.mistake(
    "start and end exchanged",
    "You read the start scores at the last token and the end scores at the first.",
    {SCORE: "(end[first] + start[last]).item()"},
)

best_span.mistake(
    "the worst span",
    "You take the span with the smallest sum. The larger the sum, the more speaks for the span.",
    {BEST: "_, first, stop = min(found)"},
    edit(
        {
            BEST: "every = [(first, stop) for first in range(len(start)) for stop in range(1, len(start) + 1)]\n    first, stop = next((one for one in every if one not in [place[1:] for place in found]), min(found)[1:])"
        },
        says="You take the smallest sum of a table, in which what is no answer has minus infinity, so that you take just that. The larger the sum, the more speaks for the span.",
    ),
)

ALONE = f"int({SEEN}.argmax()), int({SEEN_END}.argmax())"

best_span.mistake(
    "put into order afterwards",
    "You take the best start and the best end, each by itself, and exchange them where the end comes first. What stands between the two is then no span that anything speaks for: its first token was a good last one. Compare whole spans.",
    {DONE: f"first, last = sorted(({ALONE}))\n    return first, last + 1"},
    {DONE: "first, last = sorted((int(start.argmax()), int(end.argmax())))\n    return first, last + 1"},
    edit(
        {DONE: f"first, last = sorted(({ALONE}))\n    return first, min(last + 1, first + max_len)"},
        says="You take the best start and the best end, each by itself, exchange them where the end comes first, and cut off what is too long. What is left is a span that nothing speaks for. Compare whole spans.",
    ),
)

best_span.mistake(
    "the end is moved to the start",
    "You take the best start and the best end, each by itself, and where the end stands before the start it is moved there: one token is left. Another span may have a much larger sum. Compare whole spans.",
    *(
        {DONE: f"first, last = {alone}\n    return first, {stop}"}
        for alone in (ALONE, "int(start.argmax()), int(end.argmax())")
        for stop in ("max(first, last) + 1", "min(max(first, last) + 1, first + max_len)")
    ),
)

best_span.mistake(
    "what is no span counts as 0",
    "Pairs of tokens that are no span, because the end stands before the start or too far behind it, have the score 0 in your code: `triu` and `tril` put zeros there, and so does a mask that is multiplied. Where the sums of all spans are below 0, such a pair is the best. Give them minus infinity.",
    *(
        {
            LASTS: "range(len(start))",
            FORBIDDEN: "pass",
            SCORE: f"(({SEEN[:-14]}-1e9)[first] + {SEEN_END[:-14]}-1e9)[last]) * (0 <= last - first < max_len)).item()",
        }
        | more
        for more in ({}, OF_EQUALS_THE_FIRST)
    ),
    *(
        edit(
            {
                LASTS: "range(len(start))",
                FORBIDDEN: "pass",
                SCORE: f"((start[first] + end[last]).item() if 0 <= last - first < max_len and allowed[first : last + 1].all() else {score})",
            }
            | more,
            says=f"What is no span, or runs over what is not allowed, has the score {score} in your code. Where all other sums are below that, it is the best. Leave it out, or give it minus infinity.",
        )
        for score in (0.0, -1.0, -100.0, -1e3, -1e4)
        for more in ({}, OF_EQUALS_THE_FIRST)
    ),
)

best_span.mistake(
    "only spans that are read backwards",
    "You compare the spans whose end stands before their start, and leave those out that are read forwards: the wrong triangle of the table of all pairs. Rows are starts and columns ends, so the spans lie above its diagonal.",
    {
        LASTS: "range(max(0, first - max_len + 1), first + 1)",
        FORBIDDEN: "if not (allowed[first] and allowed[last]):\n                continue",
    },
    {LASTS: "range(first + 1)", FORBIDDEN: "if not (allowed[first] and allowed[last]):\n                continue"},
)

best_span.mistake(
    "the two places exchanged",
    "You return the place of the end first and that of the start behind it. In a table of all pairs the row is the start and the column the end; the number of a cell, divided by the length of a row, is its row.",
    {DONE: "return stop - 1, first + 1"},
    {DONE: "return stop, first"},
    {DONE: "return stop - 1, first"},
)

best_span.mistake(
    "one of the two scores alone",
    "Only one of the two scores counts in your code. A good start with a bad end is no good answer: add both.",
    *({SCORE: f"{one}.item()"} | more for one in ("start[first]", "end[last]") for more in ({}, OF_EQUALS_THE_FIRST)),
)

best_span.mistake(
    "chosen among the allowed tokens alone",
    "You take the allowed tokens out and choose among them. Tokens that stood apart are neighbours there, so an answer may run over what was taken out; and what is counted among them has another place in the text.",
    {"found = []": "start, end, allowed = start[allowed], end[allowed], allowed[allowed]\n    found = []"},
    edit(
        {
            "found = []": "where = allowed.nonzero().flatten().tolist()\n    start, end, allowed = start[allowed], end[allowed], allowed[allowed]\n    found = []",
            DONE: "return where[first], where[stop - 1] + 1",
        },
        says="You take the allowed tokens out and choose among them. Tokens that stood apart are neighbours there, so your answer may run over what was taken out.",
    ),
)

best_span.mistake(
    "no sum below 0 is good enough",
    "Where the sums of all spans are below 0, you take none of them: the best so far begins at 0. Scores are logits and may all be below 0. Begin with minus infinity, or with the first span.",
    {BEST: "_, first, stop = max([(0.0, 0, 0), *found])"},
    {BEST: "_, first, stop = max([(0.0, 0, 1), *found])"},
    {BEST: "_, first, stop = max([(-1.0, 0, 0), *found])"},
    *({"found = []": f"found = [(0.0, 0, {stop})]"} for stop in (0, 1)),
    *({DONE: f"return (first, stop) if max(found)[0] > 0 else {none}"} for none in ("None", "(-1, -1)")),
    edit(
        {DONE: "if max(found)[0] > 0:\n        answer = first, stop\n    return answer"},
        says="Where the sums of all spans are below 0, you take none of them, and then there is no answer to return: the best so far begins at 0. Scores are logits and may all be below 0. Begin with minus infinity, or with the first span.",
    ),
)

best_span.mistake(
    "the end score of the token behind",
    "You read the end score at the stop, which is the place *behind* the answer. The end score that counts is that of the answer's last token, at stop - 1.",
    {
        LASTS: "range(first + 1, min(first + max_len + 1, len(start)))",
        FORBIDDEN: "if not allowed[first:last].all():\n                break",
        "first, last + 1))": "first, last))",
    },
    {SCORE: "(start[first] + end[min(last + 1, len(end) - 1)]).item()"},
    {SCORE: "(start[first] + end[min(last + 1, len(end) - 1)]).item()"} | OF_EQUALS_THE_FIRST,
)

best_span.mistake(
    "an end of the row is never reached",
    "No answer of yours ends with the last token of the row. `range(n)` ends before n by itself: `range(len(start))` has every place.",
    {LASTS: "range(first, min(first + max_len, len(start) - 1))"},
    {LASTS: "range(first, min(first + max_len, len(start) - 1))", BEST: OR_NONE},
    {LASTS: "range(first, max(first + 1, min(first + max_len, len(start) - 1)))"},
    {FIRSTS: "range(len(start) - 1)"},
    {FIRSTS: "range(len(start) - 1)", BEST: OR_NONE},
    *(
        edit(
            {FIRSTS: "range(1, len(start))"} | more,
            says="No answer of yours begins with the first token of the row. Places begin at 0, and whether an answer may lie there is for `allowed` to say.",
        )
        for more in (
            {},
            {BEST: "_, first, stop = max(found, default=(0, 0, 1))"},
            {BEST: "_, first, stop = max(found, default=(0, 0, 0))"},
            {BEST: OR_NONE},
        )
    ),
)

best_span.mistake(
    "tensors for numbers",
    "The two places that you return are tensors. What is promised are two whole numbers of Python's: `.item()` or `int(...)` makes one of what `argmax` gives.",
    *(
        {DONE: f"return {both}"}
        for both in (
            "torch.tensor(first), torch.tensor(stop)",
            "torch.tensor(first), stop",
            "first, torch.tensor(stop)",
        )
    ),
    edit(
        {DONE: "return torch.tensor([first, stop])"},
        says="The two places come back in one tensor. What is promised are two whole numbers of Python's, `(first, stop)`.",
    ),
)

best_span.mistake(
    "a list for the two places",
    "The two places come back in a list. What is promised is a tuple, `(first, stop)`. A list never equals a tuple, so whoever compares your answer with `(2, 5)` finds it wrong.",
    {DONE: "return [first, stop]"},
)

best_span.mistake(
    "the score comes back too",
    "Three things come back: the two places, and the score. What is promised is `(first, stop)` alone, and whoever unpacks two of three gets an error.",
    {DONE: "return max(found)"},
    *({DONE: f"return first, stop, max(found)[0]{more}"} for more in ("", " / 2")),
    edit(
        {DONE: "return max(found)[0], (first, stop)"},
        says="The score comes back beside the two places. What is promised is `(first, stop)` alone.",
    ),
)

best_span.mistake(
    "only answers of max_len tokens",
    "Your answers have exactly max_len tokens. That is the most that an answer may have: all shorter ones count, down to a single token.",
    *(
        {APPEND: f"if last - first + 1 == max_len:\n                {APPEND}", BEST: f"_, first, stop = {best}"}
        for best in ("max(found, default=(0, 0, 0))", "max(found, default=(0, 0, 1))", "max(found)")
    ),
    {APPEND: f"if last - first + 1 == max_len:\n                {APPEND}", BEST: OR_NONE},
)

best_span.mistake(
    "the sign of the scores is lost",
    "You compare the sums by their size, without their sign. The span with the most that speaks *against* it then wins over one that nothing speaks for. The largest sum is wanted.",
    {SCORE: "(start[first] + end[last]).abs().item()"},
    edit(
        {SCORE: "(start[first].abs() + end[last].abs()).item()"},
        says="You take the scores without their sign. What speaks most *against* a token then counts as what speaks for it. The largest sum is wanted, and scores below 0 are small.",
    ),
)

best_span.mistake(
    "a cell of the table is read wrongly",
    "The number of the best cell is taken apart by another length than that of a row. In a table of n rows with n cells each, cell k stands in row k // n and column k % n; with max_len cells in a row, divide by max_len.",
    {DONE: "cell = first * len(start) + stop - 1\n    return cell // max_len, cell % max_len + 1"},
    *(
        {DONE: f"cell = first * max_len + stop - 1 - first\n    return cell // len(start), cell % len(start) + {more}"}
        for more in ("1", "cell // len(start) + 1")
    ),
)

best_span.mistake(
    "allowed from the first to the last",
    "You let the answer lie anywhere from the first allowed token to the last. Between these some may not be allowed. Ask every token of the span.",
    {
        "found = []": "after, before = allowed.cumsum(0), allowed.flip(0).cumsum(0).flip(0)\n    allowed = (after > 0) & (before > 0)\n    found = []"
    },
)

best_span.mistake(
    "only the first stretch that is allowed",
    "You look at the first stretch of allowed tokens and at no other. What is allowed may lie in several stretches, and the best answer in any of them.",
    {
        "found = []": "gaps = (~allowed).cumsum(0)\n    allowed = allowed & (gaps == gaps[allowed.tolist().index(True)])\n    found = []"
    },
)

best_span.mistake(
    "the best so far is not kept",
    "Only the last start counts: the best score so far is forgotten with every new one, or never written down. Set it once, in front of both loops. Where a span is better, both change, the score and the places.",
    {BEST: "_, first, stop = max(one for one in found if one[1] == found[-1][1])"},
    edit(
        {BEST: "_, first, stop = max(found, key=lambda one: (one[2] - one[1], one[1]))"},
        says="Your answer is the span that your loops come to last, whatever its score: the best score so far is never written down. Where a span is better, both change, the score and the places.",
    ),
)

best_span.mistake(
    "the loops end too soon",
    "Only spans with the first start count: your function returns, or stops, after one round of the outer loop. Return when both loops are through.",
    {BEST: "_, first, stop = max(one for one in found if one[1] == found[0][1])"},
    edit(
        {BEST: "_, first, stop = found[0]"},
        says="Your answer is the span that your loops come to first, whatever its score: the function returns within the loops. Return when both are through.",
    ),
)

FEW = {
    k: {
        FIRSTS: f"start.topk(min({k}, len(start))).indices.tolist()",
        APPEND: f"if last in end.topk(min({k}, len(end))).indices.tolist():\n                {APPEND}",
    }
    for k in (5, 10, 20)
}
OF_ALLOWED = "start, end = (one.masked_fill(~allowed, float('-inf')) for one in (start, end))\n    found = []"

best_span.mistake(
    "only the best few starts and ends",
    "You compare the best few starts with the best few ends, and no others. Programs for long texts do that to save time. But the best span may have neither: its sum is the largest, not each of its scores. Compare all spans.",
    *(
        few | seen | {BEST: f"_, first, stop = {best}"}
        for few in FEW.values()
        for seen in ({}, {"found = []": OF_ALLOWED})
        for best in ("max(found, default=(0, 0, 0))", "max(found, default=(0, 0, 1))", "max(found)")
    ),
)

best_span.mistake(
    "fractions for the two places",
    "The two places are fractions, 3.0 and 6.0. A list or a tensor takes no fraction as a place: `ids[3.0:6.0]` is a TypeError. Make whole numbers of them, `int(...)`.",
    {DONE: "return float(first), float(stop)"},
)

best_span.mistake(
    "the larger or the smaller of the two scores",
    "A span counts as much as the larger one of its two scores. A good start with a bad end is no good answer: add both.",
    *({SCORE: "torch.maximum(start[first], end[last]).item()"} | more for more in ({}, OF_EQUALS_THE_FIRST)),
    *(
        edit(
            {SCORE: "torch.minimum(start[first], end[last]).item()"} | more,
            says="A span counts as much as the smaller one of its two scores. Their sum is what counts: add both.",
        )
        for more in ({}, OF_EQUALS_THE_FIRST)
    ),
)

best_span.mistake(
    "a place is one off",
    "The start that you return is one too early: the token in front of the answer is counted in. The answer is `ids[first:stop]`.",
    {DONE: "return first - 1, stop"},
    edit(
        {DONE: "return first + 1, stop"},
        says="The start that you return is one too late: the answer lacks its first token. The answer is `ids[first:stop]`.",
    ),
    edit(
        {DONE: "return first, stop + 1"},
        says="The stop that you return is one too far. It is the place right behind the answer's last token: is 1 added twice?",
    ),
    edit(
        {DONE: "return first + 1, stop + 1"},
        says="Both places are one too far. Places begin at 0, and the answer is `ids[first:stop]`.",
    ),
)

CHANCES = f"({SEEN}.log_softmax(0)[first] + {SEEN_END}.log_softmax(0)[last]).item()"

best_span.mistake(
    "logarithms beside zeros",
    "You add logarithms of probabilities, which are all below 0, and what is no span counts as 0: `triu` and `tril` put zeros there. So what is no span is always best. Give it minus infinity.",
    *(
        {LASTS: "range(len(start))", FORBIDDEN: "pass", SCORE: f"{CHANCES} if 0 <= last - first < max_len else 0.0"}
        | more
        for more in ({}, OF_EQUALS_THE_FIRST)
    ),
)
