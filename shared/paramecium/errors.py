"""Every exception of the house, each with its meaning in HTTP; doors turn `status` and `kind` into their dialect.

ParameciumError
├── BadInput                 400  what was sent cannot be understood
│   ├── BadId                400  an id that is not ours and names nothing
│   ├── BadLine              400  a line of a file that cannot be read
│   └── BadSetting           400  a configuration key that cannot be used
├── WrongToken               401  no token, or not one of ours
├── NotAllowed               403  the token is right, the scope is not
├── Missing                  404  nothing stands under that name
│   ├── KeyMissing           404  the store has no such object
│   ├── ConversationMissing  404  no such conversation or message
│   └── MemoryMissing        404  no such memory
├── Conflict                 409
│   ├── AlreadyExists        409  create-only met an object of somebody else
│   ├── VersionMismatch      409  compare-and-swap met a newer version
│   ├── DifferentBeginning   409  an import whose first message is not the stored one
│   └── Ambiguous            409  a name that fits two things; both are shown
├── TooLarge                 413  a body or text over its limit
├── Damaged                  500  stored bytes that are not what they should be
│   └── ModelDamaged         500  a file of the embedding model
├── Unavailable              503  try again, or set something up first
│   ├── NotConfigured        503
│   ├── ModelMissing         503  no embedding model stands in its folder
│   ├── StoreUnavailable     503  the store is away, full or refuses
│   ├── OutcomeUnknown       503  a conditional write that may or may not have happened
│   └── Stopped              503  a job was asked to stop and did, between two store calls
└── UpstreamError            502  the model's service
    ├── UpstreamRefused      502  it answered with a status; `upstream_status` keeps it
    ├── UpstreamOverloaded   503  429 or 529
    ├── UpstreamTruncated    502  its stream ended without the terminal marker
    └── UpstreamTimeout      504  it was silent for too long
"""

from typing import Any, ClassVar


class ParameciumError(Exception):
    """Is the root of every error the house raises on purpose."""

    status: ClassVar[int] = 500
    kind: ClassVar[str] = "internal_error"


class BadInput(ParameciumError):
    """Says that what was sent cannot be understood."""

    status = 400
    kind = "bad_input"


class BadId(BadInput):
    """Names an id that is not of our form."""

    kind = "bad_id"


class BadLine(BadInput):
    """Names a line of a file that cannot be read, and why."""

    kind = "bad_line"

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class BadSetting(BadInput):
    """Names a configuration key that cannot be used, and why."""

    kind = "bad_setting"


class WrongToken(ParameciumError):
    """Says that no token came, or none of ours."""

    status = 401
    kind = "wrong_token"


class NotAllowed(ParameciumError):
    """Says that the token is right but its scope is not."""

    status = 403
    kind = "not_allowed"


class Missing(ParameciumError):
    """Says that nothing stands under a name."""

    status = 404
    kind = "missing"


class KeyMissing(Missing):
    """Names a key the store has no object for."""

    kind = "key_missing"


class ConversationMissing(Missing):
    """Names a conversation or message that is not in the archive."""

    kind = "conversation_missing"


class MemoryMissing(Missing):
    """Names a memory that is not in the ledger."""

    kind = "memory_missing"


class Conflict(ParameciumError):
    """Says that somebody else was first."""

    status = 409
    kind = "conflict"


class AlreadyExists(Conflict):
    """Names a key that somebody else created."""

    kind = "already_exists"


class VersionMismatch(Conflict):
    """Names a key whose object is no longer the expected version."""

    kind = "version_mismatch"


class DifferentBeginning(Conflict):
    """Names a conversation whose imported first message is not the stored one."""

    kind = "different_beginning"


class Ambiguous(Conflict):
    """Shows the things one name fits."""

    kind = "ambiguous"


class TooLarge(ParameciumError):
    """Names a limit that a body or text is over."""

    status = 413
    kind = "too_large"


class Damaged(ParameciumError):
    """Names a stored object whose bytes are not what they should be."""

    kind = "damaged"


class ModelDamaged(Damaged):
    """Names a file of the embedding model that is not what model.json says."""

    kind = "model_damaged"


class Unavailable(ParameciumError):
    """Says that something must be set up, or tried again."""

    status = 503
    kind = "unavailable"


class NotConfigured(Unavailable):
    """Says what is not configured and the command that does it."""

    kind = "not_configured"


class ModelMissing(Unavailable):
    """Names the folder in which no embedding model stands."""

    kind = "model_missing"


class StoreUnavailable(Unavailable):
    """Says that the store is away, full or refuses."""

    kind = "store_unavailable"


class OutcomeUnknown(Unavailable):
    """Names a key whose conditional write may or may not have happened."""

    kind = "outcome_unknown"


class Stopped(Unavailable):
    """Says that a job was asked to stop and did so between two store calls."""

    kind = "stopped"


class UpstreamError(ParameciumError):
    """Says what the model's service did wrong; `blocks` are the content blocks that came before it did."""

    status = 502
    kind = "upstream_error"
    blocks: tuple[dict[str, Any], ...] = ()


class UpstreamRefused(UpstreamError):
    """Keeps the status and words the model's service refused with."""

    kind = "upstream_refused"

    def __init__(self, upstream_status: int, message: str) -> None:
        super().__init__(f"the model's service answered {upstream_status}: {message}")
        self.upstream_status = upstream_status


class UpstreamOverloaded(UpstreamError):
    """Says that the model's service is overloaded or limits us."""

    status = 503
    kind = "upstream_overloaded"


class UpstreamTruncated(UpstreamError):
    """Says that the stream ended without its terminal marker."""

    kind = "upstream_truncated"


class UpstreamTimeout(UpstreamError):
    """Says that the model's service was silent for too long."""

    status = 504
    kind = "upstream_timeout"
