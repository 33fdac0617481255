"""Lesson 11: greedy decoding with a cache."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.stand_ins import decoding as stand_in
from autograder.stand_ins.attention import padding_mask
from tests.variants import correct, disguise, slips, unlisted
from tests.variants.decoding.greedy import g_encoded_once, refuse


class Writer:
    """Greedy decoding with a cache, with every part to be replaced."""

    def place(self, decoder: Any, written: list) -> int:
        return len(written)

    def embed(self, model: Any, newest: Tensor, place: int) -> Tensor:
        return model.positions(model.tgt_embedding(newest), place)

    def fed(self, bos: Tensor, written: list) -> Tensor:
        return written[-1] if written else bos

    def scores(self, model: Any, decoder: Any, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        return model.output(decoder(x, memory, mask)[:, -1])

    def pick(self, scores: Tensor) -> Tensor:
        return scores.max(-1).indices

    def fill(self, over: Tensor, pad_id: int, eos_id: int, best: Tensor) -> Tensor:
        return torch.where(over, pad_id, best)

    def ended(self, over: Tensor, best: Tensor, eos_id: int) -> Tensor:
        return over.logical_or(best == eos_id)

    def stop(self, over: Tensor) -> bool:
        return bool(over.all())

    def steps(self, max_len: int) -> int:
        return max_len

    def result(self, bos: Tensor, written: list) -> Tensor:
        return torch.cat(written, 1)

    def memory(self, model: Any, src_ids: Tensor) -> Tensor:
        return model.encode(src_ids)

    def begin_step(self, decoder: Any) -> None:
        pass

    def __call__(self, model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
        refuse(src_ids, max_len)
        pad_id = model.config.pad_id
        decoder, mask = stand_in.CachedDecoder(model.decoder), (src_ids != pad_id)[:, None, None]
        bos, written = torch.full((len(src_ids), 1), bos_id), []
        over = torch.zeros(len(src_ids), dtype=torch.bool)
        with torch.no_grad():
            self.source, self.model = src_ids, model
            memory = self.memory(model, src_ids)
            for _ in range(self.steps(max_len)):
                self.begin_step(decoder)
                x = self.embed(model, self.fed(bos, written), self.place(decoder, written))
                best = self.pick(self.scores(model, decoder, x, memory, mask))
                best = self.fill(over, pad_id, eos_id, best)
                written.append(best[:, None])
                over = self.ended(over, best, eos_id)
                if self.stop(over):
                    break
        return self.result(bos, written)


def writers(kind: Callable, name: str = "", **parts: Any) -> None:
    """Add a cached decoding with replaced parts."""
    made = type("Own", (Writer,), parts)()

    def greedy_decode_cached(*args: Any, **kwargs: Any) -> Tensor:
        return made(*args, **kwargs)

    greedy_decode_cached.__name__ = f"w_{'_'.join(parts) or 'parts'}"
    kind("greedy_decode_cached", *([name] if name else []))(greedy_decode_cached)


def unfilled(self: Any, over: Tensor, pad_id: int, eos_id: int, best: Tensor) -> Tensor:
    return best


def everything(self: Any, bos: Tensor, written: list) -> Tensor:
    return torch.cat([bos, *written], 1)


writers(
    disguise,
    "argmax over the whole batch",
    pick=lambda self, scores: torch.full((len(scores),), int(scores.argmax()) % scores.size(1)),
)
writers(disguise, "no stop at eos_id", fill=unfilled, stop=lambda self, over: False)
writers(disguise, "writes on after eos_id", fill=unfilled)
writers(disguise, "goes on when all are finished", stop=lambda self, over: False)
writers(disguise, "stops when the first has ended", stop=lambda self, over: bool(over.any()))
writers(disguise, "forgets who was finished", ended=lambda self, over, best, eos_id: best == eos_id)
writers(
    disguise,
    "eos_id in the place of padding",
    fill=lambda self, over, pad_id, eos_id, best: torch.where(over, eos_id, best),
)
writers(disguise, "bos_id is in the result", result=everything)
writers(disguise, "one token too few", steps=lambda self, max_len: max_len - 1 or 1)
writers(disguise, "one token too few", steps=lambda self, max_len: max_len - 1)
writers(disguise, "the last step is lost", result=lambda self, bos, written: torch.hstack(written)[:, :-1])
writers(disguise, "bos_id is fed at every step", fed=lambda self, bos, written: bos)
writers(
    disguise,
    "the source's mask the wrong way round",
    scores=lambda self, model, decoder, x, memory, mask: model.output(decoder(x, memory, mask.logical_not()))[:, -1],
)
writers(disguise, "the whole target is fed again", fed=everything, place=lambda self, decoder, written: 0)
writers(disguise, "one token too many", steps=lambda self, max_len: max_len + 1)
writers(disguise, "positions restart at 0", place=lambda self, decoder, written: 0)
writers(disguise, "positions are one too large", place=lambda self, decoder, written: len(written) + 1)
writers(disguise, "positions are not added", embed=lambda self, model, newest, place: model.tgt_embedding(newest))
writers(disguise, "the whole target is fed again", fed=everything, place=lambda self, decoder, written: decoder.length)
writers(disguise, "the cache is emptied at every step", begin_step=lambda self, decoder: decoder.reset())
writers(
    disguise,
    "the cache is emptied at every step",
    begin_step=lambda self, decoder: decoder.reset(),
    place=lambda self, decoder, written: decoder.length,
)
writers(
    disguise,
    "the source's padding is read",
    scores=lambda self, model, decoder, x, memory, mask: model.output(decoder(x, memory)).squeeze(1),
)
writers(
    disguise,
    "the source's table for the target",
    embed=lambda self, model, newest, place: model.positions(model.src_embedding(newest), place),
)
writers(
    disguise,
    "the output layer is left out",
    scores=lambda self, model, decoder, x, memory, mask: decoder(x, memory, mask)[:, 0],
)
writers(
    disguise,
    "the source is encoded at every step",
    scores=lambda self, model, decoder, x, memory, mask: model.output(
        decoder(x, model.encode(self.source), mask)[:, -1]
    ),
)


@disguise("greedy_decode_cached", "everything is computed again")
def w_uncached(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return g_encoded_once(model, src_ids, bos_id, eos_id, max_len)


writers(correct)
writers(correct, embed=lambda self, model, newest, place: model.tgt_embedding(newest) + model.positions.table[place])
writers(
    correct,
    scores=lambda self, model, decoder, x, memory, mask: decoder(x, memory, mask)[:, 0] @ model.output.weight.T,
)
writers(
    correct,
    memory=lambda self, model, src_ids: model.encoder(
        model.positions(model.src_embedding(src_ids)), padding_mask(src_ids, model.config.pad_id)
    ),
)


def w_columns(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    """A list of columns."""
    refuse(src_ids, max_len)
    decoder, mask = stand_in.CachedDecoder(model.decoder), (src_ids != model.config.pad_id)[:, None, None, :]
    with torch.no_grad():
        memory, columns = model.encode(src_ids), [torch.full((len(src_ids), 1), bos_id)]
        over = torch.zeros_like(columns[0], dtype=torch.bool)
        for place in range(max_len):
            x = model.positions(model.tgt_embedding(columns[-1]), place)
            scores = model.output(decoder(x, memory, mask))
            best = torch.where(over, model.config.pad_id, scores.argmax(-1))
            columns.append(best)
            over |= best == eos_id
            if over.all().item():
                break
    return torch.hstack(columns[1:])


slips(
    "greedy_decode_cached",
    w_columns,
    {
        "argmax over the whole batch": {"scores.argmax(-1)": "scores.argmax()"},
        "no stop at eos_id": {
            "torch.where(over, model.config.pad_id, scores.argmax(-1))": "scores.argmax(-1)",
            "if over.all().item():\n                break": "",
        },
        "writes on after eos_id": {"torch.where(over, model.config.pad_id, scores.argmax(-1))": "scores.argmax(-1)"},
        "goes on when all are finished": {"if over.all().item():\n                break": ""},
        "stops when the first has ended": {"over.all()": "over.any()"},
        "forgets who was finished": {"over |= best": "over = best"},
        "eos_id in the place of padding": {"over, model.config.pad_id,": "over, eos_id,"},
        "bos_id is in the result": {"columns[1:]": "columns"},
        "the last step is lost": {"columns[1:]": "columns[1:-1]"},
        "one token too few": {"range(max_len)": "range(max_len - 1)"},
        "one token too many": {"range(max_len)": "range(max_len + 1)"},
        "positions restart at 0": {"(columns[-1]), place)": "(columns[-1]))"},
        "positions are one too large": {", place)": ", place + 1)"},
        "positions are not added": {
            "model.positions(model.tgt_embedding(columns[-1]), place)": "model.tgt_embedding(columns[-1])"
        },
        "the whole target is fed again": [
            {"columns[-1]), place)": "torch.hstack(columns)))", "memory, mask))": "memory, mask))[:, -1:]"},
            {
                "columns[-1]), place)": "torch.hstack(columns)), decoder.length)",
                "memory, mask))": "memory, mask))[:, -1:]",
            },
        ],
        "bos_id is fed at every step": {"columns[-1]": "columns[0]"},
        "the cache is emptied at every step": [
            {"            x = ": "            decoder.reset()\n            x = "},
            {"            x = ": "            decoder.reset()\n            x = ", ", place)": ", decoder.length)"},
        ],
        "the source's padding is read": {"decoder(x, memory, mask)": "decoder(x, memory)"},
        "the source's mask the wrong way round": {"src_ids != model": "src_ids == model"},
        "the source's table for the target": {"tgt_embedding": "src_embedding"},
        "the output layer is left out": {"model.output(decoder(x, memory, mask))": "decoder(x, memory, mask)"},
        "the source is encoded at every step": {"decoder(x, memory,": "decoder(x, model.encode(src_ids),"},
        "bos_id is in the result + positions are one too large": {", place)": ", place + 1)", "columns[1:]": "columns"},
    },
)


def w_table(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    """Room for all tokens from the beginning; the cache says how far it is filled."""
    refuse(src_ids, max_len)
    pad = model.config.pad_id
    ids = torch.full((len(src_ids), 1 + max_len), pad).index_fill(1, torch.tensor([0]), bos_id)
    memory, reader = model.encode(src_ids), stand_in.CachedDecoder(model.decoder)
    going = torch.ones(len(src_ids), dtype=torch.bool)
    while reader.length < max_len and going.any():
        here = reader.length
        newest = model.tgt_embedding(ids[:, here : here + 1])
        vectors = reader(model.positions(newest, here), memory, src_ids.ne(pad).view(-1, 1, 1, src_ids.size(1)))
        best = model.output(vectors[:, -1]).max(-1).indices
        ids[going, here + 1] = best[going]
        going = going & best.ne(eos_id)
    return ids[:, 1 : reader.length + 1]


slips(
    "greedy_decode_cached",
    w_table,
    {
        "argmax over the whole batch": {"max(-1).indices": "argmax().expand(len(src_ids))"},
        "no stop at eos_id": {" and going.any()": "", "        going = going & best.ne(eos_id)\n": ""},
        "writes on after eos_id": {"ids[going, here + 1] = best[going]": "ids[:, here + 1] = best"},
        "goes on when all are finished": {" and going.any()": ""},
        "stops when the first has ended": {"going.any()": "going.all()"},
        "forgets who was finished": {"going & best": "best"},
        "eos_id in the place of padding": {"1 + max_len), pad)": "1 + max_len), eos_id)"},
        "bos_id is in the result": {"ids[:, 1 :": "ids[:, 0 :"},
        "the last step is lost": {"1 : reader.length + 1": "1 : reader.length"},
        "one token too few": {"reader.length < max_len": "reader.length < max_len - 1"},
        "positions restart at 0": {"positions(newest, here)": "positions(newest)"},
        "positions are one too large": {"positions(newest, here)": "positions(newest, here + 1)"},
        "positions are not added": {"model.positions(newest, here)": "newest"},
        "bos_id is fed at every step": {"ids[:, here : here + 1]": "ids[:, :1]"},
        "the source's padding is read": {", src_ids.ne(pad).view(-1, 1, 1, src_ids.size(1))": ""},
        "the source's mask the wrong way round": {"src_ids.ne(pad)": "src_ids.eq(pad)"},
        "the source's table for the target": {"model.tgt_embedding": "model.src_embedding"},
        "the output layer is left out": {"model.output(vectors[:, -1])": "vectors[:, -1]"},
        "the source is encoded at every step": {"here), memory,": "here), model.encode(src_ids),"},
        "the source's padding is read + the source's table for the target": {
            ", src_ids.ne(pad).view(-1, 1, 1, src_ids.size(1))": "",
            "model.tgt_embedding": "model.src_embedding",
        },
    },
)


def w_one_at_a_time(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    found = []
    with torch.no_grad():
        for source in src_ids:
            ids = source[source != model.config.pad_id][None]
            memory, decoder, text = model.encode(ids), stand_in.CachedDecoder(model.decoder), [bos_id]
            while len(text) <= max_len and text[-1] != eos_id:
                x = model.positions(model.tgt_embedding(torch.tensor([text[-1:]])), start=len(text) - 1)
                text.append(int(model.output(decoder(x, memory)).argmax()))
            found.append(torch.tensor(text[1:]))
    return nn.utils.rnn.pad_sequence(found, batch_first=True, padding_value=model.config.pad_id)


slips(
    "greedy_decode_cached",
    w_one_at_a_time,
    {
        "no stop at eos_id": {" and text[-1] != eos_id": ""},
        "eos_id in the place of padding": {"padding_value=model.config.pad_id": "padding_value=eos_id"},
        "bos_id is in the result": {"text[1:]": "text"},
        "one token too few": {"<= max_len": "< max_len"},
        "one token too many": {"<= max_len": "< max_len + 2"},
        "positions restart at 0": {", start=len(text) - 1": ""},
        "positions are one too large": {"len(text) - 1": "len(text)"},
        "positions are not added": {
            "model.positions(model.tgt_embedding(torch.tensor([text[-1:]])), start=len(text) - 1)": (
                "model.tgt_embedding(torch.tensor([text[-1:]]))"
            )
        },
        "bos_id is fed at every step": {"[text[-1:]]": "[text[:1]]"},
        "the whole target is fed again": {
            "[text[-1:]])), start=len(text) - 1)": "[text])))",
            "model.output(decoder(x, memory))": "model.output(decoder(x, memory))[:, -1]",
        },
        "the source's table for the target": {"tgt_embedding": "src_embedding"},
        "the output layer is left out": {"model.output(decoder(x, memory))": "decoder(x, memory)"},
        "eos_id in the place of padding + positions restart at 0": {
            "padding_value=model.config.pad_id": "padding_value=eos_id",
            ", start=len(text) - 1": "",
        },
    },
)


writers(unlisted, place=lambda self, decoder, written: 2 * len(written))
writers(unlisted, fed=lambda self, bos, written: written[-2] if len(written) > 1 else bos)


# greedy_decode_cached, its masks and its padding -----------------------------------------------------------


def step_by_step(
    model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int, mask: Tensor, never: Any = None
) -> Tensor:
    refuse(src_ids, max_len)
    pad_id, decoder, memory = model.config.pad_id, stand_in.CachedDecoder(model.decoder), model.encode(src_ids)
    out = torch.full((len(src_ids), 1), bos_id)
    with torch.no_grad():
        for place in range(max_len):
            x = model.positions(model.tgt_embedding(out[:, -1:]), start=place)
            scores = model.output(decoder(x, memory, mask))[:, 0]
            if never is not None:
                scores[:, never] = -float("inf")
            ended = (out == eos_id).any(1)
            out = torch.cat([out, torch.where(ended, pad_id, scores.argmax(-1))[:, None]], 1)
            if (out[:, 1:] == eos_id).any(1).all():
                break
    return out[:, 1:]


@correct("greedy_decode_cached")
def w_step_by_step(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    mask = padding_mask(src_ids, model.config.pad_id)
    return step_by_step(model, src_ids, bos_id, eos_id, max_len, mask)


@correct("greedy_decode_cached")
def w_stops_at_padding(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    """What stands behind padding that the model writes is left open."""
    found = w_step_by_step(model, src_ids, bos_id, eos_id, max_len)
    padding = (found == model.config.pad_id).cumsum(1) > 0
    return found.masked_fill(padding, model.config.pad_id)


@disguise("greedy_decode_cached", "the mask of the first source for all")
def w_first_mask(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    mask = (src_ids[0] != model.config.pad_id).expand(1, 1, 1, -1)
    return step_by_step(model, src_ids, bos_id, eos_id, max_len, mask)


@disguise("greedy_decode_cached", "padding is never written")
def w_never_padding(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    mask = padding_mask(src_ids, model.config.pad_id)
    return step_by_step(model, src_ids, bos_id, eos_id, max_len, mask, model.config.pad_id)


MASKS: dict[Any, Tensor] = {}


@unlisted("greedy_decode_cached")
def w_masks_by_shape(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    mask = MASKS.setdefault(tuple(src_ids.shape), padding_mask(src_ids, model.config.pad_id))
    return step_by_step(model, src_ids, bos_id, eos_id, max_len, mask)
