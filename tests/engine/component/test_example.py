"""The program that docs/component.md shows."""

from pathlib import Path

from pulumi.automation import PulumiCommand

from dittoinfra.changes import Changes
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from lab.standin import FolderStore, StandInProvider
from tests import ROOT
from tests.engine.examples.project import Example


def test_the_example_is_what_the_page_shows_and_declares_both_servers(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    program = (ROOT / "examples" / "component" / "__main__.py").read_text()
    assert program in (ROOT / "docs" / "component.md").read_text()
    password, jwt = credential("component-example"), credential("jwt") * 3
    with (
        StandInProvider(FolderStore(tmp_path / "manifests")) as provider,
        SimulatedDittoFS(admin_password=password) as simulated,
    ):
        simulated.set_adapter("nfs", port=12049)
        simulated.add_user("dittoinfra", password, "user")
        example = Example.copied("component", tmp_path, pulumi_cli, provider.environment())
        example.configure("dev", {"acme-files:mediaUrl": simulated.url})
        example.encrypt("dev", "password", password)
        example.encrypt("dev", "jwt", jwt)

        report = example.up("dev")

        assert report.ok, report.lines("error")
        outputs = example.outputs("dev")
        assert outputs["media"]["nfs"]["state"] == "serving"
        assert outputs["answered"] is True
        preview, _ = example.preview("dev")
        assert preview.changes == Changes(same=preview.changes.same), preview.steps
