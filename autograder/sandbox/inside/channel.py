"""Messages between the sandbox and the process that decides: length-prefixed values (see `probing/codec.py`)."""

from __future__ import annotations

import socket
import struct
import time
from typing import Any

from autograder.probing.codec import MAX_BYTES, BadMessage, decode, encode

MAX_ANSWER = MAX_BYTES - 2**16
"""Bytes of a message that travels inside another."""

__all__ = [
    "MAX_ANSWER", "BadMessage", "Closed", "TooLate", "decode", "encode", "receive", "receive_raw", "send", "send_raw",
]  # fmt: skip


class Closed(ConnectionError):
    """The other side is gone."""


class TooLate(TimeoutError):
    """No whole message arrived in time."""


def send(wire: socket.socket, value: Any) -> None:
    """Send a value.

    Raises:
        BadMessage: when it is no plain data, or too much of it.
        Closed: when nobody listens any more.
    """
    send_raw(wire, encode(value))


def send_raw(wire: socket.socket, body: bytes) -> None:
    """Send an encoded value."""
    try:
        wire.sendall(struct.pack("!I", len(body)) + body)
    except OSError as error:
        raise Closed(str(error)) from None


def receive(wire: socket.socket, seconds: float | None = None) -> Any:
    """Wait for a value.

    Raises:
        BadMessage, Closed, TooLate: as their names say.
    """
    return decode(receive_raw(wire, seconds))


def receive_raw(wire: socket.socket, seconds: float | None = None, limit: int = MAX_BYTES) -> bytes:
    """Wait for a message and give it undecoded; `seconds` counts for the whole of it."""
    end = None if seconds is None else time.monotonic() + seconds
    (size,) = struct.unpack("!I", _exactly(wire, 4, end))
    if size > limit:
        raise BadMessage(f"a message of {size} bytes; {limit} are allowed")
    return _exactly(wire, size, end)


def _exactly(wire: socket.socket, size: int, end: float | None) -> bytes:
    pieces, left = [], size
    while left:
        wire.settimeout(None if end is None else max(end - time.monotonic(), 0.001))
        try:
            piece = wire.recv(min(left, 2**20))
        except TimeoutError:
            raise TooLate("no answer in time") from None
        except OSError as error:
            raise Closed(str(error)) from None
        if not piece:
            raise Closed("the other side closed the connection")
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
