"""The house rules that no linter knows."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FUNCTION_LINES_MAX = 30
FILE_LINES_MAX = 250
HOUSE = ("shared", "functions", "layers", "evals")
DRAWERS = re.compile(r"\b(utils?|helpers?|common|misc|managers?)\.py\b")


def python_files(*folders: str) -> list[Path]:
    """Returns the Python files of folders, of which each has some."""
    found = [p for folder in folders for p in sorted((ROOT / folder).rglob("*.py"))]
    assert found, folders
    return found


def functions(path: Path) -> list[tuple[str, int]]:
    """Returns each function of a file with its number of lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    defs = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [(n.name, (n.end_lineno or n.lineno) - n.lineno + 1) for n in defs]


def test_the_measure_can_see_a_long_function(tmp_path: Path) -> None:
    """A function of forty lines is seen as one of forty lines."""
    path = tmp_path / "long.py"
    path.write_text("def f():\n" + "    x = 1\n" * 39)
    assert functions(path) == [("f", 40)]


def test_functions_are_short() -> None:
    """No function of the house is longer than 30 lines, its signature and docstring included."""
    long = [f"{p.relative_to(ROOT)}: {name} {n}" for p in python_files(*HOUSE) for name, n in functions(p)]
    assert [x for x in long if int(x.rsplit(" ", 1)[1]) > FUNCTION_LINES_MAX] == []


def test_files_are_short() -> None:
    """No file, tests included, is longer than 250 lines."""
    counted = {p.relative_to(ROOT): p.read_text(encoding="utf-8").count("\n") for p in python_files(*HOUSE, "tests")}
    assert {p: n for p, n in counted.items() if n > FILE_LINES_MAX} == {}


def test_no_drawer_for_everything() -> None:
    """No file is named after nothing in particular."""
    assert DRAWERS.search("paramecium/utils.py")
    assert [p for p in python_files(*HOUSE, "tests") if DRAWERS.search(str(p))] == []


def test_text_is_never_split_at_foreign_line_ends() -> None:
    """No code of the house calls splitlines, which cuts at U+2028 and the like."""
    assert [p for p in python_files("shared", "functions") if ".splitlines(" in p.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("room", ["paramecium", "functions"])
def test_every_room_says_what_it_knows(room: str) -> None:
    """Every module begins with a docstring."""
    files = [p for p in python_files("shared", "functions") if room in p.parts]
    assert [p for p in files if not ast.get_docstring(ast.parse(p.read_text(encoding="utf-8")))] == []


def test_the_readme_s_tree_is_the_tree() -> None:
    """Both READMEs name every folder at the root and every room of the house, one purpose a line."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    rooms = {str(Path(p).parent) for p in tracked if p.startswith("shared/paramecium/") and p.endswith("/__init__.py")}
    names = {Path(r).name for r in rooms} | {p.split("/")[0] for p in tracked if "/" in p and not p.startswith(".")}
    for readme in ("README.md", "README.zh.md"):
        text = (ROOT / readme).read_text(encoding="utf-8")
        assert [n for n in sorted(names) if f"{n}/" not in text] == [], readme


@pytest.mark.parametrize("door", ["functions.gateway.app", "paramecium.cli.root", "paramecium.wiring"])
def test_a_door_loads_no_heavy_library(door: str) -> None:
    """Importing a door loads none of the libraries that are loaded on first use."""
    heavy = ("boto3", "onnxruntime", "tokenizers", "usearch", "numpy", "httpx")
    code = f"import sys, {door}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
