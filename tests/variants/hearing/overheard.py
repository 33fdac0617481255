"""Lesson 19: what an adversary wrote, in other words than the mistakes' own; mostly slips in trunks that are here."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tests.variants import disguise, slips
from tests.variants.hearing import distances, ears, losses, paths, rates, transcribers

slips(
    "downsample_mask",
    ears.by_counting,
    {"not halved": {"((mask.shape[1] + 1) // 2)": "(mask.shape[1])"}},
)
slips(
    "AudioEmbedding",
    ears.InOneGo,
    {
        "the mask is a frame off": [
            {
                "heard = spectrogram.clone()": (
                    "mask = F.pad(mask, (1, 0), value=True)[:, :-1]\n        heard = spectrogram.clone()"
                )
            },
            {"heard = spectrogram.clone()": "mask = F.pad(mask, (0, 1))[:, 1:]\n        heard = spectrogram.clone()"},
        ],
        "one mask for all sounds": {
            "heard = spectrogram.clone()": "mask = mask.any(0).expand_as(mask)\n        heard = spectrogram.clone()"
        },
    },
)
slips(
    "Transcriber",
    transcribers.StepByStep,
    {
        "one mask for all sounds": [
            {"kept = mask[:, 0::2]": "kept = mask[:1, 0::2]"},
            {"kept = mask[:, 0::2]": "kept = mask.any(0, keepdim=True).expand_as(mask)[:, 0::2]"},
        ],
        "the mask is halved in another way": [
            {"kept = mask[:, 0::2]": "kept = F.pad(mask, (0, mask.size(1) % 2))[:, 1::2]"},
            {"kept = mask[:, 0::2]": "kept = mask[:, torch.arange(mask.size(1) - 1, -1, -2).flip(0)]"},
            {"kept = mask[:, 0::2]": "kept = torch.arange((mask.size(1) + 1) // 2) < (mask.sum(1) // 2)[:, None]"},
        ],
        "the spectrogram is reshaped": {
            "self.ears(spectrogram, mask)\n        kept": (
                "self.ears(spectrogram.mT.reshape(spectrogram.shape), mask)\n        kept"
            )
        },
        "the memory's mask is turned round": [
            {"memory, seen, memory_mask)": "memory, seen, memory_mask.logical_not())"},
            {"self.encoder(heard, kept)": "self.encoder(heard, kept.logical_not())"},
        ],
        "the decoder reads the padding": [
            {"return memory, kept": "return memory, kept.new_ones(kept.shape)"},
            {"(tgt_ids, memory, kept), spelled": "(tgt_ids, memory, kept | True), spelled"},
        ],
    },
)
slips(
    "ctc_greedy",
    paths.with_groups,
    {
        "the text backwards": {
            "texts.append(list(filter(lambda one: one != blank, merged)))": (
                "texts.append([one for one in merged[::-1] if one != blank])"
            )
        },
        "the last token is taken off": {"blank, merged)))": "blank, merged))[:-1])"},
        "the padding is read": {
            "tokens = row[:length]": "tokens = row",
            "in itertools.groupby(tokens)]": "in itertools.groupby(tokens)][:length]",
        },
    },
)
slips(
    "joint_loss",
    losses.padded_targets,
    {
        "the graph is cut": [
            {"each.sum() * weight": "each.sum().item() * weight"},
            {"return flat - weight * flat": "flat = flat.detach()\n    return flat - weight * flat"},
        ],
        "the weights are exchanged": [
            {"each.sum() * weight": "each.sum() * (1 - weight)"},
            {"flat - weight * flat": "weight * flat"},
        ],
    },
)
slips(
    "ctc_loss",
    paths.state_by_state,
    {
        "the graph is cut": {"return -total if": "return -total.data if"},
        "the text backwards": {"tokens = target.tolist()": "tokens = target.tolist()[::-1]"},
        "no blanks between the tokens": {
            "    labels = [blank]\n    for one in tokens:\n        labels += [one, blank]\n": (
                "    labels = tokens or [blank]\n"
            )
        },
    },
)
slips(
    "edit_distance",
    distances.with_a_memory,
    {
        "nothing is inserted": {"left(i, j + 1), ": ""},
        "nothing is deleted": {"left(i + 1, j), ": ""},
        "nothing is counted where tokens differ": {"return 1 + min": "return min"},
        "the rest of a text is not counted": {"return len(a) - i": "return 0"},
        "cut off at a length": {"return left(0, 0)": "return min(left(0, 0), len(a))"},
        "a share of the longer text": {"return left(0, 0)": "return left(0, 0) / max(1, len(a) + len(b))"},
    },
)
slips(
    "edit_distance",
    distances.whole_table,
    {"compared with another token": {"a[i - 1] == b[j - 1]": "a[i - 1] == b[j - 2]"}},
)
slips(
    "error_rate",
    rates.added_up,
    {"upside down": {"return wrong / there": "return there / max(1, wrong)"}},
)


disguise("ctc_greedy", "the text backwards")(
    paths.read(drop=lambda row, blank: [one for one in reversed(row) if one != blank])
)
disguise("ctc_greedy", "the last token is taken off")(
    paths.read(drop=lambda row, blank: list(filter(lambda one: one != blank, row))[:-1])
)


@disguise("joint_loss", "the graph is cut")
def j_cut(logits: Any, ctc: Any, labels: Any, mask: Any, weight: float, pad_id: int, eos_id: int) -> Any:
    return losses.padded_targets(logits, ctc.clone().detach(), labels, mask, weight, pad_id, eos_id)


@disguise("edit_distance", "compared with another token")
def d_one_before(a: Sequence[int], b: Sequence[int]) -> int:
    """The second text's tokens moved on by one."""
    turned = [b[place - 1] for place in range(len(b))]
    return distances.whole_table(a, turned)


