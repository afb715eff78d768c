"""`onRefusal: hold`: a refused run succeeds, says why, and changes nothing, whatever the state holds."""

from typing import Any

import pytest

from dittoinfra.changes import Changes
from dittoinfra.exitcodes import ExitCode
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server

EVERYTHING: dict[str, Any] = {
    "networkPolicy": {"mode": "defaultDeny", "ports": [8080]},
    "adapters": {"types": {"nfs": {"extras": {"udp": True}, "splitUdp": True}}},
    "deploy": {
        "createNamespace": True,
        "podDisruptionBudget": True,
        "metrics": {"enabled": True, "serviceMonitor": {"enabled": True}},
        "database": {"percona": {}},
        "api": {"ingress": {"host": "media.example.com"}},
    },
}
OPTIONS = (
    "type",
    "parent",
    "inputs",
    "outputs",
    "customTimeouts",
    "retainOnDelete",
    "additionalSecretOutputs",
)


def sealed(value: Any) -> Any:  # noqa: ANN401 - any part of a state
    """The same without ciphertext, which is another one each time that a value is encrypted."""
    match value:
        case dict():
            return {key: sealed(entry) for key, entry in value.items() if key != "ciphertext"}
        case list():
            return [sealed(entry) for entry in value]
        case _:
            return value


def resources(world: World) -> dict[str, dict[str, Any]]:
    """What the state holds, as far as it says what becomes of an object."""
    return {
        this["urn"]: {key: sealed(this.get(key)) for key in OPTIONS}
        for this in world.stack.export()["resources"]
        if this["type"] != "pulumi:pulumi:Stack"
    }


def exported(world: World) -> dict[str, Any]:
    """What the stack exports of the server `media`."""
    [stack] = [r for r in world.stack.export()["resources"] if r["type"] == "pulumi:pulumi:Stack"]
    return dict(stack["outputs"]["servers"]["media"])


def ready(world: World) -> dict[str, Any]:
    """Its condition `Ready`."""
    [found] = [this for this in exported(world)["conditions"] if this["type"] == "Ready"]
    return dict(found)


def assert_held(world: World, *said: str) -> None:
    """The next update changes nothing, and says and exports why."""
    before, files, adapters = resources(world), world.services(), exported(world)["adapters"]

    preview, report = world.preview(), world.up()

    for each in (preview, report):
        assert not each.changes.any, each.steps
        [line] = [line for line in each.lines("warning") if line.startswith("held: ")]
        for text in ("nothing changes", *said):
            assert text in line
    assert resources(world) == before
    assert world.services() == files
    assert (ready(world)["status"], ready(world)["reason"]) == ("False", "Held")
    assert ready(world)["message"] == line
    assert exported(world)["adapters"] == adapters


def test_the_brake_holds_what_it_would_have_refused_and_an_approval_lets_it_through(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs), absencePolls=1, onRefusal="hold")
    world.up()
    dittofs.remove_adapter("nfs")
    dittofs.remove_adapter("smb")

    approval = "`dittoinfra:approveRemovals: [media/nfs, media/smb]`"
    assert_held(world, "(media/nfs, media/smb stay as they are)", "brake: this run would remove", approval)

    world.configure(
        server(dittofs), absencePolls=1, onRefusal="hold", approveRemovals=["media/nfs", "media/smb"]
    )
    assert world.run_changes() == Changes(delete=2, same=2)
    assert ready(world)["reason"] != "Held"


def test_a_silent_server_that_must_answer_holds_the_stack_until_it_is_back(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs), onUnreachable="fail", onRefusal="hold")
    world.up()
    dittofs.outage()
    # What else would change waits with it.
    adapters = {"service": {"annotations": {"example.com/team": "files"}}}
    world.configure(server(dittofs, adapters=adapters), onUnreachable="fail", onRefusal="hold")

    assert_held(world, "media: unreachable: ", "`onUnreachable: keep` goes on without its answer")

    dittofs.normal()
    assert world.run_changes().update == 2
    assert ready(world)["status"] == "Unknown"


@pytest.mark.parametrize("servers", ["none", "moved"])
def test_a_configuration_that_would_remove_everything_holds_it(
    world: World, dittofs: SimulatedDittoFS, servers: str
) -> None:
    world.configure(server(dittofs), onRefusal="hold")
    world.up()

    if servers == "none":
        world.configure(onRefusal="hold")
        assert_held(world, "configuration lost: this run would remove all 2 adapters")
    else:
        world.configure(server(dittofs, namespace="elsewhere"), onRefusal="hold")
        assert_held(world, "media/nfs (moved), media/smb (moved)")

    world.configure(server(dittofs), onRefusal="hold")
    assert not world.run_changes().any
    assert ready(world)["status"] == "Unknown"


def test_every_kind_of_object_of_a_deployed_server_is_held_with_its_secrets(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs, **EVERYTHING), absencePolls=1, onRefusal="hold")
    for key in ("jwt", "adminPassword"):
        secret = (credential(key) + "0" * 32)[:64]
        world.stack.set_config(f"dittoinfra:serverSecrets.media.{key}", secret, secret=True, path=True)
    world.up()
    held = {urn.split("::")[2].rpartition(":")[2] for urn in resources(world)}
    assert held >= {"Namespace", "Secret", "ConfigMap", "StatefulSet", "NetworkPolicy", "Ingress"}
    assert held >= {"ServiceMonitor", "PerconaPGCluster", "PodDisruptionBudget"}
    dittofs.remove_adapter("nfs")
    dittofs.remove_adapter("smb")

    assert_held(world, "which would leave none")


def test_what_cannot_be_held_fails(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs), onRefusal="hold")
    world.up()
    before = world.services()

    # A provider that leads elsewhere replaces every object, whatever is declared of it.
    world.provider_settings = {"renderYamlToDirectory": "elsewhere"}
    world.configure(server(dittofs), onRefusal="hold")

    assert world.stack.up().exit_code == ExitCode.POLICY
    assert world.services() == before


def test_a_new_stack_that_is_refused_has_nothing_to_hold(world: World, dittofs: SimulatedDittoFS) -> None:
    dittofs.outage()
    world.configure(server(dittofs), onUnreachable="fail", onRefusal="hold")

    report = world.up()

    [line] = [line for line in report.lines("warning") if line.startswith("held: ")]
    assert line.startswith("held: nothing changes: media: unreachable: ")
    assert world.services() == {}
    dittofs.normal()
    assert world.run_changes().create == 3
