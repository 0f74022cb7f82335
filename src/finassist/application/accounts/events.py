"""Events that the identity provider reports about its users (contract section 3, "Webhooks")."""

import logging
import re
from dataclasses import dataclass
from typing import Final

from finassist.application.accounts.overview import SyncUser, WebhookCaller
from finassist.application.auth.audit import note_call
from finassist.application.erasure.requests import EraseAccount
from finassist.application.ports.users import UserRepository
from finassist.domain.errors import Unauthorized

DELETED: Final = "user.deleted"
SYNCED: Final = frozenset({"user.created", "user.updated", "post-registration", "post-login"})
"""The events after which the user is made or updated; an event without a kind is one of them."""

_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportEvent:
    """Do what an event of the identity provider says: make or update the user, or erase it.

    Only a client or a holder of the webhook secret may report a deletion, never the user's own token.
    Reporting it again changes nothing. An event of an unknown kind is logged and changes nothing.
    """

    sync_user: SyncUser
    users: UserRepository
    erase_account: EraseAccount

    async def __call__(
        self,
        caller: WebhookCaller,
        subject: str,
        *,
        event: str | None,
        email: str | None,
        name: str | None,
        picture: str | None,
    ) -> None:
        note_call(identity=(caller.identity.issuer, subject))
        caller.require_may_write(subject)
        if event == DELETED:
            await self._delete(caller, subject)
        elif event is None or event in SYNCED:
            await self.sync_user(caller, subject, email=email, name=name, picture=picture)
        else:
            known = _NAME.fullmatch(event)
            _log.info("a webhook event of an unknown kind changed nothing: %s", event if known else "unnamed")

    async def _delete(self, caller: WebhookCaller, subject: str) -> None:
        if not caller.may_write_all:
            raise Unauthorized("A deletion is reported with a client's token or the webhook secret.")
        user = await self.users.find_by_identity(caller.identity.issuer, subject)
        if user is not None:
            note_call(user_id=user.id)
            await self.erase_account(user.id, None)
