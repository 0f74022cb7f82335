"""The caller's own profile (spec "Profile overview", contract section 3)."""

from typing import Annotated, Any, Final

import msgspec
from litestar import Controller, delete, get, patch
from litestar.di import NamedDependency
from litestar.params import JSONBody

from finassist.application.accounts.overview import GetAccount, Profile, UpdateAccount
from finassist.application.erasure.requests import RequestErasure
from finassist.domain.users import (
    FULL_NAME_MAX,
    LANGUAGE_MAX,
    LANGUAGE_PATTERN,
    ProfileChanges,
    Theme,
)
from finassist.entrypoints.http.accounts.bodies import EraseRequest
from finassist.entrypoints.http.accounts.views import ErasureReceipt, PreferencesView, receipt_of
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, CALLER_ERRORS, raises
from finassist.entrypoints.http.requests.addresses import absolute_url
from finassist.entrypoints.http.requests.audit import ALWAYS
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.forms import sent_file
from finassist.entrypoints.http.requests.security import AS_CALLER, AS_REGISTERED, CallerRequest
from finassist.entrypoints.http.responses.envelope import Envelope, Timestamp, View, ok, view

AVATAR_BODY_MAX: Final = 11 * 2**20

_ERRORS: Final = ("UNAUTHORIZED", "IDENTITY_PROVIDER_ERROR", "NOT_FOUND")


class ProfileUserView(View):
    """Who the user is. A user known by phone only has the email ``<digits>@phone.invalid``."""

    id: str
    email: str | None
    full_name: str
    avatar_url: str | None
    preferences: PreferencesView


class ConversationUsageView(View):
    """How many conversations the user has, by state."""

    total: int
    active: int
    archived: int
    deleted: int
    last_active_at: Timestamp | None


class ShareUsageView(View):
    """How many shares the user has, by state."""

    total: int
    active: int
    expired: int
    revoked: int
    total_views: int
    last_shared_at: Timestamp | None


class StorageUseView(View):
    """What the user's files take up. ``totalBytes`` is null when they may take up as much as they like."""

    used_bytes: int
    total_bytes: int | None


class UsageView(View):
    """Counts of the user's conversations and shares, and what the user's files take up."""

    conversations: ConversationUsageView
    shares: ShareUsageView
    storage: StorageUseView


class ProfileAnswerView(View):
    """A profile question that the user has answered."""

    key: str
    label: str
    value: Any


class RecentTopicView(View):
    """A finance topic that the user asked about lately."""

    category: str
    display_name: str
    last_asked_at: Timestamp


class FrequentTopicView(View):
    """A finance topic that the user asks about often."""

    category: str
    display_name: str
    count: int


class ProfileContextView(View):
    """What is known of the user's situation and interests."""

    static: list[ProfileAnswerView]
    recent: list[RecentTopicView]
    frequent: list[FrequentTopicView]


class ProfileView(View):
    """The profile overview."""

    user: ProfileUserView
    usage: UsageView
    profile_context: ProfileContextView


class PreferencesPatch(Body):
    """What to change; fields that are left out stay as they are."""

    language: (
        Annotated[str, msgspec.Meta(pattern=LANGUAGE_PATTERN, max_length=LANGUAGE_MAX)] | msgspec.UnsetType
    ) = msgspec.UNSET
    theme: Theme | msgspec.UnsetType = msgspec.UNSET
    notifications: bool | msgspec.UnsetType = msgspec.UNSET


class ProfilePatch(Body):
    """What to change; fields that are left out stay as they are. ``_clearAvatar`` removes the avatar."""

    full_name: (
        Annotated[str, msgspec.Meta(min_length=1, max_length=FULL_NAME_MAX, pattern=r"\S")]
        | msgspec.UnsetType
    ) = msgspec.UNSET
    preferences: PreferencesPatch | msgspec.UnsetType = msgspec.UNSET
    clear_avatar: bool = msgspec.field(name="_clearAvatar", default=False)


