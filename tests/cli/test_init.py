"""`paramecium init`: what it asks, what it writes, and where it refuses to write."""

import stat
from pathlib import Path

import pytest

from paramecium.settings import Settings, read_settings
from tests.cli.process import at_a_terminal, paramecium

KEY = "sk-ant-test-0123456789"


def written(folder: Path, name: str = "paramecium.toml") -> Settings:
    """Returns the configuration that was written, read as every command reads it."""
    return read_settings((folder / name).read_text("utf-8"), name)


def test_without_a_terminal_nothing_is_asked(tmp_path: Path) -> None:
    """Defaults stand for what no option says; the file is private, has a long token, and a parrot answers."""
    done = paramecium("init", cwd=tmp_path, env={"ANTHROPIC_API_KEY": ""}, stdin=b"never\nread\n")
    assert (done.code, done.out) == (0, "")
    settings = written(tmp_path)
    assert (settings.person, settings.ai, settings.language) == ("我", "小草", "zh")
    assert [a.kind for a in settings.accounts] == ["parrot"]
    assert settings.token is not None
    assert len(settings.token.get_secret_value()) == 43
    assert stat.S_IMODE((tmp_path / "paramecium.toml").stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["paramecium.toml"]


def test_options_are_kept_character_for_character(tmp_path: Path) -> None:
    """Quotes, backslashes, emoji and control characters of a name survive TOML."""
    person, ai = '林"夏\\🐈‍⬛', "小\t满\x7f"
    options = ("--person", person, "--ai", ai, "--timezone", "Europe/Berlin", "--language", "en")
    assert paramecium("init", *options, cwd=tmp_path).code == 0
    settings = written(tmp_path)
    assert (settings.person, settings.ai, settings.timezone, settings.language) == (person, ai, "Europe/Berlin", "en")


def test_the_key_of_the_environment_is_taken_and_never_shown(tmp_path: Path) -> None:
    """ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL make an account; neither key nor token is printed."""
    env = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    done = paramecium("--config", "sub/my.toml", "init", cwd=tmp_path, env=env)
    settings = written(tmp_path, "sub/my.toml")
    account = settings.accounts[0]
    assert (account.kind, account.base_url) == ("anthropic", "http://127.0.0.1:9")
    assert account.api_key.get_secret_value() == KEY
    assert settings.token is not None
    assert "ANTHROPIC_API_KEY" in done.err
    assert [s for s in (KEY, settings.token.get_secret_value()) if s in done.out + done.err] == []


def test_what_stands_is_not_written_over(tmp_path: Path) -> None:
    """A second init refuses and changes nothing, --force writes a new one; a link is something that stands."""
    assert paramecium("init", cwd=tmp_path).code == 0
    before = (tmp_path / "paramecium.toml").read_bytes()
    refused = paramecium("init", "--person", "别人", cwd=tmp_path)
    assert refused.code == 2
    assert "paramecium.toml is there already; --force" in refused.sentence()
    assert (tmp_path / "paramecium.toml").read_bytes() == before
    assert paramecium("init", "--person", "别人", "--force", cwd=tmp_path).code == 0
    assert written(tmp_path).person == "别人"
    (tmp_path / "link.toml").symlink_to(tmp_path / "nowhere")
    assert paramecium("--config", "link.toml", "init", cwd=tmp_path).code == 2


@pytest.mark.parametrize("config", ["data/paramecium.toml", "data/deep/er.toml", "other/../data/x.toml"])
def test_keys_never_lie_in_the_data_folder(config: str, tmp_path: Path) -> None:
    """The data folder is copied and shared, so the configuration is refused there."""
    done = paramecium("--data", "data", "--config", config, "init", cwd=tmp_path)
    assert done.code == 2
    assert "lies inside the data folder" in done.sentence()
    assert not (tmp_path / config).exists()


@pytest.mark.parametrize(
    ("options", "key"), [(("--timezone", "Mars/Olympus"), "timezone"), (("--language", "fr"), "language")]
)
def test_an_answer_that_cannot_be_used_is_refused(options: tuple[str, ...], key: str, tmp_path: Path) -> None:
    """A wrong answer names its key, and nothing is written."""
    done = paramecium("init", *options, cwd=tmp_path)
    assert done.code == 2
    assert key in done.sentence()
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A file in the way of the folder, or a folder in the file's place, is one sentence."""
    (tmp_path / "f").write_bytes(b"")
    for config in ("f/paramecium.toml", "."):
        done = paramecium("--config", config, "init", "--force", cwd=tmp_path)
        assert done.code in (1, 2)
        assert done.sentence()


def test_at_a_terminal_each_thing_is_asked(tmp_path: Path) -> None:
    """Names, zone, language and key are asked; an empty answer takes what is offered; the key is not shown."""
    typed = [("Your name", "林夏"), ("AI's name", ""), ("Time zone", "Asia/Tokyo"), ("Language", "")]
    typed += [("试用): ", KEY)]  # the space comes once the terminal no longer shows what is typed
    code, screen = at_a_terminal("init", cwd=tmp_path, typed=typed)
    assert code == 0, screen
    settings = written(tmp_path)
    assert (settings.person, settings.ai, settings.timezone) == ("林夏", "小草", "Asia/Tokyo")
    assert settings.accounts[0].api_key.get_secret_value() == KEY
    assert KEY not in screen


def test_a_wrong_answer_is_asked_again(tmp_path: Path) -> None:
    """A zone that is none is asked for once more, and the other answers are not lost."""
    typed = [("Your name", "林夏"), ("AI's name", ""), ("Time zone", "Shanghai"), ("Time zone", "Asia/Shanghai")]
    typed += [("Language", ""), ("试用): ", "")]
    code, screen = at_a_terminal("init", cwd=tmp_path, typed=typed)
    assert code == 0, screen
    assert "'Shanghai' is none of these" in screen
    assert (written(tmp_path).person, written(tmp_path).timezone) == ("林夏", "Asia/Shanghai")


def test_a_person_without_a_configuration_is_told_whose_names_are_used(tmp_path: Path) -> None:
    """At a terminal a talk begins with the names, and where to set them; with a configuration nothing is said."""
    code, screen = at_a_terminal("chat", "早", cwd=tmp_path, typed=[])
    assert (code, "note: no paramecium.toml here, so names are 我 and 小草" in screen) == (0, True)
    assert paramecium("init", cwd=tmp_path).code == 0
    assert "note:" not in at_a_terminal("chat", "早", cwd=tmp_path, typed=[])[1]


def test_the_written_configuration_is_used(tmp_path: Path) -> None:
    """The next command reads it without a warning; wider rights are warned of, a wrong key is named."""
    assert paramecium("init", cwd=tmp_path).code == 0
    assert "warning" not in paramecium("verify", cwd=tmp_path).err
    config = tmp_path / "paramecium.toml"
    config.chmod(0o640)
    assert "warning: others can read paramecium.toml" in paramecium("verify", cwd=tmp_path).err
    config.write_text(f'tokne = "{KEY}"\n[[accounts]]\nname = "a"\nkind = "parrot"\nmodels = []\n', "utf-8")
    done = paramecium("verify", cwd=tmp_path)
    assert done.code == 2
    assert "tokne: there is no such key" in done.sentence()
    assert "accounts.0" in done.sentence()
    assert KEY not in done.err
    config.write_bytes(b'person = "\xff"')
    assert "is not UTF-8" in paramecium("verify", cwd=tmp_path).sentence()
    config.write_text("person = ", "utf-8")
    assert "is not TOML" in paramecium("verify", cwd=tmp_path).sentence()
