"""The request bodies of the profile routes."""

from finassist.entrypoints.http.requests.bodies import Body


class EraseRequest(Body):
    """The password of the account; it may be left out after a sign-in in the last five minutes, and guests
    have none."""

    password: str | None = None
