"""Everything that is measured, one file for each question."""

from bench.measurement import Measurement
from bench.measurements import backend, beginning, decide, discovery, idle, inline, poll, react, resources

ALL: tuple[Measurement, ...] = (
    *discovery.MEASUREMENTS,
    *inline.MEASUREMENTS,
    *poll.MEASUREMENTS,
    *decide.MEASUREMENTS,
    *resources.MEASUREMENTS,
    *beginning.MEASUREMENTS,
    *react.MEASUREMENTS,
    *idle.MEASUREMENTS,
    *backend.MEASUREMENTS,
)
