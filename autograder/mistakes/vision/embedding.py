"""Wrong ways of making tokens of patches."""

from autograder.checks.vision import patch_embedding
from autograder.probing.mistake import edit

LAYER = "self.projection = nn.Linear(config.patch_features, config.d_model)"
PATCHES = "patchify(images, config.patch_size)"
TOKENS = f"self.projection({PATCHES})"
KERNEL = "config.d_model, config.patch_size, stride=config.patch_size"
ROWS = "len(images), config.num_patches, config.patch_features"
SIZES = "len(images), config.channels, config.height // config.patch_size, config.width // config.patch_size"
SQUARES = f"{PATCHES}.unflatten(2, (config.channels, config.patch_size, config.patch_size))"
FLAT = "images.reshape(len(images), config.num_patches, config.patch_features)"

patch_embedding.mistake(
    "no bias",
    "The linear layer has no bias. In this course all of them have one, and `nn.Linear` makes it unless it is told otherwise.",
    {"config.d_model)\n        # END": "config.d_model, bias=False)\n        # END"},
)

patch_embedding.mistake(
    "a convolution as the layer",
    "Your `projection` is a convolution. It computes the same, but its weight has four dimensions, and what is promised here is a linear layer: `nn.Linear(config.patch_features, config.d_model)`. Behind the check, the page moves the weights from one into the other.",
    {
        LAYER: f"self.projection = nn.Conv2d(config.channels, {KERNEL})",
        TOKENS: "self.projection(images).flatten(2).transpose(1, 2)",
    },
)

patch_embedding.mistake(
    "an activation behind the layer",
    "Behind the linear layer stands an activation. Patches are projected and nothing else: an activation would cut away what lies below zero before the first layer could read it.",
    {TOKENS: f"torch.relu({TOKENS})"},
    {TOKENS: f"F.gelu({TOKENS})"},
    {TOKENS: f"torch.tanh({TOKENS})"},
    {TOKENS: f"torch.sigmoid({TOKENS})"},
    {TOKENS: f"F.leaky_relu({TOKENS})"},
    {TOKENS: f"F.silu({TOKENS})"},
    edit(
        {TOKENS: f"{TOKENS}.softmax(dim=-1)"},
        says="Behind the linear layer stands a softmax, so that the features of a token are shares of 1. Patches are projected and nothing else.",
    ),
)

patch_embedding.mistake(
    "more than a linear layer",
    "`projection` is a chain of modules. What is promised is one linear layer, `nn.Linear(config.patch_features, config.d_model)`, with its `weight` and its `bias`.",
    edit(
        {
            LAYER: LAYER.replace(
                "nn.Linear(config.patch_features, config.d_model)",
                "nn.Sequential(nn.Linear(config.patch_features, config.d_model))",
            )
        },
        says="Your linear layer stands in an `nn.Sequential`, so that its weight is called `projection.0.weight`. Below, the page moves `projection.weight` into a convolution: take the layer itself.",
    ),
    *(
        edit(
            {LAYER: LAYER.replace("nn.Linear(config.patch_features, config.d_model)", f"nn.Sequential({chain})")},
            says=f"Your `projection` is a chain: {told}. A patch is projected and nothing else: one `nn.Linear`.",
        )
        for chain, told in (
            (
                "nn.Linear(config.patch_features, config.d_model), nn.ReLU()",
                "behind the linear layer stands an activation",
            ),
            (
                "nn.Linear(config.patch_features, config.d_model), nn.GELU()",
                "behind the linear layer stands an activation",
            ),
            (
                "nn.Linear(config.patch_features, config.d_model), nn.LayerNorm(config.d_model)",
                "behind the linear layer stands a norm",
            ),
            (
                "nn.LayerNorm(config.patch_features), nn.Linear(config.patch_features, config.d_model), nn.LayerNorm(config.d_model)",
                "in front of the linear layer stands a norm, and behind it another",
            ),
        )
    ),
)

