"""The links that clients show (spec "App launch and configuration")."""

import inspect
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import msgspec
from litestar import Controller, get, put
from litestar.di import NamedDependency
from litestar.params import JSONBody

from finassist.application.links import GetLinks, SetLinks
from finassist.domain.auth.local_accounts import email_problems
from finassist.domain.links import url_problems
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.openapi.exactness import EMAIL, WEB_ADDRESS
from finassist.entrypoints.http.requests.security import AS_BACKEND, BACKEND_ERRORS
from finassist.entrypoints.http.requests.validation import Body
from finassist.entrypoints.http.responses.envelope import Envelope, View, ok, view


class SystemUrlsView(View):
    """Legal and help pages, and the address of support."""

    terms_and_conditions: str
    privacy_policy: str
    faqs: str
    support_email: str


class SocialMediaUrlsView(View):
    """One page for each kind of social network."""

    network_page: str
    network_photo: str
    network_professional: str
    network_microblog: str


class ConfigView(View):
    """Both link lists."""

    system_urls: SystemUrlsView
    social_media_urls: SocialMediaUrlsView


class SystemUrlsBody(Body):
    """Which of the links to set; those that are left out stay as they are."""

    rules: ClassVar[Mapping[str, Any]] = {
        "termsAndConditions": url_problems,
        "privacyPolicy": url_problems,
        "faqs": url_problems,
        "supportEmail": email_problems,
    }

    terms_and_conditions: Annotated[str, WEB_ADDRESS] | msgspec.UnsetType = msgspec.UNSET
    privacy_policy: Annotated[str, WEB_ADDRESS] | msgspec.UnsetType = msgspec.UNSET
    faqs: Annotated[str, WEB_ADDRESS] | msgspec.UnsetType = msgspec.UNSET
    support_email: Annotated[str, EMAIL] | msgspec.UnsetType = msgspec.UNSET


class SocialMediaUrlsBody(Body):
    """Which of the links to set; those that are left out stay as they are."""

    rules: ClassVar[Mapping[str, Any]] = {
        "networkPage": url_problems,
        "networkPhoto": url_problems,
        "networkProfessional": url_problems,
        "networkMicroblog": url_problems,
    }

    network_page: Annotated[str, WEB_ADDRESS] | msgspec.UnsetType = msgspec.UNSET
    network_photo: Annotated[str, WEB_ADDRESS] | msgspec.UnsetType = msgspec.UNSET
    network_professional: Annotated[str, WEB_ADDRESS] | msgspec.UnsetType = msgspec.UNSET
    network_microblog: Annotated[str, WEB_ADDRESS] | msgspec.UnsetType = msgspec.UNSET


def named_links(body: Body) -> dict[str, str]:
    """The links that a body names."""
    return {name: value for name, value in msgspec.structs.asdict(body).items() if value is not msgspec.UNSET}


class ConfigController(Controller):
    """What clients need to know before anybody signs in."""

    path = "/app/config"
    tags = ("App",)

    @get(description=inspect.getdoc(GetLinks), responses=raises())
    async def get_config(self, get_links: NamedDependency[GetLinks]) -> Envelope[ConfigView]:
        return ok(view(await get_links(), ConfigView))

    @put(
        "/system-urls",
        description=inspect.getdoc(SetLinks),
        responses=raises(*BACKEND_ERRORS, *BODY_ERRORS),
        **AS_BACKEND,
    )
    async def set_system_urls(
        self, data: JSONBody[SystemUrlsBody], set_links: NamedDependency[SetLinks]
    ) -> Envelope[SystemUrlsView]:
        return ok(view((await set_links(named_links(data))).system_urls, SystemUrlsView))

    @put(
        "/social-urls",
        description=inspect.getdoc(SetLinks),
        responses=raises(*BACKEND_ERRORS, *BODY_ERRORS),
        **AS_BACKEND,
    )
    async def set_social_urls(
        self, data: JSONBody[SocialMediaUrlsBody], set_links: NamedDependency[SetLinks]
    ) -> Envelope[SocialMediaUrlsView]:
        return ok(view((await set_links(named_links(data))).social_media_urls, SocialMediaUrlsView))
