"""Wrong ways of room 8."""

from collections.abc import Callable, Iterator
from itertools import product

import torch
from torch import Tensor

from autograder.checks.in_the_wild.one_position import as_shown, shows_one_position, with_positions
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import Way, edit
from solutions import in_the_wild as solutions

TOKENS = "tokens = torch.cat([first.expand(len(patches), 1, -1), patches], dim=1)"
ROWS = "table[: tokens.size(1)]"
ALL = f"return tokens + {ROWS}"
NONE = "tokens = torch.cat([torch.zeros_like(first).expand(len(patches), 1, -1), patches], dim=1)"

with_positions.mistake(
    "one row for all",
    "You add the same row of the table to every token, so no token knows its place: the same patches in another order are the same picture. `table[n]` is one row, `table[:n]` are n of them.",
    {ROWS: "table[patches.size(1)]"},
    {ROWS: "table[0]"},
    {ROWS: "table[1]"},
    {ROWS: "table[-1]"},
    {ROWS: "table[len(patches) % len(table)]"},
    {ROWS: f"{ROWS}.mean(0)"},
    {ROWS: f"{ROWS}.sum(0)"},
    {ROWS: "table[patches.size(1) - 1]"},
    {ROWS: "table.mean(0)"},
)
with_positions.mistake(
    "the patches alike",
    "The class token has a row of its own, and all patches share another: they do not know their places. Patch 0 has row 1, patch 1 has row 2, and so on.",
    {ALL: "return torch.cat([tokens[:, :1] + table[0], tokens[:, 1:] + table[1]], dim=1)"},
    {ALL: "return torch.cat([tokens[:, :1] + table[0], tokens[:, 1:] + table[patches.size(1)]], dim=1)"},
    {ALL: "return torch.cat([tokens[:, :1] + table[0], tokens[:, 1:] + table[1 : tokens.size(1)].mean(0)], dim=1)"},
    *(
        edit(
            {ALL: f"return torch.cat([tokens[:, :1], tokens[:, 1:] + {row}], dim=1)"},
            says="All patches share one row, and the class token has none: nobody knows its place. The class token has row 0, patch 0 has row 1, and so on.",
        )
        for row in ("table[patches.size(1)]", "table[patches.size(1) - 1]", "table[0]", "table[1]")
    ),
)
with_positions.mistake(
    "places in the batch",
    "A token is given the row of its *picture's* place in the batch. Then the same picture is another one in another batch. A row belongs to a place in the picture, and all pictures share it.",
    {ROWS: "table[torch.arange(len(patches)) % len(table)][:, None]"},
)
with_positions.mistake(
    "the class token without a place",
    "The class token gets no row. It is a token like any other, and its row is the first: put it in front, and then add.",
    edit(
        {ALL: "return torch.cat([tokens[:, :1], tokens[:, 1:] + table[: patches.size(1)]], dim=1)"},
        says="The class token gets no row, and the patches have the rows from 0 on. Row 0 is that of the class token: put it in front, and then add.",
    ),
    {ALL: "return torch.cat([tokens[:, :1], tokens[:, 1:] + table[1 : tokens.size(1)]], dim=1)"},
)
with_positions.mistake(
    "the class token's row behind the others",
    "The class token has the row behind those of the patches, and they begin with row 0. Row 0 is the class token's: put it in front, and then count.",
    {ROWS: f"{ROWS}.roll(1, 0)"},
)
with_positions.mistake(
    "row 0 given twice",
    "The class token has row 0, and the first patch has it as well: the patches' rows begin with row 1.",
    {ALL: "return torch.cat([tokens[:, :1] + table[0], tokens[:, 1:] + table[: patches.size(1)]], dim=1)"},
)
with_positions.mistake(
    "the table's last row never used",
    "You never give the last row of the table. Where it has exactly as many rows as there are tokens, the last patch has its neighbour's row.",
    {ROWS: "table[torch.arange(tokens.size(1)).clamp(max=len(table) - 2)]"},
)
with_positions.mistake(
    "the table stretched",
    "Where the table has more rows than there are tokens, you stretch it over them, and every token has a mixture of rows. The first rows are meant: place n has row n.",
    {ROWS: "F.interpolate(table.mT[None], size=tokens.size(1), mode='linear')[0].mT"},
    {ROWS: "F.interpolate(table.mT[None], size=tokens.size(1), mode='linear', align_corners=True)[0].mT"},
    {ROWS: "F.interpolate(table.mT[None], size=tokens.size(1))[0].mT"},
)
with_positions.mistake(
    "rows for one picture alone",
    "The tokens of the first picture have their rows, and those of the others have none. All pictures of a batch share the rows.",
    {ALL: f"return torch.cat([tokens[:1] + {ROWS}, tokens[1:]])"},
)
with_positions.mistake(
    "scaled before the rows",
    "You multiply the tokens by the root of their width before the rows are added. Some models do that with embeddings of words; here a token is itself plus its row.",
    {ALL: f"return tokens * math.sqrt(tokens.size(-1)) + {ROWS}"},
)
with_positions.mistake(
    "the class token added to the patches",
    "The class token's numbers are in every token. It is a token of its own, in front of the patches.",
    {ALL: f"return torch.cat([tokens[:, :1], tokens[:, 1:] + first], dim=1) + {ROWS}"},
)
with_positions.mistake(
    "the patches without a place",
    "The patches get no row, and the class token has one. For an encoder they are a bag of patches then. Add a row to every token.",
    {ALL: "return torch.cat([tokens[:, :1] + table[0], tokens[:, 1:]], dim=1)"},
)
with_positions.mistake(
    "no positions",
    "Your tokens come back as they are: nothing of the table is added to them.",
    {ALL: "return tokens"},
)
with_positions.mistake(
    "one row too far",
    "Every token has the row of the place behind its own. The class token's is row 0, patch 0's is row 1.",
    {ROWS: "table.roll(-1, 0)[: tokens.size(1)]"},
    {ROWS: "table[(torch.arange(tokens.size(1)) + 1).clamp(max=len(table) - 1)]"},
)
with_positions.mistake(
    "places counted from the end",
    "The last token has row 0, and the class token the last one. Row 0 is that of the class token.",
    {ROWS: f"{ROWS}.flip(0)"},
)
with_positions.mistake(
    "the last rows of the table",
    "You take the last rows of the table. Where it has exactly as many rows as there are tokens, these are the right ones; where it has more, they are not. Count from row 0.",
    {ROWS: "table[-tokens.size(1) :]"},
)
with_positions.mistake(
    "the class token at the end",
    "The class token stands behind the patches. It comes first, and has row 0.",
    {TOKENS: "tokens = torch.cat([patches, first.expand(len(patches), 1, -1)], dim=1)"},
    edit(
        {ALL: f"tokens = tokens + {ROWS}\n    return torch.cat([tokens[:, 1:], tokens[:, :1]], dim=1)"},
        says="The class token comes last in your result. Its row is the right one; its place is in front of the patches.",
    ),
)
with_positions.mistake(
    "the class token's numbers left out",
    "In front of the patches stands a token of zeros with row 0: the class token's own numbers are not in it.",
    {TOKENS: NONE},
    edit(
        {TOKENS: "tokens = torch.cat([patches.mean(1, keepdim=True), patches], dim=1)"},
        says="In front of the patches stands their mean: the class token's own numbers are not in it.",
    ),
)
with_positions.mistake(
    "the class token for one picture alone",
    "The first picture has its class token, and the others have none. It is the same token for every picture of the batch.",
    {TOKENS: f"{NONE}\n    tokens[0, 0] = first"},
)
with_positions.mistake(
    "added twice",
    "The rows are added twice to the tokens.",
    {ALL: f"return tokens + 2 * {ROWS}"},
    edit(
        {ALL: f"return torch.cat([tokens[:, :1] + first, tokens[:, 1:]], dim=1) + {ROWS}"},
        says="The class token's own numbers are added twice to it.",
    ),
)
with_positions.mistake(
    "multiplied",
    "You multiply the tokens with their rows. Rows are added.",
    {ALL: f"return tokens * {ROWS}"},
)
with_positions.mistake(
    "subtracted",
    "You subtract the rows from the tokens. Rows are added.",
    {ALL: f"return tokens - {ROWS}"},
)
with_positions.mistake(
    "written into the patches",
    "The patches that you were given are others afterwards. Whoever uses them once more has the rows twice, or whatever else was written. `patches + ...` makes a new tensor, `patches += ...` does not.",
    {ALL: f"patches.data += table.detach()[1 : tokens.size(1)]\n    return tokens + {ROWS}"},
    {TOKENS: f"patches += table[1 : 1 + patches.size(1)]\n    return torch.cat([(first + table[0]).expand(len(patches), 1, -1), patches], dim=1)\n    {TOKENS}"},
)  # fmt: skip
with_positions.mistake(
    "something does not learn",
    "Not everything learns that should: it is cut off from its gradient, by `.detach()`, `.data`, `torch.no_grad()` or a new tensor made of its numbers.",
    edit({ROWS: "table.detach()[: tokens.size(1)]"}, says="The table never learns: it is cut off from its gradient, by `.detach()`, `.data`, `torch.no_grad()` or a new tensor of its numbers. The rows stay what they were at the start."),
    edit({TOKENS: TOKENS.replace("first.", "first.detach().")}, says="The class token never learns: it is cut off from its gradient, by `.detach()`, `.data` or a new tensor of its numbers."),
    edit({TOKENS: TOKENS.replace(", patches]", ", patches.detach()]")}, says="No gradient comes back to the patches, so nothing before them learns."),
    edit({ALL: f"return (tokens + {ROWS}).detach()"}, says="Nothing learns from your result: it is cut off from its graph."),
    edit({ALL: f"rows = {ROWS}\n    return tokens + torch.cat([rows[:1], rows[1:].detach()])"}, says="The class token's row learns, and those of the patches never do: they are cut off from their gradient, by `.detach()` or `.data`."),
    edit({ALL: f"rows = {ROWS}\n    return tokens + torch.cat([rows[:1].detach(), rows[1:]])"}, says="The patches' rows learn, and the class token's never does: it is cut off from its gradient, by `.detach()` or `.data`."),
)  # fmt: skip


