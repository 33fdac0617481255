"""Wrong ways of encoding texts, and of training on them."""

from autograder.checks.semantic_matching.encoding import bi_encoder
from autograder.probing.mistake import edit

READ = "hidden, _ = self.bert(ids)  # (batch, seq_len, d_model)"
POOLED = "mean_pool(hidden, ids != self.bert.config.pad_id)"
TOKENS = "ids != self.bert.config.pad_id"
LOSS = "contrastive_loss(queries, documents, self.log_temperature.exp(), same)"
BOTH = "queries, documents = self.encode(query_ids), self.encode(document_ids)"
BEGIN, ENCODE, FORWARD = "BiEncoder.__init__", "BiEncoder.encode", "BiEncoder.forward"
COSINES, HIDDEN = "cosine_scores(queries, documents)", "scores.masked_fill(same & ~own, -torch.inf)"
ONE, OTHER = "F.cross_entropy(scores, right)", "F.cross_entropy(scores.T, right)"
OWN_LOSS = "contrastive_loss"
APART = "(F.normalize(queries, dim=-1)[:, None] - F.normalize(documents, dim=-1)).square().sum(dim=-1).sqrt()"
KEPT = "self.__dict__.setdefault('kept {0}', {{}}).setdefault({1}.shape, {2})"
SIMILAR = "torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1)) / self.log_temperature.exp()"

bi_encoder.mistake(
    "mean over the padding",
    "Your vector is the mean over all places, the padding included. A name has another vector beside a longer one than alone, and a search finds something else when its batches are cut otherwise. `mean_pool` leaves out what the mask says.",
    edit({POOLED: "hidden.mean(dim=1)"}, inside=ENCODE),
    edit({TOKENS: "torch.ones_like(ids, dtype=torch.bool)"}, inside=ENCODE),
)

bi_encoder.mistake(
    "divided by the padded length",
    "The padding is left out of the sum, but not out of the number that it is divided by. So in training and alone a name has vectors of other lengths. `mean_pool` counts the tokens.",
    edit(
        {POOLED: "hidden.masked_fill(~(ids != self.bert.config.pad_id).unsqueeze(-1), 0.0).mean(dim=1)"}, inside=ENCODE
    ),
)

bi_encoder.mistake(
    "the vector at place 0",
    "You take the vector at place 0. These names have no [CLS] there: it is the vector of the first character. Take the mean over all of them.",
    edit({POOLED: "hidden[:, 0]"}, inside=ENCODE),
)

bi_encoder.mistake(
    "the pooled vector",
    "You take the second thing that the model gives, `pooled`: one more layer on the vector at place 0. These names have no [CLS] there. Take the mean over the first thing, a vector for each token.",
    edit(
        {READ: "_, hidden = self.bert(ids)", POOLED: "hidden"},
        inside=ENCODE,
    ),
)

bi_encoder.mistake(
    "padding is taken for id 0",
    "You take id 0 for padding. Which id it is stands in `self.bert.config.pad_id`; here 0 is a token like any other, and the padding is read.",
    edit({TOKENS: "ids != 0"}, inside=ENCODE),
    edit({TOKENS: "ids > 0"}, inside=ENCODE),
    edit(
        {TOKENS: "ids > self.bert.config.pad_id"},
        inside=ENCODE,
        says="You take every id up to that of the padding for padding. Only `pad_id` itself is: `!=`, not `>`.",
    ),
)

bi_encoder.mistake(
    "the mask upside down",
    "Your mask says True where there is padding. `mean_pool` wants True for a token: `!=`, not `==`.",
    edit({TOKENS: "ids == self.bert.config.pad_id"}, inside=ENCODE),
)

bi_encoder.mistake(
    "the temperature upside down",
    "You divide the cosines by 1 / temperature. `exp` of the logarithm is the temperature itself, without a minus and without a fraction.",
    edit({LOSS: LOSS.replace("self.log_temperature.exp()", "(-self.log_temperature).exp()")}, inside=FORWARD),
)

