"""The caller's own profile (spec "Profile overview", contract sections 3 and 10)."""

import asyncio
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx2
import pytest
from PIL import Image

from http_service import DEVICE, Service, offending

ME = "/api/v1/auth/me"
USAGE = {
    "conversations": {"total": 0, "active": 0, "archived": 0, "deleted": 0, "lastActiveAt": None},
    "shares": {
        "total": 0, "active": 0, "expired": 0, "revoked": 0, "totalViews": 0, "lastSharedAt": None,
    },
    "storage": {"usedBytes": 0, "totalBytes": 200 * 2**20},
}  # fmt: skip


def picture(kind: str = "PNG", size: tuple[int, int] = (800, 400), **options: Any) -> bytes:
    content = BytesIO()
    Image.linear_gradient("L").resize(size).convert("RGB").save(content, kind, **options)
    return content.getvalue()


async def get_me(service: Service, headers: dict[str, str]) -> dict[str, Any]:
    response = await service.client.get(ME, headers=headers)
    assert response.status_code == 200, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


async def change(service: Service, headers: dict[str, str], body: Any) -> httpx2.Response:
    return await service.client.patch(ME, json=body, headers=headers)


async def upload(
    service: Service, headers: dict[str, str], content: bytes, data: Any = None, filename: str = "me.png"
) -> httpx2.Response:
    return await service.client.patch(
        ME,
        files={"avatar": (filename, content)},
        data={} if data is None else {"data": json.dumps(data)},
        headers=headers,
    )


def avatar_of(response: httpx2.Response) -> str:
    assert response.status_code == 200, response.text
    url: str = response.json()["data"]["user"]["avatarUrl"]
    return url


def stored(tmp_path: Path) -> list[str]:
    return sorted(file.name for file in (tmp_path / "objects").rglob("*") if file.is_file())


async def test_a_first_call_makes_the_user_from_the_token(service: Service) -> None:
    alice = await service.token("alice", email="alice@example.com", name="Alice")

    data = await get_me(service, alice)

    assert data == {
        "user": {
            "id": data["user"]["id"],
            "email": "alice@example.com",
            "fullName": "Alice",
            "avatarUrl": None,
            "preferences": {"language": "en", "theme": "system", "notifications": True},
        },
        "usage": USAGE,
        "profileContext": {"static": [], "recent": [], "frequent": []},
    }
    assert (await get_me(service, alice))["user"]["id"] == data["user"]["id"]


async def test_50_parallel_first_calls_make_one_user(service: Service) -> None:
    alice = await service.token("alice")
    profiles = await asyncio.gather(*(get_me(service, alice) for _ in range(50)))
    assert len({profile["user"]["id"] for profile in profiles}) == 1


async def test_a_guest_has_no_profile(service: Service) -> None:
    for response in (
        await service.client.get(ME, headers=DEVICE),
        await service.client.patch(ME, json={"fullName": "x"}, headers=DEVICE),
        await service.client.patch(ME, content=b"{", headers=DEVICE),
    ):
        assert response.status_code == 401
        assert response.json()["error"]["code"] == "UNAUTHORIZED"


async def test_the_topics_that_the_user_asked_about_are_shown(service: Service) -> None:
    alice, bob = await service.token("alice"), await service.token("bob")
    for question in ("What does renters insurance cover?", "Is term life insurance worth it?", "Thanks!"):
        await service.ask(question, headers=alice)
    await service.ask("How much income tax do I pay on a bonus?", headers=alice)
    await service.ask("How is rental property valued?", headers=bob)

    context = (await get_me(service, alice))["profileContext"]

    insurance, tax = (
        {"category": "Insurance", "displayName": "Insurance"},
        {"category": "Tax_Planning", "displayName": "Tax planning"},
    )
    assert context["frequent"] == [{**insurance, "count": 2}, {**tax, "count": 1}]
    assert [{**topic, "lastAskedAt": ""} for topic in context["recent"]] == [
        {**tax, "lastAskedAt": ""}, {**insurance, "lastAskedAt": ""},
    ]  # fmt: skip
    assert all(topic["lastAskedAt"].endswith("Z") for topic in context["recent"])
    assert context["static"] == []


async def test_usage_counts_conversations_by_state(service: Service) -> None:
    alice = await service.token("alice")
    ids = [(await service.ask("What is an ETF?", headers=alice))["conversationId"] for _ in range(4)]
    await service.client.post(f"/api/v1/user/conversations/{ids[0]}/archive", headers=alice)
    await service.client.delete(f"/api/v1/user/conversations/{ids[1]}", headers=alice)

    usage = (await get_me(service, alice))["usage"]["conversations"]

    assert {**usage, "lastActiveAt": ""} == {
        "total": 4, "active": 2, "archived": 1, "deleted": 1, "lastActiveAt": "",
    }  # fmt: skip
    assert usage["lastActiveAt"].endswith("Z")


async def test_usage_counts_what_was_taken_over_from_a_guest(service: Service) -> None:
    await service.ask("What is an ETF?")
    alice = await service.token("alice")
    await service.client.get("/app/launch", headers={**alice, **DEVICE})
    assert (await get_me(service, alice))["usage"]["conversations"]["total"] == 1


