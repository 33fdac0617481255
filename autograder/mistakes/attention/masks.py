"""Wrong masks: causal, for padding, and as torch wants them."""

from autograder.checks.attention import causal_mask, padding_mask, to_torch_mask
from autograder.mistakes.attention.mixing import MASK_IN_PLACE
from autograder.probing.mistake import edit

ONES = "torch.ones(seq_len, seq_len, dtype=torch.bool)"

causal_mask.mistake(
    "inverted",
    'Your mask is True where a query may not look. In this course True means "may look". In nn.MultiheadAttention True means the opposite, and code '
    "from elsewhere often follows it.",
    {".tril()": ".triu(1)"},
    {".tril()": ".tril().logical_not()"},
)

causal_mask.mistake(
    "looks at the future",
    "Your mask lets every token look at itself and at what comes after it. Rows ask and columns are read: query i may look at key j where j <= i, which "
    "is the lower triangle.",
    {".tril()": ".triu()"},
    {".tril()": ".tril().T"},
)

causal_mask.mistake(
    "excludes itself",
    "In your mask a token may not look at itself. Then the first token has nothing at all to look at. The diagonal belongs to the "
    "triangle: j <= i, not j < i.",
    {".tril()": ".tril(-1)"},
    {"    return ": "    return ~torch.eye(seq_len, dtype=torch.bool) & "},
)

causal_mask.mistake(
    "sees the next token",
    "Your mask lets every token look at the next one. In a model that predicts the next token, that token is the answer: the training loss would fall "
    "fast, and nothing would be learned. Keep j <= i, without an offset.",
    {".tril()": ".tril(1)"},
    {".tril()": f".tril().logical_or({ONES}.tril(1).triu(1))"},
    edit(
        {".tril()": ".tril(2)"},
        says="Your mask lets every token look at the next two. In a model that predicts the next token, these are the answers: the training loss would fall fast, and nothing would be learned. Keep j <= i, without an offset.",
    ),
)

causal_mask.mistake(
    "hides nothing",
    "Your mask is True everywhere. The square of ones is only the beginning: keep its lower triangle.",
    {".tril()": ".tril(seq_len)"},
)

# `.tril(0)`, and not `.tril()`: a mask that hides nothing is then not tried together with one that hides more.
causal_mask.mistake(
    "hides what came before",
    "Your mask hides some of what came before. A query may look at everything from the first token up to itself: j <= i, and nothing else is asked of j.",
    *(
        edit(
            {".tril()": seen}, says=f"{says} A query may look at everything from the first token up to itself: j <= i."
        )
        for seen, says in (
            (".tril(0).triu()", "Your mask lets every token look at itself alone."),
            (".tril(0).triu(-1)", "Your mask lets every token look at itself and at one token before it, no further."),
            (".tril(0).triu(-2)", "Your mask lets every token look at itself and at two tokens before it, no further."),
            (".tril(-2)", "Your mask hides the token itself and the one before it."),
            (
                ".tril(0).logical_and(torch.arange(seq_len) != 0)",
                "Your mask hides the first token from all, from itself too.",
            ),
            (".tril(0).logical_and(torch.arange(seq_len) == 0)", "Your mask shows the first token alone, to all."),
        )
    ),
)

causal_mask.mistake(
    "only itself hidden",
    "Your mask is False on its diagonal alone: every token looks at all others, those that come later among them. Query i may look at key j where j <= i, not where j != i.",
    {".tril()": ".logical_and(~torch.eye(seq_len, dtype=torch.bool))"},
)

causal_mask.mistake(
    "turned round",
    "Your mask is turned round: it stands upside down, or left and right are exchanged. Row 0 belongs to the first query, which sees the first key alone, and the last row is True everywhere.",
    {".tril()": ".tril().flip(0)"},
    {".tril()": ".tril().flip(1)"},
)

