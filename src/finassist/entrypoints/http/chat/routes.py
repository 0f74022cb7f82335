"""The chat: ask, follow, stop (spec "AI chat", contract section 4)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec
from litestar import Controller, Response, get, post
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.params import HeaderParameter, JSONBody, QueryParameter

from finassist.application.chat import (
    ChatMessage,
    DescribeAssistant,
    FollowTurn,
    SendMessage,
    StopTurn,
    StopTurnByKey,
    TurnStream,
)
from finassist.application.chat.turns.replacing import misplaced
from finassist.domain.chat.events import ATTACHMENTS_MAX, MESSAGE_MAX, Done, Failed
from finassist.domain.conversations.conversation import ConversationType, InputType
from finassist.domain.conversations.message import Message
from finassist.domain.errors import FieldError
from finassist.domain.files.content import FILE_BYTES_MAX
from finassist.domain.ids import ID_PATTERN
from finassist.domain.quotas import RateDecision
from finassist.entrypoints.http.chat.attachments import (
    Attachments,
    sent_files,
    wrong_attachments,
    wrong_contents,
)
from finassist.entrypoints.http.chat.sse import EventEncoder, EventStream
from finassist.entrypoints.http.chat.views import (
    AssistantView,
    CapabilitiesView,
    LimitsView,
    ReplyView,
    StoppedView,
    reply_view,
)
from finassist.entrypoints.http.conversations.parameters import MessageId
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, CALLER_ERRORS, EVENTS, raises
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.field_errors import SWITCH_PATTERN, VISIBLE_PATTERN
from finassist.entrypoints.http.requests.injection import finassist_of
from finassist.entrypoints.http.requests.large_bodies import release_body
from finassist.entrypoints.http.requests.security import AS_CALLER, CallerRequest
from finassist.entrypoints.http.responses.envelope import Envelope, ok, view
from finassist.entrypoints.http.responses.errors import STATUS_OF, encode_error
from finassist.entrypoints.http.responses.headers import send_headers
from finassist.entrypoints.http.responses.transcript import (
    MessageView,
)

BODY_MAX: Final = 34 * 2**20

IdempotencyKey = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        pattern=VISIBLE_PATTERN,
        description="The same key and body again within 24 hours get the same response again.",
    ),
]
_YES: Final = frozenset({"1", "true", "yes"})


def wrong_model(request: AnyRequest, body: Mapping[str, Any]) -> Sequence[FieldError]:
    """Return an error for a model that is not offered."""
    offered_models = finassist_of(request).offered_models
    model = body.get("model")
    # The type of the field reports what cannot be a name.
    return offered_models.errors(model) if isinstance(model, str) and 0 < len(model) <= 200 else ()


def wrong_replaces(_: AnyRequest, body: Mapping[str, Any]) -> Sequence[FieldError]:
    """Return an error for a message that is to be replaced in no conversation."""
    conversation_id = body.get("conversation_id", body.get("conversationId"))
    return misplaced(body.get("replaces"), conversation_id)


class ChatRequest(Body):
    """A message to the assistant. ``replaces`` is the id of one of the user's messages in the conversation,
    whose place it takes."""

    aliases: ClassVar[Mapping[str, str]] = {
        "conversationId": "conversation_id",
        "prepromptKey": "preprompt_key",
        "input_type": "inputType",
    }
    checks = (wrong_attachments,)
    late_checks = (wrong_model, wrong_replaces, wrong_contents)

    message: Annotated[str, msgspec.Meta(min_length=1, max_length=MESSAGE_MAX, pattern=r"\S")]
    conversation_id: Annotated[str, msgspec.Meta(pattern=ID_PATTERN, max_length=24)] | None = msgspec.field(
        default=None, name="conversation_id"
    )
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    preprompt_key: str | None = msgspec.field(default=None, name="preprompt_key")
    type: Literal["chat", "second_opinion"] | None = None
    input_type: Literal["text", "file", "voice"] | None = None
    attachments: Attachments | None = None
    replaces: Annotated[str, msgspec.Meta(pattern=ID_PATTERN, max_length=24)] | None = None


def _encode_done(done: Done) -> dict[str, Any]:
    """The fields of ``done`` besides the two ids, which every event carries."""
    fields: dict[str, Any] = msgspec.to_builtins(reply_view(done))
    del fields["conversationId"], fields["messageId"]
    return fields


async def count_chat_request(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Count the request against the caller's rate, before its body is read."""
    decision = await finassist_of(connection).count_chat_request(connection.user)
    send_headers(connection.scope, *_rate_headers(decision))
    decision.require_allowed()


