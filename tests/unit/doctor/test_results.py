"""What an examination of an API comes to, and what lines come to."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr
from rich.console import Console

from dittoinfra.dittofs import ApiAccess, Login
from dittoinfra.dittofs.api_access import PasswordSource
from dittoinfra.dittofs.examine import Examination
from dittoinfra.doctor.check_result import CheckResult, failed, ok, print_result, warning
from dittoinfra.doctor.project_checks import judge
from dittoinfra.model import Answered, Denied, Nonsense, Unreachable
from dittoinfra.stacks.result import common_exit_code

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ACCESS = ApiAccess("https://media", Login("reader", SecretStr("x"), PasswordSource("it", "mend it")))
GOOD = Answered(())


def judged(examined: Examination) -> list[tuple[str, str]]:
    return [(line.state, line.text) for line in judge("prod", "API media", ACCESS, examined, NOW)]


def test_a_user_with_a_fresh_certificate_and_a_right_clock_is_one_good_line() -> None:
    examined = Examination(GOOD, "user", NOW + timedelta(days=60), timedelta(seconds=-3))

    assert judged(examined) == [("ok", "https://media answers as role user: 0 adapters")]


def test_an_administrator_an_old_certificate_and_a_wrong_clock_are_warnings() -> None:
    examined = Examination(GOOD, "admin", NOW + timedelta(days=5, hours=1), timedelta(seconds=-90))

    assert judged(examined)[1:] == [
        ("warning", "the login has the role admin, and `user` would be enough"),
        ("warning", "its TLS certificate ends on 2026-06-06, in 5 days"),
        ("warning", "the server's clock is 90 s behind ours"),
    ]


@pytest.mark.parametrize(
    ("outcome", "code"), [(Denied("no", "ask"), 3), (Unreachable("off", "on"), 1), (Nonsense("?", "!"), 1)]
)
def test_no_answer_is_a_failure_with_its_own_next_step(
    outcome: Denied | Unreachable | Nonsense, code: int
) -> None:
    (line,) = judge("prod", "API media", ACCESS, Examination(outcome), NOW)

    assert (line.state, line.exit_code) == ("failed", code)
    assert (line.text, line.next) == (outcome.cause, outcome.next_step)


def test_where_an_outcome_knows_no_next_step_there_is_a_general_one() -> None:
    (line,) = judge("prod", "API media", ACCESS, Examination(Unreachable("off; and dark")), NOW)

    assert (line.text, line.next) == ("off; and dark", "check the server")


def test_failures_of_one_kind_give_its_code_and_of_several_the_general_one() -> None:
    good, doubt = ok("a", "fine"), warning("b", "hm", "look")
    login, file = failed("c", "no", "do", exit_code=3), failed("d", "no", "do", exit_code=2)

    def code(*results: CheckResult) -> int:
        return common_exit_code(result.exit_code for result in results)

    assert code(good, doubt) == 0
    assert code(good, login, login) == 3
    assert code(login, file) == 1


def drawn(line: CheckResult, *, terminal: bool) -> str:
    console = Console(force_terminal=terminal, width=20, no_color=True, color_system=None)
    with console.capture() as captured:
        print_result(console, line)
    return captured.get()


def test_a_terminal_gets_signs_and_a_pipeline_words_and_nothing_is_wrapped() -> None:
    line = failed("API media", "it says [no] for a long, long time", "ask", role="a: 1\n").of_stack("prod")

    assert drawn(line, terminal=False) == (
        "failed prod: API media: it says [no] for a long, long time -> ask\n    a: 1\n"
    )
    assert drawn(line, terminal=True).startswith("✗ prod: API media: it says [no]")
