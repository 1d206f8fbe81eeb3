"""What the menu would be for a text: shown to a person, and counted as nothing.

Knows how a text, a conversation and a moment become an occasion. Invariant: a preview writes nothing, neither event nor
file; what stands in the conversation's transcript is left out as it would be in a turn.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from paramecium import clock
from paramecium.errors import BadInput
from paramecium.messages import Json
from paramecium.recall.catalogue import Catalogue
from paramecium.recall.menu import Menu, Occasion
from paramecium.recall.offer import Menus

# Nobody waits for an answer meanwhile, and the model may have to be loaded first.
TIMEOUT_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Preview:
    """Shows the menus of one life."""

    menus: Menus
    catalogue: Catalogue
    timezone: str
    now: clock.Now = clock.now

    def show(self, text: str, conversation: str | None = None, at: str | None = None) -> Json:
        """Returns {"lines": [{"id", "date", "title", "lanes", "score"}], "text", "tokens", "late"}.

        `at` is ISO 8601, in the person's zone when it names none. Raises BadInput naming the field, and for a
        conversation ConversationMissing, Ambiguous.
        """
        if not text or text.isspace():
            raise BadInput("text is empty")
        moment = self.now() if at is None else self._moment(at)
        occasion = Occasion(text, moment) if conversation is None else self._within(text, moment, conversation)
        return _shown(self.menus.offer(occasion, TIMEOUT_S))

    def _moment(self, at: str) -> datetime:
        try:
            moment, zone = datetime.fromisoformat(at), ZoneInfo(self.timezone)
            # At either end of the calendar a moment of one zone is none of another.
            return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise BadInput(f"at must be a moment such as 2026-06-12T23:47, not {at!r:.40}") from error

    def _within(self, text: str, moment: datetime, conversation: str) -> Occasion:
        """Returns the occasion of a message behind the end of a conversation's path."""
        read = self.catalogue.read(conversation)
        ident, messages = str(read["id"]), read["messages"]
        seen = {(ident, m["id"]): ((0, len(m["text"])),) for m in messages if m["on_path"]}
        aside = frozenset(str(m["id"]) for m in messages if not m["on_path"])
        return Occasion(text, moment, ident, seen=seen, aside=aside)


def _shown(menu: Menu) -> Json:
    lines = [line._asdict() | {"lanes": list(line.lanes), "score": round(line.score, 4)} for line in menu.lines]
    return {"lines": lines, "text": menu.text, "tokens": menu.tokens, "late": list(menu.late)}
