"""The interface description holds against a fuzzer that knows nothing else (contract section 11).

It is `make fuzz` with fewer requests, always the same.
"""

import pytest

from outside.fuzz import SHORT, fuzz

NO_ISSUER = "POST /api/v1/auth/social"
"""Takes tokens of social providers alone, of which the fuzzed server knows none."""


@pytest.mark.timeout(300)
async def test_no_answer_is_an_error_of_the_server_or_one_that_the_description_does_not_name() -> None:
    found = await fuzz(*SHORT)

    assert found.status == 0, found.report
    assert found.errors == []
    assert found.requests > 4000
    never = [name for name, answers in found.answers.items() if not answers.keys() & {200, 201, 302, 303}]
    assert never == [NO_ISSUER]
