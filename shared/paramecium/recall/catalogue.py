"""Conversations as a list, and one as a whole, for those who leaf through the archive.

The list comes from the index and what is fresh; a whole conversation is read from the archive itself, so that one the
index has not met yet is read too.
"""

from collections.abc import Container
from dataclasses import dataclass

from paramecium.archive.conversations import Archive
from paramecium.archive.names import conversation_id
from paramecium.errors import Ambiguous, BadId, ConversationMissing
from paramecium.index.said import mark_from
from paramecium.messages import Entry, Json, check_id, path
from paramecium.recall.register import Ends
from paramecium.recall.search import Views
from paramecium.recall.talk import title_of
from paramecium.recall.view import View


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Lists and reads conversations."""

    views: Views
    archive: Archive

    def list(self, limit: int = 100, before: str | None = None) -> list[Json]:
        """Returns conversations, newest last message first, at most `limit`, those behind conversation `before`."""
        view = self.views.view()
        ordered = sorted(view.ends.items(), key=lambda pair: (pair[1].moment, pair[0]), reverse=True)
        if before is not None:
            ids = [conversation for conversation, _ in ordered]
            ordered = ordered[ids.index(before) + 1 :] if before in ids else []
        return [_line(view, conversation, ends) for conversation, ends in ordered[:limit]]

    def read(self, conversation: str) -> Json:
        """Returns one conversation with all its branches; raises ConversationMissing, Ambiguous, Damaged."""
        foreign = conversation_id(conversation)
        found = {c: entries for c in (conversation, foreign) if (entries := self._entries(c))}
        ident = resolve(found, conversation, foreign)
        entries = found[ident]
        on_path = {e.id for e in path(entries)}
        marks = [m for e in entries if (m := mark_from(ident, e))]
        title = title_of(marks, next((e.text for e in entries if e.is_message), ""))
        messages = [_message(e, on_path=e.id in on_path) for e in entries if e.kind == "message"]
        return {"id": ident, "title": title, "messages": messages}

    def resolve(self, conversation: str) -> str:
        """Returns our id for ours or the original one of an import; raises ConversationMissing, Ambiguous."""
        return self.views.resolve(self.views.view(), conversation)

    def _entries(self, conversation: str) -> tuple[Entry, ...]:
        try:
            return self.archive.read(conversation)
        except (BadId, ConversationMissing):
            return ()


def resolve(known: Container[str], conversation: str, foreign: str) -> str:
    """Returns which of the known conversations is meant; `foreign` is the id an import would give it.

    Raises BadId when it is none and could be no id of ours, ConversationMissing when it is none, Ambiguous when two.
    """
    hits = [c for c in dict.fromkeys((conversation, foreign)) if c in known]
    if len(hits) > 1:
        raise Ambiguous(f"{conversation} is both {hits[0]} and {hits[1]}; name one of these")
    if not hits:
        check_id(conversation)
        raise ConversationMissing(f"no conversation {conversation}")
    return hits[0]


def _line(view: View, conversation: str, ends: Ends) -> Json:
    title = title_of(view.marks(conversation), "") or ends.title
    return {
        "id": conversation,
        "title": title,
        "messages": ends.messages,
        "first": ends.first_at,
        "last": ends.last_at,
    }


def _message(entry: Entry, *, on_path: bool) -> Json:
    out: Json = {"id": entry.id, "n": entry.n, "parent": entry.parent, "role": entry.role, "speaker": entry.speaker}
    out |= {"at": entry.at, "text": entry.text, "on_path": on_path}
    return out | {"status": entry.status or "complete", "images": list(entry.images)}
