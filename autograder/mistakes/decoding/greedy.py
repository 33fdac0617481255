"""Wrong ways of greedy decoding, with and without a cache."""

from typing import Any

from torch import Tensor

from autograder.probing.mistake import Mistake

# greedy_decode and greedy_decode_cached ----------------------------------------------------------------------------

GREEDY = "greedy_decode"
CACHED = "greedy_decode_cached"
LOGITS = "model(src_ids, tgt_ids)[:, -1]"
BEST = "logits.argmax(dim=-1).masked_fill(finished, pad_id)"
FINISHED = "finished = finished | (best == eos_id)"
STOP = "if finished.all():"
RETURN = "return tgt_ids[:, 1:]"

LAST_ONLY = (
    "The decoder is fed the last token and nothing else. Without a cache it knows nothing of what it has written before, and takes every token for the first. "
    "Hand over all that has been written so far."
)
last_only = Mistake(
    "feeds only the last token", of=GREEDY, swap=LOGITS, by="model(src_ids, tgt_ids[:, -1:])[:, -1]", says=LAST_ONLY
)

WHOLE_BATCH = (
    "One argmax is taken over the whole batch. All rows get the token of the one row that is surest, or a number that is no token at all. "
    "Each row has a best token of its own: `argmax(dim=-1)`."
)
ARGMAX = "logits.argmax(dim=-1)"
NO_SOURCE = "The source is never read. Whatever you put in, the same comes out: your model's encoder is given something else. `model(src_ids, tgt_ids)`: first the source, then what has been written."
target_as_source = Mistake(
    "the source is not read", of=GREEDY, swap=LOGITS, by="model(tgt_ids, tgt_ids)[:, -1]", says=NO_SOURCE
)
zeros_as_source = Mistake(
    "the source is not read",
    of=GREEDY,
    swap=LOGITS,
    by="model(torch.zeros_like(src_ids), tgt_ids)[:, -1]",
    says=NO_SOURCE,
)

reads_nothing = Mistake(
    "neither the source nor the target so far is read",
    of=GREEDY,
    swap=LOGITS,
    by="model(tgt_ids, tgt_ids[:, -1:])[:, -1]",
    says="Your model is handed neither the source nor all that has been written. In the source's place stands the target, and in the target's place its last token alone. While that is so, all rows come out "
    "alike, and nothing else that may be wrong with them can show: one argmax for all rows, a stop for all at once. `model(src_ids, tgt_ids)` first; then see what is left.",
)

FIRST_PLACE = "You take the logits of the first place. They say what comes after bos_id, at every step the same. What comes next stands at the last place: `[:, -1]`."
first_place = Mistake(
    "the logits of the first place", of=GREEDY, swap=LOGITS, by="model(src_ids, tgt_ids)[:, 0]", says=FIRST_PLACE
)

NO_STOP = (
    "Nothing happens at eos_id. Every target goes on to max_len and says whatever comes after its end. Who has written eos_id gets pad_id from then on, "
    "and when all have, you are done."
)
WRITES_ON = "A target that has ended is written on, while others of the batch are not done. What stands after its eos_id means nothing. Give pad_id to those that are finished."
UP_TO_MAX = (
    "You go on when all are finished. The columns of padding at the end cost a run of the model each, and the result is wider than its longest target. "
    "Stop as soon as all have written eos_id."
)


def _in_both(
    name: str, says: str, greedy: dict[str, str], cached: dict[str, str] | None = None
) -> tuple[Mistake, Mistake]:
    """A slip of the loop that both functions have."""
    return (
        Mistake(name, of=GREEDY, swaps=greedy, says=says),
        Mistake(name, of=CACHED, swaps=cached or greedy, says=says),
    )


whole_batch, whole_batch_cached = _in_both(
    "argmax over the whole batch", WHOLE_BATCH, {ARGMAX: "(logits.argmax() % logits.size(-1)).expand(len(logits))"}
)
whole_index, whole_index_cached = _in_both(
    "argmax over the whole batch", WHOLE_BATCH, {ARGMAX: "logits.argmax().expand(len(logits))"}
)
no_stop, no_stop_cached = _in_both(
    "no stop at eos_id", NO_STOP, {".masked_fill(finished, pad_id)": "", STOP: "if False:"}
)
writes_on, writes_on_cached = _in_both("writes on after eos_id", WRITES_ON, {".masked_fill(finished, pad_id)": ""})
up_to_max, up_to_max_cached = _in_both("goes on when all are finished", UP_TO_MAX, {STOP: "if False:"})

