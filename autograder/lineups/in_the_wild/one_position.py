"""Room 8: ways of telling tokens their places."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.lineup import right, wrong


def in_a_row(patches: Tensor, first: Tensor) -> Tensor:
    return torch.cat((first.repeat(patches.size(0), 1, 1), patches), dim=1)


@right("asks an embedding for the places")
def embedded(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = in_a_row(patches, first)
    return tokens + F.embedding(torch.arange(tokens.size(1)), table)


@right("adds to the class token and to the patches apart")
def apart(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    front = (first + table[0]).expand(len(patches), 1, -1)
    return torch.cat([front, patches + table[1 : patches.size(1) + 1]], dim=1)


@right("goes place by place")
def by_places(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = [first.expand(len(patches), -1), *patches.unbind(1)]
    return torch.stack([token + table[place] for place, token in enumerate(tokens)], dim=1)


@right("goes picture by picture")
def by_pictures(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    rows = table[: patches.size(1) + 1]
    return torch.stack([torch.vstack([first, one]) + rows for one in patches])


@right("makes room with `pad` and adds the class token there")
def padded(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    room = F.pad(patches, (0, 0, 1, 0))
    room[:, 0] += first
    return room + table.narrow(0, 0, room.size(1))


@right("picks the rows by a product with ones and zeros")
def by_product(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = in_a_row(patches, first)
    picks = torch.eye(tokens.size(1), dtype=table.dtype)
    return tokens + torch.einsum("pr,rd->pd", picks, table[: tokens.size(1)])


@right("writes into a tensor of its own")
def written(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    made = patches.new_empty(patches.size(0), patches.size(1) + 1, patches.size(2))
    made[:, 0] = first
    made[:, 1:] = patches
    made += table[: made.size(1)].unsqueeze(0)
    return made


@right("is a module")
def as_a_module(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    class Places(nn.Module):
        def forward(self, tokens: Tensor) -> Tensor:
            places = torch.arange(tokens.size(1)).expand(len(tokens), -1)
            return tokens + table[places]

    made: Tensor = Places()(in_a_row(patches, first))
    return made


@right("adds the patches to a table with the class token in it")
def onto_the_table(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    front, rest = table[:1] + first, table[1 : 1 + patches.size(1)]
    return torch.hstack([front.expand(len(patches), 1, -1), rest + patches])


# Wrong ----------------------------------------------------------------------------


@wrong("takes the row that stands behind the last patch, for every token", mistake="one row for all")
def row_of_the_count(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    found = in_a_row(patches, first)
    return found + F.embedding(torch.tensor(patches.shape[1]), table)


@wrong("gives every token the first row", mistake="one row for all")
def first_row(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    return in_a_row(patches, first) + table[:1]


@wrong("gives every token the mean of the rows", mistake="one row for all", kin=True)
def mean_row(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = in_a_row(patches, first)
    return tokens + table[: tokens.size(1)].mean(0)


@wrong("gives all patches the same row, and the class token its own", mistake="the patches alike", kin=True)
def two_rows(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    front = (first + table[0]).expand(len(patches), 1, -1)
    return torch.cat([front, patches + table[1]], dim=1)


@wrong("gives all tokens of a picture the row of its place in the batch", mistake="places in the batch", kin=True)
def by_batch(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    rows = torch.arange(len(patches)) % len(table)
    return in_a_row(patches, first) + table[rows][:, None]


@wrong("puts the class token in front when the places are given", mistake="the class token without a place", kin=True)
def front_too_late(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    return in_a_row(patches + table[1 : patches.size(1) + 1], first)


@wrong("gives the class token its row, and the patches none", mistake="the patches without a place")
def front_alone(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    return in_a_row(patches, first + table[0])


@wrong("begins with the second row", mistake="one row too far")
def one_further(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = in_a_row(patches, first)
    return tokens + table.roll(-1, dims=0)[: tokens.size(1)]


@wrong("counts the places from the end", mistake="places counted from the end")
def backwards(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = in_a_row(patches, first)
    return tokens + table[torch.arange(tokens.size(1) - 1, -1, -1)]


@wrong("takes the rows at the table's end", mistake="the last rows of the table")
def from_the_end(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = in_a_row(patches, first)
    return tokens + table[len(table) - tokens.size(1) :]


@wrong(
    "never gives the last row of the table, so that two tokens share one where it has just enough",
    mistake="the table's last row never used",
)
def last_row_spared(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = in_a_row(patches, first)
    places = torch.arange(tokens.size(1)).clamp(max=len(table) - 2)
    return tokens + table[places]


@wrong("puts the class token behind the patches", mistake="the class token at the end")
def at_the_end(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = torch.cat([patches, first.expand(len(patches), 1, -1)], dim=1)
    return tokens + table[: tokens.size(1)]


@wrong("has a class token for the first picture alone", mistake="the class token for one picture alone")
def one_front(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    front = torch.zeros(len(patches), 1, patches.size(2), dtype=patches.dtype)
    front[0] = first
    tokens = torch.cat([front, patches], dim=1)
    return tokens + table[: tokens.size(1)]


@wrong("adds every row twice", mistake="added twice")
def twice(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = in_a_row(patches, first)
    for _ in range(2):
        tokens = tokens + table[: tokens.size(1)]
    return tokens


@wrong("multiplies with the rows", mistake="multiplied")
def scaled(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = in_a_row(patches, first)
    return tokens * table[: tokens.size(1)]


@wrong("gives right numbers, and adds the rows to the patches that it was given", mistake="written into the patches")
def in_place(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    patches += table[1 : patches.size(1) + 1]
    return in_a_row(patches, first + table[0])


@wrong("gives right numbers that teach the table nothing", mistake="something does not learn")
def kept_apart(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = in_a_row(patches, first)
    return tokens + torch.tensor(table.tolist(), dtype=table.dtype)[: tokens.size(1)]


@wrong("gives right numbers that teach the class token nothing", mistake="something does not learn")
def front_kept_apart(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    tokens = in_a_row(patches, torch.tensor(first.tolist(), dtype=first.dtype))
    return tokens + table[: tokens.size(1)]


@wrong("gives right numbers that teach the table its first row alone", mistake="something does not learn")
def first_row_learns(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    rows = table[1 : patches.size(1) + 1].detach()
    return in_a_row(patches + rows, first + table[0])
