"""Wrong ways of embedding tokens."""

from autograder.checks.bert import bert_embedding
from autograder.probing.mistake import edit

SUM = "BertEmbedding.forward"
PARTS = "BertEmbedding"
NONE = "segment_ids = torch.zeros_like(ids)"
LOOK_UP = "x = self.token_embedding(ids) + self.segment_embedding(segment_ids)"
TOKENS = "self.token_embedding(ids) +"
SEGMENTS = "self.segment_embedding(segment_ids)"
PLACED = "x = x + self.position_embedding(torch.arange(seq_len, device=ids.device))"
PLACES = "torch.arange(seq_len, device=ids.device)"
DONE = "return self.dropout(self.norm(x))"
BEGIN = "x = self.token_embedding"

bert_embedding.mistake(
    "no segments",
    "The segments' vectors have no effect. With them left out, the model has only [SEP] to tell two texts apart. Look up `segment_ids` and add what you find, or what it gave is thrown away.",
    edit({LOOK_UP: "x = self.token_embedding(ids)"}, inside=SUM),
    edit({SEGMENTS: "0"}, inside=SUM),
    edit(
        {SEGMENTS: "segment_ids[..., None] * self.segment_embedding.weight[1]"},
        inside=SUM,
        says="Only tokens of segment 1 get a segment's vector. Segment 0 has one too: the first row of the table.",
    ),
)

bert_embedding.mistake(
    "no positions",
    "The positions' vectors have no effect. With them left out, attention sees a bag of words. Add `self.position_embedding` of 0, 1, 2, ... where there is one.",
    edit({PLACED: "pass"}, inside=SUM),
    edit(
        {PLACED: f"x = x + self.token_embedding({PLACES})"},
        inside=SUM,
        says="The positions are looked up in the table of tokens: the first place gets the vector of token 0. They have a table of their own, `self.position_embedding`.",
    ),
)

bert_embedding.mistake(
    "no tokens",
    "The tokens' vectors have no effect: every text of one length looks the same. Look up `ids` in `self.token_embedding`.",
    edit({TOKENS: "0 * self.token_embedding(ids) +"}, inside=SUM),
)

bert_embedding.mistake(
    "None is no segment",
    "Where `segment_ids` is None, no segment is added. A single text is of segment 0, and gets that vector: the model was trained with one at every token.",
    edit(
        {
            f"if segment_ids is None:\n            {NONE}\n        {LOOK_UP}": "x = self.token_embedding(ids)\n        if segment_ids is not None:\n            x = x + self.segment_embedding(segment_ids)"
        },
        inside=SUM,
    ),
)

bert_embedding.mistake(
    "None is segment 1",
    "Where `segment_ids` is None, your tokens are of segment 1. A single text is the first one: segment 0.",
    edit({NONE: "segment_ids = torch.ones_like(ids)"}, inside=SUM),
)

bert_embedding.mistake(
    "None changes with the place",
    "Where `segment_ids` is None, your tokens are not all of one segment. A single text is segment 0 from its first token to its last.",
    edit({NONE: "segment_ids = (torch.arange(seq_len) >= seq_len // 2).long().expand_as(ids)"}, inside=SUM),
    edit({NONE: "segment_ids = (torch.arange(seq_len) % 2).expand_as(ids)"}, inside=SUM),
    edit({NONE: "segment_ids = (torch.arange(seq_len) > 0).long().expand_as(ids)"}, inside=SUM),
    edit({NONE: "segment_ids = (ids != 0).long()"}, inside=SUM),
)

bert_embedding.mistake(
    "segment 0 everywhere",
    "All tokens get the vector of segment 0, whatever `segment_ids` says. Zeros are for None alone.",
    edit({BEGIN: f"segment_ids = torch.zeros_like(segment_ids)\n        {BEGIN}"}, inside=SUM),
    edit(
        {
            f"if segment_ids is None:\n            {NONE}": "segment_ids = torch.zeros_like(ids) if segment_ids is None else torch.ones_like(ids)"
        },
        inside=SUM,
        says="Where there are `segment_ids`, all tokens get the vector of segment 1, whatever they say. Look up `segment_ids`, one for each token.",
    ),
)

