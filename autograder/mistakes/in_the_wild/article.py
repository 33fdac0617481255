"""The twelve faults of the article, and what becomes of them when they are mended by half."""

from autograder.checks.in_the_wild.article import article
from autograder.probing.mistake import edit

# The reference's own words, which the edits replace.
VARIANCE, ROOT = "var = x.var(-1, keepdim=True, correction=0)", "/ (var + self.eps).sqrt()"
RATE = "torch.arange(0, d_model, 2)"
SINES, COSINES = "table[:, 0::2] = angle.sin()", "table[:, 1::2] = angle.cos()"
SPLIT = "x.view(batch, length, self.num_heads, d_model // self.num_heads).transpose(1, 2)"
VIEWED = "x.view(batch, self.num_heads, length, d_model // self.num_heads)"
TURNED_BACK = "x.transpose(1, 2).reshape("
MIXED = "self.out_proj(self.merge(weights @ v))"
NETWORK = "self.linear2(F.relu(self.linear1(x)))"
ADDED = "self.norm(self.shortcut(x) + self.sublayer(x, *others))"
CROSS = "self.cross_attention(x, memory, memory, src_mask)"
SOURCE, TARGET = "(src != PAD)[:, None, None, :]", "(tgt != PAD)[:, None, None, :] & ~future"
EMBEDDED = "x = self.embed(tgt)"
READ, ASKED = "self(src, tgt[:, :-1])", "tgt[:, 1:].flatten()"
COST = f"F.cross_entropy(scores.flatten(0, 1), {ASKED}, ignore_index=PAD)"

# Norm ----------------------------------------------------------------------------

article.mistake(
    "standard deviation over n - 1, eps beside it",
    "Your norm divides by `x.std(-1) + eps`. `std` divides by n - 1, and the paper's variance by n; eps belongs under the root, so that a token of equal features has a gradient. At width 64 the first makes every "
    "number 0.8 % too small, and training hides it: the loss will not tell you. Look at `Norm`.",
    edit({VARIANCE: "var = x.std(-1, keepdim=True)", ROOT: "/ (var + self.eps)"}, inside="Norm.forward"),
)
article.mistake(
    "variance over n - 1",
    "Your variance is divided by n - 1, not by n. `torch.var` and `torch.std` do so unless they are told `correction=0`. Look at `Norm`.",
    edit({"correction=0": "correction=1"}, inside="Norm.forward"),
)
article.mistake(
    "eps beside the root",
    "Your eps is added to the standard deviation. It belongs to the variance, under the root. Look at `Norm`.",
    edit({ROOT: "/ (var.sqrt() + self.eps)"}, inside="Norm.forward"),
)
article.mistake(
    "no eps",
    "Nothing is added to the variance. A token whose features are all equal then gives NaN. Look at `Norm`.",
    edit({ROOT: "/ var.sqrt()"}, inside="Norm.forward"),
)

# sinusoids ----------------------------------------------------------------------------

article.mistake(
    "sines in even positions instead of even features",
    "Your table has sines in its even rows and cosines in its odd ones. A row is a position and a column a feature: `table[0::2]` takes every second position, `table[:, 0::2]` every second feature. Neighbouring "
    "positions then look as different as sine and cosine, and no shift is a rotation any more. Look at `sinusoids`.",
    edit(
        {
            RATE: "torch.arange(d_model)",
            SINES: "table[0::2] = angle[0::2].sin()",
            COSINES: "table[1::2] = angle[1::2].cos()",
        },
        inside="sinusoids",
    ),
)
article.mistake(
    "cosines with a rate of their own",
    "The cosines have other rates than the sines beside them. Features 2i and 2i + 1 share one rate, 10000 to the power of -2i / d_model: take one for every *second* feature. Look at `sinusoids`.",
    edit(
        {
            RATE: "torch.arange(d_model)",
            SINES: "table[:, 0::2] = angle[:, 0::2].sin()",
            COSINES: "table[:, 1::2] = angle[:, 1::2].cos()",
        },
        inside="sinusoids",
    ),
)
article.mistake(
    "rates fall half as fast",
    "Your rates fall half as fast as they should. The exponent is -2i / d_model for the features 2i and 2i + 1, so it goes by twos: `torch.arange(0, d_model, 2)`. Look at `sinusoids`.",
    edit({RATE: "torch.arange(d_model // 2)"}, inside="sinusoids"),
)
article.mistake(
    "sine and cosine exchanged",
    "Sines and cosines have changed places. Even features are sines, odd ones cosines. Look at `sinusoids`.",
    edit({SINES: "table[:, 0::2] = angle.cos()", COSINES: "table[:, 1::2] = angle.sin()"}, inside="sinusoids"),
)

