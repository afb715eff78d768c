"""Every fault there is."""

from tests.chaos.faults import (
    adapters,
    connection,
    documents,
    encryption,
    framing,
    pace,
    redirects,
    statuses,
    ways,
)

CATALOGUE = (
    *connection.FAULTS,
    *pace.FAULTS,
    *framing.FAULTS,
    *documents.FAULTS,
    *adapters.FAULTS,
    *statuses.FAULTS,
    *redirects.FAULTS,
    *encryption.FAULTS,
    *ways.FAULTS,
)
