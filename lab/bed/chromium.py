"""A real browser, driven over a pipe: no port, no driver, nothing downloaded."""

import json
import os
import select
import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from lab.bed.debian import find_or_install
from lab.bed.process import STOP_SECONDS, BedError

ANSWER_SECONDS: Final = 60.0
"""A page of two thousand servers on a busy machine takes a few."""

_TWO_FRAMES: Final = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
"""Parts with `content-visibility: auto` have no text on the screen before the first frame is drawn."""

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
_QUIET: Final = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-sync",
    "--hide-scrollbars",
    "--no-first-run",
    # Whatever the page or the browser asks for beyond this machine does not exist.
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


def find_chromium() -> Path:
    """The browser."""
    return find_or_install("Chromium", "chromium", _found)


def _found() -> Path | None:
    return next((Path(path) for name in _NAMES if (path := shutil.which(name))), None)


class Browser:
    """One headless browser for the length of a `with` block."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._profile = Path(tempfile.mkdtemp(prefix="chromium-"))
        self._number = 0
        self._heard: deque[dict[str, Any]] = deque()

    def __enter__(self) -> Self:
        commands, self._out = os.pipe()
        self._in, answers = os.pipe()
        # Its own sandbox does not work for root; what it opens are pages of our own.
        flags = [*_QUIET, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        command = [str(self._program), "--headless", "--remote-debugging-pipe", *flags]
        # The browser reads commands from descriptor 3 and answers on 4.
        shell = f'exec "$@" 3<&{commands} 4>&{answers}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "chromium", *command, f"--user-data-dir={self._profile}", "about:blank"],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(self._profile)},
            start_new_session=True,
        )
        os.close(commands)
        os.close(answers)
        self._reader = os.fdopen(self._in, "rb", buffering=0)
        self._rest = b""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A browser whose pipe is closed ends, and its own processes with it.
        os.close(self._out)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.close()
        shutil.rmtree(self._profile, ignore_errors=True)

    @contextmanager
    def page(
        self,
        path: Path,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        script: bool = True,
        still: bool = False,
    ) -> "Iterator[Page]":
        """A fresh page that shows a file, loaded and, where its scripts may run, drawn."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.ask(f"{domain}.enable")
        page.ask("Emulation.setScriptExecutionDisabled", value=not script)
        page.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        wishes = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if still else "no-preference",
        }
        features = [{"name": name, "value": value} for name, value in wishes.items()]
        page.ask("Emulation.setEmulatedMedia", features=features)
        page.ask("Page.navigate", url=path.absolute().as_uri())
        page.wait_for(lambda event: event["method"] == "Page.loadEventFired")
        if script:
            page.run(_TWO_FRAMES)
        yield page
        self.ask("Target.closeTarget", targetId=target)

    def ask(self, method: str, session: str | None = None, **params: object) -> dict[str, Any]:
        """Send a command and return its result; events that come meanwhile are kept."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") != number:
                self._heard.append(answer)
                continue
            if "error" in answer:
                raise BedError(f"Chromium refuses {method}: {answer['error']}")
            return dict(answer.get("result") or {})

    def events(self, session: str) -> list[dict[str, Any]]:
        """Everything that a page has told so far."""
        return [event for event in self._heard if event.get("sessionId") == session]

    def hear(self) -> None:
        """Wait for one more message."""
        self._heard.append(self._next())

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._reader], [], [], ANSWER_SECONDS)[0]:
                raise BedError(f"Chromium has said nothing for {ANSWER_SECONDS:.0f} s")
            more = self._reader.read(1 << 16)
            if not more:
                raise BedError("Chromium has ended by itself")
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))


class Page:
    """One page, as a person at its keyboard has it."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """A command of the browser's protocol."""
        return self._browser.ask(method, self._session, **params)

    def run(self, script: str) -> Any:  # noqa: ANN401 - whatever the expression is
        """The value of a JavaScript expression."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key: str, *, text: str = "") -> None:
        """Press one key and let go of it."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        common = {"key": key, "windowsVirtualKeyCode": codes.get(key, 0)}
        if text:
            common["text"] = text
        self.ask("Input.dispatchKeyEvent", type="keyDown", **common)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Type a text into whatever has the focus."""
        self.ask("Input.insertText", text=text)

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool]) -> None:
        """Return once the page has told something."""
        while not any("method" in event and wanted(event) for event in self._browser.events(self._session)):
            self._browser.hear()

    def requests(self) -> list[str]:
        """Every address that the page has asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self._browser.events(self._session)
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[str]:
        """Everything in the console: errors, warnings, broken policies."""
        told = self._browser.events(self._session)
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(event["params"]) for event in told if event.get("method") in kinds]
