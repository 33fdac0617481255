"""Transformers out of pieces: right ones, and wrong ones in which a piece is another."""

import copy
import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.attention import causal_mask, padding_mask
from autograder.stand_ins.decoder import Decoder, DecoderLayer
from autograder.stand_ins.encoder import Encoder, EncoderLayer
from autograder.stand_ins.positional_encoding import PositionalEncoding
from autograder.stand_ins.transformer import TokenEmbedding, make_masks
from autograder.stand_ins.transformer import Transformer as StandIn
from tests.variants import correct, disguise, unlisted
from tests.variants.transformer.parts import Table, before


class Embed(Table):
    """A right TokenEmbedding of one's own."""

    def look(self, ids: Tensor) -> Tensor:
        return self.weight[ids] * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]


class Base(nn.Module):
    """A right Transformer whose stacks are run by hand, in pieces that a wrong one can replace."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        c = config
        sizes = dict(d_model=c.d_model, num_heads=c.num_heads, d_ff=c.d_ff, dropout=c.dropout, norm_first=c.norm_first)
        self.output = nn.Linear(c.d_model, c.tgt_vocab_size, bias=False)
        self.decoder = Decoder(c.num_layers, **sizes)
        self.encoder = Encoder(c.num_layers, **sizes)
        self.positions = PositionalEncoding(c.d_model, max_len=c.max_len, dropout=c.dropout)
        self.tgt_embedding = Embed(c.tgt_vocab_size, c.d_model, c.pad_id)
        self.src_embedding = Embed(c.src_vocab_size, c.d_model, c.pad_id)
        self.join()

    def join(self) -> None:
        """Share and tie."""
        if self.config.share_embeddings:
            self.src_embedding = self.tgt_embedding
        if self.config.tie_output:
            self.output.weight = self.src_or_target(self.tgt_embedding)

    def src_or_target(self, table: Any) -> Any:
        """A table's Parameter."""
        return table.embedding.weight

    def real(self, ids: Tensor) -> Tensor:
        """True where a key is no padding: (batch, 1, 1, length)."""
        return (ids != self.config.pad_id)[:, None, None, :]

    def look(self, ids: Tensor, table: Any) -> Tensor:
        """What goes into a stack."""
        return self.positions(table(ids))

    def src_mask(self, src_ids: Tensor) -> Tensor | None:
        """Of the encoder."""
        return self.real(src_ids)

    def tgt_mask(self, tgt_ids: Tensor) -> Tensor | None:
        """Of the decoder's self-attention."""
        return self.real(tgt_ids) & before(tgt_ids.size(1))

    def read(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """The encoder, layer by layer."""
        for layer in self.encoder.layers:
            x = layer(x, mask)
        return x if self.encoder.norm is None else self.encoder.norm(x)

    def write(self, x: Tensor, memory: Tensor, mask: Tensor | None, cross: Tensor | None) -> Tensor:
        """The decoder, layer by layer."""
        for layer in self.decoder.layers:
            x = layer(x, memory, mask, cross)
        return x if self.decoder.norm is None else self.decoder.norm(x)

    def encode(self, src_ids: Tensor) -> Tensor:
        return self.read(self.look(src_ids, self.src_embedding), self.src_mask(src_ids))

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return self.write(self.look(tgt_ids, self.tgt_embedding), memory, self.tgt_mask(tgt_ids), src_mask)

    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        """What the decoder leaves behind."""
        if len(src_ids) != len(tgt_ids):
            raise ValueError("another number of targets")
        return self.decode(tgt_ids, self.encode(src_ids), self.real(src_ids))

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        if len(src_ids) != len(tgt_ids):
            raise ValueError("another number of targets")
        return self.score(src_ids, tgt_ids) @ self.output.weight.T


def model(kind: str, mistake: str = "") -> Any:
    """A Transformer from a class."""
    if kind == "disguise":
        return disguise("Transformer", mistake)
    return correct("Transformer") if kind == "correct" else unlisted("Transformer")


def wrong(mistake: str) -> Any:
    """A disguise of the Transformer."""
    return model("disguise", mistake)


correct("Transformer")(Base)


@correct("Transformer")
class LikeThePage(nn.Module):
    """The reference's way, with everything in forward, and encode and decode made of closures."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config, c = config, config
        table = partial(Embed, d_model=c.d_model, pad_id=c.pad_id)
        self.src_embedding = table(c.src_vocab_size)
        self.tgt_embedding = self.src_embedding if c.share_embeddings else table(c.tgt_vocab_size)
        self.positions = PositionalEncoding(c.d_model, c.max_len, c.dropout)
        self.encoder = Encoder(c.num_layers, c.d_model, c.num_heads, c.d_ff, c.dropout, c.norm_first)
        self.decoder = Decoder(c.num_layers, c.d_model, c.num_heads, c.d_ff, c.dropout, c.norm_first)
        self.output = nn.Linear(c.d_model, c.tgt_vocab_size, bias=False)
        if c.tie_output:
            del self.output.weight
            self.output.register_parameter("weight", self.tgt_embedding.embedding.weight)

    def encode(self, src_ids: Tensor) -> Tensor:
        return self.encoder(
            mask=padding_mask(src_ids, pad_id=self.config.pad_id), x=self.positions(self.src_embedding(src_ids))
        )

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        x = self.positions(self.tgt_embedding(tgt_ids), start=0)
        future = causal_mask(tgt_ids.shape[1]).expand(len(tgt_ids), 1, -1, -1)
        self_mask = future * padding_mask(tgt_ids, self.config.pad_id)
        return self.decoder(x, memory=memory, cross_mask=src_mask, self_mask=self_mask)

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        memory = self.encode(src_ids)
        src_mask, _ = make_masks(src_ids, tgt_ids, self.config.pad_id)
        return F.linear(self.decode(tgt_ids, memory, src_mask), self.output.weight)


@correct("Transformer")
class SharesTheParameter(Base):
    """Two modules, one Parameter; a helper that does both sides; weights asked for and dropped."""

    def join(self) -> None:
        if self.config.share_embeddings:
            self.src_embedding.embedding.weight = self.tgt_embedding.embedding.weight
        if self.config.tie_output:
            self.tgt_embedding.embedding.weight = self.output.weight
            if self.config.share_embeddings:
                self.src_embedding.embedding.weight = self.output.weight

    def read(self, x: Tensor, mask: Any) -> Tensor:
        x, _ = self.encoder(x, mask, return_weights=True)
        return x

    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        x, _ = self.decoder(x, memory, mask, cross, True)
        return x


@correct("Transformer")
class OneSentenceAtATime(Base):
    """Sentence by sentence, in the encoder; place by place, in the decoder."""

    def encode(self, src_ids: Tensor) -> Tensor:
        if self.training:  # what is dropped comes from one draw for the batch
            return super().encode(src_ids)
        return torch.cat([super(OneSentenceAtATime, self).encode(one[None]) for one in src_ids])

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        steps = [
            super(OneSentenceAtATime, self).decode(tgt_ids[:, : i + 1], memory, src_mask)[:, -1:]
            for i in range(tgt_ids.size(1))
        ]
        return torch.cat(steps, dim=1)


@correct("Transformer")
class PositionsByHand(Base):
    """The table is added, and dropped, outside of its module; einsum for the scores."""

    def look(self, ids: Tensor, table: Any) -> Tensor:
        x = table(ids) + self.positions.table[: ids.size(1)]
        return F.dropout(x, self.config.dropout, self.training)

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        if src_ids.shape[0] != tgt_ids.shape[0]:
            raise ValueError("another number of targets")
        return torch.einsum("btd,vd->btv", self.score(src_ids, tgt_ids), self.output.weight)


@correct("Transformer")
class InheritsAll(StandIn):
    """Built on someone else's, with the memory computed in a list."""

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        if src_ids.size(0) != tgt_ids.size(0):
            raise ValueError("another number of targets")
        steps = [self.encode]
        memory = steps[0](src_ids)
        mask = src_ids.ne(self.config.pad_id).view(src_ids.size(0), 1, 1, src_ids.size(1))
        return self.output(self.decode(memory=memory, tgt_ids=tgt_ids, src_mask=mask))


@correct("Transformer")
class OtherStacks(Base):
    """Stacks built layer by layer, from copies whose numbers are drawn anew."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        c = config
        rest = (c.d_model, c.num_heads, c.d_ff, c.dropout, c.norm_first)
        first_read, first_write = EncoderLayer(*rest), DecoderLayer(*rest)
        for i in range(c.num_layers):
            self.encoder.layers[i] = copy.deepcopy(first_read)
            self.decoder.layers[i] = copy.deepcopy(first_write)


# Embeddings and positions


@wrong("no √d_model")
class NoRoot(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        x = F.embedding(ids, table.embedding.weight) * (ids != self.config.pad_id).unsqueeze(-1)
        return self.positions(x)


@wrong("last norm of a stack passed by")
class LoopsOverLayers(Base):
    def read(self, x: Tensor, mask: Tensor | None) -> Tensor:
        for number in range(self.config.num_layers):
            x = self.encoder.layers[number](x, mask)
        return x

    def write(self, x: Tensor, memory: Tensor, mask: Tensor | None, cross: Tensor | None) -> Tensor:
        return functools.reduce(lambda h, layer: layer(h, memory, mask, cross), self.decoder.layers, x)


@wrong("TokenEmbedding passed by")
class PassedBy(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        return self.positions(table.embedding.weight[ids])


@wrong("multiplied by √d_model twice")
class Twice(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        return self.positions(math.sqrt(self.config.d_model) * table(ids))


@wrong("positions multiplied by √d_model too")
class After(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        return self.positions(table(ids)) * math.sqrt(self.config.d_model)


@wrong("vectors added to themselves")
class AddsWhatIsAdded(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        x = table(ids)
        return x + self.positions(x)


@wrong("positions added twice")
class PlacedTwice(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        x = table(ids)
        return self.positions.dropout(self.positions(x) + self.positions.table[: x.size(1)])


@wrong("no positions in the source")
class NoSourcePositions(Base):
    def encode(self, src_ids: Tensor) -> Tensor:
        return self.encoder(self.src_embedding(src_ids), self.real(src_ids))


@wrong("no positions in the target")
class NoTargetPositions(Base):
    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return self.decoder(self.tgt_embedding(tgt_ids), memory, self.tgt_mask(tgt_ids), src_mask)


@wrong("no positions at all")
class NoPositions(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        return table(ids)


@wrong("dropout once more after the positions")
class DroppedTwice(Base):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.again = nn.Dropout(config.dropout)

    def look(self, ids: Tensor, table: Any) -> Tensor:
        return self.again(super().look(ids, table))


@wrong("no dropout after the positions")
class Undropped(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        return table(ids) + self.positions.table[torch.arange(ids.shape[1])]


@wrong("positions added to the memory again")
class AgainInDecode(Base):
    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        return super().write(x, self.positions(memory), mask, cross)


@wrong("target looked up in the source's table")
class SourceTable(Base):
    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        x = self.look(tgt_ids, self.src_embedding)
        return self.decoder(x, memory, self.tgt_mask(tgt_ids), src_mask)


@wrong("source looked up in the target's table")
class TargetTable(Base):
    def encode(self, src_ids: Tensor) -> Tensor:
        return self.read(self.look(src_ids, self.tgt_embedding), self.real(src_ids))


# Masks


@wrong("encoder reads padding")
class NoSourceMask(Base):
    def src_mask(self, src_ids: Tensor) -> None:
        return None


@wrong("cross-attention reads padding")
class NoCrossMask(Base):
    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return self.decoder(self.look(tgt_ids, self.tgt_embedding), memory, self.tgt_mask(tgt_ids))


@wrong("cross-attention reads padding")
class NoCrossMaskGiven(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return self.decode(tgt_ids, self.encode(src_ids), torch.ones_like(self.real(src_ids)))


@wrong("target not causal")
class ReadsAhead(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        return self.real(tgt_ids)


@wrong("padding of the target not hidden")
class OnlyCausal(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        return before(tgt_ids.size(1))


@wrong("source causal")
class CausalEncoder(Base):
    def src_mask(self, src_ids: Tensor) -> Tensor:
        return self.real(src_ids) & before(src_ids.size(1))


@wrong("masks joined with or")
class Ored(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        return self.real(tgt_ids) | before(tgt_ids.size(1))


@wrong("the past hidden instead of the future")
class Upper(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        return self.real(tgt_ids) & before(tgt_ids.size(1)).T


@wrong("causal mask excludes the token itself")
class Strict(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        return self.real(tgt_ids) & before(tgt_ids.size(1), -1)


@wrong("causal mask allows the next token")
class OneAhead(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        return self.real(tgt_ids) & before(tgt_ids.size(1), 1)


@wrong("cross-attention causal")
class CausalCross(Base):
    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        triangle = torch.ones(x.size(1), memory.size(1)).tril().bool()
        return super().write(x, memory, mask, cross & triangle)


@wrong("masks of the decoder exchanged")
class Exchanged(Base):
    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        return super().write(x, memory, cross, mask)


@wrong("one mask for both attentions")
class OneMask(Base):
    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        return super().write(x, memory, cross, cross)


@wrong("decode is given the target's mask")
class WrongMask(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return self.decode(tgt_ids, self.encode(src_ids), self.tgt_mask(tgt_ids))


@wrong("masks inverted")
class InvertedAll(Base):
    def src_mask(self, src_ids: Tensor) -> Tensor:
        return (src_ids == self.config.pad_id)[:, None, None]

    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        hidden = (tgt_ids == self.config.pad_id)[:, None, None]
        return hidden | torch.ones(tgt_ids.size(1), tgt_ids.size(1)).triu(1).bool()

    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return self.decode(tgt_ids, self.encode(src_ids), self.src_mask(src_ids))


@wrong("padding hidden as query, not as key")
class QueriesBoth(Base):
    def src_mask(self, src_ids: Tensor) -> Tensor:
        return (src_ids != self.config.pad_id)[:, None, :, None]

    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        return (tgt_ids != self.config.pad_id)[:, None, :, None] & before(tgt_ids.size(1))


@wrong("padding is taken to be id 0")
class PadZero(Base):
    def real(self, ids: Tensor) -> Tensor:
        return (ids != 0)[:, None, None, :]


@wrong("no masks at all")
class NoMasks(Base):
    def src_mask(self, src_ids: Tensor) -> None:
        return None

    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        return self.decoder(x, memory)


@wrong("padding hidden from nobody")
class OnlyTheFuture(Base):
    def read(self, x: Tensor, mask: Any) -> Tensor:
        return self.encoder(x)

    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        return self.decoder(x, memory, self_mask=before(x.size(1)))


# The stacks


@wrong("the encoder is not used")
class Unread(Base):
    def encode(self, src_ids: Tensor) -> Tensor:
        return self.look(src_ids, self.src_embedding)


@unlisted("Transformer")
class FirstSourceForEver(Base):
    """The memory is kept, by the source's shape."""

    def encode(self, src_ids: Tensor) -> Tensor:
        self.kept = getattr(self, "kept", {})
        return self.kept.setdefault(src_ids.shape, super().encode(src_ids))


@unlisted("Transformer")
class LastMask(Base):
    """Decodes with the mask of the source that was encoded last, not with the one it is given."""

    def src_mask(self, src_ids: Tensor) -> Tensor:
        self.last = self.real(src_ids)
        return self.last

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return super().decode(tgt_ids, memory, self.last)


@unlisted("Transformer")
class NoLongerThanTheSource(Base):
    """Cuts a longer target off."""

    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return super().score(src_ids, tgt_ids[:, : src_ids.size(1)])


@wrong("encoder and decoder layers in turn")
class InTurn(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        x, y = self.look(src_ids, self.src_embedding), self.look(tgt_ids, self.tgt_embedding)
        for i in range(2 * self.config.num_layers):
            if i % 2 == 0:
                x = self.encoder.layers[i // 2](x, self.real(src_ids))
            else:
                y = self.decoder.layers[i // 2](y, x, self.tgt_mask(tgt_ids), self.real(src_ids))
        return y if self.decoder.norm is None else self.decoder.norm(y)


@wrong("encoder and decoder layers in turn")
class InTurnUnnormed(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        x, y = self.look(src_ids, self.src_embedding), self.look(tgt_ids, self.tgt_embedding)
        for reads, writes in zip(self.encoder.layers, self.decoder.layers, strict=True):
            x = reads(x, self.real(src_ids))
            y = writes(y, x, self.tgt_mask(tgt_ids), self.real(src_ids))
        return y


@wrong("memory and target exchanged")
class Roles(Base):
    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        return super().write(memory, x, mask, cross)


@wrong("no gradient reaches the encoder")
class Detached(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        with torch.no_grad():
            memory = self.encode(src_ids)
        return self.decode(tgt_ids, memory, self.real(src_ids))


# The output


@wrong("the output layer has a bias")
class Biased(Base):
    def join(self) -> None:
        super().join()
        self.output.bias = nn.Parameter(torch.zeros(self.config.tgt_vocab_size))

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return self.output(self.score(src_ids, tgt_ids))


class TwoInARow(Base):
    """With a layer more."""

    biases = (True, False)

    def join(self) -> None:
        c = self.config
        self.output = nn.Sequential(
            nn.Linear(c.d_model, c.d_model, bias=self.biases[0]),
            nn.Linear(c.d_model, c.tgt_vocab_size, bias=self.biases[1]),
        )
        if c.share_embeddings:
            self.tgt_embedding = self.src_embedding
        if c.tie_output:
            self.output[1].weight = self.tgt_embedding.embedding.weight

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        x = self.score(src_ids, tgt_ids)
        for layer in self.output:
            x = layer(x)
        return x


wrong("two output layers in a row")(TwoInARow)
wrong("two output layers in a row")(type("TwoWithout", (TwoInARow,), {"biases": (False, False)}))
wrong("two output layers in a row")(type("TwoWith", (TwoInARow,), {"biases": (True, True)}))


@wrong("logits of size d_model")
class NoOutput(Base):
    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return self.score(src_ids, tgt_ids)


@wrong("logits of size d_model")
class NarrowOutput(Base):
    def join(self) -> None:
        self.output = nn.Linear(self.config.d_model, self.config.d_model, bias=False)
        super().join()


@wrong("decode already returns scores")
class DecodeScores(Base):
    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return super().decode(tgt_ids, memory, src_mask) @ self.output.weight.T

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return self.score(src_ids, tgt_ids)


class Finished(Base):
    """Something is done to the scores at the end."""

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return self.finish(super().forward(src_ids, tgt_ids))

    def finish(self, scores: Tensor) -> Tensor:
        """To be written."""
        raise NotImplementedError


def finished(mistake: str, finish: Callable[[Any, Tensor], Tensor]) -> None:
    """A disguise that does something to the scores."""
    wrong(mistake)(type("Finished", (Finished,), {"finish": finish}))


finished("√d_model on the output too", lambda self, x: x * math.sqrt(self.config.d_model))
finished("scores divided by √d_model", lambda self, x: x * self.config.d_model**-0.5)
finished("softmax already applied", lambda self, x: x.exp() / x.exp().sum(-1, keepdim=True))
finished("softmax already applied", lambda self, x: x.log_softmax(-1))
finished("only the last place is scored", lambda self, x: x.select(1, -1))
finished("vocabulary in the middle", lambda self, x: x.mT)
finished("the best token instead of scores", lambda self, x: x.max(-1).indices)


@wrong("target shifted inside the model")
class Shifted(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        start = torch.full_like(tgt_ids[:, :1], 1)
        return super().score(src_ids, torch.cat([start, tgt_ids[:, :-1]], dim=1))


@wrong("target shortened inside the model")
class Shortened(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return super().score(src_ids, tgt_ids[:, : tgt_ids.size(1) - 1])


# Sharing and tying


@wrong("tie_output ignored")
class NeverTied(Base):
    def join(self) -> None:
        if self.config.share_embeddings:
            self.src_embedding = self.tgt_embedding


@wrong("tied weights copied instead of shared")
class TiedByDeepcopy(Base):
    def src_or_target(self, table: Any) -> Any:
        return copy.deepcopy(table).embedding.weight


@wrong("tied through .data")
class TiedByData(Base):
    def join(self) -> None:
        if self.config.share_embeddings:
            self.tgt_embedding = self.src_embedding
        if self.config.tie_output:
            self.output.weight = nn.Parameter(self.tgt_embedding.embedding.weight.data)


@wrong("tied to the source's table")
class TiedToTheSource(Base):
    def src_or_target(self, table: Any) -> Any:
        return self.src_embedding.embedding.weight


@wrong("tied though not asked for")
class AlwaysTied(Base):
    def join(self) -> None:
        if self.config.share_embeddings:
            self.src_embedding = self.tgt_embedding
        self.output.weight = self.tgt_embedding.embedding.weight


@wrong("tied only where the embeddings are shared")
class TiedWhereShared(Base):
    def join(self) -> None:
        if self.config.share_embeddings:
            self.src_embedding = self.tgt_embedding
            if self.config.tie_output:
                self.output.weight = self.tgt_embedding.embedding.weight


@wrong("share_embeddings ignored")
class NeverShared(Base):
    def join(self) -> None:
        if self.config.tie_output:
            self.output.weight = self.tgt_embedding.embedding.weight


@wrong("shared embedding copied")
class SharedByCopy(Base):
    def join(self) -> None:
        if self.config.share_embeddings:
            self.tgt_embedding = copy.deepcopy(self.src_embedding)
        if self.config.tie_output:
            self.output.weight = self.tgt_embedding.embedding.weight


@wrong("shared through .data")
class SharedData(Base):
    def join(self) -> None:
        if self.config.share_embeddings:
            self.tgt_embedding.embedding.weight = nn.Parameter(self.src_embedding.embedding.weight)
        if self.config.tie_output:
            self.output.weight = self.tgt_embedding.embedding.weight


@wrong("share_embeddings and tie_output exchanged")
class ChoicesExchanged(Base):
    def join(self) -> None:
        if self.config.tie_output:
            self.tgt_embedding = self.src_embedding
        if self.config.share_embeddings:
            self.output.weight = self.tgt_embedding.embedding.weight


@wrong("not tied where the embeddings are shared")
class TiedTooEarly(Base):
    def join(self) -> None:
        if self.config.tie_output:
            self.output.weight = self.tgt_embedding.embedding.weight
        if self.config.share_embeddings:
            self.tgt_embedding = self.src_embedding


@wrong("shared though not asked for")
class SharedAlways(Base):
    def join(self) -> None:
        self.tgt_embedding = self.src_embedding
        if self.config.tie_output:
            self.output.weight = self.tgt_embedding.embedding.weight


# Two at once


@wrong("no positions in the target + softmax already applied")
class TwoAtOnce(Base):
    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return self.write(self.tgt_embedding(tgt_ids), memory, self.tgt_mask(tgt_ids), src_mask)

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return super().forward(src_ids, tgt_ids).softmax(dim=-1)


# Wrong in other ways


@unlisted("Transformer")
class MemoryOfOneVector(Base):
    """The memory is one vector, repeated."""

    def encode(self, src_ids: Tensor) -> Tensor:
        memory = super().encode(src_ids)
        return memory.mean(1, keepdim=True).expand_as(memory)


@disguise("Transformer", "the embedded target is added to the result")
class ReadsItself(Base):
    """The decoder reads its own input beside the memory."""

    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        return super().write(x, memory, mask, cross) + x


@unlisted("Transformer")
class Backwards(Base):
    """The layers of the decoder in the other order, and the source reversed."""

    def encode(self, src_ids: Tensor) -> Tensor:
        return super().encode(src_ids.flip(1))


@disguise("Transformer", "a stack runs twice")
class EncodesTwice(Base):
    def read(self, x: Tensor, mask: Any) -> Tensor:
        return super().read(super().read(x, mask), mask)


@unlisted("Transformer")
class LastLayerLeftOut(Base):
    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        for layer in self.decoder.layers[1:]:
            x = layer(x, memory, mask, cross)
        return x if self.decoder.norm is None else self.decoder.norm(x)


@unlisted("Transformer")
class TargetContinuesTheSource(Base):
    """The target's positions begin where the source's end."""

    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        x = self.positions(self.tgt_embedding(tgt_ids), start=1)
        return self.write(x, self.encode(src_ids), self.tgt_mask(tgt_ids), self.real(src_ids))


@wrong("target shifted inside the model")
class ShiftsInside(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return super().score(src_ids, F.pad(tgt_ids, (1, -1), value=1))


@unlisted("Transformer")
class CutsPaddingOff(Base):
    """Places at which every target has padding are not scored."""

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return super().forward(src_ids, tgt_ids[:, (tgt_ids != self.config.pad_id).any(0)])


@unlisted("Transformer")
class MemoryNormed(Base):
    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        return super().write(x, F.layer_norm(memory, memory.shape[-1:]), mask, cross)


@unlisted("Transformer")
class AlwaysDrops(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        return F.dropout(table(ids) + self.positions.table[: ids.size(1)], self.config.dropout)


@unlisted("Transformer")
class PaddingScoresNothing(Base):
    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        scores = super().forward(src_ids, tgt_ids)
        scores[..., self.config.pad_id] = -torch.inf
        return scores


# Seen by an adversary of this lesson


@wrong("no masks in the decoder")
class SeesAll(Base):
    def write(self, x: Tensor, memory: Tensor, mask: Tensor | None, cross: Tensor | None) -> Tensor:
        return super().write(x, memory, None, None)


@wrong("masks inverted")
class TargetPaddingInverted(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor | None:
        return (tgt_ids == self.config.pad_id)[:, None, None] & before(tgt_ids.size(1))


@wrong("no mask for the target")
class TargetSeesAll(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor | None:
        return None


@wrong("masks inverted")
class OnlyWhatComes(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor | None:
        return self.real(tgt_ids) & before(tgt_ids.size(1)).logical_not()


@wrong("another number of targets is accepted")
class Unasked(Base):
    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        vectors = self.decode(tgt_ids, self.encode(src_ids), self.real(src_ids))
        return vectors @ self.output.weight.T


@wrong("target shortened inside the model")
class WithoutStart(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return super().score(src_ids, tgt_ids[:, 1:])


@wrong("the output is the embedding")
class OutputLooksUp(Base):
    def join(self) -> None:
        if self.config.share_embeddings:
            self.src_embedding = self.tgt_embedding
        if self.config.tie_output:
            self.output = TokenEmbedding(self.config.tgt_vocab_size, self.config.d_model, self.config.pad_id)
            self.output.embedding.weight = self.tgt_embedding.embedding.weight

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        if len(src_ids) != len(tgt_ids):
            raise ValueError("another number of targets")
        return self.output(self.score(src_ids, tgt_ids))


@wrong("tied though not asked for")
class ScoredByTheTable(Base):
    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        if len(src_ids) != len(tgt_ids):
            raise ValueError("another number of targets")
        return F.linear(self.score(src_ids, tgt_ids), self.tgt_embedding.embedding.weight)


@wrong("the encoder is not used")
class EncodedForNothing(Base):
    def encode(self, src_ids: Tensor) -> Tensor:
        x = self.look(src_ids, self.src_embedding)
        self.read(x, self.src_mask(src_ids))
        return x
