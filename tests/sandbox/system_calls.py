"""System calls that hostile code makes: each prints GOT when it has what it wanted."""

# ruff: noqa: E501

from __future__ import annotations

CALL = """\
import ctypes, os, resource, socket, struct
from autograder.sandbox.inside import system_calls
libc = ctypes.CDLL(None, use_errno=True)
here = list(system_calls.MACHINES).index(os.uname().machine)
numbers = {**system_calls.REFUSED, **{name: known for name, (known, _) in system_calls.ON_ITSELF_ONLY.items()}, 'clone': system_calls.CLONE, 'clone3': system_calls.CLONE3}
def call(name, *arguments):
    arguments = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return libc.syscall(ctypes.c_long(numbers[name][here]), *arguments)
def children(result):
    if result == 0: os._exit(0)
    return result
space = ctypes.create_string_buffer(4096)
"""


def with_call(attack: str) -> str:
    """A cell in which `got = ...` decides."""
    return f"{CALL}{attack}\nprint('GOT' if got else '')"


REACHING: dict[str, str] = {
    # Another interface of the kernel's
    "a ring of calls": "got = call('io_uring_setup', 8, space) >= 0",
    "calls that are done later": "got = call('io_setup', 8, ctypes.byref(ctypes.c_long(0))) == 0",
    "faults of memory": "got = call('userfaultfd', 1) >= 0",
    "memory that is in no table": "got = call('memfd_secret', 0) >= 0",
    "memory that nobody counts": "got = call('memfd_create', b'x', 0) >= 0",
    "shared memory that stays": "got = call('shmget', 0, 2**20, 0o1600) >= 0",
    "semaphores that stay": "got = call('semget', 0, 100, 0o1600) >= 0",
    "messages that stay": "got = call('msgget', 0, 0o1600) >= 0",
    "memory that a pipe keeps": "ends = os.pipe()\ngot = call('vmsplice', ends[1], struct.pack('PN', ctypes.addressof(space), 4096), 1, 0) > 0",
    "what is mounted": "got = call('listmount', struct.pack('IIQQQ', 32, 0, 2**64 - 1, 0, 0), space, 10, 0) > 0",
    "a handle of a file": "got = call('name_to_handle_at', -100, b'/usr', struct.pack('Ii', 0, 0) + bytes(64), space, 0) == 0 or ctypes.get_errno() == 75",
    "another personality": "got = call('personality', 0x40000) >= 0",
    # Namespaces
    "a namespace of users": "got = call('unshare', 0x10000000) == 0",
    "another root": "got = call('unshare', 0x10000000) == 0 and call('chroot', b'/usr') == 0",
    "a mount": "got = call('unshare', 0x10020000) == 0 and call('mount', b'x', b'/scratch', b'tmpfs', 0, 0) == 0",
    "a process in another namespace": "got = children(call('clone', 0x10000011, 0, 0, 0, 0)) > 0",
    "a process in another namespace, by the newer call": "got = children(call('clone3', struct.pack('QQQQQQQQ', 0x10000000, 0, 0, 0, 17, 0, 0, 0), 64)) > 0",
    # Keys
    "a key": "got = call('add_key', b'user', b'mine', b'x', 1, -2) > 0",
    "a key that is asked for": "got = call('request_key', b'user', b'none', 0, 0) < 0 and ctypes.get_errno() == 126",
    "the keyring": "got = call('keyctl', 0, -3, 1) > 0",
    # Processes
    "to be traced": "if os.fork() == 0: os._exit(call('ptrace', 0, 0, 0, 0) != 0)\ngot = os.wait()[1] == 0",
    "memory of a process": "place = struct.pack('PN', ctypes.addressof(space), 8)\ngot = call('process_vm_readv', os.getpid(), place, 1, place, 1, 0) == 8",
    "what processes share": "got = call('kcmp', os.getpid(), os.getpid(), 1, 0, 0) == 0",
    "a file of a process": "got = call('pidfd_getfd', os.pidfd_open(os.getpid()), 0, 0) >= 0",
    "a limit of the keeper": "got = call('prlimit64', 1, 7, 0, space) == 0",
    "a limit of the keeper, by Python": "got = bool(resource.prlimit(1, resource.RLIMIT_NOFILE))",
    "the keeper's turn": "got = call('sched_setscheduler', 1, 5, struct.pack('i', 0)) == 0",
    "the keeper's turn, by the newer call": "got = call('sched_setattr', 1, struct.pack('IIQiIQQQ', 48, 5, 0, 0, 0, 0, 0, 0), 0) == 0",
    "the keeper's processors": "got = call('sched_setaffinity', 1, 8, struct.pack('Q', 1)) == 0",
    "the keeper's niceness": "got = call('setpriority', 0, 1, 19) == 0",
    "everybody's niceness": "got = call('setpriority', 2, 0, 19) == 0",
    "the keeper's turn at the disk": "got = call('ioprio_set', 1, 1, 3 << 13) == 0",
    # Sockets
    "a socket to the machine's host": "got = bool(socket.socket(40, socket.SOCK_STREAM))",
    "a socket to the kernel": "got = bool(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))",
    "a socket for ciphers": "got = bool(socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET))",
}
"""What works behind the walls of namespaces alone. Some systems refuse some of it to everybody."""

