"""Everything that is measured, one file for each question."""

from bench.measurement import Measurement
from bench.measurements import (
    backend,
    beginning,
    decide,
    discovery,
    first_up,
    fleet,
    fleet_watch,
    idle,
    inline,
    plain_preview,
    poll,
    queries,
    react,
    resources,
    soak,
)

ALL: tuple[Measurement, ...] = (
    *discovery.MEASUREMENTS,
    *plain_preview.MEASUREMENTS,
    *inline.MEASUREMENTS,
    *queries.MEASUREMENTS,
    *poll.MEASUREMENTS,
    *decide.MEASUREMENTS,
    *resources.MEASUREMENTS,
    *beginning.MEASUREMENTS,
    *react.MEASUREMENTS,
    *idle.MEASUREMENTS,
    *soak.MEASUREMENTS,
    *fleet_watch.MEASUREMENTS,
    *fleet.MEASUREMENTS,
    *first_up.MEASUREMENTS,
    *backend.MEASUREMENTS,
)
