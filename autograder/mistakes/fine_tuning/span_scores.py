"""Wrong ways of span_f1."""

from autograder.checks.fine_tuning.span_scores import span_f1
from autograder.probing.mistake import Way, edit

SETS = "set(spans(target)), set(spans(prediction))"
BOTH = "len(wanted & found)"
MADE = "predicted += len(found)"
THERE = "there += len(wanted)"
F1 = "2 * right / (predicted + there) if predicted + there else 0.0"
SHARE = "2 * right / (predicted + there)"
START = "right = predicted = there = 0"
WHOLE = f"""for target, prediction in zip(targets, predictions, strict=True):
        wanted, found = {SETS}
        right += {BOTH}
        {MADE}
        {THERE}
"""

span_f1.mistake(
    "mean of the texts",
    "You take F1 of each text, and the mean of these. One entity in a short text then weighs as much as ten in a long one, and a text without entities counts 0. Add up over all texts, then divide once.",
    {
        START: "right = predicted = there = 0\n    each = []",
        THERE: "there += len(wanted)\n        each.append(2 * len(wanted & found) / max(1, len(wanted) + len(found)))",
        F1: "sum(each) / max(1, len(each))",
    },
    edit(
        {
            START: "right = predicted = there = 0\n    each = []",
            THERE: "there += len(wanted)\n        each += [2 * len(wanted & found) / (len(wanted) + len(found))] if wanted or found else []",
            F1: "sum(each) / max(1, len(each))",
        },
        says="You take F1 of each text, and the mean of these, without the texts in which there is no entity. One entity in a short text then weighs as much as ten in a long one. Add up over all texts, then divide once.",
    ),
    edit(
        {
            START: "right = predicted = there = 0\n    each = []",
            THERE: "there += len(wanted)\n        each += [2 * len(wanted & found) / (len(wanted) + len(found)) if wanted or found else 1.0]",
            F1: "sum(each) / max(1, len(each))",
        },
        says="You take F1 of each text, and the mean of these, and a text without an entity counts 1. One entity in a short text then weighs as much as ten in a long one, and texts where nothing is to be found lift the mean. Add up over all texts, then divide once.",
    ),
    edit(
        {
            START: "right = predicted = there = 0\n    each = []",
            THERE: "there += len(wanted)\n        each.append((len(wanted & found) / max(1, len(found)), len(wanted & found) / max(1, len(wanted))))",
            F1: "(lambda p, r: 2 * p * r / (p + r) if p + r else 0.0)(*(sum(one) / len(each) for one in zip(*each))) if each else 0.0",
        },
        says="You take precision and recall of each text, and F1 of their means. One entity in a short text then weighs as much as ten in a long one. Add up over all texts, then divide once.",
    ),
)

span_f1.mistake(
    "texts are mixed up",
    "A span found in one text counts as right because another text has it at the same place. A span is a kind and two places *of its text*: compare text by text, or keep the number of the text with it.",
    {
        WHOLE: """wanted = {one for target in targets for one in spans(target)}
    found = {one for prediction in predictions for one in spans(prediction)}
    right, predicted, there = len(wanted & found), len(found), len(wanted)
"""
    },
    {
        WHOLE: """wanted = [one for target in targets for one in spans(target)]
    found = [one for prediction in predictions for one in spans(prediction)]
    right, predicted, there = sum(one in wanted for one in found), len(found), len(wanted)
"""
    },
    {
        WHOLE: """wanted = [one for target in targets for one in spans(target)]
    found = [one for prediction in predictions for one in spans(prediction)]
    right, predicted, there = len(set(wanted) & set(found)), len(found), len(wanted)
"""
    },
)

span_f1.mistake(
    "texts run into one another",
    "The texts are put behind one another before the spans are read. Where one ends in an entity and the next begins with an I-, two entities become one. Read the spans text by text.",
    {
        "zip(targets, predictions, strict=True)": "[([tag for row in targets for tag in row], [tag for row in predictions for tag in row])]",
    },
)

