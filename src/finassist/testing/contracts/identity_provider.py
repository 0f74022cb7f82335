"""The contract suite of every identity provider."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from finassist.application.ports.identity import IdentityProvider
from finassist.domain.errors import TokenExpired, Unauthorized
from finassist.testing.clock import FakeClock


@dataclass(frozen=True, kw_only=True)
class IdentityRealm:
    """A provider, a function that issues access tokens as it does, and the clock by which they expire.

    ``issue_access_token`` takes a subject, and the claims ``email``, ``email_verified`` and ``name``.
    """

    provider: IdentityProvider
    issue_access_token: Callable[..., Awaitable[str]]
    clock: FakeClock
    token_seconds: int


class IdentityProviderContract:
    """The suite of ``IdentityProvider``: its tokens. Subclass it and override the fixture ``realm``."""

    @pytest.fixture
    def realm(self) -> IdentityRealm:
        """The provider under test, with its token issuer and clock."""
        raise NotImplementedError("override this fixture")

    async def test_an_access_token_names_its_subject_and_the_provider(self, realm: IdentityRealm) -> None:
        token = await realm.issue_access_token(
            "ann", email="ann@example.org", email_verified=True, name="Ann"
        )

        identity = await realm.provider.verify_access_token(token)

        assert identity.subject == "ann"
        assert identity.provider == realm.provider.name
        assert (identity.email, identity.email_verified, identity.name) == ("ann@example.org", True, "Ann")
        assert (identity.phone, identity.phone_verified) == (None, False)

    async def test_two_tokens_of_one_subject_are_different_and_name_the_same_user(
        self, realm: IdentityRealm
    ) -> None:
        first, second = [await realm.issue_access_token("ann") for _ in range(2)]

        identities = [await realm.provider.verify_access_token(token) for token in (first, second)]

        assert first != second
        assert identities[0] == identities[1]

    async def test_a_token_lives_from_its_issue_to_its_expiry(self, realm: IdentityRealm) -> None:
        identity = await realm.provider.verify_access_token(await realm.issue_access_token("ann"))

        assert identity.issued_at == realm.clock.now()
        assert (identity.expires_at - identity.issued_at).total_seconds() == realm.token_seconds

    async def test_an_old_token_is_told_from_a_forged_one(self, realm: IdentityRealm) -> None:
        token = await realm.issue_access_token("ann")
        realm.clock.advance(realm.token_seconds + 60)

        with pytest.raises(TokenExpired):
            await realm.provider.verify_access_token(token)
        with pytest.raises(Unauthorized) as forged:
            await realm.provider.verify_access_token(token[:-4] + "AAAA")
        assert type(forged.value) is Unauthorized

    @pytest.mark.parametrize("token", ["", "x", "a.b.c", "Bearer a.b.c", "é.é.é", "\x00", "x" * 100_000])
    async def test_what_is_no_token_is_unauthorized(self, realm: IdentityRealm, token: str) -> None:
        with pytest.raises(Unauthorized):
            await realm.provider.verify_access_token(token)

    async def test_many_tokens_verify_at_once(self, realm: IdentityRealm) -> None:
        tokens = [await realm.issue_access_token(f"user-{number}") for number in range(50)]

        identities = await asyncio.gather(*(realm.provider.verify_access_token(token) for token in tokens))

        assert [identity.subject for identity in identities] == [f"user-{number}" for number in range(50)]

    async def test_a_provider_describes_itself(self, realm: IdentityRealm) -> None:
        assert realm.provider.describe().name == realm.provider.name
        assert realm.provider.describe().configured
