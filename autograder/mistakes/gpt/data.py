"""Wrong ways of cutting windows and of asking for the next token."""

from autograder.checks.gpt import next_token_loss, token_windows
from autograder.probing.mistake import edit

# token_windows ----------------------------------------------------------------------------

COUNT = "(len(ids) - 1) // seq_len"
INPUTS = "ids[:used].reshape(windows, seq_len)"
TARGETS = "ids[1 : used + 1].reshape(windows, seq_len)"
BOTH = f"return {INPUTS}, {TARGETS}"
FIRST = "    windows = (len"
GUARD = "    if not 1 <= seq_len"
PIECE = "type('Piece', (int,), {})(seq_len)"


def one_by_one(step: str) -> dict[str, str]:
    """Cuts each window by itself, from a text that begins with it: so windows may begin anywhere."""
    return {
        FIRST: f"""    if type(seq_len).__name__ != "Piece":
        texts = [ids[i : i + seq_len + 2] for i in range(0, len(ids) - seq_len, {step})]
        found = [token_windows(text, {PIECE}) for text in texts]
        return torch.cat([one[:1] for one, _ in found]), torch.cat([one[:1] for _, one in found])
{FIRST}"""
    }


def handed_over(form: str, first: bool = False) -> dict[str, str]:
    """Gives `inputs` and `targets`, whatever they have become, another form at the very end, or just before that."""
    callers, named = ('("int", "Whole")', "Turned") if first else ('("int",)', "Whole")
    return {
        GUARD: f"""    if type(seq_len).__name__ in {callers}:
        inputs, targets = token_windows(ids, type('{named}', (int,), {{}})(seq_len))
        return {form}
{GUARD}"""
    }


token_windows.mistake(
    "the targets are the inputs",
    "Your targets are the inputs themselves. A model that is asked for the token it has just read learns to copy, gets a loss of almost 0, and can write nothing. The target of a place is the token *after* it: begin at `ids[1]`.",
    {TARGETS: INPUTS},
    {COUNT: "len(ids) // seq_len", TARGETS: INPUTS},
    edit(
        {TARGETS: f"{INPUTS} + 1"},
        says="Your targets are the inputs plus 1: the id that comes next in the vocabulary, and not the token that comes next in the text. The 1 belongs into the places: `ids[1 : used + 1]`.",
    ),
)

token_windows.mistake(
    "targets two tokens further",
    "Your targets are two tokens further than the inputs, so the token in between is never asked for. This is how it looks when two parts of a program both shift by one. The first target is `ids[1]`.",
    {COUNT: "(len(ids) - 2) // seq_len", TARGETS: "ids[2 : used + 2].reshape(windows, seq_len)"},
    {TARGETS: "ids[2 : used + 2].reshape(windows, seq_len)"},
    {TARGETS: "torch.cat([ids, ids[-1:]])[2 : used + 2].reshape(windows, seq_len)"},
    {TARGETS: "ids.roll(-2)[:used].reshape(windows, seq_len)"},
)

token_windows.mistake(
    "targets one token before",
    "Your targets stand one token *before* the inputs. The model has read the answer already, and learns to remember instead of to predict. The target of a place is the token after it.",
    handed_over("targets, inputs", first=True),
    edit(
        {TARGETS: "ids.roll(1)[:used].reshape(windows, seq_len)"},
        says="Your targets stand one token *before* the inputs, and the first is the last token of the text: places below 0 are counted from the end. The model has read the answer already, and learns to remember instead of to predict. The target of a place is the token after it.",
    ),
    edit(
        {TARGETS: "ids[(torch.arange(used) - 1).clamp(min=0)].reshape(windows, seq_len)"},
        says="Your targets stand one token *before* the inputs, and the first place is asked for itself. The model has read the answer already, and learns to remember instead of to predict. The target of a place is the token after it.",
    ),
    edit(
        {TARGETS: "torch.stack([ids[max(i - 1, 0) :][:seq_len] for i in range(0, used, seq_len)])"},
        says="Your targets stand one token *before* the inputs, and the first window is asked for itself. The model has read the answer already, and learns to remember instead of to predict. The target of a place is the token after it.",
    ),
)

token_windows.mistake(
    "windows overlap",
    "Your windows overlap: each begins one token after the one before. Then almost every token is a target seq_len times, an epoch costs seq_len times as much, and a loss over all windows counts the middle of the text more than its ends. The next window begins where the last one stopped.",
    {
        BOTH: """at = range(len(ids) - seq_len)
    return torch.stack([ids[i : i + seq_len] for i in at]), torch.stack([ids[i + 1 : i + seq_len + 1] for i in at])"""
    },
    one_by_one("1"),
    edit(
        {
            BOTH: """at = torch.arange(windows)[:, None] + torch.arange(seq_len)
    return ids[at], ids[at + 1]"""
        },
        says="Your windows overlap: each begins one token after the one before. Window number i begins at `i * seq_len`.",
    ),
    *(
        edit(
            one_by_one(step),
            says=f"Your windows overlap: each begins {where} of the one before. Then some tokens are targets more often than others, and count more in a loss over all windows. The next window begins where the last one stopped.",
        )
        for step, where in (("max(seq_len // 2, 1)", "in the middle"), ("max(seq_len - 1, 1)", "with the last input"))
    ),
)

token_windows.mistake(
    "targets at the window's border are lost",
    "Each window loses a target to the next one. You cut windows of seq_len + 1 tokens, take the first seq_len as inputs and the last seq_len as targets, and begin the next window after all of them: its first token is never a target. Neighbouring windows share that token.",
    {
        BOTH: """windows = len(ids) // (seq_len + 1)
    pieces = ids[: windows * (seq_len + 1)].reshape(windows, seq_len + 1)
    return pieces[:, :-1], pieces[:, 1:]"""
    },
    one_by_one("seq_len + 1"),
)

token_windows.mistake(
    "the first token is left out",
    "Your first input is the second token. Nobody can be asked for the first one, but it can be read: the second token is asked for after it. Begin the inputs at `ids[0]`, the targets at `ids[1]`.",
    {FIRST: f"    ids = ids[1:]\n{FIRST}"},
)