async def test_only_what_is_named_changes(service: Service) -> None:
    alice = await service.token("alice", name="Alice")
    steps: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
        ({}, "Alice", {}),
        ({"fullName": "  Alice Émile  "}, "Alice Émile", {}),
        ({"preferences": {"language": "pt-BR"}}, "Alice Émile", {"language": "pt-BR"}),
        ({"preferences": {"theme": "dark"}}, "Alice Émile", {"theme": "dark"}),
        ({"preferences": {"notifications": False}, "unknown": 1}, "Alice Émile", {"notifications": False}),
    ]
    expected: dict[str, Any] = {"language": "en", "theme": "system", "notifications": True}
    for body, name, preferences in steps:
        expected |= preferences
        response = await change(service, alice, body)
        user = response.json()["data"]["user"]
        assert (user["fullName"], user["preferences"]) == (name, expected)
        assert response.json()["data"] == await get_me(service, alice)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"fullName": ""}, {"fullName"}),
        ({"fullName": "   "}, {"fullName"}),
        ({"fullName": "x" * 101}, {"fullName"}),
        ({"fullName": None}, {"fullName"}),
        ({"fullName": 1, "preferences": 1}, {"fullName", "preferences"}),
        (
            {"preferences": {"language": "english language", "theme": "pink", "notifications": 1}},
            {"preferences.language", "preferences.theme", "preferences.notifications"},
        ),
        ({"preferences": {"language": "en\n"}}, {"preferences.language"}),
        ({"_clearAvatar": "true"}, {"_clearAvatar"}),
        ([], {"body"}),
    ],
)
async def test_a_wrong_profile_is_400(service: Service, body: Any, fields: set[str]) -> None:
    alice = await service.token("alice")
    assert offending(await change(service, alice, body)) == fields
    form = await service.client.patch(ME, files={"data": (None, json.dumps(body))}, headers=alice)
    assert offending(form) == fields


async def test_a_name_that_the_user_chose_outlives_the_providers(service: Service) -> None:
    alice = await service.token("alice", name="Alice")
    await change(service, alice, {"fullName": "Al"})
    await service.client.post(
        "/api/v1/auth/post-login", json={"userId": "alice", "name": "Alice B."}, headers=alice
    )
    assert (await get_me(service, alice))["user"]["fullName"] == "Al"


# Avatars


@pytest.mark.engine
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP"])
async def test_an_avatar_becomes_a_webp_of_512_pixels_behind_a_signed_link(
    service: Service, kind: str
) -> None:
    alice = await service.token("alice")
    url = avatar_of(await upload(service, alice, picture(kind), {"fullName": "Alice"}))
    assert url.startswith("http://testserver/objects/avatars/")

    response = await service.client.get(url)

    assert response.status_code == 200
    assert response.headers["Content-Type"] == "image/webp"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Content-Disposition"] == "inline; filename*=UTF-8''avatar.webp"
    with Image.open(BytesIO(response.content)) as image:
        assert (image.format, image.size) == ("WEBP", (512, 256))
    user = (await get_me(service, alice))["user"]
    assert user["fullName"] == "Alice"
    assert (await service.client.get(user["avatarUrl"])).content == response.content


@pytest.mark.engine
async def test_the_address_of_an_avatar_begins_with_the_public_one(start: Any) -> None:
    service = await start({"public_base_url": "https://api.example.com"})
    alice = await service.token("alice")
    assert avatar_of(await upload(service, alice, picture())).startswith("https://api.example.com/objects/")


@pytest.mark.engine
async def test_a_launch_shows_the_avatar(service: Service) -> None:
    alice = await service.token("alice")
    await upload(service, alice, picture())
    launch = await service.client.get("/app/launch", headers={**alice, **DEVICE})
    url = launch.json()["data"]["appLaunchResponseData"]["userData"]["avatarUrl"]
    assert (await service.client.get(url)).status_code == 200


@pytest.mark.engine
async def test_a_new_avatar_takes_the_place_of_the_old_one(service: Service, tmp_path: Path) -> None:
    alice = await service.token("alice")
    old = avatar_of(await upload(service, alice, picture()))
    new = avatar_of(await upload(service, alice, picture()))
    assert (await service.client.get(old)).status_code == 404
    assert (await service.client.get(new)).status_code == 200
    assert len(stored(tmp_path)) == 1


@pytest.mark.engine
async def test_of_10_parallel_avatars_one_stays(service: Service, tmp_path: Path) -> None:
    alice = await service.token("alice")
    content = picture(size=(20, 20))
    await asyncio.gather(*(upload(service, alice, content) for _ in range(10)))
    assert len(stored(tmp_path)) == 1
    url = (await get_me(service, alice))["user"]["avatarUrl"]
    assert (await service.client.get(url)).status_code == 200


