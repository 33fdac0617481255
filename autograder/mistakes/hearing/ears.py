"""Wrong ways of halving a mask, and of ears that hear the padding."""

from autograder.checks.hearing.ears import audio_embedding, downsample_mask
from autograder.probing.mistake import edit

# downsample_mask ----------------------------------------------------------------------------

SLICE, STEP = "mask[:, ::2]", "::2"


def other_mask(other: str) -> dict[str, str]:
    """Another mask is halved; two of these go together, one after the other."""
    return {"return mask": f"mask = {other}\n    return mask"}


downsample_mask.mistake(
    "not halved",
    "The mask comes back as long as it was. The convolution has left half as many vectors: keep every other entry.",
    {STEP: ":"},
    edit(
        {SLICE: "mask & (torch.arange(mask.size(1)) % 2 == 0)"},
        says="You set every other entry to False and keep all of them. The convolution has left half as many vectors: take the others out, `[:, ::2]`.",
    ),
    edit(
        {SLICE: "(torch.arange(mask.size(1)) < (mask.sum(dim=1, keepdim=True) + 1) // 2)"},
        says="As many vectors of yours are real as should be, but the mask is as long as it was. The convolution has left half as many vectors: (n + 1) // 2.",
    ),
)

downsample_mask.mistake(
    "not boolean",
    "Your mask is of numbers. Attention and `~` want booleans: compare, or slice the mask as it is.",
    {SLICE: f"{SLICE}.float()"},
    {SLICE: f"{SLICE}.long()"},
    edit(
        {SLICE: "F.pad(mask, (0, mask.size(1) % 2)).reshape(len(mask), -1, 2).sum(dim=-1)"},
        says="You count how many frames of each two are real. A mask is boolean, and the first of the two says it: `[:, ::2]`.",
    ),
    edit(
        {SLICE: f"(~{SLICE}).float() * -1e9"},
        says="Your mask is to be added to scores: 0 where something is real, and a huge negative number elsewhere. In this course a mask is boolean, True where something may be read.",
    ),
    edit(
        {SLICE: f"(~{SLICE}).float() * -1e4"},
        says="Your mask is to be added to scores: 0 where something is real, and a huge negative number elsewhere. In this course a mask is boolean, True where something may be read.",
    ),
    edit(
        {SLICE: f"torch.where({SLICE}, 0.0, -torch.inf)"},
        says="Your mask is to be added to scores: 0 where something is real, and minus infinity elsewhere. In this course a mask is boolean, True where something may be read.",
    ),
    edit(
        {SLICE: "(F.conv1d(mask.float()[:, None], torch.ones(1, 1, 3), stride=2, padding=1)[:, 0])"},
        says="You count how many frames of each window are real. A mask is boolean, and the frame in the middle says it: `[:, ::2]`.",
    ),
)

downsample_mask.mistake(
    "four dimensions already",
    "Your mask has the four dimensions that attention wants. Here (batch, half) is promised; `Transcriber.encode` gives it the other two.",
    {SLICE: f"{SLICE}[:, None, None]"},
    edit(
        {SLICE: f"{SLICE}[:, None]"},
        says="Your mask has three dimensions. Here (batch, half) is promised.",
    ),
    edit(
        {SLICE: f"{SLICE}[:, :, None]"},
        says="Your mask has three dimensions. Here (batch, half) is promised.",
    ),
)

downsample_mask.mistake(
    "lengths instead of a mask",
    "You return how many vectors are real. A mask says it of each vector: compare `torch.arange(half)` with these numbers.",
    {SLICE: f"{SLICE}.sum(dim=1)"},
)

downsample_mask.mistake(
    "the convolution's padding is forgotten",
    "Your formula is that of a convolution without padding, (n - 3) // 2 + 1: a vector is missing. With one zero at either end, n frames leave (n + 1) // 2.",
    {SLICE: "(torch.arange((mask.size(1) + 1) // 2) < (mask.sum(dim=1, keepdim=True) - 1) // 2)"},
    {SLICE: "(torch.arange((mask.size(1) - 1) // 2) < (mask.sum(dim=1, keepdim=True) - 1) // 2)"},
    {SLICE: "(F.conv1d(mask.float()[:, None], torch.tensor([[[0.0, 1.0, 0.0]]]), stride=2)[:, 0] > 0)"},
    {SLICE: "(F.max_pool1d(mask.float()[:, None], 3, 2)[:, 0] > 0)"},
    {SLICE: "(F.avg_pool1d(mask.float()[:, None], 3, 2)[:, 0] == 1)"},
    edit(
        {STEP: "1:-1:2"},
        says="Your vectors have their middle at frame 1, 3, 5, ..., as in a convolution without padding. With one zero at either end the first middle is frame 0.",
    ),
)

