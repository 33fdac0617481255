"""Wrong ways of measuring a language model."""

from autograder.checks.gpt import bits_per_byte
from autograder.probing.mistake import edit

BITS = "nats.sum().item() / math.log(2)"
PER = 'bits / len(text.encode("utf-8"))'

bits_per_byte.mistake(
    "per token",
    "You divide by the number of tokens. A model with longer tokens then looks worse, because each of its tokens says more. Bytes are the same for everybody: divide by the bytes of the text.",
    {PER: "bits / len(nats)"},
)

bits_per_byte.mistake(
    "the logarithm of a loss",
    "You take the logarithm of the losses. A loss is a logarithm already, -log p in nats; to have it in bits it is divided by ln 2.",
    {BITS: "nats.log2().sum().item()"},
    {BITS: "math.log2(nats.sum().item())"},
    {BITS: "-nats.log2().sum().item()"},
    {PER: 'math.log2(nats.sum().item() / len(text.encode("utf-8")))'},
    {BITS: "(nats + 1).log2().sum().item()"},
    {BITS: "math.log2(nats.sum().item() + 1)"},
)

bits_per_byte.mistake(
    "per character",
    "You divide by the number of characters. For plain English that is the same, but é has two bytes, ж too, 大 three, and 🙂 four. Count the bytes of `text.encode()`.",
    {PER: "bits / len(text)"},
)

bits_per_byte.mistake(
    "nats, not bits",
    "Your result is in nats. A bit is the choice between two equally likely things, ln 2 = 0.69 nats: divide by `math.log(2)`.",
    {BITS: "nats.sum().item()"},
)

bits_per_byte.mistake(
    "multiplied by ln 2",
    "You multiply by ln 2. A bit is *less* than a nat (0.69 of one), so there are more bits than nats: divide.",
    {BITS: "nats.sum().item() * math.log(2)"},
)

bits_per_byte.mistake(
    "the mean instead of the sum",
    "You take the mean of the losses, and divide it by the bytes of the whole text. That divides twice. The *sum* of the losses is what the text costs.",
    {BITS: "nats.mean().item() / math.log(2)"},
)

bits_per_byte.mistake(
    "exp of it",
    "You return an exponential. `exp` of a mean loss is the perplexity, among how many tokens the model hesitates; bits are a logarithm.",
    {PER: 'math.exp(nats.sum().item() / len(text.encode("utf-8")))'},
    {PER: 'math.exp(bits / len(text.encode("utf-8")))'},
    {PER: "math.exp(nats.mean().item())"},
    {PER: '2 ** (bits / len(text.encode("utf-8")))'},
    {PER: "2 ** (bits / len(nats))"},
    {PER: 'math.exp(bits) / len(text.encode("utf-8"))'},
    edit(
        {BITS: "nats.exp().sum().item()"},
        says="You take `exp` of the losses, which is the perplexity of each token. Losses add up as they are: their sum, divided by ln 2, is what the text costs in bits.",
    ),
    edit(
        {BITS: "nats.exp().sum().item() / math.log(2)"},
        says="You take `exp` of the losses, which is the perplexity of each token. Losses add up as they are: their sum, divided by ln 2, is what the text costs in bits.",
    ),
    edit(
        {BITS: "(2**nats).sum().item()"},
        says="You take powers of 2 of the losses. Losses add up as they are: their sum, divided by ln 2, is what the text costs in bits.",
    ),
)

bits_per_byte.mistake(
    "not divided by the bytes",
    "You return the bits of the whole text. A long text costs more than a short one, whoever predicts it: divide by the bytes of the text.",
    {PER: "bits"},
    edit(
        {PER: 'bits * len(text.encode("utf-8"))'},
        says="You multiply by the bytes of the text. A long text costs more than a short one, whoever predicts it: divide by them.",
    ),
    edit(
        {PER: "nats.sum().item()"},
        says="You return the nats of the whole text. A bit is ln 2 nats; and a long text costs more than a short one, whoever predicts it: divide by the bytes of the text.",
    ),
)

bits_per_byte.mistake(
    "the sign turned",
    "Your result is negative. A loss is -log p already, so it is positive; nothing is left to turn.",
    {PER: '-bits / len(text.encode("utf-8"))'},
)

