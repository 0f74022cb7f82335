"""The chat page at ``/``: a client of the public API that ships with the service. When it is switched off,
none of its addresses exists."""

from collections.abc import Sequence
from typing import Annotated, Final
from urllib.parse import urlsplit

from litestar import MediaType, Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter

from finassist.domain.errors import NotFound
from finassist.entrypoints.http.openapi.description import raises
from finassist.entrypoints.http.responses.caching import NOT_MODIFIED, IfNoneMatch
from finassist.entrypoints.http.responses.content_security import source_of
from finassist.entrypoints.http.responses.static_files import StaticFile, digest_of, read_files, serve
from finassist.entrypoints.http.web.pages import (
    BEGINNING,
    LANGUAGE_FILES,
    STYLES,
    WEB_FILES,
    WORDS,
    AcceptLanguage,
    ChosenLanguage,
    Words,
    words_for,
)

_PAGE: Final = "index.html"
_WITHIN_PAGE: Final = (_PAGE, "style.css", "theme.js")
_TAGS: Final = ("Chat page",)
_FILE: Final = ResponseSpec(
    data_container=bytes,
    media_type="*/*",
    generate_examples=False,
    description="The file, as what it is: a script, an image or the words in a language.",
)


def chat_page(image_address: str = "") -> Sequence[HTTPRouteHandler]:
    """The routes of the page. ``image_address`` is where files come from when that is not HTTPS."""
    read = {**read_files(WEB_FILES), **read_files(LANGUAGE_FILES)}
    files = {name: file for name, file in read.items() if name not in _WITHIN_PAGE}
    pages = {language: _in_words(read[_PAGE], words) for language, words in WORDS.items()}
    headers = {"Content-Security-Policy": page_policy(image_address), "Vary": "Accept-Language, Cookie"}

    @get(
        "/",
        summary="Open the chat page",
        description="The chat page that ships with the service, in the reader's language when it has it.",
        tags=_TAGS,
        media_type=MediaType.HTML,
        sync_to_thread=False,
        responses={**NOT_MODIFIED, **raises("VALIDATION_ERROR")},
    )
    def get_chat_page(
        if_none_match: IfNoneMatch = None,
        accept_language: AcceptLanguage = "",
        chosen_language: ChosenLanguage = "",
    ) -> Response[str]:
        return serve(pages[words_for(accept_language, chosen_language).language], if_none_match, headers)

    @get(
        "/web/{file:path}",
        summary="Load a file of the chat page",
        description="A script, an image or the words of the chat page.",
        tags=_TAGS,
        sync_to_thread=False,
        responses={200: _FILE, **NOT_MODIFIED, **raises("VALIDATION_ERROR", "NOT_FOUND")},
    )
    def get_web_file(
        name: Annotated[str, PathParameter(name="file", description="The file's name.")],
        if_none_match: IfNoneMatch = None,
    ) -> Response[bytes]:
        if (file := files.get(name.lstrip("/"))) is None:
            raise NotFound("file")
        return serve(file, if_none_match)

    return get_chat_page, get_web_file


def _in_words(page: StaticFile, words: Words) -> StaticFile:
    content = words.put_into(page.content.decode()).encode()
    return page._replace(content=content, digest=digest_of(content))


def page_policy(image_address: str) -> str:
    """The page's Content-Security-Policy: own scripts, the styles and the script that are in it, no HTML from
    strings, nothing embedded, no plain form. Quote images and attachments come from wherever the operator
    keeps them."""
    parts = urlsplit(image_address)
    plain = f" {parts.scheme}://{parts.netloc}" if parts.scheme == "http" else ""
    return (
        f"default-src 'none'; script-src 'self' {source_of(BEGINNING)}; style-src {source_of(STYLES)}; "
        "connect-src 'self'; manifest-src 'self'; "
        f"img-src 'self' blob: https:{plain}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
