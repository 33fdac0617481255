"""Checks of lesson 08: TokenEmbedding, the masks of a batch, the Transformer, its parameters by formula, and a repair."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.stand_ins.transformer import TransformerConfig


def sentences(draw: Draw, name: str, lengths: Sequence[int], vocab_size: int, pad_id: int) -> Tensor:
    """Ids of real tokens, as many in a row as `lengths` says, filled up with pad_id to one length."""
    drawn = draw.integers(f"{name} drawn", len(lengths), max(lengths), high=vocab_size - 1)
    real = drawn + (drawn >= pad_id)  # every id but pad_id
    past_the_end = torch.arange(max(lengths)) >= torch.tensor(list(lengths))[:, None]
    return draw.keep(name, real.masked_fill(past_the_end, pad_id))


# TokenEmbedding ----------------------------------------------------------------------------

NO_ID = (
    "`==` gave a single False where a table of True and False was expected: the ids were compared with None. "
    "`self.embedding.padding_idx` is None here; the id is `self.pad_id`."
)
token_embedding = Exercise(
    "TokenEmbedding",
    points=2,
    hints=(
        "`self.embedding(token_ids)` is the look-up: one row of the table for every id. Multiply it by the root of `d_model`. Then padding: where is `token_ids` equal to "
        "`self.pad_id`? There the vector has to be zero, whatever the table says.",
        "```python\n"
        "vectors = ...  # look up, times √d_model: (batch, seq_len, d_model)\n"
        "is_pad = ...   # True where the id is self.pad_id, with one dimension more at the end: (batch, seq_len, 1)\n"
        "return ...     # vectors, with zeros where is_pad\n"
        "```",
        "`vectors.masked_fill(is_pad, 0.0)`, where `is_pad = (token_ids == self.pad_id).unsqueeze(-1)`. `d_model` is at hand in `forward`: the given lines read it from the table's shape.",
    ),
    traps={
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (6) at non-singleton dimension 2": "`token_ids == self.pad_id` has the shape (batch, seq_len) and "
        "the vectors have one dimension more. Add it with `.unsqueeze(-1)`.",
        "TypeError: sqrt(): argument 'input' (position 1) must be Tensor, not int": "`torch.sqrt` wants a tensor. For a plain number there is `math.sqrt`, or `** 0.5`.",
        "AttributeError: 'bool' object has no attribute": NO_ID,
        "TypeError: 'bool' object is not subscriptable": NO_ID,
        "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation": "do not write into the table. Make the vectors first, then set those of padding to zero "
        "with `masked_fill`, which returns a new tensor.",
    },
)


@token_embedding.probe("looks up every token's row and multiplies it by √d_model")
def rows(TokenEmbedding: Callable, draw: Draw) -> Any:
    layer = draw.module(TokenEmbedding, 7, 6, 2)
    return layer(sentences(draw, "ids", (5, 5, 5, 5), 7, 2))


@token_embedding.probe("gives zeros where the id is pad_id, at the end or elsewhere, whatever stands in the table")
def padding_is_zero(TokenEmbedding: Callable, draw: Draw) -> Any:
    layer, first = draw.module(TokenEmbedding, 9, 5, 3), draw.module(TokenEmbedding, 4, 3, 0)
    ids = sentences(draw, "ids", (4, 2, 3), 9, 3)
    ids[0, 1] = 3
    return {
        "pad_id 3": layer(draw.keep("ids", ids)),
        "pad_id 0, in evaluation": first.eval()(draw.integers("all ids", 2, 5, high=4)),
    }


@token_embedding.probe("starts with features of variance about 1", rung="invariants")
def starts_with_spread(TokenEmbedding: Callable, draw: Draw) -> Any:
    spread = float(TokenEmbedding(200, 64, 0)(torch.arange(1, 200)[None]).std())
    return {"features spread like 1": 0.8 < spread < 1.25}


@token_embedding.probe("does not write into the table", rung="invariants")
def table_stays(TokenEmbedding: Callable, draw: Draw) -> Any:
    layer: Any = draw.module(TokenEmbedding, 6, 4, 1)
    vectors = layer(sentences(draw, "ids", (3, 2), 6, 1))
    return {"vectors": vectors, "table afterwards": layer.embedding.weight}


@token_embedding.probe("looks up in the table as it is now, after training has changed it")
def table_changes(TokenEmbedding: Callable, draw: Draw) -> Any:
    layer: Any = draw.module(TokenEmbedding, 6, 4, 1)
    ids = sentences(draw, "ids", (3, 2), 6, 1)
    before = layer(ids)
    with torch.no_grad():
        layer.embedding.weight.add_(draw.tensor("step", 6, 4))
    return {"before": before, "after a step": layer(ids)}


@token_embedding.probe("has the right gradient: none for the row of pad_id", rung="gradients")
def table_gradient(TokenEmbedding: Callable, draw: Draw) -> Any:
    layer = draw.module(TokenEmbedding, 6, 4, 2)
    vectors = layer(sentences(draw, "ids", (5, 2, 3), 6, 2))
    return draw.gradients(vectors, **dict(layer.named_parameters()))


@token_embedding.probe(
    "works for one token, one feature, a row of padding and ids that are not contiguous", rung="edges"
)
def embedding_edges(TokenEmbedding: Callable, draw: Draw) -> Any:
    narrow, wide = draw.fill(TokenEmbedding(3, 1, 2)), draw.fill(TokenEmbedding(5, 4, 0))
    unpadded = draw.fill(TokenEmbedding(4, 3, -1))  # as on the page, where no token is to count as padding
    return {
        "one token, one feature": narrow(draw.integers("one", 1, 1, high=2)),
        "one token": wide(sentences(draw, "single", (1,), 5, 0)),
        "a row of padding": wide(sentences(draw, "padded", (0, 3), 5, 0)),
        "not contiguous": wide(draw.integers("turned", 3, 2, high=5).T),
        "a pad_id that no token has": unpadded(torch.arange(4)[None]),
    }


@token_embedding.probe("raises a ValueError for an id above the vocabulary", rung="invariants")
def refuses_large_ids(TokenEmbedding: Callable, draw: Draw) -> Any:
    layer = draw.module(TokenEmbedding, 5, 4, 0)
    layer(draw.integers("ids", 2, 3, high=5))  # first what fits
    return layer(torch.tensor([[1, 5]]))


@token_embedding.probe("raises a ValueError for a negative id", rung="invariants")
def refuses_negative_ids(TokenEmbedding: Callable, draw: Draw) -> Any:
    layer = draw.module(TokenEmbedding, 5, 4, 0)
    layer(draw.integers("ids", 2, 3, high=5))  # as above
    return layer(torch.tensor([[1, -1]]))


# make_masks ----------------------------------------------------------------------------

make_masks = Exercise(
    "make_masks",
    points=2,
    hints=(
        "You have both parts from lesson 02: `padding_mask` and `causal_mask`. Which of them concerns the source, which the target? In the target, a token has to pass both.",
        "```python\n"
        "src_mask = ...  # padding of the source: (batch, 1, 1, src_len)\n"
        "tgt_mask = ...  # padding of the target, and the future: (batch, 1, tgt_len, tgt_len)\n"
        "return ...\n"
        "```",
        "`padding_mask(tgt_ids, pad_id) & causal_mask(tgt_ids.size(1))`: `&` broadcasts (batch, 1, 1, tgt_len) against (tgt_len, tgt_len).",
    ),
    traps={
        "TypeError: ...argument ... must be ..., not ...": "`causal_mask` takes a length, one number, not the ids and not their shape: `causal_mask(tgt_ids.size(1))`.",
        "RuntimeError: Boolean value of Tensor with more than one value is ambiguous": "`and` asks each mask as a whole for a yes or no. `&` joins them place by place.",
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 3": "two masks of different lengths met. The causal mask has a row and a column for every "
        "token of the target, `tgt_ids.size(1)`; size(0) is the number of sentences.",
    },
)


@make_masks.probe("hides the source's padding, and the target's padding and future")
def both_masks(make_masks: Callable, draw: Draw) -> Any:
    source = sentences(draw, "source", (5, 3, 4), 9, 2)
    return make_masks(source, sentences(draw, "target", (2, 4, 3), 7, 2), 2)


@make_masks.probe("goes by pad_id, which may stand anywhere")
def padding_anywhere(make_masks: Callable, draw: Draw) -> Any:
    return make_masks(draw.integers("source", 4, 6, high=3), draw.integers("target", 4, 5, high=3), 1)


@make_masks.probe("tells source and target apart where they are of one length")
def one_length(make_masks: Callable, draw: Draw) -> Any:
    return make_masks(draw.integers("source", 3, 4, high=3), draw.integers("target", 3, 4, high=3), 0)


@make_masks.probe("works for one token, for nothing but padding, and for ids that are not contiguous", rung="edges")
def mask_edges(make_masks: Callable, draw: Draw) -> Any:
    return {
        "one token": make_masks(torch.tensor([[4]]), torch.tensor([[2]]), 0),
        "one token, or padding": make_masks(torch.tensor([[4], [0]]), torch.tensor([[0], [2]]), 0),
        "nothing but padding": make_masks(torch.zeros(2, 3, dtype=torch.long), torch.zeros(2, 4, dtype=torch.long), 0),
        "not contiguous": make_masks(
            draw.integers("source", 5, 2, high=3).T, draw.integers("target", 4, 2, high=3).T, 1
        ),
    }


@make_masks.probe("raises a ValueError when there are more targets than sources", rung="invariants")
def masks_refuse(make_masks: Callable, draw: Draw) -> Any:
    target = draw.integers("target", 2, 3, high=4)
    make_masks(target, target, 0)  # first what fits
    return make_masks(draw.integers("source", 1, 3, high=4), target, 0)


@make_masks.probe("raises a ValueError when there are fewer targets than sources", rung="invariants")
def masks_refuse_fewer(make_masks: Callable, draw: Draw) -> Any:
    source = draw.integers("source", 2, 3, high=4)
    make_masks(source, source, 0)  # as above
    return make_masks(source, draw.integers("target", 1, 3, high=4), 0)


# Transformer ----------------------------------------------------------------------------

SOURCE, TARGET, PAD = 9, 7, 3
"""Sizes of the two vocabularies, and an id for padding that nobody takes for granted."""


def config(**other: Any) -> TransformerConfig:
    """A tiny model: its sizes all differ."""
    sizes: dict[str, Any] = dict(src_vocab_size=SOURCE, tgt_vocab_size=TARGET, d_model=8, num_heads=2, num_layers=1)
    sizes |= dict(d_ff=10, dropout=0.0, max_len=7, pad_id=PAD)
    return TransformerConfig(**sizes | other)


def batch(draw: Draw, source_vocab: int = SOURCE) -> tuple[Tensor, Tensor]:
    """Three sources and three targets, most of them padded."""
    source = sentences(draw, "source", (5, 3, 4), source_vocab, PAD)
    return source, sentences(draw, "target", (2, 4, 3), TARGET, PAD)


# Nothing is forbidden: the names of the parameters leave no room for nn.Transformer.
transformer = Exercise(
    "Transformer",
    points=5,
    hints=(
        "All parts stand in the constructor; only the wiring is missing. Follow figure 1 of the paper: ids → embedding → positions → stack, once on each side. `encode` and `decode` each do one side; "
        "`forward` calls them and lets `self.output` score. What `decode` needs and `forward` has to bring is the memory and the source's mask.",
        "```python\n"
        "# __init__: two ifs\n"
        "# encode:   mask of the source; embed, add positions, run self.encoder\n"
        "# decode:   mask of the target, padding & causal; embed, add positions, run self.decoder\n"
        "# forward:  src_mask from make_masks; output of decode of encode\n"
        "```",
        "`self.encoder(self.positions(self.src_embedding(src_ids)), src_mask)`, and on the other side `self.decoder(x, memory, tgt_mask, src_mask)`. Sharing is assignment: "
        "`self.tgt_embedding = self.src_embedding`, then `self.output.weight = self.tgt_embedding.embedding.weight`.",
    ),
    traps={
        "ValueError: mask has shape (3, 1, 1, 5); give (batch, num_heads, query_len, key_len) = (3, 2, 4, 4)": "a mask came to an attention that reads other tokens. "
        "Look back from there: is it the source that is encoded, and its mask that is made first, `make_masks(src_ids, tgt_ids, ...)`? Does the decoder get them in its order, the target's before the source's? Or is one kept from an earlier call?",
        "ValueError: mask has shape (3, 5); give (batch, num_heads, query_len, key_len) = (3, 2, 5, 5)": "a mask lacks dimensions. `padding_mask` gives (batch, 1, 1, length), True where a token is real.",
        "TypeError: cannot assign '...' as parameter 'weight'": "a weight can only be replaced by a Parameter: assign `self.tgt_embedding.embedding.weight` itself, no copy of it and no `.data`.",
        "RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int": "an embedding was given vectors, and wants ids. Is `self.output` a table now? It stays a linear "
        "layer; only its *weight* is the table's. Or were positions added to ids?",
        "ValueError: token_ids go from -2 to 2": "vectors came where ids were expected. The order is `self.decode(tgt_ids, memory, src_mask)`.",
        "RuntimeError: mat1 and mat2 must have the same dtype, but got Long and Double": "`decode` was given the source's ids. It wants the memory, `self.encode(src_ids)`.",
        "ValueError: token_ids go from 0 to 8": "these are ids of the other side: the source's belong to `self.src_embedding`, the target's to `self.tgt_embedding`. The order is `self.decode(tgt_ids, memory, src_mask)`.",
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 3": "two masks of different lengths met. The causal mask has a row and a column for every token of the target, `tgt_ids.size(1)`; size(0) is the number of sentences.",
        "TypeError: 'NoneType' object is not callable": "in post-norm a stack ends without a norm: its `norm` is None. Call the stack itself, `self.encoder(x, src_mask)`, which asks.",
        "ValueError: token_ids has shape (3, 5, 8); give (batch, key_len)": "vectors came where ids were expected. The order is `self.decode(tgt_ids, memory, src_mask)`.",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied": "`self.output` takes vectors of d_model numbers. Has it been at work before, in `decode`?",
        "AttributeError: 'tuple' object has no attribute": "two things came back where one was expected: `make_masks` returns two masks, and a stack that is asked for its weights returns them too.",
        "AttributeError: 'TokenEmbedding' object has no attribute 'weight'": "the table lies one step further in: `self.tgt_embedding.embedding.weight`.",
    },
)


@transformer.probe("scores, for every place of the target, the tokens that may come next", float64=True)
def scores(Transformer: Callable, draw: Draw) -> Any:
    return draw.module(Transformer, config())(*batch(draw))


@transformer.probe(
    "encodes and decodes by itself, from any memory, and reads none of it where the source's mask is False",
    float64=True,
)
def both_sides(Transformer: Callable, draw: Draw) -> Any:
    model: Any = draw.module(Transformer, config())
    source, target = batch(draw)
    seen = torch.arange(5) < torch.tensor([4, 5, 2])[:, None]  # (3, 5), another than the source's own
    memory = draw.tensor("memory", 3, 5, 8)
    elsewhere = torch.where(seen[..., None], memory, draw.tensor("hidden", 3, 5, 8, scale=4))
    mask = draw.keep("mask", seen[:, None, None, :])
    return {
        "encode": model.encode(source),
        "decode": model.decode(target, memory, mask),
        "decode, with other numbers where nothing is read": model.decode(target, elsewhere, mask),
    }


@transformer.probe("does so in evaluation, without dropout, with several layers and pre-norm", float64=True)
def deeper(Transformer: Callable, draw: Draw) -> Any:
    model: Any = draw.module(Transformer, config(num_layers=2, norm_first=True, dropout=0.9)).eval()
    target, source = batch(draw, source_vocab=TARGET)  # the target is the longer one here
    return model(source, target)


@transformer.probe("shares the embeddings, and ties the output to the target's table, only if told so", float64=True)
def sharing(Transformer: Callable, draw: Draw) -> Any:
    source, target = batch(draw, source_vocab=TARGET)
    shared = draw.module(Transformer, config(src_vocab_size=TARGET, share_embeddings=True))
    tied = draw.module(Transformer, config(tie_output=True))
    return {"share_embeddings": shared(source, target), "tie_output": tied(source, target)}


@transformer.probe(
    "gives the same scores whatever comes later in the target, and however far the batch is padded",
    rung="invariants",
    float64=True,
)
def unmoved(Transformer: Callable, draw: Draw) -> Any:
    model: Any = draw.module(Transformer, config())
    source, target = sentences(draw, "source", (4, 2), SOURCE, PAD), sentences(draw, "target", (5, 5), TARGET, PAD)
    future = sentences(draw, "future", (5, 5), TARGET, PAD)
    more = torch.full((2, 2), PAD)
    padded = model(torch.cat([source, more], dim=1), torch.cat([target, more], dim=1))
    return {
        "first two scores": model(source, target)[:, :2],
        "with another future": model(source, torch.cat([target[:, :2], future[:, 2:]], dim=1))[:, :2],
        "with more padding": padded[:, :2],
        "places scored, padding included": padded.size(1),
    }


@transformer.probe("adds nothing to anything at dropout=1, embeddings included", float64=True)
def all_dropped(Transformer: Callable, draw: Draw) -> Any:
    model: Any = draw.module(Transformer, config(dropout=1.0)).train()
    source, target = batch(draw)
    return {"logits": model(source, target), "memory": model.encode(source)}


@transformer.probe("drops what goes into the stacks once: what is left is divided by 1 - dropout", rung="invariants")
def dropped_once(Transformer: Callable, draw: Draw) -> Any:
    # Without layers the stacks give back what they get. Which numbers are left is a matter of luck, how large they are not.
    model: Any = draw.module(Transformer, config(num_layers=0, dropout=0.5))
    source, target = batch(draw)
    mask = torch.ones(3, 1, 1, 5, dtype=torch.bool)
    return {
        "encode": _times(model, lambda: model.encode(source)),
        "decode": _times(model, lambda: model.decode(target, torch.ones(3, 5, 8), mask)),
    }


def _times(model: Any, side: Callable[[], Tensor]) -> dict[str, float]:
    """How many times as large as in evaluation the numbers are that training has left."""
    model.train()
    trained = side()
    model.eval()
    evaluated = side()
    left = (trained != 0) & (evaluated.abs() > 1e-3)
    times = (trained[left] / evaluated[left]).tolist() or [0.0]
    return {"left, at least": round(min(times), 2), "left, at most": round(max(times), 2)}


@transformer.probe(
    "starts with one table where two are shared, and not with two that hold the same numbers", rung="invariants"
)
def one_memory(Transformer: Callable, draw: Draw) -> Any:
    # The names in the state_dict and what is stored behind them are looked at in every probe. Here two more things
    # show: whether two tables hold the same numbers before training, and whether they still do after one has changed.
    model = Transformer(config(src_vocab_size=TARGET, share_embeddings=True, tie_output=True))
    tables = (model.src_embedding.embedding.weight, model.tgt_embedding.embedding.weight, model.output.weight)
    before = _equal_entries(*tables)
    with torch.no_grad():
        tables[1].copy_(draw.tensor("trained", TARGET, 8))
    return {"equal entries before": before, "and after the target's table has changed": _equal_entries(*tables)}


def _equal_entries(source: Tensor, target: Tensor, output: Tensor) -> dict[str, int]:
    """How many numbers the target's table has in common with the other two."""
    others = {"of source and target": source, "of output and target": output}
    return {name: int((one == target).sum()) if one.shape == target.shape else 0 for name, one in others.items()}


