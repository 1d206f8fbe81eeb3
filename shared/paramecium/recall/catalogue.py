"""Conversations as a list, and one as a whole, for those who leaf through the archive.

The list comes from the index and what is fresh; a whole conversation is read from the archive itself.
"""

from dataclasses import dataclass

from paramecium.archive.conversations import Archive
from paramecium.errors import Ambiguous, ConversationMissing
from paramecium.messages import Entry, Json, check_id, path
from paramecium.recall.search import Views
from paramecium.recall.view import View


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Lists and reads conversations."""

    views: Views
    archive: Archive

    def list(self, limit: int = 100, before: str | None = None) -> list[Json]:
        """Returns conversations, newest last message first, at most `limit`, those behind conversation `before`."""
        view = self.views.view()
        lines = sorted((_line(view, c) for c in view.conversations()), key=lambda x: (x["last"], x["id"]), reverse=True)
        if before is not None:
            ids = [line["id"] for line in lines]
            lines = lines[ids.index(before) + 1 :] if before in ids else []
        return lines[:limit]

    def read(self, conversation: str) -> Json:
        """Returns one conversation with all its branches; raises ConversationMissing, Ambiguous, BadId."""
        ident = self.resolve(conversation)
        entries = self.archive.read(ident)
        on_path = {e.id for e in path(entries)}
        titles = [e.text for e in entries if e.kind == "rename"]
        messages = [_message(e, on_path=e.id in on_path) for e in entries if e.kind == "message"]
        return {"id": ident, "title": titles[-1] if titles else "", "messages": messages}

    def resolve(self, conversation: str) -> str:
        """Returns our id for an id of ours or the original one of an import."""
        return self.views.resolve(self.views.view(), conversation)


def resolve(known: list[str], conversation: str, foreign: str) -> str:
    """Returns which of the known conversations is meant; `foreign` is the id an import would give it.

    Raises ConversationMissing when it is none, Ambiguous when it is two.
    """
    hits = [c for c in dict.fromkeys((conversation, foreign)) if c in known]
    if len(hits) > 1:
        raise Ambiguous(f"{conversation} is both {hits[0]} and {hits[1]}; name one of these")
    if not hits:
        raise ConversationMissing(f"no conversation {conversation!r:.80}")
    return check_id(hits[0])


def _line(view: View, conversation: str) -> Json:
    talk = view.talk(conversation)
    first, last = (view.said((conversation, n)).at for n in (talk.numbers[0], talk.numbers[-1]))
    return {"id": conversation, "title": talk.title, "messages": len(talk.numbers), "first": first, "last": last}


def _message(entry: Entry, *, on_path: bool) -> Json:
    out: Json = {"id": entry.id, "n": entry.n, "parent": entry.parent, "role": entry.role, "speaker": entry.speaker}
    out |= {"at": entry.at, "text": entry.text, "on_path": on_path}
    return out | {"status": entry.status or "complete", "images": list(entry.images)}