bi_encoder.mistake(
    "a temperature of 1",
    "Your loss does not use the temperature that is learned: its numbers are those of a temperature of 1. Hand it on.",
    edit({LOSS: LOSS.replace("self.log_temperature.exp()", "1.0")}, inside=FORWARD),
)

bi_encoder.mistake(
    "the temperature does not learn",
    "No gradient reaches `log_temperature`. `.item()`, `.detach()` and `math.exp` make a fixed number of it; `.exp()` keeps the way back.",
    edit({LOSS: LOSS.replace("self.log_temperature.exp()", "self.log_temperature.exp().item()")}, inside=FORWARD),
)

bi_encoder.mistake(
    "same is not handed on",
    "`same` does not arrive at the loss. What occurs twice in a batch is pushed away from its double.",
    edit({LOSS: LOSS.replace(", same)", ")")}, inside=FORWARD),
    edit({HIDDEN: "scores"}, inside=OWN_LOSS),
)

bi_encoder.mistake(
    "one side compared with itself",
    "The queries are compared with themselves, and the documents are never used. Such a loss falls, and nothing is matched.",
    edit({BOTH: "queries = documents = self.encode(query_ids)"}, inside=FORWARD),
    edit(
        {BOTH: "queries = documents = self.encode(document_ids)"},
        inside=FORWARD,
        says="The documents are compared with themselves, and the queries are never used. Such a loss falls, and nothing is matched.",
    ),
)

bi_encoder.mistake(
    "the documents get no gradient",
    "No gradient comes through the documents: they are encoded under `no_grad`, or detached. With one model for both sides half of what it could learn is thrown away.",
    edit({BOTH: "queries, documents = self.encode(query_ids), self.encode(document_ids).detach()"}, inside=FORWARD),
    edit(
        {BOTH: "queries, documents = self.encode(query_ids).detach(), self.encode(document_ids)"},
        inside=FORWARD,
        says="No gradient comes through the queries: they are encoded under `no_grad`, or detached. With one model for both sides half of what it could learn is thrown away.",
    ),
)

bi_encoder.mistake(
    "the model gets no gradient",
    "No gradient reaches the model; only the temperature learns. `encode` is used in training too, so nothing in it may be detached or under `no_grad`.",
    edit({READ: f"{READ}\n        hidden = hidden.detach()"}, inside=ENCODE),
)

bi_encoder.mistake(
    "distances as scores",
    "Your scores grow with the distance. A softmax wants large numbers for what is near: this loss pushes the right pair apart, and it falls all the same.",
    edit({COSINES: "torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1))"}, inside=OWN_LOSS),
    edit({COSINES: "torch.cdist(queries, documents)"}, inside=OWN_LOSS),
    edit({COSINES: "(1 - cosine_scores(queries, documents))"}, inside=OWN_LOSS),
    edit({COSINES: APART}, inside=OWN_LOSS),
    edit(
        {
            LOSS: f"(lambda s, r: (F.cross_entropy(s, r) + F.cross_entropy(s.T, r)) / 2)({SIMILAR} if same is None else ({SIMILAR}).masked_fill(same & ~torch.eye(len(queries)).bool(), -torch.inf), torch.arange(len(queries)))"
        },
        inside=FORWARD,
    ),
    edit(
        {
            LOSS: f"(lambda s, r: (F.cross_entropy(s, r) + F.cross_entropy(s.T, r)) / 2)({SIMILAR}, torch.arange(len(queries)))"
        },
        inside=FORWARD,
        says="Your scores grow with the distance, where a softmax wants large numbers for what is near: this loss pushes the right pair apart, and it falls all the same. And `same` changes nothing.",
    ),
)

