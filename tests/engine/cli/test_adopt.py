"""`dittoinfra adopt` on a real Kubernetes API, on a server as the operator leaves it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.settings import Deploy
from lab.bed.kubernetes import KubernetesApi
from lab.standin import StandInProvider
from tests.engine.cli import fleet_bed
from tests.engine.cli.fleet_bed import Fleet
from tests.engine.deploy.operator_made import NFS, PINNED, OperatorMade
from tests.engine.deploy.workload import media

pytestmark = pytest.mark.long


@pytest.fixture
def project(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, operator: OperatorMade, tmp_path: Path
) -> Iterator[Fleet]:
    """A stack whose provider goes where its configuration says, as the official one does."""
    with fleet_bed.fleet(tmp_path, pulumi_cli) as fleet, StandInProvider() as provider:
        fleet.provider = provider
        fleet.add_stack("prod", media(operator.namespace, deploy={"image": Deploy().image}, adapters=PINNED))
        fleet.set_values("prod", {"kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)})
        yield fleet


def uids(operator: OperatorMade) -> dict[str, str]:
    return {path: live["metadata"]["uid"] for path, live in operator.every_object().items()}


def test_what_would_happen_is_shown_and_then_done_and_nothing_is_left(
    project: Fleet, operator: OperatorMade
) -> None:
    before = {path: live["metadata"]["resourceVersion"] for path, live in operator.every_object().items()}
    known = uids(operator)

    shown = project.run("adopt", "prod")

    assert shown.returncode == 0, shown.stderr
    assert "media: Service media-adapter-nfs exists already (uid " in shown.stdout
    assert "warning: media: StatefulSet media exists already" in shown.stdout
    assert shown.stdout.splitlines()[-1] == (
        "would be: 8 new to the stack, 0 updated, 0 deleted; run `dittoinfra adopt prod --yes` to apply this"
    )
    assert {p: live["metadata"]["resourceVersion"] for p, live in operator.every_object().items()} == before

    done = project.run("adopt", "prod", "media", "--yes", "--json")

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["adopted"], told["settled"], told["changes"]["create"]) == (True, True, 8)
    assert any("its Pod's template changes: the Pod restarts once" in line for line in told["warnings"])
    assert uids(operator) == known
    assert not operator.get(NFS)["metadata"].get("ownerReferences")
    config = yaml.safe_load(project.config_file("prod").read_text())["config"]
    assert "adopt" not in config["dittoinfra:servers"][0]


def test_what_cannot_be_adopted_stops_it_and_a_wrong_name_is_refused(
    project: Fleet, operator: OperatorMade
) -> None:
    path = project.config_file("prod")
    content = yaml.safe_load(path.read_text())
    claims = {"metadata": {"size": "20Gi"}, "controlplane": {"size": "1Gi"}}
    content["config"]["dittoinfra:servers"][0]["deploy"]["storage"] = claims
    path.write_text(yaml.safe_dump(content))

    refused = project.run("adopt", "prod", "--yes")
    unknown = project.run("adopt", "prod", "medio")

    assert refused.returncode == 5
    assert "StatefulSet media cannot be adopted: deploy.storage.metadata.size is 10Gi there" in refused.stderr
    assert unknown.returncode == 2
    assert unknown.stderr == "error: no server medio is in dittoinfra:servers; there are media\n"
