"""Wrong ways of lesson 04. Several edits may carry one name: the same mistake is written in several ways."""

from collections.abc import Mapping

from autograder.probing.mistake import Mistake

TABLE, ADDED, LEARNED = "sinusoidal_encoding", "PositionalEncoding", "LearnedPositionalEncoding"
TURNED, ATTENTION = "apply_rotary", "RotaryAttention"
# A module may build its table, or turn, without calling the function: what goes wrong there shows in both.
TABLES, TURNS = (TABLE, ADDED), (TURNED, ATTENTION)


def edited(name: str, of: str | tuple[str, ...], edits: Mapping[str, str], says: str, inside: str = "") -> Mistake:
    """One mistake as a set of edits."""
    return Mistake(name, of=of, swaps=dict(edits), says=says, inside=inside)


# The table ----------------------------------------------------------------------------

POSITION, TWO_I = "torch.arange(max_len).unsqueeze(1)", "torch.arange(0, d_model, 2)"
ANGLE, EXPONENT = "position / 10000 ** (two_i / d_model)", "(two_i / d_model)"
SINES, COSINES = "table[:, 0::2] = torch.sin(angle)", "table[:, 1::2] = torch.cos(angle)"

HALVES = (
    "All sines stand in front, all cosines behind. That is another convention, and not a wrong one: tensor2tensor, the code that came with the paper, lays its table out so, and "
    "a model trained with it works as well. The paper's formula, and this course, put the sine and the cosine of a pair side by side, in columns 2i and 2i+1; mixed, the two do not fit."
)
halves = edited(
    "halves side by side",
    TABLES,
    {SINES: "table[:, : d_model // 2] = torch.sin(angle)", COSINES: "table[:, d_model // 2 :] = torch.cos(angle)"},
    HALVES,
    TABLE,
)
halves_cosine_first = edited(
    "halves side by side",
    TABLES,
    {SINES: "table[:, d_model // 2 :] = torch.sin(angle)", COSINES: "table[:, : d_model // 2] = torch.cos(angle)"},
    HALVES,
    TABLE,
)

exchanged = edited(
    "sine and cosine exchanged",
    TABLES,
    {SINES: "table[:, 0::2] = torch.cos(angle)", COSINES: "table[:, 1::2] = torch.sin(angle)"},
    "Sine and cosine have changed places. The even columns hold sines, the odd ones cosines, so position 0 is 0 1 0 1 .... A model would not mind; weights that were trained with the other table would.",
    TABLE,
)

DOUBLED = (
    "The exponent is twice what it should be. `torch.arange(0, d_model, 2)` counts 0, 2, 4, ...: that is 2i already, and there is another 2 in your exponent. Your slow features become far too slow, down to one turn in 10000² steps. "
    "Much code in circulation has this slip."
)
doubled = edited("exponent doubled", TABLES, {EXPONENT: "(2 * two_i / d_model)"}, DOUBLED, TABLE)

halved = edited(
    "exponent halved",
    TABLES,
    {EXPONENT: "(two_i / 2 / d_model)"},
    "The exponent is half of what it should be. It is 2i / d_model, with i counting the pairs; you take i / d_model, so the slowest pair turns about as fast as one in the middle should. Count 0, 2, 4, ... or multiply by 2. (A base of 100 comes to the same: is it 10000?)",
    TABLE,
)

OWN_FREQUENCY = (
    "The cosine has a frequency of its own. Sine and cosine of a pair share one angle: column 2i+1 uses 2i, not 2i+1, in its exponent. Only so is a pair a point on a circle, and a shift by some "
    "positions the same turn everywhere. If you loop over all columns j, the exponent is `2 * (j // 2) / d_model`."
)


def own_frequency(exponent: str) -> Mistake:
    """The cosine's exponent made from its own column."""
    cosine = f"table[:, 1::2] = torch.cos(position / 10000 ** ({exponent} / d_model))"
    return edited("the cosine with a frequency of its own", TABLES, {COSINES: cosine}, OWN_FREQUENCY, TABLE)


own_frequency_next, own_frequency_doubled = own_frequency("(two_i + 1)"), own_frequency("(2 * two_i + 2)")
own_frequency_next_doubled, own_frequency_pair = own_frequency("(2 * two_i + 1)"), own_frequency("(two_i + 2)")

BASE = "The base is not 10000. It says how slow the slowest feature is: with a smaller base the vectors repeat sooner, and a table made with another one does not fit a trained model. Count the zeros."


def based(number: str) -> Mistake:
    """Another base."""
    return edited("another base than 10000", TABLES, {"/ 10000 **": f"/ {number} **"}, BASE, TABLE)


base_1000, base_100000, base_million = based("1000"), based("100000"), based("1000000")

common_logarithm = edited(
    "logarithm to the base 10",
    TABLES,
    {"/ 10000 **": "/ 54.598150033144236 **"},
    "You take the logarithm to the base 10, and `exp` is not its inverse. exp(4 · 2i / d) is 54.6 to the power of 2i / d, not 10000. Take the natural logarithm, `math.log`, which is about 9.21 for 10000; or write the power as it stands in the formula.",
    TABLE,
)

DEGREES = "The angle is taken in degrees. `torch.sin` and `torch.cos` want radians, and the formula means radians: position 1 is turned by 1, which is 57 degrees. Leave the angle as it is."
degrees = edited("degrees", TABLES, {ANGLE: f"torch.deg2rad({ANGLE})"}, DEGREES, TABLE)
degrees_of_position = edited("degrees", TABLES, {POSITION: f"torch.deg2rad({POSITION})"}, DEGREES, TABLE)
to_degrees = edited("degrees", TABLES, {ANGLE: f"torch.rad2deg({ANGLE})"}, DEGREES, TABLE)

FULL_TURNS = "The angle is multiplied by 2π. The formula counts in radians, not in full turns; with 2π, the first pair comes back to where it was at every position, and its columns are 0 and 1 throughout."
full_turns = edited("angles times 2π", TABLES, {ANGLE: f"6.283185307179586 * {ANGLE}"}, FULL_TURNS, TABLE)
full_turns_of_position = edited(
    "angles times 2π", TABLES, {POSITION: f"6.283185307179586 * {POSITION}"}, FULL_TURNS, TABLE
)

DIVIDED_TWICE = "The positions are divided by 10000 twice. Once on their own, once by the power. Whatever the sentence, all its angles are next to 0, and its tokens can hardly be told apart. The position itself is not scaled: position / 10000^(2i / d)."
divided_twice = edited(
    "positions divided by 10000 twice", TABLES, {ANGLE: f"position / 10000 {ANGLE[8:]}"}, DIVIDED_TWICE, TABLE
)

