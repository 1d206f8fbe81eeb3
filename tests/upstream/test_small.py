"""The small model over real sockets: both dialects, what services really answer, limits, and what errors may say."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from paramecium import clock
from paramecium.errors import (
    NotConfigured,
    UpstreamError,
    UpstreamOverloaded,
    UpstreamRefused,
    UpstreamTimeout,
    UpstreamTruncated,
)
from paramecium.messages import Json
from paramecium.settings import Account
from paramecium.upstream.small import SmallModel
from tests.upstream import fake_small
from tests.upstream.fake_small import KEY, FakeSmall, breaks_off, document, drips, falls_silent, repeats, says, sends

WORDS = "豆包今天绝育了"


@pytest.fixture
def service() -> Iterator[FakeSmall]:
    """Gives a running service."""
    with fake_small.serving() as running:
        yield running


def account(service: FakeSmall, kind: str = "openai", **more: Any) -> Account:
    """Returns an account of the service."""
    base_url = service.url if kind == "anthropic" else f"{service.url}/v1"
    given = {"name": "s", "kind": kind, "base_url": base_url, "api_key": KEY, "models": ["m"]}
    return Account.model_validate(given | more)


def ask(service: FakeSmall, kind: str = "openai", **more: Any) -> Json:
    """Returns the answer to one question, as a dictionary."""
    model = SmallModel(account(service, kind), "m", **more)
    try:
        return model.ask("记下要点", WORDS)._asdict()
    finally:
        model.close()


@pytest.mark.parametrize("kind", ["openai", "openrouter", "anthropic"])
def test_both_dialects_are_asked_as_little_as_they_need(service: FakeSmall, kind: str) -> None:
    """Address, key and body are those of the dialect; text, reason, counts and model come back in one form."""
    service.answer = lambda words: f"关于{words}"
    told = ask(service, kind)
    is_anthropic = kind == "anthropic"
    assert told == {
        "text": f"关于{WORDS}",
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 7, "output_tokens": 5},
        "model": "claude-s" if is_anthropic else "small-s",
    }
    (path, headers, body), said = service.requests[0], {"role": "user", "content": WORDS}
    if is_anthropic:
        assert path == "/v1/messages"
        assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
        assert body == {"model": "m", "max_tokens": 4096, "system": "记下要点", "messages": [said]}
    else:
        assert path == "/v1/chat/completions"
        assert headers["authorization"] == f"Bearer {KEY}"
        system = {"role": "system", "content": "记下要点"}
        assert body == {"model": "m", "stream": False, "messages": [system, said]}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("[]", "[]"),
        ([{"type": "text", "text": "[1"}, {"type": "image"}, {"type": "text", "text": "]"}], "[1]"),
        (None, ""),
        ("<think>也许是 [1, 2]</think>\n[]", "\n[]"),
        ("<think>想不完 [1", ""),
        ("先说 <think> 再想", "先说 <think> 再想"),
        ("🐱\u2028\ud83d", "🐱\u2028\ud83d"),
    ],
)
def test_the_text_is_what_was_answered(service: FakeSmall, content: Any, text: str) -> None:
    """Parts are joined, thoughts are no answer, and odd characters come through."""
    service.plans = [says(content)]
    assert ask(service)["text"] == text


@pytest.mark.parametrize(("kind", "stop"), [("openai", "length"), ("anthropic", "max_tokens")])
def test_an_answer_at_its_limit_says_so(service: FakeSmall, kind: str, stop: str) -> None:
    """The reason is Anthropic's word in both dialects."""
    service.plans = [says("[", stop)]
    assert ask(service, kind)["stop_reason"] == "max_tokens"


@pytest.mark.parametrize(
    ("status", "kind", "raised"),
    [
        (400, "invalid_request_error", UpstreamRefused),
        (401, "invalid_api_key", UpstreamRefused),
        (404, "model_not_found", UpstreamRefused),
        (422, "甲乙", UpstreamRefused),
        (429, "insufficient_quota", UpstreamOverloaded),
        (500, "server_error", UpstreamRefused),
        (503, "busy", UpstreamOverloaded),
        (529, "overloaded_error", UpstreamOverloaded),
    ],
)
def test_a_refusal_keeps_its_status_and_repeats_nothing(
    service: FakeSmall, status: int, kind: str, raised: type[UpstreamError]
) -> None:
    """Neither the key nor the words nor the service's own sentence is told, only status and known names."""
    service.plans = [repeats(status, kind)]
    with pytest.raises(raised) as caught:
        ask(service)
    told = str(caught.value)
    assert str(status) in told
    assert (kind in told) == (kind not in ("甲乙", "busy"))
    assert KEY not in told
    assert not any(char in told for char in WORDS + "甲乙")
    if isinstance(caught.value, UpstreamRefused):
        assert caught.value.upstream_status == status


