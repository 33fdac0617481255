"""Pictures as sentences."""

import torch
from my_transformer import VisionConfig, VisionTransformer, attention_rollout, patchify, unpatchify


def test_a_picture_comes_back_from_its_patches() -> None:
    images = torch.randn(2, 3, 4, 6)
    patches = patchify(images, 2)
    assert patches.shape == (2, 6, 12) and torch.equal(unpatchify(patches, 2, 4, 6), images)


def test_it_names_what_it_sees() -> None:
    model = VisionTransformer(VisionConfig()).eval()
    assert model(torch.randn(2, 1, 8, 8)).shape == (2, 10)


def test_what_a_token_is_made_of_sums_to_one() -> None:
    layers = [torch.softmax(torch.randn(1, 2, 5, 5), dim=-1) for _ in range(3)]
    assert torch.allclose(attention_rollout(layers).sum(dim=-1), torch.ones(1, 5), atol=1e-5)
