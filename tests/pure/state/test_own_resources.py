"""What a component of a foreign program recognises as its own past."""

from typing import Any

import pytest

from dittoinfra.object_model import HeldObject
from dittoinfra.state import OwnPast, ServerPlace, component_notes, own_past, remember

PLACE = "urn:pulumi:dev::acme"
TYPE = "dittoinfra:index:ExistingServer"
SERVICE = "kubernetes:core/v1:Service"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
MEDIA = f"{PLACE}::{TYPE}::media"
HERE = ServerPlace("files", None)


def component(adapters: tuple[str, ...] = ("nfs",), **notes: object) -> dict[str, Any]:
    noted = {name: {"port": 12049, "absences": 1} for name in adapters}
    return {"outputs": {"namespace": "files", "found": False, "adapters": noted, **notes}}


def child(name: str, kind: str = SERVICE, chain: str = TYPE) -> str:
    return f"{PLACE}::{chain}${kind}::{name}"


def labelled(server: str) -> dict[str, Any]:
    return {"outputs": {"metadata": {"name": "x", "labels": {"instance": server}}}}


def test_a_new_component_has_no_past() -> None:
    assert own_past({}, [MEDIA], None, HERE) == OwnPast()


def test_a_component_that_this_run_has_just_registered_has_no_past() -> None:
    assert own_past({MEDIA: {"outputs": {}}}, [MEDIA], None, HERE) == OwnPast()


def test_only_its_own_objects_are_remembered() -> None:
    resources = {
        MEDIA: component(server="media"),
        f"{PLACE}::{TYPE}::media-api": component(server="media-api"),
        child("media/nfs"): {},
        child("media-api/nfs"): {},
        child("media-api"): labelled("media"),
        child("media-api-baseline", POLICY): {},
        child("media-baseline", POLICY): {},
        f"{PLACE}::kubernetes:core/v1:Service::media/nfs": {},
        child("media/nfs", chain=f"acme:index:Region${TYPE}"): {},
        child("media", "acme:index:Thing"): {},
    }

    past = own_past(resources, [MEDIA], None, HERE)

    assert past.server == "media"
    tree = f"{PLACE}::dittoinfra:index:Server"
    assert set(past.resources) == {
        f"{tree}::media",
        f"{tree}${SERVICE}::media/nfs",
        f"{tree}${SERVICE}::media-api",
        f"{tree}${POLICY}::media-baseline",
    }
    identity = remember(past.resources, {}, {}).identities[HeldObject("v1", "Service", "media/nfs")]
    assert identity.urn == child("media/nfs"), "the URN that the engine knows"
    memory = remember(past.resources, {}, {})
    assert {name: set(adapters) for name, adapters in memory.adapters.items()} == {"media": {"nfs"}}
    assert memory.adapters["media"]["nfs"].absences == 1
    assert memory.held is not None


def test_a_component_that_was_renamed_and_moved_is_found_by_its_former_name() -> None:
    former = f"{PLACE}::{TYPE}::media"
    today = f"{PLACE}::acme:index:Region${TYPE}::files"
    resources = {former: component(), child("media/nfs"): {}}

    past = own_past(resources, [today, former], None, HERE)

    assert past.server == "media"
    assert set(remember(past.resources, {}, {}).adapters) == {"media"}


def test_a_component_with_a_name_of_its_own_remembers_its_server_s() -> None:
    resources = {f"{PLACE}::{TYPE}::files": component(server="media"), child("media/nfs"): {}}

    past = own_past(resources, [f"{PLACE}::{TYPE}::files"], None, HERE)

    assert past.server == "media"
    assert set(remember(past.resources, {}, {}).adapters) == {"media"}


def adapters_of(past: OwnPast) -> dict[str, dict[str, int]]:
    """The adapters that a past leads to, by server, each with its absences."""
    memory = remember(past.resources, {}, {})
    return {name: {t: this.absences for t, this in found.items()} for name, found in memory.adapters.items()}


def test_a_component_that_was_renamed_without_an_alias_is_found_by_its_server() -> None:
    resources = {MEDIA: component(server="media"), child("media/nfs"): {}}

    past = own_past(resources, [f"{PLACE}::{TYPE}::files"], "media", HERE)

    assert past.server == "media"
    assert adapters_of(past) == {"media": {"nfs": 1}}, "with what was counted"
    # One of the same server that this run has just registered, and that has no outputs yet, hides nothing.
    resources = {
        f"{PLACE}::{TYPE}::files": component(server="media"),
        child("media/nfs"): {},
        MEDIA: {"outputs": {}},
    }
    assert adapters_of(own_past(resources, [MEDIA], None, HERE)) == {"media": {"nfs": 1}}


def test_the_same_server_under_other_parents_is_not_its_past() -> None:
    resources = {MEDIA: component(server="media"), child("media/nfs"): {}}

    assert own_past(resources, [f"{PLACE}::acme:index:Region${TYPE}::media"], "media", HERE) == OwnPast()


