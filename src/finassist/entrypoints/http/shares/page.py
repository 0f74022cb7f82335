"""The page of a share, for people who open its link in a browser: no script, nothing loaded from elsewhere
except the images of the messages, every value escaped."""

from collections.abc import Iterable, Iterator, Sequence
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
from finassist.entrypoints.http.shares.charts import render_charts
from finassist.entrypoints.http.shares.markdown import render_markdown
from finassist.entrypoints.http.web.pages import STYLES, Words

_STYLE: Final = f"""{STYLES}
body{{display:block;height:auto}}
header{{position:sticky;top:0;z-index:1;background:var(--page)}}
header strong{{flex:1 0 auto;font-size:1.15rem}}
h1{{font-size:clamp(1.5rem,4vw,2rem);margin:0 0 .5rem}}
.lead{{margin-bottom:2rem}}
.go{{display:inline-block;padding:.45rem .9rem;border-radius:.75rem;line-height:1.3;text-decoration:none}}
@media (max-width:36rem){{header .go{{padding:.4rem .75rem;font-size:.875rem}}}}
footer{{border-top:1px solid var(--line);padding-top:1rem}}
@media print{{header{{position:static}}.go{{display:none}}}}
"""
"""The styles of the chat page, so that both look the same, without a file to load from a page that may be
switched off."""

_POLICY: Final = (
    f"default-src 'none'; style-src {source_of(_STYLE)}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def page_policy(images: Iterable[str]) -> str:
    """The Content-Security-Policy of a page with these images: it names where they come from."""
    sources = dict.fromkeys(source for image in images if (source := _source(image)))
    return " ".join((f"{_POLICY}; img-src 'self'", *sources))


def render_share(
    share: SharedConversationView,
    link: Link,
    words: Words,
    custom_title: str | None,
    *,
    up: str,
    has_chat_page: bool,
) -> str:
    """The page of a share, which is at ``link``; ``up`` leads from there to the chat page.

    Who previews the link sees ``custom_title``, and nothing that its owner has not written for the public:
    the title that the conversation has otherwise is made of its text."""
    lead = f"<p>{escape(share.description)}</p>" if share.description else ""
    day = str(share.created_at)[:10]
    go = _continue(share.share_id, up, words) if share.allow_continuation and has_chat_page else ""
    return _page(
        escape(share.title),
        words.language,
        up,
        _preview(
            escape(custom_title) if custom_title else words("share_untitled"),
            escape(share.description) if share.description else words("share_description"),
            link,
        ),
        f"""<header class=row><strong>finassist</strong>{go}</header>
<main id=messages><div class=lead><h1>{escape(share.title)}</h1>{lead}
<small>{words("share_on", date=day)} · {words("message_count", n=len(share.messages))}</small></div>
{"".join(_messages(share.messages, words))}
<footer>{f"<p>{go}</p>" if go else ""}<small>{words("share_told")}</small></footer></main>""",
    )


def _preview(title: str, description: str, link: Link) -> str:
    """What programs read of the page; title and description are escaped already."""
    told = {
        "og:title": title,
        "og:description": description,
        "og:type": "article",
        "og:site_name": "finassist",
        "og:url": escape(str(link)),
    }
    cards = {"description": description, "twitter:card": "summary", "twitter:title": title}
    return "".join(
        f'<meta {kind}="{name}" content="{value}">'
        for kind, values in (
            ("property", told),
            ("name", cards | {"twitter:description": description}),
        )
        for name, value in values.items()
    )


def _continue(share_id: str, up: str, words: Words) -> str:
    """The way to the chat page, which makes the copy. It asks first unless this page led there."""
    address = f"{up}#continue={escape(share_id)}"
    return f'<a class="go main" href="{address}" referrerpolicy=origin>{words("share_continue")}</a>'


def render_missing(words: Words, *, up: str, has_chat_page: bool) -> str:
    """The page for a link that does not work, for any reason."""
    title = words("share_missing")
    go = f'<p><a class="go main" href="{up}">{words("share_own")}</a></p>' if has_chat_page else ""
    return _page(
        title,
        words.language,
        up,
        "",
        f"<header class=row><strong>finassist</strong></header><main id=messages><h1>{title}</h1>"
        f"<p>{words('share_missing_told')}</p>{go}</main>",
    )


def _messages(messages: Iterable[SharedMessageView], words: Words) -> Iterator[str]:
    question = ""
    for message in messages:
        if message.role is Role.USER:
            question = message.content
        yield _message(message, question, words)


def _message(message: SharedMessageView, question: str, words: Words) -> str:
    asked = message.role is Role.USER
    text = f"<div class=plain>{escape(message.content)}</div>" if asked else _reply(message.content)
    charts = "" if asked else render_charts(question, message.content, words)
    files = "".join(
        f"<li>{escape(attachment.filename)} <small>{escape(attachment.mime_type)}</small></li>"
        for attachment in message.attachments
    )
    kind, who = ("asked", words("question")) if asked else ("reply", "finassist")
    told = words("files_not_shared")
    return (
        f"<article class={kind}><h2 class=unseen>{who}</h2>{text}{charts}"
        f"{f'<p><small>{told}</small></p><ul>{files}</ul>' if files else ''}"
        f"{''.join(map(_quote_image, message.visual_embeds))}{_sources(message.sources, words)}</article>"
    )


def _reply(text: str) -> str:
    return f"<div class=text>{render_markdown(text)}</div>"


def _quote_image(shown: ShownQuoteImageView) -> str:
    image = str(shown.image_url)
    if not _source(image):
        return ""
    quote = escape(shown.quote_text or "")
    return (
        f'<figure><img src="{escape(image)}" alt="{quote}" loading=lazy>'
        f"{f'<figcaption>{quote}</figcaption>' if quote else ''}</figure>"
    )


def _sources(sources: Sequence[SourceView], words: Words) -> str:
    cited = [source for source in sources if source.cited]
    related = [source for source in sources if not source.cited]
    return _listed(words("source_count", n=len(cited)), cited) + _listed(words("related"), related)


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


def _page(title: str, language: str, up: str, head: str, body: str) -> str:
    icon = f"<link rel=icon href={up}web/icon.svg>"
    return (
        f"<!doctype html><html lang={language}><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width,initial-scale=1'>"
        f"<meta name=robots content=noindex><title>{title}</title>{head}{icon}<style>{_STYLE}</style>"
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
