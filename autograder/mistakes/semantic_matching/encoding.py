"""Wrong ways of encoding texts, and of training on them."""

from autograder.checks.semantic_matching.encoding import bi_encoder
from autograder.probing.mistake import edit

POOLED = "mean_pool(hidden, ids != self.bert.config.pad_id)"
TOKENS = "ids != self.bert.config.pad_id"
LOSS = "contrastive_loss(queries, documents, self.log_temperature.exp(), same)"
BOTH = "queries, documents = self.encode(query_ids), self.encode(document_ids)"
ENCODE, FORWARD = "BiEncoder.encode", "BiEncoder.forward"
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
        {POOLED: "hidden.masked_fill((ids == self.bert.config.pad_id).unsqueeze(-1), 0.0).mean(dim=1)"}, inside=ENCODE
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
        {"hidden, _ = self.bert(ids)  # (batch, seq_len, d_model)": "_, hidden = self.bert(ids)", POOLED: "hidden"},
        inside=ENCODE,
    ),
)

bi_encoder.mistake(
    "padding is taken for id 0",
    "You take id 0 for padding. Which id it is stands in `self.bert.config.pad_id`; here 0 is a token like any other, and the padding is read.",
    edit({TOKENS: "ids != 0"}, inside=ENCODE),
    edit({TOKENS: "ids > 0"}, inside=ENCODE),
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
    edit({POOLED: "mean_pool(hidden.detach(), ids != self.bert.config.pad_id)"}, inside=ENCODE),
)

bi_encoder.mistake(
    "distances as scores",
    "Your scores grow with the distance. A softmax wants large numbers for what is near: this loss pushes the right pair apart, and it falls all the same.",
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
)