bi_encoder.mistake(
    "one direction",
    "Your loss asks every query for its document, and no document for its query. `contrastive_loss` asks both.",
    edit(
        {
            LOSS: "F.cross_entropy((cosine_scores(queries, documents) / self.log_temperature.exp()).masked_fill(torch.zeros(len(queries), len(queries)).bool() if same is None else same & ~torch.eye(len(queries)).bool(), -torch.inf), torch.arange(len(queries)))"
        },
        inside=FORWARD,
    ),
    edit({"scores.T": "scores"}, inside=OWN_LOSS),
    edit(
        {ONE: OTHER},
        inside=OWN_LOSS,
        says="Your loss asks every document for its query, and no query for its document. `contrastive_loss` asks both.",
    ),
)

bi_encoder.mistake(
    "a sum, not a mean",
    "Your vector is the sum over the tokens: a long name gets a long vector. `mean_pool` divides by how many there are.",
    edit(
        {POOLED: "hidden.masked_fill(~(ids != self.bert.config.pad_id).unsqueeze(-1), 0.0).sum(dim=1)"}, inside=ENCODE
    ),
)

bi_encoder.mistake(
    "the largest of each feature",
    "Your vector holds the largest number of each feature, not the mean.",
    edit(
        {POOLED: "hidden.masked_fill(~(ids != self.bert.config.pad_id).unsqueeze(-1), -torch.inf).amax(dim=1)"},
        inside=ENCODE,
    ),
)

bi_encoder.mistake(
    "vectors of length 1",
    "`encode` gives vectors of length 1. The mean is asked for as it is; the loss and the search make the lengths equal by themselves.",
    edit({POOLED: "F.normalize(mean_pool(hidden, ids != self.bert.config.pad_id), dim=-1)"}, inside=ENCODE),
)

bi_encoder.mistake(
    "the first token is left out",
    "The first token is missing in your mean. These names have no [CLS]: it is the first character.",
    edit({POOLED: "mean_pool(hidden[:, 1:], (ids != self.bert.config.pad_id)[:, 1:])"}, inside=ENCODE),
    edit(
        {
            POOLED: "(hidden * (real := ids != self.bert.config.pad_id).unsqueeze(-1))[:, 1:].sum(dim=1) / real.sum(dim=1, keepdim=True).clamp(min=1)"
        },
        inside=ENCODE,
        says="The first token is missing in your sum, and counts in what it is divided by. These names have no [CLS]: it is the first character.",
    ),
    edit(
        {
            POOLED: "(hidden * (real := ids != self.bert.config.pad_id).unsqueeze(-1))[:, :-1].sum(dim=1) / real.sum(dim=1, keepdim=True).clamp(min=1)"
        },
        inside=ENCODE,
        says="What stands at the last place is missing in your sum, and counts in what it is divided by. In the longest texts that is a token.",
    ),
)

bi_encoder.mistake(
    "the last token's vector",
    "You take the vector of the last token of each text. Take the mean over all of them.",
    edit({POOLED: "hidden[torch.arange(len(ids)), (ids != self.bert.config.pad_id).sum(dim=1) - 1]"}, inside=ENCODE),
    edit(
        {POOLED: "hidden[:, -1]"},
        inside=ENCODE,
        says="You take the vector at the last place, which is padding in most texts. Take the mean over the tokens.",
    ),
)

bi_encoder.mistake(
    "the padding counts in the sum",
    "You divide by the number of tokens, but what stands on the padding is in the sum. `mean_pool` leaves it out.",
    edit(
        {POOLED: "hidden.sum(dim=1) / (ids != self.bert.config.pad_id).sum(dim=1, keepdim=True).clamp(min=1)"},
        inside=ENCODE,
    ),
)

bi_encoder.mistake(
    "divided by the tokens of the whole batch",
    "Each sum is divided by the number of tokens of the whole batch. So the vector of a name depends on which others stand beside it. `mean_pool` counts row by row.",
    edit(
        {
            POOLED: "hidden.masked_fill(~(real := ids != self.bert.config.pad_id).unsqueeze(-1), 0.0).sum(dim=1) / real.sum()"
        },
        inside=ENCODE,
    ),
)