downsample_mask.mistake(
    "the odd frames",
    "You keep frame 1, 3, 5, ... The convolution begins with frame 0: so a sound of one frame has a vector, and yours says that it has none.",
    {STEP: "1::2"},
    edit(
        other_mask("F.pad(mask, (1, -1))"),
        says="You keep the frame in front of each middle, -1, 1, 3, ..., the first of the window's three. In front of frame 0 stands the convolution's zero: so the first vector is never real with you. The middle one says it: `[:, ::2]`.",
    ),
    *(
        edit(
            other_mask(f"F.pad(mask, (mask.size(1) % 2, 0), value={value})"),
            says="An odd number of frames is filled up in front, so that you keep frame 1, 3, 5, ... behind what was filled in. The middle of the first window is frame 0: fill up at the end, or keep `[:, ::2]`.",
        )
        for value in ("False", "True")
    ),
    edit(
        other_mask("mask if mask.size(1) % 2 == 0 else mask[:, 1:]"),
        says="Of an odd number of frames you leave out the first. The middle of the first window is frame 0: `[:, ::2]` keeps it.",
    ),
)

downsample_mask.mistake(
    "rounded down",
    "Of an odd number of frames you keep one too few. 7 frames leave 4 vectors, as the last window's middle is on frame 6: (n + 1) // 2.",
    {SLICE: f"{SLICE}[:, : mask.size(1) // 2]"},
    edit(
        {SLICE: f"{SLICE}[:, :-1]"},
        says="You leave out the last vector, however many there are. n frames leave (n + 1) // 2 vectors: `[:, ::2]` keeps them all.",
    ),
    edit(
        {SLICE: "mask.reshape(len(mask), -1, 2)[:, :, 0]"},
        says="Your mask is split into pairs of frames, which an odd number of frames is not. 7 frames leave 4 vectors, as the last window's middle is on frame 6. `[:, ::2]` takes any number.",
    ),
)

downsample_mask.mistake(
    "both frames have to be real",
    "A vector counts as real only if its own frame and the next one are. A sound of an odd number of frames then loses its last vector, though its middle is real.",
    other_mask("mask & F.pad(mask[:, 1:], (0, 1))"),
    {SLICE: "(torch.arange((mask.size(1) + 1) // 2) < mask.sum(dim=1, keepdim=True) // 2)"},
    edit(
        other_mask("mask & F.pad(mask[:, 1:], (0, 1), value=True)"),
        says="A vector counts as real only if all frames of its window are. A sound of an odd number of frames then loses its last vector where padding stands behind it, though its middle is real.",
    ),
    edit(
        {SLICE: "(F.avg_pool1d(mask.float()[:, None], 3, 2, 1)[:, 0] == 1)"},
        says="A vector counts as real only if its window holds three real frames. At both ends of the batch stands a zero of the convolution's own, so the first vector is never real. Its middle is: `[:, ::2]`.",
    ),
    edit(
        {SLICE: "(F.avg_pool1d(mask.float()[:, None], 3, 2, 1)[:, 0] > 0.5)"},
        says="A vector counts as real if most frames of its window are. A sound of one frame then has none, as a zero of the convolution's own stands in front. Its middle is real: `[:, ::2]`.",
    ),
)

downsample_mask.mistake(
    "counted from the end",
    "You keep every other entry from the end. The convolution puts its first window's middle on frame 0: where the frames are even in number, that is another half of them.",
    {SLICE: "mask.flip(1)[:, ::2].flip(1)"},
    edit(
        other_mask("mask.flip(1)"),
        says="You keep every other entry from the end, in reverse. Begin with frame 0, and go on in order: `[:, ::2]`.",
    ),
)

downsample_mask.mistake(
    "another step",
    "You keep every third entry, as wide as the window is. It moves on by 2, the stride: `[:, ::2]`.",
    {STEP: "::3"},
    edit(
        {STEP: "::4"},
        says="You halve the mask twice. Of the two convolutions the second alone has stride 2.",
    ),
)

downsample_mask.mistake(
    "all vectors count as real",
    "Your mask is True everywhere: the padding then counts as sound. Keep what the mask says of frame 0, 2, 4, ...",
    {SLICE: f"torch.ones_like({SLICE})"},
)

