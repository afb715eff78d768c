"""The events of a stack's lifecycle on the real engine."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from pulumi.automation import EngineEvent

from dittoinfra.reports.events import EventWriter
from dittoinfra.stacks.project_stack import Why
from lab.simulator import SimulatedDittoFS
from tests.engine.events.conftest import Failing, Heard
from tests.engine.world import CREDENTIALS, World, server


def test_the_life_of_an_adapter(world: World, dittofs: SimulatedDittoFS, heard: Heard) -> None:
    dittofs.disable("smb")
    world.configure(server(dittofs, adapters={"types": {"nfs": {"servicePort": 2049}}}))
    assert world.stack.preview().ok
    assert heard.told() == [], "a preview does nothing"

    world.up()
    [created] = heard.taken()
    assert (created.reason, created.type, created.action) == ("AdapterServiceCreated", "Normal", "Create")
    assert (created.stack, created.server, created.adapter) == ("world", "media", "nfs")
    assert created.object.model_dump() == {
        "apiVersion": "v1",
        "kind": "Service",
        "namespace": "files",
        "name": "media-adapter-nfs",
        "uid": None,
    }
    assert created.cause == "served, not in the stack yet"
    expected = "Service media-adapter-nfs for adapter nfs created: "
    assert created.message == f"{expected}{created.cause}; LoadBalancer, 2049 → 12049/TCP"
    assert abs(datetime.now(UTC) - created.time) < timedelta(minutes=5)

    world.up()
    assert heard.told() == [], "a run with nothing new tells nothing"

    dittofs.set_adapter("nfs", port=12050)
    world.up()
    [updated] = heard.taken()
    assert (updated.reason, updated.adapter) == ("AdapterServiceUpdated", "nfs")
    assert updated.cause == "served, moved from port 12049 to 12050"
    assert updated.message.endswith(f"updated: {updated.cause}; spec.ports[0].targetPort 12049 → 12050")

    dittofs.disable("nfs")
    world.up()
    [deleted] = heard.taken()
    assert (deleted.reason, deleted.action, deleted.server) == ("AdapterServiceDeleted", "Delete", "media")
    assert deleted.message == "Service media-adapter-nfs for adapter nfs deleted: disabled on the server"
    assert deleted.cause == "disabled on the server"


def test_a_deployed_server_with_policies(world: World, dittofs: SimulatedDittoFS, heard: Heard) -> None:
    dittofs.disable("smb")
    world.configure(server(dittofs, deploy={"credentials": CREDENTIALS}, networkPolicy={"mode": "enabled"}))
    world.up()
    created = heard.taken()
    assert {event.server for event in created} == {"media"}
    assert [(event.reason, event.object.name, event.adapter) for event in created] == [
        ("StatefulSetCreated", "media", None),
        ("AdapterServiceCreated", "media-adapter-nfs", "nfs"),
        ("NetworkPolicyCreated", "media-adapter-nfs", "nfs"),
        ("ServiceCreated", "media-api", None),
        ("NetworkPolicyCreated", "media-baseline", None),
        ("ConfigMapCreated", "media-config", None),
        ("ServiceCreated", "media-headless", None),
    ]

    dittofs.set_adapter("smb", port=12445)
    world.up()
    changed = heard.taken()
    assert [(event.reason, event.object.name) for event in changed] == [
        ("ContainerPortsUpdated", "media"),
        ("AdapterServiceCreated", "media-adapter-smb"),
        ("NetworkPolicyCreated", "media-adapter-smb"),
        ("ServiceUpdated", "media-headless"),
    ]
    expected = "container ports of StatefulSet media updated: + adapter-smb 12445/TCP"
    assert changed[0].message == expected

    image = {"credentials": CREDENTIALS, "image": "example.com/dittofs:2"}
    world.configure(server(dittofs, deploy=image, networkPolicy={"mode": "enabled"}))
    world.up()
    assert heard.told() == [("StatefulSetUpdated", "media")], "its ports are as they were"

    assert world.stack.destroy().ok
    destroyed = heard.taken()
    assert {event.cause for event in destroyed} == {"the stack is destroyed"}
    assert {event.reason for event in destroyed} == {
        "AdapterServiceDeleted",
        "ConfigMapDeleted",
        "NetworkPolicyDeleted",
        "ServiceDeleted",
        "StatefulSetDeleted",
    }


def test_what_fails_is_a_warning_with_its_cause(
    world: World, dittofs: SimulatedDittoFS, heard: Heard, failing: Failing
) -> None:
    dittofs.disable("smb")
    world.configure(server(dittofs))
    failing.operation, failing.name = "create", "media/nfs"
    assert not world.stack.up().ok

    [failed] = heard.taken()
    assert (failed.reason, failed.type, failed.adapter) == ("AdapterServiceCreateFailed", "Warning", "nfs")
    assert failed.message.endswith("could not be created: the cloud is out of addresses")

    failing.operation = ""
    world.up()
    assert heard.told() == [("AdapterServiceCreated", "media-adapter-nfs")]
    failing.operation = "delete"
    dittofs.disable("nfs")
    assert not world.stack.up().ok
    assert heard.told() == [("AdapterServiceDeleteFailed", "media-adapter-nfs")]


def test_what_a_cluster_says_moves_no_terminal(
    world: World, dittofs: SimulatedDittoFS, heard: Heard, failing: Failing
) -> None:
    dittofs.disable("smb")
    world.configure(server(dittofs))
    failing.operation, failing.name = "create", "media/nfs"
    failing.message = "no\x1b]0;owned\x07\r\n::error::\u202egnp\x9b31m"

    assert not world.stack.up().ok

    [failed] = heard.taken()
    assert failed.message.endswith("could not be created: no\ufffd]0;owned\ufffd ::error::\ufffdgnp\ufffd31m")


def test_what_a_refresh_finds_was_done_by_others(
    world: World, dittofs: SimulatedDittoFS, heard: Heard
) -> None:
    world.configure(server(dittofs))
    world.up()
    heard.taken()
    for manifest in world.manifests.rglob("service-*nfs*.yaml"):
        manifest.unlink()

    assert world.stack.refresh().changes.delete == 1

    assert heard.told() == []


def test_a_preview_is_told_when_asked(world: World, dittofs: SimulatedDittoFS, heard: Heard) -> None:
    dittofs.disable("smb")
    world.configure(server(dittofs))
    world.stack.on_event = EventWriter(heard, previews=True).listen("world")

    world.preview()

    [planned] = heard.taken()
    assert (planned.reason, planned.planned) == ("AdapterServiceCreated", True)
    assert "to be created" in planned.message


@pytest.mark.parametrize(
    "how",
    [
        {"backend": "router-hosts"},
        {"backend": "router-hosts", "kind": "HostMapping"},
        {"backend": "external-dns"},
        {"backend": "external-dns", "annotationPrefix": "dns.example.com"},
    ],
    ids=lambda how: "-".join(how.values()),
)
def test_names_come_and_go(
    world: World, dittofs: SimulatedDittoFS, heard: Heard, how: dict[str, str]
) -> None:
    dittofs.disable("smb")

    def named(hostname: str | None) -> list[tuple[str, str, str]]:
        dns = hostname and {**how, "hostname": hostname, "ip": "192.0.2.7"}
        world.configure(server(dittofs, adapters={"service": {"dns": dns}}))
        world.up()
        told = [event for event in heard.taken() if event.reason.startswith("Host") and event.adapter]
        assert {event.object.name for event in told} <= {"media-adapter-nfs"}
        return [
            (event.reason, event.action, event.message)
            for event in told
            if event.reason in ("HostRequested", "HostDeleted")
        ]

    def requested(name: str) -> tuple[str, str, str]:
        return "HostRequested", "Create", f"{name} → 192.0.2.7, requested from {how['backend']}"

    first, second = "nfs.example.com", "files.example.com"
    gone = "HostDeleted", "Delete"
    assert named(first) == [requested(first)]
    assert named(first) == []
    assert named(second) == [(*gone, f"{first} is no longer requested"), requested(second)]
    assert named(None) == [(*gone, f"{second} is no longer requested")]


def test_names_go_with_their_adapter(world: World, dittofs: SimulatedDittoFS, heard: Heard) -> None:
    dittofs.disable("smb")
    world.configure(server(dittofs, adapters={"service": {"dns": {"hostname": "nfs.example.com"}}}))
    world.up()
    assert heard.told() == [
        ("AdapterServiceCreated", "media-adapter-nfs"),
        ("PendingLoadBalancer", "media-adapter-nfs"),
    ]

    dittofs.disable("nfs")
    world.up()

    deleted, host = heard.taken()
    assert (host.reason, host.cause) == ("HostDeleted", "disabled on the server")
    assert host.object == deleted.object


def test_names_of_a_service_are_told_when_it_was_created(
    world: World, dittofs: SimulatedDittoFS, heard: Heard, failing: Failing
) -> None:
    dittofs.disable("smb")
    dns = {"hostname": "nfs.example.com", "ip": "192.0.2.7"}
    world.configure(server(dittofs, adapters={"service": {"dns": dns}}))
    failing.operation, failing.name = "create", "media/nfs"
    assert not world.stack.up().ok
    assert heard.told() == [("AdapterServiceCreateFailed", "media-adapter-nfs")]

    failing.operation = ""
    world.up()

    assert heard.told() == [
        ("AdapterServiceCreated", "media-adapter-nfs"),
        ("HostRequested", "media-adapter-nfs"),
    ]


def test_a_listener_remembers_no_step_that_has_ended(
    world: World, dittofs: SimulatedDittoFS, heard: Heard
) -> None:
    world.configure(server(dittofs))
    listener, ends = EventWriter(heard).listen("world"), list[tuple[EngineEvent, Why]]()

    def listen(event: EngineEvent, why: Why) -> None:
        listener(event, why)
        if event.res_outputs_event:
            ends.append((event, why))

    world.stack.on_event = listen
    world.up()
    told = heard.told()
    for event, why in ends:
        listener(event, why)

    assert told == [
        ("AdapterServiceCreated", "media-adapter-nfs"),
        ("AdapterServiceCreated", "media-adapter-smb"),
    ]
    assert heard.told() == [], "only a step that has begun and not ended can end"


def test_a_secret_is_in_no_event(world: World, dittofs: SimulatedDittoFS, heard: Heard) -> None:
    world.configure(server(dittofs, deploy={}))
    for key in ("jwt", "adminPassword"):
        world.stack.set_config(
            f"dittoinfra:serverSecrets.media.{key}",
            f"{key}-42-hush-hush-hush-hush-hush-42",
            secret=True,
            path=True,
        )
    world.up()

    told = [json.loads(event.model_dump_json()) for event in heard.taken()]

    assert "Secret" in {event["object"]["kind"] for event in told}
    assert "hush" not in json.dumps(told)
    assert world.password not in json.dumps(told)
