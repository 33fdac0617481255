"""Wrong ways of attention by blocks."""

import math

import torch
from torch import Tensor

from autograder.checks.faster import online_softmax_attention
from autograder.probing.mistake import edit

SUM = "total = total * shrink + weights.sum(dim=-1, keepdim=True)"
MIX = "output = output * shrink + weights @ values"
DIVIDE = "output / total.masked_fill(total == 0, 1.0)"
SCORES = "q @ keys.transpose(-2, -1) / math.sqrt(q.size(-1))"
HIDE = 'scores.masked_fill(~mask[..., start:stop], float("-inf"))'
LEVEL = 'new.masked_fill(new == float("-inf"), 0.0)'
OWN_SUM = "weights.sum(dim=-1, keepdim=True)"
BLOCK = "        highest = new\n    return"
EMPTY_AS_ZERO = "torch.where(total > 0, output / total, 0.0)"
"""What is NaN becomes 0 with it, as NaN is not above 0."""

online_softmax_attention.mistake(
    "old sum not rescaled",
    "The sum of exponentials from earlier blocks keeps the scale of an earlier maximum. When the maximum grows from m to m', every exponential summed so far was exp(s - m) and should be exp(s - m'): the old sum is multiplied by exp(m - m'). Your output is rescaled, your sum is not.",
    {"total * shrink": "total"},
)

online_softmax_attention.mistake(
    "old output not rescaled",
    "The values mixed in earlier blocks keep the scale of an earlier maximum. When the maximum grows from m to m', they are multiplied by exp(m - m'), as the sum is. Your sum is rescaled, your output is not.",
    {"output * shrink": "output"},
)

online_softmax_attention.mistake(
    "nothing is rescaled",
    "What earlier blocks have summed and mixed keeps the scale of an earlier maximum. When the maximum grows from m to m', both are multiplied by exp(m - m') before the new block is added. Without that, early keys weigh too much.",
    {"total * shrink": "total", "output * shrink": "output"},
)

online_softmax_attention.mistake(
    "maximum of the block alone",
    "Your maximum is that of the present block, not of all blocks so far. With small scores nothing shows. When a later block has lower scores, the old sum is multiplied by the exponential of a large number, which overflows, or a block that is hidden as a whole wipes out what came before. Carry the larger of the two.",
    {"torch.maximum(highest, scores.amax(dim=-1, keepdim=True))": "scores.amax(dim=-1, keepdim=True)"},
    edit(
        {
            "torch.maximum(highest, scores.amax(dim=-1, keepdim=True))": "scores.amax(dim=-1, keepdim=True)",
            LEVEL: "new",
        },
    ),
    {
        "torch.maximum(highest, scores.amax(dim=-1, keepdim=True))": "scores.amax(dim=-1, keepdim=True)",
        DIVIDE: EMPTY_AS_ZERO,
    },
)

online_softmax_attention.mistake(
    "no maximum subtracted",
    "Your exponentials are those of the scores themselves: no maximum is subtracted. The exponential of 100 is too large for float32, and that of -110 is 0, so large scores give NaN and low ones give nothing. The running maximum is there for that.",
    {LEVEL: "torch.zeros_like(new)", "torch.exp(highest - level)": "torch.ones_like(highest)"},
    {
        LEVEL: "torch.zeros_like(new)",
        "torch.exp(highest - level)": "torch.ones_like(highest)",
        DIVIDE: "output / total",
    },
    {
        LEVEL: "torch.zeros_like(new)",
        "torch.exp(highest - level)": "torch.ones_like(highest)",
        DIVIDE: EMPTY_AS_ZERO,
    },
)

online_softmax_attention.mistake(
    "one maximum for all queries",
    "Your maximum is the largest score of all queries, not of each. Where the scores of some query lie far below it, all exponentials of that query become 0, and its output is lost. Each query has a maximum of its own: `scores.amax(dim=-1, keepdim=True)`.",
    {"scores.amax(dim=-1, keepdim=True)": "scores.amax()"},
    {"scores.amax(dim=-1, keepdim=True)": "scores.amax()", DIVIDE: EMPTY_AS_ZERO},
    {"scores.amax(dim=-1, keepdim=True)": "scores.amax()", DIVIDE: "output / total"},
)

