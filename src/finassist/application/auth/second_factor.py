"""The second factor of the caller, and signing in with it (contract section 13)."""

from dataclasses import dataclass

from finassist.application.auth.mails import RequireLocalProvider
from finassist.application.auth.sign_in import OpenSession, Session, SigningDevice
from finassist.application.ports.auth import LocalAccountRepository, NewSecondFactor, SecondFactors
from finassist.application.ports.identity import AuthorizationServer
from finassist.domain.auth.local_accounts import LocalAccount
from finassist.domain.auth.second_factor import SecondFactor
from finassist.domain.errors import InvalidState
from finassist.domain.users import Caller

_KEPT = "Second factors are kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class FindOwnAccount:
    """The account of the caller's token. Raises ValidationFailed, naming the provider, at another one."""

    require_local_provider: RequireLocalProvider
    local_accounts: LocalAccountRepository

    async def __call__(self, caller: Caller) -> LocalAccount:
        self.require_local_provider(_KEPT)
        account = None if caller.identity is None else await self.local_accounts.get(caller.identity.subject)
        if account is None:
            raise InvalidState("There is no account.")
        return account


@dataclass(frozen=True, slots=True, kw_only=True)
class FindSecondFactor:
    """The caller's second factor, None while it is off."""

    find_own_account: FindOwnAccount
    account_second_factors: SecondFactors

    async def __call__(self, caller: Caller) -> SecondFactor | None:
        return await self.account_second_factors.find(await self.find_own_account(caller))


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginSecondFactor:
    """Make the secret of a second factor, which is off until a code confirms it; again, it makes another one.

    Raises InvalidState when one is on.
    """

    find_own_account: FindOwnAccount
    account_second_factors: SecondFactors

    async def __call__(self, caller: Caller) -> NewSecondFactor:
        return await self.account_second_factors.begin(await self.find_own_account(caller))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmSecondFactor:
    """Switch the second factor on with a code of it. Returns ten recovery codes, each good once.

    Raises InvalidCode, InvalidState and TooManyAttempts.
    """

    find_own_account: FindOwnAccount
    account_second_factors: SecondFactors

    async def __call__(self, caller: Caller, code: str) -> tuple[str, ...]:
        return await self.account_second_factors.confirm(await self.find_own_account(caller), code)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveSecondFactor:
    """Switch the second factor off with a code of it, or a recovery code.

    Raises InvalidCode, InvalidState and TooManyAttempts.
    """

    find_own_account: FindOwnAccount
    account_second_factors: SecondFactors

    async def __call__(self, caller: Caller, code: str) -> None:
        await self.account_second_factors.remove(await self.find_own_account(caller), code)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInSecondFactor:
    """Finish a sign-in that needed a second factor.

    Raises InvalidCode, ChallengeExpired, after five wrong codes too, and TooManyAttempts.
    """

    require_local_provider: RequireLocalProvider
    authorization_server: AuthorizationServer
    open_session: OpenSession

    async def __call__(self, challenge: str, code: str, device: SigningDevice | None = None) -> Session:
        self.require_local_provider(_KEPT)
        return await self.open_session(
            await self.authorization_server.answer_challenge(challenge, code), device
        )