downsample_mask.mistake(
    "one vector too many",
    "A vector counts as real as soon as anything real lies in its window. The window of three frames reaches back over the end of a sound: its middle is padding then.",
    other_mask("mask | F.pad(mask[:, :-1], (1, 0))"),
    edit(
        {SLICE: "(torch.arange((mask.size(1) + 1) // 2) < mask.sum(dim=1, keepdim=True) // 2 + 1)"},
        says="A sound of an even number of frames has one vector too many with you. Of n frames there stay (n + 1) // 2: 6 leave 3, and 7 leave 4.",
    ),
    edit(
        {SLICE: "(torch.arange((mask.size(1) + 1) // 2) <= (mask.sum(dim=1, keepdim=True) + 1) // 2)"},
        says="Every sound has one vector too many with you. Of n frames there stay (n + 1) // 2, which are numbered from 0: `<` and not `<=`.",
    ),
    *(
        edit(
            {SLICE: f"F.pad({SLICE}, (0, 1), value={real})"},
            says="Your mask has a column too many, whatever the number of frames is. n frames leave (n + 1) // 2 vectors: `[:, ::2]` keeps them.",
        )
        for real in (False, True)
    ),
    edit(
        other_mask("F.pad(mask, (0, 1))"),
        says="Of an even number of frames your mask has a column too many, n // 2 + 1. There stay (n + 1) // 2: 6 leave 3, and 7 leave 4.",
    ),
)

downsample_mask.mistake(
    "one mask for all sounds",
    "All sounds of the batch get the mask of the first. Each sound has a length of its own, and a row of the mask.",
    other_mask("mask[:1].expand_as(mask)"),
    edit(
        other_mask("mask.any(dim=0).expand_as(mask)"),
        says="All sounds of the batch get the mask of the longest. Each sound has a length of its own, and a row of the mask.",
    ),
    edit(
        other_mask("mask.any(dim=0, keepdim=True)"),
        says="Your mask has a single row, that of the longest sound. Each sound has a length of its own, and a row of the mask.",
    ),
    edit(
        other_mask("mask[:1]"),
        says="Your mask has a single row, that of the first sound. Each sound has a length of its own, and a row of the mask.",
    ),
)

downsample_mask.mistake(
    "the first half",
    "You keep the first half of the mask. A sound that is half as long as the longest then counts as real throughout. Every other entry is asked for.",
    {STEP: ": (mask.size(1) + 1) // 2"},
    {STEP: ": mask.size(1) // 2"},
    edit(
        {STEP: "mask.size(1) // 2 :"},
        says="You keep the second half of the mask. A sound that is half as long as the longest then counts as padding throughout. Every other entry is asked for.",
    ),
)

downsample_mask.mistake(
    "every other sound",
    "You keep every other *sound*. The frames stand in the second dimension: `[:, ::2]`.",
    {":, ::2": "::2"},
    edit(
        other_mask("mask[::2]"),
        says="You keep every other frame, and every other *sound* too. All sounds stay: `[:, ::2]`.",
    ),
)

downsample_mask.mistake(
    "cut to the longest sound",
    "Your mask ends with the longest sound, though padding stands behind it. The convolution keeps a vector for every two frames of the batch, real or not: (n + 1) // 2 for n columns.",
    other_mask("mask[:, : int(mask.sum(dim=1).max())]"),
)

downsample_mask.mistake(
    "the last vector is never real",
    "Your last vector is never real, whatever the mask says. It stands for the last frame, or for the last but one, and the longest sound of a batch usually has it.",
    {SLICE: f"F.pad({SLICE}[:, :-1], (0, 1))"},
)

downsample_mask.mistake(
    "the first vector is always real",
    "A sound without any frame has a vector with you. Of n frames there stay (n + 1) // 2, and of none none; (n - 1) // 2 + 1 is the same for all other n.",
    other_mask("mask | (torch.arange(mask.size(1)) == 0)"),
)

downsample_mask.mistake(
    "in reverse",
    "Your sounds come in reverse order: the first row belongs to the last sound. Rows keep their places.",
    {SLICE: f"{SLICE}.flip(0)"},
    edit(
        {SLICE: f"{SLICE}.flip(1)"},
        says="Your vectors come in reverse order: padding first. Vectors keep the order of the frames.",
    ),
)

downsample_mask.mistake(
    "vectors in rows",
    "Your mask has a row for each vector and a column for each sound. A row for each sound is promised, (batch, half): `torch.stack(..., dim=1)` puts columns beside each other.",
    {SLICE: f"{SLICE}.T"},
)

