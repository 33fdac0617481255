"""How `python -m course.pretrain bert` trains: two losses, on rows of sentences that stand side by side."""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course.bert_pieces import BertPieces
from course.docstrings import LICENCES, installed, read_in_order
from course.fill_in import both_sides, from_left
from course.kneser_ney import KneserNey
from course.long_run import LongRun
from course.pieces import learn_pieces
from course.run_files import write_run

VOCAB_SIZE, SEQ_LEN, BATCH, RATE, WARM_UP = 4096, 64, 64, 2e-3, 200
SIZES: dict[str, Any] = {"d_model": 128, "num_heads": 4, "num_layers": 4, "d_ff": 512, "dropout": 0.0}
SIZES |= {"max_len": SEQ_LEN}
PAIRED = 0.4
"""Share of rows that are two texts, where there are enough sentences; most are one text and full."""

SHORT = 0.1
"""Share of rows that end early, as one sentence alone does."""

SPREAD, SPREAD_OF_TOKENS = 0.02, 0.06
"""Standard deviations from which matrices begin, and the table of tokens, which has to write as well."""

MEASURED = 512
"""Held-out sentences on which a run is measured while it goes on."""

COUNTED = 500
"""Blanks that n-grams fill: each takes them a tenth of a second."""

NOBODY = -100


Packed = tuple[list[int], list[int]]


@cache
def _part(name: str) -> Callable[..., Any]:
    """A part of the learner's, asked for once: a stand-in says what it is whenever it is asked for."""
    import my_transformer

    return getattr(my_transformer, name)


def packed(first: list[int], second: list[int] | None, pieces: BertPieces, seq_len: int = SEQ_LEN) -> Packed:
    """A row of one text or two, as the learner's `pack_pair` makes it: ids, and the text of each."""
    ids, segments = _part("pack_pair")(first, second, pieces.cls_id, pieces.sep_id, seq_len)
    return ids, segments


def filled_up(rows: Sequence[Packed], pad_id: int, seq_len: int = SEQ_LEN) -> tuple[Tensor, Tensor]:
    """Packed rows as two tensors: ids filled up with [PAD], and segments with 0, (batch, seq_len) each."""
    ids, segments = torch.full((len(rows), seq_len), pad_id), torch.zeros(len(rows), seq_len, dtype=torch.long)
    for number, (of_ids, of_segments) in enumerate(rows):
        ids[number, : len(of_ids)] = torch.tensor(of_ids)
        segments[number, : len(of_segments)] = torch.tensor(of_segments)
    return ids, segments


