"""The hosted page in a real Chromium, driven by its own driver (Debian: chromium, chromium-driver)."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from engines import missing

ANN = {"email": "ann@example.org", "password": "Secret123", "name": "Ann <b>"}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key of an element's id in the WebDriver protocol."""

MISSING = "no Chromium: run `make engines` as root on Debian, or install chromium and chromium-driver"


class Browser:
    """One window of a headless Chromium on a phone's screen."""

    def __init__(self, driver: str, profile: Path) -> None:
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=390,844"]
        self._http = httpx2.Client(base_url=driver, timeout=60)
        chrome = {"args": [*options, f"--user-data-dir={profile}"], "binary": shutil.which("chromium")}
        wanted = {"alwaysMatch": {"goog:chromeOptions": chrome, "goog:loggingPrefs": {"browser": "ALL"}}}
        session = self._call("POST", "/session", {"capabilities": wanted})
        self._path = f"/session/{session['sessionId']}"

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        response = self._http.request(method, path, json=body if method == "POST" else None)
        answer = response.json()["value"]
        assert response.status_code == 200, answer
        return answer

    def open(self, url: str) -> None:
        self._call("POST", f"{self._path}/url", {"url": url})

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

    def click(self, selector: str) -> None:
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
        deadline = time.monotonic() + 20
        while text not in self.run(f"return document.querySelector('{selector}')?.textContent ?? ''"):
            assert time.monotonic() < deadline, (self.url, self.text("body"))
            time.sleep(0.05)

    def close(self) -> None:
        self._call("DELETE", self._path)
        self._http.close()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        missing(MISSING)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    for _ in range(200):
        try:
            if httpx2.get(f"{address}/status").json()["value"]["ready"]:
                break
        except httpx2.TransportError:
            time.sleep(0.05)
    browser = Browser(address, tmp_path / "profile")
    yield browser
    browser.close()
    driver.terminate()
    driver.wait()


async def test_a_person_signs_up_out_and_in_again_on_a_phone(start_server: Any, browser: Browser) -> None:
    server = await start_server()
    browser.open(f"{server.address}/api/v1/auth/login/social?state=mine")
    assert browser.text("h1") == "Sign in to finassist"
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth") is True

    browser.click("summary")
    browser.type("#new-name", ANN["name"])
    browser.type("#new-email", ANN["email"])
    browser.type("#new-password", "lowercase1")
    browser.click("#signup")
    browser.wait_for("[role=alert]", "Password: Must have an uppercase letter.")
    assert browser.run("return document.querySelector('#new-name').value") == ANN["name"]

    browser.type("#new-password", ANN["password"])
    browser.click("#signup")
    browser.wait_for("h1", "You are signed in")
    assert browser.url == f"{server.address}/auth/complete"
    assert "access_token" not in browser.run("return document.documentElement.outerHTML.split('<script>')[0]")

    browser.open(f"{server.address}/api/v1/auth/login/social")
    browser.type("#email", ANN["email"])
    browser.type("#password", "Wrong1234")
    browser.click("#signin")
    browser.wait_for("[role=alert]", "The email or the password is wrong.")
    browser.type("#password", ANN["password"])
    browser.click("#signin")
    browser.wait_for("h1", "You are signed in")
    assert browser.complaints() == []


async def test_the_tokens_reach_a_frontend_on_another_origin(start_server: Any, browser: Browser) -> None:
    frontend = await start_server()
    callback = f"{frontend.address}/auth/complete"
    server = await start_server(FRONTEND_CALLBACK_URL=callback)
    browser.open(f"{server.address}/api/v1/auth/login/social?state=mine")
    browser.click("summary")
    for field in ("name", "email", "password"):
        browser.type(f"#new-{field}", ANN[field])
    browser.click("#signup")

    browser.wait_for("h1", "You are signed in")
    assert browser.url == callback
    assert browser.complaints() == []


async def test_a_failed_sign_in_is_told_without_being_run(start_server: Any, browser: Browser) -> None:
    server = await start_server()
    browser.open(f"{server.address}/auth/complete#error=x&error_description=%3Cimg src=x onerror=alert(1)%3E")

    browser.wait_for("h1", "Sign-in failed")
    assert browser.text("p") == "<img src=x onerror=alert(1)>"
    assert browser.run("return document.querySelector('img')") is None