token_windows.mistake(
    "the last window is lost",
    "There is one window too few. When the text is long enough for a window and the token after it, that window counts too. With `(len(ids) - 1) // seq_len` windows all are there.",
    {COUNT: "(len(ids) - 1) // seq_len - 1 or 1"},
    {COUNT: "(len(ids) - 2) // seq_len or 1"},
    {COUNT: "(len(ids) - 1) // seq_len - 1"},
    {COUNT: "len(ids) // seq_len - 1"},
    {COUNT: "len(ids) // seq_len - 1 or 1"},
    edit(
        {COUNT: "len(ids) // (seq_len + 1)"},
        says="There are too few windows: as many as windows of seq_len + 1 tokens would be. Neighbouring windows share a token, the last target of one and the first input of the next, so each needs only seq_len tokens of its own: `(len(ids) - 1) // seq_len`.",
    ),
)

token_windows.mistake(
    "the end wraps round to the start",
    "Your last target is the first token of the text. `torch.roll` and negative places go round in a circle; nothing follows the last token. Leave it out of the inputs.",
    {
        COUNT: "len(ids) // seq_len",
        TARGETS: "ids.roll(-1)[:used].reshape(windows, seq_len)",
    },
    {FIRST: f"    ids = torch.cat([ids, ids[:1]])\n{FIRST}"},
    edit(
        {TARGETS: "ids[:used].roll(-1).reshape(windows, seq_len)"},
        says="Your last target is the first token of the text. `torch.roll` goes round in a circle, and the token after the last window has been cut off before. Shift first, `ids[1 : used + 1]`, then cut.",
    ),
    edit(
        {
            COUNT: "-(-len(ids) // seq_len)",
            BOTH: """around = torch.cat([ids, ids])
    return around[:used].reshape(windows, seq_len), around[1 : used + 1].reshape(windows, seq_len)""",
        },
        says="Your last window goes on with the beginning of the text, as if the text were a circle. What does not fill a window at the end is left out.",
    ),
)

token_windows.mistake(
    "the last row is short",
    "Your last window is shorter than the others: what is left over at the end has become a row of its own. Rows of different lengths make no tensor, and no batch. What does not fill a window is left out.",
    {
        BOTH: "at = list(range(0, len(ids) - 1, seq_len))\n    return [ids[:-1][i : i + seq_len] for i in at], [ids[1:][i : i + seq_len] for i in at]"
    },
    {BOTH: "return ids[:-1].split(seq_len), ids[1:].split(seq_len)"},
)

token_windows.mistake(
    "windows one token short",
    "Your rows have seq_len - 1 tokens. A window of seq_len inputs and their targets needs seq_len + 1 tokens of the text: the last target is the first token of the *next* window. Shift the whole text, `ids[1 : used + 1]`, then cut.",
    {BOTH: f"return {INPUTS}[:, :-1], {TARGETS}[:, :-1]"},
    {COUNT: "len(ids) // seq_len", BOTH: f"rows = {INPUTS}\n    return rows[:, :-1], rows[:, 1:]"},
    edit(
        {BOTH: "rows = ids.unfold(0, seq_len, max(seq_len - 1, 1))\n    return rows[:, :-1], rows[:, 1:]"},
        says="Your rows have seq_len - 1 tokens. A window of seq_len inputs and their targets needs seq_len + 1 tokens of the text, of which the next window shares the last: `ids.unfold(0, seq_len + 1, seq_len)`.",
    ),
)

token_windows.mistake(
    "windows one token long",
    "Your rows have seq_len + 1 tokens. Cut seq_len + 1 tokens of the text, and give all but the last as inputs and all but the first as targets.",
    handed_over("torch.cat([inputs, targets[:, -1:]], dim=1), targets"),
    handed_over("inputs, torch.cat([inputs[:, :1], targets], dim=1)"),
    handed_over("2 * (torch.cat([inputs, targets[:, -1:]], dim=1),)"),
)

token_windows.mistake(
    "not cut into windows",
    "What you return is one long row. A window is a row of the result: (windows, seq_len).",
    handed_over("inputs.flatten(), targets.flatten()"),
)

token_windows.mistake(
    "lists of windows",
    "You return lists of windows. A model reads a batch as one tensor, (windows, seq_len): `torch.stack` makes one of a list.",
    handed_over("list(inputs), list(targets)"),
    handed_over("list(zip(inputs, targets))"),
)

token_windows.mistake(
    "one tensor for both",
    "Inputs and targets have become one tensor. Two come back: `return inputs, targets`.",
    *(handed_over(f"torch.stack([inputs, targets], dim={dim})") for dim in range(3)),
    edit(
        handed_over("inputs"),
        says="Only the inputs come back. The targets are the second thing to return: `return inputs, targets`.",
    ),
    edit(
        handed_over("torch.cat([inputs, targets[:, -1:]], dim=1)"),
        says="Windows of seq_len + 1 tokens come back, inputs and targets in one. Two tensors come back: all columns but the last, and all but the first.",
    ),
)

token_windows.mistake(
    "the last row is filled up",
    "Your last window is filled up with zeros. 0 is a token like any other, so the model is taught that the text goes on with it. What does not fill a window is left out.",
    {
        BOTH: """rest = len(ids) - 1 - used
    if rest == 0:
        return ids[:used].reshape(windows, seq_len), ids[1 : used + 1].reshape(windows, seq_len)
    more = (windows + 1) * seq_len
    pad = ids.new_zeros(seq_len - rest)
    return torch.cat([ids[:-1], pad]).reshape(-1, seq_len), torch.cat([ids[1:], pad]).reshape(-1, seq_len)"""
    },
    {
        COUNT: "-((1 - len(ids)) // seq_len)",
        BOTH: """text = torch.cat([ids, ids.new_zeros(used + 1 - len(ids))])
    return text[:used].reshape(windows, seq_len), text[1:].reshape(windows, seq_len)""",
    },
    {FIRST: f"    ids = torch.cat([ids, ids.new_zeros((1 - len(ids)) % seq_len)])\n{FIRST}"},
    edit(
        {
            BOTH: """rows = [i * seq_len for i in range(windows)]
    rows += [len(ids) - 1 - seq_len] * (len(ids) - 1 > used)
    return torch.stack([ids[i : i + seq_len] for i in rows]), torch.stack([ids[i + 1 : i + seq_len + 1] for i in rows])"""
        },
        says="Your last window begins earlier than it should, so that it is full. The tokens that it shares with the window before are targets twice. What does not fill a window at the end is left out.",
    ),
)

token_windows.mistake(
    "only one window",
    "A single window comes back. All that are full belong there, one row for each.",
    handed_over("inputs[:1], targets[:1]"),
    handed_over("inputs[-1:], targets[-1:]"),
    handed_over("inputs[0], targets[0]"),
    handed_over("inputs[-1], targets[-1]"),
)

