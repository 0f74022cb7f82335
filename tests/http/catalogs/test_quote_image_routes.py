"""Quote images over HTTP (spec "Visual embeds", contract section 8)."""

import asyncio
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx2
import pytest
from PIL import Image

from finassist.adapters.data_files.quote_images import quote_image_categories
from finassist.config import Secret
from finassist.testing import FakeClock, ScriptedModel
from http_service import DEVICE, Service, Start, offending

PREFIX = "/api/v1/visual-embeds"
SECRET = "the-backend-secret-of-these-tests"
ADMIN = {"X-Backend-Secret": SECRET}
CATEGORIES = {each.key: each for each in quote_image_categories().categories}
ASKED = "What is a deductible in an insurance policy?"
ANSWER = "A higher deductible lowers the premium of the insurance policy. The insurer pays the rest."
URL = "https://images.example.com/quotes/1.png?size=2"


def png(size: tuple[int, int] = (4, 4), kind: str = "PNG") -> bytes:
    content = BytesIO()
    Image.new("RGB", size, "navy").save(content, kind)
    return content.getvalue()


@pytest.fixture
async def service(start: Start) -> Service:
    return await start({"backend_secret": Secret(SECRET)})


async def create(service: Service, **body: Any) -> dict[str, Any]:
    response = await service.client.post(
        PREFIX, json={"categoryId": "Insurance", "imageUrl": URL, **body}, headers=ADMIN
    )
    assert response.status_code == 201, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


async def upload(service: Service, content: bytes | None, **fields: str) -> httpx2.Response:
    files = {"image": ("quote.png", content, "image/png")} if content is not None else {"other": ("x", b"x")}
    return await service.client.post(PREFIX, files=files, data=fields, headers=ADMIN)


async def listed(service: Service, query: str = "") -> list[dict[str, Any]]:
    response = await service.client.get(f"{PREFIX}{query}")
    assert response.status_code == 200, response.text
    embeds: list[dict[str, Any]] = response.json()["data"]["embeds"]
    return embeds


def stored(tmp_path: Path) -> list[str]:
    folder = tmp_path / "objects" / "visual-embeds"
    return sorted(str(file.relative_to(folder).parent) for file in folder.rglob("*") if file.is_file())


async def replace_image(service: Service, embed: str, content: bytes, **fields: str) -> httpx2.Response:
    files = {"image": ("quote.png", content, "image/png")}
    return await service.client.patch(f"{PREFIX}/{embed}", files=files, data=fields, headers=ADMIN)


async def test_a_new_picture_takes_the_place_of_the_stored_one(service: Service, tmp_path: Path) -> None:
    first = (await upload(service, png(), categoryId="Insurance", quoteText="Old")).json()["data"]
    response = await replace_image(service, first["id"], png((8, 8)), quoteText="New")
    assert response.status_code == 200, response.text
    changed = response.json()["data"]
    assert (changed["quoteText"], changed["categoryId"]) == ("New", first["categoryId"])
    assert changed["imageUrl"] != first["imageUrl"], "what is under an address never changes"
    shown = await service.client.get(changed["imageUrl"])
    assert Image.open(BytesIO(shown.content)).size == (8, 8)
    assert stored(tmp_path) == [CATEGORIES["Insurance"].folder]

    external = await create(service)
    inside = (await replace_image(service, external["id"], png(), category_id="Retirement_Planning")).json()
    assert inside["data"]["imageUrl"] != external["imageUrl"]
    assert inside["data"]["category"]["key"] == "Retirement_Planning"
    assert stored(tmp_path) == sorted(CATEGORIES[key].folder for key in ("Insurance", "Retirement_Planning"))


