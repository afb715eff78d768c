"""A run that fails half way is finished by the next one, and nothing is lost in between."""

from pathlib import Path

from pulumi.automation import PulumiCommand

from lab.simulator import SimulatedDittoFS
from tests.engine.world import server, world


class Breakdown:
    """Makes operations of the provider fail, while it is told to."""

    def __init__(self) -> None:
        self.failing: set[tuple[str, str]] = set()

    def __call__(self, operation: str, urn: str) -> str | None:
        name = urn.rpartition("::")[2]
        return "the cluster went away" if (operation, name) in self.failing else None


def test_a_failed_update_is_finished_by_the_next_run(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    breakdown = Breakdown()
    with (
        world(pulumi_cli, tmp_path, fail_on=breakdown) as stack,
        SimulatedDittoFS(admin_password=stack.password) as dittofs,
    ):
        dittofs.set_adapter("smb", port=12445)
        stack.configure(server(dittofs))
        breakdown.failing = {("create", "media/smb")}
        assert stack.stack.up().exit_code != 0
        assert set(stack.services()) == {"media-adapter-nfs"}

        dittofs.outage()
        breakdown.failing = set()
        stack.up()
        both = {"media-adapter-nfs", "media-adapter-smb"}
        assert set(stack.services()) == both, "an outage right after a failure forgets no adapter"
        dittofs.normal()
        stack.assert_settled()

        dittofs.set_adapter("nfs", port=12050)
        breakdown.failing = {("update", "media/nfs")}
        assert stack.stack.up().exit_code != 0
        assert stack.port("media-adapter-nfs") == 12049
        dittofs.outage()
        breakdown.failing = set()
        stack.up()
        assert stack.port("media-adapter-nfs") == 12050, "what was decided last is finished"
        dittofs.normal()
        stack.assert_settled()

        dittofs.disable("smb")
        breakdown.failing = {("delete", "media/smb")}
        assert stack.stack.up().exit_code != 0
        dittofs.outage()
        breakdown.failing = set()
        stack.up()
        assert "media-adapter-smb" in stack.services(), "without an answer even a half-done removal waits"
        dittofs.normal()
        stack.up()
        assert set(stack.services()) == {"media-adapter-nfs"}
        stack.assert_settled()


def test_words_of_the_cluster_cannot_command_a_terminal(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    def refuse(operation: str, urn: str) -> str | None:
        # Sets the title of a window, and reorders what follows.
        return "denied by \x1b]0;owned\x07 a webhook \u202egnp" if operation == "create" else None

    with (
        world(pulumi_cli, tmp_path, fail_on=refuse) as stack,
        SimulatedDittoFS(admin_password=stack.password) as dittofs,
    ):
        stack.configure(server(dittofs))

        lines = stack.stack.up().lines("error")

    assert any("denied by" in line and "a webhook" in line for line in lines)
    assert all(line.isprintable() for line in lines)
