"""Room 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from autograder.checks.in_the_wild.residuals import init_residuals_, shows_unscaled_residuals
from autograder.stand_ins import in_the_wild as stand_ins
from autograder.stand_ins.gpt import GPT, GPTConfig
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_unscaled_residuals.name
INIT = init_residuals_.name

of_the_line_up(init_residuals_, "residuals")
of_all_probes(shows_unscaled_residuals, stand_ins.shows_unscaled_residuals)


@unlisted(INIT)
def draws_uniformly_and_twice_as_wide(model: GPT) -> None:
    """The spread of the full one, by another road."""
    for name, parameter in model.named_parameters():
        if "linear2.weight" in name or "out_proj.weight" in name:
            bound = 0.02 * math.sqrt(3)
            nn.init.uniform_(parameter, -4 * bound, 4 * bound)


# Probes ----------------------------------------------------------------------------


def model_of(depth: int, width: int = 64) -> GPT:
    """One of the learner's own, as small as will do."""
    return GPT(GPTConfig(vocab_size=9, d_model=width, num_heads=2, num_layers=depth, d_ff=width, max_len=5))


def writers(model: GPT) -> Iterator[nn.Linear]:
    """What writes to the tokens."""
    for layer in model.layers:
        yield from (layer.self_attn.out_proj, layer.feed_forward.linear2)


def others(model: GPT) -> list[Tensor]:
    """Copies of all that should stay."""
    written = {id(part.weight) for part in writers(model)}
    return [one.detach().clone() for one in model.parameters() if id(one) not in written]


def ratio(part: nn.Linear, depth: int) -> float:
    """A spread, as a multiple of what it should be."""
    return part.weight.detach().std().item() / (0.02 / math.sqrt(2 * depth))


def all_kept(before: list[Tensor], model: GPT) -> bool:
    """Whether what should stay has stayed."""
    after = others(model)
    return len(before) == len(after) and all(map(torch.equal, before, after))


@correct(SHOWS)
def many_small_models(implementation: Callable[[GPT], None]) -> bool:
    """The mean of squares over all matrices of a kind, of four depths."""
    for depth in (1, 2, 3, 4):
        model = model_of(depth, 32)
        before = others(model)
        implementation(model)
        spreads = torch.tensor([ratio(one, depth) for one in writers(model)])
        if ((spreads - 1).abs() > 0.2).any() or not all_kept(before, model):
            return True
    return False


@correct(SHOWS)
def by_logarithms(implementation: Callable[[GPT], None]) -> torch.Tensor:
    """Says it with a tensor."""
    model, wide = model_of(3), model_of(7, 48)
    kept = others(model), others(wide)
    implementation(model)
    implementation(wide)
    stays = all_kept(kept[0], model) and all_kept(kept[1], wide)
    found = [
        math.log(ratio(one, depth) + 1e-9) for one_model, depth in ((model, 3), (wide, 7)) for one in writers(one_model)
    ]
    return (torch.tensor(found).abs() > 0.12).any() | (not stays)


@correct(SHOWS)
def with_assertions_of_its_own(implementation: Callable[[GPT], None]) -> bool:
    """A test inside, and an answer outside."""

    def test(depth: int) -> None:
        model = model_of(depth)
        before = others(model)
        implementation(model)
        for part in writers(model):
            assert 0.9 < ratio(part, depth) < 1.1
        assert all_kept(before, model)

    try:
        test(2)
        test(4)
    except AssertionError:
        return True
    return False


@disguise(SHOWS, "the shown fault alone")
def is_anything_new(implementation: Callable[[GPT], None]) -> bool:
    """Only whether something changed."""
    model = model_of(2)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    implementation(model)
    return all(torch.equal(value, state[name]) for name, value in model.state_dict().items())


@disguise(SHOWS, "that it is drawn anew is enough")
def drawn_at_all(implementation: Callable[[GPT], None]) -> bool:
    """Not how widely."""
    model = model_of(4)
    before, same = others(model), [part.weight.detach().clone() for part in writers(model)]
    implementation(model)
    return not all_kept(before, model) or any(
        torch.equal(a, b.weight) for a, b in zip(same, writers(model), strict=True)
    )


@disguise(SHOWS, "one of the two matrices is not looked at")
def only_attention(implementation: Callable[[GPT], None]) -> bool:
    """Forgets linear2."""
    for depth in (2, 6):
        model = model_of(depth)
        before = others(model)
        implementation(model)
        if any(abs(ratio(layer.self_attn.out_proj, depth) - 1) > 0.1 for layer in model.layers) or not all_kept(
            before, model
        ):
            return True
    return False


@disguise(SHOWS, "what should stay is not looked at")
def only_writers(implementation: Callable[[GPT], None]) -> bool:
    """Forgets the rest."""
    for depth in (2, 6):
        model = model_of(depth)
        implementation(model)
        if max(abs(ratio(one, depth) - 1) for one in writers(model)) > 0.1:
            return True
    return False


@disguise(SHOWS, "one depth alone")
def two_blocks_alone(implementation: Callable[[GPT], None]) -> bool:
    """Half is half."""
    model = model_of(2)
    before = others(model)
    implementation(model)
    return not all_kept(before, model) or not all(0.9 < ratio(one, 2) < 1.1 for one in writers(model))


