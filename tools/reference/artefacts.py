"""Which files are generated from the code, and whether those of a project are fresh."""

from collections.abc import Mapping
from pathlib import Path

from dittoinfra.setup.new_project import SCHEMA
from tools.reference.commands import commands_page
from tools.reference.component_inputs import PATH, component_inputs
from tools.reference.page import page
from tools.reference.project import project_file
from tools.reference.schema import schema_file
from tools.reference.template import template_files


def artefacts() -> Mapping[str, str]:
    """Text of every generated file, by its path in the project."""
    schema = schema_file()
    return {
        "Pulumi.yaml": project_file(),
        "docs/commands.md": commands_page(),
        "docs/configuration.md": page(),
        "docs/stack.schema.json": schema,
        # What is installed gives it to new projects.
        f"dittoinfra/setup/{SCHEMA}": schema,
        **{f"templates/dittoinfra/{name}": text for name, text in template_files().items()},
        PATH: component_inputs(),
    }


def stale(root: Path) -> tuple[str, ...]:
    """Paths of the generated files that are missing, or not what the code says now."""
    return tuple(path for path, text in artefacts().items() if _read(root / path) != text)


def write(root: Path) -> tuple[str, ...]:
    """Bring every generated file up to date; the paths of those that changed."""
    changed = stale(root)
    texts = artefacts()
    for path in changed:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(texts[path], encoding="utf-8")
    return changed


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
