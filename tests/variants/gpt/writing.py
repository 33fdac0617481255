"""Lesson 14: generate."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.decoding import next_token_probs, sample_next
from tests.variants import correct, disguise, slips, unlisted

WRITE = "generate"


def refuse(ids: Tensor, number: int) -> None:
    """The given lines."""
    if ids.shape[1] == 0 or number < 0:
        raise ValueError("nothing to begin with, or less than nothing to write")


def by_restoring(
    model: Any,
    ids: Tensor,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: Any = None,
    top_p: Any = None,
    generator: Any = None,
) -> Tensor:
    """With a context of its own, and the mode back even after an error."""
    refuse(ids, max_new_tokens)
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            for _number in range(max_new_tokens):
                context = ids if ids.size(1) <= model.config.max_len else ids[:, -model.config.max_len :]
                scores = model(context)[:, -1, :]
                drawn = sample_next(scores, temperature=temperature, top_k=top_k, top_p=top_p, generator=generator)
                ids = torch.cat((ids, drawn[:, None]), 1)
    finally:
        model.train(mode)
    return ids


slips(
    WRITE,
    by_restoring,
    {
        "the context is not cropped": {
            "ids if ids.size(1) <= model.config.max_len else ids[:, -model.config.max_len :]": "ids"
        },
        "the beginning is kept instead of the end": {
            "else ids[:, -model.config.max_len :]": "else ids[:, : model.config.max_len]"
        },
        "only the last token is fed": {
            "ids if ids.size(1) <= model.config.max_len else ids[:, -model.config.max_len :]": "ids[:, -1:]"
        },
        "logits of the first place": {"[:, -1, :]": "[:, 0, :]"},
        "written in train mode": {"    model.eval()\n": ""},
        "left in eval mode": {"model.train(mode)": "pass"},
        "left in train mode": {"model.train(mode)": "model.train()"},
        "the prompt is lost": {"return ids": "return ids[:, ids.size(1) - max_new_tokens :]"},
        "new tokens in front": {"(ids, drawn[:, None])": "(drawn[:, None], ids)"},
        "the generator is not passed on": {", generator=generator)": ")"},
        "the temperature is not passed on": {"temperature=temperature, ": ""},
        "top_k is not passed on": {"top_k=top_k, ": ""},
        "top_p is not passed on": {"top_p=top_p, ": ""},
        "no setting is passed on": {"temperature=temperature, top_k=top_k, top_p=top_p, ": ""},
        "one token too many": {"range(max_new_tokens)": "range(max_new_tokens + 1)"},
        "one token too few": {"range(max_new_tokens)": "range(1, max_new_tokens)"},
        "always the likeliest token": {
            "drawn = sample_next(scores, temperature=temperature, top_k=top_k, top_p=top_p, generator=generator)": (
                "drawn = scores.argmax(-1)"
            ),
        },
        "gradients are kept": {"with torch.no_grad():": "with torch.enable_grad():"},
        "left in eval mode + top_k is not passed on": {"model.train(mode)": "pass", "top_k=top_k, ": ""},
    },
)


def in_lists(
    model: Any,
    ids: Tensor,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: Any = None,
    top_p: Any = None,
    generator: Any = None,
) -> Tensor:
    """Columns in a list; what is read is put together anew."""
    refuse(ids, max_new_tokens)
    before, longest = model.training, model.config.max_len
    columns = list(ids.unbind(dim=1))
    model.train(False)
    with torch.inference_mode():
        while len(columns) < ids.size(1) + max_new_tokens:
            logits = model(torch.stack(columns[-longest:], dim=1))
            columns.append(sample_next(logits[:, -1], temperature, top_k, top_p, generator))
    model.train(before)
    return torch.stack(columns, dim=1)


slips(
    WRITE,
    in_lists,
    {
        "the context is not cropped": {"columns[-longest:]": "columns"},
        "the beginning is kept instead of the end": {"columns[-longest:]": "columns[:longest]"},
        "one token less is read": {"columns[-longest:]": "columns[1 - longest :]"},
        "only the last token is fed": {"columns[-longest:]": "columns[-1:]"},
        "logits of the first place": {"logits[:, -1]": "logits[:, 0]"},
        "the prompt does not change": {"columns[-longest:]": "columns[: ids.size(1)][-longest:]"},
        "written in train mode": {"    model.train(False)\n": ""},
        "left in eval mode": {"    model.train(before)\n": ""},
        "left in train mode": {"model.train(before)": "model.train(True)"},
        "the generator is not passed on": {", top_p, generator)": ", top_p)"},
        "the temperature is not passed on": {"temperature, top_k, top_p, generator)": "1.0, top_k, top_p, generator)"},
        "top_k is not passed on": {"temperature, top_k, top_p": "temperature, None, top_p"},
        "top_p is not passed on": {"top_k, top_p, generator": "top_k, None, generator"},
        "the prompt is lost": {
            "return torch.stack(columns, dim=1)": "return torch.stack(columns, dim=1)[:, ids.size(1) :]"
        },
        "one token too few": {"ids.size(1) + max_new_tokens": "ids.size(1) + max_new_tokens - 1"},
    },
)


@torch.no_grad()
def by_recursion(
    model: Any,
    ids: Tensor,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: Any = None,
    top_p: Any = None,
    generator: Any = None,
) -> Tensor:
    """One token, and then the rest."""
    refuse(ids, max_new_tokens)
    if not max_new_tokens:
        return ids
    mode = model.training
    with torch.no_grad():
        window = ids[..., max(0, ids.size(1) - model.config.max_len) :]
        last = model.eval()(window)[:, window.size(1) - 1]
        token = sample_next(last, temperature, top_k, top_p, generator)
    longer = F.pad(ids, (0, 1))
    longer[:, -1] = token
    model.train(mode)
    return by_recursion(model, longer, max_new_tokens - 1, temperature, top_k, top_p, generator)


slips(
    WRITE,
    by_recursion,
    {
        "the context is not cropped": {"ids[..., max(0, ids.size(1) - model.config.max_len) :]": "ids"},
        "the beginning is kept instead of the end": {
            "max(0, ids.size(1) - model.config.max_len) :]": ": model.config.max_len]"
        },
        "only the last token is fed": {"max(0, ids.size(1) - model.config.max_len) :]": "ids.size(1) - 1 :]"},
        "logits of the first place": {"window.size(1) - 1]": "0]"},
        "written in train mode": {"model.eval()(window)": "model(window)"},
        "left in eval mode": {"    model.train(mode)\n": ""},
        "left in train mode": {"model.train(mode)": "model.train()"},
        "the generator is not passed on": {
            "sample_next(last, temperature, top_k, top_p, generator)": "sample_next(last, temperature, top_k, top_p)"
        },
        "no setting is passed on": {"sample_next(last, temperature, top_k, top_p, generator)": "sample_next(last)"},
        "always the likeliest token": {
            "sample_next(last, temperature, top_k, top_p, generator)": "last.max(-1).indices"
        },
    },
)


class Steps:
    """A writer made of steps; each can be another."""

    def __call__(
        self,
        model: Any,
        ids: Tensor,
        max_new_tokens: int,
        temperature: float = 1.0,
        top_k: Any = None,
        top_p: Any = None,
        generator: Any = None,
    ) -> Tensor:
        refuse(ids, max_new_tokens)
        self.mode, self.prompt = model.training, ids
        self.asked = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "generator": generator}
        with torch.set_grad_enabled(self.tracks()):
            self.begin(model)
            for _ in range(self.count(model, max_new_tokens)):
                logits = self.score(model, self.context(model, ids))
                ids = self.join(ids, self.choose(logits).unsqueeze(-1))
            self.finish(model)
        return self.result(ids, max_new_tokens)

    def tracks(self) -> bool:
        return False

    def begin(self, model: Any) -> None:
        model.eval()

    def count(self, model: Any, number: int) -> int:
        return number

    def context(self, model: Any, ids: Tensor) -> Tensor:
        return ids[:, -model.config.max_len :]

    def score(self, model: Any, context: Tensor) -> Tensor:
        return model(context)[:, -1]

    def choose(self, logits: Tensor) -> Tensor:
        return sample_next(logits, **self.settings())

    def settings(self) -> dict[str, Any]:
        return self.asked

    def join(self, ids: Tensor, new: Tensor) -> Tensor:
        return torch.cat([ids, new], dim=1)

    def finish(self, model: Any) -> None:
        model.train(self.mode)

    def result(self, ids: Tensor, number: int) -> Tensor:
        return ids


def writer(mark: Any, **steps: Any) -> None:
    """A variant in which some steps are others."""
    made = type("Other", (Steps,), steps)()
    made.__name__ = "writer_" + "_".join(steps) if steps else "writer"
    mark(made)


def without(*names: str) -> Any:
    """Settings that do not arrive."""
    return lambda self: {name: value for name, value in self.asked.items() if name not in names}


def wrong(mistake: str) -> Any:
    return disguise(WRITE, mistake)


writer(correct(WRITE))
writer(wrong("the context is not cropped"), context=lambda self, model, ids: ids)
writer(
    wrong("the beginning is kept instead of the end"), context=lambda self, model, ids: ids[:, : model.config.max_len]
)
writer(wrong("one token less is read"), context=lambda self, model, ids: ids[:, -model.config.max_len + 1 :])
writer(
    wrong("what is cropped is lost"),
    join=lambda self, ids, new: torch.cat([ids[:, -5:], new], dim=1),
)
writer(wrong("only the last token is fed"), context=lambda self, model, ids: ids[:, ids.size(1) - 1 :])
writer(wrong("logits of the first place"), score=lambda self, model, context: model(context).select(1, 0))
writer(
    wrong("logits of the place before the last"),
    score=lambda self, model, context: model(context)[:, max(0, context.size(1) - 2)],
)
writer(wrong("the prompt does not change"), context=lambda self, model, ids: self.prompt[:, -model.config.max_len :])
writer(wrong("written in train mode"), begin=lambda self, model: None)
writer(wrong("left in eval mode"), finish=lambda self, model: None)
writer(wrong("left in train mode"), finish=lambda self, model: model.train())
writer(wrong("the prompt is lost"), result=lambda self, ids, number: ids[:, self.prompt.size(1) :])
writer(wrong("new tokens in front"), join=lambda self, ids, new: torch.hstack([new, ids]))
writer(wrong("always the likeliest token"), choose=lambda self, logits: logits.max(dim=-1)[1])
writer(wrong("the generator is not passed on"), settings=without("generator"))
writer(wrong("the temperature is not passed on"), settings=without("temperature"))
writer(wrong("top_k is not passed on"), settings=without("top_k"))
writer(wrong("top_p is not passed on"), settings=without("top_p"))
writer(wrong("no setting is passed on"), settings=without("temperature", "top_k", "top_p"))
writer(
    wrong("no setting is passed on"), choose=lambda self, logits: torch.multinomial(logits.softmax(-1), 1).squeeze(1)
)
writer(wrong("one token too many"), count=lambda self, model, number: number + 1)
writer(wrong("one token too few"), count=lambda self, model, number: number - 1)
writer(
    wrong("as long as max_new_tokens in all"), count=lambda self, model, number: max(0, number - self.prompt.size(1))
)
writer(wrong("gradients are kept"), tracks=lambda self: True)
writer(
    wrong("the mode of the model alone"),
    begin=lambda self, model: setattr(model, "training", False),
    finish=lambda self, model: setattr(model, "training", self.mode),
)
writer(
    wrong("the context does not grow"),
    context=lambda self, model, ids: ids[:, -min(self.prompt.size(1), model.config.max_len) :],
)
writer(unlisted(WRITE), join=lambda self, ids, new: torch.cat([ids, (new + 2) % 13], dim=1))
writer(unlisted(WRITE), context=lambda self, model, ids: ids[:, -model.config.max_len :].flip(1))
writer(unlisted(WRITE), score=lambda self, model, context: -model(context)[:, -1])
writer(unlisted(WRITE), result=lambda self, ids, number: ids.flip(0))
writer(unlisted(WRITE), score=lambda self, model, context: model(context))


@correct(WRITE)
@torch.no_grad()
def by_probabilities(
    model: nn.Module,
    ids: Tensor,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: Any = None,
    top_p: Any = None,
    generator: Any = None,
) -> Tensor:
    """Draws by itself."""
    refuse(ids, max_new_tokens)
    mode = model.training
    model.eval()
    for _ in range(max_new_tokens):
        logits = model(ids[:, -model.config.max_len :])[:, -1]  # type: ignore[union-attr, operator]
        probs = next_token_probs(logits, temperature, top_k, top_p)
        ids = torch.hstack([ids, torch.multinomial(probs, 1, generator=generator)])
    model.train(mode)
    return ids
