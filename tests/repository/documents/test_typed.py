"""Pages, typed as they are written, on a bed of their own."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.keeper import BED
from tests import ROOT
from tests.repository.documents.pages import PAGES, Block, blocks

BED_ALONE = """
from lab.bed.serve import dittofs_version, serve
from lab.gotools import StreamProgress, find_cli
serve(StreamProgress(), find_cli(StreamProgress()), dittofs_version())
"""
"""`make bed`, without the parts that it does not start."""

TUTORIAL = ROOT / "docs" / "tutorial.md"
SECONDS = 600.0
ENDS = {"dittoinfra status": 4, "dittoinfra verify": 1}
"""Exit codes: the bed's server runs beside its cluster, so no Pod is behind the Services."""
GIT = [f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]


@pytest.fixture(scope="module")
def env_file(pulumi_cli: PulumiCommand) -> Iterator[Path]:
    """What `make bed` names when it is up."""
    environment = {name: value for name, value in os.environ.items() if name != BED}
    with subprocess.Popen(
        [sys.executable, "-c", BED_ALONE],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as bed:
        assert bed.stderr is not None
        said = ""
        try:
            while not (found := re.search(r"^  \. (\S+/env)$", said, flags=re.MULTILINE)):
                line = bed.stderr.readline()
                assert line, said
                said += line
            yield Path(found[1])
        finally:
            bed.send_signal(signal.SIGINT)


def entered(env_file: Path) -> Iterator[str]:
    """A shell's first lines: the bed's environment, and its project."""
    yield f'export PATH="{Path(sys.executable).parent}:$PATH"'
    yield f". {env_file}; cd $DITTOINFRA_BED/project"


def typed(shown: Iterable[Block]) -> Iterator[str]:
    """Blocks as a shell's input; a command that ends in another way than its page says stops it."""
    for block in shown:
        for command in block.commands if not block.run_elsewhere else ():
            expected = next((code for part, code in ENDS.items() if part in command), 0)
            yield f"cat <<'TYPED'\n$ {command}\nTYPED\n{command}\ncode=$?"
            yield f"[ $code = {expected} ] || {{ echo {block}: ended with $code, not {expected}; exit 1; }}"


def type_all(lines: Iterable[str]) -> str:
    """What a shell shows that is given these lines, all of which must succeed."""
    done = subprocess.run(
        ["bash"],
        input="\n".join(lines),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **dict.fromkeys(GIT, "somebody")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.long
def test_the_tutorial_can_be_followed(env_file: Path) -> None:
    shown = type_all([*entered(env_file), *typed(blocks(TUTORIAL))])

    assert "moved from port" in shown, "step 3"
    assert "remembered adapters kept as is" in shown, "step 4"
    assert "disabled on the server" in shown, "step 5 and 6"


@pytest.mark.long
def test_the_commands_of_the_other_pages_work(env_file: Path) -> None:
    """On the bed's stack, which stands for the one of the page."""
    others = [block for page in PAGES if page != TUTORIAL for block in blocks(page)]
    ready = ["git init --quiet", "dittoinfra up bed --yes || exit 1", "dittoinfra up bed --yes || exit 1"]
    lines = [re.sub(r"\b(files|prod)\b", "bed", line) for line in typed(others)]
    # Who reads the page answers the question in their terminal.
    lines = [
        re.sub(r"^(dittoinfra up (?!.*--yes).*)$", r"\1 --yes", line, flags=re.MULTILINE) for line in lines
    ]

    shown = type_all([*entered(env_file), *ready, *lines])

    for command in ("status bed", "doctor bed", "history bed", "verify bed", "drift bed", "render bed"):
        assert f"$ dittoinfra {command}" in shown
