"""What the figures of many users say."""

from benchmarks.lists.users import FEW, MORE, figures


def test_an_operation_with_more_users_stands_beside_the_same_with_few() -> None:
    sizes = (FEW, *MORE)
    rates = {(name, size): 100.0 for size in sizes for name in ("list", "chat")} | {("list", MORE[1]): 50.0}
    rows = figures(rates)
    assert [row.what.partition(":")[0] for row in rows] == ["list", "list", "chat", "chat"]
    assert [row.compared for row in rows] == [f"{n} times as long" for n in ("1.00", "2.00", "1.00", "1.00")]
    assert [row.met for row in rows] == [True, False, True, True]
    assert rows[1].measured == "20.00 ms"
    assert rows[1].baseline == f"{FEW:,} users 10.00 ms"