span_f1.mistake(
    "F1 of tokens",
    "Your number counts tokens, not entities. Half of an entity is then half right, and a long entity counts more than a short one. An entity is found, with its kind and both its ends, or it is not.",
    {
        SETS: "({i: t for i, t in enumerate(target) if t != 'O'}.items()), ({i: t for i, t in enumerate(prediction) if t != 'O'}.items())"
    },
    {
        SETS: "{(i, t[2:]) for i, t in enumerate(target) if t != 'O'}, {(i, t[2:]) for i, t in enumerate(prediction) if t != 'O'}"
    },
    *(
        edit(
            {
                F1: "(lambda names: precision_recall_f1(*(torch.tensor([names.index(t) for row in rows for t in row]) for rows in (targets, predictions)), len(names), 'AVERAGE')[2])(sorted({t for row in [*targets, *predictions] for t in row})) if predicted + there else 0.0".replace(
                    "AVERAGE", average
                )
            },
            says=f"Your number is {average} F1 over the tags of all tokens. Half of an entity is then half right, and O is a class like any other. An entity is found, with its kind and both of its ends, or it is not.",
        )
        for average in ("macro", "micro", "weighted")
    ),
)

span_f1.mistake(
    "O counts too",
    "Your number counts tokens, and O is one of the things to be found. Most tokens are O, so a tagger that finds nothing gets a wonderful number. Only entities count.",
    {SETS: "set(enumerate(target)), set(enumerate(prediction))"},
    edit(
        {
            SETS: "set(spans(target)) | {i for i, t in enumerate(target) if t == 'O'}, set(spans(prediction)) | {i for i, t in enumerate(prediction) if t == 'O'}"
        },
        says="Each O is one of the things to be found. Most tokens are O, so a tagger that finds nothing gets a wonderful number. Only entities count.",
    ),
)


def loosely(part: str, what: str) -> Way:
    """Right is what is alike in a part, and missed is what is not alike as a whole."""
    loose = f"sum(one[{part}] in [other[{part}] for other in wanted] for one in found)"
    return edit(
        {BOTH: loose, THERE: f"there += len(wanted) - len(wanted & found) + {loose}"},
        says=f"A predicted entity counts as right {what}, and only where you look for what was missed do you compare it as a whole. Kind, start and end have to be right, in both places.",
    )


span_f1.mistake(
    "the kind is not compared",
    "An entity counts as right whatever its kind. Start and end are not all: kind, start and end have to be right.",
    {SETS: "{one[1:] for one in spans(target)}, {one[1:] for one in spans(prediction)}"},
    loosely("1:", "whatever its kind"),
    edit(
        {SETS: "({*spans([t if t == 'O' else f'{t[:2]}x' for t in row])} for row in (target, prediction))"},
        says="Kinds are taken off the tags before the spans are read. An entity then counts as right whatever its kind, and an I- of another kind goes on with what is open. Kind, start and end have to be right.",
    ),
)

span_f1.mistake(
    "the end is not compared",
    "An entity counts as right wherever it ends. Kind, start and end have to be right: half of a name is not the name.",
    {SETS: "{one[:2] for one in spans(target)}, {one[:2] for one in spans(prediction)}"},
    loosely(":2", "wherever it ends"),
)

span_f1.mistake(
    "the start is not compared",
    "An entity counts as right wherever it begins. Kind, start and end have to be right: half of a name is not the name.",
    {SETS: "{(one[0], one[2]) for one in spans(target)}, {(one[0], one[2]) for one in spans(prediction)}"},
    loosely("::2", "wherever it begins"),
)

span_f1.mistake(
    "an overlap is enough",
    "An entity counts as right as soon as it shares a token with one of its kind. Kind, start and end have to be right: half of a name is not the name.",
    {BOTH: "sum(any(k == kind and s < end and start < e for k, s, e in wanted) for kind, start, end in found)"},
    {BOTH: "sum(any(k == kind and s < end and start < e for k, s, e in found) for kind, start, end in wanted)"},
    {
        BOTH: "(hits := sum(any(k == kind and s < end and start < e for k, s, e in wanted) for kind, start, end in found))",
        THERE: "there += hits + sum(not any(k == kind and s < end and start < e for k, s, e in found) for kind, start, end in wanted)",
    },
    edit(
        {BOTH: "sum(any(s < end and start < e for _, s, e in wanted) for _, start, end in found)"},
        says="An entity counts as right as soon as it shares a token with another one, whatever the kinds. Kind, start and end have to be right: half of a name is not the name.",
    ),
)

