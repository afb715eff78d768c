"""Keys of `config.yaml` that no setting decides on: carried over when a server is adopted, and said. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

import yaml

from dittoinfra.decide.config_file import decided_keys
from dittoinfra.decide.guard import Guarded
from dittoinfra.decide.image_changes import image_version
from dittoinfra.decide.pod import CONFIG_KEY
from dittoinfra.decide.refusals import AdoptionImpossible
from dittoinfra.model import Note
from dittoinfra.naming import config_map
from dittoinfra.nested_values import block
from dittoinfra.object_model import HeldObject, LiveObjects, ObjectPlace
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.dittofs_config import BY_SECRET, BY_SETTING
from dittoinfra.settings.dittofs_keys import FREE_SECTIONS, KEYS_SINCE, Version, keys_below
from dittoinfra.settings.layers import merge
from dittoinfra.settings.problems import unknown_key
from dittoinfra.state import Memory

Config = Mapping[str, Any]

_OF_SETTINGS = frozenset({*BY_SECRET, *BY_SETTING})
"""Keys that are nothing without Secrets, files and ports of the Pod, which only settings provide."""

_CREDENTIAL = re.compile(
    r"(passw|passphrase|secret|token|credential|private|key$|(^|[._-])key(?=[._-]))"
    r"(?!.*_(duration|file|interval|path|size|timeout|ttl)$)"
)
"""Of keys whose values a ConfigMap and the state should not show. Those of files and durations are none."""

_PASSWORD = re.compile(r"(passw(or)?d|passphrase)$")
"""Of keys whose values may be credentials even where YAML reads them as numbers."""

_LOGIN = re.compile(r"://[^/\s]*:[^/\s]*@")
"""A user's name and password in an address."""

_UNKNOWN = object()


class _ConfigLoader(yaml.SafeLoader):
    """Leaves dates as they are written: the server reads text there, and the state holds no dates."""


_ConfigLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True, slots=True)
class CarriedConfig:
    """What is carried over, by server, with what prevents it and what is said of it."""

    blocks: Mapping[str, Config] = field(default_factory=dict)
    refusals: tuple[AdoptionImpossible, ...] = ()
    notes: tuple[Note, ...] = ()


def carry_config(
    servers: tuple[ServerSettings, ...], memory: Memory, guarded: Guarded, objects: LiveObjects | None
) -> CarriedConfig:
    """What is remembered of adopted servers, and what those have that are adopted now."""
    blocks = {name: config for name, config in memory.carried.items() if name in {s.name for s in servers}}
    refusals: list[AdoptionImpossible] = []
    notes: list[Note] = []
    for server in servers:
        if server.deploy is None:
            continue
        name = config_map(server.name)
        live = (objects or {}).get(ObjectPlace("v1", "ConfigMap", server.namespace, name))
        adopted = HeldObject("v1", "ConfigMap", name) in guarded.adoptable.get(server.name, ())
        if live is not None and adopted:
            existing = _read(block(live.content, "data").get(CONFIG_KEY))
            if existing is None:
                why = (
                    f"its {CONFIG_KEY} is no YAML mapping, so that nothing could be carried over: correct it"
                )
                refusals.append(AdoptionImpossible(server.name, f"ConfigMap {name}", why))
                continue
            leaves = tuple(_leaves(existing, decided_keys(server.deploy)))
            blocks[server.name] = _carried(leaves)
            notes += _adoption_notes(server.name, leaves)
            if secret := sorted(leaf.path for leaf in leaves if leaf.fate is _Fate.REFUSED):
                why = (
                    f"{CONFIG_KEY}: {', '.join(secret)} there looks like a credential, which a ConfigMap and "
                    "the state would show: name it under deploy.config.extra, with null and its value in a "
                    "Secret for deploy.env, or with its value if it is none"
                )
                refusals.append(AdoptionImpossible(server.name, f"ConfigMap {name}", why))
        notes += _unknown_notes(server.name, server.deploy, blocks.get(server.name, {}))
    return CarriedConfig(
        {name: config for name, config in blocks.items() if config}, tuple(refusals), tuple(notes)
    )


def _read(text: object) -> Config | None:
    try:
        document = yaml.load(text, _ConfigLoader) if isinstance(text, str) else None  # noqa: S506 - a SafeLoader
    except yaml.YAMLError:
        return None
    if document is None:
        return {}
    return document if isinstance(document, dict) else None


