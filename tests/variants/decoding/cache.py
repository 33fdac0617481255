"""Lesson 11: the cache of keys and values."""

import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted

# KVCache, wrong ----------------------------------------------------------------------------


class Lists:
    """A cache that keeps lists of what it was given."""

    def __init__(self) -> None:
        self.keys: list[Tensor] = []
        self.values: list[Tensor] = []

    @property
    def length(self) -> int:
        return sum(one.size(2) for one in self.keys)

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.keys.append(k)
        self.values.append(v)
        return self.all_of(self.keys), self.all_of(self.values)

    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept, dim=2)


@disguise("KVCache", "the old ones are replaced")
class c_replaced(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.keys, self.values = [k], [v]
        return k, v


@disguise("KVCache", "new ones in front")
class c_front(Lists):
    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept[::-1], dim=2)


@disguise("KVCache", "joined along another dimension")
class c_longer_keys:
    def __init__(self) -> None:
        self.both: tuple[Tensor, Tensor] | None = None

    @property
    def length(self) -> int:
        return self.both[0].shape[2] if self.both else 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.both = (
            (k, v) if self.both is None else tuple(torch.cat(two, -1) for two in zip(self.both, (k, v), strict=True))
        )
        return self.both


@disguise("KVCache", "joined along another dimension")
class c_more_texts:
    def __init__(self) -> None:
        self.kept: list[Tensor] = []

    @property
    def length(self) -> int:
        return self.kept[0].shape[2] if self.kept else 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.kept = [torch.cat(two) for two in zip(self.kept, (k, v), strict=False)] or [k, v]
        return self.kept[0], self.kept[1]


