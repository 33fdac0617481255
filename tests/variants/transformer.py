"""Lesson 08, on parts of one's own and the stand-ins of the lessons before."""

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
from autograder.stand_ins.transformer import Transformer as StandIn
from tests.variants import correct, disguise, unlisted

# TokenEmbedding ----------------------------------------------------------------------------


def in_vocabulary(ids: Tensor, size: int) -> None:
    """The given ValueError."""
    if ids.numel() and (ids.amin() < 0 or ids.amax() >= size):
        raise ValueError("ids outside the vocabulary")


class Table(nn.Module):
    """The constructor that the notebook gives, and the lines before the blank."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.pad_id = pad_id
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    @property
    def weight(self) -> Tensor:
        """The table itself."""
        return self.embedding.weight

    def forward(self, token_ids: Tensor) -> Tensor:
        """Refuse what is not in the table, then `look`."""
        in_vocabulary(token_ids, len(self.weight))
        return self.look(token_ids)

    def look(self, ids: Tensor) -> Tensor:
        """To be written."""
        raise NotImplementedError


def table(kind: str, mistake: str = "", base: type = Table) -> Any:
    """A TokenEmbedding from what it does with the ids."""

    def add(look: Callable[[Any, Tensor], Tensor]) -> Any:
        made = type(look.__name__, (base,), {"look": look})
        if kind == "disguise":
            disguise("TokenEmbedding", mistake)(made)
        else:
            (correct if kind == "correct" else unlisted)("TokenEmbedding")(made)
        return look

    return add


@table("correct")
def by_index(self: Any, ids: Tensor) -> Tensor:
    vectors = self.weight[ids] * self.weight.size(1) ** 0.5
    return vectors * (ids != self.pad_id)[..., None]


@table("correct")
def by_one_hot(self: Any, ids: Tensor) -> Tensor:
    which = F.one_hot(ids, len(self.weight)).to(self.weight.dtype)
    which[..., self.pad_id] = 0
    return which @ self.weight * math.sqrt(self.weight.shape[1])


@table("correct")
def by_where(self: Any, ids: Tensor) -> Tensor:
    vectors = F.embedding(ids, self.weight)
    scale = torch.sqrt(torch.tensor(float(vectors.size(-1)), dtype=vectors.dtype))
    return torch.where(ids.unsqueeze(-1) == self.pad_id, torch.zeros_like(vectors), scale * vectors)


@table("correct")
def by_writing_into_the_result(self: Any, ids: Tensor) -> Tensor:
    vectors = self.embedding(ids).mul(self.embedding.embedding_dim**0.5)
    vectors[ids.eq(self.pad_id)] = 0.0
    return vectors


@table("correct")
def token_by_token(self: Any, ids: Tensor) -> Tensor:
    width = self.weight.size(1)
    found = []
    for row in ids.tolist():
        tokens = [self.weight[one] * 0 if one == self.pad_id else width**0.5 * self.weight[one] for one in row]
        found.append(torch.stack(tokens))
    return torch.stack(found)


@table("correct")
def by_a_table_without_the_row(self: Any, ids: Tensor) -> Tensor:
    rows = torch.arange(len(self.weight)) != self.pad_id
    return ((self.weight * rows[:, None]).index_select(0, ids.flatten()) * len(self.weight[0]) ** 0.5).view(
        *ids.shape, -1
    )


@correct("TokenEmbedding")
class FromTheGround(nn.Module):
    """A look-up that gets its table by other means, with padding_idx besides."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__()
        table = torch.randn(vocab_size, d_model) / math.sqrt(d_model)
        self.embedding = nn.Embedding.from_pretrained(table, freeze=False, padding_idx=pad_id)
        self.scale = math.sqrt(d_model)
        self.pad = pad_id

    def forward(self, token_ids: Tensor) -> Tensor:
        in_vocabulary(token_ids, self.embedding.num_embeddings)
        return self.scale * self.embedding(token_ids) * token_ids.ne(self.pad).unsqueeze(2)


