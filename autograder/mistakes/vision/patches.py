"""Wrong ways of cutting pictures up, and of putting them together."""

from autograder.checks.vision import patchify, unpatchify
from autograder.probing.mistake import edit

# patchify ----------------------------------------------------------------------------

SPLIT = "grid = images.reshape(batch, channels, down, patch_size, across, patch_size)"
TURN = "grid.permute(0, 2, 4, 1, 3, 5)"
ROWS = "grid.reshape(batch, down * across, channels * patch_size * patch_size)"

patchify.mistake(
    "strips instead of squares",
    "Your patches are strips: each holds numbers that follow one another in memory, along the rows of one channel. `reshape` and `view` only count through memory; to bring the rows of a square together takes a `permute` between two of them. A published set of exercises on the Transformer takes such strips for right.",
    {TURN: "grid"},
    edit(
        {SPLIT: "grid = images.permute(0, 2, 3, 1)", TURN: "grid"},
        says="Your patches are strips: each holds pixels that follow one another along a row of the picture, with all their channels. To bring the rows of a square together, split height and width first, and then `permute`.",
    ),
    edit(
        {SPLIT: "grid = images.transpose(2, 3)", TURN: "grid"},
        says="Your patches are strips that run down the picture: each holds numbers that follow one another along the columns of one channel. To bring the rows of a square together, split height and width first, and then `permute`.",
    ),
    edit(
        {
            SPLIT: "grid = images.reshape(batch, channels, down, across, patch_size, patch_size)",
            TURN: "grid.permute(0, 2, 3, 1, 4, 5)",
        },
        says="Within each channel your patches are strips: numbers that follow one another in memory, along the rows of the picture. Each side is split where it stands: the height into `down, patch_size`, the width behind it into `across, patch_size`. Then the `permute` brings `down` and `across` together.",
    ),
)

patchify.mistake(
    "patches come column by column",
    "Your patches come column by column: the second is the one below the first. They are promised row by row, from left to right. In the `permute`, the rows of patches stand before the columns.",
    {TURN: "grid.permute(0, 4, 2, 1, 3, 5)"},
    edit(
        {TURN: "grid.permute(0, 4, 2, 1, 5, 3)"},
        says="Your patches come column by column, and so do the pixels within each. Both are promised row by row: in the `permute`, what counts down stands before what counts across.",
    ),
)

patchify.mistake(
    "channels last within a patch",
    "Within your patches all channels of one pixel stand side by side. They are promised channel by channel: first all numbers of the first channel. With another order the weights of a convolution do not fit. In the `permute`, the channels stand before the two dimensions within a patch.",
    {TURN: "grid.permute(0, 2, 4, 3, 5, 1)"},
    edit(
        {TURN: "grid.permute(0, 2, 4, 3, 1, 5)"},
        says="Within your patches the channels stand between the rows and the columns of pixels. They are promised channel by channel: first all numbers of the first channel. In the `permute`, the channels stand before the two dimensions within a patch.",
    ),
)

patchify.mistake(
    "pixels within a patch turned",
    "Within your patches the pixels run down the columns. They are promised row by row. In the `permute`, the rows within a patch (place 3) stand before its columns (place 5).",
    {TURN: "grid.permute(0, 2, 4, 1, 5, 3)"},
)

patchify.mistake(
    "height and width exchanged",
    "The numbers of patches down and across have changed places. In a square picture nothing shows; in yours, the squares are cut from rows of another length. The height holds `down`, the width `across`.",
    {SPLIT: "grid = images.reshape(batch, channels, across, patch_size, down, patch_size)"},
    edit(
        {
            SPLIT: "grid = images.reshape(batch, channels, across, patch_size, down, patch_size)",
            TURN: "grid.permute(0, 4, 2, 1, 3, 5)",
        },
    ),
)