bits_per_byte.mistake(
    "logarithm to base 10",
    "You divide by the logarithm of 2 to base 10. The losses are natural logarithms, so a bit is `math.log(2)` = 0.693 of them; 0.301 is `math.log10(2)`.",
    {BITS: "nats.sum().item() / math.log10(2)"},
    edit(
        {BITS: "nats.sum().item() / math.log(10)"},
        says="You divide by ln 10. That makes digits of nats; a bit is ln 2 nats, `math.log(2)`.",
    ),
    edit(
        {BITS: "nats.sum().item() / 2"},
        says="You divide by 2. A bit is the choice between two equally likely things, which costs ln 2 = 0.693 nats: `math.log(2)`.",
    ),
    *(
        edit(
            {BITS: f"nats.sum().item() {by}"},
            says=f"Your result is {what}. A bit is the choice between two equally likely things, which costs ln 2 = 0.693 nats: divide the sum by `math.log(2)`.",
        )
        for by, what in (
            ("/ math.log(8)", "a third of what it should be, as with ln 8 for ln 2"),
            ("* 2", "the nats times 2"),
            ("/ math.log(2) ** 2", "divided by ln 2 twice"),
        )
    ),
)

bits_per_byte.mistake(
    "multiplied by 8",
    "You multiply by 8. A byte has 8 bits on the disk, but what is asked is how many bits the *model* needs for it: the bits of the losses, by the number of bytes.",
    {PER: '8 * bits / len(text.encode("utf-8"))'},
)

bits_per_byte.mistake(
    "another encoding",
    "Your number of bytes is that of UTF-16. A text has other bytes in every encoding; what is compared here is UTF-8: `text.encode()`.",
    {PER: 'bits / len(text.encode("utf-16"))'},
    {PER: 'bits / len(text.encode("utf-16-le"))'},
    edit(
        {PER: 'bits / len(text.encode("utf-32"))'},
        says="Your number of bytes is that of UTF-32. A text has other bytes in every encoding; what is compared here is UTF-8: `text.encode()`.",
    ),
    edit(
        {PER: 'bits / len(text.encode("utf-32-le"))'},
        says="Your number of bytes is that of UTF-32. A text has other bytes in every encoding; what is compared here is UTF-8: `text.encode()`.",
    ),
    edit(
        {PER: 'bits / len(text.encode("latin-1", "ignore"))'},
        says="Only the characters of Latin-1 are counted, with a byte each. The model has to predict ж and 🙂 too, and é has two bytes in UTF-8: all bytes of `text.encode()`.",
    ),
    edit(
        {PER: 'bits / len(text.encode("unicode_escape"))'},
        says="You count the bytes of an escaped text, in which ж is written with six letters. What is compared here is UTF-8: `text.encode()`.",
    ),
    edit(
        {PER: 'bits / len(text.encode("ascii", "ignore"))'},
        says="Only the characters of ASCII are counted. é, ж and 🙂 are left out, and the model has to predict them too: all bytes of `text.encode()`.",
    ),
)

bits_per_byte.mistake(
    "more than the bytes is counted",
    "Your divisor is one more than the number of bytes. `len(text.encode())` is what there is, and an empty text has been refused.",
    {PER: 'bits / (len(text.encode("utf-8")) + 1)'},
    edit(
        {PER: 'bits / len(text.encode("utf-8-sig"))'},
        says="Your number of bytes is three too many. `utf-8-sig` puts a mark of three bytes in front of every text, which no model has to predict: `text.encode()`.",
    ),
    edit(
        {PER: "bits / len(repr(text).encode())"},
        says="You count the bytes of `repr(text)`, with its quotes and with two letters for the end of a line. Count those of the text itself: `text.encode()`.",
    ),
    edit(
        {PER: "bits / text.__sizeof__()"},
        says="You divide by what the text takes in Python's memory, with all that Python keeps beside it. What is compared here is UTF-8: `len(text.encode())`.",
    ),
    edit(
        {PER: "bits / __import__('sys').getsizeof(text)"},
        says="You divide by what the text takes in Python's memory, with all that Python keeps beside it. What is compared here is UTF-8: `len(text.encode())`.",
    ),
)

bits_per_byte.mistake(
    "per word",
    "You divide by the number of words. Words are long in one language and short in another. Bytes are the same for everybody: divide by the bytes of the text.",
    {PER: "bits / len(text.split())"},
    {PER: 'bits / len(text.split(" "))'},
    edit(
        {PER: "bits / sum(map(str.isalpha, text))"},
        says="You divide by the number of letters. The model has to predict spaces and signs too, and a letter has up to four bytes: divide by the bytes of the text.",
    ),
)

bits_per_byte.mistake(
    "spaces are cut off",
    "The spaces at both ends of the text are not counted. The model had to predict them too, and its losses are in the sum: the bytes of `text` as it is.",
    {PER: 'bits / len(text.strip().encode("utf-8"))'},
    edit(
        {PER: 'bits / len(text.replace(" ", "").encode("utf-8"))'},
        says="The spaces of the text are not counted. The model had to predict them too, and their losses are in the sum: the bytes of `text` as it is.",
    ),
)

