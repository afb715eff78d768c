"""How long a change of an adapter takes to reach its Service, every part real but the provider.

The operator asks every 30 s: a change waits for that between nothing and 30 s, 15 s in the median and 28.5 s
at the 95th percentile, before anything else happens.
"""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx

from bench.bed import PASSWORD_ENV, Bed
from bench.measurement import Floor, Measurement, Opening, Pair, Rounds
from bench.stage import Stage, stage
from bench.watching import SECONDS, Watching, watching
from dittoinfra.engine import Silent, build
from tests.bed.credentials import credential
from tests.bed.dfs import RealDittoFS
from tests.bed.keeper import API, Keeper
from tests.bed.kubernetes import KubernetesApi
from tests.bed.process import free_ports
from tests.bed.tools import DFS, DITTOFS_TOOL

SERVERS = 6
READER = "reader"


def _opening(interval: float, *flags: str) -> Opening:
    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        binary = DITTOFS_TOOL.binary(build(DITTOFS_TOOL, Silent()), DFS)
        password = credential("bench-reader")
        with ExitStack() as life:
            api = life.enter_context(Keeper()).part(API)
            project = life.enter_context(stage(bed, f"react-{interval:g}", kubeconfig=api.kubeconfig))
            project = Stage(bed, project.root, {**project.environment, PASSWORD_ENV: password})
            served = {}
            for number in range(SERVERS):
                dfs = life.enter_context(RealDittoFS(binary, bed.folder / f"dfs-{interval:g}-{number}"))
                dfs.create_user(READER, password, "user")
                namespace = api.namespace()
                served[namespace] = dfs
                access = {"url": dfs.url, "username": READER, "passwordEnv": PASSWORD_ENV}
                server = {"name": "media", "namespace": namespace, "api": access}
                project.write(namespace, {"dittoinfra:servers": [server]})
            watch = life.enter_context(watching(project, list(served), *flags))
            yield Pair(_Reactions(watch, api, served, interval))

    return opening


class _Reactions:
    """Changes all servers, each at a moment of its own, and gives out what was seen one by one."""

    def __init__(
        self, watch: Watching, api: KubernetesApi, served: dict[str, RealDittoFS], interval: float
    ) -> None:
        self._watch = watch
        self._api = api
        self._served = served
        self._interval = interval
        self._seen: list[float] = []
        self._dice = random.Random(8)  # noqa: S311 - no secret hangs on it
        self._lock = threading.Lock()

    def __call__(self) -> float:
        if not self._seen:
            with ThreadPoolExecutor(len(self._served)) as threads:
                self._seen = list(threads.map(self._change, self._served))
        return self._seen.pop()

    def _change(self, namespace: str) -> float:
        with self._lock:
            pause = self._dice.uniform(0, self._interval)
            [port] = free_ports(1)
        time.sleep(pause)
        self._served[namespace].set_port("nfs", port)
        changed = time.monotonic()
        with self._api.client() as client:
            self._watch.until("the Service's new port", lambda: _port(client, namespace) == port)
        return time.monotonic() - changed


def _port(client: httpx.Client, namespace: str) -> int:
    service = client.get(f"/api/v1/namespaces/{namespace}/services/media-adapter-nfs", timeout=SECONDS)
    return int(service.json()["spec"]["ports"][0]["targetPort"])


def _measurement(name: str, interval: float, debounce: float) -> Measurement:
    flags = ("--interval", f"{interval:g}s", "--debounce", f"{debounce:g}s")
    return Measurement(
        name,
        f"from a change in `dfs` to its Service under `watch {' '.join(flags)}`",
        _opening(interval, *flags),
        unit="s",
        floor=Floor.CLOCK,
        rounds=Rounds(24, 24),
        checked=False,
        # Where in the interval a change falls is chance: that is no noise but what is measured.
        widest=2.0,
    )


MEASUREMENTS = (_measurement("react", 30.0, 3.0), _measurement("react_fast", 5.0, 1.0))