online_softmax_attention.mistake(
    "the maximum begins at 0",
    "Your running maximum begins at 0, so it never goes below. For a query whose scores are all far below 0, every exponential becomes 0, and its output is lost. Begin at -inf.",
    {'q.new_full((*q.shape[:-1], 1), float("-inf"))': "q.new_zeros(*q.shape[:-1], 1)"},
    {'q.new_full((*q.shape[:-1], 1), float("-inf"))': "q.new_zeros(*q.shape[:-1], 1)", DIVIDE: "output / total"},
    {'q.new_full((*q.shape[:-1], 1), float("-inf"))': "q.new_zeros(*q.shape[:-1], 1)", DIVIDE: EMPTY_AS_ZERO},
)

online_softmax_attention.mistake(
    "never divided",
    "Your output is the sum of the values times their exponentials, and is never divided. The weights of a query then sum to its sum of exponentials, not to 1. Divide by that sum once, at the end.",
    {DIVIDE: "output"},
)

NEW_TOO = "the new block is shrunk too"
online_softmax_attention.mistake(
    NEW_TOO,
    "What the new block adds is multiplied by exp(m - m') as well. It was made with the new maximum already, so only what was there before is brought to it. (In the first block that factor is 0, and all of it is lost.) Look at the brackets: `old * shrink + new`.",
    {
        SUM: f"total = (total + {OWN_SUM}) * shrink",
        MIX: "output = (output + weights @ values) * shrink",
    },
    *(
        edit(
            {SUM: f"total = (total + {OWN_SUM}) * shrink"} | divided,
            says="What the new block adds to the sum is multiplied by exp(m - m') as well. It was made with the new maximum already, so only the old sum is brought to it. (In the first block that factor is 0, and its sum is lost.) Look at the brackets: `total * shrink + new`.",
        )
        for divided in ({}, {DIVIDE: "(output / total).masked_fill(total == 0, 0.0)"}, {DIVIDE: "output / total"})
    ),
    edit(
        {MIX: "output = (output + weights @ values) * shrink"},
        says="What the new block mixes is multiplied by exp(m - m') as well. It was made with the new maximum already, so only the old output is brought to it. (In the first block that factor is 0, and what it mixes is lost.) Look at the brackets: `output * shrink + new`.",
    ),
)

online_softmax_attention.mistake(
    "the block keeps its own maximum",
    "The exponentials of a block are made with the block's own maximum, and what was summed before is brought to the maximum of all blocks so far. The two are added in different scales. Subtract the same maximum from the new scores.",
    edit({"torch.exp(scores - level)": "torch.exp(scores - scores.amax(dim=-1, keepdim=True))"}),
    {
        "torch.exp(scores - level)": "torch.exp(scores - scores.amax(dim=-1, keepdim=True)).nan_to_num()",
    },
)

online_softmax_attention.mistake(
    "divided in every block",
    "Your output is divided by the sum in every block, and the division is not undone before the next block is added. So early blocks are divided several times. Divide once, at the end.",
    {MIX: f"{MIX.replace('= ', '= (')}) / total.masked_fill(total == 0, 1.0)", DIVIDE: "output"},
    {MIX: f"{MIX.replace('= ', '= (')}) / total.masked_fill(total == 0, 1.0)"},
    {MIX: f"{MIX.replace('= ', '= (')}) / total", DIVIDE: "output"},
    {MIX: f"{MIX} / total", DIVIDE: "output"},
    {MIX: f"{MIX} / total.masked_fill(total == 0, 1.0)", DIVIDE: "output"},
)

