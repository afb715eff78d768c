"""Which servers a run restarts, as far as that is known before the engine compares."""

from copy import deepcopy
from typing import Any

import pytest
from pydantic import SecretStr

from dittoinfra import naming
from dittoinfra.decide.config_file import config_hash, config_yaml
from dittoinfra.decide.exposure import container_ports, template_ports
from dittoinfra.decide.immutable_fields import planned_fields
from dittoinfra.decide.pod_restarts import restarts
from dittoinfra.decide.pod_template import pod_template
from dittoinfra.decide.server_rules import decide_server
from dittoinfra.model import Outcome, ServerMemory
from dittoinfra.object_model import HeldObject, LiveObject, LiveObjects, ObjectPlace, SecretsSeen
from dittoinfra.settings import ServerSecrets, ServerSettings, service_settings
from dittoinfra.state import Memory
from tests.pure.decide.make import UNREACHABLE, answer, disabled, remembering, server, serving

BOTH = remembering(("nfs", 12049), ("smb", 12445))
SAME = answer(serving("nfs", 12049), serving("smb", 12445))
STATEFUL_SET = HeldObject("apps/v1", "StatefulSet", "media")
PLACE = ObjectPlace("apps/v1", "StatefulSet", "files", "media")
PORTS = "adapter-nfs=12049/TCP,adapter-smb=12445/TCP"


def _deployed(**deploy: object) -> ServerSettings:
    return server("media", namespace="files", deploy={"image": "dittofs:v0.31.1", **deploy})


def _spec(settings: ServerSettings, secrets: ServerSecrets | None = None) -> dict[str, Any]:
    """The StatefulSet's fields as these settings make them, with both adapters."""
    deploy = settings.deploy
    assert deploy is not None
    digest = config_hash(config_yaml(settings, deploy), secrets.jwt if secrets else None)
    adapters = decide_server(settings, BOTH, [SAME]).adapters
    exposed = {each.type: service_settings(settings, each.type) for each in adapters}
    ports = template_ports(container_ports(adapters, exposed, deploy), deploy)
    return {
        "replicas": deploy.replicas,
        "updateStrategy": {"type": deploy.update_strategy},
        "template": pod_template(settings, deploy, ports, {naming.CONFIG_HASH_ANNOTATION: digest}),
    }


def _held(settings: ServerSettings, secrets: ServerSecrets | None = None) -> dict[HeldObject, dict[str, Any]]:
    return {STATEFUL_SET: {"__inputs": {"spec": _spec(settings, secrets)}}}


def _restarts(
    settings: ServerSettings,
    outcome: Outcome = SAME,
    *,
    adapters: ServerMemory = BOTH,
    own: ServerSecrets | None = None,
    digests: dict[tuple[str, str], str] | None = None,
    objects: LiveObjects | None = None,
    **memory: Any,  # noqa: ANN401 - fields of Memory
) -> dict[str, str]:
    remembered = Memory(adapters={"media": adapters} if adapters else {}, **memory)
    decisions = {"media": decide_server(settings, adapters, [outcome])}
    made = {"media": own} if own else {}
    read = {"media": digests} if digests else {}
    return dict(restarts([settings], decisions, remembered, made, read, objects))


def test_nothing_new_restarts_nothing() -> None:
    deployed = _deployed()

    assert _restarts(deployed, contents=_held(deployed)) == {}
    assert _restarts(deployed, UNREACHABLE, contents=_held(deployed)) == {}


@pytest.mark.parametrize(
    "outcome",
    [
        answer(serving("nfs", 12049), disabled("smb", 12445)),
        answer(serving("nfs", 13049), serving("smb", 12445)),
        answer(serving("nfs", 12049), serving("smb", 12445), serving("ftp", 21)),
    ],
    ids=["one fewer", "moved", "one more"],
)
def test_other_adapters_are_other_container_ports(outcome: Outcome) -> None:
    deployed, frozen = _deployed(), _deployed(freezePorts=True)

    assert _restarts(deployed, outcome, contents=_held(deployed)) == {"media": "its adapters"}
    assert _restarts(frozen, outcome, contents=_held(frozen)) == {}
    assert _restarts(deployed, outcome) == {}, "not deployed yet"
    patched = server("media", patchPorts=True)
    assert _restarts(patched, outcome, patched_ports={"media": PORTS}) == {"media": "its adapters"}
    assert _restarts(server("media"), outcome) == {}


def test_the_first_patch_restarts_a_server_that_has_no_such_ports() -> None:
    patched = server("media", namespace="files", patchPorts=True)
    held = {"media": PORTS}

    assert _restarts(patched, patched_ports=held) == {}
    assert _restarts(patched) == {"media": "its ports"}
    assert _restarts(patched, objects={PLACE: LiveObject({})}) == {"media": "its ports"}
    assert _restarts(patched, adapters={}) == {"media": "its adapters"}, (
        "by whichever adapter its clients came"
    )
    ports = frozenset(PORTS.split(","))
    assert _restarts(patched, objects={PLACE: LiveObject({}, ports=ports)}) == {}
    renamed = frozenset(text.replace("adapter-", "") for text in ports)
    assert _restarts(patched, objects={PLACE: LiveObject({}, ports=renamed)}) == {}, "named by their manager"


def test_ports_that_are_taken_away_again_restart_too() -> None:
    assert _restarts(server("media"), patched_ports={"media": PORTS}) == {"media": "its ports"}
    edited = {PLACE: LiveObject({}, ports=frozenset({"metrics=9090/TCP"}))}
    plain = server("media", namespace="files")
    assert _restarts(plain, patched_ports={"media": PORTS}, objects=edited) == {}, "nothing is left of them"


