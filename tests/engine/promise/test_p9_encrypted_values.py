"""A value that is encrypted in the configuration stays secret, or is refused with the way to do it."""

import pytest

from dittoinfra.exitcodes import ExitCode
from lab.bed.credentials import credential
from tests.engine.world import CREDENTIALS, World

DEPLOYED = {
    "name": "media",
    "deploy": {"credentials": CREDENTIALS, "env": [{"name": "TOKEN", "value": ""}]},
}


@pytest.mark.parametrize(
    ("key", "named"),
    [
        ("dittoinfra:servers[0].deploy.env[0].value", "dittoinfra:servers"),
        ("dittoinfra:servers[0].deploy.config.extra.logging.level", "dittoinfra:servers"),
        ('dittoinfra:adapters.service.annotations["example.com/token"]', "dittoinfra:adapters"),
    ],
    ids=["environment", "configuration", "annotation"],
)
def test_a_secret_that_would_be_declared_in_the_clear_is_refused(world: World, key: str, named: str) -> None:
    secret = credential("misplaced")
    world.configure(DEPLOYED, adapters={})
    world.stack.set_config(key, secret, secret=True, path=True)

    report = world.stack.up()

    assert report.exit_code == ExitCode.CONFIGURATION
    (line,) = report.lines("error")
    assert line.startswith("stacks/Pulumi.world.yaml:")
    assert f" {named}: has an encrypted value in it, which would be in the clear in the state" in line
    assert "put it into a Kubernetes Secret and refer to that" in line
    assert secret not in str(report)
    assert secret not in str(world.stack.export())
