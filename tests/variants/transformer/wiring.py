"""Right Transformers, and slips in them."""

import math
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.attention import causal_mask, padding_mask
from autograder.stand_ins.decoder import Decoder
from autograder.stand_ins.encoder import Encoder
from autograder.stand_ins.positional_encoding import PositionalEncoding
from autograder.stand_ins.transformer import TokenEmbedding
from autograder.stand_ins.transformer import Transformer as StandIn
from tests.variants import disguise, slips
from tests.variants.transformer.parts import in_vocabulary


class StepByStep(nn.Module):
    """One step a line, with the masks of lesson 02."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        width = config.d_model
        stack = (config.num_layers, width, config.num_heads, config.d_ff, config.dropout, config.norm_first)
        self.encoder = Encoder(*stack)
        self.decoder = Decoder(*stack)
        self.positions = PositionalEncoding(width, config.max_len, config.dropout)
        source = TokenEmbedding(config.src_vocab_size, width, config.pad_id)
        target = source if config.share_embeddings else TokenEmbedding(config.tgt_vocab_size, width, config.pad_id)
        self.src_embedding, self.tgt_embedding = source, target
        self.output = nn.Linear(width, config.tgt_vocab_size, bias=False)
        if self.config.tie_output:
            self.output.weight = target.embedding.weight

    def encode(self, src_ids: Tensor) -> Tensor:
        x = self.src_embedding(src_ids)
        x = self.positions(x)
        mask = padding_mask(src_ids, self.config.pad_id)
        return self.encoder(x, mask)

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        y = self.tgt_embedding(tgt_ids)
        y = self.positions(y)
        real = padding_mask(tgt_ids, self.config.pad_id)
        past = causal_mask(tgt_ids.size(1))
        return self.decoder(y, memory, real & past, src_mask)

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        if len(src_ids) != len(tgt_ids):
            raise ValueError("one target for each source")
        seen = padding_mask(src_ids, self.config.pad_id)
        memory = self.encode(src_ids)
        vectors = self.decode(tgt_ids, memory, seen)
        return self.output(vectors)


slips(
    "Transformer",
    StepByStep,
    {
        "TokenEmbedding passed by": [
            {"self.src_embedding(src_ids)": "self.src_embedding.embedding(src_ids)"},
            {"self.tgt_embedding(tgt_ids)": "self.tgt_embedding.embedding(tgt_ids)"},
            {
                "self.src_embedding(": "self.src_embedding.embedding(",
                "self.tgt_embedding(": "self.tgt_embedding.embedding(",
            },
        ],
        "multiplied by √d_model twice": [
            {"x = self.src_embedding(src_ids)": "x = self.src_embedding(src_ids) * math.sqrt(self.config.d_model)"},
            {
                "self.positions(x)": "self.positions(x * math.sqrt(self.config.d_model))",
                "self.positions(y)": "self.positions(y * math.sqrt(self.config.d_model))",
            },
        ],
        "positions multiplied by √d_model too": {"self.positions(x)": "self.positions(x) * math.sqrt(x.size(-1))"},
        "positions added twice": {"self.encoder(x, mask)": "self.encoder(self.positions(x), mask)"},
        "no positions in the source": {"        x = self.positions(x)\n": ""},
        "no positions in the target": {"        y = self.positions(y)\n": ""},
        "no dropout after the positions": {"self.positions(x)": "x + self.positions.table[: x.size(1)]"},
        "positions added to the memory again": [
            {"self.encode(src_ids)": "self.positions(self.encode(src_ids))"},
            {"return self.encoder(x, mask)": "return self.positions(self.encoder(x, mask))"},
        ],
        "target looked up in the source's table": {"self.tgt_embedding(tgt_ids)": "self.src_embedding(tgt_ids)"},
        "source looked up in the target's table": {"self.src_embedding(src_ids)": "self.tgt_embedding(src_ids)"},
        "encoder reads padding": {"self.encoder(x, mask)": "self.encoder(x)"},
        "cross-attention reads padding": {"real & past, src_mask": "real & past"},
        "target not causal": {"real & past, src_mask": "real, src_mask"},
        "padding of the target not hidden": {"real & past, src_mask": "past, src_mask"},
        "source causal": [
            {"(x, mask)": "(x, mask & causal_mask(src_ids.size(1)))"},
            {"mask = padding_mask(src_ids, self.config.pad_id)": "mask = causal_mask(src_ids.size(1))"},
        ],
        "masks joined with or": {"real & past": "real | past"},
        "the past hidden instead of the future": {"causal_mask(tgt_ids.size(1))": "causal_mask(tgt_ids.size(1)).T"},
        "causal mask excludes the token itself": {"causal_mask(tgt_ids.size(1))": "~causal_mask(tgt_ids.size(1)).T"},
        "masks of the decoder exchanged": {"real & past, src_mask": "src_mask, real & past"},
        "one mask for both attentions": [
            {"real & past, src_mask": "real & past, real & past"},
            {"real & past, src_mask": "src_mask, src_mask"},
        ],
        "masks inverted": [
            {"self.encoder(x, mask)": "self.encoder(x, ~mask)"},
            {"real & past": "~(real & past)"},
            {"memory, seen)": "memory, ~seen)"},
            {"(x, mask)": "(x, ~mask)", "real & past": "~(real & past)", "memory, seen)": "memory, ~seen)"},
            {"(x, mask)": "(x, ~mask)", "real & past": "~real & past", "memory, seen)": "memory, ~seen)"},
        ],
        "padding hidden as query, not as key": {"self.encoder(x, mask)": "self.encoder(x, mask.transpose(2, 3))"},
        "no masks at all": {"self.encoder(x, mask)": "self.encoder(x)", "memory, real & past, src_mask": "memory"},
        "padding hidden from nobody": {
            "self.encoder(x, mask)": "self.encoder(x)",
            "memory, real & past, src_mask": "memory, past",
        },
        "padding is taken to be id 0": {
            "mask = padding_mask(src_ids, self.config.pad_id)": "mask = padding_mask(src_ids, 0)",
            "real = padding_mask(tgt_ids, self.config.pad_id)": "real = padding_mask(tgt_ids, 0)",
            "seen = padding_mask(src_ids, self.config.pad_id)": "seen = padding_mask(src_ids, 0)",
        },
        "the encoder is not used": {"return self.encoder(x, mask)": "return x"},
        "memory and target exchanged": {"self.decoder(y, memory,": "self.decoder(memory, y,"},
        "no gradient reaches the encoder": [
            {"self.encode(src_ids)": "self.encode(src_ids).detach()"},
            {"memory = self.encode(src_ids)": "with torch.no_grad():\n            memory = self.encode(src_ids)"},
        ],
        "the output layer has a bias": {", bias=False)": ")"},
        "two output layers in a row": {
            "nn.Linear(width, config.tgt_vocab_size, bias=False)": "nn.Sequential(nn.Linear(width, width), "
            "nn.Linear(width, config.tgt_vocab_size))",
            "self.output.weight =": "self.output[1].weight =",
        },
        "logits of size d_model": {"return self.output(vectors)": "return vectors"},
        "decode already returns scores": {
            "return self.decoder(y, memory, real & past, src_mask)": "return self.output(self.decoder(y, memory, "
            "real & past, src_mask))",
            "return self.output(vectors)": "return vectors",
        },
        "√d_model on the output too": {"self.output(vectors)": "self.output(vectors) * math.sqrt(vectors.size(-1))"},
        "scores divided by √d_model": {"self.output(vectors)": "self.output(vectors / math.sqrt(self.config.d_model))"},
        "softmax already applied": [
            {"self.output(vectors)": "self.output(vectors).softmax(dim=-1)"},
            {"self.output(vectors)": "F.log_softmax(self.output(vectors), dim=-1)"},
        ],
        "only the last place is scored": [
            {"self.output(vectors)": "self.output(vectors[:, -1])"},
            {"self.output(vectors)": "self.output(vectors[:, -1:])"},
        ],
        "target shortened inside the model": {"self.decode(tgt_ids,": "self.decode(tgt_ids[:, :-1],"},
        "vocabulary in the middle": {"self.output(vectors)": "self.output(vectors).transpose(1, 2)"},
        "the best token instead of scores": {"self.output(vectors)": "self.output(vectors).argmax(dim=-1)"},
        "tie_output ignored": {
            "        if self.config.tie_output:\n            self.output.weight = target.embedding.weight\n": ""
        },
        "tied weights copied instead of shared": {
            "self.output.weight = target.embedding.weight": "self.output.load_state_dict(target.embedding.state_dict())"
        },
        "tied through .data": [
            {"self.output.weight = target": "self.output.weight.data = target"},
            {"= target.embedding.weight": "= nn.Parameter(target.embedding.weight)"},
        ],
        "tied to the source's table": {"= target.embedding.weight": "= source.embedding.weight"},
        "tied though not asked for": {"if self.config.tie_output:": "if True:"},
        "tied only where the embeddings are shared": {
            "if self.config.tie_output:": "if self.config.tie_output and source is target:"
        },
        "share_embeddings ignored": {"target = source if config.share_embeddings else T": "target = T"},
        "share_embeddings and tie_output exchanged": {
            "source if config.share_embeddings": "source if config.tie_output",
            "if self.config.tie_output": "if self.config.share_embeddings",
        },
        "shared though not asked for": {
            "if config.share_embeddings": "if config.src_vocab_size == config.tgt_vocab_size"
        },
        "no positions at all": {
            "        x = self.positions(x)\n": "",
            "        y = self.positions(y)\n": "",
        },
        "encoder reads padding + cross-attention reads padding": {
            "self.encoder(x, mask)": "self.encoder(x)",
            "real & past, src_mask": "real & past",
        },
    },
)


class Vectors(nn.Module):
    """An embedding with everything in one line."""

    def __init__(self, vocab_size: int, config: Any) -> None:
        super().__init__()
        self.pad_id = config.pad_id
        self.embedding = nn.Embedding(vocab_size, config.d_model)
        nn.init.normal_(self.embedding.weight, std=config.d_model**-0.5)

    def forward(self, ids: Tensor) -> Tensor:
        in_vocabulary(ids, len(self.embedding.weight))
        return math.sqrt(self.embedding.embedding_dim) * self.embedding(ids) * (ids != self.pad_id)[..., None]


class LayerByLayer(nn.Module):
    """Runs the layers of both stacks itself, with masks from comparing."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = c = config
        self.tgt_embedding = Vectors(c.tgt_vocab_size, c)
        self.src_embedding = Vectors(c.src_vocab_size, c)
        self.output = nn.Linear(c.d_model, c.tgt_vocab_size, bias=False)
        if c.share_embeddings:
            self.src_embedding = self.tgt_embedding
        if c.tie_output:
            table = self.tgt_embedding.embedding.weight
            self.output.weight = table
        self.positions = PositionalEncoding(c.d_model, dropout=c.dropout, max_len=c.max_len)
        self.encoder = Encoder(c.num_layers, c.d_model, c.num_heads, c.d_ff, c.dropout, c.norm_first)
        self.decoder = Decoder(c.num_layers, c.d_model, c.num_heads, c.d_ff, c.dropout, c.norm_first)

    def encode(self, src_ids: Tensor) -> Tensor:
        vectors = self.src_embedding(src_ids)
        hidden = self.positions(vectors)
        keys = src_ids.ne(self.config.pad_id)[:, None, None, :]
        for layer in self.encoder.layers:
            hidden = layer(hidden, keys)
        if self.config.norm_first:
            hidden = self.encoder.norm(hidden)
        return hidden

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        vectors = self.tgt_embedding(tgt_ids)
        written = self.positions(vectors)
        place = torch.arange(tgt_ids.size(1))
        looks = (place <= place[:, None]) & tgt_ids.ne(self.config.pad_id)[:, None, None, :]
        for layer in self.decoder.layers:
            written = layer(written, memory, looks, src_mask)
        if self.config.norm_first:
            written = self.decoder.norm(written)
        return written

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        if len(src_ids) != len(tgt_ids):
            raise ValueError("another number of targets")
        real = (src_ids != self.config.pad_id).reshape(len(tgt_ids), 1, 1, src_ids.size(1))
        memory = self.encode(src_ids)
        scores = torch.einsum("btd,vd->btv", self.decode(tgt_ids, memory, real), self.output.weight)
        return scores