# Attention ----------------------------------------------------------------------------

article.mistake(
    "heads cut by view",
    "Your heads are cut by a reshape alone. (batch, length, d_model) viewed as (batch, heads, length, d_head) gives the first head the first tokens, whole, and the last head the last: no head sees the sentence. Divide the features "
    "first, then let heads and length change places by `transpose(1, 2)`; and back again in `merge`. Look at `Attention`.",
    edit({SPLIT: VIEWED, TURNED_BACK: "x.reshape("}, inside="Attention"),
)
article.mistake(
    "heads merged by reshape",
    "Your heads are put together by a reshape alone. `split` let heads and length change places, and `merge` has to turn that back before it joins: `transpose(1, 2)`, then `reshape`. Look at `Attention`.",
    edit({TURNED_BACK: "x.reshape("}, inside="Attention.merge"),
)
article.mistake(
    "heads cut by view, merged by transpose",
    "Your `merge` is right, and `split` is not. Viewed as (batch, heads, length, d_head), the first head gets the first tokens. View as (batch, length, heads, d_head), then `transpose(1, 2)`. Look at `Attention`.",
    edit({SPLIT: VIEWED}, inside="Attention.split"),
)
article.mistake(
    "no output projection",
    "Nothing comes after the heads. The paper ends an attention with a linear layer over all of them, W^O: without it no head ever hears of another inside the layer. Look at `Attention`; lesson 03 calls it `out_proj`.",
    edit({MIXED: "self.merge(weights @ v)"}, inside="Attention.forward"),
)

# The layers ----------------------------------------------------------------------------

article.mistake(
    "one matrix as feed-forward network",
    "Your feed-forward network is one linear layer. The paper's has two, from d_model to d_ff and back, with the ReLU between them; with one, d_ff is never used. Look at `FeedForward`; lesson 05 calls the second `linear2`.",
    edit(
        {"nn.Linear(d_model, d_ff)": "nn.Linear(d_model, d_model)", NETWORK: "F.relu(self.linear1(x))"},
        inside="FeedForward",
    ),
)
article.mistake(
    "ReLU at the end of the feed-forward network",
    "The ReLU comes last. It belongs between the two layers: at the end it leaves nothing negative to add to a token, and two layers without anything between them are one. Look at `FeedForward`.",
    edit({NETWORK: "F.relu(self.linear2(self.linear1(x)))"}, inside="FeedForward.forward"),
)
article.mistake(
    "no ReLU",
    "There is nothing between your two linear layers. Two of them in a row are one. Look at `FeedForward`.",
    edit({NETWORK: "self.linear2(self.linear1(x))"}, inside="FeedForward.forward"),
)
article.mistake(
    "a shortcut that adds nothing",
    "Your shortcut adds nothing. `nn.Identity` gives back what it is given, here what the sublayer gave; x itself has to be *added*. Without it a token does not get past a sublayer, nor does a gradient. Look at `Residual`.",
    edit({ADDED: "self.norm(self.shortcut(self.sublayer(x, *others)))"}, inside="Residual.forward"),
)
article.mistake(
    "normalized before it is added",
    "You normalize what the sublayer gives, and then add x. In post-norm, as in the paper, the sum is normalized. Look at `Residual`.",
    edit({ADDED: "x + self.norm(self.sublayer(x, *others))"}, inside="Residual.forward"),
)
article.mistake(
    "pre-norm",
    "You normalize what goes into the sublayer. That is pre-norm, which needs a norm more at the end of each stack; the article, like the paper, normalizes the sum. Look at `Residual`.",
    edit({ADDED: "x + self.sublayer(self.norm(x), *others)"}, inside="Residual.forward"),
)
article.mistake(
    "cross-attention reads the target",
    "Your cross-attention reads the target. Queries come from the target, keys and values from the memory, under the source's mask; as it is, the decoder never hears of the source. Look at `DecoderLayer`.",
    edit({CROSS: "self.cross_attention(x, x, x, tgt_mask)"}, inside="DecoderLayer.forward"),
)
article.mistake(
    "keys from the target, values from the memory",
    "Keys and values come from two sides. A weight says how much of a value is read because its key fits: both are the memory's. Look at `DecoderLayer`.",
    edit({CROSS: "self.cross_attention(x, x, memory, src_mask)"}, inside="DecoderLayer.forward"),
    edit({CROSS: "self.cross_attention(x, memory, x, src_mask)"}, inside="DecoderLayer.forward"),
)
article.mistake(
    "the target's mask for the memory",
    "Your cross-attention reads the memory under the target's mask. That one has a row and a column for every token of the target; who of the source may be read says `src_mask`. Look at `DecoderLayer`.",
    edit({CROSS: "self.cross_attention(x, memory, memory, tgt_mask)"}, inside="DecoderLayer.forward"),
)

