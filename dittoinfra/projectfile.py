"""Reads a Pulumi project's files without the SDK: shell completion must answer within a keystroke."""

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from os.path import relpath
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

STACKS = "stacks"
"""The folder of stack files in a new project."""
_PROJECT_FILE = "Pulumi.yaml"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""As safe as `safe_load`, and ten times as fast where PyYAML has the C loader."""
_PROGRAM = "__main__.py"
_HARMLESS = frozenset({"dittoinfra", "pathlib", "__future__"})
_RUN_IT_PLAINLY = (
    "what it declares beside that would be deleted; run `pulumi preview` and `pulumi up` instead"
)
_NULL = "tag:yaml.org,2002:null"
_PREFIX, _SUFFIX = "Pulumi.", ".yaml"


class NoProjectError(Exception):
    """There is no project to work on."""


def find_project(start: Path) -> Path:
    """The folder of the nearest project, from `start` upwards, as the pulumi CLI looks for it."""
    for folder in (start, *start.parents):
        if has_project(folder):
            return folder
    raise NoProjectError(
        f"there is no {_PROJECT_FILE} in {start} or above it; "
        "go to the project's folder, or name it with --cwd; `dittoinfra init` begins one in an empty folder"
    )


def has_project(root: Path) -> bool:
    """Whether a folder is a project's."""
    return project_file(root).is_file()


def project_file(root: Path) -> Path:
    """The project's own file."""
    return root / _PROJECT_FILE


def read_project(root: Path) -> Mapping[str, Any]:
    """What the project's own file says."""
    return _mapping(project_file(root).read_text())


@lru_cache(maxsize=8)
def _mapping(text: str) -> Mapping[str, Any]:
    """YAML that is read a dozen times in one command, and hardly ever changes."""
    content = yaml.load(text, Loader=_LOADER)  # noqa: S506 - it is a safe one
    return MappingProxyType(content) if isinstance(content, dict) else {}


def always_refreshes(root: Path) -> bool:
    """Whether the project asks for a refresh before every operation."""
    options = read_project(root).get("options")
    return isinstance(options, Mapping) and options.get("refresh") == "always"


def stack_file(root: Path, stack: str) -> Path:
    """Where a stack's configuration is, or would be."""
    return _config_folder(root) / f"{_PREFIX}{stack}{_SUFFIX}"


def project_defaults(root: Path) -> Mapping[str, Any]:
    """The project's values for every stack that does not set them itself, by full key."""
    project = read_project(root)
    declared: Mapping[str, Any] = project.get("config") or {}
    return {
        key if ":" in key else f"{project.get('name')}:{key}": value
        for key, entry in declared.items()
        if (value := _default(entry)) is not None
    }


def _default(entry: object) -> object:
    """The value of a key in `Pulumi.yaml`, which is written as it is or as a declaration with a default."""
    if isinstance(entry, dict):
        return entry.get("value", entry.get("default"))
    return entry


def written_values(root: Path, stack: str) -> Mapping[str, Any]:
    """What a stack's own file configures, by full key: nothing where there is no file."""
    try:
        content = yaml.load(stack_file(root, stack).read_text(), Loader=_LOADER)  # noqa: S506 - likewise
    except OSError:
        return {}
    config = content.get("config") if isinstance(content, dict) else None
    return config if isinstance(config, dict) else {}


def unreadable_config(root: Path, stack: str) -> str | None:
    """What is wrong with a stack's file as YAML, and where; None where nothing is, or there is no file."""
    file = stack_file(root, stack)
    try:
        document = _composed(file)
    except BrokenFileError as error:
        return f"{relpath(file, root)}{error}"
    except (OSError, ValueError):
        return None  # a stack needs no file, and the engine names one that it cannot read
    config = next((value for key, value in _pairs(document) if key.value == "config"), None)
    if config is not None and not isinstance(config, yaml.MappingNode) and config.tag != _NULL:
        line = config.start_mark.line + 1
        return f"{relpath(file, root)}:{line}: config must be a block of settings (`dittoinfra:KEY: VALUE`)"
    return None


