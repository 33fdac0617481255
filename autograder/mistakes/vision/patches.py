"""Wrong ways of cutting pictures up, and of putting them together."""

from collections.abc import Iterator
from itertools import combinations, permutations

from autograder.checks.vision import patchify, unpatchify
from autograder.probing.mistake import Way, edit


def in_other_orders(right: str, known: tuple[str, ...], says: str) -> Iterator[Way]:
    """A `permute` in which two or three dimensions have changed places, but for the orders that have a name."""
    text = f"grid.permute({', '.join(right)})"
    orders = {
        "".join(dict(zip(those, turned, strict=True)).get(digit, digit) for digit in right)
        for count in (2, 3)
        for those in combinations(right[1:], count)
        for turned in permutations(those)
    }
    for order in sorted(orders - {right, *known}):
        # The digits in one word: a pair of two such edits would be a third order, and neither of them.
        yield edit({text: f'grid.permute(*map(int, "{order}"))'}, says=says.format(f"`.permute({', '.join(order)})`"))


# patchify ----------------------------------------------------------------------------

SPLIT = "grid = images.reshape(batch, channels, down, patch_size, across, patch_size)"
TURN = "grid.permute(0, 2, 4, 1, 3, 5)"
ROWS = "grid.reshape(batch, down * across, channels * patch_size * patch_size)"