downsample_mask.mistake(
    "turned round",
    "Your mask is True for padding. In this course True means: may be read. Do not invert it.",
    {SLICE: f"(~{SLICE})"},
)

# AudioEmbedding ----------------------------------------------------------------------------

FIRST = "spectrogram.transpose(1, 2).masked_fill(~real, 0.0)"
SECOND = "F.gelu(self.conv1(x)).masked_fill(~real, 0.0)"
CONV1, CONV2, ACT1, ACT2 = "self.conv1(x)", "self.conv2(x)", "F.gelu(self.conv1(x))", "F.gelu(self.conv2(x))"
TURN, BACK, PLACED = "spectrogram.transpose(1, 2)", "x.transpose(1, 2)", "self.positions(x.transpose(1, 2))"
HEARS = "A sound then gets other vectors beside a longer one, or beside other padding."

audio_embedding.mistake(
    "the first convolution hears the padding",
    f"What stands in the padding of the spectrogram reaches the last real frame: the first convolution looks one frame ahead. {HEARS} Put zeros there before `conv1`.",
    {FIRST: "spectrogram.transpose(1, 2)"},
)

audio_embedding.mistake(
    "the second convolution hears the padding",
    f"The first convolution makes something of padding too: its bias, and what it hears of the last frame. The second one hears that. {HEARS} Put zeros there again before `conv2`.",
    {SECOND: "F.gelu(self.conv1(x))"},
    edit(
        {
            SECOND: "F.gelu(F.conv1d(x, self.conv1.weight, padding=1).masked_fill(~real, 0.0) + self.conv1.bias[:, None])"
        },
        says=f"You put zeros at the padding before the first convolution's bias is added, so that the bias stands there. The second one hears that. {HEARS} Put the zeros there last, before `conv2`.",
    ),
)

audio_embedding.mistake(
    "both convolutions hear the padding",
    f"Both convolutions hear the padding: the mask is not used before them, or what it gave is thrown away. {HEARS} Put zeros there before each of the two.",
    {FIRST: "spectrogram.transpose(1, 2)", SECOND: "F.gelu(self.conv1(x))"},
    edit(
        {
            FIRST: "spectrogram.transpose(1, 2)",
            SECOND: "F.gelu(self.conv1(x))",
            BACK: "x.masked_fill(~mask[:, None, ::2], 0.0).transpose(1, 2)",
        },
        says=f"You put zeros at the padding at the end, when both convolutions have heard it. {HEARS} Put zeros there before each of the two.",
    ),
)

audio_embedding.mistake(
    "the mask is turned round",
    "Zeros stand where the sound is, and the padding is heard. True means real: fill where `~mask`.",
    {FIRST: FIRST.replace("~real", "real"), SECOND: SECOND.replace("~real", "real")},
    {FIRST: FIRST.replace("~real", "real")},
    {SECOND: SECOND.replace("~real", "real")},
)

audio_embedding.mistake(
    "no GELU between the convolutions",
    "Between the two convolutions stands no GELU. Two linear maps in a row are one linear map, and the second has nothing to add. GELU after each.",
    {ACT1: CONV1},
)

audio_embedding.mistake(
    "no GELU at the end",
    "After the second convolution stands no GELU. Put it there before the positions are added.",
    {ACT2: "self.conv2(x)"},
    edit(
        {ACT2: "self.conv2(x)", PLACED: f"F.gelu({PLACED})"},
        says="The GELU of the second convolution stands behind the positions, and is laid on them too. Put it there before the positions are added.",
    ),
)

audio_embedding.mistake(
    "no GELU at all",
    "Neither convolution is followed by a GELU, so together they are one linear map. GELU after each.",
    {ACT1: CONV1, ACT2: "self.conv2(x)"},
)

audio_embedding.mistake(
    "GELU in front of the convolutions",
    "Your GELU stands in front of each convolution, so it is laid on the spectrogram and not on what the second one makes. First the convolution, then GELU.",
    {
        TURN: f"F.gelu({TURN})",
        SECOND: "F.gelu(self.conv1(x).masked_fill(~real, 0.0))",
        ACT2: "self.conv2(x)",
    },
    edit(
        {
            TURN: f"F.gelu({TURN})",
            ACT1: CONV1,
        },
        says="Your first GELU stands in front of the first convolution, on the spectrogram. First the convolution, then GELU.",
    ),
    edit(
        {TURN: f"F.gelu({TURN})"},
        says="A GELU lies on the spectrogram too, before the first convolution. It stands behind each convolution alone.",
    ),
)