def _rate_headers(decision: RateDecision) -> list[tuple[bytes, bytes]]:
    return [
        (b"ratelimit-policy", b'"chat";q=%d;w=%d' % (decision.limit, decision.window_seconds)),
        (b"ratelimit", b'"chat";r=%d;t=%d' % (decision.remaining, decision.reset_after)),
    ]


class ChatController(Controller):
    """``/api/v1/ai``."""

    path = "/api/v1/ai"
    tags = ("Chat",)

    @get(
        "/health",
        summary="Describe the assistant",
        description="Provider, model, capabilities and limits of the assistant.",
        responses=raises(),
    )
    async def get_ai_health(
        self, describe_assistant: NamedDependency[DescribeAssistant]
    ) -> Envelope[AssistantView]:
        about = await describe_assistant()
        return ok(
            AssistantView(
                status="ok",
                provider=about.provider,
                model=about.model,
                models=about.models,
                capabilities=CapabilitiesView(
                    streaming=True,
                    tools=about.capabilities.tools,
                    vision=about.capabilities.vision,
                    pdf=True,
                    retrieval=about.retrieval,
                ),
                limits=LimitsView(
                    message_max_chars=MESSAGE_MAX,
                    attachment_max_bytes=FILE_BYTES_MAX,
                    attachments_max=ATTACHMENTS_MAX,
                    rate_per_minute=about.rate_per_minute,
                ),
            )
        )

    @post(
        "/chat",
        summary="Ask the assistant",
        description=(
            "Send a message to the assistant. The message is stored before the model is asked, and the "
            "reply is written to its end even when the client disconnects.\n\n"
            "Each message counts against the free allowance, unless the reply failed before its first "
            "word. A message that asks for help (an emergency, debts, gambling, a lost job, bailiffs, a "
            "possible scam) gets help instead of a model's answer, is not counted, and is accepted when the "
            "allowance is used up; files in such a request are not kept.\n\n"
            "An archived conversation stays archived. A pre-prompt of the main catalog applies until a "
            "later message names another. The text of a second-opinion card stays in what the model is told "
            "of the conversation; its readers see the message. `type` without `preprompt_key` is the type "
            "of a new conversation; `inputType` says how it was begun, `voice` when the client transcribed "
            "it, and is known by the attachments when it is left out. Attached files are stored as files of "
            "the caller. Texts, web pages, Word documents and workbooks are read as PDFs are; recordings are "
            "transcribed where the operator has set a model for it, before the first byte of the reply.\n\n"
            "`replaces` edits a question: it names one of the user's messages in the conversation, whose "
            "place this one takes. That message and all after it become `superseded` when the turn begins; "
            "a request that is refused changes nothing. Superseded messages stay stored, and are left out of "
            "lists, of what the model is told, of new shares and of the export (see `include` there); "
            "shares that exist keep what they show. A message that was replaced before is refused with 400, "
            "and with 409 while a reply is being written in the conversation."
        ),
        request_example={"message": "How large should my emergency fund be?"},
        status_code=200,
        guards=[count_chat_request],
        request_max_body_size=BODY_MAX,
        responses=raises(
            *CALLER_ERRORS,
            *BODY_ERRORS,
            "FORBIDDEN",
            "NOT_FOUND",
            "CONFLICT",
            "IDEMPOTENCY_MISMATCH",
            "FREE_LIMIT_EXCEEDED",
            "LLM_ERROR",
            "STORAGE_ERROR",
        ),
        opt={**AS_CALLER["opt"], "large_bodies": True, "gives_device_token": True},
        security=AS_CALLER["security"],
    )
    async def chat(
        self,
        request: CallerRequest,
        data: JSONBody[ChatRequest],
        send_message: NamedDependency[SendMessage],
        idempotency_key: IdempotencyKey = None,
        stream_response: Annotated[
            str | None,
            HeaderParameter(
                name="X-Stream-Response",
                pattern=SWITCH_PATTERN,
                description=(
                    "`true`, `1` or `yes` streams the reply as server-sent events; else the response is JSON."
                ),
            ),
        ] = None,
        stream: Annotated[
            str | None,
            HeaderParameter(
                name="Stream", pattern=SWITCH_PATTERN, description="The same as `X-Stream-Response`."
            ),
        ] = None,
    ) -> Response[Envelope[ReplyView]]:
        turn = await send_message(request.user, _message(request, data, idempotency_key))
        release_body(request.scope)
        if _is_yes(stream_response) or _is_yes(stream):
            return await _stream(turn)
        return await _buffered(turn)

    @get(
        "/chat/{messageId:str}/stream",
        summary="Go on with a streamed reply",
        description=(
            "Continue the stream of a running reply after event number `after`, or replay a finished "
            "reply from there.\n\n"
            "Any process that shares the database can serve it, whichever runs the turn."
        ),
        responses={200: EVENTS, **raises(*CALLER_ERRORS, "FORBIDDEN", "NOT_FOUND")},
        **AS_CALLER,
    )
    async def follow_reply(
        self,
        request: CallerRequest,
        message_id: MessageId,
        follow_turn: NamedDependency[FollowTurn],
        last_event_id: Annotated[
            int | None,
            HeaderParameter(
                name="Last-Event-ID",
                ge=0,
                description="The number of the last event that arrived; it has precedence over `after`.",
            ),
        ] = None,
        after: Annotated[
            int | None,
            QueryParameter(
                ge=0, description="The number of the last event that arrived; 0 is the beginning."
            ),
        ] = None,
    ) -> Response[Any]:
        position = after if last_event_id is None else last_event_id
        turn = await follow_turn(request.user, message_id, after=position or 0)
        return EventStream(turn, EventEncoder(turn, _encode_done), [], _ids(turn))

    @post(
        "/chat/{messageId:str}/stop",
        summary="Stop a reply",
        description=(
            "Stop writing a reply and keep what is written. A finished reply stays as it is.\n\n"
            "The response has the message as it is then. A turn that runs in another process gets five "
            "seconds to stop."
        ),
        status_code=200,
        responses=raises(*CALLER_ERRORS, "FORBIDDEN", "NOT_FOUND"),
        **AS_CALLER,
    )
    async def stop_reply(
        self, request: CallerRequest, message_id: MessageId, stop_turn: NamedDependency[StopTurn]
    ) -> Envelope[StoppedView]:
        return ok(_stopped(await stop_turn(request.user, message_id)))

    @post(
        "/chat/stop",
        summary="Stop a reply by its idempotency key",
        description=(
            "Stop the reply to the request that was sent with this `Idempotency-Key`; for a client that "
            "does not know the ids of the turn yet.\n\n"
            "While the files of the request are still being processed, its turn ends as it begins, before "
            "the model is asked. The response waits for that, at most 30 seconds; after that time it is 409, "
            "and the stop takes effect when the turn begins."
        ),
        status_code=200,
        responses=raises(*CALLER_ERRORS, "FORBIDDEN", "NOT_FOUND", "CONFLICT"),
        **AS_CALLER,
    )
    async def stop_reply_by_key(
        self,
        request: CallerRequest,
        stop_turn_by_key: NamedDependency[StopTurnByKey],
        idempotency_key: Annotated[
            str,
            HeaderParameter(
                name="Idempotency-Key",
                pattern=VISIBLE_PATTERN,
                description="The key that the request to stop was sent with.",
            ),
        ],
    ) -> Envelope[StoppedView]:
        return ok(_stopped(await stop_turn_by_key(request.user, idempotency_key)))


