"""`dittoinfra init` as a person types it, on the simulated server and on the real one."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from pulumi.automation import PulumiCommand
from pydantic import SecretStr

from dittoinfra.automation import ProjectStack
from dittoinfra.dittofs import ApiAccess, Login, PasswordSource
from dittoinfra.dittofs.checkup import examine
from dittoinfra.simulator import SimulatedDittoFS
from dittoinfra.standin import StandInProvider
from tests.bed.cluster import KubernetesCluster
from tests.bed.credentials import credential, noted
from tests.bed.dfs import RealDittoFS
from tests.cli.fleet_bed import PASSPHRASE, TIMEOUT, Fleet

ADMIN = "DITTOFS_ADMIN_PASSWORD"


@pytest.fixture
def dittofs() -> Iterator[SimulatedDittoFS]:
    """A server with nfs and smb, and nobody but its administrator."""
    with SimulatedDittoFS() as server:
        yield server


@pytest.fixture
def arguments(fleet: Fleet, pulumi_cli: PulumiCommand, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What every start of the CLI was given, in a file: a CLI on PATH that notes it and goes on."""
    folder, noted = fleet.root / "path" / "bin", fleet.root / "arguments"
    folder.mkdir(parents=True)
    wrapper = folder / "pulumi"
    wrapper.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {noted}\nexec {pulumi_cli.command} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return noted


def stack(fleet: Fleet, command: PulumiCommand, name: str = "prod") -> ProjectStack:
    return ProjectStack(command, fleet.root, name, fleet.environment)


def everything_written(fleet: Fleet) -> str:
    """All text of all files in the project, state included."""
    files = (path for path in fleet.root.rglob("*") if path.is_file())
    return "".join(path.read_text(errors="replace") for path in files)


def existing(url: str) -> tuple[str, ...]:
    return ("init", "prod", "--namespace", "files", "--server", f"media={url}")


def test_a_stack_is_made_that_up_runs_with_and_no_secret_shows(
    fleet: Fleet, pulumi_cli: PulumiCommand, dfs_binary: Path, tmp_path: Path, arguments: Path
) -> None:
    with RealDittoFS(dfs_binary, tmp_path / "dfs") as real:
        done = fleet.run(*existing(real.url), "--json", environment={ADMIN: real.admin_password})

        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert told["users"] == [
            {
                "server": "media",
                "username": "dittoinfra",
                "state": "created",
                "text": "user dittoinfra (created) may ask, and sees 2 adapters",
            }
        ]
        assert told["secrets"] == ["dittoinfra:passwords.media"]
        made = stack(fleet, pulumi_cli)
        password = json.loads(made.configuration().values["dittoinfra:passwords"])["media"]
        noted(password, "password made by init")
        assert len(password) >= 40

        report = made.up()

        assert report.ok, report.lines("error")
        assert set(fleet.services("prod")) == {"media-adapter-nfs", "media-adapter-smb"}
        shown = done.stdout + done.stderr + arguments.read_text() + everything_written(fleet)
        assert "config set dittoinfra:passwords.media" in arguments.read_text()
        assert password not in shown
        assert real.admin_password not in shown

        again = fleet.run("init", "prod")

    assert again.returncode == 0, again.stderr
    assert "media: user dittoinfra may ask, and sees 2 adapters\n" in again.stdout


def test_the_file_is_commented_valid_and_never_overwritten(
    fleet: Fleet, pulumi_cli: PulumiCommand, dittofs: SimulatedDittoFS
) -> None:
    flags = ("--context", "yes", "--kubeconfig", "~/.kube/it's", "--service-type", "nodeport")
    given = {ADMIN: dittofs.admin_password}

    done = fleet.run(*existing(dittofs.url), *flags, environment=given)

    assert done.returncode == 0, done.stderr
    file = fleet.config_file("prod")
    written = file.read_text()
    assert "# How adapters are exposed: LoadBalancer, NodePort or ClusterIP." in written
    config = yaml.safe_load(written)["config"]
    assert config["kubernetes:context"] == "yes"
    assert config["kubernetes:kubeconfig"] == "~/.kube/it's"
    assert config["dittoinfra:adapters"] == {"service": {"type": "NodePort"}}
    assert done.stdout.splitlines()[-2:] == ["  dittoinfra preview prod", "  dittoinfra up prod"]

    refused = fleet.run(*existing(dittofs.url), environment=given)

    assert refused.returncode == 2
    assert refused.stderr == (
        "error: stacks/Pulumi.prod.yaml exists already, and is not overwritten: edit it, and drop "
        "--namespace, --server; `dittoinfra init prod` goes on with what is missing\n"
    )
    assert file.read_text() == written