@disguise("KVCache", "keys and values exchanged")
class c_exchanged(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().append(k, v)[::-1]


@disguise("KVCache", "returns only the new ones")
class c_only_new(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        super().append(k, v)
        return k, v


@disguise("KVCache", "only the keys are kept")
class c_keys_only(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().append(k, v)[0], v


@disguise("KVCache", "only the values are kept")
class c_values_only(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.keys = []
        return k, super().append(k, v)[1]


@disguise("KVCache", "keys among the values")
class c_keys_among(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().append(k, k if self.keys else v)


@disguise("KVCache", "what is joined is not kept")
class c_not_kept(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        if not self.keys:
            return super().append(k, v)
        return torch.cat([self.keys[0], k], dim=2), torch.cat([self.values[0], v], dim=2)


@disguise("KVCache", "counts calls, not tokens")
class c_calls(Lists):
    @property
    def length(self) -> int:
        return len(self.keys)


@disguise("KVCache", "the size of another dimension")
class c_heads(Lists):
    @property
    def length(self) -> int:
        return self.keys[0].shape[1] if self.keys else 0


# KVCache, right ----------------------------------------------------------------------------

slips(
    "KVCache",
    Lists,
    {
        "the old ones are replaced": {
            "self.keys.append(k)": "self.keys = [k]",
            "self.values.append(v)": "self.values = [v]",
        },
        "new ones in front": {"keys.append(k)": "keys.insert(0, k)", "values.append(v)": "values.insert(0, v)"},
        "joined along another dimension": [
            {"torch.cat(kept, dim=2)": f"torch.cat(kept{dim})"} for dim in (", dim=1", "")
        ],
        "keys and values exchanged": {
            "self.all_of(self.keys), self.all_of(self.values)": "self.all_of(self.values), self.all_of(self.keys)"
        },
        "returns only the new ones": {"self.all_of(self.keys), self.all_of(self.values)": "k, v"},
        "only the keys are kept": {"self.values.append(v)": "self.values = [v]"},
        "keys among the values": {"values.append(v)": "values.append(v if len(self.keys) == 1 else k)"},
        "counts calls, not tokens": {"sum(one.size(2) for one in self.keys)": "len(self.keys)"},
    },
)


class c_counted:
    """Counts for itself."""

    def __init__(self) -> None:
        self.length = 0
        self.pair = None

    def append(self, k: Tensor, v: Tensor) -> list[Tensor]:
        self.length += k.shape[-2]
        old = self.pair
        self.pair = [k, v] if old is None else [torch.cat([old[0], k], 2), torch.cat([old[1], v], 2)]
        return self.pair


slips(
    "KVCache",
    c_counted,
    {
        "the old ones are replaced": {
            "self.length += k.shape[-2]\n        old": "self.length = k.shape[-2]\n        old",
            " if old is None else [torch.cat([old[0], k], 2), torch.cat([old[1], v], 2)]": "",
        },
        "new ones in front": {"[old[0], k]": "[k, old[0]]", "[old[1], v]": "[v, old[1]]"},
        "keys and values exchanged": {"return self.pair": "return self.pair[::-1]"},
        "returns only the new ones": {"return self.pair": "return [k, v]"},
        "only the keys are kept": {"torch.cat([old[1], v], 2)": "v"},
        "keys among the values": [{"[old[1], v]": "[old[1], k]"}, {"[k, v] if": "[k, k] if"}],
        "what is joined is not kept": {
            "        self.length += k.shape[-2]\n": "        self.length = self.length or k.shape[-2]\n",
            "self.pair = [k, v] if old is None else [torch.cat([old[0], k], 2), torch.cat([old[1], v], 2)]": (
                "self.pair = old or [k, v]\n"
                "        return self.pair if old is None else [torch.cat([old[0], k], 2), torch.cat([old[1], v], 2)]"
            ),
        },
        "counts calls, not tokens": {"+= k.shape[-2]": "+= 1"},
        "new ones in front + counts calls, not tokens": {
            "[old[0], k]": "[k, old[0]]",
            "[old[1], v]": "[v, old[1]]",
            "+= k.shape[-2]": "+= 1",
        },
    },
)


class c_stacked:
    """Keys and values in one tensor."""

    def __init__(self) -> None:
        self.both = None

    length = property(lambda self: 0 if self.both is None else self.both.shape[3])

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        new = torch.stack([k, v])
        self.both = new if self.both is None else torch.cat([self.both, new], 3)
        return self.both.unbind(0)


slips(
    "KVCache",
    c_stacked,
    {
        "the old ones are replaced": {"new if self.both is None else torch.cat([self.both, new], 3)": "new"},
        "new ones in front": {"[self.both, new]": "[new, self.both]"},
        "joined along another dimension": [{"new], 3)": f"new], {dim})"} for dim in (1, 2, 4)],
        "keys and values exchanged": {"self.both.unbind(0)": "self.both.flip(0).unbind(0)"},
        "returns only the new ones": {"self.both.unbind(0)": "new.unbind(0)"},
        "the size of another dimension": [{"both.shape[3]": f"both.shape[{dim}]"} for dim in (1, 2, 4)],
        "keys and values exchanged + the size of another dimension": {
            "both.shape[3]": "both.shape[2]",
            "self.both.unbind(0)": "self.both.flip(0).unbind(0)",
        },
    },
)


@correct("KVCache")
class c_reserved:
    """Room is reserved, and doubled when it is full."""

    def __init__(self) -> None:
        self.room: Tensor | None = None
        self.length = 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        end = self.length + k.size(2)
        if self.room is None or end > self.room.size(3):
            room = k.new_empty(2, k.size(0), k.size(1), 2 * end, k.size(3))
            if self.room is not None:
                room[:, :, :, : self.length] = self.room[:, :, :, : self.length]
            self.room = room
        self.room[0, :, :, self.length : end], self.room[1, :, :, self.length : end] = k, v
        self.length = end
        return self.room[0, :, :, :end], self.room[1, :, :, :end]


class c_module(nn.Module):
    """Buffers of a module."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("k", None)
        self.register_buffer("v", None)

    @property
    def length(self) -> int:
        return 0 if self.k is None else self.k.shape[2]

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.k = k.clone() if self.k is None else torch.concat((self.k, k), 2)
        self.v = v.clone() if self.v is None else torch.concat((self.v, v), 2)
        return self.k.clone(), self.v.clone()


slips(
    "KVCache",
    c_module,
    {
        "joined along another dimension": [
            {"(self.k, k), 2)": f"(self.k, k), {dim})", "(self.v, v), 2)": f"(self.v, v), {dim})"} for dim in (0, 1, 3)
        ],
        "keys among the values": [{"(self.v, v)": "(self.v, k)"}, {"v.clone() if": "k.clone() if"}],
        "only the keys are kept": {"v.clone() if self.v is None else torch.concat((self.v, v), 2)": "v.clone()"},
        "only the values are kept": {"k.clone() if self.k is None else torch.concat((self.k, k), 2)": "k.clone()"},
        "keys and values exchanged": {"self.k.clone(), self.v.clone()": "self.v.clone(), self.k.clone()"},
        "returns only the new ones": {"self.k.clone(), self.v.clone()": "k.clone(), v.clone()"},
        "the size of another dimension": [{"self.k.shape[2]": f"self.k.shape[{dim}]"} for dim in (0, 1, 3)],
        "new ones in front": {"(self.k, k)": "(k, self.k)", "(self.v, v)": "(v, self.v)"},
    },
)


# KVCache, wrong in other ways ----------------------------------------------------------------------------


@unlisted("KVCache")
class c_one_for_all(Lists):
    keys: list[Tensor] = []  # noqa: RUF012
    values: list[Tensor] = []  # noqa: RUF012

    def __init__(self) -> None:
        pass


@unlisted("KVCache")
class c_flat(Lists):
    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept, dim=2).flatten(0, 1)


@unlisted("KVCache")
class c_last_two(Lists):
    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept[-2:], dim=2)


@unlisted("KVCache")
class c_added:
    def __init__(self) -> None:
        self.k, self.v, self.length = 0, 0, 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.k, self.v, self.length = self.k + k, self.v + v, self.length + k.size(2)
        return self.k, self.v


@disguise("KVCache", "the length is off by one")
class c_one_less(Lists):
    @property
    def length(self) -> int:
        return max(0, super().length - 1)


@disguise("KVCache", "stacked instead of joined")
class c_stacked(Lists):
    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.stack(kept, dim=-2)
