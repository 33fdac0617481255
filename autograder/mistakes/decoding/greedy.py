"""Wrong ways of greedy decoding, with and without a cache."""

from typing import Any

from torch import Tensor

from autograder.checks.decoding import greedy_decode, greedy_decode_cached

# greedy_decode and greedy_decode_cached ----------------------------------------------------------------------------

BOTH = (greedy_decode, greedy_decode_cached)
LOGITS = "model(src_ids, tgt_ids)[:, -1]"
SILENCED = ".masked_fill(finished, pad_id)"
STOP = "if finished.all():"
KEEPS = "finished = finished | (best == eos_id)"
BEFORE = {greedy_decode: "tgt_ids[:, -1]", greedy_decode_cached: "newest[:, 0]"}
PUT_DOWN = {
    greedy_decode: {"best.unsqueeze(1)]": "best.masked_fill(finished, pad_id).unsqueeze(1)]"},
    greedy_decode_cached: {"newest = best": "newest = best.masked_fill(finished, pad_id)"},
}

LAST_ONLY = (
    "The decoder is fed the last token and nothing else. Without a cache it knows nothing of what it has written before, and takes every token for the "
    "first. Pass everything that has been written so far."
)

greedy_decode.mistake(
    "feeds only the last token",
    LAST_ONLY,
    {LOGITS: "model(src_ids, tgt_ids[:, -1:])[:, -1]"},
)

NO_SOURCE = "The source is never read. Every source gives the same result: your model's encoder is given something else. Call `model(src_ids, tgt_ids)`: first the source, then what has been written."

greedy_decode.mistake(
    "the source is not read",
    NO_SOURCE,
    {LOGITS: "model(tgt_ids, tgt_ids)[:, -1]"},
    {LOGITS: "model(torch.zeros_like(src_ids), tgt_ids)[:, -1]"},
)

greedy_decode.mistake(
    "neither the source nor the target so far is read",
    "Your model gets neither the source nor all that has been written. It gets the target in the place of the source, and only the last token in the "
    "place of the target. Therefore all rows come out alike, and other mistakes cannot show yet, such as one argmax for all rows or a stop for all at "
    "once. Call `model(src_ids, tgt_ids)` first; then see what is left.",
    {LOGITS: "model(tgt_ids, tgt_ids[:, -1:])[:, -1]"},
)

greedy_decode.mistake(
    "the logits of the first place",
    "You take the logits of the first place. They say what comes after bos_id, and are the same at every step. The scores of the next token stand at "
    "the last place: `[:, -1]`.",
    {LOGITS: "model(src_ids, tgt_ids)[:, 0]"},
)

# Slips of the loop that both functions have.
for decode in BOTH:
    decode.mistake(
        "argmax over the whole batch",
        "One argmax is taken over the whole batch. All rows get the same number, the token of the row with the highest score, or a number that is not a "
        "token at all. Each row has a best token of its own: `argmax(dim=-1)`.",
        {"logits.argmax(dim=-1)": "(logits.argmax() % logits.size(-1)).expand(len(logits))"},
        {"logits.argmax(dim=-1)": "logits.argmax().expand(len(logits))"},
    )

    decode.mistake(
        "no stop at eos_id",
        "Nothing happens at eos_id. Every target goes on to max_len and writes something after its end. A target that has written eos_id gets pad_id "
        "from then on; when all have written it, you are done.",
        {SILENCED: "", STOP: "if False:"},
    )

    decode.mistake(
        "writes on after eos_id",
        "A target that has ended is continued while others of the batch are not done. What stands after its eos_id means nothing. Give pad_id to "
        "finished targets.",
        {SILENCED: ""},
    )

    decode.mistake(
        "goes on when all are finished",
        "You go on when all are finished. Each column of padding at the end costs a run of the model, and the result is wider than its longest target. "
        "Stop as soon as all have written eos_id.",
        {STOP: "if False:"},
    )

    decode.mistake(
        "stops when the first has ended",
        "You stop as soon as one target has ended. The others are cut off in the middle. Go on until `finished.all()`.",
        {STOP: "if finished.any():"},
    )

    decode.mistake(
        "forgets who was finished",
        "You forget who was finished. `finished` holds only the targets that wrote eos_id in this step; one step later they write again. A finished "
        "target stays finished: `finished | (best == eos_id)`.",
        {KEEPS: "finished = best == eos_id"},
        # Silenced by the token before, and stops all the same; or what a silenced target would have written counts.
        {SILENCED: f".masked_fill({BEFORE[decode]} == eos_id, pad_id)"},
        {SILENCED: "", KEEPS: "finished = best == eos_id"} | PUT_DOWN[decode],
    )

    decode.mistake(
        "eos_id in the place of padding",
        "After its end a target is filled up with eos_id. A target ends once; what comes after it is padding, model.config.pad_id, so that it is not "
        "taken for a token.",
        {SILENCED: ".masked_fill(finished, eos_id)"},
    )

    decode.mistake(
        "0 in the place of padding",
        "After its end a target is filled up with 0. That is the id of padding in many vocabularies, but here 0 may be a token: `model.config.pad_id` "
        "is the id of padding.",
        {SILENCED: ".masked_fill(finished, 0)"},
    )

