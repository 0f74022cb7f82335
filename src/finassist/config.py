"""The settings, read once from the environment (contract section 12).

Every attribute of ``Settings`` is one environment variable: its name in capitals. An unset or empty
variable leaves the default.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar, get_type_hints
from urllib.parse import SplitResult, urlsplit

from finassist.secret_settings import Secret, long_secret, rotating_secret

__all__ = ["NO_EMBEDDINGS", "Secret", "Settings", "SettingsError", "SocialIssuer"]

T = TypeVar("T")

Network = IPv4Network | IPv6Network


class SettingsError(Exception):
    """Invalid settings: ``problems`` says for each name what is wrong with it, without its value."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("\n".join(f"{name}: {problem}" for name, problem in sorted(problems.items())))
        self.problems = dict(problems)


class SocialIssuer(NamedTuple):
    """An issuer whose identity tokens are accepted, and the client id that they must be issued for."""

    issuer: str
    client_id: str


# Parsers, one per kind of value.


def _integer(low: int, high: int = 1_000_000_000) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if re.fullmatch(r"-?[0-9]{1,18}", text) and low <= int(text) <= high:
            return int(text)
        raise ValueError(f"must be a whole number from {low} to {high}")

    return parse


def _number(low: float, high: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        if re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,18})?", text) and low <= float(text) <= high:
            return float(text)
        raise ValueError(f"must be a number from {low:g} to {high:g}")

    return parse


def _boolean(text: str) -> bool:
    if (lowered := text.lower()) in ("true", "1", "yes", "on"):
        return True
    if lowered in ("false", "0", "no", "off"):
        return False
    raise ValueError("must be true or false")


def _one_of(*names: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.lower() not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return text.lower()

    return parse


def _matching(pattern: str, meaning: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"must be {meaning}")
        return text

    return parse


def _url(text: str) -> str:
    parts = _split(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("must be an http:// or https:// address without query")
    if "@" in parts.netloc:
        raise ValueError("must not carry a user name or password")
    return text


def _base_url(text: str) -> str:
    return _url(text).rstrip("/")


def _origin(text: str) -> str:
    parts = _split(text)
    if text != "*" and (not parts.hostname or text != f"{parts.scheme}://{parts.netloc}" or "@" in text):
        raise ValueError("must be * or origins like https://app.example.com")
    return text


def _redirect_uri(text: str) -> str:
    parts = _split(text)
    if not (parts.netloc or parts.path) or parts.fragment or parts.scheme in ("", "javascript", "data"):
        raise ValueError("must be an absolute address without fragment")
    return text


def _split(text: str) -> SplitResult:
    if not re.fullmatch(r"[!-~]+", text):
        raise ValueError("must be an address without blanks")
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        raise ValueError("must be an address with a valid host and port") from None
    return parts


def _network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError:
        raise ValueError("must be IP addresses or networks like 10.0.0.0/8") from None


def _social_issuer(text: str) -> SocialIssuer:
    issuer, _, client_id = (part.strip() for part in text.partition("="))
    if not client_id:
        raise ValueError("must be ISSUER=CLIENT_ID")
    return SocialIssuer(_url(issuer), client_id)


def _plan(text: str) -> tuple[str, int]:
    name, _, threshold = (part.strip() for part in text.partition("="))
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) or not re.fullmatch(r"[0-9]{1,9}", threshold):
        raise ValueError("must be NAME=THRESHOLD, the name of letters, digits, - and _")
    return name, int(threshold)


def _plans(text: str) -> tuple[tuple[str, int], ...]:
    plans = _list_of(_plan)(text)
    if len(dict(plans)) < len(plans):
        raise ValueError("must name each plan once")
    return plans


def _country(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z]{2}|\+?[1-9][0-9]{0,2}", text):
        raise ValueError("must be country codes like DE or +49")
    return text.upper()


def _list_of(parse_item: Callable[[str], T]) -> Callable[[str], tuple[T, ...]]:
    def parse(text: str) -> tuple[T, ...]:
        return tuple(parse_item(item.strip()) for item in text.split(",") if item.strip())

    return parse


def _vector_store(text: str) -> str:
    _WEAVIATE(text)
    if not all(1 <= int(port) <= 65535 for port in re.findall(r"[:=]([0-9]+)(?=\?|$)", text)):
        raise ValueError("must have ports from 1 to 65535")
    return text


def _smtp_url(text: str) -> str:
    parts = _split(text)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError("must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the start")
    return text


_mailbox = _matching(
    r"([^<>@\r\n]+ <[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)",
    "an address like a@example.com or Name <a@example.com>",
)
_contact = _matching(
    r"mailto:[^\s@]+@[^\s@]+|https://[^\s/]+\S*|tel:\+[0-9-]+", "mailto:, https: or tel: addresses"
)
_DATABASE = _matching(
    r"sqlite:///.+|mongodb(\+srv)?://[^/\s]+/[^/?\s]+(\?\S*)?", "sqlite:///PATH or mongodb://HOST/NAME"
)
_OBJECT_STORE = _matching(
    r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/\S*)?", "s3://BUCKET or s3://BUCKET/PREFIX"
)
_WEAVIATE = _matching(
    r"weaviate://(\[[0-9a-fA-F:]+\]|[^/:@\s]+):[0-9]{1,5}(\?grpc=[0-9]{1,5})?",
    "weaviate://HOST:PORT or weaviate://HOST:PORT?grpc=PORT",
)

