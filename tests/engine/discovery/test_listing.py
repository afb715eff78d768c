"""Listing servers in the cluster, and how an incomplete listing is detected."""

from collections.abc import Iterator

import pytest

from dittoinfra.kubernetes import Cluster, connect, server_listing
from dittoinfra.kubernetes.server_listing import list_servers, unlisted
from dittoinfra.model import Listing, Permission
from dittoinfra.settings.selectors import ServersFrom
from dittoinfra.setup.kube_choices import find_servers
from lab.bed.kubernetes import KubernetesApi
from tests.engine.discovery.api_proxy import ApiProxy, kubeconfig_for
from tests.engine.discovery.server_namespace import ServerNamespace

OURS = {"matchLabels": {"app": "dittofs-server"}}


@pytest.fixture
def cluster(proxy: ApiProxy) -> Iterator[Cluster]:
    with connect(str(proxy.kubeconfig)) as connected:
        yield connected


def source(**settings: object) -> ServersFrom:
    return ServersFrom.model_validate({"selector": OURS, **settings})


def names(listed: Listing) -> list[str]:
    return [found.name for found in listed.objects]


def test_statefulsets_by_label_with_their_labels(cluster: Cluster, server_namespace: ServerNamespace) -> None:
    server_namespace.add("media", tier="cold")
    server_namespace.add("backup")
    server_namespace.add("other", app="something-else")

    (listed,) = list_servers(cluster, [source()], server_namespace.name)

    backup, media = listed.objects
    assert (backup.name, media.name, media.namespace, media.kind) == (
        "backup",
        "media",
        server_namespace.name,
        "StatefulSet",
    )
    assert media.labels == {"app": "dittofs-server", "instance": "media", "tier": "cold"}
    assert listed.gaps == ()


def test_services_and_every_kind_of_selector(cluster: Cluster, server_namespace: ServerNamespace) -> None:
    server_namespace.add_service("media-api", tier="cold")
    server_namespace.add_service("backup-api", tier="hot")
    server_namespace.add_service("plain")
    expressions = [
        {"key": "tier", "operator": "Exists"},
        {"key": "tier", "operator": "NotIn", "values": ["hot"]},
    ]

    cold, every = list_servers(
        cluster,
        [
            source(kind="Service", selector={"matchExpressions": expressions}),
            source(kind="Service", selector={}),
        ],
        server_namespace.name,
    )

    assert names(cold) == ["media-api"]
    assert names(every) == ["backup-api", "media-api", "plain"]


def test_namespaces_by_name_and_by_label(cluster: Cluster, kubernetes_api: KubernetesApi) -> None:
    with kubernetes_api.client() as client:
        first, second, third = (ServerNamespace(kubernetes_api, client) for _ in range(3))
        for index, server_namespace in enumerate((first, second, third)):
            server_namespace.add(f"s{index}")
        first.label_namespace(team=first.name)
        third.label_namespace(team=first.name)

    named, selected, nowhere = list_servers(
        cluster,
        [
            source(namespaces=[second.name, first.name, second.name]),
            source(namespaceSelector={"matchLabels": {"team": first.name}}),
            source(namespaceSelector={"matchLabels": {"team": "none"}}),
        ],
        "default",
    )

    assert sorted(names(named)) == ["s0", "s1"]
    assert sorted(names(selected)) == ["s0", "s2"]
    assert (nowhere.objects, nowhere.gaps) == ((), ())


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch, server_namespace: ServerNamespace) -> ServerNamespace:
    """Five servers, two to a page."""
    monkeypatch.setattr(server_listing, "PAGE_SIZE", 2)
    for index in range(5):
        server_namespace.add(f"s{index}")
    return server_namespace


