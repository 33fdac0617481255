"""Mistakes of split_heads and merge_heads."""

from autograder.checks.multi_head_attention.attending import multi_head_attention
from autograder.checks.multi_head_attention.grouped import grouped_query_attention
from autograder.checks.multi_head_attention.heads import merge_heads, split_heads
from autograder.probing.mistake import edit

FITS = "if num_heads < 1 or d_model % num_heads != 0:"
RESHAPE = "x.reshape(batch, seq_len, num_heads, d_model // num_heads)"
JOIN = "slices.reshape(batch, seq_len, num_heads * d_head)"
QUERY, KEY, VALUE = "self.q_proj(query)", "self.k_proj(key)", "self.v_proj(value)"

SEQUENCE_FIRST = "The sequence stands in front of the batch. That is torch's default (`batch_first=False`); in this course the batch always comes first."
CUT_OFF = "No gradient reaches `x`. Something cuts it off (`detach`, `.data`, a tensor made anew), so the projection that made it would never learn. Cut and join `x` itself."

# Splitting ----------------------------------------------------------------------------

split_heads.mistake(
    "view instead of view and transpose",
    "You reshape straight to (batch, num_heads, seq_len, d_head). The shape is right and the numbers are not: a reshape reads memory in order, "
    "so each head gets all features of some tokens instead of some features of all tokens. Cut the last dimension first, then transpose.",
    {RESHAPE: "x.reshape(batch, num_heads, seq_len, d_model // num_heads)", "slices.transpose(1, 2)": "slices"},
    # `view` raises on memory that is not contiguous, where `reshape` computes something wrong.
    edit(
        {RESHAPE: "x.view(batch, num_heads, seq_len, d_model // num_heads)", "slices.transpose(1, 2)": "slices"},
        of=[split_heads],
    ),
    # Who splits three times can slip once.
    *(
        edit(
            {f"split_heads({one}, self.num_heads)": f"{one}.reshape(len(query), self.num_heads, {given}.size(1), -1)"},
            inside="MultiHeadAttention.forward",
            of=[multi_head_attention],
        )
        for one, given in ((QUERY, "query"), (KEY, "key"), (VALUE, "value"))
    ),
    also=[multi_head_attention, grouped_query_attention],
)

split_heads.mistake(
    "heads left behind the tokens",
    "The heads are not in front of the tokens. You return (batch, seq_len, num_heads, d_head); attention works on the last two dimensions, so "
    "every token would compare its own heads with each other. Exchange the dimensions 1 and 2.",
    {"slices.transpose(1, 2)": "slices"},
)

split_heads.mistake(
    "features dealt out in turn",
    "Features are dealt out to the heads in turn. Your head 0 gets every num_heads-th feature; it should get the first d_head in one piece. In an "
    "untrained module nobody would notice, but weights from torch no longer fit. Reshape to (…, num_heads, d_head), not (…, d_head, num_heads).",
    {RESHAPE: "x.reshape(batch, seq_len, d_model // num_heads, num_heads).transpose(2, 3)"},
    also=[multi_head_attention, grouped_query_attention],
)

split_heads.mistake(
    "num_heads and d_head exchanged",
    "num_heads and d_head have changed places. You make d_head heads of num_heads features each. The last dimension is cut into (num_heads, d_head), in "
    "that order.",
    {RESHAPE: "x.reshape(batch, seq_len, d_model // num_heads, num_heads)"},
    also=[multi_head_attention],
)

split_heads.mistake(
    "heads in front of the batch",
    "Your heads come first, in front of the batch. The course puts the batch first everywhere: (batch, num_heads, seq_len, d_head). Only the dimensions "
    "1 and 2 are exchanged.",
    {"slices.transpose(1, 2)": "slices.permute(2, 0, 1, 3)"},
)

split_heads.mistake(
    "heads folded into the batch",
    "Heads and batch share one dimension. torch does this internally; here they stay apart, (batch, num_heads, seq_len, d_head), so that a mask of shape "
    "(batch, 1, 1, key_len) fits without being copied.",
    {"slices.transpose(1, 2)": "slices.transpose(1, 2).flatten(0, 1)"},
    {"slices.transpose(1, 2)": "slices.permute(2, 0, 1, 3).flatten(0, 1)"},
)

