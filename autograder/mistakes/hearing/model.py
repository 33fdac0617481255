"""Wrong ways of putting a transcriber together."""

from autograder.checks.hearing.model import transcriber
from autograder.probing.mistake import edit

ENCODE = "return self.encoder(self.ears(spectrogram, mask), memory_mask), memory_mask"
TEXT = "tgt_mask = padding_mask(tgt_ids, self.config.pad_id) & causal_mask(tgt_ids.size(1))"
PLACED = "x = self.positions(self.embedding(tgt_ids))  # (batch, tgt_len, d_model)"
DECODE = "return self.output(self.decoder(x, memory, tgt_mask, memory_mask))"
BOTH = "return self.decode(tgt_ids, memory, memory_mask), self.ctc_head(memory).log_softmax(dim=-1)"
CTC = "self.ctc_head(memory).log_softmax(dim=-1)"
RETURNED = "memory_mask), memory_mask"
HALVED = "memory_mask = downsample_mask(mask)[:, None, None, :]"
BESIDE = "A sound is then heard otherwise beside a longer one."

transcriber.mistake(
    "the encoder reads the padding",
    f"The encoder gets no mask: its vectors of real sound read those of the padding. {BESIDE} Give it the halved mask.",
    {ENCODE: "return self.encoder(self.ears(spectrogram, mask)), memory_mask"},
)

transcriber.mistake(
    "the decoder reads the padding",
    f"The decoder's cross-attention gets no mask, so it reads vectors of the padding. {BESIDE} Hand `memory_mask` on as the last argument.",
    {DECODE: "return self.output(self.decoder(x, memory, tgt_mask))"},
    edit(
        {BOTH: BOTH.replace("memory, memory_mask)", "memory, torch.ones_like(memory_mask))")},
        says=f"`forward` hands the decoder a mask of the memory that is True everywhere, so its cross-attention reads vectors of the padding. {BESIDE} Hand on the mask that `encode` gave.",
    ),
    edit(
        {BOTH: BOTH.replace("memory, memory_mask)", "memory, None)")},
        says=f"`forward` hands the decoder no mask of the memory, so its cross-attention reads vectors of the padding. {BESIDE} Hand on the mask that `encode` gave.",
    ),
    edit(
        {ENCODE: ENCODE.replace(", memory_mask), memory_mask", ", memory_mask), torch.ones_like(memory_mask)")},
        says=f"`encode` returns a mask that is True everywhere, so the decoder's cross-attention reads vectors of the padding. {BESIDE} Return the mask that the encoder got.",
    ),
)

transcriber.mistake(
    "encoder and decoder read the padding",
    f"Neither the encoder nor the decoder's cross-attention gets the sound's mask. {BESIDE} Both want it.",
    {
        ENCODE: "return self.encoder(self.ears(spectrogram, mask)), memory_mask",
        DECODE: "return self.output(self.decoder(x, memory, tgt_mask))",
    },
    edit(
        {HALVED: "memory_mask = torch.ones_like(downsample_mask(mask))[:, None, None, :]"},
        says=f"The memory's mask is True everywhere, so that encoder and decoder read the padding. {BESIDE} `downsample_mask(mask)` says which vectors are real.",
    ),
)

transcriber.mistake(
    "the text reads its future",
    "The text's mask is not causal: a place reads the tokens behind it, so the decoder copies the answer in training and knows nothing when it has to write. Add `& causal_mask(...)`.",
    {TEXT: "tgt_mask = padding_mask(tgt_ids, self.config.pad_id)"},
    {DECODE: "return self.output(self.decoder(x, memory, None, memory_mask))"},
    edit(
        {
            "causal_mask(tgt_ids.size(1))": "torch.ones(tgt_ids.size(1), tgt_ids.size(1), dtype=torch.bool).tril(diagonal=1)"
        },
        says="Each place reads the token behind it too, so the decoder copies the answer in training. The mask is True up to the diagonal, and no further: `tril()`.",
    ),
)

transcriber.mistake(
    "no positions in the text",
    "The text's tokens get no positions, or the sum is thrown away. `self.positions(...)` is for them; the ears have positions of their own.",
    {PLACED: "x = self.embedding(tgt_ids)"},
)