causal_mask.mistake(
    "another size",
    "Your mask is of another size than (seq_len, seq_len). It has a row and a column for each token, seq_len of both.",
    *(
        edit(
            {"    return ": f"    seq_len = {size}\n    return "},
            says=f"{says} It has a row and a column for each token, seq_len of both.",
        )
        for size, says in (
            ("seq_len + 1", "Your mask has one row and one column too many."),
            (
                "seq_len - 1",
                "Your mask has one row and one column too few. Does a range end before seq_len, or begin at 1?",
            ),
            *((str(size), f"Your mask always has {size} rows and columns, whatever seq_len is.") for size in (3, 4, 5)),
        )
    ),
)

causal_mask.mistake(
    "a list instead of a tensor",
    "A list comes back. One tensor is promised, which can be inverted with `~` and joined with another mask by `&`: put the list into `torch.tensor(...)`.",
    {".tril()": ".tril().tolist()"},
)

causal_mask.mistake(
    "only the first row filled",
    "Only the first token may look, at itself. All other rows of your mask are empty. If you fill it in a loop: does `return` stand inside the loop, so that it ends after the first round?",
    {".tril()": ".tril().logical_and((torch.arange(seq_len) == 0)[:, None])"},
)

causal_mask.mistake(
    "a query sees nothing",
    "One row of your mask is empty, the first or the last. Every token may look at itself at least. If you fill the mask in a loop, look at where the loop begins and where it ends.",
    {".tril()": ".tril().logical_and((torch.arange(seq_len) != 0)[:, None])"},
    {".tril()": ".tril().logical_and((torch.arange(seq_len) != seq_len - 1)[:, None])"},
)

causal_mask.mistake(
    "numbers instead of booleans",
    "Your mask holds numbers, not booleans. `~mask` raises an error for floats and gives -1 and -2 for whole numbers, and a mask of numbers is "
    "often added to the scores. Give "
    "`dtype=torch.bool` to the square of ones, or compare.",
    {"dtype=torch.bool": "dtype=torch.float"},
    {"dtype=torch.bool": "dtype=torch.long"},
    # After all else, so that it goes together with what needs booleans.
    {".tril()": ".tril().float()"},
    {".tril()": ".tril().long()"},
)

causal_mask.mistake(
    "0 and -inf instead of booleans",
    "Your mask is made to be added to scores: it holds 0 and -inf. PyTorch takes such masks too, and its own helper for causal masks makes them. "
    'In this course a mask is boolean and True means "may look".',
    {f"{ONES}.tril()": 'torch.full((seq_len, seq_len), float("-inf")).triu(1)'},
    {f"{ONES}.tril()": "torch.full((seq_len, seq_len), -1e9).triu(1)"},
    {".tril()": ".tril().log()"},  # of True and False 0 and -inf
)

causal_mask.mistake(
    "dimensions too many",
    "Your mask has dimensions in front for batch and heads. They are not needed: a mask of shape (seq_len, seq_len) broadcasts to both, and it also "
    "fits without batch and heads.",
    {"torch.ones(seq_len": "torch.ones(1, 1, seq_len"},
    {"torch.ones(seq_len": "torch.ones(1, seq_len"},
    {".tril()": ".tril()[None, None]"},
    {".tril()": ".tril()[None]"},
)

REAL = "token_ids != pad_id"
LINED_UP = "real[:, None, None, :]"

padding_mask.mistake(
    "inverted",
    'Your mask is True at the padding. In this course True means "may look", so it is True at the real tokens. In the `key_padding_mask` of '
    "nn.MultiheadAttention True means the opposite.",
    {"token_ids !=": "token_ids =="},
)

padding_mask.mistake(
    "dimensions missing",
    "Your mask has shape (batch, key_len). Broadcasting lines up the last dimensions, so against scores of shape (batch, heads, query_len, "
    "key_len) the batch would be taken for the queries. Put two dimensions of size 1 in between: (batch, 1, 1, key_len).",
    {LINED_UP: "real"},
    edit(
        {LINED_UP: "real[:, None, :]"},
        says="Your mask has shape (batch, 1, key_len). Against scores of shape (batch, heads, query_len, key_len) the batch would be taken for the heads. "
        "Two dimensions of size 1 are needed: (batch, 1, 1, key_len).",
    ),
)