split_heads.mistake(
    "features in front of the tokens",
    "The last two dimensions are exchanged. You return (batch, num_heads, d_head, seq_len); tokens are rows, with their features last. The keys are transposed later, "
    "inside `attention_scores`.",
    {"slices.transpose(1, 2)": "slices.permute(0, 2, 3, 1)"},
)

split_heads.mistake(
    "sizes that do not fit are accepted",
    "A width that does not fit is not refused. 10 features cannot be cut into 3 equal slices, and who asks for that should get an error that says so. "
    "Raise a ValueError that names both numbers, as the given lines did.",
    {FITS: "if False:"},
    edit({FITS: "if num_heads < 1:"}, of=[split_heads]),
    # Where no reshape raises: slices leave out the features at the end, and a place that is computed may not exist.
    *(
        edit({FITS: refuses, RESHAPE: cut}, of=[split_heads])
        for refuses in ("if False:", "if num_heads < 1:")
        for cut in (
            RESHAPE.replace("x.", "x[..., : d_model // num_heads * num_heads].", 1),
            "x[..., torch.arange(-(-d_model // num_heads) * num_heads).view(num_heads, -1)]",
        )
    ),
    edit(
        {FITS: "if False:"},
        inside="MultiHeadAttention.__init__",
        of=[multi_head_attention],
    ),
)

split_heads.mistake(
    "no heads accepted",
    "A number of heads below 1 is not refused. The remainder by 0 raises a ZeroDivisionError, and every width can be divided by -1. No features can be cut into 0 or -1 slices, so this is a ValueError, too: keep `num_heads < 1`.",
    {FITS: "if d_model % num_heads != 0:"},
)

split_heads.mistake(
    "the wrong two dimensions transposed",
    "You exchange the wrong two dimensions. After the reshape the sizes are (batch, seq_len, num_heads, d_head), and heads and tokens change places: dimensions 1 and 2.",
    *({"slices.transpose(1, 2)": f"slices.transpose({pair})"} for pair in ("2, 3", "1, 3", "0, 2")),
)

split_heads.mistake(
    "transposed before the cut",
    "You transpose before the last dimension is cut. The reshape that follows then reads numbers of different tokens into one slice, and the shape does not show it. Cut d_model into (num_heads, d_head) first, then exchange dimensions 1 and 2.",
    {
        RESHAPE: "x.transpose(1, 2).reshape(batch, num_heads, seq_len, d_model // num_heads)",
        "slices.transpose(1, 2)": "slices",
    },
)

HEADS_BACKWARDS = (
    "The heads are in the opposite order. Head 0 has the first d_head features of a token, head 1 the next, and so on."
)
split_heads.mistake(
    "heads in the opposite order", HEADS_BACKWARDS, {"slices.transpose(1, 2)": "slices.flip(2).transpose(1, 2)"}
)

split_heads.mistake(
    "the first slice for every head",
    "Every head gets the first slice. Their features are the same, so all heads would find the same; the other features of a token are lost. Slice `h` begins at feature h · d_head.",
    {"slices.transpose(1, 2)": "slices[:, :, :1].expand_as(slices).transpose(1, 2)"},
)

split_heads.mistake(
    "slices overlap",
    "The slices overlap. Each begins one feature after the slice before it, so most features are in several heads and the last ones in none. Slice `h` begins at feature h · d_head.",
    {RESHAPE: "x.unfold(2, d_model // num_heads, 1)[:, :, :num_heads]"},
)

split_heads.mistake(
    "the tokens cut",
    "You cut the tokens, not their features. A head then has all features of some tokens, and the rest of the sentence is hidden from it. The features are the last dimension.",
    {"slices.transpose(1, 2)": "torch.stack(x.chunk(num_heads, dim=1), dim=1)"},
)

split_heads.mistake(
    "sequence in front of the batch",
    SEQUENCE_FIRST,
    {"slices.transpose(1, 2)": "slices.permute(1, 0, 2, 3)"},
    {"slices.transpose(1, 2)": "slices.permute(1, 2, 0, 3)"},
)

split_heads.mistake("cut off from the gradient", CUT_OFF, {"slices.transpose(1, 2)": "slices.transpose(1, 2).detach()"})

split_heads.mistake(
    "a list of heads",
    "You return a list with a tensor for each head. Attention takes all heads in one tensor: `torch.stack(heads, dim=1)` gives them a dimension of their own, behind the batch.",
    {"slices.transpose(1, 2)": "list(slices.unbind(2))"},
    {"slices.transpose(1, 2)": "[one.unsqueeze(1) for one in slices.unbind(2)]"},
)

