"""The links, as the launch and their own routes show them."""

from finassist.entrypoints.http.responses.envelope import View


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
