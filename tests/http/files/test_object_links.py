"""Files behind signed links (contract section 10)."""

from typing import Any
from urllib.parse import quote

import pytest

from documents import pdf
from finassist.application.files.objects import ObjectLink
from http_service import Service

KEY = "files/0123/a.bin"


async def link_to(service: Service, key: str = KEY, **options: Any) -> str:
    how = {"filename": "a.webp", "content_type": "image/webp", "expires_in": 900, **options}
    url: str = await service.finassist.adapters.object_store.url(key, **how)
    return url


@pytest.fixture
async def service(service: Service) -> Service:
    await service.finassist.adapters.object_store.put(KEY, b"content", "image/webp")
    return service


async def test_who_has_the_link_gets_the_file(service: Service) -> None:
    response = await service.client.get(await link_to(service))
    assert (response.status_code, response.content) == (200, b"content")
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


async def test_a_link_expires(service: Service) -> None:
    url = await link_to(service)
    service.clock.advance(899)
    assert (await service.client.get(url)).status_code == 200
    service.clock.advance(1)
    assert (await service.client.get(url)).status_code == 404


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("files/0123/a.bin", "files/0123/b.bin"),
        ("a.webp", "b.webp"),
        ("image%2Fwebp", "text%2Fhtml"),
        ("expires=", "expires=9"),
        ("signature=", "signature=0"),
        ("signature=", "signature=%C3%A9"),
    ],
)
async def test_a_forged_link_is_not_found(service: Service, old: str, new: str) -> None:
    url = (await link_to(service)).replace(old, new)
    response = await service.client.get(url)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "NOT_FOUND"


async def test_a_link_to_a_missing_file_is_not_found(service: Service) -> None:
    assert (await service.client.get(await link_to(service, "files/none"))).status_code == 404
    assert (await service.client.get(await link_to(service, "files"))).status_code == 404


@pytest.mark.parametrize(
    "key", ["../secret_key", "..%2Fsecret_key", "files/../../secret_key", "/etc/passwd", "."]
)
async def test_no_link_leads_out_of_the_folder(service: Service, key: str) -> None:
    expires = int(service.clock.now().timestamp()) + 900
    signed = ObjectLink(key=key, filename="x", content_type="text/plain", expires=expires)
    signature = signed.signature(service.finassist.adapters.fingerprints)
    query = f"filename=x&type=text/plain&expires={expires}&signature={signature}"
    for path in (key, quote(key, safe="")):
        assert (await service.client.get(f"/objects/{path}?{query}")).status_code == 404


async def test_only_pictures_are_shown_in_the_browser(service: Service) -> None:
    url = await link_to(service, content_type="text/html", filename='Zin"sen\r\n – 100 %.html')
    response = await service.client.get(url)
    assert response.headers["Content-Type"].startswith("text/html")
    assert response.headers["Content-Disposition"] == (
        "attachment; filename*=UTF-8''Zin%22sen%0D%0A%20%E2%80%93%20100%20%25.html"
    )


async def test_a_pdf_that_is_a_web_page_too_is_saved_as_a_pdf(service: Service) -> None:
    polyglot = b"%PDF-1.4\n<html><script>alert(document.domain)</script></html>" + pdf("x")
    await service.finassist.adapters.object_store.put(KEY, polyglot, "application/pdf")
    response = await service.client.get(
        await link_to(service, content_type="application/pdf", filename="page.html")
    )
    assert response.content == polyglot
    assert response.headers["Content-Type"] == "application/pdf"
    assert response.headers["Content-Disposition"].startswith("attachment;")
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


async def test_an_incomplete_link_is_400(service: Service) -> None:
    assert (await service.client.get(f"/objects/{KEY}")).status_code == 400
