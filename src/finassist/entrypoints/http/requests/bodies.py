"""The base of all request bodies. It needs no web framework: seed files are read with the same shapes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import msgspec

from finassist.domain.errors import FieldError

Check: TypeAlias = Callable[[Any, Mapping[str, Any]], Iterable[FieldError]]
"""Finds what is wrong with several fields of a JSON object together, of which nothing is known yet. It gets
the request, whose type is the web framework's, and the object."""


class Body(msgspec.Struct, rename="camel"):
    """Base of all request bodies. Unknown fields are ignored.

    ``aliases`` maps a field's second accepted spelling to the first. ``rules`` says for a text field what
    else is wrong with its value, in sentences. ``checks`` find what is wrong beyond the types of fields.
    ``late_checks`` repeat checks that the use case makes anyway: they run only when something else is
    wrong, so that one response lists every error. ``needed_in_json`` are the fields that only a form may
    leave out; a check says so.
    """

    aliases: ClassVar[Mapping[str, str]] = {}
    rules: ClassVar[Mapping[str, Callable[[str], Sequence[str]]]] = {}
    checks: ClassVar[Sequence[Check]] = ()
    late_checks: ClassVar[Sequence[Check]] = ()
    needed_in_json: ClassVar[Sequence[str]] = ()
