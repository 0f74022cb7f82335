"""The profile of a registered user, and its updates by the identity provider (contract section 3)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from finassist.application.accounts.avatars import AVATAR_TYPE, GetAvatarUrl
from finassist.application.auth.audit import note_call
from finassist.application.auth.backend_secret import CheckSecret
from finassist.application.erasure.admission import AdmitIdentity
from finassist.application.files.objects import discard, discard_unless
from finassist.application.files.records import MeasureStorage
from finassist.application.ports.conversations import ConversationRepository, MessageRepository
from finassist.application.ports.files import ImageEditor, ObjectStore
from finassist.application.ports.identity import IdentityProvider
from finassist.application.ports.shares import ShareRepository
from finassist.application.ports.system import Clock, IdFactory
from finassist.application.ports.users import UserRepository
from finassist.application.profile_cards import DescribeAnswers
from finassist.domain.auth.audit import Actor
from finassist.domain.conversations.conversation import ConversationUsage
from finassist.domain.errors import FinassistError, NotFound, Unauthorized, ValidationFailed
from finassist.domain.files.record import AVATAR_PREFIX, StorageUse
from finassist.domain.profile_cards import AnsweredQuestion
from finassist.domain.retrieval.questions import Topic, frequent_topics, latest_topics
from finassist.domain.shares import ShareUsage
from finassist.domain.users import Caller, Identity, ProfileChanges, User, is_reserved_email, same_email


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The overview of a registered user. ``answered`` are profile questions; ``recent`` and ``frequent`` are
    what the user asks about."""

    user: User
    avatar_url: str | None
    conversations: ConversationUsage
    shares: ShareUsage
    storage: StorageUse
    answered: Sequence[AnsweredQuestion] = ()
    recent: Sequence[Topic] = ()
    frequent: Sequence[Topic] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeAccount:
    """Put together the overview of a user: profile, usage counts and topics as they are now."""

    conversations: ConversationRepository
    messages: MessageRepository
    shares: ShareRepository
    get_avatar_url: GetAvatarUrl
    measure_storage: MeasureStorage
    describe_answers: DescribeAnswers
    clock: Clock

    async def __call__(self, user: User) -> Profile:
        topics = await self.messages.topics(user.owner_ids)
        return Profile(
            user=user,
            avatar_url=await self.get_avatar_url(user),
            conversations=await self.conversations.usage(user.owner_ids),
            shares=await self.shares.usage(user.id, self.clock.now()),
            storage=await self.measure_storage(user.owner_ids),
            answered=await self.describe_answers(user.id),
            recent=latest_topics(topics),
            frequent=frequent_topics(topics),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GetAccount:
    """The caller's profile, with what the caller has and shares.

    A user that is not known yet is made from the access token.
    """

    users: UserRepository
    describe_account: DescribeAccount

    async def __call__(self, caller: Caller) -> Profile:
        user = await self.users.get(caller.user_id)
        if user is None:
            raise NotFound("user")
        return await self.describe_account(user)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateAccount:
    """Change the caller's name, preferences or avatar; what is left out stays.

    An avatar is a JPEG, PNG, GIF or WebP of at most 10 MB. It is kept as a WebP of at most 512 pixels a
    side, without metadata; the earlier one is deleted.
    """

    users: UserRepository
    object_store: ObjectStore
    image_editor: ImageEditor
    describe_account: DescribeAccount
    clock: Clock
    ids: IdFactory

    async def __call__(self, caller: Caller, changes: ProfileChanges, avatar: bytes | None) -> Profile:
        if avatar is None:
            return await self._update(caller, changes)
        if changes.clear_avatar:
            raise ValidationFailed.of("_clearAvatar", "Must not be set together with a new avatar.")
        # Stored before the user points at it, and the old one deleted after: a crash in between leaves a
        # file that nobody points at, never a user whose avatar is gone.
        key = f"{AVATAR_PREFIX}{self.ids.new_id()}.webp"
        await self.object_store.put(key, await self.image_editor.avatar(avatar, caller=caller), AVATAR_TYPE)
        try:
            return await self._update(caller, replace(changes, avatar_key=key))
        except FinassistError:
            # The user may have it all the same. What stays without a user, SweepFiles deletes later.
            if await discard_unless(lambda: self._is_avatar(key), self.object_store, key):
                return await self._update(caller, ProfileChanges())
            raise

    async def _is_avatar(self, key: str) -> bool:
        return bool(await self.users.avatars_among((key,)))

    async def _update(self, caller: Caller, changes: ProfileChanges) -> Profile:
        now = self.clock.now()
        before = await self.users.update_account(caller.user_id, changes, now)
        if before is None:
            raise NotFound("user")
        after = before.changed(changes, now)
        if before.avatar_key != after.avatar_key:
            await discard(self.object_store, before.avatar_key)
        return await self.describe_account(after)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookCaller:
    """The bearer of a webhook's token, and whether it may write about any user of its provider."""

    identity: Identity
    may_write_all: bool

    def require_may_write(self, subject: str) -> None:
        """Raise Unauthorized unless the caller may write about this subject."""
        if not self.may_write_all and self.identity.subject != subject:
            raise Unauthorized("This token may not write about that user.")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmitWebhook:
    """Identify the caller of a webhook, and what it may write.

    With a configured webhook secret, a caller needs it besides a valid token, and may write about any user.
    Without, only the user's own token and those of the configured clients may write. Raises Unauthorized, and
    TooManyAttempts after 20 wrong secrets of an address in a minute.
    """

    identity_provider: IdentityProvider
    check_secret: CheckSecret
    webhook_secret: bytes | None
    webhook_clients: tuple[str, ...]

    async def __call__(self, bearer: str | None, secret: bytes | None, address: str) -> WebhookCaller:
        if bearer is None:
            raise Unauthorized("A bearer token is required.")
        identity = await self.identity_provider.verify_access_token(bearer)
        if self.webhook_secret is not None:
            shown = () if secret is None else (secret,)
            if not await self.check_secret("webhook-refusals", shown, (self.webhook_secret,), address):
                raise Unauthorized("The webhook secret is missing or wrong.")
            note_call(actor=Actor.WEBHOOK)
            return WebhookCaller(identity=identity, may_write_all=True)
        is_client = identity.client_id is not None and identity.client_id in self.webhook_clients
        note_call(actor=Actor.WEBHOOK if is_client else Actor.USER)
        return WebhookCaller(identity=identity, may_write_all=is_client)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncUser:
    """Make or update the user that an event of the identity provider is about; once, however often it comes.

    An email from an event is not verified, unless the user's own token says so too. Where the caller is no
    more than the user, an event does not change the email that the user has: its token tells it. An event
    about a user who was erased is not found.
    """

    admit_identity: AdmitIdentity
    users: UserRepository

    async def __call__(
        self, caller: WebhookCaller, subject: str, *, email: str | None, name: str | None, picture: str | None
    ) -> User:
        caller.require_may_write(subject)
        if email is not None and is_reserved_email(email):
            raise ValidationFailed.of("email", "This email domain is reserved.")
        if not caller.may_write_all and await self._has_its_email(caller.identity):
            email = None
        about = _identity_about(caller.identity, subject, email=email, name=name, picture=picture)
        return await self.admit_identity(about, is_proof=caller.identity.subject == subject)

    async def _has_its_email(self, own: Identity) -> bool:
        """Whether the token names an email, or the user is there already, with an email or without."""
        if own.email is not None:
            return True
        return await self.users.find_by_identity(own.issuer, own.subject) is not None


def _identity_about(
    own: Identity, subject: str, *, email: str | None, name: str | None, picture: str | None
) -> Identity:
    """The identity in the event, completed from the token when the event is about the token's own user."""
    if own.subject != subject:
        own = Identity(
            issuer=own.issuer,
            subject=subject,
            provider=own.provider,
            issued_at=own.issued_at,
            expires_at=own.expires_at,
        )
    if picture is None or not picture.startswith(("https://", "http://")):
        picture = own.picture
    return replace(
        own,
        email=email or own.email,
        email_verified=own.email_verified and (email is None or same_email(email, own.email)),
        name=name or own.name,
        picture=picture,
    )
