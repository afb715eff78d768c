"""Whether a run restarts a server, as far as that can be told before the engine compares. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dittoinfra import naming
from dittoinfra.decide.cluster_edits import INPUTS
from dittoinfra.decide.config_file import config_hash, config_yaml
from dittoinfra.decide.exposure import container_ports, template_ports, unnamed_by_others
from dittoinfra.decide.guard import patched_place
from dittoinfra.decide.image_changes import held_image
from dittoinfra.decide.immutable_fields import replaced
from dittoinfra.decide.pod_template import pod_template
from dittoinfra.decide.secret_restarts import KeyOfSecret, secrets_now
from dittoinfra.model import ServerDecision, ServerMemory
from dittoinfra.nested_values import block, mapped, without_nulls
from dittoinfra.object_model import HeldObject, LiveObject, LiveObjects, SecretsSeen
from dittoinfra.settings import Deploy, ServerSecrets, ServerSettings, service_settings
from dittoinfra.state import Memory

_WORDS = {naming.CONFIG_HASH_ANNOTATION: "configuration", naming.SECRETS_HASH_ANNOTATION: "Secrets"}
"""What some annotations of a Pod's template are hashes of."""


def restarts(
    servers: Sequence[ServerSettings],
    decisions: Mapping[str, ServerDecision],
    memory: Memory,
    made: Mapping[str, ServerSecrets],
    digests: Mapping[str, Mapping[KeyOfSecret, str]],
    objects: LiveObjects | None = None,
) -> Mapping[str, str]:
    """The servers whose Pod a run restarts, each with what changes for it.

    `made` are the Secrets that the stack makes, `digests` what was read of others, `objects` the live ones.
    """
    moved = replaced(servers, memory.workloads)
    found: dict[str, str] = {}
    for server in servers:
        decision = decisions[server.name]
        # Of a server that has never answered nothing is known that could be interrupted; and if it had to be
        # asked before a restart, the edit that makes it answer could not be made.
        if decision.bootstrap:
            continue
        live = (objects or {}).get(patched_place(server))
        if server.name in moved:
            causes: Iterator[str] = iter(["StatefulSet"])
        elif server.deploy is None:
            causes = _patched(server, decision, memory, live)
        else:
            digest = digests.get(server.name, {})
            wanted = _template(server, server.deploy, decision, memory, made.get(server.name), digest)
            causes = _deployed(server, server.deploy, decision, memory, wanted, live)
        # A word may stand for a field of the Pod and for the same one of its container.
        if words := dict.fromkeys(causes):
            found[server.name] = " and ".join(f"its {word}" for word in words)
    return found


def _deployed(
    server: ServerSettings,
    deploy: Deploy,
    decision: ServerDecision,
    memory: Memory,
    wanted: Mapping[str, Any],
    live: LiveObject | None,
) -> Iterator[str]:
    content = memory.contents.get(HeldObject("apps/v1", "StatefulSet", server.name))
    if content is None:
        if live is not None and server.adopt and deploy.update_strategy != "OnDelete":
            yield from _adopted(live.content, wanted)
        return
    held = block(content, INPUTS, "spec")
    # A StatefulSet that was never created, or that has no Pod, has nothing to restart.
    if not held or held.get("replicas") == 0:
        return
    if deploy.replicas == 0:
        yield "replicas"
    if deploy.update_strategy == "OnDelete":
        return
    if block(held, "updateStrategy").get("type") == "OnDelete":
        # What was changed until now, and waits for the Pod's deletion, takes effect.
        yield "updateStrategy"
    before, after = _parts(block(held, "template")), _parts(wanted)
    for part in sorted(before.keys() | after.keys()):
        if before.get(part) != after.get(part):
            word = part[-1]
            yield _ports_word(decision, memory) if word == "ports" else _WORDS.get(word, word)


def _adopted(live: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    """A StatefulSet of another manager has no hash of ours, unless it comes from another stack."""
    [before, after] = (
        (
            held_image({"spec": {"template": template}}),
            block(template, "metadata", "annotations").get(naming.CONFIG_HASH_ANNOTATION),
        )
        for template in (block(live, "spec", "template"), wanted)
    )
    if before != after:
        yield "Pod's template"


def _patched(
    server: ServerSettings, decision: ServerDecision, memory: Memory, live: LiveObject | None
) -> Iterator[str]:
    """A StatefulSet of another manager restarts its Pod when ports are added to it, or taken away again."""
    before = set(filter(None, memory.patched_ports.get(server.name, "").split(",")))
    wanted = container_ports(decision.adapters, _settings(server, decision), None)
    own = unnamed_by_others(wanted, live.ports if live else ()) if server.patch_ports else ()
    after = {naming.port_text(port.name, port.port, port.protocol) for port in own}
    # Where the StatefulSet was not read, it has what the stack has added so far.
    there = live.ports if live is not None else before
    if before != after and (after - there or (before - after) & there):
        yield _ports_word(decision, memory)


def _template(
    server: ServerSettings,
    deploy: Deploy,
    decision: ServerDecision,
    memory: Memory,
    secrets: ServerSecrets | None,
    digests: Mapping[KeyOfSecret, str],
) -> Mapping[str, Any]:
    """The template that is declared, without the time of the last restart by hand, which restarts nothing."""
    config = config_yaml(server, deploy, memory.carried.get(server.name))
    seen = secrets_now(memory.secrets.get(server.name, SecretsSeen()), digests).restart
    annotations = {
        naming.CONFIG_HASH_ANNOTATION: config_hash(config, secrets.jwt if secrets else None),
        naming.SECRETS_HASH_ANNOTATION: seen,
    }
    ports = container_ports(decision.adapters, _settings(server, decision), deploy)
    return pod_template(server, deploy, template_ports(ports, deploy), annotations)


def _parts(template: Mapping[str, Any]) -> Mapping[tuple[str, ...], Any]:
    """Everything in a template whose change restarts the Pod, by the names that people know it by."""
    plain: Mapping[str, Any] = mapped(template, without_nulls)
    annotations, spec = block(plain, "metadata", "annotations"), block(plain, "spec")
    return {
        **{("annotation", key): value for key, value in annotations.items()},
        **{("pod", key): value for key, value in spec.items() if key != "containers"},
        ("pod", "labels"): block(plain, "metadata").get("labels"),
        **{
            ("container", str(container.get("name")), key): value
            for container in spec.get("containers") or ()
            for key, value in container.items()
        },
        ("annotation", naming.RESTARTED_ANNOTATION): None,
    }


def _ports_word(decision: ServerDecision, memory: Memory) -> str:
    """What people did that changes container ports: there is one for every adapter."""
    before = memory.adapters.get(decision.server, {})
    return "adapters" if _numbers(before) != _numbers(decision.remembered()) else "ports"


def _numbers(adapters: ServerMemory) -> dict[str, int | None]:
    return {adapter.type: adapter.port for adapter in adapters.values()}


def _settings(server: ServerSettings, decision: ServerDecision) -> Mapping[str, Any]:
    return {adapter.type: service_settings(server, adapter.type) for adapter in decision.adapters}