bi_encoder.mistake(
    "another function than exp",
    "The temperature is not e to `log_temperature`, as its name says: your numbers are those of a softplus of it.",
    edit({LOSS: LOSS.replace("self.log_temperature.exp()", "F.softplus(self.log_temperature)")}, inside=FORWARD),
    edit(
        {LOSS: LOSS.replace("self.log_temperature.exp()", "self.log_temperature.sigmoid()")},
        inside=FORWARD,
        says="The temperature is not e to `log_temperature`, as its name says: your numbers are those of a sigmoid of it.",
    ),
    edit(
        {LOSS: LOSS.replace("self.log_temperature.exp()", "self.log_temperature.exp().exp()")},
        inside=FORWARD,
        says="Your numbers are those of an `exp` that is taken twice. e to `log_temperature` is the temperature.",
    ),
    *(
        edit(
            {LOSS: LOSS.replace("self.log_temperature.exp()", f"{base} ** self.log_temperature")},
            inside=FORWARD,
            says=f"Your temperature is {base} to `log_temperature`. The constructor takes the natural logarithm, so it is e to that: `exp()`.",
        )
        for base in (2, 10)
    ),
)

bi_encoder.mistake(
    "a temperature of 0.1",
    "Your loss does not use the temperature that is learned: its numbers are those of a temperature of 0.1. Hand `log_temperature.exp()` on.",
    edit({LOSS: LOSS.replace("self.log_temperature.exp()", "0.1")}, inside=FORWARD),
)

bi_encoder.mistake(
    "queries and documents exchanged",
    "The loss gets documents for queries and queries for documents. It is even in both, but `same` is not: its rows are queries.",
    edit({LOSS: LOSS.replace("queries, documents", "documents, queries")}, inside=FORWARD),
)

# Slips in a loss of one's own are edits of `contrastive_loss`, so that they meet those above in pairs.

bi_encoder.mistake(
    "dot products, not cosines",
    "Your scores are dot products: the lengths of the vectors are in them. The loss can then fall by making vectors longer, and a search by cosines goes by something else than what was trained.",
    edit({COSINES: "(queries @ documents.T)"}, inside=OWN_LOSS),
)

bi_encoder.mistake(
    "negative distances as scores",
    "Your scores are distances with a minus. They have the order of the cosines, but not their size, so the temperature means something else. `contrastive_loss` compares by cosines, as the search does.",
    edit({COSINES: "-torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1))"}, inside=OWN_LOSS),
    edit({COSINES: "-torch.cdist(queries, documents)"}, inside=OWN_LOSS),
    edit({COSINES: f"-{APART}"}, inside=OWN_LOSS),
    edit({COSINES: "-torch.cdist(queries, documents).square()"}, inside=OWN_LOSS),
    *(
        edit(
            {COSINES: f"(1 / (1 + torch.cdist({sides})))"},
            inside=OWN_LOSS,
            says="Your scores are 1 / (1 + distance). They fall with the distance, but not as the cosines do, and never below 0. `contrastive_loss` compares by cosines, as the search does.",
        )
        for sides in ("queries, documents", "F.normalize(queries, dim=-1), F.normalize(documents, dim=-1)")
    ),
    edit(
        {COSINES: "-torch.cdist(F.normalize(queries, dim=-1), F.normalize(documents, dim=-1)).square()"},
        inside=OWN_LOSS,
        says="Your scores are twice the cosines, as squared distances with a minus are, but for a number that a softmax does not see. So your temperature is half of what is learned. Take the cosines.",
    ),
)

bi_encoder.mistake(
    "two losses added up",
    "You add the two directions up. The mean of both is asked for, so divide by 2.",
    edit({") / 2": ")"}, inside=OWN_LOSS),
)

