"""Wrong ways of taking tokens out."""

from autograder.checks.bert import mask_tokens
from autograder.probing.mistake import edit

ASKED = "asked = maskable & (chosen < 0.15)"
LABELS = "labels = torch.where(asked, ids, -100)"
TAKEN = "inputs = torch.where(asked & (fate < 0.8), mask_id, ids)"
SWAPPED = "inputs = torch.where(asked & (fate >= 0.8) & (fate < 0.9), replacement, inputs)"
HIDDEN, OTHER = "mask_id, ids", "replacement, inputs"
GIVEN = "return inputs, labels"
FATES = "Of ten tokens that are asked for, eight become [MASK], one another token, and one stays."

mask_tokens.mistake(
    "nothing is ever taken out",
    "Nothing is taken out: the model reads every token that it is asked for. It learns to copy, and its loss falls to nothing. A draw that is compared with a share of itself, `fate < fate * 0.8`, is never below it; a well known BERT in PyTorch did this. Compare with 0.8.",
    {HIDDEN: "ids, ids", OTHER: "inputs, inputs"},
)

mask_tokens.mistake(
    "all become [MASK]",
    f"All tokens that are asked for become [MASK]. {FATES} Otherwise the model learns to work where it sees [MASK], and nowhere else; and in use there is none.",
    {"asked & (fate < 0.8)": "asked", OTHER: "inputs, inputs"},
)

mask_tokens.mistake(
    "no other token ever",
    "No token is ever replaced by another one. Those with a fate from 0.8 to below 0.9 should be. One `fate` decides among the three: below 0.8, from there to below 0.9, and the rest. (With a second draw of its own, half of what is left would be `< 0.5`; here it is not.)",
    {OTHER: "inputs, inputs"},
    edit(
        {OTHER: "mask_id, inputs"},
        says="Nine of ten tokens that are asked for become [MASK], and none becomes another one. Those with a fate from 0.8 to below 0.9 are replaced by the token in `replacement`.",
    ),
)

mask_tokens.mistake(
    "none stays itself",
    "No token that is asked for stays itself. Those with a fate of 0.9 or more should: the model then has to doubt what it reads, and keeps a vector of the true word. Ask for `fate < 0.9` too.",
    {" & (fate < 0.9)": ""},
    edit(
        {"asked & (fate < 0.8)": "asked"},
        says="No token that is asked for stays itself: [MASK] stands where `fate` is 0.9 or more, too. There the token stays; the model then has to doubt what it reads, and keeps a vector of the true word. [MASK] belongs where `fate < 0.8`.",
    ),
    edit(
        {
            TAKEN: "inputs = torch.where(asked & (fate < 0.9), mask_id, ids)",
            SWAPPED: "inputs = torch.where(asked & (fate >= 0.9), replacement, inputs)",
        },
        says="No token that is asked for stays itself: [MASK] stands where `fate` is below 0.9, and the replacement everywhere else. There are three fates: [MASK] below 0.8, the replacement from there to below 0.9, and the token itself from 0.9 on.",
    ),
)

mask_tokens.mistake(
    "the replacement takes a part of [MASK]'s share",
    "The replacement stands where `fate` is below 0.1, over a [MASK] that was there. That leaves seven of ten for [MASK], and two that stay. Its share lies from 0.8 to below 0.9.",
    {SWAPPED: "inputs = torch.where(asked & (fate < 0.1), replacement, inputs)"},
)

mask_tokens.mistake(
    "the places instead of the labels",
    "What you return second says where tokens are asked for, and not which. The labels are the tokens themselves there, and -100 everywhere else.",
    {GIVEN: "return inputs, asked"},
)

mask_tokens.mistake(
    "the other token overwrites [MASK]",
    "No [MASK] is left: the replacement stands in its place too. `fate < 0.9` is true of everything below 0.8 as well. Ask for both borders, or write the replacement first and [MASK] over it. (Or is it the border of [MASK] that no draw is below? None is below a share of itself.)",
    {"(fate >= 0.8) & ": ""},
)

mask_tokens.mistake(
    "the other token's step begins anew",
    "No [MASK] is left, though the other tokens are there. Either the condition of [MASK] never holds: no draw is below a share of *itself*, as in `fate < fate * 0.8`. Or the step that puts in the other tokens begins with the ids as they came, so what the first step did is lost: `torch.where(..., replacement, inputs)` begins with what it made.",
    {OTHER: "replacement, ids"},
)

