"""The encoder's files of weights, memory-mapped so that all processes share their pages.

They have the layout of safetensors: the length of a header (eight bytes), the header in JSON (each array's
type, shape and place), and the arrays. ``training/sentence_encoder.py`` writes the encoder, and
``query_encoder.py`` and ``help_encoder.py`` the layers that were tuned.
"""

import math
import mmap
import zlib
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, Annotated, Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from finassist.adapters.embeddings.minilm.wordpiece import Vocabulary
from finassist.domain.errors import EmbeddingError

Arrays = Mapping[str, NDArray[Any]]

_LENGTH_BYTES: Final = 8
_HEADER_MAX: Final = 100_000
_CHUNK: Final = 1 << 20
_TYPES: Final[Mapping[str, np.dtype[Any]]] = {
    "F32": np.dtype("<f4"),
    "I32": np.dtype("<i4"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
}

Place = Annotated[int, msgspec.Meta(ge=0)]


class _Array(msgspec.Struct, frozen=True):
    dtype: str
    shape: tuple[Place, ...]
    data_offsets: tuple[Place, Place]


class _Metadata(msgspec.Struct, frozen=True):
    crc32: str
    """Of the arrays; in hexadecimal, because safetensors allows only texts here."""


def read_weights(file: Traversable) -> Arrays:
    """The arrays by name, read-only. Raises EmbeddingError when the file is missing or not whole."""
    try:
        with file.open("rb") as stream:
            return _arrays(_content(file, stream), stream)
    except OSError as error:
        raise unusable(f"{file} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise unusable(f"{file} is damaged ({error})") from error


def vocabulary(arrays: Arrays) -> Vocabulary:
    """The vocabulary in the arrays. Raises EmbeddingError when there is none."""
    try:
        text, ends, ids = (arrays[f"vocabulary.{part}"] for part in ("text", "ends", "ids"))
    except KeyError as error:
        raise unusable(f"the file lacks {error}") from error
    return Vocabulary(text.data, ends.data, ids.data, token_max=int(np.diff(ends, prepend=0).max()))


def unusable(why: str) -> EmbeddingError:
    """The error for files that the encoder cannot work with."""
    advice = "Install finassist again, or configure another embedder or none."
    message = f"The sentence encoder has no weights: {why}. {advice}"
    return EmbeddingError(message, kind="weights", retryable=False)


def _content(file: Traversable, stream: IO[bytes]) -> mmap.mmap | bytes:
    """The bytes of the file: mapped, or private memory when the package is in a zip."""
    if isinstance(file, Path):
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    return stream.read()


def _arrays(content: mmap.mmap | bytes, stream: IO[bytes]) -> Arrays:
    begin = _LENGTH_BYTES + int.from_bytes(content[:_LENGTH_BYTES], "little")
    if not _LENGTH_BYTES < begin <= min(len(content), _HEADER_MAX):
        raise ValueError("no header")
    header = msgspec.json.decode(content[_LENGTH_BYTES:begin], type=dict[str, msgspec.Raw])
    metadata = msgspec.json.decode(header.pop("__metadata__", b"{}"), type=_Metadata)
    if _checksum(stream, begin) != metadata.crc32:
        raise ValueError("wrong checksum")
    return {name: _array(content, begin, raw) for name, raw in header.items()}


def _checksum(stream: IO[bytes], begin: int) -> str:
    """CRC-32 of the file from ``begin`` on; read, not mapped, so that unused pages take no memory."""
    checksum = 0
    stream.seek(begin)
    while chunk := stream.read(_CHUNK):
        checksum = zlib.crc32(chunk, checksum)
    return f"{checksum:08x}"


def _array(content: mmap.mmap | bytes, begin: int, raw: msgspec.Raw) -> NDArray[Any]:
    array = msgspec.json.decode(raw, type=_Array)
    dtype = _TYPES.get(array.dtype)
    if dtype is None:
        raise ValueError(f"unknown type {array.dtype}")
    first, last = array.data_offsets
    count = math.prod(array.shape)
    if last - first != count * dtype.itemsize:
        raise ValueError("an array of another size than its shape says")
    return np.frombuffer(content, dtype, count, begin + first).reshape(array.shape)