EACH = "every block has a softmax of its own"
online_softmax_attention.mistake(
    EACH,
    "Every block has a softmax of its own, and the results are added up. The weights of a query then sum to the number of blocks, not to 1, and a block with low scores counts as much as one with high scores. Blocks share one maximum and one sum.",
    {MIX: "output = output + torch.softmax(scores, dim=-1).nan_to_num() @ values", DIVIDE: "output"},
    {MIX: "output = output + torch.softmax(scores, dim=-1) @ values", DIVIDE: "output"},
    edit(
        {
            MIX: "output = output + torch.softmax(scores, dim=-1).nan_to_num() @ values",
            DIVIDE: "output / math.ceil(key_len / block)",
        },
        says="Every block has a softmax of its own, and your output is the mean over the blocks. A block with low scores then counts as much as one with high scores. Blocks share one maximum and one sum.",
    ),
    edit(
        {
            MIX: "output = output + torch.softmax(scores, dim=-1) @ values",
            DIVIDE: "output / math.ceil(key_len / block)",
        },
        says="Every block has a softmax of its own, and your output is the mean over the blocks. A block with low scores then counts as much as one with high scores. Blocks share one maximum and one sum.",
    ),
    *(
        edit(
            {"torch.exp(scores - level)": made},
            says="What a block adds to sum and output is a softmax of its own scores: it is divided by the block's sum already, and so it is no longer in the scale of the other blocks. Take the exponentials of the scores minus the running maximum, and divide once, at the end.",
        )
        for made in ("torch.softmax(scores, dim=-1)", "torch.softmax(scores, dim=-1).nan_to_num()")
    ),
    *(
        edit(
            {"weights @ values": mixed},
            says="The values of a block are mixed with weights that are divided by the block's sum already, and the output is divided again at the end. Mix them with the exponentials as they are, and divide once.",
        )
        for mixed in (
            "torch.softmax(scores, dim=-1) @ values",
            "torch.softmax(scores, dim=-1).nan_to_num() @ values",
            f"(weights / {OWN_SUM}).nan_to_num() @ values",
        )
    ),
)

online_softmax_attention.mistake(
    "earlier blocks forgotten",
    "Your output is that of the last block alone: what earlier blocks have summed and mixed is gone. Add the new block to what was there, and take the new maximum over for the next round.",
    {SUM: f"total = {OWN_SUM}", MIX: "output = weights @ values"},
    {"highest = new": "pass"},
    edit(
        {SUM: f"total = {OWN_SUM}"},
        says="Your sum is that of the last block alone, while the output holds all blocks. Add the block's sum to the old sum, rescaled.",
    ),
    edit(
        {MIX: "output = weights @ values"},
        says="Your output holds the values of the last block alone, while the sum counts all blocks. Add what the block mixes to the old output, rescaled.",
    ),
)

online_softmax_attention.mistake(
    "last short block lost",
    "The last keys are never read where they do not fill a block. Your numbers are those without them. A slice may reach beyond the end: `range(0, key_len, block)` covers all keys.",
    {"range(0, key_len, block)": "range(0, key_len - key_len % block, block)"},
    edit(
        {"range(0, key_len, block)": "range(0, key_len - block, block)"},
        says="The last block is never read, whether it is full or not. Your numbers are those without its keys. A slice may reach beyond the end: `range(0, key_len, block)` covers all keys.",
    ),
)

online_softmax_attention.mistake(
    "only the first block",
    "Your output is that of the first block alone: later keys are never read. `return` stands inside the loop, or something else ends it. All blocks come first, then the division.",
    {BLOCK: "        highest = new\n        break\n    return"},
)

online_softmax_attention.mistake(
    "blocks do not meet",
    "Some keys are left out, or read twice. The next block begins where the last one ended: `range(0, key_len, block)`, and from `start` to `start + block`.",
    edit(
        {"stop = start + block": "stop = start + block - 1"},
        says="The last key of every block is never read. A slice ends before its second number: `start : start + block` holds `block` keys.",
    ),
    edit(
        {"stop = start + block": "stop = start + block + 1"},
        says="The first key of every block but the first is read twice, in the block before it as well. A slice ends before its second number: `start : start + block` holds `block` keys.",
    ),
    edit(
        {"range(0, key_len, block)": "range(0, key_len)"},
        says="A new block begins at every key, so keys are read several times. The next block begins where the last one ended: `range(0, key_len, block)`.",
    ),
    edit(
        {"range(0, key_len, block)": "range(0, q.size(-2), block)"},
        says="Blocks end where the queries end in number, so some keys are never read where there are more keys than queries. Blocks are cut of the keys: `range(0, key_len, block)`.",
    ),
    edit(
        {"range(0, key_len, block)": "range(block, key_len, block)"},
        says="The first block is never read: your blocks begin with the second. `range(0, key_len, block)` begins with the first key.",
    ),
)