mask_tokens.mistake(
    "[MASK] and the other token exchanged",
    "[MASK] and the replacement are exchanged: eight of ten tokens that are asked for become another token, and one becomes [MASK]. It is the other way round.",
    {
        HIDDEN: "replacement, ids",
        OTHER: "mask_id, inputs",
    },
)

mask_tokens.mistake(
    "the last two fates exchanged",
    "The last two fates are exchanged: tokens are replaced where they should stay, and stay where they should be replaced. The replacement belongs to fates from 0.8 to below 0.9, the token itself to 0.9 and more.",
    {"(fate < 0.9)": "(fate >= 0.9)"},
)

mask_tokens.mistake(
    "the fates in another order",
    "Your fates have the right shares in another order. [MASK] belongs to fates below 0.8, the replacement from there to below 0.9, the token itself to the rest. Whoever draws the same numbers should get the same text.",
    {
        TAKEN: "inputs = torch.where(asked & (fate >= 0.1) & (fate < 0.9), mask_id, ids)",
        SWAPPED: "inputs = torch.where(asked & (fate < 0.1), replacement, inputs)",
    },
    {
        TAKEN: "inputs = torch.where(asked & (fate >= 0.2), mask_id, ids)",
        SWAPPED: "inputs = torch.where(asked & (fate < 0.1), replacement, inputs)",
    },
    {
        TAKEN: "inputs = torch.where(asked & (fate >= 0.2), mask_id, ids)",
        SWAPPED: "inputs = torch.where(asked & (fate >= 0.1) & (fate < 0.2), replacement, inputs)",
    },
    edit(
        {
            TAKEN: "inputs = torch.where(asked & (fate >= 0.1) & (chosen / 0.15 < 0.9), mask_id, ids)",
            SWAPPED: "inputs = torch.where(asked & (fate < 0.1), replacement, inputs)",
        },
        says="You replace one token of ten first, and make [MASK] of nine tenths of the rest: 81, 10 and 9 of a hundred. A much used implementation does so. Here one draw decides all: [MASK] below 0.8, the replacement from there to below 0.9, and the rest stays.",
    ),
    edit(
        {
            TAKEN: "inputs = torch.where(asked & (fate >= 0.1) & (fate < 0.91), mask_id, ids)",
            SWAPPED: "inputs = torch.where(asked & (fate < 0.1), replacement, inputs)",
        },
        says="The replacement stands where `fate` is below 0.1, and [MASK] from there to below 0.91: 10, 81 and 9 of a hundred, as in a much used implementation. [MASK] belongs to fates below 0.8, the replacement from there to below 0.9, the token itself to the rest.",
    ),
)

mask_tokens.mistake(
    "[MASK] where a token stays",
    "[MASK] stands where `fate` is 0.8 or more, and what is below stays. That is the wrong way round: eight of ten tokens that are asked for become [MASK].",
    {"(fate < 0.8)": "(fate >= 0.8)", OTHER: "inputs, inputs"},
    {TAKEN: "inputs = torch.where(asked & (fate >= 0.9), mask_id, ids)"},
    edit(
        {
            TAKEN: "inputs = torch.where(asked & (fate < 0.1), mask_id, ids)",
            SWAPPED: "inputs = torch.where(asked & (fate >= 0.1) & (fate < 0.2), replacement, inputs)",
        },
        says="[MASK] stands where `fate` is below 0.1, and eight of ten tokens that are asked for stay. It is the other way round: eight of ten become [MASK].",
    ),
)

mask_tokens.mistake(
    "other borders of the fates",
    "[MASK], the replacement and the token itself have other shares than eight, one and one of ten: a border of `fate` is not where it should be. The borders are 0.8 and 0.9.",
    *(
        {
            TAKEN: f"inputs = torch.where(asked & (fate < {first}), mask_id, ids)",
            SWAPPED: f"inputs = torch.where(asked & (fate >= {first}) & (fate < {second}), replacement, inputs)",
        }
        for first, second in (
            (0.85, 0.9),
            (0.8, 0.95),
            (0.81, 0.91),
            (0.8, 0.85),
            (0.5, 0.9),
            (0.6, 0.8),
            (0.7, 0.8),
            (0.7, 0.85),
            (0.7, 0.9),
            (0.75, 0.9),
            (0.9, 0.95),
            (0.08, 0.09),
            (0.8, 0.81),
            (0.8, 0.82),
            (0.8, 0.88),
            (1 / 3, 2 / 3),
        )
    ),
    edit(
        {
            TAKEN: "inputs = torch.where(asked & (fate < 0.15 * 0.8), mask_id, ids)",
            SWAPPED: "inputs = torch.where(asked & (fate >= 0.15 * 0.8) & (fate < 0.15 * 0.9), replacement, inputs)",
        },
        says="You compare `fate` with shares of 0.15. It decides among the tokens that are asked for alone, and is a draw of its own from 0 to 1: its borders are 0.8 and 0.9.",
    ),
)

