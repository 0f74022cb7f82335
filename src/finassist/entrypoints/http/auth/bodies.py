"""What several routes of signing in read."""

from collections.abc import Mapping, Sequence
from typing import Any

from finassist.domain.auth.local_accounts import password_problems
from finassist.domain.errors import FieldError
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.injection import finassist_of


def common_password(request: AnyRequest, body: Mapping[str, Any]) -> Sequence[FieldError]:
    """Whether a new password is one of the most common, when that is all that is wrong with it: the other
    rules are listed already."""
    password = body.get("password")
    if not isinstance(password, str) or password_problems(password):
        return ()
    return finassist_of(request).require_good_password.errors(password)
