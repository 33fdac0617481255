"""Wrong ways of asking a classifier."""

from autograder.checks.fine_tuning.evaluating import evaluate, macro_f1
from autograder.probing.mistake import edit

# evaluate ----------------------------------------------------------------------------

EVAL = "model.eval()"
BACK = "model.train(was_training)"
QUIET = "with torch.no_grad():"
LOOP = "for ids, labels in batches:"
ASKED = "asked = labels != -100"
TARGETS = "targets.append(labels[asked])"
PREDICTIONS = "predictions.append(model(ids).argmax(dim=-1)[asked])"
NOTHING = "if not any(len(one) for one in targets):"
SOME = "if not any(bool((one != -100).any()) for one in targets):"
RETURN = "return torch.cat(targets), torch.cat(predictions)"
FROM_THE_SECOND = "From the second batch on, the model is asked in the mode in which it came: that mode is restored inside the loop. In training mode dropout then deletes a part of what it knows. `model.train(was_training)` belongs behind the loop."

evaluate.mistake(
    "asked in training mode",
    "The model is asked in training mode. Dropout then deletes a part of what it knows, each time another: the numbers are too low, and not the same twice. `model.eval()` before the loop.",
    {EVAL: "pass"},
    {EVAL: "model.train()"},
    edit({PREDICTIONS: f"{PREDICTIONS}\n            {BACK}"}, says=FROM_THE_SECOND),
)

evaluate.mistake(
    "left in evaluation mode",
    "You leave the model in evaluation mode. Whoever measures between two epochs goes on without dropout from there, and does not notice. Remember `model.training`, and restore it.",
    {BACK: "pass"},
)

evaluate.mistake(
    "left in training mode",
    "You leave the model in training mode, also where it came in evaluation mode. Whoever asks it afterwards asks it with dropout. `model.train(was_training)` brings back what was.",
    {BACK: "model.train()"},
)

evaluate.mistake(
    "only the last batch",
    "What comes back is from the last batch alone. Each batch replaces what was collected before it: append to a list, and put the list together at the end.",
    {TARGETS: "targets = [labels[asked]]", PREDICTIONS: "predictions = [model(ids).argmax(dim=-1)[asked]]"},
    {RETURN: "return targets[-1], predictions[-1]"},
)

evaluate.mistake(
    "only the first batch",
    "What comes back is from the first batch alone. Does something return, or end the loop, inside of it?",
    {PREDICTIONS: f"{PREDICTIONS}\n            break"},
    {RETURN: "return targets[0], predictions[0]"},
    edit(
        {PREDICTIONS: f"{PREDICTIONS}\n            {RETURN}"},
        says="What comes back is from the first batch alone, and the model is left in evaluation mode: a `return` stands inside the loop.",
    ),
)

evaluate.mistake(
    "the last batch is lost",
    "The last batch is missing. It is mostly a smaller one, and what it holds counts like everything else.",
    {LOOP: "for ids, labels in (found := list(batches))[: max(1, len(found) - 1)]:"},
    {LOOP: "for ids, labels in list(batches)[:-1]:"},
    edit(
        {
            LOOP: f"size = 0\n        {LOOP}\n            size = size or len(ids)\n            if len(ids) < size:\n                continue"
        },
        says="A batch that is smaller than the first one is missing: mostly that is the last. What it holds counts like everything else.",
    ),
)

evaluate.mistake(
    "only the first text of a batch",
    "What comes back is from the first text of each batch alone. All texts of a batch are asked: choose places by `labels != -100`, and no text by its number.",
    {LOOP: "for ids, labels in ((ids[:1], labels[:1]) for ids, labels in batches):"},
    edit(
        {LOOP: "for ids, labels in ((ids[-1:], labels[-1:]) for ids, labels in batches):"},
        says="What comes back is from the last text of each batch alone. All texts of a batch are asked: choose places by `labels != -100`, and no text by its number.",
    ),
)

evaluate.mistake(
    "shifted by one place",
    "What is predicted at a place is held against the label of the next one. A language model is asked that way; here each token has a label of its own, and the logits stand at the same place as the labels.",
    {
        ASKED: "labels = labels[:, 1:]\n            asked = labels != -100",
        PREDICTIONS: "predictions.append(model(ids)[:, :-1].argmax(dim=-1)[asked])",
    },
    edit(
        {
            ASKED: "labels = labels[:, 1:]\n            asked = labels != -100",
            PREDICTIONS: "predictions.append(model(ids)[:, 1:].argmax(dim=-1)[asked])",
        },
        says="The first place of each text is left out. It may be asked like every other: what is left out is -100 and nothing else.",
    ),
)

evaluate.mistake(
    "padding is kept",
    "Places with -100 are among your targets. Nothing is asked there: padding, special tokens, further pieces of a word. Leave them out, of the targets and of the predictions.",
    {ASKED: "asked = torch.ones_like(labels, dtype=torch.bool)"},
    {ASKED: "asked = torch.ones_like(labels, dtype=torch.bool)", NOTHING: SOME},
    edit(
        {ASKED: "asked = ids != -100"},
        says="You look for -100 among the ids, where it never stands, so places where nothing is asked are kept; and where each text has one label, ids and labels do not line up. It is the labels that say what is asked: `labels != -100`.",
    ),
)

evaluate.mistake(
    "padding counts as class 0",
    "Places with -100 count as class 0. Nothing is asked there, and there are many of them, so class 0 looks better, or worse, than it is. Leave them out, of the targets and of the predictions.",
    {
        ASKED: "asked = torch.ones_like(labels, dtype=torch.bool)",
        TARGETS: "targets.append(labels.clamp(min=0)[asked])",
    },
    {
        ASKED: "asked = torch.ones_like(labels, dtype=torch.bool)",
        NOTHING: SOME,
        RETURN: "return torch.cat(targets).clamp(min=0), torch.cat(predictions)",
    },
)

