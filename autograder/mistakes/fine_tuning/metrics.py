"""Wrong ways of measuring a classifier."""

from autograder.checks.fine_tuning.metrics import precision_recall_f1
from autograder.probing.mistake import edit

PREDICTED, THERE = "counts.sum(dim=0)", "counts.sum(dim=1)"
PRECISION = "right / predicted.clamp(min=1)  # whole"
RECALL = "right / there.clamp(min=1)"
F1 = "2 * right / (predicted + there).clamp(min=1)"
EVEN = "torch.full_like(there, 1 / num_classes)"
BY_SUPPORT = "there / there.sum().clamp(min=1)"
ERRORS = {PREDICTED: "(counts.sum(dim=0) - counts.diagonal())", THERE: "(counts.sum(dim=1) - counts.diagonal())"}
WEIGHTED = 'if average == "weighted" else'
MICRO = 'if average == "micro":'
ADDED = "right, predicted, there, weights = right.sum(), predicted.sum(), there.sum(), torch.tensor(1.0)"
MEAN_F1 = "(weights * f1).sum().item()"
MEANS = "(weights * precision).sum(), (weights * recall).sum()"
TWO_MEANS = "(weights * precision).sum().item(), (weights * recall).sum().item()"
LAST = f"return {TWO_MEANS}, {MEAN_F1}"
TWICE = ("right / (right + predicted).clamp(min=1)  # whole", "right / (right + there).clamp(min=1)")
OF_BOTH = "torch.where(precision + recall > 0, 2 * precision * recall / (precision + recall), 0.0)"
HARMONIC = f"(lambda p, r: (2 * p * r / (p + r)).item() if p + r else 0.0)({MEANS})"
UNGUARDED = {  # where both means are 0: NaN of tensors, and an exception of Python's numbers
    "NaN": f"(lambda p, r: (2 * p * r / (p + r)).item())({MEANS})",
    "exception": f"(lambda p, r: 2 * p.item() * r.item() / (p.item() + r.item()))({MEANS})",
}

GUARDED = {  # "micro", as somebody writes it who has thought of 0 there
    ADDED: f"{ADDED}\n        predicted, there = predicted.clamp(min=0.5), there.clamp(min=0.5)"
}
F1_OF_CLASSES = "2 * precision * recall / (precision + recall + 1e-9 * (average == 'micro'))"
VECTORS = "return precision, recall, f1"

precision_recall_f1.mistake(
    "precision and recall exchanged",
    "Precision and recall stand in each other's place. Precision divides by what was *predicted*, recall by what is *there*. F1 does not notice; the weighted mean does. Has the confusion matrix its targets in the rows, or do targets and predictions come in the wrong order?",
    {PREDICTED: THERE, THERE: PREDICTED},
    edit(
        {PRECISION: PRECISION.replace("predicted", "there"), RECALL: RECALL.replace("there", "predicted")},
        says="Precision and recall stand in each other's place. Precision divides by what was *predicted*, recall by what is *there*. F1 does not notice.",
    ),
)

precision_recall_f1.mistake(
    "precision and recall are one",
    "Precision and recall divide by the same, by what is there. Precision divides by what was *predicted*: the sums of the columns, where the targets are in the rows.",
    {PREDICTED: THERE},
    edit(
        {THERE: PREDICTED},
        says="Precision and recall divide by the same, by what was predicted. Recall divides by what is *there*: the sums of the rows, where the targets are in the rows.",
    ),
    edit(
        {RECALL: RECALL.replace("there", "predicted")},
        says="Your recall divides by what was predicted, as precision does. Recall divides by what is *there*: the sums of the rows, where the targets are in the rows.",
    ),
    edit(
        {PRECISION: PRECISION.replace("predicted", "there")},
        says="Your precision divides by what is there, as recall does. Precision divides by what was *predicted*: the sums of the columns, where the targets are in the rows.",
    ),
)