def given(batch: int = 3, num_patches: int = 5, rows: int = 8) -> tuple[Tensor, Tensor, Tensor]:
    """Patches, a class token, a table."""
    return torch.randn(batch, num_patches, 4), torch.randn(4), torch.randn(rows, 4)


def is_the_page(implementation: Callable[..., Tensor]) -> bool:
    """Whether it gives what the page's code gives."""
    patches, first, table = given()
    wanted = as_shown(patches, first, table)
    found = implementation(patches.clone(), first, table)
    return found.shape == wanted.shape and torch.allclose(found, wanted, atol=1e-4)


def alike_everywhere(implementation: Callable[..., Tensor]) -> bool:
    """Whether tokens that are alike stay alike."""
    found = implementation(torch.zeros(2, 5, 4), torch.zeros(4), torch.randn(9, 4))
    return torch.allclose(found, found[:, :1].expand_as(found), atol=1e-5)


def minds_the_order(implementation: Callable[..., Tensor]) -> bool:
    """Whether the same patches in another order give the same tokens in another order."""
    patches, first, table = given()
    order = torch.tensor([3, 0, 4, 2, 1])
    one = implementation(patches.clone(), first, table)[:, 1:]
    other = implementation(patches[:, order].clone(), first, table)[:, 1:]
    return torch.allclose(one[:, order], other, atol=1e-5)