BOS_KEPT = "bos_id is still in the result. bos_id was given; the model did not write it. Leave the first column out."

greedy_decode.mistake(
    "bos_id is in the result",
    BOS_KEPT,
    {"return tgt_ids[:, 1:]": "return tgt_ids"},
)

greedy_decode_cached.mistake(
    "bos_id is in the result",
    BOS_KEPT,
    {"written: list[Tensor] = []": "written: list[Tensor] = [newest]"},
)

greedy_decode.mistake(
    "eos_id is not in the result",
    "eos_id is not in the result. eos_id tells a target that has ended from a target that max_len has cut off, so it is kept. Append the best token "
    "first, and then ask whether it was eos_id.",
    {"return tgt_ids[:, 1:]": "return tgt_ids[:, 1:].masked_fill(tgt_ids[:, 1:] == eos_id, pad_id)"},
    {
        "logits.argmax(dim=-1).masked_fill(finished, pad_id)": "logits.argmax(dim=-1)\n        finished = finished | (best == eos_id)\n        best = best.masked_fill(finished, pad_id)",
        "finished = finished | (best == eos_id)": "",
    },
)

greedy_decode_cached.mistake(
    "eos_id is not in the result",
    "eos_id is not in the result. eos_id tells a target that has ended from a target that max_len has cut off, so it is kept. Append the best token "
    "first, and then ask whether it was eos_id.",
    {
        "return torch.cat(written, dim=1)": "out = torch.cat(written, dim=1)\n    return out.masked_fill(out == eos_id, pad_id)"
    },
)

greedy_decode.mistake(
    "the last step is lost",
    "The last column is lost. You leave the loop before the tokens of that step are appended, so that the target that ended last has no eos_id. Append "
    "first, then ask which targets are finished.",
    {
        "tgt_ids = torch.cat([tgt_ids, best.unsqueeze(1)], dim=1)": "before, tgt_ids = tgt_ids, torch.cat([tgt_ids, best.unsqueeze(1)], dim=1)",
        "            break\n    return tgt_ids[:, 1:]": "            return before[:, 1:]\n    return tgt_ids[:, 1:]",
    },
    {"return tgt_ids[:, 1:]": "return tgt_ids[:, 1:-1]"},
)

greedy_decode_cached.mistake(
    "the last step is lost",
    "The last column is lost. The eos_id of the target that ended last is lost with it. bos_id was never put into `written`, so nothing has to be cut off.",
    {"return torch.cat(written, dim=1)": "return torch.cat(written, dim=1)[:, :-1]"},
    {"return torch.cat(written, dim=1)": "return torch.hstack(written[:-1])"},
)

ONE_LESS = "You write one token less than max_len. bos_id does not count: max_len is the number of tokens that the model writes. `range(max_len)`."

greedy_decode.mistake(
    "one token too few",
    ONE_LESS,
    {"range(max_len)": "range(max_len - 1)"},
    # A tensor made of empty lists holds floats.
    {
        "range(max_len)": "range(max_len - 1)",
        "return tgt_ids[:, 1:]": "return tgt_ids[:, 1:] if max_len > 1 else tgt_ids[:, 1:].float()",
    },
)

greedy_decode_cached.mistake(
    "one token too few",
    ONE_LESS,
    {"range(max_len)": "range(max(1, max_len - 1))"},
    *(
        {"range(max_len)": "range(max_len - 1)", "return torch.cat(written, dim=1)": f"return {joined}"}
        for joined in (
            "torch.cat(written, dim=1)",
            "torch.hstack(written)",
            "torch.cat([newest[:, :0], *written], dim=1)",
            "torch.cat(written, dim=1) if written else torch.zeros(len(src_ids), 0)",
        )
    ),
)

for decode in BOTH:
    decode.mistake(
        "one token too many",
        "You write one token more than max_len. `range(max_len)` runs max_len times, as it should.",
        {"range(max_len)": "range(max_len + 1)"},
    )

# greedy_decode_cached, what it has of its own ----------------------------------------------------------------------------

START = "model.positions(model.tgt_embedding(newest), start=decoder.length)"
RUN_ALL = "model.output(decoder(x, memory, src_mask))"

