"""Files that operators write: YAML and JSON, read into plain values.

YAML, because hidden texts run over many lines and need comments. PyYAML reads it with the safe loader, which
builds only plain values.
"""

from collections.abc import Hashable, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePath
from typing import Any, Final

import msgspec
import yaml  # type: ignore[import-untyped]

from finassist.adapters.data_files.links import _DATA
from finassist.domain.errors import ValidationFailed

_JSON: Final = ".json"
_YAML: Final = (".yaml", ".yml")


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Refuses what would be lost in silence: a key that comes twice."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for index, key in enumerate(keys):
            if key in keys[:index]:
                mark = node.value[index][0].start_mark
                raise yaml.constructor.ConstructorError(problem=f"the key {key} again", problem_mark=mark)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping


def read_seeds(name: str, text: bytes) -> Any:
    """The value that the file holds. Raises ValidationFailed, which names the file and the place."""
    suffix = PurePath(name).suffix.lower()
    if suffix == _JSON:
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValidationFailed.of(name, f"Is not valid JSON: {error}") from error
    if suffix in _YAML:
        try:
            return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
        except (yaml.YAMLError, RecursionError) as error:
            raise ValidationFailed.of(name, f"Is not valid YAML: {_reason(error)}") from error
    raise ValidationFailed.of(name, f"Must end in {_JSON} or {' or '.join(_YAML)}.")


def _reason(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    place = "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: "
    return f"{place}{getattr(error, 'problem', None) or type(error).__name__}"


def shipped_seeds() -> Sequence[Traversable]:
    """The files that ``finassist seed`` loads when none is named."""
    return sorted((files(_DATA) / "seeds").iterdir(), key=lambda file: file.name)
