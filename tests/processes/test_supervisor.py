"""Several workers: signals, replacement, failure."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

WORKER = """
import os, pathlib, signal, sys, time
from finassist.entrypoints.server.supervisor import Supervisor

obstacle = pathlib.Path(__file__).with_name("obstacle")

def work(kind, report_ready):
    signal.signal(signal.SIGTERM, lambda *_: None if kind == "stubborn" else sys.exit(0))
    fails = obstacle.exists()  # before the test learns of it
    os.write(1, b"%d\\n" % os.getpid())  # in one piece: two workers share the pipe
    if fails:
        sys.exit(3)
    report_ready()
    os.write(1, b"ready\\n")
    while True:
        time.sleep(0.05)

if __name__ == "__main__":
    sys.exit(Supervisor(work, sys.argv[1], workers=2).run())
"""

Start = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    script = tmp_path / "workers.py"
    script.write_text(WORKER)
    started: list[subprocess.Popen[str]] = []

    def start(kind: str) -> "subprocess.Popen[str]":
        command = [sys.executable, str(script), kind]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def next_worker(process: "subprocess.Popen[str]") -> int:
    assert process.stdout is not None
    while (line := process.stdout.readline()) == "ready\n":
        pass
    return int(line)


def ready_workers(process: "subprocess.Popen[str]") -> list[int]:
    """Both workers, once both are ready."""
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(4)]
    assert lines.count("ready\n") == 2
    return [int(line) for line in lines if line != "ready\n"]


def until_ready(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    while process.stdout.readline() != "ready\n":
        pass


def test_a_signal_ends_all_workers_and_the_status_is_zero(start: Start) -> None:
    process = start("obedient")
    workers = [next_worker(process), next_worker(process)]
    process.terminate()
    assert process.wait(30) == 0
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_a_second_signal_kills(start: Start) -> None:
    process = start("stubborn")
    workers = [next_worker(process), next_worker(process)]
    process.terminate()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 128 + signal.SIGINT
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_a_killed_worker_is_replaced(start: Start) -> None:
    process = start("obedient")
    first, second = next_worker(process), next_worker(process)
    os.kill(first, signal.SIGKILL)
    assert next_worker(process) not in (first, second)
    process.terminate()
    assert process.wait(30) == 0


def test_a_worker_that_fails_by_itself_ends_them_all_with_its_status(start: Start, tmp_path: Path) -> None:
    (tmp_path / "obstacle").touch()
    assert start("obedient").wait(30) == 3


def test_once_one_was_ready_a_worker_that_fails_is_tried_again_and_the_others_go_on(
    start: Start, tmp_path: Path
) -> None:
    process = start("obedient")
    workers = ready_workers(process)
    (tmp_path / "obstacle").touch()
    os.kill(workers[0], signal.SIGKILL)
    failed = [next_worker(process), next_worker(process)]  # its replacement, and the next try
    os.kill(workers[1], 0)
    (tmp_path / "obstacle").unlink()
    replacement = next_worker(process)
    until_ready(process)
    assert len({*workers, *failed, replacement}) == 5
    process.terminate()
    assert process.wait(30) == 0


def test_a_signal_ends_a_service_whose_workers_all_wait_for_their_next_try(
    start: Start, tmp_path: Path
) -> None:
    process = start("obedient")
    workers = ready_workers(process)
    (tmp_path / "obstacle").touch()
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    for _ in range(4):
        next_worker(process)
    process.terminate()
    assert process.wait(30) == 0


def test_workers_end_when_their_supervisor_is_killed(start: Start) -> None:
    process = start("obedient")
    next_worker(process), next_worker(process)
    process.kill()
    assert process.stdout is not None
    assert set(process.stdout.read().split()) <= {
        "ready"
    }  # comes to its end when the last worker has closed it
