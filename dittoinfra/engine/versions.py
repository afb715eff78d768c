"""The supported, tested and fetched versions of what dittoinfra depends on: here and nowhere else."""

from dataclasses import dataclass

from semver import VersionInfo


@dataclass(frozen=True, slots=True)
class Supported:
    """The versions of one part."""

    part: str
    oldest: VersionInfo
    why: str
    """Why none before it."""
    before: VersionInfo | None = None
    """The first release that may break what is used of it; None where there is none."""
    tested: tuple[str, ...] = ()
    """What this project's tests, or recordings that they are held to, were run with."""

    def objection(self, version: VersionInfo) -> str | None:
        """Why this version is not supported; None when it is."""
        if version < self.oldest:
            return f"is {version}, older than the {self.oldest} that is needed"
        if self.before is not None and version >= self.before:
            return f"is {version}, and only versions before {self.before} are supported"
        return None

    def is_untested(self, version: VersionInfo) -> bool:
        """Whether no version of the same minor version was tested."""
        tested = filter(None, map(parsed, self.tested))
        return (version.major, version.minor) not in {(this.major, this.minor) for this in tested}

    def __str__(self) -> str:
        return f"{self.oldest} and later" + (f", before {self.before}" if self.before else "")


CLI = Supported(
    "pulumi CLI",
    VersionInfo(3, 227, 0),
    "the first whose exit codes tell a bad configuration from a failed resource",
    VersionInfo(4, 0, 0),
    ("3.259.0",),
)
SDK = Supported(
    "Python package `pulumi`", VersionInfo(3, 259, 0), "what was run", VersionInfo(4, 0, 0), ("3.272.0",)
)
PROVIDER_SDK = Supported(
    "Python package `pulumi-kubernetes`",
    VersionInfo(4, 32, 0),
    "what the provider's behaviour was recorded from",
    VersionInfo(5, 0, 0),
    ("4.34.2",),
)
PROVIDER = Supported(
    "Kubernetes provider",
    PROVIDER_SDK.oldest,
    PROVIDER_SDK.why,
    PROVIDER_SDK.before,
    ("4.32.0 (recorded)", "the stand-in, held to that record"),
)
KUBERNETES = Supported(
    "Kubernetes",
    VersionInfo(1, 26, 0),
    "the first with TCP and UDP in one load balancer, and server-side apply on",
    tested=("1.36.3",),
)

DITTOFS = Supported(
    "DittoFS",
    VersionInfo(0, 28, 0),
    "the first whose adapters' ports a user of the role `user` may read",
    tested=("0.29.0", "0.31.1"),
)

FETCHED_CLI = VersionInfo(3, 259, 0)
"""What the installer is asked for."""


def parsed(version: str) -> VersionInfo | None:
    """A version as it is written in tags and answers; None where it is none."""
    try:
        return VersionInfo.parse(version.strip().removeprefix("v"))
    except ValueError:
        return None
