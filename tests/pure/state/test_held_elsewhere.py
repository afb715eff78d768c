"""What other components and resources of a program hold, and a component must not take."""

from typing import Any

import pytest

from dittoinfra.object_model import ObjectPlace, OtherHolder
from dittoinfra.state import ServerPlace, component_notes, held_by_another, held_elsewhere

PLACE = "urn:pulumi:dev::acme"
EXISTING, DEPLOYED = "dittoinfra:index:ExistingServer", "dittoinfra:index:DeployedServer"
SERVICE = "kubernetes:core/v1:Service"
MEDIA = f"{PLACE}::{EXISTING}::media"
NFS = f"{PLACE}::{EXISTING}${SERVICE}::media/nfs"
NFS_PLACE = ObjectPlace("v1", "Service", "files", "media-adapter-nfs")
TODAY = [f"{PLACE}::{DEPLOYED}::media"]


def service(name: str = "media-adapter-nfs", **more: str) -> dict[str, Any]:
    return {"outputs": {"metadata": {"name": name, "namespace": "files", **more}}}


def component(server: str, provider: str | None = None) -> dict[str, Any]:
    return {"outputs": {"adapters": {}, **component_notes(server, provider)}}


def test_an_object_of_a_component_of_another_type_is_held_elsewhere() -> None:
    resources = {
        MEDIA: component("media", "east"),
        NFS: service(uid="1"),
        f"{PLACE}::acme:index:Thing::x": {},
    }

    held = OtherHolder(NFS, "1", "media", MEDIA, "east")
    assert held_elsewhere(resources, TODAY, "media") == {NFS_PLACE: held}
    assert held_elsewhere(resources, [*TODAY, MEDIA], "media") == {}, "an alias makes it the component's own"


def test_a_component_that_the_state_has_lost_is_named_as_it_must_have_been() -> None:
    found = held_elsewhere({NFS: service()}, TODAY, "media")

    assert found == {NFS_PLACE: OtherHolder(NFS, None, "media", MEDIA)}


def test_objects_of_the_program_itself_and_of_unknown_servers_have_no_component() -> None:
    plain, unknown = f"{PLACE}::{SERVICE}::own", f"{PLACE}::{EXISTING}${SERVICE}::x"
    resources = {plain: service("own"), unknown: service("x"), f"{PLACE}::{SERVICE}Patch::p": service("p")}

    found = held_elsewhere(resources, TODAY, "media")

    assert {holder.urn: holder.component for holder in found.values()} == {plain: None, unknown: None}


@pytest.mark.parametrize("first", [0, 1])
def test_of_two_holders_of_one_object_the_component_counts(first: int) -> None:
    holders = [(f"{PLACE}::{SERVICE}::own", service()), (NFS, service())]
    resources = dict([holders[first], holders[1 - first]])

    assert held_elsewhere(resources, TODAY, "media")[NFS_PLACE].component == MEDIA


@pytest.mark.parametrize(
    ("server", "provider", "found"),
    [
        (("files", "media"), ("east", {"context": "other"}), True),
        (("files", "media"), ("new", {"context": "east"}), True),
        (("files", "media"), ("west", {"context": "west"}), False),
        (("other", "media"), ("east", {"context": "east"}), False),
        (("files", "scans"), ("east", {"context": "east"}), False),
    ],
    ids=["same provider", "same cluster", "another cluster", "another namespace", "another server"],
)
def test_the_same_server_in_the_same_cluster_is_held_by_another(
    server: tuple[str, str], provider: tuple[str, dict[str, str]], found: bool
) -> None:
    resources = {
        f"{PLACE}::pulumi:providers:kubernetes::east": {"outputs": {"context": "east"}},
        MEDIA: component("media", "east"),
        NFS: service(),
        f"{PLACE}::{SERVICE}::own": service("own"),
    }
    elsewhere = held_elsewhere(resources, TODAY, "media")

    held = held_by_another(resources, elsewhere, server[1], ServerPlace(server[0], *provider))

    assert (held and (held[0], held[1].component)) == ((NFS_PLACE, MEDIA) if found else None)
