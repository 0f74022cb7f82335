"""A load balancer for the tests: HAProxy, Debian's package, with the configuration that docs/operations.md
names."""

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engines import missing
from waiting import wait_until

CONFIGURATION = Path(__file__).parents[2] / "examples" / "haproxy.cfg"
MISSING = "no HAProxy: run `make engines` as root, or install Debian's package haproxy"


@contextmanager
def balancer(addresses: Sequence[str], folder: Path) -> Iterator[str]:
    """The address of a balancer in front of these; skips the test when there is none."""
    program = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
    if program is None:
        missing(MISSING)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    file = folder / "haproxy.cfg"
    file.write_text(configuration(address, addresses))
    process = subprocess.Popen([program, "-db", "-q", "-f", str(file)])
    try:
        _wait_for(process, address)
        yield f"http://{address}"
    finally:
        process.kill()
        process.wait()


def configuration(address: str, addresses: Sequence[str]) -> str:
    """The shipped file, with other addresses and room for a test."""
    text, bound = re.subn(r"bind :8080", f"bind {address}", CONFIGURATION.read_text())
    text = text.replace("maxconn 20000", "maxconn 1000")  # it has to be allowed as many open files
    text, listed = re.subn(r"(?m)^ *server .*\n", "", text)
    assert (bound, listed) == (1, 3), "the shipped configuration names one address and three hosts"
    servers = (f"    server host{n} {each.removeprefix('http://')}" for n, each in enumerate(addresses))
    return text + "\n".join(servers) + "\n"


def _wait_for(process: "subprocess.Popen[bytes]", address: str) -> None:
    host, _, port = address.partition(":")

    def listens() -> bool:
        assert process.poll() is None, f"HAProxy ended with status {process.returncode}"
        socket.create_connection((host, int(port)), timeout=1).close()
        return True

    wait_until(listens, ignored=OSError)
