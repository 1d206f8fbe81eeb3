"""Turns text into vectors with the embedding model that stands in one folder.

Knows how a folder with `model.json`, an ONNX file and `tokenizer.json` is loaded and asked. Refuses to know which model
it is, how it was made, and what vectors are used for. Invariant: no byte of a model file reaches a library before its
sha256 is the one `model.json` names.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from paramecium.errors import ModelDamaged, ModelMissing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy import float32
    from numpy.typing import NDArray

MODEL_FILE = "model.json"
_UNSPEAKABLE = re.compile("[\0\ud800-\udfff]")


def default_model_folder() -> Path:
    """Names the model's folder: $PARAMECIUM_MODEL, else `/opt/model` if one stands there, else the checkout's own."""
    named = os.environ.get("PARAMECIUM_MODEL")
    if named:
        return Path(named)
    layer = Path("/opt/model")
    if (layer / MODEL_FILE).is_file():
        return layer
    return Path(__file__).resolve().parents[3] / "layers" / "embed_model" / "model"


class Embedding(Protocol):
    """Is what the index needs of an embedding model: raw vectors, the mean they are centred with, and floors."""

    @property
    def id(self) -> str:
        """Returns the id, which changes with anything that changes a vector."""
        ...

    @property
    def dims(self) -> int:
        """Returns the length of a vector."""
        ...

    @property
    def floors(self) -> Mapping[str, float]:
        """Returns the model's thresholds by name."""
        ...

    @property
    def mean(self) -> NDArray[float32]:
        """Returns the mean of everyday passages, shape (dims,)."""
        ...

    def query(self, text: str) -> NDArray[float32]:
        """Embeds what is looked for."""
        ...

    def passages(self, texts: Sequence[str]) -> NDArray[float32]:
        """Embeds what is found, one row a text."""
        ...


class Embedder:
    """Embeds queries and passages with the model of one folder.

    `id` changes with anything that changes a vector; `dims` is the length of a vector; `floors` are the model's own
    thresholds by name. Session and tokenizer are loaded once, on first use, by whichever thread comes first.
    """

    id: str
    dims: int
    floors: Mapping[str, float]

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Reads `model.json` only; raises ModelMissing without one and ModelDamaged when it cannot be read."""
        self._folder, self._threads, self._lock = folder, threads, Lock()
        self._card = _read_card(folder)
        self.id, self.dims, self.floors = self._card["id"], self._card["dims"], self._card["floors"]
        self._engine: _Engine | None = None

    @cached_property
    def mean(self) -> NDArray[float32]:
        """Gives the mean of everyday passages, shape (dims,); zeros when the model names none."""
        import numpy as np

        named = self._card["mean"]
        return np.asarray(named, np.float32) if named else np.zeros(self.dims, np.float32)

    def query(self, text: str) -> NDArray[float32]:
        """Embeds what is looked for: shape (dims,), length 1, uncentred; text beyond `max_tokens` is not read."""
        return self._embed(self._card["query_prefix"] + text)

    def passages(self, texts: Sequence[str]) -> NDArray[float32]:
        """Embeds what is found: shape (len(texts), dims), each row of length 1, uncentred, made alone."""
        import numpy as np

        rows = np.empty((len(texts), self.dims), np.float32)
        for row, text in enumerate(texts):
            rows[row] = self._embed(self._card["passage_prefix"] + text)
        return rows

    def tokens(self, text: str) -> list[int]:
        """Gives the token ids of a text exactly as given, without a prefix, at most `max_tokens` of them."""
        return list(self._loaded().tokenizer.encode(_UNSPEAKABLE.sub("\ufffd", text)).ids)

    def warm(self) -> None:
        """Loads session and tokenizer now; raises ModelDamaged naming the file that is not what it should be."""
        self._loaded()

    def _loaded(self) -> _Engine:
        with self._lock:
            if self._engine is None:
                self._engine = _load(self._folder, self._card, self._threads)
            return self._engine

    def _embed(self, text: str) -> NDArray[float32]:
        import numpy as np

        engine = self._loaded()
        # one text at a time: a batch is slower on a CPU, needs padding, and would let texts colour one another
        ids = np.array([self.tokens(text)], np.int64)
        offered = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        feed = {name: offered[name] for name in engine.inputs}
        answer = engine.session.run([self._card["output"]], feed)[0]
        vector = _pooled(answer, self._card["pooling"])
        if self._card["normalise"]:
            vector = vector / max(float(np.linalg.norm(vector)), 1e-12)
        if vector.shape != (self.dims,) or not np.isfinite(vector).all():
            raise ModelDamaged(f"{self._folder / self._card['model']} gave no finite vector of {self.dims} numbers")
        return vector.astype(np.float32, copy=False)


@dataclass(frozen=True)
class _Engine:
    """A loaded tokenizer and session with the names of the session's inputs."""

    tokenizer: Any
    session: Any
    inputs: tuple[str, ...]


_FIELDS = (
    *("id", "dims", "model", "tokenizer", "output", "pooling", "normalise", "max_tokens"),
    *("query_prefix", "passage_prefix", "mean", "floors", "sha256"),
)


def _read_card(folder: Path) -> dict[str, Any]:
    path = folder / MODEL_FILE
    try:
        card = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise ModelMissing(
            f"no embedding model in {folder}: run `make setup`, or name a folder that holds one in PARAMECIUM_MODEL"
        ) from error
    except (OSError, ValueError) as error:
        raise ModelDamaged(f"{path} cannot be read ({error}): run `make setup` to make it again") from error
    missing = [name for name in _FIELDS if not isinstance(card, dict) or name not in card]
    if missing:
        raise ModelDamaged(f"{path} lacks {', '.join(missing)}: run `make setup` to make it again")
    read: dict[str, Any] = card
    return read


def _checked(folder: Path, name: str, sha256: str) -> bytes:
    path = folder / name
    try:
        body = path.read_bytes()
    except OSError as error:
        raise ModelDamaged(f"{path} cannot be read ({error}): run `make setup` to make it again") from error
    if hashlib.sha256(body).hexdigest() != sha256:
        raise ModelDamaged(f"{path} is not the file {MODEL_FILE} names (its sha256 differs): run `make setup`")
    return body


def _load(folder: Path, card: dict[str, Any], threads: int) -> _Engine:
    pins = {card["model"]: "", card["tokenizer"]: "", **card["sha256"]}  # a file without a pin is refused too
    files = {name: _checked(folder, name, pin) for name, pin in pins.items()}
    # The library reports to its makers, and leaves files in the home folder, unless told not to before it loads.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(files[card["tokenizer"]])
    tokenizer.no_padding()
    tokenizer.enable_truncation(card["max_tokens"])
    tokenizer.encode_special_tokens = True  # a person who writes "[SEP]" or "</s>" means those characters
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # a spinning worker takes the core from the request it waits for
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(files[card["model"]], options, providers=["CPUExecutionProvider"])
    return _Engine(tokenizer, session, tuple(given.name for given in session.get_inputs()))


def _pooled(answer: NDArray[float32], pooling: str) -> NDArray[float32]:
    """Makes one vector of what the session gave for one text: (1, dims) for none, (1, tokens, dims) else."""
    vector: NDArray[float32]
    match pooling:
        case "none":
            vector = answer[0]
        case "cls":
            vector = answer[0, 0]
        case "mean":
            vector = answer[0].mean(axis=0)
        case _:
            raise ModelDamaged(f"{MODEL_FILE} names the unknown pooling {pooling!r}")
    return vector
