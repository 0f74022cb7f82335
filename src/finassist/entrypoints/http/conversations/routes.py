"""Conversations, their messages, and feedback (spec "Conversations", contract section 5)."""

from typing import Annotated, Literal, cast

import msgspec
from litestar import Controller, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter

from finassist.application.conversations import (
    ArchiveConversation,
    DeleteConversation,
    GetConversation,
    GiveFeedback,
    ListConversations,
    ListMessages,
    RestoreConversation,
    UpdateConversation,
)
from finassist.application.files.records import LinkAttachments
from finassist.domain.conversations.conversation import (
    TAG_MAX,
    TAGS_MAX,
    TITLE_MAX,
    ConversationChanges,
    ConversationFilter,
    ConversationStatus,
    ConversationType,
)
from finassist.domain.conversations.message import FEEDBACK_MAX
from finassist.entrypoints.http.conversations.parameters import ConversationId, MessageId, Superseded
from finassist.entrypoints.http.conversations.views import (
    ConversationView,
    ListedConversationView,
    ListedMessageView,
)
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, CALLER_ERRORS, raises
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.security import AS_CALLER, CallerRequest
from finassist.entrypoints.http.responses.envelope import (
    Envelope,
    Limit,
    Offset,
    PageView,
    Timestamp,
    View,
    ok,
    page_fields,
    view,
    views,
)
from finassist.entrypoints.http.responses.transcript import MessageFeedbackView, with_links

Title = Annotated[str, msgspec.Meta(min_length=1, max_length=TITLE_MAX, pattern=r"\S")]
Tag = Annotated[str, msgspec.Meta(min_length=1, max_length=TAG_MAX)]
Tags = Annotated[list[Tag], msgspec.Meta(max_length=TAGS_MAX)]


Query = Annotated[
    str | None,
    QueryParameter(
        max_length=200,
        description=(
            "Text to find in the title, in questions, in the names and texts of the files with them, and in "
            "replies, ignoring case. Each item tells in `found` where it was found first, in this order."
        ),
    ),
]
ListedStatus = Annotated[
    Literal["active", "archived", "all"],
    QueryParameter(description="Only those in this state; `all` shows active and archived ones."),
]
ListedTags = Annotated[
    list[Tag] | None,
    QueryParameter(max_items=TAGS_MAX, description="Only those with this tag; repeated, with all of them."),
]


class ConversationPage(PageView):
    """Some of the caller's conversations."""

    conversations: list[ListedConversationView]


class DeletedConversation(View):
    """Which conversation is gone."""

    deleted: bool
    conversation_id: str


class MessagePage(PageView):
    """Some of a conversation's messages."""

    messages: list[ListedMessageView]


class ConversationPatch(Body):
    """The changes; fields that are left out stay as they are."""

    title: Title | msgspec.UnsetType = msgspec.UNSET
    pinned: bool | msgspec.UnsetType = msgspec.UNSET
    tags: Tags | msgspec.UnsetType = msgspec.UNSET


class FeedbackBody(Body):
    """``rating`` is 1 (like) or -1 (dislike)."""

    rating: Literal[1, -1]
    feedback: Annotated[str, msgspec.Meta(max_length=FEEDBACK_MAX)] | None = None


class FeedbackView(MessageFeedbackView):
    """The feedback as it was stored."""

    message_id: str


