"""Times on the command line, written as in the configuration."""

from datetime import timedelta

from dittoinfra.cli.errors import CommandError
from dittoinfra.exitcodes import ExitCode


def seconds_of(text: str, flag: str) -> float:
    """`90s`, `5m`, `1h`, or `0` for none at all."""
    if text == "0":
        return 0.0
    from pydantic import TypeAdapter, ValidationError

    from dittoinfra.settings.base import LongDuration

    reader: TypeAdapter[timedelta] = TypeAdapter(LongDuration)
    try:
        return reader.validate_python(text).total_seconds()
    except ValidationError as error:
        why = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
        raise CommandError(f"{flag} {text}: {why}, or 0", ExitCode.CONFIGURATION) from None
