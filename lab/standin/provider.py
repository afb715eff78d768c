"""The engine's resource protocol, answered by a store instead of the official Kubernetes plugin."""

import json
from collections.abc import Callable
from importlib.metadata import version

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc
from typing_extensions import override

from dittoinfra.settings.provider import NEEDED
from lab.standin.check import failures
from lab.standin.configuration import configuration_diff
from lab.standin.diff import DiffKind
from lab.standin.difference import Difference, difference
from lab.standin.engine import tell
from lab.standin.errors import InjectedError
from lab.standin.properties import from_struct, plain, to_struct
from lab.standin.resource import Resource
from lab.standin.sessions import Sessions
from lab.standin.target import ResourceUrn

FailOn = Callable[[str, str], str | None]
"""Given an operation (`create`, `read`, `update`, `delete`) and a URN, the message to fail with, or None."""

_KINDS = {
    (DiffKind.ADDED, False): provider_pb2.PropertyDiff.ADD,
    (DiffKind.ADDED, True): provider_pb2.PropertyDiff.ADD_REPLACE,
    (DiffKind.REMOVED, False): provider_pb2.PropertyDiff.DELETE,
    (DiffKind.REMOVED, True): provider_pb2.PropertyDiff.DELETE_REPLACE,
    (DiffKind.CHANGED, False): provider_pb2.PropertyDiff.UPDATE,
    (DiffKind.CHANGED, True): provider_pb2.PropertyDiff.UPDATE_REPLACE,
}

_OBJECT = {name: {"$ref": "pulumi.json#/Any"} for name in ("apiVersion", "kind", "metadata", "data")}
_SCHEMA = {
    "name": "kubernetes",
    "version": version("pulumi-kubernetes"),
    "provider": {
        "inputProperties": {
            **{name: {"type": "string"} for name in ("kubeconfig", "context", "renderYamlToDirectory")},
            **{name: {"type": "boolean"} for name in NEEDED},
        }
    },
    "resources": {
        "kubernetes:core/v1:ConfigMap": {
            "properties": _OBJECT,
            "inputProperties": _OBJECT,
        }
    },
}
"""For the host of Pulumi YAML, which checks types: the provider, and a resource beside what is tested."""


