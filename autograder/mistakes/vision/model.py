"""Wrong ways of reading a picture as a row of tokens."""

from autograder.checks.vision import vision_transformer
from autograder.probing.mistake import edit

MAKE = "VisionTransformer"
FORWARD = "VisionTransformer.forward"
CUT = "patches = self.patch_embedding(images)"
TOKEN = "self.class_token = nn.Parameter(torch.empty(1, 1, config.d_model))"
TABLE = "self.positions = nn.Parameter(torch.empty(1, 1 + config.num_patches, config.d_model))"
ONE_VECTOR = "self.positions = nn.Parameter(torch.empty(1, 1, config.d_model))"
PATCHES_ALONE = "self.positions = nn.Parameter(torch.empty(1, config.num_patches, config.d_model))"
FIRST = "self.class_token.expand(len(images), -1, -1)"
ROW = "x = torch.cat((first, patches), dim=1)"
BEHIND = "x = torch.cat((patches, first), dim=1)"
PLACED = "x + self.positions"
SUM = f"x = self.dropout({PLACED})"
ENCODE = "x, weights = self.encoder(x, return_weights=True)"
LAYERS = "weights = []\n        for layer in self.encoder.layers:\n            x, found = layer(x, return_weights=True)\n            weights.append(found)\n        x = self.encoder.norm(x)"
READ = "logits = self.head(x[:, 0])"
RESULT = "return (logits, weights) if return_weights else logits"

vision_transformer.mistake(
    "the class token has no position",
    "The class token has no position: the vectors are added to the patches before it is put in front, or it is left out of the sum. There is one for every place in the row, also for the first.",
    {CUT: f"{CUT} + self.positions[:, 1:]", PLACED: "x"},
    edit(
        {CUT: f"{CUT} + self.positions[:, :-1]", PLACED: "x"},
        says="The patches get the first of the positions and the class token gets none: they are added before it is put in front. Put it in front, and then add all 1 + num_patches of them.",
    ),
    edit(
        {TABLE: PATCHES_ALONE, CUT: f"{CUT} + self.positions", PLACED: "x"},
        inside=MAKE,
        says="Your table has a vector for every patch and none for the class token. There is one for every place in the row: 1 + num_patches of them, added after the class token has been put in front.",
    ),
    *(
        edit(
            {
                **({TABLE: PATCHES_ALONE} if whole else {}),
                CUT: f"patches = self.dropout(self.patch_embedding(images) + self.positions{part})",
                SUM: "x = x",
            },
            inside=MAKE,
            says="Your class token comes late: positions are added and numbers dropped out before it is there, so it has neither a position nor a share in the dropout. Put it in front first. Then come the positions of all tokens, then dropout.",
        )
        for whole, part in ((False, "[:, 1:]"), (False, "[:, :-1]"), (True, ""))
    ),
    *(
        edit(
            {
                **({TABLE: PATCHES_ALONE} if whole else {}),
                CUT: f"patches = self.dropout(self.patch_embedding(images) + self.positions{part})",
                ROW: BEHIND,
                SUM: "x = x",
            },
            inside=MAKE,
            says="Your class token comes behind the patches, and comes late: positions are added and numbers dropped out before it is there, so it has neither a position nor a share in the dropout; and place 0, which the head reads, is a patch. Put it in front first. Then come the positions of all tokens, then dropout.",
        )
        for whole, part in ((False, "[:, 1:]"), (False, "[:, :-1]"), (True, ""))
    ),
    *(
        edit(
            {
                **({TABLE: PATCHES_ALONE} if whole else {}),
                CUT: f"{CUT} + self.positions{part}",
                ROW: BEHIND,
                PLACED: "x",
            },
            inside=MAKE,
            says="Your class token comes behind the patches, and comes late: the positions are added before it is there, so it has none; and place 0, which the head reads, is a patch. Put it in front first, and then add the positions of all tokens.",
        )
        for whole, part in ((False, "[:, 1:]"), (True, ""))
    ),
)

vision_transformer.mistake(
    "no positions",
    "The positions have no effect: your answer is the same for the patches in any order. Add `self.positions` to the row of tokens, or what the sum gave is thrown away.",
    {PLACED: "x"},
    edit(
        {TABLE: "pass", "nn.init.normal_(self.positions, std=0.02)": "pass", PLACED: "x"},
        inside=MAKE,
        says="Your model has no positions: its answer is the same for the patches in any order. `self.positions` is a parameter, (1, 1 + num_patches, d_model), and is added to the row of tokens.",
    ),
    edit(
        {TABLE: ONE_VECTOR, CUT: "patches = self.dropout(self.patch_embedding(images))", SUM: "x = x"},
        inside=MAKE,
        says="No positions are added: your answer is the same for the patches in any order. `self.positions` is (1, 1 + num_patches, d_model), and is added when the class token stands in front; then comes dropout.",
    ),
)