mask_tokens.mistake(
    "the fates befall all tokens",
    "Tokens are taken out that nobody asks for. The fates belong to the 15 % that are asked for; of all others every one stays. Use `asked` in each of the conditions.",
    {
        "asked & (fate < 0.8)": "(fate < 0.8)",
        "asked & (fate >= 0.8)": "(fate >= 0.8)",
    },
    {
        TAKEN: "inputs = torch.where(maskable & (fate < 0.8), mask_id, ids)",
        SWAPPED: "inputs = torch.where(maskable & (fate >= 0.8) & (fate < 0.9), replacement, inputs)",
    },
    edit(
        {"asked & (fate < 0.8)": "(fate < 0.8)"},
        says="[MASK] stands at places that nobody asks for. The fates belong to the 15 % that are asked for. Use `asked` in the condition of [MASK] too.",
    ),
    edit(
        {TAKEN: "inputs = torch.where(maskable & (fate < 0.8), mask_id, ids)"},
        says="[MASK] stands at places that nobody asks for. The fates belong to the 15 % that are asked for. Use `asked` in the condition of [MASK] too.",
    ),
    edit(
        {"asked & (fate >= 0.8)": "(fate >= 0.8)"},
        says="Tokens are replaced that nobody asks for. The fates belong to the 15 % that are asked for. Use `asked` in the condition of the replacement too.",
    ),
    edit(
        {SWAPPED: "inputs = torch.where(maskable & (fate >= 0.8) & (fate < 0.9), replacement, inputs)"},
        says="Tokens are replaced that nobody asks for. The fates belong to the 15 % that are asked for. Use `asked` in the condition of the replacement too.",
    ),
    *(
        edit(
            {SWAPPED: f"inputs = torch.where({where}~(asked & (fate < 0.8)) & (fate < 0.9), replacement, inputs)"},
            says="Tokens are replaced that nobody asks for: where no [MASK] stands, the token may have been asked for or not. Use `asked` in the condition of the replacement too.",
        )
        for where in ("", "maskable & ")
    ),
    edit(
        {
            TAKEN: "inputs = torch.where(~asked & (fate < 0.8), mask_id, ids)",
            SWAPPED: "inputs = torch.where(~asked & (fate >= 0.8) & (fate < 0.9), replacement, inputs)",
        },
        says="The fates befall exactly the tokens that nobody asks for, and those that are asked for stay. It is the other way round: are the last two arguments of a `torch.where` exchanged?",
    ),
)

mask_tokens.mistake(
    "special tokens are taken out",
    "Tokens are asked for that are not maskable: [CLS], [SEP] and padding. There is nothing to learn from these, and the row loses its form. A token is asked for where `chosen` is below 0.15 *and* it is maskable.",
    {ASKED: "asked = chosen < 0.15"},
    edit(
        {
            TAKEN: "inputs = torch.where((chosen < 0.15) & (fate < 0.8), mask_id, ids)",
            SWAPPED: "inputs = torch.where((chosen < 0.15) & (fate >= 0.8) & (fate < 0.9), replacement, inputs)",
        },
        says="Special tokens and padding are taken out of what is read, although they have no label. `maskable` holds for both: make one `asked` and use it everywhere.",
    ),
    edit(
        {LABELS: "labels = torch.where(chosen < 0.15, ids, -100)"},
        says="Special tokens and padding have labels, although they are not taken out. `maskable` holds for both: make one `asked` and use it everywhere.",
    ),
    edit(
        {TAKEN: "inputs = torch.where((chosen < 0.15) & (fate < 0.8), mask_id, ids)"},
        says="[MASK] stands in the place of special tokens and padding. The labels, and the replacements, ask `maskable`; [MASK] does not. Make one `asked` and use it everywhere.",
    ),
    edit(
        {SWAPPED: "inputs = torch.where((chosen < 0.15) & (fate >= 0.8) & (fate < 0.9), replacement, inputs)"},
        says="Special tokens and padding are replaced by other tokens. The labels, and [MASK], ask `maskable`; the replacement does not. Make one `asked` and use it everywhere.",
    ),
    edit(
        {GIVEN: "return torch.where(maskable, inputs, mask_id), labels"},
        says="[MASK] stands at every special token and at all padding. `maskable` is False where a token may *not* be asked for: there it stays as it is.",
    ),
    edit(
        {
            SWAPPED: "inputs = torch.where((chosen < 0.15) & ~(asked & (fate < 0.8)) & (fate < 0.9), replacement, inputs)"
        },
        says="Special tokens and padding are replaced by other tokens. The labels, and [MASK], ask `maskable`; the replacement does not. Make one `asked` and use it everywhere.",
    ),
    edit(
        {ASKED: "asked = chosen * maskable < 0.15"},
        says="Every token that is not maskable is asked for, as well as those that should be. A draw that becomes 0 where `maskable` is False is below 0.15 there. A token is asked for where `chosen` is below 0.15 *and* it is maskable.",
    ),
)

