"""A pinned name keeps the last address of its load balancer, by the absence rule."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from dittoinfra.decide.host_names import host_states
from dittoinfra.decide.names import LiveServices, NameDecision, decide_names, locate, name_notes
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import Addresses, HostNames, Located, NameMemory, RememberedNames
from dittoinfra.settings import ServerSettings
from tests.pure.decide.make import answer, serving

NAME = "nfs.example.com"
PIN = {"backend": "external-dns", "hostname": NAME, "pin": True}
TARGET = "external-dns.kubernetes.io/target"
TWO = "192.0.2.1", "192.0.2.2"
LEGACY_TARGET = "external-dns.alpha.kubernetes.io/target"


def decided(
    dns: Mapping[str, object] = PIN,
    annotations: Mapping[str, str] | None = None,
    settings: Mapping[str, object] | None = None,
) -> NameDecision:
    adapters = {"types": {"nfs": {"dns": dns, "annotations": annotations or {}}}}
    media = ServerSettings.model_validate(
        {"name": "media", "namespace": "files", "adapters": adapters, **(settings or {})}
    )
    return decide_names(decide_stack([media], {}, {"media": [answer(serving("nfs", 1))]}), [media])


def live(*addresses: str) -> LiveServices:
    return {"files": {"media-adapter-nfs": Located(addresses)}}


NAMES = HostNames("media", "nfs", "files", "media-adapter-nfs", "external-dns", NAME, pin=True)


def kept(runs: int, *others: str) -> Located:
    """One address that runs in a row have missed, beside others that are there."""
    return Located(("192.0.2.1", *others), blanks={"192.0.2.1": runs})


def told(addresses: Addresses, blanks: int = 0, names: HostNames = NAMES) -> NameMemory:
    """What is remembered; runs in a row have missed the first address."""
    counts = {addresses[0]: blanks} if blanks else {}
    return NameMemory({"media/nfs": RememberedNames(names, Located(addresses, blanks=counts))})


@pytest.mark.parametrize(
    ("services", "memory", "found"),
    [
        (live(), NameMemory(), Located()),
        (live("192.0.2.1"), NameMemory(), Located(("192.0.2.1",))),
        (live("192.0.2.1"), told(("192.0.2.1",)), Located(("192.0.2.1",))),
        (live(), told(("192.0.2.1",)), kept(1)),
        (live(), told(("192.0.2.1",), 1), kept(2)),
        (live(), told(("192.0.2.1",), 2), Located()),
        (live("192.0.2.1"), told(("192.0.2.1",), 2), Located(("192.0.2.1",))),
        (live("192.0.2.9"), told(("192.0.2.1",)), Located(("192.0.2.9",))),
        (live("192.0.2.9"), told(("192.0.2.1",), 2), Located(("192.0.2.9",))),
        ({"files": {}}, told(("192.0.2.1",)), kept(1)),
        ({}, told(("192.0.2.1",), 1), kept(1)),
        ({}, told(()), Located()),
        (live(), told(("192.0.2.1",), names=replace(NAMES, ip="192.0.2.1")), Located()),
        (live(), told(("192.0.2.1",), names=replace(NAMES, namespace="other")), Located()),
        (live(), told(("192.0.2.1",), names=replace(NAMES, backend="router-hosts")), Located()),
        (live("lb.example", "192.0.2.1"), NameMemory(), Located(("192.0.2.1", "lb.example"))),
        (live("192.0.2.2"), told(TWO), kept(1, "192.0.2.2")),
        (live("192.0.2.2"), told(TWO, 1), kept(2, "192.0.2.2")),
        (live("192.0.2.2"), told(TWO, 2), Located(("192.0.2.2",))),
        (live(*TWO), told(TWO, 2), Located(TWO)),
        (live("192.0.2.1"), told(TWO, 2), Located(TWO, blanks={"192.0.2.2": 1})),
        (live(), told(TWO, 1), Located(TWO, blanks={"192.0.2.1": 2, "192.0.2.2": 1})),
        (live(), told(TWO, 2), Located(("192.0.2.2",), blanks={"192.0.2.2": 1})),
        (live("192.0.2.2", "192.0.2.9"), told(TWO), Located(("192.0.2.2", "192.0.2.9"))),
    ],
    ids=[
        "none yet",
        "the first",
        "nothing new",
        "blank once",
        "blank twice",
        "believed",
        "back",
        "another",
        "another after blanks",
        "no Service",
        "no answer",
        "no answer and none known",
        "of the settings",
        "of another Service",
        "as another backend reads it",
        "several",
        "one of two",
        "one of two again",
        "one of two believed",
        "one of two back",
        "the other one of two",
        "both one after the other",
        "each by its own count",
        "another instead of one of two",
    ],
)
def test_a_blank_status_is_counted_and_another_address_is_followed(
    services: LiveServices, memory: NameMemory, found: Located
) -> None:
    [this] = locate(decided(), services, memory).adapters.values()

    assert this.located == found
    target = ",".join(found.addresses) or None
    assert this.annotations.get(TARGET) == this.annotations.get(LEGACY_TARGET) == target
    assert host_states(this.names, found)[NAME] == (
        "HostPinned" if found.blanks else "HostRequested" if found.addresses else "PendingLoadBalancer"
    )


def test_within_one_command_a_blank_status_counts_once() -> None:
    memory = told(("192.0.2.1",), 1)

    [again] = locate(decided(), live(), memory, {"media"}).adapters.values()
    [moved] = locate(decided(), live("192.0.2.9"), memory, {"media"}).adapters.values()

    [one] = locate(decided(), live("192.0.2.2"), told(TWO, 1), {"media"}).adapters.values()

    assert again.located == kept(1)
    assert one.located == kept(1, "192.0.2.2")
    assert moved.located == Located(("192.0.2.9",))


def test_the_rule_is_that_of_adapters() -> None:
    [soon] = locate(decided(settings={"absencePolls": 1}), live(), told(("192.0.2.1",))).adapters.values()
    [never] = locate(
        decided(settings={"removal": "never"}), live(), told(("192.0.2.1",), 99)
    ).adapters.values()

    assert soon.located == Located()
    assert never.located == kept(100)


def test_without_a_pin_nothing_is_kept() -> None:
    [this] = locate(decided({**PIN, "pin": False}), live(), told(("192.0.2.1",))).adapters.values()

    assert this.located == Located()
    assert TARGET not in this.annotations


def test_an_address_in_the_settings_is_the_target_and_a_pin_changes_nothing_of_it() -> None:
    [this] = locate(decided({**PIN, "ip": "192.0.2.7"}), live(), told(("192.0.2.1",))).adapters.values()

    assert this.annotations[TARGET] == "192.0.2.7"
    assert this.located == Located(("192.0.2.7",))


@pytest.mark.parametrize(
    ("settings", "memory", "line"),
    [
        (
            {},
            told(("192.0.2.1",)),
            "HostPinned: nfs.example.com (nfs): its load balancer has no address, run 1 of 3; "
            "external-dns stays asked to lead it to 192.0.2.1",
        ),
        (
            {},
            told(("192.0.2.1",), 1),
            "HostPinned: nfs.example.com (nfs): its load balancer has no address, run 2 of 3; "
            "external-dns stays asked to lead it to 192.0.2.1",
        ),
        (
            {"removal": "never"},
            told(("192.0.2.1",), 6),
            "HostPinned: nfs.example.com (nfs): its load balancer has no address, run 7; "
            "external-dns stays asked to lead it to 192.0.2.1",
        ),
        (
            {},
            told(("192.0.2.1",), 2),
            "PendingLoadBalancer: nfs.example.com (nfs): its load balancer has no address that is known, "
            "so that 192.0.2.1 is no longer asked for; "
            "see `kubectl -n files describe service media-adapter-nfs`, or set dns.ip",
        ),
    ],
    ids=["first", "second", "for ever", "given up"],
)
def test_each_run_tells_what_is_kept_and_when_it_is_given_up(
    settings: dict[str, object], memory: NameMemory, line: str
) -> None:
    names = locate(decided(settings=settings), live(), memory)

    assert [note.text for note in name_notes(names, memory)] == [line]


def test_one_address_of_two_is_told_by_name() -> None:
    [note] = name_notes(locate(decided(), live("192.0.2.2"), told(TWO)), told(TWO))

    assert note.text == (
        "HostPinned: nfs.example.com (nfs): its load balancer has lost 192.0.2.1, run 1 of 3; "
        "external-dns stays asked to lead it to 192.0.2.1, 192.0.2.2"
    )


def test_a_name_whose_load_balancer_is_back_is_told_once() -> None:
    memory = told(("192.0.2.1",), 1)

    [note] = name_notes(locate(decided(), live("192.0.2.1"), memory), memory)

    assert note.text.startswith("HostRequested: nfs.example.com (nfs): external-dns is asked to lead it to")
    settled = told(("192.0.2.1",))
    assert not [*name_notes(locate(decided(), live("192.0.2.1"), settled), settled)]


def test_a_target_of_the_user_stands_in_the_way_of_a_pin() -> None:
    [refused] = decided(annotations={TARGET: "192.0.2.7"}).refusals

    assert str(refused) == (
        f"media/nfs: AnnotationTaken: annotation {TARGET} is set to '192.0.2.7' "
        "and by dns to 'the address of the load balancer'; drop one of them"
    )


def test_an_own_prefix_is_written_alone() -> None:
    dns = {**PIN, "annotationPrefix": "dns.example.com", "ttl": 60}
    [this] = locate(decided(dns), live("192.0.2.1"), NameMemory()).adapters.values()

    assert this.annotations == {
        "dns.example.com/hostname": NAME,
        "dns.example.com/target": "192.0.2.1",
        "dns.example.com/ttl": "60",
    }


ROUTER_HOSTS = {"hostname": NAME}
MAPPING = {"hostname": NAME, "kind": "HostMapping"}
EXTERNAL = {"hostname": NAME, "backend": "external-dns"}


@pytest.mark.parametrize(
    ("dns", "why"),
    [
        (ROUTER_HOSTS | {"ttl": 60}, "router-hosts does not support dns.ttl; {} null"),
        (ROUTER_HOSTS | {"pin": True}, "router-hosts does not support dns.pin; {} false"),
        (ROUTER_HOSTS | {"tags": ["a"]}, "router-hosts does not support dns.tags; {} []"),
        (
            ROUTER_HOSTS | {"annotationPrefix": "a.example"},
            "router-hosts does not support dns.annotationPrefix; {} null",
        ),
        (MAPPING | {"ttl": 60}, "a HostMapping does not support dns.ttl; {} null"),
        (MAPPING | {"pin": True}, "a HostMapping does not support dns.pin; {} false"),
        (MAPPING | {"tags": ["a"]}, None),
        (EXTERNAL | {"tags": ["a"]}, "external-dns does not support dns.tags; {} []"),
        (
            EXTERNAL | {"kind": "HostMapping"},
            "external-dns does not support dns.kind: HostMapping; {} Service",
        ),
        (EXTERNAL | {"ttl": 60, "pin": True, "annotationPrefix": "a.example"}, None),
    ],
)
def test_what_a_controller_does_not_read_is_refused(dns: dict[str, object], why: str | None) -> None:
    said = [str(refusal) for refusal in decided(dns).refusals]

    expected = why and why.format("drop it, or set it to")
    assert said == ([f"media/nfs: UnsupportedSetting: {expected} for this adapter"] if expected else [])
