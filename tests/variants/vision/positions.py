"""Lesson 18: the positions of another grid."""

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

GRID = "interpolate_positions"
Sides = tuple[int, int]


def refuse(table: Tensor, old: Sides, new: Sides) -> None:
    """The given lines."""
    if table.size(1) != 1 + old[0] * old[1]:
        raise ValueError("another grid")
    if min(new) < 1:
        raise ValueError("no grid")


def in_steps(table: Tensor, old: Sides, new: Sides) -> Tensor:
    """With names for all."""
    refuse(table, old, new)
    token = table[:, 0:1, :]
    rest = table[:, 1:, :]
    square = rest.reshape(1, old[0], old[1], -1).permute(0, 3, 1, 2)
    square = F.interpolate(square, size=(new[0], new[1]), mode="bilinear", align_corners=False)
    square = square.permute(0, 2, 3, 1).reshape(1, new[0] * new[1], -1)
    return torch.cat([token, square], 1)


slips(
    GRID,
    in_steps,
    {
        "height and width exchanged": [
            {"(1, old[0], old[1], -1)": "(1, old[1], old[0], -1)"},
            {"size=(new[0], new[1])": "size=(new[1], new[0])"},
        ],
        "the class token's vector is lost": {"torch.cat([token, square], 1)": "square"},
        "the class token's vector last": {"[token, square]": "[square, token]"},
        "the last row taken for the class token's": {
            "table[:, 0:1, :]": "table[:, -1:, :]",
            "table[:, 1:, :]": "table[:, :-1, :]",
        },
        "corners on corners": {"align_corners=False": "align_corners=True"},
        "another mode": [
            {'mode="bilinear", align_corners=False': 'mode="nearest"'},
            {'mode="bilinear"': 'mode="bicubic"'},
        ],
        "the features not brought back": {
            ".permute(0, 2, 3, 1).reshape(1, new[0] * new[1], -1)": ".reshape(1, new[0] * new[1], -1)"
        },
        "the features not brought in front": {
            "rest.reshape(1, old[0], old[1], -1).permute(0, 3, 1, 2)": "rest.reshape(1, -1, old[0], old[1])"
        },
    },
)


def by_unflatten(table: Tensor, old: Sides, new: Sides) -> Tensor:
    """split, mT and unflatten."""
    refuse(table, old, new)
    one, many = table.split([1, old[0] * old[1]], dim=1)
    scaled = F.interpolate(many.mT.unflatten(2, old), tuple(new), mode="bilinear")
    return torch.cat((one, scaled.flatten(2).mT), 1)


slips(
    GRID,
    by_unflatten,
    {
        "height and width exchanged": [
            {"unflatten(2, old)": "unflatten(2, old[::-1])"},
            {"tuple(new)": "tuple(new)[::-1]"},
            {"unflatten(2, old)": "unflatten(2, old[::-1])", "tuple(new)": "tuple(new)[::-1]"},
        ],
        "the class token's vector last": {"(one, scaled.flatten(2).mT)": "(scaled.flatten(2).mT, one)"},
        "corners on corners": {'mode="bilinear"': 'mode="bilinear", align_corners=True'},
        "another mode": [
            {', mode="bilinear"': ""},
            {'mode="bilinear"': 'mode="area"'},
            {'mode="bilinear"': 'mode="bilinear", antialias=True'},
        ],
        "neither brought in front nor back": {
            "many.mT.unflatten(2, old)": "many.reshape(1, -1, *old)",
            "scaled.flatten(2).mT": "scaled.reshape(1, -1, many.size(2))",
        },
    },
)


def feature_by_feature(table: Tensor, old: Sides, new: Sides) -> Tensor:
    """Each feature is a picture of its own."""
    refuse(table, old, new)
    columns = []
    for feature in range(table.size(2)):
        picture = table[0, 1:, feature].reshape(1, 1, *old)
        grown = F.interpolate(picture, size=new, mode="bilinear")
        columns.append(torch.cat([table[0, :1, feature], grown.reshape(-1)]))
    return torch.stack(columns, dim=1).unsqueeze(0)


slips(
    GRID,
    feature_by_feature,
    {
        "the class token's vector is lost": {
            "torch.cat([table[0, :1, feature], grown.reshape(-1)])": "grown.reshape(-1)"
        },
        "the class token's vector last": {
            "[table[0, :1, feature], grown.reshape(-1)]": "[grown.reshape(-1), table[0, :1, feature]]"
        },
        "the last row taken for the class token's": [
            {"table[0, 1:, feature]": "table[0, :-1, feature]", "table[0, :1, feature]": "table[0, -1:, feature]"},
            {"table[0, 1:, feature]": "table[0, :-1, feature]"},
        ],
        "corners on corners": {'mode="bilinear"': 'mode="bilinear", align_corners=True'},
        "height and width exchanged": {"reshape(1, 1, *old)": "reshape(1, 1, *old[::-1])"},
        "along the row alone": {
            "table[0, 1:, feature].reshape(1, 1, *old)": "table[0, 1:, feature].reshape(1, 1, -1)",
            'size=new, mode="bilinear"': 'size=new[0] * new[1], mode="linear"',
        },
    },
)


