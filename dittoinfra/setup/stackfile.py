"""The configuration file of a new stack, as a person would write and comment it. Pure."""

from collections.abc import Iterator

import yaml

from dittoinfra.setup.wishes import ServerWish, Wishes


def stack_yaml(wishes: Wishes) -> str:
    """The whole file; secrets are put into it later, encrypted, by the engine's own CLI."""
    return "\n".join(_lines(wishes)) + "\n"


def _lines(wishes: Wishes) -> Iterator[str]:
    yield "# yaml-language-server: $schema=../docs/stack.schema.json"
    yield "#"
    yield "# Made by `dittoinfra init`, and yours from now on. Every setting: docs/configuration.md"
    yield "config:"
    yield from _cluster(wishes)
    if any(server.deploy for server in wishes.servers):
        yield "  # The server's ConfigMap is updated in place; the provider would delete it and make another."
        yield "  kubernetes:enableConfigMapMutable: true"
    yield "  # Written here, a setting is for every server of the stack; a server may differ."
    yield f"  dittoinfra:namespace: {_scalar(wishes.namespace)}"
    yield "  dittoinfra:adapters:"
    yield "    # Servers listen on unprivileged ports; for clients that expect the well-known ones:"
    yield "    # types: {nfs: {servicePort: 2049}, smb: {servicePort: 445}}"
    yield "    service:"
    yield "      # How adapters are exposed: LoadBalancer, NodePort or ClusterIP."
    yield f"      type: {wishes.service_type}"
    yield "  dittoinfra:api:"
    yield "    # A user of its own, with the role `user`: it may read ports and nothing else. Its password is"
    yield "    # encrypted in dittoinfra:passwords."
    yield f"    username: {_scalar(wishes.username)}"
    yield "  dittoinfra:servers:"
    for server in wishes.servers:
        yield from _server(server)


def _cluster(wishes: Wishes) -> Iterator[str]:
    if wishes.kubeconfig is None and wishes.context is None:
        yield "  # Which cluster: whatever kubectl would use. Better name it:"
        yield "  # kubernetes:context: production"
        return
    yield "  # Which cluster."
    if wishes.kubeconfig is not None:
        yield f"  kubernetes:kubeconfig: {_scalar(wishes.kubeconfig)}"
    if wishes.context is not None:
        yield f"  kubernetes:context: {_scalar(wishes.context)}"


def _server(server: ServerWish) -> Iterator[str]:
    yield f"    - name: {_scalar(server.name)}"
    if server.url is not None:
        yield "      api:"
        yield f"        url: {_scalar(server.url)}"
    if server.deploy:
        yield "      # The stack makes the server itself too, from secrets that are encrypted in"
        yield "      # dittoinfra:serverSecrets. What can be said about it: docs/configuration.md"
        yield "      deploy: {}"


def _scalar(text: str) -> str:
    """The text as YAML reads it back: quoted only where it would be something else than text."""
    return (
        yaml.safe_dump(text, width=float("inf"), allow_unicode=True).removesuffix("\n").removesuffix("\n...")
    )
