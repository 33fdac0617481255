"""The warm process inside the sandbox: `python -m autograder.sandbox.inside.warm CONTROL`.

It imports what notebooks need, once, and forks a keeper for every submission. It never runs student code.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import socket
import sys
from typing import Any

import torch

# Before anything is computed: a child of a process that has computed with two threads hangs.
torch.set_num_threads(1)

from autograder import registry  # noqa: E402
from autograder.probing import records  # noqa: E402
from autograder.probing.draws import Draw  # noqa: E402
from autograder.probing.exercise import Probe  # noqa: E402
from autograder.probing.run import captured, run_probe  # noqa: E402
from autograder.sandbox.inside import (  # noqa: E402
    channel,
    closing,
    keeper,
    keyring,
    limits,
    namespaces,
    runner,
    shell,
    system_calls,
)

WARMING_CELL = (
    "%matplotlib inline\nimport torch\nfrom torch import nn\nnn.LayerNorm(4)(torch.randn(2, 4)).sum().backward()\n"
)


def main(control: socket.socket) -> None:
    """Serve until the control line is closed."""
    settings = channel.receive(control)
    unfiltered = system_calls.lacking() if settings["walls"] else "there are no walls"
    settings["filter"] = not unfiltered
    if settings["walls"]:
        keyring.leave()
    _warm_up(settings["modules"])
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers need no burial
    failed = _import_all(settings["modules"])
    settings["mapped"] = limits.mapped()
    channel.send(control, {"ready": True, "failed": failed, "unfiltered": unfiltered})
    while True:
        request, fds, _, _ = socket.recv_fds(control, 16, 1)
        if not request:
            return
        with socket.socket(fileno=fds[0]) as orders:
            if os.fork() == 0:
                control.close()
                _submission(orders, settings)


def _warm_up(modules: list[str]) -> None:
    """Have done once what costs a second the first time."""
    import matplotlib.pyplot  # noqa: F401

    registry.all_exercises()
    for lesson in registry.lessons():
        registry.stand_in_module(lesson)
    for float64 in (False, True):
        with captured():
            run = run_probe(Probe("warming", "", _gradient, float64=float64), torch.nn.LayerNorm, 0, ["softmax"])
        channel.encode(records.plain(run))
    for exercise in registry.all_exercises():
        for name in closing.closable(exercise):
            closing.operators(name)
    _import_all(modules)
    shell.start()
    shell.run_cell(WARMING_CELL)
    shell.start()
    gc.collect()
    gc.freeze()  # a collection in a copy would visit all of this, and so make it copy all of this


def _gradient(make: Any, draw: Draw) -> Any:
    """Uses what probes use, so that no submission is the first to do so."""
    layer, x = draw.module(make, 4), draw.tensor("x", 2, 4, requires_grad=True)
    return draw.gradients(layer(x), x=x)


def _import_all(modules: list[str]) -> list[str]:
    """Import modules; gives those that cannot be."""
    failed = []
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:
            failed.append(f"{name}: {error}"[:300])
    return failed


def _submission(orders: socket.socket, settings: dict[str, Any]) -> None:
    """Wall off a submission, and keep it until it is done with. Does not return."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if settings["walls"]:
            namespaces.die_with_parent()
            with contextlib.suppress(OSError):  # too many at once: what the warm process has is empty too
                keyring.leave()
            namespaces.set_apart(settings["covered"], settings["limits"]["disk"])
            child = namespaces.in_a_child(lambda: _kept(orders, settings))
            orders.close()
            os.waitpid(child, 0)
        else:
            os.setsid()
            _kept(orders, settings)
            os.killpg(0, signal.SIGKILL)
    finally:
        os._exit(0)


def _kept(orders: socket.socket, settings: dict[str, Any]) -> None:
    _close_all_but(orders.fileno())
    processes = os.open("/proc", os.O_PATH) if settings["walls"] else None
    _hold(settings)
    _go_home()
    ours, theirs = socket.socketpair()
    first = os.fork()
    if first == 0:
        ours.close()
        orders.close()
        if processes is not None:
            namespaces.die_first(processes)
            os.close(processes)
        with contextlib.suppress(OSError, channel.Closed):
            runner.serve(theirs)
        os._exit(0)
    theirs.close()
    if processes is not None:
        os.close(processes)
    keeper.Keeper(orders, keeper.Runner(ours, first)).keep()


def _hold(settings: dict[str, Any]) -> None:
    """Hold this process, and all that it starts, to what a submission may do."""
    if settings["walls"]:
        namespaces.die_with_parent()
        namespaces.hide_processes()
    limits.apply(limits.Limits.of(settings["limits"]), settings["mapped"])
    if settings["walls"]:
        namespaces.give_up_privileges()
    if settings["filter"]:
        system_calls.load()


def _close_all_but(kept: int) -> None:
    """Leave no file open that the warm process has: all submissions would share it, and could write to each other."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))


def _go_home() -> None:
    """An empty folder of its own to work in."""
    home = os.environ["HOME"]
    work = os.path.join(home, "work")
    os.makedirs(work, exist_ok=True)
    os.chdir(work)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
