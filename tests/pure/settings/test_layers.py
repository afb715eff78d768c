"""Layers of settings: the stack below the server below the adapter type, and the nearer wins."""

from dittoinfra.settings import effective_servers, service_settings
from tests.pure.settings.reading import only_server, read


def test_what_the_stack_says_holds_for_every_server() -> None:
    media, backup = effective_servers(
        read(absencePolls=5, namespace="storage", servers=[{"name": "media"}, {"name": "backup"}])
    )

    assert {media.absence_polls, backup.absence_polls} == {5}
    assert {media.namespace, backup.namespace} == {"storage"}


def test_what_a_server_says_holds_for_itself_alone() -> None:
    media, backup = effective_servers(
        read(
            absencePolls=5,
            api={"username": "reader", "deadline": "5s"},
            servers=[{"name": "media", "absencePolls": 1, "api": {"deadline": "9s"}}, {"name": "backup"}],
        )
    )

    assert (media.absence_polls, backup.absence_polls) == (1, 5)
    assert (media.api.deadline.seconds, backup.api.deadline.seconds) == (9, 5)
    assert media.api.username == "reader", "what the server does not say is the stack's"


def test_a_default_never_wins_over_a_written_value() -> None:
    server = only_server(
        removal="never",
        adapters={"service": {"type": "NodePort", "extras": {"udp": True}}},
        servers=[
            {"name": "media", "adapters": {"service": {"extras": {"mdns": True}}, "types": {"nfs": {}}}}
        ],
    )
    nfs = service_settings(server, "nfs")

    assert server.removal == "never"
    assert nfs.type == "NodePort"
    assert (nfs.extras.udp, nfs.extras.mdns, nfs.extras.portmapper) == (True, True, None)


def test_a_default_that_is_written_down_counts_as_written() -> None:
    server = only_server(removal="never", servers=[{"name": "media", "removal": "sync"}])

    assert server.removal == "sync"


def test_maps_come_together_key_by_key() -> None:
    server = only_server(
        adapters={
            "service": {"annotations": {"a": "stack", "b": "stack"}},
            "types": {"nfs": {"servicePort": 2049}, "smb": {"servicePort": 445}},
        },
        servers=[
            {
                "name": "media",
                "adapters": {
                    "service": {"annotations": {"b": "server", "c": "server"}},
                    "types": {"nfs": {"annotations": {"c": "nfs"}}},
                },
            }
        ],
    )

    nfs, smb = service_settings(server, "nfs"), service_settings(server, "smb")
    assert nfs.annotations == {"a": "stack", "b": "server", "c": "nfs"}
    assert smb.annotations == {"a": "stack", "b": "server", "c": "server"}
    assert (nfs.service_port, smb.service_port) == (2049, 445)


def test_a_list_is_one_value_and_replaced_as_a_whole() -> None:
    server = only_server(
        adapters={
            "pinned": [{"type": "nfs", "port": 1}],
            "service": {"sourceRanges": ["10.0.0.0/8", "192.168.0.0/16"]},
        },
        servers=[{"name": "media", "adapters": {"pinned": [], "service": {"sourceRanges": ["fd00::/8"]}}}],
    )

    assert server.adapters.pinned == []
    assert service_settings(server, "nfs").source_ranges == ["fd00::/8"]


def test_a_type_without_exceptions_is_exposed_as_every_other() -> None:
    server = only_server(servers=[{"name": "media", "adapters": {"service": {"type": "ClusterIP"}}}])

    assert service_settings(server, "ftp").type == "ClusterIP"
    assert service_settings(server, "ftp").service_port is None
