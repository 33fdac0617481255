"""Wrong ways of counting what a classifier took for what."""

from autograder.checks.fine_tuning.confusion import confusion_matrix
from autograder.probing.mistake import edit

BEGIN = "# BEGIN SOLUTION"
CELLS = "targets * num_classes + predictions"
COUNTS = "torch.bincount(cells, minlength=num_classes**2).reshape(num_classes, num_classes)"

confusion_matrix.mistake(
    "rows and columns exchanged",
    "Your matrix is transposed: its rows are the predictions. Whoever reads a row then takes precision for recall. Row t holds what became of the places of class t, column p what was predicted to be p.",
    {CELLS: "predictions * num_classes + targets"},
    {COUNTS: f"{COUNTS}.T"},
)

confusion_matrix.mistake(
    "a cell counts once",
    "No cell of yours counts beyond 1. `matrix[targets, predictions] += 1` adds once to a cell, however often it is named: an indexed assignment with the same index twice writes twice the same. Use `bincount`, `index_put_(..., accumulate=True)`, or a loop.",
    {COUNTS: f"torch.clamp({COUNTS}, max=1)"},
)

confusion_matrix.mistake(
    "only what is right is counted",
    "Only the diagonal is filled. What was taken for something else is what a confusion matrix is for: cell (t, p) counts places of class t that were predicted to be p.",
    {COUNTS: f"{COUNTS}.diagonal().diag()"},
)

confusion_matrix.mistake(
    "only what is wrong is counted",
    "Your diagonal is empty. Right predictions count too: they stand at (t, t), and precision and recall need them.",
    {COUNTS: f"({COUNTS} * (1 - torch.eye(num_classes, dtype=torch.long)))"},
)

confusion_matrix.mistake(
    "shares instead of counts",
    "Your matrix holds shares. What is asked for are counts, whole numbers: from them one can make shares of a row, of a column or of all.",
    {COUNTS: f"({COUNTS} / max(len(targets), 1))"},
    {COUNTS: f"(m := {COUNTS}) / m.sum(dim=1, keepdim=True).clamp(min=1)"},
    {COUNTS: f"(m := {COUNTS}) / m.sum(dim=0, keepdim=True).clamp(min=1)"},
    edit(
        {COUNTS: f"(m := {COUNTS}) / m.sum(dim=1, keepdim=True)"},
        says="Your matrix holds shares of each row, and NaN where a class is never there. What is asked for are counts, whole numbers.",
    ),
)

confusion_matrix.mistake(
    "only classes that occur",
    "Your matrix has rows and columns for the classes that occur, up to the largest. `num_classes` says how many there are: matrices of different batches have to fit on one another.",
    {
        CELLS: "(seen := int(both.max()) + 1 if both.numel() else 0) * targets + predictions",
        COUNTS: "torch.bincount(cells, minlength=seen**2).reshape(seen, seen)",
    },
    {
        CELLS: "(seen := int(both.max()) + 1) * targets + predictions",
        COUNTS: "torch.bincount(cells, minlength=seen**2).reshape(seen, seen)",
    },
    {
        CELLS: "(seen := int(both.max()) + 1 if both.numel() else num_classes) * targets + predictions",
        COUNTS: "torch.bincount(cells, minlength=seen**2).reshape(seen, seen)",
    },
    edit(
        {COUNTS: f"{COUNTS}[: int(targets.max()) + 1, : int(predictions.max()) + 1]"},
        says="Your matrix has a row for each target class up to the largest, and a column for each predicted class up to the largest, and need not even be square. `num_classes` says how many there are: tell it to `one_hot` too.",
    ),
    edit(
        {COUNTS: f"{COUNTS}[both.unique()][:, both.unique()]"},
        says="Your matrix has rows and columns for the classes that occur, and none for the others. `num_classes` says how many there are: matrices of different batches have to fit on one another, and row t is class t.",
    ),
    edit(
        {COUNTS: f"{COUNTS}[targets.unique()]"},
        says="Your matrix has rows for the classes that are there, and none for the others. `num_classes` says how many there are: matrices of different batches have to fit on one another, and row t is class t.",
    ),
    edit(
        {COUNTS: f"{COUNTS}[: int(targets.max()) + 1]"},
        says="Your matrix has a row for each target class up to the largest that occurs. `num_classes` says how many there are: tell it to `one_hot` for the targets, too.",
    ),
    edit(
        {COUNTS: f"{COUNTS}[:, : int(predictions.max()) + 1]"},
        says="Your matrix has a column for each predicted class up to the largest that occurs. `num_classes` says how many there are: tell it to `one_hot` for the predictions, too.",
    ),
    edit(
        {COUNTS: f"{COUNTS}[:, both.unique()]"},
        says="Your matrix has columns for the classes that occur, and none for the others. `num_classes` says how many there are: matrices of different batches have to fit on one another, and column p is class p.",
    ),
    # As lists that become a tensor, which has another form where there is no place.
    *(
        edit(
            {COUNTS: f"torch.tensor({COUNTS}{cut}.tolist())"},
            says=f"Your matrix has {which} for the classes that occur, and none for the others. `num_classes` says how many there are: matrices of different batches have to fit on one another, and row t is class t.",
        )
        for cut, which in (
            ("[targets.unique()]", "rows"),
            ("[:, both.unique()]", "columns"),
            ("[both.unique()]", "rows"),
            ("[both.unique()][:, both.unique()]", "rows and columns"),
        )
    ),
)

