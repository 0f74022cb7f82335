"""What the pages of the service are made of: files that are served as they are."""

from pathlib import Path
from typing import Final

WEB_FILES: Final = Path(__file__).parent / "files"
"""What the chat page is made of; pages of shares have its styles."""

STYLES: Final = (WEB_FILES / "style.css").read_text()
