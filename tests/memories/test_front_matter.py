"""Files written by hand: what their front matter means, and that their text is theirs to the last character."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.errors import BadInput
from paramecium.memories.front_matter import BYTES_MAX, FRONT_CHARS_MAX, document, name_date

PATH = "facts/茶.md"


@pytest.mark.parametrize(
    ("file", "text", "meta"),
    [
        ("只喝白茶。\n\n", "只喝白茶。\n\n", {}),
        ("", "", {}),
        ("---\n---\n正文", "正文", {}),
        ("---\n\n---\n\n正文\n", "\n正文\n", {}),
        ("---\n# 只有注释\n---\n正文", "正文", {}),
        (
            "---\nkeywords: [茶, 龙井, 2024]\nalways: yes\n---\n正文",
            "正文",
            {"keywords": ["茶", "龙井", "2024"], "always": True},
        ),
        ("---\r\nresolved: true\r\n---\r\n\r\n一\r\n二\r\n", "\r\n一\r\n二\r\n", {"resolved": True}),
        ("---\rexpires: 2026-06-30\r---\r一\r二", "一\r二", {"expires": "2026-06-30"}),
        ("---\nexpires: '2026-06-30'\n---\n", "", {"expires": "2026-06-30"}),
        ("---\nexpires: 2026-06-30 12:00:00\n---", "", {"expires": "2026-06-30"}),
        ("---\nkeywords:\nalways:\n---\n一", "一", {}),
        ("---\nkeywords: []\n---\n一", "一", {"keywords": []}),
        (
            "---\ntitle: 茶\ntags: [a]\nsize: 3\nbig: 99999999999999999999999\nnan: .nan\n---\n一",
            "一",
            {"title": "茶", "size": 3},
        ),
        ("---\nalways: true\n---\n一\n---\n二\n---\n", "一\n---\n二\n---\n", {"always": True}),
        ("---\nalways: true\n----  \n一", "一", {"always": True}),
        ("一\n---\nalways: true\n---\n", "一\n---\nalways: true\n---\n", {}),
        (" ---\nalways: true\n---\n", " ---\nalways: true\n---\n", {}),
        ("--- 雨 ---\n---\n", "--- 雨 ---\n---\n", {}),
        ("---\nalways: true\n---\n\u2028\0\u0085\ufeff ", "\u2028\0\u0085\ufeff ", {"always": True}),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_text_and_front_matter_are_taken_apart(file: str, text: str, meta: dict[str, Any], mark: str) -> None:
    """The text is what stands behind the front matter, every blank and break of it; a byte order mark is no text."""
    found = document(PATH, (mark + file).encode())
    assert (found.text, found.meta, found.path, found.kind) == (text, meta, PATH, "facts")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_behind_front_matter_comes_back_whole(text: str) -> None:
    """No character of a text is lost, moved or made another, whatever it is."""
    assert document(PATH, f"---\nalways: true\n---\n{text}".encode()).text == text


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"\xff\xfe\x00", "not UTF-8 from byte 0"),
        ("茶".encode("gbk"), "save it as UTF-8"),
        (b"x" * (BYTES_MAX + 1), "200,001 bytes"),
        (b"---\nalways: true\n", "no line --- ends"),
        (b"---", "no line --- ends"),
        (b"---\nkeywords: [a\n---\n", "no YAML at line"),
        (b"---\na: b: c\n---\n", "no YAML at line 2"),
        (b"---\n\x00\n---\n", "no YAML"),
        (b"---\nexpires: 2026-02-30\n---\n", "no YAML"),
        (b"---\na: !!timestamp x\n---\n", "no YAML"),
        (b"---\na: !!python/object/apply:os.system [ls]\n---\n", "no YAML"),
        (b"---\n" + b"[" * (FRONT_CHARS_MAX - 1) + b"\n---\n", "no YAML"),
        (b"---\na: " + b"x" * FRONT_CHARS_MAX + b"\n---\n", "4,000 characters"),
        (b"---\n- a\n---\n", "no list of `field: value`"),
        (b"---\nhello\n---\n", "no list of `field: value`"),
        ("---\nkeywords: 茶, 花\n---\n".encode(), "keywords must be a list"),
        (b"---\nkeywords: [[a]]\n---\n", "keywords must be a list"),
        (b"---\nkeywords: [yes]\n---\n", "keywords must be a list"),
        (b"---\nkeywords: &a [*a]\n---\n", "keywords must be a list"),
        (b"---\nkeywords: [a, ' ']\n---\n", "empty"),
        ("---\nkeywords: [茶，花]\n---\n".encode(), "comma"),
        (b"---\nalways: maybe\n---\n", "always must be true or false"),
        (b"---\nresolved: 1\n---\n", "resolved must be true or false"),
        (b"---\nexpires: soon\n---\n", "expires must be a day"),
        (b"---\nexpires: 20260630\n---\n", "expires must be a day"),
        (b"---\ndate: ['2026-06-30']\n---\n", "date must be a day"),
    ],
)
def test_a_bad_file_is_named_and_what_to_do_is_said(body: bytes, says: str) -> None:
    """Every kind of bad file gets a sentence with its name, and without a word that stands in it."""
    with pytest.raises(BadInput) as caught:
        document(PATH, body)
    assert str(caught.value).startswith(PATH)
    assert says in str(caught.value)


def test_no_word_of_a_bad_file_is_told() -> None:
    """What a person wrote stands in no sentence about it."""
    with pytest.raises(BadInput) as caught:
        document(PATH, "---\n秘密: b: 心事\n---\n悄悄话".encode())
    assert not set("秘密心事悄悄话") & set(str(caught.value))


def test_the_hash_is_that_of_the_text_alone() -> None:
    """Other keywords are no other text; another text is."""
    one, two, three = (document(PATH, file) for file in (b"---\nalways: true\n---\na", b"a", b"b"))
    assert one.sha256 == two.sha256 != three.sha256


@pytest.mark.parametrize(
    ("path", "front", "date"),
    [
        ("diary/2026-06-11.md", "", "2026-06-11"),
        ("diary/2026/2026-06-11 雨.txt", "", "2026-06-11"),
        ("diary/2026-06-11.md", "---\ndate: 2026-06-10\n---\n", "2026-06-10"),
        ("diary/2026-06-31.md", "", ""),
        ("diary/雨 2026-06-11.md", "", ""),
        ("diary/２０２６-06-11.md", "", ""),
    ],
)
def test_the_date_is_that_of_the_front_matter_or_else_the_name(path: str, front: str, date: str) -> None:
    """A day that is none is no date."""
    assert document(path, front.encode()).date == date
    assert front or name_date(path) == date
