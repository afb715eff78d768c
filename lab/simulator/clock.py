"""The one place where the simulator looks at a clock."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)