first_stops, first_stops_cached = _in_both(
    "stops when the first has ended",
    "You stop as soon as one target has ended. The others are cut off in the middle. Go on until `finished.all()`.",
    {STOP: "if finished.any():"},
)

FORGETS = "You forget who was finished. `finished` holds only those that wrote eos_id in this very step; one step later they write again. Once finished, always finished: `finished | (best == eos_id)`."
forgets, forgets_cached = _in_both("forgets who was finished", FORGETS, {FINISHED: "finished = best == eos_id"})

eos_again, eos_again_cached = _in_both(
    "eos_id in the place of padding",
    "After its end a target is filled up with eos_id. A target ends once; what comes after it is padding, model.config.pad_id, so that nobody takes it for a token.",
    {".masked_fill(finished, pad_id)": ".masked_fill(finished, eos_id)"},
)

BOS_KEPT = "bos_id is still in the result. It was put there to begin with, and is nothing that the model wrote. Leave the first column out."
bos_kept = Mistake("bos_id is in the result", of=GREEDY, swap=RETURN, by="return tgt_ids", says=BOS_KEPT)
bos_kept_cached = Mistake(
    "bos_id is in the result",
    of=CACHED,
    swap="written: list[Tensor] = []",
    by="written: list[Tensor] = [newest]",
    says=BOS_KEPT,
)

EOS_LOST = "eos_id is not in the result. It tells a target that has ended from one that max_len has cut off, so it is kept. Append the best token first, and look whether it was the end after that."
eos_replaced = Mistake(
    "eos_id is not in the result",
    of=GREEDY,
    swap=RETURN,
    by="return tgt_ids[:, 1:].masked_fill(tgt_ids[:, 1:] == eos_id, pad_id)",
    says=EOS_LOST,
)
finished_first = Mistake(
    "eos_id is not in the result",
    of=GREEDY,
    swaps={
        BEST: "logits.argmax(dim=-1)\n        finished = finished | (best == eos_id)\n        best = best.masked_fill(finished, pad_id)",
        FINISHED: "",
    },
    says=EOS_LOST,
)
LAST_LOST = "The last column is lost. You leave the loop before the tokens of that step are appended, so that the target that ended last has no eos_id. Append first, then ask who is finished."
last_lost = Mistake(
    "the last step is lost",
    of=GREEDY,
    swaps={
        "tgt_ids = torch.cat([tgt_ids, best.unsqueeze(1)], dim=1)": "before, tgt_ids = tgt_ids, torch.cat([tgt_ids, best.unsqueeze(1)], dim=1)",
        "            break\n    return tgt_ids[:, 1:]": "            return before[:, 1:]\n    return tgt_ids[:, 1:]",
    },
    says=LAST_LOST,
)

ONE_LESS = "You write one token less than max_len. bos_id does not count: max_len is the number of tokens that the model writes. `range(max_len)`."
last_lost_cached = Mistake(
    "the last step is lost",
    of=CACHED,
    swap="return torch.cat(written, dim=1)",
    by="return torch.cat(written, dim=1)[:, :-1]",
    says="The last column is lost. With it goes the eos_id of the target that ended last. bos_id was never put into `written`, so there is nothing to cut off.",
)

one_less, one_less_cached = _in_both(
    "one token too few",
    ONE_LESS,
    {"range(max_len)": "range(max_len - 1)"},
    {"range(max_len)": "range(max(1, max_len - 1))"},
)
one_less_or_none = Mistake(
    "one token too few", of=CACHED, swap="range(max_len)", by="range(max_len - 1)", says=ONE_LESS
)
one_more, one_more_cached = _in_both(
    "one token too many",
    "You write one token more than max_len. `range(max_len)` runs max_len times, which is what is wanted.",
    {"range(max_len)": "range(max_len + 1)"},
)


# greedy_decode_cached, what it has of its own ----------------------------------------------------------------------------

START = "model.positions(model.tgt_embedding(newest), start=decoder.length)"
RUN_ALL = "model.output(decoder(x, memory, src_mask))"

AT_ZERO = "Every token is told that it stands at position 0. The decoder sees one new token at a time, but that does not make it the first of the text. It stands where the cache ends: `start=decoder.length`."
at_zero = Mistake(
    "positions restart at 0", of=CACHED, swap=START, by="model.positions(model.tgt_embedding(newest))", says=AT_ZERO
)

