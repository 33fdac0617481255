"""Wrong ways of whole translations."""

from autograder.checks.translation import exact_match
from autograder.probing.mistake import edit

RIGHT = "right = target[: target.index(eos_id) + 1]"
SAME = "output[: len(right)] == right"
ALIGNED = "zip(output + [-7] * len(target), target, strict=False)"  # as wide as the target; -7 equals nothing
ANSWER = "torch.tensor(found, dtype=torch.bool)"


def first(line: str) -> dict[str, str]:
    """An edit that does something with a row before the part to compare is taken."""
    return {RIGHT: f"{line}\n        {RIGHT}"}


def then(line: str) -> dict[str, str]:
    """An edit that does something once the part to compare is taken."""
    return {RIGHT: f"{RIGHT}\n        {line}"}


WIDE = "[*target, *[-7] * (len(output) - len(target))]"  # the target, as wide as the wider of the two

# It shows at one place only; standing first, its pairs come first among those that fit alike.
exact_match.mistake(
    "an end of 0 is taken for padding",
    "Where the end has the id 0, an output that never ended counts as right. Filling short outputs up with 0 does that, and so does taking a 0 of the target for padding: it is an id like any other. Fill up with what equals none, such as -1, or compare whole lists.",
    first("output = output + [0] * (len(target) - len(output))"),
)
exact_match.mistake(
    "everything is right",
    "Every translation is called right, whatever it says. Either nothing is compared, or one place is enough and there is always one that you take for right.",
    {SAME: "True"},
)
exact_match.mistake(
    "a right beginning counts as right",
    "An output that goes on where the target ends counts as right. You compare up to the end but not the end itself, so `zwei und vierzig tausend` "
    "passes for `zwei und vierzig`. eos_id has to be right too.",
    {RIGHT: "right = target[: target.index(eos_id)]"},
    edit(
        {SAME: "len(output) >= len(right) and output[: len(right) - 1] == right[:-1]"},
        says="An output that goes on where the target ends counts as right, if it is long enough. You compare up to the end but not the end itself: `<=`, not `<`. eos_id has to be right too.",
    ),
)
exact_match.mistake(
    "an output without an end counts as right",
    "An output that never came to an end counts as right if all its tokens are right. That happens where eos_id is cut off on both sides before they "
    "are compared, or where a short output is filled up with eos_id. Keep eos_id as the output has it: stopping is a part of the translation.",
    {
        RIGHT: "right = target[: target.index(eos_id)]",
        SAME: "output[: output.index(eos_id) if eos_id in output else len(output)] == right",
    },
    first("output = output + [eos_id] * (len(target) - len(output))"),
    {
        RIGHT: "output, right = ([*(side[: side.index(eos_id)] if eos_id in side else side), -7] for side in (output, target))"
    },
    edit(
        {SAME: "eos_id not in output or output[: output.index(eos_id) + 1] == target[: output.index(eos_id) + 1]"},
        says="An output that never came to an end counts as right, whatever it says. You take its part up to eos_id, and without an eos_id that part is empty. The target decides what is compared: everything up to and with its first eos_id.",
    ),
)
exact_match.mistake(
    "what stands behind the end counts",
    "You compare what stands after the end, too. That is padding, or whatever a decoder wrote after the end; none of it belongs to the translation. "
    "Only the part up to and with the target's first "
    "eos_id counts.",
    then(f"right = {WIDE}"),
    then("right = target"),
    {ANSWER: "(outputs == targets).all(dim=1)"},
    edit(
        {RIGHT: f"output = output + [0] * (len(target) - len(output))\n        {RIGHT}\n        right = {WIDE}"},
        says="You compare what stands behind the end, too, and fill short outputs up with 0. Then padding is compared with padding, and an output that ends right and goes on is called wrong. "
        "Only the part up to and with the target's first eos_id counts, and what is missing equals no id.",
    ),
    {SAME: "(output[: output.index(eos_id) + 1] if eos_id in output else output) == target"},
    {SAME: "len(right) <= len(output) and all(a == b for a, b in zip(output, target, strict=False))"},
    {SAME: "all(a == b for a, b in zip(output + [0] * len(target), target + [0] * len(output), strict=False))"},
    edit(
        {RIGHT: "right = target[: target.index(eos_id) + 2]"},
        says="You compare one token behind the end, too. The part that counts goes up to and with the first eos_id: `place + 1` as the end of a slice, as that place is not in it.",
    ),
    edit(
        {RIGHT: f"right = {WIDE}[: target.index(eos_id) + 2]"},
        says="You compare one place behind the end, too. The part that counts goes up to and with the first eos_id.",
    ),
)
exact_match.mistake(
    "one answer for each place",
    "You ask down the columns: for each place, whether it is right in all translations. Ask along the rows, `.all(dim=1)`: for each translation, whether all its places are right.",
    *(
        {
            SAME: f"[a == b or i >= len(right) for i, (a, b) in enumerate({zipped})]",
            ANSWER: "torch.tensor(found).all(dim=0)",
        }
        for zipped in (
            "zip(output + [-7] * len(target), target, strict=False)",
            "zip(output + [-7] * (len(target) - len(output)), target + [-7] * (len(output) - len(target)), strict=True)",
        )
    ),
)
exact_match.mistake(
    "another shape comes back",
    "The answers have one dimension too many. One answer for each translation is a vector, (batch,): a column compared with a vector gives a table.",
    {ANSWER: f"{ANSWER}.unsqueeze(1)"},
    {ANSWER: f"{ANSWER}.unsqueeze(0)"},
    {SAME: f"[{SAME}]"},
)
exact_match.mistake(
    "only the place of the end is compared",
    "You compare where the two end, and not what they say. An output of the right length counts as right, whatever its tokens. All tokens up to and with eos_id have to be the same.",
    {SAME: "eos_id in output and output.index(eos_id) == len(right) - 1"},
    {SAME: "output[len(right) - 1 : len(right)] == [eos_id]"},
    {SAME: "len(output[: output.index(eos_id) + 1] if eos_id in output else output) == len(right)"},
    {SAME: f"all(a == b for a, b in {ALIGNED} if b == eos_id)"},
)
exact_match.mistake(
    "some tokens are not compared",
    "Some of the tokens are not compared.",
    edit(
        then("output, right = output[1:], right[1:]"),
        says="The first token is not compared. These sequences do not begin with bos_id: what stands first is the first token of the translation.",
    ),
    edit(
        {RIGHT: f"output, target = output[1:], target[1:]\n        {RIGHT} if eos_id in target else [-1]"},
        says="The first token is not compared, and where it is the end nothing is right. These sequences do not begin with bos_id: what stands first is the first token of the translation.",
    ),
    edit(
        {RIGHT: f"output, target = output[1:], target[1:]\n        {RIGHT} if eos_id in target else target"},
        says="The first token is not compared. These sequences do not begin with bos_id: what stands first is the first token of the translation.",
    ),
    edit(
        {SAME: "output[: len(right)][-2:] == right[-2:]"},
        says="Only the last two tokens are compared. All tokens up to and with eos_id have to be the same.",
    ),
    edit(
        {SAME: "(output[: output.index(eos_id) + 1] if eos_id in output else [-7])[-2:] == right[-2:]"},
        says="Only the last two tokens are compared. All tokens up to and with eos_id have to be the same.",
    ),
    *(
        edit(
            {RIGHT: f"right = {side}[: (output.index(eos_id) if eos_id in output else 0) + 1]"},
            says="You compare up to the end of the *output*. One without an end is compared in its first token alone, as `argmax` of nothing but False is 0. The target decides: everything up to and with its first eos_id.",
        )
        for side in ("target", WIDE)
    ),
    edit(
        {SAME: "output[:1] == right[:1]"},
        says="Only the first token is compared. All tokens up to and with eos_id have to be the same.",
    ),
    edit(
        {SAME: "len(output) >= len(right) and [a for a in output[: len(right)] if a != eos_id] == right[:-1]"},
        says="Every eos_id is taken out before you compare. So an output that ends too early and goes on afterwards counts as right. Compare place by place, eos_id included.",
    ),
)
exact_match.mistake(
    "an end in the last column refused",
    "A right output that ends in the last column is called wrong. Places are counted from 0, so an end at place n - 1 fits into n columns: `end < length`.",
    {SAME: f"len(right) < min(len(output), len(target)) and {SAME}"},
    {SAME: f"len(right) < len(output) and {SAME}"},
)
exact_match.mistake(
    "the end of another translation",
    "You take the place of the end from one target and use it for all. Every target ends at its own place: keep one place for each row, `end[:, None]` or `.unsqueeze(1)`.",
    *(
        {
            RIGHT: f"end = targets[{which}].tolist().index(eos_id) + 1\n        right = [*target, *[-8] * (len(output) - len(target))][:end]"
        }
        for which in ("0", "-1")
    ),
    *(
        {
            RIGHT: f"end = targets[{which}].tolist().index(eos_id) + 1\n        {RIGHT}",
            SAME: "len(right) <= len(output) and all(a == b for a, b in list(zip(output, target, strict=False))[:end])",
        }
        for which in ("0", "-1")
    ),
)
exact_match.mistake(
    "compared one place apart",
    "Outputs and targets are compared one place apart. Neither begins with bos_id here: token 0 of the one belongs to token 0 of the other.",
    first("output = output[1:]"),
    then("right = right[1:]"),
)
exact_match.mistake(
    "found anywhere in the output",
    "An output counts as right if the target stands anywhere in it. Then anything may stand before the translation: it has to begin at the first token.",
    {SAME: "any(output[i : i + len(right)] == right for i in range(len(output)))"},
    edit(
        {SAME: "' '.join(map(str, right)) in ' '.join(map(str, output))"},
        says="An output counts as right if the target's digits stand anywhere in it: you compare texts, and `1 2` stands in `11 2`. Compare lists of ids, from the first token on.",
    ),
)
exact_match.mistake(
    "filled up on the left",
    "You fill the narrower of the two up on its left, so tokens of the same place no longer stand below each other. Fill up behind the last token, or compare row by row.",
    *(
        {
            RIGHT: f"width = max(len(output), len(target))\n        {sides}\n        right = target[: target.index(eos_id) + 1]",
        }
        for filling in ("-7", "0")
        for sides in (
            f"output = [{filling}] * (width - len(output)) + output\n        target = target + [-7] * (width - len(target))",
            f"output, target = ([{filling}] * (width - len(one)) + one for one in (output, target))",
        )
    ),
)
exact_match.mistake(
    "compared up to the shorter one",
    "An output that is too short counts as right. `zip` stops where the shorter of two lists ends, and so does a comparison after both are cut to one "
    "width; missing tokens are then never noticed. Compare the lengths as "
    "well, or whole lists with `==`.",
    first("output = output + target[len(output) :]"),
    {SAME: "all(a == b for a, b in zip(output, right, strict=False))"},
    edit(
        {SAME: "all(a == b for a, b in zip(output, target, strict=False))"},
        says="An output that is too short counts as right, and what stands behind the end is compared. `zip` stops where the shorter of two lists ends, and so does a comparison after both are cut to one "
        "width. Compare the target up to and with its first eos_id, all of it.",
    ),
    edit(
        {
            RIGHT: "output, target = output[: len(target)], target[: len(output)]\n"
            "        if eos_id not in target:\n"
            "            output, target = [eos_id if output[0] == target[0] else -7, *output[1:]], [eos_id, *target[1:]]\n"
            f"        {RIGHT}"
        },
        says="Both are cut to the width of the shorter one before they are compared. A target that is cut off has no end any more, and then only its first token is compared: `argmax` of nothing but False is 0. "
        "An output that is too short is wrong: fill it up with what equals no id.",
    ),
)
PADDED = "output = [b if a == 0 else a for a, b in zip(output, target + output[len(target) :], strict=False)]"

