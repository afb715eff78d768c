"""The configuration objects of a server: which exist, when they change, and that secrets stay encrypted."""

import base64
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

import yaml

from dittoinfra.request import RunOptions
from lab.bed.credentials import credential
from tests.engine.deploy.config import JWT, LDAP, PASSWORD
from tests.engine.deploy.network import landed
from tests.engine.deploy.workload import media, restarts, stateful_set, touched
from tests.engine.world import World

OTHER_JWT = credential("another-signing-key")
OTHER_PASSWORD = credential("another-password")
HASH = "dittofs.io/config-hash"


def configure(world: World, secrets: Mapping[str, str], **deploy: object) -> None:
    """The server `media`, with its secrets encrypted in the stack's own configuration."""
    block = media(deploy=deploy)
    del block["deploy"]["credentials"]
    world.configure(block)
    for key, value in secrets.items():
        world.stack.set_config(f"dittoinfra:serverSecrets.media.{key}", value, secret=True, path=True)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def config_hash(world: World) -> str:
    template = stateful_set(world)["spec"]["template"]
    return str(template["metadata"]["annotations"][HASH])


def seen(world: World, said: Iterable[str]) -> list[str]:
    """Secrets that stand in the clear in something that the engine keeps or says."""
    # The manifests are the cluster; there the secrets belong.
    paths = (path for path in world.root.rglob("*") if world.manifests.parent not in path.parents)
    kept = {path: path.read_bytes().decode(errors="replace") for path in paths if path.is_file()}
    assert any(".pulumi" in path.parts and "media-jwt-secret" in text for path, text in kept.items())
    everything = "\n".join((*said, *kept.values()))
    secrets = {JWT, OTHER_JWT, PASSWORD, OTHER_PASSWORD}
    return [secret for secret in sorted(secrets | set(map(encoded, secrets))) if secret in everything]


def test_encrypted_configuration_becomes_secrets_and_is_nowhere_else(world: World) -> None:
    said: list[str] = []
    world.stack.on_output = said.append
    configure(world, {"jwt": JWT, "adminPassword": PASSWORD})
    said.append(str(world.up()))

    secrets = landed(world, "Secret")
    assert {name: secret["data"] for name, secret in secrets.items()} == {
        "media-jwt-secret": {"jwt-secret": encoded(JWT)},
        "media-admin-bootstrap-credentials": {"username": encoded("admin"), "password": encoded(PASSWORD)},
    }
    world.assert_settled()
    before = config_hash(world)

    # The server reads its administrator's password at its very first start only.
    configure(world, {"jwt": JWT, "adminPassword": OTHER_PASSWORD})
    report = world.up()
    assert touched(report).keys() == {"Secret/media-admin-bootstrap-credentials"}
    said.append(str(report))

    configure(world, {"jwt": OTHER_JWT, "adminPassword": OTHER_PASSWORD})
    assert world.stack.preview(RunOptions(diff=True)).ok
    report = world.up()
    assert touched(report).keys() == {"Secret/media-jwt-secret", "StatefulSet/media"}
    assert config_hash(world) != before
    said.append(str(report))
    world.assert_settled()

    assert any("[secret]" in line for line in said), "a diff was shown"
    assert seen(world, said) == []


def test_secrets_by_reference_are_not_made(world: World) -> None:
    world.configure(media(deploy={}))
    world.up()

    assert landed(world, "Secret") == {}


BASE: dict[str, Any] = {"config": {"extra": {"gc": {"auto_enabled": True, "auto_interval": "20m"}}}}

RESTARTING: list[dict[str, Any]] = [
    {"config": {"logging": {"level": "DEBUG"}}},
    {"config": {"shutdownTimeout": "40s"}},
    {"config": {"tokens": {"access": "12h"}}},
    {"config": {"snapshots": {"scheduler": False}}},
    {"config": {"ldap": LDAP}},
    {"config": {"extra": {"gc": {"auto_enabled": False, "auto_interval": "20m"}}}},
    {"database": {"postgres": {"secret": "pg"}}},
]


def test_each_setting_of_the_file_changes_the_file_and_restarts_the_server_once(world: World) -> None:
    world.configure(media(deploy=BASE))
    world.up()
    world.assert_settled()

    for deploy in RESTARTING:
        world.configure(media(deploy={**BASE, **deploy}))
        report = world.preview()
        assert touched(report).keys() == {"ConfigMap/media-config", "StatefulSet/media"}, deploy
        assert restarts(report), deploy


def test_the_hash_changes_with_the_configuration_and_with_nothing_else(world: World) -> None:
    world.configure(media(deploy=BASE))
    world.up()
    before = config_hash(world)

    # The same in another order is the same.
    turned = deepcopy(BASE)
    turned["config"]["extra"]["gc"] = {"auto_interval": "20m", "auto_enabled": True}
    world.configure(media(deploy=turned))
    world.assert_settled()

    world.configure(
        media(labels={"team": "storage"}, deploy={**BASE, "image": "example.com/dittofs:v0.31.1"})
    )
    world.up()
    assert config_hash(world) == before

    world.configure(media(deploy={**BASE, "config": {"logging": {"level": "WARN"}}}))
    world.up()
    assert config_hash(world) != before
    assert yaml.safe_load(landed(world, "ConfigMap")["media-config"]["data"]["config.yaml"])["logging"] == {
        "level": "WARN",
        "format": "json",
        "output": "stdout",
    }


def test_a_short_signing_key_stops_the_run_and_is_not_shown(world: World) -> None:
    short = credential("short")
    configure(world, {"jwt": short, "adminPassword": PASSWORD})

    report = world.stack.preview()

    assert report.exit_code == 2
    assert any("must be at least 32 characters long" in line for line in report.lines("error"))
    assert short not in str(report)


def test_a_percona_cluster_is_declared_with_the_server_and_outlives_it(world: World) -> None:
    world.configure(media(deploy={"database": {"percona": {"storage": "20Gi"}}}))
    world.up()
    world.assert_settled()

    [cluster] = landed(world, "PerconaPGCluster").values()
    assert cluster["apiVersion"] == "pgv2.percona.com/v2"
    assert cluster["metadata"]["name"] == "media-postgres"
    [waiting] = stateful_set(world)["spec"]["template"]["spec"]["initContainers"]
    assert waiting["name"] == "wait-for-database"

    world.configure(media(deploy={}))
    world.up()
    assert landed(world, "PerconaPGCluster"), "a database is not deleted because a line was"


def test_a_percona_cluster_goes_with_its_server_where_asked(world: World) -> None:
    percona = {"database": {"percona": {"deleteWithServer": True}}}
    world.configure(media(deploy=percona))
    world.up()

    world.configure(media(deploy={}))
    world.up()

    assert landed(world, "PerconaPGCluster") == {}