mask_tokens.mistake(
    "maskable or chosen",
    "A token is asked for where it is maskable *or* its draw is below 0.15. Almost nothing is left to read. Both have to hold: `maskable & (chosen < 0.15)`.",
    {ASKED: "asked = maskable | (chosen < 0.15)"},
)

mask_tokens.mistake(
    "maskable the wrong way round",
    "Exactly the tokens are asked for that may not be. True in `maskable` means that a token may be asked for.",
    {ASKED: "asked = ~maskable & (chosen < 0.15)"},
)

mask_tokens.mistake(
    "85 of a hundred are asked for",
    "Asked for are the tokens whose draw is *above* 0.15: 85 of a hundred. Little is left from which the rest could be guessed. `chosen < 0.15`.",
    {ASKED: "asked = maskable & (chosen >= 0.15)"},
    {ASKED: "asked = maskable & (chosen > 0.15)"},
    {ASKED: "asked = maskable & (chosen < 0.85)"},
)

mask_tokens.mistake(
    "the other end of the draws",
    "Asked for are the tokens whose draw is 0.85 or more. That is 15 of a hundred too, but not the same ones: whoever draws the same numbers should get the same text. `chosen < 0.15`.",
    {ASKED: "asked = maskable & (chosen >= 0.85)"},
)

mask_tokens.mistake(
    "12 of a hundred are asked for",
    "Asked for are 12 of a hundred. That is how many *become [MASK]*, eight tenths of 15; the rest is asked for too. `chosen < 0.15`.",
    {ASKED: "asked = maskable & (chosen < 0.15 * 0.8)"},
    {
        ASKED: "asked = maskable & (chosen < 0.15 * 0.8)",
        TAKEN: "inputs = torch.where(asked, mask_id, ids)",
        SWAPPED: "pass",
    },
)

mask_tokens.mistake(
    "another share is asked for",
    "Not 15 of a hundred tokens are asked for: the border that you compare `chosen` with is another one. It is 0.15, for [MASK], replacements and tokens that stay taken together.",
    *(
        {ASKED: f"asked = maskable & (chosen < {border})"}
        for border in (0.015, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 0.8, 0.9)
    ),
)

mask_tokens.mistake(
    "every token is asked for",
    "Every token that may be asked for is: `chosen` has no effect. Then there is hardly a text left to read. `chosen < 0.15` picks about 15 of a hundred.",
    {ASKED: "asked = maskable"},
)

mask_tokens.mistake(
    "one draw for both questions",
    "Whether a token is asked for and what befalls it come from one draw. `fate` has no effect: you compare `chosen` with shares of 0.15. With one draw the shares would be right too; here each question has its own, so that the same draws give the same text.",
    {
        TAKEN: "inputs = torch.where(asked & (chosen < 0.15 * 0.8), mask_id, ids)",
        SWAPPED: "inputs = torch.where(asked & (chosen >= 0.15 * 0.8) & (chosen < 0.15 * 0.9), replacement, inputs)",
    },
    edit(
        {TAKEN: "inputs = torch.where(asked & (chosen < 0.15 * 0.8), mask_id, ids)"},
        says="Where [MASK] stands is decided by `chosen`, which has said already that the token is asked for; the other fates are decided by `fate`, and come on top. `fate` decides all three.",
    ),
    edit(
        {ASKED: "asked = maskable & (fate < 0.15)"},
        says="Which tokens are asked for is decided by `fate`. Of these it is below 0.15, and so below 0.8: all become [MASK]. Whether a token is asked for stands in `chosen`.",
    ),
    edit(
        {
            ASKED: "asked = maskable & (fate < 0.15)",
            TAKEN: "inputs = torch.where(asked & (chosen < 0.8), mask_id, ids)",
            SWAPPED: "inputs = torch.where(asked & (chosen >= 0.8) & (chosen < 0.9), replacement, inputs)",
        },
        says="The two draws are exchanged: `chosen` says whether a token is asked for, `fate` what befalls it.",
    ),
)