divided_before = edited(
    "positions divided by 10000 twice", TABLES, {POSITION: f"{POSITION} / 10000"}, DIVIDED_TWICE, TABLE
)

multiplied = edited(
    "multiplied by the power",
    TABLES,
    {"position / 10000": "position * 10000"},
    "You multiply by the power of 10000 where you should divide. The features then get faster instead of slower, up to thousands of turns from one position to the next, which looks like noise. If you use `exp`, a minus is missing in it.",
    TABLE,
)


def multiplied_by_exp(power: str) -> Mistake:
    """With `exp`. The angles are so large that float32 tells one way of computing them from another."""
    return edited("multiplied by the power", TABLES, {ANGLE: f"position * torch.exp({power})"}, multiplied.says, TABLE)


multiplied_exp = multiplied_by_exp("two_i * (9.210340371976184 / d_model)")
multiplied_exp_product_first = multiplied_by_exp("9.210340371976184 * two_i / d_model")
multiplied_exp_quotient_first = multiplied_by_exp("two_i / d_model * 9.210340371976184")

NO_BRACKETS = "The exponent is 2i, not 2i / d_model. `10000 ** two_i / d_model` takes the power first and divides afterwards. All pairs but the first stand still. Put the quotient into brackets. (`exp` without the logarithm of 10000 comes to nearly the same.)"


def no_brackets(power: str) -> Mistake:
    """The power is taken before the quotient."""
    return edited("exponent without brackets", TABLES, {ANGLE: f"position / {power}"}, NO_BRACKETS, TABLE)


# Whole numbers overflow where others become large.
unbracketed, unbracketed_floats = no_brackets("10000**two_i / d_model"), no_brackets("10000.0**two_i / d_model")
unbracketed_times = no_brackets("10000**two_i * d_model")
unbracketed_really, unbracketed_really_floats = no_brackets("10000**two_i"), no_brackets("10000.0**two_i")
unbracketed_left = edited(
    "exponent without brackets", TABLES, {ANGLE: "position / 10000**two_i / d_model"}, NO_BRACKETS, TABLE
)
unbracketed_left_floats = edited(
    "exponent without brackets", TABLES, {ANGLE: "position / 10000.0**two_i / d_model"}, NO_BRACKETS, TABLE
)

PRODUCT = "You multiply by 10000 where it should be raised to a power. 10000 · 2i / d is 0 for the first pair, and a position divided by 0 has no sine: its columns are NaN. In Python, a power is written `**`."
product = edited(
    "a product instead of a power", TABLES, {ANGLE: "position / (10000 * (two_i / d_model))"}, PRODUCT, TABLE
)

ONE_SPEED = "All pairs have one and the same frequency. Each pair should be slower than the one before, like the hands of a clock: with one speed for all, position 44 looks nearly like position 0. Does your exponent change from pair to pair? (`//` makes it 0.)"
one_speed = edited(
    "one frequency for all pairs", TABLES, {ANGLE: "position / torch.ones(len(two_i))"}, ONE_SPEED, TABLE
)
one_slow_speed = edited("one frequency for all pairs", TABLES, {EXPONENT: "(0 * two_i + 1)"}, ONE_SPEED, TABLE)

TO_THE_END = "Your frequencies reach the end: the slowest pair has exactly 1 / 10000. That is another convention, that of tensor2tensor, which divides by the number of pairs minus 1. By the paper's formula the exponent is 2i / d_model, so the slowest pair stays a little faster than 1 / 10000."
to_the_end = edited("frequencies up to the end", TABLES, {EXPONENT: "(two_i / max(d_model - 2, 1))"}, TO_THE_END, TABLE)

NO_COSINE = "There is no cosine. Both columns of a pair hold the sine, and the sine alone cannot tell one half of a turn from the other. The odd columns hold `torch.cos` of the same angle."
no_cosine = edited("no cosine", TABLES, {"torch.cos(angle)": "torch.sin(angle)"}, NO_COSINE, TABLE)
no_sine = edited(
    "no sine", TABLES, {"torch.sin(angle)": "torch.cos(angle)"}, NO_COSINE.replace("no cosine", "no sine").replace("hold the sine, and the sine alone", "hold the cosine, and the cosine alone").replace("The odd columns hold `torch.cos`", "The even columns hold `torch.sin`"), TABLE
)  # fmt: skip

BY_POSITION = (
    "Your slices go by position instead of by channel. Even positions got sines in all their columns, odd ones cosines; it is the even and odd columns that differ. `table[0::2]` takes every second row, `table[:, 0::2]` every second column. "
    "An article that has been copied a great deal does this."
)


def by_position(exponent: str) -> Mistake:
    """Sines in even rows and cosines in odd ones, with exponents of all columns."""
    return edited(
        "sliced by position instead of by channel",
        TABLES,
        {
            TWO_I: "torch.arange(d_model)",
            EXPONENT: f"({exponent} / d_model)",
            SINES: "table[0::2] = torch.sin(angle)[0::2]",
            COSINES: "table[1::2] = torch.cos(angle)[1::2]",
        },
        BY_POSITION,
        TABLE,
    )


by_position_pairs, by_position_columns = by_position("(two_i // 2 * 2)"), by_position("two_i")
by_position_doubled = by_position("(2 * two_i)")

ONE_ROW = "All positions get one and the same vector. Added to every token it says nothing about order: the model is as blind as before. Each position has its own row, and the positions count 0, 1, 2, ... along a dimension of their own."


def one_row(position: str) -> Mistake:
    """A table whose rows are alike."""
    return edited("one row for all positions", TABLES, {POSITION: position}, ONE_ROW, TABLE)


row_0, row_1 = one_row("torch.zeros(max_len, 1)"), one_row("torch.ones(max_len, 1)")
row_max, row_last = one_row("torch.full((max_len, 1), max_len)"), one_row("torch.full((max_len, 1), max_len - 1)")
row_of_width = one_row("torch.full((max_len, 1), d_model)")

FROM_ONE = "Positions are counted from 1. The first token stands at position 0, so the first row is 0 1 0 1 ...; yours begins a step later. A table of another length or a token that comes later would be off by one against everybody else's."
from_one = edited("counted from 1", TABLES, {POSITION: "torch.arange(1, max_len + 1).unsqueeze(1)"}, FROM_ONE, TABLE)

table_turned = edited(
    "features in rows", TABLE, {"return table": "return table.T"},
    "Positions and features have changed places. Tokens are rows in this course, and so are positions: the shape is (max_len, d_model).",
)  # fmt: skip