patchify.mistake(
    "strips instead of squares",
    "Your patches are strips: each holds numbers that follow one another in memory, along the rows of one channel. `reshape` and `view` only count through memory; to bring the rows of a square together takes a `permute` between two of them. A published set of exercises on the Transformer takes such strips for right.",
    {TURN: "grid"},
    {SPLIT: "grid = images", TURN: "grid", ROWS: ROWS.replace("reshape", "view")},
    edit(
        {SPLIT: "grid = images.permute(0, 2, 3, 1)", TURN: "grid"},
        says="Your patches are strips: each holds pixels that follow one another along a row of the picture, with all their channels. To bring the rows of a square together, split height and width first, and then `permute`.",
    ),
    edit(
        {TURN: "grid", ROWS: "grid.flatten(3).flatten(1, 2)"},
        says="Nothing brings the rows of a square together: between splitting and putting together stands a `permute`. What counts patches (down, across) comes in front, and what lies within a patch behind it.",
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
    edit(
        {
            SPLIT: "starts = [(y, x) for y in range(0, height, patch_size) for x in range(0, width, patch_size)]\n"
            "    grid = torch.stack([images[:, :, x : x + patch_size, y : y + patch_size].flatten(1) for y, x in starts], 1)",
            TURN: "grid",
        },
        says="Where you cut a square out, height and width have changed places: of (batch, channels, height, width), what goes down belongs to the third dimension. In square pictures the patches then come column by column; in others the squares are cut off at the edge.",
    ),
    edit(
        {SPLIT: SPLIT.replace("images.", "images.transpose(2, 3).")},
        says="You turn the pictures on their side, and then split them as if they still stood: `down` belongs to the height, and the height now comes last. Split them as they are given.",
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
    "patch_size taken for a number of patches",
    "You cut each side into `patch_size` pieces. `patch_size` is the side of a square, and `down` and `across` are how many fit. `chunk` is given how many pieces there are to be, `split` how long each is.",
    {
        SPLIT: "grid = images.reshape(batch, channels, patch_size, down, patch_size, across)",
        ROWS: "grid.reshape(batch, patch_size * patch_size, channels * down * across)",
    },
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
        {ROWS: f"{ROWS}.unflatten(2, (channels, patch_size, patch_size))"},
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
    {ROWS: f"{ROWS}.flatten(0, 1)"},
)

patchify.mistake(
    "the dimensions in another order",
    "Between the two `reshape`, the dimensions come into another order than they should.",
    *in_other_orders(
        "024135",
        ("042135", "024315", "024153", "035124", "012435", "012345", "024351", "204135"),
        "Between splitting and putting together, your dimensions come into another order: as by {}, counted in (batch, channels, down, rows within, across, columns within). First comes what counts patches (2, 4), then the channels (1), then rows and columns within a patch (3, 5).",
    ),
    edit(
        {TURN: "grid.permute(0, 3, 1, 4, 2, 5)"},
        says="Your order is that by which `unpatchify` leads back, `.permute(0, 3, 1, 4, 2, 5)`. Here the dimensions are still (batch, channels, down, rows within, across, columns within). First comes what counts patches (2, 4), then the channels (1), then rows and columns within a patch (3, 5).",
    ),
    edit(
        {TURN: "grid.permute(0, 4, 2, 3, 5, 1)"},
        says="Your patches come column by column, and within each all channels of a pixel stand side by side. Patches are promised row by row (2, then 4), and within one first all numbers of the first channel (1, then 3 and 5).",
    ),
    edit(
        {SPLIT: "grid = images.reshape(batch, channels, down, across, patch_size, patch_size)"},
        says="You split into (down, across, patch_size, patch_size), and the `permute` counts on (down, patch_size, across, patch_size). Each side is split where it stands: the height into `down, patch_size`, the width behind it into `across, patch_size`.",
    ),
)

patchify.mistake(
    "the patches in the opposite order",
    "Your patches come from the last to the first. They are promised row by row, from the left in each row.",
    {ROWS: f"{ROWS}.flip(1)"},
    edit(
        {ROWS: f"{ROWS}.flip(2)"},
        says="Within each of your patches the numbers come from the last to the first. They are promised channel by channel, and each channel row by row.",
    ),
    *(
        edit({TURN: f"{TURN}.flip({place})"}, says=f"{turned} {right}")
        for place, turned, right in (
            (1, "The rows of patches come from the lowest to the highest.", "The first patches are those at the top."),
            (2, "Within a row your patches come from the right.", "The first patch of a row is the one on the left."),
            (4, "Each of your squares stands upside down.", "Within a patch the highest row of pixels comes first."),
            (5, "Each of your squares is mirrored.", "Within a patch each row of pixels begins on the left."),
        )
    ),
)

patchify.mistake(
    "the pictures mirrored",
    "You turn the pictures before you cut them. Cut them as they are.",
    edit(
        {SPLIT: SPLIT.replace("images", "images.flip(2)")},
        says="You cut pictures that stand upside down: the lowest row of pixels comes first. Begin at the top.",
    ),
    edit(
        {SPLIT: SPLIT.replace("images", "images.flip(3)")},
        says="You cut pictures that are mirrored: the last column of pixels comes first. Begin at the left.",
    ),
    edit(
        {SPLIT: SPLIT.replace("images", "images.flip(1)")},
        says="The channels come from the last to the first. They keep their order.",
    ),
)

patchify.mistake(
    "one picture or one channel alone",
    "Not all pictures, or not all channels, are in your patches.",
    edit(
        {ROWS: f"{ROWS}[:1]"},
        says="You return the patches of the first picture alone. Every picture of the batch has its own.",
    ),
    edit(
        {ROWS: f"{ROWS}[0]"},
        says="You return the patches of the first picture alone, without a batch. What is promised is (batch, patches, features).",
    ),
    edit(
        {SPLIT: SPLIT.replace("images", "images[:1].expand_as(images)")},
        says="All pictures of a batch have the patches of the first. Every picture has its own.",
    ),
    edit(
        {SPLIT: f"images, channels = images[:, :1], 1\n    {SPLIT}"},
        says="Your patches hold the first channel alone. A patch holds all channels of its place: `channels * patch_size * patch_size` numbers.",
    ),
    edit(
        {SPLIT: SPLIT.replace("images", "images[:, :1].expand_as(images)")},
        says="All channels of your patches are the first one. A patch holds each channel of its place.",
    ),
    edit(
        {SPLIT: f"images, channels = images.mean(dim=1, keepdim=True), 1\n    {SPLIT}"},
        says="Your patches hold the mean of the channels. A patch holds each channel of its place: `channels * patch_size * patch_size` numbers.",
    ),
    edit(
        {SPLIT: f"images, channels = images.sum(dim=1, keepdim=True), 1\n    {SPLIT}"},
        says="Your patches hold the sum of the channels. A patch holds each channel of its place: `channels * patch_size * patch_size` numbers.",
    ),
)

patchify.mistake(
    "the numbers in rows of another length",
    "The last step groups the numbers otherwise than is promised: (batch, down * across, channels * patch_size * patch_size).",
    edit(
        {ROWS: f"{ROWS}.flatten(1)"},
        says="All patches of a picture stand in one row of numbers. Each has a row of its own: (batch, patches, features). Where squares are collected in a list, `torch.stack` gives them a dimension, and `torch.cat` does not.",
    ),
    edit(
        {ROWS: "grid.reshape(batch, channels * patch_size * patch_size, down * across)"},
        says="Your last `reshape` has features and patches exchanged. It makes rows of `down * across` numbers, so that each begins and ends within a patch. (batch, down * across, channels * patch_size * patch_size).",
    ),
    edit(
        {ROWS: f"{ROWS}.unflatten(2, (channels, patch_size * patch_size))"},
        says="Within your patches the channels are still a dimension of their own: (batch, patches, channels, numbers). One row for each patch holds all of them: (batch, patches, features).",
    ),
    edit(
        {ROWS: "grid.reshape(batch, down, across * channels * patch_size * patch_size)"},
        says="All patches of a row stand in one row of numbers. Each has a row of its own: (batch, down * across, features).",
    ),
    edit(
        {
            TURN: "grid.permute(0, 1, 2, 4, 3, 5)",
            ROWS: "grid.reshape(batch, channels * down, across * patch_size * patch_size)",
        },
        says="One row of yours holds a whole row of patches, and of one channel alone: the channels are still in front of what counts patches when the dimensions are put together. Bring them behind it first, by a `permute`.",
    ),
    edit(
        {ROWS: f"{ROWS}.transpose(1, 2).flatten(0, 1)"},
        says="The pictures of the batch stand within the patches: a square that is flattened whole, by `flatten()`, loses its dimension of pictures. `flatten(1)` leaves it.",
    ),
)

patchify.mistake(
    "every pixel a patch",
    "Your patches are single pixels, whatever `patch_size` says. Split height and width first, and then bring what lies within a square together.",
    {SPLIT: "grid = images", TURN: "grid.permute(0, 2, 3, 1)", ROWS: "grid.reshape(batch, height * width, channels)"},
)

patchify.mistake(
    "overlapping patches",
    "Your patches overlap: the next one begins before this one ends. Each pixel belongs to one patch. The step from patch to patch is as long as a side, `patch_size`.",
    {
        SPLIT: "grid = images.unfold(2, patch_size, 1).unfold(3, patch_size, 1).transpose(3, 4)",
        ROWS: ROWS.replace("down * across", "-1"),
    },
    *(
        edit(
            {
                SPLIT: f"grid = images.unfold(2, patch_size, {down}).unfold(3, patch_size, {across}).transpose(3, 4)",
                ROWS: ROWS.replace("down * across", "-1"),
            },
            says=f"Your patches overlap: from one {line} of patches to the next you go on by a single pixel. Each pixel belongs to one patch. The step is as long as a side, `patch_size`.",
        )
        for down, across, line in (("1", "patch_size", "row"), ("patch_size", "1", "column"))
    ),
)

patchify.mistake(
    "patches are lost",
    "Some patches are missing: there should be `down * across` of them.",
    *(
        # `stack`, as in a loop: of no patch at all it makes an error, not an empty tensor.
        edit(
            {ROWS: f"torch.stack({ROWS}[:, {part}].unbind(1), dim=1)"},
            says=f"{told} There should be `down * across` of them.",
        )
        for part, told in (
            (":1", "You return the first patch alone."),
            (
                "-1:",
                "You return the last patch alone. A list that is begun anew in the loop holds one patch in the end.",
            ),
            (":across", "You return the first row of patches alone. A `return` inside the loop ends it."),
            (
                "-across:",
                "You return the last row of patches alone. A list begun anew in the outer loop holds one row in the end.",
            ),
            (
                ":-across",
                "The last row of patches is missing. `range` leaves its end out, so that the height itself is its end.",
            ),
            ("across:", "The first row of patches is missing."),
        )
    ),
    edit(
        {ROWS: f"torch.stack([one for number, one in enumerate({ROWS}.unbind(1), 1) if number % across], dim=1)"},
        says="The last column of patches is missing. `range` leaves its end out, so that the width itself is its end.",
    ),
    edit({ROWS: f"{ROWS}[:, :-1]"}, says="The last patch is missing: there should be `down * across` of them."),
    edit({ROWS: f"{ROWS}[:, 1:]"}, says="The first patch is missing: there should be `down * across` of them."),
)

patchify.mistake(
    "the pixels changed",
    "The numbers of the pixels are changed. `patchify` only puts them into another order; what they are to be is decided elsewhere.",
    *(
        edit(
            {ROWS: changed},
            says=f"{told} `patchify` only puts the pixels into another order; what they are to be is decided elsewhere.",
        )
        for changed, told in (
            (f"{ROWS} / 255", "You divide the pixels by 255."),
            (f"{ROWS} * 255", "You multiply the pixels by 255."),
            (f"{ROWS} * 2 - 1", "You move the pixels from 0 to 1 onto -1 to 1."),
            (f"{ROWS}.clamp(0, 1)", "You cut the pixels off below 0 and above 1."),
            (
                "grid.mean(dim=(4, 5)).flatten(1, 2)",
                "Your patches hold one number of each channel, the mean of the square.",
            ),
        )
    ),
)

patchify.mistake(
    "the graph is cut",
    "No gradient reaches the pictures: they are cut off by `detach`, `.data`, `torch.no_grad()`, numpy or a new tensor. `reshape` and `permute` hand it on.",
    {ROWS: f"{ROWS}.detach()"},
)

# unpatchify ----------------------------------------------------------------------------

OPEN = "grid = patches.reshape(batch, down, across, channels, patch_size, patch_size)"
BACK = "grid.permute(0, 3, 1, 4, 2, 5)"
WHOLE = "grid.reshape(batch, channels, height, width)"

unpatchify.mistake(
    "confetti",
    "Nothing brings the rows of a picture together again: `reshape` alone lays patch after patch into the picture as strips. Between splitting and putting together stands a `permute`.",
    {BACK: "grid"},
    {BACK: "grid", WHOLE: "grid.flatten(4).flatten(2, 3)"},
    edit(
        {BACK: "grid.permute(0, 3, 1, 2, 4, 5)", WHOLE: "grid.flatten(4).flatten(2, 3)"},
        says="Between your `permute` and the last step the rows within a patch (place 4) still stand behind both what counts patches. A row of the picture needs `down` and the rows within a patch side by side, and then `across` and the columns.",
    ),
    edit(
        {BACK: "grid.permute(0, 3, 1, 2, 4, 5)"},
        says="The channels are in front, and within each the patches are laid into the picture one after the other, as strips. The first row of pixels needs the first row of *every* patch across: rows of patches, rows within a patch, columns of patches, columns within one.",
    ),
)

unpatchify.mistake(
    "the way there once more",
    "You use the `permute` of `patchify` once more. It brought (channels, down, rows, across, columns) into another order; from that order the same numbers lead somewhere else. Say for each dimension of the result where it stands now: channels at 3, down at 1, rows at 4, across at 2, columns at 5.",
    {BACK: "grid.permute(0, 2, 4, 1, 3, 5)"},
    {BACK: "grid.permute(0, 2, 4, 1, 3, 5)", WHOLE: "grid.flatten(4).flatten(2, 3)"},
    edit(
        {
            OPEN: "grid = patches.reshape(batch, channels, down, patch_size, across, patch_size)",
            BACK: "grid.permute(0, 2, 4, 1, 3, 5)",
        },
        says="You take the steps of `patchify` once more, as if the patches were a picture already. Split them into what they are, (down, across, channels, patch_size, patch_size), and bring what belongs together side by side.",
    ),
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
    edit(
        {
            OPEN: "grid = patches.reshape(batch, down, across, patch_size, channels, patch_size)",
            BACK: "grid.permute(0, 4, 1, 3, 2, 5)",
        },
        says="You read each patch as if the channels stood between its rows and its columns. `patchify` lays it out channel by channel: split the features into (channels, patch_size, patch_size).",
    ),
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
        {BACK: "grid.permute(0, 3, 2, 5, 1, 4)"},
        says="You put together what runs across first, and then what goes down: a picture that lies on its side, whose numbers are then laid into rows of the other length. The height comes first: `down` and the rows within a patch.",
    ),
    edit(
        {
            OPEN: "images, squares = patches.new_zeros(batch, channels, height, width), patches.unflatten(2, (channels, patch_size, patch_size))\n"
            "    for number in range(count):\n"
            "        y, x = number // across * patch_size, number % across * patch_size\n"
            "        images[:, :, x : x + patch_size, y : y + patch_size] = squares[:, number]\n"
            "    grid = images",
            BACK: "grid",
        },
        says="Where you lay a square into the picture, height and width have changed places: of (batch, channels, height, width), what goes down belongs to the third dimension. In square pictures the patches are then filled in column by column; in others they stand outside.",
    ),
    edit(
        {
            BACK: "grid.permute(0, 3, 2, 4, 1, 5)",
            WHOLE: "grid.reshape(batch, channels, across * patch_size, down * patch_size)",
        },
        says="The squares of a row stand below one another in your picture, and the rows side by side. Squares of a row belong side by side, along the width, the last dimension; the rows below one another, along the height.",
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

unpatchify.mistake(
    "the dimensions in another order",
    "Between the two `reshape`, the dimensions come into another order than they should.",
    *in_other_orders(
        "031425",
        ("012345", "031245", "024135", "031524", "034152"),
        "Between splitting and putting together, your dimensions come into another order: as by {}, counted in (batch, down, across, channels, rows within, columns within). First come the channels (3), then down and the rows within a patch (1, 4), then across and the columns within (2, 5).",
    ),
    edit(
        {
            OPEN: "grid = patches.reshape(batch, down, across, patch_size, patch_size, channels)",
            BACK: "grid.permute(0, 5, 1, 4, 2, 3)",
        },
        says="You read each patch as if all channels of a pixel stood side by side, and as if its pixels ran down the columns. `patchify` lays it out channel by channel, and each channel row by row: split the features into (channels, patch_size, patch_size).",
    ),
    edit(
        {OPEN: "grid = patches.reshape(batch, channels, down, across, patch_size, patch_size)"},
        says="You split the channels off in front of the patches, and the `permute` counts on them behind. A row of features holds all channels of its own patch: split into (down, across), and behind them into (channels, patch_size, patch_size).",
    ),
    edit(
        {
            OPEN: "grid = patches.reshape(batch, down, patch_size, across, patch_size, channels)",
            BACK: "grid.permute(0, 5, 1, 2, 3, 4)",
        },
        says="You read the numbers as if they were a picture with its channels last. Patches come one after the other, (down, across), and within each channels, rows and columns.",
    ),
)

unpatchify.mistake(
    "features before patches",
    "You read (batch, features, patches), so that numbers of different patches stand in one. Patches come before features: reshape them as they are.",
    {OPEN: OPEN.replace("patches.reshape", "patches.transpose(1, 2).reshape")},
)

unpatchify.mistake(
    "the picture in another form",
    "Your picture has another form than is promised: (batch, channels, height, width).",
    edit(
        {WHOLE: "grid"},
        says="Nothing has been put together: your result has six dimensions. A last `reshape` to (batch, channels, height, width) puts down and rows together, and across and columns.",
    ),
    edit(
        {WHOLE: "grid.reshape(batch * channels, height, width)"},
        says="The channels of all pictures stand in one list. Each picture keeps its own: (batch, channels, height, width).",
    ),
    edit(
        {WHOLE: f"{WHOLE}.transpose(0, 1)"},
        says="The dimensions of pictures and channels have changed places. What is promised is (batch, channels, height, width).",
    ),
    edit(
        {WHOLE: f"{WHOLE}.squeeze()"},
        says="You take out every dimension of size 1: a batch of one picture, or the channel of a grey one, is then missing. Leave the `squeeze` out.",
    ),
    edit(
        {WHOLE: f"{WHOLE}.squeeze(1)"},
        says="Grey pictures lose their dimension of channels. It stays, also where it is 1: leave the `squeeze` out.",
    ),
    edit(
        {WHOLE: f"{WHOLE}.squeeze(0)"},
        says="A batch of one picture loses its dimension. It stays, also where it is 1: leave the `squeeze` out.",
    ),
    edit(
        {WHOLE: f"{WHOLE}.to(torch.uint8)"},
        says="Your pixels are whole numbers from 0 to 255. They keep the type that they came with.",
    ),
)

unpatchify.mistake(
    "one patch or one picture for all",
    "Not all patches, or not all pictures, are in your result.",
    edit({WHOLE: f"{WHOLE}[:1]"}, says="You return the first picture alone. Every picture of the batch is promised."),
    edit(
        {WHOLE: f"{WHOLE}[:, :1]"}, says="You return the first channel alone. All channels of a picture are promised."
    ),
    edit(
        {OPEN: OPEN.replace("patches.", "patches[:1].expand_as(patches).")},
        says="All your pictures are the first one. Each is put together of its own patches.",
    ),
    edit(
        {OPEN: OPEN.replace("patches.", "patches[:, :1].expand_as(patches).")},
        says="The first patch stands everywhere. Where patches are laid one by one, the next one needs the next number.",
    ),
    edit(
        {OPEN: OPEN.replace("patches.", "patches[:, :down].repeat_interleave(across, dim=1).")},
        says="All patches of a row are the same one: the number goes up with each row. It goes up with each patch.",
    ),
)

unpatchify.mistake(
    "the picture mirrored",
    "Your picture is turned. The first patch belongs to the top left, and the first number of a patch to its own top left.",
    edit({WHOLE: f"{WHOLE}.flip(2)"}, says="Your picture stands upside down. The first patches belong to the top."),
    edit(
        {WHOLE: f"{WHOLE}.flip(3)"},
        says="Your picture is mirrored, left for right. The first patch of a row belongs to the left.",
    ),
    edit({WHOLE: f"{WHOLE}.flip(1)"}, says="The channels come from the last to the first. They keep their order."),
    edit(
        {OPEN: OPEN.replace("patches.", "patches.flip(1).")},
        says="You lay the patches from the last to the first. The first one belongs to the top left.",
    ),
    edit(
        {OPEN: OPEN.replace("patches.", "patches.flip(2).")},
        says="You lay the numbers of each patch from the last to the first. They come channel by channel, row by row.",
    ),
    edit(
        {BACK: f"{BACK}.flip(2)"},
        says="The rows of patches are laid from the lowest to the highest. The first patches belong to the top.",
    ),
    edit(
        {BACK: f"{BACK}.flip(4)"},
        says="The patches of a row are laid from the right. The first one belongs to the left.",
    ),
    edit(
        {BACK: f"{BACK}.flip(3)"},
        says="Each of your squares stands upside down. The first row of a patch belongs to the top.",
    ),
    edit(
        {BACK: f"{BACK}.flip(5)"},
        says="Each of your squares is mirrored. The first number of a row belongs to the left.",
    ),
)

unpatchify.mistake(
    "the pixels changed",
    "The numbers of the pixels are changed. `unpatchify` only puts them into another order.",
    edit(
        {WHOLE: f"{WHOLE}.clamp(0, 1)"},
        says="You cut the pixels off below 0 and above 1. `unpatchify` only puts them into another order.",
    ),
    edit(
        {WHOLE: f"{WHOLE} * 255"},
        says="You multiply the pixels by 255. `unpatchify` only puts them into another order.",
    ),
    edit(
        {WHOLE: f"{WHOLE} / 255"}, says="You divide the pixels by 255. `unpatchify` only puts them into another order."
    ),
)

unpatchify.mistake(
    "the graph is cut",
    "No gradient reaches the patches: they are cut off by `detach`, `.data`, `torch.no_grad()`, numpy or a new tensor. `reshape` and `permute` hand it on.",
    {WHOLE: f"{WHOLE}.detach()"},
)
