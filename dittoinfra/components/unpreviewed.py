"""Objects that the API would refuse in a preview, although it accepts the update.

The provider does not send an object with an unknown value in a preview, so one value is made unknown.
"""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi.runtime.rpc import UNKNOWN

from dittoinfra.object_model import HeldObject
from dittoinfra.urns import SERVICE, object_and_component

_STATEFUL_SET = "kubernetes:apps/v1:StatefulSet"


def hide_moved_ports(
    args: pulumi.ResourceTransformationArgs, unapplied: Mapping[HeldObject, Mapping[str, int]]
) -> None:
    """Make the numbers of moved ports unknown in objects that have not been updated since their creation.

    `unapplied` are the ports that such objects have now, by name.
    """
    own, _ = object_and_component(args.name)
    if args.type_ == SERVICE:
        held, ports, number = (
            HeldObject("v1", "Service", own),
            _field(args.props["spec"], "ports"),
            "port",
        )
    elif args.type_ == _STATEFUL_SET:
        held = HeldObject("apps/v1", "StatefulSet", own)
        containers = _field(args.props["spec"], "template")["spec"]["containers"]
        ports, number = [port for this in containers for port in this["ports"]], "containerPort"
    else:
        return
    now = unapplied.get(held, {})
    for port in ports:
        name, wanted = _field(port, "name"), _field(port, number)
        if now.get(name, wanted) != wanted:
            pulumi.log.info(
                f"{held.kind} {held.name}: {name} moves from {now[name]} to {wanted}; the preview of this "
                "first update since it was created shows the number as unknown"
            )
            if isinstance(port, dict):
                port[number] = UNKNOWN
            else:
                setattr(port, number, UNKNOWN)


def _field(value: Any, name: str) -> Any:  # noqa: ANN401 - inputs of the SDK, as objects or as plain values
    return value[name] if isinstance(value, dict) else getattr(value, name)
