"""Headers that routes of several features read."""

from typing import Annotated

from litestar.params import HeaderParameter

from finassist.application.auth.sign_in import SigningDevice
from finassist.domain.users import Platform
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.security import DEVICE_ID_PATTERN, DEVICE_TOKEN

_DEVICE_ID = HeaderParameter(
    name="x-device-id",
    pattern=DEVICE_ID_PATTERN,
    description="The device, 1 to 128 printable ASCII characters; the client makes it up once.",
)

DeviceId = Annotated[str, _DEVICE_ID]
OptionalDeviceId = Annotated[str | None, _DEVICE_ID]
SentPlatform = Annotated[Platform, HeaderParameter(name="x-platform")]
OptionalPlatform = Annotated[
    Platform | None, HeaderParameter(name="x-platform", description="Where the client runs.")
]


def signing_device(request: AnyRequest, device_id: str | None, platform: Platform | None) -> SigningDevice:
    """The device of a sign-in or a refresh, as these headers name it."""
    address, token = request.scope["state"]["address"], request.headers.get(DEVICE_TOKEN)
    return SigningDevice(device_id, platform, address, token)
