"""`docs/configuration.md`: every setting on one page, prose from a template and tables from the model."""

import json
import re
from collections.abc import Sequence
from importlib import resources

from pydantic import BaseModel

from dittoinfra.settings.problems import NAMESPACE
from tools.reference.blocks import Block, Key, blocks, model_in
from tools.reference.groups import TITLES, grouped, title
from tools.reference.words import listed, type_words, written

_BLOCKS = "<!-- blocks -->\n"
_CONTENTS = "<!-- contents -->\n"

_LAYERS = ("servers", "selectors")
"""Lists whose entries take every key of the stack's own layer."""


def page() -> str:
    """The whole page."""
    template = resources.files(__package__).joinpath("page.md").read_text(encoding="utf-8")
    every = {block.model: block for block in blocks()}
    groups = list(grouped(every.values()))
    written_groups = "\n".join(_group(name, members, every) for name, members in groups)
    whole = template.replace(_BLOCKS, written_groups)
    return whole.replace(_CONTENTS, _contents(template, groups))


def _contents(template: str, groups: Sequence[tuple[str, Sequence[Block]]]) -> str:
    """Links to the chapters, and to every block behind the group that it is in."""
    lines = [
        f"- [{name}](#{anchor(name)})" for name in re.findall(r"^## (.+)$", template, flags=re.MULTILINE)
    ]
    for name, members in groups:
        links = " · ".join(_link(block) for block in members)
        lines.append(f"  - [{name}](#{anchor(name)}): {links}")
    return "\n".join(lines) + "\n"


def _group(name: str, members: Sequence[Block], every: dict[type[BaseModel], Block]) -> str:
    return "\n".join([f"### {name}\n", *(_section(block, every) for block in members)])


def _section(block: Block, every: dict[type[BaseModel], Block]) -> str:
    lines = [f"#### {title(block)}", "", block.meaning]
    places = _places(block.paths)
    if len(places) > 1 and block.model not in TITLES:
        lines += ["", f"May stand at {listed([f'`{place}`' for place in places], 'and')}."]
    if block.extends is not None:
        also = " too" if block.keys else ", and no others"
        lines += ["", f"Has every key of {_link(every[block.extends])}{also}."]
    if block.keys:
        lines += ["", "| key | type | default | meaning |", "|---|---|---|---|"]
        lines += [_row(key, every) for key in block.keys]
    return "\n".join(lines) + "\n"


def _places(paths: Sequence[str]) -> list[str]:
    """Where a block stands, less what the section on layers has said: that a layer may be a server's too."""
    here = set(paths)
    inherited = {
        f"dittoinfra:{layer}[].{path.removeprefix('dittoinfra:')}" for path in here for layer in _LAYERS
    }
    return [path for path in paths if path not in inherited]


def _row(key: Key, every: dict[type[BaseModel], Block]) -> str:
    inner = model_in(key.hint)
    kind = type_words(key.hint)
    if inner is not None:
        kind = f"{kind}: {_link(every[inner])}"
    cells = (f"`{key.name}`", kind, _default(key), key.meaning)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _default(key: Key) -> str:
    if key.required:
        return "required"
    match key.default:
        case None:
            return "unset"
        case [] | {}:
            return "empty"
        case BaseModel():
            return ""
        case value:
            return f"`{_yaml_scalar(written(value))}`"


def _yaml_scalar(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _link(block: Block) -> str:
    return f"[{title(block).replace(f'{NAMESPACE}:', '')}](#{anchor(title(block))})"


def anchor(title: str) -> str:
    """The address within a page that a heading gets where Markdown is shown."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
