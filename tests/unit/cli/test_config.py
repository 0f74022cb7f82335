"""Settings from the environment (contract section 12)."""

import re
from ipaddress import ip_network
from pathlib import Path

import pytest

from finassist.config import Secret, Settings, SettingsError, SocialIssuer

README = Path(__file__).parents[3] / "README.md"
NAMES = [name.upper() for name in Settings.__dataclass_fields__]


def problems(**environ: str) -> dict[str, str]:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env(environ)
    return caught.value.problems


def test_without_any_variable_the_defaults_of_the_contract_hold() -> None:
    settings = Settings.from_env({})
    assert settings == Settings()
    assert (settings.host, settings.port, settings.workers, settings.drain_seconds) == (
        "127.0.0.1",
        8000,
        1,
        20,
    )
    assert (settings.free_message_threshold, settings.chat_rate_per_minute) == (10, 20)
    assert settings.new_guests_per_address_per_hour == 200
    assert settings.llm_provider == "offline"
    assert settings.rag_enabled is True
    assert settings.refresh_grace_window_seconds == 300
    assert settings.sqlite_path == Path("data/finassist.db")


def test_an_empty_variable_counts_as_unset() -> None:
    assert Settings.from_env(dict.fromkeys(NAMES, " ")) == Settings()


def test_every_value_is_read_with_its_type() -> None:
    settings = Settings.from_env(
        {
            "PORT": "0",
            "DATA_DIR": "/srv/finassist",
            "LLM_PROVIDER": "OpenAI",
            "LLM_MODELS": "a, b,,c",
            "OPENAI_API_KEY": "key-1",
            "LLM_IDLE_TIMEOUT_SECONDS": "0.25",
            "RAG_ENABLED": "off",
            "SOCIAL_ISSUERS": "https://accounts.example.com=client-1,https://id.example.org/=client=2",
            "TRUSTED_PROXIES": "10.0.0.0/8, ::1",
            "CORS_ALLOWED_ORIGINS": "https://app.example.com,http://localhost:3000",
            "SOCIAL_REDIRECT_URIS": "com.example.app:/callback,https://app.example.com/done?x=1",
            "PUBLIC_BASE_URL": "https://api.example.com/",
            "SMS_COUNTRIES": "de,+49",
        }
    )
    assert settings.port == 0
    assert settings.data_dir == Path("/srv/finassist")
    assert settings.llm_provider == "openai"
    assert settings.llm_models == ("a", "b", "c")
    assert settings.openai_api_key == Secret("key-1")
    assert settings.llm_idle_timeout_seconds == 0.25
    assert settings.rag_enabled is False
    assert settings.social_issuers == (
        SocialIssuer("https://accounts.example.com", "client-1"),
        SocialIssuer("https://id.example.org/", "client=2"),
    )
    assert settings.trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("::1"))
    assert settings.cors_allowed_origins == ("https://app.example.com", "http://localhost:3000")
    assert settings.social_redirect_uris == ("com.example.app:/callback", "https://app.example.com/done?x=1")
    assert settings.public_base_url == "https://api.example.com"
    assert settings.sms_countries == ("DE", "+49")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PORT", "65536"),
        ("PLANS", "plus"),
        ("PLANS", "plus=many"),
        ("PLANS", "a b=3"),
        ("PLANS", "plus=1,plus=2"),
        ("PORT", "8000.0"),
        ("PORT", "8e3"),
        ("WORKERS", "0"),
        ("DRAIN_SECONDS", "-1"),
        ("DRAIN_SECONDS", "nan"),
        ("FREE_MESSAGE_THRESHOLD", "-1"),
        ("FREE_MESSAGE_THRESHOLD", "1_0"),
        ("CHAT_RATE_PER_MINUTE", "0"),
        ("RAG_ENABLED", "maybe"),
        ("RAG_MIN_SCORE", "1.5"),
        ("LLM_TOTAL_TIMEOUT_SECONDS", "0"),
        ("LLM_PROVIDER", "other"),
        ("LOG_LEVEL", "loud"),
        ("LOG_FORMAT", "xml"),
        ("DATABASE_URL", "postgresql://localhost/finassist"),
        ("DATABASE_URL", "sqlite:///"),
        ("DATABASE_URL", "mongodb://localhost"),
        ("OBJECT_STORE_URL", "s3://"),
        ("VECTOR_STORE_URL", "weaviate://localhost"),
        ("VECTOR_STORE_URL", "weaviate://localhost:0"),
        ("VECTOR_STORE_URL", "weaviate://[::1]:65536"),
        ("VECTOR_STORE_URL", "weaviate://localhost:8080?grpc=99999"),
        ("OPENAI_BASE_URL", "localhost:8080/v1"),
        ("OPENAI_BASE_URL", "http://user:pass@localhost/v1"),
        ("OPENAI_BASE_URL", "http://localhost:99999/v1"),
        ("OIDC_ISSUER", "https://id.example.com/ realm"),
        ("SOCIAL_ISSUERS", "https://accounts.example.com"),
        ("SOCIAL_ISSUERS", "accounts=client"),
        ("SOCIAL_REDIRECT_URIS", "javascript:alert(1)"),
        ("FRONTEND_CALLBACK_URL", "https://app.example.com/#here"),
        ("CORS_ALLOWED_ORIGINS", "https://app.example.com/path"),
        ("CORS_ALLOWED_ORIGINS", "app.example.com"),
        ("TRUSTED_PROXIES", "10.0.0.1/8"),
        ("TRUSTED_PROXIES", "proxy"),
        ("SMS_COUNTRIES", "Germany"),
        ("EMAIL_PROVIDER", "pigeon"),
        ("SMTP_URL", "mail.example.com:587"),
        ("SMTP_URL", "smtp://mail.example.com/path"),
        ("EMAIL_FROM", "nobody"),
        ("EMAIL_FROM", "a@example.com\r\nBcc: b@example.com"),
        ("SESSION_MAX_SECONDS", "0"),
    ],
)
def test_a_wrong_value_is_named_alone(name: str, text: str) -> None:
    assert list(problems(**{name: text})) == [name]


