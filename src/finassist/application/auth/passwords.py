"""New passwords, and verified emails, of accounts of the built-in provider (contract section 13)."""

from dataclasses import dataclass

from finassist.application.auth.audit import note_call
from finassist.application.auth.mails import (
    LimitMails,
    MailTokens,
    RequireLocalProvider,
)
from finassist.application.auth.password_rules import RequireGoodPassword, password_mark
from finassist.application.auth.random_tokens import token_hash
from finassist.application.auth.sessions import EndAllSessions, UnbindSessions
from finassist.application.auth.sign_in_limits import LimitSignIns
from finassist.application.erasure.admission import AdmitIdentity
from finassist.application.ports.auth import (
    EmailVerification,
    LiveSessions,
    LocalAccountRepository,
    PasswordReset,
    Tickets,
)
from finassist.application.ports.identity import AuthorizationServer
from finassist.application.ports.system import Clock
from finassist.domain.auth.local_accounts import LOCAL_ISSUER, LocalAccount
from finassist.domain.auth.sessions import is_fresh
from finassist.domain.errors import (
    InvalidCredentials,
    InvalidState,
    RateLimitExceeded,
    Unauthorized,
    ValidationFailed,
)
from finassist.domain.users import Caller, Identity, same_email


@dataclass(frozen=True, slots=True, kw_only=True)
class ProveEmail:
    """Note that the account's holder reads the mails of its email. An account whose email another one has
    verified before becomes the same user's. Returns None when the account has another email by now."""

    local_accounts: LocalAccountRepository
    admit_identity: AdmitIdentity
    clock: Clock

    async def __call__(self, subject: str, email: str) -> LocalAccount | None:
        account = await self.local_accounts.verify_email(subject, email, self.clock.now())
        if account is not None:
            await self.admit_identity(self._identity(account, email))
        return account

    def _identity(self, account: LocalAccount, email: str) -> Identity:
        now = self.clock.now()
        return Identity(
            issuer=LOCAL_ISSUER,
            subject=account.subject,
            provider=LOCAL_ISSUER,
            issued_at=now,
            expires_at=now,
            email=account.email or email,
            email_verified=account.email_is_proven,
            phone=account.phone,
            phone_verified=account.phone_verified,
            name=account.name or None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetPassword:
    """Choose a new password with the token of a mail: once, and while neither password nor email have
    changed. All sessions end, and the email is verified."""

    require_local_provider: RequireLocalProvider
    require_good_password: RequireGoodPassword
    password_resets: Tickets[PasswordReset]
    local_accounts: LocalAccountRepository
    authorization_server: AuthorizationServer
    end_all_sessions: EndAllSessions
    prove_email: ProveEmail
    clock: Clock

    async def __call__(self, token: str, password: str) -> None:
        self.require_local_provider("Passwords are changed")
        self.require_good_password(password)
        reset = await self.password_resets.take(token_hash(token), self.clock.now())
        account = None if reset is None else await self.local_accounts.get(reset.subject)
        if (
            reset is None
            or account is None
            or not same_email(reset.email, account.email)
            or reset.password_mark != password_mark(account)
        ):
            raise bad_token()
        note_call(identity=(LOCAL_ISSUER, account.subject))
        await self.authorization_server.replace_password(account.subject, password)
        await self.end_all_sessions(account.subject)
        await self.prove_email(account.subject, reset.email)
        await self.end_all_sessions(account.subject)  # also those of a user that it was joined to


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePassword:
    """Replace the caller's password, whose present one has to be right; all other sessions end. An account
    that has none and a verified email gets its first one after a sign-in in the last five minutes.

    Raises InvalidCredentials, TooManyAttempts after ten failures from one address and, without a present
    password, ValidationFailed when there is one, Unauthorized and InvalidState.
    """

    require_local_provider: RequireLocalProvider
    require_good_password: RequireGoodPassword
    local_accounts: LocalAccountRepository
    authorization_server: AuthorizationServer
    limit_sign_ins: LimitSignIns
    live_sessions: LiveSessions
    unbind_sessions: UnbindSessions
    clock: Clock

    async def __call__(self, caller: Caller, current: str | None, password: str, address: str) -> None:
        self.require_local_provider("Passwords are changed")
        self.require_good_password(password)
        identity = caller.identity
        account = None if identity is None else await self._account(identity.subject)
        if identity is None or account is None:
            raise InvalidCredentials()
        subject = account.subject
        if current is None:
            self._require_first(caller, account)
        else:
            await self._check(account, current, address)
        await self.authorization_server.replace_password(subject, password)
        subjects = sorted({subject, identity.subject})
        ended = await self.live_sessions.end_all_of(subjects, keep=identity.session_id)
        await self.unbind_sessions(ended)

    async def _check(self, account: LocalAccount, current: str, address: str) -> None:
        if account.email is None:
            raise InvalidCredentials()

        async def attempt() -> str:
            await self.authorization_server.check_password(account.subject, current)
            return account.subject

        await self.limit_sign_ins(account.email, address, attempt)

    def _require_first(self, caller: Caller, account: LocalAccount) -> None:
        """Require that the account has no password, and may have one."""
        if account.password_hash is not None:
            raise ValidationFailed.of("currentPassword", "The present password is required.")
        if not is_fresh(caller.signed_in_at, self.clock.now()):
            raise Unauthorized("A first password needs a sign-in in the last five minutes.")
        if account.email is None or not account.email_is_proven:
            raise InvalidState("Please verify an email first: it is what a password signs in with.")

    async def _account(self, subject: str) -> LocalAccount | None:
        """The account with the password: the token's own, or the one that was joined to it."""
        account = await self.local_accounts.get(subject)
        if account is None or account.password_hash is not None or not account.email_is_proven:
            return account
        if account.email is None:
            return await self.local_accounts.get(account.holder)
        other = await self.local_accounts.find_by_email(account.email)
        return other if other is not None and other.email_is_proven else account


@dataclass(frozen=True, slots=True, kw_only=True)
class SendVerification:
    """Mail the caller a token that proves the email. Returns False, and sends nothing, when it is proven. An
    account without one gets the ``email`` that is named, once it is proven; as an email is a way to sign in,
    that needs a sign-in in the last five minutes.

    Raises InvalidState for an account without email when none is named, and for another one than the
    account's; Unauthorized, RateLimitExceeded, EmailProviderError.
    """

    require_local_provider: RequireLocalProvider
    local_accounts: LocalAccountRepository
    limit_mails: LimitMails
    mail_tokens: MailTokens
    clock: Clock

    async def __call__(self, caller: Caller, address: str, email: str | None = None) -> bool:
        self.require_local_provider("Emails are verified")
        subject = "" if caller.identity is None else caller.identity.subject
        account = await self.local_accounts.get(subject)
        if account is not None and email is not None and not account.may_verify(email):
            raise InvalidState("This account has another email.")
        if account is not None and account.email_is_proven:
            return False
        wanted = None if account is None else account.email or email
        if account is None or wanted is None:
            raise InvalidState("This account has no email: please name one.")
        if account.email is None and not is_fresh(caller.signed_in_at, self.clock.now()):
            raise Unauthorized("A first email needs a sign-in in the last five minutes.")
        seconds = await self.limit_mails("verification", wanted, address)
        if seconds > 0:
            raise RateLimitExceeded(seconds, "Too many mails were sent, please wait.")
        await self.mail_tokens.verification(account, wanted)
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyEmail:
    """Prove an email with the token of a mail, once."""

    require_local_provider: RequireLocalProvider
    email_verifications: Tickets[EmailVerification]
    prove_email: ProveEmail
    clock: Clock

    async def __call__(self, token: str) -> None:
        self.require_local_provider("Emails are verified")
        proof = await self.email_verifications.take(token_hash(token), self.clock.now())
        if proof is not None:
            note_call(identity=(LOCAL_ISSUER, proof.subject))
        if proof is None or await self.prove_email(proof.subject, proof.email) is None:
            raise bad_token()


def bad_token() -> ValidationFailed:
    """What a token gets that is unknown, spent, too old, or of a mail that no longer counts."""
    return ValidationFailed.of("token", "Was used already, is too old or unknown. Please ask for a new mail.")
