"""Wrong ways of lesson 04.

A module may build its table, or turn, without calling the function: what goes wrong there shows in both.
"""

from autograder.checks.positional_encoding import (
    apply_rotary,
    learned_positional_encoding,
    positional_encoding,
    rotary_attention,
    sinusoidal_encoding,
)
from autograder.probing.mistake import edit

# The table ----------------------------------------------------------------------------

POSITION = "torch.arange(max_len).unsqueeze(1)"
ANGLE, EXPONENT = "position / 10000 ** (two_i / d_model)", "(two_i / d_model)"
SINES, COSINES = "table[:, 0::2] = torch.sin(angle)", "table[:, 1::2] = torch.cos(angle)"

sinusoidal_encoding.mistake(
    "halves side by side",
    "All sines stand in front, all cosines behind. That is another convention, and it is not wrong: tensor2tensor, the code that came with the paper, has this layout, and a model trained with it works as well. The paper's formula, and this course, put the sine and the cosine of a pair side by "
    "side, in columns 2i and 2i+1. Weights trained with one layout do not fit the other.",
    {SINES: "table[:, : d_model // 2] = torch.sin(angle)", COSINES: "table[:, d_model // 2 :] = torch.cos(angle)"},
    {SINES: "table[:, d_model // 2 :] = torch.sin(angle)", COSINES: "table[:, : d_model // 2] = torch.cos(angle)"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "sine and cosine exchanged",
    "Sine and cosine have changed places. The even columns hold sines, the odd columns cosines, so position 0 is 0 1 0 1 .... A new model would learn as well with your table, but weights that were trained with the paper's table do not fit it.",
    {SINES: "table[:, 0::2] = torch.cos(angle)", COSINES: "table[:, 1::2] = torch.sin(angle)"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "exponent doubled",
    "The exponent is twice what it should be. `torch.arange(0, d_model, 2)` counts 0, 2, 4, ...: that is 2i already, and there is another 2 in your exponent. Your slow features become far too slow, down to one turn in 10000² steps. Much published code has this mistake.",
    {EXPONENT: "(2 * two_i / d_model)"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "exponent halved",
    "The exponent is half of what it should be. It is 2i / d_model, with i counting the pairs; you take i / d_model, so the slowest pair turns about as fast as a pair in the middle should. Count 0, 2, 4, ... or multiply by 2. (A base of 100 comes to the same: is it 10000?)",
    {EXPONENT: "(two_i / 2 / d_model)"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "the cosine with a frequency of its own",
    "The cosine has a frequency of its own. Sine and cosine of a pair share one angle: column 2i+1 uses 2i, not 2i+1, in its exponent. Only then is a pair a point on a circle, and a shift by some positions is the same turn everywhere. If you loop over all columns j, the exponent is `2 * (j // 2) "
    "/ d_model`.",
    *(
        {COSINES: f"table[:, 1::2] = torch.cos(position / 10000 ** ({exponent} / d_model))"}
        for exponent in ("(two_i + 1)", "(2 * two_i + 2)", "(2 * two_i + 1)", "(two_i + 2)")
    ),
    also=[positional_encoding],
)

BASE = "The base is not 10000. The base says how slow the slowest feature is. With a smaller base the vectors repeat sooner, and a table made with another base does not fit a trained model. Count the zeros."
sinusoidal_encoding.mistake(
    "another base than 10000",
    BASE,
    *({"/ 10000 **": f"/ {base} **"} for base in (1000, 100000, 1000000)),
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "logarithm to the base 10",
    "You take the logarithm to the base 10, and `exp` is not its inverse. exp(4 · 2i / d) is 54.6 to the power of 2i / d, not 10000. Take the natural logarithm, `math.log`, which is about 9.21 for 10000; or write the power as it stands in the formula.",
    {"/ 10000 **": "/ 54.598150033144236 **"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "degrees",
    "The angle is taken in degrees. `torch.sin` and `torch.cos` expect radians, and the formula is in radians: position 1 is turned by 1, which is 57 degrees. Use the angle as it is.",
    {ANGLE: f"torch.deg2rad({ANGLE})"},
    {POSITION: f"torch.deg2rad({POSITION})"},
    {ANGLE: f"torch.rad2deg({ANGLE})"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "angles times 2π",
    "The angle is multiplied by 2π. The formula counts in radians, not in full turns; with 2π, the first pair comes back to where it was at every position, and its columns are 0 and 1 throughout.",
    {ANGLE: f"6.283185307179586 * {ANGLE}"},
    {POSITION: f"6.283185307179586 * {POSITION}"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "positions divided by 10000 twice",
    "The positions are divided by 10000 twice, once directly and once by the power. All angles are then close to 0, and the positions can hardly be told apart. Do not scale the position itself: position / 10000^(2i / d).",
    {ANGLE: "position / 10000  / 10000 ** (two_i / d_model)"},
    {POSITION: f"{POSITION} / 10000"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "multiplied by the power",
    "You multiply by the power of 10000 where you should divide. The features then get faster instead of slower, up to thousands of turns from one position to the next, which looks like noise. If you use `exp`, its exponent needs a minus.",
    {"position / 10000": "position * 10000"},
    # With `exp`. The angles are so large that float32 tells one way of computing them from another.
    {ANGLE: "position * torch.exp(two_i * (9.210340371976184 / d_model))"},
    {ANGLE: "position * torch.exp(9.210340371976184 * two_i / d_model)"},
    {ANGLE: "position * torch.exp(two_i / d_model * 9.210340371976184)"},
    # In single numbers, which are of double precision; rounded before they meet the positions; as 1 / (1 / ...).
    {ANGLE: "position * 10000 ** (two_i.double() / d_model)"},
    {ANGLE: "position * (10000 ** (two_i.double() / d_model)).to(torch.get_default_dtype())"},
    {ANGLE: "position / (1 / 10000 ** (two_i / d_model))"},
    {ANGLE: "position / torch.exp(-two_i / d_model * 9.210340371976184)"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "exponent without brackets",
    "Your exponent is 2i; it should be 2i / d_model. `10000 ** two_i / d_model` takes the power first and divides afterwards. All pairs but the first stand still. Put the quotient into brackets. (`exp` without the logarithm of 10000 comes to nearly the same.)",
    # Whole numbers overflow where others become large.
    {ANGLE: "position / 10000**two_i / d_model"},
    {ANGLE: "position / 10000.0**two_i / d_model"},
    {ANGLE: "position / 10000**two_i * d_model"},
    {ANGLE: "position / 10000.0**two_i * d_model"},
    {ANGLE: "position / 10000**two_i"},
    {ANGLE: "position / 10000.0**two_i"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "a product instead of a power",
    "You multiply by 10000 where it should be raised to a power. 10000 · 2i / d is 0 for the first pair, and a position divided by 0 has no sine: its columns are NaN. In Python, a power is written `**`.",
    {ANGLE: "position / (10000 * (two_i / d_model))"},
    also=[positional_encoding],
)

ONE_SPEED = "All pairs have the same frequency. Each pair should be slower than the pair before it, like the hands of a clock. With one speed for all, position 44 looks nearly like position 0. Does your exponent change from pair to pair? (`//` makes it 0.)"
sinusoidal_encoding.mistake(
    "one frequency for all pairs",
    ONE_SPEED,
    {ANGLE: "position / torch.ones(len(two_i))"},
    {EXPONENT: "(0 * two_i + 1)"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "frequencies up to the end",
    "Your frequencies reach the end: the slowest pair has exactly 1 / 10000. That is the convention of tensor2tensor, which divides by the number of pairs minus 1. By the paper's formula the exponent is 2i / d_model, so the slowest pair stays a little faster than 1 / 10000.",
    {EXPONENT: "(two_i / max(d_model - 2, 1))"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "no cosine",
    "There is no cosine. Both columns of a pair hold the sine, and the sine alone cannot tell one half of a turn from the other. The odd columns hold `torch.cos` of the same angle.",
    {"torch.cos(angle)": "torch.sin(angle)"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "no sine",
    "There is no sine. Both columns of a pair hold the cosine, and the cosine alone cannot tell one half of a turn from the other. The even columns hold `torch.sin` of the same angle.",
    {"torch.sin(angle)": "torch.cos(angle)"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "sliced by position instead of by channel",
    "Your slices go by position instead of by channel. Even positions got sines in all their columns, odd positions cosines. The even and odd *columns* have to differ. `table[0::2]` takes every second row, `table[:, 0::2]` every second column. A much copied article does this.",
    *(
        {
            "torch.arange(0, d_model, 2)": "torch.arange(d_model)",
            EXPONENT: f"({exponent} / d_model)",
            SINES: "table[0::2] = torch.sin(angle)[0::2]",
            COSINES: "table[1::2] = torch.cos(angle)[1::2]",
        }
        for exponent in ("(two_i // 2 * 2)", "two_i", "(2 * two_i)")
    ),
    also=[positional_encoding],
)

ROWS = "self.table[start:end]"
ONE_ROW = "All positions get the same vector. Added to every token, it says nothing about order. Each position has its own row, and the positions count 0, 1, 2, ... along a dimension of their own."
sinusoidal_encoding.mistake(
    "one row for all positions",
    ONE_ROW,
    {POSITION: "torch.zeros(max_len, 1)"},
    {POSITION: "torch.ones(max_len, 1)"},
    {POSITION: "torch.full((max_len, 1), max_len)"},
    {POSITION: "torch.full((max_len, 1), max_len - 1)"},
    {POSITION: "torch.full((max_len, 1), d_model)"},
    *(
        edit({ROWS: f"self.table[{row}]"}, inside="PositionalEncoding", of=[positional_encoding])
        for row in ("start", "end - 1", "x.size(1)", "0", "end")
    ),
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "counted from 1",
    "Positions are counted from 1. The first token stands at position 0, so the first row is 0 1 0 1 ...; yours begins a step later. Every position would be off by one against any other implementation.",
    {POSITION: "torch.arange(1, max_len + 1).unsqueeze(1)"},
    edit({ROWS: "self.table[start + 1 : end + 1]"}, inside="PositionalEncoding", of=[positional_encoding]),
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "counted from the end",
    "Positions are counted from the end. The last row holds position 0, so what a token gets depends on how many positions there are: a longer table gives every place another vector. Count 0, 1, 2, ... from the first.",
    {POSITION: "torch.arange(max_len - 1, -1, -1).unsqueeze(1)"},
    also=[positional_encoding],
)

SLOW_FIRST = "Your pairs go from slow to fast; the first should be the fastest. Its exponent is 0, and the exponents grow from there: 0, 2, 4, ... over d."
sinusoidal_encoding.mistake(
    "slow pairs first",
    SLOW_FIRST,
    {EXPONENT: "(1 - two_i / d_model)"},
    {"torch.arange(0, d_model, 2)": "torch.arange(d_model - 2, -1, -2)"},
    also=[positional_encoding],
)

NO_LOGARITHM = "The logarithm is missing. exp(-2i / d) has e for its base, 2.718 where 10000 is meant, and even the slowest pair is nearly as fast as the first. With `exp` it is exp(-2i / d · ln 10000); or write the power as it stands in the formula."
sinusoidal_encoding.mistake(
    "exp without the logarithm",
    NO_LOGARITHM,
    {ANGLE: "position * torch.exp(-two_i / d_model)"},
    also=[positional_encoding],
)

FLOAT64 = "What comes back is in float64. x is in float32, and the sum or product of the two would be in float64; the next layer then stops because the dtypes differ. Compute in float64 if you like, and give the result the dtype of x."
sinusoidal_encoding.mistake("float64 comes back", FLOAT64, {"return table": "return table.double()"})

sinusoidal_encoding.mistake(
    "a parameter, not plain numbers",
    "Your table is a parameter. An optimizer would take it for something to be learned. Nothing about sinusoids is learned: give back a plain tensor.",
    {"return table": "return nn.Parameter(table)"},
)

sinusoidal_encoding.mistake(
    "features in rows",
    "Positions and features have changed places. Tokens are rows in this course, and so are positions: the shape is (max_len, d_model).",
    {"return table": "return table.T"},
)

sinusoidal_encoding.mistake(
    "a dimension too many",
    "Your table has a dimension of size 1 too many. Many tutorials add it for the batch. Here the table is (max_len, d_model), and broadcasting works without it.",
    {"return table": "return table.unsqueeze(0)"},
    {"return table": "return table.unsqueeze(1)"},
)

REFUSES_ODD = "if d_model % 2 != 0:"
sinusoidal_encoding.mistake(
    "odd width accepted",
    "An odd width is not refused. Sines and cosines come in pairs, and of 5 features one would be left alone. Who asks for that should get an error that says so: keep the `raise ValueError` that was given.",
    {REFUSES_ODD: "if False:"},
    {REFUSES_ODD: "if False:", "torch.cos(angle)": "torch.cos(angle[:, : d_model // 2])"},
    # A table that grows pair by pair has a column too many, or too few; a loop runs over its end.
    {REFUSES_ODD: "if False:", "torch.empty(max_len, d_model)": "torch.empty(max_len, 2 * len(two_i))"},
    {
        REFUSES_ODD: "if False:",
        "torch.arange(0, d_model, 2)": "torch.arange(0, d_model - 1, 2)",
        "torch.empty(max_len, d_model)": "torch.empty(max_len, 2 * len(two_i))",
    },
    {REFUSES_ODD: "if False:", COSINES: "table[:, two_i + 1] = torch.cos(angle)"},
    also=[positional_encoding],
)

# Adding it ----------------------------------------------------------------------------

REGISTER = 'self.register_buffer("table", sinusoidal_encoding(max_len, d_model))'
SUM, DROPPED = "x + positions", "return self.dropout("

positional_encoding.mistake(
    "a parameter instead of a buffer",
    "Your table is a parameter. An optimizer takes it for something to be learned and changes it, and even when frozen it counts among the model's parameters. Nothing about sinusoids is learned: `register_buffer` keeps a tensor with the module without making it a parameter.",
    {REGISTER: "self.table = nn.Parameter(sinusoidal_encoding(max_len, d_model))"},
    {REGISTER: "self.table = nn.Parameter(sinusoidal_encoding(max_len, d_model), requires_grad=False)"},
    {REGISTER: "self.table = nn.Parameter(torch.zeros(max_len, d_model))"},
)

DOUBLE = 'self.register_buffer("table", sinusoidal_encoding(max_len, d_model).double())'
positional_encoding.mistake("float64 comes back", FLOAT64, {REGISTER: DOUBLE})

positional_encoding.mistake(
    "a new table at every call",
    "A new table is made at every call. The module does not add the table that it keeps: it computes 5,000 rows for a handful of tokens, again and again, and on the CPU even when the module is elsewhere. Make the table once, as a buffer, and take rows from it.",
    {ROWS: "sinusoidal_encoding(len(self.table), x.size(2))[start:end]"},
)

positional_encoding.mistake(
    "a parameter in a buffer's place",
    "What you register as a buffer is a parameter. The module does not list it, but a gradient is still computed for it. Register a plain tensor.",
    {REGISTER: 'self.register_buffer("table", nn.Parameter(sinusoidal_encoding(max_len, d_model)))'},
)

positional_encoding.mistake(
    "a plain attribute instead of a buffer",
    "The table does not go along with the module. A plain attribute is not part of the module: `model.to(device)` moves everything else and leaves the table behind, and on a GPU the first sum fails. `register_buffer` makes the table part of the module without making it a parameter.",
    {REGISTER: "self.table =  sinusoidal_encoding(max_len, d_model)"},
)

ALONG_BATCH = (
    "Positions are counted along the batch. The first sequence gets position 0 for all its tokens, the second position 1: tokens of one sequence cannot be told apart, and what a sequence gets depends on where in the batch it happens to be. Code written for (seq_len, batch, d_model), as in an old "
    "tutorial of PyTorch's, does this when it is given the batch first."
)
positional_encoding.mistake(
    "one position for each sequence",
    ALONG_BATCH,
    {ROWS: "self.table[start : start + x.size(0)].unsqueeze(1)"},
    {ROWS: "self.table[: x.size(0)].unsqueeze(1)"},
)

BATCH_SIZE = (
    "You take as many rows as there are sequences. `x.size(0)` is the size of the batch; the tokens are counted by `x.size(1)`. The result is right by chance when the two sizes are equal, and a batch of one sequence gets position 0 for all its tokens, without an error. Code written for (seq_len, "
    "batch, d_model) does this when it is given the batch first."
)
positional_encoding.mistake(
    "sliced by the batch size",
    BATCH_SIZE,
    {ROWS: "self.table[start : start + x.size(0)]"},
    {ROWS: "self.table[: x.size(0)]"},
)

positional_encoding.mistake(
    "rows lined up with the sequences",
    "Your rows are (seq_len, 1, d_model), and x is (batch, seq_len, d_model). Lined up from the right, there is a row for each sequence instead of each token. Code for (seq_len, batch, d_model) puts the dimension of size 1 in, with `unsqueeze(1)`; here the rows are (seq_len, d_model).",
    {ROWS: "self.table[start:end].unsqueeze(1)"},
)

positional_encoding.mistake(
    "start ignored",
    "`start` is not used. Every input begins at position 0 again. A decoder that writes token by token passes one token at a time, and each would stand at the first place: the rows run from `start`.",
    {ROWS: "self.table[: x.size(1)]"},
)

positional_encoding.mistake(
    "the end without start",
    "The slice ends at the number of tokens, not at the last position. Rows from `start` on end at `start + x.size(1)`; your slice has too few rows, or a single row, which every token then gets, or no row. The given lines compute `end`.",
    {ROWS: "self.table[start : x.size(1)]"},
)

positional_encoding.mistake(
    "the whole table added",
    "You add the whole table. The table has a row for every possible position, and the sentence has fewer tokens: take the rows from `start` up to `end`.",
    {ROWS: "self.table"},
    {ROWS: "self.table[start:]"},
)

positional_encoding.mistake(
    "multiplied instead of added",
    "Tokens and positions are multiplied. A sine is often near 0, and what it is multiplied with is gone. The paper adds: from a sum the later layers can learn to tell the two apart.",
    {SUM: "x * positions"},
)

WIDER = "The vector of the position is put beside the token instead of added. Your tokens come out twice as wide, d_model + d_model features, and no later layer fits. The paper adds. (One article concatenates and says that the width stays the same; it does not.)"
positional_encoding.mistake(
    "concatenated instead of added",
    WIDER,
    {SUM: "torch.cat([x, positions.expand_as(x)], dim=-1)"},
)

TOKENS_LOST = "The tokens are gone. You return the positions alone; they are added to x."
positional_encoding.mistake(
    "tokens left out",
    TOKENS_LOST,
    {SUM: "positions.expand_as(x)"},
    {SUM: "positions"},
    {SUM: "positions.unsqueeze(0)"},
)

positional_encoding.mistake(
    "nothing added",
    "Nothing is added. The tokens come back as they were. Add the rows of the table to them.",
    {SUM: "x"},
)

SCALED = "The tokens are multiplied by √d_model. In the paper that belongs to the embedding (section 3.4), and in this course `TokenEmbedding` does it in lesson 08; here it would happen a second time. Take x as it comes."
positional_encoding.mistake(
    "tokens scaled by √d_model",
    SCALED,
    {SUM: "x * x.size(-1) ** 0.5 + positions"},
)

positional_encoding.mistake(
    "no dropout",
    "The dropout of the constructor is never applied. The paper applies it to the sums of tokens and positions (section 5.4), as the last step.",
    {DROPPED: "return ("},
)

positional_encoding.mistake(
    "dropout on the positions",
    "Dropout acts on the positions only. The paper applies it to the sums (section 5.4): first add, then drop. In your code the tokens always come through, without some of their positions.",
    {SUM: "x + self.dropout(positions)", DROPPED: "return ("},
)

positional_encoding.mistake(
    "dropout on the tokens",
    "Dropout acts on the tokens only. The paper applies it to the sums (section 5.4): first add, then drop. In your code positions come through where the tokens do not.",
    {SUM: "self.dropout(x) + positions", DROPPED: "return ("},
)

positional_encoding.mistake(
    "dropout on each of the two",
    "Dropout acts on tokens and positions separately. A feature then loses its token, its position or both. The paper drops features of the sum (section 5.4): add first.",
    {SUM: "self.dropout(x) + self.dropout(positions)", DROPPED: "return ("},
)

positional_encoding.mistake(
    "dropout in evaluation",
    "Dropout acts in evaluation as well. `F.dropout(x, p)` drops unless told `training=False`, and does not follow `model.eval()`. Use the `nn.Dropout` of the constructor, or pass `training=self.training`.",
    {DROPPED: "return nn.Dropout(self.dropout.p)("},
)

IN_PLACE = "You write into the tokens that were passed in. The caller still needs them, and autograd refuses such writing for tensors that need a gradient. `x += ...`, `x[...] += ...` and `x.add_(...)` do this; `x = x + ...` makes a new tensor."
positional_encoding.mistake(
    "input overwritten",
    IN_PLACE,
    {SUM: "x.add_(positions)"},
)

REFUSES_LONG = "if start < 0 or end > len(self.table):"
ACCEPTED = "An input that is too long is not refused. A sentence longer than the table then ends in an error about sizes that do not match, or in no error at all. Raise the ValueError that was given, before the rows are taken."
positional_encoding.mistake(
    "too long an input accepted",
    ACCEPTED,
    {REFUSES_LONG: "if False:"},
    {REFUSES_LONG: "if start < 0:"},
    *(
        {REFUSES_LONG: refuses, ROWS: f"self.table[torch.arange(start, end){within}]"}
        for refuses in ("if False:", "if start < 0:")
        for within in ("", " % len(self.table)", ".clamp(max=len(self.table) - 1)")
    ),
)

positional_encoding.mistake(
    "max_len ignored",
    "`max_len` is not used. Your table has a length of its own, so a model that was asked for 9 positions takes 5,000, and a model that was asked for more fails. Pass it on to `sinusoidal_encoding`.",
    {"sinusoidal_encoding(max_len, d_model)": "sinusoidal_encoding(5000, d_model)"},
)

positional_encoding.mistake(
    "max_len and d_model exchanged",
    "The two sizes of the table are exchanged. It got d_model positions of max_len features. `sinusoidal_encoding` takes the number of positions first.",
    {"sinusoidal_encoding(max_len, d_model)": "sinusoidal_encoding(d_model, max_len)"},
)

# Learned vectors ----------------------------------------------------------------------------

COUNTED, LOOKED_UP, PLUS = "torch.arange(seq_len, device=x.device)", "self.embedding(positions)", "return x + "

learned_positional_encoding.mistake(
    "one position for each sequence",
    ALONG_BATCH,
    {COUNTED: "torch.arange(x.size(0)).unsqueeze(1)"},
)

learned_positional_encoding.mistake(
    "sliced by the batch size",
    BATCH_SIZE,
    {COUNTED: "torch.arange(x.size(0))"},
)

learned_positional_encoding.mistake(
    "one row for all positions",
    ONE_ROW,
    {COUNTED: "torch.tensor(0)"},
    {COUNTED: "torch.tensor(seq_len - 1)"},
    {COUNTED: "torch.tensor(seq_len)"},
    {LOOKED_UP: f"{LOOKED_UP}.mean(0)"},
)

learned_positional_encoding.mistake(
    "the whole table added",
    "You add the whole table. The table has a vector for every possible position, and the sentence has fewer tokens: look up the first `seq_len` vectors.",
    {COUNTED: "torch.arange(max_len)"},
)

learned_positional_encoding.mistake(
    "counted from 1",
    "Positions are counted from 1. The first token stands at position 0. Counted from 1, vector 0 never learns, and a sentence as long as the table asks for a vector that does not exist.",
    {COUNTED: "torch.arange(1, seq_len + 1)"},
)

learned_positional_encoding.mistake(
    "multiplied instead of added",
    "Tokens and positions are multiplied. The vectors of the positions are added, as those of the sinusoids are.",
    {PLUS: "return x * "},
)

learned_positional_encoding.mistake(
    "concatenated instead of added",
    WIDER,
    {f"{PLUS}{LOOKED_UP}": f"return torch.cat([x, {LOOKED_UP}.expand_as(x)], dim=-1)"},
)

learned_positional_encoding.mistake(
    "tokens left out",
    TOKENS_LOST,
    {f"{PLUS}{LOOKED_UP}": f"return {LOOKED_UP}.expand_as(x)"},
    {PLUS: "return "},
)

learned_positional_encoding.mistake(
    "vectors cut off from the gradient",
    "The vectors do not learn. Something cuts them off from the gradient (`detach`, `.data`, `no_grad`), so they keep their random start. Call the embedding and add what it returns.",
    {LOOKED_UP: f"{LOOKED_UP}.detach()"},
)

learned_positional_encoding.mistake(
    "input overwritten",
    IN_PLACE,
    {PLUS: "return x.add_(", LOOKED_UP: f"{LOOKED_UP})"},
)

REFUSES_MORE = "if seq_len > max_len:"
learned_positional_encoding.mistake(
    "too long an input accepted",
    ACCEPTED,
    {REFUSES_MORE: "if False:"},
    {REFUSES_MORE: "if False:", COUNTED: "torch.arange(seq_len).clamp(max=max_len - 1)"},
    {REFUSES_MORE: "if False:", COUNTED: "torch.arange(seq_len) % max_len"},
    {REFUSES_MORE: "if False:", LOOKED_UP: "self.embedding.weight[:seq_len]"},
)

learned_positional_encoding.mistake(
    "tokens scaled by √d_model",
    SCALED,
    {PLUS: "return x * x.size(-1) ** 0.5 + "},
)

learned_positional_encoding.mistake(
    "counted from the end",
    "You add the last vectors of the table. The first token gets vector 0, whatever the length of the sentence; otherwise a token's place would change with every token that follows.",
    {COUNTED: "torch.arange(max_len - seq_len, max_len)"},
)

# Rotations ----------------------------------------------------------------------------

# Queries and keys are turned by the same code, and a dot product does not see what is done to both sides alike: another
# order of the features, another start of counting. Such mistakes are of `apply_rotary` only.

COLUMN = "positions.unsqueeze(-1)"
R_ANGLE, R_EXPONENT = "positions.unsqueeze(-1) / base ** (two_i / d_head)", "(two_i / d_head)"
COS_AND_SIN = "cos, sin = torch.cos(angle), torch.sin(angle)"
PAIRS = "first, second = x[..., 0::2], x[..., 1::2]"
NEW_FIRST, NEW_SECOND = "first * cos - second * sin", "first * sin + second * cos"
TURN = f"turned = torch.stack(({NEW_FIRST}, {NEW_SECOND}), dim=-1)"
FLAT = "turned.flatten(-2)"
PAIRS_OF_HALVES, FLAT_AS_HALVES = "first, second = x.chunk(2, dim=-1)", "torch.cat(turned.unbind(-1), dim=-1)"

apply_rotary.mistake(
    "half-split pairs",
    "Your pairs are feature i and feature i + d_head / 2. That is another convention, and it is not wrong: GPT-NeoX and the Llama of Hugging Face's library pair the two halves in this way, and a model trained with it works as well. The paper, Meta's own Llama and this course pair neighbours, 2i "
    "and 2i+1. A trained model needs the convention that it was trained with; from one to the other the rows of `q_proj` and `k_proj` have to be reordered.",
    {PAIRS: PAIRS_OF_HALVES, FLAT: FLAT_AS_HALVES},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "neighbours and halves mixed",
    "Two conventions are mixed. In one place neighbours (2i and 2i+1) form a pair, in another place halves (i and i + d_head / 2). Take `x[..., 0::2]` "
    "and `x[..., 1::2]` apart and put the two back in turn: stack them along a new last dimension and flatten. `torch.cat` puts halves side by side.",
    edit({FLAT: FLAT_AS_HALVES}, of=[apply_rotary]),
    edit({PAIRS: PAIRS_OF_HALVES}, of=[apply_rotary]),
    # Cosines and sines are laid out over all features, and picked apart again for each pair.
    {
        COS_AND_SIN: "cos, sin = (torch.cat((torch.cos(angle), torch.cos(angle)), dim=-1), torch.cat((torch.sin(angle), torch.sin(angle)), dim=-1))",
        NEW_FIRST: "first * cos[..., 0::2] - second * sin[..., 0::2]",
        NEW_SECOND: "first * sin[..., 1::2] + second * cos[..., 1::2]",
    },
    {
        COS_AND_SIN: "cos, sin = (torch.cos(angle).repeat_interleave(2, dim=-1), torch.sin(angle).repeat_interleave(2, dim=-1))",
        NEW_FIRST: "first * cos[..., : d_head // 2] - second * sin[..., : d_head // 2]",
        NEW_SECOND: "first * sin[..., d_head // 2 :] + second * cos[..., d_head // 2 :]",
        PAIRS: PAIRS_OF_HALVES,
        FLAT: FLAT_AS_HALVES,
    },
    # (x2, -x1) and so on: the neighbours of a pair taken from the two halves.
    {
        TURN: "full_cos, full_sin = cos.repeat_interleave(2, dim=-1), sin.repeat_interleave(2, dim=-1)\n"
        "    a, b = x.chunk(2, dim=-1)\n    turned = x * full_cos + torch.cat((-b, a), dim=-1) * full_sin",
        FLAT: "turned",
    },
    {
        TURN: "full_cos, full_sin = torch.cat((cos, cos), dim=-1), torch.cat((sin, sin), dim=-1)\n"
        "    turned = x * full_cos + torch.stack((-second, first), dim=-1).flatten(-2) * full_sin",
        FLAT: "turned",
    },
    also=[rotary_attention],
)

apply_rotary.mistake(
    "turned the other way round",
    "You turn in the opposite direction. From the first axis to the second, a point (first, second) goes to (first · cos - second · sin, first · sin + "
    "second · cos); your minus is in the other line. Scores depend on distance either way, but weights that were trained with one direction do not fit the "
    "other.",
    {NEW_FIRST: "first * cos + second * sin", NEW_SECOND: "second * cos - first * sin"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "a minus missing",
    "A minus is missing. With (first · cos + second · sin, first · sin + second · cos) nothing is turned: lengths change, and scores depend on the places and not on the distance alone. The new first coordinate is first · cos minus second · sin.",
    {NEW_FIRST: "first * cos + second * sin"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "a minus in the wrong place",
    "The pairs are mirrored, not turned. The minus stands at the cosine; it belongs to the sine of the first line: (first · cos - second · sin, first · sin + second · cos).",
    {NEW_FIRST: "first * cos + second * sin", NEW_SECOND: "first * sin - second * cos"},
)

apply_rotary.mistake(
    "a minus too many",
    "There is a minus too many. Only the sine of the first line has a minus: (first · cos - second · sin, first · sin + second · cos). In your code lengths change, and scores depend on more than distance.",
    {NEW_SECOND: "first * -sin + second * cos"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "coordinates exchanged",
    "The two coordinates of every pair have changed places. The first of a pair becomes first · cos - second · sin, the second first · sin + second · cos; yours come back in the other order.",
    {NEW_FIRST: NEW_SECOND, NEW_SECOND: NEW_FIRST},
    edit(
        {PAIRS: "second, first = x[..., 0::2], x[..., 1::2]"},
        says="The two coordinates of every pair have changed places. The first stands in the even features, `x[..., 0::2]`, the second in the odd "
        "features; you have exchanged them.",
    ),
)

apply_rotary.mistake(
    "input overwritten",
    "You write the turned features into the `x` that was passed in. The caller still needs `x` as it was, and autograd refuses such writing for tensors that need a gradient. `x[..., 0::2] = ...` does this: write into a tensor of your own, `torch.empty_like(x)`, or stack and flatten.",
    {f"return {FLAT}": f"return x.copy_({FLAT})"},
)

apply_rotary.mistake(
    "the new first used for the second",
    "The second coordinate is computed from the new first one. Both lines of a turn need the old pair: give the new first coordinate another name, or compute both before you store one.",
    {TURN: f"first = {NEW_FIRST}\n    turned = torch.stack((first, {NEW_SECOND}), dim=-1)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "degrees",
    "The angle is taken in degrees. `torch.sin` and `torch.cos` expect radians, and the formula is in radians: at position 1, the first pair is turned by 1, which is 57 degrees. Use the angle as it is.",
    {R_ANGLE: f"torch.deg2rad({R_ANGLE})"},
    {COLUMN: f"torch.deg2rad({COLUMN})"},
    {R_ANGLE: f"torch.rad2deg({R_ANGLE})"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "angles times 2π",
    "The angle is multiplied by 2π. The formula counts in radians, not in full turns; with 2π, the first pair comes back to where it was at every position.",
    {R_ANGLE: f"6.283185307179586 * {R_ANGLE}"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "base ignored",
    "The base is not used. You take a fixed number, whatever is passed. Models for long texts use a larger base (Llama 3 has 500000), so it is an argument: `base ** (2i / d_head)`.",
    {"/ base **": "/ 10000.0 **"},
)

apply_rotary.mistake(
    "another base than 10000",
    BASE,
    edit({"base: float = 10000.0": "base: float = 1000.0"}, of=[rotary_attention]),
    {"base: float = 10000.0": "base: float = 1000.0"},
)

apply_rotary.mistake(
    "positions ignored",
    "`positions` is not used. Your tokens stand at 0, 1, 2, ... whatever was passed. A decoder with a cache passes only the position of the new token, and padding may leave gaps: take the angles from `positions`.",
    {COLUMN: "torch.arange(x.size(-2)).unsqueeze(-1)"},
)

apply_rotary.mistake(
    "exponent doubled",
    "The exponent is twice what it should be. `torch.arange(0, d_head, 2)` counts 0, 2, 4, ...: that is 2i already, and there is another 2 in your exponent. Your slow features become far too slow, down to one turn in 10000² steps. Much published code has this mistake.",
    {R_EXPONENT: "(2 * two_i / d_head)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "exponent halved",
    "The exponent is half of what it should be. It is 2i / d_head, with i counting the pairs; you take i / d_head, so the slowest pair turns about as fast as a pair in the middle should. Count 0, 2, 4, ... or multiply by 2. (A base of 100 comes to the same: is it 10000?)",
    {R_EXPONENT: "(two_i / 2 / d_head)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "multiplied by the power",
    "You multiply by the power of the base where you should divide. The pairs then turn faster and faster instead of slower. If you use `exp`, its exponent needs a minus.",
    {f"{COLUMN} / base": f"{COLUMN} * base"},
    # The angles are so large that float32 tells one way of computing them from another.
    {R_ANGLE: f"{COLUMN} * (base ** (two_i.double() / d_head)).to(x.dtype)"},
    {R_ANGLE: f"{COLUMN} * torch.exp(two_i * (torch.tensor(base).double().log().item() / d_head))"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "one frequency for all pairs",
    ONE_SPEED,
    {R_ANGLE: f"{COLUMN} / torch.ones(len(two_i))"},
    {R_EXPONENT: "(0 * two_i + 1)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "a product instead of a power",
    "You multiply by the base where it should be raised to a power. base · 2i / d is 0 for the first pair, and a position divided by 0 has no sine: its columns are NaN. In Python, a power is written `**`.",
    {R_ANGLE: f"{COLUMN} / (base * (two_i / d_head))"},
)

apply_rotary.mistake(
    "exponent without brackets",
    "Your exponent is 2i; it should be 2i / d_head. `base ** two_i / d_head` takes the power first and divides afterwards. All pairs but the first stand still. Put the quotient into brackets. (`exp` without the logarithm of 10000 comes to nearly the same.)",
    {R_ANGLE: f"{COLUMN} / (base**two_i / d_head)"},
    {R_ANGLE: f"{COLUMN} / base**two_i / d_head"},
    {R_ANGLE: f"{COLUMN} / base**two_i"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "slow pairs first",
    SLOW_FIRST,
    {R_EXPONENT: "(1 - two_i / d_head)"},
    {"torch.arange(0, d_head, 2, device=x.device)": "torch.arange(d_head - 2, -1, -2)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "exp without the logarithm",
    NO_LOGARITHM.replace("10000", "base"),
    {R_ANGLE: f"{COLUMN} * torch.exp(-two_i / d_head)"},
)

apply_rotary.mistake(
    "sine and cosine exchanged",
    "Sine and cosine have changed places. Position 0 has the angle 0, whose cosine is 1: there a vector should stay as it is, and yours is turned by a quarter. It is first · cos - second · sin, and first · sin + second · cos.",
    {"cos, sin = torch.cos(angle), torch.sin(angle)": "cos, sin = torch.sin(angle), torch.cos(angle)"},
)

apply_rotary.mistake(
    "positions in the wrong order",
    "The positions are taken in reverse. The first token is turned by the last position, and so on. Take `positions` in their own order.",
    {COLUMN: "positions.flip(0).unsqueeze(-1)"},
)

apply_rotary.mistake("float64 comes back", FLOAT64, {R_ANGLE: R_ANGLE.replace("positions", "positions.double()")})

apply_rotary.mistake(
    "counted from 1",
    "Every token is turned one step too far. A token at position 0 has to stay as it is: use `positions` without adding anything. (Scores do not show it, as both sides are off by the same step.)",
    {COLUMN: f"({COLUMN} + 1)"},
)

apply_rotary.mistake(
    "turned along the wrong dimension",
    "You turn along the wrong dimension. The tokens stand in the last dimension but one; your angles change along the dimension before it, from head to head. Code for (batch, seq_len, num_heads, d_head) has the angles so; here the heads are in front of the tokens, and angles of shape (seq_len, "
    "d_head / 2) fit without a dimension in between.",
    {R_ANGLE: f"({R_ANGLE}).unsqueeze(1)"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "added instead of turned",
    "You add sines and cosines instead of turning. That is the table of `sinusoidal_encoding`. Here the features of x themselves are multiplied: each pair is a point, and it is turned.",
    {NEW_FIRST: "first + sin", NEW_SECOND: "second + cos"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "features not mixed within their pair",
    "The features are multiplied by sines and cosines, and no pair is turned. To turn a pair, the first coordinate gets a share of the second, and the second a share of the first.",
    {NEW_FIRST: "first * cos", NEW_SECOND: "second * cos"},
    {NEW_FIRST: "first * sin", NEW_SECOND: "second * cos"},
    {NEW_FIRST: "first * cos + first * sin", NEW_SECOND: "second * cos + second * sin"},
    also=[rotary_attention],
)

apply_rotary.mistake(
    "odd width accepted",
    "An odd width is not refused. Features are turned in pairs, and of 5 features one would be left alone. Who asks for that should get an error that says so: keep the `raise ValueError` that was given.",
    {"if d_head % 2 != 0:": "if False:"},
    {"if d_head % 2 != 0:": "if False:", PAIRS: "first, second = x[..., two_i], x[..., two_i + 1]"},
    {
        "if d_head % 2 != 0:": "if False:",
        "torch.arange(0, d_head, 2, device=x.device)": "torch.arange(0, d_head - 1, 2)",
        PAIRS: "first, second = x[..., : d_head // 2 * 2 : 2], x[..., 1::2]",
        FLAT: "torch.cat([turned.flatten(-2), x[..., d_head // 2 * 2 :]], dim=-1)",
    },
)

# Attention with rotations ----------------------------------------------------------------------------

PROJECT_Q, PROJECT_K, PROJECT_V = "self.q_proj(query)", "self.k_proj(key)", "self.v_proj(value)"
TURN_Q = "apply_rotary(q, torch.arange(query.size(1), device=q.device))"
TURN_K = "apply_rotary(k, torch.arange(key.size(1), device=k.device))"
CALL = "scaled_dot_product_attention(q, k, v, mask)"
OUTPUT = "self.out_proj(merge_heads(heads))"

rotary_attention.mistake(
    "values turned too",
    "The values are turned as well. Positions decide where a token looks, so only queries and keys are turned. A turned value arrives turned: what is read from a token then depends on its place, and nothing turns it back.",
    {
        "split_heads(self.v_proj(value), self.num_heads)": "apply_rotary(split_heads(self.v_proj(value), self.num_heads), torch.arange(value.size(1)))"
    },
    {PROJECT_V: "apply_rotary(self.v_proj(value), torch.arange(value.size(1)))"},
)

rotary_attention.mistake(
    "turned before the head split",
    "You turn before the heads are split. The pairs' frequencies then run over all d_model features: the first head gets the fast ones, the last the slow ones. Each head needs the whole range: split first, then turn.",
    {
        PROJECT_Q: "apply_rotary(self.q_proj(query), torch.arange(query.size(1)))",
        PROJECT_K: "apply_rotary(self.k_proj(key), torch.arange(key.size(1)))",
        TURN_Q: "q",
        TURN_K: "k",
    },
)

rotary_attention.mistake(
    "turned before the projection",
    "You turn the tokens before they are projected. A projection mixes the pairs again, and scores no longer depend on distance alone. Project, split, then turn.",
    {
        PROJECT_Q: "self.q_proj(apply_rotary(query, torch.arange(query.size(1))))",
        PROJECT_K: "self.k_proj(apply_rotary(key, torch.arange(key.size(1))))",
        TURN_Q: "q",
        TURN_K: "k",
    },
)

rotary_attention.mistake(
    "only the queries turned",
    "Only the queries are turned. Scores depend on distance because both sides are turned, each by its own position; with only queries turned they depend on where the query stands. Turn the keys as well.",
    {TURN_K: "k"},
)

rotary_attention.mistake(
    "only the keys turned",
    "Only the keys are turned. Scores depend on distance because both sides are turned, each by its own position; with only keys turned they depend on where the key stands. Turn the queries as well.",
    {TURN_Q: "q"},
)

rotary_attention.mistake(
    "nothing turned",
    "Turning has no effect. Your numbers are those of MultiHeadAttention, which cannot tell the first token from the last. Either `apply_rotary` is not called, or its result is not kept (`q = apply_rotary(q, ...)`, and `k` likewise), or queries and keys are both turned by the number of the head.",
    {TURN_Q: "q", TURN_K: "k"},
)

rotary_attention.mistake(
    "queries and keys turned opposite ways",
    "Queries are turned one way and keys the other. A score then depends on the sum of the two positions instead of their distance. Turn both by the same function, each by its own positions.",
    {TURN_K: "apply_rotary(k, -torch.arange(key.size(1), device=k.device))"},
    {TURN_Q: "apply_rotary(q, -torch.arange(query.size(1), device=q.device))"},
)

rotary_attention.mistake(
    "keys counted like the queries",
    "The keys get the positions of the queries. There may be more keys than queries, and then the sizes do not fit: keys count their own positions, `key.size(1)`.",
    {TURN_K: "apply_rotary(k, torch.arange(query.size(1)))"},
)

rotary_attention.mistake(
    "positions taken from the heads",
    "The positions are counted along the heads. After the split `q` is (batch, num_heads, query_len, d_head): `q.size(1)` is the number of heads, the tokens are `q.size(2)`, or `query.size(1)` as long as they are whole.",
    {TURN_Q: "apply_rotary(q, torch.arange(q.size(1)))", TURN_K: "apply_rotary(k, torch.arange(k.size(1)))"},
)

rotary_attention.mistake(
    "queries placed at the end of the keys",
    "Your queries are counted so that the last query stands where the last key does. That is another convention, useful when keys of earlier tokens are kept (lesson 11). In this module queries and keys are each counted from 0.",
    {TURN_Q: "apply_rotary(q, torch.arange(key.size(1) - query.size(1), key.size(1)))"},
)

rotary_attention.mistake(
    "no output projection",
    "There is no output projection. The merged heads lie side by side and nothing ever mixes them. `out_proj` is the last step, as in MultiHeadAttention.",
    {OUTPUT: "merge_heads(heads)"},
    {OUTPUT: "merge_heads(heads)", "self.out_proj = nn.Linear(d_model, d_model)": "pass"},
)

rotary_attention.mistake(
    "mask ignored",
    "The mask is not used. Every token sees padding and future. `scaled_dot_product_attention` takes it as its fourth argument; does yours arrive there?",
    {CALL: "scaled_dot_product_attention(q, k, v)"},
)

rotary_attention.mistake(
    "the mask gets one dimension more",
    "Your mask gets an additional dimension. Masks of this course already have a dimension for the heads, (batch, 1, query_len, key_len), or are (query_len, key_len), which fits too. With `unsqueeze(1)` they have one dimension too many, and so have the heads. Pass the mask on as it is.",
    {CALL: "scaled_dot_product_attention(q, k, v, None if mask is None else mask.unsqueeze(1))"},
)

BY_RESHAPE = "{0}.reshape({1}.size(0), self.num_heads, {1}.size(1), -1)"
SPLIT = "split_heads({}, self.num_heads)"
PROJECTED = {PROJECT_Q: "query", PROJECT_K: "key", PROJECT_V: "value"}
RESHAPED = {SPLIT.format(made): BY_RESHAPE.format(made, of) for made, of in PROJECTED.items()}
rotary_attention.mistake(
    "heads cut by a reshape alone",
    "The heads are cut by a reshape alone. (batch, seq_len, d_model) reshaped to (batch, num_heads, seq_len, d_head) has the right sizes, but a head then gets pieces of some tokens instead of a piece of each token. Reshape to (batch, seq_len, num_heads, d_head), then transpose; `split_heads` "
    "does it.",
    RESHAPED,
    {**RESHAPED, OUTPUT: "self.out_proj(heads.reshape(query.shape))"},
)

rotary_attention.mistake(
    "mask inverted",
    'Your mask means the opposite. In this course True means "may look"; you hide exactly what should be seen.',
    {CALL: "scaled_dot_product_attention(q, k, v, None if mask is None else ~mask)"},
)

rotary_attention.mistake(
    "no scale",
    "The scores are not divided by √d_head. Turning changes no length, so the scale is needed as before. Your `scaled_dot_product_attention` scales; use it, or divide.",
    {CALL: "scaled_dot_product_attention(q * q.size(-1) ** 0.5, k, v, mask)"},
)

rotary_attention.mistake(
    "scaled by √d_model",
    "The scores are divided by √d_model. Each head compares vectors of d_head features, so the divisor is √d_head. With yours all weights are too even. Scale after the split, not before.",
    {CALL: "scaled_dot_product_attention(q / self.num_heads**0.5, k, v, mask)"},
)

rotary_attention.mistake(
    "key and value swapped",
    "Key and value have changed places. Keys are what a query is compared with, values are what is taken; they do not come through the same projection. Look at the order of the arguments.",
    {PROJECT_K: "self.k_proj(value)", PROJECT_V: "self.v_proj(key)"},
    {PROJECT_K: "self.v_proj(key)", PROJECT_V: "self.k_proj(value)"},
)

rotary_attention.mistake(
    "key and value made from the query",
    "Keys and values are made from `query`. So the module can only do self-attention: what is passed as `key` and `value` is never read. `k_proj` reads `key`, `v_proj` reads `value`.",
    {PROJECT_K: "self.k_proj(query)", PROJECT_V: "self.v_proj(query)", "key.size(1)": "query.size(1)"},
)

rotary_attention.mistake(
    "value made from the key",
    "The values are made from `key`; the argument `value` is never read. In most calls the two are the same tensor and nobody notices. `v_proj` reads `value`.",
    {PROJECT_V: "self.v_proj(key)"},
)

rotary_attention.mistake(
    "weights averaged over the heads",
    "The weights are averaged over the heads. The heads look at different things, and the average shows none of them: return (batch, num_heads, query_len, key_len).",
    {f"{OUTPUT}, weights": f"{OUTPUT}, weights.mean(dim=1)"},
)

rotary_attention.mistake(
    "weights not returned",
    "Only the output is returned. Attention functions of this course return two things, (output, weights).",
    {f"{OUTPUT}, weights": OUTPUT},
)

rotary_attention.mistake(
    "NaN for a query that may look at nothing",
    "A query that may look at nothing becomes NaN. The softmax of a row of -inf is 0 divided by 0, and one such row spoils the whole batch. Set the weights to zero where the mask is False, after the softmax, as your `scaled_dot_product_attention` does.",
    edit({"weights = weights.masked_fill(~mask, 0.0)": "pass"}, inside="scaled_dot_product_attention"),
)

rotary_attention.mistake(
    "a large negative number instead of -inf",
    "Masked scores are filled with a large negative number. For a row that may look at something, this makes no difference; a row that may look at nothing looks evenly at everything that is hidden. Fill with -inf, and set such rows to zero after the softmax, as your "
    "`scaled_dot_product_attention` does.",
    edit(
        {'float("-inf")': "-1e9", "weights = weights.masked_fill(~mask, 0.0)": "pass"},
        inside="scaled_dot_product_attention",
    ),
)

rotary_attention.mistake(
    "odd heads accepted",
    "A head with an odd number of features is not refused. Features are turned in pairs, and one would be left alone. Keep the `raise ValueError` that was given, or let `apply_rotary` raise its own.",
    {
        "if (d_model // num_heads) % 2 != 0:": "if False:",
        TURN_Q: "apply_rotary(q, torch.arange(query.size(1))) if q.size(-1) % 2 == 0 else q",
        TURN_K: "apply_rotary(k, torch.arange(key.size(1))) if k.size(-1) % 2 == 0 else k",
    },
)

rotary_attention.mistake(
    "sizes that do not fit are accepted",
    "A width that does not fit is not refused. 10 features cannot be cut into 3 equal slices, and who asks for that should get an error that says so: keep the `raise ValueError` that was given.",
    {"if num_heads < 1 or d_model % num_heads != 0:": "if False:"},
)