patch_embedding.mistake(
    "a matrix as the layer",
    "Your `projection` is a parameter, and no layer: it has no bias, and no `weight` to be moved into a convolution. `nn.Linear` has both.",
    {
        LAYER: "self.projection = nn.Parameter(torch.randn(config.patch_features, config.d_model))",
        TOKENS: f"({PATCHES} @ self.projection)",
    },
    {
        LAYER: "self.projection = nn.Parameter(torch.randn(config.d_model, config.patch_features))",
        TOKENS: f"({PATCHES} @ self.projection.T)",
    },
)

patch_embedding.mistake(
    "the layer has another name",
    "The layer has another name than is promised: `self.projection`. The page reads its weight below, and a model that somebody else saved has it under that name.",
    *(
        {LAYER: LAYER.replace("projection", name), TOKENS: TOKENS.replace("projection", name)}
        for name in ("proj", "linear", "embed", "embedding")
    ),
)

patch_embedding.mistake(
    "a layer for every patch",
    "Each place has a layer of its own. One layer serves all patches: the same patch makes the same token wherever it stands.",
    {
        LAYER: "self.projection = nn.ModuleList(nn.Linear(config.patch_features, config.d_model) for _ in range(config.num_patches))",
        TOKENS: f"torch.stack([layer(one) for layer, one in zip(self.projection, {PATCHES}.unbind(1))], dim=1)",
    },
    edit(
        {
            LAYER: "self.projection = nn.Linear(config.patch_features * config.num_patches, config.d_model * config.num_patches)",
            TOKENS: f"self.projection({PATCHES}.flatten(1)).unflatten(1, (config.num_patches, config.d_model))",
        },
        says="One layer reads the whole picture and makes all tokens at once, so that every token holds something of every patch. A linear layer acts on the last dimension: give it (batch, num_patches, patch_features).",
    ),
)

patch_embedding.mistake(
    "patches instead of tokens",
    "You return the patches as they were cut. The layer has no part in the result: `self.projection(...)` makes tokens of them.",
    {TOKENS: PATCHES},
)

patch_embedding.mistake(
    "tokens in another form",
    "Your tokens have another form than (batch, num_patches, d_model). The encoder reads a row of tokens for each picture.",
    edit(
        {TOKENS: f"{TOKENS}.unflatten(1, (config.height // config.patch_size, -1))"},
        says="Your tokens still stand in a grid, (batch, down, across, d_model). The encoder reads one row of them: (batch, num_patches, d_model).",
    ),
    edit(
        {TOKENS: f"{TOKENS}.transpose(1, 2).unflatten(2, (config.height // config.patch_size, -1))"},
        says="Your tokens are still a picture with d_model channels, as a convolution gives it. The encoder reads one row of them: `.flatten(2).transpose(1, 2)`, (batch, num_patches, d_model).",
    ),
    edit(
        {TOKENS: f"{TOKENS}.flatten(1)"},
        says="All tokens of a picture stand in one row of numbers. Each is a row by itself: (batch, num_patches, d_model).",
    ),
    edit(
        {TOKENS: f"{TOKENS}.flatten(0, 1)"},
        says="The tokens of all pictures stand in one list. Each picture keeps its own: (batch, num_patches, d_model).",
    ),
    edit(
        {TOKENS: f"{TOKENS}.transpose(0, 1)"},
        says="The dimensions of pictures and tokens have changed places. Tokens that are stacked one by one need `dim=1`: (batch, num_patches, d_model).",
    ),
    edit(
        {TOKENS: f"{TOKENS}.flatten(0, 1).reshape(config.num_patches, len(images), -1).transpose(0, 1)"},
        says="The pictures of a batch are mixed: what stands picture by picture is read place by place. Keep the batch in front: (batch, num_patches, d_model).",
    ),
)

patch_embedding.mistake(
    "tokens are lost",
    "Some patches have no token. There are `config.num_patches` of them for every picture.",
    edit(
        {TOKENS: f"{TOKENS}[:, :-1]"},
        says="The last patch has no token. There are `config.num_patches` of them for every picture.",
    ),
    edit(
        {TOKENS: f"{TOKENS}[:, 1:]"},
        says="The first patch has no token. There are `config.num_patches` of them for every picture.",
    ),
    edit(
        {TOKENS: f"{TOKENS}[:, 0]"},
        says="The first patch alone has a token. There are `config.num_patches` of them for every picture.",
    ),
    edit(
        {TOKENS: f"{TOKENS}[:, -1:]"},
        says="The last patch alone has a token. There are `config.num_patches` of them for every picture.",
    ),
    edit(
        {PATCHES: "patchify(images[:, :, :, : config.height], config.patch_size)"},
        says="You cut as many patches across as down, so that what a picture is wider than high has no token. The width has a number of its own.",
    ),
)