evaluate.mistake(
    "class 0 is left out",
    "Places of class 0 are missing. What is left out is -100 and nothing else: class 0 is a class like any other.",
    {ASKED: "asked = labels > 0"},
    {ASKED: "asked = (labels != -100) & (labels != 0)"},
    edit(
        {ASKED: "asked = labels != 0"},
        says="Places of class 0 are missing, and places with -100 are there. What is left out is -100 and nothing else: class 0 is a class like any other.",
    ),
)

evaluate.mistake(
    "left out by the predictions",
    "What was predicted to be class 0 is missing. Which places count is decided by the labels: -100 is left out, and nothing else.",
    {ASKED: "asked = (labels != -100) & (model(ids).argmax(dim=-1) != 0)"},
)

evaluate.mistake(
    "predictions where nothing is asked",
    "You leave -100 out of the targets and not out of the predictions. So there are more of the one than of the other, and they do not stand side by side.",
    {PREDICTIONS: "predictions.append(model(ids).argmax(dim=-1).flatten())"},
)

evaluate.mistake(
    "the likeliest place instead of the likeliest class",
    "Your argmax goes along the wrong dimension: over the tokens of a text, not over the classes. The classes are in the last dimension of the logits, for texts and for tokens alike: `dim=-1`.",
    {PREDICTIONS: "predictions.append(model(ids).argmax(dim=1)[asked])"},
    {PREDICTIONS: "predictions.append(model(ids).argmax(dim=-2)[asked])"},
    edit(
        {PREDICTIONS: "predictions.append(model(ids)[asked].argmax().reshape(1))"},
        says="Your argmax has no dimension: of all scores of a batch it gives the place of the largest one, a single number. The classes are in the last dimension of the logits: `dim=-1`.",
    ),
)

evaluate.mistake(
    "logits instead of predictions",
    "Your predictions are scores of all classes. What is asked for is the likeliest class of each place: `argmax(dim=-1)`.",
    {PREDICTIONS: "predictions.append(model(ids)[asked])"},
    edit(
        {PREDICTIONS: "predictions.append(model(ids).amax(dim=-1)[asked])"},
        says="Your predictions are the largest scores. What is asked for is *which* class has it: `argmax(dim=-1)`, or the second thing that `max(dim=-1)` gives.",
    ),
    edit(
        {PREDICTIONS: "predictions.append(model(ids).amax(dim=-1).long()[asked])"},
        says="Your predictions are the largest scores, cut to whole numbers. What is asked for is *which* class has it: `argmax(dim=-1)`, or the second thing that `max(dim=-1)` gives.",
    ),
)

evaluate.mistake(
    "probabilities instead of predictions",
    "Your predictions are probabilities. What is asked for is the likeliest class of each place, a whole number: `argmax(dim=-1)`, and no softmax is needed for it.",
    {PREDICTIONS: "predictions.append(model(ids).softmax(dim=-1)[asked])"},
    {PREDICTIONS: "predictions.append(model(ids).softmax(dim=-1).amax(dim=-1)[asked])"},
)

evaluate.mistake(
    "targets and predictions exchanged",
    "Your predictions come first. Whoever hands them on in this order gets precision for recall: a published F1 was wrong for that reason. Targets first.",
    {RETURN: "return torch.cat(predictions), torch.cat(targets)"},
)

evaluate.mistake(
    "gradients are tracked",
    "Gradients are tracked while you ask. Nobody needs them, and for each batch everything that the model computes is kept in memory. `with torch.no_grad():` around the loop.",
    {QUIET: "with torch.enable_grad():"},
)

evaluate.mistake(
    "the parameters are frozen",
    "You freeze the model's parameters: `requires_grad` is False ever after, and who trains on gets an error. `with torch.no_grad():` around the loop, which leaves the model as it is.",
    {EVAL: f"{EVAL}\n    model.requires_grad_(False)"},
    {QUIET: "model.requires_grad_(False)\n    with torch.enable_grad():"},
)

evaluate.mistake(
    "gradients stay off",
    "Gradients are switched off for good. Whoever trains after this gets an error, or none at all. `with torch.no_grad():` ends by itself.",
    {QUIET: "torch.set_grad_enabled(False)\n    if True:"},
)

evaluate.mistake(
    "lists of batches",
    "Two lists come back, with a tensor for each batch. What is promised are two tensors, all batches behind one another: `torch.cat`.",
    {RETURN: "return targets, predictions"},
)

evaluate.mistake(
    "lists instead of tensors",
    "Two lists of numbers come back. What is promised are two tensors: what measures them compares and counts tensors. `torch.tensor(...)` makes one of a list.",
    {RETURN: "return torch.cat(targets).tolist(), torch.cat(predictions).tolist()"},
)

evaluate.mistake(
    "nothing asked goes unnoticed",
    "Where nothing is asked at all, nothing is said: empty tensors come back, and every measure of them is 0 or NaN. A file of labels that does not fit looks like that. Raise a ValueError.",
    {NOTHING: "if not targets:"},
    {NOTHING: "if not targets:\n        return torch.tensor([]).long(), torch.tensor([]).long()\n    if False:"},
    {NOTHING: "if False:"},
)

evaluate.mistake(
    "the first batch is lost",
    "The first batch is missing. What it holds counts like everything else.",
    {LOOP: "for ids, labels in list(batches)[1:]:"},
)

evaluate.mistake(
    "the batches are gone through twice",
    "You go through the batches more than once. They may be a generator, which is empty the second time: then nothing is asked. Do all that has to be done in one loop.",
    {LOOP: "list(batches)\n        for ids, labels in batches:"},
    edit(
        {LOOP: f"any(bool((one != -100).any()) for _, one in batches)\n        {LOOP}"},
        says="You look into the batches before you go through them. They may be a generator, which does not give again what it has given: the first batches are missing then. Do all that has to be done in one loop.",
    ),
)

evaluate.mistake(
    "only what is not asked",
    "You keep the places with -100, and leave out the others. It is the other way round: where -100 stands, nothing is asked.",
    {ASKED: "asked = labels == -100"},
)

