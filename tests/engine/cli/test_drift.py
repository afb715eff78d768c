"""`dittoinfra drift` on the real engine and a real Kubernetes API: told apart, and nothing changed."""

import json
import signal

import jsonschema
import pytest

from dittoinfra.reports.status.drift_check import check_drift
from dittoinfra.reports.status.terminal import drift_lines
from lab.bed.dittofs import wait_until
from tests import ROOT
from tests.engine.cli.cluster_bed import ClusterFleet
from tests.engine.world import CREDENTIALS

pytestmark = pytest.mark.long

NFS = "media-adapter-nfs"
DOES = "; run `dittoinfra up prod` to apply this"


def drift(fleet: ClusterFleet, stack: str) -> list[str]:
    """The verdict on a stack, which leaves everything as it was."""
    before = fleet.everything(stack)
    found = check_drift(fleet.stack(stack))
    assert fleet.everything(stack) == before
    assert found.exit_code == (7 if found.drift else 0)
    return list(drift_lines(found))


def test_each_kind_alone_and_all_together(cluster: ClusterFleet) -> None:
    cluster.configure("prod")
    cluster.up("prod")
    server = cluster.fleet.server("prod")
    assert drift(cluster, "prod") == ["prod: no drift"]

    server.set_adapter("nfs", port=2049)
    intent = f"prod: intent: media/nfs: update: served, moved from port 12049 to 2049{DOES}"
    assert drift(cluster, "prod") == [intent]

    server.set_adapter("nfs", port=12049)
    cluster.edit("prod", NFS, {"metadata": {"labels": {"instance": "theirs"}}})
    (edited,) = drift(cluster, "prod")
    assert edited.startswith("prod: cluster: Service media/nfs: metadata.labels.instance: media → theirs")
    assert edited.endswith("; `dittoinfra up prod` puts it back")

    cluster.edit("prod", NFS, {"metadata": {"labels": {"instance": "media"}}})
    cluster.configure("prod", labels={"team": "files"})
    configuration = f"prod: configuration: Service media/nfs: metadata.labels.team: nothing → files{DOES}"
    assert drift(cluster, "prod") == [configuration]

    server.set_adapter("nfs", port=2049)
    cluster.edit("prod", NFS, {"metadata": {"labels": {"instance": "theirs"}}})
    told = drift(cluster, "prod")
    assert [line.split(": ")[1] for line in told] == ["intent", "cluster", "configuration"]
    assert (told[0], told[2]) == (intent, configuration)

    cluster.up("prod")
    assert drift(cluster, "prod") == ["prod: no drift"]


def test_an_absence_is_counted_by_runs_and_not_by_looking(cluster: ClusterFleet) -> None:
    server = cluster.fleet.server("prod")
    server.set_adapter("smb", port=12445, enabled=True)
    cluster.configure("prod")
    cluster.up("prod")
    server.remove_adapter("smb")
    cluster.up("prod")

    missing = [f"prod: intent: media/smb: update: missing from the answer, absent 2/3{DOES}"]
    assert drift(cluster, "prod") == missing
    assert drift(cluster, "prod") == missing

    server.stop()
    (unknown,) = drift(cluster, "prod")
    assert unknown.startswith("prod: unknown (intent): media: unreachable: ")

    server.start()
    server.set_adapter("smb", port=12445, enabled=True)
    assert drift(cluster, "prod") == [f"prod: intent: media/smb: update: served, absent 1/3 is cleared{DOES}"]


def test_what_follows_from_an_adapter_is_not_taken_for_configuration(cluster: ClusterFleet) -> None:
    server = cluster.fleet.server("prod")
    server.set_adapter("smb", port=12445, enabled=True)
    deployed = {"deploy": {"credentials": CREDENTIALS}, "networkPolicy": {"mode": "enabled"}}
    cluster.configure("prod", **deployed)
    cluster.up("prod")
    assert drift(cluster, "prod") == ["prod: no drift"]

    # Services, container ports and policies follow an adapter, and all of that is one person's doing.
    server.disable("smb")
    intent = f"prod: intent: media/smb: remove: disabled on the server{DOES}"
    assert drift(cluster, "prod") == [intent]

    pinned = {"pinned": [{"type": "nfs", "port": 2049}]}
    cluster.configure("prod", **deployed, adapters=pinned, onUnreachable="fail")
    found = drift(cluster, "prod")
    assert found[0] == intent
    assert all(line.startswith("prod: configuration: ") for line in found[1:])
    assert {line.split(": ")[2] for line in found[1:]} == {
        "NetworkPolicy media/nfs",
        "Service media-headless",
        "Service media/nfs",
        "StatefulSet media",
    }


def test_a_morning_s_look_at_every_stack(cluster: ClusterFleet) -> None:
    for name in ("edited", "settled", "silent"):
        cluster.configure(name)
    cluster.up("edited", "settled", "silent")
    cluster.delete("edited", NFS)
    cluster.fleet.server("silent").stop()
    before = {name: cluster.everything(name) for name in cluster.namespaces}

    done = cluster.run("drift", "--all")

    edited, settled, silent = done.stdout.splitlines()
    assert edited == ("edited: cluster: Service media/nfs: deleted; `dittoinfra up edited` creates it again")
    assert settled == "settled: no drift"
    assert silent.startswith("silent: unknown (intent): media: unreachable: ")
    assert (done.stderr, done.returncode) == ("", 7)
    assert {name: cluster.everything(name) for name in cluster.namespaces} == before

    quiet = cluster.run("drift", "settled", "silent", "--json")

    document = json.loads(quiet.stdout)
    jsonschema.validate(document, json.loads((ROOT / "docs/schemas/drift.schema.json").read_text()))
    assert [stack["exitCode"] for stack in document["stacks"]] == [0, 0]
    assert (quiet.stderr, quiet.returncode) == ("", 0)


def test_an_interrupt_ends_it_in_a_word(cluster: ClusterFleet) -> None:
    cluster.configure("prod")
    cluster.up("prod")
    server = cluster.fleet.server("prod")
    server.delay(2.0)
    server.forget_requests()
    running = cluster.fleet.start("drift", "prod", environment=cluster.environment)
    wait_until(lambda: bool(server.requests) or running.poll() is not None)

    running.send_signal(signal.SIGINT)
    stdout, stderr = running.communicate(timeout=60)

    assert running.returncode == 8
    assert stdout == "prod: error: cancelled\n"
    assert "Traceback" not in stderr
