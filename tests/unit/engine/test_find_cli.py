"""Which CLI is taken, and what a person is told on the way."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.engine.pulumi_cli import find_cli
from dittoinfra.engine.versions import FETCHED_CLI
from lab.bed.credentials import credential
from tests import ROOT
from tests.unit.engine.installers import breaks_halfway, installs, never_asked, never_installed
from tests.unit.engine.programs import pulumi_saying, script
from tests.unit.engine.recorder import Recorder

find_offline = partial(find_cli, why_unreachable=lambda _: "no route", install=never_installed)
find_at_hand = partial(find_cli, why_unreachable=never_asked, install=never_installed)
find_online = partial(find_cli, why_unreachable=lambda _: None, install=installs)


@pytest.mark.parametrize("answer", ["v3.227.0", "3.259.0", "v3.300.1-dev.0"])
def test_the_one_on_path_comes_first(answer: str, only_path: Path, cache: Path, progress: Recorder) -> None:
    on_path = pulumi_saying(only_path / "pulumi", answer)
    cli = find_at_hand(progress.say)

    assert (cli.path, str(cli.version)) == (on_path, answer.removeprefix("v"))
    assert progress.said == []


def test_a_directory_that_is_no_bin_will_do(
    tmp_path: Path, cache: Path, progress: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path = pulumi_saying(tmp_path / "anywhere" / "pulumi", "v3.240.0")
    monkeypatch.setenv("PATH", str(on_path.parent))

    assert find_at_hand(progress.say).path == on_path


def test_what_was_found_is_what_runs_even_when_path_changes(
    tmp_path: Path, cache: Path, progress: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(pulumi_saying(tmp_path / "now" / "pulumi", "v3.230.0").parent))
    cli = find_at_hand(progress.say)
    monkeypatch.setenv("PATH", str(pulumi_saying(tmp_path / "later" / "pulumi", "v3.999.0").parent))

    assert subprocess.check_output([cli.command, "whoami"], text=True) == "v3.230.0\n"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("echo v3.226.9", "is 3.226.9, older than the 3.227.0 that is needed"),
        ("echo v4.0.0", "is 4.0.0, and only versions before 4.0.0 are supported"),
        ("echo hello", "does not say which version it is"),
        ("exit 126", "does not run"),
    ],
)
def test_an_unfit_one_on_path_is_told_and_passed_over(
    body: str, told: str, only_path: Path, cache: Path, progress: Recorder
) -> None:
    unfit = script(only_path / "pulumi", body)

    cli = find_online(progress.say)

    assert cli.path.is_relative_to(cache)
    line, _ = progress.said
    assert line.startswith(str(unfit))
    assert told in line
    assert line.endswith("looking for another")


def test_the_installer_serves_once_and_then_the_cache_does(
    only_path: Path, cache: Path, progress: Recorder
) -> None:
    first = find_online(progress.say)
    second = find_at_hand(progress.say)

    assert first.path == second.path
    assert first.path.is_relative_to(cache)
    assert progress.said == [f"installing pulumi v{FETCHED_CLI} with the official installer"]


def test_a_broken_installation_leaves_nothing(only_path: Path, cache: Path, progress: Recorder) -> None:
    with pytest.raises(EngineError, match="disk full"):
        find_cli(progress.say, why_unreachable=lambda _: None, install=breaks_halfway)

    assert list((cache / "pulumi").glob("**/bin/pulumi")) == []
    assert any("disk full" in line for line in progress.said)


def test_a_kept_cli_that_does_not_run_here_is_passed_over(
    only_path: Path, cache: Path, progress: Recorder
) -> None:
    kept = find_online(progress.say).path
    script(kept, "exit 1")

    with pytest.raises(EngineError, match=r"does not run .*\(no route\)"):
        find_offline(progress.say)


def test_when_nothing_works_one_line_names_every_way_and_the_next_step(
    only_path: Path, cache: Path, progress: Recorder
) -> None:
    script(only_path / "pulumi", "echo v3.1.0")

    with pytest.raises(EngineError) as caught:
        find_offline(progress.say)

    message = str(caught.value)
    assert "\n" not in message
    for part in (
        "is 3.1.0, older",
        "none in the cache",
        "(no route)",
        "install it as https://www.pulumi.com/docs/install/ says and put it on PATH",
    ):
        assert part in message
    assert "go" not in message.lower().split()


def test_the_reason_of_a_proxy_that_refuses_is_told_without_its_password(
    only_path: Path, cache: Path, closed_port: int, progress: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = credential("proxy")
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:{password}@127.0.0.1:{closed_port}")

    with pytest.raises(EngineError, match=f"127.0.0.1:{closed_port}: Connection refused") as caught:
        find_cli(progress.say)

    assert password not in str(caught.value)


def test_importing_the_engine_package_does_not_load_the_sdk() -> None:
    check = "import sys, dittoinfra.engine; sys.exit('pulumi' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", check], cwd=ROOT).returncode == 0