bi_encoder.mistake(
    "every label is 0",
    "Everybody is asked for number 0 of the batch. Document i belongs to query i: the right answers are 0, 1, 2, ...",
    edit(
        {"torch.arange(len(scores), device=scores.device)": "torch.zeros(len(scores), dtype=torch.long)"},
        inside=OWN_LOSS,
    ),
)

bi_encoder.mistake(
    "the right pair is left out, too",
    "Where `same` is True on the diagonal, the right answer itself scores -inf, and the loss is infinite. Leave out what is the same *and not* on the diagonal.",
    edit({HIDDEN: "scores.masked_fill(same, -torch.inf)"}, inside=OWN_LOSS),
)

bi_encoder.mistake(
    "same upside down",
    "You leave out the pairs that do *not* mean the same: only the doubles are left as wrong answers.",
    edit({HIDDEN: "scores.masked_fill(~same & ~own, -torch.inf)"}, inside=OWN_LOSS),
)

bi_encoder.mistake(
    "a score of 0 for what is left out",
    "What is to be left out scores 0, and so still counts as a wrong answer: e⁰ = 1. A softmax leaves out what scores -inf.",
    edit({HIDDEN: "scores.masked_fill(same & ~own, 0.0)"}, inside=OWN_LOSS),
    edit(
        {HIDDEN: "scores.masked_fill(same & ~own, torch.inf)"},
        inside=OWN_LOSS,
        says="What is to be left out scores +inf: it wins every softmax, and the loss is infinite or NaN. That would be right for distances; of scores, a softmax leaves out what is *minus* infinity.",
    ),
)

bi_encoder.mistake(
    "put into evaluation mode",
    "`encode` puts the model into evaluation mode. It is called in training too, where the model's dropout then never works. Who searches says `eval()` once, outside.",
    edit({READ: f"self.bert.eval()\n        {READ}"}, inside=ENCODE),
    edit({READ: f"self.eval()\n        {READ}"}, inside=ENCODE),
)

bi_encoder.mistake(
    "the mask is handed on as segments",
    "The second thing that the model takes are segments: your mask of the padding becomes segment 1 for every token. It knows its padding by itself; hand on the ids alone.",
    edit({READ: READ.replace("(ids)", f"(ids, ({TOKENS}).long())")}, inside=ENCODE),
    edit({READ: READ.replace("(ids)", f"(ids, {TOKENS})")}, inside=ENCODE),
)

bi_encoder.mistake(
    "multiplied by the number of pairs",
    "Your loss is multiplied by the number of pairs, a sum and not a mean. A larger batch then takes larger steps.",
    edit({LOSS: f"len(queries) * {LOSS}"}, inside=FORWARD),
    edit(
        {LOSS: f"{LOSS} / len(queries)"},
        inside=FORWARD,
        says="Your loss is divided by the number of pairs. It is a mean already, so a larger batch now takes smaller steps.",
    ),
)

bi_encoder.mistake(
    "the scores for the loss",
    "`forward` gives the scores of all pairs. What is promised is the loss of the batch, one number: `contrastive_loss`.",
    edit({LOSS: "cosine_scores(queries, documents) / self.log_temperature.exp()"}, inside=FORWARD),
    edit({LOSS: "cosine_scores(queries, documents)"}, inside=FORWARD),
    edit(
        {
            LOSS: "(cosine_scores(queries, documents) / self.log_temperature.exp()).masked_fill(torch.zeros(len(queries), len(queries)).bool() if same is None else same & ~torch.eye(len(queries)).bool(), -torch.inf)"
        },
        inside=FORWARD,
    ),
)

bi_encoder.mistake(
    "the vectors beside the loss",
    "`forward` gives the vectors beside the loss. What is promised is the loss alone: who calls `backward()` on it has a tuple in hand.",
    edit({LOSS: f"{LOSS}, queries, documents"}, inside=FORWARD),
    edit(
        {LOSS: "queries, documents"},
        inside=FORWARD,
        says="`forward` gives the vectors of both sides, and no loss. What is promised is the loss of the batch, one number: `contrastive_loss`.",
    ),
)

