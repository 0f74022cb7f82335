"""The parameters of routes about conversations and messages."""

from typing import Annotated, Literal

from litestar.params import PathParameter, QueryParameter

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
Superseded = Annotated[
    Literal["superseded"] | None,
    QueryParameter(description="`superseded` adds the messages that a later question replaced."),
]
