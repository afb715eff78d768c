"""A project of one's own: the few files that it needs beside the installed package, and writing them."""

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

NAME: Final = "dittoinfra"
DESCRIPTION: Final = "Kubernetes Services that follow the adapters of DittoFS servers."
SCHEMA: Final = "stack.schema.json"
"""The schema of stack files: beside them, so that editors find it without this package's folder."""

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


def project_files(
    toolchain: Toolchain, name: str = NAME, description: str = DESCRIPTION, template: str = ""
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


def check_folder(folder: Path) -> Mapping[str, str]:
    """The files that would make a folder a project.

    `FolderNotEmptyError` where it holds something else: a project is not begun in a home folder.
    """
    entries = sorted(entry.name for entry in folder.iterdir())
    texts = project_files(toolchain_of(entries))
    foreign = [name for name in entries if not _may_stay(folder / name, texts)]
    if foreign:
        more = f" and {len(foreign) - 5} more" if len(foreign) > 5 else ""
        raise FolderNotEmptyError(
            f"there is no Pulumi.yaml in {folder} or above it, and a new project is not begun beside other "
            f"files ({', '.join(foreign[:5])}{more}); go to the project's folder, or name it with --cwd, or "
            "begin one in an empty folder"
        )
    return texts


def begin_project(folder: Path) -> tuple[str, ...]:
    """Make a folder a project; the names of the files that this wrote, or `FolderNotEmptyError`."""
    return tuple(_written(folder, check_folder(folder)))


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
        return NAME in path.read_text(encoding="utf-8", errors="replace")
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
