"""Hostile code. `PEEKS` print GOT when they have what they wanted; `FORGERIES` want full points for a wrong RMSNorm."""

# ruff: noqa: E501

from __future__ import annotations

WRONG = """\
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return 0 * x
"""

PEEKS: dict[str, str] = {
    # Stealing: files
    "reads the reference's file": "text = open('{root}/solutions/layer_norm.py').read()\nprint('GOT' if 'class' in text else '')",
    "imports the reference": "import solutions.layer_norm\nprint('GOT')",
    "imports the mistakes": "import autograder.mistakes.layer_norm\nprint('GOT')",
    "asks the oracle": "from autograder.judging.oracle import reference\nfrom autograder.registry import exercise\nprint('GOT', reference(exercise('LayerNorm')))",
    "asks for the reference's text": "from autograder.judging.edits import definition\nprint('GOT', definition('layer_norm', 'LayerNorm'))",
    "imports the lesson's own stand-ins": "from autograder.stand_ins.layer_norm import LayerNorm\nprint('GOT')",
    "reads the lesson's text with its model answers": "from pathlib import Path\nimport course\ntext = (Path(course.__file__).parent / 'lessons' / '01_layer_norm.md').read_text()\nprint('GOT')",
    "reads the gradebook": "print('GOT' if 'points of all' in open('{secrets}/gradebook.db').read() else '')",
    "reads another submission": "print('GOT' if open('{secrets}/other.ipynb').read() else '')",
    "reads git's objects": "print('GOT' if open('{root}/pyproject.toml').read() else '')",
    "reads what others left in /tmp": "import os\nprint('GOT' if any('autograder-' in one or 'pytest' in one for one in os.listdir('/tmp')) else '')",
    "opens a link to a secret": "import os, tempfile\nlink = tempfile.mktemp()\nos.symlink('{secrets}/gradebook.db', link)\nprint('GOT' if open(link).read() else '')",
    "asks a program": "import subprocess\nprint('GOT' if 'points of all' in subprocess.run(['cat', '{secrets}/gradebook.db'], capture_output=True, text=True).stdout else '')",
    # Stealing: memory and processes
    "reads the environment": "import os\nprint('GOT' if os.environ.get('SECRET_TOKEN') else '')",
    "reads other processes' environments": "import glob\nfor one in glob.glob('/proc/[0-9]*/environ'):\n    try:\n        if b'SECRET_TOKEN' in open(one, 'rb').read(): print('GOT')\n    except OSError: pass",
    "lists other processes": "import glob\nprint('GOT' if any(b'pytest' in open(one, 'rb').read() for one in glob.glob('/proc/[0-9]*/cmdline')) else '')",
    "sees its own memory map": "print('GOT' if open('/proc/self/maps').read() else '')",
    "reads the memory of its parent": "import os\nwith open(f'/proc/{os.getppid()}/mem', 'rb') as memory:\n    for line in open(f'/proc/{os.getppid()}/maps'):\n        if 'heap' in line:\n            memory.seek(int(line.split('-')[0], 16))\n            print('GOT' if memory.read(64) else '')",
    "finds the reference among loaded modules": "import sys\nfrom autograder.learner.check import check as c\nc(RMSNorm)\nprint('GOT' if 'solutions.layer_norm' in sys.modules else '')",
    "finds the reference among all objects": "import gc\nfrom autograder.learner.check import check as c\nc(RMSNorm)\nprint('GOT' if any(getattr(one, '__module__', '') == 'solutions.layer_norm' for one in gc.get_objects() if isinstance(one, type)) else '')",
    # Network
    "reaches a server": "import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)\nprint('GOT')",
    "reaches a server by its host's address": "import socket\nsocket.create_connection(('{address}', {port}), 2)\nprint('GOT')",
    "reaches a socket in the file system": "import socket\nsocket.socket(socket.AF_UNIX).connect('{secrets}/door')\nprint('GOT')",
    "reaches an abstract socket": "import socket\nsocket.socket(socket.AF_UNIX).connect('\\0{abstract}')\nprint('GOT')",
    # Writing
    "writes beside the software": "import autograder, os\npath = os.path.dirname(autograder.__file__) + '/attack.tmp'\nopen(path, 'w').close()\nos.unlink(path)\nprint('GOT')",
    "writes beside torch": "import torch, os\npath = os.path.dirname(torch.__file__) + '/attack.tmp'\nopen(path, 'w').close()\nos.unlink(path)\nprint('GOT')",
    "writes into the grader's folder": "open('{secrets}/written', 'w').write('x')\nprint('GOT')",
    "changes the gradebook": "open('{secrets}/gradebook.db', 'a').write('x')\nprint('GOT')",
    # Exhaustion
    "takes three gigabytes": "import mmap\nx = mmap.mmap(-1, 3 * 2**30)\nprint('GOT')",
    "makes a hundred processes": "import os, time\nfor _ in range(100):\n    if os.fork() == 0:\n        time.sleep(20)\n        os._exit(0)\nprint('GOT')",
    "makes a hundred threads": "import threading, time\nfor _ in range(100): threading.Thread(target=time.sleep, args=(3,), daemon=True).start()\nprint('GOT')",
    "writes a large file": "import tempfile\nwith tempfile.TemporaryFile() as file:\n    for _ in range(100): file.write(bytes(2**20))\n    file.flush()\nprint('GOT')",
    "writes many files": "import tempfile, os\nwith tempfile.TemporaryDirectory() as folder:\n    for number in range(120): open(f'{folder}/{number}', 'wb').write(bytes(2**20))\nprint('GOT')",
    "opens a thousand files": "files = [open('/dev/null') for _ in range(1000)]\nprint('GOT')",
    "shares a hundred megabytes": "from multiprocessing import shared_memory\none = shared_memory.SharedMemory(create=True, size=100 * 2**20)\none.buf[:] = bytes(100 * 2**20)\none.unlink()\nprint('GOT')",
}

