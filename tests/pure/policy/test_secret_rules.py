"""Which credentials count as readable by everybody; no message holds one."""

from typing import Any

import pytest
from adapter_policy.secret_rules import CONFIG_MAP, SECRET, readable_secrets

STATEFUL_SET = "kubernetes:apps/v1:StatefulSet"
POD = "kubernetes:core/v1:Pod"
OURS = {"labels": {"app": "dittofs-server"}}


def _pod(*env: object) -> dict[str, Any]:
    return {"containers": [{"name": "dittofs", "env": list(env)}]}


@pytest.mark.parametrize(
    ("kind", "properties"),
    [
        (STATEFUL_SET, {"spec": {"template": {"spec": _pod({"name": "DITTOFS_X_SECRET", "value": "hush"})}}}),
        (POD, {"spec": _pod({"name": "DITTOFS_ADMIN_INITIAL_PASSWORD", "value": "hush"})}),
        (POD, {"spec": {"initContainers": _pod({"name": "DITTOFS_TOKEN", "value": "hush"})["containers"]}}),
    ],
)
def test_a_value_in_a_pod_is_readable(kind: str, properties: dict[str, Any]) -> None:
    (line,) = readable_secrets(kind, properties)

    assert "the container dittofs has the value of DITTOFS_" in line
    assert "valueFrom.secretKeyRef" in line
    assert "hush" not in line


@pytest.mark.parametrize(
    "variable",
    [
        {"name": "DITTOFS_CONTROLPLANE_SECRET", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "DITTOFS_CONTROLPLANE_SECRET", "value": ""},
        {"name": "DITTOFS_LOGGING_LEVEL", "value": "INFO"},
        {"name": "OTHER_PASSWORD", "value": "not ours to judge"},
        "nonsense",
    ],
)
def test_references_and_other_variables_are_fine(variable: object) -> None:
    assert readable_secrets(POD, {"spec": _pod(variable)}) == ()


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("controlplane:\n  jwt:\n    secret: hush\n", "secret"),
        ("database:\n  postgres:\n    password: 'hush' # mine\n", "password"),
        ("  secret_access_key: hush\n", "secret_access_key"),
        ("controlplane:\n  secret: ''\n  jwt:\n    secret: null\n  tls:\n    private_key: |\n", None),
        ("password_file: /run/secrets/x\nsecrets: [a]\n", None),
        ("password:\n", None),
        ("password: ${DB_PASSWORD}\n", None),
        ("password: # to be given by the environment\n", None),
    ],
)
def test_settings_of_a_config_map_hold_no_credentials(content: str, key: str | None) -> None:
    lines = readable_secrets(CONFIG_MAP, {"metadata": OURS, "data": {"config.yaml": content}})

    assert [f"config.yaml sets {key} in a ConfigMap" in line for line in lines] == ([True] if key else [])
    assert not any("hush" in line for line in lines)


@pytest.mark.parametrize(
    ("kind", "properties"),
    [
        (SECRET, {"stringData": {"password": "hush"}}),
        (POD, {}),
        (CONFIG_MAP, {"metadata": OURS, "data": None}),
        (CONFIG_MAP, {"data": {"app.yaml": "imagePullSecret: regcred"}}),
    ],
)
def test_everything_else_is_fine(kind: str, properties: dict[str, Any]) -> None:
    assert readable_secrets(kind, properties) == ()
