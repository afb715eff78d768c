"""The first four steps of a run, from the configuration to the decision: they need no engine, and no SDK."""

from dataclasses import dataclass, field, replace

from dittoinfra.decide.decision import Decision, decide
from dittoinfra.decide.observations import Answers
from dittoinfra.model import Note
from dittoinfra.program.observe import RunContext, observe
from dittoinfra.program.provider_cluster import ProviderCluster
from dittoinfra.program.run_errors import ConfigurationRefused, PlanOutdated
from dittoinfra.settings import ConfigurationError, StackSettings
from dittoinfra.settings.configuration import Configuration
from dittoinfra.state import Memory


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run, up to its decision."""

    configuration: Configuration = field(repr=False)
    settings: StackSettings = field(repr=False)
    memory: Memory
    """What the stack held before."""
    answers: Answers
    """What it observed, for another run to use."""
    decision: Decision
    notes: tuple[Note, ...] = ()
    """Notes for the user about the requests themselves."""
    cluster: ProviderCluster | None = field(default=None, repr=False, compare=False)
    """The client for the stack's cluster: all that this run asks it shares its credentials. None where the
    provider writes manifests."""


def read_settings(configuration: Configuration) -> StackSettings:
    """The settings in a configuration, or `ConfigurationRefused`."""
    try:
        return configuration.settings()
    except ConfigurationError as error:
        raise ConfigurationRefused(error.problems) from None


def survey(
    configuration: Configuration,
    settings: StackSettings,
    memory: Memory,
    context: RunContext,
    given: Answers | None = None,
) -> RunRecord:
    """Observe and decide; nothing is declared."""
    cluster = ProviderCluster.of(configuration, context.environ)
    observations = observe(configuration, settings, memory, context, cluster, given)
    empty = configuration.source_without_servers(settings)
    decision = decide(settings, memory, observations, empty)
    told = (*observations.notes, *(decision.cut_off if decision.refusals else ()))
    aside = decision.aside.names
    if given is not None and given.left_out is not None and (changed := given.left_out ^ aside):
        # What is left out follows from live objects, which are read again, and not from the answers.
        why = "others have created, deleted or hidden an object that was to be created for"
        raise PlanOutdated([f"{why} {name}" for name in sorted(changed)], saved=False)
    answers = replace(observations.answers, left_out=aside)
    return RunRecord(configuration, settings, memory, answers, decision, told, cluster)
