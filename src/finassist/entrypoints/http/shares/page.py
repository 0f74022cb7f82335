"""The page of a share, for people who open its link in a browser: no script, nothing loaded from elsewhere
except the images of the messages, every value escaped."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final
from urllib.parse import urlsplit

from finassist.domain.conversations.message import Role
from finassist.entrypoints.http.responses.content_security import source_of
from finassist.entrypoints.http.responses.envelope import Link
from finassist.entrypoints.http.responses.transcript import (
    SharedConversationView,
    SharedMessageView,
    ShownQuoteImageView,
    SourceView,
)
from finassist.entrypoints.http.shares.markdown import render_markdown

_STYLE: Final = """
:root{color-scheme:light dark;--page:#fff;--text:#1b1b1f;--soft:#5c5f66;--line:#d9dbe0;--asked:#e8f0fe;
--accent:#0b57d0;--code:#f3f4f6}
@media (prefers-color-scheme:dark){:root{--page:#131316;--text:#e5e5e8;--soft:#a5a8b0;--line:#3a3c42;
--asked:#1d2b45;--accent:#a8c7fa;--code:#222329}}
*{box-sizing:border-box}
body{font:1.0625rem/1.6 system-ui,sans-serif;background:var(--page);color:var(--text);max-width:44rem;
margin:0 auto;padding:1.5rem 1rem 3rem;overflow-wrap:anywhere}
header{border-bottom:1px solid var(--line);margin-bottom:1.5rem;padding-bottom:1rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:.875rem;font-weight:600;color:var(--soft);margin:0 0 .25rem}
h3,h4,h5,h6{font-size:1.0625rem;margin:1.25rem 0 .25rem}
p,ul,ol,pre,blockquote,table{margin:.5rem 0}
small,footer,figcaption{color:var(--soft);font-size:.875rem}
article{margin:0 0 1.5rem}
.asked{background:var(--asked);border-radius:1rem;padding:.75rem 1rem;margin-left:12%}
.plain{white-space:pre-wrap}
ul,ol{padding-left:1.5rem}
blockquote{border-left:3px solid var(--line);padding-left:1rem}
code{font:.9em ui-monospace,monospace;background:var(--code);border-radius:.25rem;padding:.1em .3em}
pre{background:var(--code);border-radius:.5rem;padding:.75rem;overflow-x:auto}
pre code{padding:0}
.wide{overflow-x:auto}
table{border-collapse:collapse}
th,td{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.35rem .75rem .35rem 0}
.center{text-align:center}
.right{text-align:right}
figure{margin:1rem 0}
img{max-width:100%;height:auto;border-radius:.75rem}
details{margin-top:.5rem}
summary{cursor:pointer;color:var(--soft);font-size:.875rem}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
hr{border:0;border-top:1px solid var(--line)}
footer{border-top:1px solid var(--line);padding-top:1rem}
@media print{.asked{border:1px solid}}
""".strip()

_POLICY: Final = (
    f"default-src 'none'; style-src {source_of(_STYLE)}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_DESCRIPTION: Final = "A shared conversation about personal finance. It is for reading, and no advice."


def page_policy(images: Iterable[str]) -> str:
    """The Content-Security-Policy of a page with these images: it names where they come from."""
    sources = dict.fromkeys(source for image in images if (source := _source(image)))
    return f"{_POLICY}; img-src {' '.join(sources)}" if sources else _POLICY


def render_share(share: SharedConversationView, link: Link) -> str:
    """The page of a share, which is at ``link``."""
    shown = escape(share.title)
    description = escape(share.description or _DESCRIPTION)
    lead = f"<p>{escape(share.description)}</p>" if share.description else ""
    day = escape(str(share.created_at)[:10])
    return _page(
        share.title,
        f"""<meta name=description content="{description}"><meta property=og:title content="{shown}">
<meta property=og:description content="{description}"><meta property=og:type content=article>
<meta property=og:site_name content=finassist><meta property=og:url content="{escape(str(link))}">
<meta name=twitter:card content=summary>""",
        f"""<header><h1>{shown}</h1>{lead}
<small>Shared on <time datetime="{day}">{day}</time> · {_count(len(share.messages), "message")}</small>
</header>
<main>{"".join(map(_message, share.messages))}</main>
<footer><p>Somebody shared this conversation with finassist, an assistant for personal finance. Replies
are written by a machine and may be wrong; they are information, not advice.</p></footer>""",
    )


def render_missing() -> str:
    """The page for a link that does not work, for any reason."""
    return _page(
        "This link does not work",
        "",
        "<header><h1>This link does not work</h1></header>"
        "<main><p>This conversation does not exist, or it is no longer shared.</p></main>",
    )


def _message(message: SharedMessageView) -> str:
    asked = message.role is Role.USER
    text = f"<div class=plain>{escape(message.content)}</div>" if asked else render_markdown(message.content)
    files = "".join(
        f"<li>{escape(attachment.filename)} <small>{escape(attachment.mime_type)}</small></li>"
        for attachment in message.attachments
    )
    return (
        f"<article{' class=asked' if asked else ''}><h2>{'Question' if asked else 'finassist'}</h2>{text}"
        f"{f'<p><small>Files, not shared:</small></p><ul>{files}</ul>' if files else ''}"
        f"{''.join(map(_quote_image, message.visual_embeds))}{_sources(message.sources)}</article>"
    )


def _quote_image(shown: ShownQuoteImageView) -> str:
    image = str(shown.image_url)
    if not _source(image):
        return ""
    quote = escape(shown.quote_text or "")
    return (
        f'<figure><img src="{escape(image)}" alt="{quote}" loading=lazy>'
        f"{f'<figcaption>{quote}</figcaption>' if quote else ''}</figure>"
    )


def _sources(sources: Sequence[SourceView]) -> str:
    cited = [source for source in sources if source.cited]
    related = [source for source in sources if not source.cited]
    return _listed(_count(len(cited), "source"), cited) + _listed("Related", related)


def _listed(summary: str, sources: Sequence[SourceView]) -> str:
    if not sources:
        return ""
    items = "".join(f"<li value={source.index}>{_linked(source)}</li>" for source in sources)
    return f"<details><summary>{summary}</summary><ol>{items}</ol></details>"


def _linked(source: SourceView) -> str:
    title = escape(source.title)
    if source.url is None or not _source(source.url):
        return title
    return f'<a href="{escape(source.url)}" rel="nofollow noopener noreferrer">{title}</a>'


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _page(title: str, head: str, body: str) -> str:
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width,initial-scale=1'>"
        f"<meta name=robots content=noindex><title>{escape(title)}</title>{head}<style>{_STYLE}</style>"
        f"</head><body>{body}</body></html>"
    )


def _source(address: str) -> str:
    """Scheme and host of an address on the web, as a policy names it; empty for any other."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.netloc or set(parts.netloc) & set(" ;,'\""):
        return ""
    return f"{parts.scheme}://{parts.netloc}"