Url = Annotated[str, _url]
Port = Annotated[int, _integer(0, 65535)]
Count = Annotated[int, _integer(0)]
PositiveCount = Annotated[int, _integer(1)]
Timeout = Annotated[float, _number(0.001, 3600)]
Names = Annotated[tuple[str, ...], _list_of(str)]
OptionalSecret = Annotated[Secret | None, Secret]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings. An empty text or None means unset; ``log_format`` unset follows the terminal.

    A type names the parser that turns a variable's text into the value.
    """

    host: str = "127.0.0.1"
    port: Port = 8000
    workers: Annotated[int, _integer(1, 256)] = 1
    drain_seconds: Annotated[float, _number(0, 3600)] = 20.0
    max_connections: PositiveCount = 2000
    head_seconds: Timeout = 10.0
    body_min_bytes_per_second: Count = 500

    data_dir: Path = Path("data")
    database_url: Annotated[str, _DATABASE] = field(default="", repr=False)
    object_store_url: Annotated[str, _OBJECT_STORE] = ""
    s3_endpoint_url: Url = ""
    s3_public_endpoint_url: Url = ""
    vector_store_url: Annotated[str, _vector_store] = ""
    profile_cards_file: Annotated[Path | None, Path] = None

    llm_provider: Annotated[str, _one_of("offline", "openai", "anthropic")] = "offline"
    llm_model: str = ""
    llm_models: Names = ()
    openai_api_key: OptionalSecret = None
    openai_base_url: Url = ""
    anthropic_api_key: OptionalSecret = None
    anthropic_base_url: Url = ""
    llm_first_token_timeout_seconds: Timeout = 30.0
    llm_idle_timeout_seconds: Timeout = 30.0
    llm_total_timeout_seconds: Timeout = 120.0

    embeddings_model: str = ""
    embeddings_base_url: Url = ""
    embeddings_api_key: OptionalSecret = None
    transcription_model: str = ""
    transcription_base_url: Url = ""
    transcription_api_key: OptionalSecret = None
    rag_enabled: Annotated[bool, _boolean] = True
    rag_min_score: Annotated[float, _number(0, 1)] = 0.5
    rag_rewrite_query: Annotated[bool, _boolean] = False
    improve_titles: Annotated[bool, _boolean] = True

    free_message_threshold: Count = 10
    plans: Annotated[tuple[tuple[str, int], ...], _plans] = ()
    chat_rate_per_minute: PositiveCount = 20
    new_guests_per_address_per_hour: Count = 200
    storage_quota_mb: Count = 200
    inline_attachments_at_once: PositiveCount = 4
    sign_in_failures_per_address: Count = 50
    sign_ups_per_address_per_hour: Count = 20
    decoding_seconds_per_caller: Annotated[float, _number(0, 3600)] = 15.0
    decoding_seconds_per_address: Annotated[float, _number(0, 3600)] = 60.0

    identity_provider: Annotated[str, _one_of("local", "oidc", "auth0", "keycloak")] = "local"
    oidc_issuer: Url = ""
    oidc_audience: str = ""
    oidc_client_id: str = ""
    oidc_client_secret: OptionalSecret = None
    oidc_management_client_id: str = ""
    oidc_management_client_secret: OptionalSecret = None
    webhook_clients: Names = ()
    social_issuers: Annotated[tuple[SocialIssuer, ...], _list_of(_social_issuer)] = ()
    access_token_ttl_seconds: PositiveCount = 3600
    refresh_token_ttl_seconds: PositiveCount = 2_592_000
    refresh_grace_window_seconds: Count = 300
    session_max_seconds: PositiveCount = 7_776_000

    sms_provider: Annotated[str, _one_of("console", "twilio")] = "console"
    twilio_account_sid: str = ""
    twilio_auth_token: OptionalSecret = None
    twilio_from: str = ""
    twilio_base_url: Url = ""
    email_provider: Annotated[str, _one_of("console", "smtp")] = "console"
    smtp_url: Annotated[str, _smtp_url] = field(default="", repr=False)
    email_from: Annotated[str, _mailbox] = ""
    otp_resend_cooldown_seconds: Count = 60
    sms_countries: Annotated[tuple[str, ...], _list_of(_country)] = ()

    backend_secret: Annotated[Secret | None, rotating_secret] = None
    webhook_secret: Annotated[Secret | None, long_secret] = None
    secret_key: Annotated[Secret | None, long_secret] = None
    security_contact: Annotated[tuple[str, ...], _list_of(_contact)] = ()
    audit_kept_days: Annotated[int, _integer(1, 36_500)] = 400
    devices_kept_days: Annotated[int, _integer(1, 36_500)] = 400

    web_client_enabled: Annotated[bool, _boolean] = True
    public_base_url: Annotated[str, _base_url] = ""
    frontend_callback_url: Annotated[str, _redirect_uri] = ""
    social_redirect_uris: Annotated[tuple[str, ...], _list_of(_redirect_uri)] = ()
    cors_allowed_origins: Annotated[tuple[str, ...], _list_of(_origin)] = ()
    trusted_proxies: Annotated[tuple[Network, ...], _list_of(_network)] = ()

    log_level: Annotated[str, _one_of("debug", "info", "warning", "error", "critical")] = "info"
    log_format: Annotated[str, _one_of("console", "json")] = ""

    def __post_init__(self) -> None:
        """Settings that were made without ``from_env`` keep the rule on secrets, too."""
        problems = {}
        for name in ("backend_secret", "webhook_secret", "secret_key"):
            secret = getattr(self, name)
            try:
                _PARSERS[name](secret.reveal()) if secret is not None else None
            except ValueError as error:
                problems[name.upper()] = str(error)
        if problems:
            raise SettingsError(problems)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> "Settings":
        """Read the settings. Raises SettingsError naming every wrong one."""
        given = {name: text for name in _PARSERS if (text := environ.get(name.upper(), "").strip())}
        values: dict[str, Any] = {}
        problems: dict[str, str] = {}
        for name, text in given.items():
            try:
                values[name] = _PARSERS[name](text)
            except ValueError as error:
                problems[name] = str(error)
        problems = dict(_missing(values, given)) | problems
        if problems:
            raise SettingsError({name.upper(): problem for name, problem in problems.items()})
        return cls(**values)

    @property
    def sqlite_path(self) -> Path | None:
        """The embedded database's file; None when the records are kept in MongoDB."""
        if not self.database_url:
            return self.data_dir / "finassist.db"
        scheme, _, path = self.database_url.partition(":///")
        return Path(path) if scheme == "sqlite" else None

    @property
    def knowledge_path(self) -> Path:
        """The file of the embedded knowledge base; every host has its own."""
        return self.data_dir / "knowledge.db"


