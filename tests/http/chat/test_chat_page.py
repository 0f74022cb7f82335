"""The chat page at ``/``: how it is served. What it does is tested in a browser (tests/e2e)."""

import gzip
import re
from pathlib import Path

import httpx2
import pytest

from finassist.entrypoints.http.responses.content_security import source_of
from finassist.entrypoints.http.shares import charts, page
from finassist.entrypoints.http.web.pages import (
    BEGINNING,
    ENGLISH,
    LANGUAGE_FILES,
    STYLES,
    WEB_FILES,
    WORDS,
)
from finassist.entrypoints.http.web.routes import page_policy
from http_service import Service, Start

LOADED_WHEN_OPENED = {
    "account/cards.js",
    "account/data.js",
    "account/qr.js",
    "account/settings.js",
    "messages/aloud.js",
    "messages/math.js",
    "messages/picture.js",
    "messages/preview.js",
    "share/links.js",
}
WITHIN_PAGE = {"index.html", "style.css", "theme.js"}
FILES = sorted(str(path.relative_to(WEB_FILES)) for path in WEB_FILES.rglob("*.*"))


async def test_the_page_is_small_and_names_nothing_outside(client: httpx2.AsyncClient) -> None:
    texts = {name: (await client.get(f"/web/{name}")).text for name in FILES if name not in WITHIN_PAGE}
    texts["/"] = (await client.get("/")).text
    compressed = {name: len(gzip.compress(text.encode())) for name, text in texts.items()}
    longest = max(len(gzip.compress(path.read_bytes())) for path in LANGUAGE_FILES.iterdir())
    assert sum(compressed.values()) + longest < 90 * 1024
    assert (
        sum(size for name, size in compressed.items() if name not in LOADED_WHEN_OPENED) + longest < 64 * 1024
    )
    addresses = {address for text in texts.values() for address in re.findall(r"https?://[\w.]+", text)}
    assert addresses == {"http://www.w3.org"}  # the name of SVG


def test_what_few_visits_need_is_loaded_when_it_is_opened() -> None:
    scripts = {name: (WEB_FILES / name).read_text() for name in FILES if name.endswith(".js")}
    for late in LOADED_WHEN_OPENED:
        imported = rf'from "[./a-z]*{late.rpartition("/")[2]}"'
        assert [name for name, text in scripts.items() if re.search(imported, text)] == [], late
        assert any(
            re.search(rf'import\("[./a-z]*{late.rpartition("/")[2]}"\)', text) for text in scripts.values()
        )


LANGUAGES = ["de", "en", "es", "fr", "hi", "it", "nl", "pl", "pt"]
VALUE = re.compile(r"\{(\w+)\}")
NAMES = {"Enter", "Escape", "Files", "Shift + Enter", "Tab", "Apple", "Google", "Microsoft"}
"""Of keys, of what browsers call things, and of companies."""


def test_every_language_has_every_word_with_the_same_values() -> None:
    assert sorted(WORDS) == LANGUAGES
    english = WORDS[ENGLISH].texts
    for language, words in WORDS.items():
        assert list(words.texts) == list(english), language
        for key, text in words.texts.items():
            assert text.strip() == text != "", (language, key)
            assert sorted(VALUE.findall(text)) == sorted(VALUE.findall(english[key])), (language, key)


def test_every_word_is_used_and_every_word_that_is_used_is_there() -> None:
    scripts = "".join(path.read_text() for path in WEB_FILES.rglob("*.js"))
    share = "".join(Path(module.__file__ or "").read_text() for module in (page, charts))
    wanted = set(re.findall(r'\bt\("(\w+)"', scripts)) | set(re.findall(r'\bwords\("(\w+)"', share))
    wanted |= set(re.findall(r"\{\{(\w+)\}\}", (WEB_FILES / "index.html").read_text())) - {
        "lang",
        "languages",
        "styles",
        "beginning",
    }
    keys = {key.removesuffix(".one").removesuffix(".other") for key in WORDS[ENGLISH].texts}
    assert wanted <= keys
    named = set(re.findall(r"\w+", scripts + share))
    prefixes = tuple(re.findall(r"\bt\(`(\w+_)\$", scripts))
    assert {key for key in keys - wanted if key not in named and not key.startswith(prefixes)} <= STATES


STATES = {"expired"}
"""What the API calls a link that no longer works."""


