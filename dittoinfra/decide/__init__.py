"""From what was heard and what is remembered to what is declared. Pure: no engine, no network, no clock."""

from dittoinfra.decide.brake import stale_approvals
from dittoinfra.decide.claims import planned_fields, replacements
from dittoinfra.decide.conditions import Condition, conditions
from dittoinfra.decide.discovery import Discovery, discover
from dittoinfra.decide.exposure import (
    ContainerPort,
    ServicePort,
    container_ports,
    headless_ports,
    service_ports,
    template_ports,
)
from dittoinfra.decide.name_notes import locate, name_notes, unlocated_namespaces
from dittoinfra.decide.names import NamedAdapter, NameDecision, decide_names
from dittoinfra.decide.refusals import (
    BrakePulled,
    FoundTwice,
    NameFault,
    NameRefused,
    NameTaken,
    PortLost,
    Refusal,
    ServerUnanswered,
    WorkloadReplaced,
)
from dittoinfra.decide.server import decide_server, wants_another_poll
from dittoinfra.decide.stack import decide_stack, refusals, standing
from dittoinfra.decide.text import decision_text, outcome_text, state_text

__all__ = [
    "BrakePulled",
    "Condition",
    "ContainerPort",
    "Discovery",
    "FoundTwice",
    "NameDecision",
    "NameFault",
    "NameRefused",
    "NameTaken",
    "NamedAdapter",
    "PortLost",
    "Refusal",
    "ServerUnanswered",
    "ServicePort",
    "WorkloadReplaced",
    "conditions",
    "container_ports",
    "decide_names",
    "decide_server",
    "decide_stack",
    "decision_text",
    "discover",
    "headless_ports",
    "locate",
    "name_notes",
    "outcome_text",
    "planned_fields",
    "refusals",
    "replacements",
    "service_ports",
    "stale_approvals",
    "standing",
    "state_text",
    "template_ports",
    "unlocated_namespaces",
    "wants_another_poll",
]
