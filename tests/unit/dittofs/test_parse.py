"""An answer is accepted as a whole or rejected as a whole."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dittoinfra.dittofs.parse import InvalidAnswer, parse_adapters
from dittoinfra.dittofs.text import Secrets
from dittoinfra.model import DEFAULT_PORTS, ReportedAdapter

NFS = {"type": "nfs", "port": 12049, "enabled": True, "running": True}
SMB = {"type": "smb", "port": 1445, "enabled": True, "running": True}


def parse(value: object) -> tuple[ReportedAdapter, ...] | InvalidAnswer:
    return parse_adapters(json.dumps(value).encode())


def test_a_valid_list_is_believed() -> None:
    assert parse([NFS, {**SMB, "running": False}]) == (
        ReportedAdapter("nfs", 12049, enabled=True, running=True),
        ReportedAdapter("smb", 1445, enabled=True, running=False),
    )


def test_an_empty_list_is_an_answer() -> None:
    assert parse([]) == ()


def test_more_keys_than_we_know_are_fine() -> None:
    assert parse([{**NFS, "config": {"deep": [1.5, None]}, "status": "ok"}]) == parse([NFS])


@pytest.mark.parametrize(("adapter_type", "port"), [("nfs", 12049), ("smb", 12445)])
def test_port_0_is_the_default_port(adapter_type: str, port: int) -> None:
    assert parse([{**NFS, "type": adapter_type, "port": 0}]) == (
        ReportedAdapter(adapter_type, port, enabled=True, running=True),
    )


@pytest.mark.parametrize("flag", ["enabled", "running"])
def test_only_adapters_that_listen_can_stand_in_each_others_way(flag: str) -> None:
    assert isinstance(parse([NFS, {**SMB, "port": 12049, flag: False}]), tuple)


@pytest.mark.parametrize("port", [1, 65535])
def test_the_first_and_the_last_port_are_ports(port: int) -> None:
    assert isinstance(parse([{**NFS, "port": port}]), tuple)


def without(key: str) -> dict[str, object]:
    return {name: value for name, value in NFS.items() if name != key}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "is not a list: null"),
        ({"adapters": []}, "is not a list: an object"),
        ("nfs", "is not a list: 'nfs'"),
        ([None], "has an item 0 that is not an object: null"),
        ([NFS, []], "has an item 1 that is not an object: a list"),
        ([without("type")], "lacks type of item 0"),
        ([without("port")], "lacks port of nfs"),
        ([without("enabled")], "lacks enabled of nfs"),
        ([without("running")], "lacks running of nfs"),
        ([{**NFS, "type": 7}], "has an item 0 whose type is no adapter type: 7"),
        ([{**NFS, "type": ""}], "has an item 0 whose type is no adapter type: ''"),
        ([{**NFS, "type": "nfs\n"}], r"has an item 0 whose type is no adapter type: 'nfs\n'"),
        ([{**NFS, "type": "../nfs"}], "has an item 0 whose type is no adapter type: '../nfs'"),
        ([{**NFS, "type": "\ud800"}], r"has an item 0 whose type is no adapter type: '\ud800'"),
        ([{**NFS, "port": "12049"}], "has a port of nfs that is not a whole number: '12049'"),
        ([{**NFS, "port": True}], "has a port of nfs that is not a whole number: true"),
        ([{**NFS, "port": 12049.0}], "has a port of nfs that is not a whole number: 12049.0"),
        ([{**NFS, "port": None}], "has a port of nfs that is not a whole number: null"),
        ([{**NFS, "port": -5}], "has a port of nfs outside 1..65535: -5"),
        ([{**NFS, "port": 70000}], "has a port of nfs outside 1..65535: 70000"),
        ([{**NFS, "type": "ftp", "port": 0}], "has port 0 for a type whose default port is not known: 'ftp'"),
        ([{**NFS, "enabled": 1}], "has enabled of nfs neither true nor false: 1"),
        ([{**NFS, "running": "yes"}], "has running of nfs neither true nor false: 'yes'"),
        ([NFS, {**NFS, "port": 1}], "names a type twice: 'nfs'"),
        ([NFS, {**SMB, "port": 12049}], "has two running adapters on one port: 12049"),
        ([{**NFS, "port": 0}, {**SMB, "port": 12049}], "has two running adapters on one port: 12049"),
    ],
)
def test_what_no_list_of_adapters_says_is_refused(value: object, reason: str) -> None:
    assert parse(value) == InvalidAnswer(f"the answer {reason}")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\xef\xbb\xbf[]", "starts with a byte order mark"),
        ("[]".encode("utf-16"), "is not UTF-8 from byte 0 on"),
        (b'[{"type":"\xff"}]', "is not UTF-8 from byte 10 on"),
        ("[]".encode("utf-16-le"), r"is not JSON from character 1 on: '[\x00]\x00'"),
        (b'[{"type":"nfs"', 'is not JSON from character 14 on: \'[{"type":"nfs"\''),
        (b"[] []", "is not JSON from character 3 on: '[] []'"),
        (b'[{"type":"nfs","type":"smb"}]', "repeats a key: 'type'"),
        (b"[NaN]", "holds a number that JSON does not have: 'NaN'"),
        (b"[-Infinity]", "holds a number that JSON does not have: '-Infinity'"),
        (b"[1e999]", "holds a number too large: '1e999'"),
        (b"[" * 500_000, "is nested too deeply"),
        (b'[{"a":' * 100_000, "is nested too deeply"),
    ],
)
def test_what_is_not_strict_json_is_refused(body: bytes, reason: str) -> None:
    assert parse_adapters(body) == InvalidAnswer(f"the answer {reason}")


def test_a_number_of_a_million_digits_is_refused_in_short() -> None:
    refused = parse_adapters(b"[" + b"9" * 1_000_000 + b"]")

    assert isinstance(refused, InvalidAnswer)
    assert refused.reason.startswith("the answer holds a number too large: '999")
    assert len(refused.reason) < 150


def test_a_page_is_recognised_by_its_type() -> None:
    assert parse_adapters(b"<html>Sign in</html>", "text/html; charset=utf-8") == InvalidAnswer(
        "the answer ('text/html') is not JSON from character 0 on: '<html>Sign in</html>'"
    )


def test_secrets_are_gone_before_a_quote_is_cut() -> None:
    secret = "s" * 200
    body = json.dumps([{**NFS, "type": f"no type: {secret}"}]).encode()

    assert parse_adapters(body, hide=Secrets(secret).hide) == InvalidAnswer(
        "the answer has an item 0 whose type is no adapter type: 'no type: ***'"
    )


def believed(item: dict[str, Any]) -> ReportedAdapter:
    port = item["port"] or DEFAULT_PORTS[item["type"]]
    return ReportedAdapter(item["type"], port, enabled=item["enabled"], running=item["running"])


unhurried = settings(deadline=None)
"""A busy machine is no failure."""


def judged(body: bytes, content_type: str) -> None:
    """Whatever comes, it is a tuple of plausible adapters or one short line."""
    match parse_adapters(body, content_type):
        case InvalidAnswer(reason):
            assert reason.isprintable()
            assert len(reason) < 250
        case adapters:
            assert all(1 <= adapter.port <= 65535 for adapter in adapters)
            assert len({adapter.type for adapter in adapters}) == len(adapters)
            assert adapters == tuple(believed(item) for item in json.loads(body))


@unhurried
@given(st.binary(), st.text())
def test_random_bytes_are_judged(body: bytes, content_type: str) -> None:
    judged(body, content_type)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)
ALMOST_ADAPTERS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["nfs", "smb", "ftp", "NFS", ""]) | SCALARS,
        "port": st.integers(-1, 70000) | SCALARS,
        "enabled": st.booleans() | SCALARS,
        "running": st.booleans(),
    },
    optional={"config": JSON},
)


@unhurried
@given(JSON | st.lists(ALMOST_ADAPTERS, max_size=4))
def test_random_json_is_judged(value: object) -> None:
    judged(json.dumps(value).encode(), "application/json")


WHOLE = json.dumps([NFS, SMB]).encode()


@unhurried
@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)), st.binary(max_size=4))
def test_a_damaged_list_is_judged(start: int, end: int, instead: bytes) -> None:
    judged(WHOLE[:start] + instead + WHOLE[end:], "application/json")


@unhurried
@given(st.integers(1, len(WHOLE) - 1))
def test_the_beginning_of_a_list_is_never_believed(length: int) -> None:
    assert isinstance(parse_adapters(WHOLE[:length]), InvalidAnswer)