class ProfileController(Controller):
    """``/api/v1/auth/me``; guests may be erased as well."""

    path = "/api/v1/auth/me"
    tags = ("Account",)

    @get(
        summary="Get the caller's profile",
        description=(
            "The caller's profile, with counts of conversations and shares.\n\n"
            "A user that is not stored yet is made from the access token."
        ),
        responses=raises("VALIDATION_ERROR", *_ERRORS),
        **AS_REGISTERED,
    )
    async def get_profile(
        self, request: CallerRequest, get_account: NamedDependency[GetAccount]
    ) -> Envelope[ProfileView]:
        return ok(_profile_view(await get_account(request.user), request))

    @patch(
        summary="Change the caller's profile",
        description=(
            "Change the caller's name, preferences or avatar; fields that are left out stay as they are.\n\n"
            "An avatar is a JPEG, PNG, GIF or WebP of at most 10 MB. It is stored as a WebP of at most "
            "512 pixels a side, without metadata, and the earlier one is deleted. `_clearAvatar` removes "
            "the avatar."
        ),
        request_example={"fullName": "Ann Example", "preferences": {"language": "en", "theme": "dark"}},
        responses=raises(*BODY_ERRORS, *_ERRORS, "RATE_LIMIT_EXCEEDED", "STORAGE_ERROR"),
        opt={**AS_REGISTERED["opt"], "file_part": "avatar"},
        security=AS_REGISTERED["security"],
        request_max_body_size=AVATAR_BODY_MAX,
    )
    async def update_profile(
        self,
        request: CallerRequest,
        data: JSONBody[ProfilePatch],
        update_account: NamedDependency[UpdateAccount],
    ) -> Envelope[ProfileView]:
        profile = await update_account(request.user, _changes(data), sent_file(request))
        return ok(_profile_view(profile, request))

    @delete(
        summary="Erase the caller",
        description=(
            "Erase the caller and all of the caller's data, for good. Sessions, tokens, shares and "
            "running replies end before the response; the rest is erased in the background, and the "
            "receipt says when it is done.\n\n"
            "A registered user sends the password, or has signed in at most five minutes ago; a guest "
            "is identified by the device headers. Repeated requests get the receipt of the same erasure."
        ),
        request_example={"password": "Correct-horse-7"},
        status_code=200,
        responses=raises(*CALLER_ERRORS, *BODY_ERRORS, "INVALID_CREDENTIALS", "TOO_MANY_ATTEMPTS"),
        **AS_CALLER,
        audited=ALWAYS,
    )
    async def erase_profile(
        self,
        request: CallerRequest,
        request_erasure: NamedDependency[RequestErasure],
        data: JSONBody[EraseRequest | None] = None,
    ) -> Envelope[ErasureReceipt]:
        password = None if data is None else data.password
        address = request.scope["state"]["address"]
        return ok(receipt_of(await request_erasure(request.user, password, address)))


def _changes(patch: ProfilePatch) -> ProfileChanges:
    chosen = PreferencesPatch() if isinstance(patch.preferences, msgspec.UnsetType) else patch.preferences
    return ProfileChanges(
        full_name=None if isinstance(patch.full_name, msgspec.UnsetType) else patch.full_name.strip(),
        language=None if isinstance(chosen.language, msgspec.UnsetType) else chosen.language,
        theme=None if isinstance(chosen.theme, msgspec.UnsetType) else chosen.theme,
        notifications=None if isinstance(chosen.notifications, msgspec.UnsetType) else chosen.notifications,
        clear_avatar=patch.clear_avatar,
    )


def _profile_view(profile: Profile, request: CallerRequest) -> ProfileView:
    user = profile.user
    static = [
        ProfileAnswerView(key=each.question.key, label=each.question.text, value=each.answer.value)
        for each in profile.answered
    ]
    return ProfileView(
        user=ProfileUserView(
            id=user.id,
            email=user.shown_email,
            full_name=user.name,
            avatar_url=absolute_url(request, profile.avatar_url),
            preferences=view(user.preferences, PreferencesView),
        ),
        usage=UsageView(
            conversations=view(profile.conversations, ConversationUsageView),
            shares=view(profile.shares, ShareUsageView),
            storage=StorageUseView(profile.storage.used, profile.storage.total),
        ),
        profile_context=ProfileContextView(
            static=static,
            recent=[view(topic, RecentTopicView) for topic in profile.recent],
            frequent=[view(topic, FrequentTopicView) for topic in profile.frequent],
        ),
    )
