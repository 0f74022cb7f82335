"""The hosted page in a real Chromium."""

from typing import Any

from e2e.chromium import Browser

ANN = {"email": "ann@example.org", "password": "Secret-123", "name": "Ann <b>"}


async def test_a_person_signs_up_out_and_in_again_on_a_phone(start_server: Any, browser: Browser) -> None:
    server = await start_server()
    browser.open(f"{server.address}/api/v1/auth/login/social?state=mine")
    assert browser.text("h1") == "Sign in to finassist"
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth") is True

    browser.click("summary")
    browser.type("#new-name", ANN["name"])
    browser.type("#new-email", ANN["email"])
    browser.type("#new-password", "lowercase1")
    browser.click("#signup")
    browser.wait_for("[role=alert]", "Password: Must have an uppercase letter.")
    assert browser.run("return document.querySelector('#new-name').value") == ANN["name"]

    browser.type("#new-password", ANN["password"])
    browser.click("#signup")
    browser.wait_for("h1", "You are signed in")
    assert browser.url == f"{server.address}/auth/complete"
    assert "access_token" not in browser.run("return document.documentElement.outerHTML.split('<script>')[0]")

    browser.open(f"{server.address}/api/v1/auth/login/social")
    browser.type("#email", ANN["email"])
    browser.type("#password", "Wrong1234")
    browser.click("#signin")
    browser.wait_for("[role=alert]", "The email or the password is wrong.")
    browser.type("#password", ANN["password"])
    browser.click("#signin")
    browser.wait_for("h1", "You are signed in")
    assert browser.complaints() == []


async def test_the_tokens_reach_a_frontend_on_another_origin(start_server: Any, browser: Browser) -> None:
    frontend = await start_server()
    callback = f"{frontend.address}/auth/complete"
    server = await start_server(FRONTEND_CALLBACK_URL=callback)
    browser.open(f"{server.address}/api/v1/auth/login/social?state=mine")
    browser.click("summary")
    for field in ("name", "email", "password"):
        browser.type(f"#new-{field}", ANN[field])
    browser.click("#signup")

    browser.wait_for("h1", "You are signed in")
    assert browser.url == callback
    assert browser.complaints() == []


async def test_a_failed_sign_in_is_told_without_being_run(start_server: Any, browser: Browser) -> None:
    server = await start_server()
    browser.open(f"{server.address}/auth/complete#error=x&error_description=%3Cimg src=x onerror=alert(1)%3E")

    browser.wait_for("h1", "Sign-in failed")
    assert browser.text("p") == "<img src=x onerror=alert(1)>"
    assert browser.run("return document.querySelector('img')") is None
