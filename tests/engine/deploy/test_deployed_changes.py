"""A deployed server's image, Secrets, configuration and portmapper over time, on a real Kubernetes API."""

from typing import Any

import httpx
import yaml

from dittoinfra.exitcodes import ExitCode
from dittoinfra.naming import SECRETS_HASH_ANNOTATION
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from tests.engine.deploy.config import HELD, LDAP
from tests.engine.deploy.operator_made import PINNED, STATEFUL_SET, OperatorMade
from tests.engine.deploy.test_adopt import server
from tests.engine.deploy.workload import media, restarts, touched
from tests.engine.namespace import Namespace
from tests.engine.world import World
from tests.engine.world import server as existing

CONFIG_MAP = "api/v1:configmaps/media-config"


def test_an_image_is_not_set_back_not_even_one_that_was_set_by_hand(
    cluster_world: World, namespace: Namespace
) -> None:
    def run(image: str, **deploy: object) -> tuple[int, list[str]]:
        cluster_world.configure(media(namespace.name, deploy={"image": image, **deploy}))
        report = cluster_world.stack.up()
        return report.exit_code, report.lines("error")

    assert run("d:v0.29.0") == (0, [])
    assert run("d:v0.31.1") == (0, [])

    container = {"name": "dittofs", "image": "d:v0.32.0"}
    patch = {"spec": {"template": {"spec": {"containers": [container]}}}}
    namespace.strategic_merge(STATEFUL_SET, patch)
    code, errors = run("d:v0.31.1")
    assert code == ExitCode.POLICY
    assert any("deploy.image changes from d:v0.32.0 to d:v0.31.1" in line for line in errors)
    assert image_of(namespace) == "d:v0.32.0"

    assert run("d:v0.31.1", approveImage="d:v0.31.1") == (0, [])


def test_a_migration_is_not_skipped(cluster_world: World, namespace: Namespace) -> None:
    cluster_world.configure(media(namespace.name, deploy={"image": "d:v0.29.0"}))
    cluster_world.up()

    cluster_world.configure(media(namespace.name, deploy={"image": "d:v0.33.0"}))
    report = cluster_world.stack.preview()
    assert report.exit_code == ExitCode.POLICY
    assert any("set d:v0.31.1 first" in line for line in report.lines("error"))

    cluster_world.configure(media(namespace.name, deploy={"image": "d:v0.31.1"}))
    cluster_world.up()

    cluster_world.configure(media(namespace.name, deploy={"image": "d:v0.33.0"}))
    report = cluster_world.stack.up()
    assert report.exit_code == ExitCode.POLICY
    assert any("the cluster does not show that d:v0.31.1 has run" in line for line in report.lines("error"))

    generation = namespace.get(STATEFUL_SET)["metadata"]["generation"]
    ready = {"observedGeneration": generation, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1}
    namespace.merge(f"{STATEFUL_SET}/status", {"status": ready})
    # No controller is here that an update would wait for.
    assert touched(cluster_world.preview()).keys() == {"StatefulSet/media"}


def test_an_adopted_image_without_a_version_does_not_become_the_default_unasked(
    cluster_world: World, operator: OperatorMade
) -> None:
    cluster_world.configure(media(operator.namespace, deploy={}, adopt=True, adapters=PINNED))

    report = cluster_world.stack.preview()

    assert report.exit_code == ExitCode.POLICY
    assert any("set deploy.image to the version that runs now" in line for line in report.lines("error"))


def image_of(namespace: Namespace) -> str:
    return str(namespace.get(STATEFUL_SET)["spec"]["template"]["spec"]["containers"][0]["image"])


def test_a_secret_that_changes_restarts_the_pod_once(cluster_world: World, namespace: Namespace) -> None:
    old, new = credential("bind"), credential("bind-anew")
    for name, data in {**HELD, "ldap": {"password": old}}.items():
        namespace.create("api/v1:secrets", {"metadata": {"name": name}, "stringData": data})
    cluster_world.configure(media(namespace.name, deploy={"config": {"ldap": LDAP}}))
    cluster_world.up()
    assert SECRETS_HASH_ANNOTATION not in annotations(namespace), "the first look is no change"
    cluster_world.assert_settled()

    namespace.merge("api/v1:secrets/ldap", {"metadata": {"labels": {"team": "storage"}}})
    namespace.merge("api/v1:secrets/ldap", {"stringData": {"other": "unused"}})
    cluster_world.assert_settled()

    namespace.merge("api/v1:secrets/ldap", {"stringData": {"password": new}})
    preview = cluster_world.preview()
    assert touched(preview).keys() == {"StatefulSet/media"}
    assert restarts(preview)
    cluster_world.up()
    digest = annotations(namespace)[SECRETS_HASH_ANNOTATION]
    cluster_world.assert_settled()

    namespace.delete("api/v1:secrets/ldap")
    cluster_world.assert_settled()
    namespace.create("api/v1:secrets", {"metadata": {"name": "ldap"}, "stringData": {"password": old}})
    cluster_world.up()
    assert annotations(namespace)[SECRETS_HASH_ANNOTATION] != digest