precision_recall_f1.mistake(
    "what is right is not counted below the line",
    "You divide what is right by the errors alone. What was predicted is all of it, right and wrong; what is there is all of it, found and missed.",
    *(
        edit(
            {one: ERRORS[one]} | guard,
            says=f"Of what {what}, you count the errors alone below the line. It is all of it: what is right and what is wrong, the whole {sums} of the class.",
        )
        for one, what, sums, guard in (
            (PREDICTED, "was predicted", "column", {}),
            (THERE, "is there", "row", {}),
            (
                PREDICTED,
                "was predicted",
                "column",
                {PRECISION: "torch.where(predicted > 0, right / predicted, 0.0)  # whole"},
            ),
            (THERE, "is there", "row", {RECALL: "torch.where(there > 0, right / there, 0.0)"}),
        )
    ),
    ERRORS,
    ERRORS
    | {
        PRECISION: "torch.where(predicted > 0, right / predicted, 0.0)  # whole",
        RECALL: "torch.where(there > 0, right / there, 0.0)",
        F1: "torch.where(predicted + there > 0, 2 * right / (predicted + there), 0.0)",
    },
    ERRORS
    | {
        PRECISION: "torch.where(predicted > 0, right / predicted, 0.0)  # whole",
        RECALL: "torch.where(there > 0, right / there, 0.0)",
        F1: OF_BOTH,
    },
    *(
        edit(
            swaps | {F1: OF_BOTH},
            says=f"Of what {what}, you count the errors alone below the line. It is all of it: what is right and what is wrong, the whole {sums} of the class.",
        )
        for what, sums, swaps in (
            (
                "was predicted",
                "column",
                {PRECISION: "torch.where(predicted > right, right / (predicted - right), 0.0)  # whole"},
            ),
            ("is there", "row", {RECALL: "torch.where(there > right, right / (there - right), 0.0)"}),
            ("is there", "row", {THERE: ERRORS[THERE], RECALL: "torch.where(there > 0, right / there, 0.0)"}),
        )
    ),
)

precision_recall_f1.mistake(
    "F1 of the mean precision and recall",
    "In an average, F1 is computed from the mean precision and the mean recall. That is another number, often a larger one: much read papers have reported either under the same name, and they cannot be compared. Take F1 of each class, then their mean.",
    *({MEAN_F1: each} for each in (HARMONIC, *UNGUARDED.values())),
    *(
        edit(
            {MEAN_F1: f'({each} if average == "{average}" else {MEAN_F1})'},
            says=f'With "{average}", F1 is computed from the mean precision and the mean recall. That is another number, often a larger one, and both have been reported under one name. Take F1 of each class, then their mean.',
        )
        for average in ("macro", "weighted")
        for each in (HARMONIC, *UNGUARDED.values())
    ),
)

precision_recall_f1.mistake(
    "absent classes are left out of the mean",
    "Your macro mean leaves out classes that never occur. It is then a mean over fewer classes on one test set than on another. Here every class counts, and one that never occurs counts 0.",
    {EVEN: "(there > 0).double() / (there > 0).sum().clamp(min=1)"},
    {EVEN: "(there + predicted > 0).double() / (there + predicted > 0).sum().clamp(min=1)"},
    {EVEN: "(predicted > 0).double() / (predicted > 0).sum().clamp(min=1)"},
    {EVEN: "(right > 0).double() / (right > 0).sum().clamp(min=1)"},
    # The mean of none at all is NaN.
    {EVEN: "(there > 0).double() / (there > 0).sum()"},
    {EVEN: "(there + predicted > 0).double() / (there + predicted > 0).sum()"},
    {EVEN: "(predicted > 0).double() / (predicted > 0).sum()"},
    *(
        {
            "if average is None:": f"""if average == "macro":
        each = right / predicted, right / there, {of_each}
        return tuple(one.nanmean().item() for one in each)
    if average is None:"""
        }
        for of_each in ("2 * precision * recall / (precision + recall)", "2 * right / (predicted + there)")
    ),
    edit(
        {
            "if average is None:": """if average == "macro":
        known = zip((precision, recall, f1), (predicted, there, predicted + there))
        return tuple(one[below > 0].mean().nan_to_num().item() for one, below in known)
    if average is None:"""
        },
        says="Your macro means leave out classes for which 0 is divided by 0: precision those that are never predicted, recall those that are never there. Here every class counts, and such a class counts 0.",
    ),
    edit(
        {
            "num_classes).double()": "num_classes).double()\n    here = counts.sum(dim=0) + counts.sum(dim=1) > 0\n    counts = counts[here][:, here] if here.any() else counts\n    num_classes = len(counts)"
        },
        says="Your vectors have no number for classes that never occur, and no mean counts them. Which place is which class is then lost. There are `num_classes` numbers, and a class that never occurs has 0.",
    ),
    *(
        edit(
            {
                LAST: LAST.replace(
                    f"(weights * {name}).sum()",
                    f"({name}[{below} > 0].mean() if average == 'macro' else (weights * {name}).sum())",
                )
            },
            says=f"Macro {called} is a mean over the classes that {which}, and over fewer on one test set than on another. Here every class counts, and one without {called} counts 0.",
        )
        for name, called, below, which in (
            ("precision", "precision", "predicted", "were ever predicted"),
            ("recall", "recall", "there", "are ever there"),
            ("f1", "F1", "there", "are ever there"),
        )
    ),
    *(
        edit(
            {
                "num_classes).double()": f"num_classes).double()\n    here = {here}",
                PREDICTED: f"{PREDICTED}[here]",
                THERE: f"{THERE}[here]",
                "counts.diagonal()": "counts.diagonal()[here]",
                EVEN: "torch.full_like(there, 1 / max(1, len(there)))",
            },
            says=f"Your vectors have numbers for the classes {which}, and none for the others; nor does a mean count those. Which number is of which class is then lost. There are `num_classes` numbers, and a class that never occurs has 0.",
        )
        for here, which in (
            ("counts.sum(dim=1) > 0", "that are there"),
            ("torch.stack([*targets.unique()])", "that are there"),
            ("counts.sum(dim=1) > 0 if average != 'micro' else slice(None)", "that are there"),
            (
                "slice(int(max(targets.max(), predictions.max())) + 1 if len(targets) else 1)",
                "up to the largest that occurs",
            ),
        )
    ),
)

