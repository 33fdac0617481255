"""Messages out of the sandbox: what goes in comes out, and nothing else gets through."""

from __future__ import annotations

import random
import socket
import struct
import threading
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.probing import codec
from autograder.probing.outcome import Foreign, Raised
from autograder.probing.records import plain, run_of
from autograder.probing.run import Place, Run
from autograder.sandbox.inside import channel
from autograder.sandbox.inside.channel import BadMessage, decode, encode

SPECIAL = (
    None, True, False, 0, -1, 2**70, -(2**63), 0.5, float("inf"), -0.0, "", "ü\n\0", b"", b"\0\xff", [], {}, "x" * 1000,
    Raised(("ValueError", "Exception"), "no"), Raised(("A",)), Foreign("numpy.ndarray"),
)  # fmt: skip


def value(chance: random.Random, depth: int = 0) -> Any:
    """Any value that may be sent."""
    kind = chance.randrange(5 if depth < 4 else 3)
    if kind == 3:
        return [value(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind == 4:
        return {f"key {number}": value(chance, depth + 1) for number in range(chance.randrange(4))}
    if kind == 2:
        return tensor(chance)
    return chance.choice(SPECIAL)


def tensor(chance: random.Random) -> Tensor:
    shape = [chance.randrange(4) for _ in range(chance.randrange(4))]
    drawn = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(chance.randrange(99)))
    return (drawn * 50).abs().to(chance.choice(codec.DTYPES))


def equal(a: Any, b: Any) -> bool:
    if isinstance(a, Tensor):
        return type(b) is Tensor and a.dtype == b.dtype and a.shape == b.shape and torch.equal(a, b)
    if isinstance(a, list):
        return type(b) is list and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict):
        return type(b) is dict and list(a) == list(b) and all(equal(a[key], b[key]) for key in a)
    return type(a) is type(b) and repr(a) == repr(b)


@pytest.mark.parametrize("seed", range(200))
def test_what_goes_in_comes_out(seed: int) -> None:
    sent = value(random.Random(seed))
    assert equal(sent, decode(encode(sent)))


@pytest.mark.parametrize("given", SPECIAL, ids=lambda one: repr(one)[:20])
def test_special_values(given: Any) -> None:
    assert equal(given, decode(encode(given)))


def test_tensors_that_lie_oddly_in_memory() -> None:
    x = torch.randn(3, 4, dtype=torch.complex64)
    one_of_two = torch.randn(1, 1, 2).unbind(-1)[1]  # a single number, and a step of two to none
    for odd in (x.T, x.conj(), x[::2, 1:], x.imag, x.expand(2, 3, 4), torch.tensor(3.0), torch.empty(0, 5), one_of_two):
        assert torch.equal(decode(encode(odd)), odd)
    assert torch.equal(decode(encode(torch.ones(2, requires_grad=True))), torch.ones(2))


class Sly(Tensor):
    pass


@pytest.mark.parametrize(
    "given",
    [object(), (1, 2), {1: 2}, {"a": {2}}, torch.nn.Parameter(torch.ones(2)), torch.ones(2).as_subclass(Sly), print,
     torch.ones(2).to_sparse(), 2**10000, type("Text", (str,), {})("x"), type("Number", (int,), {})(3)],
    ids=lambda given: type(given).__name__,  # no address: workers of pytest must agree on names
)  # fmt: skip
def test_what_is_no_plain_data_is_not_sent(given: Any) -> None:
    with pytest.raises(BadMessage):
        encode([given])


def test_what_is_too_deep_or_too_large_is_not_sent() -> None:
    deep: Any = []
    for _ in range(100):
        deep = [deep]
    for given in (deep, [b"x" * 2**24] * 3, torch.zeros(codec.MAX_BYTES + 1, dtype=torch.uint8)):
        with pytest.raises(BadMessage):
            encode(given)


