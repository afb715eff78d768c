"""The first port move of each object is previewed, made in place, and followed by an empty preview."""

import pytest

from dittoinfra.exitcodes import ExitCode
from dittoinfra.stacks.result import RunReport
from lab.simulator import SimulatedDittoFS
from lab.standin import sessions
from lab.standin.terms import Settings
from tests.engine.deploy.workload import media, touched
from tests.engine.namespace import Namespace
from tests.engine.provider.identity import (
    SERVICES,
    STATEFUL_SETS,
    container_ports,
    identities,
    pod_template,
)
from tests.engine.world import PASSWORD_ENV, World, server


def moved(world: World) -> RunReport:
    """An update as its preview told it, and a second preview that finds nothing."""
    foretold = world.preview()
    done = world.up()
    assert touched(done) == touched(foretold)
    assert not done.changes.replace
    assert not done.changes.delete
    world.assert_settled()
    return done


@pytest.mark.parametrize("service_port", [None, 2049])
@pytest.mark.parametrize("kind", ["LoadBalancer", "NodePort", "ClusterIP"])
def test_an_adapter_service_moves_in_place(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS, kind: str, service_port: int | None
) -> None:
    exposed = {"service": {"type": kind}, "types": {"nfs": {"servicePort": service_port}}}
    world.configure(server(dittofs, namespace=namespace.name, adapters=exposed))
    world.up()
    before = identities(namespace)

    dittofs.set_adapter("nfs", port=12050)
    report = moved(world)

    assert touched(report).keys() == {"Service/media/nfs"}
    assert identities(namespace) == before
    port = namespace.get(f"{SERVICES}/media-adapter-nfs")["spec"]["ports"]
    assert [(p["port"], p["targetPort"]) for p in port] == [(service_port or 12050, 12050)]


def test_extras_of_an_adapter_move_with_it(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    exposed = {"service": {"preset": "operator"}}
    world.configure(server(dittofs, namespace=namespace.name, adapters=exposed))
    world.up()
    before = identities(namespace)

    dittofs.set_adapter("nfs", port=12050)
    moved(world)

    assert identities(namespace) == before


def test_a_deployed_server_moves_its_adapter_with_one_restart(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS
) -> None:
    api = {"url": dittofs.url, "username": "admin", "passwordEnv": PASSWORD_ENV}
    world.configure(media(namespace.name, deploy={}, api=api))
    world.up()
    before, template = identities(namespace), pod_template(namespace)
    uid = namespace.get(f"{STATEFUL_SETS}/media")["metadata"]["uid"]

    dittofs.set_adapter("nfs", port=12050)
    report = moved(world)

    assert touched(report).keys() == {
        "Service/media/nfs",
        "Service/media-headless",
        "StatefulSet/media",
    }
    assert identities(namespace) == before
    assert pod_template(namespace) == template + 1
    assert namespace.get(f"{STATEFUL_SETS}/media")["metadata"]["uid"] == uid
    assert container_ports(namespace)["adapter-nfs"] == 12050


@pytest.mark.parametrize(
    ("first", "then", "service"),
    [
        ({}, {"api": {"port": 8081}}, "media-api"),
        ({"metrics": {"enabled": True}}, {"metrics": {"enabled": True, "port": 9091}}, "media-metrics"),
    ],
    ids=["api", "metrics"],
)
def test_the_static_services_move_in_place(
    world: World, namespace: Namespace, first: dict[str, object], then: dict[str, object], service: str
) -> None:
    world.configure(media(namespace.name, deploy=first))
    world.up()
    before, template = identities(namespace), pod_template(namespace)

    world.configure(media(namespace.name, deploy=then))
    report = moved(world)

    assert f"Service/{service}" in touched(report)
    assert identities(namespace) == before
    assert pod_template(namespace) == template + 1


def test_objects_that_were_created_by_post_move_in_place(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = {"url": dittofs.url, "username": "admin", "passwordEnv": PASSWORD_ENV}
    world.configure(media(namespace.name, deploy={}, api=api))
    with monkeypatch.context() as earlier:
        # As by versions that did not set `upsertExistingObjects`.
        earlier.setattr(
            sessions, "Settings", lambda **on: Settings(**on | {"upsert_existing_objects": False})
        )
        world.up()
    assert managers(namespace, f"{SERVICES}/media-adapter-nfs") == [("pulumi-kubernetes", "Update")]
    world.assert_settled()
    before, template = identities(namespace), pod_template(namespace)

    dittofs.set_adapter("nfs", port=12050)
    world.configure(media(namespace.name, deploy={"api": {"port": 8081}}, api=api))
    told = world.preview().lines("info")
    report = moved(world)

    assert touched(report).keys() >= {
        "Service/media/nfs",
        "Service/media-api",
        "Service/media-headless",
        "StatefulSet/media",
    }
    assert [
        line for line in told if line.startswith("Service media/nfs: adapter-nfs moves from 12049 to 12050")
    ]
    assert identities(namespace) == before
    assert pod_template(namespace) == template + 1
    assert container_ports(namespace)["adapter-nfs"] == 12050
    assert [each for each, _ in managers(namespace, f"{SERVICES}/media-adapter-nfs")] != ["pulumi-kubernetes"]


def managers(namespace: Namespace, path: str) -> list[tuple[str, str]]:
    """Managers of an object's fields, each with how it wrote them."""
    entries = namespace.get(path)["metadata"]["managedFields"]
    return [(entry["manager"], entry["operation"]) for entry in entries if not entry.get("subresource")]


@pytest.mark.parametrize(
    "setting",
    ["upsertExistingObjects", "enablePatchForce", "enableConfigMapMutable", "enableSecretMutable"],
)
def test_a_stack_that_overrides_what_this_needs_is_refused(
    world: World, namespace: Namespace, dittofs: SimulatedDittoFS, setting: str
) -> None:
    world.provider_settings = {**world.provider_settings, setting: "false"}
    world.configure(server(dittofs, namespace=namespace.name))

    report = world.stack.up()

    assert report.exit_code == ExitCode.CONFIGURATION
    (line,) = report.lines("error")
    assert line.startswith("stacks/Pulumi.world.yaml:")
    assert f" kubernetes:{setting}: is 'false' and must be \"true\"" in line
    assert namespace.get(SERVICES)["items"] == []
