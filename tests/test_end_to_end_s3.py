"""The whole house over a bucket of a real S3 server, by the command line alone."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from paramecium.archive.conversations import Archive
from paramecium.store import keys
from paramecium.store.s3 import S3Store
from tests.cli.conftest import SAMPLE
from tests.cli.process import Ended, paramecium
from tests.cli.server import serving
from tests.seaweed import Seaweed

LINES = 4
ARRIVALS_A_DAY = 700


class Bucket:
    """Is a bucket and the folder a person stands in, who has no configuration."""

    def __init__(self, seaweed: Seaweed, folder: Path) -> None:
        self.env, self.name, self.folder = seaweed.environment, seaweed.new_bucket(), folder
        self.store = ("--store", f"s3://{self.name}")

    def run(self, *arguments: str | Path) -> Ended:
        """Runs one command over the bucket."""
        return paramecium(*self.store, *arguments, cwd=self.folder, env=self.env)

    def windows(self, *arguments: str) -> list[str]:
        """Returns the texts a recall finds."""
        done = self.run("recall", *arguments, "--json")
        assert done.code == 0, done.err
        return [w["text"] for w in done.json["windows"]]


@pytest.fixture
def bucket(seaweed: Seaweed, tmp_path: Path) -> Bucket:
    """Gives an empty bucket, and a few conversations of the sample life in a file."""
    (tmp_path / "f.jsonl").write_bytes(b"\n".join(SAMPLE.read_bytes().split(b"\n")[:LINES]))
    return Bucket(seaweed, tmp_path)


def test_a_life_in_a_bucket(bucket: Bucket) -> None:
    """Import, ingest, full text, recall, chat, fresh recall, verify, rebuild, as over a folder; none is made."""
    imported = bucket.run("import", "f.jsonl", "--json").json
    assert (imported["conversations"], imported["refused"]) == (LINES, [])
    assert bucket.run("ingest", "--json").json["messages"] == imported["added"]
    assert bucket.run("fts", "--json").json["messages"] == imported["added"]
    before = bucket.windows("砚台打疫苗")
    assert "疫苗" in before[0]
    assert bucket.windows("疫苗", "--exact") != []
    words = "雪豹玩偶放在书架最上层"
    assert bucket.windows(words, "--exact") == []
    assert bucket.run("chat", words).code == 0
    assert any(words in text for text in bucket.windows(words, "--exact"))
    report = bucket.run("verify", "--json")
    assert (report.code, report.json["problems"], report.json["waiting"]) == (0, [], 1)
    assert bucket.run("rebuild", "--json").json["messages"] == imported["added"] + 1
    clean = {"entries": imported["added"] + 1, "waiting": 0, "problems": []}
    assert bucket.run("verify", "--json").json.items() >= clean.items()
    assert bucket.windows("砚台打疫苗")[0] == before[0]
    assert [p.name for p in bucket.folder.iterdir()] == ["f.jsonl"]


def test_a_server_over_a_bucket(bucket: Bucket) -> None:
    """serve speaks over the bucket; its turn is found by another process at once."""
    with serving(cwd=bucket.folder, before=bucket.store, env=bucket.env) as server:
        events = server.chat("今天给砚台称了体重")
        assert events[-1][1]["status"] == "complete"
        assert bucket.windows("今天给砚台称了体重", "--exact") != []
        server.end()
    assert "Traceback" not in server.told
    assert bucket.run("verify").code == 0


def test_a_bucket_that_is_not_there_is_told(bucket: Bucket) -> None:
    """A wrong name, or a server that is away, is one sentence with exit code 1."""
    for command in (("verify",), ("import", "f.jsonl"), ("recall", "茶")):
        done = paramecium("--store", "s3://no-such-bucket", *command, cwd=bucket.folder, env=bucket.env)
        assert (done.code, done.out) == (1, "")
        assert "bucket" in done.sentence()


def test_no_arrival_is_missed_from_the_middle_of_a_day(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever in a day the listing begins, and over more than one page, all later arrivals come, in order, once."""
    for name, value in bucket.env.items():
        monkeypatch.setenv(name, value)
    store, start = S3Store(bucket.name), datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
    names = ("a", "a-1", "a1", "x-0")
    moments = [start + timedelta(hours=16 * d, seconds=7 * i) for d in range(2) for i in range(ARRIVALS_A_DAY)]
    written = sorted(keys.arrival("main", m, names[i % 4], i) for i, m in enumerate(moments))
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(lambda key: store.create(key, b""), written))
    archive = Archive(store, "main", now=lambda: moments[-1] + timedelta(hours=30))
    for since in (moments[0], moments[3], moments[350], moments[699], moments[700], moments[1399]):
        found = [a.key for a in archive.arrivals(since)]
        assert found == [key for key in written if keys.read_arrival(key).moment >= since]
    for at in (0, 1, 500, 699, 700, 999, 1000, 1001, 1398):
        assert list(store.list(keys.arrivals("main"), written[at])) == written[at + 1 :]
    assert list(store.list(keys.arrivals("main"), written[-1])) == []


def test_folders_whose_names_begin_alike_are_listed_whole(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    """`a-1/` sorts before `a/` as a key and behind it as a folder: every block is listed, and each end."""
    for name, value in bucket.env.items():
        monkeypatch.setenv(name, value)
    store = S3Store(bucket.name)
    conversations, numbers = ("a", "a-1", "a-1-1", "a0", "ab", "b"), (0, 1, 500)
    for conversation in conversations:
        for n in numbers:
            store.create(keys.block("main", conversation, n), b"[]")
    written = {keys.block("main", c, n) for c in conversations for n in numbers}
    assert set(store.list(keys.conversations("main"))) == written
    assert sorted(Archive(store, "main").heads()) == [(c, 500) for c in sorted(conversations)]
    for conversation in conversations:
        prefix = keys.conversation("main", conversation)
        behind = list(store.list(prefix, keys.block("main", conversation, 0)))
        assert behind == [keys.block("main", conversation, n) for n in numbers[1:]]
