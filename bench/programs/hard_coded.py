"""The floor: what a person would write who knows every adapter by heart.

`python -m bench.programs.hard_coded ROOT STACK OPERATION SERVERS TYPES SHAPE`
"""

import sys

import pulumi
from pulumi_kubernetes.core.v1 import Service, ServicePortArgs, ServiceSpecArgs
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from bench.programs.answering import FIRST_PORT
from bench.programs.plain import PlainStack
from bench.programs.times import told


class _Server(pulumi.ComponentResource):
    def __init__(self, name: str) -> None:
        super().__init__("dittoinfra:index:Server", name)
        self.register_outputs({})


def flat(servers: int, types: int) -> None:
    """Services, and nothing around them."""
    for number in range(servers):
        for index, kind in enumerate(_kinds(types)):
            _service(f"server-{number:04}", kind, FIRST_PORT + index, None)


def nested(servers: int, types: int) -> None:
    """The same Services inside the component of their server."""
    for number in range(servers):
        name = f"server-{number:04}"
        server = _Server(name)
        for index, kind in enumerate(_kinds(types)):
            _service(name, kind, FIRST_PORT + index, server)


def _kinds(types: int) -> list[str]:
    return ["nfs", "smb", *(f"proto{number}" for number in range(2, types))][:types]


def _service(server: str, kind: str, port: int, parent: pulumi.Resource | None) -> None:
    labels = {
        "app": "dittofs-server",
        "instance": server,
        "dittofs.io/adapter-service": "true",
        "dittofs.io/adapter-type": kind,
        "app.kubernetes.io/name": "dittofs",
        "app.kubernetes.io/instance": server,
        "app.kubernetes.io/component": "adapter",
        "app.kubernetes.io/managed-by": "pulumi",
    }
    Service(
        f"{server}/{kind}",
        metadata=ObjectMetaArgs(
            name=f"{server}-adapter-{kind}",
            namespace="files",
            labels=labels,
            annotations={"pulumi.com/skipAwait": "true"},
        ),
        spec=ServiceSpecArgs(
            type="LoadBalancer",
            selector={"app": "dittofs-server", "instance": server},
            ports=[ServicePortArgs(name=kind, port=port, target_port=port, protocol="TCP")],
        ),
        opts=pulumi.ResourceOptions(parent=parent),
    )


def main() -> None:
    """Preview or update."""
    root, name, operation, servers, types, shape = sys.argv[1:]
    declare = {"flat": flat, "nested": nested}[shape]
    stack = PlainStack(root, name, lambda: declare(int(servers), int(types)))
    told(getattr(stack, operation))


if __name__ == "__main__":
    main()