padding_mask.mistake(
    "over queries",
    "Your mask lies along the queries: shape (batch, 1, key_len, 1). It would stop padding from asking and let every query read it. The keys have to be "
    "hidden, the last dimension.",
    {LINED_UP: "real[:, None, :, None]"},
)

padding_mask.mistake(
    "queries hidden as well",
    "Your mask hides padded keys and padded queries. What a padded position computes is thrown away later, so it may look at anything, and the mask has "
    "to serve queries of another sequence too. Only keys are hidden: (batch, 1, 1, key_len).",
    {LINED_UP: "real[:, None, None, :] * real[:, None, :, None]"},
)

padding_mask.mistake(
    "expanded to all queries",
    "Your mask has a row for every key of its own sequence. The queries may belong to another sequence of another length, as they do in the decoder. "
    "Leave that dimension at size 1 and let it broadcast.",
    {LINED_UP: "real[:, None, None, :].expand(-1, 1, real.size(1), -1)"},
    edit(
        {LINED_UP: "real[:, None, :].expand(-1, real.size(1), -1)"},
        says="Your mask has shape (batch, key_len, key_len): a row for every key, and no dimension for the heads. The queries may belong to another "
        "sequence, of another length. Two dimensions of size 1 broadcast to both: (batch, 1, 1, key_len).",
    ),
)

padding_mask.mistake(
    "dimensions in front",
    "Your dimensions of size 1 stand in front: (1, 1, batch, key_len). Then the batch is taken for the queries. They belong between "
    "batch and keys: (batch, 1, 1, key_len).",
    {LINED_UP: "real[None, None]"},
    edit(
        {LINED_UP: "real[None, :, None]"},
        says="One dimension of size 1 stands in front: (1, batch, 1, key_len). Then the batch is taken for the heads. Both belong between batch and keys: (batch, 1, 1, key_len).",
    ),
)

padding_mask.mistake(
    "causal mask built in",
    "Your mask hides what comes later, too. Here only padding is hidden, for every query alike: (batch, 1, 1, key_len). Where both are wanted, the two masks are joined by `&`; an encoder wants padding alone.",
    {LINED_UP: "real[:, None, None, :] & torch.ones(real.size(1), real.size(1), dtype=torch.bool).tril()"},
)

padding_mask.mistake(
    "dimensions behind",
    "Your dimensions of size 1 stand behind: (batch, key_len, 1, 1). Then the keys are taken for the heads. They belong between "
    "batch and keys: (batch, 1, 1, key_len).",
    {LINED_UP: "real[:, :, None, None]"},
)

padding_mask.mistake(
    "pad_id not used",
    "Your pad_id is a fixed 0. The function takes it as an argument: another vocabulary has another id for padding, and there 0 is a token.",
    {" pad_id  #": " 0  #"},
    edit(
        {REAL: "token_ids > 0"},
        says="Your pad_id is not used: you take every id above 0 for a token. The function takes the id of padding as an argument, and in another vocabulary 0 is a token.",
    ),
    edit(
        {" pad_id  #": " 1  #"},
        says="Your pad_id is a fixed 1. The function takes it as an argument: another vocabulary has another id for padding, and there 1 is a token.",
    ),
)

padding_mask.mistake(
    "> instead of !=",
    "You hide every id up to pad_id. Ids below pad_id are real tokens; only pad_id itself is padding. The mistake does not show while pad_id is 0.",
    {REAL: "token_ids > pad_id"},
)

padding_mask.mistake(
    "numbers instead of booleans",
    "Your mask holds numbers, not booleans. A comparison gives booleans by itself, and `~` needs them: leave out the `.float()` or `.int()`.",
    {"    return ": "    real = real.float()\n    return "},
    {"    return ": "    real = real.long()\n    return "},
)

