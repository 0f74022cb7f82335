"""What every identity provider owes the service, and what every store of signing keys owes a provider."""

import asyncio
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, Key, RSAKey

from finassist.adapters.identity.keys import KeyFiles, KeyRing, KeyStore
from finassist.adapters.identity.local import AUDIENCE, CLIENT_ID, DEFAULT_ISSUER
from finassist.adapters.identity.signing import TokenSigner, claims_of
from finassist.application.ports.identity import IdentityProvider
from finassist.composition.container import build_application
from finassist.config import Settings
from finassist.domain.auth.local_accounts import LocalAccount
from finassist.domain.errors import IdentityProviderError, Unauthorized
from finassist.testing import FakeClock, StubIdentityProvider
from finassist.testing.contracts import IdentityProviderContract
from finassist.testing.contracts.identity_provider import IdentityRealm
from finassist.testing.identity import TOKEN_SECONDS

ACCESS_TOKEN_TTL = 3600


@dataclass(frozen=True, kw_only=True)
class Realm:
    """A provider, and the clock that its tokens age by. Another provider joins with a fixture of its own."""

    provider: "LocalRealm"
    clock: FakeClock


class LocalRealm:
    """The built-in provider with nothing but keys: what it needs to sign and to verify."""

    def __init__(self, signer: TokenSigner, provider: IdentityProvider) -> None:
        self._signer = signer
        self.provider = provider
        self.name = provider.name
        self.verify_access_token = provider.verify_access_token

    async def issue_access_token(self, subject: str, **fields: Any) -> str:
        now = self._signer.clock.now()
        account = LocalAccount(subject=subject, **{"name": "", **fields}, created_at=now, updated_at=now)
        return await self._signer.access_token(claims_of(account), now)


def local_provider(
    folder: Path, clock: FakeClock, issuer: str = DEFAULT_ISSUER, audience: str = AUDIENCE
) -> LocalRealm:
    signer = TokenSigner(
        keys=KeyRing(KeyFiles(folder), clock),
        issuer=issuer,
        audience=audience,
        client_id=CLIENT_ID,
        clock=clock,
        access_token_ttl=ACCESS_TOKEN_TTL,
    )
    finassist = build_application(Settings(data_dir=folder), clock=clock, token_signer=signer)
    return LocalRealm(signer, finassist.adapters.identity_provider)


@pytest.fixture(params=["local"])
def realm(tmp_path: Path) -> Realm:
    clock = FakeClock()
    return Realm(provider=local_provider(tmp_path / "keys", clock), clock=clock)


@pytest.fixture(params=["files"])
def key_store(tmp_path: Path) -> KeyStore:
    return KeyFiles(tmp_path / "keys")


# Every provider


class TestEveryProvider(IdentityProviderContract):
    @pytest.fixture(params=["local", "fake"])
    def realm(self, request: pytest.FixtureRequest, tmp_path: Path) -> IdentityRealm:
        clock = FakeClock()
        if request.param == "local":
            local = local_provider(tmp_path / "keys", clock)
            return IdentityRealm(
                provider=local.provider,
                issue_access_token=local.issue_access_token,
                clock=clock,
                token_seconds=ACCESS_TOKEN_TTL,
            )
        fake = StubIdentityProvider(clock)

        async def issue_access_token(subject: str, **claims: Any) -> str:
            return fake.issue(subject, **claims)

        return IdentityRealm(
            provider=fake, issue_access_token=issue_access_token, clock=clock, token_seconds=TOKEN_SECONDS
        )


# The built-in provider


def configured(settings: Settings, clock: FakeClock) -> LocalRealm:
    container = build_application(settings, clock=clock)
    return LocalRealm(container.adapters.token_signer, container.adapters.identity_provider)


async def test_the_settings_say_where_the_keys_are_and_how_long_tokens_live(tmp_path: Path) -> None:
    clock = FakeClock()
    provider = configured(Settings(data_dir=tmp_path, access_token_ttl_seconds=60), clock)
    token = await provider.issue_access_token("ann")

    identity = await local_provider(tmp_path / "keys", clock).verify_access_token(token)

    assert (identity.expires_at - identity.issued_at).total_seconds() == 60


async def test_the_public_address_is_the_issuer(tmp_path: Path) -> None:
    clock, address = FakeClock(), "https://finance.example.org"
    provider = configured(Settings(data_dir=tmp_path, public_base_url=address), clock)
    token = await provider.issue_access_token("ann")

    assert await local_provider(tmp_path / "keys", clock, issuer=address).verify_access_token(token)
    with pytest.raises(Unauthorized):
        await local_provider(tmp_path / "keys", clock).verify_access_token(token)


def test_another_provider_is_never_silently_replaced_by_the_built_in_one(tmp_path: Path) -> None:
    for name in ("oidc", "keycloak", "auth0"):
        container = build_application(Settings(data_dir=tmp_path, identity_provider=name))
        assert container.adapters.identity_provider.name == name


async def test_an_account_stays_the_same_when_the_public_address_changes(tmp_path: Path) -> None:
    clock = FakeClock()
    before = local_provider(tmp_path, clock)
    after = local_provider(tmp_path, clock, issuer="https://finance.example.org")
    old = await before.issue_access_token("ann")

    identities = [
        await before.verify_access_token(old),
        await after.verify_access_token(await after.issue_access_token("ann")),
    ]

    assert identities[0] == identities[1]
    with pytest.raises(Unauthorized):
        await after.verify_access_token(old)