patchify.mistake(
    "every other pixel",
    "Your patches are not squares: each holds pixels from all over the picture, one in every so many. When a side is split, neighbours stay together in the *last* of the two new dimensions. So it is `down, patch_size`, and not `patch_size, down`.",
    {
        SPLIT: "grid = images.reshape(batch, channels, patch_size, down, patch_size, across)",
        TURN: "grid.permute(0, 3, 5, 1, 2, 4)",
    },
    {SPLIT: "grid = images.reshape(batch, channels, patch_size, down, patch_size, across)"},
    edit(
        {
            TURN: "grid.permute(0, 3, 5, 1, 2, 4)",
            ROWS: "grid.reshape(batch, patch_size * patch_size, channels * down * across)",
        },
        says="Your patches are not squares: each holds pixels from all over the picture, and there are as many of them as pixels in a square. The dimensions that count patches (2 and 4 after the split) have changed places with those within a patch (3 and 5).",
    ),
    edit(
        {TURN: "grid.permute(0, 3, 5, 1, 2, 4)"},
        says="Your patches are not squares: each holds pixels from all over the picture. In the `permute`, the dimensions that count patches (2 and 4) have changed places with those within a patch (3 and 5).",
    ),
)

patchify.mistake(
    "each channel has patches of its own",
    "Each channel is cut by itself, so there are as many times more patches as there are channels. A patch holds all channels of its place: `channels * patch_size * patch_size` numbers.",
    {
        TURN: "grid.permute(0, 1, 2, 4, 3, 5)",
        ROWS: "grid.reshape(batch, channels * down * across, patch_size * patch_size)",
    },
    {ROWS: "grid.reshape(batch, down * across * channels, patch_size * patch_size)"},
    edit(
        {TURN: "grid.permute(0, 1, 2, 4, 3, 5)"},
        says="Your squares stand channel after channel, and the last `reshape` puts those that follow one another into one patch: squares of different places. A patch holds all channels of its own place. In the `permute`, the channels (place 1) stand behind the two dimensions that count patches.",
    ),
)

patchify.mistake(
    "patches in front of the batch",
    "The dimensions of pictures and patches have changed places. What is promised is (batch, patches, features). Patches that are stacked one by one need `dim=1`: without it, `torch.stack` puts them in front.",
    {ROWS: f"{ROWS}.transpose(0, 1)"},
    edit(
        {TURN: "grid.permute(2, 4, 0, 1, 3, 5)"},
        says="The pictures of a batch are mixed: patches of the same place follow one another, of picture after picture, and only then comes the next place. The batch stays in front of what counts patches.",
    ),
)

patchify.mistake(
    "features before patches",
    "The dimensions of patches and features have changed places. A model reads rows of tokens: (batch, patches, features).",
    {ROWS: f"{ROWS}.transpose(1, 2)"},
)

patchify.mistake(
    "patches are still pictures",
    "Your patches are still small pictures, or the grid is still a grid. A token is one row of numbers: three dimensions, (batch, patches, features).",
    edit(
        {ROWS: "grid.reshape(batch, down * across, channels, patch_size, patch_size)"},
        says="Your patches are still small pictures, (batch, patches, channels, patch_size, patch_size). A token is one row of numbers: put the last three dimensions together.",
    ),
    edit(
        {ROWS: "grid.reshape(batch, down, across, channels * patch_size * patch_size)"},
        says="Your patches still stand in a grid, (batch, down, across, features). A model reads them in one row: put the two dimensions in the middle together.",
    ),
    edit(
        {ROWS: "grid"},
        says="Nothing has been put together: your result has six dimensions. One row for the patches and one for the numbers in each: a last `reshape` to (batch, patches, features).",
    ),
)

patchify.mistake(
    "all pictures in one list",
    "The patches of all pictures stand in one list. Each picture keeps its own: (batch, patches, features).",
    {ROWS: "grid.reshape(batch * down * across, channels * patch_size * patch_size)"},
)

# unpatchify ----------------------------------------------------------------------------

OPEN = "grid = patches.reshape(batch, down, across, channels, patch_size, patch_size)"
BACK = "grid.permute(0, 3, 1, 4, 2, 5)"
WHOLE = "grid.reshape(batch, channels, height, width)"

