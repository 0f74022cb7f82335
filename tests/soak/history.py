"""What clients saw: every request with its beginning, its end and its outcome; and what the store holds at
the end.

A *caller* is a guest (``guest:DEVICE``) or a registered user (``user:EMAIL``). A *question* is the text of
a message; no two requests send the same one, unless the second repeats the first under its idempotency
key. Times are seconds of one monotonic clock.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar


class Outcome(StrEnum):
    """``REFUSED`` did nothing, of ``UNKNOWN`` nobody can say: no response, or a failure of the server."""

    OK = "ok"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. ``code`` is the status of the response, 0 without one."""

    caller: str
    begun: float
    ended: float
    outcome: Outcome
    code: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat(Request):
    """A question, or its repetition under the same key. ``ok`` says that the end of the reply arrived: then
    ``status`` is ``completed`` or ``stopped``. ``heard`` is as much of the text as arrived."""

    question: str
    key: str | None = None
    conversation: str | None = None
    reply: str | None = None
    status: str | None = None
    heard: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Request):
    """A request to stop a reply, with its status as it was told."""

    reply: str
    status: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename(Request):
    """A new title of a conversation."""

    conversation: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Request):
    """The questions that a list of messages showed; of one conversation, or, in an export, of all."""

    conversation: str | None
    questions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Request):
    """A launch with a bearer token, which gives the user what the device's guest has."""

    guest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareMade(Request):
    """A share of a conversation."""

    conversation: str
    share: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class View(Request):
    """A look at a share, by a viewer who looks at no other time than within half an hour."""

    share: str
    viewer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh(Request):
    """A refresh token, and what it was exchanged for."""

    token: str
    successor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload(Request):
    """A file, and the digest of its content as the service told it."""

    file: str | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that was broken on purpose."""

    what: str
    begun: float
    ended: float


R = TypeVar("R", bound=Request)


@dataclass(slots=True, kw_only=True)
class History:
    """All requests, in the order of their ends. From ``calm_since`` on nothing was broken any more, and all
    that had been was whole again."""

    requests: list[Request] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    calm_since: float = float("inf")

    def of(self, kind: type[R], *outcomes: Outcome) -> Iterator[R]:
        """The requests of a kind, with one of these outcomes if any is named."""
        for request in self.requests:
            if isinstance(request, kind) and (not outcomes or request.outcome in outcomes):
                yield request


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A question and its reply as the store has them; without a reply ``reply`` is empty."""

    conversation: str
    question: str
    reply: str = ""
    text: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalState:
    """What the store holds at the end.

    ``owners`` are the callers in whose list a conversation is. ``used`` counts reserved messages too, of
    which ``reserved`` are not settled yet. ``views`` are all views and the viewers of a share. ``running``
    replies are being written, ``strays`` are messages that no conversation has.
    """

    turns: Sequence[StoredTurn] = ()
    owners: Mapping[str, Sequence[str]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    allowance: int = 0
    used: Mapping[str, int] = field(default_factory=dict)
    reserved: int = 0
    views: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    running: int = 0
    strays: int = 0