patch_embedding.mistake(
    "the first picture alone",
    "You cut the first picture of the batch, and none of the others. Each picture has tokens of its own.",
    {PATCHES: "patchify(images[:1], config.patch_size)"},
    edit(
        {PATCHES: "patchify(images[:1].expand_as(images), config.patch_size)"},
        says="All pictures have the tokens of the first. Each picture has tokens of its own.",
    ),
)

patch_embedding.mistake(
    "overlapping patches",
    "Your squares overlap: each begins one pixel after the last. A step is as long as a patch is wide: as a convolution, `stride=config.patch_size`.",
    {PATCHES: "F.unfold(images, config.patch_size).transpose(1, 2)"},
)

patch_embedding.mistake(
    "tokens in the opposite order",
    "Your tokens come in the opposite order, the last patch first. They come as `patchify` gives the patches: row by row, from the left.",
    {TOKENS: f"{TOKENS}.flip(1)"},
)

patch_embedding.mistake(
    "pixels of a patch in another order",
    "Within a patch your numbers come in another order than `patchify` gives them. Weights that were learned for the one order are useless for the other.",
    edit(
        {PATCHES: f"{SQUARES}.transpose(3, 4).flatten(2)"},
        says="Within a patch your pixels run down the columns. `patchify` gives them row by row, and weights that were learned for the one are useless for the other.",
    ),
    edit(
        {PATCHES: f"{SQUARES}.flip(3, 4).flatten(2)"},
        says="Within each channel of a patch your pixels come from the last to the first, as a textbook's convolution has it. torch's does not turn its kernel, and `patchify` gives the first pixel first.",
    ),
    edit(
        {PATCHES: f"{PATCHES}.flip(2)"},
        says="Within a patch your numbers come from the last to the first. `patchify` gives them channel by channel, row by row.",
    ),
    edit(
        {PATCHES: f"{PATCHES}.unflatten(2, (-1, config.channels)).transpose(2, 3).flatten(2)"},
        says="You read the numbers of a patch as if they came pixel by pixel, with the channels last. They come channel by channel: split them into (channels, patch_size, patch_size).",
    ),
)

patch_embedding.mistake(
    "the pictures changed before they are cut",
    "You change the pictures before they are cut. Whoever calls the model hands over what it is to read.",
    *(
        edit(
            {PATCHES: f"patchify({pictures}, config.patch_size)"},
            says=f"{told} That belongs to the data, not to the model: whoever calls it hands over what it is to read.",
        )
        for pictures, told in (
            ("images * 2 - 1", "You move the pixels from 0 to 1 onto -1 to 1."),
            ("images / 255", "You divide the pixels by 255."),
            ("images - images.mean()", "You take the mean of all pixels off."),
            ("images - images.mean(dim=(2, 3), keepdim=True)", "You take off each channel's mean, picture by picture."),
            ("images - images.mean(dim=(1, 2, 3), keepdim=True)", "You take the mean of each picture off."),
            (
                "(images - images.mean()) / images.std()",
                "You bring the pixels of all pictures together to mean 0 and variance 1.",
            ),
        )
    ),
    edit(
        {PATCHES: "patchify(images.flip(3), config.patch_size)"},
        says="You mirror the pictures, left for right. Cut them as they are.",
    ),
    edit(
        {PATCHES: "patchify(images.flip(2), config.patch_size)"},
        says="You turn the pictures upside down. Cut them as they are.",
    ),
    edit(
        {PATCHES: "patchify(images.flip(1), config.patch_size)"},
        says="You turn the order of the channels round. Cut the pictures as they are.",
    ),
)

