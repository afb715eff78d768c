"""Names that cannot be had: a line each with its reason's name, all at once, and nothing is changed."""

from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server


def test_every_refusal_is_told_at_once_by_its_name(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs))
    world.up()
    before = world.services()

    def named(name: str, nfs: dict[str, object], smb: dict[str, object]) -> dict[str, object]:
        return server(dittofs, name, adapters={"types": {"nfs": nfs, "smb": smb}})

    taken = {"hostname": "Files.example.com", "aliases": ["bücher.example"]}
    report_of_mistakes = {
        "annotations": {"router-hosts.fzymgc.house/hostname": "other.example.com"},
        "dns": {"hostname": "one.example.com", "aliases": [f"a{n}.example.com" for n in range(51)]},
    }
    world.configure(
        named("media", {"type": "ClusterIP", "dns": {"hostname": "a.example.com"}}, {"dns": {}}),
        named(
            "archive",
            {"type": "NodePort", "dns": {"hostname": "b.example.com"}},
            {"dns": {"hostname": "{type}_1.example.com", "aliases": ["-{server}.example.com"], "ttl": 60}},
        ),
        named("vault", {"dns": taken}, {"dns": {"hostname": "xn--bcher-kva.EXAMPLE"}}),
        named("cold", report_of_mistakes, {"dns": {"hostname": "FILES.example.com"}}),
    )
    report = world.stack.preview()

    assert report.exit_code == 2
    assert [line.split(": ")[:2] for line in report.lines("error")] == [
        ["media/nfs", "InvalidServiceType"],
        ["media/smb", "MissingHostname"],
        ["archive/nfs", "MissingIPAddress"],
        ["archive/smb", "InvalidHostname"],
        ["archive/smb", "InvalidHostname"],
        ["archive/smb", "UnsupportedSetting"],
        ["cold/nfs", "InvalidConfiguration"],
        ["cold/nfs", "AnnotationTaken"],
        ["vault/smb", "HostnameTaken"],
        ["cold/smb", "HostnameTaken"],
    ]
    assert report.lines("error")[0] == (
        "media/nfs: InvalidServiceType: its Service is a ClusterIP, which has no address outside the "
        "cluster; set its type to LoadBalancer or NodePort, or its dns to null"
    )
    assert "Traceback" not in str(report)
    assert world.stack.up().exit_code == 2
    assert world.services() == before


def test_what_the_settings_can_see_is_told_with_its_place(world: World, dittofs: SimulatedDittoFS) -> None:
    wrong = {"hostname": "{typ}.example.com", "ip": "192.0.2.300"}
    world.configure(server(dittofs, adapters={"service": {"dns": wrong}}))

    report = world.stack.preview()

    assert report.exit_code == 2
    file, place = "stacks/Pulumi.world.yaml", "dittoinfra:servers[0].adapters.service.dns"
    assert report.lines("error") == [
        f"{file}:6: {place}.hostname: InvalidHostname: {{typ}} is no placeholder; "
        "known are {server}, {type}, {namespace} (it is '{typ}.example.com')",
        f"{file}:7: {place}.ip: InvalidIPAddress: must be the address of a host, "
        "such as 192.0.2.10 or 2001:db8::10 (it is '192.0.2.300')",
    ]


def test_an_adapter_that_is_not_declared_is_no_reason_and_one_that_is_only_kept_is(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    same = {"dns": {"hostname": "files.example.com", "ip": "192.0.2.7"}}
    dittofs.set_adapter("smb", enabled=False)
    world.configure(server(dittofs, adapters={"types": {"nfs": same, "smb": same, "ftp": {"dns": {}}}}))
    world.up()
    world.assert_settled()

    dittofs.outage()
    kept = server(dittofs, adapters={"types": {"nfs": same}, "pinned": [{"type": "ftp", "port": 21}]})
    kept["adapters"]["types"]["ftp"] = same
    world.configure(kept)
    report = world.stack.preview()

    assert report.exit_code == 2
    assert [line.split(";")[0] for line in report.lines("error")] == [
        "media/nfs: HostnameTaken: files.example.com is claimed by media/ftp already"
    ]