online_softmax_attention.mistake(
    "NaN from a hidden block",
    "A query whose first block is hidden gets NaN, and keeps it, whatever it sees later. As long as it has seen nothing, its maximum is -inf and its sum 0; -inf minus -inf is NaN, and so is 0 divided by 0. Subtract 0 where the maximum is still -inf, and divide at the end alone.",
    {LEVEL: "new"},
    {LEVEL: "new", DIVIDE: "output / total"},
    edit(
        {LEVEL: "new", DIVIDE: EMPTY_AS_ZERO},
        says="A query whose first block is hidden becomes NaN, and you turn that into 0 at the end: what it sees later is lost. As long as it has seen nothing, its maximum is -inf, and -inf minus -inf is NaN. Subtract 0 where the maximum is still -inf.",
    ),
    {"torch.exp(highest - level)": "torch.exp(highest - new)"},
    {"torch.exp(scores - level)": "torch.exp(scores - new)"},
    edit(
        {LEVEL: "new", DIVIDE: "(output / total).nan_to_num()"},
        says="A query whose first block is hidden becomes NaN, and you turn that into 0 at the end: what it sees later is lost. As long as it has seen nothing, its maximum is -inf, and -inf minus -inf is NaN. Subtract 0 where the maximum is still -inf.",
    ),
)

online_softmax_attention.mistake(
    "NaN from the first block",
    "Every number is NaN. Before the first block the maximum is -inf, and you take the exponential of something minus this -inf, which is infinite; infinite times a sum of 0 is NaN. New scores have the new maximum subtracted; what was summed before is multiplied by exp(m - m'), the old maximum minus the new one.",
    {"torch.exp(highest - level)": "torch.exp(level - highest)"},
    {"torch.exp(scores - level)": "torch.exp(scores - highest)"},
    {"torch.exp(highest - level)": "torch.exp(new - highest)", LEVEL: "new"},
)

online_softmax_attention.mistake(
    "0 divided by 0",
    "A query that may look at nothing has a sum of 0, and 0 divided by 0 is NaN. Its output is promised to be 0: divide by 1 where the sum is 0.",
    {"total.masked_fill(total == 0, 1.0)": "total"},
)

online_softmax_attention.mistake(
    "a finite fill",
    "Hidden scores are filled with a finite number, such as -1e9. A query that may look at nothing then gives all its keys the same weight, and gets the mean of values that it should not see. Fill with -inf.",
    {HIDE: "scores.masked_fill(~mask[..., start:stop], -1e9)"},
)

ADDED = "the mask is added to the scores"
online_softmax_attention.mistake(
    ADDED,
    "Your mask is added to the scores as it is: True counts as 1 and False as 0. What is hidden is then hardly less likely than what may be seen. Give hidden scores -inf: `scores.masked_fill(~mask[..., start:stop], float('-inf'))`.",
    {HIDE: "scores + mask[..., start:stop]"},
)

online_softmax_attention.mistake(
    "0 times -inf",
    "Under a mask every query becomes NaN: infinity is multiplied by the mask, and 0 · inf is NaN where nothing should be changed. Write -inf only where the mask is False: `scores.masked_fill(~mask[..., start:stop], float('-inf'))`.",
    edit({HIDE: "scores + (~mask[..., start:stop]) * float('-inf')"}),
    edit({HIDE: "scores + (~mask[..., start:stop]) * float('-inf')", DIVIDE: "output / total"}),
    edit(
        {HIDE: "scores + (~mask[..., start:stop]) * float('-inf')", DIVIDE: EMPTY_AS_ZERO},
        says="Under a mask every query becomes NaN, and you turn that into 0 at the end: infinity is multiplied by the mask, and 0 · inf is NaN where nothing should be changed. Write -inf only where the mask is False: `scores.masked_fill(~mask[..., start:stop], float('-inf'))`.",
    ),
)

online_softmax_attention.mistake(
    "mask inverted",
    'Your mask hides what may be seen, and shows what is hidden. In this course True means "may look": fill where the mask is False.',
    {"~mask[..., start:stop]": "mask[..., start:stop]"},
)

online_softmax_attention.mistake(
    "mask not used",
    "Your numbers are those without a mask: every query reads every key. Fill the scores of a block with -inf where the mask's columns for this block are False, before the maximum is taken.",
    {HIDE: "scores"},
)

