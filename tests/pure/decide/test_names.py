"""Names of declared adapters: what they become, and everything that stands in their way."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dittoinfra.decide.names import NameDecision, decide_names
from dittoinfra.decide.refusals import NameRefused
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.settings import ServerSettings
from tests.pure.decide.make import UNREACHABLE, answer, remembering, server, serving
from tests.pure.naming.strategies import unhurried

ROUTER_HOSTS = "router-hosts.fzymgc.house"
EXTERNAL_DNS = "external-dns.kubernetes.io"
LEGACY_EXTERNAL_DNS = "external-dns.alpha.kubernetes.io"
NAMED = {"hostname": "{type}.{server}.example.com"}


def decided(*servers: ServerSettings, types: tuple[str, ...] = ("nfs", "smb")) -> NameDecision:
    heard = answer(*(serving(this, port) for port, this in enumerate(types, 1)))
    return decide_names(decide_stack(servers, {}, {s.name: [heard] for s in servers}), servers)


def of_nfs(dns: Mapping[str, Any] | None, **service: object) -> NameDecision:
    return decided(server(adapters={"types": {"nfs": {**service, "dns": dns}}}))


def lines(decision: NameDecision) -> list[str]:
    assert all("\n" not in str(refusal) for refusal in decision.refusals)
    return [str(refusal) for refusal in decision.refusals]


def faults(*refusals: NameRefused) -> list[tuple[str, str]]:
    return [(refusal.adapter, str(refusal.fault)) for refusal in refusals]


def test_names_are_filled_per_adapter_and_a_type_is_written_as_in_its_services_name() -> None:
    aliases = ["{namespace}-{server}-{type}.example.org"]
    media = server(namespace="files", adapters={"service": {"dns": {**NAMED, "aliases": aliases}}})

    names = decided(media, types=("nfs", "Web.DAV"))

    assert names.refusals == ()
    assert {resource: this.names.all for resource, this in names.adapters.items()} == {
        "media/nfs": ("nfs.media.example.com", "files-media-nfs.example.org"),
        "media/Web.DAV": ("web-dav.media.example.com", "files-media-web-dav.example.org"),
    }
    assert {(this.names.namespace, this.names.service) for this in names.of("media").values()} == {
        ("files", "media-adapter-nfs"),
        ("files", "media-adapter-web-dav"),
    }
    assert names.of("other") == {}


@pytest.mark.parametrize("dns", [None, {"hostname": "a.example.com"}])
def test_only_who_asks_for_names_gets_them(dns: Mapping[str, Any] | None) -> None:
    assert list(of_nfs(dns).adapters) == ([] if dns is None else ["media/nfs"])


@pytest.mark.parametrize(
    ("dns", "annotations"),
    [
        (
            {"hostname": "a.example.com"},
            {f"{ROUTER_HOSTS}/enabled": "true", f"{ROUTER_HOSTS}/hostname": "a.example.com"},
        ),
        (
            {
                "hostname": "a.example.com",
                "aliases": ["B.example.com", "c.example.com"],
                "ip": "192.0.2.1",
            },
            {
                f"{ROUTER_HOSTS}/enabled": "true",
                f"{ROUTER_HOSTS}/hostname": "a.example.com",
                f"{ROUTER_HOSTS}/ip-address": "192.0.2.1",
                f"{ROUTER_HOSTS}/aliases": "b.example.com,c.example.com",
            },
        ),
        (
            {"backend": "external-dns", "hostname": "a.example.com"},
            {
                f"{EXTERNAL_DNS}/hostname": "a.example.com",
                f"{LEGACY_EXTERNAL_DNS}/hostname": "a.example.com",
            },
        ),
        (
            {
                "backend": "external-dns",
                "hostname": "a.example.com",
                "aliases": ["b.example.com"],
                "ip": "192.0.2.1",
                "ttl": 60,
            },
            {
                f"{EXTERNAL_DNS}/hostname": "a.example.com,b.example.com",
                f"{EXTERNAL_DNS}/target": "192.0.2.1",
                f"{EXTERNAL_DNS}/ttl": "60",
                f"{LEGACY_EXTERNAL_DNS}/hostname": "a.example.com,b.example.com",
                f"{LEGACY_EXTERNAL_DNS}/target": "192.0.2.1",
                f"{LEGACY_EXTERNAL_DNS}/ttl": "60",
            },
        ),
    ],
)
def test_annotations_are_exactly_what_the_backend_reads(
    dns: Mapping[str, Any], annotations: dict[str, str]
) -> None:
    names = of_nfs(dns)

    assert names.refusals == ()
    assert names.adapters["media/nfs"].annotations == annotations


def test_a_cluster_ip_has_no_names() -> None:
    assert lines(of_nfs(NAMED, type="ClusterIP")) == [
        "media/nfs: InvalidServiceType: its Service is a ClusterIP, which has no address outside the "
        "cluster; set its type to LoadBalancer or NodePort, or its dns to null"
    ]


@pytest.mark.parametrize("dns", [{}, {"hostname": ""}, {"aliases": ["a.example.com"]}])
def test_names_without_a_host_name_are_refused(dns: Mapping[str, Any]) -> None:
    assert lines(of_nfs(dns)) == [
        "media/nfs: MissingHostname: its dns gives no hostname; set dns.hostname, for instance to "
        "{type}.{server}.example.com, or its dns to null"
    ]


def test_a_node_port_needs_an_address() -> None:
    assert lines(of_nfs(NAMED, type="NodePort")) == [
        "media/nfs: MissingIPAddress: its Service is a NodePort, which is found at every node; "
        "set dns.ip to the address to register"
    ]
    assert of_nfs({**NAMED, "ip": "192.0.2.1"}, type="NodePort").refusals == ()


def test_every_name_that_is_none_is_told_as_it_was_filled() -> None:
    assert lines(
        of_nfs({"hostname": "{type}_1.example.com", "aliases": ["ok.example.com", "-{server}"]})
    ) == [
        "media/nfs: InvalidHostname: dns.hostname 'nfs_1.example.com' has 'nfs_1' in it; "
        "a part is letters, digits, and '-' between them",
        "media/nfs: InvalidHostname: dns.aliases '-media' has '-media' in it; "
        "a part is letters, digits, and '-' between them",
    ]


def test_what_a_backend_has_no_word_for_is_refused() -> None:
    assert lines(of_nfs({**NAMED, "ttl": 60})) == [
        "media/nfs: UnsupportedSetting: router-hosts does not support dns.ttl; "
        "drop it, or set it to null for this adapter"
    ]


def test_more_aliases_than_router_hosts_takes_are_refused_and_external_dns_takes_them() -> None:
    aliases = [f"a{number}.example.com" for number in range(51)]

    assert of_nfs({**NAMED, "aliases": aliases[:50]}).refusals == ()
    assert of_nfs({**NAMED, "aliases": aliases, "backend": "external-dns"}).refusals == ()
    assert lines(of_nfs({**NAMED, "aliases": aliases})) == [
        "media/nfs: InvalidConfiguration: dns.aliases has 51 names, and router-hosts takes at most 50: "
        "with more it neither makes nor changes the entry; drop some"
    ]


def test_an_annotation_that_says_otherwise_is_refused_and_one_that_says_the_same_is_not() -> None:
    own = {
        f"{ROUTER_HOSTS}/hostname": "other.example.com",
        f"{ROUTER_HOSTS}/enabled": "true",
        f"{ROUTER_HOSTS}/tags": "mine",
        f"{EXTERNAL_DNS}/hostname": "other.example.com",
    }

    assert lines(of_nfs(NAMED, annotations=own)) == [
        f"media/nfs: AnnotationTaken: annotation {ROUTER_HOSTS}/hostname is set to 'other.example.com' "
        "and by dns to 'nfs.media.example.com'; drop one of them"
    ]


@pytest.mark.parametrize(
    ("nfs", "smb"),
    [
        ({"hostname": "a.example.com"}, {"hostname": "A.example.com"}),
        ({"hostname": "a.example.com"}, {"hostname": "b.example.com", "aliases": ["a.example.com"]}),
        ({"hostname": "b.example.com", "aliases": ["a.example.com"]}, {"hostname": "a.example.com"}),
        (
            {"hostname": "b.example.com", "aliases": ["a.example.com"]},
            {"backend": "external-dns", "hostname": "c.example.com", "aliases": ["a.example.com"]},
        ),
    ],
)
def test_a_name_belongs_to_one_adapter(nfs: Mapping[str, Any], smb: Mapping[str, Any]) -> None:
    types = {"nfs": {"dns": nfs}, "smb": {"dns": smb}}

    assert lines(decided(server(adapters={"types": types}))) == [
        "media/smb: HostnameTaken: a.example.com is claimed by media/nfs already; give every adapter names "
        "of its own, for instance with {server} and {type} in them"
    ]


def test_a_name_in_two_scripts_is_one_name_and_two_servers_do_not_share_it() -> None:
    first = server("one", adapters={"types": {"nfs": {"dns": {"hostname": "bücher.example"}}}})
    second = server("two", adapters={"types": {"nfs": {"dns": {"hostname": "xn--bcher-kva.example"}}}})

    [line] = lines(decided(first, second))
    assert line.startswith("two/nfs: HostnameTaken: xn--bcher-kva.example is claimed by one/nfs already")


def test_an_alias_that_is_the_host_name_is_refused() -> None:
    [line] = lines(of_nfs({"hostname": "a.example.com", "aliases": ["a.example.com"]}))

    assert line.startswith(
        "media/nfs: HostnameTaken: a.example.com is claimed by this adapter itself already"
    )


@pytest.mark.parametrize(
    "route",
    [{"ingress": {"host": "a.example.com"}}, {"gateway": {"gateway": "edge", "host": "a.example.com"}}],
    ids=["ingress", "gateway"],
)
def test_the_name_of_an_api_is_not_an_adapters(route: dict[str, Any]) -> None:
    secret = {"secret": "s", "key": "k"}
    deploy = {"credentials": {"jwt": secret, "adminPassword": secret}, "api": route}
    other = server("other", deploy=deploy)
    media = server(adapters={"types": {"nfs": {"dns": {"hostname": "a.example.com"}}}})

    [line] = lines(decided(media, other))
    assert line.startswith("media/nfs: HostnameTaken: a.example.com is claimed by the API of other already")


def test_everything_is_told_at_once() -> None:
    types = {
        "nfs": {"type": "NodePort", "dns": {"aliases": ["_", "a.example.com"], "ttl": 1}},
        "smb": {"type": "ClusterIP", "dns": {"hostname": "a.example.com"}},
    }

    assert faults(*decided(server(adapters={"types": types})).refusals) == [
        ("media/nfs", "MissingHostname"),
        ("media/nfs", "MissingIPAddress"),
        ("media/nfs", "InvalidHostname"),
        ("media/nfs", "UnsupportedSetting"),
        ("media/smb", "InvalidServiceType"),
        ("media/smb", "HostnameTaken"),
    ]


def test_a_kept_adapter_counts_as_a_declared_one_and_an_unknown_one_does_not() -> None:
    same = {"dns": {"hostname": "a.example.com"}}
    media = server(adapters={"types": {"nfs": same, "smb": same, "ftp": same}})
    memory = {"media": remembering(("nfs", 12049), ("smb", 12445))}

    names = decide_names(decide_stack([media], memory, {"media": [UNREACHABLE]}), [media])

    assert faults(*names.refusals) == [("media/smb", "HostnameTaken")]


TEMPLATES = st.lists(st.sampled_from(["{server}", "{type}", "{namespace}", "A", "ä", "."]), max_size=4).map(
    "".join
)


@unhurried
@given(st.lists(st.tuples(TEMPLATES, st.lists(TEMPLATES, max_size=2)), min_size=1, max_size=3))
def test_without_a_refusal_no_two_declared_names_are_equal(wishes: list[tuple[str, list[str]]]) -> None:
    servers = [
        server(f"s{index}", adapters={"service": {"dns": {"hostname": hostname, "aliases": aliases}}})
        for index, (hostname, aliases) in enumerate(wishes)
    ]

    decision = decided(*servers)

    if not decision.refusals:
        everything = [name for this in decision.adapters.values() for name in this.names.all]
        assert len(everything) == len(set(everything))
        assert len(decision.adapters) == 2 * len(servers)
