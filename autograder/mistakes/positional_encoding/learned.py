"""Wrong ways of the module whose vectors are learned."""

from autograder.checks.positional_encoding import learned_positional_encoding
from autograder.mistakes.positional_encoding.adding import (
    ACCEPTED,
    ALONG_BATCH,
    BACKWARDS,
    BATCH_SIZE,
    IN_PLACE,
    LAST_REFUSED,
    NOTHING,
    SCALED,
    SQUEEZED,
    SUBTRACTED,
    TOKENS_CUT,
    TOKENS_LOST,
    WIDER,
)
from autograder.mistakes.positional_encoding.tables import ONE_ROW
from autograder.probing.mistake import edit

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

learned_positional_encoding.mistake(
    "vectors in the opposite order",
    BACKWARDS,
    {COUNTED: "torch.arange(seq_len - 1, -1, -1)"},
)

learned_positional_encoding.mistake(
    "nothing added",
    f"{NOTHING} Add what the embedding returns.",
    {f"{PLUS}{LOOKED_UP}": "return x.clone()"},
)

learned_positional_encoding.mistake(
    "tokens cut off from the gradient",
    TOKENS_CUT,
    {PLUS: "return x.detach() + "},
)

learned_positional_encoding.mistake(
    "vectors scaled by √d_model",
    "The vectors of the positions are multiplied by √d_model. In the paper that belongs to the tokens (section 3.4). What the embedding returns is added as it is.",
    {LOOKED_UP: f"{LOOKED_UP} * x.size(-1) ** 0.5"},
)

learned_positional_encoding.mistake(
    "the last position refused",
    LAST_REFUSED,
    {REFUSES_MORE: "if seq_len >= max_len:"},
)

learned_positional_encoding.mistake("subtracted instead of added", SUBTRACTED, {PLUS: "return x - "})

learned_positional_encoding.mistake(
    "a dimension of size 1 lost",
    SQUEEZED,
    *({f"{PLUS}{LOOKED_UP}": f"return (x + {LOOKED_UP}).squeeze({where})"} for where in ("", "0")),
)

TABLE, AS_GIVEN = "nn.Embedding(max_len, d_model)", "Leave the line of the constructor as it was given."
learned_positional_encoding.mistake(
    "another embedding than the one given",
    f"Your embedding is not the one that was given: max_len vectors of d_model features. {AS_GIVEN}",
    edit(
        {TABLE: "nn.Embedding(max_len + 1, d_model)"},
        says=f"Your embedding has one vector more than there are positions. {AS_GIVEN}",
    ),
    edit(
        {TABLE: "nn.Embedding(max_len, d_model, padding_idx=0)"},
        says=f"The first position has no vector that learns. `padding_idx` is for tables of tokens: its row is 0 and stays so. {AS_GIVEN}",
    ),
)