evaluate.mistake(
    "the unlikeliest class",
    "Your predictions are the classes with the smallest score. The largest score speaks for a class: `argmax`.",
    {PREDICTIONS: "predictions.append(model(ids).argmin(dim=-1)[asked])"},
    edit(
        {PREDICTIONS: "predictions.append(model(ids).topk(2, dim=-1).indices[..., 1][asked])"},
        says="Your predictions are the classes with the second largest score. The largest score speaks for a class: `argmax`, or the first of what `topk` gives.",
    ),
)

evaluate.mistake(
    "class 0 is never predicted",
    "Class 0 is never predicted: its score is left out when the likeliest class is looked for. It is a class like any other.",
    {PREDICTIONS: "predictions.append((model(ids)[..., 1:].argmax(dim=-1) + 1)[asked])"},
    edit(
        {PREDICTIONS: "predictions.append(model(ids)[..., 1:].argmax(dim=-1)[asked])"},
        says="Class 0 is left out when the likeliest class is looked for, and the others are counted from 0: every prediction is one too small. Take all classes.",
    ),
    edit(
        {PREDICTIONS: f"{PREDICTIONS[:-1]}.clamp(min=1))"},
        says="Where class 0 is predicted, class 1 comes back. Class 0 is a class like any other.",
    ),
)

evaluate.mistake(
    "a batch without labels is refused",
    "A batch in which nothing is asked raises an exception, also where others have labels. Only where *nothing at all* is asked there is nothing to give back.",
    {ASKED: f"{ASKED}\n            if not asked.any():\n                raise ValueError('nothing is asked')"},
    *(
        edit(
            {NOTHING: f"if not targets or not len(targets[{at}]):"},
            says=f"You ask the {which} batch alone whether it has a label, and raise an exception where it has none, also where others have labels. Only where *nothing at all* is asked there is nothing to give back.",
        )
        for which, at in {"first": 0, "last": -1}.items()
    ),
)

evaluate.mistake(
    "what stands behind the first -100 is lost",
    "Where -100 stands, you stop. It may stand anywhere in a text, at every special token and further piece, and what comes behind it may be asked: leave out the places alone, one by one.",
    {ASKED: "asked = (labels != -100).long().cumprod(dim=-1).bool()"},
    {ASKED: "asked = (labels != -100).long().flatten().cumprod(dim=0).view_as(labels).bool()"},
)

evaluate.mistake(
    "the last class is never predicted",
    "The last class is never predicted: its score is left out when the likeliest class is looked for. It is a class like any other.",
    {PREDICTIONS: "predictions.append(model(ids)[..., :-1].argmax(dim=-1)[asked])"},
)

evaluate.mistake(
    "predictions are counted from 1",
    "Your predictions are one too large, each of them. `argmax` counts from 0, as the labels do: there is nothing to be added.",
    {PREDICTIONS: "predictions.append(model(ids).argmax(dim=-1)[asked] + 1)"},
)

evaluate.mistake(
    "one of the two comes back twice",
    "The targets come back twice, so every prediction seems to be right. The second thing that comes back are the predictions.",
    {RETURN: "return torch.cat(targets), torch.cat(targets)"},
    edit(
        {RETURN: "return torch.cat(predictions), torch.cat(predictions)"},
        says="The predictions come back twice, so every one of them seems to be right. The first thing that comes back are the targets.",
    ),
)

evaluate.mistake(
    "the labels are changed",
    "The labels that were handed in have been written over: where -100 stood, there is another number now, and whoever measures a second time counts the padding. Choose places by a mask, and leave the labels as they are.",
    {ASKED: f"labels[labels == -100] = 0\n            {ASKED}"},
    {ASKED: f"{ASKED}\n            labels[~asked] = 0"},
    {ASKED: "labels[labels == -100] = -1\n            asked = labels >= 0"},
)

evaluate.mistake(
    "floats instead of classes",
    "Your classes are floating-point numbers. Classes are whole numbers: they count places, and a float is no index.",
    {RETURN: "return torch.cat(targets).float(), torch.cat(predictions).float()"},
    *(
        edit(
            {RETURN: RETURN.replace(f"torch.cat({one})", f"torch.cat({one}).float()")},
            says=f"Your {one} are floating-point numbers. Classes are whole numbers: they count places, and a float is no index.",
        )
        for one in ("targets", "predictions")
    ),
)

evaluate.mistake(
    "left in the other mode",
    "You leave the model in the mode in which it did not come: in training mode if it came in evaluation mode, and the other way round. `model.train(was_training)` brings back what was.",
    {BACK: "model.train(not was_training)"},
)

evaluate.mistake(
    "accuracy instead of both",
    "Your result is one number, the share of places that are right. Two things are promised: what was wanted and what came, place by place. Each measure is then made of them.",
    {RETURN: "return (torch.cat(targets) == torch.cat(predictions)).float().mean()"},
    {RETURN: "return (torch.cat(targets) == torch.cat(predictions)).float().mean().item()"},
    edit(
        {RETURN: "return torch.cat(targets) == torch.cat(predictions)"},
        says="Your result says of each place whether it is right. Two things are promised: what was wanted and what came. Each measure is then made of them.",
    ),
    edit(
        {RETURN: "return torch.cat(targets), torch.cat(targets) == torch.cat(predictions)"},
        says="The second thing that comes back says of each place whether it is right. It should be what was predicted there: each measure is then made of the two.",
    ),
    edit(
        {RETURN: "return sum((a == b).float().mean() for a, b in zip(targets, predictions)) / len(targets)"},
        says="Your result is one number, the mean over the batches of the share of places that are right. Two things are promised: what was wanted and what came, place by place, of all batches. Each measure is then made of them.",
    ),
    edit(
        {
            RETURN: "return sum((a == b).float().mean() for a, b in zip(targets, predictions) if len(a)) / sum(len(a) > 0 for a in targets)"
        },
        says="Your result is one number, the mean over the batches of the share of places that are right. Two things are promised: what was wanted and what came, place by place, of all batches. Each measure is then made of them.",
    ),
)

evaluate.mistake(
    "the mode of the model alone",
    "You set `training` of the model alone. Its parts have a mode of their own: dropout asks its own `training`, and goes on dropping. `model.eval()` and `model.train(...)` reach all parts.",
    {EVAL: "model.training = False"},
    {EVAL: "model.training = False", BACK: "model.training = was_training"},
    edit(
        {BACK: "model.training = was_training"},
        says="You set `training` of the model alone when you are done. Its parts have a mode of their own, and stay in evaluation mode: `model.train(was_training)` reaches all parts.",
    ),
)

