"""`autograder doctor` says what is there, and what to do about what is not."""

import io
import json
import os
import subprocess
import sys
from importlib import metadata

import pytest

from autograder.setup import doctor, free_memory


def make_absent(monkeypatch, package):
    """Let `package` look as if it were not installed."""
    real = metadata.version

    def version(name):
        if name == package:
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(metadata, "version", version)


# --- the report -----------------------------------------------------------------------------


def test_all_is_well_where_the_tests_run(capfd):
    code = doctor.main()
    out, err = capfd.readouterr()
    lines = out.splitlines()
    assert len(lines) == len(doctor.CHECKS)
    assert [line for line in lines if not line.startswith("[ok] ")] == []
    assert (code, err) == (0, "")


def test_one_problem_gives_a_line_a_remedy_and_exit_code_1(monkeypatch, capsys):
    found = doctor.Diagnosis(False, "no heap of sand", "get some")
    monkeypatch.setattr(doctor, "CHECKS", (doctor.python_version, lambda: found))
    assert doctor.main() == 1
    assert capsys.readouterr().out.splitlines()[1] == "[!!] no heap of sand → get some"


def test_a_check_that_raises_becomes_a_finding(monkeypatch):
    def strange_thing():
        print("a warning", file=sys.stderr)
        raise RuntimeError("out of order")

    monkeypatch.setattr(doctor, "CHECKS", (strange_thing, doctor.python_version))
    first, second = doctor.diagnoses()
    assert str(first).startswith("[!!] strange thing: RuntimeError: out of order → ")
    assert second.ok


def test_a_windows_console_without_arrows_can_show_it(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="cp1252"))
    monkeypatch.setattr(doctor, "CHECKS", (lambda: doctor.Diagnosis(False, "Ł × 2", "read"),))
    doctor.main()
    sys.stdout.flush()
    assert raw.getvalue().decode("cp1252").splitlines() == ["[!!] ? x 2 -> read"]


# --- Python and packages --------------------------------------------------------------------


def test_an_old_python_is_named(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    assert not doctor.python_version().ok


def test_a_32_bit_python_is_named(monkeypatch):
    monkeypatch.setattr(sys, "maxsize", 2**31 - 1)
    assert "64-bit" in doctor.operating_system().remedy


@pytest.mark.parametrize(
    ("check", "package"),
    [
        (doctor.course, "transformer-course"),
        (doctor.torch_works, "torch"),
        (doctor.jupyterlab, "ipykernel"),
        (doctor.nbgrader, "nbgrader"),
        (doctor.widgets, "anywidget"),
    ],
)
def test_a_missing_package_is_named(check, package, monkeypatch):
    make_absent(monkeypatch, package)
    finding = check()
    assert not finding.ok
    assert f"{package} is not installed" in finding.says
    assert "autograder/install.py" in finding.remedy


def test_another_version_is_named_with_the_tested_one(monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: "0.0.1")
    tested = next(r for r in metadata.requires("transformer-course") if r.startswith("nbgrader=="))
    expected = f"nbgrader is 0.0.1, the course was tested with {tested.partition('==')[2]}"
    assert expected in doctor.nbgrader().says


def test_a_torch_that_cannot_be_imported_is_said_and_the_rest_goes_on():
    code = "import sys; sys.modules['torch'] = None\nfrom autograder import doctor\nsys.exit(doctor.main())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    marks = [line[:4] for line in run.stdout.splitlines()]
    assert (run.returncode, run.stderr) == (1, "")
    assert (len(marks), marks.count("[!!]")) == (len(doctor.CHECKS), 1)
    assert "[!!] torch works: ModuleNotFoundError" in run.stdout


def test_a_torch_that_multiplies_wrongly_is_named(monkeypatch):
    import torch

    monkeypatch.setattr(torch, "ones", torch.zeros)
    assert "comes out wrong" in doctor.torch_works().says


# --- extensions -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", doctor.SERVER_EXTENSIONS)
def test_a_disabled_server_extension_is_named(name, tmp_path, monkeypatch):
    config = {"ServerApp": {"jpserver_extensions": {name: False}}}
    (tmp_path / "jupyter_server_config.json").write_text(json.dumps(config))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path))
    finding = doctor.nbgrader()
    assert finding.says == f"nbgrader: {name} not enabled"
    assert finding.remedy.endswith(f"jupyter server extension enable {name}")