bert_embedding.mistake(
    "segments exchanged",
    "Segments 0 and 1 are exchanged. `segment_ids` are the rows of the table as they are.",
    edit({BEGIN: f"segment_ids = 1 - segment_ids\n        {BEGIN}"}, inside=SUM),
    edit(
        {NONE: "segment_ids = torch.ones_like(ids)", BEGIN: f"segment_ids = 1 - segment_ids\n        {BEGIN}"},
        inside=SUM,
    ),
)

bert_embedding.mistake(
    "concatenated",
    "Your vectors stand side by side instead of being added. The model becomes twice or three times as wide, and its layers do not fit. A sum keeps d_model features; the norm and the layers learn to tell the parts apart.",
    edit(
        {
            "self.norm = LayerNorm(config.d_model)": "self.norm = LayerNorm((3 if learned else 2) * config.d_model)",
            LOOK_UP: "x = torch.cat([self.token_embedding(ids), self.segment_embedding(segment_ids)], dim=-1)",
            PLACED: f"x = torch.cat([x, self.position_embedding({PLACES}).expand(len(ids), -1, -1)], dim=-1)",
        },
        inside=PARTS,
    ),
    edit(
        {
            "self.norm = LayerNorm(config.d_model)": "self.norm = LayerNorm((3 if learned else 2) * config.d_model)",
            LOOK_UP: "x = self.token_embedding(ids)\n        segments = self.segment_embedding(segment_ids)",
            PLACED: f"x = torch.cat([x, self.position_embedding({PLACES}).expand(len(ids), -1, -1)], dim=-1)",
            DONE: "return self.dropout(self.norm(torch.cat([x, segments], dim=-1)))",
        },
        inside=PARTS,
    ),
    edit(
        {
            LOOK_UP: "half = config.d_model // 2\n        x = torch.cat([self.token_embedding(ids)[..., :half], self.segment_embedding(segment_ids)[..., half:]], dim=-1)"
        },
        inside=SUM,
        says="The tokens' vectors give one half of the features, and the segments' the other. Add the two, feature by feature: each vector has all d_model of them.",
    ),
)

BY_SEGMENTS = "You multiply by the segments' vectors. What a token is and in which text it stands are added."
BY_PLACES = "You multiply by the positions' vectors. What a token is and where it stands are added."
PRODUCT = "x = self.token_embedding(ids) * self.segment_embedding(segment_ids)"
AFTER = f"return self.dropout(self.norm(x + {SEGMENTS}))"

bert_embedding.mistake(
    "multiplied",
    "Your vectors are multiplied with each other. What a token is and where it stands are added: then each can be learned by itself.",
    edit({LOOK_UP: PRODUCT, "x = x + self": "x = x * self"}, inside=SUM),
    edit({LOOK_UP: PRODUCT}, inside=SUM, says=BY_SEGMENTS),
    edit(
        {LOOK_UP: "x = self.token_embedding(ids)", DONE: f"return self.dropout(self.norm(x * {SEGMENTS}))"},
        inside=SUM,
        says=BY_SEGMENTS,
    ),
    edit({"x = x + self": "x = x * self"}, inside=SUM, says=BY_PLACES),
    edit(
        {LOOK_UP: "x = self.token_embedding(ids)", "x = x + self": "x = x * self", DONE: AFTER},
        inside=SUM,
        says=BY_PLACES,
    ),
)

