"""The engine's resource protocol, answered by a store instead of the official Kubernetes plugin."""

from collections.abc import Callable
from importlib.metadata import version

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc
from typing_extensions import override

from dittoinfra.standin.check import failures, with_namespace
from dittoinfra.standin.diff import Change, InputDiff, diff_inputs
from dittoinfra.standin.drift import adopted_inputs, live_inputs
from dittoinfra.standin.errors import InjectedError
from dittoinfra.standin.properties import Properties, from_struct, has_unknowns, to_struct
from dittoinfra.standin.sessions import Session, Sessions
from dittoinfra.standin.target import ObjectKey, ResourceUrn, Target, is_patch, object_kind

FailOn = Callable[[str, str], str | None]
"""Given an operation (`create`, `read`, `update`, `delete`) and a URN, the message to fail with, or None."""

_KINDS = {
    (Change.ADDED, False): provider_pb2.PropertyDiff.ADD,
    (Change.ADDED, True): provider_pb2.PropertyDiff.ADD_REPLACE,
    (Change.REMOVED, False): provider_pb2.PropertyDiff.DELETE,
    (Change.REMOVED, True): provider_pb2.PropertyDiff.DELETE_REPLACE,
    (Change.CHANGED, False): provider_pb2.PropertyDiff.UPDATE,
    (Change.CHANGED, True): provider_pb2.PropertyDiff.UPDATE_REPLACE,
}


