"""The first hour, typed into a real terminal and read from its screen, from the README's six lines on."""

import json
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from dittoinfra.stacks.project_stack import ProjectStack
from lab.bed.cluster import KubernetesCluster
from lab.bed.credential_files import holds_credentials
from lab.bed.credentials import noted
from lab.bed.dfs import RealDittoFS
from lab.bed.process import free_ports
from lab.bed.timings import TIMINGS, timing_lines
from lab.bed.tmux import Terminal
from lab.simulator.versions import V0_31
from lab.standin import ApiStore, StandInProvider
from tests import ROOT
from tests.dittofs_kinds import DfsBinaries
from tests.repository.documents.pages import blocks
from tests.repository.project.installed_package import DEPENDENCIES

pytestmark = pytest.mark.long

ADDRESSES = {"nfs": "203.0.113.7", "smb": "203.0.113.8"}
PROMPT = r"[\#:$?] $ "
"""The number of the command that is typed next, and how the one before has ended."""


@dataclass(frozen=True)
class Answer:
    """The input for a question on the screen."""

    question: str
    keys: str = ""
    """Nothing but Enter, unless told."""
    hidden: bool = False


@dataclass
class Shell:
    """A shell in the terminal, and how long each step took."""

    terminal: Terminal
    steps: list[tuple[str, float]] = field(default_factory=list)

    def run(self, step: str, command: str, *answers: Answer) -> str:
        """Type a command and its answers; what it shows until the next prompt. It must end well."""
        number = len(self.steps) + 1
        self._wait_for(rf"\[{number}:\d+\] \$\s*\Z", "prompt")
        begun = time.monotonic()
        self.terminal.type(f"{command}\n")
        line = rf"\[{number}:\d+\] \$ {re.escape(command)}"
        for count, answer in enumerate(answers, 1):
            asked = ".*?".join(re.escape(each.question) for each in answers[:count])
            self._wait_for(f"{line}.*?{asked}", f"question {answer.question!r}")
            self.terminal.type(f"{answer.keys}\n", hidden=answer.hidden)
        shown = self._wait_for(rf"{line}(.*)\[{number + 1}:(\d+)\] \$\s*\Z", f"end of `{command}`")
        self.steps.append((step, time.monotonic() - begun))
        assert shown[2] == "0", shown[0]
        return shown[1]

    def _wait_for(self, pattern: str, what: str) -> re.Match[str]:
        found: list[re.Match[str]] = []

        def holds() -> bool:
            found.extend(re.finditer(pattern, self.terminal.everything(), re.DOTALL))
            return bool(found)

        self.terminal.wait_until(holds, what)
        return found[0]


@pytest.fixture
def namespace(kubernetes_cluster: KubernetesCluster) -> str:
    """One with a deployed server in it."""
    name = kubernetes_cluster.namespace()
    kubernetes_cluster.run_server(name, "media")
    return name


@pytest.fixture
def server(
    dfs_binaries: DfsBinaries, kubernetes_cluster: KubernetesCluster, namespace: str, tmp_path: Path
) -> Iterator[RealDittoFS]:
    """The real program behind that server's Pod."""
    with RealDittoFS(dfs_binaries(V0_31), tmp_path / "dfs", version=V0_31) as real:
        kubernetes_cluster.forward(namespace, "media-0", 8080, real.port)
        yield real


@pytest.fixture
def environment(
    pulumi_cli: PulumiCommand, kubernetes_cluster: KubernetesCluster, tmp_path: Path
) -> Iterator[dict[str, str]]:
    """What a person has before the first line: Python, the pulumi CLI and a kubeconfig."""
    home, programs = tmp_path / "home", tmp_path / "programs"
    for folder in (home, programs):
        folder.mkdir()
    holds_credentials(home / ".passphrase", "what the person keeps it in")
    # The interpreter itself, and not the environment of the tests, which has this repository in it.
    (programs / "python3").symlink_to(Path(sys.executable).resolve())
    inherited = {name: os.environ[name] for name in ("GOGC", "GOMEMLIMIT", "TMPDIR") if name in os.environ}
    path = (str(programs), str(Path(pulumi_cli.command).parent), "/usr/local/bin", "/usr/bin", "/bin")
    with (
        connect(str(kubernetes_cluster.kubeconfig), None) as api,
        StandInProvider(ApiStore(api)) as provider,
    ):
        yield {
            **inherited,
            "PATH": os.pathsep.join(path),
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PS1": PROMPT,
            "VIRTUAL_ENV_DISABLE_PROMPT": "1",
            "KUBECONFIG": str(kubernetes_cluster.kubeconfig),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            # No test reaches a package index.
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            # pip reads this switch the other way round: the build's own packages are lent, too.
            "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            **provider.environment(),
        }


