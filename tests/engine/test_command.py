"""`python -m dittoinfra.engine`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dittoinfra.engine.__main__ import main
from tests.bed.credentials import credential
from tests.engine.programs import pulumi_saying


def test_it_prints_where_the_cli_is_and_its_version(tmp_path: Path, cache: Path) -> None:
    cli = pulumi_saying(tmp_path / "bin" / "pulumi", "v3.240.0")

    run = subprocess.run(
        [sys.executable, "-m", "dittoinfra.engine"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PATH": str(cli.parent)},
        capture_output=True,
        text=True,
    )

    assert (run.returncode, run.stdout, run.stderr) == (0, f"{cli} v3.240.0\n", "")


def test_without_any_cli_it_ends_with_1_and_one_line(
    path_directory: Path,
    cache: Path,
    closed_port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    password = credential("proxy")
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:{password}@127.0.0.1:{closed_port}")

    code = main()

    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("error: no pulumi CLI")
    assert f"127.0.0.1:{closed_port}: Connection refused" in err
    assert password not in err
