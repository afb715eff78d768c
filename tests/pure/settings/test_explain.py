"""Where each effective value comes from, exactly as the layers come together."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from dittoinfra.model import FoundServer
from dittoinfra.settings import Origin, StackSettings, effective_servers
from dittoinfra.settings.provenance import HIDDEN, Explained, UnknownServerError, explain
from lab.bed.credentials import credential
from tests.pure.settings.reading import CREDENTIALS, read

STACK = read(
    absencePolls=5,
    adapters={
        "service": {"type": "NodePort", "annotations": {"example.com/team": "storage"}},
        "types": {"smb": {"servicePort": 445}},
    },
    selectors=[
        {"selector": {"matchLabels": {"tier": "cold"}}, "removal": "never", "absencePolls": 7},
        {"selector": {}, "adapters": {"service": {"annotations": {"example.com/all": "yes"}}}},
    ],
    servers=[
        {
            "name": "media",
            "labels": {"tier": "cold"},
            "pollInterval": "90s",
            "adapters": {"types": {"nfs": {"servicePort": 2049, "type": "ClusterIP"}}},
        },
        {"name": "plain"},
    ],
    serversFrom=[{"selector": {}}],
)
FOUND = [FoundServer("archive", "files", {"tier": "cold"})]


def _of(server: str, adapter: str | None = None, stack: StackSettings = STACK) -> dict[str, Explained]:
    return {row.path: row for row in explain(stack, FOUND, server, adapter)}


def _sources(rows: dict[str, Explained]) -> dict[str, tuple[Any, str]]:
    """Every value that is not a default, with its source."""
    return {path: (row.value, row.source) for path, row in rows.items() if row.origin is not Origin.DEFAULT}


def test_a_configured_server() -> None:
    rows = _of("media")

    assert _sources(rows) == {
        "name": ("media", "dittoinfra:servers[0].name"),
        "labels.tier": ("cold", "dittoinfra:servers[0].labels.tier"),
        "pollInterval": ("90s", "dittoinfra:servers[0].pollInterval"),
        "absencePolls": (7, "dittoinfra:selectors[0].absencePolls (tier=cold)"),
        "removal": ("never", "dittoinfra:selectors[0].removal (tier=cold)"),
        "adapters.service.type": ("NodePort", "dittoinfra:adapters.service.type"),
        "adapters.service.annotations.example.com/team": (
            "storage",
            "dittoinfra:adapters.service.annotations.example.com/team",
        ),
        "adapters.service.annotations.example.com/all": (
            "yes",
            "dittoinfra:selectors[1].adapters.service.annotations.example.com/all (every server)",
        ),
        "adapters.types.smb.servicePort": (445, "dittoinfra:adapters.types.smb.servicePort"),
        "adapters.types.nfs.servicePort": (2049, "dittoinfra:servers[0].adapters.types.nfs.servicePort"),
        "adapters.types.nfs.type": ("ClusterIP", "dittoinfra:servers[0].adapters.types.nfs.type"),
    }
    assert (rows["api.deadline"].value, rows["api.deadline"].source) == ("20s", "default")
    assert rows["deploy"].value is None
    assert "adapters.types.nfs.preset" not in rows, "an exception that was not made is not in force"


def test_a_found_server() -> None:
    rows = _of("archive")

    assert (rows["namespace"].value, rows["namespace"].source) == ("files", "found in the cluster")
    assert rows["removal"].selector == "tier=cold"
    assert rows["absencePolls"].value == 7


def test_an_adapter_from_its_type_then_its_service() -> None:
    nfs, smb = _of("media", "nfs"), _of("media", "smb")

    assert (nfs["type"].value, nfs["type"].where) == (
        "ClusterIP",
        "dittoinfra:servers[0].adapters.types.nfs.type",
    )
    assert (smb["type"].value, smb["type"].where) == ("NodePort", "dittoinfra:adapters.service.type")
    assert (smb["servicePort"].value, smb["servicePort"].origin) == (445, Origin.STACK)
    assert nfs["annotations.example.com/all"].origin is Origin.SELECTOR
    assert nfs["splitUdp"].origin is Origin.DEFAULT
    assert _of("media", "ftp")["type"].value == "NodePort", "a type that is not mentioned is like any other"


def test_a_null_in_a_nearer_layer_is_shown_with_its_origin() -> None:
    stack = read(
        networkPolicy={"mode": "enabled", "ports": [8080]},
        selectors=[{"selector": {}, "networkPolicy": {"ports": None}}],
        servers=[{"name": "media", "deploy": {"credentials": CREDENTIALS}}],
    )

    rows = _of("media", stack=stack)

    assert (rows["networkPolicy.ports"].value, rows["networkPolicy.ports"].origin) == (None, Origin.SELECTOR)
    assert rows["networkPolicy.mode"].origin is Origin.STACK


def test_a_list_is_one_value_and_can_be_said_in_json() -> None:
    pinned = [{"type": "nfs", "port": 2049}]
    peers = [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}]
    stack = read(
        adapters={"pinned": pinned},
        networkPolicy={"from": peers},
        servers=[{"name": "media", "deploy": {"credentials": CREDENTIALS}}],
    )

    rows = _of("media", stack=stack)

    assert rows["adapters.pinned"].value == pinned
    assert rows["networkPolicy.from"].value == peers
    assert json.dumps([row.value for row in rows.values()])


def test_secrets_are_never_shown() -> None:
    password = credential("password")
    stack = read(passwords={"media": password}, servers=[{"name": "media"}])

    assert password not in str(explain(stack, [], "media"))


def test_a_secret_in_a_block_of_free_keys_is_hidden() -> None:
    password = credential("password")
    extra = {"plugin": {"token": SecretStr(password), "tokens": [SecretStr(password)]}}
    deploy = {"credentials": CREDENTIALS, "config": {"extra": extra}}
    stack = StackSettings.model_validate({"servers": [{"name": "media", "deploy": deploy}]})

    rows = _of("media", stack=stack)

    assert rows["deploy.config.extra.plugin.token"].value == HIDDEN
    assert rows["deploy.config.extra.plugin.tokens"].value == [HIDDEN]
    assert password not in str(rows)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("medai", "did you mean media?"), ("xyz", "known are: archive, media, plain")],
)
def test_an_unknown_server(name: str, hint: str) -> None:
    with pytest.raises(UnknownServerError) as caught:
        explain(STACK, FOUND, name)

    assert str(caught.value) == f"{name}: is neither configured nor found in the cluster; {hint}"


def test_a_stack_without_servers_knows_none() -> None:
    with pytest.raises(UnknownServerError, match="known are: none"):
        explain(read(), [], "media")


LAYER = st.fixed_dictionaries(
    {},
    optional={
        "absencePolls": st.integers(1, 9),
        "removal": st.sampled_from(["sync", "never"]),
        "adapters": st.fixed_dictionaries(
            {},
            optional={
                "service": st.fixed_dictionaries(
                    {},
                    optional={
                        "wait": st.booleans(),
                        "annotations": st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from("xyz")),
                        "extras": st.fixed_dictionaries({}, optional={"udp": st.none() | st.booleans()}),
                        "sourceRanges": st.lists(st.just("10.0.0.0/8"), max_size=1),
                    },
                )
            },
        ),
    },
)


@given(LAYER, LAYER, LAYER)
def test_a_value_is_what_the_place_that_it_is_said_to_come_from_says(
    stack: dict[str, Any], selector: dict[str, Any], server: dict[str, Any]
) -> None:
    written = {**stack, "selectors": [{"selector": {}, **selector}], "servers": [{"name": "m", **server}]}
    settings = StackSettings.model_validate(written)
    [effective] = effective_servers(settings)

    for row in explain(settings, [], "m"):
        if row.where is not None:
            place = row.where.removeprefix("dittoinfra:").replace("[0]", ".0").split(".")
            said: Any = written
            for step in place:
                said = said[int(step) if step == "0" else step]
            assert said == row.value
    assert effective.absence_polls == next(
        row.value for row in explain(settings, [], "m") if row.path == "absencePolls"
    )


def test_what_went_with_a_block_that_was_switched_off_does_not_come_back() -> None:
    stack = read(
        adapters={"service": {"dns": {"hostname": "{server}.example.com", "aliases": ["a"]}}},
        selectors=[
            {"selector": {}, "adapters": {"service": {"dns": None}}},
            {
                "selector": {"matchLabels": {"tier": "cold"}},
                "adapters": {"service": {"dns": {"aliases": ["b"]}}},
            },
        ],
        servers=[{"name": "off"}, {"name": "on", "labels": {"tier": "cold"}}],
    )

    off, on = _of("off", "nfs", stack), _of("on", "nfs", stack)

    assert (off["dns"].value, off["dns"].where) == (None, "dittoinfra:selectors[0].adapters.service.dns")
    assert (on["dns.hostname"].value, on["dns.hostname"].origin) == (None, Origin.DEFAULT)
    assert on["dns.aliases"].where == "dittoinfra:selectors[1].adapters.service.dns.aliases"
