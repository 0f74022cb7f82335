"""Charts on the chat page: what is drawn, what the pointer reads, on paper, and in other languages."""

from typing import Any

from e2e.chat_page import LOAN, ask, barriers, open_page, press
from e2e.chromium import Browser
from e2e.conftest import Start
from engines.axe import axe_script

GROWTH = "What will 200 a month become at 5% over 10 years?"
DEPOSIT = "What will 1000 become at 5% over 10 years?"
PAYOFF = "I owe 2500 at 19% and 7000 at 8%, can pay 400 monthly. Snowball or avalanche?"
LAST = "[...document.querySelectorAll('.reply')].at(-1)"
LEGENDS = f"return [...{LAST}.querySelectorAll('.legend span')].map((node) => node.textContent)"
POINT = """
    const chart = [...document.querySelectorAll(".chart")].at(%d);
    chart.scrollIntoView({block: "center"});
    const {left, top, width} = chart.getBoundingClientRect();
    chart.dispatchEvent(new PointerEvent("pointermove", {clientX: left + width * %s, clientY: top + 50}));
    return [chart.nextElementSibling.textContent, chart.querySelectorAll(".guide").length];
"""
CHARTS = """
    return [...document.querySelectorAll(".chart")].map((node) => node.getAttribute("aria-label"));
"""


def rows(page: Browser) -> Any:
    script = f"return [...{LAST}.querySelectorAll('.plot tr')].map((row) => row.innerText.split('\\t'))"
    page.run(f"{LAST}.querySelector('.plot details').open = true")
    return page.run(script)


async def test_growth_loans_and_plans_are_drawn_and_read_with_the_pointer(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    ask(page, GROWTH)
    assert {"Paid in", "Return"} <= set(page.run(LEGENDS))
    assert rows(page)[1] == ["0", "0.00", "0.00", "0.00"]
    ask(page, DEPOSIT)
    assert rows(page)[1] == ["0", "1000.00", "0.00", "1000.00"]
    assert page.run(POINT % (-1, "0.01"))[0] == "Year 0 · Paid in 1,000.00 · Return 0.00 · Value 1,000.00"
    ask(page, PAYOFF)
    assert {"Avalanche balance", "Snowball balance"} <= set(page.run(LEGENDS))
    ask(page, LOAN)
    assert set(page.run(LEGENDS)) == {"Balance", "Interest", "Principal"}

    table = rows(page)
    assert table[0] == ["Year", "Interest", "Principal", "Balance"]
    told, guides = page.run(POINT % (-1, "0.5"))
    year = told.split(" · ")[0].removeprefix("Year ")
    row = next(each for each in table if each[0] == year)
    assert told == f"Year {year} · Interest {float(row[1]):,.2f} · Principal {float(row[2]):,.2f}"
    assert guides == 1
    assert page.run(POINT % (-1, "0.99"))[0].startswith("Year 25")
    labels = f"return [...{LAST}.querySelector('.chart').querySelectorAll('text')].map((n) => n.textContent)"
    assert {"0", "25", "Year"} <= set(page.run(labels))  # the balance, from its beginning to its end
    assert page.run(POINT % (-2, "0.01"))[0] == "Year 0 · Balance 250,000.00"
    leave = """
        const chart = [...document.querySelectorAll(".chart")].at(-1);
        chart.dispatchEvent(new PointerEvent("pointerleave", {pointerType: "mouse"}));
        return [chart.nextElementSibling.textContent, chart.querySelectorAll(".guide").length];
    """
    assert page.run(leave) == ["", 0]

    # On paper are the drawings, and nothing that is pressed.
    page.show_as("print")
    shown = "(name) => document.querySelector(`.plot ${name}`).checkVisibility()"
    assert page.run(f"return ['.chart', '.legend', '.actions', '.readout'].map({shown})") == [
        True,
        True,
        False,
        False,
    ]
    page.show_as("")


async def test_a_picture_of_a_chart_that_cannot_be_made_is_told_and_not_saved(
    start_server: Start, page: Browser
) -> None:
    open_page(page, await start_server())
    ask(page, LOAN)
    page.run("window.saved = 0; URL.createObjectURL = () => (window.saved++, 'blob:');")
    page.go_offline()
    press(page, "Save as PNG", ".plot")
    page.wait_for("dialog", "cannot be reached")
    assert page.run("return window.saved") == 0
    page.go_offline(False)


async def test_parts_and_units_are_named_in_the_language_of_the_page(
    start_server: Start, page: Browser
) -> None:
    server = await start_server()
    open_page(page, server)
    page.run("document.cookie = 'finassist_language=de'")
    page.reload()
    page.wait_for("#new", "Neuer Chat")
    ask(page, LOAN)
    assert rows(page)[0] == ["Jahr", "Zinsen", "Tilgung", "Saldo"]
    assert page.run(LEGENDS) == ["Saldo", "Zinsen", "Tilgung"]
    assert all("nach Jahr" in each for each in page.run(CHARTS))
    assert page.run(POINT % (-1, "0.99"))[0].startswith("Jahr 25 · Zinsen ")
    page.run(axe_script())
    assert barriers(page) == []
    page.run("document.cookie = 'finassist_language=;max-age=0'")
