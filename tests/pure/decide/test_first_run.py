"""The first run of a stack stops where there is nothing to declare and nothing to keep."""

from typing import Any

import pytest

from dittoinfra.decide.first_run import first_run_refusals
from dittoinfra.decide.refusals import LoginRefused, NoServers
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import ConfigurationSource, Outcome, RememberedServer
from dittoinfra.object_model import HeldObject
from dittoinfra.state import Memory
from tests.pure.decide.make import DENIED, NONSENSE, UNREACHABLE, answer, remembering, server
from tests.pure.settings.reading import CREDENTIALS

NO_SERVERS = ConfigurationSource("stacks/Pulumi.prod.yaml")


def refused(
    outcomes: dict[str, Outcome],
    memory: Memory | None = None,
    source: ConfigurationSource | None = None,
    **settings: Any,  # noqa: ANN401 - whatever YAML can say
) -> list[str]:
    memory, servers = memory or Memory(), [server(name, **settings) for name in outcomes]
    decided = decide_stack(servers, memory.adapters, {name: [said] for name, said in outcomes.items()})
    return [str(found) for found in first_run_refusals(decided, servers, memory, source)]


def test_a_new_stack_that_no_server_lets_in_is_refused_for_each_of_them() -> None:
    assert refused({"media": DENIED, "backup": DENIED}) == [
        f"{name}: denied: HTTP 401; refused, because the stack is new and no server accepts its login, so "
        "there is nothing to declare"
        for name in ("media", "backup")
    ]
    assert LoginRefused.exit_code is ExitCode.AUTHENTICATION


@pytest.mark.parametrize("other", [answer(), UNREACHABLE, NONSENSE])
def test_one_bad_login_spoils_no_other_server(other: Outcome) -> None:
    assert refused({"media": DENIED, "backup": other}) == []


@pytest.mark.parametrize(
    "settings",
    [
        {"deploy": {"credentials": CREDENTIALS}},
        {"adapters": {"pinned": [{"type": "nfs", "port": 2049}]}},
        # It is refused for that reason already.
        {"onUnreachable": "fail"},
    ],
)
def test_a_new_stack_with_something_to_declare_goes_on(settings: dict[str, Any]) -> None:
    assert refused({"media": DENIED}, **settings) == []


def test_a_stack_that_holds_anything_keeps_it() -> None:
    assert refused({"media": DENIED}, Memory(adapters={"media": remembering(("nfs", 1))})) == []
    assert refused({}, Memory(adapters={"media": remembering(("nfs", 1))}), NO_SERVERS) == []


def test_a_component_does_not_stop_the_others_of_its_program() -> None:
    assert refused({"media": DENIED}, Memory(of_component=True)) == []


def test_a_new_stack_without_servers_says_where_they_belong() -> None:
    assert refused({}, source=NO_SERVERS) == [
        "the stack has no servers: dittoinfra:servers or dittoinfra:serversFrom is not in "
        "stacks/Pulumi.prod.yaml; name them there (docs/recipes.md), or write `dittoinfra:servers: []` where "
        "there are to be none"
    ]
    assert NoServers.exit_code is ExitCode.CONFIGURATION


def test_a_stack_that_is_to_have_none_and_one_that_found_none_go_on() -> None:
    intended = ConfigurationSource("stacks/Pulumi.prod.yaml", intended=True)

    assert refused({}, source=intended) == []
    assert refused({}) == []


def test_a_lost_configuration_does_not_delete_a_server_that_has_no_adapters_yet() -> None:
    held = HeldObject("apps/v1", "StatefulSet", "media")
    deployed = Memory(objects={held: None})

    assert refused({}, deployed, NO_SERVERS) == [
        "the stack has no servers: dittoinfra:servers or dittoinfra:serversFrom is not in "
        "stacks/Pulumi.prod.yaml, and this run would delete all 1 objects of the stack; name them there "
        "(docs/recipes.md), or write `dittoinfra:servers: []` where there are to be none"
    ]
    assert refused({}, deployed, ConfigurationSource("stacks/Pulumi.prod.yaml", intended=True)) == []
    assert refused({"media": DENIED}, deployed) == []


def test_a_lost_configuration_deletes_no_rendered_manifests_of_a_deployed_server() -> None:
    rendered = Memory(servers={"media": RememberedServer("files", deployed=True)})
    only_followed = Memory(servers={"media": RememberedServer("files")})

    [refusal] = refused({}, rendered, NO_SERVERS)

    assert refusal.startswith("the stack has no servers")
    assert refused({}, only_followed, NO_SERVERS) == []
