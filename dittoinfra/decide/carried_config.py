"""Keys of `config.yaml` that no setting decides on: carried over when a server is adopted, and said. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from dittoinfra.decide.config_file import config_blocks
from dittoinfra.decide.guard import Guarded
from dittoinfra.decide.image_changes import image_version
from dittoinfra.decide.pod import CONFIG_KEY
from dittoinfra.decide.refusals import AdoptionImpossible
from dittoinfra.model import Note
from dittoinfra.naming import config_map
from dittoinfra.nested_values import block
from dittoinfra.object_model import HeldObject, LiveObjects, ObjectPlace
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.dittofs_config import BY_SECRET, BY_SETTING, KEYS_SINCE, KNOWN_KEYS
from dittoinfra.settings.problems import unknown_key
from dittoinfra.state import Memory

Config = Mapping[str, Any]

_OF_SETTINGS = frozenset(
    {"controlplane.tls", "database", "kerberos", "ldap", "metrics", *BY_SECRET, *BY_SETTING}
)
"""Keys that are nothing without Secrets, files and ports of the Pod, which only settings provide."""


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
            declared = config_blocks(server.deploy)
            blocks[server.name] = dict(_undecided(existing, declared))
            notes += _carried_notes(server.name, blocks[server.name], tuple(_lost(existing, declared)))
        notes += _unknown_notes(server.name, server.deploy, blocks.get(server.name, {}))
    return CarriedConfig(
        {name: config for name, config in blocks.items() if config}, tuple(refusals), tuple(notes)
    )


def _read(text: object) -> Config | None:
    try:
        document = yaml.safe_load(text) if isinstance(text, str) else None
    except yaml.YAMLError:
        return None
    if document is None:
        return {}
    return document if isinstance(document, dict) else None


def _undecided(existing: Config, declared: Config, above: str = "") -> Iterator[tuple[str, Any]]:
    """What no setting decides on, as a block of its own."""
    known = {key.lower(): value for key, value in declared.items()}
    for key, value in existing.items():
        path = f"{above}{key}".lower()
        if path in _OF_SETTINGS or value is None:
            continue
        if isinstance(value, Mapping):
            below = known.get(str(key).lower(), {})
            if isinstance(below, Mapping) and (left := dict(_undecided(value, below, f"{path}."))):
                yield str(key), left
        elif str(key).lower() not in known:
            yield str(key), value


def _lost(existing: Config, declared: Config, above: str = "") -> Iterator[str]:
    """Keys that settings decide on, and that have another value there."""
    known = {key.lower(): value for key, value in declared.items()}
    for key, value in existing.items():
        path, here = f"{above}{key}".lower(), known.get(str(key).lower())
        of_settings = any(f"{path}.".startswith(f"{prefix}.") for prefix in _OF_SETTINGS)
        if isinstance(value, Mapping):
            yield from _lost(value, here if isinstance(here, Mapping) else {}, f"{path}.")
        # What is off or empty there, and not mentioned here, is the same.
        elif (here is not None or (of_settings and value)) and value != here:
            yield path


def _carried_notes(server: str, carried: Config, lost: tuple[str, ...]) -> Iterator[Note]:
    if carried:
        keys = ", ".join(sorted(carried))
        text = f"{CONFIG_KEY}: {keys} carried over as it is there; deploy.config.extra changes it"
        yield Note(server, text)
    if lost:
        text = (
            f"{CONFIG_KEY}: {', '.join(sorted(lost))} there is not what the settings here say, and they win"
        )
        yield Note(server, f"{text}; set what is to stay", warning=True)


def _unknown_notes(server: str, deploy: Deploy, carried: Config) -> Iterator[Note]:
    version = image_version(deploy.image)
    for key in sorted({*carried, *deploy.config.extra}):
        since = KEYS_SINCE.get(key.lower())
        if key.lower() not in KNOWN_KEYS:
            text = f"{CONFIG_KEY}: {key!r} is written as it is, but {unknown_key(key, KNOWN_KEYS)}"
            yield Note(server, text, warning=True)
        elif since is not None and version is not None and version < since:
            read_since = ".".join(map(str, since))
            text = f"{CONFIG_KEY}: {key!r} is read since v{read_since}, and ignored by {deploy.image}"
            yield Note(server, text, warning=True)