evaluate.mistake(
    "class 0 alone is taken for nothing",
    "Where every label is class 0 you raise a ValueError, as if nothing were asked. `any()` and a sum ask whether a number differs from 0. Ask how many labels there are.",
    {NOTHING: "if not any(bool(one.any()) for one in targets):"},
)

evaluate.mistake(
    "dimension 2 for the last",
    "You look for the likeliest class in dimension 2. Where each token has a label that is the last one. Where each text has one, the logits have two dimensions, and no dimension 2. The classes are in the last of them, -1.",
    {PREDICTIONS: "predictions.append(model(ids).argmax(dim=2)[asked])"},
)

evaluate.mistake(
    "padding is known by its id",
    "You leave places out by their ids, and not by their labels. A label of -100 says where nothing is asked: at special tokens and further pieces too, and where each text has one label there is no place to be left out by its id.",
    {ASKED: "asked = ids != 0"},
)

evaluate.mistake(
    "targets where nothing is asked",
    "Your targets are those of all places, and your predictions those of the places that are asked. The two then do not stand side by side. Leave out -100 in both.",
    {TARGETS: "targets.append(labels.flatten())"},
)

evaluate.mistake(
    "the batches from the last to the first",
    "Your batches come back in the opposite order. They stand behind one another as they came: whoever puts predictions beside the texts relies on it.",
    {RETURN: "return torch.cat(targets[::-1]), torch.cat(predictions[::-1])"},
    {LOOP: "for ids, labels in list(batches)[::-1]:"},
)

evaluate.mistake(
    "two rows of one tensor",
    "Targets and predictions are two rows of one tensor. What is promised are two tensors.",
    {RETURN: "return torch.stack([torch.cat(targets), torch.cat(predictions)])"},
    edit(
        {RETURN: "return torch.stack([torch.cat(targets), torch.cat(predictions)], dim=1)"},
        says="Targets and predictions are two columns of one tensor. What is promised are two tensors.",
    ),
)

evaluate.mistake(
    "only what is right",
    "Only places that are predicted right come back. What is wrong is asked as well: leave out -100 and nothing else.",
    {ASKED: "asked = (labels != -100) & (labels == model(ids).argmax(dim=-1))"},
    edit(
        {ASKED: "asked = (labels != -100) & (labels != model(ids).argmax(dim=-1))"},
        says="Only places that are predicted wrong come back. What is right is asked as well: leave out -100 and nothing else.",
    ),
)

evaluate.mistake(
    "another exception than ValueError",
    "Where nothing is asked at all you raise an exception, and it is no ValueError. Whoever calls this looks for the one that is promised.",
    *(
        {"raise ValueError(": f"raise {other}("}
        for other in ("RuntimeError", "IndexError", "TypeError", "AssertionError", "KeyError")
    ),
)

evaluate.mistake(
    "sorted by class",
    "Targets and predictions come back sorted, each by itself, so that they no longer stand side by side. Each pair belongs to one place of the texts: leave them in their order.",
    {RETURN: "return torch.cat(targets).sort().values, torch.cat(predictions).sort().values"},
    edit(
        {RETURN: "return torch.cat(targets).unique(), torch.cat(predictions).unique()"},
        says="Each class comes back once: that says which classes occur, and no longer what was predicted where. Each pair belongs to one place of the texts.",
    ),
)

# macro_f1 ----------------------------------------------------------------------------

ALL = "targets, predictions = evaluate(model, batches)"
SCORE = 'precision_recall_f1(targets, predictions, num_classes, "macro")[2]'
BODY = f"{ALL}\n    return {SCORE}"
# "(model, batches)" stands as in the call of `evaluate`, so that a slip there can be made in these loops too.
AS_IT_IS = """who, todo = (model, batches)
    found = []
    for ids, labels in todo:
        asked = labels != -100
        found.append((labels[asked], {predictions}))
"""
TOGETHER = "    targets, predictions = (torch.cat(one) for one in zip(*found, strict=True))\n    return " + SCORE
EACH = '    scores = [precision_recall_f1(*one, num_classes, "macro")[2] for one in found]\n    return sum(scores) / len(scores)'
OTHERS = {
    "weighted F1": '"weighted")[2]',
    "micro F1": '"micro")[2]',
    "macro precision": '"macro")[0]',
    "macro recall": '"macro")[1]',
}
# Slips that are made where `evaluate` asks, so that they go together with those in the measure.
PER_BATCH = "found = [evaluate(model, [one]) for one in batches]\n"
EMPTY_TOO = """who, todo = (model, batches)
    nothing = (torch.tensor([], dtype=torch.long),) * 2
    found = [evaluate(who, [one]) if (one[1] != -100).any() else nothing for one in todo]
"""
BY_PLACES = EACH.replace(
    "sum(scores) / len(scores)",
    "sum(score * len(one[0]) for score, one in zip(scores, found, strict=True)) / sum(len(one[0]) for one in found)",
)
WITH_TEXTS = AS_IT_IS.format(predictions="who(ids).argmax(dim=-1)[asked], len(ids)")
BY_TEXTS = """    scores = [precision_recall_f1(t, p, num_classes, "macro")[2] * size for t, p, size in found]
    return sum(scores) / sum(size for _, _, size in found)"""
OF_ROWS = """who, todo = (model, batches)
    found = []
    for ids, labels in todo:
        for row, text in zip(labels, who(ids).argmax(dim=-1), strict=True):
            found += [(row[row != -100], text[row != -100])] if (row != -100).any() else []
"""
RAW = "who(ids).argmax(dim=-1)[asked]"
KEPT = AS_IT_IS.replace("labels[asked]", "labels.clamp(min=0).flatten()")
CALM = "was_training = model.training\n    model.eval()\n    "
AGAIN = "    model.train(was_training)\n"
IN_TRAINING = "The model is asked in the mode in which it comes. In training mode dropout deletes a part of what it knows, each time another."
OF_BATCHES = "You take F1 of each batch and the mean of these. F1 is no mean over places: a class that does not occur in a small batch has F1 0 there, so the number depends on how the texts were cut."
PADDED = (
    "Places with -100 count as class 0. Nothing is asked there, and with longer padding the number becomes another."
)