mask_tokens.mistake(
    "labels everywhere",
    "Every token has a label, also where nothing is asked. The loss then counts mostly tokens that the model can read, and copying them is all that it learns. Where nothing is asked the label is -100.",
    {LABELS: "labels = ids.clone()"},
    edit(
        {LABELS: "labels = torch.where(maskable, ids, -100)"},
        says="Every token that *may* be asked for has a label, also where nothing is asked. The loss then counts mostly tokens that the model can read. Labels belong where `asked` is True.",
    ),
)

mask_tokens.mistake(
    "labels where nothing is asked",
    "The labels are the wrong way round: they stand where nothing is asked, and where something is there is -100. The model is never asked for what was taken out.",
    {LABELS: "labels = torch.where(asked, -100, ids)"},
    {LABELS: "labels = torch.where(maskable & ~asked, ids, -100)"},
    edit(
        {LABELS: "labels = torch.where(asked | ~maskable, ids, -100)"},
        says="Special tokens and padding have labels, although nobody asks for them. Only what is maskable and not asked for has -100 in yours; what is not maskable is not asked for either.",
    ),
)

mask_tokens.mistake(
    "no labels",
    "All labels are -100: nothing is ever asked, and nothing learned. Where `asked` is True the label is the token that was there.",
    {LABELS: "labels = torch.full_like(ids, -100)"},
    edit(
        {GIVEN: "return inputs"},
        says="What the model reads comes back alone. The labels follow it: the tokens that were there where something is asked, and -100 everywhere else.",
    ),
    edit(
        {GIVEN: "return labels"},
        says="The labels come back alone. In front of them stands what the model reads.",
    ),
)

mask_tokens.mistake(
    "labels only at [MASK]",
    "Labels stand only where a token was changed. Those that stay are asked for too: nobody tells the model which they are, so it has to keep every word in mind. Labels belong wherever `asked` is True.",
    {
        LABELS: "true, ids, other, replacement = ids, torch.full_like(ids, -1), replacement, torch.full_like(ids, -2)",
        GIVEN: f"labels = torch.where(inputs == -1, -100, true)\n    inputs = torch.where(inputs == -1, true, torch.where(inputs == -2, other, inputs))\n    {GIVEN}",
    },
    {GIVEN: f"labels = torch.where(inputs != ids, ids, -100)\n    {GIVEN}"},
    *(
        edit(
            way,
            says="Labels stand only where [MASK] does. Tokens that are replaced are asked for too, and so are those that stay: nobody tells the model which they are, so it has to keep every word in mind. Labels belong wherever `asked` is True.",
        )
        for way in (
            {LABELS: "labels = torch.where(asked & (fate < 0.8), ids, -100)"},
            {GIVEN: f"labels = torch.where(inputs == mask_id, ids, -100)\n    {GIVEN}"},
            {GIVEN: f"labels = torch.where(asked & (inputs == mask_id), ids, -100)\n    {GIVEN}"},
        )
    ),
)

mask_tokens.mistake(
    "labels of what is read",
    "The labels are what stands in the text *after* tokens were taken out. The model is asked for [MASK] where it reads [MASK]. Take the labels from `ids`.",
    {GIVEN: f"labels = torch.where(asked, inputs, -100)\n    {GIVEN}"},
    {GIVEN: f"labels = inputs.clone()\n    {GIVEN}"},
    edit(
        {LABELS: "labels = torch.where(asked, mask_id, -100)"},
        says="Where a token is asked for, the label is [MASK]. The model would be asked to write what it reads. The label is the token that was there: it comes from `ids`.",
    ),
)

