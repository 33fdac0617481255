"""The kernel keeps keys of whoever logged in, for all that they start. A process can have an empty keyring instead."""

from __future__ import annotations

import ctypes
import os
import platform
from errno import EACCES, ENOSYS, EPERM

from autograder.sandbox.inside.system_calls import MACHINES, REFUSED

KEYCTL = dict(zip(MACHINES, REFUSED["keyctl"], strict=True))
JOIN_SESSION_KEYRING = 1


def leave() -> None:
    """Give this process, and all that it starts, a keyring with no keys in it.

    Raises:
        OSError: where the old one stays and could be read.
    """
    number = KEYCTL.get(platform.machine())
    if number is None:
        raise OSError(ENOSYS, f"what the call is on {platform.machine()} is not known")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(number), ctypes.c_long(JOIN_SESSION_KEYRING), None) < 0:
        code = ctypes.get_errno()
        if code not in (EACCES, ENOSYS, EPERM):  # in most containers there are no keys, for nobody
            raise OSError(code, f"keyctl: {os.strerror(code)}")