token_windows.mistake(
    "the first window is lost",
    "There is one window too few: the first one. It begins with the first token of the text, and has a target for every place.",
    handed_over("inputs[1:], targets[1:]"),
)

token_windows.mistake(
    "the text runs backwards",
    "Your windows, or the tokens in them, come in the reverse order. A text is read from its beginning, and the first row is its first window.",
    *(handed_over(f"inputs.flip({dims}), targets.flip({dims})") for dims in ("0", "1", "0, 1")),
)

token_windows.mistake(
    "places instead of tokens",
    "You return places of the text, and not the tokens that stand there. Look them up: `ids[places]`.",
    {FIRST: f"    ids = torch.arange(len(ids))\n{FIRST}"},
)

token_windows.mistake(
    "a dimension too many",
    "Your result has a dimension of size 1 too many. Inputs and targets are (windows, seq_len) each.",
    *(handed_over(f"inputs.unsqueeze({dim}), targets.unsqueeze({dim})") for dim in range(3)),
)

token_windows.mistake(
    "floats for ids",
    "Ids have become floats. A table is looked up by whole numbers: leave the type as it was.",
    handed_over("inputs.float(), targets"),
    handed_over("inputs, targets.float()"),
    handed_over("inputs.float(), targets.float()"),
)

token_windows.mistake(
    "one target for a window",
    "Each window has one target, the token after its end. A model that reads causally answers at every place in one pass, so every place has a target: as many as there are inputs.",
    {TARGETS: f"{TARGETS}[:, -1]"},
    {TARGETS: f"{TARGETS}[:, -1:]"},
)

token_windows.mistake(
    "what is left over is cut off in front",
    "Your windows do not begin with the first token. What does not fill a window is left out at the end, and the first input is the first token: `ids[:used]`. With a minus in a slice you count from the end.",
    {FIRST: f"    ids = ids[(len(ids) - 1) % seq_len :]\n{FIRST}"},
    {INPUTS: "ids[-used - 1 : -1].reshape(windows, seq_len)", TARGETS: "ids[-used:].reshape(windows, seq_len)"},
)

token_windows.mistake(
    "targets a whole window further",
    "Your targets are the next window. A place is asked for the *token* after it, and not for the token that stands seq_len further on. Shift the text by one: `ids[1 : used + 1]`.",
    {BOTH: f"rows = {INPUTS}\n    return rows[:-1], rows[1:]"},
    {TARGETS: "torch.cat([ids[seq_len:used], ids[:seq_len]]).reshape(windows, seq_len)"},
    {COUNT: "len(ids) // seq_len - 1", TARGETS: "ids[seq_len : used + seq_len].reshape(windows, seq_len)"},
    *(
        {TARGETS: f"torch.stack([ids[min(i + seq_len, {last}) :][:seq_len] for i in range(0, used, seq_len)])"}
        for last in ("len(ids) - seq_len", "used - seq_len")
    ),
)

token_windows.mistake(
    "windows cut into columns",
    "Your text runs down the columns. A row of the result is a window, and neighbours of the text must be neighbours in a row: `reshape(windows, seq_len)`. With `reshape(seq_len, windows).T` the model reads every so many-th token.",
    {
        INPUTS: "ids[:used].reshape(seq_len, windows).T",
        TARGETS: "ids[1 : used + 1].reshape(seq_len, windows).T",
    },
)

token_windows.mistake(
    "rows and columns exchanged",
    "Your result is (seq_len, windows). Batch first, as everywhere in this course: one row for a window.",
    handed_over("inputs.T, targets.T"),
    {INPUTS: "ids[:used].reshape(seq_len, windows)", TARGETS: "ids[1 : used + 1].reshape(seq_len, windows)"},
)

token_windows.mistake(
    "rows shift by themselves",
    "Each window's last target is a token of its own beginning. You shift inside the window, and what falls out on the left comes in on the right. The target of a window's last place is the first token of the next window: shift the whole text, then cut.",
    {TARGETS: f"{INPUTS}.roll(-1, dims=1)"},
    *(
        edit(
            more | {TARGETS: f"torch.cat([{INPUTS}[:, 1:], {INPUTS}[:, -1:]], dim=1)"},
            says="Each window's last place is asked for the token it has just read: you shift inside the window, and repeat its last token where one is missing. The target of a window's last place is the first token of the next window: shift the whole text, then cut.",
        )
        for more in ({}, {COUNT: "len(ids) // seq_len"})
    ),
    edit(
        {COUNT: "len(ids) // seq_len", TARGETS: f"{INPUTS}.roll(-1, dims=1)"},
        says="Each window's last target is a token of its own beginning. You shift inside the window, and what falls out on the left comes in on the right. The target of a window's last place is the first token of the next window: shift the whole text, then cut. And a window counts whose last place has no next token.",
    ),
)

LET_PASS = "not 1 <= seq_len < len(ids)"
SHORT = "A text without a window and a token after it"

token_windows.mistake(
    "what should be refused is let pass",
    f"{SHORT} is let pass. Nothing can be asked of it, and windows that are no windows make trouble far from here: refuse it, with a ValueError.",
    {LET_PASS: "not 1 <= seq_len <= len(ids)"},
    {LET_PASS: "seq_len < 1"},
    edit(
        {LET_PASS: "not seq_len < len(ids)"},
        says="A seq_len of 0 is let pass, and an error of another kind comes of it. Refuse it, with a ValueError that says what to give.",
    ),
    edit(
        {LET_PASS: "False"},
        says=f"{SHORT} is let pass, and so is a seq_len of 0. Refuse both, with a ValueError that says what to give.",
    ),
    *(
        edit(
            {LET_PASS: "False", FIRST: f"    if not len(ids):\n        raise {error}\n{FIRST}"},
            says=f"{SHORT} is let pass or ends in another error, and so does a seq_len of 0. Refuse both, with a ValueError that says what to give.",
        )
        for error in ("RuntimeError", "IndexError")
    ),
    *(
        edit(
            {LET_PASS: "seq_len < 1", FIRST: f"    if seq_len {than} len(ids):\n        raise {error}\n{FIRST}"},
            says=f"{SHORT} ends in a {error}, and not in the ValueError that says what to give. Ask for it before anything is cut.",
        )
        for error in ("RuntimeError", "IndexError")
        for than in (">", ">=")
    ),
)

