"""Which state and which configuration a run's answers were given for, and what has changed since. Pure."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from dittoinfra.decide.observations import Fingerprints
from dittoinfra.model import RememberedServer
from dittoinfra.naming import adapter_resource
from dittoinfra.program.run_errors import PlanOutdated
from dittoinfra.settings.configuration import Configuration
from dittoinfra.state import Memory
from dittoinfra.urns import resource_name, resource_text


class _Difference(StrEnum):
    GONE = "is gone"
    NEW = "is new"
    CHANGED = "has changed"


def take_fingerprints(
    configuration: Configuration, memory: Memory, salt: bytes | None = None
) -> Fingerprints:
    """The fingerprints of a stack as it is; with a salt they may be kept in a file."""
    words = dict(_in_words(memory))
    return Fingerprints(
        configuration.digests(salt), words, memory.fingerprints, salt, exact=not memory.exported
    )


def check_given(given_for: Fingerprints, configuration: Configuration, memory: Memory) -> None:
    """`PlanOutdated` where answers were given for another state or configuration than this one."""
    moved = differences(given_for, take_fingerprints(configuration, memory, given_for.salt))
    if moved:
        raise PlanOutdated(moved, saved=given_for.salt is not None)


def differences(then: Fingerprints, now: Fingerprints) -> tuple[str, ...]:
    """What has changed, as text. Pure."""
    return (
        *(
            f"{key} of the configuration {how}"
            for key, how in _compare(then.configuration, now.configuration)
        ),
        *_remembered_differently(then.memory, now.memory or {}),
        *_unexpected(then.servers, now.memory or {}),
        *_resources_differ(then, now),
    )


def _resources_differ(then: Fingerprints, now: Fingerprints) -> Iterator[str]:
    if then.resources is None:
        return
    remembered = {name for name, _ in _compare(then.memory or {}, now.memory or {})}
    told = remembered | {name.partition("/")[0] for name in remembered}
    for urn, how in _compare(then.resources, now.resources or {}):
        if resource_name(urn) in told:
            continue
        # A refresh changes resources and drops deleted ones. It adds none: a new one belongs to another run,
        # and would be deleted without having been in a preview. An object of an adapter that was remembered
        # then is no surprise: the preview has told what becomes of it.
        surprise = how is _Difference.NEW and resource_name(urn) not in (then.memory or {})
        if then.exact or then.salt is not None or surprise:
            yield f"{resource_text(urn)} {how} in the stack's state"


def _remembered_differently(then: Mapping[str, str] | None, now: Mapping[str, str]) -> Iterator[str]:
    if then is None:
        return
    for name, how in _compare(then, now):
        if how is _Difference.CHANGED:
            yield f"{name} was {then[name]}, and is {now[name]}"
        else:
            yield f"{name} {how} in what the stack remembers"


def _unexpected(servers: frozenset[str] | None, now: Mapping[str, str]) -> Iterator[str]:
    if servers is not None:
        for name in sorted({name.partition("/")[0] for name in now} - servers):
            yield f"{name} is new in what the stack remembers"


def _compare(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[tuple[str, _Difference]]:
    for key in sorted(before.keys() | now.keys()):
        if key not in now:
            yield key, _Difference.GONE
        elif key not in before:
            yield key, _Difference.NEW
        elif before[key] != now[key]:
            yield key, _Difference.CHANGED


def _in_words(memory: Memory) -> Iterator[tuple[str, str]]:
    for name, server in memory.servers.items():
        yield name, f"in namespace {server.namespace}{_found(server)}"
    for name, adapters in memory.adapters.items():
        for adapter in adapters.values():
            words = f"on port {adapter.port}, absent {adapter.absences} times"
            yield adapter_resource(name, adapter.type), words


def _found(server: RememberedServer) -> str:
    if server.found is None:
        return ""
    labels = ", ".join(f"{key}={value}" for key, value in sorted(server.found.items()))
    return f", found by its labels ({labels}), missed {server.absences} times"
