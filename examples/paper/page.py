"""The report as one HTML page that loads no other file."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

from section import Section, goal_table
from skfly.evaluation import Table

__all__ = ["page"]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: auto; padding: 1rem; }
h2 { margin-top: 3rem; border-bottom: 1px solid #8888; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.9rem; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { border: 1px solid #8886; padding: 0.2rem 0.6rem; text-align: left; vertical-align: top; }
th { background: #8882; }
td.missed { color: light-dark(#b00020, #ff7b8a); }
td.reached { color: light-dark(#1b7f3b, #6fd08c); }
.note { border-left: 4px solid #c80; padding: 0.2rem 0.8rem; margin: 0.5rem 0; }
figure img { max-width: 100%; background: white; }
.quiet { color: #777; font-size: 0.9rem; }
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
        How long all of it took.
    """
    times = {section.title: _time_text(section.seconds) for section in sections}
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">Made by examples/paper/report.py in {_time_text(seconds)}.</p>',
        "<h2>What was reached</h2>",
        _goals_html(goal_table(list(sections))),
        _missing_html(missing),
        *(_section_html(section) for section in sections),
        "<h2>Settings</h2>",
        _pairs_html("The model", settings),
        _pairs_html("Versions and machine", versions),
        _pairs_html("Time", times),
    ]
    content = "\n".join(part for part in body if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{content}\n</body>\n</html>\n"
    )


def _goals_html(goals: Table) -> str:
    if not goals.rows:
        return "<p>There was nothing to compare with.</p>"
    html = _table_html(goals)
    for verdict in ("reached", "missed"):
        html = html.replace(f"<td>{verdict}</td>", f'<td class="{verdict}">{verdict}</td>')
    return html


def _missing_html(missing: Mapping[str, str]) -> str:
    if not missing:
        return ""
    lines = (
        f'<p class="note">{escape(name)}: not run. {escape(why)}</p>'
        for name, why in missing.items()
    )
    return f"<h2>Missing datasets</h2>{''.join(lines)}"


def _section_html(section: Section) -> str:
    return "\n".join(
        [
            f"<h2>{escape(section.title)}</h2>",
            f"<p>{escape(section.about)}</p>",
            *(f'<p class="note">{escape(note)}</p>' for note in section.notes),
            *map(_table_html, section.tables.values()),
            *(_drawing_html(caption, svg) for caption, svg in section.drawings),
        ]
    )


def _table_html(table: Table) -> str:
    return f'<div class="wide">{table.to_html()}</div>'


def _drawing_html(caption: str, svg: bytes) -> str:
    data = base64.b64encode(svg).decode()
    shown = escape(caption)
    return (
        f'<figure><img alt="{shown}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{shown}</figcaption></figure>"
    )


def _pairs_html(title: str, pairs: Mapping[str, str]) -> str:
    return _table_html(Table([{"": n, " ": v} for n, v in pairs.items()], title=title))


def _time_text(seconds: float) -> str:
    """Return a duration for people.

    Examples
    --------
    >>> _time_text(12.34), _time_text(754)
    ('12.3 s', '12 min 34 s')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"