online_softmax_attention.mistake(
    "mask by block only",
    "A block is shown or hidden as a whole. Where the border of a mask runs through a block, each key in it has a column of its own: cut the mask as you cut the keys, `mask[..., start:stop]`.",
    edit(
        {"~mask[..., start:stop]": "~mask[..., start:stop].any(dim=-1, keepdim=True)"},
        says="A query that may look at one key of a block reads all of them. With a causal mask that is the future. Each key has a column of its own: cut the mask as you cut the keys, `mask[..., start:stop]`.",
    ),
    edit(
        {"~mask[..., start:stop]": "~mask[..., start:stop].all(dim=-1, keepdim=True)"},
        says="A query that may not look at one key of a block reads none of them. With a causal mask some queries do not even read themselves. Each key has a column of its own: cut the mask as you cut the keys, `mask[..., start:stop]`.",
    ),
    edit(
        {"~mask[..., start:stop]": "~mask[..., start : start + 1]"},
        says="The mask's column of a block's first key decides for the whole block. With a causal mask that lets a query read the future. Each key has a column of its own: `mask[..., start:stop]`.",
    ),
)

online_softmax_attention.mistake(
    "every block has the first one's mask",
    "Every block is masked with the mask's first columns, which belong to the first block. Cut the mask as you cut the keys: `mask[..., start:stop]`.",
    {"~mask[..., start:stop]": "~mask[..., : keys.size(-2)]"},
)

online_softmax_attention.mistake(
    "hidden scores set to 0",
    "Hidden scores are set to 0, and a score of 0 is a score like any other: its exponential is not 0. Fill with -inf.",
    {HIDE: "scores * mask[..., start:stop]"},
    {HIDE: "scores.masked_fill(~mask[..., start:stop], 0.0)"},
)

online_softmax_attention.mistake(
    "hidden keys still counted in the sum",
    "Hidden keys are left out of the mixed values and still counted in the sum. The weights of a query then sum to less than 1. Hide scores before the exponential, and both follow.",
    {HIDE: "scores", "weights @ values": "(weights if mask is None else weights * mask[..., start:stop]) @ values"},
)

online_softmax_attention.mistake(
    "no scale",
    "Your scores are not divided by √d_head. The softmax is then too sharp. It is the same attention as in lesson 02, read in another order.",
    {SCORES: "q @ keys.transpose(-2, -1)"},
)

online_softmax_attention.mistake(
    "another scale",
    "Your scores are divided by another number than √d_head, the root of the last dimension of the queries.",
    edit(
        {SCORES: "q @ keys.transpose(-2, -1) / q.size(-1)"}, says="Your scores are divided by d_head, not by its root."
    ),
    edit(
        {SCORES: "q @ keys.transpose(-2, -1) / math.sqrt(v.size(-1))"},
        says="Your scores are divided by the root of the values' width. It is the root of the width of queries and keys: `q.size(-1)`.",
    ),
    edit(
        {SCORES: "q @ keys.transpose(-2, -1) / math.sqrt(keys.size(-2))"},
        says="Your scores are divided by the root of the number of keys in a block. It is the root of the width of queries and keys: `q.size(-1)`.",
    ),
)


def _whole(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    if k.size(-2) != v.size(-2) or (mask is not None and mask.dtype != torch.bool) or block < 1:
        raise ValueError("sizes that do not fit")
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v


online_softmax_attention.mistake(
    "memory as before",
    "Your numbers are right, and as many are held at once as in lesson 02: those of the whole matrix of scores. That is what blocks are there to avoid. Compute the scores of a block when its turn comes, and keep nothing of it but the maximum, the sum and the output.",
    {SCORES: "(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)))[..., start:stop]"},
    _whole,
)


def _by_rows(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    if k.size(-2) != v.size(-2) or (mask is not None and mask.dtype != torch.bool) or block < 1:
        raise ValueError("sizes that do not fit")
    if mask is not None:
        mask = mask.expand(*mask.shape[:-2], q.size(-2), k.size(-2))
    rows = [
        _whole(q[..., place : place + 1, :], k, v, None if mask is None else mask[..., place : place + 1, :])
        for place in range(q.size(-2))
    ]
    return torch.cat(rows, dim=-2)


online_softmax_attention.mistake(
    "all keys of a query at once",
    "Your numbers are right, and the whole matrix is never held; but some queries have the weights of all their keys at once, more than `block`. For a text of a million tokens, that row is as long. Read the keys block by block, with a running maximum and sum.",
    _by_rows,
)