bert_embedding.mistake(
    "the norm before the sum",
    "You normalize before everything has been added. The norm belongs to the whole sum, so that every token begins on one scale.",
    edit(
        {
            LOOK_UP: "x = self.norm(self.token_embedding(ids)) + self.segment_embedding(segment_ids)",
            DONE: "return self.dropout(x)",
        },
        inside=SUM,
        says="You normalize the tokens' vectors alone, and add the rest afterwards. The norm belongs to the whole sum, so that every token begins on one scale.",
    ),
    edit(
        {
            LOOK_UP: "x = self.norm(self.token_embedding(ids)) + self.norm(self.segment_embedding(segment_ids))",
            PLACED: f"x = x + self.norm(self.position_embedding({PLACES}))",
            DONE: "return self.dropout(x)",
        },
        inside=SUM,
        says="You normalize each of the vectors and add them afterwards. The norm belongs to the whole sum, so that every token begins on one scale.",
    ),
    edit(
        {
            LOOK_UP: "x = self.norm(self.token_embedding(ids)) + self.norm(self.segment_embedding(segment_ids))",
            PLACED: f"x = x + self.norm(self.position_embedding({PLACES}))\n        else:\n            x = x + self.norm(torch.zeros(seq_len, config.d_model))",
            DONE: "return self.dropout(x)",
        },
        inside=SUM,
        says="You normalize each of the vectors and add them afterwards; with rotary positions also zeros, and of these the norm's shift is left. The norm belongs to the whole sum, so that every token begins on one scale.",
    ),
    edit(
        {
            LOOK_UP: "x = self.norm(self.token_embedding(ids)) + self.norm(self.segment_embedding(segment_ids))",
            DONE: "return self.dropout(x)",
        },
        inside=SUM,
        says="You normalize the tokens' vectors and the segments' by themselves, and add all afterwards. The norm belongs to the whole sum, so that every token begins on one scale.",
    ),
    edit(
        {
            PLACED: f"x = self.norm(x) + self.position_embedding({PLACES})",
            DONE: "return self.dropout(x if self.position_embedding is not None else self.norm(x))",
        },
        inside=SUM,
        says="You add the positions after the norm. The norm belongs to the whole sum, so that every token begins on one scale.",
    ),
    edit(
        {LOOK_UP: "x = self.token_embedding(ids)", DONE: f"return self.dropout(self.norm(x) + {SEGMENTS})"},
        inside=SUM,
        says="You add the segments after the norm. The norm belongs to the whole sum, so that every token begins on one scale.",
    ),
)

bert_embedding.mistake(
    "no norm",
    "The sum is not normalized: `self.norm` has no effect. BERT's layers are post-norm, so each expects what a norm has made; the first one gets it from here.",
    edit({DONE: "return self.dropout(x)"}, inside=SUM),
)

bert_embedding.mistake(
    "the norm twice",
    "The sum goes through the norm twice. Once is enough: what has been normalized, scaled and shifted is what the first layer reads.",
    edit({DONE: "return self.dropout(self.norm(self.norm(x)))"}, inside=SUM),
    edit(
        {DONE: "return self.norm(self.dropout(self.norm(x)))"},
        inside=SUM,
        says="The norm stands before the dropout and behind it. Once is enough, before it: dropout is the last step.",
    ),
)

bert_embedding.mistake(
    "no dropout",
    "Nothing is dropped out in training: `self.dropout` has no effect. It acts on what the norm has made, as the last step.",
    edit({DONE: "return self.norm(x)"}, inside=SUM),
)

bert_embedding.mistake(
    "dropout in evaluation too",
    "Numbers are dropped out in evaluation too. `F.dropout` does so unless it is told `training=self.training`; `self.dropout` knows by itself which of the two it is.",
    edit({DONE: "return torch.nn.functional.dropout(self.norm(x), config.dropout)"}, inside=SUM),
)

bert_embedding.mistake(
    "dropout twice",
    "Something is dropped out before the norm too. Dropout has one place here: the last step, after the norm.",
    edit({DONE: "return self.dropout(self.norm(self.dropout(x)))"}, inside=SUM),
    edit({LOOK_UP: "x = self.dropout(self.token_embedding(ids)) + self.segment_embedding(segment_ids)"}, inside=SUM),
)