precision_recall_f1.mistake(
    "NaN where a class is absent",
    "Where nothing is to be divided by, your result is NaN, and so is every mean with it. A class that is never predicted has no precision; the convention here is 0. Ask for a 0 below the line.",
    {
        PRECISION: "right / predicted  # whole",
        RECALL: "right / there",
        F1: "2 * right / (predicted + there)",
    },
    {
        PRECISION: "right / predicted  # whole",
        RECALL: "right / there",
        F1: "2 * precision * recall / (precision + recall)",
    },
    GUARDED | {PRECISION: "right / predicted  # whole", RECALL: "right / there", F1: "2 * right / (predicted + there)"},
    GUARDED
    | {
        PRECISION: "right / predicted  # whole",
        RECALL: "right / there",
        F1: F1_OF_CLASSES,
    },
    {
        BY_SUPPORT: "there / there.sum()",
        PRECISION: "right / predicted  # whole",
        RECALL: "right / there",
        F1: "2 * right / (predicted + there)",
    },
    {
        BY_SUPPORT: "there / there.sum()",
        PRECISION: "right / predicted  # whole",
        RECALL: "right / there",
        F1: "2 * precision * recall / (precision + recall)",
    },
    edit(
        {
            MICRO: 'if average == "micro":\n        return ((targets == predictions).double().mean().item(),) * 3\n    if False:'
        },
        says="Where there is no place at all, your micro average is NaN, the mean of nothing. The convention here is 0.",
    ),
    edit(
        {BY_SUPPORT: "there / there.sum()"},
        says="Where there is no place at all, the weights of your weighted mean are 0 / 0, and the mean is NaN. The convention here is 0. Ask for a 0 below the line.",
    ),
    edit(
        {F1: "2 * precision * recall / (precision + recall)", BY_SUPPORT: "there / there.sum()"},
        says="Where precision and recall are both 0, your F1 is NaN, and so is every mean with it; where there is no place at all, so are your weights. It is 0 / 0 there, and the convention here is 0.",
    ),
    edit(
        {F1: "2 * precision * recall / (precision + recall)"},
        says="Where precision and recall are both 0, your F1 is NaN, and so is every mean with it. It is 0 / 0 there, and the convention here is 0.",
    ),
    edit(
        GUARDED | {F1: F1_OF_CLASSES},
        says="Where precision and recall are both 0, your F1 is NaN, and so is every mean with it. It is 0 / 0 there, and the convention here is 0.",
    ),
    *(
        edit(
            guard | {PRECISION: "right / predicted  # whole"},
            says="Where a class is never predicted, its precision is NaN with you, and so is every mean with it. The convention here is 0.",
        )
        for guard in ({}, GUARDED)
    ),
    *(
        edit(
            guard | {RECALL: "right / there"},
            says="Where a class is never there, its recall is NaN with you, and so is every mean with it. The convention here is 0.",
        )
        for guard in ({}, GUARDED)
    ),
    *(
        edit(
            guard | {F1: "2 * right / (predicted + there)"},
            says="Where a class is neither there nor predicted, its F1 is NaN with you, and so is every mean with it. The convention here is 0.",
        )
        for guard in ({}, GUARDED)
    ),
    *(
        edit(
            {
                where: f"{what}{comment}",
                F1: "torch.where(precision + recall == 0, 0.0, 2 * precision * recall / (precision + recall))",
            },
            says=f"Where a class is never {is_what}, its {name} is NaN with you, and with it its F1 and every mean. The convention here is 0.",
        )
        for where, what, comment, is_what, name in (
            (PRECISION, "right / predicted", "  # whole", "predicted", "precision"),
            (RECALL, "right / there", "", "there", "recall"),
        )
    ),
)

