"""The links that clients show (spec "App launch and configuration")."""

from litestar import Controller, Response, get, put
from litestar.di import NamedDependency
from litestar.params import JSONBody

from finassist.application.links import GetLinks, SetLinks
from finassist.entrypoints.http.links.bodies import SocialMediaUrlsBody, SystemUrlsBody, named_links
from finassist.entrypoints.http.links.views import SocialMediaUrlsView, SystemUrlsView
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.requests.security import AS_BACKEND, BACKEND_ERRORS
from finassist.entrypoints.http.responses.caching import (
    ETAG,
    FOR_A_MINUTE,
    NOT_MODIFIED,
    IfNoneMatch,
    cacheable,
)
from finassist.entrypoints.http.responses.envelope import Envelope, View, ok, view


class ConfigView(View):
    """Both link lists."""

    system_urls: SystemUrlsView
    social_media_urls: SocialMediaUrlsView


class ConfigController(Controller):
    """The configuration that clients need before sign-in."""

    path = "/app/config"
    tags = ("App",)

    @get(
        summary="Get the links",
        description=(
            "The system and social links that clients show: neutral defaults, until an operator sets others. "
            "The response may be cached for a minute."
        ),
        response_headers=[ETAG],
        responses={**NOT_MODIFIED, **raises("VALIDATION_ERROR")},
    )
    async def get_config(
        self, get_links: NamedDependency[GetLinks], if_none_match: IfNoneMatch = None
    ) -> Response[Envelope[ConfigView]]:
        return cacheable(view(await get_links(), ConfigView), if_none_match, FOR_A_MINUTE)

    @put(
        "/system-urls",
        summary="Set the links to own pages",
        description=(
            "Set links to legal and help pages, and the address of support; those that are left out stay "
            "as they are. Every process sees the change within five seconds."
        ),
        request_example={"faqs": "https://help.example.com/faq", "supportEmail": "help@example.com"},
        responses=raises(*BACKEND_ERRORS, *BODY_ERRORS),
        **AS_BACKEND,
    )
    async def set_system_urls(
        self, data: JSONBody[SystemUrlsBody], set_links: NamedDependency[SetLinks]
    ) -> Envelope[SystemUrlsView]:
        return ok(view((await set_links(named_links(data))).system_urls, SystemUrlsView))

    @put(
        "/social-urls",
        summary="Set the links to social networks",
        description=(
            "Set links to social networks; those that are left out stay as they are. Every process sees "
            "the change within five seconds."
        ),
        request_example={"networkPage": "https://social.example.com/assistant"},
        responses=raises(*BACKEND_ERRORS, *BODY_ERRORS),
        **AS_BACKEND,
    )
    async def set_social_urls(
        self, data: JSONBody[SocialMediaUrlsBody], set_links: NamedDependency[SetLinks]
    ) -> Envelope[SocialMediaUrlsView]:
        return ok(view((await set_links(named_links(data))).social_media_urls, SocialMediaUrlsView))
