"""The stack's page: where each adapter is mounted, and nothing that changes by itself."""

from dittoinfra.decide.stack_readme import ReadmeAdapter, held_in_readme, stack_readme


def test_it_tells_where_each_adapter_is_mounted() -> None:
    page = stack_readme(
        "prod",
        [
            ReadmeAdapter("media", "files", "nfs", 2049),
            ReadmeAdapter("media", "files", "smb", 445, "media.example.com"),
            ReadmeAdapter("media", "files", "web_dav", 8443),
        ],
    )

    assert page == (
        "# prod\n"
        "\n"
        "| server | namespace | adapter | for clients | mount |\n"
        "|---|---|---|---|---|\n"
        "| media | files | `nfs` | `media-adapter-nfs.files.svc:2049` "
        "| `mount -t nfs -o vers=4.0,port=2049 media-adapter-nfs.files.svc:/EXPORT /mnt` |\n"
        "| media | files | `smb` | `media.example.com:445` "
        "| `mount -t cifs -o port=445,username=USER //media.example.com/SHARE /mnt` |\n"
        "| media | files | `web_dav` | `media-adapter-web-dav.files.svc:8443` |  |\n"
        "\n"
        "`dittoinfra status prod` tells addresses outside the cluster, and whether clients can connect.\n"
    )


def test_the_order_of_the_configuration_is_no_change() -> None:
    adapters = [ReadmeAdapter(name, "files", "nfs", 2049) for name in ("media", "backup")]

    assert stack_readme("prod", adapters) == stack_readme("prod", adapters[::-1])


def test_a_server_that_stays_as_it_is_stays_on_the_page() -> None:
    nfs = {"endpoints": {"internal": "media-adapter-nfs.files.svc:2049"}}
    smb = {"endpoints": {"internal": "x:445"}, "dns": {"hostname": "media.example.com"}}
    outputs = {"namespace": "files", "adapters": {"nfs": nfs, "smb": smb, "waiting": {"endpoints": {}}}}

    assert [*held_in_readme("media", outputs)] == [
        ReadmeAdapter("media", "files", "nfs", 2049),
        ReadmeAdapter("media", "files", "smb", 445, "media.example.com"),
    ]


def test_a_stack_without_adapters_says_so() -> None:
    assert "No adapter is served yet." in stack_readme("prod", [])


def test_a_fleet_is_not_listed_to_the_end() -> None:
    page = stack_readme("fleet", [ReadmeAdapter(f"s{n:03}", "files", "nfs", 2049) for n in range(140)])

    assert page.count("mount -t nfs") == 100
    assert "40 more are in the output `servers`." in page
