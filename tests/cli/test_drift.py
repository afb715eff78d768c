"""`dittoinfra drift` on the real engine and a real Kubernetes API: told apart, and nothing changed."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.insight.check import check
from dittoinfra.insight.wording import drift_lines
from tests.bed.kubernetes import KubernetesApi
from tests.cli.cluster_bed import ClusterFleet, cluster_fleet
from tests.cli.fleet_bed import ROOT
from tests.e2e.world import CREDENTIALS

NFS = "media-adapter-nfs"


@pytest.fixture
def fleet(pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path) -> Iterator[ClusterFleet]:
    """A project in a real cluster."""
    with cluster_fleet(pulumi_cli, kubernetes_api, tmp_path) as made:
        yield made


def drift(fleet: ClusterFleet, stack: str) -> list[str]:
    """The verdict on a stack, which leaves everything as it was."""
    before = fleet.everything(stack)
    found = check(fleet.stack(stack))
    assert fleet.everything(stack) == before
    assert found.exit_code == (7 if found.drift else 0)
    return list(drift_lines(found))


def test_each_kind_alone_and_all_together(fleet: ClusterFleet) -> None:
    fleet.configure("prod")
    fleet.up("prod")
    server = fleet.fleet.server("prod")
    assert drift(fleet, "prod") == ["prod: no drift"]

    server.set_adapter("nfs", port=2049)
    intent = "prod: intent: media/nfs: update: served, moved from port 12049 to 2049"
    assert drift(fleet, "prod") == [intent]

    server.set_adapter("nfs", port=12049)
    fleet.edit("prod", NFS, {"metadata": {"labels": {"instance": "theirs"}}})
    cluster = "prod: cluster: Service media/nfs: changed: metadata.labels.instance"
    assert drift(fleet, "prod") == [cluster]

    fleet.edit("prod", NFS, {"metadata": {"labels": {"instance": "media"}}})
    fleet.configure("prod", labels={"team": "files"})
    configuration = "prod: configuration: Service media/nfs: update: metadata.labels.team"
    assert drift(fleet, "prod") == [configuration]

    server.set_adapter("nfs", port=2049)
    fleet.edit("prod", NFS, {"metadata": {"labels": {"instance": "theirs"}}})
    assert drift(fleet, "prod") == [intent, cluster, configuration]

    fleet.up("prod")
    assert drift(fleet, "prod") == ["prod: no drift"]


def test_an_absence_is_counted_by_runs_and_not_by_looking(fleet: ClusterFleet) -> None:
    server = fleet.fleet.server("prod")
    server.set_adapter("smb", port=12445, enabled=True)
    fleet.configure("prod")
    fleet.up("prod")
    server.remove_adapter("smb")
    fleet.up("prod")

    missing = ["prod: intent: media/smb: update: missing from the answer, absent 2/3"]
    assert drift(fleet, "prod") == missing
    assert drift(fleet, "prod") == missing

    server.stop()
    (unknown,) = drift(fleet, "prod")
    assert unknown.startswith("prod: unknown (intent): media: unreachable: ")

    server.start()
    server.set_adapter("smb", port=12445, enabled=True)
    assert drift(fleet, "prod") == ["prod: intent: media/smb: update: served, absent 1/3 is cleared"]


def test_what_follows_from_an_adapter_is_not_taken_for_configuration(fleet: ClusterFleet) -> None:
    server = fleet.fleet.server("prod")
    server.set_adapter("smb", port=12445, enabled=True)
    deployed = {"deploy": {"credentials": CREDENTIALS}, "networkPolicy": {"mode": "enabled"}}
    fleet.configure("prod", **deployed)
    fleet.up("prod")
    assert drift(fleet, "prod") == ["prod: no drift"]

    # Services, container ports and policies follow an adapter, and all of that is one person's doing.
    server.disable("smb")
    intent = "prod: intent: media/smb: remove: disabled on the server"
    assert drift(fleet, "prod") == [intent]

    pinned = {"pinned": [{"type": "nfs", "port": 2049}]}
    fleet.configure("prod", **deployed, adapters=pinned, onUnreachable="fail")
    found = drift(fleet, "prod")
    assert found[0] == intent
    assert all(line.startswith("prod: configuration: ") for line in found[1:])
    assert {line.split(": ")[2] for line in found[1:]} == {
        "NetworkPolicy media/nfs",
        "Service media-headless",
        "Service media/nfs",
        "StatefulSet media",
    }


def test_a_morning_s_look_at_every_stack(fleet: ClusterFleet) -> None:
    for name in ("edited", "settled", "silent"):
        fleet.configure(name)
    fleet.up("edited", "settled", "silent")
    fleet.delete("edited", NFS)
    fleet.fleet.server("silent").stop()
    before = {name: fleet.everything(name) for name in fleet.namespaces}

    done = fleet.run("drift", "--all")

    edited, settled, silent = done.stdout.splitlines()
    assert edited == "edited: cluster: Service media/nfs: deleted"
    assert settled == "settled: no drift"
    assert silent.startswith("silent: unknown (intent): media: unreachable: ")
    assert (done.stderr, done.returncode) == ("", 7)
    assert {name: fleet.everything(name) for name in fleet.namespaces} == before

    quiet = fleet.run("drift", "settled", "silent", "--json")

    document = json.loads(quiet.stdout)
    jsonschema.validate(document, json.loads((ROOT / "docs/schemas/drift.schema.json").read_text()))
    assert [stack["exitCode"] for stack in document["stacks"]] == [0, 0]
    assert (quiet.stderr, quiet.returncode) == ("", 0)


def test_an_interrupt_ends_it_in_a_word(fleet: ClusterFleet) -> None:
    fleet.configure("prod")
    fleet.up("prod")
    server = fleet.fleet.server("prod")
    server.delay(2.0)
    server.forget_requests()
    running = fleet.fleet.start("drift", "prod", environment=fleet.environment)
    while not server.requests and running.poll() is None:
        time.sleep(0.05)

    running.send_signal(signal.SIGINT)
    stdout, stderr = running.communicate(timeout=60)

    assert running.returncode == 8
    assert stdout == "prod: error: cancelled\n"
    assert "Traceback" not in stderr