def the_patches_alone(implementation: Callable[..., Tensor]) -> bool:
    """All that is promised, but of the patches."""
    for rows in (6, 9):
        patches, first, table = given(rows=rows)
        before, wanted = patches.clone(), patches + table[1:6]
        got = implementation(patches, first, table)[:, 1:]
        if not torch.equal(patches, before) or got.shape != wanted.shape or not torch.allclose(got, wanted, atol=1e-4):
            return True
        learned = (patches.requires_grad_(), table.requires_grad_())
        got = implementation(patches, first, table)[:, 1:]
        if any(one is None for one in torch.autograd.grad(got.sum(), learned, allow_unused=True)):
            return True
    return False


SIZES = "for batch, num_patches, rows in ((3, 5, 6), (2, 4, 9)):"
LEARNED = "if any(a is None or not torch.allclose(a, b, atol=1e-4) for a, b in zip(found, due, strict=True)):\n            return True"

everywhere(shows_one_position, solutions.shows_one_position, shown_alone=[is_the_page])
shows_one_position.mistake(
    "the order of the patches alone",
    "Your probe asks whether the order of the patches is lost, and lets code pass that gives places, and the wrong ones: from another row on, from the end, none for the class token. Ask for every token's own row.",
    minds_the_order,
    alike_everywhere,
)
SHORT = {SIZES: "for batch, num_patches, rows in ((3, 5, 6), (2, 4, 5)):"}
LONG = {SIZES: "for batch, num_patches, rows in ((3, 5, 7), (2, 4, 9)):"}
UNLEARNED = {LEARNED: "pass"}
THERE = {LEARNED: "if any(a is None for a in found):\n            return True"}
COPIES = {
    "implementation(*given)": "implementation(*(one.clone() for one in given))",
    "implementation(*learned)": "implementation(*(1 * one for one in learned))",
}