# The model ----------------------------------------------------------------------------

FUTURE = "torch.ones(src.size(1), src.size(1), dtype=torch.bool).tril()"
article.mistake(
    "source causal",
    "Your source's mask is causal. The source is there before the first word is written, and its first token may read its last: only padding is hidden. Look at `encode`.",
    edit({"layer(x, src_mask)": f"layer(x, src_mask & {FUTURE})"}, inside="WildTransformer.encode"),
)
article.mistake(
    "padding of the source not hidden",
    "Your source's mask hides nothing. Padding is no token: a short word would come out otherwise in a longer batch. Look at `masks`.",
    edit({SOURCE: "(src == src)[:, None, None, :]"}, inside="WildTransformer.masks"),
)
article.mistake(
    "target not causal",
    "Your target's mask is not causal. Every place reads those that it is to name, and when the model writes they are not there. Hide what comes later as well: `& ~future`, with as many rows and columns as the target has tokens. Look at `masks`.",
    edit({TARGET: "(tgt != PAD)[:, None, None, :]"}, inside="WildTransformer.masks"),
)
article.mistake(
    "the past hidden instead of the future",
    "Your target's mask shows the future and hides the past. Row i says whom token i may read: itself and those before it. Look at `masks`.",
    edit({TARGET: "(tgt != PAD)[:, None, None, :] & future"}, inside="WildTransformer.masks"),
    edit({TARGET: "(tgt != PAD)[:, None, None, :] & ~future.T"}, inside="WildTransformer.masks"),
)
article.mistake(
    "positions added to the memory again",
    "Your decoder adds positions to the memory. It carries them already, since `embed` added them to the source. Look at `decode`.",
    edit({EMBEDDED: f"{EMBEDDED}; memory = memory + self.table[: memory.size(1)]"}, inside="WildTransformer.decode"),
)

# The loss ----------------------------------------------------------------------------

article.mistake(
    "target not shifted",
    "Your model reads the very tokens that it is asked for. The loss then falls beautifully, by copying. It reads the target without its last token and is asked for the target without its first. Look at `loss`.",
    edit({READ: "self(src, tgt[:, 1:])"}, inside="WildTransformer.loss"),
)
article.mistake(
    "asked for what it reads",
    "Your model is asked for what it reads: both sides lack the last token. It reads `tgt[:, :-1]` and is asked for `tgt[:, 1:]`. Look at `loss`.",
    edit({ASKED: "tgt[:, :-1].flatten()"}, inside="WildTransformer.loss"),
)
article.mistake(
    "padding counts in the loss",
    "Padding counts in your loss. It is easy to foresee, so it makes the loss smaller without anything having been learned, and its share changes from batch to batch. `ignore_index=PAD` leaves it out of the sum and of the number "
    "by which it is divided. Look at `loss`.",
    edit({", ignore_index=PAD": ""}, inside="WildTransformer.loss"),
)
article.mistake(
    "padding counts in the number that divides",
    "Padding is left out of the sum, and the sum is divided by all places. The mean is that of the tokens: divide by how many there are, as `ignore_index` does by itself. Look at `loss`.",
    edit(
        {
            COST: f'F.cross_entropy(scores.flatten(0, 1), {ASKED}, ignore_index=PAD, reduction="sum") / tgt[:, 1:].numel()'
        },
        inside="WildTransformer.loss",
    ),
)
