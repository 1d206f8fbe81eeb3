"""Settings become parts: the only room that names a concrete store, adapter or embedder.

Each part is built on first use. Invariant: building Parts touches neither network nor disk, so a door chooses which
parts it warms and when.
"""

from paramecium.wiring.parts import Parts
from paramecium.wiring.start import (
    build_parts,
    default_settings,
    hand_over,
    parts_from_environment,
    probe,
    start_jobs,
)

__all__ = ["Parts", "build_parts", "default_settings", "hand_over", "parts_from_environment", "probe", "start_jobs"]