one_too_many = edited(
    "a dimension too many", TABLE, {"return table": "return table.unsqueeze(0)"},
    "Your table has a dimension of size 1 too many. Many tutorials put one there for the batch; here the table is (max_len, d_model), and broadcasting does without.",
)  # fmt: skip
one_in_the_middle = edited(
    "a dimension too many", TABLE, {"return table": "return table.unsqueeze(1)"}, one_too_many.says
)

ODD = "An odd width is not refused. Sines and cosines come in pairs, and of 5 features one would be left alone. Whoever asks for that should read so at once: keep the `raise ValueError` that was given."
REFUSES_ODD = "if d_model % 2 != 0:"
odd = edited("odd width accepted", TABLES, {REFUSES_ODD: "if False:"}, ODD, TABLE)
odd_cut = edited(
    "odd width accepted",
    TABLES,
    {REFUSES_ODD: "if False:", "torch.cos(angle)": "torch.cos(angle[:, : d_model // 2])"},
    ODD,
    TABLE,
)

# Adding it ----------------------------------------------------------------------------

REGISTER = 'self.register_buffer("table", sinusoidal_encoding(max_len, d_model))'
ROWS, SUM, DROPPED = "self.table[start:end]", "x + positions", "return self.dropout("
NOT_DROPPED = {DROPPED: "return ("}

PARAMETER = (
    "Your table is a parameter. An optimizer takes it for something to be learned and changes it, and even when frozen it counts among the model's parameters. Nothing about sinusoids is learned: `register_buffer` "
    "keeps a tensor with the module that is none of its parameters."
)
parameter = edited(
    "a parameter instead of a buffer",
    ADDED,
    {REGISTER: "self.table = nn.Parameter(sinusoidal_encoding(max_len, d_model))"},
    PARAMETER,
)
zero_parameter = edited(
    "a parameter instead of a buffer", ADDED, {REGISTER: "self.table = nn.Parameter(torch.zeros(max_len, d_model))"}, PARAMETER
)  # fmt: skip

PLAIN = "The table does not go along with the module. As a plain attribute it is no part of it: `model.to(device)` moves everything else and leaves it behind, and the first sum fails, on a GPU and not before. `register_buffer` makes it part of the module without making it a parameter."
plain = edited("a plain attribute instead of a buffer", ADDED, {REGISTER: f"self.table = {REGISTER[29:-1]}"}, PLAIN)

ALONG_BATCH = (
    "Positions are counted along the batch. The first sequence gets position 0 for all its tokens, the second position 1: tokens of one sequence cannot be told apart, and what a sequence gets depends on where in the batch it happens to be. "
    "Code written for (seq_len, batch, d_model), as in an old tutorial of PyTorch's, does this when it is given the batch first."
)


def along_batch(rows: str, name: str = "one position for each sequence", says: str = ALONG_BATCH) -> Mistake:
    """The batch's index taken for the token's."""
    return edited(name, ADDED, {ROWS: rows}, says)


along_batch_later = along_batch("self.table[start : start + x.size(0)].unsqueeze(1)")
along_batch_first = along_batch("self.table[: x.size(0)].unsqueeze(1)")

BATCH_SIZE = (
    "You take as many rows as there are sequences. `x.size(0)` is the size of the batch; the tokens are counted by `x.size(1)`. It fits by chance when the two are equal, and a batch of one sequence gets position 0 for all its tokens, without an error. "
    "Code written for (seq_len, batch, d_model) does this when it is given the batch first."
)
batch_size = along_batch("self.table[start : start + x.size(0)]", "sliced by the batch size", BATCH_SIZE)
batch_size_first = along_batch("self.table[: x.size(0)]", "sliced by the batch size", BATCH_SIZE)

in_between = along_batch(
    "self.table[start:end].unsqueeze(1)",
    "rows lined up with the sequences",
    "Your rows are (seq_len, 1, d_model), and x is (batch, seq_len, d_model). Lined up from the right, there is a row for each sequence instead of each token. "
    "Code for (seq_len, batch, d_model) puts the dimension of size 1 in, with `unsqueeze(1)`; here the rows are (seq_len, d_model).",
)

NO_START = "`start` is not used. Every input begins at position 0 again. A decoder that writes token by token passes one token at a time, and each would stand at the first place: the rows run from `start`."
no_start = edited("start ignored", ADDED, {ROWS: "self.table[: x.size(1)]"}, NO_START)

NO_START_IN_END = "The slice ends at the number of tokens, not at the last position. Rows from `start` on end at `start + x.size(1)`; as it stands there are too few of them, or one, which is then given to every token, or none. The given lines compute `end`."
ends_too_soon = edited("the end without start", ADDED, {ROWS: "self.table[start : x.size(1)]"}, NO_START_IN_END)

all_rows = edited(
    "the whole table added",
    ADDED,
    {ROWS: "self.table"},
    "You add the whole table. It has a row for every position there may be, and the sentence has fewer tokens: take the rows from `start` up to `end`.",
)
rest_of_rows = edited("the whole table added", ADDED, {ROWS: "self.table[start:]"}, all_rows.says)


def one_position(row: str) -> Mistake:
    """A single row for all tokens."""
    return edited("one row for all positions", ADDED, {ROWS: row}, ONE_ROW)


at_start, at_end = one_position("self.table[start]"), one_position("self.table[end - 1]")
at_length, at_zero = one_position("self.table[x.size(1)]"), one_position("self.table[0]")
after_end = one_position("self.table[end]")

TIMES = "Tokens and positions are multiplied. A sine is often near 0, and what it is multiplied with is gone. The paper adds: in a sum, the layers behind can learn to tell the two apart again."
times = edited("multiplied instead of added", ADDED, {SUM: "x * positions"}, TIMES)

WIDER = "The vector of the position is put beside the token instead of added. Your tokens come out twice as wide, d_model + d_model features, and no layer behind fits any more. (An article that concatenates, and says that the width stays the same, is wrong about one of the two.) The paper adds."
wider = edited("concatenated instead of added", ADDED, {SUM: "torch.cat([x, positions.expand_as(x)], dim=-1)"}, WIDER)

TOKENS_LOST = "The tokens are gone. You return the positions alone; they are added to x."
positions_alone = edited("tokens left out", ADDED, {SUM: "positions.expand_as(x)"}, TOKENS_LOST)
positions_alone_narrow = edited("tokens left out", ADDED, {SUM: "positions"}, TOKENS_LOST)