async def test_a_stored_picture_moves_with_its_category(service: Service, tmp_path: Path) -> None:
    made = (await upload(service, png(), categoryId="Insurance")).json()["data"]
    body = {"categoryId": "Tax_Planning"}
    moved = await service.client.patch(f"{PREFIX}/{made['id']}", json=body, headers=ADMIN)
    assert stored(tmp_path) == [CATEGORIES["Tax_Planning"].folder]
    for address in (made["imageUrl"], moved.json()["data"]["imageUrl"]):
        assert (await service.client.get(address)).content[:4] == b"\x89PNG"


async def test_of_parallel_moves_the_picture_survives(service: Service, tmp_path: Path) -> None:
    made = (await upload(service, png(), categoryId="Insurance")).json()["data"]
    path = f"{PREFIX}/{made['id']}"
    keys = ["Tax_Planning", "Real_Estate", "Tax_Planning", "Insurance"]
    moves = [service.client.patch(path, json={"categoryId": key}, headers=ADMIN) for key in keys]
    await asyncio.gather(*moves)
    [embed] = await listed(service)
    assert stored(tmp_path) == [CATEGORIES[embed["category"]["key"]].folder]
    assert (await service.client.get(embed["imageUrl"])).content[:4] == b"\x89PNG"


async def test_a_new_picture_that_is_no_image_is_refused_with_the_reason(
    service: Service, tmp_path: Path
) -> None:
    made = (await upload(service, png(), categoryId="Insurance")).json()["data"]
    for content in (b"no picture", png(kind="JPEG"), png((64, 64))[:90]):
        response = await replace_image(service, made["id"], content)
        assert offending(response) == {"image"}
        [detail] = response.json()["error"]["details"]
        assert len(detail["message"]) > 10
    assert offending(await replace_image(service, made["id"], png(), categoryId="Nothing")) == {"categoryId"}
    assert (await replace_image(service, "f" * 24, png())).status_code == 404
    assert stored(tmp_path) == [CATEGORIES["Insurance"].folder]


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", ""), ("POST", "/bulk"), ("PATCH", f"/{'a' * 24}"), ("DELETE", f"/{'a' * 24}")],
)
async def test_writing_needs_the_backend_secret(service: Service, method: str, path: str) -> None:
    for headers in ({}, {"X-Backend-Secret": "wrong"}, await service.token()):
        response = await service.client.request(method, PREFIX + path, headers=headers)
        assert response.status_code == 401
        assert response.json()["error"]["code"] == "BACKEND_SECRET_REQUIRED"


async def test_the_categories_are_listed_for_everybody(service: Service) -> None:
    data = (await service.client.get(f"{PREFIX}/categories")).json()["data"]
    assert [each["key"] for each in data["categories"]] == list(CATEGORIES)
    first = CATEGORIES["AssetAllocation"]
    assert data["categories"][0] == {
        "id": first.id, "key": "AssetAllocation", "displayName": "Asset allocation",
        "keywords": list(first.keywords), "folder": "asset-allocation",
    }  # fmt: skip
    assert (data["total"], data["hasMore"]) == (10, False)
    page = (await service.client.get(f"{PREFIX}/categories?limit=3&offset=9")).json()["data"]
    assert (len(page["categories"]), page["limit"], page["offset"]) == (1, 3, 9)


@pytest.mark.parametrize("category", ["Insurance", CATEGORIES["Insurance"].id])
async def test_an_embed_is_made_from_an_address(service: Service, category: str) -> None:
    made = await create(service, categoryId=category, quoteText="Rain comes to everybody.")
    assert made == {
        "id": made["id"], "categoryId": CATEGORIES["Insurance"].id,
        "category": {"id": CATEGORIES["Insurance"].id, "key": "Insurance", "displayName": "Insurance"},
        "imageUrl": URL, "quoteText": "Rain comes to everybody.", "isActive": True,
        "createdAt": made["createdAt"], "updatedAt": made["createdAt"],
    }  # fmt: skip
    assert (await service.client.get(f"{PREFIX}/{made['id']}")).json()["data"] == made
    assert await listed(service) == [made]