@pytest.mark.parametrize("seed", range(300))
def test_noise_is_refused_or_is_a_value_and_never_anything_else(seed: int) -> None:
    """Bytes are flipped, cut off and put in: only BadMessage may come of it."""
    chance = random.Random(seed)
    body = bytearray(encode(value(chance)))
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(body) + 1)
        body[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
    try:
        found = decode(bytes(body))
    except BadMessage:
        return
    encode(found)


def count(number: int) -> bytes:
    return struct.pack("!I", number)


TENSOR = b"t" + struct.pack("!BB", codec.DTYPES.index(torch.float32), 1)
BOOLS = b"t" + struct.pack("!BB", codec.DTYPES.index(torch.bool), 1)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("nothing", b""),
        ("an unknown kind", b"z"),
        ("a list of four billion", b"l" + count(2**32 - 1)),
        ("text of four gigabytes", b"s" + count(2**32 - 1)),
        ("an integer of four gigabytes", b"i" + count(2**32 - 1)),
        ("more values than allowed", b"l" + count(300_000) + b"N" * 300_000),
        ("lists in lists", (b"l" + count(1)) * 1000 + b"N"),
        ("a tensor of 2^60 numbers", TENSOR + struct.pack("!Q", 2**60) + count(0)),
        ("an empty tensor of impossible shape", b"t" + struct.pack("!BBQQ", 8, 2, 2**62, 0) + count(0)),
        ("a tensor with too few bytes", TENSOR + struct.pack("!Q", 3) + count(4) + b"1234"),
        ("a tensor of 200 dimensions", b"t" + struct.pack("!BB", 0, 200)),
        ("a dtype that is none", b"t" + struct.pack("!BB", 99, 0)),
        ("a boolean of 2", BOOLS + struct.pack("!Q", 1) + count(1) + b"\2"),
        ("a key that is a number", b"m" + count(1) + b"T" + b"N"),
        ("a key twice", b"m" + count(2) + (encode("a") + b"N") * 2),
        ("text that is not UTF-8", b"s" + count(1) + b"\xff"),
        ("an exception of no kind", b"r" + encode([]) + encode("")),
        ("something left over", b"NN"),
    ],
)
def test_crafted_messages_are_refused_before_they_cost_anything(name: str, body: bytes) -> None:
    with pytest.raises(BadMessage):
        decode(body)


def test_over_a_socket() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sent = {"x": torch.arange(500_000), "y": ["a"] * 3}
        thread = threading.Thread(target=channel.send, args=(ours, sent))
        thread.start()
        assert equal(channel.receive(theirs, 10), sent)
        thread.join()
        with pytest.raises(channel.TooLate):
            channel.receive(theirs, 0.05)
        ours.sendall(struct.pack("!I", 2**31))
        with pytest.raises(BadMessage):
            channel.receive(theirs, 1)
        ours.sendall(b"\0\0")
        ours.close()
        with pytest.raises(channel.Closed):
            channel.receive(theirs, 1)


def test_a_slow_sender_does_not_hold_anyone_up() -> None:
    """The time counts for the whole message, not for each of its bytes."""
    ours, theirs = socket.socketpair()
    stop = threading.Event()

    def drip() -> None:
        ours.sendall(struct.pack("!I", 1000))
        while not stop.wait(0.05):
            ours.sendall(b"N")

    thread = threading.Thread(target=drip)
    thread.start()
    with pytest.raises(channel.TooLate):
        channel.receive(theirs, 0.4)
    stop.set()
    thread.join()
    ours.close()
    theirs.close()


# Records of runs --------------------------------------------------------------------

RUN = Run(
    [torch.ones(2), {"a": 1.0}],
    [{"weight": ("parameter", (4,), "weight")}],
    ["x"],
    ["softmax"],
    Place("cell", 3, "return x"),
)


def test_a_run_survives_the_way() -> None:
    back = run_of(decode(encode(plain(RUN))))
    assert torch.equal(back.returned[0], RUN.returned[0])
    assert (back.signatures, back.changed, back.forbidden) == (RUN.signatures, RUN.changed, RUN.forbidden)
    assert back.place == RUN.place


@pytest.mark.parametrize(
    "change",
    [
        {"signatures": None}, {"signatures": [3]}, {"signatures": [{"w": ["parameter", [4]]}]},
        {"signatures": [{"w": ["parameter", ["4"], "w"]}]}, {"signatures": [{}] * 3000}, {"changed": [1]},
        {"forbidden": "softmax"}, {"place": ["a"]}, {"place": ["a", "1", "b"]}, {"more": 1},
    ],
    ids=str,
)  # fmt: skip
def test_a_run_of_another_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadMessage):
        run_of({**plain(RUN), **change})


def test_nobody_presses_stop_in_the_sandbox() -> None:
    assert run_of({**plain(RUN), "interrupted": True}).interrupted is False
