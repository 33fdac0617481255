"""A model that reads both ways."""

import torch
from my_transformer import BERT, BertConfig


def test_it_reads_both_ways() -> None:
    model = BERT(BertConfig(11, 16, 2, 1, 32, max_len=8)).eval()
    ids = torch.randint(1, 11, (1, 6))
    other = ids.clone()
    other[:, 5] = 1 + other[:, 5] % 10
    assert not torch.allclose(model(ids)[0][:, 0], model(other)[0][:, 0])
