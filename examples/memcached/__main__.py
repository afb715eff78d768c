"""One headless Service in front of Memcached: a DNS name with the address of every Pod behind it."""

import pulumi

from dittoinfra import HeadlessPort, HeadlessService

config = pulumi.Config()
ports: list[HeadlessPort] = [{"name": "memcached", "port": 11211}]
if config.require_bool("tls"):
    ports.append({"name": "memcached-tls", "port": 11212})
if config.require_bool("metrics"):
    ports.append({"name": "metrics", "port": 9150})

cache = HeadlessService(
    config.require("name"),
    {
        "namespace": config.require("namespace"),
        "app": "memcached",
        "managed_by": "memcached-operator",
        "ports": [*ports],
        "annotations": config.get_object("annotations") or {},
    },
)

pulumi.export("host", cache.host)
pulumi.export("endpoints", cache.endpoints)
