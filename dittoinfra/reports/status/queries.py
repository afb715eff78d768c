"""Reads stacks without changing anything, and without an engine."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from dittoinfra.decide.image_changes import ServerImage
from dittoinfra.decide.server_discovery import discover
from dittoinfra.dittofs import LOOKING
from dittoinfra.exitcodes import ExitCode
from dittoinfra.kubernetes import ClusterError
from dittoinfra.model import FoundServer
from dittoinfra.object_model import ObjectPlace
from dittoinfra.program.declared_objects import declared_objects
from dittoinfra.program.provider_cluster import (
    ProviderCluster,
    endpoint_slices,
    list_live_servers,
    live_objects,
    server_images,
)
from dittoinfra.program.run_errors import RunStopped
from dittoinfra.program.survey import RunRecord, read_settings
from dittoinfra.reports.failure import Failure
from dittoinfra.reports.result_model import HistoryEntry
from dittoinfra.reports.stack_history import history_entry
from dittoinfra.reports.status.forecast import Forecast, forecast
from dittoinfra.reports.status.stack_status import (
    ClusterUnknown,
    EndpointSlices,
    LiveManifests,
    StackFacts,
    exported_state,
    service_place,
    stack_view,
)
from dittoinfra.reports.status.status_model import StackStatus
from dittoinfra.stacks.backend_stack import BackendStack
from dittoinfra.stacks.cli_process import CliFailedError, Processes, cli_failure, results
from dittoinfra.stacks.project import Project
from dittoinfra.stacks.stack_survey import context_of, read_stack, survey_stack
from dittoinfra.trouble import Trouble
from dittoinfra.visible import internal_error

Found = TypeVar("Found")

_LATEST = 10
"""So many operations are looked at for the last one that changed something."""


def query_stacks(
    project: Project,
    stacks: Sequence[str],
    query: Callable[[BackendStack], Found],
    *,
    at_once: int,
    processes: Processes,
) -> list[Found | Failure]:
    """The result of a query for each stack, in the order of the names; several run in parallel."""

    def result(name: str) -> Found | Failure:
        if processes.interrupted:
            return _failure(name, ExitCode.CANCELLED, "cancelled before it was asked about")
        try:
            return query(project.stack(name, create=False))
        except CliFailedError as error:
            trouble = cli_failure(name, error)
            return _failure(name, trouble.exit_code, trouble.line)
        except RunStopped as stopped:
            return _failure(name, stopped.exit_code, *stopped.reasons)
        except Exception as error:  # noqa: BLE001 - a bug that one stack triggers must not affect the others
            return _failure(name, 1, internal_error(error))

    with ThreadPoolExecutor(at_once, "stack") as pool:
        return results([pool.submit(result, name) for name in stacks])


def _failure(stack: str, exit_code: int, *errors: object) -> Failure:
    return Failure(stack=stack, errors=tuple(map(str, errors)), exit_code=exit_code)


def stack_status(stack: BackendStack) -> StackStatus:
    """The status of a stack; `RunStopped` or `CliFailedError` where it cannot be read."""
    with ThreadPoolExecutor(1, "history") as pool:
        history = pool.submit(read_history, stack, _LATEST)
        stored = read_stack(stack)
        record = survey_stack(stack, stored, replace(context_of(stack), backoff=LOOKING))
    state = exported_state(stored.deployment)
    decision = record.decision
    next_run: Forecast = {}
    if not decision.refusals:
        declared = declared_objects(record, patches=True)
        next_run = forecast(declared, stored.deployment, decision)
    places = set(map(service_place, state.services.values()))
    live: LiveManifests | ClusterUnknown
    slices: Mapping[str, EndpointSlices] = {}
    images: Mapping[str, ServerImage | Trouble] = {}
    if record.configuration.manifests is not None and places:
        why = "the provider writes manifests, so there is no cluster to ask"
        live = ClusterUnknown(why, exists=False)
    else:
        with ThreadPoolExecutor(2, "cluster") as pool:
            asked = pool.submit(endpoint_slices, record.cluster, {place.namespace for place in places})
            named = pool.submit(server_images, record.cluster, decision.known)
            live = read_live(record, places)
            slices, images = asked.result(), named.result()
    return stack_view(StackFacts(stack.name, record, next_run, state, live, history.result(), slices, images))


def read_history(stack: BackendStack, entries: int) -> tuple[HistoryEntry, ...]:
    """The latest operations on a stack, newest first; `CliFailedError` where they cannot be read."""
    return tuple(map(history_entry, stack.history(entries)))


def read_live(record: RunRecord, places: Iterable[ObjectPlace]) -> LiveManifests | ClusterUnknown:
    """The objects of a stack that exist in its cluster; none where its provider writes manifests."""
    try:
        return live_objects(record.cluster, places)
    except ClusterError as error:
        return ClusterUnknown(str(error))


def found_servers(stack: BackendStack) -> tuple[tuple[FoundServer, ...], tuple[str, ...]]:
    """The servers that a stack finds in its cluster, and why there may be more of them; none is polled.

    `RunStopped` or `CliFailedError` where they cannot be listed.
    """
    stored = read_stack(stack)
    settings = read_settings(stored.configuration)
    cluster = ProviderCluster.of(stored.configuration, stack.environment)
    listings = list_live_servers(settings, cluster)
    discovery = discover(settings, stored.memory(), listings)
    return discovery.servers, tuple(gap.why for listing in listings for gap in listing.gaps)
