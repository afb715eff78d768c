"""`dittoinfra watch` as a person, or Kubernetes, starts and stops it, on the real engine."""

import json
import signal
import threading
from pathlib import Path

import httpx
import pytest
from pulumi.automation import PulumiCommand

from lab.bed.process import free_ports
from tests.engine.cli.fleet_bed import Fleet, fleet
from tests.engine.watch.command import FAST, Watching


def runs(project: Fleet, stack: str) -> int:
    """How often the engine has run a stack, by the backend's own history."""
    history = project.root / "state" / ".pulumi" / "history" / "dittoinfra" / stack
    return len(list(history.glob("*.history.json")))


def test_several_stacks_each_run_when_its_own_server_changed(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    [port] = free_ports(1)
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stacks("one", "two")
        with Watching(project, "--all", "--listen", f"127.0.0.1:{port}") as watching:
            watching.until_said("updated", 2)
            project.server("one").set_adapter("smb", port=12445)
            watching.until(lambda: "media-adapter-smb" in project.services("one"))
            watching.until_said("updated", 2, "one")

            project.server("two").outage()
            watching.until_said("silent", stack="two")
            project.server("two").normal()
            watching.until_said("answering", stack="two")

            health = httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False)
            assert (health.status_code, health.text) == (200, "ok\n")
            shown = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
            assert 'dittoinfra_watch_updates_total{result="changed",stack="one"} 2.0' in shown

            watching.signal(signal.SIGTERM)
            assert watching.wait() == 0

        assert watching.said("changed") == ["media/smb is new on port 12445"]
        assert (runs(project, "one"), runs(project, "two")) == (2, 1)
        assert watching.events[-1]["text"] == "stopped"
        assert watching.stderr == ""
        assert project.server("one").admin_password not in json.dumps(watching.events)


def test_a_stop_in_the_middle_of_an_update_leaves_a_stack_that_the_next_run_finishes(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    reached, go_on, blocking = threading.Event(), threading.Event(), threading.Event()

    def hold(operation: str, urn: str) -> str | None:
        if operation == "create" and blocking.is_set():
            reached.set()
            go_on.wait(60)
        return None

    with fleet(tmp_path, pulumi_cli, fail_on=hold) as project:
        project.add_stack("prod")
        with Watching(project, "prod") as watching:
            watching.until_said("updated")
            blocking.set()
            project.server("prod").set_adapter("smb", port=12445)
            assert reached.wait(60)
            watching.signal(signal.SIGTERM)
            watching.until_said("stopping")
            # A person who is in a hurry presses Ctrl-C as well: nothing more happens.
            watching.signal(signal.SIGINT)
            blocking.clear()
            go_on.set()
            assert watching.wait() == 0

        assert watching.said("stopping", "prod") == [
            "was interrupted in the middle of a run; the next one finishes it"
        ]
        assert watching.stderr == ""
        locks = project.root / "state" / ".pulumi" / "locks"
        assert [path for path in locks.rglob("*") if path.is_file()] == []

        with Watching(project, "prod") as again:
            again.until_said("updated")
        assert set(project.services("prod")) == {"media-adapter-nfs", "media-adapter-smb"}


def test_a_stop_while_servers_are_slow_does_not_wait_for_them(
    pulumi_cli: PulumiCommand, tmp_path: Path
) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stack(
            "prod", project.block("prod") | {"api": project.block("prod")["api"] | {"deadline": "10m"}}
        )
        server = project.server("prod")
        server.outage()
        with Watching(project, "prod") as watching:
            watching.until(lambda: len(server.requests) > 2)
            watching.signal(signal.SIGINT)
            assert watching.wait() == 0
        assert watching.stderr == ""


def test_a_lock_of_another_run_is_waited_for(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stack("prod")
        lock = tmp_path / "state" / ".pulumi" / "locks" / "organization" / "dittoinfra" / "prod" / "x.json"
        with Watching(project, "prod") as watching:
            watching.until_said("updated")
            lock.parent.mkdir(parents=True, exist_ok=True)
            lock.write_text(
                '{"pid": 1, "username": "a", "hostname": "b", "timestamp": "2026-01-01T00:00:00Z"}'
            )
            project.server("prod").set_adapter("smb", port=12445)
            watching.until_said("waiting")
            lock.unlink()
            watching.until_said("updated", 2)

        assert watching.said("waiting") == ["is locked by another run: waiting for its end"]
        assert "media-adapter-smb" in project.services("prod")


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["prod", "--all"], 2, "error: --all and names of stacks contradict each other"),
        (["prdo"], 6, "error: there is no stack 'prdo'; did you mean 'prod'?"),
        (["--interval", "0"], 2, "error: --interval must be longer than 0"),
        (
            ["prod", "--listen", "here"],
            2,
            "error: 'here' is no address to listen on; give it as 127.0.0.1:9402, or '' for none",
        ),
    ],
)
def test_a_wrong_word_is_one_line(
    pulumi_cli: PulumiCommand, tmp_path: Path, arguments: list[str], code: int, line: str
) -> None:
    with fleet(tmp_path, pulumi_cli) as project:
        project.config_file("prod").write_text("config: {}\n")
        done = project.run("watch", *FAST[:-2], *arguments)

    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"{line}\n")
