"""Which backend the CLI would use, and what is seen of a state in files without it."""

import json
from pathlib import Path

import pytest

from dittoinfra.stacks.file_backend import (
    StackFiles,
    backend_url,
    files_at,
    has_no_pending_operations,
    lock_holder,
    stored_deployment,
    stored_history,
)

PROJECT = {"name": "dittoinfra", "backend": {"url": "file:///written"}}


def test_the_environment_comes_before_the_project_and_that_before_the_login(tmp_path: Path) -> None:
    home = {"PULUMI_HOME": str(tmp_path)}
    (tmp_path / "credentials.json").write_text(json.dumps({"current": "file://~"}))
    chosen = {"PULUMI_BACKEND_URL": "s3://state", **home}

    assert backend_url(PROJECT, chosen) == "s3://state"
    assert backend_url(PROJECT, home) == "file:///written"
    assert backend_url({"name": "dittoinfra"}, home) == "file://~"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"current": ""}'])
def test_a_missing_login_is_left_to_the_cli(tmp_path: Path, content: str) -> None:
    (tmp_path / "credentials.json").write_text(content)

    assert backend_url({}, {"PULUMI_CREDENTIALS_PATH": str(tmp_path), "PULUMI_HOME": "/nowhere"}) is None


@pytest.mark.parametrize(
    ("url", "state", "certain"),
    [
        ("file://{root}", '{"latest": {"resources": []}}', True),
        ("file://.", '{"latest": {"resources": []}}', True),
        ("file://{root}?no_tmp_dir=true", '{"latest": {"resources": []}}', True),
        ("file://{root}", '{"latest": {"pending_operations": [{}]}}', False),
        ("file://{root}", None, False),
        ("https://api.example.com", '{"latest": {"resources": []}}', False),
    ],
)
def test_a_state_without_marks_is_seen_where_it_can_be(
    tmp_path: Path, url: str, state: str | None, certain: bool
) -> None:
    folder = tmp_path / ".pulumi" / "stacks" / "dittoinfra"
    folder.mkdir(parents=True)
    if state is not None:
        (folder / "prod.json").write_text(state)

    files = files_at(url.format(root=tmp_path), tmp_path, "dittoinfra", "prod")

    assert (files is not None and has_no_pending_operations(files)) is certain


STATE = {"version": 3, "checkpoint": {"stack": "organization/dittoinfra/prod", "latest": {"resources": [1]}}}


def files_in(folder: Path, state: object = STATE) -> StackFiles:
    files = files_at(f"file://{folder}", folder, "dittoinfra", "prod")
    assert files is not None
    files.state.parent.mkdir(parents=True)
    files.state.write_text(json.dumps(state))
    return files


def test_a_state_is_read_from_its_file(tmp_path: Path) -> None:
    assert stored_deployment(files_in(tmp_path)) == {"resources": [1]}


def test_a_stack_that_was_never_updated_holds_nothing(tmp_path: Path) -> None:
    assert stored_deployment(files_in(tmp_path, {"version": 3, "checkpoint": {"stack": "x"}})) == {}


@pytest.mark.parametrize(
    ("beside", "content"),
    [
        ("prod.json.gz", "{}"),
        ("prod.json.zst", "{}"),
        ("prod.json.attrs", ""),
        ("prod.json", "{"),
        ("prod.json", "[]"),
    ],
)
def test_what_the_cli_keeps_in_another_way_it_has_to_read_itself(
    tmp_path: Path, beside: str, content: str
) -> None:
    files = files_in(tmp_path)
    (files.folder / beside).write_text(content)

    assert stored_deployment(files) is None


def test_a_state_of_another_version_is_left_to_the_cli(tmp_path: Path) -> None:
    assert stored_deployment(files_in(tmp_path, {**STATE, "version": 4})) is None


def test_a_stack_of_an_organization_is_in_no_file(tmp_path: Path) -> None:
    assert files_at(f"file://{tmp_path}", tmp_path, "dittoinfra", "acme/dittoinfra/prod") is None


def history_of(files: StackFiles, *entries: object) -> None:
    files.history.mkdir(parents=True)
    for number, entry in enumerate(entries):
        (files.history / f"prod-179493095076700322{number}.history.json").write_text(json.dumps(entry))
        (files.history / f"prod-179493095076700322{number}.history.json.attrs").write_text("{}")


def test_the_latest_operations_come_first(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    done = {"kind": "update", "startTime": 1, "endTime": 2, "result": "succeeded"}
    begun = {"kind": "destroy", "startTime": 1794930949, "endTime": 0, "result": "in-progress"}
    history_of(files, {"startTime": 0}, {**done, "resourceChanges": {"create": 3}}, begun)

    newest = stored_history(files, 2)

    assert newest is not None
    assert [entry["kind"] for entry in newest] == ["destroy", "update"]
    assert newest[0]["startTime"] == "2026-11-17T15:55:49.000Z"
    assert "endTime" not in newest[0]
    assert (newest[1]["endTime"], newest[1]["resourceChanges"]) == ("1970-01-01T00:00:02.000Z", {"create": 3})


def test_a_history_that_cannot_be_read_is_left_to_the_cli(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    assert stored_history(files, 10) == [], "nothing was done yet"

    history_of(files, [])
    assert stored_history(files, 10) is None
    files.state.unlink()
    assert stored_history(files, 10) is None


def test_a_lock_is_that_of_this_project_s_stack(tmp_path: Path) -> None:
    files = StackFiles(tmp_path, "dittoinfra", "prod")
    other = StackFiles(tmp_path, "other", "prod")
    other.locks.mkdir(parents=True)
    (other.locks / "0.json").write_text('{"pid": 7, "username": "ann", "hostname": "desk"}')

    assert lock_holder(files) is None
    holder = lock_holder(other)
    assert str(holder) == "ann@desk (pid 7) since an unknown time"
    assert holder is not None
    assert not holder.ended, "a process of another machine may still run"


def test_a_lock_that_is_not_completely_written_is_none_yet(tmp_path: Path) -> None:
    files = StackFiles(tmp_path, "dittoinfra", "prod")
    files.locks.mkdir(parents=True)
    (files.locks / "0.json").write_text("{")

    assert lock_holder(files) is None