confusion_matrix.mistake(
    "class 0 is left out of the matrix",
    "Your matrix has no row and no column for class 0. Classes are numbered from 0, and the first is a class like any other: there are `num_classes` rows and columns.",
    {COUNTS: f"{COUNTS}[1:, 1:]"},
    *(
        edit(
            {COUNTS: f"{COUNTS}{cut}"},
            says=f"Your matrix has no {which} for class 0. Classes are numbered from 0, and the first is a class like any other: there are `num_classes` rows and columns.",
        )
        for cut, which in (("[1:]", "row"), ("[:, 1:]", "column"))
    ),
)

confusion_matrix.mistake(
    "a row and a column too many",
    "Your matrix has a row and a column more than there are classes. Classes go from 0 to num_classes - 1.",
    {COUNTS: f"nn.functional.pad({COUNTS}, (0, 1, 0, 1))"},
)

confusion_matrix.mistake(
    "each place counts for both",
    "Each place is counted in two cells: in row t and column p, and in row p and column t. Only the first says which of the two was right.",
    {COUNTS: f"(m := {COUNTS}) + m.T"},
)

confusion_matrix.mistake(
    "floats instead of whole numbers",
    "Your counts are right, and they are floating-point numbers. What is asked for are whole ones: large floats lose their last digits, and no float is an index. `torch.zeros` makes floats unless you say `dtype=torch.long`.",
    {COUNTS: f"torch.Tensor.float({COUNTS})"},
)

confusion_matrix.mistake(
    "a list instead of a tensor",
    "You return lists. What comes back is a tensor, (num_classes, num_classes), so that rows and columns can be added up.",
    {COUNTS: f"{COUNTS}.tolist()"},
)

confusion_matrix.mistake(
    "all rows are one",
    "All rows of your matrix are the same: each counts what was predicted, whatever was right. `[[0] * n] * n` is n times *one* list, so what is counted in one row is counted in all; the same comes of adding to a whole column. Only row t is meant.",
    {COUNTS: "torch.bincount(predictions, minlength=num_classes).repeat(num_classes, 1)"},
)

confusion_matrix.mistake(
    "all columns are one",
    "All columns of your matrix are the same: each counts what is there, whatever was predicted. Is 1 added to a whole row? Only cell (t, p) is meant.",
    {COUNTS: "torch.bincount(targets, minlength=num_classes)[:, None].repeat(1, num_classes)"},
)

confusion_matrix.mistake(
    "some places count twice",
    "Places that were predicted wrong are counted twice, in one cell. Every place counts once, right or wrong.",
    {COUNTS: f"({COUNTS} * (2 - torch.eye(num_classes, dtype=torch.long)))"},
    edit(
        {COUNTS: f"({COUNTS} * (1 + torch.eye(num_classes, dtype=torch.long)))"},
        says="Places that were predicted right are counted twice, in one cell. Every place counts once, right or wrong.",
    ),
)