macro_f1.mistake(
    "mean of the batches",
    f"{OF_BATCHES} Collect targets and predictions of all batches, and measure once.",
    {BODY: PER_BATCH + EACH},
    {BODY: EMPTY_TOO + EACH},  # no error at a batch without labels
    *(
        edit(
            {BODY: PER_BATCH + EACH.replace('"macro")[2]', taken)},
            says=f"You take {what} of each batch and the mean of these. What is asked for is macro F1, and of all batches together: it is no mean over batches. Collect targets and predictions of all, and measure once.",
        )
        for what, taken in OTHERS.items()
    ),
    edit(
        {BODY: CALM + OF_ROWS + AGAIN + EACH},
        says="You take F1 of each text and the mean of these. F1 is no mean over places: a class that does not occur in a text has F1 0 there. Collect targets and predictions of all batches, and measure once.",
    ),
    *(
        edit(
            {BODY: each + BY_TEXTS},
            says="You take F1 of each batch, and their mean weighted by the texts of a batch. F1 is no mean over texts: a class that does not occur in a batch has F1 0 there, so the number depends on how the texts were cut. Collect targets and predictions of all batches, and measure once.",
        )
        for each in (
            CALM + WITH_TEXTS + AGAIN,
            "found = [(*evaluate(model, [one]), len(one[0])) for one in batches]\n",
        )
    ),
    *(
        edit(
            {BODY: each + BY_PLACES},
            says="You take F1 of each batch, and their mean weighted by the places of a batch. F1 is no mean over places: a class that does not occur in a batch has F1 0 there, so the number depends on how the texts were cut. Collect targets and predictions of all batches, and measure once.",
        )
        for each in (PER_BATCH, CALM + AS_IT_IS.format(predictions=RAW) + AGAIN)
    ),
)

macro_f1.mistake(
    "batches added up",
    "Your number is made of the batches' F1, and is no mean: you add them up, or keep the best one. Macro F1 is measured once, on targets and predictions of all batches together.",
    *(
        edit(
            {BODY: each + EACH.replace("sum(scores) / len(scores)", taken)},
            says=says + " Macro F1 is measured once, on targets and predictions of all batches together.",
        )
        for each in (PER_BATCH, CALM + AS_IT_IS.format(predictions=RAW) + AGAIN)
        for taken, says in {
            "sum(scores)": "You add up F1 of all batches: the number grows with every batch, and can be above 1.",
            "max(scores)": "You keep F1 of the batch that went best.",
            "min(scores)": "You keep F1 of the batch that went worst.",
        }.items()
    ),
    edit(
        {ALL: f"batches = list(batches)\n    {ALL}", f"return {SCORE}": f"return {SCORE} / len(batches)"},
        says="Your number is F1 of all batches together, divided by the number of batches. What is measured once is no sum over batches: there is nothing to divide.",
    ),
)

macro_f1.mistake(
    "padding counts as class 0",
    f"{PADDED} Leave them out, of the targets and of the predictions.",
    edit(
        {
            ASKED: "asked = torch.ones_like(labels, dtype=torch.bool)",
            TARGETS: "targets.append(labels.clamp(min=0)[asked])",
        },
        inside="evaluate",
    ),
    edit(
        {
            ASKED: "asked = torch.ones_like(labels, dtype=torch.bool)",
            TARGETS: "targets.append(labels.clamp(min=0)[asked])",
            PREDICTIONS: "predictions.append((model(ids).argmax(dim=-1) * (labels != -100))[asked])",
        },
        inside="evaluate",
        says=f"{PADDED} Your predictions are 0 there as well, so that all of it counts as right. Leave these places out, of the targets and of the predictions.",
    ),
    *(
        edit(
            {", batches)": f", [(ids, {filled}) for ids, labels in batches])"},
            says=f"Places with -100 count as {which}. Nothing is asked there, and with longer padding the number becomes another. Leave them out, of the targets and of the predictions.",
        )
        for filled, which in (
            ("labels.where(labels != -100, num_classes - 1)", "the last class"),
            ("labels.where(labels != -100, 1)", "class 1"),
            ("labels % num_classes", "the class -100 % num_classes"),
            ("labels.clamp(min=0)", "class 0"),
        )
    ),
)

macro_f1.mistake(
    "padding is a class of its own",
    "Places with -100 are a class of their own with you, and your mean is over one class more. Nothing is asked there, so nothing there is right or wrong. Leave them out, of the targets and of the predictions.",
    *(
        {
            BODY: CALM
            + AS_IT_IS.replace("labels[asked]", "labels.where(asked, num_classes).flatten()").format(predictions=said)
            + AGAIN
            + TOGETHER.replace("num_classes", "num_classes + 1")
        }
        for said in (
            "who(ids).argmax(dim=-1).flatten()",
            "who(ids).argmax(dim=-1).where(asked, num_classes).flatten()",
        )
    ),
)

macro_f1.mistake(
    "asked in training mode",
    f"{IN_TRAINING} `evaluate` switches to evaluation, and back.",
    edit({EVAL: "pass"}, inside="evaluate"),
    edit({PREDICTIONS: f"{PREDICTIONS}\n            {BACK}"}, inside="evaluate", says=FROM_THE_SECOND),
    edit(
        {EVAL: "model.train()"},
        inside="evaluate",
        says="The model is asked in training mode. Dropout then deletes a part of what it knows, each time another. `evaluate` switches to evaluation, and back.",
    ),
)

