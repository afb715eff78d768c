"""Where in a project's files a setting is written: the file and the line that messages name."""

import re
from collections.abc import Iterator
from os.path import relpath
from pathlib import Path

import yaml

from dittoinfra.projectfile import NoProjectError, find_project, project_file, stack_file

_INDEX = re.compile(r"\[(\d+)\]")
_QUOTED = re.compile(r'\["([^"]*)"\]')


class SourceLines:
    """The files of one stack, the nearer one first: its own, and the project's with its defaults.

    A file that cannot be read has no lines: that it cannot is reported elsewhere.
    """

    def __init__(self, root: Path, project: str, stack: str) -> None:
        self._project = project
        try:
            folder = find_project(root)
        except NoProjectError:  # a program that is not started from its project's folder
            folder, files = root, [root / f"Pulumi.{stack}.yaml"]
        else:
            files = [stack_file(folder, stack), project_file(folder)]
        self._configs = [(relpath(file, folder), _config_of(file)) for file in files]

    def place(self, path: str) -> str | None:
        """`stacks/Pulumi.prod.yaml:12` for a path such as `dittoinfra:servers[0].api.url`.

        The line of the nearest block around it where it is not written itself; None where no file has it.
        """
        namespace, colon, rest = path.partition(":")
        if not colon:
            return None
        key = re.split(r"[.\[]", rest, maxsplit=1)[0]
        steps = rest[len(key) :]
        # In the project's file its own keys may go without their namespace.
        names = {f"{namespace}:{key}", *([key] if namespace == self._project else [])}
        for file, config in self._configs:
            for name, value in config:
                if name.value in names:
                    return f"{file}:{_line(name, value, steps)}"
        return None


def _config_of(file: Path) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    try:
        document = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError):
        return []
    for name, value in _entries(document):
        if name.value == "config":
            return list(_entries(value))
    return []


def _entries(node: yaml.Node | None) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode):
                yield name, value


def _line(name: yaml.Node, value: yaml.Node, steps: str) -> int:
    """The line of what the steps lead to, as far as the file goes along."""
    while steps:
        found = _step(value, steps)
        if found is None:
            break
        name, value, steps = found
    return int(name.start_mark.line) + 1


def _step(node: yaml.Node, steps: str) -> tuple[yaml.Node, yaml.Node, str] | None:
    if isinstance(node, yaml.SequenceNode):
        index = _INDEX.match(steps)
        if index is None or int(index[1]) >= len(node.value):
            return None
        item = node.value[int(index[1])]
        return item, item, steps[index.end() :]
    quoted = _QUOTED.match(steps)
    # A key may have dots in it, and another one may begin with it: the longest is meant.
    for name, value in sorted(_entries(node), key=lambda entry: -len(entry[0].value)):
        text = quoted[0] if quoted and quoted[1] == name.value else f".{name.value}"
        if steps.startswith(text) and steps[len(text) : len(text) + 1] in ("", ".", "["):
            return name, value, steps[len(text) :]
    return None
