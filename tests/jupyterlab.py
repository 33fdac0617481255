"""A real JupyterLab in headless Chromium, cut off from the network: for browser tests and screenshots.

with server(root) as lab, browser(lab) as tab:
    notebook = tab.open("lesson.ipynb")
    notebook.run_all()
    notebook.theme("dark")
    notebook.screenshot(Path("lesson.png"))
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from playwright.sync_api import Browser, Locator, Page, Route, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

__all__ = ["PlaywrightTimeout", "browser", "missing", "server", "write_notebook"]

PROJECT = Path(__file__).resolve().parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LOCAL = ("http://127.0.0.1:", "http://localhost:", "ws://127.0.0.1:", "data:", "blob:", "about:")
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
NEWS = "@jupyterlab/apputils-extension:announcements"

READY = """() => {
    const panel = window.jupyterapp?.shell?.currentWidget;
    return Boolean(panel?.context?.isReady && panel.sessionContext?.session?.kernel?.status === 'idle');
}"""
# A prompt is [*] while its cell waits or runs.
DONE = """() => {
    const panel = window.jupyterapp.shell.currentWidget;
    const busy = panel.content.widgets.some((cell) => cell.promptNode?.textContent.includes('*'));
    return !busy && panel.sessionContext.session.kernel.status === 'idle';
}"""

SCROLL = """(index) => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = index;
    return notebook.scrollToItem(index, 'start');
}"""
ASK = """async (expression) => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const asked = { code: '', store_history: false, user_expressions: { value: expression } };
    const { value } = (await kernel.requestExecute(asked).done).content.user_expressions;
    return value.status === 'ok' ? value.data['text/plain'] : `${value.ename}: ${value.evalue}`;
}"""


@dataclass(frozen=True)
class Server:
    """A running JupyterLab.

    Args:
        url: its address, without a slash at the end.
        root: the folder that it serves.
    """

    url: str
    root: Path


def write_notebook(path: Path, cells: Sequence[str]) -> Path:
    """Write a notebook of code cells; a text that begins with "# %% [markdown]" is a Markdown cell."""
    mark = "# %% [markdown]\n"
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_markdown_cell(text.removeprefix(mark))
        if text.startswith(mark)
        else nbformat.v4.new_code_cell(text)
        for text in cells
    ]
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, path)
    return path


@contextmanager
def server(root: Path, env: dict[str, str] | None = None) -> Iterator[Server]:
    """Run JupyterLab on a folder, with settings of its own, until the block ends.

    Args:
        root: the folder to serve.
        env: additional environment variables for the server and its kernels.
    Yields:
        The server, once it answers.
    Raises:
        RuntimeError: it ended or did not answer within a minute; with what it wrote.
    """
    with tempfile.TemporaryDirectory() as home:
        port = _free_port()
        log = Path(home) / "server.log"
        with log.open("w") as out:
            process = subprocess.Popen(_command(root, port), env=_environment(Path(home), env), stdout=out, stderr=out)
            try:
                yield _answering(Server(f"http://127.0.0.1:{port}", root), process, log)
            finally:
                _stop(process)


def _command(root: Path, port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"),
        *("--IdentityProvider.token=", "--ServerApp.password=", f"--ServerApp.root_dir={root}"),
        *(
            "--LabApp.expose_app_in_browser=True",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        ),
    ]


def _environment(home: Path, extra: dict[str, str] | None) -> dict[str, str]:
    config = home / "config"
    (config / "labconfig").mkdir(parents=True)
    (config / "labconfig" / "page_config.json").write_text(json.dumps({"disabledExtensions": {NEWS: True}}))
    env = {k: v for k, v in os.environ.items() if not k.startswith(("NBGRADER", "JUPYTER", "JPY"))}
    path = os.pathsep.join(p for p in (str(PROJECT), env.get("PYTHONPATH", "")) if p)
    own = {
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "PYTHONPATH": path,
    }
    return {**env, **own, **(extra or {})}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answering(lab: Server, process: subprocess.Popen[bytes], log: Path) -> Server:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{lab.url}/api/status", timeout=2):
                return lab
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab does not answer; it wrote:\n{log.read_text()[-3000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    # SIGTERM lets the server end its kernels.
    process.terminate()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@dataclass
class Notebook:
    """A notebook that is open in a browser tab.

    Args:
        page: playwright's page, for everything that is not here.
    """

    page: Page

    def command(self, name: str, **arguments: Any) -> None:
        """Execute one of JupyterLab's commands and wait for it."""
        script = "([name, args]) => window.jupyterapp.commands.execute(name, args).then(() => null)"
        self.page.evaluate(script, [name, arguments])

    def run_all(self, timeout: float = 120) -> None:
        """Run all cells and wait until the last one has ended; `timeout` in seconds."""
        self.command("notebook:run-all-cells")
        self.page.wait_for_timeout(200)
        self.page.wait_for_function(DONE, timeout=timeout * 1000)

    def theme(self, name: str) -> None:
        """Change to the "light" or the "dark" theme."""
        self.command("apputils:change-theme", theme=THEMES[name])
        light = "true" if name == "light" else "false"
        self.page.wait_for_selector(f'body[data-jp-theme-light="{light}"]', state="attached")
        self.page.wait_for_timeout(300)

    def cell(self, index: int) -> Locator:
        """The cell at a position, scrolled into view (a windowed notebook draws only what is seen)."""
        self.page.evaluate(SCROLL, index)
        self.page.wait_for_timeout(150)
        return self.page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{index}"]')

    def ask(self, expression: str) -> str:
        """Evaluate a Python expression in the kernel and return its repr."""
        return str(self.page.evaluate(ASK, expression))

    def outputs(self) -> list[dict[str, Any]]:
        """All outputs of all cells, as they stand in the notebook's file format."""
        script = """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
            .flatMap((cell) => cell.outputs?.toJSON() ?? [])"""
        return list(self.page.evaluate(script))

    def errors(self) -> list[str]:
        """Name and message of every error output."""
        return [f"{o['ename']}: {o['evalue']}" for o in self.outputs() if o["output_type"] == "error"]

    def screenshot(self, path: Path, target: Locator | None = None) -> Path:
        """Save a PNG of an element, or of the whole window."""
        (target or self.page).screenshot(path=str(path))
        return path