NOT_ADDED = (
    "Nothing is added. The tokens come back as they were, without a place. The rows of the table belong into the sum."
)
not_added = edited("nothing added", ADDED, {SUM: "x"}, NOT_ADDED)

SCALED = "The tokens are multiplied by √d_model. In the paper that belongs to the embedding (section 3.4), and in this course `TokenEmbedding` does it in lesson 08; done here as well, it would be done twice. Here x is taken as it comes."
scaled = edited("tokens scaled by √d_model", ADDED, {SUM: "x * x.size(-1) ** 0.5 + positions"}, SCALED)

NO_DROPOUT = "The dropout of the constructor is never applied. The paper applies it to the sums of tokens and positions (section 5.4), as the last step."
no_dropout = edited("no dropout", ADDED, NOT_DROPPED, NO_DROPOUT)

ON_POSITIONS = "Dropout acts on the positions only. The paper applies it to the sums (section 5.4): first add, then drop. As it stands the tokens always come through, without some of their positions."
on_positions = edited(
    "dropout on the positions", ADDED, {SUM: "x + self.dropout(positions)", **NOT_DROPPED}, ON_POSITIONS
)

ON_TOKENS = "Dropout acts on the tokens only. The paper applies it to the sums (section 5.4): first add, then drop. As it stands the positions come through where the tokens do not."
on_tokens = edited("dropout on the tokens", ADDED, {SUM: "self.dropout(x) + positions", **NOT_DROPPED}, ON_TOKENS)

ON_EACH = "Dropout acts on tokens and positions separately. A feature then loses its token or its position or both; the paper drops features of the sum (section 5.4). Add first."
on_each = edited(
    "dropout on each of the two", ADDED, {SUM: "self.dropout(x) + self.dropout(positions)", **NOT_DROPPED}, ON_EACH
)

ALWAYS = "Dropout acts in evaluation as well. `F.dropout(x, p)` drops unless told `training=False`, and does not follow `model.eval()`. Use the `nn.Dropout` of the constructor, or pass `training=self.training`."
always = edited("dropout in evaluation", ADDED, {DROPPED: "return nn.Dropout(self.dropout.p)("}, ALWAYS)

IN_PLACE = "You write into the tokens that were passed in. Whoever called your module still needs them, and autograd refuses it for tensors that want a gradient. `x += ...`, `x[...] += ...` and `x.add_(...)` do this; `x = x + ...` makes a new tensor."
in_place = edited("input overwritten", ADDED, {SUM: "x.add_(positions)"}, IN_PLACE)

ACCEPTED = "Too long an input is not refused. Without a word of its own, a sentence that is longer than the table ends in a message about sizes that do not match, or in none. Raise the ValueError that was given, before the rows are taken."
REFUSES_LONG = "if start < 0 or end > len(self.table):"
accepted = edited("too long an input accepted", ADDED, {REFUSES_LONG: "if False:"}, ACCEPTED)
negative_accepted = edited("too long an input accepted", ADDED, {REFUSES_LONG: "if start < 0:"}, ACCEPTED)
begins_again = edited(
    "too long an input accepted",
    ADDED,
    {REFUSES_LONG: "if False:", ROWS: "self.table[torch.arange(start, end) % len(self.table)]"},
    ACCEPTED,
)
stays_at_last = edited(
    "too long an input accepted",
    ADDED,
    {REFUSES_LONG: "if False:", ROWS: "self.table[torch.arange(start, end).clamp(max=len(self.table) - 1)]"},
    ACCEPTED,
)

FIXED_LENGTH = "`max_len` is not used. Your table has a length of its own, so a model that was asked for 9 positions takes 5,000, and one that was asked for more fails. Pass it on to `sinusoidal_encoding`."
fixed_length = edited(
    "max_len ignored",
    ADDED,
    {"sinusoidal_encoding(max_len, d_model)": "sinusoidal_encoding(5000, d_model)"},
    FIXED_LENGTH,
)

swapped_sizes = edited(
    "max_len and d_model exchanged",
    ADDED,
    {"sinusoidal_encoding(max_len, d_model)": "sinusoidal_encoding(d_model, max_len)"},
    "The two sizes of the table are exchanged. It got d_model positions of max_len features. `sinusoidal_encoding` takes the number of positions first.",
)

# Learned vectors ----------------------------------------------------------------------------

COUNTED, LOOKED_UP, PLUS = "torch.arange(seq_len, device=x.device)", "self.embedding(positions)", "return x + "

learned_along_batch = edited(
    "one position for each sequence", LEARNED, {COUNTED: "torch.arange(x.size(0)).unsqueeze(1)"}, ALONG_BATCH
)
learned_batch_size = edited("sliced by the batch size", LEARNED, {COUNTED: "torch.arange(x.size(0))"}, BATCH_SIZE)


def learned_row(positions: str) -> Mistake:
    """A single vector for all tokens."""
    return edited("one row for all positions", LEARNED, {COUNTED: positions}, ONE_ROW)


learned_zero = learned_row("torch.tensor(0)")
learned_last, learned_length = learned_row("torch.tensor(seq_len - 1)"), learned_row("torch.tensor(seq_len)")
learned_mean = edited("one row for all positions", LEARNED, {LOOKED_UP: f"{LOOKED_UP}.mean(0)"}, ONE_ROW)

learned_all = edited(
    "the whole table added",
    LEARNED,
    {COUNTED: "torch.arange(max_len)"},
    "You add the whole table. It has a vector for every position there may be, and the sentence has fewer tokens: look up the first `seq_len` of them.",
)
learned_from_one = edited(
    "counted from 1",
    LEARNED,
    {COUNTED: "torch.arange(1, seq_len + 1)"},
    "Positions are counted from 1. The first token stands at position 0. Counted from 1, vector 0 never learns, and a sentence as long as the table asks for a vector that does not exist.",
)
learned_times = edited(
    "multiplied instead of added",
    LEARNED,
    {PLUS: "return x * "},
    "Tokens and positions are multiplied. The vectors of the positions are added, as those of the sinusoids are.",
)
learned_wider = edited(
    "concatenated instead of added",
    LEARNED,
    {f"{PLUS}{LOOKED_UP}": f"return torch.cat([x, {LOOKED_UP}.expand_as(x)], dim=-1)"},
    WIDER,
)
learned_alone = edited(
    "tokens left out", LEARNED, {f"{PLUS}{LOOKED_UP}": f"return {LOOKED_UP}.expand_as(x)"}, TOKENS_LOST
)
learned_alone_narrow = edited("tokens left out", LEARNED, {PLUS: "return "}, TOKENS_LOST)