macro_f1.mistake(
    "as the article has it",
    f"{IN_TRAINING} {PADDED} {OF_BATCHES}",
    {BODY: KEPT.format(predictions="who(ids).argmax(dim=-1).flatten()") + EACH},
    edit(
        {BODY: CALM + KEPT.format(predictions="who(ids).argmax(dim=-1).flatten()") + AGAIN + EACH},
        says=f"{PADDED} And the mean is taken of the batches' F1: that depends on how the texts were cut. Collect what is asked in all batches, and measure once.",
    ),
    edit(
        {BODY: CALM + KEPT.format(predictions="who(ids).argmax(dim=-1).flatten()") + EACH},
        says=f"{PADDED} The mean is taken of the batches' F1: that depends on how the texts were cut. And the model is left in evaluation mode.",
    ),
    edit(
        {BODY: AS_IT_IS.format(predictions=RAW) + EACH},
        says=f"{IN_TRAINING} And the mean is taken of the batches' F1: that depends on how the texts were cut. Switch to evaluation, collect all, and measure once.",
    ),
    edit(
        {BODY: KEPT.format(predictions="who(ids).argmax(dim=-1).flatten()") + TOGETHER},
        says=f"{IN_TRAINING} And places with -100 count as class 0. Switch to evaluation, and leave out where nothing is asked.",
    ),
    edit(
        {BODY: CALM + AS_IT_IS.format(predictions=RAW) + EACH},
        says=f"{OF_BATCHES} And the model is left in evaluation mode.",
    ),
    edit(
        {BODY: CALM + KEPT.format(predictions="who(ids).argmax(dim=-1).flatten()") + TOGETHER},
        says=f"{PADDED} And the model is left in evaluation mode.",
    ),
)

macro_f1.mistake(
    "left in evaluation mode",
    "You leave the model in evaluation mode. Whoever measures between two epochs goes on without dropout from there, and does not notice. Remember `model.training`, and restore it.",
    edit({BACK: "pass"}, inside="evaluate"),
    edit(
        {ALL: f"{ALL}\n    was_training = model.training\n    model.eval()\n    model.training = was_training"},
        says="You set `training` of the model alone when you are done. Its parts have a mode of their own, and stay in evaluation mode: `model.train(was_training)` reaches them all.",
    ),
)

macro_f1.mistake(
    "left in training mode",
    "You leave the model in training mode, also where it came in evaluation mode. Whoever asks it afterwards asks it with dropout. Remember `model.training`, and restore it.",
    edit({BACK: "model.train()"}, inside="evaluate"),
    edit(
        {ALL: f"{ALL}\n    model.train(not model.training)"},
        says="You leave the model in the mode in which it did not come: in training mode if it came in evaluation mode, and the other way round. Remember `model.training`, and restore it.",
    ),
)

macro_f1.mistake(
    "micro instead of macro",
    "Your number is micro F1, which is the share of places that are right: counts are added up over the classes, so that frequent classes decide. Macro F1 is the mean of the classes' F1, each as much as any other.",
    {'"macro"': '"micro"'},
)

macro_f1.mistake(
    "the unlikeliest class",
    "You predict the class with the *smallest* logit. The larger a logit, the likelier its class: `argmax`, which `evaluate` takes.",
    edit({PREDICTIONS: PREDICTIONS.replace("argmax", "argmin")}, inside="evaluate"),
)

macro_f1.mistake(
    "class 0 is never predicted",
    "Class 0 is never predicted: its score is left out when the likeliest class is looked for. It is a class like any other.",
    edit({PREDICTIONS: "predictions.append((model(ids)[..., 1:].argmax(dim=-1) + 1)[asked])"}, inside="evaluate"),
    edit(
        {PREDICTIONS: f"{PREDICTIONS[:-1]}.clamp(min=1))"},
        inside="evaluate",
        says="Where class 0 is predicted, you count class 1. Class 0 is a class like any other.",
    ),
)

macro_f1.mistake(
    "weighted instead of macro",
    "Your number is the mean of the classes' F1 weighted by how often each is there. In macro F1 each class counts as much as any other.",
    {'"macro"': '"weighted"'},
    edit(
        {
            f"return {SCORE}": 'return precision_recall_f1(predictions, targets, num_classes, "weighted")[2]',
        },
        says="Your number is the mean of the classes' F1 weighted by how often each is predicted. In macro F1 each class counts as much as any other.",
    ),
)

macro_f1.mistake(
    "precision instead of F1",
    "Your number is the mean precision. `precision_recall_f1` gives three numbers, and F1 is the last.",
    {'"macro")[2]': '"macro")[0]'},
)

macro_f1.mistake(
    "recall instead of F1",
    "Your number is the mean recall. `precision_recall_f1` gives three numbers, and F1 is the last.",
    {'"macro")[2]': '"macro")[1]'},
)

macro_f1.mistake(
    "F1 of the mean precision and recall",
    "Your F1 is computed from the mean precision and the mean recall. That is another number, often a larger one. Take the mean of the classes' F1.",
    {
        f"return {SCORE}": 'p, r, _ = precision_recall_f1(targets, predictions, num_classes, "macro")\n    return 2 * p * r / (p + r) if p + r else 0.0'
    },
)

F1_EACH = "f1 = precision_recall_f1(targets, predictions, num_classes)[2]\n    return "

macro_f1.mistake(
    "absent classes are left out of the mean",
    "Your mean leaves out classes that do not occur. It is then a mean over fewer classes on one set of texts than on another. Every one of the `num_classes` counts; one that never occurs has F1 0.",
    {f"return {SCORE}": f"{F1_EACH}f1[targets.unique()].mean().item()"},
    {f"return {SCORE}": f"{F1_EACH}f1[torch.cat([targets, predictions]).unique()].mean().item()"},
    {f"return {SCORE}": f"{F1_EACH}f1[: int(torch.cat([targets, predictions]).max()) + 1].mean().item()"},
    edit(
        {f"return {SCORE}": f"{F1_EACH}f1[predictions.unique()].mean().item()"},
        says="Your mean leaves out classes that are never predicted. So a class that is never found does not lower it. Every one of the `num_classes` counts.",
    ),
    edit(
        {f"return {SCORE}": f"{F1_EACH}f1[f1 > 0].mean().item()"},
        says="Your mean leaves out classes whose F1 is 0. So a class that is never found does not lower it. Every one of the `num_classes` counts.",
    ),
)