unpatchify.mistake(
    "confetti",
    "Nothing brings the rows of a picture together again: `reshape` alone lays patch after patch into the picture as strips. Between splitting and putting together stands a `permute`.",
    {BACK: "grid"},
    edit(
        {BACK: "grid.permute(0, 3, 1, 2, 4, 5)"},
        says="The channels are in front, and within each the patches are laid into the picture one after the other, as strips. The first row of pixels needs the first row of *every* patch across: rows of patches, rows within a patch, columns of patches, columns within one.",
    ),
)

unpatchify.mistake(
    "the way there once more",
    "You use the `permute` of `patchify` once more. It brought (channels, down, rows, across, columns) into another order; from that order the same numbers lead somewhere else. Say for each dimension of the result where it stands now: channels at 3, down at 1, rows at 4, across at 2, columns at 5.",
    {BACK: "grid.permute(0, 2, 4, 1, 3, 5)"},
)

unpatchify.mistake(
    "patches come column by column",
    "You fill the picture column by column: the second patch goes below the first. It belongs to the right of the first: patches come row by row.",
    {
        OPEN: "grid = patches.reshape(batch, across, down, channels, patch_size, patch_size)",
        BACK: "grid.permute(0, 3, 2, 4, 1, 5)",
    },
)

unpatchify.mistake(
    "channels last within a patch",
    "You read each patch as if all channels of a pixel stood side by side. `patchify` lays it out channel by channel: split the features into (channels, patch_size, patch_size).",
    {
        OPEN: "grid = patches.reshape(batch, down, across, patch_size, patch_size, channels)",
        BACK: "grid.permute(0, 5, 1, 3, 2, 4)",
    },
)

unpatchify.mistake(
    "channels split off first",
    "You split the channels off in front of the patches, as if all patches of the first channel came first. A row of features holds all channels of its own patch: split the patches into (down, across), and the features behind them into (channels, patch_size, patch_size).",
    {
        OPEN: "grid = patches.reshape(batch, channels, down, across, patch_size, patch_size)",
        BACK: "grid.permute(0, 1, 2, 4, 3, 5)",
    },
)

unpatchify.mistake(
    "pixels within a patch turned",
    "Within each patch your pixels run down the columns. Rows within a patch (place 4) go with rows of patches (place 1), and columns (5) with columns (2).",
    {BACK: "grid.permute(0, 3, 1, 5, 2, 4)"},
)

unpatchify.mistake(
    "patches between the pixels",
    "The pixels of each patch are spread over the whole picture. In a row of the picture, patches come first and the pixels within a patch behind them: down before rows, across before columns.",
    {BACK: "grid.permute(0, 3, 4, 1, 5, 2)"},
)

unpatchify.mistake(
    "height and width exchanged",
    "Height and width have changed places. In a square picture nothing shows. A picture is (batch, channels, height, width), and `down` patches fit into its height.",
    edit(
        {OPEN: "grid = patches.reshape(batch, across, down, channels, patch_size, patch_size)"},
        says="The numbers of patches down and across have changed places. In a square picture nothing shows. The height holds `down`, the width `across`.",
    ),
    edit(
        {WHOLE: "grid.reshape(batch, channels, width, height)"},
        says="Your picture is (batch, channels, width, height): its rows have another length. In a square one nothing shows. The height comes first.",
    ),
    edit(
        {WHOLE: f"{WHOLE}.transpose(2, 3)"},
        says="Your picture lies on its side: rows have become columns. Leave it as (batch, channels, height, width).",
    ),
    edit(
        {
            OPEN: "grid = patches.reshape(batch, across, down, channels, patch_size, patch_size)",
            WHOLE: "grid.reshape(batch, channels, width, height)",
        },
        says="Height and width have changed places throughout: you put together a picture of width x height. In a square one nothing shows. `down` is how many patches fit into the height, and the height comes first.",
    ),
)

unpatchify.mistake(
    "channels last in the picture",
    "Your channels stand last, as in a picture that matplotlib draws. torch's pictures are (batch, channels, height, width).",
    {BACK: "grid.permute(0, 1, 4, 2, 5, 3)", WHOLE: "grid.reshape(batch, height, width, channels)"},
)
