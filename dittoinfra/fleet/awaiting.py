"""Waiting for servers that an update has just deployed, until they say which adapters they serve."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

from dittoinfra.automation import Processes
from dittoinfra.fleet.newcomers import first_administrator, make_reader
from dittoinfra.fleet.overheard import Asked, StoppableAsking
from dittoinfra.model import Answered, Denied, Outcome, StackDecision, Unreachable
from dittoinfra.program import Answers, LiveInquiry
from dittoinfra.program.surroundings import renders_manifests
from dittoinfra.settings import ServerSettings

_PAUSES = (1.0, 2.0, 3.0, 5.0)
"""Seconds between two polls; the last one goes on. A server that starts takes seconds, not milliseconds."""


def just_deployed(asked: Asked, decision: StackDecision, live: LiveInquiry) -> tuple[ServerSettings, ...]:
    """Servers that the stack itself deploys, that nobody has heard of yet, and that can be asked at all."""
    new = [
        server
        for server in asked.servers
        if server.deploy is not None
        and decision.servers[server.name].bootstrap
        # Whoever refuses us is there already, and waiting teaches it nothing; its administrator could.
        and (
            not isinstance(decision.servers[server.name].outcome, Denied)
            or first_administrator(asked.stack.server_secrets.get(server.name)) is not None
        )
    ]
    if not new or asked.context.copy().run(renders_manifests):
        return ()
    ways = asked.context.copy().run(live.ways, asked.stack, new, asked.found)
    return tuple(server for server in new if server.name in ways)


def await_answers(
    asked: Asked,
    servers: tuple[ServerSettings, ...],
    live: LiveInquiry,
    seconds: float,
    processes: Processes,
    tell: Callable[[str], None],
) -> Mapping[str, Outcome]:
    """The first answer of every server, or its last outcome when the time ran out or it refused us."""
    ends = time.monotonic() + seconds
    heard: dict[str, Outcome] = {}
    attempt = 0
    while True:
        waiting = [s for s in servers if not isinstance(heard.get(s.name), Answered | Denied)]
        left = ends - time.monotonic()
        if not waiting or left <= 0 or processes.interrupted:
            return heard
        for server in waiting:
            if server.name not in heard:
                tell(f"{server.name}: has just been deployed; waiting until it answers")
        heard |= _poll(asked, [_in_time(server, left) for server in waiting], live, processes)
        for server in waiting:
            # A new server knows nobody but its administrator yet.
            if isinstance(heard[server.name], Denied) and make_reader(asked, server, live):
                tell(f"{server.name}: made the user {server.api.username}, who may read its adapters' ports")
                heard[server.name] = Unreachable("its user was made, and the time was over")
        if all(isinstance(heard[s.name], Answered | Denied) for s in waiting):
            return heard
        processes.sleep(min(_PAUSES[min(attempt, len(_PAUSES) - 1)], max(0.0, ends - time.monotonic())))
        attempt += 1


def with_answers(answers: Answers, heard: Mapping[str, Outcome]) -> Answers:
    """The answers of a run, brought up to date."""
    return replace(answers, polls={**answers.polls, **{name: (said,) for name, said in heard.items()}})


def _poll(
    asked: Asked, servers: list[ServerSettings], live: LiveInquiry, processes: Processes
) -> Mapping[str, Outcome]:
    def poll() -> Mapping[str, Outcome]:
        with StoppableAsking(live.ask(asked.stack, servers, asked.found), processes) as asking:
            polls = asking.answers({})
        return {name: outcomes[-1] for name, outcomes in polls.items()}

    return asked.context.copy().run(poll)


def _in_time(server: ServerSettings, left: float) -> ServerSettings:
    deadline = min(server.api.deadline, timedelta(seconds=left))
    return server.model_copy(update={"api": server.api.model_copy(update={"deadline": deadline})})
