"""Under `watch`, a configuration that is lost for a moment removes nothing, and every removal is told."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from tests.engine.cli.fleet_bed import Fleet, fleet
from tests.engine.watch.command import Watching

BOTH = {"media-adapter-nfs", "media-adapter-smb"}


def served(project: Fleet, **settings: object) -> None:
    """A stack whose server has nfs and smb."""
    project.server("prod").set_adapter("smb", port=12445)
    project.add_stack("prod", **settings)


def target_port(project: Fleet) -> int:
    """Where the Service of nfs leads."""
    port: int = project.services("prod")["media-adapter-nfs"]["spec"]["ports"][0]["targetPort"]
    return port


def told_lost(watching: Watching, file: Path) -> list[str]:
    """What was said about a file that cannot be read, after its name and what is wrong with it."""
    return [line.partition(": ")[2] for line in watching.said("warned") if line.startswith(str(file))]


@pytest.mark.parametrize(
    "lose",
    [
        lambda file: file.unlink(),
        lambda file: file.write_text(""),
        lambda file: file.write_text("encryptionsalt: v1:abc\n"),
    ],
    ids=["gone", "empty", "salt only"],
)
def test_a_stack_file_that_is_lost_for_a_moment_removes_nothing(
    lose: Callable[[Path], None], pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        served(project)
        file = project.config_file("prod")
        with Watching(project, "prod") as watching:
            watching.until_said("updated")
            text = file.read_text()
            lose(file)
            watching.until(lambda: told_lost(watching, file))
            # A change of the server's own meanwhile has to wait, too.
            project.server("prod").set_adapter("nfs", port=12050)
            asked = len(project.server("prod").requests)
            watching.until(lambda: len(project.server("prod").requests) > asked + 5)
            assert set(project.services("prod")) == BOTH
            assert len(watching.said("updated")) == 1
            file.write_text(text)
            watching.until_said("updated", 2)

        assert set(project.services("prod")) == BOTH
        assert told_lost(watching, file) == [
            "the stack stays as it is, and is not run until the file is back"
        ]
        assert watching.said("restored") == ["its configuration can be read again"]
        assert watching.said("failed") == []


def test_what_the_engine_writes_into_the_file_of_a_new_stack_is_no_change(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        served(project, absencePolls=1)
        file, before = project.config_file("prod"), project.config_file("prod").read_text()
        with Watching(project, "prod") as watching:
            watching.until_said("updated")
            asked = len(project.server("prod").requests)
            watching.until(lambda: len(project.server("prod").requests) > asked + 5)

        assert file.read_text() != before
        assert watching.said("changed") == []
        assert len(watching.said("updated")) == 1


def test_a_project_file_that_vanishes_for_a_moment_starts_no_run(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        served(project)
        file = project.root / "Pulumi.yaml"
        with Watching(project, "prod") as watching:
            watching.until_said("updated")
            text = file.read_text()
            file.unlink()
            watching.until(lambda: told_lost(watching, file))
            file.write_text(text)
            watching.until_said("restored")
            project.server("prod").set_adapter("nfs", port=12050)
            watching.until_said("updated", 2)

        assert set(project.services("prod")) == BOTH
        assert watching.said("failed") == []


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda project: project.server("prod").remove_adapter("smb"), "absent 1/1"),
        (lambda project: project.server("prod").disable("smb"), "disabled"),
    ],
    ids=["absent", "disabled"],
)
def test_a_removal_is_told_with_its_reason_before_and_after(
    act: Callable[[Fleet], None], reason: str, pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        served(project, absencePolls=1)
        with Watching(project, "prod") as watching:
            watching.until_said("updated")
            act(project)
            watching.until_said("removed")
            watching.until_said("updated", 2)

        told = [(e["event"], e["text"]) for e in watching.events if e["event"] in ("removing", "removed")]
        assert told == [
            ("removing", f"media/smb is {reason}: its Service is removed"),
            ("removed", f"removed media/smb ({reason})"),
        ]
        order = [event["event"] for event in watching.events]
        assert order.index("removing") < order.index("removed") < len(order) - order[::-1].index("updated")


def test_a_server_that_leaves_the_configuration_is_told_of_as_well(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        other = project.block("prod", name="other")
        project.add_stack("prod", project.block("prod"), other)
        with Watching(project, "prod") as watching:
            watching.until_said("updated")
            project.add_stack("prod", project.block("prod"))
            watching.until_said("updated", 2)

        assert watching.said("removing") == ["other/nfs is not configured any more: its Service is removed"]
        assert watching.said("removed") == ["removed other/nfs (not configured any more)"]


def test_a_refusal_is_told_once_and_whole_and_the_server_is_followed_on(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stack("prod", absencePolls=1)
        server = project.server("prod")
        with Watching(project, "prod") as watching:
            watching.until_said("updated")
            server.remove_adapter("nfs")
            watching.until_said("failed")
            asked = len(server.requests)
            watching.until(lambda: len(server.requests) > asked + 10)
            server.set_adapter("nfs", port=12050)
            watching.until(lambda: target_port(project) == 12050)

        [refused] = watching.said("failed")
        assert refused.startswith("brake: this run would remove 1 of 1 adapters")
        assert refused.endswith("approve exactly these: `dittoinfra:approveRemovals: [media/nfs]`")
        assert watching.said("removing") == []