async def test_a_token_for_another_audience_is_refused(tmp_path: Path) -> None:
    clock = FakeClock()
    token = await local_provider(tmp_path, clock, audience="other").issue_access_token("ann")

    with pytest.raises(Unauthorized):
        await local_provider(tmp_path, clock).verify_access_token(token)


async def test_a_token_of_another_installation_is_refused(tmp_path: Path) -> None:
    clock = FakeClock()
    token = await local_provider(tmp_path / "theirs", clock).issue_access_token("ann")

    with pytest.raises(Unauthorized):
        await local_provider(tmp_path / "ours", clock).verify_access_token(token)


async def test_a_token_outlives_a_restart(tmp_path: Path) -> None:
    clock = FakeClock()
    token = await local_provider(tmp_path, clock).issue_access_token("ann")

    assert (await local_provider(tmp_path, clock).verify_access_token(token)).subject == "ann"


async def test_an_issued_token_says_that_it_is_an_access_token_and_which_key_signed_it(
    tmp_path: Path,
) -> None:
    clock = FakeClock()
    key = (await KeyFiles(tmp_path).load())[0]
    assert isinstance(key, ECKey)
    provider = local_provider(tmp_path, clock)
    issued = await provider.issue_access_token("ann", phone="+4915112345678", phone_verified=True)

    token = jwt.decode(issued, key, algorithms=["ES256"])

    assert token.header == {"alg": "ES256", "kid": key.thumbprint(), "typ": "at+jwt"}
    now = int(clock.now().timestamp())
    assert len(token.claims.pop("jti")) == 22
    assert token.claims == {
        "iss": DEFAULT_ISSUER,
        "aud": AUDIENCE,
        "client_id": CLIENT_ID,
        "sub": "ann",
        "iat": now,
        "exp": now + ACCESS_TOKEN_TTL,
        "phone_number": "+4915112345678",
        "phone_number_verified": True,
    }


# Every store of signing keys


async def test_the_first_load_makes_one_key_and_later_loads_find_it(key_store: KeyStore) -> None:
    first, second = await key_store.load(), await key_store.load()

    assert len(first) == 1
    assert kids(first) == kids(second)
    assert first[0].kid == first[0].thumbprint()


async def test_many_first_loads_at_once_end_with_one_key(key_store: KeyStore) -> None:
    loaded = await asyncio.gather(*(key_store.load() for _ in range(20)))

    assert len({kid for keys in loaded for kid in kids(keys)}) == 1


def kids(keys: Sequence[Key]) -> list[str | None]:
    return [key.kid for key in keys]


# Keys in files


@pytest.mark.engine
def test_processes_that_start_at_once_share_one_key(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys; from pathlib import Path\n"
        "from finassist.adapters.identity.keys import KeyFiles\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "print(*(key.kid for key in asyncio.run(KeyFiles(Path(sys.argv[1])).load())))\n"
    )
    folder = tmp_path / "data" / "keys"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    printed = [process.communicate()[0].split() for process in processes]

    assert {len(kids) for kids in printed} == {1}
    assert len({kid for kids in printed for kid in kids}) == 1
    assert [file.name for file in folder.iterdir()] == ["000001.pem"]


async def test_a_key_that_another_process_made_in_the_meantime_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, ours = [ECKey.generate_key("P-256") for _ in range(2)]

    def generate_too_late(curve: str) -> ECKey:
        (tmp_path / "000001.pem").write_bytes(theirs.as_pem(private=True))
        return ours

    monkeypatch.setattr(ECKey, "generate_key", generate_too_late)

    assert kids(await KeyFiles(tmp_path).load()) == [theirs.thumbprint()]


async def test_key_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "keys"

    await KeyFiles(folder).load()

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "000001.pem").stat().st_mode) == 0o600


async def test_the_key_with_the_highest_number_signs_and_older_ones_still_verify(tmp_path: Path) -> None:
    clock = FakeClock()
    provider = local_provider(tmp_path, clock)
    old = await provider.issue_access_token("ann")
    rotated = ECKey.generate_key("P-256")
    (tmp_path / "000002.pem").write_bytes(rotated.as_pem(private=True))
    restarted = local_provider(tmp_path, clock)

    new = await restarted.issue_access_token("ann")

    assert jwt.decode(new, rotated, algorithms=["ES256"]).claims["sub"] == "ann"
    assert await restarted.verify_access_token(old) == await restarted.verify_access_token(new)
    clock.advance(60)
    assert (await provider.verify_access_token(new)).subject == "ann"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no key",
        ECKey.generate_key("P-256", private=False).as_pem(),
        ECKey.generate_key("P-384").as_pem(private=True),
        ECKey.generate_key("P-256").as_pem(private=True, password="secret"),
        RSAKey.generate_key(2048).as_pem(private=True),
    ],
    ids=["empty", "garbage", "public", "other curve", "encrypted", "other type"],
)
async def test_a_file_that_holds_no_signing_key_is_an_error_of_the_provider(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "000001.pem").write_bytes(content)

    with pytest.raises(IdentityProviderError):
        await KeyFiles(tmp_path).load()
    with pytest.raises(IdentityProviderError):
        await local_provider(tmp_path, FakeClock()).issue_access_token("ann")


async def test_a_folder_that_cannot_be_made_is_an_error_of_the_provider(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")

    with pytest.raises(IdentityProviderError):
        await KeyFiles(tmp_path / "data" / "keys").load()
