"""Clients that use the service like people do: guests who chat, sign up, take their conversations along,
share, refresh their tokens, export their data. Each keeps what it did in the history of its world."""

import asyncio
import io
import json
from base64 import b64decode
from hashlib import sha256
from typing import Any
from zipfile import BadZipFile, ZipFile

from soak.chatting import CHAT, Attempt, ask, ask_streamed
from soak.history import Chat, Claim, Outcome, Read, Refresh, Rename, ShareMade, Stop, Upload, View
from soak.model import question
from soak.requests import World, now

AUTH = "/api/v1/auth"
CONVERSATIONS = "/api/v1/user/conversations"
PASSWORD = "Correct-horse-7"
PICTURE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_TRIES = 12


class Person:
    """One device, and the account that its owner makes. ``pending`` are questions under a key that were not
    replied to yet."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.number = number = world.number()
        self.guest = f"guest:soak-device-{number}"
        self.user = f"user:soak-{number}@example.org"
        self.conversations: list[str] = []
        self.pending: list[Attempt] = []
        self.access_token = self.refresh_token = ""
        self.origin = {
            "X-Forwarded-For": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
            "User-Agent": f"soak/{number}",
        }
        self.device = {"x-device-id": self.guest.removeprefix("guest:"), "x-platform": "web"}

    @property
    def caller(self) -> str:
        """Who the person is now."""
        return self.user if self.access_token else self.guest

    @property
    def headers(self) -> dict[str, str]:
        """The credentials of ``caller``."""
        return self.origin | (
            {"Authorization": f"Bearer {self.access_token}"} if self.access_token else self.device
        )

    async def live(self) -> None:
        """From the first launch to the last export."""
        world, chance = self.world, self.world.random
        await world.sure("GET", "/app/launch", headers=self.origin | self.device)
        for _ in range(chance.randrange(2, 6)):
            await chance.choice((self.chat, self.chat, self.race, self.burst, self.cancel, self.read))()
        if chance.random() < 0.2:
            return
        await self.sign_up()
        await self.claim()
        steps = (
            *(self.chat, self.chat, self.race, self.burst, self.cancel, self.read, self.rename, self.rename),
            *(self.share, self.view, self.view, self.refresh, self.refresh, self.export, self.upload),
        )
        for _ in range(chance.randrange(5, 15)):
            await chance.choice(steps)()

    # Chatting.

    def attempt(self, *, is_long: bool = False, fresh: bool = False, keyed: bool = True) -> Attempt:
        """A new question, in some conversation or a ``fresh`` one."""
        chance = self.world.random
        number = f"{self.number}-{self.world.number()}"
        known = self.conversations and not fresh and chance.random() < 0.6
        return Attempt(
            caller=self.caller,
            headers=self.headers,
            question=question(number, is_long=is_long),
            key=f"key-{number}" if keyed else None,
            conversation=chance.choice(self.conversations) if known else None,
        )

    def noted(self, chat: Chat) -> Chat:
        """Remember the conversation, unless it is one that the guest began after the sign-up."""
        is_own = chat.outcome is Outcome.OK and chat.caller == self.caller
        if is_own and chat.conversation not in (None, *self.conversations):
            self.conversations.append(str(chat.conversation))
        return chat

    async def chat(self) -> None:
        """Ask, and repeat the request under its key until the reply is there; sometimes ask once, without
        a key."""
        attempt = self.attempt(keyed=self.world.random.random() < 0.8)
        await self.pursue(attempt, tries=_TRIES if attempt.key else 1)

    async def pursue(self, attempt: Attempt, tries: int) -> None:
        """Send it until it is replied to or refused, at most so many times."""
        for _ in range(tries):
            send = self.world.random.choice((ask, ask_streamed))
            chat = self.noted(await send(self.world, attempt))
            if not is_open(chat):
                return
            await asyncio.sleep(self.world.random.uniform(0.2, 2))
        if attempt.key is not None:
            self.pending.append(attempt)

    async def race(self) -> None:
        """Send one request three times at once, as clients do that lose patience."""
        attempt = self.attempt(fresh=True)
        sent = (send(self.world, attempt) for send in (ask, ask_streamed, ask))
        chats = [self.noted(chat) for chat in await asyncio.gather(*sent)]
        if all(is_open(chat) for chat in chats):
            await self.pursue(attempt, _TRIES)

    async def burst(self) -> None:
        """Ask three questions at once, which may be more than there are messages left."""
        attempts = [self.attempt(fresh=True) for _ in range(3)]
        chats = await asyncio.gather(*(ask(self.world, attempt) for attempt in attempts))
        for attempt, chat in zip(attempts, chats, strict=True):
            if is_open(self.noted(chat)):
                await self.pursue(attempt, _TRIES)

    async def cancel(self) -> None:
        """Stop a long reply after a few words, or, by its key, before the first."""
        attempt, stops = self.attempt(is_long=True, fresh=True), list[asyncio.Task[None]]()

        def hear(reply: str, text: str) -> None:
            if len(text) > 40 and not stops:
                stops.append(asyncio.create_task(self._stop(reply)))

        if self.world.random.random() < 0.3:
            stops.append(asyncio.create_task(self._stop_by_key(attempt)))
        chat = self.noted(await ask_streamed(self.world, attempt, hear=hear))
        await asyncio.gather(*stops)
        if is_open(chat):
            await self.pursue(attempt, _TRIES)

    async def _stop(self, reply: str) -> None:
        answer = await self.world.send("POST", f"{CHAT}/{reply}/stop", headers=self.headers)
        told = answer.data.get("status")
        self.world.keep(Stop(caller=self.caller, reply=reply, status=told, **answer.known))

    async def _stop_by_key(self, attempt: Attempt) -> None:
        await asyncio.sleep(self.world.random.uniform(0, 0.2))
        answer = await self.world.send("POST", f"{CHAT}/stop", headers=attempt.keyed)
        if answer.outcome is Outcome.OK:  # an unknown key is no fault: its request has not come yet
            reply, told = answer.data["messageId"], answer.data["status"]
            self.world.keep(Stop(caller=self.caller, reply=reply, status=told, **answer.known))

    # What else there is to do.

    async def read(self) -> None:
        """List the messages of a conversation."""
        if self.conversations:
            conversation = self.world.random.choice(self.conversations)
            path = f"{CONVERSATIONS}/{conversation}/messages?limit=100"
            answer = await self.world.send("GET", path, headers=self.headers)
            questions = asked_in(answer.data.get("messages", ()))
            self.world.keep(
                Read(caller=self.caller, conversation=conversation, questions=questions, **answer.known)
            )

    async def rename(self) -> None:
        """Give a conversation another title."""
        if self.conversations:
            conversation, title = self.world.random.choice(self.conversations), f"T{self.world.number()}"
            path = f"{CONVERSATIONS}/{conversation}"
            answer = await self.world.send("PATCH", path, json={"title": title}, headers=self.headers)
            self.world.keep(
                Rename(caller=self.caller, conversation=conversation, title=title, **answer.known)
            )

    async def sign_up(self) -> None:
        """Make the account; when nobody knows whether it was made, sign in."""
        email = self.user.removeprefix("user:")
        body = {"email": email, "password": PASSWORD, "name": "Ann Lee"}
        answer = await self.world.sure("POST", f"{AUTH}/signup", json=body, headers=self.origin)
        if answer.code == 409:
            answer = await self.world.sure("POST", f"{AUTH}/signin", json=body, headers=self.origin)
        assert answer.outcome is Outcome.OK, answer
        self.access_token, self.refresh_token = answer.data["accessToken"], answer.data["refreshToken"]

    async def claim(self) -> None:
        """Launch as the user, on two hosts at once, until it is known to have worked. What is claimed is
        the guest's no longer: nothing in it is asked again as the guest."""
        self.pending = [attempt for attempt in self.pending if attempt.conversation is None]
        while True:
            claims = await asyncio.gather(self._claim(), self._claim())
            if Outcome.OK in claims:
                return

    async def _claim(self) -> Outcome:
        answer = await self.world.send("GET", "/app/launch", headers=self.headers | self.device)
        self.world.keep(Claim(caller=self.user, guest=self.guest, **answer.known))
        return answer.outcome

    async def share(self) -> None:
        """Share a conversation."""
        if self.conversations:
            conversation = self.world.random.choice(self.conversations)
            body = {"conversationId": conversation}
            answer = await self.world.send("POST", "/api/v1/share", json=body, headers=self.headers)
            share = answer.data.get("shareId")
            self.world.keep(
                ShareMade(caller=self.caller, conversation=conversation, share=share, **answer.known)
            )
            if share is not None:
                self.world.shares.append(share)

    async def view(self) -> None:
        """Look at somebody's share, as a viewer that nobody else is, once or twice at a time."""
        if self.world.shares:
            share, viewer = self.world.random.choice(self.world.shares[-10:]), self.world.number()
            looks = (self._look(share, viewer) for _ in range(self.world.random.randrange(1, 3)))
            await asyncio.gather(*looks)

    async def _look(self, share: str, viewer: int) -> None:
        origin = {
            "X-Forwarded-For": f"11.{viewer >> 16 & 255}.{viewer >> 8 & 255}.{viewer & 255}",
            "User-Agent": f"viewer/{viewer}",
        }
        answer = await self.world.send("GET", f"/api/v1/public/share/{share}", headers=origin)
        self.world.keep(View(caller=f"viewer:{viewer}", share=share, viewer=str(viewer), **answer.known))

    async def refresh(self) -> None:
        """Exchange the refresh token, twice at once, until a successor is known."""
        successors = set[str]()
        while not successors:
            made = await asyncio.gather(self._refresh(), self._refresh())
            successors = {successor for successor in made if successor}
            if self.world.history.calm_since < now():
                break
        self.refresh_token = successors.pop() if successors else self.refresh_token

    async def _refresh(self) -> str | None:
        body = {"refreshToken": self.refresh_token}
        answer = await self.world.send("POST", f"{AUTH}/refresh", json=body, headers=self.origin)
        successor = answer.data.get("refreshToken")
        self.world.keep(
            Refresh(caller=self.user, token=body["refreshToken"], successor=successor, **answer.known)
        )
        self.access_token = answer.data.get("accessToken", self.access_token)
        return successor

    async def export(self) -> None:
        """Take everything along."""
        answer = await self.world.send("GET", f"{AUTH}/me/export", headers=self.headers)
        try:
            with ZipFile(io.BytesIO(answer.body)) as archive:
                messages = json.loads(archive.read("messages.json"))
        except (BadZipFile, ValueError):
            return  # broken off: no program takes it for whole
        self.world.keep(
            Read(caller=self.caller, conversation=None, questions=asked_in(messages), **answer.known)
        )

    async def upload(self) -> None:
        """Store a picture."""
        files = {"file": ("dot.png", PICTURE, "image/png")}
        answer = await self.world.send("POST", "/api/v1/files/upload", files=files, headers=self.headers)
        file = answer.data.get("id")
        digest = await file_digest(self, file) if file else ""
        self.world.keep(Upload(caller=self.caller, file=file, digest=digest, **answer.known))


def is_open(chat: Chat) -> bool:
    """Whether a request under a key is to be repeated: nobody knows how it ended, or it is still running."""
    return chat.outcome is Outcome.UNKNOWN or (chat.outcome is Outcome.REFUSED and chat.code == 409)


def asked_in(messages: Any) -> frozenset[str]:
    """The questions in a list of messages."""
    return frozenset(message["content"] for message in messages if message["role"] == "user")


async def file_digest(person: Person, file: str) -> str:
    """The digest of a stored file's content; empty when it cannot be had."""
    world = person.world
    answer = await world.sure("GET", f"/api/v1/files/{file}", headers=person.headers)
    url = answer.data.get("url")
    return "" if url is None else await digest_of(world, str(url))


async def digest_of(world: World, url: str) -> str:
    """The digest of what is at an address."""
    found = await world.sure("GET", url, headers={})
    return sha256(found.body).hexdigest() if found.outcome is Outcome.OK else ""