CUT = "The vectors do not learn. Something cuts them off from the gradient (`detach`, `.data`, `no_grad`), so they stay as random as they began. Call the embedding and add what comes."
learned_cut = edited("vectors cut off from the gradient", LEARNED, {LOOKED_UP: f"{LOOKED_UP}.detach()"}, CUT)

learned_in_place = edited("input overwritten", LEARNED, {PLUS: "return x.add_(", LOOKED_UP: f"{LOOKED_UP})"}, IN_PLACE)

learned_accepted = edited("too long an input accepted", LEARNED, {"if seq_len > max_len:": "if False:"}, ACCEPTED)
learned_stays = edited(
    "too long an input accepted",
    LEARNED,
    {"if seq_len > max_len:": "if False:", COUNTED: "torch.arange(seq_len).clamp(max=max_len - 1)"},
    ACCEPTED,
)
learned_again = edited(
    "too long an input accepted",
    LEARNED,
    {"if seq_len > max_len:": "if False:", COUNTED: "torch.arange(seq_len) % max_len"},
    ACCEPTED,
)

learned_scaled = edited("tokens scaled by √d_model", LEARNED, {PLUS: "return x * x.size(-1) ** 0.5 + "}, SCALED)

from_the_end = edited(
    "counted from the end",
    LEARNED,
    {COUNTED: "torch.arange(max_len - seq_len, max_len)"},
    "You add the last vectors of the table. The first token gets vector 0, whatever the length of the sentence; otherwise a token's place would change with every token that follows.",
)

# Rotations ----------------------------------------------------------------------------

# Queries and keys are turned by the same code, and a dot product does not see what is done to both sides alike: another
# order of the features, another start of counting. Such mistakes are of `apply_rotary` only.

R_ANGLE, R_EXPONENT = "positions.unsqueeze(-1) / base ** (two_i / d_head)", "(two_i / d_head)"
PAIRS = "first, second = x[..., 0::2], x[..., 1::2]"
NEW_FIRST, NEW_SECOND = "first * cos - second * sin", "first * sin + second * cos"
STACK = f"torch.stack(({NEW_FIRST}, {NEW_SECOND}), dim=-1)"
FLAT = "turned.flatten(-2)"

HALF_SPLIT = (
    "Your pairs are feature i and feature i + d_head / 2. That is another convention, and not a wrong one: GPT-NeoX and the Llama of Hugging Face's library pair the two halves so, and a model trained with it works as well. The paper, "
    "Meta's own Llama and this course pair neighbours, 2i and 2i+1. A trained model needs the one that it was trained with: between the two, the rows of `q_proj` and `k_proj` change places."
)
half_split = edited(
    "half-split pairs",
    TURNS,
    {PAIRS: "first, second = x.chunk(2, dim=-1)", FLAT: "torch.cat(turned.unbind(-1), dim=-1)"},
    HALF_SPLIT,
    TURNED,
)

MIXED = (
    "Two conventions are mixed. The pairs that are turned together and the places where their numbers come from or go to do not belong to each other: neighbours (2i and 2i+1) in one line, halves (i and i + d_head / 2) in another. "
    "Take `x[..., 0::2]` and `x[..., 1::2]` apart and put the two back in turn: stack them along a new last dimension and flatten. `torch.cat` puts halves side by side."
)
back_as_halves = edited(
    "neighbours and halves mixed", TURNED, {FLAT: "torch.cat(turned.unbind(-1), dim=-1)"}, MIXED, TURNED
)
taken_as_halves = edited(
    "neighbours and halves mixed", TURNED, {PAIRS: "first, second = x.chunk(2, dim=-1)"}, MIXED, TURNED
)


def full_angles(full: str, first: str, second: str) -> dict[str, str]:
    """Edits for code that lays cosines and sines out over all features, and picks them apart again for each pair."""
    pick = f"cos, sin = ({full.format('torch.cos(angle)')}, {full.format('torch.sin(angle)')})"
    new_first = f"first * cos[..., {first}] - second * sin[..., {first}]"
    new_second = f"first * sin[..., {second}] + second * cos[..., {second}]"
    return {"cos, sin = torch.cos(angle), torch.sin(angle)": pick, NEW_FIRST: new_first, NEW_SECOND: new_second}


angles_as_halves = edited(
    "neighbours and halves mixed", TURNS, full_angles("torch.cat(({0}, {0}), dim=-1)", "0::2", "1::2"), MIXED, TURNED
)
angles_as_neighbours = edited(
    "neighbours and halves mixed",
    TURNS,
    {
        **full_angles("{0}.repeat_interleave(2, dim=-1)", ": d_head // 2", "d_head // 2 :"),
        PAIRS: "first, second = x.chunk(2, dim=-1)",
        FLAT: "torch.cat(turned.unbind(-1), dim=-1)",
    },
    MIXED,
    TURNED,
)
# (x2, -x1) and so on: the neighbours of a pair taken from the two halves.
partners_from_halves = edited(
    "neighbours and halves mixed",
    TURNS,
    {
        f"turned = {STACK}": "full_cos, full_sin = cos.repeat_interleave(2, dim=-1), sin.repeat_interleave(2, dim=-1)\n"
        "    a, b = x.chunk(2, dim=-1)\n"
        "    turned = x * full_cos + torch.cat((-b, a), dim=-1) * full_sin",
        FLAT: "turned",
    },
    MIXED,
    TURNED,
)
partners_from_neighbours = edited(
    "neighbours and halves mixed",
    TURNS,
    {
        f"turned = {STACK}": "full_cos, full_sin = torch.cat((cos, cos), dim=-1), torch.cat((sin, sin), dim=-1)\n"
        "    turned = x * full_cos + torch.stack((-second, first), dim=-1).flatten(-2) * full_sin",
        FLAT: "turned",
    },
    MIXED,
    TURNED,
)

BACKWARDS = (
    "You turn the other way round. From the first axis to the second, a point (first, second) goes to (first · cos - second · sin, first · sin + second · cos); yours has the minus in the other line. Scores would depend on distance as well, "
    "but weights that were trained one way do not fit the other."
)
backwards = edited(
    "turned the other way round",
    TURNS,
    {NEW_FIRST: "first * cos + second * sin", NEW_SECOND: "second * cos - first * sin"},
    BACKWARDS,
    TURNED,
)