def test_every_page_is_read(cluster: Cluster, proxy: ApiProxy, small_pages: ServerNamespace) -> None:
    (listed,) = list_servers(cluster, [source()], small_pages.name)

    assert names(listed) == ["s0", "s1", "s2", "s3", "s4"]
    assert listed.gaps == ()
    assert len(proxy.asked) == 3


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (410, '{"message": "The provided continue parameter is too old"}', "answered 410 to list"),
        (500, "oops", "answered 500 to list"),
        (200, "<html>", "is not a list"),
        (200, "[]", "is not a list"),
        (200, "null", "is not a list"),
        (200, '{"kind": "Status", "items": [], "metadata": {}}', "is not a list"),
        (200, '{"items": null, "metadata": {}}', "is not a list"),
        (200, '{"kind": "List", "metadata": {}}', "is not a list"),
        (200, '{"kind": "List", "items": [{"metadata": {"name": 3}}], "metadata": {}}', "is not a list"),
        (200, '{"kind": "List", "items": [{}], "metadata": {}}', "is not a list"),
        (200, '{"kind": "List", "items": []}', "is not a list"),
    ],
)
def test_what_breaks_off_midway_says_so_and_keeps_what_it_has(
    cluster: Cluster, proxy: ApiProxy, small_pages: ServerNamespace, status: int, body: str, why: str
) -> None:
    proxy.break_listing("statefulsets", status, body, later_pages=True)

    broken, whole = list_servers(
        cluster, [source(), source(selector={"matchLabels": {"instance": "s4"}})], small_pages.name
    )

    assert names(broken) == ["s0", "s1"]
    (gap,) = broken.gaps
    assert why in gap.why
    assert f"list statefulsets.apps in namespace {small_pages.name}" in gap.why
    assert gap.lacks is None
    assert (names(whole), whole.gaps) == (["s4"], ())


def test_a_page_that_follows_itself_is_read_once(
    cluster: Cluster, proxy: ApiProxy, small_pages: ServerNamespace
) -> None:
    proxy.break_listing(
        "statefulsets", 200, '{"kind": "List", "items": [], "metadata": {"continue": "again"}}'
    )

    (listed,) = list_servers(cluster, [source()], small_pages.name)

    assert "one page over and over" in listed.gaps[0].why


def test_namespaces_that_cannot_be_listed_are_a_gap(cluster: Cluster, proxy: ApiProxy) -> None:
    proxy.break_listing("namespaces", 500)

    (listed,) = list_servers(cluster, [source(namespaceSelector={})], "default")

    assert listed.objects == ()
    assert "answered 500 to list namespaces" in listed.gaps[0].why


def test_a_cluster_that_is_gone(proxy: ApiProxy, kubernetes_api: KubernetesApi) -> None:
    with connect(kubeconfig_for("http://127.0.0.1:1")) as unreachable:
        (listed,) = list_servers(unreachable, [source()], "default")

    assert "no answer from the Kubernetes API at http://127.0.0.1:1" in listed.gaps[0].why


def test_what_rbac_forbids_is_named(kubernetes_api: KubernetesApi, server_namespace: ServerNamespace) -> None:
    with connect(server_namespace.reader()) as reader:
        sets, services, anywhere = list_servers(
            reader, [source(), source(kind="Service"), source(namespaceSelector={})], server_namespace.name
        )

    (gap,) = sets.gaps
    assert gap.lacks == Permission("list", "apps", "statefulsets", server_namespace.name)
    assert gap.why == (
        f"the Kubernetes API at {kubernetes_api.url} does not let us list statefulsets.apps in namespace "
        f"{server_namespace.name}"
    )
    assert services.gaps[0].lacks == Permission("list", "", "services", server_namespace.name)
    assert anywhere.gaps[0].lacks == Permission("list", "", "namespaces", None)


def test_servers_are_found_in_every_namespace_or_in_those_that_may_be_listed(
    cluster: Cluster, server_namespace: ServerNamespace
) -> None:
    server_namespace.add("media")
    server_namespace.add_service("backup", app="dittofs-server", instance="backup")
    reader = server_namespace.reader()
    rule = {"apiGroups": ["apps"], "resources": ["statefulsets"], "verbs": ["list"]}
    server_namespace.create(
        "apis/rbac.authorization.k8s.io/v1", "roles", {"metadata": {"name": "r"}, "rules": [rule]}
    )
    binding = {
        "metadata": {"name": "r"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
        "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": server_namespace.name}],
    }
    server_namespace.create("apis/rbac.authorization.k8s.io/v1", "rolebindings", binding)

    everywhere = {(found.namespace, found.name) for found in find_servers(cluster, None)}
    with connect(reader) as limited:
        one_by_one = find_servers(limited, None, ["default", server_namespace.name])
        nowhere = find_servers(limited, None, ["default"])

    assert {(server_namespace.name, "media"), (server_namespace.name, "backup")} <= everywhere
    assert [(found.namespace, found.name) for found in one_by_one] == [(server_namespace.name, "media")]
    assert nowhere == ()


def test_without_a_cluster_every_source_has_a_gap() -> None:
    first, second = unlisted([source(), source()], "no cluster")

    assert (first.source, second.source) == ("serversFrom[0]", "serversFrom[1]")
    assert [gap.why for gap in (*first.gaps, *second.gaps)] == ["no cluster", "no cluster"]
