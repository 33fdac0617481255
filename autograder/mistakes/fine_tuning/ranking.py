"""Wrong ways of measuring scores."""

from autograder.checks.fine_tuning.ranking import roc_auc
from autograder.probing.mistake import edit

RANKS = "counts.cumsum(dim=0) - (counts.double() - 1) / 2"
OF_ONES = "ranks[place[is_one]]"
WON = "won = ranks[place[is_one]].sum().item() - ones * (ones + 1) / 2"
BELOW = "(ones * zeros)"
LEAST = " - ones * (ones + 1) / 2"
SHARE = "won / (ones * zeros)"

roc_auc.mistake(
    "a tie counts as won",
    "A pair of equal scores counts in full. A model that gives every place the same score would then be perfect. A tie counts one half.",
    {SHARE: "(scores[is_one][:, None] >= scores[~is_one]).double().mean().item()"},
    edit(
        {RANKS: "counts.cumsum(dim=0).double()"},
        says="Equal scores get the last of their ranks, not the mean of them. So a tie counts as won, also one between two ones, and the result can go beyond 1. A tie counts one half.",
    ),
    {WON: "won = (scores[is_one][:, None] >= scores[~is_one]).sum().item()"},
)

roc_auc.mistake(
    "a tie counts as lost",
    "A pair of equal scores counts nothing. A model that gives every place the same score would then be worse than chance. A tie counts one half.",
    {SHARE: "(scores[is_one][:, None] > scores[~is_one]).double().mean().item()"},
    edit(
        {RANKS: "(counts.cumsum(dim=0) - counts + 1).double()"},
        says="Equal scores get the first of their ranks, not the mean of them. So a tie counts as lost, also one between two ones, and the result can fall below 0. A tie counts one half.",
    ),
    {WON: "won = (scores[is_one][:, None] > scores[~is_one]).sum().item()"},
)

roc_auc.mistake(
    "ties by the order of the list",
    "Equal scores have different ranks: those of the order in which they stand in the list. The result then depends on how the list is sorted. Equal scores share the mean of their ranks.",
    {OF_ONES: "(scores.argsort(stable=True).argsort() + 1)[is_one]"},
    {OF_ONES: "(scores.argsort().argsort() + 1)[is_one]"},
    {OF_ONES: "(len(scores) - scores.argsort(descending=True, stable=True).argsort())[is_one]"},
    {OF_ONES: "(len(scores) - scores.argsort(descending=True).argsort())[is_one]"},
)

roc_auc.mistake(
    "the order taken for the ranks",
    "You take what `argsort` gives for ranks. It says which *place* has the smallest score, the next one, and so on; the rank of a place is where its own number stands in that list. `ranks[order] = torch.arange(...)` turns one into the other, and equal scores share the mean of their ranks.",
    {OF_ONES: "(scores.argsort() + 1)[is_one]"},
    {OF_ONES: "(scores.argsort(stable=True) + 1)[is_one]"},
    {OF_ONES: "scores.argsort()[is_one]"},
    {OF_ONES: "scores.argsort(stable=True)[is_one]"},
)

roc_auc.mistake(
    "ranks of values instead of places",
    "Your ranks number the different *values*: many places with one score take up a single rank. A score has the rank that it has among all places; equal scores share the mean of theirs.",
    {RANKS: "torch.arange(1, len(counts) + 1)"},
)

roc_auc.mistake(
    "too little is taken off",
    "From the ranks of the ones you take off 0 + 1 + ... + (ones - 1), and your ranks begin at 1. So each 1 has a rank too many, and the result can go beyond 1. Take off 1 + 2 + ... + ones, or begin at 0.",
    {LEAST: " - ones * (ones - 1) / 2"},
    edit(
        {LEAST: " - ones * ones / 2"},
        says="From the ranks of the ones you take off ones² / 2, and each 1 keeps half a rank too many. The least that they can add up to is 1 + 2 + ... + ones, which is ones · (ones + 1) / 2.",
    ),
    edit(
        {RANKS: "counts.cumsum(dim=0) - counts.double() / 2"},
        says="Each of your ranks is one half too small: of `counts` equal scores the last rank is `counts.cumsum(0)` and the mean is (counts - 1) / 2 less. With counts / 2 the ranks begin at one half.",
    ),
)

