"""Which servers a run restarts, as far as that is known before the engine compares."""

from typing import Any

import pytest
from pydantic import SecretStr

from dittoinfra import naming
from dittoinfra.decide.config_file import config_hash, config_yaml
from dittoinfra.decide.pod_restarts import restarts
from dittoinfra.decide.server_rules import decide_server
from dittoinfra.model import Outcome, ServerMemory
from dittoinfra.object_model import HeldObject, SecretsSeen
from dittoinfra.settings import ServerSecrets, ServerSettings
from dittoinfra.state import Memory
from tests.pure.decide.make import UNREACHABLE, answer, disabled, remembering, server, serving

BOTH = remembering(("nfs", 12049), ("smb", 12445))
SAME = answer(serving("nfs", 12049), serving("smb", 12445))
STATEFUL_SET = HeldObject("apps/v1", "StatefulSet", "media")


def _deployed(**deploy: object) -> ServerSettings:
    return server("media", deploy={"image": "dittofs:v0.31.1", **deploy})


def _content(settings: ServerSettings, secrets: ServerSecrets | None = None) -> dict[str, Any]:
    """The StatefulSet as these settings make it."""
    assert settings.deploy is not None
    digest = config_hash(config_yaml(settings, settings.deploy), secrets.jwt if secrets else None)
    container = {"name": naming.CONTAINER, "image": settings.deploy.image}
    template = {
        "metadata": {"annotations": {naming.CONFIG_HASH_ANNOTATION: digest}},
        "spec": {"containers": [container]},
    }
    return {"spec": {"template": template}}


def _restarts(
    settings: ServerSettings,
    outcome: Outcome = SAME,
    *,
    adapters: ServerMemory = BOTH,
    secrets: ServerSecrets | None = None,
    digests: dict[tuple[str, str], str] | None = None,
    **memory: Any,  # noqa: ANN401 - fields of Memory
) -> dict[str, str]:
    remembered = Memory(adapters={"media": adapters} if adapters else {}, **memory)
    decisions = {"media": decide_server(settings, adapters, [outcome])}
    made = {"media": secrets} if secrets else {}
    return dict(restarts([settings], decisions, remembered, made, {"media": digests} if digests else {}))


def test_nothing_new_restarts_nothing() -> None:
    deployed = _deployed()

    assert _restarts(deployed, contents={STATEFUL_SET: _content(deployed)}) == {}
    assert _restarts(deployed, UNREACHABLE, contents={STATEFUL_SET: _content(deployed)}) == {}


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
    deployed = _deployed()
    held = {STATEFUL_SET: _content(deployed)}

    assert _restarts(deployed, outcome, contents=held) == {"media": "its adapters"}
    assert _restarts(_deployed(freezePorts=True), outcome, contents=held) == {}
    assert _restarts(deployed, outcome) == {}, "not deployed yet"
    patched = server("media", patchPorts=True)
    assert _restarts(patched, outcome, patched_ports={"media": "x"}) == {"media": "its adapters"}
    assert _restarts(patched, outcome) == {}, "not patched yet"
    assert _restarts(server("media"), outcome) == {}


def test_a_server_without_declared_adapters_has_no_clients_of_ours() -> None:
    deployed = _deployed()

    assert _restarts(deployed, adapters={}, contents={STATEFUL_SET: _content(deployed)}) == {}


def test_settings_that_are_read_at_the_start() -> None:
    held = {STATEFUL_SET: _content(_deployed())}

    assert _restarts(_deployed(image="dittofs:v0.32.0"), contents=held) == {"media": "its image"}
    changed = _deployed(image="dittofs:v0.32.0", config={"logging": {"level": "DEBUG"}})
    assert _restarts(changed, contents=held) == {"media": "its image and its configuration"}
    assert _restarts(changed, contents={STATEFUL_SET: {}}) == {}, "a state that does not say"


def test_secrets_that_are_read_at_the_start() -> None:
    deployed, own = _deployed(), ServerSecrets(jwt=SecretStr("k" * 32))
    held = {STATEFUL_SET: _content(deployed, own)}
    seen = {"media": SecretsSeen({"pg/password": "1"}, None)}

    assert _restarts(deployed, contents=held, secrets=own) == {}
    assert _restarts(deployed, contents=held) == {"media": "its configuration"}
    same, other = {("pg", "password"): "1"}, {("pg", "password"): "2"}
    assert _restarts(deployed, contents=held, secrets=own, digests=same) == {}
    told = Memory(adapters={"media": BOTH}, contents=held, secrets=seen)
    decisions = {"media": decide_server(deployed, BOTH, [SAME])}
    assert restarts([deployed], decisions, told, {"media": own}, {"media": other}) == {"media": "its Secrets"}