macro_f1.mistake(
    "class 0 is left out of the mean",
    "Your mean leaves class 0 out. Where class 0 is O, some do so; here every class counts alike.",
    {f"return {SCORE}": f"{F1_EACH}f1[1:].mean().item()"},
    edit(
        {f"return {SCORE}": f"{F1_EACH}f1[1:].sum().item() / num_classes"},
        says="F1 of class 0 is not in your sum, and yet you divide by all classes. Where class 0 is O, some leave it out; here every class counts alike.",
    ),
)

macro_f1.mistake(
    "the last class is left out of the mean",
    "Your mean leaves the last class out. Classes are numbered from 0, so the last one is `num_classes - 1`. It counts like any other.",
    {f"return {SCORE}": f"{F1_EACH}f1[:-1].mean().item()"},
    edit(
        {f"return {SCORE}": f"{F1_EACH}f1[:-1].sum().item() / num_classes"},
        says="F1 of the last class is not in your sum, and yet you divide by all classes. Classes are numbered from 0, so the last one is `num_classes - 1`. It counts like any other.",
    ),
)

macro_f1.mistake(
    "no mean of the classes",
    "Your number is not the *mean* of the classes' F1: it is their largest, their smallest, the one in the middle or their sum. Macro F1 adds them up and divides by `num_classes`.",
    *({f"return {SCORE}": f"{F1_EACH}f1.{taken}().item()"} for taken in ("max", "min", "median", "sum")),
    {f"return {SCORE}": f"{F1_EACH}f1.quantile(0.5).item()"},
    *(
        edit(
            {f"return {SCORE}": f"{F1_EACH}{taken}.item()"},
            says=f"Your number is {what}. Macro F1 is the mean of the classes' F1: it adds them up and divides by `num_classes`.",
        )
        for what, taken in {
            "F1 of class 1 alone": "f1[1]",
            "F1 of the last class alone": "f1[-1]",
            "F1 of class 0 alone": "f1[0]",
            "the root of the mean of the squares of the classes' F1": "f1.square().mean().sqrt()",
            "the geometric mean of the classes' F1, which is 0 as soon as one of them is": "f1.log().mean().exp()",
            "the sum of the classes' F1, divided by one class too few": "(f1.sum() / (num_classes - 1))",
            "the sum of the classes' F1, divided by one class too many": "(f1.sum() / (num_classes + 1))",
        }.items()
    ),
    {f"return {SCORE}": f"{F1_EACH}sorted(f1.tolist())[num_classes // 2]"},
    edit(
        {f"return {SCORE}": f"{F1_EACH}f1.sum().item() / len(targets)"},
        says="Your number is the sum of the classes' F1, divided by the number of places. Macro F1 is the mean over the classes: divide by `num_classes`.",
    ),
)

EACH_OF_THREE = "p, r, f1 = precision_recall_f1(targets, predictions, num_classes)\n    return "

macro_f1.mistake(
    "another formula than F1's",
    "What you take the mean of is not F1. F1 of a class is 2PR / (P + R), of its precision P and its recall R; `precision_recall_f1` computes it for you.",
    *(
        edit(
            {"2 * right / (predicted + there).clamp(min=1)": formula},
            inside="precision_recall_f1",
            says=f"What you take the mean of is {what}, and not F1. F1 of a class is 2PR / (P + R), of its precision P and its recall R; `precision_recall_f1` computes it for you.",
        )
        for what, formula in {
            "the mean of precision and recall": "(precision + recall) / 2",
            "the product of precision and recall": "precision * recall",
            "the root of precision times recall": "(precision * recall).sqrt()",
            "the smaller one of precision and recall": "torch.minimum(precision, recall)",
            "the larger one of precision and recall": "torch.maximum(precision, recall)",
            "the sum of precision and recall": "precision + recall",
            "half of F1": "right / (predicted + there).clamp(min=1)",
            "twice F1": "4 * right / (predicted + there).clamp(min=1)",
            "the mean of precision, recall and F1": "(precision + recall + 2 * right / (predicted + there).clamp(min=1)) / 3",
            "F2, in which recall counts more than precision": "5 * right / (predicted + 4 * there).clamp(min=1)",
            "F0.5, in which precision counts more than recall": "1.25 * right / (predicted + 0.25 * there).clamp(min=1)",
            "F1 / (2 - F1), the share of those that are both among those that are either": "right / (predicted + there - right).clamp(min=1)",
        }.items()
    ),
    edit(
        {"2 * right / (predicted + there).clamp(min=1)": "2 * right / (predicted + there + 1)"},
        inside="precision_recall_f1",
        says="You add 1 below the line of F1, so every F1 is too small. A small number there against dividing by 0 has to be so small that it changes nothing; or take F1 as 0 where nothing is there.",
    ),
)

macro_f1.mistake(
    "a class without F1 is not 0",
    "A class for which 0 is divided by 0 does not count as 0, but as NaN or as 1. F1 of a class that never occurs, or that is never right, is 0. `precision_recall_f1` sees to that.",
    edit(
        {f"return {SCORE}": f"{EACH_OF_THREE}(2 * p * r / (p + r)).mean().item()"},
        says="A class that is never right gives 0 / 0, NaN, and with it your mean is NaN. Its F1 is 0. `precision_recall_f1` sees to that: take its third number.",
    ),
    edit(
        {
            f"return {SCORE}": f"{EACH_OF_THREE}f1.index_fill(0, torch.tensor([one for one in range(num_classes) if not ((targets == one) | (predictions == one)).any()], dtype=torch.long), torch.nan).mean().item()"
        },
        says="A class that neither occurs nor is predicted gives 0 / 0, NaN, and with it your mean is NaN. Its F1 is 0. `precision_recall_f1` sees to that: take its third number.",
    ),
    edit(
        {
            f"return {SCORE}": f"{EACH_OF_THREE}f1.index_fill(0, torch.tensor([one for one in range(num_classes) if not ((targets == one) | (predictions == one)).any()], dtype=torch.long), 1.0).mean().item()"
        },
        says="A class that neither occurs nor is predicted has F1 1 in your mean. Its F1 is 0 here, by the convention of `precision_recall_f1`.",
    ),
)

