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
    edit(
        {"(largest == wanted)": "(largest.roll(1, dims=1) == wanted)"},
        says="You compare each token with the row before its own, and the first with the last row. `wanted` has nothing for a start token, so `weights` and `wanted` line up as they are.",
    ),
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
    {  # of two places with as many votes the one that an earlier head names
        LARGEST: "torch.tensor([[Counter(named).most_common(1)[0][0] for named in zip(*heads, strict=True)] for heads in weights.argmax(dim=-1).tolist()])"
    },
)
alignment_share.mistake(
    "all heads have to agree",
    "A target token counts as a hit only if every head looks at the right place. Heads have different jobs, and one that looks elsewhere is no mistake. This function asks where the heads look together: take the mean over them.",
    {LARGEST: "weights.argmax(dim=-1)", HITS: "(largest == wanted.unsqueeze(1)).all(dim=1)[counts]"},
)
alignment_share.mistake(
    "the heads taken together otherwise",
    "You do not take the mean over the heads. A product, a root of squares or a median can lie elsewhere than the mean does: use `weights.mean(dim=1)`.",
    edit(
        {"weights.mean(dim=1)": "weights.prod(dim=1)"},
        says="You multiply the weights of the heads. One head that does not look at a place then decides that nobody does. Take the mean over the heads.",
    ),
    edit(
        {"weights.mean(dim=1)": "weights.square().mean(dim=1)"},
        says="You take the mean of the *squares*. A sure head weighs more then than several that are less sure. Take the mean of the weights as they are.",
    ),
    edit(
        {"weights.mean(dim=1)": "weights.median(dim=1).values"},
        says="You take the median over the heads. It does not see how sure a head is. Take the mean.",
    ),
    edit(
        {"weights.mean(dim=1)": "weights.amin(dim=1)"},
        says="You take the smallest weight of any head. Then the head that looks at a place least decides. Take the mean over the heads.",
    ),
    edit(
        {"weights.mean(dim=1)": "weights.softmax(dim=-1).mean(dim=1)"},
        says="You take a softmax of the weights. They are weights already, each row sums to 1, and a second softmax makes sure heads less sure. Take the mean as they are.",
    ),
)
alignment_share.mistake(
    "a head left out",
    "One head is left out of the mean. Heads have different jobs, and it is chance which head has which job. Take the mean over all of them: `dim=1`, and no slice.",
    *(
        edit(
            {"weights.mean(dim=1)": f"weights[:, {some}].mean(dim=1)"},
            says=f"The {which} head is left out of the mean. Heads have different jobs, and it is chance which head has which job. Take the mean over all of them.",
        )
        for some, which in (
            ("1:", "first"),
            ("min(1, weights.size(1) - 1) :", "first"),
            (":-1", "last"),
            (": max(1, weights.size(1) - 1)", "last"),
        )
    ),
)
alignment_share.mistake(
    "the smallest weight",
    "You look for the *smallest* weight: `argmin`, or a sort in ascending order. A token looks where its weight is largest: `argmax`.",
    {"argmax": "argmin"},
)
alignment_share.mistake(
    "a near place is right",
    "A place beside the wanted one counts as a hit. The next word is another word: only the wanted place is right.",
    {HITS: "((largest - wanted).abs() <= 1)[counts]"},
    edit(
        {
            SHARE: "(weights.mean(dim=1).topk(min(2, weights.size(-1)), dim=-1).indices == wanted.unsqueeze(-1)).any(dim=-1)[counts].float().mean().item()"
        },
        says="The second largest weight may lie on the wanted place as well. Asked is where the largest lies, and that alone.",
    ),
)
alignment_share.mistake(
    "places counted from 1",
    "Places are one off: yours are counted from 1, or shifted by a start token that the source does not have. The first source token is place 0, in `wanted` as in `argmax`.",
    {"(largest == wanted)": "(largest + 1 == wanted)"},
    {"(largest == wanted)": "(largest - 1 == wanted)"},
)
alignment_share.mistake(
    "whole sentences",
    "You count sentences: one is a hit if all of its target tokens look at the right places. Asked is the share of target tokens, those of all sentences alike.",
    {SHARE: "((largest == wanted) | ~counts).all(dim=1).float().mean().item()"},
    {SHARE: "((largest == wanted) | ~counts).all(dim=1)[counts.any(dim=1)].float().mean().item()"},
)
alignment_share.mistake(
    "one sentence only",
    "Only one sentence is counted. Where the counters are set to 0 inside the loop over the sentences, or the loop returns in its first round, the others are lost. Count the target tokens of all sentences, and divide at the end.",
    *(
        {SHARE: share.format(f"(largest == wanted)[{which}][counts[{which}]]", f"counts[{which}]")}
        for which in ("0", "-1")
        for share in (
            "{0}.float().mean().item()",
            "{0}.sum().item() / {1}.sum().item()",
            "{0}.sum().item() / max({1}.sum().item(), 1)",
        )
    ),
)
alignment_share.mistake(
    "divided by the sentences",
    "You divide the hits by the number of sentences. A share of target tokens is divided by the number of target tokens, of all that count.",
    {SHARE: f"{HITS}.sum().item() / len(wanted)"},
)
alignment_share.mistake(
    "weights compared with places",
    "You compare the largest *weight* with a place. `max` gives values and indices; the place is the index: `argmax`, or `.indices`.",
    {LARGEST: "weights.mean(dim=1).amax(dim=-1)"},
)
alignment_share.mistake(
    "sentences and tokens exchanged",
    "`weights` and `wanted` are laid out in different orders before they are compared: sentence after sentence the one, token after token the other. Compare them as they are, or flatten both in the same order.",
    {SHARE: "(largest.flatten() == wanted.t().flatten())[wanted.t().flatten() >= 0].float().mean().item()"},
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
    edit(
        {SHARE: f"int({SHARE})"},
        says="Your share is cut to a whole number: 0, or 1 where all is right. `//` and `int` do that; divide by `/`.",
    ),
)
alignment_share.mistake(
    "nothing to count accepted",
    "Where no target token counts, something comes back. No token, no share: a 0 would look like a model that is always wrong. Raise a ValueError, as "
    "the given lines did.",
    {'raise ValueError("no target token counts: wanted is below 0 everywhere")': "return 0.0"},
    {"if not (wanted >= 0).any():": "if False:"},
)
