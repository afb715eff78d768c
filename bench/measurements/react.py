"""How long a change of an adapter takes to reach its Service under `watch` as it comes.

The operator asks every 30 s: a change waits for that between nothing and 30 s, 15 s in the median and 28.5 s
at the 95th percentile, before anything else happens.
"""

import itertools
import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import httpx

from bench.bed import Bed, servers
from bench.measurement import Fact, Floor, Measurement, Opening, Pair, Rounds
from bench.measurements.fleet import cost_of
from bench.spread import percentile
from bench.stage import FAST_SETUP, stage
from bench.watching import SECONDS, watching
from lab.bed.credentials import credential
from lab.bed.dfs import RealDittoFS
from lab.bed.keeper import API, Keeper
from lab.bed.process import free_ports
from lab.bed.tools import DFS, DITTOFS_TOOL
from lab.gotools import Silent, build

SERVERS = 20
CHANGES = 30
SETTLING = 30.0
READER = "reader"
PAUSE = 1.5
"""Changes come at any moment, one after the other: the longest time between two of them."""


@contextmanager
def _real(bed: Bed) -> Iterator[Pair]:
    """Every part real but the provider: servers with a stack each, and their ports in the Kubernetes API."""
    binary = DITTOFS_TOOL.binary(build(DITTOFS_TOOL, Silent()), DFS)
    password = credential("bench-reader")
    with ExitStack() as life:
        api = life.enter_context(Keeper()).part(API)
        project = life.enter_context(stage(bed, "react", kubeconfig=api.kubeconfig))
        served = {}
        for number in range(SERVERS):
            dfs = life.enter_context(RealDittoFS(binary, project.root / f"dfs-{number}"))
            dfs.create_user(READER, password, "user")
            namespace = api.namespace()
            served[namespace] = dfs
            server = {
                "name": "media",
                "namespace": namespace,
                "api": {"url": dfs.url, "username": READER},
            }
            project.write(namespace, {"dittoinfra:servers": [server]})
            project.set_password(namespace, password)
        watch = life.enter_context(watching(project, list(served)))
        client = life.enter_context(api.client())
        turns = itertools.cycle(served)

        def change() -> None:
            namespace = next(turns)
            [port] = free_ports(1)
            served[namespace].set_port("nfs", port)
            changed.append(time.monotonic())
            watch.until("the Service's new port", lambda: _port(client, namespace) == port)

        changed: list[float] = []
        yield _pair(change, changed, 5.0)


def _simulated(stacks: int, servers_each: int) -> Opening:
    """Many servers with an adapter, of which one after the other gets a second one."""

    @contextmanager
    def opening(bed: Bed) -> Iterator[Pair]:
        count = stacks * servers_each
        with (
            servers(bed, count, 0.02, types=1) as asked,
            stage(bed, f"react-{count}") as project,
        ):
            names = [f"react-{number:02}" for number in range(stacks)]
            project.configure_many(names, asked)
            cost_of(project, "up", "--all", "--yes", "--skip-preview", more=FAST_SETUP)
            with watching(project, names) as watch:
                # By then every server is logged in, and the interval is the one that stays.
                time.sleep(SETTLING)
                turns = itertools.count()

                def change() -> None:
                    # One after the other is of another stack.
                    server, which = divmod(next(turns), stacks)
                    stack = names[which]
                    before = watch.updates(stack)
                    asked.serve(which * servers_each + server, 2)
                    changed.append(time.monotonic())
                    watch.until("the run that follows", lambda: watch.updates(stack) > before)

                changed: list[float] = []
                yield _pair(change, changed, 10.0)

    return opening


def _pair(change: Callable[[], None], changed: list[float], most: float) -> Pair:
    """Samples of changes at any moment; `changed` gets the moment of each."""
    seen: list[float] = []
    dice = random.Random(8)  # noqa: S311 - no secret hangs on it

    def sample() -> float:
        time.sleep(dice.uniform(0, PAUSE))
        change()
        seen.append(time.monotonic() - changed[-1])
        return seen[-1]

    def facts() -> tuple[Fact, ...]:
        return (
            Fact("95 of 100 within", percentile(seen, 0.95), "s", most),
            Fact("the longest", max(seen), "s"),
        )

    return Pair(sample, None, facts)


def _port(client: httpx.Client, namespace: str) -> int:
    service = client.get(f"/api/v1/namespaces/{namespace}/services/media-adapter-nfs", timeout=SECONDS)
    return int(service.json()["spec"]["ports"][0]["targetPort"])


def _measurement(name: str, what: str, opening: Opening, goal: float) -> Measurement:
    return Measurement(
        name,
        what,
        opening,
        goal=goal,
        unit="s",
        floor=Floor.CLOCK,
        rounds=Rounds(CHANGES, CHANGES),
        checked=False,
        # Where in the interval a change falls is chance: that is no noise but what is measured.
        widest=2.0,
    )


MEASUREMENTS = (
    _measurement("react", "from a change in `dfs` to its Service under `watch` as it comes", _real, 3.0),
    _measurement(
        "react_1000",
        "from a second adapter of one of 1,000 simulated servers in 10 stacks to the end of its run",
        _simulated(10, 100),
        10.0,
    ),
)
