"""A configuration that names no servers is not an empty one while the stack holds adapters."""

import pytest

from dittoinfra.decide.brake import refusals
from dittoinfra.decide.refusals import ConfigurationLost
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import ConfigurationSource, StackMemory
from dittoinfra.settings import StackSettings
from tests.pure.decide.make import remembering

MEMORY: StackMemory = {"media": remembering(("nfs", 1), ("smb", 2)), "backup": remembering(("nfs", 3))}


def _refused(source: ConfigurationSource, memory: StackMemory = MEMORY, *approved: str) -> list[str]:
    stack = StackSettings.model_validate({"approveRemovals": list(approved)})
    found = refusals(decide_stack([], memory, {}), [], stack, source)
    assert all(isinstance(refusal, ConfigurationLost) for refusal in found)
    return list(map(str, found))


@pytest.mark.parametrize(
    ("source", "where"),
    [
        (ConfigurationSource("Pulumi.prod.yaml"), ""),
        (ConfigurationSource("Pulumi.prod.yaml", exists=False), ", which does not exist"),
        (
            ConfigurationSource("Pulumi.prod.yaml", elsewhere=("infra:servers",)),
            " (infra:servers is set, but only the namespace `dittoinfra:` is read)",
        ),
    ],
    ids=["empty", "no file", "another namespace"],
)
def test_the_line_says_what_would_go_where_it_looked_and_what_lets_it_through(
    source: ConfigurationSource, where: str
) -> None:
    assert _refused(source) == [
        "configuration lost: this run would remove all 3 adapters of the stack, because dittoinfra:servers "
        f"or dittoinfra:serversFrom is not in Pulumi.prod.yaml{where}; restore the configuration, or if they "
        "are all to go, approve exactly these: "
        "`dittoinfra:approveRemovals: [backup/nfs, media/nfs, media/smb]`"
    ]


def test_only_an_approval_of_every_adapter_lets_it_through() -> None:
    source = ConfigurationSource("Pulumi.prod.yaml")

    assert len(_refused(source, MEMORY, "media/nfs", "media/smb")) == 1
    assert _refused(source, MEMORY, "media/nfs", "media/smb", "backup/nfs") == []


def test_a_stack_that_holds_nothing_has_nothing_to_lose() -> None:
    assert _refused(ConfigurationSource("Pulumi.prod.yaml"), {}) == []
