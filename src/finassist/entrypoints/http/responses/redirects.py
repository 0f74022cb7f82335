"""Redirects, and cookies that bind a sign-in and its forms to one browser."""

from litestar import MediaType, Response
from litestar.datastructures import Cookie

from finassist.entrypoints.http.requests.addresses import own_address
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.injection import finassist_of

AnyRequest = AnyRequest


def redirect(location: str, status: int = 302) -> Response[str]:
    """Send the browser on, without a body."""
    return Response("", status_code=status, media_type=MediaType.TEXT, headers={"Location": location})


def single_use_cookie(name: str, value: str, seconds: float, request: AnyRequest) -> Cookie:
    """The cookie that binds a redirect or a form to one browser.

    Over HTTPS it is ``Secure`` and its name begins with ``__Host-``, so that no neighbouring host and no page
    that came over HTTP can set it.
    """
    is_secure = _own_scheme(request) == "https"
    return Cookie(
        key=_sent_name(name, request),
        value=value,
        path="/",
        max_age=int(seconds),
        httponly=True,
        samesite="lax",
        secure=is_secure,
    )


def cookie_of(name: str, request: AnyRequest) -> str | None:
    """The value of a single-use cookie that the browser sent."""
    return request.cookies.get(_sent_name(name, request))


def end_cookie(response: Response[str], name: str, request: AnyRequest) -> None:
    """Remove a single-use cookie from the browser, with the attributes that its name demands."""
    response.set_cookie(single_use_cookie(name, "", 0, request))


def _sent_name(name: str, request: AnyRequest) -> str:
    return f"__Host-{name}" if _own_scheme(request) == "https" else name


def _own_scheme(request: AnyRequest) -> str:
    """``http`` or ``https``, as clients see it."""
    public: str = finassist_of(request).settings.public_base_url
    return (public or own_address(request)).partition(":")[0]