bert_embedding.mistake(
    "the mean instead of the sum",
    "You take the mean of the vectors. The norm takes almost all of that back, but for its eps. Add the vectors, and divide by nothing.",
    edit({DONE: "return self.dropout(self.norm(x / 3))"}, inside=SUM),
    edit({DONE: "return self.dropout(self.norm(x / (2 if self.position_embedding is None else 3)))"}, inside=SUM),
    edit(
        {
            LOOK_UP: "x = torch.maximum(self.token_embedding(ids), self.segment_embedding(segment_ids))",
            PLACED: f"x = torch.maximum(x, self.position_embedding({PLACES}))",
        },
        inside=SUM,
        says="You take the largest of the vectors, feature by feature. Add them, so that each can be learned by itself.",
    ),
)

bert_embedding.mistake(
    "dropout before the norm",
    "You drop out before you normalize. The norm then fills up what was set to zero. The norm comes first here, the dropout last.",
    edit({DONE: "return self.norm(self.dropout(x))"}, inside=SUM),
    edit(
        {
            LOOK_UP: "x = self.dropout(self.token_embedding(ids)) + self.segment_embedding(segment_ids)",
            DONE: "return self.norm(x)",
        },
        inside=SUM,
        says="You drop out the tokens' vectors alone, before the sum. The dropout is the last step, after the norm.",
    ),
)

bert_embedding.mistake(
    "positions of the batch's rows",
    "Your positions count the rows of the batch, not the places of a text. Every token of a text gets the same vector, and it depends on who else is in the batch. Count `ids.size(1)`.",
    edit({PLACED: "x = x + self.position_embedding(torch.arange(ids.size(0)) % config.max_len)[:, None]"}, inside=SUM),
)

bert_embedding.mistake(
    "one position for all",
    "All places of a text get the same position's vector. A table indexed by a number gives one row, `table[n]`; by a slice or by `torch.arange(n)` it gives n rows.",
    edit({PLACED: "x = x + self.position_embedding.weight[seq_len - 1]"}, inside=SUM),
    edit({PLACED: "x = x + self.position_embedding.weight[0]"}, inside=SUM),
    edit({PLACED: "x = x + self.position_embedding.weight[min(seq_len, config.max_len - 1)]"}, inside=SUM),
)

bert_embedding.mistake(
    "positions counted from the end",
    "Your positions run backwards: the last token has position 0. In a longer row the same word at the same place would then have another position. The first has 0.",
    edit({PLACES: "torch.arange(seq_len - 1, -1, -1)"}, inside=SUM),
)

bert_embedding.mistake(
    "positions by token",
    "Your positions are looked up by the tokens' ids. A token then has the same position wherever it stands. Look up 0, 1, 2, ...",
    edit({PLACES: "ids % config.max_len"}, inside=SUM),
    edit({PLACES: "ids.clamp(max=config.max_len - 1)"}, inside=SUM),
)

bert_embedding.mistake(
    "positions by segment",
    "Your positions are looked up by the segments. There are two of them then. Look up 0, 1, 2, ... for the places of the row.",
    edit({PLACES: "segment_ids"}, inside=SUM),
)

bert_embedding.mistake(
    "the second text counted anew",
    "The second text begins at position 0 again. Positions count the places of the row, through both texts; the segment says which text it is.",
    edit(
        {PLACES: "torch.arange(seq_len) - segment_ids * (segment_ids == 0).long().cumprod(1).sum(1, keepdim=True)"},
        inside=SUM,
    ),
    edit(
        {PLACES: "(torch.arange(seq_len) - segment_ids * (segment_ids == 0).sum(1, keepdim=True)).clamp(min=0)"},
        inside=SUM,
    ),
)

