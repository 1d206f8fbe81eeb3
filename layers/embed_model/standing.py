"""Knows which model stands in a folder and puts a finished one there.

Refuses to know how models are made. Invariant: under the folder's name stands a whole, checked model or none; a model
that is being made has a name of its own beside it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from layers.embed_model import manifest as manifests
from paramecium.errors import ModelMissing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from layers.embed_model.manifest import Manifest

CARD = "model.json"
_PARTS = (CARD, "model.onnx", "tokenizer.json")


def name(folder: Path) -> str | None:
    """Gives the id of the model in a folder; None when no readable `model.json` stands there."""
    try:
        found = json.loads((folder / CARD).read_bytes())["id"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return str(found)


def hashes(folder: Path, names: Mapping[str, str]) -> dict[str, str]:
    """Gives the sha256 of each named file; an empty string for one that is not there."""
    paths = {each: folder / each for each in names}
    return {
        each: hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "" for each, path in paths.items()
    }


def holds(folder: Path, manifest: Manifest) -> bool:
    """Tells whether a folder holds the manifest's very files; brings its `model.json` up to date when it does."""
    pins = manifest.card["sha256"]
    if name(folder) is None or not all(pins.values()) or hashes(folder, pins) != pins:
        return False
    text = manifests.card_text(manifest)
    if (folder / CARD).read_text(encoding="utf-8") != text:
        fresh = folder / f"{CARD}.new"
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(folder / CARD)
    return True


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Gives an empty folder to make a model in, which takes the place of `folder` if the block ends without an error.

    Raises ModelMissing when `folder` holds files that are no part of a model, for they would be lost.
    """
    strangers = [each.name for each in folder.iterdir() if each.name not in _PARTS] if folder.is_dir() else []
    if strangers:
        raise ModelMissing(
            f"{folder} holds {strangers[0]}, which is no part of a model: name another folder with --out"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}.new-", dir=folder.parent) as room:
        fresh, former = Path(room) / "fresh", Path(room) / "former"
        fresh.mkdir()
        yield fresh
        if folder.exists():
            folder.rename(former)
        try:
            fresh.rename(folder)
        except OSError:
            if former.exists():
                former.rename(folder)
            raise


def cleared(folder: Path) -> None:
    """Removes a folder of working files with all it holds."""
    shutil.rmtree(folder, ignore_errors=True)
