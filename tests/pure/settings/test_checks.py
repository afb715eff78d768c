"""Settings that are right on their own and wrong together."""

from typing import Any

import pytest

from tests.pure.settings.reading import CREDENTIALS, IN_THE_CLEAR, problems, read


def test_two_servers_of_one_name_are_refused() -> None:
    lines = problems(servers=[{"name": "media"}, {"name": "backup"}, {"name": "media"}])

    assert lines == ["dittoinfra:servers[2].name: 'media' is the name of another server; names are unique"]


def test_a_password_for_a_server_that_is_not_there_is_refused() -> None:
    lines = problems(servers=[{"name": "media"}], passwords={"media": "x", "medai": "y", "*": "z"})

    assert lines == [
        "dittoinfra:passwords.medai: is not the name of a server in dittoinfra:servers; did you mean 'media'?"
    ]


def test_an_adapter_approved_twice_is_refused() -> None:
    assert problems(approveRemovals=["media/nfs", "media/smb", "media/nfs"]) == [
        "dittoinfra:approveRemovals[2]: is listed twice; name every adapter once"
    ]


@pytest.mark.parametrize(("first", "second"), [("nfs", "nfs"), ("dav", "DAV"), ("a-b", "a.b")])
def test_two_pinned_adapters_of_one_name_are_refused(first: str, second: str) -> None:
    pinned = [{"type": first, "port": 1}, {"type": second, "port": 2}]

    assert problems(servers=[{"name": "media", "adapters": {"pinned": pinned}}]) == [
        "dittoinfra:servers[0].adapters.pinned[1].type: "
        f"{second!r} ends in the name of another pinned adapter"
    ]


def test_two_pinned_adapters_on_one_port_are_refused() -> None:
    pinned = [{"type": "nfs", "port": 2049}, {"type": "smb", "port": 2049}]

    assert problems(servers=[{"name": "media", "adapters": {"pinned": pinned}}]) == [
        "dittoinfra:servers[0].adapters.pinned[1].port: port 2049 is pinned twice"
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("nsf", "nfs"),
        ("nfss", "nfs"),
        ("NFS", "nfs"),
        ("nf", "nfs"),
        ("Smb", "smb"),
        ("sbm", "smb"),
        ("samba", "smb"),
        ("CIFS", "smb"),
    ],
)
def test_a_misspelt_adapter_type_is_refused_with_the_right_one(written: str, meant: str) -> None:
    assert problems(adapters={"types": {written: {"servicePort": 2049}}}) == [
        f"dittoinfra:adapters.types.{written}: {written!r} is no adapter type; did you mean {meant!r}?"
    ]


def test_every_misspelt_adapter_type_is_told_where_it_is_written() -> None:
    adapters = {"types": {"nsf": {"servicePort": 2049}}, "pinned": [{"type": "sbm", "port": 445}]}

    assert problems(servers=[{"name": "media", "adapters": adapters}]) == [
        "dittoinfra:servers[0].adapters.pinned[0].type: 'sbm' is no adapter type; did you mean 'smb'?",
        "dittoinfra:servers[0].adapters.types.nsf: 'nsf' is no adapter type; did you mean 'nfs'?",
    ]
    # These may be types of a later DittoFS.
    later: dict[str, Any] = {"afs": {}, "nfs4": {}, "s3": {}, "webdav": {}}
    assert read(adapters={"types": later}).adapters.types.keys() == later.keys()


@pytest.mark.parametrize("servers", [[], [{"name": "a"}], [{"name": "a"}, {"name": "b"}]])
def test_what_the_stack_gets_wrong_is_told_once_and_where_it_is_written(servers: list[Any]) -> None:
    adapters = {
        "pinned": [{"type": "web.dav", "port": 1}, {"type": "web-dav", "port": 1}],
        "service": {"preset": "operator"},
        "types": {"nfs": {"servicePort": 111}},
    }

    assert problems(adapters=adapters, servers=servers) == [
        "dittoinfra:adapters.pinned[1].port: port 1 is pinned twice",
        "dittoinfra:adapters.pinned[1].type: 'web-dav' ends in the name of another pinned adapter",
        "dittoinfra:adapters.types.nfs.servicePort: "
        "port 111 is the portmapper's; choose another, or set extras.portmapper to false",
    ]


def test_what_a_server_gets_wrong_with_the_stacks_help_is_told_at_the_server() -> None:
    wrong = {"name": "b", "adapters": {"types": {"nfs": {"servicePort": 111}}}}

    [line] = problems(adapters={"service": {"preset": "operator"}}, servers=[{"name": "a"}, wrong])

    assert line.startswith("dittoinfra:servers[1].adapters.types.nfs.servicePort: port 111 is")


@pytest.mark.parametrize(
    ("deploy", "port", "owner"),
    [
        ({}, 8080, "api.port"),
        ({"api": {"port": 2049}}, 2049, "api.port"),
        ({"metrics": {"enabled": True}}, 9090, "metrics.port"),
        ({"metrics": {"enabled": True, "port": 2049}}, 2049, "metrics.port"),
    ],
)
@pytest.mark.parametrize("at_the_stack", [False, True], ids=["pinned at the server", "pinned at the stack"])
def test_a_pinned_adapter_on_a_port_of_the_server_itself_is_refused(
    deploy: dict[str, Any], port: int, owner: str, at_the_stack: bool
) -> None:
    pinned = {"adapters": {"pinned": [{"type": "smb", "port": 12445}, {"type": "nfs", "port": port}]}}
    stack, server = (pinned, {}) if at_the_stack else ({}, pinned)
    deployed = {"credentials": CREDENTIALS, **deploy}

    assert problems(**stack, servers=[{"name": "media", "deploy": deployed, **server}]) == [
        f"dittoinfra:servers[0].adapters.pinned[1].port: port {port} is deploy.{owner}"
    ]


