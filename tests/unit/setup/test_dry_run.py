"""What a rendering leaves for the next one to remember."""

import pytest

from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import Gap, Listing, Reason, RememberedAdapter, RememberedServer, Removal
from dittoinfra.object_model import DeclaredObject, HeldObject
from dittoinfra.setup.dry_run import DryRun, gaps_from_nothing
from tests.pure.decide.make import UNREACHABLE, answer, server, serving
from tests.unit.status.make import record

SMB = server("media", namespace="files", adapters={"types": {"smb": {"extras": {"wsDiscovery": True}}}})


def _rendered(*services: str) -> DryRun:
    objects = [DeclaredObject("media", HeldObject("v1", "Service", name), {}) for name in services]
    return DryRun(record([SMB], {}, {"media": answer(serving("smb", 12445))}), tuple(objects))


@pytest.mark.parametrize("split", [True, False])
def test_the_second_service_of_an_adapter_is_remembered_and_needs_approval_to_go(split: bool) -> None:
    memory = _rendered("media/smb", *(["udp:media/smb"] if split else [])).memory().adapters

    smb = RememberedAdapter("smb", 12445, 0, "files", split, "pod files/media-0, port 8080")
    assert memory == {"media": {"smb": smb}}
    unsplit = (Removal("media", "smb", Reason.UNSPLIT),)
    assert decide_stack([SMB], memory, {"media": [UNREACHABLE]}).removals == (unsplit if split else ())


@pytest.mark.parametrize(
    ("servers", "gaps", "stops"),
    [
        ({}, (Gap("HTTP 500"),), True),
        ({"home": RememberedServer("files")}, (Gap("HTTP 500"),), True),
        ({"media": RememberedServer("files", found={})}, (Gap("HTTP 500"),), False),
        ({}, (), False),
    ],
    ids=["nothing remembered", "only a named server remembered", "a found server remembered", "complete"],
)
def test_a_listing_with_gaps_stops_a_rendering_that_remembers_no_found_server(
    servers: dict[str, RememberedServer], gaps: tuple[Gap, ...], stops: bool
) -> None:
    told = gaps_from_nothing(servers, [Listing("serversFrom[0]", gaps=gaps)])

    assert [line.partition(" (")[0] for line in told] == [
        "serversFrom[0]: the listing is not complete"
    ] * stops