async def test_an_image_is_stored_in_the_categorys_folder_and_served_to_everybody(
    service: Service, tmp_path: Path
) -> None:
    response = await upload(service, png(), categoryId="Tax_Planning", quoteText="Count — twice.")
    assert response.status_code == 201, response.text
    made = response.json()["data"]
    assert (made["quoteText"], made["category"]["key"]) == ("Count — twice.", "Tax_Planning")
    assert made["imageUrl"] == f"http://testserver{PREFIX}/{made['id']}/image"
    assert stored(tmp_path) == ["tax-planning"]
    image = await service.client.get(made["imageUrl"])
    assert image.status_code == 200
    assert image.headers["Content-Type"] == "image/png"
    assert image.headers.get_list("Cache-Control") == ["public, max-age=86400"]
    with Image.open(BytesIO(image.content)) as picture:
        assert (picture.format, picture.size) == ("PNG", (4, 4))


async def test_a_form_without_a_quote_makes_an_embed_without_one(service: Service) -> None:
    for fields in ({}, {"quoteText": ""}):
        response = await upload(service, png(), categoryId="Insurance", **fields)
        assert response.json()["data"]["quoteText"] is None


async def test_a_public_base_url_comes_before_the_address_that_was_asked(start: Start) -> None:
    service = await start({"backend_secret": Secret(SECRET), "public_base_url": "https://api.example.com"})
    made = (await upload(service, png(), categoryId="Insurance")).json()["data"]
    assert made["imageUrl"] == f"https://api.example.com{PREFIX}/{made['id']}/image"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"categoryId", "imageUrl"}),
        ({"categoryId": "insurance", "imageUrl": "ftp://x/1.png"}, {"categoryId", "imageUrl"}),
        ({"categoryId": 7, "imageUrl": None, "quoteText": ""}, {"categoryId", "imageUrl", "quoteText"}),
        ({"categoryId": "f" * 24, "imageUrl": URL, "quoteText": "x" * 501}, {"categoryId", "quoteText"}),
        ({"categoryId": "Insurance", "imageUrl": URL, "isActive": "yes"}, {"isActive"}),
        ({"categoryId": "Insurance", "imageUrl": f"https://x/{'a' * 2048}"}, {"imageUrl"}),
        ({"categoryId": "Insurance", "category_id": "Tax_Planning", "imageUrl": URL}, {"category_id"}),
        ([], {"body"}),
    ],
)
async def test_a_wrong_embed_is_refused_with_all_that_is_wrong(
    service: Service, body: Any, fields: set[str]
) -> None:
    response = await service.client.post(PREFIX, json=body, headers=ADMIN)
    assert fields <= offending(response)
    assert await listed(service) == []


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "//x.test/1.png", "https://", "https://a@b.test/1.png", "https://x y/1", "x.png",
            "https://x.test/1.png\n", "data:image/png;base64,AAAA", "https://x.test/1#a#b", "https://x.test/%zz",
            "https://x.test/a<b>", 'https://x.test/"', "https://x.test/a\\b",
            "https://ex\u00e4mple.test/1.png", "file:///etc/passwd"]
)  # fmt: skip
async def test_only_web_addresses_are_taken(service: Service, url: str) -> None:
    body = {"categoryId": "Insurance", "imageUrl": url}
    assert offending(await service.client.post(PREFIX, json=body, headers=ADMIN)) == {"imageUrl"}


async def test_a_form_needs_a_category_and_an_image(service: Service) -> None:
    assert offending(await upload(service, None)) == {"categoryId", "image"}
    assert offending(await upload(service, None, categoryId="x", quoteText=" ")) == {
        "categoryId",
        "image",
        "quoteText",
    }


