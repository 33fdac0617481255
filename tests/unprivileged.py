"""Runs tests as a user without privileges, for whoever is root: `python -m tests.unprivileged tests/sandbox`.

Most graders are not root, and then other walls stand. The working tree is copied to where that user may write. Python
stays where it is; if only root can get there, it is made reachable for this one command.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.notebooks.files import ROOT

USER = "1000"

ENTER = """\
set -e
for place in $PREFIXES; do mkdir -p "$HELD$place"; mount --bind "$place" "$HELD$place"; done
for folder in $CLOSED; do mount -t tmpfs -o mode=755 none "$folder"; done
for place in $PREFIXES; do mkdir -p "$place"; mount --bind "$HELD$place" "$place"; done
exec setpriv --reuid="$USER" --regid="$USER" --clear-groups --bounding-set=-all --inh-caps=-all "$@"
"""
"""In mounts of its own: new folders stand where only root may enter, with Python in them."""


def main() -> int:
    """Run pytest with the arguments that were given."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        copy_of_the_course(place / "course")
        for folder in ("home", "tmp", "held"):
            (place / folder).mkdir()
        subprocess.run(["chown", "-R", f"{USER}:{USER}", name], check=True)
        tests = [sys.executable, "-m", "pytest", *sys.argv[1:]]
        command = ["unshare", "--mount", "sh", "-c", ENTER, "sh", *tests]
        return subprocess.run(command, cwd=place / "course", env=environment(place), check=False).returncode


def copy_of_the_course(place: Path) -> None:
    """Copy what is in the working tree and not ignored."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)


def environment(place: Path) -> dict[str, str]:
    """What the tests find, and `ENTER`."""
    prefixes = list(dict.fromkeys((sys.base_prefix, sys.prefix)))
    return {
        "HELD": str(place / "held"),
        "PREFIXES": " ".join(prefixes),
        "CLOSED": " ".join(closed_above(prefixes)),
        "USER": USER,
        "PATH": os.environ["PATH"],
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "tmp"),
        "PYTHONPATH": f"{place / 'course'}:{place / 'course' / 'course'}",
    }


def closed_above(places: list[str]) -> list[str]:
    """The folders on the way to these places that only root may enter; none below another of them."""
    above = dict.fromkeys(folder for one in places for folder in reversed(Path(one).parents))
    closed = [folder for folder in above if not folder.stat().st_mode & 0o001]
    return [str(one) for one in closed if not any(one.is_relative_to(other) for other in closed if other != one)]


if __name__ == "__main__":
    raise SystemExit(main())
