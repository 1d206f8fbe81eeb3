"""Makes the embedding model stand in a folder: `python layers/embed_model/build.py [--model NAME] [--out DIR]`.

Knows the order of the steps and what is told to the person. Refuses to know how a step is done. Invariant: the asked
model stands at the end, or the exit status is 1 and what stood before still stands; it is always said which.
Maintainers: `--pin` makes the model and writes its hashes, mean and expected answers into the manifest; `--print-mean`
prints the mean of `mean_texts.txt` under the model that stands.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":  # run by path: the checkout, not this folder, is where imports begin
    sys.path[:1] = [str(HERE.parents[1]), str(HERE.parents[1] / "shared")]

from layers.embed_model import fetch, manifest, standing  # noqa: E402
from paramecium.errors import ParameciumError  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    from layers.embed_model.manifest import Manifest

MODELS = ("multilingual-e5-small", "bge-small-zh-v1.5")


def main(words: Sequence[str] | None = None) -> int:
    """Does what the command line asks for and gives the exit status, 0 or 1."""
    asked = _arguments(words)
    status = 0
    try:
        wanted = manifest.read(asked.manifest or HERE / "manifests" / f"{asked.model}.json")
        if asked.pin:
            _pin(wanted, asked.revision or wanted.revision, asked.base_url)
        elif asked.print_mean:
            from layers.embed_model import answers

            print(json.dumps(answers.mean(asked.out)))
        else:
            _build(wanted, asked.out, asked.base_url)
        standing.cleared(fetch.CACHE)  # kept after a refusal: a second try need not fetch it again
    except (ParameciumError, OSError) as error:
        print(f"refused: {error}", file=sys.stderr)
        status = 1
    found = standing.name(asked.out)
    stands = f"{found} stands in {asked.out}" if found else f"no model stands in {asked.out}"
    print(stands, file=sys.stderr if asked.print_mean else sys.stdout)
    return status


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Makes the embedding model stand in a folder.")
    parser.add_argument("--model", choices=MODELS, default=MODELS[0])
    parser.add_argument("--out", type=Path, default=HERE / "model", help="the folder it shall stand in")
    parser.add_argument("--base-url", help="where a hub's files are taken from; {revision} is filled in")
    parser.add_argument("--manifest", type=Path, help="a manifest other than the one in manifests/")
    parser.add_argument("--pin", action="store_true", help="fetch, and write revision and hashes into the manifest")
    parser.add_argument("--revision", help="the revision to pin")
    parser.add_argument("--print-mean", action="store_true", help="print the mean of mean_texts.txt as JSON")
    return parser.parse_args(words)


def _build(wanted: Manifest, out: Path, base_url: str | None) -> None:
    asked, found = wanted.card["id"], standing.name(out)
    wanted.require_pins()
    if standing.holds(out, wanted):
        print(f"{asked} is there already")
        return
    if found is not None:
        print(f"{out} holds {found if found != asked else 'a damaged or older ' + found}; making {asked} anew")
    with standing.replacing(out) as fresh:
        _make(wanted, fresh, revision=wanted.revision, base_url=base_url)
        _check(wanted, fresh)


def _make(wanted: Manifest, folder: Path, *, revision: str, base_url: str | None) -> None:
    from layers.embed_model import make

    make.files(wanted, folder, revision=revision, base_url=base_url)


def _check(wanted: Manifest, folder: Path) -> None:
    from layers.embed_model import answers
    from paramecium.errors import ModelDamaged

    pins = wanted.card["sha256"]
    for name, found in standing.hashes(folder, pins).items():
        if found != pins[name]:
            raise ModelDamaged(f"{name} has the sha256 {found}, not {pins[name]} as {wanted.path.name} names it")
    (folder / standing.CARD).write_text(manifest.card_text(wanted), encoding="utf-8")
    print("checking token ids and vectors against the manifest", flush=True)
    answers.expect(folder, wanted.expected)


def _pin(wanted: Manifest, revision: str, base_url: str | None) -> None:
    from layers.embed_model import answers
    from paramecium.errors import ModelMissing

    if not revision:
        raise ModelMissing("--pin needs --revision: the one you looked at and trust")
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        _make(wanted, folder, revision=revision, base_url=base_url)
        found = standing.hashes(folder, wanted.card["sha256"])
        fields = {"sha256": found, "id": manifest.identity({**wanted.card, "sha256": found})}
        draft = manifest.pinned(wanted, revision=revision, card=fields, expected=wanted.expected)
        (folder / standing.CARD).write_text(manifest.card_text(draft), encoding="utf-8")
        expected = answers.given(folder, wanted.expected)
        manifest.write(
            manifest.pinned(draft, revision=revision, card={"mean": answers.mean(folder)}, expected=expected)
        )
    for name, sha256 in found.items():
        print(f"{sha256}  {name}")
    print(f"written into {wanted.path}; look at it, then build")


if __name__ == "__main__":
    sys.exit(main())