NO_MINUS = "A minus is missing. With (first · cos + second · sin, first · sin + second · cos) nothing is turned: lengths change, and scores depend on the places and not on the distance alone. The new first coordinate is first · cos minus second · sin."
no_minus = edited("a minus missing", TURNS, {NEW_FIRST: "first * cos + second * sin"}, NO_MINUS, TURNED)
mirrored = edited(
    "a minus in the wrong place",
    TURNED,
    {NEW_FIRST: "first * cos + second * sin", NEW_SECOND: "first * sin - second * cos"},
    "The pairs are mirrored, not turned. The minus stands at the cosine; it belongs to the sine of the first line: (first · cos - second · sin, first · sin + second · cos).",
    TURNED,
)
both_minus = edited(
    "a minus too many",
    TURNS,
    {NEW_SECOND: "first * -sin + second * cos"},
    "There is a minus too many. Only the sine of the first line has one: (first · cos - second · sin, first · sin + second · cos). As it stands lengths change, and scores depend on more than distance.",
    TURNED,
)

coordinates_exchanged = edited(
    "coordinates exchanged",
    TURNED,
    {NEW_FIRST: NEW_SECOND, NEW_SECOND: NEW_FIRST},
    "The two coordinates of every pair have changed places. The first of a pair becomes first · cos - second · sin, the second first · sin + second · cos; yours come back in the other order.",
)

coordinates_taken_exchanged = edited(
    "coordinates exchanged",
    TURNED,
    {PAIRS: "second, first = x[..., 0::2], x[..., 1::2]"},
    "The two coordinates of every pair have changed places. The first stands in the even features, `x[..., 0::2]`, the second in the odd ones; you take them the other way round.",
)

turned_in_place = edited(
    "input overwritten",
    TURNED,
    {f"return {FLAT}": f"return x.copy_({FLAT})"},
    "You write the turned features into the `x` that was passed in. Whoever called your function still needs it as it was, and autograd refuses it for tensors that want a gradient. "
    "`x[..., 0::2] = ...` does this: write into a tensor of your own, `torch.empty_like(x)`, or stack and flatten.",
)

overwritten = edited(
    "the new first used for the second",
    TURNS,
    {f"turned = {STACK}": f"first = {NEW_FIRST}\n    turned = torch.stack((first, {NEW_SECOND}), dim=-1)"},
    "The second coordinate is computed from the new first one. Both lines of a turn need the old pair: give the new first coordinate another name, or compute both before you store one.",
    TURNED,
)

R_DEGREES = "The angle is taken in degrees. `torch.sin` and `torch.cos` want radians, and the formula means radians: at position 1, the first pair is turned by 1, which is 57 degrees. Leave the angle as it is."
r_degrees = edited("degrees", TURNS, {R_ANGLE: f"torch.deg2rad({R_ANGLE})"}, R_DEGREES, TURNED)
r_degrees_of_position = edited(
    "degrees", TURNS, {"positions.unsqueeze(-1)": "torch.deg2rad(positions.unsqueeze(-1))"}, R_DEGREES, TURNED
)
r_to_degrees = edited("degrees", TURNS, {R_ANGLE: f"torch.rad2deg({R_ANGLE})"}, R_DEGREES, TURNED)
r_full_turns = edited(
    "angles times 2π",
    TURNS,
    {R_ANGLE: f"6.283185307179586 * {R_ANGLE}"},
    "The angle is multiplied by 2π. The formula counts in radians, not in full turns; with 2π, the first pair comes back to where it was at every position.",
    TURNED,
)

BASE_IGNORED = "The base is not used. Whatever is passed, you take another number. Long contexts are made by raising it (Llama 3 has 500000), so it is an argument: `base ** (2i / d_head)`."


def base_ignored(number: str, of: str | tuple[str, ...] = TURNED) -> Mistake:
    """A number in place of the argument."""
    return edited("base ignored", of, {"/ base **": f"/ {number} **"}, BASE_IGNORED, TURNED)


base_fixed = base_ignored("10000.0")
r_base = edited("another base than 10000", ATTENTION, {"base: float = 10000.0": "base: float = 1000.0"}, BASE, TURNED)
r_other_base = edited("another base than 10000", TURNED, {"base: float = 10000.0": "base: float = 1000.0"}, BASE)

POSITIONS_IGNORED = "`positions` is not used. Your tokens stand at 0, 1, 2, ... whatever was passed. A decoder with a cache passes the place of the one token that is new, and padding may leave gaps: take the angles from `positions`."
positions_ignored = edited(
    "positions ignored",
    TURNED,
    {"positions.unsqueeze(-1)": "torch.arange(x.size(-2)).unsqueeze(-1)"},
    POSITIONS_IGNORED,
)

r_doubled = edited(
    "exponent doubled",
    TURNS,
    {R_EXPONENT: "(2 * two_i / d_head)"},
    DOUBLED.replace(", d_model, 2", ", d_head, 2"),
    TURNED,
)
r_halved = edited(
    "exponent halved", TURNS, {R_EXPONENT: "(two_i / 2 / d_head)"}, halved.says.replace("d_model", "d_head"), TURNED
)
r_multiplied = edited(
    "multiplied by the power",
    TURNS,
    {"positions.unsqueeze(-1) / base": "positions.unsqueeze(-1) * base"},
    "You multiply by the power of the base where you should divide. The pairs then turn faster and faster instead of slower. If you use `exp`, a minus is missing in it.",
    TURNED,
)
r_one_speed = edited(
    "one frequency for all pairs",
    TURNS,
    {R_ANGLE: "positions.unsqueeze(-1) / torch.ones(len(two_i))"},
    ONE_SPEED,
    TURNED,
)
r_one_slow_speed = edited("one frequency for all pairs", TURNS, {R_EXPONENT: "(0 * two_i + 1)"}, ONE_SPEED, TURNED)


r_product = edited(
    "a product instead of a power",
    TURNED,
    {R_ANGLE: "positions.unsqueeze(-1) / (base * (two_i / d_head))"},
    PRODUCT.replace("10000 ·", "base ·").replace("by 10000", "by the base"),
    TURNED,
)


def r_no_brackets(angle: str) -> Mistake:
    """The power is taken before the quotient."""
    return edited(
        "exponent without brackets",
        TURNS,
        {R_ANGLE: angle},
        NO_BRACKETS.replace("d_model", "d_head").replace("10000 **", "base **"),
        TURNED,
    )


r_unbracketed = r_no_brackets("positions.unsqueeze(-1) / (base**two_i / d_head)")
r_unbracketed_left = r_no_brackets("positions.unsqueeze(-1) / base**two_i / d_head")
r_unbracketed_really = r_no_brackets("positions.unsqueeze(-1) / base**two_i")