def unreadable_project(root: Path) -> str | None:
    """What is wrong with the project's own file as YAML, and where; None where nothing is."""
    try:
        _composed(project_file(root))
    except BrokenFileError as error:
        return f"{_PROJECT_FILE}{error}"
    except (OSError, ValueError) as error:
        return f"{_PROJECT_FILE}: cannot be read: {error}"
    return None


class BrokenFileError(Exception):
    """A file whose YAML cannot be used: the line, and why."""


def _composed(file: Path) -> yaml.Node | None:
    """The file's content as nodes, or `BrokenFileError`."""
    try:
        document: yaml.Node | None = yaml.compose(file.read_text(encoding="utf-8"), Loader=_LOADER)
    except yaml.YAMLError as error:
        # The parser's whole message quotes the lines around the mistake, and those may hold credentials.
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        why = getattr(error, "problem", None) or "it holds a character that YAML does not have"
        raise BrokenFileError(f"{line}: is not YAML: {why}") from None
    if not isinstance(document, yaml.MappingNode | None) and document.tag != _NULL:
        raise BrokenFileError(f":{document.start_mark.line + 1}: must be a block of settings")
    for first, second in _repeated(document):
        raise BrokenFileError(
            f":{second.start_mark.line + 1}: {second.value} is there twice, also in line "
            f"{first.start_mark.line + 1}; keep one"
        )
    return document


def _pairs(node: yaml.Node | None) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        yield from ((key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode))


def _repeated(node: yaml.Node | None) -> Iterator[tuple[yaml.ScalarNode, yaml.ScalarNode]]:
    """Keys that a block has twice, which the engine refuses, at any depth."""
    seen: dict[str, yaml.ScalarNode] = {}
    for key, value in _pairs(node):
        first = seen.setdefault(key.value, key)
        if first is not key:
            yield first, key
        yield from _repeated(value)
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated(item)


def configured_stacks(root: Path) -> tuple[str, ...]:
    """Stacks that have a configuration file, whether the backend knows them yet or not."""
    files = _config_folder(root).glob(f"{_PREFIX}*{_SUFFIX}")
    names = (file.name.removeprefix(_PREFIX).removesuffix(_SUFFIX) for file in files)
    return tuple(sorted(name for name in names if name))


def foreign_program(root: Path) -> str | None:
    """Why the project's own program is not run by a command of ours; None where it is dittoinfra and no more.

    A command runs dittoinfra itself, in its own process. Resources that only the project's program declares
    would be missing from that run, and the engine would delete them.
    """
    project = read_project(root)
    runtime = project.get("runtime") or "python"
    name = runtime.get("name") if isinstance(runtime, dict) else runtime
    if name != "python" or project.get("main"):
        return f"{_PROJECT_FILE} names another program than {_PROGRAM}; {_RUN_IT_PLAINLY}"
    try:
        program = ast.parse((root / _PROGRAM).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, SyntaxError, ValueError) as error:
        return f"{_PROGRAM} cannot be read: {error}"
    more = next((node for node in program.body if not _is_dittoinfra(node)), None)
    return f"{_PROGRAM}:{more.lineno}: does more than run dittoinfra; {_RUN_IT_PLAINLY}" if more else None


def _is_dittoinfra(node: ast.stmt) -> bool:
    """A docstring, an import that declares nothing, or the call of dittoinfra's program."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Expr(value=ast.Call(func=ast.Name(id="run"))):
            return True
        case ast.ImportFrom(module=str(module)):
            return module.partition(".")[0] in _HARMLESS
        case _:
            return False


def _config_folder(root: Path) -> Path:
    if not has_project(root):
        return root / STACKS  # where it will be, once `init` has begun the project
    return root / str(read_project(root).get("stackConfigDir") or ".")
