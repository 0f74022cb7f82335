"""A real Firefox, driven by its own driver, for what Chromium is driven for otherwise."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from e2e.chromium import Browser, run_driver
from engines import CACHE, missing

MISSING = "no Firefox: run `make engines` as root on Debian, with cargo on PATH"

_SCHEMES = {"dark": 0, "light": 1}


class Firefox(Browser):
    """One window of a headless Firefox. What has no command of its own is done as the browser itself."""

    def _wanted(self, profile: Path) -> dict[str, Any]:
        binary = shutil.which("firefox-esr")
        prefs = {
            "intl.accept_languages": "en",
            "browser.download.folderList": 2,
            "network.disable-localhost-when-offline": True,
        }
        return {"moz:firefoxOptions": {"args": ["-headless"], "binary": binary, "prefs": prefs}}

    def _as_browser(self, script: str) -> Any:
        self._call("POST", f"{self._path}/moz/context", {"context": "chrome"})
        try:
            return self.run(script)
        finally:
            self._call("POST", f"{self._path}/moz/context", {"context": "content"})

    def prefer(self, scheme: str) -> None:
        """Have the person prefer the ``light`` or the ``dark`` colour scheme."""
        name = "layout.css.prefers-color-scheme.content-override"
        self._as_browser(f"Services.prefs.setIntPref('{name}', {_SCHEMES[scheme]})")

    def prefer_reduced_motion(self, reduced: bool = True) -> None:
        """Have the person prefer less motion."""
        self._as_browser(f"Services.prefs.setIntPref('ui.prefersReducedMotion', {int(reduced)})")

    def show_as(self, media: str) -> None:
        """Show the page as it is printed (``print``), or as usual (an empty string)."""
        self._as_browser(f"gBrowser.selectedBrowser.browsingContext.mediumOverride = '{media}'")

    def download_to(self, folder: Path) -> None:
        """Keep what is downloaded in that folder."""
        self._as_browser(f"Services.prefs.setCharPref('browser.download.dir', {json.dumps(str(folder))})")

    def complaints(self) -> list[str]:
        """What the page did against its own policy, by the browser's console."""
        messages: list[str] = self._as_browser(
            "const seen = Services.console.getMessageArray().map(({message}) => message);"
            "Services.console.reset(); return seen"
        )
        return [message for message in messages if "Content-Security-Policy" in message]


@contextmanager
def open_firefox(profile: Path) -> Iterator[Firefox]:
    """A window of a new Firefox; skips the test when there is none."""
    driver = CACHE / "geckodriver" / "bin" / "geckodriver"
    if not (shutil.which("firefox-esr") and driver.is_file()):
        missing(MISSING)
    # Each session gets a port of its own to talk to its Firefox, and may act as the browser.
    options = ["--websocket-port=0", "--allow-system-access", f"--profile-root={profile}"]
    with run_driver(str(driver), *options) as address:
        browser = Firefox(address, profile)
        try:
            yield browser
        finally:
            browser.close()
