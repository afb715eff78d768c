"""Which values of a Kubernetes Secret the pack marks, on properties as the policy SDK gives them."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.engine.policy.foreign_program import PACK

_SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
_MARKED = {**_SECRET, "value": "pw"}
_SCRIPT = """
import sys, json
from types import SimpleNamespace
from pulumi_policy.deserialize import deserialize_properties, serialize_properties
from pulumi_policy.proxy import unknown_checking_proxy
from adapter_policy import pack

handed_over = {}
pack.PolicyPack = lambda policies, **_: handed_over.update({policy.name: policy for policy in policies})
pack.serve()
remediate = handed_over["encrypted-secrets"].remediate
properties = unknown_checking_proxy(deserialize_properties({"stringData": json.loads(sys.argv[1])}, True))
done = remediate(SimpleNamespace(resource_type="kubernetes:core/v1:Secret", props=properties))
print(json.dumps(done and serialize_properties(done)))
"""


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        ('{"password": "pw"}', True),
        (f'{{"user": "media", "password": {_MARKED}}}'.replace("'", '"'), True),
        (f'{{"password": {_MARKED}}}'.replace("'", '"'), False),
        (str({**_SECRET, "value": {"password": "pw"}}).replace("'", '"'), False),
    ],
)
def test_what_the_program_has_not_marked_is_marked(path_with_policies: str, values: str, marks: bool) -> None:
    # The engine's provider may mark values itself, so a state alone does not tell who did.
    python = Path(path_with_policies.partition(os.pathsep)[0]).parent / "venv" / "bin" / "python"

    done = subprocess.run(
        [python, "-c", _SCRIPT, values],
        env={**os.environ, "PYTHONPATH": str(PACK)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert (next(iter(_SECRET)) in done.stdout) is marks
