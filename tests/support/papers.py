"""The papers of the examples, for tests that need some."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_spec = spec_from_file_location("papers_of_examples", Path(__file__).parents[2] / "examples" / "papers.py")
assert _spec is not None
assert _spec.loader is not None
_papers = module_from_spec(_spec)
_spec.loader.exec_module(_papers)

STATEMENT: list[list[str]] = _papers.STATEMENT
RECEIPT: list[str] = _papers.RECEIPT
pdf = _papers.pdf
photographed = _papers.photographed