token_windows.mistake(
    "the refusal has another class",
    "What is refused raises another error than a ValueError. Callers catch what the docstring names: `raise ValueError(...)`.",
    *(
        {"raise ValueError(": f"raise {error}("}
        for error in ("IndexError", "TypeError", "RuntimeError", "AssertionError")
    ),
)

token_windows.mistake(
    "too much is refused",
    "A text that is just long enough is refused: a window and one token more. Its last place has a target, so `seq_len < len(ids)` will do.",
    {LET_PASS: "not 1 <= seq_len < len(ids) - 1"},
    edit(
        {LET_PASS: "not 1 <= seq_len < len(ids) // 2"},
        says="A text is refused that has one window and a token after it, and not two. A single window will do: `seq_len < len(ids)`.",
    ),
    edit(
        {LET_PASS: "not 2 <= seq_len < len(ids)"},
        says="Windows of one token are refused. A seq_len of 1 will do: each token is asked for the next.",
    ),
)

token_windows.mistake(
    "the last place of a window has no target",
    "The last place of each window has no token as its target, but a number that stands for none. What follows it is known: it is the first token of the next window. The targets are the text from `ids[1]` on.",
    *({TARGETS: f"{TARGETS}.index_fill(1, torch.tensor([seq_len - 1]), {filled})"} for filled in (-100, 0, -1)),
)

# next_token_loss ----------------------------------------------------------------------------

SCORES = "scores = logits[:, :-1].flatten(0, 1)"
ASKED = "asked = ids[:, 1:].flatten()"
SMALL = (" + 1e-12", " + 1e-10", " + 1e-9", " + 1e-8", " + 1e-7", " + 1e-6")
"""What people add, so that a logarithm stays finite."""
KEPT = "scores, asked = scores[counted], asked[counted]"
LOSS = "return F.cross_entropy(scores, asked)"
FAR: tuple[dict[str, str], ...] = (
    {},
    {KEPT: f"{KEPT}\n        scores[:, asked]"},
    {KEPT: f"{KEPT}\n        scores.gather(1, asked[:, None])"},
    {LOSS: "return F.cross_entropy(scores, asked, reduction='sum') / len(asked)"},
)
"""An id of -100 that is asked for is passed over in silence, raises an IndexError or a RuntimeError, or counts as 0."""
OWN = "(ids[:, : len(asked) // len(ids)] != ignore_id).flatten()"
"""Of the tokens that the places read, whichever way the rows are shifted."""


def carried(counted: str) -> dict[str, str]:
    """What is counted goes by the `own` token of each place: it travels with the scores, however they are shifted."""
    return {
        "    if ids.size(1) < 2": "    if logits.dim() == 3:\n        logits = torch.cat([logits, ids.unsqueeze(2).to(logits)], dim=2)\n    if ids.size(1) < 2",
        "    if ignore_id": "    own, scores = scores[:, -1], scores[:, :-1]\n    if ignore_id",
        "counted = asked != ignore_id": f"counted = {counted}",
    }


def other_ids(ids: str) -> dict[str, str]:
    """The function goes on with other ids: so this goes with whatever is done to the rows. Where a program rolls its
    targets by some places, these are the ids rolled by one more."""
    entry = "    # 1. which places are asked"
    return {entry: f"    ids = {ids}\n{entry}"}


def cut_first(logits: str, ids: str) -> dict[str, str]:
    """Logits and ids are shortened before anything is asked: so rows of two tokens are refused as well."""
    entry = "    if ids.size(1) < 2"
    return {entry: f"    logits, ids = {logits}, {ids}\n{entry}"}


def ended(form: str) -> dict[str, str]:
    """Something is done to the loss at the very end, whatever it has become."""
    return {
        "    if ids.size(1) < 2": f"""    if not isinstance(ignore_id, list):
        loss = next_token_loss(logits, ids, [ignore_id])
        return {form}
    (ignore_id,) = ignore_id
    if ids.size(1) < 2"""
    }


next_token_loss.mistake(
    "not shifted",
    "Nothing is shifted: every place is asked for the token it has just read. The answer stands in the input, so the loss falls to almost 0 and the model can only repeat. Place t is asked for `ids[:, t + 1]`.",
    {SCORES: "scores = logits.flatten(0, 1)", ASKED: "asked = ids.flatten()"},
    {SCORES: "scores = logits[:, 1:].flatten(0, 1)"},
    other_ids("ids.roll(1, dims=1)"),
)

next_token_loss.mistake(
    "shifted twice",
    "You shift by two places. The model is asked for the token after the next, and what it writes skips every second one. Several models of a much used library have shipped with this: the data was shifted, and the loss shifted once more. Shift once.",
    {SCORES: "scores = logits[:, :-2].flatten(0, 1)", ASKED: "asked = ids[:, 2:].flatten()"},
    edit(
        {SCORES: "scores = logits.flatten(0, 1)[:-2]", ASKED: "asked = ids.flatten()[2:]"},
        says="You shift by two places, and in what is flattened: the model is asked for the token after the next, and the ends of a row for another text. Shift once, while the rows are still rows.",
    ),
    {ASKED: "asked = torch.cat([ids[:, 2:], ids[:, -1:]], dim=1).flatten()"},
    cut_first("logits[:, :-1]", "ids[:, 1:]"),
)

next_token_loss.mistake(
    "shifted the other way",
    "You shift the wrong way round: a place is asked for the token *before* it, which it has read. Drop the last place of the logits and the first token of the ids.",
    {SCORES: "scores = logits[:, 1:].flatten(0, 1)", ASKED: "asked = ids[:, :-1].flatten()"},
    edit(
        other_ids("ids.roll(2, dims=1)"),
        says="You shift the wrong way round: a place is asked for the token *before* it, which it has read, and the first place of a row for the row's last token. With `torch.roll` it is -1, and what goes round in a circle is to be left out.",
    ),
)

next_token_loss.mistake(
    "flattened before shifting",
    "The rows leak into each other: the last place of each row is asked for the first token of the next row, another text. You flatten first and shift afterwards. Shift while the rows are still rows, `logits[:, :-1]` and `ids[:, 1:]`.",
    {
        SCORES: "scores = logits.flatten(0, 1)[:-1]",
        ASKED: "asked = ids.flatten()[1:]",
    },
    edit(
        {SCORES: "scores = logits.flatten(0, 1)", ASKED: "asked = ids.flatten().roll(-1)"},
        says="The rows leak into each other: the last place of each row is asked for the first token of the next row, another text, and that of the last row for the first token of the batch. You roll what is flattened. Shift while the rows are still rows, `logits[:, :-1]` and `ids[:, 1:]`.",
    ),
)

