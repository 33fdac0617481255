"""How much memory a new program could use, by what each system offers without extra packages."""

import ctypes
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")


def free_memory() -> int | None:
    """Memory that a program started now could use.

    Returns:
        Bytes, or None where the system does not say.
    """
    try:
        if sys.platform == "win32":
            return _of_windows()
        if sys.platform == "darwin":
            command = subprocess.run(["vm_stat"], capture_output=True, text=True, timeout=2)
            return from_vm_stat(command.stdout)
        return _of_linux()
    except (OSError, ValueError, KeyError, AttributeError, subprocess.SubprocessError):
        return None


def from_vm_stat(text: str) -> int:
    """Bytes that macOS could hand out, from what its `vm_stat` prints.

    Args:
        text: a line with the page size in bytes, then lines such as `Pages free: 1234.`.

    Raises:
        ValueError: when the text holds neither.
    """
    page = re.search(r"page size of (\d+) bytes", text)
    pages = re.findall(r"Pages (?:free|inactive|speculative|purgeable):\s+(\d+)", text)
    if not (page and pages):
        raise ValueError(f"not the output of vm_stat: {text[:80]!r}")
    return int(page[1]) * sum(map(int, pages))


def _of_linux() -> int:
    available = re.search(r"MemAvailable:\s+(\d+) kB", MEMINFO.read_text())
    if not available:
        raise ValueError("no MemAvailable in /proc/meminfo")
    host = 1024 * int(available[1])
    left = _left_in_container(CGROUP)
    return host if left is None else min(host, left)


def _left_in_container(cgroup: Path) -> int | None:
    """What a container (Binder's, for one) may still take; /proc/meminfo knows the host only."""
    for limit, used, folder in (
        ("memory.max", "memory.current", cgroup),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", cgroup / "memory"),
    ):
        text = (folder / limit).read_text().strip() if (folder / limit).exists() else "max"
        if text != "max":
            cached = _statistics(folder / "memory.stat")["inactive_file"]
            return int(text) - int((folder / used).read_text()) + cached
    return None


def _statistics(file: Path) -> Mapping[str, int]:
    lines = (line.split() for line in file.read_text().splitlines())
    return {name: int(value) for name, value in lines}


class _MemoryStatus(ctypes.Structure):
    # The layout of MEMORYSTATUSEX in the Windows API.
    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load_percent", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("available", ctypes.c_uint64),
        ("total_page_file", ctypes.c_uint64),
        ("available_page_file", ctypes.c_uint64),
        ("total_virtual", ctypes.c_uint64),
        ("available_virtual", ctypes.c_uint64),
        ("available_extended_virtual", ctypes.c_uint64),
    )


def _of_windows() -> int | None:
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    windows = ctypes.windll  # type: ignore[attr-defined, unused-ignore]
    if not windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return status.available