LARGE_NUMBER = (
    "Your mask is made to be added to scores: it holds 0 and a large negative number. "
    'In this course a mask is boolean and True means "may look".'
)
padding_mask.mistake(
    "0 and -inf instead of booleans",
    'Your mask is made to be added to scores: it holds 0 and -inf. In this course a mask is boolean and True means "may look".',
    {REAL: 'torch.zeros(token_ids.shape).masked_fill(token_ids == pad_id, float("-inf"))'},
    edit({REAL: "(token_ids == pad_id) * -1e9"}, says=LARGE_NUMBER),
    edit({REAL: "(token_ids == pad_id) * torch.finfo(torch.float32).min"}, says=LARGE_NUMBER),
)

padding_mask.mistake(
    "padding only at the end",
    "You count the real tokens and take that many from the left. Padding may also stand at the beginning: many models that write text pad on the left. "
    "Compare each id by itself.",
    {REAL: "torch.arange(token_ids.size(1)) < (token_ids != pad_id).sum(1, keepdim=True)"},
    edit(
        {REAL: "(token_ids == pad_id).cumsum(1) == 0"},
        says="You hide everything from the first padding on. Padding may also stand at the beginning: many models that write text pad on the left. Compare each id by itself.",
    ),
    edit(
        {REAL: "(token_ids != pad_id).flip(1).cumsum(1).flip(1) > 0"},
        says="You hide padding at the end of a row only. It may also stand at the beginning, or in between: many models that write text pad on the left. Compare each id by itself.",
    ),
)

ONE_SEQUENCE = (
    "The sequences of a batch are padded differently, so each needs a mask of its own: (batch, 1, 1, key_len)."
)
padding_mask.mistake(
    "first sequence's mask for all",
    f"Every sequence gets the first sequence's mask. {ONE_SEQUENCE}",
    {"    return ": "    real = real[:1].expand_as(real)\n    return "},
    edit(
        {"    return ": "    real = real[:1]\n    return "},
        says=f"Your mask holds the first sequence alone. {ONE_SEQUENCE} If you go through them in a loop, `return` stands after it.",
    ),
    edit(
        {"    return ": "    real = real.any(0, keepdim=True)\n    return "},
        says=f"All sequences get one mask, which shows a key where any of them has a real token. {ONE_SEQUENCE}",
    ),
)

padding_mask.mistake(
    "hides nothing",
    "Your mask is True everywhere. Each id is to be compared with pad_id, by `!=`; `is not` asks whether two names stand for one and the same object.",
    {REAL: "torch.ones_like(token_ids, dtype=torch.bool)"},
)

padding_mask.mistake(
    "a key is left out",
    "Your mask is one key short: the first or the last id is missing. It has to hold all key_len of them, or it does not fit the scores.",
    {"    return ": "    real = real[:, :-1]\n    return "},
    {"    return ": "    real = real[:, 1:]\n    return "},
)

padding_mask.mistake(
    "a list instead of a tensor",
    "A list comes back. One tensor is promised, which can be joined with another mask by `&`: put the list into `torch.tensor(...)`.",
    {LINED_UP: f"{LINED_UP}.tolist()"},
)

padding_mask.mistake(
    "writes into the ids",
    "Your code writes into the ids it was given. The caller still needs them: the same ids go into the embedding. `token_ids.ne_(pad_id)` and `token_ids[...] = ...` do this; `token_ids != pad_id` makes a new tensor.",
    {REAL: "token_ids.ne_(pad_id).bool()"},
)

padding_mask.mistake(
    "ids of another form are not refused",
    "Ids that are not one row per sequence are not refused. With a dimension more or less the mask has another shape, which may fit the scores and hide the wrong keys. Raise a ValueError, as the given lines did.",
    {"if token_ids.dim() != 2:": "if False:"},
    {"if token_ids.dim() != 2:": "if token_ids.dim() < 2:"},
    {"if token_ids.dim() != 2:": "if token_ids.dim() > 2:"},
)

# For torch ----------------------------------------------------------------------------

EXPANDED = "mask.expand(-1, num_heads, -1, -1)"
INVERTED_HEADS = "~per_head"
JOINED = ".flatten(0, 1)"