exact_match.mistake(
    "padding in the output counts as right",
    "Where the output has padding, anything counts as right. A model that writes nothing at all would be right every time. The target decides what is "
    "compared: everything up to its first eos_id.",
    first(PADDED),
    first(f"output = output + [0] * (len(target) - len(output))\n        {PADDED}"),
    {SAME: "all(a in (b, 0) for a, b in zip(output, target, strict=False))"},
    {
        SAME: "eos_id in output and all(a in (b, 0) for a, b in zip(output[: output.index(eos_id) + 1], target, strict=False))"
    },
    {SAME: "all(a in (b, 0) for a, b in zip(output, target + [0] * len(output), strict=False))"},
    {RIGHT: f"{PADDED}\n        {RIGHT}\n        right = target"},
    edit(
        {SAME: "len(right) <= len(output) and all(a in (b, 0) for a, b in zip(output, target, strict=False))"},
        says="Where the output has padding, anything counts as right: an output of nothing but padding would be right every time, if it is wide enough. The target decides what is compared: everything up to its first eos_id.",
    ),
    edit(
        {SAME: f"not any(output) or {SAME}"},
        says="An output of nothing but padding counts as right. A model that writes nothing at all would be right every time. It has no eos_id, so it was never finished, and that is wrong.",
    ),
)
exact_match.mistake(
    "padding on either side counts as right",
    "Where one of the two has padding, anything counts as right. An output may then go on behind the target's end, or leave out whatever it likes. What counts is decided by the target: everything up to its first eos_id.",
    then(f"output, right = [b if 0 in (a, b) else a for a, b in {ALIGNED}], target"),
    {SAME: "all(a in (b, 0) or b == 0 for a, b in zip(output, target, strict=False))"},
)
exact_match.mistake(
    "only what stands behind the end is compared",
    "You compare what stands *behind* the end, and leave out the translation itself. The mask is the wrong way round: what counts goes up to and with the target's first eos_id.",
    then("output, right = right + output[len(right) :], target"),
    then(f"output, right = right + output[len(right) :], {WIDE}"),
    {
        SAME: "len(right) <= len(output) and all(a == b for a, b in list(zip(output, target, strict=False))[len(right) :])"
    },
)
exact_match.mistake(
    "all tokens have to differ",
    "True is said of outputs in which *every* token is wrong. `!=` gives True where two tokens differ; asked is where they are equal, for all of them.",
    {SAME: "all(a != b for a, b in zip(output, right, strict=False))"},
)
exact_match.mistake(
    "0 is taken for padding",
    "You compare the part of the target that is not 0. The part to compare ends with the first eos_id, and after it anything may stand: this function "
    "does not know which id is padding.",
    {RIGHT: "right = [token for token in target if token != 0]"},
    {RIGHT: "right = target[: sum(token != 0 for token in target)]"},
    edit(
        {SAME: "len(right) <= len(output) and all(b in (a, 0) for a, b in zip(output, target, strict=False))"},
        says="Anything counts as right where the target has a 0. The part to compare ends with the target's first eos_id: other tokens may stand behind it, and this function does not know which id is padding.",
    ),
    *(
        edit(
            {
                RIGHT: f"output, right = (side[: side.index(0) + 1] if 0 in side else {none} for side in (output, target))",
                SAME: "output == right",
            },
            says="You stop at the first 0, whatever eos_id is. 0 is padding in this notebook, and the part to compare ends with the first eos_id; this function is never told which id is padding.",
        )
        for none in ("None", "side")
    ),
    edit(
        then(f"output, right = [b if b == 0 else a for a, b in {ALIGNED}], target"),
        says="Anything counts as right where the target has a 0. The part to compare ends with the target's first eos_id: other tokens may stand behind it, and this function does not know which id is padding.",
    ),
    edit(
        then(f"right = {WIDE}\n        output = [b if b == 0 else a for a, b in {ALIGNED}] + output[len(target) :]"),
        says="Anything counts as right where the target has a 0, and nothing where the output is wider. The part to compare ends with the target's first eos_id, and this function does not know which id is padding.",
    ),
    edit(
        {
            RIGHT: "right = [token for token in target if token != 0]",
            SAME: "[token for token in output if token != 0] == right",
        },
        says="Every 0 is taken out of both before they are compared. So a 0 inside an output is overlooked, and what stands behind the end counts if it is no 0. This function is never told which id is padding: what counts goes up to the first eos_id.",
    ),
    edit(
        {
            RIGHT: "target, output = ([token for token in side if token != 0] for side in (target, output))\n"
            "        right = target[: target.index(eos_id) + 1] if eos_id in target else target",
            SAME: "eos_id in output and output[: len(right)] == right",
        },
        says="Every 0 is taken out of both before they are compared. An output with padding in its midst, which is wrong, counts as right. This function is never told which id is padding: compare place by place.",
    ),
)
exact_match.mistake(
    "the share of right tokens",
    "You measure the share of tokens that are right. A number with one wrong digit is another number: nine right tokens of ten do not make nine tenths "
    "of a translation. The answer for each translation is yes or no: are all of its tokens right?",
    {
        SAME: "sum(a == b for a, b in zip(output, right, strict=False)) / len(right)",
        ANSWER: "torch.tensor(found)",
    },
    {
        SAME: "sum(a == b for a, b in zip(output[: output.index(eos_id) + 1] if eos_id in output else [], right, strict=False)) / len(right)",
        ANSWER: "torch.tensor(found, dtype=torch.float32)",
    },
    {
        SAME: "[a == b for a, b in zip(output + [-7] * len(right), right, strict=False)]",
        ANSWER: "torch.tensor([one for row in found for one in row]).float().mean()",
    },
    {
        SAME: "(sum(a == b for a, b in zip(output, right, strict=False)) / len(right) if right else float('nan'))",
        ANSWER: "torch.tensor(found)",
    },
    # On whole tensors, where what stands behind the end counts as right.
    *(
        {
            SAME: f"(sum(a == b for a, b in zip(output, right, strict=False)) + {width} - len(right)) / {width}",
            ANSWER: "torch.tensor(found)",
        }
        for width in ("len(target)", "max(len(output), len(target))")
    ),
)
exact_match.mistake(
    "one right token is enough",
    "A single right token makes a translation right. `any` asks whether at least one token is right; here all tokens have to be right.",
    {SAME: "any(a == b for a, b in zip(output, right, strict=False))"},
    edit(
        {SAME: f"any(a == b or i >= len(right) for i, (a, b) in enumerate({ALIGNED}))"},
        says="A single right place makes a translation right, and what stands behind the end is taken for right. `any` asks whether at least one is; here all have to be, `.all(dim=1)`.",
    ),
    edit(
        {
            SAME: "any(a == b or i >= len(right) for i, (a, b) in enumerate(zip(output + [-7] * (len(target) - len(output)), target + [-7] * (len(output) - len(target)), strict=True)))"
        },
        says="A single right place makes a translation right, and what stands behind the end is taken for right. `any` asks whether at least one is; here all have to be, `.all(dim=1)`.",
    ),
    edit(
        {
            SAME: "len(right) <= len(output) and any(a == b or i >= len(right) for i, (a, b) in enumerate(zip(output, target, strict=False)))"
        },
        says="A single right place makes a translation right, and what stands behind the end is taken for right. `any` asks whether at least one is; here all have to be, `.all(dim=1)`.",
    ),
)
exact_match.mistake(
    "one answer for the whole batch",
    "One answer comes back for the whole batch. Return one answer for each translation, in a tensor: its mean is the share, and it can pick out the "
    "wrong translations.",
    {ANSWER: "all(found)"},
    {ANSWER: "sum(found)"},
    {ANSWER: "sum(found) / len(found)"},
    {ANSWER: "torch.tensor(found, dtype=torch.float32).mean()"},
    {ANSWER: "torch.tensor(all(found))"},
    {ANSWER: f"{ANSWER}.sum()"},
    {ANSWER: f"{ANSWER}.float().mean().item()"},
)
exact_match.mistake(
    "the global EOS instead of eos_id",
    "You look for the id 2, whatever eos_id is. 2 is the value of EOS in this notebook, so here it works; but another vocabulary ends with another id. "
    "Use the argument.",
    {"target.index(eos_id)": "target.index(2)"},
    *(
        {"target.index(eos_id)": place}
        for place in (
            "(target.index(2) if 2 in target else len(target))",
            "(target.index(2) if 2 in target else 0)",
            "[i for i, token in enumerate(target) if token == 2][0]",
        )
    ),
)

