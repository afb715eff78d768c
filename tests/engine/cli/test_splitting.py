"""The steps of docs/splitting.md and the runbook on a real Kubernetes API: no address is lost."""

import re
import shutil
from typing import Any

import pytest

from tests import ROOT
from tests.engine.cli.cluster_bed import ClusterFleet

PAGE = (ROOT / "docs" / "splitting.md").read_text(encoding="utf-8")


@pytest.fixture
def files(cluster: ClusterFleet) -> ClusterFleet:
    """The stack `files` with two servers, up."""
    _write(cluster, "files", ["media", "archive"])
    cluster.up("files")
    return cluster


def _write(cluster: ClusterFleet, stack: str, servers: list[str]) -> None:
    """A stack whose servers all have the one namespace, and APIs of their own."""
    namespace = cluster.namespaces.setdefault("files", cluster.api.namespace())
    cluster.namespaces[stack] = namespace
    blocks = [{**cluster.fleet.block(name), "name": name, "namespace": namespace} for name in servers]
    cluster.fleet.add_stack(stack, *blocks)


def _identities(cluster: ClusterFleet) -> dict[str, Any]:
    services, _ = cluster.everything("files")
    assert isinstance(services, list)
    return {
        each["metadata"]["name"]: (each["metadata"]["uid"], each["spec"]["clusterIP"]) for each in services
    }


@pytest.mark.long
def test_a_server_moves_to_another_stack_and_keeps_its_services(files: ClusterFleet) -> None:
    before = _identities(files)
    (command,) = re.findall(r"\$ pulumi (state move .+)", PAGE)

    _write(files, "cold", ["archive"])
    assert files.fleet.pulumi("stack", "init", "cold").returncode == 0
    moved = files.fleet.pulumi(*command.replace("'", "").split(), "--yes")
    assert moved.returncode == 0, moved.stderr
    _write(files, "files", ["media"])
    previewed = files.run("preview", "files", "cold", "--expect-no-changes")
    done = files.run("up", "files", "cold", "--yes")

    assert previewed.returncode == 0, previewed.stdout + previewed.stderr
    assert done.returncode == 0, done.stdout + done.stderr
    assert _identities(files) == before
    assert "archive-adapter-nfs" in before
    assert files.run("preview", "files", "cold", "--expect-no-changes").returncode == 0


@pytest.mark.long
def test_a_lost_state_is_made_again_by_adopting_what_is_there(files: ClusterFleet) -> None:
    """The runbook's way: the stack's file is there, the backend is empty."""
    before = _identities(files)
    shutil.rmtree(files.fleet.root / "state")
    (files.fleet.root / "state").mkdir()

    assert files.fleet.pulumi("stack", "init", "files").returncode == 0
    shown = files.run("adopt", "files")
    adopted = files.run("adopt", "files", "--yes")

    assert "adopted" in shown.stdout + shown.stderr
    assert adopted.returncode == 0, adopted.stdout + adopted.stderr
    assert _identities(files) == before
    assert files.run("preview", "files", "--expect-no-changes").returncode == 0