transcriber.mistake(
    "positions are added to the memory",
    "Positions are added to the sound twice: the ears have done it. Do not add them again.",
    {ENCODE: "return self.encoder(self.positions(self.ears(spectrogram, mask)), memory_mask), memory_mask"},
    edit(
        {ENCODE: "return self.positions(self.encoder(self.ears(spectrogram, mask), memory_mask)), memory_mask"},
        says="Positions are added to the memory, behind the encoder. The ears have added them in front of it: the memory carries them already.",
    ),
    edit(
        {DECODE: "return self.output(self.decoder(x, self.positions(memory), tgt_mask, memory_mask))"},
        says="Positions are added to the memory before the decoder reads it. The ears have added them in front of the encoder: the memory carries them already.",
    ),
)

transcriber.mistake(
    "no encoder",
    "What the ears hear is the memory, and the encoder is left out. Each vector then knows two frames and their neighbours, and nothing of the rest of the sound.",
    {ENCODE: "return self.ears(spectrogram, mask), memory_mask"},
)

transcriber.mistake(
    "vectors instead of logits",
    "Your decoder's vectors come back as they are, d_model numbers a place. `self.output` makes a score for each token of the vocabulary.",
    {DECODE: "return self.decoder(x, memory, tgt_mask, memory_mask)"},
)

transcriber.mistake(
    "the decoder's logits have been through a softmax",
    "The decoder's logits have been through a softmax. The cross-entropy takes one itself. Return them as `self.output` gives them.",
    {DECODE: f"{DECODE}.softmax(dim=-1)"},
    edit(
        {DECODE: f"{DECODE}.log_softmax(dim=-1)"},
        says="The decoder's logits have been through a log_softmax. For the cross-entropy, which takes another, that changes nothing; but what is promised are logits. The logarithm is for the CTC head alone.",
    ),
)

transcriber.mistake(
    "CTC gets logits",
    "The CTC head's scores are logits. CTC adds up logarithms of probabilities along a path, and takes what it gets for such: with logits the loss can even fall below 0. `log_softmax(dim=-1)`.",
    {CTC: "self.ctc_head(memory)"},
)

transcriber.mistake(
    "CTC gets probabilities",
    "The CTC head gives probabilities. CTC adds up their *logarithms*: `log_softmax` instead of `softmax`.",
    {CTC: "self.ctc_head(memory).softmax(dim=-1)"},
    edit(
        {CTC: "self.ctc_head(memory).sigmoid().log()"},
        says="The CTC head gives the logarithms of sigmoids, which do not sum to 1 over the vocabulary. One token stands at each vector: `log_softmax(dim=-1)`.",
    ),
)

transcriber.mistake(
    "softmax along the time",
    "The CTC head's softmax goes along the vectors of the sound, so that moments compete for a token. Tokens compete for a moment: dim=-1.",
    {CTC: "self.ctc_head(memory).log_softmax(dim=1)"},
    edit(
        {CTC: "self.ctc_head(memory).flatten(1).log_softmax(dim=1).view(len(memory), -1, self.config.vocab_size)"},
        says="The CTC head's softmax goes over vectors and tokens together, so that moments compete too. Tokens compete for a moment: dim=-1.",
    ),
    edit(
        {CTC: "self.ctc_head(memory).log_softmax(dim=0)"},
        says="The CTC head's softmax goes along the batch, so that sounds compete for a token. Tokens compete for a moment: dim=-1.",
    ),
)

transcriber.mistake(
    "CTC reads the ears",
    "The CTC head reads what the ears made, and not the memory. So CTC teaches the encoder nothing, and it was to show it where each key stands.",
    {BOTH: BOTH.replace("self.ctc_head(memory)", "self.ctc_head(self.ears(spectrogram, mask))")},
)

transcriber.mistake(
    "CTC does not teach the encoder",
    "No gradient goes from the CTC head into the encoder. Is the memory detached there, or under `no_grad`? CTC is to show the encoder where each key stands.",
    {BOTH: BOTH.replace("self.ctc_head(memory)", "self.ctc_head(memory.detach())")},
)

transcriber.mistake(
    "the decoder does not teach the encoder",
    "No gradient goes from the decoder into the memory, so only CTC teaches the ears and the encoder. Is the memory detached, or under `no_grad`?",
    {DECODE: "return self.output(self.decoder(x, memory.detach(), tgt_mask, memory_mask))"},
)

transcriber.mistake(
    "the two readings are exchanged",
    "The CTC head's reading comes first. The promise is `(logits, ctc_log_probs)`.",
    {BOTH: f"return {CTC}, self.decode(tgt_ids, memory, memory_mask)"},
)

