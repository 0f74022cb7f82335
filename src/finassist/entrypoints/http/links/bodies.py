"""The links to set, as administrators send them and files of seeds have them."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import msgspec

from finassist.domain.auth.local_accounts import email_problems
from finassist.domain.links import url_problems
from finassist.entrypoints.http.openapi.exactness import EMAIL, WEB_ADDRESS
from finassist.entrypoints.http.requests.bodies import Body


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
