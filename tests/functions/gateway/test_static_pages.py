"""The page at / and the files it loads."""

import re
from html.parser import HTMLParser

import pytest

from functions.gateway.app import create_app
from tests.functions.gateway.asgi import Exchange, request
from tests.functions.gateway.fakes_house import FakeHouse

pytestmark = pytest.mark.anyio


class Tags(HTMLParser):
    """Collects the tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


async def got(path: str, headers: dict[str, str] | None = None) -> Exchange:
    """Returns the answer to a GET without a token."""
    return await request("GET", path, headers or {}).run(create_app(FakeHouse()))


async def test_the_page_says_in_both_languages_what_to_do_next() -> None:
    """It answers without a token and names the address and the command."""
    exchange = await got("/")
    page = exchange.body.decode()
    assert (exchange.status, exchange.headers["content-type"]) == (200, "text/html; charset=utf-8")
    for words in ("服务已在运行", "The server is running", "http://memory.test", "paramecium chat"):
        assert words in page


async def test_the_page_runs_no_script_and_may_load_only_from_here() -> None:
    """Its policy closes everything but its own origin, and the page has nothing inline."""
    exchange = await got("/")
    policy = dict(p.split(" ", 1) for p in exchange.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    for tag, attributes in Tags(exchange.body.decode()).tags:
        assert tag not in ("script", "style", "iframe")
        assert not [a for a in attributes if a == "style" or a.startswith("on")]


@pytest.mark.parametrize("header", ["host", "x-forwarded-proto"])
async def test_what_comes_with_the_request_cannot_become_markup(header: str) -> None:
    """A hostile address is shown as text or not at all."""
    plain = await got("/")
    hostile = await got("/", {header: "\"><script>alert(1)</script><img src=x onerror='alert(1)'>"})
    assert hostile.status == 200
    assert "<script" not in hostile.body.decode()
    assert Tags(hostile.body.decode()).tags == Tags(plain.body.decode()).tags


async def test_the_address_is_https_behind_https() -> None:
    """A proxy's word about the scheme is believed for what is shown."""
    exchange = await got("/", {"x-forwarded-proto": "https"})
    assert "https://memory.test" in exchange.body.decode()


async def test_every_file_the_page_names_is_there() -> None:
    """The stylesheet is served under /pages with its type."""
    named = re.findall(r'href="(/pages/[^"]+)"', (await got("/")).body.decode())
    assert named
    for path in named:
        exchange = await got(path)
        assert (exchange.status, exchange.headers["content-type"]) == (200, "text/css; charset=utf-8")


@pytest.mark.parametrize("name", ["index.html", "../app.py", "..%2Fapp.py", "%2e%2e", "plain.css/", "none.css", ""])
async def test_nothing_else_is_served_from_there(name: str) -> None:
    """Only the files listed at the start can be asked for."""
    assert (await got("/pages/plain.css")).status == 200
    assert (await got(f"/pages/{name}")).status == 404