bi_encoder.mistake(
    "a number of Python's for the loss",
    "Your loss is a number of Python's: `.item()` cuts it off from everything that made it, and nothing can be learned from it. Return the tensor.",
    edit({LOSS: f"{LOSS}.item()"}, inside=FORWARD),
)

bi_encoder.mistake(
    "bent behind the mean",
    "The mean goes through one more function. What is promised is the mean of the tokens' vectors, as it is.",
    edit({POOLED: f"{POOLED}.tanh()"}, inside=ENCODE),
    edit({POOLED: f"{POOLED}.relu()"}, inside=ENCODE),
    edit({POOLED: f"F.gelu({POOLED})"}, inside=ENCODE),
)

bi_encoder.mistake(
    "a softmax before the cross-entropy",
    "The cross-entropy gets probabilities: a softmax has been taken before. It takes one itself, and of numbers between 0 and 1 it makes almost equal ones: the loss cannot fall far.",
    edit(
        {
            ONE: ONE.replace("scores", "scores.softmax(dim=-1)"),
            OTHER: OTHER.replace("scores.T", "scores.T.softmax(dim=-1)"),
        },
        inside=OWN_LOSS,
    ),
    edit(
        {
            ONE: ONE.replace("scores", "scores.softmax(dim=-1)"),
            OTHER: OTHER.replace("scores.T", "scores.softmax(dim=-1).T"),
        },
        inside=OWN_LOSS,
    ),
    edit(
        {ONE: ONE.replace("scores", "scores.softmax(dim=-1)")},
        inside=OWN_LOSS,
        says="Of the two directions, that of the queries gets probabilities: a softmax has been taken before. The cross-entropy takes one itself, and of numbers between 0 and 1 it makes almost equal ones.",
    ),
    edit(
        {OTHER: OTHER.replace("scores.T", "scores.T.softmax(dim=-1)")},
        inside=OWN_LOSS,
        says="Of the two directions, that of the documents gets probabilities: a softmax has been taken before. The cross-entropy takes one itself, and of numbers between 0 and 1 it makes almost equal ones.",
    ),
)

bi_encoder.mistake(
    "lengths taken over the batch",
    "You divide by lengths that are taken over the texts of the batch, feature by feature. A vector's length is that of its own features: `F.normalize(x, dim=-1)`, as in `cosine_scores`.",
    edit({COSINES: "(F.normalize(queries, dim=0) @ F.normalize(documents, dim=0).T)"}, inside=OWN_LOSS),
)

bi_encoder.mistake(
    "the temperature begins elsewhere",
    "Your temperature does not begin at the number that is given. `log_temperature` holds its natural logarithm, `math.log(temperature)`, which `exp` undoes; and where none is given it is 0.1. (The constructor was there already: has something in it been changed?)",
    *(
        edit({"math.log(temperature)": begun}, inside=BEGIN)
        for begun in ("math.log10(temperature)", "math.log2(temperature)", "math.log(1 / temperature)")
    ),
    edit(
        {"math.log(temperature)": "0.0"},
        inside=BEGIN,
        says="Your temperature begins at 1, whatever is given. `log_temperature` holds the logarithm of what is given, `math.log(temperature)`. (The constructor was there already: has something in it been changed?)",
    ),
    edit(
        {"math.log(temperature)": "float(temperature)"},
        inside=BEGIN,
        says="Your temperature does not begin at the number that is given, but at e to it. `log_temperature` holds the logarithm, `math.log(temperature)`. (The constructor was there already: has something in it been changed?)",
    ),
    *(
        edit(
            {"temperature: float = 0.1": f"temperature: float = {other}"},
            inside=BEGIN,
            says=f"Where no temperature is given, yours begins at {other}. By its first line the constructor takes 0.1.",
        )
        for other in (0.05, 0.07, 0.5, 1.0)
    ),
)

