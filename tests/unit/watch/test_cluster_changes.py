"""Which changes in the cluster are a reason for a run."""

from dataclasses import replace
from math import inf

import pytest

from dittoinfra.decide.decision import Decision
from dittoinfra.decide.names import NamedAdapter, NameDecision
from dittoinfra.decide.set_aside import SetAside
from dittoinfra.model import (
    FoundServer,
    Gap,
    HostNames,
    ListedObject,
    Listing,
    Located,
    Nonsense,
    RememberedAdapter,
)
from dittoinfra.program.survey import RunRecord
from dittoinfra.settings import StackSettings
from dittoinfra.watch.adapter_changes import AdapterChange, ChangeKind
from dittoinfra.watch.cluster_changes import (
    address_changes,
    balancer_changes,
    kept_addresses,
    listing_changes,
    stored_balancers,
)
from tests.pure.decide.make import answer, server, serving
from tests.unit.status.make import record

MEMORY = {"media": {"nfs": RememberedAdapter("nfs", 12049)}}


def listed(name: str, **labels: str) -> ListedObject:
    return ListedObject("StatefulSet", "files", name, labels)


def told(*objects: ListedObject, gaps: tuple[Gap, ...] = ()) -> RunRecord:
    """A run that was told these, and found the server media in them or before."""
    run = record([server()], MEMORY, {"media": answer(serving("nfs", 12049))})
    decision: Decision = replace(run.decision, found={"media": FoundServer("media", "files")})
    answers = replace(run.answers, listings=(Listing("serversFrom[0]", objects, gaps),))
    settings = StackSettings.model_validate({"servers": [{"name": "named"}]})
    return replace(run, decision=decision, answers=answers, settings=settings)


def seen(run: RunRecord, *now: ListedObject) -> list[tuple[str, str, bool]]:
    found = listing_changes(run, MEMORY, now)
    return [(name, this.text, this.kind.counts) for name, these in found.items() for this in these]


def test_the_same_listing_and_servers_of_the_configuration_are_no_reason() -> None:
    ours = ListedObject("Service", "files", "media-adapter-nfs", {"dittofs.io/adapter-service": "true"})

    assert seen(told(listed("media")), listed("media"), listed("named"), ours) == []


def test_a_new_server_and_another_label_are_reasons_at_once() -> None:
    assert seen(told(listed("media")), listed("media", tier="cold"), listed("backup")) == [
        ("media", "media has other labels", False),
        ("backup", "backup is found in namespace files", False),
    ]


def test_what_a_run_could_not_list_is_not_tried_again_at_once() -> None:
    run = told(gaps=(Gap("connection refused"),))

    assert all(counts for _, _, counts in seen(run, listed("media"), listed("backup")))


def test_a_server_that_is_gone_counts_as_its_adapters_do() -> None:
    assert seen(told(listed("media"), listed("backup")), listed("backup")) == [
        ("media", "media/nfs is absent 1/3", True)
    ]


def test_one_that_is_held_does_not_for_no_run_would_count_it() -> None:
    run = told(listed("media"), listed("backup"))
    aside = SetAside(held={"media": Nonsense("Service media-adapter-nfs exists already")})

    assert seen(replace(run, decision=replace(run.decision, aside=aside)), listed("backup")) == []


def test_one_without_adapters_counts_by_itself() -> None:
    run = told(listed("media"), listed("backup"))

    [change] = listing_changes(run, {}, [listed("backup")])["media"]

    assert (change.text, change.kind.counts) == ("media is not listed any more", True)


def test_a_listing_without_any_server_is_no_reason() -> None:
    assert seen(told(listed("media"))) == []


@pytest.mark.parametrize(
    ("before", "after", "text", "counts"),
    [
        (Located(), Located(("10.0.0.1",)), "Service files/media-adapter-nfs has 10.0.0.1", False),
        (Located(("10.0.0.1",)), Located(), "Service files/media-adapter-nfs has no address", True),
        (
            Located(("10.0.0.1",)),
            Located(("10.0.0.1",), ("nfs.example.com",)),
            "the names of Service files/media-adapter-nfs are registered anew",
            False,
        ),
    ],
)
def test_addresses_are_a_reason_where_a_run_asks_for_them(
    before: Located, after: Located, text: str, counts: bool
) -> None:
    name = "media-adapter-nfs"

    [change] = address_changes(
        {"files": {name: before}}, {"files": {name: after}, "other": {name: after}}, {}
    )

    assert (change.text, change.kind.counts) == (text, counts)
    assert list(address_changes({"files": {name: after}}, {"files": {name: after}}, {})) == []
    assert list(address_changes({"files": {}}, {"files": {name: Located()}}, {})) == []


def test_other_addresses_than_the_outputs_have_are_a_reason() -> None:
    def endpoints(kind: str, internal: str | None, *external: str) -> dict[str, object]:
        return {"endpoints": {"type": kind, "internal": internal, "external": list(external)}}

    adapters = {
        "nfs": endpoints("LoadBalancer", "media-adapter-nfs.files.svc:2049", "192.0.2.1:2049", "[::1]:2049"),
        "smb": endpoints("LoadBalancer", "media-adapter-smb.files.svc:445"),
        "ftp": endpoints("NodePort", "media-adapter-ftp.files.svc:21"),
        "waits": endpoints("LoadBalancer", None),
    }
    nfs, smb = ("files", "media-adapter-nfs"), ("files", "media-adapter-smb")

    stored = stored_balancers({"servers": {"media": {"namespace": "files", "adapters": adapters}}})

    assert stored == {nfs: {"192.0.2.1", "::1"}, smb: set()}
    assert [*balancer_changes(stored, stored)] == []
    assert [*balancer_changes(stored, {})] == [], "what is not followed is no reason"
    now = {nfs: frozenset[str](), smb: frozenset({"192.0.2.3", "192.0.2.2"})}
    assert [(change.text, change.kind.counts) for change in balancer_changes(stored, now)] == [
        ("Service files/media-adapter-nfs has no address", False),
        ("Service files/media-adapter-smb has 192.0.2.2, 192.0.2.3", False),
    ]


@pytest.mark.parametrize(("pin", "limit", "runs"), [(True, 3, True), (True, inf, False), (False, 3, False)])
def test_runs_go_on_while_a_lost_address_stays_asked_for(pin: bool, limit: float, runs: bool) -> None:
    name = "media-adapter-nfs"
    names = HostNames("media", "nfs", "files", name, "external-dns", "nfs.example.com", pin=pin)
    # Also after a run that did not count it.
    this = NamedAdapter(names, {}, Located(("192.0.2.1", "192.0.2.2")), limit=limit)
    kept = kept_addresses(NameDecision({"media/nfs": this}))
    lost = {"files": {name: Located(("192.0.2.2",))}}

    changes = [*address_changes(lost, lost, kept)]

    still = AdapterChange(
        "Service files/media-adapter-nfs is still without 192.0.2.1", ChangeKind.STILL_ABSENT
    )
    assert changes == ([still] if runs else [])
    whole = {"files": {name: this.located}}
    assert [*address_changes(whole, whole, kept)] == []
    assert [change.kind for change in address_changes(whole, lost, kept)] == [ChangeKind.ABSENT]