@correct(GRID)
def two_products(table: Tensor, old: Sides, new: Sides) -> Tensor:
    """The weights of a mean along each side, by hand."""
    refuse(table, old, new)

    def along(before: int, after: int) -> Tensor:
        places = ((torch.arange(after) + 0.5) * before / after - 0.5).clamp(min=0)
        low = places.floor().long().clamp(max=before - 1)
        high = (low + 1).clamp(max=before - 1)
        share = (places - low).to(table.dtype)
        eye = torch.eye(before, dtype=table.dtype)
        return eye[low] * (1 - share)[:, None] + eye[high] * share[:, None]

    grid = table[0, 1:].unflatten(0, old)
    scaled = torch.einsum("yi,xj,ijd->yxd", along(old[0], new[0]), along(old[1], new[1]), grid)
    return torch.cat([table[:, :1], scaled.flatten(0, 1)[None]], dim=1)


def parts(table: Tensor, old: Sides) -> tuple[Tensor, Tensor]:
    """The class token's row, and the picture."""
    return table[:, :1], table[:, 1:].unflatten(1, old).movedim(-1, 1)


def joined(first: Tensor, picture: Tensor) -> Tensor:
    """One table again."""
    return torch.hstack([first, picture.movedim(1, -1).flatten(1, 2)])


@disguise(GRID, "the features not brought in front")
def reshaped(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    wrong = table[:, 1:].flatten().unflatten(0, (1, table.size(2), *old))
    return joined(table[:, :1], F.interpolate(wrong, new, mode="bilinear"))


@disguise(GRID, "the features not brought back")
def left_in_front(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    first, picture = parts(table, old)
    scaled = F.interpolate(picture, new, mode="bilinear").flatten()
    return torch.hstack([first, scaled.unflatten(0, (1, -1, table.size(2)))])


@disguise(GRID, "neither brought in front nor back")
def never_turned(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    wrong = table[:, 1:].flatten().unflatten(0, (1, table.size(2), *old))
    scaled = F.interpolate(wrong, new, mode="bilinear").flatten()
    return torch.hstack([table[:, :1], scaled.unflatten(0, (1, -1, table.size(2)))])


@disguise(GRID, "height and width exchanged")
def across_and_down(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    first, picture = parts(table, old)
    down, across = new
    return joined(first, F.interpolate(picture, size=[across, down], mode="bilinear"))


@disguise(GRID, "the class token's vector is lost")
def only_the_grid(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    return joined(table[:, :0], F.interpolate(parts(table, old)[1], new, mode="bilinear"))


@disguise(GRID, "the class token's vector last")
def behind(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    first, picture = parts(table, old)
    return joined(first, F.interpolate(picture, new, mode="bilinear")).roll(-1, 1)


@disguise(GRID, "the last row taken for the class token's")
def from_the_end(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    first, picture = parts(table.roll(1, 1), old)
    return joined(first, F.interpolate(picture, new, mode="bilinear"))


@disguise(GRID, "corners on corners")
def aligned(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    first, picture = parts(table, old)
    return joined(first, F.interpolate(picture, new, None, "bilinear", True))


@disguise(GRID, "another mode")
def nearest(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    first, picture = parts(table, old)
    rows = torch.arange(new[0]) * old[0] // new[0]
    columns = torch.arange(new[1]) * old[1] // new[1]
    return joined(first, picture[:, :, rows][..., columns])


@disguise(GRID, "along the row alone")
def as_a_row(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    row = F.interpolate(table[:, 1:].permute(0, 2, 1), size=new[0] * new[1], mode="linear")
    return torch.hstack([table[:, :1], row.permute(0, 2, 1)])


@unlisted(GRID)
def token_scaled(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    first, picture = parts(table, old)
    return joined(first * 2, F.interpolate(picture, new, mode="bilinear"))


@disguise(GRID, "the new grid mirrored")
def mirrored(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    first, picture = parts(table, old)
    return joined(first, F.interpolate(picture, new, mode="bilinear").flip(-1))


@unlisted(GRID)
def the_mean_everywhere(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    first, picture = parts(table, old)
    return joined(first, picture.mean((2, 3), keepdim=True).expand(-1, -1, *new))


@disguise(GRID, "the class token's vector is another one")
def the_token_is_a_mean(table: Tensor, old: Sides, new: Sides) -> Tensor:
    refuse(table, old, new)
    _, picture = parts(table, old)
    return joined(table.mean(1, keepdim=True), F.interpolate(picture, new, mode="bilinear"))