roc_auc.mistake(
    "upside down",
    "Your result is one less the area: a good model gets a small number. Larger scores speak for label 1; have the ranks begin at the smallest score, and add up those of the ones.",
    {SHARE: "1 - won / (ones * zeros)"},
    {OF_ONES: "ranks[place[~is_one]]", LEAST: " - zeros * (zeros + 1) / 2"},
)

roc_auc.mistake(
    "the pairs that the 1 loses",
    "Your result is the share of pairs in which the 1 has the smaller score, or the same. It is upside down: larger scores speak for label 1. And a tie counts one half.",
    {SHARE: "(scores[is_one][:, None] <= scores[~is_one]).double().mean().item()"},
    edit(
        {SHARE: "(scores[is_one][:, None] < scores[~is_one]).double().mean().item()"},
        says="Your result is the share of pairs in which the 1 has the smaller score, and a tie counts nothing. It is upside down: larger scores speak for label 1. And a tie counts one half.",
    ),
)

roc_auc.mistake(
    "ranks from 0",
    "Your ranks begin at 0, and what is taken off counts them from 1. So each 1 has a rank too few, and the result can fall below 0. Take off 0 + 1 + ... + (ones - 1), or begin at 1.",
    {RANKS: f"{RANKS} - 1"},
)

roc_auc.mistake(
    "the least sum is not taken off",
    "The ranks of the ones are added up and nothing is taken off. Even the worst model has 1 + 2 + ... + ones there: these are the ranks among the ones themselves, and no pair with a 0.",
    {LEAST: ""},
)

roc_auc.mistake(
    "a share of all places",
    "You divide by the square of the number of all places, or by the number of all pairs. Pairs of two ones and of two zeros say nothing: divide by ones · zeros.",
    {BELOW: "len(labels) ** 2"},
    {BELOW: "(len(labels) * (len(labels) - 1) / 2)"},
    edit(
        {SHARE: "(won + ones * ones / 2) / (ones * len(labels))"},
        says="Each 1 is compared with all places, also with the other ones and with itself. That pulls the result towards one half. Compare each 1 with the zeros alone.",
    ),
    edit(
        {BELOW: "len(labels)"},
        says="You divide by the number of places. What was counted are pairs of a 1 and a 0: divide by ones · zeros.",
    ),
    edit(
        {
            WON: "won = (scores[is_one][:, None] > scores).sum().item() + (scores[is_one][:, None] == scores).sum().item() / 2",
            BELOW: "(ones * len(labels))",
        },
        says="Each 1 is compared with all places, also with the other ones and with itself. That pulls the result towards one half. Compare each 1 with the zeros alone.",
    ),
    *(
        edit(
            {BELOW: below},
            says=f"You divide by {what}. What was counted are pairs of a 1 and a 0: divide by ones · zeros.",
        )
        for below, what in (
            ("ones", "the number of ones"),
            ("zeros", "the number of zeros"),
            ("(ones * ones)", "the square of the number of ones"),
            ("(zeros * zeros)", "the square of the number of zeros"),
            ("min(ones, zeros)", "the smaller one of the numbers of ones and of zeros"),
        )
    ),
)

roc_auc.mistake(
    "Gini instead of the area",
    "Your result is twice the area less 1, the Gini coefficient: 0 by chance where the area is one half.",
    {SHARE: "2 * won / (ones * zeros) - 1"},
)

roc_auc.mistake(
    "accuracy at a threshold",
    "Your result is the share of places that are right at one threshold. The area asks no threshold: it goes by the order of the scores alone.",
    {SHARE: "((scores > 0.5) == is_one).double().mean().item()"},
    {SHARE: "((scores >= 0.5) == is_one).double().mean().item()"},
    {SHARE: "((scores > 0) == is_one).double().mean().item()"},
    edit(
        {SHARE: "max(((scores >= one) == is_one).double().mean().item() for one in scores)"},
        says="Your result is the share of places that are right at the best threshold. The area asks no threshold: it goes by the order of the scores alone.",
    ),
)

roc_auc.mistake(
    "a number of pairs",
    "Your result is a number of pairs. What is asked for is a share of all pairs of a 1 and a 0: divide by ones · zeros.",
    {SHARE: "won"},
)

