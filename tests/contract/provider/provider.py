"""A Kubernetes provider, started or attached, spoken to as the engine speaks to it."""

import os
import re
import shlex
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self

import grpc
from google.protobuf.empty_pb2 import Empty
from google.protobuf.struct_pb2 import ListValue, Struct
from pulumi.runtime.proto import (
    engine_pb2,
    engine_pb2_grpc,
    plugin_pb2,
    provider_pb2,
    provider_pb2_grpc,
    status_pb2,
)
from typing_extensions import override

STEP_SECONDS, START_SECONDS = 90.0, 30.0
BUCKETS = ((1.0, "<1 s"), (10.0, "<10 s"), (60.0, "<60 s"))
SECRET_KEY, SECRET_MARK = "4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
PROJECT = "contract"


@dataclass(frozen=True, slots=True)
class Secret:
    """A value the program declared secret."""

    value: Any


@dataclass(frozen=True, slots=True)
class Answer:
    """How one request ended; a partial failure brings a state along."""

    outcome: str
    time: str
    response: Any = None
    error: str | None = None
    partial: provider_pb2.ErrorResourceInitFailed | None = None


class Provider:
    """One provider, configured for one scenario."""

    def __init__(self, where: str, config: Mapping[str, str], stack: str) -> None:
        self._engine = _Engine()
        self._process = None if re.fullmatch(r"[\w.-]+:\d+", where) else _start(where, self._engine.address)
        address = f"127.0.0.1:{_port(self._process)}" if self._process else where
        # A connection of its own: an attached provider tells its engines apart by it.
        self._channel = grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])
        self._stub = provider_pb2_grpc.ResourceProviderStub(self._channel)
        self.accepts_secrets = self._configure(config, stack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()
        if self._process:
            self._process.kill()
            self._process.wait()
        self._engine.stop()

    def ask(self, method: str, **fields: Any) -> Answer:  # noqa: ANN401  (a request's fields)
        """Send one request about the resource and wait for its end, but not for ever."""
        request = getattr(provider_pb2, f"{method}Request")(**fields)
        start = time.monotonic()
        try:
            response = getattr(self._stub, method)(request, timeout=STEP_SECONDS)
        except grpc.RpcError as error:
            if (
                error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
                and time.monotonic() - start > STEP_SECONDS - 1
            ):
                return Answer("still waiting", "longer")
            return Answer("error", _bucket(start), error=error.details(), partial=_partial(error))
        return Answer("ok", _bucket(start), response)

    def cancel(self) -> None:
        """Have the provider give up what it is still doing, as an interrupted engine does."""
        self._stub.Cancel(Empty(), timeout=START_SECONDS)

    def warnings(self) -> list[str]:
        """What the provider told the user since the last call."""
        messages, self._engine.messages = self._engine.messages, []
        return messages

    def _configure(self, config: Mapping[str, str], stack: str) -> bool:
        urn = f"urn:pulumi:{stack}::{PROJECT}::pulumi:providers:kubernetes::cluster"
        if self._process is None:
            self._stub.Attach(plugin_pb2.PluginAttach(address=self._engine.address), timeout=START_SECONDS)
        try:
            shake = provider_pb2.ProviderHandshakeRequest(
                engine_address=self._engine.address, configure_with_urn=True
            )
            self._stub.Handshake(shake, timeout=START_SECONDS)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                raise
        self._stub.GetPluginInfo(Empty(), timeout=START_SECONDS)
        check = provider_pb2.CheckRequest(urn=urn, news=to_struct(config, secrets=True))
        configure = provider_pb2.ConfigureRequest(
            variables={f"kubernetes:config:{key}": value for key, value in config.items()},
            args=self._stub.CheckConfig(check, timeout=START_SECONDS).inputs,
            acceptSecrets=True,
            acceptResources=True,
            sends_old_inputs=True,
            sends_old_inputs_to_delete=True,
            urn=urn,
        )
        return bool(self._stub.Configure(configure, timeout=START_SECONDS).acceptSecrets)


def urn_of(stack: str, manifest: Mapping[str, Any], *, patch: bool) -> str:
    """The URN of the resource that declares this manifest."""
    version, kind = manifest["apiVersion"], manifest["kind"] + ("Patch" if patch else "")
    group = version if "/" in version else f"core/{version}"
    return f"urn:pulumi:{stack}::{PROJECT}::kubernetes:{group}:{kind}::it"


def to_struct(properties: Mapping[str, Any], *, secrets: bool) -> Struct:
    """Properties on the wire; a provider that takes no secrets gets their values."""
    struct = Struct()
    struct.update(_wire(properties, secrets=secrets))
    return struct


def from_struct(value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    """Properties from the wire: whole numbers as int, secrets as `{"secret": value}`."""
    match value:
        case Struct():
            plain = {key: from_struct(entry) for key, entry in value.items()}
            return {"secret": plain["value"]} if plain.get(SECRET_KEY) == SECRET_MARK else plain
        case ListValue():
            return [from_struct(entry) for entry in value]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value


def _wire(value: Any, *, secrets: bool) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    match value:
        case Secret():
            plain = _wire(value.value, secrets=secrets)
            return {SECRET_KEY: SECRET_MARK, "value": plain} if secrets else plain
        case dict():
            return {key: _wire(entry, secrets=secrets) for key, entry in value.items()}
        case list():
            return [_wire(entry, secrets=secrets) for entry in value]
        case _:
            return value


def _bucket(start: float) -> str:
    taken = time.monotonic() - start
    return next((name for limit, name in BUCKETS if taken < limit), "longer")


def _partial(error: grpc.RpcError) -> provider_pb2.ErrorResourceInitFailed | None:
    partial = provider_pb2.ErrorResourceInitFailed()
    found = [
        entry.value for entry in error.trailing_metadata() or () if entry.key == "grpc-status-details-bin"
    ]
    details = status_pb2.Status.FromString(found[0]).details if found else []
    return partial if any(detail.Unpack(partial) for detail in details) else None


def _start(command: str, engine: str) -> subprocess.Popen[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PULUMI_")}
    arguments = [*shlex.split(command), engine]
    return subprocess.Popen(
        arguments, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )  # fmt: skip


def _port(process: subprocess.Popen[str]) -> int:
    line = process.stdout.readline().strip() if process.stdout else ""
    if not line.isdigit():
        process.kill()
        raise RuntimeError(f"the provider printed {line!r} instead of its port")
    return int(line)


class _Engine(engine_pb2_grpc.EngineServicer):
    """The engine's side, to which a provider reports what the user should read."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self._server = grpc.server(ThreadPoolExecutor(max_workers=1))
        engine_pb2_grpc.add_EngineServicer_to_server(self, self._server)
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    @override
    def Log(self, request: engine_pb2.LogRequest, context: grpc.ServicerContext) -> Empty:
        if request.severity >= engine_pb2.WARNING and not request.ephemeral:
            self.messages.append(request.message)
        return Empty()

    def stop(self) -> None:
        self._server.stop(None)