@pytest.mark.parametrize("forgotten", [{MEDIA: {"outputs": {}}}, {}], ids=["without outputs", "gone"])
def test_services_are_remembered_where_their_component_is_not(forgotten: dict[str, Any]) -> None:
    resources = {**forgotten, child("media/nfs"): {}, child("other/nfs"): {}}

    past = own_past(resources, [MEDIA], None, HERE)

    assert past.server == "media"
    assert adapters_of(past) == {"media": {"nfs": 0}}
    assert remember(past.resources, {}, {}).held is not None


def test_a_component_that_takes_the_server_of_another_one_remembers_both() -> None:
    files = f"{PLACE}::{TYPE}::files"
    resources = {
        MEDIA: component(server="media"),
        files: component(("smb",), server="files"),
        child("media/nfs"): {},
        child("files/smb"): {},
    }

    past = own_past(resources, [files], "media", HERE)

    assert past.server == "files"
    assert adapters_of(past) == {"media": {"nfs": 1}, "files": {"smb": 1}}
    # Without a name of its own, it has the server that it had, whatever others are called.
    renamed = own_past(resources, [f"{PLACE}::{TYPE}::media", files], None, HERE)
    assert adapters_of(renamed) == {"media": {"nfs": 1}}


def test_the_provider_that_it_had_comes_along_and_no_other() -> None:
    providers = {
        f"{PLACE}::pulumi:providers:kubernetes::{name}": {"outputs": {"context": name}}
        for name in ("default_4_34_2", "east", "west")
    }
    for notes, wanted in (
        (component_notes("media", "east"), "east"),
        (component_notes("media", None), "default_4_34_2"),
    ):
        past = own_past({MEDIA: component(**notes), **providers}, [MEDIA], None, HERE)
        kept = [urn for urn in past.resources if "providers" in urn]
        assert kept == [f"{PLACE}::pulumi:providers:kubernetes::{wanted}"]


EAST, WEST = f"{PLACE}::{TYPE}::east", f"{PLACE}::{TYPE}::west"


def in_namespace(namespace: str) -> dict[str, Any]:
    return {"outputs": {"metadata": {"name": "media-adapter-nfs", "namespace": namespace}}}


def two_components() -> dict[str, Any]:
    """Two components whose servers have the same name, in two namespaces."""
    return {
        EAST: component(server="media")
        | {"outputs": {**component(server="media")["outputs"], "namespace": "a"}},
        WEST: component(("smb",), server="media"),
        child("media/nfs@east"): in_namespace("a"),
        child("media@east", "kubernetes:apps/v1:StatefulSet"): {},
        child("media/smb@west"): in_namespace("files"),
    }


@pytest.mark.parametrize(
    ("urn", "place", "adapters"),
    [(EAST, ServerPlace("a", None), {"nfs"}), (WEST, HERE, {"smb"}), (WEST, None, {"smb"})],
    ids=["in one namespace", "in another", "in one that is not known yet"],
)
def test_servers_of_one_name_are_told_apart_by_their_components(
    urn: str, place: ServerPlace | None, adapters: set[str]
) -> None:
    for server in (None, "media"):
        past = own_past(two_components(), [urn], server, place)

        assert past.server == "media"
        assert {name: set(found) for name, found in adapters_of(past).items()} == {"media": adapters}
        name = f"media/{next(iter(adapters))}"
        assert past.urns[SERVICE, name] == child(f"{name}@{urn.rpartition('::')[2]}")


def test_a_new_component_has_no_past_of_a_server_of_the_same_name_elsewhere() -> None:
    resources = two_components()
    other = ServerPlace("c", None)

    assert own_past(resources, [MEDIA], None, other) == OwnPast()
    assert own_past(resources, [f"{PLACE}::{TYPE}::north"], "media", other) == OwnPast()
    assert own_past(resources, [f"{PLACE}::{TYPE}::north"], "media", None) == OwnPast(), "not known yet"
    abroad = ServerPlace("files", "abroad", {"context": "abroad"})
    assert own_past(resources, [f"{PLACE}::{TYPE}::north"], "media", abroad) == OwnPast(), "another cluster"
    read = ServerPlace("files", "abroad", {"kubeconfig": "~/abroad"}, {"~/abroad": ""})
    assert own_past(resources, [f"{PLACE}::{TYPE}::north"], "media", read) == OwnPast(), "another kubeconfig"
    # Renamed without an alias, it is where the former one was.
    renamed = own_past(resources, [f"{PLACE}::{TYPE}::north"], "media", HERE)
    assert adapters_of(renamed) == {"media": {"smb": 1}}


def test_names_of_earlier_versions_belong_to_the_component_that_has_noted_the_server() -> None:
    resources = {EAST: component(server="media"), child("media/nfs"): in_namespace("files")}

    assert own_past(resources, [EAST], None, HERE).urns == {(SERVICE, "media/nfs"): child("media/nfs")}
    # A component that is called as the server would give the same names to other objects.
    assert own_past(resources, [MEDIA], None, ServerPlace("other", None)) == OwnPast(names_held_by=EAST)


def test_services_of_a_component_that_was_never_declared_are_found_by_their_place() -> None:
    resources = {EAST: {"outputs": {}}, child("media/nfs@east"): in_namespace("files")}

    past = own_past(resources, [WEST], "media", ServerPlace("files", "cluster"))

    assert adapters_of(past) == {"media": {"nfs": 0}}
