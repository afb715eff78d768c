"""A project on a file backend, with the stand-in provider in a process of its own, for both contestants."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import yaml

from bench.bed import ROOT, Bed, BenchError, Servers, process, run
from bench.parts import PROVIDER

FAST_SETUP = {"PULUMI_SKIP_CHECKPOINTS": "true", "PULUMI_EXPERIMENTAL": "true"}
"""For updates that are not measured: the state is written once, at the end."""

COMMAND = "import sys; sys.argv[0] = 'dittoinfra'; from dittoinfra.cli import main; main()"
"""`dittoinfra` itself, for `python -c`."""

ALL_OF_THEM = slice(None)
AS_IT_IS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Stage:
    """A project folder, and how programs are run in it."""

    bed: Bed
    root: Path
    environment: Mapping[str, str]

    def configure(
        self, stack: str, servers: Servers | None, some: slice = ALL_OF_THEM, **settings: object
    ) -> None:
        """Make a stack; with servers they, or some of them, are the ones that the program asks."""
        blocks = [block(index, url) for index, url in enumerate(servers.urls()[some])] if servers else []
        config = {
            "dittoinfra:servers": blocks,
            "kubernetes:renderYamlToDirectory": "rendered",
            **{f"dittoinfra:{key}": value for key, value in settings.items()},
        }
        self.write(stack, config)
        # The floor's stacks have one too: both are decrypted.
        self.set_password(stack, "any")

    def configure_many(self, stacks: Sequence[str], servers: Servers) -> None:
        """Make stacks with as many of the servers each.

        All have the key and the encrypted password of the first: to derive a key takes half a second.
        """
        each = len(servers.ports) // len(stacks)
        self.configure(stacks[0], servers, slice(each))
        first = yaml.safe_load(self._file(stacks[0]).read_text())

        def make(number: int) -> None:
            some = servers.urls()[number * each : (number + 1) * each]
            blocks = [block(index, url) for index, url in enumerate(some)]
            config = {**first["config"], "dittoinfra:servers": blocks}
            self._make(stacks[number], {**first, "config": config})

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(make, range(1, len(stacks))))

    def set_password(self, stack: str, password: str) -> None:
        """The password of all servers of a stack, encrypted as `dittoinfra init` leaves it."""
        key = ("--secret", "--path", 'dittoinfra:passwords["*"]')
        self.pulumi("config", "set", *key, "--stack", stack, given=password)

    def write(self, stack: str, config: Mapping[str, object]) -> None:
        """Make a stack with exactly this configuration."""
        self._make(stack, {"config": dict(config)})

    def discovering(
        self, stack: str, operation: str = "preview", more: Mapping[str, str] = AS_IT_IS
    ) -> "Took":
        """Our own program."""
        return self._took("discovering", stack, operation, more)

    def hard_coded(
        self,
        stack: str,
        shape: str,
        servers: int,
        types: int,
        operation: str = "preview",
        more: Mapping[str, str] = AS_IT_IS,
    ) -> "Took":
        """The floor."""
        return self._took("hard_coded", stack, operation, more, servers, types, shape)

    def plain_preview(self, stack: str) -> float:
        """What the CLI takes with the official language host, the way that needs nothing of ours."""
        began = time.perf_counter()
        self.pulumi("preview", "--stack", stack)
        return time.perf_counter() - began

    def pulumi(self, *arguments: str, given: str = "") -> str:
        """The CLI itself; `given` is its input."""
        done = subprocess.run(  # noqa: S603 - the CLI that was found for this
            [self.bed.cli, *arguments, "--non-interactive"],
            cwd=self.root,
            env=dict(self.environment),
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BenchError(f"pulumi {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def _make(self, stack: str, document: Mapping[str, object]) -> None:
        self._file(stack).write_text(yaml.safe_dump(document))
        self.pulumi("stack", "init", stack, "--no-select")

    def _file(self, stack: str) -> Path:
        return self.root / "stacks" / f"Pulumi.{stack}.yaml"

    def _took(
        self, program: str, stack: str, operation: str, more: Mapping[str, str], *arguments: object
    ) -> "Took":
        words = [str(word) for word in arguments]
        command = ["-m", f"bench.programs.{program}", str(self.root), stack, operation, *words]
        whole, printed = run(command, self.root, {**self.environment, **more})
        return Took(whole, float(printed.splitlines()[-1]))


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of a whole process, and of the operation in it."""

    whole: float
    operation: float


def block(index: int, url: str) -> dict[str, object]:
    """A server's settings; its password is the stack's."""
    api = {"url": url, "username": "bench"}
    return {"name": f"server-{index:04}", "namespace": "files", "api": api}


@contextmanager
def stage(bed: Bed, name: str, kubeconfig: Path | None = None) -> Iterator[Stage]:
    """A fresh project, whose provider writes manifests unless there is a cluster to apply them to.

    The provider is the official one where it is installed, and else the stand-in in a process of its own.
    """
    root = bed.folder / name
    for folder in ("stacks", "state"):
        (root / folder).mkdir(parents=True)
    for file in ("Pulumi.yaml", "__main__.py"):
        shutil.copy(ROOT / file, root)
    (root / ".venv").symlink_to(sys.prefix)
    reached = {"KUBECONFIG": str(kubeconfig)} if kubeconfig else {}
    environment = bed.environment({"PULUMI_BACKEND_URL": (root / "state").as_uri(), **reached})
    place = ["--kubeconfig", str(kubeconfig)] if kubeconfig else ["--manifests", str(root / "manifests")]
    provider: AbstractContextManager[dict[str, str]] = (
        nullcontext({}) if PROVIDER else _stand_in(root, environment, place)
    )
    try:
        with provider as attached:
            yield Stage(bed, root, {**environment, **attached})
    finally:
        shutil.rmtree(root, ignore_errors=True)


@contextmanager
def _stand_in(root: Path, environment: Mapping[str, str], place: list[str]) -> Iterator[dict[str, str]]:
    """The stand-in for the provider: what attaches an engine to it."""
    with process(["-m", "lab.standin", *place], root, environment) as provider:
        assert provider.stdout is not None  # noqa: S101 - it is a pipe of our own
        yield dict(provider.stdout.readline().strip().split("=", 1) for _ in range(2))
