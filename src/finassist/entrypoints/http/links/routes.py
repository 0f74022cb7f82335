"""The links that clients show (spec "App launch and configuration")."""

import inspect

from litestar import Controller, get, put
from litestar.di import NamedDependency
from litestar.params import JSONBody

from finassist.application.links import GetLinks, SetLinks
from finassist.entrypoints.http.links.bodies import SocialMediaUrlsBody, SystemUrlsBody, named_links
from finassist.entrypoints.http.links.views import SocialMediaUrlsView, SystemUrlsView
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.requests.security import AS_BACKEND, BACKEND_ERRORS
from finassist.entrypoints.http.responses.envelope import Envelope, View, ok, view


class ConfigView(View):
    """Both link lists."""

    system_urls: SystemUrlsView
    social_media_urls: SocialMediaUrlsView


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