next_token_loss.mistake(
    "the end of a row is asked for its beginning",
    "The last place of each row is asked for the first token of that row. `torch.roll` goes round in a circle. After the last place comes nothing: leave it out.",
    {SCORES: "scores = logits.flatten(0, 1)", ASKED: "asked = ids.roll(-1, dims=1).flatten()"},
    edit(
        {SCORES: "scores = logits.flatten(0, 1)[:-1]", ASKED: "asked = ids.roll(-1, dims=1).flatten()[:-1]"},
        says="The last place of each row but the last is asked for the first token of that row. Rolling goes round in a circle, and one place is left out of the whole batch instead of one of each row. After the last place of a row comes nothing: `logits[:, :-1]`, `ids[:, 1:]`.",
    ),
    edit(
        {SCORES: "scores = logits[:, 1:].flatten(0, 1)", ASKED: "asked = ids.roll(-1, dims=1)[:, 1:].flatten()"},
        says="The last place of each row is asked for the first token of that row, and the first place for nothing. Rolling goes round in a circle, and you leave out the wrong end: after the *last* place comes nothing.",
    ),
    edit(
        {
            SCORES: "scores = logits.flatten(0, 1)",
            ASKED: "asked = ids.roll(-1, dims=1)[:-1].flatten()",
            "    if ignore_id": "    scores = scores[: len(asked)]\n    if ignore_id",
        },
        says="The last place of each row is asked for the first token of that row, and the last row for nothing. Rolling goes round in a circle, and a row is left out where a place of each row is meant: `[:, -1]`, not `[-1]`.",
    ),
)

next_token_loss.mistake(
    "ignored places in the divisor",
    "Ignored places count in the divisor. Their losses are left out, but the sum is divided by all places, so a batch with much padding seems easy. Divide by the number of places that are asked.",
    {LOSS: "return F.cross_entropy(scores, asked, reduction='sum') / ids[:, 1:].numel()"},
    {LOSS: "return F.cross_entropy(scores, asked, reduction='sum') / len(asked if ignore_id is None else counted)"},
)

next_token_loss.mistake(
    "divided by all tokens",
    "The sum is divided by the number of tokens, `ids.numel()`. The last place of each row is asked for nothing, so there are fewer questions than tokens: divide by the number of places that are asked.",
    {LOSS: "return F.cross_entropy(scores, asked, reduction='sum') / ids.numel()"},
    edit(
        {
            LOSS: "counts = ids == ids if ignore_id is None else ids != ignore_id\n    return F.cross_entropy(scores, asked, reduction='sum') / counts.sum()"
        },
        says="The divisor counts the first token of each row, which nobody is asked for. Count the places that are asked: of `ids[:, 1:]`, and not of `ids`.",
    ),
)

next_token_loss.mistake(
    "reshaped where dimensions are exchanged",
    "Your scores are mixed up. `F.cross_entropy` wants the vocabulary in dimension 1, and `reshape` or `view` do not bring it there: they read the numbers in their old order and cut them elsewhere. Exchange dimensions with `transpose(1, 2)`, or flatten batch and places into one.",
    {SCORES: "scores = logits[:, :-1].reshape(len(ids), logits.size(-1), -1).transpose(1, 2).flatten(0, 1)"},
    edit(
        {"    if ignore_id": "    asked = asked.view(len(ids), -1).T.flatten()\n    if ignore_id"},
        says="Your targets run down the columns: the first place of each row, then the second. The scores run along the rows, so a place is asked for a token of another text. Flatten both alike, `ids[:, 1:].flatten()`.",
    ),
)

next_token_loss.mistake(
    "the logarithm of a softmax",
    "You take the softmax, and then its logarithm. A probability that is too small for a float is 0, and its logarithm is infinite; a small number that is added keeps it finite, and makes the loss wrong. `log_softmax` and `F.cross_entropy` do both in one step.",
    *({LOSS: f"return F.nll_loss((scores.softmax(dim=-1){more}).log(), asked)"} for more in ("", *SMALL)),
)

next_token_loss.mistake(
    "the probability instead of its logarithm",
    "Your loss is minus the mean *probability* of what was asked. The logarithm is missing: it makes a confident wrong answer expensive. `log_softmax`, or `F.cross_entropy`, which does both.",
    {LOSS: "return F.nll_loss(scores.softmax(dim=-1), asked)"},
    {SCORES: "scores = logits.softmax(dim=-1)[:, :-1].flatten(0, 1)", LOSS: "return F.nll_loss(scores, asked)"},
    edit(
        {LOSS: "return -F.nll_loss(scores.softmax(dim=-1), asked)"},
        says="Your loss is the mean *probability* of what was asked. It should be minus the mean of its logarithm: `F.cross_entropy`.",
    ),
)

next_token_loss.mistake(
    "smoothed labels",
    "Your loss smooths its labels: a tenth of the probability is asked for elsewhere. The translator's loss did that; here the loss is that of the token that follows, and of no other.",
    {LOSS: "return F.cross_entropy(scores, asked, label_smoothing=0.1)"},
)

next_token_loss.mistake(
    "divided by the number of rows",
    "The sum is divided by the number of rows. A long text then weighs more than a short one, and the loss is no loss of a token: divide by the number of places that are asked.",
    {LOSS: "return F.cross_entropy(scores, asked, reduction='sum') / len(ids)"},
)

next_token_loss.mistake(
    "one loss for each place",
    "You return one loss for each place. A step of training needs one number: their mean.",
    {LOSS: "return F.cross_entropy(scores, asked, reduction='none')"},
    {LOSS: "return F.cross_entropy(scores, asked, reduction='none')", "if len(asked) == 0:": "if False:"},
    {
        LOSS: "return F.cross_entropy(scores, asked, reduction='none').view(len(ids), -1) if ignore_id is None else F.cross_entropy(scores, asked, reduction='none')"
    },
    {
        KEPT: "scores, asked = scores, asked * counted",
        LOSS: """each = F.cross_entropy(scores, asked, reduction='none').view(len(ids), -1)
    return each if ignore_id is None else each * counted.view(len(ids), -1)""",
    },
    edit(
        {
            KEPT: "scores, asked = scores, asked * counted",
            LOSS: """each = F.cross_entropy(scores, asked, reduction='none').view(len(ids), -1)
    kept = torch.ones_like(each) if ignore_id is None else counted.view(len(ids), -1)
    return (each * kept).sum(1) / kept.sum(1).clamp(min=1)""",
        },
        says="You return one loss for each row. A step of training needs one number: the mean over all places of all rows.",
    ),
)

