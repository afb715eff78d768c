"""States of both shapes say the same: the tree of today, and the one with a component for each adapter."""

from typing import Any

import pytest

from dittoinfra.model import (
    DeclaredAdapter,
    HostNames,
    Located,
    NameMemory,
    RememberedAdapter,
    RememberedNames,
    RememberedServer,
    State,
)
from dittoinfra.object_model import HeldObject
from dittoinfra.state import remembered_names, server_memory
from dittoinfra.state.kubernetes_objects import held_objects
from dittoinfra.state.remembered import remembered_adapters, remembered_servers
from dittoinfra.state.server_outputs import names_output

PLACE = "urn:pulumi:prod::dittoinfra::"
SERVER = "dittoinfra:index:Server"
ADAPTER = f"{SERVER}$dittoinfra:index:AdapterService"
SERVICE = "kubernetes:core/v1:Service"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"

NFS = DeclaredAdapter("nfs", 12049, State.ABSENT, 2)
TOLD = RememberedNames(
    HostNames("media", "nfs", "files", "media-adapter-nfs", "external-dns", "nfs.example.com"),
    Located(("192.0.2.1",)),
)
LATER = RememberedNames(TOLD.names, Located(("192.0.2.9",)))

Resources = dict[str, dict[str, Any]]


def service(name: str) -> dict[str, Any]:
    return {
        "outputs": {
            "metadata": {"name": name, "namespace": "files"},
            "spec": {"ports": [{"name": "adapter-nfs", "targetPort": 12049.0}]},
            "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}},
        }
    }


def objects(around_adapter: str, around_headless: str) -> Resources:
    return {
        f"{PLACE}{around_adapter}${SERVICE}::media/nfs": service("media-adapter-nfs"),
        f"{PLACE}{around_adapter}${SERVICE}::udp:media/nfs": service("media-adapter-nfs-udp"),
        f"{PLACE}{around_adapter}${POLICY}::media/nfs": service("media-adapter-nfs"),
        f"{PLACE}{around_headless}${SERVICE}::media-headless": service("media-headless"),
    }


def today() -> Resources:
    noted = server_memory("files", [NFS], None, {"nfs": TOLD})
    return {f"{PLACE}{SERVER}::media": {"outputs": noted}, **objects(SERVER, SERVER)}


def former() -> Resources:
    headless = f"{SERVER}$dittoinfra:index:HeadlessService"
    return {
        f"{PLACE}{SERVER}::media": {"outputs": server_memory("files", [NFS], None)},
        f"{PLACE}{ADAPTER}::media/nfs": {"outputs": {"dns": names_output(TOLD)}},
        f"{PLACE}{headless}::media-headless": {"outputs": {}},
        **objects(ADAPTER, headless),
    }


SHAPES = pytest.mark.parametrize("state", [today(), former()], ids=["today", "former"])


@SHAPES
def test_adapters_servers_names_and_objects_are_the_same_in_both(state: Resources) -> None:
    assert remembered_adapters(state) == {
        "media": {"nfs": RememberedAdapter("nfs", 12049, 2, "files", split=True)}
    }
    assert remembered_servers(state) == {"media": RememberedServer("files")}
    assert remembered_names(state) == NameMemory({"media/nfs": TOLD}, {"media/nfs": Located(("192.0.2.1",))})
    assert set(held_objects(state)) == {
        HeldObject("v1", "Service", "media/nfs"),
        HeldObject("v1", "Service", "udp:media/nfs"),
        HeldObject("networking.k8s.io/v1", "NetworkPolicy", "media/nfs"),
        HeldObject("v1", "Service", "media-headless"),
    }


@SHAPES
def test_a_service_that_no_server_notes_is_not_forgotten_in_either(state: Resources) -> None:
    # Its removal has failed; a second Service, a policy or a component is no adapter.
    state = {**state, f"{PLACE}{SERVER}::media": {"outputs": server_memory("files", [], None)}}

    assert remembered_adapters(state) == {
        "media": {"nfs": RememberedAdapter("nfs", 12049, namespace="files", split=True)}
    }


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_state_in_between_is_read_as_its_newer_part_has_it(newest_first: bool) -> None:
    noted = {f"{PLACE}{SERVER}::media": {"outputs": server_memory("files", [NFS], None, {"nfs": LATER})}}
    left = {f"{PLACE}{ADAPTER}::media/nfs": {"outputs": {"dns": names_output(TOLD)}}}
    service_moved = {f"{PLACE}{SERVER}${SERVICE}::media/nfs": service("media-adapter-nfs")}

    state = {**noted, **left, **service_moved} if newest_first else {**service_moved, **left, **noted}

    assert remembered_names(state).told == {"media/nfs": LATER}
    assert remembered_adapters(state) == {"media": {"nfs": RememberedAdapter("nfs", 12049, 2, "files")}}


def test_an_empty_component_is_no_adapter() -> None:
    assert remembered_adapters({f"{PLACE}{ADAPTER}::media/nfs": {"outputs": {}}}) == {}