@pytest.mark.parametrize(
    "content", [b"", b"no image", png(kind="JPEG"), png(kind="GIF"), png(kind="WEBP"), b"%PDF-1.7"]
)
async def test_only_a_png_by_its_content_is_an_image(
    service: Service, tmp_path: Path, content: bytes
) -> None:
    assert offending(await upload(service, content, categoryId="Insurance")) == {"image"}
    assert (stored(tmp_path), await listed(service)) == ([], [])


async def test_a_form_and_a_json_body_have_their_own_limits(service: Service) -> None:
    large = await upload(service, b"\x89PNG\r\n\x1a\n" + b"x" * (10 * 2**20 + 1), categoryId="Insurance")
    assert offending(large) == {"image"}
    too_large = await upload(service, b"x" * (11 * 2**20), categoryId="Insurance")
    assert too_large.status_code == 413
    body = json.dumps({"categoryId": "Insurance", "imageUrl": URL, "ignored": "x" * 65_536})
    headers = {**ADMIN, "Content-Type": "application/json"}
    assert (await service.client.post(PREFIX, content=body, headers=headers)).status_code == 413


async def test_a_form_with_a_wrong_image_names_what_else_is_wrong_too(service: Service) -> None:
    wrong = await upload(service, png(kind="JPEG"), categoryId="x", quoteText="q" * 501)
    assert offending(wrong) == {"categoryId", "quoteText", "image"}


async def test_a_category_is_named_in_both_spellings_wherever_it_is(service: Service) -> None:
    made = await upload(service, png(), category_id="Insurance")
    assert made.json()["data"]["category"]["key"] == "Insurance"
    assert offending(await upload(service, png(), category_id="Insurance", categoryId="Tax_Planning")) == {
        "category_id"
    }
    assert offending(await upload(service, png(), category_id="x")) == {"category_id"}

    good = {"category_id": "Insurance", "imageUrl": URL}
    bulk = await service.client.post(f"{PREFIX}/bulk", json={"embeds": [good] * 2}, headers=ADMIN)
    assert bulk.json()["data"]["count"] == 2
    wrong = [good, {**good, "category_id": "x"}, {**good, "categoryId": "Tax_Planning"}, {"category_id": 1}]
    bulk = await service.client.post(f"{PREFIX}/bulk", json={"embeds": wrong}, headers=ADMIN)
    assert offending(bulk) == {
        "embeds[1].category_id", "embeds[2].category_id", "embeds[3].category_id", "embeds[3].imageUrl",
    }  # fmt: skip
    assert len(await listed(service)) == 3


async def test_several_embeds_are_made_at_once(service: Service) -> None:
    new = [{"categoryId": key, "imageUrl": f"https://x.test/{key}.png"} for key in CATEGORIES] * 10
    response = await service.client.post(f"{PREFIX}/bulk", json={"embeds": new}, headers=ADMIN)
    assert response.status_code == 201, response.text
    data = response.json()["data"]
    assert data["count"] == 100
    assert [each["imageUrl"] for each in data["embeds"]] == [each["imageUrl"] for each in new]
    assert await listed(service) == data["embeds"]


async def test_a_bulk_with_one_fault_makes_nothing_and_names_every_fault(service: Service) -> None:
    good = {"categoryId": "Insurance", "imageUrl": URL}
    new = [good, {**good, "categoryId": "x"}, {"categoryId": "y"}, {**good, "quoteText": 1}, 7, good]
    response = await service.client.post(f"{PREFIX}/bulk", json={"embeds": new}, headers=ADMIN)
    assert offending(response) == {
        "embeds[1].categoryId", "embeds[2].categoryId", "embeds[2].imageUrl", "embeds[3].quoteText",
        "embeds[4]",
    }  # fmt: skip
    assert await listed(service) == []
    cases: list[dict[str, Any]] = [{}, {"embeds": []}, {"embeds": [good] * 101}, {"embeds": good}]
    for wrong in cases:
        response = await service.client.post(f"{PREFIX}/bulk", json=wrong, headers=ADMIN)
        assert offending(response) == {"embeds"}


