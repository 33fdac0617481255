"""Wrong ways of making tokens of patches, and of reading them."""

from autograder.checks.vision import patch_embedding, vision_transformer
from autograder.probing.mistake import edit

# PatchEmbedding ----------------------------------------------------------------------------

LAYER = "self.projection = nn.Linear(config.patch_features, config.d_model)"
PATCHES = "patchify(images, config.patch_size)"
TOKENS = f"self.projection({PATCHES})"
KERNEL = "config.d_model, config.patch_size, stride=config.patch_size"
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
)

patch_embedding.mistake(
    "strips instead of squares",
    "You cut the pictures by `reshape` or `view` alone, so that each of your patches is a strip of numbers that follow one another in memory. Your `patchify` cuts squares: call it.",
    {PATCHES: FLAT},
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
    "one token for the whole picture",
    "You project whole pictures: one token for each. Cut first; then the linear layer reads one patch at a time.",
    {
        LAYER: "self.projection = nn.Linear(config.patch_features * config.num_patches, config.d_model)",
        TOKENS: "self.projection(images.flatten(1)).unsqueeze(1)",
    },
)

patch_embedding.mistake(
    "dropout of its own",
    "In training your `PatchEmbedding` drops numbers. Dropout comes later, on the sum of tokens and positions: `VisionTransformer` does it. Here it would be done a second time.",
    {TOKENS: f"F.dropout({TOKENS}, config.dropout, self.training)"},
    {TOKENS: f"self.projection(F.dropout({PATCHES}, config.dropout, self.training))"},
)

