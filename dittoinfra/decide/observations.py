"""Everything that a run observed, as values: the answers of the servers, and what the cluster has.

To record a run's answers, keep the value; to replay them, pass it on. They carry the fingerprints of the
state and the configuration that they were given for, and are used with nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dittoinfra.adapter_usage import UsageAnswer
from dittoinfra.decide.custom_kinds import CustomKind, Knowledge
from dittoinfra.decide.names import LiveServices
from dittoinfra.decide.secret_restarts import KeyOfSecret
from dittoinfra.model import Listing, Note, ServerPolls
from dittoinfra.object_model import LiveObjects, ObjectPlace

Polls = Mapping[str, ServerPolls]
"""The answers of every server in one run, by server name."""


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """The state and the configuration that answers belong to."""

    configuration: Mapping[str, str] = field(default_factory=dict)
    """One for every key."""
    memory: Mapping[str, str] | None = field(default_factory=dict)
    """What is remembered of every server and every adapter, as text; None where no answer depends on it."""
    resources: Mapping[str, str] | None = None
    """One for every resource by URN; None where no answer depends on them."""
    salt: bytes | None = None
    """Of fingerprints that are kept in a file; without it they can be compared in this process only."""
    exact: bool = True
    """Whether resources can be compared one by one: not where the run refreshes the state first, nor where
    they were read from an exported state, which has other numbers in it than the engine's."""
    servers: frozenset[str] | None = None
    """The only servers that may be remembered, where `memory` is None: a server added since would look like
    one that was removed from the configuration."""


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """What the cluster has and serves; without entries for what could not be read."""

    kinds: Mapping[CustomKind, Knowledge] = field(default_factory=dict)
    namespaces: Mapping[str, bool] = field(default_factory=dict)
    """Whether a namespace exists."""
    services: LiveServices = field(default_factory=dict)
    """What the Services say in the namespaces that were read."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What another run needs to make the same decision."""

    given_for: Fingerprints
    """The only state and configuration that they may be used with."""
    polls: Polls = field(default_factory=dict)
    listings: tuple[Listing, ...] = ()
    facts: ClusterFacts | None = None
    """None where they are to be read again."""
    held: str = ""
    """Why the run that was given them was refused and held everything; a run that uses them does the same."""
    left_out: frozenset[str] | None = field(default=None, compare=False)
    """Servers and adapters that the decision on them has set aside; None before there is one."""

    def inexact(self) -> "Answers":
        """These answers, for a run that refreshes the state first."""
        return replace(self, given_for=replace(self.given_for, exact=False))


@dataclass(frozen=True, slots=True)
class Observations:
    """Everything that one run observed."""

    answers: Answers
    facts: ClusterFacts = field(default_factory=ClusterFacts)
    objects: LiveObjects | None = None
    """Live objects that the run would declare, read again in every run; None where they were not read."""
    unseen: Mapping[ObjectPlace, str] = field(default_factory=dict)
    """Why some of them could not be read; without those of kinds that the cluster does not know."""
    notes: tuple[Note, ...] = ()
    """Notes for the user about the requests themselves."""
    secrets: Mapping[str, Mapping[KeyOfSecret, str]] = field(default_factory=dict)
    """Keyed digests of the Secrets that deployed servers read, by server; none of what was not read."""
    in_use: Mapping[str, UsageAnswer] = field(default_factory=dict)
    """Who uses the servers whose clients this run would cut off, asked again in every run."""