OLD_ENTRY = """\
import ctypes, mmap, os
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes.fromhex('b814000000cd80c3'))  # eax = 20 (getpid of i386); int 0x80; ret
function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
print('GOT' if function() == os.getpid() else '')
"""
"""The entry for programs of 32 bits, where calls have other numbers."""

NEEDED: dict[str, str] = {
    "a program": "import subprocess\nassert subprocess.run(['echo', 'x'], capture_output=True, text=True).stdout == 'x\\n'",
    "a shell": "import os\nassert os.system('true') == 0",
    "a thread": "import threading\none = threading.Thread(target=print)\none.start()\none.join()",
    "processes": "import multiprocessing\nwith multiprocessing.get_context('fork').Pool(2) as pool: assert pool.map(abs, [-1, -2]) == [1, 2]",
    "shared memory": "from multiprocessing import shared_memory\none = shared_memory.SharedMemory(create=True, size=100)\none.close()\none.unlink()",
    "a loader with workers": "import torch\nfrom torch.utils.data import DataLoader\nassert len(list(DataLoader(torch.arange(8.0), batch_size=2, num_workers=2, multiprocessing_context='fork'))) == 4",
    "a product": "import torch\nassert (torch.ones(300, 300) @ torch.ones(300, 300)).sum() == 300**3",
    "a gradient": "import torch\nx = torch.ones(3, requires_grad=True)\ntorch.nn.Linear(3, 3)(x).sum().backward()\nassert x.grad is not None",
    "a script": "import torch\nassert torch.jit.trace(torch.sin, torch.ones(2))(torch.zeros(2)).sum() == 0",
    "a picture": "import io, matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig(io.BytesIO())",
    "a loop of events": "import asyncio\nasync def main():\n    done = await asyncio.create_subprocess_exec('true')\n    assert await done.wait() == 0\nprint(asyncio.new_event_loop())\nimport threading\none = threading.Thread(target=lambda: asyncio.run(main()))\none.start()\none.join()",
    "a limit of its own": "import resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\nassert resource.getrlimit(resource.RLIMIT_NOFILE)",
    "to be nice": "import os\nos.nice(1)\nos.sched_setaffinity(0, os.sched_getaffinity(0))",
    "a socket to itself": "import socket\na, b = socket.socketpair()\na.send(b'x')\nassert b.recv(1) == b'x'\nsocket.create_server(('127.0.0.1', 0)).close()",
    "files": "import tempfile, pathlib\nwith tempfile.TemporaryDirectory() as folder: pathlib.Path(folder, 'x').write_text('x')",
    "magic": "%timeit -n 1 -r 1 sum(range(10))\n!echo x",
}
"""What notebooks do."""
