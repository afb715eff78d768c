"""Which servers the cluster adds, which it has lost, and what a listing with gaps may not say."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dittoinfra.decide.server_discovery import Discovery, discover, server_name
from dittoinfra.model import FoundServer, Gap, ListedObject, Listing, Note, Permission, RememberedServer
from dittoinfra.settings import StackSettings
from dittoinfra.state import Memory
from tests.pure.decide.make import remembering
from tests.pure.naming.strategies import unhurried

OPERATOR = {"app": "dittofs-server", "instance": "media"}
FOUND = RememberedServer("files", found={"tier": "cold"})
NAMED = RememberedServer("files")
DEPLOYED = RememberedServer("files", deployed=True)
GAP = Gap("connection refused")


def stateful_set(name: str = "media", namespace: str = "files", **labels: str) -> ListedObject:
    return ListedObject("StatefulSet", namespace, name, labels)


def service(name: str, **labels: str) -> ListedObject:
    return ListedObject("Service", "files", name, labels)


def listing(*objects: ListedObject, gaps: tuple[Gap, ...] = (), index: int = 0) -> Listing:
    return Listing(f"serversFrom[{index}]", objects, gaps)


def after(
    *listings: Listing, configured: str = "", empty: bool = False, **memory: RememberedServer
) -> Discovery:
    """The discovery of a run; what is remembered has adapters unless it is `empty`."""
    return found_after(listings, memory, configured, empty=empty)


def found_after(
    listings: Sequence[Listing],
    memory: Mapping[str, RememberedServer],
    configured: str = "",
    *,
    empty: bool = False,
) -> Discovery:
    settings = {"namespace": "files", "servers": [{"name": name} for name in configured.split()]}
    adapters = {} if empty else {name: remembering(("nfs", 12049)) for name in memory}
    return discover(
        StackSettings.model_validate(settings), Memory(servers=memory, adapters=adapters), listings
    )


def said(discovery: Discovery) -> list[str]:
    assert all(note.warning for note in discovery.notes)
    return [*map(str, discovery.notes)]


@pytest.mark.parametrize(
    ("listed", "name"),
    [
        (stateful_set("operated", **OPERATOR), "media"),
        (stateful_set("plain", instance="media"), "plain"),
        (stateful_set("plain", app="dittofs-server"), "plain"),
        (stateful_set("plain-api"), "plain-api"),
        (service("plain-headless"), "plain"),
        (service("plain-api"), "plain"),
        (service("plain-metrics"), "plain"),
        (service("plain-file"), "plain"),
        (service("plain"), "plain"),
        (service("operated-api", **OPERATOR), "media"),
    ],
)
def test_an_object_stands_for_the_server_that_the_operator_or_its_own_name_says(
    listed: ListedObject, name: str
) -> None:
    assert server_name(listed) == name


def test_a_listed_server_is_found_where_it_is_and_with_its_labels() -> None:
    discovery = after(listing(stateful_set("b", tier="cold"), stateful_set("a", "other")))

    assert discovery.servers == (
        FoundServer("a", "other"),
        FoundServer("b", "files", {"tier": "cold"}),
    )
    assert (discovery.missing, discovery.held, discovery.notes) == ({}, {}, ())


def test_several_objects_of_one_server_are_one_server_and_the_first_label_counts() -> None:
    discovery = after(
        listing(service("media-api", tier="hot", team="a"), service("media-headless", tier="cold", zone="x")),
        listing(stateful_set(tier="warm", size="l"), index=1),
    )

    labels = {"tier": "hot", "team": "a", "zone": "x", "size": "l"}
    assert discovery.servers == (FoundServer("media", "files", labels),)


def test_a_configured_server_of_the_same_name_wins() -> None:
    two_places = listing(stateful_set(), stateful_set(namespace="other"))

    assert after(two_places, configured="media") == Discovery()


def test_the_services_of_adapters_keep_no_server_alive() -> None:
    ours = service("media-adapter-nfs", **OPERATOR, **{"dittofs.io/adapter-service": "true"})

    assert after(listing(ours), media=FOUND).missing.keys() == {"media"}


TWICE = (listing(stateful_set("other"), stateful_set(namespace="b")), listing(stateful_set(namespace="a")))


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("memory", [{}, {"media": FOUND}, {"media": NAMED}])
def test_one_name_in_two_namespaces_holds_that_server_and_no_other(
    memory: dict[str, RememberedServer], empty: bool
) -> None:
    discovery = found_after(TWICE, memory, empty=empty)

    assert {name: why.why for name, why in discovery.held.items()} == {
        "media": "found in the namespaces a and b, and a stack has one server of a name; narrow "
        "dittoinfra:serversFrom to one of them, or give each a stack of its own"
    }
    assert [server.name for server in discovery.servers] == ["media", "other"]
    assert [server.name for server in discovery.polled] == ["other"]
    if memory:
        assert discovery.servers[0].namespace == "files", "it stays where it is remembered"
    assert (discovery.missing, discovery.counted) == ({}, frozenset())


def test_what_this_stack_deployed_is_not_held_by_others_of_its_name() -> None:
    assert [server.name for server in after(*TWICE, media=DEPLOYED).servers] == ["other"]


@pytest.mark.parametrize(
    ("tier", "memory"), [("cold", {}), ("cold", {"media": FOUND}), ("", {"media": FOUND})]
)
def test_settings_that_contradict_each_other_hold_that_server_and_no_other(
    tier: str, memory: dict[str, RememberedServer]
) -> None:
    pinned = [{"type": "nfs", "port": 1}, {"type": "smb", "port": 1}]
    cold = {"selector": {"matchLabels": {"tier": "cold"}}, "adapters": {"pinned": pinned}}
    settings = StackSettings.model_validate({"namespace": "files", "selectors": [cold]})
    adapters = {name: remembering(("nfs", 12049)) for name in memory}
    seen = [stateful_set("other"), *([stateful_set(tier=tier)] if tier else [])]

    discovery = discover(settings, Memory(servers=memory, adapters=adapters), [listing(*seen)])

    assert {name: why.why for name, why in discovery.held.items()} == {
        "media": "adapters.pinned[1].port: port 1 is pinned twice; correct dittoinfra:selectors or its "
        "labels; `dittoinfra explain STACK media` shows where it comes from"
    }
    assert [server.name for server in discovery.followed] == ["other"]
    assert (discovery.missing, discovery.counted) == ({}, frozenset())


def test_a_server_that_complete_listings_miss_is_missing_and_stays_as_remembered() -> None:
    discovery = after(listing(), listing(stateful_set("other"), index=1), media=FOUND)

    assert FoundServer("media", "files", {"tier": "cold"}) in discovery.servers
    assert discovery.missing["media"].why == (
        "not among the servers that the cluster lists in namespace files any more"
    )
    assert discovery.counted == {"media"}
    assert said(discovery) == ["serversFrom[0]: selects nothing in the cluster"]


@pytest.mark.parametrize(("counted", "kept"), [(0, 1), (1, 2), (2, None)])
def test_without_adapters_the_server_itself_counts(counted: int, kept: int | None) -> None:
    discovery = after(listing(), empty=True, media=replace(FOUND, absences=counted))

    expected = () if kept is None else (FoundServer("media", "files", {"tier": "cold"}, kept),)
    assert discovery.servers == expected
    assert (dict(discovery.missing), set(discovery.counted)) == ({}, {"media"})
    line = f"not listed in namespace files any more, absent {kept}/3: kept"
    told = Note("media", line, warning=True) in discovery.notes
    assert told is (kept is not None)


@pytest.mark.parametrize("seen", [(), (stateful_set(tier="hot"),), (stateful_set(namespace="other"),)])
def test_a_listing_with_gaps_changes_nothing_of_a_server_that_was_found_before(
    seen: tuple[ListedObject, ...],
) -> None:
    discovery = after(listing(*seen), listing(gaps=(GAP,), index=1), media=FOUND)

    assert discovery.servers == (FoundServer("media", "files", {"tier": "cold"}),)
    assert (discovery.missing, discovery.counted) == ({}, frozenset())
    assert said(discovery)[-1] == (
        "serversFrom[1]: the listing is not complete: connection refused; no server counts as missing"
    )


def test_a_listing_with_gaps_keeps_a_server_without_adapters_too_and_counts_nothing() -> None:
    discovery = after(listing(gaps=(GAP,)), empty=True, media=replace(FOUND, absences=1))

    assert [(server.name, server.absences) for server in discovery.servers] == [("media", 1)]


def test_a_listing_with_gaps_may_add_a_server() -> None:
    assert after(listing(stateful_set(), gaps=(GAP,))).servers == (FoundServer("media", "files"),)


def test_a_server_in_another_namespace_waits_until_the_old_one_is_gone() -> None:
    moved = listing(stateful_set(namespace="other"))

    discovery = after(moved, media=FOUND)

    assert discovery.servers == (FoundServer("media", "files", {"tier": "cold"}),)
    assert discovery.missing["media"].why == (
        "not in namespace files any more; the one of this name in other takes its place when its adapters "
        "are gone"
    )
    assert after(moved, empty=True, media=FOUND).servers == (FoundServer("media", "other"),)


def test_a_server_that_left_the_configuration_and_is_listed_is_the_same_server() -> None:
    assert after(listing(stateful_set(tier="hot")), media=NAMED).servers == (
        FoundServer("media", "files", {"tier": "hot"}),
    )
    assert after(listing(stateful_set(tier="hot"), gaps=(GAP,)), media=NAMED).servers == (
        FoundServer("media", "files", {"tier": "hot"}),
    )


def test_one_that_left_the_configuration_goes_now_unless_a_gap_may_hide_it() -> None:
    assert after(listing(), media=NAMED).servers == ()
    assert after(listing(gaps=(GAP,)), media=NAMED).servers == (FoundServer("media", "files"),)


def test_a_listing_that_must_not_count_keeps_what_was_found_and_nothing_else() -> None:
    too_soon = replace(listing(), counts=False)

    discovery = after(too_soon, media=FOUND, named=NAMED, deployed=DEPLOYED)

    assert discovery.servers == (FoundServer("media", "files", {"tier": "cold"}),)
    assert (discovery.missing, discovery.counted, discovery.notes) == ({}, frozenset(), ())


@pytest.mark.parametrize("gaps", [(), (GAP,)])
def test_what_this_stack_deployed_goes_with_its_configuration_though_the_cluster_still_lists_it(
    gaps: tuple[Gap, ...],
) -> None:
    assert after(listing(stateful_set(), gaps=gaps), media=DEPLOYED).servers == ()


def test_without_serversfrom_nothing_is_found_and_nothing_is_kept() -> None:
    assert after(media=FOUND) == Discovery()


def test_a_name_that_no_server_can_have_is_left_out_and_told_once() -> None:
    wrong = stateful_set("2fast")

    discovery = after(listing(wrong), listing(wrong, stateful_set("fine"), index=1))

    assert [server.name for server in discovery.servers] == ["fine"]
    assert said(discovery) == [
        "files/2fast: this StatefulSet is left out: '2fast' cannot be a server's name, which starts with a "
        "lower-case letter and has at most 52 lower-case letters, digits and '-'"
    ]


@pytest.mark.parametrize(
    "listed",
    [
        stateful_set("media", app="dittofs-server", instance="Media_1"),
        service("media-api", app="dittofs-server", instance="Media_1"),
    ],
)
def test_a_server_whose_object_got_such_a_name_is_kept_and_counted_nowhere(listed: ListedObject) -> None:
    discovery = after(listing(listed), media=FOUND)

    assert discovery.servers == (FoundServer("media", "files", {"tier": "cold"}),)
    assert discovery.missing == {}


def test_what_must_be_allowed_is_listed_once() -> None:
    lacks = Permission("list", "apps", "statefulsets", "files")
    gaps = (Gap("forbidden", lacks=lacks), GAP, Gap("forbidden", lacks=lacks))

    assert after(listing(gaps=gaps)).lacks == (lacks,)
    assert str(lacks) == "list statefulsets.apps in namespace files"
    assert str(Permission("list", "", "namespaces", None)) == "list namespaces"


NAMES, PLACES, LABELS = st.sampled_from("abc"), st.sampled_from(["x", "y"]), st.sampled_from(["hot", "cold"])
OBJECTS = st.builds(lambda name, place, tier: stateful_set(name, place, tier=tier), NAMES, PLACES, LABELS)
LISTINGS = st.lists(
    st.builds(
        lambda objects, broken: listing(*objects, gaps=(GAP,) if broken else ()),
        st.lists(OBJECTS),
        st.booleans(),
    ),
    min_size=1,
)
REMEMBERED = st.dictionaries(
    NAMES, st.builds(lambda place, tier: RememberedServer(place, found={"tier": tier}), PLACES, LABELS)
)


@unhurried
@given(LISTINGS, REMEMBERED)
def test_whatever_is_listed_no_server_with_adapters_vanishes_or_moves_uncounted(
    listings: list[Listing], memory: dict[str, RememberedServer]
) -> None:
    discovery = found_after(listings, memory)
    treated = {server.name: server for server in discovery.servers}

    complete = not any(each.gaps for each in listings)
    listed = {(server_name(o), o.namespace) for each in listings for o in each.objects}
    for name, remembered in memory.items():
        assert treated[name].namespace == remembered.namespace
        assert (name in discovery.missing) == (complete and (name, remembered.namespace) not in listed)
        if not complete:
            assert treated[name].labels == remembered.found