class ConversationController(Controller):
    """The caller's history."""

    path = "/api/v1/user"
    tags = ("Conversations",)
    opt = AS_CALLER["opt"]
    security = AS_CALLER["security"]

    @get(
        "/conversations",
        summary="List conversations",
        description="The caller's conversations: pinned ones first, then by latest activity.",
        responses=raises(*CALLER_ERRORS),
    )
    async def list_conversations(
        self,
        request: CallerRequest,
        list_conversations: NamedDependency[ListConversations],
        q: Query = None,
        status: ListedStatus = "active",
        conversation_type: Annotated[
            ConversationType | None, QueryParameter(name="type", description="Only those of this type.")
        ] = None,
        pinned: Annotated[
            bool | None, QueryParameter(description="Only pinned ones, or only others.")
        ] = None,
        tag: ListedTags = None,
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Envelope[ConversationPage]:
        which = ConversationFilter(
            status=None if status == "all" else ConversationStatus(status),
            query=q or None,
            type=conversation_type,
            pinned=pinned,
            tags=tuple(tag or ()),
        )
        page = await list_conversations(request.user, which, limit=limit, offset=offset)
        return ok(
            ConversationPage(
                conversations=views(page.items, _shown_as(which)),
                **page_fields(page),
            )
        )

    @get(
        "/conversations/{conversationId:str}",
        summary="Get a conversation",
        description="The metadata of one of the caller's conversations.",
        responses=raises(*CALLER_ERRORS, "NOT_FOUND", "FORBIDDEN"),
    )
    async def get_conversation(
        self,
        request: CallerRequest,
        get_conversation: NamedDependency[GetConversation],
        conversation_id: ConversationId,
    ) -> Envelope[ConversationView]:
        return ok(view(await get_conversation(request.user, conversation_id), ConversationView))

    @get(
        "/conversations/{conversationId:str}/messages",
        summary="List messages",
        description=(
            "The messages of one of the caller's conversations, oldest first by default. Messages that a "
            "later question replaced (`replaces` of a chat request) are left out, unless "
            "`include=superseded` asks for them; their `status` is then `superseded`, and the question "
            "that replaced them has the id of the one whose place it took in `replaces`."
        ),
        responses=raises(*CALLER_ERRORS, "NOT_FOUND", "FORBIDDEN"),
    )
    async def list_messages(
        self,
        request: CallerRequest,
        list_messages: NamedDependency[ListMessages],
        link_attachments: NamedDependency[LinkAttachments],
        conversation_id: ConversationId,
        order: Annotated[
            Literal["asc", "desc"], QueryParameter(description="Oldest or newest first.")
        ] = "asc",
        include: Superseded = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Envelope[MessagePage]:
        page = await list_messages(
            request.user,
            conversation_id,
            limit=limit,
            offset=offset,
            descending=order == "desc",
            with_superseded=include is not None,
        )
        urls = await link_attachments(request.user, page.items)
        return ok(
            MessagePage(
                messages=with_links(views(page.items, ListedMessageView), urls, request),
                **page_fields(page),
            )
        )

    @patch(
        "/conversations/{conversationId:str}",
        summary="Update a conversation",
        description=(
            "Rename, pin or retag one of the caller's conversations; fields that are left out stay as "
            "they are."
        ),
        request_example={"title": "Emergency fund", "pinned": True, "tags": ["savings"]},
        responses=raises(*CALLER_ERRORS, *BODY_ERRORS, "NOT_FOUND", "FORBIDDEN"),
    )
    async def update_conversation(
        self,
        request: CallerRequest,
        update_conversation: NamedDependency[UpdateConversation],
        conversation_id: ConversationId,
        data: JSONBody[ConversationPatch],
    ) -> Envelope[ConversationView]:
        changes = ConversationChanges(
            title=None if isinstance(data.title, msgspec.UnsetType) else data.title,
            pinned=None if isinstance(data.pinned, msgspec.UnsetType) else data.pinned,
            tags=None if isinstance(data.tags, msgspec.UnsetType) else tuple(data.tags),
        )
        return ok(view(await update_conversation(request.user, conversation_id, changes), ConversationView))

    @post(
        "/conversations/{conversationId:str}/archive",
        summary="Archive a conversation",
        description="Archive one of the caller's conversations; archiving it again changes nothing.",
        status_code=200,
        responses=raises(*CALLER_ERRORS, "NOT_FOUND", "FORBIDDEN"),
    )
    async def archive_conversation(
        self,
        request: CallerRequest,
        archive_conversation: NamedDependency[ArchiveConversation],
        conversation_id: ConversationId,
    ) -> Envelope[ConversationView]:
        return ok(view(await archive_conversation(request.user, conversation_id), ConversationView))

    @post(
        "/conversations/{conversationId:str}/restore",
        summary="Restore a conversation",
        description=(
            "Bring one of the caller's conversations back from the archive; an active one stays as it is."
        ),
        status_code=200,
        responses=raises(*CALLER_ERRORS, "NOT_FOUND", "FORBIDDEN"),
    )
    async def restore_conversation(
        self,
        request: CallerRequest,
        restore_conversation: NamedDependency[RestoreConversation],
        conversation_id: ConversationId,
    ) -> Envelope[ConversationView]:
        return ok(view(await restore_conversation(request.user, conversation_id), ConversationView))

    @delete(
        "/conversations/{conversationId:str}",
        summary="Delete a conversation",
        description="Delete one of the caller's conversations for good, and revoke its shares.",
        status_code=200,
        responses=raises(*CALLER_ERRORS, "NOT_FOUND", "FORBIDDEN"),
    )
    async def delete_conversation(
        self,
        request: CallerRequest,
        delete_conversation: NamedDependency[DeleteConversation],
        conversation_id: ConversationId,
    ) -> Envelope[DeletedConversation]:
        deleted = await delete_conversation(request.user, conversation_id)
        return ok(DeletedConversation(deleted=True, conversation_id=deleted.id))

    @post(
        "/messages/{messageId:str}/feedback",
        summary="Rate a message",
        description=(
            "Like (1) or dislike (-1) a message of one of the caller's conversations, a question or a "
            "reply. Later feedback replaces earlier feedback."
        ),
        request_example={"rating": 1, "feedback": "Clear."},
        status_code=200,
        responses=raises(*CALLER_ERRORS, *BODY_ERRORS, "NOT_FOUND", "FORBIDDEN"),
    )
    async def give_feedback(
        self,
        request: CallerRequest,
        give_feedback: NamedDependency[GiveFeedback],
        message_id: MessageId,
        data: JSONBody[FeedbackBody],
    ) -> Envelope[FeedbackView]:
        given = await give_feedback(request.user, message_id, data.rating, data.feedback)
        return ok(
            FeedbackView(
                message_id=message_id,
                rating=given.rating,
                feedback=given.feedback,
                updated_at=Timestamp.of(given.updated_at),
            )
        )


def _shown_as(which: ConversationFilter) -> type[ListedConversationView]:
    # A list that is not searched has no ``found``, and does not pay for leaving it out of each item.
    plain = cast("type[ListedConversationView]", ConversationView)
    return plain if which.query is None else ListedConversationView
