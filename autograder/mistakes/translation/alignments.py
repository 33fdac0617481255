"""Wrong ways of alignment."""

from autograder.checks.translation import alignment_share
from autograder.probing.mistake import edit

COUNTS = "wanted >= 0  # (batch, tgt_len)"
LARGEST = "weights.mean(dim=1).argmax(dim=-1)"
HITS = "(largest == wanted)[counts]"
SHARE = "(largest == wanted)[counts].float().mean().item()"
NEXT, BEFORE = "(largest[:, 1:] == wanted[:, :-1])[counts[:, :-1]]", "(largest[:, :-1] == wanted[:, 1:])[counts[:, 1:]]"
# Where nothing counts, a mean is no number, and a division of counts raises an error.
DIVIDED = "{}.sum().item() / {}.sum().item()"
ON_PLACE = "weights.mean(dim=1).gather(-1, wanted.clamp(min=0).unsqueeze(-1)).squeeze(-1)[counts].mean().item()"

alignment_share.mistake(
    "every head by itself",
    "Every head is asked by itself, and the answers are averaged. Heads have different jobs, and a head that looks elsewhere is no mistake. This "
    "function asks where the heads look together: first take the mean over the heads, then the largest weight.",
    {
        LARGEST: "weights.argmax(dim=-1)",
        HITS: "(largest == wanted.unsqueeze(1))[counts.unsqueeze(1).expand_as(largest)]",
    },
)
alignment_share.mistake(
    "one head is enough",
    "A target token counts if any head looks at the right place. With enough heads one of them nearly always does, by chance. This function asks where "
    "the heads look together: take the mean over the heads.",
    {LARGEST: "weights.argmax(dim=-1)", HITS: "(largest == wanted.unsqueeze(1)).any(dim=1)[counts]"},
)
alignment_share.mistake(
    "the surest head decides",
    "You take the largest weight of any head. Then the head with the largest weight decides for all. Take the mean over the heads.",
    {"weights.mean(dim=1)": "weights.amax(dim=1)"},
)
alignment_share.mistake(
    "the first head only",
    "Only the first head is looked at. Heads have different jobs, and it is chance which head has which job. Take the mean over all of them.",
    {"weights.mean(dim=1)": "weights[:, 0]"},
    edit(
        {"weights.mean(dim=1)": "weights[:, -1]"},
        says="Only the last head is looked at. Heads have different jobs, and it is chance which head has which job. Take the mean over all of them.",
    ),
)
alignment_share.mistake(
    "the largest over the target",
    "You look for the largest weight along the target. That tells for each source token which target token looks at it most. This function asks for "
    "each target token where it looks: along the source, the last dimension.",
    {"argmax(dim=-1)": "argmax(dim=-2)"},
)
alignment_share.mistake(
    "tokens without a source count",
    "Target tokens that translate nothing, those with -1, are counted as misses. `und` has no source, nor has padding, so no weight could be right "
    "there. Leave such tokens out of the division as well.",
    {HITS: "(largest == wanted)"},
    edit(
        {HITS: "((largest == wanted) | ~counts)"},
        says="Target tokens that translate nothing, those with -1, are counted as hits. `und` has no source, nor has padding, so no weight could be right there. Leave them out, above and below the line.",
    ),
)
alignment_share.mistake(
    "-1 is taken for a place",
    "-1 is taken for place 0. Target tokens that translate nothing count then, as hits if they look at the first source token. Leave them out.",
    {HITS: "(largest == wanted.clamp(min=0))"},
    edit(
        {HITS: "(largest == wanted % weights.size(-1))"},
        says="-1 is taken for the last place, as in an index. Target tokens that translate nothing count then, as hits if they look at the last source token. Leave them out.",
    ),
)
alignment_share.mistake(
    "more than half of the weight",
    "You ask whether more than half of the weight lies on the wanted place. The largest weight may be less than half: of 0.4, 0.3 and 0.3 it is the first. Ask where the largest is.",
    *({SHARE: ON_PLACE.replace(".mean().item()", f".{over}(0.5).float().mean().item()")} for over in ("gt", "ge")),
)
alignment_share.mistake(
    "the rest after a -1 is left out",
    "In each sentence you stop at the first -1. There may be more behind it: `und` translates nothing, and the ten comes after it. Leave out single tokens: `continue`, not `break`.",
    {COUNTS: "(wanted >= 0).long().cumprod(dim=1).bool()"},
    {COUNTS: "(wanted >= 0).long().cumprod(dim=1).bool()", SHARE: DIVIDED.format(HITS, "counts")},
)
alignment_share.mistake(
    "the mean of sentences",
    "You take the share of each sentence, and the mean of these. A token of a short sentence weighs more then than one of a long sentence, and a "
    "sentence without any token that counts gives a division by zero. All target tokens should weigh the same.",
    {SHARE: "((largest == wanted) & counts).sum(dim=1).div(counts.sum(dim=1)).mean().item()"},
)
alignment_share.mistake(
    "place 0 does not count",
    "Place 0 is left out. It is the first source token, as good as any; only -1 means that there is none. The comparison is `>= 0`.",
    {COUNTS: "wanted != 0  # (batch, tgt_len)"},
    {COUNTS: "wanted > 0  # (batch, tgt_len)"},
    {COUNTS: "wanted > 0  # (batch, tgt_len)", SHARE: DIVIDED.format(HITS, "counts")},
)
alignment_share.mistake(
    "the weight and not the share",
    "You measure how large the weight on the right place is. This function asks how often it is the largest: yes or no for each target token, then the share.",
    {SHARE: ON_PLACE},
)
alignment_share.mistake(
    "the row of the next token",
    "You compare each token with the row after its own. Row i belongs to token i: there the decoder has read what stands before token i and is about to "
    "write it. `weights` and `wanted` line up as they are.",
    {HITS: NEXT},
    {SHARE: DIVIDED.format(NEXT, "counts[:, :-1]")},
)
alignment_share.mistake(
    "the row of the token before",
    "You compare each token with the row before its own. `wanted` has nothing for a start token, so `weights` and `wanted` line up as they are.",
    {HITS: BEFORE},
    {SHARE: DIVIDED.format(BEFORE, "counts[:, 1:]")},
)
alignment_share.mistake(
    "in per cent",
    "The share comes out in per cent. It should go from 0 to 1; the caller decides how to print it.",
    {"    return ": "    return 100 * "},
)
alignment_share.mistake(
    "the heads vote",
    "Every head names a place, and the place that most of them name wins. An unsure head then has the same vote as a sure one. Take the mean of the "
    "weights over the heads, and its largest weight.",
    {LARGEST: "weights.argmax(dim=-1).mode(dim=1).values"},
)
alignment_share.mistake(
    "a number of hits",
    "You return how many target tokens look at the right place. Return their share of all tokens that count: divide.",
    {SHARE: "float((largest == wanted)[counts].sum())"},
)
alignment_share.mistake(
    "the share of misses",
    "You measure how often the largest weight does *not* lie on the wanted place. Return 1 minus that.",
    {"(largest == wanted)": "(largest != wanted)"},
)
alignment_share.mistake(
    "a tensor of one number",
    "A tensor of one number comes back, and a float is promised. `.item()` takes the number out.",
    {".item()": ""},
)
alignment_share.mistake(
    "rounded",
    "Your share is rounded. The caller decides how many digits to print; to compare two shares all digits are needed.",
    *({SHARE: f"round({SHARE}, {digits})"} for digits in (1, 2, 3)),
)
alignment_share.mistake(
    "nothing to count accepted",
    "Where no target token counts, something comes back. No token, no share: a 0 would look like a model that is always wrong. Raise a ValueError, as "
    "the given lines did.",
    {'raise ValueError("no target token counts: wanted is below 0 everywhere")': "return 0.0"},
    {"if not (wanted >= 0).any():": "if False:"},
)
