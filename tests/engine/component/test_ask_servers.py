"""The function that asks many servers at once."""

import pulumi

from dittoinfra import ask_servers
from lab.bed.process import free_ports
from tests.engine.component.conftest import NewServer
from tests.engine.component.stranger import Stranger


def test_every_server_answers_for_itself(stranger: Stranger, new_server: NewServer, password: str) -> None:
    media = new_server()
    media.disable("smb")
    [unused] = free_ports(1)

    def program() -> None:
        known = pulumi.Output.secret(password)
        answers = ask_servers(
            {
                "media": {"api": {"url": media.url, "username": "admin"}, "password": known},
                "gone": {
                    "api": {"url": f"http://127.0.0.1:{unused}", "deadline": "500ms"},
                    "password": known,
                },
            }
        )
        pulumi.export("media", answers["media"])
        pulumi.export("gone", answers.apply(lambda found: found["gone"]["answered"]))

    stranger.program = program
    assert stranger.up().ok
    served = {
        "nfs": {"port": 12049, "enabled": True, "running": True},
        "smb": {"port": 12445, "enabled": False, "running": False},
    }
    assert stranger.outputs() == {
        "media": {"answered": True, "why": "", "adapters": served},
        "gone": False,
    }


def test_what_cannot_be_asked_is_refused_with_the_server_s_name(stranger: Stranger, password: str) -> None:
    def program() -> None:
        ask_servers(
            {
                "media": {"api": {"url": "ftp://x"}, "password": password},
                "scans": {"api": {"url": "http://127.0.0.1:1", "deadline": "9x"}},
            }
        )

    stranger.program = program
    errors = stranger.preview().lines("error")
    # The SDK sometimes adds that it had not registered the stack yet when the program ended.
    assert [line for line in errors if line != "Exception calling application: invalid state"] == [
        "ask_servers: media.api.url: must be an address such as https://dittofs.example.com:8080 "
        "(it is 'ftp://x')",
        "ask_servers: scans.api.deadline: must be a duration such as 500ms, 20s or 2m (it is '9x')",
    ]
