"""Where in a project's files a setting is written: the file and the line that messages name."""

from collections.abc import Iterator, Sequence
from os.path import relpath
from pathlib import Path

import yaml

from dittoinfra.projectfile import NoProjectError, find_project, project_file, stack_file
from dittoinfra.settings.problems import SettingPath


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

    def place(self, path: SettingPath) -> str | None:
        """`stacks/Pulumi.prod.yaml:12` for a path such as `dittoinfra:servers[0].api.url`.

        The line of the nearest block around it where it is not written itself; None where no file has it.
        """
        if not path.namespace or not path.steps:
            return None
        key, *steps = path.steps
        # In the project's file its own keys may go without their namespace.
        names = {f"{path.namespace}:{key}", *([key] if path.namespace == self._project else [])}
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


def _line(name: yaml.Node, value: yaml.Node, steps: Sequence[int | str]) -> int:
    """The line of what the steps lead to, as far as the file goes along."""
    for step in steps:
        found = _step(value, step)
        if found is None:
            break
        name, value = found
    return int(name.start_mark.line) + 1


def _step(node: yaml.Node, step: int | str) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode):
        item = node.value[step] if isinstance(step, int) and step < len(node.value) else None
        return (item, item) if item is not None else None
    return next((entry for entry in _entries(node) if entry[0].value == step), None)
