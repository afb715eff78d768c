"""Found servers: previews, selectors, names, and explicit servers of the same name."""

from dittoinfra.changes import Changes
from dittoinfra.exitcodes import ExitCode
from lab.simulator import SimulatedDittoFS
from tests.engine.discovery.api_proxy import ApiProxy
from tests.engine.discovery.server_namespace import ServerNamespace
from tests.engine.discovery.stack import COLD, finding, found_pair, touched
from tests.engine.world import PASSWORD_ENV, World


def test_one_hundred_servers_in_ten_lines_previewed(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    for index in range(100):
        server_namespace.add(f"server-{index:03}", tier="cold" if index % 2 else "hot")
    settings = f"""\
config:
  dittoinfra:namespace: {server_namespace.name}
  dittoinfra:serversFrom: [{{selector: {{matchLabels: {{app: dittofs-server}}}}}}]
  dittoinfra:api: {{url: "{dittofs.url}", username: admin, passwordEnv: {PASSWORD_ENV}}}
  dittoinfra:adapters: {{types: {{nfs: {{servicePort: 2049}}, smb: {{servicePort: 445}}}}}}
  dittoinfra:selectors:
    - selector: {{matchLabels: {{tier: cold}}}}
      adapters: {{service: {{type: ClusterIP}}}}
  kubernetes:kubeconfig: {world.provider_settings["kubeconfig"]}
"""
    assert len(settings.splitlines()) <= 10
    (world.root / "stacks" / "Pulumi.world.yaml").write_text(settings)

    report = world.preview()

    # The stack, and for each server its component, two adapters and their Services.
    assert report.changes == Changes(create=1 + 100 * 3)
    services = [step.name for step in report.steps if step.type == "kubernetes:core/v1:Service"]
    assert sorted(services) == sorted(f"server-{i:03}/{t}" for i in range(100) for t in ("nfs", "smb"))
    assert report.lines("warning") == []


def test_moving_a_label_changes_exactly_what_the_selector_gave(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    server_namespace.add("media", tier="cold")
    server_namespace.add("backup", tier="cold")
    annotations = {"example.com/tier": "cold"}
    finding(
        world,
        dittofs,
        server_namespace,
        selectors=[
            {"selector": COLD, "adapters": {"service": {"type": "NodePort", "annotations": annotations}}}
        ],
    )
    assert world.run_changes() == Changes(create=7)
    world.assert_settled()
    before = server_namespace.services()["backup-adapter-nfs"]
    assert "tier" not in before["metadata"]["labels"], "labels choose settings and are put on nothing"

    server_namespace.label("media", tier="hot")
    report = world.up()

    given = ('metadata.annotations["example.com/tier"]', "spec.type")
    assert touched(report) == {
        "Service media/nfs": ("update", given),
        "Service media/smb": ("update", given),
    }
    assert server_namespace.services()["media-adapter-nfs"]["spec"]["type"] == "LoadBalancer"
    assert server_namespace.services()["backup-adapter-nfs"] == before
    world.assert_settled()

    server_namespace.label("media", tier="cold", unrelated="x")
    assert world.run_changes() == Changes(update=2, same=5)
    server_namespace.label("media", unrelated=None)
    assert world.run_changes() == Changes(same=7), "a label that no selector asks for changes nothing"


def test_a_found_server_that_is_named_is_the_same_server_and_back(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace, proxy: ApiProxy
) -> None:
    found_pair(world, dittofs, server_namespace)
    before = server_namespace.services()

    finding(world, dittofs, server_namespace, {"name": "media"})
    assert world.run_changes() == Changes(same=7)

    # Back again while the cluster cannot be asked: it may well be one that would be found.
    finding(world, dittofs, server_namespace)
    proxy.break_listing("statefulsets", 500)
    assert world.run_changes() == Changes(same=7)
    proxy.restore()
    assert world.run_changes() == Changes(same=7)
    assert server_namespace.services() == before

    # No server is looked for any more: what was found is as unconfigured as a server that was deleted here.
    finding(world, dittofs, server_namespace, {"name": "media"}, serversFrom=[])
    report = world.up()
    assert report.changes == Changes(delete=3, same=4)
    assert "backup: is not configured any more: the Service of nfs is removed" in report.lines("warning")


def test_a_found_server_that_is_named_in_another_namespace_needs_approval(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    server_namespace.add("media")
    finding(world, dittofs, server_namespace)
    world.up()
    before = server_namespace.services()

    finding(world, dittofs, server_namespace, {"name": "media", "namespace": "default"})
    report = world.stack.up()

    assert report.exit_code == ExitCode.POLICY
    assert "media/nfs (moved), media/smb (moved)" in report.lines("error")[0]
    assert server_namespace.services() == before