vision_transformer.mistake(
    "one position for all",
    "All your tokens get one and the same position. Then it says nothing about where a patch stands, and the answer is the same for the patches in any order. There is one vector for every place. A widely read annotated implementation had this slip.",
    {PLACED: "x + self.positions[:, :1]"},
    {PLACED: "x + self.positions[:, -1:]"},
    {PLACED: "x + self.positions[:, len(images)].unsqueeze(1)"},
    edit(
        {TABLE: "self.positions = nn.Parameter(torch.empty(config.d_model))"},
        inside=MAKE,
        says="Your `positions` are one vector, which all tokens get. Then it says nothing about where a patch stands. There is one for every place: (1, 1 + num_patches, d_model).",
    ),
    edit(
        {PLACED: "x + self.positions[0, : len(images), None]"},
        says="You give the positions out by picture: all tokens of the first picture get the first vector, those of the second the second. The places of a row are dimension 1: `x + self.positions`.",
    ),
    edit(
        {TABLE: ONE_VECTOR},
        inside=MAKE,
        says="Your `positions` are one vector, which all tokens get. Then it says nothing about where a patch stands. There is one for every place: (1, 1 + num_patches, d_model).",
    ),
    edit(
        {TABLE: ONE_VECTOR, ROW: BEHIND},
        inside=MAKE,
        says="Your `positions` are one vector, which all tokens get, and the class token stands behind the patches, where the head does not read. There is one vector for every place, (1, 1 + num_patches, d_model), and the class token comes in front.",
    ),
    *(
        edit(
            {TABLE: ONE_VECTOR, CUT: given, SUM: left, **({ROW: BEHIND} if "behind" in also else {})},
            inside=MAKE,
            says=f"Your `positions` are one vector, which all patches get: it says nothing about where a patch stands. {also} There is one vector for every place, (1, 1 + num_patches, d_model), and they are added when the class token stands in front.",
        )
        for given, left, also in (
            (f"{CUT} + self.positions", "x = self.dropout(x)", "The class token gets none."),
            (
                "patches = self.dropout(self.patch_embedding(images) + self.positions)",
                "x = x",
                "The class token gets none, and no share in the dropout.",
            ),
            (
                "patches = self.dropout(self.patch_embedding(images) + self.positions)",
                "x = x",
                "The class token gets none, and stands behind the patches, where the head does not read.",
            ),
        )
    ),
    edit(
        {PLACED: "x + self.positions.mean(dim=1, keepdim=True)"},
        says="All your tokens get the mean of the positions. Then it says nothing about where a patch stands. Each gets the vector of its own place.",
    ),
    edit(
        {
            PLACED: "x + torch.cat((self.positions[:, :1], self.positions[:, 1:2].expand(-1, patches.size(1), -1)), dim=1)"
        },
        says="All your patches get one and the same position, that of the first. Then it says nothing about where a patch stands. There is one vector for every place.",
    ),
    edit(
        {PLACED: "x + self.positions.sum(dim=1, keepdim=True)"},
        says="All your tokens get the sum of the positions. Then it says nothing about where a patch stands. Each gets the vector of its own place.",
    ),
)

vision_transformer.mistake(
    "positions multiplied",
    "You multiply the tokens by their positions. What a patch shows and where it stands are added.",
    {PLACED: "x * self.positions"},
)

vision_transformer.mistake(
    "positions in place of the tokens",
    "The encoder reads the positions alone, so that every picture gets the same answer. They are added to the row of tokens.",
    {PLACED: "self.positions.expand(len(images), -1, -1)"},
)

vision_transformer.mistake(
    "positions subtracted",
    "You subtract the positions. A model could learn them so as well, but these weights are made for a sum.",
    {PLACED: "x - self.positions"},
)

vision_transformer.mistake(
    "positions behind the encoder",
    "You add the positions to what the encoder has made. The encoder itself then knows nothing of places: they have to be there before it reads.",
    {PLACED: "x", ENCODE: f"{ENCODE}\n        x = x + self.positions"},
    edit(
        {ENCODE: f"{ENCODE}\n        x = x + self.positions"},
        says="You add the positions in front of the encoder, and once more behind it. Once is enough, in front.",
    ),
)

vision_transformer.mistake(
    "positions counted from the end",
    "The positions are turned round: the last vector is at the class token. The first of `self.positions` belongs to the first token.",
    {PLACED: "x + self.positions.flip(1)"},
    edit(
        {PLACED: "x + torch.cat((self.positions[:, :1], self.positions[:, 1:].flip(1)), dim=1)"},
        says="The positions of the patches are turned round: the last vector is at the first patch. Place 1 of `self.positions` belongs to the first patch, place 2 to the second.",
    ),
    edit(
        {ROW: "x = torch.cat((first, patches.flip(1)), dim=1)"},
        says="Your patches come in the opposite order, the last one first. They keep the order in which `patch_embedding` gives them.",
    ),
)