transcriber.mistake(
    "the padding is taken to be 0",
    "The text's mask takes token 0 for padding, whatever `config.pad_id` says: a real token is then hidden, and the padding is read. `padding_mask(tgt_ids, self.config.pad_id)`.",
    {TEXT: TEXT.replace("self.config.pad_id", "0")},
)

transcriber.mistake(
    "the ears hear the padding",
    f"The ears get a mask that is True everywhere, so they hear what stands behind the end of a sound. {BESIDE} Hand them the mask of the frames.",
    {ENCODE: ENCODE.replace("spectrogram, mask", "spectrogram, torch.ones_like(mask)")},
)

transcriber.mistake(
    "the memory's mask is turned round",
    "The memory's mask is True for padding, and the real sound is hidden. True means: may be read. Do not invert it.",
    {"memory_mask = downsample_mask(mask)": "memory_mask = ~downsample_mask(mask)"},
    *(
        edit(
            {line: line.replace(old, new)},
            says=f"{where} gets the memory's mask turned round: True for padding, and the real sound is hidden. True means: may be read. Hand it on as it is.",
        )
        for line, old, new, where in (
            (DECODE, "memory_mask", "~memory_mask", "The decoder's cross-attention"),
            (BOTH, "memory, memory_mask)", "memory, ~memory_mask)", "In `forward` the decoder"),
            (ENCODE, ", memory_mask), memory_mask", ", ~memory_mask), memory_mask", "The encoder"),
            (ENCODE, ", memory_mask), memory_mask", ", memory_mask), ~memory_mask", "Whoever calls `encode`"),
        )
    ),
)

OWN_MASK = "memory_mask = {}[:, None, None, :]"

transcriber.mistake(
    "the mask is halved in another way",
    "The memory's mask has as many places as the memory has vectors, and some of them say the wrong thing. The middle of the convolution's window says whether a vector is real: frame 0, 2, 4, ... `downsample_mask(mask)`.",
    *(
        edit(
            {HALVED: OWN_MASK.format(halved)},
            says=f"{told} The middle of the convolution's window says whether a vector is real: frame 0, 2, 4, ... `downsample_mask(mask)`.",
        )
        for halved, told in (
            (
                "F.pad(mask, (0, mask.size(1) % 2))[:, 1::2]",
                "The memory's mask is made of frame 1, 3, 5, ..., so a sound of an odd number of frames lacks its last vector.",
            ),
            (
                "F.pad(mask, (1, -1))[:, ::2]",
                "The memory's mask is made of the frame in front of each middle, so the first vector is never real.",
            ),
            ("mask.flip(1)[:, ::2].flip(1)", "The memory's mask takes every other frame from the end."),
            (
                "mask[:, mask.size(1) // 2 :]",
                "The memory's mask is the second half of the frames' mask, so short sounds are not heard at all.",
            ),
            (
                "downsample_mask(mask & F.pad(mask[:, 1:], (0, 1)))",
                "In the memory's mask a vector counts as real only if the next frame is real too, so a sound of an odd number of frames lacks its last vector.",
            ),
            (
                "downsample_mask(mask & F.pad(mask[:, 1:], (0, 1), value=True))",
                "In the memory's mask a vector counts as real only if all frames of its window are, so a sound of an odd number of frames may lack its last vector.",
            ),
            (
                "downsample_mask(mask | F.pad(mask[:, :-1], (1, 0)))",
                "In the memory's mask a vector counts as real as soon as a frame of its window is, so a sound of an even number of frames has one too many.",
            ),
            (
                "downsample_mask(torch.ones_like(mask).cumsum(1) <= (mask.sum(1, keepdim=True) + 3))",
                "In the memory's mask every sound has one vector too many.",
            ),
        )
    ),
)

transcriber.mistake(
    "one mask for all sounds",
    "The memory's mask is that of the first sound, for all. Each sound of the batch has its own end: `downsample_mask(mask)[:, None, None, :]`.",
    {HALVED: "memory_mask = downsample_mask(mask)[:1, None, None, :]"},
    {HALVED: "memory_mask = downsample_mask(mask[:1].expand_as(mask))[:, None, None, :]"},
    edit(
        {HALVED: "memory_mask = downsample_mask(mask.any(dim=0).expand_as(mask))[:, None, None, :]"},
        says=f"The memory's mask is that of the longest sound, for all, so the padding of the shorter ones is read. {BESIDE} Each has its own end: `downsample_mask(mask)[:, None, None, :]`.",
    ),
)

