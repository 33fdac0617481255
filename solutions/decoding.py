"""Decoding: whole texts from a model that scores the next token, and nothing computed twice."""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.attention import causal_mask, padding_mask, scaled_dot_product_attention
from solutions.decoder import Decoder
from solutions.feed_forward import add_norm
from solutions.multi_head_attention import MultiHeadAttention, merge_heads, split_heads
from solutions.transformer import Transformer


@torch.no_grad()
def greedy_decode(
    model: Transformer, src_ids: Int[Tensor, "batch src_len"], bos_id: int, eos_id: int, max_len: int
) -> Int[Tensor, "batch out_len"]:
    """Write a target for every source, always with the token that scores highest.

    Args:
        model: `model(src_ids, tgt_ids)` gives logits of shape (batch, tgt_len, tgt_vocab).
        src_ids: the sources, padded with model.config.pad_id.
        bos_id: the token that every target begins with; it is no part of the result.
        eos_id: the token that ends a target; it is part of the result.
        max_len: how many tokens to write at most, eos_id included.

    Returns:
        The targets. After eos_id comes model.config.pad_id; there are as many columns as the
        longest target has tokens.

    Raises:
        ValueError: if there is no source, or max_len is below 1.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.1: auto-regressive.
    """
    if len(src_ids) == 0 or max_len < 1:
        raise ValueError(f"{len(src_ids)} sources and max_len={max_len}; give at least 1 of each")
    pad_id = model.config.pad_id
    tgt_ids = torch.full((len(src_ids), 1), bos_id)  # (batch, 1): what has been written
    finished = torch.zeros(len(src_ids), dtype=torch.bool)  # (batch,): who has written eos_id
    # max_len times, or until all are finished:
    # 1. the logits after the last token of every target
    # 2. the best token of every target; pad_id for those that are finished
    # 3. append it to what has been written; who wrote eos_id is finished
    # return what has been written, without bos_id
    # BEGIN SOLUTION
    for _ in range(max_len):
        logits = model(src_ids, tgt_ids)[:, -1]  # (batch, tgt_vocab)
        best = logits.argmax(dim=-1).masked_fill(finished, pad_id)  # (batch,)
        tgt_ids = torch.cat([tgt_ids, best.unsqueeze(1)], dim=1)  # (batch, 1 + written)
        finished = finished | (best == eos_id)
        if finished.all():
            break
    return tgt_ids[:, 1:]
    # END SOLUTION


def next_token_probs(
    logits: Float[Tensor, "... vocab_size"],
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Float[Tensor, "... vocab_size"]:
    """Turn scores into the distribution that the next token is drawn from.

    Args:
        logits: scores before the softmax.
        temperature: what the scores are divided by; below 1 sharpens, above 1 flattens.
        top_k: if given, only the top_k tokens of the highest scores can be drawn; all tokens, if the
            vocabulary has no more. Of scores that tie for the last place all may stay.
        top_p: if given, only the smallest set of most probable tokens that together have at least
            top_p: the token that crosses top_p stays in. It looks at the probabilities that
            temperature and top_k have left.

    Returns:
        Probabilities that sum to 1; 0 for what cannot be drawn.

    Raises:
        ValueError: if temperature is not above 0, top_k is below 1, or top_p lies outside (0, 1].

    Source: top-k: Fan, Lewis, Dauphin, "Hierarchical Neural Story Generation" (2018), section 5.4;
    top-p: Holtzman et al., "The Curious Case of Neural Text Degeneration" (2020), section 3.1.
    """
    if not temperature > 0:
        raise ValueError(f"temperature={temperature}; give more than 0 (argmax is the best token)")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k={top_k}; give 1 or more, or None for all tokens")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p={top_p}; give more than 0 and at most 1")
    # 1. divide by the temperature
    # 2. if top_k is given: -inf for all scores below the top_k-th
    # 3. the softmax
    # 4. if top_p is given: sort the probabilities, largest first; add up what stands *before* each;
    #    0 for those that have top_p or more before them; the rest has to sum to 1 again
    # BEGIN SOLUTION
    logits = logits / temperature
    if top_k is not None:
        best = logits.topk(min(top_k, logits.size(-1)), dim=-1).values  # (..., top_k), largest first
        logits = logits.masked_fill(logits < best[..., -1:], float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, tokens = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered  # what the more probable tokens have together
        kept = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, tokens, kept)  # in the vocabulary's order
        probs = probs / probs.sum(dim=-1, keepdim=True)
    return probs
    # END SOLUTION


