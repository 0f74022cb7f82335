"""The links that clients show (spec "App launch and configuration")."""

import inspect

from litestar import Controller, get
from litestar.di import NamedDependency

from finassist.application.links import GetLinks
from finassist.entrypoints.http.envelope import Envelope, View, ok, view
from finassist.entrypoints.http.openapi import raises


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


class ConfigController(Controller):
    """What clients need to know before anybody signs in."""

    path = "/app/config"
    tags = ("App",)

    @get(description=inspect.getdoc(GetLinks), responses=raises())
    async def get_config(self, get_links: NamedDependency[GetLinks]) -> Envelope[ConfigView]:
        return ok(view(await get_links(), ConfigView))
