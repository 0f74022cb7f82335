"""``finassist keys`` and ``finassist users``: the built-in identity provider (contract section 12)."""

import argparse
import asyncio
import getpass
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from finassist.config import Settings, SettingsError

if TYPE_CHECKING:
    from finassist.composition.application import Finassist


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the commands to the command line."""
    keys = commands.add_parser("keys", help="signing keys of the built-in identity provider")
    rotate = keys.add_subparsers(required=True, metavar="COMMAND").add_parser(
        "rotate", help="sign with a new key; old tokens stay valid until they expire"
    )
    rotate.set_defaults(run=_rotate_keys)

    users = commands.add_parser("users", help="accounts of the built-in identity provider")
    set_password = users.add_subparsers(required=True, metavar="COMMAND").add_parser(
        "set-password", help="replace a password, read from the terminal or from standard input"
    )
    set_password.add_argument("email", help="the email of the account")
    set_password.set_defaults(run=_set_password)


def _rotate_keys(settings: Settings, _: argparse.Namespace) -> int:
    async def rotate(finassist: "Finassist") -> None:
        print(f"New tokens are signed with the key {await finassist.rotate_keys()}.")

    return _run(settings, rotate)


def _set_password(settings: Settings, chosen: argparse.Namespace) -> int:
    if sys.stdin.isatty():
        password = getpass.getpass(f"New password for {chosen.email}: ")
    else:
        password = sys.stdin.readline().rstrip("\r\n")

    async def set_password(finassist: "Finassist") -> None:
        await finassist.set_password(chosen.email, password)
        print("The password is changed, and the sessions of its user have ended.")

    return _run(settings, set_password)


def _run(settings: Settings, command: "Callable[[Finassist], Awaitable[None]]") -> int:
    if settings.identity_provider != "local":
        raise SettingsError({"IDENTITY_PROVIDER": "this command is for the built-in provider, local"})
    from finassist.composition.container import open_container

    async def run() -> None:
        async with open_container(settings) as finassist:
            await command(finassist)

    asyncio.run(run())
    return 0