patch_embedding.mistake(
    "a norm in front of the layer, or behind it",
    "Your tokens are normalized. Patches are projected and nothing else; the encoder has norms of its own.",
    {TOKENS: f"F.layer_norm({TOKENS}, (config.d_model,))"},
    edit(
        {PATCHES: f"F.layer_norm({PATCHES}, (config.patch_features,))"},
        says="Your patches are normalized before they are projected: whether a patch is bright or dark is then lost. Patches are projected and nothing else.",
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
    {TOKENS: f"{TOKENS}.transpose(1, 2).reshape(len(images), config.num_patches, config.d_model)"},
)

# VisionTransformer ----------------------------------------------------------------------------

MAKE = "VisionTransformer"
FORWARD = "VisionTransformer.forward"
TOKEN = "self.class_token = nn.Parameter(torch.empty(1, 1, config.d_model))"
TABLE = "self.positions = nn.Parameter(torch.empty(1, 1 + config.num_patches, config.d_model))"
FIRST = "self.class_token.expand(len(images), -1, -1)"
ROW = "x = torch.cat((first, patches), dim=1)"
SUM = "x = self.dropout(x + self.positions)"
ENCODE = "x, weights = self.encoder(x, return_weights=True)"
READ = "logits = self.head(x[:, 0])"
RESULT = "return (logits, weights) if return_weights else logits"

vision_transformer.mistake(
    "the class token has no position",
    "The class token has no position: the vectors are added to the patches before it is put in front, or it is left out of the sum. There is one for every place in the row, also for the first.",
    {ROW: "x = torch.cat((first, patches + self.positions[:, 1:]), dim=1)", SUM: "x = self.dropout(x)"},
    edit(
        {ROW: "x = torch.cat((first, patches + self.positions[:, :-1]), dim=1)", SUM: "x = self.dropout(x)"},
        says="The patches get the first of the positions and the class token gets none: they are added before it is put in front. Put it in front, and then add all 1 + num_patches of them.",
    ),
    edit(
        {
            TABLE: "self.positions = nn.Parameter(torch.empty(1, config.num_patches, config.d_model))",
            ROW: "x = torch.cat((first, patches + self.positions), dim=1)",
            SUM: "x = self.dropout(x)",
        },
        inside=MAKE,
        says="Your table has a vector for every patch and none for the class token. There is one for every place in the row: 1 + num_patches of them, added after the class token has been put in front.",
    ),
    *(
        edit(
            {
                **({TABLE: TABLE.replace("1 + config", "config")} if whole else {}),
                ROW: f"x = torch.cat((self.dropout(patches + self.positions{part}), first), dim=1)",
                SUM: "x = x",
            },
            inside=MAKE,
            says="Your class token comes behind the patches, and comes late: positions are added and numbers dropped out before it is there, so it has neither a position nor a share in the dropout; and place 0, which the head reads, is a patch. Put it in front first. Then come the positions of all tokens, then dropout.",
        )
        for whole, part in ((False, "[:, 1:]"), (False, "[:, :-1]"), (True, ""))
    ),
)

vision_transformer.mistake(
    "no positions",
    "The positions have no effect: your answer is the same for the patches in any order. Add `self.positions` to the row of tokens, or what the sum gave is thrown away.",
    {SUM: "x = self.dropout(x)"},
)

vision_transformer.mistake(
    "one position for all",
    "All your tokens get one and the same position. Then it says nothing about where a patch stands, and the answer is the same for the patches in any order. There is one vector for every place. A widely read annotated implementation had this slip.",
    {SUM: "x = self.dropout(x + self.positions[:, :1])"},
    {SUM: "x = self.dropout(x + self.positions[:, -1:])"},
    {SUM: "x = self.dropout(x + self.positions[:, len(images)].unsqueeze(1))"},
    edit(
        {
            TABLE: "self.positions = nn.Parameter(torch.empty(1, 1, config.d_model))",
        },
        inside=MAKE,
        says="Your `positions` are one vector, which all tokens get. Then it says nothing about where a patch stands. There is one for every place: (1, 1 + num_patches, d_model).",
    ),
    *(
        edit(
            {
                TABLE: "self.positions = nn.Parameter(torch.empty(1, 1, config.d_model))",
                ROW: f"x = torch.cat(({order}), dim=1)",
                SUM: "x = x",
            },
            inside=MAKE,
            says=f"Your `positions` are one vector, which all patches get: it says nothing about where a patch stands. {also} There is one vector for every place, (1, 1 + num_patches, d_model), and they are added when the class token stands in front.",
        )
        for order, also in (
            ("first, self.dropout(patches + self.positions)", "The class token gets none."),
            (
                "self.dropout(patches + self.positions), first",
                "The class token gets none, and stands behind the patches, where the head does not read.",
            ),
        )
    ),
    edit(
        {SUM: "x = self.dropout(x + self.positions.mean(dim=1, keepdim=True))"},
        says="All your tokens get the mean of the positions. Then it says nothing about where a patch stands. Each gets the vector of its own place.",
    ),
)

vision_transformer.mistake(
    "positions multiplied",
    "You multiply the tokens by their positions. What a patch shows and where it stands are added.",
    {SUM: "x = self.dropout(x * self.positions)"},
)

vision_transformer.mistake(
    "positions counted from the end",
    "The positions are turned round: the last vector is at the class token. The first of `self.positions` belongs to the first token.",
    {SUM: "x = self.dropout(x + self.positions.flip(1))"},
)

vision_transformer.mistake(
    "the class token last",
    "Your class token stands behind the patches. With learned positions a model trained so is as good, but place 0 of `positions`, and of the weights that you return, is promised to the class token.",
    {ROW: "x = torch.cat((patches, first), dim=1)", READ: "logits = self.head(x[:, -1])"},
    edit(
        {ROW: "x = torch.cat((patches, first), dim=1)"},
        says="Your class token stands behind the patches, and the head reads place 0: the first patch. Put the class token in front.",
    ),
)

vision_transformer.mistake(
    "no class token",
    "Your class token has no effect on the row of tokens. Put it in front of the patches of every picture; the head reads what it has become.",
    {ROW: "x = torch.cat((torch.zeros_like(first), patches), dim=1)"},
    edit(
        {ROW: "x = patches", SUM: "x = self.dropout(x + self.positions[:, 1:])"},
        says="There is no class token in your row: the head reads the first patch. Put the class token in front of the patches of every picture.",
    ),
    edit(
        {ROW: "x = patches", SUM: "x = self.dropout(x + self.positions[:, :-1])"},
        says="There is no class token in your row: the head reads the first patch. Put the class token in front of the patches of every picture.",
    ),
    edit(
        {
            ROW: "x = patches",
            SUM: "x = self.dropout(x + self.positions[:, 1:])",
            READ: "logits = self.head(x.mean(dim=1))",
        },
        says="There is no class token in your row: the head reads the mean of the patches. That works too, and some models do it. Here the class token stands in front, and the head reads what it has become.",
    ),
)

vision_transformer.mistake(
    "the wrong place into the head",
    "The head reads another place than the class token's, which is 0.",
    edit(
        {READ: "logits = self.head(x[:, -1])"},
        says="The head reads the last patch. The class token is the one that was made to answer, and it stands at place 0.",
    ),
    edit(
        {READ: "logits = self.head(x[:, 1])"},
        says="The head reads the first patch. The class token stands in front of it, at place 0.",
    ),
    edit(
        {READ: "logits = self.head(x.mean(dim=1))"},
        says="The head reads the mean of all tokens. Some models do that, and then they need no class token. Here the class token answers: place 0.",
    ),
    edit(
        {READ: "logits = self.head(x[:, 1:].mean(dim=1))"},
        says="The head reads the mean of the patches. Some models do that, and then they need no class token. Here the class token answers: place 0.",
    ),
    edit(
        {READ: "logits = self.head(x.amax(dim=1))"},
        says="The head reads the largest numbers of all tokens. Here the class token answers: place 0.",
    ),
    edit(
        {READ: "logits = self.head(x.sum(dim=1))"},
        says="The head reads the sum of all tokens. Here the class token answers: place 0.",
    ),
    edit(
        {READ: "logits = self.head(first[:, 0])"},
        says="The head reads the class token as it was before the encoder, so that your answer is the same for every picture. It reads what the encoder has made of it: `x[:, 0]`.",
    ),
)

vision_transformer.mistake(
    "an answer of every token",
    "The head reads every token, so that there are as many answers as tokens. One token answers for the picture: `x[:, 0]`.",
    {READ: "logits = self.head(x)"},
    edit(
        {READ: "logits = self.head(x[:, :1])"},
        says="Your logits have a dimension too many: `x[:, :1]` keeps the dimension of tokens. `x[:, 0]` takes one token out: (batch, num_classes).",
    ),
)

vision_transformer.mistake(
    "the class token or the positions get no gradient",
    "No gradient reaches the class token or the positions, so that they stay as they began. `expand` and `torch.cat` hand it on; what breaks the thread is `.data`, `.detach()` or a new tensor made of the numbers.",
    edit(
        {FIRST: "self.class_token.detach().expand(len(images), -1, -1)"},
        says="No gradient reaches the class token, so that it stays as it began. `expand` and `torch.cat` hand it on; what breaks the thread is `.data`, `.detach()` or a new tensor made of the numbers.",
    ),
    edit(
        {SUM: "x = self.dropout(x + self.positions.detach())"},
        says="No gradient reaches the positions, so that they stay as they began. A sum hands it on; what breaks the thread is `.data`, `.detach()` or a new tensor made of the numbers.",
    ),
    edit(
        {
            FIRST: "self.class_token.detach().expand(len(images), -1, -1)",
            SUM: "x = self.dropout(x + self.positions.detach())",
        },
        says="No gradient reaches the class token, nor the positions, so that they stay as they began. `expand`, `torch.cat` and a sum hand it on; what breaks the thread is `.data`, `.detach()` or a new tensor made of the numbers.",
    ),
)

vision_transformer.mistake(
    "a batch in the parameter",
    "The size of a batch stands in a parameter. Then the model works for batches of that size, and every place in the batch learns a vector of its own. The first dimension of `class_token` and `positions` is 1; `expand` gives each picture of whatever batch the same.",
    *(
        edit(swaps, inside=MAKE)
        for size in (16, 32, 64)
        for swaps in (
            {TOKEN: TOKEN.replace("(1, 1", f"({size}, 1"), FIRST: "self.class_token[: len(images)]"},
            {
                TABLE: TABLE.replace("(1, 1 +", f"({size}, 1 +"),
                SUM: "x = self.dropout(x + self.positions[: len(images)])",
            },
        )
    ),
)

vision_transformer.mistake(
    "no dropout",
    "Nothing is dropped out in front of the encoder: `self.dropout` has no effect. It acts on the sum of tokens and positions.",
    {SUM: "x = x + self.positions"},
)

vision_transformer.mistake(
    "dropout before the positions",
    "You drop out before the positions are added, so that a token can lose what it shows and never where it stands. Add first: `self.dropout(x + self.positions)`.",
    {SUM: "x = self.dropout(x) + self.positions"},
    {
        ROW: "x = torch.cat((first, self.dropout(patches)), dim=1)",
        SUM: "x = x + self.positions",
    },
)

vision_transformer.mistake(
    "dropout of the positions by themselves",
    "You drop numbers of the positions before they are added. Dropout acts on the sum of tokens and positions: `self.dropout(x + self.positions)`.",
    edit(
        {SUM: "x = x + self.dropout(self.positions)"},
        says="You drop out the positions alone, so that a token can lose where it stands and never what it shows. Dropout acts on the sum: `self.dropout(x + self.positions)`.",
    ),
    edit(
        {SUM: "x = self.dropout(x) + self.dropout(self.positions)"},
        says="You drop out the tokens and the positions, each by themselves, and then add. Dropout acts on the sum, once: `self.dropout(x + self.positions)`.",
    ),
)

vision_transformer.mistake(
    "the tokens multiplied by √d_model",
    "Tokens are multiplied by the root of d_model before the positions are added. The paper on translation does that with its table of words. Patches come out of a linear layer, which finds its own scale.",
    {ROW: "x = torch.cat((first, patches * self.config.d_model**0.5), dim=1)"},
    {SUM: "x = self.dropout(x * self.config.d_model**0.5 + self.positions)"},
)

vision_transformer.mistake(
    "the encoder run twice",
    "The encoder runs on what the encoder has made. One call gives both, the tokens and the weights: `x, weights = self.encoder(x, return_weights=True)`.",
    edit(
        {ENCODE: "x = self.encoder(x)\n        weights = self.encoder(x, return_weights=True)[1]"},
        says="Your weights come from a second run of the encoder, on tokens that it has been through already. One call gives both: `x, weights = self.encoder(x, return_weights=True)`.",
    ),
    edit(
        {ENCODE: "x = self.encoder(x)\n        x, weights = self.encoder(x, return_weights=True)"},
        says="The tokens go through the encoder twice. One call gives both, the tokens and the weights: `x, weights = self.encoder(x, return_weights=True)`.",
    ),
)

vision_transformer.mistake(
    "dropout twice",
    "Numbers of the sum are dropped out twice before the encoder reads them. At a share of one half, a quarter of them is left, four times as large. Dropout has one place here: on the sum of tokens and positions.",
    {SUM: "x = self.dropout(self.dropout(x + self.positions))"},
    edit(
        {ROW: "x = self.dropout(torch.cat((first, patches), dim=1))"},
        says="You drop out the tokens, and then once more the sum of tokens and positions. Dropout has one place here: on the sum.",
    ),
    edit(
        {ROW: "x = torch.cat((first, self.dropout(patches)), dim=1)"},
        says="You drop out the patches, and then once more the sum of tokens and positions. Dropout has one place here: on the sum.",
    ),
)

vision_transformer.mistake(
    "dropout in evaluation too",
    "Numbers are dropped out in evaluation too. `F.dropout` does so unless it is told `training=self.training`; `self.dropout` knows by itself which of the two it is.",
    {SUM: "x = F.dropout(x + self.positions, self.config.dropout)"},
)

vision_transformer.mistake(
    "post-norm",
    "Your encoder is post-norm: each of its layers normalizes what it has added up. The Vision Transformer is pre-norm, with one norm at the end: `norm_first=True`.",
    edit({"norm_first=True": "norm_first=False"}, inside=MAKE),
)

vision_transformer.mistake(
    "the final norm is left out",
    "The tokens reach the head without the encoder's final norm. In pre-norm no layer has normalized the sums; `self.encoder` does it at the end, so call it as a whole.",
    {
        ENCODE: "weights = []\n        for layer in self.encoder.layers:\n            x, found = layer(x, return_weights=True)\n            weights.append(found)"
    },
)

vision_transformer.mistake(
    "probabilities instead of logits",
    "Your scores have been through a softmax. The cross-entropy takes one itself, and of numbers between 0 and 1 a second softmax makes almost equal ones: the loss cannot fall far. Return the logits.",
    {READ: "logits = self.head(x[:, 0]).softmax(dim=-1)"},
    edit(
        {READ: "logits = self.head(x[:, 0]).log_softmax(dim=-1)"},
        says="Your scores are log-probabilities: a log_softmax has been taken. The cross-entropy takes one itself. Return them as the head gives them.",
    ),
    edit(
        {READ: "logits = self.head(x[:, 0]).sigmoid()"},
        says="Your scores have been through a sigmoid. The cross-entropy takes a softmax itself, and of numbers between 0 and 1 it makes almost equal ones. Return the logits.",
    ),
)

vision_transformer.mistake(
    "the weights of one layer",
    "You return the weights of one layer. All are promised, in a list, the first layer's first.",
    {RESULT: "return (logits, weights[-1]) if return_weights else logits"},
    {RESULT: "return (logits, weights[0]) if return_weights else logits"},
    {RESULT: "return (logits, weights[-1:]) if return_weights else logits"},
)

vision_transformer.mistake(
    "the weights always, or never",
    "`return_weights` has no effect.",
    edit(
        {RESULT: "return logits, weights"},
        says="You return the weights whether they are asked for or not. With `return_weights=False` the logits come back alone.",
    ),
    edit(
        {RESULT: "return logits"},
        says="You return the logits alone, also where the weights are asked for. With `return_weights=True` it is `(logits, weights)`.",
    ),
    edit(
        {RESULT: "return logits if return_weights else (logits, weights)"},
        says="You return the weights where they are not asked for, and leave them out where they are.",
    ),
)

vision_transformer.mistake(
    "positions given to other tokens",
    "The patches get the first of the positions, and the class token shares one with a patch. Put the class token in front, and add all of `self.positions` to the row: place 0 is the class token's.",
    {
        ROW: "x = torch.cat((first + self.positions[:, :1], patches + self.positions[:, :-1]), dim=1)",
        SUM: "x = self.dropout(x)",
    },
    edit(
        {SUM: "x = self.dropout(x + self.positions.roll(1, 1))"},
        says="The class token gets the last of the positions, and the patches get the others. Place 0 is the class token's.",
    ),
    edit(
        {
            ROW: "x = torch.cat((first + self.positions[:, -1:], patches + self.positions[:, 1:]), dim=1)",
            SUM: "x = self.dropout(x)",
        },
        says="The class token gets the last of the positions, as the last patch does; the first is used by nobody. Place 0 is the class token's.",
    ),
)

vision_transformer.mistake(
    "the patches have no positions",
    "Only the class token has a position. The patches can then come in any order: the answer is the same. Add `self.positions` to the whole row.",
    {SUM: "x = self.dropout(torch.cat((x[:, :1] + self.positions[:, :1], x[:, 1:]), dim=1))"},
)

vision_transformer.mistake(
    "positions added twice",
    "The positions are added twice. Once is enough.",
    {SUM: "x = self.dropout(x + self.positions + self.positions)"},
)

vision_transformer.mistake(
    "the class token added to every patch",
    "You add the class token to the patches, too. It is a token by itself, in front of them.",
    {ROW: "x = torch.cat((first, patches + first), dim=1)"},
    edit(
        {ROW: "x = torch.cat((first, patches), dim=1) + first"},
        says="You add the class token to every token, itself among them. It is a token by itself, in front of the patches.",
    ),
    edit(
        {ROW: "x = patches + first", SUM: "x = self.dropout(x + self.positions[:, 1:])"},
        says="You add the class token to the patches, and put none in front: the head reads the first patch. It is a token by itself.",
    ),
)

vision_transformer.mistake(
    "dropout behind the encoder",
    "You drop out what the head reads, and not what the encoder reads. Dropout acts on the sum of tokens and positions.",
    {SUM: "x = x + self.positions", READ: "logits = self.head(self.dropout(x[:, 0]))"},
    edit(
        {READ: "logits = self.head(self.dropout(x[:, 0]))"},
        says="You drop out in front of the encoder, and what the head reads as well. Dropout has one place here: on the sum of tokens and positions.",
    ),
)

vision_transformer.mistake(
    "dropout of some tokens alone",
    "You drop out the patches with their positions, and leave the class token whole. Dropout acts on the whole row.",
    {SUM: "x = x + self.positions\n        x = torch.cat((x[:, :1], self.dropout(x[:, 1:])), dim=1)"},
    edit(
        {SUM: "x = x + self.positions\n        x = torch.cat((self.dropout(x[:, :1]), x[:, 1:]), dim=1)"},
        says="You drop out the class token with its position, and leave the patches whole. Dropout acts on the whole row.",
    ),
)

vision_transformer.mistake(
    "the encoder's result is thrown away",
    "The head reads the class token as it was before the encoder: what the encoder gave is not kept. So your answer is the same for every picture.",
    {ENCODE: "_, weights = self.encoder(x, return_weights=True)"},
)

vision_transformer.mistake(
    "a causal mask",
    "A token of yours reads only those in front of it, so the class token, which is the first, reads nothing but itself. A picture is read in all directions: no mask.",
    {
        ENCODE: "x, weights = self.encoder(x, torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril(), return_weights=True)"
    },
)

vision_transformer.mistake(
    "a norm too many",
    "The head reads a token that is normalized once more. The encoder has a norm at its end.",
    {READ: "logits = self.head(F.layer_norm(x[:, 0], (self.config.d_model,)))"},
)

vision_transformer.mistake(
    "an activation in front of the head",
    "An activation stands between the encoder and the head. BERT has one, for its pooled vector; here the head reads the class token as it is.",
    {READ: "logits = self.head(x[:, 0].relu())"},
    {READ: "logits = self.head(x[:, 0].tanh())"},
    {READ: "logits = self.head(F.gelu(x[:, 0]))"},
    edit(
        {READ: "logits = self.head(x[:, 0]).relu()"},
        says="An activation stands behind the head: no logit of yours is below 0. Return them as the head gives them.",
    ),
    edit(
        {READ: "logits = self.head(x[:, 0]).tanh()"},
        says="An activation stands behind the head: your logits lie between -1 and 1, so the model can never be sure. Return them as the head gives them.",
    ),
)

vision_transformer.mistake(
    "logits and weights exchanged",
    "Your two results are exchanged. The logits come first, then the weights.",
    {RESULT: "return (weights, logits) if return_weights else logits"},
)

vision_transformer.mistake(
    "the weights in another form",
    "You return the weights of all layers in one tensor. They are promised as a list, a tensor for each layer.",
    {RESULT: "return (logits, torch.stack(weights)) if return_weights else logits"},
    edit(
        {RESULT: "return (logits, [one.mean(dim=1) for one in weights]) if return_weights else logits"},
        says="You return the mean over the heads. The weights of every head are promised; `attention_rollout` takes the mean itself.",
    ),
    edit(
        {RESULT: "return (logits, []) if return_weights else logits"},
        says="Your list of weights is empty. `self.encoder(x, return_weights=True)` gives the weights of each layer.",
    ),
)
