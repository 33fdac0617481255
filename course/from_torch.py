"""Brings the numbers of torch's modules into ours, so that the two can be compared."""

from __future__ import annotations

from torch import Tensor, nn

RENAMED = {
    "multihead_attn.": "cross_attn.",
    "linear1.": "feed_forward.linear1.",
    "linear2.": "feed_forward.linear2.",
}
"""What a torch layer calls its parts → what ours calls them. The other names are the same."""


def load_from_torch(ours: nn.Module, theirs: nn.Module) -> None:
    """Copy the parameters of a torch module into ours, which is built in the same way.

    Args:
        ours: a MultiHeadAttention, EncoderLayer, Encoder, DecoderLayer, Decoder, or a Transformer. Of the last only the
            two stacks are filled, as torch's has neither embeddings nor an output layer.
        theirs: nn.MultiheadAttention, nn.TransformerEncoderLayer and so on, of the same sizes; stays as it is.

    Raises:
        ValueError: naming the parameters that only one of the two has, or that differ in shape.
    """
    given = renamed(theirs.state_dict())
    whole = not (hasattr(ours, "encoder") and hasattr(ours, "decoder"))
    wanted = {
        name: one for name, one in ours.state_dict().items() if whole or name.startswith(("encoder.", "decoder."))
    }
    lonely = sorted(given.keys() ^ wanted.keys())
    if lonely:
        owner = "theirs" if lonely[0] in given else "ours"
        raise ValueError(f"only {owner} has {lonely[0]}{_why(lonely[0])}")
    for name, entry in wanted.items():
        if entry.shape != given[name].shape:
            raise ValueError(f"{name} has shape {tuple(entry.shape)} in ours and {tuple(given[name].shape)} in theirs")
        entry.copy_(given[name])  # a state_dict's entries share the module's memory, and ask for no gradients


def renamed(entries: dict[str, Tensor]) -> dict[str, Tensor]:
    """torch's parameters under our names, with the fused projection of query, key and value cut into three."""
    found: dict[str, Tensor] = {}
    for name, entry in entries.items():
        for theirs, ours in RENAMED.items():
            name = name.replace(theirs, ours)
        place, fused, kind = name.rpartition("in_proj_")
        if fused:
            found |= {f"{place}{one}_proj.{kind}": third for one, third in zip("qkv", entry.chunk(3), strict=True)}
        else:
            found[name] = entry
    return found


def _why(name: str) -> str:
    ends = name.endswith(("norm.weight", "norm.bias"))
    return ": one stack ends with a norm and the other does not" if ends else ""
