"""Files that are made to keep the decoders busy (issue 18, point 1): what they cost is their sender's."""

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pypdfium2  # type: ignore[import-untyped]
import pytest
from papers import pdf

from file_service import send
from finassist.adapters.decoding.documents import inspect_document
from finassist.adapters.decoding.pool import DecodingPool
from finassist.application.ports.language_model import ModelCapabilities
from finassist.domain.files.content import WORD, WORKBOOK
from finassist.domain.users import Caller
from finassist.testing import ScriptedModel
from http_service import Service, Start
from office import BUDGET, word_document
from pictures import encoded, picture
from waiting import until

pytestmark = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)

CHAT = "/api/v1/ai/chat"
PIXEL = encoded(picture((1, 1)), "PNG")
JOB_SECONDS = 0.4


def nested_forms(levels: int = 10, times: int = 10) -> bytes:
    """A page that shows a form, which shows the next form ten times, and so on: 10^10 forms in 2 KB."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>",
        _stream(b"", b"/F Do"),
    ]
    for level in range(levels):
        below = b"/Resources<</XObject<</F %d 0 R>>>>" % (6 + level)
        head = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]"
        last = level == levels - 1
        objects.append(_stream(head if last else head + below, b"" if last else b"/F Do " * times))
    body = b"\n".join(b"%d 0 obj%s endobj" % each for each in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"\ntrailer<</Root 1 0 R>>\n%%EOF\n"


def _stream(entries: bytes, content: bytes) -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(content), content)


HOSTILE = nested_forms()


class WatchedPool(DecodingPool):
    """Notes how many jobs run at a time, and whose they are."""

    def __init__(self, *, job_seconds: float = JOB_SECONDS, **options: Any) -> None:
        super().__init__(job_seconds=job_seconds, **options)
        self.jobs = self.running = self.most = 0
        self.of_callers: list[tuple[str, Caller | None]] = []

    async def run(
        self, job: Mapping[str, Any], content: bytes | Path, caller: Caller | None
    ) -> tuple[dict[str, Any], bytes]:
        self.of_callers.append((job["work"], caller))
        return await super().run(job, content, caller)

    async def _ask(self, *arguments: Any) -> tuple[dict[str, Any], bytes]:
        self.jobs += 1
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            return await super()._ask(*arguments)
        finally:
            self.running -= 1


class SeeingModel(ScriptedModel):
    """Looks at pictures."""

    capabilities = ModelCapabilities(vision=True)


@pytest.fixture
def pool() -> WatchedPool:
    return WatchedPool()


@pytest.fixture
async def service(start: Start, pool: WatchedPool) -> Service:
    return await start(decoding_pool=pool)


def guest(number: int, address: str = "192.0.2.1") -> dict[str, str]:
    return {"x-device-id": f"device-{number}", "x-forwarded-for": address}


def inline(content: bytes = HOSTILE, mime_type: str = "application/pdf") -> dict[str, str]:
    return {"data": b64encode(content).decode(), "mimeType": mime_type, "filename": "a.pdf"}


async def ask(service: Service, caller: Mapping[str, str], *files: dict[str, str]) -> httpx2.Response:
    body = {"message": "What is this?", "attachments": files or [inline()]}
    return await service.client.post(CHAT, json=body, headers=caller)


def codes(answers: list[httpx2.Response]) -> list[str]:
    return [answer.json()["error"]["code"] for answer in answers]


async def test_a_page_of_nested_forms_is_small_and_refused_when_its_seconds_are_over(
    service: Service, pool: WatchedPool
) -> None:
    assert len(HOSTILE) < 2500
    answer = await ask(service, guest(1))
    assert answer.status_code == 400
    [detail] = answer.json()["error"]["details"]
    assert detail == {"field": "attachments[0].data", "message": "Takes too long to read."}
    assert pool.jobs == 1


async def test_a_guest_who_sends_many_keeps_one_decoder_busy_and_others_are_served(
    service: Service, pool: WatchedPool
) -> None:
    alice = await service.token("alice") | {"x-forwarded-for": "198.51.100.7"}
    attack = [asyncio.create_task(ask(service, guest(1), inline(), inline())) for _ in range(6)]
    await until(lambda: pool.running)
    answer = await send(service, alice, PIXEL, "pixel.png", "image/png")
    assert answer.status_code == 201
    assert sum(not request.done() for request in attack) >= 5
    assert {refused.status_code for refused in await asyncio.gather(*attack)} == {400}
    assert pool.most == 2  # one of the guest's, one of Alice's


async def test_many_guests_of_an_address_leave_a_decoder_to_the_others(
    service: Service, pool: WatchedPool
) -> None:
    alice = await service.token("alice") | {"x-forwarded-for": "198.51.100.7"}
    attack = [asyncio.create_task(ask(service, guest(number))) for number in range(8)]
    await until(lambda: pool.running)
    answer = await send(service, alice, PIXEL, "pixel.png", "image/png")
    assert answer.status_code == 201
    assert sum(not request.done() for request in attack) >= 7
    await asyncio.gather(*attack)
    assert pool.most == 2


async def test_large_requests_of_one_guest_leave_places_to_the_others(
    start: Start, pool: WatchedPool
) -> None:
    service = await start({"inline_attachments_at_once": 2}, decoding_pool=pool)
    large = inline(HOSTILE + b"\n" * 2**20)
    attack = [asyncio.create_task(ask(service, guest(1), large)) for _ in range(4)]
    await until(lambda: pool.running)
    picture_of_a_megabyte = inline(PIXEL + b"\0" * 2**20, "image/png")
    answer = await ask(service, guest(2, "198.51.100.7"), picture_of_a_megabyte)
    assert answer.status_code == 200
    assert sum(not request.done() for request in attack) >= 3
    await asyncio.gather(*attack)


async def test_when_too_many_wait_the_next_is_told_to_come_back(service: Service, pool: WatchedPool) -> None:
    alice = await service.token("alice")
    uploads = [
        asyncio.create_task(send(service, alice, HOSTILE, "a.pdf", "application/pdf")) for _ in range(80)
    ]
    first = await next(asyncio.as_completed(uploads))
    assert (first.status_code, first.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert int(first.headers["retry-after"]) > 0
    for upload in uploads:
        upload.cancel()
    await asyncio.gather(*uploads, return_exceptions=True)
    assert (await send(service, alice, PIXEL, "pixel.png", "image/png")).status_code == 201


@pytest.mark.parametrize("others", [guest(1), guest(2)], ids=["the same guest", "a guest of the address"])
async def test_who_has_used_up_its_decoding_seconds_waits(start: Start, others: dict[str, str]) -> None:
    budgets: dict[str, Any] = {"seconds_per_caller": 0, "seconds_per_address": JOB_SECONDS / 2}
    if others == guest(1):
        budgets = {"seconds_per_caller": JOB_SECONDS / 2, "seconds_per_address": 0}
    pool = WatchedPool(**budgets)
    service = await start(decoding_pool=pool)
    assert (await ask(service, guest(1), inline(), inline())).status_code == 429
    refused = await ask(service, others)
    assert codes([refused]) == ["RATE_LIMIT_EXCEEDED"]
    assert int(refused.headers["retry-after"]) > 0
    assert pool.jobs == 1
    assert (await ask(service, guest(3, "198.51.100.7"), inline(PIXEL, "image/png"))).status_code == 200


@pytest.mark.parametrize(
    ("content", "mime_type", "work"),
    [
        (pdf([["a"]]), "application/pdf", ["pdf", "document text", "statement"]),
        (word_document("a"), WORD, ["text", "document text", "statement"]),
        (BUDGET, WORKBOOK, ["text", "document text", "statement"]),
        (b"<p>a</p>", "text/html", ["text", "document text", "statement"]),
        (b"a,b", "text/csv", ["text", "document text", "statement"]),
        (encoded(picture((3000, 30)), "PNG"), "image/png", ["image", "reduced"]),
    ],
    ids=["PDF", "Word document", "workbook", "web page", "table", "large picture"],
)
async def test_whatever_is_done_with_a_file_counts_for_its_sender(
    start: Start, content: bytes, mime_type: str, work: list[str]
) -> None:
    pool = WatchedPool(job_seconds=30)  # the first workbook is read with what it needs to import
    service = await start(decoding_pool=pool, language_model=SeeingModel())
    assert (await ask(service, guest(1), inline(content, mime_type))).status_code == 200
    assert [done for done, _ in pool.of_callers] == work
    assert {caller and caller.address for _, caller in pool.of_callers} == {"192.0.2.1"}


async def test_an_avatar_counts_like_every_other_file(start: Start) -> None:
    pool = WatchedPool(seconds_per_caller=0.0001)
    service = await start(decoding_pool=pool)
    alice = await service.token("alice")
    avatar = {"avatar": ("a.png", PIXEL, "image/png")}
    answers = [await service.client.patch("/api/v1/auth/me", files=avatar, headers=alice) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]


async def test_a_guest_without_allowance_opens_no_file(start: Start, pool: WatchedPool) -> None:
    service = await start({"free_message_threshold": 1}, decoding_pool=pool)
    assert (await ask(service, guest(1), inline(pdf([["a"]])))).status_code == 200
    opened = pool.jobs
    sent = b64encode(b"%PDF-1.7 nothing").decode()
    answers = [
        await ask(service, guest(1)),
        await ask(service, guest(1), {"data": sent, "mimeType": "application/pdf", "filename": "b.pdf"}),
    ]
    assert codes(answers) == ["FREE_LIMIT_EXCEEDED"] * 2
    assert pool.jobs == opened


async def test_a_stored_file_is_not_read_again_for_callers_without_allowance(
    start: Start, pool: WatchedPool
) -> None:
    service = await start({"free_message_threshold": 0}, decoding_pool=pool)
    alice = await service.token("alice")
    file = (await send(service, alice, pdf([["a"]]))).json()["data"]
    opened = pool.jobs
    answer = await ask(service, alice, {"fileId": file["id"]})
    assert codes([answer]) == ["FREE_LIMIT_EXCEEDED"]
    assert pool.jobs == opened


async def test_a_repeated_request_is_answered_again_without_opening_its_file(
    start: Start, pool: WatchedPool
) -> None:
    service = await start({"free_message_threshold": 1}, decoding_pool=pool)
    caller = guest(1) | {"idempotency-key": "a"}
    first = await ask(service, caller, inline(pdf([["a"]])))
    opened = pool.jobs
    again = await ask(service, caller, inline(pdf([["a"]])))
    assert again.json()["data"] == first.json()["data"]
    assert pool.jobs == opened


async def test_no_page_is_loaded_twice(database: object, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[int] = []
    load = pypdfium2.PdfDocument.__getitem__

    def note(document: pypdfium2.PdfDocument, number: int) -> Any:
        loaded.append(number)
        return load(document, number)

    monkeypatch.setattr(pypdfium2.PdfDocument, "__getitem__", note)
    for pages in (1, 2, 3):
        inspect_document(pdf([["a"]] * pages))
    assert loaded == [0, 0, 1, 0, 2]