@pytest.mark.parametrize(
    ("server", "port"),
    [
        ({}, 8080),
        ({"deploy": {"credentials": CREDENTIALS, "api": {"port": 8443}}}, 8080),
        ({"deploy": {"credentials": CREDENTIALS}}, 9090),
    ],
    ids=["not deployed by us", "another port", "metrics are off"],
)
def test_a_pinned_adapter_on_a_port_that_the_server_leaves_free_is_fine(
    server: dict[str, Any], port: int
) -> None:
    pinned = {"pinned": [{"type": "nfs", "port": port}]}

    assert read(servers=[{"name": "media", "adapters": pinned, **server}]).servers[0].name == "media"


@pytest.mark.parametrize(
    "service",
    [{"preset": "operator"}, {"extras": {"portmapper": True}}],
    ids=["by the preset", "by its own switch"],
)
def test_a_service_port_that_is_the_portmappers_is_refused(service: dict[str, Any]) -> None:
    adapters = {"service": service, "types": {"nfs": {"servicePort": 111}}}

    assert problems(servers=[{"name": "media", "adapters": adapters}]) == [
        "dittoinfra:servers[0].adapters.types.nfs.servicePort: "
        "port 111 is the portmapper's; choose another, or set extras.portmapper to false"
    ]


@pytest.mark.parametrize(
    "adapters",
    [
        {"types": {"nfs": {"servicePort": 111}}},
        {"service": {"preset": "operator"}, "types": {"nfs": {"servicePort": 2049}}},
        {
            "service": {"preset": "operator"},
            "types": {"nfs": {"servicePort": 111, "extras": {"portmapper": False}}},
        },
        {"service": {"preset": "operator"}, "types": {"smb": {"servicePort": 111}}},
    ],
    ids=["no portmapper", "another port", "switched off", "another type"],
)
def test_a_service_port_of_one_adapter_only_is_fine(adapters: dict[str, Any]) -> None:
    assert read(servers=[{"name": "media", "adapters": adapters}]).servers[0].name == "media"


def test_what_is_wrong_together_is_told_beside_passwords_in_the_clear() -> None:
    lines = problems(IN_THE_CLEAR, servers=[{"name": "a"}, {"name": "a"}], passwords={"a": "x"})

    assert [line.partition(": ")[0] for line in lines] == [
        "dittoinfra:passwords",
        "dittoinfra:servers[1].name",
    ]


@pytest.mark.parametrize("types", [("nfs", "nfs-udp"), ("gateway-108", "gateway-221")])
def test_pinned_adapters_whose_names_meet_are_refused(types: tuple[str, str]) -> None:
    pinned = [{"type": name, "port": port} for port, name in enumerate(types, 1)]
    assert len(problems(adapters={"pinned": pinned})) == 1


def test_the_same_mistake_at_the_stack_and_at_a_server_is_told_twice() -> None:
    wrong = {"pinned": [{"type": "nfs", "port": 1}, {"type": "smb", "port": 1}]}
    assert len(problems(adapters=wrong, servers=[{"name": "a", "adapters": wrong}])) == 2


RANGES = ["10.0.0.0/8"]


@pytest.mark.parametrize(
    ("adapters", "where"),
    [
        ({"service": {"type": "NodePort", "sourceRanges": RANGES}}, ["service"]),
        ({"service": {"type": "ClusterIP", "sourceRanges": RANGES}}, ["service"]),
        ({"service": {"sourceRanges": RANGES}, "types": {"smb": {"type": "NodePort"}}}, ["types.smb"]),
        ({"service": {"type": "NodePort"}, "types": {"smb": {"sourceRanges": RANGES}}}, ["types.smb"]),
        (
            {"service": {"type": "NodePort", "sourceRanges": RANGES}, "types": {"smb": {"servicePort": 445}}},
            ["service"],
        ),
        (
            {"service": {"sourceRanges": RANGES}, "types": {"smb": {"type": "NodePort", "sourceRanges": []}}},
            [],
        ),
        ({"service": {"sourceRanges": RANGES}}, []),
    ],
)
def test_source_ranges_that_a_service_cannot_have_are_refused(
    adapters: dict[str, object], where: list[str]
) -> None:
    lines = problems(adapters=adapters) if where else []
    if not where:
        read(adapters=adapters)

    assert [line.partition(": ")[0] for line in lines] == [
        f"dittoinfra:adapters.{place}.sourceRanges" for place in where
    ]
    assert all(
        "Service has no source ranges and would let everyone in; set its type to" in line for line in lines
    )


def test_source_ranges_of_the_stack_are_refused_for_the_server_that_cannot_have_them() -> None:
    servers = [{"name": "media", "adapters": {"service": {"type": "NodePort"}}}, {"name": "backup"}]

    [line] = problems(servers=servers, adapters={"service": {"sourceRanges": RANGES}})

    assert line.startswith("dittoinfra:servers[0].adapters.service.sourceRanges: a NodePort Service has no ")
