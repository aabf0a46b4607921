"""The report as one HTML page that needs nothing else."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

from skfly.evaluation._rows import score_text
from skfly.evaluation.report._section import Drawing, Goal, Grid, Section

__all__ = ["page"]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; }
body { padding: 0 1rem; }
h1, h2 { line-height: 1.2; }
h2 { margin-top: 3rem; border-bottom: 1px solid #8888; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.9rem; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { border: 1px solid #8886; padding: 0.2rem 0.6rem; text-align: left; vertical-align: top; }
th { background: #8882; }
td.missed { color: #b00020; }
td.reached { color: #1b7f3b; }
.note { border-left: 4px solid #c80; padding: 0.2rem 0.8rem; margin: 0.5rem 0; }
figure { margin: 1rem 0; }
figure img { max-width: 100%; background: white; }
footer, .quiet { color: #777; font-size: 0.9rem; }
@media (prefers-color-scheme: dark) {
  td.missed { color: #ff7b8a; } td.reached { color: #6fd08c; }
}
"""


def page(
    title: str,
    sections: Sequence[Section],
    settings: Mapping[str, str],
    versions: Mapping[str, str],
    missing: Mapping[str, str],
    seconds: float,
) -> str:
    """Return the page.

    Parameters
    ----------
    title : str
    sections : sequence of Section
    settings, versions : mapping from names to values
        Of the model; of the packages and the machine.
    missing : mapping from names of datasets to what is wrong
    seconds : float
        That all took.
    """
    goals = [goal for section in sections for goal in section.goals]
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">Made by skfly evaluate in {_time_text(seconds)}.</p>',
        "<h2>What was reached</h2>",
        _goals_html(goals),
        _missing_html(missing),
        *(_section_html(section) for section in sections),
        "<h2>Settings</h2>",
        _pairs_html("The model", settings),
        _pairs_html("Versions and machine", versions),
        _pairs_html("Time", {section.title: _time_text(section.seconds) for section in sections}),
    ]
    content = "\n".join(part for part in body if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{content}\n</body>\n</html>\n"
    )


def _goals_html(goals: Sequence[Goal]) -> str:
    if not goals:
        return "<p>None of the paper's figures was measured.</p>"
    lines = [
        "<tr>"
        + "".join(
            f"<td>{escape(text)}</td>"
            for text in (goal.experiment, goal.what, _figure(goal.found), _figure(goal.paper))
        )
        + f'<td class="{escape(goal.verdict)}">{escape(goal.verdict)}</td></tr>'
        for goal in goals
    ]
    header = _row(("experiment", "what", "here", "paper, or this run's peer", ""), "th")
    return f'<div class="wide"><table>{header}{"".join(lines)}</table></div>'


def _figure(value: float | None) -> str:
    """Return a score; those of clusters are cosines, and need more digits."""
    return f"{value:.3f}" if value is not None and abs(value) < 1 else score_text(value)


def _missing_html(missing: Mapping[str, str]) -> str:
    if not missing:
        return ""
    lines = "".join(
        f'<p class="note">{escape(name)}: not run. {escape(why)}</p>'
        for name, why in missing.items()
    )
    return f"<h2>Missing datasets</h2>{lines}"


def _section_html(section: Section) -> str:
    return "\n".join(
        [
            f"<h2>{escape(section.title)}</h2>",
            f"<p>{escape(section.about)}</p>",
            *(f'<p class="note">{escape(note)}</p>' for note in section.notes),
            *(_grid_html(grid) for grid in section.grids),
            *(_drawing_html(drawing) for drawing in section.drawings),
        ]
    )


def _grid_html(grid: Grid) -> str:
    lines = "".join(_row(line, "td") for line in grid.lines)
    caption = f"<caption>{escape(grid.caption)}</caption>"
    return f'<div class="wide"><table>{caption}{_row(grid.header, "th")}{lines}</table></div>'


def _row(cells: Sequence[str], tag: str) -> str:
    shown = (
        f'<{tag} class="missed">{escape(cell)}</{tag}>'
        if cell.endswith(": missed)")
        else f"<{tag}>{escape(cell)}</{tag}>"
        for cell in cells
    )
    return f"<tr>{''.join(shown)}</tr>"


def _drawing_html(drawing: Drawing) -> str:
    data = base64.b64encode(drawing.svg).decode()
    caption = escape(drawing.caption)
    return (
        f'<figure><img alt="{caption}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _pairs_html(caption: str, pairs: Mapping[str, str]) -> str:
    return _grid_html(Grid(caption, ("", ""), [[name, text] for name, text in pairs.items()]))


def _time_text(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> _time_text(12.34), _time_text(754)
    ('12.3 s', '12 min 34 s')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"