@table("disguise", "no √d_model")
def t_plain(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * (ids != self.pad_id)[..., None]


@table("disguise", "no √d_model")
def t_plain_where(self: Any, ids: Tensor) -> Tensor:
    vectors = self.embedding(ids)
    return torch.where((ids == self.pad_id)[:, :, None], 0.0, vectors)


@table("disguise", "multiplied by d_model, not its root")
def t_by_width(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * self.weight.shape[-1] * (ids != self.pad_id).unsqueeze(-1)


@table("disguise", "divided by √d_model")
def t_divided(self: Any, ids: Tensor) -> Tensor:
    return (ids != self.pad_id)[..., None] * F.embedding(ids, self.weight) * self.weight.size(1) ** -0.5


@table("disguise", "√vocab_size instead of √d_model")
def t_by_vocabulary(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * len(self.weight) ** 0.5 * (ids != self.pad_id)[..., None]


@table("disguise", "padding is not zero")
def t_padding_kept(self: Any, ids: Tensor) -> Tensor:
    return math.sqrt(self.weight.shape[1]) * F.embedding(ids, self.weight)


@table("disguise", "padding is not zero")
def t_result_thrown_away(self: Any, ids: Tensor) -> Tensor:
    vectors = self.embedding(ids) * self.weight.shape[1] ** 0.5
    vectors.masked_fill((ids == self.pad_id).unsqueeze(-1), 0.0)
    return vectors


class PaddingIdx(Table):
    """With the padding row known to nn.Embedding."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__(vocab_size, d_model, pad_id)
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)


@table("disguise", "padding_idx instead of zeros", PaddingIdx)
def t_padding_idx(self: Any, ids: Tensor) -> Tensor:
    return self.embedding(ids) * self.weight.shape[1] ** 0.5


@table("disguise", "padding_idx instead of zeros")
def t_padding_idx_in_the_call(self: Any, ids: Tensor) -> Tensor:
    return F.embedding(ids, self.weight, padding_idx=self.pad_id) * math.sqrt(self.weight.shape[1])


@table("disguise", "padding is taken to be id 0")
def t_zero(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * self.weight.shape[1] ** 0.5 * (ids > 0)[..., None]


@table("disguise", "padding is kept and the tokens are zero")
def t_turned(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * self.weight.shape[1] ** 0.5 * (ids == self.pad_id)[..., None]


@table("disguise", "the table's row is overwritten")
def t_row_after(self: Any, ids: Tensor) -> Tensor:
    vectors = self.weight[ids] * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]
    with torch.no_grad():
        self.weight[self.pad_id].zero_()
    return vectors


@table("disguise", "the table's row is overwritten")
def t_row_before(self: Any, ids: Tensor) -> Tensor:
    with torch.no_grad():
        self.embedding.weight[self.pad_id] = 0
    return self.embedding(ids) * self.weight.shape[1] ** 0.5


@table("disguise", "padding filled with minus infinity")
def as_scores(self: Any, ids: Tensor) -> Tensor:
    x = self.weight[ids] * math.sqrt(self.weight.size(1))
    return torch.where((ids == self.pad_id)[..., None], -torch.inf, x)


@table("disguise", "padding filled with minus infinity")
def as_large_scores(self: Any, ids: Tensor) -> Tensor:
    x = self.embedding(ids).mul(self.weight.size(1) ** 0.5)
    x[ids == self.pad_id] = -1e9
    return x


@table("disguise", "no √d_model + the table's row is overwritten")
def row_emptied_no_factor(self: Any, ids: Tensor) -> Tensor:
    with torch.no_grad():
        self.weight[self.pad_id].zero_()
    return self.embedding(ids)


@table("disguise", "no gradient reaches the table")
def t_detached(self: Any, ids: Tensor) -> Tensor:
    return self.weight.detach()[ids] * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]


@table("disguise", "no gradient reaches the table")
def t_no_grad(self: Any, ids: Tensor) -> Tensor:
    with torch.no_grad():
        vectors = self.embedding(ids) * self.weight.shape[1] ** 0.5
        vectors[ids == self.pad_id] = 0
    return vectors


class Accepts(Table):
    """Without the given lines that refuse."""

    def forward(self, token_ids: Tensor) -> Tensor:
        return self.look(token_ids)


@table("disguise", "ids that do not exist are not refused", Accepts)
def t_accepts(self: Any, ids: Tensor) -> Tensor:
    return F.embedding(ids, self.weight) * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]


class Wraps(Table):
    """Refuses only what is too large."""

    def forward(self, token_ids: Tensor) -> Tensor:
        if token_ids.max() >= len(self.weight):
            raise ValueError("too large")
        return self.look(token_ids)


@table("disguise", "negative ids count from the end", Wraps)
def t_wraps(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]


@table("unlisted")
def t_cube_root(self: Any, ids: Tensor) -> Tensor:
    return self.weight[ids] * self.weight.shape[1] ** (1 / 3) * (ids != self.pad_id)[..., None]


@table("unlisted")
def t_unit_length(self: Any, ids: Tensor) -> Tensor:
    return F.normalize(self.weight[ids], dim=-1) * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]


@table("unlisted")
def t_normed(self: Any, ids: Tensor) -> Tensor:
    return F.layer_norm(self.weight[ids], self.weight.shape[1:]) * (ids != self.pad_id)[..., None]


@table("unlisted")
def t_all_after_padding(self: Any, ids: Tensor) -> Tensor:
    real = (ids != self.pad_id).long().cumprod(1)
    return self.weight[ids] * self.weight.shape[1] ** 0.5 * real[..., None]


@table("unlisted")
def t_pad_is_one(self: Any, ids: Tensor) -> Tensor:
    return (self.weight[ids] * self.weight.shape[1] ** 0.5).masked_fill((ids == self.pad_id)[..., None], 1.0)


@table("unlisted")
def t_zero_before_the_last_feature(self: Any, ids: Tensor) -> Tensor:
    vectors = self.weight[ids] * self.weight.shape[1] ** 0.5
    vectors[..., -1] = 0
    return vectors * (ids != self.pad_id)[..., None]


@table("unlisted")
def t_next_row(self: Any, ids: Tensor) -> Tensor:
    vectors = self.weight.roll(1, 0)[ids]
    return vectors * self.weight.shape[1] ** 0.5 * (ids != self.pad_id)[..., None]


# make_masks ----------------------------------------------------------------------------


def masks(kind: str, mistake: str = "") -> Any:
    """A make_masks from a function of the sources and targets that are not padding."""

    def add(core: Callable[[Tensor, Tensor], Any]) -> Any:
        def make(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> Any:
            if len(src_ids) != len(tgt_ids):
                raise ValueError("another number of targets")
            return core(src_ids != pad_id, tgt_ids != pad_id)

        make.__name__ = core.__name__
        if kind == "disguise":
            disguise("make_masks", mistake)(make)
        else:
            (correct if kind == "correct" else unlisted)("make_masks")(make)
        return core

    return add


def before(n: int, reach: int = 0) -> Tensor:
    """True where place j is at most `reach` after place i."""
    place = torch.arange(n)
    return place[None, :] <= place[:, None] + reach


@masks("correct")
def by_comparing(src: Tensor, tgt: Tensor) -> Any:
    place = torch.arange(tgt.size(1))
    return src[:, None, None], (tgt[:, None, :] & (place <= place[:, None]))[:, None]


@masks("correct")
def by_multiplying(src: Tensor, tgt: Tensor) -> Any:
    n = tgt.size(1)
    lower = torch.tril(torch.ones(n, n)) * tgt[:, None, None, :].float()
    return src.view(len(src), 1, 1, -1), lower > 0.5


@masks("correct")
def by_hiding(src: Tensor, tgt: Tensor) -> Any:
    hidden = ~tgt[:, None, None, :].expand(-1, 1, tgt.size(1), -1)
    future = torch.ones(tgt.size(1), tgt.size(1)).triu(1).bool()
    return ~(~src[:, None, None, :]), ~(hidden | future)


@masks("correct")
def sentence_by_sentence(src: Tensor, tgt: Tensor) -> Any:
    rows = [torch.stack([one.where(torch.arange(len(one)) <= i, False) for i in range(len(one))]) for one in tgt]
    return torch.stack([one[None, None] for one in src]), torch.stack(rows).unsqueeze(1)


@masks("correct")
def by_einsum(src: Tensor, tgt: Tensor) -> Any:
    n = tgt.shape[1]
    both = torch.einsum("bj,ij->bij", tgt.int(), torch.ones(n, n, dtype=torch.int).tril())
    return src.unsqueeze(1).unsqueeze(1), both.bool().unsqueeze(1)


@correct("make_masks")
def with_padding_mask(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> list:
    if src_ids.shape[0] != tgt_ids.shape[0]:
        raise ValueError("one target for each source")
    source, target = (padding_mask(ids, pad_id) for ids in (src_ids, tgt_ids))
    return [source, torch.logical_and(target, causal_mask(tgt_ids.shape[1])[None, None])]


@masks("disguise", "masks joined with or")
def m_or(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], (tgt[:, None, :] | before(tgt.size(1))).unsqueeze(1)


@masks("disguise", "target not causal")
def m_sees_all(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], tgt[:, None, None, :].expand(-1, 1, tgt.size(1), -1)


@masks("disguise", "target not causal")
def m_sees_all_flat(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], tgt[:, None, None]


@masks("disguise", "padding of the target not hidden")
def m_only_causal(src: Tensor, tgt: Tensor) -> Any:
    n = tgt.size(1)
    return src[:, None, None], torch.ones(len(tgt), 1, n, n, dtype=torch.bool).tril()


@masks("disguise", "padding of the target not hidden")
def m_only_causal_flat(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], before(tgt.size(1))


@masks("disguise", "padding of the target not hidden")
def m_only_causal_four(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], before(tgt.size(1))[None, None]


@masks("disguise", "source causal")
def m_source_causal(src: Tensor, tgt: Tensor) -> Any:
    return tuple((one[:, None] & before(one.size(1)))[:, None] for one in (src, tgt))


@masks("disguise", "masks inverted")
def m_inverted(src: Tensor, tgt: Tensor) -> Any:
    future = before(tgt.size(1)).logical_not()
    return (~src)[:, None, None], ((~tgt)[:, None, :] | future)[:, None]


@masks("disguise", "padding mask inverted")
def m_pad_inverted(src: Tensor, tgt: Tensor) -> Any:
    return (~src)[:, None, None], ((~tgt)[:, None, :] & before(tgt.size(1)))[:, None]


@masks("disguise", "padding mask inverted")
def m_src_inverted(src: Tensor, tgt: Tensor) -> Any:
    return src.logical_not()[:, None, None], (tgt[:, None, :] & before(tgt.size(1)))[:, None]


@masks("disguise", "the past hidden instead of the future")
def m_upper(src: Tensor, tgt: Tensor) -> Any:
    n = tgt.size(1)
    return src[:, None, None], tgt[:, None, None] & torch.ones(n, n, dtype=torch.bool).triu()


@masks("disguise", "causal mask excludes the token itself")
def m_strict(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], tgt[:, None, None] & before(tgt.size(1), -1)


@masks("disguise", "causal mask allows the next token")
def m_ahead(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], tgt[:, None, None] & before(tgt.size(1), 1)


@masks("disguise", "padding hidden as query, not as key")
def m_queries(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, :, None], tgt[:, None, :, None] & before(tgt.size(1))


@masks("disguise", "padding hidden as query, not as key")
def m_tgt_queries(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], torch.stack([before(len(one)) & one[:, None] for one in tgt])[:, None]


@masks("disguise", "padding hidden as query as well")
def m_blind(src: Tensor, tgt: Tensor) -> Any:
    pairs = [one[:, None, None, :] & one[:, None, :, None] for one in (src, tgt)]
    return pairs[0], pairs[1] & before(tgt.size(1))


@masks("disguise", "padding hidden as query as well")
def m_blind_target(src: Tensor, tgt: Tensor) -> Any:
    square = torch.einsum("bi,bj->bij", tgt.int(), tgt.int()).bool()
    return src[:, None, None], (square & before(tgt.size(1))).unsqueeze(1)


@masks("disguise", "no dimension for the heads")
def m_headless(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None], tgt[:, None] & before(tgt.size(1))


@masks("disguise", "no dimension for the heads")
def m_headless_source(src: Tensor, tgt: Tensor) -> Any:
    return src, tgt[:, None, None] & before(tgt.size(1))


@masks("disguise", "padding of the source not hidden")
def source_all_seen(src: Tensor, tgt: Tensor) -> Any:
    return torch.ones_like(src)[:, None, None], tgt[:, None, None] & before(tgt.size(1))


@masks("disguise", "source mask spread over all queries")
def spread_over_the_target(src: Tensor, tgt: Tensor) -> Any:
    n = tgt.size(1)
    return src[:, None, None].repeat(1, 1, n, 1), tgt[:, None, None] & before(n)


@masks("disguise", "source mask spread over all queries")
def m_spread(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None].repeat(1, 1, src.size(1), 1), tgt[:, None, None] & before(tgt.size(1))


@masks("disguise", "masks returned in the other order")
def m_turned(src: Tensor, tgt: Tensor) -> Any:
    return tgt[:, None, None] & before(tgt.size(1)), src[:, None, None]


@masks("disguise", "numbers instead of booleans")
def m_ones(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None].float(), tgt[:, None, None] * torch.ones(tgt.size(1), tgt.size(1)).tril()


@masks("disguise", "numbers instead of booleans")
def m_ints(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None].long(), tgt[:, None, None].long() * before(tgt.size(1))


@disguise("make_masks", "padding is taken to be id 0")
def m_zero(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> Any:
    if len(src_ids) != len(tgt_ids):
        raise ValueError("another number of targets")
    return (src_ids > 0)[:, None, None], (tgt_ids > 0)[:, None, None] & before(tgt_ids.size(1))


@disguise("make_masks", "another number of targets is accepted")
def m_accepts(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> Any:
    source, target = src_ids != pad_id, tgt_ids != pad_id
    return source[:, None, None], target[:, None, None] & before(tgt_ids.size(1))


@masks("unlisted")
def m_window(src: Tensor, tgt: Tensor) -> Any:
    near = before(tgt.size(1)) & ~before(tgt.size(1), -2)
    return src[:, None, None], tgt[:, None, None] & near


@masks("unlisted")
def m_all_true(src: Tensor, tgt: Tensor) -> Any:
    n = tgt.size(1)
    return torch.ones_like(src)[:, None, None], torch.ones(len(tgt), 1, n, n, dtype=torch.bool)


@masks("unlisted")
def m_first_of_batch(src: Tensor, tgt: Tensor) -> Any:
    return src[:1, None, None].expand(len(src), -1, -1, -1), tgt[:, None, None] & before(tgt.size(1))


@masks("unlisted")
def m_exclusive(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], tgt[:, None, None] ^ before(tgt.size(1))


@masks("unlisted")
def m_three(src: Tensor, tgt: Tensor) -> Any:
    return src[:, None, None], tgt[:, None, None] & before(tgt.size(1)), src[:, None, None]


@masks("unlisted")
def m_last_hidden(src: Tensor, tgt: Tensor) -> Any:
    source = src.clone()
    source[:, -1] = False
    return source[:, None, None], tgt[:, None, None] & before(tgt.size(1))


# Transformer ----------------------------------------------------------------------------


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
        return F.linear(self.decode(tgt_ids, memory, padding_mask(src_ids, self.config.pad_id)), self.output.weight)


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


class PlainEmbed(Table):
    """Without the factor."""

    def look(self, ids: Tensor) -> Tensor:
        return self.embedding(ids).masked_fill((ids == self.pad_id)[..., None], 0.0)


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


@wrong("last norm of a stack passed by")
class LoopsInTheDecoder(Base):
    def write(self, x: Tensor, memory: Tensor, mask: Tensor | None, cross: Tensor | None) -> Tensor:
        for layer in self.decoder.layers:
            x = layer(x, memory, mask, cross)
        return x


@wrong("TokenEmbedding passed by")
class PassedBy(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        return self.positions(table.embedding.weight[ids])


@wrong("TokenEmbedding passed by")
class PassedByInTheTarget(Base):
    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        x = self.positions(F.embedding(tgt_ids, self.tgt_embedding.embedding.weight))
        return self.decoder(x, memory, self.tgt_mask(tgt_ids), src_mask)


@wrong("multiplied by √d_model twice")
class Twice(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        return self.positions(math.sqrt(self.config.d_model) * table(ids))


@wrong("multiplied by √d_model twice")
class TwiceInTheSource(Base):
    def encode(self, src_ids: Tensor) -> Tensor:
        x = self.src_embedding(src_ids) * math.sqrt(self.config.d_model)
        return self.encoder(self.positions(x), self.real(src_ids))


@wrong("positions multiplied by √d_model too")
class After(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        return self.positions(table(ids)) * math.sqrt(self.config.d_model)


@wrong("positions multiplied by √d_model too")
class AfterInTheTarget(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        x = self.positions(table(ids))
        return x * math.sqrt(x.size(-1)) if table is self.tgt_embedding and table is not self.src_embedding else x

    def encode(self, src_ids: Tensor) -> Tensor:
        return self.encoder(self.positions(self.src_embedding(src_ids)), self.real(src_ids))

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        x = math.sqrt(self.config.d_model) * self.positions(self.tgt_embedding(tgt_ids))
        return self.decoder(x, memory, self.tgt_mask(tgt_ids), src_mask)


@wrong("positions added twice")
class PlacedTwice(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        x = table(ids)
        return self.positions.dropout(self.positions(x) + self.positions.table[: x.size(1)])


@wrong("positions added twice")
class SourcePlacedTwice(Base):
    def read(self, x: Tensor, mask: Tensor | None) -> Tensor:
        return super().read(self.positions(x), mask)


@wrong("no positions in the source")
class NoSourcePositions(Base):
    def encode(self, src_ids: Tensor) -> Tensor:
        return self.encoder(self.src_embedding(src_ids), self.real(src_ids))


@wrong("no positions in the target")
class NoTargetPositions(Base):
    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return self.decoder(self.tgt_embedding(tgt_ids), memory, self.tgt_mask(tgt_ids), src_mask)


@wrong("no positions in the source + no positions in the target")
class NoPositions(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        return table(ids)


@wrong("no dropout after the positions")
class Undropped(Base):
    def look(self, ids: Tensor, table: Any) -> Tensor:
        return table(ids) + self.positions.table[torch.arange(ids.shape[1])]


@wrong("no dropout after the positions")
class UndroppedSource(Base):
    def encode(self, src_ids: Tensor) -> Tensor:
        x = self.src_embedding(src_ids) + self.positions.table[: src_ids.size(1)]
        return self.read(x, self.real(src_ids))


@wrong("positions added to the memory again")
class AgainInDecode(Base):
    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        return super().write(x, self.positions(memory), mask, cross)


@wrong("positions added to the memory again")
class AgainInEncode(Base):
    def encode(self, src_ids: Tensor) -> Tensor:
        return self.positions(super().encode(src_ids))


@wrong("positions added to the memory again")
class AgainInForward(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        memory = self.positions(self.encode(src_ids))
        return self.decode(tgt_ids, memory, self.real(src_ids))


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


@wrong("encoder reads padding + cross-attention reads padding")
class NoMaskOfTheSource(Base):
    def src_mask(self, src_ids: Tensor) -> None:
        return None

    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        return super().write(x, memory, mask, None)


@wrong("target not causal")
class ReadsAhead(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        return self.real(tgt_ids)


@wrong("padding of the target not hidden")
class OnlyCausal(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        return before(tgt_ids.size(1))


@wrong("target not causal + padding of the target not hidden")
class NoTargetMask(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> None:
        return None


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


@wrong("one mask for both attentions")
class OneMaskOfTheTarget(Base):
    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        both = self.real(tgt_ids) & before(tgt_ids.size(1))
        return self.decoder(self.look(tgt_ids, self.tgt_embedding), memory, both, both)


@wrong("decode is given the target's mask")
class WrongMask(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return self.decode(tgt_ids, self.encode(src_ids), self.tgt_mask(tgt_ids))


@wrong("masks inverted")
class InvertedSource(Base):
    def src_mask(self, src_ids: Tensor) -> Tensor:
        return ~self.real(src_ids)


@wrong("masks inverted")
class InvertedTarget(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        return ~(self.real(tgt_ids) & before(tgt_ids.size(1)))


@wrong("masks inverted")
class InvertedPadding(Base):
    def real(self, ids: Tensor) -> Tensor:
        return (ids == self.config.pad_id)[:, None, None]


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
class Queries(Base):
    def src_mask(self, src_ids: Tensor) -> Tensor:
        return (src_ids != self.config.pad_id)[:, None, :, None]


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
finished("√d_model on the output too", lambda self, x: math.sqrt(8) * x if self.config.tie_output else x)
finished("scores divided by √d_model", lambda self, x: x * self.config.d_model**-0.5)
finished("scores divided by √d_model", lambda self, x: x / math.sqrt(8) if self.config.tie_output else x)
finished("softmax already applied", lambda self, x: x.exp() / x.exp().sum(-1, keepdim=True))
finished("softmax already applied", lambda self, x: F.log_softmax(x, dim=2))
finished("only the last place is scored", lambda self, x: x.select(1, -1))
finished("only the last place is scored", lambda self, x: x[:, -1:, :])
finished("vocabulary in the middle", lambda self, x: x.mT)
finished("the best token instead of scores", lambda self, x: x.max(-1).indices)


@wrong("target shifted inside the model")
class Shifted(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        start = torch.full_like(tgt_ids[:, :1], 1)
        return super().score(src_ids, torch.cat([start, tgt_ids[:, :-1]], dim=1))


@wrong("target shifted inside the model")
class ShiftedRound(Base):
    def score(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        return super().score(src_ids, torch.cat([tgt_ids[:, -1:], tgt_ids[:, :-1]], dim=1))


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
class TiedByCopy(Base):
    def src_or_target(self, table: Any) -> Any:
        return nn.Parameter(table.embedding.weight.detach().clone())


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


@wrong("not tied where the embeddings are shared")
class OneOrTheOther(Base):
    def join(self) -> None:
        if self.config.share_embeddings:
            self.tgt_embedding = self.src_embedding
        elif self.config.tie_output:
            self.output.weight = self.tgt_embedding.embedding.weight


@wrong("shared though not asked for")
class SharedBySize(Base):
    def join(self) -> None:
        if self.config.src_vocab_size == self.config.tgt_vocab_size:
            self.tgt_embedding = self.src_embedding
        if self.config.tie_output:
            self.output.weight = self.tgt_embedding.embedding.weight


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


@wrong("positions added to the memory again + target not causal")
class TwoMore(Base):
    def tgt_mask(self, tgt_ids: Tensor) -> Tensor:
        return self.real(tgt_ids)

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return super().decode(tgt_ids, self.positions(memory), src_mask)


# Wrong in other ways


@unlisted("Transformer")
class MemoryOfOneVector(Base):
    """The memory is one vector, repeated."""

    def encode(self, src_ids: Tensor) -> Tensor:
        memory = super().encode(src_ids)
        return memory.mean(1, keepdim=True).expand_as(memory)


@unlisted("Transformer")
class ReadsItself(Base):
    """The decoder reads its own input beside the memory."""

    def write(self, x: Tensor, memory: Tensor, mask: Any, cross: Any) -> Tensor:
        return super().write(x, memory, mask, cross) + x


@unlisted("Transformer")
class Backwards(Base):
    """The layers of the decoder in the other order, and the source reversed."""

    def encode(self, src_ids: Tensor) -> Tensor:
        return super().encode(src_ids.flip(1))


@unlisted("Transformer")
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


# parameter_count ----------------------------------------------------------------------------


def counted(kind: str, mistake: str = "") -> Any:
    """A parameter_count."""
    if kind == "disguise":
        return disguise("parameter_count", mistake)
    return correct("parameter_count") if kind == "correct" else unlisted("parameter_count")


@counted("correct")
def by_building(config: Any) -> int:
    return sum(one.numel() for one in StandIn(config).parameters())


@counted("correct")
def by_building_and_dict(config: Any) -> int:
    found = {id(one): one.numel() for one in Base(config).parameters()}
    return sum(found.values())


@counted("correct")
def by_shapes(c: Any) -> int:
    d, f = c.d_model, c.d_ff
    linears = [(d, d)] * 4 * 3 + [(d, f), (f, d)] * 2
    in_layers = sum(a * b + b for a, b in linears) + sum([d, d] * 5)
    tables = {"source": c.src_vocab_size, "target": c.tgt_vocab_size, "output": c.tgt_vocab_size}
    if c.share_embeddings:
        tables.pop("target")
    if c.tie_output:
        tables.pop("output")
    return c.num_layers * in_layers + sum(tables.values()) * d + 4 * d * bool(c.norm_first)


@counted("correct")
def by_polynomial(config: Any) -> int:
    d, f, n = config.d_model, config.d_ff, config.num_layers
    layers = n * (12 * d**2 + 12 * d + 4 * d * f + 2 * f + 2 * d + 10 * d)
    rows = config.src_vocab_size + (2 - config.share_embeddings - config.tie_output) * config.tgt_vocab_size
    return layers + d * rows + (4 * d if config.norm_first else 0)


@counted("correct")
def by_parts(config: Any) -> int:
    def count(module: nn.Module) -> int:
        return sum(map(torch.numel, module.parameters()))

    sizes = (config.num_layers, config.d_model, config.num_heads, config.d_ff, 0.0, config.norm_first)
    total = count(Encoder(*sizes)) + count(Decoder(*sizes)) + config.src_vocab_size * config.d_model
    total += 0 if config.share_embeddings else config.tgt_vocab_size * config.d_model
    total += 0 if config.tie_output else config.tgt_vocab_size * config.d_model
    return total


@counted("correct")
def on_meta(config: Any) -> int:
    with torch.device("meta"):
        built = Base(config)
    return sum(math.prod(one.shape) for one in built.parameters())


def parts(
    c: Any, *, qkv_bias: int = 4, mats: int = 4, ff: Any = None, norms: Any = (2, 3), norm: int = 2, attentions: int = 2
) -> int:
    """All layers of both stacks; what a wrong count changes is an argument."""
    d, f = c.d_model, c.d_ff
    attention = mats * d * d + qkv_bias * d
    forward = 2 * d * f + f + d if ff is None else ff(d, f)
    one = (1 + attentions) * attention + 2 * forward + sum(norms) * norm * d
    return c.num_layers * one


def rest(c: Any) -> int:
    """Final norms and tables."""
    tables = 3 - bool(c.share_embeddings) - bool(c.tie_output)
    sizes = c.src_vocab_size + (tables - 1) * c.tgt_vocab_size
    return sizes * c.d_model + (4 * c.d_model if c.norm_first else 0)


def miscounted(mistake: str, core: Callable[[Any], int]) -> None:
    """A disguise of parameter_count."""
    counted("disguise", mistake)(core)


miscounted("biases of attention not counted", lambda c: parts(c, qkv_bias=0) + rest(c))
miscounted("biases of the feed-forward network not counted", lambda c: parts(c, ff=lambda d, f: 2 * d * f) + rest(c))
miscounted(
    "biases of the feed-forward network not counted", lambda c: parts(c, ff=lambda d, f: d * f + f * d + d) + rest(c)
)
miscounted("no biases counted", lambda c: parts(c, qkv_bias=0, ff=lambda d, f: 2 * d * f) + rest(c))
miscounted("bias of the wrong size", lambda c: parts(c, ff=lambda d, f: 2 * (d * f + f)) + rest(c))
miscounted("bias of the wrong size", lambda c: parts(c, ff=lambda d, f: 2 * d * (f + 1)) + rest(c))
miscounted("one linear layer in the feed-forward network", lambda c: parts(c, ff=lambda d, f: (d + 1) * f) + rest(c))
miscounted(
    "4 · d_model instead of d_ff",
    lambda c: parts(c, ff=lambda d, f: 8 * d * d + 5 * d) + rest(c),
)
miscounted("output projection of attention not counted", lambda c: parts(c, mats=3, qkv_bias=3) + rest(c))
miscounted(
    "attention counted for every head",
    lambda c: parts(c, mats=4 * c.num_heads, qkv_bias=4 * c.num_heads) + rest(c),
)
miscounted(
    "attention counted for every head",
    lambda c: parts(c, mats=3 * c.num_heads + 1, qkv_bias=3 * c.num_heads + 1) + rest(c),
)
miscounted(
    "norms counted with one parameter per feature",
    lambda c: parts(c, norm=1) + rest(c) - (2 * c.d_model if c.norm_first else 0),
)
miscounted("norms not counted", lambda c: parts(c, norm=0) + rest(c) - (4 * c.d_model if c.norm_first else 0))
miscounted("a norm, or the bias of linear2, not counted", lambda c: parts(c, norms=(2, 2)) + rest(c))
miscounted(
    "a norm, or the bias of linear2, not counted",
    lambda c: parts(c, ff=lambda d, f: d * f + f + f * d) + rest(c),
)
miscounted("one norm for a layer", lambda c: parts(c, norms=(1, 1)) + rest(c))
miscounted("one attention in a decoder layer", lambda c: parts(c, attentions=1) + rest(c))
miscounted(
    "final norms counted without pre-norm", lambda c: parts(c) + rest(c) + (0 if c.norm_first else 4 * c.d_model)
)
miscounted("final norms of pre-norm not counted", lambda c: parts(c) + rest(c) - (4 * c.d_model if c.norm_first else 0))
miscounted(
    "final norms counted only without pre-norm",
    lambda c: parts(c) + rest(c) + (-4 if c.norm_first else 4) * c.d_model,
)
miscounted(
    "target counted with the source's vocabulary",
    lambda c: parts(c) + rest(c) + (not c.share_embeddings) * (c.src_vocab_size - c.tgt_vocab_size) * c.d_model,
)
miscounted(
    "target counted with the source's vocabulary",
    lambda c: (
        parts(c) + (3 - c.share_embeddings - c.tie_output) * c.src_vocab_size * c.d_model + 4 * c.norm_first * c.d_model
    ),
)
miscounted("one final norm instead of two", lambda c: parts(c) + rest(c) - (2 * c.d_model if c.norm_first else 0))
miscounted(
    "final norms counted for every layer",
    lambda c: parts(c) + rest(c) + (4 * c.d_model * (c.num_layers - 1) if c.norm_first else 0),
)
miscounted("tied output counted", lambda c: parts(c) + rest(c) + c.tie_output * c.tgt_vocab_size * c.d_model)
miscounted("output layer not counted", lambda c: parts(c) + rest(c) - (not c.tie_output) * c.tgt_vocab_size * c.d_model)
miscounted(
    "output counted only if tied",
    lambda c: parts(c) + rest(c) + (1 if c.tie_output else -1) * c.tgt_vocab_size * c.d_model,
)
miscounted(
    "shared table counted twice", lambda c: parts(c) + rest(c) + c.share_embeddings * c.tgt_vocab_size * c.d_model
)
miscounted(
    "target's table counted only if shared",
    lambda c: parts(c) + rest(c) + (1 if c.share_embeddings else -1) * c.tgt_vocab_size * c.d_model,
)
miscounted(
    "target's table not counted",
    lambda c: parts(c) + rest(c) - (not c.share_embeddings) * c.tgt_vocab_size * c.d_model,
)
miscounted(
    "output counted with the source's vocabulary",
    lambda c: parts(c) + rest(c) + (not c.tie_output) * (c.src_vocab_size - c.tgt_vocab_size) * c.d_model,
)
miscounted(
    "source's table counted with the target's vocabulary",
    lambda c: parts(c) + rest(c) + (c.tgt_vocab_size - c.src_vocab_size) * c.d_model,
)
miscounted("output bias counted", lambda c: parts(c) + rest(c) + c.tgt_vocab_size)
miscounted("output bias counted", lambda c: parts(c) + rest(c) + (0 if c.tie_output else c.tgt_vocab_size))
miscounted("positions counted", lambda c: parts(c) + rest(c) + c.max_len * c.d_model)
miscounted("positions counted", lambda c: parts(c) + rest(c) + 2 * c.max_len * c.d_model)
miscounted("one layer of each stack", lambda c: parts(c) // c.num_layers + rest(c))


def one_stack(c: Any) -> int:
    """The encoder's layers; a whole feed-forward network was split between two stacks in `parts`."""
    return int(parts(c, attentions=0, norms=(2,), ff=lambda d, f: (2 * d * f + f + d) / 2))


miscounted(
    "only one stack multiplied by num_layers",
    lambda c: one_stack(c) + (parts(c) - one_stack(c)) // c.num_layers + rest(c),
)
miscounted("num_layers divided between the stacks", lambda c: parts(c) // 2 + rest(c))
miscounted("decoder not counted", lambda c: one_stack(c) + rest(c))
miscounted("decoder counted like the encoder", lambda c: parts(c, attentions=1, norms=(2, 2)) + rest(c))
miscounted("entries of the state_dict counted", lambda c: sum(one.numel() for one in StandIn(c).state_dict().values()))
miscounted(
    "biases of attention not counted + positions counted",
    lambda c: parts(c, qkv_bias=0) + rest(c) + c.max_len * c.d_model,
)

for factor in (1, 2, 0.5):
    counted("unlisted")(lambda c, factor=factor: int(factor * (parts(c) + rest(c)) + c.num_heads))


@counted("unlisted")
def without_projection_biases(c: Any) -> int:
    return parts(c, qkv_bias=3) + rest(c)


@counted("unlisted")
def gated(c: Any) -> int:
    return parts(c, ff=lambda d, f: 3 * d * f) + rest(c)


@counted("unlisted")
def in_millions(c: Any) -> str:
    return f"{(parts(c) + rest(c)) / 1e6:.1f} M"