class KubernetesStandIn(provider_pb2_grpc.ResourceProviderServicer):
    """Serves every Kubernetes kind, because it knows none: objects pass through as they were declared."""

    def __init__(self, sessions: Sessions, fail_on: FailOn | None = None) -> None:
        self._sessions = sessions
        self._fail_on = fail_on

    # Attaching and configuring

    @override
    def Handshake(
        self, request: provider_pb2.ProviderHandshakeRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ProviderHandshakeResponse:
        return provider_pb2.ProviderHandshakeResponse(
            accept_secrets=False, accept_resources=False, accept_outputs=False
        )

    @override
    def Attach(self, request: plugin_pb2.PluginAttach, context: grpc.ServicerContext) -> Empty:
        return Empty()

    @override
    def GetPluginInfo(self, request: Empty, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        # The engine warns about a plugin older than the SDK, in every run: this is the SDK it stands in for.
        return plugin_pb2.PluginInfo(version=version("pulumi-kubernetes"))

    @override
    def CheckConfig(
        self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CheckResponse:
        return provider_pb2.CheckResponse(inputs=request.news)

    @override
    def DiffConfig(
        self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext
    ) -> provider_pb2.DiffResponse:
        # Never a replacement: a kubeconfig that moved must not delete and recreate everything it reaches.
        return _diff_response(
            diff_inputs(from_struct(request.old_inputs), from_struct(request.news), is_patch=True)
        )

    @override
    def Configure(
        self, request: provider_pb2.ConfigureRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ConfigureResponse:
        self._sessions.configure(context.peer(), request.urn, from_struct(request.args))
        return provider_pb2.ConfigureResponse(supportsPreview=True)

    @override
    def Cancel(self, request: Empty, context: grpc.ServicerContext) -> Empty:
        return Empty()

    # One resource

    @override
    def Check(
        self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CheckResponse:
        urn, inputs = ResourceUrn.parse(request.urn), from_struct(request.news)
        session = self._sessions.find(context.peer(), urn)
        found = failures(urn, inputs)
        if found:
            return provider_pb2.CheckResponse(
                failures=[provider_pb2.CheckFailure(property=path, reason=reason) for path, reason in found]
            )
        if _is_namespaced(session, urn, inputs):
            inputs = with_namespace(inputs, session.default_namespace)
        return provider_pb2.CheckResponse(inputs=to_struct(inputs))

    @override
    def Diff(
        self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext
    ) -> provider_pb2.DiffResponse:
        new = from_struct(request.news)
        patch = is_patch(ResourceUrn.parse(request.urn), new)
        return _diff_response(diff_inputs(from_struct(request.old_inputs), new, is_patch=patch))

    @override
    def Create(
        self, request: provider_pb2.CreateRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CreateResponse:
        inputs = from_struct(request.properties)
        if request.preview and has_unknowns(inputs):
            return provider_pb2.CreateResponse(properties=to_struct(inputs))
        session, target = self._resolve(context, request.urn, inputs)
        if request.preview:
            outputs = session.store.preview_create(target, inputs)
            return provider_pb2.CreateResponse(properties=to_struct(outputs))
        self._fail_if_asked("create", request.urn)
        outputs = session.store.create(target, inputs, take_over=session.take_over)
        return provider_pb2.CreateResponse(id=target.key.id, properties=to_struct(outputs))

    @override
    def Read(
        self, request: provider_pb2.ReadRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ReadResponse:
        self._fail_if_asked("read", request.urn)
        previous = from_struct(request.inputs)
        known = previous or _inputs_of_id(ResourceUrn.parse(request.urn), request.id)
        session, target = self._resolve(context, request.urn, known)
        live = session.store.read(target)
        if live is None:
            return provider_pb2.ReadResponse()
        inputs = live_inputs(previous, live) if previous else adopted_inputs(live)
        return provider_pb2.ReadResponse(
            id=target.key.id, properties=to_struct(live), inputs=to_struct(inputs)
        )

    @override
    def Update(
        self, request: provider_pb2.UpdateRequest, context: grpc.ServicerContext
    ) -> provider_pb2.UpdateResponse:
        inputs = from_struct(request.news)
        if request.preview and has_unknowns(inputs):
            return provider_pb2.UpdateResponse(properties=to_struct(inputs))
        session, target = self._resolve(context, request.urn, inputs)
        if request.preview:
            return provider_pb2.UpdateResponse(
                properties=to_struct(session.store.preview_update(target, inputs))
            )
        self._fail_if_asked("update", request.urn)
        return provider_pb2.UpdateResponse(properties=to_struct(session.store.update(target, inputs)))

    @override
    def Delete(self, request: provider_pb2.DeleteRequest, context: grpc.ServicerContext) -> Empty:
        self._fail_if_asked("delete", request.urn)
        session, target = self._resolve(context, request.urn, from_struct(request.old_inputs))
        session.store.delete(target)
        return Empty()

    def _resolve(
        self, context: grpc.ServicerContext, urn_text: str, inputs: Properties
    ) -> tuple[Session, Target]:
        urn = ResourceUrn.parse(urn_text)
        session = self._sessions.find(context.peer(), urn)
        namespaced = _is_namespaced(session, urn, inputs)
        metadata = inputs["metadata"]
        key = ObjectKey(
            api_version=str(inputs.get("apiVersion") or urn.api_version),
            kind=object_kind(urn, inputs),
            namespace=str(metadata.get("namespace") or session.default_namespace) if namespaced else None,
            name=str(metadata["name"]),
        )
        return session, Target(urn, key, is_patch(urn, inputs))

    def _fail_if_asked(self, operation: str, urn: str) -> None:
        message = self._fail_on(operation, urn) if self._fail_on else None
        if message is not None:
            raise InjectedError(message)


def _is_namespaced(session: Session, urn: ResourceUrn, inputs: Properties) -> bool:
    api_version = str(inputs.get("apiVersion") or urn.api_version)
    return session.store.is_namespaced(api_version, object_kind(urn, inputs))


def _inputs_of_id(urn: ResourceUrn, resource_id: str) -> Properties:
    """The least that names an object to import: `namespace/name`, or `name` alone."""
    namespace, _, name = resource_id.rpartition("/")
    return {
        "apiVersion": urn.api_version,
        "kind": object_kind(urn, {}),
        "metadata": {"name": name} | ({"namespace": namespace} if namespace else {}),
    }


def _diff_response(diff: InputDiff) -> provider_pb2.DiffResponse:
    if not diff.changes:
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)
    return provider_pb2.DiffResponse(
        changes=provider_pb2.DiffResponse.DIFF_SOME,
        diffs=sorted({str(change.path[0]) for change in diff.changes}),
        replaces=sorted({change.dotted for change in diff.changes if change.replaces}),
        deleteBeforeReplace=diff.replaces and diff.same_object,
        hasDetailedDiff=True,
        detailedDiff={
            change.dotted: provider_pb2.PropertyDiff(
                kind=_KINDS[change.change, change.replaces], inputDiff=True
            )
            for change in diff.changes
        },
    )
