"""The one document that health checks write."""

from datetime import datetime
from typing import Final

from beanie import Document

from finassist.adapters.mongo.engine.documents import DocumentSettings


class ProbeDocument(Document):
    """When a process was last found ready."""

    id: str  # type: ignore[assignment]
    written_at: datetime

    class Settings(DocumentSettings):
        name = "probes"


PROBE_DOCUMENTS: Final = (ProbeDocument,)