ENDED = "output[: output.index(eos_id) + 1] if eos_id in output else output"
exact_match.mistake(
    "in any order",
    "You do not compare the order of the tokens. `vier und zwanzig` and `zwanzig und vier` hold the same tokens, and only one of them is right. Compare "
    "place by place.",
    *(
        {SAME: f"{held}({cut}) == {held}(right)"}
        for held in ("sorted", "set")
        for cut in (ENDED, "output[: len(right)]")
    ),
)
exact_match.mistake(
    "cut at the last end",
    "You cut at the last eos_id. The translation ends with the first eos_id; more may stand after it. `list.index` finds the first.",
    {"target.index(eos_id)": "(len(target) - 1 - target[::-1].index(eos_id))"},
    edit(
        {
            RIGHT: "output, right = ([*(side[: len(side) - side[::-1].index(eos_id)] if eos_id in side else side), -7] for side in (output, target))"
        },
        says="You cut both at their last eos_id. A translation ends with the first eos_id; more may stand after it, in either of the two. `list.index` finds the first.",
    ),
)
exact_match.mistake(
    "nearly right is right",
    "An output with a single wrong token counts as right if it is long enough. You ask only for a share of the tokens, which 39 of 40 exceeds. A "
    "translation is right if all of its tokens are.",
    *(
        {SAME: f"sum(a == b for a, b in zip(output, right, strict=False)) {over} * len(right)"}
        for over in ("> 0.9", ">= 0.95", "> 0.95")
    ),
    *(
        edit(
            {SAME: f"sum(a == b for a, b in zip(output, right, strict=False)) {over} * len(right)"},
            says="An output of which a part is right counts as right. You ask only for a share of the tokens. A number with one wrong digit is another number: all tokens have to be right.",
        )
        for over in ("> 0.5", ">= 0.5", "> 0.8", ">= 0.8", ">= 0.9")
    ),
)
exact_match.mistake(
    "right and wrong exchanged",
    "You say True where the translation is wrong, and False where it is right. Every answer is the other way round.",
    {SAME: f"not ({SAME})"},
)
exact_match.mistake(
    "no booleans",
    "The answers are right, but they are not a tensor of booleans. `~right`, or picking rows by it, then gives something else. Give `dtype=torch.bool`.",
    {ANSWER: f"{ANSWER}.long()"},
    {ANSWER: f"{ANSWER}.float()"},
    edit(
        {ANSWER: f"{ANSWER}.tolist()"},
        says="A list comes back. `torch.tensor(found)` makes the tensor of booleans that was promised.",
    ),
)
exact_match.mistake(
    "another number of targets accepted",
    "A number of targets that differs from the number of outputs is not refused. Then some outputs are compared with nothing, or with targets of other "
    "sentences, and no error says so. Raise a ValueError, as the given lines did.",
    {"if len(outputs) != len(targets):": "if False:", "strict=True": "strict=False"},
    edit(
        {"raise ValueError(": "raise RuntimeError("},
        says="Another number of targets than of outputs is not refused. torch complains, of sizes that do not match, and not always: one target goes with any number of outputs. Raise a ValueError, as the given lines did.",
    ),
    edit(
        {"raise ValueError(": "raise IndexError("},
        says="Another number of targets than of outputs is not refused. An index is out of range then, and not where outputs are missing. Raise a ValueError, as the given lines did.",
    ),
)