span_f1.mistake(
    "the tags of an entity are compared",
    "An entity counts as right where the predicted tags at its places are the right ones. A prediction that goes on behind it then passes, and one that begins with an I- does not. `spans` of both say what is an entity: compare these.",
    {BOTH: "sum(list(target[a:b]) == list(prediction[a:b]) for _, a, b in wanted)"},
    edit(
        {BOTH: "sum(list(target[a:b]) == list(prediction[a:b]) for _, a, b in found)"},
        says="A predicted entity counts as right where the tags at its places are the right ones. An entity of which it has only the first tokens then passes, and one that begins with an I- does not. `spans` of both say what is an entity: compare these.",
    ),
)

span_f1.mistake(
    "recall instead of F1",
    "Your number is recall: how many of the entities that are there were found. Whoever predicts very many finds most. F1 looks at what was predicted, too: 2 · right / (predicted + there).",
    {F1: "right / there if there else 0.0"},
    {"(predicted + there) if": "max(1, there + there) if"},
)

span_f1.mistake(
    "precision instead of F1",
    "Your number is precision: how many of the predicted entities are right. Whoever predicts a single one, a safe one, gets 1. F1 looks at what is there, too: 2 · right / (predicted + there).",
    {F1: "right / predicted if predicted else 0.0"},
    {"(predicted + there) if": "max(1, predicted + predicted) if"},
)

span_f1.mistake(
    "the arithmetic mean for F1",
    "Your number is the arithmetic mean of precision and recall. F1 is the harmonic mean, which is near the smaller of the two: 2 · right / (predicted + there).",
    {SHARE: "(right / max(1, predicted) + right / max(1, there)) / 2"},
)

span_f1.mistake(
    "F1 without the 2",
    "Your number is half of F1: the 2 is missing. Where all is right, right / (predicted + there) is one half.",
    {"2 * right": "right"},
)

span_f1.mistake(
    "Jaccard for F1",
    "Your number is right / (predicted + there - right), the Jaccard index: the share of what is in both among what is in either. F1 is 2 · right / (predicted + there).",
    {F1: "right / (predicted + there - right) if predicted + there else 0.0"},
)

span_f1.mistake(
    "the geometric mean for F1",
    "Your number is the root of precision times recall, their geometric mean. F1 is the harmonic mean: 2 · right / (predicted + there).",
    {SHARE: "(right / max(1, predicted) * right / max(1, there)) ** 0.5"},
)

span_f1.mistake(
    "a percentage",
    "Your number is a hundred times as large. Papers print it so; F1 is a share, between 0 and 1.",
    {F1: F1.replace("2 *", "200 *")},
)

span_f1.mistake(
    "the last text alone",
    "What comes back is of the last text alone. Each text replaces what was counted before it: add up, `+=`, and begin at 0 in front of the loop.",
    {
        "right += len(wanted & found)": "right = len(wanted & found)",
        "predicted += len(found)": "predicted = len(found)",
        THERE: "there = len(wanted)",
    },
    {
        START: "",
        "right += len(wanted & found)": "right = len(wanted & found)",
        "predicted += len(found)": "predicted = len(found)",
        THERE: "there = len(wanted)",
    },
    edit(
        {THERE: f"{THERE}\n        break"},
        says="What comes back is of the first text alone. Does something return, or end the loop, inside of it?",
    ),
    edit(
        {THERE: f"{THERE}\n        return {F1}"},
        says="What comes back is of the first text alone. Does something return, or end the loop, inside of it?",
    ),
    edit(
        {THERE: f"{THERE}\n        return {F1}", f"    return {F1}": "    return None"},
        says="What comes back is of the first text alone: the function returns inside the loop. Return behind it, where all texts are added up.",
    ),
)

span_f1.mistake(
    "entities are compared in step",
    "You compare the first entity with the first, the second with the second. Where one is missed, all behind it stand beside another and count as wrong. An entity is right if it is among those that are there.",
    {BOTH: "sum(one == other for one, other in zip(spans(target), spans(prediction)))"},
)

