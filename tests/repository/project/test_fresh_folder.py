"""A fresh folder: the wheel installed, `dittoinfra init`, preview, update; no file of this repository."""

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from pulumi.automation import PulumiCommand

from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from lab.standin import FolderStore, StandInProvider
from tests.repository.pipelines.test_github import lines
from tests.repository.project.installed_package import DEPENDENCIES, User, build_wheel, install

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel."""
    folder = tmp_path_factory.mktemp("installed")
    install(wheel, folder)
    return folder


@pytest.fixture
def server() -> Iterator[SimulatedDittoFS]:
    with SimulatedDittoFS() as simulated:
        yield simulated


@pytest.fixture
def user(environment: Path, pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[User]:
    """A user in an empty folder, with the package and the pulumi CLI installed, and a backend elsewhere."""
    for name in ("project", "state", "home"):
        (tmp_path / name).mkdir()
    with StandInProvider(FolderStore(tmp_path / "manifests")) as provider:
        yield User(
            tmp_path / "project",
            [environment / "bin", Path(pulumi_cli.command).parent],
            {
                "HOME": str(tmp_path / "home"),
                "PULUMI_BACKEND_URL": (tmp_path / "state").as_uri(),
                "PULUMI_CONFIG_PASSPHRASE": credential("passphrase"),
                "PULUMI_SKIP_UPDATE_CHECK": "1",
                **provider.environment(),
            },
        )


def begin(user: User, server: SimulatedDittoFS, stack: str = "files") -> None:
    user.must(
        *("dittoinfra", "init", stack, "--namespace", "files", "--server", f"media={server.url}"),
        DITTOFS_ADMIN_PASSWORD=server.admin_password,
    )


def test_the_package_alone_begins_a_project_and_runs_it(
    user: User, server: SimulatedDittoFS, environment: Path
) -> None:
    where = user.must("python", "-c", "import dittoinfra; print(dittoinfra.__file__)")
    assert Path(where).is_relative_to(environment)
    assert user.run("python", "-c", "import lab").returncode != 0

    begin(user, server)

    assert {path.name for path in user.folder.iterdir()} == {
        ".gitignore",
        "Pulumi.yaml",
        "__main__.py",
        "requirements.txt",
        "stacks",
    }
    [first, *_] = (user.folder / "stacks" / "Pulumi.files.yaml").read_text().splitlines()
    assert (user.folder / "stacks" / first.removeprefix("# yaml-language-server: $schema=")).is_file()

    previewed = user.must("dittoinfra", "preview", "files")
    assert "files: previewed: 2 to create" in previewed
    reports = [f"--report-{kind}=report.{kind}" for kind in ("md", "html", "json")]
    user.must("dittoinfra", "up", "files", "--yes", *reports)
    assert "media-adapter-nfs" in (user.folder / "report.html").read_text()
    user.must("dittoinfra", "preview", "files", "--expect-no-changes")
    assert "media-adapter-nfs.files.svc" in user.must(
        "pulumi", "stack", "output", "readme", "--stack", "files"
    )


def test_a_project_of_uv_begins_with_the_package_that_uv_installed(
    wheel: Path, user: User, server: SimulatedDittoFS, tmp_path: Path
) -> None:
    environment = tmp_path / "uv"
    install(wheel, environment, "uv")
    of_uv = replace(user, binaries=[environment / "bin", *user.binaries[1:]])
    of_uv.must(sys.executable, "-m", "uv", "init", "--bare", "--offline")
    (of_uv.folder / "uv.lock").touch()

    begin(of_uv, server)

    project = yaml.safe_load((of_uv.folder / "Pulumi.yaml").read_text())
    assert project["runtime"]["options"]["toolchain"] == "uv"
    assert not (of_uv.folder / "requirements.txt").exists()
    assert Path(of_uv.must("python", "-c", "import dittoinfra; print(dittoinfra.__file__)")).is_relative_to(
        environment
    )
    assert "files: previewed: 2 to create" in of_uv.must("dittoinfra", "preview", "files")


def test_a_question_without_an_answer_leaves_the_folder_empty(user: User) -> None:
    done = user.run("dittoinfra", "init", "files", "--namespace", "files")

    assert done.returncode == 2
    assert "these must be given as flags" in done.stderr
    assert list(user.folder.iterdir()) == []


def test_a_folder_with_other_things_in_it_stays_as_it_is(user: User) -> None:
    (user.folder / "thesis.tex").touch()

    done = user.run(
        *("dittoinfra", "init", "files", "--namespace", "files", "--server", "media=https://m.example.com"),
        DITTOFS_ADMIN_PASSWORD=credential("password"),
    )

    assert done.returncode == 2
    assert done.stderr.startswith(f"error: there is no Pulumi.yaml in {user.folder} or above it")
    assert "(thesis.tex)" in done.stderr
    assert [path.name for path in user.folder.iterdir()] == ["thesis.tex"]


def test_a_project_of_another_name_has_the_same_settings(user: User, server: SimulatedDittoFS) -> None:
    begin(user, server)
    file = user.folder / "Pulumi.yaml"
    assert yaml.safe_load(file.read_text())["name"] == "project", "that of its folder"

    assert "files: previewed: 2 to create" in user.must("dittoinfra", "preview", "files")

    # Where `pulumi config set` puts a key that it is given without a namespace.
    user.must("pulumi", "config", "set", "namespace", "elsewhere", "--stack", "files")
    refused = user.run("dittoinfra", "preview", "files")
    assert refused.returncode == 2
    assert "project:namespace: is not read" in refused.stdout + refused.stderr


def test_a_second_folder_never_joins_the_stack_of_the_first(user: User, server: SimulatedDittoFS) -> None:
    begin(user, server)
    user.must("dittoinfra", "up", "files", "--yes")
    first, second = user.folder, user.folder.parent / "elsewhere" / user.folder.name
    second.mkdir(parents=True)
    user.folder = second
    flags = ("dittoinfra", "init", "files", "--namespace", "files", "--deploy", "other")

    refused = user.run(*flags)

    assert refused.returncode == 2
    assert refused.stderr.startswith("error: stack files of project project already holds ")
    assert refused.stderr.endswith("(--project-name in an empty folder); nothing was written\n")
    assert list(second.iterdir()) == []

    user.must(*flags, "--project-name", "others")

    assert "to delete" not in user.must("dittoinfra", "preview", "files")
    user.folder = first
    user.must("dittoinfra", "preview", "files", "--expect-no-changes")
    renamed = user.run("dittoinfra", "init", "more", "--project-name", "others")
    assert renamed.returncode == 2
    assert f"the project in {first} is called project; drop the flag" in renamed.stderr


def test_what_else_a_project_declares_is_never_deleted_by_the_command(
    user: User, server: SimulatedDittoFS
) -> None:
    begin(user, server)
    with (user.folder / "__main__.py").open("a") as program:
        program.write("bucket = Bucket('backup')\n")

    done = user.run("dittoinfra", "preview", "files")

    assert done.returncode == 2
    assert "__main__.py:6: does more than run dittoinfra" in done.stdout + done.stderr


def test_a_copied_pipeline_works_in_the_new_repository(
    user: User, server: SimulatedDittoFS, wheel: Path, tmp_path: Path
) -> None:
    begin(user, server)
    # What a runner checks out, on another machine and with another environment.
    runner = User(tmp_path / "runner", user.binaries[1:], user.variables)
    shutil.copytree(user.folder, runner.folder)
    names = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH")
    files = {name: str(tmp_path / name) for name in names}

    def step(job: str, name: str, **variables: str) -> None:
        (runner.folder / "step").write_text(lines("deploy.yml", job, name))
        runner.must("bash", "--noprofile", "--norc", "-e", "step", **files, **variables)

    # The wheel is in the repository; what it depends on is there already.
    shutil.copytree(wheel.parent, runner.folder / "wheels")
    requirements = runner.folder / "requirements.txt"
    requirements.write_text("--find-links wheels\n" + requirements.read_text())
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1"}
    step("plan", "Install", **offline, PATH=_with_python(runner))
    binaries = Path((tmp_path / "GITHUB_PATH").read_text().strip())
    assert binaries == runner.folder / ".venv" / "bin"
    runner.binaries = [binaries, *runner.binaries]
    runner.variables = {**runner.variables, "PYTHONPATH": DEPENDENCIES, "RUNNER_TEMP": str(tmp_path)}
    step("stacks", "List the stacks")
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == 'stacks=["files"]\n'
    step("plan", "Kubeconfig", KUBECONFIG_CONTENT="")
    step("plan", "Plan", STACK="files")
    step("deploy", "Deploy")

    assert "media" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    services = [yaml.safe_load(path.read_text()) for path in tmp_path.glob("manifests/**/service-*.yaml")]
    assert {service["metadata"]["name"] for service in services} == {"media-adapter-nfs", "media-adapter-smb"}
    # Thousands of files that no test has written, and all that a run leaves is searched for credentials.
    shutil.rmtree(runner.folder / ".venv")


def _with_python(runner: User) -> str:
    """The path of a runner whose `python` is the one that runs the tests."""
    folder = Path(sys.executable).resolve().parent
    link = runner.folder.parent / "python"
    link.mkdir()
    (link / "python").symlink_to(Path(sys.executable).resolve())
    return os.pathsep.join([str(link), str(folder), *map(str, runner.binaries), os.environ["PATH"]])