@disguise("edit_distance", "cut off at a length")
def d_at_most(a: Sequence[int], b: Sequence[int]) -> int:
    edits = distances.whole_table(a, b)
    return len(a) if edits > len(a) else edits


@disguise("error_rate", "upside down")
def r_upside_down(outputs: rates.Texts, references: rates.Texts) -> float:
    total = rates.fits(outputs, references)
    return total / max(1, round(rates.added_up(outputs, references) * total))


@disguise("ctc_loss", "the graph is cut")
def l_cut(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    return paths.state_by_state(log_probs.detach(), target, blank)


@disguise("ctc_loss", "the text backwards")
def l_backwards(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    return paths.state_by_state(log_probs, target[torch.arange(len(target) - 1, -1, -1)], blank)


class Decoded(transcribers.StepByStep):
    """With a mask of the memory of its own."""

    def kept(self, mask: Tensor) -> Tensor:
        """Which vectors may be read."""
        return mask[:, 0::2]

    def encode(self, spectrogram: Tensor, mask: Tensor) -> Any:
        """The memory and its mask."""
        kept = self.kept(mask).reshape(-1, 1, 1, (mask.size(1) + 1) // 2)
        return self.encoder(self.ears(spectrogram, mask), kept), kept


@disguise("Transcriber", "one mask for all sounds")
class OfTheFirst(Decoded):
    def kept(self, mask: Tensor) -> Tensor:
        return mask[0, 0::2]


@disguise("Transcriber", "the mask is halved in another way")
class InPairs(Decoded):
    def kept(self, mask: Tensor) -> Tensor:
        even = torch.cat([mask, torch.zeros_like(mask[:, : mask.size(1) % 2])], dim=1)
        return even.unflatten(1, (-1, 2)).all(dim=2)


@disguise("Transcriber", "the spectrogram is reshaped")
class Reshaped(Decoded):
    def encode(self, spectrogram: Tensor, mask: Tensor) -> Any:
        turned = spectrogram.permute(0, 2, 1).contiguous().view(spectrogram.shape)
        return super().encode(turned, mask)


@disguise("AudioEmbedding", "the mask is a frame off")
class FrameLonger(ears.Given):
    def clean(self, x: Tensor, mask: Tensor) -> Tensor:
        longer = torch.cat([torch.ones_like(mask[:, :1]), mask[:, :-1]], dim=1)
        return super().clean(x, longer)