slips(
    "Transformer",
    LayerByLayer,
    {
        "TokenEmbedding passed by": {"self.tgt_embedding(tgt_ids)": "self.tgt_embedding.embedding(tgt_ids)"},
        "multiplied by √d_model twice": {
            "self.src_embedding(src_ids)": "self.src_embedding(src_ids) * self.config.d_model**0.5"
        },
        "positions multiplied by √d_model too": [
            {"hidden = self.positions(": "hidden = self.config.d_model**0.5 * self.positions("},
            {"written = self.positions(": "written = self.config.d_model**0.5 * self.positions("},
        ],
        "positions added twice": {"        keys =": "        hidden = self.positions(hidden)\n        keys ="},
        "no positions in the source": {"hidden = self.positions(vectors)": "hidden = vectors"},
        "no positions in the target": {"written = self.positions(vectors)": "written = vectors"},
        "no dropout after the positions": {
            "written = self.positions(vectors)": "written = vectors + self.positions.table[: vectors.size(1)]"
        },
        "positions added to the memory again": {
            "memory = self.encode(src_ids)": "memory = self.positions(self.encode(src_ids))"
        },
        "target looked up in the source's table": {"self.tgt_embedding(tgt_ids)": "self.src_embedding(tgt_ids)"},
        "source looked up in the target's table": {"self.src_embedding(src_ids)": "self.tgt_embedding(src_ids)"},
        "encoder reads padding": {"layer(hidden, keys)": "layer(hidden)"},
        "cross-attention reads padding": {"looks, src_mask": "looks"},
        "target not causal": {"(place <= place[:, None]) & ": ""},
        "padding of the target not hidden": {" & tgt_ids.ne(self.config.pad_id)[:, None, None, :]": ""},
        "masks joined with or": {"(place <= place[:, None]) &": "(place <= place[:, None]) |"},
        "the past hidden instead of the future": {"place <= place[:, None]": "place >= place[:, None]"},
        "causal mask excludes the token itself": {"place <= place[:, None]": "place < place[:, None]"},
        "causal mask allows the next token": {"place <= place[:, None]": "place <= place[:, None] + 1"},
        "cross-attention causal": {
            "looks, src_mask": "looks, src_mask & (torch.arange(memory.size(1)) <= place[:, None])"
        },
        "masks of the decoder exchanged": {"looks, src_mask": "src_mask, looks"},
        "one mask for both attentions": [
            {"looks, src_mask": "looks, looks"},
            {"looks, src_mask": "src_mask, src_mask"},
        ],
        "masks inverted": [
            {"src_ids.ne(": "src_ids.eq("},
            {"(src_ids != ": "(src_ids == "},
            {"src_ids.ne(": "src_ids.eq(", "tgt_ids.ne(": "tgt_ids.eq(", "(src_ids != ": "(src_ids == "},
        ],
        "padding hidden as query, not as key": [
            {"src_ids.ne(self.config.pad_id)[:, None, None, :]": "src_ids.ne(self.config.pad_id)[:, None, :, None]"},
            {
                "src_ids.ne(self.config.pad_id)[:, None, None, :]": "src_ids.ne(self.config.pad_id)[:, None, :, None]",
                "tgt_ids.ne(self.config.pad_id)[:, None, None, :]": "tgt_ids.ne(self.config.pad_id)[:, None, :, None]",
            },
        ],
        "no masks at all": {"layer(hidden, keys)": "layer(hidden)", "memory, looks, src_mask": "memory"},
        "padding hidden from nobody": {
            "layer(hidden, keys)": "layer(hidden)",
            " & tgt_ids.ne(self.config.pad_id)[:, None, None, :]": "",
            "looks, src_mask": "looks",
        },
        "padding is taken to be id 0": {
            "src_ids.ne(self.config.pad_id)": "src_ids.ne(0)",
            "tgt_ids.ne(self.config.pad_id)": "tgt_ids.ne(0)",
            "src_ids != self.config.pad_id": "src_ids != 0",
        },
        "last norm of a stack passed by": [
            {"        if self.config.norm_first:\n            hidden = self.encoder.norm(hidden)\n": ""},
            {"        if self.config.norm_first:\n            written = self.decoder.norm(written)\n": ""},
            {"hidden = self.encoder.norm(hidden)": "pass", "written = self.decoder.norm(written)": "pass"},
        ],
        "the encoder is not used": {
            "memory = self.encode(src_ids)": "memory = self.positions(self.src_embedding(src_ids))"
        },
        "memory and target exchanged": {
            "        place =": "        written, memory = memory, written\n        place =",
        },
        "no gradient reaches the encoder": {"self.encode(src_ids)": "self.encode(src_ids).data"},
        "√d_model on the output too": {"return scores": "return scores * self.config.d_model**0.5"},
        "scores divided by √d_model": {"return scores": "return scores / self.config.d_model**0.5"},
        "softmax already applied": {"return scores": "return scores.softmax(-1)"},
        "only the last place is scored": {"return scores": "return scores[:, -1:]"},
        "target shifted inside the model": [
            {"self.decode(tgt_ids,": "self.decode(tgt_ids.roll(1, 1),"},
            {"self.decode(tgt_ids,": "self.decode(F.pad(tgt_ids[:, :-1], (1, 0), value=1),"},
        ],
        "target shortened inside the model": {"self.decode(tgt_ids,": "self.decode(tgt_ids[:, :-1],"},
        "vocabulary in the middle": {"->btv": "->bvt"},
        "the best token instead of scores": {"return scores": "return scores.max(-1).indices"},
        "tie_output ignored": {"            self.output.weight = table\n": ""},
        "tied weights copied instead of shared": [
            {"self.output.weight = table": "self.output.weight = nn.Parameter(table.clone())"},
            {"self.output.weight = table": "self.output.weight.data.copy_(table)"},
        ],
        "tied through .data": {"self.output.weight = table": "self.output.weight = nn.Parameter(table)"},
        "tied to the source's table": {"table = self.tgt_embedding": "table = self.src_embedding"},
        "tied though not asked for": {"if c.tie_output:": "if c.tie_output or c.tgt_vocab_size:"},
        "share_embeddings ignored": {"            self.src_embedding = self.tgt_embedding\n": "            pass\n"},
        "shared embedding copied": {
            "self.src_embedding = self.tgt_embedding": "same = self.tgt_embedding.state_dict()\n"
            "            self.src_embedding.load_state_dict(same)"
        },
        "shared through .data": {
            "self.src_embedding = self.tgt_embedding": "data = self.tgt_embedding.embedding.weight.data\n"
            "            self.src_embedding.embedding.weight.data = data"
        },
        "share_embeddings and tie_output exchanged": {
            "if c.share_embeddings": "if c.tie_output",
            "if c.tie_output": "if c.share_embeddings",
        },
        "tied only where the embeddings are shared": {"if c.tie_output": "if c.share_embeddings and c.tie_output"},
        "not tied where the embeddings are shared": {"if c.tie_output": "elif c.tie_output"},
        "shared though not asked for": {"if c.share_embeddings": "if c.src_vocab_size == c.tgt_vocab_size"},
        "positions added to the memory again + target not causal": {
            "self.encode(src_ids)": "self.positions(self.encode(src_ids))",
            "(place <= place[:, None]) & ": "",
        },
        "no positions in the target + softmax already applied": {
            "written = self.positions(vectors)": "written = vectors",
            "return scores": "return scores.softmax(-1)",
        },
    },
)