def annotations(namespace: Namespace) -> dict[str, str]:
    return dict(namespace.get(STATEFUL_SET)["spec"]["template"]["metadata"]["annotations"])


def test_an_adopted_server_keeps_what_no_setting_says(cluster_world: World, operator: OperatorMade) -> None:
    there = {
        "integrity": {"auto_enabled": False},
        "gc": {"dry_run_sample_size": 4},
        "journal": {"sync": True},
        "logging": {"level": "DEBUG"},
    }
    operator.patch(CONFIG_MAP, {"data": {"config.yaml": yaml.safe_dump(there)}}, "manager")
    cluster_world.configure(server(operator))

    preview = cluster_world.preview()
    assert (
        "media: config.yaml: gc.dry_run_sample_size, integrity.auto_enabled, journal.sync carried over as it "
        "is there; deploy.config.extra changes it" in preview.lines("info")
    )
    warnings = preview.lines("warning")
    assert any("'journal' is written as it is, but is not a known key" in line for line in warnings)
    assert any("config.yaml: logging.level there is not what" in line for line in warnings)
    cluster_world.up()
    carried = {"integrity": there["integrity"], "gc": there["gc"], "journal": there["journal"]}
    assert carried.items() <= config(operator).items()

    cluster_world.configure(server(operator, adopt=False))
    cluster_world.assert_settled()

    cluster_world.configure(server(operator, deploy={"config": {"extra": {"gc": None}}}, adopt=False))
    cluster_world.up()
    assert config(operator)["gc"] is None
    assert config(operator)["integrity"] == there["integrity"]


def config(operator: OperatorMade) -> dict[str, Any]:
    document = yaml.safe_load(operator.get(CONFIG_MAP)["data"]["config.yaml"])
    assert isinstance(document, dict)
    return document


def test_an_exposed_portmapper_is_switched_on_once(world: World, dittofs: SimulatedDittoFS) -> None:
    exposed = {"types": {"nfs": {"extras": {"portmapper": True}}}}
    world.configure(existing(dittofs, adapters=exposed))

    def patches() -> int:
        return sum(request.method == "PATCH" for request in dittofs.requests)

    assert "media: its portmapper is exposed and off: `up` switches it on" in world.preview().lines("info")
    assert patches() == 0
    assert any("is switched on" in line for line in world.up().lines("info"))
    assert patches() == 1
    assert not any("portmapper" in line for line in world.up().lines("info"))
    assert patches() == 1


def test_a_pinned_one_is_switched_on_and_one_that_listens_elsewhere_is_told(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    with httpx.Client(base_url=f"{dittofs.url}/api/v1", trust_env=False) as api:
        login = {"username": "admin", "password": dittofs.admin_password}
        token = api.post("/auth/login", json=login).json()["access_token"]
        api.patch(
            "/adapters/nfs/settings",
            json={"portmapper_port": 10222},
            headers={"Authorization": f"Bearer {token}"},
        ).raise_for_status()
    pinned = {"pinned": [{"type": "nfs", "port": 12049}]}
    world.configure(
        existing(dittofs, adapters={**pinned, "types": {"nfs": {"extras": {"portmapper": True}}}})
    )

    report = world.up()

    assert any("is switched on" in line for line in report.lines("info"))
    assert any("listens on 10222, and the Service leads to 10111" in line for line in report.lines("warning"))


def test_a_login_that_may_not_switch_it_on_is_told_how(world: World, dittofs: SimulatedDittoFS) -> None:
    dittofs.add_user("reader", world.password)
    misleading = {"types": {"nfs": {"extras": {"portmapper": True}, "servicePort": 2049}}}
    world.configure(existing(dittofs, adapters=misleading, api={"username": "reader"}))

    report = world.up()

    [line] = [line for line in report.lines("info") if "portmapper" in line]
    assert "run `dfsctl adapter settings nfs update --portmapper-enabled` as an administrator" in line
    assert any("its portmapper tells NFSv3 clients to use 12049" in line for line in report.lines("warning"))
