"""What a new account and a new password have to be like."""

from dataclasses import dataclass

from finassist.application.auth.random_tokens import token_hash
from finassist.application.ports.auth import CommonPasswords
from finassist.domain.auth.local_accounts import NAME_MAX, LocalAccount, email_problems, password_problems
from finassist.domain.errors import FieldError, ValidationFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class RequireGoodPassword:
    """Raise ValidationFailed with every rule that a new password breaks."""

    common_passwords: CommonPasswords

    def __call__(self, password: str) -> None:
        errors = self.errors(password)
        if errors:
            raise ValidationFailed(errors)

    def errors(self, password: str) -> list[FieldError]:
        """The rules that the password breaks."""
        problems = password_problems(password, is_common=password in self.common_passwords)
        return [FieldError("password", message) for message in problems]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequireGoodAccount:
    """Raise ValidationFailed with every rule that a new account breaks."""

    require_good_password: RequireGoodPassword

    def __call__(self, email: str, password: str, name: str) -> None:
        errors = [FieldError("email", message) for message in email_problems(email)]
        errors += self.require_good_password.errors(password)
        if not name.strip() or len(name) > NAME_MAX:
            errors.append(FieldError("name", f"Must have 1 to {NAME_MAX} characters."))
        if errors:
            raise ValidationFailed(errors)


def password_mark(account: LocalAccount) -> str:
    """What changes with the password: a mail, a challenge or a code from before it is void."""
    return token_hash(account.password_hash or "")
