"""A whole life with notes and documents over a bucket, by processes alone, and every request that made it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paramecium.messages import Json
from tests.cli import fake_anthropic
from tests.cli.fake_anthropic import FakeAnthropic, recalls, says
from tests.cli.process import Ended, paramecium, started
from tests.cli.server import said, serving
from tests.jobs.extracting import CANDIDATE, quotes_of
from tests.s3_log import LoggedSeaweed, logging
from tests.seaweed import Seaweed
from tests.upstream import fake_small
from tests.upstream.fake_small import FakeSmall

TALK = (
    "豆包今天绝育了，医生说恢复得很好",
    "太好了，记得这几天别让它舔伤口",
    "我下周三要去城东的公司面试，有点紧张",
    "你准备得很充分，面试前一天早点睡",
)
DOCUMENTS = {
    "profile/persona.md": "你叫{ai}，说话温和。",
    "profile/user.md": "{person}怕打雷。",
    "facts/猫粮.md": "---\nkeywords: [猫粮]\n---\n豆包只吃鸡肉味的猫粮。",
    "diary/2026-06-10.md": "豆包绝育了，回家睡了一天。",
}
CONVERSATION, NUMBER, SHA256, ULID = "[a-z0-9-]{1,64}", r"\d{8}", "[0-9a-f]{64}", "[0-9a-z]{26}"
ONCE = re.compile(
    rf"(main|other)/(archive/(conversations/{CONVERSATION}/{NUMBER}\.json|arrivals/\d{{4}}-\d\d-\d\d/\d{{9}}-{CONVERSATION}-\d+"
    rf"|heads/{SHA256}\.json|files/{SHA256})|memories/events/{NUMBER}\.json)"
)
DERIVED_ONCE = re.compile(
    rf"derived/(main|other)/(index/(segments/{ULID}\.(vectors|words)|fulltext/{ULID}\.sqlite)|memories/blocks/{ULID}\.block)"
)
DERIVED = re.compile(
    r"derived/(main|other)/(index/(manifest|next)\.json|memories/snapshot\.json|documents/good\.json"
    r"|cursors/(extract|fts_build)\.json)"
)


class Bucket:
    """Is a bucket behind a log, and the folder of a person with a configuration."""

    def __init__(self, log: LoggedSeaweed, folder: Path, chat: FakeAnthropic, small: FakeSmall) -> None:
        self.log, self.folder, self.chat, self.small = log, folder, chat, small
        self.name = log.server.new_bucket()
        log.calls.clear()
        self.env = log.server.environment
        self.before = ("--store", f"s3://{self.name}")
        assert paramecium("init", "--person", "阿月", cwd=folder, env=self.env | chat.environment).code == 0
        config = folder / "paramecium.toml"
        accounts = small.config().split('models = ["parrot"]\n')[1]
        config.write_text(config.read_text("utf-8") + accounts, "utf-8")

    def run(self, *arguments: str | Path, life: str = "main") -> Ended:
        """Runs one command that ends well."""
        done = paramecium(*self.before, "--life", life, *arguments, cwd=self.folder, env=self.env)
        assert done.code == 0, done.out + done.err
        return done

    def json(self, *arguments: str | Path, life: str = "main") -> Any:
        """Runs one command and returns its document."""
        return self.run(*arguments, "--json", life=life).json

    def found(self, query: str, life: str = "main") -> Json:
        """Returns what recall and menu give: both layers, without scores."""
        recall, menu = self.json("recall", query, life=life), self.json("menu", query, life=life)
        notes = [(m["id"], m["content"], m["quote"]) for m in recall["memories"]]
        lines = [(line["id"], line["title"]) for line in menu["lines"]]
        return {"notes": notes, "words": [w["text"] for w in recall["windows"]], "menu": lines}

    def keys(self, prefix: str = "") -> dict[str, str]:
        """Returns what stands, each key with the hash of its bytes."""
        pages = self.log.server.client().get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix)
        return {item["Key"]: item["ETag"] for page in pages for item in page.get("Contents", ())}

    def write(self, life: str = "main") -> None:
        """Puts documents into the bucket, as a person does with any tool."""
        for path, text in DOCUMENTS.items():
            self.log.server.client().put_object(Bucket=self.name, Key=f"{life}/{path}", Body=text.encode())


@pytest.fixture
def bucket(seaweed: Seaweed, tmp_path: Path) -> Iterator[Bucket]:
    """Gives an empty bucket, a file to import, a scripted model and a faithful small one."""
    with logging(seaweed) as log, fake_anthropic.serving() as chat, fake_small.serving() as small:
        small.answer = lambda words: "[]" if CANDIDATE.search(words) else quotes_of(words)
        messages = [{"role": "user" if i % 2 == 0 else "assistant", "content": text} for i, text in enumerate(TALK)]
        (tmp_path / "f.jsonl").write_text(json.dumps({"id": "c", "messages": messages}, ensure_ascii=False), "utf-8")
        yield Bucket(log, tmp_path, chat, small)


def _noted(bucket: Bucket) -> None:
    """A talk, an import of which notes are taken, documents, an index over all."""
    bucket.chat.plans.append(says("好，记住了：雪豹玩偶放书架上。"))
    bucket.run("chat", "雪豹玩偶放在书架最上层了")
    bucket.run("import", "f.jsonl", "--extract")
    assert bucket.json("extract").items() >= {"added": 4, "waiting": {"silence": 2}, "failed": None}.items()
    bucket.write()
    assert bucket.json("ingest").items() >= {"messages": 6, "documents": 3}.items()
    bucket.run("fts")


def _recalled_while_a_job_runs(bucket: Bucket) -> None:
    """Gateway and jobs in one process, the nightly job in another: the model lists, recalls and answers."""
    bucket.chat.plans += [recalls("豆包绝育恢复得怎么样"), says("恢复得很好。")]
    with (
        serving(cwd=bucket.folder, before=bucket.before, env=bucket.env) as server,
        started(*bucket.before, "fts", cwd=bucket.folder, env=bucket.env) as job,
    ):
        assert said(server.chat("豆包绝育恢复得怎么样了？猫粮还有吗")) == "恢复得很好。"
        assert job.wait(60) == 0
        server.end()
    assert "Traceback" not in server.told
    asked = bucket.chat.requests[-1][1]
    beside = json.dumps(asked["messages"], ensure_ascii=False)
    assert "你叫小草，说话温和。" in asked["system"][0]["text"]
    assert "豆包只吃鸡肉味的猫粮" in beside
    assert TALK[0] in asked["messages"][-1]["content"][0]["content"]


def _check_calls(bucket: Bucket) -> None:
    """Every key is of `store/keys`; what is canonical was created once; there is no unconditional put."""
    created: dict[str, int] = {}
    for call in bucket.log.calls:
        if call.method == "PUT" and call.key.startswith(("main/profile", "main/facts", "main/diary")):
            continue  # by hand
        if call.method == "DELETE":
            assert call.key.startswith("derived/"), call
        elif call.method == "PUT" and call.key:
            once = ONCE.fullmatch(call.key) or DERIVED_ONCE.fullmatch(call.key)
            assert once or DERIVED.fullmatch(call.key), call
            assert call.condition == "create" if once else call.condition, call
            created[call.key] = created.get(call.key, 0) + (bool(once) and call.status == 200)
    assert max(created.values()) == 1
    assert {call.method for call in bucket.log.calls} <= {"GET", "PUT", "DELETE"}


def test_a_whole_life_in_a_bucket(bucket: Bucket) -> None:
    """Both layers are found, recalled and noted as recalled; all that is derived can be deleted and made anew."""
    _noted(bucket)
    found = bucket.found("豆包绝育恢复得怎么样")
    assert TALK[0] in [quote for _, _, quote in found["notes"]]
    assert any("豆包绝育了，回家睡了一天" in text for text in found["words"])
    assert found["menu"] != []
    _recalled_while_a_job_runs(bucket)
    client = bucket.log.server.client()
    events = [client.get_object(Bucket=bucket.name, Key=key)["Body"].read() for key in bucket.keys("main/memories/")]
    assert [json.loads(event)["kind"] for event in events] == ["Added"] * 4 + ["Recalled"]
    bucket.run("ingest")
    assert bucket.json("verify").items() >= {"problems": [], "entries": 8}.items()
    before, canonical = bucket.found("豆包绝育恢复得怎么样"), bucket.keys("main/")
    for key in bucket.keys("derived/"):
        client.delete_object(Bucket=bucket.name, Key=key)
    bucket.run("rebuild")
    assert bucket.found("豆包绝育恢复得怎么样") == before
    assert bucket.json("verify").items() >= {"problems": [], "waiting": 0}.items()
    assert bucket.json("extract")["added"] == 0
    assert bucket.keys("main/").items() >= canonical.items()
    _check_calls(bucket)


def test_two_lives_in_a_bucket_do_not_cross(bucket: Bucket) -> None:
    """The jobs of one life neither read nor write a key of the other, and nothing of it is found there."""
    _noted(bucket)
    bucket.log.calls.clear()
    before = {key: version for key, version in bucket.keys().items() if "main/" in key}
    bucket.chat.plans.append(says("好。"))
    bucket.run("chat", "豆包绝育恢复得怎么样", life="other")
    for job in ("ingest", "extract", "fts", "verify"):
        bucket.run(job, life="other")
    found = bucket.found("豆包绝育恢复得怎么样", life="other")
    assert (found["notes"], found["menu"]) == ([], [])
    assert found["words"] != []
    assert [text for text in found["words"] if TALK[0] in text or "雪豹" in text] == []
    of_main = ("main/", "derived/main/", "papers/main/")
    assert [call for call in bucket.log.calls if call.key.startswith(of_main) or call.prefix.startswith(of_main)] == []
    assert [call for call in bucket.log.calls if call.prefix.startswith("other/archive/arrivals/")] != []
    assert {key: version for key, version in bucket.keys().items() if "main/" in key} == before
    _check_calls(bucket)