transcriber.mistake(
    "the spectrogram is reshaped",
    "The spectrogram is reshaped before the ears hear it: what should be one frame is then pieces of several. They want (batch, frames, bins), as it comes.",
    {
        ENCODE: ENCODE.replace(
            "spectrogram, mask",
            "spectrogram.reshape(len(spectrogram), spectrogram.size(2), -1).transpose(1, 2), mask",
        )
    },
    {
        ENCODE: ENCODE.replace(
            "spectrogram, mask",
            "spectrogram.transpose(1, 2).reshape(spectrogram.shape), mask",
        )
    },
)

transcriber.mistake(
    "CTC by the decoder's output matrix",
    "The CTC head's scores come from `self.output`, the decoder's matrix, and `self.ctc_head` is not used. The two read different vectors, and each has weights of its own.",
    {CTC: CTC.replace("self.ctc_head", "self.output")},
)

transcriber.mistake(
    "positions twice in the text",
    "The text's tokens get their positions twice. Once is enough.",
    {PLACED: "x = self.positions(self.positions(self.embedding(tgt_ids)))"},
)

transcriber.mistake(
    "the embedding is scaled twice",
    "The text's vectors are multiplied by the root of d_model once more. `TokenEmbedding` has done it.",
    {PLACED: "x = self.positions(self.embedding(tgt_ids) * self.config.d_model**0.5)"},
)

transcriber.mistake(
    "the memory's mask has another form",
    "The memory's mask does not fit the weights of attention: it should be (batch, 1, 1, half). The memory has half as many vectors as there are frames, so halve it with `downsample_mask(mask)`, and put two dimensions of size 1 between the batch and the keys.",
    {HALVED: "memory_mask = mask[:, None, None, :]"},
    edit(
        {BOTH: BOTH.replace("memory, memory_mask)", "memory, mask[:, None, None, :])")},
        says="`forward` hands the decoder the mask of the frames, which does not fit the memory: that has half as many vectors. Hand on the mask that `encode` gave.",
    ),
    edit(
        {HALVED: "memory_mask = mask[:, 1::2][:, None, None, :]"},
        says="The memory's mask is made of frame 1, 3, 5, ... and is too short where the frames are odd in number. The ears begin with frame 0: `downsample_mask(mask)`.",
    ),
    edit(
        {HALVED: "memory_mask = mask[:, : (mask.size(1) + 1) // 2][:, None, None, :]"},
        says="The memory's mask is the first half of the frames' mask, so short sounds count as longer than they are. Every other place is wanted: `downsample_mask(mask)`.",
    ),
    *(
        edit(
            {RETURNED: f"memory_mask), {returned}"},
            says=f"`encode` returns {told}. The decoder's cross-attention needs (batch, 1, 1, half), booleans: return the mask that the encoder got.",
        )
        for returned, told in (
            ("memory_mask[:, 0, 0]", "the memory's mask as (batch, half)"),
            ("memory_mask[:, 0]", "the memory's mask as (batch, 1, half)"),
            ("mask[:, None, None, :]", "the mask of the frames, with twice as many places as the memory has vectors"),
            ("mask", "the mask of the frames as it came, with twice as many places as the memory has vectors"),
            ("memory_mask.float()", "the memory's mask as numbers"),
        )
    ),
)

transcriber.mistake(
    "the memory's mask is not boolean",
    "The memory's mask is of numbers. Attention wants booleans here, True where a vector may be read: no 0 and 1, and nothing that is added to scores, like -1e9.",
    {HALVED: f"{HALVED}.float()"},
    {
        HALVED: f"{HALVED}\n        memory_mask = torch.zeros_like(memory_mask, dtype=torch.float32).masked_fill(~memory_mask, -1e9)"
    },
)

transcriber.mistake(
    "the mask stands at the queries",
    "The memory's mask stands in the dimension of the queries, (batch, 1, half, 1): it says who may look, and not what may be read. `[:, None, None, :]`.",
    {HALVED: "memory_mask = downsample_mask(mask)[:, None, :, None]"},
    edit(
        {HALVED: "memory_mask = downsample_mask(mask)[:, None, None, :] & downsample_mask(mask)[:, None, :, None]"},
        says="The memory's mask has a row for each vector of the sound, (batch, 1, half, half). The decoder's places are others, and in another number: (batch, 1, 1, half).",
    ),
)

transcriber.mistake(
    "cut to the longest sound",
    "Your memory ends with the longest sound, though padding stands behind it. For every two frames of the batch there is a vector, real or not.",
    {
        ENCODE: "half = int(downsample_mask(mask).sum(dim=1).max())\n        memory_mask = memory_mask[..., :half]\n        return self.encoder(self.ears(spectrogram, mask)[:, :half], memory_mask), memory_mask"
    },
)

