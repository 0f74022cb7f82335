"""A real Chromium, driven by its own driver (Debian: chromium, chromium-driver)."""

import json
import shutil
import socket
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from engines import missing
from waiting import wait_until

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key of an element's id in the WebDriver protocol."""

SHOWN_WITHIN = 20_000
"""How long an element that is about to be used may take to appear, in milliseconds."""

CAN_BE_HIT = """
    const node = document.querySelector(%s);
    if (!node) return false;
    node.scrollIntoView({behavior: "instant", block: "nearest", inline: "nearest"});
    const moves = ({effect, playState}) => playState === "running" && effect?.target?.contains(node);
    if (document.getAnimations().some(moves)) return false;
    const {left, right, top, bottom} = node.getClientRects()[0] ?? node.getBoundingClientRect();
    const middle = (from, to, end) => (Math.max(from, 0) + Math.min(to, end)) / 2;
    const x = middle(left, right, innerWidth), y = middle(top, bottom, innerHeight);
    return node.contains(document.elementFromPoint(x, y));
"""
"""Whether an element stands still and nothing lies above its middle: a driver aims there first and clicks
then, so a drawer that slides meanwhile has something else under the pointer."""

MISSING = "no Chromium: run `make engines` as root on Debian, or install chromium and chromium-driver"


class Browser:
    """One window of a headless Chromium on a phone's screen."""

    def __init__(self, driver: str, profile: Path) -> None:
        self._http = httpx2.Client(base_url=driver, timeout=60)
        wanted = {"alwaysMatch": {"timeouts": {"implicit": SHOWN_WITHIN}, **self._wanted(profile)}}
        session = self._call("POST", "/session", {"capabilities": wanted})
        self._path = f"/session/{session['sessionId']}"

    def _wanted(self, profile: Path) -> dict[str, Any]:
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=390,844"]
        chrome = {"args": [*options, f"--user-data-dir={profile}"], "binary": shutil.which("chromium")}
        return {"goog:chromeOptions": chrome, "goog:loggingPrefs": {"browser": "ALL"}}

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        response = self._http.request(method, path, json=body if method == "POST" else None)
        answer = response.json()["value"]
        assert response.status_code == 200, answer
        return answer

    def open(self, url: str) -> None:
        self._call("POST", f"{self._path}/url", {"url": url})

    def resize(self, width: int, height: int) -> None:
        self._call("POST", f"{self._path}/window/rect", {"width": width, "height": height})

    def reload(self) -> None:
        self._call("POST", f"{self._path}/refresh", {})

    def _devtools(self, command: str, **params: Any) -> Any:
        return self._call("POST", f"{self._path}/goog/cdp/execute", {"cmd": command, "params": params})

    def prefer(self, scheme: str) -> None:
        """Have the person prefer the ``light`` or the ``dark`` colour scheme."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self._devtools("Emulation.setEmulatedMedia", features=[feature])

    def prefer_reduced_motion(self, reduced: bool = True) -> None:
        """Have the person prefer less motion."""
        feature = {"name": "prefers-reduced-motion", "value": "reduce" if reduced else ""}
        self._devtools("Emulation.setEmulatedMedia", features=[feature])

    def measured(self) -> dict[str, float]:
        """The CPU time of the page's main thread so far, in seconds: ``TaskDuration`` and parts of it."""
        answer = self._devtools("Performance.getMetrics")
        return {each["name"]: each["value"] for each in answer["metrics"]}

    def measure(self) -> None:
        """Count the CPU time of the page from now on."""
        self._devtools("Performance.enable", timeDomain="threadTicks")

    def show_as(self, media: str) -> None:
        """Show the page as it is printed (``print``), or as usual (an empty string)."""
        self._devtools("Emulation.setEmulatedMedia", media=media)

    def go_offline(self, offline: bool = True) -> None:
        """Cut the network off, or back on."""
        self._devtools("Network.enable")
        speed = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self._devtools("Network.emulateNetworkConditions", offline=offline, **speed)

    def download_to(self, folder: Path) -> None:
        """Keep what is downloaded in that folder."""
        self._devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    @property
    def url(self) -> str:
        return str(self._call("GET", f"{self._path}/url"))

    def _element(self, selector: str) -> str:
        found = self._call("POST", f"{self._path}/element", {"using": "css selector", "value": selector})
        return f"{self._path}/element/{found[ELEMENT]}"

    def type(self, selector: str, text: str) -> None:
        element = self._element(selector)
        self._call("POST", f"{element}/clear", {})
        self._call("POST", f"{element}/value", {"text": text})

    def press(self, selector: str, keys: str) -> None:
        """Press keys where the focus is put, without clearing what is there."""
        self._call("POST", f"{self._element(selector)}/value", {"text": keys})

    def key(self, key: str, *, shift: bool = False) -> None:
        """Press a key wherever the focus is."""
        held = ["\ue008"] if shift else []
        down = [{"type": "keyDown", "value": each} for each in (*held, key)]
        up = [{"type": "keyUp", "value": each} for each in (key, *held)]
        actions = [{"type": "key", "id": "keyboard", "actions": [*down, *up]}]
        self._call("POST", f"{self._path}/actions", {"actions": actions})

    def click(self, selector: str) -> None:
        """Click an element once it can be hit."""
        self._until(CAN_BE_HIT % json.dumps(selector), f"{selector} can be clicked")
        self._call("POST", f"{self._element(selector)}/click", {})

    def text(self, selector: str) -> str:
        return str(self._call("GET", f"{self._element(selector)}/text"))

    def run(self, script: str) -> Any:
        return self._call("POST", f"{self._path}/execute/sync", {"script": script, "args": []})

    def complaints(self) -> list[str]:
        """What the page did against its own policy, by the browser's console."""
        log = self._call("POST", f"{self._path}/se/log", {"type": "browser"})
        return [entry["message"] for entry in log if "Content Security Policy" in entry["message"]]

    def wait_for(self, selector: str, text: str) -> None:
        content = f"document.querySelector('{selector}')?.textContent ?? ''"
        self.wait_until(f"({content}).includes({json.dumps(text)})")

    def wait_until(self, condition: str) -> None:
        """Wait until a JavaScript expression holds."""
        self._until(f"return {condition}", condition)

    def _until(self, script: str, fact: str) -> None:
        try:
            wait_until(lambda: self.run(script))
        except AssertionError as error:
            raise AssertionError((fact, self.url, self.text("body"))) from error

    def screenshot(self) -> bytes:
        """What is seen, as PNG."""
        return b64decode(self._call("GET", f"{self._path}/screenshot"))

    def close(self) -> None:
        self._call("DELETE", self._path)
        self._http.close()


@contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """A window of a new Chromium, whose profile is that folder; skips the test when there is none."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        missing(MISSING)
    with run_driver("chromedriver") as address:
        browser = Browser(address, profile)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def run_driver(*command: str) -> Iterator[str]:
    """A driver of a browser; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    driver = subprocess.Popen([*command, f"--port={port}"], stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    wait_until(
        lambda: httpx2.get(f"{address}/status").json()["value"]["ready"], ignored=httpx2.TransportError
    )
    try:
        yield address
    finally:
        driver.terminate()
        driver.wait()
