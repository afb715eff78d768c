"""Reading and changing adapters."""

from dataclasses import replace
from http import HTTPStatus

from lab.simulator.adapter import HIGHEST_PORT, Adapter
from lab.simulator.adapter_settings import default_settings
from lab.simulator.adapter_table import (
    AdapterExistsError,
    AdapterMissingError,
    AdapterNotStartedError,
    AdapterPanickedError,
    AdapterRefusedError,
    UnknownAdapterTypeError,
)
from lab.simulator.answers import Answer, RefusedError, empty, ok, problem
from lab.simulator.api import Call
from lab.simulator.bodies import members


def list_ports(call: Call) -> Answer:
    return ok([adapter.shown_ports() for adapter in call.server.adapters.listed()])


def list_all(call: Call) -> Answer:
    return ok([adapter.shown() for adapter in call.server.adapters.listed()])


def get(call: Call) -> Answer:
    return ok(_adapter(call).shown())


def status(call: Call) -> Answer:
    return ok(_adapter(call).shown_status())


def get_settings(call: Call) -> Answer:
    return ok(_adapter(call).shown_settings(call.server.adapters.version))


def create(call: Call) -> Answer:
    # "enabled" is read for its type alone: whatever it says, the adapter is enabled.
    given = members(call.body, {"type": str, "port": int, "enabled": bool, "config": dict})
    if not given.get("type"):
        return problem(HTTPStatus.BAD_REQUEST, "Adapter type is required")
    try:
        created = call.server.adapters.create(given["type"], given.get("port", 0), given.get("config", {}))
    except AdapterExistsError:
        return problem(HTTPStatus.CONFLICT, "Adapter already exists")
    except AdapterRefusedError as error:
        return problem(HTTPStatus.BAD_REQUEST, str(error))
    except UnknownAdapterTypeError:
        return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "Failed to create adapter")
    except AdapterNotStartedError as error:
        cause = f"Failed to create adapter: failed to start adapter: {error}"
        return problem(HTTPStatus.INTERNAL_SERVER_ERROR, cause)
    except AdapterPanickedError:
        return empty(HTTPStatus.INTERNAL_SERVER_ERROR)
    # The answer is written from the row as it was before the adapter started.
    return ok(replace(created, running=False).shown(), HTTPStatus.CREATED)


def update(call: Call) -> Answer:
    given = members(call.body, {"port": int, "enabled": bool, "config": dict})
    try:
        return ok(call.server.adapters.update(call.params["type"], **given).shown())
    except AdapterMissingError:
        return _missing()
    except AdapterRefusedError as error:
        return problem(HTTPStatus.BAD_REQUEST, str(error))
    except AdapterNotStartedError as error:
        cause = f"Failed to update adapter: failed to restart adapter after update: {error}"
        return problem(HTTPStatus.INTERNAL_SERVER_ERROR, cause)
    except AdapterPanickedError:
        return empty(HTTPStatus.INTERNAL_SERVER_ERROR)


def remove(call: Call) -> Answer:
    try:
        call.server.adapters.remove(call.params["type"])
    except AdapterMissingError:
        return _missing()
    return empty(HTTPStatus.NO_CONTENT)


def patch_settings(call: Call) -> Answer:
    adapter = _adapter(call)
    adapters = call.server.adapters
    defaults = default_settings(adapters.version).get(adapter.type, {})
    changes = members(call.body, {name: type(value) for name, value in defaults.items()})
    if not 1 <= changes.get("portmapper_port", 1) <= HIGHEST_PORT:
        errors = {"portmapper_port": f"must be between 1 and {HIGHEST_PORT}"}
        return problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "One or more settings are outside valid range",
            title="Validation Failed",
            errors=errors,
        )
    changed = adapters.update_settings(adapter.type, changes)
    return ok(changed.shown_settings(adapters.version))


def _adapter(call: Call) -> Adapter:
    try:
        return call.server.adapters.get(call.params["type"])
    except AdapterMissingError:
        raise RefusedError(_missing()) from None


def _missing() -> Answer:
    return problem(HTTPStatus.NOT_FOUND, "Adapter not found")