from_one = Mistake(
    "positions are one too large",
    of=CACHED,
    swap=START,
    by="model.positions(model.tgt_embedding(newest), start=decoder.length + 1)",
    says="Every token is placed one too far. The first stands at position 0, where the cache is empty: `start=decoder.length`, read before the decoder runs.",
)

no_positions = Mistake(
    "positions are not added",
    of=CACHED,
    swap=START,
    by="model.tgt_embedding(newest)",
    says="The tokens have no positions. `model.decode` adds them; the decoder alone does not. `model.positions(..., start=decoder.length)`.",
)

EVERYTHING_AGAIN = "All that has been written is fed again at every step. The cache holds those tokens already, and now holds them twice, at wrong positions. With a cache, hand over the newest token only."
GROWING = "written.append(best.unsqueeze(1))\n        newest = torch.cat([newest, best.unsqueeze(1)], dim=1)"
NEWEST = "newest = best.unsqueeze(1)\n        written.append(newest)"
everything_again_at_zero = Mistake(
    "the whole target is fed again",
    of=CACHED,
    swaps={NEWEST: GROWING, START: "model.positions(model.tgt_embedding(newest))"},
    says=EVERYTHING_AGAIN,
)
bos_again = Mistake(
    "bos_id is fed at every step",
    of=CACHED,
    swap=NEWEST,
    by="written.append(best.unsqueeze(1))",
    says="The decoder is handed bos_id at every step. `newest` is never renewed, so the decoder does not learn what it has written. The best tokens of a step are the newest of the next.",
)
everything_again = Mistake("the whole target is fed again", of=CACHED, swap=NEWEST, by=GROWING, says=EVERYTHING_AGAIN)

EMPTIED = "The cache is emptied at every step. Then the newest token is all that the decoder knows. Make the CachedDecoder once, before the loop."
emptied = Mistake(
    "the cache is emptied at every step",
    of=CACHED,
    swap=START,
    by="(decoder.reset(), model.positions(model.tgt_embedding(newest), start=len(written)))[1]",
    says=EMPTIED,
)
emptied_at_zero = Mistake(
    "the cache is emptied at every step",
    of=CACHED,
    swap=START,
    by="(decoder.reset(), model.positions(model.tgt_embedding(newest)))[1]",
    says=EMPTIED,
)

padding_read = Mistake(
    "the source's padding is read",
    of=CACHED,
    swap=RUN_ALL,
    by="model.output(decoder(x, memory))",
    says="The decoder reads the source's padding. In a batch the shorter sources are padded, and the memory has a vector there too. Hand over the source's mask.",
)

padding_alone_read = Mistake(
    "the source's mask the wrong way round",
    of=CACHED,
    swap="padding_mask(src_ids, pad_id)",
    by="~padding_mask(src_ids, pad_id)",
    says='The decoder reads the source\'s padding, and nothing else of it. True means "may look": it stands where there is a real token, `src_ids != pad_id`, which is what `padding_mask` gives.',
)

source_table = Mistake(
    "the source's table for the target",
    of=CACHED,
    swap=START,
    by="model.positions(model.src_embedding(newest), start=decoder.length)",
    says="The target's tokens are looked up in the source's table. They have one of their own: `model.tgt_embedding`.",
)

features_for_tokens = Mistake(
    "the output layer is left out",
    of=CACHED,
    swap=RUN_ALL,
    by="decoder(x, memory, src_mask)",
    says="You take the largest *feature* for a token. What leaves the decoder is a vector of d_model features; `model.output` makes a score for every token of it.",
)

WITHOUT = "The cache is not used. The targets are right, and everything is computed again at every step, which is what this function is there to avoid. Encode once, and hand the CachedDecoder one new token at a time."


def _uncached(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    from solutions.decoding import greedy_decode

    return greedy_decode(model, src_ids, bos_id, eos_id, max_len)


without = Mistake("everything is computed again", of=CACHED, instead=_uncached, says=WITHOUT)
encoded_again = Mistake(
    "the source is encoded at every step",
    of=CACHED,
    swap=RUN_ALL,
    by="model.output(decoder(x, model.encode(src_ids), src_mask))",
    says="The source is encoded at every step. It does not change, and its keys and values are in the cache after the first. Encode before the loop.",
)