bits_per_byte.mistake(
    "rounded",
    "Your result is rounded. Models differ by hundredths of a bit: return it as it comes out.",
    {PER: 'round(bits / len(text.encode("utf-8")), 2)'},
    {PER: 'round(bits / len(text.encode("utf-8")), 3)'},
    {PER: 'round(bits / len(text.encode("utf-8")), 1)'},
    edit(
        {PER: 'bits // len(text.encode("utf-8"))'},
        says="Your result is cut down to a whole number. `//` and `int` do that; models differ by hundredths of a bit: divide with `/`.",
    ),
    edit(
        {PER: 'int(bits / len(text.encode("utf-8")))'},
        says="Your result is cut down to a whole number. `//` and `int` do that; models differ by hundredths of a bit: divide with `/`.",
    ),
    edit(
        {BITS: "int(nats.sum().item()) / math.log(2)"},
        says="The sum of your losses is cut down to a whole number. `int` does that: take `.item()`, or `float`.",
    ),
)

bits_per_byte.mistake(
    "not all losses count",
    "Not all losses are in your sum. Each of them belongs to a token of the text, the first and the last one too.",
    {BITS: "nats[1:].sum().item() / math.log(2)"},
    {BITS: "nats[:-1].sum().item() / math.log(2)"},
    edit(
        {BITS: "nats[-1].item() / math.log(2)"},
        says="You take the loss of the last token alone. The text costs the sum of all losses.",
    ),
    edit(
        {BITS: "nats.unique().sum().item() / math.log(2)"},
        says="Of losses that are equal only one is in your sum. Each of them belongs to a token of the text, and counts by itself.",
    ),
    edit(
        {BITS: "nats.median().item() / math.log(2)"},
        says="You take the median of the losses. The text costs the sum of all losses.",
    ),
    edit(
        {BITS: "nats.max().item() / math.log(2)"},
        says="You take the largest loss alone. The text costs the sum of all losses.",
    ),
)

bits_per_byte.mistake(
    "squares of the losses",
    "You square the losses. A loss is -log p already, and the losses of a text add up as they are.",
    {BITS: "nats.square().sum().item() / math.log(2)"},
    edit(
        {BITS: "nats.norm().item() / math.log(2)"},
        says="You take the length of the losses as a vector, the root of their squares. Losses add up as they are: `nats.sum()`.",
    ),
)

bits_per_byte.mistake(
    "an empty text is let pass",
    "An empty text is let pass, and an error of another kind comes of it, or none. It has no byte by which to divide: refuse it, with a ValueError.",
    {"if not text:": "if False:"},
    {"raise ValueError(": "return math.nan  # ("},
    edit(
        {"raise ValueError(": "return 0.0  # ("},
        says="For an empty text you return a number. It has no byte by which to divide: refuse it, with a ValueError.",
    ),
    edit(
        {"raise ValueError(": "raise TypeError("},
        says="An empty text raises another error than a ValueError. Callers catch what the docstring names: `raise ValueError(...)`.",
    ),
)

bits_per_byte.mistake(
    "different characters instead of bytes",
    "You count how many *different* characters or bytes there are: a `set` holds each once. Count all bytes of the text, `len(text.encode())`.",
    {PER: "bits / len(set(text))"},
    {PER: 'bits / len(set(text.encode("utf-8")))'},
    {PER: 'bits / len("".join(set(text)).encode("utf-8"))'},
)

bits_per_byte.mistake(
    "a tensor comes back",
    "Your result is a tensor. A number of Python's is asked for, which can be printed and compared: `.item()`, or `float`.",
    {BITS: "nats.sum() / math.log(2)"},
)

bits_per_byte.mistake(
    "bytes by bits",
    "Your fraction is upside down: bytes for a bit. Bits per byte is bits divided by bytes.",
    {PER: 'len(text.encode("utf-8")) / bits'},
)

bits_per_byte.mistake(
    "by the bits of the bytes",
    "You divide by 8 as well. That is a share: bits of the model for a *bit* of the text. Bits per byte goes by bytes.",
    {PER: 'bits / (8 * len(text.encode("utf-8")))'},
)

bits_per_byte.mistake(
    "capitals are made small",
    "You count the bytes of the text in small letters. Some letters have another length then: ẞ has three bytes, ß two. Take the text as it is.",
    {PER: 'bits / len(text.lower().encode("utf-8"))'},
)

bits_per_byte.mistake(
    "too much is refused",
    "A text of spaces alone is refused. A space is a byte like any other, and the model had to predict it; only a text without a character is empty.",
    {"if not text:": "if not text.strip():"},
)
