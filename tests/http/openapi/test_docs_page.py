"""The page at /docs: how it is served (contract section 11). What it does is tested in tests/e2e."""

import gzip
import re
from pathlib import Path

import httpx2
import pytest

ROOT = Path(__file__).parents[3]
FILES = ("swagger-ui-bundle.js", "swagger-ui.css", "start.js")


async def test_the_page_loads_nothing_but_files_of_the_service(client: httpx2.AsyncClient) -> None:
    page = await client.get("/docs")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert {path for path in loaded if path.startswith("docs/")} == {f"docs/{name}" for name in FILES}
    assert {path for path in loaded if not path.startswith("docs/")} == {"data:,", "openapi.json"}
    for name in FILES:
        assert (await client.get(f"/docs/{name}")).status_code == 200


async def test_the_policy_of_the_page_allows_no_inline_script_or_style(client: httpx2.AsyncClient) -> None:
    page = await client.get("/docs")
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; ")
    assert "unsafe" not in policy
    assert not re.search(r"https?:|\*", policy)
    assert "frame-ancestors 'none'" in policy
    assert not re.search(r"<style|style=|<script>| on\w+=", page.text)


@pytest.mark.parametrize("name", FILES)
async def test_files_are_served_as_what_they_are_and_once(client: httpx2.AsyncClient, name: str) -> None:
    path = f"/docs/{name}"
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    first = await client.get(path)
    assert first.headers["Content-Type"] == f"{kind}; charset=utf-8"
    assert first.headers.get_list("X-Content-Type-Options") == ["nosniff"]
    again = await client.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br", "gzip"),
        ("br, GZIP;q=0.5", "gzip"),
        ("identity", None),
        ("gzip;q=0", None),
        ("gzip; q=0.0, identity", None),
        ("", None),
    ],
)
async def test_what_is_large_is_sent_compressed_to_clients_that_take_it(
    client: httpx2.AsyncClient, accepted: str, encoding: str | None
) -> None:
    path, headers = "/docs/swagger-ui-bundle.js", {"Accept-Encoding": accepted}
    async with client.stream("GET", path, headers=headers) as response:
        sent = b"".join([piece async for piece in response.aiter_raw()])
    assert response.headers.get("Content-Encoding") == encoding
    assert response.headers["Vary"] == "Accept-Encoding"
    assert b"SwaggerUIBundle" in (gzip.decompress(sent) if encoding else sent)


async def test_other_files_do_not_exist(client: httpx2.AsyncClient) -> None:
    for name in ("no-such.js", "index.html", "LICENSE", "swagger-ui-bundle.js.gz", "..%2fapp.py"):
        response = await client.get(f"/docs/{name}")
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "NOT_FOUND"


async def test_an_address_with_a_slash_leads_to_the_page(client: httpx2.AsyncClient) -> None:
    response = await client.get("/docs/", follow_redirects=False)
    assert (response.status_code, response.headers["Location"]) == (302, "../docs")


def test_swagger_ui_is_the_version_that_the_makefile_names() -> None:
    [version] = re.findall(r"^SWAGGER_UI := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    [folder] = ROOT.glob("src/finassist/**/swagger_ui")
    assert f'"{version}"' in gzip.decompress((folder / "swagger-ui-bundle.js.gz").read_bytes()).decode()
    assert f"{version}, Apache License 2.0" in " ".join((folder / "README.md").read_text().split())
    assert "Apache License" in (folder / "LICENSE").read_text()
