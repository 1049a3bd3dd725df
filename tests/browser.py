"""A headless Chromium, driven through a pipe with the protocol of its developer tools: no package is needed."""

import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# The browser reads commands from descriptor 3 and answers to 4.
CONNECT = "import os, sys; [os.dup2(int(sys.argv[n]), n + 2) for n in (1, 2)]; os.execv(sys.argv[3], sys.argv[3:])"


class Page:
    """A page in the browser; `problems` lists the errors and warnings it reported."""

    def __init__(self, read: BufferedReader, write: BufferedWriter) -> None:
        self._read, self._write = read, write
        self._number, self._session, self._rest = 0, "", b""
        self._events: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self.requested: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> Any:
        """The result of a command."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._write.write(json.dumps(message).encode() + b"\0")
        self._write.flush()
        while (answer := self._next()).get("id") != self._number:
            self._seen(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select.select([self._read], [], [], 60)[0], "the browser does not answer"
            read = self._read.read1(65536)
            assert read, "the browser has ended"
            self._rest += read
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def _seen(self, event: dict[str, Any]) -> None:
        method, params = event.get("method"), event.get("params", {})
        self._events.append(event)
        if method == "Runtime.exceptionThrown":
            self.problems.append(str(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(str(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requested.append(params["request"]["url"])

    def look(self, width: int = 1100, height: int = 900, phone: bool = False) -> None:
        """Take on this size; a phone is touched."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)

    def open(self, path: Path) -> None:
        """Load a file."""
        self._events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self._events):
            self._seen(self._next())

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def point_at(self, selector: str) -> None:
        """Move the mouse to the middle of the first element that the selector finds."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", **self._middle(selector))

    def click(self, selector: str) -> None:
        """Click with the mouse."""
        for kind in ("mousePressed", "mouseReleased"):
            at = self._middle(selector)
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def _middle(self, selector: str) -> dict[str, float]:
        found = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{found}.scrollIntoView({{block: 'center', inline: 'center'}})")
        box = self.run(f"{found}.getBoundingClientRect().toJSON()")
        return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key and let it go."""
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **extra)


@contextlib.contextmanager
def browser(folder: Path) -> Iterator[Page]:
    """A page in a browser of its own, whose files are in `folder`."""
    assert PROGRAM is not None
    to_browser, ours = os.pipe()
    theirs, from_browser = os.pipe()
    # Above 4, neither is overwritten by the other as they become the ones that the browser uses.
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 5) for end in (to_browser, from_browser)]
    # Without its sandbox, which needs rights that containers lack: the page is our own.
    command = [
        sys.executable, "-c", CONNECT, *map(str, ends), PROGRAM,
        "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", "--disable-dev-shm-usage", f"--user-data-dir={folder}", "about:blank",
    ]  # fmt: skip
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with (
        subprocess.Popen(command, pass_fds=ends, **quiet) as process,
        os.fdopen(theirs, "rb") as read,
        os.fdopen(ours, "wb") as write,
    ):
        for end in (to_browser, from_browser, *ends):
            os.close(end)
        try:
            yield Page(read, write)
        finally:
            process.terminate()