_PARSERS: dict[str, Callable[[str], Any]] = {
    name: getattr(hint, "__metadata__", (hint,))[0]
    for name, hint in get_type_hints(Settings, include_extras=True).items()
}

NO_EMBEDDINGS: Final = "none"
"""The value of EMBEDDINGS_MODEL that leaves search to the words."""

_EMBEDDINGS: Final = frozenset(("embeddings_base_url", "embeddings_api_key"))

# A setting, the start of its value that needs others, and those: one of each group has to be set.
_NEEDS: tuple[tuple[str, str, tuple[tuple[str, ...], ...]], ...] = (
    ("database_url", "mongodb", (("secret_key",),)),
    ("llm_provider", "openai", (("openai_api_key", "openai_base_url"),)),
    ("llm_provider", "anthropic", (("anthropic_api_key",),)),
    ("embeddings_base_url", "", (("embeddings_model",),)),
    ("embeddings_api_key", "", (("embeddings_model",),)),
    ("transcription_model", "", (("transcription_base_url", "transcription_api_key"),)),
    ("transcription_base_url", "", (("transcription_model",),)),
    ("transcription_api_key", "", (("transcription_model",),)),
    *(
        ("identity_provider", provider, (("oidc_issuer",), ("oidc_audience",), ("oidc_client_id",)))
        for provider in ("oidc", "auth0", "keycloak")
    ),
    ("oidc_management_client_id", "", (("oidc_management_client_secret",),)),
    ("oidc_management_client_secret", "", (("oidc_management_client_id",),)),
    ("email_provider", "smtp", (("smtp_url",), ("email_from",))),
    ("sms_provider", "twilio", (("twilio_account_sid",), ("twilio_auth_token",), ("twilio_from",))),
)


def _missing(values: Mapping[str, Any], given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The unset settings that other settings require, each with the reason."""
    if values.get("embeddings_model", NO_EMBEDDINGS) != NO_EMBEDDINGS and not _EMBEDDINGS & given.keys():
        yield "embeddings_base_url", "required (or EMBEDDINGS_API_KEY) with EMBEDDINGS_MODEL"
    for name, start, groups in _NEEDS:
        if name not in values or not str(values[name]).startswith(start):
            continue
        reason = f"{name.upper()} {start}".rstrip()
        for group in groups:
            if not any(other in given for other in group):
                alternatives = "".join(f" (or {other.upper()})" for other in group[1:])
                yield group[0], f"required{alternatives} with {reason}"