def test_no_wording_stays_in_the_scripts() -> None:
    for path in WEB_FILES.rglob("*.js"):
        code = re.sub(r"^\s*//.*$|\s//\s.*$", "", path.read_text(), flags=re.MULTILINE)
        texts = re.findall(r'"([^"\n]*)"|>([^<>{}`"\n]+)<', code)
        worded = {text for pair in texts for text in pair if re.match(r"[A-Z][a-z]+([ .!?…,:]|$)", text)}
        assert worded <= NAMES, path.name


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("", "en"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("sv, fr;q=0.7, en;q=0.3", "fr"),
        ("en;q=0.5, pt-BR", "pt"),
        ("sv,ja", "en"),
        ("hi;q=0", "en"),
        ("IT", "it"),
        ("nl-BE, fr;q=0.7", "nl"),
        ("pl", "pl"),
        ("*;q=1,,;q=9, es", "es"),
    ],
)
async def test_the_page_is_in_the_language_that_the_browser_asks_for(
    client: httpx2.AsyncClient, wanted: str, language: str
) -> None:
    response = await client.get("/", headers={"Accept-Language": wanted})
    assert f'<html lang="{language}">' in response.text
    assert f">{WORDS[language]('new_chat')}</h1>" in response.text
    assert "{{" not in response.text
    assert "Accept-Language" in ", ".join(response.headers.get_list("Vary"))
    assert (await client.get(f"/web/{language}.json")).json() == WORDS[language].texts
    again = await client.get(
        "/", headers={"If-None-Match": response.headers["ETag"], "Accept-Language": wanted}
    )
    assert again.status_code == 304


async def test_a_language_that_was_chosen_goes_before_that_of_the_browser(client: httpx2.AsyncClient) -> None:
    for chosen, language in (("hi", "hi"), ("sv", "fr"), ("<b>", "fr"), ("", "fr")):
        headers = {"Accept-Language": "fr", "Cookie": f"finassist_language={chosen}"}
        response = await client.get("/", headers=headers)
        assert f'<html lang="{language}">' in response.text
        assert 'data-known="de en es fr hi it nl pl pt"' in response.text
        assert "Cookie" in ", ".join(response.headers.get_list("Vary"))


async def test_the_policy_of_the_page_allows_its_own_files_alone(client: httpx2.AsyncClient) -> None:
    response = await client.get("/")
    policy = response.headers["Content-Security-Policy"]
    script, style = source_of(BEGINNING), source_of(STYLES)
    assert policy.startswith(
        f"default-src 'none'; script-src 'self' {script}; style-src {style}; connect-src 'self'; "
    )
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
    assert response.headers.get_list("X-Content-Type-Options") == ["nosniff"]
    assert response.headers.get_list("Cache-Control") == ["public, no-cache"]
    markup = response.text.replace(f"<style>{STYLES}</style>", "").replace(
        f"<script>{BEGINNING}</script>", ""
    )
    assert not re.search(r"<style|style=|<script>|stylesheet| on\w+=", markup)


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
    for path in ("/", "/web/app.js", "/web/icon.svg"):
        first = await client.get(path)
        again = await client.get(path, headers={"If-None-Match": first.headers["ETag"]})
        assert (first.status_code, again.status_code) == (200, 304)
        assert again.content == b""
        assert again.headers["ETag"] == first.headers["ETag"]


async def test_files_are_served_as_what_they_are(client: httpx2.AsyncClient) -> None:
    types = {
        name: (await client.get(f"/web/{name}")).headers["Content-Type"] for name in ("app.js", "icon.svg")
    }
    assert types["app.js"] == "text/javascript; charset=utf-8"
    assert types["icon.svg"].startswith("image/svg+xml")


async def test_the_page_can_be_installed(client: httpx2.AsyncClient) -> None:
    page = await client.get("/")
    (address,) = re.findall(r'rel="manifest" href="([^"]+)"', page.text)
    assert "manifest-src 'self'" in page.headers["Content-Security-Policy"]
    manifest = await client.get(f"/{address}")
    assert manifest.headers["Content-Type"].startswith("application/manifest+json")
    at = manifest.request.url
    assert at.join(manifest.json()["start_url"]).path == at.join(manifest.json()["scope"]).path == "/"
    for icon in manifest.json()["icons"]:
        shown = await client.get(at.join(icon["src"]).path)
        assert shown.headers["Content-Type"].startswith(icon["type"])


async def test_other_files_do_not_exist(client: httpx2.AsyncClient) -> None:
    for path in ("/web/no-such.js", "/web/index.html", "/web/style.css", "/web/..%2fapp.py", "/web/", "/web"):
        response = await client.get(path)
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "NOT_FOUND"


async def test_the_page_can_be_switched_off(start: Start) -> None:
    service: Service = await start({"web_client_enabled": False})
    for path in ("/", "/web/app.js"):
        response = await service.client.get(path)
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "NOT_FOUND"
    assert "/" not in (await service.client.get("/openapi.json")).json()["paths"]