patch_embedding.mistake(
    "the graph is cut",
    "The graph is cut, by `detach`, `.data` or `torch.no_grad()`: what lies in front of the cut gets no gradient, and does not learn.",
    edit(
        {PATCHES: "patchify(images.detach(), config.patch_size)"},
        says="No gradient reaches the pictures: they are cut off by `detach`, `.data` or `torch.no_grad()`. Whoever asks how the answer depends on a pixel needs it.",
    ),
    edit(
        {TOKENS: f"{TOKENS}.detach()"},
        says="No gradient reaches anything: the tokens are cut off by `detach`, `.data` or `torch.no_grad()`. The layer does not learn.",
    ),
    edit(
        {TOKENS: f"F.linear({PATCHES}, self.projection.weight.detach(), self.projection.bias)"},
        says="No gradient reaches the layer's weight: it is cut off by `detach` or `.data`. Call the layer itself.",
    ),
    edit(
        {TOKENS: f"F.linear({PATCHES}, self.projection.weight, self.projection.bias.detach())"},
        says="No gradient reaches the layer's bias: it is cut off by `detach` or `.data`. Call the layer itself.",
    ),
    edit(
        {TOKENS: f"F.linear({PATCHES}, self.projection.weight.detach(), self.projection.bias.detach())"},
        says="No gradient reaches the layer's weight or bias: they are cut off by `detach`, `.data` or `requires_grad=False`. Call the layer itself, as `nn.Linear` makes it.",
    ),
)

patch_embedding.mistake(
    "strips instead of squares",
    "You cut the pictures by `reshape` or `view` alone, so that each of your patches is a strip of numbers that follow one another in memory. Your `patchify` cuts squares: call it.",
    {PATCHES: FLAT},
    {PATCHES: FLAT.replace("reshape", "view")},
    edit(
        {
            PATCHES: f"images.reshape({SIZES}, config.patch_size, config.patch_size).permute(0, 2, 3, 1, 4, 5).reshape({ROWS})"
        },
        says="You cut the pictures yourself, and within each channel your patches are strips: numbers that follow one another in memory. The height is split into (down, patch_size), the width behind it into (across, patch_size). Your `patchify` cuts squares: call it.",
    ),
)

patch_embedding.mistake(
    "features before tokens",
    "The dimensions of tokens and features have changed places. The encoder reads (batch, num_patches, d_model).",
    {TOKENS: f"{TOKENS}.transpose(1, 2)"},
)

patch_embedding.mistake(
    "the tokens multiplied by √d_model",
    "Your tokens are multiplied by the root of d_model. The paper on translation does that with its table of words. Patches come out of a linear layer, which finds its own scale.",
    {TOKENS: f"{TOKENS} * config.d_model**0.5"},
)

patch_embedding.mistake(
    "the tokens divided by a root",
    "Your tokens are divided by the root of d_model or of the numbers of a patch. Attention divides its scores so. Patches are projected and nothing else: the linear layer finds its own scale.",
    {TOKENS: f"{TOKENS} / config.d_model**0.5"},
    {TOKENS: f"{TOKENS} / config.patch_features**0.5"},
)

patch_embedding.mistake(
    "one token for the whole picture",
    "You project whole pictures: one token for each. Cut first; then the linear layer reads one patch at a time.",
    {
        LAYER: "self.projection = nn.Linear(config.patch_features * config.num_patches, config.d_model)",
        TOKENS: "self.projection(images.flatten(1)).unsqueeze(1)",
    },
    edit(
        {TOKENS: f"{TOKENS}.mean(dim=1)"},
        says="You take the mean of a picture's tokens: one for each picture. The encoder reads a token for every patch.",
    ),
    edit(
        {TOKENS: f"{TOKENS}.sum(dim=1)"},
        says="You add up a picture's tokens: one for each picture. The encoder reads a token for every patch.",
    ),
)

