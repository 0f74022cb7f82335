"""The command line (contract section 12)."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence

from finassist.config import Settings, SettingsError
from finassist.domain.errors import FinassistError, ValidationFailed
from finassist.entrypoints.cli import (
    backup as cli_backup,
)
from finassist.entrypoints.cli import (
    check as cli_check,
)
from finassist.entrypoints.cli import (
    identity as cli_identity,
)
from finassist.entrypoints.cli import (
    knowledge as cli_knowledge,
)
from finassist.entrypoints.cli import (
    move as cli_move,
)
from finassist.entrypoints.cli import (
    seed as cli_seed,
)
from finassist.entrypoints.cli import (
    verify as cli_verify,
)

FAILED = 1
WRONG_SETTINGS = 2

# Commands import the container and the server when they run: `--help` should not wait for them.


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 1 when it failed, 2 when it was called wrongly."""
    chosen = _parser().parse_args(arguments)
    flags = {name: value for name in ("HOST", "PORT", "WORKERS") if (value := getattr(chosen, name, None))}
    try:
        settings = Settings.from_env(os.environ | flags)
        if not getattr(chosen, "restores", False):
            _require_restored(settings)
        status: int = chosen.run(settings, chosen)
        sys.stdout.flush()
    except SettingsError as error:
        print(error, file=sys.stderr)
        return WRONG_SETTINGS
    except ValidationFailed as error:
        for each in error.errors:
            print(f"{each.field}: {each.message}", file=sys.stderr)
        return FAILED
    except FinassistError as error:
        print(f"finassist: {error.message}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # ``| head`` has seen enough; the interpreter must not flush into it at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        print(f"finassist: {error}", file=sys.stderr)
        return FAILED
    return status


def _require_restored(settings: Settings) -> None:
    """Raise Conflict for data that a restore did not finish: a command would go on with an empty database."""
    if settings.data_dir.is_dir():
        from finassist.composition.backups import require_finished

        require_finished(settings.data_dir)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="finassist", description="A personal-finance assistant's backend.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="serve HTTP until SIGTERM")
    for name, meaning in (("host", "address to listen on"), ("port", "port, 0 for a free one")):
        serve.add_argument(f"--{name}", dest=name.upper(), help=meaning)
    serve.add_argument("--workers", dest="WORKERS", help="number of processes")
    serve.set_defaults(run=_serve)

    cli_backup.add_commands(commands)
    cli_check.add_commands(commands)
    cli_verify.add_commands(commands)
    cli_move.add_commands(commands)

    quota = commands.add_parser("quota", help="free messages").add_subparsers(
        required=True, metavar="COMMAND"
    )
    grant = quota.add_parser("grant", help="add free messages to a user's allowance")
    grant.add_argument("user", help="user id, or an email that one user has, and has verified")
    grant.add_argument("messages", type=_messages, help="number of messages; a negative number subtracts")
    grant.set_defaults(run=_grant_quota)

    cli_identity.add_commands(commands)
    cli_seed.add_commands(commands)
    cli_knowledge.add_commands(commands)
    return parser


def _messages(text: str) -> int:
    number = int(text)
    if abs(number) > 1_000_000:
        raise argparse.ArgumentTypeError("at most 1000000 at once")
    return number


def _serve(settings: Settings, _: argparse.Namespace) -> int:
    from finassist.entrypoints.server.starting import serve

    return serve(settings)


def _grant_quota(settings: Settings, chosen: argparse.Namespace) -> int:
    from finassist.composition.container import open_container

    async def grant() -> None:
        async with open_container(settings) as finassist:
            allowance = await finassist.grant_quota(chosen.user, chosen.messages)
        print(f"{chosen.user}: {allowance.remaining} of {allowance.total} messages left.")

    asyncio.run(grant())
    return 0
