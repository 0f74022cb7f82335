"""The decoding process: it reads files from its standard input, one after the other.

It has no secrets and stores nothing. Its memory is limited, and so are the computing and the time for each
file: after them an alarm ends the process, even when the service that started it is gone.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO, Final

from finassist.adapters.decoding.pictures import avatar, inspect_picture, reduced
from finassist.adapters.decoding.wire import Refused, receive, send
from finassist.domain.files.content import WORD, WORKBOOK

MEMORY_BYTES: Final = 2**30
"""Of addresses; a WebP of 40 megapixels that has to be turned takes 800 MB of it, a PDF 100."""

_FILE_BYTES: Final = 128 * 2**20
_NICE: Final = 5
_TOO_LARGE: Final = "Takes too much memory to read."
_INSPECTED_CHARACTERS: Final = 100_000
"""Of a text file: more than a model is ever shown of one."""
_WEB_PAGES: Final = frozenset(("text/html", "application/xhtml+xml"))

Answer = tuple[dict[str, Any], bytes]


def main() -> None:
    """Answer until the input ends."""
    jobs = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())  # libraries may print what they like
    _limit_resources()
    send(answers, {})
    os.dup2(nowhere, sys.stderr.fileno())
    while _serve(jobs, answers):
        pass


def _serve(jobs: BinaryIO, answers: BinaryIO) -> bool:
    """Answer one job; False when there are no more. Nothing of it is kept."""
    received = receive(jobs)
    if received is None:
        return False
    job, content = received
    signal.setitimer(signal.ITIMER_REAL, job["seconds"])
    signal.setitimer(signal.ITIMER_PROF, job["job_seconds"])
    head, payload = _answer(job, content)
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    send(answers, head, payload)
    return True


def _limit_resources() -> None:
    import resource

    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, _FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # not every system limits everything
            resource.setrlimit(kind, (most, most))
    os.nice(_NICE)


def _answer(job: Mapping[str, Any], content: bytes) -> Answer:
    source = Path(job["path"]) if job["path"] else content
    try:
        return _WORK[job["work"]](source, job)
    except Refused as refused:
        return {"refused": str(refused)}, b""
    except MemoryError:
        return {"refused": _TOO_LARGE}, b""
    except OSError as error:
        return {"failed": str(error.strerror)}, b""


def _image(source: bytes | Path, job: Mapping[str, Any]) -> Answer:
    content = _bytes_of(source)
    picture = inspect_picture(content, job["type"])
    head = {"width": picture.width, "height": picture.height, "size": len(picture.content)}
    if isinstance(source, bytes):
        return head, picture.content
    if picture.content != content:
        _replace(source, picture.content)
    return head, b""


def _avatar(source: bytes | Path, job: Mapping[str, Any]) -> Answer:
    return {}, avatar(_bytes_of(source), job["type"])


def _reduced(source: bytes | Path, job: Mapping[str, Any]) -> Answer:
    return {}, reduced(_bytes_of(source), job["type"], job["side_max"])


def _pdf(source: bytes | Path, job: Mapping[str, Any]) -> Answer:
    from finassist.adapters.decoding.documents import inspect_document  # not all need it

    return {"pages": inspect_document(source)}, b""


def _text(source: bytes | Path, job: Mapping[str, Any]) -> Answer:
    _read(source, job["type"], _INSPECTED_CHARACTERS)
    return {}, b""


def _document_text(source: bytes | Path, job: Mapping[str, Any]) -> Answer:
    return _read(source, job["type"], job["characters_max"]), b""


def _statement(source: bytes | Path, job: Mapping[str, Any]) -> Answer:
    import msgspec

    from finassist.adapters.decoding.statements.formats import statement_in  # not all need it

    found = statement_in(source, job["type"])
    return {}, b"" if found is None else msgspec.json.encode(found)


def _read(source: bytes | Path, mime_type: str, characters_max: int) -> dict[str, Any]:
    """The text of a file. What reads it is imported when it is needed: some of it is slow to import."""
    if mime_type == "application/pdf":
        from finassist.adapters.decoding.documents import document_text

        return document_text(source, characters_max)
    if mime_type == WORD:
        from finassist.adapters.decoding.word import word_text

        return word_text(source, characters_max)
    if mime_type == WORKBOOK:
        from finassist.adapters.decoding.workbooks import workbook_text

        return workbook_text(source, characters_max)
    from finassist.adapters.decoding.texts import plain_text, web_page_text

    read = web_page_text if mime_type in _WEB_PAGES else plain_text
    return read(_bytes_of(source), characters_max)


def _bytes_of(source: bytes | Path) -> bytes:
    return source if isinstance(source, bytes) else source.read_bytes()


def _replace(path: Path, content: bytes) -> None:
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as draft:
        draft.write(content)
    os.replace(draft.name, path)


_WORK: Final[Mapping[str, Callable[[bytes | Path, Mapping[str, Any]], Answer]]] = {
    "image": _image,
    "pdf": _pdf,
    "text": _text,
    "avatar": _avatar,
    "reduced": _reduced,
    "document text": _document_text,
    "statement": _statement,
}

if __name__ == "__main__":
    main()
