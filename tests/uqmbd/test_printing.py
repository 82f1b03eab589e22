"""What a model, a file or a name says commands no terminal: all text goes through `uqmbd.printing`."""

import ast
import io
import re
import sys
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

import uqmbd
from uqmbd.errors import StudyError
from uqmbd.printing import console, printable, say

PACKAGE = Path(uqmbd.__file__).parent
TITLE = "\x1b]0;another title\x07"
EVIL = [TITLE, "\x1b[2J", "\x9b31m", "a\rb", "\x7f", "\u202etxt", "\udcff", "\x1b]8;;http://x\x1b\\link"]
COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.parametrize("text", EVIL, ids=ascii)
def test_text_commands_nothing_and_is_not_lost(text, capsys):
    say(text)
    say(text, err=True)
    terminal = console(width=60)
    table = Table(title=text)
    table.add_column(text)
    table.add_row(f"[red]{text}[/red] :warning:", Text(text))
    terminal.print(table)
    terminal.print(text)
    shown = capsys.readouterr()
    assert not COMMANDS.search(shown.out + shown.err)
    assert "[red]" in shown.out and ":warning:" in shown.out  # text is text
    assert printable(text) in shown.err and printable(text) != text
    assert not COMMANDS.search(str(StudyError(text, file=text, key=text, value=text, remedy=text)))


def test_lines_and_letters_stay():
    text = "müR, κ: 3 µm\n  remedy: →\t漢字"
    assert printable(text) == text


def test_a_stream_that_cannot_hold_a_letter_gets_it_written_out(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    say("κ = 1")
    assert raw.getvalue() == b"\\u03ba = 1\n"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_else_prints(path):
    """`print`, `typer.echo` and consoles of rich are of `printing.py` alone; templates are the user's."""
    if path.name == "printing.py" or "templates" in path.parts:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in ("print", "typer.echo", "click.echo", "Console", "rich.print", "sys.stdout.write", "sys.stderr.write")


def test_no_message_of_a_model_reaches_the_terminal_as_it_is(write_study, uqmbd):
    study = write_study(
        ("model.py:oscillator", "model.py:raises"),
        ('["x", "peak", "x:rms"]', '["y"]'),
        ("[time]\nend = 2.0\npoints = 21\n", ""),
        ('type = "montecarlo"\nsamples = 40', 'type = "list"\nsamples = { k = [9.5, 10.0, 10.9], c = [0.1, 0.15, 0.2] }\nmax_failed = 0.5'),
        model='def raises(k, c):\n    if k > 10.5:\n        raise ValueError("\\x1b]0;another title\\x07")\n    return {"y": k}\n',
    )
    said = uqmbd("run", study, "--out", "r")[1] + uqmbd("watch", "r")[1] + uqmbd("check", study)[1] + uqmbd("show", "r")[1]
    assert "another title" in said and "\x1b]" not in said and "\x07" not in said
    study.write_text(study.read_text().replace("max_failed = 0.5", "max_failed = 0.0"))
    code, said = uqmbd("run", study, "--out", "q")
    assert code == 2 and "another title" in said and "\x1b]" not in said


def test_no_file_of_a_study_commands_the_terminal(tmp_path, uqmbd):
    (tmp_path / "s.toml").write_text('[study]\nname = "a\\u001b[2Jb"\nmodel = "m\\u001b[2J.py:f"\n')
    for arguments in (
        ("run", tmp_path / "s.toml"),
        ("run", tmp_path / "s\x1b[2J.toml"),
        ("show", tmp_path / "r\x1b[2J"),
        ("list", tmp_path),
    ):
        said = uqmbd(*arguments)[1]
        assert "\x1b" not in said, said
