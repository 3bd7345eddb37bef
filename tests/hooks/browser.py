# SPDX-License-Identifier: BSD-3-Clause
"""A Chromium without a window, driven through the pipes of its DevTools protocol: only what a test of a page needs."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

LIMIT = 60  # seconds for one answer
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
         "--hide-scrollbars", "--remote-debugging-pipe"]
KEYS = {"Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9, " ": 32}


class BrowserError(Exception):
    """The browser does not do what it is asked."""


def find():
    """The path of Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """A browser with one page."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        to_child, from_child = os.pipe(), os.pipe()
        self.to, self.back = to_child[1], from_child[0]
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", 'exec "$0" "$@" 3<&%d 4>&%d' % (to_child[0], from_child[1]), find(), *FLAGS,
             "--user-data-dir=" + self.folder.name, "about:blank"],
            pass_fds=(to_child[0], from_child[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        os.close(to_child[0])
        os.close(from_child[1])
        self.number, self.buffer, self.session = 0, b"", None
        self.events = []  # what has been reported in between: (method, params)
        pages = [target for target in self.ask("Target.getTargets")["targetInfos"] if target["type"] == "page"]
        self.session = self.ask("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.ask("Browser.close")
        except (BrowserError, OSError):
            self.process.kill()
        self.process.wait(LIMIT)
        os.close(self.to)
        os.close(self.back)
        self.folder.cleanup()

    def message(self, end):
        """The next message of the browser."""
        while b"\0" not in self.buffer:
            if not select.select([self.back], [], [], max(0, end - time.monotonic()))[0]:
                raise BrowserError("no answer within %d s" % LIMIT)
            data = os.read(self.back, 1 << 20)
            if not data:
                raise BrowserError("the browser has ended")
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def ask(self, method, **params):
        """Give a command and return its answer."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        end = time.monotonic() + LIMIT
        while True:
            answer = self.message(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError("%s: %s" % (method, answer["error"].get("message")))
                return answer["result"]
            if "method" in answer:
                self.events.append((answer["method"], answer["params"]))

    def evaluate(self, expression):
        """The value of an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError("%s: %s" % (expression, answer["exceptionDetails"].get("exception", {}).get("description")))
        return answer["result"].get("value")

    def open(self, path):
        """Load a file, and wait until it is there."""
        self.ask("Page.navigate", url="file://" + os.path.abspath(path))
        self.until("document.readyState === 'complete' && location.href.endsWith(%s)" % json.dumps(os.path.basename(path)))

    def until(self, expression):
        """Wait until an expression in the page is true."""
        end = time.monotonic() + LIMIT
        while not self.evaluate("Boolean(%s)" % expression):
            if time.monotonic() > end:
                raise BrowserError("never true: " + expression)
            time.sleep(0.05)

    def size(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        """Have the system prefer "light" or "dark"."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def place(self, selector):
        """The middle of an element, after it has been scrolled into view and drawn there: the browser looks up what is
        under the mouse in what it has drawn last."""
        found = self.evaluate(
            "(async () => { const e = document.querySelector(%s); if (!e) { return null; } e.scrollIntoView({block: 'center'}); "
            "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); "
            "const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2, b.width, b.height]; })()"
            % json.dumps(selector))
        if not found or found[2] <= 0 or found[3] <= 0:
            raise BrowserError("%s is not there, or has no size" % selector)
        return found

    def press_at(self, x, y, clicks=1):
        """Click at a point of the window."""
        for count in range(1, clicks + 1):
            for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
                self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left",
                         buttons=1 if kind == "mousePressed" else 0, clickCount=count)

    def click(self, selector, clicks=1):
        x, y, _, _ = self.place(selector)
        self.press_at(x, y, clicks)

    def drag(self, begin, end):
        """Press at one point, move to another one, let go."""
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=begin[0], y=begin[1])
        self.ask("Input.dispatchMouseEvent", type="mousePressed", x=begin[0], y=begin[1], button="left", buttons=1, clickCount=1)
        for part in (0.3, 0.6, 1.0):
            self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=begin[0] + part * (end[0] - begin[0]),
                     y=begin[1] + part * (end[1] - begin[1]), button="left", buttons=1)
        self.ask("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1)

    def key(self, name):
        """Press a key and let it go."""
        code = KEYS.get(name, ord(name[0].upper()))
        text = name if len(name) == 1 else "\r" if name == "Enter" else ""
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=code, text=text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code)

    def choose(self, selector, value):
        """Choose an option, as a person does: with a change that the page hears."""
        self.evaluate("(() => { const e = document.querySelector(%s); e.focus(); e.value = %s; e.dispatchEvent(new Event("
                      "'change', {bubbles: true})); })()" % (json.dumps(selector), json.dumps(value)))

    def type_into(self, selector, text):
        """Put a text into a field, key by key, instead of what is in it."""
        self.click(selector)
        self.evaluate("document.querySelector(%s).select()" % json.dumps(selector))
        self.ask("Input.insertText", text=text)

    def text(self, selector):
        return self.evaluate("document.querySelector(%s).textContent" % json.dumps(selector))

    def picture(self, path, clip=None):
        """A picture of the whole page, or of a part of it."""
        answer = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip or self.page_size())
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def page_size(self):
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}

    def complaints(self):
        """What the page has said that is wrong: exceptions and errors of the console, and requests to anywhere else."""
        found = []
        for method, params in self.events:
            if method == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("exception", {}).get("description", "an exception"))
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(params["entry"]["text"])
            elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:")):
                found.append("it asks for " + params["request"]["url"])
        self.events.clear()
        return found
