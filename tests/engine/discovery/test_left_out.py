"""Objects that cannot be servers are reported in one line, and remove nothing."""

from pathlib import Path

import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.changes import Changes
from dittoinfra.model import Permission
from dittoinfra.program.provider_cluster import listing_roles
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from tests.engine.discovery.server_namespace import ServerNamespace
from tests.engine.discovery.stack import COLD, OURS, adapters, finding, found_pair
from tests.engine.world import World
from tests.engine.world import world as new_world


def test_one_name_in_two_namespaces_stays_as_it_is_and_stops_no_other_server(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace, kubernetes_api: KubernetesApi
) -> None:
    found_pair(world, dittofs, server_namespace)
    before = server_namespace.services()
    with kubernetes_api.client() as client:
        other = ServerNamespace(kubernetes_api, client)
        other.add("media")
    both = sorted((server_namespace.name, other.name))

    finding(world, dittofs, server_namespace, serversFrom=[{"selector": OURS, "namespaces": both}])
    dittofs.set_adapter("nfs", port=12050)
    report = world.up()

    assert report.changes == Changes(update=1, same=6)
    assert report.lines("warning") == [
        f"media: nonsense: found in the namespaces {both[0]} and {both[1]}, and a stack has one server of a "
        "name; narrow dittoinfra:serversFrom to one of them, or give each a stack of its own; 2 remembered "
        "adapters kept as is"
    ]
    after = server_namespace.services()
    assert {n: s for n, s in after.items() if "media" in n} == {
        n: s for n, s in before.items() if "media" in n
    }
    assert after["backup-adapter-nfs"] != before["backup-adapter-nfs"]


def test_settings_that_contradict_each_other_stop_only_the_found_server_that_they_are_for(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    server_namespace.add("media")
    server_namespace.add("backup", tier="cold")
    finding(world, dittofs, server_namespace)
    readme = world.up().outputs["readme"]
    before = server_namespace.services()

    open_to_all = {"type": "ClusterIP", "sourceRanges": ["10.0.0.0/8"]}
    annotated = {"annotations": {"example.com/tier": "any"}}
    selectors = [
        {"selector": {}, "adapters": {"service": annotated}},
        {"selector": COLD, "adapters": {"service": open_to_all}},
    ]
    finding(world, dittofs, server_namespace, selectors=selectors)
    report = world.up()

    assert report.changes == Changes(update=2, same=5)
    (line,) = report.lines("warning")
    assert line.startswith(
        "backup: nonsense: adapters.service.sourceRanges: a ClusterIP Service has no source "
    )
    assert line.endswith("2 remembered adapters kept as is")
    assert all(
        service == before[name] for name, service in server_namespace.services().items() if "backup" in name
    )
    assert report.outputs["readme"] == readme
    conditions = report.outputs["servers"]["backup"]["conditions"]
    assert [condition["status"] for condition in conditions] == ["False"] * 3
    assert world.run_changes() == Changes(same=7)

    finding(world, dittofs, server_namespace)
    assert world.run_changes() == Changes(update=2, same=5), "it is followed again"


def test_what_cannot_be_a_server_affects_no_other_server(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    found_pair(world, dittofs, server_namespace)

    server_namespace.label("media", instance="Media_1")
    server_namespace.add_service("2nd-api")
    sources = [{"selector": OURS}, {"kind": "Service", "selector": {}}]
    finding(world, dittofs, server_namespace, serversFrom=sources)
    for _ in range(3):
        report = world.up()
        assert report.changes == Changes(same=7)
    left_out = [line.partition(":")[0] for line in report.lines("warning") if "is left out" in line]
    assert left_out == [f"{server_namespace.name}/media", f"{server_namespace.name}/2nd-api"]


def test_a_found_server_without_a_password_is_not_asked_and_stops_no_other_server(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    server_namespace.add("media")
    server_namespace.add("other", tier="cold")
    without = {"selector": COLD, "api": {"passwordEnv": "NOT_SET"}}
    finding(world, dittofs, server_namespace, selectors=[without])

    report = world.up()

    assert adapters(server_namespace) == {"media-adapter-nfs", "media-adapter-smb"}
    assert any(
        line.startswith("other: unreachable: api.passwordEnv: the environment variable NOT_SET is not set")
        for line in report.lines("warning")
    )


def test_where_manifests_are_rendered_there_is_no_cluster_to_look_into(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    with new_world(pulumi_cli, tmp_path) as world:
        world.configure(serversFrom=[{"selector": {}}])
        report = world.preview()

    assert report.changes == Changes(create=1)
    (line,) = report.lines("warning")
    assert line.startswith(
        "serversFrom[0]: the listing is not complete: kubernetes:renderYamlToDirectory is set, so there is "
        "no cluster to look into"
    )


def test_what_the_listing_is_not_allowed_is_named_with_the_role_that_allows_it(
    pulumi_cli: PulumiCommand,
    kubernetes_api: KubernetesApi,
    server_namespace: ServerNamespace,
    tmp_path: Path,
) -> None:
    kubeconfig = tmp_path / "reader.yaml"
    kubeconfig.write_text(server_namespace.reader())
    root = tmp_path / "project"
    root.mkdir()
    with new_world(pulumi_cli, root, kubeconfig=kubeconfig) as world:
        world.configure(
            namespace=server_namespace.name,
            serversFrom=[{"selector": OURS}, {"selector": OURS, "kind": "Service"}],
        )
        report = world.preview()

    forbidden = f"the Kubernetes API at {kubernetes_api.url} does not let us list"
    assert report.lines("warning") == [
        f"serversFrom[0]: the listing is not complete: {forbidden} statefulsets.apps in namespace "
        f"{server_namespace.name}; no server counts as missing",
        f"serversFrom[1]: the listing is not complete: {forbidden} services in namespace "
        f"{server_namespace.name}; no server counts as missing",
    ]
    (said,) = (d.text for d in report.diagnostics if "kind: Role" in d.text)
    role = yaml.safe_load(said.partition("\n")[2])
    assert role["metadata"] == {"name": "dittoinfra-discovery", "namespace": server_namespace.name}
    assert role["rules"] == [
        {"apiGroups": [""], "resources": ["services"], "verbs": ["list"]},
        {"apiGroups": ["apps"], "resources": ["statefulsets"], "verbs": ["list"]},
    ]


def test_namespaces_are_listed_by_a_clusterrole() -> None:
    (note,) = listing_roles([Permission("list", "", "namespaces", None)])

    role = yaml.safe_load(note.text.partition("\n")[2])
    assert (role["kind"], role["metadata"]) == ("ClusterRole", {"name": "dittoinfra-discovery"})
    assert role["rules"] == [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list"]}]
