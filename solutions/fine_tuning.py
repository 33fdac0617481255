"""Fine-tuning: heads on a pretrained model, what they are trained with, and how they are measured."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.bert import BERT
from solutions.optimization import decay_groups


def align_labels(word_labels: Sequence[int], word_ids: Sequence[int | None]) -> list[int]:
    """Give every piece of a text a label: a word's stands at its first piece, and -100 everywhere else.

    Args:
        word_labels: the label of each word.
        word_ids: for each piece the number of its word, from 0; None for special tokens and padding. The
            pieces of a word stand side by side. A word may have no piece: the last ones where a text was cut
            off, or one of which the splitting left nothing.

    Returns:
        A label for each piece. `F.cross_entropy` passes over -100.

    Raises:
        ValueError: if a piece belongs to a word that has no label.
    """
    known = [word for word in word_ids if word is not None]
    if known and not 0 <= min(known) <= max(known) < len(word_labels):
        raise ValueError(
            f"word numbers go from {min(known)} to {max(known)}, with {len(word_labels)} labels; give one a word"
        )
    # 1. piece after piece: to which word does it belong, and to which did the piece before it?
    # 2. the first piece of a word gets the word's label
    # 3. every other piece gets -100
    # BEGIN SOLUTION
    labels, before = [], None
    for word in word_ids:
        labels.append(word_labels[word] if word is not None and word != before else -100)
        before = word
    return labels
    # END SOLUTION


class SequenceClassifier(nn.Module):
    """Put one label on a whole text.

    Args:
        bert: a model that gives `(hidden, pooled)`; it becomes a part of this one, and is trained with it.
        num_classes: how many labels there are.

    Source: Devlin et al., "BERT" (2018), section 4.1; dropout: its code.
    """

    def __init__(self, bert: BERT, num_classes: int) -> None:
        super().__init__()
        self.bert = bert
        # 1. `self.dropout`: with the rate of `bert.config.dropout`
        # 2. `self.head`: a linear layer from `bert.config.d_model` to the classes
        # BEGIN SOLUTION
        self.dropout = nn.Dropout(bert.config.dropout)
        self.head = nn.Linear(bert.config.d_model, num_classes)
        # END SOLUTION

    def forward(
        self,
        ids: Int[Tensor, "batch seq_len"],
        segment_ids: Int[Tensor, "batch seq_len"] | None = None,
        mask: Bool[Tensor, "#batch #num_heads #seq_len #seq_len"] | None = None,
    ) -> Float[Tensor, "batch num_classes"]:
        """Score every label for every text.

        Args:
            ids: the texts.
            segment_ids: see BERT.
            mask: see BERT.

        Returns:
            Logits, before any softmax.
        """
        # 1. what does the model make of the texts? It gives two things
        # 2. dropout, then the head, on the vector that stands for the whole text
        # BEGIN SOLUTION
        _, pooled = self.bert(ids, segment_ids, mask)  # (batch, d_model)
        return self.head(self.dropout(pooled))
        # END SOLUTION


class TokenClassifier(nn.Module):
    """Put a label on every token of a text.

    Args:
        bert: a model that gives `(hidden, pooled)`; it becomes a part of this one, and is trained with it.
        num_tags: how many labels there are.

    Source: Devlin et al., "BERT" (2018), section 5.3; dropout: its code.
    """

    def __init__(self, bert: BERT, num_tags: int) -> None:
        super().__init__()
        self.bert = bert
        # `self.dropout` and `self.head`, as in SequenceClassifier
        # BEGIN SOLUTION
        self.dropout = nn.Dropout(bert.config.dropout)
        self.head = nn.Linear(bert.config.d_model, num_tags)
        # END SOLUTION

    def forward(
        self,
        ids: Int[Tensor, "batch seq_len"],
        segment_ids: Int[Tensor, "batch seq_len"] | None = None,
        mask: Bool[Tensor, "#batch #num_heads #seq_len #seq_len"] | None = None,
    ) -> Float[Tensor, "batch seq_len num_tags"]:
        """Score every label for every token.

        Args:
            ids: the texts.
            segment_ids: see BERT.
            mask: see BERT.

        Returns:
            Logits, before any softmax.
        """
        # BEGIN SOLUTION
        hidden, _ = self.bert(ids, segment_ids, mask)  # (batch, seq_len, d_model)
        return self.head(self.dropout(hidden))
        # END SOLUTION


def fine_tune_groups(
    model: nn.Module, head: nn.Module, rate: float, head_rate: float, weight_decay: float
) -> list[dict[str, Any]]:
    """Sort a model's parameters for an optimizer: a learning rate for the head, another for the rest.

    Args:
        model: a pretrained model with a new head.
        head: the part of it that is new.
        rate: the learning rate of everything else.
        head_rate: the learning rate of the head. What the head shares with the rest belongs to the head.
        weight_decay: for weights of layers and tables; norms and biases have 0.0, see `decay_groups`.

    Returns:
        Groups, each `{"params": [...], "lr": ..., "weight_decay": ...}`, in any order; one may be empty. Every
        parameter of the model stands in exactly one.

    Raises:
        ValueError: if the head has a parameter that is not in the model.
    """
    of_head = {id(one) for one in head.parameters()}
    if not of_head <= {id(one) for one in model.parameters()}:
        raise ValueError("head has parameters that model does not have; give a part of the model, such as model.head")
    # 1. `decay_groups` knows what decays
    # 2. cut each of its groups in two: what is in the head, and what is not (`of_head` holds the ids)
    # 3. each part with its learning rate
    # BEGIN SOLUTION
    groups = []
    for group in decay_groups(model, weight_decay):
        inside = [one for one in group["params"] if id(one) in of_head]
        outside = [one for one in group["params"] if id(one) not in of_head]
        groups.append({"params": inside, "lr": head_rate, "weight_decay": group["weight_decay"]})
        groups.append({"params": outside, "lr": rate, "weight_decay": group["weight_decay"]})
    return groups
    # END SOLUTION


def evaluate(
    model: nn.Module, batches: Iterable[tuple[Int[Tensor, "..."], Int[Tensor, "..."]]]
) -> tuple[Int[Tensor, " places"], Int[Tensor, " places"]]:
    """Ask a classifier about everything, and collect what was wanted and what came.

    Args:
        model: `model(ids)` gives logits, the classes in the last dimension.
        batches: pairs `(ids, labels)`, gone through once. Labels have the shape of the logits without
            the last dimension; -100 stands where nothing is asked.

    Returns:
        The targets of all batches behind one another, and the predictions for them, without the places
        where nothing is asked. The model is left in the mode, training or evaluation, in which it came.

    Raises:
        ValueError: if nothing is asked at all.
    """
    # 1. remember the model's mode (`model.training`), and switch to evaluation
    # 2. batch after batch, without gradients: the likeliest class of every place; keep what is asked
    # 3. the mode as it was
    # 4. put the batches behind one another; nothing there at all is a ValueError
    # BEGIN SOLUTION
    was_training = model.training
    model.eval()
    targets, predictions = [], []
    with torch.no_grad():
        for ids, labels in batches:
            asked = labels != -100
            targets.append(labels[asked])
            predictions.append(model(ids).argmax(dim=-1)[asked])
    model.train(was_training)
    if not any(len(one) for one in targets):
        raise ValueError(f"{len(targets)} batches without a single label; give at least one that is not -100")
    return torch.cat(targets), torch.cat(predictions)
    # END SOLUTION


def confusion_matrix(
    targets: Int[Tensor, " places"], predictions: Int[Tensor, " places"], num_classes: int
) -> Int[Tensor, "num_classes num_classes"]:
    """Count what was taken for what.

    Args:
        targets: the right class of every place, from 0.
        predictions: the class that was predicted there.
        num_classes: how many classes there are; some may never occur.

    Returns:
        In row t and column p how many places of class t were predicted to be of class p.

    Raises:
        ValueError: if there are not as many targets as predictions, or one is no class.
    """
    if targets.shape != predictions.shape:
        raise ValueError(f"{len(targets)} targets and {len(predictions)} predictions; give one for each")
    both = torch.cat([targets, predictions])
    if both.numel() and not 0 <= int(both.min()) <= int(both.max()) < num_classes:
        found = f"classes go from {int(both.min())} to {int(both.max())}"
        raise ValueError(f"{found}; with num_classes={num_classes} give 0 to {num_classes - 1}, and leave out -100")
    # BEGIN SOLUTION
    cells = targets * num_classes + predictions  # the cells of the matrix, numbered row by row
    return torch.bincount(cells, minlength=num_classes**2).reshape(num_classes, num_classes)
    # END SOLUTION


def precision_recall_f1(
    targets: Int[Tensor, " places"], predictions: Int[Tensor, " places"], num_classes: int, average: str | None = None
) -> tuple[Any, Any, Any]:
    """Measure how good the predictions of each class are, or of all.

    Precision is the share of what was predicted that is right, recall the share of what is there that was
    found, F1 their harmonic mean, 2 · right / (predicted + there). Where nothing is to be divided by, they are 0.

    Args:
        targets: the right class of every place, from 0.
        predictions: the class that was predicted there.
        num_classes: how many classes there are; one that never occurs counts as any other.
        average: None for the numbers of each class; "macro" for the mean over all classes; "weighted" for the
            mean over classes weighted by how many targets each has; "micro" for right, predicted and there
            added up over all classes first.

    Returns:
        `(precision, recall, f1)`: three tensors of num_classes numbers, or, with an average, three numbers
        (floats, or tensors of one number).

    Raises:
        ValueError: see confusion_matrix; and if average is another word.

    Source: the conventions of scikit-learn, with `labels=range(num_classes)` and `zero_division=0`.
    """
    if average not in (None, "macro", "micro", "weighted"):
        raise ValueError(f"average={average!r}; give None, 'macro', 'micro' or 'weighted'")
    # 1. for each class, from the confusion matrix: how many are right, were predicted, are there?
    # 2. "micro": each of the three added up over the classes
    # 3. precision, recall and F1; 0 / 0 is 0
    # 4. "macro" and "weighted": a mean of each of the three
    # BEGIN SOLUTION
    counts = confusion_matrix(targets, predictions, num_classes).double()
    right, predicted, there = counts.diagonal(), counts.sum(dim=0), counts.sum(dim=1)
    weights = there / there.sum().clamp(min=1) if average == "weighted" else torch.full_like(there, 1 / num_classes)
    if average == "micro":
        right, predicted, there, weights = right.sum(), predicted.sum(), there.sum(), torch.tensor(1.0)
    precision = right / predicted.clamp(min=1)  # whole numbers: only a 0 becomes a 1
    recall = right / there.clamp(min=1)
    f1 = 2 * right / (predicted + there).clamp(min=1)
    if average is None:
        return precision, recall, f1
    return (weights * precision).sum().item(), (weights * recall).sum().item(), (weights * f1).sum().item()
    # END SOLUTION


def macro_f1(
    model: nn.Module, batches: Iterable[tuple[Int[Tensor, "..."], Int[Tensor, "..."]]], num_classes: int
) -> float:
    """Ask a classifier about everything, and sum it up in one number.

    Args:
        model: see evaluate.
        batches: see evaluate.
        num_classes: how many classes there are.

    Returns:
        Macro F1, a float or a tensor of one number, of all batches together, so it does not depend on how they
        were cut. Places with -100 do not count. The model is left in the mode, training or evaluation, in which it
        came.
    """
    # BEGIN SOLUTION
    targets, predictions = evaluate(model, batches)
    return precision_recall_f1(targets, predictions, num_classes, "macro")[2]
    # END SOLUTION


def spans(tags: Sequence[str]) -> list[tuple[str, int, int]]:
    """Read entities off the tags of a text.

    Args:
        tags: "O" outside of all entities; "B-kind" where one of that kind begins; "I-kind" where it goes on.

    Returns:
        `(kind, start, end)` of each entity in their order, end exclusive. An I- that continues nothing, because
        an O, the start of the text or an entity of another kind stands before it, begins an entity itself.

    Raises:
        ValueError: if a tag is written in another way.

    Source: Ramshaw and Marcus, "Text Chunking using Transformation-Based Learning" (1995), whose tags have a B- only
    between two entities side by side; a B- before each entity, and what an I- without one means, are as in the
    measure of the CoNLL shared tasks.
    """
    for tag in tags:
        if tag != "O" and not (tag[:2] in ("B-", "I-") and tag[2:]):
            raise ValueError(f"a tag is {tag!r}; give 'O', 'B-' and a kind, or 'I-' and a kind")
    # 1. place after place: does the entity that is open end here? Does one begin here?
    # 2. one may be open at the end of the text, too
    # BEGIN SOLUTION
    found: list[tuple[str, int, int]] = []
    kind, start = "", 0  # no entity is open
    for place, tag in enumerate([*tags, "O"]):
        if kind and tag != f"I-{kind}":
            found.append((kind, start, place))
            kind = ""
        if not kind and tag != "O":
            kind, start = tag[2:], place
    return found
    # END SOLUTION


def span_f1(targets: Sequence[Sequence[str]], predictions: Sequence[Sequence[str]]) -> float:
    """Measure how well entities were found: F1 over the entities of all texts.

    Args:
        targets: the right tags of each text.
        predictions: the predicted tags of each text, as many.

    Returns:
        2 · right / (predicted + there), each added up over all texts. An entity is right if kind, start and end
        are. 0 where there is no entity at all.

    Raises:
        ValueError: if a text has not as many predicted tags as right ones.

    Source: Tjong Kim Sang and De Meulder, "Introduction to the CoNLL-2003 Shared Task" (2003), section 2.4.
    """
    if [len(row) for row in targets] != [len(row) for row in predictions]:
        raise ValueError("targets and predictions have texts of different lengths; give one tag for each target")
    # 1. text after text: the spans that are there, those that were predicted, and those that are both
    # 2. F1 of the three sums
    # BEGIN SOLUTION
    right = predicted = there = 0
    for target, prediction in zip(targets, predictions, strict=True):
        wanted, found = set(spans(target)), set(spans(prediction))
        right += len(wanted & found)
        predicted += len(found)
        there += len(wanted)
    return 2 * right / (predicted + there) if predicted + there else 0.0
    # END SOLUTION


def roc_auc(scores: Float[Tensor, " places"], labels: Bool[Tensor, " places"] | Int[Tensor, " places"]) -> float:
    """Measure how well scores tell places with label 1 from places with label 0, whatever the threshold.

    It is the share of all pairs of a 1 and a 0 in which the 1 has the larger score; a pair of equal scores counts
    one half. That is the area under the ROC curve.

    Args:
        scores: one for each place; the larger, the more likely 1.
        labels: 1 or True, 0 or False.

    Raises:
        ValueError: if all labels are the same.

    Source: Hanley and McNeil, "The Meaning and Use of the Area under a ROC Curve" (1982).
    """
    is_one = labels.bool()
    ones, zeros = int(is_one.sum()), int((~is_one).sum())
    if not ones or not zeros:
        raise ValueError(f"{ones} labels are 1 and {zeros} are 0; give at least one of each")
    # 1. the rank of every score, from 1; equal scores share the mean of their ranks
    # 2. the ranks of the ones added up, less the least that they could add up to
    # 3. as a share of all pairs
    # BEGIN SOLUTION
    _, place, counts = scores.unique(return_inverse=True, return_counts=True)
    ranks = counts.cumsum(dim=0) - (counts.double() - 1) / 2  # of each value
    won = ranks[place[is_one]].sum().item() - ones * (ones + 1) / 2
    return won / (ones * zeros)
    # END SOLUTION


class SpanReader(nn.Module):
    """Score every token of a question and its text as the first of the answer, and as the last.

    Args:
        bert: a model that gives `(hidden, pooled)`; it becomes a part of this one, and is trained with it.

    Nothing is dropped out in front of this head.

    Source: Devlin et al., "BERT" (2018), section 4.2, and its code.
    """

    def __init__(self, bert: BERT) -> None:
        super().__init__()
        self.bert = bert
        # `self.head`: a single linear layer; it makes two numbers of a token's vector
        # BEGIN SOLUTION
        self.head = nn.Linear(bert.config.d_model, 2)
        # END SOLUTION

    def forward(
        self,
        ids: Int[Tensor, "batch seq_len"],
        segment_ids: Int[Tensor, "batch seq_len"] | None = None,
        mask: Bool[Tensor, "#batch #num_heads #seq_len #seq_len"] | None = None,
    ) -> tuple[Float[Tensor, "batch seq_len"], Float[Tensor, "batch seq_len"]]:
        """Score every token twice.

        Args:
            ids: pairs of a question and a text.
            segment_ids: see BERT.
            mask: see BERT.

        Returns:
            `(start, end)`: logits, before any softmax. The head's first number is the token's start, its second the
            token's end.
        """
        # BEGIN SOLUTION
        hidden, _ = self.bert(ids, segment_ids, mask)  # (batch, seq_len, d_model)
        start, end = self.head(hidden).unbind(dim=-1)
        return start, end
        # END SOLUTION


def best_span(
    start: Float[Tensor, " seq_len"], end: Float[Tensor, " seq_len"], allowed: Bool[Tensor, " seq_len"], max_len: int
) -> tuple[int, int]:
    """Choose the answer: of all spans that may be one, the span with the largest sum of two scores.

    Args:
        start: how much speaks for each token as the first of the answer.
        end: how much speaks for each token as the last of the answer.
        allowed: True where an answer may lie; all tokens of the answer are such.
        max_len: how many tokens the answer has at most. It has at least one.

    Returns:
        `(first, stop)`, so that the answer is `ids[first:stop]`: its last token is stop - 1, and its score is
        start[first] + end[stop - 1]. Of spans that are equally good, any.

    Raises:
        ValueError: if no token is allowed, or max_len is below 1.

    Source: Devlin et al., "BERT" (2018), section 4.2.
    """
    if max_len < 1 or not allowed.any():
        raise ValueError(f"max_len={max_len}, and {int(allowed.sum())} tokens are allowed; give 1 or more of each")
    # 1. the score, the first place and the stop of every span: none that runs over a token that is not allowed
    # 2. the span with the largest score
    # BEGIN SOLUTION
    found = []
    for first in range(len(start)):
        for last in range(first, min(first + max_len, len(start))):
            if not allowed[last]:
                break  # nor may a longer one from here
            found.append(((start[first] + end[last]).item(), first, last + 1))
    _, first, stop = max(found)
    return first, stop
    # END SOLUTION


class LoRALinear(nn.Module):
    """Train a linear layer by a narrow difference: x W^T + b + alpha / rank · x A^T B^T, with W and b frozen.

    Args:
        linear: the layer, with a bias or without one. It becomes a part of this one, and its parameters are frozen.
        rank: how many features lie between A, `down`, and B, `up`.
        alpha: how much the difference counts, whatever the rank.

    Raises:
        ValueError: if rank is below 1.

    Source: Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models" (2021), section 4.1.
    """

    def __init__(self, linear: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        if rank < 1:
            raise ValueError(f"rank={rank}; give 1 or more")
        self.linear, self.rank, self.alpha = linear, rank, alpha
        # 1. freeze the layer
        # 2. `self.down`: a parameter (rank, in_features), random; `self.up`: (out_features, rank), zeros
        # BEGIN SOLUTION
        linear.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, linear.in_features) / linear.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank))
        # END SOLUTION

    def forward(self, x: Float[Tensor, "... in_features"]) -> Float[Tensor, "... out_features"]:
        """The layer, plus the difference."""
        # BEGIN SOLUTION
        return self.linear(x) + self.alpha / self.rank * (x @ self.down.T @ self.up.T)
        # END SOLUTION

    @torch.no_grad()
    def merge(self) -> nn.Linear:
        """A new layer that computes the same by itself, with parameters of its own. This one stays as it is."""
        # BEGIN SOLUTION
        merged = nn.Linear(self.linear.in_features, self.linear.out_features, bias=self.linear.bias is not None)
        merged.weight.copy_(self.linear.weight + self.alpha / self.rank * (self.up @ self.down))
        if self.linear.bias is not None:
            merged.bias.copy_(self.linear.bias)
        return merged
        # END SOLUTION
