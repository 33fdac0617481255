"""What one submission could leave for the next where both see it: nothing that they may change is anybody else's."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.sandbox.rooms import Room, needs_walls
from tests.sandbox.test_hostile import got, run

pytestmark = needs_walls

PORTS = (29_011, 29_013, 29_017)
LEAVES_PORTS = f"""\
import socket
for port in {PORTS}:
    server = socket.create_server(("127.0.0.1", port))
    client = socket.create_connection(("127.0.0.1", port))
    here, _ = server.accept()
    here.close()  # whoever closes first keeps the port waiting for a minute
    client.recv(1)
    client.close()
    server.close()
"""
FINDS_PORTS = f"""\
import socket
waiting = []
for port in range(29_000, 29_030):
    with socket.socket() as one:
        try: one.bind(("127.0.0.1", port))
        except OSError: waiting.append(port)
print("GOT" if tuple(waiting) == {PORTS} else "")
"""


def test_ports_that_wait_tell_the_next_submission_nothing(room: Room) -> None:
    """A kernel keeps a port for a minute after whoever used it has ended: 28,000 bits that can be read."""
    for code in (LEAVES_PORTS, FINDS_PORTS):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "GOT" in done.stdout, "the attack does not even work in plain processes"
    first = run(room.box, LEAVES_PORTS, FINDS_PORTS)
    assert first[0].value["error"] == ""
    assert got(first[1]), "what one's own processes say to each other stays possible"
    assert not got(run(room.box, FINDS_PORTS)[0])


TOUCHES = """\
import os
for folder, _, names in os.walk("/dev"):
    for name in names:
        try: os.utime(os.path.join(folder, name))
        except OSError: continue
        print("GOT", name)
"""


def test_devices_keep_their_times(room: Room) -> None:
    """They are the machine's own: what is set there stays, for everybody to see."""
    before = os.stat("/dev/full").st_mtime_ns
    subprocess.run([sys.executable, "-c", "import os; os.utime('/dev/full')"], check=True)
    assert os.stat("/dev/full").st_mtime_ns > before, "the attack does not even work in a plain process"
    assert not got(run(room.box, TOUCHES)[0])


READS = """\
sizes = {name: len(open(f"/dev/{name}", "rb").read(3)) for name in ("null", "zero", "full", "random", "urandom")}
open("/dev/null", "w").write("x")
print("GOT" if list(sizes.values()) == [0, 3, 3, 3, 3] else sizes)
"""


def test_devices_can_be_read_and_written(room: Room) -> None:
    assert got(run(room.box, READS)[0])
