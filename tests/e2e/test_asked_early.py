"""Servers are asked while the engine starts, by what the stack's file says, and once all the same."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event, Thread
from threading import enumerate as enumerate_threads
from typing import Any

import pytest

from dittoinfra.automation import ProjectStack
from dittoinfra.exitcodes import ExitCode
from dittoinfra.program.early import EarlyInquiry
from dittoinfra.simulator import SimulatedDittoFS
from dittoinfra.simulator.answers import Answer
from tests.e2e.world import PASSWORD_ENV, STACK, World, server

BOTH = {"media-adapter-nfs", "media-adapter-smb"}


def questions(dittofs: SimulatedDittoFS) -> list[str]:
    return [request.path for request in dittofs.requests]


ONE_POLL = ["/api/v1/auth/login", "/api/v1/adapters/ports"]


def test_a_server_has_answered_before_the_engine_asks_for_the_program(
    world: World, dittofs: SimulatedDittoFS, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given an engine that is only let at the program when the server has answered
    answered = Event()
    heard: list[bool] = []
    respond = dittofs.respond

    def noted(method: str, path: str, authorization: str | None, body: bytes) -> Answer | None:
        answer = respond(method, path, authorization, body)
        if path == ONE_POLL[-1]:
            answered.set()
        return answer

    program = ProjectStack._program

    def after_the_answer(stack: ProjectStack) -> None:
        heard.append(answered.wait(30))
        program(stack)

    monkeypatch.setattr(dittofs, "respond", noted)
    monkeypatch.setattr(ProjectStack, "_program", after_the_answer)
    world.configure(server(dittofs))

    # when the stack is updated
    world.up()

    # then it was asked without the engine, once, and what it said is what is declared
    assert heard == [True]
    assert questions(dittofs) == ONE_POLL
    assert set(world.services()) == BOTH


def test_a_password_that_only_the_engine_can_read_is_waited_for(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(_by_configured_password(dittofs))
    world.stack.set_config("dittoinfra:passwords.media", world.password, secret=True, path=True)

    world.up()

    assert questions(dittofs) == ONE_POLL
    assert set(world.services()) == BOTH


def test_what_the_engine_says_is_asked_where_the_file_says_something_else(
    world: World, dittofs: SimulatedDittoFS, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a file that is rewritten between our look at it and the engine's
    with SimulatedDittoFS(admin_password=world.password) as outdated:
        outdated.set_adapter("ftp", port=21)
        world.configure(server(outdated))
        begin = EarlyInquiry.begin

        def then_rewritten(root: Path, stack: str, environ: Mapping[str, str]) -> EarlyInquiry:
            early = begin(root, stack, environ)
            world.configure(server(dittofs))
            rewritten.set()
            return early

        rewritten = Event()
        monkeypatch.setattr(EarlyInquiry, "begin", then_rewritten)
        run: Callable[..., object] = world.stack.command.run

        def after_the_rewriting(*args: object, **kwargs: object) -> object:
            assert rewritten.wait(30)
            return run(*args, **kwargs)

        monkeypatch.setattr(world.stack.command, "run", after_the_rewriting)

        # when the stack is updated
        world.up()

    # then nothing of what the wrong one said is declared
    assert questions(dittofs) == ONE_POLL
    assert set(world.services()) == BOTH


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("config: [", id="no YAML"),
        pytest.param("[]", id="no stack file"),
        pytest.param("config: 7", id="no configuration"),
        pytest.param("config: {}", id="nobody named"),
        pytest.param("config: {'dittoinfra:servers': 7}", id="no servers"),
        pytest.param("config: {'dittoinfra:servers': [%s, {name: other}]}", id="one without an API"),
        pytest.param("config: {'dittoinfra:servers': [%s, %s]}", id="one named twice"),
        pytest.param(
            "config: {'dittoinfra:servers': [%s], 'dittoinfra:serversFrom': [{}]}", id="others in the cluster"
        ),
        pytest.param("config: {'dittoinfra:servers': {secure: AAAA}}", id="encrypted"),
    ],
)
def test_nobody_is_asked_where_anything_is_in_doubt(
    world: World, dittofs: SimulatedDittoFS, written: str
) -> None:
    file = world.root / "stacks" / f"Pulumi.{STACK}.yaml"
    file.write_text(written.replace("%s", json.dumps(server(dittofs))))

    assert EarlyInquiry.begin(world.root, STACK, world.stack.environment).polling is None


def test_polls_that_nobody_wants_any_more_end_with_the_operation(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    # given a stack that the backend does not know, so that its program is never run
    world.configure(server(dittofs, api={"deadline": "60s", "requestTimeout": "60s"}))
    world.stack.create = False
    dittofs.delay(60)
    before = polling()

    # when it is previewed
    report = world.stack.preview()

    # then that fails as ever, and nobody is left waiting for the server
    assert report.exit_code == ExitCode.NO_SUCH_STACK
    assert polling() <= before


def polling() -> set[Thread]:
    return {thread for thread in enumerate_threads() if thread.name == "dittofs-polling"}


def _by_configured_password(dittofs: SimulatedDittoFS) -> dict[str, Any]:
    block = server(dittofs)
    assert block["api"].pop("passwordEnv") == PASSWORD_ENV
    return block