def test_a_server_that_the_stack_deploys_gets_its_user_once_it_is_there(
    fleet: Fleet, pulumi_cli: PulumiCommand
) -> None:
    with SimulatedDittoFS() as unused:
        url = unused.url
    made = fleet.run("init", "prod", "-n", "files", "--deploy", f"media={url}")

    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[-2:] == ["  dittoinfra preview prod", "  dittoinfra up prod"]
    values = stack(fleet, pulumi_cli).configuration().values
    secrets = json.loads(values["dittoinfra:serverSecrets"])["media"]
    noted(secrets["jwt"], "signing key made by init")
    assert len(secrets["jwt"]) >= 32
    file = fleet.config_file("prod")
    assert not [secret for secret in secrets.values() if secret in file.read_text() + made.stderr]

    port = int(url.rpartition(":")[2])
    with SimulatedDittoFS(admin_password=secrets["adminPassword"], port=port):
        later = fleet.run("init", "prod", "--json")

    assert later.returncode == 0, later.stderr
    assert json.loads(later.stdout)["users"][0]["state"] == "created"
    assert json.loads(later.stdout)["secrets"] == []


def test_two_commands_lead_from_nothing_to_a_served_server_inside_the_cluster(
    fleet: Fleet,
    pulumi_cli: PulumiCommand,
    kubernetes_cluster: KubernetesCluster,
    dfs_binary: Path,
    tmp_path: Path,
) -> None:
    cluster, namespace = kubernetes_cluster, kubernetes_cluster.namespace()
    with StandInProvider() as provider:
        fleet.provider = provider
        flags = ("-n", namespace, "--deploy", "media", "--service-type", "ClusterIP")
        made = fleet.run("init", "prod", *flags, "--kubeconfig", str(cluster.kubeconfig))
        assert made.returncode == 0, made.stderr

        process = fleet.start("up", "prod", "--yes")
        cluster.wait_for_pod(namespace, "media-0")
        prod = stack(fleet, pulumi_cli)
        secrets = json.loads(prod.configuration().values["dittoinfra:serverSecrets"])["media"]
        for key, secret in secrets.items():
            noted(secret, f"{key} made by init")
        with RealDittoFS(dfs_binary, tmp_path / "dfs", admin_password=secrets["adminPassword"]) as dfs:
            cluster.forward(namespace, "media-0", 8080, dfs.port)
            stdout, stderr = process.communicate(timeout=TIMEOUT)

            assert process.returncode == 0, stderr
            assert "media: made the user dittoinfra, who may read its adapters' ports" in stderr
            settled = fleet.run("preview", "prod", "--expect-no-changes")
            checked = fleet.run("doctor", "prod")

    assert settled.returncode == 0, settled.stderr
    assert checked.returncode == 0, checked.stdout
    assert "pods/portforward" in checked.stdout
    assert "answers as role user: 2 adapters" in checked.stdout
    said = "".join((made.stdout, made.stderr, stdout, stderr, checked.stdout))
    assert not [secret for secret in secrets.values() if secret in said]


def test_what_went_wrong_half_way_is_told_and_finished_by_another_run(
    fleet: Fleet, dittofs: SimulatedDittoFS
) -> None:
    guess = credential("guess")
    wrong = fleet.run(*existing(dittofs.url), environment={ADMIN: guess})

    assert wrong.returncode == 3
    assert wrong.stderr.splitlines()[-1] == (
        "error: stack prod is made, but 1 server cannot be asked yet: mend that, and run "
        "`dittoinfra init prod` again to go on"
    )
    assert "refused user 'admin' with the password from the administrator's login" in wrong.stderr
    assert guess not in wrong.stderr + wrong.stdout + everything_written(fleet)

    right = fleet.run("init", "prod", "--admin-password-stdin", given=f"{dittofs.admin_password}\n")

    assert right.returncode == 0, right.stderr
    assert "media: user dittoinfra (created) may ask, and sees 2 adapters\n" in right.stdout

    dittofs.stop()
    away = fleet.run("init", "prod")

    assert away.returncode == 1
    assert "the connection was refused" in away.stderr


def test_a_user_that_is_there_keeps_its_password_unless_told(fleet: Fleet, dittofs: SimulatedDittoFS) -> None:
    first = credential("before")
    dittofs.add_user("dittoinfra", first)
    given = {ADMIN: dittofs.admin_password}

    kept = fleet.run(*existing(dittofs.url), environment=given)

    assert kept.returncode == 3
    assert "user dittoinfra exists already with another password; give --reset-password" in kept.stderr
    before = Login("dittoinfra", SecretStr(first), PasswordSource("it", "mend it"))
    access = ApiAccess(dittofs.url, before)
    assert examine(access).role == "user"

    changed = fleet.run("init", "prod", "--reset-password", environment=given)

    assert changed.returncode == 0, changed.stderr
    assert "media: user dittoinfra (password set) may ask" in changed.stdout


def test_an_administrator_is_not_taken_for_the_stacks_user(fleet: Fleet, dittofs: SimulatedDittoFS) -> None:
    done = fleet.run(
        *existing(dittofs.url),
        "--username",
        "admin",
        "--reset-password",
        environment={ADMIN: dittofs.admin_password},
    )

    assert done.returncode == 3
    assert "user admin exists already with the role admin; name another user in api.username" in done.stderr


