"""Whose a resource is, by its URN, in the tree of today and in that of earlier versions."""

import pytest

from dittoinfra.urns import (
    FORMER_ADAPTER_TYPE,
    HEADLESS_TYPE,
    SERVER_TYPE,
    SERVICE,
    adapter_around,
    adapter_of,
    former_urn,
    is_former_component,
    server_around,
    type_token,
)

PLACE = "urn:pulumi:prod::dittoinfra::"
SERVER = f"{PLACE}{SERVER_TYPE}::media"
NFS = ("media", "nfs")


def urn(kind: str, name: str, *around: str) -> str:
    return f"{PLACE}{'$'.join((SERVER_TYPE, *around, kind))}::{name}"


@pytest.mark.parametrize("around", [(), (FORMER_ADAPTER_TYPE,)], ids=["today", "former"])
def test_an_adapter_is_known_by_its_service_and_owns_the_rest_in_both_shapes(around: tuple[str, ...]) -> None:
    service, udp, policy = (
        urn(SERVICE, "media/nfs", *around),
        urn(SERVICE, "udp:media/nfs", *around),
        urn(type_token("networking.k8s.io/v1", "NetworkPolicy"), "media/nfs", *around),
    )

    assert [adapter_of(this) for this in (service, udp, policy)] == [NFS, None, None]
    assert [adapter_around(this) for this in (service, udp, policy)] == [NFS, NFS, NFS]
    assert [server_around(this) for this in (service, udp, policy)] == ["media", "media", "media"]
    assert not any(map(is_former_component, (service, udp, policy)))


@pytest.mark.parametrize(
    ("other", "server"),
    [
        (SERVER, "media"),
        (f"{PLACE}kubernetes:core/v1:Namespace${SERVER_TYPE}::media", "media"),
        (urn(SERVICE, "media-api"), None),
        (urn(SERVICE, "media-headless", HEADLESS_TYPE), None),
        (urn("kubernetes:apps/v1:StatefulSet", "media"), None),
        (f"{PLACE}{SERVICE}::media/nfs", None),
        (f"{PLACE}{HEADLESS_TYPE}${SERVICE}::media/nfs", None),
        (f"{PLACE}pulumi:pulumi:Stack::dittoinfra-prod", None),
    ],
)
def test_nothing_else_is_an_adapters(other: str, server: str | None) -> None:
    assert adapter_of(other) is None
    assert adapter_around(other) is None
    assert server_around(other) == server


def test_a_type_may_have_what_separates_names() -> None:
    assert adapter_of(urn(SERVICE, "media/odd/type::x")) == ("media", "odd/type::x")


def test_components_of_earlier_versions_are_those_below_a_server() -> None:
    assert is_former_component(urn(FORMER_ADAPTER_TYPE, "media/nfs"))
    assert server_around(urn(FORMER_ADAPTER_TYPE, "media/nfs")) == "media"
    assert is_former_component(urn(HEADLESS_TYPE, "media-headless"))
    assert not is_former_component(SERVER)
    assert not is_former_component(f"{PLACE}{HEADLESS_TYPE}::my-cache"), "it is used by itself"
    assert not is_former_component(f"{PLACE}theirs:index:Cache${HEADLESS_TYPE}::my-cache")


def test_an_alias_is_the_whole_urn_that_an_object_had() -> None:
    assert former_urn(SERVER, FORMER_ADAPTER_TYPE, SERVICE, "media/nfs") == (
        "urn:pulumi:prod::dittoinfra::dittoinfra:index:Server$dittoinfra:index:AdapterService"
        "$kubernetes:core/v1:Service::media/nfs"
    )
    inside = f"{PLACE}theirs:index:Site${SERVER_TYPE}::media"
    assert former_urn(inside, HEADLESS_TYPE, SERVICE, "media-headless") == (
        f"{PLACE}theirs:index:Site${SERVER_TYPE}${HEADLESS_TYPE}${SERVICE}::media-headless"
    )
