"""What `from dittoinfra import ...` gives, and what it costs not to use it."""

import subprocess
import sys

import pytest
from pydantic.alias_generators import to_snake

import dittoinfra
import dittoinfra.inputs
from dittoinfra.inputs import ApiSettings, Brake, Deploy
from dittoinfra.settings.provider import NEEDED

PUBLIC = {
    "PROVIDER_SETTINGS",
    "Adapter",
    "Condition",
    "DeployedServer",
    "DeployedServerArgs",
    "Dns",
    "Endpoints",
    "ExistingServer",
    "ExistingServerArgs",
    "HeadlessPort",
    "HeadlessService",
    "HeadlessServiceArgs",
    "ProviderSettings",
    "ServedAdapter",
    "ServerAnswer",
    "ServerQuestion",
    "__version__",
    "ask_servers",
}
"""Other programs rely on these: one that goes, or is called otherwise, breaks them."""


def test_the_public_names_are_these() -> None:
    assert set(dittoinfra.__all__) == PUBLIC
    assert set(dir(dittoinfra)) == PUBLIC
    for name in PUBLIC:
        assert getattr(dittoinfra, name) is not None


def test_the_types_of_nested_inputs_are_public() -> None:
    api: ApiSettings = {"url": "https://media.example.com"}
    args: dittoinfra.DeployedServerArgs = {"api": api, "deploy": Deploy(replicas=1), "brake": Brake()}

    assert args["api"] is api
    assert {"AdapterSettings", "DnsSettings", "ServerSecrets"} <= set(dir(dittoinfra.inputs))


def test_a_provider_takes_the_settings_that_components_need() -> None:
    assert {to_snake(name) for name in NEEDED} == set(dittoinfra.PROVIDER_SETTINGS)
    assert all(dittoinfra.PROVIDER_SETTINGS.values())


def test_any_other_name_is_an_error_as_everywhere() -> None:
    with pytest.raises(AttributeError, match="module 'dittoinfra' has no attribute 'Servers'"):
        dittoinfra.Servers  # noqa: B018 - the access is what is tested


def test_importing_the_package_loads_nothing_else() -> None:
    program = "import sys, dittoinfra; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert not {"pulumi", "pydantic", "httpx", "dittoinfra.sdk"} & set(loaded.stdout.split())
