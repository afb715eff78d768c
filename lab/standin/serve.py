"""The stand-in Kubernetes provider on a loopback port, for as long as a `with` block lasts."""

from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

from lab.standin.provider import FailOn, KubernetesStandIn
from lab.standin.sessions import Sessions
from lab.standin.statuses import OneLineStatuses
from lab.standin.store import Store

THREADS = 64
"""Operations at once; an engine asks for four per processor unless told otherwise, and some of them wait."""

STOP_SECONDS = 5.0
"""How long operations under way may take to finish when the provider stops."""

_OPTIONS = [
    ("grpc.max_receive_message_length", -1),  # CustomResourceDefinitions outgrow the default of 4 MiB
    ("grpc.max_send_message_length", -1),
    ("grpc.so_reuseport", 0),  # two providers must never share a port unnoticed
]


class StandInProvider:
    """Serves engines that attach through `environment()`; without a store their configuration decides."""

    def __init__(self, store: Store | None = None, *, fail_on: FailOn | None = None) -> None:
        self._sessions = Sessions(store)
        self._threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="stand-in-kubernetes")
        self._server = grpc.server(self._threads, interceptors=[OneLineStatuses()], options=_OPTIONS)
        provider_pb2_grpc.add_ResourceProviderServicer_to_server(
            KubernetesStandIn(self._sessions, fail_on), self._server
        )
        self._port = self._server.add_insecure_port("127.0.0.1:0")

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop(STOP_SECONDS).wait()
        self._sessions.cancel()
        self._threads.shutdown()
        self._sessions.close()

    @property
    def port(self) -> int:
        """The loopback port."""
        return self._port

    def environment(self) -> dict[str, str]:
        """What an engine's environment needs to attach here instead of starting the official plugin."""
        return {
            "PULUMI_DEBUG_PROVIDERS": f"kubernetes:{self._port}",
            # With a state that names the official plugin the engine downloads it all the same before every
            # run, and where it cannot, tries for seconds; and then it uses this one.
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        }
