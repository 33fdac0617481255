"""Outcomes as bytes, and back: plain data, no pickle. What crosses the walls and what is stored are written alike.

A value is None, a bool, int, float, str, bytes, a list, a dict with str keys, a plain Tensor, `Raised` or `Foreign`.
The reader believes nothing: every size is held against what is left of the bytes before anything is allocated.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.probing.outcome import Foreign, Raised

MAX_BYTES = 8 * 2**20
"""Of one value, unless told otherwise."""

MAX_DEPTH = 40
MAX_VALUES = 200_000
MAX_DIMENSIONS = 16
MAX_INTEGER_BYTES = 120
"""Of one integer: what every float can be compared with."""

MAX_ELEMENTS = 2**40

DTYPES = (
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16,
    torch.float32, torch.float64, torch.complex64, torch.complex128,
)  # fmt: skip


class BadMessage(ValueError):
    """What arrived is no value, or more than is allowed."""


# Writing ----------------------------------------------------------------------------


class _Bytes(bytearray):
    """What is written, and how much it may become."""

    limit = MAX_BYTES


def encode(value: Any, limit: int = MAX_BYTES) -> bytes:
    """A value as bytes.

    Args:
        value: plain data.
        limit: how many bytes it may take.

    Raises:
        BadMessage: when it is no plain data, or too much of it.
    """
    out = _Bytes()
    out.limit = limit
    _write(value, out, 0)
    if len(out) > limit:
        raise BadMessage(f"{len(out)} bytes; {limit} are allowed")
    return bytes(out)


def _write(value: Any, out: _Bytes, depth: int) -> None:
    write = _WRITERS.get(type(value))
    if write is None or depth > MAX_DEPTH or len(out) > out.limit:
        raise BadMessage(f"{type(value).__name__} cannot be sent" if write is None else "too deep or too large")
    write(value, out, depth)


def _write_bool(value: bool, out: _Bytes, depth: int) -> None:
    out += b"T" if value else b"F"


def _write_int(value: int, out: _Bytes, depth: int) -> None:
    size = value.bit_length() // 8 + 1
    if size > MAX_INTEGER_BYTES:
        raise BadMessage(f"an integer of {size} bytes")
    out += b"i" + struct.pack("!I", size) + value.to_bytes(size, "big", signed=True)


def _write_float(value: float, out: _Bytes, depth: int) -> None:
    out += b"d" + struct.pack("!d", value)


def _write_str(value: str, out: _Bytes, depth: int) -> None:
    raw = value.encode("utf-8", "backslashreplace")  # lone surrogates have no bytes
    out += b"s" + struct.pack("!I", len(raw)) + raw


def _write_bytes(value: bytes, out: _Bytes, depth: int) -> None:
    out += b"b" + struct.pack("!I", len(value)) + value


def _write_list(value: list[Any], out: _Bytes, depth: int) -> None:
    if len(value) > MAX_VALUES:
        raise BadMessage(f"a list of {len(value)} items")
    out += b"l" + struct.pack("!I", len(value))
    for item in value:
        _write(item, out, depth + 1)


def _write_dict(value: dict[str, Any], out: _Bytes, depth: int) -> None:
    if len(value) > MAX_VALUES:
        raise BadMessage(f"a dict of {len(value)} items")
    out += b"m" + struct.pack("!I", len(value))
    for key, item in value.items():
        if type(key) is not str:
            raise BadMessage("a key that is no text")
        _write(key, out, depth + 1)
        _write(item, out, depth + 1)


def _write_tensor(value: Tensor, out: _Bytes, depth: int) -> None:
    if value.dtype not in DTYPES or value.layout is not torch.strided or value.dim() > MAX_DIMENSIONS:
        raise BadMessage(f"a tensor of {value.dtype} and {value.dim()} dimensions")
    if value.numel() * value.element_size() > MAX_BYTES:
        raise BadMessage(f"a tensor of {value.numel()} numbers")
    plain = value.detach().resolve_conj().resolve_neg().reshape(-1)
    # A single number may have any stride, which `contiguous` leaves and `view` refuses.
    flat = torch.empty(len(plain), dtype=value.dtype, device="cpu").copy_(plain)
    raw = flat.view(torch.uint8).numpy().tobytes() if len(flat) else b""
    out += b"t" + struct.pack("!BB", DTYPES.index(value.dtype), value.dim())
    out += struct.pack(f"!{value.dim()}Q", *value.shape) + struct.pack("!I", len(raw)) + raw


def _write_raised(value: Raised, out: _Bytes, depth: int) -> None:
    out += b"r"
    _write([str(kind) for kind in value.kinds], out, depth + 1)
    _write(str(value.message), out, depth + 1)


def _write_foreign(value: Foreign, out: _Bytes, depth: int) -> None:
    out += b"f"
    _write(str(value.type_name), out, depth + 1)


_WRITERS: dict[type, Callable[[Any, _Bytes, int], None]] = {
    type(None): lambda value, out, depth: out.extend(b"N"),
    bool: _write_bool,
    int: _write_int,
    float: _write_float,
    str: _write_str,
    bytes: _write_bytes,
    list: _write_list,
    dict: _write_dict,
    Tensor: _write_tensor,
    Raised: _write_raised,
    Foreign: _write_foreign,
}


# Reading ----------------------------------------------------------------------------


def decode(body: bytes) -> Any:
    """The value that the bytes stand for.

    Raises:
        BadMessage: for anything that `encode` does not write.
    """
    reader = _Reader(body)
    value = reader.value(0)
    if reader.at != len(body):
        raise BadMessage("bytes are left over")
    return value


class _Reader:
    def __init__(self, body: bytes) -> None:
        self.body = body
        self.at = 0
        self.values = 0

    def take(self, size: int) -> bytes:
        """The next `size` bytes, which must be there."""
        found = self.body[self.at : self.at + size]
        if len(found) < size:
            raise BadMessage("the message is cut off")
        self.at += size
        return found

    def number(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def value(self, depth: int) -> Any:
        self.values += 1
        if depth > MAX_DEPTH or self.values > MAX_VALUES:
            raise BadMessage("too deep, or too many values")
        read = _READERS.get(self.take(1))
        if read is None:
            raise BadMessage("an unknown kind of value")
        return read(self, depth)

    def text(self, depth: int) -> str:
        found = self.value(depth)
        if type(found) is not str:
            raise BadMessage("text was expected")
        return found


def _read_int(reader: _Reader, depth: int) -> int:
    size = reader.number()
    if size > MAX_INTEGER_BYTES:
        raise BadMessage(f"an integer of {size} bytes")
    return int.from_bytes(reader.take(size), "big", signed=True)


def _read_float(reader: _Reader, depth: int) -> float:
    return float(struct.unpack("!d", reader.take(8))[0])


def _read_str(reader: _Reader, depth: int) -> str:
    try:
        return reader.take(reader.number()).decode("utf-8")
    except UnicodeDecodeError:
        raise BadMessage("text that is not UTF-8") from None


def _read_bytes(reader: _Reader, depth: int) -> bytes:
    return reader.take(reader.number())


def _read_list(reader: _Reader, depth: int) -> list[Any]:
    return [reader.value(depth + 1) for _ in range(reader.number())]


def _read_dict(reader: _Reader, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(reader.number()):
        key = reader.text(depth + 1)
        if key in found:
            raise BadMessage("a key that occurs twice")
        found[key] = reader.value(depth + 1)
    return found


def _read_tensor(reader: _Reader, depth: int) -> Tensor:
    code, dimensions = struct.unpack("!BB", reader.take(2))
    if code >= len(DTYPES) or dimensions > MAX_DIMENSIONS:
        raise BadMessage("a tensor of an unknown kind")
    dtype, shape = DTYPES[code], struct.unpack(f"!{dimensions}Q", reader.take(8 * dimensions))
    raw = reader.take(reader.number())
    if math.prod(max(size, 1) for size in shape) > MAX_ELEMENTS:
        raise BadMessage("a tensor of impossible shape")
    if len(raw) != math.prod(shape) * dtype.itemsize:
        raise BadMessage("a tensor whose shape and bytes do not agree")
    if dtype is torch.bool and raw.strip(b"\0\1"):
        raise BadMessage("booleans that are neither true nor false")
    return torch.frombuffer(bytearray(raw), dtype=dtype).reshape(shape) if raw else torch.empty(shape, dtype=dtype)


def _read_raised(reader: _Reader, depth: int) -> Raised:
    kinds = reader.value(depth + 1)
    if type(kinds) is not list or not 0 < len(kinds) <= 50 or not all(type(kind) is str for kind in kinds):
        raise BadMessage("an exception without a kind")
    return Raised(tuple(kind[:200] for kind in kinds), reader.text(depth + 1)[:1000])


def _read_foreign(reader: _Reader, depth: int) -> Foreign:
    return Foreign(reader.text(depth + 1)[:200])


_READERS: dict[bytes, Callable[[_Reader, int], Any]] = {
    b"N": lambda reader, depth: None,
    b"T": lambda reader, depth: True,
    b"F": lambda reader, depth: False,
    b"i": _read_int,
    b"d": _read_float,
    b"s": _read_str,
    b"b": _read_bytes,
    b"l": _read_list,
    b"m": _read_dict,
    b"t": _read_tensor,
    b"r": _read_raised,
    b"f": _read_foreign,
}
