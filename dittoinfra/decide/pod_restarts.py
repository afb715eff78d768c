"""Whether a run restarts a server, as far as that can be told before the engine compares. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from dittoinfra import naming
from dittoinfra.decide.config_file import config_hash, config_yaml
from dittoinfra.decide.image_changes import held_image
from dittoinfra.decide.secret_restarts import KeyOfSecret, secrets_now
from dittoinfra.model import ServerDecision, ServerMemory
from dittoinfra.nested_values import block, text
from dittoinfra.object_model import HeldObject, SecretsSeen
from dittoinfra.settings import Deploy, ServerSecrets, ServerSettings
from dittoinfra.state import Memory


def restarts(
    servers: Sequence[ServerSettings],
    decisions: Mapping[str, ServerDecision],
    memory: Memory,
    made: Mapping[str, ServerSecrets],
    digests: Mapping[str, Mapping[KeyOfSecret, str]],
) -> Mapping[str, str]:
    """The servers whose Pod a run restarts, each with what changes for it.

    `made` are the Secrets that the stack makes, `digests` what was read of others. Settings of `deploy` that
    change the Pod in other ways, such as its resources, are not looked at.
    """
    causes = {
        server.name: [
            *_adapters(server, decisions[server.name], memory),
            *(_deployment(server, server.deploy, memory, made, digests) if server.deploy else ()),
        ]
        for server in servers
        # A server of which nothing was declared yet has no clients.
        if memory.adapters.get(server.name)
    }
    return {name: " and ".join(found) for name, found in causes.items() if found}


def _adapters(server: ServerSettings, decision: ServerDecision, memory: Memory) -> Iterator[str]:
    """A container port for every adapter: another set of them is another Pod."""
    if server.deploy is not None:
        listed = _held(server) in memory.contents and not server.deploy.freeze_ports
    else:
        listed = server.patch_ports and server.name in memory.patched_ports
    if listed and _ports(memory.adapters.get(server.name, {})) != _ports(decision.remembered()):
        yield "its adapters"


def _deployment(
    server: ServerSettings,
    deploy: Deploy,
    memory: Memory,
    made: Mapping[str, ServerSecrets],
    digests: Mapping[str, Mapping[KeyOfSecret, str]],
) -> Iterator[str]:
    content = memory.contents.get(_held(server))
    if content is None:
        return
    if held_image(content) not in (None, deploy.image):
        yield "its image"
    annotations = block(content, "spec", "template", "metadata", "annotations")
    secrets = made.get(server.name)
    config = config_yaml(server, deploy, memory.carried.get(server.name))
    digest = config_hash(config, secrets.jwt if secrets else None)
    if text(annotations, naming.CONFIG_HASH_ANNOTATION) not in (None, digest):
        yield "its configuration"
    seen = memory.secrets.get(server.name, SecretsSeen())
    if secrets_now(seen, digests.get(server.name, {})).restart != seen.restart:
        yield "its Secrets"


def _held(server: ServerSettings) -> HeldObject:
    return HeldObject("apps/v1", "StatefulSet", server.name)


def _ports(adapters: ServerMemory) -> dict[str, int | None]:
    return {adapter.type: adapter.port for adapter in adapters.values()}