mask_tokens.mistake(
    "the replacement is the label",
    "Where a token is replaced, the label is the replacement. Asked for is the token that was there: the labels come from `ids`.",
    {LABELS: "labels = torch.where(asked, replacement, -100)"},
    {GIVEN: f"labels = torch.where(asked & (inputs == replacement), replacement, labels)\n    {GIVEN}"},
)


def without_a_question(label: str) -> dict[str, str]:
    """Another label where nothing is asked, written over the right one: so edits of the others fit."""
    return {GIVEN: f"labels = torch.where(labels == -100, {label}, labels)\n    {GIVEN}"}


mask_tokens.mistake(
    "another label for nothing",
    "Where nothing is asked your label is not -100.",
    edit(
        without_a_question("0"),
        says="Where nothing is asked your label is 0. That is a token like any other: either the model is asked for it everywhere, or, where a loss passes over 0, never learns it. -100 is no token.",
    ),
    edit(
        without_a_question("-1"),
        says="Where nothing is asked your label is -1. `F.cross_entropy` passes over -100 unless it is told otherwise, and this course does too.",
    ),
    edit(
        without_a_question("mask_id"),
        says="Where nothing is asked your label is [MASK]. The model would be asked to write [MASK] at almost every place. The label for nothing is -100.",
    ),
    edit(
        without_a_question("100"),
        says="Where nothing is asked your label is 100, without the minus. That is a token; -100 is none.",
    ),
)

mask_tokens.mistake(
    "the given ids are changed",
    "`ids` is changed: the text that you are given has lost its tokens. Whoever reads it again masks what is masked already. `torch.where` and `ids.clone()` make a new tensor.",
    {GIVEN: f"inputs = ids.copy_(inputs)\n    {GIVEN}"},
    edit(
        {GIVEN: f"labels = ids.copy_(labels)\n    {GIVEN}"},
        says="`ids` is changed: where nothing is asked it is -100 now. `labels = ids` gives the same tensor another name. `torch.where` and `ids.clone()` make a new one.",
    ),
    {TAKEN: "inputs = ids.masked_fill_(asked & (fate < 0.8), mask_id)"},
    edit(
        {GIVEN: f"inputs = labels = ids.copy_(torch.where(asked, inputs, labels))\n    {GIVEN}"},
        says="`ids` is changed, and what you return twice is `ids`: `inputs` and `labels` are other names of the same tensor. `torch.where` and `ids.clone()` make new ones.",
    ),
    edit(
        {ASKED: "asked = maskable.logical_and_(chosen < 0.15)"},
        says="`maskable` is changed: afterwards it is True only where a token was asked for. `&=`, and what ends in `_`, write into their tensor; `&` makes a new one.",
    ),
    edit(
        {ASKED: "asked = chosen.masked_fill_(~maskable, 1.0) < 0.15"},
        says="`chosen` is changed: the draws of what is not maskable are lost. What ends in `_`, as `masked_fill_`, writes into its tensor; `masked_fill` makes a new one.",
    ),
)

mask_tokens.mistake(
    "one draw for a whole row",
    "One draw decides for a whole row, or for all: its tokens are asked for together or not at all. Every token has a draw of its own, at its own place.",
    {ASKED: "asked = maskable & (chosen[..., :1] < 0.15)"},
    {ASKED: "asked = maskable & (chosen.flatten()[0] < 0.15)"},
    {ASKED: "asked = maskable & (chosen[:1] < 0.15)"},
    {ASKED: "asked = maskable & (chosen[..., -1:] < 0.15)"},
    {ASKED: "asked = maskable & (chosen < 0.15).any(-1, keepdim=True)"},
    {ASKED: "asked = maskable & (chosen < 0.15).any()"},
    edit(
        {TAKEN: f"fate = fate.masked_scatter(asked, fate)\n    {TAKEN}"},
        says="The fates are taken from the start of `fate`, one after another. Every token has one of its own, at its own place: `fate[asked]`.",
    ),
    edit(
        {ASKED: "asked = maskable & (chosen < 0.15)\n    fate = fate[..., :1]"},
        says="One draw decides what befalls all tokens of a row. Every token has a fate of its own, at its own place.",
    ),
    edit(
        {ASKED: "asked = maskable & (chosen < 0.15)\n    fate = fate.flatten()[0]"},
        says="One draw decides what befalls all tokens. Every token has a fate of its own, at its own place.",
    ),
    edit(
        {ASKED: "asked = maskable & (chosen < 0.15)\n    fate = fate[:1]"},
        says="The first row's draws decide what befalls the tokens of all rows. Every token has a fate of its own, at its own place.",
    ),
)

