"""What `from dittoinfra import ...` gives, and what it costs not to use it."""

import subprocess
import sys

import pytest

import dittoinfra

PUBLIC = {
    "PROVIDER_SETTINGS",
    "Adapter",
    "Condition",
    "DeployedServer",
    "DeployedServerArgs",
    "Endpoints",
    "ExistingServer",
    "ExistingServerArgs",
    "HeadlessPort",
    "HeadlessService",
    "HeadlessServiceArgs",
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


def test_any_other_name_is_an_error_as_everywhere() -> None:
    with pytest.raises(AttributeError, match="module 'dittoinfra' has no attribute 'Servers'"):
        dittoinfra.Servers  # noqa: B018 - the access is what is tested


def test_importing_the_package_loads_nothing_else() -> None:
    program = "import sys, dittoinfra; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert not {"pulumi", "pydantic", "httpx", "dittoinfra.sdk"} & set(loaded.stdout.split())