# Merging ----------------------------------------------------------------------------

merge_heads.mistake(
    "merge without transposing back",
    "The heads are merged without moving them back behind the tokens. The reshape then joins neighbouring tokens of one head instead of the heads of one token, and "
    "the shape does not show it. Transpose the dimensions 1 and 2 first.",
    edit({"x.transpose(1, 2)": "x", JOIN: "slices.view(batch, seq_len, num_heads * d_head)"}, of=[merge_heads]),
    {"x.transpose(1, 2)": "x"},
    also=[multi_head_attention, grouped_query_attention],
)

merge_heads.mistake(
    "features woven together",
    "The heads are woven together instead of put side by side. Your token starts with the first feature of every head; it should start with all features of head 0. "
    "The last two dimensions before the reshape are (num_heads, d_head).",
    {JOIN: "slices.transpose(2, 3).reshape(batch, seq_len, num_heads * d_head)"},
    also=[multi_head_attention, grouped_query_attention],
)

merge_heads.mistake(
    "the wrong two dimensions transposed",
    "You exchange the last two dimensions, tokens and features. Before the reshape heads and tokens have to change places, the dimensions 1 and 2.",
    {"x.transpose(1, 2)": "x.transpose(2, 3)"},
    *(
        edit(
            {"x.transpose(1, 2)": f"x.transpose({pair})"},
            of=[merge_heads],
            says=f"You exchange the dimensions {pair.replace(', ', ' and ')}. Before the reshape heads and tokens have to change places, the dimensions 1 and 2.",
        )
        for pair in ("0, 1", "0, 2", "1, 3")
    ),
    also=[multi_head_attention, grouped_query_attention],
)

merge_heads.mistake(
    "heads added up",
    "The heads are added up, or averaged, instead of joined. What the heads found has to stand side by side, num_heads · d_head features again. Adding "
    "loses which head found what, and the width shrinks to d_head.",
    {JOIN: "slices.sum(dim=2)"},
    {JOIN: "slices.mean(dim=2)"},
)

merge_heads.mistake(
    "heads one behind the other",
    "The heads are put one after the other, along the tokens. A sentence of 4 tokens comes out with num_heads · 4 tokens. Join the heads along the features.",
    {"x.transpose(1, 2)": "x", JOIN: "slices.reshape(batch, num_heads * seq_len, d_head)"},
)

merge_heads.mistake(
    "sequence in front of the batch",
    SEQUENCE_FIRST,
    {"x.transpose(1, 2)": "x.permute(2, 0, 1, 3)", JOIN: "slices.reshape(seq_len, batch, num_heads * d_head)"},
)

merge_heads.mistake("heads in the opposite order", HEADS_BACKWARDS, {"x.transpose(1, 2)": "x.flip(1).transpose(1, 2)"})

merge_heads.mistake(
    "heads never joined",
    "The heads are moved back and never joined. You return (batch, seq_len, num_heads, d_head); the last two dimensions become one, num_heads · d_head. `reshape` gives a new tensor: return what it gives.",
    {JOIN: "slices"},
)

merge_heads.mistake(
    "one head only",
    "Only one head is left. What the others found is lost, and the width shrinks to d_head. All heads stand side by side, num_heads · d_head features.",
    {JOIN: "slices[:, :, 0]"},
    {JOIN: "slices[:, :, -1]"},
)

merge_heads.mistake(
    "tokens joined too",
    "More than heads and features is joined. Tokens, or whole sentences, have become one row. Only the last two dimensions become one: (batch, seq_len, num_heads · d_head).",
    {JOIN: "slices.flatten(1)"},
    {JOIN: "slices.flatten(2).flatten(0, 1)"},
)

merge_heads.mistake(
    "features in front of the tokens",
    "The last two dimensions are exchanged. You return (batch, d_model, seq_len); tokens are rows, with their features last.",
    {JOIN: f"{JOIN}.transpose(1, 2)"},
    {JOIN: "slices.reshape(batch, num_heads * d_head, seq_len)"},
    {"x.transpose(1, 2)": "x", JOIN: "slices.transpose(2, 3).reshape(batch, num_heads * d_head, seq_len)"},
)

merge_heads.mistake("cut off from the gradient", CUT_OFF, {JOIN: f"{JOIN}.detach()"})
