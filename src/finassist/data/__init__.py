"""Data that ships with the service: articles, texts, word lists, fitted weights. The only code here reads
them."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def shipped(name: str) -> Any:
    """The content of a JSON file by its name, ``shipped("retrieval/lexical")``: a list of words, or numbers
    that a script of ``training`` fitted.

    The domain reads no other files: these are constants, and too many to be kept in code.
    """
    return json.loads((files(__name__) / f"{name}.json").read_text("utf-8"))
