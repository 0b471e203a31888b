"""A browser driven through chromedriver, with nothing but Python's standard library."""

import json
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1200,1000",
]


class Browser:
    """One window of a headless Chromium; use it in a `with` statement."""

    def __init__(self, port, profile):
        self.base = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL)
        self.wait(lambda: self._ask("GET", "/status")["ready"], "chromedriver does not start")
        options = {"args": [*ARGUMENTS, f"--user-data-dir={profile}"]}
        capabilities = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = f"/session/{answer['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._ask("DELETE", self.session)
        self.driver.terminate()
        self.driver.wait()

    def open(self, address):
        self._ask("POST", self.session + "/url", {"url": address})

    def address(self):
        return self._ask("GET", self.session + "/url")

    def title(self):
        return self._ask("GET", self.session + "/title")

    def all(self, selector):
        found = self._ask("POST", self.session + "/elements", {"using": "css selector", "value": selector})
        return [element[ELEMENT] for element in found]

    def text(self, element):
        return self._ask("GET", f"{self.session}/element/{element}/text")

    def texts(self, selector):
        return [self.text(element) for element in self.all(selector)]

    def click(self, selector):
        (element,) = self.all(selector)
        self._ask("POST", f"{self.session}/element/{element}/click", {})

    def point_at(self, element):
        move = {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": {ELEMENT: element}}
        pointer = {"type": "pointer", "id": "mouse", "actions": [move]}
        self.script("arguments[0].scrollIntoView({block: 'center'})", {ELEMENT: element})
        self._ask("POST", self.session + "/actions", {"actions": [pointer]})

    def script(self, code, *arguments):
        return self._ask("POST", self.session + "/execute/sync", {"script": code, "args": list(arguments)})

    def complaints(self):
        """What went wrong in the page: errors of scripts, refused or missing files."""
        log = self._ask("POST", self.session + "/se/log", {"type": "browser"})
        return [entry["message"] for entry in log if entry["level"] == "SEVERE"]

    def wait(self, condition, complaint, seconds=60):
        """Waits until a condition holds; what fails meanwhile is tried again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if condition():
                    return
            except (OSError, RuntimeError):
                pass
            time.sleep(0.1)
        raise RuntimeError(complaint)

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error
