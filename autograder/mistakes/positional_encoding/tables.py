"""Wrong ways of the table.

A module may build its table without calling the function: what goes wrong there shows in both.
"""

from autograder.checks.positional_encoding import positional_encoding, sinusoidal_encoding
from autograder.probing.mistake import edit

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
    *({"/ 10000 **": f"/ {base} **"} for base in (1000, 100000, 1000000, 10)),
    edit(
        {"/ 10000 **": "/ max_len **"},
        says="The base is max_len, not 10000. What a token gets then depends on how long the table is, and no two tables of different length agree. The base is the same number, 10000, for every table.",
    ),
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "logarithm to the base 10",
    "You take the logarithm to the base 10, and `exp` is not its inverse. exp(4 · 2i / d) is 54.6 to the power of 2i / d, not 10000. Take the natural logarithm, `math.log`, which is about 9.21 for 10000; or write the power as it stands in the formula.",
    {"/ 10000 **": "/ 54.598150033144236 **"},
    edit(
        {"/ 10000 **": "/ 589902.4006373154 **"},
        says="You take the logarithm to the base 2, and `exp` is not its inverse. exp(13.29 · 2i / d) is 589902 to the power of 2i / d, not 10000. Take the natural logarithm, `math.log`, which is about 9.21 for 10000; or write the power as it stands in the formula.",
    ),
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "degrees",
    "The angle is taken in degrees. `torch.sin` and `torch.cos` expect radians, and the formula is in radians: position 1 is turned by 1, which is 57 degrees. Use the angle as it is.",
    {ANGLE: f"torch.deg2rad({ANGLE})"},
    {POSITION: f"torch.deg2rad({POSITION})"},
    {ANGLE: f"torch.rad2deg({ANGLE})"},
    # A power of double precision: the angles are so large that it shows.
    {ANGLE: "torch.rad2deg(position / (10000 ** (two_i.double() / d_model)).to(torch.get_default_dtype()))"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "angles times 2π",
    "The angle is multiplied by 2π. The formula counts in radians, not in full turns; with 2π, the first pair comes back to where it was at every position, and its columns are 0 and 1 throughout.",
    {ANGLE: f"6.283185307179586 * {ANGLE}"},
    {POSITION: f"6.283185307179586 * {POSITION}"},
    edit(
        {ANGLE: f"3.141592653589793 * {ANGLE}"},
        says="The angle is multiplied by π. The formula counts in radians, not in half turns; with π, the sine of the first pair is 0 at every position.",
    ),
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
    {EXPONENT: "(-two_i / d_model)"},
    {ANGLE: "position / (10000 ** (-two_i.double() / d_model)).to(torch.get_default_dtype())"},
    # For every column: a longer tensor is computed by another routine, with another last digit.
    {ANGLE: "(position * 10000.0 ** (torch.arange(d_model) // 2 * 2 / d_model))[:, 0::2]"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "exponent without brackets",
    "Your exponent is 2i; it should be 2i / d_model. `10000 ** two_i / d_model` takes the power first and divides afterwards. All pairs but the first stand still. Put the quotient into brackets. (`exp` without the logarithm of 10000 comes to nearly the same.)",
    # Whole numbers overflow where others become large. The exponent alone is edited, so that this goes with another base.
    *(
        {EXPONENT: f"{power}{rest}"}
        for rest in ("", " / d_model", " * d_model")
        for power in ("two_i", "two_i.double()")
    ),
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "a product instead of a power",
    "You multiply by 10000 where it should be raised to a power. 10000 · 2i / d is 0 for the first pair, and a position divided by 0 has no sine: its columns are NaN. In Python, a power is written `**`.",
    {ANGLE: "position / (10000 * (two_i / d_model))"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "the quotient raised to the power",
    "You divide the position by 10000 first and raise the quotient to the power. The power belongs to 10000 alone: position / (10000^(2i / d)). Where did the brackets go?",
    {ANGLE: "(position / 10000) ** (two_i / d_model)"},
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
    "exponent over d_model - 1",
    "The exponent is divided by d_model - 1. The formula divides 2i by d_model. Take the number of features as it is.",
    {EXPONENT: "(two_i / (d_model - 1))"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "position 0 empty",
    "The first row holds zeros. Some published code keeps row 0 for padding. Here position 0 is that of the first token: its sines are 0 and its cosines 1.",
    {"return table": "return table * (torch.arange(max_len) > 0).unsqueeze(1)"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "a list instead of a tensor",
    "A list comes back. One tensor is promised, which can be cut and added to tokens: put the list into `torch.tensor(...)`, or stack the rows.",
    {"return table": "return table.tolist()"},
    {"return table": "return list(table)"},
)

FROM_PAIR_ONE = "The pairs are counted from 1. The first pair has exponent 0, and turns by a whole radian at every step; yours begins with the exponent of the second pair, so nothing is fast. Count i from 0."
sinusoidal_encoding.mistake(
    "pairs counted from 1",
    FROM_PAIR_ONE,
    {EXPONENT: "((two_i + 2) / d_model)"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "exponent over max_len",
    "The exponent is divided by max_len, not by d_model. How slow a pair is should depend on its place among the features; with yours a longer table gives every position another vector. The exponent is 2i / d_model.",
    {EXPONENT: "(two_i / max_len)"},
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
    "every second column not filled",
    "Every second column is never filled. It stays 0, and a sine without its cosine (or a cosine without its sine) cannot tell one half of a turn from the other. Sines go into columns 0, 2, ..., cosines of the same angles into columns 1, 3, ....",
    {COSINES: "table[:, 1::2] = 0.0"},
    {SINES: "table[:, 0::2] = 0.0"},
    also=[positional_encoding],
)

sinusoidal_encoding.mistake(
    "sines negative",
    "Your sines are the negative of what they should be. So the points run around the circle the other way, and weights that were trained with the paper's table do not fit yours. The angle is position / 10000^(2i / d), without a minus; the minus of `exp(-2i / d · ln 10000)` stands in the exponent alone.",
    {"torch.sin(angle)": "torch.sin(-angle)"},
    {POSITION: f"-{POSITION}"},
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

sinusoidal_encoding.mistake(
    "positions scaled by max_len",
    "The positions are divided by the number of positions. What a token gets then depends on how long the table is, and in a long table neighbours hardly differ. Take the positions 0, 1, 2, ... as they are.",
    {POSITION: f"{POSITION} / max_len"},
    {POSITION: "torch.linspace(0, 1, max_len).unsqueeze(1)"},
    also=[positional_encoding],
)

EMPTY = "torch.empty(max_len, d_model)"
sinusoidal_encoding.mistake(
    "another number of rows",
    "Your table has a row too many. It has `max_len` rows, for the positions 0 to max_len - 1. `torch.arange(max_len)` and `range(max_len)` count just these.",
    {POSITION: "torch.arange(max_len + 1).unsqueeze(1)", EMPTY: "torch.empty(max_len + 1, d_model)"},
    edit(
        {POSITION: "torch.arange(max_len - 1).unsqueeze(1)", EMPTY: "torch.empty(max_len - 1, d_model)"},
        says="Your table has a row too few. It has `max_len` rows, for the positions 0 to max_len - 1. The end of `torch.arange(max_len)` and `range(max_len)` is left out by itself; nothing has to be subtracted.",
    ),
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

sinusoidal_encoding.mistake(
    "pairs in a dimension of their own",
    "Each pair stands in a dimension of its own. Your table is (max_len, d_model / 2, 2), and features are one dimension here: `flatten(1)` puts sine and cosine next to each other, (max_len, d_model).",
    {"return table": "return table.unflatten(1, (-1, 2))"},
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
