"""A headless browser, driven over the pipe of the DevTools protocol.

    with Browser() as browser:
        page = browser.open("file:///tmp/page.html", width=360, height=800)
        page.evaluate("document.title")

`find()` returns the installed browser, or None.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 120.0  # seconds for any single answer; a large page on a busy machine takes 25


class NoBrowser(Exception):
    """One sentence: a browser is installed but does not run here."""


def find():
    """The first browser on this machine that supports DevTools."""
    wanted = os.environ.get("COPSE_BROWSER")
    return wanted or next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """A running browser with a separate, empty profile; ends with the `with` block."""

    def __enter__(self):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        # The browser reads from descriptor 3 and writes to 4. The shell puts them there, because a
        # descriptor of ours may itself be 3 or 4.
        self._process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "sh", find(), "--headless",
             "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", f"--user-data-dir={self._profile.name}"],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._last, self.events = b"", 0, []
        try:
            self.call("Browser.getVersion")
        except (RuntimeError, OSError) as error:
            self.__exit__()
            raise NoBrowser(f"{find()} does not start: {error}") from None
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self._process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        os.close(self._write)
        self._profile.cleanup()

    def call(self, method, session=None, **parameters):
        """Sends a command and returns its result; events that arrive meanwhile are kept."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _receive(self):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            received = os.read(self._read, 1 << 16)
            if not received:
                raise RuntimeError("the browser ended")
            self._buffer += received
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def wait_for(self, event, session):
        """Takes messages until this event of the session."""
        while not any(e.get("method") == event and e.get("sessionId") == session
                      for e in self.events):
            self.events.append(self._receive())

    def open(self, url, width, height, script=True, dark=False):
        """A new page of this size, loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        page.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        if not script:
            page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired", session)
        return page


class Page:
    """One page: its contents, its errors, and input to it."""

    def __init__(self, browser, session):
        self._browser, self._session = browser, session

    def call(self, method, **parameters):
        return self._browser.call(method, self._session, **parameters)

    def _events(self, method):
        return [e["params"] for e in self._browser.events
                if e.get("sessionId") == self._session and e.get("method") == method]

    def evaluate(self, expression):
        """The value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def requests(self):
        """Addresses that the page requested."""
        return [e["request"]["url"] for e in self._events("Network.requestWillBeSent")]

    def complaints(self):
        """Errors and warnings of the console, uncaught exceptions, violations of the policy."""
        self.evaluate("0")
        return ([str(e["args"]) for e in self._events("Runtime.consoleAPICalled")
                 if e["type"] in ("error", "warning", "assert")]
                + [str(e["exceptionDetails"]) for e in self._events("Runtime.exceptionThrown")]
                + [str(e["entry"]["text"]) for e in self._events("Log.entryAdded")
                   if e["entry"]["level"] in ("error", "warning")])

    def mouse(self, kind, x, y, button="left", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, **more)

    def key(self, key, code=None):
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      **(text if kind == "keyDown" else {}))

    def touch(self, kind, points):
        self.call("Input.dispatchTouchEvent", type=kind,
                  touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

    def screenshot(self, path, whole=False):
        """Saves a PNG for inspection."""
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))
