"""Wrong ways of making the positions of another grid."""

from autograder.checks.vision import interpolate_positions
from autograder.probing.mistake import edit

SPLIT = "first, grid = table[:, :1], table[:, 1:]"
PICTURE = "grid.transpose(1, 2).reshape(1, -1, down, across)"
SCALED = 'F.interpolate(picture, size=new, mode="bilinear")'
DONE = "torch.cat((first, scaled.flatten(2).transpose(1, 2)), dim=1)"

interpolate_positions.mistake(
    "the features not brought in front",
    "The table is cut into a picture by `reshape` or `view` alone. Its features stand last and a picture has its channels in front; to exchange the two takes `transpose(1, 2)`.",
    {PICTURE: "grid.reshape(1, -1, down, across)"},
)

interpolate_positions.mistake(
    "the features not brought back",
    "On the way back, places and features are not exchanged: the numbers of one feature stand where those of one place belong. `.flatten(2).transpose(1, 2)`.",
    {DONE: "torch.cat((first, scaled.reshape(1, -1, table.size(2))), dim=1)"},
)

interpolate_positions.mistake(
    "neither brought in front nor back",
    "Places and features are never exchanged: both times the numbers are only counted through. A picture has its channels in front: `transpose(1, 2)` before, and once more behind.",
    {
        PICTURE: "grid.reshape(1, -1, down, across)",
        DONE: "torch.cat((first, scaled.reshape(1, -1, table.size(2))), dim=1)",
    },
)

interpolate_positions.mistake(
    "height and width exchanged",
    "Down and across have changed places, in the old grid or in the new one. In square grids nothing shows.",
    edit(
        {PICTURE: "grid.transpose(1, 2).reshape(1, -1, across, down)"},
        says="In the old grid, down and across have changed places. In a square one nothing shows. `old` is (down, across), as rows and columns of a picture are.",
    ),
    edit(
        {SCALED: 'F.interpolate(picture, size=new[::-1], mode="bilinear")'},
        says="In the new grid, down and across have changed places. In a square one nothing shows. `F.interpolate` wants (height, width), which is how `new` comes.",
    ),
    edit(
        {
            PICTURE: "grid.transpose(1, 2).reshape(1, -1, across, down)",
            SCALED: 'F.interpolate(picture, size=new[::-1], mode="bilinear")',
        },
        says="Down and across have changed places, in the old grid and in the new one. In square ones nothing shows. Both come as (down, across), as rows and columns of a picture are.",
    ),
)

interpolate_positions.mistake(
    "the class token's vector is lost",
    "The class token's vector is missing from the result. It has no place in the grid, but the model needs it: put it in front again.",
    {DONE: "scaled.flatten(2).transpose(1, 2)"},
)

interpolate_positions.mistake(
    "the class token's vector last",
    "The class token's vector stands behind those of the grid. It is the first of the table, and stays the first.",
    {DONE: "torch.cat((scaled.flatten(2).transpose(1, 2), first), dim=1)"},
)

interpolate_positions.mistake(
    "the last row taken for the class token's",
    "You take the last row of the table for the class token's. It is the first: the grid is `table[:, 1:]`.",
    {SPLIT: "first, grid = table[:, -1:], table[:, :-1]"},
    edit(
        {SPLIT: "first, grid = table[:, :1], table[:, :-1]"},
        says="Your grid begins with the class token's row and lacks the last patch. The class token's row is the first one; the grid is `table[:, 1:]`.",
    ),
)

interpolate_positions.mistake(
    "corners on corners",
    "You scale with `align_corners=True`, so that the outermost places keep their vectors and all others move. Patches are areas and not points; left at its default, `F.interpolate` takes them so.",
    {SCALED: 'F.interpolate(picture, size=new, mode="bilinear", align_corners=True)'},
)

interpolate_positions.mistake(
    "another mode",
    "You scale in another mode than the one that is promised, `bilinear`.",
    edit(
        {SCALED: "F.interpolate(picture, size=new)"},
        says='Each new place copies the vector of an old one: without a mode, `F.interpolate` takes the nearest. `mode="bilinear"` makes a mean of four, which is what is promised.',
    ),
    edit(
        {SCALED: 'F.interpolate(picture, size=new, mode="bicubic")'},
        says='You scale in mode "bicubic". Many models do; what is promised here is "bilinear", whose numbers lie between those of the old places.',
    ),
    edit(
        {SCALED: 'F.interpolate(picture, size=new, mode="area")'},
        says='You scale in mode "area". What is promised is "bilinear".',
    ),
    edit(
        {SCALED: 'F.interpolate(picture, size=new, mode="bilinear", antialias=True)'},
        says='You scale with `antialias=True`, which takes more old places into each new one where the grid becomes smaller. What is promised is `mode="bilinear"` and nothing else.',
    ),
)

interpolate_positions.mistake(
    "along the row alone",
    "You scale the row of places as a row, without its grid: a new place lies between patches that follow one another, also where one ends a line and the next begins another. Make a picture of the grid first.",
    {
        PICTURE: "grid.transpose(1, 2)",
        SCALED: 'F.interpolate(picture, size=new[0] * new[1], mode="linear").unsqueeze(2)',
    },
    edit(
        {
            SPLIT: "first, grid = table[:, :0], table",
            PICTURE: "grid.transpose(1, 2)",
            SCALED: 'F.interpolate(picture, size=1 + new[0] * new[1], mode="linear").unsqueeze(2)',
        },
        says="You scale the whole table as a row, the class token's vector with it. It has no place in the grid and stays as it is; the others are a picture, and scaled as one.",
    ),
)

interpolate_positions.mistake(
    "a grid taken for a square",
    "You take the root of the number of patches for the sides of the grid. That is right for square pictures alone; the sides stand in `old`.",
    {PICTURE: "grid.transpose(1, 2).reshape(1, -1, int((down * across) ** 0.5), int((down * across) ** 0.5))"},
    edit(
        {PICTURE: "grid.transpose(1, 2).reshape(1, table.size(2), int((down * across) ** 0.5), -1)"},
        says="You take the root of the number of patches for the height of the grid. That is right for square pictures alone; the sides stand in `old`.",
    ),
)

interpolate_positions.mistake(
    "a piece of the old grid",
    "You cut the new grid out of the old one, from its first corner. The whole picture is to be scaled: `F.interpolate`.",
    {SCALED: "picture[:, :, : new[0], : new[1]]"},
)

interpolate_positions.mistake(
    "the class token's vector is another one",
    "Your class token has the mean of the grid for its vector. It stays as it was learned.",
    {DONE: "torch.cat((scaled.flatten(2).mean(dim=2).unsqueeze(1), scaled.flatten(2).transpose(1, 2)), dim=1)"},
    {DONE: "torch.cat((grid.mean(dim=1, keepdim=True), scaled.flatten(2).transpose(1, 2)), dim=1)"},
    edit(
        {DONE: "torch.cat((torch.zeros_like(first), scaled.flatten(2).transpose(1, 2)), dim=1)"},
        says="Your class token has zeros for its vector. It stays as it was learned.",
    ),
)
