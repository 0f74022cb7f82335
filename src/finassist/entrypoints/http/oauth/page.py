"""The pages of the hosted login: plain HTML that a phone, a screen reader and a browser without script
can show. Nothing is loaded from elsewhere, and every value is escaped."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final
from urllib.parse import urlsplit

from finassist.config import Settings
from finassist.domain.auth.local_accounts import NAME_MAX, PASSWORD_MIN
from finassist.domain.auth.second_factor import CODE_MAX
from finassist.entrypoints.http.responses.content_security import source_of

_STYLE: Final = """
:root{color-scheme:light dark;--line:#767676;--bad:#b00020;--accent:#0b57d0;--on:#fff}
@media (prefers-color-scheme:dark){:root{--line:#9a9a9a;--bad:#ff8a80;--accent:#a8c7fa;--on:#062e6f}}
body{font:1rem/1.5 system-ui,sans-serif;max-width:24rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.5rem}
label{display:block;margin:1rem 0 .25rem}
input{font:inherit;box-sizing:border-box;width:100%;padding:.6rem;border:1px solid var(--line);
border-radius:.4rem;background:Field;color:FieldText}
button{font:inherit;font-weight:600;width:100%;margin:1.25rem 0;padding:.7rem;border:0;
border-radius:.4rem;background:var(--accent);color:var(--on);cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
summary{cursor:pointer;padding:.5rem 0}
[role=alert]{border-left:.25rem solid var(--bad);padding-left:.75rem;color:var(--bad)}
small{display:block}
""".strip()

# Takes the tokens out of the address, where they would stay in the history, and says how it went.
_SCRIPT: Final = """
const answer = new URLSearchParams(location.hash.slice(1));
history.replaceState(null, "", location.pathname);
const failed = answer.has("error"), done = answer.has("access_token");
if (failed || done) {
  document.title = failed ? "Sign-in failed" : "Signed in";
  document.querySelector("h1").textContent = failed ? "Sign-in failed" : "You are signed in";
  document.querySelector("p").textContent = failed
    ? (answer.get("error_description") || answer.get("error"))
    : "You can close this window and go back to the app.";
}
""".strip()

_POLICY: Final = f"default-src 'none'; style-src {source_of(_STYLE)}; base-uri 'none'; frame-ancestors 'none'"
COMPLETE_POLICY: Final = f"{_POLICY}; script-src {source_of(_SCRIPT)}; form-action 'none'"


def return_addresses(settings: Settings) -> tuple[str, ...]:
    """Where a sign-in may send browsers; empty ones are not set."""
    return settings.public_base_url, settings.frontend_callback_url, *settings.social_redirect_uris


def form_policy(return_addresses: Iterable[str]) -> str:
    """The Content-Security-Policy of the form. Browsers hold redirects that follow a form to it as well,
    so it names where a sign-in may return to."""
    sources = dict.fromkeys(source for address in return_addresses if (source := _source(address)))
    return " ".join((f"{_POLICY}; form-action 'self'", *sources))


def render_form(
    token: str,
    *,
    errors: Sequence[str] = (),
    values: Mapping[str, str] | None = None,
    signing_up: bool = False,
) -> str:
    """The form to sign in, and below it the one to sign up. ``values`` are what was typed before."""
    values = values or {}
    email, name = escape(values.get("email", "")), escape(values.get("name", ""))
    alert = "".join(f"<p>{escape(error)}</p>" for error in errors)
    hidden = f"<input type=hidden name=form value='{escape(token)}'>"
    return _page(
        "Sign in",
        f"""<h1>Sign in to finassist</h1>{f"<div role=alert>{alert}</div>" if errors else ""}
<form method=post action=authorize>{hidden}<input type=hidden name=intent value=signin>
<label for=email>Email</label>
<input id=email name=email type=email autocomplete=username required value="{email}">
<label for=password>Password</label>
<input id=password name=password type=password autocomplete=current-password required>
<button id=signin>Sign in</button></form>
<details{" open" if signing_up else ""}><summary>Create an account</summary>
<form method=post action=authorize>{hidden}<input type=hidden name=intent value=signup>
<label for=new-name>Name</label>
<input id=new-name name=name autocomplete=name required maxlength={NAME_MAX} value="{name}">
<label for=new-email>Email</label>
<input id=new-email name=email type=email autocomplete=username required value="{email}">
<label for=new-password>Password</label>
<input id=new-password name=password type=password autocomplete=new-password required
minlength={PASSWORD_MIN} aria-describedby=rule>
<small id=rule>At least {PASSWORD_MIN} characters, with an uppercase letter, a lowercase letter and a
digit.</small>
<button id=signup>Create the account</button></form></details>""",
    )


def render_code_form(token: str, challenge: str, *, errors: Sequence[str] = ()) -> str:
    """The form that asks for the second factor of a sign-in."""
    alert = "".join(f"<p>{escape(error)}</p>" for error in errors)
    return _page(
        "Sign in",
        f"""<h1>Confirm that it is you</h1>{f"<div role=alert>{alert}</div>" if errors else ""}
<form method=post action=authorize><input type=hidden name=form value='{escape(token)}'>
<input type=hidden name=intent value=code><input type=hidden name=challenge value="{escape(challenge)}">
<label for=code>Code of your authenticator app, or a recovery code</label>
<input id=code name=code autocomplete=one-time-code autocapitalize=none required maxlength={CODE_MAX}>
<button id=confirm>Confirm</button></form>""",
    )


def render_refusal(message: str) -> str:
    """The page for a request that is refused."""
    return _page("Sign-in failed", f"<h1>Sign-in failed</h1><p>{escape(message)}</p>")


def render_complete() -> str:
    """The page after a sign-in when no frontend is configured."""
    return _page(
        "Sign-in",
        "<h1>Sign-in</h1><p>Go back to the app to see whether you are signed in.</p>"
        f"<script>{_SCRIPT}</script>",
    )


def _page(title: str, body: str) -> str:
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width,initial-scale=1'>"
        f"<title>{title}</title><style>{_STYLE}</style></head><body><main>{body}</main></body></html>"
    )


def _source(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme in ("http", "https"):
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}:" if parts.scheme else ""