precision_recall_f1.mistake(
    "1 where a class is absent",
    "Where nothing is to be divided by, your result is 1. Then a class that is never predicted has perfect precision, and rare classes lift the mean. The convention here is 0.",
    {
        PRECISION: "torch.where(predicted > 0, right / predicted, 1.0)  # whole",
        RECALL: "torch.where(there > 0, right / there, 1.0)",
        F1: "torch.where(predicted + there > 0, 2 * right / (predicted + there), 1.0)",
    },
    {
        PRECISION: "torch.where(predicted > 0, right / predicted, 1.0)  # whole",
        RECALL: "torch.where(there > 0, right / there, 1.0)",
    },
    edit(
        {PRECISION: "torch.where(predicted > 0, right / predicted, 1.0)  # whole"},
        says="Where a class is never predicted, your precision is 1. Then a class that is never predicted has perfect precision, and rare classes lift the mean. The convention here is 0.",
    ),
    edit(
        {RECALL: "torch.where(there > 0, right / there, 1.0)"},
        says="Where a class is never there, your recall is 1, and lifts the mean. The convention here is 0.",
    ),
    edit(
        {F1: "torch.where(precision + recall > 0, 2 * precision * recall / (precision + recall), 1.0)"},
        says="Where precision and recall are both 0, your F1 is 1. A class that is never right has the best F1 then, and lifts the mean. The convention here is 0.",
    ),
)

precision_recall_f1.mistake(
    "recall counts more than precision in F1",
    "Your F1 is no F1: recall and precision do not count alike in it. That is an F-beta, of beta 2 or 0.5. In F1 both have the same weight, 2 · right / (predicted + there).",
    {F1: "5 * right / (4 * there + predicted).clamp(min=1)"},
    {F1: "1.25 * right / (0.25 * there + predicted).clamp(min=1)"},
)

precision_recall_f1.mistake(
    "only F1 comes back",
    "Your result is F1 alone. Three things come back: precision, recall and F1.",
    {"return precision, recall, f1": "return f1"},
    edit(
        {LAST: f"return {MEAN_F1}"},
        says="With an average, your result is F1 alone. Three numbers come back: precision, recall and F1.",
    ),
    edit(
        {LAST: f'return {MEAN_F1} if average == "macro" else ({LAST[7:]})'},
        says='With "macro", your result is F1 alone. Three numbers come back: precision, recall and F1.',
    ),
    {"return precision, recall, f1": "return f1", LAST: f"return {MEAN_F1}"},
)

precision_recall_f1.mistake(
    "the three in another order",
    "The three come back in another order. It is precision, then recall, then F1: whoever takes `[2]` gets something else of you.",
    {"return precision, recall, f1": "return f1, precision, recall", LAST: f"return {MEAN_F1}, {TWO_MEANS}"},
    edit(
        {"return precision, recall, f1": "return recall, precision, f1"},
        says="For each class recall comes first, and precision second. It is precision, then recall, then F1, as with an average.",
    ),
    edit(
        {"return precision, recall, f1": "return f1, precision, recall"},
        says="For each class F1 comes first. It is precision, then recall, then F1, as with an average.",
    ),
    *(
        edit(
            {"return precision, recall, f1": f"return {order}"},
            says="For each class the three come back in another order. It is precision, then recall, then F1, as with an average.",
        )
        for order in ("f1, recall, precision", "recall, f1, precision", "precision, f1, recall")
    ),
)

precision_recall_f1.mistake(
    "one tensor instead of three",
    "Your result for each class is one tensor, with a row each for precision, recall and F1. What is promised are three vectors, side by side.",
    {"return precision, recall, f1": "return torch.stack([precision, recall, f1])"},
    edit(
        {
            "return precision, recall, f1": "return torch.stack([precision, recall, f1])",
            LAST: f"return torch.tensor([{TWO_MEANS}, {MEAN_F1}])",
        },
        says="Precision, recall and F1 come back in one tensor. What is promised are three things side by side, vectors or numbers: `return precision, recall, f1`.",
    ),
)

SMALLER = {
    PREDICTED: f"{PREDICTED}[CUT]",
    THERE: f"{THERE}[CUT]",
    "counts.diagonal()": "counts.diagonal()[CUT]",
    EVEN: "torch.full_like(there, 1 / max(1, len(there)))",
}

OF_ALL_PLACES = SMALLER | {one: f"({one} if average == 'micro' else {one}[CUT])" for one in (PREDICTED, THERE)}

precision_recall_f1.mistake(
    "the last class is left out of the measure",
    "The last class is left out, of the vectors and of every mean. Classes go from 0 to num_classes - 1, and `range(num_classes)` ends there by itself.",
    {old: new.replace("CUT", ":-1") for old, new in SMALLER.items()},
    {old: new.replace("CUT", ":-1") for old, new in OF_ALL_PLACES.items()},
    edit(
        {
            "if average is None:": "for one in (precision, recall, f1) if average != 'micro' else ():\n        one[-1] = 0\n    if average is None:"
        },
        says="The numbers of the last class stay 0. Classes go from 0 to num_classes - 1, and `range(num_classes)` ends there by itself.",
    ),
)

