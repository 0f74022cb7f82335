"""The address of a share, as several routes and the export show it."""

from typing import Final

from finassist.entrypoints.http.responses.envelope import Link

PUBLIC_PATH: Final = "/api/v1/public/share"
SHORT_PATH: Final = "/shared"


def link_to(share_id: str, path: str = PUBLIC_PATH) -> Link:
    """The address of a share below a path, as the client of the request at hand can follow and pass it on."""
    return Link.of(f"{path}/{share_id}")
