"""Asks many servers at once which adapters they serve; nothing is remembered, and nothing declared."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Required, TypedDict

import pulumi

from dittoinfra.decide.observations import Polls
from dittoinfra.model import Answered, ServerPolls, last_outcome
from dittoinfra.program.engine_inputs import read_configuration
from dittoinfra.program.observe import RunContext, poll_servers
from dittoinfra.program.run_errors import ConfigurationRefused
from dittoinfra.sdk.input_settings import InputWords
from dittoinfra.sdk.program_components import in_thread
from dittoinfra.sdk.resolved_inputs import resolve
from dittoinfra.sdk.server_inputs import ApiSettings
from dittoinfra.settings import ConfigurationError, Problem, SettingPath
from dittoinfra.settings.configuration import validated


class ServerQuestion(TypedDict, total=False):
    """How one server is asked."""

    api: Required[pulumi.Input[ApiSettings]]
    """How its API is reached."""
    password: pulumi.Input[str]
    """Password of `api.username`."""
    namespace: pulumi.Input[str]
    """Its Kubernetes namespace, where it is reached through the cluster."""


class ServedAdapter(TypedDict):
    """An adapter as its server reports it."""

    port: int
    enabled: bool
    running: bool


class ServerAnswer(TypedDict):
    """What a server said."""

    answered: bool
    """Whether it gave a valid list of adapters."""
    why: str
    """Why it did not; empty where it did."""
    adapters: dict[str, ServedAdapter]
    """Its adapters by type; none of a server that has not answered."""


def ask_servers(servers: Mapping[str, ServerQuestion]) -> pulumi.Output[dict[str, ServerAnswer]]:
    """The answers of servers by name, each asked once, all at the same time.

    A server that does not answer is no error, and an answer is no memory: a program that removes something
    for want of an answer wants an `ExistingServer` instead. Unknown while any input is unknown.
    """
    return pulumi.Output.from_input(_ask(servers))


async def _ask(servers: Mapping[str, ServerQuestion]) -> Any:  # noqa: ANN401 - answers, or the mark for unknown
    inputs = await resolve(servers)
    if inputs.unknown:
        return pulumi.UNKNOWN
    questions = {name: question for name, question in inputs.values.items() if isinstance(question, Mapping)}
    words = InputWords(steps=partial(_steps, [*questions]))
    # Only the provider's part of the configuration counts: where the cluster is.
    configuration = replace(read_configuration(Path.cwd()), input_words=words)
    try:
        settings = validated(
            {
                "servers": [{**_without_password(this), "name": name} for name, this in questions.items()],
                "passwords": {
                    name: this["password"] for name, this in questions.items() if "password" in this
                },
            },
            python_names=True,
            words=words,
        )
        polls: Polls = await in_thread(poll_servers, configuration, settings, RunContext(os.environ))
    except (ConfigurationError, ConfigurationRefused) as error:
        problems = error.problems if isinstance(error, ConfigurationError) else error.reasons
        raise pulumi.RunError("\n".join(str(_placed(this, words)) for this in problems)) from None
    return {name: _answer(outcome) for name, outcome in polls.items()}


def _without_password(question: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in question.items() if key != "password"}


def _answer(polls: ServerPolls) -> ServerAnswer:
    outcome = last_outcome(polls)
    if not isinstance(outcome, Answered):
        return {"answered": False, "why": outcome.why, "adapters": {}}
    adapters: dict[str, ServedAdapter] = {
        this.type: {"port": this.port, "enabled": this.enabled, "running": this.running}
        for this in outcome.adapters
    }
    return {"answered": True, "why": "", "adapters": adapters}


def _steps(names: Sequence[str], path: SettingPath) -> tuple[int | str, ...]:
    """The input that gives a setting, with the name of its server in place of its number."""
    match path.steps:
        case ("servers", int(index), *rest):
            return (names[index], *rest)
        case ("passwords", name, *_):
            return (name, "password")
        case ("passwords",):
            return ("password",)
    return path.steps


def _placed(problem: object, words: InputWords) -> Problem:
    if isinstance(problem, Problem):
        return words.problem(problem, "ask_servers")
    return Problem(SettingPath(("servers",)), str(problem), "ask_servers")