precision_recall_f1.mistake(
    "vectors for an average",
    'With an average, the numbers of the classes come back. Three numbers are promised then: a mean of each of the three, or, for "micro", shares of what was added up.',
    {MICRO: "if False:", "if average is None:": "if True:"},
    *(
        edit(
            {"if average is None:": f'if average in (None, "{average}"):'} | more,
            says=f'With "{average}", the numbers of the classes come back. Three numbers are promised then: {what}.',
        )
        for average, more, what in (
            ("macro", {}, "the mean of each of the three"),
            ("weighted", {}, "of each of the three the mean, weighted by how often a class is there"),
            ("micro", {MICRO: "if False:"}, "right, predicted and there are added up over the classes first"),
        )
    ),
    edit(
        {ADDED: "right = right.sum()", "if average is None:": 'if average in (None, "micro"):'},
        says='With "micro", you add up what is right, and not what was predicted and what is there. All three are added up over the classes first, so that three numbers come back.',
    ),
)

precision_recall_f1.mistake(
    "what is no class goes unnoticed",
    "Targets and predictions that are no class go unnoticed: -100 among them, and classes from num_classes on. Your numbers are then of fewer places than were handed in. `confusion_matrix` raises a ValueError there; call it, or look yourself.",
    {
        "confusion_matrix(targets, predictions, num_classes)": "torch.tensor([[((targets == t) & (predictions == p)).sum().item() for p in range(num_classes)] for t in range(num_classes)])"
    },
)

precision_recall_f1.mistake(
    "what is right is counted twice below the line",
    "Below the line what is right is counted twice. A column of the matrix holds what was predicted, right *and* wrong; a row what is there, found *and* missed. The errors alone are what is left without the diagonal.",
    {PRECISION: TWICE[0], RECALL: TWICE[1], F1: OF_BOTH},
    edit(
        {PRECISION: TWICE[0], F1: OF_BOTH},
        says="In precision, what is right is counted twice below the line. The column of a class holds all that was predicted, right *and* wrong; the wrong ones are what is left without the diagonal.",
    ),
    edit(
        {RECALL: TWICE[1], F1: OF_BOTH},
        says="In recall, what is right is counted twice below the line. The row of a class holds all that is there, found *and* missed; the missed ones are what is left without the diagonal.",
    ),
    edit(
        {RECALL: TWICE[1], F1: OF_BOTH, BY_SUPPORT: "(there + right) / (there + right).sum().clamp(min=1)"},
        says="What was missed is taken for what is there less nothing, so that in recall and in the weights what is right is counted twice. The missed ones are what is left of a row without the diagonal.",
    ),
)

precision_recall_f1.mistake(
    "a percentage",
    "Your numbers are a hundred times as large. Precision, recall and F1 are shares, between 0 and 1.",
    {PRECISION: f"100 * {PRECISION}", RECALL: f"100 * {RECALL}", F1: f"100 * {F1}"},
    edit(
        {VECTORS: "return 100 * precision, 100 * recall, 100 * f1"},
        says="The numbers of the classes are a hundred times as large, and the averages are not. Precision, recall and F1 are shares, between 0 and 1.",
    ),
    edit(
        {LAST: LAST.replace("return ", "return tuple(100 * one for one in (") + "))"},
        says="The averages are a hundred times as large, and the numbers of the classes are not. Precision, recall and F1 are shares, between 0 and 1.",
    ),
)

precision_recall_f1.mistake(
    "the weighted mean is divided twice",
    "Your weighted mean is divided by the number of classes as well. The weights add up to 1 already: the sum of what they weigh is the mean.",
    {BY_SUPPORT: f"{BY_SUPPORT} / num_classes"},
)

precision_recall_f1.mistake(
    "weighted by what is right",
    "The weighted mean is weighted by how often a class was *right*. A class that was never found then does not count at all. Weigh by how often it is there.",
    {BY_SUPPORT: "right / right.sum().clamp(min=1)"},
)

precision_recall_f1.mistake(
    "rare classes weigh more",
    "The weighted mean is weighted the other way round: the rarer a class, the more it counts. Weigh by how often it is there.",
    {BY_SUPPORT: "1 / there.clamp(min=1) / (1 / there.clamp(min=1)).sum()"},
)

CUT = {old: new.replace("CUT", "1:") for old, new in SMALLER.items()}

