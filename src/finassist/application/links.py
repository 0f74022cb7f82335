"""The link lists of the app (spec "App launch and configuration")."""

from dataclasses import dataclass

from finassist.domain.links import Links


@dataclass(frozen=True, slots=True, kw_only=True)
class GetLinks:
    """The system and social links that clients show; the service ships neutral defaults."""

    default_links: Links

    async def __call__(self) -> Links:
        return self.default_links
