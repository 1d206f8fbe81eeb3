"""Names that lead elsewhere: no door reads, writes or removes anything outside the life it serves."""

from pathlib import Path
from urllib.parse import quote

import pytest

from paramecium.store.local import LocalStore
from tests.chat.fakes_chat import says
from tests.families.house import Door
from tests.functions.gateway.asgi import request
from tests.jobs.import_files import said, talk, write

pytestmark = pytest.mark.anyio
SECRET = "只有主人知道的钥匙"
NAMES = (
    "..",
    ".",
    "../secret",
    "../../secret.json",
    "/etc/passwd",
    "settings.json",
    "..\\secret",
    "%2e%2e%2fsecret",
    "a/../../secret",
    "main/../../secret",
    "x" * 65,
    "x" * 5000,
    "A",
    " ",
    "\0",
    "\n",
    "\u2028",
    "：",
    "con.",
    "~",
    "*",
)


@pytest.fixture
def anyio_backend() -> str:
    """Returns the one event loop the gateway runs on."""
    return "asyncio"


@pytest.fixture
def door(tmp_path: Path) -> Door:
    """Gives a house over a folder that lies beside secrets."""
    for name in ("secret", "secret.json", "data/settings.json", "data/main/secret.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(SECRET, "utf-8")
    door = Door(LocalStore(tmp_path / "data"), tmp_path / "cache")
    door.upstream.enqueue(says("好"))
    return door


def files(folder: Path) -> dict[str, bytes]:
    """Returns every file below a folder but those of the cache."""
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file() and "cache" not in p.parts}


@pytest.mark.parametrize("name", NAMES, ids=lambda n: repr(n)[:24])
async def test_no_door_follows_a_name_elsewhere(name: str, door: Door, tmp_path: Path) -> None:
    """In a body, a path or a query: an error of 4xx, nothing said of a secret, nothing written."""
    before = files(tmp_path)
    asked = [
        request("POST", "/api/chat", None, {"message": "问", field: name})
        for field in ("conversation", "turn", "parent", "account", "model")
        # An empty or blank name is no name; a new beginning needs a talk.
        if not (field == "parent" and not name)
    ]
    asked += [
        request("GET", f"/api/conversations/{quote(name, safe='')}"),
        request("GET", f"/api/conversations/{name}"),
        request("POST", f"/api/chat/{quote(name, safe='')}/stop"),
        request("POST", "/api/recall", None, {"query": SECRET, "exact": True, "conversation": name}),
        request("GET", f"/static/{name}"),
        request("GET", f"/{name}"),
    ]
    for exchange in asked:
        await exchange.run(door.app)
        assert 400 <= exchange.status < 500 or SECRET.encode() not in exchange.body
        assert SECRET.encode() not in exchange.body.replace(b"query", b"")
    assert [e.status // 100 for e in asked[:5]] == [4] * 5
    assert files(tmp_path) == before


@pytest.mark.parametrize("name", NAMES, ids=lambda n: repr(n)[:24])
async def test_an_imported_name_is_any_name(name: str, door: Door, tmp_path: Path) -> None:
    """A foreign file may name its talks as it likes: they stand under names of ours and are found by theirs."""
    life = door.parts.of("main")
    before = files(tmp_path)
    report = life.import_file(write(tmp_path / "f", talk(name, said("桂花开了", id=name))))
    assert report.added == 1
    added = set(files(tmp_path)) - set(before) - {str(tmp_path / "f")}
    assert added
    assert all(path.startswith(str(tmp_path / "data" / "main" / "archive")) for path in added)
    assert {path: body for path, body in files(tmp_path).items() if path in before} == before
    assert door.parts.catalogue("main").read(name)["messages"][0]["text"] == "桂花开了"
