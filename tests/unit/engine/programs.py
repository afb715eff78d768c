"""Small scripts in place of the real programs."""

import sys
import textwrap
from pathlib import Path


def script(path: Path, body: str) -> Path:
    """Write an executable shell script; it may use builtins only, because PATH may be empty."""
    return _executable(path, f"#!/bin/sh\n{body}\n")


def pulumi_saying(path: Path, answer: str) -> Path:
    """Write a CLI that answers every command with one line."""
    return script(path, f"echo '{answer}'")


def go_making_pulumi(path: Path) -> Path:
    """Write a go that builds a CLI of the version it is told to link in, as the real one would."""
    return go_doing(
        path,
        """
        flags = next(word for word in sys.argv if word.startswith("-ldflags="))
        made = out / "pulumi"
        made.write_text("#!/bin/sh\\necho " + flags.rpartition("version.Version=")[2] + "\\n")
        made.chmod(0o755)
        """,
    )


def go_doing(path: Path, body: str) -> Path:
    """Write a go whose `build -o DIR/` runs a piece of Python with `out` as that directory."""
    head = "import os, sys, time\nfrom pathlib import Path\nout = Path(sys.argv[sys.argv.index('-o') + 1])\n"
    return _executable(path, f"#!{sys.executable}\n{head}{textwrap.dedent(body)}")


def _executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path
