"""Two processes with one cache: one builds, the other waits; a killed one is replaced."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from lab.bed.dittofs import wait_until
from tests import ROOT
from tests.unit.engine.programs import go_doing

_LIMIT_SECONDS = 30.0
_BUILDER = """
import sys
from pathlib import Path
from lab.gotools import StreamProgress
from lab.gotools import GoTool, build
module = Path(sys.argv[1])
print(build(GoTool("tiny", "v1", module, ("example.test/tiny",), ("tiny",)), StreamProgress()))
"""
# Notes that it was started, and does not end before it may.
_WAITING_GO = """
made = out / "tiny"
made.write_text("half")
with (here / "started").open("a") as log:
    log.write(f"{os.getpid()}\\n")
while not (here / "may-end").exists():
    time.sleep(0.01)
made.write_text("whole")
made.chmod(0o755)
"""


def _builder(directory: Path, cache: Path) -> "subprocess.Popen[str]":
    module = directory / "module"
    module.mkdir(exist_ok=True)
    (module / "go.mod").write_text("module example.test/tiny\n")
    go_doing(directory / "go", f"here = Path({str(directory)!r})\n{_WAITING_GO}")
    return subprocess.Popen(
        [sys.executable, "-c", _BUILDER, str(module)],
        cwd=ROOT,
        env={**os.environ, "PATH": str(directory), "DITTOINFRA_CACHE": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _starts(directory: Path) -> list[int]:
    log = directory / "started"
    return [int(line) for line in log.read_text().splitlines()] if log.exists() else []


def test_two_processes_build_once(tmp_path: Path, cache: Path) -> None:
    with _builder(tmp_path, cache) as first:
        wait_until(lambda: len(_starts(tmp_path)) == 1)
        with _builder(tmp_path, cache) as second:
            assert second.stderr is not None
            told = second.stderr.readline()
            (tmp_path / "may-end").touch()
            second_out, second_err = second.communicate(timeout=_LIMIT_SECONDS)
        first_out, _ = first.communicate(timeout=_LIMIT_SECONDS)

    assert told == "another process is building tiny v1: waiting for it\n"
    assert second_err == ""
    assert (Path(first_out.strip()) / "bin" / "tiny").read_text() == "whole"
    assert first_out == second_out
    assert len(_starts(tmp_path)) == 1


def test_a_killed_builder_leaves_no_broken_cache_and_no_held_lock(tmp_path: Path, cache: Path) -> None:
    with _builder(tmp_path, cache) as killed:
        wait_until(lambda: len(_starts(tmp_path)) == 1)
        killed.kill()
        killed.communicate()
    # The orphan would end when it next speaks; here it is silent.
    os.kill(_starts(tmp_path)[0], signal.SIGKILL)
    (tmp_path / "may-end").touch()

    with _builder(tmp_path, cache) as next_one:
        out, err = next_one.communicate(timeout=_LIMIT_SECONDS)

    assert "waiting" not in err
    assert (Path(out.strip()) / "bin" / "tiny").read_text() == "whole"
    assert list((cache / "tools" / "tiny").glob(".*.draft")) == []
