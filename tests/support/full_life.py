"""Somebody who does everything that users can do, over HTTP, with words that are easy to find."""

from base64 import b64encode
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from PIL import Image

from file_service import uploaded
from finassist.adapters.data_files.profile_cards import shipped_cards
from finassist.domain.profile_cards import QuestionType
from http_service import Service
from shares_over_http import share, view

AUTH = "/api/v1/auth"
ME = f"{AUTH}/me"
PASSWORD = "Correct-horse-7"


def picture() -> bytes:
    """A small PNG."""
    content = BytesIO()
    Image.linear_gradient("L").resize((64, 48)).convert("RGB").save(content, "PNG")
    return content.getvalue()


def note(text: str, filename: str) -> dict[str, str]:
    """A text file that comes inside of a message."""
    return {"data": b64encode(text.encode()).decode(), "mimeType": "text/plain", "filename": filename}


@dataclass
class Life:
    """One user. ``traces`` are all texts by which the user can be recognised."""

    word: str
    device: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    refresh_token: str = ""
    user_id: str = ""
    conversations: list[str] = field(default_factory=list)
    share_id: str = ""
    traces: set[str] = field(default_factory=set)

    @property
    def email(self) -> str:
        return f"{self.word}@Example.org"


async def sign_up(service: Service, life: Life) -> None:
    """Make the account, or make it again."""
    body = {"email": life.email, "password": PASSWORD, "name": f"{life.word} Lee"}
    answer = await service.client.post(f"{AUTH}/signup", json=body)
    assert answer.status_code == 201, answer.text
    data = answer.json()["data"]
    life.headers = {"Authorization": f"Bearer {data['accessToken']}"}
    life.refresh_token = data["refreshToken"]
    life.user_id = data["user"]["id"]
    life.traces |= {life.user_id, life.word}


async def live(service: Service, word: str) -> Life:
    """Sign up and use everything."""
    life = Life(word, device={"x-device-id": f"{word}-phone", "x-platform": "ios"})
    await _as_guest(service, life)
    await sign_up(service, life)
    await _launch(service, life, **life.headers)
    await _as_user(service, life)
    return life


async def _as_guest(service: Service, life: Life) -> None:
    await _launch(service, life, **{"x-user-email": life.email})
    asked = await service.ask(f"What is a bond, {life.word}?", life.device)
    life.conversations.append(asked["conversationId"])
    device = await service.finassist.adapters.devices.get(life.device["x-device-id"])
    assert device is not None
    life.traces.add(device.guest_owner_id)


async def _launch(service: Service, life: Life, **headers: str) -> None:
    answer = await service.client.get("/app/launch", headers={**life.device, **headers})
    assert answer.status_code == 200, answer.text


async def _as_user(service: Service, life: Life) -> None:
    client, word = service.client, life.word
    changes = {"fullName": f"{word} Miller", "preferences": {"theme": "dark"}}
    assert (await client.patch(ME, json=changes, headers=life.headers)).status_code == 200
    avatar = {"avatar": ("me.png", picture())}
    assert (await client.patch(ME, files=avatar, headers=life.headers)).status_code == 200
    user = await service.finassist.adapters.users.get(life.user_id)
    file = await uploaded(service, life.headers, filename=f"{word}-statement.pdf")
    assert user is not None
    assert user.avatar_key is not None
    life.traces |= {user.avatar_key, file["id"]}
    asked = await service.ask(
        f"Read this, says {word}.",
        life.headers | {"Idempotency-Key": f"key-of-{word}"},
        attachments=[{"fileId": file["id"]}, note(f"the note of {word}", f"{word}-note.txt")],
    )
    life.conversations.append(asked["conversationId"])
    life.traces |= {*life.conversations, asked["messageId"], asked["userMessageId"]}
    feedback = {"rating": -1, "feedback": f"Not for {word}."}
    path = f"/api/v1/user/messages/{asked['messageId']}/feedback"
    assert (await client.post(path, json=feedback, headers=life.headers)).status_code == 200
    await _share(service, life)
    await _answer(service, life)


async def _share(service: Service, life: Life) -> None:
    body: dict[str, Any] = {"conversationId": life.conversations[-1]}
    shared = await share(service, life.headers, redact=True, customTitle=f"By {life.word}", **body)
    life.share_id = shared["shareId"]
    assert (await view(service, life.share_id)).status_code == 200
    life.traces |= {shared["id"], life.share_id}


async def _answer(service: Service, life: Life) -> None:
    card, question = next(
        (card, question)
        for card in shipped_cards().cards
        for question in card.questions
        if question.type is QuestionType.TEXT
    )
    answer = {"cardId": card.id, "questionId": question.id, "value": f"The wishes of {life.word}"}
    path = "/api/v1/user-profile/answers"
    answered = await service.client.post(path, json={"answers": [answer]}, headers=life.headers)
    assert answered.status_code == 200, answered.text
