"""ConfigMaps and Secrets are updated in place, not deleted and made anew."""

from lab.bed.credentials import credential
from tests.engine.namespace import Namespace
from tests.engine.world import World

OBJECTS = ("api/v1:configmaps/media-config", "api/v1:secrets/media-jwt-secret")


def test_changed_configuration_and_secrets_keep_their_objects(world: World, namespace: Namespace) -> None:
    def configured(level: str) -> None:
        deploy = {"config": {"logging": {"level": level}}}
        world.configure({"name": "media", "namespace": namespace.name, "deploy": deploy})
        for key in ("jwt", "adminPassword"):
            secret = (credential(key) + "0" * 32)[:64]
            world.stack.set_config(f"dittoinfra:serverSecrets.media.{key}", secret, secret=True, path=True)

    configured("INFO")
    world.up()
    before = [namespace.get(path) for path in OBJECTS]

    configured("DEBUG")
    report = world.up()

    after = [namespace.get(path) for path in OBJECTS]
    assert not report.changes.replace
    assert [this["metadata"]["uid"] for this in after] == [this["metadata"]["uid"] for this in before]
    assert all(now["data"] != then["data"] for now, then in zip(after, before, strict=True))
    world.assert_settled()
