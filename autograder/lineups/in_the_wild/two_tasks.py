"""Room 7: ways of adding the losses of two tasks."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.lineup import right, wrong


def surprise(scores: Tensor, labels: Tensor) -> Tensor:
    """What each place costs by itself."""
    return -scores.log_softmax(-1).gather(-1, labels[..., None])[..., 0]


@right("has a criterion for each task")
def two_criteria(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    of_tokens, of_pairs = nn.CrossEntropyLoss(ignore_index=0), nn.CrossEntropyLoss()
    return of_tokens(token_scores.transpose(1, 2), token_labels) + of_pairs(pair_scores, pair_labels)


@right("picks the tokens that have a label first")
def picked(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    asked = token_labels != 0
    return F.cross_entropy(token_scores[asked], token_labels[asked]) + F.cross_entropy(pair_scores, pair_labels)


@right("gives the tokens without a label another ignored number")
def renamed(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    labels = token_labels.masked_fill(token_labels.eq(0), -100)
    criterion = nn.CrossEntropyLoss()
    return criterion(token_scores.flatten(0, 1), labels.flatten()) + criterion(pair_scores, pair_labels)


@right("sums and divides")
def divided(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    asked = (token_labels != 0).to(token_scores.dtype)
    tokens = (surprise(token_scores, token_labels) * asked).sum() / asked.sum()
    return tokens + surprise(pair_scores, pair_labels).sum() / pair_labels.numel()


@right("takes a sigmoid of the difference for the pairs")
def by_sigmoid(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    logit = pair_scores[:, 1] - pair_scores[:, 0]
    pairs = F.binary_cross_entropy_with_logits(logit, pair_labels.to(logit.dtype))
    return pairs + F.cross_entropy(token_scores.transpose(1, 2), token_labels, ignore_index=0)


@right("goes pair by pair and token by token")
def one_by_one(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    costs = []
    for scores, labels in zip(token_scores, token_labels, strict=True):
        for row, label in zip(scores, labels, strict=True):
            if label > 0:
                costs.append(row.logsumexp(0) - row[label])
    pairs = [row.logsumexp(0) - row[label] for row, label in zip(pair_scores, pair_labels, strict=True)]
    return torch.stack(costs).mean() + torch.stack(pairs).mean()


@right("gives class 0 of the tokens no weight, and the pairs none at all")
def by_weights(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    weight = torch.ones(token_scores.size(-1)).to(token_scores)
    weight[0] = 0
    tokens = F.cross_entropy(token_scores.flatten(0, 1), token_labels.flatten(), weight=weight)
    return tokens + F.cross_entropy(pair_scores, pair_labels)


@right("asks nll_loss twice, with two ids to ignore")
def twice(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    tasks = ((token_scores.flatten(0, 1), token_labels.flatten(), 0), (pair_scores, pair_labels, -1))
    costs = [F.nll_loss(one.log_softmax(-1), labels, ignore_index=ignored) for one, labels, ignored in tasks]
    return torch.stack(costs).sum()


@right("writes the pairs as one-hot targets")
def one_hot(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    wanted = F.one_hot(pair_labels, 2).to(pair_scores.dtype)
    tokens = F.cross_entropy(token_scores.transpose(1, 2), token_labels, ignore_index=0)
    return tokens - (wanted * pair_scores.log_softmax(-1)).sum(-1).mean()


# Wrong ----------------------------------------------------------------------------


@wrong("keeps one criterion and calls it twice", mistake="pairs of class 0 ignored")
def criterion_of_two(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    def cost(scores: Tensor, labels: Tensor) -> Tensor:
        return F.nll_loss(scores.reshape(-1, scores.size(-1)).log_softmax(-1), labels.reshape(-1), ignore_index=0)

    return cost(token_scores, token_labels) + cost(pair_scores, pair_labels)


@wrong("picks what has a label in both tasks", mistake="pairs of class 0 ignored")
def picked_in_both(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    tasks = ((token_scores, token_labels), (pair_scores, pair_labels))
    return torch.stack([surprise(scores, labels)[labels > 0].mean() for scores, labels in tasks]).sum()


@wrong("takes the pairs of class 0 out of the sum and not out of the number", kin=True)
def out_of_the_sum(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    tokens = F.cross_entropy(token_scores.transpose(1, 2), token_labels, ignore_index=0)
    return tokens + (surprise(pair_scores, pair_labels) * pair_labels).mean()


@wrong("ignores class 1 of the pairs", mistake="pairs of class 1 ignored", kin=True)
def the_other_class(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    tokens = F.cross_entropy(token_scores.transpose(1, 2), token_labels, ignore_index=0)
    return tokens + F.cross_entropy(pair_scores, pair_labels, ignore_index=1)


@wrong("lets no gradient reach the scores of pairs of class 0", mistake="no gradient for the pairs", kin=True)
def without_gradient(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    tokens = F.cross_entropy(token_scores.transpose(1, 2), token_labels, ignore_index=0)
    seen = torch.where(pair_labels[:, None] == 1, pair_scores, pair_scores.detach())
    return tokens + F.cross_entropy(seen, pair_labels)


@wrong("has no gradient for any pair", mistake="no gradient for the pairs")
def detached(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    with torch.no_grad():
        pairs = surprise(pair_scores, pair_labels).mean()
    return F.cross_entropy(token_scores.flatten(0, 1), token_labels.flatten(), ignore_index=0) + pairs


@wrong("ignores nothing in either task", mistake="tokens without a label count")
def nothing_ignored(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    return surprise(token_scores, token_labels).mean() + surprise(pair_scores, pair_labels).mean()


@wrong("divides by all tokens", mistake="tokens without a label divide")
def by_all_tokens(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    tokens = (surprise(token_scores, token_labels) * (token_labels != 0)).mean()
    return tokens + F.cross_entropy(pair_scores, pair_labels)


@wrong("forgets the pairs", mistake="the pairs are left out")
def tokens_alone(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    asked = token_labels > 0
    return surprise(token_scores, token_labels)[asked].mean()


@wrong("forgets the tokens", mistake="the tokens are left out")
def pairs_alone(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    return surprise(pair_scores, pair_labels).mean()


@wrong("takes the mean of the two losses", mistake="half the sum")
def half(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    asked = token_labels > 0
    return (surprise(token_scores, token_labels)[asked].mean() + surprise(pair_scores, pair_labels).mean()) / 2


@wrong("adds the pairs up without dividing", mistake="a sum over the pairs")
def summed(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    asked = token_labels > 0
    return surprise(token_scores, token_labels)[asked].mean() + surprise(pair_scores, pair_labels).sum()


@wrong("takes one mean over tokens and pairs together")
def one_mean(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    asked = token_labels > 0
    return 2 * torch.cat([surprise(token_scores, token_labels)[asked], surprise(pair_scores, pair_labels)]).mean()


@wrong("looks at the first pair alone")
def first_pair(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    tokens = F.cross_entropy(token_scores.transpose(1, 2), token_labels, ignore_index=0)
    return tokens + F.cross_entropy(pair_scores[:1], pair_labels[:1])


@wrong("takes the mean of each row of tokens, and then the mean of these")
def rows_first(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    asked = (token_labels != 0).to(token_scores.dtype)
    rows = (surprise(token_scores, token_labels) * asked).sum(1) / asked.sum(1).clamp(min=1)
    return rows.mean() + F.cross_entropy(pair_scores, pair_labels)
