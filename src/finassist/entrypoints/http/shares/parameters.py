"""The id in the paths of shares."""

from typing import Annotated

from litestar.params import PathParameter

from finassist.domain.shares import SHARE_ID_MAX, SHARE_ID_MIN

ShareId = Annotated[
    str,
    PathParameter(
        name="shareId",
        min_length=SHARE_ID_MIN,
        max_length=SHARE_ID_MAX,
        description="The share's id, the end of its address.",
    ),
]
