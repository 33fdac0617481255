"""Lesson 19: Transcriber."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.decoder import Decoder
from autograder.stand_ins.encoder import Encoder
from autograder.stand_ins.hearing import AudioEmbedding
from autograder.stand_ins.positional_encoding import PositionalEncoding
from autograder.stand_ins.transformer import TokenEmbedding
from tests.variants import correct, disguise, slips, unlisted

MODEL = "Transcriber"


def parts(model: Any, config: Any) -> None:
    """What the constructor is given with."""
    sizes = (config.num_layers, config.d_model, config.num_heads, config.d_ff, config.dropout)
    model.config = config
    model.ears = AudioEmbedding(config.num_bins, config.d_model, config.max_len)
    model.encoder = Encoder(*sizes, norm_first=True)
    model.embedding = TokenEmbedding(config.vocab_size, config.d_model, config.pad_id)
    model.positions = PositionalEncoding(config.d_model, config.max_len, config.dropout)
    model.decoder = Decoder(*sizes, norm_first=True)
    model.output = nn.Linear(config.d_model, config.vocab_size, bias=False)
    model.ctc_head = nn.Linear(config.d_model, config.vocab_size)


class StepByStep(nn.Module):
    def __init__(self, config: Any) -> None:
        super().__init__()
        parts(self, config)

    def encode(self, spectrogram: Tensor, mask: Tensor) -> Any:
        heard = self.ears(spectrogram, mask)
        kept = mask[:, 0::2].unsqueeze(1).unsqueeze(1)
        memory = self.encoder(heard, kept)
        return memory, kept

    def decode(self, tgt_ids: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        size = tgt_ids.shape[1]
        seen = torch.ones(size, size, dtype=torch.bool).tril() & (tgt_ids != self.config.pad_id)[:, None, None]
        vectors = self.embedding(tgt_ids)
        vectors = self.positions(vectors)
        h = self.decoder(vectors, memory, seen, memory_mask)
        return self.output(h)

    def forward(self, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
        memory, kept = self.encode(spectrogram, mask)
        spelled = F.log_softmax(self.ctc_head(memory), -1)
        return self.decode(tgt_ids, memory, kept), spelled


slips(
    MODEL,
    StepByStep,
    {
        "the encoder reads the padding": {"self.encoder(heard, kept)": "self.encoder(heard)"},
        "the decoder reads the padding": {"memory, seen, memory_mask)": "memory, seen)"},
        "encoder and decoder read the padding": {
            "self.encoder(heard, kept)": "self.encoder(heard)",
            "memory, seen, memory_mask)": "memory, seen)",
        },
        "the text reads its future": [
            {".tril()": ""},
            {"memory, seen, memory_mask)": "memory, None, memory_mask)"},
        ],
        "no positions in the text": {"        vectors = self.positions(vectors)\n": ""},
        "positions are added to the memory": [
            {"self.encoder(heard, kept)": "self.encoder(self.positions(heard), kept)"},
            {"self.encoder(heard, kept)": "self.positions(self.encoder(heard, kept))"},
            {"(vectors, memory, seen": "(vectors, self.positions(memory), seen"},
        ],
        "no encoder": {"memory = self.encoder(heard, kept)": "memory = heard"},
        "vectors instead of logits": {"return self.output(h)": "return h"},
        "the decoder's logits have been through a softmax": [
            {"return self.output(h)": "return torch.softmax(self.output(h), 2)"},
            {"return self.output(h)": "return torch.log_softmax(self.output(h), 2)"},
        ],
        "CTC gets logits": {"F.log_softmax(self.ctc_head(memory), -1)": "self.ctc_head(memory)"},
        "CTC gets probabilities": {"F.log_softmax(": "F.softmax("},
        "softmax along the time": {"(memory), -1)": "(memory), 1)"},
        "CTC reads the ears": {"self.ctc_head(memory)": "self.ctc_head(self.ears(spectrogram, mask))"},
        "CTC does not teach the encoder": {"self.ctc_head(memory)": "self.ctc_head(memory.detach())"},
        "the decoder does not teach the encoder": {
            "(tgt_ids, memory, kept), spelled": "(tgt_ids, memory.detach(), kept), spelled"
        },
        "the two readings are exchanged": {
            "return self.decode(tgt_ids, memory, kept), spelled": "return spelled, self.decode(tgt_ids, memory, kept)"
        },
        "no positions in the text + softmax along the time": {
            "        vectors = self.positions(vectors)\n": "",
            "(memory), -1)": "(memory), 1)",
        },
    },
)


class Given(nn.Module):
    """A transcriber, some of whose steps may be written otherwise."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        parts(self, config)

    def halved(self, mask: Tensor) -> Tensor:
        return mask[:, ::2][:, None, None]

    def remember(self, heard: Tensor, mask: Tensor) -> Tensor:
        return self.encoder(heard, mask)

    def encode(self, spectrogram: Tensor, mask: Tensor) -> Any:
        half = self.halved(mask)
        return self.remember(self.ears(spectrogram, mask), half), half

    def visible(self, ids: Tensor) -> Tensor:
        places = torch.arange(ids.size(1))
        return (places[:, None] >= places) & (ids != self.config.pad_id)[:, None, None, :]

    def embed(self, ids: Tensor) -> Tensor:
        return self.positions(self.embedding(ids))

    def write(self, x: Tensor, memory: Tensor, seen: Tensor, heard: Tensor) -> Tensor:
        return self.decoder(x, memory, self_mask=seen, cross_mask=heard)

    def score(self, x: Tensor) -> Tensor:
        return F.linear(x, self.output.weight)

    def decode(self, tgt_ids: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        return self.score(self.write(self.embed(tgt_ids), memory, self.visible(tgt_ids), memory_mask))

    def spell(self, memory: Tensor) -> Tensor:
        scores = self.ctc_head(memory)
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def forward(self, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
        memory, half = self.encode(spectrogram, mask)
        return self.decode(tgt_ids, memory, half), self.spell(memory)


correct(MODEL)(Given)


def another(**methods: Any) -> type:
    return type("Given", (Given,), methods)


def from_the_ears(self: Given, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
    memory, half = self.encode(spectrogram, mask)
    return self.decode(tgt_ids, memory, half), self.spell(self.ears(spectrogram, mask))


def other_way_round(self: Given, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
    memory, half = self.encode(spectrogram, mask)
    return self.spell(memory), self.decode(tgt_ids, memory, half)


def memory_unread(self: Given, x: Tensor, memory: Tensor, seen: Tensor, heard: Tensor) -> Tensor:
    return self.decoder(x, memory, seen, torch.ones_like(heard))


def everything(self: Given, heard: Tensor, mask: Tensor) -> Tensor:
    return self.encoder(heard, torch.ones_like(mask))


DISGUISES: dict[str, list[dict[str, Any]]] = {
    "the encoder reads the padding": [{"remember": everything}],
    "the decoder reads the padding": [{"write": memory_unread}],
    "encoder and decoder read the padding": [{"remember": everything, "write": memory_unread}],
    "the text reads its future": [{"visible": lambda self, ids: (ids != self.config.pad_id)[:, None, None, :]}],
    "no positions in the text": [{"embed": lambda self, ids: self.embedding(ids)}],
    "positions are added to the memory": [
        {"remember": lambda self, heard, mask: self.positions(self.encoder(heard, mask))},
        {"remember": lambda self, heard, mask: self.encoder(self.positions(heard), mask)},
    ],
    "no encoder": [{"remember": lambda self, heard, mask: heard}],
    "vectors instead of logits": [{"score": lambda self, x: x}],
    "the decoder's logits have been through a softmax": [
        {"score": lambda self, x: self.output(x).exp() / self.output(x).exp().sum(-1, keepdim=True)},
        {"score": lambda self, x: self.output(x) - self.output(x).logsumexp(-1, keepdim=True)},
    ],
    "CTC gets logits": [{"spell": lambda self, memory: memory @ self.ctc_head.weight.T + self.ctc_head.bias}],
    "CTC gets probabilities": [
        {"spell": lambda self, memory: self.ctc_head(memory).softmax(2)},
        {"spell": lambda self, memory: F.logsigmoid(self.ctc_head(memory))},
    ],
    "softmax along the time": [{"spell": lambda self, memory: self.ctc_head(memory).softmax(1).log()}],
    "CTC reads the ears": [{"forward": from_the_ears}],
    "CTC does not teach the encoder": [{"spell": lambda self, memory: F.log_softmax(self.ctc_head(memory.data), -1)}],
    "the decoder does not teach the encoder": [
        {"write": lambda self, x, memory, seen, heard: self.decoder(x, memory.data, seen, heard)}
    ],
    "the two readings are exchanged": [{"forward": other_way_round}],
}
for mistake, ways in DISGUISES.items():
    for way in ways:
        disguise(MODEL, mistake)(another(**way))


class InOneForward(nn.Module):
    """Everything where it is used."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        parts(self, config)

    def half(self, mask: Tensor) -> Tensor:
        return (torch.arange(0, mask.size(1), 2) < mask.sum(1)[:, None])[:, None, None, :]

    def encode(self, spectrogram: Tensor, mask: Tensor) -> Any:
        return self.encoder(self.ears(spectrogram, mask), mask=self.half(mask)), self.half(mask)

    def decode(self, tgt_ids: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        causal = torch.tril(torch.ones(tgt_ids.size(1), tgt_ids.size(1))).bool()
        x = self.decoder(self.positions(self.embedding(tgt_ids)), memory, causal, memory_mask)
        return x @ self.output.weight.T

    def forward(self, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
        memory = self.encode(spectrogram, mask)[0]
        logits = self.decode(tgt_ids, memory, self.half(mask))
        log_probs = self.ctc_head(memory).log_softmax(2)
        return logits, log_probs


slips(
    MODEL,
    InOneForward,
    {
        "the encoder reads the padding": {", mask=self.half(mask)), self": "), self"},
        "the decoder reads the padding": {"memory, causal, memory_mask)": "memory, causal)"},
        "no positions in the text": {"self.positions(self.embedding(tgt_ids))": "self.embedding(tgt_ids)"},
        "CTC gets logits": {".log_softmax(2)": ""},
        "CTC gets probabilities": {".log_softmax(2)": ".softmax(2)"},
        "softmax along the time": {".log_softmax(2)": ".log_softmax(1)"},
        "the text reads its future": {"memory, causal, memory_mask)": "memory, cross_mask=memory_mask)"},
        "vectors instead of logits": {"return x @ self.output.weight.T": "return x"},
        "the two readings are exchanged": {"return logits, log_probs": "return log_probs, logits"},
    },
)


class LikeLessonEight(nn.Module):
    def __init__(self, config: Any) -> None:
        super().__init__()
        parts(self, config)

    def encode(self, spectrogram: Tensor, mask: Tensor) -> Any:
        x = self.ears(spectrogram, mask)
        halved = mask.unflatten(1, (1, 1, -1))[..., ::2]
        return self.encoder(x, halved), halved

    def decode(self, tgt_ids: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        later = torch.ones(tgt_ids.size(1), tgt_ids.size(1), dtype=torch.bool).triu(1)
        allowed = (tgt_ids != self.config.pad_id).unflatten(1, (1, 1, -1)) & ~later
        return self.output(self.decoder(self.positions(self.embedding(tgt_ids)), memory, allowed, memory_mask))

    def forward(self, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
        heard = self.encode(spectrogram, mask)
        return self.decode(tgt_ids, *heard), torch.log_softmax(self.ctc_head(heard[0]), dim=-1)


slips(
    MODEL,
    LikeLessonEight,
    {
        "no encoder": {"return self.encoder(x, halved), halved": "return x, halved"},
        "the text reads its future": {" & ~later": ""},
        "CTC gets probabilities": {"torch.log_softmax(": "torch.softmax("},
        "CTC does not teach the encoder": {"self.ctc_head(heard[0])": "self.ctc_head(heard[0].detach())"},
        "the decoder does not teach the encoder": {
            "self.decode(tgt_ids, *heard)": "self.decode(tgt_ids, heard[0].detach(), heard[1])"
        },
        "the decoder reads the padding": {"allowed, memory_mask)": "allowed)"},
    },
)


def scaled(self: Given, memory: Tensor) -> Tensor:
    return F.log_softmax(2 * self.ctc_head(memory), -1)


def twice(self: Given, heard: Tensor, mask: Tensor) -> Tensor:
    return self.encoder(self.encoder(heard, mask), mask)


def one_layer(self: Given, heard: Tensor, mask: Tensor) -> Tensor:
    return self.encoder.norm(self.encoder.layers[0](heard, mask))


def near(self: Given, ids: Tensor) -> Tensor:
    """A place reads itself and the two before it."""
    back = torch.arange(ids.size(1))[:, None] - torch.arange(ids.size(1))
    return (back >= 0) & (back < 3) & (ids != self.config.pad_id)[:, None, None, :]


def backwards(self: Given, ids: Tensor) -> Tensor:
    places = torch.arange(ids.size(1))
    return (places[:, None] <= places) & (ids != self.config.pad_id)[:, None, None, :]


unlisted(MODEL)(another(spell=scaled))
disguise(MODEL, "the encoder runs twice")(another(remember=twice))
unlisted(MODEL)(another(remember=one_layer))
disguise(MODEL, "the past is hidden")(another(visible=backwards))
unlisted(MODEL)(another(visible=near))


def cut_short(self: Given, spectrogram: Tensor, mask: Tensor) -> Any:
    longest = int(mask.sum(dim=1).max())
    return Given.encode(self, spectrogram[:, :longest], mask[:, :longest])


def three(self: Given, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
    memory, half = self.encode(spectrogram, mask)
    return self.decode(tgt_ids, memory, half), self.spell(memory), half


def deaf(self: Given, spectrogram: Tensor, mask: Tensor) -> Any:
    half = self.halved(mask)
    return self.encoder(self.ears(spectrogram, mask.logical_not()), half), half


disguise(MODEL, "cut to the longest sound")(another(encode=cut_short))
disguise(MODEL, "the mask comes back too")(another(forward=three))
disguise(MODEL, "the ears' mask is turned round")(another(encode=deaf))
disguise(MODEL, "the memory's mask has another form")(another(halved=lambda self, mask: mask[:, None, None]))
disguise(MODEL, "the memory's mask has another form")(another(halved=lambda self, mask: mask[:, None, None, 1::2]))
disguise(MODEL, "the memory's mask is not boolean")(another(halved=lambda self, mask: mask[:, None, None, ::2].int()))
disguise(MODEL, "the mask stands at the queries")(another(halved=lambda self, mask: mask[:, None, ::2, None]))
disguise(MODEL, "CTC turned for torch")(
    another(spell=lambda self, x: F.log_softmax(self.ctc_head(x.transpose(0, 1)), 2))
)
disguise(MODEL, "logits by the CTC head")(another(score=lambda self, x: self.ctc_head(x)))
disguise(MODEL, "the last place alone")(another(score=lambda self, x: self.output(x[:, -1])))
disguise(MODEL, "the embedding counts twice")(
    another(embed=lambda self, ids: self.embedding(ids) + self.positions(self.embedding(ids)))
)
disguise(MODEL, "the two masks are exchanged")(
    another(write=lambda self, x, memory, seen, heard: self.decoder(x, memory, heard, seen))
)
disguise(MODEL, "no place reads itself")(
    another(visible=lambda self, ids: torch.ones(ids.size(1), ids.size(1)).tril(-1).bool() & told(self, ids))
)
disguise(MODEL, "the text's padding is turned round")(
    another(visible=lambda self, ids: torch.ones(ids.size(1), ids.size(1)).tril().bool() & ~told(self, ids))
)


def heard_so_far(self: Given, heard: Tensor, mask: Tensor) -> Tensor:
    places = torch.arange(heard.size(1))
    return self.encoder(heard, (places <= places[:, None]) & mask)


def from_the_table(self: Given, ids: Tensor) -> Tensor:
    return self.positions(F.embedding(ids, self.embedding.embedding.weight))


def standardized(self: Given, x: Tensor) -> Tensor:
    return self.output(self.decoder.norm(x))


def without_the_last(self: Given, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
    return Given.forward(self, spectrogram, mask, tgt_ids.narrow(1, 0, tgt_ids.size(1) - 1))


def written(self: Given, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
    return Given.forward(self, spectrogram, mask, tgt_ids)[0]


def in_a_list(self: Given, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
    return list(Given.forward(self, spectrogram, mask, tgt_ids))


def flat_mask(self: Given, spectrogram: Tensor, mask: Tensor) -> Any:
    memory, _ = Given.encode(self, spectrogram, mask)
    return memory, mask[:, ::2]


def in_evaluation(self: Given, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
    self.train(False)
    return Given.forward(self, spectrogram, mask, tgt_ids)


def encoder_in_evaluation(self: Given, spectrogram: Tensor, mask: Tensor) -> Any:
    self.encoder.train(False)
    return Given.encode(self, spectrogram, mask)


def in_training(self: Given, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
    for part in self.modules():
        part.training = True
    return Given.forward(self, spectrogram, mask, tgt_ids)


def read_from_the_ears(self: Given, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> Any:
    memory, half = self.encode(spectrogram, mask)
    return self.decode(tgt_ids, self.ears(spectrogram, mask), half), self.spell(memory)


disguise(MODEL, "the mode is changed")(another(forward=in_evaluation))
disguise(MODEL, "the mode is changed")(another(encode=encoder_in_evaluation))
disguise(MODEL, "the mode is changed")(another(forward=in_training))
disguise(MODEL, "no decoder")(another(write=lambda self, x, memory, seen, heard: x))
disguise(MODEL, "the decoder reads the ears")(another(forward=read_from_the_ears))
disguise(MODEL, "the encoder does not read ahead")(another(remember=heard_so_far))
disguise(MODEL, "the embedding is not scaled")(another(embed=from_the_table))
disguise(MODEL, "normalized once more")(another(score=standardized))
disguise(MODEL, "a place of the text is left out")(another(forward=without_the_last))
disguise(MODEL, "one reading alone")(another(forward=written))
disguise(MODEL, "the readings are no tuple")(another(forward=in_a_list))
disguise(MODEL, "the memory's mask has another form")(another(encode=flat_mask))
disguise(MODEL, "softmax along the time")(another(spell=lambda self, x: self.ctc_head(x).softmax(0).log()))


def told(self: Given, ids: Tensor) -> Tensor:
    """Where a token stands."""
    return (ids != self.config.pad_id)[:, None, None, :]
