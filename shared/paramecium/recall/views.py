"""Views of one life, kept from call to call: one conditional GET and one LIST a day tell whether anything is new."""

import hashlib
import threading
from pathlib import Path

from paramecium.archive.conversations import Archive
from paramecium.errors import Damaged, KeyMissing
from paramecium.index.fulltext import FullText
from paramecium.index.manifest import Manifest, ManifestCache, ObjectName
from paramecium.index.segment import Segment, SegmentCache
from paramecium.recall.catalogue import resolve
from paramecium.recall.fresh import FreshReader
from paramecium.recall.view import View
from paramecium.store.base import ObjectStore
