"""The ids in the paths of conversations and messages."""

from typing import Annotated

from litestar.params import PathParameter

from finassist.domain.ids import ID_PATTERN

ConversationId = Annotated[
    str,
    PathParameter(
        name="conversationId", pattern=ID_PATTERN, max_length=24, description="The conversation's id."
    ),
]
MessageId = Annotated[
    str, PathParameter(name="messageId", pattern=ID_PATTERN, max_length=24, description="The message's id.")
]