to_torch_mask.mistake(
    "not inverted",
    'Your mask still means "may look" by True. nn.MultiheadAttention takes True for "may not look". It would raise no error and read exactly what '
    "should be hidden. Invert it with `~`.",
    {INVERTED_HEADS: "per_head"},
    edit(
        {INVERTED_HEADS: "(~per_head if mask.size(1) == 1 else per_head)"},
        says="Your mask is inverted only where one mask serves all heads. A mask that has num_heads heads already means the opposite too: invert it in both cases.",
    ),
    edit(
        {INVERTED_HEADS: "(per_head if mask.size(1) == 1 else ~per_head)"},
        says="Your mask is inverted only where every head has a mask of its own. A mask that serves all heads is not inverted, or is inverted twice, which gives what it was. Invert once, in both cases.",
    ),
)

to_torch_mask.mistake(
    "heads not repeated",
    "Your mask is there once for each sequence, not once for each head. nn.MultiheadAttention needs batch · num_heads masks: expand the second "
    "dimension before you join it with the first.",
    {EXPANDED: "mask"},
    {EXPANDED: "mask", JOINED: ".squeeze(1)"},
)

to_torch_mask.mistake(
    "heads before batch",
    "Your masks are in the wrong order: the heads come first and the batch inside them. nn.MultiheadAttention expects all heads of the first sequence, "
    "then all heads of the second. In your order sequences get each other's masks, and no error shows it.",
    {JOINED: ".transpose(0, 1).flatten(0, 1)"},
    {EXPANDED: "mask.repeat(num_heads // mask.size(1), 1, 1, 1)"},
    {EXPANDED: "mask.repeat(num_heads, 1, 1, 1)"},
    {EXPANDED: "mask.squeeze(1).repeat(num_heads, 1, 1)", JOINED: ""},
)

to_torch_mask.mistake(
    "four dimensions left",
    "Your mask has four dimensions. nn.MultiheadAttention expects three, with batch and heads in one: `flatten(0, 1)`.",
    {JOINED: ""},
)

to_torch_mask.mistake(
    "0 and -inf instead of booleans",
    "Your mask is made to be added to scores: it holds 0 and -inf. nn.MultiheadAttention takes such masks too, but here a boolean mask is asked for, "
    "True where a query may not look.",
    {
        "~per_head.flatten(0, 1)": 'torch.zeros(per_head.flatten(0, 1).shape).masked_fill(~per_head.flatten(0, 1), float("-inf"))'
    },
)

to_torch_mask.mistake(
    "numbers instead of booleans",
    "Your mask holds numbers, not booleans. nn.MultiheadAttention adds a mask of numbers to the scores: a score rises by 1 where nothing may be read, "
    "and nothing is hidden. `~` inverts a boolean mask and leaves it boolean.",
    {"~per_head.flatten(0, 1)": "(~per_head.flatten(0, 1)).float()"},
    {"~per_head.flatten(0, 1)": "(~per_head.flatten(0, 1)).long()"},
)

to_torch_mask.mistake(
    "first head's mask for all",
    "Every head gets the first head's mask. Where the mask holds a mask for every head, each head keeps its own; only a dimension of size 1 is expanded.",
    {"    per_head = ": "    mask = mask[:, :1].expand_as(mask)\n    per_head = "},
)

to_torch_mask.mistake(
    "one mask for all heads",
    "All heads get one and the same mask. Where the mask holds a mask for every head, each head keeps its own; only a dimension of size 1 is expanded.",
    *(
        {"    per_head = ": f"    mask = mask{one}.expand_as(mask)\n    per_head = "}
        for one in (".any(1, keepdim=True)", ".all(1, keepdim=True)", "[:, -1:]")
    ),
)

to_torch_mask.mistake(
    "heads joined with queries",
    "The heads share a dimension with the queries. They share one with the batch: the first dimension has batch · num_heads masks, each with one row for each query. Look at which two dimensions you "
    "join, and along which you repeat.",
    {JOINED: ".flatten(1, 2)"},
    {EXPANDED: "mask.repeat(1, 1, num_heads, 1)"},
    {EXPANDED: "(mask.repeat(1, 1, num_heads, 1) if mask.size(1) == 1 else mask)"},
)

