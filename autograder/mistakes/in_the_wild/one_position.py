"""Wrong ways of room 8."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks.in_the_wild.one_position import as_shown, shows_one_position, with_positions
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import edit
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
)
with_positions.mistake(
    "the patches alike",
    "The class token has a row of its own, and all patches share another: they do not know their places. Patch 0 has row 1, patch 1 has row 2, and so on.",
    {ALL: "return torch.cat([tokens[:, :1] + table[0], tokens[:, 1:] + table[1]], dim=1)"},
    {ALL: "return torch.cat([tokens[:, :1] + table[0], tokens[:, 1:] + table[patches.size(1)]], dim=1)"},
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
    "Your numbers are right, and the patches that you were given are others afterwards: the rows are in them. Whoever uses the patches once more has the rows twice. `patches + ...` makes a new tensor, `patches += ...` does not.",
    {ALL: f"patches.data += table.detach()[1 : tokens.size(1)]\n    return tokens + {ROWS}"},
    {TOKENS: f"patches += table[1 : 1 + patches.size(1)]\n    return torch.cat([(first + table[0]).expand(len(patches), 1, -1), patches], dim=1)\n    {TOKENS}"},
)  # fmt: skip
with_positions.mistake(
    "something does not learn",
    "Your numbers are right, and not everything learns from them: it is cut off from its gradient, by `.detach()`, `.data`, `torch.no_grad()` or a new tensor made of its numbers.",
    edit({ROWS: "table.detach()[: tokens.size(1)]"}, says="Your numbers are right, and the table never learns: it is cut off from its gradient, by `.detach()`, `.data`, `torch.no_grad()` or a new tensor of its numbers. The rows stay what they were at the start."),
    edit({TOKENS: TOKENS.replace("first.", "first.detach().")}, says="Your numbers are right, and the class token never learns: it is cut off from its gradient, by `.detach()`, `.data` or a new tensor of its numbers."),
    edit({TOKENS: TOKENS.replace(", patches]", ", patches.detach()]")}, says="Your numbers are right, and no gradient comes back to the patches, so nothing before them learns."),
    edit({ALL: f"return (tokens + {ROWS}).detach()"}, says="Your numbers are right, and nothing learns from them: the result is cut off from its graph."),
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
shows_one_position.mistake(
    "a table of exactly as many rows",
    "In your probe the table has exactly as many rows as there are tokens, and code passes that takes the last rows of it. A table may be longer: try one that is.",
    {SIZES: "for batch, num_patches, rows in ((3, 5, 6), (2, 4, 5)):"},
)
shows_one_position.mistake(
    "no gradient is looked at",
    "Your probe looks at numbers and never at what is learned from them, and code passes whose table or class token is cut off. A table that never learns stays as random as it began. Ask for the gradients.",
    {LEARNED: "pass"},
)
shows_one_position.mistake(
    "changed patches pass",
    "Your probe lets code pass that adds the rows to the very patches that it was given. Keep a copy of them, and compare afterwards.",
    {
        "implementation(*given)": "implementation(*(one.clone() for one in given))",
        "implementation(*learned)": "implementation(*(1 * one for one in learned))",
    },
)
shows_one_position.mistake(
    "the class token is not looked at",
    "Your probe looks at the patches alone, and lets code pass that gives the class token no row, or no token at all to some pictures. It is a token as well, and the first of them.",
    the_patches_alone,
)
