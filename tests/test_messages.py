import io
import re
import sys

import pytest

from skfly import _messages
from skfly._messages import Progress, _short


@pytest.fixture
def no_waiting(monkeypatch):
    """Show a line for every step, not one every few seconds."""
    monkeypatch.setattr(_messages, "_SECONDS_BETWEEN_LINES", -1.0)


def work(progress, total=None):
    with progress.stage("learning", "windows", total) as monitor:
        for cells_used in (0.5, 0.75):
            monitor.advance(1000, cells_used=cells_used)


def test_disabled_shows_nothing(capsys, no_waiting):
    work(Progress(enabled=False), total=2)

    assert capsys.readouterr() == ("", "")


class TestWithoutATerminal:
    def test_a_stage_ends_with_one_plain_line_on_standard_error(self, capsys):
        work(Progress(enabled=True))

        out, err = capsys.readouterr()
        assert out == ""
        assert re.fullmatch(r"skfly: learning: 2\.0k windows in \d+\.\d s\n", err)

    def test_lines_on_the_way_tell_how_far_how_fast_and_how_long(self, capsys, no_waiting):
        work(Progress(enabled=True), total=2)

        first, second, _ = capsys.readouterr().err.splitlines()
        rate = r"\d[\d.]*[kMG]? windows/s"
        assert re.fullmatch(rf"skfly: learning: 50%, {rate}, 50% of cells in use", first)
        assert re.fullmatch(
            rf"skfly: learning: 100%, {rate}, 75% of cells in use, 0 s left", second
        )

    def test_a_resumed_run_goes_on_from_its_share(self, capsys, no_waiting, monkeypatch):
        clock = iter([0.0, *[60.0] * 4, *[61.0] * 4])
        monkeypatch.setattr(_messages.time, "monotonic", lambda: next(clock, 61.0))
        with Progress(enabled=True).stage("learning", "windows", 12, done=6) as monitor:
            monitor.advance(1000)
            monitor.advance(1000)

        first, second, _ = capsys.readouterr().err.splitlines()
        assert first.startswith("skfly: learning: 58%, ")
        assert "left" not in first
        assert second.startswith("skfly: learning: 67%, ")
        assert second.endswith(", 4 s left")

    def test_the_first_step_which_may_compile_is_no_measure(self, capsys, no_waiting, monkeypatch):
        clock = iter([0.0, *[60.0] * 4, *[61.0] * 4])
        monkeypatch.setattr(_messages.time, "monotonic", lambda: next(clock, 61.0))
        with Progress(enabled=True).stage("learning", "windows", 12) as monitor:
            monitor.advance(1000)
            monitor.advance(1000)

        first, second, _ = capsys.readouterr().err.splitlines()
        assert "left" not in first
        assert second.endswith(", 10 s left")

    def test_a_stage_of_unknown_length_does_not_guess(self, capsys, no_waiting):
        with Progress(enabled=True).stage("reading", "words") as monitor:
            monitor.advance(10)

        on_the_way, _ = capsys.readouterr().err.splitlines()
        assert re.fullmatch(r"skfly: reading: \S+ words/s", on_the_way)

    def test_a_stage_without_a_unit_shows_no_speed(self, capsys, no_waiting):
        with Progress(enabled=True).stage("word cells", "", 2) as monitor:
            monitor.advance(10)
            monitor.advance(10)

        first, second, last = capsys.readouterr().err.splitlines()
        assert first == "skfly: word cells: 50%"
        assert re.fullmatch(r"skfly: word cells: 100%, \d+ s left", second)
        assert re.fullmatch(r"skfly: word cells: \S+ s", last)

    def test_lines_are_plain_text(self, capsys, no_waiting):
        work(Progress(enabled=True), total=2)

        assert "\x1b" not in capsys.readouterr().err

    def test_each_stage_counts_from_zero(self, capsys):
        progress = Progress(enabled=True)
        work(progress)
        with progress.stage("consensus", "words") as monitor:
            monitor.advance(7)

        _, second = capsys.readouterr().err.splitlines()
        assert second.startswith("skfly: consensus: 7 words in ")

    def test_a_stage_without_steps_is_fine(self, capsys):
        with Progress(enabled=True).stage("reading", "words", total=0):
            pass

        assert capsys.readouterr().err.startswith("skfly: reading: 0 words in ")

    def test_a_failure_passes_through_and_is_not_reported_as_done(self, capsys):
        with (
            pytest.raises(KeyboardInterrupt),
            Progress(enabled=True).stage("reading", "words"),
        ):
            raise KeyboardInterrupt

        assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


class TestOnATerminal:
    def test_a_bar_is_shown_and_a_plain_line_stays(self, monkeypatch):
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("TTY_COMPATIBLE", raising=False)
        monkeypatch.setattr(sys, "stderr", Terminal())
        work(Progress(enabled=True), total=2)

        shown = sys.stderr.getvalue()
        bar, line = shown.rsplit("skfly: ", 1)
        assert "\x1b[" in bar
        assert "learning" in bar
        assert re.fullmatch(r"learning: 2\.0k windows in \d+\.\d s\n", line)

    def test_disabled_shows_nothing(self, monkeypatch):
        monkeypatch.setattr(sys, "stderr", Terminal())
        work(Progress(enabled=False))

        assert sys.stderr.getvalue() == ""

    def test_a_failure_passes_through(self, monkeypatch):
        monkeypatch.setattr(sys, "stderr", Terminal())

        with (
            pytest.raises(RuntimeError, match="in the stage"),
            Progress(enabled=True).stage("reading", "words"),
        ):
            raise RuntimeError("in the stage")

        assert "words in" not in sys.stderr.getvalue()


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (12, "12"),
        (999, "999"),
        (1000, "1.0k"),
        (1234, "1.2k"),
        (56_789, "57k"),
        (999_999, "1.0M"),
        (1_234_567, "1.2M"),
        (12_345_678, "12M"),
        (2_500_000_000, "2.5G"),
    ],
)
def test_numbers_are_shown_as_people_say_them(number, shown):
    assert _short(number) == shown