transcriber.mistake(
    "the ears' mask is turned round",
    "The ears get the mask turned round: they hear the padding, and zeros where the sound is. True means real: hand it on as it is.",
    {ENCODE: ENCODE.replace("spectrogram, mask", "spectrogram, ~mask")},
)

transcriber.mistake(
    "the text's padding is turned round",
    "The text's tokens are hidden, and its padding may be read. `padding_mask` is True for real tokens already: do not invert it.",
    {TEXT: TEXT.replace("= padding_mask", "= ~padding_mask")},
)

transcriber.mistake(
    "no place reads itself",
    "No place of the text reads its own token, and the first one reads nothing. A place may read itself and what stands before it: the diagonal is True.",
    {TEXT: f"{TEXT}.tril(-1)"},
)

transcriber.mistake(
    "the past is hidden",
    "The causal mask is turned round: a place reads what stands behind it, and not what stands before. It is True on and below the diagonal.",
    {TEXT: TEXT.replace("causal_mask(tgt_ids.size(1))", "causal_mask(tgt_ids.size(1)).mT")},
    edit(
        {TEXT: TEXT.replace("& causal_mask", "& ~causal_mask")},
        says="The causal mask is inverted: a place reads what stands behind it alone. `causal_mask` is True where a place may be read.",
    ),
)

transcriber.mistake(
    "the two masks are exchanged",
    "The decoder gets the memory's mask for the text, and the text's for the memory. The order is `self.decoder(x, memory, self_mask, cross_mask)`.",
    {DECODE: DECODE.replace("tgt_mask, memory_mask", "memory_mask, tgt_mask")},
)

transcriber.mistake(
    "the embedding counts twice",
    "The text's embedding counts twice beside the positions. `self.positions(x)` gives the sum already: do not add x again.",
    {PLACED: "x = self.embedding(tgt_ids)\n        x = x + self.positions(x)"},
)

transcriber.mistake(
    "logits by the CTC head",
    "The decoder's logits come from `self.ctc_head`, and `self.output` is not used. The two read different vectors, and each has weights of its own.",
    {DECODE: DECODE.replace("self.output", "self.ctc_head")},
)

transcriber.mistake(
    "CTC turned for torch",
    "Your CTC reading is (half, batch, vocab_size), as `F.ctc_loss` wants it. Here (batch, half, vocab_size) is promised; `joint_loss` turns it.",
    {CTC: f"{CTC}.transpose(0, 1)"},
)

transcriber.mistake(
    "the mask comes back too",
    "You return three things. The promise is two, `(logits, ctc_log_probs)`; the memory's mask comes from `encode` alone.",
    {BOTH: f"{BOTH}, memory_mask"},
)

transcriber.mistake(
    "the last place alone",
    "You give the scores of the last place alone. In training the decoder is asked at every place at once.",
    {DECODE: f"{DECODE}[:, -1]"},
    {DECODE: f"{DECODE}[:, -1:]"},
)

transcriber.mistake(
    "the encoder does not read ahead",
    "The encoder's mask is causal: a vector reads only what sounded before it. All of the sound is there when the text is written, so the encoder may read it to its end. The causal mask is for the text alone.",
    {"mask), memory_mask), memory_mask": "mask), memory_mask & causal_mask(memory_mask.size(-1))), memory_mask"},
)

transcriber.mistake(
    "the embedding is not scaled",
    "The text's vectors are too small by the root of d_model: you read the table inside `TokenEmbedding`, or divide what it gives. `self.embedding(tgt_ids)` gives them as the positions want them.",
    {"self.positions(self.embedding(tgt_ids))": "self.positions(self.embedding(tgt_ids) / self.config.d_model**0.5)"},
)

transcriber.mistake(
    "normalized once more",
    "What the decoder gives is normalized once more before `self.output`. With `norm_first=True` the decoder ends with a normalization of its own: hand its vectors on as they are.",
    {DECODE: "return self.output(self.decoder.norm(self.decoder(x, memory, tgt_mask, memory_mask)))"},
    {
        DECODE: "x = self.decoder(x, memory, tgt_mask, memory_mask)\n        return self.output(F.layer_norm(x, x.shape[-1:]))"
    },
    edit(
        {
            ENCODE: "return self.encoder.norm(self.encoder(self.ears(spectrogram, mask), memory_mask)), memory_mask",
        },
        says="What the encoder gives is normalized once more. With `norm_first=True` the encoder ends with a normalization of its own: its vectors are the memory.",
    ),
    edit(
        {
            ENCODE: "x = self.encoder(self.ears(spectrogram, mask), memory_mask)\n        return F.layer_norm(x, x.shape[-1:]), memory_mask",
        },
        says="What the encoder gives is normalized once more. With `norm_first=True` the encoder ends with a normalization of its own: its vectors are the memory.",
    ),
)

