"""The address of a user's picture: an uploaded one, or the identity provider's."""

from dataclasses import dataclass
from typing import Final

from finassist.application.files.objects import LINK_SECONDS
from finassist.application.ports.files import ObjectStore
from finassist.domain.users import User

AVATAR_TYPE: Final = "image/webp"

_FILENAME: Final = "avatar.webp"


@dataclass(frozen=True, slots=True, kw_only=True)
class GetAvatarUrl:
    """The address of a user's picture, good for 15 minutes when it was uploaded; None without one."""

    object_store: ObjectStore

    async def __call__(self, user: User) -> str | None:
        if user.avatar_key is None:
            return user.avatar_url
        return await self.object_store.url(
            user.avatar_key, filename=_FILENAME, content_type=AVATAR_TYPE, expires_in=LINK_SECONDS
        )