def test_a_known_password_is_stored_and_nobody_is_made(fleet: Fleet, dittofs: SimulatedDittoFS) -> None:
    password = credential("reader")
    dittofs.add_user("reader", password)

    done = fleet.run(
        *existing(dittofs.url),
        "--username",
        "reader",
        "--existing-user",
        environment={"DITTOFS_PASSWORD": password},
    )

    assert done.returncode == 0, done.stderr
    assert "media: user reader may ask, and sees 2 adapters\n" in done.stdout
    assert password not in everything_written(fleet)


def test_without_a_terminal_every_gap_is_named_at_once(fleet: Fleet) -> None:
    nothing = fleet.run("init")
    some = fleet.run("init", "prod", "--server", "media=http://127.0.0.1:1", "--namespace", "files")

    assert (nothing.returncode, some.returncode) == (2, 2)
    assert nothing.stderr == (
        "error: this is no terminal to ask in, so these are missing: the stack's name (STACK); --namespace; "
        "--server NAME=URL or --deploy NAME\n"
    )
    assert some.stderr.endswith(
        "missing: an administrator's password (DITTOFS_ADMIN_PASSWORD or --admin-password-stdin), "
        "or --existing-user\n"
    )
    assert not fleet.config_file("prod").exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["../prod"], "stack name '../prod' must be letters"),
        (["prod", "-n", "Files"], "namespace 'Files' must be lower-case letters"),
        (["prod", "--deploy", "1st"], "server name '1st' must start with a letter"),
        (["prod", "--server", "media"], "server 'media' must be NAME=URL"),
        (["prod", "--deploy", "media", "--deploy", "media"], "server media is named twice"),
        (["prod", "--server", "media=https://me:pw-1@host"], "address must not carry credentials"),
        (["prod", "--service-type", "Ingress"], "service type 'Ingress' must be one of LoadBalancer"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_before_anything_is_made(
    fleet: Fleet, flags: list[str], said: str
) -> None:
    rest = [] if "-n" in flags else ["-n", "files"]
    servers = [] if {"--server", "--deploy"} & set(flags) else ["--deploy", "media"]

    done = fleet.run("init", *flags, *rest, *servers, environment={ADMIN: credential("unused")})

    assert done.returncode == 2
    assert said in done.stderr
    assert "pw-1" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list((fleet.root / "stacks").iterdir()) == []


def test_a_wrong_passphrase_is_told_and_the_file_is_kept(fleet: Fleet, dittofs: SimulatedDittoFS) -> None:
    fleet.run(*existing(dittofs.url), environment={ADMIN: dittofs.admin_password})

    done = fleet.run("init", "prod", environment={"PULUMI_CONFIG_PASSPHRASE": f"not {PASSPHRASE}"})

    assert done.returncode == 3
    assert "PULUMI_CONFIG_PASSPHRASE is wrong; stacks/Pulumi.prod.yaml is kept" in done.stderr


def test_in_a_terminal_everything_is_asked_and_passwords_are_not_shown(
    fleet: Fleet, dittofs: SimulatedDittoFS
) -> None:
    with typed_into(fleet, "init") as terminal:
        terminal.answer("stack: ", "Pr od")
        terminal.answer("stack: ", "prod")
        terminal.answer("namespace: ", "files")
        terminal.answer("server's name: ", "media")
        terminal.answer("exist already? [Y/n]: ", "")
        terminal.answer("(https://…): ", dittofs.url)
        terminal.answer("another server? [y/N]: ", "")
        terminal.answer("[LoadBalancer]: ", "")
        terminal.answer("(empty: the current one)", "")
        terminal.answer("administrator [admin]: ", "")
        terminal.answer("password: ", dittofs.admin_password)
        shown = terminal.rest()

    assert terminal.code == 0, shown
    assert "stack prod is ready" in shown
    assert dittofs.admin_password not in shown
    assert "stack name 'Pr od' must be letters" in shown


class Terminal:
    """The command in a terminal, and a person who types."""

    def __init__(self, process: "subprocess.Popen[bytes]", handle: int) -> None:
        self._process, self._handle = process, handle
        self._shown = ""
        self._read_to = 0
        self.code = -1

    def answer(self, question: str, text: str) -> None:
        """Wait for a question and type the answer."""
        self._until(lambda: question in self._shown[self._read_to :], question)
        self._read_to = self._shown.index(question, self._read_to) + len(question)
        os.write(self._handle, f"{text}\n".encode())

    def rest(self) -> str:
        """Everything that was on the screen, once the command has ended."""
        self._until(lambda: self._process.poll() is not None, "the end")
        self.code = self._process.wait()
        self._read()
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self._shown)

    def _until(self, holds: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + 120
        while not holds():
            assert time.monotonic() < deadline, f"no {what!r} in {self._shown!r}"
            self._read()

    def _read(self) -> None:
        while select.select([self._handle], [], [], 0.1)[0]:
            try:
                chunk = os.read(self._handle, 4096)
            except OSError:  # how Linux says that the other side has closed
                return
            if not chunk:
                return
            self._shown += chunk.decode(errors="replace")


@contextmanager
def typed_into(fleet: Fleet, *arguments: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    program = "import sys; sys.argv[0] = 'dittoinfra'; from dittoinfra.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=fleet.root,
        env={**fleet.environment, "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