audio_embedding.mistake(
    "the bias is left out",
    "The first convolution is made without its bias: `F.conv1d` wants it as its third argument.",
    {CONV1: "F.conv1d(x, self.conv1.weight, padding=1)"},
    edit(
        {CONV2: "F.conv1d(x, self.conv2.weight, stride=2, padding=1)"},
        says="The second convolution is made without its bias: `F.conv1d` wants it as its third argument.",
    ),
    edit(
        {
            CONV1: "F.conv1d(x, self.conv1.weight, padding=1)",
            CONV2: "F.conv1d(x, self.conv2.weight, stride=2, padding=1)",
        },
        says="Both convolutions are made without their biases: `F.conv1d` wants them as its third argument.",
    ),
)

audio_embedding.mistake(
    "the odd frames",
    "The windows of your second convolution have their middle on frame 1, 3, 5, ... With a zero at either end the first middle is frame 0.",
    {CONV2: "F.conv1d(F.pad(x, (0, 2)), self.conv2.weight, self.conv2.bias, stride=2)"},
)

audio_embedding.mistake(
    "the second convolution is left out",
    "The second convolution is left out, and every other vector is kept as the first one made it. `self.conv2` halves the frames itself.",
    {ACT2: "x[..., ::2]"},
    {ACT2: "F.gelu(x[..., ::2])"},
)

audio_embedding.mistake(
    "ReLU for GELU",
    "You use ReLU where GELU is asked for: `F.gelu`.",
    {ACT1: "F.relu(self.conv1(x))", ACT2: "F.relu(self.conv2(x))"},
    {ACT1: "F.relu(self.conv1(x))"},
    {ACT2: "F.relu(self.conv2(x))"},
)

audio_embedding.mistake(
    "another activation",
    "Your GELU is the approximation by tanh, as GPT-2 has it. It is off by up to 0.0005; here the exact one is meant, `F.gelu(x)`.",
    {
        ACT1: 'F.gelu(self.conv1(x), approximate="tanh")',
        ACT2: 'F.gelu(self.conv2(x), approximate="tanh")',
    },
    edit(
        {ACT1: "F.silu(self.conv1(x))", ACT2: "F.silu(self.conv2(x))"},
        says="You use SiLU where GELU is asked for: `F.gelu`.",
    ),
    edit(
        {ACT1: "torch.tanh(self.conv1(x))", ACT2: "torch.tanh(self.conv2(x))"},
        says="You use tanh where GELU is asked for: `F.gelu`.",
    ),
    *(
        edit({line: changed}, says=f"Behind the {which} convolution you use {told} where GELU is asked for: `F.gelu`.")
        for line, which, call in ((ACT1, "first", CONV1), (ACT2, "second", CONV2))
        for told, changed in (
            ("the approximation by tanh", line.replace(f"F.gelu({call})", f'F.gelu({call}, approximate="tanh")')),
            ("SiLU", line.replace("F.gelu", "F.silu")),
            ("tanh", line.replace("F.gelu", "torch.tanh")),
        )
    ),
    *(
        edit(changed, says=f"GELU comes twice behind {told}. Once is enough.")
        for told, changed in {
            "the second convolution": {BACK: f"F.gelu({BACK})"},
            "the first convolution": {ACT1: f"F.gelu({ACT1})"},
            "each convolution": {ACT1: f"F.gelu({ACT1})", BACK: f"F.gelu({BACK})"},
        }.items()
    ),
)

audio_embedding.mistake(
    "positions before the stride",
    "You add the positions to the frames, before the second convolution halves them. It then mixes three positions with weights of its own, and what comes out counts no vectors. Add them last.",
    {
        CONV2: "self.conv2(self.positions(x.transpose(1, 2)).transpose(1, 2))",
        PLACED: BACK,
    },
    {
        CONV2: "self.conv2(self.positions(x.transpose(1, 2)).transpose(1, 2).masked_fill(~real, 0.0))",
        PLACED: BACK,
    },
)

audio_embedding.mistake(
    "reshaped instead of turned",
    "Bins and frames change places by `reshape` or `view`, which only counts the numbers through: what should be one frame is then pieces of several. To turn takes `transpose(1, 2)`.",
    {TURN: "spectrogram.reshape(batch, num_bins, num_frames)"},
    {FIRST: "spectrogram.masked_fill(~mask[..., None], 0.0).reshape(batch, num_bins, num_frames)"},
    edit(
        {BACK: "x.reshape(batch, -1, x.size(1))"},
        says="Features and vectors change places by `reshape` or `view`, which only counts the numbers through: what should be one vector is then pieces of several. To turn takes `transpose(1, 2)`.",
    ),
    *(
        edit(
            {FIRST: turned, BACK: "x.reshape(batch, -1, x.size(1))"},
            says="Dimensions change places by `reshape` or `view`, on the way in and on the way out. That only counts the numbers through: what should be one frame, or one vector, is then pieces of several. To turn takes `transpose(1, 2)`.",
        )
        for turned in (
            "spectrogram.reshape(batch, num_bins, num_frames).masked_fill(~real, 0.0)",
            "spectrogram.masked_fill(~mask[..., None], 0.0).reshape(batch, num_bins, num_frames)",
        )
    ),
)

