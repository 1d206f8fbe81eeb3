"""Claims: what a note says beyond its quote, and whether the words it was taken from bear it out.

Numbers, Latin words and dates can be compared without understanding anything; so can writings, characters that nobody
sees, and the words in which a model speaks of its task instead of the talk. Knows nothing of models or stores.
Pure.
Invariant: what is not borne out is told, never corrected.
"""

import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from typing import Final, NamedTuple

from paramecium.index import fold as index_fold
from paramecium.index.function_words import FUNCTION_EN
from paramecium.memories import quotes

YEAR_MIN: Final = 1900
YEARS_AHEAD_MAX: Final = 10

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_NUMBER: Final = re.compile(r"\d++(?:\.\d++)*+")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORD: Final = re.compile(
    "[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua722-\ua7ff\uab30-\uab6f]+"
)
# What has no form of its own: controls but line breaks and tabs, formats but the joiner of emoji, and selectors of
# variants but that of emoji. A whole sentence can hide in them.
_UNSEEN: Final = ("Cc", "Cf", "Co")
_NUMBERS: Final = ("Nl", "No")
_SELECTORS: Final = frozenset(map(chr, (*range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0))))
_FREE: Final = frozenset("\t\n\r\u200d\u3007")
_WRITINGS: Final = {"LATIN": "", "KATAKANA": "HIRAGANA", "IDEOGRAPHIC": "CJK", "BOPOMOFO": "CJK"}
_INFLECTION: Final = re.compile(r"(?<=[a-z]{3})(?:ing|ied|ies|ed|es|e|s|y)\Z")
# Read in folded text (index/fold): lower case, simplified, full width made half.
_OF_PROMPT: Final = re.compile(
    r"提示词|提示语|系统提示|系统消息|系统设定|指令|摘录(?:任务|员|规则|要求)|提取任务|抽取任务|json"
    r"|(?<![a-z])(?:prompts?|instructions?|excerpt(?:er|ing|ion)?|extraction|system message)(?![a-z])"
)
_ORDER: Final = re.compile(
    r"(?:忽略|无视|忘掉|忘记|不要理会|别管|不用管|跳过|违反|绕过|推翻)"
    r"(?:掉|了|你|以上|之前|此前|前面|上面|先前|所有|一切|全部|任何|系统|的)*+(?:规则|规定|指示|提示|设定|限制|要求|约束)"
    r"|从(?:现在|今)(?:起|开始|以后)[^。！？\n]{0,6}?你|你(?:必须|务必|不得|只能|不准)|(?:请|务必|必须|一定要?|你要)记住"
    r"|(?<![a-z])(?:ignore|disregard|forget|override|bypass)(?![a-z])[^.!?\n]{0,30}?"
    r"(?<![a-z])(?:rules?|guidelines?|previous|above|prior|earlier)(?![a-z])"
    r"|(?<![a-z])(?:from now on,? you|you (?:must|shall|are now)|please remember)(?![a-z])"
)


class Shown(NamedTuple):
    """Is what a note may claim: the numbers, Latin words, stems of those words, and characters shown."""

    numbers: frozenset[str]
    words: frozenset[str]
    stems: frozenset[str]
    chars: frozenset[str]


def shown_in(texts: Iterable[str]) -> Shown:
    """Returns what a note on the texts may claim."""
    plain = [unicodedata.normalize("NFKC", text) for text in texts]
    words = frozenset(word.casefold() for text in plain for word in _WORD.findall(text))
    numbers = frozenset(number for text in plain for number in _numbers(text))
    return Shown(numbers, words, frozenset(map(_stem, words)), frozenset().union(*plain))


