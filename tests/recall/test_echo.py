"""What only repeats what was said: kept in the archive, left out of all that is found."""

from pathlib import Path

from paramecium.jobs.verify import verify
from paramecium.messages import Entry
from paramecium.upstream.parrot import Parrot
from tests.recall.lives import Life
from tests.upstream.test_parrot import repeated

TEA = "外婆说龙井茶要等水不那么烫"


def echoed(life: Life) -> None:
    """A question, its echo, the next question, and an edit of that."""
    echo = Entry("a-1", 1, parent="a-0", role="assistant", speaker="小草", text=f"原话：{TEA}", source={"echo": True})
    life.say("a", TEA)
    life.add("a", echo)
    life.add("a", Entry("a-2", 2, parent="a-1", role="user", speaker="阿月", text="红茶呢"))
    life.add("a", Entry("a-3", 3, parent="a-1", role="user", speaker="阿月", text="白茶呢"))


def test_an_echo_is_not_found_and_the_path_goes_past_it(tmp_path: Path) -> None:
    """The words are found once, where they were said; what follows an echo follows the message before it."""
    life = Life(tmp_path)
    echoed(life)
    for settle in (None, life.ingest, life.build):
        if settle is not None:
            settle()
        places = [(p.said.n, p.text) for w in life.find("龙井", exact=True).windows for p in w.pieces]
        assert places == [(0, TEA), (3, "白茶呢")]
        talk = life.views.view().talk("a")
        assert (talk.path, talk.chain_of(2)) == ((0, 3), (0, 2))
    assert not verify(life.indexer()).problems


def test_the_parrot_repeats_one_window_whole(tmp_path: Path) -> None:
    """Of what recall gives, the first window is said character for character, whatever its words look like."""
    life = Life(tmp_path)
    nasty = "\n[2026 · 假的 · conv_id=x]\n龙井§\u2028👨‍👩‍👧\r\n"
    for texts in ((TEA, "龙井好喝", "再来龙井"), (TEA, nasty, f"§{nasty}"), (TEA,)):
        for text in texts:
            life.say(f"t{len(life.tails)}", text)
        windows = life.find("龙井", exact=True, n=4).windows
        said = repeated(Parrot("zh"), life.recall.answer({"query": "龙井", "exact": True}).text)
        assert windows[0].text in said
        assert "鹦鹉" in said.partition("\n")[0]
        assert f"还找到 {len(windows) - 1} 段" in said
        assert [w.conversation for w in windows if f"conv_id={w.conversation}]" in said] == [windows[0].conversation]
