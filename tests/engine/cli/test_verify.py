"""`dittoinfra verify` on the real engine and a real Kubernetes API; no Pods are behind its Services."""

import json
from pathlib import Path

import jsonschema
import pytest

from tests.engine.cli.cluster_bed import ClusterFleet
from tools.schemas import schema


@pytest.fixture
def fleet(cluster: ClusterFleet) -> ClusterFleet:
    """A project in a real cluster, with the stack `prod` up and its load balancers pending."""
    cluster.configure("prod")
    cluster.up("prod")
    return cluster


def test_every_hop_is_a_line_and_a_failure_ends_with_1(fleet: ClusterFleet) -> None:
    before = fleet.everything("prod")

    report = fleet.fleet.root / "verify.md"
    shown = fleet.run("verify", "prod", "--timeout", "5s", "--report-md", str(report))
    printed = fleet.run("verify", "prod", "--json")

    kubectl = f"kubectl --namespace {fleet.namespaces['prod']}"
    place = f"Service media-adapter-nfs in namespace {fleet.namespaces['prod']}"
    assert (shown.returncode, shown.stderr) == (1, "")
    assert shown.stdout.splitlines()[:4] == [
        f"prod: media/nfs: fails at inside pods: {place}",
        f"  ok      inside  service   {place}: "
        "LoadBalancer, selects the server's Pods, leads 12049/TCP to 12049",
        f"  failed  inside  pods      {place}: there is no Pod with app=dittofs-server,instance=media "
        f"-> see that the server runs: `{kubectl} get statefulsets,pods "
        "--selector app=dittofs-server,instance=media`",
        f"  failed  outside address   {place}: the load balancer has given no address yet "
        f"-> see what it waits for: `{kubectl} describe service media-adapter-nfs`",
    ]
    assert report.read_text().startswith(
        "### dittoinfra verify: 0 of 1 adapters reached\n\n"
        "| stack | adapter | hop | found | next |\n|---|---|---|---|---|\n"
        f"| `prod` | `media/nfs` | ✗ inside pods | `{place}: there is no Pod with "
    )
    document = json.loads(printed.stdout)
    jsonschema.validate(document, json.loads(schema("verify")))
    assert (printed.returncode, document["ok"]) == (1, False)
    failed = {each["type"]: each["failed"]["hop"] for each in document["adapters"]}
    assert failed == dict.fromkeys(failed, "pods")
    assert "nfs" in failed
    assert fleet.everything("prod") == before


def test_what_cannot_be_checked_has_its_own_exit_code(fleet: ClusterFleet, tmp_path: Path) -> None:
    kubeconfig = tmp_path / "reader"
    services = {"apiGroups": [""], "resources": ["services"], "verbs": ["get"]}
    kubeconfig.write_text(fleet.api.kubeconfig_with(fleet.namespaces["prod"], services))

    unallowed = fleet.run("verify", "prod", "--json", KUBECONFIG=str(kubeconfig))
    lost = fleet.run("verify", "prod", KUBECONFIG=str(tmp_path / "none"))
    endless = fleet.run("verify", "prod", "--timeout", "0")

    [nfs, *_] = json.loads(unallowed.stdout)["adapters"]
    assert (nfs["failed"]["hop"], nfs["failed"]["exitCode"]) == ("pods", 3)
    assert "may not list endpointslices" in nfs["failed"]["text"]
    assert (lost.returncode, lost.stdout) == (1, "")
    assert "is not a file" in lost.stderr
    assert (endless.returncode, endless.stderr) == (
        2,
        "error: --timeout must be longer than 0\n",
    )


def test_up_verifies_what_it_has_brought_up(fleet: ClusterFleet) -> None:
    report = fleet.fleet.root / "up.md"
    now = ("up", "prod", "--yes", "--verify", "--wait", "0")
    updated = fleet.run(*now, "--report-md", str(report))
    as_json = fleet.run(*now, "--json")
    as_events = fleet.run(*now, "--events", "-")

    summary, *_ = updated.stdout.splitlines()
    assert summary.startswith("prod: ")
    assert "fails at inside pods" in updated.stdout
    assert updated.returncode == 1
    assert (
        "> - `prod`: `media/nfs` fails at inside pods: `Service media-adapter-nfs in " in report.read_text()
    )
    document = json.loads(as_json.stdout)
    jsonschema.validate(document, json.loads(schema("up")))
    assert (as_json.returncode, document["exitCode"], document["ok"]) == (1, 1, True)
    assert document["verify"]["adapters"][0]["failed"]["hop"] == "pods"
    assert (as_events.returncode, as_events.stderr) == (
        2,
        "error: --verify prints lines: it cannot go with --events -; name a file for the events\n",
    )


def test_where_manifests_are_written_there_is_nothing_to_ask(fleet: ClusterFleet) -> None:
    fleet.fleet.render("prod")

    rendered = fleet.run("verify", "prod")

    assert (rendered.returncode, rendered.stdout) == (2, "")
    assert rendered.stderr == ("error: prod: its provider writes manifests, so there is no cluster to ask\n")
