"""The link lists that clients show (spec "Other app launch data"). All fields are URIs, except the email."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeVar
from urllib.parse import urlsplit

URL_MAX: Final = 2048
_NOT_IN_A_URL: Final = frozenset(' "<>\\^`{|}')


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemUrls:
    """Legal and help pages, and the address of support."""

    terms_and_conditions: str
    privacy_policy: str
    faqs: str
    support_email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SocialMediaUrls:
    """One page for each kind of social network."""

    network_page: str
    network_photo: str
    network_professional: str
    network_microblog: str


G = TypeVar("G", SystemUrls, SocialMediaUrls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Both link lists."""

    system_urls: SystemUrls
    social_media_urls: SocialMediaUrls

    def with_values(self, values: Mapping[str, str]) -> "Links":
        """The links with these in place of the ones of the same name; other names are ignored."""
        return Links(
            system_urls=_with_values(self.system_urls, values),
            social_media_urls=_with_values(self.social_media_urls, values),
        )


def url_problems(text: str) -> tuple[str, ...]:
    """What is wrong with a link that clients follow, as sentences."""
    if len(text) <= URL_MAX and _is_web_address(text):
        return ()
    return (f"Must be an http:// or https:// address of at most {URL_MAX} characters.",)


def _with_values(group: G, values: Mapping[str, str]) -> G:
    known = group.__dataclass_fields__
    return replace(group, **{name: value for name, value in values.items() if name in known})


def _is_web_address(text: str) -> bool:
    if not (text.isascii() and text.isprintable()) or not _NOT_IN_A_URL.isdisjoint(text):
        return False
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
