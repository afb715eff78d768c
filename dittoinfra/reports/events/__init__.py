"""What the engine did, as events with the DittoFS operator's reasons."""

from dittoinfra.reports.events.event_sinks import Event, EventObject, JsonLines, KubernetesEvents, Sink
from dittoinfra.reports.events.event_writer import EventWriter

__all__ = ["Event", "EventObject", "EventWriter", "JsonLines", "KubernetesEvents", "Sink"]