roc_auc.mistake(
    "something else is taken off",
    "From the ranks of the ones you take off the least sum of the *zeros'* ranks. Take off the least that the ones' own could add up to: 1 + 2 + ... + ones.",
    {LEAST: " - zeros * (zeros + 1) / 2"},
    edit(
        {LEAST: " - ones * (ones + 1)"},
        says="Twice as much is taken off as should be. 1 + 2 + ... + ones is ones · (ones + 1) / 2.",
    ),
)

roc_auc.mistake(
    "the area with a minus",
    "Your result is the area with a minus. The curve is gone through from right to left: begin with the largest threshold, at which nothing is taken for a 1, so that the rate of false alarms goes up.",
    {SHARE: "-won / (ones * zeros)"},
)

roc_auc.mistake(
    "never below one half",
    "Where the area is below one half, your result is one less it. A model that has it the wrong way round is then taken for a good one. Below one half is below chance, and has to be seen.",
    {SHARE: "max(won, ones * zeros - won) / (ones * zeros)"},
)

TIES = "((scores == scores.max()) & {0}).sum().item()"

roc_auc.mistake(
    "an end of the curve is missing",
    "Your curve does not begin at (0, 0), where the threshold is so large that nothing is taken for a 1. What lies in front of the first point is missing in the area.",
    {SHARE: f"won / (ones * zeros) - {TIES.format('is_one')} / ones * {TIES.format('~is_one')} / zeros / 2"},
    edit(
        {
            SHARE: "won / (ones * zeros) - (scores[~is_one] == scores.min()).double().mean().item() * (2 - (scores[is_one] == scores.min()).double().mean().item()) / 2"
        },
        says="Your curve does not end at (1, 1), where the threshold is so small that everything is taken for a 1. What lies behind the last point is missing in the area.",
    ),
)

roc_auc.mistake(
    "ones as a share of all places",
    "What is rightly taken for a 1 is divided by the number of all places. The rate of hits is the share of the *ones*: otherwise the area shrinks with the share of ones.",
    {BELOW: "(len(labels) * zeros)"},
    edit(
        {BELOW: "(ones * len(labels))"},
        says="What is wrongly taken for a 1 is divided by the number of all places. The rate of false alarms is the share of the *zeros*.",
    ),
)

DOWNWARDS = "is_one[scores.argsort(descending=True, stable=True)].double()"

roc_auc.mistake(
    "average precision",
    "Your result is the average precision, the area under the curve of precision and recall. It depends on how many ones there are. What is asked for is the share of pairs of a 1 and a 0 in which the 1 has the larger score.",
    {SHARE: "torch.stack([is_one[scores >= one].double().mean() for one in scores[is_one]]).mean().item()"},
    *(
        {SHARE: f"({one} * {one}.cumsum(0) / torch.arange(1, len(scores) + 1)).sum().item() / ones"}
        for one in (DOWNWARDS, DOWNWARDS.replace(", stable=True", ""))
    ),
)

roc_auc.mistake(
    "a tensor for a number",
    "Your result is right, and it is a tensor. What is promised is a number of Python's, a float: `.item()` makes one of a tensor that holds one number.",
    {SHARE: "torch.tensor(won / (ones * zeros))"},
    edit(
        {SHARE: "torch.tensor([won / (ones * zeros)])"},
        says="Your result is right, and it is a tensor with a dimension. What is promised is a number of Python's, a float: `.item()` makes one of a tensor that holds one number.",
    ),
)

roc_auc.mistake(
    "rounded",
    "Your number is rounded. Round where you print: two models that differ in the third place are equal otherwise.",
    {SHARE: "round(won / (ones * zeros), 2)"},
    {SHARE: "round(won / (ones * zeros), 3)"},
    {SHARE: "round(won / (ones * zeros), 1)"},
)

roc_auc.mistake(
    "a percentage",
    "Your number is a hundred times as large. The area is a share, between 0 and 1.",
    {SHARE: "100 * won / (ones * zeros)"},
)

LARGER, EQUAL = (
    "(scores[is_one][:, None] > scores[~is_one]).double()",
    "(scores[is_one][:, None] == scores[~is_one]).double()",
)