async def test_a_bulk_has_a_body_of_at_most_a_megabyte(service: Service) -> None:
    def body(padding: int) -> dict[str, Any]:
        return {"embeds": [{"categoryId": "Insurance", "imageUrl": URL}], "padding": "x" * padding}

    assert (await service.client.post(f"{PREFIX}/bulk", json=body(2**19), headers=ADMIN)).status_code == 201
    assert (await service.client.post(f"{PREFIX}/bulk", json=body(2**20), headers=ADMIN)).status_code == 413


async def test_the_list_is_filtered_by_id_or_key_and_paged(service: Service) -> None:
    for key in ("Insurance", "Tax_Planning", "Insurance", "Insurance"):
        await create(service, categoryId=key)
    insurance = CATEGORIES["Insurance"].id
    for query in ("?category_id=Insurance", "?categoryId=Insurance", f"?category_id={insurance}",
                  f"?categoryId={insurance}&category_id={insurance}"):  # fmt: skip
        assert [each["category"]["key"] for each in await listed(service, query)] == ["Insurance"] * 3
    for unknown in ("unknown", ""):
        assert await listed(service, f"?category_id={unknown}") == []
    both = await service.client.get(f"{PREFIX}?category_id=Insurance&categoryId=Tax_Planning")
    assert offending(both) == {"categoryId"}
    page = (await service.client.get(f"{PREFIX}?limit=2&offset=1")).json()["data"]
    assert (len(page["embeds"]), page["total"], page["limit"], page["offset"], page["hasMore"]) == (
        2,
        4,
        2,
        1,
        True,
    )
    assert offending(await service.client.get(f"{PREFIX}?limit=0&offset=-1")) == {"limit", "offset"}


async def test_an_embed_is_changed_in_part(service: Service) -> None:
    made = await create(service, quoteText="Old")

    async def change(**body: Any) -> dict[str, Any]:
        response = await service.client.patch(f"{PREFIX}/{made['id']}", json=body, headers=ADMIN)
        assert response.status_code == 200, response.text
        data: dict[str, Any] = response.json()["data"]
        assert (await service.client.get(f"{PREFIX}/{made['id']}")).json()["data"] == data
        return data

    assert (await change(isActive=False))["isActive"] is False
    assert (await change(categoryId="Real_Estate"))["category"]["key"] == "Real_Estate"
    assert (await change(quoteText=None))["quoteText"] is None
    last = await change(quoteText="New", imageUrl="https://x.test/2.png")
    assert (last["quoteText"], last["imageUrl"], last["isActive"]) == ("New", "https://x.test/2.png", False)
    assert await change() | {"updatedAt": ""} == last | {"updatedAt": ""}


async def test_a_wrong_change_is_refused(service: Service) -> None:
    made = await create(service)
    response = await service.client.patch(
        f"{PREFIX}/{made['id']}",
        json={"categoryId": "x", "imageUrl": None, "quoteText": "", "isActive": 1},
        headers=ADMIN,
    )
    assert offending(response) == {"categoryId", "imageUrl", "quoteText", "isActive"}
    for path, status in ((f"/{'f' * 24}", 404), ("/short", 400)):
        response = await service.client.patch(PREFIX + path, json={"isActive": True}, headers=ADMIN)
        assert response.status_code == status


async def test_a_new_address_takes_the_place_of_a_stored_image(service: Service, tmp_path: Path) -> None:
    made = (await upload(service, png(), categoryId="Insurance")).json()["data"]
    await service.client.patch(f"{PREFIX}/{made['id']}", json={"imageUrl": URL}, headers=ADMIN)
    assert stored(tmp_path) == []
    assert (await service.client.get(made["imageUrl"])).status_code == 404


