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
    edit(
        {DONE: DONE.replace("scaled.flatten(2)", "scaled.transpose(2, 3).flatten(2)")},
        says="Your new places come column by column. They are promised row by row, as patches come: `.flatten(2)` does that while height stands before width.",
    ),
    edit(
        {PICTURE: f"{PICTURE}.transpose(2, 3)"},
        says="The old grid lies on its side when it is scaled: its columns are made rows of. A picture is (1, d_model, down, across).",
    ),
)

interpolate_positions.mistake(
    "the class token's vector is lost",
    "The class token's vector is missing from the result. It has no place in the grid, but the model needs it: put it in front again.",
    {DONE: "scaled.flatten(2).transpose(1, 2)"},
    edit(
        {SPLIT: "first, grid = table[:, :0], table[:, :-1]"},
        says="The class token's vector is taken for the first place of the grid and scaled with it; the last place is left out, and in front stands nothing. The class token has no place in the grid: `table[:, :1]` stays as it is, and the grid is `table[:, 1:]`.",
    ),
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
        {SCALED: 'F.interpolate(picture, size=new, mode="nearest-exact")'},
        says='Each new place copies the vector of the nearest old one: that is mode "nearest-exact". `mode="bilinear"` makes a mean of four, which is what is promised.',
    ),
    edit(
        {SCALED: 'F.interpolate(picture, size=new, mode="bicubic", align_corners=True)'},
        says='You scale in mode "bicubic", and with `align_corners=True`. What is promised is `mode="bilinear"` and nothing else.',
    ),
    edit(
        {SCALED: 'F.interpolate(picture, size=new, mode="bicubic", antialias=True)'},
        says='You scale in mode "bicubic", and with `antialias=True`. What is promised is `mode="bilinear"` and nothing else.',
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
    *(
        edit(
            {SCALED: f'F.interpolate(picture, size=new[{side}], mode="bilinear")'},
            says=f"Your new grid is a square: `new[{side}]` alone says both of its sides. Hand over the pair, `size=new`.",
        )
        for side in (0, 1)
    ),
)

interpolate_positions.mistake(
    "one side is not scaled",
    "The new grid has one of its sides from the old one. Both come from `new`.",
    edit(
        {SCALED: 'F.interpolate(picture, size=(new[0], across), mode="bilinear")'},
        says="The grid is scaled down its columns and not along its rows: it is as wide as before. Both sides come from `new`.",
    ),
    edit(
        {SCALED: 'F.interpolate(picture, size=(down, new[1]), mode="bilinear")'},
        says="The grid is scaled along its rows and not down its columns: it is as high as before. Both sides come from `new`.",
    ),
)

interpolate_positions.mistake(
    "the old grid comes back",
    "The grid that comes back is the old one. Its sides should be those of `new`.",
    {SCALED: "picture"},
)

interpolate_positions.mistake(
    "as many places taken for the same grid",
    "Where the new grid has as many places as the old one, you return the table as it is. 4 x 2 and 2 x 4 are as many, and they are other grids: compare the sides.",
    {SPLIT: f"if new[0] * new[1] == down * across:\n        return table\n    {SPLIT}"},
)

interpolate_positions.mistake(
    "a factor in place of a size",
    "You tell `F.interpolate` by how much to scale. It multiplies the old side by that and rounds down, and 11 times 15/11 is a little less than 15: a row of the grid is lost. `size=new` says what is wanted.",
    {SCALED: 'F.interpolate(picture, scale_factor=(new[0] / down, new[1] / across), mode="bilinear")'},
    edit(
        {
            SCALED: 'F.interpolate(picture, scale_factor=((new[0] + 0.1) / down, (new[1] + 0.1) / across), mode="bilinear")'
        },
        says="You tell `F.interpolate` by how much to scale, with 0.1 added lest a row be lost by rounding. A published model does so, and all its places lie a little beside where they should. `size=new` says what is wanted.",
    ),
)

interpolate_positions.mistake(
    "no gradient reaches the table",
    "No gradient reaches the table: it is cut off by `detach`, `.data`, `torch.no_grad()` or a new `nn.Parameter`. Whoever trains on needs it.",
    {DONE: f"{DONE}.detach()"},
    edit(
        {DONE: DONE.replace("(first,", "(first.detach(),")},
        says="No gradient reaches the class token's vector: it is cut off by `detach`, `.data` or `torch.no_grad()`. Whoever trains on needs it.",
    ),
    edit(
        {DONE: DONE.replace("scaled.flatten", "scaled.detach().flatten")},
        says="No gradient reaches the vectors of the grid: they are cut off by `detach`, `.data` or `torch.no_grad()`. Whoever trains on needs it.",
    ),
)

interpolate_positions.mistake(
    "the table in another form",
    "Your table has another form than is promised: (1, 1 + new_down * new_across, d_model).",
    edit(
        {DONE: f"{DONE}[0]"},
        says="Your table has lost its first dimension. What is promised is (1, 1 + new_down * new_across, d_model), the form of `positions`.",
    ),
    edit(
        {DONE: f"{DONE}.transpose(1, 2)"},
        says="Your table has features before places. What is promised is (1, 1 + new_down * new_across, d_model).",
    ),
    edit(
        {DONE: "scaled"},
        says="You return the scaled picture. Make rows of it again, `.flatten(2).transpose(1, 2)`, and put the class token's vector in front.",
    ),
)

