"""Wrong ways of the module that adds the table."""

from autograder.checks.positional_encoding import positional_encoding
from autograder.mistakes.positional_encoding.tables import FLOAT64, ROWS
from autograder.probing.mistake import edit

REGISTER = 'self.register_buffer("table", sinusoidal_encoding(max_len, d_model))'
SUM, DROPPED = "x + positions", "return self.dropout("
REFUSES_LONG, PLACES = "if start < 0 or end > len(self.table):", "len(self.table)\n"

positional_encoding.mistake(
    "a parameter instead of a buffer",
    "Your table is a parameter. An optimizer takes it for something to be learned and changes it, and even when frozen it counts among the model's parameters. Nothing about sinusoids is learned: `register_buffer` keeps a tensor with the module without making it a parameter.",
    {REGISTER: "self.table = nn.Parameter(sinusoidal_encoding(max_len, d_model))"},
    {REGISTER: "self.table = nn.Parameter(sinusoidal_encoding(max_len, d_model), requires_grad=False)"},
    {REGISTER: "self.table = nn.Parameter(torch.zeros(max_len, d_model))"},
    # Under a name of its own, with the given lines changed to fit.
    *(
        {
            REGISTER: f"self.{name} = nn.Parameter(sinusoidal_encoding(max_len, d_model), requires_grad={learned})",
            REFUSES_LONG: f"if start < 0 or end > len(self.{name}):",
            PLACES: f"len(self.{name})\n",
            ROWS: f"self.{name}[start:end]",
        }
        for name in ("pe", "encoding")
        for learned in (True, False)
    ),
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
    edit(
        {ROWS: "self.table[:end]"},
        says="The slice does not begin at `start`. It has all rows from position 0 up to the last one that is needed, and where `start` is not 0 these are more rows than tokens. The rows run from `start` up to `end`.",
    ),
)

positional_encoding.mistake(
    "the last rows added",
    "You add the last rows of the table. A negative index counts from the end, so the first token gets another vector in every longer or shorter sentence. The rows run from `start` up to `end`.",
    {ROWS: "self.table[-x.size(1) :]"},
)

BACKWARDS = "The vectors are in the opposite order. The last token gets the first of them, so the vector of a token changes with every token that follows it. Positions count from the first token on."
positional_encoding.mistake(
    "rows in the opposite order",
    BACKWARDS,
    {ROWS: "self.table[start:end].flip(0)"},
)

positional_encoding.mistake(
    "the end without start",
    "The slice ends at the number of tokens, not at the last position. Rows from `start` on end at `start + x.size(1)`; your slice has too few rows, or a single row, which every token then gets, or no row. The given lines compute `end`.",
    {ROWS: "self.table[start : x.size(1)]"},
    {ROWS: "self.table[torch.arange(start, x.size(1))]"},
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

NOTHING = "Nothing is added. The tokens come back as they were."
positional_encoding.mistake(
    "nothing added",
    f"{NOTHING} Add the rows of the table to them.",
    {SUM: "x"},
    *(
        edit(
            {"sinusoidal_encoding(max_len, d_model)": zeros},
            says="Your table is full of zeros, so nothing is added. `sinusoidal_encoding` makes it.",
        )
        for zeros in ("torch.zeros(max_len, d_model)", "torch.zeros_like(sinusoidal_encoding(max_len, d_model))")
    ),
)

SUBTRACTED = "The vector of the position is subtracted from the token. The paper adds the two."
positional_encoding.mistake(
    "subtracted instead of added",
    SUBTRACTED,
    {SUM: "x - positions"},
)

positional_encoding.mistake(
    "another default",
    "Your constructor has another default than the one that was given. There are 5,000 positions and no dropout unless the caller asks for something else. Leave the first line of `__init__` as it is.",
    *(
        edit(
            {"max_len: int = 5000": f"max_len: int = {length}"},
            says=f"Your table has {length:,} positions where nothing else is asked for; the line that was given says 5,000. Leave it as it is.",
        )
        for length in (500, 512, 1000)
    ),
    *(
        edit(
            {"dropout: float = 0.0": f"dropout: float = {share}"},
            says=f"Your dropout is {share} where none is asked for; the line that was given says 0.0. Leave it as it is.",
        )
        for share in (0.1, 0.5)
    ),
    edit(
        {"start: int = 0": "start: int = 1"},
        says="Your first token stands at position 1 where no `start` is given; the line that was given says 0. Leave it as it is.",
    ),
)

positional_encoding.mistake(
    "dropout of its own",
    "The share that is dropped is not the one that was asked for. `dropout` is an argument of the constructor: `nn.Dropout(dropout)`.",
    *({"nn.Dropout(dropout)": f"nn.Dropout({share})"} for share in ("", "0.1")),
    edit(
        {"nn.Dropout(dropout)": "nn.Dropout(1 - dropout)"},
        says="What should be kept is dropped. `nn.Dropout` takes the share that is set to zero: `nn.Dropout(dropout)`.",
    ),
)

SQUEEZED = "A dimension of size 1 is gone from your result. `squeeze` takes away the batch of one sequence, or the tokens where there is one. The sums have the shape of x."
positional_encoding.mistake(
    "a dimension of size 1 lost",
    SQUEEZED,
    *({f"{DROPPED}{SUM})": f"{DROPPED}{SUM}).squeeze({where})"} for where in ("", "0")),
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
    "dropout twice",
    "Dropout acts twice. It acts on the sum, as it should, and once more on the sum or on what is added: more is set to zero than `dropout` says, and what is left is scaled up twice. Add, drop once, and return.",
    {SUM: "self.dropout(x + positions)"},
    {SUM: "self.dropout(x) + positions"},
    {SUM: "x + self.dropout(positions)"},
    {SUM: "self.dropout(x) + self.dropout(positions)"},
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
    {SUM: "x.add_(positions).clone()"},
)

TOKENS_CUT = "No gradient reaches the tokens. Something cuts them off (`detach`, `.data`, `no_grad`), so the embedding that made them would never learn. Add to `x` as it comes."
positional_encoding.mistake(
    "tokens cut off from the gradient",
    TOKENS_CUT,
    {SUM: "x.detach() + positions"},
)

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
    *(
        edit(
            {REFUSES_LONG: "if start < 0 or x.size(1) > len(self.table):", ROWS: rows},
            says="Only the number of tokens is compared with the table, and `start` is left out. From `start` on there may be too few rows for a short sentence, too: the last position is `start + x.size(1) - 1`. The given lines compare `end`.",
        )
        for rows in (ROWS, "self.table[torch.arange(start, end)]")
    ),
)

positional_encoding.mistake(
    "a negative start accepted",
    "A negative `start` is not refused. In Python, an index of -1 is the last row, so the first token would get the vector of the last position, without an error, or a slice would be empty. Keep `start < 0` in the given lines.",
    {REFUSES_LONG: "if end > len(self.table):"},
    {REFUSES_LONG: "if end > len(self.table):", ROWS: "self.table[torch.arange(start, end)]"},
    {REFUSES_LONG: "if end > len(self.table):", ROWS: "self.table.index_select(0, torch.arange(start, end))"},
)

LAST_REFUSED = "The last position is refused. There are max_len positions, and the last of them has a vector, too: as many tokens as positions fit. Compare with `>`, not with `>=`."
positional_encoding.mistake(
    "the last position refused",
    LAST_REFUSED,
    {REFUSES_LONG: "if start < 0 or end >= len(self.table):"},
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
