"""What an upstream had said when it failed: content blocks carried by the error itself.

Invariant: the text in these blocks is exactly the text that was yielded before the error.
"""

from collections.abc import Sequence

from paramecium.errors import UpstreamError
from paramecium.messages import Json


def keep(error: UpstreamError, blocks: Sequence[Json]) -> None:
    """Gives the error the blocks that came before it, as its attribute `blocks`."""
    vars(error)["blocks"] = tuple(blocks)


def kept(error: UpstreamError) -> tuple[Json, ...]:
    """Returns the blocks that came before the error."""
    blocks: tuple[Json, ...] = vars(error).get("blocks", ())
    return blocks