bert_embedding.mistake(
    "positions from 1",
    "Your positions begin at 1. The first place has position 0; a row of max_len tokens would have none left for its last.",
    edit({PLACES: "torch.arange(1, seq_len + 1)"}, inside=SUM),
    edit({PLACES: "torch.arange(1, seq_len + 1).clamp(max=config.max_len - 1)"}, inside=SUM),
    edit({PLACES: "torch.arange(1, seq_len + 1) % config.max_len"}, inside=SUM),
)

bert_embedding.mistake(
    "positions from the table's end",
    "Your positions are the last rows of the table: in a short text the first token has position max_len - seq_len. The first has 0, however long the text is.",
    edit({PLACES: "torch.arange(config.max_len - seq_len, config.max_len)"}, inside=SUM),
)

bert_embedding.mistake(
    "the first token's segment for all",
    "All tokens of a row get the segment of its first. A pair has two: look up `segment_ids`, one for each token.",
    edit({BEGIN: f"segment_ids = segment_ids[:, :1].expand_as(ids)\n        {BEGIN}"}, inside=SUM),
    edit(
        {BEGIN: f"segment_ids = segment_ids[:1].expand_as(ids)\n        {BEGIN}"},
        inside=SUM,
        says="All rows of the batch get the segments of the first row. In each row the second text begins elsewhere: look up `segment_ids`, one for each token.",
    ),
)

bert_embedding.mistake(
    "segments from another table",
    "The segments are looked up in the table of tokens, or of positions. They have a table of their own, `self.segment_embedding`, with two rows.",
    edit({SEGMENTS: "self.token_embedding(segment_ids)"}, inside=SUM),
)

bert_embedding.mistake(
    "segments only beside learned positions",
    "Where positions are rotary, no segment is added. The two have nothing to do with each other: is a line too far to the right?",
    edit(
        {LOOK_UP: f"x = self.token_embedding(ids) + ({SEGMENTS} if config.positions == 'learned' else 0)"}, inside=SUM
    ),
)

bert_embedding.mistake(
    "one of the vectors twice",
    "One of the three vectors is added twice. Each comes into the sum once.",
    edit(
        {TOKENS: f"2 * {TOKENS}"},
        inside=SUM,
        says="The tokens' vectors are added twice. Each of the three comes into the sum once.",
    ),
    edit(
        {SEGMENTS: f"2 * {SEGMENTS}"},
        inside=SUM,
        says="The segments' vectors are added twice. Each of the three comes into the sum once.",
    ),
    edit(
        {"x = x + self": "x = x + 2 * self"},
        inside=SUM,
        says="The positions' vectors are added twice. Each of the three comes into the sum once.",
    ),
)

bert_embedding.mistake(
    "the norm over more than the features",
    "Your norm takes mean and variance over all places of a row, or over the rows of the batch. What a token's vector is then depends on the other tokens. Each vector is normalized by itself, over its own features.",
    edit({DONE: "return self.dropout(nn.functional.layer_norm(x, x.shape[1:]))"}, inside=SUM),
    edit(
        {DONE: "return self.dropout(nn.functional.layer_norm(x, x.shape[1:]) * self.norm.weight + self.norm.bias)"},
        inside=SUM,
    ),
)

bert_embedding.mistake(
    "the norm without its own numbers",
    "Your norm has no scale and no shift. `self.norm` has both, and they are learned.",
    edit({DONE: "return self.dropout(nn.functional.layer_norm(x, (config.d_model,)))"}, inside=SUM),
    edit(
        {"self.norm = LayerNorm(config.d_model)": "self.norm = nn.LayerNorm(config.d_model, elementwise_affine=False)"},
        inside=PARTS,
    ),
)

bert_embedding.mistake(
    "the sum is added again",
    "What the norm read is added to what it, or the dropout, made of it. A layer has such a way around; the embedding has none: sum, norm, dropout.",
    edit({DONE: "return self.norm(x + self.dropout(x))"}, inside=SUM),
    edit({DONE: "return x + self.dropout(self.norm(x))"}, inside=SUM),
    edit({DONE: "return self.dropout(x + self.norm(x))"}, inside=SUM),
)