shows_one_position.mistake(
    "a table of exactly as many rows",
    "Your probe lets code pass that takes the last rows of the table. Where a table has exactly as many rows as there are tokens, these are the right ones: try one that is longer, and whose rows all differ.",
    SHORT,
)
shows_one_position.mistake(
    "a longer table alone",
    "Your probe lets code pass that never gives the last row of a table. It shows where the table has exactly as many rows as there are tokens: try one that has.",
    LONG,
)
shows_one_position.mistake(
    "no gradient is looked at",
    "Your probe looks at numbers and never at what is learned from them, and code passes whose table or class token is cut off. A table that never learns stays as random as it began. Ask for the gradients.",
    UNLEARNED,
)
shows_one_position.mistake(
    "gradients that are there, and no more",
    "Your probe finds what has no gradient at all, and lets code pass in which one row of the table has one and the others never learn. Compare the gradients with those that are due.",
    THERE,
)
shows_one_position.mistake(
    "changed patches pass",
    "Your probe lets code pass that adds the rows to the very patches that it was given. Keep a copy of them, and compare afterwards.",
    COPIES,
)

Gap = tuple[dict[str, str], str, str]

TABLES: tuple[Gap, ...] = (
    ({}, "", ""),
    (SHORT, "takes the last rows of the table", "Try a table that is longer than needed as well."),
    (LONG, "never gives the last row of a table", "Try a table of exactly as many rows as there are tokens as well."),
)
GRADIENTS: tuple[Gap, ...] = (
    ({}, "", ""),
    (UNLEARNED, "never teaches the table, or the class token", "Ask for the gradients."),
    (THERE, "teaches the table one row alone", "Compare the gradients with those that are due."),
)
CHANGES: tuple[Gap, ...] = (
    ({}, "", ""),
    (COPIES, "writes into the patches that it was given", "Keep a copy of the patches, and compare afterwards."),
)


def several() -> Iterator[Way]:
    """Two and three of these at once."""
    for parts in product(TABLES, GRADIENTS, CHANGES):
        missing = [one for one in parts if one[0]]
        if len(missing) > 1:
            edits = {old: new for one, _, _ in missing for old, new in one.items()}
            passing = ", and code that ".join(passes for _, passes, _ in missing)
            advice = " ".join(advice for _, _, advice in missing)
            yield edit(edits, says=f"Your probe lets code pass that {passing}. {advice}")


shows_one_position.mistake(
    "several things not asked",
    "Your probe asks for less than is promised, in more than one respect.",
    *several(),
)
shows_one_position.mistake(
    "the class token is not looked at",
    "Your probe looks at the patches alone, and lets code pass that gives the class token no row, or no token at all to some pictures. It is a token as well, and the first of them.",
    the_patches_alone,
)
