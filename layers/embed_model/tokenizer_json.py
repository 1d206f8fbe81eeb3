"""Writes the tokenizer of an XLM-R vocabulary as `tokenizer.json`.

Knows how SentencePiece Unigram is said in that format. Refuses to know where pieces come from. Invariant: no text can
spell a special token: their pieces are stored behind U+0001, a character the replacement table deletes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from layers.embed_model import charsmap
from layers.embed_model.pieces import SPECIALS, WORD_START

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_UNSPELLABLE = "\x01"


def written(pieces: Sequence[str], scores: Sequence[float], replacements: Mapping[int, Sequence[int]]) -> bytes:
    """Gives the bytes of `tokenizer.json`; the id of a piece is its place in `pieces`."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    start, _, end, unknown = (list(pieces).index(name) for name in SPECIALS)
    hidden = {*SPECIALS, "<mask>"}
    vocabulary = [
        (_UNSPELLABLE + piece if piece in hidden else piece, score) for piece, score in zip(pieces, scores, strict=True)
    ]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unknown, False))  # noqa: FBT003
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(charsmap.written(replacements)), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    words = pre_tokenizers.Metaspace(replacement=WORD_START, prepend_scheme="always")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), words])
    tokenizer.decoder = decoders.Metaspace(replacement=WORD_START, prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", start), ("</s>", end)]
    )
    text: str = tokenizer.to_str()
    return text.encode()