@transformer.probe("has the right gradients for all parameters", rung="gradients")
def gradients(Transformer: Callable, draw: Draw) -> Any:
    sizes = config(src_vocab_size=TARGET, share_embeddings=True, tie_output=True)
    model = draw.module(Transformer, sizes)
    output = model(*batch(draw, source_vocab=TARGET))
    return draw.gradients(output, **dict(model.named_parameters(remove_duplicate=False)))


@transformer.probe(
    "works for one token, a source of nothing but padding, and source and target of one length and vocabulary",
    rung="edges",
    float64=True,
)
def model_edges(Transformer: Callable, draw: Draw) -> Any:
    # All of one length: here a model runs that gives a mask to the wrong attention.
    model = draw.fill(Transformer(config(src_vocab_size=TARGET, num_heads=1)))
    source, target = sentences(draw, "source", (4, 0), TARGET, PAD), sentences(draw, "target", (2, 4), TARGET, PAD)
    return {
        "one token each": model(torch.tensor([[4]]), torch.tensor([[2]])),
        "another source": model(torch.tensor([[5]]), torch.tensor([[2]])),
        "one length, not contiguous": model(source.T.contiguous().T, target.T.contiguous().T),
    }


@transformer.probe("raises a ValueError when there are not as many targets as sources", rung="invariants")
def model_refuses(Transformer: Callable, draw: Draw) -> Any:
    model: Any = draw.module(Transformer, config())
    source, target = batch(draw)
    model.encode(source)  # first what fits
    return model(source[:1], target)


