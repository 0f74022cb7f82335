"""The link lists that clients show (spec "Other app launch data"). All fields are URIs but the email."""

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Both link lists."""

    system_urls: SystemUrls
    social_media_urls: SocialMediaUrls