class _Fate(Enum):
    CARRIED = auto()
    OVERRULED = auto()
    REFUSED = auto()


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A value of the file, and what becomes of it."""

    steps: tuple[str, ...]
    value: object
    fate: _Fate

    @property
    def path(self) -> str:
        return ".".join(self.steps)


def _leaves(existing: Config, decided: Config | None, above: tuple[str, ...] = ()) -> Iterator[_Leaf]:
    """Every value that is carried over, or is not what the settings say.

    `decided` is what they have in this place: None where they leave the section out.
    """
    # The server reads keys without regard to case; two spellings of one key would be two values.
    spelling = {key.lower(): key for key in decided or ()}
    for key, value in existing.items():
        name = spelling.get(str(key).lower(), str(key))
        here = decided.get(name, _UNKNOWN) if decided is not None else None
        steps = (*above, name)
        below: object = {} if here is _UNKNOWN else here
        if isinstance(value, Mapping) and (below is None or isinstance(below, Mapping)):
            yield from _leaves(value, below, steps)
        elif value is not None and value != here and not (_is_off(name, value) and decided is None):
            yield _Leaf(steps, value, _fate(".".join(steps).lower(), value, here))


def _is_off(key: str, value: object) -> bool:
    """Whether a section is switched off, which is the same as to leave it out."""
    return key.lower() == "enabled" and value is False


def _fate(path: str, value: object, here: object) -> _Fate:
    if here is not _UNKNOWN or path in _OF_SETTINGS:
        return _Fate.OVERRULED
    return _Fate.REFUSED if _is_credential(path, value) else _Fate.CARRIED


def _is_credential(path: str, value: object) -> bool:
    match value:
        case bool():
            return False
        case int():
            return _PASSWORD.search(path) is not None
        case str():
            return bool(value) and (_LOGIN.search(value) or _CREDENTIAL.search(path)) is not None
        case list():
            return any(_is_credential(path, item) for item in value)
        case Mapping():
            return any(_is_credential(f"{path}.{key}".lower(), item) for key, item in value.items())
        case _:
            return False


def _carried(leaves: tuple[_Leaf, ...]) -> dict[str, Any]:
    """What is carried over, as a block of its own."""
    carried: dict[str, Any] = {}
    for leaf in leaves:
        if leaf.fate is _Fate.CARRIED:
            branch: Any = leaf.value
            for step in reversed(leaf.steps):
                branch = {step: branch}
            carried = merge(carried, branch)
    return carried


def _adoption_notes(server: str, leaves: tuple[_Leaf, ...]) -> Iterator[Note]:
    for fate, text in (
        (_Fate.CARRIED, "carried over as it is there; deploy.config.extra changes it"),
        (
            _Fate.OVERRULED,
            "there is not what the settings here say, and they win; set what is to stay, or write it under "
            "deploy.config.extra",
        ),
    ):
        if paths := sorted(leaf.path for leaf in leaves if leaf.fate is fate):
            warning = fate is not _Fate.CARRIED
            yield Note(server, f"{CONFIG_KEY}: {', '.join(paths)} {text}", warning=warning)


def _unknown_notes(server: str, deploy: Deploy, carried: Config) -> Iterator[Note]:
    image = image_version(deploy.image)
    version = image.release if image is not None else None
    for path in sorted(_unread(merge(carried, deploy.config.extra), version)):
        since = KEYS_SINCE.get(path.lower())
        if since is None:
            section, _, key = path.rpartition(".")
            known = keys_below(section.lower())
            why = unknown_key(key, known) if known else "is not a known key: the server reads one value there"
            yield Note(server, f"{CONFIG_KEY}: {path!r} is written as it is, but {why}", warning=True)
        else:
            read_since = ".".join(map(str, since))
            text = f"{CONFIG_KEY}: {path!r} is read since v{read_since}, and ignored by {deploy.image}"
            yield Note(server, text, warning=True)


def _unread(written: Config, version: Version | None, above: str = "") -> Iterator[str]:
    """Keys that a server of this version does not read; of a section that it does not read, only that one."""
    for key, value in written.items():
        path = f"{above}{key}"
        since = KEYS_SINCE.get(path.lower())
        if since is None or (version is not None and version < since):
            yield path
        elif isinstance(value, Mapping) and path.lower() not in FREE_SECTIONS:
            yield from _unread(value, version, f"{path}.")
