"""The whole Transformer."""

import torch
from my_transformer import Transformer, TransformerConfig, make_masks, parameter_count

SIZES = (11, 13, 16, 2, 2, 32)


def test_it_scores_the_next_token_and_sees_no_later_one() -> None:
    model = Transformer(TransformerConfig(*SIZES)).eval()
    src, tgt = torch.randint(1, 11, (2, 5)), torch.randint(1, 13, (2, 4))
    other = tgt.clone()
    other[:, 3] = 1 + other[:, 3] % 12
    scores = model(src, tgt)
    assert scores.shape == (2, 4, 13)
    assert torch.allclose(scores[:, :3], model(src, other)[:, :3], atol=1e-5)


def test_one_step_lowers_the_loss() -> None:
    torch.manual_seed(0)
    model = Transformer(TransformerConfig(*SIZES, dropout=0.0))
    src, tgt = torch.randint(1, 11, (4, 5)), torch.randint(1, 13, (4, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(5):
        loss = torch.nn.functional.cross_entropy(model(src, tgt[:, :-1]).flatten(0, 1), tgt[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]


def test_masks_are_those_of_source_and_target() -> None:
    src_mask, tgt_mask = make_masks(torch.tensor([[5, 0]]), torch.tensor([[3, 4]]), 0)
    assert src_mask.flatten().tolist() == [True, False] and tgt_mask[0, 0].tolist() == [[True, False], [True, True]]


def test_its_parameters_are_as_many_as_the_formula_says() -> None:
    config = TransformerConfig(*SIZES)
    assert parameter_count(config) == sum(one.numel() for one in Transformer(config).parameters())