confusion_matrix.mistake(
    "the last place is lost",
    "One place too few is counted: the last. A loop over all places goes to `len(targets)`, which `range` leaves out by itself.",
    {BEGIN: "targets, predictions = targets[:-1], predictions[:-1]"},
    {CELLS: "targets[:-1] * num_classes + predictions[:-1]"},
    *(
        edit(swaps, says="One place too few is counted: the first. Places are numbered from 0.")
        for swaps in (
            {BEGIN: "targets, predictions = targets[1:], predictions[1:]"},
            {CELLS: "targets[1:] * num_classes + predictions[1:]"},
        )
    ),
)

confusion_matrix.mistake(
    "class 0 does not count",
    "Places of class 0 are not counted: its row is empty. Where class 0 is O, some leave it out; here it is a class like any other. A condition such as `if target` takes 0 for nothing.",
    {BEGIN: "targets, predictions = targets[targets > 0], predictions[targets > 0]"},
    {COUNTS: f"{COUNTS} * (torch.arange(num_classes) > 0).long()[:, None]"},
    *(
        edit(
            swaps,
            says="What was predicted to be class 0 is not counted: its column is empty. Class 0 is a class like any other. A condition such as `if prediction` takes 0 for nothing.",
        )
        for swaps in (
            {BEGIN: "targets, predictions = targets[predictions > 0], predictions[predictions > 0]"},
            {COUNTS: f"{COUNTS} * (torch.arange(num_classes) > 0).long()"},
        )
    ),
    edit(
        {
            COUNTS: f"{COUNTS} * (torch.arange(num_classes) > 0).long() * (torch.arange(num_classes) > 0).long()[:, None]"
        },
        says="Class 0 is not counted: its row and its column are empty. It is a class like any other. A condition such as `if target and prediction` takes 0 for nothing.",
    ),
    edit(
        {COUNTS: f"{COUNTS} * (torch.arange(num_classes**2) > 0).long().reshape(num_classes, num_classes)"},
        says="Places of class 0 that were predicted right are not counted. Class 0 is a class like any other. A condition such as `if target or prediction` takes 0 for nothing.",
    ),
)

confusion_matrix.mistake(
    "several pairs share a cell",
    "Different pairs of classes are counted in one cell. Each pair needs a number of its own: row t begins at t · num_classes, so the cell is `targets * num_classes + predictions`.",
    {CELLS: "targets + predictions"},
    {CELLS: "targets * (num_classes - 1) + predictions"},
    {CELLS: "targets * predictions"},
    edit(
        {CELLS: "targets * (int(predictions.max()) + 1 if len(predictions) else 1) + predictions"},
        says="Your rows are as long as the largest class that was predicted needs, so where the last classes are never predicted, counts stand in other cells. Row t begins at t · num_classes, whatever occurs.",
    ),
)

confusion_matrix.mistake(
    "the last class does not count",
    "Places of the last class are not counted: its row is empty. Classes go from 0 to num_classes - 1, and `range(num_classes)` ends there by itself.",
    {COUNTS: f"{COUNTS} * (torch.arange(num_classes) < num_classes - 1).long()[:, None]"},
    *(
        edit(
            {COUNTS: f"{COUNTS}{but}"},
            says=f"{what} Classes go from 0 to num_classes - 1, and `range(num_classes)` ends there by itself.",
        )
        for but, what in (
            (
                " * (torch.arange(num_classes) < num_classes - 1).long()",
                "What was predicted to be of the last class is not counted: its column is empty.",
            ),
            ("[:-1, :-1]", "Your matrix has no row and no column for the last class."),
            ("[:-1]", "Your matrix has no row for the last class."),
            ("[:, :-1]", "Your matrix has no column for the last class."),
        )
    ),
)

confusion_matrix.mistake(
    "one of the two is enough",
    "Your cells count places at which the target is t *or* the prediction is p. Cell (t, p) counts those at which both hold: `&`.",
    {COUNTS: f"((m := {COUNTS}).sum(dim=1, keepdim=True) + m.sum(dim=0) - m)"},
)

