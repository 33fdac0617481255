"""A place to print to that does not fill the memory."""

from __future__ import annotations

import io


class Capped(io.StringIO):
    """Keeps the first part of what is printed.

    Args:
        limit: characters that are kept.
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def write(self, text: str) -> int:
        """Keep what there is room for, and claim to have kept it all."""
        room = self.limit - self.tell()
        if room > 0:
            super().write(text[:room])
        return len(text)

    def close(self) -> None:
        """Nothing: what was printed before `sys.stdout.close()` is still wanted."""
