"""The page at ``/docs``: Swagger UI on /openapi.json, with "try it out" and the ways to authenticate.

Everything that it loads ships with the service, and its policy lets it load and call nothing else.
"""

from importlib.resources import files
from typing import Annotated, Any, Final

from litestar import MediaType, Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import PathParameter

from finassist.domain.errors import NotFound
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.responses.caching import IfNoneMatch
from finassist.entrypoints.http.responses.redirects import redirect
from finassist.entrypoints.http.responses.static_files import AcceptEncoding, read_files, serve

_FOLDER: Final = files("finassist.entrypoints.http.openapi") / "swagger_ui"
_PAGE: Final = "index.html"

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Swagger UI sets styles by script, so it needs no inline style. Icons of its style sheet are ``data:``, and
an image that a call returns is shown from ``blob:``. It does not know Trusted Types."""


def docs_page() -> tuple[HTTPRouteHandler, HTTPRouteHandler]:
    """The routes of the page and of the files that it loads."""
    known = read_files(_FOLDER)

    @get("/docs", media_type=MediaType.HTML, include_in_schema=False, sync_to_thread=False)
    def get_docs(request: AnyRequest, if_none_match: IfNoneMatch = None) -> Response[str]:
        if request.scope["raw_path"].endswith(b"/"):
            return redirect("../docs")  # the page names what it loads relative to its address
        return serve(known[_PAGE], if_none_match, {"Content-Security-Policy": _POLICY})

    @get("/docs/{file:str}", include_in_schema=False, sync_to_thread=False)
    def get_docs_file(
        name: Annotated[str, PathParameter(name="file")],
        if_none_match: IfNoneMatch = None,
        accept_encoding: AcceptEncoding = "",
    ) -> Response[Any]:
        if name not in known or name == _PAGE:
            raise NotFound("file")
        return serve(known[name], if_none_match, accept_encoding=accept_encoding)

    return get_docs, get_docs_file