roc_auc.mistake(
    "a tie counts another share",
    "A pair of equal scores counts against the 1, as one half taken off. It counts one half for it: between won and lost.",
    {SHARE: f"({LARGER} - {EQUAL} / 2).mean().item()"},
    *(
        edit(
            {SHARE: f"({LARGER} + {EQUAL} * {share}).mean().item()"},
            says=f"A pair of equal scores counts {share}. It counts one half: between won and lost.",
        )
        for share in (0.25, 0.75)
    ),
    # Where something else is wrong with what it is divided by.
    *(
        edit(
            {WON: f"won = ({LARGER} + {EQUAL} * {share}).sum().item()"},
            says=f"A pair of equal scores counts {share}. It counts one half: between won and lost.",
        )
        for share in (-0.5, 0.25, 0.75)
    ),
    edit(
        {SHARE: f"{LARGER}.sum().item() / max(1.0, (1 - {EQUAL}).sum().item())"},
        says="Pairs of equal scores are left out, above the line and below it. They are pairs like any other, and count one half each.",
    ),
    edit(
        {SHARE: f"({LARGER}.sum() / (1 - {EQUAL}).sum()).item()"},
        says="Pairs of equal scores are left out, above the line and below it, and where all are equal nothing is left to divide by. They are pairs like any other, and count one half each.",
    ),
)

roc_auc.mistake(
    "what was seen before is forgotten",
    "Each step to the right is multiplied by what was found at its own threshold alone. The height of the curve is all that has been found so far: add up, `+=`.",
    {
        SHARE: "sum(((scores == one) & ~is_one).sum().item() * ((above := scores[scores > one]).numel() and (is_one & (scores == above.min())).sum().item() + (is_one & (scores == one)).sum().item() / 2 or (is_one & (scores == one)).sum().item() / 2) for one in scores.unique()) / (ones * zeros)"
    },
)

roc_auc.mistake(
    "sizes instead of scores",
    "The scores are taken without their signs. A score far below 0 speaks for label 0: it is among the smallest, not among the largest.",
    {"_, place, counts = scores.unique": "_, place, counts = scores.abs().unique"},
)

roc_auc.mistake(
    "by how much instead of whether",
    "Each pair counts by how far apart its two scores are, through a sigmoid. What counts is which of the two is larger: 1, one half, or 0.",
    {SHARE: "(scores[is_one][:, None] - scores[~is_one]).double().sigmoid().mean().item()"},
    *(
        edit(
            {SHARE: f"(scores[is_one][:, None] - scores[~is_one]).double(){bent}.mean().item()"},
            says="Each pair counts by how far apart its two scores are. What counts is which of the two is larger: 1, one half, or 0.",
        )
        for bent in (".clamp(0, 1)", ".clamp(min=0)", "")
    ),
)

roc_auc.mistake(
    "a won pair counts one half",
    "A pair in which the 1 has the larger score counts one half, as a tie does. It counts whole: the width of a step is multiplied by *all* that was found before, and by half of what is found at the step itself.",
    {SHARE: f"({LARGER} + {EQUAL}).mean().item() / 2"},
    edit(
        {SHARE: f"({LARGER} + {EQUAL} / 2).mean().item() / 2"},
        says="Your number is half of the area. A pair in which the 1 has the larger score counts whole, and a tie counts one half.",
    ),
)

roc_auc.mistake(
    "halves are rounded down",
    "A half is rounded down, where something is divided by `//`. With an even number of equal scores the mean of their ranks lies between two ranks: divide by `/`.",
    {RANKS: RANKS.replace("/ 2", "// 2")},
    edit(
        {
            SHARE: "sum((is_one & (scores == one)).sum().item() * (((scores < one) & ~is_one).sum().item() + ((scores == one) & ~is_one).sum().item() // 2) for one in scores.unique()) / (ones * zeros)"
        },
        says="A half is rounded down, where something is divided by `//`. A 1 that meets an odd number of zeros with its own score has half a pair more: divide by `/`.",
    ),
    edit(
        {WON: f"won = {LARGER}.sum().item() + {EQUAL}.sum().item() // 2"},
        says="A half is rounded down, where something is divided by `//`. An odd number of ties has half a pair more: divide by `/`.",
    ),
)


