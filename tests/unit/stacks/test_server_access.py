"""What keeps a server from being asked is told with the place in the configuration that is wrong."""

from pathlib import Path

import pytest
import yaml

from dittoinfra.program.cluster_tunnels import resolve_all, resolve_reachable
from dittoinfra.settings import ConfigurationError, StackSettings, effective_servers
from dittoinfra.settings.configuration import Configuration
from lab.bed.credentials import credential

SERVERS = [
    {"name": name, "api": {"url": "https://192.0.2.1", "passwordEnv": f"PASSWORD_OF_{name.upper()}"}}
    for name in ("media", "attic")
]
ENVIRON = {"PASSWORD_OF_MEDIA": credential("password")}


@pytest.fixture
def configuration(tmp_path: Path) -> Configuration:
    (tmp_path / "Pulumi.yaml").write_text("name: files\nruntime: python\n")
    (tmp_path / "Pulumi.prod.yaml").write_text(yaml.safe_dump({"config": {"dittoinfra:servers": SERVERS}}))
    return Configuration("files", "prod", tmp_path, {}, frozenset())


def test_one_of_several_servers_is_named_by_its_own_line(configuration: Configuration) -> None:
    stack = StackSettings.model_validate({"servers": SERVERS})
    _, attic = effective_servers(stack)

    with pytest.raises(ConfigurationError) as error:
        resolve_all([attic], configuration, stack, ENVIRON, None)

    [problem] = error.value.problems
    assert str(problem.path) == "dittoinfra:servers[1].api.passwordEnv"
    assert problem.place == "Pulumi.prod.yaml:8"


def test_questions_beyond_polls_say_so_too(configuration: Configuration) -> None:
    stack = StackSettings.model_validate({"servers": SERVERS})
    media, attic = effective_servers(stack)

    asked, unasked = resolve_reachable([media], configuration, stack, ENVIRON, None)
    assert ([*asked], [*unasked]) == (["media"], [])

    asked, unasked = resolve_reachable([attic], configuration, stack, ENVIRON, None)
    assert ([*asked], [*unasked]) == ([], ["attic"])
    assert "Pulumi.prod.yaml:8" in unasked["attic"].why