precision_recall_f1.mistake(
    "class 0 is left out of the measure",
    "Class 0 is left out, of the vectors and of every mean. Where class 0 is O, some do so; here every class counts alike.",
    CUT,
    CUT | {PREDICTED: f"torch.stack([*{PREDICTED}[1:]])"},
    {old: new.replace("CUT", "1:") for old, new in OF_ALL_PLACES.items()},
    edit(
        {
            "if average is None:": "for one in (precision, recall, f1) if average != 'micro' else ():\n        one[0] = 0\n    if average is None:"
        },
        says="The numbers of class 0 stay 0. Where class 0 is O, some leave it out; here every class counts alike.",
    ),
)

precision_recall_f1.mistake(
    "the arithmetic mean for F1",
    "Your F1 is the arithmetic mean of precision and recall. It forgives: whoever predicts one class everywhere has recall 1 there, and half of it stays. F1 is the harmonic mean, which is near the smaller of the two.",
    {F1: "(precision + recall) / 2"},
)

precision_recall_f1.mistake(
    "one kind of error does not count in F1",
    "What was missed does not lower your F1. It is 2 · right / (predicted + there): below the line stand the wrong ones *and* the missed ones, beside twice what is right.",
    {F1: "2 * right / (predicted + right).clamp(min=1)"},
    edit(
        {F1: "2 * right / (there + right).clamp(min=1)"},
        says="What was predicted wrongly does not lower your F1. It is 2 · right / (predicted + there): below the line stand the wrong ones *and* the missed ones, beside twice what is right.",
    ),
)

precision_recall_f1.mistake(
    "the smaller of the two for F1",
    "Your F1 is the smaller one of precision and recall. F1 is near it, and depends on both: it is the harmonic mean, 2 · right / (predicted + there).",
    {F1: "torch.minimum(precision, recall)"},
    {F1: "right / torch.maximum(predicted, there).clamp(min=1)"},
)

precision_recall_f1.mistake(
    "the geometric mean for F1",
    "Your F1 is the root of precision times recall, their geometric mean. That measure exists and has another name. F1 is the harmonic mean, 2 · right / (predicted + there).",
    {F1: "(precision * recall).sqrt()"},
    {F1: "right / (predicted * there).clamp(min=1).sqrt()"},
)

precision_recall_f1.mistake(
    "F1 without the 2",
    "Your F1 is half of what it should be: the 2 is missing. The harmonic mean of p and r is 2·p·r / (p + r); of two equal numbers it is that number.",
    {F1: F1.removeprefix("2 * ")},
    edit(
        {F1: f"(1 + (average == 'micro')) * {F1.removeprefix('2 * ')}"},
        says="But for the micro average, your F1 is half of what it should be: the 2 is missing. The harmonic mean of p and r is 2·p·r / (p + r); of two equal numbers it is that number.",
    ),
)

precision_recall_f1.mistake(
    "Jaccard for F1",
    "Your F1 is right / (predicted + there - right). That is the Jaccard index, the share of what is in both among what is in either; it is always smaller. F1 is 2 · right / (predicted + there).",
    {F1: "right / (predicted + there - right).clamp(min=1)"},
    *(
        edit(
            {
                F1: f"(2 * right / (predicted + there).clamp(min=1) if average {which} 'micro' else right / (predicted + there - right).clamp(min=1))"
            },
            says=f"{where} your F1 is right / (predicted + there - right). That is the Jaccard index, the share of what is in both among what is in either; it is always smaller. F1 is 2 · right / (predicted + there).",
        )
        for which, where in (("==", "But for the micro average,"), ("!=", "In the micro average"))
    ),
    edit(
        {F1: "2 * right / (predicted + there - right).clamp(min=1)"},
        says="Your F1 is 2 · right / (predicted + there - right): above the line what is right stands twice, and below it once, beside the wrong and the missed. That is twice the Jaccard index, and can be 2. F1 is 2 · right / (predicted + there).",
    ),
)

precision_recall_f1.mistake(
    "weighted by predictions",
    "The weighted mean is weighted by how often a class was *predicted*. A model could then choose its own weights. Weigh by how often it is there.",
    {BY_SUPPORT: "predicted / predicted.sum().clamp(min=1)"},
)

precision_recall_f1.mistake(
    "weighted is macro",
    '"weighted" gives the plain mean over the classes, as "macro" does. Weighted means that a class counts as often as it is there.',
    {BY_SUPPORT: EVEN},
    {WEIGHTED: "if False else"},
    edit(
        {MEAN_F1: '(f1.mean() if average == "weighted" else (weights * f1).sum()).item()'},
        says='"weighted" gives the plain mean of F1 over the classes, as "macro" does. Weighted means that a class counts as often as it is there, in all three numbers.',
    ),
)

