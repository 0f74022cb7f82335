"""Redirects, and cookies that bind a sign-in and its forms to one browser."""

from typing import Any

from litestar import MediaType, Request, Response
from litestar.datastructures import Cookie

from finassist.entrypoints.http.requests.addresses import own_address


def redirect(location: str, status: int = 302) -> Response[str]:
    """Send the browser on, without a body."""
    return Response("", status_code=status, media_type=MediaType.TEXT, headers={"Location": location})


def single_use_cookie(name: str, value: str, seconds: float, request: Request[Any, Any, Any]) -> Cookie:
    """The cookie that binds a redirect or a form to one browser. Over HTTPS it is ``Secure``."""
    is_secure = _own_scheme(request) == "https"
    return Cookie(
        key=name,
        value=value,
        path="/",
        max_age=int(seconds),
        httponly=True,
        samesite="lax",
        secure=is_secure,
    )


def _own_scheme(request: Request[Any, Any, Any]) -> str:
    """``http`` or ``https``, as clients see it."""
    public: str = request.app.state.public_base_url
    return (public or own_address(request)).partition(":")[0]