def _message(request: CallerRequest, data: ChatRequest, idempotency_key: str | None) -> ChatMessage:
    return ChatMessage(
        message=data.message,
        conversation_id=data.conversation_id,
        model=data.model,
        preprompt_key=data.preprompt_key,
        type=None if data.type is None else ConversationType(data.type),
        input_type=None if data.input_type is None else InputType(data.input_type),
        idempotency_key=idempotency_key,
        replaces=data.replaces,
        attachments=sent_files(data.attachments, when_decoded=lambda: release_body(request.scope)),
    )


def _is_yes(switch: str | None) -> bool:
    return switch is not None and switch.casefold() in _YES


async def _stream(turn: TurnStream) -> Response[Any]:
    """Stream the turn, once its first event is there: a failure before that is a plain answer."""
    first = await anext(turn.batches)
    while not first:
        first = await anext(turn.batches)
    if isinstance(failure := first[0][1], Failed):
        return _failed(turn, failure)
    return EventStream(turn, EventEncoder(turn, _encode_done), first, _ids(turn))


async def _buffered(turn: TurnStream) -> Response[Any]:
    ending = await turn.ending()
    if isinstance(ending, Failed):
        return _failed(turn, ending)
    return Response(ok(reply_view(ending)), headers=_ids(turn))


def _failed(turn: TurnStream, failure: Failed) -> Response[Any]:
    code = failure.code if failure.code in STATUS_OF else "SERVICE_UNAVAILABLE"
    return Response(
        encode_error(code, failure.reason),
        status_code=STATUS_OF[code],
        media_type="application/json",
        headers=_ids(turn),
    )


def _ids(turn: TurnStream) -> dict[str, str]:
    return {"X-Conversation-Id": turn.conversation_id, "X-Message-Id": turn.message_id}


def _stopped(message: Message) -> StoppedView:
    return StoppedView(
        conversation_id=message.conversation_id,
        message_id=message.id,
        status=message.status,
        message=view(message, MessageView),
    )