bert_embedding.mistake(
    "a table gets no gradient",
    "The table of positions gets no gradient, so it is never learned. `.detach()`, `.data` and `no_grad` cut it off.",
    edit({PLACED: f"{PLACED}.detach()"}, inside=SUM),
    edit(
        {SEGMENTS: f"{SEGMENTS}.detach()"},
        inside=SUM,
        says="The table of segments gets no gradient, so it is never learned. `.detach()`, `.data` and `no_grad` cut it off.",
    ),
    edit(
        {TOKENS: "self.token_embedding(ids).detach() +"},
        inside=SUM,
        says="The table of tokens gets no gradient, so it is never learned. `.detach()`, `.data` and `no_grad` cut it off.",
    ),
    edit(
        {
            "self.token_embedding = nn.Embedding(config.vocab_size, config.d_model)": "self.token_embedding = nn.Embedding(config.vocab_size, config.d_model, padding_idx=config.pad_id)"
        },
        inside=PARTS,
        says="The vector of padding gets no gradient: `padding_idx` cuts it off. Nobody reads padding, as attention's mask sees to that: here it is a token like any other.",
    ),
)

bert_embedding.mistake(
    "padding is not counted",
    "Padding does not count in your positions: what stands behind it has too low a number, or padding has none of its own. RoBERTa counts so. Here each place has its number, 0, 1, 2, ..., whatever token stands there.",
    edit({PLACES: "((ids != config.pad_id).cumsum(1) - 1).clamp(min=0)"}, inside=SUM),
    edit({PLACES: "((ids != config.pad_id).cumsum(1) - 1).clamp(min=0) * (ids != config.pad_id)"}, inside=SUM),
    edit(
        {PLACES: "torch.arange(seq_len) * (ids != config.pad_id)"},
        inside=SUM,
        says="Padding has position 0, wherever it stands. Each place has its number, 0, 1, 2, ..., whatever token stands there.",
    ),
    edit({PLACES: "(ids != config.pad_id).cumsum(1) * (ids != config.pad_id)"}, inside=SUM),
)

bert_embedding.mistake(
    "padding gets no vector",
    "Padding gets less than the three vectors. Nobody reads padding, as attention's mask sees to that: here it is a token like any other.",
    edit(
        {DONE: f"x = x * (ids != config.pad_id)[..., None]\n        {DONE}"},
        inside=SUM,
        says="Where there is padding you add nothing. Nobody reads padding, as attention's mask sees to that: here it is a token like any other, with its three vectors.",
    ),
    edit(
        {TOKENS: "self.token_embedding(ids) * (ids != config.pad_id)[..., None] +"},
        inside=SUM,
        says="Padding does not get its token's vector. Nobody reads padding, as attention's mask sees to that: here it is a token like any other.",
    ),
    edit(
        {
            LOOK_UP: "x = (self.token_embedding(ids) + self.segment_embedding(segment_ids)) * (ids != config.pad_id)[..., None]"
        },
        inside=SUM,
        says="Padding gets neither its token's vector nor its segment's. Nobody reads padding, as attention's mask sees to that: here it is a token like any other.",
    ),
    edit(
        {DONE: "return self.dropout(self.norm(x) * (ids != config.pad_id)[..., None])"},
        inside=SUM,
        says="The vectors of padding are 0 at the end. Nobody reads padding, as attention's mask sees to that: here it is a token like any other.",
    ),
)

bert_embedding.mistake(
    "multiplied by √d_model",
    "You multiply the tokens' vectors by √d_model. The Transformer of 2017 does; BERT leaves them as they are.",
    edit({"self.token_embedding(ids)": "(self.token_embedding(ids) * config.d_model**0.5)"}, inside=SUM),
)