span_f1.mistake(
    "texts are passed over",
    "A text in which there is no entity is passed over. What was predicted there is wrong, and counts below the line.",
    {"predicted += len(found)": "predicted += len(found) if wanted else 0"},
    edit(
        {THERE: "there += len(wanted) if found else 0"},
        says="A text in which nothing was predicted is passed over. What is there was missed, and counts below the line.",
    ),
    edit(
        {
            "predicted += len(found)": "predicted += len(found) if wanted else 0",
            THERE: "there += len(wanted) if found else 0",
        },
        says="A text in which there is no entity, or none was predicted, is passed over. What is predicted and not there is wrong, what is there and not predicted was missed, and both count below the line.",
    ),
    {SETS: f"{SETS}\n        if not wanted:\n            continue"},
    edit(
        {SETS: f"{SETS}\n        if not found:\n            continue"},
        says="A text in which nothing was predicted is passed over. What is there was missed, and counts below the line.",
    ),
)

span_f1.mistake(
    "1 where no entity is",
    "Where no entity is there and none was predicted, your result is 1. By convention it is 0 here: nothing was shown.",
    {"else 0.0": "else 1.0"},
)

span_f1.mistake(
    "NaN where no entity is",
    "Where no entity is there and none was predicted, your result is NaN. By convention it is 0 here. Ask before you divide.",
    {"else 0.0": "else float('nan')"},
)

span_f1.mistake(
    "no number where no entity is",
    "Where no entity is there and none was predicted, you divide by zero. By convention F1 is 0 there. Ask before you divide.",
    {F1: "2 * right / (predicted + there)"},
    edit(
        {F1: "(lambda p, r: 2 * p * r / (p + r))(right / predicted, right / there)"},
        says="Where nothing was predicted, where nothing is there, or where nothing is right, you divide by zero. By convention F1 is 0 there, and 2 · right / (predicted + there) needs a single question.",
    ),
    edit(
        {F1: "(lambda p, r: 2 * p * r / (p + r) if p + r else 0.0)(right / predicted, right / there)"},
        says="Where nothing was predicted, or nothing is there, you divide by zero. By convention F1 is 0 there, and 2 · right / (predicted + there) needs a single question.",
    ),
    edit(
        {
            F1: "(lambda p, r: 2 * p * r / (p + r))(right / predicted if predicted else 0.0, right / there if there else 0.0)"
        },
        says="Where nothing is right, precision and recall are 0, and you divide by their sum. By convention F1 is 0 there, and 2 · right / (predicted + there) needs a single question.",
    ),
)

span_f1.mistake(
    "the targets against themselves",
    "The targets are compared with themselves, so everything is right. The spans of one of the two are read twice: those of `prediction` have to be compared with those of `target`.",
    {SETS: "set(spans(target)), set(spans(target))"},
    edit(
        {SETS: "set(spans(prediction)), set(spans(prediction))"},
        says="The predictions are compared with themselves, so everything is right. The spans of one of the two are read twice: those of `prediction` have to be compared with those of `target`.",
    ),
)

span_f1.mistake(
    "a predicted I- without its B- does not count",
    "A predicted entity that begins with an I- does not count. By the convention of `spans` it is an entity, and right or wrong like any other.",
    {SETS: "set(spans(target)), {one for one in spans(prediction) if prediction[one[1]][0] == 'B'}"},
    edit(
        {
            SETS: "{one for one in spans(target) if target[one[1]][0] == 'B'}, {one for one in spans(prediction) if prediction[one[1]][0] == 'B'}"
        },
        says="An entity that begins with an I- does not count, whether it is there or was predicted. By the convention of `spans` it is an entity, and right or wrong like any other.",
    ),
    edit(
        {
            MADE: "predicted += sum(tag[0] == 'B' for tag in prediction)",
            THERE: "there += sum(tag[0] == 'B' for tag in target)",
        },
        says="Below the line you count each `B-`, so that an entity that begins with an I- is missing there. By the convention of `spans` it is one: count what `spans` gives.",
    ),
)