def over_thresholds(steps: int, above: str, end: str) -> dict[str, str]:
    """The curve at thresholds from 1 down to 0."""
    rates = (
        f"((scores {above} one) & ~is_one).sum().item() / zeros, ((scores {above} one) & is_one).sum().item() / ones"
    )
    curve = f"[(0.0, 0.0), *(({rates}) for one in torch.linspace(1, 0, {steps})){end}]"
    area = "sum((after[0] - before[0]) * (after[1] + before[1]) / 2 for before, after in zip(curve, curve[1:]))"
    return {SHARE: f"(lambda curve: {area})({curve})"}


roc_auc.mistake(
    "a grid of thresholds",
    "Your curve has thresholds at equal steps between 0 and 1. Scores may lie outside of that, and several between two steps count as equal. Each score that occurs is a threshold.",
    *(
        over_thresholds(steps, above, end)
        for steps in (11, 101)
        for above in (">=", ">")
        for end in ("", ", (1.0, 1.0)")
    ),
)

roc_auc.mistake(
    "classes instead of scores",
    "You make classes of the scores first: above a threshold or not. All scores on one side of it are then ties. The area asks no threshold: it goes by the order of the scores themselves.",
    *(
        {"scores.unique": f"{classes}.double().unique"}
        for classes in ("(scores > 0.5)", "(scores >= 0.5)", "(scores > 0)", "scores.round()")
    ),
)

roc_auc.mistake(
    "scores are bent first",
    "The scores go through a sigmoid first. That keeps their order only as far as numbers reach: far below 0, and far above it, different scores become equal. Compare them as they are.",
    {"scores.unique": "scores.sigmoid().unique"},
)

roc_auc.mistake(
    "scores that are near count as equal",
    "Scores that differ a little count as equal. A tie is a pair of *equal* scores; of two that differ by a millionth, one is larger. Compare by `==`, and round nothing.",
    *({"scores.unique": f"scores.round(decimals={places}).unique"} for places in (1, 2, 3, 4)),
    *(
        {"scores.unique": f"torch.tensor([round(one, {places}) for one in scores.tolist()]).unique"}
        for places in (2, 3, 4)
    ),
    *(
        {SHARE: f"({LARGER} * ~{near} + 0.5 * {near}).mean().item()"}
        for near in (
            "torch.isclose(scores[is_one][:, None], scores[~is_one])",
            "((scores[is_one][:, None] - scores[~is_one]).abs() < 1e-3)",
            "((scores[is_one][:, None] - scores[~is_one]).abs() < 1e-5)",
        )
    ),
)

NEXT_TO = "min(ones, zeros)"

roc_auc.mistake(
    "each 1 meets a single 0",
    "The first 1 is compared with the first 0, the second with the second. Each 1 makes a pair with *every* 0: two loops, or `[:, None]`.",
    *(
        {
            SHARE: f"((scores[is_one][:{NEXT_TO}] > scores[~is_one][:{NEXT_TO}]).double() + {tie} * (scores[is_one][:{NEXT_TO}] == scores[~is_one][:{NEXT_TO}])).mean().item()"
        }
        for tie in (0.5, 0.0)
    ),
)

BEFORE = "(torch.arange(len(scores))[is_one][:, None] {0} torch.arange(len(scores))[~is_one])"

roc_auc.mistake(
    "pairs in one order of the list alone",
    "A pair counts only where the 1 stands behind the 0 in the list. All pairs of a 1 and a 0 count, wherever they stand: does the inner loop go over all places?",
    {SHARE: f"(({LARGER} + {EQUAL} / 2) * {BEFORE.format('>')}).mean().item()"},
    edit(
        {SHARE: f"(({LARGER} + {EQUAL} / 2) * {BEFORE.format('<')}).mean().item()"},
        says="A pair counts only where the 1 stands in front of the 0 in the list. All pairs of a 1 and a 0 count, wherever they stand: does the inner loop go over all places?",
    ),
)

roc_auc.mistake(
    "against a mean",
    "Each 1 is compared with the mean of the zeros. It makes a pair with every 0: compare it with each of them.",
    {SHARE: "(scores[is_one] > scores[~is_one].mean()).double().mean().item()"},
)

roc_auc.mistake(
    "ranks among the ones alone",
    "You rank the ones among themselves. Their ranks then add up to the same, whatever their scores are, and nothing is left. A rank is counted among all places; of these ranks those of the ones are added up.",
    {"scores.unique": "scores[is_one].unique", "ranks[place[is_one]]": "ranks[place]"},
)