vision_transformer.mistake(
    "the class token last",
    "Your class token stands behind the patches. With learned positions a model trained so is as good, but place 0 of `positions`, and of the weights that you return, is promised to the class token.",
    {ROW: BEHIND, READ: "logits = self.head(x[:, -1])"},
    edit(
        {ROW: BEHIND},
        says="Your class token stands behind the patches, and the head reads place 0: the first patch. Put the class token in front.",
    ),
    edit(
        {
            ROW: BEHIND,
            PLACED: "x + self.positions.roll(-1, 1)",
        },
        says="Your class token stands behind the patches, each token with a position of its own, and the head reads place 0: the first patch. Put the class token in front.",
    ),
    edit(
        {
            ROW: BEHIND,
            PLACED: "x + self.positions.roll(-1, 1)",
            READ: "logits = self.head(x[:, -1])",
        },
        says="Your class token stands behind the patches. The answer is the same, but place 0 of the weights that you return is promised to the class token: put it in front.",
    ),
)

vision_transformer.mistake(
    "no class token",
    "Your class token has no effect on the row of tokens. Put it in front of the patches of every picture; the head reads what it has become.",
    {ROW: "x = torch.cat((torch.zeros_like(first), patches), dim=1)"},
    edit(
        {ROW: "x = patches", PLACED: "x + self.positions[:, 1:]"},
        says="There is no class token in your row: the head reads the first patch. Put the class token in front of the patches of every picture.",
    ),
    edit(
        {ROW: "x = patches", PLACED: "x + self.positions[:, :-1]"},
        says="There is no class token in your row: the head reads the first patch. Put the class token in front of the patches of every picture.",
    ),
    edit(
        {
            ROW: "x = patches",
            PLACED: "x + self.positions[:, 1:]",
            READ: "logits = self.head(x.mean(dim=1))",
        },
        says="There is no class token in your row: the head reads the mean of the patches. That works too, and some models do it. Here the class token stands in front, and the head reads what it has become.",
    ),
    edit(
        {ROW: "x = patches", TABLE: PATCHES_ALONE},
        inside=MAKE,
        says="There is no class token in your row, and no position for it: the head reads the first patch. Put the class token in front of the patches of every picture; there are 1 + num_patches places.",
    ),
    edit(
        {ROW: "x = torch.cat((patches.mean(dim=1, keepdim=True), patches), dim=1)"},
        says="In front of the patches stands their mean. It should be `self.class_token`, a learned vector, the same for every picture.",
    ),
    edit(
        {ROW: "x = torch.cat((self.positions[:, :1].expand_as(first), patches), dim=1)"},
        says="In front of the patches stands the first of the positions, to which it is then added once more. It should be `self.class_token`.",
    ),
    edit(
        {ROW: "x = torch.cat((torch.ones_like(first), patches), dim=1)"},
        says="In front of the patches stand ones. It should be `self.class_token`, a learned vector, the same for every picture.",
    ),
)

