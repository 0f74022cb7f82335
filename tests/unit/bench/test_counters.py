"""What is read from callgrind's dump."""

from benchmarks.counted.counters import calls_of, instructions
from benchmarks.counted.work import Work

_DUMP = """\
events: Ir
ob=(1) libpython
fn=(1) reads
16 400
cfn=(2) malloc
calls=3 16
16 90
cfn=(3) malloc_usable_size
calls=5 16
16 10
fn=(2)
20 90
cfn=(4) sysmalloc
calls=1 16
20 10
fn=(5) writes
cfn=(2)
calls=2 16
16 60
cfn=(6) realloc
calls=7 16
16 60
totals: 12345
""".splitlines()


def test_all_instructions_are_counted() -> None:
    assert instructions(_DUMP) == 12345


def test_calls_are_counted_by_the_whole_name_wherever_it_was_met_first() -> None:
    assert calls_of({"malloc", "realloc"}, _DUMP) == 3 + 2 + 7
    assert calls_of({"calloc"}, _DUMP) == 0


def test_a_token_takes_what_a_longer_reply_takes_more() -> None:
    assert Work(chat=10_000, short=1_000).token == 100