# parameter_count ----------------------------------------------------------------------------

parameter_count = Exercise(
    "parameter_count",
    points=2,
    hints=(
        "Count the small parts first: an `nn.Linear(a, b)` has a · b weights and b biases. Then add up, layer by layer, and multiply by `num_layers`. The numbered comments name the parts; what has no "
        "parameters (dropout, positions, softmax) counts nothing.",
        "```python\n"
        "attention = ...      # four linear layers d_model → d_model\n"
        "feed_forward = ...   # d_model → d_ff and d_ff → d_model\n"
        "norm = ...           # a weight and a bias for every feature\n"
        "encoder_layer = ...  # 1 attention, 1 feed-forward network, 2 norms\n"
        "decoder_layer = ...  # 2 attentions, 1 feed-forward network, 3 norms\n"
        "final_norms = ...    # 2 norms if norm_first, else none\n"
        "tables = ...         # source; target unless shared; output unless tied\n"
        "return ...\n"
        "```",
        "`attention = 4 * (d * d + d)`, `feed_forward = (d * d_ff + d_ff) + (d_ff * d + d)`, `norm = 2 * d`. Build a tiny model and print `sum(one.numel() for one in model.parameters())`: "
        "the difference to your number often is a number you know.",
    ),
    traps={
        "TypeError: unsupported operand type(s) for *: 'TransformerConfig' and 'int'": "the sizes are attributes: `config.d_model`.",
        "AttributeError: 'TransformerConfig' object has no attribute": "the names stand in the given cell: `src_vocab_size`, `d_model`, `num_layers`, `d_ff`, ...",
    },
)