async def test_a_deleted_embed_is_gone_and_so_is_its_image(service: Service, tmp_path: Path) -> None:
    made = (await upload(service, png(), categoryId="Insurance")).json()["data"]
    response = await service.client.delete(f"{PREFIX}/{made['id']}", headers=ADMIN)
    assert (response.status_code, response.json()["data"]) == (200, {"deleted": True, "id": made["id"]})
    assert (stored(tmp_path), await listed(service)) == ([], [])
    for url in (f"{PREFIX}/{made['id']}", made["imageUrl"]):
        assert (await service.client.get(url)).status_code == 404
    assert (await service.client.delete(f"{PREFIX}/{made['id']}", headers=ADMIN)).status_code == 404


async def test_a_reply_shows_its_image_wherever_it_is_read(start: Start) -> None:
    service = await start({"backend_secret": Secret(SECRET)}, language_model=ScriptedModel([ANSWER]))
    made = (await upload(service, png(), categoryId="Insurance", quoteText="Rain comes.")).json()["data"]
    expected = [
        {
            "id": made["id"],
            "categoryKey": "Insurance",
            "imageUrl": f"http://testserver{PREFIX}/{made['id']}/image",
            "quoteText": "Rain comes.",
        }
    ]
    reply = await service.ask(ASKED)
    assert reply["visualEmbeds"] == reply["message"]["visualEmbeds"] == expected
    chat: dict[str, Any] = {"json": {"message": ASKED}, "headers": {**DEVICE, "Stream": "true"}}
    stream = (await service.client.post("/api/v1/ai/chat", **chat)).text
    done = json.loads(stream.split("data: ")[-1])
    assert (done["type"], done["visualEmbeds"]) == ("done", expected)
    path = f"/api/v1/user/conversations/{reply['conversationId']}/messages"
    messages = (await service.client.get(path, headers=DEVICE)).json()["data"]["messages"]
    assert [message["visualEmbeds"] for message in messages] == [[], expected]
    assert (await service.client.get(expected[0]["imageUrl"])).status_code == 200


async def test_a_share_shows_the_image_of_a_reply(start: Start) -> None:
    service = await start({"backend_secret": Secret(SECRET)}, language_model=ScriptedModel([ANSWER]))
    made = (await upload(service, png(), categoryId="Insurance")).json()["data"]
    ann = await service.token("ann")
    reply = await service.ask(ASKED, ann)
    body = {"conversationId": reply["conversationId"]}
    share = (await service.client.post("/api/v1/share", json=body, headers=ann)).json()["data"]
    seen = await service.client.get(f"/api/v1/public/share/{share['shareId']}")
    images = [
        embed["imageUrl"] for message in seen.json()["data"]["messages"] for embed in message["visualEmbeds"]
    ]
    assert images == [f"http://testserver{PREFIX}/{made['id']}/image"]


async def test_another_process_sees_every_change_at_once(start: Start) -> None:
    one, other = [await start({"backend_secret": Secret(SECRET)}) for _ in range(2)]
    assert await listed(other) == []
    made = await create(one)
    assert await listed(other) == [made]
    await one.client.patch(f"{PREFIX}/{made['id']}", json={"isActive": False}, headers=ADMIN)
    assert [each["isActive"] for each in await listed(other)] == [False]
    await other.client.delete(f"{PREFIX}/{made['id']}", headers=ADMIN)
    assert await listed(one) == []


async def test_the_list_is_read_again_after_five_minutes_or_a_change_and_not_before(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = service.clock
    assert isinstance(clock, FakeClock)
    repository = service.finassist.adapters.quote_images
    reads = 0
    original = type(repository).edition

    async def count(self: Any) -> Any:
        nonlocal reads
        reads += 1
        return await original(self)

    monkeypatch.setattr(type(repository), "edition", count)
    await create(service)
    await asyncio.gather(*(listed(service) for _ in range(20)))
    clock.advance(299)
    await listed(service)
    assert reads == 1
    clock.advance(1)
    await listed(service)
    assert reads == 2
    await create(service)
    await listed(service)
    assert reads == 3
