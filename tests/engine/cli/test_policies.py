"""Policy packs that the command passes to the engine."""

import json
import os

import pytest
from pulumi.automation import PulumiCommand

from lab.bed.policy_host import policy_host
from lab.gotools import StreamProgress
from tests import ROOT
from tests.engine.cli.fleet_bed import Fleet

pytestmark = pytest.mark.long

PACK = "--policy-pack", str(ROOT / "policy")


@pytest.fixture
def path(pulumi_cli: PulumiCommand) -> dict[str, str]:
    """An environment in which the engine finds what runs policy packs."""
    return {"PATH": f"{policy_host(StreamProgress())}{os.pathsep}{os.environ['PATH']}"}


def test_a_policy_pack_stops_a_removal_that_the_brake_allows(fleet: Fleet, path: dict[str, str]) -> None:
    fleet.add_stack("prod")
    fleet.render("prod")
    fleet.server("prod").set_adapter("smb", port=12445)
    assert fleet.run("up", "prod", "-y").returncode == 0
    fleet.server("prod").disable("smb")

    refused = fleet.run("up", "prod", "-y", *PACK, environment=path)

    assert refused.returncode == 5, refused.stderr
    assert "policy adapter-removals: media/smb: its LoadBalancer Service" in refused.stdout
    assert "policy adapter-exposure: media/nfs" in refused.stderr, "advice is said as it comes"
    assert "Traceback" not in refused.stderr
    assert set(fleet.services("prod")) == {"media-adapter-nfs", "media-adapter-smb"}

    config = fleet.root / "policies.json"
    config.write_text(json.dumps({"adapter-removals": {"approve": ["media/smb"]}}))
    done = fleet.run("up", "prod", "-y", *PACK, "--policy-pack-config", "policies.json", environment=path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert set(fleet.services("prod")) == {"media-adapter-nfs"}


def test_every_wrong_flag_is_named_at_once(fleet: Fleet) -> None:
    fleet.add_stack("prod")
    (fleet.root / "bad.json").write_text("{")

    done = fleet.run("preview", "prod", *PACK, "--policy-pack", "nowhere", "--policy-pack-config", "bad.json")

    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert ["error: --policy-pack nowhere" in lines[0], "given 1 times" in lines[1]] == [True, True]
    assert "bad.json: is not JSON" in lines[2]
    assert fleet.server("prod").requests == ()


def test_what_runs_policy_packs_is_named_where_it_is_missing(fleet: Fleet) -> None:
    fleet.add_stack("prod")
    fleet.render("prod")

    done = fleet.run("preview", "prod", *PACK)

    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "could not start policy pack" in said
    assert "Traceback" not in said