class KubernetesStandIn(provider_pb2_grpc.ResourceProviderServicer):
    """Serves every Kubernetes kind, because it knows hardly any: objects pass through as declared."""

    def __init__(self, sessions: Sessions, fail_on: FailOn | None = None) -> None:
        self._sessions = sessions
        self._fail_on = fail_on

    # Attaching and configuring

    @override
    def Handshake(
        self, request: provider_pb2.ProviderHandshakeRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ProviderHandshakeResponse:
        self._sessions.attach(context.peer(), request.engine_address)
        return provider_pb2.ProviderHandshakeResponse(
            accept_secrets=True, accept_resources=False, accept_outputs=False
        )

    @override
    def Attach(self, request: plugin_pb2.PluginAttach, context: grpc.ServicerContext) -> Empty:
        self._sessions.attach(context.peer(), request.address)
        return Empty()

    @override
    def GetPluginInfo(self, request: Empty, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        # The engine warns about a plugin older than the SDK, in every run: this is the SDK it stands in for.
        return plugin_pb2.PluginInfo(version=version("pulumi-kubernetes"))

    @override
    def GetSchema(
        self, request: provider_pb2.GetSchemaRequest, context: grpc.ServicerContext
    ) -> provider_pb2.GetSchemaResponse:
        return provider_pb2.GetSchemaResponse(schema=json.dumps(_SCHEMA))

    @override
    def CheckConfig(
        self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CheckResponse:
        return provider_pb2.CheckResponse(inputs=request.news)

    @override
    def DiffConfig(
        self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext
    ) -> provider_pb2.DiffResponse:
        changed, replacing = configuration_diff(
            plain(from_struct(request.olds)), plain(from_struct(request.news))
        )
        if not changed:
            return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)
        return provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME, diffs=changed, replaces=replacing
        )

    @override
    def Configure(
        self, request: provider_pb2.ConfigureRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ConfigureResponse:
        self._sessions.configure(context.peer(), request.urn, from_struct(request.args))
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    @override
    def Cancel(self, request: Empty, context: grpc.ServicerContext) -> Empty:
        self._sessions.cancel(context.peer())
        return Empty()

    # One resource

    @override
    def Check(
        self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CheckResponse:
        declared, resource = from_struct(request.news), self._resource(context, request.urn)
        found = failures(resource.urn, plain(declared))
        if found:
            return provider_pb2.CheckResponse(
                failures=[provider_pb2.CheckFailure(property=path, reason=reason) for path, reason in found]
            )
        return provider_pb2.CheckResponse(inputs=to_struct(resource.check(declared)))

    @override
    def Diff(
        self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext
    ) -> provider_pb2.DiffResponse:
        resource = self._resource(context, request.urn)
        state, declared = from_struct(request.olds), from_struct(request.news)
        return _diff_response(difference(resource, state, declared, request.ignoreChanges))

    @override
    def Create(
        self, request: provider_pb2.CreateRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CreateResponse:
        if not request.preview:
            self._fail_if_asked("create", request.urn)
        made = self._resource(context, request.urn).create(
            from_struct(request.properties), request.timeout, preview=request.preview
        )
        if made is None:
            return provider_pb2.CreateResponse(properties=request.properties)
        return provider_pb2.CreateResponse(id=made.id, properties=to_struct(made.state))

    @override
    def Read(
        self, request: provider_pb2.ReadRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ReadResponse:
        self._fail_if_asked("read", request.urn)
        found = self._resource(context, request.urn).read(
            request.id, from_struct(request.properties), from_struct(request.inputs)
        )
        if found is None:
            return provider_pb2.ReadResponse()
        return provider_pb2.ReadResponse(
            id=found.id, properties=to_struct(found.state), inputs=to_struct(found.inputs)
        )

    @override
    def Update(
        self, request: provider_pb2.UpdateRequest, context: grpc.ServicerContext
    ) -> provider_pb2.UpdateResponse:
        if not request.preview:
            self._fail_if_asked("update", request.urn)
        changed = self._resource(context, request.urn).update(
            from_struct(request.olds),
            from_struct(request.news),
            request.timeout,
            request.ignoreChanges,
            preview=request.preview,
        )
        properties = request.news if changed is None else to_struct(changed.state)
        return provider_pb2.UpdateResponse(properties=properties)

    @override
    def Delete(self, request: provider_pb2.DeleteRequest, context: grpc.ServicerContext) -> Empty:
        self._fail_if_asked("delete", request.urn)
        self._resource(context, request.urn).delete(
            request.id, from_struct(request.properties), from_struct(request.old_inputs), request.timeout
        )
        return Empty()

    def _resource(self, context: grpc.ServicerContext, urn_text: str) -> Resource:
        urn = ResourceUrn.parse(urn_text)
        session = self._sessions.find(context.peer(), urn)
        return Resource(
            session,
            urn,
            tell=lambda message: tell(session.engine, urn_text, message),
            interrupted=lambda: session.cancelled.is_set() or not context.is_active(),
        )

    def _fail_if_asked(self, operation: str, urn: str) -> None:
        message = self._fail_on(operation, urn) if self._fail_on else None
        if message is not None:
            raise InjectedError(message)


def _diff_response(found: Difference) -> provider_pb2.DiffResponse:
    if not found.changes:
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE, hasDetailedDiff=True)
    return provider_pb2.DiffResponse(
        changes=provider_pb2.DiffResponse.DIFF_SOME,
        replaces=[change.dotted for change in found.changes if change.replaces],
        deleteBeforeReplace=found.replaces and found.same_object,
        hasDetailedDiff=True,
        detailedDiff={
            change.dotted: provider_pb2.PropertyDiff(
                kind=_KINDS[change.kind, change.replaces], inputDiff=change.kind is DiffKind.REMOVED
            )
            for change in found.changes
        },
    )