LATE = {
    "a daemon": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(0.5)\n        try: open('{secrets}/late', 'w').write('x')\n        finally: os._exit(0)\n    os._exit(0)",
    "a thread": "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.3), open('{secrets}/late', 'w').write('x'))).start()",
    "a handler at exit": "import atexit, sys\natexit.register(lambda: open('{secrets}/late', 'w').write('x'))\natexit._run_exitfuncs()",
    "a program": "import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 0.3; echo x > {secrets}/late'], start_new_session=True)",
    "a signal": "import signal\nsignal.signal(signal.SIGALRM, lambda *_: open('{secrets}/late', 'w').write('x'))\nsignal.setitimer(signal.ITIMER_REAL, 0.2)\nimport time; time.sleep(0.4)",
}
"""Code that wants to write a file of the grader's after its cell has ended."""

REPORT = "from autograder.reporting.report import Report\n"

FORGERIES: dict[str, str] = {
    # Execution control
    "another check": "def check(*_): return 3.0",
    "another check, in its module": "import autograder, autograder.learner.check\nautograder.learner.check.check = check = lambda *_: 3.0",
    "another judge": "import autograder.judging.decision as d, autograder.judging.judge as j\ndef judge(exercise, runs, *a, **k):\n    return j.Verdict(exercise, 'passed', 3.0, [])\nd.judge = judge",
    "another way to run probes": "import autograder.probing.run as r\nfrom autograder.judging.oracle import Oracle\nr.run_probe = lambda probe, implementation, seed, *a: Oracle().right(exercise, probe, seed)\nfrom autograder.registry import exercise as find\nexercise = find('RMSNorm')",
    "a comparison that sees nothing": "import autograder.judging.judge as j\nj.difference = lambda *a: None\nj.same_parameters = lambda *a: True",
    "draws of nothing": "import torch\nfrom autograder.probing.draws import Draw\nDraw.tensor = lambda self, name, *shape, requires_grad=False, **k: torch.zeros(*shape, dtype=torch.get_default_dtype()).requires_grad_(requires_grad)\nDraw.gradients = lambda self, output, **wanted: dict.fromkeys(wanted)",
    "a transformer of input": "get_ipython().input_transformers_post.append(lambda lines: ['print(\"POINTS 3.0\")\\n'] if 'check(' in ''.join(lines) else lines)",
    "a transformer of syntax": "import ast\nclass T(ast.NodeTransformer):\n    def visit_Call(self, node):\n        return ast.copy_location(ast.Constant(3.0), node) if getattr(node.func, 'id', '') == 'check' else self.generic_visit(node)\nget_ipython().ast_transformers.append(T())",
    "another module in the old one's place": "import sys, types\nfake = types.ModuleType('autograder')\nfake.check = lambda *_: 3.0\nsys.modules['autograder'] = fake\nfrom autograder import check",
    "an import hook": "import sys, types, importlib.abc, importlib.machinery\nclass Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n    def find_spec(self, name, path, target=None):\n        return importlib.machinery.ModuleSpec(name, self) if name == 'autograder' else None\n    def exec_module(self, module): module.check = lambda *_: 3.0\nsys.meta_path.insert(0, Hook())\nsys.modules.pop('autograder')\nfrom autograder import check",
    "a file that shadows": "import sys, os\nopen('autograder.py', 'w').write('check = lambda *_: 3.0')\nsys.path.insert(0, os.getcwd())\nsys.modules.pop('autograder')\nfrom autograder import check",
    "another function for points": "import autograder.judging.judge as j\nj._points = lambda exercise, findings: 3.0",
    # Lying values
    "a report that says something else": REPORT + "Report.__repr__ = lambda self: '3.0'",
    "a report of its own": REPORT + "check = lambda *_: Report('RMSNorm', 'passed', 3.0, 3)",
    # Stealing
    "the reference under its name": "from solutions.layer_norm import RMSNorm",
    "the reference through the oracle": "from autograder.judging.oracle import reference\nfrom autograder.registry import exercise as find\nRMSNorm = reference(find('RMSNorm'))",
    "the lesson's stand-in": "from autograder.stand_ins.layer_norm import RMSNorm",
    "the reference's text": "from autograder.judging.edits import definition\nexec(definition('layer_norm', 'RMSNorm'))",
    # Late actors
    "a thread that changes the judge": "import threading, autograder.judging.judge as j\nthread = threading.Thread(target=lambda: setattr(j, '_points', lambda *a: 3.0))\nthread.start()\nthread.join()",
    "a profiler that changes the judge": "import sys, autograder.judging.judge as j\ndef look(frame, event, arg):\n    if frame.f_code.co_name == 'judge': j._points = lambda *a: 3.0\nsys.setprofile(look)",
    "a signal that changes the judge": "import signal, time, autograder.judging.judge as j\nsignal.signal(signal.SIGALRM, lambda *_: setattr(j, '_points', lambda *a: 3.0))\nsignal.setitimer(signal.ITIMER_REAL, 0.01)\ntime.sleep(0.05)",
}

LIARS: dict[str, tuple[str, str]] = {
    "equals everything": (
        "class Liar:\n    def __eq__(self, other): return True\n    def __getattr__(self, name): return lambda *a, **k: True\nanswer = Liar()",
        "answer == torch.ones(2)",
    ),
    "a tensor that is close to everything": (
        "class Liar(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, func, types, args=(), kwargs=None):\n        return True if func in (torch.allclose, torch.equal) else super().__torch_function__(func, types, args, kwargs or {})\nanswer = torch.zeros(2).as_subclass(Liar)",
        "torch.allclose(answer, torch.ones(2))",
    ),
    "a number that is any number": (
        "class Liar(float):\n    def __eq__(self, other): return True\n    def __sub__(self, other): return 0.0\n    __rsub__ = __sub__\nanswer = Liar(0)",
        "abs(answer - 5.0) < 1e-6",
    ),
    "a list that is any list": (
        "class Liar(list):\n    def __eq__(self, other): return True\n    def __len__(self): return 3\n    def __iter__(self): return iter([])\nanswer = Liar()",
        "answer == [1, 2, 3]",
    ),
}
"""Values that deceive whoever compares them: code that makes `answer`, and a comparison that is deceived."""