@dataclass
class Tab:
    """A browser tab without network.

    Args:
        lab: the server it talks to.
        page: playwright's page.
        blocked: addresses beyond this machine that the page asked for; each was refused.
        complaints: what the page wrote to its console as an error.
    """

    lab: Server
    page: Page
    blocked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, name: str, timeout: float = 60) -> Notebook:
        """Open a notebook of the served folder and wait for an idle kernel; `timeout` in seconds."""
        self.page.goto(f"{self.lab.url}/lab/tree/{name}?reset")
        self.page.wait_for_function(READY, timeout=timeout * 1000)
        self.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
        return Notebook(self.page)

    def _guard(self, route: Route) -> None:
        if route.request.url.startswith(LOCAL):
            route.continue_()
            return
        self.blocked.append(route.request.url)
        route.abort()


@contextmanager
def browser(lab: Server, *, width: int = 1280, height: int = 1000, scale: float = 1) -> Iterator[Tab]:
    """A tab in headless Chromium; whatever it asks of another machine is refused and noted.

    Args:
        lab: the server to talk to.
        width: of the window, in CSS pixels.
        height: of the window, in CSS pixels.
        scale: device pixels for each CSS pixel; 2 for sharp screenshots.
    Yields:
        The tab.
    """
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=_flags())
        try:
            yield _tab(chromium, lab, {"width": width, "height": height}, scale)
        finally:
            chromium.close()


def _flags() -> list[str]:
    return ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking"]


def _tab(chromium: Browser, lab: Server, size: dict[str, int], scale: float) -> Tab:
    context = chromium.new_context(viewport=size, device_scale_factor=scale)
    tab = Tab(lab, context.new_page())
    context.route("**/*", tab._guard)
    tab.page.on("console", lambda m: tab.complaints.append(m.text) if m.type == "error" else None)
    tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
    return tab


def missing() -> str:
    """Why there can be no browser tests on this machine, "" when there can."""
    return "" if CHROMIUM else "browser tests need chromium (Debian: apt install chromium)"