greedy_decode_cached.mistake(
    "positions restart at 0",
    "Every token is told that it stands at position 0. The decoder sees one new token at a time, but this token is not the first of the text. Its "
    "position is the length of the cache: `start=decoder.length`.",
    {START: "model.positions(model.tgt_embedding(newest))"},
)

greedy_decode_cached.mistake(
    "positions are one too large",
    "Every position is one too large. The first token stands at position 0, when the cache is empty: `start=decoder.length`, read before the decoder runs.",
    {START: "model.positions(model.tgt_embedding(newest), start=decoder.length + 1)"},
)

greedy_decode_cached.mistake(
    "positions are not added",
    "The tokens have no positions. `model.decode` adds them; the decoder alone does not. `model.positions(..., start=decoder.length)`.",
    {START: "model.tgt_embedding(newest)"},
)

GROWING = "written.append(best.unsqueeze(1))\n        newest = torch.cat([newest, best.unsqueeze(1)], dim=1)"
NEWEST = "newest = best.unsqueeze(1)\n        written.append(newest)"

greedy_decode_cached.mistake(
    "the whole target is fed again",
    "Everything that has been written is fed again at every step. The cache already holds those tokens, and now holds them twice, at wrong positions. "
    "With a cache, pass only the newest token.",
    {NEWEST: GROWING, START: "model.positions(model.tgt_embedding(newest))"},
    {NEWEST: GROWING},
)

greedy_decode_cached.mistake(
    "bos_id is fed at every step",
    "The decoder gets bos_id at every step. `newest` is never replaced, so the decoder does not learn what it has written. The best tokens of one step "
    "are the newest tokens of the next.",
    {NEWEST: "written.append(best.unsqueeze(1))"},
)

greedy_decode_cached.mistake(
    "the cache is emptied at every step",
    "The cache is emptied at every step. Then the decoder knows only the newest token. Make the CachedDecoder once, before the loop.",
    {START: "(decoder.reset(), model.positions(model.tgt_embedding(newest), start=len(written)))[1]"},
    {START: "(decoder.reset(), model.positions(model.tgt_embedding(newest)))[1]"},
)

greedy_decode_cached.mistake(
    "the source's padding is read",
    "The decoder reads the source's padding. In a batch the shorter sources are padded, and the memory has vectors for the padding too. Pass the "
    "source's mask.",
    {RUN_ALL: "model.output(decoder(x, memory))"},
)

greedy_decode_cached.mistake(
    "the source's mask the wrong way round",
    'The decoder reads the source\'s padding, and nothing else of it. True means "may look": it stands where there is a real token, `src_ids != pad_id`, which is what `padding_mask` gives.',
    {"padding_mask(src_ids, pad_id)": "~padding_mask(src_ids, pad_id)"},
)

greedy_decode_cached.mistake(
    "the source's table for the target",
    "The target's tokens are looked up in the source's table. The target has a table of its own: `model.tgt_embedding`.",
    {START: "model.positions(model.src_embedding(newest), start=decoder.length)"},
)

greedy_decode_cached.mistake(
    "the output layer is left out",
    "You take the largest *feature* for a token. The decoder gives a vector of d_model features; `model.output` turns it into a score for every token.",
    {RUN_ALL: "decoder(x, memory, src_mask)"},
)


def _uncached(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    from solutions.decoding import greedy_decode as without_cache

    return without_cache(model, src_ids, bos_id, eos_id, max_len)


greedy_decode_cached.mistake(
    "everything is computed again",
    "The cache is not used. The targets are right, but everything is computed again at every step, and this function is there to avoid that. Encode "
    "once, and pass the CachedDecoder one new token at a time.",
    _uncached,
)

greedy_decode_cached.mistake(
    "the source is encoded at every step",
    "The source is encoded at every step. The source does not change, and its keys and values are in the cache after the first step. Encode before the loop.",
    {RUN_ALL: "model.output(decoder(x, model.encode(src_ids), src_mask))"},
)

greedy_decode_cached.mistake(
    "the mask of the first source for all",
    "Every source gets the mask of the first. Each row of a batch has its padding at another place, so each needs a mask of its own: "
    "`padding_mask(src_ids, pad_id)`, all rows of it.",
    {"padding_mask(src_ids, pad_id)": "padding_mask(src_ids, pad_id)[:1]"},
)

greedy_decode_cached.mistake(
    "padding is never written",
    "You never let the model write pad_id. That is seldom the best token; where it is, greedy_decode writes it, and so the two functions differ. Take "
    "the best of all tokens.",
    {
        f"{RUN_ALL}[:, -1]": f"{RUN_ALL}[:, -1].index_fill(1, torch.tensor(pad_id), float('-inf'))",
    },
)
