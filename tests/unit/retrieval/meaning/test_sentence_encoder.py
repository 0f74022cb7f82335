"""The sentence encoder that ships: tokens and vectors are compared with those of the original."""

import base64
import hashlib
import json
import zipfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from finassist.adapters.embeddings.minilm.embedder import HELP, SEARCH
from finassist.adapters.embeddings.minilm.encoder import Encoder
from finassist.adapters.embeddings.minilm.help import HelpHead
from finassist.adapters.embeddings.minilm.weights import Arrays, read_weights, unusable, vocabulary
from finassist.adapters.embeddings.minilm.wordpiece import TOKENS_MAX, WordPiece
from finassist.domain.errors import EmbeddingError
from finassist.domain.safety import Concern
from tables import each_row, json_lines

SHIPPED = Path(str(files("finassist.data") / "sentence_encoder"))
WEIGHTS = SHIPPED / "tiles.safetensors"
SEARCH_LAYERS = SHIPPED / "search_layers.safetensors"
HELP_LAYERS = SHIPPED / "help_layers.safetensors"
HELP_IN_STORIES_LAYERS = SHIPPED / "help_in_stories_layers.safetensors"
STORY_LAYERS = SHIPPED / "story_layers.safetensors"


@pytest.fixture(scope="module")
def arrays() -> Arrays:
    return read_weights(WEIGHTS)


@pytest.fixture(scope="module")
def pieces(arrays: Arrays) -> WordPiece:
    return WordPiece(vocabulary(arrays))


@pytest.fixture(scope="module")
def encoder(arrays: Arrays) -> Encoder:
    return Encoder(arrays)


def test_the_files_are_those_of_the_manifest_and_have_their_license_beside_it() -> None:
    manifest = json.loads((SHIPPED / "manifest.json").read_text())
    files = (WEIGHTS, SEARCH_LAYERS, HELP_LAYERS, HELP_IN_STORIES_LAYERS, STORY_LAYERS)
    assert manifest["sha256"] == {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in files}
    assert sum(each.stat().st_size for each in files) < 47_000_000
    assert "Apache License" in (SHIPPED / "LICENSE").read_text()
    notice = (SHIPPED / "NOTICE").read_text()
    assert "8-bit integers" in notice
    assert all(each.name in notice for each in files)


@each_row("line", json_lines("sentence_encoder_tokens.jsonl"))
def test_texts_have_the_tokens_of_the_original(pieces: WordPiece, line: dict[str, Any]) -> None:
    assert pieces.ids(line["text"]) == line["ids"]


def test_lone_surrogates_are_left_out(pieces: WordPiece) -> None:
    assert pieces.ids("a\ud800b \udfff") == pieces.ids("ab")


@pytest.mark.parametrize(
    "text", ["x" * 10_000_000, "é,中 " * 1_000_000, "\u0301" * 5_000_000, ("x" * 99 + "~") * 50_000]
)
def test_endless_texts_are_cut(pieces: WordPiece, text: str) -> None:
    assert 2 <= len(pieces.ids(text)) <= TOKENS_MAX


def test_vectors_are_those_of_the_original(pieces: WordPiece, encoder: Encoder) -> None:
    texts = json_lines("sentence_encoder_vectors.jsonl")
    assert len(texts) > 40
    cosines = {}
    for line in texts:
        original = np.frombuffer(base64.b64decode(line["vector"]), "<f2").astype(np.float32)
        (vector,) = encoder.encode([pieces.ids(line["text"])])
        assert vector.shape == (384,)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)
        cosines[line["text"]] = float(vector @ original / np.linalg.norm(original))
    assert {text: cosine for text, cosine in cosines.items() if cosine < 0.999} == {}
    assert np.mean([*cosines.values()]) >= 0.9995


def test_what_is_searched_for_has_a_vector_of_its_own_whether_or_not_the_text_was_encoded_before(
    arrays: Arrays, pieces: WordPiece
) -> None:
    encoder = Encoder(arrays, {SEARCH: read_weights(SEARCH_LAYERS)})
    texts = [pieces.ids(f"How much of {number} do I pay?") for number in range(20)]
    first = [encoder.encode([text], purpose=SEARCH)[0] for text in texts]
    plain = [encoder.encode([text])[0] for text in texts]
    again = [encoder.encode([text], purpose=SEARCH)[0] for text in reversed(texts)][::-1]
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(plain, encoder.encode(texts), atol=1e-5)
    assert all(0.3 < one @ other < 0.999 for one, other in zip(first, plain, strict=True))


