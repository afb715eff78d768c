"""Go tools, built once from their module and cached by version."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from dittoinfra.engine.installer import cache_directory, is_executable, platform_tag, publish
from lab.gotools.errors import ToolBuildError
from lab.gotools.golang import run_go_build
from lab.gotools.progress import Progress

_DIGEST_CHARACTERS = 12


@dataclass(frozen=True, slots=True)
class GoTool:
    """A tool from the Go module proxy, pinned by a committed go.mod and go.sum."""

    name: str
    version: str
    module_dir: Path
    packages: tuple[str, ...]
    binaries: tuple[str, ...]
    """What go calls the programs of `packages`: their last path element that is no version."""
    ldflags: str = "-s -w"
    sources: tuple[Path, ...] = ()
    """Go files of our own that are built."""

    def entry(self) -> Path:
        """The cache directory of this build; its name depends on everything that affects the binaries."""
        digest = hashlib.sha256()
        for name in ("go.mod", "go.sum"):
            file = self.module_dir / name
            # A module without dependencies has no go.sum.
            digest.update(file.read_bytes() if file.exists() else b"")
            digest.update(b"\0")
        digest.update("\0".join((self.ldflags, *self.packages)).encode())
        for file in self.sources:
            digest.update(file.read_bytes())
        key = digest.hexdigest()[:_DIGEST_CHARACTERS]
        return cache_directory() / "tools" / self.name / f"{self.version}-{platform_tag()}-{key}"

    def binary(self, root: Path, name: str) -> Path:
        """One of the tool's programs under a directory that `build` returned."""
        if name not in self.binaries:
            raise ValueError(f"{self.name} has no binary {name!r}; it has {', '.join(self.binaries)}")
        return root / "bin" / name

    def built(self) -> Path | None:
        """The directory of an earlier complete build, if any."""
        entry = self.entry()
        return entry if self.is_whole(entry) else None

    def is_whole(self, root: Path) -> bool:
        """Whether a directory has every program of the tool."""
        return all(is_executable(self.binary(root, name)) for name in self.binaries)


def build(tool: GoTool, progress: Progress) -> Path:
    """The directory whose `bin` has the tool's programs; builds them if they are not cached."""
    what = f"{tool.name} {tool.version}"

    def make(draft: Path) -> None:
        bin_directory = draft / "bin"
        bin_directory.mkdir()
        run_go_build(what, _arguments(tool, bin_directory), tool.module_dir, progress)
        missing = [name for name in tool.binaries if not is_executable(tool.binary(draft, name))]
        if missing:
            made = ", ".join(sorted(path.name for path in bin_directory.iterdir())) or "nothing"
            raise ToolBuildError(
                f"go build of {what} in {tool.module_dir} made {made} and not {', '.join(missing)}; "
                "name the packages and binaries of the tool so that they agree"
            )

    return publish(
        tool.entry(),
        usable=tool.is_whole,
        make=make,
        on_wait=lambda: progress.say(f"another process is building {what}: waiting for it"),
    )


def _arguments(tool: GoTool, bin_directory: Path) -> tuple[str, ...]:
    return (
        "-trimpath",
        "-mod=readonly",
        # The checkout around the module says nothing about the tool, and git may be missing or refuse it.
        "-buildvcs=false",
        f"-ldflags={tool.ldflags}",
        "-o",
        f"{bin_directory}/",
        *tool.packages,
    )
