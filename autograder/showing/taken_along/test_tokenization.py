"""Bytes and pairs."""

from my_transformer import byte_pair_decode, byte_pair_encode, byte_pair_train, pretokenize, split_special

TEXT = "low lower lowest, naïve ☃ low"


def test_a_text_comes_back_from_its_tokens() -> None:
    merges = byte_pair_train(TEXT, 262)
    ids = byte_pair_encode(TEXT, merges)
    assert byte_pair_decode(ids, merges) == TEXT and len(ids) < len(TEXT.encode())


def test_pieces_and_special_tokens_make_up_the_text() -> None:
    assert "".join(pretokenize(TEXT)) == TEXT
    assert split_special("a<|end|>b", ["<|end|>"]) == ["a", "<|end|>", "b"]
