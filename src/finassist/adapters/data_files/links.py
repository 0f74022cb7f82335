"""The links of a fresh installation."""

from importlib.resources import files
from typing import Final

import msgspec

from finassist.domain.links import Links, SocialMediaUrls, SystemUrls

_DATA: Final = "finassist.data"


class _SystemUrls(msgspec.Struct, frozen=True, rename="camel"):
    terms_and_conditions: str
    privacy_policy: str
    faqs: str
    support_email: str


class _SocialMediaUrls(msgspec.Struct, frozen=True, rename="camel"):
    network_page: str
    network_photo: str
    network_professional: str
    network_microblog: str


class _Links(msgspec.Struct, frozen=True, rename="camel"):
    system_urls: _SystemUrls
    social_media_urls: _SocialMediaUrls


def default_links() -> Links:
    """The neutral links of a fresh installation."""
    links = msgspec.json.decode((files(_DATA) / "links.json").read_bytes(), type=_Links)
    return Links(
        system_urls=SystemUrls(**msgspec.structs.asdict(links.system_urls)),
        social_media_urls=SocialMediaUrls(**msgspec.structs.asdict(links.social_media_urls)),
    )