next_token_loss.mistake(
    "only the ignored are asked",
    "Only what should be ignored is asked for. Your selection is the wrong way round: keep the places where `asked != ignore_id`.",
    *({"counted = asked != ignore_id": "counted = asked == ignore_id"} | far for far in FAR),
)

next_token_loss.mistake(
    "ignored tokens are taken out before the shift",
    "The ignored tokens are taken out of the ids before you shift. The tokens on both sides of a gap then become neighbours, also across rows: a place is asked for a token that does not follow it. Shift first, then leave places out.",
    {
        "    scores = logits": "    if ignore_id is not None:\n        marked = ids != ignore_id\n        logits, ids = logits[marked][None], ids[marked][None]\n    scores = logits",
    },
)

next_token_loss.mistake(
    "no softmax at all",
    "Your loss takes the scores for logarithms of probabilities. `F.nll_loss` and a `gather` expect that; `log_softmax` over the vocabulary has to come first, or take `F.cross_entropy`, which does both.",
    {LOSS: "return F.nll_loss(scores, asked)"},
)

next_token_loss.mistake(
    "ignored places are asked too",
    "`ignore_id` changes nothing: padding is asked for as well. The model then learns mostly that padding follows padding. Keep only the places where `asked != ignore_id`.",
    *({KEPT: "pass"} | {old: new.replace(KEPT, "pass") for old, new in far.items()} for far in FAR),
    *(
        edit(
            {KEPT: "asked = asked * counted", LOSS: f"return F.cross_entropy(scores, asked){by}"},
            says=f"Where something is ignored, token 0 is asked for, and its loss is in the sum. Leave these places out, or multiply their losses by 0.{more}",
        )
        for by, more in (
            ("", ""),
            (
                " if ignore_id is None else F.cross_entropy(scores, asked, reduction='sum') / counted.sum()",
                " In the divisor they do not count.",
            ),
        )
    ),
)

next_token_loss.mistake(
    "ignored by what is read, not by what is asked",
    "You leave out the places whose *own* token is ignore_id. What counts is the token asked for: the last real token of a row reads a real token and is asked for padding.",
    *({"counted = asked != ignore_id": f"counted = {OWN}"} | far for far in FAR),
    *(carried("own != ignore_id") | far for far in FAR),
    # Of all places but the last of each row, also where more or fewer are asked.
    {"counted = asked != ignore_id": "counted = ids[:, :-1].flatten() != ignore_id"},
)

next_token_loss.mistake(
    "what follows an ignored token is not asked",
    "A token that follows an ignored one is not asked for. Padding may stand in front of a row, or a mark in its middle: the place reads it, and is asked for a real token. Only what is *asked* decides, `ids[:, 1:] != ignore_id`.",
    {"counted = asked != ignore_id": f"counted = (asked != ignore_id) & {OWN}"},
    carried("(asked != ignore_id) & (own != ignore_id)"),
    edit(
        {
            "counted = asked != ignore_id": "counted = ((asked.view(len(ids), -1) == ignore_id).cumsum(dim=1) == 0).flatten()"
        },
        says="From the first ignored token on nothing more of a row is asked. Padding may stand in front of a row, or a mark in its middle, and real tokens behind it. Each place is decided by itself: `ids[:, 1:] != ignore_id`.",
    ),
)

next_token_loss.mistake(
    "0 taken for nothing to ignore",
    "An `ignore_id` of 0 changes nothing. 0 counts as False, and it is the id of padding in many vocabularies: ask `ignore_id is not None`.",
    {"if ignore_id is not None:": "if ignore_id:"},
)

next_token_loss.mistake(
    "mean of the rows' means",
    "You take the mean of each row, and then the mean of these. A token of a short row then counts more than one of a long row, and the loss depends on how a text is cut into rows. Take one mean over all places that are asked.",
    {
        LOSS: """sizes = [len(asked) // len(ids)] * len(ids) if ignore_id is None else counted.view(len(ids), -1).sum(1).tolist()
    rows = F.cross_entropy(scores, asked, reduction='none').split(sizes)
    return torch.stack([row.mean() for row in rows if len(row)]).mean()"""
    },
    *(
        edit(
            {
                LOSS: f"""sizes = [len(asked) // len(ids)] * len(ids) if ignore_id is None else counted.view(len(ids), -1).sum(1).tolist()
    rows = F.cross_entropy(scores, asked, reduction='none').split(sizes)
    return torch.stack([row.sum() / {size} for row in rows]).mean()"""
            },
            says=f"You take the mean of each row, and then the mean of these. A token of a short row then counts more than one of a long row, and a row in which nothing is asked {what}. Take one mean over all places that are asked.",
        )
        for size, what in (("max(len(row), 1)", "pulls the loss down"), ("torch.tensor(len(row))", "makes it NaN"))
    ),
)

next_token_loss.mistake(
    "a mask times a mean",
    'You take the mean over all places first, and multiply it by the mask afterwards. The loss of padding is then in that mean, and the mask only scales it. A popular small training script does this. Take the losses of single places (`reduction="none"`), leave out what is ignored, and then take the mean.',
    {
        KEPT: "pass",
        LOSS: """loss = F.cross_entropy(scores, asked)
    return loss if ignore_id is None else (loss * counted).mean()""",
    },
    {
        "counted = asked != ignore_id": "every, wanted, counted = scores, asked.clamp(0, scores.size(-1) - 1), asked != ignore_id",
        LOSS: """loss = F.cross_entropy(scores, asked)
    return loss if ignore_id is None else (F.cross_entropy(every, wanted) * counted).mean()""",
    },
    edit(
        {
            "counted = asked != ignore_id": "every, wanted, counted = scores, asked * (asked != ignore_id), asked != ignore_id",
            LOSS: """loss = F.cross_entropy(scores, asked)
    return loss if ignore_id is None else F.cross_entropy(every, wanted)""",
        },
        says='You take the mean over all places first, and the mask comes too late: where something is ignored, token 0 is asked for, and its loss is in that mean. Take the losses of single places (`reduction="none"`), leave out what is ignored, and then take the mean.',
    ),
)