macro_f1.mistake(
    "the error instead of F1",
    "Your number is 1 - F1: the better the model, the smaller it is. Macro F1 is the larger, the better.",
    {"return ": "return 1 - "},
)

macro_f1.mistake(
    "a rounded number",
    "Your number is rounded. Round where a number is printed; a function that measures gives all that it has, so that two models can be compared.",
    *({f"return {SCORE}": f"return round({SCORE}, {places})"} for places in (1, 2)),
)

macro_f1.mistake(
    "a percentage",
    "Your number is a hundred times as large. F1 is a share, between 0 and 1.",
    {"return ": "return 100 * "},
)

macro_f1.mistake(
    "places of class 0 do not count",
    "Places whose target is class 0 are left out, as if nothing were asked there. What is left out is -100 and nothing else: class 0 is a class like any other.",
    edit({ASKED: "asked = labels > 0"}, inside="evaluate"),
    edit(
        {ALL: f"{ALL}\n    targets, predictions = targets[predictions > 0], predictions[predictions > 0]"},
        says="Places that were predicted to be class 0 are left out. Which places count is decided by the labels: -100 is left out, and nothing else.",
    ),
)

macro_f1.mistake(
    "a batch is lost",
    "The last batch is missing. It is mostly a smaller one, and what it holds counts like everything else.",
    {", batches)": ", (kept if (kept := list(batches)[:-1]) else torch.cat([])))"},
    {", batches)": ", list(batches)[:-1])"},
    {", batches)": ", ((kept := list(batches))[:-1] or kept))"},
    {ALL: f"batches = list(batches)[:-1]\n    if not batches:\n        return 0.0\n    {ALL}"},
    *(
        edit(swaps, says="The first batch is missing. What it holds counts like everything else.")
        for swaps in (
            {", batches)": ", list(batches)[1:])"},
            {ALL: f"batches = list(batches)[1:]\n    if not batches:\n        return 0.0\n    {ALL}"},
        )
    ),
    edit(
        {", batches)": ", list(batches)[:1])"},
        says="Only the first batch counts. A `return` or `break` in the loop over the batches does that, and so does `next(iter(batches))`. Measure on all of them together.",
    ),
    edit(
        {", batches)": ", list(batches)[-1:])"},
        says="Only the last batch counts: each batch overwrites the one before. Collect targets and predictions of all, and measure once.",
    ),
    edit(
        {", batches)": ", ((kept := list(batches))[1:] or kept))"},
        says="The first batch is missing. What it holds counts like everything else.",
    ),
    edit(
        {", batches)": ", list(batches)[::2])"},
        says="Every second batch is missing. What it holds counts like everything else. Is something taken from the batches twice in each turn of the loop?",
    ),
)

macro_f1.mistake(
    "the batches are gone through twice",
    "The batches are gone through more than once. Batches that come one by one are gone the second time, and then nothing is asked. Are they counted first, or is `evaluate` called once for the targets and once for the predictions? Call it once, and keep both.",
    {ALL: "targets, predictions = evaluate(model, batches)[0], evaluate(model, batches)[1]"},
    {ALL: f"list(batches)\n    {ALL}"},
)

macro_f1.mistake(
    "a batch without labels is refused",
    "A batch in which nothing is asked raises an exception, also where others have labels. Your number then depends on how the texts were cut. Such a batch counts nothing: only where *nothing at all* is asked there is nothing to measure.",
    edit(
        {ASKED: f"{ASKED}\n            if not asked.any():\n                raise ValueError('nothing is asked')"},
        inside="evaluate",
    ),
)

macro_f1.mistake(
    "more than one number",
    'What comes back are the F1 of all classes. One number is asked for: their mean, which "macro" gives.',
    *({f"return {SCORE}": F1_EACH + whole} for whole in ("f1", "f1.tolist()")),
    *(
        edit(
            {'"macro")[2]': '"macro")' + more},
            says="What comes back is precision, recall and F1. One number is asked for: F1, the last of the three.",
        )
        for more in ("", "[0:3]")
    ),
    *(
        edit(
            {f"return {SCORE}": f"return {around.format(SCORE)}"},
            says=f"Your number is right, and it comes back in a {kind}. The number alone is asked for.{where}",
        )
        for kind, around, where in (
            ("list", "[{}]", ""),
            ("tuple", "({},)", " A comma at the end of the line makes a tuple."),
        )
    ),
)

macro_f1.mistake(
    "the targets against themselves",
    "The targets are measured against themselves, so whatever is there is right. Hand on both of what `evaluate` gives: targets, then predictions.",
    {f"return {SCORE}": f"return {SCORE}".replace("predictions", "targets")},
    edit(
        {f"return {SCORE}": f"return {SCORE}".replace("targets", "predictions")},
        says="The predictions are measured against themselves, so whatever is predicted is right. Hand on both of what `evaluate` gives: targets, then predictions.",
    ),
)

macro_f1.mistake(
    "padding counts as right",
    "Places with -100 get the predicted class as their target, so that all of them count as right. Nothing is asked there. Leave them out, of the targets and of the predictions.",
    edit(
        {
            ASKED: "asked = torch.ones_like(labels, dtype=torch.bool)",
            TARGETS: "targets.append(labels.where(labels != -100, model(ids).argmax(dim=-1))[asked])",
        },
        inside="evaluate",
    ),
)

macro_f1.mistake(
    "the likeliest place instead of the likeliest class",
    "Your argmax goes along dimension 1. Where each token has a label, that is over the tokens of a text, not over the classes. The classes are in the last dimension of the logits, for texts and for tokens alike: `dim=-1`.",
    edit({PREDICTIONS: "predictions.append(model(ids).argmax(dim=1)[asked])"}, inside="evaluate"),
    edit(
        {PREDICTIONS: "predictions.append(model(ids).argmax(dim=2)[asked])"},
        inside="evaluate",
        says="You look for the likeliest class in dimension 2. Where each text has one label, the logits have two dimensions, and no dimension 2. The classes are in the last of them, -1.",
    ),
)
