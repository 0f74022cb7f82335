"""How each peer is started and asked."""

import json
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchmarks import model
from benchmarks.chats.targets import CROWD, QUESTION
from benchmarks.processes import Server, foreign
from benchmarks.requests import post

_APPS = Path(__file__).with_name("apps")
_KEY = "sk-benchmark"
_WORD = b'" word'


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A backend that is not the project's. ``start`` takes the folder of its programs, the URL of the model
    and a folder to write in; ``requests`` makes what the running server is asked.
    """

    title: str
    start: Callable[[Path, str, Path], AbstractContextManager[Server]]
    requests: Callable[[Server], Sequence[bytes]]
    marker: bytes = _WORD
    loading: str = "benchmarks.load"
    is_large: bool = False


def _environ(url: str, **settings: str) -> Mapping[str, str]:
    return {"OPENAI_API_KEY": _KEY, "OPENAI_BASE_URL": url, "PYTHONPATH": "", **settings}


def _start_handwritten(programs: Path, url: str, folder: Path) -> AbstractContextManager[Server]:
    environ = _environ(url, HANDWRITTEN_DATABASE=f"sqlite+aiosqlite:///{folder / 'chats.db'}")
    started = (str(programs / "uvicorn"), "--app-dir", str(_APPS), "handwritten:app", "--port")
    return foreign(lambda port: (*started, str(port)), environ, "/health/ready")


def _ask_handwritten(_: Server) -> Sequence[bytes]:
    body = msgspec.json.encode({"message": QUESTION})
    return [post("/chat", body, {"x-device-id": f"benchmark-{client}"}) for client in range(CROWD)]


def _start_litellm(programs: Path, url: str, folder: Path) -> AbstractContextManager[Server]:
    parameters = {"model": "openai/benchmark", "api_base": url, "api_key": _KEY}
    models = [{"model_name": "benchmark", "litellm_params": parameters}]
    config = folder / "config.yaml"
    config.write_text(json.dumps({"model_list": models, "general_settings": {"master_key": _KEY}}))
    environ = _environ(url, LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_MODE="PRODUCTION")
    started = (str(programs / "litellm"), "--config", str(config), "--host", "127.0.0.1", "--port")
    return foreign(lambda port: (*started, str(port)), environ, "/health/readiness")


def _ask_litellm(_: Server) -> Sequence[bytes]:
    return [_completion("/v1/chat/completions", _KEY)]


def _start_chainlit(programs: Path, url: str, folder: Path) -> AbstractContextManager[Server]:
    environ = _environ(url, CHAINLIT_APP_ROOT=str(folder))
    started = (str(programs / "chainlit"), "run", str(_APPS / "chainlit_app.py"), "--headless", "--port")
    return foreign(lambda port: (*started, str(port)), environ, "/")


def _start_open_webui(programs: Path, url: str, folder: Path) -> AbstractContextManager[Server]:
    environ = _environ(
        url,
        OPENAI_API_BASE_URL=url,
        ENABLE_OLLAMA_API="False",
        WEBUI_AUTH="False",
        WEBUI_SECRET_KEY=_KEY,
        DATA_DIR=str(folder),
        RAG_EMBEDDING_ENGINE="openai",  # otherwise it fetches a model of embeddings
        ENABLE_VERSION_UPDATE_CHECK="False",
        HF_HUB_OFFLINE="1",
    )
    started = (str(programs / "open-webui"), "serve", "--host", "127.0.0.1", "--port")
    return foreign(lambda port: (*started, str(port)), environ, "/health")


def _ask_open_webui(server: Server) -> Sequence[bytes]:
    """Through its API, with the token of the one user that there is without sign-in."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/api/v1/auths/signin",
        b'{"email":"","password":""}',
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        token = json.load(response)["token"]
    return [_completion("/api/chat/completions", token)]


def _completion(path: str, token: str) -> bytes:
    return post(path, model.question(QUESTION), {"authorization": f"Bearer {token}"})


PEERS = {
    "handwritten": Peer(
        title="FastAPI, openai, SQLAlchemy", start=_start_handwritten, requests=_ask_handwritten
    ),
    "litellm": Peer(title="LiteLLM's proxy", start=_start_litellm, requests=_ask_litellm),
    "chainlit": Peer(
        title="Chainlit",
        start=_start_chainlit,
        requests=lambda _: [QUESTION.encode()],
        loading="benchmarks.peers.sockets",
    ),
    "openwebui": Peer(title="Open WebUI", start=_start_open_webui, requests=_ask_open_webui, is_large=True),
}
