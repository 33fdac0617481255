"""A real kernel in which cells run one after the other, for tests of what happens in a notebook."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client.manager import KernelManager

from autograder.learner import waiting

SECONDS = 60


class Kernel:
    """Runs cells in a kernel of its own."""

    def __init__(self, client: Any, manager: KernelManager) -> None:
        self.client = client
        self.manager = manager

    def run(self, code: str) -> str:
        """Run a cell and give all it showed: printed text, text/plain of results, names of errors."""
        request = self.client.execute(code)
        shown: list[tuple[str, str]] = []
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=SECONDS)
            except Empty:
                raise TimeoutError(f"the cell did not end within {SECONDS} s: {code[:80]}") from None
            if message["parent_header"].get("msg_id") == request:
                if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                    return "\n".join(text for _, text in shown)
                _add(shown, message["msg_type"], message["content"])


def _add(shown: list[tuple[str, str]], kind: str, content: dict[str, Any]) -> None:
    """What a message shows, and from where; one line that is printed may come in several."""
    if kind == "stream":
        before = shown.pop()[1] if shown and shown[-1][0] == content["name"] else ""
        mark = "[stderr] " if content["name"] == "stderr" and not before else ""
        shown.append((content["name"], before + mark + content["text"]))
    elif kind in ("execute_result", "display_data"):
        text = content["data"].get("text/plain", "")
        if text != waiting.WORDS:  # whether it is shown depends on how busy the machine is
            shown.append((kind, text))
    elif kind == "error":
        shown.append((kind, f"[error] {content['ename']}: {content['evalue']}"))


@contextmanager
def kernel(library: Path, folder: Path, **environment: str) -> Iterator[Kernel]:
    """A fresh kernel whose learner's library is `library` and whose working directory is `folder`."""
    with started(folder, {**os.environ, "MY_TRANSFORMER_HOME": str(library), **environment}) as manager:
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=SECONDS)
            yield Kernel(client, manager)
        finally:
            client.stop_channels()


@contextmanager
def started(folder: Path, environment: Mapping[str, str]) -> Iterator[KernelManager]:
    """A kernel in a folder, with this environment and nothing else."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(env=dict(environment), cwd=str(folder))
    try:
        yield manager
    finally:
        manager.shutdown_kernel(now=True)
