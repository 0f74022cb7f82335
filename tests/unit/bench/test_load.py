"""The figures of a load."""

import asyncio

import pytest
from benchmarks.load import WrongAnswer, has_failed, percentile


@pytest.mark.parametrize(
    ("times", "percent", "expected"),
    [
        ([], 50, 0.0),
        ([3.0], 99, 3.0),
        ([3.0, 1.0, 2.0], 50, 2.0),
        ([4.0, 1.0, 2.0, 3.0], 50, 2.0),
        ([float(n) for n in range(1, 101)], 99, 99.0),
        ([float(n) for n in range(1, 201)], 99, 198.0),
        ([1.0, 2.0], 0, 1.0),
    ],
)
def test_a_percentile_is_one_of_the_times(times: list[float], percent: float, expected: float) -> None:
    assert percentile(times, percent) == expected


async def test_a_stream_has_failed_when_it_ended_with_an_exception() -> None:
    open_still, over, failed = (asyncio.get_running_loop().create_future() for _ in range(3))
    over.set_result(None)
    failed.set_exception(WrongAnswer("The connection was closed."))
    assert [has_failed(each) for each in (open_still, over, failed)] == [False, False, True]
