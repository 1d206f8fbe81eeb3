"""Images of the transcript as base64, the last ones kept, since every turn sends them again.

Synchronous: it runs in a thread. Invariant: what is kept never exceeds its limit, and an image that is gone or
damaged is told so once and never stops a chat.
"""

import base64
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from paramecium.errors import Damaged, Missing
from paramecium.messages import Json

KEPT_CHARS_MAX: Final = 32_000_000
_log = logging.getLogger(__name__)


class Pictures:
    """Reads images through `read`, which raises Missing or Damaged."""

    def __init__(self, read: Callable[[Json], bytes]) -> None:
        self._read = read
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, image: Json) -> str | None:
        """Returns the image's bytes as base64, or None when they cannot be read."""
        sha256 = str(image.get("sha256"))
        with self._lock:
            if sha256 in self._kept:
                self._kept.move_to_end(sha256)
                return self._kept[sha256]
        try:
            data = base64.b64encode(self._read(image)).decode("ascii")
        except (Missing, Damaged) as error:
            _log.warning("an image cannot be read: %s", error)
            return None
        self._keep(sha256, data)
        return data

    def _keep(self, sha256: str, data: str) -> None:
        with self._lock:
            self._kept[sha256] = data
            while sum(map(len, self._kept.values())) > KEPT_CHARS_MAX:
                self._kept.popitem(last=False)
