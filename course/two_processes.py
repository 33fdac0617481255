"""Two processes that share a batch, with gloo.

They are started by `python -m torch.distributed.run --standalone --nproc_per_node=2 -m course.two_processes`.

Each process computes the gradient of its own shard; `all_reduce` adds them up. Process 0 compares with the gradient of
the whole batch, and leaves what each of them had found in a file, for a notebook to look at.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import FrameType

import torch
import torch.distributed as dist
from torch import Tensor, nn

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 90
WAIT = timedelta(seconds=20)
"""How long a process waits for the other before it says that the other is gone."""


def model_and_batch(examples: int) -> tuple[nn.Module, Tensor, Tensor]:
    """The same in every process: one seed."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 4)).double()
    return model, torch.randn(examples, 16).double(), torch.randn(examples, 4).double()


def gradients(model: nn.Module, x: Tensor, y: Tensor) -> list[Tensor]:
    """The gradient of the mean loss over these examples."""
    model.zero_grad()
    (model(x) - y).square().mean().backward()
    return [one.grad.clone() for one in model.parameters() if one.grad is not None]


def distance(one: Sequence[Tensor], other: Sequence[Tensor]) -> float:
    """The largest difference, as a share of the largest number."""
    largest = max(float(tensor.abs().max()) for tensor in other)
    return max(float((a - b).abs().max()) for a, b in zip(one, other, strict=True)) / largest


def work(shards: Sequence[int], found: Path | None, dies: bool) -> None:
    """What one process does.

    Args:
        shards: how many examples each process has.
        found: where process 0 leaves the gradients of all.
        dies: whether process 1 ends without a word before they meet.
    """
    rank, count = dist.get_rank(), dist.get_world_size()
    model, x, y = model_and_batch(sum(shards))
    begin = sum(shards[:rank])
    mine = gradients(model, x[begin : begin + shards[rank]], y[begin : begin + shards[rank]])
    if dies and rank == 1:
        os._exit(0)
    plain, weighted = [one.clone() for one in mine], [one * shards[rank] for one in mine]
    for one in (*plain, *weighted):
        dist.all_reduce(one)
    if rank:
        if found:
            for one in mine:
                dist.send(one, 0)
        return
    whole = gradients(model, x, y)
    print(f"{count} processes, shards of {' and '.join(map(str, shards))} examples; apart from one process by")
    print(f"  {distance([one / count for one in plain], whole):.1e} with a mean of the two means")
    print(f"  {distance([one / sum(shards) for one in weighted], whole):.1e} weighted by the sizes of the shards")
    if found:
        others = []
        for one in mine:
            others.append(torch.empty_like(one))
            dist.recv(others[-1], 1)
        torch.save({"per_rank": [mine, others], "sizes": list(shards), "whole": whole}, found)


def _gone(_: int, __: FrameType | None) -> None:
    print(f"process {os.environ.get('RANK')}: stopped, as another process has died", flush=True)
    os._exit(1)


def _sizes(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as one of the processes that torch.distributed.run starts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--shards", type=_sizes, nargs="+", default=[[16, 16]], help="examples of each process: 20,12")
    parser.add_argument("--found", type=Path)
    parser.add_argument("--dies", action="store_true")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _gone)
    torch.set_num_threads(1)
    try:
        dist.init_process_group("gloo", timeout=WAIT)  # on a busy machine the other may be gone as early as here
        for shards in given.shards:
            work(shards, given.found, given.dies)
    except RuntimeError as error:
        said = str(error).splitlines()[0].rpartition("] ")[2][:60]
        print(f"process {os.environ.get('RANK')}: the other process is gone ({said})", flush=True)
        os._exit(1)  # not by the group's own goodbye, which would wait for the other
    dist.destroy_process_group()
    return 0


def start(*arguments: str, seconds: float = SECONDS) -> str:
    """Start two processes and wait for them.

    Returns:
        What they said; one line that says why, where they cannot run here.
    """
    if not dist.is_available() or not dist.is_gloo_available():
        return "This torch has no gloo, so there are no two processes here. The rest of the page does without."
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    child = subprocess.Popen(
        [*command, "-m", "course.two_processes", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    try:
        said, trouble = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        child.terminate()
        with suppress(subprocess.TimeoutExpired):
            child.communicate(timeout=10)
        child.kill()
        return f"The two processes had not ended after {seconds:.0f} seconds, and were stopped."
    if said.strip():
        return said.strip()
    last = [line for line in trouble.splitlines() if re.search(r"\w", line)]
    return f"Two processes cannot run here: {last[-1][:200] if last else 'they said nothing'}."


if __name__ == "__main__":
    sys.exit(main())
