"""Fields that clients may spell in two ways (contract section 1), wherever they are in a body.

The second spellings of a struct's fields are its ``aliases``, each with the first spelling.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec

from finassist.domain.errors import FieldError


def alternatives(annotation: Any) -> Iterator[Any]:
    """The types that an annotation allows, without their constraints."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from alternatives(get_args(annotation)[0])
    elif origin in (Union, UnionType):
        for member in get_args(annotation):
            yield from alternatives(member)
    else:
        yield annotation


def apply_aliases(value: Any, shape: Any) -> tuple[dict[str, str], list[FieldError]]:
    """Rename the second spellings in a decoded value of this shape to the first.

    Returns which were used, by the paths of the first (``embeds[2].categoryId``), and which differ from the
    first.
    """
    used: dict[str, str] = {}
    errors: list[FieldError] = []
    _rename(value, shape, "", used, errors)
    return used, errors


def as_spelled(errors: Iterable[FieldError], used: Mapping[str, str]) -> list[FieldError]:
    """The errors with the names that the client used."""
    return [FieldError(used.get(each.field, each.field), each.message) for each in errors]


def _rename(value: Any, shape: Any, path: str, used: dict[str, str], errors: list[FieldError]) -> None:
    if not isinstance(value, dict):
        return
    for alias, name in getattr(shape, "aliases", {}).items():
        if alias not in value:
            continue
        given = value.pop(alias)
        if name not in value:
            value[name] = given
            used[path + name] = path + alias
        elif value[name] != given or type(value[name]) is not type(given):
            errors.append(FieldError(path + alias, f"Must not differ from {path}{name}."))
    for name, item_shape in _lists_of(shape):
        items = value.get(name)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            _rename(item, item_shape, f"{path}{name}[{index}].", used, errors)


@cache
def _lists_of(shape: Any) -> tuple[tuple[str, Any], ...]:
    """The fields of a struct that are lists of structs which have aliases, with these structs."""
    if not (isinstance(shape, type) and issubclass(shape, msgspec.Struct)):
        return ()
    return tuple(
        (field.encode_name, item)
        for field in msgspec.structs.fields(shape)
        for kind in alternatives(field.type)
        if get_origin(kind) is list and getattr(item := get_args(kind)[0], "aliases", None)
    )