patch_embedding.mistake(
    "a class token already",
    "In front of your tokens stands one more. The class token comes later: `VisionTransformer` puts it there. Here each patch has a token, and nothing else.",
    {TOKENS: f"torch.cat((torch.zeros(len(images), 1, config.d_model), {TOKENS}), dim=1)"},
    {TOKENS: f"torch.cat(((tokens := {TOKENS}).mean(dim=1, keepdim=True), tokens), dim=1)"},
    {
        LAYER: f"{LAYER}\n        self.class_token = nn.Parameter(torch.zeros(1, 1, config.d_model))",
        TOKENS: f"torch.cat((self.class_token.expand(len(images), -1, -1), {TOKENS}), dim=1)",
    },
)

patch_embedding.mistake(
    "dropout of its own",
    "In training your `PatchEmbedding` drops numbers. Dropout comes later, on the sum of tokens and positions: `VisionTransformer` does it. Here it would be done a second time.",
    {TOKENS: f"F.dropout({TOKENS}, config.dropout, self.training)"},
    {TOKENS: f"self.projection(F.dropout({PATCHES}, config.dropout, self.training))"},
    edit(
        {TOKENS: f"F.dropout({TOKENS}, config.dropout)"},
        says="Your `PatchEmbedding` drops numbers, in evaluation too: `F.dropout` does so unless it is told `self.training`. Dropout comes later, on the sum of tokens and positions: `VisionTransformer` does it.",
    ),
)

patch_embedding.mistake(
    "a norm in front of the layer, or behind it",
    "Your tokens are normalized. Patches are projected and nothing else; the encoder has norms of its own.",
    {TOKENS: f"F.layer_norm({TOKENS}, (config.d_model,))"},
    edit(
        {PATCHES: f"F.layer_norm({PATCHES}, (config.patch_features,))"},
        says="Your patches are normalized before they are projected: whether a patch is bright or dark is then lost. Patches are projected and nothing else.",
    ),
    edit(
        {LAYER: f"{LAYER}\n        self.norm = nn.LayerNorm(config.d_model)", TOKENS: f"self.norm({TOKENS})"},
        says="A norm of its own stands behind the linear layer. Patches are projected and nothing else; the encoder has norms.",
    ),
    edit(
        {
            LAYER: f"{LAYER}\n        self.norm = nn.LayerNorm(config.patch_features)",
            TOKENS: f"self.projection(self.norm({PATCHES}))",
        },
        says="A norm of its own stands in front of the linear layer. Patches are projected and nothing else; the encoder has norms.",
    ),
    edit(
        {TOKENS: f"F.normalize({TOKENS}, dim=-1)"},
        says="Your tokens are brought to length 1. Patches are projected and nothing else; the encoder has norms of its own.",
    ),
    edit(
        {PATCHES: f"F.normalize({PATCHES}, dim=-1)"},
        says="Your patches are brought to length 1 before they are projected: whether a patch is bright or dark is then lost. Patches are projected and nothing else.",
    ),
)

patch_embedding.mistake(
    "height and width exchanged",
    "Your pictures are turned before they are cut: patches come column by column, and the pixels within one too. Hand the pictures to `patchify` as they are.",
    {PATCHES: "patchify(images.transpose(2, 3), config.patch_size)"},
    edit(
        {PATCHES: f"{PATCHES}.unflatten(1, (config.height // config.patch_size, -1)).transpose(1, 2).flatten(1, 2)"},
        says="Your tokens come column by column. Patches come row by row, from the left in each row.",
    ),
)

patch_embedding.mistake(
    "channels last within a patch",
    "Within a patch your numbers come pixel by pixel, with its channels together. `patchify` gives them channel by channel, and weights that were learned for the one are useless for the other.",
    {PATCHES: f"{PATCHES}.unflatten(-1, (config.channels, -1)).transpose(2, 3).flatten(2)"},
)

patch_embedding.mistake(
    "the bias is not used",
    "The layer has a bias, and it is not in your tokens. Call the layer itself.",
    {TOKENS: f"F.linear({PATCHES}, self.projection.weight)"},
)

patch_embedding.mistake(
    "tokens and features reshaped",
    "What should be turned is reshaped: your tokens are pieces of the features of several. To change the places of two dimensions takes `transpose`; `reshape` leaves the numbers in their order.",
    {TOKENS: f"{TOKENS}.transpose(1, 2).reshape(len(images), -1, config.d_model)"},
)
