"""The type of a request whose user, session and state do not matter."""

from typing import Any, TypeAlias

from litestar import Request

AnyRequest: TypeAlias = Request[Any, Any, Any]
