"""A headless Chromium, driven over a pipe with the standard library alone (the DevTools protocol, NUL between messages)."""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

PATIENCE = 90.0
# No sandbox: it needs a user of its own, and tests run as root. Background network access is
# disabled.
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check",
           "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
           "--disable-breakpad", "--disable-crash-reporter", "--disable-dev-shm-usage", "--force-color-profile=srgb"]
KEYS = {"Enter": (13, "\r"), " ": (32, " "), "Escape": (27, ""), "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""),
        "ArrowDown": (40, ""), "Home": (36, ""), "End": (35, ""), "/": (191, "/")}


def high(descriptor: int) -> int:
    """A copy of the pipe end with a number above 3 and 4."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


class Browser:
    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="sf-browser-"))
        there_read, self.write = map(high, os.pipe())
        self.read, there_write = map(high, os.pipe())
        command = f'exec "$@" 3<&{there_read} 4>&{there_write} {there_read}<&- {there_write}>&-'
        self.process = subprocess.Popen(
            ["bash", "-c", command, "bash", "chromium", *OPTIONS, f"--user-data-dir={self.home / 'profile'}"],
            pass_fds=(there_read, there_write), start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(self.home), "TMPDIR": str(self.home)})
        os.close(there_read)
        os.close(there_write)
        self.buffer = b""
        self.last = 0
        self.events: List[Dict[str, Any]] = []

    def close(self) -> None:
        """Ends the browser and its child processes in any state."""
        try:
            self.ask("Browser.close")
            self.process.wait(PATIENCE)
        except (OSError, RuntimeError, AssertionError, subprocess.TimeoutExpired):
            pass
        finally:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
            os.close(self.read)
            os.close(self.write)
            shutil.rmtree(self.home, ignore_errors=True)

    def receive(self, deadline: float) -> Dict[str, Any]:
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read], [], [], left)[0]:
                raise AssertionError("the browser does not reply")
            piece = os.read(self.read, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.buffer += piece
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def ask(self, method: str, session: Optional[str] = None, **parameters: Any) -> Dict[str, Any]:
        self.last += 1
        message: Dict[str, Any] = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def page(self, width: int = 1440, height: int = 900, dark: bool = False) -> "Page":
        return Page(self, width, height, dark)


class Page:
    def __init__(self, browser: Browser, width: int, height: int, dark: bool) -> None:
        self.browser = browser
        self.target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.ask("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def ask(self, method: str, **parameters: Any) -> Dict[str, Any]:
        return self.browser.ask(method, self.session, **parameters)

    def close(self) -> None:
        self.browser.ask("Target.closeTarget", targetId=self.target)

    def open(self, url: str) -> None:
        """Waits until the page has run its script and is drawn."""
        self.ask("Page.navigate", url=url)
        deadline = time.monotonic() + PATIENCE
        while not self.heard("Page.loadEventFired"):
            self.browser.events.append(self.browser.receive(deadline))
        self.settle()

    def heard(self, method: str) -> List[Dict[str, Any]]:
        return [event["params"] for event in self.browser.events
                if event.get("sessionId") == self.session and event["method"] == method]

    def problems(self) -> List[str]:
        """Exceptions and console messages."""
        thrown = [str(event["exceptionDetails"]) for event in self.heard("Runtime.exceptionThrown")]
        said = [str(event["args"]) for event in self.heard("Runtime.consoleAPICalled")]
        return thrown + said + [event["entry"]["text"] for event in self.heard("Log.entryAdded")]

    def requests(self) -> List[str]:
        return [event["request"]["url"] for event in self.heard("Network.requestWillBeSent")]

    def value(self, expression: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def settle(self) -> None:
        """Waits for two frames: a change requested in one is visible in the next."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def text(self, selector: str) -> str:
        return self.value(f"document.querySelector({json.dumps(selector)}).textContent")

    def middle(self, selector: str) -> Tuple[float, float]:
        """Centre of an element in window coordinates, after scrolling to it."""
        box = self.value(f"(() => {{ const it = document.querySelector({json.dumps(selector)}); if (!it) return null;"
                         " const far = it.getBoundingClientRect(); if (far.top < 0 || far.bottom > innerHeight) it.scrollIntoView({block: 'center'});"
                         " const box = it.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        assert box, f"there is no {selector}"
        return box[0], box[1]

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click_at(self, x: float, y: float) -> None:
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.settle()

    def click(self, selector: str) -> None:
        self.click_at(*self.middle(selector))

    def drag(self, x: float, y: float, dx: float, dy: float) -> None:
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for part in (0.5, 1.0):
            self.mouse("mouseMoved", x + dx * part, y + dy * part, button="left", buttons=1)
        self.mouse("mouseReleased", x + dx, y + dy, button="left", clickCount=1)
        self.settle()

    def wheel(self, x: float, y: float, by: float) -> None:
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=by)
        self.settle()

    def press(self, key: str, shift: bool = False) -> None:
        code, letter = KEYS[key]
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.ask("Input.dispatchKeyEvent", type="keyDown" if letter else "rawKeyDown", text=letter, **common)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)
        self.settle()

    def type(self, words: str) -> None:
        self.ask("Input.insertText", text=words)
        self.settle()

    def screenshot(self, whole: bool = False) -> bytes:
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])
