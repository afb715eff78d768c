"""The simulator's clock, used by all its modules."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)