def test_who_asks_for_help_is_read_from_the_mean_of_the_states(arrays: Arrays, pieces: WordPiece) -> None:
    for_help = read_weights(HELP_LAYERS)
    encoder, head = Encoder(arrays, {HELP: for_help}), HelpHead(for_help)
    text = pieces.ids("I lost my job and cannot pay the rent")
    mean = encoder.mean(text, purpose=HELP)
    (vector,) = encoder.encode([text], purpose=HELP)
    np.testing.assert_allclose(mean / np.linalg.norm(mean), vector, atol=1e-6)
    odds = head.odds(mean)
    assert max(odds, key=lambda concern: odds[concern]) is Concern.JOB_LOSS
    assert odds[Concern.JOB_LOSS] > 1
    innocent = head.odds(encoder.mean(pieces.ids("What is an index fund?"), purpose=HELP))
    assert max(innocent.values()) < -2


@pytest.mark.parametrize("labels", [b"none\nself_harm", b"none\nself_harm\nsomething"])
def test_layers_for_other_concerns_are_refused(labels: bytes) -> None:
    others = {**read_weights(HELP_LAYERS), "head.labels": np.frombuffer(labels, np.uint8)}
    with pytest.raises(EmbeddingError, match="knows other concerns"):
        HelpHead(others)


@pytest.mark.parametrize("name", ["head.weight", "head.labels"])
def test_layers_without_a_head_are_refused(name: str) -> None:
    with pytest.raises(EmbeddingError, match=name):
        HelpHead({key: array for key, array in read_weights(HELP_LAYERS).items() if key != name})


def test_a_sequence_has_the_same_vector_alone_and_beside_longer_ones(
    pieces: WordPiece, encoder: Encoder
) -> None:
    texts = [line["text"] for line in json_lines("sentence_encoder_vectors.jsonl")]
    sequences = [pieces.ids(text) for text in texts if len(text) < 200]
    together = encoder.encode(sequences)
    for row, sequence in zip(together, sequences, strict=True):
        assert float(np.abs(encoder.encode([sequence])[0] - row).max()) < 1e-5


def test_the_arrays_are_mapped_and_cannot_be_written(arrays: Arrays) -> None:
    assert not any(array.flags.writeable for array in arrays.values())


def test_a_package_in_a_zip_is_read_as_well(tmp_path: Path, arrays: Arrays) -> None:
    with zipfile.ZipFile(tmp_path / "package.zip", "w") as archive:
        archive.write(WEIGHTS, "tiles.safetensors")
    read = read_weights(zipfile.Path(tmp_path / "package.zip", "tiles.safetensors"))
    assert read.keys() == arrays.keys()
    assert (read["positions"] == arrays["positions"]).all()


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "a pointer to the file": lambda content: b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
    "cut in the header": lambda content: content[:1000],
    "cut in the arrays": lambda content: content[:-1],
    "longer": lambda content: content + b"\0",
    "another first bit": lambda content: flipped(content, 0),
    "a bit of the header": lambda content: flipped(content, 8),
    "a bit of a word": lambda content: flipped(content, 5_000_000),
    "a bit of the last array": lambda content: flipped(content, -1 % len(content)),
    "another place of an array": lambda content: flipped(content, content.index(b"data_offsets") + 15),
    "no header": lambda content: bytes(8) + content[8:],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_named(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    file = tmp_path / "tiles.safetensors"
    file.write_bytes(damage(WEIGHTS.read_bytes()))
    with pytest.raises(EmbeddingError, match=rf"{file} is damaged") as caught:
        read_weights(file)
    assert (caught.value.kind, caught.value.retryable) == ("weights", False)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"nowhere cannot be read \(No such file or directory\)"):
        read_weights(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["positions", "layers.3.widened.scale", "layers.5.norm.bias"])
def test_a_file_without_an_array_is_refused(arrays: Arrays, name: str) -> None:
    with pytest.raises(EmbeddingError, match=name):
        Encoder({key: array for key, array in arrays.items() if key != name})


def test_a_file_without_a_vocabulary_is_refused() -> None:
    with pytest.raises(EmbeddingError, match="vocabulary"):
        vocabulary({})


def test_the_error_says_what_to_do() -> None:
    assert "Install finassist again" in str(unusable("the file lacks something"))
