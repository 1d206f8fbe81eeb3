"""Settings become parts: the only room that names a concrete store, adapter or embedder.

Each part is built on first use. Invariant: building Parts loads nothing heavy and asks no network, so a door chooses
which parts it warms and when.
"""

from paramecium.wiring.parts import Parts
from paramecium.wiring.start import (
    add_jobs,
    build_parts,
    check_place,
    default_settings,
    hand_over,
    parts_from_environment,
    probe,
)

__all__ = [
    "Parts",
    "add_jobs",
    "build_parts",
    "check_place",
    "default_settings",
    "hand_over",
    "parts_from_environment",
    "probe",
]