span_f1.mistake(
    "mean over the kinds",
    "You take F1 of each kind, and the mean of these. That is macro F1, where a rare kind counts as much as a frequent one. Here all entities count alike, whatever their kind: add up, then divide once.",
    {
        F1: "(lambda kinds: sum(span_f1(*([[t if t[2:] == k else 'O' for t in row] for row in rows] for rows in (targets, predictions))) for k in kinds) / max(1, len(kinds)) if len(kinds) > 1 else 2 * right / (predicted + there) if predicted + there else 0.0)(sorted({t[2:] for rows in (targets, predictions) for row in rows for t in row if t != 'O'}))"
    },
)

ONE_BY_ONE = {SETS: "{{one[{0}] for one in spans(target)}}, {{one[{0}] for one in spans(prediction)}}"}

span_f1.mistake(
    "one of the three is compared alone",
    "You compare where an entity begins, and nothing else. An entity is right if its kind, its start *and* its end are: compare the whole of what `spans` gives.",
    {SETS: ONE_BY_ONE[SETS].format(1)},
    edit(
        {SETS: ONE_BY_ONE[SETS].format(2)},
        says="You compare where an entity ends, and nothing else. An entity is right if its kind, its start *and* its end are: compare the whole of what `spans` gives.",
    ),
    edit(
        {SETS: ONE_BY_ONE[SETS].format(0)},
        says="You compare which kinds of entity occur in a text, and nothing else. An entity is right if its kind, its start *and* its end are: compare the whole of what `spans` gives.",
    ),
    loosely("1:2", "as soon as it begins where one that is there does"),
)

span_f1.mistake(
    "the product for F1",
    "Your F1 is precision times recall: a step of it is left out. The harmonic mean of p and r is 2·p·r / (p + r), or 2 · right / (predicted + there).",
    {SHARE: "right / max(predicted, 1) * right / max(there, 1)"},
)

span_f1.mistake(
    "a text is lost",
    "The last text is missing. What stands in it counts like everything else.",
    {"zip(targets, predictions, strict=True)": "zip(targets[:-1], predictions[:-1], strict=True)"},
    edit(
        {"zip(targets, predictions, strict=True)": "zip(targets[1:], predictions[1:], strict=True)"},
        says="The first text is missing. What stands in it counts like everything else.",
    ),
)

span_f1.mistake(
    "right of the last text alone",
    "What is right is counted in the last text alone, and the two other sums go over all. Each of the three is added up: `+=`.",
    {f"right += {BOTH}": f"right = {BOTH}"},
)

span_f1.mistake(
    "right is what either has",
    "You count as right what is there *or* was predicted. Right is what is both: `wanted & found`.",
    {BOTH: "len(wanted | found)"},
    edit(
        {BOTH: "len(wanted ^ found)"},
        says="You count as right what is there or was predicted, but not both: that is all that is wrong. Right is what is both: `wanted & found`.",
    ),
    edit(
        {BOTH: "len(wanted)"},
        says="You count as right all that is there, whatever was predicted. Right is what is both: `wanted & found`.",
    ),
    edit(
        {BOTH: "len(found)"},
        says="You count as right all that was predicted, whatever is there. Right is what is both: `wanted & found`.",
    ),
)

span_f1.mistake(
    "one kind of error does not count",
    "What is there and was not found does not count. An entity that is missed lowers recall: below the line stand all that were predicted *and* all that are there.",
    {F1: "2 * right / (predicted + right) if predicted + right else 0.0"},
    edit(
        {F1: "2 * right / (there + right) if there + right else 0.0"},
        says="What was predicted and is not there does not count. An entity too many lowers precision: below the line stand all that were predicted *and* all that are there.",
    ),
    *(
        edit(
            {"(predicted + there) if": f"max(1, 2 * {which}(predicted, there)) if"},
            says=f"Below the line stands twice the {size} of what was predicted and what is there: the {other} of precision and recall. F1 has the sum of the two below the line.",
        )
        for which, size, other in (("max", "larger", "smaller"), ("min", "smaller", "larger"))
    ),
    edit(
        {MADE: f"predicted += {BOTH}"},
        says="What was predicted and is not there does not count. An entity too many lowers precision: below the line stand all that were predicted *and* all that are there.",
    ),
    {THERE: f"there += {BOTH}"},
)