class Rows:
    """What is read at each step: neighbouring sentences, as one text or two, of which half do not belong together.

    One text goes on until the row is full, into a sentence that has no room there. A text that is put in the
    place of another has as many sentences and as many tokens, so that nothing can be learned from lengths.

    Args:
        sentences: the ids of each, in the order in which they stand in the packages.
        pieces: the vocabulary.
        seq_len: tokens of a row at most.
        batch: rows of a step at most.

    Raises:
        ValueError: if there are fewer than two sentences.
    """

    def __init__(
        self, sentences: Sequence[list[int]], pieces: BertPieces, seq_len: int = SEQ_LEN, batch: int = BATCH
    ) -> None:
        if len(sentences) < 2:
            raise ValueError(f"{len(sentences)} sentences are too few; give 2 or more")
        self.sentences, self.pieces, self.seq_len = sentences, pieces, seq_len
        self.room = seq_len - 3
        self.batch = min(batch, max(1, len(self._runs(0)) // 2))
        self._runs_of = lru_cache(maxsize=1)(self._runs)
        self._alike = self._by_size()

    def fingerprint(self) -> str:
        """Tells this text from another."""
        return hashlib.sha256(repr(self.sentences).encode()).hexdigest()[:16]

    def __call__(self, step: int) -> Tensor:
        """The rows of a step: ids, labels, segments, and whether the second text follows, (batch, 4, seq_len)."""
        turn, place = 0, step
        while place >= (steps := len(self._runs_of(turn)) // self.batch):
            turn, place = turn + 1, place - steps
        chance = random.Random(step)
        made = [self._row(*run, chance) for run in self._runs_of(turn)[place * self.batch :][: self.batch]]
        ids, segments = filled_up([row for row, _ in made], self.pieces.pad_id, self.seq_len)
        inputs, labels = masked(ids, self.pieces, torch.Generator().manual_seed(step))
        follows = torch.tensor([follows for _, follows in made])[:, None].expand(-1, self.seq_len)
        return torch.stack([inputs, labels, segments, follows], dim=1)

    def _runs(self, turn: int) -> list[tuple[int, int]]:
        """Sentences that fill a row together, first and end of each run; every pass cuts elsewhere, and shuffles."""
        chance = random.Random(f"pass {turn}")
        found, first, used, room = [], 0, 0, chance.randint(1, self.room)
        for number, sentence in enumerate(self.sentences):
            if number > first and used + len(sentence) > room:
                found.append((first, number))
                first, used, room = number, 0, self.room
            used += len(sentence)
        found.append((first, len(self.sentences)))
        chance.shuffle(found)
        return found

    def _by_size(self) -> dict[tuple[int, ...], list[int]]:
        """Where each text begins that has room in a row, by its size."""
        found = defaultdict(list)
        for first in range(len(self.sentences)):
            tokens = 0
            for end in range(first + 1, len(self.sentences) + 1):
                tokens += len(self.sentences[end - 1])
                if tokens > self.room:
                    break
                found[self.size_of(end - first, tokens)].append(first)
        return found

    def size_of(self, sentences: int, tokens: int) -> tuple[int, ...]:
        """What a text has to share with the one that it is put in the place of."""
        return sentences, tokens

    def _row(self, first: int, end: int, chance: random.Random) -> tuple[Packed, int]:
        middle = chance.randrange(first + 1, end) if end - first > 1 else end
        alike = self._alike.get(self.size_of(end - middle, sum(map(len, self.sentences[middle:end]))), [])
        behind, follows, kind = None, NOBODY, chance.random()
        if kind < PAIRED and len(alike) > 1:
            follows, begins = int(chance.random() < 0.5), middle
            while not follows and begins == middle:
                begins = chance.choice(alike)
            behind = self._joined(begins, begins + end - middle)
        elif kind < 1 - SHORT:
            middle = end + 1
        return packed(self._joined(first, middle), behind, self.pieces, self.seq_len), follows

    def _joined(self, first: int, end: int) -> list[int]:
        return [one for sentence in self.sentences[first:end] for one in sentence]


def masked(ids: Tensor, pieces: BertPieces, generator: torch.Generator | None) -> tuple[Tensor, Tensor]:
    """What is read and what is asked for, by draws of a generator; None takes that of torch."""
    chosen, fate = torch.rand(2, *ids.shape, generator=generator)
    replacement = torch.randint(pieces.number, ids.shape, generator=generator)
    inputs, labels = _part("mask_tokens")(ids, ids < pieces.number, pieces.mask_id, chosen, fate, replacement)
    return inputs, labels


def build_bert(
    vocab_size: int, pad_id: int, positions: str = "rotary", seed: int = 0
) -> tuple[nn.ModuleDict, dict[str, Any]]:
    """A new BERT of the learner's with its two heads, and its choices."""
    from my_transformer import BERT, BertConfig, MaskedLanguageHead

    torch.manual_seed(seed)
    config = {"vocab_size": vocab_size, **SIZES, "pad_id": pad_id, "positions": positions}
    bert = BERT(BertConfig(**config))
    head = MaskedLanguageHead(bert.config, bert.embedding.token_embedding)
    model = nn.ModuleDict({"bert": bert, "head": head, "follows": nn.Linear(SIZES["d_model"], 2)})
    with torch.no_grad():
        for one in model.parameters():
            if one.dim() > 1:
                nn.init.normal_(one, std=SPREAD)
        nn.init.normal_(bert.embedding.token_embedding.weight, std=SPREAD_OF_TOKENS)
    return model, config


def two_losses(model: nn.ModuleDict, rows: Tensor) -> tuple[Tensor, Tensor]:
    """The mean loss of the tokens that are asked for, and of whether the second text follows the first."""
    ids, labels, segments, follows = rows.unbind(1)
    hidden, pooled = model["bert"](ids, segments)
    asked = labels != NOBODY
    # the head's work is most of all work: only where something is asked
    words = _part("masked_loss")(model["head"](hidden[asked])[None], labels[asked][None])
    return words, _part("masked_loss")(model["follows"](pooled)[None], follows[None, :, 0])


@dataclass(frozen=True)
class Blanks:
    """Sentences of which some tokens are asked for; the same ones every time.

    Attributes:
        inputs: what is read, (number, seq_len).
        labels: what stood there, and -100 where nothing is asked.
    """

    inputs: Tensor
    labels: Tensor


def sentence_rows(sentences: Sequence[list[int]], pieces: BertPieces, seq_len: int = SEQ_LEN) -> Tensor:
    """[CLS] sentence [SEP] for each, cut to `seq_len`, filled up with [PAD]."""
    return pieces.padded([[pieces.cls_id, *one[: seq_len - 2], pieces.sep_id] for one in sentences])


def blanks_of(sentences: Sequence[list[int]], pieces: BertPieces, seq_len: int = SEQ_LEN) -> Blanks:
    """The blanks of pretraining: 15 % of the tokens, of which most are [MASK]."""
    rows = sentence_rows(sentences, pieces, seq_len)
    return Blanks(*masked(rows, pieces, torch.Generator().manual_seed(0)))


def one_blank_each(sentences: Sequence[list[int]], pieces: BertPieces, seq_len: int = SEQ_LEN) -> Blanks:
    """One [MASK] in each sentence, anywhere."""
    rows = sentence_rows(sentences, pieces, seq_len)
    draws = torch.rand(rows.shape, generator=torch.Generator().manual_seed(0)).masked_fill(rows >= pieces.number, -1)
    asked = draws == draws.max(dim=1, keepdim=True).values
    return Blanks(torch.where(asked, pieces.mask_id, rows), torch.where(asked, rows, NOBODY))


@torch.no_grad()
def scores_of(model: nn.ModuleDict, blanks: Blanks) -> Tensor:
    """The log-probabilities of every token at each place that is asked for, (asked, vocab_size)."""
    model.eval()
    found = []
    for inputs, labels in zip(blanks.inputs.split(64), blanks.labels.split(64), strict=True):
        hidden, _ = model["bert"](inputs)
        found.append(model["head"](hidden[labels != NOBODY]).log_softmax(-1))
    model.train()
    return torch.cat(found)


def nats_and_share(scores: Tensor, answers: Tensor) -> tuple[float, float]:
    """The mean loss of the answers, and how often the likeliest token is the answer."""
    losses = F.nll_loss(scores, answers, reduction="mean")
    return round(losses.item(), 4), round((scores.argmax(-1) == answers).double().mean().item(), 4)


def measured_on(corpus: Corpus, model: nn.ModuleDict) -> dict[str, float]:
    """What it gets right on held-out text, and what counting does with the same blanks."""
    pieces, held_out = corpus.pieces, [one for one in corpus.held_out if one]
    found: dict[str, float] = {}

    def take(name: str, scores: Tensor, answers: Tensor) -> None:
        found[name], found[f"{name}_right"] = nats_and_share(scores, answers)

    many, single = blanks_of(held_out, pieces), one_blank_each(held_out, pieces)
    take("held_out", scores_of(model, many), many.labels[many.labels != NOBODY])
    answers = single.labels[single.labels != NOBODY]
    scores = scores_of(model, single)
    take("one_blank", scores, answers)
    text = torch.tensor([one for sentence in corpus.known for one in (*sentence, pieces.sep_id)])
    counted = KneserNey(text, pieces.vocab_size, 5)
    single_token = (text.bincount(minlength=pieces.vocab_size) + 1).double()
    take("unigram", (single_token / single_token.sum()).log().expand(len(answers), -1), answers)
    some = range(min(COUNTED, len(answers)))
    take("one_blank_of_these", scores[: len(some)], answers[: len(some)])
    places = [int((row != NOBODY).nonzero()) - 1 for row in single.labels[: len(some)]]
    for name, count in {"five_gram_left": from_left, "five_gram_both": both_sides}.items():
        rows = [count(counted, held_out[i][: SEQ_LEN - 2], places[i], pieces.sep_id) for i in some]
        take(name, torch.stack(rows), answers[: len(some)])
    return found | {"follows_right": share_of_followers(corpus, model), "counted": len(some)}


@torch.no_grad()
def share_of_followers(corpus: Corpus, model: nn.ModuleDict, number: int = 2000) -> float:
    """How often it knows whether a held-out sentence follows the one before it, or another one was put there."""
    pieces, chance = corpus.pieces, random.Random(0)
    pairs = chance.sample(corpus.neighbours, min(number, len(corpus.neighbours)))
    follows = torch.tensor([chance.random() < 0.5 for _ in pairs])
    other = [second for _, second in pairs]
    rows = []
    for (first, second), stays in zip(pairs, follows.tolist(), strict=True):
        rows.append(packed(first, second if stays else chance.choice(other), pieces))
    return round((said_to_follow(model, rows, pieces.pad_id) == follows).double().mean().item(), 4)


@torch.no_grad()
def said_to_follow(model: nn.ModuleDict, rows: Sequence[Packed], pad_id: int) -> Tensor:
    """Of which packed rows it says that the second text follows the first, (rows,) of bool."""
    ids, segments = filled_up(rows, pad_id)
    model.eval()
    parts = [model["follows"](model["bert"](*some)[1]) for some in zip(ids.split(64), segments.split(64), strict=True)]
    model.train()
    return torch.cat(parts).argmax(-1) == 1


@dataclass(frozen=True)
class Corpus:
    """A text, sentence by sentence, on both sides of the split.

    Attributes:
        known: the ids of each sentence that is learned from, in order.
        held_out: of each that is measured on.
        neighbours: a sentence and the held-out one that follows it in the text.
        pieces: the vocabulary, learned on what is known.
        versions: package → version.
    """

    known: list[list[int]]
    held_out: list[list[int]]
    neighbours: list[tuple[list[int], list[int]]]
    pieces: BertPieces
    versions: dict[str, str]


def corpus_of(packages: Sequence[str]) -> Corpus:
    """Read the docstrings of packages, learn byte pairs, and cut the sentences with them."""
    in_order = read_in_order(packages)
    pieces = BertPieces(learn_pieces([sentence for sentence, apart in in_order if not apart], VOCAB_SIZE))
    ids = pieces.encode_all([sentence for sentence, _ in in_order])
    held = [held_out for _, held_out in in_order]
    neighbours = [(ids[i - 1], ids[i]) for i in range(1, len(ids)) if held[i]]
    sides = [[one for one, apart in zip(ids, held, strict=True) if apart is side] for side in (False, True)]
    return Corpus(sides[0], sides[1], neighbours, pieces, installed(packages))


def pretrain_bert(folder: Path, minutes: float, packages: Sequence[str] = tuple(LICENCES)) -> bool:
    """Train, measure and write; False if it was interrupted."""
    corpus = corpus_of(packages)
    pieces, tokens = corpus.pieces, sum(map(len, corpus.known))
    print(f"{tokens:,} tokens to learn from, of {len(corpus.versions)} packages", flush=True)
    rows = Rows(corpus.known, pieces)
    model, config = build_bert(pieces.vocab_size, pieces.pad_id)
    shown = blanks_of(corpus.held_out[:MEASURED], pieces)
    answers = shown.labels[shown.labels != NOBODY]
    run = LongRun(
        model=model,
        rows_of=rows,
        loss_of=lambda some: torch.stack(two_losses(model, some)).sum(),
        measure=lambda: nats_and_share(scores_of(model, shown), answers)[0],
        minutes=minutes,
        rate=RATE,
        checkpoint=folder / "bert.checkpoint",
        text=rows.fingerprint(),
        warm_up=WARM_UP,
    )
    if not run.run():
        return False
    write_run(
        run,
        folder / "bert.safetensors",
        config=config,
        merges=pieces.merges,
        versions=corpus.versions,
        tokens=tokens,
        measured=lambda: measured_on(corpus, model),
    )
    return True