def is_supported(content: str, shown: Shown) -> bool:
    """Tells whether every number, Latin word and unseen character of `content` was shown.

    Numbers are compared as numbers (06 is 6, 1,000 is 1000); Chinese numerals are words and left alone. Of English,
    words without a meaning of their own are free (see `function_words`), and a word in small letters may be inflected
    otherwise than it was said, "likes" for "like": in a note about somebody it must be.
    """
    plain = unicodedata.normalize("NFKC", content)
    if not shown.numbers.issuperset(_numbers(plain)):
        return False
    if not all(_is_char_supported(char, shown) for char in set(plain)):
        return False
    return all(_is_word_supported(word, shown) for word in _WORD.findall(plain))


def is_written_alike(content: str, texts: Iterable[str], names: Iterable[str]) -> bool:
    """Tells whether `content`, names left aside, has no letters of a writing that none of the texts has.

    A note in another writing than the talk is a translation, and nothing in it can be found in what was said. Words in
    Latin letters are compared one by one instead.
    """
    plain = unicodedata.normalize("NFKC", content)
    for name in filter(None, names):
        plain = plain.replace(unicodedata.normalize("NFKC", name), "")
    used = {_writing(char) for text in texts for char in set(unicodedata.normalize("NFKC", text))}
    return {_writing(char) for char in set(plain)} <= used | {""}


def is_about_prompt(content: str, quote: str) -> bool:
    """Tells whether `content` speaks of the model's own task or gives an order, which the quote does not."""
    told, said = index_fold.fold(content), index_fold.fold(quote)
    standing = quotes.fold(said)
    for words in (told, quotes.fold(told)):  # 忽 略 规 则 is read as what it is, too
        if _OF_PROMPT.search(words) and not (_OF_PROMPT.search(said) or _OF_PROMPT.search(standing)):
            return True
        if any(quotes.fold(order[0]) not in standing for order in _ORDER.finditer(words)):
            return True
    return False


def is_date(value: object, said_on: str) -> bool:
    """Tells whether a value is a day, YYYY-MM-DD, from 1900 to 10 years after the day it was said on.

    `said_on` is ISO 8601; when it names no day, no day is too late.
    """
    if not isinstance(value, str) or not _DATE.match(value):
        return False
    day, said = day_of(value), day_of(said_on[:10])
    if day is None or day.year < YEAR_MIN:
        return False
    return said is None or (day.year - YEARS_AHEAD_MAX, day.month, day.day) <= (said.year, said.month, said.day)


def day_of(text: str) -> date | None:
    """Returns the day of YYYY-MM-DD, None for anything else."""
    try:
        return date.fromisoformat(text) if _DATE.match(text) else None
    except ValueError:
        return None


def _numbers(text: str) -> Iterable[str]:
    for run in _NUMBER.findall(_THOUSANDS.sub("", text)):
        parts = run.split(".")
        if len(parts) == 2:
            whole, fraction = map(_digits, parts)
            yield f"{whole.lstrip('0')}.{fraction.rstrip('0')}".rstrip(".")
        else:  # more dots than one: a date or a version, a row of numbers
            yield from (_digits(part).lstrip("0") for part in parts)


def _digits(run: str) -> str:
    return "".join(str(unicodedata.decimal(char)) for char in run)


def _is_char_supported(char: str, shown: Shown) -> bool:
    """A number that no row of digits tells, and what is not seen, must have been shown."""
    if char in shown.chars or char in _FREE:
        return True
    kind = unicodedata.category(char)
    return kind not in _UNSEEN and kind not in _NUMBERS and char not in _SELECTORS


def _writing(char: str) -> str:
    """Returns the writing of a letter, "" for Latin and what is no letter; kana are one."""
    if char.isascii() or not char.isalpha():
        return ""
    name = re.split("[ -]", unicodedata.name(char, "?"))[0]
    return _WRITINGS.get(name, name)


def _is_word_supported(word: str, shown: Shown) -> bool:
    folded = word.casefold()
    if folded in shown.words or folded in FUNCTION_EN:
        return True
    return _stem(word) in shown.stems  # stems are in small letters: a name or an abbreviation is none of them


def _stem(word: str) -> str:
    return _INFLECTION.sub("", word)