vision_transformer.mistake(
    "the class token in place of a patch",
    "Your class token takes the place of a patch, which the encoder never sees. It is one token more: 1 + num_patches of them.",
    {ROW: "x = torch.cat((first, patches[:, 1:]), dim=1)", PLACED: "x + self.positions[:, :-1]"},
    {ROW: "x = torch.cat((first, patches[:, 1:]), dim=1)", PLACED: "x + self.positions[:, 1:]"},
    {ROW: "x = torch.cat((first, patches[:, :-1]), dim=1)", PLACED: "x + self.positions[:, :-1]"},
    {ROW: "x = torch.cat((first, first, patches[:, 1:]), dim=1)"},
    *(
        edit({TABLE: TABLE.replace("1 + config", "config"), ROW: f"x = torch.cat((first, patches[:, {part}]), dim=1)"})
        for part in ("1:", ":-1")
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
    edit(
        {READ: "logits = self.head(x[0])"},
        says="The head reads all tokens of the first picture: `x[0]` takes one out of the batch. `x[:, 0]` takes the class token of every picture.",
    ),
    edit(
        {READ: "logits = self.head(x[:, 0] + x[:, 1:].mean(dim=1))"},
        says="The head reads the class token and, added to it, the mean of the patches. The class token answers alone: `x[:, 0]`.",
    ),
    edit(
        {READ: "logits = self.head((x[:, 0] + x[:, 1:].mean(dim=1)) / 2)"},
        says="The head reads half the class token and half the mean of the patches. The class token answers alone: `x[:, 0]`.",
    ),
)

vision_transformer.mistake(
    "a token added in front of the head",
    "The head reads the sum of what the encoder gave and of what went into it. The residual connections are inside the layers, and the final norm stands behind all of them: hand on `x[:, 0]` as it comes.",
    {ENCODE: "before = x\n        x, weights = self.encoder(x, return_weights=True)\n        x = x + before"},
    edit(
        {READ: "logits = self.head(x[:, 0] + first[:, 0])"},
        says="The head reads the sum of what the encoder gave and of the class token as it was at the beginning. Hand on `x[:, 0]` as it comes.",
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
    "no batch for one picture",
    "A batch of one picture loses its dimension: `squeeze` without a number takes out every dimension of size 1, also the batch. `x[:, 0]` takes the token out, and needs no `squeeze`.",
    {READ: "logits = self.head(x[:, 0]).squeeze()"},
    edit(
        {RESULT: "return (logits, [one.squeeze() for one in weights]) if return_weights else logits"},
        says="The weights of one picture lose the dimension of the batch: `squeeze` without a number takes out every dimension of size 1. Return them as the encoder gives them.",
    ),
    edit(
        {
            READ: "logits = self.head(x[:, 0]).squeeze()",
            RESULT: "return (logits, [one.squeeze() for one in weights]) if return_weights else logits",
        },
        says="Logits and weights of one picture lose the dimension of the batch: `squeeze` without a number takes out every dimension of size 1. Nothing here needs a `squeeze`.",
    ),
)

vision_transformer.mistake(
    "a class instead of logits",
    "You return the number of the best class. What is promised are the logits, one for each class: the loss needs all of them, and no gradient comes through an `argmax`.",
    {READ: "logits = self.head(x[:, 0]).argmax(dim=-1)"},
)

vision_transformer.mistake(
    "tokens instead of logits",
    "You return tokens, and the head does not read them, or its answer is not what comes back. The result are the logits: `self.head(x[:, 0])`.",
    {READ: "logits = x[:, 0]"},
    {READ: "logits = x"},
    edit(
        {RESULT: "return (x, weights) if return_weights else logits"},
        says="With `return_weights=True` you return the tokens in place of the logits. It is `(logits, weights)`.",
    ),
)

vision_transformer.mistake(
    "the head's bias is not used",
    "The head has a bias, and it is not in your logits. Call the head itself.",
    {READ: "logits = F.linear(x[:, 0], self.head.weight)"},
)

vision_transformer.mistake(
    "the class token or the positions get no gradient",
    "No gradient reaches the class token or the positions, so that they stay as they began. `expand` and `torch.cat` hand it on; what breaks the thread is `.data`, `.detach()`, `requires_grad=False` or a new tensor made of the numbers.",
    edit(
        {FIRST: "self.class_token.detach().expand(len(images), -1, -1)"},
        says="No gradient reaches the class token, so that it stays as it began. `expand` and `torch.cat` hand it on; what breaks the thread is `.data`, `.detach()`, `requires_grad=False` or a new tensor made of the numbers.",
    ),
    edit(
        {PLACED: "x + self.positions.detach()"},
        says="No gradient reaches the positions, so that they stay as they began. A sum hands it on; what breaks the thread is `.data`, `.detach()`, `requires_grad=False` or a new tensor made of the numbers.",
    ),
    edit(
        {
            FIRST: "self.class_token.detach().expand(len(images), -1, -1)",
            PLACED: "x + self.positions.detach()",
        },
        says="No gradient reaches the class token, nor the positions, so that they stay as they began. `expand`, `torch.cat` and a sum hand it on; what breaks the thread is `.data`, `.detach()`, `requires_grad=False` or a new tensor made of the numbers.",
    ),
)

vision_transformer.mistake(
    "what is in front of the cut does not learn",
    "The graph is cut inside `forward`, by `detach`, `.data` or `torch.no_grad()`: what lies in front of the cut gets no gradient, and stays as it began.",
    edit(
        {CUT: "patches = self.patch_embedding(images).detach()"},
        says="No gradient reaches the patch embedding: its tokens are cut off by `detach`, `.data` or `torch.no_grad()`. It stays as it began.",
    ),
    edit(
        {SUM: "x = self.dropout(x + self.positions).detach()"},
        says="No gradient reaches what stands in front of the encoder: the sum is cut off by `detach`, `.data` or `torch.no_grad()`. Class token, positions and patch embedding stay as they began.",
    ),
    edit(
        {READ: "logits = self.head(x[:, 0].detach())"},
        says="No gradient reaches anything but the head: what it reads is cut off by `detach`, `.data` or `torch.no_grad()`. All else stays as it began.",
    ),
    edit(
        {READ: "logits = self.head(x[:, 0]).detach()"},
        says="No gradient reaches anything: the logits are cut off by `detach`, `.data` or `torch.no_grad()`. Nothing can learn.",
    ),
)

vision_transformer.mistake(
    "the class token or the positions are no parameter",
    "The class token or the positions are not learned. `nn.Parameter(...)` is what makes a tensor one that an optimizer finds.",
    edit(
        {TOKEN: "self.class_token = torch.empty(1, 1, config.d_model)"},
        says="Your `class_token` is a plain tensor or a buffer: no optimizer finds it, so it stays as it began. Put it into `nn.Parameter(...)`.",
    ),
    edit(
        {TABLE: "self.positions = torch.empty(1, 1 + config.num_patches, config.d_model)"},
        says="Your `positions` are a plain tensor or a buffer: no optimizer finds it, so it stays as it began. Put it into `nn.Parameter(...)`.",
    ),
    edit(
        {
            TOKEN: "self.class_token = torch.empty(1, 1, config.d_model)",
            TABLE: "self.positions = torch.empty(1, 1 + config.num_patches, config.d_model)",
        },
        says="Your `class_token` and your `positions` are plain tensors or buffers: no optimizer finds them, so they stay as they began. Put each into `nn.Parameter(...)`.",
    ),
)

vision_transformer.mistake(
    "a parameter of another shape",
    "The class token or the positions have another shape than is promised: (1, 1, d_model) and (1, 1 + num_patches, d_model). It runs, but a model that was saved by somebody else does not load.",
    edit(
        {TOKEN: TOKEN.replace("(1, 1, config", "(1, config")},
        says="Your `class_token` has two dimensions. It runs, as torch puts the missing one in front; what is promised is (1, 1, d_model), and a model that somebody else saved loads into nothing else.",
    ),
    edit(
        {TOKEN: TOKEN.replace("(1, 1, config", "(config"), FIRST: "self.class_token.expand(len(images), 1, -1)"},
        says="Your `class_token` is one row of numbers. It runs; what is promised is (1, 1, d_model), and a model that somebody else saved loads into nothing else.",
    ),
    edit(
        {TABLE: TABLE.replace("(1, 1 +", "(1 +")},
        says="Your `positions` have two dimensions. It runs, as torch puts the missing one in front; what is promised is (1, 1 + num_patches, d_model), and a model that somebody else saved loads into nothing else.",
    ),
    edit(
        {TOKEN: TOKEN.replace("(1, 1, config", "(1, config"), TABLE: TABLE.replace("(1, 1 +", "(1 +")},
        says="Your `class_token` and your `positions` have two dimensions. It runs, as torch puts the missing one in front; what is promised is (1, 1, d_model) and (1, 1 + num_patches, d_model).",
    ),
    edit(
        {TABLE: TABLE.replace("config.d_model", "1")},
        says="Your `positions` have one number for every place, which is added to all features of its token. There is a vector for every place: (1, 1 + num_patches, d_model).",
    ),
    edit(
        {TABLE: TABLE.replace("1 + config", "2 + config"), PLACED: "x + self.positions[:, : x.size(1)]"},
        says="Your `positions` have a row too many, which nobody reads. There are 1 + num_patches places.",
    ),
    edit(
        {TABLE: PATCHES_ALONE},
        inside=MAKE,
        says="Your `positions` have a row too few: one for each patch, and none for the class token. There are 1 + num_patches places.",
    ),
    edit(
        {TABLE: PATCHES_ALONE, PLACED: "x + F.pad(self.positions, (0, 0, 0, 1))"},
        inside=MAKE,
        says="Your `positions` have a row too few, and the last patch gets none. There are 1 + num_patches places: the class token has one too.",
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
                PLACED: "x + self.positions[: len(images)]",
            },
        )
    ),
    *(
        edit(swaps, inside=MAKE)
        for size in (4, 8, 16, 32, 64, 128)
        for swaps in (
            {TOKEN: TOKEN.replace("(1, 1", f"({size}, 1")},
            {TABLE: TABLE.replace("(1, 1 +", f"({size}, 1 +")},
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
    {CUT: "patches = self.dropout(self.patch_embedding(images))", SUM: "x = x + self.positions"},
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
    {PLACED: "x * self.config.d_model**0.5 + self.positions"},
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
        {CUT: "patches = self.dropout(self.patch_embedding(images))"},
        says="You drop out the patches, or the pixels that they are made of, and then once more the sum of tokens and positions. Dropout has one place here: on the sum.",
    ),
)

vision_transformer.mistake(
    "dropout in evaluation too",
    "Numbers are dropped out in evaluation too. `F.dropout` does so unless it is told `training=self.training`; `self.dropout` knows by itself which of the two it is.",
    {SUM: "x = F.dropout(x + self.positions, self.config.dropout)"},
    edit(
        {SUM: "x = F.dropout(x + self.positions)"},
        says="One half of the numbers is dropped out, in evaluation too, whatever `config.dropout` says. `F.dropout` does so unless it is told the share and `training=self.training`; `self.dropout` knows both by itself.",
    ),
)

vision_transformer.mistake(
    "dropout of another share",
    "Another share is dropped out than `config.dropout` says.",
    edit(
        {SUM: "x = F.dropout(x + self.positions, training=self.training)"},
        says="One half of the numbers is dropped out, whatever `config.dropout` says. That is the share that `F.dropout` and `nn.Dropout` take unless they are told another; `self.dropout` has the right one.",
    ),
    edit(
        {SUM: "x = F.dropout(x + self.positions, 1 - self.config.dropout, self.training)"},
        says="What should stay is dropped out, and what should be dropped stays. `config.dropout` is the share that is set to zero, which `F.dropout` is told as it is; `self.dropout` has it already.",
    ),
)

vision_transformer.mistake(
    "the same dropped for all pictures, or all of a token",
    "What is dropped out is not decided number by number. Dropout acts on the whole row, (batch, 1 + num_patches, d_model), in one call of `self.dropout`.",
    edit(
        {SUM: "x = F.dropout1d(x + self.positions, self.config.dropout, self.training)"},
        says="You drop out whole tokens: all numbers of one, or none. `F.dropout1d` does that. `self.dropout` decides number by number.",
    ),
    edit(
        {
            ROW: "x = torch.cat((self.dropout(self.class_token + self.positions[:, :1]).expand_as(first), self.dropout(patches + self.positions[:, 1:])), dim=1)",
            SUM: "x = x",
        },
        says="You drop out the class token before it is there once for each picture, so that all pictures of the batch lose the same numbers of it. First `expand` and `torch.cat`, then dropout.",
    ),
)

vision_transformer.mistake(
    "post-norm",
    "Your encoder is post-norm: each of its layers normalizes what it has added up. The Vision Transformer is pre-norm, with one norm at the end: `norm_first=True`.",
    edit({"norm_first=True": "norm_first=False"}, inside=MAKE),
)

vision_transformer.mistake(
    "the final norm is left out",
    "The tokens reach the head without the encoder's final norm. In pre-norm no layer has normalized the sums; `self.encoder` does it at the end, so call it as a whole.",
    {ENCODE: LAYERS.removesuffix("\n        x = self.encoder.norm(x)")},
    edit(
        {ENCODE: f"x = self.encoder.norm(x)\n        {LAYERS}".removesuffix("\n        x = self.encoder.norm(x)")},
        says="The encoder's final norm stands in front of its layers, and none behind them. `self.encoder` does it at the end, so call it as a whole.",
    ),
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
        {READ: "logits = self.head(x[:, 0]).softmax(dim=0)"},
        says="Your scores have been through a softmax over the pictures of the batch: a picture's answer depends on the others. Return the logits as the head gives them.",
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
    edit(
        {RESULT: "return logits, (weights if return_weights else None)"},
        says="You always return two things. With `return_weights=False` the logits come back alone, without a None beside them.",
    ),
)

vision_transformer.mistake(
    "positions given to other tokens",
    "The patches get the first of the positions, and the class token shares one with a patch. Put the class token in front, and add all of `self.positions` to the row: place 0 is the class token's.",
    {
        ROW: "x = torch.cat((first + self.positions[:, :1], patches + self.positions[:, :-1]), dim=1)",
        PLACED: "x",
    },
    edit(
        {PLACED: "x + self.positions.roll(1, 1)"},
        says="The class token gets the last of the positions, and the patches get the others. Place 0 is the class token's.",
    ),
    edit(
        {PLACED: "x + torch.cat((self.positions[:, :1], self.positions[:, 1:].roll(1, 1)), dim=1)"},
        says="The patches get each other's positions: the first patch gets the last one, and each other patch that of the patch before it.",
    ),
    edit(
        {
            ROW: "x = torch.cat((first + self.positions[:, -1:], patches + self.positions[:, 1:]), dim=1)",
            PLACED: "x",
        },
        says="The class token gets the last of the positions, as the last patch does; the first is used by nobody. Place 0 is the class token's.",
    ),
    edit(
        {
            CUT: "config = self.config\n        patches = self.patch_embedding(images)",
            PLACED: "x + torch.cat((self.positions[:, :1], self.positions[:, 1:].unflatten(1, (config.width // config.patch_size, -1)).transpose(1, 2).flatten(1, 2)), dim=1)",
        },
        says="The positions are given out column by column. Patches come row by row, and so do their places.",
    ),
)

vision_transformer.mistake(
    "the patches have no positions",
    "Only the class token has a position. The patches can then come in any order: the answer is the same. Add `self.positions` to the whole row.",
    {PLACED: "torch.cat((x[:, :1] + self.positions[:, :1], x[:, 1:]), dim=1)"},
)

vision_transformer.mistake(
    "positions added twice",
    "The positions are added twice. Once is enough.",
    {PLACED: "x + self.positions + self.positions"},
    edit(
        {SUM: "x = self.dropout(x + self.positions) + self.positions"},
        says="The positions are added in front of dropout, and once more behind it. Once is enough, in front.",
    ),
    *(
        edit(
            {CUT: given},
            says=f"The patches get their positions before the class token is there{also}, and then again with all tokens. Once is enough: when the class token stands in front.",
        )
        for given, also in (
            (f"{CUT} + self.positions[:, 1:]", ""),
            (
                "patches = self.dropout(self.patch_embedding(images) + self.positions[:, 1:])",
                ", and numbers of the sum are dropped out",
            ),
        )
    ),
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
        {ROW: "x = patches + first", PLACED: "x + self.positions[:, 1:]"},
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
    edit(
        {READ: "logits = self.dropout(self.head(x[:, 0]))"},
        says="You drop out in front of the encoder, and then logits as well, so that in training some classes get a 0. Dropout has one place here: on the sum of tokens and positions.",
    ),
    edit(
        {SUM: "x = x + self.positions", READ: "logits = self.dropout(self.head(x[:, 0]))"},
        says="You drop out logits, so that in training some classes get a 0, and nothing in front of the encoder. Dropout acts on the sum of tokens and positions.",
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
    "a mask in the encoder",
    "Your encoder has a mask. A picture is read in all directions, and the class token by all: no mask.",
    edit(
        {
            ENCODE: "x, weights = self.encoder(x, torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril(), return_weights=True)"
        },
        says="A token of yours reads only those in front of it, so the class token, which is the first, reads nothing but itself. A picture is read in all directions: no mask.",
    ),
    edit(
        {ENCODE: "x, weights = self.encoder(x, torch.arange(x.size(1)) > 0, return_weights=True)"},
        says="Your mask hides the class token: no token reads it, itself included. All tokens read all: no mask.",
    ),
)

vision_transformer.mistake(
    "a norm too many",
    "The head reads a token that is normalized once more. The encoder has a norm at its end.",
    {READ: "logits = self.head(F.layer_norm(x[:, 0], (self.config.d_model,)))"},
    edit(
        {READ: "logits = self.head(self.encoder.norm(x[:, 0]))"},
        says="The encoder's final norm is applied twice: `self.encoder` has done it already.",
    ),
    edit(
        {READ: "logits = self.head(self.encoder.norm(x)[:, 0])"},
        says="The encoder's final norm is applied twice: `self.encoder` has done it already.",
    ),
    edit(
        {READ: "logits = self.head(F.normalize(x[:, 0], dim=-1))"},
        says="The head reads a token that is brought to length 1. The encoder has a norm at its end; hand on what it gives.",
    ),
    edit(
        {
            ENCODE: "x = F.layer_norm(x, (self.config.d_model,))\n        x, weights = self.encoder(x, return_weights=True)"
        },
        says="The tokens are normalized in front of the encoder. A pre-norm layer begins with a norm of its own, and its residual connection hands on the tokens as they are.",
    ),
    edit(
        {ENCODE: "x = self.encoder.norm(x)\n        x, weights = self.encoder(x, return_weights=True)"},
        says="The encoder's final norm is applied in front of the encoder, too. It stands at the end alone, and `self.encoder` sees to that.",
    ),
    edit(
        {CUT: "patches = self.encoder.norm(self.patch_embedding(images))"},
        says="The encoder's final norm is applied to the tokens of the patches, too. It stands at the end alone, and `self.encoder` sees to that.",
    ),
    edit(
        {CUT: "patches = F.layer_norm(self.patch_embedding(images), (self.config.d_model,))"},
        says="The tokens of the patches are normalized before the positions are added. They are projected and nothing else; the encoder has norms of its own.",
    ),
    edit(
        {CUT: "patches = F.normalize(self.patch_embedding(images), dim=-1)"},
        says="The tokens of the patches are brought to length 1. They are projected and nothing else; the encoder has norms of its own.",
    ),
)

vision_transformer.mistake(
    "an activation behind the patch embedding",
    "The tokens of the patches go through an activation. It cuts away what lies below zero before the first layer could read it. A patch is projected and nothing else.",
    {CUT: "patches = self.patch_embedding(images).relu()"},
    {CUT: "patches = F.gelu(self.patch_embedding(images))"},
    edit(
        {CUT: "patches = self.patch_embedding(images).tanh()"},
        says="The tokens of the patches go through a tanh. A patch is projected and nothing else.",
    ),
)

vision_transformer.mistake(
    "the pictures changed before they are cut",
    "You change the pictures before the model reads them. Whoever calls it hands over what it is to read: cut them as they are.",
    edit(
        {CUT: "patches = self.patch_embedding(images * 2 - 1)"},
        says="You move the pixels from 0 to 1 onto -1 to 1. That belongs to the data, not to the model: whoever calls it hands over what it is to read.",
    ),
    edit(
        {CUT: "patches = self.patch_embedding(images / 255)"},
        says="You divide the pixels by 255. That belongs to the data, not to the model: whoever calls it hands over what it is to read.",
    ),
    edit(
        {CUT: "patches = self.patch_embedding(images.flip(3))"},
        says="You mirror the pictures, left for right. Cut them as they are.",
    ),
    edit(
        {CUT: "patches = self.patch_embedding(images.flip(2))"},
        says="You turn the pictures upside down. Cut them as they are.",
    ),
    edit(
        {CUT: "patches = self.patch_embedding(images.flip(1))"},
        says="You turn the order of the channels round. Cut the pictures as they are.",
    ),
)

vision_transformer.mistake(
    "other layers than the encoder's, or another order",
    "Not every layer of the encoder runs once and in its turn. `self.encoder(x, return_weights=True)` does all of them.",
    *(
        edit({ENCODE: LAYERS.replace("self.encoder.layers", those).replace("layer(x", f"{which}(x")}, says=says)
        for those, which, says in (
            (
                "self.encoder.layers[:-1]",
                "layer",
                "The encoder's last layer is left out. `self.encoder(x, return_weights=True)` runs all of them.",
            ),
            (
                "self.encoder.layers[:1]",
                "layer",
                "The encoder's first layer runs alone. `self.encoder(x, return_weights=True)` runs all of them.",
            ),
            (
                "reversed(self.encoder.layers)",
                "layer",
                "The encoder's layers run from the last to the first. `self.encoder(x, return_weights=True)` runs them in their order.",
            ),
            (
                "self.encoder.layers",
                "self.encoder.layers[0]",
                "The encoder's first layer runs again and again, and the others never. `self.encoder(x, return_weights=True)` runs each once.",
            ),
        )
    ),
    edit(
        {ENCODE: LAYERS.replace("x, found = layer(x", "x, found = layer(self.encoder.norm(x)")},
        says="The encoder's final norm is applied in front of every layer as well. It stands at the end alone, and `self.encoder` sees to that.",
    ),
    edit(
        {
            ENCODE: LAYERS.replace(
                "            weights.append", "            x = self.encoder.norm(x)\n            weights.append"
            ).removesuffix("\n        x = self.encoder.norm(x)")
        },
        says="The encoder's final norm is applied behind every layer. It stands at the end alone, and `self.encoder` sees to that.",
    ),
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
    edit(
        {RESULT: "return (logits, None) if return_weights else logits"},
        says="In place of the weights comes None. `self.encoder(x, return_weights=True)` gives the weights of each layer.",
    ),
    edit(
        {RESULT: "return (logits, weights[::-1]) if return_weights else logits"},
        says="Your list of weights begins with the last layer. The first layer's come first.",
    ),
    edit(
        {RESULT: "return (logits, [one.transpose(-1, -2) for one in weights]) if return_weights else logits"},
        says="Your weights are transposed: who asks and who is read have changed places. The rows are the tokens that ask; return them as the encoder gives them.",
    ),
    *(
        edit(
            {RESULT: f"return (logits, [one[{part}] for one in weights]) if return_weights else logits"},
            says=f"You return a piece of the weights: {which}. All are promised, as the encoder gives them; `attention_rollout` needs whole matrices.",
        )
        for part, which in (
            (":, :, 0", "what the class token reads"),
            (":, :, 1:, 1:", "the class token's row and column are missing"),
            (":, :, 0, 1:", "what the class token reads of the patches"),
            ("..., 1:", "the class token's column is missing"),
            (":, :, 1:", "the class token's row is missing"),
            (":, 0", "the first head's"),
        )
    ),
    edit(
        {RESULT: "return (logits, *weights) if return_weights else logits"},
        says="Your weights stand side by side with the logits, one result for each layer. Two results are promised: the logits, and a list of the weights.",
    ),
)

vision_transformer.mistake(
    "the mode is changed",
    "Your model puts itself into evaluation mode: `self.eval()`. Dropout is then off for the rest of the training. The caller chooses the mode, with `model.train()` and `model.eval()`.",
    {CUT: f"self.eval()\n        {CUT}"},
    edit(
        {CUT: f"self.encoder.eval()\n        {CUT}"},
        says="Your model puts its encoder into evaluation mode: `self.encoder.eval()`. Dropout is then off there for the rest of the training. The caller chooses the mode.",
    ),
    edit(
        {CUT: f"self.train()\n        {CUT}"},
        says="Your model puts itself into training mode: `self.train()`. Dropout is then on wherever it is used. The caller chooses the mode.",
    ),
)