@pytest.fixture
def shell(environment: dict[str, str]) -> Iterator[Shell]:
    command = ["bash", "--noprofile", "--norc"]
    with Terminal(command, Path(environment["HOME"]), environment, columns=110, rows=40) as terminal:
        yield Shell(terminal)


def test_from_an_empty_folder_to_a_followed_change(
    shell: Shell,
    environment: dict[str, str],
    server: RealDittoFS,
    kubernetes_cluster: KubernetesCluster,
    namespace: str,
    pulumi_cli: PulumiCommand,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    home = Path(environment["HOME"])
    project = home / "file-servers"
    (home / "dittoinfra").symlink_to(ROOT)
    [lines] = [block for block in blocks(ROOT / "README.md") if "test_tour" in block.note]
    new_folder, install, passphrase, export, init, up = lines.commands

    shell.run("new folder", new_folder)
    [packages] = project.glob(".venv/lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(DEPENDENCIES)
    assert "Successfully installed dittoinfra" in shell.run("install", install)
    shell.run("passphrase", passphrase)
    kept = home / ".passphrase"
    secret = noted(kept.read_text().strip(), "passphrase")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    shell.run("backend", export)

    begun = shell.run(
        "init",
        init,
        Answer("context ["),
        Answer("one that exists or a new one:", namespace),
        Answer("server [media]:"),
        Answer("another server? (yes, no) [no]:"),
        Answer("Service type [LoadBalancer]:"),
        Answer("DittoFS user of this stack [dittoinfra-files]:"),
        Answer("login [make]:"),
        Answer("administrator of media [admin]:"),
        Answer("password of admin:", server.admin_password, hidden=True),
        Answer("write it? (yes, no) [yes]:"),
    )
    # Which namespaces are listed depends on the others that share the cluster; that `media` was offered in
    # its own, above, does not.
    assert "user dittoinfra-files (created) can log in and sees 2 adapters" in begun
    assert begun.rstrip().endswith("dittoinfra up files"), begun

    first = shell.run("first up", up, Answer("Update files?", "yes"))
    for adapter in ("nfs", "smb"):
        assert f"+ Service media/{adapter}: served, not in the stack yet" in first
        assert f"media/{adapter}: no address outside yet; `dittoinfra status files` shows it" in plain(first)
    assert "updated 2 created" in plain(first)

    ports = {adapter: server.port_of(adapter) for adapter in ADDRESSES}
    for adapter, address in ADDRESSES.items():
        kubernetes_cluster.give_address(namespace, f"media-adapter-{adapter}", address)
    served = shell.run("status", "dittoinfra status files")
    assert mount_nfs(ports["nfs"]) in served
    assert f"mount -t cifs -o port={ports['smb']},username=USER //{ADDRESSES['smb']}/SHARE /mnt" in served
    assert "the next run: nothing to change" in plain(served)

    [port] = free_ports(1)
    server.set_port("nfs", port)
    moved = f"moved from port {ports['nfs']} to {port}"
    shown = shell.run("preview", "dittoinfra preview files")
    assert f"~ Service media/nfs: served, {moved}" in shown
    assert f"targetPort: {ports['nfs']} → {port}" in shown
    assert "previewed 1 to update" in plain(shown)

    second = shell.run(
        "second up", "dittoinfra up files --report-html report.html", Answer("Update files?", "yes")
    )
    assert "updated 1 updated" in plain(second)
    assert mount_nfs(port) in second
    report = (project / "report.html").read_text()
    assert moved in report

    served = shell.run("status again", "dittoinfra status files")
    assert mount_nfs(port) in served
    assert re.search(rf"last change, \S+: update Service media/nfs: served, {moved}", plain(served)), served
    told = plain(shell.run("history", "dittoinfra history files"))
    created = "create Service media/nfs served, not in the stack yet"
    assert re.search(rf"update Service media/nfs served, {moved}.*{created}", told), told

    record_property(TIMINGS, timing_lines("the tour", shell.steps))
    of_engine = {
        "PULUMI_BACKEND_URL": home.as_uri(),
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(kept),
    }
    stack = ProjectStack(pulumi_cli, project, "files", {**environment, **of_engine})
    [made] = json.loads(stack.configuration().values["dittoinfra:passwords"]).values()
    # What the scan at the end of the run looks for, and in.
    noted(made, "password made by init")
    screen = shell.terminal.everything()
    (tmp_path / "screen").write_text(screen)
    secrets = {server.admin_password, made, secret}
    assert not [secret for secret in secrets if secret in screen + report]
    # Thousands of files that no test has written, and all that a run leaves is searched for credentials.
    shutil.rmtree(project / ".venv")
    (home / "dittoinfra").unlink()


def mount_nfs(port: int) -> str:
    return f"media/nfs: mount -t nfs -o vers=4.0,port={port} {ADDRESSES['nfs']}:/EXPORT /mnt"


def plain(shown: str) -> str:
    """The same in one line, with single spaces and without the signs of success."""
    return " ".join(shown.replace("✔", " ").split())
