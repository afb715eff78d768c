"""One headless Service in front of Memcached: a DNS name with the address of every Pod behind it."""

import pulumi

from dittoinfra.components import HeadlessService, HeadlessServiceArgs, ServicePort

config = pulumi.Config()
name = config.require("name")
ports = [
    ServicePort.named("memcached", 11211),
    *([ServicePort.named("memcached-tls", 11212)] if config.require_bool("tls") else []),
    *([ServicePort.named("metrics", 9150)] if config.require_bool("metrics") else []),
]

cache = HeadlessService(
    name,
    HeadlessServiceArgs(
        name=name,
        namespace=config.require("namespace"),
        app="memcached",
        instance=name,
        managed_by="memcached-operator",
        ports=ports,
        annotations=config.get_object("annotations") or {},
    ),
)

host = cache.service.metadata.apply(lambda metadata: f"{metadata.name}.{metadata.namespace}.svc")
pulumi.export("host", host)
pulumi.export("endpoints", {port.name: pulumi.Output.concat(host, f":{port.port}") for port in ports})