def test_a_server_that_has_never_answered_may_be_repaired() -> None:
    broken, repaired = _deployed(), _deployed(image="dittofs:v0.31.2")

    assert _restarts(repaired, UNREACHABLE, adapters={}, contents=_held(broken)) == {}
    assert _restarts(repaired, answer(), adapters={}, contents=_held(broken)) == {
        "media": "its image and its ports"
    }


@pytest.mark.parametrize(
    ("deploy", "cause"),
    [
        ({"image": "dittofs:v0.32.0"}, "its image"),
        ({"config": {"logging": {"level": "DEBUG"}}}, "its configuration"),
        ({"resources": {"limits": {"memory": "1Gi"}}}, "its resources"),
        ({"tolerations": [{"key": "storage"}]}, "its tolerations"),
        ({"env": [{"name": "GOGC", "value": "50"}]}, "its env"),
        ({"nodeSelector": {"disk": "ssd"}}, "its nodeSelector"),
        ({"gracePeriod": "10s"}, "its terminationGracePeriodSeconds"),
        ({"serviceAccount": "media"}, "its serviceAccountName"),
        ({"readOnlyRootFilesystem": True}, "its securityContext and its volumeMounts and its volumes"),
        ({"metrics": {"enabled": True}}, "its configuration and its ports"),
        ({"replicas": 0}, "its replicas"),
    ],
)
def test_every_edit_of_the_pod_is_seen_in_both_directions(deploy: dict[str, object], cause: str) -> None:
    plain, edited = _deployed(), _deployed(**deploy)

    assert _restarts(edited, contents=_held(plain)) == {"media": cause}
    back = {} if "replicas" in deploy else {"media": cause}
    assert _restarts(plain, contents=_held(edited)) == back


def test_edits_beside_the_pod_restart_nothing() -> None:
    plain = _deployed()
    edited = server(
        "media",
        namespace="files",
        labels={"team": "storage"},
        deploy={"image": "dittofs:v0.31.1", "podDisruptionBudget": True},
    )

    assert _restarts(edited, contents=_held(plain)) == {}
    restarted = deepcopy(_held(plain))
    annotations = restarted[STATEFUL_SET]["__inputs"]["spec"]["template"]["metadata"]["annotations"]
    annotations[naming.RESTARTED_ANNOTATION] = "2026-01-02T12:00:00Z"
    assert _restarts(plain, contents=restarted) == {}, "it was restarted by hand, and is not again"
    assert _restarts(_deployed(image="dittofs:v0.32.0"), contents={STATEFUL_SET: {}}) == {}, "never created"


def test_a_pod_that_is_deleted_by_hand_restarts_when_that_is_no_longer_so() -> None:
    by_hand, edited = _deployed(updateStrategy="OnDelete"), {"image": "dittofs:v0.32.0"}

    assert _restarts(_deployed(updateStrategy="OnDelete", **edited), contents=_held(by_hand)) == {}
    assert _restarts(_deployed(), contents=_held(by_hand)) == {"media": "its updateStrategy"}


def test_a_replaced_stateful_set_is_another_pod() -> None:
    plain = _deployed()
    assert plain.deploy is not None
    workloads = {"media": planned_fields(plain, plain.deploy)}
    edited = _deployed(storage={"replace": True, "metadata": {"size": "20Gi"}})

    assert _restarts(edited, contents=_held(plain), workloads=workloads) == {"media": "its StatefulSet"}
    assert _restarts(plain, contents=_held(plain), workloads=workloads) == {}


def test_a_server_waits_for_its_database_before_it_starts() -> None:
    waiting = _deployed(database={"percona": {}})

    [init] = _spec(waiting)["template"]["spec"]["initContainers"]

    assert (init["name"], init["image"]) == ("wait-for-database", "dittofs:v0.31.1")
    assert _restarts(waiting, contents=_held(_deployed())) == {
        "media": "its configuration and its env and its initContainers"
    }


def test_an_adopted_server_restarts_unless_its_pod_is_the_same() -> None:
    def adopting(strategy: str = "RollingUpdate") -> ServerSettings:
        deploy = {"image": "dittofs:v0.31.1", "updateStrategy": strategy}
        return server("media", namespace="files", adopt=True, deploy=deploy)

    of_operator = {PLACE: LiveObject({}, content={"spec": {"template": {}}})}
    of_ours = {PLACE: LiveObject({}, content={"spec": _spec(_deployed())})}

    assert _restarts(adopting(), adapters={}, objects=of_operator) == {"media": "its Pod's template"}
    assert _restarts(adopting("OnDelete"), adapters={}, objects=of_operator) == {}
    assert _restarts(adopting(), adapters={}, objects=of_ours) == {}
    assert _restarts(adopting(), adapters={}, objects={PLACE: None}) == {}


def test_secrets_that_are_read_at_the_start() -> None:
    deployed, own = _deployed(), ServerSecrets(jwt=SecretStr("k" * 32))
    held = _held(deployed, own)
    seen = {"media": SecretsSeen({"pg/password": "1"}, None)}
    same, other = {("pg", "password"): "1"}, {("pg", "password"): "2"}

    assert _restarts(deployed, contents=held, own=own) == {}
    assert _restarts(deployed, contents=held) == {"media": "its configuration"}
    assert _restarts(deployed, contents=held, own=own, digests=same) == {}
    assert _restarts(deployed, contents=held, own=own, digests=other, secrets=seen) == {
        "media": "its Secrets"
    }