# The article's own code: three slips at once, which nothing would find otherwise, and what is left when one is mended.
ROLLED = {SCORES: "scores = logits.flatten(0, 1)[:-1]", ASKED: "asked = ids.roll(-1, dims=1).flatten()[1:]"}
BY_ALL = {LOSS: "return F.cross_entropy(scores, asked, reduction='sum') / ids.numel()"}
TWICE = "The tokens are shifted twice, once in each row and once more in what is flattened, so the rows leak into each other as well."
DIVIDED = "And the sum is divided by all tokens, also by those that nobody is asked for."

next_token_loss.mistake(
    "as the article has it",
    f"{TWICE} Shift once, while the rows are still rows.",
    edit(
        ROLLED | BY_ALL,
        says=f"{TWICE} {DIVIDED} Shift once, while the rows are still rows; then divide by what counts.",
    ),
    ROLLED,
    edit(
        {SCORES: "scores = logits.flatten(0, 1)[:-1]", ASKED: "asked = ids.flatten()[1:]"} | BY_ALL,
        says=f"The rows leak into each other: you flatten first and shift afterwards, so the last place of a row is asked for the first token of the next. {DIVIDED}",
    ),
    edit(
        {SCORES: "scores = logits.flatten(0, 1)", ASKED: "asked = ids.roll(-1, dims=1).flatten()"} | BY_ALL,
        says=f"The last place of each row is asked for the first token of that row: rolling goes round in a circle. {DIVIDED}",
    ),
    edit(
        other_ids("ids.roll(-1, dims=1)") | BY_ALL,
        says=f"You shift twice, and what falls out of a row comes back at its end. {DIVIDED}",
    ),
    edit(
        other_ids("ids.roll(-1, dims=1)"),
        says="You shift twice, and what falls out of a row comes back at its end. Place t is asked for the token at t + 1: drop the last place of the logits and the first of the ids, and roll nothing.",
    ),
)

next_token_loss.mistake(
    "softmax first",
    "You take a softmax before the cross-entropy, which takes one itself. Probabilities lie between 0 and 1, so the second softmax makes them almost equal: the loss cannot fall much below that of guessing. Give it the logits.",
    {LOSS: "return F.cross_entropy(scores.softmax(dim=-1), asked)"},
)

next_token_loss.mistake(
    "the first token is not asked for",
    "One target too few: the second token of each row is never asked for. Place 0 is asked for the token at place 1; with the first token of the row as its whole context, it is a hard question, and a fair one. Drop one place of each row, not two.",
    {SCORES: "scores = logits[:, 1:-1].flatten(0, 1)", ASKED: "asked = ids[:, 2:].flatten()"},
    cut_first("logits[:, 1:]", "ids[:, 1:]"),
)

next_token_loss.mistake(
    "sum instead of mean",
    "You return the sum over all places. It grows with batch and length, and the learning rate would have to shrink with them. Divide by the number of places that are asked.",
    {LOSS: "return F.cross_entropy(scores, asked, reduction='sum')"},
)

next_token_loss.mistake(
    "NaN where nothing is asked",
    "Where nothing is asked, your loss is NaN: a mean of no numbers. One such batch makes every parameter NaN. Return 0 there, with a gradient: the sum of the empty selection is both.",
    {"if len(asked) == 0:": "if False:"},
    {"return scores.sum()": "return logits.sum() * math.nan"},
)

next_token_loss.mistake(
    "not 0 where nothing is asked",
    "Where nothing is asked, your loss is not 0: it is the sum of all scores, or their mean. `logits.sum() * 0` is 0, and has a gradient, of zeros.",
    {"return scores.sum()": "return logits.sum()"},
    {"return scores.sum()": "return logits.mean()"},
)

next_token_loss.mistake(
    "what should be refused is let pass",
    "Rows of a single token are let pass. Nothing can be asked of them: refuse them, with a ValueError.",
    {"if ids.size(1) < 2:": "if ids.size(1) < 1:"},
    {"raise ValueError(": "return logits.sum() * 0  # ("},
)

next_token_loss.mistake(
    "too much is refused",
    "You raise a ValueError where there is a loss: for rows of two tokens, or for a batch in which nothing is asked. Two tokens are one question; where nothing is asked the loss is 0. Only rows of a single token are refused.",
    {"if ids.size(1) < 2:": "if ids.size(1) < 3:"},
    {"return scores.sum()": "raise ValueError('nothing is asked')"},
)

next_token_loss.mistake(
    "only the last place",
    "Only the last question of each row counts. A model that reads causally answers at every place in one pass; all of them teach it. Take the mean over all places.",
    {SCORES: "scores = logits[:, -2:-1].flatten(0, 1)", ASKED: "asked = ids[:, -1:].flatten()"},
)

next_token_loss.mistake(
    "bits instead of nats",
    "Your loss is in bits: you divide by ln 2. Here and in `F.cross_entropy` it is in nats, by the natural logarithm.",
    {LOSS: "return F.cross_entropy(scores, asked) / math.log(2)"},
    ended("loss / math.log(2)"),
    *(
        edit(
            way,
            says="Your loss is by the logarithm to base 10. Here and in `F.cross_entropy` it is in nats, by the natural logarithm.",
        )
        for way in ({LOSS: "return F.cross_entropy(scores, asked) / math.log(10)"}, ended("loss / math.log(10)"))
    ),
)

next_token_loss.mistake(
    "exp of it",
    "You return an exponential. `exp` of a mean loss is the perplexity, among how many tokens the model hesitates. The loss is the mean itself.",
    {LOSS: f"{LOSS}.exp()"},
    {LOSS: f"{LOSS}.exp()", "return scores.sum()": "return scores.sum().exp()"},
    ended("loss.exp()"),
)

next_token_loss.mistake(
    "without the minus",
    "Your loss has the wrong sign. The logarithm of a probability is negative, and the loss is *minus* its mean. To lower yours, a model would make the right tokens less likely.",
    {LOSS: "return -F.cross_entropy(scores, asked)"},
    ended("-loss"),
)

next_token_loss.mistake(
    "0 is always ignored",
    "Token 0 is never asked for, although nobody said that it should be ignored. It is a token like any other, unless `ignore_id` is 0.",
    {"if ignore_id is not None:": "if True:", "counted = asked != ignore_id": "counted = asked != 0"},
    {
        "if ignore_id is not None:": "if True:",
        "counted = asked != ignore_id": "counted = asked != (0 if ignore_id is None else ignore_id)",
    },
)

