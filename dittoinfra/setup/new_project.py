"""A new project: the few files that it needs beside the installed package, and writing them."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal

import yaml

from dittoinfra import __version__
from dittoinfra.projectfile import STACKS
from dittoinfra.settings.provider import NEEDED_IN_PROJECT
from dittoinfra.whole_files import write_new, write_over

Toolchain = Literal["pip", "uv", "poetry"]

PACKAGE: Final = "dittoinfra"
DESCRIPTION: Final = "Kubernetes Services that follow the adapters of DittoFS servers."
SCHEMA: Final = "stack.schema.json"
"""The schema of stack files: beside them, so that editors find it without this package's folder."""

_NAME_LIMIT: Final = 100
_LOCKS: Final[Mapping[str, Toolchain]] = {"uv.lock": "uv", "poetry.lock": "poetry"}
_RUNTIME_OPTIONS: Final[Mapping[Toolchain, Mapping[str, str]]] = {
    "pip": {"toolchain": "pip", "virtualenv": ".venv"},
    # These two know themselves where their virtual environment is.
    "uv": {"toolchain": "uv"},
    "poetry": {"toolchain": "poetry"},
}
_WELCOME: Final = frozenset({"pyproject.toml", STACKS, "wheels", *_LOCKS})
"""What a folder may hold before it becomes a project, besides hidden files, licences and read-me files."""

_MAIN = """\
from pathlib import Path

from dittoinfra.program import run

run(Path(__file__).parent)
"""

_ABOUT_CONFIG = """\
# What dittoinfra's objects need of the Kubernetes provider, in every stack. Settings for all stacks can stand
# here too, such as `dittoinfra:namespace: files`: their namespace is the same in a project of any name.
"""

_IGNORED = """\
.venv/
__pycache__/
# What commands leave behind: plans, reports, rendered manifests.
plan*.json
report.*
drift.*
rendered/
"""


class FolderNotEmptyError(Exception):
    """A folder that holds something else, in which no project is begun."""


def project_name(folder: Path) -> str:
    """A project's name from that of its folder, as `pulumi new` does it: what a name may not have goes."""
    # Two projects of one name on one backend are one project: each would remove the servers of the other.
    name = re.sub("[^A-Za-z0-9._-]+", "-", folder.resolve().name).strip("-.")
    return name[:_NAME_LIMIT] or PACKAGE


def valid_project_name(text: str) -> str:
    """A name that the engine allows for a project, or `ValueError`."""
    if re.fullmatch(f"[A-Za-z0-9._-]{{1,{_NAME_LIMIT}}}", text) is None:
        raise ValueError(
            f"project name {text!r} must be letters, digits, '.', '_' and '-', {_NAME_LIMIT} at most"
        )
    return text


def project_files(
    toolchain: Toolchain, name: str, description: str = DESCRIPTION, template: str = ""
) -> Mapping[str, str]:
    """The text of every file of a new project, by its name."""
    texts = {"__main__.py": _MAIN, ".gitignore": _IGNORED}
    if toolchain == "pip":
        texts["requirements.txt"] = requirements(__version__)
    # Last: with it the folder is a project, and everything else is there by then.
    return {**texts, "Pulumi.yaml": _project_yaml(toolchain, name, description, template)}


def requirements(version: str) -> str:
    """The versions that a project takes: fixes of this one, or before 1.0 of this minor version."""
    major, minor, _ = version.split(".", 2)
    lowest = version if major == "0" else f"{major}.{minor}"
    return f"""\
# Brings the Pulumi SDK and everything else along. For exact versions with hashes, which pip then checks:
# `pip-compile --generate-hashes` from a requirements.in with this line.
dittoinfra~={lowest}
"""


def toolchain_of(entries: Iterable[str]) -> Toolchain:
    """What installs the packages of a project with these files."""
    present = frozenset(entries)
    return next((tool for lock, tool in _LOCKS.items() if lock in present), "pip")


def check_folder(folder: Path, name: str | None = None) -> Mapping[str, str]:
    """The files that would make a folder a project.

    `FolderNotEmptyError` where it holds something else: a project is not begun in a home folder.
    """
    entries = sorted(entry.name for entry in folder.iterdir())
    texts = project_files(toolchain_of(entries), name or project_name(folder))
    foreign = [name for name in entries if not _may_stay(folder / name, texts)]
    if foreign:
        more = f" and {len(foreign) - 5} more" if len(foreign) > 5 else ""
        raise FolderNotEmptyError(
            f"there is no Pulumi.yaml in {folder} or above it, and a new project is not begun beside other "
            f"files ({', '.join(foreign[:5])}{more}); go to the project's folder, or name it with --cwd, or "
            "begin one in an empty folder"
        )
    return texts


def begin_project(folder: Path, name: str | None = None) -> tuple[str, ...]:
    """Make a folder a project; the names of the files that this wrote, or `FolderNotEmptyError`.

    It is named after the folder unless it gets another `name`.
    """
    return tuple(_written(folder, check_folder(folder, name)))


def package_mode_problem(folder: Path) -> str | None:
    """Why `poetry install` would fail in a project that is no package itself; None where it would not."""
    file = folder / "pyproject.toml"
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None  # poetry itself says what is wrong with it
    match content:
        case {"tool": {"poetry": {"package-mode": False}}}:
            return None
        case _ if toolchain_of(entry.name for entry in folder.iterdir()) != "poetry":
            return None
    return (
        "pyproject.toml: `poetry install`, which `pulumi install` runs, fails in a project that is no "
        "package; add `package-mode = false` under [tool.poetry]"
    )


def write_schema(folder: Path) -> None:
    """Put the schema of this version's stack files beside them."""
    text = files(__package__).joinpath(SCHEMA).read_text(encoding="utf-8")
    path = folder / SCHEMA
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        write_over(path, text)


def _project_yaml(toolchain: Toolchain, name: str, description: str, template: str) -> str:
    head = {
        "name": name,
        "description": description,
        "runtime": {"name": "python", "options": dict(_RUNTIME_OPTIONS[toolchain])},
        "stackConfigDir": STACKS,
    }
    return "".join((_dumped(head), _ABOUT_CONFIG, _dumped({"config": dict(NEEDED_IN_PROJECT)}), template))


def _dumped(content: object) -> str:
    return yaml.safe_dump(content, sort_keys=False, width=110, allow_unicode=True)


def _may_stay(path: Path, texts: Mapping[str, str]) -> bool:
    name = path.name
    if name == "requirements.txt":
        return PACKAGE in path.read_text(encoding="utf-8", errors="replace")
    if name in texts and not name.startswith("."):
        # An earlier attempt that ended half-way, say because the disk was full.
        return path.read_text(encoding="utf-8", errors="replace") == texts[name]
    return (
        name in _WELCOME
        or name.startswith((".", "README", "LICENSE"))
        or path.joinpath("pyvenv.cfg").is_file()
    )


def _written(folder: Path, texts: Mapping[str, str]) -> Iterator[str]:
    for name, text in texts.items():
        try:
            write_new(folder / name, text)
        except FileExistsError:
            continue  # it was looked at above
        yield name
