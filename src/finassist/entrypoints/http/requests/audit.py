"""Auditing requests: those whose route says so in its ``opt``, and all that need a secret of the operator's
(contract section 13, "Operations")."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import structlog
from litestar.handlers import HTTPRouteHandler

from finassist.application.auth.audit import AuditedCall, AuditNote, RecordAudit, begin_note
from finassist.application.ports.telemetry import Telemetry
from finassist.domain.auth.audit import Actor, AuditRecord, AuditResult

ALWAYS: Final = "always"
REFUSALS: Final = "refusals"
"""Values of ``audited`` in a route's ``opt``: whether calls that succeed are recorded, too."""

_STORE_SECONDS: Final = 2
"""A response waits no longer for its record."""
_BY_SECRET: Final = (Actor.BACKEND, Actor.WEBHOOK)
_NOT_TRIED: Final = frozenset({"VALIDATION_ERROR", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"})
_LIMITED: Final = (429, 503)
"""Errors, and statuses, of requests in which nothing was tried. What a limit or an overloaded service refuses
must cost no write; the failures before it are recorded."""

_log: Any = structlog.get_logger("finassist.audit")


class AuditTrail:
    """Records a request when its response begins, so that no response is without its record. A record that
    cannot be stored is written to the log, and the response is sent all the same."""

    def __init__(self, record_audit: RecordAudit, telemetry: Telemetry) -> None:
        self._record_audit = record_audit
        self._telemetry = telemetry

    def begin(self) -> AuditNote:
        """Begin the note of the request that this task responds to."""
        return begin_note()

    async def __call__(self, scope: Mapping[str, Any], note: AuditNote, status: int, request_id: str) -> None:
        """Record the request, if its route wants it."""
        call = _call_of(scope, note, status, request_id)
        if call is None:
            return
        try:
            async with asyncio.timeout(_STORE_SECONDS):
                record = await self._record_audit(call)
        except Exception as error:  # whatever it is, what the caller wanted has been done
            self._telemetry.audit_failed()
            _log.error("audit record not stored", **_fields(call), user_id=note.user_id, exc_info=error)
        else:
            if record is not None:
                _log.info("audit", **_fields(record), user_id=record.user_id, user_hash=record.user_hash)


def operation_id_of(handler: HTTPRouteHandler, *_: Any) -> str:
    """The id of a route's operation: its handler's name in camel case."""
    head, *tail = handler.handler_name.split("_")
    return head + "".join(word.title() for word in tail)


def _call_of(scope: Mapping[str, Any], note: AuditNote, status: int, request_id: str) -> AuditedCall | None:
    handler = scope.get("route_handler")
    result = AuditResult.of(status, note.code)
    if handler is None or "audited" not in handler.opt:
        return None
    if handler.opt["audited"] == REFUSALS and result is AuditResult.SUCCESS:
        return None
    caller = scope.get("user")
    if caller is not None:
        note.actor = Actor.GUEST if caller.is_guest else Actor.USER
        note.user_id = note.user_id or caller.user_id
    if (note.code in _NOT_TRIED or status in _LIMITED) and note.actor not in _BY_SECRET:
        return None
    return AuditedCall(
        action=operation_id_of(handler),
        result=result,
        address=scope["state"]["address"],
        request_id=request_id,
        note=note,
    )


def _fields(recorded: AuditedCall | AuditRecord) -> dict[str, Any]:
    note = recorded.note if isinstance(recorded, AuditedCall) else recorded
    return {
        "action": recorded.action,
        "actor": note.actor or Actor.ANONYMOUS,
        "result": recorded.result,
        "code": note.code,
        "address": recorded.address,
    }