audio_embedding.mistake(
    "cut to the longest sound",
    "Your vectors end with the longest sound, though padding stands behind it. For every two frames of the batch there is a vector, real or not: (n + 1) // 2 for n frames.",
    {PLACED: f"{PLACED}[:, : (int(mask.sum(dim=1).max()) + 1) // 2]"},
)

audio_embedding.mistake(
    "the mask comes back too",
    "You return the vectors and a mask. The vectors alone are promised; `Transcriber.encode` halves the mask itself.",
    {PLACED: f"{PLACED}, mask[:, ::2]"},
)

FILLED = {FIRST: "spectrogram.transpose(1, 2)", SECOND: "F.gelu(self.conv1(x))"}
ADDED = "You add a huge negative number to the padding, as is done with scores before a softmax. A convolution multiplies and adds: 0 is what it does not hear, whatever stood there. `masked_fill(~real, 0.0)`."

audio_embedding.mistake(
    "the padding is filled with another number",
    "You fill the padding with minus infinity or a huge negative number, as scores are filled before a softmax. A convolution multiplies and adds: 0 is what it does not hear.",
    {FIRST: FIRST.replace("0.0", "-1e9")},
    {FIRST: FIRST.replace("0.0", '-float("inf")')},
    {FIRST: FIRST.replace("0.0", "-1e9"), SECOND: SECOND.replace("0.0", "-1e9")},
    {FIRST: FIRST.replace("0.0", '-float("inf")'), SECOND: SECOND.replace("0.0", '-float("inf")')},
    *({SECOND: SECOND.replace("0.0", huge)} for huge in ("-1e9", '-float("inf")', "-1e4")),
    {FIRST: FIRST.replace("0.0", "-1e4")},
    {FIRST: FIRST.replace("0.0", "-1e4"), SECOND: SECOND.replace("0.0", "-1e4")},
    {FIRST: FIRST.replace("0.0", "torch.finfo(spectrogram.dtype).min")},
    *(
        edit({FIRST: f"{FILLED[FIRST]} + {huge}", SECOND: f"{FILLED[SECOND]} + {huge}"}, says=ADDED)
        for huge in ("~real * -1e9", "~real * -1e4")
    ),
    edit({FIRST: f"{FILLED[FIRST]} + ~real * -1e9"}, says=ADDED),
    edit({FIRST: f"{FILLED[FIRST]} + ~real * -1e4"}, says=ADDED),
    *(
        edit(
            {FIRST: FIRST.replace("0.0", "-4.605170185988091"), **second},
            says="You fill the padding with the logarithm of the floor, as silence has it. A sound that stands alone has zeros behind its end, those of the convolution: 0 is what it does not hear.",
        )
        for second in ({}, {SECOND: SECOND.replace("0.0", "-4.605170185988091")})
    ),
    *(
        edit(
            {FIRST: FIRST.replace("0.0", small), **second},
            says=f"You fill the padding with {small}. A convolution multiplies and adds: 0 is what it does not hear.",
        )
        for small in ("1e-2", "1.0")
        for second in ({}, {SECOND: SECOND.replace("0.0", small)})
    ),
    edit(
        {SECOND: SECOND.replace("0.0", "1.0")},
        says="Before the second convolution you fill the padding with 1.0. A convolution multiplies and adds: 0 is what it does not hear.",
    ),
    edit(
        {FIRST: FIRST.replace("0.0", "spectrogram.min().item()")},
        says="You fill the padding with the smallest number of the batch. A sound then gets other vectors beside other sounds. 0 is what a convolution does not hear.",
    ),
)

audio_embedding.mistake(
    "positions twice",
    "The positions are added twice. Once is enough, at the end.",
    {PLACED: f"self.positions({PLACED})"},
)

