"""One record of every kind that a user can have."""

from dataclasses import dataclass, replace
from typing import Any

from finassist.application.ports.auth import AuthorizationCode, PasswordReset
from finassist.application.ports.identity import AuthorizationRequest
from finassist.domain.auth.audit import Actor, AuditFilter, AuditRecord, AuditResult
from finassist.domain.auth.local_accounts import LOCAL_ISSUER, LocalAccount
from finassist.domain.auth.otp import OtpCode
from finassist.domain.auth.second_factor import SecondFactor
from finassist.domain.auth.sign_in_limits import SignInAddress
from finassist.domain.chat.idempotency import IdempotencyRecord
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile
from finassist.domain.profile_cards import ProfileAnswer
from finassist.domain.quotas import chat_rate_key
from finassist.domain.shares import RedactedText, Share
from finassist.domain.users import Device, Platform
from stores import NOW, Store, after, conversation_of, new_id, turn_of


async def guest_of(store: Store, device_id: str) -> Device:
    """The device, with a guest."""
    return await store.devices.get_or_create(
        device_id, Platform.WEB, guest_user_id=new_id(), guest_owner_id=new_id(), now=NOW
    )


@dataclass(frozen=True, kw_only=True)
class Everything:
    """The records of one user."""

    user_id: str
    account: str
    phone: str
    conversation: Conversation
    turn: tuple[Message, Message, Conversation]
    file: StoredFile
    share: Share

    async def store_in(self, store: Store) -> "Everything":
        """Store all of it."""
        user_id = self.user_id
        await store.messages.begin_turn(*self.turn)
        await store.files.add(self.file)
        await store.files.keep_texts({self.file.id: "Closing balance: 12.30"})
        text = RedactedText(message_id=self.turn[0].id, content="[name]", filenames=())
        await store.shares.add(self.share, [text])
        await store.shares.record_view(self.share.share_id, "0f" * 16, NOW)
        await store.profile_cards.save_answers(user_id, {"goal": ProfileAnswer(value="a house")}, NOW)
        await store.payee_categories.correct(user_id, "aldi", "Groceries", NOW)
        await store.quotas.reserve_message(user_id, new_id(), threshold=9, now=NOW)
        await store.rate_windows.hit(chat_rate_key(user_id), limit=9, window_seconds=60, now=NOW)
        await store.idempotency_keys.claim(self._idempotency_record())
        await guest_of(store, f"device-of-{user_id}")
        await store.devices.bind(f"device-of-{user_id}", user_id, NOW)
        await self._store_access(store)
        return self

    async def _store_access(self, store: Store) -> None:
        await store.local_accounts.create(
            LocalAccount(subject=self.account, name="Ann", phone=self.phone, created_at=NOW, updated_at=NOW)
        )
        await store.local_accounts.link_social(self.account, "https://social.test", f"social-{self.account}")
        await store.refresh_tokens.start_family(
            f"hash-{self.account}",
            family_id=new_id(),
            subject=self.account,
            now=NOW,
            expires_at=after(999),
            ends_at=after(999),
        )
        request = AuthorizationRequest(redirect_uri="https://app.test", code_challenge="c" * 43)
        code = AuthorizationCode(subject=self.account, session_id=new_id(), request=request)
        await store.authorization_codes.add(f"code-{self.account}", code, after(60))
        reset = PasswordReset(subject=self.account, email="ann@example.org", password_mark="m")
        await store.password_resets.add(f"reset-{self.account}", reset, after(60))
        await store.sign_in_addresses.note(self._address())
        await store.audit_records.add(self._audit_record())
        await store.second_factors.begin(SecondFactor(subject=self.account, secret="sealed", created_at=NOW))
        await store.second_factor_challenges.add(f"challenge-{self.account}", self.account, after(60))
        await store.otp_codes.replace_code(
            OtpCode(phone=self.phone, device_id="device-1", code_hash="h", sent_at=NOW, expires_at=after(300))
        )

    def _audit_record(self) -> AuditRecord:
        return AuditRecord(
            id=new_id(), at=NOW, action="signIn", actor=Actor.USER, result=AuditResult.SUCCESS,
            request_id=new_id(), user_id=self.user_id, user_hash="hash", address="203.0.113.7",
        )  # fmt: skip

    def _address(self) -> SignInAddress:
        account = ProviderIdentity(issuer=LOCAL_ISSUER, subject=self.account)
        return SignInAddress(
            hash=f"address-{self.account}", identity=account, first_seen_at=NOW, last_seen_at=NOW
        )

    def _idempotency_record(self) -> IdempotencyRecord:
        return IdempotencyRecord(
            owner=self.user_id,
            key="key-1",
            fingerprint="f",
            holder="request-1",
            message_id=self.turn[1].id,
            created_at=NOW,
            held_until=after(15),
            expires_at=after(999),
        )

    async def found_in(self, store: Store) -> dict[str, bool]:
        """Of each kind, whether it is there, except files."""
        device = await store.devices.get(f"device-of-{self.user_id}")
        profile = await store.profile_cards.get(self.user_id)
        code = await store.otp_codes.get(self.phone, "device-1")
        account = await store.local_accounts.find_by_social("https://social.test", f"social-{self.account}")
        audited = await store.audit_records.list(AuditFilter(user_id=self.user_id), limit=1, offset=0)
        views = await store.shares.views(self.share.share_id)
        decision = await store.rate_windows.hit(
            chat_rate_key(self.user_id), limit=1, window_seconds=60, now=NOW
        )
        await store.rate_windows.take_back(chat_rate_key(self.user_id), NOW) if decision.allowed else None
        return {
            "conversation": await store.conversations.get(self.conversation.id) is not None,
            "messages": await store.messages.get(self.turn[0].id) is not None,
            "reply": await store.messages.get(self.turn[1].id) is not None,
            "share": await store.shares.get(self.share.share_id) is not None,
            "views": views.total_views > 0,
            "profile": profile.revision > 0,
            "payee categories": bool(await store.payee_categories.list_of([self.user_id])),
            "quota": (await store.quotas.get(self.user_id)).used > 0,
            "rate": not decision.allowed,
            "key": await store.idempotency_keys.find(self.user_id, "key-1", NOW) is not None,
            "binding": device is not None and device.bound_user_id == self.user_id,
            "account": account is not None,
            "session": bool(await store.sessions.list_of([self.account], NOW)),
            "address": await store.sign_in_addresses.get(f"address-{self.account}") is not None,
            "audit": audited.total > 0,
            "second factor": await store.second_factors.get(self.account) is not None,
            "otp code": code is not None,
        }


def everything_of(
    user_id: str, *, account: str = "1", phone: str = "+491701234567", forked_from: str | None = None
) -> Everything:
    """One record of every kind, not stored yet."""
    conversation = conversation_of(user_id, forked_from_share_id=forked_from)
    question, reply = turn_of(conversation.id, "How do I save for a house?")
    reply = replace(reply, replaces=new_id())
    fields: dict[str, Any] = {"created_at": NOW, "updated_at": NOW}
    file = StoredFile(
        id=new_id(), owner_id=user_id, conversation_id=conversation.id, filename="statement.pdf",
        mime_type="application/pdf", size=9, kind=FileKind.PDF, **fields,
    )  # fmt: skip
    share = Share(
        id=new_id(), share_id=f"share-{new_id()}", user_id=user_id, conversation_id=conversation.id,
        message_ids=(question.id,), title="A house", allow_continuation=True, redacted=True, **fields,
    )  # fmt: skip
    return Everything(
        user_id=user_id, account=account, phone=phone, conversation=conversation,
        turn=(question, reply, conversation), file=file, share=share,
    )  # fmt: skip
