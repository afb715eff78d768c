"""Servers of the test bed end with the test run, even if it is killed."""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests import ROOT

_STARTS_A_SERVER_AND_HANGS = """
import sys, pathlib, time
from lab.bed.process import Server
server = Server("sleep", ["sleep", "600"], pathlib.Path(sys.argv[1]))
print(server.pid, flush=True)
time.sleep(600)
"""


def test_killed_tests_leave_no_server_behind(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _STARTS_A_SERVER_AND_HANGS, tmp_path / "log"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as tests:
        assert tests.stdout is not None
        pid = int(tests.stdout.readline())
        assert is_running(pid)

        tests.kill()

    deadline = time.monotonic() + 30
    while is_running(pid):
        assert time.monotonic() < deadline, "the server outlived the tests"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
