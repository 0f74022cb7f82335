"""Pre-prompts, as administrators send them and files of seeds have them."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final

import msgspec

from finassist.application.catalogs.preprompts import PrepromptValues
from finassist.domain.catalogs.preprompts import (
    DESCRIPTION_MAX,
    KEY_MAX,
    KEY_PATTERN,
    MASKED_VALUE_MAX,
    PUBLIC_VALUE_MAX,
    TAG_MAX,
    TAGS_MAX,
    PrepromptChanges,
)
from finassist.entrypoints.http.requests.bodies import Body

Key = Annotated[str, msgspec.Meta(pattern=KEY_PATTERN, max_length=KEY_MAX)]
PublicValue = Annotated[str, msgspec.Meta(min_length=1, max_length=PUBLIC_VALUE_MAX, pattern=r"\S")]
MaskedValue = Annotated[str, msgspec.Meta(min_length=1, max_length=MASKED_VALUE_MAX, pattern=r"\S")]
Description = Annotated[str, msgspec.Meta(max_length=DESCRIPTION_MAX)]
Tag = Annotated[str, msgspec.Meta(min_length=1, max_length=TAG_MAX)]
Tags = Annotated[list[Tag], msgspec.Meta(max_length=TAGS_MAX)]

_OTHER_SPELLINGS: Final = {"public_value": "publicValue", "masked_value": "maskedValue"}


class PrepromptBody(Body):
    """A pre-prompt. ``maskedValue`` is the hidden text; nobody but administrators and the model gets it."""

    aliases: ClassVar[Mapping[str, str]] = _OTHER_SPELLINGS

    key: Key
    public_value: PublicValue
    masked_value: MaskedValue
    description: Description | None = None
    tags: Tags | None = None

    def values(self) -> PrepromptValues:
        """The values as the use case takes them."""
        return PrepromptValues(
            key=self.key,
            public_value=self.public_value,
            masked_value=self.masked_value,
            description=self.description,
            tags=self.tags or (),
        )


class PrepromptPatch(Body):
    """What to change; fields that are left out stay as they are, ``null`` removes the description."""

    aliases: ClassVar[Mapping[str, str]] = _OTHER_SPELLINGS

    key: Key | msgspec.UnsetType = msgspec.UNSET
    public_value: PublicValue | msgspec.UnsetType = msgspec.UNSET
    masked_value: MaskedValue | msgspec.UnsetType = msgspec.UNSET
    description: Description | msgspec.UnsetType | None = msgspec.UNSET
    tags: Tags | msgspec.UnsetType | None = msgspec.UNSET

    def changes(self) -> PrepromptChanges:
        """The values as the use case takes them."""
        changes: Any = {
            name: value for name, value in msgspec.structs.asdict(self).items() if value is not msgspec.UNSET
        }
        if "tags" in changes:
            changes["tags"] = tuple(changes["tags"] or ())
        named: PrepromptChanges = changes
        return named