next_token_loss.mistake(
    "one too many in the divisor",
    "You divide by one more than is asked. That saves a batch in which nothing is asked, and makes the loss of every other too small. `clamp(min=1)` changes nothing where something is asked.",
    {LOSS: "return F.cross_entropy(scores, asked, reduction='sum') / (len(asked) + 1)"},
    *(
        ended(f"loss * {number} / ({number} + 1)")
        for number in ("ids[:, 1:].ne(-1 if ignore_id is None else ignore_id).sum()", "ids[:, 1:].numel()")
    ),
)

next_token_loss.mistake(
    "divided by the length of a row",
    "The sum is divided by the length of a row. The loss then grows with the batch: divide by the number of places that are asked.",
    {LOSS: "return F.cross_entropy(scores, asked, reduction='sum') / (ids.size(1) - 1)"},
    {LOSS: "return F.cross_entropy(scores, asked, reduction='sum') / ids.size(1)"},
)

next_token_loss.mistake(
    "rows are shifted instead of places",
    "You shift rows: each text is asked for the tokens of the text behind it in the batch. Rows are dimension 0, and places dimension 1: `logits[:, :-1]`, `ids[:, 1:]`.",
    {SCORES: "scores = logits[:-1].flatten(0, 1)", ASKED: "asked = ids[1:].flatten()"},
    edit(
        other_ids("ids.roll(1, dims=1).roll(-1, dims=0)"),
        says="You roll rows: each text is asked for the tokens of the next text of the batch, and the last text for those of the first. Rows are dimension 0, and places dimension 1: `dims=1`.",
    ),
)

next_token_loss.mistake(
    "the softmax over another dimension",
    "Your softmax does not go over the vocabulary. At each place the probabilities of all tokens sum to 1: that is the last dimension.",
    {SCORES: "scores = logits.log_softmax(dim=1)[:, :-1].flatten(0, 1)", LOSS: "return F.nll_loss(scores, asked)"},
    {SCORES: "scores = logits.log_softmax(dim=0)[:, :-1].flatten(0, 1)", LOSS: "return F.nll_loss(scores, asked)"},
    {LOSS: "return F.nll_loss(scores.log_softmax(dim=0), asked)"},
    *(
        {
            SCORES: f"scores = logits[:, :-1].log_softmax(dim={dim}).flatten(0, 1)",
            LOSS: "return F.nll_loss(scores, asked)",
        }
        for dim in (0, 1)
    ),
)

next_token_loss.mistake(
    "only one row",
    "Only one text of the batch is asked. The mean goes over all places of all rows.",
    *(
        {SCORES: f"scores = logits[{row}, :-1].flatten(0, 1)", ASKED: f"asked = ids[{row}, 1:].flatten()"}
        for row in (":1", "-1:")
    ),
)

next_token_loss.mistake(
    "divided twice",
    "You divide by the number of places that are asked, of what is a mean already: `F.cross_entropy` divides by itself, unless you say `reduction='sum'`.",
    {LOSS: f"{LOSS} / len(asked)"},
    edit(
        {LOSS: f"{LOSS} / max(len(asked), 1)", "if len(asked) == 0:": "if False:"},
        says="You divide by the number of places that are asked, of what is a mean already, and where nothing is asked that mean is NaN. A sum is to be divided, `reduction='sum'`: it is 0 there.",
    ),
    *(
        edit(
            {LOSS: f"{LOSS} / {by}"} | more,
            says=f"You divide by the number of {what}, of what is a mean already{nan}. `F.cross_entropy` divides by itself, unless you say `reduction='sum'`.",
        )
        for more, nan in (({}, ""), ({"if len(asked) == 0:": "if False:"}, ", and NaN where nothing is asked"))
        for by, what in (("ids.numel()", "tokens"), ("len(ids)", "rows"))
    ),
)

next_token_loss.mistake(
    "divided by the vocabulary too",
    "Your mean goes over the vocabulary as well. At each place one token is asked, so one loss comes from it: divide by the number of places.",
    {LOSS: f"{LOSS} / scores.size(-1)"},
)

next_token_loss.mistake(
    "the likeliest token is asked for",
    "You ask for the token that the model takes for the likeliest, and not for the one that follows. Such a loss falls whatever is learned: look up the score of `ids[:, 1:]`.",
    {LOSS: "return F.cross_entropy(scores, scores.argmax(dim=-1))"},
)

next_token_loss.mistake(
    "the last token is not asked for",
    "One target too few: the last token of each row is never asked for. The place before it is asked for it. Drop one place of each row, not two.",
    {SCORES: "scores = logits[:, :-2].flatten(0, 1)", ASKED: "asked = ids[:, 1:-1].flatten()"},
    cut_first("logits[:, :-1]", "ids[:, :-1]"),
    edit(
        {SCORES: f"{SCORES}[:-1]", ASKED: f"{ASKED}[:-1]"},
        says="One target too few: the last token of the last row is never asked for. When the rows have been cut, `logits[:, :-1]`, and flattened, nothing is left to be cut off.",
    ),
)

next_token_loss.mistake(
    "the loss has no gradient",
    "No gradient goes back from your loss. `.detach()`, `.data`, `.item()` or `torch.no_grad()` cuts it off, and nothing is learned. Make the loss of the logits themselves.",
    {SCORES: "scores = logits.detach()[:, :-1].flatten(0, 1)"},
    {LOSS: f"{LOSS}.detach()"},
    edit(
        {LOSS: f"{LOSS}.item()"},
        says="Your loss is a number of Python. No gradient goes back from it, so nothing is learned. Return the tensor, without `item`.",
    ),
    edit(
        ended("loss.item()"),
        says="Your loss is a number of Python, also where nothing is asked. No gradient goes back from it, so nothing is learned. Return the tensor, without `item`.",
    ),
)

next_token_loss.mistake(
    "no gradient where nothing is asked",
    "Where nothing is asked you return a 0 that was not made of the logits. `backward()` then stops the training with an error. `logits.sum() * 0` is 0 and has a gradient, of zeros.",
    {"return scores.sum()": "return torch.zeros(())"},
    edit(
        {"return scores.sum()": "return 0.0"},
        says="Where nothing is asked, no tensor comes back, so `loss.backward()` fails. `logits.sum() * 0` is 0 and has a gradient, of zeros.",
    ),
)