mask_tokens.mistake(
    "one other token for all",
    "One token stands wherever a token is replaced. Every place has a replacement of its own, in `replacement`.",
    {OTHER: "replacement.flatten()[0], inputs"},
    {OTHER: "replacement[..., :1], inputs"},
    {OTHER: "replacement[:1], inputs"},
    edit(
        {
            SWAPPED: "swapped = asked & (fate >= 0.8) & (fate < 0.9)\n    inputs[swapped] = replacement.flatten()[: int(swapped.sum())]"
        },
        says="The replacements are taken from the start of `replacement`, one after another. Every place has one of its own, at the same place: `replacement[swapped]`.",
    ),
)

mask_tokens.mistake(
    "what is not asked for is lost",
    "Where nothing is asked, the model no longer reads the token: 0, -100 or [MASK] stands there. Then nothing is left to guess from. Only the *labels* are -100 where nothing is asked; what is read keeps its token.",
    *({GIVEN: f"return torch.where(asked, inputs, {lost}), labels"} for lost in ("0", "-100", "mask_id")),
    *(
        edit(
            {HIDDEN: f"mask_id, {lost}"},
            says=f"Where neither [MASK] nor a replacement stands, the model reads {lost}: the token is lost, at places that nobody asks for too. All that is not changed keeps its token.",
        )
        for lost in ("0", "-100")
    ),
    edit(
        {TAKEN: "inputs = torch.where(asked & (fate < 0.8), ids, mask_id)"},
        says="[MASK] stands everywhere but where it should. `torch.where(condition, a, b)` gives `a` where the condition holds: the last two are exchanged.",
    ),
)

mask_tokens.mistake(
    "inputs and labels are one tensor",
    "What is read and the labels hold the same numbers: both are -100 where nothing is asked, and both have [MASK] elsewhere. Two names of one tensor, as in `inputs = labels = ids.clone()`, do that: what you write into one stands in the other. Make two copies.",
    {GIVEN: "labels = torch.where(asked, inputs, -100)\n    return labels, labels"},
)

mask_tokens.mistake(
    "0 instead of [MASK]",
    "What is taken out becomes 0. An article says so, to hide a word; but 0 is a token of its own, the padding as a rule. [MASK] has the id `mask_id`.",
    {HIDDEN: "0, ids"},
    edit(
        {HIDDEN: "-100, ids"},
        says="What is taken out becomes -100. That is the label for nothing, and no token: the table has no such row. [MASK] has the id `mask_id`.",
    ),
    edit(
        {HIDDEN: "103, ids"},
        says="What is taken out becomes 103. That is [MASK] in the vocabulary of the published BERT; in another one it is a word. [MASK] has the id `mask_id`.",
    ),
)

mask_tokens.mistake(
    "a draw on a border",
    "A draw that lies exactly on a border is counted to what is below. As `torch.rand` can give 0 and never 1, shares come out exactly when each is from its lower border to *below* its upper: `<`, and `>=`.",
    {ASKED: "asked = maskable & (chosen <= 0.15)"},
    {"(fate < 0.8)": "(fate <= 0.8)", "(fate >= 0.8)": "(fate > 0.8)"},
    {"(fate < 0.9)": "(fate <= 0.9)"},
    {ASKED: "asked = maskable & (chosen <= 0.15)", "(fate < 0.9)": "(fate <= 0.9)"},
    {
        "(fate < 0.8)": "(fate <= 0.8)",
        "(fate >= 0.8)": "(fate > 0.8)",
        "(fate < 0.9)": "(fate <= 0.9)",
    },
    {
        ASKED: "asked = maskable & (chosen <= 0.15)",
        "(fate < 0.8)": "(fate <= 0.8)",
        "(fate >= 0.8)": "(fate > 0.8)",
        "(fate < 0.9)": "(fate <= 0.9)",
    },
    edit(
        {"(fate >= 0.8)": "(fate > 0.8)"},
        says="A fate of exactly 0.8 leaves the token as it is. It belongs to the replacement: from 0.8 to below 0.9.",
    ),
)

mask_tokens.mistake(
    "inputs and labels exchanged",
    "You return the labels first. What the model reads comes first, then the labels.",
    {GIVEN: "return labels, inputs"},
)