to_torch_mask.mistake(
    "first sequence's mask for all",
    "Every sequence gets the first sequence's mask. Sequences of a batch are padded differently, so each needs its own mask.",
    {"    per_head = ": "    mask = mask[:1].expand_as(mask)\n    per_head = "},
)

to_torch_mask.mistake(
    "heads' own masks repeated",
    "A mask that already has num_heads heads is repeated again. Only a second dimension of size 1 needs copies; `expand` leaves any other size alone.",
    {EXPANDED: "mask.repeat_interleave(num_heads, dim=1)"},
    {EXPANDED: "mask.repeat(1, num_heads, 1, 1)"},
    {EXPANDED: "mask.repeat_interleave(num_heads, dim=0)", JOINED: ".squeeze(1)"},
)

to_torch_mask.mistake(
    "queries and keys exchanged",
    "Your mask has keys in rows and queries in columns. This course and PyTorch agree here: queries in rows, keys in columns.",
    {JOINED: ".flatten(0, 1).transpose(-2, -1)"},
)

to_torch_mask.mistake(
    "writes into the mask",
    MASK_IN_PLACE,
    {EXPANDED: "mask.logical_not_().expand(-1, num_heads, -1, -1)", INVERTED_HEADS: "per_head"},
    # What was repeated is a copy, and only a mask that has all its heads is written into.
    {
        EXPANDED: "(mask.repeat(1, num_heads, 1, 1) if mask.size(1) == 1 else mask)",
        INVERTED_HEADS: "per_head.logical_not_()",
    },
)

to_torch_mask.mistake(
    "masks are left out",
    "Not every sequence and head has its mask. batch · num_heads masks are asked for, one for every head of every sequence: look at where your loops begin and end.",
    *(
        edit(
            {"    return ": f"    per_head = {kept}\n    return "},
            says=f"{says} batch · num_heads masks are asked for, one for every head of every sequence. {where}",
        )
        for kept, says, where in (
            (
                "torch.stack(per_head.unbind(1)[:-1], 1)",
                "The last head of every sequence has no mask.",
                "Look at where your loop ends.",
            ),
            (
                "torch.stack(per_head.unbind(1)[1:], 1)",
                "The first head of every sequence has no mask.",
                "Look at where your loop begins.",
            ),
            ("torch.stack(per_head.unbind()[:-1])", "The last sequence has no masks.", "Look at where your loop ends."),
            (
                "torch.stack(per_head.unbind()[1:])",
                "The first sequence has no masks.",
                "Look at where your loop begins.",
            ),
            (
                "per_head[:1]",
                "The first sequence alone has masks.",
                "If there is a loop over sequences, `return` stands after it.",
            ),
        )
    ),
)

to_torch_mask.mistake(
    "a list instead of a tensor",
    "A list comes back. nn.MultiheadAttention needs one tensor with batch · num_heads masks: `torch.stack` makes one of single masks.",
    {"~per_head.flatten(0, 1)": "list(~per_head.flatten(0, 1))"},
    {"~per_head.flatten(0, 1)": "(~per_head.flatten(0, 1)).tolist()"},
)

NOT_REFUSED = "{} is not refused. Another error comes later and says less, or none, and heads get each other's masks. Raise a ValueError, as the given lines did."
to_torch_mask.mistake(
    "masks that do not fit are not refused",
    NOT_REFUSED.format("A mask of three dimensions, or of a number of heads that does not fit,"),
    *(
        edit({"if mask.dim() != 4 or mask.size(1) not in (1, num_heads):": line}, says=NOT_REFUSED.format(what))
        for line, what in (
            ("if False:", "A mask of three dimensions, or of a number of heads that does not fit,"),
            ("if mask.dim() == 4 and mask.size(1) not in (1, num_heads):", "A mask of three dimensions"),
            ("if mask.size(1) not in (1, num_heads):", "A mask of three dimensions"),
            ("if mask.dim() != 4:", "A number of heads that is neither 1 nor num_heads"),
        )
    ),
)
