"""`dittoinfra init` as a person types it, on the simulated server and on the real one."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from pulumi.automation import PulumiCommand
from pydantic import SecretStr

from dittoinfra.dittofs import ApiAccess, Login
from dittoinfra.dittofs.api_access import PasswordSource
from dittoinfra.dittofs.examine import examine
from dittoinfra.kubernetes import connect
from dittoinfra.kubernetes.objects import read_object
from lab.bed.cluster import KubernetesCluster
from lab.bed.credentials import credential, noted
from lab.bed.dfs import RealDittoFS
from lab.simulator import SimulatedDittoFS
from lab.standin import StandInProvider
from tests.engine.cli.fleet_bed import PASSPHRASE, TIMEOUT, Fleet
from tests.engine.cli.terminal import Terminal

pytestmark = pytest.mark.long

ADMIN = "DITTOFS_ADMIN_PASSWORD"


@pytest.fixture
def dittofs() -> Iterator[SimulatedDittoFS]:
    """A server with nfs and smb, and no user but its administrator."""
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
                "username": "dittoinfra-prod",
                "state": "created",
                "text": "user dittoinfra-prod (created) can log in and sees 2 adapters",
            }
        ]
        assert told["secrets"] == ["dittoinfra:passwords.media"]
        made = fleet.stack("prod")
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
    assert "media: user dittoinfra-prod can log in and sees 2 adapters\n" in again.stdout


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
    values = fleet.stack("prod").configuration().values
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
        prod = fleet.stack("prod")
        secrets = json.loads(prod.configuration().values["dittoinfra:serverSecrets"])["media"]
        for key, secret in secrets.items():
            noted(secret, f"{key} made by init")
        with RealDittoFS(dfs_binary, tmp_path / "dfs", admin_password=secrets["adminPassword"]) as dfs:
            cluster.forward(namespace, "media-0", 8080, dfs.port)
            stdout, stderr = process.communicate(timeout=TIMEOUT)

            assert process.returncode == 0, stderr
            assert "media: made the user dittoinfra-prod, who may read its adapters' ports" in stderr
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
        "error: stack prod is made, but 1 server cannot be asked yet: fix that, and run "
        "`dittoinfra init prod` again to go on"
    )
    assert "refused user 'admin' with the password from the administrator's login" in wrong.stderr
    assert guess not in wrong.stderr + wrong.stdout + everything_written(fleet)

    right = fleet.run("init", "prod", "--admin-password-stdin", given=f"{dittofs.admin_password}\n")

    assert right.returncode == 0, right.stderr
    assert "media: user dittoinfra-prod (created) can log in and sees 2 adapters\n" in right.stdout

    dittofs.stop()
    away = fleet.run("init", "prod")

    assert away.returncode == 1
    assert "the connection was refused" in away.stderr


def test_a_user_that_is_there_keeps_its_password_unless_told(fleet: Fleet, dittofs: SimulatedDittoFS) -> None:
    first = credential("before")
    dittofs.add_user("dittoinfra-prod", first)
    given = {ADMIN: dittofs.admin_password}

    kept = fleet.run(*existing(dittofs.url), environment=given)

    assert kept.returncode == 3
    assert (
        "user dittoinfra-prod exists already with another password; name another user in api.username, or "
        "pass --reset-password to replace its password, which locks out everything that uses the old one\n"
    ) in kept.stderr
    before = Login("dittoinfra-prod", SecretStr(first), PasswordSource("it", "mend it"))
    access = ApiAccess(dittofs.url, before)
    assert examine(access).role == "user"

    changed = fleet.run("init", "prod", "--reset-password", environment=given)

    assert changed.returncode == 0, changed.stderr
    assert "media: user dittoinfra-prod (password set) can log in" in changed.stdout


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


def test_a_known_password_is_stored_and_no_user_is_made(fleet: Fleet, dittofs: SimulatedDittoFS) -> None:
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
    assert "media: user reader can log in and sees 2 adapters\n" in done.stdout
    assert password not in everything_written(fleet)


def test_without_a_terminal_every_gap_is_named_at_once(fleet: Fleet) -> None:
    nothing = fleet.run("init")
    some = fleet.run("init", "prod", "--server", "media=http://127.0.0.1:1", "--namespace", "files")

    assert (nothing.returncode, some.returncode) == (2, 2)
    assert nothing.stderr == (
        "error: not running in a terminal, so these must be given as flags: the stack's name (STACK); "
        "--namespace; --server NAME=URL or --deploy NAME\n"
    )
    assert some.stderr.endswith(
        "given as flags: an administrator's password (DITTOFS_ADMIN_PASSWORD or --admin-password-stdin), "
        "or --existing-user\n"
    )
    assert not fleet.config_file("prod").exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["../prod"], "stack name '../prod' must be letters"),
        (["prod", "-n", "Files"], "namespace 'Files' must be lower-case letters"),
        (["prod", "--deploy", "1st"], "server name '1st' must start with a letter"),
        (["prod", "--server", "media="], "address '' must be an address such as"),
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


def test_without_a_passphrase_nothing_is_asked(fleet: Fleet) -> None:
    unset = Terminal(fleet, "init", PULUMI_CONFIG_PASSPHRASE=None)
    code, shown = unset.end()

    assert code == 3
    [line] = shown.strip().splitlines()
    assert (
        "encrypts its secrets with a passphrase, and none is set: set PULUMI_CONFIG_PASSPHRASE_FILE" in line
    )

    missing = str(fleet.root / "no" / "file")
    flags = ("init", "prod", "-n", "files", "--deploy", "media")
    file = {"PULUMI_CONFIG_PASSPHRASE_FILE": missing}
    done = fleet.run(*flags, environment=file, without=("PULUMI_CONFIG_PASSPHRASE",))

    assert done.returncode == 3
    assert done.stderr.startswith(
        f"error: PULUMI_CONFIG_PASSPHRASE_FILE: {missing} cannot be read: No such file or directory; write a "
    )
    assert list((fleet.root / "stacks").iterdir()) == []


def test_a_name_that_the_backend_knows_with_resources_is_refused_when_it_is_typed(
    fleet: Fleet,
) -> None:
    fleet.add_stack("prod")
    assert fleet.stack("prod").up().ok
    lost = fleet.config_file("prod")
    lost.unlink()

    terminal = Terminal(fleet, "init", KUBECONFIG=str(fleet.root / "none"))
    terminal.type_after("stack:", "prod\n")
    terminal.type_after("stack prod of project dittoinfra already holds", "")
    terminal.type_after("stack:", "test\n")
    terminal.type_after("namespace:", "\x03")
    assert terminal.end()[0] == 8
    assert not lost.exists()


def test_everything_that_is_wrong_with_the_flags_is_told_at_once(fleet: Fleet) -> None:
    wrong = (
        "-n",
        "Files",
        "--server",
        "1st=http://a",
        "--deploy",
        "m",
        "--deploy",
        "m",
        "--service-type",
        "X",
    )

    done = fleet.run("init", "../prod", *wrong)

    assert done.returncode == 2
    told = [line.removeprefix("error: ").split(" must ")[0] for line in done.stderr.splitlines()]
    assert told[:4] == ["stack name '../prod'", "namespace 'Files'", "service type 'X'", "server name '1st'"]
    assert told[4] == "server m is named twice; names are unique"
    assert "not running in a terminal, so these must be given as flags: an administrator's" in done.stderr


def test_a_file_that_cannot_be_written_is_named_and_none_is_left_for_the_next_run(fleet: Fleet) -> None:
    flags = ("init", "prod", "-n", "files", "--deploy", "media")
    schema = fleet.root / "stacks" / "stack.schema.json"
    schema.mkdir()

    refused = fleet.run(*flags)

    assert refused.returncode == 1
    assert refused.stderr == (
        f"error: {schema} cannot be written: Is a directory; fix that, and run `dittoinfra init` again\n"
    )
    assert list((fleet.root / "stacks").iterdir()) == [schema]

    schema.rmdir()
    done = fleet.run(*flags)
    assert done.returncode == 0, done.stderr


def test_a_second_stack_on_one_server_leaves_the_first_one_its_login(
    fleet: Fleet, dittofs: SimulatedDittoFS
) -> None:
    given = {ADMIN: dittofs.admin_password}
    first = fleet.run(*existing(dittofs.url), environment=given)
    second = fleet.run("init", "test", "-n", "t", "--server", f"media={dittofs.url}", environment=given)
    again = fleet.run("init", "prod")

    assert (first.returncode, second.returncode, again.returncode) == (0, 0, 0), second.stderr + again.stderr
    assert "user dittoinfra-test (created)" in second.stdout
    assert "user dittoinfra-prod can log in" in again.stdout


def test_in_a_terminal_each_answer_is_checked_and_passwords_are_not_shown(
    fleet: Fleet, dittofs: SimulatedDittoFS
) -> None:
    guess = credential("guess")
    terminal = Terminal(fleet, "init", KUBECONFIG=str(fleet.root / "none"))
    terminal.type_after("stack:", "Pr od\n")
    terminal.type_after("stack name 'Pr od' must be letters", "")
    terminal.type_after("stack:", "prod\n")
    terminal.type_after("namespace:", "<\n")
    terminal.type_after("stack [prod]:", "\n")
    terminal.type_after("namespace:", "files\n")
    terminal.type_after("server [address]:", "\n")
    terminal.type_after("its name:", "media\n")
    terminal.type_after("(https://…):", "http://127.0.0.1:9\n")
    terminal.type_after("media does not answer: http://127.0.0.1:9/health: the connection was refused", "")
    terminal.type_after("use it all the same? [y/N]:", "\n")
    terminal.type_after("(https://…):", f"{dittofs.url}\n")
    terminal.type_after("another server? (yes, no) [no]:", "\n")
    terminal.type_after("Service type [LoadBalancer]:", "3\n")
    terminal.type_after("DittoFS user of this stack [dittoinfra-prod]:", "\n")
    terminal.type_after("login [make]:", "\n")
    terminal.type_after("administrator of media [admin]:", "\n")
    terminal.type_after("password of admin:", f"{guess}\n", hidden=True)
    terminal.type_after("refused user 'admin'", "")
    terminal.type_after("password of admin:", f"{dittofs.admin_password}\n", hidden=True)
    terminal.type_after("Services ClusterIP", "")
    terminal.type_after("write it? (yes, no) [yes]:", "\n")
    code, shown = terminal.end()

    assert code == 0, shown
    assert "user dittoinfra-prod (created) can log in and sees 2 adapters" in shown
    assert "stack prod is ready" in shown
    assert dittofs.admin_password not in shown
    assert guess not in everything_written(fleet)


def test_what_was_answered_before_an_interrupt_is_gone_on_with(
    fleet: Fleet, dittofs: SimulatedDittoFS
) -> None:
    first = Terminal(fleet, "init", "prod", "-n", "files", KUBECONFIG=str(fleet.root / "none"))
    first.type_after("server [address]:", "\n")
    first.type_after("its name:", "media\n")
    first.type_after("(https://…):", f"{dittofs.url}\n")
    first.type_after("another server?", "\x03")
    code, shown = first.end()
    assert code == 8, shown
    assert "your answers are saved; run `dittoinfra init` to resume" in " ".join(shown.split())
    assert not fleet.config_file("prod").exists()

    second = Terminal(fleet, "init", KUBECONFIG=str(fleet.root / "none"))
    second.type_after("Unfinished setup of stack prod in namespace files found. Resume it? [Y/n]:", "\n")
    second.type_after("another server? (yes, no) [no]:", "\n")
    second.type_after("Service type [LoadBalancer]:", "\n")
    second.type_after("DittoFS user of this stack [dittoinfra-prod]:", "\n")
    second.type_after("login [make]:", "\n")
    second.type_after("administrator of media [admin]:", "\n")
    second.type_after("password of admin:", f"{dittofs.admin_password}\n", hidden=True)
    second.type_after("write it? (yes, no) [yes]:", "\n")
    code, shown = second.end()

    assert code == 0, shown
    assert "stack prod is ready" in shown
    kept = {path.name for path in (fleet.root / "stacks").iterdir()}
    assert kept == {"Pulumi.prod.yaml", "stack.schema.json"}, "the draft is gone"


def test_a_wrong_password_is_asked_for_again_where_a_stack_is_gone_on_with(
    fleet: Fleet, dittofs: SimulatedDittoFS
) -> None:
    wrong = fleet.run(*existing(dittofs.url), environment={ADMIN: credential("guess")})
    assert wrong.returncode == 3

    terminal = Terminal(fleet, "init", "prod")
    terminal.type_after("administrator [admin]:", "\n")
    terminal.type_after("password (empty: give up):", f"{credential('second guess')}\n", hidden=True)
    terminal.type_after("refused user 'admin'", "")
    terminal.type_after("administrator [admin]:", "\n")
    terminal.type_after("password (empty: give up):", f"{dittofs.admin_password}\n", hidden=True)
    code, shown = terminal.end()

    assert code == 0, shown
    assert "user dittoinfra-prod (created) can log in" in shown


def test_what_a_cluster_has_is_offered_and_its_servers_are_asked_through_it(
    fleet: Fleet, kubernetes_cluster: KubernetesCluster, dittofs: SimulatedDittoFS
) -> None:
    cluster, namespace = kubernetes_cluster, kubernetes_cluster.namespace()
    cluster.run_server(namespace, "media")
    with connect(str(cluster.kubeconfig), None) as api:
        cluster.forward(namespace, "media-0", 8080, int(dittofs.url.rpartition(":")[2]))

        terminal = Terminal(fleet, "init", "prod", KUBECONFIG=str(cluster.kubeconfig))
        terminal.type_after("the current one", "")
        terminal.type_after("context [", "\n")
        terminal.type_after(f"{namespace} has DittoFS: media", "")
        terminal.type_after("namespace", f"{namespace}\n")
        terminal.type_after("media found in the namespace", "")
        terminal.type_after("server [media]:", "\n")
        terminal.type_after("another server?", "\n")
        terminal.type_after("Service type [LoadBalancer]:", "\n")
        terminal.type_after("DittoFS user of this stack [dittoinfra-prod]:", "\n")
        terminal.type_after("login [make]:", "\n")
        terminal.type_after("administrator of media [admin]:", "\n")
        terminal.type_after("password of admin:", f"{dittofs.admin_password}\n", hidden=True)
        terminal.type_after("media: asked through the cluster", "")
        terminal.type_after("write it? (yes, no) [yes]:", "\n")
        code, shown = terminal.end()

        assert code == 0, shown
        assert "user dittoinfra-prod (created) can log in and sees 2 adapters" in shown
        config = yaml.safe_load(fleet.config_file("prod").read_text())["config"]
        assert config["dittoinfra:servers"] == [{"name": "media", "api": {"portForward": {}}}]

        fresh = f"{namespace}-new"
        flags = ("-n", fresh, "--create-namespace", "--server", f"media={dittofs.url}")
        given = {ADMIN: dittofs.admin_password, "KUBECONFIG": str(cluster.kubeconfig)}
        made = fleet.run("init", "test", *flags, environment=given)

        assert made.returncode == 0, made.stderr
        assert f"namespace {fresh}: made\n" in made.stderr
        assert read_object(api, "v1", "Namespace", "", fresh) is not None
