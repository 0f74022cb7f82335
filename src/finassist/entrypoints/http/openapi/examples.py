"""Examples of requests and responses, read from the packages of their routes.

The example of a request is on the handler's decorator (``request_example``). Those of responses are long, and
are in the file ``response_examples.json`` of the feature's package, by operation id.
"""

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar.handlers import HTTPRouteHandler

_RESPONSES: Final = "response_examples.json"
_JSON: Final = "application/json"


def show_examples(handler: HTTPRouteHandler, operation: dict[str, Any]) -> None:
    """Add the handler's examples to its operation, in place."""
    if (example := handler.opt.get("request_example")) is not None:
        next(iter(operation["requestBody"]["content"].values()))["example"] = example
    package = Path(str(sys.modules[handler.fn.__module__].__file__)).parent
    if (example := _responses_of(package).get(operation["operationId"])) is not None:
        for status, response in operation["responses"].items():
            if status.startswith("2") and _JSON in response.get("content", {}):
                response["content"][_JSON]["example"] = example


@cache
def _responses_of(package: Path) -> Mapping[str, Any]:
    file = package / _RESPONSES
    examples: Mapping[str, Any] = msgspec.json.decode(file.read_bytes()) if file.exists() else {}
    return examples
