"""The id of the request at hand, for its envelope and its lines of the log."""

from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("finassist_request_id", default="")
