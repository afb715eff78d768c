"""The component package: the same components for programs in every language that Pulumi has.

An engine starts the command `pulumi-resource-dittoinfra`, which is installed with this package, where that is
on PATH; or the `PulumiPlugin.yaml` in `package/`, with Pulumi's host of Python. Or it attaches to one that is
running: `PULUMI_DEBUG_PROVIDERS=dittoinfra:PORT`, with the port that it prints.
"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi import Inputs, ResourceOptions
from pulumi.provider import ConstructResult
from pulumi.provider.experimental.analyzer import ComponentDefinition
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.server import ProviderServicer
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc
from pydantic.alias_generators import to_camel
from typing_extensions import override

from dittoinfra import __version__
from dittoinfra.nested_values import mapped
from dittoinfra.sdk.followed_server import FollowedServer
from dittoinfra.sdk.headless_service import HeadlessService
from dittoinfra.sdk.program_components import MONITOR, OTHER_LANGUAGE
from dittoinfra.sdk.servers import DeployedServer, ExistingServer

NAME = "dittoinfra"
_SECRETS = ("password", "secrets")
_LONGEST_MESSAGE = 400 * 1024 * 1024
"""What the engine itself takes."""


class ComponentPackage(ComponentProvider):
    """The provider that an engine asks for the schema, and for components."""

    def __init__(self) -> None:
        super().__init__([ExistingServer, DeployedServer, HeadlessService], NAME, version=__version__)
        told = {
            to_camel(name): self.analyzer.get_docstring(FollowedServer, name)
            for name in FollowedServer.__annotations__
        }
        self.schema = json.dumps(_polished(json.loads(self.schema or "{}"), told))

    @override
    def construct(
        self, name: str, resource_type: str, inputs: Inputs, options: ResourceOptions | None = None
    ) -> ConstructResult:
        # Every request has a context of its own.
        OTHER_LANGUAGE.set(True)
        return super().construct(name, resource_type, inputs, options)

    @override
    def map_inputs(self, inputs: Inputs, component_def: ComponentDefinition) -> Inputs:
        # The SDK would take a block that is an output of another resource for an empty one. The settings are
        # checked in any case, and know the names of the schema.
        return dict(inputs)


class _Servicer(ProviderServicer):
    """The SDK's server, to which an engine may also attach."""

    @override
    async def Construct(
        self, request: provider_pb2.ConstructRequest, context: object
    ) -> provider_pb2.ConstructResponse:
        # Every request has a context of its own.
        MONITOR.set(request.monitorEndpoint)
        return await super().Construct(request, context)

    async def Attach(  # noqa: N802 - the protocol's name
        self,
        request: plugin_pb2.PluginAttach,
        context: object,  # noqa: ARG002
    ) -> Empty:
        """Get to know the engine, which has not started this process."""
        self.engine_address = request.address
        return Empty()


def serve(arguments: Sequence[str]) -> None:
    """Print the port, and serve until the process is ended; `arguments` end with the engine's address.

    Without an address, an engine is expected to attach.
    """

    async def run() -> None:
        server = grpc.aio.server(options=[("grpc.max_receive_message_length", _LONGEST_MESSAGE)])
        engine = next((this for this in arguments[-1:] if not this.startswith("-")), "")
        servicer = _Servicer(ComponentPackage(), [*arguments], engine)
        provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        sys.stdout.write(f"{port}\n")
        sys.stdout.flush()
        await server.wait_for_termination()

    with suppress(KeyboardInterrupt):
        asyncio.run(run())


def main() -> None:
    """The command `pulumi-resource-dittoinfra`."""
    serve(sys.argv[1:])


def _polished(schema: Mapping[str, Any], told: Mapping[str, str | None]) -> dict[str, Any]:
    """The schema with its texts on one line, and with what the analyzer cannot tell.

    `told` are the texts of outputs, which the analyzer does not find in a base class.
    """
    resources = {
        token: {
            **resource,
            "inputProperties": {
                name: {**this, **({"secret": True} if name in _SECRETS else {})}
                for name, this in resource["inputProperties"].items()
            },
            "properties": {
                name: {"description": told.get(name) or "", **this}
                for name, this in resource["properties"].items()
            },
        }
        for token, resource in schema["resources"].items()
    }
    about = {
        "description": "Kubernetes Services that follow the adapters a DittoFS server really serves.",
        "license": "Apache-2.0",
        "keywords": ["pulumi", "kubernetes", "dittofs", "kind/component"],
    }
    polished: dict[str, Any] = mapped({**schema, **about, "resources": resources}, _described_on_one_line)
    return polished


def _described_on_one_line(value: Any) -> Any:  # noqa: ANN401 - JSON has no narrower type
    if isinstance(value, dict) and isinstance(description := value.get("description"), str):
        return {**value, "description": " ".join(description.split())}
    return value