r_from_one = edited(
    "counted from 1",
    TURNED,
    {"positions.unsqueeze(-1)": "(positions.unsqueeze(-1) + 1)"},
    "Every token is turned one step too far. A token at position 0 stays as it is; `positions` are to be taken as they come. (Scores do not show it, as both sides are off by the same step.)",
)

WRONG_DIMENSION = (
    "You turn along the wrong dimension. The tokens stand in the last dimension but one; your angles change along the one before it, from head to head. Code for (batch, seq_len, num_heads, d_head) has the angles so; here the heads are in front of the tokens, and "
    "angles of shape (seq_len, d_head / 2) fit without a dimension in between."
)
wrong_dimension = edited(
    "turned along the wrong dimension", TURNS, {R_ANGLE: f"({R_ANGLE}).unsqueeze(1)"}, WRONG_DIMENSION, TURNED
)

POSITIONS_ADDED = "You add sines and cosines instead of turning. That is the table of `sinusoidal_encoding`. Here the features of x themselves are multiplied: each pair is a point, and it is turned."
positions_added = edited(
    "added instead of turned", TURNS, {NEW_FIRST: "first + sin", NEW_SECOND: "second + cos"}, POSITIONS_ADDED, TURNED
)

ONLY_COSINE = "The features are multiplied by sines and cosines, and no pair is turned. The first coordinate gets a share of the second and the second a share of the first, that is what turns them."
only_multiplied = edited(
    "features not mixed within their pair",
    TURNS,
    {NEW_FIRST: "first * cos", NEW_SECOND: "second * cos"},
    ONLY_COSINE,
    TURNED,
)
multiplied_by_each = edited(
    "features not mixed within their pair",
    TURNS,
    {NEW_FIRST: "first * sin", NEW_SECOND: "second * cos"},
    ONLY_COSINE,
    TURNED,
)
plus_and_minus = edited(
    "features not mixed within their pair",
    TURNS,
    {NEW_FIRST: "first * cos + first * sin", NEW_SECOND: "second * cos + second * sin"},
    ONLY_COSINE,
    TURNED,
)

R_ODD = "An odd width is not refused. Features are turned in pairs, and of 5 one would be left alone. Whoever asks for that should read so at once: keep the `raise ValueError` that was given."
r_odd = edited("odd width accepted", TURNED, {"if d_head % 2 != 0:": "if False:"}, R_ODD)
r_odd_left = edited(
    "odd width accepted",
    TURNED,
    {
        "if d_head % 2 != 0:": "if False:",
        "torch.arange(0, d_head, 2, device=x.device)": "torch.arange(0, d_head - 1, 2)",
        PAIRS: "first, second = x[..., : d_head // 2 * 2 : 2], x[..., 1::2]",
        FLAT: "torch.cat([turned.flatten(-2), x[..., d_head // 2 * 2 :]], dim=-1)",
    },
    R_ODD,
)

# Attention with rotations ----------------------------------------------------------------------------

QUERY, KEY, VALUE = (f"split_heads(self.{name[0]}_proj({name}), self.num_heads)" for name in ("query", "key", "value"))
TURN_Q = "apply_rotary(q, torch.arange(query.size(1), device=q.device))"
TURN_K = "apply_rotary(k, torch.arange(key.size(1), device=k.device))"
CALL = "scaled_dot_product_attention(q, k, v, mask)"
OUTPUT = "self.out_proj(merge_heads(heads))"

ON_VALUES = "The values are turned as well. Positions decide where a token looks, so they belong into queries and keys. A value that is turned arrives turned: what is read of a token then depends on where it stands, and nothing turns it back."
on_values = edited(
    "values turned too", ATTENTION, {VALUE: f"apply_rotary({VALUE}, torch.arange(value.size(1)))"}, ON_VALUES
)

on_values_before_split = edited(
    "values turned too",
    ATTENTION,
    {"self.v_proj(value)": "apply_rotary(self.v_proj(value), torch.arange(value.size(1)))"},
    ON_VALUES,
)

BEFORE_SPLIT = "You turn before the heads are split. The pairs' frequencies then run over all d_model features: the first head gets the fast ones, the last the slow ones. Each head needs the whole range: split first, then turn."
before_split = edited(
    "turned before the head split",
    ATTENTION,
    {
        "self.q_proj(query)": "apply_rotary(self.q_proj(query), torch.arange(query.size(1)))",
        "self.k_proj(key)": "apply_rotary(self.k_proj(key), torch.arange(key.size(1)))",
        TURN_Q: "q",
        TURN_K: "k",
    },
    BEFORE_SPLIT,
)

before_projection = edited(
    "turned before the projection",
    ATTENTION,
    {
        "self.q_proj(query)": "self.q_proj(apply_rotary(query, torch.arange(query.size(1))))",
        "self.k_proj(key)": "self.k_proj(apply_rotary(key, torch.arange(key.size(1))))",
        TURN_Q: "q",
        TURN_K: "k",
    },
    "You turn the tokens before they are projected. A projection mixes the pairs again, and scores no longer depend on distance alone. Project, split, then turn.",
)

QUERIES_ONLY = "Only the queries are turned. Scores depend on distance because both sides are turned, each by its own position; with one side alone they depend on where the query stands and on nothing else. Turn the keys as well."
queries_only = edited("only the queries turned", ATTENTION, {TURN_K: "k"}, QUERIES_ONLY)
keys_only = edited(
    "only the keys turned",
    ATTENTION,
    {TURN_Q: "q"},
    "Only the keys are turned. Scores depend on distance because both sides are turned, each by its own position; with one side alone they depend on where the key stands. Turn the queries as well.",
)
not_turned = edited(
    "nothing turned",
    ATTENTION,
    {TURN_Q: "q", TURN_K: "k"},
    "Nothing is turned. This is MultiHeadAttention, which cannot tell the first token from the last. Queries and keys go through `apply_rotary` after the head split. (If yours do: turned by the number of the head, both sides turn alike, and nothing comes of it.)",
)

opposite_ways = edited(
    "queries and keys turned opposite ways",
    ATTENTION,
    {TURN_K: "apply_rotary(k, -torch.arange(key.size(1), device=k.device))"},
    "Queries are turned one way and keys the other. A score then depends on the sum of the two positions instead of their distance. Turn both by the same function, each by its own positions.",
)
opposite_ways_queries = edited(
    "queries and keys turned opposite ways",
    ATTENTION,
    {TURN_Q: "apply_rotary(q, -torch.arange(query.size(1), device=q.device))"},
    opposite_ways.says,
)

