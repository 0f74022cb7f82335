"""Files of our pages, served as they are: with their type, an ETag, and compressed where they are kept so."""

import gzip
import hashlib
import re
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Annotated, Any, Final, NamedTuple

from litestar import Response
from litestar.params import HeaderParameter

from finassist.entrypoints.http.responses.caching import CACHE_CONTROL, has_current

AcceptEncoding = Annotated[str, HeaderParameter(name="Accept-Encoding")]

_COMPRESSED: Final = ".gz"
_GZIP_ACCEPTED: Final = re.compile(r"\b(x-)?gzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))", re.IGNORECASE)
_MEDIA_TYPES: Final = {
    ".css": "text/css",
    ".html": "text/html",
    ".json": "application/json",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


class StaticFile(NamedTuple):
    """A file of a page, its media type and the digest that its ETag has."""

    content: bytes
    media_type: str
    digest: str
    is_compressed: bool


def read_files(folder: Traversable) -> Mapping[str, StaticFile]:
    """The files of a folder that pages load, by name; those of its folders by ``folder/name``. ``.gz`` is not
    part of a name."""
    found: dict[str, StaticFile] = {}
    for path in folder.iterdir():
        if path.is_dir():
            found |= {f"{path.name}/{name}": file for name, file in read_files(path).items()}
            continue
        name = path.name.removesuffix(_COMPRESSED)
        _, dot, ending = name.rpartition(".")
        if (media_type := _MEDIA_TYPES.get(dot + ending)) is not None:
            content = path.read_bytes()
            found[name] = StaticFile(content, media_type, digest_of(content), name != path.name)
    return found


def digest_of(content: bytes) -> str:
    """What an ETag says of a content."""
    return hashlib.sha256(content).hexdigest()[:32]


def serve(
    file: StaticFile,
    if_none_match: str | None,
    headers: Mapping[str, str] | None = None,
    accept_encoding: str = "",
) -> Response[Any]:
    """The file, or 304 for a client that has it already."""
    all_headers = {"ETag": f'"{file.digest}"', "Cache-Control": CACHE_CONTROL, **(headers or {})}
    if file.is_compressed:
        # Weak: it stands for the file, compressed or not.
        all_headers |= {"ETag": f'W/"{file.digest}"', "Vary": "Accept-Encoding"}
    if if_none_match is not None and has_current(if_none_match, file.digest):
        return Response(None, status_code=304, headers=all_headers)
    content = file.content
    if file.is_compressed and _GZIP_ACCEPTED.search(accept_encoding):
        all_headers["Content-Encoding"] = "gzip"
    elif file.is_compressed:
        content = gzip.decompress(content)
    return Response(content, media_type=file.media_type, headers=all_headers)