@parameter_count.probe("counts a model as in the paper: post-norm, nothing shared")
def plain(parameter_count: Callable, draw: Draw) -> Any:
    small = TransformerConfig(11, 5, d_model=6, num_heads=3, num_layers=2, d_ff=7)
    return {"small": parameter_count(small), "other sizes": parameter_count(config(num_layers=3))}


@parameter_count.probe("counts one norm more for each stack with pre-norm")
def counts_pre_norm(parameter_count: Callable, draw: Draw) -> Any:
    return parameter_count(TransformerConfig(8, 13, d_model=6, num_heads=2, num_layers=2, d_ff=9, norm_first=True))


@parameter_count.probe("counts once what is shared or tied")
def counts_shared(parameter_count: Callable, draw: Draw) -> Any:
    sizes: dict[str, Any] = dict(d_model=4, num_heads=2, num_layers=1, d_ff=6, max_len=10)
    return {
        "shared": parameter_count(TransformerConfig(9, 9, **sizes, share_embeddings=True)),
        "tied": parameter_count(TransformerConfig(9, 5, **sizes, tie_output=True)),
        "both": parameter_count(TransformerConfig(9, 9, **sizes, share_embeddings=True, tie_output=True)),
        "both, pre-norm": parameter_count(
            TransformerConfig(7, 7, **sizes, norm_first=True, share_embeddings=True, tie_output=True)
        ),
    }