precision_recall_f1.mistake(
    "macro is weighted",
    '"macro" gives the mean weighted by how often a class is there. Macro means that every class counts alike, however rare: that is why it is asked for.',
    {EVEN: BY_SUPPORT},
)

precision_recall_f1.mistake(
    "micro is macro",
    '"micro" gives the mean over the classes, as "macro" does. Micro means that right, predicted and there are added up over all classes *before* anything is divided.',
    {ADDED: "pass"},
    {MICRO: "if False:"},
)

precision_recall_f1.mistake(
    "macro is micro",
    '"macro" gives what "micro" is: counts added up over the classes first, so that frequent classes decide. Macro divides first, class by class, and takes the mean of that.',
    {MICRO: 'if average in ("micro", "macro"):'},
    edit(
        {MICRO: 'if average == "macro":'},
        says='"macro" and "micro" are exchanged. Micro adds right, predicted and there up over all classes before anything is divided; macro divides first, class by class, and takes the mean.',
    ),
)

precision_recall_f1.mistake(
    "class 0 is left out of the mean",
    "Your averages leave class 0 out. For tags, where 0 often stands for O, some do so; here all classes count, as `average` has no way of knowing which one is nothing.",
    {EVEN: "(torch.arange(num_classes) > 0).double() / max(num_classes - 1, 1)"},
    {EVEN: "(torch.arange(num_classes) > 0).double() / (num_classes - 1)"},
    {
        EVEN: "(torch.arange(num_classes) > 0).double() / max(num_classes - 1, 1)",
        ADDED: "right, predicted, there, weights = right[1:].sum(), predicted[1:].sum(), there[1:].sum(), torch.tensor(1.0)",
    },
    {
        ADDED: "right, predicted, there, weights = right[1:].sum(), predicted[1:].sum(), there[1:].sum(), torch.tensor(1.0)"
    },
    edit(
        {ADDED: ADDED.replace("right.sum()", "right[1:].sum()")},
        says="In your micro average what is right of class 0 is not counted, and its places are. All classes count, as `average` has no way of knowing which one is nothing.",
    ),
    *(
        {
            EVEN: "(torch.arange(num_classes) > 0).double() / max(num_classes - 1, 1)",
            BY_SUPPORT: "there * (torch.arange(num_classes) > 0) / there[1:].sum().clamp(min=1)",
        }
        | more
        for more in (
            {},
            {
                ADDED: "right, predicted, there, weights = right[1:].sum(), predicted[1:].sum(), there[1:].sum(), torch.tensor(1.0)"
            },
        )
    ),
    # With a single class nothing is left, which torch and Python refuse each in a way of their own.
    *(
        {ADDED: f"right, predicted, there, weights = *{three}, torch.tensor(1.0)"}
        for three in (
            "map(sum, zip(*zip(right[1:], predicted[1:], there[1:])))",
            "(torch.stack([*one[1:]]).sum() for one in (right, predicted, there))",
        )
    ),
)

precision_recall_f1.mistake(
    "averages are not divided",
    "Your macro average is the sum over the classes. It goes up to num_classes; a share does not. Divide by their number.",
    {EVEN: "torch.ones_like(there)"},
    edit(
        {BY_SUPPORT: "there"},
        says="Your weighted average is a sum: each class counts as often as it is there, and nothing divides by the number of all places. A share does not go beyond 1.",
    ),
    edit(
        {EVEN: "torch.ones_like(there)", BY_SUPPORT: "there"},
        says="Your macro and weighted averages are sums: nothing divides by the number of classes, or by that of places. A share does not go beyond 1.",
    ),
    edit(
        {BY_SUPPORT: "there / num_classes"},
        says="Your weighted average is divided by the number of classes. A class counts as often as it is there: divide by the number of all places.",
    ),
    edit(
        {MEAN_F1: f"{MEAN_F1} * (num_classes if average == 'macro' else 1)"},
        says="Macro F1 is the sum over the classes. It goes up to num_classes; a share does not. Divide by their number, as precision and recall are.",
    ),
    edit(
        {MEAN_F1: f"{MEAN_F1} * (int(there.sum()) if average == 'weighted' else 1)"},
        says="Weighted F1 is a sum: each class counts as often as it is there, and nothing divides by the number of all places, as for precision and recall. A share does not go beyond 1.",
    ),
)

precision_recall_f1.mistake(
    "accuracy of each class for precision",
    "Your precision is a share of *all* places, those included that have nothing to do with the class. A rare class then looks fine: nearly all places are rightly not of it. Divide what is right by what was predicted.",
    {PRECISION: "(right + counts.sum() - predicted - there + right) / counts.sum().clamp(min=1)  # whole"},
    {PRECISION: "right / counts.sum().clamp(min=1)  # whole"},
)

