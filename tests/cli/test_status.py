"""`dittoinfra status` and `dittoinfra adapters` on the real engine and a real Kubernetes API."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from pulumi.automation import PulumiCommand

from tests.bed.kubernetes import KubernetesApi
from tests.cli.cluster_bed import ClusterFleet, cluster_fleet
from tests.cli.fleet_bed import PASSWORD, ROOT

NFS = "media-adapter-nfs"
ADDRESS = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}}


@pytest.fixture
def fleet(pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path) -> Iterator[ClusterFleet]:
    """A project in a real cluster, with the stack `prod` up."""
    with cluster_fleet(pulumi_cli, kubernetes_api, tmp_path) as made:
        made.configure("prod", adapters={"types": {"nfs": {"servicePort": 2049}}})
        made.up("prod")
        yield made


def plain(text: str) -> list[str]:
    """Lines with single spaces, and any time as TIME."""
    dated = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    return [" ".join(line.split()) for line in dated.splitlines()]


def test_what_the_api_says_what_the_stack_holds_and_what_comes_next(fleet: ClusterFleet) -> None:
    fleet.edit("prod", f"{NFS}/status", ADDRESS)
    fleet.fleet.server("prod").set_adapter("smb", port=12445, enabled=True)
    place = f"{NFS}.{fleet.namespaces['prod']}.svc:2049"
    before = fleet.everything("prod")

    listed = fleet.run("adapters", "prod")

    assert plain(listed.stdout) == [
        "STACK SERVER ADAPTER API HELD NEXT WHY ENDPOINTS",
        f"prod media nfs 12049 12049 keep served 192.0.2.7:2049, {place}",
        "prod media smb 12445 - create served, not in the stack yet -",
    ]
    assert (listed.stderr, listed.returncode) == ("", 0)

    fleet.fleet.server("prod").stop()
    shown = fleet.run("status", "prod")

    assert plain(shown.stdout)[:3] == [
        "prod: last update succeeded, TIME; the next run would change nothing",
        "SERVER API REACHABLE ADAPTERS READY READY",
        "media no (Unreachable) no (NotServed) no (Unreachable)",
    ]
    assert re.fullmatch(r"media: unreachable: .*; answered the update of TIME", plain(shown.stdout)[3])
    assert (shown.stderr, shown.returncode) == ("", 0)
    assert fleet.everything("prod") == before


def test_documents(fleet: ClusterFleet) -> None:
    for name in ("status", "adapters"):
        # No kubeconfig: the state has to do, and says so.
        done = fleet.run(name, "prod", "--json", KUBECONFIG=str(fleet.fleet.root / "none"))

        document = json.loads(done.stdout)
        jsonschema.validate(document, json.loads((ROOT / f"docs/schemas/{name}.schema.json").read_text()))
        stacks = document.get("stacks") or [{"servers": [document], "clusterUnknown": "none is not a file"}]
        ((adapter,),) = ([a for a in s["adapters"] if a["held"]] for s in stacks[0]["servers"])
        assert adapter["endpoints"]["live"] is False
        assert "none" in stacks[0]["clusterUnknown"]
        assert PASSWORD not in done.stdout + done.stderr
        assert done.returncode == 0


def test_what_would_stop_the_next_run_is_shown(fleet: ClusterFleet) -> None:
    fleet.configure("prod", absencePolls=1)
    fleet.fleet.server("prod").remove_adapter("nfs")

    done = fleet.run("status", "prod")

    lines = plain(done.stdout)
    assert lines[0] == "prod: last update succeeded, TIME; the next run would stop"
    assert lines[3].startswith("the next run would stop: brake: this run would remove 1 of 1 adapters")
    assert lines[4] == "media/nfs: remove: absent 1/1"
    assert done.returncode == 0


def test_trouble_is_one_line_and_a_fitting_code(fleet: ClusterFleet) -> None:
    for command in ("status", "adapters", "drift"):
        unknown = fleet.run(command, "prdo")

        assert unknown.returncode == 6
        assert unknown.stderr == "error: there is no stack 'prdo'; did you mean 'prod'?\n"

    for command in ("status", "drift"):
        locked_out = fleet.run(command, "prod", PULUMI_CONFIG_PASSPHRASE="wrong")

        assert locked_out.returncode == 3
        said = locked_out.stdout + locked_out.stderr
        assert len(said.splitlines()) == 1
        assert "PULUMI_CONFIG_PASSPHRASE is wrong" in said
