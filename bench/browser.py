"""A headless browser over a pipe: pages are opened from the disk, asked questions and pictured. Standard library only."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--remote-debugging-pipe")
TIME_LIMIT_S = 120


def find():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One tab. Use it in a `with` statement, which ends it."""

    def __init__(self, path, size=(1280, 900)):
        self._profile = tempfile.TemporaryDirectory(prefix="perturb-browser-", ignore_cleanup_errors=True)
        their_input, self._to = os.pipe()
        self._from, their_output = os.pipe()
        arguments = [path, *FLAGS, f"--window-size={size[0]},{size[1]}", f"--user-data-dir={self._profile.name}", "about:blank"]
        # It reads from 3 and writes to 4.
        redirect = f'exec "$@" 3<&{their_input} 4>&{their_output}'
        self._process = subprocess.Popen(["sh", "-c", redirect, "sh", *arguments], pass_fds=(their_input, their_output),
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(their_input)
        os.close(their_output)
        self._buffer, self._number, self._session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self.call("Browser.close")
            self._process.wait(10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._profile.cleanup()

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise OSError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, page):
        """Seconds until the page was loaded and painted."""
        self.events.clear()
        begin = time.monotonic()
        self.call("Page.navigate", url=page if "://" in str(page) else Path(page).resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())
        self.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => 1)")
        return time.monotonic() - begin

    def ask(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise OSError(answer["exceptionDetails"]["text"] + ": " + expression)
        return answer["result"].get("value")

    def picture(self, path, dark=False, size=(1280, 900)):
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def requests(self):
        """The addresses that were asked for since the page was opened."""
        sent = (event for event in self.events if event.get("method") == "Network.requestWillBeSent")
        return [event["params"]["request"]["url"] for event in sent]

    def _read(self):
        end = time.monotonic() + TIME_LIMIT_S
        while b"\0" not in self._buffer:
            if not select.select([self._from], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._from, 1 << 20)
            if not part:
                raise OSError("the browser ended")
            self._buffer += part
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)
