"""The links that clients show, and who may change them (contract section 11)."""

import pytest

from finassist.config import Secret
from finassist.testing import FakeClock
from http_service import DEVICE, Service, Start, offending

ADMIN = {"X-Backend-Secret": "the-backend-secret-of-these-tests"}
SYSTEM = "/app/config/system-urls"
SOCIAL = "/app/config/social-urls"


@pytest.fixture
async def service(start: Start) -> Service:
    return await start({"backend_secret": Secret(ADMIN["X-Backend-Secret"])})


async def test_what_is_set_is_shown_and_the_rest_stays(service: Service) -> None:
    client = service.client
    before = (await client.get("/app/config")).json()["data"]
    answer = await client.put(SYSTEM, json={"faqs": "https://help.test/faq?x=1#top"}, headers=ADMIN)
    assert answer.json()["data"] == {**before["systemUrls"], "faqs": "https://help.test/faq?x=1#top"}
    answer = await client.put(SYSTEM, json={"supportEmail": "help@help.test", "unknown": 1}, headers=ADMIN)
    expected = {
        **before["systemUrls"], "faqs": "https://help.test/faq?x=1#top", "supportEmail": "help@help.test",
    }  # fmt: skip
    assert answer.json()["data"] == expected
    social = await client.put(SOCIAL, json={"networkPhoto": "http://photos.test"}, headers=ADMIN)
    assert social.json()["data"] == {**before["socialMediaUrls"], "networkPhoto": "http://photos.test"}
    after = (await client.get("/app/config")).json()["data"]
    assert after == {"systemUrls": expected, "socialMediaUrls": social.json()["data"]}
    launch = (await client.get("/app/launch", headers=DEVICE)).json()["data"]["appLaunchResponseData"]
    assert (launch["systemUrls"], launch["socialMediaUrls"]) == tuple(after.values())


async def test_the_links_are_cached_for_a_minute_and_revalidated(service: Service) -> None:
    client = service.client
    first = await client.get("/app/config")
    assert first.headers["Cache-Control"] == "public, max-age=60"
    etag = {"If-None-Match": first.headers["ETag"]}
    unchanged = await client.get("/app/config", headers=etag)
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    await client.put(SYSTEM, json={"faqs": "https://help.test/other"}, headers=ADMIN)
    changed = await client.get("/app/config", headers=etag)
    assert (changed.status_code, changed.headers["ETag"] != first.headers["ETag"]) == (200, True)


async def test_an_empty_subset_changes_nothing(service: Service) -> None:
    before = (await service.client.get("/app/config")).json()["data"]
    answer = await service.client.put(SOCIAL, json={}, headers=ADMIN)
    assert answer.json()["data"] == before["socialMediaUrls"]


async def test_everything_that_is_wrong_is_named_and_nothing_is_set(service: Service) -> None:
    client = service.client
    before = (await client.get("/app/config")).json()["data"]
    wrong = {
        "termsAndConditions": "/terms",
        "privacyPolicy": 3,
        "faqs": "https://ok.test",
        "supportEmail": "a@b",
    }
    response = await client.put(SYSTEM, json=wrong, headers=ADMIN)
    assert offending(response) == {"termsAndConditions", "privacyPolicy", "supportEmail"}
    assert (await client.get("/app/config")).json()["data"] == before


@pytest.mark.parametrize(
    "url",
    ["", "page", "javascript:alert(1)", "https://", "https://a b", "https://a:x", "ftp://a.test",
     "https://user@a.test", "https://[::1", f"https://a.test/{'x' * 2048}", "https://a.test/<b>", "//a.test"],
)  # fmt: skip
async def test_what_is_no_web_address_is_refused(service: Service, url: str) -> None:
    response = await service.client.put(SOCIAL, json={"networkPage": url}, headers=ADMIN)
    assert offending(response) == {"networkPage"}


async def test_another_process_sees_a_change_within_five_seconds(start: Start) -> None:
    settings, clock = {"backend_secret": Secret(ADMIN["X-Backend-Secret"])}, FakeClock()
    writer, reader = await start(settings), await start(settings, clock=clock)
    before = (await reader.client.get("/app/config")).json()["data"]
    await writer.client.put(SYSTEM, json={"faqs": "https://new.test"}, headers=ADMIN)
    assert (await reader.client.get("/app/config")).json()["data"] == before
    clock.advance(5)
    assert (await reader.client.get("/app/config")).json()["data"]["systemUrls"]["faqs"] == "https://new.test"