def sample_next(
    logits: Float[Tensor, "batch vocab_size"],
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Int[Tensor, " batch"]:
    """Draw the next token of every text.

    Args:
        logits: scores before the softmax, a row for every text.
        temperature: see `next_token_probs`.
        top_k: see `next_token_probs`.
        top_p: see `next_token_probs`.
        generator: where the random numbers come from; torch's own if not given.

    Returns:
        One token for every row, drawn for each by itself.

    Raises:
        ValueError: if there is no row, or as `next_token_probs` does.
    """
    if len(logits) == 0:
        raise ValueError("logits has no row; give at least 1")
    # BEGIN SOLUTION
    probs = next_token_probs(logits, temperature, top_k, top_p)  # (batch, vocab_size)
    return torch.multinomial(probs, 1, generator=generator).squeeze(1)  # (batch, 1) -> (batch,)
    # END SOLUTION


@torch.no_grad()
def beam_search(
    model: Transformer,
    src_ids: Int[Tensor, "1 src_len"],
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list[tuple[list[int], float]]:
    """Write several targets side by side, and keep those that are most probable as a whole.

    At every step each target that has not ended is continued with every token of the vocabulary.
    Of all these continuations together the most probable stay, as many as there are places:
    beam_size, less one for every target that has ended before. Those that now end with eos_id are
    put aside, the others go on.

    Args:
        model: `model(src_ids, tgt_ids)` gives logits of shape (batch, tgt_len, tgt_vocab).
        src_ids: one source.
        bos_id: the token that every target begins with; it is no part of the result.
        eos_id: the token that ends a target; it is part of the result.
        max_len: how many tokens to write at most, eos_id included. Targets that have not ended by
            then are returned as they are.
        beam_size: how many targets to keep.
        length_penalty: 0 ranks by log-probability, which is lower the longer a target is; more
            favours the longer.

    Returns:
        At most beam_size pairs of a target (a list of tokens) and its score, the highest score
        first. A target of n tokens and log-probability p scores p / ((5 + n) / 6)^length_penalty.

    Raises:
        ValueError: if there is not exactly one source, or max_len or beam_size is below 1.

    Source: Sutskever, Vinyals, Le, "Sequence to Sequence Learning with Neural Networks" (2014),
    section 3.2; the score: Wu et al., "Google's Neural Machine Translation System" (2016), section 7,
    equation 14.
    """
    if len(src_ids) != 1:
        raise ValueError(f"{len(src_ids)} sources; give 1")
    if max_len < 1 or beam_size < 1:
        raise ValueError(f"max_len={max_len} and beam_size={beam_size}; give at least 1 of each")
    # targets that go on, and their log-probabilities; the same of those that wrote eos_id
    beams: list[tuple[list[int], float]] = [([], 0.0)]
    ended: list[tuple[list[int], float]] = []
    # max_len times, or until none goes on:
    # 1. the log-probabilities of the next token of every beam, all beams in one batch
    # 2. the log-probability of every continuation: that of its beam plus that of its token
    # 3. the best of them all, as many as there are places; which beam and which token is each?
    # 4. those with eos_id are put aside, the others are the new beams
    # then give every target its score, and sort
    # BEGIN SOLUTION
    for _ in range(max_len):
        tgt_ids = torch.tensor([[bos_id, *tokens] for tokens, _ in beams])  # (beams, 1 + written)
        logits = model(src_ids.expand(len(beams), -1), tgt_ids)[:, -1]  # (beams, tgt_vocab)
        so_far = torch.tensor([total for _, total in beams]).unsqueeze(1)  # (beams, 1)
        totals = so_far + logits.log_softmax(dim=-1)  # (beams, tgt_vocab)
        places = min(beam_size - len(ended), totals.numel())
        best = totals.flatten().topk(places)
        continued = []
        for total, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            beam, token = divmod(index, totals.size(1))
            continued.append(([*beams[beam][0], token], total))
        ended += [one for one in continued if one[0][-1] == eos_id]
        beams = [one for one in continued if one[0][-1] != eos_id]
        if not beams:
            break
    scored = [(tokens, total / ((5 + len(tokens)) / 6) ** length_penalty) for tokens, total in ended + beams]
    return sorted(scored, key=lambda one: one[1], reverse=True)
    # END SOLUTION


class KVCache:
    """Keep the keys and values of all tokens that have been read: nobody computes them twice."""

    def __init__(self) -> None:
        self.k: Tensor | None = None  # (batch, num_heads, length, d_head), once there are any
        self.v: Tensor | None = None

    @property
    def length(self) -> int:
        """How many tokens it holds; 0 at first."""
        # BEGIN SOLUTION
        return 0 if self.k is None else self.k.size(-2)
        # END SOLUTION

    def append(
        self,
        k: Float[Tensor, "batch num_heads new_len d_head"],
        v: Float[Tensor, "batch num_heads new_len d_head"],
    ) -> tuple[Float[Tensor, "batch num_heads key_len d_head"], Float[Tensor, "batch num_heads key_len d_head"]]:
        """Add the keys and values of new tokens behind those that are there.

        Args:
            k: the keys of one new token, or of several.
            v: their values.

        Returns:
            The keys and the values of all tokens so far, the oldest first; key_len is the new length.
        """
        # BEGIN SOLUTION
        if self.k is None or self.v is None:
            self.k, self.v = k, v
        else:
            self.k = torch.cat([self.k, k], dim=-2)  # (batch, num_heads, length + new_len, d_head)
            self.v = torch.cat([self.v, v], dim=-2)
        return self.k, self.v
        # END SOLUTION


class CachedDecoder(nn.Module):
    """Run a decoder on the new tokens only; of those before it keeps the keys and values.

    Args:
        decoder: a Decoder; its own layers, projections and norms are used, nothing is copied.

    Source: Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need" (2019), section 2.4.
    """

    def __init__(self, decoder: Decoder) -> None:
        super().__init__()
        self.decoder = decoder
        self.reset()

    def reset(self) -> None:
        """Forget everything, before the next text: every layer gets two empty caches."""
        self.self_caches = [KVCache() for _ in self.decoder.layers]  # of the target
        self.cross_caches = [KVCache() for _ in self.decoder.layers]  # of the memory

    @property
    def length(self) -> int:
        """How many tokens have been read: the position of the next one."""
        return self.self_caches[0].length

    def attend(
        self,
        attention: MultiHeadAttention,
        query: Float[Tensor, "batch new_len d_model"],
        new: Float[Tensor, "batch unread_len d_model"] | None,
        cache: KVCache,
        mask: Bool[Tensor, "#batch #num_heads #new_len #key_len"] | Bool[Tensor, "#new_len #key_len"] | None,
    ) -> Float[Tensor, "batch new_len d_model"]:
        """Do what a MultiHeadAttention does, with the keys and values of a cache.

        Args:
            attention: its projections are used.
            query: the tokens that ask.
            new: tokens to be read that are not in the cache yet and go into it first, or None.
            cache: the keys and values of what has been read before.
            mask: True where a query may look at a key.

        Returns:
            What the attention would give if it were handed all tokens at once.
        """
        # 1. project the new tokens to keys and values, split them into heads, append them
        # 2. project the queries and split them; let them look at all keys and values in the cache
        # 3. merge the heads, and `out_proj`
        # BEGIN SOLUTION
        heads = attention.num_heads
        if new is not None:
            k = split_heads(attention.k_proj(new), heads)  # (batch, num_heads, unread_len, d_head)
            v = split_heads(attention.v_proj(new), heads)
            cache.append(k, v)
        assert cache.k is not None and cache.v is not None  # somebody has been read by now
        q = split_heads(attention.q_proj(query), heads)  # (batch, num_heads, new_len, d_head)
        output, _ = scaled_dot_product_attention(q, cache.k, cache.v, mask)
        return attention.out_proj(merge_heads(output))  # (batch, new_len, d_model)
        # END SOLUTION

    def run_layer(
        self,
        number: int,
        x: Float[Tensor, "batch new_len d_model"],
        memory: Float[Tensor, "batch src_len d_model"],
        self_mask: Bool[Tensor, "new_len key_len"],
        cross_mask: Bool[Tensor, "#batch #num_heads #new_len #src_len"] | None,
    ) -> Float[Tensor, "batch new_len d_model"]:
        """Do what a DecoderLayer does, with the two caches of that layer.

        Args:
            number: which layer, from 0.
            x: the new tokens.
            memory: what the encoder made of the source.
            self_mask: True where a new token may look at a token of the target.
            cross_mask: True where a target token may look at a source token.
        """
        layer: Any = self.decoder.layers[number]  # a DecoderLayer
        own, cross = self.self_caches[number], self.cross_caches[number]
        # as in DecoderLayer, `add_norm` around each:
        # 1. self-attention: the new tokens go into the cache `own`
        # 2. cross-attention: the memory goes into the cache `cross`, but only if that is still empty
        # 3. the feed-forward network
        # BEGIN SOLUTION
        unread = memory if cross.length == 0 else None

        def read_target(h: Tensor) -> Tensor:
            return self.attend(layer.self_attn, h, h, own, self_mask)

        def read_source(h: Tensor) -> Tensor:
            return self.attend(layer.cross_attn, h, unread, cross, cross_mask)

        x = add_norm(x, read_target, layer.norm1, layer.dropout, layer.norm_first)
        x = add_norm(x, read_source, layer.norm2, layer.dropout, layer.norm_first)
        return add_norm(x, layer.feed_forward, layer.norm3, layer.dropout, layer.norm_first)
        # END SOLUTION

    def forward(
        self,
        x: Float[Tensor, "batch new_len d_model"],
        memory: Float[Tensor, "batch src_len d_model"],
        cross_mask: Bool[Tensor, "#batch #num_heads #new_len #src_len"] | None = None,
    ) -> Float[Tensor, "batch new_len d_model"]:
        """Read new tokens; each may look at itself and at all that came before it.

        Args:
            x: the new tokens with their positions; the first of them stands at position `length`.
            memory: what the encoder made of the source; the same at every call.
            cross_mask: True where a target token may look at a source token.

        Returns:
            What the decoder, given all tokens at once and a causal mask, makes of the new ones.
        """
        # 1. the mask of the self-attention: the rows of the causal mask that belong to the new tokens
        # 2. run every layer
        # 3. the stack's norm, if it has one
        # BEGIN SOLUTION
        self_mask = causal_mask(self.length + x.size(1))[self.length :]  # (new_len, key_len)
        for number in range(len(self.decoder.layers)):
            x = self.run_layer(number, x, memory, self_mask, cross_mask)
        return x if self.decoder.norm is None else self.decoder.norm(x)
        # END SOLUTION


@torch.no_grad()
def greedy_decode_cached(
    model: Transformer, src_ids: Int[Tensor, "batch src_len"], bos_id: int, eos_id: int, max_len: int
) -> Int[Tensor, "batch out_len"]:
    """Write what `greedy_decode` writes, and compute nothing twice.

    The source is encoded once; at every step the decoder is handed one new token of every target.
    The two may part behind a pad_id that the model itself writes before eos_id, which a trained model
    does not: `model(src_ids, tgt_ids)` hides it from the tokens after it, and a cache does not.

    Args:
        model: reads and writes ids.
        src_ids: the sources, padded with model.config.pad_id.
        bos_id: the token that every target begins with; it is no part of the result.
        eos_id: the token that ends a target; it is part of the result.
        max_len: how many tokens to write at most, eos_id included.

    Returns:
        As `greedy_decode`.

    Raises:
        ValueError: if there is no source, or max_len is below 1.
    """
    if len(src_ids) == 0 or max_len < 1:
        raise ValueError(f"{len(src_ids)} sources and max_len={max_len}; give at least 1 of each")
    pad_id = model.config.pad_id
    decoder = CachedDecoder(model.decoder)
    newest = torch.full((len(src_ids), 1), bos_id)  # (batch, 1)
    finished = torch.zeros(len(src_ids), dtype=torch.bool)  # (batch,)
    written: list[Tensor] = []
    # once: the memory, and the mask of the source
    # then as in greedy_decode, but for the logits:
    # 1. embed the newest token, add its position: it does not stand at 0
    # 2. run the decoder on it, and the output layer
    # BEGIN SOLUTION
    memory, src_mask = model.encode(src_ids), padding_mask(src_ids, pad_id)
    for _ in range(max_len):
        x = model.positions(model.tgt_embedding(newest), start=decoder.length)  # (batch, 1, d_model)
        logits = model.output(decoder(x, memory, src_mask))[:, -1]  # (batch, tgt_vocab)
        best = logits.argmax(dim=-1).masked_fill(finished, pad_id)  # (batch,)
        newest = best.unsqueeze(1)
        written.append(newest)
        finished = finished | (best == eos_id)
        if finished.all():
            break
    return torch.cat(written, dim=1)
    # END SOLUTION