transcriber.mistake(
    "a place of the text is left out",
    "`forward` hands the decoder the text without its last token, so the logits lack a place. `tgt_ids` lacks the last token already: hand it on whole.",
    {BOTH: BOTH.replace("decode(tgt_ids,", "decode(tgt_ids[:, :-1],")},
    edit(
        {BOTH: BOTH.replace("decode(tgt_ids,", "decode(tgt_ids[:, 1:],")},
        says="`forward` hands the decoder the text without its first token, so the logits lack a place. The start token is read too: from it the decoder writes the first key.",
    ),
    edit(
        {BOTH: BOTH.replace("memory_mask),", "memory_mask)[:, 1:],")},
        says="`forward` leaves out the logits of the first place. There the start token stands, and what comes behind it is the first key: every place of `tgt_ids` has its logits.",
    ),
    edit(
        {BOTH: BOTH.replace("memory_mask),", "memory_mask)[:, :-1],")},
        says="`forward` leaves out the logits of the last place. There the end token is asked for: every place of `tgt_ids` has its logits.",
    ),
)

transcriber.mistake(
    "one reading alone",
    "`forward` returns the decoder's logits alone. Training needs the CTC head's reading as well: `(logits, ctc_log_probs)`.",
    {BOTH: "return self.decode(tgt_ids, memory, memory_mask)"},
    edit(
        {BOTH: f"return {CTC}"},
        says="`forward` returns the CTC head's reading alone. The decoder's logits come first: `(logits, ctc_log_probs)`.",
    ),
)

transcriber.mistake(
    "the readings are no tuple",
    "`forward` returns its two readings as a list. A tuple is promised: `return logits, ctc_log_probs`.",
    {BOTH: f"return [self.decode(tgt_ids, memory, memory_mask), {CTC}]"},
    edit(
        {BOTH: f'return {{"logits": self.decode(tgt_ids, memory, memory_mask), "ctc_log_probs": {CTC}}}'},
        says="`forward` returns its two readings as a dict. A tuple is promised: `return logits, ctc_log_probs`.",
    ),
)

transcriber.mistake(
    "the mode is changed",
    "Your model puts itself into evaluation mode: `self.eval()`. Dropout is then off for the rest of the training. The caller chooses the mode, with `model.train()` and `model.eval()`.",
    {
        "memory, memory_mask = self.encode(spectrogram, mask)": "memory, memory_mask = self.eval().encode(spectrogram, mask)"
    },
    edit(
        {HALVED: f"self.encoder.eval()\n        {HALVED}"},
        inside="Transcriber.encode",
        says="Your model puts its encoder into evaluation mode: `self.encoder.eval()`. Dropout is then off there for the rest of the training. The caller chooses the mode, with `model.train()` and `model.eval()`.",
    ),
    edit(
        {
            "memory, memory_mask = self.encode(spectrogram, mask)": "memory, memory_mask = self.train().encode(spectrogram, mask)"
        },
        says="Your model puts itself into training mode: `self.train()`. Dropout is then on wherever it is used. The caller chooses the mode, with `model.train()` and `model.eval()`.",
    ),
)

transcriber.mistake(
    "no decoder",
    "The text's vectors go to `self.output` without the decoder. Each place then knows its own token, and nothing of the sound. `self.decoder(x, memory, tgt_mask, memory_mask)`.",
    {DECODE: "return self.output(x)"},
)

transcriber.mistake(
    "the decoder reads the ears",
    "The decoder reads what the ears made, and not the memory: the encoder is left out on this way. Hand it what `encode` gave.",
    {BOTH: BOTH.replace("decode(tgt_ids, memory,", "decode(tgt_ids, self.ears(spectrogram, mask),")},
)

transcriber.mistake(
    "the encoder runs twice",
    "The sound goes through the encoder twice. Once is enough: what comes out is the memory.",
    {
        ENCODE: "x = self.encoder(self.ears(spectrogram, mask), memory_mask)\n        return self.encoder(x, memory_mask), memory_mask"
    },
)