audio_embedding.mistake(
    "the vectors count twice",
    "What you heard counts twice beside the positions. `self.positions(x)` gives the sum already: do not add x again.",
    {PLACED: f"(lambda heard: heard + self.positions(heard))({BACK})"},
    edit(
        {BACK: f"{BACK} * x.size(1) ** 0.5"},
        says="You multiply what you heard by the root of d_model, as `TokenEmbedding` does. Ears add positions to it as it is.",
    ),
)

audio_embedding.mistake(
    "positions of the frames",
    "Your vectors get the positions 0, 2, 4, ... of the frames. They are counted themselves: 0, 1, 2, ...",
    {PLACED: f"({BACK} + self.positions(torch.zeros(1, num_frames, x.size(1), dtype=x.dtype))[:, ::2])"},
)

audio_embedding.mistake(
    "one position for all",
    "All your vectors get the same position, that of the first. The encoder then cannot tell which key came first: each vector has a position of its own.",
    {PLACED: f"({BACK} + self.positions(torch.zeros_like({BACK}[:, :1])))"},
)

audio_embedding.mistake(
    "no positions",
    "No positions are added, or the sum is thrown away. The encoder then cannot tell which key came first.",
    {PLACED: BACK},
)

audio_embedding.mistake(
    "positions of the features",
    "The positions are added while the features still stand in dimension 1, so features are counted and not vectors. Turn to (batch, half, d_model) first.",
    {PLACED: "(x + self.positions(torch.zeros_like(x.transpose(1, 2))).reshape(x.shape)).transpose(1, 2)"},
)

audio_embedding.mistake(
    "features and vectors exchanged",
    "Your result is (batch, d_model, half). A convolution wants it so; the encoder wants (batch, half, d_model). Turn it back.",
    {PLACED: f"{PLACED}.transpose(1, 2)"},
)

audio_embedding.mistake(
    "one mask for all sounds",
    "The mask of the first sound is used for all. Each sound of the batch has its own end: `mask.unsqueeze(1)`, (batch, 1, num_frames).",
    {"real = mask.unsqueeze(1)": "real = mask[:1].unsqueeze(1)"},
    edit(
        {"real = mask.unsqueeze(1)": "real = mask.any(dim=0)[None, None]"},
        says=f"The mask of the longest sound is used for all, so the shorter ones hear their padding. {HEARS} Each sound of the batch has its own end: `mask.unsqueeze(1)`, (batch, 1, num_frames).",
    ),
    edit(
        {"real = mask.unsqueeze(1)": "real = mask.all(dim=0)[None, None]"},
        says="The mask of the shortest sound is used for all, so the others are cut off there. Each sound of the batch has its own end: `mask.unsqueeze(1)`, (batch, 1, num_frames).",
    ),
)

audio_embedding.mistake(
    "the mask is a frame off",
    f"Your mask is a frame too long, so the first frame of the padding is heard. {HEARS} The mask says of each frame whether it is real: use it as it is.",
    {"real = mask.unsqueeze(1)": "real = F.pad(mask, (1, -1), value=True).unsqueeze(1)"},
    edit(
        {"real = mask.unsqueeze(1)": "real = F.pad(mask, (-1, 1)).unsqueeze(1)"},
        says="Your mask is a frame too short, so the last real frame is not heard. The mask says of each frame whether it is real: use it as it is.",
    ),
)

audio_embedding.mistake(
    "positions not added",
    "The positions are not added to what you heard. `self.positions(x)` gives the sum of the two.",
    edit(
        {PLACED: f"(lambda heard: 2 * heard - self.positions(heard))({BACK})"},
        says="You take the positions off what you heard. They are added: `self.positions(x)` gives the sum of the two.",
    ),
    edit(
        {PLACED: f"(lambda heard: heard * self.positions(torch.zeros_like(heard)))({BACK})"},
        says="You multiply what you heard by the positions. They are added: `self.positions(x)` gives the sum of the two.",
    ),
)

audio_embedding.mistake(
    "a norm or a shortcut too many",
    "Something stands in your ears that is not asked for. There are two convolutions, each with a GELU, and the positions.",
    edit(
        {BACK: f"F.layer_norm({BACK}, (x.size(1),))"},
        says="You normalize what you heard before the positions are added. There are two convolutions, each with a GELU, and the positions, and no norm.",
    ),
    edit(
        {BACK: f"(lambda heard: heard - heard.mean(dim=1, keepdim=True))({BACK})"},
        says="You take the mean of all vectors of a sound off each, padding included. There are two convolutions, each with a GELU, and the positions, and no norm.",
    ),
    edit(
        {BACK: f"(lambda heard: heard - heard.mean(dim=-1, keepdim=True))({BACK})"},
        says="You take the mean of each vector off it. There are two convolutions, each with a GELU, and the positions, and no norm.",
    ),
    edit(
        {PLACED: f"F.layer_norm({PLACED}, (x.size(1),))"},
        says="You normalize what you return. There are two convolutions, each with a GELU, and the positions, and no norm.",
    ),
    edit(
        {CONV2: "self.conv2(x) + x[..., ::2]"},
        says="You add to the second convolution what went into it. There is no residual connection in these ears.",
    ),
    edit(
        {ACT2: "F.gelu(self.conv2(x)) + x[..., ::2]"},
        says="You add to the second convolution's GELU what went into the convolution. There is no residual connection in these ears.",
    ),
)