interpolate_positions.mistake(
    "the class token's vector added to all",
    "The class token's vector is added to those of the grid, or taken off. It has no place in the grid, and the grid keeps nothing of it.",
    {DONE: DONE.replace("scaled.flatten(2).transpose(1, 2))", "first + scaled.flatten(2).transpose(1, 2))")},
    {SPLIT: "first, grid = table[:, :1], table[:, 1:] - table[:, :1]"},
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
    edit(
        {SPLIT: "first, grid = table.mean(dim=1, keepdim=True), table[:, 1:]"},
        says="Your class token has the mean of the whole table for its vector. It stays as it was learned.",
    ),
    edit(
        {SPLIT: "first, grid = table[:, -1:], table[:, 1:]"},
        says="Your class token has the last patch's vector. Its own is the first of the table.",
    ),
    edit(
        {SPLIT: "first, grid = table[:, 1:2], table[:, 1:]"},
        says="Your class token has the first patch's vector. Its own is the first of the table.",
    ),
)

interpolate_positions.mistake(
    "the new grid mirrored",
    "Your new grid is turned. Its first place belongs to the top left, as that of the old grid does.",
    edit(
        {SCALED: f"{SCALED}.flip(2)"},
        says="Your new grid stands upside down. Its first row is made of the first rows of the old one.",
    ),
    edit(
        {SCALED: f"{SCALED}.flip(3)"},
        says="Your new grid is mirrored, left for right. Its first column is made of the first columns of the old one.",
    ),
    {SCALED: f"{SCALED}.flip(2, 3)"},
)

interpolate_positions.mistake(
    "the vectors scaled too",
    "The vectors themselves are made longer or shorter. Only the grid is scaled: each new vector is a mean of old ones.",
    *(
        edit(
            {SCALED: f"{SCALED} * ({by})"},
            says=f"You multiply the new vectors by {told}. Only the grid is scaled: each new vector is a mean of old ones.",
        )
        for by, told in (
            ("down * across / (new[0] * new[1])", "the number of old places over that of new ones"),
            ("new[0] * new[1] / (down * across)", "the number of new places over that of old ones"),
        )
    ),
    edit(
        {SCALED: f"F.normalize({SCALED}, dim=1)"},
        says="You bring the new vectors to length 1. Each is a mean of old ones, and stays as that mean comes.",
    ),
    edit(
        {SCALED: f"(both := {SCALED}) / both.std() * picture.std()"},
        says="You give the new vectors the spread of the old ones. Each is a mean of old ones, and stays as that mean comes.",
    ),
    edit(
        {DONE: DONE.replace("(first,", "(first * (down * across / (new[0] * new[1])),")},
        says="You multiply the class token's vector by the number of old places over that of new ones. It stays as it was learned.",
    ),
)

interpolate_positions.mistake(
    "each side in another way",
    'The two sides of the grid are scaled in different ways. One call of `F.interpolate` in mode "bilinear" scales both.',
    *(
        edit(
            {
                SCALED: f"F.interpolate(F.interpolate(picture, size=(new[0], across), {down}), size=new, {across})",
            },
            says=f'The two sides of the grid are scaled in different ways: {told}. One call of `F.interpolate` in mode "bilinear" scales both.',
        )
        for down, across, told in (
            ('mode="bilinear"', 'mode="nearest"', 'each new column copies the nearest old one, as in mode "nearest"'),
            ('mode="nearest"', 'mode="bilinear"', 'each new row copies the nearest old one, as in mode "nearest"'),
            ('mode="bilinear"', 'mode="bilinear", align_corners=True', "along the rows with `align_corners=True`"),
            ('mode="bilinear", align_corners=True', 'mode="bilinear"', "down the columns with `align_corners=True`"),
        )
    ),
)

interpolate_positions.mistake(
    "the old grid repeated or padded",
    "The old grid stands in the new one as it is, and what is left is filled. The whole picture is to be scaled: `F.interpolate`.",
    edit(
        {SCALED: "F.pad(picture, (0, new[1] - across, 0, new[0] - down))"},
        says="The old grid stands in the new one as it is, and what is left is zeros. The whole picture is to be scaled: `F.interpolate`.",
    ),
    edit(
        {SCALED: "picture.repeat(1, 1, new[0] // down + 1, new[1] // across + 1)[:, :, : new[0], : new[1]]"},
        says="The old grid stands in the new one as it is, and then again from its beginning. The whole picture is to be scaled: `F.interpolate`.",
    ),
)

interpolate_positions.mistake(
    "half a patch beside",
    "You count places from the corners of patches, `i * old / new`. Patches are areas: the middle of new place i lies at `(i + 0.5) * old / new - 0.5` of the old grid. `F.interpolate` does that by itself.",
    {
        SCALED: 'torch.einsum("ia,jb,ncab->ncij", *((1 - ((torch.arange(to) * of / to).clamp(max=of - 1)[:, None] - torch.arange(of)).abs()).clamp(min=0).to(picture) for of, to in zip(old, new, strict=True)), picture)'
    },
)