slips(
    "Transformer",
    LayerByLayer,
    {"no √d_model": {"math.sqrt(self.embedding.embedding_dim) * ": ""}},
    inside="Vectors",
)


class OneHelper(nn.Module):
    """Source and target go the same ways: one method for what is read, one for what is hidden."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        make = partial(TokenEmbedding, d_model=config.d_model, pad_id=config.pad_id)
        tables = [make(config.src_vocab_size)]
        tables += tables if config.share_embeddings else [make(config.tgt_vocab_size)]
        self.src_embedding, self.tgt_embedding = tables
        names = ("num_layers", "d_model", "num_heads", "d_ff", "dropout", "norm_first")
        stack = [getattr(config, name) for name in names]
        self.encoder, self.decoder = Encoder(*stack), Decoder(*stack)
        self.positions = PositionalEncoding(config.d_model, max_len=config.max_len, dropout=config.dropout)
        self.output = nn.Linear(config.d_model, config.tgt_vocab_size, False)
        tied = config.tie_output
        self.output.weight = tables[1].embedding.weight if tied else self.output.weight

    def placed(self, ids: Tensor, table: nn.Module) -> Tensor:
        vectors = table(ids)
        return self.positions(vectors)

    def keys(self, ids: Tensor) -> Tensor:
        hidden = ids == self.config.pad_id
        return ~hidden.unsqueeze(1).unsqueeze(2)

    def encode(self, src_ids: Tensor) -> Tensor:
        x = self.placed(src_ids, self.src_embedding)
        return self.encoder(x, mask=self.keys(src_ids))

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        lower = torch.ones(tgt_ids.size(1), tgt_ids.size(1)).tril()
        self_mask = (lower * self.keys(tgt_ids)).bool()
        x = self.placed(tgt_ids, self.tgt_embedding)
        return self.decoder(x, memory, self_mask=self_mask, cross_mask=src_mask)

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        if src_ids.size(0) != tgt_ids.size(0):
            raise ValueError(f"{src_ids.size(0)} sources and {tgt_ids.size(0)} targets")
        memory = self.encode(src_ids)
        states = self.decode(memory=memory, tgt_ids=tgt_ids, src_mask=self.keys(src_ids))
        return F.linear(states, self.output.weight)


slips(
    "Transformer",
    OneHelper,
    {
        "TokenEmbedding passed by": {"table(ids)": "table.embedding(ids)"},
        "multiplied by √d_model twice": [
            {"table(ids)": "table(ids) * math.sqrt(self.config.d_model)"},
            {"self.positions(vectors)": "self.positions(vectors * math.sqrt(vectors.size(-1)))"},
        ],
        "positions multiplied by √d_model too": {
            "self.positions(vectors)": "self.positions(vectors) * math.sqrt(self.config.d_model)"
        },
        "positions added twice": {"self.positions(vectors)": "self.positions(self.positions(vectors))"},
        "no positions in the source": {"self.placed(src_ids, self.src_embedding)": "self.src_embedding(src_ids)"},
        "no positions in the target": {"self.placed(tgt_ids, self.tgt_embedding)": "self.tgt_embedding(tgt_ids)"},
        "no dropout after the positions": {
            "self.positions(vectors)": "vectors + self.positions.table[: vectors.size(1)]"
        },
        "positions added to the memory again": {"memory=memory": "memory=self.positions(memory)"},
        "target looked up in the source's table": {"tgt_ids, self.tgt_embedding)": "tgt_ids, self.src_embedding)"},
        "source looked up in the target's table": {"src_ids, self.src_embedding)": "src_ids, self.tgt_embedding)"},
        "encoder reads padding": {"x, mask=self.keys(src_ids))": "x)"},
        "cross-attention reads padding": {", cross_mask=src_mask": ""},
        "target not causal": [{").tril()": ")"}, {"(lower * self.keys(tgt_ids)).bool()": "self.keys(tgt_ids)"}],
        "padding of the target not hidden": {"(lower * self.keys(tgt_ids)).bool()": "lower.bool()"},
        "source causal": {"x, mask=self.keys(src_ids))": "x, mask=self.keys(src_ids) & causal_mask(src_ids.size(1)))"},
        "masks joined with or": {"lower * self.keys(tgt_ids)": "lower + self.keys(tgt_ids)"},
        "the past hidden instead of the future": {".tril()": ".triu()"},
        "causal mask excludes the token itself": {".tril()": ".tril(-1)"},
        "causal mask allows the next token": {".tril()": ".tril(1)"},
        "masks of the decoder exchanged": {
            "self_mask=self_mask, cross_mask=src_mask": "self_mask=src_mask, cross_mask=self_mask"
        },
        "one mask for both attentions": [
            {"cross_mask=src_mask": "cross_mask=self_mask"},
            {"self_mask=self_mask": "self_mask=src_mask"},
        ],
        "decode is given the target's mask": {
            "src_mask=self.keys(src_ids)": "src_mask=self.keys(tgt_ids) & causal_mask(tgt_ids.size(1))"
        },
        "masks inverted": [
            {"~hidden": "hidden"},
            {"ids == self": "ids != self"},
            {
                "x, mask=self.keys": "x, mask=~self.keys",
                "(lower * self.keys(tgt_ids)).bool()": "lower * self.keys(tgt_ids) == 0",
                "src_mask=self.keys(src_ids)": "src_mask=~self.keys(src_ids)",
            },
            {"x, mask=self.keys": "x, mask=~self.keys"},
            {"(lower * self.keys(tgt_ids)).bool()": "lower * self.keys(tgt_ids) == 0"},
        ],
        "padding hidden as query, not as key": {"unsqueeze(1).unsqueeze(2)": "unsqueeze(1).unsqueeze(3)"},
        "no masks at all": {
            "x, mask=self.keys(src_ids))": "x)",
            ", self_mask=self_mask, cross_mask=src_mask": "",
        },
        "padding hidden from nobody": {
            "x, mask=self.keys(src_ids))": "x)",
            "lower * self.keys(tgt_ids)": "lower",
            ", cross_mask=src_mask": "",
        },
        "padding is taken to be id 0": {"ids == self.config.pad_id": "ids == 0"},
        "the encoder is not used": {
            "memory = self.encode(src_ids)": "memory = self.placed(src_ids, self.src_embedding)"
        },
        "no gradient reaches the encoder": {"memory=memory": "memory=memory.detach()"},
        "the output layer has a bias": {
            "tgt_vocab_size, False)": "tgt_vocab_size)",
            "F.linear(states, self.output.weight)": "self.output(states)",
        },
        "logits of size d_model": {"F.linear(states, self.output.weight)": "states"},
        "decode already returns scores": {
            "return self.decoder(": "return self.output(self.decoder(",
            "cross_mask=src_mask)": "cross_mask=src_mask))",
            "F.linear(states, self.output.weight)": "states",
        },
        "√d_model on the output too": [
            {"return F.linear": "return math.sqrt(self.config.d_model) * F.linear"},
            {"return F.linear": "return (self.config.d_model**0.5 if self.config.tie_output else 1) * F.linear"},
        ],
        "scores divided by √d_model": {
            "return F.linear": "return (self.config.d_model**-0.5 if self.config.tie_output else 1) * F.linear"
        },
        "softmax already applied": {
            "F.linear(states, self.output.weight)": "F.softmax(F.linear(states, self.output.weight), dim=2)"
        },
        "only the last place is scored": {"F.linear(states,": "F.linear(states[:, -1],"},
        "target shifted inside the model": [
            {"tgt_ids=tgt_ids": "tgt_ids=torch.cat([torch.ones_like(tgt_ids[:, :1]), tgt_ids[:, :-1]], dim=1)"},
            {"tgt_ids=tgt_ids": "tgt_ids=F.pad(tgt_ids[:, :-1], (1, 0), value=self.config.pad_id)"},
        ],
        "target shortened inside the model": {"tgt_ids=tgt_ids": "tgt_ids=tgt_ids[:, :-1]"},
        "vocabulary in the middle": {"F.linear(states, self.output.weight)": "F.linear(states, self.output.weight).mT"},
        "the best token instead of scores": {
            "F.linear(states, self.output.weight)": "F.linear(states, self.output.weight).argmax(-1)"
        },
        "tie_output ignored": {"tied = config.tie_output": "tied = False"},
        "tied weights copied instead of shared": {
            "tables[1].embedding.weight if": "nn.Parameter(tables[1].embedding.weight.detach().clone()) if"
        },
        "tied through .data": {"tables[1].embedding.weight if": "nn.Parameter(tables[1].embedding.weight.data) if"},
        "tied to the source's table": {"tables[1].": "tables[0]."},
        "tied though not asked for": {" if tied else self.output.weight": ""},
        "tied only where the embeddings are shared": {
            "tied = config.tie_output": "tied = config.tie_output and config.share_embeddings"
        },
        "share_embeddings ignored": {"tables if config.share_embeddings else [": "["},
        "share_embeddings and tie_output exchanged": {
            "if config.share_embeddings": "if config.tie_output",
            "tied = config.tie_output": "tied = config.share_embeddings",
        },
        "not tied where the embeddings are shared": {
            "tied = config.tie_output": "tied = config.tie_output and not config.share_embeddings"
        },
        "shared though not asked for": {
            "if config.share_embeddings": "if config.tgt_vocab_size == config.src_vocab_size"
        },
        "no mask for the target": {", self_mask=self_mask": ""},
    },
)


class OwnLoops(StandIn):
    """Runs the layers of both stacks in `forward`."""

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        if len(src_ids) != len(tgt_ids):
            raise ValueError("one target for each source")
        seen = padding_mask(src_ids, self.config.pad_id)
        read = self.positions(self.src_embedding(src_ids))
        for block in [*self.encoder.layers]:
            read = block(read, seen)
        if self.config.norm_first:
            read = self.encoder.norm(read)
        own = padding_mask(tgt_ids, self.config.pad_id) & causal_mask(tgt_ids.shape[1])
        written = self.positions(self.tgt_embedding(tgt_ids))
        for block in [*self.decoder.layers]:
            written = block(written, read, own, seen)
        if self.config.norm_first:
            written = self.decoder.norm(written)
        return F.linear(written, self.output.weight)


ENDS_READ = "        if self.config.norm_first:\n            read = self.encoder.norm(read)\n"
ENDS_WRITTEN = "        if self.config.norm_first:\n            written = self.decoder.norm(written)\n"


def further_in(text: str) -> str:
    """The same lines, inside the loop above them."""
    return "".join(f"    {line}\n" for line in text.splitlines())


slips(
    "Transformer",
    OwnLoops,
    {
        "the norm of a stack after every layer": [
            {ENDS_READ: further_in(ENDS_READ)},
            {ENDS_WRITTEN: further_in(ENDS_WRITTEN)},
            {ENDS_READ: further_in(ENDS_READ) + ENDS_READ},
        ],
        "the norm of the other stack": {"self.encoder.norm(read)": "self.decoder.norm(read)"},
        "a layer of a stack is left out": [
            {"[*self.encoder.layers]": "self.encoder.layers[:-1]"},
            {"[*self.encoder.layers]": "self.encoder.layers[1:]"},
            {"[*self.decoder.layers]": "self.decoder.layers[:-1]"},
        ],
        "one layer of a stack runs again and again": [
            {"read = block(": "read = self.encoder.layers[0]("},
            {"written = block(": "written = self.decoder.layers[0]("},
        ],
        "encoder reads padding": {"block(read, seen)": "block(read)"},
        "masks of the decoder exchanged": {"read, own, seen)": "read, seen, own)"},
        "no mask for the target": {"read, own, seen)": "read, None, seen)"},
        "target looked up in the source's table": {"self.tgt_embedding(": "self.src_embedding("},
        "source looked up in the target's table": {"self.src_embedding(": "self.tgt_embedding("},
    },
)


def looped(mistake: str, readers: Any = list, writers: Any = list, norms: Any = None) -> None:
    """A disguise: other layers than all in turn, or other norms than each its own."""

    class Looped(StandIn):
        def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
            if len(src_ids) != len(tgt_ids):
                raise ValueError("one target for each source")
            seen = padding_mask(src_ids, self.config.pad_id)
            read, written = self.positions(self.src_embedding(src_ids)), self.positions(self.tgt_embedding(tgt_ids))
            first, last = norms(self) if norms and self.config.norm_first else (self.encoder.norm, self.decoder.norm)
            for block in readers(self.encoder.layers):
                read = block(read, seen)
            read = read if first is None else first(read)
            own = padding_mask(tgt_ids, self.config.pad_id) & causal_mask(tgt_ids.shape[1])
            for block in writers(self.decoder.layers):
                written = block(written, read, own, seen)
            return self.output(written if last is None else last(written))

    disguise("Transformer", mistake)(Looped)


def nothing_but_the_first(layers: Any) -> list:
    return [layers[0] for _ in layers]


looped("a layer of a stack is left out", readers=lambda layers: [*layers][:-1])
looped("one layer of a stack runs again and again", writers=nothing_but_the_first)
looped("the norm of the other stack", norms=lambda model: (model.decoder.norm, model.decoder.norm))


@disguise("Transformer", "the norm of a stack after every layer")
class NormsEach(StandIn):
    """The encoder's norm in the loop."""

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        if len(src_ids) != len(tgt_ids):
            raise ValueError("one target for each source")
        seen = padding_mask(src_ids, self.config.pad_id)
        read = self.positions(self.src_embedding(src_ids))
        for block in self.encoder.layers:
            read = (self.encoder.norm or nn.Identity())(block(read, seen))
        return self.output(self.decode(tgt_ids, read, seen))


@disguise("Transformer", "a stack runs twice")
class ReadsTwice(StepByStep):
    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        if len(src_ids) != len(tgt_ids):
            raise ValueError("one target for each source")
        seen = padding_mask(src_ids, self.config.pad_id)
        memory = self.encode(src_ids)
        for _ in range(1):
            memory = self.encoder(memory, seen)
        return self.output(self.decode(tgt_ids, memory, seen))


@disguise("Transformer", "the embedded target is added to the result")
class AddsWhatWentIn(StepByStep):
    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        y = self.positions(self.tgt_embedding(tgt_ids))
        seen = padding_mask(tgt_ids, self.config.pad_id) & causal_mask(tgt_ids.size(1))
        return torch.add(self.decoder(y, memory, seen, src_mask), y)


@disguise("Transformer", "a layer that nothing uses")
class WithOneLayerMore(StepByStep):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.hidden = nn.Linear(in_features=config.d_model, out_features=config.d_model)