@pytest.mark.parametrize(
    ("body", "raised", "told"),
    [
        ({"error": {"code": 429, "message": WORDS}}, UpstreamOverloaded, "429"),
        ({"type": "error", "error": {"type": "invalid_request_error", "message": WORDS}}, UpstreamRefused, "400"),
        ({"error": WORDS}, UpstreamRefused, "500"),
        ({"choices": [{"error": {"code": 502}, "finish_reason": "error"}]}, UpstreamRefused, "502"),
        ({"choices": []}, UpstreamError, "without text"),
        ({"choices": [{"message": {"content": 5}}]}, UpstreamError, "without text"),
        ({"content": "[]", "choices": None}, UpstreamError, "without text"),
        (b"<html>hello</html>", UpstreamError, "no JSON"),
        (b"[1]", UpstreamError, "no JSON object"),
        (b'{"choices": [{"message": {"conte', UpstreamTruncated, "broke off"),
    ],
)
def test_an_error_inside_of_200_is_an_error(
    service: FakeSmall, body: Any, raised: type[UpstreamError], told: str
) -> None:
    """A body that holds an error, or no answer, is what it says, without the words."""
    service.plans = [sends(200, body)]
    with pytest.raises(raised, match=told) as caught:
        ask(service)
    assert WORDS not in str(caught.value)


def test_a_body_that_breaks_off_is_truncated(service: FakeSmall) -> None:
    """Fewer bytes than announced are no answer."""
    service.plans = [breaks_off("[]" * 100)]
    with pytest.raises(UpstreamTruncated):
        ask(service)


def test_an_answer_without_end_is_refused(service: FakeSmall) -> None:
    """What is larger than 4 MB is not read on."""
    service.plans = [sends(200, document(False, "长" * 5_000_000))]
    with pytest.raises(UpstreamError, match="larger than"):
        ask(service)


@pytest.mark.parametrize("plan", [falls_silent, drips])
def test_the_total_limit_holds_however_the_service_stalls(service: FakeSmall, plan: fake_small.Plan) -> None:
    """Silence and single bytes that come in time both end at the limit; the next call works."""
    service.plans = [plan]
    model = SmallModel(account(service), "m", total_s=0.3)
    began_s = clock.monotonic_s()
    with pytest.raises(UpstreamTimeout):
        model.ask("", WORDS)
    assert clock.monotonic_s() - began_s < 5
    assert model.ask("", WORDS).text == "[]"
    model.close()


def test_one_connection_is_kept_and_closing_ends_a_call(service: FakeSmall) -> None:
    """Many questions share a connection; `close` ends the one under way at once, and no other begins."""
    model = SmallModel(account(service), "m")
    for _ in range(5):
        model.ask("", WORDS)
    assert len(service.connections) == 1
    service.plans = [falls_silent]
    failed: list[Exception] = []

    def asking() -> None:
        try:
            model.ask("", WORDS)
        except UpstreamError as error:
            failed.append(error)

    thread = threading.Thread(target=asking)
    thread.start()
    while len(service.requests) < 6:
        clock.wait(0.01)
    model.close()
    thread.join(5)
    assert not thread.is_alive()
    assert len(failed) == 1
    with pytest.raises(UpstreamError, match="was closed"):
        model.ask("", WORDS)


def test_nobody_there_is_told_without_the_secret_of_the_address() -> None:
    """A refused connection names the host, not what stands before the @."""
    given = {"name": "s", "kind": "openai", "base_url": f"http://u:{KEY}@127.0.0.1:9/v1", "models": ["m"]}
    model = SmallModel(Account.model_validate(given), "m")
    with pytest.raises(UpstreamError, match=r"connection to 127\.0\.0\.1:9 failed") as caught:
        model.ask("", WORDS)
    assert KEY not in str(caught.value)


def test_what_cannot_be_asked_is_told_with_what_to_do() -> None:
    """A parrot takes no notes, and an account of a public service needs a key."""
    with pytest.raises(NotConfigured, match="parrot, which cannot take notes"):
        SmallModel(Account.model_validate({"name": "p", "kind": "parrot", "models": ["p"]}), "p")
    for kind in ("openai", "openrouter", "anthropic"):
        with pytest.raises(NotConfigured, match="has no api_key"):
            SmallModel(Account.model_validate({"name": "o", "kind": kind, "models": ["m"]}), "m")


def test_a_cookie_is_not_sent_back(service: FakeSmall) -> None:
    """One call cannot be known by another."""

    def sets_cookie(asked: fake_small.Asked) -> None:
        body = json.dumps(fake_small.document(False, "[]")).encode()
        head = f"HTTP/1.1 200 OK\r\nset-cookie: known=1; Path=/\r\ncontent-length: {len(body)}\r\n\r\n"
        asked.wfile.write(head.encode() + body)

    small = SmallModel(account(service), "small-s")
    service.plans = [sets_cookie]
    for _ in range(2):
        assert small.ask("规矩", "话").text == "[]"
    small.close()
    assert [headers.get("cookie") for _, headers, _ in service.requests] == [None, None]