confusion_matrix.mistake(
    "counts of one byte",
    "Your counts have one byte each, and begin again at 0 after 255. A test set has more places than that: `dtype=torch.long`.",
    {COUNTS: f"{COUNTS}.to(torch.uint8)"},
)

confusion_matrix.mistake(
    "which was taken for which is lost",
    "Your matrix is filled on one side of the diagonal alone: the smaller class is the row, whichever of the two was right. Row t is the *target*, column p the prediction.",
    {CELLS: "torch.minimum(targets, predictions) * num_classes + torch.maximum(targets, predictions)"},
    {CELLS: "torch.maximum(targets, predictions) * num_classes + torch.minimum(targets, predictions)"},
)

confusion_matrix.mistake(
    "the diagonal comes back",
    "Your result is the diagonal alone, what was right of each class. Which class was taken for which stands beside it: all num_classes rows and columns are asked for.",
    {COUNTS: f"{COUNTS}.diagonal()"},
)

confusion_matrix.mistake(
    "the cells in one row",
    "Your counts are right, and all in one row. What is promised is a matrix, (num_classes, num_classes): `reshape` makes it.",
    {COUNTS: f"{COUNTS}.flatten()"},
)

confusion_matrix.mistake(
    "counts begin at 1",
    "Every cell is 1 too large. Begin with zeros, and add 1 for each place.",
    {COUNTS: f"({COUNTS} + 1)"},
)

confusion_matrix.mistake(
    "only the first place counts",
    "The first place is counted, and no other. Does a `return` stand inside the loop?",
    {CELLS: "targets[:1] * num_classes + predictions[:1]"},
    {CELLS: "targets[:1] * num_classes + predictions[:1]", COUNTS: f"{COUNTS} if len(targets) else None"},
)

confusion_matrix.mistake(
    "whether instead of how often",
    "Your matrix says whether a class was taken for another, True or False. How often is asked for.",
    {COUNTS: f"({COUNTS} > 0)"},
)

confusion_matrix.mistake(
    "classes counted from 1",
    "Row and column are one too small, and class 0 stands in the last of them. Classes go from 0: class t has row t.",
    {COUNTS: f"{COUNTS}.roll((-1, -1), (0, 1))"},
)

confusion_matrix.mistake(
    "rows or columns turned round",
    "Your columns stand in the opposite order, the last class first. Column p holds what was predicted to be class p, and classes go from 0.",
    {COUNTS: f"{COUNTS}.flip(1)"},
    *(
        edit(
            {COUNTS: f"{COUNTS}.flip({dims})"},
            says=f"{what} in the opposite order, the last class first. Row t holds the places of class t, column p what was predicted to be class p, and classes go from 0.",
        )
        for dims, what in (("0", "Your rows stand"), ("0, 1", "Your rows and columns stand"))
    ),
)

confusion_matrix.mistake(
    "every target meets every prediction",
    "Your cells are products: how often class t is there, times how often class p was predicted. Target and prediction of one place belong together: cell (t, p) counts the places at which the target is t and the prediction p.",
    {
        COUNTS: "torch.outer(*(torch.bincount(one, minlength=num_classes) for one in (targets, predictions)))",
    },
)

confusion_matrix.mistake(
    "one of the two for both",
    "Both row and column go by the targets, so only the diagonal is filled, with how often each class is there. The column goes by the predictions.",
    {BEGIN: "predictions = targets"},
    edit(
        {BEGIN: "targets = predictions"},
        says="Both row and column go by the predictions, so only the diagonal is filled, with how often each class was predicted. The row goes by the targets.",
    ),
)

confusion_matrix.mistake(
    "as many counts as the largest cell needs",
    "`bincount` gives as many counts as the largest cell needs that occurs. Where the last cells stay empty, these are too few for a matrix. Say how many there are: `minlength=num_classes**2`.",
    {COUNTS: "torch.bincount(cells).reshape(num_classes, num_classes)"},
    {COUNTS: "torch.bincount(cells, minlength=num_classes).reshape(num_classes, num_classes)"},
)
