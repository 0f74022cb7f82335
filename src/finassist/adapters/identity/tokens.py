"""Verification of signed tokens, shared by every identity provider (contract section 3, RFC 8725).

A token costs about 70 microseconds on a small machine, 45 of them the ES256 signature itself, and clients
show the same one again and again. So what good access tokens say is remembered by their hash, for as long
as the key source returns the same key that verified them: when a key is removed, its tokens are no longer
accepted. Their times are checked against the clock at every request.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec
from joserfc.errors import ExpiredTokenError, JoseError, UnsupportedAlgorithmError
from joserfc.jwk import Key
from joserfc.jws import CompactSignature, JWSRegistry, extract_compact, validate_compact
from joserfc.jwt import JWTClaimsRegistry

from finassist.application.ports.system import Clock
from finassist.domain.errors import TokenExpired, Unauthorized
from finassist.domain.users import Identity, is_reserved_email

T = TypeVar("T")

ASYMMETRIC_ALGORITHMS = frozenset({"ES256", "RS256", "PS256", "EdDSA", "Ed25519"})
"""The only algorithms that a verifier can be told to accept."""

LEEWAY = timedelta(seconds=30)
MAX_TOKEN_LENGTH = 8192
REMEMBERED_TOKENS = 4096
"""How many access tokens a verifier remembers; each takes a kilobyte or two."""

Header = Mapping[str, Any]
Claims = Mapping[str, Any]
TokenMark = Callable[[Header, Claims], bool]
"""Tells one kind of a provider's tokens from the others: access tokens and ID tokens are signed alike."""

ClientOf = Callable[[Claims], str | None]
"""The client that an access token was issued to on its own behalf (client credentials); None for a user's."""

_UNSAFE_HEADERS = frozenset({"crit", "jku", "jwk", "x5u", "x5c"})
_BROKEN = (JoseError, ValueError, TypeError, RecursionError)
_CLAIMS = msgspec.json.Decoder(dict[str, Any])
_EPOCH = datetime.fromtimestamp(0, UTC)


class VerificationKeys(Protocol):
    """A source of keys: files, a database, a provider's JWKS."""

    async def find(self, kid: str) -> Key | None:
        """The key with that id, or None. Raises IdentityProviderError when the source is out of reach."""
        ...


def is_rfc9068(header: Header, claims: Claims) -> bool:
    """Whether the token calls itself an access token, as RFC 9068 has it: ``typ: at+jwt``."""
    return str(header.get("typ")).lower() in ("at+jwt", "application/at+jwt")


def all_claims(claims: Claims) -> Claims:
    """All that a token says."""
    return claims


def no_client(_: Claims) -> str | None:
    """The answer of a provider that has no client credentials."""
    return None


class _Verified(NamedTuple, Generic[T]):
    """The identity in a token with a valid signature and valid claims; ``starts_at`` and ``expires_at`` bound
    it."""

    kid: str
    key: Key
    said: T
    starts_at: float
    expires_at: datetime


class TokenVerifier(Generic[T]):
    """Accepts one kind of token of one issuer, and refuses everything else. ``read`` makes of the claims what
    it answers.

    ``algorithms`` is the allow-list; the ``kid`` picks the key, and the key must fit the algorithm. The
    token must be meant for one of ``audiences``. The newest ``remembered`` good ones are not verified
    again while their key stays the same.
    """

    def __init__(
        self,
        *,
        keys: VerificationKeys,
        issuer: str,
        audiences: Collection[str],
        algorithms: Collection[str],
        is_wanted: TokenMark,
        read: Callable[[Claims], T],
        clock: Clock,
        remembered: int = 0,
    ) -> None:
        if not algorithms or not ASYMMETRIC_ALGORITHMS.issuperset(algorithms):
            raise ValueError(f"the allow-list must be within {sorted(ASYMMETRIC_ALGORITHMS)}")
        self._keys = keys
        self._clock = clock
        self._is_wanted = is_wanted
        self._read = read
        self._remembered: dict[bytes, _Verified[T]] = {}
        self._remembered_max = remembered
        self._signatures = _Signatures(algorithms=frozenset(algorithms), strict_check_header=False)
        self._rules = _ClaimRules(
            now=lambda: int(clock.now().timestamp()),
            leeway=int(LEEWAY.total_seconds()),
            iss={"essential": True, "value": issuer},
            aud={"essential": True, "values": list(audiences)},
            sub={"essential": True},
            exp={"essential": True},
        )

    async def verify(self, token: str) -> T:
        """The claims of a valid token, with times that the calendar has.

        Raises TokenExpired when nothing is wrong with the token but its age, Unauthorized for every
        other fault.
        """
        if len(token) > MAX_TOKEN_LENGTH:
            raise _refusal()
        digest = sha256(token.encode("utf-8", "surrogatepass")).digest()
        verified = self._remembered.get(digest)
        if verified is None or await self._keys.find(verified.kid) is not verified.key:
            verified = await self._verify(token)
            self._remember(digest, verified)
        now = self._clock.now()
        if verified.starts_at > int(now.timestamp()) + LEEWAY.total_seconds():
            raise _refusal()
        if verified.expires_at <= now - LEEWAY:
            self._remembered.pop(digest, None)
            raise TokenExpired(verified.expires_at)
        return verified.said

    def _remember(self, digest: bytes, verified: _Verified[T]) -> None:
        if not self._remembered_max:
            return
        self._remembered.pop(digest, None)
        if len(self._remembered) >= self._remembered_max:
            del self._remembered[next(iter(self._remembered))]  # the oldest
        self._remembered[digest] = verified

    async def _verify(self, token: str) -> _Verified[T]:
        signed, kid = self._parse(token)
        key = await self._keys.find(kid)
        if key is None:
            raise _refusal()
        return self._authenticate(signed, kid, key)

    def _parse(self, token: str) -> tuple[CompactSignature, str]:
        try:
            signed = extract_compact(token.encode("ascii"), registry=self._signatures)
            header = signed.headers()
            if not _UNSAFE_HEADERS.isdisjoint(header):
                raise _refusal()
            self._signatures.check_header(header)
            self._signatures.get_alg(header["alg"])
            return signed, header["kid"]
        except (*_BROKEN, KeyError) as error:
            raise _refusal() from error

    def _authenticate(self, signed: CompactSignature, kid: str, key: Key) -> _Verified[T]:
        try:
            if not validate_compact(signed, key, registry=self._signatures):
                raise _refusal()
            claims = _CLAIMS.decode(signed.payload)
            if not self._is_wanted(signed.headers(), claims):
                raise _refusal()
            self._rules.validate(claims)
            _issued_at(claims)
            return _Verified(
                kid,
                key,
                self._read(claims),
                starts_at=max(claims.get("nbf") or 0, claims.get("iat") or 0),
                expires_at=datetime.fromtimestamp(claims["exp"], UTC),
            )
        except (*_BROKEN, OverflowError, OSError) as error:  # the last two: a date beyond the calendar
            raise _refusal() from error


