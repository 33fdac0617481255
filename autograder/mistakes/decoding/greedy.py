"""Wrong ways of greedy decoding, with and without a cache."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding import greedy_decode, greedy_decode_cached
from autograder.probing.mistake import edit

# greedy_decode and greedy_decode_cached ----------------------------------------------------------------------------

BOTH = (greedy_decode, greedy_decode_cached)
LOGITS = "model(src_ids, tgt_ids)[:, -1]"
SILENCED = ".masked_fill(finished, pad_id)"
STOP = "if finished.all():"
KEEPS = "finished = finished | (best == eos_id)"
REFUSAL = "if len(src_ids) == 0 or max_len < 1:"
NOTHING: dict[Any, dict[str, str]] = {
    greedy_decode: {},
    # Of no columns at all `torch.cat` makes a ValueError of its own.
    greedy_decode_cached: {"torch.cat(written, dim=1)": "torch.cat(written, dim=1) if written else src_ids[:, :0]"},
}
WRITTEN = {greedy_decode: "return tgt_ids[:, 1:]", greedy_decode_cached: "return torch.cat(written, dim=1)"}
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
    {LOGITS: "model(torch.full_like(src_ids, pad_id), tgt_ids)[:, -1]"},
)

greedy_decode.mistake(
    "neither the source nor the target so far is read",
    "Your model gets neither the source nor all that has been written. It gets the target in the place of the source, and only the last token in the "
    "place of the target. Therefore all rows come out alike, and other mistakes cannot show yet, such as one argmax for all rows or a stop for all at "
    "once. Call `model(src_ids, tgt_ids)` first; then see what is left.",
    {LOGITS: "model(tgt_ids, tgt_ids[:, -1:])[:, -1]"},
    edit(
        {LOGITS: "model(tgt_ids[:, -1:], tgt_ids[:, -1:])[:, -1]"},
        says="Your model gets neither the source nor all that has been written: the last token stands in the place of both. Therefore all rows come out alike, and "
        "other mistakes cannot show yet, such as one argmax for all rows or a stop for all at once. Call `model(src_ids, tgt_ids)` first; then see what is left.",
    ),
)

greedy_decode.mistake(
    "the last token alone, and one argmax for all",
    "The decoder is fed the last token and nothing else, and one argmax is taken over the whole batch. Without a cache it takes every token for the first, and all rows get the token of the one row that is surest. While that is so, all rows end "
    "at once, and nothing that is wrong with their ends can show. Hand over all that has been written so far, and take `argmax(dim=-1)`; then see what is left.",
    *(
        {
            LOGITS: "model(src_ids, tgt_ids[:, -1:])[:, -1]",
            "logits.argmax(dim=-1)": f"{best}.expand(len(logits))",
        }
        for best in ("(logits.argmax() % logits.size(-1))", "logits.argmax()")
    ),
)

greedy_decode.mistake(
    "the logits of the first place",
    "You take the logits of the first place. They say what comes after bos_id, and are the same at every step. The scores of the next token stand at "
    "the last place: `[:, -1]`.",
    {LOGITS: "model(src_ids, tgt_ids)[:, 0]"},
)

greedy_decode.mistake(
    "source and target exchanged",
    "Your model is handed the target in the source's place, and the source in the target's. The encoder reads what has been written, and the decoder goes on from the source. `model(src_ids, tgt_ids)`: first the source.",
    {LOGITS: "model(tgt_ids, src_ids)[:, -1]"},
)


# Whole, as the random numbers come in another order.
@torch.no_grad()
def _drawn_text_by_text(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    if len(src_ids) == 0 or max_len < 1:
        raise ValueError("give at least 1 of each")
    texts = []
    for source in src_ids.split(1):
        text = [bos_id]
        while len(text) <= max_len and eos_id not in text[1:]:
            scores = model(source, torch.tensor([text]))[0, -1]
            text.append(int(torch.multinomial(scores.softmax(dim=-1), 1)))
        texts.append(torch.tensor(text[1:]))
    return torch.nn.utils.rnn.pad_sequence(texts, batch_first=True, padding_value=model.config.pad_id)


DRAWN = (
    "a token is drawn",
    "The next token is drawn. Each run may then write something else, and a token that is not the best. Greedy decoding takes the token that scores highest, `argmax`; to draw is `sample_next`'s task.",
    {"logits.argmax(dim=-1)": "torch.multinomial(logits.softmax(dim=-1), 1).squeeze(1)"},
    {"logits.argmax(dim=-1)": "torch.distributions.Categorical(logits=logits).sample()"},
)
greedy_decode.mistake(*DRAWN, _drawn_text_by_text)
greedy_decode_cached.mistake(*DRAWN)

greedy_decode.mistake(
    "some tokens are held back",
    "Not every token may be written. Greedy decoding takes the token that scores highest, whichever it is: the model says how improbable the others are.",
    edit(
        {"logits.argmax(dim=-1)": 'logits.index_fill(1, torch.tensor([bos_id]), float("-inf")).argmax(dim=-1)'},
        says="bos_id is never written. Greedy decoding takes the token that scores highest, whichever it is: the model says how improbable bos_id is.",
    ),
    edit(
        {
            "logits.argmax(dim=-1)": 'logits.index_fill(1, torch.tensor([eos_id] if tgt_ids.size(1) == 1 else [], dtype=torch.long), float("-inf")).argmax(dim=-1)'
        },
        says="No target may end with its first token. It may: greedy decoding takes the token that scores highest, whichever it is.",
    ),
)

greedy_decode.mistake(
    "bos_id is read at the first step alone",
    "The model reads bos_id at the first step alone. Later it is handed what has been written without bos_id, so that every token stands one place too early. Hand over bos_id and all that has been written, at every step.",
    {LOGITS: "model(src_ids, tgt_ids[:, 1:] if tgt_ids.size(1) > 1 else tgt_ids)[:, -1]"},
)

greedy_decode.mistake(
    "a new token in front",
    "A new token is put in front of the others. The model reads from left to right: append the token behind what has been written.",
    {"[tgt_ids, best.unsqueeze(1)]": "[best.unsqueeze(1), tgt_ids]"},
    {"[tgt_ids, best.unsqueeze(1)]": "[tgt_ids[:, :1], best.unsqueeze(1), tgt_ids[:, 1:]]"},
    *(
        edit(
            {LOGITS: f"model(src_ids, {read})[:, -1]"},
            says="What has been written is handed to the model the wrong way round, the last token first. The model reads from left to right: hand over bos_id, then the tokens in the order in which they were written.",
        )
        for read in ("torch.cat([tgt_ids[:, :1], tgt_ids[:, 1:].flip(1)], dim=1)", "tgt_ids.flip(1)")
    ),
)

greedy_decode.mistake(
    "padding in front",
    "Targets that end early are padded in front. Padding comes after eos_id, so that every target begins in the first column.",
    {
        "return tgt_ids[:, 1:]": "out = tgt_ids[:, 1:]\n    ends = (out == eos_id).long()\n    behind = (ends.cumsum(dim=1) > ends).sum(dim=1).tolist()\n    return torch.stack([row.roll(n) for row, n in zip(out, behind)])"
    },
)

greedy_decode.mistake(
    "the first token is lost",
    "The first token that was written is not in the result. bos_id alone stands before it: leave one column out, `[:, 1:]`.",
    {"return tgt_ids[:, 1:]": "return tgt_ids[:, 2:]"},
)

greedy_decode.mistake(
    "the result turned round",
    "The result is turned round.",
    edit(
        {"return tgt_ids[:, 1:]": "return tgt_ids[:, 1:].flip(1)"},
        says="Your targets stand the wrong way round, the last token first. They are read from left to right, as they were written.",
    ),
    edit(
        {"return tgt_ids[:, 1:]": "return tgt_ids[:, 1:].T"},
        says="Your table is transposed: a row for every step. Promised is a row for every target, (batch, out_len).",
    ),
)

greedy_decode.mistake(
    "no tensor of ids",
    "What comes back is not a tensor of ids alone.",
    edit(
        {"return tgt_ids[:, 1:]": "return tgt_ids[:, 1:].tolist()"},
        says="A list comes back, and a tensor of ids is promised, (batch, out_len).",
    ),
    edit(
        {"return tgt_ids[:, 1:]": "return tgt_ids[:, 1:].float()"},
        says="Your ids are floats. An id is a whole number, and an embedding refuses anything else.",
    ),
    edit(
        {"return tgt_ids[:, 1:]": "return tgt_ids[:, 1:], logits"},
        says="Something comes back beside the ids. Return the tensor of ids alone.",
    ),
)

greedy_decode.mistake(
    "not every source is read as it is",
    "The sources are not read as they are.",
    edit(
        {LOGITS: "model(src_ids[:1].expand_as(src_ids), tgt_ids)[:, -1]"},
        says="Every target is written for the first source. Hand all sources to the model: a row for every target.",
    ),
    edit(
        {LOGITS: "model(src_ids[:, :-1], tgt_ids)[:, -1]"},
        says="The last token of the sources is not read. Hand them to the model as they are.",
    ),
    edit(
        {LOGITS: "model(src_ids[:, 1:], tgt_ids)[:, -1]"},
        says="The first token of the sources is not read. Hand them to the model as they are.",
    ),
    edit(
        {LOGITS: "model(src_ids[((~finished).cumsum(dim=0) - 1).clamp(min=0)], tgt_ids)[:, -1]"},
        says="Once a target has ended, others are written for sources that are not theirs: as many sources are read as targets go on, from the first on. "
        "Choose the sources by what the targets are chosen by.",
    ),
)

greedy_decode.mistake(
    "all places together",
    "You take the scores of all places together. Each place says what comes behind it; what comes next is said by the last, `[:, -1]`.",
    {LOGITS: "model(src_ids, tgt_ids).mean(dim=1)"},
    {LOGITS: "model(src_ids, tgt_ids).amax(dim=1)"},
)

greedy_decode.mistake(
    "the logits of the place before the last",
    "You take the logits of the place before the last. They say what the last token should be, which is written already. The scores of the next token stand at the last place: `[:, -1]`.",
    {LOGITS: "model(src_ids, tgt_ids)[:, -2:][:, 0]"},
)

greedy_decode.mistake(
    "dropout is on",
    "The model is put into training, and dropout changes its scores at every step. To write, it has to be in evaluation: leave the mode as the caller has set it.",
    {"pad_id = model.config.pad_id": "pad_id = model.train().config.pad_id"},
)

greedy_decode.mistake(
    "no token twice",
    "No token is written a second time. A text may well hold a word twice: take the token that scores highest, whatever stands there already.",
    {"logits.argmax(dim=-1)": 'logits.scatter(1, tgt_ids, float("-inf")).argmax(dim=-1)'},
    edit(
        {"logits.argmax(dim=-1)": 'logits.scatter(1, tgt_ids[:, -1:], float("-inf")).argmax(dim=-1)'},
        says="No token is written twice in a row. A text may well hold a word twice: take the token that scores highest, whatever stands there already.",
    ),
)

greedy_decode.mistake(
    "the logits of a place of padding",
    "The target is filled up with padding before the model reads it, and the logits are taken at its end. There stands padding as long as anything is left to write. What comes next stands at the place of the last token: at `width - 1`, if `width` tokens stand there.",
    {
        LOGITS: "model(src_ids, torch.nn.functional.pad(tgt_ids, (0, max_len + 1 - tgt_ids.size(1)), value=pad_id))[:, -1]"
    },
)


# Whole, so that it is not made together with others: beside some of them, whoever writes on after the end gives its numbers.
@torch.no_grad()
def _all_at_once(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    if len(src_ids) == 0 or max_len < 1:
        raise ValueError("give at least 1 of each")
    tgt_ids = torch.full((len(src_ids), 1), bos_id)
    for _ in range(max_len):
        best = model(src_ids, tgt_ids)[:, -1].argmax(dim=-1)
        tgt_ids = torch.cat([tgt_ids, best.unsqueeze(1)], dim=1)
        if (best == eos_id).all():
            break
    return tgt_ids[:, 1:]


greedy_decode.mistake(
    "no target ends by itself",
    "Nothing is done for a target that ends while others go on. It is written on, and the loop stops only at a step in which *all* write eos_id at once. Remember who has ended: pad_id for those, and the end when all have.",
    _all_at_once,
)

greedy_decode.mistake(
    "another id in the place of padding",
    "After its end a target is filled up with bos_id. A target begins once; what comes after its end is padding, model.config.pad_id, so that nobody takes it for a token.",
    {SILENCED: ".masked_fill(finished, bos_id)"},
    edit(
        {
            "return tgt_ids[:, 1:]": "out = tgt_ids[:, 1:]\n    ends = (out == eos_id).long()\n    return out.masked_fill(ends.cumsum(dim=1) > ends, -1)"
        },
        says="After its end a target is filled up with -1. That is no id at all, and a table cannot be asked for it. What comes after the end is padding: model.config.pad_id.",
    ),
)

greedy_decode.mistake(
    "padding is never written",
    "You never let the model write pad_id. It seldom wants to; where it does, the best token is that one. The best token is the best of all.",
    {"logits.argmax(dim=-1)": "logits.index_fill(1, torch.tensor(pad_id), float('-inf')).argmax(dim=-1)"},
)

greedy_decode.mistake(
    "pad_id is taken for an end",
    "A target that has written pad_id counts as finished. A model may write it as any other token, and only eos_id ends a target.",
    {KEEPS: "finished = finished | (best == eos_id) | (best == pad_id)"},
)

greedy_decode.mistake(
    "pad_id ends a target, not eos_id",
    "A target goes on after eos_id, and counts as finished when it has written pad_id. It is eos_id that ends a target: compare the best token with eos_id.",
    {KEEPS: "finished = finished | (best == pad_id)"},
)

PADDED = "return torch.nn.functional.pad(out, (0, max_len - out.size(1)), value=pad_id)"
CUT = "ends = (out == eos_id).long()\n    return out[:, : int((ends.cumsum(dim=1) - ends == 0).sum(dim=1).max())]"

# Slips of the loop that both functions have.
for decode in BOTH:
    decode.mistake(
        "the lowest score",
        "The token that is written is the one that scores *lowest*. The model is surest that it does not come next. `argmin` does that, and so does the largest score without its sign. `argmax`, of the scores as they are.",
        {"logits.argmax(dim=-1)": "logits.argmin(dim=-1)"},
    )

    decode.mistake(
        "the second-best token",
        "The token that is written is the second best. Sorted from the largest, the best stands at 0; `argmax` finds it without sorting.",
        {"logits.argmax(dim=-1)": "logits.topk(2).indices[:, 1]"},
    )

    decode.mistake(
        "begins with another token",
        "The model is not given bos_id to begin with. It learned to write behind bos_id, and behind any other token it writes something else.",
        *({"1), bos_id)": f"1), {token})"} for token in ("eos_id", "pad_id", "0", "1")),
    )

    decode.mistake(
        "compared with the other texts",
        "Your scores go through a softmax along the batch. Then a token wins where it scores higher than in the other texts, not higher than other tokens. Greedy decoding needs no softmax; if there is one, `dim=-1`.",
        {"best = logits.argmax": "best = logits.softmax(dim=0).argmax"},
    )

    decode.mistake(
        "stops only when all end at once",
        "The loop stops only at a step in which *all* targets write eos_id. Targets end at different steps, and who has ended gets pad_id, so this step hardly ever comes, and the loop runs on to max_len. Ask who is *finished*, not who wrote eos_id just now.",
        {STOP: "if (best == eos_id).all():"},
    )

    decode.mistake(
        "one row decides when to stop",
        "You stop when the first row has ended. The others are cut off in the middle, or go on for nothing. Go on until `finished.all()`.",
        {STOP: "if finished[0]:"},
        edit(
            {STOP: "if finished[-1]:"},
            says="You stop when the last row has ended. The others are cut off in the middle, or go on for nothing. Go on until `finished.all()`.",
        ),
    )

    decode.mistake(
        "the global EOS instead of eos_id",
        "A target ends at the id 2, whatever eos_id is. It is the value of EOS in this notebook, so here it works; another vocabulary ends with another id. Use the argument.",
        {KEEPS: "finished = finished | (best == 2)"},
    )

    decode.mistake(
        "nothing but padding is written",
        "Nothing but padding is written. A mask the wrong way round does that, which silences those that are *not* finished; so does a buffer of padding into which no token is put. pad_id is for those that are finished.",
        {SILENCED: ".masked_fill(~finished, pad_id)"},
        {"range(max_len)": "range(0)", WRITTEN[decode]: "return torch.full((len(src_ids), max_len), pad_id)"},
    )

    decode.mistake(
        "nothing to write is not refused",
        "Something is decoded where there is nothing to write. Without a source, or for a max_len below 1, raise a ValueError, as the given lines did: an empty result would fail far from here.",
        {REFUSAL: "if False:"} | NOTHING[decode],
        {REFUSAL: "if max_len < 1:"},
        {REFUSAL: "if len(src_ids) == 0:"} | NOTHING[decode],
    )

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
        edit(
            {WRITTEN[decode]: f"{WRITTEN[decode].replace('return ', 'out = ')}\n    {PADDED}"},
            says="Your result has max_len columns, whatever was written. It should be as wide as its longest target: leave out the columns at the end that hold padding alone.",
        ),
        edit(
            {STOP: "if False:", WRITTEN[decode]: f"{WRITTEN[decode].replace('return ', 'out = ')}\n    {CUT}"},
            says="You go on when all are finished. Your targets are right, but every further step costs a run of the model, for nothing. Stop as soon as all have written eos_id.",
        ),
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
    edit(
        {"return tgt_ids[:, 1:]": "return tgt_ids[:, :-1]"},
        says="bos_id is still in the result, and the last column is gone in its place. bos_id is nothing that the model wrote, and the last token is. It is the *first* column that goes: `[:, 1:]`.",
    ),
    edit(
        {"return tgt_ids[:, 1:]": "return tgt_ids[1:]"},
        says="bos_id is still in the result, and the first *text* is gone in its place. Without a comma an index goes through the rows. The first column is left out by `[:, 1:]`.",
    ),
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
    # As wide as the longest target is without it.
    {
        "return tgt_ids[:, 1:]": "ended = (tgt_ids[:, 1:] == eos_id).cumsum(dim=1) > 0\n    return tgt_ids[:, 1:].masked_fill(ended, pad_id)[:, : int((~ended).sum(dim=1).max())]"
    },
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
    edit(
        {"return tgt_ids[:, 1:]": "return tgt_ids[:, 1:-1]"},
        says="The last column is lost. The model wrote it, and the target that ended last has its eos_id there. bos_id, in the first column, is all that is left out: `[:, 1:]`.",
    ),
)

greedy_decode_cached.mistake(
    "the last step is lost",
    "The last column is lost. The eos_id of the target that ended last is lost with it. bos_id was never put into `written`, so nothing has to be cut off.",
    {"return torch.cat(written, dim=1)": "return torch.cat(written, dim=1)[:, :-1]"},
    {"return torch.cat(written, dim=1)": "return torch.hstack(written[:-1])"},
    {"return torch.cat(written, dim=1)": "return torch.hstack(written[:-1] or written)"},
)

ONE_LESS = "You write one token less than max_len. bos_id does not count: max_len is the number of tokens that the model writes. `range(max_len)`."

greedy_decode.mistake(
    "one token too few",
    ONE_LESS,
    {"range(max_len)": "range(max_len - 1)"},
    {"range(max_len)": "range(max(1, max_len - 1))"},
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

ENCODED = "memory, src_mask = model.encode(src_ids), padding_mask(src_ids, pad_id)"

greedy_decode_cached.mistake(
    "the source is not read",
    "The source is never read. Every source gives the same result: your model's encoder is given something else. Encode the sources, `model.encode(src_ids)`.",
    {ENCODED: "memory, src_mask = model.encode(newest), None"},
    *(
        {"model.encode(src_ids)": f"model.encode({other})"}
        for other in ("torch.zeros_like(src_ids)", "torch.full_like(src_ids, pad_id)")
    ),
    {"model.encode(src_ids)": "0 * model.encode(src_ids)"},
)

greedy_decode_cached.mistake(
    "not every source is read as it is",
    "The sources are not read as they are.",
    edit(
        {ENCODED: f"src_ids = src_ids[:1].expand_as(src_ids)\n    {ENCODED}"},
        says="Every target is written for the first source. Encode all sources: a row for every target.",
    ),
    edit(
        {ENCODED: f"src_ids = src_ids[:, :-1]\n    {ENCODED}"},
        says="The last token of the sources is not read. Encode them as they are.",
    ),
    edit(
        {ENCODED: f"src_ids = src_ids[:, 1:]\n    {ENCODED}"},
        says="The first token of the sources is not read. Encode them as they are.",
    ),
)

greedy_decode_cached.mistake(
    "the sources are not encoded",
    "The decoder reads the sources as they are embedded. What it should read is what the encoder makes of them, `model.encode(src_ids)`.",
    {"model.encode(src_ids)": "model.positions(model.src_embedding(src_ids))"},
    {"model.encode(src_ids)": "model.src_embedding(src_ids)"},
)

greedy_decode_cached.mistake(
    "another id in the place of padding",
    "After its end a target is filled up with bos_id. A target begins once; what comes after its end is padding, model.config.pad_id, so that nobody takes it for a token.",
    {SILENCED: ".masked_fill(finished, bos_id)"},
)

greedy_decode_cached.mistake(
    "the first token is lost",
    "The first token that was written is not in the result. bos_id was never put into `written`, so nothing has to be cut off.",
    {"return torch.cat(written, dim=1)": "return torch.cat(written, dim=1)[:, 1:]"},
)

greedy_decode_cached.mistake(
    "the result turned round",
    "The result is turned round.",
    edit(
        {"return torch.cat(written, dim=1)": "return torch.cat(written, dim=1).flip(1)"},
        says="Your targets stand the wrong way round, the last token first. They are read from left to right, as they were written.",
    ),
    edit(
        {"return torch.cat(written, dim=1)": "return torch.cat(written, dim=1).T"},
        says="Your table is transposed: a row for every step. Promised is a row for every target, (batch, out_len).",
    ),
)

greedy_decode_cached.mistake(
    "no table of ids",
    "What comes back is not a table of ids, (batch, out_len).",
    edit(
        {"return torch.cat(written, dim=1)": "return torch.cat(written, dim=1).tolist()"},
        says="A list comes back, and a tensor of ids is promised, (batch, out_len).",
    ),
    edit(
        {"return torch.cat(written, dim=1)": "return torch.cat(written, dim=1).float()"},
        says="Your ids are floats. An id is a whole number, and an embedding refuses anything else.",
    ),
    *(
        edit(
            {"return torch.cat(written, dim=1)": f"return {joined}"},
            says="Your columns are not put side by side. `written` holds columns of (batch, 1): `torch.cat(written, dim=1)` makes a table of them, (batch, out_len).",
        )
        for joined in ("torch.cat(written, dim=0)", "torch.stack(written, dim=1)", "torch.stack(written, dim=0)")
    ),
)

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
    *(
        edit(
            {
                START: "model.tgt_embedding(newest)",
                RUN_ALL: f"model.output(model.positions(decoder(x, memory, src_mask), start={start}))",
            },
            says="Positions are added to what the decoder makes of the tokens, not to what it reads. They belong to the embedded tokens: `model.positions(model.tgt_embedding(newest), start=decoder.length)`.",
        )
        for start in ("decoder.length - 1", "decoder.length", "0")
    ),
)

GROWING = "written.append(best.unsqueeze(1))\n        newest = torch.cat([newest, best.unsqueeze(1)], dim=1)"
WITHOUT_BOS = "written.append(best.unsqueeze(1))\n        newest = torch.cat(written, dim=1)"
NEWEST = "newest = best.unsqueeze(1)\n        written.append(newest)"

greedy_decode_cached.mistake(
    "the whole target is fed again",
    "Everything that has been written is fed again at every step. The cache already holds those tokens, and now holds them twice, at wrong positions. "
    "With a cache, pass only the newest token.",
    {NEWEST: GROWING, START: "model.positions(model.tgt_embedding(newest))"},
    {NEWEST: GROWING},
    {NEWEST: WITHOUT_BOS, START: "model.positions(model.tgt_embedding(newest))"},
    {NEWEST: WITHOUT_BOS},
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
    {START: "(model.positions(model.tgt_embedding(newest), start=decoder.length), decoder.reset())[0]"},
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
    "the source's mask of another id",
    "The mask of the source hides another id than padding. Padding is then read, and real tokens are not: `padding_mask(src_ids, pad_id)`, with the pad_id of the model.",
    *({"padding_mask(src_ids, pad_id)": f"padding_mask(src_ids, {other})"} for other in ("0", "bos_id", "eos_id")),
)

greedy_decode_cached.mistake(
    "padding is never written",
    "You never let the model write pad_id. That is seldom the best token; where it is, greedy_decode writes it, and so the two functions differ. Take "
    "the best of all tokens.",
    {
        f"{RUN_ALL}[:, -1]": f"{RUN_ALL}[:, -1].index_fill(1, torch.tensor(pad_id), float('-inf'))",
    },
)
