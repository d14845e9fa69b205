"""Controls a headless Chromium over its debugging pipe, with Python's standard library only.

If $CUDALAB_WEB names the folder web/, the page's scripts and styles are read there and not from the program, so a change of
them can be tried without a build.
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.parse

WEB = os.environ.get("CUDALAB_WEB")
TYPES = {".js": "text/javascript", ".css": "text/css"}
PLACES = [f"{folder}/{name}" for folder in ("/usr/bin", "/usr/local/bin", "/snap/bin")
          for name in ("chromium", "chromium-browser", "google-chrome")]


def program():
    return next((place for place in PLACES if os.path.exists(place)), None)


class Browser:
    """One page, or several as tabs. Commands are those of the Chrome DevTools Protocol."""

    def __init__(self, *options):
        self.profile = tempfile.mkdtemp(prefix="cudalab-browser-test-")
        to_browser, self.to = os.pipe()
        self.from_, from_browser = os.pipe()
        words = [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
                 "--no-first-run", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
                 f"--user-data-dir={self.profile}", *options, "about:blank"]

        def connect():  # the pipe is descriptors 3 and 4
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3), os.dup2(second, 4)

        self.process = subprocess.Popen(words, preexec_fn=connect, pass_fds=(3, 4, to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser), os.close(from_browser)
        self.unread, self.count, self.session, self.complaints, self.dialogs, self.tabs = b"", 0, None, [], [], []
        self.new_tab()

    def new_tab(self):
        """Opens another page of this browser. Commands go to it until use_tab() selects another one."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.tabs.append(self.session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        if WEB:
            self.call("Fetch.enable", patterns=[{"urlPattern": f"http://*{ending}"} for ending in TYPES])

    def use_tab(self, number):
        self.session = self.tabs[number]

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to), os.close(self.from_)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def message(self):
        while b"\0" not in self.unread:
            piece = os.read(self.from_, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.unread += piece
        text, self.unread = self.unread.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.count += 1
        number = self.count
        order = {"id": number, "method": method, "params": parameters}
        if self.session:
            order["sessionId"] = self.session
        os.write(self.to, json.dumps(order).encode() + b"\0")
        while True:
            message = self.message()
            self.note(message)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def note(self, message):
        """Collects the page's errors, and accepts its dialogs."""
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")
        elif method == "Runtime.consoleAPICalled" and parameters["type"] == "error":
            self.complaints.append(str([each.get("value", each.get("description")) for each in parameters["args"]]))
        elif method == "Page.javascriptDialogOpening":
            self.dialogs.append(parameters["message"])
            self.answer(message, "Page.handleJavaScriptDialog", accept=True)
        elif method == "Fetch.requestPaused":
            self.answer_with_own_file(message)

    def answer(self, message, method, **parameters):
        """Sends a command to the page of a message, and does not wait for the result."""
        self.count += 1
        os.write(self.to, json.dumps({"id": self.count, "sessionId": message["sessionId"], "method": method,
                                      "params": parameters}).encode() + b"\0")

    def answer_with_own_file(self, message):
        number, file = message["params"]["requestId"], pathlib.Path(WEB + urllib.parse.urlparse(message["params"]["request"]["url"]).path)
        if file.name == "codemirror.js" or not file.is_file():  # the program has the bundle
            return self.answer(message, "Fetch.continueRequest", requestId=number)
        self.answer(message, "Fetch.fulfillRequest", requestId=number, responseCode=200, body=base64.b64encode(file.read_bytes()).decode(),
                    responseHeaders=[{"name": "Content-Type", "value": TYPES[file.suffix]}])

    def open(self, url):
        self.call("Page.navigate", url=url)

    def value(self, expression):
        """The value of a JavaScript expression; promises are awaited."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def wait(self, expression, seconds=60):
        """Waits until the expression is true, and returns its value."""
        end = time.monotonic() + seconds
        while True:
            try:
                value = self.value(f"(found => found instanceof Node ? true : found)({expression})")
            except RuntimeError:  # the page is being replaced
                value = None
            if value:
                return value
            if time.monotonic() > end:
                work = self.value("(document.querySelector('#work .result') ?? document.body).innerText")
                raise AssertionError(f"after {seconds} s still not: {expression}\n{work[-1500:]}")
            time.sleep(0.05)

    def click(self, words, within="document"):
        """Clicks the button, link or summary with this text."""
        self.wait(f"[...{within}.querySelectorAll('button, a, summary')].some(each => each.textContent.trim() === {json.dumps(words)})")
        self.value(f"[...{within}.querySelectorAll('button, a, summary')].find(each => each.textContent.trim() === {json.dumps(words)}).click()")

    def key(self, key, code=None, number=0, modifiers=0, text=""):
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, windowsVirtualKeyCode=number, modifiers=modifiers, **more)

    def press_at(self, element):
        """Presses the mouse in the middle of the element that a JavaScript expression names."""
        x, y = self.value(f"(box => [box.x + box.width / 2, box.y + box.height / 2])(({element}).getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, is_dark=True):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def as_printed(self, is_printed=True):
        self.call("Emulation.setEmulatedMedia", media="print" if is_printed else "")

    def picture(self, file):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))