@parameter_count.probe("counts a model large enough to learn something")
def counts_larger(parameter_count: Callable, draw: Draw) -> Any:
    # As text: of large numbers, ones that differ by little would pass for equal.
    count = parameter_count(TransformerConfig(300, 200, d_model=32, num_heads=4, num_layers=3, d_ff=100, max_len=50))
    return str(count)


@parameter_count.probe("leaves the configuration as it is", rung="invariants")
def leaves_the_configuration(parameter_count: Callable, draw: Draw) -> Any:
    choices: dict[str, Any] = dict(num_heads=4, num_layers=2, dropout=0.3, norm_first=True, tie_output=True)
    given = config(**choices)
    count = parameter_count(given)
    return {"count": count, "the configuration is the same afterwards": given == config(**choices)}


@parameter_count.probe("counts a model that is too large to be built", rung="edges")
def counts_huge(parameter_count: Callable, draw: Draw) -> Any:
    # No matrix of it finds room, on any machine and whatever it promises: so nothing is ever filled.
    return parameter_count(
        TransformerConfig(10**9, 10**9, d_model=10**8, num_heads=1, num_layers=1, d_ff=10**8, max_len=1)
    )


@parameter_count.probe("works for the smallest sizes, and where there is no layer", rung="edges")
def counts_smallest(parameter_count: Callable, draw: Draw) -> Any:
    return {
        "no layer": parameter_count(config(num_layers=0)),
        "no layer, pre-norm": parameter_count(config(num_layers=0, norm_first=True)),
        "one of everything": parameter_count(
            TransformerConfig(1, 1, d_model=2, num_heads=1, num_layers=1, d_ff=1, max_len=1)
        ),
        "one vocabulary of 1": parameter_count(
            TransformerConfig(1, 12, d_model=4, num_heads=4, num_layers=1, d_ff=1, norm_first=True)
        ),
    }


# In the wild ----------------------------------------------------------------------------

article_transformer = Exercise(
    "ArticleTransformer",
    points=2,
    repairs=transformer,
    traps={
        "TypeError: 'Linear' object is not subscriptable": "`self.output[-1]` was the last of the article's two layers. Where one layer is left, it is `self.output` itself.",
    },
    hints=(
        "There are two faults, one in the constructor and one in `forward`. For the first, count the layers between the decoder and the scores. For the second, ask what the first decoder layer reads, "
        "and when the encoder is done.",
        "```python\n"
        "self.output = ...  # one layer, from features to vocabulary, without a bias\n"
        "memory = ...       # the source, through the whole encoder: all layers, and its last norm if it has one\n"
        "...                # then the whole decoder; every layer of it reads this memory\n"
        "```",
        "`self.output = nn.Linear(config.d_model, config.tgt_vocab_size, bias=False)`, tied by `self.output.weight = ...`; and `forward` needs no loop at all: `encode`, then `decode`, then `self.output`.",
    ),
)