mask_tokens.mistake(
    "another kind of whole number",
    "Ids and labels come back as whole numbers of 32 bits or fewer. `F.cross_entropy` takes labels of 64 bits alone, and raises an error otherwise. Leave the kind of number that `ids` has.",
    {GIVEN: "return inputs.int(), labels.int()"},
    edit(
        {GIVEN: "return inputs, labels.int()"},
        says="Your labels are whole numbers of 32 bits or fewer. `F.cross_entropy` takes labels of 64 bits alone, and raises an error otherwise. Leave the kind of number that `ids` has.",
    ),
    edit(
        {GIVEN: "return inputs, labels.float()"},
        says="Your labels are floats. `F.cross_entropy` takes floats for probabilities, and whole numbers for ids. Leave the kind of number that `ids` has.",
    ),
    edit(
        {GIVEN: "return inputs.float(), labels.float()"},
        says="Ids and labels come back as floats. A table is looked up by whole numbers, and `F.cross_entropy` takes floats for probabilities. Leave the kind of number that `ids` has.",
    ),
)

mask_tokens.mistake(
    "all texts in one row",
    "What comes back is one long row. Ids and labels have the shape of `ids`: every token at its own place.",
    {GIVEN: "return inputs.flatten(), labels.flatten()"},
    edit(
        {GIVEN: "return inputs.flatten(), labels"},
        says="What the model reads comes back as one long row. It has the shape of `ids`: every token at its own place.",
    ),
    edit(
        {GIVEN: "return inputs, labels.flatten()"},
        says="The labels come back as one long row. They have the shape of `ids`: every label at the place of its token.",
    ),
)

mask_tokens.mistake(
    "what is [MASK] already is not asked for",
    "A token is not asked for where it is [MASK] already. Whether it may be is said by `maskable` alone; which id it has is no question.",
    {ASKED: "asked = maskable & (chosen < 0.15) & (ids != mask_id)"},
    edit(
        {ASKED: "asked = maskable & (chosen < 0.15) & (ids != 0)"},
        says="A token is not asked for where its id is 0. Whether it may be is said by `maskable` alone: padding may have another id, and 0 may be a word.",
    ),
)

mask_tokens.mistake(
    "the first place is never asked for",
    "The first token of each text is never asked for, as if [CLS] always stood there. What may be asked for is said by `maskable` alone: it is False on special tokens already.",
    *(
        edit({ASKED: f"{ASKED}\n    places = torch.arange(asked.size(-1))\n    asked = asked & ({inner})"}, says=says)
        for inner, says in (
            ("places > 0", ""),
            (
                "(places > 0) & (places < len(places) - 1)",
                "The first and the last token of each text are never asked for, as if [CLS] and [SEP] always stood there. What may be asked for is said by `maskable` alone: it is False on special tokens already.",
            ),
            (
                "places < len(places) - 1",
                "The last token of each text is never asked for, as if [SEP] always stood there. What may be asked for is said by `maskable` alone: it is False on special tokens already.",
            ),
        )
    ),
)

mask_tokens.mistake(
    "a fixed number is asked for",
    "You ask for the lowest 15 of a hundred draws, however low they are. Each token has its own draw, and is asked for where that is below 0.15: in one text more are, in another fewer.",
    {ASKED: "asked = maskable & (chosen < chosen.quantile(0.15))"},
    {ASKED: "asked = maskable & (chosen <= chosen.quantile(0.15))"},
    {ASKED: "asked = maskable & (chosen <= chosen.flatten().sort().values[int(0.15 * chosen.numel())])"},
    {ASKED: "asked = maskable & (chosen.flatten().argsort().argsort().view_as(chosen) < int(0.15 * chosen.numel()))"},
    {ASKED: "asked = maskable & (chosen.argsort(-1).argsort(-1) < int(0.15 * chosen.size(-1)))"},
)

mask_tokens.mistake(
    "another form than two tensors",
    "What comes back has another form. Asked for are two tensors, what the model reads and the labels: `return inputs, labels`.",
    edit(
        {GIVEN: f"{GIVEN}, asked"},
        says="Three tensors come back. Asked for are two, what the model reads and the labels: where a token is asked for can be seen in the labels.",
    ),
    {GIVEN: "return {'inputs': inputs, 'labels': labels}"},
    {GIVEN: "return torch.stack([inputs, labels])"},
    edit(
        {GIVEN: "return inputs.tolist(), labels.tolist()"},
        says="Lists come back. Asked for are two tensors of the shape of `ids`, what the model reads and the labels.",
    ),
)
