"""`--events` and `--kubernetes-events`, as the commands use them."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.cli.command_errors import CommandError
from dittoinfra.cli.operation import writing_events
from dittoinfra.kubernetes import connect
from dittoinfra.request import Outputs
from dittoinfra.stacks.project import Project
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from lab.standin import ApiStore
from tests.engine.world import STACK, World, server, world
from tools.schemas import FOLDER


def project_of(here: World) -> Project:
    return Project(here.root, here.command, here.stack.environment)


def test_events_are_appended_as_lines_of_the_documented_schema(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    file = tmp_path / "events.jsonl"
    with world(pulumi_cli, tmp_path) as here, SimulatedDittoFS(admin_password=here.password) as dittofs:
        dittofs.set_adapter("nfs", port=12049)
        dittofs.set_adapter("smb", port=12445, enabled=False)
        here.configure(server(dittofs))
        for _ in range(2):
            with writing_events(project_of(here), Outputs(events=str(file))) as teller:
                here.stack.on_event = teller.listen(STACK)
                here.up()
            dittofs.disable("nfs")

    validator = jsonschema.Draft202012Validator(json.loads((FOLDER / "event.schema.json").read_text()))
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        validator.validate(line)
    assert [line["reason"] for line in lines] == ["AdapterServiceCreated", "AdapterServiceDeleted"]


def test_a_file_that_cannot_be_written_stops_the_command_before_it_begins(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    project = Project(tmp_path, pulumi_cli, {})

    with (
        pytest.raises(CommandError, match="No such file or directory"),
        writing_events(project, Outputs(events=str(tmp_path / "no" / "events"))),
    ):
        pytest.fail("the command began")


def test_a_secret_kubeconfig_serves_too(
    pulumi_cli: PulumiCommand,
    kubernetes_api: KubernetesApi,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    namespace = kubernetes_api.namespace()
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        world(pulumi_cli, tmp_path, store=ApiStore(cluster), kubeconfig=kubernetes_api.kubeconfig) as here,
        SimulatedDittoFS(admin_password=here.password) as dittofs,
    ):
        dittofs.set_adapter("nfs", port=12049)
        here.configure(server(dittofs, namespace=namespace))
        here.stack.set_config("kubernetes:kubeconfig", kubernetes_api.kubeconfig.read_text(), secret=True)
        with writing_events(project_of(here), Outputs(events="-", kubernetes_events=True)) as teller:
            here.stack.on_event = teller.listen(STACK)
            here.up()

    said = capsys.readouterr()
    assert said.err == ""
    told = {json.loads(line)["reason"] for line in said.out.splitlines()}
    with kubernetes_api.client() as client:
        kept = client.get(f"/api/v1/namespaces/{namespace}/events").json()["items"]
    assert {event["reason"] for event in kept} == told == {"AdapterServiceCreated"}
    token = yaml.safe_load(kubernetes_api.kubeconfig.read_text())["users"][0]["user"]["token"]
    assert token not in said.out


def test_where_manifests_are_only_written_there_is_no_cluster_to_tell(
    pulumi_cli: PulumiCommand, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with world(pulumi_cli, tmp_path) as here, SimulatedDittoFS(admin_password=here.password) as dittofs:
        here.configure(server(dittofs))
        with writing_events(project_of(here), Outputs(kubernetes_events=True)) as teller:
            here.stack.on_event = teller.listen(STACK)
            here.up()

    assert capsys.readouterr().err == ""