keys_like_queries = edited(
    "keys counted like the queries",
    ATTENTION,
    {TURN_K: "apply_rotary(k, torch.arange(query.size(1)))"},
    "The keys get the positions of the queries. There may be more keys than queries, and then the sizes do not fit: keys count their own positions, `key.size(1)`.",
)

TOKENS_OF_HEADS = "The positions are counted along the heads. After the split `q` is (batch, num_heads, query_len, d_head): `q.size(1)` is the number of heads, the tokens are `q.size(2)`, or `query.size(1)` as long as they are whole."
positions_of_heads = edited(
    "positions taken from the heads",
    ATTENTION,
    {
        TURN_Q: "apply_rotary(q, torch.arange(q.size(1)))",
        TURN_K: "apply_rotary(k, torch.arange(k.size(1)))",
    },
    TOKENS_OF_HEADS,
)
queries_at_the_end = edited(
    "queries placed at the end of the keys",
    ATTENTION,
    {TURN_Q: "apply_rotary(q, torch.arange(key.size(1) - query.size(1), key.size(1)))"},
    "Your queries count so that the last of them stands where the last key does. That is another convention, useful when keys of earlier tokens are kept (lesson 10). In this module both count from 0, each for itself.",
)

NO_OUT = "There is no output projection. The merged heads lie side by side and nothing ever mixes them. `out_proj` is the last step, as in MultiHeadAttention."
no_out = edited("no output projection", ATTENTION, {OUTPUT: "merge_heads(heads)"}, NO_OUT)
no_out_at_all = edited(
    "no output projection",
    ATTENTION,
    {OUTPUT: "merge_heads(heads)", "self.out_proj = nn.Linear(d_model, d_model)": "pass"},
    NO_OUT,
)

mask_ignored = edited(
    "mask ignored",
    ATTENTION,
    {CALL: "scaled_dot_product_attention(q, k, v)"},
    "The mask is not used. Every token sees padding and future. `scaled_dot_product_attention` takes it as its fourth argument; does yours arrive there?",
)
mask_inverted = edited(
    "mask inverted",
    ATTENTION,
    {CALL: "scaled_dot_product_attention(q, k, v, None if mask is None else ~mask)"},
    'Your mask means the opposite. In this course True says "may look"; you hide exactly what should be seen.',
)

no_scale = edited(
    "no scale",
    ATTENTION,
    {CALL: "scaled_dot_product_attention(q * q.size(-1) ** 0.5, k, v, mask)"},
    "The scores are not divided by √d_head. Turning changes no length, so they need it as much as before. Your `scaled_dot_product_attention` scales; use it, or divide.",
)
by_d_model = edited(
    "scaled by √d_model",
    ATTENTION,
    {CALL: "scaled_dot_product_attention(q / self.num_heads**0.5, k, v, mask)"},
    "The scores are divided by √d_model. Each head compares vectors of d_head features, so it is √d_head: as it stands, all weights are too even. Scale after the split, not before.",
)

SWAPPED = "Key and value have changed places. Keys are what a query is compared with, values are what is taken; they do not come through the same projection. Look at the order of the arguments."
swapped = edited(
    "key and value swapped", ATTENTION, {"self.k_proj(key)": "self.k_proj(value)", "self.v_proj(value)": "self.v_proj(key)"}, SWAPPED
)  # fmt: skip
swapped_projections = edited(
    "key and value swapped", ATTENTION, {"self.k_proj(key)": "self.v_proj(key)", "self.v_proj(value)": "self.k_proj(value)"}, SWAPPED
)  # fmt: skip

self_only = edited(
    "key and value made from the query",
    ATTENTION,
    {
        "self.k_proj(key)": "self.k_proj(query)",
        "self.v_proj(value)": "self.v_proj(query)",
        "key.size(1)": "query.size(1)",
    },
    "Keys and values are made from `query`. That is self-attention and nothing else: whatever is passed as `key` and `value` is never read. `k_proj` reads `key`, `v_proj` reads `value`.",
)
value_from_key = edited(
    "value made from the key",
    ATTENTION,
    {"self.v_proj(value)": "self.v_proj(key)"},
    "The values are made from `key`; the argument `value` is never read. In most calls the two are the same tensor and nobody notices. `v_proj` reads `value`.",
)

averaged = edited(
    "weights averaged over the heads",
    ATTENTION,
    {f"{OUTPUT}, weights": f"{OUTPUT}, weights.mean(dim=1)"},
    "The weights are averaged over the heads. The heads look at different things, and the average shows none of them: return (batch, num_heads, query_len, key_len).",
)
output_alone = edited(
    "weights not returned",
    ATTENTION,
    {f"{OUTPUT}, weights": OUTPUT},
    "Only the output is returned. Attention functions of this course return two things, (output, weights).",
)
nan_row = Mistake(
    "NaN for a query that may look at nothing",
    of=ATTENTION,
    inside="scaled_dot_product_attention",
    swap="weights = weights.masked_fill(~mask, 0.0)",
    by="pass",
    says="A query that may look at nothing becomes NaN. The softmax of a row of -inf is 0 divided by 0, and one such row spoils the whole batch. Set the weights to zero where the mask is False, after the softmax, as your `scaled_dot_product_attention` does.",
)

reads_everything = Mistake(
    "a large negative number instead of -inf",
    of=ATTENTION,
    inside="scaled_dot_product_attention",
    swaps={'float("-inf")': "-1e9", "weights = weights.masked_fill(~mask, 0.0)": "pass"},
    says="Masked scores are filled with a large negative number. As long as a row has anything to look at, that is the same; a row with nothing comes out even, looking at everything that is hidden. "
    "Fill with -inf, and set such rows to zero after the softmax, as your `scaled_dot_product_attention` does.",
)

ODD_HEADS = "A head with an odd number of features is not refused. Features are turned in pairs, and one would be left alone. Keep the `raise ValueError` that was given, or let `apply_rotary` raise its own."
odd_heads = edited(
    "odd heads accepted",
    ATTENTION,
    {
        "if (d_model // num_heads) % 2 != 0:": "if False:",
        TURN_Q: "apply_rotary(q, torch.arange(query.size(1))) if q.size(-1) % 2 == 0 else q",
        TURN_K: "apply_rotary(k, torch.arange(key.size(1))) if k.size(-1) % 2 == 0 else k",
    },
    ODD_HEADS,
)
sizes_accepted = edited(
    "sizes that do not fit are accepted",
    ATTENTION,
    {"if num_heads < 1 or d_model % num_heads != 0:": "if False:"},
    "A width that does not fit is not refused. 10 features cannot be cut into 3 equal slices, and whoever asks for that should read so at once: keep the `raise ValueError` that was given.",
)