class AccessTokenVerifier:
    """Turns the access tokens of one issuer into identities, and refuses everything else. ``known_as`` is the
    issuer of these identities, where it is not that of the tokens."""

    def __init__(
        self,
        *,
        provider: str,
        keys: VerificationKeys,
        issuer: str,
        audience: str,
        algorithms: Collection[str],
        is_access_token: TokenMark,
        clock: Clock,
        client_of: ClientOf = no_client,
        known_as: str | None = None,
    ) -> None:
        def read(claims: Claims) -> Identity:
            identity = identity_of(claims, provider, client_id=client_of(claims))
            return identity if known_as is None else replace(identity, issuer=known_as)

        self._tokens = TokenVerifier(
            keys=keys,
            issuer=issuer,
            audiences=(audience,),
            algorithms=algorithms,
            is_wanted=is_access_token,
            read=read,
            clock=clock,
            remembered=REMEMBERED_TOKENS,
        )

    async def verify(self, token: str) -> Identity:
        """What the token says about its bearer; without ``iat``, it counts as issued in 1970.

        An email of the reserved domain counts as none. Raises TokenExpired when nothing is wrong with the
        token but its age, Unauthorized for every other fault.
        """
        return await self._tokens.verify(token)


def identity_of(claims: Claims, provider: str, *, client_id: str | None = None) -> Identity:
    """What verified claims say about their bearer."""
    email = text_of(claims, "email")
    if email is not None and is_reserved_email(email):
        email = None
    return Identity(
        issuer=claims["iss"],
        subject=claims["sub"],
        provider=provider,
        issued_at=_issued_at(claims),
        expires_at=datetime.fromtimestamp(claims["exp"], UTC),
        email=email,
        email_verified=email is not None and claims.get("email_verified") is True,
        phone=text_of(claims, "phone_number"),
        phone_verified=claims.get("phone_number_verified") is True,
        name=text_of(claims, "name"),
        picture=_address_of(claims, "picture"),
        client_id=client_id,
        session_id=text_of(claims, "sid"),
        authenticated_at=_authenticated_at(claims),
    )


def text_of(claims: Claims, name: str) -> str | None:
    """The claim when it is a text with something in it, else None."""
    value = claims.get(name)
    return value if isinstance(value, str) and value else None


class _Signatures(JWSRegistry):
    def get_alg(self, name: str) -> Any:
        # joserfc's own look-up warns about EdDSA at every token; providers still name Ed25519 so.
        if self.allowed is None or name not in self.allowed:
            raise UnsupportedAlgorithmError()
        return self.algorithms[name]


class _ClaimRules(JWTClaimsRegistry):
    def validate_exp(self, value: object) -> None:
        # Age is judged last and apart: only a token that is good otherwise may be called expired.
        try:
            super().validate_exp(value)
        except ExpiredTokenError:
            return


def _address_of(claims: Claims, name: str) -> str | None:
    address = text_of(claims, name)
    return address if address is not None and address.startswith(("https://", "http://")) else None


def _issued_at(claims: Claims) -> datetime:
    issued_at = claims.get("iat")
    return _EPOCH if issued_at is None else datetime.fromtimestamp(issued_at, UTC)


def _authenticated_at(claims: Claims) -> datetime | None:
    seconds = claims.get("auth_time")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        return None
    return datetime.fromtimestamp(seconds, UTC)


def _refusal() -> Unauthorized:
    return Unauthorized("The access token is not valid.")