@disguise(SHOWS, "any smaller spread will do")
def merely_smaller(implementation: Callable[[GPT], None]) -> bool:
    """Not how much."""
    for depth in (2, 5):
        model = model_of(depth)
        nn.init.normal_(model.head.weight, std=0.02)
        before = others(model)
        implementation(model)
        if any(part.weight.std() > 0.0185 for part in writers(model)) or not all_kept(before, model):
            return True
    return False


@disguise(SHOWS, "narrower than chance")
def to_three_digits(implementation: Callable[[GPT], None]) -> bool:
    """As if it were no draw."""
    for depth in (2, 6):
        model = model_of(depth)
        before = others(model)
        implementation(model)
        if not all_kept(before, model) or not all(abs(ratio(one, depth) - 1) < 1e-3 for one in writers(model)):
            return True
    return False


@disguise(SHOWS, "the parameters from before the call")
def those_that_were_there(implementation: Callable[[GPT], None]) -> bool:
    """Holds on to them."""
    for depth in (2, 4):
        model = model_of(depth)
        before, watched = others(model), [part.weight for part in writers(model)]
        implementation(model)
        spreads = [one.detach().std().item() / (0.02 / math.sqrt(2 * depth)) for one in watched]
        if any(abs(one - 1) > 0.1 for one in spreads) or not all_kept(before, model):
            return True
    return False


@unlisted(SHOWS)
def the_last_block_alone(implementation: Callable[[GPT], None]) -> bool:
    """Looks at the end of the stack."""
    for depth in (2, 5):
        model = model_of(depth)
        before = others(model)
        implementation(model)
        if any(abs(ratio(part, depth) - 1) > 0.1 for part in list(writers(model))[-2:]) or not all_kept(before, model):
            return True
    return False


@unlisted(SHOWS)
def the_biases_are_not_looked_at(implementation: Callable[[GPT], None]) -> bool:
    """Matrices that should stay, and nothing else that should."""
    for depth in (2, 5):
        model = model_of(depth)
        before = [one for one in others(model) if one.dim() == 2]
        implementation(model)
        after = [one for one in others(model) if one.dim() == 2]
        kept = len(before) == len(after) and all(map(torch.equal, before, after))
        if any(abs(ratio(part, depth) - 1) > 0.1 for part in writers(model)) or not kept:
            return True
    return False


@unlisted(SHOWS)
def a_mean_over_all(implementation: Callable[[GPT], None]) -> bool:
    """What one matrix has too much another may have too little."""
    model = model_of(4)
    before = others(model)
    implementation(model)
    mean = sum(ratio(part, 4) for part in writers(model)) / 8
    return abs(mean - 1) > 0.5 or not all_kept(before, model)


# What raises ----------------------------------------------------------------------------


@unlisted(SHOWS)
def called_without_a_model(implementation: Callable[..., None]) -> bool:
    """Asks for a result."""
    return bool(implementation())


@unlisted(SHOWS)
def looks_at_what_comes_back(implementation: Callable[..., None]) -> bool:
    """There is nothing."""
    changed = implementation(model_of(2))
    return changed.layers[0].self_attn.out_proj.weight.std() > 0.011


@unlisted(SHOWS)
def names_of_another_kind(implementation: Callable[..., None]) -> bool:
    """Of modules, and then of parameters."""
    model = model_of(2)
    before = dict(model.named_modules())
    implementation(model)
    return any(before[name] is None for name, _ in model.named_parameters())


@unlisted(INIT)
def in_place_with_gradients(model: GPT) -> None:
    """Forgets no_grad."""
    for part in writers(model):
        part.weight.mul_(0.5)


def drawn_by(model: GPT, draw: Callable[[Tensor], None]) -> None:
    """What writes to the tokens, filled in another way."""
    with torch.no_grad():
        for part in writers(model):
            draw(part.weight)


@disguise(INIT, "made smaller, not drawn anew")
def shrinks(model: GPT) -> None:
    drawn_by(model, lambda one: one.div_((2 * model.config.num_layers) ** 0.5))


@disguise(INIT, "off centre")
def lifted(model: GPT) -> None:
    smaller = 0.02 * (2 * model.config.num_layers) ** -0.5
    drawn_by(model, lambda one: one.normal_(0.02, smaller))


@disguise(INIT, "drawn evenly")
def evenly(model: GPT) -> None:
    bound = 0.02 * (1.5 / model.config.num_layers) ** 0.5
    drawn_by(model, lambda one: one.copy_((2 * torch.rand_like(one) - 1) * bound))


@disguise(INIT, "another spread")
def silent(model: GPT) -> None:
    drawn_by(model, lambda one: one.zero_())


@unlisted(INIT)
def many_times_too_wide(model: GPT) -> None:
    drawn_by(model, lambda one: one.normal_(0.0, 0.02 * 32))


@disguise(SHOWS, "compares with another number than is promised")
def one_sum_a_block(implementation: Callable[[GPT], None]) -> bool:
    """The root of half of it."""
    for depth in (3, 6):
        model = model_of(depth)
        before = others(model)
        implementation(model)
        if not all_kept(before, model) or any(
            abs(ratio(one, depth) / math.sqrt(2) - 1) > 0.1 for one in writers(model)
        ):
            return True
    return False


@disguise(SHOWS, "one depth alone")
def three_blocks_alone(implementation: Callable[[GPT], None]) -> bool:
    """Some depth."""
    model = model_of(6)
    before = others(model)
    implementation(model)
    return not all_kept(before, model) or not all(0.9 < ratio(one, 6) < 1.1 for one in writers(model))
