"""The built-in provider behind its port: social identities, passwords and rotated keys."""

import asyncio
from typing import Any

import pytest

from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.auth.local_accounts import SocialIdentity
from finassist.domain.errors import InvalidCredentials, InvalidRefreshToken, NotFound, ValidationFailed
from finassist.testing import FakeClock
from usecases.conftest import opened

ISSUER = "https://social.example"


def social(subject: str = "1", **fields: Any) -> SocialIdentity:
    values = {"email": "ann@example.org", "email_verified": True, "name": "Ann", "picture": None, **fields}
    return SocialIdentity(issuer=ISSUER, subject=subject, **values)


async def sign_in(service: Finassist, identity: SocialIdentity) -> Any:
    tokens = await service.adapters.identity_provider.exchange_social(identity, "id-token")
    return (await service.open_session(tokens)).user


async def test_a_social_identity_signs_in_to_one_account(service: Finassist) -> None:
    first, again = await sign_in(service, social()), await sign_in(service, social(name="Anna"))

    assert first.id == again.id
    assert (first.email, first.email_verified) == ("ann@example.org", True)


async def test_two_social_identities_with_the_same_verified_email_are_one_user(service: Finassist) -> None:
    assert (await sign_in(service, social("1"))).id == (await sign_in(service, social("2"))).id


class SlowAccounts:
    """Accounts that are read before the password is replaced, and used after."""

    def __init__(self, accounts: Any) -> None:
        self._accounts = accounts
        self.read, self.goes_on = asyncio.Event(), asyncio.Event()

    def __getattr__(self, verb: str) -> Any:
        return getattr(self._accounts, verb)

    async def find_by_email(self, email: str) -> Any:
        found = await self._accounts.find_by_email(email)
        self.read.set()
        await self.goes_on.wait()
        return found


async def test_a_sign_in_with_a_password_that_is_replaced_meanwhile_leaves_no_session(
    settings: Settings, service: Finassist
) -> None:
    user = (await service.sign_up("ann@example.org", "Secret-123", "Ann")).user
    slow = SlowAccounts(service.adapters.local_accounts)
    async with opened(settings, local_accounts=slow) as other:
        signing_in = asyncio.create_task(other.sign_in("ann@example.org", "Secret-123", "127.0.0.1"))
        await slow.read.wait()
        await service.set_password("ann@example.org", "Another-456")
        slow.goes_on.set()
        with pytest.raises(InvalidCredentials):
            await signing_in
    identities = await service.adapters.users.identities_of(user.id)
    subjects = [identity.subject for identity in identities]
    assert await service.adapters.sessions.list_of(subjects, service.adapters.clock.now()) == []
    assert (await service.sign_in("ann@example.org", "Another-456", "127.0.0.1")).user.id == user.id


async def test_an_unverified_email_never_joins_another_account(service: Finassist) -> None:
    owner = await sign_in(service, social("1"))
    stranger = await sign_in(service, social("2", email_verified=False))

    assert stranger.id != owner.id
    assert stranger.email is None


async def test_the_first_to_sign_up_with_an_email_does_not_get_its_owners_account(
    service: Finassist,
) -> None:
    squatter = (await service.sign_up("ann@example.org", "Secret-123", "Squatter")).user
    owner = await sign_in(service, social())

    assert owner.id != squatter.id
    assert (owner.email, owner.email_verified) == ("ann@example.org", True)
    assert (await service.sign_in("ann@example.org", "Secret-123", "127.0.0.1")).user.id == squatter.id


async def test_parallel_first_sign_ins_of_one_social_identity_make_one_user(service: Finassist) -> None:
    users = await asyncio.gather(*(sign_in(service, social()) for _ in range(20)))

    assert len({user.id for user in users}) == 1


async def test_parallel_first_sign_ins_of_one_phone_make_one_user(service: Finassist) -> None:
    async def by_phone() -> str:
        tokens = await service.adapters.identity_provider.sign_in_phone("+4915112345678")
        user_id: str = (await service.open_session(tokens)).user.id
        return user_id

    assert len(set(await asyncio.gather(*(by_phone() for _ in range(20))))) == 1


async def test_a_new_password_ends_the_sessions_and_the_old_password(service: Finassist) -> None:
    session = await service.sign_up("ann@example.org", "Secret-123", "Ann")
    await service.set_password("ANN@example.org", "Changed123")

    with pytest.raises(InvalidRefreshToken):
        await service.refresh_session(session.tokens.refresh_token or "")
    with pytest.raises(InvalidCredentials):
        await service.sign_in("ann@example.org", "Secret-123", "127.0.0.1")
    assert await service.sign_in("ann@example.org", "Changed123", "127.0.0.1")


async def test_a_new_password_keeps_the_rules_and_needs_an_account(service: Finassist) -> None:
    with pytest.raises(ValidationFailed):
        await service.set_password("ann@example.org", "weak")
    with pytest.raises(NotFound):
        await service.set_password("nobody@example.org", "Secret-123")


async def test_old_tokens_stay_good_after_a_rotation_and_the_new_key_signs_new_ones(
    settings: Settings,
) -> None:
    clock = FakeClock()
    async with (
        opened(settings, clock=clock) as one,
        opened(settings, clock=clock) as other,
    ):
        session = await one.sign_up("ann@example.org", "Secret-123", "Ann")
        old_keys = await other.adapters.authorization_server.public_keys()
        kid = await one.rotate_keys()
        assert await other.adapters.identity_provider.verify_access_token(session.tokens.access_token)

        clock.advance(60)
        renewed = await one.refresh_session(session.tokens.refresh_token or "")

        assert await other.adapters.identity_provider.verify_access_token(renewed.access_token)
        assert await other.adapters.identity_provider.verify_access_token(session.tokens.access_token)
        keys = await other.adapters.authorization_server.public_keys()
        assert [key["kid"] for key in keys] == [old_keys[0]["kid"], kid]


async def test_what_expired_is_swept(settings: Settings) -> None:
    clock = FakeClock()
    async with opened(settings, clock=clock) as container:
        await container.sign_up("ann@example.org", "Secret-123", "Ann")
        await container.start_login(
            client_state=None, redirect_uri=None, own_address="http://x", address="::1", bind_to_cookie=True
        )
        with pytest.raises(InvalidCredentials):
            await container.sign_in("ann@example.org", "x", "127.0.0.1")
        assert await container.workers.delete_expired_logins() == 0
        clock.advance(settings.refresh_token_ttl_seconds)

        assert await container.workers.delete_expired_logins() == 3
        assert await container.workers.delete_expired_logins() == 0