@pytest.mark.engine
async def test_an_avatar_can_be_taken_away(service: Service, tmp_path: Path) -> None:
    alice = await service.token("alice")
    url = avatar_of(await upload(service, alice, picture()))
    for _ in range(2):
        response = await change(service, alice, {"_clearAvatar": True})
        assert response.json()["data"]["user"]["avatarUrl"] is None
    assert (await service.client.get(url)).status_code == 404
    assert stored(tmp_path) == []


async def test_an_avatar_is_not_set_and_cleared_at_once(service: Service, tmp_path: Path) -> None:
    alice = await service.token("alice")
    response = await upload(service, alice, picture(), {"_clearAvatar": True})
    assert offending(response) == {"_clearAvatar"}


@pytest.mark.engine
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "Must be a JPEG, PNG, GIF or WebP file."),
        (b"GIF89a", "truncated or damaged"),
        (b"%PDF-1.7", "Must be a JPEG, PNG, GIF or WebP file."),
        (b"<svg/>", "Must be a JPEG, PNG, GIF or WebP file."),
        (picture("BMP", (9, 9)), "Must be a JPEG, PNG, GIF or WebP file."),
        (picture()[:-100], "truncated or damaged"),
        (picture("PNG", (6400, 6400)), "at most 40 megapixels"),
    ],
    ids=["empty", "head", "pdf", "svg", "bmp", "truncated", "41 megapixels"],
)
async def test_what_is_no_whole_small_picture_is_400_with_the_reason(
    service: Service, tmp_path: Path, content: bytes, reason: str
) -> None:
    alice = await service.token("alice")
    await get_me(service, alice)
    refused = await upload(service, alice, content, {"fullName": "x"})
    assert offending(refused) == {"avatar"}
    assert reason in refused.json()["error"]["details"][0]["message"]
    assert (await get_me(service, alice))["user"]["fullName"] == "User"
    assert stored(tmp_path) == []


async def test_an_avatar_over_10_mb_is_400_and_a_form_over_11_is_413(service: Service) -> None:
    alice = await service.token("alice")
    assert offending(await upload(service, alice, b"x" * (10 * 2**20 + 1))) == {"avatar"}
    response = await upload(service, alice, b"x" * (11 * 2**20))
    assert response.status_code == 413
    assert response.json()["error"]["code"] == "PAYLOAD_TOO_LARGE"


async def test_json_is_capped_at_64_kb_here_too(service: Service) -> None:
    alice = await service.token("alice")
    body = {"fullName": "Alice", "unknown": "x" * 65_536}
    assert (await change(service, alice, body)).status_code == 413
    form = await service.client.patch(ME, files={"data": (None, json.dumps(body))}, headers=alice)
    assert offending(form) == {"data"}


PART = '--b\r\nContent-Disposition: form-data; name="data"\r\n\r\n'


@pytest.mark.parametrize(
    ("content_type", "body", "field"),
    [
        ("multipart/form-data", PART + "{}\r\n--b--\r\n", "body"),
        ("multipart/form-data; boundary=b", PART + "{}", "body"),
        ("multipart/form-data; boundary=b", "hello", "body"),
        ("multipart/form-data; boundary=b", PART + "{\r\n--b--\r\n", "data"),
        ("multipart/form-data; boundary=b", PART + "\xff\r\n--b--\r\n", "data"),
        ("multipart/form-data; boundary=b", PART + "\r\n--b--\r\n", "data"),
        ("multipart/form-data; boundary=b", PART + "[" * 99 + "\r\n--b--\r\n", "data"),
        ("multipart/form-data; boundary=b", PART + "{}\r\n" + PART + "{}\r\n--b--\r\n", "data"),
        ("multipart/form-data; boundary=b", PART.replace("form-data", "x") + "{}\r\n--b--\r\n", "body"),
        ("multipart/form-data; boundary=b", "--b\r\n\r\n{}\r\n--b--\r\n", "body"),
        ("multipart/form-data; boundary=b", (PART + "{}\r\n") * 20 + "--b--\r\n", "body"),
        ("multipart/form-data; boundary=b", PART.replace("data\"", "\xff\"") + "{}\r\n--b--\r\n", "body"),
    ],
)  # fmt: skip
async def test_a_broken_form_is_400(service: Service, content_type: str, body: str, field: str) -> None:
    response = await service.client.patch(
        ME,
        content=body.encode("latin-1"),
        headers={**await service.token("alice"), "Content-Type": content_type},
    )
    assert offending(response) == {field}


@pytest.mark.engine
async def test_a_picture_needs_no_filename_and_no_type(service: Service) -> None:
    content = picture("PNG", (30, 30))
    head = (
        b'--b\r\nContent-Disposition: form-data; name="avatar"\r\nContent-Type: text/plain; charset=x\r\n\r\n'
    )
    response = await service.client.patch(
        ME,
        content=head + content + b"\r\n--b--\r\n",
        headers={**await service.token("alice"), "Content-Type": "multipart/form-data; boundary=b"},
    )
    assert avatar_of(response)


async def test_other_types_of_body_are_415(service: Service) -> None:
    alice = await service.token("alice")
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/mixed; boundary=b"):
        response = await service.client.patch(ME, content=b"{}", headers={**alice, "Content-Type": kind})
        assert response.status_code == 415, kind