audio_embedding.mistake(
    "a vector for every frame",
    "You have a vector for every frame, and one for every two is promised: the second convolution has `stride=2`.",
    {CONV2: "F.conv1d(x, self.conv2.weight, self.conv2.bias, padding=1)"},
)

audio_embedding.mistake(
    "a real vector is silenced",
    "You put zeros behind the second convolution by frame 1, 3, 5, ... of the mask, so a sound of an odd number of frames loses its last vector. Zeros are needed in front of each convolution; behind the second one nothing hears them.",
    {BACK: "x.masked_fill(~F.pad(mask, (0, 1))[:, None, 1::2][..., : x.size(2)], 0.0).transpose(1, 2)"},
    edit(
        {BACK: "x.masked_fill(mask[:, None, ::2], 0.0).transpose(1, 2)"},
        says="You put zeros behind the second convolution where the sound is. True means real. Zeros are needed in front of each convolution; behind the second one nothing hears them.",
    ),
)

audio_embedding.mistake(
    "halved twice",
    "You take every other frame before the second convolution, which halves them itself. One vector for every two frames is promised.",
    {CONV2: "self.conv2(x[..., ::2])"},
    edit(
        {BACK: f"{BACK}[:, ::2]"},
        says="You take every other vector behind the second convolution, which has halved the frames itself. One vector for every two frames is promised.",
    ),
)

audio_embedding.mistake(
    "the graph is cut",
    "No gradient comes through: what you heard is cut off by `detach`, `.data`, `torch.no_grad()` or a new tensor. Then what stands before it never learns.",
    {ACT1: f"{ACT1}.detach()"},
    edit(
        {TURN: f"{TURN}.detach()"},
        says="No gradient reaches the spectrogram: it is cut off by `detach`, `.data` or a new tensor. Use it as it came.",
    ),
    {BACK: f"{BACK}.detach()"},
)

GIVEN = "if mask.shape != (batch, num_frames) or num_bins != self.conv1.in_channels:"

audio_embedding.mistake(
    "a wrong mask is let pass",
    "You do not look whether the mask fits. A mask that is halved already is then found out late, or never. The promise is a ValueError.",
    {GIVEN: "if num_bins != self.conv1.in_channels:"},
    edit(
        {GIVEN: "if mask.shape != (batch, num_frames):"},
        says="You do not look whether there are as many bins as the ears were made for. The promise is a ValueError.",
    ),
    edit(
        {GIVEN: "if False:"},
        says="You look neither at the mask's shape nor at the number of bins. The promise is a ValueError.",
    ),
)

audio_embedding.mistake(
    "the zeros on one side",
    "The zeros of a convolution do not stand at both ends: one goes in front of the first frame, and one behind the last. `padding=1` puts them there.",
    edit(
        {CONV1: "F.conv1d(F.pad(x, (2, 0)), self.conv1.weight, self.conv1.bias)"},
        says="Your first convolution has both of its zeros in front, so that a frame hears the two before it. One zero stands at each end: `padding=1`.",
    ),
    edit(
        {CONV1: "F.conv1d(F.pad(x, (0, 2)), self.conv1.weight, self.conv1.bias)"},
        says="Your first convolution has both of its zeros behind the sound, so that a frame hears the two after it. One zero stands at each end: `padding=1`.",
    ),
    edit(
        {CONV2: "F.conv1d(x, self.conv2.weight, self.conv2.bias, stride=2)"},
        says="Your second convolution has no zeros at its ends, so its first middle is frame 1, and a vector is missing. One zero stands at each end: `padding=1`.",
    ),
    edit(
        {CONV2: "F.conv1d(F.pad(x, (2, 0)), self.conv2.weight, self.conv2.bias, stride=2)"},
        says="Your second convolution has both of its zeros in front, so that the last frames are not heard in their turn. One zero stands at each end: `padding=1`.",
    ),
)