@pytest.mark.parametrize(
    ("check", "name"),
    [(doctor.nbgrader, "@jupyter/nbgrader"), (doctor.widgets, "anywidget")],
)
@pytest.mark.parametrize("shape", [lambda name: {name: True}, lambda name: [name]])
def test_a_disabled_lab_extension_is_named(check, name, shape, tmp_path, monkeypatch):
    (tmp_path / "labconfig").mkdir()
    file = tmp_path / "labconfig/page_config.json"
    file.write_text(json.dumps({"disabledExtensions": shape(name)}))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path))
    assert check().says == f"JupyterLab's {name} is switched off"


def test_a_missing_lab_extension_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda *_: [str(tmp_path)])
    assert doctor.nbgrader().says == "JupyterLab lacks the extension @jupyter/nbgrader"


# --- the library's folder -------------------------------------------------------------------


def library_with_home(folder):
    """The doctor's line about the library, in a process of its own: the folder is chosen once."""
    code = "from autograder import doctor; print(doctor.library())"
    environment = {**os.environ, "MY_TRANSFORMER_HOME": str(folder), "PYTHONIOENCODING": "utf-8"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, encoding="utf-8")
    return run.stdout


def test_a_library_folder_that_takes_files_is_shown(tmp_path):
    assert library_with_home(tmp_path) == f"[ok] your code is kept in {tmp_path}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_library_folder_that_takes_none_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    line = library_with_home(tmp_path / "file" / "library")
    assert line.startswith("[!!] your code cannot be saved: ")
    assert str(tmp_path / "file" / "library") in line
    assert "MY_TRANSFORMER_HOME" in line


# --- memory ---------------------------------------------------------------------------------


def test_little_memory_is_named(monkeypatch):
    monkeypatch.setattr(doctor, "free_memory", lambda: 2**29)
    finding = doctor.memory()
    assert not finding.ok
    assert finding.says == "0.5 GB of memory free"


@pytest.fixture
def linux(tmp_path, monkeypatch):
    """A Linux with 5000 kB available, whose container is described in `tmp_path`."""
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:   5000 kB\n")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(free_memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(free_memory, "CGROUP", tmp_path)
    return tmp_path


def test_unknown_memory_is_said(linux):
    (linux / "meminfo").unlink()
    finding = doctor.memory()
    assert finding.ok
    assert "unknown" in finding.says


def test_a_machine_without_container_is_read(linux):
    assert free_memory.free_memory() == 5000 * 1024


def test_a_container_counts_rather_than_its_host(linux):
    (linux / "memory.max").write_text("3000\n")
    (linux / "memory.current").write_text("1200\n")
    (linux / "memory.stat").write_text("anon 700\ninactive_file 200\n")
    assert free_memory.free_memory() == 3000 - 1200 + 200


def test_the_older_kind_of_container_counts_too(linux):
    (linux / "memory").mkdir()
    (linux / "memory/memory.limit_in_bytes").write_text("3000\n")
    (linux / "memory/memory.usage_in_bytes").write_text("1200\n")
    (linux / "memory/memory.stat").write_text("inactive_file 200\n")
    assert free_memory.free_memory() == 3000 - 1200 + 200


def test_a_container_without_a_limit_leaves_the_host(linux):
    (linux / "memory.max").write_text("max\n")
    assert free_memory.free_memory() == 5000 * 1024


def test_macos_is_understood():
    text = (
        "Mach Virtual Memory Statistics: (page size of 16384 bytes)\n"
        "Pages free:                               1000.\n"
        "Pages active:                            90000.\n"
        "Pages inactive:                            200.\n"
        "Pages speculative:                          30.\n"
        "Pages purgeable:                             4.\n"
    )
    assert free_memory.from_vm_stat(text) == 16384 * 1234


def test_what_is_not_vm_stat_is_refused():
    with pytest.raises(ValueError, match="vm_stat"):
        free_memory.from_vm_stat("command not found")
