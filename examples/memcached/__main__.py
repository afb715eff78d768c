"""One headless Service in front of Memcached: a DNS name with the address of every Pod behind it."""

import pulumi

from dittoinfra.declare import HeadlessService, HeadlessServiceArgs, ServicePort

config = pulumi.Config()
name = config.require("name")

HeadlessService(
    name,
    HeadlessServiceArgs(
        name=name,
        namespace=config.require("namespace"),
        app="memcached",
        instance=name,
        managed_by="memcached-operator",
        ports=[ServicePort.named("memcached", 11211)],
        annotations=config.get_object("annotations") or {},
    ),
)
