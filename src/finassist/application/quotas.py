"""The free-message allowance and the chat rate, per user or device (spec "Limits")."""

from dataclasses import dataclass

from finassist.application.ports.quotas import QuotaRepository, RateWindowRepository
from finassist.application.ports.system import Clock
from finassist.application.ports.users import UserRepository
from finassist.domain.errors import NotFound, ValidationFailed
from finassist.domain.quotas import Allowance, RateDecision, chat_rate_key
from finassist.domain.users import Caller, User

RATE_WINDOW_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class GetAllowance:
    """How many free messages a user, or a device's guest, has and has used."""

    quotas: QuotaRepository
    free_message_threshold: int

    async def __call__(self, subject: str) -> Allowance:
        use = await self.quotas.get(subject)
        return Allowance(total=self.free_message_threshold + use.granted, used=use.used)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountChatRequest:
    """Count a chat request against the caller's rate, unless the limit is reached."""

    rate_windows: RateWindowRepository
    clock: Clock
    chat_rate_per_minute: int

    async def __call__(self, caller: Caller) -> RateDecision:
        return await self.rate_windows.hit(
            chat_rate_key(caller.user_id),
            limit=self.chat_rate_per_minute,
            window_seconds=RATE_WINDOW_SECONDS,
            now=self.clock.now(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadQuota:
    """The allowance of a user or a guest, for an administrator. Raises NotFound."""

    users: UserRepository
    get_allowance: GetAllowance

    async def __call__(self, user_id: str) -> Allowance:
        if await self.users.get(user_id) is None:
            raise NotFound("user")
        return await self.get_allowance(user_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPlan:
    """Give a user or a guest the allowance of a plan, in place of what was granted before. ``plans`` are the
    names with their numbers of messages.

    Raises NotFound, and ValidationFailed for a plan that does not exist.
    """

    read_quota: ReadQuota
    quotas: QuotaRepository
    plans: tuple[tuple[str, int], ...]
    free_message_threshold: int

    async def __call__(self, user_id: str, name: str) -> Allowance:
        threshold = dict(self.plans).get(name)
        if threshold is None:
            raise ValidationFailed.of("plan", "There is no such plan.")
        await self.read_quota(user_id)
        use = await self.quotas.set_granted(user_id, threshold - self.free_message_threshold)
        return Allowance(total=self.free_message_threshold + use.granted, used=use.used)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetQuota:
    """Let a user or a guest begin with nothing used; what was granted stays. Raises NotFound."""

    read_quota: ReadQuota
    quotas: QuotaRepository

    async def __call__(self, user_id: str) -> Allowance:
        await self.read_quota(user_id)
        await self.quotas.reset(user_id)
        return await self.read_quota(user_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantQuota:
    """Add free messages to a user, named by id or by an email that one user has, and has verified.

    Raises NotFound, and ValidationFailed for an email that says too little about who its owner is: anybody
    can sign up with the email of somebody else.
    """

    users: UserRepository
    quotas: QuotaRepository
    free_message_threshold: int

    async def __call__(self, user: str, messages: int) -> Allowance:
        found = await self._owner_of(user) if "@" in user else await self.users.get(user)
        if found is None:
            raise NotFound("user")
        use = await self.quotas.grant(found.id, messages)
        return Allowance(total=self.free_message_threshold + use.granted, used=use.used)

    async def _owner_of(self, email: str) -> User | None:
        found = await self.users.with_email(email)
        ids = ", ".join(user.id for user in found)
        if len(found) > 1:
            raise ValidationFailed.of("user", f"Several users have this email: {ids}. Name one by its id.")
        if found and not found[0].email_verified:
            raise ValidationFailed.of("user", f"User {ids} has not verified this email. Name it by its id.")
        return found[0] if found else None