precision_recall_f1.mistake(
    "the product for F1",
    "Your F1 is precision times recall: a step of it is left out. The harmonic mean of p and r is 2·p·r / (p + r); of two equal numbers it is that number.",
    {F1: "precision * recall"},
    edit(
        {F1: "2 * precision * recall"},
        says="Your F1 is twice the product of precision and recall, and nothing divides it. The harmonic mean of p and r is 2·p·r / (p + r); of two equal numbers it is that number.",
    ),
)

precision_recall_f1.mistake(
    "rounded",
    "Your numbers are rounded. Round where you print: what is rounded cannot be averaged or compared any more.",
    *(
        {
            VECTORS: f"return precision.round(decimals={places}), recall.round(decimals={places}), f1.round(decimals={places})",
            LAST: LAST.replace("return ", "return tuple(round(one, 2) for one in (").replace("2)", f"{places})") + "))",
        }
        for places in (2, 3)
    ),
    edit(
        {
            VECTORS: "return precision.round(decimals=2), recall.round(decimals=2), f1.round(decimals=2)",
        },
        says="The numbers of the classes are rounded, and the averages are not. Round where you print: what is rounded cannot be averaged or compared any more.",
    ),
    edit(
        {LAST: LAST.replace("return ", "return tuple(round(one, 2) for one in (") + "))"},
        says="The averages are rounded, and the numbers of the classes are not. Round where you print: what is rounded cannot be compared any more.",
    ),
    *(
        {
            PRECISION: PRECISION.replace(
                "right / predicted.clamp(min=1)", f"(right / predicted.clamp(min=1)).round(decimals={places})"
            ),
            RECALL: f"({RECALL}).round(decimals={places})",
            F1: f"({F1}).round(decimals={places})",
            LAST: LAST.replace("return ", "return tuple(round(one, 2) for one in (").replace("2)", f"{places})") + "))",
        }
        for places in (2, 3)
    ),
)

precision_recall_f1.mistake(
    "divided without a rest",
    "Your shares are 0 or 1: they are divided as whole numbers, `//`, and what is left over is lost. Divide by `/`.",
    {PRECISION: PRECISION.replace("/", "//"), RECALL: RECALL.replace("/", "//"), F1: F1.replace("/", "//")},
    {PRECISION: PRECISION.replace("/", "//"), RECALL: RECALL.replace("/", "//"), F1: OF_BOTH},
    edit(
        {PRECISION: PRECISION.replace("/", "//")},
        says="Your precision is 0 or 1: it is divided as whole numbers, `//`, and what is left over is lost. Divide by `/`.",
    ),
    *(
        edit(
            {one: f"({one.replace('/', '//')} if average != 'micro' else {one})" for one in chosen},
            says=f"{what} of the classes is 0 or 1: it is divided as whole numbers, `//`, and what is left over is lost. Divide by `/`.",
        )
        for chosen, what in (
            ((PRECISION.removesuffix("  # whole"),), "Your precision"),
            ((RECALL,), "Your recall"),
            ((PRECISION.removesuffix("  # whole"), RECALL), "Your precision and your recall"),
        )
    ),
)

precision_recall_f1.mistake(
    "1 is added below the line",
    "1 is added below the line, so that nothing is divided by 0. That makes every share too small, of a rare class most. Ask for the 0 itself: `clamp(min=1)` changes it alone.",
    {PRECISION: "right / (predicted + 1)  # whole", RECALL: "right / (there + 1)"},
    {PRECISION: "right / (predicted + 1)  # whole", RECALL: "right / (there + 1)", F1: OF_BOTH},
    {
        PRECISION: "right / (predicted + 1)  # whole",
        RECALL: "right / (there + 1)",
        F1: "2 * right / (predicted + there + 1)",
    },
    edit(
        {F1: "2 * right / (predicted + there + 1)"},
        says="In F1, 1 is added below the line, so that nothing is divided by 0. That makes it too small, of a rare class most. Ask for the 0 itself: `clamp(min=1)` changes it alone.",
    ),
)

precision_recall_f1.mistake(
    "macro unless told otherwise",
    'Where no average is asked for, your numbers are those of "macro". Then three vectors are wanted, with a number for each class: `average` is None unless somebody says otherwise.',
    {"average: str | None = None": 'average: str | None = "macro"'},
    {"if average is None:": "if False:"},
)

precision_recall_f1.mistake(
    "lists for vectors",
    "The numbers of the classes come back as lists. What is promised are vectors, tensors of num_classes numbers, which can be added and compared as a whole.",
    {VECTORS: "return precision.tolist(), recall.tolist(), f1.tolist()"},
)