def test_every_wrong_setting_is_named() -> None:
    wrong = {"PORT": "x", "WORKERS": "x", "LOG_LEVEL": "x", "TRUSTED_PROXIES": "x", "SMS_PROVIDER": "twilio"}
    wrong["VECTOR_STORE_URL"] = "weaviate://localhost:99999"
    assert problems(**wrong).keys() == {
        "VECTOR_STORE_URL",
        "PORT",
        "WORKERS",
        "LOG_LEVEL",
        "TRUSTED_PROXIES",
        "TWILIO_ACCOUNT_SID",
        "TWILIO_AUTH_TOKEN",
        "TWILIO_FROM",
    }


def test_mails_by_smtp_need_a_server_and_a_sender() -> None:
    assert problems(EMAIL_PROVIDER="smtp").keys() == {"SMTP_URL", "EMAIL_FROM"}
    settings = Settings.from_env(
        {
            "EMAIL_PROVIDER": "smtp",
            "SMTP_URL": "smtps://ann:p%40ss@mail.example.com",
            "EMAIL_FROM": "finassist <noreply@example.com>",
        }
    )
    assert settings.email_from == "finassist <noreply@example.com>"
    assert "p%40ss" not in repr(settings)


@pytest.mark.parametrize(
    ("environ", "missing"),
    [
        ({"DATABASE_URL": "mongodb://localhost/finassist"}, {"SECRET_KEY"}),
        ({"DATABASE_URL": "mongodb+srv://u:p@cluster.example.com/finassist?w=majority"}, {"SECRET_KEY"}),
        ({"LLM_PROVIDER": "openai"}, {"OPENAI_API_KEY"}),
        ({"LLM_PROVIDER": "anthropic"}, {"ANTHROPIC_API_KEY"}),
        ({"EMBEDDINGS_MODEL": "m"}, {"EMBEDDINGS_BASE_URL"}),
        ({"EMBEDDINGS_BASE_URL": "http://localhost"}, {"EMBEDDINGS_MODEL"}),
        ({"TRANSCRIPTION_MODEL": "m"}, {"TRANSCRIPTION_BASE_URL"}),
        ({"TRANSCRIPTION_BASE_URL": "http://localhost"}, {"TRANSCRIPTION_MODEL"}),
        ({"TRANSCRIPTION_API_KEY": "k"}, {"TRANSCRIPTION_MODEL"}),
        ({"IDENTITY_PROVIDER": "oidc"}, {"OIDC_ISSUER", "OIDC_AUDIENCE", "OIDC_CLIENT_ID"}),
        ({"IDENTITY_PROVIDER": "auth0", "OIDC_AUDIENCE": "a"}, {"OIDC_ISSUER", "OIDC_CLIENT_ID"}),
        ({"OIDC_MANAGEMENT_CLIENT_ID": "a"}, {"OIDC_MANAGEMENT_CLIENT_SECRET"}),
    ],
)
def test_what_a_setting_needs_is_required(environ: dict[str, str], missing: set[str]) -> None:
    assert problems(**environ).keys() == missing


def test_a_base_url_is_enough_for_a_compatible_server() -> None:
    settings = Settings.from_env({"LLM_PROVIDER": "openai", "OPENAI_BASE_URL": "http://localhost:9/v1"})
    assert settings.openai_api_key is None


def test_a_sqlite_address_names_a_file_and_a_mongodb_one_none() -> None:
    assert Settings(database_url="sqlite:///records.db").sqlite_path == Path("records.db")
    assert Settings(database_url="sqlite:////srv/records.db").sqlite_path == Path("/srv/records.db")
    assert Settings(database_url="mongodb://localhost/finassist").sqlite_path is None


def test_secrets_never_print() -> None:
    hushed = "hush-hush" * 4
    environ = {name: hushed for name in NAMES if name.endswith(("_KEY", "_SECRET", "_TOKEN"))}
    environ |= {"EMBEDDINGS_MODEL": "m", "TRANSCRIPTION_MODEL": "m", "OIDC_MANAGEMENT_CLIENT_ID": "c"}
    settings = Settings.from_env(environ | {"DATABASE_URL": "mongodb://user:hush-hush@localhost/finassist"})
    assert settings.backend_secret is not None
    assert settings.backend_secret.reveal() == hushed
    for text in (repr(settings), str(settings.backend_secret), f"{settings.secret_key}"):
        assert "hush" not in text
    wrong = {
        "PORT": "hush",
        "DATABASE_URL": "mongodb://user:hush@localhost",
        "S3_ENDPOINT_URL": "http://u:hush@h",
    }
    assert "hush" not in str(problems(**environ, **wrong))


def test_the_readme_lists_every_setting_and_no_other() -> None:
    table = README.read_text().partition("## Settings")[2].partition("## QuoteImage")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`([A-Z0-9_]+)`", row)} == set(NAMES)