span_f1.mistake(
    "what is right counts as an error too",
    "What is right stands once more below the line, as missed or as wrong. Missed is what is there and was *not* predicted, wrong what was predicted and is *not* there.",
    {F1: "2 * right / (predicted + there + right) if predicted + there else 0.0"},
    {F1: "2 * right / (predicted + there + 2 * right) if predicted + there else 0.0"},
)

span_f1.mistake(
    "below the line stands one of the two alone",
    "What was predicted is not counted below the line, so that 1 is not the best any more: where all is right, your number is 2. Below the line stand all that were predicted *and* all that are there.",
    {MADE: "predicted += 0"},
    edit(
        {THERE: "there += 0"},
        says="What is there is not counted below the line, so that 1 is not the best any more: where all is right, your number is 2. Below the line stand all that were predicted *and* all that are there.",
    ),
)

span_f1.mistake(
    "one less F1",
    "Your number is 1 less F1: it is small where much is right.",
    {F1: "1 - 2 * right / (predicted + there) if predicted + there else 0.0"},
)

span_f1.mistake(
    "what is right counts twice",
    "What is right is counted where you go through the predicted entities and again where you go through those that are there. Count it in one of the two loops.",
    {F1: "4 * right / (predicted + there + 2 * right) if predicted + there else 0.0"},
)

span_f1.mistake(
    "three numbers come back",
    "Precision, recall and F1 come back. What is promised is F1 alone, one number.",
    {F1: f"right / max(1, predicted), right / max(1, there), {F1}"},
    *(
        {F1: f"(right / predicted, right / there, {F1}) if {asked} else 0.0"}
        for asked in ("right", "predicted and there")
    ),
    {F1: f"(right / max(1, predicted), right / max(1, there), {F1}) if predicted + there else 0.0"},
)

span_f1.mistake(
    "right once below the line",
    "Above the line stands twice what is right, and below it what is right only once, beside what is wrong and what is missed. It counts twice there too: as predicted, and as there.",
    {F1: "2 * right / (predicted + there - right) if predicted + there else 0.0"},
)

span_f1.mistake(
    "rounded",
    "Your F1 is rounded. Round where you print: what is rounded cannot be compared any more.",
    {F1: "round(2 * right / (predicted + there), 2) if predicted + there else 0.0"},
    {F1: "round(2 * right / (predicted + there), 3) if predicted + there else 0.0"},
)

span_f1.mistake(
    "a tensor for a number",
    "Your result is a tensor. What is promised is a number of Python's, a float.",
    {F1: f"__import__('torch').tensor({F1})"},
    {F1: "__import__('torch').tensor(2 * right / (predicted + there)) if predicted + there else 0.0"},
)

span_f1.mistake(
    "divided without a rest",
    "Your F1 is 0 or 1: it is divided as whole numbers, `//`, and what is left over is lost. Divide by `/`.",
    {F1: "2 * right // (predicted + there) if predicted + there else 0"},
)

span_f1.mistake(
    "whole texts are compared",
    "You count texts in which everything is right. One error in a long text then costs all that was found in it. Count entities.",
    {BOTH: "(wanted == found)", MADE: "predicted += 1", THERE: "there += 1"},
    edit(
        {BOTH: "(wanted == found)"},
        says="What is right goes up by 1 for a text in which everything is right, and by nothing for any other. Right is a number of entities: `len(wanted & found)`.",
    ),
)

span_f1.mistake(
    "only B- is compared",
    "You compare where a `B-` stands. Where an entity ends and of which kind it is does not count then, and an `I-` without its `B-` is no entity. `spans` says all three.",
    {
        SETS: "{place for place, tag in enumerate(target) if tag[0] == 'B'}, {place for place, tag in enumerate(prediction) if tag[0] == 'B'}"
    },
    edit(
        {
            SETS: "{(place, tag) for place, tag in enumerate(target) if tag[0] == 'B'}, {(place, tag) for place, tag in enumerate(prediction) if tag[0] == 'B'}"
        },
        says="You compare where a `B-` stands, and its kind. Where an entity ends does not count then, and an `I-` without its `B-` is no entity. `spans` says all three.",
    ),
)
