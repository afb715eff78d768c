"""`dittoinfra history` on the real engine: why was my Service removed?"""

import json
import re

import jsonschema
import pytest

from tests import ROOT
from tests.engine.cli.cluster_bed import ClusterFleet
from tests.engine.cli.fleet_bed import PASSWORD

pytestmark = pytest.mark.long


def plain(text: str) -> list[str]:
    """Lines with single spaces, any time as TIME."""
    dated = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    return [" ".join(line.split()) for line in dated.splitlines()]


def test_what_changed_when_why_and_by_which_run(cluster: ClusterFleet) -> None:
    cluster.configure("prod")
    server = cluster.fleet.server("prod")
    server.set_adapter("smb", port=12445, enabled=True)
    first = cluster.run("up", "prod", "--yes", "--message", "the first one")
    assert first.returncode == 0, first.stderr
    (nfs, smb) = first.stdout.splitlines()[-2:]
    assert nfs.startswith("media/nfs: no address outside yet; `dittoinfra status prod` shows it")
    assert smb.startswith("media/smb: no address outside yet")
    server.disable("smb")
    url = "https://ci.example.com/job/7"
    assert cluster.run("up", "prod", "--yes", BUILD_URL=url).returncode == 0
    settled = json.loads(cluster.run("up", "prod", "--yes", "--json").stdout)["stacks"][0]
    assert settled["steps"] == [], "it changes nothing, and is left out of the history"
    (adapter,) = settled["servers"][0]["adapters"]
    outputs = settled["outputs"]["servers"]["media"]["adapters"]["nfs"]["endpoints"]
    assert adapter["endpoints"]["nodePort"] == outputs["nodePort"] >= 30000

    told = cluster.run("history", "prod", "--adapter", "media/smb")

    assert [line.partition("TIME ")[2] for line in plain(told.stdout)[1:]] == [
        "update delete Service media/smb disabled on the server",
        "update create Service media/smb served, not in the stack yet",
    ]
    document = json.loads(cluster.run("history", "prod", "--json").stdout)
    jsonschema.validate(document, json.loads((ROOT / "docs/schemas/history.schema.json").read_text()))
    (stack,) = document["stacks"]
    removed, created = stack["entries"]
    assert removed["title"] == "dittoinfra up: 1 to delete"
    assert created["title"] == "the first one"
    assert [each["object"] for each in created["changes"]] == ["Service media/nfs", "Service media/smb"]
    assert removed["result"] == created["result"] == "succeeded"
    assert PASSWORD not in json.dumps(document)

    status = cluster.run("status", "prod")
    assert "last change, TIME: delete Service media/smb: disabled on the server" in plain(status.stdout)