bi_encoder.mistake(
    "the logarithm is not undone",
    "You divide by `log_temperature` as it is. That is the logarithm of the temperature: below a temperature of 1 it is negative, and the loss then pushes the right pairs apart. `self.log_temperature.exp()` is the temperature.",
    edit({LOSS: LOSS.replace("self.log_temperature.exp()", "self.log_temperature")}, inside=FORWARD),
    edit(
        {
            LOSS: "(lambda s, r: (F.cross_entropy(s, r) + F.cross_entropy(s.T, r)) / 2)((cosine_scores(queries, documents) / self.log_temperature).masked_fill(torch.zeros(len(queries), len(queries)).bool() if same is None else same & ~torch.eye(len(queries)).bool(), -torch.inf), torch.arange(len(queries)))"
        },
        inside=FORWARD,
    ),
)

bi_encoder.mistake(
    "another power of the temperature",
    "What divides your scores is a power of the temperature: its square or its root. Is it in the vectors, and in the scores as well? It divides the scores once, as it is.",
    *(
        edit(
            {LOSS: LOSS.replace("self.log_temperature.exp()", f"({power} * self.log_temperature).exp()")},
            inside=FORWARD,
        )
        for power in (2, 0.5)
    ),
)

bi_encoder.mistake(
    "the temperature is held back",
    "Your temperature is held between bounds. That it is learned as a logarithm keeps it above 0 wherever a step takes it, so nothing more is needed; and at a bound the gradient is 0, so that it never comes back.",
    *(
        edit(
            {LOSS: LOSS.replace("self.log_temperature.exp()", f"self.log_temperature.exp().clamp({bound})")},
            inside=FORWARD,
        )
        for bound in ("min=0.01", "min=0.05", "min=0.1", "min=0.5", "max=1.0")
    ),
)

bi_encoder.mistake(
    "kept from an earlier call",
    "Your code keeps vectors of an earlier call. After one step of training, or for other texts of the same shape, they are wrong. Encode what is handed over, each time.",
    edit(
        {BOTH: BOTH.replace("self.encode(query_ids)", KEPT.format("queries", "query_ids", "self.encode(query_ids)"))},
        inside=FORWARD,
    ),
    edit(
        {
            BOTH: BOTH.replace(
                "self.encode(document_ids)", KEPT.format("documents", "document_ids", "self.encode(document_ids)")
            )
        },
        inside=FORWARD,
    ),
    edit({POOLED: KEPT.format("texts", "ids", POOLED)}, inside=ENCODE),
    edit({POOLED: KEPT.replace("{1}.shape", "str({1}.tolist())").format("texts", "ids", POOLED)}, inside=ENCODE),
)

bi_encoder.mistake(
    "each token's vector is normalized",
    "The vectors of the tokens get length 1 before the mean is taken. The mean is of what the model makes, as it is; the comparison makes the length of the mean equal, later.",
    edit({READ: f"{READ}\n        hidden = F.normalize(hidden, dim=-1)"}, inside=ENCODE),
)

bi_encoder.mistake(
    "something is done to the loss",
    "The loss of `contrastive_loss` is not what comes back: a sign or a factor has been put to it. It is the loss of the batch, as it is.",
    edit(
        {LOSS: f"-{LOSS}"},
        inside=FORWARD,
        says="Your loss has a minus in front. Training makes it smaller, and so drives the right pairs apart.",
    ),
    edit({LOSS: f"{LOSS} * self.log_temperature.exp()"}, inside=FORWARD),
    edit({LOSS: f"{LOSS} / self.log_temperature.exp()"}, inside=FORWARD),
    edit({LOSS: f"{LOSS} / 2"}, inside=FORWARD),
)
