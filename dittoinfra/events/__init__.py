"""What the engine did, told with the DittoFS operator's reasons."""

from dittoinfra.events.event import Event, EventObject
from dittoinfra.events.kubernetes import KubernetesEvents
from dittoinfra.events.lines import JsonLines
from dittoinfra.events.teller import EventTeller, Sink

__all__ = ["Event", "EventObject", "EventTeller", "JsonLines", "KubernetesEvents", "Sink"]
