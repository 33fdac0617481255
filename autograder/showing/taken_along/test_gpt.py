"""A model that writes."""

import torch
from my_transformer import GPT, GPTConfig, generate


def test_it_reads_from_the_left() -> None:
    model = GPT(GPTConfig(11, 16, 2, 2, 32, max_len=8)).eval()
    ids = torch.randint(0, 11, (2, 6))
    other = ids.clone()
    other[:, 5] = (other[:, 5] + 1) % 11
    assert torch.allclose(model(ids)[:, :5], model(other)[:, :5], atol=1e-5)


def test_it_goes_on_with_a_text_and_repeats_itself_with_its_seed() -> None:
    model = GPT(GPTConfig(11, 16, 2, 1, 32, max_len=8))
    start = torch.tensor([[1, 2, 3]])
    texts = [generate(model, start, 7, generator=torch.Generator().manual_seed(0)) for _ in range(2)]
    assert torch.equal(*texts) and texts[0].shape == (1, 10) and torch.equal(texts[0][:, :3], start)
