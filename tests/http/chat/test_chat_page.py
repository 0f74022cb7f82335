"""The chat page at ``/``: how it is served. What it does is tested in a browser (tests/e2e)."""

import re

import httpx2
import pytest

from finassist.entrypoints.http.web.pages import WEB_FILES
from finassist.entrypoints.http.web.routes import page_policy
from http_service import Service, Start

LOADED_WHEN_OPENED = "settings.js"
FILES = sorted(path.name for path in WEB_FILES.iterdir())


async def test_the_page_is_small_and_names_nothing_outside(client: httpx2.AsyncClient) -> None:
    texts = {name: (await client.get(f"/web/{name}")).text for name in FILES if name != "index.html"}
    texts["/"] = (await client.get("/")).text
    sizes = {name: len(text.encode()) for name, text in texts.items()}
    assert sizes.pop(LOADED_WHEN_OPENED) < 9 * 1024
    assert sum(sizes.values()) < 104 * 1024
    addresses = {address for text in texts.values() for address in re.findall(r"https?://[\w.]+", text)}
    assert addresses == {"http://www.w3.org"}  # the name of SVG


def test_the_settings_of_an_account_are_loaded_when_they_are_opened() -> None:
    for name in FILES:
        if name.endswith(".js"):
            assert not re.search(rf'from "./{LOADED_WHEN_OPENED}"', (WEB_FILES / name).read_text()), name
    assert f'import("./{LOADED_WHEN_OPENED}")' in (WEB_FILES / "account.js").read_text()


async def test_the_policy_of_the_page_allows_its_own_files_alone(client: httpx2.AsyncClient) -> None:
    response = await client.get("/")
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert response.headers.get_list("X-Content-Type-Options") == ["nosniff"]
    assert response.headers.get_list("Cache-Control") == ["public, no-cache"]
    assert not re.search(r"<style|style=|<script>| on\w+=", response.text)


@pytest.mark.parametrize(
    ("address", "images"),
    [
        ("", "img-src 'self' blob: https:;"),
        ("https://files.example.com", "img-src 'self' blob: https:;"),
        ("http://127.0.0.1:9000/s3", "img-src 'self' blob: https: http://127.0.0.1:9000;"),
    ],
)
def test_images_may_come_from_where_files_are_kept(address: str, images: str) -> None:
    assert images in page_policy(address)


def test_text_never_becomes_markup_or_code() -> None:
    text = "".join((WEB_FILES / name).read_text() for name in FILES)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(", text)


async def test_a_file_that_has_not_changed_is_not_sent_again(client: httpx2.AsyncClient) -> None:
    for path in ("/", "/web/app.js", "/web/style.css", "/web/icon.svg"):
        first = await client.get(path)
        again = await client.get(path, headers={"If-None-Match": first.headers["ETag"]})
        assert (first.status_code, again.status_code) == (200, 304)
        assert again.content == b""
        assert again.headers["ETag"] == first.headers["ETag"]


async def test_files_are_served_as_what_they_are(client: httpx2.AsyncClient) -> None:
    types = {
        name: (await client.get(f"/web/{name}")).headers["Content-Type"] for name in ("app.js", "style.css")
    }
    assert types == {"app.js": "text/javascript; charset=utf-8", "style.css": "text/css; charset=utf-8"}


async def test_other_files_do_not_exist(client: httpx2.AsyncClient) -> None:
    for path in ("/web/no-such.js", "/web/index.html", "/web/..%2fapp.py", "/web/", "/web"):
        response = await client.get(path)
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "NOT_FOUND"


async def test_the_page_can_be_switched_off(start: Start) -> None:
    service: Service = await start({"web_client_enabled": False})
    for path in ("/", "/web/app.js", "/web/style.css"):
        response = await service.client.get(path)
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "NOT_FOUND"
    assert "/" not in (await service.client.get("/openapi.json")).json()["paths"]
