"""A real kernel in which cells run one after the other, for tests of what happens in a notebook."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client.manager import KernelManager

SECONDS = 60


class Kernel:
    """Runs cells in a kernel of its own."""

    def __init__(self, client: Any, manager: KernelManager) -> None:
        self.client = client
        self.manager = manager

    def run(self, code: str) -> str:
        """Run a cell and give all it showed: printed text, text/plain of results, names of errors."""
        request = self.client.execute(code)
        shown: list[str] = []
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=SECONDS)
            except Empty:
                raise TimeoutError(f"the cell did not end within {SECONDS} s: {code[:80]}") from None
            if message["parent_header"].get("msg_id") == request:
                if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                    return "\n".join(shown)
                shown += _texts(message["msg_type"], message["content"])


def _texts(kind: str, content: dict[str, Any]) -> list[str]:
    if kind == "stream":
        return [f"[stderr] {content['text']}" if content["name"] == "stderr" else content["text"]]
    if kind in ("execute_result", "display_data"):
        return [content["data"].get("text/plain", "")]
    if kind == "error":
        return [f"[error] {content['ename']}: {content['evalue']}"]
    return []


@contextmanager
def kernel(library: Path, folder: Path, **environment: str) -> Iterator[Kernel]:
    """A fresh kernel whose learner's library is `library` and whose working directory is `folder`."""
    env = {**os.environ, "MY_TRANSFORMER_HOME": str(library), **environment}
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(env=env, cwd=str(folder))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=SECONDS)
        yield Kernel(client, manager)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
